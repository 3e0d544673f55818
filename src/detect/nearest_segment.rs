//! Which of many segments is nearest to each of many points.
//!
//! Points are taken as they come: neighbours in the list mostly lie close together. Segments that cannot be nearest to any
//! point of a group are left out for it, then those that cannot for a block of the group; what is left is measured to
//! as many points at a time as the processor has lanes. Nothing is fused, so lanes do not show in the results.

use glam::Vec3;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::Segment;

/// Vectors of points that are measured at once: while one waits for a result, another goes on.
const AT_ONCE: usize = 4;
/// Points that are measured to the same segments; a multiple of what any processor measures at once.
const BLOCK: usize = 64;
/// Blocks for which segments are left out first.
const GROUP: usize = 16;

/// A segment as the inner loop wants it.
#[derive(Clone, Copy)]
struct Packed {
    a: Vec3,
    ab: Vec3,
    inverse_squared: f32,
    /// Its place among all; whole numbers up to 2²⁴ are exact.
    place: f32,
    /// To the centre of the ball of points that it was last held against.
    squared: f32,
}

impl Packed {
    fn new((place, segment): (usize, &Segment)) -> Self {
        let ab = segment.b - segment.a;
        let squared = ab.length_squared();
        let inverse_squared = if squared > f32::MIN_POSITIVE { 1.0 / squared } else { 0.0 };
        Self { a: segment.a, ab, inverse_squared, place: place as f32, squared: 0.0 }
    }

    #[inline(always)]
    fn squared_distance(&self, p: Vec3) -> f32 {
        let from_a = p - self.a;
        let t = (from_a.dot(self.ab) * self.inverse_squared).clamp(0.0, 1.0);
        (from_a - self.ab * t).length_squared()
    }

    /// Puts this segment into `best` (squared distance, place) where it is nearer, for vectors of points.
    // Without closures: those are not compiled for the wider lanes.
    #[inline(always)]
    fn take_nearer<S: Simd>(
        &self,
        simd: S,
        points: &[[S::f32s; 3]; AT_ONCE],
        best: &mut [[S::f32s; 2]; AT_ONCE],
    ) {
        let (zero, one) = (simd.splat_f32s(0.0), simd.splat_f32s(1.0));
        let (u, v) = (simd.splat_f32s(self.ab.x), simd.splat_f32s(self.ab.y));
        let (w, inverse) = (simd.splat_f32s(self.ab.z), simd.splat_f32s(self.inverse_squared));
        let (a, b) = (simd.splat_f32s(self.a.x), simd.splat_f32s(self.a.y));
        let (c, place) = (simd.splat_f32s(self.a.z), simd.splat_f32s(self.place));
        for (&[x, y, z], [least, which]) in points.iter().zip(best) {
            let (x, y, z) = (simd.sub_f32s(x, a), simd.sub_f32s(y, b), simd.sub_f32s(z, c));
            let along = simd.add_f32s(simd.mul_f32s(x, u), simd.mul_f32s(y, v));
            let along = simd.add_f32s(along, simd.mul_f32s(z, w));
            let t = simd.mul_f32s(along, inverse);
            let t = simd.min_f32s(simd.max_f32s(t, zero), one);
            let x = simd.sub_f32s(x, simd.mul_f32s(t, u));
            let y = simd.sub_f32s(y, simd.mul_f32s(t, v));
            let z = simd.sub_f32s(z, simd.mul_f32s(t, w));
            let sum = simd.add_f32s(simd.mul_f32s(x, x), simd.mul_f32s(y, y));
            let squared = simd.add_f32s(sum, simd.mul_f32s(z, z));
            let is_nearer = simd.less_than_f32s(squared, *least);
            *least = simd.select_f32s(is_nearer, squared, *least);
            *which = simd.select_f32s(is_nearer, place, *which);
        }
    }
}

/// Points by axis, and the corners of the box that holds them.
#[derive(Clone, Copy)]
struct Block {
    along: [[f32; BLOCK]; 3],
    low: Vec3,
    high: Vec3,
}

impl Block {
    #[inline(always)]
    fn new(points: &[Vec3]) -> Self {
        let mut block = Self { along: [[0.0; BLOCK]; 3], low: Vec3::MAX, high: Vec3::MIN };
        for (i, &p) in points.iter().enumerate() {
            [block.along[0][i], block.along[1][i], block.along[2][i]] = p.to_array();
            block.low = block.low.min(p);
            block.high = block.high.max(p);
        }
        block
    }
}

/// `[points]`: distance to the nearest segment, infinite where there is none (or the point is none), and its place.
///
/// Cost: O(points × segments) at worst, a tenth of it on meshes as they come; two cores.
pub(super) fn nearest_segments(segments: &[Segment], points: &[Vec3]) -> (Vec<f32>, Vec<u32>) {
    let mut distance = vec![f32::INFINITY; points.len()];
    let mut nearest = vec![0; points.len()];
    let all: Vec<Packed> = segments.iter().enumerate().map(Packed::new).collect();
    let (arch, n) = (Arch::new(), GROUP * BLOCK);
    let results = distance.par_chunks_mut(n).zip(nearest.par_chunks_mut(n));
    points.par_chunks(n).zip(results).for_each(|(points, (distance, nearest))| {
        arch.dispatch(Group { all: &all, points, distance, nearest });
    });
    (distance, nearest)
}

/// Points and where their results go.
struct Group<'a> {
    all: &'a [Packed],
    points: &'a [Vec3],
    distance: &'a mut [f32],
    nearest: &'a mut [u32],
}

impl WithSimd for Group<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let blocks: Vec<Block> = self.points.chunks(BLOCK).map(Block::new).collect();
        let low = blocks.iter().fold(Vec3::MAX, |low, block| low.min(block.low));
        let high = blocks.iter().fold(Vec3::MIN, |high, block| high.max(block.high));
        let (mut of_group, mut of_block) = (Vec::new(), Vec::new());
        keep_near(self.all, low, high, &mut of_group);
        let results = self.distance.chunks_mut(BLOCK).zip(self.nearest.chunks_mut(BLOCK));
        for (block, (distance, nearest)) in blocks.iter().zip(results) {
            keep_near(&of_group, block.low, block.high, &mut of_block);
            measure(simd, &of_block, block, distance, nearest);
        }
    }
}

/// Puts those of `segments` into `kept` that may be nearest to a point between the corners `low` and `high`.
///
/// A segment at distance d from the centre of a ball is at d ± its radius from every point in it.
#[inline(always)]
fn keep_near(segments: &[Packed], low: Vec3, high: Vec3, kept: &mut Vec<Packed>) {
    let center = (low + high) * 0.5;
    let mut least = f32::INFINITY;
    kept.clear();
    for segment in segments {
        let squared = segment.squared_distance(center);
        least = least.min(squared);
        kept.push(Packed { squared, ..*segment });
    }
    // Rounding must not leave the nearest one out; points that are none keep all.
    let limit = (least.sqrt() + 2.0 * high.distance(center)) * (1.0 + 1e-5);
    let limit = limit * limit;
    let is_far = |segment: &Packed| segment.squared > limit;
    kept.retain(|segment| !is_far(segment));
}

/// Measures a block of points to `segments`.
#[inline(always)]
fn measure<S: Simd>(
    simd: S,
    segments: &[Packed],
    block: &Block,
    distance: &mut [f32],
    nearest: &mut [u32],
) {
    let mut least = [f32::INFINITY; BLOCK];
    let mut which = [0.0; BLOCK];
    let xs = S::as_simd_f32s(&block.along[0]).0.chunks_exact(AT_ONCE);
    let ys = S::as_simd_f32s(&block.along[1]).0.chunks_exact(AT_ONCE);
    let zs = S::as_simd_f32s(&block.along[2]).0.chunks_exact(AT_ONCE);
    let leasts = S::as_mut_simd_f32s(&mut least).0.chunks_exact_mut(AT_ONCE);
    let whiches = S::as_mut_simd_f32s(&mut which).0.chunks_exact_mut(AT_ONCE);
    for (((xs, ys), zs), (leasts, whiches)) in xs.zip(ys).zip(zs).zip(leasts.zip(whiches)) {
        let mut points = [[simd.splat_f32s(0.0); 3]; AT_ONCE];
        let mut best = [[simd.splat_f32s(f32::INFINITY), simd.splat_f32s(0.0)]; AT_ONCE];
        for (point, ((&x, &y), &z)) in points.iter_mut().zip(xs.iter().zip(ys).zip(zs)) {
            *point = [x, y, z];
        }
        for segment in segments {
            segment.take_nearer(simd, &points, &mut best);
        }
        for ((least, which), best) in leasts.iter_mut().zip(whiches).zip(best) {
            [*least, *which] = best;
        }
    }
    for (to, least) in distance.iter_mut().zip(least) {
        *to = least.sqrt();
    }
    for (to, which) in nearest.iter_mut().zip(which) {
        *to = which as u32;
    }
}
