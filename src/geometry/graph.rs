//! A triangle mesh with its adjacency: who neighbours whom, which triangles meet where.
//!
//! A vertex knows the triangles about it by their sides across from it, in its own row: what goes from vertex to vertex
//! (distances, patches, peaks) reads that row and needs no triangle.

use std::sync::OnceLock;

use glam::Vec3;

/// Triangles over vertices that are all at different places, with adjacency as compressed rows.
///
/// The welded surface of a character is one, and so is the patch of it that a region covers. Two are equal when their
/// positions and triangles are.
#[derive(Clone, Debug, Default)]
pub struct MeshGraph {
    /// `[W]`.
    pub positions: Vec<Vec3>,
    /// `[T]`, three different vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Row of each vertex in `sides`.
    offsets: Vec<u32>,
    sides: Vec<[u32; 2]>,
    /// Linked when first asked for: most patches are only measured along, triangle by triangle.
    neighbors: OnceLock<Neighbors>,
}

impl PartialEq for MeshGraph {
    fn eq(&self, other: &Self) -> bool {
        self.positions == other.positions && self.triangles == other.triangles
    }
}

/// Neighbours of each vertex as compressed rows.
#[derive(Clone, Debug)]
struct Neighbors {
    offsets: Vec<u32>,
    all: Vec<u32>,
}

impl Neighbors {
    // Nothing in here may hand work to other threads: they may be waiting for these neighbours.
    fn of(graph: &MeshGraph) -> Self {
        let n = graph.len();
        let mut offsets = Vec::with_capacity(n + 1);
        let mut all = Vec::with_capacity(graph.triangles.len() * 3 + n);
        // The last vertex that met each.
        let mut met_by = vec![u32::MAX; n];
        offsets.push(0);
        for v in 0..n as u32 {
            for u in graph.around(v) {
                if met_by[u as usize] != v {
                    met_by[u as usize] = v;
                    all.push(u);
                }
            }
            offsets.push(all.len() as u32);
        }
        Self { offsets, all }
    }
}

impl MeshGraph {
    /// The graph of `triangles` over `positions`; triangles that name a vertex twice, or one that does not exist, are
    /// left out. Cost: O(W + T).
    pub fn new(positions: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> Self {
        let n = positions.len() as u32;
        triangles.retain(|t| is_valid(t, n));
        let sides = sides(positions.len(), &triangles);
        Self::with_sides(positions, triangles, sides)
    }

    /// The graph of valid triangles whose [`sides`] are known.
    pub(super) fn with_sides(
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        (offsets, sides): (Vec<u32>, Vec<[u32; 2]>),
    ) -> Self {
        Self { positions, triangles, offsets, sides, neighbors: OnceLock::new() }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Vertices that share an edge with `v`, each once. Cost: O(W + T) when first asked of any vertex.
    pub fn neighbors(&self, v: u32) -> &[u32] {
        let Neighbors { offsets, all } = self.neighbors.get_or_init(|| Neighbors::of(self));
        let v = v as usize;
        &all[offsets[v] as usize..offsets[v + 1] as usize]
    }

    /// Vertices that share an edge with `v`, once for each triangle between the two: what [`Self::neighbors`] has, without
    /// a list of its own.
    pub fn around(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        self.sides_at(v).iter().flatten().copied()
    }

    /// The sides across from `v` of the triangles that have it as a corner, each as that triangle runs: with a side
    /// `[a, b]` the triangle is v, a, b.
    pub fn sides_at(&self, v: u32) -> &[[u32; 2]] {
        let v = v as usize;
        &self.sides[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }

    /// Every edge once, the lower vertex first.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        (0..self.len() as u32)
            .flat_map(|v| self.neighbors(v).iter().filter(move |&&u| u > v).map(move |&u| [v, u]))
    }

    /// Length of the edge between two vertices.
    pub fn length(&self, a: u32, b: u32) -> f32 {
        self.positions[a as usize].distance(self.positions[b as usize])
    }

    /// Area of a triangle.
    pub fn triangle_area(&self, triangle: u32) -> f32 {
        area(&self.positions, self.triangles[triangle as usize])
    }

    /// `[W]`: a third of the area of the triangles around each vertex. Cost: O(W + T).
    pub fn vertex_areas(&self) -> Vec<f32> {
        vertex_areas(&self.positions, &self.triangles)
    }
}

/// Whether a triangle has three different corners of `n` vertices.
pub(super) fn is_valid(&[a, b, c]: &[u32; 3], n: u32) -> bool {
    a != b && b != c && c != a && a < n && b < n && c < n
}

fn area(positions: &[Vec3], triangle: [u32; 3]) -> f32 {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    (b - a).cross(c - a).length() * 0.5
}

/// See [`MeshGraph::vertex_areas`].
pub(super) fn vertex_areas(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<f32> {
    let mut areas = vec![0.0; positions.len()];
    for &triangle in triangles {
        let third = area(positions, triangle) / 3.0;
        for v in triangle {
            areas[v as usize] += third;
        }
    }
    areas
}

/// The sides across from each vertex as compressed rows: counted, then dealt out in the order of the triangles.
pub(super) fn sides(n: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<[u32; 2]>) {
    // Counted one place on: while the rows are dealt out, each count grows from its row's start to its end.
    let mut offsets = vec![0_u32; n + 2];
    for &v in triangles.iter().flatten() {
        offsets[v as usize + 2] += 1;
    }
    for i in 2..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut sides = vec![[0; 2]; triangles.len() * 3];
    for &[a, b, c] in triangles {
        for (v, side) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
            let at = &mut offsets[v as usize + 1];
            sides[*at as usize] = side;
            *at += 1;
        }
    }
    offsets.pop();
    (offsets, sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_share_an_edge() {
        let p = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE].to_vec();
        let graph = MeshGraph::new(p, vec![[0, 1, 2], [2, 1, 3], [1, 1, 2], [0, 1, 9]]);
        assert_eq!(graph.triangles.len(), 2, "a triangle with a vertex twice is none");
        assert_eq!(graph.neighbors(0), [1, 2]);
        assert_eq!(graph.neighbors(1), [2, 0, 3]);
        assert_eq!(graph.sides_at(2), [[0, 1], [1, 3]]);
        assert_eq!(graph.edges().count(), 5);
        let areas = graph.vertex_areas();
        assert!((areas[0] - 0.5 / 3.0).abs() < 1e-6);
    }
}
