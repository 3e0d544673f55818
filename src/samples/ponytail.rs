//! The ponytail: a separate mesh that its artist left to the head, seven bangs with springs of their own, a shirt and a
//! backpack.

use glam::Vec3;

use super::SampleInfo;
use super::assemble::{Hold, Part};
use super::color::srgb;
use super::figure::{Figure, JointKey, Side};
use super::person::{Lock, Look, Outline, Wig, node_of, person, skull, whole};
use super::seams::Seams;
use super::shape::{Field, Piece, Shape, contour};
use super::truth::Sample;
use crate::math::ops;

/// For the list.
pub(super) const INFO: SampleInfo = SampleInfo {
    name: "ponytail",
    about: "A girl of 1.62 m, VRM 1.0: a ponytail without joints, seven bangs with springs, a backpack",
};

/// The girl with the ponytail.
pub(super) fn ponytail() -> Sample {
    let hair = srgb(0xd98a3d);
    let look = Look {
        name: INFO.name,
        about: INFO.about,
        hair,
        shirt: srgb(0xf3efe6),
        iris: srgb(0x3f7d4e),
    };
    let (mut sample, figure) = person(&look, |figure| {
        let (pack, straps) = backpack(figure);
        let seams = Seams { crease_rad: std::f32::consts::PI, chart_m: None, has_charts: false };
        let part =
            |name: &str, piece: Piece, hold: Hold| Part { name: name.into(), piece, hold, seams };
        let hold = whole(figure, JointKey::Axial(3), &straps);
        let chest = figure.find(JointKey::Axial(3)).unwrap_or(0);
        vec![part("Backpack", pack, Hold::Hung(chest)), part("Straps", straps, hold)]
    });
    let head = node_of(&figure, JointKey::Axial(5));
    let chest = node_of(&figure, JointKey::Axial(3));
    let (center, radii) = skull(&figure);
    let mut wig = Wig::new(&mut sample, head);
    wig.colliders("Head", &[(head, center, center, radii.x + 0.004)]);
    let nape = figure.at(JointKey::Axial(4));
    wig.colliders("Neck", &[(chest, nape, nape, 0.05)]);
    wig.mesh("Ponytail", &[tail(&figure, hair)]);
    let bangs: Vec<Lock> = (0..7).map(|i| bang(&figure, i, hair)).collect();
    wig.mesh("Bangs", &bangs);
    wig.finish();
    sample
}

/// From high on the back of the head out and down, past the backpack, to the small of the back.
fn tail(figure: &Figure, color: Vec3) -> Lock {
    let (center, radii) = skull(figure);
    let mut at = center + Vec3::new(0.0, 0.036, -radii.z - 0.002);
    let n = 61;
    let step = 0.6 / (n - 1) as f32;
    let mut line = vec![at];
    for i in 1..n {
        let t = i as f32 / (n - 1) as f32;
        // Out at first, then down, the tip a little outwards.
        let pitch = 0.2 - 1.65 * (1.0 - (1.0 - (t / 0.25).min(1.0)).powi(2));
        at += Vec3::new(0.0, ops::sin(pitch), -ops::cos(pitch)) * step;
        line.push(at);
    }
    Lock {
        name: "Ponytail".into(),
        line,
        half: [0.022, 0.02],
        outline: Outline::Tied,
        face: Vec3::Y,
        n_sides: 16,
        n_joints: 0,
        stiffness: 1.0,
        drag: 0.5,
        hit_radius: 0.02,
        color,
    }
}

/// One of seven bangs, from the parting down over the brow, the outer ones longer.
fn bang(figure: &Figure, i: u32, color: Vec3) -> Lock {
    let (center, radii) = skull(figure);
    let side = (i as f32 - 3.0) / 3.0;
    let yaw = side * 1.25;
    let out = radii + Vec3::splat(0.02);
    let length = 0.085 + 0.05 * side * side;
    let n = 13;
    let line = (0..n)
        .map(|k| {
            let t = k as f32 / (n - 1) as f32;
            let pitch = 1.02 - t * length / 0.105;
            let turn = yaw * (0.55 + 0.45 * t);
            let ring = ops::cos(pitch);
            let way = Vec3::new(ops::sin(turn) * ring, ops::sin(pitch), ops::cos(turn) * ring);
            // The ends stand a little away from the face.
            center + way * (out + Vec3::splat(0.012 * t * t))
        })
        .collect::<Vec<Vec3>>();
    let face = (line[0] - center).normalize_or(Vec3::Z);
    Lock {
        name: format!("Bang_{i}"),
        line,
        half: [0.021, 0.007],
        outline: Outline::Taper(0.45),
        face,
        n_sides: 8,
        n_joints: 2,
        stiffness: 6.0,
        drag: 0.5,
        hit_radius: 0.006,
        color: color * 1.06,
    }
}

/// A pack on the back, and straps over the shoulders.
fn backpack(figure: &Figure) -> (Piece, Piece) {
    let chest = figure.at(JointKey::Axial(3));
    let back = chest + Vec3::new(0.0, -0.19, -0.128);
    let mut field = Field::default();
    let half = Vec3::new(0.095, 0.115, 0.036);
    field.add(0, 0.02, 0.03, vec![Shape::ball(back, half)]);
    field.add(
        0,
        0.02,
        0.02,
        vec![Shape::ball(back + Vec3::new(0.0, -0.06, -0.028), Vec3::new(0.062, 0.045, 0.022))],
    );
    let pack = contour(&field, 0.016, 2).labelled(0).colored(srgb(0x2f6f8f));
    let mut straps = Piece::default();
    for side in Side::BOTH {
        let x = side.sign() * 0.062;
        let at = |y: f32, z: f32| chest + Vec3::new(x, y, z);
        let path: Vec<Vec3> = [
            (0.012, -0.12),
            (0.066, -0.07),
            (0.082, -0.015),
            (0.066, 0.05),
            (0.0, 0.102),
            (-0.07, 0.118),
            (-0.17, 0.095),
        ]
        .into_iter()
        .map(|(y, z)| at(y, z))
        .collect();
        let radii = vec![[0.016, 0.006]; path.len()];
        let tube = super::shape::Tube {
            path,
            radii,
            n_sides: 8,
            up: Vec3::new(0.0, 0.6, -0.8),
            is_capped: true,
        };
        straps.append(&tube.build().labelled(0).colored(srgb(0x244f66)));
    }
    (pack, straps)
}
