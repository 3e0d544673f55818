//! A small character with a tail and a walk, as a file: what the studio's tests open.
#![allow(clippy::unwrap_used, reason = "a test stops where something is missing")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Quat;
use tailbone::detect::{DetectSettings, detect};
use tailbone::io::{WriteEdits, author};
use tailbone::model::{Clip, Interpolation, Node, Role, Skeleton, Track, TrackValues};
use tailbone::rig::{RigSettings, rig};
use tailbone::samples::{Sample, TruthKind, family, generate};
use tailbone::work::Work;

/// A member of the family that has exactly one tail.
pub fn tailed() -> Sample {
    (1..200)
        .map(family)
        .find(|s| s.truth.tails().count() == 1 && s.truth.of_kind(TruthKind::Tail).count() == 1)
        .unwrap()
}

/// Hips that sway once a second for two seconds, looping.
fn walk(sample: &Sample) -> Clip {
    let hips = sample.truth.roles.node(Role::Hips).unwrap();
    let rest = sample.character.skeleton.node(hips).local.rotation;
    let times: Vec<f32> = (0..=32).map(|i| i as f32 / 16.0).collect();
    let angle = |t: &f32| 0.25 * tailbone::math::ops::sin(t * std::f32::consts::TAU);
    let values = times.iter().map(|t| rest * Quat::from_rotation_y(angle(t))).collect();
    Clip {
        name: "Walk_Loop".into(),
        duration_secs: 2.0,
        looping: true,
        tracks: vec![Track {
            node: hips,
            times,
            values: TrackValues::Rotation(values),
            interpolation: Interpolation::Linear,
        }],
        source: None,
    }
}

/// The fox as another program would have rigged it: its tail on a chain `Brush_1` … of its own, without our marks.
pub fn boned_file(folder: &Path) -> PathBuf {
    let mut sample = generate("fox").unwrap();
    sample.character.clips = vec![Arc::new(walk(&sample))];
    let work = Work::default();
    let found = detect(&sample.character, &DetectSettings::default(), &work).unwrap();
    let rigged = rig(&sample.character, &found, &RigSettings::default(), &work).unwrap();
    let mut character = rigged.character;
    let nodes = character
        .skeleton
        .nodes()
        .iter()
        .map(|node| Node { name: node.name.replace("Tail_", "Brush_"), ..node.clone() });
    character.skeleton = Skeleton::new(nodes.collect()).unwrap();
    let written = author(&character, "tests", None).write(&WriteEdits::default()).unwrap();
    let path = folder.join("boned.glb");
    std::fs::write(&path, written.to_bytes()).unwrap();
    path
}

/// Writes the character to `folder`, with its walk.
pub fn tailed_file(folder: &Path) -> PathBuf {
    moving_file(folder, "tailed.glb", &["Walk_Loop"])
}

/// Writes the character to `folder` with the same motion under each of these names.
pub fn moving_file(folder: &Path, file: &str, clips: &[&str]) -> PathBuf {
    let mut sample = tailed();
    let walk = walk(&sample);
    let named = |name: &&str| Arc::new(Clip { name: (*name).to_owned(), ..walk.clone() });
    sample.character.clips = clips.iter().map(named).collect();
    let written = author(&sample.character, "tests", None).write(&WriteEdits::default()).unwrap();
    let path = folder.join(file);
    std::fs::write(&path, written.to_bytes()).unwrap();
    path
}
