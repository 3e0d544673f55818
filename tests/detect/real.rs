//! Real characters: what an artist rigged is left, what is taken away is found again, nothing else is touched.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use glam::{Quat, Vec3};
use tailbone::detect::{Detection, roles};
use tailbone::io;
use tailbone::math::ops;
use tailbone::model::{
    BindPose, Character, Influences, JointIndex, Mesh, MeshIndex, NodeIndex, RegionKind, Role,
    SurfaceVertex, Verdict,
};
use tailbone::work::Work;

use super::{Match, chains, common, describe, find};

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

/// The character without some joints: their weights go to the nearest other joint, they leave the skins.
fn without_joints(character: &Character, gone: &BTreeSet<NodeIndex>) -> Character {
    let bind = BindPose::of(character, None);
    let mut result = character.clone();
    for skin in &mut result.skins {
        let kept: Vec<usize> =
            (0..skin.joints.len()).filter(|&j| !gone.contains(&skin.joints[j])).collect();
        skin.joint_from_mesh = kept.iter().map(|&j| skin.joint_from_mesh[j]).collect();
        skin.joints = kept.iter().map(|&j| skin.joints[j]).collect();
    }
    for (index, instance) in character.instances() {
        let (Some(s), Some(mesh)) = (instance.skin, character.mesh_of(instance)) else { continue };
        let Some(influences) = &mesh.influences else { continue };
        let (old, new) = (&character.skins[s.index()], &result.skins[s.index()]);
        let matrix = bind.bind_from_instance(character, index);
        let mut edited = Influences::with_capacity(influences.len());
        for v in 0..influences.len() {
            let p = matrix.transform_point3(mesh.positions[v]);
            let nearest = (0..new.joints.len())
                .min_by(|&a, &b| {
                    let d = |j: usize| bind.position(new.joints[j]).distance(p);
                    d(a).total_cmp(&d(b))
                })
                .unwrap();
            edited.push(influences.of(v).map(|(joint, weight)| {
                let node = old.joints[joint.index()];
                let at = new.joints.iter().position(|&j| j == node).unwrap_or(nearest);
                (JointIndex::from_index(at), weight)
            }));
        }
        result.meshes[instance.mesh.index()].influences = Some(Arc::new(edited));
    }
    result
}

#[test]
fn the_kaijus_tail_is_listed_and_found_again_without_its_joints() {
    let Some(data) = common::shared_data() else { return };
    let character = read(&data.join("characters/kaiju-base.glb"));
    let tail: BTreeSet<NodeIndex> = character
        .skeleton
        .indices()
        .filter(|&n| character.skeleton.name(n).starts_with("Tail_"))
        .collect();
    assert_eq!(tail.len(), 6);
    let existing = find(&character).existing;
    let listed = existing.iter().find(|c| c.name == "Tail_Base").unwrap();
    assert!(listed.joints.iter().all(|j| tail.contains(j)), "{listed:?}");

    // The tail's skin is what its joints drive.
    let mut truth = Vec::new();
    let offsets = character.surface_offsets();
    for (index, instance) in character.instances() {
        let mesh = character.mesh_of(instance).unwrap();
        for v in 0..mesh.n_vertices() {
            let mut share = 0.0;
            character.for_each_influence(instance, v, |node, weight| {
                share += if tail.contains(&node) { weight } else { 0.0 };
            });
            if share > 0.5 {
                truth.push(SurfaceVertex(offsets[index.index()] + v as u32));
            }
        }
    }
    let bare = without_joints(&character, &tail);
    let found = find(&bare);
    let best = chains(&found)
        .iter()
        .map(|r| Match::of(&r.vertices, &truth))
        .max_by(|a, b| a.f1().total_cmp(&b.f1()));
    let best = best.unwrap_or_else(|| panic!("no chain in {:?}", names(&bare, &found)));
    println!("kaiju: {best:?}");
    assert!(best.recall >= 0.95, "{best:?} {:?}", names(&bare, &found));
    assert!(best.precision >= 0.9, "{best:?} {:?}", names(&bare, &found));
    assert_eq!(chains(&found).len(), 1);
}

/// A closed tube of `length` metres from `root` along `way`, as a second instance of the first skin's mesh.
fn graft(
    character: &Character,
    root: Vec3,
    way: Vec3,
    length: f32,
) -> (Character, Vec<SurfaceVertex>) {
    let bind = BindPose::of(character, None);
    let (index, instance) = character.instances().find(|(_, i)| i.skin.is_some()).unwrap();
    let to_mesh = bind.bind_from_instance(character, index).inverse();
    let (side, up) = way.any_orthonormal_pair();
    let (n, rows) = (14_u32, 24_u32);
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for j in 0..rows {
        let t = j as f32 / (rows - 1) as f32;
        let r = length * 0.07 * (1.0 - 0.7 * t);
        for i in 0..n {
            let a = i as f32 / n as f32 * std::f32::consts::TAU;
            let p = root + way * (length * t) + side * (r * ops::cos(a)) + up * (r * ops::sin(a));
            positions.push(to_mesh.transform_point3(p));
            if j + 1 < rows {
                let at = |i: u32, j: u32| j * n + i % n;
                triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    let mut influences = Influences::with_capacity(positions.len());
    for _ in &positions {
        influences.push([(JointIndex(0), 1.0)]);
    }
    let mut result = character.clone();
    let n_old = character.surface_offsets().last().copied().unwrap();
    let vertices = (n_old..n_old + positions.len() as u32).map(SurfaceVertex).collect();
    result.meshes.push(Mesh {
        positions: Arc::new(positions),
        triangles: Arc::new(triangles),
        influences: Some(Arc::new(influences)),
        ..Mesh::default()
    });
    let mut instance = instance.clone();
    instance.mesh = MeshIndex::from_index(result.meshes.len() - 1);
    result.instances.push(instance);
    (result, vertices)
}

#[test]
fn a_tail_that_hangs_behind_the_legs_is_found_at_any_pitch() {
    let Some(data) = common::shared_data() else { return };
    for name in ["human-male.glb", "Knight.glb", "human-kenney.glb", "platformer_player.glb"] {
        let character = read(&data.join("characters").join(name));
        let found = find(&character);
        let h = found.body.height_m;
        let hips = found.bind.position(found.humanoid.node(Role::Hips).unwrap());
        for pitch in [-30.0_f32, -60.0, -75.0, -85.0] {
            let back = found.body.world_from_body
                * Quat::from_rotation_x(pitch.to_radians())
                * Vec3::NEG_Z;
            let root = hips - found.body.forward() * 0.06 * h;
            // A short-legged body's tail ends above the floor.
            let drop = (root.y - found.body.floor_m) / -back.y;
            let (with_tail, truth) = graft(&character, root, back, (0.42 * h).min(0.95 * drop));
            let found = find(&with_tail);
            let best = chains(&found)
                .iter()
                .map(|r| Match::of(&r.vertices, &truth).f1())
                .fold(0.0, f32::max);
            assert!(best > 0.95, "{name} at {pitch}: {best} {:?}", names(&with_tail, &found));
        }
    }
}
