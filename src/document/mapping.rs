//! A mapping profile and the decisions it stands for: roles by hand, the poses that clips are retargeted by, and who is who
//! on the skeletons that clips come from.

use std::collections::BTreeMap;

use super::edits::{CharacterEdits, JointRef};
use crate::detect::roles::{self, RoleProfile, RoleProfileError};
use crate::model::{Character, HumanoidMap, NodeIndex, RetargetPoses, Role};

/// `edits` with the roles of a profile, which win over those given out before, as a joint has one role; and with its poses
/// and its roles of clip files. What it does not speak of stays.
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
    let RetargetPoses { own, sources, roles, reach_hands } = map.poses.clone().cleaned();
    if !own.is_default() {
        edits.retarget.own = own;
    }
    edits.retarget.sources.extend(sources);
    edits.retarget.roles.extend(roles);
    edits.retarget.reach_hands |= reach_hands;
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

/// Who is who on the skeleton that a clip file was made for: as it is found, but where a hand has said otherwise of that
/// file or of one of the same joints ([`RetargetPoses::roles_of`]). Of joints of one name the first is meant; names that
/// the skeleton has not say nothing.
pub fn source_roles(poses: &RetargetPoses, file: &str, source: &Character) -> HumanoidMap {
    let Some(table) = poses.roles_of(file, &source.skeleton) else {
        return roles::humanoid(source);
    };
    let joints = source.skeleton.by_name();
    let by_hand = table.iter().filter_map(|(&role, name)| match name.as_str() {
        "" => Some((role, None)),
        name => Some((role, Some(*joints.get(name)?))),
    });
    roles::given(source, by_hand)
}

/// The whole table of who is who on the skeleton of a clip file: [`source_roles`] makes `humanoid` of it again, for every
/// file of these joints.
pub fn source_table(source: &Character, humanoid: &HumanoidMap) -> BTreeMap<Role, String> {
    let found = roles::humanoid(source);
    let nobody = found.roles.keys().filter(|role| !humanoid.roles.contains_key(*role));
    let mut table: BTreeMap<Role, String> = nobody.map(|&role| (role, String::new())).collect();
    let named = |(&role, &joint)| (role, source.skeleton.name(joint).to_owned());
    table.extend(humanoid.roles.iter().map(named));
    table
}

/// `poses` with a role on the skeleton of a clip file given to a joint, or to none; `None` gives it back to the one that
/// is found to have it. A joint has one role: it gives up the one it had.
///
/// The file's table is then whole, so that it holds for other files of these joints; one that says no more than is known
/// without it is left out.
#[must_use]
pub fn with_source_role(
    mut poses: RetargetPoses,
    (file, source): (&str, &Character),
    role: Role,
    whose: Option<Option<NodeIndex>>,
) -> RetargetPoses {
    let mut map = source_roles(&poses, file, source);
    map.roles.remove(&role);
    if let Some(joint) = whose.unwrap_or_else(|| roles::humanoid(source).node(role)) {
        map.roles.retain(|_, other| *other != joint);
        map.roles.insert(role, joint);
    }
    poses.roles.remove(file);
    if source_roles(&poses, file, source).roles != map.roles {
        poses.roles.insert(file.to_owned(), source_table(source, &map));
    }
    poses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes;

    #[test]
    fn a_role_of_a_clip_file_goes_to_another_joint_and_holds_for_files_of_the_same_joints() {
        let source = &recipes::skeleton().character;
        let found = roles::humanoid(source);
        let (spine, chest) = (found.node(Role::Spine).unwrap(), found.node(Role::Chest).unwrap());
        let whole = RetargetPoses::default();
        let of = ("a.bvh", source);
        let moved = with_source_role(whole.clone(), of, Role::Spine, Some(Some(chest)));
        for file in ["a.bvh", "b.bvh"] {
            let map = source_roles(&moved, file, source);
            assert_eq!(map.node(Role::Spine), Some(chest), "{file}");
            assert_eq!(map.node(Role::Chest), None, "a joint has one role");
            assert_eq!(map.roles.len(), found.roles.len() - 1, "the rest is as it was found");
        }
        let nobody = with_source_role(moved.clone(), of, Role::Head, Some(None));
        assert_eq!(source_roles(&nobody, "a.bvh", source).node(Role::Head), None);
        let back = with_source_role(nobody, of, Role::Head, None);
        assert_eq!(back, moved);
        // Another file may still be as it is found.
        let other = with_source_role(back, ("b.bvh", source), Role::Spine, None);
        let other = with_source_role(other, ("b.bvh", source), Role::Chest, None);
        assert_eq!(source_roles(&other, "b.bvh", source).roles, found.roles);
        assert_eq!(source_roles(&other, "a.bvh", source).node(Role::Spine), Some(chest));
        let back = with_source_role(moved, of, Role::Spine, Some(Some(spine)));
        assert_eq!(with_source_role(back, of, Role::Chest, None), whole, "nothing is left of it");
    }
}
