//! The border to three-d: the only file that names cgmath's types.

use glam::{Mat4, Vec2, Vec3, Vec4};
use three_d::{Vector2, Vector3, Vector4};

/// A vector of two for a uniform.
pub(super) fn vec2(v: Vec2) -> Vector2<f32> {
    Vector2::new(v.x, v.y)
}

/// A vector of three for a uniform or an attribute.
pub(super) fn vec3(v: Vec3) -> Vector3<f32> {
    Vector3::new(v.x, v.y, v.z)
}

/// A vector of four for an attribute.
pub(super) fn vec4(v: Vec4) -> Vector4<f32> {
    Vector4::new(v.x, v.y, v.z, v.w)
}

/// A matrix for a uniform.
pub(super) fn mat4(m: Mat4) -> three_d::Mat4 {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = m.to_cols_array();
    three_d::Mat4::new(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
}

/// Two unsigned integers for an attribute.
pub(super) fn uvec2(a: u32, b: u32) -> Vector2<u32> {
    Vector2::new(a, b)
}
