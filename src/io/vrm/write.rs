//! VRM metadata as JSON: whole for files we author, entry by entry for what rigging adds.
//!
//! Based on: VRMC_vrm 1.0, VRMC_springBone 1.0 with VRMC_springBone_extended_collider 1.0, VRMC_node_constraint 1.0,
//! VRM 0.0 secondaryAnimation.

use glam::Vec3;
use serde_json::{Map, Value, json};

use crate::io::gltf::{number, numbers};
use crate::model::{
    Character, Collider, ColliderShape, ConstraintKind, HumanoidMap, NodeConstraint, NodeIndex,
    Vrm, VrmSpring, VrmSpringJoint,
};

/// Gives the file's index of a node.
pub(crate) type FileIndex<'a> = &'a dyn Fn(NodeIndex) -> usize;

fn vector(v: Vec3) -> Value {
    numbers(&v.to_array())
}

/// A vector as version 0 writes it, in Unity's axes.
fn unity(v: Vec3) -> Value {
    let [x, y, z] = v.to_array();
    json!({"x": number(x), "y": number(y), "z": number(if z == 0.0 { 0.0 } else { -z })})
}

/// `meta` of `VRMC_vrm` for what this program made: anyone may do anything with it.
fn own_meta(title: &str) -> Value {
    json!({
        "name": title,
        "version": "1",
        "authors": ["Tailbone"],
        "licenseUrl": "https://vrm.dev/licenses/1.0/",
        "avatarPermission": "everyone",
        "commercialUsage": "corporation",
        "creditNotation": "unnecessary",
        "allowRedistribution": true,
        "modification": "allowModificationRedistribution"
    })
}

/// `meta` of `VRMC_vrm` for somebody's character of which no licence is known: the strictest that VRM 1 has, so that
/// nothing is given away that is not ours.
pub(crate) fn strict_meta(title: &str, author: &str) -> Value {
    json!({
        "name": title,
        "version": "1",
        "authors": [author],
        "licenseUrl": "https://vrm.dev/licenses/1.0/",
        "avatarPermission": "onlyAuthor",
        "commercialUsage": "personalNonProfit",
        "creditNotation": "required",
        "allowRedistribution": false,
        "modification": "prohibited"
    })
}

/// `VRMC_vrm` of a character with humanoid roles; `meta` says whose it is and what is allowed.
pub(crate) fn vrmc_vrm(meta: Value, roles: &HumanoidMap, index: FileIndex<'_>) -> Value {
    let bones: Map<String, Value> = roles
        .roles
        .iter()
        .map(|(role, &node)| (role.name().to_owned(), json!({"node": index(node)})))
        .collect();
    json!({
        "specVersion": "1.0",
        "meta": meta,
        "humanoid": {"humanBones": bones}
    })
}

/// A shape of `VRMC_springBone`, and its extension where the core shapes cannot say it.
fn shape(shape: &ColliderShape) -> (Value, Option<Value>) {
    match *shape {
        ColliderShape::Capsule { a, b, radius, inside } => {
            let round = |inside: bool| {
                let mut value = json!({"offset": vector(a), "radius": number(radius)});
                let Some(object) = value.as_object_mut() else { return value };
                if a != b {
                    object.insert("tail".into(), vector(b));
                }
                if inside {
                    object.insert("inside".into(), true.into());
                }
                value
            };
            let kind = if a == b { "sphere" } else { "capsule" };
            if !inside {
                return (json!({ kind: round(false) }), None);
            }
            (fallback(), Some(json!({ kind: round(true) })))
        }
        ColliderShape::Plane { point, normal } => {
            let plane = json!({"plane": {"offset": vector(point), "normal": vector(normal)}});
            (fallback(), Some(plane))
        }
    }
}

/// What programs without the extension meet: nothing, far away.
fn fallback() -> Value {
    json!({"sphere": {"offset": [0, -10000, 0], "radius": 0}})
}

/// An entry of `colliders` of version 1.
pub(crate) fn collider_v1(collider: &Collider, index: FileIndex<'_>) -> Value {
    let (core, extended) = shape(&collider.shape);
    let mut value = json!({"node": index(collider.node), "shape": core});
    if let (Some(shape), Some(object)) = (extended, value.as_object_mut()) {
        let extension = json!({"specVersion": "1.0", "shape": shape});
        object.insert("extensions".into(), json!({"VRMC_springBone_extended_collider": extension}));
    }
    value
}

/// Whether a collider needs `VRMC_springBone_extended_collider`.
pub(crate) fn needs_extension(collider: &Collider) -> bool {
    shape(&collider.shape).1.is_some()
}

fn joint_v1(joint: &VrmSpringJoint, index: FileIndex<'_>) -> Value {
    json!({
        "node": index(joint.node),
        "hitRadius": number(joint.hit_radius),
        "stiffness": number(joint.stiffness),
        "gravityPower": number(joint.gravity_power),
        "gravityDir": vector(joint.gravity_dir),
        "dragForce": number(joint.drag_force)
    })
}

/// An entry of `springs` of version 1. A spring without an end node loses its last joint, which would not move.
pub(crate) fn spring_v1(spring: &VrmSpring, index: FileIndex<'_>) -> Value {
    let mut joints: Vec<Value> = spring.joints.iter().map(|j| joint_v1(j, index)).collect();
    if let Some(end) = spring.end {
        joints.push(json!({"node": index(end)}));
    }
    let mut value = json!({"name": spring.name, "joints": joints});
    if let Some(object) = value.as_object_mut() {
        if !spring.groups.is_empty() {
            object.insert("colliderGroups".into(), json!(spring.groups));
        }
        if let Some(center) = spring.center {
            object.insert("center".into(), index(center).into());
        }
    }
    value
}

/// `VRMC_springBone` whole.
pub(crate) fn spring_bone(vrm: &Vrm, index: FileIndex<'_>) -> Value {
    let mut value = json!({"specVersion": "1.0"});
    let colliders: Vec<Value> = vrm.colliders.iter().map(|c| collider_v1(c, index)).collect();
    let groups: Vec<Value> =
        vrm.groups.iter().map(|g| json!({"name": g.name, "colliders": g.colliders})).collect();
    let springs: Vec<Value> = vrm.springs.iter().map(|s| spring_v1(s, index)).collect();
    if let Some(object) = value.as_object_mut() {
        for (key, list) in
            [("colliders", colliders), ("colliderGroups", groups), ("springs", springs)]
        {
            // An empty list is an error in glTF.
            if !list.is_empty() {
                object.insert(key.into(), list.into());
            }
        }
    }
    value
}

/// An entry of `colliderGroups` of version 0: the spheres that `colliders`, all of one node, come to. A capsule is
/// written as spheres along its axis, half a radius apart; planes and insides cannot be said.
pub(crate) fn collider_group_v0(
    node: NodeIndex,
    colliders: &[&Collider],
    index: FileIndex<'_>,
) -> Value {
    let mut spheres = Vec::new();
    for collider in colliders {
        let ColliderShape::Capsule { a, b, radius, inside: false } = collider.shape else {
            continue;
        };
        let n = ((a.distance(b) / (0.5 * radius).max(1e-6)).ceil() as usize).min(16);
        for i in 0..=n {
            let at = a.lerp(b, i as f32 / n.max(1) as f32);
            spheres.push(json!({"offset": unity(at), "radius": number(radius)}));
        }
    }
    json!({"node": index(node), "colliders": spheres})
}

/// An entry of `boneGroups` of version 0: one root with the settings of its first joint.
pub(crate) fn bone_group_v0(spring: &VrmSpring, index: FileIndex<'_>) -> Option<Value> {
    let first = spring.joints.first()?;
    Some(json!({
        "comment": spring.name,
        "stiffiness": number(first.stiffness),
        "gravityPower": number(first.gravity_power),
        "gravityDir": unity(first.gravity_dir),
        "dragForce": number(first.drag_force),
        "center": spring.center.map_or(json!(-1), |c| json!(index(c))),
        "hitRadius": number(first.hit_radius),
        "bones": [index(first.node)],
        "colliderGroups": spring.groups
    }))
}

/// `VRMC_node_constraint` of one node.
pub(crate) fn node_constraint(constraint: &NodeConstraint, index: FileIndex<'_>) -> Value {
    let source = index(constraint.source);
    let weight = number(constraint.weight);
    let letter = |axis: Vec3| match axis.abs().max_position() {
        0 => "X",
        1 => "Y",
        _ => "Z",
    };
    let value = match constraint.kind {
        ConstraintKind::Roll(axis) => {
            json!({"roll": {"source": source, "rollAxis": letter(axis), "weight": weight}})
        }
        ConstraintKind::Aim(axis) => {
            let sign = if axis.element_sum() < 0.0 { "Negative" } else { "Positive" };
            let aim = format!("{sign}{}", letter(axis));
            json!({"aim": {"source": source, "aimAxis": aim, "weight": weight}})
        }
        ConstraintKind::Rotation => json!({"rotation": {"source": source, "weight": weight}}),
    };
    json!({"specVersion": "1.0", "constraint": value})
}

/// `VRMC_materials_mtoon`: soft shade with an outline, over the material's own colour.
pub(crate) fn mtoon(outline_m: f32) -> Value {
    json!({
        "specVersion": "1.0",
        "shadeColorFactor": [0.72, 0.66, 0.74],
        "shadingToonyFactor": 0.85,
        "shadingShiftFactor": -0.05,
        "giEqualizationFactor": 0.9,
        "outlineWidthMode": "worldCoordinates",
        "outlineWidthFactor": number(outline_m),
        "outlineColorFactor": [0.12, 0.07, 0.08]
    })
}

/// Root extensions of a character that states VRM metadata, with their names.
pub(crate) fn root_extensions(
    character: &Character,
    index: FileIndex<'_>,
) -> Vec<(&'static str, Value)> {
    let mut found = Vec::new();
    let (Some(vrm), Some(roles)) = (&character.vrm, &character.stated_humanoid) else {
        return found;
    };
    found.push(("VRMC_vrm", vrmc_vrm(own_meta(&character.name), roles, index)));
    if !vrm.springs.is_empty() {
        found.push(("VRMC_springBone", spring_bone(vrm, index)));
    }
    found
}
