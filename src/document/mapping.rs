//! A mapping profile and the decisions it stands for: roles by hand, and the poses that clips are retargeted by.

use std::collections::BTreeMap;

use super::edits::{CharacterEdits, JointRef};
use crate::detect::roles::{RoleProfile, RoleProfileError};
use crate::model::{Character, HumanoidMap, NodeIndex, Role};

/// `edits` with the roles of a profile, which win over those given out before, as a joint has one role; and with its
/// poses, where it has any.
///
/// # Errors
/// As [`RoleProfile::resolve`].
pub fn mapped(
    mut edits: CharacterEdits,
    map: &RoleProfile,
    loaded: &Character,
) -> Result<CharacterEdits, RoleProfileError> {
    let named =
        |(role, node): (Role, Option<NodeIndex>)| (role, node.map(|n| JointRef::of(loaded, n)));
    let given: BTreeMap<Role, Option<JointRef>> =
        map.resolve(loaded)?.into_iter().map(named).collect();
    edits.roles.retain(|_, joint| joint.is_none() || given.values().all(|other| *other != *joint));
    edits.roles.extend(given);
    if !map.poses.is_default() {
        edits.retarget = map.poses.clone().cleaned();
    }
    Ok(edits)
}

/// The profile of a character whose roles came to `humanoid` under `edits`: [`mapped`] on another character of that kind
/// decides the same.
pub fn map_of(edits: &CharacterEdits, loaded: &Character, humanoid: &HumanoidMap) -> RoleProfile {
    let nobody = edits.roles.iter().filter(|(_, joint)| joint.is_none()).map(|(role, _)| *role);
    let mut map = RoleProfile::new(loaded, humanoid, nobody);
    map.poses.clone_from(&edits.retarget);
    map
}
