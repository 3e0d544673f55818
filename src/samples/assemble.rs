//! From pieces with weights to a character and its truth.

use std::sync::Arc;

use glam::{Affine3A, Mat4};

use super::figure::{Figure, Naming, SkeletonPlan, build_skeleton};
use super::rigger::VertexWeights;
use super::seams::{Seams, cut};
use super::shape::Piece;
use super::truth::{Sample, Truth, TruthAppendage, TruthKind};
use crate::math::Transform;
use crate::model::{
    Character, Influences, JointIndex, Mesh, MeshIndex, MeshInstance, Node, NodeIndex, SkinIndex,
    SurfaceVertex,
};

/// How a part follows the skeleton.
pub(crate) enum Hold {
    /// Weights over the figure's joints.
    Skinned(Vec<VertexWeights>),
    /// Hung unskinned from a joint of the figure.
    Hung(usize),
}

/// One mesh of the character.
pub(crate) struct Part {
    /// Name of mesh and node.
    pub(crate) name: String,
    /// Geometry in metres, bind pose.
    pub(crate) piece: Piece,
    /// What moves it.
    pub(crate) hold: Hold,
    /// Where vertices are split.
    pub(crate) seams: Seams,
}

/// What label `i + 1` stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// Kind of appendage.
    pub(crate) kind: TruthKind,
    /// See [`TruthAppendage::should_edit`].
    pub(crate) should_edit: bool,
    /// See [`TruthAppendage::number`].
    pub(crate) number: u32,
    /// See [`TruthAppendage::n_chains`].
    pub(crate) n_chains: u32,
}

/// The character of `parts` on `figure`, with the truth that `labels` tell.
pub(crate) fn assemble(
    name: &str,
    about: String,
    figure: &Figure,
    plan: SkeletonPlan,
    parts: Vec<Part>,
    labels: &[Label],
) -> Sample {
    let built = build_skeleton(figure, plan);
    let mut character = Character {
        name: name.to_string(),
        skeleton: built.skeleton,
        skins: vec![built.skin],
        world_from_file: built.world_from_file,
        ..Character::default()
    };
    if plan.naming == Naming::Vroid {
        character.stated_humanoid = Some(built.roles.clone());
    }
    let mut truth = Truth {
        appendages: labels
            .iter()
            .map(|l| TruthAppendage {
                kind: l.kind,
                vertices: Vec::new(),
                should_edit: l.should_edit,
                number: l.number,
                n_chains: l.n_chains,
            })
            .collect(),
        strands: Vec::new(),
        roles: built.roles,
    };
    let mut first = 0_u32;
    for part in parts {
        let cut = cut(&part.piece, part.seams);
        for (i, &v) in cut.source.iter().enumerate() {
            let label = usize::from(part.piece.labels[v as usize]);
            if let Some(a) = label.checked_sub(1).and_then(|l| truth.appendages.get_mut(l)) {
                a.vertices.push(SurfaceVertex(first + i as u32));
            }
        }
        first += cut.source.len() as u32;
        let (carrier, mesh_from_metres) = place(&mut character, &built.nodes, &part, plan);
        let take = |v: &u32| *v as usize;
        let influences = match &part.hold {
            Hold::Skinned(weights) => {
                let mut influences = Influences::with_capacity(cut.source.len());
                for v in cut.source.iter().map(take) {
                    influences.push(weights[v].iter().map(|&(j, w)| (JointIndex(j), w)));
                }
                Some(Arc::new(influences))
            }
            Hold::Hung(_) => None,
        };
        let skin = influences.is_some().then_some(SkinIndex(0));
        let piece = &part.piece;
        let points = cut.source.iter().map(take).map(|v| piece.positions[v]);
        let mesh = Mesh {
            name: part.name,
            positions: Arc::new(points.map(|p| mesh_from_metres.transform_point3(p)).collect()),
            triangles: Arc::new(cut.triangles),
            normals: Arc::new(
                cut.normals
                    .iter()
                    .map(|&n| mesh_from_metres.transform_vector3(n).normalize_or(n))
                    .collect(),
            ),
            uvs: Arc::new(cut.uvs),
            colors: Arc::new(
                cut.source.iter().map(take).map(|v| piece.colors[v].extend(1.0)).collect(),
            ),
            influences,
            material: Some(0),
            ..Mesh::default()
        };
        let mesh_index = MeshIndex::from_index(character.meshes.len());
        character.meshes.push(mesh);
        character.instances.push(MeshInstance {
            mesh: mesh_index,
            node: carrier,
            skin,
            is_visible: true,
        });
    }
    Sample { name: name.to_string(), about, character, truth }
}

/// The node that carries a part, and the way into its space.
fn place(
    character: &mut Character,
    nodes: &[NodeIndex],
    part: &Part,
    plan: SkeletonPlan,
) -> (NodeIndex, Affine3A) {
    let file_from_metres = Affine3A::from_scale(glam::Vec3::splat(plan.units_per_metre));
    let (parent, matrix) = match part.hold {
        Hold::Skinned(_) => (None, file_from_metres),
        Hold::Hung(joint) => {
            let into_joint = character
                .skins
                .first()
                .and_then(|s| s.joint_from_mesh.get(joint))
                .copied()
                .unwrap_or(Mat4::IDENTITY);
            (nodes.get(joint).copied(), Affine3A::from_mat4(into_joint) * file_from_metres)
        }
    };
    let node = Node { name: part.name.clone(), parent, local: Transform::IDENTITY, source: None };
    (character.skeleton.push(node).unwrap_or_default(), matrix)
}
