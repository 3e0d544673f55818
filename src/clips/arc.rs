//! Slerps in lanes: the short arc between two rotations, with its divisions done beforehand.

use glam::Quat;

use crate::math::ops;

/// Rotations that are interpolated side by side; two SSE registers.
pub(super) const LANES: usize = 8;

/// Arcs of `LANES` rotations from one key to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArcBlock {
    from: [[f32; LANES]; 4],
    towards: [[f32; LANES]; 4],
    angle: [f32; LANES],
}

impl ArcBlock {
    pub(super) const REST: Self =
        Self { from: [[0.0; LANES]; 4], towards: [[0.0; LANES]; 4], angle: [0.0; LANES] };

    /// Sets one lane to the arc between two unit quaternions less than 180° (as rotations) apart.
    pub(super) fn set(&mut self, lane: usize, from: Quat, to: Quat) {
        let across = to - from;
        // Twice the angle between half-sum and half-difference: exact for small arcs, where acos is not.
        let angle = 2.0 * ops::atan2(across.length(), (to + from).length());
        let away = across - from * from.dot(across);
        let length = away.length();
        let (towards, angle) = if length > 1e-12 {
            (away / length, angle)
        } else {
            (Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), 0.0)
        };
        for (axis, (f, t)) in from.to_array().into_iter().zip(towards.to_array()).enumerate() {
            self.from[axis][lane] = f;
            self.towards[axis][lane] = t;
        }
        self.angle[lane] = angle;
    }

    /// x, y, z, w of all lanes at `share` of the way.
    #[inline(always)]
    pub(super) fn at(&self, share: f32) -> [[f32; LANES]; 4] {
        let mut sin = [0.0; LANES];
        let mut cos = [0.0; LANES];
        for lane in 0..LANES {
            (sin[lane], cos[lane]) = sin_cos(self.angle[lane] * share);
        }
        let mut out = [[0.0; LANES]; 4];
        for (axis, out) in out.iter_mut().enumerate() {
            for lane in 0..LANES {
                out[lane] =
                    self.from[axis][lane] * cos[lane] + self.towards[axis][lane] * sin[lane];
            }
        }
        out
    }
}

/// Sine and cosine for 0 ≤ x ≤ π/2, error below 2e-7; straight-line code, so that it runs in lanes.
///
/// Taylor's polynomials about 0 for x/2 (at most π/4, terms to the ninth and tenth power), then the double angle.
#[inline(always)]
fn sin_cos(x: f32) -> (f32, f32) {
    let h = 0.5 * x;
    let h2 = h * h;
    let sin =
        h * (1.0 + h2 * (-1.0 / 6.0 + h2 * (1.0 / 120.0 + h2 * (-1.0 / 5040.0 + h2 / 362_880.0))));
    let cos = 1.0 + h2 * (-0.5 + h2 * (1.0 / 24.0 + h2 * (-1.0 / 720.0 + h2 / 40_320.0)));
    (2.0 * sin * cos, 1.0 - 2.0 * sin * sin)
}

/// `q` made unit; the identity for zero.
pub(super) fn unit(q: Quat) -> Quat {
    let length = q.length();
    if length > 1e-12 { q / length } else { Quat::IDENTITY }
}
