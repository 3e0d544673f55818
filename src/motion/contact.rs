//! Contacts of a link: the plane it stays behind, the legs, the floor. Each turns the link, none moves or stretches it.
//!
//! Based on: spec 2.2, 2.6, 8 (4.1).

use glam::Vec3;

use super::kernel::{ChainLanes, Drive, LinkFrame, LinkLanes};
use super::lanes::{Lanes, V3};

/// A link's direction after contacts, and what it met.
pub(super) struct Contact<L: Lanes> {
    /// Unit, world.
    pub direction: V3<L>,
    /// Where the plane held it.
    pub plane: L::Mask,
    /// Where a leg held it.
    pub leg: L::Mask,
    /// Outward normal of that leg.
    pub leg_normal: V3<L>,
    /// Where the floor held it.
    pub floor: L::Mask,
}

/// Below this square a vector made of unit vectors has no direction.
const FLAT: f32 = 1e-12;

/// Applies all contacts to a unit direction; the floor last, since it wins.
#[inline(always)]
pub(super) fn resolve<L: Lanes>(
    chain: &ChainLanes<L>,
    link: &LinkLanes<L>,
    frame: &LinkFrame<L>,
    direction: V3<L>,
    drive: &Drive<L>,
) -> Contact<L> {
    let zero = chain.step.of(0.0);
    let none = zero.lt(zero);
    let mut contact = Contact {
        direction,
        plane: chain.plane.is_set() & frame.reach_forward.lt(direction.dot(frame.forward)),
        leg: none,
        leg_normal: V3::of(zero, Vec3::ZERO),
        floor: none,
    };
    if L::any(contact.plane) {
        let behind = behind_plane(frame, contact.direction);
        contact.direction = V3::select(contact.plane, behind, contact.direction);
    }
    for capsule in &drive.capsules {
        push_out(link, frame, (capsule.a, capsule.b, capsule.radius), &mut contact);
    }
    let end = frame.head.y + frame.length * contact.direction.y;
    contact.floor = chain.ground.is_set() & end.lt(link.floor);
    if L::any(contact.floor) {
        let on_floor = on_floor(chain, link, frame, contact.direction);
        contact.direction = V3::select(contact.floor, on_floor, contact.direction);
    }
    contact
}

/// d on the circle in which the link's sphere meets the plane through the root that faces forward.
#[inline(always)]
fn behind_plane<L: Lanes>(frame: &LinkFrame<L>, d: V3<L>) -> V3<L> {
    let n = frame.forward;
    let (flat, one) = (n.x.of(FLAT), n.x.of(1.0));
    let s = frame.reach_forward.at_least(-one).at_most(one);
    let down = V3::of(one, Vec3::NEG_Y);
    // A plane that faces straight down has no `down` in it: any side of it does.
    let side = V3::of(one, Vec3::X);
    let t = side.across(n).unit_or(flat, V3::of(one, Vec3::Z).across(n));
    let t = down.across(n).unit_or(flat, t);
    let t = frame.rest.across(n).unit_or(flat, t);
    let t = d.across(n).unit_or(flat, t);
    t.scaled((one - s * s).sqrt()) + n.scaled(s)
}

/// d on the circle in which the link's sphere meets the floor, on the part of it behind the plane where there is any.
#[inline(always)]
fn on_floor<L: Lanes>(
    chain: &ChainLanes<L>,
    link: &LinkLanes<L>,
    frame: &LinkFrame<L>,
    d: V3<L>,
) -> V3<L> {
    let (zero, one) = (d.x.of(0.0), d.x.of(1.0));
    let flat = zero.of(FLAT);
    let u = ((link.floor - frame.head.y) / frame.length).at_least(-one).at_most(one);
    let c = (one - u * u).sqrt();
    let n = frame.forward;
    let behind = V3::new(-n.x, zero, -n.z).unit_or(flat, V3::of(one, Vec3::X));
    let t = V3::new(frame.rest.x, zero, frame.rest.z).unit_or(flat, behind);
    let mut t = V3::new(d.x, zero, d.z).unit_or(flat, t);

    // Behind the plane means t · n̂_h ≤ τ = (s - u n_y) / (c |n_h|).
    let across = (n.x * n.x + n.z * n.z).sqrt();
    let room = c * across;
    let ahead = -behind.x * t.x - behind.z * t.z;
    let tau = (frame.reach_forward - u * n.y) / room;
    let restricted = chain.plane.is_set()
        & zero.of(1e-6).lt(room)
        & tau.lt(ahead)
        & zero.of(-1.0 - 1e-6).lt(tau);
    if L::any(restricted) {
        let tau = tau.at_least(-one).at_most(one);
        let across = V3::new(-behind.z, zero, behind.x);
        let side = t.x * across.x + t.z * across.z;
        let sign = L::select(side.lt(zero), -one, one);
        let turned = across.scaled(sign * (one - tau * tau).sqrt()) - behind.scaled(tau);
        t = V3::select(restricted, turned, t);
    }
    V3::new(c * t.x, u, c * t.z)
}

/// Pushes the link's end out of a capsule by turning the link.
#[inline(always)]
fn push_out<L: Lanes>(
    link: &LinkLanes<L>,
    frame: &LinkFrame<L>,
    (a, b, radius): (V3<L>, V3<L>, L),
    contact: &mut Contact<L>,
) {
    let (zero, one, tiny) = (radius.of(0.0), radius.of(1.0), radius.of(1e-20));
    let p = frame.head + contact.direction.scaled(frame.length);
    let ab = b - a;
    let along = (p - a).dot(ab) / ab.dot(ab).at_least(tiny);
    let away = p - (a + ab.scaled(along.at_least(zero).at_most(one)));
    let reach = radius + link.radius;
    let hit = zero.lt(radius) & away.dot(away).lt(reach * reach);
    if !L::any(hit) {
        return;
    }
    let normal = away.unit_or(tiny, -frame.forward);
    let out = p + (away.scaled(-one) + normal.scaled(reach)) - frame.head;
    let least = frame.length * 1e-6;
    let turned = out.unit_or(least * least, contact.direction);
    contact.direction = V3::select(hit, turned, contact.direction);
    contact.leg_normal = V3::select(hit, normal, contact.leg_normal);
    contact.leg = contact.leg | hit;
}
