//! Loops: the last key is the first.

use glam::{Quat, Vec3};

use crate::model::{Track, TrackValues};

/// A gap of this angle between a loop's ends is rounding or a careless export, and is closed.
pub(super) const CLOSED_RAD: f32 = 0.035;
/// The same for places, as a share of their size.
const CLOSED_SHARE: f32 = 0.02;

/// Makes the last key of a closed loop's track its first; rotations keep the sign that follows on the key before.
///
/// A loop that travels keeps its travel. A looping clip whose source does not close is not asked to: the bake reports it.
pub(super) fn close(track: &mut Track) {
    match &mut track.values {
        TrackValues::Rotation(values) => close_rotation(values),
        TrackValues::Translation(values) => close_translation(values),
        TrackValues::Scale(_) | TrackValues::Morph { .. } => {}
    }
}

fn close_rotation(values: &mut [Quat]) {
    if let [first, .., last] = values {
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
