//! Node constraints.
//!
//! Based on: VRMC_node_constraint 1.0.

use glam::Vec3;
use serde_json::Value;

use super::places::Places;
use crate::io::gltf::json;
use crate::model::{ConstraintKind, FindingCode, NodeConstraint, Report};

/// The constraints on a character's nodes, in the order of the file.
pub(super) fn read(root: &Value, places: &Places<'_>, report: &mut Report) -> Vec<NodeConstraint> {
    let mut found = Vec::new();
    for (index, value) in json::list(root, "nodes").iter().enumerate() {
        let Some(stated) = json::extension(value, "VRMC_node_constraint") else { continue };
        let Some(node) = places.of(index) else { continue };
        match one(stated.get("constraint").unwrap_or(&Value::Null), places) {
            Some((source, kind, weight)) if source != node => {
                found.push(NodeConstraint { node, source, kind, weight });
            }
            _ => report.add(
                FindingCode::VrmInvalid,
                json::label("node", index, Some(value)),
                "its constraint names no kind, axis or source that can be used",
            ),
        }
    }
    found
}

fn one(
    constraint: &Value,
    places: &Places<'_>,
) -> Option<(crate::model::NodeIndex, ConstraintKind, f32)> {
    let (value, kind) = if let Some(value) = constraint.get("roll") {
        let axis = match json::text(value, "rollAxis")? {
            "X" => Vec3::X,
            "Y" => Vec3::Y,
            "Z" => Vec3::Z,
            _ => return None,
        };
        (value, ConstraintKind::Roll(axis))
    } else if let Some(value) = constraint.get("aim") {
        let axis = match json::text(value, "aimAxis")? {
            "PositiveX" => Vec3::X,
            "NegativeX" => Vec3::NEG_X,
            "PositiveY" => Vec3::Y,
            "NegativeY" => Vec3::NEG_Y,
            "PositiveZ" => Vec3::Z,
            "NegativeZ" => Vec3::NEG_Z,
            _ => return None,
        };
        (value, ConstraintKind::Aim(axis))
    } else {
        (constraint.get("rotation")?, ConstraintKind::Rotation)
    };
    let source = json::index(value, "source").and_then(|s| places.of(s))?;
    let weight = value.get("weight").map_or(1.0, json::as_f32);
    weight.is_finite().then(|| (source, kind, weight.clamp(0.0, 1.0)))
}
