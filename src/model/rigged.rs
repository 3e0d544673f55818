//! A character with what rigging added to it.

use std::collections::BTreeMap;

use super::{BindPose, BodyMeasures, Chain, Character, Collider, HumanoidMap, InstanceIndex};

/// What rigging changed. The writer writes these and nothing else; all values stand in the edited character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigChanges {
    /// Nodes from this index on are new; they stand at the end of the skeleton and of each touched skin's joints.
    pub first_new_node: usize,
    /// Vertices whose influences were replaced, sorted, by instance. An instance whose mesh other instances use with
    /// their weights unchanged has been given a mesh of its own (same `source`) at the end of `meshes`.
    pub reweighted: BTreeMap<InstanceIndex, Vec<u32>>,
    /// Instances that had no skin and now have one, at the end of `skins`.
    pub newly_skinned: Vec<InstanceIndex>,
}

impl RigChanges {
    /// Number of vertices whose weights changed.
    pub fn n_vertices(&self) -> usize {
        self.reweighted.values().map(Vec::len).sum()
    }

    /// Whether anything at all was edited.
    pub fn is_empty(&self, character: &Character) -> bool {
        self.reweighted.is_empty() && self.first_new_node >= character.skeleton.len()
    }
}

/// An edited character and its chains: all that a performance needs besides a clip.
#[derive(Clone, Debug, Default)]
pub struct Rigged {
    /// The character after the edits.
    pub character: Character,
    /// All chains, grown and existing, driven or not.
    pub chains: Vec<Chain>,
    /// What hair is kept out of: the file's colliders, fitted where wished, and those added.
    pub colliders: Vec<Collider>,
    /// What differs from the loaded character.
    pub changes: RigChanges,
    /// Bind pose of the edited character.
    pub bind: BindPose,
    /// Who is who in its skeleton.
    pub humanoid: HumanoidMap,
    /// Its frame, height and floor.
    pub body: BodyMeasures,
}
