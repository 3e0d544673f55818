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

/// Distance from `p` to the line through `a` and `b`; to `a` where they are one point.
pub fn distance_to_line(p: Vec3, a: Vec3, b: Vec3) -> f32 {
    match (b - a).try_normalize() {
        Some(along) => (p - a).reject_from_normalized(along).length(),
        None => p.distance(a),
    }
}

/// Parameters in [0, 1] of the nearest points of the segments p→q and a→b; that of a segment of no length is 0.
///
/// Based on: Ericson, Real-Time Collision Detection, 2005, 5.1.9.
pub fn parameters_of_segments(p: Vec3, q: Vec3, a: Vec3, b: Vec3) -> (f32, f32) {
    let (link, axis, r) = (q - p, b - a, p - a);
    let (aa, e) = (link.length_squared(), axis.length_squared());
    let (bb, c, f) = (link.dot(axis), link.dot(r), axis.dot(r));
    let den = aa * e - bb * bb;
    let s = if den > 1e-12 { ((bb * f - c * e) / den).clamp(0.0, 1.0) } else { 0.0 };
    let t = if e > f32::MIN_POSITIVE { ((bb * s + f) / e).clamp(0.0, 1.0) } else { 0.0 };
    let s = if aa > f32::MIN_POSITIVE { ((bb * t - c) / aa).clamp(0.0, 1.0) } else { 0.0 };
    (s, t)
}

/// Least distance of the segments p→q and a→b.
pub fn distance_of_segments(p: Vec3, q: Vec3, a: Vec3, b: Vec3) -> f32 {
    let (s, t) = parameters_of_segments(p, q, a, b);
    p.lerp(q, s).distance(a.lerp(b, t))
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

    #[test]
    fn segments_that_cross_are_nearest_where_they_do() {
        let (p, q) = (Vec3::new(-1.0, 0.0, 0.5), Vec3::new(3.0, 0.0, 0.5));
        let (a, b) = (Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
        assert_eq!(parameters_of_segments(p, q, a, b), (0.25, 0.5));
        assert_eq!(distance_of_segments(p, q, a, b), 0.5);
        assert_eq!(distance_of_segments(p, q, q, q), 0.0, "a point on the segment");
        let far = Vec3::new(5.0, 0.0, 0.5);
        assert_eq!(distance_of_segments(p, q, far, far), 2.0);
        assert_eq!(distance_to_line(far, a, b), (25.25_f32).sqrt());
    }
}
