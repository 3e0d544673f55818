//! Watches the source on the disk: a new export of it is told once it is whole.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use super::jobs::Wake;

/// Between two looks.
const PERIOD: Duration = Duration::from_secs(1);

/// What a look sees without reading the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Glance {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Glance {
    fn at(path: &Path) -> Option<Self> {
        let about = std::fs::metadata(path).ok()?;
        Some(Self { bytes: about.len(), modified: about.modified().ok() })
    }
}

/// Watches one file at a time, on a thread of its own.
pub(super) struct Watch {
    wanted: Sender<Option<(PathBuf, String)>>,
    changed: Receiver<PathBuf>,
}

impl Watch {
    /// A watch that calls `wake` when a file has changed.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub(super) fn start(wake: Wake) -> std::io::Result<Self> {
        // Both hold a path at a time at most: unbounded in name only.
        let (wanted, orders) = channel();
        let (sender, changed) = channel();
        std::thread::Builder::new().name("watch".into()).spawn(move || {
            run(&orders, &mut |path| {
                let told = sender.send(path).is_ok();
                wake();
                told
            });
        })?;
        Ok(Self { wanted, changed })
    }

    /// Watches `path`, whose content has that hash now; nothing where it is `None`.
    pub(super) fn on(&self, file: Option<(PathBuf, String)>) {
        // The thread lives as long as this does.
        let _ = self.wanted.send(file);
    }

    /// The file that has changed since the last call.
    pub(super) fn take(&self) -> Option<PathBuf> {
        self.changed.try_iter().last()
    }
}

/// The thread: until nobody wants anything any more.
fn run(orders: &Receiver<Option<(PathBuf, String)>>, tell: &mut impl FnMut(PathBuf) -> bool) {
    let mut file: Option<Watched> = None;
    loop {
        let order = match file {
            // Nothing to look at: sleep until there is.
            None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => orders.recv_timeout(PERIOD),
        };
        match order {
            Ok(order) => file = order.map(|(path, hash)| Watched::new(path, hash)),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                if let Some(path) = file.as_mut().and_then(Watched::look)
                    && !tell(path)
                {
                    return;
                }
            }
        }
    }
}

/// The file that is watched.
struct Watched {
    path: PathBuf,
    hash: String,
    settled: Option<Glance>,
    /// Another glance than the settled one, seen once: an exporter may still be writing.
    fresh: Option<Glance>,
}

impl Watched {
    fn new(path: PathBuf, hash: String) -> Self {
        let settled = Glance::at(&path);
        Self { path, hash, settled, fresh: None }
    }

    /// The path, where its content has become another and stayed so for two looks.
    fn look(&mut self) -> Option<PathBuf> {
        let now = Glance::at(&self.path)?;
        if Some(now) == self.settled {
            self.fresh = None;
            return None;
        }
        if self.fresh != Some(now) {
            self.fresh = Some(now);
            return None;
        }
        let hash = crate::document::project::fingerprint(&std::fs::read(&self.path).ok()?);
        self.settled = self.fresh.take();
        if hash == self.hash {
            return None;
        }
        self.hash = hash;
        Some(self.path.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_is_told_once_and_when_it_stands_still() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fox.glb");
        std::fs::write(&path, b"fox").unwrap();
        let mut watched = Watched::new(path.clone(), crate::document::project::fingerprint(b"fox"));
        assert_eq!(watched.look(), None);
        std::fs::write(&path, b"fox and").unwrap();
        assert_eq!(watched.look(), None, "it may still be growing");
        std::fs::write(&path, b"fox and mouse").unwrap();
        assert_eq!(watched.look(), None, "it was");
        assert_eq!(watched.look(), Some(path.clone()));
        assert_eq!(watched.look(), None, "told once");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(watched.look(), None, "gone is not changed");
    }

    #[test]
    fn the_same_content_written_again_is_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fox.glb");
        std::fs::write(&path, b"fox").unwrap();
        let mut watched = Watched::new(path.clone(), crate::document::project::fingerprint(b"fox"));
        let later = SystemTime::now() + Duration::from_secs(5);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert_eq!((watched.look(), watched.look(), watched.look()), (None, None, None));
    }
}
