//! The colours over the skin: worked out once for a change, stretch once for a pose. Of many vertices workers do it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::command::{Changes, Overlay, Selection};
use super::compare::Way;
use super::jobs::{JobKind, discard};
use super::scene::{Heat, HeatScale, Paint, Shading, is_heavy, region_paint};
use super::shade::{Legend, Shade};
use super::state::{Outcome, Studio};
use crate::detect::Detection;
use crate::measure::{Edges, LiveDetail, LiveStretch, driven_from, joint_weights};
use crate::model::{Character, NodeIndex, Region, Rigged, Role, SurfaceVertex, Verdict, WorldPose};

/// The numbers that `shade` shows of a character; `None` where it shows none, or needs a pose.
pub(super) fn heat(
    shade: Shade,
    (character, detection): (&Character, &Detection),
    joint: Option<NodeIndex>,
) -> Option<Heat> {
    let scale = shade.scale(detection.body.height_m, detection.far_threshold_m)?;
    let values = match shade {
        Shade::SkeletonDistance => detection.skeleton_distance.clone(),
        Shade::DrivenFrom => driven_from(detection, character),
        Shade::Weights => joint_weights(character, joint?),
        _ => return None,
    };
    Some(Heat { values, scale })
}

/// Readings of the stretch of every edge, for characters with the meshes of `rigged`. Cost: O(E log E).
pub(super) fn all_edges(rigged: &Rigged) -> Edges {
    Edges::of(&rigged.character, &rigged.bind, rigged.body.height_m, &[])
}

/// Reads the stretch of every edge off poses of one character.
pub(super) struct StretchHeat {
    of: Arc<Character>,
    live: LiveStretch,
}

impl StretchHeat {
    /// For `of`, on edges that [`all_edges`] made.
    pub(super) fn new(of: Arc<Character>, edges: &Edges) -> Self {
        Self { live: LiveStretch::new(&of, edges, LiveDetail::Heat), of }
    }

    /// Reads a pose; `hips` are in the middle of it.
    pub(super) fn read(&mut self, world: &WorldPose, hips: NodeIndex) {
        self.live.read(world, world.matrix(hips).translation.into());
    }

    /// `[V]` the largest since the start, or the last one.
    pub(super) fn values(&self, of_peak: bool) -> Vec<f32> {
        if of_peak { self.live.peak() } else { self.live.strain() }.to_vec()
    }
}

/// The same with the skin that tools have marked.
fn with_marks(paint: Paint, marked: &BTreeSet<SurfaceVertex>) -> Paint {
    let Paint::Regions(mut marks) = paint else { return paint };
    for vertex in marked {
        if let Some(mark) = marks.get_mut(vertex.index()) {
            mark.is_marked = true;
        }
    }
    Paint::Regions(marks)
}

/// Skins in the poses that are shown, whose stretch is to be read.
pub(super) struct Reading {
    rigged: Arc<Rigged>,
    skins: Vec<(Way, Arc<Character>, Arc<WorldPose>)>,
    scale: HeatScale,
    of_peak: bool,
}

/// What was read: the readings go along with the poses and come back, with colours of the last ones.
pub(super) struct Stretched {
    stretch: BTreeMap<Way, StretchHeat>,
    paints: BTreeMap<Way, Arc<Paint>>,
    /// Of the character that plays: now, and at its peak.
    most: Option<[f32; 2]>,
}

impl Reading {
    /// Reads on with the readings so far; those of other skins are given up, what is missing is made.
    ///
    /// Cost: O(E) for each skin; O(E log E) where one is new.
    fn read(&self, mut stretch: BTreeMap<Way, StretchHeat>) -> Stretched {
        let mut paints = BTreeMap::new();
        let mut edges = None;
        let hips = self.rigged.humanoid.node(Role::Hips).unwrap_or_default();
        stretch.retain(|way, s| {
            self.skins.iter().any(|(w, of, _)| w == way && Arc::ptr_eq(of, &s.of))
        });
        for (way, of, world) in &self.skins {
            let read = stretch.entry(*way).or_insert_with(|| {
                let edges = edges.get_or_insert_with(|| all_edges(&self.rigged));
                StretchHeat::new(of.clone(), edges)
            });
            read.read(world, hips);
            let heat = Heat { values: read.values(self.of_peak), scale: self.scale };
            paints.insert(*way, Arc::new(Paint::Heat(heat)));
        }
        let max = |v: &[f32]| v.iter().copied().fold(1.0, f32::max);
        let most = stretch.get(&Way::Chain).map(|s| [max(s.live.strain()), max(s.live.peak())]);
        Stretched { stretch, paints, most }
    }

    /// The character that plays, and how it stands.
    fn playing(&self) -> Option<(&Arc<Character>, &Arc<WorldPose>)> {
        self.skins.first().map(|(_, of, world)| (of, world))
    }

    /// Whether both are of one character.
    fn is_of(&self, other: &Self) -> bool {
        let pair = self.playing().zip(other.playing());
        pair.is_some_and(|((a, _), (b, _))| Arc::ptr_eq(a, b))
    }

    /// Whether reading again would bring nothing new.
    fn is_same(&self, other: &Self) -> bool {
        let pair = self.playing().zip(other.playing());
        pair.is_some_and(|((_, a), (_, b))| Arc::ptr_eq(a, b))
            && self.skins.len() == other.skins.len()
            && self.of_peak == other.of_peak
    }
}

/// What the static heats were worked out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeatedFor {
    shade: Shade,
    joint: Option<NodeIndex>,
    has_others: bool,
}

/// Colours of the skins of the comparison, and the readings behind them.
#[derive(Default)]
pub(super) struct Heats {
    /// For what the static ones are, or will be once a worker has them.
    heated_for: Option<(HeatedFor, Arc<Character>)>,
    /// Empty while a worker reads.
    stretch: BTreeMap<Way, StretchHeat>,
    paints: BTreeMap<Way, Arc<Paint>>,
    /// The character whose stretch `paints` show, and the largest of it: now, and at its peak.
    stretched: Option<Arc<Character>>,
    most: Option<[f32; 2]>,
    /// Peaks that a worker has are to begin anew when it brings them.
    peaks_are_old: bool,
}

impl Studio {
    /// How skin is drawn.
    pub fn shade(&self) -> Shade {
        self.shade
    }

    /// Colours over the skin, after a change of what they show.
    pub(super) fn rebuild_paint(&mut self) {
        self.scene.shading = if self.shade == Shade::XRay { Shading::XRay } else { Shading::Lit };
        self.scene.has_wire = self.shade == Shade::Wireframe;
        let Some(open) = &self.open else { return };
        let regions = &open.evaluated.detection.regions;
        let selected = self.selected_regions();
        let marked = self.tools.marked();
        let tint = |shows: &dyn Fn(&Region) -> bool| {
            let is_selected = |region: &Region| selected.contains(&region.id);
            let paint = region_paint(&self.scene.character, regions, &is_selected, shows);
            with_marks(paint, marked)
        };
        let joint = self.weighted_joint();
        let paint = match self.shade {
            Shade::Lit | Shade::XRay | Shade::Wireframe => {
                if self.shows(Overlay::Regions) {
                    // A character in its own colours but for what is treated or selected.
                    tint(&|region| region.verdict != Verdict::Leave)
                } else if !marked.is_empty() {
                    tint(&|_| false)
                } else {
                    Paint::Plain
                }
            }
            Shade::Regions => match tint(&|_| true) {
                Paint::Regions(marks) => Paint::RegionColors(marks),
                other => other,
            },
            Shade::Stretch => return self.show_stretch(),
            _ => return self.show_heat(joint),
        };
        self.heats = Heats::default();
        if *self.scene.paint != paint {
            self.scene.paint = Arc::new(paint);
        }
    }

    /// The skins that are in sight, with the poses they are in.
    fn skins(&self) -> Vec<(Way, Arc<Character>, Arc<WorldPose>)> {
        let Some(playback) = &self.playback else { return Vec::new() };
        let mut skins = vec![(Way::Chain, self.scene.character.clone(), playback.world().clone())];
        if let Some(measured) = self.measured.as_ref().filter(|_| self.compares()) {
            let still = playback.world_without_springs();
            skins.push((Way::Raw, measured.raw.clone(), still.clone()));
            skins.push((Way::Rigid, measured.rigid.clone(), still));
        }
        skins
    }

    /// Numbers that no pose changes: worked out where rig, joint or shade are others than before.
    fn show_heat(&mut self, joint: Option<NodeIndex>) {
        let Some(open) = &self.open else { return };
        let skins = self.skins();
        let wanted = HeatedFor {
            shade: self.shade,
            joint: joint.filter(|_| self.shade == Shade::Weights),
            has_others: skins.len() > 1,
        };
        let rigged = &self.scene.character;
        let is_same = |(of, rig): &(HeatedFor, _)| *of == wanted && Arc::ptr_eq(rig, rigged);
        if self.heats.heated_for.as_ref().is_some_and(is_same) {
            return;
        }
        let (shade, detection) = (self.shade, open.evaluated.detection.clone());
        let heated_for = Some((wanted, rigged.clone()));
        let is_heavy = is_heavy(rigged);
        let heated = {
            let heated_for = heated_for.clone();
            move || {
                let paint = |character: &Character| {
                    let heat = heat(shade, (character, &detection), joint);
                    Arc::new(heat.map_or(Paint::Plain, Paint::Heat))
                };
                let paints = skins.iter().map(|(way, of, _)| (*way, paint(of))).collect();
                Heats { heated_for, paints, ..Heats::default() }
            }
        };
        if !is_heavy {
            self.heats = heated();
            return self.show_paint();
        }
        // Skin is plain until they are there.
        self.heats = Heats { heated_for, ..Heats::default() };
        self.show_plain();
        self.start(JobKind::Heat, move |_| Outcome::Heated(heated()));
    }

    /// Takes colours that a worker has made, where they are still wanted.
    pub(super) fn take_heated(&mut self, heated: Heats) -> Changes {
        let of = |heats: &Heats| heats.heated_for.clone();
        let is_wanted = match (of(&self.heats), of(&heated)) {
            (Some((a, of_a)), Some((b, of_b))) => a == b && Arc::ptr_eq(&of_a, &of_b),
            _ => false,
        };
        if is_wanted {
            self.heats = heated;
            self.show_paint();
        }
        Changes::SCENE
    }

    /// What stretch is to be read off, where it is shown.
    fn reading(&self) -> Option<Reading> {
        let open = self.open.as_ref().filter(|_| self.shade == Shade::Stretch)?;
        let rigged = open.evaluated.rigged.clone();
        let far_m = open.evaluated.detection.far_threshold_m;
        Some(Reading {
            scale: Shade::Stretch.scale(rigged.body.height_m, far_m)?,
            of_peak: self.shows(Overlay::PeakHold),
            skins: self.skins(),
            rigged,
        })
    }

    /// The stretch of the poses that are shown.
    pub(super) fn show_stretch(&mut self) {
        let Some(reading) = self.reading() else { return };
        self.heats.heated_for = None;
        if is_heavy(&self.scene.character) {
            return self.read_beside(reading);
        }
        let stretch = std::mem::take(&mut self.heats.stretch);
        self.show_stretched(reading.read(stretch));
    }

    /// Reads skin of many vertices on a worker, one pose after another: what shows meanwhile is of the pose before.
    fn read_beside(&mut self, reading: Reading) {
        let is_shown = |of: &Arc<Character>| Arc::ptr_eq(of, &self.scene.character);
        if !self.heats.stretched.as_ref().is_some_and(is_shown) {
            self.heats.paints.clear();
            self.heats.most = None;
            self.show_plain();
        }
        // The pose of then is read when the worker is back.
        if self.jobs.runs(JobKind::Edges) || self.jobs.runs(JobKind::Stretch) {
            return;
        }
        let stretch = std::mem::take(&mut self.heats.stretch);
        let kind = if stretch.is_empty() { JobKind::Edges } else { JobKind::Stretch };
        self.start(kind, move |_| {
            let stretched = reading.read(stretch);
            Outcome::Stretched(Box::new((reading, stretched)))
        });
    }

    /// Takes what a worker has read, where it is still wanted, and has it read on where the pose is another by now.
    pub(super) fn take_stretched(&mut self, reading: &Reading, stretched: Stretched) -> Changes {
        let now = self.reading();
        if !now.as_ref().is_some_and(|now| now.is_of(reading)) {
            discard(stretched);
            self.show_stretch();
            return Changes::SCENE;
        }
        self.show_stretched(stretched);
        let are_old = std::mem::take(&mut self.heats.peaks_are_old);
        if are_old {
            self.heats.stretch.values_mut().for_each(|stretch| stretch.live.reset_peak());
        }
        if let Some(now) = now.filter(|now| are_old || !now.is_same(reading)) {
            self.read_beside(now);
        }
        Changes::SCENE
    }

    fn show_stretched(&mut self, stretched: Stretched) {
        let Stretched { stretch, paints, most } = stretched;
        self.heats.stretch = stretch;
        self.heats.paints.extend(paints);
        self.heats.most = most;
        self.heats.stretched = Some(self.scene.character.clone());
        self.show_paint();
    }

    /// Skin in its own colours, until a worker has others.
    fn show_plain(&mut self) {
        if *self.scene.paint != Paint::Plain {
            self.scene.paint = Arc::default();
        }
    }

    fn show_paint(&mut self) {
        if let Some(paint) = self.heats.paints.get(&Way::Chain) {
            self.scene.paint = paint.clone();
        }
    }

    /// The colours of a pane of the comparison: numbers of its own skin, or the skin itself.
    pub(super) fn pane_paint(&self, way: Way) -> Arc<Paint> {
        self.heats.paints.get(&way).cloned().unwrap_or_default()
    }

    /// Lets the held peaks of stretch begin anew: another clip, or the hold was switched on.
    pub(super) fn reset_peaks(&mut self) {
        self.heats.stretch.values_mut().for_each(|stretch| stretch.live.reset_peak());
        self.heats.peaks_are_old =
            self.jobs.runs(JobKind::Edges) || self.jobs.runs(JobKind::Stretch);
    }

    /// The joint whose weights are shown: the selected one, or the first of what is selected.
    fn weighted_joint(&self) -> Option<NodeIndex> {
        let open = self.open.as_ref()?;
        let chains = &open.evaluated.rigged.chains;
        // Joints may have gone since.
        let n_nodes = self.scene.character.skeleton.len();
        let asked_for = self.weights_of.filter(|node| node.index() < n_nodes);
        match self.selection {
            Selection::Joint(node) => Some(node),
            Selection::Chain(index) => chains.get(index)?.joints.first().copied(),
            Selection::Region(_) if asked_for.is_some() => asked_for,
            Selection::Region(id) => {
                let of = |origin| origin == crate::model::ChainOrigin::Grown(id);
                let chain = chains.iter().find(|c| of(c.origin));
                let first = chain.and_then(|c| c.joints.first().copied());
                first.or_else(|| self.selected_region().map(|r| r.attachment))
            }
            _ => open.evaluated.rigged.humanoid.node(Role::Hips),
        }
    }

    /// What explains the colours; `None` where they are the skin's own.
    pub fn legend(&self) -> Option<Legend> {
        let Paint::Heat(heat) = &*self.scene.paint else { return None };
        let skeleton = &self.scene.character.skeleton;
        let note = match self.shade {
            Shade::Weights => self
                .weighted_joint()
                .map(|node| format!("of {}", skeleton.name(node)))
                .unwrap_or_default(),
            Shade::Stretch => {
                let [now, peak] = self.heats.most?;
                // A torn edge of no length has any number, and the legend so much room.
                let times =
                    |v: f32| if v < 99.5 { format!("{v:.2} ×") } else { "over 99 ×".to_owned() };
                format!("now {} · peak {}", times(now), times(peak))
            }
            Shade::DrivenFrom => {
                let most =
                    heat.values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
                format!("most {most:.2} m")
            }
            _ => String::new(),
        };
        Some(Legend { scale: heat.scale, note })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studio::{Command, PlayCommand, no_wake};
    use std::time::{Duration, Instant};

    /// Polls until no job that `of` tells runs.
    fn wait(studio: &mut Studio, of: impl Fn(JobKind) -> bool) {
        let start = Instant::now();
        while studio.jobs.count(&of) > 0 {
            assert!(start.elapsed() < Duration::from_secs(60), "the work never ended");
            std::thread::yield_now();
            studio.poll();
        }
    }

    fn colours(studio: &Studio) -> Option<Vec<f32>> {
        match &*studio.scene.paint {
            Paint::Heat(heat) => Some(heat.values.clone()),
            _ => None,
        }
    }

    #[test]
    fn stretch_that_a_worker_reads_is_what_the_window_would_read() {
        let reads = |kind| matches!(kind, JobKind::Edges | JobKind::Stretch);
        let mut studio = Studio::new(no_wake());
        studio.apply(Command::Open("sample:fox".into()));
        wait(&mut studio, |kind| kind == JobKind::Open);
        studio.apply(Command::Play(PlayCommand::Scrub(0.3)));
        studio.apply(Command::Shade(Shade::Stretch));
        let (read, most) = (colours(&studio).unwrap(), studio.heats.most.unwrap());
        assert!(most[0] > 1.0, "{most:?}");

        studio.heats = Heats::default();
        let reading = studio.reading().unwrap();
        studio.read_beside(reading);
        assert_eq!(*studio.scene.paint, Paint::Plain, "until the worker is back");
        wait(&mut studio, reads);
        assert_eq!(colours(&studio).unwrap(), read);
        assert_eq!(studio.heats.most, Some(most));

        // The pose goes on while a worker reads the one before: it reads that, too.
        let reading = studio.reading().unwrap();
        studio.read_beside(reading);
        if let Some(playback) = &mut studio.playback {
            playback.step(4);
        }
        wait(&mut studio, reads);
        let later = colours(&studio).unwrap();
        studio.show_stretch();
        assert!(later != read && colours(&studio).unwrap() == later);

        let reading = studio.reading().unwrap();
        studio.read_beside(reading);
        studio.apply(Command::Shade(Shade::Lit));
        wait(&mut studio, reads);
        assert_eq!(colours(&studio), None, "nobody wants it any more");
    }
}
