//! Reading and writing files: the shared real ones, and every hard case as a file built here.
#![allow(clippy::unwrap_used, reason = "a test may stop where a file of ours cannot be read")]

mod common;

use std::path::{Path, PathBuf};

use tailbone::io;
use tailbone::work::Work;

/// Every glTF file under `folder`, sorted.
fn gltf_files(folder: &Path) -> Vec<PathBuf> {
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
        let name = path.strip_prefix(&data).unwrap().display().to_string();
        match io::read(&path, &Work::default()) {
            Ok(loaded) => {
                let c = &loaded.characters[0];
                println!(
                    "{name}: {} characters, {} nodes, {} meshes, {} instances, {} skins, {} clips, {:?}, {:?}",
                    loaded.characters.len(),
                    c.skeleton.len(),
                    c.meshes.len(),
                    c.instances.len(),
                    c.skins.len(),
                    c.clips.len(),
                    c.world_from_file.scale,
                    c.stated_humanoid.as_ref().map(|h| h.roles.len()),
                );
                for finding in &loaded.report.findings {
                    println!("    {finding}");
                }
            }
            Err(error) => {
                println!("{name}: {error}");
                refused.push(name);
            }
        }
    }
    assert_eq!(
        refused,
        ["vrm/malformed/malformed_glb_json.vrm", "vrm/malformed/nonfinite_transform.vrm"]
    );
}
