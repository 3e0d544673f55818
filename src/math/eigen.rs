//! Covariance of weighted points and its eigenvalues.

use glam::{DVec3, Vec3};
use nalgebra::{Matrix3, SymmetricEigen};

/// Principal axes of a set of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalAxes {
    /// Weighted mean.
    pub centroid: Vec3,
    /// Eigenvalues of the covariance matrix, largest first, never negative, in square metres.
    pub eigenvalues: [f32; 3],
    /// Unit eigenvectors in the same order.
    pub axes: [Vec3; 3],
}

/// Principal axes of `points`, each `(position, weight)`; `None` where the weights sum to nothing.
///
/// Sums run in f64.
pub fn principal_axes(points: impl Iterator<Item = (Vec3, f32)> + Clone) -> Option<PrincipalAxes> {
    let (mean, covariance) = moments(points)?;
    let eigen = SymmetricEigen::new(covariance);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let axis = |i: usize| {
        let column = eigen.eigenvectors.column(i);
        DVec3::new(column[0], column[1], column[2]).as_vec3()
    };
    Some(PrincipalAxes {
        centroid: mean.as_vec3(),
        eigenvalues: order.map(|i| eigen.eigenvalues[i].max(0.0) as f32),
        axes: order.map(axis),
    })
}

/// What [`principal_axes`] gives as eigenvalues, where the axes do not matter.
pub fn principal_variances(points: impl Iterator<Item = (Vec3, f32)> + Clone) -> Option<[f32; 3]> {
    let (_, covariance) = moments(points)?;
    let mut values: [f64; 3] = covariance.symmetric_eigenvalues().into();
    values.sort_by(|a, b| b.total_cmp(a));
    Some(values.map(|value| value.max(0.0) as f32))
}

/// Mean and covariance.
fn moments(points: impl Iterator<Item = (Vec3, f32)> + Clone) -> Option<(DVec3, Matrix3<f64>)> {
    let mut total = 0.0_f64;
    let mut sum = DVec3::ZERO;
    // `for_each`, since chained iterators run through themselves quicker than they are asked one by one.
    points.clone().for_each(|(p, w)| {
        total += f64::from(w);
        sum += p.as_dvec3() * f64::from(w);
    });
    if total <= 0.0 || !total.is_finite() {
        return None;
    }
    let mean = sum / total;
    // On and off the diagonal.
    let (mut on, mut off) = (DVec3::ZERO, DVec3::ZERO);
    points.for_each(|(p, w)| {
        let d = p.as_dvec3() - mean;
        let weighted = d * f64::from(w);
        on += weighted * d;
        off += weighted * DVec3::new(d.y, d.z, d.x);
    });
    let (on, off) = (on / total, off / total);
    Some((mean, Matrix3::new(on.x, off.x, off.z, off.x, on.y, off.y, off.z, off.y, on.z)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_points_has_the_variances_of_its_sides() {
        let corners = (0..8).map(|i| {
            let s = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            (Vec3::new(s(0) * 1.0, s(1) * 3.0, s(2) * 2.0), 1.0)
        });
        let axes = principal_axes(corners.clone()).unwrap();
        assert_eq!(principal_variances(corners), Some(axes.eigenvalues));
        let expected = [9.0, 4.0, 1.0];
        for (found, wanted) in axes.eigenvalues.iter().zip(expected) {
            assert!((found - wanted).abs() < 1e-5);
        }
        assert!(axes.axes[0].y.abs() > 0.999);
    }
}
