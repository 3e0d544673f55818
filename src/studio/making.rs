//! Clips made of others: trimmed, mirrored, sped up, renamed. The project keeps them; the clip that each is made of stays
//! as it is.

use serde::{Deserialize, Serialize};

use super::command::{Changes, Command, PlayCommand};
use super::notices::{NoticeAction, NoticeKind};
use super::state::{Studio, chain};
pub use crate::clips::ClipEdit;
use crate::library::{ClipEntry, ClipOrigin, Library};

/// What is asked of clips that are made of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ClipCommand {
    /// Makes one of the clip at a place of the library, or changes one that was made.
    Make {
        /// Its place.
        of: usize,
        /// What is done to it: `@trim=0.2..0.8@mirror@speed=1.2@name=Quick Walk`.
        edit: String,
    },
    /// The same by name, as `--clip` takes it: `Walk@mirror@name=Left Walk`; in place of one of that name.
    Named(String),
    /// Takes one away that was made, by its name.
    Unmake(String),
}

/// The name that a made clip has by its own words.
fn name_in(made: &str) -> Option<String> {
    made.split_once('@')?.1.parse::<ClipEdit>().ok()?.name
}

/// `wanted`, or with a number behind it where a clip is called that, by name or title; the one `replaced` gives its name
/// up.
fn free_name(library: &Library, wanted: &str, replaced: Option<&str>) -> String {
    let others = || library.entries().iter().filter(|e| Some(e.name.as_str()) != replaced);
    let is_taken = |name: &str| others().any(|e| e.name == name || e.title == name);
    let mut name = wanted.to_owned();
    let mut n = 1;
    while is_taken(&name) {
        n += 1;
        name = format!("{wanted} {n}");
    }
    name
}

impl Studio {
    pub(super) fn make_clips(&mut self, command: ClipCommand) -> Changes {
        let made = match command {
            ClipCommand::Make { of, edit } => self.made_of(of, &edit),
            ClipCommand::Named(made) => Ok((made, None)),
            ClipCommand::Unmake(name) => return self.unmake(&name),
        };
        match made {
            Ok((made, replaced)) => self.put_made(made, replaced.as_deref()),
            Err(why) => self.notice(NoticeKind::Warning, why),
        }
    }

    /// What the project keeps of a clip made of the one at `of`, and the name of the made one whose place it takes.
    fn made_of(&self, of: usize, edit: &str) -> Result<(String, Option<String>), String> {
        let library = &self.open.as_ref().ok_or("Open a character first")?.library;
        let entry = library.entries().get(of).ok_or("This clip is gone")?;
        let base = self.made_from(entry).and_then(|base| library.key(base));
        let key = base.filter(|key| !key.starts_with('#') && !key.contains('@'));
        let key = key.ok_or("This clip is not known by its name: give it one in its file")?;
        let mut edit = edit.parse::<ClipEdit>().map_err(|error| chain(&error))?;
        let replaced = (!entry.edit.is_none()).then(|| entry.name.clone());
        let wanted = edit.name.unwrap_or_else(|| entry.title.clone());
        edit.name = Some(free_name(library, &wanted, replaced.as_deref()));
        Ok((format!("{key}{edit}"), replaced))
    }

    /// Place of the clip that another is made of, or its own.
    fn made_from(&self, entry: &ClipEntry) -> Option<usize> {
        let entries = self.open.as_ref()?.library.entries();
        entries.iter().position(|e| e.edit.is_none() && e.source.is_same(&entry.source))
    }

    /// Keeps a made clip and plays it.
    fn put_made(&mut self, made: String, replaced: Option<&str>) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let entry = match open.library.get(&made) {
            Ok(entry) => entry,
            Err(error) => return self.notice(NoticeKind::Error, chain(&error)),
        };
        let Some(name) = name_in(&made) else {
            let text = format!("{made}: a clip that is made of another needs @name=");
            return self.notice(NoticeKind::Error, text);
        };
        if entry.duration_secs < 1e-3 {
            let text = format!("Nothing is left of the clip between these times: {name}");
            return self.notice(NoticeKind::Error, text);
        }
        if let ClipOrigin::User(file) = &entry.origin {
            let needed = self.libraries.holding(|other| other == file.as_path());
            self.libraries.needed.extend(needed);
        }
        let is_old = |other: &String| {
            let other = name_in(other);
            other.as_deref() == Some(name.as_str())
                || other.is_some() && other.as_deref() == replaced
        };
        let list = &mut self.kept.made_clips;
        match list.iter().position(is_old) {
            Some(place) => {
                if let Some(slot) = list.get_mut(place) {
                    slot.clone_from(&made);
                }
            }
            None => list.push(made.clone()),
        }
        if let Some(old) = replaced.filter(|old| *old != name) {
            self.done.push(Command::Clips(ClipCommand::Unmake(old.to_owned())));
        }
        self.done.push(Command::Clips(ClipCommand::Named(made)));
        let changes = self.follow_libraries();
        let place = self.open.as_ref().and_then(|open| open.library.place(&name));
        match place {
            Some(place) => changes.and(self.play(PlayCommand::Clip(Some(place)))),
            None => changes,
        }
    }

    fn unmake(&mut self, name: &str) -> Changes {
        let list = &mut self.kept.made_clips;
        let is_it = |made: &String| name_in(made).as_deref() == Some(name);
        let Some(place) = list.iter().position(is_it) else { return Changes::NONE };
        let made = list.remove(place);
        self.done.push(Command::Clips(ClipCommand::Unmake(name.to_owned())));
        let again = NoticeAction::new("Make again", Command::Clips(ClipCommand::Named(made)));
        self.notices.add_with(NoticeKind::Info, format!("Took {name} away"), vec![again]);
        self.follow_libraries()
    }

    /// Whether the library that was opened has other made clips than are decided.
    pub(super) fn has_other_made_clips(&self) -> bool {
        let opened = self.open.as_ref().map(|open| &open.disk.project.made_clips);
        opened.is_some_and(|opened| *opened != self.kept.made_clips)
    }

    /// The clip that a made one is made of: its title and its length in seconds.
    pub(super) fn whole_clip(&self, entry: &ClipEntry) -> (String, f64) {
        let place = self.made_from(entry);
        let entries = self.open.as_ref().map(|open| open.library.entries()).unwrap_or_default();
        let whole = place.and_then(|place| entries.get(place)).unwrap_or(entry);
        (whole.title.clone(), whole.duration_secs)
    }
}
