//! Bundled clips beside the clips of the same names of a real library: facts to aim at, not keys to copy.

use glam::{Quat, Vec3};
use tailbone::clips::retarget::{RetargetOptions, RetargetRig, Retargeter};
use tailbone::detect::roles;
use tailbone::math::{ops, rotation::angle_between};
use tailbone::model::{BindPose, Clip, Role};
use tailbone::recipes;
use tailbone::work::Work;

use crate::shots::{Shot, shots};

/// Times at which two clips are compared.
const N: usize = 40;

pub const BODY: [Role; 22] = [
    Role::Hips,
    Role::Spine,
    Role::Chest,
    Role::UpperChest,
    Role::Neck,
    Role::Head,
    Role::LeftShoulder,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightShoulder,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::LeftToes,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
    Role::RightToes,
];

/// The clips of a file on the canonical skeleton, by name: turns and the way of the hips alone.
pub fn clips(path: &std::path::Path) -> Vec<Clip> {
    let loaded = tailbone::io::read(path, &Work::default()).unwrap();
    let character = &loaded.characters[0];
    let humanoid = roles::humanoid(character);
    let bind = BindPose::of(character, humanoid.node(Role::Hips));
    let source = RetargetRig::of(character, &bind, &humanoid, None, |_| true);
    let canonical = recipes::skeleton();
    let hips = canonical.humanoid.node(Role::Hips);
    let target = RetargetRig::of(
        &canonical.character,
        &BindPose::of(&canonical.character, hips),
        &canonical.humanoid,
        Some(&canonical.body),
        |_| false,
    );
    let retargeter = Retargeter::new(source, target, RetargetOptions::PLAIN).unwrap();
    let list: Vec<&Clip> = character.clips.iter().map(AsRef::as_ref).collect();
    retargeter.clips(&list, &Work::default()).unwrap()
}

/// How far two clips are from each other.
pub struct Difference {
    /// Degrees, in the mean over joints and times, in the best phase.
    pub mean_deg: f32,
    /// Range of the hips' height in metres: of ours, of the other.
    pub hip_range_m: [f32; 2],
    /// Greatest distance of the feet along the way, in metres: of ours, of the other.
    pub stride_m: [f32; 2],
}

/// Turns a clip's mean heading to +Z.
pub fn heading(shots: &[Shot]) -> Quat {
    let ahead: Vec3 = shots.iter().map(|s| s.turned(Role::Hips) * Vec3::Z).sum();
    Quat::from_rotation_y(-ops::atan2(ahead.x, ahead.z))
}

fn range(values: impl Iterator<Item = f32> + Clone) -> f32 {
    values.clone().fold(f32::MIN, f32::max) - values.fold(f32::MAX, f32::min)
}

/// Compares a clip of ours with another on the same skeleton. Loops in their best phase.
pub fn compare(ours: &Clip, other: &Clip) -> Difference {
    let (a, b) = (shots(ours, N), shots(other, N));
    let (turn_a, turn_b) = (heading(&a), heading(&b));
    let mean = |phase: usize| {
        let apart = (0..N).flat_map(|k| BODY.map(|role| (k, role))).map(|(k, role)| {
            let (p, q) = (a[(k + phase) % N].turned(role), b[k].turned(role));
            angle_between(turn_a * p, turn_b * q).to_degrees()
        });
        apart.sum::<f32>() / (N * BODY.len()) as f32
    };
    let phases = if ours.looping { 0..N } else { 0..1 };
    let hips = |s: &[Shot]| range(s.iter().map(|s| s.place(Role::Hips).y));
    let stride = |s: &[Shot], turn: Quat| {
        let apart = |s: &Shot| (turn * (s.place(Role::LeftFoot) - s.place(Role::RightFoot))).z;
        range(s.iter().map(apart)) / 2.0
    };
    Difference {
        mean_deg: phases.map(mean).fold(f32::MAX, f32::min),
        hip_range_m: [hips(&a), hips(&b)],
        stride_m: [stride(&a, turn_a), stride(&b, turn_b)],
    }
}
