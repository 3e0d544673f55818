//! Weights along a chain, and what keeps any list of weights short and summing to one.
//!
//! Based on: spec 1.7, 8 (D8).

use crate::model::NodeIndex;

/// Weights of the joint before, of the segment's own joint and of the one after, at one place along a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentWeights {
    /// Segment 0 to K - 1; its own joint is `Tail_{segment + 1}`.
    pub segment: usize,
    /// On the joint before it; on the attachment joint in segment 0.
    pub previous: f32,
    /// On the segment's own joint.
    pub own: f32,
    /// On the joint after it; 0 in the last segment, whose next joint is the unweighted end.
    pub next: f32,
}

/// Weights at geodesic distance `along_m` on a chain of `k` segments over `length_m`.
///
/// s = K g / L is clamped to [0, K), k = ⌊s⌋, f = s - k:
/// w_prev = clamp(½ - 2f, 0, ½), w_next = clamp(2f - 1½, 0, ½), w_self is the rest. They sum to 1 by construction.
pub fn segment_weights(along_m: f32, length_m: f32, k: usize) -> SegmentWeights {
    let k = k.max(1);
    let s = if length_m > 0.0 { k as f32 * along_m / length_m } else { 0.0 };
    let last = k - 1;
    // A NaN, like everything below 0, counts as the root.
    let s = if s > 0.0 { s } else { 0.0 };
    let segment = (s as usize).min(last);
    let f = (s - segment as f32).min(1.0);
    let previous = (0.5 - 2.0 * f).clamp(0.0, 0.5);
    let next = if segment == last { 0.0 } else { (2.0 * f - 1.5).clamp(0.0, 0.5) };
    SegmentWeights { segment, previous, own: 1.0 - previous - next, next }
}

/// Weights of one vertex by node, in any order.
pub type NodeWeights = Vec<(NodeIndex, f32)>;

/// Weights by node for `along_m` on a chain: `attachment` first, then `joints`, `[K]`.
pub fn chain_weights(
    along_m: f32,
    length_m: f32,
    attachment: NodeIndex,
    joints: &[NodeIndex],
) -> NodeWeights {
    let w = segment_weights(along_m, length_m, joints.len());
    let joint = |i: usize| joints.get(i).copied().unwrap_or(attachment);
    let before = if w.segment == 0 { attachment } else { joint(w.segment - 1) };
    [(before, w.previous), (joint(w.segment), w.own), (joint(w.segment + 1), w.next)]
        .into_iter()
        .filter(|&(_, weight)| weight > 0.0)
        .collect()
}

/// The strongest `limit` of `weights`, each joint once, divided by their sum; falling, ties by node.
///
/// Negative and non-finite weights count as none. Empty where nothing is left.
pub fn limited(weights: impl IntoIterator<Item = (NodeIndex, f32)>, limit: usize) -> NodeWeights {
    let mut merged: NodeWeights = Vec::with_capacity(8);
    for (node, weight) in weights {
        if !(weight > 0.0 && weight.is_finite()) {
            continue;
        }
        match merged.iter_mut().find(|(n, _)| *n == node) {
            Some((_, w)) => *w += weight,
            None => merged.push((node, weight)),
        }
    }
    merged.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    merged.truncate(limit.max(1));
    let sum: f64 = merged.iter().map(|&(_, w)| f64::from(w)).sum();
    for (_, w) in &mut merged {
        *w = (f64::from(*w) / sum) as f32;
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(g: f32) -> SegmentWeights {
        segment_weights(g, 4.0, 4)
    }

    #[test]
    fn weights_follow_the_formula_at_its_corners() {
        let w = |segment, previous, own, next| SegmentWeights { segment, previous, own, next };
        assert_eq!(at(0.0), w(0, 0.5, 0.5, 0.0));
        assert_eq!(at(0.125), w(0, 0.25, 0.75, 0.0));
        assert_eq!(at(0.25), w(0, 0.0, 1.0, 0.0));
        assert_eq!(at(0.75), w(0, 0.0, 1.0, 0.0));
        assert_eq!(at(0.875), w(0, 0.0, 0.75, 0.25));
        assert_eq!(at(1.0), w(1, 0.5, 0.5, 0.0));
        assert_eq!(at(3.875), w(3, 0.0, 1.0, 0.0), "nothing goes to the end joint");
        assert_eq!(at(4.0), w(3, 0.0, 1.0, 0.0));
        assert_eq!(at(9.0), w(3, 0.0, 1.0, 0.0), "the last hundredth of the skin, beyond L");
        assert_eq!(at(-1.0), at(0.0));
        assert_eq!(at(f32::NAN), at(0.0));
    }

    #[test]
    fn the_joint_before_the_first_is_the_attachment() {
        let joints = [NodeIndex(7), NodeIndex(8), NodeIndex(9)];
        let weights = chain_weights(0.0, 3.0, NodeIndex(2), &joints);
        assert_eq!(weights, [(NodeIndex(2), 0.5), (NodeIndex(7), 0.5)]);
        assert_eq!(chain_weights(3.0, 3.0, NodeIndex(2), &joints), [(NodeIndex(9), 1.0)]);
    }

    #[test]
    fn limiting_keeps_the_strongest_and_their_proportions() {
        let n = NodeIndex;
        let many =
            [(n(1), 0.1), (n(2), 0.3), (n(3), 0.2), (n(2), 0.1), (n(4), f32::NAN), (n(5), -1.0)];
        let kept = limited(many, 2);
        assert_eq!(kept.iter().map(|w| w.0).collect::<Vec<_>>(), [n(2), n(3)]);
        assert!((kept[0].1 - 2.0 / 3.0).abs() < 1e-6);
        assert!(limited([(n(0), 0.0)], 4).is_empty());
    }

    proptest! {
        #[test]
        fn weights_are_continuous_and_sum_to_one(g in -1.0_f32..6.0, k in 1_usize..9) {
            let joints: Vec<NodeIndex> = (1..=k as u32).map(NodeIndex).collect();
            let dense = |g: f32| {
                let mut all = vec![0.0_f32; k + 1];
                for (node, w) in chain_weights(g, 4.0, NodeIndex(0), &joints) {
                    all[node.index()] += w;
                }
                all
            };
            let (a, b) = (dense(g), dense(g + 1e-4));
            prop_assert!((a.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            for (x, y) in a.iter().zip(&b) {
                // |dw/dg| is at most 2 K / L.
                prop_assert!((x - y).abs() <= 2.0 * k as f32 / 4.0 * 1e-4 + 1e-5);
            }
        }
    }
}
