//! Joints that swing together.

use serde::{Deserialize, Serialize};

use super::{NodeIndex, RegionId, SpringSettings};

/// Where the last link of a chain ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tip {
    /// At a node of its own (`Tail_End`).
    Node(NodeIndex),
    /// At a point in the last joint's own frame, in that joint's local units: nothing in the file marks it.
    Virtual(glam::Vec3),
}

/// Who made a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainOrigin {
    /// Grown here for a region.
    Grown(RegionId),
    /// In the file already.
    Existing,
}

/// A run of joints, root to tip, each the parent of the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// `Tail`, `Tail2`, or the first joint's name.
    pub name: String,
    /// The node it hangs from: parent of the first joint.
    pub anchor: NodeIndex,
    /// At least one.
    pub joints: Vec<NodeIndex>,
    /// End of the last link.
    pub tip: Tip,
    /// Who made it.
    pub origin: ChainOrigin,
    /// How it swings.
    pub settings: SpringSettings,
    /// Whether springs drive it; a chain that is not driven keeps what the clip says.
    pub is_driven: bool,
}
