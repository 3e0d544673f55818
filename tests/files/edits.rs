//! Edits into files: what is written, what is left alone, and that reading takes it all back.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};
use tailbone::io::{
    self, CharacterEdits, Container, InfluenceLimit, Loaded, MarksToWrite, WriteEdits, WrittenFile,
};
use tailbone::math::Transform;
use tailbone::model::{
    BakedClip, Character, Clip, ClipIndex, FindingCode, InstanceIndex, Interpolation, JointIndex,
    Node, NodeIndex, RigChanges, Rigged, Track, TrackValues,
};
use tailbone::work::Work;

use crate::common::{self, glb};

pub fn read(bytes: Vec<u8>) -> Loaded {
    io::read_bytes(bytes, "test.glb", None, &Work::default()).unwrap()
}

/// Two joints below the first skin's first joint (or the first node), and the first instance's first vertices on
/// them: what a rig would do, without any sense.
pub fn grown(character: &Character) -> Rigged {
    let mut edited = character.clone();
    let mut changes = RigChanges { first_new_node: edited.skeleton.len(), ..Default::default() };
    let parent = edited.skins.first().map_or(NodeIndex(0), |s| s.joints[0]);
    let tail = |name: &str, parent| Node {
        name: name.into(),
        parent: Some(parent),
        local: Transform::from_translation(Vec3::new(0.0, 0.1, -0.3)),
        source: None,
    };
    let first = edited.skeleton.push(tail("Tail_1", parent)).unwrap();
    let second = edited.skeleton.push(tail("Tail_End", first)).unwrap();
    for skin in &mut edited.skins {
        skin.joints.extend([first, second]);
        let bind = skin.joint_from_mesh.first().copied().unwrap_or_default();
        skin.joint_from_mesh.extend([bind, bind * Mat4::from_translation(Vec3::Y)]);
    }
    let skinned = edited.instances().find(|(_, i)| i.skin.is_some()).map(|(i, _)| i);
    if let Some(index) = skinned {
        reweigh(&mut edited, &mut changes, index, 4, |joint| joint);
    }
    Rigged { character: edited, changes, ..Rigged::default() }
}

/// Puts the first `n` vertices of an instance half on the last joint of its skin, half on what moved them most.
pub fn reweigh(
    character: &mut Character,
    changes: &mut RigChanges,
    index: InstanceIndex,
    n: usize,
    joint: impl Fn(JointIndex) -> JointIndex,
) {
    let instance = character.instances[index.index()].clone();
    let skin = &character.skins[instance.skin.unwrap().index()];
    let last = JointIndex::from_index(skin.joints.len() - 1);
    let mesh = &mut character.meshes[instance.mesh.index()];
    let influences = mesh.influences.as_ref().unwrap();
    let edited = influences.with_replaced(|v| {
        (v < n).then(|| {
            let strongest = influences.strongest(v).map_or(JointIndex(0), |s| s.0);
            [(joint(last), 0.3), (strongest, 0.7)]
        })
    });
    mesh.influences = Some(Arc::new(edited));
    let n = n.min(mesh.n_vertices());
    for (other, instance) in character.instances.iter().enumerate() {
        if instance.mesh == character.instances[index.index()].mesh {
            let vertices = (0..n as u32).collect();
            changes.reweighted.insert(InstanceIndex::from_index(other), vertices);
        }
    }
}

/// A clip that turns the new joints, for each of the file's clips and once by itself.
pub fn baked(rigged: &Rigged) -> Vec<BakedClip> {
    let node = NodeIndex::from_index(rigged.changes.first_new_node);
    let track = |node| Track {
        node,
        times: vec![0.0, 0.5, 1.0],
        values: TrackValues::Rotation(vec![
            Quat::IDENTITY,
            Quat::from_xyzw(0.6, 0.0, 0.0, 0.8),
            Quat::IDENTITY,
        ]),
        interpolation: Interpolation::Linear,
    };
    let clip = |name: &str| Clip {
        name: name.into(),
        duration_secs: 1.0,
        looping: true,
        tracks: vec![track(node), track(NodeIndex(node.0 + 1))],
        source: None,
    };
    let joins = |i: usize| Some(ClipIndex(i as u32));
    let own = rigged.character.clips.iter().enumerate().map(|(i, c)| BakedClip {
        clip: clip(&c.name),
        joins: joins(i),
        origin: "file".into(),
    });
    let new = BakedClip { clip: clip("Sway"), joins: None, origin: "bundled".into() };
    own.take(3).chain([new]).collect()
}

pub fn marks() -> MarksToWrite {
    MarksToWrite {
        solver_version: "1".into(),
        decisions: json!({"treat": {"tail": "chain"}, "lift": 0.30000000000000004}),
        appendages: json!([{"id": 0}]),
    }
}

pub fn write(
    loaded: &Loaded,
    rigged: &Rigged,
    baked: &[BakedClip],
    container: Container,
) -> WrittenFile {
    let edits = WriteEdits {
        characters: vec![CharacterEdits { rigged, baked }],
        marks: marks(),
        container,
        stem: "out".into(),
        ..WriteEdits::default()
    };
    loaded.file.write(&edits).unwrap()
}

/// Saves what was written, where the official validator looks for it.
pub fn leave(written: &WrittenFile, name: &str, extension: &str, input: Option<&Path>) {
    let folder = common::written_dir();
    std::fs::write(folder.join(format!("{name}.{extension}")), written.to_bytes()).unwrap();
    for (sibling, bytes) in written.siblings() {
        std::fs::write(folder.join(sibling), bytes).unwrap();
    }
    if let Some(input) = input {
        std::fs::write(folder.join(format!("{name}.input")), input.display().to_string()).unwrap();
    }
}

/// Edits, writes, reads back: the file must be the one it was, the marks must be there, and the same edits must give
/// the same bytes again.
pub fn check_taken_back(loaded: &Loaded, container: Container, path: &Path, name: &str) {
    let rigged = grown(&loaded.characters[0]);
    let baked = baked(&rigged);
    let written = write(loaded, &rigged, &baked, container);
    let folder = tempfile_dir(&written);
    let again = io::read_bytes(
        written.to_bytes(),
        "again",
        folder.as_ref().map(common::Folder::path).or(path.parent()),
        &Work::default(),
    )
    .unwrap();
    if container == Container::Glb {
        leave(&written, &format!("grown-{name}"), "glb", Some(path));
    }
    let what = path.display();
    assert!(again.report.has(FindingCode::OwnMarks), "{what}");
    // What the edits began with: the input, or the input in the other container.
    let same = WriteEdits { container, stem: "out".into(), ..WriteEdits::default() };
    let plain = loaded.file.write(&same).unwrap().to_bytes();
    let taken_back = again.file.write(&same).unwrap().to_bytes();
    let (json, bin) = split(&plain);
    let (json_again, bin_again) = split(&taken_back);
    assert!(json == json_again, "{what}: the JSON differs");
    assert!(bin == bin_again, "{what}: the bytes differ");
    let character = &again.characters[0];
    let marks_read = character.marks.as_ref().unwrap();
    assert_eq!(marks_read.decisions, marks().decisions);
    assert_eq!(marks_read.baked.len(), baked.len());
    assert_eq!(character.skeleton, loaded.characters[0].skeleton);
    assert_eq!(character.skins, loaded.characters[0].skins);
    assert_eq!(character.meshes, loaded.characters[0].meshes);
    assert_eq!(character.clips, loaded.characters[0].clips);
    let rigged = grown(character);
    let twice = write(&again, &rigged, &self::baked(&rigged), container);
    assert!(twice.to_bytes() == written.to_bytes(), "{what}: a second run differs");
}

fn tempfile_dir(written: &WrittenFile) -> Option<common::Folder> {
    let mut siblings = written.siblings().peekable();
    siblings.peek()?;
    let folder = common::Folder::new();
    for (name, bytes) in siblings {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    Some(folder)
}

/// JSON as text and the binary chunk of a file.
pub fn split(bytes: &[u8]) -> (String, Vec<u8>) {
    if !bytes.starts_with(b"glTF") {
        let value: Value = serde_json::from_slice(bytes).unwrap();
        return (value.to_string(), Vec::new());
    }
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + word(12);
    let json: Value = serde_json::from_slice(&bytes[20..end]).unwrap();
    let bin =
        if end < bytes.len() { bytes[end + 8..end + 8 + word(end)].to_vec() } else { Vec::new() };
    (json.to_string(), bin)
}

#[test]
fn only_the_edited_vertices_change() {
    let column = glb::column();
    let loaded = read(column.file.glb());
    let rigged = grown(&loaded.characters[0]);
    let written = write(&loaded, &rigged, &baked(&rigged), Container::Glb);
    leave(&written, "column", "glb", None);
    let (json, bin) = split(&written.to_bytes());
    let root: Value = serde_json::from_str(&json).unwrap();
    assert!(bin.starts_with(&column.file.bin), "the old bytes stay as a prefix");
    assert_eq!(root["nodes"][0]["children"], json!([1, 4]));
    assert_eq!(root["nodes"][4]["children"], json!([5]));
    assert_eq!(root["skins"][0]["joints"], json!([0, 1, 2, 4, 5]));
    assert_eq!(root["accessors"][0], loaded.file.json()["accessors"][0]);
    // What another reader sees: the marks stripped, the edits stay.
    let mut stranger = root.clone();
    stranger["asset"].as_object_mut().unwrap().remove("extras");
    let seen = read(glb::glb(&stranger.to_string(), &[(0x004E_4942, &bin)]));
    let (seen, old) = (&seen.characters[0], &loaded.characters[0]);
    assert_eq!(seen.skins[0].joint_from_mesh, rigged.character.skins[0].joint_from_mesh);
    let [new, was] = [seen, old].map(|c| c.meshes[0].influences.clone().unwrap());
    for v in 0..18 {
        let now: Vec<_> = new.of(v).collect();
        if v < 4 {
            assert_eq!(now, [(was.strongest(v).unwrap().0, 0.7), (JointIndex(4), 0.3)]);
        } else {
            assert_eq!(now, was.of(v).collect::<Vec<_>>());
        }
    }
    assert_eq!(seen.clips[0].tracks.len(), 2);
    assert_eq!(seen.clips[0].name, "Sway");
}

#[test]
fn marks_that_no_longer_fit_are_reported_and_the_file_is_taken_as_it_is() {
    let loaded = read(glb::column().file.glb());
    let rigged = grown(&loaded.characters[0]);
    let (json, bin) = split(&write(&loaded, &rigged, &[], Container::Glb).to_bytes());
    let mut root: Value = serde_json::from_str(&json).unwrap();
    root["nodes"][4]["name"] = json!("Renamed");
    let changed = read(glb::glb(&root.to_string(), &[(0x004E_4942, &bin)]));
    assert!(changed.report.has(FindingCode::OwnMarksUnusable));
    assert_eq!(changed.characters[0].skeleton.len(), 6);
    assert!(changed.characters[0].marks.is_none());
    // Another hand elsewhere in the file does no harm.
    root["nodes"][4]["name"] = json!("Tail_1");
    root["nodes"][3]["name"] = json!("Renamed");
    let changed = read(glb::glb(&root.to_string(), &[(0x004E_4942, &bin)]));
    assert!(changed.report.has(FindingCode::OwnMarks));
    assert_eq!(changed.characters[0].skeleton.len(), 4);
}

#[test]
fn eight_influences_need_a_second_set_and_four_do_not() {
    let loaded = read(glb::column().file.glb());
    let mut rigged = grown(&loaded.characters[0]);
    let mesh = &mut rigged.character.meshes[0];
    let five = [0.3, 0.25, 0.2, 0.15, 0.1];
    let influences = mesh.influences.as_ref().unwrap().with_replaced(|v| {
        (v == 0).then(|| {
            five.iter().enumerate().map(|(j, w)| (JointIndex(j as u32), *w)).collect::<Vec<_>>()
        })
    });
    mesh.influences = Some(Arc::new(influences));
    for (limit, n_sets) in [(InfluenceLimit::Four, 1), (InfluenceLimit::Eight, 2)] {
        let edits = WriteEdits {
            characters: vec![CharacterEdits { rigged: &rigged, baked: &[] }],
            influences: limit,
            ..WriteEdits::default()
        };
        let written = loaded.file.write(&edits).unwrap();
        leave(&written, &format!("influences-{}", limit.count()), "glb", None);
        let (json, bin) = split(&written.to_bytes());
        let mut root: Value = serde_json::from_str(&json).unwrap();
        let attributes = &root["meshes"][0]["primitives"][0]["attributes"];
        assert_eq!(attributes.get("JOINTS_1").is_some(), n_sets == 2);
        root["asset"].as_object_mut().unwrap().remove("extras");
        let seen = read(glb::glb(&root.to_string(), &[(0x004E_4942, &bin)]));
        let influences = seen.characters[0].meshes[0].influences.clone().unwrap();
        let expected: Vec<f32> =
            if n_sets == 2 { five.to_vec() } else { five[..4].iter().map(|w| w / 0.9).collect() };
        for ((_, seen), expected) in influences.of(0).zip(&expected) {
            assert!((seen - expected).abs() < 1e-6);
        }
        assert_eq!(influences.of(0).len(), expected.len());
    }
}

#[test]
fn an_unskinned_mesh_gets_its_skin() {
    let mut column = glb::column();
    column.file.json["nodes"][3].as_object_mut().unwrap().remove("skin");
    let attributes = &mut column.file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes.as_object_mut().unwrap().retain(|k, _| k == "POSITION");
    column.file.json.as_object_mut().unwrap().remove("skins");
    let loaded = read(column.file.glb());
    let mut character = loaded.characters[0].clone();
    assert_eq!(character.instances[0].skin, None);
    character.skins.push(tailbone::model::Skin {
        name: "new".into(),
        joints: vec![NodeIndex(0), NodeIndex(1)],
        joint_from_mesh: vec![Mat4::IDENTITY; 2],
        has_binds: true,
        source: None,
    });
    character.instances[0].skin = Some(tailbone::model::SkinIndex(0));
    let mut influences = tailbone::model::Influences::with_capacity(18);
    (0..18).for_each(|_| influences.push([(JointIndex(1), 1.0)]));
    character.meshes[0].influences = Some(Arc::new(influences));
    let changes = RigChanges {
        first_new_node: 4,
        reweighted: BTreeMap::from([(InstanceIndex(0), (0..18).collect())]),
        newly_skinned: vec![InstanceIndex(0)],
    };
    let rigged = Rigged { character, changes, ..Rigged::default() };
    let written = write(&loaded, &rigged, &[], Container::Glb);
    leave(&written, "newly-skinned", "glb", None);
    let (json, _) = split(&written.to_bytes());
    let root: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(root["nodes"][3]["skin"], 0);
    assert_eq!(root["skins"][0]["joints"], json!([0, 1]));
    let again = read(written.to_bytes());
    assert!(again.report.has(FindingCode::OwnMarks));
    assert_eq!(again.file.json().to_string(), loaded.file.json().to_string());
}

#[test]
fn unknown_chunks_keep_their_place_and_bytes() {
    let column = glb::column();
    let json = column.file.finished().to_string();
    let file = glb::glb(
        &json,
        &[(0x1234, b"before"), (0x004E_4942, &column.file.bin), (0x5678, b"behind")],
    );
    let loaded = read(file);
    let rigged = grown(&loaded.characters[0]);
    let bytes = write(&loaded, &rigged, &[], Container::Glb).to_bytes();
    let mut kinds = Vec::new();
    let mut at = 12;
    while at < bytes.len() {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        kinds.push(word(at + 4));
        if word(at + 4) == 0x5678 {
            assert_eq!(&bytes[at + 8..at + 14], b"behind");
        }
        at += 8 + word(at) as usize;
    }
    assert_eq!(kinds, [0x4E4F_534A, 0x1234, 0x004E_4942, 0x5678]);
    let refused =
        loaded.file.write(&WriteEdits { container: Container::Gltf, ..Default::default() });
    assert!(refused.unwrap_err().to_string().contains("write a .glb instead"));
}
