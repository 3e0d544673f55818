//! Expressions: named weights of morph targets.
//!
//! Based on: VRM 0.0 blendShapeMaster, VRMC_vrm 1.0 expressions. Material binds are kept in the file and not played.

use std::collections::BTreeMap;

use serde_json::Value;

use super::humanoid::VrmKind;
use crate::io::gltf::json;
use crate::model::{Character, Expression, FindingCode, InstanceIndex, MorphBind, Report};

/// Most morph targets that all expressions of a character bind, an instance of a mesh at a time.
const MOST_BINDS: usize = 1 << 20;

/// The expressions of a character, presets first.
pub(super) fn read(
    kind: VrmKind,
    vrm: &Value,
    character: &Character,
    report: &mut Report,
) -> Vec<Expression> {
    let mut binds = Binds::new(kind, character);
    let expressions = match kind {
        VrmKind::Vrm0 => {
            let master = vrm.get("blendShapeMaster").unwrap_or(&Value::Null);
            json::list(master, "blendShapeGroups").iter().map(|g| read_v0(g, &mut binds)).collect()
        }
        _ => {
            let expressions = vrm.get("expressions").unwrap_or(&Value::Null);
            ["preset", "custom"]
                .into_iter()
                .filter_map(|key| json::object(expressions, key))
                .flatten()
                .map(|(name, value)| read_v1(name, value, &mut binds))
                .collect()
        }
    };
    if binds.is_cut {
        let why = format!("bind more than {MOST_BINDS} morph targets; the rest is left out");
        report.add(FindingCode::VrmInvalid, "expressions", why);
    }
    expressions
}

fn is_binary(value: &Value) -> bool {
    value.get("isBinary").and_then(Value::as_bool).unwrap_or(false)
}

/// Targets are named by the file's mesh, weights by percent.
fn read_v0(group: &Value, binds: &mut Binds<'_>) -> Expression {
    let preset = json::text(group, "presetName").filter(|p| !p.is_empty() && *p != "unknown");
    let name = preset.or_else(|| json::text(group, "name")).unwrap_or_default();
    let binds = binds.of(json::list(group, "binds"), "mesh", 0.01);
    Expression { name: name.into(), is_binary: is_binary(group), binds }
}

/// Targets are named by the node that carries the mesh.
fn read_v1(name: &str, value: &Value, binds: &mut Binds<'_>) -> Expression {
    let binds = binds.of(json::list(value, "morphTargetBinds"), "node", 1.0);
    Expression { name: name.into(), is_binary: is_binary(value), binds }
}

/// What the binds of a character's expressions mean.
struct Binds<'a> {
    character: &'a Character,
    /// Instances by what binds name them by: the file's mesh or its node.
    by_source: BTreeMap<usize, Vec<InstanceIndex>>,
    /// How many more are taken.
    left: usize,
    /// Whether there were more than that.
    is_cut: bool,
}

impl<'a> Binds<'a> {
    fn new(kind: VrmKind, character: &'a Character) -> Self {
        let mut by_source: BTreeMap<usize, Vec<InstanceIndex>> = BTreeMap::new();
        for (at, instance) in character.instances() {
            let source = match kind {
                VrmKind::Vrm0 => character.mesh_of(instance).and_then(|m| m.source).map(|s| s.mesh),
                _ => character.skeleton.node(instance.node).source,
            };
            if let Some(source) = source {
                by_source.entry(source as usize).or_default().push(at);
            }
        }
        Self { character, by_source, left: MOST_BINDS, is_cut: false }
    }

    /// Those of one expression; `key` names what they are bound to, `unit` is a weight of one.
    fn of(&mut self, list: &[Value], key: &str, unit: f32) -> Vec<MorphBind> {
        let mut binds = Vec::new();
        for bind in list {
            let weight = bind.get("weight").map_or(1.0, json::as_f32) * unit;
            let Some(target) = json::index(bind, "index").filter(|_| weight.is_finite()) else {
                continue;
            };
            let meant = json::index(bind, key).and_then(|source| self.by_source.get(&source));
            for &instance in meant.into_iter().flatten() {
                if self.left == 0 {
                    self.is_cut = true;
                    return binds;
                }
                // Whether it has the target or not: looking is what takes the time.
                self.left -= 1;
                let mesh =
                    self.character.instance(instance).and_then(|i| self.character.mesh_of(i));
                if mesh.is_some_and(|m| m.morphs.len() > target) {
                    let weight = weight.clamp(0.0, 1.0);
                    binds.push(MorphBind { instance, target: target as u32, weight });
                }
            }
        }
        binds
    }
}
