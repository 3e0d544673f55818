//! Where a time falls among the keys of a track, found without a search in the common case.

/// A place between two keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// The key at or before the time; the first key before it, the last after it.
    pub key: usize,
    /// Share of the way to the next key, 0 to 1; 0 outside the keys.
    pub share: f32,
    /// Seconds from this key to the next; 0 outside the keys.
    pub span_secs: f32,
}

/// Rising key times, with a table of buckets of equal length that says where among the keys each bucket begins.
///
/// With evenly spaced keys a bucket holds one key and the look-up takes no search; otherwise a binary search runs
/// within one bucket. So there is no cursor to carry, and a random seek costs what sequential play does.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    times: Vec<f32>,
    /// `[buckets + 1]`: number of keys that lie before the bucket's end.
    keys_before: Vec<u32>,
    start: f64,
    buckets_per_sec: f64,
}

impl Timeline {
    /// A timeline of `times`, finite and rising. Cost: O(K).
    pub fn new(times: Vec<f32>) -> Self {
        let start = times.first().copied().map_or(0.0, f64::from);
        let span = times.last().copied().map_or(0.0, f64::from) - start;
        let n_buckets = times.len().max(1);
        let buckets_per_sec = if span > 0.0 { n_buckets as f64 / span } else { 0.0 };
        let mut keys_before = vec![0_u32; n_buckets + 1];
        for &time in &times {
            let bucket = ((f64::from(time) - start) * buckets_per_sec) as usize;
            if let Some(count) = keys_before.get_mut(bucket.min(n_buckets - 1) + 1) {
                *count += 1;
            }
        }
        let mut total = 0;
        for count in &mut keys_before {
            total += *count;
            *count = total;
        }
        Self { times, keys_before, start, buckets_per_sec }
    }

    /// The place of `time` among the keys. NaN counts as before the first.
    pub fn seek(&self, time: f64) -> Moment {
        let last = self.times.len().saturating_sub(1);
        // Negative and NaN become 0, huge ones saturate.
        let bucket = (((time - self.start) * self.buckets_per_sec) as usize).min(last);
        let bound = |i: usize| self.keys_before.get(i).map_or(0, |&n| n as usize);
        let (low, high) = (bound(bucket), bound(bucket + 1));
        let within = self.times.get(low..high).unwrap_or_default();
        let after = low + within.partition_point(|&t| f64::from(t) <= time);
        let key = after.saturating_sub(1);
        let (Some(&a), Some(&b)) = (self.times.get(key), self.times.get(key + 1)) else {
            return Moment { key, share: 0.0, span_secs: 0.0 };
        };
        let (a, b) = (f64::from(a), f64::from(b));
        if !(time > a && b > a) {
            return Moment { key, share: 0.0, span_secs: 0.0 };
        }
        let share = ((time - a) / (b - a)).min(1.0) as f32;
        Moment { key, share, span_secs: (b - a) as f32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a plain search says.
    fn searched(times: &[f32], time: f64) -> usize {
        times.partition_point(|&t| f64::from(t) <= time).saturating_sub(1)
    }

    #[test]
    fn buckets_find_what_a_search_finds_however_the_keys_crowd() {
        let even: Vec<f32> = (0..61).map(|i| i as f32 / 30.0).collect();
        let crowded: Vec<f32> = (0..40).map(|i| 1.0 + (i as f32 / 40.0).powi(3) * 7.0).collect();
        let far_apart = vec![0.0, 1e-6, 2e-6, 1000.0];
        for times in [even, crowded, far_apart, vec![0.5]] {
            let timeline = Timeline::new(times.clone());
            for i in -10..2000 {
                let time = f64::from(i) * 0.00731;
                assert_eq!(timeline.seek(time).key, searched(&times, time), "{time} in {times:?}");
            }
            for (k, &time) in times.iter().enumerate() {
                let moment = timeline.seek(f64::from(time));
                assert_eq!((moment.key, moment.share), (k, 0.0), "a key's own time is that key");
            }
        }
    }

    #[test]
    fn outside_the_keys_the_ends_hold() {
        let timeline = Timeline::new(vec![1.0, 2.0]);
        for (time, key) in [(-1e30, 0), (0.9, 0), (f64::NAN, 0), (2.0, 1), (1e30, 1)] {
            assert_eq!(timeline.seek(time), Moment { key, share: 0.0, span_secs: 0.0 }, "{time}");
        }
        assert_eq!(timeline.seek(1.25), Moment { key: 0, share: 0.25, span_secs: 1.0 });
        assert_eq!(Timeline::new(Vec::new()).seek(0.3).key, 0, "no keys, no panic");
    }
}
