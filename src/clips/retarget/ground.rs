//! Body grounding: how far the hips must rise for the body not to sink into the floor.
//!
//! Based on: spec 3.1 and 8, 4.5.

use super::body::{Body, Carried, Motion};

/// a(t), `[K]`, never positive: how far the source itself goes below its floor, in the target's size.
pub(super) fn allowances(source: &Body, motion: &Motion, scale: f32) -> Vec<f32> {
    (0..motion.n_keys())
        .map(|key| {
            let body = source.lowest(&source.supports, motion, key);
            scale * body.min(source.lowest(&source.soles, motion, key)).min(0.0)
        })
        .collect()
}

/// c(t) - a(t), `[K]`: how far the hips may come down before the lowest of `points` is deeper than it may be; negative
/// where they must rise: L_raw(t) = max(0, a(t) - c(t)).
///
/// Left out of `points` are those of appendages and those that a limb solver holds. Infinite for no points.
pub(super) fn room(
    body: &Body,
    motion: &Motion,
    points: &[Carried],
    allowances: &[f32],
) -> Vec<f32> {
    let room = |(key, allowance): (usize, &f32)| body.lowest(points, motion, key) - allowance;
    allowances.iter().enumerate().map(room).collect()
}
