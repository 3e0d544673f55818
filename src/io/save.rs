//! Saving: beside the target, synced, then renamed, so that a crash or a full disk leaves the old file whole.

use std::io::{ErrorKind, Write};
use std::path::Path;

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

/// Writes `bytes` to `path`: all of them, or nothing.
///
/// # Errors
/// [`SaveError`]; whatever stood at `path` before still stands there then.
pub fn save(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<(), SaveError> {
    save_parts(path, [bytes], overwrite)
}

impl WrittenFile {
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
        if input.is_some_and(|input| is_same_file(path, input)) {
            return Err(SaveError::IsInput { path: path.into() });
        }
        if overwrite == Overwrite::Never && path.symlink_metadata().is_ok() {
            return Err(SaveError::Exists { path: path.into() });
        }
        let folder = folder_of(path);
        for (name, bytes) in self.siblings() {
            let target = folder.join(name);
            // Beside its input, a file shares what lies there already.
            if std::fs::read(&target).is_ok_and(|old| old == **bytes) {
                continue;
            }
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent).map_err(|e| fault(parent, e))?;
            }
            save(&target, bytes, overwrite)?;
        }
        save_parts(path, self.parts().iter().map(|p| &p[..]), overwrite)
    }
}

fn is_same_file(a: &Path, b: &Path) -> bool {
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

fn save_parts<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    overwrite: Overwrite,
) -> Result<(), SaveError> {
    if path.is_dir() {
        return Err(SaveError::IsFolder { path: path.into() });
    }
    if overwrite == Overwrite::Never && path.symlink_metadata().is_ok() {
        return Err(SaveError::Exists { path: path.into() });
    }
    let folder = folder_of(path);
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
        Overwrite::Never => file.persist_noclobber(path),
        Overwrite::Force => file.persist(path),
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

    #[test]
    fn folders_and_missing_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = save(folder.path(), b"", Overwrite::Force).unwrap_err();
        assert!(matches!(error, SaveError::IsFolder { .. }), "{error}");
        let error = save(&folder.path().join("no/a.glb"), b"", Overwrite::Never).unwrap_err();
        assert!(matches!(error, SaveError::NoFolder { .. }), "{error}");
        let file = folder.path().join("a");
        save(&file, b"", Overwrite::Never).unwrap();
        let error = save(&file.join("b"), b"", Overwrite::Never).unwrap_err();
        assert!(matches!(error, SaveError::NoFolder { .. }), "{error}");
    }
}
