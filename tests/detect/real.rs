//! Real characters: what an artist rigged is left, what is taken away is found again, nothing else is touched.

use std::path::Path;

use tailbone::detect::{Detection, roles};
use tailbone::io;
use tailbone::model::{Character, RegionKind, Role, Verdict};
use tailbone::work::Work;

use super::{common, describe, find};

fn read(path: &Path) -> Character {
    io::read(path, &Work::default()).unwrap().characters.swap_remove(0)
}

fn names(character: &Character, found: &Detection) -> Vec<String> {
    found
        .regions
        .iter()
        .map(|r| format!("[{}] {}", character.skeleton.name(r.attachment), describe(r)))
        .collect()
}

fn all_files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            all_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "glb" || e == "gltf" || e == "vrm") {
            found.push(path);
        }
    }
}

#[test]
fn no_real_character_gets_an_edit_it_did_not_ask_for() {
    let Some(data) = common::shared_data() else { return };
    let mut files = Vec::new();
    all_files(&data, &mut files);
    for path in files {
        let Ok(loaded) = io::read(&path, &Work::default()) else { continue };
        for character in &loaded.characters {
            let found = find(character);
            // Every tail among these has its joints, and nothing else on them is one.
            let edited: Vec<String> = found
                .regions
                .iter()
                .filter(|r| r.verdict != Verdict::Leave)
                .map(describe)
                .collect();
            assert!(edited.is_empty(), "{}: {edited:?}", path.display());
        }
    }
}

#[test]
fn humanoids_are_recognised() {
    let Some(data) = common::shared_data() else { return };
    for name in [
        "Knight.glb",
        "human-male.glb",
        "human-kenney.glb",
        "human-sintel.glb",
        "m2m-sample-rig.glb",
        "m2m-wrong-bone-names.glb",
        "kaiju-base.glb",
        "platformer_player.glb",
    ] {
        let map = roles::humanoid(&read(&data.join("characters").join(name)));
        let missing: Vec<_> = map.missing().filter(|r| !r.name().ends_with("Hand")).collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
    // Quadrupeds: hips and hind legs at least.
    for name in ["fox-animations.glb", "Fox.glb", "bird-animations.glb"] {
        let map = roles::humanoid(&read(&data.join("characters").join(name)));
        for role in
            [Role::Hips, Role::LeftUpperLeg, Role::RightUpperLeg, Role::LeftFoot, Role::Head]
        {
            assert!(map.node(role).is_some(), "{name}: {}", role.name());
        }
    }
}

#[test]
fn the_knights_cape_is_a_garment_and_untouched() {
    let Some(data) = common::shared_data() else { return };
    let character = read(&data.join("characters/Knight.glb"));
    let found = find(&character);
    let cape = found
        .regions
        .iter()
        .find(|r| {
            let (instance, _) = character.locate(r.vertices[0]).unwrap();
            let node = character.instance(instance).unwrap().node;
            character.skeleton.name(node) == "Knight_Cape"
        })
        .unwrap_or_else(|| panic!("no cape in {:?}", names(&character, &found)));
    assert_eq!(
        (cape.kind, cape.verdict),
        (RegionKind::Garment, Verdict::Leave),
        "{}",
        describe(cape)
    );
    assert_eq!(character.skeleton.name(cape.attachment), "chest");
}
