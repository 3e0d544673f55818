//! A piece of the welded surface as a small mesh of its own, and distances along a region.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::components::UnionFind;
use super::geodesic::distances;
use super::{MeshGraph, PointGrid, Topology};
use crate::model::SurfaceVertex;

/// Some welded vertices with the triangles between them.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// `[P]`: the welded vertices, sorted.
    pub welded: Vec<u32>,
    /// The triangles all of whose corners belong to it, numbered as `welded` is.
    pub graph: MeshGraph,
    /// Place of each vertex from the first to the last of `welded`, [`OUTSIDE`] for what is not in it.
    places: Vec<u32>,
    /// See [`Self::pieces`].
    pieces: OnceLock<Vec<u32>>,
    /// What was found on the way over gaps, from two places at most: the same ways are asked for again and again, and
    /// most skin of islands is of two.
    bridges: [OnceLock<Bridges>; 2],
}

/// For the vertices of all pieces but some the nearest vertex of these.
#[derive(Clone, Debug)]
struct Bridges {
    /// Names of the pieces, in the order of the seeds that lie in them.
    from: Vec<u32>,
    /// `[P]`: the vertex and its distance.
    nearest: Vec<(u32, f32)>,
}

/// Stands for the place of a vertex that is not in a patch.
const OUTSIDE: u32 = u32::MAX;

impl Patch {
    /// The patch of `welded` vertices (sorted, each once) of a graph. Cost: O(P), and the range of their numbers.
    pub fn new(graph: &MeshGraph, welded: Vec<u32>) -> Self {
        let (first, last) = (welded.first().copied(), welded.last().copied());
        let range = first.zip(last).map_or(0, |(first, last)| (last - first) as usize + 1);
        let mut patch = Self { places: vec![OUTSIDE; range], welded, ..Self::default() };
        for (i, &v) in (0..).zip(&patch.welded) {
            patch.places[(v - patch.welded[0]) as usize] = i;
        }
        let n = patch.welded.len();
        let mut triangles = Vec::with_capacity(n * 2);
        let (mut offsets, mut sides) = (Vec::with_capacity(n + 1), Vec::with_capacity(n * 6));
        offsets.push(0);
        for (v, &welded) in (0..).zip(&patch.welded) {
            for side in graph.sides_at(welded) {
                if let [Some(a), Some(b)] = side.map(|c| patch.local(c)) {
                    sides.push([a, b]);
                    // Each triangle is taken once, at its lowest corner.
                    if v < a && v < b {
                        triangles.push([v, a, b]);
                    }
                }
            }
            offsets.push(sides.len() as u32);
        }
        let positions = patch.welded.iter().map(|&v| graph.positions[v as usize]).collect();
        Self { graph: MeshGraph::with_sides(positions, triangles, (offsets, sides)), ..patch }
    }

    /// Place of a welded vertex in the patch.
    pub fn local(&self, welded: u32) -> Option<u32> {
        let at = welded.checked_sub(*self.welded.first()?)?;
        self.places.get(at as usize).copied().filter(|&place| place != OUTSIDE)
    }

    /// `[P]`: the connected piece of each vertex, named by its lowest vertex. Cost: O(P) when first asked for.
    pub fn pieces(&self) -> &[u32] {
        self.pieces.get_or_init(|| {
            let mut sets = UnionFind::new(self.graph.len());
            for &[a, b, c] in &self.graph.triangles {
                sets.union(a, b);
                sets.union(b, c);
            }
            (0..self.graph.len() as u32).map(|v| sets.find(v)).collect()
        })
    }

    /// Distance from `seeds` (places in the patch) along the skin, and over the gaps where islands are apart: every
    /// vertex is reached as long as there is a seed. Cost: O(P log P) for a handful of islands.
    pub fn distances_from(&self, seeds: &[u32]) -> Vec<f32> {
        let starts: Vec<(u32, f32)> = seeds.iter().map(|&v| (v, 0.0)).collect();
        let mut reached = distances(&self.graph, &starts);
        if reached.iter().any(|d| d.is_infinite()) {
            Islands::new(self, seeds).reach(&mut reached);
        }
        reached
    }
}

/// Share of an island's vertices that it is entered by.
const ENTRY_SHARE: f32 = 0.05;

/// The pieces of a mesh that no seed reaches along its edges.
///
/// They are joined from near to far. Each vertex of a piece has an offer: the distance of its nearest vertex among those
/// reached before, and the gap to it. Only the twentieth with the least offers enters the piece, the rest of it is
/// measured along its own skin. Entering by the one nearest vertex would measure fur over skin from wherever the two
/// happen to come closest; taking all offers would let a rolled-up tail's fur leap to the next turn of the roll.
struct Islands<'a> {
    graph: &'a MeshGraph,
    /// Vertices of pieces that are not reached, by the piece's name.
    open: BTreeMap<u32, Vec<u32>>,
    /// Vertices reached in the last round.
    fresh: Vec<u32>,
    /// Nearest reached vertex so far and its distance, by vertex.
    nearest: Vec<(u32, f32)>,
}

impl<'a> Islands<'a> {
    fn new(patch: &'a Patch, seeds: &[u32]) -> Self {
        let pieces = patch.pieces();
        let mut open: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (v, &piece) in pieces.iter().enumerate() {
            open.entry(piece).or_default().push(v as u32);
        }
        let from: Vec<u32> = seeds.iter().map(|&s| pieces[s as usize]).collect();
        let fresh = from.iter().flat_map(|piece| open.remove(piece).unwrap_or_default()).collect();
        let nearest = vec![(u32::MAX, f32::INFINITY); pieces.len()];
        let mut islands = Self { graph: &patch.graph, open, fresh, nearest };
        let mut known = patch.bridges.iter().filter_map(OnceLock::get);
        if let Some(known) = known.find(|known| known.from == from) {
            islands.nearest.clone_from(&known.nearest);
            return islands;
        }
        islands.look();
        if let Some(empty) = patch.bridges.iter().find(|kept| kept.get().is_none()) {
            // Where another thread was first, its own stay.
            let _ = empty.set(Bridges { from, nearest: islands.nearest.clone() });
        }
        islands
    }

    /// Fills in the distances that are infinite.
    fn reach(mut self, reached: &mut [f32]) {
        loop {
            let starts = self.enter(reached);
            if starts.is_empty() {
                return;
            }
            for (old, new) in reached.iter_mut().zip(distances(self.graph, &starts)) {
                *old = old.min(new);
            }
            if self.open.is_empty() {
                return;
            }
            self.look();
        }
    }

    /// Looks from what is not reached at what was reached last.
    fn look(&mut self) {
        let at = |v: u32| self.graph.positions[v as usize];
        let fresh = std::mem::take(&mut self.fresh);
        let grid = PointGrid::of_surface(fresh.iter().map(|&v| (v, at(v))));
        let known = &self.nearest;
        // What is nearest to one vertex is not far from the next.
        let nearer = |vertices: &[u32]| {
            let mut last = None;
            let nearest = vertices.iter().map(|&v| {
                let known = known[v as usize];
                let by_last = last.map(|u| (u, at(v).distance(at(u))));
                let reach = by_last.map_or(known.1, |(_, d)| known.1.min(d));
                let found = grid.nearest_within(at(v), reach, |_| true).or(by_last);
                last = found.map(|found| found.0);
                found.filter(|found| found.1 < known.1).unwrap_or(known)
            });
            nearest.collect::<Vec<_>>()
        };
        let open: Vec<u32> = self.open.values().flatten().copied().collect();
        let nearest: Vec<Vec<(u32, f32)>> = open.par_chunks(64).map(nearer).collect();
        for (&v, nearest) in open.iter().zip(nearest.into_iter().flatten()) {
            self.nearest[v as usize] = nearest;
        }
    }

    /// Where the pieces that are next are entered, and at which distances; nowhere if none has a way from what is reached.
    fn enter(&mut self, reached: &[f32]) -> Vec<(u32, f32)> {
        let gap = |v: &u32| self.nearest[*v as usize].1;
        let gap_of = |vertices: &Vec<u32>| vertices.iter().map(gap).fold(f32::INFINITY, f32::min);
        let gaps: Vec<(u32, f32)> =
            self.open.iter().map(|(&piece, vertices)| (piece, gap_of(vertices))).collect();
        // All pieces within twice the least gap are joined in one round.
        let least = gaps.iter().map(|&(_, gap)| gap).fold(f32::INFINITY, f32::min);
        let mut starts = Vec::new();
        if least.is_infinite() {
            return starts;
        }
        for (piece, _) in gaps.into_iter().filter(|&(_, gap)| gap <= least * 2.0) {
            let vertices = self.open.remove(&piece).unwrap_or_default();
            let mut offers: Vec<(u32, f32)> = vertices
                .iter()
                .filter_map(|&v| {
                    // Nothing is near to what lies so far off that f32 has no distance for it.
                    let (to, gap) = self.nearest[v as usize];
                    Some((v, reached.get(to as usize)? + gap))
                })
                .collect();
            offers.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            offers.truncate(((vertices.len() as f32 * ENTRY_SHARE).ceil() as usize).max(3));
            starts.extend(offers);
            self.fresh.extend(vertices);
        }
        starts
    }
}

/// Geodesic distance from the collar to each of `vertices`, `[vertices]`, in metres, along the skin of region and
/// collar alone, over bridges where shells are apart. Collar vertices are at 0. Finite, unless the collar is empty.
pub fn distances_along(
    topology: &Topology,
    vertices: &[SurfaceVertex],
    collar: &[SurfaceVertex],
) -> Vec<f32> {
    let seeds = topology.welded_vertices(collar);
    let mut welded = topology.welded_vertices(vertices);
    welded.extend(&seeds);
    welded.sort_unstable();
    welded.dedup();
    let patch = Patch::new(&topology.graph, welded);
    let seeds: Vec<u32> = seeds.iter().filter_map(|&v| patch.local(v)).collect();
    let g = patch.distances_from(&seeds);
    let at = |v: &SurfaceVertex| {
        patch.local(topology.welded(*v)).map_or(f32::INFINITY, |local| g[local as usize])
    };
    vertices.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::geometry::Surface;
    use crate::math::ops;

    /// A tube of radius `r` along -z, open at both ends, 16 around, 30 along.
    fn tube(r: f32, from: f32, to: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        for j in 0..30_u32 {
            for i in 0..16_u32 {
                let a = i as f32 / 16.0 * std::f32::consts::TAU;
                let z = from + (to - from) * j as f32 / 29.0;
                positions.push(Vec3::new(r * ops::cos(a), r * ops::sin(a), -z));
                if j < 29 {
                    let at = |i: u32, j: u32| j * 16 + i % 16;
                    triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                    triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
        (positions, triangles)
    }

    #[test]
    fn a_shell_over_another_is_measured_from_the_same_root() {
        let (mut positions, mut triangles) = tube(0.05, 0.0, 1.0);
        let n = positions.len() as u32;
        let (fur, fur_triangles) = tube(0.06, 0.1, 1.1);
        positions.extend(fur);
        triangles.extend(fur_triangles.iter().map(|t| t.map(|v| v + n)));
        let total = positions.len() as u32;
        let surface =
            Surface { positions, triangles, offsets: vec![0, total], is_visible: vec![true] };
        let topology = Topology::of(&surface);
        assert_eq!(topology.n_shells, 2);
        let all: Vec<_> = (0..total).map(SurfaceVertex).collect();
        let collar: Vec<_> = (0..16).map(SurfaceVertex).collect();
        for (v, g) in all.iter().zip(distances_along(&topology, &all, &collar)) {
            let depth = -surface.positions[v.index()].z;
            assert!((g - depth).abs() < 0.03, "{g} at depth {depth}");
        }
    }

    #[test]
    fn the_nearest_place_of_the_vertex_before_is_found_again_however_sums_are_rounded() {
        // Right above each other, so that -0.95 + 0.55 would have to be -0.4.
        let positions =
            [[0.0, -0.4], [0.1, -0.3], [-0.1, -0.3], [0.0, -0.5], [0.0, -0.95], [0.2, -0.7]];
        let positions = positions.map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
        let graph = MeshGraph::new(positions, vec![[0, 1, 2], [3, 4, 5]]);
        let patch = Patch::new(&graph, (0..6).collect());
        let g = patch.distances_from(&[0]);
        assert!((g[4] - 0.55).abs() < 1e-6, "{g:?}");
    }

    #[test]
    fn an_island_out_of_reach_of_numbers_stays_unreached() {
        let corner = |at: Vec3| [at, at + Vec3::X, at + Vec3::Y];
        let positions = [corner(Vec3::ZERO), corner(Vec3::splat(1e30))].concat();
        let graph = MeshGraph::new(positions, vec![[0, 1, 2], [3, 4, 5]]);
        let patch = Patch::new(&graph, (0..6).collect());
        assert_eq!(patch.pieces(), [0, 0, 0, 3, 3, 3]);
        let reached = patch.distances_from(&[0]);
        assert_eq!(reached[..3], [0.0, 1.0, 1.0]);
        assert!(reached[3..].iter().all(|d| d.is_infinite()), "{reached:?}");
        assert!(patch.distances_from(&[]).iter().all(|d| d.is_infinite()));
    }

    #[test]
    fn ways_over_gaps_do_not_depend_on_what_was_asked_before() {
        let (mut positions, mut triangles) = tube(0.05, 0.0, 1.0);
        let n = positions.len() as u32;
        for x in [0.3, 0.5] {
            let from = positions.len() as u32;
            let (more, more_triangles) = tube(0.05, 0.2, 0.8);
            positions.extend(more.iter().map(|&p| p + Vec3::X * x));
            triangles.extend(more_triangles.iter().map(|t| t.map(|v| v + from)));
        }
        let graph = MeshGraph::new(positions, triangles);
        let all: Vec<u32> = (0..graph.len() as u32).collect();
        let patch = Patch::new(&graph, all.clone());
        for seeds in [vec![0], vec![n + 5], vec![7], vec![2 * n, 3], vec![3, 2 * n], vec![0]] {
            let fresh = Patch::new(&graph, all.clone());
            assert_eq!(patch.distances_from(&seeds), fresh.distances_from(&seeds), "{seeds:?}");
            assert!(patch.distances_from(&seeds).iter().all(|d| d.is_finite()));
        }
    }

    #[test]
    fn a_patch_keeps_the_triangles_inside_it() {
        let (positions, triangles) = tube(0.05, 0.0, 1.0);
        let graph = MeshGraph::new(positions, triangles);
        let patch = Patch::new(&graph, (32..64).collect());
        assert_eq!(patch.graph.triangles.len(), 32, "one band of the tube");
        assert_eq!(patch.local(40), Some(8));
        assert_eq!(patch.local(5), None);
    }
}
