//! What levels cut triangles into, and which of it lies in one band.

use super::{Band, LevelSets, odd_one};
use crate::geometry::UnionFind;

/// Stands for the level of a vertex without a value.
pub(super) const NO_LEVEL: u32 = u32::MAX;

/// The parts that levels cut triangles into, joined to bands.
///
/// A part is convex, so all of it lies in one band. It goes by the number of a vertex in it; one without a vertex, where
/// a triangle leaps over a whole band, has a number after theirs.
#[derive(Clone)]
pub(super) struct Parts {
    n_vertices: usize,
    /// `[W]`, then of the parts without a vertex.
    levels: Vec<u32>,
    sets: UnionFind,
    /// Where parts meet on an edge that leaps over their band: the edge, the level and the part.
    over_edges: Vec<([u32; 2], u32, u32)>,
}

impl Parts {
    /// Of triangles over as many vertices, none with a level yet.
    pub fn new(n_vertices: usize) -> Self {
        let (levels, sets) = (vec![NO_LEVEL; n_vertices], UnionFind::new(n_vertices));
        Self { n_vertices, levels, sets, over_edges: Vec::new() }
    }

    /// Number of vertices, with levels and without.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// Says that a vertex lies in the band above `level`; before triangles at it are cut.
    pub fn set_level(&mut self, v: u32, level: u32) {
        self.levels[v as usize] = level;
    }

    /// Cuts a triangle all of whose corners have levels, and tells `cross` the level of each cut, which corners are below
    /// it and the parts on both sides.
    pub fn cut(&mut self, corners: [u32; 3], mut cross: impl FnMut(u32, [bool; 3], [u32; 2])) {
        let at = corners.map(|v| self.levels[v as usize]);
        let (low, high) = (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]));
        if high == NO_LEVEL {
            return;
        }
        if low == high {
            // Most lie between two levels.
            let [a, b, c] = corners;
            self.sets.union(a, b);
            self.sets.union(a, c);
            return;
        }
        if high == low + 1 {
            // Of the others most lie across one level: two corners on one side of it, joined, and one on the other.
            let alone = odd_one(at);
            let [first, second] = [[1, 2], [0, 2], [0, 1]][alone].map(|i: usize| corners[i]);
            self.sets.union(first, second);
            let alone_below = at[alone] == low;
            let parts = if alone_below { [corners[alone], first] } else { [first, corners[alone]] };
            return cross(high, at.map(|level| level == low), parts);
        }
        let mut below = self.part(corners, at, low);
        for level in low + 1..=high {
            let above = self.part(corners, at, level);
            cross(level, at.map(|l| l < level), [below, above]);
            below = above;
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                if at[i].min(at[j]) < level && level < at[i].max(at[j]) {
                    let edge = [corners[i].min(corners[j]), corners[i].max(corners[j])];
                    self.over_edges.push((edge, level, above));
                }
            }
        }
    }

    /// The part of a triangle in the band above `level`.
    fn part(&mut self, corners: [u32; 3], at: [u32; 3], level: u32) -> u32 {
        let mut own = (0..3).filter(|&i| at[i] == level).map(|i| corners[i]);
        if let Some(first) = own.next() {
            for other in own {
                self.sets.union(first, other);
            }
            return first;
        }
        self.levels.push(level);
        self.sets.push()
    }

    /// Joins the parts of two triangles on the edge between them, where no end of it lies in their band.
    fn join_over_edges(&mut self) {
        self.over_edges.sort_unstable();
        for pair in self.over_edges.windows(2) {
            if (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) {
                self.sets.union(pair[0].2, pair[1].2);
            }
        }
    }

    /// The bands, by level and then by their first part, and the band of each part.
    pub fn into_bands(mut self) -> (Vec<Band>, Vec<u32>) {
        self.join_over_edges();
        let mut band_of = vec![LevelSets::NO_BAND; self.levels.len()];
        let mut bands: Vec<Band> = Vec::new();
        for part in by_level(&self.levels) {
            // A set is named by its lowest number, which comes first.
            let name = self.sets.find(part) as usize;
            if band_of[name] == LevelSets::NO_BAND {
                band_of[name] = bands.len() as u32;
                let level = self.levels[name];
                bands.push(Band { level, ..Band::default() });
            }
            band_of[part as usize] = band_of[name];
            if (part as usize) < self.n_vertices {
                bands[band_of[name] as usize].vertices.push(part);
            }
        }
        (bands, band_of)
    }
}

/// The parts with a level by rising level, in their order within one: there are few levels, so they are counted.
fn by_level(levels: &[u32]) -> Vec<u32> {
    let with_level = || (0..).zip(levels).filter(|(_, level)| **level != NO_LEVEL);
    let n_levels = with_level().map(|(_, &level)| level as usize + 1).max().unwrap_or(0);
    let mut next = vec![0_usize; n_levels + 1];
    for (_, &level) in with_level() {
        next[level as usize + 1] += 1;
    }
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    let mut sorted = vec![0_u32; next[n_levels]];
    for (part, &level) in with_level() {
        let at = &mut next[level as usize];
        sorted[*at] = part;
        *at += 1;
    }
    sorted
}
