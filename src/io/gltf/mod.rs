//! glTF 2.0: containers, accessors, nodes, meshes, skins, animations; composing and writing them.
//!
//! A file is kept as raw JSON and bytes ([`SourceFile`]); characters are built from it by lenient looks, and edits
//! patch it. No parser's strictness stands between a user and a file.

mod accessor;
mod animation;
mod author;
mod block;
mod characters;
mod clips_only;
mod container;
mod decode;
mod edit_clips;
mod edit_colliders;
mod edit_meshes;
mod edit_vrm;
mod extensions;
mod facts;
mod influences;
mod journal;
pub(crate) mod json;
mod marks;
mod materials;
mod meshes;
mod meshopt;
mod mtoon;
mod nodes;
mod outline;
mod pack;
mod read;
mod skins;
mod source;
mod weights;
mod write;

use std::path::Path;

use bytes::Bytes;

pub use accessor::AccessorFault;
pub use author::author;
pub(crate) use block::{number, numbers};
pub use container::Container;
pub use facts::Facts;
pub use marks::MarksToWrite;
pub use outline::Outline;
pub(super) use outline::outline;
#[cfg(feature = "fbx")]
pub(super) use read::closes;
pub use source::SourceFile;
pub use write::{CharacterEdits, Contents, InfluenceLimit, WriteEdits, WrittenFile};

use super::ReadError;
use crate::model::{Character, Report};
use crate::work::Work;

/// A file and what was found in it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The file itself, for writing.
    pub file: SourceFile,
    /// Its characters, the default one first; never empty.
    pub characters: Vec<Character>,
    /// What is odd about it.
    pub report: Report,
}

pub(super) fn load(
    bytes: Bytes,
    name: &str,
    base_dir: Option<&Path>,
    work: &Work,
) -> Result<Loaded, ReadError> {
    let mut report = Report::default();
    let mut file = SourceFile::open(bytes, name, base_dir)?;
    let marks = marks::take_off(&mut file, &mut report);
    let mut characters = read::characters(&file, work, &mut report)?;
    for character in &mut characters {
        character.marks.clone_from(&marks);
    }
    Ok(Loaded { file, characters, report })
}

/// The same with our own edits left in: what any other program reads.
pub(super) fn load_as_is(
    bytes: Bytes,
    name: &str,
    base_dir: Option<&Path>,
    work: &Work,
) -> Result<Loaded, ReadError> {
    let mut report = Report::default();
    let file = SourceFile::open(bytes, name, base_dir)?;
    let characters = read::characters(&file, work, &mut report)?;
    Ok(Loaded { file, characters, report })
}
