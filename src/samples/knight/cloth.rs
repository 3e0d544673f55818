//! Cape and skirt: thin slabs of red with a golden hem.

use glam::Vec3;

use crate::math::ops;
use crate::samples::color::{smoothstep, srgb};
use crate::samples::figure::{Figure, JointKey};
use crate::samples::shape::{Piece, Sheet, slab};

fn red(shade: f32) -> Vec3 {
    srgb(0x9c1c28).lerp(srgb(0x5c0f1c), shade)
}

/// From the shoulders to the calves, in folds that widen downward.
pub(super) fn cape(figure: &Figure) -> Piece {
    let top = figure.at(JointKey::Axial(4)).y - 0.045;
    let bottom = figure.at(JointKey::Leg(crate::samples::figure::Side::Left, 1)).y * 0.45;
    let sheet = Sheet { across: 28, down: 18, is_closed: false, thickness: 0.008 };
    let piece = slab(sheet, |u, t| {
        let s = u * 2.0 - 1.0;
        let half = 0.165 + 0.15 * t;
        let fold = 0.024 * smoothstep(0.05, 0.6, t) * ops::cos(s * 15.0);
        // Round the shoulders at the top, away from the heels at the bottom.
        let wrap = 0.075 * s * s * smoothstep(0.4, 0.0, t);
        let z = -0.118 - 0.16 * t * t - 0.05 * smoothstep(0.0, 0.3, t) + wrap + fold;
        let y = top - (top - bottom) * t - 0.035 * s * s * smoothstep(0.15, 0.0, t);
        Vec3::new(s * half, y, z)
    });
    trimmed(piece, 0.955, Some(0.022))
}

/// From the belt to the middle of the thighs.
pub(super) fn skirt(figure: &Figure) -> Piece {
    let hips = figure.at(JointKey::Axial(0));
    let knee = figure.at(JointKey::Leg(crate::samples::figure::Side::Left, 1));
    let length = (hips.y - knee.y) * 0.82;
    let sheet = Sheet { across: 48, down: 7, is_closed: true, thickness: 0.006 };
    let piece = slab(sheet, |u, t| {
        let a = u * std::f32::consts::TAU;
        let fold = 1.0 + 0.055 * smoothstep(0.1, 0.8, t) * ops::cos(a * 14.0);
        let (x, z) = (0.158 + 0.1 * (t * 2.0).min(1.0) * 0.5 + 0.045 * t, 0.128 + 0.085 * t);
        hips + Vec3::new(ops::cos(a) * x * fold, 0.045 - length * t, -ops::sin(a) * z * fold)
    });
    trimmed(piece, 0.9, None)
}

/// Red with a golden hem below `hem` of the way down, and along both sides where `side` says how wide.
fn trimmed(mut piece: Piece, hem: f32, side: Option<f32>) -> Piece {
    piece.colors = piece
        .uvs
        .iter()
        .zip(&piece.normals)
        .map(|(uv, n)| {
            let at_side = side.is_some_and(|s| uv.x < s || uv.x > 1.0 - s);
            let shade = 0.5 - 0.5 * n.x;
            if uv.y > hem || at_side { srgb(0xd9a441) } else { red(shade) }
        })
        .collect();
    piece.labelled(0)
}
