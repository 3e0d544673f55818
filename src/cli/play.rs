//! Clips that a verb was asked for, on the character it works on.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;

use super::open::Opened;
use super::output::Voice;
use crate::document::{clip_on, with_causes};
use crate::library::{ClipEntry, Library, clip_files, read_clips};
use crate::model::{Clip, FindingCode};

/// All clips at hand for an opened character: its own, those of the given files, the bundled ones, and those that its
/// project has made of others.
pub fn library(
    opened: Option<&Opened>,
    paths: &[PathBuf],
    voice: &Voice,
) -> anyhow::Result<Library> {
    let mut library = Library::bundled();
    for path in paths {
        let files = clip_files(path)?;
        let is_folder = files.first() != Some(path);
        if files.is_empty() {
            let folder = path.display();
            voice.note(format!("note: {folder}: there are no files of clips in this folder"));
        }
        for file in files {
            let characters = match read_clips(&file, &voice.work()) {
                // One bad file does not spoil a folder.
                Err(error) if is_folder => {
                    voice.note(format!("note: {}", with_causes(&error)));
                    continue;
                }
                read => read?,
            };
            for clip in characters.iter().flat_map(|c| &c.clips).filter(|clip| clip.is_cut()) {
                let found = FindingCode::ClipTooLong;
                let (about, code) = (found.about(), found.code());
                let (file, clip) = (file.display(), &clip.name);
                voice.note(format!("note: {file}: clip \"{clip}\": {about} [{code}]"));
            }
            if !is_folder && characters.iter().all(|c| c.clips.is_empty()) {
                voice.note(format!("note: {}: there are no clips in this file", file.display()));
            }
            library = library.with_user_file(&file, characters);
        }
    }
    Ok(match opened {
        Some(opened) => library.with_own(opened.loaded()?).with_made(&opened.made_clips),
        None => library,
    })
}

/// The clip of that name or title on the opened character, with its entry. Edits stand after the name, each behind an
/// `@`: `Walk@mirror@speed=1.2@trim=0.2..0.8@name=Quick Walk`.
pub fn clip(
    opened: &Opened,
    library: &Library,
    wanted: &str,
    voice: &Voice,
) -> anyhow::Result<(ClipEntry, Arc<Clip>)> {
    let origin = || opened.origin().to_owned();
    let entry = library.get(wanted).with_context(origin)?;
    let clip = clip_on(opened.loaded()?, &opened.evaluated, &entry, &voice.work());
    let clip = clip.with_context(origin)?;
    Ok((entry, clip))
}
