//! Forks: where the skin at equal distance from the root lies in two lasting pieces that are apart in space.
//!
//! Superlevel sets of g are grown from the tips down (union-find in falling g). Where two meet, the shorter one is a
//! branch if it is long enough by itself and stands apart from the longer one; fur over skin, which runs alongside, is
//! not. Islands that no triangle joins to the rest are judged the same way over the stretch they share.
//!
//! Based on: spec 1.5 ("skin at equal g in two lasting pieces is a fork: a chain per branch").

use std::collections::BTreeMap;

use glam::Vec3;

use super::centre_line::{Sample, slice, sorted};
use crate::geometry::{Patch, UnionFind};

/// One stretch of a region that gets a chain of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    /// Places in the patch, sorted.
    pub vertices: Vec<u32>,
    /// g where it begins: 0 for the trunk, the saddle's for what forks off.
    pub from_m: f32,
    /// The branch it forks off from; `None` for the trunk.
    pub parent: Option<usize>,
}

/// Splits a patch with distances `along_m` (`[P]`) into its trunk, which comes first, and what forks off it.
///
/// A branch is at least `least_m` long. `areas` is `[P]`. Vertices that no seed reached count to the trunk.
/// Cost: O(P log P) and one look at the members for each fork that is long enough.
pub(super) fn branches(patch: &Patch, along_m: &[f32], areas: &[f32], least_m: f32) -> Vec<Branch> {
    let mut split = Split {
        patch,
        along_m,
        areas,
        least_m,
        sets: UnionFind::new(along_m.len()),
        members: (0..along_m.len()).map(|_| None).collect(),
        label: vec![None; along_m.len()],
        found: Vec::new(),
    };
    split.sweep();
    split.join_islands();
    split.finish()
}

/// A branch while its parent is still known only by its tip.
struct Found {
    tip: u32,
    parent_tip: u32,
    from_m: f32,
}

/// A connected superlevel set.
struct Piece {
    /// Its vertex with the largest g.
    tip: u32,
    vertices: Vec<u32>,
}

struct Split<'a> {
    patch: &'a Patch,
    along_m: &'a [f32],
    areas: &'a [f32],
    least_m: f32,
    sets: UnionFind,
    /// `[P]`, by the name of the set.
    members: Vec<Option<Piece>>,
    /// `[P]`: place in `found`.
    label: Vec<Option<usize>>,
    found: Vec<Found>,
}

impl Split<'_> {
    fn g(&self, v: u32) -> f32 {
        self.along_m.get(v as usize).copied().unwrap_or(0.0)
    }

    fn put(&mut self, name: u32, piece: Piece) {
        if let Some(slot) = self.members.get_mut(name as usize) {
            *slot = Some(piece);
        }
    }

    fn take(&mut self, name: u32) -> Option<Piece> {
        self.members.get_mut(name as usize)?.take()
    }

    fn sweep(&mut self) {
        let mut order: Vec<u32> =
            (0..self.along_m.len() as u32).filter(|&v| self.g(v).is_finite()).collect();
        order.sort_by(|&a, &b| self.g(b).total_cmp(&self.g(a)).then(a.cmp(&b)));
        let mut is_in = vec![false; self.along_m.len()];
        for v in order {
            if let Some(slot) = is_in.get_mut(v as usize) {
                *slot = true;
            }
            self.put(v, Piece { tip: v, vertices: vec![v] });
            for &u in self.patch.graph.neighbors(v) {
                if is_in.get(u as usize).copied().unwrap_or(false) {
                    self.meet(v, u);
                }
            }
        }
    }

    /// Joins the pieces of two vertices; the shorter one is recorded first where it is a branch.
    fn meet(&mut self, v: u32, u: u32) {
        let (a, b) = (self.sets.find(v), self.sets.find(u));
        if a == b {
            return;
        }
        let (Some(a), Some(b)) = (self.take(a), self.take(b)) else { return };
        let is_elder = |x: &Piece, y: &Piece| {
            self.g(x.tip).total_cmp(&self.g(y.tip)).then(y.tip.cmp(&x.tip)).is_gt()
        };
        let (mut elder, younger) = if is_elder(&a, &b) { (a, b) } else { (b, a) };
        let from_m = self.g(v);
        if self.g(younger.tip) - from_m >= self.least_m
            && self.stand_apart(&elder.vertices, &younger.vertices, from_m, self.g(younger.tip))
        {
            self.record(&younger, elder.tip, from_m);
        }
        let name = self.sets.union(v, u);
        // The larger list takes in the smaller one.
        let mut more = younger.vertices;
        if more.len() > elder.vertices.len() {
            std::mem::swap(&mut more, &mut elder.vertices);
        }
        elder.vertices.extend(more);
        self.put(name, elder);
    }

    fn record(&mut self, piece: &Piece, parent_tip: u32, from_m: f32) {
        let index = self.found.len();
        self.found.push(Found { tip: piece.tip, parent_tip, from_m });
        for &v in &piece.vertices {
            if let Some(label @ None) = self.label.get_mut(v as usize) {
                *label = Some(index);
            }
        }
    }

    fn samples(&self, vertices: &[u32]) -> Vec<Sample> {
        let sample = |&v: &u32| Sample {
            position: self.patch.graph.positions.get(v as usize).copied().unwrap_or(Vec3::ZERO),
            along_m: self.g(v),
            area: self.areas.get(v as usize).copied().unwrap_or(0.0),
        };
        sorted(vertices.iter().map(sample).collect())
    }

    /// Whether slices of two pieces at equal g lie further apart than their radii, at most of four places.
    fn stand_apart(&self, a: &[u32], b: &[u32], from_m: f32, to_m: f32) -> bool {
        let (a, b) = (self.samples(a), self.samples(b));
        let step = (to_m - from_m) / 4.0;
        let apart = (0..4)
            .filter(|&i| {
                let from = from_m + step * i as f32;
                let slices = (slice(&a, from, from + step), slice(&b, from, from + step));
                let (Some(a), Some(b)) = slices else { return false };
                a.centroid.distance(b.centroid) > a.radius_m + b.radius_m
            })
            .count();
        apart >= 3
    }

    /// Judges the islands that are left against the one with the furthest tip.
    fn join_islands(&mut self) {
        let mut pieces: Vec<Piece> = self.members.drain(..).flatten().collect();
        pieces.sort_by(|a, b| self.g(b.tip).total_cmp(&self.g(a.tip)).then(a.tip.cmp(&b.tip)));
        let mut pieces = pieces.into_iter();
        let Some(trunk) = pieces.next() else { return };
        for island in pieces {
            let start = island.vertices.iter().map(|&v| self.g(v)).fold(f32::INFINITY, f32::min);
            let end = self.g(island.tip);
            if end - start >= self.least_m
                && self.stand_apart(&trunk.vertices, &island.vertices, start, end)
            {
                self.record(&island, trunk.tip, start);
            }
        }
    }

    /// Branches in the order of their beginnings, trunk first, each with the place of its parent.
    fn finish(self) -> Vec<Branch> {
        let mut order: Vec<usize> = (0..self.found.len()).collect();
        let key = |i: usize| self.found.get(i).map_or((0.0, 0), |f| (f.from_m, f.tip));
        order.sort_by(|&a, &b| {
            let (x, y) = (key(a), key(b));
            x.0.total_cmp(&y.0).then(x.1.cmp(&y.1))
        });
        let mut result = vec![Branch { vertices: Vec::new(), from_m: 0.0, parent: None }];
        let mut place: BTreeMap<usize, usize> = BTreeMap::new();
        for &i in &order {
            let Some(found) = self.found.get(i) else { continue };
            // A tip that no branch has is the trunk's.
            let parent = self.found.iter().position(|f| f.tip == found.parent_tip);
            let parent = parent.and_then(|p| place.get(&p).copied()).unwrap_or(0);
            place.insert(i, result.len());
            result.push(Branch {
                vertices: Vec::new(),
                from_m: found.from_m,
                parent: Some(parent),
            });
        }
        for (v, label) in self.label.iter().enumerate() {
            let at = label.and_then(|l| place.get(&l).copied()).unwrap_or(0);
            if let Some(branch) = result.get_mut(at) {
                branch.vertices.push(v as u32);
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::*;
    use crate::geometry::MeshGraph;
    use crate::math::ops;

    /// Tubes of radius `r`, each along a polyline, with nothing between them.
    fn tubes(lines: &[(&[Vec3], f32)]) -> MeshGraph {
        let around = 12_u32;
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        for (line, radius) in lines {
            let first = positions.len() as u32;
            for pair in line.windows(2) {
                let (side, up) = (pair[1] - pair[0]).normalize().any_orthonormal_pair();
                for i in 0..around {
                    let a = TAU * i as f32 / around as f32;
                    positions.push(pair[0] + (side * ops::cos(a) + up * ops::sin(a)) * *radius);
                }
            }
            for j in 0..line.len() as u32 - 2 {
                for i in 0..around {
                    let at = |i: u32, j: u32| first + j * around + i % around;
                    triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                    triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
        MeshGraph::new(positions, triangles)
    }

    fn line(from: Vec3, to: Vec3) -> Vec<Vec3> {
        (0..=30).map(|i| from.lerp(to, i as f32 / 30.0)).collect()
    }

    fn split(graph: MeshGraph) -> Vec<Branch> {
        let areas = graph.vertex_areas();
        let patch = Patch::new(&graph, (0..graph.len() as u32).collect());
        let g: Vec<f32> = patch.graph.positions.iter().map(|p| -p.z).collect();
        branches(&patch, &g, &areas, 0.1)
    }

    #[test]
    fn one_tube_is_one_branch() {
        let found = split(tubes(&[(&line(Vec3::ZERO, Vec3::NEG_Z), 0.05)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].vertices.len(), 30 * 12);
    }

    #[test]
    fn fur_over_skin_is_one_branch() {
        let a = line(Vec3::ZERO, Vec3::NEG_Z);
        let b = line(Vec3::NEG_Z * 0.1, Vec3::NEG_Z * 1.1);
        assert_eq!(split(tubes(&[(&a, 0.05), (&b, 0.07)])).len(), 1);
    }

    #[test]
    fn islands_that_stand_apart_are_branches() {
        let a = line(Vec3::ZERO, Vec3::NEG_Z);
        let b = line(Vec3::new(0.3, 0.0, -0.2), Vec3::new(0.4, 0.0, -0.8));
        let found = split(tubes(&[(&a, 0.05), (&b, 0.05)]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].parent, Some(0));
        assert!((found[1].from_m - 0.2).abs() < 0.02, "{}", found[1].from_m);
        assert_eq!(found[1].vertices.len(), 30 * 12);
    }

    #[test]
    fn a_welded_fork_is_a_trunk_and_a_branch() {
        // A grid in the shape of a Y, 2 cm wide stems, doubled by a fold so that slices have some width.
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        let row = |positions: &mut Vec<Vec3>, x: f32, z: f32| {
            let first = positions.len() as u32;
            positions.extend([-0.01, 0.0, 0.01].map(|d| Vec3::new(x + d, 0.0, -z)));
            first
        };
        let strip = |triangles: &mut Vec<[u32; 3]>, a: u32, b: u32| {
            for i in 0..2 {
                triangles.push([a + i, a + i + 1, b + i]);
                triangles.push([a + i + 1, b + i + 1, b + i]);
            }
        };
        let mut last = row(&mut positions, 0.0, 0.0);
        for j in 1..=20 {
            let next = row(&mut positions, 0.0, j as f32 * 0.02);
            strip(&mut triangles, last, next);
            last = next;
        }
        for (side, n) in [(-1.0, 20), (1.0, 15)] {
            let mut before = last;
            for j in 1..=n {
                let next = row(&mut positions, side * 0.01 * j as f32, 0.4 + j as f32 * 0.02);
                strip(&mut triangles, before, next);
                before = next;
            }
        }
        let found = split(MeshGraph::new(positions, triangles));
        assert_eq!(found.len(), 2);
        assert!((found[1].from_m - 0.4).abs() < 0.03, "{}", found[1].from_m);
        assert_eq!(found[1].vertices.len(), 15 * 3, "the shorter arm");
    }
}
