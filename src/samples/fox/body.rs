//! The fox's body, in metres, before it is brought to its exact height.

use glam::{Quat, Vec3};

use crate::math::closest::distance_to_segment;
use crate::samples::anatomy::{add_hand, add_paw};
use crate::samples::figure::{Figure, Finger, JointKey, Side};
use crate::samples::shape::{Field, Shape};

/// Everything but eyes, nose and tail.
pub(super) fn fox_body(figure: &Figure) -> Field {
    let mut field = Field::default();
    trunk(&mut field);
    for side in Side::BOTH {
        leg(&mut field, figure, side);
        arm(&mut field, figure, side);
    }
    let first = field.groups.len();
    head(&mut field);
    for group in field.groups.iter_mut().skip(first) {
        group.blend *= HEAD_SCALE;
        group.join *= HEAD_SCALE;
        for shape in &mut group.shapes {
            *shape = shape.scaled_about(HEAD_ROOT, HEAD_SCALE);
        }
    }
    field
}

/// The head is drawn at its natural size and grown about this point: appeal is in the head.
pub(super) const HEAD_ROOT: Vec3 = Vec3::new(0.0, 1.45, 0.0);

/// By how much it is grown.
pub(super) const HEAD_SCALE: f32 = 1.17;

/// Where a point of the grown head is in the drawing.
pub(super) fn drawn_head(p: Vec3) -> Vec3 {
    HEAD_ROOT + (p - HEAD_ROOT) / HEAD_SCALE
}

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

fn trunk(field: &mut Field) {
    let mut shapes = vec![
        Shape::ball(v(0.0, 0.925, -0.012), v(0.112, 0.09, 0.096)),
        Shape::ball(v(0.0, 1.04, 0.002), v(0.103, 0.15, 0.088)),
        Shape::ball(v(0.0, 1.195, 0.0), v(0.125, 0.145, 0.1)),
        Shape::cone(v(0.0, 1.3, -0.015), v(0.0, 1.46, 0.0), 0.062, 0.058),
    ];
    for x in [1.0, -1.0] {
        shapes.push(Shape::ball(v(0.06 * x, 0.895, -0.04), v(0.07, 0.08, 0.076)));
        shapes.push(Shape::cone(
            v(0.05 * x, 1.30, -0.02),
            v(0.155 * x, 1.295, -0.014),
            0.055,
            0.055,
        ));
        shapes.push(Shape::ball(v(0.058 * x, 1.245, 0.055), v(0.066, 0.055, 0.045)));
    }
    field.add(0, 0.07, 0.07, shapes);
    // The chest's ruff: tufts that point down and forward.
    let mut ruff = vec![Shape::ball(v(0.0, 1.345, 0.045), v(0.088, 0.07, 0.055))];
    for (x, y, z, r) in [
        (0.0, 1.215, 0.128, 0.036),
        (0.045, 1.25, 0.125, 0.03),
        (-0.045, 1.25, 0.125, 0.03),
        (0.085, 1.295, 0.1, 0.028),
        (-0.085, 1.295, 0.1, 0.028),
    ] {
        ruff.push(Shape::cone(v(x * 0.6, 1.345, 0.06), v(x, y, z), r, 0.004));
    }
    field.add(0, 0.016, 0.03, ruff);
}

fn leg(field: &mut Field, figure: &Figure, side: Side) {
    let at = |i| figure.at(JointKey::Leg(side, i));
    let (thigh, knee, ankle) = (at(0), at(1), at(2));
    let x = side.sign();
    field.add(
        0,
        0.04,
        0.055,
        vec![
            Shape::cone(thigh + v(0.004 * x, -0.01, 0.002), knee, 0.083, 0.053),
            Shape::ball(knee + v(0.0, 0.0, 0.01), v(0.052, 0.06, 0.052)),
            Shape::cone(knee, ankle, 0.054, 0.036),
            Shape::ball(knee.lerp(ankle, 0.3) - Vec3::Z * 0.022, v(0.047, 0.11, 0.048)),
        ],
    );
    // A tuft behind the ankle.
    let tuft = ankle + v(0.0, 0.06, -0.03);
    field.add(0, 0.01, 0.03, vec![Shape::cone(tuft, tuft + v(0.0, -0.035, -0.045), 0.03, 0.004)]);
    add_paw(field, figure, side, 0.076);
}

fn arm(field: &mut Field, figure: &Figure, side: Side) {
    let at = |i| figure.at(JointKey::Arm(side, i));
    let (upper, elbow, wrist) = (at(1), at(2), at(3));
    field.add(
        0,
        0.05,
        0.045,
        vec![
            Shape::ball(upper, v(0.057, 0.055, 0.055)),
            Shape::cone(upper, elbow, 0.05, 0.039),
            Shape::ball(upper.lerp(elbow, 0.5) + Vec3::Z * 0.01, v(0.05, 0.05, 0.045)),
            Shape::cone(elbow, elbow.lerp(wrist, 0.35), 0.04, 0.042),
            Shape::cone(elbow.lerp(wrist, 0.35), wrist, 0.042, 0.028),
        ],
    );
    let out = (wrist - elbow).normalize_or(Vec3::X);
    let tuft = elbow - Vec3::Z * 0.022;
    field.add(
        0,
        0.01,
        0.025,
        vec![Shape::cone(tuft, tuft - out * 0.045 - Vec3::Z * 0.035, 0.028, 0.004)],
    );
    add_hand(field, figure, side, 0.0135);
}

fn head(field: &mut Field) {
    let mut skull = vec![
        Shape::ball(v(0.0, 1.588, 0.0), v(0.128, 0.122, 0.128)),
        Shape::ball(v(0.0, 1.545, 0.05), v(0.1, 0.075, 0.095)),
    ];
    for x in [1.0, -1.0] {
        skull.push(Shape::ball(v(0.055 * x, 1.625, 0.085), v(0.05, 0.032, 0.04)));
        skull.push(Shape::ball(v(0.062 * x, 1.525, 0.085), v(0.05, 0.045, 0.05)));
    }
    field.add(0, 0.045, 0.05, skull);
    // Muzzle: bridge, upper lip, jaw.
    field.add(
        0,
        0.018,
        0.045,
        vec![
            Shape::cone(v(0.0, 1.56, 0.09), v(0.0, 1.535, 0.225), 0.05, 0.026),
            Shape::cone(v(0.02, 1.515, 0.10), v(0.012, 1.507, 0.212), 0.045, 0.024),
            Shape::cone(v(-0.02, 1.515, 0.10), v(-0.012, 1.507, 0.212), 0.045, 0.024),
        ],
    );
    field.add(
        0,
        0.01,
        0.012,
        vec![Shape::cone(v(0.0, 1.492, 0.06), v(0.0, 1.477, 0.185), 0.05, 0.02)],
    );
    for x in [1.0, -1.0] {
        // Cheeks end in tufts.
        let cheek = [
            ([0.07, 1.515, 0.02], [0.185, 1.475, -0.01], 0.06),
            ([0.07, 1.50, 0.015], [0.155, 1.435, 0.0], 0.052),
            ([0.075, 1.545, 0.0], [0.178, 1.53, -0.03], 0.05),
        ];
        let tufts = cheek
            .map(|(a, b, r)| {
                Shape::cone(v(a[0] * x, a[1], a[2]), v(b[0] * x, b[1], b[2]), r, 0.004)
            })
            .to_vec();
        field.add(0, 0.014, 0.04, tufts);
        ear(field, x);
        // Sockets.
        let socket = Shape::turned(
            v(0.062 * x, 1.585, 0.133),
            v(0.034, 0.04, 0.026),
            Quat::from_rotation_y(0.33 * x),
        );
        field.carve(0.016, vec![socket]);
    }
    // A forelock.
    let lock = [
        ([0.0, 1.69, 0.05], [0.012, 1.765, 0.075], 0.036),
        ([0.0, 1.695, 0.02], [-0.02, 1.775, 0.03], 0.034),
        ([0.0, 1.69, 0.04], [-0.045, 1.735, 0.095], 0.03),
    ];
    let locks = lock.map(|(a, b, r)| Shape::cone(a.into(), b.into(), r, 0.003)).to_vec();
    field.add(0, 0.012, 0.03, locks);
}

fn ear(field: &mut Field, x: f32) {
    let root = v(0.078 * x, 1.662, -0.012);
    let tip = v(0.152 * x, 1.9, -0.02);
    let face = v(0.3 * x, 0.0, 1.0).normalize();
    field.add(0, 0.02, 0.03, vec![Shape::flat_cone([root, tip], [0.076, 0.007], face, 0.5)]);
    let inner = root.lerp(tip, 0.12) + face * 0.034;
    let end = root.lerp(tip, 0.86) + face * 0.012;
    field.carve(0.012, vec![Shape::flat_cone([inner, end], [0.053, 0.003], face, 0.55)]);
}

/// How long edges should be: fine on face, fingers and toes.
pub(super) fn edge_length(figure: &Figure) -> impl Fn(Vec3) -> f32 + use<> {
    let hands = Side::BOTH.map(|s| {
        (figure.at(JointKey::Arm(s, 3)), figure.at(JointKey::Finger(s, Finger::Middle, 3)))
    });
    let smooth = |near: f32, far: f32, d: f32, from: f32, to: f32| {
        near + (far - near) * ((d - from) / (to - from)).clamp(0.0, 1.0)
    };
    move |p| {
        let body = 0.0236;
        let face = smooth(0.0103, body, p.distance(v(0.0, 1.6, 0.07)), 0.19, 0.5);
        let ears = if p.y > 1.72 { 0.0122 } else { body };
        let hand =
            hands.iter().map(|(a, b)| distance_to_segment(p, *a, *b)).fold(f32::MAX, f32::min);
        let hand = smooth(0.0066, body, hand, 0.045, 0.22);
        let foot = smooth(0.0125, body, p.y, 0.09, 0.2);
        body.min(face).min(hand).min(foot).min(ears)
    }
}
