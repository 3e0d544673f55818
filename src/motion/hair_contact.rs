//! Contacts of hair: a link, or its end, against capsules, insides and planes, also between two poses of both.
//!
//! Only the improved solver tests between poses, and more than once.
//!
//! Based on: spec 4.4, 8 (4.3); Ericson, Real-Time Collision Detection, 2005, 5.1.9 (closest points of two segments).

use super::hair::StrandLanes;
use super::lanes::{Lanes, V3};
use super::state::{ColliderKind, ColliderPose};

/// A collider as all lanes of a batch see it; those that do not meet it are masked out.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColliderLanes<L> {
    a: V3<L>,
    b: V3<L>,
    a_before: V3<L>,
    b_before: V3<L>,
    radius: L,
    /// How far it moved since the substep before, metres.
    motion: L,
    kind: ColliderKind,
    /// 1 in lanes whose strand meets it.
    meets: L,
}

impl<L: Lanes> ColliderLanes<L> {
    /// A collider that no lane meets yet.
    pub fn new() -> Self {
        let zero = L::zero();
        let at = V3::default();
        Self {
            a: at,
            b: at,
            a_before: at,
            b_before: at,
            radius: zero,
            motion: zero,
            kind: ColliderKind::Outside,
            meets: zero,
        }
    }

    /// Says whether one lane's strand meets it.
    pub fn set_meets(&mut self, lane: usize, meets: bool) {
        self.meets.set_lane(lane, f32::from(u8::from(meets)));
    }

    /// Moves it. One that is not finite is met by nobody in this substep.
    pub fn place(&mut self, before: &ColliderPose, now: &ColliderPose) {
        let splat = |v: glam::Vec3| V3::new(L::splat(v.x), L::splat(v.y), L::splat(v.z));
        let is_usable = before.is_finite() && now.is_finite();
        let moved = now.a.distance(before.a).max(now.b.distance(before.b));
        self.kind = if is_usable { now.kind } else { ColliderKind::None };
        (self.a, self.b) = (splat(now.a), splat(now.b));
        (self.a_before, self.b_before) = (splat(before.a), splat(before.b));
        self.radius = L::splat(now.radius_m);
        self.motion = L::splat(moved);
    }

    /// Says that for one lane it has been where it is: that lane's strand jumped there with it.
    pub fn set_still(&mut self, lane: usize, now: &ColliderPose) {
        self.a_before.set_lane(lane, now.a);
        self.b_before.set_lane(lane, now.b);
        self.motion.set_lane(lane, 0.0);
    }
}

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
}

impl<L: Lanes> Reach<L> {
    /// How far the link moved since the substep before, metres: the farther of its two ends.
    fn moved(&self) -> L {
        let way = |from: V3<L>, to: V3<L>| (to - from).dot(to - from);
        let head = way(self.head_before, self.head);
        way(self.end_before, self.end).at_least(head).sqrt()
    }
}

/// Where a link and a collider are nearest.
struct Nearest<L> {
    /// Place on the link, 0 to 1.
    along: L,
    /// Place on the collider's axis.
    across: L,
    /// From the collider to the link, not unit.
    away: V3<L>,
}

/// The least share of the link by which a contact turns it: near the head a push would turn it over.
const LEAST_LEVER: f32 = 0.25;
/// Contacts nearer to the head than this belong to the link above.
const NOT_OWN: f32 = 0.1;
/// Most tests between two poses.
const MOST_TESTS: f32 = 8.0;

/// What a collider does to a link: how deep it is in, the way out, the lever, and in which lanes.
struct Push<L: Lanes> {
    depth: L,
    normal: V3<L>,
    lever: L,
    hit: L::Mask,
}

/// Pushes the links out of all colliders once; says whether anything was met. Rounds after the first are for strands
/// of the improved solver alone.
#[inline(always)]
pub(super) fn push_out<L: Lanes>(
    strand: &StrandLanes<L>,
    colliders: &[ColliderLanes<L>],
    round: usize,
    reach: &mut Reach<L>,
) -> bool {
    let half = L::splat(0.5);
    let mut met = false;
    for collider in colliders {
        if collider.kind == ColliderKind::None {
            continue;
        }
        let mut takes = half.lt(collider.meets);
        if round > 0 {
            takes = takes & strand.rebounds.lt(half);
        }
        if !L::any(takes) {
            continue;
        }
        let push = match collider.kind {
            ColliderKind::Outside => outside(strand, collider, round, takes, reach),
            ColliderKind::Inside => Some(inside(collider, takes, reach)),
            ColliderKind::Plane | ColliderKind::None => Some(plane(collider, takes, reach)),
        };
        if let Some(push) = push.filter(|push| L::any(push.hit)) {
            met = true;
            correct(reach, push.hit, push.normal, push.depth / push.lever);
        }
    }
    met
}

/// `None` where no lane is met: most colliders, in most substeps, so that what to do about it is worked out only then.
#[inline(always)]
fn outside<L: Lanes>(
    strand: &StrandLanes<L>,
    collider: &ColliderLanes<L>,
    round: usize,
    takes: L::Mask,
    reach: &Reach<L>,
) -> Option<Push<L>> {
    let half = L::splat(0.5);
    let segments = half.lt(strand.segments);
    let any_segment = L::any(segments);
    let own = collider.radius + reach.radius;
    let now = nearest(reach.head, reach.end, collider.a, collider.b, any_segment, segments);
    let square = now.away.dot(now.away);
    let hit = takes & square.lt(own * own) & L::splat(NOT_OWN).lt(now.along);
    let sweeps = takes & strand.rebounds.lt(half);
    let crossed = match round {
        0 => swept(reach, collider, own, (any_segment, segments), sweeps),
        _ => None,
    };
    if crossed.is_none() && !L::any(hit) {
        return None;
    }
    let mut push = Push {
        depth: own - square.sqrt(),
        normal: now.away.unit_or(L::splat(1e-20), V3::default() - reach.direction),
        lever: now.along,
        hit,
    };
    if let Some((mask, normal, depth, along)) = crossed {
        push.hit = push.hit | mask;
        push.normal = V3::select(mask, normal, push.normal);
        push.depth = L::select(mask, depth, push.depth);
        push.lever = L::select(mask, along, push.lever);
    }
    push.lever = push.lever.at_least(L::splat(LEAST_LEVER));
    Some(push)
}

/// The end alone is kept inside.
#[inline(always)]
fn inside<L: Lanes>(collider: &ColliderLanes<L>, takes: L::Mask, reach: &Reach<L>) -> Push<L> {
    let now = nearest(reach.end, reach.end, collider.a, collider.b, false, takes);
    let depth = now.away.dot(now.away).sqrt() - (collider.radius - reach.radius);
    let normal = V3::default() - now.away.unit_or(L::splat(1e-20), reach.direction);
    Push { depth, normal, lever: L::one(), hit: takes & L::zero().lt(depth) }
}

/// The end alone is kept on one side.
#[inline(always)]
fn plane<L: Lanes>(collider: &ColliderLanes<L>, takes: L::Mask, reach: &Reach<L>) -> Push<L> {
    let normal = collider.b - collider.a;
    let depth = reach.radius - (reach.end - collider.a).dot(normal);
    Push { depth, normal, lever: L::one(), hit: takes & L::zero().lt(depth) }
}

/// Moves the end along `normal`, brings it back to the link's length, and takes the inward velocity out.
#[inline(always)]
fn correct<L: Lanes>(reach: &mut Reach<L>, hit: L::Mask, normal: V3<L>, by: L) {
    let least = reach.length * L::splat(1e-6);
    let out = reach.end + normal.scaled(by) - reach.head;
    let d = out.unit_or(least * least, reach.direction);
    let inward = reach.velocity.dot(normal).at_most(L::zero());
    let slid = reach.velocity - normal.scaled(inward);
    reach.direction = V3::select(hit, d, reach.direction);
    reach.end = V3::select(hit, reach.head + d.scaled(reach.length), reach.end);
    reach.velocity = V3::select(hit, slid, reach.velocity);
}

/// Nearest points of the link `p`→`q` (of its end `q` alone where `segments` is unset) and the axis `a`→`b`.
#[inline(always)]
fn nearest<L: Lanes>(
    p: V3<L>,
    q: V3<L>,
    a: V3<L>,
    b: V3<L>,
    any_segment: bool,
    segments: L::Mask,
) -> Nearest<L> {
    let (zero, one) = (L::zero(), L::one());
    let tiny = L::splat(1e-12);
    let clamp = |x: L| x.at_least(zero).at_most(one);
    let axis = b - a;
    let e = axis.dot(axis);
    let along_axis =
        |to: V3<L>| L::select(tiny.lt(e), clamp((to - a).dot(axis) / e.at_least(tiny)), zero);
    if !any_segment {
        let across = along_axis(q);
        return Nearest { along: one, across, away: q - (a + axis.scaled(across)) };
    }
    let link = q - p;
    let r = p - a;
    let aa = link.dot(link).at_least(tiny);
    let (bb, c, f) = (link.dot(axis), link.dot(r), axis.dot(r));
    let den = aa * e - bb * bb;
    // Parallel: the end is as near as any point.
    let s = L::select(tiny.lt(den), clamp((bb * f - c * e) / den.at_least(tiny)), one);
    let s = L::select(segments, s, one);
    let across = along_axis(V3::select(segments, p + link.scaled(s), q));
    let s = L::select(segments, clamp((bb * across - c) / aa), one);
    let at = V3::select(segments, p + link.scaled(s), q);
    Nearest { along: s, across, away: at - (a + axis.scaled(across)) }
}

/// A contact between the last pose of link and collider and this one, for pairs that move so far against each other
/// that they could pass through: mask, normal, depth behind that normal now, place on the link.
#[inline(always)]
fn swept<L: Lanes>(
    reach: &Reach<L>,
    collider: &ColliderLanes<L>,
    own: L,
    (any_segment, segments): (bool, L::Mask),
    takes: L::Mask,
) -> Option<(L::Mask, V3<L>, L, L)> {
    let moved = reach.moved() + collider.motion;
    let step = (own * L::splat(0.5)).at_least(L::splat(1e-6));
    let fast = takes & step.lt(moved);
    if !L::any(fast) {
        return None;
    }
    let n_tests = (moved / step).at_most(L::splat(MOST_TESTS));
    let zero = L::zero();
    let mut found = zero.lt(zero);
    let (mut normal, mut depth, mut along) = (V3::default(), zero, L::one());
    for k in 1..MOST_TESTS as usize {
        let t = L::splat(k as f32) / n_tests;
        let open = fast & t.lt(L::one());
        if !L::any(open) {
            break;
        }
        let at = |from: V3<L>, to: V3<L>| from + (to - from).scaled(t);
        let head = at(reach.head_before, reach.head);
        let end = at(reach.end_before, reach.end);
        let (a, b) = (at(collider.a_before, collider.a), at(collider.b_before, collider.b));
        let then = nearest(head, end, a, b, any_segment, segments);
        let square = then.away.dot(then.away);
        let first = L::select(found, zero, L::one());
        let hit = open
            & square.lt(own * own)
            & L::splat(NOT_OWN).lt(then.along)
            & L::splat(1e-20).lt(square)
            & L::splat(0.5).lt(first);
        if !L::any(hit) {
            continue;
        }
        let n = then.away.unit_or(L::splat(1e-20), V3::default());
        // The same two points as they stand now: what is on the wrong side of the normal has passed through.
        let on_link = reach.head + (reach.end - reach.head).scaled(then.along);
        let on_axis = collider.a + (collider.b - collider.a).scaled(then.across);
        let behind = own - (on_link - on_axis).dot(n);
        let hit = hit & zero.lt(behind);
        normal = V3::select(hit, n, normal);
        depth = L::select(hit, behind, depth);
        along = L::select(hit, then.along, along);
        found = found | hit;
    }
    L::any(found).then_some((found, normal, depth, along))
}
