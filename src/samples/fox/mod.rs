//! The fox: the article's own case, and the first thing anyone sees.
//!
//! 1.91 m, a bushy tail of two unwelded shells, Mixamo names, and weights that hang the tail on the left shin.

mod body;
mod paint;
mod tail;

use glam::Vec3;

use super::SampleInfo;
use super::anatomy::{EyeColors, ball, eye, line_on};
use super::assemble::Label;
use super::build::{Build, Weights};
use super::color::srgb;
use super::figure::{Frames, JointKey, Naming, Proportions, SkeletonPlan};
use super::rigger::Claim;
use super::seams::Seams;
use super::shape::{LocalField, Piece, contour, remesh};
use super::truth::{Sample, TruthKind};

/// Metres from the floor to the tips of the ears.
const HEIGHT: f32 = 1.91;

/// For the list.
pub(super) const INFO: SampleInfo = SampleInfo {
    name: "fox",
    about: "An upright fox of 1.91 m, 65 joints, whose bushy tail the rigger gave to its left shin",
};

/// Label of the tail.
const TAIL: u16 = 1;

/// The fox. Cost: about a second.
pub(super) fn fox() -> Sample {
    let proportions = Proportions {
        height: 1.72,
        hips: 0.535,
        neck: 0.785,
        head: 0.842,
        shoulders: 0.092,
        hip_width: 0.056,
        arm: 0.15,
        arm_drop: 0.62,
        foot: 0.086,
        finger: 0.056,
        has_fingers: true,
        ..Proportions::default()
    };
    let figure = proportions.figure();
    let field = body::fox_body(&figure);
    let local = LocalField::new(&field, 0.04);
    let coarse = contour(&field, 0.0085, 0);
    let skin = remesh(&coarse, &local, body::edge_length(&figure), 5);
    let body = skin.painted(|p, n, _| paint::fur(p, n));
    let head = Claim::Joint(figure.find(JointKey::Axial(5)).unwrap_or(0));
    let mut pieces = vec![(body, Weights::Rigged(Claim::Nearest, 0.045))];
    pieces.extend(face(&local).into_iter().map(|p| (p, Weights::Rigged(head, 0.0))));
    let hips = figure.at(JointKey::Axial(0));
    let coat = tail::shells(hips).into_iter();
    pieces.extend(coat.map(|p| (p, Weights::Rigged(Claim::LeftLeg, 0.05))));
    let build = Build {
        figure,
        pieces,
        labels: vec![Label { kind: TruthKind::Tail, should_edit: true, number: 0, n_chains: 1 }],
        plan: SkeletonPlan {
            naming: Naming::Mixamo,
            frames: Frames::World,
            units_per_metre: 1.0,
            armature_scale: None,
        },
        seams: Seams { crease_rad: 0.85, chart_m: Some(0.19), has_charts: true },
    };
    let about =
        "An upright fox of 1.91 m, 65 joints, whose bushy tail the rigger gave to its left shin";
    build.finish("fox", about, HEIGHT)
}

/// Eyes, nose, mouth and brows: small shells on the head.
fn face(skin: &LocalField<'_>) -> Vec<Piece> {
    let grown = |p: Vec3| body::HEAD_ROOT + (p - body::HEAD_ROOT) * body::HEAD_SCALE;
    let colors = EyeColors { white: srgb(0xfffaf0), iris: srgb(0x3f9a3a), lid: srgb(0xc85f1e) };
    let mut shells = Vec::new();
    for x in [1.0, -1.0] {
        let gaze = Vec3::new(0.34 * x, 0.02, 1.0).normalize();
        let radii = Vec3::new(0.036, 0.043, 0.034);
        shells.push(eye(
            grown(Vec3::new(0.058 * x, 1.585, 0.098)),
            gaze,
            radii * body::HEAD_SCALE,
            0.62,
            colors,
        ));
        let brow = [
            Vec3::new(0.028 * x, 1.640, 0.14),
            Vec3::new(0.055 * x, 1.655, 0.135),
            Vec3::new(0.090 * x, 1.640, 0.11),
        ];
        shells.push(line_on(skin, &brow.map(grown), 0.0075, srgb(0x4a2a1c)));
        let mouth = [
            Vec3::new(0.0, 1.492, 0.235),
            Vec3::new(0.022 * x, 1.487, 0.215),
            Vec3::new(0.045 * x, 1.492, 0.165),
            Vec3::new(0.068 * x, 1.508, 0.118),
        ];
        shells.push(line_on(skin, &mouth.map(grown), 0.004, srgb(0x3a1d16)));
    }
    let nose = grown(Vec3::new(0.0, 1.533, 0.246));
    shells.push(ball(nose, Vec3::new(0.031, 0.023, 0.021), glam::Quat::IDENTITY, srgb(0x1d1718)));
    shells
}
