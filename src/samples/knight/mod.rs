//! The knight: everything on it is worn, nothing is a tail.
//!
//! Cape and skirt are garments, scabbard and quiver props on the spine, the pointed ears ears. Unreal names, a root joint
//! at the floor.

mod armour;
mod body;
mod cloth;
mod props;

use super::SampleInfo;
use super::assemble::Label;
use super::build::{Build, Weights};
use super::figure::{Frames, Naming, Proportions, SkeletonPlan};
use super::rigger::Claim;
use super::seams::Seams;
use super::shape::{LocalField, contour, remesh};
use super::truth::{Sample, TruthKind};

/// For the list.
pub(super) const INFO: SampleInfo = SampleInfo {
    name: "knight",
    about: "An elf in armour, 1.88 m, with cape, skirt, sheathed sword and quiver: nothing to swing",
};

/// Metres from the floor to the top of the plume.
const HEIGHT: f32 = 1.88;

/// Labels of what is worn, left before right.
const LEFT_EAR: u16 = 1;
const RIGHT_EAR: u16 = 2;
const CAPE: u16 = 3;
const SKIRT: u16 = 4;
const SCABBARD: u16 = 5;
const QUIVER: u16 = 6;

fn label(kind: TruthKind, number: u32, should_edit: bool) -> Label {
    Label { kind, should_edit, number, n_chains: 0 }
}

/// The knight.
pub(super) fn knight() -> Sample {
    let figure = Proportions {
        height: 1.78,
        hips: 0.535,
        shoulders: 0.112,
        hip_width: 0.056,
        arm_drop: 0.6,
        finger: 0.05,
        has_fingers: true,
        has_root: true,
        ..Proportions::default()
    }
    .figure();
    let field = body::suit(&figure);
    let local = LocalField::new(&field, 0.04);
    let suit = remesh(&contour(&field, 0.0085, 0), &local, body::edge_length(&figure), 4)
        .painted(body::paint(&figure));
    let joint = |key| Claim::Joint(figure.find(key).unwrap_or(0));
    let mut pieces = vec![(suit, Weights::Rigged(Claim::Nearest, 0.04))];
    for (piece, key) in armour::plates(&figure) {
        pieces.push((piece, Weights::Rigged(joint(key), 0.0)));
    }
    for piece in [armour::cuirass(&figure), armour::belt(&figure)] {
        pieces.push((piece, Weights::Rigged(Claim::Nearest, 0.06)));
    }
    for (piece, label) in [(cloth::cape(&figure), CAPE), (cloth::skirt(&figure), SKIRT)] {
        pieces.push((piece.labelled(label), Weights::Rigged(Claim::Nearest, 0.08)));
    }
    for (piece, label) in [(props::sword(&figure), SCABBARD), (props::quiver(&figure), QUIVER)] {
        pieces.push((piece.labelled(label), Weights::Rigged(Claim::Nearest, 0.05)));
    }
    Build {
        figure,
        pieces,
        labels: vec![
            label(TruthKind::Ear, 0, false),
            label(TruthKind::Ear, 1, false),
            label(TruthKind::Cape, 0, false),
            label(TruthKind::Skirt, 0, false),
            label(TruthKind::Scabbard, 0, true),
            label(TruthKind::Quiver, 0, true),
        ],
        plan: SkeletonPlan {
            naming: Naming::Unreal,
            frames: Frames::XAlong,
            units_per_metre: 1.0,
            armature_scale: None,
        },
        seams: Seams { crease_rad: 1.1, chart_m: None, has_charts: true },
    }
    .finish(INFO.name, INFO.about, HEIGHT)
}
