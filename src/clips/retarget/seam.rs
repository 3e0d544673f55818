//! Loops: the last key is the first.

use glam::{Quat, Vec3};

use crate::math::rotation;
use crate::model::{Track, TrackValues};

/// A gap of this angle between a loop's ends is a careless export, and is closed (3.2° is the most in the Universal
/// clips); a larger one is no loop.
const CLOSED_RAD: f32 = 0.09;
/// The same for places, as a share of their size.
const CLOSED_SHARE: f32 = 0.02;
/// Share of the keys, at the end, over which a gap is closed.
const EASED_SHARE: f32 = 0.2;

/// Whether `rows` of `n_keys` local rotations each end nearly where they begin.
pub(super) fn closes(rows: &[Quat], n_keys: usize) -> bool {
    n_keys > 1
        && rows.chunks_exact(n_keys).all(|row| match row {
            [first, .., last] => rotation::angle_between(*first, *last) < CLOSED_RAD,
            _ => true,
        })
}

/// Makes the last key of a closed loop's track its first, by a correction that grows over the last keys; rotations keep
/// signs that follow on each other.
///
/// A loop that travels keeps its travel. A looping clip whose source does not close is not asked to: the bake reports it.
pub(super) fn close(track: &mut Track) {
    match &mut track.values {
        TrackValues::Rotation(values) => close_rotation(values),
        TrackValues::Translation(values) => close_translation(values),
        TrackValues::Scale(_) | TrackValues::Morph { .. } => {}
    }
}

/// The last keys with their share of the correction; the very last, which takes all of it, left out.
fn eased(n_keys: usize) -> impl Iterator<Item = (usize, f32)> {
    let n = ((n_keys as f32 * EASED_SHARE) as usize).max(1);
    (1..n).map(move |i| {
        let share = i as f32 / n as f32;
        (n_keys - 1 - n + i, share * share * (3.0 - 2.0 * share))
    })
}

fn close_rotation(values: &mut [Quat]) {
    let [first, .., last] = *values else { return };
    let end = if first.dot(last) < 0.0 { -first } else { first };
    let correction = rotation::positive_w(end * last.conjugate());
    for (key, share) in eased(values.len()) {
        values[key] = (Quat::IDENTITY.slerp(correction, share) * values[key]).normalize();
    }
    values[values.len() - 1] = end;
}

fn close_translation(values: &mut [Vec3]) {
    let [first, .., last] = *values else { return };
    let size = CLOSED_SHARE * first.length();
    for axis in 0..3 {
        let gap = first[axis] - last[axis];
        if gap.abs() < size {
            for (key, share) in eased(values.len()) {
                values[key][axis] += gap * share;
            }
            values[values.len() - 1][axis] = first[axis];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_gap_is_closed_without_a_jump() {
        let mut values: Vec<Quat> =
            (0..=30).map(|i| Quat::from_rotation_x(0.002 * i as f32)).collect();
        assert!(closes(&values, 31));
        close_rotation(&mut values);
        assert_eq!(values[30], values[0]);
        let steps = values.windows(2).map(|w| rotation::angle_between(w[0], w[1]));
        assert!(steps.fold(0.0, f32::max) < 0.02);
        assert!(!closes(&[Quat::IDENTITY, Quat::from_rotation_y(0.2)], 2));
    }

    #[test]
    fn travel_is_no_gap() {
        let mut way = vec![Vec3::Y, Vec3::new(0.0, 1.01, 0.5), Vec3::new(0.001, 1.01, 1.0)];
        close_translation(&mut way);
        assert_eq!(way[2], Vec3::new(0.0, 1.0, 1.0));
    }
}
