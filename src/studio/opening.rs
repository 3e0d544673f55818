//! Opening: a character's file, a project over one, the same file again after another export, work that was left behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::chain::first_shown;
use super::command::{Changes, Command, Selection};
use super::export::ExportDesk;
use super::figure::Figure;
use super::files::{FileCommand, Kept, PathQuestion};
use super::jobs::{JobKind, discard};
use super::journal::LeftBehind;
use super::libraries::{UserLibrary, are_same, library_of};
use super::notices::{NoticeAction, NoticeKind};
use super::script::Script;
use super::session::{Session, Sessions};
use super::state::{Outcome, Studio, chain};
use super::stretch_plot::StretchPlot;
use super::trace::Trace;
use crate::document::project::{Found, Project, SourceRef};
use crate::document::{
    CharacterEdits, Document, Edits, Evaluated, History, RegionEdit, RegionRef, StageCache,
    clip_on, evaluate, is_project_name,
};
use crate::io;
use crate::library::{ClipEntry, ClipOrigin, Library, is_motion};
use crate::model::{Character, InstanceIndex, RegionId};
use crate::perform::AtEnd;
use crate::work::{Stopped, Work};

/// A document with what it comes to. Its parts stay together: a result of other edits never shows.
pub(super) struct Open {
    pub(super) document: Document,
    pub(super) cache: StageCache,
    pub(super) evaluated: Evaluated,
    /// Which of the file's characters is shown.
    pub(super) character: u32,
    /// The character's own clips, then the user's, then the bundled ones.
    pub(super) library: Library,
    /// What of it lies on the disk.
    pub(super) disk: OnDisk,
}

/// What of a document lies on the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct OnDisk {
    /// As it was asked for: the project's path, else the source's.
    pub(super) what: String,
    /// The project file, once there is one.
    pub(super) file: Option<PathBuf>,
    /// What that file holds; without one, the decisions that the source itself carries.
    pub(super) project: Project,
    /// The source by its absolute path, with its hash.
    pub(super) source: SourceRef,
}

/// What is to be opened.
#[derive(Clone, Debug)]
pub(super) enum Request {
    /// A character's file, a sample, or a project.
    Fresh(String),
    /// A project over another source than it names.
    Relink { project: String, source: String },
    /// The source again, with the decisions there are and the clip that plays.
    Reload { origin: String, disk: Box<OnDisk>, edits: Edits, clip: Option<String>, character: u32 },
    /// Work that was left behind.
    Recover(LeftBehind),
}

impl Request {
    /// What it is about, for messages.
    fn subject(&self) -> String {
        match self {
            Self::Fresh(what) => what.clone(),
            Self::Relink { project, .. } => project.clone(),
            Self::Reload { origin, .. } => origin.clone(),
            Self::Recover(left) => left.folder.display().to_string(),
        }
    }
}

/// What opening came to.
pub(super) struct Opened {
    open: Open,
    /// In the clip it opens with.
    figure: Figure,
    /// What differs from the disk: decisions, and what is kept beside them.
    unsaved: Option<(Edits, Kept)>,
    /// Where the user was in it.
    session: Option<Session>,
    /// The user's libraries when it was begun.
    libraries: Vec<Arc<UserLibrary>>,
    /// What is odd.
    notices: Vec<String>,
}

/// Why nothing was opened.
pub(super) enum OpenFault {
    /// In words.
    Said(String),
    /// The project is there, its source is not.
    SourceMissing { project: String, wanted: String },
}

impl From<String> for OpenFault {
    fn from(said: String) -> Self {
        Self::Said(said)
    }
}

/// A document, before it is evaluated.
struct Read {
    document: Document,
    disk: OnDisk,
    unsaved: Option<(Edits, Kept)>,
    notices: Vec<String>,
}

impl Read {
    fn file(what: &str, work: &Work) -> Result<Self, OpenFault> {
        let document = Document::open(what, work).map_err(|e| chain(&e))?;
        let project = Project { edits: document.edits.clone(), ..Project::default() };
        let source = SourceRef::absolute(what);
        let disk = OnDisk { what: what.to_owned(), file: None, project, source };
        Ok(Self { document, disk, unsaved: None, notices: Vec::new() })
    }

    fn project(path: &str, source: Option<&str>, work: &Work) -> Result<Self, OpenFault> {
        let place = Path::new(path);
        let (project, mut notices) = read_project(place)?;
        let origin = match (source, project.source.find(place)) {
            (Some(source), _) => source.to_owned(),
            (None, Found::Same(origin)) => origin,
            (None, Found::Changed(origin)) => {
                notices.push(format!(
                    "{origin} is another export than the project was saved over; decisions were attached again by place"
                ));
                origin
            }
            (None, Found::Missing) => {
                let wanted = project.source.path.clone();
                return Err(OpenFault::SourceMissing { project: path.to_owned(), wanted });
            }
        };
        let mut read = Self::file(&origin, work)?;
        read.document.edits = project.edits.clone();
        read.notices = notices;
        read.disk = OnDisk {
            what: path.to_owned(),
            file: Some(place.into()),
            project,
            source: read.disk.source,
        };
        Ok(read)
    }

    fn left_behind(left: &LeftBehind, work: &Work) -> Result<Self, OpenFault> {
        let (project, _) = Project::read(&left.text).map_err(|e| chain(&e))?;
        let origin = match project.source.find(&left.folder.join("autosave.tailbone")) {
            Found::Same(origin) | Found::Changed(origin) => origin,
            Found::Missing => {
                return Err(OpenFault::Said(format!(
                    "{} is gone; put it back and recover again, the unsaved work stays in {}",
                    project.source.path,
                    left.folder.display()
                )));
            }
        };
        let mut read = Self::file(&origin, work)?;
        // What the project file holds is what undo leads back to, and what is compared with.
        let saved = left.project.as_deref().and_then(|path| Some((path, read_project(path).ok()?)));
        if let Some((path, (on_disk, _))) = saved {
            read.disk.what = path.display().to_string();
            read.disk.file = Some(path.into());
            read.disk.project = on_disk;
        }
        read.document.edits = project.edits.clone();
        read.unsaved = Some((project.edits.clone(), Kept::of(&project)));
        Ok(read)
    }
}

fn read_project(path: &Path) -> Result<(Project, Vec<String>), OpenFault> {
    let text = io::read_text(path).map_err(|e| chain(&e))?;
    let (project, unknown) = Project::read(&text).map_err(|e| chain(&e))?;
    Ok((project, unknown.iter().map(ToString::to_string).collect()))
}

impl Opened {
    /// Opens and evaluates. Called on a worker.
    fn read(
        request: Request,
        sessions: Option<&Sessions>,
        libraries: Vec<Arc<UserLibrary>>,
        at_end: AtEnd,
        work: &Work,
    ) -> Result<Self, OpenFault> {
        let mut clip = None;
        let mut is_fresh = true;
        let mut index = 0;
        let read = match request {
            Request::Fresh(what) if is_project_name(&what) => Read::project(&what, None, work)?,
            Request::Fresh(what) => Read::file(&what, work)?,
            Request::Relink { project, source } => Read::project(&project, Some(&source), work)?,
            Request::Recover(left) => Read::left_behind(&left, work)?,
            Request::Reload { origin, disk, edits, clip: playing, character } => {
                let mut read = Read::file(&origin, work)?;
                read.disk = OnDisk { source: read.disk.source, ..*disk };
                read.document.edits = edits;
                clip = playing;
                is_fresh = false;
                index = character;
                read
            }
        };
        let session = sessions.filter(|_| is_fresh).and_then(|s| s.load(&read.disk.what));
        let Read { document, disk, unsaved, mut notices } = read;
        let mut cache = StageCache::default();
        let evaluated =
            evaluate(&document, index, &mut cache, work).map_err(|Stopped| "stopped".to_owned())?;
        notices.extend(evaluated.notices.iter().map(ToString::to_string));
        let mut library = Library::bundled();
        let mut first_clip = None;
        if let Some(loaded) = document.character(index) {
            library = library_of(loaded, &libraries).with_made(&disk.project.made_clips);
            let wanted = clip.or_else(|| session.as_ref().and_then(|s| s.clip.clone()));
            // Own clips come first; a character that is no humanoid takes no others, and stands still without.
            first_clip = first_place(&library, wanted.as_deref()).and_then(|place| {
                let entry = library.entries().get(place)?;
                Some((place, clip_on(loaded, &evaluated, entry, work).ok()?))
            });
        }
        let figure = Figure::of(&evaluated, first_clip, at_end);
        let open = Open { document, cache, evaluated, character: index, library, disk };
        Ok(Self { open, figure, unsaved, session, libraries, notices })
    }
}

impl Open {
    /// The character as it was loaded.
    pub(super) fn loaded(&self) -> Option<&Character> {
        self.document.character(self.character)
    }

    /// Which region each of the decisions `edits` is about, in their order; only what was decided since this was
    /// evaluated is looked for.
    pub(super) fn about(&self, edits: &CharacterEdits) -> Vec<Option<RegionId>> {
        let Some(loaded) = self.loaded() else { return Vec::new() };
        let evaluated = &self.document.edits.of(self.character).regions;
        let known = |region: &RegionRef| {
            evaluated.iter().zip(&self.evaluated.about).find(|(edit, _)| edit.region == *region)
        };
        let find = |edit: &RegionEdit| match known(&edit.region) {
            Some((_, about)) => *about,
            None => edit.region.find(loaded, &self.evaluated.detection),
        };
        edits.regions.iter().map(find).collect()
    }
}

/// The clip that a character shows itself in: the one that is wanted, its own walk, else its first own, else a bundled
/// walk.
fn first_place(library: &Library, wanted: Option<&str>) -> Option<usize> {
    let entries = library.entries();
    let walk = walk_place(library);
    let is_own = |e: &ClipEntry| e.origin == ClipOrigin::File;
    wanted
        .and_then(|wanted| library.place(wanted))
        .or_else(|| walk.filter(|&place| entries.get(place).is_some_and(is_own)))
        .or_else(|| entries.iter().position(is_own))
        .or(walk)
}

/// The character's own walk, else the first one of the library.
pub(super) fn walk_place(library: &Library) -> Option<usize> {
    let entries = library.entries();
    let is_walk = |e: &ClipEntry| e.name.to_lowercase().contains("walk");
    let is_own = |e: &ClipEntry| e.origin == ClipOrigin::File;
    let own = entries.iter().position(|e| is_own(e) && is_walk(e));
    own.or_else(|| entries.iter().position(is_walk))
}

impl Studio {
    /// Opens on a worker; what is open stays until it is there.
    pub(super) fn start_open(&mut self, request: Request) -> Changes {
        let sessions = self.desk.sessions.clone();
        let (libraries, at_end) = (self.libraries.all().to_vec(), self.at_end());
        self.start(JobKind::Open, move |work| {
            let result = Opened::read(request.clone(), sessions.as_ref(), libraries, at_end, work);
            let result = result.map(Box::new);
            Outcome::Opened { request, result }
        });
        Changes::NOTICES
    }

    pub(super) fn take_opened(
        &mut self,
        request: Request,
        result: Result<Box<Opened>, OpenFault>,
    ) -> Changes {
        let Opened { open, figure, unsaved, session, libraries, notices } = match result {
            Ok(opened) => *opened,
            // What was open stays as it was.
            Err(fault) => return self.tell_fault(&request, fault),
        };
        // What is worked out about what was open would be taken for numbers and skin of this.
        self.jobs.cancel_all(JobKind::is_about_open);
        let is_reload = matches!(request, Request::Reload { .. });
        // Places in the library are others where the file has other clips.
        let chosen = self.chosen_names();
        let is_other = self.open.as_ref().is_some_and(|before| before.character != open.character);
        if is_reload && is_other {
            self.selection = Selection::None;
        } else if is_reload {
            // The decisions there are, with their history, over another export.
            self.notice(NoticeKind::Info, format!("Read {} again", open.document.source().origin));
        } else {
            self.keep_session();
            self.history = History::new(open.disk.project.edits.clone());
            self.kept = Kept::of(&open.disk.project);
            if let Some((edits, kept)) = unsaved {
                self.history.set("recover unsaved work", edits);
                self.kept = kept;
            }
            self.exporting = ExportDesk::of(&open.library, &open.document.source().origin);
            self.desk.opened.push(open.disk.what.clone());
        }
        for notice in notices {
            self.notices.add(NoticeKind::Warning, notice);
        }
        if !is_reload || is_other {
            self.posing.unmapped = None;
        }
        self.forget_before();
        let bounds = figure.bounds;
        let before = self.playback.take();
        self.start_playback(figure);
        let regions = &open.evaluated.detection.regions;
        let is_there = |s: Selection| match s {
            Selection::Region(id) => regions.iter().any(|r| r.id == id),
            Selection::Chain(index) => index < open.evaluated.rigged.chains.len(),
            _ => false,
        };
        if !is_reload || !is_there(self.selection) {
            self.selection = first_shown(&open.evaluated);
        }
        self.desk.watch_source(&open.disk.source);
        // They may be large, and the last that hold what was open.
        discard((self.open.replace(open), before));
        self.restage();
        // Some may have come or gone while the file was read, and clips may have been made that are not saved.
        let is_behind = !are_same(&libraries, self.libraries.all()) || self.has_other_made_clips();
        let followed = if is_behind { self.follow_libraries() } else { Changes::NONE };
        if is_reload {
            self.choose_named(&chosen);
        }
        match &request {
            Request::Recover(left) => self.recovered(left),
            // What was given up for this file is not offered again.
            _ => self.record(),
        }
        let begun = match request {
            Request::Fresh(what) => Some(Command::Open(what)),
            Request::Relink { project, source } => {
                Some(Command::File(FileCommand::Relink { project, source }))
            }
            Request::Recover(_) | Request::Reload { .. } => None,
        };
        if !is_reload {
            let libraries = self.libraries.commands();
            self.libraries.needed.clear();
            self.script = begun.map(|command| Script::new([libraries, vec![command]].concat()));
        }
        self.desk.camera_wanted = None;
        if let Some(session) = session {
            self.restore(session);
        }
        self.rebuild_scene(bounds);
        self.start_measure();
        // More may have been decided while the file was read.
        self.follow_history();
        let framing = if is_reload && !is_other { Changes::NONE } else { Changes::FRAMING };
        Changes::DOCUMENT
            .and(Changes::SELECTION)
            .and(Changes::SCENE)
            .and(Changes::NOTICES)
            .and(followed)
            .and(framing)
    }

    /// Forgets what the session knows of the character before.
    fn forget_before(&mut self) {
        self.weights_of = None;
        self.trace = Trace::default();
        // These would keep the one before in memory.
        self.stretch_plot = StretchPlot::default();
        self.legs = None;
        self.forget_sweep();
        self.hidden.clear();
        self.tuning.forget();
        self.tools.forget();
        self.show_exported(None);
        self.also.clear();
        self.forget_hair();
        self.colliders.forget();
        self.forget_tiles();
        self.trials = None;
    }

    fn start_playback(&mut self, figure: Figure) {
        let mut playback = figure.first(self.at_end());
        if playback.clip().is_some() {
            playback.toggle();
        }
        self.playback = Some(playback);
    }

    fn tell_fault(&mut self, request: &Request, fault: OpenFault) -> Changes {
        match fault {
            OpenFault::Said(why) => {
                let subject = request.subject();
                // Some faults name the file themselves.
                let text = if why.contains(&subject) { why } else { format!("{subject}: {why}") };
                let is_motion = is_motion(Path::new(&subject));
                let add = Command::AddLibrary(subject);
                let add = is_motion.then(|| NoticeAction::new("Add to the library", add));
                let actions = add.into_iter().collect();
                self.notices.add_with(NoticeKind::Error, text, actions);
                Changes::NOTICES
            }
            OpenFault::SourceMissing { project, wanted } => {
                let text = format!(
                    "{project}: its character {wanted} is not where it was; find it, and the decisions go over to it"
                );
                let ask = FileCommand::Ask(PathQuestion::Relink { project });
                let action = NoticeAction::new("Find it…", Command::File(ask));
                self.notices.add_with(NoticeKind::Error, text, vec![action]);
                Changes::NOTICES
            }
        }
    }

    /// Puts the user back where they were in the file.
    fn restore(&mut self, session: Session) {
        self.desk.camera_wanted = session.camera;
        self.overlays = session.overlays;
        let n = self.open.as_ref().and_then(Open::loaded).map_or(0, |c| c.instances().count());
        let hidden = session.hidden.into_iter().filter(|&i| (i as usize) < n);
        self.hidden = hidden.map(InstanceIndex).collect();
        if let Some(playback) = &mut self.playback {
            if session.is_playing != playback.is_playing() {
                playback.toggle();
            }
            if let Some(speed) = session.speed {
                playback.set_speed(speed);
            }
        }
        let selects = match session.selection {
            Selection::Region(id) => self
                .evaluated()
                .is_some_and(|e| e.detection.regions.iter().any(|region| region.id == id)),
            Selection::None => true,
            _ => false,
        };
        if selects {
            self.selection = session.selection;
        }
        self.workspace = session.workspace;
    }
}
