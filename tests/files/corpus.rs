//! The shared real files: each reads or is refused with a reason, and comes out as it went in.

use std::path::{Path, PathBuf};

use tailbone::io::{self, Container, ReadError, WriteEdits};
use tailbone::work::Work;

use crate::common;
use crate::edits;

/// Every glTF file under `folder`, sorted.
pub fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if ["glb", "gltf", "vrm", "vrma"].contains(&extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_shared_file_reads_or_is_refused_with_a_reason() {
    let Some(data) = common::shared_data() else { return };
    let mut refused = Vec::new();
    for path in gltf_files(&data) {
        match io::read(&path, &Work::default()) {
            Ok(loaded) => assert_eq!(loaded.characters.len(), 1, "{}", path.display()),
            Err(error) => {
                assert!(matches!(error, ReadError::Json { .. }), "{error}");
                assert!(error.to_string().contains(path.file_name().unwrap().to_str().unwrap()));
                refused.push(path.strip_prefix(&data).unwrap().display().to_string());
            }
        }
    }
    // One has no brace at its beginning, one has NaN for a number; neither is JSON.
    assert_eq!(
        refused,
        ["vrm/malformed/malformed_glb_json.vrm", "vrm/malformed/nonfinite_transform.vrm"]
    );
}

#[test]
fn every_shared_file_unedited_is_written_as_its_input_bytes() {
    let Some(data) = common::shared_data() else { return };
    for path in gltf_files(&data) {
        let Ok(loaded) = io::read(&path, &Work::default()) else { continue };
        let edits = WriteEdits { container: Container::of_path(&path), ..WriteEdits::default() };
        let written = loaded.file.write(&edits).unwrap();
        assert!(written.to_bytes() == std::fs::read(&path).unwrap(), "{}", path.display());
    }
}

#[test]
fn every_shared_file_edited_reads_back_as_it_was() {
    let Some(data) = common::shared_data() else { return };
    for path in gltf_files(&data) {
        let Ok(loaded) = io::read(&path, &Work::default()) else { continue };
        let name = path.file_stem().unwrap().to_str().unwrap();
        for container in [Container::Glb, Container::Gltf] {
            edits::check_taken_back(&loaded, container, &path, name);
        }
    }
}
