//! Constraints that turn a node after another: sleeves, twist joints, eyes.

use glam::Vec3;

use super::NodeIndex;

/// How a node follows its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstraintKind {
    /// Takes over the source's turn about one of the node's own axes (a unit vector).
    Roll(Vec3),
    /// Points one of the node's own axes (a unit vector) at the source.
    Aim(Vec3),
    /// Takes over the source's turn as it is.
    Rotation,
}

/// A constraint on the rotation of one node. Rest rotations are those the file was saved with.
///
/// Based on: VRMC_node_constraint 1.0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeConstraint {
    /// The node that is turned.
    pub node: NodeIndex,
    /// The node it follows.
    pub source: NodeIndex,
    /// How.
    pub kind: ConstraintKind,
    /// 0 leaves the rest rotation, 1 follows in full.
    pub weight: f32,
}
