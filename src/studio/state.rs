//! The studio's state, and the one way to change it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::colliders::ColliderDesk;
use super::command::{Changes, Command, Overlay, Selection};
use super::export::{ExportCheck, ExportDesk};
use super::export_job::{ExportFault, Exported};
use super::exported::ExportedView;
use super::figure::Figure;
use super::files::{Desk, Kept};
use super::hair::HairDesk;
use super::heat::{Heats, Reading, Stretched};
use super::jobs::{Done, JobId, JobKind, JobProgress, Jobs, Wake};
use super::keymap::Keymap;
use super::libraries::{Libraries, ReadLibrary, Wanted, Why};
use super::measuring::Measured;
use super::notices::{Notice, NoticeKind, Notices};
use super::opening::{Open, OpenFault, Opened, Request};
use super::playback::Playback;
use super::posing::Posing;
use super::scene::Scene;
use super::script::Script;
use super::shade::Shade;
use super::stretch_plot::{Plotted, StretchPlot};
use super::sweeping::{Sweeping, SweptOf};
use super::tiles::Tiles;
use super::tools::Tools;
use super::trace::Trace;
use super::tuning::Tuning;
use super::user_presets::UserPresets;
use super::workspace::Workspace;
use crate::detect::DetectSettings;
use crate::document::project::Project;
use crate::document::{Edits, Evaluated, History, Source, StageCache, SweepLine};
use crate::library::{ClipEntry, Dropped};
use crate::measure::{HairMeasurement, LiveStretch, Measurement};
use crate::model::{InstanceIndex, NodeIndex, RegionId, RetargetPoses, Rigged};
use crate::perform::LegBone;
use crate::work::{Stopped, Work};

pub(super) use crate::document::with_causes as chain;

/// Measurements of the trial clips, by title.
pub(super) type Trials = Vec<(String, Measurement)>;

/// What comes back from the workers.
pub(super) enum Outcome {
    Opened {
        request: Request,
        result: Result<Box<Opened>, OpenFault>,
    },
    Exported {
        result: Result<Exported, ExportFault>,
    },
    Checked {
        result: Result<(ExportCheck, Option<Box<ExportedView>>), String>,
    },
    Saved {
        source: Arc<Source>,
        path: PathBuf,
        project: Box<Project>,
        result: Result<(), String>,
        then: Option<Command>,
    },
    Evaluated {
        edits: Edits,
        cache: StageCache,
        result: Result<Box<(Evaluated, Figure)>, Stopped>,
    },
    Dropped {
        result: Result<Vec<(String, Dropped)>, Stopped>,
    },
    Library {
        wanted: Wanted,
        result: ReadLibrary,
    },
    Clip {
        source: Arc<Source>,
        entry: Box<ClipEntry>,
        poses: RetargetPoses,
        result: Result<Box<Playback>, String>,
    },
    Measured {
        result: Result<Box<Measured>, Stopped>,
    },
    Tried {
        of: Arc<Rigged>,
        result: Result<Trials, String>,
    },
    Swept {
        of: SweptOf,
        result: Result<Vec<(usize, SweepLine)>, Stopped>,
    },
    Tile {
        place: usize,
        result: Result<Box<Playback>, String>,
    },
    HairMeasured {
        of: Arc<Rigged>,
        result: Result<Option<Box<[HairMeasurement; 2]>>, Stopped>,
    },
    /// Colours of a large character that no pose changes.
    Heated(Heats),
    /// Stretch of a large character.
    Stretched(Box<(Reading, Stretched)>),
    Plot(Plotted, Box<LiveStretch>),
}

/// The application without a screen.
pub struct Studio {
    pub(super) open: Option<Open>,
    pub(super) libraries: Libraries,
    pub(super) history: History<Edits>,
    pub(super) jobs: Jobs<Outcome>,
    pub(super) notices: Notices,
    pub(super) selection: Selection,
    /// Regions that are selected besides.
    pub(super) also: BTreeSet<RegionId>,
    pub(super) tools: Tools,
    pub(super) playback: Option<Playback>,
    pub(super) overlays: BTreeSet<Overlay>,
    pub(super) hidden: BTreeSet<InstanceIndex>,
    pub(super) scene: Scene,
    pub(super) solver_us: Option<f32>,
    /// Whether clips are played without their way over the floor.
    pub(super) in_place: bool,
    /// Whether clips that play once hold their last pose instead of playing again.
    pub(super) holds_end: bool,
    pub(super) shade: Shade,
    pub(super) heats: Heats,
    /// The bone whose weights are shown while something else is selected.
    pub(super) weights_of: Option<NodeIndex>,
    /// The legs as springs see them, and the rig they are of.
    pub(super) legs: Option<(Arc<Rigged>, Vec<LegBone>)>,
    pub(super) workspace: Workspace,
    /// Whether the comparison stands in the viewport of other workspaces too.
    pub(super) is_split: bool,
    pub(super) measured: Option<Measured>,
    /// Numbers of the trial clips, and the rig they are of.
    pub(super) trials: Option<(Arc<Rigged>, Trials)>,
    pub(super) tuning: Tuning,
    pub(super) presets: UserPresets,
    pub(super) trace: Trace,
    pub(super) stretch_plot: StretchPlot,
    pub(super) tiles: Tiles,
    /// By their places: why the clips of tiles do not fit this character. They are not asked for again.
    pub(super) failed_tiles: BTreeMap<usize, String>,
    /// The keys in force, as the palette shows them.
    pub keymap: Keymap,
    pub(super) desk: Desk,
    /// Export settings and clip sets, as they are: saved with the project, outside its history.
    pub(super) kept: Kept,
    pub(super) exporting: ExportDesk,
    /// What was done since the file was opened.
    pub(super) script: Option<Script>,
    /// What became of the decisions and is not in the script yet.
    pub(super) done: Vec<Command>,
    /// The exported file, while it is shown in the document's place.
    pub(super) exported: Option<Box<ExportedView>>,
    pub(super) hair: HairDesk,
    pub(super) colliders: ColliderDesk,
    pub(super) posing: Posing,
    pub(super) sweeping: Sweeping,
}

impl Studio {
    /// A studio with nothing open. `wake` is called from workers when something is ready for [`Studio::poll`].
    pub fn new(wake: Wake) -> Self {
        Self {
            open: None,
            libraries: Libraries::default(),
            history: History::new(Edits::default()),
            jobs: Jobs::new(wake),
            notices: Notices::default(),
            selection: Selection::None,
            also: BTreeSet::new(),
            tools: Tools::default(),
            playback: None,
            overlays: [Overlay::Regions, Overlay::Chains, Overlay::Outlines, Overlay::HairOutlines]
                .into(),
            hidden: BTreeSet::new(),
            scene: Scene::default(),
            solver_us: None,
            in_place: false,
            holds_end: false,
            shade: Shade::default(),
            heats: Heats::default(),
            weights_of: None,
            legs: None,
            workspace: Workspace::default(),
            is_split: false,
            measured: None,
            trials: None,
            tuning: Tuning::default(),
            presets: UserPresets::default(),
            trace: Trace::default(),
            stretch_plot: StretchPlot::default(),
            tiles: Tiles::default(),
            failed_tiles: BTreeMap::new(),
            keymap: Keymap::default(),
            desk: Desk::default(),
            kept: Kept::default(),
            exporting: ExportDesk::default(),
            script: None,
            done: Vec::new(),
            exported: None,
            hair: HairDesk::default(),
            colliders: ColliderDesk::default(),
            posing: Posing::default(),
            sweeping: Sweeping::default(),
        }
    }

    /// Does what is asked; what the screen must refresh.
    pub fn apply(&mut self, command: Command) -> Changes {
        let done = command.clone();
        let changes = self.act(command);
        self.log(&done);
        self.record();
        changes
    }

    fn act(&mut self, command: Command) -> Changes {
        match command {
            Command::Open(what) => self.ask_open(what),
            Command::Drop(paths) => self.drop_files(paths),
            Command::AddLibrary(path) => self.add_library(&path, Why::Added),
            Command::RemoveLibrary(path) => self.remove_library(&path),
            Command::Clips(command) => self.make_clips(command),
            Command::Sweep(places) => self.sweep(&places),
            Command::ShowWorst(place) => self.show_worst(place),
            Command::File(command) => self.file(command),
            Command::Export(command) => self.export(command),
            Command::Select(selection) => self.select(selection),
            Command::SelectAlso(region) => self.select_also(region),
            Command::Tool(command) => self.use_tool(command),
            Command::GoTo(step) => self.travel(Command::GoTo(step), |h| h.go_to(step)),
            Command::ShowMeshes => self.show_only(None),
            Command::Solo(instance) => self.show_only(Some(instance)),
            Command::Edit(edit) => self.edit(&edit),
            Command::ApplyPreset { of, name } => match self.preset_of(&name) {
                Ok(preset) => self.edit(&of.tuned(Some(preset.settings))),
                Err(error) => self.notice(NoticeKind::Error, chain(&error)),
            },
            Command::PreviewPreset { of, name } => self.preview_preset(of, name),
            Command::SavePreset { of, name } => self.save_preset(&of, &name),
            Command::RemovePreset(name) => self.remove_preset(&name),
            Command::CopySprings(settings) => {
                self.tuning.copied = Some(settings);
                Changes::DOCUMENT
            }
            Command::PasteSprings { of } => match self.tuning.copied {
                Some(settings) => self.edit(&of.tuned(Some(settings))),
                None => Changes::NONE,
            },
            Command::SwapSprings { of } => self.swap_springs(of),
            Command::Begin(label) => {
                self.done.push(Command::Begin(label.clone()));
                self.history.begin(label);
                Changes::NONE
            }
            Command::Commit => {
                self.done.push(Command::Commit);
                self.history.commit();
                self.poses_committed();
                Changes::DOCUMENT
            }
            Command::Abort => self.abort(),
            // The stroke that waits is the last thing that a hand did.
            Command::Undo if self.tools.drop_parked() => Changes::DOCUMENT.and(Changes::SCENE),
            Command::Undo => self.travel(Command::Undo, History::undo),
            Command::Redo => self.travel(Command::Redo, History::redo),
            Command::Play(play) => self.play(play),
            Command::Toggle(overlay) => {
                if !self.overlays.remove(&overlay) {
                    self.overlays.insert(overlay);
                }
                if overlay == Overlay::PeakHold {
                    self.reset_peaks();
                }
                if matches!(overlay, Overlay::Outlines | Overlay::HairOutlines) {
                    self.rebuild_outlines();
                }
                self.rebuild_paint();
                self.rebuild_overlays();
                Changes::SCENE
            }
            Command::Shade(shade) => {
                self.shade = shade;
                self.rebuild_paint();
                Changes::SCENE
            }
            Command::ShowWeights(node) => self.show_weights(node),
            Command::ToggleMesh(instance) => {
                if !self.hidden.remove(&instance) {
                    self.hidden.insert(instance);
                }
                self.scene.hidden.clone_from(&self.hidden);
                Changes::SCENE.and(Changes::SELECTION)
            }
            Command::Cancel(id) => {
                self.jobs.cancel(id);
                self.exporting.cancelled(id);
                Changes::NOTICES.and(Changes::DOCUMENT)
            }
            Command::Dismiss(id) => {
                self.notices.dismiss(id);
                Changes::NOTICES
            }
            Command::NextDoubtful => self.next_doubtful(),
            Command::Hair(command) => self.hair(command),
            Command::Collider(command) => self.collider(command),
            Command::Rename(what, name) => self.rename(what, &name),
            Command::Posing(command) => self.pose(command),
            Command::Workspace(workspace) => self.enter(workspace),
            Command::ToggleSplit => {
                self.is_split = !self.is_split;
                self.rebuild_paint();
                Changes::SCENE
            }
        }
    }

    /// Other panels around the same document; only Export shows the exported file in its place.
    pub(super) fn enter(&mut self, workspace: Workspace) -> Changes {
        self.workspace = workspace;
        if workspace != Workspace::Export {
            self.show_exported(None);
        }
        self.follow_hair();
        self.follow_marks();
        self.rebuild_overlays();
        self.rebuild_paint();
        Changes::DOCUMENT.and(Changes::SCENE)
    }

    /// Shows one mesh alone, or all: also where it is alone already.
    fn show_only(&mut self, alone: Option<InstanceIndex>) -> Changes {
        let all = self.open.as_ref().and_then(Open::loaded).map_or(0, |c| c.instances().count());
        let others = (0..all).map(InstanceIndex::from_index).filter(|&i| Some(i) != alone);
        let others: BTreeSet<InstanceIndex> = others.filter(|_| alone.is_some()).collect();
        self.hidden = if self.hidden == others { BTreeSet::new() } else { others };
        self.scene.hidden.clone_from(&self.hidden);
        Changes::SCENE.and(Changes::SELECTION)
    }

    /// Takes what workers have finished; what the screen must refresh.
    pub fn poll(&mut self) -> Changes {
        let mut changes = self.poll_files();
        while let Some((kind, done)) = self.jobs.take() {
            changes = changes.and(match done {
                Done::Value(Outcome::Opened { request, result }) => {
                    self.take_opened(request, result)
                }
                Done::Value(Outcome::Exported { result }) => self.take_exported(result),
                Done::Value(Outcome::Checked { result }) => self.take_checked(result),
                Done::Value(Outcome::Saved { source, path, project, result, then }) => {
                    let result = result.map(|()| *project);
                    self.take_saved(&source, path, result, then)
                }
                Done::Value(Outcome::Evaluated { edits, cache, result }) => {
                    self.take_evaluated(&edits, cache, result)
                }
                Done::Value(Outcome::Dropped { result }) => self.take_dropped(result),
                Done::Value(Outcome::Library { wanted, result }) => {
                    self.take_library(wanted, result)
                }
                Done::Value(Outcome::Clip { source, entry, poses, result }) => {
                    self.take_clip(&source, &entry, &poses, result)
                }
                Done::Value(Outcome::Measured { result }) => {
                    self.measured = result.ok().map(|measured| *measured);
                    self.rebuild_paint();
                    self.start_trials();
                    Changes::SCENE
                }
                Done::Value(Outcome::Tried { of, result }) => {
                    // What cannot play a clip has no numbers; that is said where the clip is chosen.
                    self.trials = result.ok().map(|trials| (of, trials));
                    Changes::SELECTION
                }
                Done::Value(Outcome::Swept { of, result }) => self.take_swept(of, result),
                Done::Value(Outcome::Tile { place, result }) => match result {
                    Ok(playback) => {
                        self.tiles.take(place, *playback);
                        Changes::NONE
                    }
                    Err(why) => {
                        self.failed_tiles.insert(place, super::words::sentence(&why));
                        Changes::SELECTION
                    }
                },
                Done::Value(Outcome::HairMeasured { of, result }) => self.take_hair(of, result),
                Done::Value(Outcome::Heated(heated)) => self.take_heated(heated),
                Done::Value(Outcome::Stretched(read)) => {
                    let (reading, stretched) = *read;
                    self.take_stretched(&reading, stretched)
                }
                Done::Value(Outcome::Plot(of, live)) => self.take_plot(of, live),
                Done::Broke(said) => {
                    let text = format!("{} broke off, nothing was changed ({said})", kind.name());
                    self.notice(NoticeKind::Error, super::words::sentence(&text))
                }
            });
        }
        // One of them may have been cancelled, or have broken off.
        self.next_library();
        if !self.done.is_empty() {
            // A stroke that had to wait for a worker, a library that was read.
            self.log_done();
            self.record();
        }
        changes
    }

    /// Lets `dt_secs` of the wall's clock pass; what the screen must refresh.
    pub fn tick(&mut self, dt_secs: f64) -> Changes {
        let moved = self.tick_exported(dt_secs);
        let Some(playback) = &mut self.playback else { return Changes::NONE };
        let start = Instant::now();
        if !playback.tick(dt_secs) {
            return if moved { Changes::SCENE } else { Changes::NONE };
        }
        let us = start.elapsed().as_secs_f32() * 1e6;
        self.solver_us = Some(self.solver_us.map_or(us, |mean| mean * 0.95 + us * 0.05));
        self.tiles.pass(dt_secs);
        if let Some(earlier) = &mut self.hair.earlier {
            earlier.tick(dt_secs);
        }
        let (chain, stretch) = (self.tuned_chain(), self.read_stretch(dt_secs));
        if let Some(playback) = &self.playback {
            self.trace.pass(playback, (chain, stretch), dt_secs * f64::from(playback.speed()));
        }
        self.show_pose();
        Changes::SCENE
    }

    /// What the viewport shows.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Messages to the user.
    pub fn notices(&self) -> &[Notice] {
        self.notices.shown()
    }

    /// Work that runs.
    pub fn progress(&self) -> Vec<JobProgress> {
        self.jobs.progress()
    }

    /// Whether a worker is busy.
    pub fn is_working(&self) -> bool {
        self.jobs.count(|kind| !kind.is_quiet()) > 0
    }

    /// Whether an overlay is shown.
    pub fn shows(&self, overlay: Overlay) -> bool {
        self.overlays.contains(&overlay)
    }

    /// What is selected.
    pub fn selection(&self) -> Selection {
        self.selection
    }

    /// Which panels stand around the viewport.
    pub fn workspace(&self) -> Workspace {
        self.workspace
    }

    /// Whether time passes.
    pub fn is_playing(&self) -> bool {
        self.playback.as_ref().is_some_and(Playback::is_playing)
    }

    /// The decisions, as they are.
    pub fn edits(&self) -> &Edits {
        self.history.current()
    }

    /// Marks and thresholds of detection, as decided.
    pub fn thresholds(&self) -> DetectSettings {
        let character = self.open.as_ref().map_or(0, |open| open.character);
        self.history.current().of(character).detect
    }

    /// Labels of all steps of the history, the oldest first, and how many of them are done.
    pub fn steps(&self) -> (Vec<&str>, usize) {
        (self.history.labels().collect(), self.history.n_done())
    }

    /// Labels of what undo and redo would do.
    pub fn undo_redo(&self) -> (Option<&str>, Option<&str>) {
        (self.tools.parked_label().or(self.history.undo_label()), self.history.redo_label())
    }

    /// What is open, and what it comes to.
    pub fn evaluated(&self) -> Option<&Evaluated> {
        self.open.as_ref().map(|open| &open.evaluated)
    }

    /// Shows a message.
    pub fn notice(&mut self, kind: NoticeKind, text: impl Into<String>) -> Changes {
        self.notices.add(kind, text);
        Changes::NOTICES
    }

    /// What is called when something is ready for [`Studio::poll`].
    pub(super) fn wake(&self) -> Wake {
        self.jobs.wake()
    }

    pub(super) fn start(
        &mut self,
        kind: JobKind,
        run: impl FnOnce(&Work) -> Outcome + Send + 'static,
    ) -> Option<JobId> {
        match self.jobs.start(kind, run) {
            Ok(id) => Some(id),
            Err(error) => {
                let text = format!("No thread for {}: {error}", kind.name());
                self.notices.add(NoticeKind::Error, text);
                None
            }
        }
    }
}

/// A wake that does nothing, for use without a window.
pub fn no_wake() -> Wake {
    Arc::new(|| {})
}

/// The samples that can be opened by `sample:NAME`: name, and one line about each.
pub fn samples() -> Vec<(&'static str, &'static str)> {
    crate::samples::list().iter().map(|sample| (sample.name, sample.about)).collect()
}
