//! Poses: local transforms, and the world transforms they lead to. Two types, so that a local pose is never skinned.

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x4};
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};

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
    room: Room,
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
        let n_nodes = skeleton.len().min(self.locals.len());
        let (nodes, locals) = (&skeleton.nodes()[..n_nodes], &self.locals[..n_nodes]);
        let WorldPose { world_from_node, room: Room(columns) } = world;
        world_from_node.resize(n_nodes, Affine3A::IDENTITY);
        columns.resize(n_nodes.div_ceil(LANES), Columns::default());
        dispatch!(Level::new(), proof => {
            turn_into_columns(proof, locals, columns);
            compose(nodes, locals, columns, world_from_file, world_from_node);
        });
    }
}

/// Nodes whose rotations become matrices together.
const LANES: usize = 4;

/// Columns of the matrices of four rotations, their numbers side by side: `[column][row][rotation]`.
type Columns = [[[f32; LANES]; 3]; 3];

/// Columns on their way, kept so that a pose in play allocates nothing. What is in it counts for nothing.
#[derive(Debug, Default)]
struct Room(Vec<Columns>);

impl Clone for Room {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Room {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// World matrices of all nodes from their rotations' columns. Inlined, to be built for what a processor has; it gives
/// the same bits on all.
#[inline(always)]
fn compose(
    nodes: &[Node],
    locals: &[Transform],
    columns: &[Columns],
    world_from_file: &Affine3A,
    matrices: &mut [Affine3A],
) {
    // A limb's joints wait for each other; the matrix before is at hand, where one from memory would take twice as long.
    let mut before = *world_from_file;
    // One flat loop over indices that all lists have: nested ones over blocks of four take a fifth longer.
    for index in 0..nodes.len().min(locals.len()).min(matrices.len()).min(columns.len() * LANES) {
        let (turns, k, local) = (&columns[index / LANES], index % LANES, &locals[index]);
        let parent = match nodes[index].parent {
            Some(parent) if parent.index() + 1 == index => before,
            Some(parent) => *matrices.get(parent.index()).unwrap_or(world_from_file),
            None => *world_from_file,
        };
        let turn = &parent.matrix3;
        let mut matrix3 = Mat3A::from_cols(
            turned(turn, row(&turns[0], k)),
            turned(turn, row(&turns[1], k)),
            turned(turn, row(&turns[2], k)),
        );
        if is_scaled(local.scale) {
            matrix3.x_axis *= local.scale.x;
            matrix3.y_axis *= local.scale.y;
            matrix3.z_axis *= local.scale.z;
        }
        let translation = turned(turn, local.translation.into()) + parent.translation;
        before = Affine3A { matrix3, translation };
        matrices[index] = before;
    }
}

/// Whether a scale is anything but the one most nodes have. By bits and one by one: no number leaves its register.
#[inline(always)]
fn is_scaled(scale: Vec3) -> bool {
    const ONE: u32 = 1.0_f32.to_bits();
    scale.x.to_bits() != ONE || scale.y.to_bits() != ONE || scale.z.to_bits() != ONE
}

#[inline(always)]
fn turned(turn: &Mat3A, [x, y, z]: [f32; 3]) -> Vec3A {
    turn.x_axis * x + turn.y_axis * y + turn.z_axis * z
}

#[inline(always)]
fn row(column: &[[f32; LANES]; 3], k: usize) -> [f32; 3] {
    [column[0][k], column[1][k], column[2][k]]
}

/// Columns of the rotations of all nodes, a block for four; what the last block has too many stays identity.
#[inline(always)]
fn turn_into_columns<S: Simd>(proof: S, locals: &[Transform], columns: &mut [Columns]) {
    let (fours, rest) = locals.as_chunks::<LANES>();
    for (columns, [a, b, c, d]) in columns.iter_mut().zip(fours) {
        *columns = rotation_columns(proof, [a.rotation, b.rotation, c.rotation, d.rotation]);
    }
    if let (Some(columns), false) = (columns.last_mut(), rest.is_empty()) {
        let mut rotations = [Quat::IDENTITY; LANES];
        for (rotation, local) in rotations.iter_mut().zip(rest) {
            *rotation = local.rotation;
        }
        *columns = rotation_columns(proof, rotations);
    }
}

/// Columns of the matrices of unit quaternions.
#[inline(always)]
fn rotation_columns<S: Simd>(proof: S, rotations: [Quat; LANES]) -> Columns {
    let [a, b, c, d] = rotations;
    let a = f32x4::from_slice(proof, &a.to_array());
    let b = f32x4::from_slice(proof, &b.to_array());
    let c = f32x4::from_slice(proof, &c.to_array());
    let d = f32x4::from_slice(proof, &d.to_array());
    // A transpose by pairs: what the library does in one step for wide registers takes longer.
    let (ac_xy, ac_zw) = (a.zip_low(c), a.zip_high(c));
    let (bd_xy, bd_zw) = (b.zip_low(d), b.zip_high(d));
    let (x, y) = (ac_xy.zip_low(bd_xy), ac_xy.zip_high(bd_xy));
    let (z, w) = (ac_zw.zip_low(bd_zw), ac_zw.zip_high(bd_zw));
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

    #[test]
    fn of_a_pose_and_a_skeleton_the_shorter_one_counts() {
        let mut skeleton = Skeleton::default();
        for i in 0..4_u32 {
            let parent = i.checked_sub(1).map(NodeIndex);
            let local = Transform {
                rotation: Quat::from_rotation_x(0.2 + i as f32),
                ..Transform::IDENTITY
            };
            skeleton.push(Node { name: String::new(), parent, local, source: None }).unwrap();
        }
        let world = |locals: Vec<Transform>| {
            let mut world = WorldPose::default();
            Pose { locals }.to_world(&skeleton, &Affine3A::IDENTITY, &mut world);
            world.world_from_node
        };
        let loaded = Pose::loaded(&skeleton).locals;
        let whole = world(loaded.clone());
        for n in 0..4 {
            assert_eq!(world(loaded[..n].to_vec()), whole[..n]);
        }
        assert_eq!(world([loaded, vec![Transform::IDENTITY; 3]].concat()), whole);
    }
}
