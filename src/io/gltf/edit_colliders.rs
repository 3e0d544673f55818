//! VRM out: colliders of the file that the user has moved, resized or taken away, and those of the user's that its own
//! springs meet. What the fit does to colliders stays our own affair.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::edit_vrm::{SECONDARY, SPRING_BONE, groups_v0, known, uses};
use super::json as look;
use super::write::Patch;
use crate::io::vrm::write;
use crate::model::{
    Collider, ColliderIndex, ColliderOrigin, ColliderState, Rigged, Vrm, VrmSpring, VrmVersion,
};

/// Whether there is anything to write.
pub(super) fn is_needed(rigged: &Rigged) -> bool {
    rigged.character.vrm.is_some() && rigged.colliders.iter().any(is_by_hand)
}

fn is_by_hand(collider: &Collider) -> bool {
    collider.state != ColliderState::AsFound
}

/// Writes what the user has done to the colliders of character `at`.
pub(super) fn write(patch: &mut Patch<'_>, at: usize, rigged: &Rigged, vrm: &Vrm) {
    if !is_needed(rigged) {
        return;
    }
    match vrm.version {
        VrmVersion::V1 => {
            reshape_v1(patch, at, rigged, vrm);
            leave_out_v1(patch, rigged, vrm);
            add_v1(patch, at, rigged, vrm);
        }
        VrmVersion::V0 => {
            regroup_v0(patch, at, rigged, vrm);
            add_v0(patch, at, rigged, vrm);
        }
    }
}

/// Sets shapes of authored colliders.
fn reshape_v1(patch: &mut Patch<'_>, at: usize, rigged: &Rigged, vrm: &Vrm) {
    for collider in rigged.colliders.iter().filter(|c| c.state == ColliderState::Edited) {
        let ColliderOrigin::Authored(source) = collider.origin else { continue };
        if source as usize >= vrm.colliders.len() {
            continue;
        }
        let value = write::collider_v1(collider, &|n| patch.node(at, n));
        if write::needs_extension(collider) {
            uses(patch, "VRMC_springBone_extended_collider");
        }
        // Whatever else its artist wrote there stays.
        let Value::Object(keys) = value else { continue };
        for (key, value) in keys {
            patch.editor.set(&format!("{SPRING_BONE}/colliders/{source}/{key}"), value);
        }
    }
}

/// Authored colliders that were taken away, by their places.
fn taken_away(rigged: &Rigged) -> Vec<usize> {
    let off = rigged.colliders.iter().filter(|c| !c.is_met());
    off.filter_map(|c| match c.origin {
        ColliderOrigin::Authored(source) => Some(source as usize),
        _ => None,
    })
    .collect()
}

/// Takes colliders out of their groups. A group must hold one at least: the last one shrinks to a point instead.
fn leave_out_v1(patch: &mut Patch<'_>, rigged: &Rigged, vrm: &Vrm) {
    let off = taken_away(rigged);
    for (place, group) in vrm.groups.iter().enumerate() {
        let left: Vec<usize> =
            group.colliders.iter().copied().filter(|c| !off.contains(c)).collect();
        if left.len() == group.colliders.len() {
            continue;
        }
        if left.is_empty() {
            for source in &group.colliders {
                let shape = json!({"sphere": {"offset": [0.0, 0.0, 0.0], "radius": 0.0}});
                let collider = format!("{SPRING_BONE}/colliders/{source}");
                // Where a program knows the extension, its shape is the one that counts.
                let extended =
                    format!("{collider}/extensions/VRMC_springBone_extended_collider/shape");
                if patch.editor.root().pointer(&extended).is_some() {
                    patch.editor.set(&extended, shape.clone());
                }
                patch.editor.set(&format!("{collider}/shape"), shape);
            }
        } else {
            let pointer = format!("{SPRING_BONE}/colliderGroups/{place}/colliders");
            patch.editor.set(&pointer, json!(left));
        }
    }
}

/// Gives the file's own springs the colliders of the user's that they meet.
fn add_v1(patch: &mut Patch<'_>, at: usize, rigged: &Rigged, vrm: &Vrm) {
    for chain in &rigged.chains {
        let Some(strand) = &chain.hair else { continue };
        let Some(spring) = strand.source.and_then(|at| vrm.springs.get(at)) else { continue };
        let places: Vec<usize> = strand
            .colliders
            .iter()
            .filter_map(|index| place_of(patch, at, rigged, *index))
            .collect();
        if places.is_empty() {
            continue;
        }
        let value = json!({"name": "By hand", "colliders": places});
        let groups = format!("{SPRING_BONE}/colliderGroups");
        let all = patch.editor.root().pointer(SPRING_BONE);
        let known =
            all.and_then(|s| look::list(s, "colliderGroups").iter().position(|g| *g == value));
        let group = known.unwrap_or_else(|| patch.editor.push(&groups, value));
        let mut groups = spring.groups.clone();
        groups.push(group);
        let pointer = format!("{SPRING_BONE}/springs/{}/colliderGroups", spring.source);
        patch.editor.set(&pointer, json!(groups));
    }
}

/// Place in the file of a collider of the user's; `None` for others.
fn place_of(
    patch: &mut Patch<'_>,
    at: usize,
    rigged: &Rigged,
    index: ColliderIndex,
) -> Option<usize> {
    let collider = rigged.colliders.get(index.index())?;
    if collider.origin != ColliderOrigin::ByHand {
        return None;
    }
    let value = write::collider_v1(collider, &|n| patch.node(at, n));
    if write::needs_extension(collider) {
        uses(patch, "VRMC_springBone_extended_collider");
    }
    let pointer = format!("{SPRING_BONE}/colliders");
    Some(known(patch, &value).unwrap_or_else(|| patch.editor.push(&pointer, value)))
}

/// Writes groups of version 0 anew that hold what was changed.
fn regroup_v0(patch: &mut Patch<'_>, at: usize, rigged: &Rigged, vrm: &Vrm) {
    for (place, group) in vrm.groups.iter().enumerate() {
        let all: Vec<&Collider> =
            group.colliders.iter().filter_map(|&c| rigged.colliders.get(c)).collect();
        let Some(node) = all.first().map(|c| c.node) else { continue };
        if !all.iter().any(|c| is_by_hand(c)) {
            continue;
        }
        let list: Vec<&Collider> =
            all.iter().filter(|c| c.is_met()).map(|c| authored(vrm, c)).collect();
        let value = write::collider_group_v0(node, &list, &|n| patch.node(at, n));
        if let Some(colliders) = value.get("colliders") {
            let pointer = format!("{SECONDARY}/colliderGroups/{place}/colliders");
            patch.editor.set(&pointer, colliders.clone());
        }
    }
}

/// Gives the file's own springs of version 0 the colliders of the user's that they meet, in groups of their own: a spring
/// that meets the file's on a joint need not meet these.
fn add_v0(patch: &mut Patch<'_>, at: usize, rigged: &Rigged, vrm: &Vrm) {
    // Runs of one bone group have its collider groups in common.
    let mut by_spring: BTreeMap<u32, (&VrmSpring, BTreeSet<ColliderIndex>)> = BTreeMap::new();
    for chain in &rigged.chains {
        let Some(strand) = &chain.hair else { continue };
        let Some(spring) = strand.source.and_then(|at| vrm.springs.get(at)) else { continue };
        let is_own = |c: &ColliderIndex| {
            let met = rigged.colliders.get(c.index());
            met.is_some_and(|c| c.origin == ColliderOrigin::ByHand)
        };
        let (_, own) = by_spring.entry(spring.source).or_insert((spring, BTreeSet::new()));
        own.extend(strand.colliders.iter().copied().filter(is_own));
    }
    for (place, (spring, own)) in by_spring {
        let mut groups = spring.groups.clone();
        let own = own.iter().filter_map(|c| rigged.colliders.get(c.index()));
        for group in groups_v0(patch, at, own) {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        if groups != spring.groups {
            let pointer = format!("{SECONDARY}/boneGroups/{place}/colliderGroups");
            patch.editor.set(&pointer, json!(groups));
        }
    }
}

/// A collider as it is to be written: as in the file, where only the fit has changed it.
fn authored<'a>(vrm: &'a Vrm, collider: &'a Collider) -> &'a Collider {
    match collider.origin {
        ColliderOrigin::Authored(source) if !is_by_hand(collider) => {
            vrm.colliders.get(source as usize).unwrap_or(collider)
        }
        _ => collider,
    }
}
