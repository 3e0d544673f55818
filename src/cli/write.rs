//! Writing an evaluated document where the arguments say.

use std::path::{Path, PathBuf};

use super::args::Output;
use super::open::Opened;
use crate::document::Finished;
use crate::document::export::{ExportFiles, ExportSettings, export, is_vrm_name};
use crate::io::Container;
use crate::model::BakedClip;

/// Writes the document with `baked` and says which files came about: the one asked for, or for
/// [`ExportFiles::PerClip`] one for each clip beside it.
///
/// # Errors
/// Where a file stands there already and --force was not given, where it is the input, or where it cannot be written. Of
/// several files none is written where one would be refused.
pub fn write(
    opened: &Opened,
    output: &Output,
    baked: &[BakedClip],
    settings: &ExportSettings,
) -> anyhow::Result<Vec<String>> {
    let path = &output.output;
    let finished = Finished { character: opened.character, evaluated: &opened.evaluated, baked };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let container = Container::of_path(path);
    let as_vrm = settings.as_vrm || is_vrm_name(path);
    let settings = &ExportSettings { as_vrm, ..settings.clone() };
    let files = export(&opened.document, &[finished], settings, (&stem, container))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let path_of = |stem: &str| -> PathBuf {
        match settings.files {
            ExportFiles::One => path.clone(),
            ExportFiles::PerClip => {
                let extension = path.extension().unwrap_or("glb".as_ref()).to_string_lossy();
                folder.join(format!("{stem}.{extension}"))
            }
        }
    };
    for exported in &files {
        exported.file.may_save(&path_of(&exported.stem), opened.overwrite, opened.input())?;
    }
    let mut written = Vec::new();
    for exported in &files {
        let path = path_of(&exported.stem);
        exported.file.save(&path, opened.overwrite, opened.input())?;
        written.push(path.display().to_string());
        let siblings = exported.file.siblings();
        written.extend(siblings.map(|(name, _)| folder.join(name).display().to_string()));
    }
    Ok(written)
}
