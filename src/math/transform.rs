//! Translation, rotation, scale; and the uniform kind.

use glam::{Affine3A, Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// A local transform as glTF stores it: scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// In the parent's units.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Per axis, before rotation.
    pub scale: Vec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// Changes nothing.
    pub const IDENTITY: Self =
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// A translation alone.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// A rotation and a translation.
    pub const fn from_rotation_translation(rotation: Quat, translation: Vec3) -> Self {
        Self { translation, rotation, scale: Vec3::ONE }
    }

    /// The matrix of this transform.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The nearest transform to a matrix: shear is dropped, a mirror becomes a negative scale on x.
    ///
    /// A matrix that squashes space flat still gives a unit rotation (see [`polar_rotation`]).
    pub fn from_affine(matrix: &Affine3A) -> Self {
        let m = Mat3::from(matrix.matrix3);
        let rotation = polar_rotation(matrix);
        // Scale along each rotated axis: the diagonal of Rᵀ M.
        let r = Mat3::from_quat(rotation);
        let scale =
            Vec3::new(r.x_axis.dot(m.x_axis), r.y_axis.dot(m.y_axis), r.z_axis.dot(m.z_axis));
        Self { translation: matrix.translation.into(), rotation, scale }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

/// The rotation nearest to a matrix, by polar decomposition.
///
/// A mirrored matrix gives the rotation that is left when the mirror is put on x. Columns of no length are replaced
/// by what completes the others to a right-handed frame; a zero or non-finite matrix gives the identity.
///
/// Based on: Higham, Computing the polar decomposition, 1986 (Newton's iteration, in f64).
pub fn polar_rotation(matrix: &Affine3A) -> Quat {
    let mut m = Mat3::from(matrix.matrix3).as_dmat3();
    if !m.is_finite() {
        return Quat::IDENTITY;
    }
    // Equalise the columns first: scales of 100 would cost iterations, and non-uniform scale is no shear.
    let unit = |v: glam::DVec3| v.try_normalize();
    let columns = [unit(m.x_axis), unit(m.y_axis), unit(m.z_axis)];
    let [x, y, z] = match columns {
        [Some(x), Some(y), Some(z)] => [x, y, z],
        [Some(x), Some(y), None] => [x, y, x.cross(y).normalize_or(x.any_orthonormal_vector())],
        [Some(x), None, Some(z)] => [x, z.cross(x).normalize_or(x.any_orthonormal_vector()), z],
        [None, Some(y), Some(z)] => [y.cross(z).normalize_or(y.any_orthonormal_vector()), y, z],
        [Some(x), None, None] => {
            let (y, z) = x.any_orthonormal_pair();
            [x, y, z]
        }
        [None, Some(y), None] => {
            let (z, x) = y.any_orthonormal_pair();
            [x, y, z]
        }
        [None, None, Some(z)] => {
            let (x, y) = z.any_orthonormal_pair();
            [x, y, z]
        }
        [None, None, None] => return Quat::IDENTITY,
    };
    m = glam::DMat3::from_cols(x, y, z);
    if m.determinant() < 0.0 {
        m.x_axis = -m.x_axis;
    }
    for _ in 0..40 {
        if m.determinant().abs() < 1e-12 {
            // Columns in one plane: Gram-Schmidt is as near as anything.
            let x = m.x_axis.normalize_or(glam::DVec3::X);
            let y = (m.y_axis - x * x.dot(m.y_axis)).normalize_or(x.any_orthonormal_vector());
            m = glam::DMat3::from_cols(x, y, x.cross(y));
            break;
        }
        let next = (m + m.inverse().transpose()) * 0.5;
        let change = (next - m).abs_diff_eq(glam::DMat3::ZERO, 1e-13);
        m = next;
        if change {
            break;
        }
    }
    glam::DQuat::from_mat3(&m).normalize().as_quat()
}

/// A rotation, a uniform scale and a translation: what stands between a file and metres, +Y up, facing +Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// Unit quaternion.
    pub rotation: Quat,
    /// Positive.
    pub scale: f32,
    /// In target units.
    pub translation: Vec3,
}

impl Default for Similarity {
    fn default() -> Self {
        Self { rotation: Quat::IDENTITY, scale: 1.0, translation: Vec3::ZERO }
    }
}

impl Similarity {
    /// The matrix of this similarity.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(
            Vec3::splat(self.scale),
            self.rotation,
            self.translation,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transform_survives_its_matrix() {
        let t = Transform {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: Quat::from_rotation_x(0.4) * Quat::from_rotation_z(-2.0),
            scale: Vec3::new(0.01, 2.0, 100.0),
        };
        let back = Transform::from_affine(&t.to_affine());
        assert!(back.rotation.dot(t.rotation).abs() > 0.999_999);
        assert!((back.scale / t.scale - Vec3::ONE).abs().max_element() < 1e-5);
        assert_eq!(back.translation, t.translation);
    }

    #[test]
    fn mirror_becomes_a_negative_scale_on_x() {
        let m = Affine3A::from_scale(Vec3::new(1.0, -1.0, 1.0));
        let t = Transform::from_affine(&m);
        assert!(t.rotation.is_normalized());
        assert!((t.to_affine().matrix3.determinant() + 1.0).abs() < 1e-5);
    }

    #[test]
    fn flat_and_broken_matrices_still_give_a_unit_rotation() {
        for m in [
            Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0)),
            Affine3A::from_scale(Vec3::ZERO),
            Affine3A::from_scale(Vec3::new(f32::NAN, 1.0, 1.0)),
            Affine3A::from_cols(Vec3::X.into(), Vec3::X.into(), Vec3::X.into(), Vec3::ZERO.into()),
        ] {
            assert!(polar_rotation(&m).is_normalized(), "{m:?}");
        }
    }
}
