//! A dense surface with fewer vertices, for measures that need no more.
//!
//! Based on: Eck et al., Multiresolution analysis of arbitrary meshes, 1995 (sites that are spread over the mesh, the
//! Voronoi cells about them along its edges, and the triangles dual to those).

use glam::Vec3;
use rayon::prelude::*;

use super::topology::copies;
use super::{MeshGraph, Rows, Topology, Weld};

/// A surface whose welded vertices each stand for a cell of a denser one's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coarse {
    /// Over the same surface vertices, with the same shells.
    pub topology: Topology,
    /// `[W]`: the dense surface's welded vertex in whose place each stands.
    pub sites: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Coarse {
    /// `fine` with about `wanted` vertices, or somewhat more; those that no triangle touches stay as they are.
    ///
    /// Sites are vertices spread at least a distance apart. Every other vertex goes to the nearest site that a neighbour
    /// belongs to, and three cells that meet in a triangle make one. A cell that fewer than three triangles meet is too
    /// large for where it lies (a whisker, a button): its vertices stand for themselves. Shells stay apart however close
    /// they lie. Cost: O(V + T).
    pub fn new(fine: &Topology, wanted: usize) -> Self {
        let graph = &fine.graph;
        let spacing = (area(graph) / wanted.max(1) as f64).sqrt() as f32;
        let (mut sites, mut cell_of) = spread(graph, spacing);
        for _ in 0..SETTLING {
            cell_of = settled(graph, &sites, &cell_of);
        }
        let parts = |cell_of: &[u32], sites: &[u32]| {
            rayon::join(|| dual(graph, cell_of), || weld(&fine.weld, cell_of, sites))
        };
        let (mut triangles, mut welded) = parts(&cell_of, &sites);
        if open_up(&triangles, &mut sites, &mut cell_of) {
            (triangles, welded) = parts(&cell_of, &sites);
        }
        let positions: Vec<Vec3> = sites.iter().map(|&s| graph.positions[s as usize]).collect();
        let shell_of = sites.iter().map(|&s| fine.shell_of[s as usize]).collect();
        let graph = MeshGraph::new(positions, triangles);
        let (weld, copies) = welded;
        let topology = Topology::of_coarse(weld, graph, (shell_of, fine.n_shells), copies);
        Self { topology, sites }
    }
}

/// Area of all triangles, m².
fn area(graph: &MeshGraph) -> f64 {
    const CHUNK: u32 = 4096;
    let n = graph.triangles.len() as u32;
    let of_chunk = |chunk: u32| {
        let triangles = chunk * CHUNK..n.min((chunk + 1) * CHUNK);
        triangles.map(|t| f64::from(graph.triangle_area(t))).sum::<f64>()
    };
    // Summed up in the chunks' order, whoever reckons them.
    let sums: Vec<f64> = (0..n.div_ceil(CHUNK)).into_par_iter().map(of_chunk).collect();
    sums.iter().sum()
}

/// Surface vertices welded by cell, and back.
fn weld(fine: &Weld, cell_of: &[u32], sites: &[u32]) -> (Weld, Rows) {
    let welded_of = fine.welded_of.par_iter().map(|&w| cell_of[w as usize]).collect();
    let first_of = sites.iter().map(|&s| fine.first_of[s as usize]).collect();
    let weld = Weld { welded_of, first_of };
    let copies = copies(&weld);
    (weld, copies)
}

/// How often vertices choose their cell anew: cells are about this many edges across.
const SETTLING: usize = 2;

/// Vertices none of which can be reached from another within `spacing` as the crow flies, rising; and `[W]` for each
/// vertex one of them, by its place, from which it can.
fn spread(graph: &MeshGraph, spacing: f32) -> (Vec<u32>, Vec<u32>) {
    let mut cell_of = vec![NONE; graph.len()];
    let mut sites: Vec<u32> = Vec::new();
    let mut open = Vec::new();
    for site in 0..graph.len() as u32 {
        if cell_of[site as usize] != NONE {
            continue;
        }
        let cell = sites.len() as u32;
        cell_of[site as usize] = cell;
        sites.push(site);
        open.push(site);
        let center = graph.positions[site as usize];
        while let Some(v) = open.pop() {
            for u in graph.around(v) {
                let is_near = cell_of[u as usize] == NONE
                    && graph.positions[u as usize].distance_squared(center) < spacing * spacing;
                if is_near {
                    cell_of[u as usize] = cell;
                    open.push(u);
                }
            }
        }
    }
    (sites, cell_of)
}

/// `[W]`: for each vertex the cell with the nearest site, of its own and its neighbours'.
fn settled(graph: &MeshGraph, sites: &[u32], cell_of: &[u32]) -> Vec<u32> {
    let centers: Vec<Vec3> = sites.iter().map(|&s| graph.positions[s as usize]).collect();
    let nearest = |v: u32| {
        let own = cell_of[v as usize];
        let mut best = (f32::INFINITY, own);
        for cell in graph.around(v).map(|u| cell_of[u as usize]) {
            if cell == own || cell == best.1 {
                continue;
            }
            let squared =
                |cell: u32| centers[cell as usize].distance_squared(graph.positions[v as usize]);
            if best.0 == f32::INFINITY {
                best.0 = squared(own);
            }
            let d = squared(cell);
            if d < best.0 {
                best = (d, cell);
            }
        }
        best.1
    };
    (0..graph.len() as u32).into_par_iter().map(nearest).collect()
}

/// Triangles between cells, each once, sorted.
fn dual(graph: &MeshGraph, cell_of: &[u32]) -> Vec<[u32; 3]> {
    let between = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|v| cell_of[v as usize]);
        // The lowest first, without turning it over.
        let rotated = if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        };
        (a != b && b != c && c != a).then_some(rotated)
    };
    let mut triangles: Vec<[u32; 3]> = graph.triangles.par_iter().filter_map(between).collect();
    triangles.sort_unstable();
    triangles.dedup();
    triangles
}

/// Makes each vertex of the cells that fewer than three of `triangles` meet a cell of its own; whether there were any.
fn open_up(triangles: &[[u32; 3]], sites: &mut Vec<u32>, cell_of: &mut [u32]) -> bool {
    let mut n_met = vec![0_u32; sites.len()];
    for &cell in triangles.iter().flatten() {
        n_met[cell as usize] += 1;
    }
    let n_before = sites.len();
    for (v, cell) in (0..).zip(cell_of) {
        // The site itself keeps the cell.
        if n_met[*cell as usize] < 3 && sites[*cell as usize] != v {
            *cell = sites.len() as u32;
            sites.push(v);
        }
    }
    sites.len() > n_before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Surface, geodesic};
    use crate::math::ops;
    use crate::model::SurfaceVertex;

    /// Two tubes of length 1 along y, `n` around and `rows` along, of radii 0.1 and 0.11, and one vertex in no triangle.
    fn tubes(n: u32, rows: u32) -> Topology {
        let mut surface = Surface::default();
        for r in [0.1, 0.11] {
            let first = surface.positions.len() as u32;
            for j in 0..rows {
                for i in 0..n {
                    let a = i as f32 / n as f32 * std::f32::consts::TAU;
                    let y = j as f32 / (rows - 1) as f32;
                    surface.positions.push(Vec3::new(r * ops::cos(a), y, r * ops::sin(a)));
                    if j + 1 < rows {
                        let at = |i: u32, j: u32| first + j * n + i % n;
                        surface.triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                        surface.triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                    }
                }
            }
        }
        surface.positions.push(Vec3::splat(5.0));
        surface.offsets = vec![0, surface.positions.len() as u32];
        surface.is_visible = vec![true];
        Topology::of(&surface)
    }

    #[test]
    fn a_coarse_tube_is_as_long_and_as_large_and_its_shells_stay_apart() {
        let fine = tubes(60, 200);
        let coarse = Coarse::new(&fine, 1500);
        let n = coarse.sites.len();
        assert!((700..3000).contains(&n), "{n} cells");
        assert_eq!(coarse.topology.n_shells, 2);
        let area = |topology: &Topology| topology.graph.vertex_areas().iter().sum::<f32>();
        let ratio = area(&coarse.topology) / area(&fine);
        assert!((0.93..1.01).contains(&ratio), "area {ratio}");
        for [a, b] in coarse.topology.graph.edges() {
            assert_eq!(coarse.topology.shell_of[a as usize], coarse.topology.shell_of[b as usize]);
        }
        let g = geodesic::distances(&coarse.topology.graph, &[(0, 0.0)]);
        let farthest = g.iter().copied().filter(|g| g.is_finite()).fold(0.0, f32::max);
        assert!((0.97..1.15).contains(&farthest), "{farthest} m from end to end");
    }

    #[test]
    fn every_vertex_belongs_to_one_cell() {
        let fine = tubes(60, 200);
        let coarse = Coarse::new(&fine, 1500);
        let all: Vec<u32> = (0..coarse.sites.len() as u32).collect();
        let n = fine.weld.welded_of.len() as u32;
        let expected: Vec<SurfaceVertex> = (0..n).map(SurfaceVertex).collect();
        assert_eq!(coarse.topology.surface_vertices(&all), expected);
        let loose = coarse.topology.welded(SurfaceVertex(n - 1));
        assert_eq!(coarse.topology.copies(loose), [n - 1]);
    }

    #[test]
    fn a_part_thinner_than_a_cell_stays_as_it_is() {
        // Three around, 0.17 apart: with cells of half a metre the tubes would vanish.
        let fine = tubes(3, 400);
        let coarse = Coarse::new(&fine, 4);
        assert_eq!(coarse.topology.graph.len(), fine.graph.len());
        assert_eq!(coarse.topology.graph.triangles.len(), fine.graph.triangles.len());
    }
}
