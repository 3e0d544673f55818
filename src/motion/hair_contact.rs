//! Contacts of hair: a link, or its end, against capsules, insides and planes, also between two poses of both.
//!
//! Only the improved solver tests between poses, and more than once. What a link could meet is found first (`hair_near`).
//!
//! Based on: spec 4.4, 8 (4.3); Ericson, Real-Time Collision Detection, 2005, 5.1.9 (closest points of two segments).

use glam::Vec3;

use super::hair::StrandLanes;
use super::hair_collider::{
    AxisLanes, Nearest, PlacedCollider, PlacedColliders, TINY, away_from, clamp, nearest_to_point,
};
use super::hair_near::{ColliderSet, NearList, Search};
use super::lanes::{Lanes, V3};
use super::state::ColliderKind;

/// A link as it is pushed about in one substep.
pub(super) struct Reach<L> {
    pub head: V3<L>,
    pub head_before: V3<L>,
    pub end: V3<L>,
    pub end_before: V3<L>,
    /// Unit, from head to end.
    pub direction: V3<L>,
    pub length: L,
    pub radius: L,
    /// v*: before any correction; contacts take its inward part out.
    pub velocity: V3<L>,
    /// 1 for a link that exists.
    pub exists: L,
}

impl<L: Lanes> Reach<L> {
    /// The square of how far the link moved since the substep before, m²: of the farther of its two ends.
    #[inline(always)]
    pub fn moved_square(&self) -> L {
        let head = (self.head - self.head_before).square();
        (self.end - self.end_before).square().at_least(head)
    }
}

/// The least share of the link by which a contact turns it: near the head a push would turn it over.
const LEAST_LEVER: f32 = 0.25;
/// Contacts nearer to the head than this belong to the link above.
const NOT_OWN: f32 = 0.1;
/// Most tests between two poses.
const MOST_TESTS: f32 = 8.0;
/// Rounds of pushing out: contacts undo each other's work.
const ROUNDS: usize = 4;
/// In later rounds a link that is in by less than this share of the distance kept is out.
const IS_OUT: f32 = 1e-3;

/// What a collider does to a link: the way out, how far the end goes along it, and in which lanes.
struct Push<L: Lanes> {
    normal: V3<L>,
    by: L,
    hit: L::Mask,
}

/// A contact between two poses: how deep the link is in behind its normal, and where along the link it is.
struct Crossing<L: Lanes> {
    normal: V3<L>,
    depth: L,
    lever: L,
    hit: L::Mask,
}

/// Who of a batch meets which colliders.
#[derive(Clone, Debug, Default)]
pub(super) struct Met<L> {
    /// Those that any lane meets.
    pub any: ColliderSet,
    /// For each collider 1 in lanes whose strand meets it; as far as any does.
    pub lanes: Vec<L>,
    /// Whether only the first lane has a strand.
    pub is_lone: bool,
}

/// What the strands of a batch meet in one substep.
pub(super) struct Contacts<'a, L: Lanes> {
    met: &'a Met<L>,
    placed: &'a PlacedColliders,
    search: Search<'a, L>,
    /// Lanes that are where they are by a jump: no collider passed them on the way.
    jumped: L::Mask,
    /// Lanes that test whole links; `None` where none does.
    segments: Option<L::Mask>,
    /// Lanes of the improved solver.
    improved: L::Mask,
    rounds: usize,
}

impl<'a, L: Lanes> Contacts<'a, L> {
    /// `jumped` is 1 in lanes that are where they are by a jump.
    #[inline(always)]
    pub fn new(
        strand: &StrandLanes<L>,
        met: &'a Met<L>,
        placed: &'a PlacedColliders,
        jumped: L,
    ) -> Self {
        let segments = strand.segments.is_set();
        let segments = L::any(segments).then_some(segments);
        let improved = strand.rebounds.lt(jumped.of(0.5));
        let any_improved = L::any(improved);
        let swept = any_improved.then_some(improved);
        Self {
            met,
            placed,
            search: Search { met: &met.any, placed, is_lone: met.is_lone, segments, swept },
            jumped: jumped.is_set(),
            segments,
            improved,
            rounds: if any_improved { ROUNDS } else { 1 },
        }
    }

    /// Pushes the links out of all colliders.
    #[inline(always)]
    pub fn resolve(&self, near: &mut NearList<L>, reach: &mut Reach<L>) {
        if self.met.any.is_empty() {
            return;
        }
        self.search.begin(near, reach);
        for round in 0..self.rounds {
            let mut was_met = false;
            let mut next = 0;
            while let Some(at) = near.set.next(next) {
                next = at + 1;
                if let Some(push) = self.push((at, near.any_fast), round, reach) {
                    was_met = true;
                    correct(reach, &push);
                    self.search.go_on(near, reach);
                }
            }
            if !was_met {
                return;
            }
        }
    }

    /// What one collider does to the links; `None` where no lane is met. Rounds after the first are for strands of the
    /// improved solver alone.
    #[inline(always)]
    fn push(
        &self,
        (at, may_be_fast): (usize, bool),
        round: usize,
        reach: &Reach<L>,
    ) -> Option<Push<L>> {
        let collider = self.placed.all().get(at)?;
        let meets = self.met.lanes.get(at)?.is_set();
        let takes = if round > 0 { meets & self.improved } else { meets };
        match collider.kind {
            ColliderKind::Outside => {
                let own = reach.radius + collider.radius_m;
                let crossed = match round {
                    0 if may_be_fast => self.swept(reach, collider, own, takes & self.improved),
                    _ => None,
                };
                self.outside((collider, own), round, takes, reach, crossed)
            }
            ColliderKind::Inside => inside(collider, takes, reach),
            ColliderKind::Plane => plane(collider, takes, reach),
            ColliderKind::None => None,
        }
    }

    #[inline(always)]
    fn outside(
        &self,
        (collider, own): (&PlacedCollider, L),
        round: usize,
        takes: L::Mask,
        reach: &Reach<L>,
        crossed: Option<Crossing<L>>,
    ) -> Option<Push<L>> {
        let like = reach.length;
        // The place on the link; `None` where all test their ends alone.
        let (away, along) = match self.segments {
            Some(_) => {
                let nearest = self.nearest(reach.head, reach.end, &collider.now.lanes(like));
                (nearest.away, Some(nearest.along))
            }
            None => (away_from(reach.end, &collider.now), None),
        };
        let square = away.square();
        let touch = if round > 0 { own * (1.0 - IS_OUT) } else { own };
        let mut hit = takes & square.lt(touch * touch);
        if let Some(along) = along {
            hit = hit & like.of(NOT_OWN).lt(along);
        }
        if crossed.is_none() && !L::any(hit) {
            return None;
        }
        let distance = square.sqrt();
        let normal = away.scaled(like.of(1.0) / distance);
        let mut normal = V3::select(square.lt(like.of(1e-20)), -reach.direction, normal);
        let mut depth = own - distance;
        let mut lever = along;
        if let Some(crossed) = crossed {
            hit = hit | crossed.hit;
            normal = V3::select(crossed.hit, crossed.normal, normal);
            depth = L::select(crossed.hit, crossed.depth, depth);
            lever = lever.map(|lever| L::select(crossed.hit, crossed.lever, lever));
        }
        let by = lever.map_or(depth, |lever| depth / lever.at_least(like.of(LEAST_LEVER)));
        Some(Push { normal, by, hit })
    }

    /// Nearest points of the link `p`→`q` (of its end alone in lanes that test no whole links) and an axis.
    #[inline(always)]
    fn nearest(&self, p: V3<L>, q: V3<L>, axis: &AxisLanes<L>) -> Nearest<L> {
        let Some(segments) = self.segments else { return nearest_to_point(q, axis) };
        let (one, tiny) = (q.x.of(1.0), q.x.of(TINY));
        let (link, r) = (q - p, p - axis.a);
        let aa = link.square().at_least(tiny);
        let (bb, c, f) = (link.dot(axis.along), link.dot(r), axis.along.dot(r));
        let den = aa * axis.square - bb * bb;
        // Parallel: the end is as near as any point.
        let s = clamp((bb * f - c * axis.square) / den.at_least(tiny));
        let s = L::select(tiny.lt(den), s, one);
        let on_link = V3::select(segments, p + link.scaled(s), q) - axis.a;
        let across = clamp(on_link.dot(axis.along) * axis.inverse);
        let s = clamp((bb * across - c) / aa);
        let on_link = V3::select(segments, p + link.scaled(s), q) - axis.a;
        let away = on_link - axis.along.scaled(across);
        Nearest { along: L::select(segments, s, one), across, away }
    }

    /// A contact between the last pose of link and collider and this one, for pairs that move so far against each other
    /// that they could pass through; its depth is that behind its normal now.
    #[inline(always)]
    fn swept(
        &self,
        reach: &Reach<L>,
        collider: &PlacedCollider,
        own: L,
        takes: L::Mask,
    ) -> Option<Crossing<L>> {
        let (zero, one) = (own.of(0.0), own.of(1.0));
        let moved = reach.moved_square().sqrt()
            + L::select(self.jumped, zero, own.of(collider.moved_square.sqrt()));
        let step = least_step(own);
        let fast = takes & step.lt(moved);
        if !L::any(fast) {
            return None;
        }
        let n_tests = (moved / step).at_most(own.of(MOST_TESTS));
        let now = collider.now.lanes(own);
        let [a_before, along_before] = collider.before.map(|v| V3::of(own, v));
        let a_before = V3::select(self.jumped, now.a, a_before);
        let along_before = V3::select(self.jumped, now.along, along_before);
        let none = V3::of(own, Vec3::ZERO);
        let mut found = Crossing { normal: none, depth: zero, lever: one, hit: zero.lt(zero) };
        for k in 1..MOST_TESTS as usize {
            let t = own.of(k as f32) / n_tests;
            let open = fast & t.lt(one);
            if !L::any(open) {
                break;
            }
            let head = reach.head_before.lerp(reach.head, t);
            let end = reach.end_before.lerp(reach.end, t);
            let axis = AxisLanes::new(a_before.lerp(now.a, t), along_before.lerp(now.along, t));
            let then = self.nearest(head, end, &axis);
            let square = then.away.square();
            let is_first = L::select(found.hit, zero, one);
            let hit = open
                & square.lt(own * own)
                & own.of(NOT_OWN).lt(then.along)
                & own.of(1e-20).lt(square)
                & is_first.is_set();
            if !L::any(hit) {
                continue;
            }
            let n = then.away.unit_or(own.of(1e-20), none);
            // The same two points as they stand now: what is on the wrong side of the normal has passed through.
            let on_link = reach.head + (reach.end - reach.head).scaled(then.along);
            let on_axis = now.a + now.along.scaled(then.across);
            let behind = own - (on_link - on_axis).dot(n);
            let hit = hit & zero.lt(behind);
            found.normal = V3::select(hit, n, found.normal);
            found.depth = L::select(hit, behind, found.depth);
            found.lever = L::select(hit, then.along, found.lever);
            found.hit = found.hit | hit;
        }
        L::any(found.hit).then_some(found)
    }
}

/// How far a pair that keeps the distance `own` may move against each other before it is tested between poses.
#[inline(always)]
fn least_step<L: Lanes>(own: L) -> L {
    (own * 0.5).at_least(own.of(1e-6))
}

/// The end alone is kept inside.
#[inline(always)]
fn inside<L: Lanes>(
    collider: &PlacedCollider,
    takes: L::Mask,
    reach: &Reach<L>,
) -> Option<Push<L>> {
    let like = reach.length;
    let away = away_from(reach.end, &collider.now);
    let depth = away.square().sqrt() - (-reach.radius + collider.radius_m);
    let hit = takes & like.of(0.0).lt(depth);
    let normal = -away.unit_or(like.of(1e-20), reach.direction);
    L::any(hit).then_some(Push { normal, by: depth, hit })
}

/// The end alone is kept on one side.
#[inline(always)]
fn plane<L: Lanes>(collider: &PlacedCollider, takes: L::Mask, reach: &Reach<L>) -> Option<Push<L>> {
    let like = reach.length;
    let normal = V3::of(like, collider.now.along);
    let depth = reach.radius - (reach.end - V3::of(like, collider.now.a)).dot(normal);
    let hit = takes & like.of(0.0).lt(depth);
    L::any(hit).then_some(Push { normal, by: depth, hit })
}

/// Moves the end out, brings it back to the link's length, and takes the inward velocity out.
#[inline(always)]
fn correct<L: Lanes>(reach: &mut Reach<L>, push: &Push<L>) {
    let zero = reach.length.of(0.0);
    let Push { normal, by, hit } = *push;
    let least = reach.length * 1e-6;
    let out = (reach.end - reach.head) + normal.scaled(by);
    let d = out.unit_or(least * least, reach.direction);
    let inward = reach.velocity.dot(normal).at_most(zero);
    let slid = reach.velocity - normal.scaled(inward);
    reach.direction = V3::select(hit, d, reach.direction);
    reach.end = V3::select(hit, reach.head + d.scaled(reach.length), reach.end);
    reach.velocity = V3::select(hit, slid, reach.velocity);
}
