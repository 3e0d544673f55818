//! Writing an evaluated document where the arguments say.

use std::path::Path;

use super::args::Output;
use super::open::Opened;
use crate::document::{Finished, OutputSettings, write_edits};
use crate::io::{Container, Contents, Overwrite};
use crate::model::BakedClip;
use crate::motion::SOLVER_VERSION;

/// Writes the document with `baked` and says which files came about.
///
/// # Errors
/// Where a file stands there already and --force was not given, where it is the input, or where it cannot be written.
pub fn write(
    opened: &Opened,
    output: &Output,
    baked: &[BakedClip],
    contents: Contents,
) -> anyhow::Result<Vec<String>> {
    let path = &output.output;
    let rigged = &opened.evaluated.rigged;
    let is_edited = !rigged.changes.is_empty(&rigged.character) || !baked.is_empty();
    let finished = Finished { character: opened.character, evaluated: &opened.evaluated, baked };
    // Where nothing was edited the file comes out as its own bytes, without marks.
    let characters = if is_edited { vec![finished] } else { Vec::new() };
    let settings = OutputSettings {
        contents,
        container: Container::of_path(path),
        stem: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        solver_version: SOLVER_VERSION.into(),
    };
    let edits = write_edits(&opened.document, &characters, settings);
    let file = opened.document.source().file.write(&edits)?;
    let overwrite = if output.force { Overwrite::Force } else { Overwrite::Never };
    let input = Path::new(&opened.document.source().origin);
    file.save(path, overwrite, input.exists().then_some(input))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let siblings = file.siblings().map(|(name, _)| folder.join(name).display().to_string());
    Ok(std::iter::once(path.display().to_string()).chain(siblings).collect())
}
