//! Points in upright columns, for the nearest one within a reach.

use glam::{IVec2, Vec3};

/// Points sorted into square columns along z, and along z in each.
#[derive(Clone, Debug, Default)]
pub struct PointGrid {
    cell: f32,
    /// Least and largest of each coordinate; the first column begins at the former.
    corners: [Vec3; 2],
    /// Number of columns along x and y.
    size: IVec2,
    /// `[x × y + 1]`: first of `points` in each column.
    starts: Vec<u32>,
    points: Vec<(u32, Vec3)>,
}

impl PointGrid {
    /// A grid of points of a surface, in columns about as wide as these lie apart. Cost: O(n log n).
    pub fn of_surface(points: impl Iterator<Item = (u32, Vec3)> + Clone) -> Self {
        let [low, high] = corners(points.clone()).unwrap_or_default();
        let cell = low.distance(high) / (points.clone().count().max(1) as f32).sqrt();
        Self::new(points, cell)
    }

    /// A grid of `points`, each with a name, in columns of `cell` metres; wider ones where the points lie so far apart
    /// that most columns would be empty. Cost: O(n log n).
    pub fn new(points: impl Iterator<Item = (u32, Vec3)>, cell: f32) -> Self {
        let points: Vec<(u32, Vec3)> = points.collect();
        let mut grid = Self { cell: cell.max(f32::MIN_POSITIVE), ..Self::default() };
        let Some([low, high]) = corners(points.iter().copied()) else { return grid };
        grid.corners = [low, high];
        let most = 4.0 * points.len() as f32 + 1024.0;
        let n_columns = |cell: f32| {
            let extent = (high - low) / cell + 2.0;
            extent.x * extent.y
        };
        while n_columns(grid.cell) > most {
            grid.cell *= 2.0;
        }
        grid.size = grid.column(high) + 1;
        let place = |p: Vec3| {
            let at = grid.column(p);
            (at.x * grid.size.y + at.y) as usize
        };
        let places: Vec<usize> = points.iter().map(|&(_, p)| place(p)).collect();
        let mut starts = vec![0_u32; (grid.size.x * grid.size.y) as usize + 1];
        for &place in &places {
            starts[place + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut sorted = points.clone();
        for (&place, point) in places.iter().zip(points) {
            sorted[next[place] as usize] = point;
            next[place] += 1;
        }
        for ends in starts.windows(2) {
            sorted[ends[0] as usize..ends[1] as usize]
                .sort_unstable_by(|a, b| a.1.z.total_cmp(&b.1.z).then(a.0.cmp(&b.0)));
        }
        Self { starts, points: sorted, ..grid }
    }

    fn column(&self, p: Vec3) -> IVec2 {
        ((p - self.corners[0]).truncate() / self.cell).floor().as_ivec2()
    }

    /// Points in the column at `place` from the first one.
    fn points_in(&self, place: IVec2) -> &[(u32, Vec3)] {
        if place.cmplt(IVec2::ZERO).any() || place.cmpge(self.size).any() {
            return &[];
        }
        let i = (place.x * self.size.y + place.y) as usize;
        &self.points[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// The nearest point that `counts` within `reach`, which may be infinite, and its distance. Of equals the lowest name.
    ///
    /// Columns are looked at ring by ring until no farther one can hold a nearer point.
    pub fn nearest_within(
        &self,
        p: Vec3,
        reach: f32,
        counts: impl Fn(u32) -> bool,
    ) -> Option<(u32, f32)> {
        if self.points.is_empty() {
            return None;
        }
        // From outside, rings begin at the nearest place inside: squares of the way there and of the way on add up to no
        // more than the square of the way to a point.
        let inside = p.clamp(self.corners[0], self.corners[1]);
        let outside = p.distance_squared(inside);
        let center = self.column(inside);
        let last = self.size - 1;
        let rings = center.max(last - center).max_element();
        let rings = rings.min((reach / self.cell).ceil() as i32);
        let mut best: Option<(u32, f32)> = None;
        let mut within = reach;
        for ring in 0..=rings {
            let (low, high) = ((center - ring).max(IVec2::ZERO), (center + ring).min(last));
            for x in low.x..=high.x {
                // All of a side, but only the ends of the rows between.
                let is_side = (x - center.x).abs() == ring;
                let ends = (center.y - ring..=center.y + ring).step_by(2 * ring.max(1) as usize);
                let rows = if is_side { (low.y..=high.y).step_by(1) } else { ends };
                for y in rows {
                    let column = self.points_in(IVec2::new(x, y));
                    // By differences: rounded, they are still no larger than the distance, which sums might be.
                    let from = column.partition_point(|q| p.z - q.1.z > within);
                    for &(name, q) in &column[from..] {
                        if q.z - p.z > within {
                            break;
                        }
                        let d = p.distance(q);
                        let is_nearer = best
                            .is_none_or(|(other, least)| d < least || d == least && name < other);
                        if d <= reach && is_nearer && counts(name) {
                            best = Some((name, d));
                            within = d;
                        }
                    }
                }
            }
            let onward = ring as f32 * self.cell;
            if best.is_some_and(|(_, d)| d * d <= outside + onward * onward) {
                break;
            }
        }
        best
    }
}

/// Least and largest of each coordinate.
fn corners(points: impl Iterator<Item = (u32, Vec3)>) -> Option<[Vec3; 2]> {
    points.fold(None, |corners, (_, p)| {
        Some(corners.map_or([p, p], |[low, high]: [Vec3; 2]| [low.min(p), high.max(p)]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_within_a_reach_is_found() {
        let points: Vec<Vec3> = (0..400)
            .map(|i| {
                let f = |k: f32| (i as f32 * k).fract() * 2.0 - 1.0;
                Vec3::new(f(0.754_877_7), f(0.569_840_3), f(0.362_437_1))
            })
            .collect();
        let grid =
            PointGrid::new(points.iter().copied().enumerate().map(|(i, p)| (i as u32, p)), 0.3);
        let outside = [Vec3::splat(3.0), Vec3::new(-500.0, 0.2, 0.1), Vec3::new(0.3, 0.1, 40.0)];
        let inside = [Vec3::ZERO, Vec3::new(0.9, -0.9, 0.1), points[7]];
        for reach in [0.05, 0.3, 0.9, f32::INFINITY] {
            for p in inside.into_iter().chain(outside) {
                let exact = points.iter().map(|q| q.distance(p)).fold(f32::INFINITY, f32::min);
                let found = grid.nearest_within(p, reach, |_| true).map(|(_, d)| d);
                assert_eq!(found, (exact <= reach).then_some(exact), "within {reach} of {p}");
            }
        }
        assert_ne!(grid.nearest_within(points[7], 0.3, |name| name != 7).map(|n| n.0), Some(7));
    }

    #[test]
    fn a_point_just_within_reach_is_found_however_sums_are_rounded() {
        let points: Vec<f32> =
            (0..300).map(|i| (i as f32 * 0.754_877_7).fract() * 2.0 - 1.0).collect();
        for pair in points.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|z| Vec3::new(0.0, 0.0, z));
            let grid = PointGrid::new([(0, to)].into_iter(), 0.3);
            let reach = from.distance(to);
            assert_eq!(grid.nearest_within(from, reach, |_| true), Some((0, reach)), "{pair:?}");
        }
    }

    #[test]
    fn points_strewn_far_apart_need_no_more_columns_than_there_are_points() {
        let points =
            [(0, Vec3::ZERO), (1, Vec3::new(1e6, 0.0, 0.0)), (2, Vec3::new(0.0, 1e6, 1.0))];
        let grid = PointGrid::new(points.into_iter(), 1e-3);
        assert!(grid.starts.len() < 2000);
        let near = |p: Vec3| grid.nearest_within(p, 2.0, |_| true).map(|(name, _)| name);
        assert_eq!(near(Vec3::new(1e6, 1.0, 0.0)), Some(1));
        assert_eq!(near(Vec3::new(0.0, 1e6, 0.0)), Some(2));
        assert_eq!(near(Vec3::new(5e5, 0.0, 0.0)), None);
    }
}
