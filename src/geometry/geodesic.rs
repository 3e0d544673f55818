//! Distances along the skin.
//!
//! Based on: Kimmel and Sethian, Computing geodesic paths on manifolds, 1998 (Dijkstra's order, one update across each
//! triangle); Novotni and Klein, Computing geodesic distances on triangular meshes, 2002 (the update by a virtual
//! source, which is exact on flat patches round a point).

use glam::Vec3;

use super::MeshGraph;
use super::queue::NearestFirst;

/// Distance in metres along the surface from the nearest seed to each vertex, `[W]`; infinite where no seed reaches.
///
/// `seeds` are vertices with the distance they start from. Dijkstra's order; a vertex is reached over edges and, from
/// two settled vertices, across the triangle between them: as from the one point that both were reached from, or, where
/// they were reached from different seeds (a line of them) or from one that starts late, as by a straight front. Triangles
/// are not unfolded past their corners, so meshes of needles err more.
///
/// Cost: O(W log W).
pub fn distances(graph: &MeshGraph, seeds: &[(u32, f32)]) -> Vec<f32> {
    Search::new(graph, None).run(seeds)
}

/// As [`distances`], over triangles all of whose corners are inside, `[W]`.
pub fn distances_within(graph: &MeshGraph, seeds: &[(u32, f32)], is_inside: &[bool]) -> Vec<f32> {
    Search::new(graph, Some(is_inside)).run(seeds)
}

/// The vertices about a seed with their distances, as [`distances`] reaches them: nearest first, of equals the lowest
/// number first. Each is reached when it is asked for; O(n log n) for n of them, and O(W) memory.
pub struct Walk<'a> {
    search: Search<'a>,
    /// The last one, whose neighbours have not been offered their ways yet.
    last: Option<u32>,
}

impl<'a> Walk<'a> {
    /// From `seed`, the first vertex.
    pub fn new(graph: &'a MeshGraph, seed: u32) -> Self {
        let mut search = Search::new(graph, None);
        search.offer(seed, 0.0, seed);
        Self { search, last: None }
    }
}

impl Iterator for Walk<'_> {
    type Item = (u32, f32);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(v) = self.last.take() {
            self.search.spread(v);
        }
        self.last = self.search.settle();
        self.last.map(|v| (v, self.search.reached[v as usize].distance))
    }
}

/// Stands for the seed of vertices behind a straight front.
const LINE: u32 = u32::MAX;

struct Search<'a> {
    graph: &'a MeshGraph,
    /// Triangles with a corner that is not are no way.
    is_inside: Option<&'a [bool]>,
    /// `[W]`.
    reached: Vec<Reached>,
    queue: NearestFirst,
    /// The sides across from a vertex, for [`Self::spread`].
    sides: Vec<[u32; 2]>,
}

/// What is known of a vertex, side by side: a step looks at all of it, and mostly waits for memory.
#[derive(Clone, Copy)]
struct Reached {
    position: Vec3,
    /// The least so far; infinite before it is reached.
    distance: f32,
    /// The seed it was reached from; [`LINE`] behind a front that several made.
    seed: u32,
    is_settled: bool,
}

impl<'a> Search<'a> {
    fn new(graph: &'a MeshGraph, is_inside: Option<&'a [bool]>) -> Self {
        let far = |&position: &Vec3| Reached {
            position,
            distance: f32::INFINITY,
            seed: 0,
            is_settled: false,
        };
        let reached = graph.positions.iter().map(far).collect();
        let queue = NearestFirst::new(typical_edge(graph) * BUCKET);
        Self { graph, is_inside, reached, queue, sides: Vec::new() }
    }

    fn run(mut self, seeds: &[(u32, f32)]) -> Vec<f32> {
        for &(v, d) in seeds {
            // What was on its way before has no point on this skin that it came from.
            self.offer(v, d, if d > 0.0 { LINE } else { v });
        }
        while let Some(v) = self.settle() {
            self.spread(v);
        }
        self.reached.iter().map(|known| known.distance).collect()
    }

    fn offer(&mut self, v: u32, distance: f32, seed: u32) {
        let known = &mut self.reached[v as usize];
        if distance < known.distance {
            // A distance of -0.0 would sort last.
            known.distance = distance.max(0.0);
            known.seed = seed;
            self.queue.push(known.distance, v);
        }
    }

    fn settle(&mut self) -> Option<u32> {
        loop {
            // A nearer way found since has an entry of its own, before this one.
            let v = self.queue.pop(|v, distance| {
                let known = &self.reached[v as usize];
                !known.is_settled && known.distance >= distance
            })?;
            if !std::mem::replace(&mut self.reached[v as usize].is_settled, true) {
                return Some(v);
            }
        }
    }

    /// Offers the vertices about `v` their ways over it: every edge is a side of a triangle.
    fn spread(&mut self, v: u32) {
        // All is fetched before anything is reckoned with, so that it is waited for once.
        let mut sides = std::mem::take(&mut self.sides);
        sides.clear();
        for &t in self.graph.triangles_at(v) {
            let [i, j, k] = self.graph.triangles[t as usize];
            sides.push(if i == v { [j, k] } else { [if j == v { k } else { j }, i] });
        }
        for &[a, b] in &sides {
            if self.is_inside.is_some_and(|inside| ![v, a, b].iter().all(|&u| inside[u as usize])) {
                continue;
            }
            match [a, b].map(|u| self.reached[u as usize].is_settled) {
                [true, true] => {}
                [true, false] => self.cross(v, a, b),
                [false, true] => self.cross(v, b, a),
                [false, false] => {
                    self.step(v, a);
                    self.step(v, b);
                }
            }
        }
        self.sides = sides;
    }

    /// Over the edge from `v`.
    fn step(&mut self, v: u32, open: u32) {
        let from = self.reached[v as usize];
        let edge = from.position.distance(self.reached[open as usize].position);
        self.offer(open, from.distance + edge, from.seed);
    }

    /// Across the triangle from its side between `v` and `settled`, or over the edge from `v`.
    fn cross(&mut self, v: u32, settled: u32, open: u32) {
        let [from, other] = [v, settled].map(|u| self.reached[u as usize]);
        let (pv, ps) = (from.position, other.position);
        let po = self.reached[open as usize].position;
        let squared_edge = po.distance_squared(pv);
        let over_edge = from.distance + squared_edge.sqrt();
        let is_from_point = from.seed != LINE && other.seed == from.seed;
        let side = Side {
            squared: ps.distance_squared(pv),
            d_a: from.distance,
            d_b: other.distance,
            is_from_point,
        };
        match across(side, squared_edge, (po - pv).dot(ps - pv)) {
            Some(distance) if distance < over_edge => {
                self.offer(open, distance, if is_from_point { from.seed } else { LINE });
            }
            _ => self.offer(open, over_edge, from.seed),
        }
    }
}

/// Width of the queue's buckets in typical edges: little that a step finds falls into the bucket it came from.
const BUCKET: f32 = 0.25;

/// Mean length of some edges: how far a step goes, about.
fn typical_edge(graph: &MeshGraph) -> f32 {
    const SAMPLES: usize = 256;
    let stride = graph.triangles.len() / SAMPLES + 1;
    let lengths = graph.triangles.iter().step_by(stride).map(|&[a, b, _]| graph.length(a, b));
    let n = graph.triangles.len().div_ceil(stride);
    lengths.sum::<f32>() / n.max(1) as f32
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
