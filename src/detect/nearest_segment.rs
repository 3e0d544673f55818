//! Which of many segments is nearest to each of many points.
//!
//! Points are taken as they come: neighbours in the list mostly lie close together. Segments that cannot be nearest to any
//! point of a group are left out for it, then those that cannot for a block of the group; what is left is measured to
//! eight points at a time.

use glam::Vec3;
use rayon::prelude::*;
use wide::f32x8;

use super::Segment;

const LANES: usize = 8;
/// Points that are measured to the same segments.
const BLOCK: usize = 8 * LANES;
/// Points for which segments are left out first.
const GROUP: usize = 16 * BLOCK;

/// A segment as the inner loop wants it.
#[derive(Clone, Copy)]
struct Packed {
    a: Vec3,
    ab: Vec3,
    inverse_squared: f32,
    /// Its place among all; whole numbers up to 2²⁴ are exact.
    place: f32,
}

impl Packed {
    fn new((place, segment): (usize, &Segment)) -> Self {
        let ab = segment.b - segment.a;
        let squared = ab.length_squared();
        let inverse_squared = if squared > f32::MIN_POSITIVE { 1.0 / squared } else { 0.0 };
        Self { a: segment.a, ab, inverse_squared, place: place as f32 }
    }

    fn squared_distance(&self, p: Vec3) -> f32 {
        let from_a = p - self.a;
        let t = (from_a.dot(self.ab) * self.inverse_squared).clamp(0.0, 1.0);
        (from_a - self.ab * t).length_squared()
    }

    #[inline]
    fn squared_distances(&self, [x, y, z]: [f32x8; 3]) -> f32x8 {
        let (x, y, z) = (x - self.a.x, y - self.a.y, z - self.a.z);
        let t = (x * self.ab.x + y * self.ab.y + z * self.ab.z) * self.inverse_squared;
        let t = t.fast_max(f32x8::ZERO).fast_min(f32x8::ONE);
        let (x, y, z) = (x - t * self.ab.x, y - t * self.ab.y, z - t * self.ab.z);
        x * x + y * y + z * z
    }
}

/// Lists that a thread uses again and again.
#[derive(Default)]
struct Lists {
    of_group: Vec<Packed>,
    of_block: Vec<Packed>,
    squared: Vec<f32>,
}

/// `[points]`: distance to the nearest segment, infinite where there is none (or the point is none), and its place.
///
/// Cost: O(points × segments) at worst, a tenth of it on meshes as they come; two cores.
pub(super) fn nearest_segments(segments: &[Segment], points: &[Vec3]) -> (Vec<f32>, Vec<u32>) {
    let mut distance = vec![f32::INFINITY; points.len()];
    let mut nearest = vec![0; points.len()];
    let all: Vec<Packed> = segments.iter().enumerate().map(Packed::new).collect();
    let results = distance.par_chunks_mut(GROUP).zip(nearest.par_chunks_mut(GROUP));
    points.par_chunks(GROUP).zip(results).for_each_init(Lists::default, |lists, group| {
        let (points, (distance, nearest)) = group;
        let Lists { of_group, of_block, squared } = lists;
        keep_near(&all, points, squared, of_group);
        let results = distance.chunks_mut(BLOCK).zip(nearest.chunks_mut(BLOCK));
        for (points, (distance, nearest)) in points.chunks(BLOCK).zip(results) {
            keep_near(of_group, points, squared, of_block);
            measure(of_block, points, distance, nearest);
        }
    });
    (distance, nearest)
}

/// Puts those of `segments` into `kept` that may be nearest to one of `points`.
///
/// A segment at distance d from the centre of a ball is at d ± its radius from every point in it.
fn keep_near(segments: &[Packed], points: &[Vec3], squared: &mut Vec<f32>, kept: &mut Vec<Packed>) {
    let (low, high) =
        points.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), &p| (low.min(p), high.max(p)));
    let center = (low + high) * 0.5;
    let radius = high.distance(center);
    squared.clear();
    squared.extend(segments.iter().map(|s| s.squared_distance(center)));
    let least = squared.iter().copied().fold(f32::INFINITY, f32::min).sqrt();
    // Rounding must not leave the nearest one out; points that are none keep all.
    let limit = (least + 2.0 * radius) * (1.0 + 1e-5);
    let limit = limit * limit;
    kept.clear();
    for (segment, &squared) in segments.iter().zip(squared.iter()) {
        if squared > limit {
            continue;
        }
        kept.push(*segment);
    }
}

/// Measures at most a block of points to `segments`.
fn measure(segments: &[Packed], points: &[Vec3], distance: &mut [f32], nearest: &mut [u32]) {
    let mut lanes = [[f32x8::ZERO; 3]; BLOCK / LANES];
    for (eight, lanes) in points.chunks(LANES).zip(&mut lanes) {
        let along = |axis: usize| std::array::from_fn(|i| eight.get(i).map_or(0.0, |p| p[axis]));
        *lanes = [0, 1, 2].map(|axis| f32x8::new(along(axis)));
    }
    let mut best = [(f32x8::splat(f32::INFINITY), f32x8::ZERO); BLOCK / LANES];
    for segment in segments {
        let place = f32x8::splat(segment.place);
        for (&eight, (least, which)) in lanes.iter().zip(&mut best) {
            let squared = segment.squared_distances(eight);
            let is_nearer = squared.simd_lt(*least);
            *least = is_nearer.bitselect(squared, *least);
            *which = is_nearer.bitselect(place, *which);
        }
    }
    let results = distance.chunks_mut(LANES).zip(nearest.chunks_mut(LANES));
    for ((least, which), (distance, nearest)) in best.into_iter().zip(results) {
        for (to, from) in distance.iter_mut().zip(least.sqrt().to_array()) {
            *to = from;
        }
        for (to, from) in nearest.iter_mut().zip(which.to_array()) {
            *to = from as u32;
        }
    }
}
