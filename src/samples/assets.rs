//! The samples as files: written to `assets/`, embedded from there.

use std::path::{Path, PathBuf};

use super::{Sample, generate, list};
use crate::io::{self, Overwrite, SaveError, WriteEdits};

/// The GLB of a sample that this program carries, byte for byte as in `assets/`; `None` for a name that [`list`] does
/// not have.
pub fn embedded(name: &str) -> Option<&'static [u8]> {
    match name {
        "fox" => Some(include_bytes!("../../assets/fox.glb")),
        "mouse" => Some(include_bytes!("../../assets/mouse.glb")),
        "mouse-rigged" => Some(include_bytes!("../../assets/mouse-rigged.glb")),
        "knight" => Some(include_bytes!("../../assets/knight.glb")),
        "ponytail" => Some(include_bytes!("../../assets/ponytail.vrm")),
        "layered" => Some(include_bytes!("../../assets/layered.vrm")),
        _ => None,
    }
}

/// What the file of a sample is called: `fox.glb`; those with VRM metadata end in `.vrm`.
pub fn file_name(name: &str) -> String {
    match name {
        "ponytail" | "layered" => format!("{name}.vrm"),
        _ => format!("{name}.glb"),
    }
}

/// A sample as a GLB, clips included.
pub fn glb(sample: &Sample) -> Vec<u8> {
    let source = io::author(&sample.character, "Tailbone", None);
    // What was just composed has nothing in it that could not be written.
    source.write(&WriteEdits::default()).map(|f| f.to_bytes()).unwrap_or_default()
}

/// Makes every sample anew and writes it to `folder` as `NAME.glb` (or `.vrm`), over what stands there. Returns the paths.
///
/// # Errors
/// [`SaveError`] for the first file that cannot be written.
pub fn write_assets(folder: &Path) -> Result<Vec<PathBuf>, SaveError> {
    let mut paths = Vec::new();
    for info in list() {
        let Some(sample) = generate(info.name) else { continue };
        let path = folder.join(file_name(info.name));
        io::save(&path, &glb(&sample), Overwrite::Force)?;
        paths.push(path);
    }
    Ok(paths)
}
