//! One number, or eight side by side: what the kernel is generic over.
//!
//! Only operations that IEEE 754 rounds exactly (+, -, ×, /, √) and selections are offered, and no fused
//! multiply-add, so that a chain moves bit for bit alike whether it is stepped alone or beside seven others, on every
//! processor.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

use glam::{Quat, Vec3};
use wide::f32x8;

/// A vector of `WIDTH` numbers, one for each chain of a batch.
pub(super) trait Lanes:
    Copy
    + Default
    + Send
    + Sync
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Yes or no for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;
    /// Number of lanes, at most 8.
    const WIDTH: usize;

    /// The same number in each lane.
    fn splat(x: f32) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Without its sign.
    fn abs(self) -> Self;
    /// Where `self < other`; a NaN is below nothing.
    fn lt(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Whether any lane is set.
    fn any(mask: Self::Mask) -> bool;
    /// The number in one lane; 0 for a lane that does not exist.
    fn lane(&self, lane: usize) -> f32;
    /// Replaces the number in one lane.
    fn set_lane(&mut self, lane: usize, x: f32);

    /// The larger one; `other` where `self` is NaN.
    #[inline(always)]
    fn at_least(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// The smaller one; `other` where `self` is NaN.
    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// Zero in each lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// One in each lane.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(1.0)
    }
}

impl Lanes for f32 {
    type Mask = bool;
    const WIDTH: usize = 1;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        x
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn lane(&self, _lane: usize) -> f32 {
        *self
    }
    #[inline(always)]
    fn set_lane(&mut self, _lane: usize, x: f32) {
        *self = x;
    }
}

impl Lanes for f32x8 {
    type Mask = f32x8;
    const WIDTH: usize = 8;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        f32x8::splat(x)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32x8::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32x8::abs(self)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> f32x8 {
        self.simd_lt(other)
    }
    #[inline(always)]
    fn select(mask: f32x8, yes: Self, no: Self) -> Self {
        mask.bitselect(yes, no)
    }
    #[inline(always)]
    fn any(mask: f32x8) -> bool {
        mask.any()
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> f32 {
        self.as_array().get(lane).copied().unwrap_or_default()
    }
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, x: f32) {
        if let Some(slot) = self.as_mut_array().get_mut(lane) {
            *slot = x;
        }
    }
}

/// What the kernels run on, for `doctor`: decided when the program is built, never while it runs.
///
/// There is no run-time dispatch and no fused multiply-add (spec 8, T2 allows both): without them one binary moves every
/// chain bit for bit alike on every processor, and the bounds are met.
pub const fn simd_description() -> &'static str {
    if cfg!(target_feature = "avx") {
        "8 chains side by side, AVX, without FMA: the same bits on every machine"
    } else if cfg!(target_feature = "sse2") {
        "8 chains side by side, 2 × SSE2, without FMA: the same bits on every machine"
    } else if cfg!(target_feature = "neon") {
        "8 chains side by side, 2 × NEON, without FMA: the same bits on every machine"
    } else {
        "8 chains side by side in plain code: the same bits on every machine"
    }
}

/// A vector in each lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct V3<L> {
    pub x: L,
    pub y: L,
    pub z: L,
}

impl<L: Lanes> V3<L> {
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub fn dot(self, o: Self) -> L {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }

    #[inline(always)]
    pub fn scaled(self, s: L) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }

    /// Unit vector, or `otherwise` where the square of the length is below `least`.
    #[inline(always)]
    pub fn unit_or(self, least: L, otherwise: Self) -> Self {
        let square = self.dot(self);
        // NaN and infinity go on as they are: the batch resets such chains after the substep.
        let unit = self.scaled(L::one() / square.sqrt());
        Self::select(square.lt(least), otherwise, unit)
    }

    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self::new(
            L::select(mask, yes.x, no.x),
            L::select(mask, yes.y, no.y),
            L::select(mask, yes.z, no.z),
        )
    }

    /// The vector in one lane.
    pub fn lane(&self, lane: usize) -> Vec3 {
        Vec3::new(self.x.lane(lane), self.y.lane(lane), self.z.lane(lane))
    }

    /// Replaces the vector in one lane.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, v: Vec3) {
        self.x.set_lane(lane, v.x);
        self.y.set_lane(lane, v.y);
        self.z.set_lane(lane, v.z);
    }
}

impl<L: Lanes> Add for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<L: Lanes> Sub for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

/// A quaternion in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Q4<L> {
    pub v: V3<L>,
    pub w: L,
}

impl<L: Lanes> Default for Q4<L> {
    fn default() -> Self {
        Self { v: V3::default(), w: L::one() }
    }
}

impl<L: Lanes> Q4<L> {
    #[inline(always)]
    pub fn dot(self, o: Self) -> L {
        (self.v.x * o.v.x + self.v.y * o.v.y) + (self.v.z * o.v.z + self.w * o.w)
    }

    #[inline(always)]
    pub fn scaled(self, s: L) -> Self {
        Self { v: self.v.scaled(s), w: self.w * s }
    }

    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self { v: V3::select(mask, yes.v, no.v), w: L::select(mask, yes.w, no.w) }
    }

    /// This quaternion or its opposite, the one whose product with `other` is not negative.
    #[inline(always)]
    pub fn towards(self, product: L) -> Self {
        let flip = product.lt(L::zero());
        let sign = L::select(flip, L::splat(-1.0), L::one());
        self.scaled(sign)
    }

    /// Turns a vector.
    #[inline(always)]
    pub fn rotate(self, a: V3<L>) -> V3<L> {
        // The vector is doubled, not the product: it is mostly there before the rotation is.
        let t = self.v.cross(a + a);
        (a + t.scaled(self.w)) + self.v.cross(t)
    }

    /// The swing of `rotate(a)` from unit `a`: this rotation less its twist about `a`; and where it is next to half a
    /// turn, so that it has to be had from [`Self::swing`].
    #[inline(always)]
    pub fn swing_part(self, a: V3<L>) -> (Self, L::Mask) {
        let t = self.v.dot(a);
        let square = self.w * self.w + t * t;
        let turned = self.v.cross(a);
        // q (w, -t a) / √(w² + t²).
        let v = (self.v.scaled(self.w) - a.scaled(t * self.w)) - turned.scaled(t);
        let part = Self { v, w: square };
        (part.scaled(L::one() / square.sqrt()), square.lt(L::splat(0.02)))
    }

    /// Turns a vector the other way.
    #[inline(always)]
    pub fn rotate_back(self, a: V3<L>) -> V3<L> {
        let t = self.v.cross(a);
        let t = t + t;
        a - t.scaled(self.w) + self.v.cross(t)
    }

    /// The shortest rotation from unit `a` to unit `b`; half a turn about x (or y) where they are opposite.
    #[inline(always)]
    pub fn swing(a: V3<L>, b: V3<L>) -> Self {
        let w = L::one() + a.dot(b);
        let raw = Self { v: a.cross(b), w };
        // Of unit vectors |a × b|² + w² = 2 w: nothing but the dot product is waited for.
        let unit = raw.scaled(L::one() / (w + w).sqrt());
        let wide = w.lt(L::splat(0.02));
        if !L::any(wide) {
            return unit;
        }
        // Beyond 157° the rounding of w counts, and near 180° there is no axis.
        let exact = raw.scaled(L::one() / raw.dot(raw).sqrt());
        let (zero, one) = (L::zero(), L::one());
        let along_x = L::splat(0.81).lt(a.x * a.x);
        let side = V3::new(L::select(along_x, zero, one), L::select(along_x, one, zero), L::zero());
        let axis = side - a.scaled(side.dot(a));
        let axis = axis.scaled(one / axis.dot(axis).sqrt());
        let turned = Self::select(w.lt(L::splat(1e-6)), Self { v: axis, w: zero }, exact);
        Self::select(wide, turned, unit)
    }

    /// Half-way between two rotations by the shorter way: unit(a + b).
    #[inline(always)]
    pub fn half_slerp(a: Self, b: Self) -> Self {
        let b = b.towards(a.dot(b));
        let sum = Self { v: a.v + b.v, w: a.w + b.w };
        sum.scaled(L::one() / sum.dot(sum).sqrt())
    }

    /// The rotation in one lane.
    pub fn lane(&self, lane: usize) -> Quat {
        let v = self.v.lane(lane);
        Quat::from_xyzw(v.x, v.y, v.z, self.w.lane(lane))
    }

    /// Replaces the rotation in one lane.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, q: Quat) {
        self.v.set_lane(lane, Vec3::new(q.x, q.y, q.z));
        self.w.set_lane(lane, q.w);
    }
}

impl<L: Lanes> Mul for Q4<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self {
            v: o.v.scaled(self.w) + self.v.scaled(o.w) + self.v.cross(o.v),
            w: self.w * o.w - self.v.dot(o.v),
        }
    }
}
