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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contour {
    /// Number of the level; its value is `level × step`.
    pub level: u32,
    /// Length in metres.
    pub length: f32,
    /// Mean of the curve.
    pub center: Vec3,
    /// The band on the side of smaller values.
    pub below: u32,
    /// The band on the side of larger values.
    pub above: u32,
    /// Its segments among all.
    segments: (u32, u32),
}

/// The shape of what a contour goes round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// Diameter of the circle with the same largest variance: the width of the slice, in metres.
    pub width: f32,
    /// Width over thickness: 1 for a circle, large for a ribbon, however it is bent (see `flatness`).
    pub flatness: f32,
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
    /// Contour by contour.
    segments: Vec<Crossing>,
}

/// Where a triangle crosses a level.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Cost: O(W + T + C) for C crossings of triangles and levels.
    pub fn new(graph: &MeshGraph, values: &[f32], step: f32) -> Self {
        // A mad ratio of range to step would only exhaust memory.
        const MOST_LEVELS: f32 = 4096.0;
        let highest = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
        let step = step.max(highest / MOST_LEVELS).max(f32::MIN_POSITIVE);
        let level = |&v: &f32| if v.is_finite() { (v / step) as u32 } else { NO_LEVEL };
        let levels: Vec<u32> = values.iter().map(level).collect();
        let (mut crossings, first_of_triangle) = cross(graph, values, &levels, step);
        let mut curves = join_curves(graph, &levels, &mut crossings, &first_of_triangle);
        let mut pieces = join_bands(graph, &levels, &crossings, &first_of_triangle);
        let n = values.len() as u32;
        let curve_of: Vec<u32> = (0..crossings.len() as u32).map(|c| curves.find(c)).collect();
        for (c, &curve) in (0..).zip(&curve_of) {
            // A contour is connected, so both its sides are, even where an edge leaps over a whole band.
            if c != curve {
                pieces.union(n + 2 * c, n + 2 * curve);
                pieces.union(n + 2 * c + 1, n + 2 * curve + 1);
            }
        }
        Self::collect(step, &levels, &crossings, &curve_of, pieces)
    }

    fn collect(
        step: f32,
        levels: &[u32],
        crossings: &[Crossing],
        curve_of: &[u32],
        mut pieces: UnionFind,
    ) -> Self {
        let n = levels.len() as u32;
        let mut result =
            Self { step, band_of: vec![Self::NO_BAND; levels.len()], ..Self::default() };
        // Bands, numbered by level and first vertex or crossing.
        let mut number = vec![Self::NO_BAND; levels.len() + 2 * crossings.len()];
        let vertices = (0..n).map(|v| (levels[v as usize], v)).filter(|m| m.0 != NO_LEVEL);
        // A band without a vertex has sides of crossings alone; the first of a curve stands for all of it.
        let sides = (0..).zip(crossings).filter(|(c, _)| curve_of[*c as usize] == *c).flat_map(
            |(c, crossing)| [(crossing.level - 1, n + 2 * c), (crossing.level, n + 2 * c + 1)],
        );
        for (level, member) in by_level(&vertices.chain(sides).collect::<Vec<_>>()) {
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
        let firsts = (0..).zip(crossings).filter(|(c, _)| curve_of[*c as usize] == *c);
        let curves = by_level(&firsts.map(|(c, crossing)| (crossing.level, c)).collect::<Vec<_>>());
        let offsets = deal(&curves, curve_of, crossings, &mut result.segments);
        for (id, &(level, first)) in (0..).zip(&curves) {
            let below = number[pieces.find(n + 2 * first) as usize];
            let above = number[pieces.find(n + 2 * first + 1) as usize];
            result.bands[below as usize].above.push(id);
            result.bands[above as usize].below.push(id);
            let segments = (offsets[id as usize], offsets[id as usize + 1]);
            let parts = &result.segments[segments.0 as usize..segments.1 as usize];
            let (length, center) = length_and_center(parts);
            result.contours.push(Contour { level, length, center, below, above, segments });
        }
        result
    }

    /// Triangles that a contour runs through.
    pub fn triangles(&self, contour: &Contour) -> impl Iterator<Item = u32> + '_ {
        self.parts(contour).iter().map(|c| c.triangle)
    }

    /// The shape of a contour. Cost: O(its segments).
    pub fn slice(&self, contour: &Contour) -> Slice {
        let parts = self.parts(contour);
        // Simpson's rule on each segment gives the exact second moments of the polyline.
        let points = parts.iter().flat_map(|c| {
            let [a, b] = c.ends;
            let w = a.distance(b) / 6.0;
            [(a, w), ((a + b) * 0.5, 4.0 * w), (b, w)]
        });
        let [first, second, _] = principal_axes(points).map_or([0.0; 3], |axes| axes.eigenvalues);
        // Skin of one layer has contours that end; they enclose nothing.
        let is_closed = parts.iter().all(|c| c.is_continued);
        let center = contour.center;
        let doubled: Vec3 =
            parts.iter().map(|c| (c.ends[0] - center).cross(c.ends[1] - center)).sum();
        let area = if is_closed { doubled.length() * 0.5 } else { 0.0 };
        Slice {
            width: (8.0 * first).sqrt(),
            flatness: flatness(contour.length, area, [first, second]),
        }
    }

    fn parts(&self, contour: &Contour) -> &[Crossing] {
        &self.segments[contour.segments.0 as usize..contour.segments.1 as usize]
    }
}

/// Length of a polyline and its mean; its first point where it has no length.
fn length_and_center(parts: &[Crossing]) -> (f32, Vec3) {
    let mut length = 0.0;
    let (mut sum, mut total) = (glam::DVec3::ZERO, 0.0_f64);
    for part in parts {
        let [a, b] = part.ends;
        let l = a.distance(b);
        length += l;
        total += f64::from(l);
        sum += (a + b).as_dvec3() * (0.5 * f64::from(l));
    }
    if total > 0.0 {
        return (length, (sum / total).as_vec3());
    }
    (length, parts.first().map_or(Vec3::ZERO, |c| c.ends[0]))
}

/// Stands for the level of a vertex without a value.
const NO_LEVEL: u32 = u32::MAX;

/// Lowest and highest level of a triangle's corners; `None` where one has none.
fn span(corners: [u32; 3], levels: &[u32]) -> Option<(u32, u32)> {
    let [a, b, c] = corners.map(|v| levels[v as usize]);
    let high = a.max(b).max(c);
    (high != NO_LEVEL).then_some((a.min(b).min(c), high))
}

/// All crossings, triangle by triangle and by rising level in each; and `[T + 1]` the number of each
/// triangle's first, or of the next one's.
fn cross(
    graph: &MeshGraph,
    values: &[f32],
    levels: &[u32],
    step: f32,
) -> (Vec<Crossing>, Vec<u32>) {
    let mut crossings: Vec<Crossing> = Vec::with_capacity(graph.triangles.len());
    let mut first_of_triangle = Vec::with_capacity(graph.triangles.len() + 1);
    for (t, &corners) in graph.triangles.iter().enumerate() {
        first_of_triangle.push(crossings.len() as u32);
        let Some((low, high)) = span(corners, levels) else { continue };
        for at in low + 1..=high {
            let value = at as f32 * step;
            let mut ends = [Vec3::ZERO; 2];
            for i in 0..3 {
                let (a, b) = (corners[i] as usize, corners[(i + 1) % 3] as usize);
                if (levels[a] < at) == (levels[b] < at) {
                    continue;
                }
                let t = ((value - values[a]) / (values[b] - values[a])).clamp(0.0, 1.0);
                ends[usize::from(levels[b] < at)] = graph.positions[a].lerp(graph.positions[b], t);
            }
            crossings.push(Crossing { level: at, triangle: t as u32, ends, is_continued: true });
        }
    }
    first_of_triangle.push(crossings.len() as u32);
    (crossings, first_of_triangle)
}

/// Joins crossings that meet on an edge, level by level, and marks those that nothing continues.
fn join_curves(
    graph: &MeshGraph,
    levels: &[u32],
    crossings: &mut [Crossing],
    first_of_triangle: &[u32],
) -> UnionFind {
    let mut curves = UnionFind::new(crossings.len());
    let mut edges: Vec<CrossedEdge> = Vec::with_capacity(crossings.len() * 2);
    // `[W]`: the last of the edges that are kept at each vertex.
    let mut last_at = vec![NONE; graph.len()];
    for (corners, ends) in graph.triangles.iter().zip(first_of_triangle.windows(2)) {
        if ends[0] == ends[1] {
            continue;
        }
        let lowest = crossings[ends[0] as usize].level - 1;
        for (u, v) in [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (corners[i], corners[j])) {
            let (lu, lv) = (levels[u as usize], levels[v as usize]);
            let (first, n) = (ends[0] + lu.min(lv) - lowest, lu.abs_diff(lv));
            if n == 0 {
                continue;
            }
            // Kept at the end with fewer triangles, so that a hub of many spokes is not searched for each of them.
            let order = |v: u32| (graph.triangles_at(v).len(), v);
            let (at, end) = if order(u) < order(v) { (u, v) } else { (v, u) };
            let mut place = last_at[at as usize];
            while place != NONE && edges[place as usize].end != end {
                place = edges[place as usize].before;
            }
            if place == NONE {
                let before = std::mem::replace(&mut last_at[at as usize], edges.len() as u32);
                edges.push(CrossedEdge { end, before, first, n, is_alone: true });
                continue;
            }
            let edge = &mut edges[place as usize];
            edge.is_alone = false;
            for i in 0..n {
                curves.union(edge.first + i, first + i);
            }
        }
    }
    for edge in edges.iter().filter(|edge| edge.is_alone) {
        for crossing in &mut crossings[edge.first as usize..(edge.first + edge.n) as usize] {
            crossing.is_continued = false;
        }
    }
    curves
}

/// Stands for the place of an edge that is not there.
const NONE: u32 = u32::MAX;

/// An edge as the first triangle at it shows it.
struct CrossedEdge {
    /// The end that it is not kept at.
    end: u32,
    /// The edge kept at the same vertex before it.
    before: u32,
    /// That triangle's crossing with the lowest level that the edge has.
    first: u32,
    /// Levels that the edge crosses.
    n: u32,
    is_alone: bool,
}

/// Puts `crossings` into `segments` curve by curve, as `curves` (level and first crossing) come, rising in each. Returns
/// where each curve's begin.
fn deal(
    curves: &[(u32, u32)],
    curve_of: &[u32],
    crossings: &[Crossing],
    segments: &mut Vec<Crossing>,
) -> Vec<u32> {
    let mut place = vec![0_u32; curve_of.len()];
    for (id, &(_, first)) in (0..).zip(curves) {
        place[first as usize] = id;
    }
    let id_of = |c: usize| place[curve_of[c] as usize] as usize;
    let mut offsets = vec![0_u32; curves.len() + 1];
    for c in 0..crossings.len() {
        offsets[id_of(c) + 1] += 1;
    }
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut next = offsets.clone();
    let mut order = vec![0_u32; crossings.len()];
    for c in 0..crossings.len() {
        let at = &mut next[id_of(c)];
        order[*at as usize] = c as u32;
        *at += 1;
    }
    segments.extend(order.into_iter().map(|c| crossings[c as usize]));
    offsets
}

/// Pairs of level and member by rising level, in their order within one: there are few levels, so they are counted.
fn by_level(members: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let n_levels = members.iter().map(|m| m.0 as usize + 1).max().unwrap_or(0);
    let mut next = vec![0_usize; n_levels + 1];
    for &(level, _) in members {
        next[level as usize + 1] += 1;
    }
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    let mut sorted = vec![(0, 0); members.len()];
    for &member in members {
        let at = &mut next[member.0 as usize];
        sorted[*at] = member;
        *at += 1;
    }
    sorted
}

/// Joins what lies in one band: vertices, and the upper and lower sides of crossings. Vertex v is number v, the lower
/// side of crossing c is V + 2c, its upper side V + 2c + 1.
fn join_bands(
    graph: &MeshGraph,
    levels: &[u32],
    crossings: &[Crossing],
    first_of_triangle: &[u32],
) -> UnionFind {
    let n = levels.len() as u32;
    let mut pieces = UnionFind::new(levels.len() + 2 * crossings.len());
    for (t, &corners) in graph.triangles.iter().enumerate() {
        let Some((low, high)) = span(corners, levels) else { continue };
        if low == high {
            let [a, b, c] = corners;
            pieces.union(a, b);
            pieces.union(a, c);
            continue;
        }
        // The part of a triangle in one band is convex, so everything that touches it is connected.
        for band in low..=high {
            let lower = (band < high).then(|| n + 2 * (first_of_triangle[t] + band - low));
            let upper = (band > low).then(|| n + 2 * (first_of_triangle[t] + band - low - 1) + 1);
            let own = corners.into_iter().filter(|&v| levels[v as usize] == band);
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
                let slice = sets.slice(contour);
                assert!((slice.width / 0.4 - 1.0).abs() < 0.05);
                assert!((slice.flatness - 1.0).abs() < 0.05);
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
        assert!(sets.contours.iter().all(|c| sets.slice(c).flatness > 5.0));
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
