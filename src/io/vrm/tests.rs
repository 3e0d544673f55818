//! Springs, colliders and constraints out of small JSON files.

use glam::Vec3;
use serde_json::{Value, json};

use super::{attach, constrain, write};
use crate::math::Transform;
use crate::model::{
    Character, ColliderShape, ConstraintKind, FindingCode, Mesh, MeshIndex, MeshInstance,
    MeshSource, MorphTarget, Node, NodeIndex, Report, Skeleton, VrmVersion,
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
    constrain(root, &mut character, &mut report);
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
fn what_version_0_says_in_unitys_axes_is_said_so_again() {
    let secondary = json!({
        "colliderGroups": [
            {"node": 0, "colliders": [{"radius": 0.5, "offset": {"x": 1.0, "y": 2.0, "z": 3.0}}]}
        ],
        "boneGroups": [{"bones": [1], "gravityDir": {"x": 0.0, "y": -0.75, "z": 0.25}}]
    });
    let (character, _) = read(&json!({"extensions": {"VRM": {"secondaryAnimation": secondary}}}));
    let vrm = character.vrm.unwrap();
    assert_eq!(vrm.springs[0].joints[0].gravity_dir, Vec3::new(0.0, -0.75, -0.25));
    let index = |node: NodeIndex| node.0 as usize;
    let group = write::collider_group_v0(NodeIndex(0), &[&vrm.colliders[0]], &index);
    let numbers = |value: &Value, keys: [&str; 3]| keys.map(|key| value[key].as_f64().unwrap());
    let (sphere, axes) = (&group["colliders"][0], ["x", "y", "z"]);
    assert_eq!(group["node"], 0);
    assert_eq!(group["colliders"].as_array().unwrap().len(), 1, "a sphere is one sphere");
    assert_eq!(numbers(&sphere["offset"], axes), [1.0, 2.0, 3.0]);
    assert_eq!(sphere["radius"].as_f64(), Some(0.5));
    let bones = write::bone_group_v0(&vrm.springs[0], &index).unwrap();
    assert_eq!(numbers(&bones["gravityDir"], axes), [0.0, -0.75, 0.25]);
    assert_eq!(bones["bones"], json!([1]));
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

#[test]
fn what_a_group_repeats_in_its_runs_is_limited() {
    let comment = "x".repeat(9 << 20);
    let root = json!({"extensions": {"VRM": {"secondaryAnimation": {
        "boneGroups": [{"comment": comment, "bones": [1]}, {"comment": "short", "bones": [0]}]
    }}}});
    let (character, report) = read(&root);
    let names: Vec<usize> = character.vrm.unwrap().springs.iter().map(|s| s.name.len()).collect();
    assert_eq!(names, [9 << 20, 5], "one of the two runs, and the next group whole");
    assert!(report.has(FindingCode::VrmInvalid));
}

#[test]
fn what_expressions_bind_is_limited() {
    const N: usize = 1100;
    let bind = json!({"mesh": 3, "index": 0, "weight": 50});
    let group = json!({"name": "joy", "binds": vec![bind; N]});
    let root = json!({"extensions": {"VRM": {"blendShapeMaster": {"blendShapeGroups": [group]}}}});
    let instance =
        MeshInstance { mesh: MeshIndex(0), node: NodeIndex(0), skin: None, is_visible: true };
    let read = |n: usize| {
        let (mut character, mut report) = (character(), Report::default());
        let source = Some(MeshSource { mesh: 3, primitive: 0 });
        let morphs = vec![MorphTarget::default()].into();
        character.meshes = vec![Mesh { morphs, source, ..Mesh::default() }];
        character.instances = vec![instance.clone(); n];
        attach(&root, &mut character, &mut report);
        let binds = character.vrm.unwrap().expressions[0].binds.clone();
        (binds, report.has(FindingCode::VrmInvalid))
    };
    let (binds, is_cut) = read(2);
    assert_eq!((binds.len(), is_cut), (2 * N, false));
    assert!(binds.iter().all(|b| b.target == 0 && b.weight == 0.5));
    let (binds, is_cut) = read(N);
    assert_eq!((binds.len(), is_cut), (1 << 20, true));
}
