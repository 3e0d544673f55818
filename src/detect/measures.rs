//! The numbers of a completed region (spec 1.5, 8 D2, D3).

use glam::Vec3;

use super::complete::Completed;
use super::far_part::{FarPart, centroid};
use super::scene::Scene;
use crate::geometry::{Band, Contour, LevelSets, MeshGraph, Patch, Slice};
use crate::math::eigen::principal_axes;
use crate::math::stats::{median, percentile};
use crate::model::{NodeIndex, RegionScores};

/// Slices that a region is cut into to see its width and flatness.
const N_SLICES: f32 = 16.0;

/// What is known of a region before it is judged.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub far: FarPart,
    pub whole: Completed,
    /// `margin` and `joint_distance_m` are not filled in yet.
    pub scores: RegionScores,
    pub centroid: Vec3,
    pub axes: [Vec3; 3],
    /// The joint that its collar hangs from by place, see [`Scene::attachment`].
    pub attachment: Option<NodeIndex>,
    pub tips: Vec<Tip>,
    /// Centres and half widths of the slices, root to tip.
    pub middle: Vec<(Vec3, f32)>,
}

/// The end of a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tip {
    pub end: Vec3,
    /// From a tenth of the length before to the end.
    pub direction: Vec3,
    /// Width close to the end over the width a quarter of the length before.
    pub taper: f32,
    /// Width close to the end, in metres.
    pub width: f32,
}

impl Measured {
    /// Measures `whole`. Cost: O(vertices log vertices).
    pub fn new(scene: &Scene, far: FarPart, mut whole: Completed) -> Self {
        let mut welded = whole.vertices.clone();
        welded.extend(&whole.collar);
        welded.sort_unstable();
        welded.dedup();
        let known = whole.patch.take().filter(|patch| patch.welded == welded);
        let patch = known.unwrap_or_else(|| Patch::new(&scene.topology.graph, welded));
        let seeds: Vec<u32> = whole.collar.iter().filter_map(|&v| patch.local(v)).collect();
        let g = patch.distances_from(&seeds);
        let at = |v: u32| patch.local(v).map_or(0.0, |l| g[l as usize]);
        let mut all: Vec<f32> =
            whole.vertices.iter().map(|&v| at(v)).filter(|g| g.is_finite()).collect();
        let length_m = percentile(&mut all, 0.99);
        let sets = LevelSets::new(&patch.graph, &g, (length_m / N_SLICES).max(f32::MIN_POSITIVE));
        let slices = slices(&sets, length_m);
        let shapes: Vec<Slice> = slices.iter().map(|&i| sets.slice(&sets.contours[i])).collect();
        let mut widths: Vec<f32> = shapes.iter().map(|s| s.width).collect();
        let mut flats: Vec<f32> = shapes.iter().map(|s| s.flatness).collect();
        let width = median(&mut widths);
        let points = whole.vertices.iter().map(|&v| (scene.position(v), scene.area(v)));
        let axes = principal_axes(points);
        let [l1, l2, l3] = axes.map_or([0.0; 3], |a| a.eigenvalues);
        let ratio = |a: f32, b: f32| if a > 0.0 { (a / b.max(a * 1e-4)).sqrt() } else { 1.0 };
        let area: f32 = whole.vertices.iter().map(|&v| scene.area(v)).sum();
        let reach_m = whole
            .vertices
            .iter()
            .map(|&v| scene.position(v).distance(whole.collar_center))
            .fold(0.0, f32::max);
        let scores = RegionScores {
            reach_m,
            length_m,
            elongation: ratio(l1, l2),
            length_over_width: if width > 0.0 { length_m / width } else { 0.0 },
            eigenvalues: [l1, l2, l3],
            flatness: ratio(l2, l3),
            slice_flatness: if flats.is_empty() { 1.0 } else { median(&mut flats) },
            centroid_ratio: far.centroid_ratio,
            protrusion: far.protrusion,
            slenderness: far.slenderness,
            area_share: area / scene.total_area.max(f32::MIN_POSITIVE),
            margin: 0.0,
            joint_distance_m: 0.0,
        };
        Self {
            tips: tips(&patch.graph, &sets, &g, length_m),
            middle: slices
                .iter()
                .zip(&shapes)
                .map(|(&i, shape)| (sets.contours[i].center, shape.width * 0.5))
                .collect(),
            scores,
            centroid: axes.map_or_else(|| centroid(scene, &whole.vertices), |a| a.centroid),
            attachment: scene.attachment(whole.collar_center),
            axes: axes.map_or([Vec3::X, Vec3::Y, Vec3::Z], |a| a.axes),
            far,
            whole,
        }
    }
}

/// Contours between the root's and the tip's: those two are cut askew, or round.
fn slices(sets: &LevelSets, length: f32) -> Vec<usize> {
    let within = |range: std::ops::Range<f32>| {
        (0..sets.contours.len())
            .filter(|&i| range.contains(&(sets.contours[i].level as f32 * sets.step / length)))
            .collect::<Vec<_>>()
    };
    let inner = within(0.12..0.93);
    if inner.is_empty() { within(0.0..2.0) } else { inner }
}

/// Ends of branches in the outer half.
fn tips(graph: &MeshGraph, sets: &LevelSets, g: &[f32], length: f32) -> Vec<Tip> {
    let mut tips = Vec::new();
    for band in sets.bands.iter().filter(|b| b.above.is_empty()) {
        let end = band
            .vertices
            .iter()
            .copied()
            .max_by(|&a, &b| g[a as usize].total_cmp(&g[b as usize]).then(b.cmp(&a)));
        let Some(end) = end.filter(|&v| g[v as usize] >= 0.5 * length) else { continue };
        let reach = g[end as usize];
        let back = |share: f32| contour_below(sets, band, reach - share * length);
        let (near, far, before) = (back(0.06), back(0.3), back(0.1));
        let end = graph.positions[end as usize];
        let direction = before.map_or(Vec3::ZERO, |c| (end - c.center).normalize_or_zero());
        let [near, far] = [near, far].map(|c| c.map(|c| sets.slice(c).width));
        let taper = near.zip(far).map_or(1.0, |(n, f)| n / f.max(f32::MIN_POSITIVE));
        let width = near.unwrap_or(0.0);
        tips.push(Tip { end, direction, taper, width });
    }
    tips
}

/// The first contour on the way down from `band` at or below `value`, or the last there is.
fn contour_below<'a>(sets: &'a LevelSets, band: &'a Band, value: f32) -> Option<&'a Contour> {
    let mut at = band;
    let mut found = None;
    // Levels fall on the way, so this ends.
    while let Some(&c) = at.below.first() {
        let contour = &sets.contours[c as usize];
        found = Some(contour);
        if contour.level as f32 * sets.step <= value {
            break;
        }
        at = &sets.bands[contour.below as usize];
    }
    found
}
