//! Contacts of hair: a link, or its end, against capsules, insides and planes, also between two poses of both.
//!
//! Only the improved solver tests between poses, and more than once. Most colliders are met by no link: those that a
//! link cannot reach by however much the others push it are found first, and tested no further. That changes no result.
//!
//! Based on: spec 4.4, 8 (4.3); Ericson, Real-Time Collision Detection, 2005, 5.1.9 (closest points of two segments).

use glam::Vec3;

use super::hair::StrandLanes;
use super::hair_collider::{
    AxisLanes, Met, Nearby, Nearest, PlacedCollider, TINY, away_from, clamp, nearest_to_point,
};
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
    /// At least how far it was pushed since it was found out what is near, metres.
    pub travel: L,
}

impl<L: Lanes> Reach<L> {
    /// How far the link moved since the substep before, metres: the farther of its two ends.
    #[inline(always)]
    fn moved(&self) -> L {
        let head = (self.head - self.head_before).square();
        (self.end - self.end_before).square().at_least(head).sqrt()
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
/// What is farther than this share of a link's length is not near it.
const MARGIN: f32 = 0.1;
/// A link that was pushed by more than this share of its length may be near to others; less than the margin, for rounding.
const STALE: f32 = 0.08;

/// What a collider does to a link: how deep it is in, the way out, the lever, and in which lanes.
struct Push<L: Lanes> {
    depth: L,
    normal: V3<L>,
    lever: L,
    hit: L::Mask,
}

/// What the strands of a batch meet in one substep.
pub(super) struct Contacts<'a, L: Lanes> {
    met: &'a [Met<L>],
    placed: &'a [PlacedCollider],
    near: &'a mut Nearby,
    /// Lanes that are where they are by a jump: no collider passed them on the way.
    jumped: L::Mask,
    /// Lanes that test whole links; `None` where none does.
    segments: Option<L::Mask>,
    /// Lanes of the improved solver.
    improved: L::Mask,
    any_improved: bool,
    /// Whether any lane's link moves far enough to be tested between poses with any of them.
    any_fast: bool,
    /// A point that moves less than this is tested between poses with none of them, metres.
    slow_m: f32,
}

impl<'a, L: Lanes> Contacts<'a, L> {
    /// `jumped` is 1 in lanes that are where they are by a jump.
    #[inline(always)]
    pub fn new(
        strand: &StrandLanes<L>,
        (met, near): (&'a [Met<L>], &'a mut Nearby),
        placed: &'a [PlacedCollider],
        jumped: L,
    ) -> Self {
        let segments = strand.segments.is_set();
        let improved = strand.rebounds.lt(jumped.of(0.5));
        near.place(met, placed);
        let slow = |met: &Met<L>| placed.get(met.at).map(PlacedCollider::slow_m);
        Self {
            met,
            near,
            placed,
            slow_m: met.iter().filter_map(slow).fold(f32::INFINITY, f32::min),
            jumped: jumped.is_set(),
            segments: L::any(segments).then_some(segments),
            improved,
            any_improved: L::any(improved),
            any_fast: false,
        }
    }

    /// Pushes the links out of all colliders.
    #[inline(always)]
    pub fn resolve(&mut self, reach: &mut Reach<L>) {
        if self.met.is_empty() {
            return;
        }
        let rounds = if self.any_improved { ROUNDS } else { 1 };
        let mut is_stale = true;
        for round in 0..rounds {
            let mut was_met = false;
            let (mut i, mut next) = (0, 0);
            loop {
                if is_stale {
                    self.find_near(reach);
                    i = self.near.list.iter().take_while(|at| **at < next).count();
                    is_stale = false;
                }
                let Some(&at) = self.near.list.get(i) else { break };
                (i, next) = (i + 1, at + 1);
                if let Some(push) = self.push(at, round, reach) {
                    was_met = true;
                    correct(reach, &push);
                    is_stale = L::any((reach.length * STALE).lt(reach.travel));
                }
            }
            if !was_met {
                return;
            }
        }
    }

    /// Finds the colliders that any lane's link could meet before it is pushed by more than the margin.
    #[inline(always)]
    fn find_near(&mut self, reach: &mut Reach<L>) {
        let zero = reach.length.of(0.0);
        reach.travel = zero;
        let half = match self.segments {
            Some(segments) => L::select(segments, reach.length * 0.5, zero),
            None => zero,
        };
        let middle = reach.end - reach.direction.scaled(half);
        let margin = reach.length * MARGIN;
        let around = half + reach.radius + margin;
        self.near.test(middle, around);
        // How far the links may move against a collider of no radius before they are tested between poses.
        let moved = reach.moved() + margin - reach.radius * 0.5;
        self.any_fast =
            self.any_improved && L::any(moved.of(self.slow_m).lt(moved) & self.improved);
        self.near.list.clear();
        for (at, met) in self.met.iter().enumerate() {
            let is_near = self.near.is_near[at] && self.is_near(met, middle, around);
            if is_near || self.any_fast && self.is_fast(met, moved) {
                self.near.list.push(at);
            }
        }
    }

    /// Whether a collider, the ball around which is near, is so itself.
    #[inline(always)]
    fn is_near(&self, met: &Met<L>, middle: V3<L>, around: L) -> bool {
        let Some(collider) = self.placed.get(met.at) else { return false };
        if collider.kind != ColliderKind::Outside || collider.now.inverse == 0.0 {
            return true;
        }
        let own = around + collider.radius_m;
        L::any(away_from(middle, &collider.now).square().lt(own * own) & met.meets.is_set())
    }

    /// Whether links that move so far are tested between poses with a collider.
    #[inline(always)]
    fn is_fast(&self, met: &Met<L>, moved: L) -> bool {
        let slow_m = self.placed.get(met.at).map_or(f32::INFINITY, PlacedCollider::slow_m);
        L::any(moved.of(slow_m).lt(moved) & self.improved & met.meets.is_set())
    }

    /// What one collider does to the links; `None` where no lane is met. Rounds after the first are for strands of the
    /// improved solver alone.
    #[inline(always)]
    fn push(&self, at: usize, round: usize, reach: &Reach<L>) -> Option<Push<L>> {
        let met = &self.met[at];
        let collider = self.placed.get(met.at)?;
        let meets = met.meets.is_set();
        let takes = if round > 0 { meets & self.improved } else { meets };
        match collider.kind {
            ColliderKind::Outside => self.outside(collider, round, takes, reach),
            ColliderKind::Inside => inside(collider, takes, reach),
            ColliderKind::Plane => plane(collider, takes, reach),
            ColliderKind::None => None,
        }
    }

    #[inline(always)]
    fn outside(
        &self,
        collider: &PlacedCollider,
        round: usize,
        takes: L::Mask,
        reach: &Reach<L>,
    ) -> Option<Push<L>> {
        let like = reach.length;
        let own = reach.radius + collider.radius_m;
        let now = match self.segments {
            Some(_) => self.nearest(reach.head, reach.end, &collider.now.lanes(like)),
            None => {
                let away = away_from(reach.end, &collider.now);
                Nearest { along: like.of(1.0), across: like.of(0.0), away }
            }
        };
        let square = now.away.square();
        let touch = if round > 0 { own * (1.0 - IS_OUT) } else { own };
        let hit = takes & square.lt(touch * touch) & like.of(NOT_OWN).lt(now.along);
        let crossed = match round {
            0 if self.any_fast => self.swept(reach, collider, own, takes & self.improved),
            _ => None,
        };
        if crossed.is_none() && !L::any(hit) {
            return None;
        }
        let distance = square.sqrt();
        let normal = now.away.scaled(like.of(1.0) / distance);
        let normal = V3::select(square.lt(like.of(1e-20)), -reach.direction, normal);
        let mut push = Push { depth: own - distance, normal, lever: now.along, hit };
        if let Some(crossed) = crossed {
            push.hit = push.hit | crossed.hit;
            push.normal = V3::select(crossed.hit, crossed.normal, push.normal);
            push.depth = L::select(crossed.hit, crossed.depth, push.depth);
            push.lever = L::select(crossed.hit, crossed.lever, push.lever);
        }
        push.lever = push.lever.at_least(like.of(LEAST_LEVER));
        Some(push)
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
    ) -> Option<Push<L>> {
        let (zero, one) = (own.of(0.0), own.of(1.0));
        let moved = reach.moved() + L::select(self.jumped, zero, own.of(collider.motion_m));
        let step = least_step(own);
        let fast = takes & step.lt(moved);
        if !L::any(fast) {
            return None;
        }
        let n_tests = (moved / step).at_most(own.of(MOST_TESTS));
        let now = collider.now.lanes(own);
        let before = collider.before.lanes(own);
        let a_before = V3::select(self.jumped, now.a, before.a);
        let along_before = V3::select(self.jumped, now.along, before.along);
        let none = V3::of(own, Vec3::ZERO);
        let mut found = Push { depth: zero, normal: none, lever: one, hit: zero.lt(zero) };
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
    L::any(hit).then_some(Push { depth, normal, lever: like.of(1.0), hit })
}

/// The end alone is kept on one side.
#[inline(always)]
fn plane<L: Lanes>(collider: &PlacedCollider, takes: L::Mask, reach: &Reach<L>) -> Option<Push<L>> {
    let like = reach.length;
    let normal = V3::of(like, collider.now.along);
    let depth = reach.radius - (reach.end - V3::of(like, collider.now.a)).dot(normal);
    let hit = takes & like.of(0.0).lt(depth);
    L::any(hit).then_some(Push { depth, normal, lever: like.of(1.0), hit })
}

/// Moves the end out, brings it back to the link's length, and takes the inward velocity out.
#[inline(always)]
fn correct<L: Lanes>(reach: &mut Reach<L>, push: &Push<L>) {
    let zero = reach.length.of(0.0);
    let (hit, normal, by) = (push.hit, push.normal, push.depth / push.lever);
    let least = reach.length * 1e-6;
    let out = (reach.end - reach.head) + normal.scaled(by);
    let d = out.unit_or(least * least, reach.direction);
    let inward = reach.velocity.dot(normal).at_most(zero);
    let slid = reach.velocity - normal.scaled(inward);
    reach.direction = V3::select(hit, d, reach.direction);
    reach.end = V3::select(hit, reach.head + d.scaled(reach.length), reach.end);
    reach.velocity = V3::select(hit, slid, reach.velocity);
    // Out by as much, and back to its length by no more.
    reach.travel = reach.travel + L::select(hit, by + by, zero);
}
