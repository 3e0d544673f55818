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
    CharacterEdits, Container, Contents, Facts, InfluenceLimit, Loaded, MarksToWrite, SourceFile,
    WriteEdits, WrittenFile, author,
};
pub use save::{Overwrite, save};

use crate::work::Work;

/// Reads a glTF, GLB or VRM file.
///
/// # Errors
/// [`ReadError`] says what is wrong with it and what can be done.
///
/// Cost: O(size); takes at most 4 × the size + 256 MB of memory.
pub fn read(path: &Path, work: &Work) -> Result<Loaded, ReadError> {
    let fault = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => ReadError::Missing { path: path.into() },
        std::io::ErrorKind::PermissionDenied => ReadError::Permission { path: path.into() },
        _ => ReadError::Io { path: path.into(), source },
    };
    let kind = std::fs::metadata(path).map_err(fault)?;
    if !kind.is_file() {
        let what = if kind.is_dir() { "a folder" } else { "a device or a pipe" };
        return Err(ReadError::NotAFile { path: path.into(), what });
    }
    work.tick("open", 0, 1)?;
    let bytes = whole(path, kind.len()).map_err(fault)?;
    gltf::load(bytes.into(), &path.display().to_string(), path.parent(), work)
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
