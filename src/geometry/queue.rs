//! Vertices waiting to be visited, nearest first, for a search that mostly reaches farther as it goes on.
//!
//! Based on: Dial, Algorithm 360: shortest-path forest with topological ordering, 1969 (buckets of equal width, as many as
//! a step reaches over, used again and again). A bucket is sorted when it opens, and a small heap takes what still falls
//! into it: what comes out is what one heap of all would give.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A queue of vertices by distance; of equals the lowest number comes first.
pub(super) struct NearestFirst {
    /// What the open bucket held when it was opened, farthest first. In an entry distance bits stand above, the vertex
    /// below: bits of non-negative floats sort as the floats do.
    open: Vec<u64>,
    /// What came into the open bucket since, or before it: little, so that most is sorted and not heaped.
    late: BinaryHeap<Reverse<u64>>,
    /// Entries of the buckets after the open one and before `limit`, by bucket modulo [`RING`].
    ring: Vec<Vec<u64>>,
    n_in_ring: usize,
    /// Entries of buckets from `limit` on.
    beyond: Vec<u64>,
    open_bucket: usize,
    limit: usize,
    buckets_per_metre: f32,
}

/// Buckets that are kept apart.
const RING: usize = 64;

/// The bucket of all that is farther.
const LAST_BUCKET: usize = usize::MAX / 2;

/// Stands for an entry where there is none.
const NONE: u64 = u64::MAX;

/// The distance of an entry.
fn distance_of(entry: u64) -> f32 {
    f32::from_bits((entry >> 32) as u32)
}

impl NearestFirst {
    /// An empty queue with buckets of `width` metres: a part of what one step of the search reaches.
    pub fn new(width: f32) -> Self {
        Self {
            open: Vec::new(),
            late: BinaryHeap::new(),
            ring: vec![Vec::new(); RING],
            n_in_ring: 0,
            beyond: Vec::new(),
            open_bucket: 0,
            limit: RING,
            buckets_per_metre: 1.0 / width.max(f32::MIN_POSITIVE),
        }
    }

    fn bucket(&self, distance: f32) -> usize {
        ((distance * self.buckets_per_metre) as usize).min(LAST_BUCKET)
    }

    /// Adds a vertex at `distance`, which must not be negative. A vertex may be in the queue more than once.
    pub fn push(&mut self, distance: f32, vertex: u32) {
        let entry = u64::from(distance.to_bits()) << 32 | u64::from(vertex);
        let bucket = self.bucket(distance);
        if bucket <= self.open_bucket {
            self.late.push(Reverse(entry));
        } else if bucket < self.limit {
            self.ring[bucket % RING].push(entry);
            self.n_in_ring += 1;
        } else {
            self.beyond.push(entry);
        }
    }

    /// Takes out the nearest vertex that `is_wanted` at the distance it was put in with; others are dropped on the way,
    /// most of them before they are sorted.
    pub fn pop(&mut self, is_wanted: impl Fn(u32, f32) -> bool) -> Option<u32> {
        let is_wanted = |entry: u64| is_wanted(entry as u32, distance_of(entry));
        loop {
            let early = self.open.last().copied().unwrap_or(NONE);
            let late = self.late.peek().map_or(NONE, |entry| entry.0);
            let next = early.min(late);
            if next == NONE {
                self.open_next()?;
                self.open.retain(|&entry| is_wanted(entry));
                self.open.sort_unstable_by_key(|&entry| Reverse(entry));
                continue;
            }
            if early < late {
                self.open.pop();
            } else {
                self.late.pop();
            }
            if is_wanted(next) {
                return Some(next as u32);
            }
        }
    }

    /// Opens the next bucket that holds anything.
    fn open_next(&mut self) -> Option<()> {
        if self.n_in_ring == 0 {
            // The ring begins anew at the nearest of what is beyond it.
            let nearest = self.beyond.iter().map(|&entry| self.bucket(distance_of(entry))).min()?;
            self.open_bucket = nearest - 1;
            self.limit = nearest + RING;
            for entry in std::mem::take(&mut self.beyond) {
                self.push(distance_of(entry), entry as u32);
            }
        }
        loop {
            self.open_bucket += 1;
            let bucket = &mut self.ring[self.open_bucket % RING];
            if !bucket.is_empty() {
                self.n_in_ring -= bucket.len();
                // The open one is empty: its room goes back into the ring.
                std::mem::swap(&mut self.open, bucket);
                return Some(());
            }
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

    #[test]
    fn what_lies_beyond_the_ring_comes_in_its_turn() {
        let mut queue = NearestFirst::new(0.01);
        // From a hundredth of a ring to a hundred rings, in no order.
        let distances: Vec<f32> = (0..500).map(|i| 0.006 * ((i * 177) % 500) as f32).collect();
        for (v, &d) in (0..).zip(&distances) {
            queue.push(d * d, v);
        }
        let mut sorted: Vec<u32> = (0..500).collect();
        sorted.sort_by(|&a, &b| distances[a as usize].total_cmp(&distances[b as usize]));
        let found: Vec<u32> = std::iter::from_fn(|| queue.pop(|_, _| true)).collect();
        assert_eq!(found, sorted);
    }
}
