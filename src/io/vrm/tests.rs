//! Springs, colliders and constraints out of small JSON files.

use glam::Vec3;
use serde_json::{Value, json};

use super::attach;
use crate::math::Transform;
use crate::model::{
    Character, ColliderShape, ConstraintKind, FindingCode, Node, NodeIndex, Report, Skeleton,
    VrmVersion,
};

/// head → a → b → c, head → d; node i of the file is node i of the skeleton.
fn character() -> Character {
    let node = |name: &str, parent: Option<u32>, source| Node {
        name: name.into(),
        parent: parent.map(NodeIndex),
        local: Transform::IDENTITY,
        source: Some(source),
    };
    let skeleton = Skeleton::new(vec![
        node("head", None, 0),
        node("a", Some(0), 1),
        node("b", Some(1), 2),
        node("c", Some(2), 3),
        node("d", Some(1), 4),
    ])
    .unwrap();
    Character { skeleton, ..Character::default() }
}

fn read(root: &Value) -> (Character, Report) {
    let (mut character, mut report) = (character(), Report::default());
    attach(root, &mut character, &mut report);
    (character, report)
}

#[test]
fn a_version_1_spring_ends_in_its_last_node_and_each_joint_keeps_its_own_radius() {
    let root = json!({"extensions": {"VRMC_vrm": {}, "VRMC_springBone": {
        "colliders": [
            {"node": 0, "shape": {"sphere": {"offset": [0, 1, 0], "radius": 0.5}}},
            {"node": 9, "shape": {"sphere": {"radius": 0.5}}},
            {"node": 0, "shape": {"sphere": {"radius": 100.0}}, "extensions": {
                "VRMC_springBone_extended_collider": {"shape": {"plane": {"normal": [0, 2, 0]}}}}}
        ],
        "colliderGroups": [{"name": "Head", "colliders": [0, 2, 7]}],
        "springs": [{"name": "Hair", "center": 0, "colliderGroups": [0, 3], "joints": [
            {"node": 1, "hitRadius": 0.02}, {"node": 3, "hitRadius": 0.01}, {"node": 3}]},
            {"name": "Twice", "joints": [{"node": 1}, {"node": 2}]}]
    }}});
    let (character, report) = read(&root);
    let vrm = character.vrm.unwrap();
    assert_eq!(vrm.version, VrmVersion::V1);
    assert_eq!(vrm.springs.len(), 1, "a joint belongs to one spring");
    let spring = &vrm.springs[0];
    assert_eq!(spring.joints.len(), 1, "c does not hang below itself");
    assert_eq!((spring.joints[0].node, spring.joints[0].hit_radius), (NodeIndex(1), 0.02));
    assert_eq!((spring.end, spring.center), (Some(NodeIndex(3)), Some(NodeIndex(0))));
    assert_eq!(spring.groups, [0]);
    assert_eq!(vrm.groups[0].colliders, [0, 2]);
    assert_eq!(vrm.colliders.len(), 3, "a broken collider keeps its place");
    let plane = ColliderShape::Plane { point: Vec3::ZERO, normal: Vec3::Y };
    assert_eq!(vrm.colliders[2].shape, plane, "the extended shape wins");
    assert!(report.has(FindingCode::VrmInvalid));
}

#[test]
fn a_version_0_group_is_split_into_runs_and_its_colliders_turned() {
    let root = json!({"extensions": {"VRM": {"secondaryAnimation": {
        "colliderGroups": [{"node": 0, "colliders": [{"radius": 0.1, "offset": {"x": 1, "y": 2, "z": 3}}]}],
        "boneGroups": [{"comment": "hair", "stiffiness": 2.5, "dragForce": 0.4, "hitRadius": 0.02,
            "center": -1, "gravityDir": {"x": 0, "y": -1, "z": 0}, "bones": [1, 8], "colliderGroups": [0]}]
    }}}});
    let (character, report) = read(&root);
    let vrm = character.vrm.unwrap();
    let runs: Vec<Vec<u32>> =
        vrm.springs.iter().map(|s| s.joints.iter().map(|j| j.node.0).collect()).collect();
    assert_eq!(runs, [vec![1, 2, 3], vec![4]]);
    assert!(vrm.springs.iter().all(|s| s.end.is_none() && s.center.is_none() && s.source == 0));
    assert_eq!(vrm.springs[0].joints[2].stiffness, 2.5);
    assert_eq!(vrm.colliders[0].shape, ColliderShape::sphere(Vec3::new(1.0, 2.0, -3.0), 0.1));
    assert_eq!(report.findings.len(), 1, "bone 8 does not exist");
}

#[test]
fn constraints_are_read_with_their_axes() {
    let constraint = |c: Value| json!({"extensions": {"VRMC_node_constraint": {"constraint": c}}});
    let root = json!({"nodes": [
        {},
        constraint(json!({"roll": {"source": 0, "rollAxis": "X", "weight": 0.8}})),
        constraint(json!({"aim": {"source": 3, "aimAxis": "NegativeZ"}})),
        constraint(json!({"rotation": {"source": 9}})),
        constraint(json!({"rotation": {"source": 0, "weight": 7}})),
    ]});
    let (character, report) = read(&root);
    let kinds: Vec<_> =
        character.constraints.iter().map(|c| (c.node.0, c.kind, c.weight)).collect();
    assert_eq!(
        kinds,
        [
            (1, ConstraintKind::Roll(Vec3::X), 0.8),
            (2, ConstraintKind::Aim(Vec3::NEG_Z), 1.0),
            (4, ConstraintKind::Rotation, 1.0),
        ]
    );
    assert!(report.has(FindingCode::VrmInvalid) && character.vrm.is_none());
}
