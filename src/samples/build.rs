//! The last steps that the hand-made samples share: exact height, weights, one mesh.

use glam::Vec3;

use super::assemble::{Hold, Label, Part, assemble};
use super::figure::{Figure, SkeletonPlan};
use super::rigger::{Claim, Rigger, VertexWeights};
use super::seams::Seams;
use super::shape::Piece;
use super::truth::Sample;

/// Where a piece's weights come from.
pub(crate) enum Weights {
    /// The auto-rigger, blending over so many metres.
    Rigged(Claim, f32),
    /// Given by hand.
    Given(Vec<VertexWeights>),
}

/// A hand-made sample before its last steps.
pub(crate) struct Build {
    /// Joints.
    pub(crate) figure: Figure,
    /// Skin and shells.
    pub(crate) pieces: Vec<(Piece, Weights)>,
    /// What labels mean.
    pub(crate) labels: Vec<Label>,
    /// Names, turns, units.
    pub(crate) plan: SkeletonPlan,
    /// Where vertices are split.
    pub(crate) seams: Seams,
}

impl Build {
    /// The sample, `height` metres from its lowest to its highest point.
    pub(crate) fn finish(mut self, name: &str, about: &str, height: f32) -> Sample {
        self.fit(height);
        let rigger = Rigger::new(&self.figure, height);
        let mut whole = Piece::default();
        let mut all = Vec::new();
        for (piece, weights) in self.pieces {
            all.extend(match weights {
                Weights::Rigged(claim, blend) => rigger.weights(&piece, blend, |_| claim),
                Weights::Given(list) => list,
            });
            whole.append(&piece);
        }
        whole.uvs.clear();
        let part = Part {
            name: name.to_string(),
            piece: whole,
            hold: Hold::Skinned(all),
            seams: self.seams,
        };
        assemble(name, about.to_string(), &self.figure, self.plan, vec![part], &self.labels)
    }

    fn fit(&mut self, height: f32) {
        let heights = || self.pieces.iter().flat_map(|p| &p.0.positions).map(|p| p.y);
        let low = heights().fold(f32::MAX, f32::min);
        let high = heights().fold(f32::MIN, f32::max);
        let scale = height / (high - low);
        let fit = |p: &mut Vec3| *p = (*p - Vec3::Y * low) * scale;
        for (piece, _) in &mut self.pieces {
            piece.positions.iter_mut().for_each(fit);
        }
        for joint in &mut self.figure.joints {
            fit(&mut joint.position);
        }
    }
}
