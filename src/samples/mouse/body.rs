//! The mouse's body and fur, in metres, before it is brought to its exact height.

use glam::Vec3;

use crate::math::closest::distance_to_segment;
use crate::samples::anatomy::{add_hand, add_paw};
use crate::samples::color::{smoothstep, srgb};
use crate::samples::figure::{Figure, Finger, JointKey, Side};
use crate::samples::shape::{Field, Shape};

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Everything but face and tail.
pub(super) fn mouse_body(figure: &Figure) -> Field {
    let mut field = Field::default();
    let mut trunk = vec![
        Shape::ball(v(0.0, 0.525, 0.01), v(0.142, 0.13, 0.135)),
        Shape::ball(v(0.0, 0.65, 0.005), v(0.118, 0.13, 0.105)),
        Shape::ball(v(0.0, 0.745, -0.008), v(0.102, 0.08, 0.085)),
        Shape::cone(v(0.0, 0.79, -0.01), v(0.0, 0.87, 0.0), 0.055, 0.055),
    ];
    for x in [1.0, -1.0] {
        trunk.push(Shape::cone(v(0.03 * x, 0.768, -0.01), v(0.105 * x, 0.765, -0.01), 0.05, 0.046));
    }
    field.add(0, 0.07, 0.07, trunk);
    for side in Side::BOTH {
        limbs(&mut field, figure, side);
    }
    head(&mut field);
    field
}

fn limbs(field: &mut Field, figure: &Figure, side: Side) {
    let leg = |i| figure.at(JointKey::Leg(side, i));
    let (thigh, knee, ankle) = (leg(0), leg(1), leg(2));
    field.add(
        0,
        0.05,
        0.05,
        vec![Shape::cone(thigh, knee, 0.078, 0.05), Shape::cone(knee, ankle, 0.048, 0.034)],
    );
    add_paw(field, figure, side, 0.074);
    let arm = |i| figure.at(JointKey::Arm(side, i));
    let (upper, elbow, wrist) = (arm(1), arm(2), arm(3));
    field.add(
        0,
        0.05,
        0.045,
        vec![Shape::cone(upper, elbow, 0.043, 0.034), Shape::cone(elbow, wrist, 0.035, 0.027)],
    );
    add_hand(field, figure, side, 0.0135);
}

fn head(field: &mut Field) {
    let mut skull = vec![
        Shape::ball(v(0.0, 1.05, 0.0), v(0.165, 0.155, 0.155)),
        Shape::ball(v(0.0, 0.975, 0.055), v(0.14, 0.085, 0.115)),
    ];
    for x in [1.0, -1.0] {
        skull.push(Shape::ball(v(0.095 * x, 0.96, 0.065), v(0.072, 0.062, 0.07)));
    }
    field.add(0, 0.05, 0.06, skull);
    field.add(
        0,
        0.02,
        0.05,
        vec![
            Shape::cone(v(0.0, 0.985, 0.11), v(0.0, 0.972, 0.222), 0.068, 0.026),
            Shape::ball(v(0.026, 0.945, 0.185), v(0.036, 0.03, 0.034)),
            Shape::ball(v(-0.026, 0.945, 0.185), v(0.036, 0.03, 0.034)),
        ],
    );
    field.add(
        0,
        0.01,
        0.014,
        vec![Shape::cone(v(0.0, 0.92, 0.09), v(0.0, 0.91, 0.17), 0.05, 0.022)],
    );
    for x in [1.0, -1.0] {
        let face = v(0.28 * x, 0.0, 1.0).normalize();
        let hub = v(0.165 * x, 1.235, -0.035);
        let root = v(0.10 * x, 1.14, -0.02);
        let disc = |c: Vec3, r: f32, thick: f32| {
            let turn = crate::math::rotation::swing(Vec3::Z, face);
            Shape::turned(c, v(r, r * 1.06, thick), turn)
        };
        let ear = vec![disc(hub, 0.125, 0.027), Shape::cone(root, hub, 0.035, 0.02)];
        field.add(0, 0.02, 0.025, ear);
        field.carve(0.01, vec![disc(hub + face * 0.03, 0.1, 0.022)]);
        let socket = Shape::ball(v(0.068 * x, 1.05, 0.157), v(0.04, 0.05, 0.028));
        field.carve(0.02, vec![socket]);
    }
    // A tuft of hair.
    let locks =
        [([0.0, 1.19, 0.04], [0.018, 1.27, 0.075]), ([0.0, 1.195, 0.02], [-0.022, 1.265, 0.05])];
    field.add(
        0,
        0.012,
        0.03,
        locks.map(|(a, b)| Shape::cone(a.into(), b.into(), 0.03, 0.004)).to_vec(),
    );
}

/// Colour of the fur at `p` with normal `n`.
pub(super) fn fur(p: Vec3, n: Vec3) -> Vec3 {
    let grey = srgb(0x9a8d84);
    let deep = srgb(0x776a63);
    let cream = srgb(0xf6ecdf);
    let pink = srgb(0xf2a9a1);
    let x = p.x.abs();
    let color = grey.lerp(deep, smoothstep(0.2, 0.95, -n.z) * 0.7);
    let belly = smoothstep(0.098, 0.075, x)
        * smoothstep(0.2, 0.5, n.z)
        * smoothstep(0.40, 0.44, p.y)
        * smoothstep(0.87, 0.83, p.y);
    let line = if x < 0.075 { 0.958 } else { 0.958 + 0.25 * (x - 0.075) };
    let muzzle = smoothstep(line + 0.012, line - 0.012, p.y)
        * smoothstep(0.87, 0.885, p.y)
        * smoothstep(0.0, 0.06, p.z)
        * smoothstep(0.17, 0.12, x);
    let color = color.lerp(cream, belly.max(muzzle));
    let hub = Vec3::new(0.165, 1.235, -0.035);
    let inner = smoothstep(0.103, 0.088, (Vec3::new(x, p.y, p.z) - hub).length())
        * smoothstep(0.2, 0.6, n.z);
    let hand = if p.y > 0.4 { smoothstep(0.385, 0.41, x) } else { 0.0 };
    let foot = smoothstep(0.125, 0.095, p.y);
    color.lerp(pink, hand.max(foot).max(inner))
}

/// How long edges should be: fine on face, fingers and toes.
pub(super) fn edge_length(figure: &Figure) -> impl Fn(Vec3) -> f32 + Sync + use<> {
    let hands = Side::BOTH.map(|s| {
        (figure.at(JointKey::Arm(s, 3)), figure.at(JointKey::Finger(s, Finger::Middle, 3)))
    });
    let grow = |near: f32, d: f32, from: f32, to: f32| {
        near + (0.026 - near) * ((d - from) / (to - from)).clamp(0.0, 1.0)
    };
    move |p| {
        let face = grow(0.0125, p.distance(v(0.0, 1.0, 0.08)), 0.2, 0.5);
        let ears = if p.y > 1.13 { 0.0125 } else { 0.026 };
        let to_hand =
            hands.iter().map(|(a, b)| distance_to_segment(p, *a, *b)).fold(f32::MAX, f32::min);
        let hand = grow(0.0075, to_hand, 0.05, 0.2);
        face.min(ears).min(hand).min(grow(0.014, p.y, 0.08, 0.2))
    }
}
