//! Roles where names say nothing: from who hangs from whom and where joints stand in the bind pose.

use std::collections::BTreeSet;

use glam::Vec3;

use super::{assign_spine, path_below};
use crate::model::{BindPose, Character, HumanoidMap, NamingConvention, NodeIndex, Role};

/// A chain of joints below a branching, with where it leads.
struct Limb {
    /// Along the longest way down the hierarchy, root first.
    joints: Vec<NodeIndex>,
    root: Vec3,
    /// Lowest joint at or below the root.
    lowest: Vec3,
    tip: Vec3,
    length: f32,
}

struct Shape<'a> {
    character: &'a Character,
    bind: &'a BindPose,
    children: Vec<Vec<NodeIndex>>,
    joints: BTreeSet<NodeIndex>,
    low: f32,
    height: f32,
}

/// The roles that shape gives; empty where there are no two legs.
pub(super) fn roles(character: &Character, bind: &BindPose) -> HumanoidMap {
    let mut map = HumanoidMap { convention: NamingConvention::Geometry, ..HumanoidMap::default() };
    let Some(shape) = Shape::new(character, bind) else { return map };
    let Some((hips, mut legs)) = shape.legs() else { return map };
    let forward = shape.forward(&legs);
    let left = Vec3::Y.cross(forward);
    legs.sort_by(|a, b| b.root.dot(left).total_cmp(&a.root.dot(left)));
    map.roles.insert(Role::Hips, hips);
    for (limb, roles) in legs.iter().zip([
        [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes],
        [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes],
    ]) {
        map.roles.extend(shape.leg_joints(limb, roles));
    }
    shape.upper_body(hips, &legs, left, &mut map);
    map
}

impl<'a> Shape<'a> {
    fn new(character: &'a Character, bind: &'a BindPose) -> Option<Self> {
        let skeleton = &character.skeleton;
        let mut joints: BTreeSet<NodeIndex> =
            character.skins.iter().flat_map(|s| s.joints.iter().copied()).collect();
        if joints.is_empty() {
            joints = skeleton.indices().collect();
        }
        let heights = || joints.iter().map(|&j| bind.position(j).y);
        let (low, high) = (heights().fold(f32::MAX, f32::min), heights().fold(f32::MIN, f32::max));
        (high > low).then(|| Self {
            character,
            bind,
            children: skeleton.children(),
            joints,
            low,
            height: high - low,
        })
    }

    fn children(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.children[node.index()].iter().copied().filter(|c| self.joints.contains(c))
    }

    /// The limb that starts at `root`: the way to the joint that is farthest along the bones.
    fn limb(&self, root: NodeIndex) -> Limb {
        let mut best = (0.0, root);
        let mut lowest = self.bind.position(root);
        let mut open = vec![(root, 0.0_f32)];
        while let Some((node, length)) = open.pop() {
            let p = self.bind.position(node);
            if p.y < lowest.y {
                lowest = p;
            }
            if length > best.0 {
                best = (length, node);
            }
            open.extend(
                self.children(node).map(|c| (c, length + p.distance(self.bind.position(c)))),
            );
        }
        let mut joints = vec![root];
        joints.extend(path_below(&self.character.skeleton, root, best.1));
        Limb {
            joints,
            root: self.bind.position(root),
            lowest,
            tip: self.bind.position(best.1),
            length: best.0,
        }
    }

    /// Whether two limbs are mirror images, roughly, over the upright plane between their roots.
    fn is_mirrored(&self, a: &Limb, b: &Limb) -> bool {
        let across = (a.root - b.root).with_y(0.0);
        let Some(axis) = across.try_normalize() else { return false };
        let middle = (a.root + b.root) * 0.5;
        let mirror = |p: Vec3| p - axis * (2.0 * (p - middle).dot(axis));
        let close = 0.2 * a.length.max(b.length) + 0.02 * self.height;
        across.length() > 0.02 * self.height
            && a.joints.len() >= 3
            && b.joints.len() >= 3
            && mirror(a.root).distance(b.root) < close
            && mirror(a.tip).distance(b.tip) < close
    }

    /// Hips and legs: of all mirrored pairs that reach the floor, the one whose hips stand highest above most joints;
    /// of two such (a quadruped) the pair farther from the head's side, which is the one with less hanging from its
    /// parent elsewhere going up.
    fn legs(&self) -> Option<(NodeIndex, Vec<Limb>)> {
        let floor = self.low + 0.2 * self.height;
        let mut best: Option<(usize, NodeIndex, Vec<Limb>)> = None;
        for &node in &self.joints {
            let limbs: Vec<Limb> = self
                .children(node)
                .map(|c| self.limb(c))
                .filter(|l| l.lowest.y < floor && l.root.y - l.lowest.y > 0.15 * self.height)
                .collect();
            for (i, a) in limbs.iter().enumerate() {
                for b in &limbs[i + 1..] {
                    if !self.is_mirrored(a, b) {
                        continue;
                    }
                    // The whole body hangs from the hips: the pair with the most joints below its parent.
                    let n = self
                        .joints
                        .iter()
                        .filter(|&&j| self.character.skeleton.is_within(j, node))
                        .count();
                    if best.as_ref().is_none_or(|(most, _, _)| n > *most) {
                        let pair = vec![self.limb(a.joints[0]), self.limb(b.joints[0])];
                        best = Some((n, node, pair));
                    }
                }
            }
        }
        best.map(|(_, node, legs)| (node, legs))
    }

    /// Where the toes point; +Z where they say nothing.
    fn forward(&self, legs: &[Limb]) -> Vec3 {
        let across = (legs[0].root - legs[1].root).with_y(0.0).normalize_or(Vec3::X);
        let axis = across.cross(Vec3::Y);
        let toes: f32 = legs
            .iter()
            .filter_map(|leg| {
                // The ankle is the last joint that is still above the foot: the lowest chain joint but the tip.
                let n = leg.joints.len();
                let ankle = leg.joints.get(n.checked_sub(2)?)?;
                Some((leg.tip - self.bind.position(*ankle)).dot(axis))
            })
            .sum();
        let facing = if toes.abs() > 0.005 * self.height { toes } else { axis.z };
        if facing < 0.0 { -axis } else { axis }
    }

    /// Place in a limb of the first of its two longest bones in a row: thigh and shin, upper arm and forearm. Helpers
    /// of no length and shoulders stand before it.
    fn first_long_bone(&self, limb: &Limb) -> usize {
        let joints = &limb.joints;
        let bone =
            |i: usize| self.bind.position(joints[i]).distance(self.bind.position(joints[i + 1]));
        (0..joints.len().saturating_sub(2))
            .max_by(|&a, &b| {
                (bone(a) + bone(a + 1)).total_cmp(&(bone(b) + bone(b + 1))).then(b.cmp(&a))
            })
            .unwrap_or(0)
    }

    fn leg_joints(&self, limb: &Limb, roles: [Role; 4]) -> Vec<(Role, NodeIndex)> {
        let start = self.first_long_bone(limb);
        roles.into_iter().zip(limb.joints[start..].iter().copied()).collect()
    }

    fn upper_body(&self, hips: NodeIndex, legs: &[Limb], left: Vec3, map: &mut HumanoidMap) {
        let skeleton = &self.character.skeleton;
        let leg_roots: Vec<NodeIndex> = legs.iter().map(|l| l.joints[0]).collect();
        // The spine leads to the pair of arms: mirrored limbs that leave one joint above the hips.
        let mut arms: Option<(f32, NodeIndex, [Limb; 2])> = None;
        for &node in self.joints.iter().filter(|&&j| skeleton.is_within(j, hips)) {
            if leg_roots.iter().any(|&leg| skeleton.is_within(node, leg)) {
                continue;
            }
            let roots: Vec<NodeIndex> =
                self.children(node).filter(|c| !leg_roots.contains(c)).collect();
            for (i, &a) in roots.iter().enumerate() {
                for &b in &roots[i + 1..] {
                    let (a, b) = (self.limb(a), self.limb(b));
                    if self.is_mirrored(&a, &b)
                        && arms.as_ref().is_none_or(|(longest, _, _)| a.length > *longest)
                    {
                        arms = Some((a.length, node, [a, b]));
                    }
                }
            }
        }
        let fork = arms.as_ref().map_or(hips, |(_, node, _)| *node);
        // The head is the highest joint above the fork that belongs to neither arm nor leg.
        let is_limb = |j: NodeIndex| {
            let in_arm = arms.as_ref().is_some_and(|(_, _, pair)| {
                pair.iter().any(|l| skeleton.is_within(j, l.joints[0]))
            });
            in_arm || leg_roots.iter().any(|&leg| skeleton.is_within(j, leg))
        };
        let top = self
            .joints
            .iter()
            .copied()
            .filter(|&j| j != fork && skeleton.is_within(j, fork) && !is_limb(j))
            .max_by(|&a, &b| {
                self.bind.position(a).y.total_cmp(&self.bind.position(b).y).then(b.cmp(&a))
            });
        let spine = path_below(skeleton, hips, fork);
        if let Some(top) = top.filter(|&t| self.bind.position(t).y > self.bind.position(fork).y) {
            let way = path_below(skeleton, fork, top);
            // A leaf above the head joint marks the crown.
            let head = if way.len() > 2 { way[way.len() - 2] } else { way[way.len() - 1] };
            map.roles.insert(Role::Head, head);
            if let Some(&neck) = way.first().filter(|&&n| n != head) {
                map.roles.insert(Role::Neck, neck);
            }
        }
        assign_spine(map, &spine);
        let Some((_, _, mut pair)) = arms else { return };
        pair.sort_by(|a, b| b.tip.dot(left).total_cmp(&a.tip.dot(left)));
        for (limb, (shoulder, rest)) in pair.iter().zip(ARMS) {
            map.roles.extend(self.arm_joints(limb, *shoulder, *rest));
        }
    }

    fn arm_joints(&self, limb: &Limb, shoulder: Role, rest: [Role; 3]) -> Vec<(Role, NodeIndex)> {
        let start = self.first_long_bone(limb);
        let mut found: Vec<(Role, NodeIndex)> =
            rest.into_iter().zip(limb.joints[start..].iter().copied()).collect();
        if start > 0 {
            found.push((shoulder, limb.joints[start - 1]));
        }
        found
    }
}

const ARMS: &[(Role, [Role; 3])] = &[
    (Role::LeftShoulder, [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand]),
    (Role::RightShoulder, [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand]),
];
