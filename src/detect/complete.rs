//! From the far part to the whole appendage (spec 1.4, "Completing the region").
//!
//! "Far" stops short of the skeleton, so the root of an appendage, and what of it passes near a leg, is missing. A shell
//! that is not the body is taken whole. Skin welded to the body is followed from the tip: contours of equal geodesic
//! distance run round a tail and stay about as long as each other until the front meets the body, where every step
//! makes them longer by as much as a circle grows: the neck.

use glam::Vec3;

use super::far_part::{FarPart, marked};
use super::scene::Scene;
use super::shell::own_shell;
use crate::geometry::{Band, Contour, LevelCuts, LevelSets, MeshGraph, Patch, geodesic};
use crate::math::stats::median;

/// An appendage with its root.
#[derive(Clone, Debug, Default)]
pub(super) struct Completed {
    /// Welded vertices, sorted.
    pub vertices: Vec<u32>,
    /// Welded vertices of the ring it hangs by, sorted: just outside of welded skin, the root end of a shell.
    pub collar: Vec<u32>,
    pub collar_center: Vec3,
    pub is_own_shell: bool,
    /// The skin by itself, where it was looked at already; more may have joined it since.
    pub patch: Option<Patch>,
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

/// How far past the far part the neck is looked for, as shares of the height: most stand close to it, and a small patch
/// is measured quickly.
const MARGINS: [f32; 5] = [0.02, 0.05, 0.12, 0.24, 0.48];

/// Margins up to this are believed only where they show all that the front looked at, and so say what wider ones would.
const WARY_MARGIN: f32 = 0.06;

/// How far past the certain part alone it is looked for first, where that is less; believed likewise.
const CORE_MARGIN: f32 = 0.12;

/// Completes `far`.
pub(super) fn complete(scene: &Scene, far: &FarPart) -> Completed {
    let Some(&first) = far.vertices.first() else { return Completed::default() };
    let shell = scene.topology.shell_of[first as usize];
    if !scene.is_body(shell) {
        return own_shell(scene, scene.shell(shell).to_vec());
    }
    if let Some(found) = tip_of(scene, far).and_then(|tip| grow(scene, far, tip)) {
        return found;
    }
    // No neck anywhere: it stays what it was found as.
    let (vertices, collar) = (far.vertices.clone(), far.collar.clone());
    let collar_center = super::far_part::mean(scene, &collar);
    Completed { vertices, collar, collar_center, ..Completed::default() }
}

/// The skin about a tip, with the distance from it.
pub(super) struct About {
    pub tip: u32,
    /// `[W]` in metres; infinite outside.
    pub from_tip: Vec<f32>,
    /// The vertices inside, sorted.
    pub members: Vec<u32>,
}

impl About {
    /// The skin about `tip` that is `from_tip` of it. Cost: O(W).
    pub fn new(tip: u32, from_tip: Vec<f32>) -> Self {
        let is_reached = |v: &u32| from_tip[*v as usize].is_finite();
        let members = (0..from_tip.len() as u32).filter(is_reached).collect();
        Self { tip, from_tip, members }
    }

    /// Whether the skin goes on outside at `v`.
    fn is_rim(&self, graph: &MeshGraph, v: u32) -> bool {
        graph.around(v).any(|u| self.from_tip[u as usize].is_infinite())
    }
}

/// The vertex of a far part that is farthest from its collar along it.
fn tip_of(scene: &Scene, far: &FarPart) -> Option<u32> {
    let mut inside = [far.vertices.as_slice(), &far.collar].concat();
    inside.sort_unstable();
    inside.dedup();
    let patch = Patch::new(&scene.topology.graph, inside);
    let at = |v: u32| patch.local(v).unwrap_or_default();
    let seeds: Vec<(u32, f32)> = far.collar.iter().map(|&v| (at(v), 0.0)).collect();
    let g = geodesic::distances(&patch.graph, &seeds);
    let from_collar = |v: u32| g[at(v) as usize];
    far.vertices
        .iter()
        .copied()
        .max_by(|&a, &b| from_collar(a).total_cmp(&from_collar(b)).then(b.cmp(&a)))
}

/// Follows welded skin from the tip of `far` to its neck; `None` where the skin ends at the widest margin past the far
/// part before one is met.
fn grow(scene: &Scene, far: &FarPart, tip: u32) -> Option<Completed> {
    let graph = &scene.topology.graph;
    let is_far = marked(graph.len(), &far.vertices);
    // Far skin may hold a belly beside the tail; only its upper half is the tail for certain.
    let peak = far.vertices.iter().map(|&v| scene.distance(v)).fold(0.0, f32::max);
    let certain = (scene.far_m() + peak) * 0.5;
    let is_certain = |&v: &u32| scene.distance(v) >= certain;
    let core: Vec<u32> = far.vertices.iter().copied().filter(is_certain).collect();
    let is_core = marked(graph.len(), &core);
    let mut walk = geodesic::Walk::new(graph, tip).peekable();
    let mut from_tip = vec![f32::INFINITY; graph.len()];
    let (mut reached, mut cuts) = (Vec::new(), LevelCuts::new(graph));
    let mut look = |is_wanted: &[bool], n_wanted: usize, share: f32, is_wary: bool| {
        let margin = share * scene.height();
        let wanted = reached.iter().rev().find(|&&v: &&u32| is_wanted[v as usize]);
        let mut last: f32 = wanted.map_or(0.0, |&v| from_tip[v as usize]);
        let goes_on = |v: u32, d: f32, last: f32| is_wanted[v as usize] || d <= last + margin;
        while let Some((v, d)) = walk.next_if(|&(v, d)| goes_on(v, d, last)) {
            if is_wanted[v as usize] {
                last = d;
            }
            from_tip[v as usize] = d;
            reached.push(v);
        }
        if reached.iter().filter(|&&v| is_wanted[v as usize]).count() < n_wanted {
            return None;
        }
        let about = About::new(tip, from_tip.clone());
        let cut = |step| cuts.sets(&reached, &from_tip, step);
        follow(scene, &core, &is_core, &about, is_wary, cut)
    };
    // Where much of what is far lies beyond the neck, as a belly beside a tail, the front is seen to end close to the
    // certain part. Else past all of the far part: a dinosaur's tail is four times as thick at its root as in the middle.
    let place = scene.position(tip);
    let reach = |vertices: &[u32]| {
        vertices.iter().map(|&v| scene.position(v).distance(place)).fold(0.0, f32::max)
    };
    let is_less = reach(&core) + CORE_MARGIN * scene.height() < reach(&far.vertices);
    let near_core = if is_less { look(&is_core, core.len(), CORE_MARGIN, true) } else { None };
    near_core
        .or_else(|| MARGINS.iter().find_map(|&share| look(&is_far, 0, share, share <= WARY_MARGIN)))
}

/// Follows the skin about a tip to its neck from a core that is the appendage's for certain; `None` where the rim is met
/// before one, or, for one that `is_wary`, cuts what the front looks at. `cut` gives the level sets of a step.
fn follow(
    scene: &Scene,
    core: &[u32],
    is_core: &[bool],
    about: &About,
    is_wary: bool,
    cut: impl FnOnce(f32) -> LevelSets,
) -> Option<Completed> {
    let graph = &scene.topology.graph;
    let from_tip = |v: u32| about.from_tip[v as usize];
    let sure = || core.iter().copied().filter(|&v| from_tip(v).is_finite());
    // A third of the usual radius: fine enough to see the neck, coarse enough to be cheap.
    let farthest = sure().map(from_tip).fold(0.0, f32::max);
    let length = farthest - sure().map(from_tip).fold(f32::INFINITY, f32::min);
    let area: f32 = sure().map(|v| scene.area(v)).sum();
    let typical = area / length.max(f32::MIN_POSITIVE) / std::f32::consts::TAU;
    let step = (typical * 0.33).clamp(0.004 * scene.height(), 0.03 * scene.height());
    let mut whole_m = f32::INFINITY;
    if is_wary {
        // What crosses a level below the lowest vertex at the rim lies inside as a whole: all of the core has to.
        let at_rim = about.members.iter().copied().filter(|&v| about.is_rim(graph, v));
        whole_m = at_rim.map(from_tip).fold(f32::INFINITY, f32::min);
        if farthest >= whole_m {
            return None;
        }
    }
    let sets = cut(step);
    let mut front = Front::new(scene, about, &sets, is_core);
    front.whole_levels = (whole_m / sets.step) as u32;
    front.follow()
}

/// The band on the other side of a contour.
fn across(contour: &Contour, band: u32) -> u32 {
    if contour.above == band { contour.below } else { contour.above }
}

/// A front that goes over the skin about a tip.
pub(super) struct Front<'a> {
    scene: &'a Scene<'a>,
    about: &'a About,
    /// Of the distance from the tip.
    sets: &'a LevelSets,
    /// `[W]`: whether each vertex is the appendage's for certain.
    is_core: &'a [bool],
    /// The highest level that may be looked at.
    whole_levels: u32,
}

impl<'a> Front<'a> {
    pub fn new(
        scene: &'a Scene<'a>,
        about: &'a About,
        sets: &'a LevelSets,
        is_core: &'a [bool],
    ) -> Self {
        Self { scene, about, sets, is_core, whole_levels: u32::MAX }
    }

    /// The bands reached from the tip over accepted contours, up to the neck; `None` where the rim was met before one.
    pub fn follow(&self) -> Option<Completed> {
        let sets = self.sets;
        let usual = self.usual_length();
        let mut came_by: Vec<Option<u32>> = vec![None; sets.bands.len()];
        let mut is_in = vec![false; sets.bands.len()];
        let start = sets.band_of[self.about.tip as usize];
        is_in[start as usize] = true;
        // In the order reached: each band after the one it was reached from.
        let mut reached = vec![start];
        let mut necks: Vec<u32> = Vec::new();
        let mut next_open = 0;
        while let Some(&band) = reached.get(next_open) {
            next_open += 1;
            let here = self.seen(band)?;
            for &c in here.above.iter().chain(&here.below) {
                let contour = &sets.contours[c as usize];
                let next = across(contour, band);
                if is_in[next as usize] {
                    continue;
                }
                if self.accepts(contour, band, &came_by, usual)? {
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
        if reached.iter().any(|&band| is_in[band as usize] && self.is_at_rim(band)) {
            return None;
        }
        let neck = necks
            .iter()
            .copied()
            .min_by(|&a, &b| self.depth(a).total_cmp(&self.depth(b)).then(a.cmp(&b)));
        match neck {
            Some(neck) => Some(self.cut(&is_in, neck)),
            // All of the skin was taken: nothing of it is body.
            None => Some(own_shell(self.scene, self.about.members.clone())),
        }
    }

    /// Whether the skin of a band goes on outside.
    fn is_at_rim(&self, band: u32) -> bool {
        let graph = &self.scene.topology.graph;
        self.sets.bands[band as usize].vertices.iter().any(|&v| self.about.is_rim(graph, v))
    }

    /// A band whose contours may be looked at.
    fn seen(&self, band: u32) -> Option<&Band> {
        Some(&self.sets.bands[band as usize]).filter(|band| band.level < self.whole_levels)
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
        let (mut n_core, mut n) = (0, 0);
        for v in self.sets.corners(contour) {
            n += 1;
            n_core += u32::from(self.is_core[v as usize]);
        }
        n_core * 2 > n
    }

    /// Whether the front may go on over `contour` from `band`; `None` where that shows only past the rim.
    fn accepts(
        &self,
        contour: &Contour,
        band: u32,
        came_by: &[Option<u32>],
        usual: f32,
    ) -> Option<bool> {
        // The tip itself is round, and grows as a neck does.
        let from_tip = contour.level as f32 * self.sets.step * std::f32::consts::TAU;
        if self.is_in_core(contour) || from_tip < 2.5 * usual {
            return Some(true);
        }
        if self.goes_round_a_bone(contour) {
            return Some(false);
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
        if grows || is_too_long { self.parts_soon(contour, band, usual) } else { Some(true) }
    }

    /// Whether the front, going on over `contour`, soon parts into curves that are each a branch's or a trunk's.
    ///
    /// Where branches meet, the curve round one of them first grows to go round the trunk and the other branch at once,
    /// just as at a neck; but then it parts, into two that are about as long as before and go round no bone. `None` where
    /// the rim comes first.
    fn parts_soon(&self, contour: &Contour, from: u32, usual: f32) -> Option<bool> {
        let usual_radius = usual / std::f32::consts::TAU;
        let mut band = across(contour, from);
        let mut came_by = contour;
        loop {
            let here = self.seen(band)?;
            let onward: Vec<&Contour> = here
                .above
                .iter()
                .chain(&here.below)
                .map(|&c| &self.sets.contours[c as usize])
                .filter(|c| !std::ptr::eq(*c, came_by))
                .collect();
            let [next] = onward[..] else {
                let is_branch =
                    |c: &&Contour| c.length < NECK_RATIO * usual && !self.goes_round_a_bone(c);
                return Some(!onward.is_empty() && onward.iter().all(is_branch));
            };
            // Levels rise on the way, so this ends.
            let way = next.level.abs_diff(contour.level) as f32 * self.sets.step;
            if next.level <= came_by.level
                || way > 5.0 * usual_radius
                || self.goes_round_a_bone(next)
            {
                return Some(false);
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
        let members = self.about.members.iter().copied();
        let vertices: Vec<u32> = members.filter(|&v| is_taken(v)).collect();
        let contour = &self.sets.contours[neck as usize];
        let mut collar: Vec<u32> = self.sets.corners(contour).filter(|&v| !is_taken(v)).collect();
        collar.sort_unstable();
        collar.dedup();
        Completed { vertices, collar, collar_center: contour.center, ..Completed::default() }
    }
}
