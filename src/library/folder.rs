//! Users' files of clips: one file, or a folder of them; and which files are meant as such.

use std::path::{Path, PathBuf};

use super::known::known;
use crate::io::{self, Outline, ReadError};
use crate::model::Character;
use crate::work::{Stopped, Work};

/// Endings of files that may hold clips.
const ENDINGS: [&str; 6] = ["glb", "gltf", "vrm", "vrma", "bvh", "fbx"];

/// What a path that is dropped on the studio is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// To be opened: a character, a project, or what only opening can judge.
    Character,
    /// Clips and nothing else: a folder, a format of motion, a file without a skinned mesh.
    Clips,
    /// A figure that is there to carry the clips of the Universal catalogue.
    Catalogue,
}

/// Fewest clips of a file of the catalogue: its smallest edition has over forty, characters with clips of their own a
/// handful that are named alike.
const LEAST_OF_CATALOGUE: usize = 12;

/// Whether a file is in a format that holds motion and no character.
pub fn is_motion(path: &Path) -> bool {
    let ending = path.extension();
    ["bvh", "fbx", "vrma"].iter().any(|of| ending.is_some_and(|e| e.eq_ignore_ascii_case(of)))
}

/// What a path is there for; what cannot be read is left to opening, which says why.
///
/// # Errors
/// Where the work is stopped.
pub fn dropped(path: &Path, work: &Work) -> Result<Dropped, Stopped> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    Ok(match ending.as_deref() {
        _ if path.is_dir() || is_motion(path) => Dropped::Clips,
        Some("glb" | "gltf") => match io::outline(path, work) {
            Ok(outline) => judged(&outline),
            Err(ReadError::Stopped(stopped)) => return Err(stopped),
            Err(_) => Dropped::Character,
        },
        _ => Dropped::Character,
    })
}

fn judged(outline: &Outline) -> Dropped {
    let n = outline.clips.len();
    let n_known = outline.clips.iter().filter(|name| known(name).is_some()).count();
    match outline.has_skinned_mesh {
        false if n > 0 => Dropped::Clips,
        // What we have written is the user's character with clips baked in, whatever they are called.
        true if !outline.is_ours && n >= LEAST_OF_CATALOGUE && 5 * n_known >= 4 * n => {
            Dropped::Catalogue
        }
        _ => Dropped::Character,
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes;

    #[test]
    fn a_figure_with_the_clips_of_the_catalogue_is_told_from_a_character_with_clips() {
        let names = recipes::list().iter().map(|recipe| recipe.name.clone());
        let catalogue =
            Outline { has_skinned_mesh: true, clips: names.take(43).collect(), is_ours: false };
        assert_eq!(judged(&catalogue), Dropped::Catalogue);
        assert_eq!(judged(&Outline { is_ours: true, ..catalogue.clone() }), Dropped::Character);
        let few = catalogue.clips[..3].to_vec();
        assert_eq!(judged(&Outline { clips: few, ..catalogue.clone() }), Dropped::Character);
        assert_eq!(
            judged(&Outline { has_skinned_mesh: false, ..catalogue.clone() }),
            Dropped::Clips
        );
        assert_eq!(judged(&Outline::default()), Dropped::Character);
        let waltzes = (0..43).map(|i| format!("Waltz {i}")).collect();
        assert_eq!(judged(&Outline { clips: waltzes, ..catalogue }), Dropped::Character);
    }

    #[test]
    fn motion_files_and_what_is_not_there_are_told_by_their_endings() {
        let of = |name: &str| dropped(Path::new(name), &Work::default());
        assert_eq!(of("no/such/walk.BVH"), Ok(Dropped::Clips));
        assert_eq!(of("no/such/walk.vrma"), Ok(Dropped::Clips));
        assert_eq!(of("no/such/fox.glb"), Ok(Dropped::Character));
        assert_eq!(of("no/such/fox.tailbone"), Ok(Dropped::Character));
    }
}
