//! A small character with a tail and a walk, as a file: what the studio's tests open.
#![allow(clippy::unwrap_used, reason = "a test stops where something is missing")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Quat;
use tailbone::io::{WriteEdits, author};
use tailbone::model::{Clip, Interpolation, Role, Track, TrackValues};
use tailbone::samples::{Sample, TruthKind, family};

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

/// Writes the character to `folder`.
pub fn tailed_file(folder: &Path) -> PathBuf {
    let mut sample = tailed();
    let clip = walk(&sample);
    sample.character.clips = vec![Arc::new(clip)];
    let written = author(&sample.character, "tests", None).write(&WriteEdits::default()).unwrap();
    let path = folder.join("tailed.glb");
    std::fs::write(&path, written.to_bytes()).unwrap();
    path
}
