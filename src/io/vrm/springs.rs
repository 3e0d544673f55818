//! Springs and colliders as VRM metadata states them.
//!
//! Based on: VRM 0.0 secondaryAnimation, VRMC_springBone 1.0, VRMC_springBone_extended_collider 1.0.

use std::collections::BTreeSet;

use glam::Vec3;
use serde_json::Value;

use super::places::Places;
use crate::io::gltf::json;
use crate::model::{
    Collider, ColliderGroup, ColliderOrigin, ColliderShape, ColliderState, FindingCode, NodeIndex,
    Report, VrmSpring, VrmSpringJoint,
};

/// Springs, colliders and groups of one character.
#[derive(Default)]
pub(super) struct Springs {
    pub springs: Vec<VrmSpring>,
    pub colliders: Vec<Collider>,
    pub groups: Vec<ColliderGroup>,
}

fn number(value: &Value, key: &str, default: f32) -> f32 {
    let x = value.get(key).map_or(default, json::as_f32);
    if x.is_finite() { x } else { default }
}

/// A vector as version 1 writes it: `[x, y, z]`.
fn list3(value: &Value, key: &str, default: Vec3) -> Vec3 {
    match json::floats::<3>(value, key) {
        Some(Ok(v)) if v.iter().all(|x| x.is_finite()) => Vec3::from_array(v),
        _ => default,
    }
}

/// A vector as version 0 writes it: `{x, y, z}` in Unity's axes, whose z is the other way round.
fn unity3(value: &Value, key: &str, default: Vec3) -> Vec3 {
    let Some(v) = value.get(key).filter(|v| v.is_object()) else { return default };
    Vec3::new(number(v, "x", 0.0), number(v, "y", 0.0), -number(v, "z", 0.0))
}

/// Springs of version 1.
pub(super) fn read_v1(spring_bone: &Value, places: &Places<'_>, report: &mut Report) -> Springs {
    let mut found = Springs::default();
    for (i, value) in json::list(spring_bone, "colliders").iter().enumerate() {
        let node = json::index(value, "node").and_then(|n| places.of(n));
        let shape = shape_v1(value).filter(ColliderShape::is_usable);
        if node.is_none() || shape.is_none() {
            let why = "has no shape that can be used, or names a node that does not exist";
            report.add(FindingCode::VrmInvalid, format!("collider {i}"), why);
        }
        found.colliders.push(collider(places, node, shape, i));
    }
    for (i, value) in json::list(spring_bone, "colliderGroups").iter().enumerate() {
        let colliders = json::list(value, "colliders").iter().filter_map(json::as_index);
        let n = found.colliders.len();
        let known: Vec<usize> = colliders.filter(|&c| c < n).collect();
        if known.len() < json::list(value, "colliders").len() {
            let why = "names a collider that does not exist";
            report.add(FindingCode::VrmInvalid, format!("collider group {i}"), why);
        }
        let name = json::text(value, "name").unwrap_or_default().into();
        found.groups.push(ColliderGroup { name, colliders: known });
    }
    let mut taken = BTreeSet::new();
    for (i, value) in json::list(spring_bone, "springs").iter().enumerate() {
        let label = json::label("spring", i, Some(value));
        let groups = groups(value, found.groups.len(), &label, report);
        let center = json::index(value, "center").and_then(|c| places.of(c));
        let mut joints: Vec<VrmSpringJoint> = Vec::new();
        for joint in json::list(value, "joints") {
            let node = json::index(joint, "node").and_then(|n| places.of(n));
            let hangs = |node: NodeIndex| {
                joints.last().is_none_or(|j| j.node != node && places.is_within(node, j.node))
            };
            match node {
                Some(node) if hangs(node) && taken.insert(node) => joints.push(VrmSpringJoint {
                    node,
                    hit_radius: number(joint, "hitRadius", 0.0).max(0.0),
                    stiffness: number(joint, "stiffness", 1.0),
                    gravity_power: number(joint, "gravityPower", 0.0),
                    gravity_dir: list3(joint, "gravityDir", Vec3::NEG_Y),
                    drag_force: number(joint, "dragForce", 0.5).clamp(0.0, 1.0),
                }),
                _ => {
                    let why = "names a joint that does not exist, that another spring has, or that \
                               does not hang below the one before; it ends there";
                    report.add(FindingCode::VrmInvalid, label.clone(), why);
                    break;
                }
            }
        }
        // The last joint of version 1 only marks the end; its own numbers mean nothing.
        let end = joints.pop().map(|j| j.node);
        if joints.is_empty() {
            continue;
        }
        let name = json::text(value, "name").unwrap_or_default().into();
        let source = i as u32;
        found.springs.push(VrmSpring { name, joints, end, center, groups, source });
    }
    found
}

fn groups(value: &Value, n_groups: usize, label: &str, report: &mut Report) -> Vec<usize> {
    let stated = json::list(value, "colliderGroups");
    let known: Vec<usize> =
        stated.iter().filter_map(json::as_index).filter(|&g| g < n_groups).collect();
    if known.len() < stated.len() {
        report.add(FindingCode::VrmInvalid, label, "names a collider group that does not exist");
    }
    known
}

fn collider(
    places: &Places<'_>,
    node: Option<NodeIndex>,
    shape: Option<ColliderShape>,
    at: usize,
) -> Collider {
    let (node, shape) = match (node, shape) {
        (Some(node), Some(shape)) => (node, shape),
        // It keeps its place in the list, so that groups go on naming the right ones, and touches nothing.
        (node, _) => (node.unwrap_or_default(), ColliderShape::sphere(Vec3::ZERO, 0.0)),
    };
    let name = places.name(node).to_owned();
    let origin = ColliderOrigin::Authored(at as u32);
    Collider { name, node, shape, origin, state: ColliderState::AsFound }
}

fn shape_v1(collider: &Value) -> Option<ColliderShape> {
    let extended = json::extension(collider, "VRMC_springBone_extended_collider")
        .and_then(|e| e.get("shape"))
        .and_then(one_shape);
    extended.or_else(|| collider.get("shape").and_then(one_shape))
}

fn one_shape(shape: &Value) -> Option<ColliderShape> {
    let inside = |v: &Value| v.get("inside").and_then(Value::as_bool).unwrap_or(false);
    let offset = |v: &Value| list3(v, "offset", Vec3::ZERO);
    if let Some(v) = shape.get("sphere") {
        let (a, radius) = (offset(v), number(v, "radius", 0.0));
        return Some(ColliderShape::Capsule { a, b: a, radius, inside: inside(v) });
    }
    if let Some(v) = shape.get("capsule") {
        let (a, b) = (offset(v), list3(v, "tail", Vec3::ZERO));
        let radius = number(v, "radius", 0.0);
        return Some(ColliderShape::Capsule { a, b, radius, inside: inside(v) });
    }
    let v = shape.get("plane")?;
    let normal = list3(v, "normal", Vec3::Z).try_normalize()?;
    Some(ColliderShape::Plane { point: offset(v), normal })
}

/// Springs of version 0: each root of a group, with everything below it, as unbranched runs.
pub(super) fn read_v0(secondary: &Value, places: &Places<'_>, report: &mut Report) -> Springs {
    let mut found = Springs::default();
    for (i, value) in json::list(secondary, "colliderGroups").iter().enumerate() {
        let node = json::index(value, "node").and_then(|n| places.of(n));
        if node.is_none() {
            let why = "names a node that does not exist";
            report.add(FindingCode::VrmInvalid, format!("collider group {i}"), why);
        }
        let mut group = ColliderGroup { name: String::new(), colliders: Vec::new() };
        for sphere in json::list(value, "colliders") {
            let shape = ColliderShape::sphere(
                unity3(sphere, "offset", Vec3::ZERO),
                number(sphere, "radius", 0.0),
            );
            let at = found.colliders.len();
            group.colliders.push(at);
            let usable = Some(shape).filter(ColliderShape::is_usable);
            found.colliders.push(collider(places, node, usable, at));
        }
        found.groups.push(group);
    }
    let mut taken = BTreeSet::new();
    let mut left = MOST_REPEATED;
    for (i, value) in json::list(secondary, "boneGroups").iter().enumerate() {
        let label = format!("bone group {i}");
        let like = VrmSpringJoint {
            node: NodeIndex(0),
            hit_radius: number(value, "hitRadius", 0.0).max(0.0),
            // The schema's own spelling.
            stiffness: number(value, "stiffiness", 1.0),
            gravity_power: number(value, "gravityPower", 0.0),
            gravity_dir: unity3(value, "gravityDir", Vec3::NEG_Y),
            drag_force: number(value, "dragForce", 0.4).clamp(0.0, 1.0),
        };
        let run = VrmSpring {
            name: json::text(value, "comment").unwrap_or_default().into(),
            joints: Vec::new(),
            end: None,
            // Exporters write -1 for none.
            center: json::index(value, "center").and_then(|c| places.of(c)),
            groups: groups(value, found.groups.len(), &label, report),
            source: i as u32,
        };
        let mut own = Vec::new();
        for bone in json::list(value, "bones") {
            match json::as_index(bone).and_then(|b| places.of(b)) {
                Some(root) => runs(root, like, places, &mut taken, &mut own),
                None => report.add(
                    FindingCode::VrmInvalid,
                    label.clone(),
                    "names a node that does not exist",
                ),
            }
        }
        let each = 1 + run.name.len() + run.groups.len();
        if own.len() > left / each {
            let why =
                "repeats a name or colliders beyond all measure; some of its runs are left out";
            report.add(FindingCode::VrmInvalid, label, why);
            own.truncate(left / each);
        }
        left -= own.len() * each;
        found.springs.extend(own.into_iter().map(|joints| VrmSpring { joints, ..run.clone() }));
    }
    found
}

/// Letters and collider groups that the runs of all bone groups may repeat: a file states them once for each group.
const MOST_REPEATED: usize = 1 << 24;

/// Splits what hangs below `root` into runs, each along the first child; the other children begin runs of their own.
fn runs(
    root: NodeIndex,
    joint: VrmSpringJoint,
    places: &Places<'_>,
    taken: &mut BTreeSet<NodeIndex>,
    found: &mut Vec<Vec<VrmSpringJoint>>,
) {
    let mut open = vec![root];
    while let Some(start) = open.pop() {
        let mut run = Vec::new();
        let mut at = Some(start);
        let mut branches = Vec::new();
        while let Some(node) = at.filter(|&n| taken.insert(n)) {
            run.push(VrmSpringJoint { node, ..joint });
            let children = places.children(node);
            branches.extend(children.iter().skip(1).copied());
            at = children.first().copied();
        }
        if !run.is_empty() {
            found.push(run);
        }
        // The last pushed is taken first; the file's order is kept by turning them round.
        open.extend(branches.into_iter().rev());
    }
}
