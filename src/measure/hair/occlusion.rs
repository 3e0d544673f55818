//! Front strands behind the shirt: a camera straight in front, at infinity.
//!
//! Based on: spec 8 (4.6, P-OCC).

use glam::{Quat, Vec2, Vec3, Vec3A};

use super::skin::HairSkin;
use crate::measure::skinning::Skinner;
use crate::model::{Rigged, SurfaceVertex, WorldPose};

/// Looks from in front of a character at its front strands.
pub(super) struct Occluder {
    front: Skinner,
    shirt: Skinner,
    /// Corners as places in the shirt's list of vertices.
    triangles: Vec<[u32; 3]>,
    /// Places in the front's list that are in front of the shirt in the bind pose.
    counted: Vec<usize>,
    hidden_in_bind: usize,
    view: Quat,
    front_positions: Vec<Vec3A>,
    shirt_positions: Vec<Vec3A>,
}

impl Occluder {
    pub fn new(rigged: &Rigged, skin: &HairSkin) -> Self {
        let mut used: Vec<SurfaceVertex> = skin.shirt.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let place = |v: &SurfaceVertex| used.binary_search(v).unwrap_or(0) as u32;
        let mut occluder = Self {
            front: Skinner::new(&rigged.character, &skin.front),
            shirt: Skinner::new(&rigged.character, &used),
            triangles: skin.shirt.iter().map(|t| [&t[0], &t[1], &t[2]].map(place)).collect(),
            counted: (0..skin.front.len()).collect(),
            hidden_in_bind: 0,
            view: rigged.body.world_from_body.conjugate(),
            front_positions: Vec::new(),
            shirt_positions: Vec::new(),
        };
        if occluder.front.is_empty() {
            return occluder;
        }
        let depths = occluder.depths(&rigged.bind.world);
        occluder.counted.retain(|&i| depths.get(i).is_none_or(|&d| d <= 0.0));
        occluder.hidden_in_bind = depths.iter().filter(|&&d| d > 0.0).count();
        occluder
    }

    /// Vertices that count.
    pub fn n_vertices(&self) -> usize {
        self.counted.len()
    }

    /// Vertices that the shirt hides in the bind pose.
    pub fn n_hidden_in_bind(&self) -> usize {
        self.hidden_in_bind
    }

    /// How many are hidden by more than `least_m`, and the deepest, metres.
    pub fn look(&mut self, world: &WorldPose, least_m: f32) -> (usize, f32) {
        if self.counted.is_empty() {
            return (0, 0.0);
        }
        let depths = self.depths(world);
        let hidden =
            || self.counted.iter().filter_map(|&i| depths.get(i).copied()).filter(|&d| d > least_m);
        (hidden().count(), hidden().fold(0.0, f32::max))
    }

    /// For each front vertex the distance to the shirt's nearest triangle before it; 0 where none is.
    fn depths(&mut self, world: &WorldPose) -> Vec<f32> {
        self.front.skin(world, Vec3::ZERO, &mut self.front_positions);
        self.shirt.skin(world, Vec3::ZERO, &mut self.shirt_positions);
        let seen = |p: &Vec3A| self.view * Vec3::from(*p);
        let front: Vec<Vec3> = self.front_positions.iter().map(seen).collect();
        let shirt: Vec<Vec3> = self.shirt_positions.iter().map(seen).collect();
        let grid = Grid::of(&front);
        let mut depths = vec![f32::INFINITY; front.len()];
        for triangle in &self.triangles {
            let [Some(&a), Some(&b), Some(&c)] = triangle.map(|v| shirt.get(v as usize)) else {
                continue;
            };
            for i in grid.within(a.min(b).min(c), a.max(b).max(c)) {
                let (Some(p), Some(depth)) = (front.get(i), depths.get_mut(i)) else { continue };
                if let Some(z) = height_over(p.truncate(), a, b, c)
                    && z > p.z
                {
                    *depth = depth.min(z - p.z);
                }
            }
        }
        depths.into_iter().map(|d| if d.is_finite() { d } else { 0.0 }).collect()
    }
}

/// z of a triangle over a point of the picture, where the point lies in it.
fn height_over(p: Vec2, a: Vec3, b: Vec3, c: Vec3) -> Option<f32> {
    let (ab, ac, ap) = ((b - a).truncate(), (c - a).truncate(), p - a.truncate());
    let area = ab.perp_dot(ac);
    if area.abs() < 1e-12 {
        return None;
    }
    let (v, w) = (ap.perp_dot(ac) / area, ab.perp_dot(ap) / area);
    let is_inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0;
    is_inside.then_some(a.z + (b.z - a.z) * v + (c.z - a.z) * w)
}

/// Points of the picture by columns.
struct Grid {
    left: f32,
    step: f32,
    columns: Vec<Vec<usize>>,
    ys: Vec<f32>,
}

const N_COLUMNS: usize = 64;

impl Grid {
    fn of(points: &[Vec3]) -> Self {
        let left = points.iter().map(|p| p.x).fold(f32::INFINITY, f32::min);
        let right = points.iter().map(|p| p.x).fold(f32::NEG_INFINITY, f32::max);
        let step = ((right - left) / N_COLUMNS as f32).max(1e-6);
        let mut grid = Self {
            left,
            step,
            columns: vec![Vec::new(); N_COLUMNS],
            ys: points.iter().map(|p| p.y).collect(),
        };
        for (i, p) in points.iter().enumerate() {
            let at = grid.column(p.x);
            grid.columns[at].push(i);
        }
        grid
    }

    fn column(&self, x: f32) -> usize {
        (((x - self.left) / self.step).max(0.0) as usize).min(N_COLUMNS - 1)
    }

    /// Points whose column meets the box and whose y lies in it.
    fn within(&self, low: Vec3, high: Vec3) -> impl Iterator<Item = usize> + '_ {
        let is_beside = high.x < self.left || low.x > self.left + self.step * N_COLUMNS as f32;
        let range = match is_beside {
            true => 0..0,
            false => self.column(low.x)..self.column(high.x) + 1,
        };
        let in_y = move |i: &usize| self.ys.get(*i).is_some_and(|y| *y >= low.y && *y <= high.y);
        range.flat_map(|c| self.columns[c].iter().copied()).filter(in_y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_is_met_inside_its_outline_alone() {
        let (a, b, c) = (Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 0.0));
        let z = height_over(Vec2::new(0.25, 0.25), a, b, c).unwrap();
        assert!((z - 0.25).abs() < 1e-6);
        assert!(height_over(Vec2::new(0.8, 0.8), a, b, c).is_none());
        assert!(height_over(Vec2::ZERO, a, a, c).is_none(), "seen edge on");
    }

    #[test]
    fn the_grid_finds_what_the_box_holds() {
        let points: Vec<Vec3> = (0..100).map(|i| Vec3::new(i as f32 * 0.01, 0.5, 0.0)).collect();
        let grid = Grid::of(&points);
        let found: Vec<usize> =
            grid.within(Vec3::new(0.2, 0.0, 0.0), Vec3::new(0.3, 1.0, 0.0)).collect();
        assert!((20..=30).all(|i| found.contains(&i)));
        assert!(grid.within(Vec3::new(0.2, 0.6, 0.0), Vec3::ONE).next().is_none());
        assert!(grid.within(Vec3::splat(2.0), Vec3::splat(3.0)).next().is_none());
    }
}
