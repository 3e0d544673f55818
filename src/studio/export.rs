//! Export: which clips, how and where to; each clip's progress and result; the written file played back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::command::{Changes, Command};
use super::export_job::{Cards, ExportFault, Exported, Order, run};
use super::exported::ExportedView;
use super::files::{FileCommand, PathQuestion, Question};
use super::jobs::{JobId, JobKind};
use super::notices::{NoticeAction, NoticeKind};
use super::state::{Outcome, Studio, chain};
use super::words;
use super::workspace::Workspace;
use crate::document::export::{
    NameParts, becomes_vrm, check_export, check_pattern, is_vrm_name, is_written, name_pattern,
};
use crate::library::{ClipEntry, ClipOrigin, Library};

pub use crate::bake::{BakeReport, RootPlacement};
pub use crate::document::export::{
    ExportCheck, ExportFiles, ExportSettings, OwnClips, Target, TargetNote,
};
pub use crate::io::Contents;
pub use crate::rig::{JointAxes, JointNaming};

/// What can be asked about exporting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExportCommand {
    /// Exports these clips, by their places in the library.
    Choose(BTreeSet<usize>),
    /// Exports the clips of these names, as `bake --clip` finds them.
    Named(Vec<String>),
    /// Remembers the chosen clips under a name, in the project.
    SaveSet(String),
    /// Chooses the clips of a set.
    UseSet(String),
    /// Forgets a set.
    DropSet(String),
    /// How.
    Settings(ExportSettings),
    /// For which program: its bone axes, influences and clip names with it.
    Target(Target),
    /// Where to.
    Path(String),
    /// Goes.
    Run {
        /// Whether files of those names may be replaced without asking.
        replace: bool,
    },
    /// Plays what was written in the viewport, with physics off, and compares it with the preview.
    Check,
    /// Shows the document again.
    Leave,
}

/// How far one clip of an export is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CardState {
    /// Not begun.
    #[default]
    Waiting,
    /// Being baked.
    Working,
    /// Baked.
    Done(BakeReport),
}

/// One clip of an export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportCard {
    /// Its name in the library.
    pub name: String,
    /// How far it is.
    pub state: CardState,
    /// How far what was written is from the preview: degrees and metres.
    pub check: Option<(f32, f32)>,
}

/// A clip that can be exported.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportRow {
    /// Its place in the library.
    pub place: usize,
    /// Its name.
    pub title: String,
    /// `file`, `bundled`, or a library.
    pub origin: String,
    /// In seconds.
    pub duration_secs: f64,
    /// Whether it loops.
    pub looping: bool,
    /// Whether it is to be exported.
    pub is_chosen: bool,
}

/// An export that runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportProgress {
    /// To cancel it by.
    pub job: JobId,
    /// From 0 to 1.
    pub share: f32,
    /// Seconds left, once that can be told.
    pub left_secs: Option<f32>,
}

/// The export workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportPanel {
    /// Clips, the file's own first.
    pub clips: Vec<ExportRow>,
    /// Number of clips that are chosen.
    pub n_chosen: usize,
    /// Names of saved sets.
    pub sets: Vec<String>,
    /// How.
    pub settings: ExportSettings,
    /// Axes of new bones.
    pub axes: JointAxes,
    /// Names of new bones.
    pub naming: JointNaming,
    /// Most influences of an edited vertex.
    pub influences: u32,
    /// Name of the first chosen clip in the written file.
    pub example: String,
    /// Where to.
    pub path: String,
    /// Why nothing can be exported, where it cannot.
    pub why_not: Option<&'static str>,
    /// The export that runs.
    pub progress: Option<ExportProgress>,
    /// Its clips, or the last one's.
    pub cards: Vec<ExportCard>,
    /// Files that the last export wrote.
    pub written: Vec<String>,
    /// How far they are from the preview, in words, once they were played.
    pub verdict: Option<String>,
}

/// What the studio keeps about exporting besides what the project holds.
#[derive(Default)]
pub(super) struct ExportDesk {
    chosen: BTreeSet<usize>,
    path: String,
    job: Option<(JobId, Instant)>,
    cards: Cards,
    last: Option<Order>,
    written: Vec<PathBuf>,
    check: Option<ExportCheck>,
}

impl ExportDesk {
    /// For another file: its own clips, or the first bundled one.
    pub(super) fn of(library: &Library, origin: &str) -> Self {
        let own = |e: &ClipEntry| e.origin == ClipOrigin::File;
        let all = library.entries().iter().enumerate();
        let chosen = all.filter(|(_, e)| own(e)).map(|(place, _)| place).collect();
        let path = Path::new(origin.strip_prefix("sample:").unwrap_or(origin));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = path.with_file_name(format!("{stem}-tailbone.glb"));
        Self { chosen, path: path.display().to_string(), ..Self::default() }
    }
}

/// Places in the library of clips by name, and the names that nothing answers to.
fn places<'a>(library: &Library, names: &'a [String]) -> (BTreeSet<usize>, Vec<&'a String>) {
    let mut found = BTreeSet::new();
    let mut missing = Vec::new();
    for name in names {
        match library.place(name) {
            Some(place) => {
                found.insert(place);
            }
            None => missing.push(name),
        }
    }
    (found, missing)
}

impl Studio {
    /// Names by which the clips to be exported are found again.
    pub(super) fn chosen_names(&self) -> Vec<String> {
        let Some(open) = &self.open else { return Vec::new() };
        self.exporting.chosen.iter().filter_map(|&place| open.library.key(place)).collect()
    }

    /// Whether what is to be exported is what it is where nobody has chosen.
    pub(super) fn has_usual_choice(&self) -> bool {
        let Some(open) = &self.open else { return true };
        self.exporting.chosen == ExportDesk::of(&open.library, "").chosen
    }

    /// Does what is asked about exporting.
    pub(super) fn export(&mut self, command: ExportCommand) -> Changes {
        let Some(open) = &mut self.open else { return Changes::NONE };
        let library = &open.library;
        let sets = &mut self.kept.clip_sets;
        match command {
            ExportCommand::Choose(places) => {
                let n = library.entries().len();
                self.exporting.chosen = places.into_iter().filter(|&p| p < n).collect();
            }
            ExportCommand::SaveSet(name) => {
                let names = self.exporting.chosen.iter().filter_map(|&p| library.key(p)).collect();
                if !name.trim().is_empty() {
                    sets.insert(name.trim().to_owned(), names);
                }
            }
            ExportCommand::UseSet(name) => {
                let names = sets.get(&name).cloned().unwrap_or_default();
                let (chosen, _) = places(library, &names);
                self.exporting.chosen = chosen;
            }
            ExportCommand::Named(names) => {
                let (chosen, missing) = places(library, &names);
                self.exporting.chosen = chosen;
                if let Some(name) = missing.first() {
                    return self.notice(NoticeKind::Error, format!("{name}: no clip of that name"));
                }
            }
            ExportCommand::DropSet(name) => {
                sets.remove(&name);
            }
            ExportCommand::Settings(settings) => self.kept.export = bounded(settings),
            ExportCommand::Target(target) => return self.choose_target(target),
            ExportCommand::Path(path) => self.exporting.path = path,
            ExportCommand::Run { replace } => return self.start_export(replace),
            ExportCommand::Check => return self.start_check(),
            ExportCommand::Leave => {
                self.show_exported(None);
                return Changes::SCENE;
            }
        }
        Changes::DOCUMENT
    }

    /// Settings, bone axes and influences that a program's users expect; the latter two are one step of the history.
    fn choose_target(&mut self, target: Target) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let old = &self.kept.export;
        let has_default_names = old.pattern == old.target.clip_pattern();
        let pattern =
            if has_default_names { target.clip_pattern().into() } else { old.pattern.clone() };
        self.kept.export = ExportSettings { target, pattern, ..old.clone() };
        let index = open.character;
        let edits = self.history.current();
        let mut after = edits.character(index);
        after.axes = target.axes();
        after.influences = target.influences();
        let after = edits.clone().with_character(index, after);
        self.history.set(format!("export for {}", target.name()), after);
        self.follow_history().and(Changes::DOCUMENT)
    }

    fn start_export(&mut self, replace: bool) -> Changes {
        if self.export_panel().why_not.is_some() || self.exporting.job.is_some() {
            return Changes::NONE;
        }
        let Some(order) = self.order(replace) else { return Changes::NONE };
        if !replace && order.settings.files == ExportFiles::One && order.path.exists() {
            return self.ask_replace(&order.path);
        }
        let cards: Vec<ExportCard> = order
            .entries
            .iter()
            .map(|e| ExportCard { name: e.title.clone(), ..ExportCard::default() })
            .collect();
        let cards: Cards = Arc::new(Mutex::new(cards));
        self.exporting.cards = cards.clone();
        self.exporting.written.clear();
        self.exporting.check = None;
        self.exporting.last = Some(order.clone());
        let job = self.start(JobKind::Export, move |work| Outcome::Exported {
            result: run(&order, &cards, work),
        });
        self.exporting.job = job.map(|id| (id, Instant::now()));
        Changes::NOTICES
    }

    /// Everything that an export needs, as it is now.
    fn order(&self, replace: bool) -> Option<Order> {
        let open = self.open.as_ref()?;
        let entries = open.library.entries();
        let path = PathBuf::from(self.exporting.path.trim());
        let chosen = self.exporting.chosen.iter();
        let chosen = chosen.filter_map(|&place| Some((place, entries.get(place)?.clone())));
        let (places, entries): (Vec<usize>, Vec<ClipEntry>) = chosen.unzip();
        Some(Order {
            document: open.document.clone(),
            character: open.character,
            evaluated: open.evaluated.clone(),
            entries,
            places,
            settings: ExportSettings { as_vrm: self.wants_vrm(), ..self.kept.export.clone() },
            source_stem: open.document.source().stem(),
            path,
            replace,
        })
    }

    fn ask_replace(&mut self, path: &Path) -> Changes {
        let then = Command::Export(ExportCommand::Run { replace: true });
        let path = path.display().to_string();
        self.ask(Question::Replace { path, then: Box::new(then) })
    }

    pub(super) fn take_exported(&mut self, result: Result<Exported, ExportFault>) -> Changes {
        self.exporting.job = None;
        match result {
            Ok(Exported { written }) => {
                let shown = written.first().map(|p| p.display().to_string()).unwrap_or_default();
                let text = match written.len() {
                    1 => format!("Exported {}", words::file_name(&shown)),
                    n => format!("Exported {}", words::counted(n, "file", "files")),
                };
                let check =
                    NoticeAction::new("Play it back", Command::Export(ExportCommand::Check));
                let has_clips =
                    self.exporting.last.as_ref().is_some_and(|order| !order.entries.is_empty());
                let actions = if has_clips { vec![check] } else { Vec::new() };
                self.notices.add_with(NoticeKind::Info, text, actions);
                self.exporting.written = written;
            }
            Err(ExportFault::Stopped) => self.exporting.clear_cards(),
            Err(ExportFault::Exists(path)) => {
                self.exporting.clear_cards();
                return self.ask_replace(&path);
            }
            Err(ExportFault::Said(why)) => {
                self.exporting.clear_cards();
                let question = PathQuestion::Export(self.exporting.path.clone());
                let elsewhere = Command::File(FileCommand::Ask(question));
                let actions = vec![
                    NoticeAction::new("Export elsewhere…", elsewhere),
                    NoticeAction::new(
                        "Try again",
                        Command::Export(ExportCommand::Run { replace: true }),
                    ),
                ];
                self.notices.add_with(NoticeKind::Error, format!("Not exported: {why}"), actions);
            }
        }
        Changes::NOTICES
    }

    /// Plays the written files, with physics off, beside the preview.
    fn start_check(&mut self) -> Changes {
        let (Some(order), false) = (self.exporting.last.clone(), self.exporting.written.is_empty())
        else {
            return Changes::NONE;
        };
        let files = self.exporting.written.clone();
        let in_files = self.in_files(&order);
        // The only place that shows it.
        let entered = self.enter(Workspace::Export);
        self.start(JobKind::Check, move |work| {
            let subject = (order.character, &order.evaluated);
            let settings = (&order.settings, order.source_stem.as_str());
            let mut found = ExportCheck::default();
            let mut view = None;
            let per_file = order.settings.files == ExportFiles::PerClip;
            for (n, file) in files.iter().enumerate() {
                let bytes = match std::fs::read(file) {
                    Ok(bytes) => bytes,
                    Err(e) => {
                        return Outcome::Checked {
                            result: Err(format!("{}: {e}", file.display())),
                        };
                    }
                };
                let entries: Vec<&ClipEntry> = match per_file {
                    true => in_files.get(n).into_iter().collect(),
                    false => order.entries.iter().collect(),
                };
                if n == 0 {
                    view = Some((bytes.clone(), file.as_path()));
                }
                let written = (bytes, file.parent());
                match check_export(written, &order.document, subject, &entries, settings, work) {
                    Ok(check) => {
                        found.clips.extend(check.clips);
                        found.missing.extend(check.missing);
                        found.missing_joints.extend(check.missing_joints);
                    }
                    Err(error) => return Outcome::Checked { result: Err(chain(&error)) },
                }
            }
            let names: Vec<String> = found.clips.iter().map(|clip| clip.name.clone()).collect();
            let shown = (names.as_slice(), order.evaluated.rigged.body);
            let view = view.map(|file| ExportedView::read(file, shown, work)).transpose();
            Outcome::Checked { result: view.map(|view| (found, view.flatten())) }
        });
        entered.and(Changes::NOTICES)
    }

    /// The exported clips that have a file of their own where each has: in the files' order.
    fn in_files(&self, order: &Order) -> Vec<ClipEntry> {
        let cards = self.exporting.cards.lock().unwrap_or_else(PoisonError::into_inner);
        let has_file = |(entry, card): &(&ClipEntry, &ExportCard)| match &card.state {
            CardState::Done(report) => is_written(entry, &order.settings, report),
            _ => false,
        };
        let done = order.entries.iter().zip(cards.iter()).filter(has_file);
        done.map(|(entry, _)| entry.clone()).collect()
    }

    /// Name in the written file of the clip at a place of the library, where it was exported.
    pub(super) fn written_name(&self, place: usize) -> Option<String> {
        let order = self.exporting.last.as_ref()?;
        let n = order.places.iter().position(|p| *p == place)?;
        let cards = self.exporting.cards.lock().unwrap_or_else(PoisonError::into_inner);
        match &cards.get(n)?.state {
            CardState::Done(report) => Some(report.name.clone()),
            _ => None,
        }
    }

    /// Chooses the clips of these names, as far as there are any.
    pub(super) fn choose_named(&mut self, names: &[String]) {
        if let Some(open) = &self.open {
            (self.exporting.chosen, _) = places(&open.library, names);
        }
    }

    pub(super) fn take_checked(
        &mut self,
        result: Result<(ExportCheck, Option<Box<ExportedView>>), String>,
    ) -> Changes {
        match result {
            Ok((check, view)) => {
                let is_wanted = self.workspace == Workspace::Export;
                self.show_exported(view.filter(|_| is_wanted));
                let mut cards = self.exporting.cards.lock().unwrap_or_else(PoisonError::into_inner);
                for card in cards.iter_mut() {
                    let CardState::Done(report) = &card.state else { continue };
                    let found = check.clips.iter().find(|c| c.name == report.name);
                    card.check = found.map(|c| (c.largest_deg, c.largest_m));
                }
                drop(cards);
                self.exporting.check = Some(check);
                Changes::NOTICES.and(Changes::SCENE)
            }
            Err(why) => self.notice(NoticeKind::Error, format!("Not played back: {why}")),
        }
    }

    /// Whether there is something to say of clips that are, or were, exported.
    pub fn has_export_cards(&self) -> bool {
        let cards = self.exporting.cards.lock().unwrap_or_else(PoisonError::into_inner);
        self.open.is_some() && !cards.is_empty()
    }

    /// The export workspace, ready to draw.
    pub fn export_panel(&self) -> ExportPanel {
        let Some(open) = &self.open else {
            return ExportPanel {
                why_not: Some("Open a character first"),
                ..ExportPanel::default()
            };
        };
        let desk = &self.exporting;
        let edits = self.history.current().of(open.character);
        let titles = |is_of: fn(&ClipOrigin) -> bool| -> BTreeSet<&str> {
            let entries = open.library.entries().iter().filter(|e| is_of(&e.origin));
            entries.map(|e| e.title.as_str()).collect()
        };
        let own = titles(|origin| *origin == ClipOrigin::File);
        let users = titles(|origin| matches!(origin, ClipOrigin::User(_)));
        // The character's own clip, and then the user's, stands for others of its name, unless one was chosen by a set.
        let is_double = |place: usize, e: &ClipEntry| {
            let title = e.title.as_str();
            let is_second = match e.origin {
                ClipOrigin::File => false,
                ClipOrigin::User(_) => own.contains(title),
                ClipOrigin::Bundled => own.contains(title) || users.contains(title),
            };
            is_second && !desk.chosen.contains(&place)
        };
        let entries = open.library.entries().iter().enumerate();
        let rows = entries.filter(|(place, e)| !is_double(*place, e));
        let rows = rows.map(|(place, entry)| ExportRow {
            place,
            title: entry.title.clone(),
            origin: entry.origin.to_string(),
            duration_secs: entry.duration_secs,
            looping: entry.looping,
            is_chosen: desk.chosen.contains(&place),
        });
        let cards = desk.cards.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ExportPanel {
            clips: rows.collect(),
            n_chosen: desk.chosen.len(),
            sets: self.kept.clip_sets.keys().cloned().collect(),
            settings: self.kept.export.clone(),
            axes: edits.axes,
            naming: edits.naming,
            influences: edits.influences,
            example: self.example(),
            path: desk.path.clone(),
            why_not: self.why_not(),
            progress: self.export_progress(),
            cards,
            written: desk.written.iter().map(|p| p.display().to_string()).collect(),
            verdict: desk.check.as_ref().map(in_words),
        }
    }

    /// Whether the file is to become a VRM: by its settings or, as on the command line, by its name.
    fn wants_vrm(&self) -> bool {
        self.kept.export.as_vrm || is_vrm_name(Path::new(self.exporting.path.trim()))
    }

    /// Whether the file is to become a VRM and has no bone for a role that those must have.
    fn lacks_roles(&self) -> bool {
        let wants_vrm = self.wants_vrm();
        let open = self.open.as_ref();
        open.is_some_and(|open| becomes_vrm(&open.document, &open.evaluated, wants_vrm).is_err())
    }

    fn why_not(&self) -> Option<&'static str> {
        let path = self.exporting.path.trim();
        let extension = Path::new(path).extension().map(|e| e.to_ascii_lowercase());
        let is_gltf = extension.is_some_and(|e| e == "glb" || e == "gltf" || e == "vrm");
        match () {
            // Without clips the rig alone is written, as `tailbone rig` does.
            () if self.exporting.chosen.is_empty()
                && self.kept.export.contents == Contents::ClipsOnly =>
            {
                Some("Choose at least one clip")
            }
            () if path.is_empty() => Some("Say where to"),
            () if !is_gltf => Some("The file must end in .glb, .gltf or .vrm"),
            () if check_pattern(&self.kept.export.pattern).is_err() => {
                Some("Clip names are made of {clip}, {title}, {file} and {loop}")
            }
            () if self.lacks_roles() => {
                Some("A VRM needs a bone for each essential role: see Who is who")
            }
            () => None,
        }
    }

    /// What the first chosen clip will be called.
    fn example(&self) -> String {
        let Some(open) = &self.open else { return String::new() };
        let first = self.exporting.chosen.first().and_then(|&p| open.library.entries().get(p));
        let Some(entry) = first else { return String::new() };
        if entry.origin == ClipOrigin::File && self.kept.export.own_clips == OwnClips::Join {
            // The file's own clips keep their names.
            return entry.name.clone();
        }
        let stem = open.document.source().stem();
        let parts = NameParts {
            file: &stem,
            clip: &entry.name,
            title: &entry.title,
            looping: entry.looping,
        };
        parts.name(name_pattern(entry, &self.kept.export), |_| false)
    }

    fn export_progress(&self) -> Option<ExportProgress> {
        let (job, since) = self.exporting.job?;
        let share = self.progress().iter().find(|p| p.id == job).map_or(0.0, |p| p.share);
        let secs = since.elapsed().as_secs_f32();
        let left_secs = (share > 0.05).then(|| secs * (1.0 - share) / share);
        Some(ExportProgress { job, share, left_secs })
    }
}

impl ExportDesk {
    /// Clips stand at other places of the library now, or are gone.
    pub(super) fn relocate(&mut self, moved: impl Fn(usize) -> Option<usize>) {
        self.chosen = self.chosen.iter().filter_map(|&place| moved(place)).collect();
        if let Some(order) = &mut self.last {
            order.places.iter_mut().for_each(|place| *place = moved(*place).unwrap_or(usize::MAX));
        }
    }

    /// A cancelled or failed export has no results.
    fn clear_cards(&mut self) {
        self.cards = Cards::default();
    }

    /// A job was cancelled; if it was the export, there is none any more.
    pub(super) fn cancelled(&mut self, id: JobId) {
        if self.job.is_some_and(|(job, _)| job == id) {
            self.job = None;
            self.clear_cards();
        }
    }
}

/// Settings within what makes sense.
fn bounded(settings: ExportSettings) -> ExportSettings {
    let number = |v: f32, most: f32| if v.is_finite() { v.clamp(0.0, most) } else { 0.0 };
    let rate = settings.rate_hz;
    ExportSettings {
        rate_hz: if rate.is_finite() { rate.clamp(1.0, 1000.0) } else { 30.0 },
        reduce_deg: number(settings.reduce_deg, 10.0),
        reduce_mm: number(settings.reduce_mm, 100.0),
        ..settings
    }
}

/// What playing the file back has shown.
fn in_words(check: &ExportCheck) -> String {
    let (deg, m) = check.largest();
    let mut text = format!(
        "Played back with physics off: within {deg:.2}° and {} of the preview",
        words::length(m)
    );
    if !check.missing.is_empty() {
        text += &format!("; missing: {}", check.missing.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_stay_within_what_makes_sense() {
        let wild = ExportSettings { rate_hz: f64::NAN, reduce_deg: -3.0, ..Default::default() };
        let tame = bounded(wild);
        assert_eq!((tame.rate_hz, tame.reduce_deg), (30.0, 0.0));
    }
}
