//! Eyes, brows and mouth.

use glam::Vec3;

use super::skull;
use crate::samples::anatomy::{EyeColors, eye, line_on};
use crate::samples::color::srgb;
use crate::samples::figure::{Figure, Side};
use crate::samples::shape::{LocalField, Piece};

/// The face's pieces, lying on the skin.
pub(super) fn pieces(skin: &LocalField<'_>, figure: &Figure, iris: Vec3) -> Vec<Piece> {
    let (center, _) = skull(figure);
    let colors = EyeColors { white: srgb(0xfffdf8), iris, lid: srgb(0x6b4636) };
    let dark = srgb(0x4a2f28);
    let mut pieces = Vec::new();
    for side in Side::BOTH {
        let x = side.sign();
        let at = |dx: f32, dy: f32, dz: f32| center + Vec3::new(dx * x, dy, dz);
        let gaze = Vec3::new(0.16 * x, 0.0, 1.0).normalize();
        let radii = Vec3::new(0.017, 0.0225, 0.014);
        pieces.push(eye(at(0.034, -0.022, 0.078), gaze, radii, 0.72, colors));
        let brow = [at(0.018, 0.022, 0.1), at(0.036, 0.029, 0.09), at(0.054, 0.02, 0.08)];
        pieces.push(line_on(skin, &brow, 0.0026, dark));
        let mouth = [at(0.0, -0.083, 0.1), at(0.008, -0.082, 0.1), at(0.018, -0.078, 0.095)];
        pieces.push(line_on(skin, &mouth, 0.0018, srgb(0x9c4f46)));
    }
    pieces
}
