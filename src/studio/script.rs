//! Scripts: what was decided in the studio, as a list of commands that can be done again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};

use super::command::{Changes, Command, Edit};
use super::evaluation::with_edit;
use super::export::ExportCommand;
use super::files::{FileCommand, Question};
use super::notices::{NoticeId, NoticeKind};
use super::state::{Studio, chain};
use super::words;
use crate::io::{self, Overwrite};
use crate::work::{Stopped, Work};

/// What every script says first, whatever its version knows.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

/// Commands in the order in which they are done, as RON.
///
/// A script holds what makes a difference to files: opening, decisions, undo, export, saving. What only shows
/// (selection, playback, panels) is left out, and so are libraries that no exported or made clip is from, once it is
/// saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    version: u32,
    /// The commands.
    pub commands: Vec<Command>,
}

/// Why a script cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// Not RON, or not these commands.
    #[error(
        "it is no script of steps: line {line}, column {column}: {what}; the studio writes one with Save steps as a script"
    )]
    Syntax {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// From a newer program.
    #[error("it is of version {version}, this program knows {}; update Tailbone", Script::VERSION)]
    Version {
        /// Of the file.
        version: u32,
    },
}

impl Script {
    const VERSION: u32 = 1;

    /// A script that does `commands`.
    pub fn new(commands: Vec<Command>) -> Self {
        Self { version: Self::VERSION, commands }
    }

    /// Reads a script.
    ///
    /// # Errors
    /// [`ScriptError`] where the text is none.
    pub fn read(text: &str) -> Result<Self, ScriptError> {
        let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
        let fault = |e: ron::error::SpannedError| ScriptError::Syntax {
            line: e.span.start.line,
            column: e.span.start.col,
            what: e.code.to_string(),
        };
        // A newer version may have commands that this one cannot read.
        let head: Head = options.from_str(text).map_err(fault)?;
        match head.version {
            Self::VERSION => options.from_str(text).map_err(fault),
            version => Err(ScriptError::Version { version }),
        }
    }

    /// The script as text that a person can read and change.
    pub fn write(&self) -> String {
        let style = PrettyConfig::new().struct_names(false).compact_arrays(false).depth_limit(3);
        ron::ser::to_string_pretty(self, style).map(|text| text + "\n").unwrap_or_default()
    }

    /// Adds a command that was done, in place of the one that makes no difference after it: the last, or any of the
    /// drag that is on, which may move several regions at once.
    fn add(&mut self, command: Command, is_dragging: bool) {
        let began = self.commands.iter().rposition(|c| matches!(c, Command::Begin(_)));
        let first = match began {
            Some(began) if is_dragging => began + 1,
            _ => self.commands.len().saturating_sub(1),
        };
        let mut recent = self.commands.iter().enumerate().skip(first);
        let overtaken = recent.find(|(_, last)| is_overtaken(last, &command, is_dragging));
        if let Some(at) = overtaken.map(|(at, _)| at) {
            self.commands.remove(at);
        }
        self.commands.push(command);
    }
}

/// Whether a command goes into a script as it was asked for; a library goes there once it has been read. What is
/// decided goes there as the edits it came to, see `Studio::done`: what is picked, marked and selected is not in a
/// script.
fn belongs(command: &Command) -> bool {
    match command {
        Command::Export(export) => !matches!(export, ExportCommand::Choose(_)),
        Command::RemoveLibrary(_) => true,
        Command::File(file) => {
            matches!(file, FileCommand::SaveAs { .. } | FileCommand::Reload | FileCommand::Show(_))
        }
        _ => false,
    }
}

/// Whether `last` makes no difference once `next` is done: the way of a slider, a setting that is set again, a question
/// that was answered.
fn is_overtaken(last: &Command, next: &Command, is_dragging: bool) -> bool {
    match (last, next) {
        (Command::Edit(last), Command::Edit(next)) => match (last, next) {
            (Edit::Springs { region: a, .. }, Edit::Springs { region: b, .. })
            | (Edit::Places { region: a, .. }, Edit::Places { region: b, .. }) => {
                is_dragging && a == b
            }
            (Edit::ExistingSprings { chain: a, .. }, Edit::ExistingSprings { chain: b, .. }) => {
                is_dragging && a == b
            }
            (Edit::Collider { which: a, .. }, Edit::Collider { which: b, .. }) => {
                is_dragging && a == b
            }
            (Edit::Thresholds(_), Edit::Thresholds(_))
            | (Edit::Height(_), Edit::Height(_))
            | (Edit::Hair(_), Edit::Hair(_))
            | (Edit::Retarget(_), Edit::Retarget(_)) => is_dragging,
            _ => false,
        },
        (Command::Export(last), Command::Export(next)) => {
            use ExportCommand as E;
            matches!(
                (last, next),
                (E::Named(_), E::Named(_))
                    | (E::Settings(_), E::Settings(_))
                    | (E::Path(_), E::Path(_))
                    | (E::Run { .. }, E::Run { .. })
            )
        }
        (
            Command::File(FileCommand::SaveAs { path: a, .. }),
            Command::File(FileCommand::SaveAs { path: b, .. }),
        ) => a == b,
        _ => false,
    }
}

impl Studio {
    /// What was done since the file was opened; `None` where that began with work that no file holds.
    pub fn script(&self) -> Option<&Script> {
        self.script.as_ref()
    }

    /// Keeps a command, or what came of it, for the script. Clips are chosen by place on the screen, by name in a
    /// script.
    pub(super) fn log(&mut self, command: &Command) {
        match command {
            Command::Export(ExportCommand::Choose(_)) => {
                let names = self.chosen_names();
                self.done.push(Command::Export(ExportCommand::Named(names)));
            }
            Command::Export(ExportCommand::Run { .. }) => {
                let choice = self.unsaid_choice();
                self.done.extend(choice.into_iter().chain([command.clone()]));
            }
            other if belongs(other) => self.done.push(other.clone()),
            _ => {}
        }
        if matches!(command, Command::Export(_)) {
            let needed = self.libraries_of_choice();
            self.libraries.needed.extend(needed);
        }
        self.log_done();
    }

    /// The choice of clips for an export that no command of the script came to: one of an earlier session.
    fn unsaid_choice(&self) -> Option<Command> {
        let is_choice = |c: &Command| {
            matches!(c, Command::Export(ExportCommand::Named(_) | ExportCommand::UseSet(_)))
        };
        let is_said = self.script.as_ref()?.commands.iter().any(is_choice);
        let is_usual = is_said || self.has_usual_choice();
        (!is_usual).then(|| Command::Export(ExportCommand::Named(self.chosen_names())))
    }

    /// Puts what was done into the script.
    pub(super) fn log_done(&mut self) {
        let is_dragging = self.history.is_dragging();
        for command in std::mem::take(&mut self.done) {
            if let Some(script) = &mut self.script {
                script.add(command, is_dragging);
            }
        }
    }

    /// Saves what was done so far.
    pub(super) fn save_script(&mut self, path: String, replace: bool) -> Changes {
        let Some(script) = &self.script else {
            let text = "This session began with recovered work; save the project, then open it";
            return self.notice(NoticeKind::Warning, text);
        };
        if let Some(refused) = self.refuses(Path::new(&path)) {
            return self.notice(NoticeKind::Error, refused);
        }
        if !replace && PathBuf::from(&path).exists() {
            let then = Command::File(FileCommand::SaveScript { path: path.clone(), replace: true });
            return self.ask(Question::Replace { path, then: Box::new(then) });
        }
        let script = script.clone().with_only(&self.libraries.needed);
        match io::save(&PathBuf::from(&path), script.write().as_bytes(), Overwrite::Force) {
            Ok(()) => {
                let n = words::counted(script.commands.len(), "step", "steps");
                let text = format!(
                    "Saved {n} in {}; `tailbone replay` does them again",
                    words::file_name(&path)
                );
                self.notice(NoticeKind::Info, text)
            }
            Err(error) => self.notice(NoticeKind::Error, format!("Not saved: {}", chain(&error))),
        }
    }
}

/// What came of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// Number of commands that were done.
    pub commands: usize,
    /// What the studio said on the way.
    pub notices: Vec<String>,
    /// Files that the last export wrote.
    pub written: Vec<String>,
}

/// Why a script came to its end early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// A command failed.
    #[error("command {number} ({command}): {why}")]
    Failed {
        /// From 1.
        number: usize,
        /// As the script has it.
        command: String,
        /// What the studio said.
        why: String,
    },
    /// The user did not want to wait.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Does the commands of a script one after another, each after the work of the one before is done.
///
/// # Errors
/// [`ReplayError`] at the first command that the studio could not do, or that asked what the next does not answer.
pub fn replay(script: &Script, work: &Work) -> Result<Replayed, ReplayError> {
    let (bell, woken) = sync_channel(1);
    let mut studio = Studio::new(Arc::new(move || {
        // A bell that rings already is as good.
        let _ = bell.try_send(());
    }));
    let mut replayed = Replayed::default();
    let mut heard: BTreeSet<NoticeId> = BTreeSet::new();
    let n = script.commands.len();
    for (i, command) in script.commands.iter().enumerate() {
        let failed = |why: String| ReplayError::Failed {
            number: i + 1,
            command: ron::to_string(command).unwrap_or_default(),
            why,
        };
        work.tick("replay", i as u64, n as u64)?;
        studio.can_do(command).map_err(failed)?;
        studio.apply(command.clone());
        studio.poll();
        while studio.is_working() {
            work.tick("replay", i as u64, n as u64)?;
            // The bell may be missed where work ends without it; a tenth of a second is then soon enough.
            let _ = woken.recv_timeout(Duration::from_millis(100));
            studio.poll();
        }
        for notice in studio.notices() {
            if !heard.insert(notice.id) {
                continue;
            }
            if notice.kind == NoticeKind::Error {
                return Err(failed(notice.text.clone()));
            }
            replayed.notices.push(notice.text.clone());
        }
        let is_answered =
            matches!(script.commands.get(i + 1), Some(Command::File(FileCommand::Answer(_))));
        if let Some(question) = studio.question().filter(|_| !is_answered) {
            return Err(failed(in_the_way(question)));
        }
        replayed.commands += 1;
    }
    replayed.written = studio.export_panel().written;
    Ok(replayed)
}

/// What a question is about, and how a script answers it.
fn in_the_way(question: &Question) -> String {
    match question {
        Question::Unsaved { name, .. } => format!(
            "{name} has unsaved decisions; save it first, or put File(Answer(No)) after this command"
        ),
        Question::Replace { path, .. } => {
            format!("{path} exists; ask for it with `replace: true` (--force), or remove it")
        }
    }
}

impl Studio {
    /// Whether a command has something to be done to. On the screen nobody can ask for anything else; in a script that
    /// is done to another file, doing nothing would look like success.
    fn can_do(&self, command: &Command) -> Result<(), String> {
        let regions = match command {
            Command::Edit(edit) => edit.regions(),
            Command::ApplyPreset { of, .. }
            | Command::PasteSprings { of }
            | Command::SwapSprings { of } => of.region().into_iter().collect(),
            Command::Export(ExportCommand::Run { .. }) => {
                return self.export_panel().why_not.map_or(Ok(()), |why| Err(why.to_owned()));
            }
            _ => Vec::new(),
        };
        let found = self.evaluated().map(|e| e.detection.regions.as_slice()).unwrap_or_default();
        match (regions.iter().find(|id| found.iter().all(|r| r.id != **id)), command) {
            (Some(missing), _) => Err(format!(
                "there is no region {}; `tailbone detect` lists those of the file",
                missing.0
            )),
            (None, Command::Edit(edit)) if !self.can_decide(edit) => {
                Err("this character has nothing that the decision could be about".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Whether an edit comes to any decision about this character.
    fn can_decide(&self, edit: &Edit) -> bool {
        let open = self.open.as_ref();
        open.zip(open.and_then(|open| open.loaded())).is_some_and(|(open, loaded)| {
            let edits = self.history.current().of(open.character);
            with_edit(edits, edit, loaded, &open.evaluated.detection).is_some()
        })
    }
}
