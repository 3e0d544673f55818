//! One substep of a batch of chains: spring, rope, coupling, limit, contacts.
//!
//! Everything is written in the *rest frame* of the body. With F the anchor's rotation from bind applied to the body
//! frame and A_i the rotation from the parent's corrected rest frame to body coordinates (spec 2.0), let
//! G_i = rot(parent's current world rotation) A_i⁻¹. Then G_0 = F, the rest direction in the world is G_i u_i, the bend
//! of spec 2.3 is q_i = A_i swing(r_i, d~_i) A_i⁻¹ = swing(u_i, G_i⁻¹ d_i), and G_{i+1} = G_i q_i. So the joints' own
//! axes appear nowhere in the motion; they return only in `local_i = A_i⁻¹ q_i A_{i+1}`.
//!
//! Based on: spec 2.0 to 2.6, 8 (4.1).

use glam::Vec3;

use super::contact::{self, Contact};
use super::lanes::{Lanes, Q4, V3};
use super::slerp::ShareSlerp;

/// Numbers of a batch that hold for all links of a chain.
#[derive(Clone, Debug)]
pub(super) struct ChainLanes<L> {
    /// h, seconds.
    pub step: L,
    /// Velocity that gravity gives in one substep, downward.
    pub fall: L,
    /// Coupling by α = 1 - exp(-k h).
    pub coupling: ShareSlerp<L>,
    /// cos and sin of half the bend limit.
    pub limit_cos: L,
    /// See `limit_cos`.
    pub limit_sin: L,
    /// exp(-γ h).
    pub slide: L,
    /// 1 / the height over the floor from which on coupling is whole, 1/m.
    pub lift_off: L,
    /// 1 where the keep-behind plane is on, else 0.
    pub plane: L,
    /// 1 where the floor is on, else 0.
    pub ground: L,
}

/// Numbers of one link in each chain of a batch.
#[derive(Clone, Debug)]
pub(super) struct LinkLanes<L> {
    /// 1 for a link that exists; 0 for the filling of shorter chains.
    pub exists: L,
    /// Neutral length, metres.
    pub length: L,
    /// Rest direction in body axes, unit.
    pub rest: V3<L>,
    /// ω² h.
    pub stiffness: L,
    /// 2 ζ ω h.
    pub drag: L,
    /// Height below which the end may not go, metres.
    pub floor: L,
    /// Thickness, metres: distance kept from capsules.
    pub radius: L,
    /// 1 where a next link exists.
    pub has_next: L,
    /// 1 where the link has a neighbour to be coupled with.
    pub is_coupled: L,
}

impl<L: Lanes> ChainLanes<L> {
    /// Chains that do nothing.
    pub fn new(zero: L) -> Self {
        Self {
            step: zero,
            fall: zero,
            coupling: ShareSlerp::new(zero),
            limit_cos: zero,
            limit_sin: zero,
            slide: zero,
            lift_off: zero,
            plane: zero,
            ground: zero,
        }
    }
}

impl<L: Lanes> LinkLanes<L> {
    /// Links that do not exist.
    pub fn new(zero: L) -> Self {
        Self {
            exists: zero,
            length: zero.of(1.0),
            rest: V3::of(zero, Vec3::NEG_Y),
            stiffness: zero,
            drag: zero,
            floor: zero.of(f32::MIN),
            radius: zero,
            has_next: zero,
            // Idle lanes do as the others mostly do.
            is_coupled: zero.of(1.0),
        }
    }
}

/// What persists of a link between substeps, and the bend its joint shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkState<L: Lanes> {
    /// End, world.
    pub p: V3<L>,
    /// Velocity, world.
    pub v: V3<L>,
    /// Where hair points, world, unit: known from the substep at hand to what is shown of it, and not kept.
    pub d: V3<L>,
    /// Bend in body axes after the limit, before contacts.
    pub q: Q4<L>,
    /// Bend in body axes after contacts: what the joint's rotation is read from.
    pub shown: Q4<L>,
    /// 1 where the end touched the floor in the last substep.
    pub touched: L,
    /// Where the end's inertia is: hair only, and there the end itself but under the VRM rule (see `hair`).
    pub tail: V3<L>,
}

impl<L: Lanes> LinkState<L> {
    /// At rest, nowhere.
    pub fn new(zero: L) -> Self {
        let (at, turn) = (V3::of(zero, Vec3::ZERO), Q4::identity(zero));
        Self { p: at, v: at, d: at, q: turn, shown: turn, touched: zero, tail: at }
    }
}

/// A capsule in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapsuleLanes<L> {
    pub a: V3<L>,
    pub b: V3<L>,
    /// Negative where there is none.
    pub radius: L,
}

/// Where the body has its chains in this substep.
#[derive(Clone, Debug)]
pub(super) struct Drive<L: Lanes> {
    /// Heads of the first links, world.
    pub head: V3<L>,
    /// F(t): from body axes to the world.
    pub frame: Q4<L>,
    /// Current over neutral uniform scale.
    pub scale: L,
    /// Cosine and sine of what idle sway turns each link by.
    pub sway_cos: L,
    /// See `sway_cos`.
    pub sway_sin: L,
    /// Legs.
    pub capsules: Vec<CapsuleLanes<L>>,
}

impl<L: Lanes> Drive<L> {
    /// A body that stands still.
    pub fn new(zero: L) -> Self {
        let one = zero.of(1.0);
        Self {
            head: V3::of(zero, Vec3::ZERO),
            frame: Q4::identity(zero),
            scale: one,
            sway_cos: one,
            sway_sin: zero,
            capsules: Vec::new(),
        }
    }
}

/// One link's place in a substep.
pub(super) struct LinkFrame<L> {
    /// From body axes to the world, as bent so far.
    pub g: Q4<L>,
    /// Head of the link.
    pub head: V3<L>,
    /// Current length.
    pub length: L,
    /// Rest direction in the world.
    pub rest: V3<L>,
    /// Forward, F(t) z.
    pub forward: V3<L>,
    /// How far the link may go forward, in its own lengths: (h_0 - h_i) · n / l_i.
    pub reach_forward: L,
}

/// Advances the chains by one substep. Lanes whose mask comes back unset have a number that is not finite.
#[inline(always)]
pub(super) fn substep<L: Lanes>(
    chain: &ChainLanes<L>,
    links: &[LinkLanes<L>],
    drive: &Drive<L>,
    state: &mut [LinkState<L>],
) -> L::Mask {
    let zero = chain.step.of(0.0);
    let forward = drive.frame.rotate(V3::of(zero, Vec3::Z));
    let mut g = drive.frame;
    let mut head = drive.head;
    let mut before = Q4::identity(zero);
    let mut check = zero;
    let sways = zero.lt(drive.sway_sin * drive.sway_sin);
    for i in 0..links.len().min(state.len()) {
        let link = &links[i];
        let after = state.get(i + 1).map_or(before, |next| next.q);
        let after = Q4::select(link.has_next.is_set(), after, before);
        let neighbours = Q4::half_slerp(before, after);
        let s = &mut state[i];
        before = s.q;

        let length = link.length * drive.scale;
        let aim = swayed(link.rest, drive, sways);
        let frame = LinkFrame {
            g,
            head,
            length,
            rest: g.rotate(aim),
            forward,
            reach_forward: (drive.head - head).dot(forward) / length,
        };
        let candidate = predict(chain, link, &frame, aim, s);
        let coupled = link.is_coupled * coupled_share(chain, link, s);
        let (q, limited) = bend(chain, aim, candidate, neighbours, coupled);
        let contact = contact::resolve(chain, link, &frame, g.rotate(q.rotate(aim)), drive);
        s.q = q;
        s.p = head + contact.direction.scaled(length);
        settle_velocity(chain, &frame, &contact, (q, limited), s);
        // What the joint shows is q without its twist; only where something else turned the link it is read off anew.
        let (swing, wide) = q.swing_part(aim);
        let other = wide | contact.plane | contact.leg | contact.floor | sways;
        s.shown = match L::any(other) {
            true => {
                let read = Q4::swing(link.rest, g.rotate_back(contact.direction));
                Q4::select(other, read, swing)
            }
            false => swing,
        };
        g = g * s.shown;
        head = s.p;
        check = check + (s.p.x + s.p.y + s.p.z + s.v.x + s.v.y + s.v.z) * link.exists;
    }
    check.abs().lt(check.of(f32::MAX))
}

/// What the spring aims at: the rest direction, turned sideways by the idle sway.
#[inline(always)]
fn swayed<L: Lanes>(rest: V3<L>, drive: &Drive<L>, sways: L::Mask) -> V3<L> {
    if !L::any(sways) {
        return rest;
    }
    // Towards x, at a right angle to the rest direction; a link that points along x stays.
    let least = rest.x.of(1e-6);
    let x = V3::of(least, Vec3::X);
    let side = x.across(rest).unit_or(least, V3::of(least, Vec3::ZERO));
    let turned = (rest.scaled(drive.sway_cos) + side.scaled(drive.sway_sin)).unit_or(least, rest);
    V3::select(sways, turned, rest)
}

/// Spring and gravity move the end freely; the rope gives back a direction, in body axes.
#[inline(always)]
fn predict<L: Lanes>(
    chain: &ChainLanes<L>,
    link: &LinkLanes<L>,
    frame: &LinkFrame<L>,
    aim: V3<L>,
    s: &mut LinkState<L>,
) -> V3<L> {
    // p' - head = (p - head) + h v', written so that the rest direction, which comes last, is waited for only once.
    let lag = s.p - frame.head;
    let pull = link.stiffness * chain.step;
    let mut drift = s.v - s.v.scaled(link.drag);
    drift.y = drift.y - chain.fall;
    let rope = (lag.scaled(-pull + 1.0) + drift.scaled(chain.step))
        + frame.rest.scaled(pull * frame.length);
    s.v = (drift - lag.scaled(link.stiffness)) + frame.rest.scaled(link.stiffness * frame.length);
    // Turned before it is made unit, so that the root and the turn need not wait for each other.
    let square = rope.square();
    let unit = frame.g.rotate_back(rope).scaled(square.of(1.0) / square.sqrt());
    let least = frame.length * 1e-6;
    let degenerate = square.lt(least * least);
    if L::any(degenerate) { V3::select(degenerate, aim, unit) } else { unit }
}

/// How much of the coupling a link feels: none where its end lies on the floor (spec 8, 4.1: coupling would lift it,
/// contact wipe its velocity, and it would fall again, for ever), all of it a hand's breadth above, and a share between.
///
/// The share is ours. With none and all alone, an end that comes and goes with the body's gait is snapped up by its
/// neighbours each time, 5° in one substep; and since it matters in which substep it touches, some loops never close.
#[inline(always)]
fn coupled_share<L: Lanes>(chain: &ChainLanes<L>, link: &LinkLanes<L>, s: &LinkState<L>) -> L {
    let (zero, one) = (chain.step.of(0.0), chain.step.of(1.0));
    let share = ((s.p.y - link.floor) * chain.lift_off).at_least(zero).at_most(one);
    let share = L::select(chain.ground.is_set(), share, one);
    share * (one - s.touched)
}

/// The bend towards `direction` (body axes), evened out with its neighbours' and limited; and where it was limited.
#[inline(always)]
pub(super) fn bend<L: Lanes>(
    chain: &ChainLanes<L>,
    rest: V3<L>,
    direction: V3<L>,
    neighbours: Q4<L>,
    coupled: L,
) -> (Q4<L>, L::Mask) {
    let (zero, one) = (coupled.of(0.0), coupled.of(1.0));
    let mut q = Q4::swing(rest, direction);
    if L::any(zero.lt(coupled)) {
        let full = chain.coupling.apply(q, neighbours);
        let partly = coupled.lt(one);
        q = if L::any(partly) {
            // The two are a few degrees apart: their chord is their arc.
            let v = q.v.lerp(full.v, coupled);
            let mixed = Q4 { v, w: q.w + (full.w - q.w) * coupled };
            let mixed = mixed.scaled(mixed.dot(mixed) * -0.5 + 1.5);
            Q4::select(partly, Q4::select(zero.lt(coupled), mixed, q), full)
        } else {
            full
        };
    }
    let is_opposite = q.w.lt(zero);
    if L::any(is_opposite) {
        q = Q4::select(is_opposite, q.scaled(zero.of(-1.0)), q);
    }
    let limited = q.w.lt(chain.limit_cos);
    if L::any(limited) {
        let axis = q.v.unit_or(zero.of(1e-30), V3::of(zero, Vec3::ZERO));
        let at_limit = Q4 { v: axis.scaled(chain.limit_sin), w: chain.limit_cos };
        q = Q4::select(limited, at_limit, q);
    }
    (q, limited)
}

/// Takes out of the velocity what the projections forbid; corrections enter it in no other way.
#[inline(always)]
fn settle_velocity<L: Lanes>(
    chain: &ChainLanes<L>,
    frame: &LinkFrame<L>,
    contact: &Contact<L>,
    (q, limited): (Q4<L>, L::Mask),
    s: &mut LinkState<L>,
) {
    let zero = chain.step.of(0.0);
    let d = contact.direction;
    s.v = s.v.across(d);
    if L::any(limited) {
        // The way the bend grows.
        let way = frame.g.rotate(q.v).cross(d).unit_or(zero.of(1e-12), V3::of(zero, Vec3::ZERO));
        let pushed = s.v - way.scaled(s.v.dot(way).at_least(zero));
        s.v = V3::select(limited, pushed, s.v);
    }
    if L::any(contact.plane) {
        let pushed = s.v - frame.forward.scaled(s.v.dot(frame.forward).at_least(zero));
        s.v = V3::select(contact.plane, pushed, s.v);
    }
    if L::any(contact.leg) {
        let pushed = s.v - contact.leg_normal.scaled(s.v.dot(contact.leg_normal).at_most(zero));
        s.v = V3::select(contact.leg, pushed, s.v);
    }
    if L::any(contact.floor) {
        let slid = V3::new(s.v.x, s.v.y.at_least(zero), s.v.z).scaled(chain.slide);
        s.v = V3::select(contact.floor, slid, s.v);
    }
    s.touched = L::select(contact.floor, zero.of(1.0), zero);
}
