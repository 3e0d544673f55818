//! Which skin is hair, which is a front strand's, and which is the shirt.

use std::collections::BTreeSet;

use crate::model::{InstanceIndex, NodeIndex, Rigged, Role, SurfaceVertex};

/// Skin sorted by what it belongs to.
pub(super) struct HairSkin {
    /// Moved by a joint of a strand at all, sorted.
    pub vertices: Vec<SurfaceVertex>,
    /// Mostly moved by a front strand, sorted.
    pub front: Vec<SurfaceVertex>,
    /// Triangles of torso and arms, whatever covers them.
    pub shirt: Vec<[SurfaceVertex; 3]>,
}

impl HairSkin {
    /// The skin of strands `chains`, places in [`Rigged::chains`]. Cost: O(influences).
    pub fn of(rigged: &Rigged, chains: &[usize]) -> Self {
        let character = &rigged.character;
        let strands = || chains.iter().filter_map(|&c| rigged.chains.get(c));
        let joints: BTreeSet<NodeIndex> =
            strands().flat_map(|c| c.joints.iter().copied()).collect();
        let front_joints: BTreeSet<NodeIndex> = strands()
            .filter(|c| c.hair.as_ref().is_some_and(|s| s.is_front))
            .flat_map(|c| c.joints.iter().copied())
            .collect();
        let is_torso = torso_nodes(rigged);
        let offsets = character.surface_offsets();
        let mut skin = Self { vertices: Vec::new(), front: Vec::new(), shirt: Vec::new() };
        for (InstanceIndex(i), instance) in character.instances() {
            let Some(mesh) = character.mesh_of(instance) else { continue };
            if !instance.is_visible || instance.skin.is_none() {
                continue;
            }
            let first = offsets.get(i as usize).copied().unwrap_or(0);
            let mut of_torso = vec![false; mesh.n_vertices()];
            for (local, slot) in of_torso.iter_mut().enumerate() {
                let (mut hair, mut front, mut torso) = (0.0, 0.0, 0.0);
                character.for_each_influence(instance, local, |node, weight| {
                    hair += if joints.contains(&node) { weight } else { 0.0 };
                    front += if front_joints.contains(&node) { weight } else { 0.0 };
                    torso += if is_torso.contains(&node) { weight } else { 0.0 };
                });
                let vertex = SurfaceVertex(first + local as u32);
                if hair > 0.0 {
                    skin.vertices.push(vertex);
                }
                if front >= 0.5 {
                    skin.front.push(vertex);
                }
                *slot = hair == 0.0 && torso >= 0.5;
            }
            let is_shirt = |t: &&[u32; 3]| {
                t.iter().all(|&v| of_torso.get(v as usize).copied().unwrap_or(false))
            };
            let triangles = mesh.triangles.iter().filter(is_shirt);
            skin.shirt.extend(triangles.map(|t| t.map(|v| SurfaceVertex(first + v))));
        }
        skin
    }
}

/// Hips, spine, shoulders and upper arms, with whatever hangs from them without a role.
fn torso_nodes(rigged: &Rigged) -> BTreeSet<NodeIndex> {
    const ROLES: [Role; 8] = [
        Role::Hips,
        Role::Spine,
        Role::Chest,
        Role::UpperChest,
        Role::LeftShoulder,
        Role::RightShoulder,
        Role::LeftUpperArm,
        Role::RightUpperArm,
    ];
    let skeleton = &rigged.character.skeleton;
    let named: BTreeSet<NodeIndex> =
        ROLES.iter().filter_map(|&r| rigged.humanoid.node(r)).collect();
    let owner = |node: NodeIndex| {
        std::iter::once(node)
            .chain(skeleton.ancestors(node))
            .find(|&n| rigged.humanoid.role(n).is_some())
    };
    skeleton.indices().filter(|&n| owner(n).is_some_and(|o| named.contains(&o))).collect()
}
