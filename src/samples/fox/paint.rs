//! The fox's fur by place.

use glam::Vec3;

use super::body::drawn_head;
use crate::math::ops;
use crate::samples::color::{smoothstep, srgb};

/// Colour of the fur at `p` with normal `n`.
pub(super) fn fur(p: Vec3, n: Vec3) -> Vec3 {
    let orange = srgb(0xe8762b);
    let deep = srgb(0xb9511a);
    let cream = srgb(0xfff0d9);
    let dark = srgb(0x35211d);
    // A darker back, and a little life in the orange.
    let back = smoothstep(0.1, 0.9, -n.z) * (0.55 - 0.4 * smoothstep(1.4, 1.5, p.y));
    let mottle = 0.06 * ops::sin(p.y * 37.0 + p.x * 23.0) * ops::sin(p.z * 41.0);
    let mut color = orange.lerp(deep, (back + mottle).clamp(0.0, 1.0));
    let head = drawn_head(p);
    color = color.lerp(cream, belly(p, n).max(face_mask(head, n)));
    color.lerp(dark, socks(p).max(ear_back(head, n)))
}

/// Chin to crotch, narrow at the waist.
fn belly(p: Vec3, n: Vec3) -> f32 {
    let half = 0.055 + 0.035 * smoothstep(1.0, 1.25, p.y) + 0.02 * smoothstep(1.0, 0.9, p.y);
    let inside = smoothstep(half + 0.016, half - 0.016, p.x.abs());
    inside * smoothstep(0.15, 0.45, n.z) * smoothstep(0.83, 0.87, p.y) * smoothstep(1.5, 1.44, p.y)
}

/// Cheeks, muzzle's sides and chin, inner ears, spots over the eyes.
fn face_mask(p: Vec3, n: Vec3) -> f32 {
    if p.y < 1.4 {
        return 0.0;
    }
    let x = p.x.abs();
    // A line that runs from the nose along the muzzle, under the eye and out over the cheek.
    let line =
        if x < 0.08 { 1.522 + 0.32 * (x - 0.02).max(0.0) } else { 1.541 - 0.12 * (x - 0.08) };
    let low = smoothstep(line + 0.008, line - 0.008, p.y) * smoothstep(-0.09, -0.03, p.z - 0.02);
    let spot = smoothstep(0.026, 0.014, Vec3::new(x - 0.05, p.y - 1.655, 0.0).length())
        * smoothstep(0.05, 0.09, p.z);
    let ear = smoothstep(1.66, 1.7, p.y)
        * smoothstep(1.89, 1.84, p.y)
        * smoothstep(0.25, 0.55, n.z)
        * smoothstep(
            0.05,
            0.035,
            (x - (0.086 + 0.31 * (p.y - 1.69))).abs() / (1.0 - 2.8 * (p.y - 1.66)).max(0.15),
        )
        * smoothstep(0.03, 0.0, p.z);
    low.max(spot).max(ear * 0.85)
}

/// Dark hands and feet, fading up forearm and shin.
fn socks(p: Vec3) -> f32 {
    let x = p.x.abs();
    let zig = 0.012 * ops::sin(p.z * 120.0 + p.y * 40.0);
    let hand = if p.y > 0.7 { smoothstep(0.44, 0.475, x + zig) } else { 0.0 };
    let foot = smoothstep(0.335, 0.28, p.y + zig);
    hand.max(foot)
}

/// Black backs and tips of the ears.
fn ear_back(p: Vec3, n: Vec3) -> f32 {
    let tip = smoothstep(1.845, 1.87, p.y);
    let back = smoothstep(1.71, 1.76, p.y) * smoothstep(0.15, -0.15, n.z);
    tip.max(back)
}
