//! A model skeleton and skin from a figure.

use glam::{Affine3A, Mat3, Mat4, Quat, Vec3};

use super::{Figure, JointKey, Naming};
use crate::math::{Similarity, Transform};
use crate::model::{HumanoidMap, Node, NodeIndex, Skeleton, Skin};

/// How joints are turned in the bind pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frames {
    /// All like the world.
    World,
    /// +Y to the child, as Blender writes them.
    YAlong,
    /// +X to the child, as Unreal and Maya have them.
    XAlong,
}

/// How a skeleton is written down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SkeletonPlan {
    /// Names.
    pub(crate) naming: Naming,
    /// Turns.
    pub(crate) frames: Frames,
    /// File units in a metre: 1 or 100.
    pub(crate) units_per_metre: f32,
    /// Scale of a node above all joints (0.01 beside joints in centimetres); `None` for no such node.
    pub(crate) armature_scale: Option<f32>,
}

/// What [`build_skeleton`] makes.
pub(crate) struct BuiltSkeleton {
    /// All nodes.
    pub(crate) skeleton: Skeleton,
    /// Binds of all the figure's joints, in the figure's order.
    pub(crate) skin: Skin,
    /// Node of each of the figure's joints.
    pub(crate) nodes: Vec<NodeIndex>,
    /// The true roles.
    pub(crate) roles: HumanoidMap,
    /// From the file to metres.
    pub(crate) world_from_file: Similarity,
}

/// Rotation of joint `j` in the bind pose.
fn turn(figure: &Figure, j: usize, frames: Frames) -> Quat {
    let at = figure.joints[j].position;
    let child = figure.joints.iter().find(|c| c.parent == Some(j)).map(|c| c.position - at);
    let from_parent =
        figure.joints[j].parent.map(|p| at - figure.joints[p].position).unwrap_or(Vec3::Y);
    let along = match figure.joints[j].key {
        // A root at the floor and the hips point up, whatever happens to be their first child.
        JointKey::Root | JointKey::Axial(0) => Vec3::Y,
        _ => child.unwrap_or(from_parent).normalize_or(Vec3::Y),
    };
    let side = if along.z.abs() > 0.9 { Vec3::X } else { Vec3::Z };
    let third = along.cross(side).normalize();
    match frames {
        Frames::World => Quat::IDENTITY,
        Frames::YAlong => Quat::from_mat3(&Mat3::from_cols(third, along, third.cross(along))),
        Frames::XAlong => Quat::from_mat3(&Mat3::from_cols(along, third, along.cross(third))),
    }
}

/// The skeleton of `figure`, bind matrices for a mesh in file units, and the true roles.
pub(crate) fn build_skeleton(figure: &Figure, plan: SkeletonPlan) -> BuiltSkeleton {
    let units = plan.units_per_metre;
    let mut skeleton = Skeleton::default();
    let mut push = |name: String, parent, local| {
        let node = Node { name, parent, local, source: None };
        // Parents come first by construction; an index is handed on in any case.
        skeleton.push(node).unwrap_or_default()
    };
    let scale = plan.armature_scale.unwrap_or(1.0);
    let top = plan.armature_scale.map(|s| {
        let local = Transform { scale: Vec3::splat(s), ..Transform::IDENTITY };
        push("Armature".into(), None, local)
    });
    let world: Vec<Affine3A> = (0..figure.joints.len())
        .map(|j| {
            Affine3A::from_scale_rotation_translation(
                Vec3::splat(scale),
                turn(figure, j, plan.frames),
                figure.joints[j].position * units,
            )
        })
        .collect();
    let mut nodes = Vec::with_capacity(world.len());
    let mut roles = HumanoidMap { convention: plan.naming.convention(), ..HumanoidMap::default() };
    for (j, joint) in figure.joints.iter().enumerate() {
        let (parent, parent_world) = match joint.parent {
            Some(p) => (Some(nodes[p]), world[p]),
            None => (top, Affine3A::from_scale(Vec3::splat(scale))),
        };
        let local = Transform::from_affine(&(parent_world.inverse() * world[j]));
        // Rounding would leave scales of 0.999999.
        let local = Transform { scale: Vec3::ONE, ..local };
        let node = push(plan.naming.name(joint.key, j), parent, local);
        nodes.push(node);
        if let Some(role) = joint.key.role() {
            roles.roles.insert(role, node);
        }
    }
    let skin = Skin {
        name: "Skin".into(),
        joints: nodes.clone(),
        joint_from_mesh: world.iter().map(|m| Mat4::from(m.inverse())).collect(),
        has_binds: true,
        source: None,
    };
    let world_from_file = Similarity { scale: 1.0 / units, ..Similarity::default() };
    BuiltSkeleton { skeleton, skin, nodes, roles, world_from_file }
}
