//! Poses: local transforms, and the world transforms they lead to. Two types, so that a local pose is never skinned.

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x4};
use glam::{Affine3A, Mat3A, Quat, Vec3A};

use super::{Node, NodeIndex, Skeleton};
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
        let (nodes, matrices) = (skeleton.nodes(), &mut world.world_from_node);
        dispatch!(Level::new(), proof => compose(proof, (nodes, &self.locals), world_from_file, matrices));
    }
}

/// Nodes whose rotations become matrices together.
const LANES: usize = 4;
/// A scale of one, as most nodes have it.
const UNSCALED: [u32; 3] = [1.0_f32.to_bits(); 3];

/// World matrices of all nodes. All of it inlined, to be built for what a processor has; it gives the same bits on all.
#[inline(always)]
fn compose<S: Simd>(
    proof: S,
    (nodes, locals): (&[Node], &[Transform]),
    world_from_file: &Affine3A,
    matrices: &mut Vec<Affine3A>,
) {
    matrices.resize(nodes.len().min(locals.len()), Affine3A::IDENTITY);
    // A limb's joints wait for each other; the matrix before is at hand, where one from memory would take twice as long.
    let mut before = *world_from_file;
    for (block, (nodes, locals)) in nodes.chunks(LANES).zip(locals.chunks(LANES)).enumerate() {
        let columns = rotation_columns(proof, rotations(locals));
        for (k, (node, local)) in nodes.iter().zip(locals).enumerate() {
            let index = block * LANES + k;
            let parent = match node.parent {
                Some(parent) if parent.index() + 1 == index => before,
                Some(parent) => *matrices.get(parent.index()).unwrap_or(world_from_file),
                None => *world_from_file,
            };
            let turn = &parent.matrix3;
            let mut matrix3 = Mat3A::from_cols(
                turned(turn, row(&columns[0], k)),
                turned(turn, row(&columns[1], k)),
                turned(turn, row(&columns[2], k)),
            );
            if local.scale.to_array().map(f32::to_bits) != UNSCALED {
                let scale = local.scale;
                matrix3.x_axis *= scale.x;
                matrix3.y_axis *= scale.y;
                matrix3.z_axis *= scale.z;
            }
            let translation = turned(turn, local.translation.into()) + parent.translation;
            before = Affine3A { matrix3, translation };
            if let Some(slot) = matrices.get_mut(index) {
                *slot = before;
            }
        }
    }
}

/// Of up to four nodes; none for those that are missing.
#[inline(always)]
fn rotations(locals: &[Transform]) -> [Quat; LANES] {
    if let Some([a, b, c, d]) = locals.first_chunk() {
        return [a.rotation, b.rotation, c.rotation, d.rotation];
    }
    let mut rotations = [Quat::IDENTITY; LANES];
    for (rotation, local) in rotations.iter_mut().zip(locals) {
        *rotation = local.rotation;
    }
    rotations
}

#[inline(always)]
fn turned(turn: &Mat3A, [x, y, z]: [f32; 3]) -> Vec3A {
    turn.x_axis * x + turn.y_axis * y + turn.z_axis * z
}

#[inline(always)]
fn row(column: &[[f32; LANES]; 3], k: usize) -> [f32; 3] {
    [column[0][k], column[1][k], column[2][k]]
}

/// Columns of the matrices of unit quaternions, their numbers side by side: `[column][row][rotation]`.
#[inline(always)]
fn rotation_columns<S: Simd>(proof: S, rotations: [Quat; LANES]) -> [[[f32; LANES]; 3]; 3] {
    let [a, b, c, d] = rotations;
    let rows = [a.to_array(), b.to_array(), c.to_array(), d.to_array()];
    let [x, y, z, w] = proof.load_four_interleaved_f32x4(bytemuck::cast_ref(&rows));
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let one = f32x4::splat(proof, 1.0);
    [
        [(one - (yy + zz)).into(), (xy + wz).into(), (xz - wy).into()],
        [(xy - wz).into(), (one - (xx + zz)).into(), (yz + wx).into()],
        [(xz + wy).into(), (yz - wx).into(), (one - (xx + yy)).into()],
    ]
}

impl WorldPose {
    /// World matrix of a node; identity for a node the pose does not know.
    pub fn matrix(&self, node: NodeIndex) -> Affine3A {
        self.world_from_node.get(node.index()).copied().unwrap_or(Affine3A::IDENTITY)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn a_node_s_matrix_is_its_parent_s_times_its_own() {
        let local = |i: usize| Transform {
            translation: Vec3::new(0.1, -0.2, 0.3 * i as f32),
            rotation: Quat::from_rotation_x(i as f32) * Quat::from_rotation_z(0.7),
            scale: Vec3::new(1.0, 0.5 + 0.1 * i as f32, 2.0),
        };
        let mut skeleton = Skeleton::default();
        for i in 0..11_usize {
            // Two roots, a chain, and a star.
            let parent = [None, Some(0), Some(1), None, Some(3), Some(3), Some(3)];
            let before = i.checked_sub(1).map(|p| p as u32);
            let parent = parent.get(i).copied().unwrap_or(before).map(NodeIndex);
            skeleton
                .push(Node { name: String::new(), parent, local: local(i), source: None })
                .unwrap();
        }
        let root = Affine3A::from_rotation_translation(Quat::from_rotation_y(2.0), Vec3::Y);
        let mut world = WorldPose::default();
        Pose::loaded(&skeleton).to_world(&skeleton, &root, &mut world);
        assert_eq!(world.world_from_node.len(), skeleton.len());
        for node in skeleton.indices() {
            let parent = skeleton.parent(node).map_or(root, |p| world.matrix(p));
            let wanted = parent * skeleton.node(node).local.to_affine();
            assert!(world.matrix(node).abs_diff_eq(wanted, 1e-5), "{node:?}");
        }
    }
}
