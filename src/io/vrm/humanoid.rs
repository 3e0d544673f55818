//! Humanoid roles as VRM metadata states them.
//!
//! Based on: VRM 0.0 and 1.0 specifications (humanoid), VRMC_vrm_animation 1.0.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::io::gltf::json;
use crate::model::{FindingCode, Report, Role};

/// Which VRM metadata a file carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VrmKind {
    /// `VRM`: version 0, the character faces -Z.
    Vrm0,
    /// `VRMC_vrm`: version 1.
    Vrm1,
    /// `VRMC_vrm_animation`: clips only.
    Animation,
}

/// Roles by the file's node indices.
#[derive(Clone, Debug)]
pub(crate) struct StatedHumanoid {
    pub kind: VrmKind,
    pub roles: BTreeMap<Role, usize>,
    /// Title of the avatar, or empty.
    pub title: String,
}

/// VRM 0 counts the thumb from the first joint that bends, VRM 1 from the metacarpal.
fn role_of_vrm0(name: &str) -> Option<Role> {
    Role::from_name(match name {
        "leftThumbProximal" => "leftThumbMetacarpal",
        "leftThumbIntermediate" => "leftThumbProximal",
        "rightThumbProximal" => "rightThumbMetacarpal",
        "rightThumbIntermediate" => "rightThumbProximal",
        other => other,
    })
}

/// The humanoid that the file states, if any.
pub(crate) fn read(root: &Value, n_nodes: usize, report: &mut Report) -> Option<StatedHumanoid> {
    let (kind, vrm) = kind(root)?;
    let humanoid = vrm.get("humanoid").unwrap_or(&Value::Null);
    let bones: Vec<(String, Option<usize>)> = match kind {
        VrmKind::Vrm0 => json::list(humanoid, "humanBones")
            .iter()
            .map(|b| (json::text(b, "bone").unwrap_or_default().into(), json::index(b, "node")))
            .collect(),
        VrmKind::Vrm1 | VrmKind::Animation => json::object(humanoid, "humanBones")
            .into_iter()
            .flatten()
            .map(|(name, bone)| (name.clone(), json::index(bone, "node")))
            .collect(),
    };
    let mut roles = BTreeMap::new();
    for (name, node) in bones {
        let role = if kind == VrmKind::Vrm0 { role_of_vrm0(&name) } else { Role::from_name(&name) };
        match (role, node.filter(|&n| n < n_nodes)) {
            (Some(role), Some(node)) => {
                roles.entry(role).or_insert(node);
            }
            // Exporters write -1 for what is not there.
            (Some(_), None) if node.is_none() => {}
            (Some(_), _) => report.add(
                FindingCode::VrmInvalid,
                format!("humanoid bone {name}"),
                "names a node that does not exist",
            ),
            (None, _) => report.add(
                FindingCode::VrmInvalid,
                format!("humanoid bone {name:?}"),
                "is no bone that VRM knows",
            ),
        }
    }
    let missing: Vec<&str> =
        Role::ESSENTIAL.iter().filter(|r| !roles.contains_key(r)).map(|r| r.name()).collect();
    if !missing.is_empty() {
        report.add(
            FindingCode::HumanoidIncomplete,
            "VRM humanoid",
            format!("without {}", missing.join(", ")),
        );
    }
    let meta = vrm.get("meta").unwrap_or(&Value::Null);
    let title = json::text(meta, "name").or_else(|| json::text(meta, "title"));
    Some(StatedHumanoid { kind, roles, title: title.unwrap_or_default().into() })
}

/// The newest VRM metadata of a file.
pub(crate) fn kind(root: &Value) -> Option<(VrmKind, &Value)> {
    [
        ("VRMC_vrm", VrmKind::Vrm1),
        ("VRMC_vrm_animation", VrmKind::Animation),
        ("VRM", VrmKind::Vrm0),
    ]
    .into_iter()
    .find_map(|(name, kind)| json::extension(root, name).map(|v| (kind, v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumbs_of_vrm_0_are_counted_from_the_metacarpal() {
        let root = serde_json::json!({"extensions": {"VRM": {"humanoid": {"humanBones": [
            {"bone": "hips", "node": 0},
            {"bone": "leftThumbProximal", "node": 1},
            {"bone": "leftThumbIntermediate", "node": 2},
            {"bone": "leftThumbDistal", "node": 3},
            {"bone": "jaw", "node": -1},
            {"bone": "head", "node": 9}
        ]}, "meta": {"title": "Fox"}}}});
        let mut report = Report::default();
        let stated = read(&root, 4, &mut report).unwrap();
        assert_eq!((stated.kind, stated.title.as_str()), (VrmKind::Vrm0, "Fox"));
        assert_eq!(
            stated.roles.into_iter().collect::<Vec<_>>(),
            [
                (Role::Hips, 0),
                (Role::LeftThumbMetacarpal, 1),
                (Role::LeftThumbProximal, 2),
                (Role::LeftThumbDistal, 3)
            ]
        );
        assert!(report.has(FindingCode::VrmInvalid) && report.has(FindingCode::HumanoidIncomplete));
        assert_eq!(report.findings.len(), 2);
    }
}
