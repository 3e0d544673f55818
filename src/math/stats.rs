//! Percentiles and means.

/// The value below which the share `q` (0 to 1) of `values` lies, by the nearest rank; 0 for no values.
///
/// Reorders `values`; NaN sorts last. Cost: O(n).
pub fn percentile(values: &mut [f32], q: f32) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let rank = (q.clamp(0.0, 1.0) * (values.len() - 1) as f32).round() as usize;
    *values.select_nth_unstable_by(rank, f32::total_cmp).1
}

/// The middle value; 0 for no values. Reorders `values`.
pub fn median(values: &mut [f32]) -> f32 {
    percentile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_takes_the_nearest_rank() {
        let mut values: Vec<f32> = (0..=100).rev().map(|i| i as f32).collect();
        assert_eq!(percentile(&mut values, 0.95), 95.0);
        assert_eq!(percentile(&mut values, 1.0), 100.0);
        assert_eq!(median(&mut values), 50.0);
        assert_eq!(percentile(&mut [], 0.5), 0.0);
    }
}
