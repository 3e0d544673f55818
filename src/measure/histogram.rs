//! Edge ratios, counted rather than kept: a clip on a large character has tens of millions.

use serde::Serialize;

/// An edge longer than this times its bind length is torn.
const TORN_LONG: f32 = 1.5;
/// So is one shorter than this.
const TORN_SHORT: f32 = 0.67;

/// Bits of the mantissa that tell bins apart: 4096 in an octave of the square, 1.2e-4 of the ratio.
const MANTISSA_BITS: u32 = 12;
/// Octaves of the square, around 1: ratios from 1/16 to 16; what lies outside is counted at the end bins.
const OCTAVES: u32 = 16;
const SHIFT: u32 = 23 - MANTISSA_BITS;
const N_BINS: usize = (OCTAVES as usize) << MANTISSA_BITS;
/// Bits of the lowest bin's lower bound, 2^-8.
const LOWEST: u32 = (127 - OCTAVES / 2) << 23;

/// How far edges are stretched: ratios of skinned length to bind length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stretch {
    /// 95th percentile.
    pub p95: f32,
    /// 99th percentile.
    pub p99: f32,
    /// Largest.
    pub max: f32,
    /// Share of samples above 1.5 or below 0.67, in percent.
    pub torn_percent: f32,
    /// Edges times sample times.
    pub edge_samples: u64,
}

/// Counts of squared ratios. Sums are whole numbers, so that the order of adding does not matter.
#[derive(Clone, Debug)]
pub struct Ratios {
    bins: Vec<u32>,
    n: u64,
    n_torn: u64,
    /// Least and largest square.
    least: f32,
    most: f32,
}

impl Default for Ratios {
    fn default() -> Self {
        Self { bins: vec![0; N_BINS], n: 0, n_torn: 0, least: f32::MAX, most: 0.0 }
    }
}

impl Ratios {
    /// Counts the square of one edge's ratio. A NaN counts as torn and as largest.
    #[inline(always)]
    pub fn add_square(&mut self, square: f32) {
        let square = if square.is_nan() { f32::INFINITY } else { square };
        let bin = square.to_bits().saturating_sub(LOWEST) >> SHIFT;
        if let Some(count) = self.bins.get_mut((bin as usize).min(N_BINS - 1)) {
            *count += 1;
        }
        let is_torn = !(TORN_SHORT * TORN_SHORT..=TORN_LONG * TORN_LONG).contains(&square);
        self.n += 1;
        self.n_torn += u64::from(is_torn);
        self.least = if square < self.least { square } else { self.least };
        self.most = if square > self.most { square } else { self.most };
    }

    /// Adds another count to this one.
    pub fn merge(&mut self, other: &Self) {
        for (a, b) in self.bins.iter_mut().zip(&other.bins) {
            *a += b;
        }
        self.n += other.n;
        self.n_torn += other.n_torn;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// Largest deviation of a ratio from 1.
    pub fn largest_deviation(&self) -> f32 {
        if self.n == 0 {
            return 0.0;
        }
        (self.most.sqrt() - 1.0).abs().max((1.0 - self.least.sqrt()).abs())
    }

    /// The ratio below which the share `q` of all samples lies, to 6e-5 of itself.
    fn percentile(&self, q: f64) -> f32 {
        let rank = (q * self.n.saturating_sub(1) as f64).round() as u64;
        let mut seen = 0;
        for (bin, &count) in self.bins.iter().enumerate() {
            seen += u64::from(count);
            if seen > rank {
                let low = f32::from_bits(LOWEST + ((bin as u32) << SHIFT));
                let high = f32::from_bits(LOWEST + ((bin as u32 + 1) << SHIFT));
                // The middle of the bin, but never beyond what was met.
                return (0.5 * (low + high)).max(self.least).min(self.most).sqrt();
            }
        }
        0.0
    }

    /// The summary; zeros where nothing was counted.
    pub fn summary(&self) -> Stretch {
        if self.n == 0 {
            return Stretch::default();
        }
        Stretch {
            p95: self.percentile(0.95),
            p99: self.percentile(0.99),
            max: self.most.sqrt(),
            torn_percent: (100.0 * self.n_torn as f64 / self.n as f64) as f32,
            edge_samples: self.n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_list() {
        let mut ratios = Ratios::default();
        let mut list: Vec<f32> =
            (0..5000).map(|i| 0.5 + (i * 7919 % 5000) as f32 / 2000.0).collect();
        for r in &list {
            ratios.add_square(r * r);
        }
        list.sort_by(f32::total_cmp);
        let found = ratios.summary();
        for (found, q) in [(found.p95, 0.95), (found.p99, 0.99)] {
            let wanted = list[(q * 4999.0_f32).round() as usize];
            assert!((found / wanted - 1.0).abs() < 1.2e-4, "{found}, not {wanted}");
        }
        assert!((found.max - list[4999]).abs() < 1e-6);
        let torn = list.iter().filter(|r| **r > 1.5 || **r < 0.67).count();
        assert!((found.torn_percent - torn as f32 / 50.0).abs() < 0.05);
    }

    #[test]
    fn what_does_not_move_is_exactly_one() {
        let mut ratios = Ratios::default();
        for _ in 0..10 {
            ratios.add_square(1.0);
        }
        let one = ratios.summary();
        assert_eq!((one.p95, one.p99, one.max, one.torn_percent), (1.0, 1.0, 1.0, 0.0));
        assert_eq!(ratios.largest_deviation(), 0.0);
    }

    #[test]
    fn counts_add_up_in_any_order_and_odd_numbers_are_torn() {
        let (mut a, mut b) = (Ratios::default(), Ratios::default());
        a.add_square(1.1);
        b.add_square(0.0);
        b.add_square(f32::NAN);
        b.add_square(1e30);
        let mut ab = a.clone();
        ab.merge(&b);
        b.merge(&a);
        assert_eq!(ab.summary(), b.summary());
        assert_eq!(ab.summary().torn_percent, 75.0);
    }
}
