//! Feet that stand where they stand: locks by two-bone IK, and hips lowered where legs would not reach.

use glam::Vec3;

use super::body::{Body, Leg, Motion};
use super::contacts::{Contact, Footing, travel};
use super::lap::Lap;

/// How long a lock takes to fade in and out.
const FADE_SECS: f32 = 0.15;
/// Share of a leg's length that a lock may use: a knee that is dead straight snaps.
const REACH: f32 = 0.995;
/// The most that the hips are lowered for a lock, × hip height.
const DEEPEST: f32 = 0.08;

/// What a lock needs to know beside the target's motion.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// When the source's feet stand, and on what.
    pub footing: Footing,
    /// `[K]`: how far the hips may come down before the body sinks into the floor.
    pub room: Vec<f32>,
}

/// Holds the target's feet still while the source's stand (in the frame of the ground under a clip that walks on the
/// spot), puts their soles on the floor then, and never lets a sole below it. Feet keep their rotation.
///
/// Lowers the hips where a held foot would be out of reach.
pub(super) fn lock(body: &Body, motion: &mut Motion, lap: &Lap<'_>, plan: &Plan) {
    let velocity = ground_velocity(body, motion, lap, &plan.footing);
    let aims: [Vec<Vec3>; 2] = std::array::from_fn(|side| match &body.legs[side] {
        Some(leg) => {
            let contacts = &plan.footing.contacts[side];
            let low: Vec<f32> =
                (0..motion.n_keys()).map(|key| body.lowest(&leg.sole, motion, key)).collect();
            aims(leg, motion, lap, contacts, velocity, &low)
        }
        None => Vec::new(),
    });
    let limit = DEEPEST * body.reference.hip_height;
    let drops: Vec<f32> = (0..motion.n_keys())
        .map(|key| {
            let legs = body.legs.iter().zip(&aims);
            let drop = legs
                .filter_map(|(leg, aims)| Some(drop(leg.as_ref()?, motion, key, *aims.get(key)?)));
            drop.fold(0.0, f32::max).min(limit)
        })
        .collect();
    let mut drops = lap.smooth_lift(&drops);
    drops.iter_mut().zip(&plan.room).for_each(|(drop, room)| *drop = drop.min(room.max(0.0)));
    if drops.iter().any(|&d| d > 0.0) {
        for (hips, drop) in motion.hips.iter_mut().zip(&drops) {
            hips.y -= drop;
        }
        body.place(motion);
    }
    for (leg, aims) in body.legs.iter().zip(&aims) {
        if let Some(leg) = leg {
            for (key, &aim) in aims.iter().enumerate() {
                leg.limb.bend(motion, key, aim, 1.0);
            }
        }
    }
    body.place(motion);
}

/// Velocity of the ground under the target: what its own standing feet agree on where the source walks on the spot, or
/// zero. (Not the source's times S: legs that are short for their hips step less far, and nothing says how fast a floor
/// goes by.)
fn ground_velocity(body: &Body, motion: &Motion, lap: &Lap<'_>, footing: &Footing) -> Vec3 {
    if footing.ground_velocity == Vec3::ZERO {
        return Vec3::ZERO;
    }
    let step = travel(motion, lap);
    let (mut sum, mut n) = (Vec3::ZERO, 0.0);
    for (leg, contacts) in body.legs.iter().zip(&footing.contacts) {
        let Some(leg) = leg else { continue };
        for key in contacts.iter().flat_map(|contact| contact.first..=contact.last) {
            sum += lap.velocity(motion.places_of(leg.ball), step, lap.wrap(key).0);
            n += 1.0;
        }
    }
    if n > 0.0 { (sum / n).with_y(0.0) } else { Vec3::ZERO }
}

/// Where the ankle should be, `[K]`. `velocity` is the ground's; `low` the height of the sole's lowest point.
fn aims(
    leg: &Leg,
    motion: &Motion,
    lap: &Lap<'_>,
    contacts: &[Contact],
    velocity: Vec3,
    low: &[f32],
) -> Vec<Vec3> {
    let n_keys = motion.n_keys();
    // The ball's way over the ground.
    let over_ground: Vec<Vec3> = (motion.places_of(leg.ball).iter().zip(lap.times))
        .map(|(p, &t)| *p - velocity * t)
        .collect();
    let length = lap.time(lap.len() as isize) - lap.time(0);
    let step = travel(motion, lap) - velocity * length;
    let mut offsets = vec![Vec3::ZERO; n_keys];
    let mut is_held = vec![false; n_keys];
    for contact in contacts {
        let keys = contact.first..=contact.last;
        let n = keys.clone().count().max(1) as f32;
        let anchor = keys.clone().map(|k| lap.place(&over_ground, step, k)).sum::<Vec3>() / n;
        for key in keys {
            let at = lap.wrap(key).0;
            let aside = (anchor - lap.place(&over_ground, step, key)).with_y(0.0);
            offsets[at] = aside - Vec3::Y * low[at];
            is_held[at] = true;
        }
    }
    let mut faded = offsets.clone();
    for contact in contacts {
        for (edge, direction) in [(contact.first, -1), (contact.last, 1)] {
            fade(&offsets, &is_held, lap, edge, direction, &mut faded);
        }
    }
    for key in 0..n_keys {
        if !is_held[key] {
            faded[key].y = faded[key].y.max(-low[key]);
        }
    }
    if let (true, Some(&first)) = (lap.is_ring && n_keys > 1, faded.first()) {
        faded[n_keys - 1] = first;
    }
    let ankles = motion.places_of(leg.limb.end).iter();
    ankles.zip(faded).map(|(ankle, offset)| *ankle + offset).collect()
}

/// Lets the offset at a contact's edge die away over the free keys beside it, until the next contact at the latest.
fn fade(
    offsets: &[Vec3],
    is_held: &[bool],
    lap: &Lap<'_>,
    edge: isize,
    direction: isize,
    faded: &mut [Vec3],
) {
    let is_free = |key: isize| lap.has(key) && !is_held[lap.wrap(key).0];
    let since = |key: isize| (lap.time(key) - lap.time(edge)).abs();
    let mut end = edge + direction;
    while is_free(end) && since(end) < FADE_SECS {
        end += direction;
    }
    let secs = if lap.has(end) { since(end).min(FADE_SECS) } else { FADE_SECS };
    let offset = offsets[lap.wrap(edge).0];
    let mut key = edge + direction;
    while key != end {
        let share = 1.0 - (since(key) / secs.max(f32::MIN_POSITIVE)).min(1.0);
        faded[lap.wrap(key).0] += offset * (share * share * (3.0 - 2.0 * share));
        key += direction;
    }
}

/// How far the hips must come down for the leg to reach `aim`.
fn drop(leg: &Leg, motion: &Motion, key: usize, aim: Vec3) -> f32 {
    let [start, mid, end] = leg.limb.places(motion, key);
    let length = start.distance(mid) + mid.distance(end);
    // A leg that is straighter than that by itself may stay so.
    let reach = (REACH * length).max(start.distance(end));
    let way = start - aim;
    let beside = way.with_y(0.0).length();
    if way.length() <= reach || beside >= reach {
        return 0.0;
    }
    (way.y - (reach * reach - beside * beside).sqrt()).max(0.0)
}
