//! Reading and writing a GLB of 36 MB: half a million vertices, 65 joints, 12 clips, as `make_glb.py` of the peers
//! makes it. Writing is to a file that stays open, without a sync: the disk is not ours to measure.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench may stop, and criterion's macros make functions"
)]

mod allocator;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{Mat4, Quat, Vec2, Vec3};
use tailbone::io::{self, CharacterEdits, WriteEdits, WrittenFile};
use tailbone::math::Transform;
use tailbone::model::{
    BakedClip, Character, Clip, Influences, InstanceIndex, Interpolation, JointIndex, Mesh,
    MeshIndex, MeshInstance, Node, NodeIndex, RigChanges, Rigged, Skeleton, Skin, SkinIndex, Track,
    TrackValues,
};
use tailbone::work::Work;

const JOINTS: u32 = 65;
const COLUMNS: u32 = 705;
const ROWS: u32 = 705;

/// A tube of 497,025 vertices on a spine of 65 joints with 12 clips.
fn large() -> Character {
    let node = |j: u32| Node {
        name: format!("j{j}"),
        parent: j.checked_sub(1).map(NodeIndex),
        local: Transform::from_translation(Vec3::Y * 0.027),
        source: None,
    };
    let skeleton = Skeleton::new((0..JOINTS).map(node).collect()).unwrap();
    let n = (COLUMNS * ROWS) as usize;
    let mut influences = Influences::with_capacity(n);
    let mut positions = Vec::with_capacity(n);
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let turn = column as f32 * 0.009;
            positions.push(Vec3::new(0.2 * (1.0 - turn), row as f32 * 0.0025, 0.2 * turn));
            let joint = (row * 60 / ROWS).min(JOINTS - 4);
            influences
                .push((0..4).map(|k| (JointIndex(joint + k), [0.4, 0.3, 0.2, 0.1][k as usize])));
        }
    }
    let triangles = (0..ROWS - 1)
        .flat_map(|r| (0..COLUMNS - 1).map(move |c| r * COLUMNS + c))
        .flat_map(|v| [[v, v + 1, v + COLUMNS], [v + COLUMNS, v + 1, v + COLUMNS + 1]])
        .collect();
    let mesh = Mesh {
        name: "body".into(),
        normals: Arc::new(vec![Vec3::Z; n]),
        uvs: Arc::new(vec![Vec2::splat(0.5); n]),
        positions: Arc::new(positions),
        triangles: Arc::new(triangles),
        influences: Some(Arc::new(influences)),
        ..Mesh::default()
    };
    let skin = Skin {
        name: String::new(),
        joints: (0..JOINTS).map(NodeIndex).collect(),
        joint_from_mesh: vec![Mat4::IDENTITY; JOINTS as usize],
        has_binds: true,
        source: None,
    };
    let clip = |i: u32| Clip {
        name: format!("clip{i}"),
        duration_secs: 2.0,
        looping: false,
        tracks: (0..JOINTS)
            .map(|j| Track {
                node: NodeIndex(j),
                times: (0..61).map(|k| k as f32 / 30.0).collect(),
                values: TrackValues::Rotation(vec![Quat::from_xyzw(0.0, 0.6, 0.0, 0.8); 61]),
                interpolation: Interpolation::Linear,
            })
            .collect(),
        source: None,
    };
    Character {
        name: "large".into(),
        skeleton,
        meshes: vec![mesh],
        skins: vec![skin],
        instances: vec![MeshInstance {
            mesh: MeshIndex(0),
            node: NodeIndex(0),
            skin: Some(SkinIndex(0)),
            is_visible: true,
        }],
        clips: (0..12).map(|i| Arc::new(clip(i))).collect(),
        ..Character::default()
    }
}

/// What a rig and a bake change: five joints, 20,000 vertices, one clip.
fn edited(character: &Character) -> (Rigged, Vec<BakedClip>) {
    let mut edited = character.clone();
    let first_new_node = edited.skeleton.len();
    let mut parent = NodeIndex(0);
    for j in 0..5 {
        let local = Transform::from_translation(Vec3::NEG_Z * 0.1);
        let name = format!("Tail_{j}");
        parent =
            edited.skeleton.push(Node { name, parent: Some(parent), local, source: None }).unwrap();
        edited.skins[0].joints.push(parent);
        edited.skins[0].joint_from_mesh.push(Mat4::IDENTITY);
    }
    let influences = edited.meshes[0].influences.as_ref().unwrap();
    let replaced = influences
        .with_replaced(|v| (v < 20_000).then_some([(JointIndex(66), 0.5), (JointIndex(67), 0.5)]));
    edited.meshes[0].influences = Some(Arc::new(replaced));
    let mut clip = Clip::clone(&edited.clips[0]);
    clip.tracks.truncate(5);
    for (track, j) in clip.tracks.iter_mut().zip(first_new_node..) {
        track.node = NodeIndex::from_index(j);
    }
    let baked = BakedClip { clip, joins: None, origin: "file".into() };
    let changes = RigChanges {
        first_new_node,
        reweighted: BTreeMap::from([(InstanceIndex(0), (0..20_000).collect())]),
        newly_skinned: Vec::new(),
    };
    (Rigged { character: edited, changes, ..Rigged::default() }, vec![baked])
}

fn put(file: &mut std::fs::File, written: &WrittenFile) {
    file.rewind().unwrap();
    for part in written.parts() {
        file.write_all(part).unwrap();
    }
}

fn io(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join("large.glb");
    let fresh = io::author(&large(), "bench", None).write(&WriteEdits::default()).unwrap();
    std::fs::write(&path, fresh.to_bytes()).unwrap();
    let loaded = io::read(&path, &Work::default()).unwrap();
    let (rigged, baked) = edited(&loaded.characters[0]);
    let edits = WriteEdits {
        characters: vec![CharacterEdits { rigged: &rigged, baked: &baked }],
        ..WriteEdits::default()
    };
    let mut group = criterion.benchmark_group("io");
    group.sample_size(20);
    group.bench_function("read 36 MB", |b| {
        b.iter(|| black_box(io::read(&path, &Work::default()).unwrap()));
    });
    let mut target = std::fs::File::create(folder.join("written.glb")).unwrap();
    group.bench_function("write 36 MB unedited", |b| {
        b.iter(|| put(&mut target, &loaded.file.write(&WriteEdits::default()).unwrap()));
    });
    group.bench_function("write 36 MB edited", |b| {
        b.iter(|| put(&mut target, &loaded.file.write(&edits).unwrap()));
    });
    group.bench_function("plain read of the file", |b| {
        b.iter(|| black_box(std::fs::read(&path).unwrap()));
    });
    group.finish();
}

criterion_group!(benches, io);
criterion_main!(benches);
