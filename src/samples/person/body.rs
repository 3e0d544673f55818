//! Body, shirt and cap of hair as fields.

use glam::Vec3;

use super::{skin_color, skull};
use crate::math::closest::distance_to_segment;
use crate::samples::anatomy::add_hand;
use crate::samples::color::srgb;
use crate::samples::figure::{Figure, Finger, JointKey, Side};
use crate::samples::shape::{Field, Shape};

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Balls and cones of the trunk, `more` metres thicker than the skin.
fn trunk(figure: &Figure, more: f32) -> Vec<Shape> {
    let axial = |i| figure.at(JointKey::Axial(i));
    let (hips, chest, neck) = (axial(0), axial(3), axial(4));
    let thick = |r: Vec3| r + Vec3::splat(more);
    let mut shapes = vec![
        Shape::ball(hips + v(0.0, -0.01, -0.006), thick(v(0.122, 0.092, 0.094))),
        Shape::ball(hips.lerp(chest, 0.42), thick(v(0.096, 0.12, 0.076))),
        Shape::ball(hips.lerp(chest, 0.88), thick(v(0.118, 0.13, 0.088))),
        Shape::ball(chest + v(0.0, -0.055, 0.03), thick(v(0.1, 0.06, 0.07))),
    ];
    for side in Side::BOTH {
        let arm = figure.at(JointKey::Arm(side, 1));
        let inner = v(arm.x * 0.35, neck.y - 0.045, -0.01);
        shapes.push(Shape::cone(inner, arm, 0.047 + more, 0.042 + more));
    }
    shapes
}

/// Everything that is skin or trousers.
pub(super) fn skin(figure: &Figure) -> Field {
    let mut field = Field::default();
    let axial = |i| figure.at(JointKey::Axial(i));
    let (chest, head) = (axial(3), axial(5));
    let mut shapes = trunk(figure, 0.0);
    shapes.push(Shape::cone(chest, head + v(0.0, 0.02, 0.0), 0.05, 0.043));
    field.add(0, 0.05, 0.05, shapes);
    let (center, radii) = skull(figure);
    field.add(
        0,
        0.03,
        0.03,
        vec![
            Shape::ball(center, radii),
            Shape::ball(center + v(0.0, -0.062, 0.026), v(0.054, 0.05, 0.06)),
        ],
    );
    // A small nose, and ears.
    let nose = center + v(0.0, -0.035, 0.098);
    field.add(0, 0.01, 0.018, vec![Shape::cone(nose + v(0.0, 0.02, -0.012), nose, 0.008, 0.009)]);
    for x in [1.0, -1.0] {
        let ear = Shape::ball(center + v(0.082 * x, -0.02, -0.008), v(0.012, 0.03, 0.019));
        field.add(0, 0.01, 0.01, vec![ear]);
    }
    for side in Side::BOTH {
        limbs(&mut field, figure, side);
    }
    field
}

fn limbs(field: &mut Field, figure: &Figure, side: Side) {
    let arm = |i| figure.at(JointKey::Arm(side, i));
    let (upper, elbow, wrist) = (arm(1), arm(2), arm(3));
    let arms =
        vec![Shape::cone(upper, elbow, 0.041, 0.034), Shape::cone(elbow, wrist, 0.035, 0.025)];
    field.add(0, 0.03, 0.04, arms);
    add_hand(field, figure, side, 0.0105);
    let leg = |i| figure.at(JointKey::Leg(side, i));
    let (thigh, knee, ankle, ball) = (leg(0), leg(1), leg(2), leg(3));
    let sole = |p: Vec3| v(p.x, 0.034, p.z);
    field.add(
        0,
        0.04,
        0.05,
        vec![
            Shape::cone(thigh, knee, 0.078, 0.052),
            Shape::cone(knee, ankle, 0.052, 0.036),
            Shape::cone(ankle, sole(ankle - Vec3::Z * 0.025), 0.037, 0.034),
            Shape::cone(ankle, sole(ball), 0.038, 0.034),
            Shape::cone(sole(ball), sole(ball) + Vec3::Z * 0.045, 0.034, 0.028),
        ],
    );
}

/// The shirt: a shell round the trunk and the top of the thighs, with sleeves to the elbows and a level hem.
pub(super) fn shirt(figure: &Figure) -> Field {
    let mut field = Field::default();
    let mut shapes = trunk(figure, 0.012);
    for side in Side::BOTH {
        let leg = |i| figure.at(JointKey::Leg(side, i));
        shapes.push(Shape::cone(leg(0), leg(0).lerp(leg(1), 0.3), 0.094, 0.092));
    }
    field.add(0, 0.05, 0.05, shapes);
    // So wide that its top is as good as flat.
    let (wide, hem) = (v(1.2, 0.4, 1.2), figure.at(JointKey::Axial(0)) - Vec3::Y * 0.055);
    field.carve(0.008, vec![Shape::ball(hem - Vec3::Y * wide.y, wide)]);
    for side in Side::BOTH {
        let arm = |i| figure.at(JointKey::Arm(side, i));
        let end = arm(1).lerp(arm(2), 0.86);
        field.add(0, 0.03, 0.045, vec![Shape::cone(arm(1), end, 0.054, 0.05)]);
    }
    field
}

/// The hair that lies on the head, open at the face.
pub(super) fn cap(figure: &Figure) -> Field {
    let (center, radii) = skull(figure);
    let mut field = Field::default();
    field.add(
        0,
        0.02,
        0.02,
        vec![Shape::ball(center + v(0.0, 0.006, -0.006), radii + Vec3::splat(0.014))],
    );
    let face = v(0.066, 0.105, 0.1);
    field.carve(0.012, vec![Shape::ball(center + v(0.0, -0.045, 0.088), face)]);
    // The nape is free.
    field.carve(0.012, vec![Shape::ball(center + v(0.0, -0.125, 0.0), v(0.12, 0.06, 0.13))]);
    field
}

/// Skin on head and arms, trousers below the shirt, shoes.
pub(super) fn paint(figure: &Figure) -> impl Fn(Vec3, Vec3, u16) -> Vec3 + use<> {
    let waist = figure.at(JointKey::Axial(0)).y + 0.05;
    let (trousers, shoes, lips) = (srgb(0x3f4a63), srgb(0x5a3a2e), srgb(0xe3a08c));
    let (center, _) = skull(figure);
    let mouth = center + v(0.0, -0.078, 0.088);
    move |p, n, _| {
        if p.y < 0.075 {
            return shoes;
        }
        if p.y < waist && p.x.abs() < 0.25 {
            return trousers;
        }
        let near = 1.0 - (p.distance(mouth) / 0.022).clamp(0.0, 1.0);
        skin_color().lerp(lips, near * n.z.max(0.0) * 0.6)
    }
}

/// How long edges of the skin should be at a place.
pub(super) fn edge_length(figure: &Figure, p: Vec3) -> f32 {
    let to_hand = Side::BOTH
        .map(|s| {
            let tip = figure.at(JointKey::Finger(s, Finger::Middle, 3));
            distance_to_segment(p, figure.at(JointKey::Arm(s, 3)), tip)
        })
        .into_iter()
        .fold(f32::MAX, f32::min);
    let hand = 0.009 + 0.03 * ((to_hand - 0.05) / 0.2).clamp(0.0, 1.0);
    let (center, _) = skull(figure);
    let face = 0.014 + 0.025 * ((p.distance(center + Vec3::Z * 0.06) - 0.1) / 0.2).clamp(0.0, 1.0);
    hand.min(face).min(0.036)
}
