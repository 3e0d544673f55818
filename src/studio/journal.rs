//! Unsaved work, kept where a crash cannot reach it: a journal of every committed step, folded into an autosave every
//! 30 seconds, in a folder of the user's that is locked while this program lives.
//!
//! ```text
//! state/recovery/1764460800-4711/ lock             held by the running process; the system lets go of it, however it ends
//!                                 about.ron        which project the work belongs to
//!                                 autosave.tailbone a whole project, at most 30 s old
//!                                 journal.ron      one line a step since then: the project after it
//! ```
//!
//! A step is written when it is committed, which a killed process cannot lose, and synced to the disk within two seconds,
//! which a machine that loses power keeps. The thread sleeps while nothing is edited.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::io::{self, Overwrite};

/// Between two autosaves.
const AUTOSAVE: Duration = Duration::from_secs(30);

/// The longest that a step waits for the disk.
const SYNC: Duration = Duration::from_secs(1);

/// The longest line that is believed: a journal that grew larger is none of ours.
const MOST_BYTES: u64 = 512 << 20;

/// What the work belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct About {
    /// The project file, where it has been saved before.
    project: Option<PathBuf>,
}

/// What the thread is told.
enum Entry {
    /// The project after a step, as its file would be.
    Step { project: Option<PathBuf>, text: String },
    /// Everything is saved, or given up.
    Forget,
}

/// Keeps unsaved work of this process.
pub(super) struct Journal {
    // Dropped first: the thread ends when nobody can send any more.
    sender: Option<SyncSender<Entry>>,
    thread: Option<JoinHandle<()>>,
}

impl Journal {
    /// A journal below `state`; nothing is written before the first step.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub(super) fn start(state: &Path) -> std::io::Result<Self> {
        let (sender, entries) = sync_channel(64);
        let folder = recovery_in(state);
        let thread = std::thread::Builder::new()
            .name("journal".into())
            .spawn(move || Keeper::new(folder).run(&entries))?;
        Ok(Self { sender: Some(sender), thread: Some(thread) })
    }

    /// Remembers the project after a step.
    pub(super) fn step(&self, project: Option<PathBuf>, text: String) {
        self.send(Entry::Step { project, text });
    }

    /// Nothing is unsaved any more.
    pub(super) fn forget(&self) {
        self.send(Entry::Forget);
    }

    fn send(&self, entry: Entry) {
        if let Some(sender) = &self.sender {
            // The thread has said why it ended, if it has.
            let _ = sender.send(entry);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

/// The thread's side.
struct Keeper {
    recovery: PathBuf,
    folder: Option<(PathBuf, File)>,
    journal: Option<File>,
    about: Option<About>,
    /// The last step, until an autosave holds it.
    pending: Option<String>,
    unsynced_since: Option<Instant>,
    saved_at: Instant,
}

impl Keeper {
    fn new(recovery: PathBuf) -> Self {
        Self {
            recovery,
            folder: None,
            journal: None,
            about: None,
            pending: None,
            unsynced_since: None,
            saved_at: Instant::now(),
        }
    }

    fn run(mut self, entries: &Receiver<Entry>) {
        loop {
            let entry = match self.next_alarm() {
                None => entries.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(wait) => entries.recv_timeout(wait),
            };
            let done = match entry {
                Ok(Entry::Step { project, text }) => self.step(About { project }, text),
                Ok(Entry::Forget) => self.forget(),
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = done.and_then(|()| self.keep_time()) {
                log::warn!(
                    "unsaved work could not be kept in {}: {error}",
                    self.recovery.display()
                );
            }
        }
        // The end of the program, not a crash: whoever wanted to keep the work has saved it.
        if let Err(error) = self.forget() {
            log::warn!("{} could not be removed: {error}", self.recovery.display());
        }
    }

    /// How long to sleep at most; `None` for as long as nothing comes.
    fn next_alarm(&self) -> Option<Duration> {
        let sync = self.unsynced_since.map(|since| SYNC.saturating_sub(since.elapsed()));
        let save = self.pending.as_ref().map(|_| AUTOSAVE.saturating_sub(self.saved_at.elapsed()));
        sync.into_iter().chain(save).min()
    }

    fn step(&mut self, about: About, text: String) -> std::io::Result<()> {
        let folder = self.folder()?;
        if self.about.as_ref() != Some(&about) {
            let line = ron::to_string(&about).map_err(std::io::Error::other)?;
            save(&folder.join("about.ron"), &line)?;
            self.about = Some(about);
        }
        if self.journal.is_none() {
            let path = folder.join("journal.ron");
            self.journal = Some(OpenOptions::new().create(true).append(true).open(path)?);
            self.saved_at = Instant::now();
        }
        // One line: RON writes line ends in strings as \n.
        let line = ron::to_string(&text).map_err(std::io::Error::other)? + "\n";
        if let Some(journal) = &mut self.journal {
            journal.write_all(line.as_bytes())?;
        }
        self.unsynced_since.get_or_insert_with(Instant::now);
        self.pending = Some(text);
        Ok(())
    }

    /// Does what is due.
    fn keep_time(&mut self) -> std::io::Result<()> {
        if self.unsynced_since.is_some_and(|since| since.elapsed() >= SYNC) {
            if let Some(journal) = &self.journal {
                journal.sync_data()?;
            }
            self.unsynced_since = None;
        }
        if self.saved_at.elapsed() < AUTOSAVE {
            return Ok(());
        }
        let (Some(text), Some((folder, _))) = (&self.pending, &self.folder) else { return Ok(()) };
        save(&folder.join("autosave.tailbone"), text)?;
        // What the journal said stands in the autosave now. In this order: a crash between the two loses nothing.
        if let Some(journal) = &self.journal {
            journal.set_len(0)?;
        }
        self.pending = None;
        self.saved_at = Instant::now();
        Ok(())
    }

    fn forget(&mut self) -> std::io::Result<()> {
        self.journal = None;
        self.about = None;
        self.pending = None;
        self.unsynced_since = None;
        match self.folder.take() {
            Some((folder, lock)) => {
                drop(lock);
                std::fs::remove_dir_all(folder)
            }
            None => Ok(()),
        }
    }

    /// This process's folder, made and locked when it is first needed.
    fn folder(&mut self) -> std::io::Result<PathBuf> {
        if let Some((folder, _)) = &self.folder {
            return Ok(folder.clone());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let folder = self.recovery.join(format!("{now}-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join("lock"))?;
        lock.lock()?;
        self.folder = Some((folder.clone(), lock));
        Ok(folder)
    }
}

/// Work that a process left behind without saving it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeftBehind {
    /// Its folder.
    pub(super) folder: PathBuf,
    /// The project file it belongs to, where there is one.
    pub(super) project: Option<PathBuf>,
    /// The project as it was last.
    pub(super) text: String,
    /// When that was.
    pub(super) at: Option<SystemTime>,
}

/// Work left behind below `state`, the newest first. Folders of processes that still run are left alone, empty ones are
/// removed.
pub(super) fn left_behind(state: &Path) -> Vec<LeftBehind> {
    let Ok(entries) = std::fs::read_dir(recovery_in(state)) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    folders.sort_by(|a, b| b.cmp(a));
    folders.into_iter().filter_map(|folder| last_words(&folder)).collect()
}

fn last_words(folder: &Path) -> Option<LeftBehind> {
    let lock = OpenOptions::new().write(true).open(folder.join("lock")).ok()?;
    lock.try_lock().ok()?;
    let read = |name: &str| {
        let path = folder.join(name);
        let about = std::fs::metadata(&path).ok().filter(|m| m.len() <= MOST_BYTES)?;
        Some((std::fs::read_to_string(path).ok()?, about.modified().ok()))
    };
    // A line that was being written when the process died has no end; the one before it has.
    let step = read("journal.ron").and_then(|(text, at)| {
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.rev().find_map(|line| Some((ron::from_str::<String>(line).ok()?, at)))
    });
    let Some((text, at)) = step.or_else(|| read("autosave.tailbone")) else {
        // It never got as far as a step.
        let _ = std::fs::remove_dir_all(folder);
        return None;
    };
    let about = read("about.ron").and_then(|(text, _)| ron::from_str::<About>(&text).ok());
    let project = about.unwrap_or_default().project;
    Some(LeftBehind { folder: folder.into(), project, text, at })
}

fn recovery_in(state: &Path) -> PathBuf {
    state.join("recovery")
}

fn save(path: &Path, text: &str) -> std::io::Result<()> {
    io::save(path, text.as_bytes(), Overwrite::Force).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait_until(mut is_so: impl FnMut() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < Duration::from_secs(20), "it never came");
            std::thread::yield_now();
        }
    }

    fn folders(state: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(recovery_in(state));
        entries.map(|e| e.filter_map(|e| Some(e.ok()?.path())).collect()).unwrap_or_default()
    }

    #[test]
    fn work_of_a_running_process_is_not_offered_and_saved_work_is_gone() {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::start(state.path()).unwrap();
        journal.step(None, "one".into());
        wait_until(|| folders(state.path()).iter().any(|f| f.join("journal.ron").exists()));
        assert_eq!(left_behind(state.path()), []);
        journal.forget();
        wait_until(|| folders(state.path()).is_empty());
        journal.step(None, "two".into());
        drop(journal);
        assert_eq!(folders(state.path()), [] as [PathBuf; 0], "an orderly end leaves nothing");
    }

    #[test]
    fn the_last_whole_line_wins_over_a_torn_one_and_the_autosave() {
        let state = tempfile::tempdir().unwrap();
        let folder = recovery_in(state.path()).join("1-1");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("lock"), "").unwrap();
        assert_eq!(left_behind(state.path()), [], "nothing was kept");
        assert!(!folder.exists(), "and the empty folder went");

        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("lock"), "").unwrap();
        std::fs::write(folder.join("autosave.tailbone"), "saved").unwrap();
        assert_eq!(left_behind(state.path())[0].text, "saved");
        std::fs::write(folder.join("journal.ron"), "\"one\\nline\"\n\"two\"\n\"thr").unwrap();
        std::fs::write(folder.join("about.ron"), "(project: Some(\"a.tailbone\"))").unwrap();
        let found = left_behind(state.path());
        assert_eq!(found[0].text, "two");
        assert_eq!(found[0].project, Some("a.tailbone".into()));
    }

    #[test]
    fn a_step_of_many_lines_is_one_line_of_the_journal() {
        let state = tempfile::tempdir().unwrap();
        let mut keeper = Keeper::new(recovery_in(state.path()));
        keeper.step(About::default(), "a\nb \"c\"\n".into()).unwrap();
        keeper.step(About::default(), "d\ne\n".into()).unwrap();
        let folder = keeper.folder().unwrap();
        let text = std::fs::read_to_string(folder.join("journal.ron")).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        keeper.saved_at = Instant::now().checked_sub(AUTOSAVE).unwrap();
        keeper.keep_time().unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("journal.ron")).unwrap(), "");
        assert_eq!(std::fs::read_to_string(folder.join("autosave.tailbone")).unwrap(), "d\ne\n");
    }
}
