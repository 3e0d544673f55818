//! The editor of mapping and retarget pose: the skeleton that a clip was made for and the character side by side, in the
//! pose that rotations are measured from or in the clip that plays.
//!
//! What is decided is an edit (`mapping` makes them); what the editor shows belongs to the session.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::command::{Changes, Edit, PlayCommand, Selection, WhoIs};
use super::jobs::JobKind;
use super::scene::{Accent, BoneMark, Scene, bone_marks};
use super::state::Studio;
use super::workspace::Workspace;
use crate::clips::PackedClip;
use crate::clips::retarget::{RetargetRig, Retargeter};
use crate::detect::roles;
use crate::document::{ClipsOn, file_of, with_source_role};
use crate::library::{ClipEntry, ClipSource};
use crate::model::{Character, HumanoidMap, NodeIndex, Pose, Rigged, Role, WorldPose};

/// What the editor is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PosingCommand {
    /// Opens it, in the Motion workspace, with a clip that is retargeted.
    Open,
    /// Closes it; what was decided stays.
    Close,
    /// Shows the clip that plays on both, or both in the pose that rotations are measured from.
    ShowClip(bool),
    /// Turns bones of the skeleton that the clip was made for, or those of the character.
    OfSource(bool),
    /// Says whose a role is on the skeleton of the user's file that the clip is from.
    SourceRole {
        /// Which role.
        role: Role,
        /// Whose it is there.
        who: WhoIs,
    },
    /// Turns the selected bone further.
    Turn {
        /// About this axis, world, unit.
        axis: Vec3,
        /// By this angle.
        by_rad: f32,
    },
}

/// What the session keeps of the editor.
#[derive(Debug, Default)]
pub(super) struct Posing {
    pub(super) is_open: bool,
    pub(super) shows_clip: bool,
    pub(super) of_source: bool,
    /// Whether the clip that a worker makes goes on from the moment that is shown.
    pub(super) resumes: bool,
    /// Whether tiles of the library show poses of before a drag.
    has_stale_tiles: bool,
    /// A clip of a user's file that was asked for last and cannot be played, and why: nobody is known on its skeleton.
    pub(super) unmapped: Option<(Box<ClipEntry>, String)>,
    stage: Option<Stage>,
}

/// What stands beside the character.
#[derive(Debug)]
pub(super) struct Stage {
    /// Of which it is: another rig has another.
    rigged: Arc<Rigged>,
    pub(super) title: String,
    /// The user's file that the clip is from.
    pub(super) file: Option<String>,
    /// The character of that file, and who is who on it as it is found.
    made_for: Option<(Arc<Character>, HumanoidMap)>,
    /// `None` where the two skeletons do not fit.
    retargeter: Option<Retargeter>,
    pub(super) source: RetargetRig,
    /// The clip as it was made; `None` where what plays is an edit of it.
    clip: Option<PackedClip>,
    /// The character in the pose that rotations are measured from.
    stand: Arc<WorldPose>,
    pub(super) angles: BTreeMap<Role, f32>,
}

impl Stage {
    /// Whether a hand has said whose a role is on the skeleton that the clip was made for.
    pub(super) fn is_by_user(&self, role: Role) -> bool {
        let found = self.made_for.as_ref().map(|(_, found)| found.node(role));
        found.is_some_and(|found| found != self.source.humanoid.node(role))
    }

    /// Bones of that skeleton which can be given a role: those of a user's file.
    pub(super) fn bones(&self) -> Vec<(NodeIndex, String)> {
        let skeleton = &self.source.skeleton;
        let named = skeleton.indices().map(|node| (node, skeleton.name(node).to_owned()));
        match (&self.file, &self.made_for) {
            (Some(_), Some(_)) => named.filter(|(_, name)| !name.is_empty()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the two skeletons fit.
    pub(super) fn fits(&self) -> bool {
        self.retargeter.is_some()
    }
}

/// One side of the editor.
#[derive(Clone, Debug)]
pub struct PosePane {
    /// What it shows.
    pub name: String,
    /// The figure.
    pub scene: Scene,
}

impl Studio {
    /// Whether the editor stands in the place of the viewport.
    pub fn is_posing(&self) -> bool {
        self.posing.is_open && self.workspace == Workspace::Motion && self.open.is_some()
    }

    pub(super) fn pose(&mut self, command: PosingCommand) -> Changes {
        let mut changes = Changes::SELECTION.and(Changes::SCENE);
        match command {
            PosingCommand::Open if self.open.is_none() => return Changes::NONE,
            PosingCommand::Open => {
                self.posing.is_open = true;
                changes = changes.and(self.enter(Workspace::Motion)).and(self.play_something());
            }
            PosingCommand::Close => {
                self.posing.is_open = false;
                // A split view comes back with the viewport.
                self.rebuild_paint();
            }
            PosingCommand::ShowClip(shows) => self.posing.shows_clip = shows,
            PosingCommand::OfSource(is) => self.posing.of_source = is,
            PosingCommand::SourceRole { role, who } => return self.map_source(role, who),
            PosingCommand::Turn { axis, by_rad } => return self.turn_bone(axis, by_rad),
        }
        self.restage();
        changes
    }

    /// A clip that is retargeted, where none plays or is asked for: there is nothing to stand beside the character
    /// otherwise.
    fn play_something(&mut self) -> Changes {
        let Some(open) = self.open.as_ref().filter(|_| self.unmapped_place().is_none()) else {
            return Changes::NONE;
        };
        let entries = open.library.entries();
        let playing = self.playback.as_ref().and_then(|p| p.clip()).map(|(place, _)| *place);
        let is_own = |e: &ClipEntry| matches!(e.source, ClipSource::Own(_));
        if playing.and_then(|place| entries.get(place)).is_some_and(|e| !is_own(e)) {
            return Changes::NONE;
        }
        let walk = entries.iter().position(|e| !is_own(e) && e.known_as == Some("Walk_Loop"));
        let place = walk.or_else(|| entries.iter().position(|e| !is_own(e)));
        place.map_or(Changes::NONE, |place| self.play(PlayCommand::Clip(Some(place))))
    }

    /// The poses, or who is who, are others: what plays is retargeted anew and goes on where it is.
    pub(super) fn follow_poses(&mut self) {
        self.restage();
        // A drag shows its tiles when it ends.
        if self.history.is_dragging() {
            self.posing.has_stale_tiles = true;
        } else {
            self.forget_tiles();
        }
        self.trials = None;
        let is_busy = self.jobs.runs(JobKind::Clip);
        if is_busy && self.history.is_dragging() {
            // A hand is faster than the worker, which is followed up when it comes back.
            return;
        }
        let place = self.playback.as_ref().and_then(|p| p.clip()).map(|(place, _)| *place);
        // One that could not be played may be one now.
        self.retarget_anew(self.unmapped_place().or(place));
    }

    /// The clip at `place` of the library, if it is retargeted at all, is so anew and goes on where what plays is.
    pub(super) fn retarget_anew(&mut self, place: Option<usize>) {
        let entry = place.and_then(|place| self.open.as_ref()?.library.entries().get(place));
        if entry.is_some_and(|entry| !matches!(entry.source, ClipSource::Own(_))) {
            self.posing.resumes = true;
            self.start_clip(place.unwrap_or_default());
        }
    }

    /// A drag has ended.
    pub(super) fn poses_committed(&mut self) {
        if std::mem::take(&mut self.posing.has_stale_tiles) {
            self.forget_tiles();
        }
    }

    /// Works out anew what stands beside the character, where the editor is open.
    pub(super) fn restage(&mut self) {
        self.posing.stage = if self.posing.is_open { self.stage() } else { None };
    }

    fn stage(&self) -> Option<Stage> {
        let (open, playback) = (self.open.as_ref()?, self.playback.as_ref()?);
        let place = self.unmapped_place().or_else(|| playback.clip().map(|(place, _)| *place));
        let entry = open.library.entries().get(place?)?;
        let clips = ClipsOn::without_skin(open.loaded()?, &open.evaluated);
        let (source, clip) = clips.source(entry).ok()??;
        let retargeter = clips.onto(entry, source.clone()).ok();
        let rigged = playback.rigged().clone();
        // Rigging appends joints: those of the file come first.
        let mut pose = rigged.bind.pose.clone();
        let stand = retargeter.as_ref().map(Retargeter::target_stand).unwrap_or_default();
        pose.locals.iter_mut().zip(stand.locals).for_each(|(slot, local)| *slot = local);
        let mut world = WorldPose::default();
        pose.to_world(&rigged.character.skeleton, &rigged.character.root_matrix(), &mut world);
        Some(Stage {
            title: entry.title.clone(),
            file: file_of(&entry.origin),
            made_for: match &entry.source {
                ClipSource::Of(of, _) => Some((of.clone(), roles::humanoid(of))),
                ClipSource::Own(_) | ClipSource::Recipe(_) => None,
            },
            angles: retargeter.as_ref().map(Retargeter::stand_angles).unwrap_or_default(),
            clip: entry.edit.is_none().then(|| PackedClip::new(&clip, &source.loaded)),
            stand: Arc::new(world),
            retargeter,
            source,
            rigged,
        })
    }

    /// What stands beside the character as it is now.
    pub(super) fn staged(&self) -> Option<&Stage> {
        let rigged = self.playback.as_ref()?.rigged();
        self.posing.stage.as_ref().filter(|stage| Arc::ptr_eq(&stage.rigged, rigged))
    }

    /// The role of the selected bone.
    pub(super) fn selected_role(&self) -> Option<Role> {
        match self.selection {
            Selection::Joint(node) => self.evaluated()?.detection.humanoid.role(node),
            _ => None,
        }
    }

    /// Where the selected bone can be turned by hand, world, metres: in the pose, not in the clip.
    pub fn turned_at(&self) -> Option<Vec3> {
        let stage = self.staged().filter(|stage| !self.posing.shows_clip && stage.fits())?;
        if self.posing.of_source && stage.file.is_some() {
            return None;
        }
        let node = stage.rigged.humanoid.node(self.selected_role()?)?;
        Some(stage.stand.matrix(node).translation.into())
    }

    /// The clip that could not be played, by its place in the library.
    pub(super) fn unmapped_place(&self) -> Option<usize> {
        let (entry, _) = self.posing.unmapped.as_ref()?;
        self.open.as_ref()?.library.entries().iter().position(|other| other.is_same(entry))
    }

    /// Says whose a role is on the skeleton of the clip's file.
    fn map_source(&mut self, role: Role, who: WhoIs) -> Changes {
        let edit = || {
            let (open, stage) = (self.open.as_ref()?, self.staged()?);
            let (file, (source, _)) = (stage.file.as_deref()?, stage.made_for.as_ref()?);
            let whose = match who {
                WhoIs::Auto => None,
                WhoIs::Nobody => Some(None),
                WhoIs::Joint(node) if node.index() < source.skeleton.len() => Some(Some(node)),
                WhoIs::Joint(_) => return None,
            };
            let poses = self.history.current().of(open.character).retarget.clone();
            let poses = with_source_role(poses, (file, source.as_ref()), role, whose);
            Some(Edit::Retarget(Box::new(poses)))
        };
        edit().map_or(Changes::NONE, |edit| self.edit_as("choose a bone of a clip", &edit))
    }

    /// Turns the selected bone of the character further, as it is seen: R P E = P E', with P the turns that carry it.
    fn turn_bone(&mut self, axis: Vec3, by_rad: f32) -> Changes {
        let edit = || {
            let (stage, panel) = (self.staged()?, self.retarget_panel()?);
            let (role, pose) = (panel.selected?, panel.pose());
            let (Some(axis), true) = (axis.try_normalize(), by_rad.is_finite()) else {
                return None;
            };
            let rigged = &stage.rigged;
            let node = rigged.humanoid.node(role)?;
            let above = rigged.character.skeleton.ancestors(node);
            let carried = above.fold(Quat::IDENTITY, |carried, node| {
                let own = rigged.humanoid.role(node).and_then(|role| pose.rotation(role));
                own.unwrap_or_default() * carried
            });
            let body_from_world = stage.retargeter.as_ref()?.body_from_world();
            let seen = Quat::from_axis_angle(body_from_world * axis, by_rad);
            Some(panel.edit(pose.turned(role, carried.conjugate() * seen * carried)))
        };
        edit().map_or(Changes::NONE, |edit| self.edit(&edit))
    }

    /// Both sides: the skeleton that the clip was made for, and the character. None where nothing is retargeted.
    pub fn pose_panes(&self) -> Option<[PosePane; 2]> {
        let (stage, playback) = (self.staged()?, self.playback.as_ref()?);
        let mut scene = self.scene.clone();
        if !self.posing.shows_clip {
            scene.world = stage.stand.clone();
        }
        scene.lines.clear();
        scene.planes.clear();
        scene.picks.clear();
        scene.labels.clear();
        let rigged = playback.rigged();
        let selected = match self.selection {
            Selection::Joint(node) => [node].into(),
            _ => Default::default(),
        };
        scene.bones = bone_marks(rigged, &rigged.humanoid, &scene.world, &selected);
        let own = PosePane { name: "This character".to_owned(), scene };
        let name = match &stage.file {
            Some(file) => format!("{} – {file}", stage.title),
            None => stage.title.clone(),
        };
        let beside = Scene {
            bounds: self.scene.bounds,
            floor_m: self.scene.floor_m,
            bones: self.source_bones(stage, playback.secs()),
            ..Scene::default()
        };
        Some([PosePane { name, scene: beside }, own])
    }

    /// The bones of the skeleton that the clip was made for, as large as the character, in its place.
    fn source_bones(&self, stage: &Stage, secs: f64) -> Vec<BoneMark> {
        let source = &stage.source;
        let hips = source.humanoid.node(Role::Hips).unwrap_or_default();
        let mut world = WorldPose::default();
        let (root, stand) = match &stage.retargeter {
            Some(made) => (made.world_from_source(), made.source_stand()),
            None => (source.world_from_file.to_affine(), source.loaded.clone()),
        };
        stand.to_world(&source.skeleton, &root, &mut world);
        if let (Some(clip), true) = (&stage.clip, self.posing.shows_clip) {
            let stood = world.matrix(hips).translation;
            let mut pose = Pose::default();
            clip.sample(secs, &mut pose);
            pose.to_world(&source.skeleton, &root, &mut world);
            if self.in_place {
                let mut way = stood - world.matrix(hips).translation;
                way.y = 0.0;
                world.world_from_node.iter_mut().for_each(|m| m.translation += way);
            }
        }
        let selected = self.selected_role().and_then(|role| source.humanoid.node(role));
        let place = |node| Vec3::from(world.matrix(node).translation);
        // Where nobody is known, every bone may be of the body.
        let is_known = stage.retargeter.is_some();
        let is_of_body = |node: &NodeIndex| {
            *node != hips && (source.skeleton.is_within(*node, hips) || !is_known)
        };
        let mark = |node: NodeIndex| {
            let parent = source.skeleton.parent(node)?;
            let is_selected = selected == Some(parent);
            let accent = if is_selected { Accent::Selected } else { Accent::Body };
            Some(BoneMark { node: parent, head: place(parent), tail: place(node), accent })
        };
        source.skeleton.indices().filter(is_of_body).filter_map(mark).collect()
    }
}
