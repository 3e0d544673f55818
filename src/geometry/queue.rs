//! Vertices waiting to be visited, nearest first, for a search that mostly reaches farther as it goes on.
//!
//! Based on: Dial, Algorithm 360: shortest-path forest with topological ordering, 1969 (buckets of equal width); a heap
//! orders the one bucket that is open. What comes out is what one heap of all would give, from a heap so small that it
//! stays in the cache.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A queue of vertices by distance; of equals the lowest number comes first.
pub(super) struct NearestFirst {
    /// Distance bits above, vertex below: bits of non-negative floats sort as the floats do.
    open: BinaryHeap<Reverse<u64>>,
    /// Entries by the bucket that their distance falls into, past the open one.
    later: Vec<Vec<u64>>,
    open_bucket: usize,
    buckets_per_metre: f32,
}

/// More are not kept apart: the last one takes all that is farther.
const MOST_BUCKETS: usize = 1 << 14;

impl NearestFirst {
    /// An empty queue with buckets of `width` metres: about what one step of the search reaches.
    pub fn new(width: f32) -> Self {
        Self {
            open: BinaryHeap::new(),
            later: Vec::new(),
            open_bucket: 0,
            buckets_per_metre: 1.0 / width.max(f32::MIN_POSITIVE),
        }
    }

    /// Adds a vertex at `distance`, which must not be negative. A vertex may be in the queue more than once.
    pub fn push(&mut self, distance: f32, vertex: u32) {
        let entry = u64::from(distance.to_bits()) << 32 | u64::from(vertex);
        let bucket = ((distance * self.buckets_per_metre) as usize).min(MOST_BUCKETS);
        if bucket <= self.open_bucket {
            self.open.push(Reverse(entry));
            return;
        }
        if bucket >= self.later.len() {
            self.later.resize_with(bucket + 1, Vec::new);
        }
        self.later[bucket].push(entry);
    }

    /// Takes out the nearest vertex. `is_wanted` is asked about vertices when their bucket opens.
    pub fn pop(&mut self, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        loop {
            if let Some(Reverse(entry)) = self.open.pop() {
                return Some(entry as u32);
            }
            self.open_bucket += 1;
            let entries = std::mem::take(self.later.get_mut(self.open_bucket)?);
            let wanted = entries.into_iter().filter(|&entry| is_wanted(entry as u32));
            self.open = wanted.map(Reverse).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_come_nearest_first_and_of_equals_the_lowest() {
        let mut queue = NearestFirst::new(0.5);
        for (distance, vertex) in [(3.2, 1), (0.1, 2), (1e9, 3), (3.2, 0), (2e9, 4), (0.0, 9)] {
            queue.push(distance, vertex);
        }
        assert_eq!(queue.pop(|_| true), Some(9));
        assert_eq!(queue.pop(|_| true), Some(2));
        assert_eq!(queue.pop(|v| v != 0), Some(1));
        // Nearer than what came out before: next all the same.
        queue.push(0.2, 7);
        assert_eq!(queue.pop(|_| true), Some(7));
        assert_eq!(queue.pop(|_| true), Some(3));
        assert_eq!(queue.pop(|_| true), Some(4));
        assert_eq!(queue.pop(|_| true), None);
    }
}
