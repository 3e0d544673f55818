//! Test 1: appendage or body, judged on the far part alone (spec 1.5, 8 D3).

use std::collections::BinaryHeap;

use glam::Vec3;

use super::scene::Scene;
use crate::math::stats::percentile;

/// A piece of far skin and the numbers of test 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FarPart {
    /// Welded vertices, sorted.
    pub vertices: Vec<u32>,
    /// The ring of vertices next to it, or its vertices nearest the skeleton where it has none.
    pub collar: Vec<u32>,
    /// Whether the collar is a ring round its edge.
    pub has_ring: bool,
    pub centroid_ratio: f32,
    pub protrusion: f32,
    pub slenderness: f32,
}

impl FarPart {
    /// The far part of `vertices`, welded, sorted. Cost: O(n log n) for n vertices.
    pub fn new(scene: &Scene, vertices: Vec<u32>) -> Self {
        let graph = &scene.topology.graph;
        let is_in = marked(graph.len(), &vertices);
        let around = vertices.iter().flat_map(|&v| graph.around(v));
        let mut collar: Vec<u32> = around.filter(|&u| !is_in[u as usize]).collect();
        collar.sort_unstable();
        collar.dedup();
        let has_ring = collar.len() >= 3;
        if !has_ring {
            collar = nearest_share(&vertices, 0.05, |v| scene.distance(v), |_| 0.0);
        }
        let center = mean(scene, &collar);
        let reach =
            vertices.iter().map(|&v| scene.position(v).distance(center)).fold(0.0, f32::max);
        let centroid = centroid(scene, &vertices);
        let mut distances: Vec<f32> = vertices.iter().map(|&v| scene.distance(v)).collect();
        let per_reach = |m: f32| if reach > 0.0 { m / reach } else { 0.0 };
        Self {
            centroid_ratio: per_reach(scene.segments.distance(centroid)),
            protrusion: per_reach(percentile(&mut distances, 0.95)),
            slenderness: slenderness(scene, &collar, center, reach),
            vertices,
            collar,
            has_ring,
        }
    }

    /// Whether one of the three numbers says appendage.
    pub fn passes(&self, scene: &Scene) -> bool {
        let s = scene.settings;
        self.centroid_ratio >= s.centroid_ratio
            || self.protrusion >= s.protrusion
            || self.slenderness >= s.slenderness
    }
}

/// `[n]`: which of as many vertices are among `vertices`.
pub(super) fn marked(n: usize, vertices: &[u32]) -> Vec<bool> {
    let mut is_in = vec![false; n];
    for &v in vertices {
        is_in[v as usize] = true;
    }
    is_in
}

/// Reach over the RMS radius of a collar.
pub(super) fn slenderness(scene: &Scene, collar: &[u32], center: Vec3, reach: f32) -> f32 {
    let sum: f32 = collar.iter().map(|&v| scene.position(v).distance_squared(center)).sum();
    let rms = (sum / collar.len().max(1) as f32).sqrt();
    // A collar of one point says nothing; a share of the height keeps the ratio finite.
    reach / rms.max(1e-3 * scene.height()).max(f32::MIN_POSITIVE)
}

/// Mean of the positions.
pub(super) fn mean(scene: &Scene, vertices: &[u32]) -> Vec3 {
    let sum: Vec3 = vertices.iter().map(|&v| scene.position(v)).sum();
    sum / vertices.len().max(1) as f32
}

/// Centroid by area; the mean where there is no area.
pub(super) fn centroid(scene: &Scene, vertices: &[u32]) -> Vec3 {
    let mut sum = Vec3::ZERO;
    let mut total = 0.0;
    for &v in vertices {
        let a = scene.area(v);
        sum += scene.position(v) * a;
        total += a;
    }
    if total > 0.0 { sum / total } else { mean(scene, vertices) }
}

/// How many of `n` a share is, at least three.
pub(super) fn share_of(n: usize, share: f32) -> usize {
    ((n as f32 * share).ceil() as usize).max(3)
}

/// The share of `vertices` with the least `known` plus `extra`, at least three of them, sorted.
///
/// `extra` is never negative and costs much: the vertices are asked in the order of what is known, until none that is
/// left can be among the least.
pub(super) fn nearest_share(
    vertices: &[u32],
    share: f32,
    known: impl Fn(u32) -> f32,
    extra: impl Fn(u32) -> f32,
) -> Vec<u32> {
    let n = share_of(vertices.len(), share);
    let mut keyed: Vec<(f32, u32)> = vertices.iter().map(|&v| (known(v), v)).collect();
    keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // The largest of them on top.
    let mut least: BinaryHeap<(i32, u32)> = BinaryHeap::with_capacity(n + 1);
    for (low, v) in keyed {
        if least.len() == n && least.peek().is_some_and(|worst| worst.0 < rank(low)) {
            break;
        }
        least.push((rank(low + extra(v)), v));
        if least.len() > n {
            least.pop();
        }
    }
    let mut chosen: Vec<u32> = least.into_iter().map(|(_, v)| v).collect();
    chosen.sort_unstable();
    chosen
}

/// A whole number that rises as the float does, by [`f32::total_cmp`].
fn rank(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}
