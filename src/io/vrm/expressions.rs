//! Expressions: named weights of morph targets.
//!
//! Based on: VRM 0.0 blendShapeMaster, VRMC_vrm 1.0 expressions. Material binds are kept in the file and not played.

use serde_json::Value;

use super::humanoid::VrmKind;
use crate::io::gltf::json;
use crate::model::{Character, Expression, InstanceIndex, MorphBind};

/// The expressions of a character, presets first.
pub(super) fn read(kind: VrmKind, vrm: &Value, character: &Character) -> Vec<Expression> {
    match kind {
        VrmKind::Vrm0 => {
            let master = vrm.get("blendShapeMaster").unwrap_or(&Value::Null);
            json::list(master, "blendShapeGroups").iter().map(|g| read_v0(g, character)).collect()
        }
        _ => {
            let expressions = vrm.get("expressions").unwrap_or(&Value::Null);
            ["preset", "custom"]
                .into_iter()
                .filter_map(|key| json::object(expressions, key))
                .flatten()
                .map(|(name, value)| read_v1(name, value, character))
                .collect()
        }
    }
}

fn is_binary(value: &Value) -> bool {
    value.get("isBinary").and_then(Value::as_bool).unwrap_or(false)
}

/// Targets are named by the file's mesh, weights by percent.
fn read_v0(group: &Value, character: &Character) -> Expression {
    let preset = json::text(group, "presetName").filter(|p| !p.is_empty() && *p != "unknown");
    let name = preset.or_else(|| json::text(group, "name")).unwrap_or_default();
    let mut binds = Vec::new();
    for bind in json::list(group, "binds") {
        let of_mesh = |i: InstanceIndex| {
            let instance = character.instance(i);
            let source = instance.and_then(|i| character.mesh_of(i)).and_then(|m| m.source);
            source.map(|s| s.mesh as usize) == json::index(bind, "mesh")
        };
        push(&mut binds, bind, 0.01, character, of_mesh);
    }
    Expression { name: name.into(), is_binary: is_binary(group), binds }
}

/// Targets are named by the node that carries the mesh.
fn read_v1(name: &str, value: &Value, character: &Character) -> Expression {
    let mut binds = Vec::new();
    for bind in json::list(value, "morphTargetBinds") {
        let of_node = |i: InstanceIndex| {
            let node = character.instance(i).map(|i| character.skeleton.node(i.node));
            node.and_then(|n| n.source).map(|s| s as usize) == json::index(bind, "node")
        };
        push(&mut binds, bind, 1.0, character, of_node);
    }
    Expression { name: name.into(), is_binary: is_binary(value), binds }
}

fn push(
    binds: &mut Vec<MorphBind>,
    bind: &Value,
    unit: f32,
    character: &Character,
    is_meant: impl Fn(InstanceIndex) -> bool,
) {
    let weight = bind.get("weight").map_or(1.0, json::as_f32) * unit;
    let Some(target) = json::index(bind, "index").filter(|_| weight.is_finite()) else { return };
    for (instance, mesh) in character.instances().map(|(i, x)| (i, character.mesh_of(x))) {
        let has_target = mesh.is_some_and(|m| m.morphs.len() > target);
        if has_target && is_meant(instance) {
            let weight = weight.clamp(0.0, 1.0);
            binds.push(MorphBind { instance, target: target as u32, weight });
        }
    }
}
