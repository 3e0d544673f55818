//! Floor 2: files in and out: glTF, GLB and VRM as they occur, written back without loss; clips from BVH and FBX; saving beside and
//! renaming.
//!
//! May use floors 0 and 1, serde_json, bytes, base64, meshopt, ufbx. Architecture invariant: decides nothing about rigs; what it does not
//! understand comes out as it went in.
#![warn(clippy::indexing_slicing)]

pub mod axes;
pub mod bvh;
mod error;
#[cfg(feature = "fbx")]
pub mod fbx;
pub mod gltf;
mod save;
pub mod vrm;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use bytes::Bytes;
use rayon::prelude::*;

pub use error::{ReadError, SaveError, WriteError};
pub use gltf::{
    CharacterEdits, Container, Contents, Facts, InfluenceLimit, Loaded, MarksToWrite, Outline,
    SourceFile, WriteEdits, WrittenFile, author,
};
pub use save::{Overwrite, is_same_file, make_folder, may_save, save};

use crate::work::Work;

/// Reads a glTF, GLB or VRM file.
///
/// # Errors
/// [`ReadError`] says what is wrong with it and what can be done.
///
/// Cost: O(size); takes at most 4 × the size + 256 MB of memory.
pub fn read(path: &Path, work: &Work) -> Result<Loaded, ReadError> {
    let size = size_of_file(path)?;
    work.tick("open", 0, 1)?;
    let bytes = whole(path, size).map_err(|source| unreadable(path, source))?;
    gltf::load(bytes.into(), &path.display().to_string(), path.parent(), work)
}

/// Reads what a glTF, GLB or VRM file says that it holds, and nothing else of it.
///
/// # Errors
/// [`ReadError`] where it cannot be read, or is none of those.
///
/// Cost: O(size) to read, O(its JSON) to look through.
pub fn outline(path: &Path, work: &Work) -> Result<Outline, ReadError> {
    let size = size_of_file(path)?;
    work.tick("look", 0, 1)?;
    let bytes = whole(path, size).map_err(|source| unreadable(path, source))?;
    gltf::outline(bytes.into(), &path.display().to_string())
}

/// Reads a file of text: a project, a script, a table.
///
/// # Errors
/// [`ReadError`] where there is none, or it cannot be read, or it is not text.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    size_of_file(path)?;
    std::fs::read_to_string(path).map_err(|source| unreadable(path, source))
}

/// Size of what is a file and can be asked.
fn size_of_file(path: &Path) -> Result<u64, ReadError> {
    let kind = std::fs::metadata(path).map_err(|source| unreadable(path, source))?;
    if kind.is_file() {
        return Ok(kind.len());
    }
    let what = if kind.is_dir() { "a folder" } else { "a device or a pipe" };
    Err(ReadError::NotAFile { path: path.into(), what })
}

/// Why a file cannot be read, in our words where we have some.
pub(crate) fn unreadable(path: &Path, source: std::io::Error) -> ReadError {
    use std::io::ErrorKind;
    let path = path.into();
    match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => ReadError::Missing { path },
        ErrorKind::PermissionDenied => ReadError::Permission { path },
        ErrorKind::InvalidData => ReadError::NotText { path },
        _ => ReadError::Io { path, source },
    }
}

/// Reads a file that is in memory already. `name` is what messages call it; buffers and images beside it are looked
/// for in `base_dir`.
///
/// # Errors
/// [`ReadError`] as for [`read`].
pub fn read_bytes(
    bytes: impl Into<Bytes>,
    name: &str,
    base_dir: Option<&Path>,
    work: &Work,
) -> Result<Loaded, ReadError> {
    gltf::load(bytes.into(), name, base_dir, work)
}

/// Reads a file that is in memory as any other program does: what we baked into it is not taken back.
///
/// # Errors
/// [`ReadError`] as for [`read`].
pub fn read_bytes_as_is(
    bytes: impl Into<Bytes>,
    name: &str,
    base_dir: Option<&Path>,
    work: &Work,
) -> Result<Loaded, ReadError> {
    gltf::load_as_is(bytes.into(), name, base_dir, work)
}

/// A whole file. A large one is read in pieces at once: filling fresh memory takes longer than the copy.
fn whole(path: &Path, size: u64) -> std::io::Result<Vec<u8>> {
    const PIECE: usize = 4 << 20;
    let Some(size) = usize::try_from(size).ok().filter(|&s| s > PIECE) else {
        return std::fs::read(path);
    };
    let mut bytes = vec![0; size];
    bytes.par_chunks_mut(PIECE).enumerate().try_for_each(|(i, piece)| {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start((i * PIECE) as u64))?;
        file.read_exact(piece)
    })?;
    Ok(bytes)
}
