//! All clips at hand, in the order they win by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::known::known;
use crate::clips::{ClipEdit, ClipEditError};
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
    /// Its name in the bundled catalogue, where it is a clip of that one under whatever spelling.
    pub known_as: Option<&'static str>,
    /// Whether it is not ready to be shown to an animator.
    pub draft: bool,
    /// Where it comes from.
    pub origin: ClipOrigin,
    /// How to get it.
    pub source: ClipSource,
    /// What is done to it; the clip it is made from stays as it is.
    pub edit: ClipEdit,
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

/// A clip that was asked for and cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipRequestError {
    /// There is none of that name.
    #[error(transparent)]
    NoSuchClip(#[from] NoSuchClip),
    /// One file has several of that name.
    #[error("{count} clips are {}; say which: {}", called(.name), .keys.join(", "))]
    Ambiguous {
        /// Their name.
        name: String,
        /// How many they are.
        count: usize,
        /// What finds each of the first of them, as [`Library::key`] has it.
        keys: Vec<String>,
    },
    /// What stands behind its name is no edit.
    #[error(transparent)]
    Edit(#[from] ClipEditError),
}

/// Most clips of one name that an error lists.
const MOST_KEYS: usize = 12;

fn called(name: &str) -> String {
    if name.is_empty() { "without a name".into() } else { format!("named \"{name}\"") }
}

impl ClipSource {
    /// Whether both are the same clip.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Own(a), Self::Own(b)) => a == b,
            (Self::Of(_, a), Self::Of(_, b)) => Arc::ptr_eq(a, b),
            (Self::Recipe(a), Self::Recipe(b)) => a == b,
            _ => false,
        }
    }

    /// Whether both stand in the list of clips of one character, where a name should say one of them.
    fn is_beside(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Own(_), Self::Own(_)) | (Self::Recipe(_), Self::Recipe(_)) => true,
            (Self::Of(a, _), Self::Of(b, _)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl ClipEntry {
    /// Whether both are the same clip with the same done to it.
    pub fn is_same(&self, other: &Self) -> bool {
        self.source.is_same(&other.source) && self.edit == other.edit
    }

    /// Whether a name cannot tell the two apart.
    fn is_namesake(&self, other: &Self) -> bool {
        self.name == other.name && self.source.is_beside(&other.source)
    }

    /// The same clip, edited: another entry beside this one.
    #[must_use]
    pub fn edited(&self, edit: ClipEdit) -> Self {
        let mut made = self.clone();
        if let Some(name) = &edit.name {
            made.name.clone_from(name);
            made.title.clone_from(name);
            made.known_as = None;
        }
        let end = edit.to_secs.unwrap_or(self.duration_secs).min(self.duration_secs);
        if edit.from_secs > 0.0 || end < self.duration_secs {
            made.looping = false;
        }
        made.duration_secs = (end - edit.from_secs).max(0.0) / edit.speed;
        made.edit = edit;
        made
    }

    /// Words to filter by: the parts of its category, and what kind of clip it is.
    pub fn tags(&self) -> Vec<&str> {
        let kinds = [
            (self.looping, "loop"),
            (!self.looping, "one-shot"),
            (self.known_as.is_some_and(|name| name.contains("_RM")), "root motion"),
            (self.draft, "draft"),
        ];
        let parts = self.category.split(['-', '/', '&']).map(str::trim);
        let kinds = kinds.into_iter().filter_map(|(is, tag)| is.then_some(tag));
        parts.filter(|part| !part.is_empty()).chain(kinds).collect()
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
                known_as: Some(&recipe.name),
                draft: recipe.draft,
                origin: ClipOrigin::Bundled,
                source: ClipSource::Recipe(recipe.name.clone()),
                edit: ClipEdit::default(),
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
    pub fn with_user_file<C: Into<Arc<Character>>>(
        mut self,
        path: &Path,
        characters: impl IntoIterator<Item = C>,
    ) -> Self {
        let at = self.entries.partition_point(|e| e.origin != ClipOrigin::Bundled);
        let mut added = Vec::new();
        for character in characters {
            let character: Arc<Character> = character.into();
            for clip in &character.clips {
                let source = ClipSource::Of(character.clone(), clip.clone());
                added.push(entry(clip, ClipOrigin::User(path.to_path_buf()), source));
            }
        }
        self.entries.splice(at..at, added);
        self
    }

    /// Adds clips made of others, as [`Library::get`] takes them, each behind the one it is made of. What means nothing
    /// here, or has no name of its own, is left out.
    #[must_use]
    pub fn with_made(mut self, made: &[String]) -> Self {
        for wanted in made {
            let Ok(entry) = self.get(wanted) else { continue };
            let last = self.entries.iter().rposition(|e| e.source.is_same(&entry.source));
            if let (Some(last), true) = (last, entry.edit.name.is_some()) {
                self.entries.insert(last + 1, entry);
            }
        }
        self
    }

    /// All clips, in order of precedence.
    pub fn entries(&self) -> &[ClipEntry] {
        &self.entries
    }

    /// The first clip of that name or title, without regard to case; `lib:NAME` skips the file's own, `NAME#2` is the
    /// second of those that share a name, `#3` the third of all.
    ///
    /// # Errors
    /// [`NoSuchClip`], with the names nearest to it.
    pub fn find(&self, wanted: &str) -> Result<&ClipEntry, NoSuchClip> {
        let (name, skip_own) = match wanted.strip_prefix("lib:") {
            Some(name) => (name, true),
            None => (wanted, false),
        };
        self.named(name, skip_own).or_else(|| self.numbered(name, skip_own)).ok_or_else(|| {
            NoSuchClip { wanted: name.to_owned(), nearest: self.nearest(&name.to_lowercase()) }
        })
    }

    /// Place among [`Library::entries`] of what [`Library::find`] finds.
    pub fn place(&self, wanted: &str) -> Option<usize> {
        let found = self.find(wanted).ok()?;
        self.entries.iter().position(|entry| std::ptr::eq(entry, found))
    }

    /// What finds the clip at `place` again: its name, with `lib:` before it or a number behind it where the name alone
    /// finds another.
    pub fn key(&self, place: usize) -> Option<String> {
        let entry = self.entries.get(place)?;
        let (before, after) = self.entries.split_at(place);
        let n_before = before.iter().filter(|e| e.is_namesake(entry)).count();
        let is_alone = n_before == 0 && !after.iter().skip(1).any(|e| e.is_namesake(entry));
        let name = &entry.name;
        let name = if is_alone { name.clone() } else { format!("{name}#{}", n_before + 1) };
        let finds_it = |key: &String| self.place(key) == Some(place);
        let keys = [name.clone(), format!("lib:{name}"), format!("#{}", place + 1)];
        keys.into_iter().find(finds_it)
    }

    /// The clip of `NAME#2` or `#2`.
    fn numbered(&self, wanted: &str, skip_own: bool) -> Option<&ClipEntry> {
        let (name, number) = wanted.rsplit_once('#')?;
        let place = number.parse::<usize>().ok()?.checked_sub(1)?;
        if name.is_empty() {
            let is_meant = |e: &&ClipEntry| !skip_own || e.origin != ClipOrigin::File;
            return self.entries.iter().filter(is_meant).nth(place);
        }
        let first = self.named(name, skip_own)?;
        self.entries.iter().filter(|e| e.is_namesake(first)).nth(place)
    }

    fn named(&self, name: &str, skip_own: bool) -> Option<&ClipEntry> {
        let candidates =
            || self.entries.iter().filter(|e| !skip_own || e.origin != ClipOrigin::File);
        let key = name.to_lowercase();
        // A user's clip wins over the bundled one of that name, however its file spells it.
        let users = candidates().find(|e| {
            e.origin != ClipOrigin::Bundled && e.known_as.is_some_and(|known| known == name)
        });
        // An exact name wins over a title: a file may hold both `Walk` and `Walk_Loop`.
        users
            .filter(|_| !candidates().any(|e| e.origin != ClipOrigin::Bundled && e.name == name))
            .or_else(|| candidates().find(|e| e.name == name))
            .or_else(|| candidates().find(|e| e.name.to_lowercase() == key))
            .or_else(|| candidates().find(|e| e.title.to_lowercase() == key))
            .or_else(|| {
                candidates().find(|e| e.known_as.is_some_and(|known| known.to_lowercase() == key))
            })
    }

    /// The clip that a command line asks for: a name as [`Library::find`] takes it, and edits behind it:
    /// `Walk@mirror@speed=1.2@trim=0.2..0.8@name=Quick Walk`.
    ///
    /// # Errors
    /// [`ClipRequestError`] where there is no such clip, several of one file have that name, or an edit says nothing.
    pub fn get(&self, wanted: &str) -> Result<ClipEntry, ClipRequestError> {
        // A name may have an `@` of its own.
        let whole = wanted.contains('@').then(|| self.only(wanted).ok()).flatten();
        if let Some(entry) = whole {
            return Ok(entry.clone());
        }
        let (name, edit) = wanted.split_once('@').unwrap_or((wanted, ""));
        let entry = self.only(name.trim())?;
        let edit: ClipEdit = edit.parse()?;
        Ok(if edit.is_none() { entry.clone() } else { entry.edited(edit) })
    }

    /// The clip that `wanted` finds, if it says which of several.
    fn only(&self, wanted: &str) -> Result<&ClipEntry, ClipRequestError> {
        let entry = self.find(wanted)?;
        let (name, skip_own) = match wanted.strip_prefix("lib:") {
            Some(name) => (name, true),
            None => (wanted, false),
        };
        let places = 0..self.entries.len();
        let is_meant = |&at: &usize| self.entries.get(at).is_some_and(|e| e.is_namesake(entry));
        let meant: Vec<usize> = places.filter(is_meant).collect();
        if meant.len() < 2 || self.named(name, skip_own).is_none() {
            return Ok(entry);
        }
        let (name, count) = (entry.name.clone(), meant.len());
        let mut keys: Vec<String> =
            meant.into_iter().take(MOST_KEYS).filter_map(|at| self.key(at)).collect();
        if count > MOST_KEYS {
            keys.push("…".to_owned());
        }
        Err(ClipRequestError::Ambiguous { name, count, keys })
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
    let known = known(bare);
    ClipEntry {
        name: clip.name.clone(),
        title: title(bare),
        category: known.map(|recipe| recipe.category.clone()).unwrap_or_default(),
        duration_secs: clip.duration_secs,
        looping: known.map_or(clip.looping, |recipe| recipe.looping),
        known_as: known.map(|recipe| recipe.name.as_str()),
        draft: false,
        origin,
        source,
        edit: ClipEdit::default(),
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
    fn clips_that_share_a_name_are_told_apart_by_number() {
        let users = character(&["Jump", "Jump"]);
        let own = character(&["Walk", "Run", "Walk", "", "Walk#9"]);
        let library =
            Library::bundled().with_user_file(Path::new("a.glb"), vec![users]).with_own(&own);
        let at = |found: ClipEntry| library.entries().iter().position(|e| e.is_same(&found));
        let place = |wanted: &str| library.get(wanted).map(at);
        assert_eq!(place("walk#2"), Ok(Some(2)));
        assert_eq!(place("#3"), Ok(Some(2)));
        assert_eq!(place("Walk#9"), Ok(Some(4)), "a name may end so");
        assert_eq!(place(""), Ok(Some(3)), "the only one without a name");
        assert_eq!(place("lib:jump#2"), Ok(Some(6)));
        assert!(matches!(place("Walk#3"), Err(ClipRequestError::NoSuchClip(_))));
        let said = place("Walk@mirror").unwrap_err().to_string();
        assert_eq!(said, "2 clips are named \"Walk\"; say which: Walk#1, Walk#2");
        for (at, entry) in library.entries().iter().enumerate() {
            let key = library.key(at).unwrap();
            assert_eq!(library.place(&key), Some(at), "{key} of {}", entry.name);
        }
        assert_eq!(library.key(1).as_deref(), Some("Run"));
    }

    #[test]
    fn clips_without_a_name_are_told_apart_by_place() {
        let library = Library::default().with_own(&character(&["Run", "", "", ""]));
        let said = library.get("").unwrap_err().to_string();
        assert_eq!(said, "3 clips are without a name; say which: #2, #3, #4");
        assert_eq!(library.key(2).as_deref(), Some("#3"));
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
    fn clips_made_of_others_stand_behind_them_and_are_found_by_their_names() {
        let made =
            ["Walk@mirror@name=Left Walk", "lib:Jump@speed=2@name=Hop", "Gone@mirror@name=X"];
        let made = [&made[..], &["Walk", "Walk@mirror", "Walk@name=Left Walk@speed=2"]].concat();
        let made: Vec<String> = made.into_iter().map(str::to_owned).collect();
        let library = Library::default()
            .with_user_file(Path::new("a.glb"), vec![character(&["Jump"])])
            .with_own(&character(&["Walk", "Run"]))
            .with_made(&made);
        let names: Vec<&str> = library.entries().iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["Walk", "Left Walk", "Left Walk", "Run", "Jump", "Hop"]);
        let hop = library.find("hop").unwrap();
        assert_eq!((hop.edit.speed, &hop.origin), (2.0, &ClipOrigin::User("a.glb".into())));
        assert!(library.find("Walk").unwrap().edit.is_none(), "the clip itself stays as it is");
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest() {
        let library = Library::default().with_own(&character(&["Sprint_Loop", "Idle"]));
        let error = library.find("Sprnt").unwrap_err();
        assert_eq!(error.nearest, ["Sprint_Loop"]);
        assert!(library.find("zzz").unwrap_err().to_string().contains("tailbone clips"));
    }
}
