//! Existing chains: their tips, which are driven, what a hand's stand in for.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Quat};

use super::*;
use crate::detect::ExistingChain;
use crate::math::Transform;
use crate::model::{
    Influences, JointIndex, Mesh, MeshIndex, MeshInstance, Node, Region, RegionId, Skeleton, Skin,
    Vrm, VrmSpring, VrmSpringJoint, VrmVersion,
};
use crate::rig::Treatment;

/// hips → tail → tip, the last joint bent by 90° in the bind pose; vertices at the given places on the tip.
fn character(weighted: &[u32]) -> Character {
    let node =
        |name: &str, parent, local| Node { name: String::from(name), parent, local, source: None };
    let skeleton = Skeleton::new(vec![
        node("hips", None, Transform::from_translation(Vec3::Y)),
        node("Tail_1", Some(NodeIndex(0)), Transform::from_translation(Vec3::new(0.0, 0.0, -0.1))),
        node(
            "Tail_2",
            Some(NodeIndex(1)),
            Transform::from_rotation_translation(
                Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
                Vec3::new(0.0, 0.0, -0.3),
            ),
        ),
    ])
    .unwrap();
    let world = Character { skeleton: skeleton.clone(), ..Character::default() }.loaded_world();
    let mut influences = Influences::with_capacity(weighted.len());
    for &joint in weighted {
        influences.push([(JointIndex(joint), 1.0)]);
    }
    let positions =
        (0..weighted.len()).map(|i| Vec3::new(0.0, 1.0, -0.4 - 0.1 * i as f32)).collect::<Vec<_>>();
    Character {
        meshes: vec![Mesh {
            positions: Arc::new(positions),
            influences: Some(Arc::new(influences)),
            ..Mesh::default()
        }],
        skins: vec![Skin {
            name: String::new(),
            joints: (0..3).map(NodeIndex).collect(),
            joint_from_mesh: world
                .world_from_node
                .iter()
                .map(|m: &Affine3A| Mat4::from(m.inverse()))
                .collect(),
            has_binds: true,
            source: None,
        }],
        instances: vec![MeshInstance {
            mesh: MeshIndex(0),
            node: NodeIndex(0),
            skin: Some(SkinIndex(0)),
            is_visible: true,
        }],
        skeleton,
        ..Character::default()
    }
}

fn chain_of(character: &Character, run: &[u32]) -> Chain {
    let run: Vec<NodeIndex> = run.iter().copied().map(NodeIndex).collect();
    let bind = BindPose::of(character, None);
    let loads = total_loads(character);
    let (joints, end) = without_helper(&run, &loads);
    chain(character, &bind, joints, end).unwrap()
}

#[test]
fn the_incoming_tangent_is_taken_into_the_last_joint_s_own_frame() {
    let c = character(&[1, 2]);
    let found = chain_of(&c, &[1, 2]);
    assert_eq!((found.name.as_str(), found.anchor), ("Tail_1", NodeIndex(0)));
    let Tip::Virtual(tip) = found.tip else { panic!("nothing marks the tip") };
    // The link runs along -z, 0.3 long; the last joint is turned by +90° about x.
    let expected = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2) * Vec3::new(0.0, 0.0, -0.3);
    assert!(tip.distance(expected) < 1e-6, "{tip}");
}

#[test]
fn an_unweighted_last_joint_is_the_tip() {
    let found = chain_of(&character(&[1, 1]), &[1, 2]);
    assert_eq!(found.joints, [NodeIndex(1)]);
    assert_eq!(found.tip, Tip::Node(NodeIndex(2)));
}

#[test]
fn a_single_joint_ends_at_its_farthest_vertex() {
    let c = character(&[2, 2, 2]);
    let Tip::Virtual(tip) = chain_of(&c, &[2]).tip else { panic!("nothing marks the tip") };
    assert!((tip.length() - 0.2).abs() < 1e-6, "from -0.4 to -0.6: {tip}");
}

fn region(id: u32, kind: RegionKind) -> Region {
    Region { kind, ..Region::bare(id) }
}

#[test]
fn a_tail_is_lifted_but_neither_its_fork_nor_a_cape() {
    let chain = |anchor, joint, origin| Chain {
        name: "Tail_1".into(),
        anchor: NodeIndex(anchor),
        joints: vec![NodeIndex(joint)],
        tip: Tip::Virtual(Vec3::Y),
        origin,
        settings: SpringSettings::default(),
        hair: None,
        is_driven: false,
    };
    let grown = |id| ChainOrigin::Grown(RegionId(id));
    let mut chains = [
        chain(0, 1, grown(0)),
        chain(1, 2, grown(0)),
        chain(0, 3, grown(1)),
        chain(0, 4, ChainOrigin::Existing),
    ];
    let detection = Detection {
        regions: vec![region(0, RegionKind::Tail), region(1, RegionKind::Garment)],
        ..Detection::default()
    };
    let mut settings = RigSettings::default();
    tune(&mut chains, &detection, &settings);
    let lifted = chains.each_ref().map(|c| c.settings.carry_rad > 0.0);
    assert_eq!(lifted, [true, false, false, true]);
    assert!(chains[1].settings.keep_behind && !chains[2].settings.keep_behind);
    assert!(chains.iter().all(|c| c.is_driven), "the existing one is named as ours are");

    let own = SpringSettings { carry_rad: 0.3, ..SpringSettings::default() };
    let treatment = Treatment { springs: Some(own), ..Treatment::default() };
    settings.by_kind.insert(RegionKind::Garment, treatment);
    settings.existing.insert("Tail_1".into(), false);
    tune(&mut chains, &detection, &settings);
    assert_eq!(chains[2].settings, own);
    assert!(!chains[3].is_driven);
}

#[test]
fn a_chain_of_the_file_is_driven_by_its_name_with_springs_of_its_own_and_lifted_only_from_the_hips()
{
    let chain = |name: &str, anchor| Chain {
        name: name.into(),
        anchor: NodeIndex(anchor),
        joints: vec![NodeIndex(5)],
        tip: Tip::Virtual(Vec3::Y),
        origin: ChainOrigin::Existing,
        settings: SpringSettings::default(),
        hair: None,
        is_driven: false,
    };
    let mut chains = [chain("Brush", 0), chain("Ponytail", 1)];
    let mut detection = Detection::default();
    detection.humanoid.roles.insert(Role::Hips, NodeIndex(0));
    detection.humanoid.roles.insert(Role::Head, NodeIndex(1));
    let mut settings = RigSettings::default();
    tune(&mut chains, &detection, &settings);
    assert!(chains.iter().all(|c| !c.is_driven), "left to the clips until somebody decides");
    assert_eq!(chains[0].settings, settings.springs);
    assert_eq!(chains[1].settings.carry_rad, 0.0, "no tail grows from a head");

    let own = SpringSettings { gravity: 5.0, ..SpringSettings::default() };
    settings.existing.extend([("Brush".into(), true), ("Ponytail".into(), true)]);
    settings.existing_springs.insert("Ponytail".into(), own);
    tune(&mut chains, &detection, &settings);
    assert!(chains.iter().all(|c| c.is_driven));
    assert_eq!((chains[0].settings, chains[1].settings), (settings.springs, own));
}

#[test]
fn our_own_names_are_known() {
    for name in ["Tail_1", "Tail2_1", "Tail13_1"] {
        assert!(is_named_as_ours(name), "{name}");
    }
    for name in ["tail_1", "Tail", "Tail_2", "TailBone_1", "Tailx_1"] {
        assert!(!is_named_as_ours(name), "{name}");
    }
}

#[test]
fn a_chain_by_hand_stands_in_for_springs_and_found_chains_that_hold_its_joints() {
    let mut c = character(&[1, 2]);
    let joint = |node: u32| VrmSpringJoint {
        node: NodeIndex(node),
        hit_radius: 0.02,
        stiffness: 1.0,
        gravity_power: 0.0,
        gravity_dir: Vec3::NEG_Y,
        drag_force: 0.5,
    };
    let spring = VrmSpring {
        name: "Tail".into(),
        joints: vec![joint(1), joint(2)],
        end: None,
        center: None,
        groups: Vec::new(),
        source: 0,
    };
    c.vrm = Some(Arc::new(Vrm {
        version: VrmVersion::V1,
        springs: vec![spring],
        colliders: Vec::new(),
        groups: Vec::new(),
        expressions: Vec::new(),
    }));
    let found = ExistingChain {
        name: "Tail_1".into(),
        joints: vec![NodeIndex(1), NodeIndex(2)],
        tip: Tip::Virtual(Vec3::Y),
    };
    let bind = BindPose::of(&c, None);
    let detection = Detection { bind, existing: vec![found], ..Detection::default() };
    let chains = |character: &Character, run: &[u32]| -> Vec<(Vec<u32>, bool)> {
        let mut settings = RigSettings::default();
        if !run.is_empty() {
            settings.by_hand.insert(run.iter().copied().map(NodeIndex).collect());
        }
        let chains = existing_chains(character, &detection, &settings);
        let joints = |c: &Chain| -> Vec<u32> { c.joints.iter().map(|j| j.0).collect() };
        chains.iter().map(|c| (joints(c), c.hair.is_some())).collect()
    };
    assert_eq!(chains(&c, &[]), [(vec![1, 2], true)], "what metadata says is no guess");
    assert_eq!(chains(&c, &[1, 2]), [(vec![1, 2], false)]);
    assert_eq!(chains(&c, &[2]), [(vec![2], false)], "no joint is turned by two");
    c.vrm = None;
    assert_eq!(chains(&c, &[]), [(vec![1, 2], false)]);
    assert_eq!(chains(&c, &[2]), [(vec![2], false)]);
}

#[test]
fn a_run_by_hand_must_be_one() {
    let c = character(&[2]);
    let run = |nodes: &[u32]| nodes.iter().copied().map(NodeIndex).collect::<Vec<_>>();
    assert!(is_run(&c, &run(&[1, 2])));
    assert!(!is_run(&c, &run(&[2, 1])));
    assert!(!is_run(&c, &run(&[0])), "the root hangs from nothing");
    assert!(!is_run(&c, &run(&[7])));
    assert!(!is_run(&c, &[]));
}
