//! Sampling: a clip and a time become a pose.

use fearless_simd::{Level, Simd, dispatch};
use glam::{Quat, Vec3};

use super::arc::{ArcBlock, LANES, unit};
use super::spline::{hermite, spline};
use super::timeline::{Moment, Timeline};
use crate::model::{Clip, Interpolation, NodeIndex, Pose, Track, TrackValues};

/// A clip laid out for sampling: any time, in any order, at the same cost.
///
/// ```text
/// clip: a list of tracks, each with its own times
///   → tracks that never move are written into the base pose, once
///   → tracks with equal times share one timeline, so each time is looked up once
///   → key after key, the rows of one timeline lie side by side: one seek reads one run of memory
/// ```
///
/// A linear rotation is stored by segments, not by keys: q(s) = q0 cos(s θ) + p sin(s θ) with p the unit quaternion
/// orthogonal to q0 towards the next key. This is slerp on the short arc with its divisions done beforehand, and STEP is
/// the same with θ = 0. Polynomials for sine and cosine keep it free of calls: its error is below 1e-6 rad.
///
/// Before a track's first key its first value holds, after its last key its last. Loops are the caller's.
/// Tracks without keys, of nodes the base pose does not have, or with values that are not finite are left out.
#[derive(Clone, Debug)]
pub struct PackedClip {
    duration_secs: f64,
    base: Pose,
    groups: Vec<Group>,
    splines: Vec<Spline>,
    morphs: Vec<Morph>,
}

/// The tracks of one timeline.
#[derive(Clone, Debug)]
struct Group {
    timeline: Timeline,
    /// `[R]` nodes of the rotation lanes, padded lanes left out.
    rotated: Vec<u32>,
    /// `[K × ceil(R / LANES)]`, key by key.
    arcs: Vec<ArcBlock>,
    /// `[M]` nodes that are moved.
    moved: Vec<u32>,
    /// `[K × M]`, key by key.
    moves: Vec<Slope>,
    /// `[S]` nodes that are scaled.
    scaled: Vec<u32>,
    /// `[K × S]`, key by key.
    scales: Vec<Slope>,
}

/// A straight way from one key to the next.
#[derive(Clone, Copy, Debug)]
struct Slope {
    from: Vec3,
    delta: Vec3,
}

/// A cubic track, as in the file.
#[derive(Clone, Debug)]
struct Spline {
    node: u32,
    timeline: Timeline,
    values: TrackValues,
}

/// A track of morph weights.
#[derive(Clone, Debug)]
struct Morph {
    node: NodeIndex,
    n_targets: usize,
    timeline: Timeline,
    interpolation: Interpolation,
    values: Vec<f32>,
}

impl PackedClip {
    /// Packs `clip` over `base`, the pose of everything it does not move: the bind pose or the loaded one, `[N]`.
    ///
    /// Cost: O(keys).
    pub fn new(clip: &Clip, base: &Pose) -> Self {
        let mut packed = Self {
            duration_secs: clip.duration_secs,
            base: base.clone(),
            groups: Vec::new(),
            splines: Vec::new(),
            morphs: Vec::new(),
        };
        let mut builders: Vec<(Vec<f32>, Vec<&Track>)> = Vec::new();
        for track in &clip.tracks {
            if !is_usable(track, base.locals.len()) || packed.take_constant(track) {
                continue;
            }
            match (&track.values, track.interpolation) {
                (TrackValues::Morph { n_targets, values }, interpolation) => {
                    packed.morphs.push(Morph {
                        node: track.node,
                        n_targets: *n_targets as usize,
                        timeline: Timeline::new(track.times.clone()),
                        interpolation,
                        values: values.clone(),
                    });
                }
                (_, Interpolation::Cubic) => packed.splines.push(Spline {
                    node: track.node.0,
                    timeline: Timeline::new(track.times.clone()),
                    values: track.values.clone(),
                }),
                _ => match builders.iter_mut().find(|(times, _)| *times == track.times) {
                    Some((_, tracks)) => tracks.push(track),
                    None => builders.push((track.times.clone(), vec![track])),
                },
            }
        }
        packed.groups =
            builders.into_iter().map(|(times, tracks)| Group::new(times, &tracks)).collect();
        packed
    }

    /// Writes a track that holds one value all through into the base pose; `false` where it moves.
    fn take_constant(&mut self, track: &Track) -> bool {
        let Some(local) = self.base.locals.get_mut(track.node.index()) else { return false };
        let taken = match &track.values {
            TrackValues::Translation(v) => constant(track, v).map(|v| local.translation = v),
            TrackValues::Rotation(v) => constant(track, v).map(|v| local.rotation = unit(v)),
            TrackValues::Scale(v) => constant(track, v).map(|v| local.scale = v),
            TrackValues::Morph { .. } => None,
        };
        taken.is_some()
    }

    /// Length of the clip in seconds.
    pub fn duration_secs(&self) -> f64 {
        self.duration_secs
    }

    /// The pose at `time_secs`, `[N]`: every local transform is written. Allocates only where `pose` is too small.
    pub fn sample(&self, time_secs: f64, pose: &mut Pose) {
        dispatch!(Level::new(), proof => self.sample_inlined(proof, time_secs, pose));
    }

    /// All of it inlined, to be built for what a processor has; without fused multiply-add it gives the same bits.
    #[inline(always)]
    fn sample_inlined<S: Simd>(&self, proof: S, time_secs: f64, pose: &mut Pose) {
        pose.locals.clear();
        pose.locals.extend_from_slice(&self.base.locals);
        for group in &self.groups {
            group.sample(proof, time_secs, pose);
        }
        for spline in &self.splines {
            spline.sample(time_secs, pose);
        }
    }

    /// Nodes whose morph weights the clip moves, with the number of their targets, in the clip's order.
    pub fn morphs(&self) -> impl ExactSizeIterator<Item = (NodeIndex, usize)> + '_ {
        self.morphs.iter().map(|m| (m.node, m.n_targets))
    }

    /// Morph weights at `time_secs` of the `index`-th of [`Self::morphs`], into as much of `weights` as there is.
    pub fn sample_morph(&self, index: usize, time_secs: f64, weights: &mut [f32]) {
        if let Some(morph) = self.morphs.get(index) {
            morph.sample(time_secs, weights);
        }
    }
}

/// Whether the track has as many values as its keys ask for, all finite, for a node that is there.
fn is_usable(track: &Track, n_nodes: usize) -> bool {
    let per_key = if track.interpolation == Interpolation::Cubic { 3 } else { 1 };
    let wanted = track.times.len() * per_key;
    let complete = match &track.values {
        TrackValues::Translation(v) | TrackValues::Scale(v) => {
            v.len() >= wanted && v.iter().all(|v| v.is_finite())
        }
        TrackValues::Rotation(v) => v.len() >= wanted && v.iter().all(|q| q.is_finite()),
        TrackValues::Morph { n_targets, values } => {
            *n_targets > 0
                && values.len() >= wanted * *n_targets as usize
                && values.iter().all(|w| w.is_finite())
        }
    };
    complete && wanted > 0 && track.node.index() < n_nodes
}

/// The value a track holds all through; `None` where it moves, or may move by its tangents.
fn constant<T: Copy + PartialEq>(track: &Track, values: &[T]) -> Option<T> {
    let is_cubic = track.interpolation == Interpolation::Cubic;
    let first = *values.get(usize::from(is_cubic))?;
    let holds = track.times.len() == 1 || !is_cubic && values.iter().all(|v| *v == first);
    holds.then_some(first)
}

impl Group {
    fn new(times: Vec<f32>, tracks: &[&Track]) -> Self {
        let n_keys = times.len();
        let mut rotations: Vec<(u32, &[Quat], Interpolation)> = Vec::new();
        let mut moves: Vec<(u32, &[Vec3], Interpolation)> = Vec::new();
        let mut scales: Vec<(u32, &[Vec3], Interpolation)> = Vec::new();
        for track in tracks {
            let node = track.node.0;
            match &track.values {
                TrackValues::Rotation(v) => rotations.push((node, v, track.interpolation)),
                TrackValues::Translation(v) => moves.push((node, v, track.interpolation)),
                TrackValues::Scale(v) => scales.push((node, v, track.interpolation)),
                TrackValues::Morph { .. } => {}
            }
        }
        let mut arcs = vec![ArcBlock::REST; n_keys * rotations.len().div_ceil(LANES)];
        let n_blocks = rotations.len().div_ceil(LANES);
        for (lane, (_, values, interpolation)) in rotations.iter().enumerate() {
            let mut from = unit(values.first().copied().unwrap_or_default());
            for key in 0..n_keys {
                // Signs are made continuous, so that every arc is the short one.
                let next = values.get(key + 1).filter(|_| key + 1 < n_keys);
                let next = next.map_or(from, |&q| unit(q));
                let next = if from.dot(next) < 0.0 { -next } else { next };
                if let Some(block) = arcs.get_mut(key * n_blocks + lane / LANES) {
                    let to = if *interpolation == Interpolation::Step { from } else { next };
                    block.set(lane % LANES, from, to);
                }
                from = next;
            }
        }
        let slopes = |tracks: &[(u32, &[Vec3], Interpolation)]| {
            let mut rows = Vec::with_capacity(n_keys * tracks.len());
            for key in 0..n_keys {
                for (_, values, interpolation) in tracks {
                    let from = values.get(key).copied().unwrap_or_default();
                    let to = match values.get(key + 1) {
                        Some(&to) if *interpolation != Interpolation::Step => to,
                        _ => from,
                    };
                    rows.push(Slope { from, delta: to - from });
                }
            }
            rows
        };
        Self {
            rotated: rotations.iter().map(|r| r.0).collect(),
            arcs,
            moved: moves.iter().map(|m| m.0).collect(),
            moves: slopes(&moves),
            scaled: scales.iter().map(|s| s.0).collect(),
            scales: slopes(&scales),
            timeline: Timeline::new(times),
        }
    }

    #[inline(always)]
    fn sample<S: Simd>(&self, proof: S, time: f64, pose: &mut Pose) {
        let Moment { key, share, .. } = self.timeline.seek(time);
        let n_blocks = self.rotated.len().div_ceil(LANES);
        let blocks = self.arcs.get(key * n_blocks..(key + 1) * n_blocks).unwrap_or_default();
        for (nodes, block) in self.rotated.chunks(LANES).zip(blocks) {
            for (&node, rotation) in nodes.iter().zip(block.at(proof, share)) {
                if let Some(local) = pose.locals.get_mut(node as usize) {
                    local.rotation = rotation;
                }
            }
        }
        for (&node, slope) in self.moved.iter().zip(row(&self.moves, key, self.moved.len())) {
            if let Some(local) = pose.locals.get_mut(node as usize) {
                local.translation = slope.from + slope.delta * share;
            }
        }
        for (&node, slope) in self.scaled.iter().zip(row(&self.scales, key, self.scaled.len())) {
            if let Some(local) = pose.locals.get_mut(node as usize) {
                local.scale = slope.from + slope.delta * share;
            }
        }
    }
}

fn row(rows: &[Slope], key: usize, width: usize) -> &[Slope] {
    rows.get(key * width..(key + 1) * width).unwrap_or_default()
}

impl Spline {
    fn sample(&self, time: f64, pose: &mut Pose) {
        let moment = self.timeline.seek(time);
        let Some(local) = pose.locals.get_mut(self.node as usize) else { return };
        let vector =
            |[a, b, c, d]: [Vec3; 4], [wa, wb, wc, wd]: [f32; 4]| a * wa + b * wb + c * wc + d * wd;
        match &self.values {
            TrackValues::Translation(v) => local.translation = spline(v, moment, vector),
            TrackValues::Scale(v) => local.scale = spline(v, moment, vector),
            TrackValues::Rotation(v) => {
                let q = spline(v, moment, |[a, b, c, d], [wa, wb, wc, wd]| {
                    a * wa + b * wb + c * wc + d * wd
                });
                local.rotation = unit(q);
            }
            TrackValues::Morph { .. } => {}
        }
    }
}

impl Morph {
    fn sample(&self, time: f64, weights: &mut [f32]) {
        let moment = self.timeline.seek(time);
        let n = self.n_targets;
        let value = |row: usize, target: usize| {
            self.values.get(row * n + target).copied().unwrap_or_default()
        };
        for (target, weight) in weights.iter_mut().enumerate().take(n) {
            *weight = match self.interpolation {
                Interpolation::Step => value(moment.key, target),
                Interpolation::Linear => {
                    let from = value(moment.key, target);
                    if moment.share == 0.0 {
                        from
                    } else {
                        from + (value(moment.key + 1, target) - from) * moment.share
                    }
                }
                Interpolation::Cubic => {
                    let [a, b, c, d] = hermite(moment);
                    let key = 3 * moment.key;
                    if moment.share == 0.0 {
                        value(key + 1, target)
                    } else {
                        value(key + 1, target) * a
                            + value(key + 2, target) * b
                            + value(key + 4, target) * c
                            + value(key + 3, target) * d
                    }
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::{Transform, rotation};

    fn track(values: TrackValues, times: &[f32], interpolation: Interpolation) -> Track {
        Track { node: NodeIndex(1), times: times.to_vec(), values, interpolation }
    }

    fn base() -> Pose {
        Pose { locals: vec![Transform::from_translation(Vec3::X); 3] }
    }

    fn sampled(track: Track, time: f64) -> Transform {
        let clip = Clip { tracks: vec![track], ..Clip::default() };
        let mut pose = Pose::default();
        PackedClip::new(&clip, &base()).sample(time, &mut pose);
        assert_eq!(pose.locals[0], Transform::from_translation(Vec3::X), "others keep the base");
        pose.locals[1]
    }

    #[test]
    fn the_ends_hold_and_the_middle_is_half_way() {
        let keys = TrackValues::Translation(vec![Vec3::ZERO, Vec3::Y * 2.0]);
        for (time, y) in [(-1.0, 0.0), (1.0, 0.0), (1.5, 1.0), (2.0, 2.0), (99.0, 2.0)] {
            let at = |how| sampled(track(keys.clone(), &[1.0, 2.0], how), time).translation;
            assert_eq!(at(Interpolation::Linear), Vec3::Y * y, "{time}");
            let stepped = if time < 2.0 { 0.0 } else { 2.0 };
            assert_eq!(at(Interpolation::Step), Vec3::Y * stepped, "{time}");
        }
    }

    #[test]
    fn rotations_take_the_short_arc_at_constant_speed() {
        let end = Quat::from_rotation_y(2.0);
        for end in [end, -end] {
            let keys = TrackValues::Rotation(vec![Quat::IDENTITY, end]);
            for i in 0..=10 {
                let share = i as f32 / 10.0;
                let q = sampled(
                    track(keys.clone(), &[0.0, 1.0], Interpolation::Linear),
                    f64::from(share),
                );
                let wanted = Quat::from_rotation_y(2.0 * share);
                assert!(rotation::angle_between(q.rotation, wanted) < 1e-6);
                assert!((q.rotation.length() - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_cubic_spline_with_zero_tangents_is_smoothstep() {
        let (a, b) = (Vec3::ZERO, Vec3::splat(4.0));
        let keys = vec![Vec3::ZERO, a, Vec3::ZERO, Vec3::ZERO, b, Vec3::ZERO];
        let at = |time| {
            sampled(
                track(TrackValues::Scale(keys.clone()), &[0.0, 2.0], Interpolation::Cubic),
                time,
            )
            .scale
        };
        assert_eq!(at(-1.0), a);
        assert_eq!(at(0.5), Vec3::splat(4.0 * (3.0 * 0.25_f32.powi(2) - 2.0 * 0.25_f32.powi(3))));
        assert_eq!(at(1.0), Vec3::splat(2.0));
        assert_eq!(at(3.0), b);
    }

    #[test]
    fn cubic_tangents_are_per_second() {
        // x(t) = t over two seconds: slope 1 at both keys.
        let keys = vec![Vec3::X, Vec3::ZERO, Vec3::X, Vec3::X, Vec3::X * 2.0, Vec3::X];
        let at =
            sampled(track(TrackValues::Translation(keys), &[0.0, 2.0], Interpolation::Cubic), 0.5);
        assert!((at.translation - Vec3::X * 0.5).length() < 1e-6);
    }

    #[test]
    fn morph_weights_are_sampled_target_by_target() {
        let values = TrackValues::Morph { n_targets: 2, values: vec![0.0, 1.0, 1.0, 0.0] };
        let clip = Clip {
            tracks: vec![track(values, &[0.0, 1.0], Interpolation::Linear)],
            ..Clip::default()
        };
        let packed = PackedClip::new(&clip, &base());
        assert_eq!(packed.morphs().collect::<Vec<_>>(), [(NodeIndex(1), 2)]);
        let mut weights = [9.0; 3];
        packed.sample_morph(0, 0.25, &mut weights);
        assert_eq!(weights, [0.25, 0.75, 9.0]);
    }

    #[test]
    fn broken_tracks_are_left_out() {
        let bad = [
            track(TrackValues::Translation(vec![]), &[], Interpolation::Linear),
            track(TrackValues::Translation(vec![Vec3::ONE]), &[0.0, 1.0], Interpolation::Linear),
            track(TrackValues::Rotation(vec![Quat::NAN; 2]), &[0.0, 1.0], Interpolation::Linear),
            track(TrackValues::Scale(vec![Vec3::ONE; 2]), &[0.0], Interpolation::Cubic),
        ];
        for track in bad {
            assert_eq!(sampled(track, 0.5), Transform::from_translation(Vec3::X));
        }
    }

    proptest! {
        #[test]
        fn sampling_agrees_with_slerp_in_double_precision(
            keys in prop::collection::vec(prop::array::uniform4(-1.0_f32..1.0), 2..12),
            share in 0.0_f32..1.0,
        ) {
            let keys: Vec<Quat> = keys
                .into_iter()
                .map(|q| unit(Quat::from_array(q)))
                .collect();
            let times: Vec<f32> = (0..keys.len()).map(|i| i as f32).collect();
            let at = share * (keys.len() - 1) as f32;
            let values = TrackValues::Rotation(keys.clone());
            let found = sampled(track(values, &times, Interpolation::Linear), f64::from(at));
            let k = (at as usize).min(keys.len() - 2);
            let (a, b) = (keys[k].as_dquat(), keys[k + 1].as_dquat());
            let b = if a.dot(b) < 0.0 { -b } else { b };
            // Near 90° between the quaternions the short arc is a matter of rounding.
            prop_assume!(a.dot(b) > 1e-3);
            let wanted = a.slerp(b, f64::from(at) - k as f64).as_quat();
            prop_assert!(rotation::angle_between(found.rotation, wanted) < 3e-6);
        }
    }
}
