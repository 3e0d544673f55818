//! One small body under many names.

use glam::{Mat4, Quat, Vec3};

use super::*;
use crate::math::Transform;
use crate::model::{Node, Skin};

/// Name, parent, bind position.
type Joint<'a> = (&'a str, Option<usize>, [f32; 3]);

fn character(joints: &[Joint], turn: Quat) -> Character {
    let at = |i: usize| turn * Vec3::from_array(joints[i].2);
    let nodes = joints
        .iter()
        .enumerate()
        .map(|(i, (name, parent, _))| Node {
            name: (*name).into(),
            parent: parent.map(NodeIndex::from_index),
            local: Transform::from_translation(at(i) - parent.map_or(Vec3::ZERO, at)),
            source: None,
        })
        .collect();
    Character {
        skeleton: Skeleton::new(nodes).unwrap(),
        skins: vec![Skin {
            name: String::new(),
            joints: (0..joints.len()).map(NodeIndex::from_index).collect(),
            joint_from_mesh: (0..joints.len()).map(|i| Mat4::from_translation(-at(i))).collect(),
            has_binds: true,
            source: None,
        }],
        ..Character::default()
    }
}

/// A body of 22 joints facing +Z, in Mixamo's order, with other names.
fn body(names: [&'static str; 22]) -> Vec<Joint<'static>> {
    let places: [(Option<usize>, [f32; 3]); 22] = [
        (None, [0.0, 1.0, 0.0]),
        (Some(0), [0.0, 1.1, 0.0]),
        (Some(1), [0.0, 1.2, 0.0]),
        (Some(2), [0.0, 1.35, 0.0]),
        (Some(3), [0.0, 1.5, 0.0]),
        (Some(4), [0.0, 1.6, 0.02]),
        (Some(3), [0.06, 1.45, 0.0]),
        (Some(6), [0.18, 1.45, 0.0]),
        (Some(7), [0.45, 1.45, 0.0]),
        (Some(8), [0.7, 1.45, 0.0]),
        (Some(3), [-0.06, 1.45, 0.0]),
        (Some(10), [-0.18, 1.45, 0.0]),
        (Some(11), [-0.45, 1.45, 0.0]),
        (Some(12), [-0.7, 1.45, 0.0]),
        (Some(0), [0.1, 0.95, 0.0]),
        (Some(14), [0.1, 0.5, 0.02]),
        (Some(15), [0.1, 0.08, 0.0]),
        (Some(16), [0.1, 0.02, 0.12]),
        (Some(0), [-0.1, 0.95, 0.0]),
        (Some(18), [-0.1, 0.5, 0.02]),
        (Some(19), [-0.1, 0.08, 0.0]),
        (Some(20), [-0.1, 0.02, 0.12]),
    ];
    names.into_iter().zip(places).map(|(name, (parent, p))| (name, parent, p)).collect()
}

const MIXAMO: [&str; 22] = [
    "Hips",
    "Spine",
    "Spine1",
    "Spine2",
    "Neck",
    "Head",
    "LeftShoulder",
    "LeftArm",
    "LeftForeArm",
    "LeftHand",
    "RightShoulder",
    "RightArm",
    "RightForeArm",
    "RightHand",
    "LeftUpLeg",
    "LeftLeg",
    "LeftFoot",
    "LeftToeBase",
    "RightUpLeg",
    "RightLeg",
    "RightFoot",
    "RightToeBase",
];

const UNREAL: [&str; 22] = [
    "pelvis",
    "spine_01",
    "spine_02",
    "spine_03",
    "neck_01",
    "Head",
    "clavicle_l",
    "upperarm_l",
    "lowerarm_l",
    "hand_l",
    "clavicle_r",
    "upperarm_r",
    "lowerarm_r",
    "hand_r",
    "thigh_l",
    "calf_l",
    "foot_l",
    "ball_l",
    "thigh_r",
    "calf_r",
    "foot_r",
    "ball_r",
];

const BIPED: [&str; 22] = [
    "Bip01 Pelvis",
    "Bip01 Spine",
    "Bip01 Spine1",
    "Bip01 Spine2",
    "Bip01 Neck",
    "Bip01 Head",
    "Bip01 L Clavicle",
    "Bip01 L UpperArm",
    "Bip01 L Forearm",
    "Bip01 L Hand",
    "Bip01 R Clavicle",
    "Bip01 R UpperArm",
    "Bip01 R Forearm",
    "Bip01 R Hand",
    "Bip01 L Thigh",
    "Bip01 L Calf",
    "Bip01 L Foot",
    "Bip01 L Toe0",
    "Bip01 R Thigh",
    "Bip01 R Calf",
    "Bip01 R Foot",
    "Bip01 R Toe0",
];

const RIGIFY: [&str; 22] = [
    "DEF-hips",
    "DEF-spine.001",
    "DEF-spine.002",
    "DEF-spine.003",
    "DEF-neck",
    "DEF-head",
    "DEF-shoulder.L",
    "DEF-upper_arm.L",
    "DEF-forearm.L",
    "DEF-hand.L",
    "DEF-shoulder.R",
    "DEF-upper_arm.R",
    "DEF-forearm.R",
    "DEF-hand.R",
    "DEF-thigh.L",
    "DEF-shin.L",
    "DEF-foot.L",
    "DEF-toe.L",
    "DEF-thigh.R",
    "DEF-shin.R",
    "DEF-foot.R",
    "DEF-toe.R",
];

/// SMPL's words.
const PLAIN: [&str; 22] = [
    "Pelvis",
    "Spine1",
    "Spine2",
    "Spine3",
    "Neck",
    "Head",
    "L_Collar",
    "L_Shoulder",
    "L_Elbow",
    "L_Wrist",
    "R_Collar",
    "R_Shoulder",
    "R_Elbow",
    "R_Wrist",
    "L_Hip",
    "L_Knee",
    "L_Ankle",
    "L_Foot",
    "R_Hip",
    "R_Knee",
    "R_Ankle",
    "R_Foot",
];

const NUMBERED: [&str; 22] = [
    "Bone", "Bone.001", "Bone.002", "Bone.003", "Bone.004", "Bone.005", "Bone.006", "Bone.007",
    "Bone.008", "Bone.009", "Bone.010", "Bone.011", "Bone.012", "Bone.013", "Bone.014", "Bone.015",
    "Bone.016", "Bone.017", "Bone.018", "Bone.019", "Bone.020", "Bone.021",
];

/// The roles of the 22 joints, in order.
const EXPECTED: [Role; 22] = [
    Role::Hips,
    Role::Spine,
    Role::Chest,
    Role::UpperChest,
    Role::Neck,
    Role::Head,
    Role::LeftShoulder,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightShoulder,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::LeftToes,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
    Role::RightToes,
];

fn check(names: [&'static str; 22], convention: NamingConvention, turn: Quat) {
    let map = humanoid(&character(&body(names), turn));
    assert_eq!(map.convention, convention);
    for (i, role) in EXPECTED.iter().enumerate() {
        assert_eq!(
            map.node(*role),
            Some(NodeIndex::from_index(i)),
            "{} as {}",
            names[i],
            role.name()
        );
    }
    assert_eq!(map.roles.len(), 22);
    assert!(map.missing().next().is_none());
}

#[test]
fn every_convention_gives_the_same_roles() {
    use NamingConvention as C;
    for (names, convention) in [
        (MIXAMO, C::Mixamo),
        (UNREAL, C::Unreal),
        (BIPED, C::Biped),
        (RIGIFY, C::Rigify),
        (NUMBERED, C::Geometry),
    ] {
        check(names, convention, Quat::IDENTITY);
    }
}

#[test]
fn hips_knees_and_ankles_are_read_as_limbs() {
    check(PLAIN, NamingConvention::Plain, Quat::IDENTITY);
}

#[test]
fn shape_tells_left_from_right_whichever_way_the_body_faces() {
    for turn in [0.5, 1.6, 3.1, -1.2] {
        check(NUMBERED, NamingConvention::Geometry, Quat::from_rotation_y(turn));
    }
}

#[test]
fn a_skeleton_without_legs_is_no_humanoid() {
    let joints =
        [("a", None, [0.0; 3]), ("b", Some(0), [0.0, 1.0, 0.0]), ("c", Some(1), [0.0, 2.0, 0.0])];
    let map = humanoid(&character(&joints, Quat::IDENTITY));
    assert!(map.roles.is_empty());
    assert_eq!(map.convention, NamingConvention::None);
    assert!(humanoid(&Character::default()).roles.is_empty());
}
