//! Every clip at hand on every humanoid at hand.
#![allow(clippy::unwrap_used, reason = "a test may stop where a file of ours cannot be read")]

mod common;

use std::path::{Path, PathBuf};

use tailbone::clips::PackedClip;
use tailbone::clips::retarget::{RetargetOptions, RetargetRig, Retargeter};
use tailbone::detect::roles;
use tailbone::math::{polar_rotation, rotation};
use tailbone::model::{BindPose, Character, Clip, Pose, Role, TrackValues, WorldPose};
use tailbone::work::Work;

/// Joints without which a figure is no body.
const BODY: [Role; 14] = [
    Role::Hips,
    Role::Spine,
    Role::Head,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::LeftFoot,
];

fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| endings.iter().any(|x| e == *x)))
        .collect();
    files.sort();
    files
}

/// A figure that can be retargeted: its rig and its clips.
struct Figure {
    name: String,
    character: Character,
    rig: RetargetRig,
}

fn figure(path: &Path) -> Option<Figure> {
    let loaded = tailbone::io::read(path, &Work::default()).ok()?;
    let character = loaded.characters.into_iter().next()?;
    let humanoid = roles::humanoid(&character);
    let has_body = BODY.iter().all(|&role| humanoid.node(role).is_some());
    let hips = humanoid.node(Role::Hips)?;
    let bind = BindPose::of(&character, Some(hips));
    let mut rig = RetargetRig::of(&character, &bind, &humanoid, None, |_| true);
    // The lowest skin is the floor; detection says so where it has run.
    let lowest = rig.support.iter().map(|p| p.place.y).fold(f32::INFINITY, f32::min);
    rig.floor_m = lowest.is_finite().then_some(lowest);
    let name = path.file_name().unwrap().to_string_lossy().to_string();
    has_body.then_some(Figure { name, character, rig })
}

fn figures(data: &Path) -> Vec<Figure> {
    let characters = files(&data.join("characters"), &["glb", "gltf"]);
    let vrm = files(&data.join("vrm"), &["vrm"]);
    characters.iter().chain(&vrm).filter_map(|path| figure(path)).collect()
}

fn sources(data: &Path) -> Vec<Figure> {
    let sources: Vec<Figure> =
        files(&data.join("motion"), &["glb"]).iter().filter_map(|path| figure(path)).collect();
    assert!(!sources.is_empty(), "the motion files are humanoids");
    sources
}

fn check(retargeter: &Retargeter, target: &Figure, source: &Figure, clip: &Clip) {
    let named = format!("{} of {} on {}", clip.name, source.name, target.name);
    let result = retargeter.clip(clip, &Work::default()).unwrap();
    for role in BODY {
        if source.rig.humanoid.node(role).is_none() {
            continue;
        }
        let node = target.rig.humanoid.node(role).unwrap();
        assert!(result.animates(node), "{named}: {} does not move", role.name());
    }
    for track in &result.tracks {
        let role = target.rig.humanoid.role(track.node);
        assert!(role.is_some(), "{named}: a joint without a role moves");
        match &track.values {
            TrackValues::Rotation(values) => {
                assert_eq!(values.len(), track.times.len());
                for pair in values.windows(2) {
                    assert!(pair[0].dot(pair[1]) >= 0.0, "{named}: a sign jumps");
                }
                for q in values {
                    assert!((q.length() - 1.0).abs() < 1e-5, "{named}: {q} is not unit");
                }
            }
            TrackValues::Translation(values) => {
                assert_eq!(role, Some(Role::Hips), "{named}");
                assert!(values.iter().all(|v| v.is_finite()), "{named}");
            }
            other => panic!("{named}: {other:?}"),
        }
    }
    if result.looping {
        let gap = seam(target, &result);
        assert!(gap < 1e-4, "{named}: the loop is open by {gap}");
    }
}

/// Largest turn, in radians, between a clip's first and last pose.
fn seam(figure: &Figure, clip: &Clip) -> f32 {
    let packed = PackedClip::new(clip, &figure.rig.loaded);
    let (mut first, mut last) = (Pose::default(), Pose::default());
    packed.sample(0.0, &mut first);
    packed.sample(clip.duration_secs, &mut last);
    (first.locals.iter().zip(&last.locals))
        .map(|(a, b)| rotation::angle_between(a.rotation, b.rotation))
        .fold(0.0, f32::max)
}

#[test]
fn every_clip_plays_on_every_humanoid() {
    let Some(data) = common::shared_data() else { return };
    let (sources, targets) = (sources(&data), figures(&data));
    assert!(targets.len() >= 5, "{} humanoids", targets.len());
    let mut n = 0;
    for source in &sources {
        for target in &targets {
            let options = RetargetOptions::default();
            let retargeter =
                Retargeter::new(source.rig.clone(), target.rig.clone(), options).unwrap();
            for clip in &source.character.clips {
                check(&retargeter, target, source, clip);
                n += 1;
            }
        }
    }
    eprintln!("{n} clips on {} humanoids", targets.len());
}

#[test]
fn every_clip_on_its_own_rig_is_itself() {
    let Some(data) = common::shared_data() else { return };
    for source in sources(&data) {
        let (rig, options) = (&source.rig, RetargetOptions::PLAIN);
        let retargeter = Retargeter::new(rig.clone(), rig.clone(), options).unwrap();
        for clip in &source.character.clips {
            // Not as a loop: closing one changes its last keys by what it was open.
            let mut own = Clip { looping: false, ..clip.as_ref().clone() };
            let same = retargeter.clip(&own, &Work::default()).unwrap();
            own.tracks.retain(|t| !matches!(t.values, TrackValues::Scale(_)));
            let (a, b) = (PackedClip::new(&own, &rig.loaded), PackedClip::new(&same, &rig.neutral));
            for i in 0..=20 {
                // At the source's own keys.
                let times = &same.tracks[0].times;
                let time = f64::from(times[i * (times.len() - 1) / 20]);
                let (own, same) = (world(rig, &a, time), world(rig, &b, time));
                for role in retargeter.moved_roles() {
                    let node = rig.humanoid.node(role).unwrap();
                    let turned = |w: &WorldPose| polar_rotation(&w.matrix(node));
                    // In model space: a joint without a role between two that have one stays still in the result.
                    let gap = rotation::angle_between(turned(&own), turned(&same)).to_degrees();
                    assert!(gap < 0.01, "{} {}: {gap}", clip.name, role.name());
                }
            }
        }
    }
}

fn world(rig: &RetargetRig, clip: &PackedClip, time: f64) -> WorldPose {
    let (mut pose, mut world) = (Pose::default(), WorldPose::default());
    clip.sample(time, &mut pose);
    pose.to_world(&rig.skeleton, &rig.world_from_file.to_affine(), &mut world);
    world
}
