//! All clips at hand, in the order they win by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Character, Clip, ClipIndex};
use crate::recipes::{self, title};

/// Where a clip comes from; the order is the order of precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipOrigin {
    /// The character's own file.
    File,
    /// A library file of the user's.
    User(PathBuf),
    /// Made here from a recipe.
    Bundled,
}

impl std::fmt::Display for ClipOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File => f.write_str("file"),
            Self::User(path) => path.display().fmt(f),
            Self::Bundled => f.write_str("bundled"),
        }
    }
}

/// The clip's keys and the skeleton they were made for.
#[derive(Clone, Debug)]
pub enum ClipSource {
    /// A clip of the character itself.
    Own(ClipIndex),
    /// A clip of another character.
    Of(Arc<Character>, Arc<Clip>),
    /// The recipe of that name; made when asked for.
    Recipe(String),
}

/// One clip of the catalogue.
#[derive(Clone, Debug)]
pub struct ClipEntry {
    /// As in its file or recipe.
    pub name: String,
    /// In words.
    pub title: String,
    /// `group - name`, or empty.
    pub category: String,
    /// Seconds.
    pub duration_secs: f64,
    /// Whether it loops.
    pub looping: bool,
    /// Where it comes from.
    pub origin: ClipOrigin,
    /// How to get it.
    pub source: ClipSource,
}

/// Every clip at hand: the file's own first, then users' files, then bundled ones.
#[derive(Clone, Debug, Default)]
pub struct Library {
    entries: Vec<ClipEntry>,
}

/// No clip has that name or title.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no clip \"{wanted}\"{}", advice(.nearest))]
pub struct NoSuchClip {
    /// What was asked for.
    pub wanted: String,
    /// Names that are spelled like it, nearest first.
    pub nearest: Vec<String>,
}

fn advice(nearest: &[String]) -> String {
    match nearest {
        [] => "; `tailbone clips` lists what there is".into(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

impl Library {
    /// The bundled clips alone.
    pub fn bundled() -> Self {
        let entries = recipes::list()
            .iter()
            .map(|recipe| ClipEntry {
                name: recipe.name.clone(),
                title: recipe.title.clone(),
                category: recipe.category.clone(),
                duration_secs: recipe.duration_s,
                looping: recipe.looping,
                origin: ClipOrigin::Bundled,
                source: ClipSource::Recipe(recipe.name.clone()),
            })
            .collect();
        Self { entries }
    }

    /// Puts a character's own clips before all others.
    #[must_use]
    pub fn with_own(mut self, character: &Character) -> Self {
        let own =
            character.clips.iter().enumerate().map(|(i, clip)| {
                entry(clip, ClipOrigin::File, ClipSource::Own(ClipIndex(i as u32)))
            });
        self.entries.splice(0..0, own);
        self
    }

    /// Adds the clips of a library file, after the file's own and earlier libraries, before the bundled ones.
    #[must_use]
    pub fn with_user_file(mut self, path: &Path, characters: Vec<Character>) -> Self {
        let at = self.entries.partition_point(|e| e.origin != ClipOrigin::Bundled);
        let mut added = Vec::new();
        for character in characters {
            let character = Arc::new(character);
            for clip in &character.clips {
                let source = ClipSource::Of(character.clone(), clip.clone());
                added.push(entry(clip, ClipOrigin::User(path.to_path_buf()), source));
            }
        }
        self.entries.splice(at..at, added);
        self
    }

    /// All clips, in order of precedence.
    pub fn entries(&self) -> &[ClipEntry] {
        &self.entries
    }

    /// The first clip of that name or title, without regard to case; `lib:NAME` skips the file's own.
    ///
    /// # Errors
    /// [`NoSuchClip`], with the names nearest to it.
    pub fn find(&self, wanted: &str) -> Result<&ClipEntry, NoSuchClip> {
        let (name, skip_own) = match wanted.strip_prefix("lib:") {
            Some(name) => (name, true),
            None => (wanted, false),
        };
        let candidates =
            || self.entries.iter().filter(|e| !skip_own || e.origin != ClipOrigin::File);
        let key = name.to_lowercase();
        // An exact name wins over a title: a file may hold both `Walk` and `Walk_Loop`.
        candidates()
            .find(|e| e.name == name)
            .or_else(|| candidates().find(|e| e.name.to_lowercase() == key))
            .or_else(|| candidates().find(|e| e.title.to_lowercase() == key))
            .ok_or_else(|| NoSuchClip { wanted: name.to_owned(), nearest: self.nearest(&key) })
    }

    /// Up to three names that are spelled like `key`.
    fn nearest(&self, key: &str) -> Vec<String> {
        let mut scored: Vec<(f64, &str)> = self
            .entries
            .iter()
            .map(|e| {
                let by_name = strsim::jaro_winkler(&e.name.to_lowercase(), key);
                let by_title = strsim::jaro_winkler(&e.title.to_lowercase(), key);
                (by_name.max(by_title), e.name.as_str())
            })
            .filter(|(score, _)| *score > 0.75)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        scored.dedup_by(|a, b| a.1 == b.1);
        scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
    }
}

/// The entry of a clip from a file. A name of the catalogue brings its category and says whether it loops: a flip that
/// ends as it began plays once all the same.
fn entry(clip: &Clip, origin: ClipOrigin, source: ClipSource) -> ClipEntry {
    let bare = clip.name.rsplit('|').next().unwrap_or(&clip.name);
    let known = recipes::list().iter().find(|recipe| recipe.name == bare);
    ClipEntry {
        name: clip.name.clone(),
        title: title(bare),
        category: known.map(|recipe| recipe.category.clone()).unwrap_or_default(),
        duration_secs: clip.duration_secs,
        looping: known.map_or(clip.looping, |recipe| recipe.looping),
        origin,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn character(names: &[&str]) -> Character {
        let clips =
            names.iter().map(|n| Arc::new(Clip { name: (*n).into(), ..Clip::default() })).collect();
        Character { clips, ..Character::default() }
    }

    #[test]
    fn the_file_wins_over_libraries_and_lib_skips_it() {
        let library = Library::default()
            .with_user_file(Path::new("a.glb"), vec![character(&["Walk_Loop", "Jump"])])
            .with_user_file(Path::new("b.glb"), vec![character(&["Jump"])])
            .with_own(&character(&["Walk_Loop"]));
        assert_eq!(library.find("Walk").unwrap().origin, ClipOrigin::File);
        assert_eq!(library.find("lib:walk").unwrap().origin, ClipOrigin::User("a.glb".into()));
        assert_eq!(library.find("JUMP").unwrap().origin, ClipOrigin::User("a.glb".into()));
    }

    #[test]
    fn a_known_name_says_whether_its_clip_loops() {
        let clip = Clip { name: "Armature|BackFlip".into(), looping: true, ..Clip::default() };
        let character = Character { clips: vec![Arc::new(clip)], ..Character::default() };
        let library = Library::default().with_own(&character);
        let entry = library.find("Back Flip").unwrap();
        assert!(!entry.looping);
        assert!(!entry.category.is_empty());
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest() {
        let library = Library::default().with_own(&character(&["Sprint_Loop", "Idle"]));
        let error = library.find("Sprnt").unwrap_err();
        assert_eq!(error.nearest, ["Sprint_Loop"]);
        assert!(library.find("zzz").unwrap_err().to_string().contains("tailbone clips"));
    }
}
