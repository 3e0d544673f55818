//! From a posture to a pose: forward kinematics from hips to fingertips, then feet and hands brought to where they
//! should be.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};

use super::channel::{Centre, Posture, Side, Sided};
use super::curve::smoother;
use super::gait::roll_about;
use super::mass;
use super::rig::{self, ANKLE_M, BALL, CanonicalRig, HEEL};
use crate::clips::ik::TwoBone;
use crate::math::{ops, rotation};
use crate::model::{NodeIndex, Pose, Role};

/// The canonical body while it takes a posture.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    rig: &'static CanonicalRig,
    /// Local transforms of all joints.
    pub pose: Pose,
    /// Whether the hips would have to come down further than they do for the feet to reach.
    is_short: bool,
}

/// Roles of one limb.
struct Limb {
    root: Role,
    upper: Role,
    lower: Role,
    end: Role,
    tip: Role,
}

const LEFT_ARM: Limb = Limb {
    root: Role::LeftShoulder,
    upper: Role::LeftUpperArm,
    lower: Role::LeftLowerArm,
    end: Role::LeftHand,
    tip: Role::LeftMiddleProximal,
};
const RIGHT_ARM: Limb = Limb {
    root: Role::RightShoulder,
    upper: Role::RightUpperArm,
    lower: Role::RightLowerArm,
    end: Role::RightHand,
    tip: Role::RightMiddleProximal,
};
const LEFT_LEG: Limb = Limb {
    root: Role::Hips,
    upper: Role::LeftUpperLeg,
    lower: Role::LeftLowerLeg,
    end: Role::LeftFoot,
    tip: Role::LeftToes,
};
const RIGHT_LEG: Limb = Limb {
    root: Role::Hips,
    upper: Role::RightUpperLeg,
    lower: Role::RightLowerLeg,
    end: Role::RightFoot,
    tip: Role::RightToes,
};

const fn arm(side: Side) -> Limb {
    match side {
        Side::Left => LEFT_ARM,
        Side::Right => RIGHT_ARM,
    }
}

const fn leg(side: Side) -> Limb {
    match side {
        Side::Left => LEFT_LEG,
        Side::Right => RIGHT_LEG,
    }
}

/// Share of a limb's length from which it lags behind its target, so that it never snaps straight.
const SOFT_FROM: f32 = 0.975;

/// Degrees from a right angle that an ankle closes to under load.
const ANKLE_CLOSES_TO: f32 = 38.0;

/// How far the hips come down for feet out of reach; beyond it the heel rises, and at last the foot leaves its place.
const MOST_DROP_M: f32 = 0.15;

/// Degrees by which a heel rises at most for a foot out of reach.
const MOST_HEEL: f32 = 55.0;

/// Degrees of an ankle: toes up, tilt, turn to either side.
const ANKLE_LIMITS: [f32; 3] = [47.9, 39.8, 44.8];

/// Degrees that an ankle stretches.
const ANKLE_STRETCHES_TO: f32 = 64.8;

/// How deep a sole may press into the floor, in metres.
pub(super) const PRESSED_M: f32 = 0.0095;

/// Degrees that a hand bends at the wrist at most.
const WRIST_LIMIT: f32 = 84.0;

/// How near a wrist comes to its shoulder, in metres: an elbow at 150 degrees.
const NEAREST_WRIST_M: f32 = 0.145;

/// How far the fingers close and fan, index to little: the little one closes furthest, the index least.
const FINGER_CLOSING: [(f32, f32); 4] = [(0.88, 1.0), (0.95, 0.2), (1.02, -0.5), (1.1, -1.2)];

/// Thumb, index, middle, ring and little finger, three joints of each from the hand outwards.
const LEFT_FINGERS: [Role; 15] = [
    Role::LeftThumbMetacarpal,
    Role::LeftThumbProximal,
    Role::LeftThumbDistal,
    Role::LeftIndexProximal,
    Role::LeftIndexIntermediate,
    Role::LeftIndexDistal,
    Role::LeftMiddleProximal,
    Role::LeftMiddleIntermediate,
    Role::LeftMiddleDistal,
    Role::LeftRingProximal,
    Role::LeftRingIntermediate,
    Role::LeftRingDistal,
    Role::LeftLittleProximal,
    Role::LeftLittleIntermediate,
    Role::LeftLittleDistal,
];

/// The same of the right hand.
const RIGHT_FINGERS: [Role; 15] = [
    Role::RightThumbMetacarpal,
    Role::RightThumbProximal,
    Role::RightThumbDistal,
    Role::RightIndexProximal,
    Role::RightIndexIntermediate,
    Role::RightIndexDistal,
    Role::RightMiddleProximal,
    Role::RightMiddleIntermediate,
    Role::RightMiddleDistal,
    Role::RightRingProximal,
    Role::RightRingIntermediate,
    Role::RightRingDistal,
    Role::RightLittleProximal,
    Role::RightLittleIntermediate,
    Role::RightLittleDistal,
];

/// Where a foot bears on the floor, in its own axes.
pub(super) const SOLE: [Vec3; 2] = CanonicalRig::SOLE;

/// The joints from the root to a foot, parents first.
pub(super) fn leg_line(side: Side) -> Vec<NodeIndex> {
    let rig = rig::skeleton();
    let foot = rig.joint(leg(side).end);
    let mut line: Vec<NodeIndex> = rig.skeleton().ancestors(foot).collect();
    line.reverse();
    line.push(foot);
    line
}

/// Degrees a, b, c of R = Rx(a) Rz(b) Ry(c).
fn swing_angles(q: Quat) -> [f32; 3] {
    let (right, up, ahead) = (q * Vec3::X, q * Vec3::Y, q * Vec3::Z);
    let tilt = ops::atan2(-up.x, (1.0 - up.x * up.x).max(0.0).sqrt());
    [ops::atan2(up.z, up.y), tilt, ops::atan2(ahead.x, right.x)].map(f32::to_degrees)
}

/// How much a foot bears on the floor, by its height over it: 1 on it, 0 from 5 cm.
fn bears(ankle: Vec3, turned: Quat) -> f32 {
    let lowest = [HEEL, BALL].map(|point| (ankle + turned * point).y);
    1.0 - smoother(lowest[0].min(lowest[1]) / 0.05)
}

/// Bend forward, lean and twist to the left, of one joint of the spine.
fn spinal(bend: f32, lean: f32, twist: f32) -> Quat {
    x(bend) * z(-lean) * y(twist)
}

fn x(degrees: f32) -> Quat {
    Quat::from_rotation_x(degrees.to_radians())
}

fn y(degrees: f32) -> Quat {
    Quat::from_rotation_y(degrees.to_radians())
}

fn z(degrees: f32) -> Quat {
    Quat::from_rotation_z(degrees.to_radians())
}

impl Figure {
    /// The body in T-pose.
    pub fn new() -> Self {
        let rig = rig::skeleton();
        Self { rig, pose: Pose::loaded(rig.skeleton()), is_short: false }
    }

    /// The body in a pose that it has taken before.
    pub fn of(pose: Pose) -> Self {
        Self { rig: rig::skeleton(), pose, is_short: false }
    }

    /// Takes a posture on the floor.
    pub fn take(&mut self, posture: &Posture) {
        self.trunk_and_free_limbs(posture, Vec3::ZERO);
        let ground = posture.centre(Centre::Ground);
        if ground > 0.0 {
            // A leg counts until it is all but held.
            let planted = Side::BOTH
                .map(|side| smoother((posture.sided(side, Sided::FootPlant) - 0.7) / 0.3));
            let lowest = mass::lowest_point(self, planted);
            self.move_hips(Vec3::NEG_Y * lowest * ground);
        }
        self.lower_hips_until_feet_reach(posture);
        self.place_ends(posture);
    }

    /// Takes a posture in the air, with the hips moved by `shift` metres from where the posture has them.
    pub fn fly(&mut self, posture: &Posture, shift: Vec3) {
        self.trunk_and_free_limbs(posture, shift);
        self.place_ends(posture);
    }

    fn trunk_and_free_limbs(&mut self, posture: &Posture, shift: Vec3) {
        self.hips(posture, shift);
        self.torso(posture);
        for side in Side::BOTH {
            self.arm(posture, side);
            self.fingers(posture, side);
            self.free_leg(posture, side);
        }
    }

    fn place_ends(&mut self, posture: &Posture) {
        for side in Side::BOTH {
            self.plant_foot(posture, side);
            self.keep_above_floor(side);
            self.hold_grip(posture, side);
        }
    }

    /// World position and rotation of a joint. Cost: O(depth).
    pub fn world(&self, role: Role) -> (Vec3, Quat) {
        self.world_of(Some(self.rig.joint(role)))
    }

    fn world_of(&self, mut at: Option<NodeIndex>) -> (Vec3, Quat) {
        let (mut position, mut rotation) = (Vec3::ZERO, Quat::IDENTITY);
        while let Some(index) = at {
            let local = self.pose.local(index);
            position = local.translation + local.rotation * position;
            rotation = local.rotation * rotation;
            at = self.rig.skeleton().parent(index);
        }
        (position, rotation.normalize())
    }

    fn set_local(&mut self, role: Role, rotation: Quat) {
        if let Some(local) = self.pose.locals.get_mut(self.rig.joint(role).index()) {
            local.rotation = rotation.normalize();
        }
    }

    fn set_world(&mut self, role: Role, rotation: Quat) {
        let (_, parent) = self.world_of(self.rig.skeleton().parent(self.rig.joint(role)));
        self.set_local(role, parent.conjugate() * rotation);
    }

    fn move_hips(&mut self, by: Vec3) {
        if let Some(hips) = self.pose.locals.get_mut(self.rig.joint(Role::Hips).index()) {
            hips.translation += by;
        }
    }

    fn hips(&mut self, p: &Posture, shift: Vec3) {
        let at = |c| p.centre(c);
        let rotation = y(at(Centre::HipsYaw)) * x(at(Centre::HipsPitch)) * z(at(Centre::HipsRoll));
        let place = Vec3::new(at(Centre::HipsX), at(Centre::HipsY), at(Centre::HipsZ)) + shift;
        let rest = self.rig.rest_position(Role::Hips);
        if let Some(hips) = self.pose.locals.get_mut(self.rig.joint(Role::Hips).index()) {
            hips.translation = rest + place;
        }
        self.set_local(Role::Hips, rotation);
    }

    fn torso(&mut self, p: &Posture) {
        let at = |c| p.centre(c);
        let spine = [Centre::SpineBend, Centre::SpineLean, Centre::SpineTwist].map(at);
        let chest = [Centre::ChestBend, Centre::ChestLean, Centre::ChestTwist].map(at);
        // The lumbar joint carries half of what the spine does, the ribs' joints the rest and the chest's.
        let share = |a: f32, b: f32| {
            let [bend, lean, twist] = [0, 1, 2].map(|i: usize| a * spine[i] + b * chest[i]);
            spinal(bend, lean, twist)
        };
        self.set_local(Role::Spine, share(0.5, 0.0));
        self.set_local(Role::Chest, share(0.5, 0.45));
        self.set_local(Role::UpperChest, share(0.0, 0.55));
        let neck = spinal(at(Centre::NeckBend), at(Centre::NeckLean), at(Centre::NeckTwist));
        let head = spinal(at(Centre::HeadBend), at(Centre::HeadLean), at(Centre::HeadTwist));
        self.set_local(Role::Neck, neck);
        self.set_local(Role::Head, head);
        let level = at(Centre::HeadLevel);
        if level > 0.0 {
            // A level head looks where the body goes, whatever the trunk does; the neck makes half of the way.
            let (_, hanging) = self.world(Role::Head);
            let wanted = neck * head;
            let (_, neck_now) = self.world(Role::Neck);
            let correction = wanted * hanging.conjugate();
            let half = Quat::IDENTITY.slerp(rotation::positive_w(correction), 0.5 * level);
            self.set_world(Role::Neck, half * neck_now);
            self.set_world(Role::Head, hanging.slerp(wanted, level));
        }
    }

    fn arm(&mut self, p: &Posture, side: Side) {
        let (s, at) = (side.sign(), |c| p.sided(side, c));
        let limb = arm(side);
        self.set_local(
            limb.root,
            y(-s * at(Sided::ClavicleForward)) * z(s * at(Sided::ClavicleRaise)),
        );
        let hang = Quat::from_rotation_z(-s * FRAC_PI_2);
        let swing =
            x(-at(Sided::ArmSwing)) * z(s * at(Sided::ArmOut)) * y(-s * at(Sided::ArmTwist));
        self.set_local(limb.upper, swing * hang);
        self.set_local(limb.lower, y(-s * at(Sided::ElbowFlex)) * x(at(Sided::ElbowTwist)));
        self.set_local(limb.end, z(-s * at(Sided::HandFlex)) * y(-s * at(Sided::HandSide)));
    }

    fn fingers(&mut self, p: &Posture, side: Side) {
        let s = side.sign();
        let curl = p.sided(side, Sided::FingersCurl);
        let spread = p.sided(side, Sided::FingersSpread);
        let joints = if side == Side::Left { LEFT_FINGERS } else { RIGHT_FINGERS };
        let (thumb_joints, fingers) = joints.split_at(3);
        for (joints, (closing, fan)) in fingers.chunks(3).zip(FINGER_CLOSING) {
            for (part, (&role, share)) in joints.iter().zip([0.85, 1.0, 0.7]).enumerate() {
                let fan = if part == 0 { y(-s * fan * spread) } else { Quat::IDENTITY };
                self.set_local(role, fan * z(-s * curl * closing * share));
            }
        }
        let thumb = p.sided(side, Sided::ThumbCurl);
        for (&role, share) in thumb_joints.iter().zip([0.4, 0.6, 0.8]) {
            self.set_local(role, y(s * thumb * share * 0.8) * z(-s * thumb * share * 0.5));
        }
    }

    /// The leg as its own channels have it, as if there were no floor.
    fn free_leg(&mut self, p: &Posture, side: Side) {
        let (s, at) = (side.sign(), |c| p.sided(side, c));
        let limb = leg(side);
        let swing = x(-at(Sided::LegSwing)) * z(s * at(Sided::LegOut)) * y(s * at(Sided::LegTwist));
        self.set_local(limb.upper, swing);
        // Never quite straight, so that the hinge is always known.
        self.set_local(limb.lower, x(at(Sided::KneeFlex).max(2.0)));
        self.set_local(limb.end, x(-at(Sided::AnkleFlex)));
        self.set_local(limb.tip, x(-at(Sided::ToesFlex)));
    }

    /// Where a planted foot's ankle is and how the foot is turned.
    fn foot_target(&self, p: &Posture, side: Side) -> (Vec3, Quat) {
        let (s, at) = (side.sign(), |c| p.sided(side, c));
        let facing = y(s * at(Sided::FootYaw));
        let (heel, tip) = (at(Sided::FootHeel), at(Sided::FootTip));
        let rolled = roll_about(BALL, heel) + roll_about(HEEL, -tip);
        let flat = Vec3::new(s * at(Sided::FootOut), at(Sided::FootY), at(Sided::FootZ));
        // Feet are placed by their balls, and turn on them.
        let ball = Vec3::new(0.0, 0.0, BALL.z);
        let turned = ball - facing * ball;
        let ankle = self.rig.rest_position(leg(side).end) + flat + turned + facing * rolled;
        (ankle, facing * x(at(Sided::FootPitch) + heel - tip) * z(s * at(Sided::FootRoll)))
    }

    fn lower_hips_until_feet_reach(&mut self, p: &Posture) {
        let mut drop = 0.0_f32;
        for side in Side::BOTH {
            let limb = leg(side);
            let length = self.rig.rest_position(limb.upper).y - ANKLE_M;
            let (ankle, turned) = self.foot_target(p, side);
            let plant = p.sided(side, Sided::FootPlant) * bears(ankle, turned);
            let (hip, _) = self.world(limb.upper);
            let reach = 0.998 * length;
            let aside = Vec3::new(ankle.x - hip.x, 0.0, ankle.z - hip.z).length();
            let highest = ankle.y + (reach * reach - aside * aside).max(0.0).sqrt();
            drop = drop.max(plant * (hip.y - highest));
        }
        self.is_short = drop > MOST_DROP_M;
        self.move_hips(Vec3::NEG_Y * drop.min(MOST_DROP_M));
    }

    fn plant_foot(&mut self, p: &Posture, side: Side) {
        let plant = p.sided(side, Sided::FootPlant);
        if plant <= 0.0 {
            return;
        }
        let limb = leg(side);
        let (target, turned) = self.foot_target(p, side);
        let (free, free_turned) = self.world(limb.end);
        let target = free.lerp(target, plant);
        let turned = free_turned.slerp(turned, plant);
        // The knee points where hips and foot point between them, upwards where the thigh is level.
        let (_, hips) = self.world(Role::Hips);
        let s = side.sign();
        let planted_pole = (hips * Vec3::new(0.0, 0.4, 1.0)
            + y(s * p.sided(side, Sided::FootYaw)) * Vec3::Z)
            .normalize_or(Vec3::Z);
        let (_, thigh) = self.world(limb.upper);
        let pole = (thigh * Vec3::Z).lerp(planted_pole, plant);
        let (hip, _) = self.world(limb.upper);
        let along = (target - hip).normalize_or(Vec3::NEG_Y);
        let outwards = -s * p.sided(side, Sided::KneeOut) * plant;
        let pole = Quat::from_axis_angle(along, outwards.to_radians()) * pole;
        let firm = SOFT_FROM + (1.0 - SOFT_FROM) * bears(target, turned);
        let ball = target + turned * BALL;
        let (mut turned, mut rolled) = (turned, 0.0);
        // A foot left far behind comes up on its toes.
        let length = self.rig.rest_position(limb.upper).y - ANKLE_M;
        let beyond = ((target - hip).length() - length).max(0.0);
        let behind = (hip - target).dot(turned * Vec3::Z) > 0.0;
        if self.is_short && beyond > 0.0 && behind && plant > 0.5 {
            rolled = (beyond / 0.15).min(1.0) * MOST_HEEL;
            turned = Quat::from_axis_angle(turned * Vec3::X, rolled.to_radians()) * turned;
        }
        let target = if rolled > 0.0 { ball - turned * BALL } else { target };
        self.bring(&limb, target, pole, firm);
        // Where the ankle closes no further the heel comes off the floor; that opens it again, so in rounds.
        for _ in 0..3 {
            let (_, shin) = self.world(limb.lower);
            let forward = shin.conjugate() * (turned * Vec3::Z);
            let excess = ops::atan2(forward.y, forward.z).to_degrees() - ANKLE_CLOSES_TO;
            if excess <= 0.0 {
                break;
            }
            rolled += 0.7 * excess;
            turned = Quat::from_axis_angle(turned * Vec3::X, (0.7 * excess).to_radians()) * turned;
            self.bring(&limb, ball - turned * BALL, pole, firm);
        }
        self.set_world(limb.end, turned);
        self.keep_ankle_within_limits(&limb, ball, pole, firm);
        let toes = p.sided(side, Sided::ToesFlex) + p.sided(side, Sided::FootHeel) + rolled;
        self.set_local(limb.tip, x(-toes));
    }

    /// Turns a foot back to what its ankle allows, about its ball.
    fn keep_ankle_within_limits(&mut self, limb: &Limb, ball: Vec3, pole: Vec3, firm: f32) {
        for _ in 0..2 {
            let (_, shin) = self.world(limb.lower);
            let (_, turned) = self.world(limb.end);
            let local = shin.conjugate() * turned;
            let [flex, tilt, turn] = swing_angles(local);
            let within = [
                flex.clamp(-ANKLE_LIMITS[0], ANKLE_STRETCHES_TO),
                tilt.clamp(-ANKLE_LIMITS[1], ANKLE_LIMITS[1]),
                turn.clamp(-ANKLE_LIMITS[2], ANKLE_LIMITS[2]),
            ];
            if within == [flex, tilt, turn] {
                return;
            }
            let turned = shin * x(within[0]) * z(within[1]) * y(within[2]);
            self.bring(limb, ball - turned * BALL, pole, firm);
            self.set_world(limb.end, turned);
        }
    }

    /// Bends the leg of a foot that would sink, between standing and free.
    fn keep_above_floor(&mut self, side: Side) {
        for _ in 0..2 {
            let lowest = sole(self, side).iter().map(|p| p.y).fold(f32::MAX, f32::min);
            if lowest >= -PRESSED_M - 1e-4 {
                return;
            }
            self.raise_foot(side, -PRESSED_M - lowest);
        }
    }

    /// Raises a foot by so many metres, turned as it is, by bending its leg.
    pub fn raise_foot(&mut self, side: Side, by: f32) {
        let limb = leg(side);
        let (ankle, turned) = self.world(limb.end);
        let (_, thigh) = self.world(limb.upper);
        self.bring(&limb, ankle + Vec3::Y * by, thigh * Vec3::Z, 1.0);
        self.set_world(limb.end, turned);
    }

    fn hold_grip(&mut self, p: &Posture, side: Side) {
        let hold = p.sided(side, Sided::GripHold);
        if hold <= 0.0 {
            return;
        }
        let (s, at) = (side.sign(), |c| p.sided(side, c));
        let limb = arm(side);
        let (free, _) = self.world(limb.end);
        let fixed = Vec3::new(s * at(Sided::GripOut), at(Sided::GripY), at(Sided::GripZ));
        let (chest, turned) = self.world(Role::UpperChest);
        let carried = chest + turned * (fixed - self.rig.rest_position(Role::UpperChest));
        let target = free.lerp(fixed.lerp(carried, at(Sided::GripFollow)), hold);
        let (shoulder, _) = self.world(limb.upper);
        let (elbow, _) = self.world(limb.lower);
        let along = (target - shoulder).normalize_or(Vec3::NEG_Y);
        let target = shoulder + along * (target - shoulder).length().max(NEAREST_WRIST_M);
        let pole = elbow - shoulder.lerp(free, 0.5);
        let outwards = s * at(Sided::GripElbow) * hold;
        let pole = Quat::from_axis_angle(along, outwards.to_radians()) * pole;
        self.bring(&limb, target, pole, SOFT_FROM);
        let press = hold * at(Sided::GripPress);
        if press > 0.0 {
            let ahead = Quat::from_rotation_y(-s * FRAC_PI_2);
            let flat = y(s * at(Sided::GripYaw)) * x(-at(Sided::GripPitch)) * ahead;
            let (_, free) = self.world(limb.end);
            self.turn_hand(
                &limb,
                free.slerp(rotation::positive_w(flat * free.conjugate()) * free, press),
            );
        }
    }

    /// Turns a hand in the world; what is twist along the forearm the forearm does, as far as it can.
    fn turn_hand(&mut self, limb: &Limb, wanted: Quat) {
        let (_, forearm) = self.world(limb.lower);
        let local = rotation::positive_w(forearm.conjugate() * wanted);
        let twist = 2.0 * ops::atan2(local.x, local.w);
        let twist = twist.clamp(-FRAC_PI_2, FRAC_PI_2);
        let forearm = forearm * Quat::from_rotation_x(twist);
        self.set_world(limb.lower, forearm);
        // What the wrist cannot bend stays undone.
        let local = rotation::positive_w(forearm.conjugate() * wanted);
        let bend = rotation::angle(local).to_degrees();
        let share = (WRIST_LIMIT / bend.max(WRIST_LIMIT)).min(1.0);
        self.set_local(limb.end, Quat::IDENTITY.slerp(local, share));
    }

    /// Bends a limb so that its end comes to `target`, the middle joint towards `pole`.
    fn bring(&mut self, limb: &Limb, target: Vec3, pole: Vec3, soft_from: f32) {
        let ((start, upper), (mid, lower)) = (self.world(limb.upper), self.world(limb.lower));
        let (end, _) = self.world(limb.end);
        let solution = TwoBone { start, mid, end, target, pole, soft_from }.solve();
        self.set_world(limb.upper, solution.turn_start * upper);
        self.set_world(limb.lower, solution.turn_mid * lower);
    }
}

/// Heel and ball of a foot, where they bear on the floor.
pub(super) fn sole(figure: &Figure, side: Side) -> [Vec3; 2] {
    let (ankle, turned) = figure.world(leg(side).end);
    SOLE.map(|point| ankle + turned * point)
}
