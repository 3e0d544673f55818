//! Broken files by the thousand: whatever is changed, the reader answers in time and never panics.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use tailbone::io::{self, Container};
use tailbone::work::Work;

use crate::common::glb::{self, column};
use crate::edits;

/// Reads, and where that works, edits, writes and reads again.
fn survive(bytes: Vec<u8>, what: &dyn std::fmt::Debug) {
    let start = Instant::now();
    if let Ok(loaded) = io::read_bytes(bytes, "mutant.glb", None, &Work::default()) {
        let _ = loaded.file.facts();
        let character = &loaded.characters[0];
        for mesh in &character.meshes {
            assert!(mesh.positions.iter().all(|p| p.is_finite()));
            assert!(
                mesh.triangles.as_flattened().iter().all(|&v| (v as usize) < mesh.n_vertices())
            );
        }
        if !character.skeleton.is_empty() && character.skins.iter().all(|s| !s.joints.is_empty()) {
            let rigged = edits::grown(character);
            let baked = edits::baked(&rigged);
            let edits = io::WriteEdits {
                characters: vec![io::CharacterEdits { rigged: &rigged, baked: &baked }],
                marks: edits::marks(),
                container: Container::Glb,
                ..Default::default()
            };
            if let Ok(written) = loaded.file.write(&edits) {
                let again = io::read_bytes(written.to_bytes(), "again.glb", None, &Work::default());
                let same = again.is_ok_and(|a| a.file.json() == loaded.file.json());
                assert!(same, "{what:?}: not taken back");
            }
        }
    }
    assert!(start.elapsed() < Duration::from_secs(1), "{what:?} took {:?}", start.elapsed());
}

/// A column with a clip and VRM metadata, so that every reader has something to read.
fn rich() -> glb::Builder {
    let mut c = column();
    let times = c.file.floats(&[[0.0], [1.0]]);
    let turns = c.file.floats(&[[0.0, 0.0, 0.0, 1.0]; 2]);
    c.file.push(
        "animations",
        json!({"name": "Idle", "samplers": [{"input": times, "output": turns}],
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}),
    );
    c.file.json["extensions"] =
        json!({"VRM": {"humanoid": {"humanBones": [{"bone": "hips", "node": 0}]}}});
    c.file.json["images"] = json!([{"bufferView": 0, "mimeType": "image/png"}]);
    c.file.json["textures"] = json!([{"source": 0}]);
    c.file.json["materials"] = json!([{"normalTexture": {"index": 0}}]);
    c.file
}

/// Pointers to every value below `value`.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, v)| places(v, &format!("{at}/{i}"), found));
        }
        Value::Object(map) => {
            map.iter().for_each(|(k, v)| places(v, &format!("{at}/{k}"), found));
        }
        _ => {}
    }
}

#[test]
fn every_member_replaced_by_everything_else_is_survived() {
    let file = rich();
    let root = file.finished();
    let mut found = Vec::new();
    places(&root, "", &mut found);
    let replacements = [
        json!(null),
        json!(-1),
        json!(3),
        json!(4_294_967_295_u64),
        json!(18_446_744_073_709_551_615_u64),
        json!(1e300),
        json!(0.5),
        json!("text"),
        json!([]),
        json!({}),
        json!([0, 1]),
        json!(true),
    ];
    for place in &found {
        for replacement in &replacements {
            let mut mutant = root.clone();
            *mutant.pointer_mut(place).unwrap() = replacement.clone();
            survive(
                glb::glb(&mutant.to_string(), &[(0x004E_4942, &file.bin)]),
                &(place, replacement),
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_and_cuts_are_survived(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = rich().glb();
        for (at, value) in &flips {
            let n = bytes.len();
            bytes[at.index(n)] = *value;
        }
        if let Some(cut) = cut {
            let n = bytes.len();
            bytes.truncate(cut.index(n));
        }
        survive(bytes, &(flips, cut));
    }

    #[test]
    fn broken_numbers_in_the_buffer_are_survived(
        places in prop::collection::vec((any::<prop::sample::Index>(), 0..5_usize), 1..20),
    ) {
        let mut file = rich();
        let words = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45];
        for (at, word) in &places {
            let n = file.bin.len() / 4;
            let at = 4 * at.index(n);
            file.bin[at..at + 4].copy_from_slice(&words[*word].to_le_bytes());
        }
        survive(file.glb(), &places);
    }
}
