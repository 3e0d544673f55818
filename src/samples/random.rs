//! Random numbers with one fixed algorithm, so that a seed names the same character forever.
//!
//! Based on: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014 (SplitMix64).

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The stream of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15 }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// Uniform in [low, high).
    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Uniform in 0..n; 0 where n is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f32) as usize).min(n.saturating_sub(1))
    }

    /// True with probability `p`.
    pub(crate) fn chance(&mut self, p: f32) -> bool {
        self.unit() < p
    }

    /// -1 or 1.
    pub(crate) fn sign(&mut self) -> f32 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_and_repeat() {
        let mut r = Random::new(7);
        let mean = (0..4096).map(|_| r.unit()).sum::<f32>() / 4096.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let (mut a, mut b) = (Random::new(3), Random::new(3));
        assert_eq!(a.range(-1.0, 1.0), b.range(-1.0, 1.0));
        assert!((0..100).all(|_| a.below(7) < 7));
    }
}
