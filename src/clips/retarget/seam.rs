//! Loops: the last key is the first.

use glam::{Quat, Vec3};

use crate::math::rotation;
use crate::model::{Clip, TrackValues};

/// A gap of this size between a loop's ends is rounding or a careless export, and is closed.
const CLOSED_RAD: f32 = 0.035;
const CLOSED_SHARE: f32 = 0.02;

/// Makes the last key of each track of a loop its first, where they are nearly that already; rotations keep the sign
/// that follows on the key before.
///
/// A loop that travels keeps its travel; one that does not close in its source is left as it is, for the bake to report.
pub(super) fn close(clip: &mut Clip) {
    if !clip.looping {
        return;
    }
    for track in &mut clip.tracks {
        match &mut track.values {
            TrackValues::Rotation(values) => close_rotation(values),
            TrackValues::Translation(values) => close_translation(values),
            TrackValues::Scale(_) | TrackValues::Morph { .. } => {}
        }
    }
}

fn close_rotation(values: &mut [Quat]) {
    if let [first, .., last] = values
        && rotation::angle_between(*first, *last) < CLOSED_RAD
    {
        *last = if first.dot(*last) < 0.0 { -*first } else { *first };
    }
}

fn close_translation(values: &mut [Vec3]) {
    if let [first, .., last] = values {
        let size = CLOSED_SHARE * first.length();
        for axis in 0..3 {
            if (last[axis] - first[axis]).abs() < size {
                last[axis] = first[axis];
            }
        }
    }
}
