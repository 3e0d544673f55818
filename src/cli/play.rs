//! Clips that a verb was asked for, on the character it works on.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;

use super::open::Opened;
use super::output::Voice;
use crate::document::clip_on;
use crate::io;
use crate::library::{ClipEntry, Library};
use crate::model::{Character, Clip};

/// All clips at hand for a character: its own, those of the given files, the bundled ones.
pub fn library(
    character: Option<&Character>,
    paths: &[PathBuf],
    voice: &Voice,
) -> anyhow::Result<Library> {
    let mut library = Library::bundled();
    for path in paths {
        let loaded = io::read(path, &voice.work())?;
        if loaded.characters.iter().all(|c| c.clips.is_empty()) {
            voice.note(format!("note: {}: there are no clips in this file", path.display()));
        }
        library = library.with_user_file(path, loaded.characters);
    }
    Ok(match character {
        Some(character) => library.with_own(character),
        None => library,
    })
}

/// The clip of that name or title on the opened character, with its entry.
pub fn clip(
    opened: &Opened,
    library: &Library,
    wanted: &str,
    voice: &Voice,
) -> anyhow::Result<(ClipEntry, Arc<Clip>)> {
    let entry = library.find(wanted).with_context(|| opened.document.source().origin.clone())?;
    let clip = clip_on(opened.loaded()?, &opened.evaluated.detection, entry, &voice.work())?;
    Ok((entry.clone(), clip))
}
