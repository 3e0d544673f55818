//! Files of clips of the user's own: read on a worker, kept from one character to the next, in the library beside bundled
//! clips.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::command::{Changes, Command};
use super::jobs::JobKind;
use super::notices::{NoticeAction, NoticeKind};
use super::state::{Outcome, Studio, chain};
use super::words;
use crate::library::{ClipEntry, Dropped, Library, clip_files, dropped, read_clips};
use crate::model::Character;
use crate::work::{Stopped, Work};

/// A file or a folder of clips.
#[derive(Debug)]
pub(super) struct UserLibrary {
    /// Absolute.
    path: String,
    /// Its files, with their characters that have clips.
    files: Vec<(PathBuf, Vec<Arc<Character>>)>,
    /// Why nothing of it is there.
    fault: Option<String>,
}

/// A library as the panel lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryRow {
    /// Where it is, absolute.
    pub path: String,
    /// Name of the file or folder.
    pub name: String,
    /// Number of its clips.
    pub n_clips: usize,
    /// Why nothing of it is there.
    pub fault: Option<String>,
}

/// Why a library is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The user asked for it.
    Added,
    /// It was dropped, and may have been meant as a character.
    Catalogue,
    /// It was there when the program ended.
    Kept,
}

/// A library that is to be read.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    path: String,
    why: Why,
}

/// A library that was read, and faults of files that were left out of it.
pub(super) type ReadLibrary = Result<(UserLibrary, Vec<String>), String>;

/// The user's libraries, in the order in which they were added.
#[derive(Default)]
pub(super) struct Libraries {
    all: Vec<Arc<UserLibrary>>,
    waiting: VecDeque<Wanted>,
    /// Which one a worker has in hand.
    reading: Option<String>,
    /// Kept ones that could not be read and have not been told of.
    lost: Vec<String>,
    /// Those that clips were taken from since the file was opened, for an export or to make others of them: its script
    /// needs them.
    pub(super) needed: BTreeSet<String>,
}

impl UserLibrary {
    fn unread(path: String, fault: Option<String>) -> Self {
        Self { path, files: Vec::new(), fault }
    }

    /// Reads a file or a folder. Called on a worker.
    fn read(path: &str, work: &Work) -> ReadLibrary {
        let place = Path::new(path);
        let is_folder = place.is_dir();
        let found = clip_files(place).map_err(|e| chain(&e))?;
        let inner = if is_folder { work.without_progress() } else { work.clone() };
        let (mut files, mut faults) = (Vec::new(), Vec::new());
        for (i, file) in found.iter().enumerate() {
            work.tick("reading clips", i as u64, found.len() as u64).map_err(|e| chain(&e))?;
            match read_clips(file, &inner) {
                Ok(characters) => {
                    let moving = characters.into_iter().filter(|c| !c.clips.is_empty());
                    let moving: Vec<Arc<Character>> = moving.map(Arc::new).collect();
                    if !moving.is_empty() {
                        files.push((file.clone(), moving));
                    }
                }
                // One bad file does not spoil a folder.
                Err(error) if is_folder => faults.push(chain(&error)),
                Err(error) => return Err(chain(&error)),
            }
        }
        if files.is_empty() {
            let empty = if is_folder {
                "no clips are in this folder; put GLB, glTF, VRM, VRMA, BVH or FBX files there"
            } else {
                "there are no clips in this file; export it with its animation"
            };
            let first = faults.into_iter().next();
            return Err(first.unwrap_or_else(|| format!("{path}: {empty}")));
        }
        Ok((Self { path: path.to_owned(), files, fault: None }, faults))
    }

    fn n_clips(&self) -> usize {
        let characters = self.files.iter().flat_map(|(_, characters)| characters);
        characters.map(|character| character.clips.len()).sum()
    }
}

impl Libraries {
    /// All of them, to be read from elsewhere; clones share them.
    pub(super) fn all(&self) -> &[Arc<UserLibrary>] {
        &self.all
    }

    /// Commands that add those that are there.
    pub(super) fn commands(&self) -> Vec<Command> {
        let there = self.all.iter().filter(|library| library.fault.is_none());
        let there = there.filter(|library| !library.files.is_empty());
        there.map(|library| Command::AddLibrary(library.path.clone())).collect()
    }

    /// Paths of those that hold a file that `is_meant`.
    pub(super) fn holding(&self, is_meant: impl Fn(&Path) -> bool) -> BTreeSet<String> {
        let holds = |library: &&Arc<UserLibrary>| library.files.iter().any(|(f, _)| is_meant(f));
        self.all.iter().filter(holds).map(|library| library.path.clone()).collect()
    }

    fn position(&self, path: &str) -> Option<usize> {
        self.all.iter().position(|library| library.path == path)
    }

    /// Whether it is being read, or will be.
    fn is_wanted(&self, path: &str) -> bool {
        self.reading.as_deref() == Some(path) || self.waiting.iter().any(|w| w.path == path)
    }
}

/// Whether both are the same libraries, read at the same time.
pub(super) fn are_same(a: &[Arc<UserLibrary>], b: &[Arc<UserLibrary>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b))
}

/// All clips at hand for a character: its own, the user's, the bundled ones.
pub(super) fn library_of(character: &Character, users: &[Arc<UserLibrary>]) -> Library {
    let files = users.iter().flat_map(|user| &user.files);
    let library = files.fold(Library::bundled(), |library, (path, characters)| {
        library.with_user_file(path, characters.iter().cloned())
    });
    library.with_own(character)
}

/// A path that means the same wherever the program is started.
fn absolute(path: &str) -> String {
    let whole = std::path::absolute(Path::new(path));
    whole.map_or_else(|_| path.to_owned(), |whole| whole.display().to_string())
}

impl Studio {
    /// Reads libraries of an earlier time, in the background. One that is not there stays in the list.
    pub fn keep_libraries(&mut self, paths: &[String]) {
        for path in paths {
            if self.libraries.position(path).is_none() {
                let unread = UserLibrary::unread(path.clone(), None);
                self.libraries.all.push(Arc::new(unread));
                let wanted = Wanted { path: path.clone(), why: Why::Kept };
                self.libraries.waiting.push_back(wanted);
            }
        }
        self.next_library();
    }

    /// The user's libraries, in the order in which they were added.
    pub fn libraries(&self) -> Vec<LibraryRow> {
        let row = |library: &Arc<UserLibrary>| LibraryRow {
            path: library.path.clone(),
            name: words::file_name(&library.path),
            n_clips: library.n_clips(),
            fault: library.fault.clone(),
        };
        self.libraries.all.iter().map(row).collect()
    }

    /// Reads a library on a worker, again where it is there already.
    pub(super) fn add_library(&mut self, path: &str, why: Why) -> Changes {
        let path = absolute(path);
        if !self.libraries.is_wanted(&path) {
            self.libraries.waiting.push_back(Wanted { path, why });
            self.next_library();
        }
        Changes::NOTICES
    }

    /// Reads the next library that waits, once none is being read.
    pub(super) fn next_library(&mut self) {
        if self.jobs.runs(JobKind::Library) {
            return;
        }
        self.libraries.reading = None;
        let Some(wanted) = self.libraries.waiting.pop_front() else { return };
        self.libraries.reading = Some(wanted.path.clone());
        self.start(JobKind::Library, move |work| {
            let result = UserLibrary::read(&wanted.path, work);
            Outcome::Library { wanted, result }
        });
    }

    pub(super) fn take_library(&mut self, wanted: Wanted, result: ReadLibrary) -> Changes {
        let Wanted { path, why } = wanted;
        let place = self.libraries.position(&path);
        let changes = match (result, place) {
            // Removed while it was read.
            (_, None) if why == Why::Kept => Changes::NONE,
            (Ok((library, faults)), _) => {
                let n = library.n_clips();
                let library = Arc::new(library);
                match place.and_then(|place| self.libraries.all.get_mut(place)) {
                    Some(slot) => *slot = library,
                    None => self.libraries.all.push(library),
                }
                self.done.push(Command::AddLibrary(path.clone()));
                self.tell_added(&path, why, n, &faults);
                self.follow_libraries()
            }
            (Err(fault), Some(place)) if why == Why::Kept => {
                if let Some(slot) = self.libraries.all.get_mut(place) {
                    *slot = Arc::new(UserLibrary::unread(path.clone(), Some(fault)));
                }
                self.libraries.lost.push(path);
                Changes::LIBRARY.and(Changes::DOCUMENT)
            }
            // What was loaded stays.
            (Err(fault), _) => {
                let name = words::file_name(&path);
                let text = if fault.contains(&name) { fault } else { format!("{path}: {fault}") };
                self.notice(NoticeKind::Error, text)
            }
        };
        self.tell_lost();
        changes
    }

    fn tell_added(&mut self, path: &str, why: Why, n: usize, faults: &[String]) {
        let (name, clips) = (words::file_name(path), words::counted(n, "clip", "clips"));
        let later = if self.open.is_some() { "" } else { "; they show on the next character" };
        let added = format!("Added {clips} of {name} to the library{later}");
        match (why, faults) {
            (Why::Kept, _) => {}
            (Why::Catalogue, _) => {
                let open = Command::Open(path.to_owned());
                let actions = vec![NoticeAction::new("Open as character", open)];
                self.notices.add_with(NoticeKind::Info, added, actions);
            }
            (Why::Added, []) => self.notices.add(NoticeKind::Info, added),
            (Why::Added, [first, ..]) => {
                let files = words::counted(faults.len(), "file", "files");
                let text = format!("{added}; {files} of it could not be read: {first}");
                self.notices.add(NoticeKind::Warning, text);
            }
        }
    }

    /// One message for all kept libraries that are not where they were, once all were looked for.
    fn tell_lost(&mut self) {
        let is_on = self.libraries.waiting.iter().any(|wanted| wanted.why == Why::Kept);
        if is_on || self.libraries.lost.is_empty() {
            return;
        }
        let lost = std::mem::take(&mut self.libraries.lost);
        let names: Vec<String> = lost.iter().map(|path| words::file_name(path)).collect();
        let text = format!(
            "Clips of {} could not be read; they are looked for again at the next start, or can be removed in the library",
            names.join(", ")
        );
        self.notices.add(NoticeKind::Info, text);
    }

    /// Takes a library away; its file stays.
    pub(super) fn remove_library(&mut self, path: &str) -> Changes {
        let path = absolute(path);
        self.libraries.waiting.retain(|wanted| wanted.path != path);
        if self.libraries.reading.as_ref() == Some(&path) {
            self.jobs.cancel_all(|kind| kind == JobKind::Library);
            self.next_library();
        }
        let Some(place) = self.libraries.position(&path) else { return Changes::NONE };
        self.libraries.all.remove(place);
        let text = format!("Took {} out of the library", words::file_name(&path));
        let again = NoticeAction::new("Add again", Command::AddLibrary(path));
        self.notices.add_with(NoticeKind::Info, text, vec![again]);
        self.follow_libraries()
    }

    /// Puts the libraries there are beside what is open: what names clips by their places goes on with its clips.
    pub(super) fn follow_libraries(&mut self) -> Changes {
        let changes = Changes::LIBRARY.and(Changes::DOCUMENT).and(Changes::NOTICES);
        self.forget_sweep();
        let Some(open) = &mut self.open else { return changes };
        let Some(loaded) = open.document.character(open.character) else { return changes };
        let fresh = library_of(loaded, &self.libraries.all).with_made(&self.kept.made_clips);
        let old = std::mem::replace(&mut open.library, fresh);
        let library = &open.library;
        let moved =
            |entry: &ClipEntry| library.entries().iter().position(|other| other.is_same(entry));
        self.exporting.relocate(|place| {
            let entry = old.entries().get(place)?;
            // What was read again are other clips of the same names.
            let is_anew = |e: &ClipEntry| e.name == entry.name && e.origin == entry.origin;
            moved(entry).or_else(|| library.entries().iter().position(is_anew))
        });
        let mut gone = None;
        if let Some(playback) = &mut self.playback
            && let Some(&(place, _)) = playback.clip()
            && let Some(entry) = old.entries().get(place)
        {
            let now = moved(entry);
            playback.relocate(now.unwrap_or(usize::MAX));
            // What bears its name now plays on in its place.
            let name = entry.known_as.unwrap_or(entry.name.as_str());
            gone = now.is_none().then(|| library.place(name));
        }
        self.forget_tiles();
        let played = match gone {
            None => Changes::NONE,
            Some(Some(place)) => self.start_clip(place),
            Some(None) => self.put_on(None),
        };
        self.restage();
        changes.and(played)
    }

    /// Opens what was dropped, or adds it to the library, once a worker has looked what it is.
    pub(super) fn drop_files(&mut self, paths: Vec<String>) -> Changes {
        self.start(JobKind::Look, move |work| {
            let look = |path: String| dropped(Path::new(&path), work).map(|what| (path, what));
            Outcome::Dropped { result: paths.into_iter().map(look).collect() }
        });
        Changes::NOTICES
    }

    pub(super) fn take_dropped(
        &mut self,
        result: Result<Vec<(String, Dropped)>, Stopped>,
    ) -> Changes {
        let Ok(found) = result else { return Changes::NONE };
        let (mut character, mut n_others) = (None, 0);
        for (path, what) in found {
            match what {
                Dropped::Clips => {
                    self.add_library(&path, Why::Added);
                }
                Dropped::Catalogue => {
                    self.add_library(&path, Why::Catalogue);
                }
                Dropped::Character if character.is_some() => n_others += 1,
                Dropped::Character => character = Some(path),
            }
        }
        if n_others > 0 {
            let others = words::counted(n_others, "other was", "others were");
            let text = format!("One character is open at a time: {others} not opened");
            self.notices.add(NoticeKind::Info, text);
        }
        character.map_or(Changes::NOTICES, |path| self.ask_open(path))
    }
}
