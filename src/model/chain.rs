//! Joints that swing together.

use serde::{Deserialize, Serialize};

use super::{NodeIndex, RegionId, SpringSettings, Strand};

/// Where the last link of a chain ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tip {
    /// At a node of its own (`Tail_End`).
    Node(NodeIndex),
    /// At a point in the last joint's own frame, in that joint's local units: nothing in the file marks it.
    Virtual(glam::Vec3),
}

impl Tip {
    /// Its node, where it has one.
    pub fn node(self) -> Option<NodeIndex> {
        match self {
            Self::Node(node) => Some(node),
            Self::Virtual(_) => None,
        }
    }
}

/// Who made a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainOrigin {
    /// Grown here for a region.
    Grown(RegionId),
    /// Grown here for a strand of hair that the user picked, by its place in the list of strands.
    Strand(u32),
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
    /// What makes it hair, which swings by its own rule and not by `settings`; `None` for tails and the like.
    pub hair: Option<Strand>,
    /// Whether springs drive it; a chain that is not driven keeps what the clip says.
    pub is_driven: bool,
}

impl Chain {
    /// Its joints, root to tip, and its end, where that is a node.
    pub fn nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.joints.iter().copied().chain(self.tip.node())
    }
}
