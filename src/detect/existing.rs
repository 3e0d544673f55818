//! Chains of joints that are in the file already: tails, hair, ribbons that an artist rigged.

use std::collections::BTreeSet;

use crate::model::{BindPose, Character, HumanoidMap, NodeIndex, Role, Tip};

/// A run of joints that no humanoid role claims, root to tip.
#[derive(Clone, Debug, PartialEq)]
pub struct ExistingChain {
    /// The first joint's name.
    pub name: String,
    /// At least one, each the parent of the next.
    pub joints: Vec<NodeIndex>,
    /// A helper joint without weight that marks the end, or a point past the last joint.
    pub tip: Tip,
}

/// Leaf chains of joints without a role, where branches part the longest way down.
///
/// A chain starts at a joint without a role, none of whose descendants has one, below a joint that has one (or leads to
/// one); its joints carry weight. What hangs from hands and feet (finger tips, claws) is not listed.
///
/// `has_weight`, `[nodes]`, says which move skin.
///
/// Cost: O(N²).
pub(super) fn existing_chains(
    character: &Character,
    bind: &BindPose,
    humanoid: &HumanoidMap,
    has_weight: &[bool],
) -> Vec<ExistingChain> {
    let skeleton = &character.skeleton;
    let Some(hips) = humanoid.node(Role::Hips) else { return Vec::new() };
    let joints: BTreeSet<NodeIndex> =
        character.skins.iter().flat_map(|s| s.joints.iter().copied()).collect();
    // Whether a role stands at or below each node.
    let mut is_claimed = vec![false; skeleton.len()];
    for &node in humanoid.roles.values() {
        if let Some(claimed) = is_claimed.get_mut(node.index()) {
            *claimed = true;
        }
    }
    for node in skeleton.indices().rev() {
        if is_claimed[node.index()]
            && let Some(parent) = skeleton.parent(node)
        {
            is_claimed[parent.index()] = true;
        }
    }
    let children = skeleton.children();
    let mut chains = Vec::new();
    for &start in &joints {
        let Some(parent) = skeleton.parent(start) else { continue };
        if is_claimed[start.index()]
            || !is_claimed[parent.index()]
            || !skeleton.is_within(start, hips)
            || hangs_from_an_end(character, humanoid, parent)
        {
            continue;
        }
        let mut run = vec![start];
        while let Some(next) = run
            .last()
            .and_then(|last| {
                children[last.index()]
                    .iter()
                    .filter(|c| joints.contains(c))
                    .max_by_key(|c| (depth(&children, **c), std::cmp::Reverse(**c)))
            })
            .copied()
        {
            run.push(next);
        }
        if let Some(chain) = chain(character, bind, run, has_weight) {
            chains.push(chain);
        }
    }
    chains
}

/// Number of joints on the longest way down.
fn depth(children: &[Vec<NodeIndex>], node: NodeIndex) -> usize {
    let mut most = 0;
    let mut open = vec![(node, 1)];
    while let Some((node, depth)) = open.pop() {
        most = most.max(depth);
        open.extend(children[node.index()].iter().map(|&c| (c, depth + 1)));
    }
    most
}

fn hangs_from_an_end(character: &Character, humanoid: &HumanoidMap, parent: NodeIndex) -> bool {
    let ends = [
        Role::LeftHand,
        Role::RightHand,
        Role::LeftFoot,
        Role::RightFoot,
        Role::LeftToes,
        Role::RightToes,
    ];
    ends.iter()
        .filter_map(|&role| humanoid.node(role))
        .any(|end| character.skeleton.is_within(parent, end))
}

/// The chain of a run: trailing joints without weight mark the tip.
fn chain(
    character: &Character,
    bind: &BindPose,
    mut run: Vec<NodeIndex>,
    has_weight: &[bool],
) -> Option<ExistingChain> {
    let weighted = run.iter().rposition(|n| has_weight[n.index()])? + 1;
    let end = run.get(weighted).copied();
    run.truncate(weighted);
    let &last = run.last()?;
    let tip = match end {
        Some(node) => Tip::Node(node),
        None => {
            // Along the incoming bone, as long as that: in the last joint's own frame.
            let before = match run.len() {
                0 | 1 => character.skeleton.parent(last)?,
                n => run[n - 2],
            };
            let past = bind.position(last) * 2.0 - bind.position(before);
            Tip::Virtual(bind.world.matrix(last).inverse().transform_point3(past))
        }
    };
    let name = character.skeleton.name(*run.first()?).to_string();
    Some(ExistingChain { name, joints: run, tip })
}
