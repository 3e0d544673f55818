//! Animations: channels and samplers into tracks.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use rayon::prelude::*;
use serde_json::Value;

use super::accessor::{AccessorFault, Accessors, Component};
use super::decode::{Budget, Notes};
use super::json;
use super::nodes::NodeTree;
use crate::model::{Clip, FindingCode, Interpolation, Report, TrackValues};
use crate::work::{Stopped, Work};

/// A track that still names its node by the file's index.
#[derive(Clone, Debug)]
pub(super) struct RawTrack {
    pub node: usize,
    pub times: Vec<f32>,
    pub values: TrackValues,
    pub interpolation: Interpolation,
}

/// An animation as the file has it.
#[derive(Clone, Debug)]
pub(super) struct RawClip {
    pub name: String,
    pub tracks: Vec<RawTrack>,
}

/// Reads every animation of the file; channels that cannot be used are left out and reported.
pub(super) fn read(
    root: &Value,
    accessors: &Accessors<'_>,
    tree: &NodeTree,
    budget: &Budget,
    work: &Work,
    report: &mut Report,
) -> Result<Vec<RawClip>, Stopped> {
    let values = json::list(root, "animations");
    let n_targets = targets_of_nodes(root, tree);
    let total = values.len() as u64;
    let read: Vec<(RawClip, Notes)> = values
        .par_iter()
        .enumerate()
        .map(|(i, value)| {
            work.tick("read clips", i as u64, total)?;
            Ok(clip(value, accessors, &n_targets, budget))
        })
        .collect::<Result<_, Stopped>>()?;
    let mut clips = Vec::with_capacity(read.len());
    for (i, (clip, notes)) in read.into_iter().enumerate() {
        for (code, text) in notes {
            report.add(code, json::label("animation", i, values.get(i)), text);
        }
        clips.push(clip);
    }
    Ok(clips)
}

/// Number of morph targets of each node's mesh, `[N]`.
fn targets_of_nodes(root: &Value, tree: &NodeTree) -> Vec<usize> {
    let meshes = json::list(root, "meshes");
    let targets = |mesh: usize| {
        let primitives = json::list(meshes.get(mesh).unwrap_or(&Value::Null), "primitives");
        primitives.first().map_or(0, |p| json::list(p, "targets").len())
    };
    tree.nodes.iter().map(|n| n.mesh.map_or(0, targets)).collect()
}

fn clip(
    value: &Value,
    accessors: &Accessors<'_>,
    n_targets: &[usize],
    budget: &Budget,
) -> (RawClip, Notes) {
    let samplers = json::list(value, "samplers");
    let channels = json::list(value, "channels");
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let mut n_unsorted = 0;
    let mut tracks = Vec::with_capacity(channels.len());
    for channel in channels {
        match track(channel, samplers, accessors, n_targets, budget) {
            Ok((track, is_sorted)) => {
                n_unsorted += usize::from(!is_sorted);
                tracks.push(track);
            }
            Err(why) => *skipped.entry(why).or_default() += 1,
        }
    }
    let mut notes = Notes::new();
    for (why, n) in skipped {
        let text = format!("{n} of {} channels: {why}", channels.len());
        notes.push((FindingCode::TrackSkipped, text));
    }
    if n_unsorted > 0 {
        let text = format!("{n_unsorted} of {} channels", channels.len());
        notes.push((FindingCode::TrackTimesUnsorted, text));
    }
    let last = tracks.iter().filter_map(|t| t.times.last()).fold(0.0_f32, |a, &b| a.max(b));
    if f64::from(last) > Clip::LONGEST_SECS {
        let text = format!("lasts {last} s; the first {} s are played", Clip::LONGEST_SECS);
        notes.push((FindingCode::ClipTooLong, text));
    }
    let name = json::text(value, "name").unwrap_or_default().into();
    (RawClip { name, tracks }, notes)
}

/// One channel as a track, and whether its keys were in order.
fn track(
    channel: &Value,
    samplers: &[Value],
    accessors: &Accessors<'_>,
    n_targets: &[usize],
    budget: &Budget,
) -> Result<(RawTrack, bool), String> {
    let target = channel.get("target").unwrap_or(&Value::Null);
    let Some(node) = json::index(target, "node") else {
        return Err(match json::extension(target, "KHR_animation_pointer") {
            Some(_) => "animates by a pointer (KHR_animation_pointer)".into(),
            None => "names no node".into(),
        });
    };
    let &n_targets = n_targets.get(node).ok_or("names a node that does not exist")?;
    let sampler = json::index(channel, "sampler")
        .and_then(|s| samplers.get(s))
        .ok_or("names a sampler that does not exist")?;
    let interpolation = match json::text(sampler, "interpolation") {
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        _ => Interpolation::Linear,
    };
    let input = json::index(sampler, "input").ok_or("has no times")?;
    let output = json::index(sampler, "output").ok_or("has no values")?;
    let said = |fault: AccessorFault| fault.to_string();
    for index in [input, output] {
        let shape = accessors.shape(index).map_err(said)?;
        budget.take(index, shape.count.saturating_mul(shape.lanes * 4)).map_err(said)?;
    }
    let times = accessors.floats::<1>(input, "SCALAR").map_err(said)?.into_flattened();
    if times.is_empty() {
        return Err("has no keys".into());
    }
    if !times.iter().all(|t| t.is_finite()) {
        return Err("has key times that are not finite".into());
    }
    let path = json::text(target, "path").unwrap_or("nothing");
    let per_key = if interpolation == Interpolation::Cubic { 3 } else { 1 };
    let values = values(path, output, accessors, n_targets)?;
    if values.len() != times.len() * per_key {
        return Err(format!("has {} values for {} keys", values.len(), times.len()));
    }
    if !values.is_finite() {
        return Err("has values that are not finite".into());
    }
    let mut track = RawTrack { node, times, values, interpolation };
    let is_sorted = track.times.array_windows().all(|[a, b]| a < b);
    if !is_sorted {
        track.sort(per_key);
    }
    track.normalize(per_key);
    Ok((track, is_sorted))
}

fn values(
    path: &str,
    output: usize,
    accessors: &Accessors<'_>,
    n_targets: usize,
) -> Result<TrackValues, String> {
    let said = |fault: AccessorFault| fault.to_string();
    let vectors = || {
        let values = accessors.floats::<3>(output, "VEC3").map_err(said)?;
        Ok::<_, String>(values.into_iter().map(Vec3::from).collect())
    };
    Ok(match path {
        "translation" => TrackValues::Translation(vectors()?),
        "scale" => TrackValues::Scale(vectors()?),
        "rotation" => {
            let values = quantized::<4>(output, accessors).map_err(said)?;
            TrackValues::Rotation(values.into_iter().map(Quat::from_array).collect())
        }
        "weights" if n_targets > 0 => TrackValues::Morph {
            n_targets: n_targets as u32,
            values: quantized::<1>(output, accessors).map_err(said)?.into_flattened(),
        },
        "weights" => return Err("animates morph targets of a node that has none".into()),
        "pointer" => return Err("animates by a pointer (KHR_animation_pointer)".into()),
        other => return Err(format!("animates {other}, which is no property of a node")),
    })
}

/// Rotations and weights: integers count as normalised, for they cannot mean anything else.
fn quantized<const N: usize>(
    index: usize,
    accessors: &Accessors<'_>,
) -> Result<Vec<[f32; N]>, AccessorFault> {
    let mut elements = accessors.elements(index)?;
    if elements.shape.lanes != N {
        let found = format!("{} numbers wide", elements.shape.lanes);
        let wanted = if N == 4 { "VEC4" } else { "SCALAR" };
        return Err(AccessorFault::Kind { index, found, wanted });
    }
    elements.shape.normalized = elements.shape.component != Component::F32;
    Ok(elements.floats())
}

impl RawTrack {
    /// Sorts the keys by time; of keys at the same time the last stays.
    fn sort(&mut self, per_key: usize) {
        let mut order: Vec<usize> = (0..self.times.len()).collect();
        let time = |k: usize| self.times.get(k).copied().unwrap_or_default();
        order.sort_by(|&a, &b| time(a).total_cmp(&time(b)).then(b.cmp(&a)));
        order.dedup_by(|b, a| time(*a) == time(*b));
        self.values.pick(&order, per_key);
        self.times = order.iter().map(|&k| time(k)).collect();
    }

    /// Makes the rotations at keys unit quaternions; tangents stay as they are.
    fn normalize(&mut self, per_key: usize) {
        let TrackValues::Rotation(values) = &mut self.values else { return };
        let middle = per_key / 2;
        for q in values.iter_mut().skip(middle).step_by(per_key) {
            let length = q.length();
            if (length - 1.0).abs() > 1e-6 {
                *q = if length > 1e-12 { q.normalize() } else { Quat::IDENTITY };
            }
        }
    }
}

/// Lengths and choices over the kinds of values; private to reading.
trait Keys {
    fn len(&self) -> usize;
    fn is_finite(&self) -> bool;
    fn pick(&mut self, order: &[usize], per_key: usize);
}

impl Keys for TrackValues {
    /// Values, a morph's set of weights counting as one.
    fn len(&self) -> usize {
        match self {
            Self::Translation(v) | Self::Scale(v) => v.len(),
            Self::Rotation(v) => v.len(),
            Self::Morph { n_targets, values } => match values.len() % *n_targets as usize {
                0 => values.len() / *n_targets as usize,
                _ => usize::MAX,
            },
        }
    }

    fn is_finite(&self) -> bool {
        match self {
            Self::Translation(v) | Self::Scale(v) => v.iter().all(|x| x.is_finite()),
            Self::Rotation(v) => v.iter().all(|x| x.is_finite()),
            Self::Morph { values, .. } => values.iter().all(|x| x.is_finite()),
        }
    }

    fn pick(&mut self, order: &[usize], per_key: usize) {
        fn picked<T: Copy>(values: &[T], order: &[usize], width: usize) -> Vec<T> {
            order
                .iter()
                .filter_map(|k| values.get(k * width..(k + 1) * width))
                .flatten()
                .copied()
                .collect()
        }
        match self {
            Self::Translation(v) | Self::Scale(v) => *v = picked(v, order, per_key),
            Self::Rotation(v) => *v = picked(v, order, per_key),
            Self::Morph { n_targets, values } => {
                *values = picked(values, order, per_key * *n_targets as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_the_last_of_equal_times_stays() {
        let mut track = RawTrack {
            node: 0,
            times: vec![1.0, 0.0, 1.0],
            values: TrackValues::Translation(vec![Vec3::X, Vec3::Y, Vec3::Z]),
            interpolation: Interpolation::Linear,
        };
        track.sort(1);
        assert_eq!(track.times, [0.0, 1.0]);
        assert_eq!(track.values, TrackValues::Translation(vec![Vec3::Y, Vec3::Z]));
    }
}
