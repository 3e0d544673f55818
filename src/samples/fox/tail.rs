//! The fox's tail: a bushy coat of tufts over a thin skin, two shells that share no vertex.

use glam::Vec3;

use super::TAIL;
use crate::math::ops;
use crate::samples::color::{smoothstep, srgb};
use crate::samples::shape::{Piece, Tube};

/// Length along the middle, metres.
const LENGTH: f32 = 0.84;

/// The middle line from the root: back, down behind the legs, and a flick at the end.
fn path(hips: Vec3, n: usize) -> Vec<Vec3> {
    let knots = [(0.0, -12.0_f32), (0.22, -48.0), (0.6, -66.0), (0.85, -52.0), (1.0, -30.0)];
    let pitch = |s: f32| {
        let k = knots.windows(2).find(|k| s <= k[1].0).unwrap_or(&knots[3..5]);
        let t = (s - k[0].0) / (k[1].0 - k[0].0);
        (k[0].1 + (k[1].1 - k[0].1) * t * t * (3.0 - 2.0 * t)).to_radians()
    };
    let step = LENGTH / n as f32;
    let mut at = hips + Vec3::new(0.0, 0.035, -0.085);
    let mut points = vec![at];
    for i in 0..n {
        let a = pitch((i as f32 + 0.5) / n as f32);
        at += Vec3::new(0.0, ops::sin(a), -ops::cos(a)) * step;
        points.push(at);
    }
    points
}

/// Half width of the coat: thin root, full brush, pointed end.
fn width(t: f32) -> f32 {
    let full = smoothstep(0.0, 0.5, t);
    let end = smoothstep(1.0, 0.6, t);
    0.036 + (0.128 - 0.036) * full * (0.12 + 0.88 * end) - 0.03 * smoothstep(0.8, 1.0, t)
}

/// Coat and skin, labelled and painted.
pub(super) fn shells(hips: Vec3) -> Vec<Piece> {
    vec![coat(hips), skin(hips)]
}

fn coat(hips: Vec3) -> Piece {
    let (n_sides, n_rings) = (24_u32, 22_usize);
    let tube = Tube::round(path(hips, n_rings), n_sides, width).capped();
    let mut piece = tube.build();
    let (cream, orange, deep) = (srgb(0xfff0d9), srgb(0xe8762b), srgb(0xa94a17));
    let middle = path(hips, n_rings);
    let mut colors = Vec::new();
    for v in 0..piece.positions.len() {
        let ring = (v / n_sides as usize).min(n_rings);
        let side = v % n_sides as usize;
        let t = ring as f32 / n_rings as f32;
        // Locks: each spans four corners and four rings, flares out and ends in a point.
        let lock = side as f32 / 4.0 + if (ring / 4).is_multiple_of(2) { 0.0 } else { 0.5 };
        let ridge = 1.0 - (2.0 * (lock - lock.floor()) - 1.0).abs();
        let flare = (ring % 4) as f32 / 3.0;
        let amount = smoothstep(0.05, 0.3, t) * smoothstep(1.02, 0.85, t);
        if v < n_sides as usize * (n_rings + 1) {
            let center = middle[ring];
            let out = piece.positions[v] - center;
            let along = (middle[(ring + 1).min(n_rings)] - middle[ring.saturating_sub(1)])
                .normalize_or(Vec3::NEG_Z);
            let grow = 1.0 + amount * (0.13 * flare * ridge - 0.05 * (1.0 - ridge));
            piece.positions[v] = center + out * grow + along * (0.022 * amount * flare * ridge);
        }
        let edge = 0.70 + 0.05 * (ridge - 0.5);
        let tip = smoothstep(edge - 0.02, edge + 0.02, t);
        let shade = 0.35 * (1.0 - ridge) * amount + 0.25 * smoothstep(0.3, 0.0, t);
        colors.push(orange.lerp(deep, shade).lerp(cream * (1.0 - 0.12 * shade), tip));
    }
    piece.smooth_normals();
    piece.colors = colors;
    piece.labelled(TAIL)
}

fn skin(hips: Vec3) -> Piece {
    let points = path(hips, 16);
    let short: Vec<Vec3> = points.into_iter().take(14).collect();
    let tube = Tube::round(short, 10, |t| 0.55 * width(t * 0.85)).capped();
    tube.build().labelled(TAIL).colored(srgb(0x8f4420))
}
