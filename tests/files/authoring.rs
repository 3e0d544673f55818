//! Files composed for characters that no file held before.

use std::sync::Arc;

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use serde_json::json;
use tailbone::io::{self, Container, WriteEdits};
use tailbone::math::Transform;
use tailbone::model::{
    Character, Clip, Influences, Interpolation, JointIndex, Mesh, MeshIndex, MeshInstance,
    MorphTarget, Node, NodeIndex, Skeleton, Skin, SkinIndex, Track, TrackValues,
};

use crate::edits;

/// A character with one of everything: two joints, a mesh with all attributes, a prop, a clip of each kind of track.
fn everything(n_influences: usize) -> Character {
    let node = |name: &str, parent: Option<u32>, y: f32| Node {
        name: name.into(),
        parent: parent.map(NodeIndex),
        local: Transform::from_translation(Vec3::new(0.0, y, 0.0)),
        source: None,
    };
    let skeleton = Skeleton::new(vec![
        node("Hips", None, 1.0),
        node("Spine", Some(0), 0.5),
        node("Body", None, 0.0),
        node("Sword", Some(1), 0.0),
    ])
    .unwrap();
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y * 1.8, Vec3::new(0.1, 0.2, 0.3)];
    let mut influences = Influences::with_capacity(4);
    for _ in 0..4 {
        let share = 1.0 / n_influences as f32;
        influences.push((0..n_influences).map(|j| (JointIndex(j as u32), share)));
    }
    let body = Mesh {
        name: "Body".into(),
        normals: Arc::new(vec![Vec3::Z; 4]),
        uvs: Arc::new(vec![Vec2::new(0.25, 0.75); 4]),
        colors: Arc::new(vec![Vec4::new(0.1, 0.2, 0.3, 1.0); 4]),
        morphs: Arc::new(vec![MorphTarget {
            name: "Smile".into(),
            positions: vec![Vec3::X * 0.01; 4],
            normals: Vec::new(),
        }]),
        morph_weights: Vec::new(),
        influences: Some(Arc::new(influences)),
        material: Some(0),
        positions: Arc::new(positions.clone()),
        triangles: Arc::new(vec![[0, 1, 2], [2, 1, 3]]),
        source: None,
    };
    let sword = Mesh {
        name: "Sword".into(),
        positions: Arc::new(positions),
        triangles: Arc::new(vec![[0, 1, 2]]),
        ..Mesh::default()
    };
    let joints: Vec<NodeIndex> =
        (0..n_influences.max(2)).map(|j| NodeIndex((j % 2) as u32)).collect();
    let skin = Skin {
        name: "Skin".into(),
        joint_from_mesh: joints
            .iter()
            .map(|j| Mat4::from_translation(Vec3::NEG_Y * (1.0 + 0.5 * j.0 as f32)))
            .collect(),
        joints,
        has_binds: true,
        source: None,
    };
    let track = |node: u32, values: TrackValues, interpolation| Track {
        node: NodeIndex(node),
        times: vec![0.0, 1.0],
        values,
        interpolation,
    };
    let turn = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    let clip = Clip {
        name: "Walk_Loop".into(),
        duration_secs: 1.0,
        looping: true,
        tracks: vec![
            track(0, TrackValues::Translation(vec![Vec3::Y; 6]), Interpolation::Cubic),
            track(1, TrackValues::Rotation(vec![turn, Quat::IDENTITY]), Interpolation::Linear),
            track(1, TrackValues::Scale(vec![Vec3::ONE; 2]), Interpolation::Step),
            track(
                2,
                TrackValues::Morph { n_targets: 1, values: vec![0.0, 1.0] },
                Interpolation::Linear,
            ),
        ],
        source: None,
    };
    let instance = |mesh, node, skin: Option<u32>, is_visible| MeshInstance {
        mesh: MeshIndex(mesh),
        node: NodeIndex(node),
        skin: skin.map(SkinIndex),
        is_visible,
    };
    Character {
        name: "Everything".into(),
        skeleton,
        meshes: vec![body, sword],
        skins: vec![skin],
        instances: vec![instance(0, 2, Some(0), true), instance(1, 3, None, false)],
        clips: vec![Arc::new(clip)],
        ..Character::default()
    }
}

#[test]
fn an_authored_character_reads_back_as_it_was() {
    for n_influences in [1, 2, 8] {
        let mut character = everything(n_influences);
        if n_influences == 8 {
            // Distinct joints, so that all eight influences stay.
            for j in 2..8 {
                let parent = Some(NodeIndex(0));
                let local = Transform::from_translation(Vec3::X * j as f32);
                let node = Node { name: format!("J{j}"), parent, local, source: None };
                character.skins[0].joints[j] = character.skeleton.push(node).unwrap();
                let at = Vec3::new(j as f32, 1.0, 0.0);
                character.skins[0].joint_from_mesh[j] = Mat4::from_translation(-at);
            }
        } else {
            character.skins[0].joints = vec![NodeIndex(0), NodeIndex(1)];
        }
        let file = io::author(&character, "test", Some(json!({"truth": [1, 2]})));
        let written = file.write(&WriteEdits::default()).unwrap();
        edits::leave(&written, &format!("authored-{n_influences}"), "glb", None);
        let loaded = edits::read(written.to_bytes());
        assert_eq!(
            loaded.report.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [""; 0]
        );
        assert_eq!(loaded.file.json()["asset"]["extras"]["truth"], json!([1, 2]));
        let read = &loaded.characters[0];
        let names = |c: &Character| -> Vec<(String, Option<String>)> {
            let name = |n| c.skeleton.name(n).to_owned();
            let mut names: Vec<_> =
                c.skeleton.indices().map(|n| (name(n), c.skeleton.parent(n).map(name))).collect();
            names.sort();
            names
        };
        assert_eq!(names(read), names(&character));
        let find = |c: &Character, name: &str| c.skeleton.by_name()[name];
        for node in ["Hips", "Spine", "Sword"] {
            let [a, b] = [read, &character].map(|c| c.skeleton.node(find(c, node)).local);
            assert_eq!(a, b);
        }
        let by_name = |c: &Character, name: &str| -> (Mesh, bool) {
            let instance = c.instances.iter().find(|i| c.mesh_of(i).unwrap().name == name).unwrap();
            (Mesh { source: None, ..c.mesh_of(instance).unwrap().clone() }, instance.is_visible)
        };
        for mesh in ["Body", "Sword"] {
            assert_eq!(by_name(read, mesh), by_name(&character, mesh));
        }
        assert_eq!(read.skins[0].joint_from_mesh, character.skins[0].joint_from_mesh);
        let (clip, expected) = (&read.clips[0], &character.clips[0]);
        assert_eq!((&clip.name, clip.duration_secs, clip.looping), (&expected.name, 1.0, true));
        for (track, expected) in clip.tracks.iter().zip(&expected.tracks) {
            assert_eq!(read.skeleton.name(track.node), character.skeleton.name(expected.node));
            assert_eq!((&track.times, &track.values), (&expected.times, &expected.values));
            assert_eq!(track.interpolation, expected.interpolation);
        }
    }
}

#[test]
fn the_same_character_gives_the_same_bytes_in_either_container() {
    let bytes = || {
        let file = io::author(&everything(2), "test", None);
        [Container::Glb, Container::Gltf].map(|container| {
            let edits = WriteEdits { container, stem: "a b".into(), ..WriteEdits::default() };
            let written = file.write(&edits).unwrap();
            let siblings: Vec<_> =
                written.siblings().map(|(n, b)| (n.to_owned(), b.clone())).collect();
            (written.to_bytes(), siblings)
        })
    };
    assert!(bytes() == bytes());
    let [(glb, none), (gltf, siblings)] = bytes();
    assert!(none.is_empty());
    assert_eq!(siblings[0].0, "a b.bin");
    assert!(String::from_utf8(gltf).unwrap().contains(r#""uri":"a%20b.bin""#));
    assert!(glb.ends_with(&siblings[0].1));
}
