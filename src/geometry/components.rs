//! Connected pieces, by union-find.

/// Disjoint sets of the numbers 0..n.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// Every number a set of its own.
    pub fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// Adds one more number, a set of its own, and returns it.
    pub fn push(&mut self) -> u32 {
        let new = self.parent.len() as u32;
        self.parent.push(new);
        new
    }

    /// The set of `x`, named by one of its members.
    pub fn find(&mut self, mut x: u32) -> u32 {
        loop {
            let parent = self.parent[x as usize];
            if parent == x {
                return x;
            }
            let above = self.parent[parent as usize];
            if above == parent {
                return parent;
            }
            // Path halving: every second link is cut short on the way.
            self.parent[x as usize] = above;
            x = above;
        }
    }

    /// Makes one set of two; the lower name stays, so that the order of unions does not decide it. Returns it.
    pub fn union(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        if low != high {
            self.parent[high as usize] = low;
        }
        low
    }

    /// Makes the set of `b` part of the set named `a`, whose name stays.
    pub fn join_into(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[b as usize] = a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_lowest_member() {
        let mut sets = UnionFind::new(6);
        sets.union(5, 3);
        sets.union(4, 5);
        sets.union(0, 1);
        assert_eq!((0..6).map(|i| sets.find(i)).collect::<Vec<_>>(), [0, 0, 2, 3, 3, 3]);
        assert_eq!(sets.push(), 6);
        assert_eq!((sets.union(6, 4), sets.find(6)), (3, 3));
    }
}
