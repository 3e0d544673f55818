//! Saving: beside the target, synced, then renamed, so that a crash or a full disk leaves the old file whole.
//!
//! Only files are replaced. A link is followed first: what it points to is written, and the link stays a link.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::SaveError;
use super::gltf::WrittenFile;

/// What to do where a file of that name exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overwrite {
    /// Refuse.
    #[default]
    Never,
    /// Replace it.
    Force,
}

impl Overwrite {
    /// What --force, or a question that was answered, comes to.
    pub const fn if_forced(is_forced: bool) -> Self {
        if is_forced { Self::Force } else { Self::Never }
    }
}

/// Writes `bytes` to `path`: all of them, or nothing.
///
/// # Errors
/// [`SaveError`]; whatever stood at `path` before still stands there then.
pub fn save(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<(), SaveError> {
    save_parts(path, [bytes], overwrite)
}

impl WrittenFile {
    /// Whether the file and what goes beside it may be saved there: of several files that belong together, all are asked
    /// before the first is written.
    ///
    /// # Errors
    /// As [`may_save`].
    pub fn may_save(
        &self,
        path: &Path,
        overwrite: Overwrite,
        input: Option<&Path>,
    ) -> Result<(), SaveError> {
        may_save(path, overwrite, input)?;
        self.beside(path).try_for_each(|(target, _)| target_of(&target, overwrite).map(drop))
    }

    /// What goes beside `path` and does not lie there already: beside its input, a file shares what it has.
    fn beside(&self, path: &Path) -> impl Iterator<Item = (PathBuf, &[u8])> {
        let folder = folder_of(path).to_path_buf();
        self.siblings()
            .map(move |(name, bytes)| (folder.join(name), &bytes[..]))
            .filter(|(target, bytes)| !std::fs::read(target).is_ok_and(|old| old == *bytes))
    }

    /// Saves the file and what goes beside it. `input` is the file it was made from, which is never written over.
    ///
    /// # Errors
    /// [`SaveError`]; the main file is written last, so that what stands there before is replaced only when all else
    /// is in place.
    pub fn save(
        &self,
        path: &Path,
        overwrite: Overwrite,
        input: Option<&Path>,
    ) -> Result<(), SaveError> {
        self.may_save(path, overwrite, input)?;
        for (target, bytes) in self.beside(path) {
            if let Some(parent) = target.parent() {
                make_folder(parent)?;
            }
            save(&target, bytes, overwrite)?;
        }
        save_parts(path, self.parts().iter().map(|p| &p[..]), overwrite)
    }
}

/// Whether a file may be saved at `path`, before the work whose result it is to hold. `input` is what that is made from,
/// which is never written over.
///
/// # Errors
/// [`SaveError`] where the path is the input, where something stands there that is not to be replaced, or that is no
/// file.
pub fn may_save(path: &Path, overwrite: Overwrite, input: Option<&Path>) -> Result<(), SaveError> {
    if input.is_some_and(|input| is_same_file(path, input)) {
        return Err(SaveError::IsInput { path: path.into() });
    }
    target_of(path, overwrite).map(drop)
}

/// Makes a folder, and those it stands in, where they are missing.
///
/// # Errors
/// [`SaveError`] where something else has that name, or it may not be made.
pub fn make_folder(path: &Path) -> Result<(), SaveError> {
    std::fs::create_dir_all(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            SaveError::NotAFolder { path: path.into() }
        }
        _ => fault(path, error),
    })
}

/// Whether two paths lead to the same file; not where one leads to none.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Most links behind one another that are followed, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// Where what is saved at `path` goes: there, or where links lead from there.
///
/// # Errors
/// Where something stands there that is not to be replaced, or that is no file.
fn target_of(path: &Path, overwrite: Overwrite) -> Result<PathBuf, SaveError> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(SaveError::IsFolder { path: path.into() }),
        Ok(found) if !found.is_file() => return Err(SaveError::NotAFile { path: path.into() }),
        _ => {}
    }
    if overwrite == Overwrite::Never && path.symlink_metadata().is_ok() {
        return Err(SaveError::Exists { path: path.into() });
    }
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(SaveError::NotAFile { path: path.into() })
}

fn save_parts<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    overwrite: Overwrite,
) -> Result<(), SaveError> {
    let target = target_of(path, overwrite)?;
    let folder = folder_of(&target);
    if !folder.is_dir() {
        return Err(SaveError::NoFolder { path: path.into() });
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tailbone-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system's mask takes off what the user does not want.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(|e| fault(path, e))?;
    for part in parts {
        file.write_all(part).map_err(|e| fault(path, e))?;
    }
    file.as_file().sync_all().map_err(|e| fault(path, e))?;
    let persisted = match overwrite {
        Overwrite::Never => file.persist_noclobber(&target),
        Overwrite::Force => file.persist(&target),
    };
    persisted.map(drop).map_err(|e| fault(path, e.error))
}

fn fault(path: &Path, source: std::io::Error) -> SaveError {
    let path = path.to_path_buf();
    match source.kind() {
        ErrorKind::AlreadyExists => SaveError::Exists { path },
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            SaveError::Permission { path }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => SaveError::DiskFull { path },
        ErrorKind::NotFound | ErrorKind::NotADirectory => SaveError::NoFolder { path },
        ErrorKind::IsADirectory => SaveError::IsFolder { path },
        _ => SaveError::Io { path, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_over_unless_forced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.glb");
        save(&path, b"one", Overwrite::Never).unwrap();
        assert!(matches!(
            save(&path, b"two", Overwrite::Never),
            Err(SaveError::Exists { path: p }) if p == path
        ));
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        save(&path, b"two", Overwrite::Force).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no part is left");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_what_it_points_to_is_written() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("deep")).unwrap();
        std::fs::write(at("deep/a.glb"), b"one").unwrap();
        symlink("deep/a.glb", at("link.glb")).unwrap();
        symlink("link.glb", at("second.glb")).unwrap();
        let error = save(&at("second.glb"), b"two", Overwrite::Never).unwrap_err();
        assert!(matches!(error, SaveError::Exists { .. }), "{error}");
        save(&at("second.glb"), b"two", Overwrite::Force).unwrap();
        assert_eq!(std::fs::read(at("deep/a.glb")).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(at("deep")).unwrap().count(), 1, "no part is left");
        for link in ["link.glb", "second.glb"] {
            assert!(at(link).symlink_metadata().unwrap().is_symlink(), "{link}");
        }
        // A link to what is not there yet says where it is to be.
        symlink("deep/b.glb", at("early.glb")).unwrap();
        save(&at("early.glb"), b"three", Overwrite::Force).unwrap();
        assert_eq!(std::fs::read(at("deep/b.glb")).unwrap(), b"three");
        symlink("ring.glb", at("ring.glb")).unwrap();
        let error = save(&at("ring.glb"), b"", Overwrite::Force).unwrap_err();
        assert!(matches!(error, SaveError::NotAFile { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket.glb");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        for overwrite in [Overwrite::Never, Overwrite::Force] {
            let error = save(&path, b"", overwrite).unwrap_err();
            assert!(matches!(error, SaveError::NotAFile { .. }), "{error}");
        }
        assert!(!path.symlink_metadata().unwrap().is_file(), "the socket stands there still");
    }

    #[test]
    fn folders_and_missing_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for overwrite in [Overwrite::Never, Overwrite::Force] {
            let error = save(folder.path(), b"", overwrite).unwrap_err();
            assert!(matches!(error, SaveError::IsFolder { .. }), "{error}");
        }
        let error = save(&folder.path().join("no/a.glb"), b"", Overwrite::Never).unwrap_err();
        assert!(matches!(error, SaveError::NoFolder { .. }), "{error}");
        let file = folder.path().join("a");
        save(&file, b"", Overwrite::Never).unwrap();
        for path in [file.clone(), file.join("deeper")] {
            let error = make_folder(&path).unwrap_err();
            assert!(matches!(error, SaveError::NotAFolder { .. }), "{error}");
        }
        let error = save(&file.join("b"), b"", Overwrite::Never).unwrap_err();
        assert!(matches!(error, SaveError::NoFolder { .. }), "{error}");
    }
}
