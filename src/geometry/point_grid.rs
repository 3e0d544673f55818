//! Points in cells, for the nearest one within a cell's size.

use std::collections::BTreeMap;

use glam::{IVec3, Vec3};

/// Points sorted into cubic cells.
#[derive(Clone, Debug, Default)]
pub struct PointGrid {
    cell: f32,
    points: Vec<(u32, Vec3)>,
    /// Cell to its range in `points`.
    ranges: BTreeMap<[i32; 3], (u32, u32)>,
}

impl PointGrid {
    /// A grid of `points`, each with a name, in cells of `cell` metres. Cost: O(n log n).
    pub fn new(points: impl Iterator<Item = (u32, Vec3)>, cell: f32) -> Self {
        let mut grid = Self { cell: cell.max(f32::MIN_POSITIVE), ..Self::default() };
        let mut keyed: Vec<([i32; 3], u32, Vec3)> =
            points.map(|(name, p)| (grid.key(p).to_array(), name, p)).collect();
        keyed.sort_unstable_by_key(|&(key, name, _)| (key, name));
        for (i, (key, name, p)) in keyed.into_iter().enumerate() {
            grid.points.push((name, p));
            grid.ranges.entry(key).or_insert((i as u32, i as u32)).1 = i as u32 + 1;
        }
        grid
    }

    fn key(&self, p: Vec3) -> IVec3 {
        (p / self.cell).floor().as_ivec3()
    }

    /// The nearest point that `counts`, and its distance, if there is one within a cell's size. Of equals the first.
    pub fn nearest(&self, p: Vec3, counts: impl Fn(u32) -> bool) -> Option<(u32, f32)> {
        let center = self.key(p);
        let mut best: Option<(u32, f32)> = None;
        for x in -1..=1 {
            for y in -1..=1 {
                // The three cells along z stand next to each other in the map.
                let from = center + IVec3::new(x, y, -1);
                let to = center + IVec3::new(x, y, 1);
                for (_, &(start, end)) in self.ranges.range(from.to_array()..=to.to_array()) {
                    for &(name, q) in &self.points[start as usize..end as usize] {
                        let d = p.distance(q);
                        if d <= self.cell && best.is_none_or(|(_, least)| d < least) && counts(name)
                        {
                            best = Some((name, d));
                        }
                    }
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_within_a_cell_is_found() {
        let points: Vec<Vec3> = (0..400)
            .map(|i| {
                let f = |k: f32| (i as f32 * k).fract() * 2.0 - 1.0;
                Vec3::new(f(0.754_877_7), f(0.569_840_3), f(0.362_437_1))
            })
            .collect();
        let grid =
            PointGrid::new(points.iter().copied().enumerate().map(|(i, p)| (i as u32, p)), 0.3);
        for p in [Vec3::ZERO, Vec3::new(0.9, -0.9, 0.1), Vec3::splat(3.0), points[7]] {
            let exact = points.iter().map(|q| q.distance(p)).fold(f32::INFINITY, f32::min);
            match grid.nearest(p, |_| true) {
                Some((name, d)) => {
                    assert_eq!(d, exact);
                    assert_eq!(points[name as usize].distance(p), exact);
                }
                None => assert!(exact > 0.3),
            }
        }
        assert_ne!(grid.nearest(points[7], |name| name != 7).map(|(name, _)| name), Some(7));
    }
}
