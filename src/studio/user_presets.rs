//! Presets of the user's own: files beside the preferences, offered after those that come along. They are the user's,
//! not the file's: saving one is no step of the history.

use std::path::{Path, PathBuf};

use super::command::{Changes, Command};
use super::notices::{NoticeAction, NoticeKind};
use super::state::{Studio, chain};
use super::tuning::SpringsOf;
use crate::document::{Preset, PresetError, parse_preset, preset, preset_names, preset_text};
use crate::io::{self, Overwrite};

/// Longest name, letters.
const LONGEST: usize = 40;

/// A preset that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetRow {
    /// Its name.
    pub name: String,
    /// Whether the user has made it.
    pub is_own: bool,
}

/// Where they lie, and their names.
#[derive(Debug, Default)]
pub(super) struct UserPresets {
    folder: Option<PathBuf>,
    names: Vec<String>,
}

impl UserPresets {
    /// Those below the user's `state` folder.
    pub(super) fn below(state: &Path) -> Self {
        let folder = state.join("presets");
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let stem = |path: PathBuf| {
            let is_preset = path.extension().is_some_and(|e| e == "ron") && path.is_file();
            let stem = path.file_stem().filter(|_| is_preset)?;
            Some(stem.to_string_lossy().into_owned())
        };
        let mut names: Vec<String> = files.filter_map(|file| stem(file.path())).collect();
        names.retain(|name| *name == cleaned(name) && !is_taken(name));
        names.sort();
        Self { folder: Some(folder), names }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{name}.ron")))
    }
}

/// A name that can be a file's on every system.
fn cleaned(name: &str) -> String {
    let allowed = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let name: String = name.chars().filter(allowed).take(LONGEST).collect();
    name.trim().to_owned()
}

/// Whether a preset of that name comes along.
fn is_taken(name: &str) -> bool {
    preset_names().iter().any(|known| known.eq_ignore_ascii_case(name))
}

impl Studio {
    /// All presets, those that come along first.
    pub(super) fn preset_rows(&self) -> Vec<PresetRow> {
        let row = |is_own: bool| move |name: String| PresetRow { name, is_own };
        let known = preset_names().into_iter().map(str::to_owned).map(row(false));
        known.chain(self.presets.names.iter().cloned().map(row(true))).collect()
    }

    /// Whether the user's presets have a place to lie.
    pub(super) fn keeps_presets(&self) -> bool {
        self.presets.folder.is_some()
    }

    /// A preset by its name: one of the user's, or one that comes along.
    ///
    /// # Errors
    /// As [`preset`].
    pub(super) fn preset_of(&self, name: &str) -> Result<Preset, PresetError> {
        let is_own = self.presets.names.iter().any(|own| own == name);
        match self.presets.path(name).filter(|_| is_own) {
            Some(path) => preset(&path.display().to_string()),
            None => preset(name),
        }
    }

    /// Keeps the springs of a chain as a preset of the user's, in place of one of that name.
    pub(super) fn save_preset(&mut self, of: &SpringsOf, name: &str) -> Changes {
        let name = cleaned(name);
        let Some(settings) = self.springs_of(of) else { return Changes::NONE };
        let Some(path) = self.presets.path(&name).filter(|_| !name.is_empty()) else {
            return Changes::NONE;
        };
        if is_taken(&name) {
            let text = format!("{name} comes with Tailbone; choose another name");
            return self.notice(NoticeKind::Warning, text);
        }
        let text = preset_text(&settings);
        if let Err(error) = parse_preset(&name, &text) {
            return self.notice(NoticeKind::Error, format!("Not saved: {}", chain(&error)));
        }
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let saved = folder.map_err(|error| error.to_string()).and_then(|()| {
            io::save(&path, text.as_bytes(), Overwrite::Force).map_err(|error| chain(&error))
        });
        if let Err(why) = saved {
            return self.notice(NoticeKind::Error, format!("Not saved: {why}"));
        }
        let is_new = !self.presets.names.contains(&name);
        let did = if is_new { "Saved" } else { "Replaced" };
        let text = format!("{did} your preset {name}");
        if is_new {
            self.presets.names.push(name);
            self.presets.names.sort();
        }
        self.notice(NoticeKind::Info, text).and(Changes::SELECTION)
    }

    /// Throws a preset of the user's away; chains that were tuned by it stay as they are, and its springs can be kept.
    pub(super) fn remove_preset(&mut self, name: &str) -> Changes {
        if !self.presets.names.iter().any(|own| own == name) {
            return Changes::NONE;
        }
        let springs = self.preset_of(name).ok().map(|preset| preset.settings);
        if let Some(Err(error)) = self.presets.path(name).map(std::fs::remove_file)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return self.notice(NoticeKind::Error, format!("{name} is still there: {error}"));
        }
        self.presets.names.retain(|own| own != name);
        let copy = |springs| NoticeAction::new("Copy its springs", Command::CopySprings(springs));
        let actions = springs.map(copy).into_iter().collect();
        self.notices.add_with(NoticeKind::Info, format!("Threw your preset {name} away"), actions);
        Changes::SELECTION.and(Changes::NOTICES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files_everywhere() {
        assert_eq!(cleaned("  My tail / v2: \"soft\"  "), "My tail  v2 soft");
        assert_eq!(cleaned("../../etc"), "etc");
        assert_eq!(cleaned("尻尾"), "尻尾");
        assert!(is_taken("Fox") && !is_taken("Foxy"));
    }
}
