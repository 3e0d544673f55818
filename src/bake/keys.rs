//! Keys of a recorded track: where they lie, which signs they carry, when one is enough.

use glam::Quat;

use crate::math::rotation;
use crate::model::{Interpolation, NodeIndex, Track, TrackValues};

/// A joint that turns less than this all through has one key, radians.
const CONSTANT_RAD: f32 = 1e-5;

/// Times of keys: k / rate, and exactly at the end. A clip of no length has one key.
///
/// A last interval shorter than a thousandth of the others is left out: its two keys would be one to most programs.
pub fn key_times(duration_secs: f64, rate_hz: f64) -> Vec<f64> {
    let is_rate = rate_hz.is_finite() && rate_hz > 0.0;
    let rate_hz = if is_rate { rate_hz.clamp(1.0, 1000.0) } else { 30.0 };
    let n = (duration_secs * rate_hz - 1e-3).ceil().clamp(0.0, 1e7) as u64;
    let mut times: Vec<f64> = (0..n).map(|k| k as f64 / rate_hz).collect();
    times.push(duration_secs.max(0.0));
    times
}

/// A track of one joint's rotations, `[K]`; in a loop the last key takes the first one's value.
///
/// Signs are continuous, so that programs which blend component by component take the short way too.
pub(super) fn rotation_track(
    node: NodeIndex,
    times: &[f32],
    mut values: Vec<Quat>,
    looping: bool,
) -> Track {
    let first = values.first().copied();
    if let (true, Some(first), Some(last)) = (looping, first, values.last_mut()) {
        *last = first;
    }
    let mut before: Option<Quat> = None;
    for q in &mut values {
        if before.is_some_and(|b| b.dot(*q) < 0.0) {
            *q = -*q;
        }
        before = Some(*q);
    }
    let is_constant = values
        .first()
        .is_some_and(|a| values.iter().all(|b| rotation::angle_between(*a, *b) < CONSTANT_RAD));
    let mut times = times.to_vec();
    if is_constant {
        values.truncate(1);
        times.truncate(1);
    }
    Track {
        node,
        times,
        values: TrackValues::Rotation(values),
        interpolation: Interpolation::Linear,
    }
}
