//! A triangle mesh with its adjacency: who neighbours whom, which triangles meet where.

use glam::Vec3;
use rayon::prelude::*;

/// Triangles over vertices that are all at different places, with adjacency as compressed rows.
///
/// The welded surface of a character is one, and so is the patch of it that a region covers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshGraph {
    /// `[W]`.
    pub positions: Vec<Vec3>,
    /// `[T]`, three different vertices each.
    pub triangles: Vec<[u32; 3]>,
    triangle_offsets: Vec<u32>,
    triangle_of: Vec<u32>,
    neighbor_offsets: Vec<u32>,
    neighbors: Vec<u32>,
}

impl MeshGraph {
    /// The graph of `triangles` over `positions`; triangles that name a vertex twice, or one that does not exist, are
    /// left out. Cost: O(W + T), two cores.
    pub fn new(positions: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> Self {
        let n = positions.len() as u32;
        triangles.retain(|&[a, b, c]| a != b && b != c && c != a && a < n && b < n && c < n);
        let (triangle_offsets, triangle_of) = corners(positions.len(), &triangles);
        let mut graph =
            Self { positions, triangles, triangle_offsets, triangle_of, ..Self::default() };
        graph.link();
        graph
    }

    /// Neighbours of every vertex, from the triangles around it.
    fn link(&mut self) {
        const CHUNK: usize = 4096;
        let n = self.positions.len();
        let chunks: Vec<(Vec<u32>, Vec<u32>)> = (0..n.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
                let mut counts = Vec::with_capacity(range.len());
                let mut all = Vec::with_capacity(range.len() * 6);
                for v in range {
                    let start = all.len();
                    for &t in self.triangles_at(v as u32) {
                        for u in self.triangles[t as usize] {
                            if u != v as u32 && !all[start..].contains(&u) {
                                all.push(u);
                            }
                        }
                    }
                    counts.push((all.len() - start) as u32);
                }
                (counts, all)
            })
            .collect();
        let total = chunks.iter().map(|(_, all)| all.len()).sum();
        let mut offsets = Vec::with_capacity(n + 1);
        let mut neighbors = Vec::with_capacity(total);
        let mut end = 0;
        offsets.push(end);
        for (counts, all) in &chunks {
            for count in counts {
                end += count;
                offsets.push(end);
            }
            neighbors.extend_from_slice(all);
        }
        self.neighbor_offsets = offsets;
        self.neighbors = neighbors;
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Vertices that share an edge with `v`, each once.
    pub fn neighbors(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.neighbors[self.neighbor_offsets[v] as usize..self.neighbor_offsets[v + 1] as usize]
    }

    /// Triangles that have `v` as a corner.
    pub fn triangles_at(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.triangle_of[self.triangle_offsets[v] as usize..self.triangle_offsets[v + 1] as usize]
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
        let [a, b, c] = self.triangles[triangle as usize].map(|v| self.positions[v as usize]);
        (b - a).cross(c - a).length() * 0.5
    }

    /// `[W]`: a third of the area of the triangles around each vertex. Cost: O(W + T).
    pub fn vertex_areas(&self) -> Vec<f32> {
        let mut areas = vec![0.0; self.len()];
        for (t, corners) in self.triangles.iter().enumerate() {
            let third = self.triangle_area(t as u32) / 3.0;
            for &v in corners {
                areas[v as usize] += third;
            }
        }
        areas
    }
}

/// Triangles around each vertex as compressed rows: counted, then dealt out.
fn corners(n: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0_u32; n + 1];
    for &v in triangles.iter().flatten() {
        offsets[v as usize + 1] += 1;
    }
    for i in 1..=n {
        offsets[i] += offsets[i - 1];
    }
    let mut next = offsets.clone();
    let mut of = vec![0; triangles.len() * 3];
    for (t, corners) in triangles.iter().enumerate() {
        for &v in corners {
            let at = &mut next[v as usize];
            of[*at as usize] = t as u32;
            *at += 1;
        }
    }
    (offsets, of)
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
        assert_eq!(graph.neighbors(1), [0, 2, 3]);
        assert_eq!(graph.triangles_at(2), [0, 1]);
        assert_eq!(graph.edges().count(), 5);
        let areas = graph.vertex_areas();
        assert!((areas[0] - 0.5 / 3.0).abs() < 1e-6);
    }
}
