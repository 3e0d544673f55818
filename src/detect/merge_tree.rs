//! The merge tree of a height field on a mesh: peaks, and where they meet.
//!
//! Based on: Carr, Snoeyink and Axen, Computing contour trees in all dimensions, 2003 (the join half: union-find in
//! falling order); persistence as in Edelsbrunner, Letscher and Zomorodian, 2002.
//!
//! ```text
//!   height          peak A
//!                  ╱      ╲         peak B
//!   saddle ───────╱────────╲───────╱──────╲──   A and B end here as branches, A ∪ B begins
//!   least  ──────╱──────────────────────────╲   what is connected above this is a root
//! ```

use crate::geometry::MeshGraph;

/// A connected piece of the set above a level.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    /// Its vertices that none of its children has; see [`MergeTree::vertices`] for all.
    pub own: Vec<u32>,
    /// Branches it splits into when the level rises; none for a single peak.
    pub children: Vec<usize>,
    /// Height of its highest vertex.
    pub peak: f32,
    /// The level at which it is cut.
    pub cut: f32,
}

/// All branches; children stand before their parents.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MergeTree {
    pub branches: Vec<Branch>,
    /// The pieces above the least level.
    pub roots: Vec<usize>,
}

/// What is known of a set while the level falls.
struct Set {
    /// Those that are in none of its children.
    members: Vec<u32>,
    /// Those of its children counted in.
    n_members: usize,
    children: Vec<usize>,
    peak: f32,
}

const NONE: u32 = u32::MAX;

impl MergeTree {
    /// The tree of `height`, `[W]` and not negative, above `least`, of peaks that stand `persistence` or more above the
    /// saddle to a higher one. Vertices for which `counts` is false are not part of the mesh.
    ///
    /// Cost: O(n log n) for n vertices above the level.
    pub fn new(
        graph: &MeshGraph,
        height: &[f32],
        counts: impl Fn(u32) -> bool,
        least: f32,
        persistence: f32,
    ) -> Self {
        // Highest first, of equals the lowest number: heights are not negative, so their bits sort as they do.
        let mut order: Vec<u64> = (0..graph.len() as u32)
            .filter(|&v| height[v as usize] > least && counts(v))
            .map(|v| u64::from(!height[v as usize].to_bits()) << 32 | u64::from(v))
            .collect();
        order.sort_unstable();
        let mut set_of = vec![NONE; graph.len()];
        let mut sets: Vec<Option<Set>> = Vec::new();
        // Sets that were joined into others.
        let mut joined: Vec<u32> = Vec::new();
        let mut tree = Self::default();
        for v in order.into_iter().map(|key| key as u32) {
            let level = height[v as usize];
            let mut mine = NONE;
            for u in graph.around(v) {
                let of_u = set_of[u as usize];
                if of_u == NONE {
                    continue;
                }
                let other = find(&mut joined, of_u);
                if mine == NONE {
                    mine = other;
                } else if mine != other {
                    mine = tree.join(&mut sets, &mut joined, (mine, other), level, persistence);
                }
            }
            if mine == NONE {
                mine = sets.len() as u32;
                joined.push(mine);
                let (members, children) = (Vec::new(), Vec::new());
                sets.push(Some(Set { members, n_members: 0, children, peak: level }));
            }
            if let Some(set) = &mut sets[mine as usize] {
                set.members.push(v);
                set.n_members += 1;
            }
            set_of[v as usize] = mine;
        }
        for set in sets.into_iter().flatten() {
            let root = tree.keep(set.members, set.children, set.peak, least);
            tree.roots.push(root);
        }
        tree
    }

    /// The lowest vertex of a root: what all of it met in, so that however many branches meet there, it is the root's own.
    pub fn lowest(&self, root: usize) -> u32 {
        let own = &self.branches[root].own;
        own[own.len() - 1]
    }

    /// All vertices of a branch, sorted. Cost: O(n log n) for n of them.
    pub fn vertices(&self, branch: usize) -> Vec<u32> {
        let mut vertices = Vec::new();
        let mut open = vec![branch];
        while let Some(at) = open.pop() {
            vertices.extend_from_slice(&self.branches[at].own);
            open.extend_from_slice(&self.branches[at].children);
        }
        vertices.sort_unstable();
        vertices
    }

    /// Makes one set of two that meet at `level`; where both stand high enough above it, each becomes a branch first.
    fn join(
        &mut self,
        sets: &mut [Option<Set>],
        joined: &mut [u32],
        (a, b): (u32, u32),
        level: f32,
        persistence: f32,
    ) -> u32 {
        let (Some(mut x), Some(mut y)) = (sets[a as usize].take(), sets[b as usize].take()) else {
            return a;
        };
        if x.peak.min(y.peak) - level >= persistence {
            for set in [&mut x, &mut y] {
                let (own, children) =
                    (std::mem::take(&mut set.members), std::mem::take(&mut set.children));
                set.children = vec![self.keep(own, children, set.peak, level)];
            }
        }
        // The smaller list is moved, so that every vertex moves only log n times.
        let (mut large, mut small, kept, gone) =
            if x.n_members >= y.n_members { (x, y, a, b) } else { (y, x, b, a) };
        large.members.append(&mut small.members);
        large.n_members += small.n_members;
        large.children.append(&mut small.children);
        large.peak = large.peak.max(small.peak);
        sets[kept as usize] = Some(large);
        joined[gone as usize] = kept;
        kept
    }

    fn keep(&mut self, own: Vec<u32>, children: Vec<usize>, peak: f32, cut: f32) -> usize {
        self.branches.push(Branch { own, children, peak, cut });
        self.branches.len() - 1
    }
}

fn find(joined: &mut [u32], mut x: u32) -> u32 {
    while joined[x as usize] != x {
        let above = joined[joined[x as usize] as usize];
        joined[x as usize] = above;
        x = above;
    }
    x
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    /// A strip of triangles with two rows of vertices of the given heights.
    fn strip(heights: &[f32]) -> (MeshGraph, Vec<f32>) {
        let n = heights.len() as u32;
        let positions =
            (0..2 * n).map(|i| Vec3::new((i % n) as f32, (i / n) as f32, 0.0)).collect();
        let triangles =
            (0..n - 1).flat_map(|i| [[i, i + 1, n + i], [i + 1, n + i + 1, n + i]]).collect();
        (MeshGraph::new(positions, triangles), [heights, heights].concat())
    }

    #[test]
    fn two_high_peaks_are_branches_of_one_root() {
        let (graph, heights) = strip(&[0.0, 3.0, 9.0, 4.0, 2.0, 6.0, 2.5, 0.0]);
        let tree = MergeTree::new(&graph, &heights, |_| true, 1.0, 3.0);
        assert_eq!(tree.roots.len(), 1);
        let root = &tree.branches[tree.roots[0]];
        assert_eq!(tree.vertices(tree.roots[0]).len(), 12);
        assert_eq!(root.children.len(), 2);
        let mut peaks: Vec<f32> = root.children.iter().map(|&c| tree.branches[c].peak).collect();
        peaks.sort_by(f32::total_cmp);
        assert_eq!(peaks, [6.0, 9.0]);
        for &child in &root.children {
            assert!(tree.vertices(child).iter().all(|&v| heights[v as usize] >= 2.0));
        }
    }

    #[test]
    fn a_ripple_is_no_branch() {
        let (graph, heights) = strip(&[0.0, 3.0, 9.0, 7.0, 8.0, 3.0, 0.0]);
        let tree = MergeTree::new(&graph, &heights, |_| true, 1.0, 3.0);
        assert_eq!(tree.branches.len(), 1);
    }

    #[test]
    fn a_tree_as_deep_as_a_comb_has_teeth_holds_every_vertex_once() {
        let tooth = |i: usize| [9.0, 5.0 - 1e-3 * i as f32];
        let comb: Vec<f32> = (0..2000).flat_map(tooth).collect();
        let (graph, heights) = strip(&comb);
        let tree = MergeTree::new(&graph, &heights, |_| true, 1.0, 3.0);
        // Each saddle but the last, which ends the strip, joins a tooth to all before it.
        assert_eq!((tree.roots.len(), tree.branches.len()), (1, 2 * 1999 + 1));
        assert_eq!(tree.branches.iter().map(|b| b.own.len()).sum::<usize>(), heights.len());
        assert_eq!(tree.vertices(tree.roots[0]).len(), heights.len());
    }

    #[test]
    fn a_root_has_the_vertex_where_its_branches_meet() {
        // A star: spikes that meet in one vertex, where each pair leaves a branch without a vertex of its own.
        const SPIKES: u32 = 50;
        let mut positions = vec![Vec3::ZERO];
        let mut triangles = Vec::new();
        let mut heights = vec![2.0];
        for i in 0..SPIKES {
            let a = positions.len() as u32;
            positions.extend([Vec3::new(i as f32, 1.0, 0.0), Vec3::new(i as f32, 1.0, 1.0)]);
            triangles.push([0, a, a + 1]);
            heights.extend([9.0, 9.0]);
        }
        let graph = MeshGraph::new(positions, triangles);
        let tree = MergeTree::new(&graph, &heights, |_| true, 1.0, 3.0);
        assert!(tree.branches.iter().any(|branch| branch.own.is_empty()));
        assert_eq!((tree.roots.len(), tree.lowest(tree.roots[0])), (1, 0));
    }

    #[test]
    fn what_does_not_count_parts_the_mesh() {
        let (graph, heights) = strip(&[5.0; 7]);
        let tree = MergeTree::new(&graph, &heights, |v| v % 7 != 3, 1.0, 3.0);
        assert_eq!(tree.roots.len(), 2);
    }
}
