//! Influences into JOINTS_n and WEIGHTS_n: cut to four or eight, summing to one in whatever type they are stored.

use crate::model::JointIndex;

/// Joints and weights of one vertex, four to a set.
pub(super) type Slots = Vec<(u32, f32)>;

/// The strongest `most` influences, made to sum to one in single precision; strongest first.
pub(super) fn strongest(influences: impl Iterator<Item = (JointIndex, f32)>, most: usize) -> Slots {
    let mut slots: Slots = influences
        .filter(|(_, w)| *w > 0.0 && w.is_finite())
        .take(most)
        .map(|(joint, weight)| (joint.0, weight))
        .collect();
    let sum: f64 = slots.iter().map(|s| f64::from(s.1)).sum();
    if sum <= 0.0 {
        return Vec::new();
    }
    // A sum that is one already, as near as the type gets, is left alone: writing again must change nothing.
    if (sum - 1.0).abs() > 1e-7 {
        for slot in &mut slots {
            slot.1 = (f64::from(slot.1) / sum) as f32;
        }
        let rest: f64 = 1.0 - slots.iter().map(|s| f64::from(s.1)).sum::<f64>();
        if let Some(first) = slots.first_mut() {
            first.1 = (f64::from(first.1) + rest) as f32;
        }
    }
    slots
}

/// Weights as whole parts of `range` that sum to it exactly: by largest remainder, ties to the stronger.
pub(super) fn quantized(slots: &Slots, range: u32) -> Vec<u32> {
    let exact: Vec<f64> = slots.iter().map(|s| f64::from(s.1) * f64::from(range)).collect();
    let mut parts: Vec<u32> = exact.iter().map(|x| x.floor() as u32).collect();
    let sum: u32 = parts.iter().sum();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let remainder = |i: &usize| exact.get(*i).map_or(0.0, |x| x - x.floor());
    order.sort_by(|a, b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(b)));
    let missing = range.saturating_sub(sum) as usize;
    for &i in order.iter().cycle().take(if parts.is_empty() { 0 } else { missing }) {
        if let Some(part) = parts.get_mut(i) {
            *part += 1;
        }
    }
    // Rounding of a sum above one could overshoot; the strongest gives it back.
    let over = parts.iter().sum::<u32>().saturating_sub(range);
    if let Some(first) = parts.first_mut() {
        *first = first.saturating_sub(over);
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn weights_sum_exactly_in_every_type(raw in prop::collection::vec(1e-4_f32..1.0, 1..12)) {
            let influences = raw.iter().enumerate().map(|(j, w)| (JointIndex(j as u32), *w));
            for most in [4, 8] {
                let slots = strongest(influences.clone(), most);
                let sum: f32 = slots.iter().map(|s| s.1).sum();
                prop_assert!((sum - 1.0).abs() <= 2e-7, "{sum}");
                for range in [255, 65535] {
                    prop_assert_eq!(quantized(&slots, range).iter().sum::<u32>(), range);
                }
                let again = strongest(slots.iter().map(|s| (JointIndex(s.0), s.1)), most);
                prop_assert_eq!(again, slots);
            }
        }
    }

    #[test]
    fn no_influence_gives_no_slot() {
        assert!(strongest(std::iter::empty(), 4).is_empty());
        assert!(quantized(&Vec::new(), 255).is_empty());
    }
}
