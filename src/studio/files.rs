//! Files of the user's: saving, what is unsaved, questions before work is lost, and what survives a crash.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::command::{Changes, Command};
use super::export::{ExportCommand, ExportSettings};
use super::jobs::JobKind;
use super::journal::{Journal, LeftBehind, left_behind};
use super::notices::{NoticeAction, NoticeKind};
use super::opening::Request;
use super::session::{CameraPlace, Session, Sessions};
use super::state::{Outcome, Studio, chain};
use super::user_presets::UserPresets;
use super::watch::Watch;
use super::words;
use crate::document::project::{Project, SourceRef};
use crate::document::{Source, is_project_name};
use crate::io::{self, Overwrite};
use crate::motion::SOLVER_VERSION;

/// What can be asked about files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FileCommand {
    /// Saves the project where it was saved before; asks where, otherwise.
    Save,
    /// Saves the project in a file.
    SaveAs {
        /// Which.
        path: String,
        /// Whether a file of that name may be replaced without asking.
        replace: bool,
    },
    /// Saves what was done since the file was opened, for `tailbone replay`.
    SaveScript {
        /// Where.
        path: String,
        /// Whether a file of that name may be replaced without asking.
        replace: bool,
    },
    /// Saves roles and retarget poses as a mapping profile.
    SaveMap {
        /// Where.
        path: String,
        /// Whether a file of that name may be replaced without asking.
        replace: bool,
    },
    /// Takes roles and retarget poses from a mapping profile.
    LoadMap {
        /// Which.
        path: String,
    },
    /// Opens a project over another source than it names.
    Relink {
        /// The project.
        project: String,
        /// The source.
        source: String,
    },
    /// Reads the source again; the decisions stay.
    Reload,
    /// Shows another of the file's characters.
    Show(u32),
    /// Opens work that was left behind by a crash.
    Recover,
    /// Gives that work up.
    GiveUp,
    /// Ends the program.
    Quit,
    /// Asks the user for a path.
    Ask(PathQuestion),
    /// Answers the question that is shown.
    Answer(Answer),
}

/// A path that the window is to ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathQuestion {
    /// A character or a project to open.
    Open,
    /// A file of clips for the library.
    AddClips,
    /// Where to save the project; the name that stands there first.
    SaveProject(String),
    /// Where to save the steps as a script; the name that stands there first.
    SaveScript(String),
    /// Where to save a mapping profile; the name that stands there first.
    SaveMap(String),
    /// A mapping profile to take.
    LoadMap,
    /// The source of a project.
    Relink {
        /// The project.
        project: String,
    },
    /// Where to export to; the name that stands there first.
    Export(String),
}

impl PathQuestion {
    /// What a path, as an answer, asks of the studio. `replace`: whether the user has been asked about a file that is
    /// replaced.
    pub fn answered(&self, path: &Path, replace: bool) -> Command {
        let path = path.display().to_string();
        match self {
            Self::Open => Command::Open(path),
            Self::AddClips => Command::AddLibrary(path),
            Self::SaveProject(_) => Command::File(FileCommand::SaveAs { path, replace }),
            Self::SaveScript(_) => Command::File(FileCommand::SaveScript { path, replace }),
            Self::SaveMap(_) => Command::File(FileCommand::SaveMap { path, replace }),
            Self::LoadMap => Command::File(FileCommand::LoadMap { path }),
            Self::Export(_) => Command::Export(ExportCommand::Path(path)),
            Self::Relink { project } => {
                Command::File(FileCommand::Relink { project: project.clone(), source: path })
            }
        }
    }
}

/// A question that must be answered before work could be lost.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// There are unsaved decisions.
    Unsaved {
        /// About what.
        name: String,
        /// What was asked for and waits.
        then: Box<Command>,
    },
    /// A file would be replaced.
    Replace {
        /// Which.
        path: String,
        /// What was asked for and waits.
        then: Box<Command>,
    },
}

/// Its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// Save; replace.
    Yes,
    /// Go on without saving.
    No,
    /// Nothing at all.
    Cancel,
}

/// What a project holds besides decisions with a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Kept {
    pub(super) export: ExportSettings,
    pub(super) clip_sets: BTreeMap<String, Vec<String>>,
    pub(super) made_clips: Vec<String>,
}

impl Kept {
    pub(super) fn of(project: &Project) -> Self {
        let Project { export, clip_sets, made_clips, .. } = project;
        Self {
            export: export.clone(),
            clip_sets: clip_sets.clone(),
            made_clips: made_clips.clone(),
        }
    }

    fn is_in(&self, project: &Project) -> bool {
        self.export == project.export
            && self.clip_sets == project.clip_sets
            && self.made_clips == project.made_clips
    }
}

/// What the studio keeps beside the document.
#[derive(Default)]
pub(super) struct Desk {
    pub(super) sessions: Option<Sessions>,
    journal: Option<Journal>,
    watch: Option<Watch>,
    left: Vec<LeftBehind>,
    /// What the journal holds.
    recorded: Option<Project>,
    question: Option<Question>,
    paths: Vec<PathQuestion>,
    /// What waits for the project to be saved.
    after_saving: Option<Command>,
    /// The question about unsaved work has been answered: it may go.
    discards: bool,
    is_leaving: bool,
    /// Files opened, for the list of recent ones.
    pub(super) opened: Vec<String>,
    camera: Option<CameraPlace>,
    pub(super) camera_wanted: Option<CameraPlace>,
}

impl Desk {
    pub(super) fn watch_source(&self, source: &SourceRef) {
        if let Some(watch) = &self.watch {
            let is_file = !source.path.starts_with("sample:") && !source.hash.is_empty();
            watch.on(is_file.then(|| (PathBuf::from(&source.path), source.hash.clone())));
        }
    }
}

impl Studio {
    /// Keeps unsaved work, the user's presets, and where the user was in each file, below `state`; offers what a crash
    /// has left there.
    pub fn keep_in(&mut self, state: &Path) {
        self.desk.sessions = Some(Sessions::below(state));
        self.presets = UserPresets::below(state);
        let journal = Journal::start(state);
        let watch = Watch::start(self.wake());
        for fault in [journal.as_ref().err(), watch.as_ref().err()].into_iter().flatten() {
            log::warn!("no thread for unsaved work: {fault}");
        }
        self.desk.journal = journal.ok();
        self.desk.watch = watch.ok();
        self.desk.left = left_behind(state);
        self.offer_left_behind();
    }

    /// Whether unsaved work is kept for the case of a crash.
    pub fn keeps_unsaved(&self) -> bool {
        self.desk.journal.is_some()
    }

    /// Keeps unsaved work below `state`, or no longer.
    pub fn keep_unsaved(&mut self, state: Option<&Path>) {
        self.desk.recorded = None;
        self.desk.journal = state.and_then(|state| Journal::start(state).ok());
        self.record();
    }

    fn offer_left_behind(&mut self) {
        let Some(left) = self.desk.left.first() else { return };
        let project = Project::read(&left.text).map(|(project, _)| project.source.path);
        let about = left.project.as_ref().map(|p| p.display().to_string());
        let about = about.or(project.ok()).unwrap_or_default();
        let ago = left.at.and_then(|at| at.elapsed().ok()).map(words::ago).unwrap_or_default();
        let text = format!("Tailbone ended before {} was saved{ago}", words::file_name(&about));
        let actions = vec![
            NoticeAction::new("Recover", Command::File(FileCommand::Recover)),
            NoticeAction::new("Discard", Command::File(FileCommand::GiveUp)),
        ];
        self.notices.add_with(NoticeKind::Warning, text, actions);
    }

    /// What was left behind is open now, and kept anew.
    pub(super) fn recovered(&mut self, left: &LeftBehind) {
        self.desk.left.retain(|l| l.folder != left.folder);
        self.record();
        // The journal's thread may not have written yet, but it is this process that would have to die first.
        if let Err(error) = std::fs::remove_dir_all(&left.folder) {
            log::warn!("{} could not be removed: {error}", left.folder.display());
        }
        self.offer_left_behind();
    }

    /// Does what is asked about files.
    pub(super) fn file(&mut self, command: FileCommand) -> Changes {
        match command {
            FileCommand::Save => self.save(None),
            FileCommand::SaveAs { path, replace } => self.save_as(path, replace),
            FileCommand::SaveScript { path, replace } => self.save_script(path, replace),
            FileCommand::SaveMap { path, replace } => self.save_map(path, replace),
            FileCommand::LoadMap { path } => self.load_map(&path),
            FileCommand::Relink { project, source } => {
                let then = FileCommand::Relink { project: project.clone(), source: source.clone() };
                self.unless_unsaved(Command::File(then), |studio| {
                    studio.start_open(Request::Relink { project, source })
                })
            }
            FileCommand::Reload => self.reload(None),
            FileCommand::Show(character) => self.reload(Some(character)),
            FileCommand::Recover => {
                self.unless_unsaved(Command::File(FileCommand::Recover), |studio| {
                    let left = studio.desk.left.first().cloned();
                    left.map_or(Changes::NONE, |left| studio.start_open(Request::Recover(left)))
                })
            }
            FileCommand::GiveUp => {
                if !self.desk.left.is_empty() {
                    let left = self.desk.left.remove(0);
                    if let Err(error) = std::fs::remove_dir_all(&left.folder) {
                        log::warn!("{} could not be removed: {error}", left.folder.display());
                    }
                    self.offer_left_behind();
                }
                Changes::NOTICES
            }
            FileCommand::Quit => self.unless_unsaved(Command::File(FileCommand::Quit), |studio| {
                studio.desk.is_leaving = true;
                Changes::NOTICES
            }),
            FileCommand::Ask(question) => {
                self.desk.paths.push(question);
                Changes::NOTICES
            }
            FileCommand::Answer(answer) => self.answer(answer),
        }
    }

    /// Opens a file or a project, after a question where there is unsaved work.
    pub(super) fn ask_open(&mut self, what: String) -> Changes {
        self.unless_unsaved(Command::Open(what.clone()), |studio| {
            studio.start_open(Request::Fresh(what))
        })
    }

    fn unless_unsaved(
        &mut self,
        command: Command,
        go: impl FnOnce(&mut Self) -> Changes,
    ) -> Changes {
        if self.desk.discards || !self.is_dirty() {
            return go(self);
        }
        let name = self.file_name();
        self.desk.question = Some(Question::Unsaved { name, then: Box::new(command) });
        Changes::NOTICES
    }

    fn answer(&mut self, answer: Answer) -> Changes {
        match (self.desk.question.take(), answer) {
            (Some(Question::Unsaved { then, .. }), Answer::Yes) => self.save(Some(*then)),
            (Some(Question::Unsaved { then, .. }), Answer::No) => {
                // Should opening fail, what is open is as unsaved as before.
                self.desk.discards = true;
                let changes = self.apply(*then);
                self.desk.discards = false;
                changes
            }
            (Some(Question::Replace { then, .. }), Answer::Yes) => self.apply(*then),
            _ => {
                self.desk.after_saving = None;
                Changes::NOTICES
            }
        }
    }

    /// Shows a question; one that waits already is forgotten.
    pub(super) fn ask(&mut self, question: Question) -> Changes {
        self.desk.question = Some(question);
        Changes::NOTICES
    }

    /// The question that waits for an answer.
    pub fn question(&self) -> Option<&Question> {
        self.desk.question.as_ref()
    }

    /// Paths that the user is to be asked for.
    pub fn take_path_questions(&mut self) -> Vec<PathQuestion> {
        std::mem::take(&mut self.desk.paths)
    }

    /// Files opened since the last call, for the list of recent ones.
    pub fn take_opened_files(&mut self) -> Vec<String> {
        std::mem::take(&mut self.desk.opened)
    }

    /// Whether the user wants the program to end, and nothing is in the way.
    pub fn is_leaving(&self) -> bool {
        self.desk.is_leaving
    }

    /// Whether there are decisions that no file holds.
    pub fn is_dirty(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !self.is_in(&open.disk.project))
    }

    /// Whether `project` holds the decisions as they are.
    fn is_in(&self, project: &Project) -> bool {
        project.edits == *self.history.current() && self.kept.is_in(project)
    }

    /// Name of the open project or file.
    pub fn file_name(&self) -> String {
        self.open.as_ref().map_or_else(String::new, |open| words::file_name(&open.disk.what))
    }

    /// Name of the open project or file, with a star where it is not saved.
    pub fn title(&self) -> String {
        let star = if self.is_dirty() { "*" } else { "" };
        self.file_name() + star
    }

    /// The project as it would be saved, but for the place of its source.
    fn project_of(&self, open: &super::opening::Open) -> Project {
        let Kept { export, clip_sets, made_clips } = self.kept.clone();
        let edits = self.history.current().clone();
        Project { edits, export, clip_sets, made_clips, ..open.disk.project.clone() }
    }

    fn save(&mut self, then: Option<Command>) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        match open.disk.file.clone() {
            Some(path) => self.save_to(path, then),
            None => {
                self.desk.after_saving = then;
                self.desk.paths.push(PathQuestion::SaveProject(self.suggested()));
                Changes::NOTICES
            }
        }
    }

    /// Where a project is likely to be saved: beside its source, under its name.
    pub fn suggested(&self) -> String {
        let Some(open) = &self.open else { return String::new() };
        if let Some(path) = &open.disk.file {
            return path.display().to_string();
        }
        let origin = &open.document.source().origin;
        let path = Path::new(origin.strip_prefix("sample:").unwrap_or(origin));
        path.with_extension("tailbone").display().to_string()
    }

    /// Where a script of this session is likely to be saved: beside the project.
    pub fn suggested_script(&self) -> String {
        Path::new(&self.suggested()).with_extension("steps.ron").display().to_string()
    }

    /// Why nothing may be saved at `path`, whoever agrees to it: it is the file of the character, or no file at all.
    pub(super) fn refuses(&self, path: &Path) -> Option<String> {
        let origin = self.open.as_ref().map(|open| open.document.source().origin.as_str());
        let refused = io::may_save(path, Overwrite::Force, origin.map(Path::new));
        refused.err().map(|error| format!("Not saved: {}", chain(&error)))
    }

    fn save_as(&mut self, path: String, replace: bool) -> Changes {
        // A project never stands under the name of a character.
        let path = if is_project_name(&path) { path } else { path + ".tailbone" };
        let place = PathBuf::from(&path);
        let is_own = self.open.as_ref().is_some_and(|o| o.disk.file.as_ref() == Some(&place));
        if !replace && !is_own && place.exists() {
            let then = Command::File(FileCommand::SaveAs { path: path.clone(), replace: true });
            self.desk.question = Some(Question::Replace { path, then: Box::new(then) });
            return Changes::NOTICES;
        }
        let then = self.desk.after_saving.take();
        self.save_to(place, then)
    }

    fn save_to(&mut self, path: PathBuf, then: Option<Command>) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let source = open.document.source().clone();
        let mut project = self.project_of(open);
        self.start(JobKind::Save, move |_| {
            project.app = env!("CARGO_PKG_VERSION").into();
            project.solver = SOLVER_VERSION.into();
            project.source = SourceRef::of(&source.origin, &path);
            let result = io::save(&path, project.write().as_bytes(), Overwrite::Force);
            let result = result.map_err(|e| chain(&e));
            Outcome::Saved { source, path, project: Box::new(project), result, then }
        });
        Changes::NOTICES
    }

    pub(super) fn take_saved(
        &mut self,
        source: &Arc<Source>,
        path: PathBuf,
        result: Result<Project, String>,
        then: Option<Command>,
    ) -> Changes {
        let shown = path.display().to_string();
        let project = match result {
            Ok(project) => project,
            Err(why) => return self.tell_unsaved(shown, &why),
        };
        // Another file may have been opened while the disk was slow.
        let open = self.open.as_mut().filter(|o| Arc::ptr_eq(o.document.source(), source));
        if let Some(open) = open {
            open.disk.what.clone_from(&shown);
            open.disk.file = Some(path);
            open.disk.project = project;
            self.keep_session();
        }
        self.desk.opened.push(shown.clone());
        self.record();
        self.notices.add(NoticeKind::Info, format!("Saved {}", words::file_name(&shown)));
        let after = then.map_or(Changes::NONE, |then| self.apply(then));
        Changes::NOTICES.and(Changes::DOCUMENT).and(after)
    }

    fn tell_unsaved(&mut self, path: String, why: &str) -> Changes {
        let ask = FileCommand::Ask(PathQuestion::SaveProject(self.suggested()));
        let again = FileCommand::SaveAs { path, replace: true };
        let actions = vec![
            NoticeAction::new("Save elsewhere…", Command::File(ask)),
            NoticeAction::new("Try again", Command::File(again)),
        ];
        self.notices.add_with(NoticeKind::Error, format!("Not saved: {why}"), actions);
        Changes::NOTICES
    }

    /// Reads the source again, to show that one of its characters.
    fn reload(&mut self, character: Option<u32>) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let n = open.document.source().characters.len() as u32;
        let character = character.unwrap_or(open.character);
        if character >= n {
            return Changes::NONE;
        }
        let playing = self.playback.as_ref().and_then(|p| p.clip());
        let clip = playing.and_then(|(place, _)| open.library.key(*place));
        let request = Request::Reload {
            origin: open.document.source().origin.clone(),
            disk: Box::new(open.disk.clone()),
            edits: self.history.current().clone(),
            clip,
            character,
        };
        self.start_open(request)
    }

    /// Looks whether the source has changed on the disk.
    pub(super) fn poll_files(&mut self) -> Changes {
        let Some(path) = self.desk.watch.as_ref().and_then(Watch::take) else {
            return Changes::NONE;
        };
        let name = words::file_name(&path.display().to_string());
        let text = format!("{name} has changed on the disk; your decisions stay");
        let action = NoticeAction::new("Reload", Command::File(FileCommand::Reload));
        self.notices.add_with(NoticeKind::Info, text, vec![action]);
        Changes::NOTICES
    }

    /// Puts a step that was committed into the journal; takes the journal off the disk where everything is saved.
    pub(super) fn record(&mut self) {
        let (Some(journal), Some(open)) = (&self.desk.journal, &self.open) else { return };
        if self.history.is_dragging() {
            return;
        }
        if self.is_in(&open.disk.project) {
            if self.desk.recorded.take().is_some() {
                journal.forget();
            }
            return;
        }
        if self.desk.recorded.as_ref().is_some_and(|recorded| self.is_in(recorded)) {
            return;
        }
        let project = Project { source: open.disk.source.clone(), ..self.project_of(open) };
        journal.step(open.disk.file.clone(), project.write());
        self.desk.recorded = Some(project);
    }

    /// Where the camera is now.
    pub fn set_camera(&mut self, place: CameraPlace) {
        self.desk.camera = Some(place);
    }

    /// Where the camera was when the file that has just been opened was left; nowhere where it is new.
    pub fn camera_wanted(&self) -> Option<CameraPlace> {
        self.desk.camera_wanted
    }

    /// Remembers where the user is in the open file.
    pub fn keep_session(&self) {
        let (Some(sessions), Some(open)) = (&self.desk.sessions, &self.open) else { return };
        let playback = self.playback.as_ref();
        let clip = playback.and_then(|p| p.clip()).and_then(|(place, _)| open.library.key(*place));
        let session = Session {
            camera: self.desk.camera,
            workspace: self.workspace,
            clip,
            is_playing: self.is_playing(),
            speed: playback.map(super::Playback::speed),
            selection: self.selection,
            overlays: self.overlays.clone(),
            hidden: self.hidden.iter().map(|i| i.0).collect(),
        };
        if let Err(error) = sessions.save(&open.disk.what, &session) {
            log::warn!("the session could not be remembered: {error}");
        }
    }
}
