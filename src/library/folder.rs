//! Users' files of clips: one file, or a folder of them.

use std::path::{Path, PathBuf};

use crate::io::{self, ReadError};
use crate::model::Character;
use crate::work::Work;

/// Endings of files that may hold clips.
const ENDINGS: [&str; 6] = ["glb", "gltf", "vrm", "vrma", "bvh", "fbx"];

/// The files that `path` means: itself, or those of a folder that may hold clips, by name. Folders in it are not
/// looked into.
///
/// # Errors
/// Where the folder cannot be read.
pub fn clip_files(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = Vec::new();
    let fault = |source| io::unreadable(path, source);
    for entry in std::fs::read_dir(path).map_err(fault)? {
        let file = entry.map_err(fault)?.path();
        let ending = file.extension().map(|e| e.to_string_lossy().to_lowercase());
        if file.is_file() && ending.is_some_and(|e| ENDINGS.contains(&e.as_str())) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The characters of a file with their clips, whichever of the formats it is in. A BVH file's only clip is named after
/// the file, and so is a nameless take of an FBX file.
///
/// # Errors
/// [`ReadError`] as for [`io::read`].
pub fn read_clips(path: &Path, work: &Work) -> Result<Vec<Character>, ReadError> {
    let has_ending =
        |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if has_ending("bvh") {
        return io::bvh::read(path, work).map(|character| vec![character]);
    }
    #[cfg(feature = "fbx")]
    if has_ending("fbx") {
        return io::fbx::read(path, work).map(|character| vec![character]);
    }
    #[cfg(not(feature = "fbx"))]
    if has_ending("fbx") {
        return Err(ReadError::NotGltf {
            name: path.display().to_string(),
            found: "an FBX file",
            advice: "this build was made without FBX; save the clips as GLB",
        });
    }
    io::read(path, work).map(|loaded| loaded.characters)
}
