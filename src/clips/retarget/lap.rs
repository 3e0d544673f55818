//! Time around a clip: past the end of a loop its start goes on, displaced by what the loop travels.

use glam::Vec3;

/// Keys of a clip as a line or a ring.
#[derive(Clone, Debug)]
pub(super) struct Lap<'a> {
    /// `[K]`.
    pub times: &'a [f32],
    /// Whether the last key is the first again.
    pub is_ring: bool,
}

impl Lap<'_> {
    /// Number of different keys: of a ring the last one does not count.
    pub fn len(&self) -> usize {
        if self.is_ring { self.times.len().saturating_sub(1).max(1) } else { self.times.len() }
    }

    /// The key that stands for an unwrapped one, and the laps between them.
    pub fn wrap(&self, key: isize) -> (usize, f32) {
        let n = self.len() as isize;
        (key.rem_euclid(n) as usize, key.div_euclid(n) as f32)
    }

    /// Whether an unwrapped key is on the line, or anywhere on the ring.
    pub fn has(&self, key: isize) -> bool {
        self.is_ring || (0..self.len() as isize).contains(&key)
    }

    /// Time of an unwrapped key.
    pub fn time(&self, key: isize) -> f32 {
        let (first, last) = (self.times.first(), self.times.last());
        let length = first.zip(last).map_or(0.0, |(a, b)| b - a);
        let (key, laps) = self.wrap(key);
        self.times.get(key).copied().unwrap_or_default() + laps * length
    }

    /// A place at an unwrapped key, for a loop that travels `step` in a lap.
    pub fn place(&self, places: &[Vec3], step: Vec3, key: isize) -> Vec3 {
        let (key, laps) = self.wrap(key);
        places.get(key).copied().unwrap_or_default() + laps * step
    }

    /// Velocity by the neighbours on both sides, or on one at the ends of a line.
    pub fn velocity(&self, places: &[Vec3], step: Vec3, key: usize) -> Vec3 {
        let key = key as isize;
        let before = if self.has(key - 1) { key - 1 } else { key };
        let after = if self.has(key + 1) { key + 1 } else { key };
        let secs = self.time(after) - self.time(before);
        if secs <= 0.0 {
            return Vec3::ZERO;
        }
        (self.place(places, step, after) - self.place(places, step, before)) / secs
    }

    /// Keys within `reach_secs` of a key, unwrapped, the key itself included.
    pub fn around(&self, key: usize, reach_secs: f32) -> std::ops::RangeInclusive<isize> {
        let (key, at) = (key as isize, self.time(key as isize));
        let n = self.len() as isize;
        let mut low = key;
        while key - low < n && self.has(low - 1) && at - self.time(low - 1) <= reach_secs {
            low -= 1;
        }
        let mut high = key;
        while high - key < n && self.has(high + 1) && self.time(high + 1) - at <= reach_secs {
            high += 1;
        }
        low..=high
    }

    /// The least smooth lift that is nowhere below `raw`, `[K]`: the largest within ±50 ms, then a mean over 100 ms with
    /// cosine weights, around the ring for loops. Source: spec 8, 4.5.
    pub fn smooth_lift(&self, raw: &[f32]) -> Vec<f32> {
        const REACH_SECS: f32 = 0.05;
        if raw.iter().all(|&x| x == 0.0) {
            return raw.to_vec();
        }
        let value =
            |values: &[f32], key: isize| values.get(self.wrap(key).0).copied().unwrap_or(0.0);
        let held: Vec<f32> = (0..self.len())
            .map(|key| {
                // A little more than the reach, so that keys 50 ms apart count whatever their rounding.
                let around = self.around(key, REACH_SECS * 1.001);
                around.map(|k| value(raw, k)).fold(0.0, f32::max)
            })
            .collect();
        let mut smooth: Vec<f32> = (0..self.len())
            .map(|key| {
                let at = self.time(key as isize);
                let (mut sum, mut weights) = (0.0, 0.0);
                for k in self.around(key, REACH_SECS) {
                    let share = (self.time(k) - at) / REACH_SECS;
                    let weight = 0.5 + 0.5 * crate::math::ops::cos(std::f32::consts::PI * share);
                    sum += weight * value(&held, k);
                    weights += weight;
                }
                (sum / weights.max(f32::MIN_POSITIVE)).max(value(raw, key as isize))
            })
            .collect();
        if let (true, Some(&first)) = (self.is_ring && self.times.len() > 1, smooth.first()) {
            smooth.push(first);
        }
        smooth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_goes_on_where_it_began() {
        let times = [0.0, 0.5, 1.0, 1.5];
        let ring = Lap { times: &times, is_ring: true };
        assert_eq!((ring.time(-1), ring.time(4)), (-0.5, 2.0));
        let places = [0.0, 1.0, 2.0, 3.0].map(|x| Vec3::X * x);
        assert_eq!(ring.velocity(&places, Vec3::X * 3.0, 0), Vec3::X * 2.0);
        let line = Lap { times: &times, is_ring: false };
        assert_eq!(line.velocity(&places, Vec3::ZERO, 3), Vec3::X * 2.0);
        assert_eq!(line.around(0, 0.6), 0..=1);
        assert_eq!(ring.around(0, 0.6), -1..=1);
    }

    #[test]
    fn a_lift_is_never_below_what_was_asked_for_and_smooth_around_it() {
        let times: Vec<f32> = (0..=60).map(|i| i as f32 / 60.0).collect();
        for is_ring in [false, true] {
            let lap = Lap { times: &times, is_ring };
            for peak in [0, 1, 30, 60] {
                let mut raw = vec![0.0; 61];
                raw[peak] = 1.0;
                if is_ring && peak == 60 {
                    raw[0] = 1.0;
                }
                let lift = lap.smooth_lift(&raw);
                assert_eq!(lift.len(), 61);
                assert!(lift.iter().zip(&raw).all(|(l, r)| l >= r));
                assert!(!is_ring || lift[0] == lift[60]);
                let jump = lift.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f32::max);
                assert!(jump < 0.5, "{jump}");
                // Seven keys lie within ±50 ms, and a ring's first stands twice.
                assert!(lift.iter().sum::<f32>() < 8.001, "and dies away");
            }
        }
    }
}
