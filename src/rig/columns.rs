//! Parallel chains hung from a collar, for capes and skirts on request.
//!
//! Where a vertex belongs across the cloth is carried down from the collar along the skin; along it, each column is a
//! chain like any other.
//!
//! Based on: spec 1.8 ("columns hung from the collar", ours).

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

use crate::geometry::Patch;
use crate::math::{eigen::principal_axes, ops};

/// Place of every vertex across a cloth.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Across {
    /// `[P]`: 0 to `n` round a closed collar, 0 to `n - 1` along an open one, in columns.
    pub column: Vec<f32>,
    /// Whether the collar closes, so that column n is column 0.
    pub is_closed: bool,
    /// Number of columns.
    pub n: usize,
}

impl Across {
    /// The two columns a vertex lies between, with the share of each; the second share may be 0.
    pub fn shares(&self, vertex: usize) -> [(usize, f32); 2] {
        let c = self.column.get(vertex).copied().unwrap_or(0.0).max(0.0);
        let low = c as usize;
        // Smooth, so that the surface between two columns has no crease at either.
        let f = c - low as f32;
        let f = f * f * (3.0 - 2.0 * f);
        let wrap = |i: usize| if self.is_closed { i % self.n } else { i.min(self.n - 1) };
        [(wrap(low), 1.0 - f), (wrap(low + 1), f)]
    }

    /// Share of one column at a vertex.
    pub fn share(&self, vertex: usize, column: usize) -> f32 {
        self.shares(vertex).iter().filter(|(c, _)| *c == column).map(|(_, share)| share).sum()
    }
}

/// Lays `n` columns over a patch with distances `along_m` from its collar (`[P]`, places in the patch).
///
/// The collar is closed where it goes round its own centre without a gap of more than a quarter turn. Each vertex
/// takes the mean of the neighbours it is reached from, weighed by how directly. Cost: O(P log P).
pub(super) fn across(patch: &Patch, along_m: &[f32], collar: &[u32], n: usize) -> Across {
    let n = n.max(1);
    let positions: Vec<Vec3> = collar
        .iter()
        .map(|&v| patch.graph.positions.get(v as usize).copied().unwrap_or_default())
        .collect();
    let (start, is_closed) = places_on_collar(&positions, n);
    // Closed collars carry a point on the unit circle, so that averages do not jump from n to 0.
    let to_carried = |c: f32| {
        if is_closed {
            let angle = TAU * c / n as f32;
            Vec2::new(ops::cos(angle), ops::sin(angle))
        } else {
            Vec2::new(c, 0.0)
        }
    };
    let mut carried: Vec<Option<Vec2>> = vec![None; along_m.len()];
    for (&v, &c) in collar.iter().zip(&start) {
        if let Some(slot) = carried.get_mut(v as usize) {
            *slot = Some(to_carried(c));
        }
    }
    let mut order: Vec<usize> = (0..along_m.len()).collect();
    order.sort_by(|&a, &b| along_m[a].total_cmp(&along_m[b]).then(a.cmp(&b)));
    for v in order {
        if carried.get(v).is_some_and(Option::is_some) {
            continue;
        }
        let value = upwind(patch, along_m, &carried, v)
            .or_else(|| nearest(patch, &carried, v))
            .unwrap_or(Vec2::X);
        if let Some(slot) = carried.get_mut(v) {
            *slot = Some(value);
        }
    }
    let column = carried
        .into_iter()
        .map(|c| {
            let c = c.unwrap_or(Vec2::X);
            if is_closed {
                let turn = ops::atan2(c.y, c.x) / TAU;
                (if turn < 0.0 { turn + 1.0 } else { turn }) * n as f32
            } else {
                c.x
            }
        })
        .collect();
    Across { column, is_closed, n }
}

/// Mean over the neighbours nearer to the collar, the steepest first of all.
fn upwind(patch: &Patch, along_m: &[f32], carried: &[Option<Vec2>], v: usize) -> Option<Vec2> {
    let own = along_m.get(v).copied()?;
    let mut sum = Vec2::ZERO;
    let mut total = 0.0;
    for &u in patch.graph.neighbors(v as u32) {
        let (Some(Some(value)), Some(&g)) = (carried.get(u as usize), along_m.get(u as usize))
        else {
            continue;
        };
        let slope = (own - g) / patch.graph.length(v as u32, u).max(f32::MIN_POSITIVE);
        if slope > 0.0 && slope.is_finite() {
            // To the eighth: nearly the steepest way alone, since diagonals all lean to one side on a regular grid
            // and would carry the cloth round as it hangs.
            let weight = ops::powf(slope, 8.0);
            sum += *value * weight;
            total += weight;
        }
    }
    (total > 0.0).then(|| sum / total)
}

/// An island's first vertex takes what the nearest vertex that has something carries.
fn nearest(patch: &Patch, carried: &[Option<Vec2>], v: usize) -> Option<Vec2> {
    let p = patch.graph.positions.get(v)?;
    carried
        .iter()
        .zip(&patch.graph.positions)
        .filter_map(|(c, q)| c.map(|c| (p.distance_squared(*q), c)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, c)| c)
}

/// Place of each collar vertex in columns, and whether the collar is closed.
fn places_on_collar(positions: &[Vec3], n: usize) -> (Vec<f32>, bool) {
    let Some(axes) = principal_axes(positions.iter().map(|&p| (p, 1.0))) else {
        return (Vec::new(), false);
    };
    let flat: Vec<Vec2> = positions
        .iter()
        .map(|&p| p - axes.centroid)
        .map(|d| Vec2::new(d.dot(axes.axes[0]), d.dot(axes.axes[1])))
        .collect();
    let turns: Vec<f32> = flat.iter().map(|d| ops::atan2(d.y, d.x) / TAU + 0.5).collect();
    let mut sorted = turns.clone();
    sorted.sort_by(f32::total_cmp);
    let wrap = sorted.first().zip(sorted.last()).map_or(1.0, |(a, b)| a + 1.0 - b);
    let gap = sorted.windows(2).map(|w| w[1] - w[0]).fold(wrap, f32::max);
    // A row of vertices seen from its middle lies in two directions: half a turn apart.
    if gap <= 0.25 {
        return (turns.iter().map(|t| t * n as f32 % n as f32).collect(), true);
    }
    let (low, high) =
        flat.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), d| (l.min(d.x), h.max(d.x)));
    let width = (high - low).max(f32::MIN_POSITIVE);
    let last = (n - 1) as f32;
    (flat.iter().map(|d| (d.x - low) / width * last).collect(), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::MeshGraph;

    /// A cloth of 24 × 11 vertices, `place(u, v)`, closed in u or not.
    fn cloth(place: impl Fn(f32, f32) -> Vec3, closed: bool) -> (Patch, Vec<f32>, Vec<u32>) {
        let (nu, nv) = (24_u32, 11_u32);
        let span = if closed { nu } else { nu - 1 };
        let positions: Vec<Vec3> = (0..nu * nv)
            .map(|i| place((i % nu) as f32 / span as f32, (i / nu) as f32 / (nv - 1) as f32))
            .collect();
        let mut triangles = Vec::new();
        for j in 0..nv - 1 {
            for i in 0..span {
                let (a, b) = (j * nu + i, j * nu + (i + 1) % nu);
                triangles.push([a, b, a + nu]);
                triangles.push([b, b + nu, a + nu]);
            }
        }
        let graph = MeshGraph::new(positions, triangles);
        let patch = Patch::new(&graph, (0..graph.len() as u32).collect());
        let collar: Vec<u32> = (0..nu).collect();
        let g = patch.distances_from(&collar);
        (patch, g, collar)
    }

    #[test]
    fn a_skirt_s_columns_go_round_and_a_cape_s_from_side_to_side() {
        let skirt = |u: f32, v: f32| {
            let r = 0.15 + 0.1 * v;
            Vec3::new(r * ops::cos(TAU * u), -0.5 * v, r * ops::sin(TAU * u))
        };
        let (patch, g, collar) = cloth(skirt, true);
        let laid = across(&patch, &g, &collar, 6);
        assert!(laid.is_closed);
        // Straight down from a collar vertex the column is the same.
        for v in 24..patch.graph.len() {
            let (here, above) = (laid.column[v], laid.column[v % 24]);
            let d = (here - above).abs();
            assert!(d.min(6.0 - d) < 0.3, "{here} below {above}");
        }
        let cape = |u: f32, v: f32| Vec3::new((u - 0.5) * 0.4, -1.2 * v, 0.0);
        let (patch, g, collar) = cloth(cape, false);
        let laid = across(&patch, &g, &collar, 4);
        assert!(!laid.is_closed);
        let ends = (laid.column[0], laid.column[23]);
        assert!((ends.0 - ends.1).abs() > 2.99, "{ends:?}");
    }

    #[test]
    fn shares_of_two_columns_sum_to_one_and_wrap() {
        let laid = Across { column: vec![5.5, 0.0, 3.0], is_closed: true, n: 6 };
        assert_eq!(laid.shares(0), [(5, 0.5), (0, 0.5)]);
        assert_eq!(laid.shares(1), [(0, 1.0), (1, 0.0)]);
        let open = Across { is_closed: false, n: 4, ..laid };
        assert_eq!(open.shares(2), [(3, 1.0), (3, 0.0)]);
    }
}
