//! From the far part to the whole appendage (spec 1.4, "Completing the region").
//!
//! "Far" stops short of the skeleton, so the root of an appendage, and what of it passes near a leg, is missing. A shell
//! that is not the body is taken whole. Skin welded to the body is followed from the tip: contours of equal geodesic
//! distance run round a tail and stay about as long as each other until the front meets the body, where every step
//! makes them longer by as much as a circle grows: the neck.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BinaryHeap;

use glam::Vec3;

use super::far_part::{FarPart, centroid, nearest_share};
use super::scene::Scene;
use crate::geometry::{Contour, LevelSets, Patch};
use crate::math::stats::median;

/// An appendage with its root.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Completed {
    /// Welded vertices, sorted.
    pub vertices: Vec<u32>,
    /// Welded vertices of the ring it hangs by, sorted: just outside of welded skin, the root end of a shell.
    pub collar: Vec<u32>,
    pub collar_center: Vec3,
    pub is_own_shell: bool,
}

/// Growth of a contour's length per length along the skin from which the front has met the body. A cone of half-angle
/// a grows by 2π sin a: this is 40°, past any taper of a tail; flat skin gives 2π.
const NECK_GROWTH: f32 = 4.0;

/// A contour this much longer than the appendage's median one is body, however gently it got there.
const NECK_RATIO: f32 = 2.6;

/// Completes `far`.
pub(super) fn complete(scene: &Scene, far: &FarPart) -> Completed {
    let Some(&first) = far.vertices.first() else { return Completed::default() };
    let shell = scene.topology.shell_of[first as usize];
    if !scene.is_body(shell) {
        return own_shell(scene, scene.shell(shell).to_vec());
    }
    let h = scene.height();
    for radius in [0.12 * h, 0.4 * h] {
        if let Some(found) = grow(scene, far, radius) {
            return found;
        }
    }
    // No neck anywhere: it stays what it was found as.
    let (vertices, collar) = (far.vertices.clone(), far.collar.clone());
    let collar_center = super::far_part::mean(scene, &collar);
    Completed { vertices, collar, collar_center, is_own_shell: false }
}

/// Vertices within `radius` of `core` along edges, the core included, sorted, with whether each is at the rim.
fn surroundings(scene: &Scene, core: &FarPart, radius: f32) -> (Vec<u32>, Vec<u32>) {
    let graph = &scene.topology.graph;
    let mut known: BTreeMap<u32, f32> = BTreeMap::new();
    let mut queue = BinaryHeap::new();
    for &v in &core.collar {
        known.insert(v, 0.0);
        queue.push(Reverse((0_u32, v)));
    }
    let mut rim = Vec::new();
    while let Some(Reverse((bits, v))) = queue.pop() {
        let d = f32::from_bits(bits);
        if known.get(&v).is_some_and(|&k| k < d) {
            continue;
        }
        for &u in graph.neighbors(v) {
            if core.vertices.binary_search(&u).is_ok() {
                continue;
            }
            let reached = d + graph.length(v, u);
            if reached > radius {
                rim.push(v);
                continue;
            }
            let old = known.get(&u).copied().unwrap_or(f32::INFINITY);
            if reached < old {
                known.insert(u, reached);
                queue.push(Reverse((reached.to_bits(), u)));
            }
        }
    }
    let mut all: Vec<u32> = known.into_keys().chain(core.vertices.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    rim.sort_unstable();
    rim.dedup();
    (all, rim)
}

/// Follows welded skin from the tip of `far` to its neck; `None` where the skin ends at the radius before one is met.
fn grow(scene: &Scene, far: &FarPart, radius: f32) -> Option<Completed> {
    let (welded, rim) = surroundings(scene, far, radius);
    let patch = Patch::new(&scene.topology.graph, welded);
    let local = |list: &[u32]| list.iter().filter_map(|&v| patch.local(v)).collect::<Vec<u32>>();
    let core = local(&far.vertices);
    let from_collar = patch.distances_from(&local(&far.collar));
    let tip = core.iter().copied().max_by(|&a, &b| {
        from_collar[a as usize].total_cmp(&from_collar[b as usize]).then(b.cmp(&a))
    })?;
    let from_tip = patch.distances_from(&[tip]);
    let mut is_core = vec![false; patch.welded.len()];
    for &v in &core {
        is_core[v as usize] = true;
    }
    let mut is_rim = vec![false; patch.welded.len()];
    for v in local(&rim) {
        is_rim[v as usize] = true;
    }
    // A third of the usual radius: fine enough to see the neck, coarse enough to be cheap.
    let length = core.iter().map(|&v| from_tip[v as usize]).fold(0.0, f32::max);
    let area: f32 = core.iter().map(|&v| scene.areas[patch.welded[v as usize] as usize]).sum();
    let typical = area / length.max(f32::MIN_POSITIVE) / std::f32::consts::TAU;
    let step = (typical * 0.33).clamp(0.004 * scene.height(), 0.03 * scene.height());
    let sets = LevelSets::new(&patch.graph, &from_tip, step);
    let front = Front { scene, patch: &patch, sets: &sets, is_core: &is_core };
    front.follow(tip, &is_rim)
}

struct Front<'a> {
    scene: &'a Scene<'a>,
    patch: &'a Patch,
    sets: &'a LevelSets,
    is_core: &'a [bool],
}

impl Front<'_> {
    /// Bands reached from the tip over accepted contours.
    fn follow(&self, tip: u32, is_rim: &[bool]) -> Option<Completed> {
        let sets = self.sets;
        let usual = self.usual_length();
        let mut came_by: Vec<Option<u32>> = vec![None; sets.bands.len()];
        let mut is_in = vec![false; sets.bands.len()];
        let start = sets.band_of[tip as usize];
        is_in[start as usize] = true;
        let mut open = vec![start];
        let mut necks: Vec<u32> = Vec::new();
        while let Some(band) = open.pop() {
            if sets.bands[band as usize].vertices.iter().any(|&v| is_rim[v as usize]) {
                return None;
            }
            let here = &sets.bands[band as usize];
            for &c in here.above.iter().chain(&here.below) {
                let contour = &sets.contours[c as usize];
                let next = if contour.above == band { contour.below } else { contour.above };
                if is_in[next as usize] {
                    continue;
                }
                if self.accepts(contour, band, &came_by, usual) {
                    is_in[next as usize] = true;
                    came_by[next as usize] = Some(c);
                    open.push(next);
                } else {
                    necks.push(c);
                }
            }
        }
        let neck = necks
            .iter()
            .copied()
            .min_by(|&a, &b| self.depth(a).total_cmp(&self.depth(b)).then(a.cmp(&b)));
        match neck {
            Some(neck) => Some(self.cut(&is_in, neck)),
            // All of the skin was taken: nothing of it is body.
            None => Some(own_shell(self.scene, self.patch.welded.clone())),
        }
    }

    fn depth(&self, contour: u32) -> f32 {
        self.scene.segments.distance(self.sets.contours[contour as usize].center)
    }

    /// Median length of the contours within the core, leaving out the tip's.
    fn usual_length(&self) -> f32 {
        let mut lengths: Vec<f32> =
            self.sets.contours.iter().filter(|c| self.is_in_core(c)).map(|c| c.length).collect();
        median(&mut lengths)
    }

    /// Whether most of the skin a contour runs through is far.
    fn is_in_core(&self, contour: &Contour) -> bool {
        let corners =
            || contour.triangles.iter().flat_map(|&t| self.patch.graph.triangles[t as usize]);
        let far = corners().filter(|&v| self.is_core[v as usize]).count();
        far * 2 > corners().count()
    }

    /// Whether the front may go on over `contour` from `band`.
    fn accepts(&self, contour: &Contour, band: u32, came_by: &[Option<u32>], usual: f32) -> bool {
        if self.is_in_core(contour) {
            return true;
        }
        let radius = contour.length / std::f32::consts::TAU;
        if self.scene.segments.distance(contour.center) < 0.4 * radius {
            // It lies round a bone.
            return false;
        }
        if usual > 0.0 && contour.length > NECK_RATIO * usual {
            return false;
        }
        // Compare with the contours about half a radius back on the way here; where branches meet, with their sum.
        let mut at = band;
        let mut before = None;
        while let Some(c) = came_by[at as usize] {
            let past = &self.sets.contours[c as usize];
            let siblings: f32 = self.same_side(at, past.level).map(|c| c.length).sum();
            let way = contour.level.abs_diff(past.level) as f32 * self.sets.step;
            before = Some((siblings, way));
            if way >= 0.5 * radius {
                break;
            }
            at = if past.above == at { past.below } else { past.above };
        }
        before
            .is_none_or(|(length, way)| way <= 0.0 || (contour.length - length) / way < NECK_GROWTH)
    }

    /// Contours of a band at a level.
    fn same_side(&self, band: u32, level: u32) -> impl Iterator<Item = &Contour> {
        let band = &self.sets.bands[band as usize];
        band.above
            .iter()
            .chain(&band.below)
            .map(|&c| &self.sets.contours[c as usize])
            .filter(move |c| c.level == level)
    }

    /// The region of the bands taken, with the ring just outside the neck.
    fn cut(&self, is_in: &[bool], neck: u32) -> Completed {
        let is_taken = |v: u32| {
            let band = self.sets.band_of[v as usize];
            band != LevelSets::NO_BAND && is_in[band as usize]
        };
        let vertices: Vec<u32> = (0..self.patch.welded.len() as u32)
            .filter(|&v| is_taken(v))
            .map(|v| self.patch.welded[v as usize])
            .collect();
        let contour = &self.sets.contours[neck as usize];
        let mut collar: Vec<u32> = contour
            .triangles
            .iter()
            .flat_map(|&t| self.patch.graph.triangles[t as usize])
            .filter(|&v| !is_taken(v))
            .map(|v| self.patch.welded[v as usize])
            .collect();
        collar.sort_unstable();
        collar.dedup();
        Completed { vertices, collar, collar_center: contour.center, is_own_shell: false }
    }
}

/// A shell, or several, as one appendage: its root is the end that touches other skin.
pub(super) fn own_shell(scene: &Scene, vertices: Vec<u32>) -> Completed {
    let collar = shell_collar(scene, &vertices);
    let collar_center = centroid(scene, &collar);
    Completed { vertices, collar, collar_center, is_own_shell: true }
}

/// Share of a shell's vertices that stands for its collar.
const COLLAR_SHARE: f32 = 0.05;

fn shell_collar(scene: &Scene, vertices: &[u32]) -> Vec<u32> {
    let is_own = |v: u32| vertices.binary_search(&v).is_ok();
    let gap = |v: u32| scene.gap(scene.position(v), |u| !is_own(u));
    let patch = Patch::new(&scene.topology.graph, vertices.to_vec());
    let farthest = |g: &[f32]| {
        (0..g.len() as u32).max_by(|&a, &b| g[a as usize].total_cmp(&g[b as usize]).then(b.cmp(&a)))
    };
    let from_any = patch.distances_from(&[0]);
    let Some(first) = farthest(&from_any) else { return Vec::new() };
    let from_first = patch.distances_from(&[first]);
    let Some(second) = farthest(&from_first) else { return Vec::new() };
    let length = from_first[second as usize];
    let sets = LevelSets::new(&patch.graph, &from_first, (length / 12.0).max(1e-6));
    let mut widths: Vec<f32> = sets.contours.iter().map(|c| c.width).collect();
    let is_long = length >= 2.5 * median(&mut widths);
    let cap = |g: &[f32]| {
        nearest_share(vertices, COLLAR_SHARE, |v| {
            patch.local(v).map_or(f32::INFINITY, |l| g[l as usize])
        })
    };
    if is_long {
        // Things that grow or hang do so by an end. Which of the two: the one in, or nearer to, other skin; of equals
        // the one nearer the skeleton.
        let ends = [cap(&from_first), cap(&patch.distances_from(&[second]))];
        let score = |end: &[u32]| {
            let n = end.len().max(1) as f32;
            let gaps: f32 = end.iter().map(|&v| gap(v)).sum::<f32>() / n;
            let depth: f32 = end.iter().map(|&v| scene.distance(v)).sum::<f32>() / n;
            gaps + 0.25 * depth
        };
        let [a, b] = ends;
        return if score(&a) <= score(&b) { a } else { b };
    }
    nearest_share(vertices, COLLAR_SHARE, |v| gap(v) + 0.25 * scene.distance(v))
}
