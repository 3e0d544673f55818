//! What is the user's and not the document's: theme, scale, recent files. Kept as RON beside the window's own state.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::navigation::Navigation;

/// Which theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// Dark.
    #[default]
    Dark,
    /// Light.
    Light,
}

/// The user's preferences. Fields that a file lacks take their defaults; a file that cannot be read is put aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Which theme. Default dark.
    pub theme: ThemeChoice,
    /// Scale of text and controls, 0.8 to 2. Default 1.
    pub ui_scale: f32,
    /// Scale of text alone, 0.8 to 2. Default 1.
    pub text_scale: f32,
    /// What drags in the viewport do. Default as in Blender.
    pub navigation: Navigation,
    /// Whether unsaved work is kept for the case of a crash. Default yes.
    pub autosave: bool,
    /// Keys in place of the table's, by the ids of commands.
    pub keys: BTreeMap<String, Vec<String>>,
    /// Files opened before, the newest first.
    pub recent: Vec<String>,
    /// Whether the card of the first minute is shown. Default yes.
    pub show_card: bool,
    /// Clips marked by a star, by name.
    pub favourites: BTreeSet<String>,
    /// Clips played, by name, the latest first.
    pub recent_clips: Vec<String>,
    /// Files and folders of clips in the library, in the order in which they were added.
    pub libraries: Vec<String>,
    /// Where panels stand, by the names of workspaces, as the window writes it.
    pub layouts: BTreeMap<String, String>,
}

/// How the library stands under the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LibraryLook {
    /// Its header alone.
    Closed,
    /// One row of tiles.
    #[default]
    Strip,
    /// Rows of tiles.
    Grid,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::Dark,
            ui_scale: 1.0,
            text_scale: 1.0,
            navigation: Navigation::default(),
            autosave: true,
            keys: BTreeMap::new(),
            recent: Vec::new(),
            show_card: true,
            favourites: BTreeSet::new(),
            recent_clips: Vec::new(),
            libraries: Vec::new(),
            layouts: BTreeMap::new(),
        }
    }
}

impl Preferences {
    /// Recent files that are kept.
    const MOST_RECENT: usize = 12;

    /// The preferences in `path`; defaults, with a message, where the file is none of ours.
    pub fn load(path: &Path) -> (Self, Option<String>) {
        let Ok(text) = std::fs::read_to_string(path) else { return (Self::default(), None) };
        match ron::from_str::<Self>(&text) {
            Ok(preferences) => (preferences.bounded(), None),
            Err(error) => {
                let aside = path.with_extension("unreadable.ron");
                let kept = std::fs::rename(path, &aside).is_ok();
                let place = if kept { aside.display() } else { path.display() };
                let message =
                    format!("preferences could not be read ({error}); the file is kept as {place}");
                (Self::default(), Some(message))
            }
        }
    }

    /// Writes them to `path`, beside it first, so that a full disk leaves the old file whole.
    ///
    /// # Errors
    /// What the system says.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let folder: PathBuf = path.parent().unwrap_or(Path::new(".")).into();
        std::fs::create_dir_all(&folder)?;
        let text = ron::ser::to_string_pretty(self, ron::ser::PrettyConfig::default())
            .map_err(std::io::Error::other)?;
        let file = tempfile::NamedTempFile::new_in(&folder)?;
        std::fs::write(file.path(), text)?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    }

    /// Puts a file at the head of the recent ones.
    pub fn remember(&mut self, file: &str) {
        self.recent.retain(|r| r != file);
        self.recent.insert(0, file.to_owned());
        self.recent.truncate(Self::MOST_RECENT);
    }

    /// Puts a clip at the head of those played.
    pub fn remember_clip(&mut self, name: &str) {
        self.recent_clips.retain(|r| r != name);
        self.recent_clips.insert(0, name.to_owned());
        self.recent_clips.truncate(Self::MOST_RECENT);
    }

    /// Marks a clip by a star, or takes it away.
    pub fn toggle_favourite(&mut self, name: &str) {
        if !self.favourites.remove(name) {
            self.favourites.insert(name.to_owned());
        }
    }

    fn bounded(mut self) -> Self {
        for scale in [&mut self.ui_scale, &mut self.text_scale] {
            *scale = if scale.is_finite() { scale.clamp(0.8, 2.0) } else { 1.0 };
        }
        self.recent.truncate(Self::MOST_RECENT);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_come_back_as_they_went() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/preferences.ron");
        let mut preferences = Preferences { theme: ThemeChoice::Light, ..Preferences::default() };
        preferences.remember("a.glb");
        preferences.remember("b.glb");
        preferences.remember("a.glb");
        assert_eq!(preferences.recent, ["a.glb", "b.glb"]);
        preferences.libraries = vec!["/clips/UAL1.glb".into(), "/gone".into()];
        preferences.save(&path).unwrap();
        assert_eq!(Preferences::load(&path), (preferences, None));
    }

    #[test]
    fn a_file_of_another_version_gives_what_it_can() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("preferences.ron");
        std::fs::write(&path, "(ui_scale: 9.0, from_the_future: [1, 2])").unwrap();
        let (preferences, message) = Preferences::load(&path);
        assert_eq!(message, None);
        assert_eq!(preferences, Preferences { ui_scale: 2.0, ..Preferences::default() });
    }

    #[test]
    fn a_broken_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("preferences.ron");
        std::fs::write(&path, "}{").unwrap();
        let (preferences, message) = Preferences::load(&path);
        assert_eq!(preferences, Preferences::default());
        assert!(message.is_some() && !path.exists());
    }
}
