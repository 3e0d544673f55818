//! Four numbers, or eight, side by side: what the kernel is generic over.
//!
//! Only operations that IEEE 754 rounds exactly (+, -, ×, /, √) and selections are offered, and no fused
//! multiply-add, so that a chain moves bit for bit alike whether it is stepped alone or beside seven others, on every
//! processor and with whatever instructions it has. Which these are is found out when a batch is made: every number of it
//! carries the proof, which takes no room, and so nothing is asked while it is stepped. A lone chain takes vectors of four,
//! of which one lane counts: plain numbers the compiler would gather into vectors, with many shuffles.

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

use fearless_simd::{
    Level, Select, Simd, SimdBase, SimdFloat, SimdMask, f32x4, f32x8, mask32x4, mask32x8,
};
use glam::{Quat, Vec3};

/// Most chains of one batch.
pub(super) const MOST_LANES: usize = 8;

/// A vector of `WIDTH` numbers, one for each chain of a batch.
pub(super) trait Lanes:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f32, Output = Self>
    + Sub<f32, Output = Self>
    + Mul<f32, Output = Self>
{
    /// Yes or no for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;
    /// Proof that the processor has the instructions that are used.
    type Proof: Copy + Debug + Send + Sync;
    /// Number of lanes, at most `MOST_LANES`.
    const WIDTH: usize;

    /// The same number in each lane.
    fn splat(proof: Self::Proof, x: f32) -> Self;
    /// Another number in each lane.
    fn of(self, x: f32) -> Self;
    /// The numbers of a slice, of which there must be `WIDTH`.
    fn load(self, numbers: &[f32]) -> Self;
    /// Runs `kernel`, all of which must be inlined into it, with the instructions that are proven.
    fn run<R>(proof: Self::Proof, kernel: impl FnOnce() -> R) -> R;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Without its sign.
    fn abs(self) -> Self;
    /// Its size with the sign of `other`.
    fn with_sign(self, other: Self) -> Self;
    /// Where `self < other`; a NaN is below nothing.
    fn lt(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// The larger one; `other` where either is NaN.
    fn at_least(self, other: Self) -> Self;
    /// The smaller one; `other` where either is NaN.
    fn at_most(self, other: Self) -> Self;
    /// Whether any lane is set.
    fn any(mask: Self::Mask) -> bool;
    /// Whether all lanes are.
    fn all(mask: Self::Mask) -> bool;
    /// A bit for each lane, that of the first the lowest.
    fn bits(mask: Self::Mask) -> u64;
    /// The number in one lane; 0 for a lane that does not exist.
    fn lane(&self, lane: usize) -> f32;
    /// Replaces the number in one lane.
    fn set_lane(&mut self, lane: usize, x: f32);

    /// Where a flag, 0 or 1, is set.
    #[inline(always)]
    fn is_set(self) -> Self::Mask {
        self.of(0.5).lt(self)
    }
}

/// Whether `max` and `min` of vectors give the second operand for NaN and for zeros of both signs, as `at_least` does. The
/// crate leaves it open; all that [`with_lanes`] takes on x86-64 does.
const TAKES_SECOND: bool = cfg!(target_arch = "x86_64");

macro_rules! lanes {
    ($vector:ident, $mask:ident, $width:expr) => {
        impl<S: Simd> Lanes for $vector<S> {
            type Mask = $mask<S>;
            type Proof = S;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn splat(proof: S, x: f32) -> Self {
                SimdBase::splat(proof, x)
            }
            #[inline(always)]
            fn of(self, x: f32) -> Self {
                SimdBase::splat(self.simd, x)
            }
            #[inline(always)]
            fn load(self, numbers: &[f32]) -> Self {
                SimdBase::from_slice(self.simd, numbers)
            }
            #[inline(always)]
            fn run<R>(proof: S, kernel: impl FnOnce() -> R) -> R {
                proof.vectorize(kernel)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                SimdFloat::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                SimdBase::abs(self)
            }
            #[inline(always)]
            fn with_sign(self, other: Self) -> Self {
                self.copysign(other)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                self.simd_lt(other)
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                mask.select(yes, no)
            }
            #[inline(always)]
            fn at_least(self, other: Self) -> Self {
                if TAKES_SECOND {
                    self.max(other)
                } else {
                    Self::select(other.lt(self), self, other)
                }
            }
            #[inline(always)]
            fn at_most(self, other: Self) -> Self {
                if TAKES_SECOND {
                    self.min(other)
                } else {
                    Self::select(self.lt(other), self, other)
                }
            }
            #[inline(always)]
            fn any(mask: Self::Mask) -> bool {
                mask.any_true()
            }
            #[inline(always)]
            fn all(mask: Self::Mask) -> bool {
                mask.all_true()
            }
            #[inline(always)]
            fn bits(mask: Self::Mask) -> u64 {
                mask.to_bitmask()
            }
            #[inline(always)]
            fn lane(&self, lane: usize) -> f32 {
                self.as_slice().get(lane).copied().unwrap_or_default()
            }
            #[inline(always)]
            fn set_lane(&mut self, lane: usize, x: f32) {
                if let Some(slot) = self.as_mut_slice().get_mut(lane) {
                    *slot = x;
                }
            }
        }
    };
}

lanes!(f32x4, mask32x4, 4);
lanes!(f32x8, mask32x8, MOST_LANES);

/// Work that is done with the best instructions that a processor has; chains move bit for bit alike with all of them.
pub(super) trait WithLanes {
    /// What comes of it.
    type Output;
    /// Does it.
    fn with<S: Simd>(self, proof: S) -> Self::Output;
}

/// Does `work` with the best that `level`, what the processor has, offers.
pub(super) fn with_lanes<W: WithLanes>(level: Level, work: W) -> W::Output {
    // The crate's own `dispatch` would build all kernels for two more kinds that gain little.
    #[cfg(target_arch = "x86_64")]
    match (level.as_avx2(), level.as_sse2()) {
        (Some(avx2), _) => work.with(avx2),
        (None, Some(sse2)) => work.with(sse2),
        (None, None) => unreachable!("SSE2 is part of every x86-64"),
    }
    #[cfg(not(target_arch = "x86_64"))]
    fearless_simd::dispatch!(level, proof => work.with(proof))
}

/// What the kernels run on here, for `doctor`.
pub fn simd_description() -> &'static str {
    struct Name;
    impl WithLanes for Name {
        type Output = &'static str;
        fn with<S: Simd>(self, proof: S) -> &'static str {
            match proof.level() {
                #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
                Level::Avx2(_) => "AVX2, 8 chains side by side: the same bits on every machine",
                #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
                Level::Sse2(_) => "SSE2, 8 chains side by side: the same bits on every machine",
                #[cfg(target_arch = "aarch64")]
                Level::Neon(_) => "NEON, 8 chains side by side: the same bits on every machine",
                _ => "8 chains side by side: the same bits on every machine",
            }
        }
    }
    with_lanes(Level::new(), Name)
}

/// A vector in each lane.
#[derive(Clone, Copy, Debug)]
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

    /// The same vector in each lane, beside the number `like`.
    #[inline(always)]
    pub fn of(like: L, v: Vec3) -> Self {
        Self::new(like.of(v.x), like.of(v.y), like.of(v.z))
    }

    #[inline(always)]
    pub fn dot(self, o: Self) -> L {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// The square of its length.
    #[inline(always)]
    pub fn square(self) -> L {
        self.dot(self)
    }

    /// What of it is at a right angle to unit `n`.
    #[inline(always)]
    pub fn across(self, n: Self) -> Self {
        self - n.scaled(self.dot(n))
    }

    /// A share of the way to `o`.
    #[inline(always)]
    pub fn lerp(self, o: Self, share: L) -> Self {
        self + (o - self).scaled(share)
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
        let square = self.square();
        // NaN and infinity go on as they are: the batch resets such chains after the substep.
        let unit = self.scaled(square.of(1.0) / square.sqrt());
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

impl<L: Lanes> Neg for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

/// A quaternion in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Q4<L> {
    pub v: V3<L>,
    pub w: L,
}

impl<L: Lanes> Q4<L> {
    /// No rotation, beside the number `like`.
    #[inline(always)]
    pub fn identity(like: L) -> Self {
        Self { v: V3::of(like, Vec3::ZERO), w: like.of(1.0) }
    }

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

    /// Made unit.
    #[inline(always)]
    pub fn unit(self) -> Self {
        let square = self.dot(self);
        self.scaled(square.of(1.0) / square.sqrt())
    }

    /// This quaternion or its opposite, the one whose product with `other` is not negative.
    #[inline(always)]
    pub fn towards(self, product: L) -> Self {
        self.scaled(product.of(1.0).with_sign(product))
    }

    /// The rotation back.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self { v: -self.v, w: self.w }
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
        (part.scaled(square.of(1.0) / square.sqrt()), square.lt(square.of(0.02)))
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
        let w = a.dot(b) + 1.0;
        let (zero, one) = (w.of(0.0), w.of(1.0));
        let raw = Self { v: a.cross(b), w };
        // Of unit vectors |a × b|² + w² = 2 w: nothing but the dot product is waited for.
        let unit = raw.scaled(one / (w + w).sqrt());
        let wide = w.lt(w.of(0.02));
        if !L::any(wide) {
            return unit;
        }
        // Beyond 157° the rounding of w counts, and near 180° there is no axis.
        let exact = raw.scaled(one / raw.dot(raw).sqrt());
        let along_x = w.of(0.81).lt(a.x * a.x);
        let side = V3::new(L::select(along_x, zero, one), L::select(along_x, one, zero), zero);
        let axis = side - a.scaled(side.dot(a));
        let axis = axis.scaled(one / axis.dot(axis).sqrt());
        let turned = Self::select(w.lt(w.of(1e-6)), Self { v: axis, w: zero }, exact);
        Self::select(wide, turned, unit)
    }

    /// Half-way between two rotations by the shorter way: unit(a + b).
    #[inline(always)]
    pub fn half_slerp(a: Self, b: Self) -> Self {
        let b = b.towards(a.dot(b));
        let sum = Self { v: a.v + b.v, w: a.w + b.w };
        sum.unit()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The larger and the smaller of two numbers.
    struct Both(f32, f32);

    impl Both {
        fn bits<L: Lanes>(&self, proof: L::Proof) -> [u32; 2] {
            let (a, b) = (L::splat(proof, self.0), L::splat(proof, self.1));
            [a.at_least(b), a.at_most(b)].map(|x| x.lane(0).to_bits())
        }
    }

    impl WithLanes for Both {
        type Output = [[u32; 2]; 2];
        fn with<S: Simd>(self, proof: S) -> Self::Output {
            [self.bits::<f32x4<S>>(proof), self.bits::<f32x8<S>>(proof)]
        }
    }

    #[test]
    fn of_two_numbers_none_of_which_is_larger_or_smaller_the_second_is_taken_everywhere() {
        let numbers = [f32::NAN, -1.0, -0.0, 0.0, 1.0, f32::INFINITY];
        for level in [Level::new(), Level::baseline()] {
            for (a, b) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
                let wanted = [if a > b { a } else { b }, if a < b { a } else { b }];
                let found = with_lanes(level, Both(a, b));
                assert_eq!(found, [wanted.map(f32::to_bits); 2], "{a} and {b}");
            }
        }
    }
}
