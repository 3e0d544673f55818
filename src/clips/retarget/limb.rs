//! A leg or an arm by its rows: two bones that are bent so that the end comes to an aim.

use glam::Vec3;

use super::body::Motion;
use crate::clips::ik::TwoBone;

/// Two bones, and the rows that turn with each.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    /// Thigh or upper arm.
    pub start: usize,
    /// Shin or lower arm.
    pub mid: usize,
    /// Foot or hand.
    pub end: usize,
    /// Where knee or elbow point, in the first bone's own axes.
    pub ahead: Vec3,
    /// Rows that turn with the first bone: from its own to that above the second's.
    pub upper: Vec<usize>,
    /// Rows that turn with the second: from its own to that above the end's.
    pub lower: Vec<usize>,
}

impl Limb {
    /// Where its three joints are at a key.
    pub fn places(&self, motion: &Motion, key: usize) -> [Vec3; 3] {
        [self.start, self.mid, self.end].map(|row| motion.places_of(row)[key])
    }

    /// Way from its first joint to its end at a key, in lengths of the limb; 1 is straight, and without a length it is not
    /// a number.
    pub fn stretch(&self, motion: &Motion, key: usize) -> f32 {
        let [start, mid, end] = self.places(motion, key);
        start.distance(end) / (start.distance(mid) + mid.distance(end))
    }

    /// Bends it at one key, so that its end comes to `aim`; the end keeps its rotation. Places stay as they were until
    /// the body is placed anew. `soft_from` as [`TwoBone::soft_from`].
    pub fn bend(&self, motion: &mut Motion, key: usize, aim: Vec3, soft_from: f32) {
        let n_keys = motion.n_keys();
        let [start, mid, end] = self.places(motion, key);
        let length = start.distance(mid) + mid.distance(end);
        if end.distance(aim) <= 1e-5 * length {
            return;
        }
        // The middle joint stays in the plane it bends in; the straighter it is, the more the bone's own front decides.
        let line = (end - start).normalize_or_zero();
        let bent = mid - start;
        let ahead = motion.rotations[self.start * n_keys + key] * self.ahead;
        let pole = bent - line * bent.dot(line) + 0.02 * length * ahead;
        let solution = TwoBone { start, mid, end, target: aim, pole, soft_from }.solve();
        for (rows, turn) in [(&self.upper, solution.turn_start), (&self.lower, solution.turn_mid)] {
            for row in rows {
                let rotation = &mut motion.rotations[row * n_keys + key];
                *rotation = turn * *rotation;
            }
        }
    }
}
