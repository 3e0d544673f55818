//! On the back: a sheathed sword and a quiver, each a shell of its own.

use glam::Vec3;

use crate::math::ops;
use crate::samples::anatomy::ball;
use crate::samples::color::srgb;
use crate::samples::figure::{Figure, JointKey};
use crate::samples::shape::{Piece, Tube};

/// A bar from `a` to `b` of half widths `wide` along `side` and `thick`, tapering to `end` of them.
fn bar(a: Vec3, b: Vec3, half: [f32; 2], end: f32, color: Vec3) -> Piece {
    let n = 6;
    let t = |i: usize| i as f32 / n as f32;
    let path = (0..=n).map(|i| a.lerp(b, t(i))).collect();
    let radii = (0..=n).map(|i| half.map(|h| h * (1.0 + (end - 1.0) * t(i)))).collect();
    let tube = Tube { path, radii, n_sides: 8, up: Vec3::Z, is_capped: true };
    tube.build().labelled(0).colored(color)
}

/// Sheath, guard, grip and pommel, from the right shoulder down to the left hip.
pub(super) fn sword(figure: &Figure) -> Piece {
    let chest = figure.at(JointKey::Axial(3));
    let way = Vec3::new(0.42, -1.0, -0.16).normalize();
    let mouth = chest + Vec3::new(-0.10, 0.115, -0.185);
    let tip = mouth + way * 0.62;
    let across = way.cross(Vec3::Z).normalize_or(Vec3::X);
    let (leather, brass, steel) = (srgb(0x3d2418), srgb(0xd9a441), srgb(0xb9c2cf));
    let mut piece = bar(mouth, tip, [0.034, 0.015], 0.72, leather);
    piece.append(&bar(mouth - way * 0.004, mouth + way * 0.05, [0.038, 0.019], 1.0, brass));
    piece.append(&bar(tip - way * 0.06, tip + way * 0.012, [0.030, 0.016], 0.6, brass));
    let guard = mouth - way * 0.018;
    piece.append(&bar(guard - across * 0.095, guard + across * 0.095, [0.012, 0.012], 1.0, brass));
    piece.append(&bar(guard, guard - way * 0.15, [0.0125, 0.0125], 0.9, srgb(0x6b2a22)));
    piece.append(&ball(guard - way * 0.168, Vec3::splat(0.023), glam::Quat::IDENTITY, steel));
    piece
}

/// A quiver with five arrows behind the left shoulder.
pub(super) fn quiver(figure: &Figure) -> Piece {
    let chest = figure.at(JointKey::Axial(3));
    let way = Vec3::new(-0.22, -1.0, -0.12).normalize();
    let mouth = chest + Vec3::new(0.135, 0.06, -0.205);
    let (leather, brass) = (srgb(0x7a4a26), srgb(0xd9a441));
    let mut piece = bar(mouth, mouth + way * 0.42, [0.048, 0.042], 0.8, leather);
    piece.append(&bar(mouth - way * 0.008, mouth + way * 0.03, [0.053, 0.047], 1.0, brass));
    for i in 0..5 {
        let a = i as f32 * 1.257;
        let off = Vec3::new(ops::cos(a), 0.0, ops::sin(a)) * 0.024;
        let end = mouth + off - way * (0.13 + 0.012 * (i % 3) as f32);
        piece.append(&bar(mouth + off, end, [0.0045; 2], 1.0, srgb(0xc9a877)));
        let feather = if i % 2 == 0 { srgb(0xf3ead8) } else { srgb(0xb3262f) };
        piece.append(&bar(end + way * 0.065, end + way * 0.005, [0.017, 0.005], 0.7, feather));
    }
    piece
}
