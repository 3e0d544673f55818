//! Colliders that hair meets, as they stand in one substep, and which of them a link could meet at all.

use glam::Vec3;

use super::lanes::{Lanes, V3};
use super::state::{ColliderKind, ColliderPose};

/// An axis of less than this square is a point, m².
pub(super) const TINY: f32 = 1e-12;

/// The axis of a collider, for all lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub a: Vec3,
    /// From `a` to the other end, metres; a plane's unit normal.
    pub along: Vec3,
    /// Its square, m², and what it is divided by: 0 for a point.
    square: f32,
    pub inverse: f32,
}

/// A collider where it is in one substep, the same for every batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedCollider {
    pub kind: ColliderKind,
    pub now: Axis,
    pub before: Axis,
    pub radius_m: f32,
    /// How far it moved since the substep before, metres.
    pub motion_m: f32,
}

impl Axis {
    fn new(pose: &ColliderPose) -> Self {
        let along = pose.b - pose.a;
        let square = along.length_squared();
        let inverse = if square > TINY { 1.0 / square } else { 0.0 };
        Self { a: pose.a, along, square, inverse }
    }

    #[inline(always)]
    pub fn lanes<L: Lanes>(&self, like: L) -> AxisLanes<L> {
        AxisLanes {
            a: V3::of(like, self.a),
            along: V3::of(like, self.along),
            square: like.of(self.square),
            inverse: like.of(self.inverse),
        }
    }
}

impl PlacedCollider {
    /// One that is not finite is met by nobody in this substep.
    pub fn new(before: &ColliderPose, now: &ColliderPose) -> Self {
        let is_usable = before.is_finite() && now.is_finite();
        let moved = now.a.distance_squared(before.a).max(now.b.distance_squared(before.b));
        Self {
            kind: if is_usable { now.kind } else { ColliderKind::None },
            now: Axis::new(now),
            before: Axis::new(before),
            radius_m: now.radius_m,
            motion_m: moved.sqrt(),
        }
    }

    /// Middle and radius of a ball around it, metres: infinite around planes and what is met from inside, NaN, which
    /// nothing is near to, around what nobody meets.
    fn ball(&self) -> (Vec3, f32) {
        match self.kind {
            ColliderKind::Outside => {
                let reach = if self.now.inverse > 0.0 { 0.5 * self.now.square.sqrt() } else { 0.0 };
                // A little more, for rounding.
                (self.now.a + self.now.along * 0.5, (self.radius_m + reach) * 1.001)
            }
            ColliderKind::Inside | ColliderKind::Plane => (Vec3::ZERO, f32::INFINITY),
            ColliderKind::None => (Vec3::ZERO, f32::NAN),
        }
    }

    /// A point may move this far before it is tested between poses with it, metres: as far as it likes where it never is.
    pub fn slow_m(&self) -> f32 {
        match self.kind {
            ColliderKind::Outside => self.radius_m * 0.5 - self.motion_m,
            ColliderKind::Inside | ColliderKind::Plane | ColliderKind::None => f32::INFINITY,
        }
    }
}

/// A collider that strands of a batch meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met<L> {
    /// Its place in the row of all.
    pub at: usize,
    /// 1 in lanes whose strand meets it.
    pub meets: L,
}

impl<L: Lanes> Met<L> {
    /// A collider that no lane meets yet.
    pub fn new(at: usize, zero: L) -> Self {
        Self { at, meets: zero }
    }
}

/// Balls around the colliders that a batch meets in one substep, and which of them the link at hand could meet: in
/// columns, so that a lone strand tests several at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    radius_m: Vec<f32>,
    pub is_near: Vec<bool>,
    /// Whether only the first lane has a strand.
    is_lone: bool,
    /// Those that could be met, in order.
    pub list: Vec<usize>,
}

impl Nearby {
    pub fn new(is_lone: bool) -> Self {
        Self { is_lone, ..Self::default() }
    }

    /// Puts a ball around each of `met`.
    pub fn place<L: Lanes>(&mut self, met: &[Met<L>], placed: &[PlacedCollider]) {
        let n = met.len();
        for column in [&mut self.x, &mut self.y, &mut self.z, &mut self.radius_m] {
            column.resize(n, 0.0);
        }
        self.is_near.resize(n, false);
        for (at, met) in met.iter().enumerate() {
            let ball = placed.get(met.at).map_or((Vec3::ZERO, f32::NAN), PlacedCollider::ball);
            (self.x[at], self.y[at], self.z[at], self.radius_m[at]) =
                (ball.0.x, ball.0.y, ball.0.z, ball.1);
        }
    }

    /// Tests all of them for links around `middle`.
    #[inline(always)]
    pub fn test<L: Lanes>(&mut self, middle: V3<L>, around: L) {
        let centres = self.x.iter().zip(&self.y).zip(&self.z).zip(&self.radius_m);
        let balls = self.is_near.iter_mut().zip(centres);
        if self.is_lone {
            // Several balls at once instead of several links.
            let (middle, around) = (middle.lane(0), around.lane(0));
            for (is_near, (((x, y), z), radius_m)) in balls {
                let away = middle - Vec3::new(*x, *y, *z);
                let own = around + *radius_m;
                *is_near = away.length_squared() < own * own;
            }
            return;
        }
        for (is_near, (((x, y), z), radius_m)) in balls {
            let away = V3::new(middle.x - *x, middle.y - *y, middle.z - *z);
            let own = around + *radius_m;
            *is_near = L::any(away.square().lt(own * own));
        }
    }
}

/// Where a link and a collider are nearest.
pub(super) struct Nearest<L> {
    /// Place on the link, 0 to 1.
    pub along: L,
    /// Place on the collider's axis.
    pub across: L,
    /// From the collider to the link, not unit.
    pub away: V3<L>,
}

/// The axis of a collider in each lane (see [`Axis`]).
pub(super) struct AxisLanes<L> {
    pub a: V3<L>,
    pub along: V3<L>,
    pub square: L,
    pub inverse: L,
}

impl<L: Lanes> AxisLanes<L> {
    #[inline(always)]
    pub fn new(a: V3<L>, along: V3<L>) -> Self {
        let square = along.square();
        let tiny = square.of(TINY);
        let inverse = L::select(tiny.lt(square), square.of(1.0) / square, square.of(0.0));
        Self { a, along, square, inverse }
    }
}

/// 0 to 1.
#[inline(always)]
pub(super) fn clamp<L: Lanes>(x: L) -> L {
    x.at_least(x.of(0.0)).at_most(x.of(1.0))
}

/// The point of an axis that is nearest to `q`.
#[inline(always)]
pub(super) fn nearest_to_point<L: Lanes>(q: V3<L>, axis: &AxisLanes<L>) -> Nearest<L> {
    let r = q - axis.a;
    let across = clamp(r.dot(axis.along) * axis.inverse);
    Nearest { along: across.of(1.0), across, away: r - axis.along.scaled(across) }
}

/// From the nearest point of an axis to `q`.
#[inline(always)]
pub(super) fn away_from<L: Lanes>(q: V3<L>, axis: &Axis) -> V3<L> {
    let r = q - V3::of(q.x, axis.a);
    // A sphere's has no length; whether it has is the same for all lanes.
    if axis.inverse == 0.0 {
        return r;
    }
    let along = V3::of(q.x, axis.along);
    r - along.scaled(clamp(r.dot(along) * axis.inverse))
}
