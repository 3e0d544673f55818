//! Key reduction: keys that a straight way between their neighbours gives anyway are dropped.
//!
//! Based on: glTF-Transform, `resample.ts` (keys that interpolation gives anyway), with a bound that holds at every key
//! that is dropped, not only from one key to the next, so that errors do not add up along a slow bend.

use glam::{Quat, Vec3};

use crate::math::rotation;
use crate::model::{Interpolation, Track, TrackValues};

/// How far a reduced track may be from the whole one, at every key of the whole one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reduction {
    /// Radians, for rotations; 0 (default) keeps every key.
    pub angle_rad: f32,
    /// For translations, in the track's own units; 0 (default) keeps every key.
    pub distance: f32,
}

/// The track with the keys that `reduction` can do without left out; its first and last key stay.
///
/// ```text
/// from the last kept key a: the furthest b such that the straight way a → b passes all between within the bound
/// ```
/// Stepped, cubic, scale and morph tracks stay as they are. Cost: O(K × keys dropped in a row).
#[must_use]
pub fn reduced(track: Track, reduction: Reduction) -> Track {
    if track.interpolation != Interpolation::Linear {
        return track;
    }
    let times = &track.times;
    let kept = match &track.values {
        TrackValues::Rotation(q) if reduction.angle_rad > 0.0 && q.len() == times.len() => {
            kept_keys(times, |a, b, k, share| {
                let between: Quat = q[a].slerp(q[b], share);
                rotation::angle_between(between, q[k]) <= reduction.angle_rad
            })
        }
        TrackValues::Translation(p) if reduction.distance > 0.0 && p.len() == times.len() => {
            kept_keys(times, |a, b, k, share| {
                let between: Vec3 = p[a].lerp(p[b], share);
                between.distance(p[k]) <= reduction.distance
            })
        }
        _ => return track,
    };
    let values = match &track.values {
        TrackValues::Rotation(q) => TrackValues::Rotation(kept.iter().map(|&k| q[k]).collect()),
        TrackValues::Translation(p) => {
            TrackValues::Translation(kept.iter().map(|&k| p[k]).collect())
        }
        other => other.clone(),
    };
    Track { times: kept.iter().map(|&k| times[k]).collect(), values, ..track }
}

/// Longest run of keys that is dropped: keeps the cost linear, and a second of motion has a key of its own.
const LONGEST_RUN: usize = 60;

/// Places of the keys to keep. `passes(a, b, k, share)` says whether the way from key a to key b is right at key k.
fn kept_keys(times: &[f32], passes: impl Fn(usize, usize, usize, f32) -> bool) -> Vec<usize> {
    let last = times.len().saturating_sub(1);
    let mut kept = vec![0];
    let mut from = 0;
    while from < last {
        let is_straight = |to: &usize| {
            let span = times[*to] - times[from];
            (from + 1..*to).all(|k| passes(from, *to, k, (times[k] - times[from]) / span))
        };
        let furthest = (from + LONGEST_RUN).min(last);
        // Not by halves: a swing that comes back is straight from end to end, but not in between.
        let to = (from + 2..=furthest).take_while(is_straight).last().unwrap_or(from + 1);
        kept.push(to);
        from = to;
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::ops;
    use crate::model::NodeIndex;

    fn track(values: TrackValues, n: usize) -> Track {
        Track {
            node: NodeIndex(0),
            times: (0..n).map(|k| k as f32 / 30.0).collect(),
            values,
            interpolation: Interpolation::Linear,
        }
    }

    fn swing(n: usize, rate: f32) -> Vec<Quat> {
        let at = |k: usize| Quat::from_rotation_x(0.5 * ops::sin(rate * k as f32 / 30.0));
        (0..n).map(at).collect()
    }

    #[test]
    fn a_straight_way_needs_its_ends_alone() {
        let path: Vec<Vec3> = (0..40).map(|k| Vec3::X * k as f32 / 30.0).collect();
        let by = Reduction { angle_rad: 1e-4, distance: 1e-4 };
        let few = reduced(track(TrackValues::Translation(path), 40), by);
        assert_eq!(few.times, [0.0, 39.0 / 30.0]);
        let turns = (0..40).map(|k| Quat::from_rotation_y(k as f32 * 0.05)).collect();
        assert_eq!(reduced(track(TrackValues::Rotation(turns), 40), by).times.len(), 2);
    }

    #[test]
    fn without_a_bound_every_key_stays() {
        let whole = track(TrackValues::Rotation(swing(60, 5.0)), 60);
        assert_eq!(reduced(whole.clone(), Reduction::default()), whole);
        let stepped = Track { interpolation: Interpolation::Step, ..whole };
        let by = Reduction { angle_rad: 1.0, distance: 1.0 };
        assert_eq!(reduced(stepped.clone(), by), stepped);
    }

    proptest! {
        #[test]
        fn no_key_is_off_by_more_than_the_bound(n in 1_usize..200, rate in 0.0_f32..20.0,
                                                bound in 1e-4_f32..0.1) {
            let whole = swing(n, rate);
            let by = Reduction { angle_rad: bound, distance: 0.0 };
            let few = reduced(track(TrackValues::Rotation(whole.clone()), n), by);
            let TrackValues::Rotation(keys) = &few.values else { panic!("it was a rotation") };
            prop_assert_eq!(keys.len(), few.times.len());
            prop_assert_eq!((keys.first(), keys.last()), (whole.first(), whole.last()));
            for (k, q) in whole.iter().enumerate() {
                let t = k as f32 / 30.0;
                let at = few.times.partition_point(|&x| x <= t).max(1) - 1;
                let shown = match few.times.get(at + 1) {
                    Some(&next) => keys[at].slerp(keys[at + 1],
                                                  (t - few.times[at]) / (next - few.times[at])),
                    None => keys[at],
                };
                prop_assert!(rotation::angle_between(shown, *q) <= bound + 1e-5);
            }
        }
    }
}
