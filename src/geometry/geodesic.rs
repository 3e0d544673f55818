//! Distances along the skin.
//!
//! Based on: Kimmel and Sethian, Computing geodesic paths on manifolds, 1998 (Dijkstra's order, one update across each
//! triangle); Novotni and Klein, Computing geodesic distances on triangular meshes, 2002 (the update by a virtual
//! source, which is exact on flat patches round a point).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::MeshGraph;

/// Distance in metres along the surface from the nearest seed to each vertex, `[W]`; infinite where no seed reaches.
///
/// `seeds` are vertices with the distance they start from. Dijkstra's order; a vertex is reached over edges and, from
/// two settled vertices, across the triangle between them: as from the one point that both were reached from, or, where
/// they were reached from different seeds (a line of them) or from one that starts late, as by a straight front. Triangles
/// are not unfolded past their corners, so meshes of needles err more.
///
/// Cost: O(W log W).
pub fn distances(graph: &MeshGraph, seeds: &[(u32, f32)]) -> Vec<f32> {
    let mut search = Search::new(graph);
    for &(v, d) in seeds {
        // What was on its way before has no point on this skin that it came from.
        search.offer(v, d, if d > 0.0 { LINE } else { v });
    }
    while let Some(v) = search.settle() {
        search.spread(v);
    }
    search.distance
}

/// Stands for the seed of vertices behind a straight front.
const LINE: u32 = u32::MAX;

struct Search<'a> {
    graph: &'a MeshGraph,
    distance: Vec<f32>,
    /// The seed each vertex was reached from; [`LINE`] behind a front that several made.
    seed: Vec<u32>,
    is_settled: Vec<bool>,
    /// Distance bits above, vertex below: bits of non-negative floats sort as the floats do.
    queue: BinaryHeap<Reverse<u64>>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a MeshGraph) -> Self {
        Self {
            graph,
            distance: vec![f32::INFINITY; graph.len()],
            seed: vec![0; graph.len()],
            is_settled: vec![false; graph.len()],
            queue: BinaryHeap::with_capacity(graph.len().min(1 << 16)),
        }
    }

    fn offer(&mut self, v: u32, d: f32, seed: u32) {
        if d < self.distance[v as usize] {
            // A distance of -0.0 would sort last.
            let d = d.max(0.0);
            self.distance[v as usize] = d;
            self.seed[v as usize] = seed;
            self.queue.push(Reverse(u64::from(d.to_bits()) << 32 | u64::from(v)));
        }
    }

    fn settle(&mut self) -> Option<u32> {
        while let Some(Reverse(entry)) = self.queue.pop() {
            let v = entry as u32;
            if !std::mem::replace(&mut self.is_settled[v as usize], true) {
                return Some(v);
            }
        }
        None
    }

    fn spread(&mut self, v: u32) {
        let graph = self.graph;
        let p = &graph.positions;
        let (pv, dv, seed) = (p[v as usize], self.distance[v as usize], self.seed[v as usize]);
        for &u in graph.neighbors(v) {
            if !self.is_settled[u as usize] {
                self.offer(u, dv + pv.distance(p[u as usize]), seed);
            }
        }
        for &t in graph.triangles_at(v) {
            let [i, j, k] = graph.triangles[t as usize];
            let (a, b) = if i == v {
                (j, k)
            } else if j == v {
                (k, i)
            } else {
                (i, j)
            };
            let (settled, open) = match (self.is_settled[a as usize], self.is_settled[b as usize]) {
                (true, false) => (a, b),
                (false, true) => (b, a),
                _ => continue,
            };
            let (ps, po) = (p[settled as usize], p[open as usize]);
            let is_from_point = seed != LINE && self.seed[settled as usize] == seed;
            let side = Side {
                squared: ps.distance_squared(pv),
                d_a: dv,
                d_b: self.distance[settled as usize],
                is_from_point,
            };
            if let Some(d) = across(side, po.distance_squared(pv), (po - pv).dot(ps - pv)) {
                self.offer(open, d, if is_from_point { seed } else { LINE });
            }
        }
    }
}

/// The settled side a→b of a triangle: its squared length, the distances at its ends, and whether both ends were
/// reached from one seed.
struct Side {
    squared: f32,
    d_a: f32,
    d_b: f32,
    is_from_point: bool,
}

/// Distance of the corner across from a settled side; `None` where the shortest way does not cross that side.
///
/// In the plane of the triangle with a at the origin and b at (c, 0), the corner stands at (x, y), y > 0, and the
/// source whose distances to a and b are known at (s, -h), h ≥ 0:
///
/// ```text
///   s = (d_a² - d_b² + c²) / 2c,  h² = d_a² - s²,  d = |(x - s, y + h)|
/// ```
///
/// From a line of seeds, or where there is no such point, a straight front with direction (n_x, n_y),
/// n_x = (d_b - d_a) / c, gives d = d_a + n_x x + n_y y.
fn across(side: Side, squared_corner: f32, dot: f32) -> Option<f32> {
    let Side { squared, d_a, d_b, is_from_point } = side;
    if squared <= f32::MIN_POSITIVE {
        return None;
    }
    let c = squared.sqrt();
    let x = dot / c;
    let y = (squared_corner - x * x).max(0.0).sqrt();
    let s = (d_a * d_a - d_b * d_b + squared) / (2.0 * c);
    let h_squared = d_a * d_a - s * s;
    if is_from_point && h_squared >= 0.0 {
        let h = h_squared.sqrt();
        // Where the way from the source to the corner crosses the side: between its ends, or not at all.
        let crossing = s * y + x * h;
        let is_across = crossing >= 0.0 && crossing <= c * (y + h);
        return is_across.then(|| ((x - s) * (x - s) + (y + h) * (y + h)).sqrt());
    }
    let n_x = (d_b - d_a) / c;
    let n_y = (1.0 - n_x * n_x).max(0.0).sqrt();
    let crossing = x * n_y - y * n_x;
    (n_y > 0.0 && crossing >= 0.0 && crossing <= c * n_y).then_some(d_a + n_x * x + n_y * y)
}

#[cfg(test)]
mod tests;
