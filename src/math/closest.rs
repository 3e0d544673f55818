//! Closest points.

use glam::Vec3;

/// Parameter in [0, 1] of the point of segment a→b that is closest to `p`; 0 for a segment of no length.
pub fn parameter_on_segment(p: Vec3, a: Vec3, b: Vec3) -> f32 {
    let ab = b - a;
    let length_squared = ab.length_squared();
    if length_squared <= f32::MIN_POSITIVE {
        return 0.0;
    }
    ((p - a).dot(ab) / length_squared).clamp(0.0, 1.0)
}

/// Distance from `p` to segment a→b.
pub fn distance_to_segment(p: Vec3, a: Vec3, b: Vec3) -> f32 {
    p.distance(a.lerp(b, parameter_on_segment(p, a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_to_a_segment_is_clamped_to_its_ends() {
        let (a, b) = (Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0));
        assert_eq!(distance_to_segment(Vec3::new(1.0, 3.0, 0.0), a, b), 3.0);
        assert_eq!(distance_to_segment(Vec3::new(-3.0, 4.0, 0.0), a, b), 5.0);
        assert_eq!(distance_to_segment(Vec3::new(0.0, 4.0, 0.0), a, a), 4.0);
    }
}
