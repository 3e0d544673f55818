//! FX04, FX05 and skinless parts, on two triangles.

use glam::{Quat, Vec3};

use super::super::joints::{Growth, grow};
use super::*;
use crate::math::Transform;
use crate::model::{Mesh, MeshInstance, MeshSource, Node, Skeleton};
use crate::rig::JointAxes;

const HIPS: NodeIndex = NodeIndex(0);
const LEG: NodeIndex = NodeIndex(1);

fn mesh() -> Mesh {
    let mut influences = Influences::with_capacity(3);
    for _ in 0..3 {
        influences.push([(JointIndex(1), 1.0)]);
    }
    Mesh {
        positions: Arc::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y]),
        triangles: Arc::new(vec![[0, 1, 2]]),
        influences: Some(Arc::new(influences)),
        source: Some(MeshSource { mesh: 0, primitive: 0 }),
        ..Mesh::default()
    }
}

/// Hips and a leg; two skins over both, the second bound in a space that lies a metre higher and turned.
fn character(instances: Vec<(u32, Option<u32>)>) -> Character {
    let node = |name: &str, parent, at| Node {
        name: String::from(name),
        parent,
        local: Transform::from_translation(at),
        source: Some(0),
    };
    let skeleton = Skeleton::new(vec![
        node("hips", None, Vec3::Y),
        node("leg", Some(HIPS), Vec3::new(0.1, -0.1, 0.0)),
    ])
    .unwrap();
    let world = Character { skeleton: skeleton.clone(), ..Character::default() }.loaded_world();
    let second = Affine3A::from_rotation_translation(Quat::from_rotation_y(0.5), Vec3::Y);
    let skin = |bind_from_mesh: Affine3A| Skin {
        name: String::new(),
        joints: vec![HIPS, LEG],
        joint_from_mesh: [HIPS, LEG]
            .map(|n| Mat4::from(world.matrix(n).inverse() * bind_from_mesh))
            .to_vec(),
        has_binds: true,
        source: Some(0),
    };
    Character {
        skeleton,
        meshes: vec![mesh(), mesh()],
        skins: vec![skin(Affine3A::IDENTITY), skin(second)],
        instances: instances
            .into_iter()
            .map(|(mesh, skin)| MeshInstance {
                mesh: MeshIndex(mesh),
                node: LEG,
                skin: skin.map(SkinIndex),
                is_visible: true,
            })
            .collect(),
        ..Character::default()
    }
}

/// Grows a chain of two joints on the hips and gives `vertices` to its first joint.
fn edit(character: &mut Character, vertices: &[u32]) -> (BindPose, RigChanges, Vec<NodeIndex>) {
    let mut bind = BindPose::of(character, Some(HIPS));
    let first_new = character.skeleton.len();
    let growth = Growth {
        attachment: HIPS,
        places: &[Vec3::new(0.0, 1.0, -0.1), Vec3::new(0.0, 0.9, -0.4), Vec3::new(0.0, 0.8, -0.6)],
        names: ["Tail_1", "Tail_2", "Tail_End"].map(String::from).to_vec(),
        axes: JointAxes::Parent,
        left: Vec3::X,
    };
    let chain: Vec<NodeIndex> =
        grow(&mut character.skeleton, &mut bind, growth).unwrap().all().collect();
    let edits = WeightEdits {
        weights: vertices
            .iter()
            .map(|&v| (SurfaceVertex(v), vec![(HIPS, 0.5), (chain[0], 0.5)]))
            .collect(),
        chains: vec![chain.clone()],
    };
    let changes = apply(character, &mut bind, first_new, &edits, 4);
    (bind, changes, chain)
}

/// World matrix times inverse bind: where the skin takes its mesh in the bind pose.
fn skinned(character: &Character, bind: &BindPose, skin: usize, place: usize) -> Affine3A {
    let skin = &character.skins[skin];
    bind.world.matrix(skin.joints[place]) * Affine3A::from_mat4(skin.joint_from_mesh[place])
}

#[test]
fn two_skins_keep_their_own_binds_fx04() {
    let mut c = character(vec![(0, Some(0)), (1, Some(1))]);
    let before = c.skins.clone();
    let (bind, changes, chain) = edit(&mut c, &[0, 3]);
    assert_eq!(changes.n_vertices(), 2);
    for (s, skin) in c.skins.iter().enumerate() {
        assert_eq!(skin.joints[..2], before[s].joints[..]);
        assert_eq!(skin.joint_from_mesh[..2], before[s].joint_from_mesh[..]);
        assert_eq!(skin.joints[2..], chain[..], "all of the chain, its end too");
        let hips = skinned(&c, &bind, s, 0);
        for place in 2..5 {
            assert!(skinned(&c, &bind, s, place).abs_diff_eq(hips, 1e-6), "skin {s}");
        }
    }
    assert!(
        BindPose::of(&c, Some(HIPS))
            .world
            .world_from_node
            .iter()
            .zip(&bind.world.world_from_node)
            .all(|(a, b)| a.abs_diff_eq(*b, 1e-6))
    );
}

#[test]
fn an_edit_does_not_leak_into_another_instance_of_the_mesh_fx05() {
    let mut c = character(vec![(0, Some(0)), (0, Some(1))]);
    let (_, changes, _) = edit(&mut c, &[4]);
    assert_eq!(changes.reweighted.keys().copied().collect::<Vec<_>>(), [InstanceIndex(1)]);
    assert_eq!(c.instances[0].mesh, MeshIndex(0));
    assert_eq!(c.instances[1].mesh, MeshIndex(2), "a mesh of its own, at the end");
    assert_eq!(c.meshes[0], mesh());
    assert_eq!(c.meshes[2].source, c.meshes[0].source);
    assert_eq!(c.skins[0].joints.len(), 2, "the other skin is not touched");
    let weights: Vec<_> = c.meshes[2].influences.as_ref().unwrap().of(1).collect();
    assert_eq!(weights, [(JointIndex(0), 0.5), (JointIndex(2), 0.5)]);
}

#[test]
fn a_skinless_part_becomes_skinned_and_its_other_vertices_follow_its_node() {
    let mut c = character(vec![(0, None), (1, Some(0))]);
    let (bind, changes, chain) = edit(&mut c, &[1]);
    assert_eq!(changes.newly_skinned, [InstanceIndex(0)]);
    assert_eq!(changes.reweighted[&InstanceIndex(0)], [0, 1, 2]);
    let skin = c.skin_of(&c.instances[0]).unwrap();
    assert_eq!(skin.joints[..2], [LEG, HIPS], "its node, then the attachment it did not have");
    assert_eq!(skin.joints[2..], chain[..]);
    for place in 0..skin.joints.len() {
        let found = skinned(&c, &bind, 2, place);
        assert!(found.abs_diff_eq(bind.world.matrix(LEG), 1e-6), "stands where it stood");
    }
    let influences = c.meshes[0].influences.as_ref().unwrap();
    assert_eq!(influences.of(0).collect::<Vec<_>>(), [(JointIndex(0), 1.0)]);
}

#[test]
fn a_skin_without_binds_gets_identities_and_the_chain_behind_the_attachment() {
    let mut c = character(vec![(0, Some(0))]);
    c.skins[0].has_binds = false;
    c.skins[0].joint_from_mesh = vec![Mat4::IDENTITY; 2];
    let (bind, _, chain) = edit(&mut c, &[0]);
    assert!(c.skins[0].has_binds);
    assert_eq!(c.skins[0].joint_from_mesh[0], Mat4::IDENTITY);
    assert_eq!(c.skins[0].joints.len(), 2 + chain.len());
    assert!(skinned(&c, &bind, 0, 3).abs_diff_eq(bind.world.matrix(HIPS), 1e-6));
}

#[test]
fn weights_that_come_out_as_they_were_are_no_change() {
    let mut c = character(vec![(0, Some(0))]);
    let mut bind = BindPose::of(&c, Some(HIPS));
    let edits =
        WeightEdits { weights: [(SurfaceVertex(0), vec![(LEG, 0.7)])].into(), chains: Vec::new() };
    let changes = apply(&mut c, &mut bind, 2, &edits, 4);
    assert!(changes.is_empty(&c));
    assert_eq!(c.meshes[0], mesh());
}
