//! Where a project's source is: beside the project, by relative path, and known again by the hash of its bytes.

use std::hash::Hasher;
use std::path::{Component, Path, PathBuf};

use siphasher::sip128::{Hasher128, SipHasher13};

use super::SourceRef;

/// What was found where a project looks for its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The file that the project was saved over.
    Same(String),
    /// A file of that name with another content: another export of it.
    Changed(String),
    /// Nothing.
    Missing,
}

/// Hash of a file's bytes, as 32 digits: the same on every machine.
///
/// Not against forgery, only to know a file again. Based on: Aumasson and Bernstein, SipHash: a fast short-input PRF,
/// 2012 (SipHash-1-3, 128 bits, key 0).
pub fn fingerprint(bytes: &[u8]) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    format!("{:032x}", hasher.finish128().as_u128())
}

impl SourceRef {
    /// The source that was opened as `origin`, as seen from a project file at `project`. Reads it for its hash; one that
    /// cannot be read is remembered by its place alone.
    ///
    /// Cost: reading the file.
    pub fn of(origin: &str, project: &Path) -> Self {
        if origin.starts_with("sample:") {
            return Self { path: origin.to_owned(), ..Self::default() };
        }
        let bytes = std::fs::read(origin).unwrap_or_default();
        let hash = if bytes.is_empty() { String::new() } else { fingerprint(&bytes) };
        let path = relative(Path::new(origin), folder_of(project));
        Self { path, bytes: bytes.len() as u64, hash }
    }

    /// The same by its absolute path, for a project that lies anywhere.
    #[must_use]
    pub fn absolute(origin: &str) -> Self {
        let this = Self::of(origin, Path::new(""));
        if origin.starts_with("sample:") {
            return this;
        }
        let path = whole(Path::new(origin));
        Self { path: path.to_string_lossy().into_owned(), ..this }
    }

    /// Looks for the source of a project at `project`: where it was, seen from the project; by its name beside the
    /// project; where it was, seen from here. The first with the same content wins, then the first there is.
    ///
    /// Cost: reading the candidates.
    pub fn find(&self, project: &Path) -> Found {
        if self.path.starts_with("sample:") {
            return Found::Same(self.path.clone());
        }
        let folder = folder_of(project);
        let path = Path::new(&self.path);
        let beside = path.file_name().map(|name| folder.join(name));
        let candidates = std::iter::once(folder.join(path)).chain(beside).chain([path.into()]);
        let mut changed = None;
        for candidate in candidates {
            let Ok(bytes) = std::fs::read(&candidate) else { continue };
            let name = tidy(&candidate).to_string_lossy().into_owned();
            let is_same = match self.hash.as_str() {
                "" => self.bytes == 0 || self.bytes == bytes.len() as u64,
                hash => fingerprint(&bytes) == hash,
            };
            if is_same {
                return Found::Same(name);
            }
            changed.get_or_insert(name);
        }
        changed.map_or(Found::Missing, Found::Changed)
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// From the root of the disk; as it is where the system does not say where we are.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into())
}

/// Without steps that go nowhere.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        let last_is_name = matches!(out.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if last_is_name => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// `path` as seen from `folder`, with `/` between the names; from the root where they share none.
fn relative(path: &Path, folder: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (path, folder) = (whole(path), whole(folder));
    let (mut a, mut b) = (path.components().peekable(), folder.components().peekable());
    if a.peek() != b.peek() {
        return path.to_string_lossy().into_owned();
    }
    while a.peek().is_some() && a.peek() == b.peek() {
        a.next();
        b.next();
    }
    let up = b.map(|_| "..".to_owned());
    let down = a.map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // SipHash-1-3 with 128 bits and key 0 over nothing is fixed for ever: projects hold it.
        let empty = fingerprint(b"");
        assert_eq!(empty.len(), 32);
        assert_eq!(empty, fingerprint(b""));
        assert_ne!(empty, fingerprint(b"a"));
    }

    #[test]
    fn a_source_is_found_after_both_moved_together_and_after_it_moved_beside_the_project() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("work/models")).unwrap();
        std::fs::write(at("work/models/fox.glb"), b"fox").unwrap();
        let origin = at("work/models/fox.glb");
        let source = SourceRef::of(origin.to_str().unwrap(), &at("work/fox.tailbone"));
        assert_eq!((source.path.as_str(), source.bytes), ("models/fox.glb", 3));

        std::fs::rename(at("work"), at("elsewhere")).unwrap();
        let project = at("elsewhere/fox.tailbone");
        let Found::Same(found) = source.find(&project) else { panic!("moved together") };
        assert_eq!(Path::new(&found), at("elsewhere/models/fox.glb"));

        std::fs::rename(at("elsewhere/models/fox.glb"), at("elsewhere/fox.glb")).unwrap();
        let Found::Same(found) = source.find(&project) else { panic!("moved beside") };
        assert_eq!(Path::new(&found), at("elsewhere/fox.glb"));

        std::fs::write(at("elsewhere/fox.glb"), b"another").unwrap();
        assert!(matches!(source.find(&project), Found::Changed(_)));
        std::fs::remove_file(at("elsewhere/fox.glb")).unwrap();
        assert_eq!(source.find(&project), Found::Missing);
    }

    #[test]
    fn paths_lead_up_and_down_again() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("a/projects")).unwrap();
        std::fs::create_dir_all(at("a/models")).unwrap();
        std::fs::write(at("a/models/fox.glb"), b"fox").unwrap();
        let origin = at("a/projects/../models/./fox.glb");
        let source = SourceRef::of(origin.to_str().unwrap(), &at("a/projects/fox.tailbone"));
        assert_eq!(source.path, "../models/fox.glb");
        let Found::Same(found) = source.find(&at("a/projects/fox.tailbone")) else { panic!() };
        assert_eq!(Path::new(&found), at("a/models/fox.glb"));
        assert_eq!(SourceRef::of("sample:fox", Path::new("x.tailbone")).path, "sample:fox");
    }
}
