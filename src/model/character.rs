//! A character: everything that was loaded, or generated, as one value.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use super::{
    Clip, HumanoidMap, Image, InstanceIndex, Marks, Material, Mesh, MeshIndex, NodeConstraint,
    NodeIndex, Pose, Skeleton, Skin, SkinIndex, StatedBody, SurfaceVertex, Vrm, WorldPose,
};
use crate::math::Similarity;

/// A mesh hung on a node.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshInstance {
    /// The geometry.
    pub mesh: MeshIndex,
    /// The node that carries it: decides its place only where there is no skin.
    pub node: NodeIndex,
    /// Joints that move it; `None` for a mesh that follows its node.
    pub skin: Option<SkinIndex>,
    /// Hidden meshes count neither for the height nor for framing.
    pub is_visible: bool,
}

/// A skeleton, the meshes on it and the clips that move it. Cheap to clone: big arrays are shared.
#[derive(Clone, Debug, Default)]
pub struct Character {
    /// Name of the character: its root node's, or its file's.
    pub name: String,
    /// Every node, parents first.
    pub skeleton: Skeleton,
    /// Geometry, one for each glTF primitive.
    pub meshes: Vec<Mesh>,
    /// How meshes look, in file order; a mesh whose material is not here has glTF's default.
    pub materials: Arc<Vec<Material>>,
    /// Pictures that materials show, in file order.
    pub images: Arc<Vec<Image>>,
    /// Skins.
    pub skins: Vec<Skin>,
    /// Where the meshes hang.
    pub instances: Vec<MeshInstance>,
    /// The file's own clips.
    pub clips: Vec<Arc<Clip>>,
    /// Humanoid roles that the file states (VRM); `None` where they are to be found by detection.
    pub stated_humanoid: Option<HumanoidMap>,
    /// Facing and height, where they are stated; what is not is found by detection.
    pub stated_body: StatedBody,
    /// Constraints on its nodes, in the order of the file; evaluated after the body and before springs.
    pub constraints: Vec<NodeConstraint>,
    /// Springs, colliders and expressions that the file states (VRM).
    pub vrm: Option<Arc<Vrm>>,
    /// What an earlier run of ours left in the file.
    pub marks: Option<Marks>,
    /// From the file's scene to metres, +Y up, facing +Z.
    pub world_from_file: Similarity,
}

impl Character {
    /// The instance at `index`.
    pub fn instance(&self, index: InstanceIndex) -> Option<&MeshInstance> {
        self.instances.get(index.index())
    }

    /// The mesh of an instance.
    pub fn mesh_of(&self, instance: &MeshInstance) -> Option<&Mesh> {
        self.meshes.get(instance.mesh.index())
    }

    /// How a mesh looks.
    pub fn material_of(&self, mesh: &Mesh) -> Material {
        let place = mesh.material.and_then(|m| self.materials.get(m as usize));
        place.cloned().unwrap_or_default()
    }

    /// The skin of an instance.
    pub fn skin_of(&self, instance: &MeshInstance) -> Option<&Skin> {
        self.skins.get(instance.skin?.index())
    }

    /// Instances with their indices.
    pub fn instances(&self) -> impl Iterator<Item = (InstanceIndex, &MeshInstance)> {
        self.instances.iter().enumerate().map(|(i, x)| (InstanceIndex::from_index(i), x))
    }

    /// First surface vertex of each instance, `[instances + 1]`: instance i owns `offsets[i]..offsets[i + 1]`.
    pub fn surface_offsets(&self) -> Vec<u32> {
        let mut offsets = Vec::with_capacity(self.instances.len() + 1);
        let mut total = 0;
        offsets.push(0);
        for instance in &self.instances {
            total += self.mesh_of(instance).map_or(0, Mesh::n_vertices) as u32;
            offsets.push(total);
        }
        offsets
    }

    /// The instance and the vertex in its mesh that a surface vertex stands for.
    pub fn locate(&self, vertex: SurfaceVertex) -> Option<(InstanceIndex, usize)> {
        let mut first = 0;
        for (index, instance) in self.instances() {
            let n = self.mesh_of(instance).map_or(0, Mesh::n_vertices) as u32;
            if vertex.0 < first + n {
                return Some((index, (vertex.0 - first) as usize));
            }
            first += n;
        }
        None
    }

    /// World matrices of the pose the file was saved in.
    pub fn loaded_world(&self) -> WorldPose {
        let mut world = WorldPose::default();
        Pose::loaded(&self.skeleton).to_world(
            &self.skeleton,
            &self.world_from_file.to_affine(),
            &mut world,
        );
        world
    }

    /// Where it is said to face, a unit vector of the world, level; `None` where nothing is said.
    pub fn stated_forward(&self) -> Option<Vec3> {
        let axis = self.stated_body.facing?.axis();
        (self.world_from_file.rotation * axis).with_y(0.0).try_normalize()
    }

    /// `world_from_file` as a matrix.
    pub fn root_matrix(&self) -> Affine3A {
        self.world_from_file.to_affine()
    }

    /// Sum of the weights that each node carries through `skin`, `[N]`. Cost: O(influences).
    pub fn joint_loads(&self, skin: SkinIndex) -> Vec<f32> {
        let mut loads = vec![0.0_f64; self.skeleton.len()];
        for instance in self.instances.iter().filter(|i| i.skin == Some(skin)) {
            let (Some(mesh), Some(skin)) = (self.mesh_of(instance), self.skin_of(instance)) else {
                continue;
            };
            let Some(influences) = &mesh.influences else { continue };
            for vertex in 0..influences.len() {
                for (joint, weight) in influences.of(vertex) {
                    if let Some(load) =
                        skin.joints.get(joint.index()).and_then(|n| loads.get_mut(n.index()))
                    {
                        *load += f64::from(weight);
                    }
                }
            }
        }
        loads.into_iter().map(|x| x as f32).collect()
    }

    /// Calls `visit` with `(node, weight)` for everything that moves a vertex of an instance: its influences, or its
    /// node with weight 1 where it has no skin.
    pub fn for_each_influence(
        &self,
        instance: &MeshInstance,
        vertex: usize,
        mut visit: impl FnMut(NodeIndex, f32),
    ) {
        match (self.skin_of(instance), self.mesh_of(instance).and_then(|m| m.influences.as_ref())) {
            (Some(skin), Some(influences)) => {
                for (joint, weight) in influences.of(vertex) {
                    if let Some(&node) = skin.joints.get(joint.index()) {
                        visit(node, weight);
                    }
                }
            }
            _ => visit(instance.node, 1.0),
        }
    }
}
