//! The mouse: a thin tail longer than itself is tall to the waist, that lies on the floor and curls to one side.
//!
//! Two files: one saved in the middle of a step, so that its loaded pose is not its bind pose; one whose artist rigged
//! the tail already.

mod body;
mod tail;

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};

use super::SampleInfo;
use super::anatomy::{EyeColors, ball, eye, line_on};
use super::assemble::Label;
use super::build::{Build, Weights};
use super::color::srgb;
use super::figure::{Figure, Frames, JointKey, Naming, Proportions, Side, SkeletonPlan};
use super::rigger::Claim;
use super::seams::Seams;
use super::shape::{LocalField, Piece, contour, remesh};
use super::truth::{Sample, TruthKind};
use crate::model::{Role, Skeleton};

/// Metres from the floor to the rims of the ears.
const HEIGHT: f32 = 1.42;

/// For the list.
pub(super) const INFO: SampleInfo = SampleInfo {
    name: "mouse",
    about: "A mouse of 1.42 m whose long thin tail lies on the floor; saved in a bent pose",
};

/// For the list.
pub(super) const RIGGED_INFO: SampleInfo = SampleInfo {
    name: "mouse-rigged",
    about: "The mouse with seven joints in its tail, the last one saved at 28 degrees",
};

/// Label of the tail.
const TAIL: u16 = 1;

/// Joints of the rigged tail.
const N_TAIL_JOINTS: u8 = 7;

/// How far the last joint of the rigged tail was left turned in the file.
const SAVED_TURN_RAD: f32 = 28.0 * std::f32::consts::PI / 180.0;

fn figure() -> Figure {
    Proportions {
        height: 1.26,
        hips: 0.40,
        neck: 0.635,
        head: 0.675,
        shoulders: 0.088,
        hip_width: 0.068,
        arm: 0.135,
        arm_drop: 0.55,
        foot: 0.125,
        finger: 0.066,
        has_fingers: true,
        ..Proportions::default()
    }
    .figure()
}

/// The mouse, saved in mid-step.
pub(super) fn mouse() -> Sample {
    let figure = figure();
    let (pieces, tail) = skin(&figure);
    let mut sample = build(figure, pieces, (tail, Weights::Rigged(Claim::Nearest, 0.05)), INFO);
    let x = Quat::from_rotation_x;
    let bends = [
        (Role::Spine, x(0.12)),
        (Role::Head, Quat::from_rotation_y(0.35)),
        (Role::LeftUpperLeg, x(-0.55)),
        (Role::LeftLowerLeg, x(0.7)),
        (Role::RightUpperLeg, x(0.35)),
        (Role::RightLowerLeg, x(0.4)),
        (Role::LeftUpperArm, x(0.5)),
        (Role::LeftLowerArm, Quat::from_rotation_y(-0.6)),
        (Role::RightUpperArm, x(-0.5)),
        (Role::RightLowerArm, Quat::from_rotation_y(0.9)),
    ];
    for (role, turn) in bends {
        if let Some(node) = sample.truth.roles.node(role) {
            save_turned(&mut sample, node.index(), turn);
        }
    }
    sample
}

/// The mouse whose tail has joints of its own, the last of them left turned.
pub(super) fn mouse_rigged() -> Sample {
    let mut figure = figure();
    let (pieces, tail) = skin(&figure);
    let floor = pieces.iter().flat_map(|p| &p.0.positions).map(|p| p.y).fold(f32::MAX, f32::min);
    let line = tail::middle(figure.at(JointKey::Axial(0)), floor);
    let mut parent = JointKey::Axial(0);
    for i in 0..N_TAIL_JOINTS {
        let at = tail::along(&line, f32::from(i) / f32::from(N_TAIL_JOINTS));
        figure.push(JointKey::Tail(i), Some(parent), at);
        parent = JointKey::Tail(i);
    }
    let weights = tail::weights(&figure, &tail, N_TAIL_JOINTS);
    let tail = (tail, Weights::Given(weights));
    let mut sample = build(figure, pieces, tail, RIGGED_INFO);
    let last = format!("Tail_{N_TAIL_JOINTS}");
    let node = sample.character.skeleton.by_name().get(last.as_str()).map(|n| n.index());
    if let Some(node) = node {
        save_turned(&mut sample, node, Quat::from_rotation_y(SAVED_TURN_RAD));
    }
    sample
}

fn build(
    figure: Figure,
    mut pieces: Vec<(Piece, Weights)>,
    tail: (Piece, Weights),
    info: SampleInfo,
) -> Sample {
    pieces.push(tail);
    Build {
        figure,
        pieces,
        labels: vec![Label { kind: TruthKind::Tail, should_edit: true, number: 0, n_chains: 1 }],
        plan: SkeletonPlan {
            naming: Naming::Mixamo,
            frames: Frames::World,
            units_per_metre: 1.0,
            armature_scale: None,
        },
        seams: Seams { crease_rad: 1.3, chart_m: Some(0.3), has_charts: true },
    }
    .finish(info.name, info.about, HEIGHT)
}

/// Turns the saved local rotation of a node; the bind pose stays.
fn save_turned(sample: &mut Sample, node: usize, turn: Quat) {
    let mut nodes = sample.character.skeleton.nodes().to_vec();
    if let Some(node) = nodes.get_mut(node) {
        node.local.rotation = (node.local.rotation * turn).normalize();
    }
    // Parents are where they were.
    if let Ok(skeleton) = Skeleton::new(nodes) {
        sample.character.skeleton = skeleton;
    }
}

/// Body and face, and the tail.
fn skin(figure: &Figure) -> (Vec<(Piece, Weights)>, Piece) {
    let field = body::mouse_body(figure);
    let local = LocalField::new(&field, 0.04);
    let coarse = contour(&field, 0.0085, 0);
    let body =
        remesh(&coarse, &local, body::edge_length(figure), 5).painted(|p, n, _| body::fur(p, n));
    let floor = body.positions.iter().map(|p| p.y).fold(f32::MAX, f32::min);
    let head = Claim::Joint(figure.find(JointKey::Axial(5)).unwrap_or(0));
    let mut pieces = vec![(body, Weights::Rigged(Claim::Nearest, 0.04))];
    pieces.extend(face(&local).into_iter().map(|p| (p, Weights::Rigged(head, 0.0))));
    (pieces, tail::skin(figure.at(JointKey::Axial(0)), floor))
}

fn face(skin: &LocalField<'_>) -> Vec<Piece> {
    let colors = EyeColors { white: srgb(0xfffdf8), iris: srgb(0x5b3a22), lid: srgb(0x85796f) };
    let mut shells = Vec::new();
    for side in Side::BOTH {
        let x = side.sign();
        let gaze = Vec3::new(0.30 * x, 0.06, 1.0).normalize();
        let radii = Vec3::new(0.042, 0.054, 0.036);
        shells.push(eye(Vec3::new(0.066 * x, 1.052, 0.118), gaze, radii, 0.74, colors));
        let brow = [
            Vec3::new(0.035 * x, 1.125, 0.15),
            Vec3::new(0.068 * x, 1.143, 0.14),
            Vec3::new(0.105 * x, 1.125, 0.11),
        ];
        shells.push(line_on(skin, &brow, 0.0055, srgb(0x4d433e)));
        let mouth = [
            Vec3::new(0.0, 0.925, 0.22),
            Vec3::new(0.02 * x, 0.918, 0.21),
            Vec3::new(0.05 * x, 0.925, 0.18),
            Vec3::new(0.08 * x, 0.945, 0.145),
        ];
        shells.push(line_on(skin, &mouth, 0.004, srgb(0x4a2a26)));
        for (i, y) in [0.965, 0.95, 0.935].into_iter().enumerate() {
            let from = Vec3::new(0.045 * x, y, 0.195);
            let to = from + Vec3::new(0.13 * x, 0.03 - 0.03 * i as f32, 0.02);
            let bow = |t: f32| from.lerp(to, t) - Vec3::Y * (0.02 * t * t);
            let path = (0..=6).map(|k| bow(k as f32 / 6.0)).collect();
            let whisker = super::shape::Tube::round(path, 4, |t| 0.0018 * (1.0 - 0.8 * t));
            shells.push(whisker.capped().build().labelled(0).colored(srgb(0xf4efe8)));
        }
    }
    let nose = Vec3::new(0.0, 0.985, 0.248);
    shells.push(ball(nose, Vec3::new(0.027, 0.021, 0.02), Quat::IDENTITY, srgb(0xe8757a)));
    let teeth = Vec3::new(0.0, 0.913, 0.2);
    let turn = Quat::from_rotation_x(FRAC_PI_2 * 0.1);
    shells.push(ball(teeth, Vec3::new(0.016, 0.016, 0.006), turn, srgb(0xfffdf5)));
    shells
}
