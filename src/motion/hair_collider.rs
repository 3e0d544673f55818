//! Colliders that hair meets, as they stand in one substep.

use glam::Vec3;

use super::lanes::{Lanes, MOST_LANES, V3};
use super::state::{ColliderKind, ColliderPose};

/// An axis of less than this square is a point, m².
pub(super) const TINY: f32 = 1e-12;

/// The axis of a collider, for all lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub a: Vec3,
    pub b: Vec3,
    /// From `a` to `b`, metres; a plane's unit normal.
    pub along: Vec3,
    /// Its square, m², and what it is divided by: 0 for a point.
    square: f32,
    pub inverse: f32,
}

impl Axis {
    fn new(pose: &ColliderPose) -> Self {
        let along = pose.b - pose.a;
        let square = along.length_squared();
        let inverse = if square > TINY { 1.0 / square } else { 0.0 };
        Self { a: pose.a, b: pose.b, along, square, inverse }
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

/// A collider where it is in one substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedCollider {
    pub kind: ColliderKind,
    pub now: Axis,
    /// Its axis in the substep before: `a`, and from there to the other end.
    pub before: [Vec3; 2],
    pub radius_m: f32,
    /// The square of how far it moved since the substep before, m².
    pub moved_square: f32,
}

impl PlacedCollider {
    /// One that is not finite is met by nobody in this substep.
    fn new(before: &ColliderPose, now: &ColliderPose) -> Self {
        let is_usable = before.is_finite() && now.is_finite();
        Self {
            kind: if is_usable { now.kind } else { ColliderKind::None },
            now: Axis::new(now),
            before: [before.a, before.b - before.a],
            radius_m: now.radius_m,
            moved_square: moved_square([before.a, before.b], [now.a, now.b]),
        }
    }

    /// Whether its axis has a length.
    pub fn is_capsule(&self) -> bool {
        self.kind == ColliderKind::Outside && self.now.inverse > 0.0
    }

    /// Middle and radius of a ball around it, metres: infinite around planes and what is met from inside, NaN, which
    /// nothing is near to, around what nobody meets.
    fn ball(&self) -> [f32; 4] {
        match self.kind {
            ColliderKind::Outside => {
                let reach = if self.now.inverse > 0.0 { 0.5 * self.now.square.sqrt() } else { 0.0 };
                let Vec3 { x, y, z } = self.now.a + self.now.along * 0.5;
                // A little more, for rounding.
                [x, y, z, (self.radius_m + reach) * 1.001]
            }
            ColliderKind::Inside | ColliderKind::Plane => [0.0, 0.0, 0.0, f32::INFINITY],
            ColliderKind::None => NOBODY,
        }
    }
}

/// A ball that nothing is near to.
const NOBODY: [f32; 4] = [0.0, 0.0, 0.0, f32::NAN];

/// The square of the way of the farther of two ends, m².
fn moved_square(before: [Vec3; 2], now: [Vec3; 2]) -> f32 {
    now[0].distance_squared(before[0]).max(now[1].distance_squared(before[1]))
}

/// All colliders where they are in one substep, the same for every batch.
#[derive(Clone, Debug, Default)]
pub(super) struct PlacedColliders {
    all: Vec<PlacedCollider>,
    /// Balls around them in columns, filled up to whole vectors: x, y, z and radius, metres.
    balls: [Vec<f32>; 4],
    /// How far any of them moved since the substep before, at most, metres.
    pub motion_m: f32,
    /// A point that moves less than this is tested between poses with none of them, metres.
    pub slow_m: f32,
    /// How far the surface of any of them moved, at most, since they were last placed, metres.
    pub drift_m: f32,
}

impl PlacedColliders {
    /// Puts them where they are `now`.
    pub fn place(&mut self, before: &[ColliderPose], now: &[ColliderPose]) {
        let n_filled = now.len().next_multiple_of(MOST_LANES);
        for (column, nobody) in self.balls.iter_mut().zip(NOBODY) {
            column.resize(n_filled, nobody);
        }
        let mut is_other = now.len() != self.all.len();
        let (mut thinnest_m, mut moved, mut drifted, mut grown_m) =
            (f32::INFINITY, 0.0_f32, 0.0, 0.0);
        for (at, now) in now.iter().enumerate() {
            let placed = PlacedCollider::new(before.get(at).unwrap_or(now), now);
            for (column, number) in self.balls.iter_mut().zip(placed.ball()) {
                column[at] = number;
            }
            if placed.kind == ColliderKind::Outside {
                thinnest_m = thinnest_m.min(placed.radius_m);
                moved = moved.max(placed.moved_square);
            }
            let Some(last) = self.all.get_mut(at) else {
                self.all.push(placed);
                continue;
            };
            is_other |= last.kind != placed.kind;
            drifted = moved_square([last.now.a, last.now.b], [now.a, now.b]).max(drifted);
            grown_m = (last.radius_m - now.radius_m).abs().max(grown_m);
            *last = placed;
        }
        self.all.truncate(now.len());
        for (column, nobody) in self.balls.iter_mut().zip(NOBODY) {
            column[now.len()..].fill(nobody);
        }
        self.motion_m = moved.sqrt();
        self.slow_m = thinnest_m * 0.5 - self.motion_m;
        self.drift_m = if is_other { f32::INFINITY } else { drifted.sqrt() + grown_m };
    }

    /// In their order.
    pub fn all(&self) -> &[PlacedCollider] {
        &self.all
    }

    /// Balls around them: x, y, z and radius, metres; as many as fill whole vectors, those too many are near to nothing.
    pub fn balls(&self) -> &[Vec<f32>; 4] {
        &self.balls
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
