//! The colours over the skin: worked out once for a change, stretch once for a pose.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::command::{Changes, Overlay, Selection};
use super::compare::Way;
use super::jobs::JobKind;
use super::scene::{Heat, Paint, Shading, region_paint};
use super::shade::{Legend, Shade};
use super::state::{Outcome, Studio};
use crate::detect::Detection;
use crate::measure::{Edges, LiveDetail, LiveStretch, driven_from, joint_weights};
use crate::model::{Character, NodeIndex, Region, Rigged, Role, SurfaceVertex, Verdict, WorldPose};

/// Vertices from which numbers are worked out by a worker: the window would stand still for them.
const HEAVY_VERTICES: u32 = 60_000;

fn is_heavy(character: &Character) -> bool {
    character.surface_offsets().last().is_some_and(|&n| n >= HEAVY_VERTICES)
}

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
    stretch: BTreeMap<Way, StretchHeat>,
    paints: BTreeMap<Way, Arc<Paint>>,
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

    /// The stretch of the poses that are shown.
    pub(super) fn show_stretch(&mut self) {
        let Some(open) = self.open.as_ref().filter(|_| self.shade == Shade::Stretch) else {
            return;
        };
        let rigged = &open.evaluated.rigged;
        let hips = rigged.humanoid.node(Role::Hips).unwrap_or_default();
        let far_m = open.evaluated.detection.far_threshold_m;
        let Some(scale) = Shade::Stretch.scale(rigged.body.height_m, far_m) else { return };
        let holds = self.shows(Overlay::PeakHold);
        let skins = self.skins();
        self.heats.heated_for = None;
        self.heats
            .stretch
            .retain(|way, s| skins.iter().any(|(w, of, _)| w == way && Arc::ptr_eq(of, &s.of)));
        let new: Vec<(Way, Arc<Character>)> = skins
            .iter()
            .filter(|(way, ..)| !self.heats.stretch.contains_key(way))
            .map(|(way, of, _)| (*way, of.clone()))
            .collect();
        if !new.is_empty() {
            let (rigged, is_heavy) = (rigged.clone(), is_heavy(&rigged.character));
            let readings = move || -> Vec<(Way, StretchHeat)> {
                let edges = all_edges(&rigged);
                new.into_iter().map(|(way, of)| (way, StretchHeat::new(of, &edges))).collect()
            };
            if is_heavy {
                self.heats.paints.clear();
                self.show_plain();
                // One at a time: what comes too late for another rig is asked for again when it is there.
                if !self.jobs.runs(JobKind::Edges) {
                    self.start(JobKind::Edges, move |_| Outcome::Edges(readings()));
                }
            } else {
                self.heats.stretch.extend(readings());
            }
        }
        for (way, _, world) in skins {
            let Some(stretch) = self.heats.stretch.get_mut(&way) else { continue };
            stretch.read(&world, hips);
            let heat = Heat { values: stretch.values(holds), scale };
            self.heats.paints.insert(way, Arc::new(Paint::Heat(heat)));
        }
        self.show_paint();
    }

    /// Takes the readings that a worker has made ready.
    pub(super) fn take_edges(&mut self, stretch: Vec<(Way, StretchHeat)>) -> Changes {
        self.heats.stretch.extend(stretch);
        self.show_stretch();
        Changes::SCENE
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
                let stretch = self.heats.stretch.get(&Way::Chain)?;
                let max = |v: &[f32]| v.iter().copied().fold(1.0, f32::max);
                let (now, peak) = (max(stretch.live.strain()), max(stretch.live.peak()));
                format!("now {now:.2} × · peak {peak:.2} ×")
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
