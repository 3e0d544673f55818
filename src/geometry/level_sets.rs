//! Level sets of a function on a mesh: contours at equal steps, the bands of skin between them, and who joins whom.
//!
//! This is the Reeb graph of the function at a chosen resolution. Contours are traced through triangles, so their
//! lengths and shapes do not depend on how finely the mesh is cut.
//!
//! ```text
//!   band 2      ╭──╮  ╭──╮      two bands, one for each branch
//!   level 2     │──│  │──│      two contours
//!   band 1      │  ╰──╯  │      one band: here the skin forks
//!   level 1     ╰──────╮─│      one contour
//! ```

use glam::Vec3;

use super::{MeshGraph, UnionFind};
use crate::math::eigen::principal_axes;

/// A connected curve of equal value.
#[derive(Clone, Debug, PartialEq)]
pub struct Contour {
    /// Number of the level; its value is `level × step`.
    pub level: u32,
    /// Length in metres.
    pub length: f32,
    /// Mean of the curve.
    pub center: Vec3,
    /// Diameter of the circle with the same largest variance: the width of the slice, in metres.
    pub width: f32,
    /// Width over thickness: 1 for a circle, large for a ribbon, however it is bent (see `flatness`).
    pub flatness: f32,
    /// Whether it ends nowhere. Skin of one layer has open contours.
    pub is_closed: bool,
    /// The band on the side of smaller values.
    pub below: u32,
    /// The band on the side of larger values.
    pub above: u32,
    /// Triangles it runs through.
    pub triangles: Vec<u32>,
}

/// A connected piece of skin between two levels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// Number of the level below it.
    pub level: u32,
    /// Contours on the side of smaller values.
    pub below: Vec<u32>,
    /// Contours on the side of larger values.
    pub above: Vec<u32>,
    /// Vertices in it; may be none where triangles are larger than the step.
    pub vertices: Vec<u32>,
}

/// Contours and bands of one function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelSets {
    /// Distance between levels.
    pub step: f32,
    /// By rising level.
    pub contours: Vec<Contour>,
    /// By rising level.
    pub bands: Vec<Band>,
    /// `[W]`: the band of each vertex, [`LevelSets::NO_BAND`] where the function is not finite.
    pub band_of: Vec<u32>,
}

/// Where a triangle crosses a level: the ends of the segment and its number among all crossings.
struct Crossing {
    level: u32,
    triangle: u32,
    /// Where the triangle's outline rises over the level, and where it falls below it again.
    ends: [Vec3; 2],
    /// Whether another triangle continues it at both ends.
    is_continued: bool,
}

impl LevelSets {
    /// The band of a vertex without a value.
    pub const NO_BAND: u32 = u32::MAX;

    /// Level sets of `values`, `[W]`, at multiples of `step`; values must not be negative.
    ///
    /// Cost: O(C log C) for C crossings of triangles and levels.
    pub fn new(graph: &MeshGraph, values: &[f32], step: f32) -> Self {
        // A mad ratio of range to step would only exhaust memory.
        const MOST_LEVELS: f32 = 4096.0;
        let highest = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
        let step = step.max(highest / MOST_LEVELS).max(f32::MIN_POSITIVE);
        let level = |v: u32| (values[v as usize] / step) as u32;
        let mut crossings: Vec<Crossing> = Vec::new();
        // (level, edge, crossing): two crossings that share an edge at a level belong to one contour.
        let mut on_edges: Vec<(u32, u64, u32)> = Vec::new();
        let mut first_of_triangle = Vec::with_capacity(graph.triangles.len() + 1);
        for (t, corners) in graph.triangles.iter().enumerate() {
            first_of_triangle.push(crossings.len() as u32);
            if corners.iter().any(|&v| !values[v as usize].is_finite()) {
                continue;
            }
            let levels = corners.map(level);
            let (low, high) = (levels.iter().min(), levels.iter().max());
            let (Some(&low), Some(&high)) = (low, high) else { continue };
            for at in low + 1..=high {
                let id = crossings.len() as u32;
                let value = at as f32 * step;
                let mut ends = [Vec3::ZERO; 2];
                for i in 0..3 {
                    let (a, b) = (corners[i], corners[(i + 1) % 3]);
                    let (la, lb) = (levels[i], levels[(i + 1) % 3]);
                    if (la < at) == (lb < at) {
                        continue;
                    }
                    let (va, vb) = (values[a as usize], values[b as usize]);
                    let t = ((value - va) / (vb - va)).clamp(0.0, 1.0);
                    ends[usize::from(lb < at)] =
                        graph.positions[a as usize].lerp(graph.positions[b as usize], t);
                    on_edges.push((at, u64::from(a.min(b)) << 32 | u64::from(a.max(b)), id));
                }
                crossings.push(Crossing {
                    level: at,
                    triangle: t as u32,
                    ends,
                    is_continued: true,
                });
            }
        }
        first_of_triangle.push(crossings.len() as u32);
        let mut curves = UnionFind::new(crossings.len());
        on_edges.sort_unstable();
        for group in on_edges.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1) {
            if let [(_, _, alone)] = group {
                crossings[*alone as usize].is_continued = false;
            }
            for pair in group.windows(2) {
                curves.union(pair[0].2, pair[1].2);
            }
        }
        let mut pieces = join_bands(graph, values, level, &crossings, &first_of_triangle);
        let n = values.len() as u32;
        for c in 0..crossings.len() as u32 {
            // A contour is connected, so both its sides are, even where an edge leaps over a whole band.
            let curve = curves.find(c);
            pieces.union(n + 2 * c, n + 2 * curve);
            pieces.union(n + 2 * c + 1, n + 2 * curve + 1);
        }
        Self::collect(step, values, level, &crossings, curves, pieces)
    }

    fn collect(
        step: f32,
        values: &[f32],
        level: impl Fn(u32) -> u32,
        crossings: &[Crossing],
        mut curves: UnionFind,
        mut pieces: UnionFind,
    ) -> Self {
        let n = values.len() as u32;
        let mut result =
            Self { step, band_of: vec![Self::NO_BAND; values.len()], ..Self::default() };
        // Bands, numbered by level and first vertex or crossing.
        let mut number = vec![Self::NO_BAND; values.len() + 2 * crossings.len()];
        let mut members: Vec<(u32, u32)> =
            (0..n).filter(|&v| values[v as usize].is_finite()).map(|v| (level(v), v)).collect();
        for (c, crossing) in crossings.iter().enumerate() {
            let c = c as u32;
            members.push((crossing.level - 1, n + 2 * c));
            members.push((crossing.level, n + 2 * c + 1));
        }
        members.sort_unstable();
        for &(level, member) in &members {
            let name = pieces.find(member) as usize;
            if number[name] == Self::NO_BAND {
                number[name] = result.bands.len() as u32;
                result.bands.push(Band { level, ..Band::default() });
            }
            if member < n {
                result.band_of[member as usize] = number[name];
                result.bands[number[name] as usize].vertices.push(member);
            }
        }
        let mut by_curve: Vec<(u32, u32, u32)> = (0..crossings.len() as u32)
            .map(|c| (crossings[c as usize].level, curves.find(c), c))
            .collect();
        by_curve.sort_unstable();
        for group in by_curve.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1) {
            let (level, _, first) = group[0];
            let below = number[pieces.find(n + 2 * first) as usize];
            let above = number[pieces.find(n + 2 * first + 1) as usize];
            let id = result.contours.len() as u32;
            result.bands[below as usize].above.push(id);
            result.bands[above as usize].below.push(id);
            let parts = || group.iter().map(|&(_, _, c)| &crossings[c as usize]);
            result.contours.push(measure(level, below, above, parts));
        }
        result
    }
}

/// Joins what lies in one band: vertices, and the upper and lower sides of crossings. Vertex v is number v, the lower
/// side of crossing c is V + 2c, its upper side V + 2c + 1.
fn join_bands(
    graph: &MeshGraph,
    values: &[f32],
    level: impl Fn(u32) -> u32,
    crossings: &[Crossing],
    first_of_triangle: &[u32],
) -> UnionFind {
    let n = values.len() as u32;
    let mut pieces = UnionFind::new(values.len() + 2 * crossings.len());
    for (t, corners) in graph.triangles.iter().enumerate() {
        if corners.iter().any(|&v| !values[v as usize].is_finite()) {
            continue;
        }
        let levels = corners.map(&level);
        let low = levels.iter().copied().min().unwrap_or(0);
        let high = levels.iter().copied().max().unwrap_or(0);
        // The part of a triangle in one band is convex, so everything that touches it is connected.
        for band in low..=high {
            let lower = (band < high).then(|| n + 2 * (first_of_triangle[t] + band - low));
            let upper = (band > low).then(|| n + 2 * (first_of_triangle[t] + band - low - 1) + 1);
            let own = (0..3).filter(|&i| levels[i] == band).map(|i| corners[i]);
            let mut all = lower.into_iter().chain(upper).chain(own);
            if let Some(first) = all.next() {
                for other in all {
                    pieces.union(first, other);
                }
            }
        }
    }
    pieces
}

fn measure<'a, I>(level: u32, below: u32, above: u32, parts: impl Fn() -> I) -> Contour
where
    I: Iterator<Item = &'a Crossing> + Clone,
{
    // Simpson's rule on each segment gives the exact second moments of the polyline.
    let points = parts().flat_map(|c| {
        let [a, b] = c.ends;
        let w = a.distance(b) / 6.0;
        [(a, w), ((a + b) * 0.5, 4.0 * w), (b, w)]
    });
    let length = parts().map(|c| c.ends[0].distance(c.ends[1])).sum();
    let axes = principal_axes(points);
    let center =
        axes.map_or_else(|| parts().next().map_or(Vec3::ZERO, |c| c.ends[0]), |axes| axes.centroid);
    let [first, second, _] = axes.map_or([0.0; 3], |axes| axes.eigenvalues);
    let is_closed = parts().all(|c| c.is_continued);
    let doubled: Vec3 = parts().map(|c| (c.ends[0] - center).cross(c.ends[1] - center)).sum();
    let area = if is_closed { doubled.length() * 0.5 } else { 0.0 };
    Contour {
        level,
        length,
        center,
        width: (8.0 * first).sqrt(),
        flatness: flatness(length, area, [first, second]),
        is_closed,
        below,
        above,
        triangles: parts().map(|c| c.triangle).collect(),
    }
}

/// Width over thickness of a slice.
///
/// Straight ones show it in their variances. A bent strip does not, but it encloses little: a rectangle of sides w and t
/// has L² / 4A = (w + t)² / wt = q + 2 + 1/q with q = w / t, which gives q from length and area; for a circle it is
/// π < 4, which counts as 1. Curves that enclose nothing are as flat as this goes, 100.
fn flatness(length: f32, area: f32, variances: [f32; 2]) -> f32 {
    const MOST: f32 = 100.0;
    let [first, second] = variances;
    let straight = if first > 0.0 { (first / second.max(first * 1e-4)).sqrt() } else { 1.0 };
    let sum = length * length / (4.0 * area).max(length * length / (4.0 * MOST)) - 2.0;
    let bent = if sum > 2.0 { (sum + (sum * sum - 4.0).sqrt()) * 0.5 } else { 1.0 };
    straight.max(bent).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ops;

    /// A tube along y, `n` around, `rows` along, radii `a` and `b` across.
    fn tube(n: u32, rows: u32, a: f32, b: f32, offset: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        for j in 0..rows {
            for i in 0..n {
                let t = i as f32 / n as f32 * std::f32::consts::TAU;
                let y = j as f32 / (rows - 1) as f32;
                positions.push(offset + Vec3::new(a * ops::cos(t), y, b * ops::sin(t)));
                if j + 1 < rows {
                    let at = |i: u32, j: u32| j * n + i % n;
                    triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                    triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
        (positions, triangles)
    }

    fn heights(graph: &MeshGraph) -> Vec<f32> {
        graph.positions.iter().map(|p| p.y).collect()
    }

    #[test]
    fn contours_of_a_tube_are_its_circles_however_it_is_cut() {
        for (n, rows) in [(48, 60), (48, 2), (12, 7)] {
            let (positions, triangles) = tube(n, rows, 0.2, 0.2, Vec3::ZERO);
            let graph = MeshGraph::new(positions, triangles);
            let sets = LevelSets::new(&graph, &heights(&graph), 0.13);
            assert_eq!(sets.contours.len(), 7);
            assert_eq!(sets.bands.len(), 8);
            let polygon = 2.0 * n as f32 * 0.2 * ops::sin(std::f32::consts::PI / n as f32);
            for contour in &sets.contours {
                // Between rows the contour of a twisted band is a little shorter than the polygon.
                assert!((contour.length / polygon - 1.0).abs() < 0.03, "{}", contour.length);
                assert!((contour.width / 0.4 - 1.0).abs() < 0.05);
                assert!((contour.flatness - 1.0).abs() < 0.05);
                assert!((contour.center.y - contour.level as f32 * 0.13).abs() < 1e-4);
                assert_eq!(contour.above, contour.below + 1);
            }
        }
    }

    #[test]
    fn a_flat_tube_has_flat_slices() {
        let (positions, triangles) = tube(64, 4, 0.4, 0.05, Vec3::ZERO);
        let graph = MeshGraph::new(positions, triangles);
        let sets = LevelSets::new(&graph, &heights(&graph), 0.3);
        assert!(sets.contours.iter().all(|c| c.flatness > 5.0));
    }

    #[test]
    fn apart_shells_have_bands_of_their_own() {
        let (mut positions, mut triangles) = tube(8, 5, 0.1, 0.1, Vec3::ZERO);
        let n = positions.len() as u32;
        let (others, more) = tube(8, 5, 0.1, 0.1, Vec3::X);
        positions.extend(others);
        triangles.extend(more.iter().map(|t| t.map(|v| v + n)));
        let graph = MeshGraph::new(positions, triangles);
        let sets = LevelSets::new(&graph, &heights(&graph), 0.4);
        assert_eq!(sets.contours.len(), 4);
        assert_eq!(sets.bands.len(), 6);
        let (first, last) = (sets.band_of[0], sets.band_of[n as usize]);
        assert_ne!(first, last);
        assert!(sets.bands[first as usize].vertices.iter().all(|&v| v < n));
    }

    #[test]
    fn a_vertex_without_a_value_is_in_no_band() {
        let (positions, triangles) = tube(8, 3, 0.1, 0.1, Vec3::ZERO);
        let graph = MeshGraph::new(positions, triangles);
        let mut values = heights(&graph);
        values[3] = f32::INFINITY;
        let sets = LevelSets::new(&graph, &values, 0.3);
        assert_eq!(sets.band_of[3], LevelSets::NO_BAND);
        assert!(!sets.contours.is_empty());
    }
}
