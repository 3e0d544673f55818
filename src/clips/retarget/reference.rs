//! The reference pose: both skeletons standing alike, so that what differs between their bind poses (A or T, arms
//! hanging, legs apart, fingers curled) is no motion.
//!
//! Based on: spec 8, 4.5 (P-RET).

use std::collections::BTreeMap;

use glam::{Affine3A, Quat, Vec3};

use super::RetargetRig;
use crate::math::polar_rotation;
use crate::math::rotation::swing;
use crate::model::{Pose, PoseBase, Role, WorldPose};

/// A rig in the reference pose, in canonical axes.
///
/// Arms and fingers lie along ±x, thighs and shins along -y, the line of the torso along +y, toes point along +z.
/// Pelvis, head, and feet in their pitch keep what the bind pose says: there the sole is flat, the eyes look ahead
/// and the joints' places (a pelvis joint in front of the spine, an ankle high above the ball) are a matter of the rig.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    /// G⁰ of each role: its rotation.
    pub rotations: BTreeMap<Role, Quat>,
    /// The same as it is computed, whatever a hand made of it: it says where knees point.
    pub upright: BTreeMap<Role, Quat>,
    /// Where the hips are, in metres; the feet stand on the floor, below straight legs where no hand bent them.
    pub hips: Vec3,
    /// Height of the hips over the floor.
    pub hip_height: f32,
    /// Height of the floor, in metres.
    pub floor: f32,
    /// Whether the floor was guessed and the rig stands at its own hips, as in files of motion capture: then each clip
    /// shows where its floor is.
    pub is_floating: bool,
}

/// Joints of the arms, from their roots; the last joint inherits.
pub(super) const ARMS: [[Role; 3]; 2] = [
    [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
    [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
];

/// Where the arms point in the reference pose: straight to the sides, or 45° below in an A-pose.
fn arm_aims(base: PoseBase) -> [Vec3; 2] {
    let left = match base {
        PoseBase::APose => Vec3::new(1.0, -1.0, 0.0).normalize(),
        _ => Vec3::X,
    };
    [left, left.with_x(-left.x)]
}

/// Joints of the legs, from above.
pub(super) const LEGS: [[Role; 4]; 2] = [
    [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes],
    [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes],
];

pub(super) const FINGERS: [[[Role; 3]; 4]; 2] = [
    [
        [Role::LeftIndexProximal, Role::LeftIndexIntermediate, Role::LeftIndexDistal],
        [Role::LeftMiddleProximal, Role::LeftMiddleIntermediate, Role::LeftMiddleDistal],
        [Role::LeftRingProximal, Role::LeftRingIntermediate, Role::LeftRingDistal],
        [Role::LeftLittleProximal, Role::LeftLittleIntermediate, Role::LeftLittleDistal],
    ],
    [
        [Role::RightIndexProximal, Role::RightIndexIntermediate, Role::RightIndexDistal],
        [Role::RightMiddleProximal, Role::RightMiddleIntermediate, Role::RightMiddleDistal],
        [Role::RightRingProximal, Role::RightRingIntermediate, Role::RightRingDistal],
        [Role::RightLittleProximal, Role::RightLittleIntermediate, Role::RightLittleDistal],
    ],
];

pub(super) const THUMBS: [[Role; 3]; 2] = [
    [Role::LeftThumbMetacarpal, Role::LeftThumbProximal, Role::LeftThumbDistal],
    [Role::RightThumbMetacarpal, Role::RightThumbProximal, Role::RightThumbDistal],
];

/// Joints of the torso above the hips, from below.
pub(super) const SPINE: [Role; 3] = [Role::Spine, Role::Chest, Role::UpperChest];

/// The swings from the bind pose into the reference pose, in canonical axes.
struct Calibration<'a> {
    places: BTreeMap<Role, Vec3>,
    /// Whether both rigs have the role: only then does a segment that ends at it count, or one rig alone would swing.
    is_shared: &'a dyn Fn(Role) -> bool,
    arm_aims: [Vec3; 2],
    swings: BTreeMap<Role, Quat>,
}

impl Calibration<'_> {
    fn place(&self, role: Role) -> Option<Vec3> {
        self.places.get(&role).copied()
    }

    /// Unit direction between two joints that both rigs have.
    fn direction(&self, from: Role, to: Role) -> Option<Vec3> {
        if !((self.is_shared)(from) && (self.is_shared)(to)) {
            return None;
        }
        (self.place(to)? - self.place(from)?).try_normalize()
    }

    /// Swings the segment from `role` to `next` to `aim`, after the swing of what it hangs from.
    fn swing_segment(&mut self, role: Role, next: Role, aim: Vec3, above: Quat) -> Quat {
        let own = match self.direction(role, next) {
            Some(direction) => (swing(above * direction, aim) * above).normalize(),
            None => above,
        };
        self.swings.insert(role, own);
        own
    }

    fn torso(&mut self) -> Quat {
        let both = |a, b| match (self.place(a), self.place(b)) {
            (Some(a), Some(b)) => Some(0.5 * (a + b)),
            _ => None,
        };
        let low = SPINE.iter().find_map(|&r| self.place(r)).or_else(|| self.place(Role::Hips));
        let high = (self.is_shared)(Role::Neck)
            .then(|| self.place(Role::Neck))
            .flatten()
            .or_else(|| both(Role::LeftUpperArm, Role::RightUpperArm))
            .or_else(|| self.place(Role::Head));
        let line = low.zip(high).and_then(|(low, high)| (high - low).try_normalize());
        let up = line.map_or(Quat::IDENTITY, |line| swing(line, Vec3::Y));
        for role in SPINE.into_iter().chain([Role::Neck, Role::LeftShoulder, Role::RightShoulder]) {
            self.swings.insert(role, up);
        }
        up
    }

    fn arm(&mut self, side: usize, torso: Quat) {
        let ([upper, lower, hand], aim) = (ARMS[side], self.arm_aims[side]);
        let above = self.swing_segment(upper, lower, aim, torso);
        let above = self.swing_segment(lower, hand, aim, above);
        // The hand points to the middle of its knuckles.
        let knuckles: Vec<Vec3> =
            FINGERS[side].iter().filter_map(|finger| self.direction(hand, finger[0])).collect();
        let middle = knuckles.iter().sum::<Vec3>().try_normalize();
        let above = middle.map_or(above, |d| (swing(above * d, aim) * above).normalize());
        self.swings.insert(hand, above);
        for [first, second, third] in FINGERS[side] {
            let own = self.swing_segment(first, second, aim, above);
            let own = self.swing_segment(second, third, aim, own);
            self.swings.insert(third, own);
        }
        for role in THUMBS[side] {
            self.swings.insert(role, above);
        }
    }

    fn leg(&mut self, side: usize) {
        let [upper, lower, foot, toes] = LEGS[side];
        let above = self.swing_segment(upper, lower, Vec3::NEG_Y, Quat::IDENTITY);
        self.swing_segment(lower, foot, Vec3::NEG_Y, above);
        // A foot only turns its toes ahead; feet turned further than this are no feet.
        let ahead = self
            .direction(foot, toes)
            .map(|d| d.with_y(0.0))
            .filter(|d| d.length() > 0.2 && d.z > 0.5 * d.length())
            .map_or(Quat::IDENTITY, |d| swing(d.normalize(), Vec3::Z));
        self.swings.insert(foot, ahead);
        self.swings.insert(toes, ahead);
    }
}

impl Reference {
    /// The reference pose of `rig`, as far as the roles allow that `is_shared` says both rigs have.
    pub fn of(rig: &RetargetRig, is_shared: &dyn Fn(Role) -> bool) -> Self {
        let canonical_from_file = rig.canonical_from_file();
        let mut world = WorldPose::default();
        rig.neutral.to_world(&rig.skeleton, &canonical_from_file, &mut world);
        let places: BTreeMap<Role, Vec3> = (rig.humanoid.roles.iter())
            .map(|(&role, &node)| (role, world.matrix(node).translation.into()))
            .collect();
        let base = rig.pose.base;
        let has_all = |_: Role| true;
        let is_shared: &dyn Fn(Role) -> bool = match base {
            PoseBase::TPose | PoseBase::APose => &has_all,
            _ => is_shared,
        };
        let swings = BTreeMap::new();
        let mut calibration = Calibration { places, is_shared, arm_aims: arm_aims(base), swings };
        let torso = calibration.torso();
        for side in 0..2 {
            calibration.arm(side, torso);
            calibration.leg(side);
        }

        let neutral = rig.neutral_rotations();
        let upright: BTreeMap<Role, Quat> = (rig.humanoid.roles.iter())
            .map(|(role, node)| {
                let swing = calibration.swings.get(role).copied().unwrap_or_default();
                let own = neutral.get(node.index()).copied().unwrap_or_default();
                (*role, (swing * own).normalize())
            })
            .collect();
        let rotations = by_hand(rig, &upright, &neutral);
        let (floor, hip_height) = standing(rig, &calibration, &world);
        let hips = calibration.place(Role::Hips).unwrap_or_default();
        let is_floating = rig.floor_m.is_none() && hips.y.abs() < 0.2 * hip_height;
        let crouch = match rig.pose.is_default() {
            true => 0.0,
            false => crouch(rig, &calibration, (&rotations, &neutral)),
        };
        let hips = hips.with_y(floor + hip_height - crouch);
        Self { rotations, upright, hips, hip_height, floor, is_floating }
    }

    /// The pose of `rig`'s nodes in which it stands so, `[N]`; nodes without a role keep their bind pose.
    pub fn pose(&self, rig: &RetargetRig) -> Pose {
        let canonical_from_file = rig.canonical_from_file();
        let root = polar_rotation(&canonical_from_file);
        let mut pose = rig.neutral.clone();
        let mut rotations: Vec<Quat> = Vec::with_capacity(rig.skeleton.len());
        for node in rig.skeleton.indices() {
            let parent = rig.skeleton.parent(node);
            let above = parent.and_then(|p| rotations.get(p.index()).copied()).unwrap_or(root);
            let given = rig.humanoid.role(node).and_then(|role| self.rotations.get(&role)).copied();
            let local = rig.neutral.local(node).rotation;
            let own = given.unwrap_or_else(|| (above * local).normalize());
            if let (Some(slot), Some(own)) = (pose.locals.get_mut(node.index()), given) {
                slot.rotation = (above.conjugate() * own).normalize();
            }
            rotations.push(own);
        }
        if let Some(hips) = rig.humanoid.node(Role::Hips) {
            let file_from_parent = (rig.skeleton.ancestors(hips))
                .fold(Affine3A::IDENTITY, |m, n| pose.local(n).to_affine() * m);
            let parent_from_canonical = (canonical_from_file * file_from_parent).inverse();
            if let Some(slot) = pose.locals.get_mut(hips.index()) {
                slot.translation = parent_from_canonical.transform_point3(self.hips);
            }
        }
        pose
    }
}

/// Rotations of the roles in the pose that a hand chose: its base, then its turns, each of which carries what hangs
/// from it. `upright` as it is computed, `neutral` of all nodes; canonical axes.
fn by_hand(
    rig: &RetargetRig,
    upright: &BTreeMap<Role, Quat>,
    neutral: &[Quat],
) -> BTreeMap<Role, Quat> {
    let of_nodes = |rotations: &[Quat]| -> BTreeMap<Role, Quat> {
        let own = |n: usize| rotations.get(n).copied().unwrap_or_default();
        rig.humanoid.roles.iter().map(|(role, node)| (*role, own(node.index()))).collect()
    };
    let base = match rig.pose.base {
        PoseBase::Computed | PoseBase::TPose | PoseBase::APose => upright.clone(),
        PoseBase::Bind => of_nodes(neutral),
        PoseBase::File => of_nodes(&rig.rotations_of(&rig.loaded)),
    };
    if rig.pose.turns.is_empty() {
        return base;
    }
    // Turns of all nodes: a node without a role, and without a turn of its own, is carried.
    let mut turns: Vec<Quat> = Vec::with_capacity(rig.skeleton.len());
    for node in rig.skeleton.indices() {
        let parent = rig.skeleton.parent(node);
        let above = parent.and_then(|p| turns.get(p.index()).copied()).unwrap_or_default();
        let own = rig.humanoid.role(node).and_then(|role| rig.pose.rotation(role));
        turns.push(own.map_or(above, |own| (above * own).normalize()));
    }
    let turned = |(role, rotation): (Role, Quat)| {
        let node = rig.humanoid.node(role).map_or(0, |n| n.index());
        (role, (turns.get(node).copied().unwrap_or_default() * rotation).normalize())
    };
    base.into_iter().map(turned).collect()
}

/// How much lower the hips are in the chosen pose than over straight legs, in metres.
fn crouch(
    rig: &RetargetRig,
    calibration: &Calibration<'_>,
    (rotations, neutral): (&BTreeMap<Role, Quat>, &[Quat]),
) -> f32 {
    let turn = |role: Role| {
        let node = rig.humanoid.node(role)?;
        Some(*rotations.get(&role)? * neutral.get(node.index())?.conjugate())
    };
    let legs: Vec<f32> = LEGS
        .iter()
        .filter_map(|&[upper, lower, foot, _]| {
            let hips = calibration.place(Role::Hips)?;
            let (a, b) = (calibration.place(upper)?, calibration.place(lower)?);
            let c = calibration.place(foot)?;
            let straight = hips.y - a.y + a.distance(b) + b.distance(c);
            let below =
                turn(Role::Hips)? * (a - hips) + turn(upper)? * (b - a) + turn(lower)? * (c - b);
            Some(straight + below.y)
        })
        .collect();
    if legs.is_empty() { 0.0 } else { legs.iter().sum::<f32>() / legs.len() as f32 }
}

/// Height of the floor, and of the hips over it when the legs are straight.
fn standing(rig: &RetargetRig, calibration: &Calibration<'_>, world: &WorldPose) -> (f32, f32) {
    let hips = calibration.place(Role::Hips).unwrap_or_default();
    let height = |node| world.matrix(node).translation.y;
    // Without skin: the lowest node that hangs from a foot, or else of all.
    let feet: Vec<_> = LEGS.iter().filter_map(|leg| rig.humanoid.node(leg[2])).collect();
    let under_feet = rig
        .skeleton
        .indices()
        .filter(|&n| feet.is_empty() || feet.iter().any(|&foot| rig.skeleton.is_within(n, foot)))
        .map(height)
        .fold(f32::INFINITY, f32::min);
    let floor = rig.floor_m.unwrap_or(if under_feet.is_finite() { under_feet } else { 0.0 });
    let legs: Vec<f32> = LEGS
        .iter()
        .filter_map(|&[upper, lower, foot, _]| {
            let (a, b) = (calibration.place(upper)?, calibration.place(lower)?);
            let c = calibration.place(foot)?;
            Some(hips.y - a.y + a.distance(b) + b.distance(c) + c.y - floor)
        })
        .collect();
    let hip_height =
        if legs.is_empty() { hips.y - floor } else { legs.iter().sum::<f32>() / legs.len() as f32 };
    (floor, hip_height)
}
