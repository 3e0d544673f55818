//! Who is who in a skeleton: VRM's word first, then names, then shape.

mod by_name;
mod by_shape;
mod names;
mod profile;

pub use profile::{RoleProfile, RoleProfileError, given};

use glam::Vec3;

use crate::model::{BindPose, Character, HumanoidMap, NamingConvention, NodeIndex, Role, Skeleton};

/// The humanoid roles of `character`'s joints.
///
/// What the file states (VRM) stands. Otherwise names are read (Mixamo, Unreal, Rigify, Biped, VRM, plain words); where
/// they do not give hips and both thighs, topology and bind positions decide: legs are two mirrored chains that lead
/// down from one joint, the spine leads up from it to the head, arms are a mirrored pair that leaves the spine.
/// On quadrupeds the hind legs are the legs and the front legs the arms.
///
/// Cost: O(N log N), and O(influences) where names say nothing.
pub fn humanoid(character: &Character) -> HumanoidMap {
    if let Some(stated) = character.stated_humanoid.as_ref().filter(|map| !map.roles.is_empty()) {
        return stated.clone();
    }
    let named = by_name::roles(&character.skeleton);
    if is_enough(&named) {
        return named;
    }
    let bind = BindPose::of(character, None);
    let mut shaped = by_shape::roles(character, &bind);
    if !is_enough(&shaped) {
        // Better a hips alone than nothing.
        return if named.roles.is_empty() {
            HumanoidMap { convention: NamingConvention::None, ..HumanoidMap::default() }
        } else {
            named
        };
    }
    for (role, node) in named.roles {
        if shaped.role(node).is_none() {
            shaped.roles.entry(role).or_insert(node);
        }
    }
    shaped
}

/// The same for a character that faces `forward`, a level unit vector of the world: where that contradicts the sides of
/// what was found, left is right. For characters whose names are mirrored, or whose shape was misread.
pub fn facing(character: &Character, forward: Vec3) -> HumanoidMap {
    // More than 120° off: thighs that stand a little turned, or across, say nothing against it.
    const AGAINST: f32 = -0.5;
    let mut map = humanoid(character);
    let bind = BindPose::of(character, map.node(Role::Hips));
    let left = left_of(&bind, &map);
    if left.is_some_and(|left| left.dot(Vec3::Y.cross(forward)) < AGAINST) {
        map.roles = map.roles.into_iter().map(|(role, node)| (role.opposite(), node)).collect();
    }
    map
}

/// The body's left, a level unit vector: from the right thigh, arm or eye to the left one.
pub(super) fn left_of(bind: &BindPose, humanoid: &HumanoidMap) -> Option<Vec3> {
    let at = |role| humanoid.node(role).map(|n: NodeIndex| bind.position(n));
    let pairs = [
        (Role::LeftUpperLeg, Role::RightUpperLeg),
        (Role::LeftUpperArm, Role::RightUpperArm),
        (Role::LeftEye, Role::RightEye),
    ];
    pairs.iter().find_map(|&(left, right)| (at(left)? - at(right)?).with_y(0.0).try_normalize())
}

fn is_enough(map: &HumanoidMap) -> bool {
    [Role::Hips, Role::LeftUpperLeg, Role::RightUpperLeg].iter().all(|&r| map.node(r).is_some())
}

/// The nearest node that both `a` and `b` hang from, or are.
fn common_ancestor(skeleton: &Skeleton, a: NodeIndex, b: NodeIndex) -> Option<NodeIndex> {
    std::iter::once(a).chain(skeleton.ancestors(a)).find(|&node| skeleton.is_within(b, node))
}

/// Nodes below `top` down to `bottom`, the latter included, top first; empty where `bottom` is not below `top`.
fn path_below(skeleton: &Skeleton, top: NodeIndex, bottom: NodeIndex) -> Vec<NodeIndex> {
    if bottom == top || !skeleton.is_within(bottom, top) {
        return Vec::new();
    }
    let mut path: Vec<NodeIndex> = std::iter::once(bottom)
        .chain(skeleton.ancestors(bottom))
        .take_while(|&node| node != top)
        .collect();
    path.reverse();
    path
}

/// Gives the joints between hips and arms, lowest first, the roles that VRM has for them.
fn assign_spine(map: &mut HumanoidMap, spine: &[NodeIndex]) {
    let Some((&first, rest)) = spine.split_first() else { return };
    map.roles.insert(Role::Spine, first);
    let Some((&last, between)) = rest.split_last() else { return };
    if between.is_empty() {
        map.roles.insert(Role::Chest, last);
    } else {
        map.roles.insert(Role::Chest, between[between.len() / 2]);
        map.roles.insert(Role::UpperChest, last);
    }
}

#[cfg(test)]
mod tests;
