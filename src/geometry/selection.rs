//! Selections of skin: grown and shrunk by rings, and the connected pieces they lie in.
//!
//! All of them see the skin welded: a selection that holds one copy of a split vertex holds all of them.

use std::collections::BTreeMap;

use super::{Patch, Topology};
use crate::model::SurfaceVertex;

/// Members that two sorted lists have in common; each list has each of its members once.
///
/// Cost: O(n) for lists of like lengths, O(n log m) where one is far shorter.
pub fn n_common<T: Ord>(a: &[T], b: &[T]) -> usize {
    /// From here on looking members up costs less than going through.
    const FAR_LONGER: usize = 16;
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() / FAR_LONGER > short.len() {
        return short.iter().filter(|member| long.binary_search(member).is_ok()).count();
    }
    let (mut rest, mut n) = (long, 0);
    for member in short {
        let Some(at) = rest.iter().position(|other| other >= member) else { break };
        rest = &rest[at..];
        n += usize::from(rest.first() == Some(member));
    }
    n
}

/// `vertices` and `rings` rings of neighbours round them, sorted. Cost: O(selection) for each ring.
pub fn grown(topology: &Topology, vertices: &[SurfaceVertex], rings: u32) -> Vec<SurfaceVertex> {
    let mut all = topology.welded_vertices(vertices);
    for _ in 0..rings {
        let near = all.iter().flat_map(|&v| topology.graph.neighbors(v)).copied();
        let mut next: Vec<u32> = all.iter().copied().chain(near).collect();
        next.sort_unstable();
        next.dedup();
        all = next;
    }
    topology.surface_vertices(&all)
}

/// `vertices` without the `rings` outermost rings, sorted. What lies at an open edge of the mesh counts as inside.
///
/// Cost: O(selection) for each ring.
pub fn shrunk(topology: &Topology, vertices: &[SurfaceVertex], rings: u32) -> Vec<SurfaceVertex> {
    let mut all = topology.welded_vertices(vertices);
    for _ in 0..rings {
        let is_inside =
            |v: u32| topology.graph.neighbors(v).iter().all(|u| all.binary_search(u).is_ok());
        all = all.iter().copied().filter(|&v| is_inside(v)).collect();
    }
    topology.surface_vertices(&all)
}

/// The connected pieces of `vertices`, largest first, each sorted; of equals the one with the lower first vertex.
///
/// Cost: O(n log n).
pub fn pieces_of(topology: &Topology, vertices: &[SurfaceVertex]) -> Vec<Vec<SurfaceVertex>> {
    let patch = Patch::new(&topology.graph, topology.welded_vertices(vertices));
    let mut pieces: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&welded, piece) in patch.welded.iter().zip(patch.pieces().iter().copied()) {
        pieces.entry(piece).or_default().push(welded);
    }
    let mut all: Vec<Vec<SurfaceVertex>> =
        pieces.into_values().map(|piece| topology.surface_vertices(&piece)).collect();
    all.sort_by_key(|piece| (std::cmp::Reverse(piece.len()), piece.first().copied()));
    all
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::geometry::Surface;

    /// A strip of 2 × `n` vertices whose right half is split off at a seam, and one triangle far away.
    fn strip() -> Topology {
        let at = |i: u32, j: u32| Vec3::new(i as f32, j as f32, 0.0);
        let mut positions: Vec<Vec3> = Vec::new();
        let mut triangles = Vec::new();
        // Columns 0 to 3, then 3 to 6 again with vertices of their own.
        for first in [0, 3] {
            let base = positions.len() as u32;
            positions.extend((0..4).flat_map(|i| [at(first + i, 0), at(first + i, 1)]));
            for i in 0..3 {
                let c = base + 2 * i;
                triangles.extend([[c, c + 2, c + 1], [c + 1, c + 2, c + 3]]);
            }
        }
        let base = positions.len() as u32;
        positions.extend([Vec3::X * 50.0, Vec3::X * 51.0, Vec3::X * 50.0 + Vec3::Y]);
        triangles.push([base, base + 1, base + 2]);
        let total = positions.len() as u32;
        Topology::of(&Surface {
            positions,
            triangles,
            offsets: vec![0, total],
            is_visible: vec![true],
        })
    }

    fn numbers(list: &[SurfaceVertex]) -> Vec<u32> {
        list.iter().map(|v| v.0).collect()
    }

    #[test]
    fn growing_crosses_seams_and_shrinking_takes_it_back() {
        let topology = strip();
        let column = [SurfaceVertex(4), SurfaceVertex(5)];
        let one = grown(&topology, &column, 1);
        // Columns 1 to 3, column 3 in both copies.
        assert_eq!(numbers(&one), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(numbers(&shrunk(&topology, &one, 1)), [4, 5]);
        assert_eq!(grown(&topology, &column, 0), column);
        assert_eq!(grown(&topology, &column, 99).len(), 16, "the far triangle is never reached");
        assert!(shrunk(&topology, &column, 9).is_empty());
    }

    #[test]
    fn an_open_edge_is_no_border_of_a_selection() {
        let topology = strip();
        let all: Vec<SurfaceVertex> = (0..16).map(SurfaceVertex).collect();
        assert_eq!(shrunk(&topology, &all, 3), all);
    }

    #[test]
    fn common_members_are_counted_whichever_list_is_the_longer() {
        let every = |step: usize| (0..1000_u32).step_by(step).collect::<Vec<_>>();
        for (a, b, expected) in [(1, 7, 143), (2, 3, 167), (1, 500, 2), (6, 10, 34)] {
            assert_eq!(n_common(&every(a), &every(b)), expected, "{a} {b}");
            assert_eq!(n_common(&every(b), &every(a)), expected, "{b} {a}");
        }
        assert_eq!(n_common(&[2000], &every(1)), 0);
        assert_eq!(n_common(&[], &every(1)), 0);
    }

    #[test]
    fn pieces_come_largest_first() {
        let topology = strip();
        let chosen: Vec<SurfaceVertex> =
            [0, 1, 2, 10, 11, 12, 13, 16, 17].map(SurfaceVertex).to_vec();
        let found: Vec<Vec<u32>> =
            pieces_of(&topology, &chosen).iter().map(|p| numbers(p)).collect();
        assert_eq!(found, [vec![10, 11, 12, 13], vec![0, 1, 2], vec![16], vec![17]]);
    }
}
