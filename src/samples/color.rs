//! Colours as designers write them.

use glam::Vec3;

use crate::math::ops;

/// Linear RGB of a colour given as `0xRRGGBB` in sRGB.
pub(crate) fn srgb(hex: u32) -> Vec3 {
    let channel = |shift: u32| {
        let c = (hex >> shift & 255) as f32 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ops::powf((c + 0.055) / 1.055, 2.4) }
    };
    Vec3::new(channel(16), channel(8), channel(0))
}

/// 0 below `low`, 1 above `high`, smooth between; `low` may be the greater.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
