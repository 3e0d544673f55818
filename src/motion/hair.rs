//! One substep of a batch of hair strands: spring, rope, contacts; the improved solver, the earlier one and the
//! published VRM algorithm by the same steps.
//!
//! In body axes (see `kernel`) the authored accumulated rotation R_H R_i⁰ applied to the authored direction is F a_i, F
//! being the anchor's turn from bind: nothing but the tail's own `frame` and `authored`. So the improved target is
//! o_i + F a_i L_i, and the earlier one, which aims from the parent as it is bent now, is o_i + G_i a_i L_i. What the
//! joint shows is G_i⁻¹ G_{i+1} with G_{i+1} = B swing(a_i, B⁻¹ d_i), B being the frame the aim came from: twist comes from
//! the attachment.
//!
//! All three rules are
//!
//! ```text
//! u = keep v + pull (r - x) + push d_rest + fall        y = x + h u        x̂ = o + L (y - o) / |y - o|
//! ```
//!
//! What comes out of it is worked out as y - o = (1 - h pull) (x - o) + h (keep v + (pull L + push) d_rest + fall): of the
//! link before only its end o is waited for, and for that three operations before the root.
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

use glam::Vec3;

use super::hair_contact::{Contacts, Reach};
use super::hair_near::NearList;
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

impl<L: Lanes> StrandLanes<L> {
    /// Strands that do nothing.
    pub fn new(zero: L) -> Self {
        let one = zero.of(1.0);
        Self {
            bends: ChainLanes::new(zero),
            is_bound: zero,
            rate: one,
            holds_arc: one,
            rebounds: zero,
            keeps_radial: zero,
            segments: zero,
            any_tied: false,
            head_before: V3::of(zero, Vec3::ZERO),
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
    /// 1 - h pull (see the table above).
    pub stay: L,
    /// h keep, seconds.
    pub keep: L,
    /// h pull.
    pub pull: L,
    /// h push, metres.
    pub push: L,
    /// h fall, metres.
    pub fall: V3<L>,
    /// r_h, metres.
    pub radius: L,
    /// Acceleration by ties to neighbours in this substep.
    pub tied: V3<L>,
    /// 1 where a next link exists.
    pub has_next: L,
}

impl<L: Lanes> HairLanes<L> {
    /// Links that do not exist.
    pub fn new(zero: L) -> Self {
        let none = V3::of(zero, Vec3::ZERO);
        Self {
            exists: zero,
            // Short, so that idle lanes are near to nothing.
            length: zero.of(1e-3),
            rest: V3::of(zero, Vec3::NEG_Y),
            stay: zero.of(1.0),
            keep: zero,
            pull: zero,
            push: zero,
            fall: none,
            radius: zero,
            tied: none,
            has_next: zero,
        }
    }
}

/// Where a strand has got to, root to tip.
struct Walk<L: Lanes> {
    /// From body axes to the world, as bent so far; kept only where it is asked for.
    g: Q4<L>,
    /// How the link before is turned, from where it aimed.
    turned: Q4<L>,
    head: V3<L>,
    head_before: V3<L>,
    /// Bend of the link before, as it was in the last substep.
    bend_before: Q4<L>,
}

/// What the lanes of a batch do at all, so that what none does is not worked out.
struct Which<M> {
    holds_arc: M,
    all_hold_arc: bool,
    bound: M,
    any_bound: bool,
    /// Whether the frames of links are asked for on the way.
    needs_frames: bool,
    rebounds: M,
    any_rebounds: bool,
    published: M,
    any_published: bool,
}

impl<M: Copy> Which<M> {
    #[inline(always)]
    fn of<L: Lanes<Mask = M>>(strand: &StrandLanes<L>) -> Self {
        let (bound, rebounds) = (strand.is_bound.is_set(), strand.rebounds.is_set());
        let published = strand.keeps_radial.is_set();
        let all_hold_arc = !L::any(strand.holds_arc.lt(strand.holds_arc.of(0.5)));
        let any_bound = L::any(bound);
        Self {
            holds_arc: strand.holds_arc.is_set(),
            all_hold_arc,
            bound,
            any_bound,
            needs_frames: any_bound || !all_hold_arc,
            rebounds,
            any_rebounds: L::any(rebounds),
            published,
            any_published: L::any(published),
        }
    }
}

/// Advances the strands by one substep. Lanes whose mask comes back unset have a number that is not finite.
#[inline(always)]
pub(super) fn substep<L: Lanes>(
    strand: &StrandLanes<L>,
    links: &[HairLanes<L>],
    drive: &Drive<L>,
    (contacts, near): (&Contacts<'_, L>, &mut [NearList<L>]),
    state: &mut [LinkState<L>],
) -> L::Mask {
    let zero = strand.rate.of(0.0);
    let which = Which::of(strand);
    let mut walk = Walk {
        g: drive.frame,
        turned: Q4::identity(zero),
        head: drive.head,
        head_before: strand.head_before,
        bend_before: Q4::identity(zero),
    };
    let mut check = zero;
    for i in 0..links.len().min(state.len()).min(near.len()) {
        let link = &links[i];
        let after = state.get(i + 1).map_or(walk.bend_before, |next| next.q);
        let s = &mut state[i];
        // Who holds the arc need not wait for the link before.
        let base = match which.all_hold_arc {
            true => drive.frame,
            false => Q4::select(which.holds_arc, drive.frame, walk.g),
        };
        let rest = base.rotate(link.rest);
        let length = link.length * drive.scale;
        let mut d = candidate(strand, link, (rest, length), &walk, s);
        if which.any_bound {
            d = held(strand, link, after, (d, which.bound), &mut walk, s);
        }
        let own = if which.any_published {
            let off = s.p - walk.head;
            L::select(which.published, off.square().sqrt(), length)
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
            exists: link.exists,
        };
        contacts.resolve(&mut near[i], &mut reach);
        store(strand, &which, &reach, length, &mut walk, s);
        if which.needs_frames {
            show(&which, (link.rest, base), &mut walk, s);
            walk.g = base * walk.turned;
        }
        check = check + (s.p.x + s.p.y + s.p.z + s.v.x + s.v.y + s.v.z) * link.exists;
    }
    if !which.needs_frames {
        // Nothing above waits for what the joints show.
        for (link, s) in links.iter().zip(state) {
            show(&which, (link.rest, drive.frame), &mut walk, s);
        }
    }
    check.abs().lt(check.of(f32::MAX))
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
    let mut drift =
        s.v.scaled(link.keep) + (rest.scaled(link.pull * length + link.push) + link.fall);
    if strand.any_tied {
        drift = drift + link.tied.scaled(link.keep * strand.bends.step);
    }
    let rope = (s.tail - walk.head).scaled(link.stay) + drift;
    let least = length * 1e-6;
    rope.unit_or(least * least, rest)
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
    let after = Q4::select(link.has_next.is_set(), after, before);
    let neighbours = Q4::half_slerp(before, after);
    walk.bend_before = s.q;
    let q =
        bend(&strand.bends, link.rest, walk.g.rotate_back(d), neighbours, link.length.of(1.0)).0;
    s.q = Q4::select(bound, q, s.q);
    V3::select(bound, walk.g.rotate(s.q.rotate(link.rest)), d)
}

/// Keeps the link's new place and its velocity, and goes on to the next.
#[inline(always)]
fn store<L: Lanes>(
    strand: &StrandLanes<L>,
    which: &Which<L::Mask>,
    reach: &Reach<L>,
    length: L,
    walk: &mut Walk<L>,
    s: &mut LinkState<L>,
) {
    walk.head_before = s.p;
    s.v = reach.velocity.across(reach.direction);
    s.p = reach.end;
    s.d = reach.direction;
    if which.any_rebounds {
        let moved = (reach.end - s.tail).scaled(strand.rate);
        let across = V3::select(which.published, moved, moved.across(reach.direction));
        s.v = V3::select(which.rebounds, across, s.v);
        s.p = V3::select(which.published, walk.head + s.d.scaled(length), s.p);
    }
    s.tail = reach.end;
    walk.head = s.p;
}

/// What the joint of a link shows that aimed along `aim` in the frame `base`: how it is turned, less how the link before is
/// where both aim from one frame. Frames are made anew from the anchor's in every substep: they stay unit to rounding.
#[inline(always)]
fn show<L: Lanes>(
    which: &Which<L::Mask>,
    (aim, base): (V3<L>, Q4<L>),
    walk: &mut Walk<L>,
    s: &mut LinkState<L>,
) {
    let turned = Q4::swing(aim, base.rotate_back(s.d));
    let own = walk.turned.conjugate() * turned;
    s.shown = if which.all_hold_arc { own } else { Q4::select(which.holds_arc, own, turned) };
    walk.turned = turned;
}
