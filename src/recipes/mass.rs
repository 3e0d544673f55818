//! Where the body's mass and its outside are: centre of mass, lowest point.

use glam::Vec3;

use super::channel::Side;
use super::figure::{Figure, sole};
use crate::model::Role;

/// Segments: from, to, where between them the segment's centre lies, share of the body's mass in percent.
///
/// Based on: de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, 1996 (men), rounded.
const SEGMENTS: &[(Role, Role, f32, f32)] = &[
    (Role::Hips, Role::Spine, 0.3, 11.0),
    (Role::Spine, Role::UpperChest, 0.5, 16.5),
    (Role::UpperChest, Role::Neck, 0.4, 16.0),
    // Past the head's joint: the skull's centre.
    (Role::Neck, Role::Head, 1.8, 7.0),
    (Role::LeftUpperArm, Role::LeftLowerArm, 0.55, 2.7),
    (Role::LeftLowerArm, Role::LeftHand, 0.45, 1.6),
    (Role::LeftHand, Role::LeftMiddleProximal, 0.8, 0.6),
    (Role::RightUpperArm, Role::RightLowerArm, 0.55, 2.7),
    (Role::RightLowerArm, Role::RightHand, 0.45, 1.6),
    (Role::RightHand, Role::RightMiddleProximal, 0.8, 0.6),
    (Role::LeftUpperLeg, Role::LeftLowerLeg, 0.41, 14.2),
    (Role::LeftLowerLeg, Role::LeftFoot, 0.44, 4.3),
    (Role::LeftFoot, Role::LeftToes, 0.5, 1.4),
    (Role::RightUpperLeg, Role::RightLowerLeg, 0.41, 14.2),
    (Role::RightLowerLeg, Role::RightFoot, 0.44, 4.3),
    (Role::RightFoot, Role::RightToes, 0.5, 1.4),
];

/// Balls that stand for the body's outside: joint, centre in the joint's axes, radius, in metres.
const OUTSIDE: &[(Role, Vec3, f32)] = &[
    (Role::Head, Vec3::new(0.0, 0.10, 0.02), 0.105),
    (Role::Hips, Vec3::new(0.0, -0.03, -0.02), 0.115),
    (Role::Chest, Vec3::new(0.0, 0.0, 0.0), 0.11),
    (Role::UpperChest, Vec3::new(0.0, 0.05, 0.0), 0.12),
    (Role::LeftUpperArm, Vec3::ZERO, 0.055),
    (Role::RightUpperArm, Vec3::ZERO, 0.055),
    (Role::LeftLowerArm, Vec3::ZERO, 0.04),
    (Role::RightLowerArm, Vec3::ZERO, 0.04),
    (Role::LeftMiddleProximal, Vec3::ZERO, 0.02),
    (Role::RightMiddleProximal, Vec3::ZERO, 0.02),
    (Role::LeftLowerLeg, Vec3::ZERO, 0.055),
    (Role::RightLowerLeg, Vec3::ZERO, 0.055),
];

/// Centre of mass, in metres.
pub(super) fn centre_of_mass(figure: &Figure) -> Vec3 {
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for &(from, to, share, percent) in SEGMENTS {
        let ((a, _), (b, _)) = (figure.world(from), figure.world(to));
        sum += (a + (b - a) * share) * percent;
        total += percent;
    }
    sum / total
}

/// Height of the lowest point of the body, in metres. `planted` is how much the left and the right foot are held to the
/// floor: legs that stand on it by themselves count the less.
pub(super) fn lowest_point(figure: &Figure, planted: [f32; 2]) -> f32 {
    let left = |role| matches!(role, Role::LeftLowerLeg);
    let right = |role| matches!(role, Role::RightLowerLeg);
    let balls = OUTSIDE.iter().map(|&(role, centre, radius)| {
        let (position, rotation) = figure.world(role);
        let held = match () {
            () if left(role) => planted[0],
            () if right(role) => planted[1],
            () => 0.0,
        };
        (position + rotation * centre).y - radius + held
    });
    let soles = Side::BOTH
        .into_iter()
        .zip(planted)
        .flat_map(|(side, planted)| sole(figure, side).map(|point| point.y + planted));
    balls.chain(soles).fold(f32::MAX, f32::min)
}
