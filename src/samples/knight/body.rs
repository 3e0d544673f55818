//! What is under the armour: a quilted suit, gloves, a head with pointed ears.

use glam::Vec3;

use super::{LEFT_EAR, RIGHT_EAR};
use crate::math::closest::distance_to_segment;
use crate::math::ops;
use crate::samples::anatomy::add_hand;
use crate::samples::color::srgb;
use crate::samples::figure::{Figure, Finger, JointKey, Side};
use crate::samples::shape::{Field, Shape};

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// The suit's field.
pub(super) fn suit(figure: &Figure) -> Field {
    let mut field = Field::default();
    let axial = |i| figure.at(JointKey::Axial(i));
    let (hips, chest, neck, head) = (axial(0), axial(3), axial(4), axial(5));
    let mut trunk = vec![
        Shape::ball(hips + v(0.0, -0.01, -0.008), v(0.135, 0.1, 0.105)),
        Shape::ball(hips.lerp(chest, 0.4), v(0.115, 0.13, 0.092)),
        Shape::ball(hips.lerp(chest, 0.85), v(0.15, 0.15, 0.108)),
        Shape::cone(chest, head, 0.065, 0.055),
    ];
    for side in Side::BOTH {
        let arm = figure.at(JointKey::Arm(side, 1));
        trunk.push(Shape::cone(v(arm.x * 0.35, neck.y - 0.05, -0.012), arm, 0.062, 0.06));
    }
    field.add(0, 0.06, 0.06, trunk);
    let skull = head + v(0.0, 0.125, 0.012);
    field.add(0, 0.03, 0.03, vec![Shape::ball(skull, v(0.082, 0.115, 0.1))]);
    for (side, label) in Side::BOTH.into_iter().zip([LEFT_EAR, RIGHT_EAR]) {
        limbs(&mut field, figure, side);
        let x = side.sign();
        let root = skull + v(0.075 * x, -0.005, -0.01);
        let tip = root + v(0.155 * x, 0.075, -0.06);
        let face = v(0.35 * x, -0.1, 1.0).normalize();
        let ear = Shape::flat_cone([root, tip], [0.036, 0.006], face, 0.4);
        field.add(label, 0.01, 0.012, vec![ear]);
        let hollow = [root.lerp(tip, 0.2) + face * 0.016, root.lerp(tip, 0.75) + face * 0.008];
        field.carve(0.008, vec![Shape::flat_cone(hollow, [0.022, 0.004], face, 0.5)]);
    }
    field
}

fn limbs(field: &mut Field, figure: &Figure, side: Side) {
    let arm = |i| figure.at(JointKey::Arm(side, i));
    let (upper, elbow, wrist) = (arm(1), arm(2), arm(3));
    field.add(
        0,
        0.03,
        0.05,
        vec![Shape::cone(upper, elbow, 0.055, 0.043), Shape::cone(elbow, wrist, 0.044, 0.03)],
    );
    add_hand(field, figure, side, 0.0125);
    let leg = |i| figure.at(JointKey::Leg(side, i));
    let (thigh, knee, ankle, ball) = (leg(0), leg(1), leg(2), leg(3));
    let sole = |p: Vec3| v(p.x, 0.036, p.z);
    field.add(
        0,
        0.04,
        0.055,
        vec![
            Shape::cone(thigh, knee, 0.086, 0.06),
            Shape::cone(knee, ankle, 0.058, 0.04),
            Shape::cone(ankle, sole(ankle - Vec3::Z * 0.03), 0.04, 0.036),
            Shape::cone(ankle, sole(ball), 0.042, 0.036),
            Shape::cone(sole(ball), sole(ball) + Vec3::Z * 0.05, 0.036, 0.03),
        ],
    );
}

/// Skin on the head, leather on the hands, quilted cloth between.
pub(super) fn paint(figure: &Figure) -> impl Fn(Vec3, Vec3, u16) -> Vec3 + use<> {
    let head = figure.at(JointKey::Axial(5)).y;
    let wrist = figure.at(JointKey::Arm(Side::Left, 3)).x;
    let (cloth, thread) = (srgb(0x2e3a55), srgb(0x222b40));
    let (leather, skin) = (srgb(0x5b3a24), srgb(0xe6b48c));
    move |p, _, label| {
        if label != 0 || p.y > head + 0.01 {
            return skin;
        }
        if p.x.abs() > wrist - 0.03 {
            return leather;
        }
        let quilt = ops::sin(p.y * 90.0 + p.x * 60.0) * ops::sin(p.y * 90.0 - p.x * 60.0);
        cloth.lerp(thread, if quilt > 0.6 { 1.0 } else { 0.0 })
    }
}

/// How long edges should be.
pub(super) fn edge_length(figure: &Figure) -> impl Fn(Vec3) -> f32 + Sync + use<> {
    let hands = Side::BOTH.map(|s| {
        (figure.at(JointKey::Arm(s, 3)), figure.at(JointKey::Finger(s, Finger::Middle, 3)))
    });
    let head = figure.at(JointKey::Axial(5)).y;
    move |p| {
        let to_hand =
            hands.iter().map(|(a, b)| distance_to_segment(p, *a, *b)).fold(f32::MAX, f32::min);
        let hand = 0.0085 + 0.029 * ((to_hand - 0.05) / 0.2).clamp(0.0, 1.0);
        let ear = if p.y > head + 0.05 && p.x.abs() > 0.06 { 0.011 } else { 0.038 };
        hand.min(ear)
    }
}
