//! Edge ratios, counted rather than kept: a clip on a large character has tens of millions.

use serde::Serialize;

/// An edge longer than this times its bind length is torn.
const TORN_LONG: f32 = 1.5;
/// So is one shorter than this.
const TORN_SHORT: f32 = 0.67;

/// Squares of ratios that are not torn.
const WHOLE_SQUARES: (f32, f32) = (TORN_SHORT * TORN_SHORT, TORN_LONG * TORN_LONG);

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
    /// Two counts for each bin, taken in turn: neighbouring edges often fall into one bin, and an addition must wait for
    /// the last one to the same number.
    bins: Vec<[u32; 2]>,
    n: u64,
    n_torn: u64,
    /// Least and largest square.
    least: f32,
    most: f32,
}

impl Default for Ratios {
    fn default() -> Self {
        Self { bins: vec![[0; 2]; N_BINS], n: 0, n_torn: 0, least: f32::MAX, most: 0.0 }
    }
}

/// What is kept of squares besides their bins, in eight lanes.
struct Lanes {
    least: [f32; 8],
    most: [f32; 8],
    torn: [u32; 8],
}

impl Default for Lanes {
    fn default() -> Self {
        Self { least: [f32::MAX; 8], most: [0.0; 8], torn: [0; 8] }
    }
}

impl Lanes {
    /// Takes a square into a lane and tells its bin. Looks nothing up and takes no branch.
    #[inline(always)]
    fn look_at(&mut self, lane: usize, square: f32) -> u32 {
        let square = if square.is_nan() { f32::INFINITY } else { square };
        let is_whole = (square >= WHOLE_SQUARES.0) & (square <= WHOLE_SQUARES.1);
        self.torn[lane] += u32::from(!is_whole);
        let (least, most) = (self.least[lane], self.most[lane]);
        self.least[lane] = if square < least { square } else { least };
        self.most[lane] = if square > most { square } else { most };
        // The bits of numbers that are not negative are in their order.
        let above = (square.to_bits() as i32).max(LOWEST as i32) - LOWEST as i32;
        (above >> SHIFT).min(N_BINS as i32 - 1) as u32
    }
}

impl Ratios {
    /// Most squares that [`Self::add_squares`] takes at once.
    pub const BLOCK: usize = 256;

    /// Counts the square of one edge's ratio. A NaN counts as torn and as largest.
    pub fn add_square(&mut self, square: f32) {
        self.add_squares(&[square]);
    }

    /// Counts the squares of up to [`Self::BLOCK`] edges' ratios; more are left out.
    #[inline(never)]
    pub fn add_squares(&mut self, squares: &[f32]) {
        let squares = squares.get(..Self::BLOCK).unwrap_or(squares);
        let mut bins = [0_u32; Self::BLOCK];
        // A lane for each of eight neighbours, so that nothing waits for the one before: done four or eight at a time.
        let mut lanes = Lanes::default();
        let (rows, rest) = squares.as_chunks::<8>();
        let (bin_rows, _) = bins.as_chunks_mut::<8>();
        for (row, bins) in rows.iter().zip(bin_rows) {
            for lane in 0..8 {
                bins[lane] = lanes.look_at(lane, row[lane]);
            }
        }
        for (lane, (&square, bin)) in rest.iter().zip(&mut bins[8 * rows.len()..]).enumerate() {
            *bin = lanes.look_at(lane, square);
        }
        // A slice of its own: behind `self` its place would be looked up again after every count.
        let counts = self.bins.as_mut_slice();
        for pair in bins[..squares.len()].chunks(2) {
            for (turn, &bin) in pair.iter().enumerate() {
                if let Some(count) = counts.get_mut(bin as usize) {
                    count[turn] += 1;
                }
            }
        }
        self.n += squares.len() as u64;
        self.n_torn += u64::from(lanes.torn.iter().sum::<u32>());
        self.least = lanes.least.iter().fold(self.least, |a, &b| a.min(b));
        self.most = lanes.most.iter().fold(self.most, |a, &b| a.max(b));
    }

    /// Forgets what was counted, and keeps the room.
    pub fn clear(&mut self) {
        self.bins.fill([0; 2]);
        (self.n, self.n_torn, self.least, self.most) = (0, 0, f32::MAX, 0.0);
    }

    /// Adds another count to this one.
    pub fn merge(&mut self, other: &Self) {
        for (a, b) in self.bins.iter_mut().zip(&other.bins) {
            a[0] += b[0];
            a[1] += b[1];
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
        for (bin, &[even, odd]) in self.bins.iter().enumerate() {
            seen += u64::from(even) + u64::from(odd);
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
