//! Parts that the finer samples share: hands, paws, eyes, painted lines.

use glam::{Quat, Vec3};

use super::figure::{Figure, Finger, JointKey, Side};
use super::shape::{Field, LocalField, Piece, Shape, Tube};
use crate::math::{ops, rotation};

/// Adds a hand with five fingers along the figure's finger joints. `scale` is metres of finger radius.
pub(crate) fn add_hand(field: &mut Field, figure: &Figure, side: Side, radius: f32) {
    let wrist = figure.at(JointKey::Arm(side, 3));
    let joint = |finger, i| figure.at(JointKey::Finger(side, finger, i));
    let knuckles = joint(Finger::Index, 0).midpoint(joint(Finger::Little, 0));
    let along = (joint(Finger::Middle, 0) - wrist).normalize_or(Vec3::X);
    let wide = joint(Finger::Index, 0) - joint(Finger::Little, 0);
    let across = along.cross(wide).normalize_or(Vec3::Y);
    let spread = wide.length() * 0.5;
    let palm = vec![
        Shape::flat_cone([wrist, knuckles], [spread * 0.72, spread * 1.06], across, 0.55),
        Shape::cone(wrist + wide * 0.12, joint(Finger::Thumb, 0), radius * 1.5, radius * 1.25),
    ];
    field.add(0, 0.012, 0.02, palm);
    for finger in Finger::ALL {
        let thick = match finger {
            Finger::Thumb => 1.18,
            Finger::Little => 0.86,
            _ => 1.0,
        } * radius;
        let bones = (0..3_u8)
            .map(|i| {
                let taper = |k: u8| thick * (1.06 - 0.08 * f32::from(k));
                Shape::cone(joint(finger, i), joint(finger, i + 1), taper(i), taper(i + 1))
            })
            .collect();
        field.add(0, 0.004, 0.005, bones);
    }
}

/// Adds a paw: heel, sole and four toes.
pub(crate) fn add_paw(field: &mut Field, figure: &Figure, side: Side, size: f32) {
    let at = |i| figure.at(JointKey::Leg(side, i));
    let (ankle, ball, end) = (at(2), at(3), at(4));
    let floor = |p: Vec3, r: f32| Vec3::new(p.x, r, p.z);
    let heel = floor(ankle - Vec3::Z * 0.35 * size, 0.46 * size);
    let pad = floor(ball, 0.46 * size);
    field.add(
        0,
        0.03,
        0.035,
        vec![
            Shape::cone(ankle, heel, 0.52 * size, 0.46 * size),
            Shape::cone(ankle, pad, 0.5 * size, 0.52 * size),
            Shape::flat_cone([heel, pad], [0.46 * size, 0.62 * size], Vec3::Y, 0.74),
        ],
    );
    let forward = (end - ball) * Vec3::new(1.0, 0.0, 1.0);
    for (i, x) in [-0.62, -0.22, 0.2, 0.6].into_iter().enumerate() {
        let reach = [0.52, 0.72, 0.72, 0.54][i];
        let root = pad + Vec3::new(x * 0.75 * size, -0.06 * size, 0.0);
        let tip = floor(pad + Vec3::X * x * size, 0.29 * size) + forward * reach;
        field.add(0, 0.01, 0.008, vec![Shape::cone(root, tip, 0.34 * size, 0.28 * size)]);
    }
}

/// Colours of an eye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EyeColors {
    /// Around the iris.
    pub(crate) white: Vec3,
    /// The iris.
    pub(crate) iris: Vec3,
    /// The lid above; half way down.
    pub(crate) lid: Vec3,
}

/// An eyeball of `radius` that looks along unit `gaze`, with lids cut at `open` (0 closed to 1 wide) of its height.
pub(crate) fn eye(center: Vec3, gaze: Vec3, radius: Vec3, open: f32, colors: EyeColors) -> Piece {
    let turn = rotation::swing(Vec3::Z, gaze);
    let (n_sides, n_rings) = (28_u32, 16_u32);
    let mut piece = Piece::default();
    let mut push = |local: Vec3, ring: u32| {
        let n = (local / (radius * radius)).normalize_or(Vec3::Z);
        piece.positions.push(center + turn * local);
        piece.normals.push(turn * n);
        // Rings are by angle from the gaze: pupil, iris, its dark rim, white.
        let shine = (local / radius).distance(Vec3::new(-0.30, 0.36, 0.88)) < 0.17;
        let color = match ring {
            _ if shine => Vec3::splat(1.0),
            0..=3 => Vec3::splat(0.004),
            4..=5 => colors.iris,
            6 => colors.iris * 0.45,
            _ => colors.white,
        };
        let lid = local.y / radius.y > open + 0.06 * (local.x / radius.x).powi(2) * -4.0;
        piece.colors.push(if lid && ring > 3 { colors.lid } else { color });
    };
    push(Vec3::Z * radius, 0);
    for r in 1..n_rings {
        let a = std::f32::consts::PI * 0.62 * r as f32 / (n_rings - 1) as f32;
        for s in 0..n_sides {
            let b = std::f32::consts::TAU * s as f32 / n_sides as f32;
            let unit = Vec3::new(ops::sin(a) * ops::cos(b), ops::sin(a) * ops::sin(b), ops::cos(a));
            push(unit * radius, r);
        }
    }
    push(Vec3::new(0.0, 0.0, -0.5 * radius.z), n_rings);
    let at = |r: u32, s: u32| 1 + (r - 1) * n_sides + s % n_sides;
    let back = piece.positions.len() as u32 - 1;
    for s in 0..n_sides {
        piece.triangles.push([0, at(1, s), at(1, s + 1)]);
        for r in 1..n_rings - 1 {
            piece.triangles.push([at(r, s), at(r + 1, s), at(r + 1, s + 1)]);
            piece.triangles.push([at(r, s), at(r + 1, s + 1), at(r, s + 1)]);
        }
        piece.triangles.push([at(n_rings - 1, s), back, at(n_rings - 1, s + 1)]);
    }
    piece.labels = vec![0; piece.positions.len()];
    piece
}

/// A thin closed tube along `points`, each drawn onto the surface: a mouth, a brow, a seam.
pub(crate) fn line_on(field: &LocalField<'_>, points: &[Vec3], radius: f32, color: Vec3) -> Piece {
    let n = points.len() * 3 - 2;
    let path = (0..n)
        .map(|i| {
            let (k, t) = (i / 3, (i % 3) as f32 / 3.0);
            let p = points[k].lerp(points[(k + 1).min(points.len() - 1)], t);
            field.project(p, 0.05)
        })
        .collect();
    Tube::round(path, 6, |t| radius * (0.35 + 2.6 * t * (1.0 - t)))
        .capped()
        .build()
        .labelled(0)
        .colored(color)
}

/// A ball-shaped shell.
pub(crate) fn ball(center: Vec3, radii: Vec3, turn: Quat, color: Vec3) -> Piece {
    let mut field = Field::default();
    field.add(0, 0.01, 0.01, vec![Shape::turned(center, radii, turn)]);
    super::shape::contour(&field, radii.min_element() / 3.0, 3).colored(color)
}
