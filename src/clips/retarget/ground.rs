//! Body grounding: how far the hips must rise for the body not to sink into the floor.
//!
//! Based on: spec 3.1 and 8, 4.5.

use super::body::{Body, Carried, Motion};
use super::lap::Lap;

/// The lift of the hips, `[K]`, in metres: L_raw(t) = max(0, a(t) - c(t)), smoothed.
///
/// a(t) ≤ 0 is how far the source itself goes below its floor, in the target's size; c(t) is the height of the lowest of
/// `points` of the target, from which the points of appendages, and those that a limb solver holds, are left out.
pub(super) fn lift(
    (source, source_motion): (&Body, &Motion),
    (target, target_motion): (&Body, &Motion),
    points: &[Carried],
    lap: &Lap<'_>,
    scale: f32,
) -> Vec<f32> {
    let raw: Vec<f32> =
        (0..target_motion.n_keys())
            .map(|key| {
                let lowest = source
                    .lowest(&source.supports, source_motion, key)
                    .min(source.lowest(&source.soles, source_motion, key));
                let allowance = scale * lowest.min(0.0);
                let lift = allowance - target.lowest(points, target_motion, key);
                if lift.is_finite() { lift.max(0.0) } else { 0.0 }
            })
            .collect();
    lap.smooth_lift(&raw)
}
