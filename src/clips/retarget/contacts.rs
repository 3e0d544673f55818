//! When a foot stands: found in the source, so that the target's can be held still for as long.
//!
//! Based on: spec 8, 2.6.

use glam::Vec3;

use super::body::{Body, Leg, Motion};
use super::lap::Lap;
use crate::math::stats::median;

/// Body height over hip height of a grown person; the marks below are shares of the height, and legs are what counts.
const HEIGHT_PER_HIPS: f32 = 1.85;
/// Ankle and ball are lower than this over where they are in a flat foot, × H.
const LOW: f32 = 0.04;
/// And slower than this, × H per second.
const SLOW: f32 = 0.15;
/// For at least this long.
const LEAST_SECS: f32 = 0.08;

/// A stretch of keys in which a foot stands; unwrapped, so that it may run past a loop's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contact {
    pub first: isize,
    pub last: isize,
}

/// What the feet of a clip stand on, and when.
#[derive(Clone, Debug, Default)]
pub(super) struct Footing {
    /// Velocity of the ground: of a loop that walks on the spot, backwards; otherwise zero.
    pub ground_velocity: Vec3,
    /// `[legs]`, in the order of the keys.
    pub contacts: [Vec<Contact>; 2],
}

impl Footing {
    /// Contacts of both feet. A clip without legs has none.
    pub fn find(body: &Body, motion: &Motion, lap: &Lap<'_>) -> Self {
        let height = HEIGHT_PER_HIPS * body.reference.hip_height;
        let step = travel(motion, lap);
        let is_low: [Vec<bool>; 2] = std::array::from_fn(|side| match &body.legs[side] {
            Some(leg) => {
                (0..lap.len()).map(|key| is_low(body, leg, motion, key, LOW * height)).collect()
            }
            None => Vec::new(),
        });
        let ground_velocity = if lap.is_ring && step.length() < 0.1 * height {
            treadmill(body, motion, lap, &is_low, SLOW * height)
        } else {
            Vec3::ZERO
        };
        let contacts = std::array::from_fn(|side| {
            let Some(leg) = &body.legs[side] else { return Vec::new() };
            let is_slow = |key: usize| {
                [leg.limb.end, leg.ball].into_iter().all(|row| {
                    let v = lap.velocity(motion.places_of(row), step, key) - ground_velocity;
                    v.length() < SLOW * height
                })
            };
            let planted: Vec<bool> =
                is_low[side].iter().enumerate().map(|(key, low)| *low && is_slow(key)).collect();
            runs(&planted, lap)
        });
        Self { ground_velocity, contacts }
    }
}

/// Way over the ground from a loop's start to its end; zero for a line.
pub(super) fn travel(motion: &Motion, lap: &Lap<'_>) -> Vec3 {
    match (lap.is_ring, motion.hips.first(), motion.hips.last()) {
        (true, Some(&first), Some(&last)) => (last - first).with_y(0.0),
        _ => Vec3::ZERO,
    }
}

fn is_low(body: &Body, leg: &Leg, motion: &Motion, key: usize, limit: f32) -> bool {
    let height = |row| motion.places_of(row)[key].y - body.reference.floor;
    height(leg.limb.end) - leg.ankle_height < limit && height(leg.ball) - leg.ball_height < limit
}

/// Velocity of the ground under a clip that walks on the spot: what its low feet agree on, or zero.
fn treadmill(
    body: &Body,
    motion: &Motion,
    lap: &Lap<'_>,
    is_low: &[Vec<bool>; 2],
    slow: f32,
) -> Vec3 {
    let mut velocities = Vec::new();
    for (leg, is_low) in body.legs.iter().zip(is_low) {
        let Some(leg) = leg else { continue };
        for key in (0..lap.len()).filter(|&key| is_low[key]) {
            let v = lap.velocity(motion.places_of(leg.ball), Vec3::ZERO, key);
            velocities.push(v.with_y(0.0));
        }
    }
    let along = |axis: usize| median(&mut velocities.iter().map(|v| v[axis]).collect::<Vec<_>>());
    let middle = Vec3::new(along(0), 0.0, along(2));
    let agree = velocities.iter().filter(|v| v.distance(middle) < slow).count();
    if middle.length() > slow && 2 * agree > velocities.len() { middle } else { Vec3::ZERO }
}

/// Runs of planted keys that last long enough.
fn runs(planted: &[bool], lap: &Lap<'_>) -> Vec<Contact> {
    let n = planted.len() as isize;
    let is_planted = |key: isize| lap.has(key) && planted[lap.wrap(key).0];
    if n > 0 && planted.iter().all(|&p| p) {
        return vec![Contact { first: 0, last: n - 1 }];
    }
    let mut contacts = Vec::new();
    for first in 0..n {
        if !is_planted(first) || is_planted(first - 1) {
            continue;
        }
        let mut last = first;
        while is_planted(last + 1) {
            last += 1;
        }
        if lap.time(last) - lap.time(first) >= LEAST_SECS {
            contacts.push(Contact { first, last });
        }
    }
    contacts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_go_round_a_ring_and_short_ones_are_dropped() {
        let times: Vec<f32> = (0..=10).map(|i| i as f32 * 0.05).collect();
        let ring = Lap { times: &times, is_ring: true };
        let planted = [true, true, false, true, false, false, false, false, true, true];
        assert_eq!(runs(&planted, &ring), [Contact { first: 8, last: 11 }]);
        let line = Lap { times: &times, is_ring: false };
        let planted = [true, true, true, false, true, false, false, false, false, true, true];
        assert_eq!(runs(&planted, &line), [Contact { first: 0, last: 2 }]);
        let all = [true; 10];
        assert_eq!(runs(&all, &ring), [Contact { first: 0, last: 9 }]);
    }
}
