//! A person in a shirt: what both samples with hair wear under it. Joints, body, clothes, face, cap of hair, strands.

mod body;
mod face;
mod strands;

use glam::Vec3;

use super::assemble::{Hold, Part, assemble};
use super::color::srgb;
use super::figure::{Figure, Frames, JointKey, Naming, Proportions, SkeletonPlan};
use super::rigger::{Claim, Rigger, VertexWeights};
use super::seams::Seams;
use super::shape::{Field, LocalField, Piece, contour, remesh};
use super::truth::Sample;
use crate::model::NodeIndex;

pub(super) use strands::{Lock, Outline, Wig};

/// Metres from the floor to the crown without hair.
const HEIGHT: f32 = 1.6;

/// What tells one person from another.
pub(super) struct Look {
    /// For the list.
    pub name: &'static str,
    /// For the list.
    pub about: &'static str,
    /// Of the hair.
    pub hair: Vec3,
    /// Of the shirt.
    pub shirt: Vec3,
    /// Of the iris.
    pub iris: Vec3,
}

/// A person with a cap of hair and no strands yet; further parts may be hung on it.
pub(super) fn person(look: &Look, more: impl FnOnce(&Figure) -> Vec<Part>) -> (Sample, Figure) {
    let figure = Proportions {
        height: HEIGHT,
        hips: 0.54,
        neck: 0.825,
        head: 0.862,
        shoulders: 0.094,
        hip_width: 0.05,
        arm: 0.15,
        finger: 0.047,
        has_fingers: true,
        ..Proportions::default()
    }
    .figure();
    let rigger = Rigger::new(&figure, HEIGHT);
    let rigged = |piece: &Piece, claim, blend| -> Hold {
        Hold::Skinned(rigger.weights(piece, blend, |_| claim))
    };
    let head = Claim::Joint(figure.find(JointKey::Axial(5)).unwrap_or(0));
    let part = |name: &str, piece: Piece, hold| Part {
        name: name.to_owned(),
        piece,
        hold,
        seams: Seams { crease_rad: std::f32::consts::PI, chart_m: None, has_charts: false },
    };

    let skin_field = body::skin(&figure);
    let local = LocalField::new(&skin_field, 0.04);
    let skin =
        meshed(&skin_field, 0.011, |p| body::edge_length(&figure, p)).painted(body::paint(&figure));
    let mut face_piece = Piece::default();
    for piece in face::pieces(&local, &figure, look.iris) {
        face_piece.append(&piece);
    }
    let shirt = meshed(&body::shirt(&figure), 0.012, |_| 0.028).colored(look.shirt);
    let cap = meshed(&body::cap(&figure), 0.011, |_| 0.026).colored(look.hair);
    let mut parts = Vec::new();
    let hold = rigged(&skin, Claim::Nearest, 0.035);
    parts.push(part("Body", skin, hold));
    let hold = rigged(&face_piece, head, 0.0);
    parts.push(part("Face", face_piece, hold));
    let hold = rigged(&shirt, Claim::Nearest, 0.05);
    parts.push(part("Shirt", shirt, hold));
    let hold = rigged(&cap, head, 0.0);
    parts.push(part("HairCap", cap, hold));
    parts.extend(more(&figure));
    let plan = SkeletonPlan {
        naming: Naming::Vroid,
        frames: Frames::World,
        units_per_metre: 1.0,
        armature_scale: None,
    };
    let sample = assemble(look.name, look.about.to_owned(), &figure, plan, parts, &[]);
    (sample, figure)
}

/// Weights of 1 on a joint of the figure for every vertex of a piece.
pub(super) fn whole(figure: &Figure, key: JointKey, piece: &Piece) -> Hold {
    let joint = figure.find(key).unwrap_or(0) as u32;
    let row: VertexWeights = vec![(joint, 1.0)];
    Hold::Skinned(vec![row; piece.positions.len()])
}

/// A body part as a mesh with edges of the wanted length.
fn meshed(field: &Field, cell: f32, edge: impl Fn(Vec3) -> f32 + Sync) -> Piece {
    remesh(&contour(field, cell, 0), &LocalField::new(field, 0.04), edge, 4).labelled(0)
}

/// The node of a joint of the figure: joints come first, in the figure's order.
pub(super) fn node_of(figure: &Figure, key: JointKey) -> NodeIndex {
    NodeIndex::from_index(figure.find(key).unwrap_or(0))
}

/// The head's middle: what hair is laid round.
pub(super) fn skull(figure: &Figure) -> (Vec3, Vec3) {
    (figure.at(JointKey::Axial(5)) + Vec3::new(0.0, 0.108, 0.008), Vec3::new(0.078, 0.106, 0.092))
}

/// Colour of skin.
fn skin_color() -> Vec3 {
    srgb(0xf0c7a6)
}
