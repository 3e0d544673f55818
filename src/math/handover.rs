//! Weights along a row of holders, each of which takes over from the one before.

/// Weights at `at` of `first` and of `row`, whose holder i stands at i: it takes over within 1 on either side of where it
/// stands, by a step without a kink. Those above 0, in order; they sum to 1.
///
/// Holder i has taken over S(at - i), S(x) being ½ (1 + x)² up to 0 and 1 - ½ (1 - x)² from there on: the integral of a
/// hat. Where hats themselves are the weights, skin at the ends of a hat turns about a joint half a segment away, and a
/// bend of β stretches it by 0.36 β²; here by a fifth of that. A NaN stays with `first`. Cost: O(row).
pub fn handover<T: Copy>(at: f32, first: T, row: &[T]) -> Vec<(T, f32)> {
    // The maximum with a NaN is the other number.
    let at = at.max(-1.0);
    let mut weights = Vec::new();
    let mut before = (first, 1.0);
    for (i, &holder) in row.iter().enumerate() {
        let own = taken_over(at - i as f32);
        weights.push((before.0, before.1 - own));
        before = (holder, own);
    }
    weights.push(before);
    weights.retain(|(_, weight)| *weight > 0.0);
    weights
}

fn taken_over(x: f32) -> f32 {
    match x {
        x if x <= -1.0 => 0.0,
        x if x <= 0.0 => 0.5 * (1.0 + x) * (1.0 + x),
        x if x < 1.0 => 1.0 - 0.5 * (1.0 - x) * (1.0 - x),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_holder_takes_over_within_one_on_either_side_and_all_sum_to_one() {
        assert_eq!(handover(-1.0, 'a', &['b', 'c']), [('a', 1.0)]);
        assert_eq!(handover(0.0, 'a', &['b', 'c']), [('a', 0.5), ('b', 0.5)]);
        assert_eq!(handover(0.5, 'a', &['b', 'c']), [('a', 0.125), ('b', 0.75), ('c', 0.125)]);
        assert_eq!(handover(2.0, 'a', &['b', 'c']), [('c', 1.0)]);
        assert_eq!(handover(f32::NAN, 'a', &['b', 'c']), [('a', 1.0)]);
        assert_eq!(handover(0.3, 'a', &[]), [('a', 1.0)]);
        for k in -20..60 {
            let sum: f32 = handover(k as f32 * 0.05, 0, &[1, 2]).iter().map(|(_, w)| w).sum();
            assert!((sum - 1.0).abs() < 1e-6);
        }
    }
}
