//! Which of many segments is nearest to each of many points.
//!
//! Points are taken as they come: neighbours in the list mostly lie close together. Segments that cannot be nearest to any
//! point of a group are left out for it, then those that cannot for a block of the group; what is left is measured to
//! as many points at a time as the processor has lanes. Nothing is fused, so lanes do not show in the results.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use glam::Vec3;
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
        let number = |x: f32| S::f32s::splat(simd, x);
        let (zero, one, inverse) = (number(0.0), number(1.0), number(self.inverse_squared));
        let [a, b, c] = [number(self.a.x), number(self.a.y), number(self.a.z)];
        let [u, v, w] = [number(self.ab.x), number(self.ab.y), number(self.ab.z)];
        let place = number(self.place);
        for (&[x, y, z], [least, which]) in points.iter().zip(best) {
            let (x, y, z) = (x - a, y - b, z - c);
            let t = ((x * u + y * v + z * w) * inverse).max(zero).min(one);
            let (x, y, z) = (x - t * u, y - t * v, z - t * w);
            let squared = x * x + y * y + z * z;
            let is_nearer = squared.simd_lt(*least);
            *least = is_nearer.select(squared, *least);
            *which = is_nearer.select(place, *which);
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
    let (level, n) = (Level::new(), GROUP * BLOCK);
    let results = distance.par_chunks_mut(n).zip(nearest.par_chunks_mut(n));
    points.par_chunks(n).zip(results).for_each(|(points, (distance, nearest))| {
        dispatch!(level, simd => group(simd, &all, points, (distance, nearest)));
    });
    (distance, nearest)
}

/// Measures a group of points to those of `all` that may be near.
#[inline(always)]
fn group<S: Simd>(
    simd: S,
    all: &[Packed],
    points: &[Vec3],
    (distance, nearest): (&mut [f32], &mut [u32]),
) {
    let blocks: Vec<Block> = points.chunks(BLOCK).map(Block::new).collect();
    let low = blocks.iter().fold(Vec3::MAX, |low, block| low.min(block.low));
    let high = blocks.iter().fold(Vec3::MIN, |high, block| high.max(block.high));
    let (mut of_group, mut of_block) = (Vec::new(), Vec::new());
    keep_near(all, low, high, &mut of_group);
    let results = distance.chunks_mut(BLOCK).zip(nearest.chunks_mut(BLOCK));
    for (block, (distance, nearest)) in blocks.iter().zip(results) {
        keep_near(&of_group, block.low, block.high, &mut of_block);
        measure(simd, &of_block, block, distance, nearest);
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
    let n = S::f32s::LEN;
    for first in (0..BLOCK).step_by(AT_ONCE * n) {
        let mut points = [[S::f32s::splat(simd, 0.0); 3]; AT_ONCE];
        let mut best = [[S::f32s::splat(simd, f32::INFINITY), S::f32s::splat(simd, 0.0)]; AT_ONCE];
        for (i, point) in points.iter_mut().enumerate() {
            let from = first + i * n;
            for (to, along) in point.iter_mut().zip(&block.along) {
                *to = S::f32s::from_slice(simd, &along[from..from + n]);
            }
        }
        for segment in segments {
            segment.take_nearer(simd, &points, &mut best);
        }
        for (i, [nearest, place]) in best.into_iter().enumerate() {
            let from = first + i * n;
            nearest.store_slice(&mut least[from..from + n]);
            place.store_slice(&mut which[from..from + n]);
        }
    }
    for (to, least) in distance.iter_mut().zip(least) {
        *to = least.sqrt();
    }
    for (to, which) in nearest.iter_mut().zip(which) {
        *to = which as u32;
    }
}
