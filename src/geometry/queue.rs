//! Vertices waiting to be visited, nearest first, for a search that mostly reaches farther as it goes on.
//!
//! Based on: Dial, Algorithm 360: shortest-path forest with topological ordering, 1969 (buckets of equal width). A bucket
//! is sorted when it opens, and a small heap takes what still falls into it: what comes out is what one heap of all would
//! give.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A queue of vertices by distance; of equals the lowest number comes first.
pub(super) struct NearestFirst {
    /// What the open bucket held when it was opened, farthest first. In an entry distance bits stand above, the vertex
    /// below: bits of non-negative floats sort as the floats do.
    open: Vec<u64>,
    /// What came into the open bucket since, or before it: little, so that most is sorted and not heaped.
    late: BinaryHeap<Reverse<u64>>,
    /// Entries by the bucket that their distance falls into, past the open one.
    later: Vec<Vec<u64>>,
    open_bucket: usize,
    buckets_per_metre: f32,
}

/// More are not kept apart: the last one takes all that is farther.
const MOST_BUCKETS: usize = 1 << 14;

/// Stands for an entry where there is none.
const NONE: u64 = u64::MAX;

impl NearestFirst {
    /// An empty queue with buckets of `width` metres: a part of what one step of the search reaches.
    pub fn new(width: f32) -> Self {
        Self {
            open: Vec::new(),
            late: BinaryHeap::new(),
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
            self.late.push(Reverse(entry));
            return;
        }
        if bucket >= self.later.len() {
            self.later.resize_with(bucket + 1, Vec::new);
        }
        self.later[bucket].push(entry);
    }

    /// Takes out the nearest vertex. `is_wanted` is asked about vertices and their distances when their bucket opens.
    pub fn pop(&mut self, is_wanted: impl Fn(u32, f32) -> bool) -> Option<u32> {
        loop {
            let early = self.open.last().copied().unwrap_or(NONE);
            let late = self.late.peek().map_or(NONE, |entry| entry.0);
            if early < late {
                return self.open.pop().map(|entry| entry as u32);
            }
            if let Some(Reverse(entry)) = self.late.pop() {
                return Some(entry as u32);
            }
            self.open_bucket += 1;
            self.open = std::mem::take(self.later.get_mut(self.open_bucket)?);
            let distance = |entry: u64| f32::from_bits((entry >> 32) as u32);
            self.open.retain(|&entry| is_wanted(entry as u32, distance(entry)));
            self.open.sort_unstable_by_key(|&entry| Reverse(entry));
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
        assert_eq!(queue.pop(|_, _| true), Some(9));
        assert_eq!(queue.pop(|_, _| true), Some(2));
        assert_eq!(queue.pop(|v, _| v != 0), Some(1));
        // Nearer than what came out before: next all the same.
        queue.push(0.2, 7);
        assert_eq!(queue.pop(|_, _| true), Some(7));
        assert_eq!(queue.pop(|_, _| true), Some(3));
        assert_eq!(queue.pop(|_, _| true), Some(4));
        assert_eq!(queue.pop(|_, _| true), None);
    }
}
