//! Vertices that stand at one place, made one.
//!
//! Exporters split vertices at texture and hard-normal seams, so the faces alone fall into islands; welded by
//! position they are the surface again.

use glam::Vec3;
use rayon::prelude::*;

use super::Surface;

/// Which vertices stand at one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weld {
    /// `[V]`: the welded vertex of each vertex, numbered by first appearance.
    pub welded_of: Vec<u32>,
    /// `[W]`: the first vertex of each welded one.
    pub first_of: Vec<u32>,
}

/// A place as a key: its bits, or its cell on a grid of the tolerance.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key([u32; 3]);

impl Key {
    fn exact(p: Vec3) -> Self {
        // Adding zero makes -0.0 and 0.0 one place.
        Self((p + Vec3::ZERO).to_array().map(f32::to_bits))
    }

    fn on_grid(p: Vec3, cells_per_unit: f32) -> Self {
        // Truncated by the cast: `round` is a call on a plain x86-64.
        Self((p * cells_per_unit).to_array().map(|x| (x + 0.5_f32.copysign(x)) as i32 as u32))
    }

    fn hash(self) -> u64 {
        let [x, y, z] = self.0.map(u64::from);
        // The multipliers of xxHash: coordinates differ in few, high bits, and must reach the low ones.
        let h = x.wrapping_mul(0x9E37_79B1_85EB_CA87)
            ^ y.wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
            ^ z.wrapping_mul(0x1656_67B1_9E37_79F9);
        let h = (h ^ (h >> 29)).wrapping_mul(0x9E37_79B1_85EB_CA87);
        h ^ (h >> 32)
    }
}

const NONE: u32 = u32::MAX;

/// The bits of an entry that are of its hash; those below are its vertex.
const HASH: u64 = !(u32::MAX as u64);

/// Vertices whose place an earlier one of `entries` (rising vertices) has, and which has it first.
fn repeats(entries: &[u64], key: impl Fn(usize) -> Key) -> Vec<(u32, u32)> {
    // Open addressing; an entry holds enough of its hash that its place is looked up only where it is the same one.
    const EMPTY: u64 = u64::MAX;
    let mask = (entries.len() * 2).next_power_of_two().max(16) - 1;
    let mut slots = vec![EMPTY; mask + 1];
    let mut repeats = Vec::new();
    for &entry in entries {
        let vertex = entry as u32;
        let mut at = (entry >> 32) as usize & mask;
        loop {
            let held = slots[at];
            if held == EMPTY {
                slots[at] = entry;
                break;
            }
            let first = held as u32;
            if (held ^ entry) & HASH == 0 && key(first as usize) == key(vertex as usize) {
                repeats.push((vertex, first));
                break;
            }
            at = (at + 1) & mask;
        }
    }
    repeats
}

impl Weld {
    /// Welds `positions`, `[V]`.
    ///
    /// Vertices with equal coordinates always become one (-0.0 equals 0.0). With a `tolerance` above zero so do those
    /// that round to the same cell of a grid of that size: enough to close the seam between two meshes whose bind
    /// matrices differ in the last bits, at no cost. Cells are not searched around their borders, so a few vertices
    /// of such a seam stay apart; the surface is connected all the same.
    ///
    /// Cost: O(V), two cores.
    pub fn new(positions: &[Vec3], tolerance: f32) -> Self {
        let per_unit = 1.0 / tolerance;
        if tolerance > 0.0 && per_unit.is_finite() {
            Self::by_key(positions.len(), |i| Key::on_grid(positions[i], per_unit))
        } else {
            Self::by_key(positions.len(), |i| Key::exact(positions[i]))
        }
    }

    fn by_key(n: usize, key: impl Fn(usize) -> Key + Sync) -> Self {
        let hashed = |i: usize| key(i).hash() & HASH | i as u64;
        // Parts by the upper bits of the hash, each with a table that the cache holds.
        let n_parts = (n / 4096).next_power_of_two().min(1024);
        let shift = 64 - n_parts.trailing_zeros();
        let part_of = |entry: u64| if n_parts > 1 { (entry >> shift) as usize } else { 0 };
        let all: Vec<u64> = (0..n).into_par_iter().map(hashed).collect();
        let mut starts = vec![0_usize; n_parts + 1];
        for &entry in &all {
            starts[part_of(entry) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0_u64; n];
        for entry in all {
            let at = &mut next[part_of(entry)];
            sorted[*at] = entry;
            *at += 1;
        }
        let repeats: Vec<Vec<(u32, u32)>> =
            starts.par_windows(2).map(|ends| repeats(&sorted[ends[0]..ends[1]], &key)).collect();
        let mut welded_of: Vec<u32> = vec![NONE; n];
        for (i, first) in repeats.into_iter().flatten() {
            welded_of[i as usize] = first;
        }
        let mut first_of = Vec::with_capacity(n);
        for i in 0..n {
            let first = welded_of[i];
            welded_of[i] = if first == NONE {
                first_of.push(i as u32);
                first_of.len() as u32 - 1
            } else {
                welded_of[first as usize]
            };
        }
        Self { welded_of, first_of }
    }

    /// `[W]`: where the welded vertices of `surface` are.
    pub fn positions(&self, surface: &Surface) -> Vec<Vec3> {
        self.first_of.par_iter().map(|&v| surface.positions[v as usize]).collect()
    }

    /// Number of welded vertices.
    pub fn len(&self) -> usize {
        self.first_of.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.first_of.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_places_become_one_vertex_and_signed_zero_is_no_difference() {
        let a = Vec3::new(0.0, 1.0, -0.0);
        let b = Vec3::new(-0.0, 1.0, 0.0);
        let c = Vec3::new(0.0, 1.0, 1e-30);
        let weld = Weld::new(&[a, c, b, a], 0.0);
        assert_eq!(weld.welded_of, [0, 1, 0, 0]);
        assert_eq!(weld.first_of, [0, 1]);
    }

    #[test]
    fn a_tolerance_welds_what_rounding_parted() {
        let a = Vec3::new(0.3, 0.6, 0.9);
        let b = a * (1.0 + f32::EPSILON);
        assert_eq!(Weld::new(&[a, b], 0.0).len(), 2);
        assert_eq!(Weld::new(&[a, b], 1e-5).len(), 1);
    }

    #[test]
    fn thousands_of_vertices_weld_as_a_sorted_map_would() {
        let positions: Vec<Vec3> = (0..5000_i32)
            .map(|i| Vec3::new((i % 17) as f32, (i % 5) as f32, (i % 3) as f32) * 0.01)
            .collect();
        let weld = Weld::new(&positions, 0.0);
        assert_eq!(weld.len(), 17 * 5 * 3);
        for (p, &w) in positions.iter().zip(&weld.welded_of) {
            assert_eq!(*p, positions[weld.first_of[w as usize] as usize]);
        }
    }
}
