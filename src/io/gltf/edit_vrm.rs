//! VRM out: springs for the chains that were added, in the version the file came in; whole metadata for a file with
//! roles that is to become one.
//!
//! What an artist wrote stays: entries are appended, and of authored springs only numbers that were turned are set.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::edit_colliders;
use super::json as look;
use super::write::{CharacterEdits, Patch, WriteEdits};
use crate::io::vrm::{export, write};
use crate::model::{
    Collider, ColliderIndex, ColliderOrigin, ColliderShape, HairLink, NodeIndex, Rigged, Vrm,
    VrmSpring, VrmVersion,
};

pub(super) const SPRING_BONE: &str = "/extensions/VRMC_springBone";
pub(super) const SECONDARY: &str = "/extensions/VRM/secondaryAnimation";

/// Whether a character has springs to be written although nothing else was edited.
pub(super) fn is_needed(character: &CharacterEdits<'_>) -> bool {
    export::retuned(character.rigged).next().is_some()
        || edit_colliders::is_needed(character.rigged)
}

/// Writes the springs of all edited characters.
pub(super) fn write(patch: &mut Patch<'_>, edits: &WriteEdits<'_>) {
    for (at, character) in edits.characters.iter().enumerate() {
        let rigged = character.rigged;
        let stated = rigged.character.vrm.as_deref();
        if stated.is_none() && edits.as_vrm && at == 0 {
            become_vrm(patch, rigged);
        }
        let version = match (stated, edits.as_vrm) {
            (Some(vrm), _) => vrm.version,
            (None, true) if at == 0 => VrmVersion::V1,
            _ => continue,
        };
        if let Some(vrm) = stated {
            retune(patch, rigged, vrm);
            edit_colliders::write(patch, at, rigged, vrm);
        }
        for (spring, colliders) in export::added_springs(rigged, version) {
            match version {
                VrmVersion::V1 => add_v1(patch, at, rigged, spring, &colliders),
                VrmVersion::V0 => add_v0(patch, at, rigged, spring, &colliders),
            }
        }
    }
}

/// Adds an extension's name to the list of those used.
pub(super) fn uses(patch: &mut Patch<'_>, name: &str) {
    let is_listed =
        look::list(patch.editor.root(), "extensionsUsed").iter().any(|v| v.as_str() == Some(name));
    if !is_listed {
        patch.editor.push("/extensionsUsed", name.into());
    }
}

/// Gives a file with humanoid roles the metadata of VRM 1, with the strictest licence: its maker has given none.
fn become_vrm(patch: &mut Patch<'_>, rigged: &Rigged) {
    let index = |node: NodeIndex| patch.node(0, node);
    let stated = patch.editor.root().get("asset").and_then(|a| look::text(a, "copyright"));
    let author = stated.map(str::trim).filter(|a| !a.is_empty()).unwrap_or("unknown");
    let meta = write::strict_meta(&rigged.character.name, author);
    let value = write::vrmc_vrm(meta, &rigged.humanoid, &index);
    uses(patch, "VRMC_vrm");
    patch.editor.set("/extensions/VRMC_vrm", value);
}

/// Sets stiffness, drag and gravity of authored springs that were turned.
fn retune(patch: &mut Patch<'_>, rigged: &Rigged, vrm: &Vrm) {
    let mut groups_done = Vec::new();
    for (chain, strand, at) in export::retuned(rigged) {
        let Some(spring) = vrm.springs.get(at) else { continue };
        // Of a chain's joints only those that swing are the spring's.
        let swinging: Vec<HairLink> = (0..chain.joints.len())
            .map(|i| strand.links.get(i).copied().unwrap_or_default())
            .filter(|link| !link.is_rigid)
            .collect();
        for (place, link) in swinging.iter().enumerate().take(spring.joints.len()) {
            let raw = strand.raw(link, (place, swinging.len()), 1.0, 1.0);
            let power = raw.gravity.length() / rigged.character.world_from_file.scale;
            let (at, keys) = match vrm.version {
                VrmVersion::V1 => (
                    format!("{SPRING_BONE}/springs/{}/joints/{place}", spring.source),
                    ["stiffness", "dragForce", "gravityPower"],
                ),
                // A group has one set of numbers: those of its first run's first joint.
                VrmVersion::V0 if place > 0 || groups_done.contains(&spring.source) => break,
                VrmVersion::V0 => {
                    groups_done.push(spring.source);
                    let group = format!("{SECONDARY}/boneGroups/{}", spring.source);
                    (group, ["stiffiness", "dragForce", "gravityPower"])
                }
            };
            let stiffness = raw.stiffness / rigged.character.world_from_file.scale;
            for (key, value) in keys.into_iter().zip([stiffness, raw.drag, power]) {
                // What the fit leaves as it was stays as it is written.
                let is_gravity = key == "gravityPower";
                if !is_gravity || strand.vrm_fit.is_some() {
                    patch.editor.set(&format!("{at}/{key}"), super::number(value));
                }
            }
        }
    }
}

fn colliders_of<'a>(
    rigged: &'a Rigged,
    indices: &[ColliderIndex],
) -> impl Iterator<Item = &'a Collider> {
    indices.iter().filter_map(|i| rigged.colliders.get(i.index())).collect::<Vec<_>>().into_iter()
}

fn add_v1(
    patch: &mut Patch<'_>,
    at: usize,
    rigged: &Rigged,
    mut spring: VrmSpring,
    colliders: &[ColliderIndex],
) {
    uses(patch, "VRMC_springBone");
    if patch.editor.root().pointer(SPRING_BONE).is_none() {
        patch.editor.set(SPRING_BONE, json!({"specVersion": "1.0"}));
    }
    let mut group: Vec<usize> = Vec::new();
    for collider in colliders_of(rigged, colliders) {
        // One that the file has is named as it is there: how far it was grown stays our own affair.
        let place = match collider.origin {
            ColliderOrigin::Authored(source) => source as usize,
            ColliderOrigin::Added | ColliderOrigin::ByHand => {
                let value = write::collider_v1(collider, &|n| patch.node(at, n));
                known(patch, &value).unwrap_or_else(|| {
                    if write::needs_extension(collider) {
                        uses(patch, "VRMC_springBone_extended_collider");
                    }
                    patch.editor.push(&format!("{SPRING_BONE}/colliders"), value)
                })
            }
        };
        group.push(place);
    }
    if !group.is_empty() {
        let value = json!({"name": spring.name, "colliders": group});
        spring.groups = vec![patch.editor.push(&format!("{SPRING_BONE}/colliderGroups"), value)];
    }
    let value = write::spring_v1(&spring, &|n| patch.node(at, n));
    patch.editor.push(&format!("{SPRING_BONE}/springs"), value);
}

/// Place of a collider that an earlier strand has added.
pub(super) fn known(patch: &Patch<'_>, value: &Value) -> Option<usize> {
    let spring_bone = patch.editor.root().pointer(SPRING_BONE)?;
    look::list(spring_bone, "colliders").iter().position(|c| c == value)
}

fn add_v0(
    patch: &mut Patch<'_>,
    at: usize,
    rigged: &Rigged,
    mut spring: VrmSpring,
    colliders: &[ColliderIndex],
) {
    if patch.editor.root().pointer(SECONDARY).is_none() {
        patch.editor.set(SECONDARY, json!({"boneGroups": [], "colliderGroups": []}));
    }
    let authored = rigged.character.vrm.as_deref();
    let mut groups: Vec<usize> = Vec::new();
    for collider in colliders_of(rigged, colliders) {
        if let ColliderOrigin::Authored(source) = collider.origin {
            let holds = |g: &crate::model::ColliderGroup| g.colliders.contains(&(source as usize));
            let group = authored.and_then(|v| v.groups.iter().position(holds));
            groups.extend(group.filter(|g| !groups.contains(g)));
        }
    }
    let is_ours = |c: &&Collider| !matches!(c.origin, ColliderOrigin::Authored(_));
    groups.extend(groups_v0(patch, at, colliders_of(rigged, colliders).filter(is_ours)));
    spring.groups = groups;
    if let Some(value) = write::bone_group_v0(&spring, &|n| patch.node(at, n)) {
        patch.editor.push(&format!("{SECONDARY}/boneGroups"), value);
    }
}

/// Places of groups of version 0 that hold `colliders`, one for each joint: groups like them that an earlier spring has
/// added, or new ones. What that version cannot say is left out.
pub(super) fn groups_v0<'a>(
    patch: &mut Patch<'_>,
    at: usize,
    colliders: impl Iterator<Item = &'a Collider>,
) -> Vec<usize> {
    let mut by_node: BTreeMap<NodeIndex, Vec<&Collider>> = BTreeMap::new();
    for collider in colliders {
        if matches!(collider.shape, ColliderShape::Capsule { inside: false, .. }) {
            by_node.entry(collider.node).or_default().push(collider);
        }
    }
    let mut groups = Vec::new();
    for (node, list) in by_node {
        let value = write::collider_group_v0(node, &list, &|n| patch.node(at, n));
        let all = patch.editor.root().pointer(SECONDARY);
        let known =
            all.and_then(|s| look::list(s, "colliderGroups").iter().position(|g| *g == value));
        let pointer = format!("{SECONDARY}/colliderGroups");
        groups.push(known.unwrap_or_else(|| patch.editor.push(&pointer, value)));
    }
    groups
}
