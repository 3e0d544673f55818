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

mod cuts;
mod parts;

use glam::{DVec3, Vec3};

pub use self::cuts::LevelCuts;
use self::cuts::bounded;
use super::MeshGraph;
use crate::math::eigen::principal_variances;

/// The curves of equal value between two bands: one, but where the skin closes round a hole two may lie side by side.
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
    /// Its crossings in the order of contours.
    crossings: (u32, u32),
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
    /// Triangle by triangle.
    crossings: Vec<Crossing>,
    /// Contour by contour.
    order: Vec<u32>,
}

/// Where a triangle crosses a level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    corners: [u32; 3],
    /// Where the triangle's outline rises over the level, and where it falls below it again.
    ends: [Vec3; 2],
    /// The parts of the triangle on both sides, see [`Parts`].
    below: u32,
    above: u32,
}

impl LevelSets {
    /// The band of a vertex without a value.
    pub const NO_BAND: u32 = u32::MAX;

    /// Level sets of `values`, `[W]`, at multiples of `step`; values must not be negative.
    ///
    /// Cost: O(W + T + C log C) for C crossings of triangles and levels, O(W + T + C) where edges are shorter than the
    /// step.
    pub fn new(graph: &MeshGraph, values: &[f32], step: f32) -> Self {
        let all: Vec<u32> = (0..values.len() as u32).collect();
        Self::among(graph, &all, values, step)
    }

    /// As [`Self::new`], for values that are finite among `members` (sorted) alone. Cost: as there for these, and O(W).
    pub fn among(graph: &MeshGraph, members: &[u32], values: &[f32], step: f32) -> Self {
        let known = || members.iter().copied().filter(|&v| values[v as usize].is_finite());
        let step = bounded(step, known().map(|v| values[v as usize]));
        let mut cuts = LevelCuts::every(graph, step);
        for v in known() {
            cuts.know(v, values[v as usize]);
        }
        for v in known() {
            // Each triangle once, at its lowest corner.
            for &[a, b] in graph.sides_at(v).iter().filter(|[a, b]| v < *a && v < *b) {
                cuts.cut([v, a, b], values);
            }
        }
        Self::of_cuts(cuts)
    }

    fn of_cuts(cuts: LevelCuts) -> Self {
        let LevelCuts { step, parts, crossings, .. } = cuts;
        let n_vertices = parts.n_vertices();
        let (bands, band_of_part) = parts.into_bands();
        Self::of_bands(step, bands, band_of_part, crossings, n_vertices)
    }

    /// Finds the contours between bands.
    fn of_bands(
        step: f32,
        mut bands: Vec<Band>,
        mut band_of: Vec<u32>,
        crossings: Vec<Crossing>,
        n_vertices: usize,
    ) -> Self {
        let mut contours: Vec<Contour> = Vec::new();
        let mut sums: Vec<(f64, DVec3)> = Vec::new();
        let mut contour_of: Vec<u32> = Vec::with_capacity(crossings.len());
        for crossing in &crossings {
            let [below, above] = [crossing.below, crossing.above].map(|p| band_of[p as usize]);
            // One of two bands may have a thousand others next to it, as skin below tufts, but hardly both.
            let [up, down] = [&bands[below as usize].above, &bands[above as usize].below];
            let is_it = |c: &&u32| {
                let known = &contours[**c as usize];
                known.below == below && known.above == above
            };
            let found = if up.len() < down.len() { up } else { down }.iter().find(is_it).copied();
            let id = found.unwrap_or(contours.len() as u32);
            if found.is_none() {
                bands[below as usize].above.push(id);
                bands[above as usize].below.push(id);
                let center = crossing.ends[0];
                let level = bands[above as usize].level;
                contours.push(Contour {
                    level,
                    length: 0.0,
                    center,
                    below,
                    above,
                    crossings: (0, 0),
                });
                sums.push((0.0, DVec3::ZERO));
            }
            contour_of.push(id);
            let [a, b] = crossing.ends;
            let length = f64::from(a.distance(b));
            let (total, sum) = &mut sums[id as usize];
            *total += length;
            *sum += (a + b).as_dvec3() * (0.5 * length);
            contours[id as usize].crossings.1 += 1;
        }
        for (contour, (total, sum)) in contours.iter_mut().zip(sums) {
            contour.length = total as f32;
            if total > 0.0 {
                contour.center = (sum / total).as_vec3();
            }
        }
        let order = by_contour(&mut contours, &contour_of);
        for band in &mut bands {
            band.above.clear();
            band.below.clear();
        }
        for (id, contour) in (0..).zip(&contours) {
            bands[contour.below as usize].above.push(id);
            bands[contour.above as usize].below.push(id);
        }
        band_of.truncate(n_vertices);
        Self { step, contours, bands, band_of, crossings, order }
    }

    /// Corners of the triangles that a contour runs through, triangle by triangle.
    pub fn corners<'a>(&'a self, contour: &Contour) -> impl Iterator<Item = u32> + use<'a> {
        self.parts(contour).flat_map(|c| c.corners)
    }

    /// The shape of a contour. Cost: O(its crossings).
    pub fn slice(&self, contour: &Contour) -> Slice {
        // Gauss's rule of two points on each segment gives the exact second moments of the polyline.
        let points = self.parts(contour).flat_map(|c| {
            let [a, b] = c.ends;
            let (middle, way) = ((a + b) * 0.5, (b - a) * GAUSS);
            let weight = a.distance(b) * 0.5;
            [(middle - way, weight), (middle + way, weight)]
        });
        let [first, second, _] = principal_variances(points).unwrap_or_default();
        let center = contour.center;
        let (mut way, mut doubled) = (Vec3::ZERO, Vec3::ZERO);
        for c in self.parts(contour) {
            let [a, b] = c.ends;
            way += b - a;
            doubled += (a - center).cross(b - center);
        }
        // Skin of one layer has contours that end elsewhere than they began; they enclose nothing.
        let is_closed = way.length() <= CLOSED * contour.length;
        let area = if is_closed { doubled.length() * 0.5 } else { 0.0 };
        Slice {
            width: (8.0 * first).sqrt(),
            flatness: flatness(contour.length, area, [first, second]),
        }
    }

    fn parts<'a>(
        &'a self,
        contour: &Contour,
    ) -> impl Iterator<Item = &'a Crossing> + Clone + use<'a> {
        let (from, to) = contour.crossings;
        self.order[from as usize..to as usize].iter().map(|&c| &self.crossings[c as usize])
    }
}

/// How far from the middle of a segment the points of Gauss's rule lie, as a share of its length: half of √⅓.
const GAUSS: f32 = 0.288_675_13;

/// Share of its length up to which a curve may end from where it began and still count as closed.
const CLOSED: f32 = 1e-3;

/// Where the outline of a triangle, whose corners are below `value` or not, rises over it and where it falls below it
/// again.
fn ends(
    graph: &MeshGraph,
    values: &[f32],
    (corners, is_below): ([u32; 3], [bool; 3]),
    value: f32,
) -> [Vec3; 2] {
    // Both lie on the sides of the corner that is alone on its side of the value: the one it ends and the one it starts.
    let alone = odd_one(is_below);
    let at = |i: usize| {
        let [u, v] = [corners[i] as usize, corners[(i + 1) % 3] as usize];
        let t = ((value - values[u]) / (values[v] - values[u])).clamp(0.0, 1.0);
        graph.positions[u].lerp(graph.positions[v], t)
    };
    let (into, out) = (at((alone + 2) % 3), at(alone));
    if is_below[alone] { [out, into] } else { [into, out] }
}

/// Which of three, two of which are equal, is the third.
fn odd_one<T: PartialEq>([a, b, c]: [T; 3]) -> usize {
    if b == c {
        0
    } else if a == c {
        1
    } else {
        2
    }
}

/// Sorts contours by level and their crossings by contour; returns the latter's order.
fn by_contour(contours: &mut Vec<Contour>, contour_of: &[u32]) -> Vec<u32> {
    let mut by_level: Vec<u32> = (0..contours.len() as u32).collect();
    by_level.sort_by_key(|&c| contours[c as usize].level);
    let mut next = vec![0; contours.len()];
    let mut first = 0;
    *contours = by_level
        .iter()
        .map(|&c| {
            let contour = contours[c as usize];
            let end = first + contour.crossings.1;
            next[c as usize] = first;
            Contour { crossings: (std::mem::replace(&mut first, end), end), ..contour }
        })
        .collect();
    let mut order = vec![0; contour_of.len()];
    for (crossing, &c) in (0..).zip(contour_of) {
        let at = &mut next[c as usize];
        order[*at as usize] = crossing;
        *at += 1;
    }
    order
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
    fn skin_that_is_reached_bit_by_bit_has_the_level_sets_of_all_of_it() {
        let (positions, triangles) = tube(12, 30, 0.2, 0.2, Vec3::ZERO);
        let graph = MeshGraph::new(positions, triangles);
        let values = heights(&graph);
        // Not in the order of their numbers, as by a front that goes down.
        let reached: Vec<u32> = (0..graph.len() as u32).rev().collect();
        let mut cuts = LevelCuts::new(&graph);
        for (n, step) in [(100, 0.2), (150, 0.13), (151, 0.13), (graph.len(), 0.13)] {
            let mut some = vec![f32::INFINITY; graph.len()];
            let mut members = reached[..n].to_vec();
            members.sort_unstable();
            for &v in &members {
                some[v as usize] = values[v as usize];
            }
            let found = cuts.sets(&reached[..n], &some, step);
            let wanted = LevelSets::among(&graph, &members, &some, step);
            assert_eq!((&found.bands, &found.band_of), (&wanted.bands, &wanted.band_of));
            assert_eq!(found.contours.len(), wanted.contours.len());
            for (a, b) in found.contours.iter().zip(&wanted.contours) {
                assert_eq!((a.level, a.below, a.above), (b.level, b.below, b.above));
                assert!((a.length - b.length).abs() < 1e-6 && a.center.distance(b.center) < 1e-6);
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
    fn skin_of_one_layer_encloses_nothing_however_it_is_bent() {
        let n = 24;
        let (positions, mut triangles) = tube(n, 5, 0.2, 0.2, Vec3::ZERO);
        triangles.retain(|t| t.iter().all(|v| v % n <= n / 2));
        let graph = MeshGraph::new(positions, triangles);
        let sets = LevelSets::new(&graph, &heights(&graph), 0.3);
        assert_eq!(sets.contours.len(), 3);
        assert!(sets.contours.iter().all(|c| sets.slice(c).flatness > 99.0));
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
        let members: Vec<u32> = (0..graph.len() as u32).filter(|&v| v != 3).collect();
        assert_eq!(LevelSets::among(&graph, &members, &values, 0.3), sets);
    }
}
