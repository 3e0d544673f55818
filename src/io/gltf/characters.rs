//! Which nodes belong to which character, where a file holds several.
//!
//! Skins that share joints, or whose joints hang below each other's, are of one character. What is left apart counts
//! as a character of its own where it is large enough to be a body; hair and straps on skeletons of their own are not.

use glam::{Affine3A, Vec3A};

use super::nodes::NodeTree;
use super::skins::RawSkin;

/// Fewest joints of a skeleton that may be a character beside another one.
const LEAST_JOINTS: usize = 12;
/// Its least extent, in parts of the largest one's.
const LEAST_EXTENT: f32 = 0.4;

/// Whose a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Nobody's: a prop, a camera.
    Nobody,
    One(usize),
    /// An ancestor of several characters.
    Several,
}

/// One character's share of the file.
#[derive(Clone, Debug)]
pub(super) struct Share {
    /// Whether a node belongs to it, `[N]`.
    pub nodes: Vec<bool>,
    /// Whether it has the skin, `[skins]`.
    pub skins: Vec<bool>,
    /// Its topmost joint.
    pub top: Option<usize>,
    /// The scene it is shown in.
    pub scene: Option<usize>,
}

/// Shares of the file's characters, the default one first; at least one.
pub(super) fn shares(tree: &NodeTree, skins: &[RawSkin]) -> Vec<Share> {
    let groups = groups(tree, skins);
    if groups.len() < 2 {
        return vec![Share {
            nodes: vec![true; tree.nodes.len()],
            skins: vec![true; skins.len()],
            top: None,
            scene: tree.shown,
        }];
    }
    // The default is the largest that the shown scene shows; the rest keep the file's order.
    let n_joints = |g: &Vec<usize>| -> usize {
        g.iter().filter_map(|&s| skins.get(s)).map(|s| s.joints.len()).sum()
    };
    let is_shown = |g: &Vec<usize>| {
        g.iter()
            .filter_map(|&s| skins.get(s)?.joints.first())
            .any(|&j| tree.is_shown(j, tree.shown))
    };
    let default = groups
        .iter()
        .enumerate()
        .max_by_key(|(i, g)| (is_shown(g), n_joints(g), std::cmp::Reverse(*i)))
        .map_or(0, |(i, _)| i);
    let owners = owners(tree, skins, &groups);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.retain(|&g| g != default);
    order.insert(0, default);
    order
        .into_iter()
        .filter_map(|g| Some((g, groups.get(g)?)))
        .map(|(g, group)| {
            let mine = |o: &Owner| match o {
                Owner::Nobody => g == default,
                Owner::One(owner) => *owner == g,
                Owner::Several => true,
            };
            let mut is_joint = vec![false; tree.nodes.len()];
            for &joint in group.iter().filter_map(|&s| skins.get(s)).flat_map(|s| &s.joints) {
                if let Some(slot) = is_joint.get_mut(joint) {
                    *slot = true;
                }
            }
            let top = tree.order.iter().copied().find(|&n| is_joint.get(n) == Some(&true));
            let shown_in = |scene: usize| top.is_some_and(|t| tree.is_shown(t, Some(scene)));
            let scene = tree
                .shown
                .filter(|&s| shown_in(s))
                .or_else(|| (0..tree.in_scene.len()).find(|&s| shown_in(s)));
            Share {
                nodes: owners.iter().map(mine).collect(),
                skins: (0..skins.len()).map(|s| group.contains(&s)).collect(),
                top,
                scene: scene.or(tree.shown),
            }
        })
        .collect()
}

fn find(parents: &mut [usize], mut x: usize) -> usize {
    while let Some(&up) = parents.get(x).filter(|&&up| up != x) {
        let above = parents.get(up).copied().unwrap_or(up);
        if let Some(slot) = parents.get_mut(x) {
            *slot = above;
        }
        x = above;
    }
    x
}

fn unite(parents: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(parents, a), find(parents, b));
    if let Some(slot) = parents.get_mut(a.max(b)) {
        *slot = a.min(b);
    }
}

/// Skins by character, in the order of the file.
fn groups(tree: &NodeTree, skins: &[RawSkin]) -> Vec<Vec<usize>> {
    let mut parents: Vec<usize> = (0..skins.len()).collect();
    // The skin of each joint, and of the nearest joint above each node.
    let mut joint_of: Vec<Option<usize>> = vec![None; tree.nodes.len()];
    for (s, skin) in skins.iter().enumerate() {
        for &joint in &skin.joints {
            match joint_of.get_mut(joint) {
                Some(Some(other)) => unite(&mut parents, *other, s),
                Some(slot) => *slot = Some(s),
                None => {}
            }
        }
    }
    let mut above: Vec<Option<usize>> = vec![None; tree.nodes.len()];
    for &index in &tree.order {
        let parent = tree.nodes.get(index).and_then(|n| n.parent);
        let over = parent.and_then(|p| above.get(p).copied().flatten());
        let own = joint_of.get(index).copied().flatten();
        if let (Some(over), Some(own)) = (over, own) {
            unite(&mut parents, over, own);
        }
        if let Some(slot) = above.get_mut(index) {
            *slot = own.or(over);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); skins.len()];
    for s in 0..skins.len() {
        let root = find(&mut parents, s);
        if let Some(group) = groups.get_mut(root) {
            group.push(s);
        }
    }
    groups.retain(|g| !g.is_empty());
    bodies(tree, skins, groups)
}

/// Joins what is too small to be a body to the largest one.
fn bodies(tree: &NodeTree, skins: &[RawSkin], groups: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    if groups.len() < 2 {
        return groups;
    }
    let world = world(tree);
    let size = |group: &Vec<usize>| {
        let joints = || group.iter().filter_map(|&s| skins.get(s)).flat_map(|s| &s.joints);
        let points = joints().filter_map(|&j| world.get(j)).map(|m| m.translation);
        let (low, high) = points.fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(low, high), p| {
            (low.min(p), high.max(p))
        });
        let n = group.iter().filter_map(|&s| skins.get(s)).map(|s| s.joints.len()).max();
        (n.unwrap_or(0), (high - low).length())
    };
    let sizes: Vec<(usize, f32)> = groups.iter().map(size).collect();
    let largest = sizes.iter().map(|s| s.1).filter(|s| s.is_finite()).fold(0.0, f32::max);
    let is_body = |s: &(usize, f32)| s.0 >= LEAST_JOINTS && s.1 >= LEAST_EXTENT * largest;
    let main = sizes
        .iter()
        .enumerate()
        .max_by_key(|(i, s)| (is_body(s), s.0, std::cmp::Reverse(*i)))
        .map_or(0, |(i, _)| i);
    let mut kept: Vec<Vec<usize>> = Vec::new();
    let mut rest = Vec::new();
    let mut main_at = 0;
    for (i, (group, size)) in groups.into_iter().zip(&sizes).enumerate() {
        if i == main {
            main_at = kept.len();
        }
        if i == main || is_body(size) {
            kept.push(group);
        } else {
            rest.extend(group);
        }
    }
    if let Some(group) = kept.get_mut(main_at) {
        group.extend(rest);
        group.sort_unstable();
    }
    kept
}

fn world(tree: &NodeTree) -> Vec<Affine3A> {
    let mut world = vec![Affine3A::IDENTITY; tree.nodes.len()];
    for &index in &tree.order {
        let Some(node) = tree.nodes.get(index) else { continue };
        let parent = node.parent.and_then(|p| world.get(p).copied()).unwrap_or_default();
        if let Some(slot) = world.get_mut(index) {
            *slot = parent * node.local.to_affine();
        }
    }
    world
}

/// The owner of every node: of a joint its character, of a node above them whoever stands below, of a node below
/// them the owner above it.
fn owners(tree: &NodeTree, skins: &[RawSkin], groups: &[Vec<usize>]) -> Vec<Owner> {
    let mut owners = vec![Owner::Nobody; tree.nodes.len()];
    let mut group_of = vec![None; skins.len()];
    for (g, group) in groups.iter().enumerate() {
        for &s in group {
            if let Some(slot) = group_of.get_mut(s) {
                *slot = Some(g);
            }
            for &joint in skins.get(s).map_or(&[][..], |s| &s.joints) {
                if let Some(slot) = owners.get_mut(joint) {
                    *slot = Owner::One(g);
                }
            }
        }
    }
    for (node, slot) in tree.nodes.iter().zip(&mut owners) {
        let skinned = node.mesh.and(node.skin).and_then(|s| group_of.get(s).copied().flatten());
        if let (Some(g), Owner::Nobody) = (skinned, *slot) {
            *slot = Owner::One(g);
        }
    }
    for &index in tree.order.iter().rev() {
        let below = owners.get(index).copied().unwrap_or(Owner::Nobody);
        let parent = tree.nodes.get(index).and_then(|n| n.parent);
        if let Some(slot) = parent.and_then(|p| owners.get_mut(p)) {
            *slot = match (*slot, below) {
                (a, Owner::Nobody) => a,
                (Owner::Nobody, b) => b,
                (Owner::One(a), Owner::One(b)) if a == b => Owner::One(a),
                _ => Owner::Several,
            };
        }
    }
    for &index in &tree.order {
        let parent = tree.nodes.get(index).and_then(|n| n.parent);
        let above = parent.and_then(|p| owners.get(p).copied());
        if let (Some(Owner::One(g)), Some(slot)) = (above, owners.get_mut(index))
            && *slot == Owner::Nobody
        {
            *slot = Owner::One(g);
        }
    }
    owners
}
