//! From the far part to the whole appendage (spec 1.4, "Completing the region").
//!
//! "Far" stops short of the skeleton, so the root of an appendage, and what of it passes near a leg, is missing. A shell
//! that is not the body is taken whole. Skin welded to the body is followed from the tip: contours of equal geodesic
//! distance run round a tail and stay about as long as each other until the front meets the body, where every step
//! makes them longer by as much as a circle grows: the neck.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec3;

use super::far_part::{FarPart, centroid, nearest_share};
use super::scene::Scene;
use crate::geometry::{Contour, LevelSets, MeshGraph, Patch};
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

/// Growth from which a contour before the neck counts as body already.
const FIRST_GROWTH: f32 = 2.0;

/// A contour this much longer than the appendage's median one is body, however gently it got there.
///
/// A dinosaur's tail is nearly four times as thick at its root as in the middle: with 2.6 a third of the kaiju's was
/// left behind (recall 0.66); with 3.7 recall is 0.963 at precision 1, with 6 precision falls to 0.91.
const NECK_RATIO: f32 = 3.7;

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

/// Vertices within `radius` of `core`, whose neighbours are `border`, along edges, the core included, and those of them
/// at the rim; both sorted.
pub(super) fn surroundings(
    graph: &MeshGraph,
    core: &[u32],
    border: &[u32],
    radius: f32,
) -> (Vec<u32>, Vec<u32>) {
    let mut known = vec![f32::INFINITY; graph.len()];
    let mut is_core = vec![false; graph.len()];
    for &v in core {
        is_core[v as usize] = true;
    }
    let mut queue = BinaryHeap::new();
    let mut all = core.to_vec();
    for &v in border {
        known[v as usize] = 0.0;
        queue.push(Reverse((0_u32, v)));
        all.push(v);
    }
    let mut rim = Vec::new();
    // Bits of non-negative floats sort as the floats do.
    while let Some(Reverse((bits, v))) = queue.pop() {
        let d = f32::from_bits(bits);
        if known[v as usize] < d {
            continue;
        }
        for &u in graph.neighbors(v) {
            let reached = d + graph.length(v, u);
            let old = known[u as usize];
            if is_core[u as usize] || reached >= old {
                continue;
            }
            if reached > radius {
                rim.push(v);
                continue;
            }
            if old == f32::INFINITY {
                all.push(u);
            }
            known[u as usize] = reached;
            queue.push(Reverse((reached.to_bits(), u)));
        }
    }
    for list in [&mut all, &mut rim] {
        list.sort_unstable();
        list.dedup();
    }
    (all, rim)
}

/// Follows welded skin from the tip of `far` to its neck; `None` where the skin ends at the radius before one is met.
fn grow(scene: &Scene, far: &FarPart, radius: f32) -> Option<Completed> {
    let (welded, rim) = surroundings(&scene.topology.graph, &far.vertices, &far.collar, radius);
    let patch = Patch::new(&scene.topology.graph, welded);
    let local = |list: &[u32]| list.iter().filter_map(|&v| patch.local(v)).collect::<Vec<u32>>();
    let core = local(&far.vertices);
    let from_collar = patch.distances_from(&local(&far.collar));
    let tip = core.iter().copied().max_by(|&a, &b| {
        from_collar[a as usize].total_cmp(&from_collar[b as usize]).then(b.cmp(&a))
    })?;
    let from_tip = patch.distances_from(&[tip]);
    // Far skin may hold a belly beside the tail; only its upper half is the tail for certain.
    let peak = far.vertices.iter().map(|&v| scene.distance(v)).fold(0.0, f32::max);
    let certain = (scene.far_m() + peak) * 0.5;
    let mut is_core = vec![false; patch.welded.len()];
    for &v in &core {
        is_core[v as usize] = scene.distance(patch.welded[v as usize]) >= certain;
    }
    let mut is_rim = vec![false; patch.welded.len()];
    for v in local(&rim) {
        is_rim[v as usize] = true;
    }
    // A third of the usual radius: fine enough to see the neck, coarse enough to be cheap.
    let sure: Vec<u32> = core.iter().copied().filter(|&v| is_core[v as usize]).collect();
    let reach = |worst: f32, pick: fn(f32, f32) -> f32| {
        sure.iter().map(|&v| from_tip[v as usize]).fold(worst, pick)
    };
    let length = reach(0.0, f32::max) - reach(f32::INFINITY, f32::min);
    let area: f32 = sure.iter().map(|&v| scene.areas[patch.welded[v as usize] as usize]).sum();
    let typical = area / length.max(f32::MIN_POSITIVE) / std::f32::consts::TAU;
    let step = (typical * 0.33).clamp(0.004 * scene.height(), 0.03 * scene.height());
    let sets = LevelSets::new(&patch.graph, &from_tip, step);
    let front = Front { scene, patch: &patch, sets: &sets, is_core: &is_core };
    front.follow(tip, &is_rim)
}

/// The band on the other side of a contour.
fn across(contour: &Contour, band: u32) -> u32 {
    if contour.above == band { contour.below } else { contour.above }
}

/// A front that goes over the skin of a patch from a tip.
pub(super) struct Front<'a> {
    pub scene: &'a Scene<'a>,
    pub patch: &'a Patch,
    /// Of the distance from the tip.
    pub sets: &'a LevelSets,
    /// `[P]`: whether each vertex is the appendage's for certain.
    pub is_core: &'a [bool],
}

impl Front<'_> {
    /// The bands reached from `tip` over accepted contours, up to the neck; `None` where the rim was met before one.
    pub fn follow(&self, tip: u32, is_rim: &[bool]) -> Option<Completed> {
        let sets = self.sets;
        let usual = self.usual_length();
        let mut came_by: Vec<Option<u32>> = vec![None; sets.bands.len()];
        let mut is_in = vec![false; sets.bands.len()];
        let start = sets.band_of[tip as usize];
        is_in[start as usize] = true;
        // In the order reached: each band after the one it was reached from.
        let mut reached = vec![start];
        let mut necks: Vec<u32> = Vec::new();
        let mut next_open = 0;
        while let Some(&band) = reached.get(next_open) {
            next_open += 1;
            let here = &sets.bands[band as usize];
            for &c in here.above.iter().chain(&here.below) {
                let contour = &sets.contours[c as usize];
                let next = across(contour, band);
                if is_in[next as usize] {
                    continue;
                }
                if self.accepts(contour, band, &came_by, usual) {
                    is_in[next as usize] = true;
                    came_by[next as usize] = Some(c);
                    reached.push(next);
                } else {
                    necks.push(self.retracted(c, band, &came_by));
                }
            }
        }
        // What was reached over a neck that was drawn back is given up.
        for &band in &reached {
            if let Some(c) = came_by[band as usize] {
                let from = across(&sets.contours[c as usize], band);
                is_in[band as usize] = is_in[from as usize] && !necks.contains(&c);
            }
        }
        let is_at_rim = |band: &u32| {
            is_in[*band as usize]
                && sets.bands[*band as usize].vertices.iter().any(|&v| is_rim[v as usize])
        };
        if reached.iter().any(is_at_rim) {
            return None;
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

    /// The neck that a refused contour tells of: the last contour before lengths began to grow. The front notices only
    /// when it has grown over a radius; what lies between is body.
    fn retracted(&self, refused: u32, from: u32, came_by: &[Option<u32>]) -> u32 {
        let mut neck = refused;
        let mut band = from;
        while let Some(before) = came_by[band as usize] {
            let (late, early) =
                (&self.sets.contours[neck as usize], &self.sets.contours[before as usize]);
            let growth = (late.length - early.length) / self.sets.step;
            if growth < FIRST_GROWTH || self.is_in_core(late) {
                break;
            }
            neck = before;
            band = across(early, band);
        }
        neck
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

    /// Whether most of the skin a contour runs through is certainly the appendage's.
    fn is_in_core(&self, contour: &Contour) -> bool {
        let corners =
            || contour.triangles.iter().flat_map(|&t| self.patch.graph.triangles[t as usize]);
        let far = corners().filter(|&v| self.is_core[v as usize]).count();
        far * 2 > corners().count()
    }

    /// Whether the front may go on over `contour` from `band`.
    fn accepts(&self, contour: &Contour, band: u32, came_by: &[Option<u32>], usual: f32) -> bool {
        // The tip itself is round, and grows as a neck does.
        let from_tip = contour.level as f32 * self.sets.step * std::f32::consts::TAU;
        if self.is_in_core(contour) || from_tip < 2.5 * usual {
            return true;
        }
        if self.goes_round_a_bone(contour) {
            return false;
        }
        // Compare with the contour about a radius back on the way here.
        let radius = contour.length / std::f32::consts::TAU;
        let mut at = band;
        let mut before = None;
        while let Some(c) = came_by[at as usize] {
            let past = &self.sets.contours[c as usize];
            let way = contour.level.abs_diff(past.level) as f32 * self.sets.step;
            before = Some((past.length, way));
            if way >= 0.9 * radius {
                break;
            }
            at = across(past, at);
        }
        let grows = before.is_some_and(|(length, way)| {
            way > 0.0 && (contour.length - length) / way >= NECK_GROWTH
        });
        let is_too_long = usual > 0.0 && contour.length > NECK_RATIO * usual;
        !(grows || is_too_long) || self.parts_soon(contour, band, usual)
    }

    /// Whether the front, going on over `contour`, soon parts into curves that are each a branch's or a trunk's.
    ///
    /// Where branches meet, the curve round one of them first grows to go round the trunk and the other branch at once,
    /// just as at a neck; but then it parts, into two that are about as long as before and go round no bone.
    fn parts_soon(&self, contour: &Contour, from: u32, usual: f32) -> bool {
        let usual_radius = usual / std::f32::consts::TAU;
        let mut band = across(contour, from);
        let mut came_by = contour;
        loop {
            let here = &self.sets.bands[band as usize];
            let onward: Vec<&Contour> = here
                .above
                .iter()
                .chain(&here.below)
                .map(|&c| &self.sets.contours[c as usize])
                .filter(|c| !std::ptr::eq(*c, came_by))
                .collect();
            let [next] = onward[..] else {
                return !onward.is_empty()
                    && onward
                        .iter()
                        .all(|c| c.length < NECK_RATIO * usual && !self.goes_round_a_bone(c));
            };
            // Levels rise on the way, so this ends.
            let way = next.level.abs_diff(contour.level) as f32 * self.sets.step;
            if next.level <= came_by.level
                || way > 5.0 * usual_radius
                || self.goes_round_a_bone(next)
            {
                return false;
            }
            band = across(next, band);
            came_by = next;
        }
    }

    fn goes_round_a_bone(&self, contour: &Contour) -> bool {
        let radius = contour.length / std::f32::consts::TAU;
        self.scene.segments.distance(contour.center) < 0.4 * radius
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

/// Ends of a shell that are looked at: more have the tufts of a ragged hem.
const MOST_ENDS: usize = 6;

/// Share of an end's vertices that must lie inside other skin for it to be rooted there.
const ROOTED_SHARE: f32 = 0.2;

/// Share of a shell's vertices that stands for its collar.
const COLLAR_SHARE: f32 = 0.05;

fn shell_collar(scene: &Scene, vertices: &[u32]) -> Vec<u32> {
    let is_own = |v: u32| vertices.binary_search(&v).is_ok();
    let gap = |v: u32| scene.gap(scene.position(v), |u| !is_own(u) && scene.is_body_skin(u));
    let patch = Patch::new(&scene.topology.graph, vertices.to_vec());
    let farthest = |g: &[f32]| {
        (0..g.len() as u32).max_by(|&a, &b| g[a as usize].total_cmp(&g[b as usize]).then(b.cmp(&a)))
    };
    // From the vertex farthest from the skeleton, so that numbering does not matter.
    let depths: Vec<f32> = patch.welded.iter().map(|&v| scene.distance(v)).collect();
    let Some(start) = farthest(&depths) else { return Vec::new() };
    let Some(first) = farthest(&patch.distances_from(&[start])) else { return Vec::new() };
    let from_first = patch.distances_from(&[first]);
    let length = from_first.iter().copied().filter(|g| g.is_finite()).fold(0.0, f32::max);
    let sets = LevelSets::new(&patch.graph, &from_first, (length / 12.0).max(1e-6));
    let mut widths: Vec<f32> = sets.contours.iter().map(|c| c.width).collect();
    let is_long = length >= 2.5 * median(&mut widths);
    let cap = |g: &[f32]| {
        nearest_share(vertices, COLLAR_SHARE, |v| {
            patch.local(v).map_or(f32::INFINITY, |l| g[l as usize])
        })
    };
    if is_long {
        // Things that grow or hang do so by an end (a fork has three). Which of them: the one in, or nearest to, other
        // skin; of equals the one nearest the skeleton. An end in the head wins over any other: what grows there falls,
        // and its tip may well come to lie in the back, in a tail or in a horse's rump; what grows from the pelvis may
        // reach up to the head, but does not end in it.
        let others = sets.bands.iter().filter(|b| b.above.is_empty()).filter_map(|b| {
            let top = b.vertices.iter().copied().max_by(|&x, &y| {
                from_first[x as usize].total_cmp(&from_first[y as usize]).then(y.cmp(&x))
            });
            top.filter(|&v| from_first[v as usize] > 0.4 * length)
        });
        let mut ends = vec![cap(&from_first)];
        ends.extend(others.take(MOST_ENDS).map(|end| cap(&patch.distances_from(&[end]))));
        let on_head =
            |end: &[u32]| scene.attachment(centroid(scene, end)).is_some_and(|a| scene.is_head(a));
        let inside = |end: &[u32]| end.iter().filter(|&&v| gap(v) <= 0.0).count() as f32;
        let is_rooted = |end: &[u32]| inside(end) >= ROOTED_SHARE * end.len() as f32;
        if let Some(hair) = ends.iter().find(|end| on_head(end) && is_rooted(end)) {
            return hair.clone();
        }
        let score = |end: &[u32]| {
            let n = end.len().max(1) as f32;
            let gaps: f32 = end.iter().map(|&v| gap(v)).sum::<f32>() / n;
            let depth: f32 = end.iter().map(|&v| scene.distance(v)).sum::<f32>() / n;
            gaps + 0.5 * depth
        };
        return ends
            .into_iter()
            .map(|end| (score(&end), end))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, end)| end)
            .unwrap_or_default();
    }
    nearest_share(vertices, COLLAR_SHARE, |v| gap(v) + 0.25 * scene.distance(v))
}
