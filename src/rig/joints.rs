//! New joints of a chain: nodes of the skeleton with their neutral transforms.
//!
//! Based on: spec 1.7, 8 (D8).

use glam::{Affine3A, Mat3, Quat, Vec3};

use super::JointAxes;
use crate::math::{Transform, rotation};
use crate::model::{BindPose, Node, NodeIndex, Skeleton};

/// A chain's nodes as they now stand in the skeleton.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GrownJoints {
    pub attachment: NodeIndex,
    /// `[K]`, root to tip.
    pub joints: Vec<NodeIndex>,
    pub end: NodeIndex,
}

impl GrownJoints {
    /// Joints and end, each the parent of the next.
    pub fn all(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.joints.iter().copied().chain(std::iter::once(self.end))
    }
}

/// What [`grow`] builds.
pub(super) struct Growth<'a> {
    pub attachment: NodeIndex,
    /// J_0 to J_K in bind space, `[K + 1]`.
    pub places: &'a [Vec3],
    /// `[K + 1]`, the end's last.
    pub names: Vec<String>,
    pub axes: JointAxes,
    /// The body's left, which axes that run along the chain take for their side.
    pub left: Vec3,
}

/// The nearest of `node` and its ancestors whose neutral matrix can be inverted: below a scale of zero nothing stands.
pub(super) fn usable_attachment(
    skeleton: &Skeleton,
    bind: &BindPose,
    node: NodeIndex,
) -> Option<NodeIndex> {
    std::iter::once(node).chain(skeleton.ancestors(node)).find(|&n| {
        let matrix = bind.world.matrix(n);
        matrix.inverse().is_finite() && matrix.is_finite()
    })
}

/// Appends the joints of a chain, and its end, to the skeleton and the bind pose.
///
/// `Tail_{i+1}` stands at J_i and the end at J_K. With [`JointAxes::Parent`] each shares the attachment's bind rotation
/// and scale, so its local transform is a translation. `None` where the attachment is not of this skeleton.
pub(super) fn grow(
    skeleton: &mut Skeleton,
    bind: &mut BindPose,
    growth: Growth<'_>,
) -> Option<GrownJoints> {
    let attach_world = bind.world.matrix(growth.attachment);
    let scale = Transform::from_affine(&attach_world).scale;
    let mut parent = growth.attachment;
    let mut turn: Option<Quat> = None;
    let mut last_along = Vec3::ZERO;
    let mut nodes = Vec::with_capacity(growth.places.len());
    for (i, (&place, name)) in growth.places.iter().zip(growth.names).enumerate() {
        let parent_world = bind.world.matrix(parent);
        let to_local = parent_world.inverse();
        let translation = to_local.transform_point3(place);
        let local = match growth.axes {
            JointAxes::Parent => Transform::from_translation(translation),
            axes => {
                let next = growth.places.get(i + 1).map(|&n| n - place);
                let along = next.and_then(Vec3::try_normalize).unwrap_or(last_along);
                let world = match turn {
                    None => frame(axes, along, growth.left),
                    // Carried from joint to joint by the shortest turn, so that no twist creeps in.
                    Some(before) if along != Vec3::ZERO => {
                        rotation::swing(last_along, along) * before
                    }
                    Some(before) => before,
                };
                turn = Some(world);
                last_along = along;
                let wanted = Affine3A::from_scale_rotation_translation(scale, world, place);
                let local = Transform::from_affine(&(to_local * wanted));
                Transform { translation, scale: near_one(local.scale), ..local }
            }
        };
        let node = Node { name, parent: Some(parent), local, source: None };
        let index = skeleton.push(node).ok()?;
        bind.pose.locals.push(local);
        bind.world.world_from_node.push(parent_world * local.to_affine());
        nodes.push(index);
        parent = index;
    }
    let end = nodes.pop()?;
    Some(GrownJoints { attachment: growth.attachment, joints: nodes, end })
}

/// A rotation with +Y (or +X) along `along` and, as near as can be, +X (or +Z) to the left.
fn frame(axes: JointAxes, along: Vec3, left: Vec3) -> Quat {
    let along = if along == Vec3::ZERO { Vec3::NEG_Y } else { along };
    let side = (left - along * left.dot(along)).normalize_or(along.any_orthonormal_vector());
    let matrix = match axes {
        JointAxes::XAlong => Mat3::from_cols(along, side.cross(along), side),
        _ => Mat3::from_cols(side, along, side.cross(along)),
    };
    Quat::from_mat3(&matrix).normalize()
}

/// Scale that differs from one only by rounding is one.
fn near_one(scale: Vec3) -> Vec3 {
    if scale.abs_diff_eq(Vec3::ONE, 1e-5) { Vec3::ONE } else { scale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Character, SkinIndex};

    /// A root scaled to centimetres and turned Z-up, with hips that are turned once more below it.
    fn scaled() -> (Skeleton, BindPose) {
        let node = |name: &str, parent, local| Node {
            name: String::from(name),
            parent,
            local,
            source: None,
        };
        let skeleton = Skeleton::new(vec![
            node(
                "root",
                None,
                Transform {
                    rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
                    scale: Vec3::splat(0.01),
                    translation: Vec3::ZERO,
                },
            ),
            node(
                "hips",
                Some(NodeIndex(0)),
                Transform::from_rotation_translation(
                    Quat::from_rotation_z(0.7),
                    Vec3::new(0.0, 0.0, 100.0),
                ),
            ),
        ])
        .unwrap();
        let character = Character { skeleton: skeleton.clone(), ..Character::default() };
        let bind = BindPose::of(&character, None);
        assert!(bind.bind_from_skin.get(SkinIndex(0).index()).is_none());
        (skeleton, bind)
    }

    fn places() -> Vec<Vec3> {
        vec![
            Vec3::new(0.0, 0.95, -0.1),
            Vec3::new(0.02, 0.9, -0.3),
            Vec3::new(0.0, 0.8, -0.5),
            Vec3::new(0.0, 0.7, -0.6),
        ]
    }

    fn grown(axes: JointAxes) -> (Skeleton, BindPose, GrownJoints) {
        let (mut skeleton, mut bind) = scaled();
        let growth = Growth {
            attachment: NodeIndex(1),
            places: &places(),
            names: ["Tail_1", "Tail_2", "Tail_3", "Tail_End"].map(String::from).to_vec(),
            axes,
            left: Vec3::X,
        };
        let chain = grow(&mut skeleton, &mut bind, growth).unwrap();
        (skeleton, bind, chain)
    }

    #[test]
    fn joints_stand_at_their_places_whatever_the_axes() {
        for axes in [JointAxes::Parent, JointAxes::Along, JointAxes::XAlong] {
            let (skeleton, bind, chain) = grown(axes);
            for (node, place) in chain.all().zip(places()) {
                assert!(bind.position(node).distance(place) < 1e-6, "{axes:?}");
                assert!(skeleton.is_within(node, NodeIndex(1)));
            }
            assert_eq!(chain.joints.len(), 3);
            assert_eq!(skeleton.name(chain.end), "Tail_End");
            // The loaded pose of new joints is their bind pose.
            for node in chain.all() {
                assert_eq!(skeleton.node(node).local, bind.pose.local(node));
            }
        }
    }

    #[test]
    fn parent_axes_are_pure_translations() {
        let (skeleton, _, chain) = grown(JointAxes::Parent);
        for node in chain.all() {
            let local = skeleton.node(node).local;
            assert_eq!((local.rotation, local.scale), (Quat::IDENTITY, Vec3::ONE));
        }
    }

    #[test]
    fn along_axes_point_to_the_child_and_keep_the_scale() {
        for (axes, axis) in [(JointAxes::Along, Vec3::Y), (JointAxes::XAlong, Vec3::X)] {
            let (skeleton, bind, chain) = grown(axes);
            let all: Vec<NodeIndex> = chain.all().collect();
            for pair in all.windows(2) {
                let world = bind.world.matrix(pair[0]);
                let wanted = (bind.position(pair[1]) - bind.position(pair[0])).normalize();
                let found = world.transform_vector3(axis);
                assert!((found.length() - 0.01).abs() < 1e-6, "scale is the attachment's");
                assert!(found.normalize().dot(wanted) > 1.0 - 1e-5, "{axes:?}");
                assert_eq!(skeleton.node(pair[1]).local.scale, Vec3::ONE);
            }
        }
    }

    #[test]
    fn a_joint_of_no_size_hands_the_chain_to_its_parent() {
        let (mut skeleton, mut bind) = scaled();
        let flat = Node {
            name: "flat".into(),
            parent: Some(NodeIndex(1)),
            local: Transform { scale: Vec3::ZERO, ..Transform::IDENTITY },
            source: None,
        };
        let index = skeleton.push(flat).unwrap();
        let world = bind.world.matrix(NodeIndex(1)) * Affine3A::from_scale(Vec3::ZERO);
        bind.world.world_from_node.push(world);
        assert_eq!(usable_attachment(&skeleton, &bind, index), Some(NodeIndex(1)));
    }
}
