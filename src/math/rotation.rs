//! Rotations between directions, and slerps, as the tail solver needs them.

use glam::{Quat, Vec3};

use super::ops;

/// The shortest rotation that takes unit vector `from` to unit vector `to`.
///
/// Opposite vectors turn half a circle about `x` (or about `y` where `x` is parallel to `from`).
/// Takes no trigonometric function: w = 1 + from · to, xyz = from × to, made unit.
pub fn swing(from: Vec3, to: Vec3) -> Quat {
    let w = 1.0 + from.dot(to);
    if w > 1e-6 {
        let axis = from.cross(to);
        return Quat::from_xyzw(axis.x, axis.y, axis.z, w).normalize();
    }
    let side = if from.x.abs() < 0.9 { Vec3::X } else { Vec3::Y };
    let axis = (side - from * side.dot(from)).normalize();
    Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
}

/// `q` or `-q`, the one with w ≥ 0: the same rotation, by the shorter way.
pub fn positive_w(q: Quat) -> Quat {
    if q.w < 0.0 { -q } else { q }
}

/// The rotation half-way between two, by the shorter way: unit(a + b).
pub fn half_slerp(a: Quat, b: Quat) -> Quat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a + b).normalize()
}

/// Angle of a rotation in radians, 0 to π. Exact near zero, where `acos` of w is not.
pub fn angle(q: Quat) -> f32 {
    2.0 * ops::atan2(q.xyz().length(), q.w.abs())
}

/// Angle between two rotations in radians, 0 to π.
pub fn angle_between(a: Quat, b: Quat) -> f32 {
    angle(a.conjugate() * b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swing_takes_one_direction_to_the_other() {
        let a = Vec3::new(0.6, 0.0, 0.8);
        let b = Vec3::new(0.0, -0.8, 0.6);
        assert!((swing(a, b) * a - b).length() < 1e-6);
    }

    #[test]
    fn swing_of_opposites_is_half_a_turn_about_x() {
        let q = swing(Vec3::NEG_Y, Vec3::Y);
        assert!((q * Vec3::NEG_Y - Vec3::Y).length() < 1e-6);
        assert!(q.x.abs() > 0.999);
        let along_x = swing(Vec3::X, Vec3::NEG_X);
        assert!((along_x * Vec3::X - Vec3::NEG_X).length() < 1e-6);
    }

    #[test]
    fn half_slerp_of_opposite_signs_is_the_same_rotation() {
        let q = Quat::from_rotation_y(0.7);
        assert!(angle_between(half_slerp(q, -q), q) < 1e-6);
        assert!(angle_between(half_slerp(Quat::IDENTITY, q), Quat::from_rotation_y(0.35)) < 1e-6);
    }
}
