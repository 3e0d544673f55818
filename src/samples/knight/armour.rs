//! Plates of steel with rims of brass, each a shell of its own.

use glam::{Quat, Vec3};

use crate::math::ops;
use crate::samples::anatomy::{ball, line_on};
use crate::samples::color::{smoothstep, srgb};
use crate::samples::figure::{Figure, JointKey, Side};
use crate::samples::shape::{Field, LocalField, Piece, Shape, Sheet, contour, remesh, slab};

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Steel, a little darker below.
fn steel(n: Vec3) -> Vec3 {
    srgb(0xb9c2cf).lerp(srgb(0x7f8a9c), 0.5 - 0.5 * n.y)
}

fn brass() -> Vec3 {
    srgb(0xd9a441)
}

fn shell(field: &Field, edge: f32) -> Piece {
    let local = LocalField::new(field, 0.05);
    remesh(&contour(field, edge * 0.6, 0), &local, |_| edge, 3)
}

/// Helm with a visor's slit, glowing eyes and a plume.
pub(super) fn helm(figure: &Figure) -> Piece {
    let c = figure.at(JointKey::Axial(5)) + v(0.0, 0.13, 0.014);
    let mut field = Field::default();
    let bowl = vec![
        Shape::ball(c + v(0.0, 0.012, 0.0), v(0.108, 0.132, 0.125)),
        Shape::cone(c + v(0.0, -0.02, 0.02), c + v(0.0, -0.1, 0.035), 0.094, 0.074),
    ];
    field.add(0, 0.03, 0.03, bowl);
    // A keel from the brow to the chin, and a crest over the top.
    let keel = vec![
        Shape::cone(c + v(0.0, 0.02, 0.118), c + v(0.0, -0.12, 0.118), 0.012, 0.01),
        Shape::cone(c + v(0.0, 0.148, 0.03), c + v(0.0, 0.1, -0.1), 0.014, 0.012),
    ];
    field.add(0, 0.02, 0.03, keel);
    for x in [1.0, -1.0] {
        // Where the ears come through.
        field.carve(0.01, vec![Shape::ball(c + v(0.108 * x, -0.005, -0.01), v(0.03, 0.03, 0.035))]);
    }
    let mut piece = shell(&field, 0.0125).painted(|p, n, _| {
        let q = p - c;
        let rim = smoothstep(-0.125, -0.135, q.y)
            + smoothstep(0.016, 0.009, q.x.abs()) * smoothstep(0.0, 0.03, q.y.max(q.z - 0.09));
        steel(n).lerp(brass(), rim.clamp(0.0, 1.0))
    });
    // Slits and holes are inlaid, not painted: a colour for each vertex would smear their edges.
    let local = LocalField::new(&field, 0.05);
    let dark = Vec3::splat(0.006);
    for x in [1.0, -1.0] {
        let at = |t: f32| c + v((0.016 + 0.074 * t) * x, 0.012 + 0.014 * t, 0.14 - 0.05 * t * t);
        let slit: Vec<Vec3> = (0..=8).map(|i| at(i as f32 / 8.0)).collect();
        piece.append(&line_on(&local, &slit, 0.0062, dark));
        for i in 0..3 {
            let y = -0.055 - 0.02 * i as f32;
            let hole = [0.024, 0.036, 0.048].map(|q| c + v(q * x, y + 0.1 * (q - 0.024), 0.112));
            piece.append(&line_on(&local, &hole, 0.0034, dark));
        }
        let eye = local.project(at(0.42), 0.06) + v(0.0, 0.0, 0.002);
        piece.append(&ball(eye, v(0.012, 0.0066, 0.0075), Quat::IDENTITY, srgb(0x8ef4ff)));
    }
    piece.append(&plume(c));
    piece
}

fn plume(c: Vec3) -> Piece {
    let mut field = Field::default();
    let mut locks = Vec::new();
    for i in 0..7 {
        let t = i as f32 / 6.0;
        let a = 0.5 + 1.35 * t;
        let root = c + v(0.0, 0.012, -0.01) + v(0.0, ops::sin(a) * 0.135, ops::cos(a) * 0.125);
        let out = v(0.0, ops::sin(a - 0.25) + 0.1, ops::cos(a) - 0.55).normalize();
        let end = root + out * (0.085 + 0.05 * t) - Vec3::Y * 0.03 * t;
        locks.push(Shape::cone(root, end, 0.026, 0.006));
    }
    field.add(0, 0.02, 0.02, locks);
    shell(&field, 0.017).painted(|p, _, _| {
        srgb(0x8f1420).lerp(srgb(0xd4303a), 0.5 + 0.5 * ops::sin(p.z * 160.0 + p.y * 60.0))
    })
}

/// Breast and back plate in one.
pub(super) fn cuirass(figure: &Figure) -> Piece {
    let axial = |i| figure.at(JointKey::Axial(i));
    let (hips, chest) = (axial(0), axial(3));
    let mut field = Field::default();
    let waist = hips.lerp(chest, 0.35);
    let mut shapes = vec![
        Shape::ball(waist, v(0.128, 0.12, 0.106)),
        Shape::ball(hips.lerp(chest, 0.86) + v(0.0, 0.0, 0.004), v(0.162, 0.165, 0.124)),
    ];
    for x in [1.0, -1.0] {
        shapes.push(Shape::ball(
            hips.lerp(chest, 0.92) + v(0.065 * x, 0.01, 0.065),
            v(0.085, 0.085, 0.055),
        ));
    }
    field.add(0, 0.07, 0.05, shapes);
    let ridge = [hips.lerp(chest, 0.55) + v(0.0, 0.0, 0.105), chest + v(0.0, 0.04, 0.118)];
    field.add(0, 0.02, 0.04, vec![Shape::cone(ridge[0], ridge[1], 0.012, 0.01)]);
    // Openings for arms and neck.
    for side in Side::BOTH {
        let arm = figure.at(JointKey::Arm(side, 1));
        field.carve(
            0.012,
            vec![Shape::ball(arm + v(0.02 * side.sign(), 0.0, 0.0), v(0.082, 0.085, 0.09))],
        );
    }
    let neck = axial(4);
    field.carve(0.012, vec![Shape::ball(neck + v(0.0, 0.05, 0.02), v(0.085, 0.07, 0.085))]);
    shell(&field, 0.024).painted(|p, n, _| {
        let low = smoothstep(waist.y - 0.075, waist.y - 0.09, p.y);
        let high =
            smoothstep(neck.y - 0.038, neck.y - 0.026, p.y) * smoothstep(0.13, 0.11, p.x.abs());
        let keel = smoothstep(0.012, 0.007, p.x.abs()) * smoothstep(0.11, 0.12, p.z);
        steel(n).lerp(brass(), low.max(high).max(keel))
    })
}

/// A ring of leather with a buckle.
pub(super) fn belt(figure: &Figure) -> Piece {
    let hips = figure.at(JointKey::Axial(0));
    let sheet = Sheet { across: 36, down: 2, is_closed: true, thickness: 0.012 };
    let mut piece = slab(sheet, |u, t| {
        let a = u * std::f32::consts::TAU;
        let bulge = 1.0 + 0.03 * (1.0 - (2.0 * t - 1.0).powi(2));
        hips + v(ops::cos(a) * 0.152 * bulge, 0.075 - 0.05 * t, -ops::sin(a) * 0.128 * bulge)
    })
    .labelled(0)
    .colored(srgb(0x4a2e1b));
    piece.uvs.clear();
    piece.append(&ball(
        hips + v(0.0, 0.05, 0.135),
        v(0.032, 0.026, 0.012),
        Quat::IDENTITY,
        brass(),
    ));
    piece
}

/// Helm, shoulders, arms and legs, each with the joint it is riveted to.
pub(super) fn plates(figure: &Figure) -> Vec<(Piece, JointKey)> {
    let mut plates = vec![(helm(figure), JointKey::Axial(5))];
    for side in Side::BOTH {
        arm(&mut plates, figure, side);
        leg(&mut plates, figure, side);
    }
    plates
}

fn arm(plates: &mut Vec<(Piece, JointKey)>, figure: &Figure, side: Side) {
    let at = |i| figure.at(JointKey::Arm(side, i));
    let (upper, elbow, wrist) = (at(1), at(2), at(3));
    let out = (elbow - upper).normalize_or(Vec3::X);
    let x = side.sign();
    for (i, (along, size)) in [(0.0, 0.098), (0.05, 0.085), (0.095, 0.074)].into_iter().enumerate()
    {
        let c = upper + out * along + v(0.006 * x, 0.022, 0.0);
        let turn = Quat::from_rotation_z(-x * 0.55);
        let mut field = Field::default();
        field.add(0, 0.01, 0.01, vec![Shape::turned(c, v(size, size * 0.62, size * 1.02), turn)]);
        let below = c - turn * Vec3::Y * 0.075;
        field.carve(0.006, vec![Shape::turned(below, v(0.2, 0.06, 0.2), turn)]);
        let edge = c - turn * Vec3::Y * 0.006;
        let plate = shell(&field, 0.02).painted(|p, n, _| {
            let h = (turn.conjugate() * (p - edge)).y;
            steel(n).lerp(brass(), smoothstep(0.002, -0.006, h))
        });
        plates.push((plate, JointKey::Arm(side, u8::from(i < 4))));
    }
    let mut field = Field::default();
    let cuff = elbow.lerp(wrist, 0.28);
    field.add(0, 0.02, 0.02, vec![Shape::cone(cuff, wrist, 0.05, 0.041)]);
    let line = (wrist - elbow).normalize_or(Vec3::X);
    plates.push((banded(&field, elbow, wrist, 0.02), JointKey::Arm(side, 2)));
    let cop = elbow - Vec3::Z * 0.012;
    plates.push((
        ball(cop, v(0.048, 0.05, 0.052), Quat::IDENTITY, srgb(0xaab4c2)),
        JointKey::Arm(side, 2),
    ));
    let cup = wrist + line * 0.012;
    plates.push((
        ball(cup, v(0.036, 0.03, 0.038), Quat::IDENTITY, srgb(0x9aa5b5)),
        JointKey::Arm(side, 3),
    ));
}

fn leg(plates: &mut Vec<(Piece, JointKey)>, figure: &Figure, side: Side) {
    let at = |i| figure.at(JointKey::Leg(side, i));
    let (thigh, knee, ankle, ball_joint) = (at(0), at(1), at(2), at(3));
    let mut cuisse = Field::default();
    let ends = [thigh.lerp(knee, 0.3), thigh.lerp(knee, 0.8)];
    cuisse.add(0, 0.02, 0.02, vec![Shape::cone(ends[0] + Vec3::Z * 0.006, ends[1], 0.098, 0.08)]);
    plates.push((banded(&cuisse, thigh, knee, 0.028), JointKey::Leg(side, 0)));
    let cop = knee + v(0.0, 0.0, 0.02);
    plates.push((
        ball(cop, v(0.062, 0.066, 0.062), Quat::IDENTITY, srgb(0xaab4c2)),
        JointKey::Leg(side, 1),
    ));
    let mut greave = Field::default();
    greave.add(
        0,
        0.02,
        0.02,
        vec![
            Shape::cone(knee.lerp(ankle, 0.16), ankle, 0.068, 0.05),
            Shape::ball(knee.lerp(ankle, 0.33) - Vec3::Z * 0.02, v(0.055, 0.1, 0.055)),
        ],
    );
    plates.push((banded(&greave, knee, ankle, 0.024), JointKey::Leg(side, 1)));
    let floor = |p: Vec3, y: f32| v(p.x, y, p.z);
    let mut shoe = Field::default();
    shoe.add(
        0,
        0.02,
        0.02,
        vec![
            Shape::cone(floor(ankle, 0.07), floor(ankle - Vec3::Z * 0.03, 0.045), 0.046, 0.045),
            Shape::cone(floor(ankle, 0.08), floor(ball_joint, 0.045), 0.045, 0.046),
            Shape::flat_cone(
                [floor(ball_joint, 0.04), floor(ball_joint, 0.034) + Vec3::Z * 0.08],
                [0.053, 0.037],
                Vec3::Y,
                0.8,
            ),
        ],
    );
    let shoe = shell(&shoe, 0.02).painted(|p, n, _| {
        let lames = if ops::sin(p.z * 130.0) > 0.55 && p.y > 0.03 { 0.45 } else { 0.0 };
        steel(n) * (1.0 - lames)
    });
    plates.push((shoe, JointKey::Leg(side, 2)));
}

/// A plate between two joints with brass at both of its ends.
fn banded(field: &Field, a: Vec3, b: Vec3, edge: f32) -> Piece {
    let axis = (b - a).normalize_or(Vec3::Y);
    let piece = shell(field, edge);
    let t = |p: Vec3| (p - a).dot(axis);
    let low = piece.positions.iter().map(|&p| t(p)).fold(f32::MAX, f32::min);
    let high = piece.positions.iter().map(|&p| t(p)).fold(f32::MIN, f32::max);
    let wide = (high - low) * 0.14;
    piece.painted(|p, n, _| {
        let d = (t(p) - low).min(high - t(p));
        steel(n)
            .lerp(brass(), smoothstep(wide, wide * 0.75, d) * smoothstep(wide * 0.3, wide * 0.5, d))
    })
}
