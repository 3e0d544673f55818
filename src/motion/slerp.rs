//! Slerp by a fixed share, as two polynomials.
//!
//! Based on: D. Eberly, A fast and accurate algorithm for computing SLERP, 2011. sin(tθ)/sin θ is a power series in
//! x - 1, x = cos θ, whose coefficients depend on t alone. A chain's share is the same in every substep, so they are
//! worked out once and a slerp costs two polynomials and no trigonometric function.

use super::lanes::{Lanes, Q4};

/// Terms after the first.
const TERMS: usize = 10;
/// Weight of the last term, which stands for all that are cut off; minimises the largest error over 0 to 90° between
/// quaternions (2.5e-6 rad of the resulting rotation).
const LAST: f64 = 1.8845;

/// Cosine between quaternions from which on (within 64° of rotation) the result is unit to rounding without more ado.
const NEAR: f32 = 0.85;

/// The two polynomials of a share α.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareSlerp<L> {
    /// sin((1 - α) θ) / sin θ.
    from: [L; TERMS + 1],
    /// sin(α θ) / sin θ.
    to: [L; TERMS + 1],
}

fn coefficients(share: f64) -> [f32; TERMS + 1] {
    let mut product = share;
    std::array::from_fn(|i| {
        if i > 0 {
            let k = i as f64;
            let last = if i == TERMS { LAST } else { 1.0 };
            product *= last * (share * share / (k * (2.0 * k + 1.0)) - k / (2.0 * k + 1.0));
        }
        product as f32
    })
}

impl<L: Lanes> ShareSlerp<L> {
    /// Shares that are not set yet.
    pub fn new(zero: L) -> Self {
        Self { from: [zero; TERMS + 1], to: [zero; TERMS + 1] }
    }

    /// Sets the share of one lane, 0 to 1.
    pub fn set_lane(&mut self, lane: usize, share: f32) {
        let share = f64::from(share);
        for (slot, c) in self.from.iter_mut().zip(coefficients(1.0 - share)) {
            slot.set_lane(lane, c);
        }
        for (slot, c) in self.to.iter_mut().zip(coefficients(share)) {
            slot.set_lane(lane, c);
        }
    }

    /// From `a` the share α of the shorter way to `b`, unit to rounding.
    #[inline(always)]
    pub fn apply(&self, a: Q4<L>, b: Q4<L>) -> Q4<L> {
        let product = a.dot(b);
        let b = b.towards(product);
        let x = product.abs();
        let y = x - 1.0;
        let (f, t) = (series(&self.from, y), series(&self.to, y));
        let q = Q4 { v: a.v.scaled(f) + b.v.scaled(t), w: a.w * f + b.w * t };
        let far = x.lt(x.of(NEAR));
        if !L::any(far) {
            return q;
        }
        // One Newton step: the length is within 1e-5 of one already.
        Q4::select(far, q.scaled(q.dot(q) * -0.5 + 1.5), q)
    }
}

/// The sum of a power series, by Estrin's scheme: a third of the steps that wait for each other in Horner's.
#[inline(always)]
fn series<L: Lanes>(c: &[L; TERMS + 1], y: L) -> L {
    let (y2, y4) = (y * y, (y * y) * (y * y));
    let low = (pair(c, 0, y) + pair(c, 2, y) * y2) + (pair(c, 4, y) + pair(c, 6, y) * y2) * y4;
    low + (pair(c, 8, y) + c[TERMS] * y2) * (y4 * y4)
}

#[inline(always)]
fn pair<L: Lanes>(c: &[L; TERMS + 1], k: usize, y: L) -> L {
    c[k] + c[k + 1] * y
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, Simd, f32x4};
    use glam::{Quat, Vec3};

    use super::super::lanes::{WithLanes, with_lanes};
    use super::*;
    use crate::math::rotation::angle_between;

    /// From one rotation a share of the way to another.
    struct Way(f32, Quat, Quat);

    impl WithLanes for Way {
        type Output = Quat;
        fn with<S: Simd>(self, proof: S) -> Quat {
            let zero = <f32x4<S> as Lanes>::splat(proof, 0.0);
            let mut slerp = ShareSlerp::new(zero);
            slerp.set_lane(0, self.0);
            let [mut a, mut b] = [Q4::identity(zero); 2];
            a.set_lane(0, self.1);
            b.set_lane(0, self.2);
            slerp.apply(a, b).lane(0)
        }
    }

    #[test]
    fn polynomial_slerp_is_within_a_hundred_thousandth_of_a_radian() {
        let axis = Vec3::new(0.36, 0.48, 0.8);
        let a = Quat::from_rotation_y(0.3);
        for share in [0.0, 0.05, 0.095_162_6, 0.181, 0.5, 0.565, 1.0] {
            // At 180° both ways are the shorter one.
            for degrees in 0..180 {
                let angle = (degrees as f32).to_radians();
                let b = a * Quat::from_axis_angle(axis, angle);
                let wanted = a * Quat::from_axis_angle(axis, angle * share);
                let found = with_lanes(Level::new(), Way(share, a, b));
                assert!((found.length() - 1.0).abs() < 1e-6);
                let error = angle_between(found, wanted);
                assert!(error < 1e-5, "share {share}, {degrees}°: {error}");
            }
        }
    }
}
