//! The bind pose: where meshes and joints agreed, recovered from the inverse bind matrices.

use glam::{Affine3A, Mat4, Vec3};

use super::{Character, InstanceIndex, NodeIndex, Pose, SkinIndex, WorldPose};
use crate::math::{Transform, polar_rotation, rotation};

/// How far a joint's loaded pose is from its bind pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindResidual {
    /// The joint.
    pub node: NodeIndex,
    /// Angle between loaded and neutral local rotation, in radians.
    pub angle_rad: f32,
    /// Distance between loaded and neutral local translation, in metres.
    pub distance_m: f32,
}

/// The neutral pose of a character and where its meshes stand in it.
///
/// World matrix of a joint: W⁰ = M B⁻¹ where a skin has a finite, invertible B for it, else W⁰ of the parent times the
/// loaded local. M is the identity for most files and a unit or axis change for some (see `placement`). With several skins the first that binds the joint decides; each skin's own bind space is mapped into
/// the common one by M_s = W⁰_a B_a,s, with the hips as a where the skin has them, else its heaviest shared joint.
///
/// Based on: spec 2.4, 8 (4.1, D10).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindPose {
    /// Neutral local transforms `[N]`; shear is dropped.
    pub pose: Pose,
    /// Neutral world matrices `[N]`, metres, in bind space, as the inverse binds give them.
    pub world: WorldPose,
    /// `[skins]`: from the skin's mesh space to bind space (M_s above).
    pub bind_from_skin: Vec<Affine3A>,
    /// Joints whose inverse bind matrix is singular or not finite, by skin.
    pub bad_binds: Vec<(SkinIndex, NodeIndex)>,
    /// Joints whose loaded pose differs from the neutral one by more than 0.5° or 0.1 % of their bone.
    pub residuals: Vec<BindResidual>,
}

/// An inverse bind matrix as an affine map, where it is one and can be inverted.
fn usable(bind: &Mat4) -> Option<Affine3A> {
    if !bind.is_finite() {
        return None;
    }
    let affine = Affine3A::from_mat4(*bind);
    let columns = affine.matrix3;
    let size = columns.x_axis.length() * columns.y_axis.length() * columns.z_axis.length();
    let inverse = affine.inverse();
    // Relative to the columns' lengths, so that a scale of 0.01 is no singularity.
    (size > 0.0 && columns.determinant().abs() > 1e-6 * size && inverse.is_finite())
        .then_some(affine)
}

impl BindPose {
    /// The bind pose of `character`. `hips` decides how several skins are laid over each other.
    ///
    /// Cost: O(N + joints of all skins + influences where skins must be compared).
    pub fn of(character: &Character, hips: Option<NodeIndex>) -> Self {
        let n = character.skeleton.len();
        let root = character.world_from_file.to_affine();
        let mut bad_binds = Vec::new();
        // World-from-node as each skin's own binds say it, before skins are laid over each other.
        let mut from_bind: Vec<Option<Affine3A>> = vec![None; n];
        let mut bind_from_skin = Vec::with_capacity(character.skins.len());
        let loaded = character.loaded_world();
        for (s, skin) in character.skins.iter().enumerate() {
            let skin_index = SkinIndex::from_index(s);
            let inverses: Vec<(NodeIndex, Affine3A)> = skin
                .joints
                .iter()
                .zip(&skin.joint_from_mesh)
                .filter_map(|(&node, bind)| match usable(bind) {
                    Some(affine) => Some((node, affine)),
                    None => {
                        bad_binds.push((skin_index, node));
                        None
                    }
                })
                .collect();
            let bind_from_mesh = if skin.has_binds {
                alignment(character, skin_index, &inverses, &from_bind, hips)
                    .unwrap_or_else(|| placement(character, skin_index, &inverses, &loaded))
            } else {
                // Without binds the mesh is where the joints put it when each joint's matrix is taken as it stands.
                inverses.first().map_or(root, |&(node, _)| loaded.matrix(node))
            };
            if skin.has_binds {
                for (node, joint_from_mesh) in inverses {
                    if let Some(slot) = from_bind.get_mut(node.index())
                        && slot.is_none()
                    {
                        *slot = Some(bind_from_mesh * joint_from_mesh.inverse());
                    }
                }
            }
            bind_from_skin.push(bind_from_mesh);
        }
        let (pose, world, residuals) = neutral(character, &root, &from_bind);
        Self { pose, world, bind_from_skin, bad_binds, residuals }
    }

    /// From an instance's mesh space to bind space.
    pub fn bind_from_instance(&self, character: &Character, instance: InstanceIndex) -> Affine3A {
        let Some(instance) = character.instance(instance) else { return Affine3A::IDENTITY };
        match instance.skin {
            Some(skin) => {
                self.bind_from_skin.get(skin.index()).copied().unwrap_or(Affine3A::IDENTITY)
            }
            None => self.world.matrix(instance.node),
        }
    }

    /// Where a node stands in bind space, in metres.
    pub fn position(&self, node: NodeIndex) -> Vec3 {
        self.world.matrix(node).translation.into()
    }
}

/// M_s of a skin that shares no joint with an earlier one: from its mesh space to the world.
///
/// Inverse binds say where joints stand in the mesh's space, and most files are written so that this is the world.
/// Not all: a mesh in centimetres, or with Z up, relies on a node above the joints to shrink and turn it. What the
/// loaded pose makes of the topmost joint, W B, tells the two apart even when that joint is posed: of the few frames
/// an exporter can have meant, the world, the frame of the node above the joints, the frame of the mesh's own node,
/// the one nearest to W B is taken.
fn placement(
    character: &Character,
    skin: SkinIndex,
    inverses: &[(NodeIndex, Affine3A)],
    loaded: &WorldPose,
) -> Affine3A {
    let root = character.root_matrix();
    // Nodes stand parents first, so the smallest index is a topmost joint.
    let Some(&(top, joint_from_mesh)) = inverses.iter().min_by_key(|(node, _)| *node) else {
        return root;
    };
    let seen = loaded.matrix(top) * joint_from_mesh;
    let above = character.skeleton.parent(top).map(|p| loaded.matrix(p));
    let own =
        character.instances.iter().find(|i| i.skin == Some(skin)).map(|i| loaded.matrix(i.node));
    let mut best = (root, mismatch(&root, &seen));
    for frame in [above, own].into_iter().flatten() {
        let score = mismatch(&frame, &seen);
        // The world is what glTF means; another frame must be clearly nearer.
        if frame.inverse().is_finite() && score + 0.1 < best.1 {
            best = (frame, score);
        }
    }
    best.0
}

/// How differently two frames scale and turn: octaves of scale plus radians.
fn mismatch(a: &Affine3A, b: &Affine3A) -> f32 {
    let size = |m: &Affine3A| f64::from(m.matrix3.determinant().abs()).max(1e-30);
    let octaves = (libm::log2(size(a) / size(b)) / 3.0).abs() as f32;
    octaves + rotation::angle_between(polar_rotation(a), polar_rotation(b))
}

/// M_s of a skin that shares joints with earlier ones: lays its anchor joint over the place they gave it.
fn alignment(
    character: &Character,
    skin: SkinIndex,
    inverses: &[(NodeIndex, Affine3A)],
    known: &[Option<Affine3A>],
    hips: Option<NodeIndex>,
) -> Option<Affine3A> {
    let shared = |node: NodeIndex| known.get(node.index()).copied().flatten();
    let of = |wanted: NodeIndex| inverses.iter().find(|(node, _)| *node == wanted).copied();
    if inverses.iter().all(|&(node, _)| shared(node).is_none()) {
        return None;
    }
    let by_hips = hips.filter(|&h| shared(h).is_some()).and_then(of);
    let anchor = by_hips.or_else(|| {
        let loads = character.joint_loads(skin);
        inverses
            .iter()
            .filter(|&&(node, _)| shared(node).is_some())
            .max_by(|a, b| {
                let load = |n: NodeIndex| loads.get(n.index()).copied().unwrap_or(0.0);
                load(a.0).total_cmp(&load(b.0)).then(b.0.cmp(&a.0))
            })
            .copied()
    });
    anchor.and_then(|(node, joint_from_mesh)| shared(node).map(|world| world * joint_from_mesh))
}

fn neutral(
    character: &Character,
    root: &Affine3A,
    from_bind: &[Option<Affine3A>],
) -> (Pose, WorldPose, Vec<BindResidual>) {
    let mut pose = Pose::default();
    let mut world = WorldPose::default();
    let mut residuals = Vec::new();
    for (index, (node, bind)) in character.skeleton.nodes().iter().zip(from_bind).enumerate() {
        let parent = node.parent.map_or(*root, |p| world.matrix(p));
        let (local, matrix) = match bind {
            Some(matrix) => (Transform::from_affine(&(parent.inverse() * *matrix)), *matrix),
            None => (node.local, parent * node.local.to_affine()),
        };
        let local = if local.is_finite() { local } else { node.local };
        let angle_rad = rotation::angle_between(local.rotation, node.local.rotation);
        let moved = parent.transform_vector3(local.translation - node.local.translation).length();
        let bone = parent.transform_vector3(local.translation).length();
        if bind.is_some() && (angle_rad > 0.5_f32.to_radians() || moved > 1e-3 * bone + 1e-4) {
            residuals.push(BindResidual {
                node: NodeIndex::from_index(index),
                angle_rad,
                distance_m: moved,
            });
        }
        pose.locals.push(local);
        world.world_from_node.push(matrix);
    }
    (pose, world, residuals)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Quat;

    use super::*;
    use crate::model::{
        Influences, JointIndex, Mesh, MeshIndex, MeshInstance, Node, Skeleton, Skin,
    };

    /// A mesh in centimetres with Z up under a fix node, two joints, saved with the root joint turned by `posed`.
    fn fixed_by_a_node(posed: Quat) -> Character {
        let node = |name: &str, parent: Option<u32>, local| Node {
            name: name.into(),
            parent: parent.map(NodeIndex),
            local,
            source: None,
        };
        let fix = Transform {
            translation: Vec3::ZERO,
            rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
            scale: Vec3::splat(0.01),
        };
        let hips = Transform::from_rotation_translation(posed, Vec3::new(0.0, 0.0, 100.0));
        let spine = Transform::from_translation(Vec3::new(0.0, 0.0, 50.0));
        let skeleton = Skeleton::new(vec![
            node("fix", None, fix),
            node("hips", Some(0), hips),
            node("spine", Some(1), spine),
            node("body", Some(0), Transform::IDENTITY),
        ])
        .unwrap();
        let bind = |z: f32| Mat4::from_translation(Vec3::new(0.0, 0.0, -z));
        let mut influences = Influences::with_capacity(1);
        influences.push([(JointIndex(0), 1.0)]);
        Character {
            skeleton,
            meshes: vec![Mesh {
                positions: Arc::new(vec![Vec3::new(0.0, 0.0, 180.0)]),
                influences: Some(Arc::new(influences)),
                ..Mesh::default()
            }],
            skins: vec![Skin {
                name: String::new(),
                joints: vec![NodeIndex(1), NodeIndex(2)],
                joint_from_mesh: vec![bind(100.0), bind(150.0)],
                has_binds: true,
                source: None,
            }],
            instances: vec![MeshInstance {
                mesh: MeshIndex(0),
                node: NodeIndex(3),
                skin: Some(SkinIndex(0)),
                is_visible: true,
            }],
            ..Character::default()
        }
    }

    #[test]
    fn a_fix_node_above_the_joints_gives_metres_with_y_up_posed_or_not() {
        for posed in [Quat::IDENTITY, Quat::from_rotation_y(0.5)] {
            let character = fixed_by_a_node(posed);
            let bind = BindPose::of(&character, None);
            let hips = bind.position(NodeIndex(1));
            assert!((hips - Vec3::new(0.0, 1.0, 0.0)).length() < 1e-5, "{hips}");
            let head = bind.bind_from_instance(&character, InstanceIndex(0));
            let head = head.transform_point3(Vec3::new(0.0, 0.0, 180.0));
            assert!((head - Vec3::new(0.0, 1.8, 0.0)).length() < 1e-5, "{head}");
        }
    }

    #[test]
    fn the_pose_a_file_was_saved_in_is_not_the_bind_pose() {
        let posed = Quat::from_rotation_y(0.5);
        let bind = BindPose::of(&fixed_by_a_node(posed), None);
        assert_eq!(bind.residuals.len(), 1);
        assert_eq!(bind.residuals[0].node, NodeIndex(1));
        assert!((bind.residuals[0].angle_rad - 0.5).abs() < 1e-4);
        assert!(rotation::angle(bind.pose.local(NodeIndex(1)).rotation) < 1e-4);
    }

    #[test]
    fn a_singular_bind_is_listed_and_its_joint_follows_its_parent() {
        let mut character = fixed_by_a_node(Quat::IDENTITY);
        character.skins[0].joint_from_mesh[1] = Mat4::ZERO;
        let bind = BindPose::of(&character, None);
        assert_eq!(bind.bad_binds, [(SkinIndex(0), NodeIndex(2))]);
        assert!((bind.position(NodeIndex(2)) - Vec3::new(0.0, 1.5, 0.0)).length() < 1e-5);
    }
}
