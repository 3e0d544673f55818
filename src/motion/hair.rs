//! One substep of a batch of hair strands: spring, rope, contacts; the improved solver, the earlier one and the
//! published VRM algorithm by the same steps.
//!
//! In body axes (see `kernel`) the authored accumulated rotation R_H R_i⁰ applied to the authored direction is F a_i, F
//! being the anchor's turn from bind: nothing but the tail's own `frame` and `authored`. So the improved target is
//! o_i + F a_i L_i, and the earlier one, which aims from the parent as it is bent now, is o_i + G_i a_i L_i. What the
//! joint shows is G_i⁻¹ G_{i+1} with G_{i+1} = swing(aim, d) times the frame the aim came from: twist comes from the
//! attachment.
//!
//! All three rules are
//!
//! ```text
//! u = keep v + pull (r - x) + push d_rest + fall        y = x + h u        x̂ = o + L (y - o) / |y - o|
//! ```
//!
//! | | keep | pull | push | fall | aim | v after |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | improved | e^(-c h) | keep k h | 0 | keep g h | F a | v*, inward and radial part taken out |
//! | earlier | e^(-c h) | keep k h | 0 | keep g h | G a | (x - x_before) / h, radial part taken out |
//! | VRM | 1 - drag | 0 | stiffness | gravity | G a | (x - x_before) / h |
//!
//! The published implementation measures a link's length from its head, moved already, to its end, not moved yet. What it
//! keeps as the end's place is therefore nearer or farther than the end that it shows; the VRM rule does the same
//! (`tail`), or nothing would come out alike.
//!
//! Based on: spec 4.2, 4.4, 8 (4.3); @pixiv/three-vrm-springbone.

use super::hair_contact::{ColliderLanes, Reach, push_out};
use super::kernel::{ChainLanes, Drive, LinkState, bend};
use super::lanes::{Lanes, Q4, V3};

/// Numbers of a batch that hold for all links of a strand.
#[derive(Clone, Debug)]
pub(super) struct StrandLanes<L> {
    /// Coupling and bend limit, as tails have them.
    pub bends: ChainLanes<L>,
    /// 1 where a bend limit or coupling is on.
    pub is_bound: L,
    /// 1 / h.
    pub rate: L,
    /// 1 where the aim comes from the attachment, 0 where it comes from the bent parent.
    pub holds_arc: L,
    /// 1 where corrections become velocity.
    pub rebounds: L,
    /// 1 where the velocity along the link stays.
    pub keeps_radial: L,
    /// 1 where whole links are tested.
    pub segments: L,
    /// Whether any link of the batch is tied to a neighbour.
    pub any_tied: bool,
    /// Where the first links' heads were in the substep before.
    pub head_before: V3<L>,
}

impl<L: Lanes> Default for StrandLanes<L> {
    fn default() -> Self {
        let (zero, one) = (L::zero(), L::one());
        Self {
            bends: ChainLanes::default(),
            is_bound: zero,
            rate: one,
            holds_arc: one,
            rebounds: zero,
            keeps_radial: zero,
            segments: zero,
            any_tied: false,
            head_before: V3::default(),
        }
    }
}

/// Numbers of one link in each strand of a batch.
#[derive(Clone, Debug)]
pub(super) struct HairLanes<L> {
    /// 1 for a link that exists.
    pub exists: L,
    /// Neutral length, metres.
    pub length: L,
    /// a_i: authored direction in body axes, unit.
    pub rest: V3<L>,
    /// See the table above.
    pub keep: L,
    /// See the table above.
    pub pull: L,
    /// See the table above.
    pub push: L,
    /// See the table above.
    pub fall: V3<L>,
    /// r_h, metres.
    pub radius: L,
    /// Acceleration by ties to neighbours in this substep.
    pub tied: V3<L>,
    /// 1 where a next link exists.
    pub has_next: L,
}

impl<L: Lanes> Default for HairLanes<L> {
    fn default() -> Self {
        let (zero, one) = (L::zero(), L::one());
        Self {
            exists: zero,
            length: one,
            rest: V3::new(zero, -one, zero),
            keep: zero,
            pull: zero,
            push: zero,
            fall: V3::default(),
            radius: zero,
            tied: V3::default(),
            has_next: zero,
        }
    }
}

/// Rounds of pushing out: contacts undo each other's work.
const ROUNDS: usize = 4;

/// Where a strand has got to, root to tip.
struct Walk<L: Lanes> {
    /// From body axes to the world, as bent so far.
    g: Q4<L>,
    head: V3<L>,
    head_before: V3<L>,
    /// Bend of the link before, as it was in the last substep.
    bend_before: Q4<L>,
}

/// What the lanes of a batch do at all, so that what none does is not worked out.
#[derive(Clone, Copy)]
struct Which<M> {
    holds_arc: M,
    bound: M,
    any_bound: bool,
    published: M,
    any_published: bool,
}

/// Advances the strands by one substep. Lanes whose mask comes back unset have a number that is not finite.
#[inline(always)]
pub(super) fn substep<L: Lanes>(
    strand: &StrandLanes<L>,
    links: &[HairLanes<L>],
    drive: &Drive<L>,
    colliders: &[ColliderLanes<L>],
    state: &mut [LinkState<L>],
) -> L::Mask {
    let half = L::splat(0.5);
    let (bound, published) = (half.lt(strand.is_bound), half.lt(strand.keeps_radial));
    let which = Which {
        holds_arc: half.lt(strand.holds_arc),
        bound,
        any_bound: L::any(bound),
        published,
        any_published: L::any(published),
    };
    let mut walk = Walk {
        g: drive.frame,
        head: drive.head,
        head_before: strand.head_before,
        bend_before: Q4::default(),
    };
    let mut check = L::zero();
    for i in 0..links.len().min(state.len()) {
        let link = &links[i];
        let after = state.get(i + 1).map_or(walk.bend_before, |next| next.q);
        let s = &mut state[i];
        let base = Q4::select(which.holds_arc, drive.frame, walk.g);
        let rest = base.rotate(link.rest);
        let length = link.length * drive.scale;
        let mut d = candidate(strand, link, (rest, length), &walk, s);
        if which.any_bound {
            d = held(strand, link, after, (d, which.bound), &mut walk, s);
        }
        let own = if which.any_published {
            let off = s.p - walk.head;
            L::select(which.published, off.dot(off).sqrt(), length)
        } else {
            length
        };
        let end = walk.head + d.scaled(own);
        let mut reach = Reach {
            head: walk.head,
            head_before: walk.head_before,
            end,
            end_before: s.p,
            direction: d,
            length: own,
            radius: link.radius,
            velocity: (end - s.tail).scaled(strand.rate),
        };
        for round in 0..ROUNDS {
            if !push_out(strand, colliders, round, &mut reach) {
                break;
            }
        }
        store(strand, &reach, (rest, base, length), &mut walk, s);
        check = check + (s.p.x + s.p.y + s.p.z + s.v.x + s.v.y + s.v.z) * link.exists;
    }
    check.lt(L::splat(f32::MAX)) & L::splat(f32::MIN).lt(check)
}

/// Spring and gravity move the end freely; the rope gives back a direction.
#[inline(always)]
fn candidate<L: Lanes>(
    strand: &StrandLanes<L>,
    link: &HairLanes<L>,
    (rest, length): (V3<L>, L),
    walk: &Walk<L>,
    s: &LinkState<L>,
) -> V3<L> {
    let mut u = s.v.scaled(link.keep)
        + (walk.head + rest.scaled(length) - s.tail).scaled(link.pull)
        + rest.scaled(link.push)
        + link.fall;
    if strand.any_tied {
        u = u + link.tied.scaled(link.keep * strand.bends.step);
    }
    let y = s.tail + u.scaled(strand.bends.step);
    let least = length * L::splat(1e-6);
    (y - walk.head).unit_or(least * least, rest)
}

/// The direction evened out with its neighbours' bends and limited, as tails are, in lanes that ask for it.
///
/// A bend is a joint's own: away from where the parent, as it is bent now, would carry the authored direction. Away from
/// the arc in the attachment's frame the first link's would be the least and the tip's the sum of all, and a limit would
/// say nothing about how sharply the skin is folded anywhere.
#[inline(always)]
fn held<L: Lanes>(
    strand: &StrandLanes<L>,
    link: &HairLanes<L>,
    after: Q4<L>,
    (d, bound): (V3<L>, L::Mask),
    walk: &mut Walk<L>,
    s: &mut LinkState<L>,
) -> V3<L> {
    let before = walk.bend_before;
    let after = Q4::select(L::splat(0.5).lt(link.has_next), after, before);
    let neighbours = Q4::half_slerp(before, after);
    walk.bend_before = s.q;
    let coupled = L::select(bound, L::one(), L::zero());
    let q = bend(&strand.bends, link.rest, walk.g.rotate_back(d), neighbours, coupled).0;
    s.q = Q4::select(bound, q, s.q);
    V3::select(bound, walk.g.rotate(s.q.rotate(link.rest)), d)
}

/// Keeps the link's new place, its velocity and what its joint shows, and goes on to the next.
#[inline(always)]
fn store<L: Lanes>(
    strand: &StrandLanes<L>,
    reach: &Reach<L>,
    (rest, base, length): (V3<L>, Q4<L>, L),
    walk: &mut Walk<L>,
    s: &mut LinkState<L>,
) {
    let half = L::splat(0.5);
    let moved = (reach.end - s.tail).scaled(strand.rate);
    let v = V3::select(half.lt(strand.rebounds), moved, reach.velocity);
    let across = v - reach.direction.scaled(v.dot(reach.direction));
    walk.head_before = s.p;
    s.v = V3::select(half.lt(strand.keeps_radial), v, across);
    s.tail = reach.end;
    s.p = walk.head + reach.direction.scaled(length);
    let next = Q4::swing(rest, reach.direction) * base;
    s.shown = next_from(walk.g, next);
    walk.g = walk.g * s.shown;
    walk.head = s.p;
}

/// g⁻¹ next, made unit: products of many frames would drift.
#[inline(always)]
fn next_from<L: Lanes>(g: Q4<L>, next: Q4<L>) -> Q4<L> {
    let back = Q4 { v: V3::default() - g.v, w: g.w };
    let q = back * next;
    q.scaled(L::one() / q.dot(q).sqrt())
}
