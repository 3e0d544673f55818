//! Roles from names: each limb's joints are taken in the order of their chain, since `Leg` is a thigh in one rig and a
//! shin in another.

use super::names::{Finger, Part, Reading, Side, convention, read};
use super::{assign_spine, common_ancestor, path_below};
use crate::model::{HumanoidMap, NodeIndex, Role, Skeleton};

struct Readings<'a> {
    skeleton: &'a Skeleton,
    /// Parents first.
    all: Vec<(NodeIndex, Reading)>,
}

impl Readings<'_> {
    /// Joints of `parts` on `side`, parents first, within `root` where one is given.
    fn of(
        &self,
        parts: &[Part],
        side: Option<Side>,
        root: Option<NodeIndex>,
    ) -> Vec<(NodeIndex, Part)> {
        self.all
            .iter()
            .filter(|(node, r)| {
                parts.contains(&r.part)
                    && r.side == side
                    && root.is_none_or(|root| self.skeleton.is_within(*node, root))
            })
            .map(|&(node, r)| (node, r.part))
            .collect()
    }
}

/// The roles that names give; empty where they say nothing.
pub(super) fn roles(skeleton: &Skeleton) -> HumanoidMap {
    let all: Vec<(NodeIndex, Reading)> = skeleton
        .indices()
        .filter_map(|node| read(skeleton.name(node)).map(|reading| (node, reading)))
        .collect();
    let mut map = HumanoidMap {
        convention: convention(all.iter().map(|&(node, _)| skeleton.name(node))),
        ..HumanoidMap::default()
    };
    let readings = Readings { skeleton, all };
    let hips = hips(&readings);
    if let Some(hips) = hips {
        map.roles.insert(Role::Hips, hips);
    }
    for side in [Side::Left, Side::Right] {
        leg(&readings, side, hips, &mut map);
        arm(&readings, side, hips, &mut map);
    }
    trunk(&readings, hips, &mut map);
    map
}

/// The joint named hips with the most of the body below it, or else where the thighs meet.
fn hips(readings: &Readings) -> Option<NodeIndex> {
    let skeleton = readings.skeleton;
    let body_below =
        |node: NodeIndex| readings.all.iter().filter(|(n, _)| skeleton.is_within(*n, node)).count();
    let named = readings.of(&[Part::Hips], None, None);
    let best = named
        .iter()
        .map(|&(node, _)| (body_below(node), node))
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    if let Some((_, node)) = best {
        return Some(node);
    }
    let thigh = |side| {
        let legs = readings.of(&[Part::UpperLeg, Part::Leg], Some(side), None);
        legs.first().map(|&(node, _)| node)
    };
    common_ancestor(skeleton, thigh(Side::Left)?, thigh(Side::Right)?)
}

/// The first of `wanted` below `above` in a limb.
fn first(
    skeleton: &Skeleton,
    limb: &[(NodeIndex, Part)],
    wanted: &[Part],
    above: Option<NodeIndex>,
) -> Option<NodeIndex> {
    limb.iter()
        .find(|(node, part)| {
            wanted.contains(part)
                && above.is_none_or(|a| *node != a && skeleton.is_within(*node, a))
        })
        .map(|&(node, _)| node)
}

fn leg(readings: &Readings, side: Side, hips: Option<NodeIndex>, map: &mut HumanoidMap) {
    let parts = [Part::UpperLeg, Part::Leg, Part::LowerLeg, Part::Ankle, Part::Foot, Part::Toes];
    let limb = readings.of(&parts, Some(side), hips);
    let take = |wanted: &[Part], above| first(readings.skeleton, &limb, wanted, above);
    let [r_upper, r_lower, r_foot, r_toes] = match side {
        Side::Left => [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes],
        Side::Right => [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes],
    };
    let upper = take(&[Part::UpperLeg], None).or_else(|| take(&[Part::Leg], None));
    let Some(upper) = upper else { return };
    map.roles.insert(r_upper, upper);
    let lower = take(&[Part::LowerLeg], Some(upper)).or_else(|| take(&[Part::Leg], Some(upper)));
    let above = lower.or(Some(upper));
    // A second foot below the first is its toes. An ankle is the foot where no other joint is named so, or where that
    // one has no toes below it and so must be them.
    let below = |foot: Option<NodeIndex>| {
        foot.and_then(|f| take(&[Part::Toes], Some(f)).or_else(|| take(&[Part::Foot], Some(f))))
    };
    let mut foot = take(&[Part::Foot], above);
    let mut toes = below(foot);
    if toes.is_none() {
        let ankle = take(&[Part::Ankle], above);
        foot = ankle.or(foot);
        toes = below(foot);
    }
    for (role, node) in [(r_lower, lower), (r_foot, foot), (r_toes, toes)] {
        if let Some(node) = node {
            map.roles.insert(role, node);
        }
    }
}

fn arm(readings: &Readings, side: Side, hips: Option<NodeIndex>, map: &mut HumanoidMap) {
    let parts =
        [Part::Shoulder, Part::UpperArm, Part::Arm, Part::LowerArm, Part::Wrist, Part::Hand];
    let limb = readings.of(&parts, Some(side), hips);
    let take = |wanted: &[Part], above| first(readings.skeleton, &limb, wanted, above);
    let [r_shoulder, r_upper, r_lower, r_hand] = match side {
        Side::Left => [Role::LeftShoulder, Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        Side::Right => {
            [Role::RightShoulder, Role::RightUpperArm, Role::RightLowerArm, Role::RightHand]
        }
    };
    let mut shoulder = take(&[Part::Shoulder], None);
    let mut upper = take(&[Part::UpperArm], None).or_else(|| take(&[Part::Arm], None));
    if upper.is_none() {
        // Collar, shoulder, elbow: the last shoulder above the elbow is the upper arm.
        upper = take(&[Part::Shoulder], shoulder).or(shoulder);
        if upper == shoulder {
            shoulder = None;
        }
    }
    let Some(upper) = upper else { return };
    let lower = take(&[Part::LowerArm], Some(upper)).or_else(|| take(&[Part::Arm], Some(upper)));
    let above = lower.or(Some(upper));
    let hand = take(&[Part::Hand], above).or_else(|| take(&[Part::Wrist], above));
    let found = [(r_shoulder, shoulder), (r_upper, Some(upper)), (r_lower, lower), (r_hand, hand)];
    for (role, node) in found {
        if let Some(node) = node {
            map.roles.insert(role, node);
        }
    }
    if let Some(hand) = hand.or(lower) {
        fingers(readings, side, hand, map);
    }
}

/// Finger joints by their place in the chain; numbers in names start anywhere.
fn fingers(readings: &Readings, side: Side, hand: NodeIndex, map: &mut HumanoidMap) {
    for (finger, left, right) in FINGERS {
        let joints = readings.of(&[Part::Finger(*finger)], Some(side), Some(hand));
        let roles = if side == Side::Left { left } else { right };
        let mut above = None;
        let mut places = roles.iter();
        for (node, _) in joints {
            if above.is_none_or(|a| readings.skeleton.is_within(node, a))
                && let Some(role) = places.next()
            {
                map.roles.insert(*role, node);
                above = Some(node);
            }
        }
    }
}

const FINGERS: &[(Finger, [Role; 3], [Role; 3])] = &[
    (
        Finger::Thumb,
        [Role::LeftThumbMetacarpal, Role::LeftThumbProximal, Role::LeftThumbDistal],
        [Role::RightThumbMetacarpal, Role::RightThumbProximal, Role::RightThumbDistal],
    ),
    (
        Finger::Index,
        [Role::LeftIndexProximal, Role::LeftIndexIntermediate, Role::LeftIndexDistal],
        [Role::RightIndexProximal, Role::RightIndexIntermediate, Role::RightIndexDistal],
    ),
    (
        Finger::Middle,
        [Role::LeftMiddleProximal, Role::LeftMiddleIntermediate, Role::LeftMiddleDistal],
        [Role::RightMiddleProximal, Role::RightMiddleIntermediate, Role::RightMiddleDistal],
    ),
    (
        Finger::Ring,
        [Role::LeftRingProximal, Role::LeftRingIntermediate, Role::LeftRingDistal],
        [Role::RightRingProximal, Role::RightRingIntermediate, Role::RightRingDistal],
    ),
    (
        Finger::Little,
        [Role::LeftLittleProximal, Role::LeftLittleIntermediate, Role::LeftLittleDistal],
        [Role::RightLittleProximal, Role::RightLittleIntermediate, Role::RightLittleDistal],
    ),
];

/// Spine, neck and head: by the way from the hips to where the arms leave, whatever its joints are called.
fn trunk(readings: &Readings, hips: Option<NodeIndex>, map: &mut HumanoidMap) {
    let skeleton = readings.skeleton;
    let head = readings.of(&[Part::Head], None, hips).first().map(|&(node, _)| node);
    let arm = |shoulder, upper| map.node(shoulder).or(map.node(upper));
    let left = arm(Role::LeftShoulder, Role::LeftUpperArm);
    let right = arm(Role::RightShoulder, Role::RightUpperArm);
    let fork = left.zip(right).and_then(|(l, r)| common_ancestor(skeleton, l, r));
    let named =
        |part| readings.of(&[part], None, hips).into_iter().map(|(n, _)| n).collect::<Vec<_>>();
    let mut spine = match (hips, fork) {
        (Some(hips), Some(fork)) => path_below(skeleton, hips, fork),
        _ => Vec::new(),
    };
    if spine.is_empty() {
        spine = named(Part::Spine);
    }
    let neck = match (fork, head) {
        (Some(fork), Some(head)) => {
            let mut way = path_below(skeleton, fork, head);
            way.pop();
            let said = named(Part::Neck);
            way.iter().copied().find(|n| said.contains(n)).or(way.first().copied())
        }
        _ => named(Part::Neck).first().copied(),
    };
    assign_spine(map, &spine);
    let side = |part, side| readings.of(&[part], side, head).first().map(|&(node, _)| node);
    let rest = [
        (Role::Neck, neck),
        (Role::Head, head),
        (Role::Jaw, side(Part::Jaw, None)),
        (Role::LeftEye, side(Part::Eye, Some(Side::Left))),
        (Role::RightEye, side(Part::Eye, Some(Side::Right))),
    ];
    for (role, node) in rest {
        if let Some(node) = node {
            map.roles.insert(role, node);
        }
    }
}
