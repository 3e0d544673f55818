//! Poses: local transforms, and the world transforms they lead to. Two types, so that a local pose is never skinned.

use glam::Affine3A;

use super::{NodeIndex, Skeleton};
use crate::math::Transform;

/// Local transforms of all nodes, `[N]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// `[N]`, each relative to its parent.
    pub locals: Vec<Transform>,
}

/// World matrices of all nodes, `[N]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldPose {
    /// `[N]`, metres.
    pub world_from_node: Vec<Affine3A>,
}

impl Pose {
    /// The pose the file was saved in.
    pub fn loaded(skeleton: &Skeleton) -> Self {
        Self { locals: skeleton.nodes().iter().map(|n| n.local).collect() }
    }

    /// Local transform of a node; identity for a node the pose does not know.
    pub fn local(&self, node: NodeIndex) -> Transform {
        self.locals.get(node.index()).copied().unwrap_or_default()
    }

    /// World matrices into `world`, below `world_from_file`. Allocates only where `world` is too small. Cost: O(N).
    pub fn to_world(&self, skeleton: &Skeleton, world_from_file: &Affine3A, world: &mut WorldPose) {
        let matrices = &mut world.world_from_node;
        matrices.clear();
        for (node, local) in skeleton.nodes().iter().zip(&self.locals) {
            let parent = match node.parent {
                Some(parent) => matrices.get(parent.index()).copied().unwrap_or(*world_from_file),
                None => *world_from_file,
            };
            matrices.push(parent * local.to_affine());
        }
    }
}

impl WorldPose {
    /// World matrix of a node; identity for a node the pose does not know.
    pub fn matrix(&self, node: NodeIndex) -> Affine3A {
        self.world_from_node.get(node.index()).copied().unwrap_or(Affine3A::IDENTITY)
    }
}
