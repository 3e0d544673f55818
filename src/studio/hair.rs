//! The Hair workspace without a screen: what is picked, what a fit would do, how strands swing under both rules.
//!
//! Nothing is ever picked by itself. What is decided is one [`Edit::Hair`](super::Edit); the rest is of the session.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::command::{Changes, Edit, PlayCommand};
use super::jobs::JobKind;
use super::notices::NoticeKind;
use super::playback::Playback;
use super::scene::{Accent, Bounds, LineMark};
use super::state::{Outcome, Studio};
use crate::document::{HairEdits, JointRef, StrandEdit};
use crate::measure::{HEAD_TURN_SECS, HairMeasureInput, HairMeasurement, head_turn, measure_hair};
use crate::model::{
    Chain, HairSettings, HairSolver, NodeIndex, Rigged, Role, Strand, SurfaceVertex,
};
use crate::perform::TestMotion;
use crate::rig::{StrandPath, StrandPlan, propose_strand, select};
use crate::work::{Stopped, Work};

/// What a click on skin picks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PickBy {
    /// The whole mesh, by its name.
    #[default]
    Mesh,
    /// Everything that wears the same material.
    Material,
    /// The connected piece.
    Piece,
    /// Nothing new: the strand that is picked begins there.
    Root,
}

impl PickBy {
    /// All, as their buttons stand.
    pub const ALL: [Self; 4] = [Self::Mesh, Self::Material, Self::Piece, Self::Root];

    /// As it stands on its button.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mesh => "Mesh",
            Self::Material => "Material",
            Self::Piece => "Piece",
            Self::Root => "Root",
        }
    }

    /// For its tooltip.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Mesh => "A click picks the whole mesh",
            Self::Material => "A click picks everything that wears the same material",
            Self::Piece => "A click picks the connected piece",
            Self::Root => "A click says where the picked strand begins",
        }
    }
}

/// What a pick does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HairPick {
    /// A click on skin; adds where `add` is set.
    At {
        /// Where.
        vertex: SurfaceVertex,
        /// Whether what is picked already stays so.
        add: bool,
    },
    /// One ring of neighbours more.
    Grow,
    /// The outermost ring less.
    Shrink,
    /// Nothing.
    Clear,
}

/// What the Hair workspace asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HairCommand {
    /// Picks skin.
    Pick(HairPick),
    /// What clicks pick from now on.
    PickBy(PickBy),
    /// Number of joints of the next fit; `None` goes by the length.
    Joints(Option<u32>),
    /// What the next fit hangs from; `None` is the head.
    Attach(Option<NodeIndex>),
    /// Gives what is picked joints and weights of its own.
    Fit,
    /// Takes a picked strand's joints away again, by its place among the picked ones.
    Remove(usize),
    /// Copies a preset's settings.
    Preset(String),
    /// How all strands swing.
    Settings(Box<HairSettings>),
    /// Whether colliders are fitted to body and clothes.
    FitColliders(bool),
    /// Whether a chain is part of a skirt.
    Skirt {
        /// Its name.
        chain: String,
        /// Whether it is.
        is_on: bool,
    },
    /// Plays the head-turn test.
    HeadTurn,
    /// Moves the body at rest once, and lets hair settle.
    MoveThenRest,
    /// Shows the earlier rule beside.
    SideBySide(bool),
    /// Plays a face, from 0 to 1.
    Face {
        /// Name of the expression.
        name: String,
        /// How much of it.
        weight: f32,
    },
}

/// What the session keeps about hair; nothing of it is saved.
#[derive(Debug, Default)]
pub(super) struct HairDesk {
    by: PickBy,
    picked: Vec<SurfaceVertex>,
    root: Option<SurfaceVertex>,
    joints: Option<u32>,
    attach: Option<NodeIndex>,
    proposal: Option<StrandPath>,
    /// Improved and earlier, and the rig they are of.
    measured: Option<(Arc<Rigged>, [HairMeasurement; 2])>,
    is_compared: bool,
    /// The same under the earlier rule, while both are shown.
    pub(super) earlier: Option<Playback>,
}

/// A strand in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct StrandRow {
    /// Its name.
    pub name: String,
    /// `6 bones, in front, 4 colliders`.
    pub about: String,
    /// Its place among the picked ones; `None` for the artist's own.
    pub picked: Option<usize>,
    /// Whether it is part of a skirt.
    pub is_skirt: bool,
}

/// A collider in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderRow {
    /// Its name.
    pub name: String,
    /// `5.2 cm, grown from 4.0`.
    pub about: String,
}

/// A measure under both rules.
#[derive(Clone, Debug, PartialEq)]
pub struct HairLine {
    /// What is measured.
    pub name: &'static str,
    /// With the settings as they are.
    pub improved: String,
    /// With the earlier rule.
    pub earlier: String,
}

/// Everything the panel shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HairPanel {
    /// Chains that are hair.
    pub strands: Vec<StrandRow>,
    /// What clicks pick.
    pub by: PickBy,
    /// `812 vertices of Ponytail`; empty where nothing is picked.
    pub picked: String,
    /// `from Head, 0.47 m, 6 bones, the first 2.4 cm fixed`; why not, where it cannot be a strand.
    pub proposal: String,
    /// Whether it can be fitted.
    pub can_fit: bool,
    /// Joints of the next fit.
    pub joints: Option<u32>,
    /// What the next fit hangs from.
    pub attach: Option<NodeIndex>,
    /// What it may hang from.
    pub attachments: Vec<(NodeIndex, String)>,
    /// How strands swing.
    pub settings: HairSettings,
    /// Whose settings they are.
    pub preset: Option<String>,
    /// What keeps hair out of the body.
    pub colliders: Vec<ColliderRow>,
    /// Whether colliders are fitted.
    pub fits_colliders: bool,
    /// The head-turn test in numbers; empty until it is measured.
    pub measures: Vec<HairLine>,
    /// Whether both rules are shown.
    pub is_compared: bool,
    /// Faces with their weights.
    pub faces: Vec<(String, f32)>,
}

impl Studio {
    /// Does what the Hair workspace asks for.
    pub(super) fn hair(&mut self, command: HairCommand) -> Changes {
        match command {
            HairCommand::Pick(pick) => self.pick_hair(pick),
            HairCommand::PickBy(by) => {
                self.hair.by = by;
                Changes::DOCUMENT
            }
            HairCommand::Joints(joints) => {
                self.hair.joints = joints;
                self.propose()
            }
            HairCommand::Attach(node) => {
                self.hair.attach = node;
                self.propose()
            }
            HairCommand::Fit => self.fit_hair(),
            HairCommand::Remove(at) => self.decide_hair("remove a strand", |hair| {
                if at < hair.strands.len() {
                    hair.strands.remove(at);
                }
            }),
            HairCommand::Preset(name) => match HairSettings::preset(&name) {
                Some(settings) => self.decide_hair("choose a hair preset", |hair| {
                    hair.settings = settings;
                    hair.preset = Some(name);
                }),
                None => self.notice(NoticeKind::Error, format!("There is no preset {name}")),
            },
            HairCommand::Settings(settings) => match settings.validated() {
                Ok(settings) => self.decide_hair("tune hair", |hair| hair.settings = settings),
                Err(error) => self.notice(NoticeKind::Error, error.to_string()),
            },
            HairCommand::FitColliders(is_on) => {
                self.decide_hair("fit colliders", |hair| hair.fit_colliders = is_on)
            }
            HairCommand::Skirt { chain, is_on } => self.decide_hair("change skirts", |hair| {
                if is_on {
                    hair.skirts.insert(chain);
                } else {
                    hair.skirts.remove(&chain);
                }
            }),
            HairCommand::HeadTurn => self.play_head_turn(),
            HairCommand::MoveThenRest => {
                let changes = self.put_on(None);
                changes.and(self.play(PlayCommand::Test(TestMotion::HipSweep)))
            }
            HairCommand::SideBySide(is_on) => {
                self.hair.is_compared = is_on;
                self.follow_hair();
                Changes::SCENE.and(Changes::DOCUMENT)
            }
            HairCommand::Face { name, weight } => {
                if let Some(playback) = &mut self.playback {
                    playback.set_face(&name, weight);
                }
                self.show_pose();
                Changes::SCENE.and(Changes::DOCUMENT)
            }
        }
    }

    /// Another character: nothing that was picked on the old one means anything.
    pub(super) fn forget_hair(&mut self) {
        let by = self.hair.by;
        self.hair = HairDesk { by, ..HairDesk::default() };
    }

    /// Decides about hair; `label` is what the history calls it.
    fn decide_hair(&mut self, label: &str, change: impl FnOnce(&mut HairEdits)) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let mut hair = self.history.current().character(open.character).hair.clone();
        change(&mut hair);
        self.edit_as(label, &Edit::Hair(Box::new(hair)))
    }

    fn pick_hair(&mut self, pick: HairPick) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let Some(loaded) = open.loaded() else { return Changes::NONE };
        let detection = &open.evaluated.detection;
        let found = match pick {
            HairPick::Clear => Vec::new(),
            HairPick::Grow => select::grown(detection, &self.hair.picked),
            HairPick::Shrink => select::shrunk(detection, &self.hair.picked),
            // A script may name skin that another character had.
            HairPick::At { vertex, .. } if loaded.locate(vertex).is_none() => {
                return Changes::NONE;
            }
            HairPick::At { vertex, add } => {
                if self.hair.by == PickBy::Root {
                    self.hair.root = Some(vertex);
                    return self.propose();
                }
                let of = |by| match by {
                    PickBy::Piece => select::piece(detection, vertex),
                    PickBy::Material => {
                        let instance = loaded.locate(vertex).map(|(i, _)| i);
                        let mesh = instance.and_then(|i| loaded.mesh_of(loaded.instance(i)?));
                        match mesh.and_then(|m| m.material) {
                            Some(material) => select::material(loaded, detection, material),
                            None => Vec::new(),
                        }
                    }
                    PickBy::Mesh | PickBy::Root => {
                        let instance = loaded.locate(vertex).map(|(i, _)| i);
                        instance.map_or_else(Vec::new, |i| select::primitive(detection, i))
                    }
                };
                let mut all: BTreeSet<SurfaceVertex> = of(self.hair.by).into_iter().collect();
                if add {
                    all.extend(self.hair.picked.iter().copied());
                }
                all.into_iter().collect()
            }
        };
        self.hair.picked = found;
        if !matches!(pick, HairPick::Grow | HairPick::Shrink) {
            self.hair.root = None;
        }
        self.propose()
    }

    /// Picks the mesh of that name, as a click on it would.
    pub fn pick_hair_mesh(&mut self, name: &str) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let Some(loaded) = open.loaded() else { return Changes::NONE };
        self.hair.picked = select::mesh_named(loaded, &open.evaluated.detection, name);
        self.hair.root = None;
        self.propose()
    }

    /// Works out what a fit of what is picked would do; nothing is changed.
    fn propose(&mut self) -> Changes {
        self.hair.proposal = self.open.as_ref().and_then(|open| {
            if self.hair.picked.is_empty() {
                return None;
            }
            let plan = StrandPlan {
                vertices: self.hair.picked.clone(),
                root: self.hair.root,
                joints: self.hair.joints,
                attachment: self.hair.attach,
                settings: None,
            };
            propose_strand(open.loaded()?, &open.evaluated.detection, &plan)
        });
        self.rebuild_overlays();
        Changes::DOCUMENT.and(Changes::SCENE)
    }

    fn fit_hair(&mut self) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let (Some(loaded), Some(_)) = (open.loaded(), &self.hair.proposal) else {
            return self.notice(NoticeKind::Warning, "Pick a mesh of hair first");
        };
        let detection = &open.evaluated.detection;
        let mut strand = StrandEdit::of(loaded, detection, &self.hair.picked);
        if let Some(root) = self.hair.root {
            strand = strand.from_root(loaded, detection, root);
        }
        strand.joints = self.hair.joints;
        strand.attachment = self.hair.attach.map(|node| JointRef::of(loaded, node));
        self.hair.picked.clear();
        self.hair.proposal = None;
        self.decide_hair("fit a strand", |hair| hair.strands.push(strand))
    }

    fn play_head_turn(&mut self) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let Some(clip) = head_turn(&open.evaluated.rigged) else {
            return self.notice(NoticeKind::Warning, "There is no head to turn");
        };
        let changes = self.put_on(Some(Arc::new(clip)));
        if !self.is_playing() {
            self.play(PlayCommand::Toggle);
        }
        changes
    }

    /// Brings the second pane and the measures up to what is played and decided.
    pub(super) fn follow_hair(&mut self) {
        let at_end = self.at_end();
        let both = self.open.as_ref().zip(self.playback.as_ref());
        self.hair.earlier = both.filter(|_| self.hair.is_compared).map(|(open, now)| {
            let control = Arc::new(control(&open.evaluated.rigged));
            Playback::ending(control, now.clip().cloned(), at_end).resumed_at(now)
        });
        if self.workspace == super::Workspace::Hair {
            self.measure_hair();
        }
    }

    /// Runs the head-turn test under both rules on a worker.
    fn measure_hair(&mut self) {
        let Some(open) = &self.open else { return };
        let rigged = open.evaluated.rigged.clone();
        let is_known = self.hair.measured.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, &rigged));
        if is_known || !rigged.chains.iter().any(|c| c.hair.is_some() && c.is_driven) {
            return;
        }
        self.start(JobKind::Hair, move |work| {
            let result = both(&rigged, work).map(|found| found.map(Box::new));
            Outcome::HairMeasured { of: rigged, result }
        });
    }

    pub(super) fn take_hair(
        &mut self,
        of: Arc<Rigged>,
        result: Result<Option<Box<[HairMeasurement; 2]>>, Stopped>,
    ) -> Changes {
        if let Ok(Some(found)) = result {
            self.hair.measured = Some((of, *found));
        }
        Changes::DOCUMENT
    }

    /// What a fit would do, over the skin: the path, its joints, the root.
    pub(super) fn hair_lines(&self) -> Vec<LineMark> {
        let Some(path) = self.hair.proposal.as_ref() else { return Vec::new() };
        let Some(playback) = &self.playback else { return Vec::new() };
        let rigged = playback.rigged();
        let bind = rigged.bind.world.matrix(path.attachment);
        let moved = playback.world().matrix(path.attachment) * bind.inverse();
        let at = |p: &Vec3| moved.transform_point3(*p);
        let mut points = vec![at(&path.root)];
        points.extend(path.places.iter().map(at));
        let mut lines = vec![LineMark { points, accent: Accent::Selected, is_dashed: true }];
        let radii = std::iter::once(&path.fixed_m).chain(&path.radii_m);
        for (place, radius) in path.places.iter().zip(radii) {
            let mark = super::overlays::ring(at(place), radius.max(0.004), Accent::Chain);
            lines.push(mark);
        }
        lines.push(super::overlays::ring(at(&path.root), path.fixed_m, Accent::Collar));
        lines
    }

    /// The head-turn test in numbers, improved and earlier; `None` where they are of other decisions.
    fn measured_now(&self) -> Option<&[HairMeasurement; 2]> {
        let (of, found) = self.hair.measured.as_ref()?;
        let open = self.open.as_ref()?;
        Arc::ptr_eq(of, &open.evaluated.rigged).then_some(found)
    }

    /// Both rules side by side; none while they are not.
    pub fn hair_panes(&self) -> Vec<super::Pane> {
        let (Some(_), Some(earlier)) = (&self.playback, &self.hair.earlier) else {
            return Vec::new();
        };
        let numbers = |i: usize| self.measured_now()?.get(i).map(super::compare::hair_numbers);
        let mut before = self.scene.clone();
        before.world = earlier.world().clone();
        before.lines.clear();
        before.bones.clear();
        vec![
            super::Pane { way: super::Way::Earlier, scene: before, numbers: numbers(1) },
            super::Pane {
                way: super::Way::Improved,
                scene: self.scene.clone(),
                numbers: numbers(0),
            },
        ]
    }

    /// The head and all hair, with some room around: what a close-up shows.
    pub fn hair_bounds(&self) -> Option<Bounds> {
        let rigged = self.playback.as_ref()?.rigged();
        let at = |n: NodeIndex| Vec3::from(self.scene.world.matrix(n).translation);
        let head = at(rigged.humanoid.node(Role::Head)?);
        let height_m = rigged.body.height_m;
        // A head is about an eighth of a body; its joint stands at its lower end.
        let (up, room) = (Vec3::Y * 0.15 * height_m, Vec3::splat(0.06 * height_m));
        let hair = rigged.chains.iter().filter(|c| c.hair.is_some());
        let joints = hair.flat_map(|c| c.joints.iter().map(|&j| at(j)));
        let all = Bounds::of(joints.chain([head, head + up]))?;
        Some(Bounds { low: all.low - room, high: all.high + room })
    }

    /// Everything the panel shows.
    pub fn hair_panel(&self) -> HairPanel {
        let Some(open) = &self.open else { return HairPanel::default() };
        let rigged = &open.evaluated.rigged;
        let hair = self.history.current().character(open.character).hair.clone();
        let desk = &self.hair;
        let roles = [Role::Head, Role::Neck, Role::UpperChest, Role::Chest, Role::Hips];
        let named = |n: NodeIndex| (n, rigged.character.skeleton.name(n).to_owned());
        HairPanel {
            strands: strand_rows(rigged),
            by: desk.by,
            picked: picked_line(open.loaded(), &desk.picked),
            proposal: self.proposal_line(rigged),
            can_fit: desk.proposal.is_some(),
            joints: desk.joints,
            attach: desk.attach,
            attachments: roles.iter().filter_map(|&r| rigged.humanoid.node(r)).map(named).collect(),
            settings: hair.settings,
            preset: hair.preset,
            colliders: collider_rows(rigged),
            fits_colliders: hair.fit_colliders,
            measures: self.measured_now().map_or_else(Vec::new, lines),
            is_compared: desk.is_compared,
            faces: self.playback.as_ref().map_or_else(Vec::new, Playback::faces),
        }
    }

    fn proposal_line(&self, rigged: &Rigged) -> String {
        match &self.hair.proposal {
            Some(path) => format!(
                "from {}, {:.2} m, {} bones, the first {:.1} cm fixed",
                rigged.character.skeleton.name(path.attachment),
                path.length_m,
                path.n_joints(),
                100.0 * path.fixed_m
            ),
            None if self.hair.picked.is_empty() => String::new(),
            None => "This cannot be a strand: it has nothing to hang from".to_owned(),
        }
    }
}

/// The same hair as it was: the earlier rule, the artist's colliders alone.
fn control(rigged: &Rigged) -> Rigged {
    let mut control = rigged.clone();
    if let Some(vrm) = &rigged.character.vrm {
        for (now, authored) in control.colliders.iter_mut().zip(&vrm.colliders) {
            now.shape = authored.shape;
        }
    }
    let n_authored = rigged.character.vrm.as_ref().map_or(0, |vrm| vrm.colliders.len());
    for strand in control.chains.iter_mut().filter_map(|c| c.hair.as_mut()) {
        strand.settings = HairSettings::EARLIER;
        strand.colliders.retain(|c| c.index() < n_authored);
    }
    control
}

fn both(rigged: &Arc<Rigged>, work: &Work) -> Result<Option<[HairMeasurement; 2]>, Stopped> {
    let Some(clip) = head_turn(rigged) else { return Ok(None) };
    let run = |rigged: &Arc<Rigged>| {
        let input = HairMeasureInput { rigged, clip: &clip, seconds: HEAD_TURN_SECS, rate_hz: 30 };
        measure_hair(&input, work)
    };
    Ok(Some([run(rigged)?, run(&Arc::new(control(rigged)))?]))
}

fn strand_rows(rigged: &Rigged) -> Vec<StrandRow> {
    let about = |chain: &Chain, strand: &Strand| {
        let mut parts = vec![super::words::counted(chain.joints.len(), "bone", "bones")];
        if strand.is_front {
            parts.push("in front".to_owned());
        }
        if !strand.colliders.is_empty() {
            parts.push(super::words::counted(strand.colliders.len(), "collider", "colliders"));
        }
        if strand.settings.solver == HairSolver::Earlier {
            parts.push("earlier rule".to_owned());
        }
        parts.join(", ")
    };
    let rows = rigged.chains.iter().filter_map(|c| {
        let strand = c.hair.as_ref()?;
        Some(StrandRow {
            name: c.name.clone(),
            about: about(c, strand),
            picked: match c.origin {
                crate::model::ChainOrigin::Strand(at) => Some(at as usize),
                _ => None,
            },
            is_skirt: strand.is_skirt,
        })
    });
    rows.collect()
}

fn collider_rows(rigged: &Rigged) -> Vec<ColliderRow> {
    let vrm = rigged.character.vrm.as_ref();
    let row = |(at, c): (usize, &crate::model::Collider)| {
        let now = 100.0 * c.shape.radius();
        let before = vrm.and_then(|v| v.colliders.get(at)).map(|c| 100.0 * c.shape.radius());
        let about = match before {
            Some(before) if (now - before).abs() > 0.05 => {
                format!("{now:.1} cm, grown from {before:.1}")
            }
            Some(_) => format!("{now:.1} cm"),
            None => format!("{now:.1} cm, added"),
        };
        ColliderRow { name: c.name.clone(), about }
    };
    rigged.colliders.iter().enumerate().map(row).collect()
}

fn picked_line(loaded: Option<&crate::model::Character>, picked: &[SurfaceVertex]) -> String {
    let (Some(loaded), Some(&first)) = (loaded, picked.first()) else { return String::new() };
    let mesh = loaded
        .locate(first)
        .and_then(|(i, _)| loaded.mesh_of(loaded.instance(i)?))
        .map_or("", |m| m.name.as_str());
    let n = super::words::counted(picked.len(), "vertex", "vertices");
    if mesh.is_empty() { n } else { format!("{n} of {mesh}") }
}

fn lines([improved, earlier]: &[HairMeasurement; 2]) -> Vec<HairLine> {
    let line = |name, of: &dyn Fn(&HairMeasurement) -> String| HairLine {
        name,
        improved: of(improved),
        earlier: of(earlier),
    };
    let mut lines = vec![
        line("Stretch p99", &|m| format!("{:.1} %", m.p99_percent)),
        line("Worst edge", &|m| format!("{:.1} %", m.worst_percent)),
        line("Settling", &|m| format!("{:.4} mm", m.settle_mm)),
        line("Lag", &|m| format!("{:.0} mm", m.lag_mm)),
        line("In the torso", &|m| super::words::counted(m.torso.links_inside, "link", "links")),
    ];
    if improved.occlusion.vertices > 0 {
        let hidden =
            |m: &HairMeasurement| format!("{} of {}", m.occlusion.hidden, m.occlusion.vertices);
        lines.push(line("Behind the shirt", &hidden));
    }
    lines
}
