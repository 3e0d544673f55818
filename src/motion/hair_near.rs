//! Which colliders a link could meet at all: a list for each link, kept from substep to substep.
//!
//! Most colliders are met by no link. A list holds those that the links of a batch could meet while they are within a
//! margin of where they were when it was made; it is made anew when one of them, or a collider, has gone farther. What is
//! left out could not have been met: no result depends on when a list was made, or on who else is in the batch.
//!
//! Based on: L. Verlet, Computer "experiments" on classical fluids I, 1967 (the list of neighbours and its skin).

use glam::Vec3;

use super::hair_collider::{PlacedColliders, away_from};
use super::hair_contact::Reach;
use super::lanes::{Lanes, V3};

/// What is farther than this share of a link's length is not near it.
const MARGIN: f32 = 0.25;
/// A list holds for this share of the margin; the rest is for rounding.
const USABLE: f32 = 0.9;
/// Colliders in one word of a set of them.
const WORD: usize = u64::BITS as usize;

/// Some of the colliders, by their places in the row of all.
#[derive(Clone, Debug, Default)]
pub(super) struct ColliderSet(Vec<u64>);

impl ColliderSet {
    /// Adds one where `is_in` says so.
    #[inline(always)]
    pub fn put(&mut self, at: usize, is_in: bool) {
        self.put_all(at, u64::from(is_in));
    }

    /// Adds those of `bits`, the first of which is `at`; they must not reach beyond its word.
    #[inline(always)]
    fn put_all(&mut self, at: usize, bits: u64) {
        let word = at / WORD;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bits << (at % WORD);
    }

    /// Leaves those that `other` has too.
    #[inline(always)]
    fn keep(&mut self, other: &Self) {
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        self.0.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first from `at` on.
    #[inline(always)]
    pub fn next(&self, at: usize) -> Option<usize> {
        let mut word = at / WORD;
        let mut bits = self.0.get(word)? & (u64::MAX << (at % WORD));
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        Some(word * WORD + bits.trailing_zeros() as usize)
    }
}

/// The colliders that the links of a batch, one of each strand, could meet.
#[derive(Clone, Debug)]
pub(super) struct NearList<L> {
    pub set: ColliderSet,
    /// Whether a link moves far enough to be tested between poses with any of them.
    pub any_fast: bool,
    /// Where the links' ends were when it was made.
    end: V3<L>,
    head: V3<L>,
    /// How far from there they may be, metres: less with every substep that colliders move in.
    slack: L,
}

impl<L: Lanes> NearList<L> {
    /// A list to be made.
    pub fn new(zero: L) -> Self {
        let at = V3::of(zero, Vec3::ZERO);
        let slack = zero.of(-1.0);
        Self { set: ColliderSet::default(), any_fast: false, end: at, head: at, slack }
    }

    /// Has it made anew: the colliders, or the links, are others.
    pub fn forget(&mut self) {
        self.slack = self.slack.of(-1.0);
    }
}

/// What lists are made of in one substep.
pub(super) struct Search<'a, L: Lanes> {
    /// Those that any lane meets.
    pub met: &'a ColliderSet,
    pub placed: &'a PlacedColliders,
    /// Whether only the first lane has a strand.
    pub is_lone: bool,
    /// Lanes that test whole links; `None` where none does.
    pub segments: Option<L::Mask>,
    /// Lanes that test between poses; `None` where none does.
    pub swept: Option<L::Mask>,
}

impl<L: Lanes> Search<'_, L> {
    /// Has the list hold for the links where they are at first in this substep.
    #[inline(always)]
    pub fn begin(&self, near: &mut NearList<L>, reach: &Reach<L>) {
        near.slack = near.slack - self.placed.drift_m;
        if near.any_fast || self.could_be_fast(reach) || !self.holds(near, reach) {
            self.make(near, reach);
        }
    }

    /// Has it hold for them where they were pushed to.
    #[inline(always)]
    pub fn go_on(&self, near: &mut NearList<L>, reach: &Reach<L>) {
        if !self.holds(near, reach) {
            self.make(near, reach);
        }
    }

    /// Whether all links are still near to where they were when the list was made.
    #[inline(always)]
    fn holds(&self, near: &NearList<L>, reach: &Reach<L>) -> bool {
        // Below 0 for a list that has expired.
        let square = near.slack * near.slack.abs();
        let holds = (reach.end - near.end).square().lt(square);
        match self.segments {
            Some(_) => L::all(holds & (reach.head - near.head).square().lt(square)),
            None => L::all(holds),
        }
    }

    /// Whether any link moves, or could be pushed, far enough to be tested between poses with any collider.
    #[inline(always)]
    fn could_be_fast(&self, reach: &Reach<L>) -> bool {
        let Some(swept) = self.swept else { return false };
        let slow = reach.radius * 0.5 - reach.length * (2.0 * MARGIN) + self.placed.slow_m;
        let slow = slow.at_least(slow.of(0.0));
        L::any((slow * slow).lt(reach.moved_square()) & swept)
    }

    /// Makes the list for links where they are.
    #[inline(always)]
    fn make(&self, near: &mut NearList<L>, reach: &Reach<L>) {
        let zero = reach.length.of(0.0);
        let half = match self.segments {
            Some(segments) => L::select(segments, reach.length * 0.5, zero),
            None => zero,
        };
        let middle = reach.end - reach.direction.scaled(half);
        let margin = reach.length * MARGIN;
        let around = half + reach.radius + margin;
        // How far the links may move against a collider of no radius before they are tested between poses.
        let moved = reach.moved_square().sqrt() + margin - reach.radius * 0.5;
        near.any_fast = self.is_fast(self.placed.slow_m, moved);
        near.set.clear();
        if near.any_fast {
            self.find_near(middle, around, &mut near.set);
            for (at, collider) in self.placed.all().iter().enumerate() {
                let slow_m = collider.radius_m * 0.5 - self.placed.motion_m;
                near.set.put(at, self.is_fast(slow_m, moved));
            }
        } else if self.is_lone {
            self.find_near_lone(middle, around, &mut near.set);
        } else {
            self.find_near(middle, around, &mut near.set);
        }
        near.set.keep(self.met);
        (near.end, near.head) = (reach.end, reach.head);
        // Links that do not exist go where they like.
        near.slack = L::select(reach.exists.is_set(), margin * USABLE, zero.of(f32::MAX));
    }

    /// Those the balls around which are near to any lane's link.
    #[inline(always)]
    fn find_near(&self, middle: V3<L>, around: L, near: &mut ColliderSet) {
        let [x, y, z, radius_m] = self.placed.balls();
        for (at, collider) in self.placed.all().iter().enumerate() {
            let (away, own) = if collider.is_capsule() {
                (away_from(middle, &collider.now), around + collider.radius_m)
            } else {
                let away = V3::new(middle.x - x[at], middle.y - y[at], middle.z - z[at]);
                (away, around + radius_m[at])
            };
            near.put(at, L::any(away.square().lt(own * own)));
        }
    }

    /// The same for the first lane alone: several balls at once instead of several links.
    #[inline(always)]
    fn find_near_lone(&self, middle: V3<L>, around: L, near: &mut ColliderSet) {
        let [x, y, z, radius_m] = self.placed.balls();
        let middle = V3::of(around, middle.lane(0));
        let around = around.of(around.lane(0));
        let balls = x.chunks_exact(L::WIDTH).zip(y.chunks_exact(L::WIDTH));
        let balls = balls.zip(z.chunks_exact(L::WIDTH).zip(radius_m.chunks_exact(L::WIDTH)));
        for (i, ((x, y), (z, radius_m))) in balls.enumerate() {
            let centre = V3::new(around.load(x), around.load(y), around.load(z));
            let own = around + around.load(radius_m);
            near.put_all(i * L::WIDTH, L::bits((middle - centre).square().lt(own * own)));
        }
    }

    /// Whether links that move so far are tested between poses with a collider.
    #[inline(always)]
    fn is_fast(&self, slow_m: f32, moved: L) -> bool {
        self.swept.is_some_and(
            #[inline(always)]
            |swept| L::any(moved.of(slow_m).lt(moved) & swept),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_gives_back_what_was_put_in_in_order() {
        let mut set = ColliderSet::default();
        for at in [3, 0, 64, 130, 63] {
            set.put(at, true);
        }
        set.put(5, false);
        let mut other = set.clone();
        other.0[1] = 0;
        let all = |set: &ColliderSet| {
            std::iter::successors(set.next(0), |at| set.next(at + 1)).collect::<Vec<_>>()
        };
        assert_eq!(all(&set), [0, 3, 63, 64, 130]);
        set.keep(&other);
        assert_eq!(all(&set), [0, 3, 63, 130]);
    }
}
