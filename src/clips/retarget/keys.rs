//! The source's motion, node by node: local rotations at common times, and the way of the hips.

use glam::{Affine3A, Quat, Vec3};

use super::super::PackedClip;
use super::RetargetRig;
use crate::math::Transform;
use crate::model::{Clip, Interpolation, NodeIndex, Pose, Track, TrackValues};

/// Keys for one second where the source's channels disagree about their times.
const RESAMPLED_PER_SEC: f64 = 30.0;

/// Motion of some nodes at common times.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// `[K]`.
    pub times: Vec<f32>,
    /// Between the keys.
    pub interpolation: Interpolation,
    /// `[nodes × K]`: local rotations, node by node.
    pub rotations: Vec<Quat>,
    /// `[K]`: from the hips' own space to the file's scene.
    pub file_from_hips: Vec<Affine3A>,
}

/// One node's part of a clip.
#[derive(Clone, Copy, Default)]
struct Channels<'a> {
    translation: Option<&'a Track>,
    rotation: Option<&'a Track>,
    scale: Option<&'a Track>,
}

impl Keys {
    /// Keys of `nodes` (parents first, each with all its ancestors) in `clip`.
    ///
    /// The source's own keys where all channels that move share their times and are linear or all stepped; otherwise
    /// 30 a second over the clip. Scales and translations count on the way to the hips alone. Cost: O(keys).
    pub fn read(clip: &Clip, rig: &RetargetRig, nodes: &[NodeIndex], hips: NodeIndex) -> Self {
        let mut channels = vec![Channels::default(); rig.skeleton.len()];
        for track in &clip.tracks {
            let Some(slot) = channels.get_mut(track.node.index()) else { continue };
            match track.values {
                TrackValues::Translation(_) => slot.translation = Some(track),
                TrackValues::Rotation(_) => slot.rotation = Some(track),
                TrackValues::Scale(_) => slot.scale = Some(track),
                TrackValues::Morph { .. } => {}
            }
        }
        let mut line: Vec<NodeIndex> =
            std::iter::once(hips).chain(rig.skeleton.ancestors(hips)).collect();
        line.reverse();
        let own = nodes.iter().filter_map(|n| channels[n.index()].rotation);
        let way = line.iter().flat_map(|n| {
            let c = channels[n.index()];
            [c.translation, c.scale].into_iter().flatten()
        });
        match common_times(own.chain(way)) {
            Some((times, interpolation)) => {
                Self::aligned(rig, nodes, &line, &channels, times, interpolation)
            }
            None => Self::resampled(clip, rig, nodes, &line),
        }
    }

    fn aligned(
        rig: &RetargetRig,
        nodes: &[NodeIndex],
        line: &[NodeIndex],
        channels: &[Channels<'_>],
        times: Vec<f32>,
        interpolation: Interpolation,
    ) -> Self {
        let n_keys = times.len();
        let mut rotations = Vec::with_capacity(nodes.len() * n_keys);
        for node in nodes {
            let held = rig.loaded.local(*node).rotation;
            let values = match channels[node.index()].rotation.map(|t| &t.values) {
                Some(TrackValues::Rotation(values)) => values.as_slice(),
                _ => &[],
            };
            let last = values.last().copied().unwrap_or(held);
            let padding = n_keys.saturating_sub(values.len());
            rotations.extend(values.iter().copied().take(n_keys));
            rotations.extend(std::iter::repeat_n(last, padding));
        }
        let file_from_hips = (0..n_keys)
            .map(|key| {
                line.iter().fold(Affine3A::IDENTITY, |above, &node| {
                    let local = local_at(&channels[node.index()], key, rig.loaded.local(node));
                    above * local.to_affine()
                })
            })
            .collect();
        Self { times, interpolation, rotations, file_from_hips }
    }

    fn resampled(clip: &Clip, rig: &RetargetRig, nodes: &[NodeIndex], line: &[NodeIndex]) -> Self {
        let packed = PackedClip::new(clip, &rig.loaded);
        // From the first key to the last: what is held before it is held by the result as well.
        let first = clip.tracks.iter().filter_map(|t| t.times.first().copied());
        let start = f64::from(first.fold(f32::INFINITY, f32::min)).clamp(0.0, clip.duration_secs);
        let span = clip.duration_secs - start;
        let n_steps = (span * RESAMPLED_PER_SEC).round().clamp(1.0, 1e6) as usize;
        let n_keys = n_steps + 1;
        let mut times = Vec::with_capacity(n_keys);
        let mut rotations = vec![Quat::IDENTITY; nodes.len() * n_keys];
        let mut file_from_hips = Vec::with_capacity(n_keys);
        let mut pose = Pose::default();
        for key in 0..n_keys {
            let time = start + span * key as f64 / n_steps as f64;
            packed.sample(time, &mut pose);
            for (row, &node) in nodes.iter().enumerate() {
                rotations[row * n_keys + key] = pose.local(node).rotation;
            }
            file_from_hips
                .push(line.iter().fold(Affine3A::IDENTITY, |m, &n| m * pose.local(n).to_affine()));
            times.push(time as f32);
        }
        Self { times, interpolation: Interpolation::Linear, rotations, file_from_hips }
    }
}

/// A node's local transform at a key, over what it holds without tracks.
fn local_at(channels: &Channels<'_>, key: usize, held: Transform) -> Transform {
    let vector = |track: Option<&Track>, held: Vec3| match track.map(|t| &t.values) {
        Some(TrackValues::Translation(v) | TrackValues::Scale(v)) => {
            v.get(key).or(v.last()).copied().unwrap_or(held)
        }
        _ => held,
    };
    let rotation = match channels.rotation.map(|t| &t.values) {
        Some(TrackValues::Rotation(v)) => v.get(key).or(v.last()).copied().unwrap_or(held.rotation),
        _ => held.rotation,
    };
    Transform {
        translation: vector(channels.translation, held.translation),
        rotation,
        scale: vector(channels.scale, held.scale),
    }
}

/// The times that all tracks share, leaving out those that hold one value; `None` where they disagree, have a value
/// too few or are splines.
fn common_times<'a>(tracks: impl Iterator<Item = &'a Track>) -> Option<(Vec<f32>, Interpolation)> {
    let mut common: Option<&Track> = None;
    for track in tracks {
        if track.interpolation == Interpolation::Cubic {
            return None;
        }
        let (n_values, is_finite, is_still) = match &track.values {
            TrackValues::Rotation(v) => {
                (v.len(), v.iter().all(|q| q.is_finite()), v.iter().all(|q| *q == v[0]))
            }
            TrackValues::Translation(v) | TrackValues::Scale(v) => {
                (v.len(), v.iter().all(|x| x.is_finite()), v.iter().all(|x| *x == v[0]))
            }
            TrackValues::Morph { .. } => continue,
        };
        if n_values != track.times.len() || !is_finite {
            return None;
        }
        match common {
            Some(c) if c.times == track.times && c.interpolation == track.interpolation => {}
            _ if is_still => {}
            Some(_) => return None,
            None => common = Some(track),
        }
    }
    Some(match common {
        Some(track) => (track.times.clone(), track.interpolation),
        None => (vec![0.0], Interpolation::Linear),
    })
}
