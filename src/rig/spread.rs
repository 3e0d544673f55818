//! Smooth weights over chosen joints, for capes and skirts on request.
//!
//! Based on: spec 1.8 ("distance-weighted, smooth"). By distance along the skin rather than through the air, so that
//! the two sides of a slit skirt do not share joints.

use glam::Vec3;

use super::weights::NodeWeights;
use crate::geometry::Patch;
use crate::math::closest::distance_to_segment;
use crate::model::NodeIndex;

/// A joint that skin is to be shared with, and the segments it moves, in bind space.
#[derive(Clone, Debug, PartialEq)]
pub struct SpreadJoint {
    /// The joint.
    pub node: NodeIndex,
    /// From it to its children; one of no length where there is none.
    pub segments: Vec<[Vec3; 2]>,
}

impl SpreadJoint {
    fn distance(&self, p: Vec3) -> f32 {
        self.segments
            .iter()
            .map(|&[a, b]| distance_to_segment(p, a, b))
            .fold(f32::INFINITY, f32::min)
    }
}

/// Rounds of averaging with the neighbours, after the weights by distance.
const SMOOTHING_ROUNDS: usize = 8;

/// Weights of every vertex of a patch over `joints`, `[P]`.
///
/// A joint's seeds are the tenth of the vertices nearest to it; its raw weight falls with the squared distance along
/// the skin from there. The weights are then averaged with their neighbours' for a few rounds. Each row sums to 1.
/// Cost: O(joints P log P).
pub fn spread_weights(patch: &Patch, joints: &[SpreadJoint]) -> Vec<NodeWeights> {
    let n = patch.graph.len();
    if joints.is_empty() || n == 0 {
        return vec![Vec::new(); n];
    }
    let mut size = 0.0_f32;
    let columns: Vec<Vec<f32>> = joints
        .iter()
        .map(|joint| {
            let column = patch.distances_from(&nearest_tenth(patch, joint));
            size = column.iter().copied().filter(|d| d.is_finite()).fold(size, f32::max);
            column
        })
        .collect();
    // Keeps a seed from being infinitely near: a tenth of the whole.
    let near = (0.1 * size).max(f32::MIN_POSITIVE.sqrt());
    let mut weights: Vec<Vec<f32>> = (0..n)
        .map(|v| {
            let raw = columns.iter().map(|c| {
                let d = c.get(v).copied().filter(|d| d.is_finite()).unwrap_or(size) + near;
                near * near / (d * d)
            });
            normalized(raw.collect())
        })
        .collect();
    for _ in 0..SMOOTHING_ROUNDS {
        weights = averaged(patch, &weights);
    }
    weights
        .into_iter()
        .map(|row| joints.iter().zip(row).map(|(joint, w)| (joint.node, w)).collect())
        .collect()
}

fn nearest_tenth(patch: &Patch, joint: &SpreadJoint) -> Vec<u32> {
    let mut order: Vec<(f32, u32)> =
        (0..).zip(&patch.graph.positions).map(|(v, &p)| (joint.distance(p), v)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.truncate(order.len().div_ceil(10));
    order.into_iter().map(|(_, v)| v).collect()
}

fn normalized(mut row: Vec<f32>) -> Vec<f32> {
    let sum: f32 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|w| *w /= sum);
    }
    row
}

/// Each row half itself, half the mean of its neighbours.
fn averaged(patch: &Patch, weights: &[Vec<f32>]) -> Vec<Vec<f32>> {
    (0..)
        .zip(weights)
        .map(|(v, own)| {
            let neighbors = patch.graph.neighbors(v);
            if neighbors.is_empty() {
                return own.clone();
            }
            let share = 0.5 / neighbors.len() as f32;
            let mut row: Vec<f32> = own.iter().map(|w| 0.5 * w).collect();
            for other in neighbors.iter().filter_map(|&u| weights.get(u as usize)) {
                for (w, o) in row.iter_mut().zip(other) {
                    *w += share * o;
                }
            }
            normalized(row)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::MeshGraph;

    /// A sheet one metre wide and two long, hanging from y = 0, with a joint at each lower corner.
    fn sheet() -> (Patch, Vec<SpreadJoint>) {
        let (nx, ny) = (11_u32, 21_u32);
        let positions: Vec<Vec3> = (0..nx * ny)
            .map(|i| Vec3::new((i % nx) as f32 * 0.1 - 0.5, -((i / nx) as f32) * 0.1, 0.0))
            .collect();
        let mut triangles = Vec::new();
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let at = j * nx + i;
                triangles.push([at, at + 1, at + nx]);
                triangles.push([at + 1, at + nx + 1, at + nx]);
            }
        }
        let graph = MeshGraph::new(positions, triangles);
        let patch = Patch::new(&graph, (0..graph.len() as u32).collect());
        let joint = |node, x: f32, y: f32| SpreadJoint {
            node: NodeIndex(node),
            segments: vec![[Vec3::new(x, y, 0.0), Vec3::new(x, y - 0.3, 0.0)]],
        };
        (patch, vec![joint(0, 0.0, 0.0), joint(1, -0.5, -1.7), joint(2, 0.5, -1.7)])
    }

    #[test]
    fn each_joint_leads_where_it_is_nearest_and_rows_sum_to_one() {
        let (patch, joints) = sheet();
        let weights = spread_weights(&patch, &joints);
        for row in &weights {
            let sum: f32 = row.iter().map(|w| w.1).sum();
            assert!((sum - 1.0).abs() < 1e-5);
        }
        let strongest =
            |v: usize| weights[v].iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0.0;
        assert_eq!(strongest(5), 0, "top middle");
        assert_eq!(strongest(20 * 11), 1, "lower left");
        assert_eq!(strongest(20 * 11 + 10), 2, "lower right");
    }

    #[test]
    fn weights_are_smooth_from_vertex_to_vertex() {
        let (patch, joints) = sheet();
        let weights = spread_weights(&patch, &joints);
        let largest = patch
            .graph
            .edges()
            .flat_map(|[a, b]| {
                let (a, b) = (weights[a as usize].clone(), weights[b as usize].clone());
                a.into_iter().zip(b).map(|(x, y)| (x.1 - y.1).abs())
            })
            .fold(0.0, f32::max);
        assert!(largest < 0.2, "{largest} over one tenth of a metre");
    }
}
