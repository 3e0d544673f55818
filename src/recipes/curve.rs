//! Curves through keys that never overshoot: a value held over two keys stays still between them.
//!
//! Based on: Fritsch & Butland, A method for constructing local monotone piecewise cubic interpolants, 1984.

/// A piecewise cubic through keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    times: Vec<f32>,
    values: Vec<f32>,
    slopes: Vec<f32>,
    period: Option<f32>,
}

impl Curve {
    /// The curve through `keys` of (time, value), with rising times. With a `period` it goes round: keys lie in
    /// [0, period). Without, it stands still before the first key and after the last.
    pub fn new(keys: &[(f32, f32)], period: Option<f32>) -> Self {
        let times: Vec<f32> = keys.iter().map(|k| k.0).collect();
        let values: Vec<f32> = keys.iter().map(|k| k.1).collect();
        let mut curve = Self { slopes: vec![0.0; keys.len()], times, values, period };
        for i in 0..keys.len() {
            curve.slopes[i] = curve.monotone_slope(i);
        }
        curve
    }

    /// Prescribes the speed at the key at `time`, in units a second. Nothing where there is no such key.
    pub fn set_slope(&mut self, time: f32, slope: f32) {
        if let Some(i) = self.times.iter().position(|&t| (t - time).abs() < 1e-4) {
            self.slopes[i] = slope;
        }
    }

    /// Key `i` of a curve that goes on for ever in both directions where it is periodic.
    fn key(&self, i: isize) -> Option<(f32, f32)> {
        let n = self.times.len() as isize;
        let (turn, place) = (i.div_euclid(n), i.rem_euclid(n) as usize);
        let offset = match self.period {
            Some(period) => period * turn as f32,
            None if turn == 0 => 0.0,
            None => return None,
        };
        Some((self.times[place] + offset, self.values[place]))
    }

    fn monotone_slope(&self, i: usize) -> f32 {
        let i = i as isize;
        let (Some(a), Some(b), Some(c)) = (self.key(i - 1), self.key(i), self.key(i + 1)) else {
            return 0.0;
        };
        let (h0, h1) = (b.0 - a.0, c.0 - b.0);
        if h0 <= 0.0 || h1 <= 0.0 {
            return 0.0;
        }
        let (d0, d1) = ((b.1 - a.1) / h0, (c.1 - b.1) / h1);
        if d0 * d1 <= 0.0 {
            return 0.0;
        }
        let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
        (w0 + w1) / (w0 / d0 + w1 / d1)
    }

    /// Value at `time`. Cost: O(log keys).
    pub fn at(&self, time: f32) -> f32 {
        let (Some(&first), Some(&last)) = (self.times.first(), self.times.last()) else {
            return 0.0;
        };
        let time = match self.period {
            Some(period) => first + (time - first).rem_euclid(period),
            None => time.clamp(first, last),
        };
        let after = self.times.partition_point(|&t| t <= time);
        let i = after.saturating_sub(1);
        let (Some(a), Some(b)) = (self.key(i as isize), self.key(i as isize + 1)) else {
            return self.values[i];
        };
        let h = b.0 - a.0;
        if h <= 0.0 {
            return a.1;
        }
        let next = (i + 1) % self.slopes.len();
        hermite((time - a.0) / h, a.1, b.1, self.slopes[i] * h, self.slopes[next] * h)
    }
}

/// Cubic from `a` to `b` over u in [0, 1], with speeds `va` and `vb` per unit of u.
pub fn hermite(u: f32, a: f32, b: f32, va: f32, vb: f32) -> f32 {
    let (u2, u3) = (u * u, u * u * u);
    a * (2.0 * u3 - 3.0 * u2 + 1.0)
        + va * (u3 - 2.0 * u2 + u)
        + b * (3.0 * u2 - 2.0 * u3)
        + vb * (u3 - u2)
}

/// From 0 to 1 without a jerk at either end: 6u⁵ - 15u⁴ + 10u³, clamped.
pub fn smoother(u: f32) -> f32 {
    let u = u.clamp(0.0, 1.0);
    u * u * u * (u * (6.0 * u - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_over_two_keys_stays_still() {
        let curve = Curve::new(&[(0.0, 3.0), (0.4, 1.0), (0.9, 1.0), (1.3, -4.0)], None);
        for k in 0..=50 {
            assert_eq!(curve.at(0.4 + 0.01 * k as f32), 1.0);
        }
        assert_eq!((curve.at(-5.0), curve.at(9.0)), (3.0, -4.0));
    }

    #[test]
    fn it_never_leaves_the_span_of_its_neighbouring_keys() {
        let keys = [(0.0, 0.0), (0.1, 5.0), (0.5, 5.5), (0.6, -2.0), (1.0, -2.5)];
        let curve = Curve::new(&keys, None);
        for pair in keys.windows(2) {
            let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
            for k in 0..=20 {
                let v = curve.at(pair[0].0 + (pair[1].0 - pair[0].0) * k as f32 / 20.0);
                assert!(v >= low - 1e-5 && v <= high + 1e-5, "{v} outside {low}..{high}");
            }
        }
    }

    #[test]
    fn a_periodic_curve_goes_round_without_a_corner() {
        let curve = Curve::new(&[(0.1, 0.0), (0.5, 2.0), (0.8, 1.0)], Some(1.0));
        assert!((curve.at(0.0) - curve.at(1.0)).abs() < 1e-6);
        let speed = |t: f32| (curve.at(t + 1e-3) - curve.at(t)) / 1e-3;
        assert!((speed(-1.5e-3) - speed(0.5e-3)).abs() < 0.05);
    }

    #[test]
    fn a_prescribed_speed_is_kept() {
        let mut curve = Curve::new(&[(0.0, 0.0), (1.0, 1.0)], None);
        curve.set_slope(1.0, 3.0);
        assert!(((curve.at(1.0) - curve.at(0.999)) / 1e-3 - 3.0).abs() < 0.02);
    }
}
