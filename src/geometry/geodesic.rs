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
    Search::new(graph).run(seeds)
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
        let mut search = Search::new(graph);
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
        self.last.map(|v| (v, self.search.reached[v as usize].distance()))
    }
}

/// Stands for the seed of vertices behind a straight front.
const LINE: u32 = u32::MAX;

struct Search<'a> {
    graph: &'a MeshGraph,
    /// `[W]`.
    reached: Vec<Reached>,
    /// `[W]`: the seed each was reached from; [`LINE`] behind a front that several made.
    seed_of: Vec<u32>,
    queue: NearestFirst,
}

/// What every step asks of a vertex, side by side and never across two lines of the cache: a step mostly waits for it.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Reached {
    position: Vec3,
    /// The least distance so far; infinite before it is reached, negated once it is settled.
    signed: f32,
}

impl Reached {
    fn distance(self) -> f32 {
        self.signed.abs()
    }

    fn is_settled(self) -> bool {
        self.signed.is_sign_negative()
    }
}

impl<'a> Search<'a> {
    fn new(graph: &'a MeshGraph) -> Self {
        let far = |&position: &Vec3| Reached { position, signed: f32::INFINITY };
        let reached = graph.positions.iter().map(far).collect();
        let queue = NearestFirst::new(typical_edge(graph) * BUCKET);
        Self { graph, reached, seed_of: vec![LINE; graph.len()], queue }
    }

    fn run(mut self, seeds: &[(u32, f32)]) -> Vec<f32> {
        for &(v, d) in seeds {
            // What was on its way before has no point on this skin that it came from.
            self.offer(v, d, if d > 0.0 { LINE } else { v });
        }
        while let Some(v) = self.settle() {
            self.spread(v);
        }
        self.reached.iter().map(|known| known.distance()).collect()
    }

    /// Offers a way to a vertex that is not settled.
    fn offer(&mut self, v: u32, distance: f32, seed: u32) {
        let known = &mut self.reached[v as usize];
        if distance < known.signed {
            // A distance of -0.0 would count as settled.
            known.signed = distance.max(0.0);
            self.seed_of[v as usize] = seed;
            self.queue.push(known.signed, v);
        }
    }

    fn settle(&mut self) -> Option<u32> {
        let reached = &mut self.reached;
        // A nearer way found since has an entry of its own, before this one.
        let v = self.queue.pop(|v, distance| reached[v as usize].signed == distance)?;
        let known = &mut reached[v as usize];
        known.signed = -known.signed;
        Some(v)
    }

    /// Offers the vertices about `v` their ways over it: every edge is a side of a triangle.
    fn spread(&mut self, v: u32) {
        let from = (self.reached[v as usize], self.seed_of[v as usize]);
        let graph = self.graph;
        for &[a, b] in graph.sides_at(v) {
            let [at_a, at_b] = [a, b].map(|u| self.reached[u as usize]);
            match (at_a.is_settled(), at_b.is_settled()) {
                (true, true) => {}
                (true, false) => self.cross(from, (at_a, a), (at_b, b)),
                (false, true) => self.cross(from, (at_b, b), (at_a, a)),
                (false, false) => {
                    self.step(from, (at_a, a));
                    self.step(from, (at_b, b));
                }
            }
        }
    }

    /// Over an edge.
    fn step(&mut self, (from, seed): (Reached, u32), (at, open): (Reached, u32)) {
        let squared = from.position.distance_squared(at.position);
        let gain = at.signed - from.distance();
        // Mostly it has been reached by a shorter way, or over this edge from the next triangle.
        if squared < gain * gain {
            self.offer(open, from.distance() + squared.sqrt(), seed);
        }
    }

    /// Across the triangle from its side between two settled corners, or over the edge from the first.
    fn cross(
        &mut self,
        (from, seed): (Reached, u32),
        (other, settled): (Reached, u32),
        (at, open): (Reached, u32),
    ) {
        let [to_corner, to_other] = [at, other].map(|to| to.position - from.position);
        let squared_edge = to_corner.length_squared();
        let over_edge = from.distance() + squared_edge.sqrt();
        let is_from_point = seed != LINE && self.seed_of[settled as usize] == seed;
        let side = Side {
            squared: to_other.length_squared(),
            d_a: from.distance(),
            d_b: other.distance(),
            is_from_point,
        };
        match across(side, squared_edge, to_corner.dot(to_other)) {
            Some(distance) if distance < over_edge => {
                self.offer(open, distance, if is_from_point { seed } else { LINE });
            }
            _ => self.offer(open, over_edge, seed),
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
/// All lengths are reckoned with times c, which leaves one division, at the end.
///
/// From a line of seeds, or where there is no such point, a straight front with direction (n_x, n_y),
/// n_x = (d_b - d_a) / c, gives d = d_a + n_x x + n_y y.
fn across(side: Side, squared_corner: f32, dot: f32) -> Option<f32> {
    let Side { squared, d_a, d_b, is_from_point } = side;
    if squared <= f32::MIN_POSITIVE {
        return None;
    }
    let (x, y) = (dot, (squared_corner * squared - dot * dot).max(0.0).sqrt());
    let s = (d_a * d_a - d_b * d_b + squared) * 0.5;
    let h_squared = d_a * d_a * squared - s * s;
    if is_from_point && h_squared >= 0.0 {
        let h = h_squared.sqrt();
        // Where the way from the source to the corner crosses the side: between its ends, or not at all.
        let crossing = s * y + x * h;
        let is_across = crossing >= 0.0 && crossing <= squared * (y + h);
        return is_across.then(|| (((x - s) * (x - s) + (y + h) * (y + h)) / squared).sqrt());
    }
    let n_x = d_b - d_a;
    let n_y = (squared - n_x * n_x).max(0.0).sqrt();
    let crossing = x * n_y - y * n_x;
    (n_y > 0.0 && crossing >= 0.0 && crossing <= squared * n_y)
        .then(|| d_a + (n_x * x + n_y * y) / squared)
}

#[cfg(test)]
mod tests;
