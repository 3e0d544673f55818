//! The welded view of a surface: one vertex for each place, its neighbours, and the shells it falls into.

use rayon::prelude::*;

use super::components::UnionFind;
use super::{MeshGraph, Rows, Surface, Weld, graph};
use crate::model::SurfaceVertex;

/// A [`Surface`] welded by position.
///
/// Vertices of hidden instances, and those in no triangle, are welded too but belong to no shell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// From surface vertices to welded ones and back.
    pub weld: Weld,
    /// The welded triangles.
    pub graph: MeshGraph,
    /// `[W]`: the connected piece of each welded vertex, [`Topology::NO_SHELL`] where no triangle touches it.
    pub shell_of: Vec<u32>,
    /// Number of connected pieces; they are numbered by their first vertex.
    pub n_shells: usize,
    /// `[W]`, m²: a third of the area of the triangles around each welded vertex.
    pub areas: Vec<f32>,
    shells: Rows,
    copies: Rows,
}

impl Topology {
    /// The shell of a vertex that no triangle touches.
    pub const NO_SHELL: u32 = u32::MAX;

    /// Positions nearer than this share of the height are one place: bind matrices of two skins agree no better.
    pub const WELD_TOLERANCE: f32 = 1e-6;

    /// The welded view of `surface`. Cost: O(V + T), two cores.
    pub fn of(surface: &Surface) -> Self {
        let tolerance = surface.height() * Self::WELD_TOLERANCE;
        Self::of_weld(surface, Weld::new(&surface.positions, tolerance))
    }

    /// The view of `surface` with its vertices welded as `weld` says.
    pub(crate) fn of_weld(surface: &Surface, weld: Weld) -> Self {
        let positions = weld.positions(surface);
        let n = weld.len() as u32;
        let mut triangles: Vec<[u32; 3]> =
            surface.triangles.par_iter().map(|t| t.map(|v| weld.welded_of[v as usize])).collect();
        triangles.retain(|t| graph::is_valid(t, n));
        let n = weld.len();
        // Who is done first takes what is left: shells take longest.
        let (((shell_of, n_shells), shells), ((sides, copies), areas)) = rayon::join(
            || {
                let (shell_of, n_shells) = shells(n, &triangles);
                let rows = Rows::of(&shell_of, n_shells);
                ((shell_of, n_shells), rows)
            },
            || {
                rayon::join(
                    || (graph::sides(n, &triangles), copies(&weld)),
                    || graph::vertex_areas(&positions, &triangles),
                )
            },
        );
        let graph = MeshGraph::with_sides(positions, triangles, sides);
        Self { weld, graph, shell_of, n_shells, areas, shells, copies }
    }

    /// Of a coarser copy whose vertices lie in the shells of the fine one.
    pub(super) fn of_coarse(
        weld: Weld,
        graph: MeshGraph,
        (shell_of, n_shells): (Vec<u32>, usize),
        copies: Rows,
    ) -> Self {
        let shells = Rows::of(&shell_of, n_shells);
        let areas = graph.vertex_areas();
        Self { weld, graph, shell_of, n_shells, areas, shells, copies }
    }

    /// Welded vertices of a shell, in rising order.
    pub fn shell(&self, shell: u32) -> &[u32] {
        self.shells.row(shell)
    }

    /// The welded vertex of a surface vertex.
    pub fn welded(&self, vertex: SurfaceVertex) -> u32 {
        self.weld.welded_of[vertex.index()]
    }

    /// Surface vertices that a welded vertex stands for, in rising order.
    pub fn copies(&self, welded: u32) -> &[u32] {
        self.copies.row(welded)
    }

    /// All surface vertices of `welded` ones, sorted.
    pub fn surface_vertices(&self, welded: &[u32]) -> Vec<SurfaceVertex> {
        let n: usize = welded.iter().map(|&w| self.copies(w).len()).sum();
        let vertices = welded.iter().flat_map(|&w| self.copies(w)).copied();
        if n < self.weld.welded_of.len() / 16 {
            let mut all: Vec<SurfaceVertex> = vertices.map(SurfaceVertex).collect();
            all.sort_unstable();
            return all;
        }
        // Many are sorted sooner by marking them.
        let mut is_in = vec![false; self.weld.welded_of.len()];
        for v in vertices {
            is_in[v as usize] = true;
        }
        (0..).zip(is_in).filter(|(_, is_in)| *is_in).map(|(v, _)| SurfaceVertex(v)).collect()
    }

    /// The welded vertices of `vertices`, sorted, each once.
    pub fn welded_vertices(&self, vertices: &[SurfaceVertex]) -> Vec<u32> {
        let mut all: Vec<u32> = vertices.iter().map(|&v| self.welded(v)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Connected pieces of the triangles, numbered by their first vertex.
fn shells(n: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, usize) {
    let mut sets = UnionFind::new(n);
    let mut is_used = vec![false; n];
    for &[a, b, c] in triangles {
        let ab = sets.union(a, b);
        sets.union(ab, c);
        for v in [a, b, c] {
            is_used[v as usize] = true;
        }
    }
    let mut shell_of = vec![Topology::NO_SHELL; n];
    let mut n_shells = 0;
    for v in 0..n as u32 {
        if !is_used[v as usize] {
            continue;
        }
        // Sets are named by their lowest vertex, which has been met before any other of its set.
        let name = sets.find(v);
        if name == v {
            shell_of[v as usize] = n_shells;
            n_shells += 1;
        } else {
            shell_of[v as usize] = shell_of[name as usize];
        }
    }
    (shell_of, n_shells as usize)
}

/// Surface vertices of each welded one.
pub(super) fn copies(weld: &Weld) -> Rows {
    Rows::of(&weld.welded_of, weld.len())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn seams_do_not_part_a_surface_but_gaps_do() {
        // Two triangles over one edge that share no index, and one far away; vertex 9 is loose.
        let p = Vec3::new;
        let surface = Surface {
            positions: vec![
                p(0.0, 0.0, 0.0),
                p(1.0, 0.0, 0.0),
                p(0.0, 1.0, 0.0),
                p(1.0, 0.0, 0.0),
                p(1.0, 1.0, 0.0),
                p(0.0, 1.0, 0.0),
                p(5.0, 0.0, 0.0),
                p(6.0, 0.0, 0.0),
                p(5.0, 1.0, 0.0),
                p(9.0, 9.0, 9.0),
            ],
            triangles: vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]],
            offsets: vec![0, 10],
            is_visible: vec![true],
        };
        let topology = Topology::of(&surface);
        assert_eq!(topology.weld.len(), 8);
        assert_eq!(topology.n_shells, 2);
        assert_eq!(topology.shell_of, [0, 0, 0, 0, 1, 1, 1, Topology::NO_SHELL]);
        assert_eq!(topology.shell(1), [4, 5, 6]);
        assert_eq!(topology.areas[1], 0.5 / 3.0 + 0.5 / 3.0);
        assert_eq!(topology.copies(1), [1, 3]);
        assert_eq!(topology.surface_vertices(&[2]), [SurfaceVertex(2), SurfaceVertex(5)]);
        assert_eq!(topology.welded_vertices(&[SurfaceVertex(5), SurfaceVertex(2)]), [2]);
    }
}
