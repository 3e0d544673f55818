//! Slerps in lanes: the short arc between two rotations, with its divisions done beforehand.

use fearless_simd::{Simd, SimdBase, f32x4, f32x8};
use glam::Quat;

use crate::math::ops;

/// Rotations that are interpolated side by side.
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

    /// The rotations of all lanes at `share` of the way.
    #[inline(always)]
    pub(super) fn at<S: Simd>(&self, proof: S, share: f32) -> [Quat; LANES] {
        let (sin, cos) = sin_cos(f32x8::from_slice(proof, &self.angle) * share);
        let x = self.axis(0, sin, cos);
        let y = self.axis(1, sin, cos);
        let z = self.axis(2, sin, cos);
        let w = self.axis(3, sin, cos);
        let rows = [transposed([x.0, y.0, z.0, w.0]), transposed([x.1, y.1, z.1, w.1])];
        bytemuck::cast(rows)
    }

    /// One number of the rotations of all lanes, in two halves.
    #[inline(always)]
    fn axis<S: Simd>(&self, i: usize, sin: f32x8<S>, cos: f32x8<S>) -> (f32x4<S>, f32x4<S>) {
        let from = f32x8::from_slice(sin.simd, &self.from[i]);
        let towards = f32x8::from_slice(sin.simd, &self.towards[i]);
        sin.simd.split_f32x8(from * cos + towards * sin)
    }
}

/// Four numbers of four rotations side by side become the rotations. By pairs: what the library does in one step for
/// wide registers takes longer.
#[inline(always)]
fn transposed<S: Simd>([x, y, z, w]: [f32x4<S>; 4]) -> [[f32; 4]; 4] {
    let (xz_ab, xz_cd) = (x.zip_low(z), x.zip_high(z));
    let (yw_ab, yw_cd) = (y.zip_low(w), y.zip_high(w));
    [
        xz_ab.zip_low(yw_ab).into(),
        xz_ab.zip_high(yw_ab).into(),
        xz_cd.zip_low(yw_cd).into(),
        xz_cd.zip_high(yw_cd).into(),
    ]
}

/// Sine and cosine for 0 ≤ x ≤ π/2, error below 2e-7.
///
/// Taylor's polynomials about 0 for x/2 (at most π/4, terms to the ninth and tenth power), then the double angle.
#[inline(always)]
fn sin_cos<S: Simd>(x: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
    let h = x * 0.5;
    let h2 = h * h;
    let sin = h2 * (1.0 / 362_880.0) + (-1.0 / 5040.0);
    let sin = h2 * (h2 * (h2 * sin + 1.0 / 120.0) + (-1.0 / 6.0));
    let sin = h * (sin + 1.0);
    let cos = h2 * (1.0 / 40_320.0) + (-1.0 / 720.0);
    let cos = h2 * (h2 * (h2 * cos + 1.0 / 24.0) + (-0.5)) + 1.0;
    let twice = sin + sin;
    (twice * cos, -(twice * sin) + 1.0)
}

/// `q` made unit; the identity for zero.
pub(super) fn unit(q: Quat) -> Quat {
    let length = q.length();
    if length > 1e-12 { q / length } else { Quat::IDENTITY }
}
