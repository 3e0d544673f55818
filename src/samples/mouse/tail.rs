//! The mouse's tail: down to the floor, then along it in a curl.

use glam::Vec3;

use super::TAIL;
use crate::math::ops;
use crate::samples::color::srgb;
use crate::samples::figure::{Figure, JointKey};
use crate::samples::rigger::VertexWeights;
use crate::samples::shape::{Piece, Tube};

/// Points of the middle line.
const N_POINTS: usize = 56;

/// Length in metres.
const LENGTH: f32 = 1.16;

/// Half width at the share `t` of the length.
fn width(t: f32) -> f32 {
    0.024 - 0.017 * t
}

/// The middle line, root first: it never sinks below its own half width.
pub(super) fn middle(hips: Vec3, floor: f32) -> Vec<Vec3> {
    let step = LENGTH / (N_POINTS - 1) as f32;
    let mut at = hips + Vec3::new(0.0, 0.0, -0.085);
    let mut points = vec![at];
    for i in 1..N_POINTS {
        let t = i as f32 / (N_POINTS - 1) as f32;
        // Height to lose decides how steep it is, so that it lands softly.
        let room = (at.y - floor - width(t) - 0.002).max(0.0);
        let pitch = -(0.5 + 0.9 * (t / 0.12).min(1.0)).min(7.0 * room + 0.02);
        let yaw = 2.9 * ((t - 0.45) / 0.55).max(0.0);
        let c = ops::cos(pitch);
        at += Vec3::new(ops::sin(yaw) * c, ops::sin(pitch), -ops::cos(yaw) * c) * step;
        at.y = at.y.max(floor + width(t) + 0.002);
        points.push(at);
    }
    points
}

/// The point at the share `t` of the line.
pub(super) fn along(line: &[Vec3], t: f32) -> Vec3 {
    let at = t * (line.len() - 1) as f32;
    let i = (at as usize).min(line.len() - 2);
    line[i].lerp(line[i + 1], at - i as f32)
}

/// The tail's skin: a shell whose root is inside the body.
pub(super) fn skin(hips: Vec3, floor: f32) -> Piece {
    let tube = Tube::round(middle(hips, floor), 12, width).capped();
    let piece = tube.build().labelled(TAIL);
    let (pink, dark) = (srgb(0xf2a9a1), srgb(0xd98d88));
    let ring = |v: usize| v / 12;
    let colors = (0..piece.positions.len())
        .map(|v| if ring(v).is_multiple_of(3) { dark } else { pink })
        .collect();
    Piece { colors, ..piece }
}

/// An artist's weights: each vertex between the two tail joints next to it along the tail.
pub(super) fn weights(figure: &Figure, tail: &Piece, n_joints: u8) -> Vec<VertexWeights> {
    let hips = figure.find(JointKey::Axial(0)).unwrap_or(0) as u32;
    let joint = |i: i32| match u8::try_from(i) {
        Ok(i) => figure.find(JointKey::Tail(i.min(n_joints - 1))).map_or(hips, |j| j as u32),
        Err(_) => hips,
    };
    (0..tail.positions.len())
        .map(|v| {
            let ring = (v / 12).min(N_POINTS - 1);
            // The last vertex closes the root, the one before it the tip.
            let t = if v + 1 == tail.positions.len() {
                0.0
            } else {
                ring as f32 / (N_POINTS - 1) as f32
            };
            let s = t * f32::from(n_joints) - 0.5;
            let (low, share) = (s.floor(), s - s.floor());
            let (a, b) = (joint(low as i32), joint(low as i32 + 1));
            let mut list = vec![(a, 1.0 - share), (b, share)];
            if a == b {
                list = vec![(a, 1.0)];
            }
            list.retain(|x| x.1 > 0.0);
            list.sort_by(|x, y| y.1.total_cmp(&x.1));
            list
        })
        .collect()
}
