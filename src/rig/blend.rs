//! Blend width: rings of body skin outside a collar hand their weights over to what the region hangs from.
//!
//! Without it the last body vertex before the collar still follows a thigh while the first of the region follows the
//! hips, and the edge between them takes all of the difference.
//!
//! Based on: spec 1.7 ("blend width", ours).

use std::collections::BTreeSet;

use crate::geometry::MeshGraph;

/// Share of its weights that skin in `ring` (1 is the first outside) of `rings` hands over: 1 at the region's edge,
/// 0 one ring past the last, smooth between.
pub fn blend_share(ring: u32, rings: u32) -> f32 {
    if ring > rings {
        return 0.0;
    }
    let t = ring as f32 / (rings as f32 + 1.0);
    1.0 - t * t * (3.0 - 2.0 * t)
}

/// Welded vertices in the first `rings` rings round `inside`, each with its ring from 1, in the order met.
///
/// Vertices for which `is_free` is false are neither taken nor crossed. Cost: O(inside + rings).
pub(super) fn rings_outside(
    graph: &MeshGraph,
    inside: &[u32],
    rings: u32,
    is_free: impl Fn(u32) -> bool,
) -> Vec<(u32, u32)> {
    let mut seen: BTreeSet<u32> = inside.iter().copied().collect();
    let mut border: Vec<u32> = inside.to_vec();
    let mut result = Vec::new();
    for ring in 1..=rings {
        let mut next = Vec::new();
        for &v in &border {
            for &u in graph.neighbors(v) {
                if is_free(u) && seen.insert(u) {
                    next.push(u);
                }
            }
        }
        next.sort_unstable();
        result.extend(next.iter().map(|&v| (v, ring)));
        border = next;
    }
    result
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn shares_fall_smoothly_from_the_edge() {
        assert_eq!(blend_share(0, 2), 1.0);
        assert!((blend_share(1, 2) - 20.0 / 27.0).abs() < 1e-6, "1 - (3 t² - 2 t³) at a third");
        assert!((blend_share(2, 2) - 7.0 / 27.0).abs() < 1e-6);
        assert_eq!(blend_share(3, 2), 0.0);
        assert_eq!(blend_share(1, 0), 0.0);
    }

    #[test]
    fn rings_go_round_what_is_not_free() {
        // A strip of 6 × 2 vertices.
        let positions = (0..12).map(|i| Vec3::new((i / 2) as f32, (i % 2) as f32, 0.0)).collect();
        let triangles = (0..5_u32)
            .flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 1, 2 * i + 3, 2 * i + 2]]);
        let graph = MeshGraph::new(positions, triangles.collect());
        assert_eq!(
            rings_outside(&graph, &[0, 1], 2, |v| v != 5),
            [(2, 1), (3, 1), (4, 2)],
            "vertex 5 is not free"
        );
        assert!(rings_outside(&graph, &[0, 1], 0, |_| true).is_empty());
    }
}
