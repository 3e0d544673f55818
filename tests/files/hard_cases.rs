//! FX01 to FX30: what real files contain and other tools break on, each as a file built here.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};
use tailbone::document::with_causes;
use tailbone::io::{self, CharacterEdits, Container, Loaded, ReadError, WriteEdits};
use tailbone::model::{
    BindPose, Character, FindingCode, InstanceIndex, Interpolation, JointIndex, MeshIndex,
    NodeIndex, RigChanges, Rigged, TrackValues,
};
use tailbone::work::{Cancel, Work};

use crate::common::glb::{self, Builder, Column, F32, U8, U16, U32, bind_at, column};
use crate::edits::{self, read};

fn refused(bytes: Vec<u8>) -> ReadError {
    let start = Instant::now();
    let read = io::read_bytes(bytes, "bad.glb", None, &Work::default());
    let Err(error) = read else { panic!("it was read") };
    assert!(start.elapsed() < Duration::from_secs(1), "{error}");
    error
}

fn only(loaded: &Loaded) -> &Character {
    assert_eq!(loaded.characters.len(), 1);
    &loaded.characters[0]
}

fn attributes(column: &mut Column) -> &mut Value {
    &mut column.file.json["meshes"][0]["primitives"][0]["attributes"]
}

/// Height of the bind pose's skin, and its lowest point.
fn extent(character: &Character) -> (f32, f32) {
    let bind = BindPose::of(character, None);
    let mut heights = Vec::new();
    for (index, instance) in character.instances() {
        let matrix = bind.bind_from_instance(character, index);
        let mesh = character.mesh_of(instance).unwrap();
        heights.extend(mesh.positions.iter().map(|p| matrix.transform_point3(*p).y));
    }
    let low = heights.iter().copied().fold(f32::INFINITY, f32::min);
    (heights.iter().copied().fold(f32::NEG_INFINITY, f32::max) - low, low)
}

#[test]
fn fx01_a_skin_without_binds_gets_identity_and_a_notice() {
    let mut c = column();
    c.file.json["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    let loaded = read(c.file.glb());
    assert!(loaded.report.has(FindingCode::BindsMissing));
    let skin = &only(&loaded).skins[0];
    assert!(!skin.has_binds);
    assert_eq!(skin.joint_from_mesh, vec![Mat4::IDENTITY; 3]);
}

#[test]
fn fx02_unusable_binds_are_listed_and_nothing_becomes_nan() {
    let mut c = column();
    let mut nan = bind_at(1.0);
    nan[5] = f32::NAN;
    c.file.json["skins"][0]["inverseBindMatrices"] =
        c.file.floats(&[bind_at(0.0), nan, [0.0; 16]]).into();
    let loaded = read(c.file.glb());
    let finding =
        loaded.report.findings.iter().find(|f| f.code == FindingCode::BindUnusable).unwrap();
    assert!(finding.message.contains("mid") && finding.message.contains("top"), "{finding}");
    let bind = BindPose::of(only(&loaded), None);
    assert!(bind.world.world_from_node.iter().all(|m| m.is_finite()));
    assert_eq!(bind.bad_binds.len(), 2);
}

#[test]
fn an_accessor_without_a_count_is_no_empty_one() {
    for count in [json!(-1), json!(1e300), json!(1.5), json!("3"), Value::Null] {
        let mut c = column();
        let at = c.file.json["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
        c.file.json["accessors"][at]["count"] = count.clone();
        let said = with_causes(&refused(c.file.glb()));
        assert!(said.contains(&format!("accessor {at} does not say how many")), "{count}: {said}");
    }
}

#[test]
fn fx03_a_bent_file_keeps_its_neutral_pose_in_the_binds() {
    let mut c = column();
    let bend = Quat::from_axis_angle(Vec3::X, 28.0_f32.to_radians());
    c.file.json["nodes"][1]["rotation"] = json!(bend.to_array());
    let loaded = read(c.file.glb());
    let told = |loaded: &Loaded| {
        let is_it = |f: &&tailbone::model::Finding| f.code == FindingCode::BindPoseDiffers;
        loaded.report.findings.iter().find(is_it).unwrap().message.clone()
    };
    let said = told(&loaded);
    assert!(said.starts_with("1 joint, the most") && said.ends_with("by 28.0°"), "{said}");
    // What is only moved is told by how far.
    let mut moved = column();
    moved.file.json["nodes"][1]["translation"] = json!([0.0, 1.25, 0.0]);
    let said = told(&read(moved.file.glb()));
    assert!(said.starts_with("1 joint, the most") && said.ends_with("by 250.0 mm"), "{said}");
    let bind = BindPose::of(only(&loaded), None);
    let residual = bind.residuals.iter().find(|r| r.node == NodeIndex(1)).unwrap();
    assert!((residual.angle_rad.to_degrees() - 28.0).abs() < 1e-3);
    assert!((bind.position(NodeIndex(2)) - Vec3::Y * 2.0).length() < 1e-6, "neutral is straight");
}

#[test]
fn fx04_skins_that_share_a_joint_both_keep_their_binds() {
    let mut c = column();
    let hair = c.file.floats(&[bind_at(0.5), bind_at(1.5)]);
    c.file.push("skins", json!({"joints": [1, 2], "inverseBindMatrices": hair}));
    let mesh = c.file.json["meshes"][0].clone();
    c.file.push("meshes", mesh);
    c.file.root_node(json!({"name": "hair", "mesh": 1, "skin": 1}));
    let loaded = read(c.file.glb());
    assert!(loaded.report.has(FindingCode::SkinBindsDisagree));
    let rigged = edits::grown(only(&loaded));
    let written = edits::write(&loaded, &rigged, &[], Container::Glb);
    edits::leave(&written, "fx04", "glb", None);
    let seen = unmarked(&written.to_bytes());
    for (seen, old) in only(&seen).skins.iter().zip(&only(&loaded).skins) {
        assert_eq!(seen.joint_from_mesh[..old.joints.len()], old.joint_from_mesh[..]);
        assert_eq!(seen.joints[..old.joints.len()], old.joints[..]);
    }
}

/// What a reader sees that knows nothing of our marks.
fn unmarked(bytes: &[u8]) -> Loaded {
    let (json, bin) = edits::split(bytes);
    let mut root: Value = serde_json::from_str(&json).unwrap();
    root["asset"].as_object_mut().unwrap().remove("extras");
    read(glb::glb(&root.to_string(), &[(0x004E_4942, &bin)]))
}

#[test]
fn fx05_edits_do_not_leak_to_whoever_shares() {
    // A mesh under two nodes with two skins, and a second mesh that shares its accessors.
    let mut c = column();
    let other = c.file.json["skins"][0].clone();
    c.file.push("skins", other);
    let mesh = c.file.json["meshes"][0].clone();
    c.file.push("meshes", mesh);
    c.file.root_node(json!({"name": "twin", "mesh": 0, "skin": 1}));
    c.file.root_node(json!({"name": "sharer", "mesh": 1, "skin": 0}));
    let loaded = read(c.file.glb());
    let mut character = only(&loaded).clone();
    assert_eq!(character.instances[0].mesh, character.instances[1].mesh);
    // Edit the first instance only: it gets a mesh of its own, as rigging does it.
    let own = MeshIndex::from_index(character.meshes.len());
    character.meshes.push(character.meshes[0].clone());
    character.instances[0].mesh = own;
    let mut changes = RigChanges { first_new_node: character.skeleton.len(), ..Default::default() };
    edits::reweigh(&mut character, &mut changes, InstanceIndex(0), 4, |j| j);
    let rigged = Rigged { character, changes, ..Rigged::default() };
    let written = edits::write(&loaded, &rigged, &[], Container::Glb);
    edits::leave(&written, "fx05", "glb", None);
    let (json, _) = edits::split(&written.to_bytes());
    let root: Value = serde_json::from_str(&json).unwrap();
    let before = loaded.file.json();
    assert_eq!(root["meshes"][0], before["meshes"][0]);
    assert_eq!(root["meshes"][1], before["meshes"][1]);
    assert_eq!(root["nodes"][3]["mesh"], 2);
    assert_eq!(root["nodes"][4], before["nodes"][4]);
    assert_eq!(root["nodes"][5], before["nodes"][5]);
    let seen = unmarked(&written.to_bytes());
    let influences = |i: usize| {
        let c = only(&seen);
        c.mesh_of(&c.instances[i]).unwrap().influences.clone().unwrap()
    };
    let old = only(&loaded).meshes[0].influences.clone().unwrap();
    assert_eq!((influences(1), influences(2)), (old.clone(), old.clone()));
    assert_eq!(influences(0).of(0).last(), Some((JointIndex(2), 0.3)));

    // Where all who use a mesh have the same edit, it is changed in place.
    let mut character = only(&loaded).clone();
    let mut changes = RigChanges { first_new_node: character.skeleton.len(), ..Default::default() };
    edits::reweigh(&mut character, &mut changes, InstanceIndex(0), 4, |j| j);
    assert_eq!(changes.reweighted.len(), 2);
    let rigged = Rigged { character, changes, ..Rigged::default() };
    let (json, _) = edits::split(&edits::write(&loaded, &rigged, &[], Container::Glb).to_bytes());
    let root: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(root["meshes"].as_array().unwrap().len(), 2);
    assert_ne!(root["meshes"][0], before["meshes"][0]);
    assert_eq!(root["meshes"][1], before["meshes"][1]);
}

#[test]
fn fx06_the_place_of_a_skinned_node_is_ignored_and_written_back() {
    let mut c = column();
    let plain = extent(only(&read(c.file.glb())));
    c.file.json["nodes"][3]["translation"] = json!([5, 7.25, -3]);
    c.file.json["nodes"][3]["scale"] = json!([2, 2, 2]);
    let parent =
        c.file.push("nodes", json!({"name": "moved", "translation": [0, 100, 0], "children": [3]}));
    c.file.json["scenes"][0]["nodes"] = json!([0, parent]);
    let loaded = read(c.file.glb());
    assert_eq!(extent(only(&loaded)), plain);
    let rigged = edits::grown(only(&loaded));
    let (json, _) = edits::split(&edits::write(&loaded, &rigged, &[], Container::Glb).to_bytes());
    let root: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(root["nodes"][3].to_string(), loaded.file.json()["nodes"][3].to_string());
    assert_eq!(root["nodes"][4].to_string(), loaded.file.json()["nodes"][4].to_string());
}

#[test]
fn fx07_joints_outside_the_scene_and_without_a_common_root_load() {
    let mut c = column();
    c.file.json["nodes"][1].as_object_mut().unwrap().remove("children");
    c.file.json["scenes"][0]["nodes"] = json!([0, 3]);
    let loaded = read(c.file.glb());
    assert!(loaded.report.has(FindingCode::SkinNoCommonRoot));
    assert!(loaded.report.has(FindingCode::JointOutsideScene));
    assert_eq!(only(&loaded).skeleton.len(), 4);
    assert_eq!(only(&loaded).skins[0].joints.len(), 3);
}

#[test]
fn fx08_a_z_up_node_in_centimetres_leaves_world_metres_right() {
    // What FBX converters make: an armature turned by -90° and scaled by 0.01, all below it in centimetres, +Z up.
    let mut c = column();
    let up: Vec<[f32; 3]> =
        c.positions.iter().map(|p| [p[0] * 100.0, -p[2] * 100.0, p[1] * 100.0]).collect();
    *attributes(&mut c).get_mut("POSITION").unwrap() = c.file.floats(&up).into();
    for node in [1, 2] {
        c.file.json["nodes"][node]["translation"] = json!([0, 0, 100]);
    }
    let bind = |z: f32| {
        let mut m = bind_at(0.0);
        m[14] = -z;
        m
    };
    let binds = c.file.floats(&[bind(0.0), bind(100.0), bind(200.0)]);
    c.file.json["skins"][0]["inverseBindMatrices"] = binds.into();
    let turn = Quat::from_axis_angle(Vec3::X, -std::f32::consts::FRAC_PI_2);
    let fix = json!({"name": "Armature", "rotation": turn.to_array(), "scale": [0.01, 0.01, 0.01], "children": [0, 3]});
    let fix = c.file.push("nodes", fix);
    c.file.json["scenes"][0]["nodes"] = json!([fix]);
    let loaded = read(c.file.glb());
    let (height, low) = extent(only(&loaded));
    assert!((height - 2.0).abs() < 1e-4, "{height}");
    assert!(low.abs() < 1e-4, "{low}");
}

#[test]
fn fx09_mirrored_and_uneven_scales_are_reported() {
    let mut c = column();
    c.file.json["nodes"][1]["scale"] = json!([-1, 1, 1]);
    c.file.json["nodes"][2]["scale"] = json!([1, 2, 1]);
    let loaded = read(c.file.glb());
    let message =
        |code| loaded.report.findings.iter().find(|f| f.code == code).unwrap().message.clone();
    assert!(message(FindingCode::ScaleMirrored).contains("mid"));
    assert!(message(FindingCode::ScaleNonUniform).contains("top"));
    assert_eq!(only(&loaded).skeleton.node(NodeIndex(1)).local.scale, Vec3::new(-1.0, 1.0, 1.0));
}

#[test]
fn fx10_joints_in_one_place_read_finite() {
    let mut c = column();
    c.file.json["nodes"][1].as_object_mut().unwrap().remove("translation");
    let binds = c.file.floats(&[bind_at(0.0), bind_at(0.0), bind_at(1.0)]);
    c.file.json["skins"][0]["inverseBindMatrices"] = binds.into();
    let loaded = read(c.file.glb());
    let bind = BindPose::of(only(&loaded), None);
    assert_eq!(bind.position(NodeIndex(0)), bind.position(NodeIndex(1)));
    assert!(bind.pose.locals.iter().all(|l| l.is_finite()));
}

/// A column whose vertices have eight equal influences, in the component type of `weights`.
fn eight(weights: u32) -> Column {
    let mut c = column();
    for j in 3..8 {
        let node = c.file.push("nodes", json!({"name": format!("j{j}")}));
        c.file.json["nodes"][2]["children"] = match c.file.json["nodes"][2].get("children") {
            Some(list) => json!([list.as_array().unwrap().clone(), vec![json!(node)]].concat()),
            None => json!([node]),
        };
        c.file.json["skins"][0]["joints"].as_array_mut().unwrap().push(node.into());
    }
    let binds: Vec<[f32; 16]> = (0..8).map(|j| bind_at(f32::from(j.min(2_u8)))).collect();
    c.file.json["skins"][0]["inverseBindMatrices"] = c.file.floats(&binds).into();
    // 255 and 65535 are no multiples of 8: the first gets what is left.
    let whole: [u32; 8] = match weights {
        U8 => [38, 31, 31, 31, 31, 31, 31, 31],
        U16 => [8198, 8191, 8191, 8191, 8191, 8191, 8191, 8191],
        _ => [0; 8],
    };
    for set in 0..2 {
        let joints: Vec<[u8; 4]> =
            (0..18).map(|_| std::array::from_fn(|k| (4 * set + k) as u8)).collect();
        let joints = c.file.bytes4(&joints);
        let own = &whole[4 * set..4 * set + 4];
        let accessor = match weights {
            F32 => c.file.floats(&[[0.125; 4]; 18]),
            U8 => {
                let bytes: Vec<u8> = (0..18).flat_map(|_| own.iter().map(|w| *w as u8)).collect();
                c.file.accessor(&bytes, U8, "VEC4", 18)
            }
            _ => {
                let bytes: Vec<u8> = (0..18)
                    .flat_map(|_| own.iter().flat_map(|w| (*w as u16).to_le_bytes()))
                    .collect();
                c.file.accessor(&bytes, U16, "VEC4", 18)
            }
        };
        if weights != F32 {
            c.file.json["accessors"][accessor]["normalized"] = true.into();
        }
        attributes(&mut c)[format!("JOINTS_{set}")] = joints.into();
        attributes(&mut c)[format!("WEIGHTS_{set}")] = accessor.into();
    }
    c
}

#[test]
fn fx11_all_eight_influences_are_read_and_edited_ones_sum_exactly() {
    for (kind, range) in [(F32, 0), (U8, 255), (U16, 65535)] {
        let loaded = read(eight(kind).file.glb());
        let influences = only(&loaded).meshes[0].influences.clone().unwrap();
        assert_eq!(influences.of(5).len(), 8);
        let sum: f32 = influences.of(5).map(|i| i.1).sum();
        assert!((sum - 1.0).abs() < 1e-6);
        let rigged = edits::grown(only(&loaded));
        let written = edits::write(&loaded, &rigged, &[], Container::Glb);
        edits::leave(&written, &format!("fx11-{kind}"), "glb", None);
        let (json, bin) = edits::split(&written.to_bytes());
        let root: Value = serde_json::from_str(&json).unwrap();
        let mut sums = [0_u32; 18];
        for set in 0..2 {
            let index = &root["meshes"][0]["primitives"][0]["attributes"][format!("WEIGHTS_{set}")];
            let accessor = &root["accessors"][index.as_u64().unwrap() as usize];
            assert_eq!(accessor["componentType"], kind, "the type is kept");
            let view = &root["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
            let start = view["byteOffset"].as_u64().unwrap() as usize;
            for (v, sum) in sums.iter_mut().enumerate() {
                for k in 0..4 {
                    let at = 4 * v + k;
                    *sum += match kind {
                        U8 => u32::from(bin[start + at]),
                        U16 => {
                            let at = start + 2 * at;
                            u32::from(u16::from_le_bytes([bin[at], bin[at + 1]]))
                        }
                        _ => 0,
                    };
                }
            }
        }
        assert_eq!(sums, [range; 18]);
        let seen = unmarked(&written.to_bytes());
        let new = only(&seen).meshes[0].influences.clone().unwrap();
        assert!((0..4).all(|v| new.of(v).len() == 2), "edited ones have what they were given");
        assert!((4..18).all(|v| new.of(v).eq(influences.of(v))), "the others keep all sets");
    }
}

#[test]
fn fx12_odd_weights_are_counted_and_left_alone() {
    let mut c = column();
    let mut weights = vec![[1.0, 0.0, 0.0, 0.0]; 18];
    let mut joints = vec![[0_u8, 0, 0, 0]; 18];
    weights[0] = [0.5, 0.48, 0.0, 0.0];
    weights[1] = [0.0; 4];
    weights[2] = [1.2, -0.2, 0.0, 0.0];
    weights[3] = [0.5, 0.5, 0.0, 0.0];
    joints[0] = [0, 1, 0, 0];
    joints[2] = [0, 1, 0, 0];
    joints[3] = [1, 1, 0, 0];
    joints[4] = [77, 0, 0, 0];
    let (weights, joints) = (c.file.floats(&weights), c.file.bytes4(&joints));
    attributes(&mut c)["WEIGHTS_0"] = weights.into();
    attributes(&mut c)["JOINTS_0"] = joints.into();
    let loaded = read(c.file.glb());
    for code in [
        FindingCode::WeightsDoNotSum,
        FindingCode::WeightsAllZero,
        FindingCode::WeightsNegative,
        FindingCode::WeightsDuplicateJoint,
        FindingCode::JointIndexOutOfRange,
    ] {
        assert!(loaded.report.has(code), "{code:?}");
    }
    let influences = only(&loaded).meshes[0].influences.clone().unwrap();
    assert_eq!(influences.of(3).collect::<Vec<_>>(), [(JointIndex(1), 1.0)]);
    assert_eq!(influences.of(0).map(|i| i.1).sum::<f32>(), 0.98, "not mended unasked");
}

#[test]
fn fx13_sparse_accessors_give_the_numbers_of_dense_ones() {
    let dense = read(column().file.glb());
    let mut c = column();
    // Positions: right but for three, which the sparse part sets right.
    let mut wrong = c.positions.clone();
    let places = [2_u16, 7, 17];
    for place in places {
        wrong[place as usize] = [9.0; 3];
    }
    let position = c.file.floats(&wrong);
    let indices = c.file.view(&places.map(u16::to_le_bytes).concat());
    let right: Vec<u8> = places
        .iter()
        .flat_map(|&p| {
            c.positions[p as usize].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()
        })
        .collect();
    let values = c.file.view(&right);
    c.file.json["accessors"][position]["sparse"] = json!({
        "count": 3,
        "indices": {"bufferView": indices, "componentType": U16},
        "values": {"bufferView": values},
    });
    attributes(&mut c)["POSITION"] = position.into();
    // Matrices: no dense part at all.
    let indices = c.file.view(&[0, 1, 2]);
    let matrices: Vec<u8> =
        [0.0, 1.0, 2.0].iter().flat_map(|y| bind_at(*y)).flat_map(f32::to_le_bytes).collect();
    let values = c.file.view(&matrices);
    let binds = c.file.push(
        "accessors",
        json!({"componentType": F32, "count": 3, "type": "MAT4", "sparse": {
            "count": 3,
            "indices": {"bufferView": indices, "componentType": U8},
            "values": {"bufferView": values},
        }}),
    );
    c.file.json["skins"][0]["inverseBindMatrices"] = binds.into();
    let sparse = read(c.file.glb());
    assert_eq!(only(&sparse).meshes, only(&dense).meshes);
    assert_eq!(only(&sparse).skins, only(&dense).skins);
    // An element that does not exist is a fault of the file, not ours.
    c.file.json["accessors"][position]["count"] = 17.into();
    let error = refused(c.file.glb());
    assert!(matches!(error, ReadError::NothingReadable { .. }), "{error}");
}

#[test]
fn fx14_interleaved_strips_fans_and_lists_have_one_topology() {
    let list = read(column().file.glb());
    let expected = only(&list).meshes[0].clone();
    // Position and normal interleaved, with four bytes of nothing: stride 28.
    let mut c = column();
    let mut bytes = Vec::new();
    for p in &c.positions {
        bytes.extend(p.iter().chain(&[0.0, 0.0, 1.0, 7.0]).flat_map(|x: &f32| x.to_le_bytes()));
    }
    let view = c.file.view(&bytes);
    c.file.json["bufferViews"][view]["byteStride"] = 28.into();
    for (name, offset) in [("POSITION", 0), ("NORMAL", 12)] {
        let accessor = c.file.push(
            "accessors",
            json!({"bufferView": view, "byteOffset": offset, "componentType": F32, "count": 18, "type": "VEC3",
                   "min": [-0.1, 0, 0], "max": [0.1, 2, 1]}),
        );
        attributes(&mut c)[name] = accessor.into();
    }
    let mesh = only(&read(c.file.glb())).meshes[0].clone();
    assert_eq!((&mesh.positions, &mesh.triangles), (&expected.positions, &expected.triangles));
    assert_eq!(*mesh.normals, vec![Vec3::Z; 18]);

    let set = |t: &[[u32; 3]]| -> Vec<[u32; 3]> {
        let mut t: Vec<[u32; 3]> = t
            .iter()
            .map(|t| {
                let least = (0..3).min_by_key(|&k| t[k]).unwrap();
                [t[least], t[(least + 1) % 3], t[(least + 2) % 3]]
            })
            .collect();
        t.sort_unstable();
        t
    };
    let mut c = column();
    let strip: Vec<u16> = (0..18).collect();
    let strip = c.file.shorts(&strip);
    c.file.json["meshes"][0]["primitives"][0]["indices"] = strip.into();
    c.file.json["meshes"][0]["primitives"][0]["mode"] = 5.into();
    assert_eq!(set(&only(&read(c.file.glb())).meshes[0].triangles), set(&expected.triangles));

    // Not indexed: the vertices themselves, in the list's order.
    let mut c = column();
    let unrolled: Vec<[f32; 3]> = c.indices.iter().map(|&i| c.positions[i as usize]).collect();
    let position = c.file.floats(&unrolled);
    c.file.json["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": position}});
    let loaded = read(c.file.glb());
    let mesh = &only(&loaded).meshes[0];
    assert_eq!(mesh.triangles.len(), expected.triangles.len());
    assert_eq!(mesh.triangles[1], [3, 4, 5]);

    // A fan of a pentagon.
    let mut file = Builder::new();
    let position = file.floats(&[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.5, 1.5, 0.0],
        [0.0, 1.0, 0.0],
    ]);
    file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}, "mode": 6}]}));
    file.root_node(json!({"mesh": 0}));
    let loaded = read(file.glb());
    assert_eq!(set(&only(&loaded).meshes[0].triangles), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
}

/// A flat grid of `n` vertices, 255 to a row, skinned to one joint.
fn grid(n: usize) -> Builder {
    let mut file = Builder::new();
    let positions: Vec<[f32; 3]> =
        (0..n).map(|v| [(v % 255) as f32 * 0.005, (v / 255) as f32 * 0.005, 0.0]).collect();
    let position = file.floats(&positions);
    let triangles: Vec<u32> =
        (0..n.saturating_sub(256)).flat_map(|v| [v, v + 1, v + 255].map(|v| v as u32)).collect();
    let bytes: Vec<u8> = triangles.iter().flat_map(|i| i.to_le_bytes()).collect();
    let indices = file.accessor(&bytes, U32, "SCALAR", triangles.len());
    let joints = file.bytes4(&vec![[0; 4]; n]);
    let weights = file.floats(&vec![[1.0, 0.0, 0.0, 0.0]; n]);
    let colors = file.accessor(&vec![7; 4 * n], U8, "VEC4", n);
    file.json["accessors"][colors]["normalized"] = true.into();
    file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights, "COLOR_0": colors}, "indices": indices}]}));
    file.root_node(json!({"name": "joint"}));
    file.root_node(json!({"mesh": 0, "skin": 0}));
    file.push("skins", json!({"joints": [0]}));
    file
}

#[test]
fn fx15_large_meshes_are_not_split_and_keep_their_attributes() {
    for n in [65_534, 65_535, 65_536, 70_000] {
        let loaded = read(grid(n).glb());
        let mesh = &only(&loaded).meshes[0];
        assert_eq!(mesh.n_vertices(), n);
        assert_eq!(mesh.triangles.last().unwrap()[2] as usize, n - 2);
        let rigged = edits::grown(only(&loaded));
        let seen = unmarked(&edits::write(&loaded, &rigged, &[], Container::Glb).to_bytes());
        assert_eq!(only(&seen).meshes.len(), 1);
        let new = &only(&seen).meshes[0];
        assert_eq!(
            (&new.positions, &new.triangles, &new.colors),
            (&mesh.positions, &mesh.triangles, &mesh.colors)
        );
        // Composed anew, too: 65535 would be a restart in 16 bits.
        let fresh = io::author(only(&loaded), "test", None).write(&WriteEdits::default()).unwrap();
        assert_eq!(only(&read(fresh.to_bytes())).meshes[0].triangles, mesh.triangles);
    }
}

#[test]
fn joint_indices_beyond_255_widen_the_joints() {
    let mut c = column();
    for j in 3..300 {
        let node = c.file.root_node(json!({"name": format!("extra{j}")}));
        c.file.json["skins"][0]["joints"].as_array_mut().unwrap().push(node.into());
    }
    let binds = vec![bind_at(0.0); 300];
    c.file.json["skins"][0]["inverseBindMatrices"] = c.file.floats(&binds).into();
    let loaded = read(c.file.glb());
    let rigged = edits::grown(only(&loaded));
    let written = edits::write(&loaded, &rigged, &[], Container::Glb);
    edits::leave(&written, "wide-joints", "glb", None);
    let seen = unmarked(&written.to_bytes());
    let new = only(&seen).meshes[0].influences.clone().unwrap();
    assert_eq!(new.of(0).last(), Some((JointIndex(301), 0.3)));
    let old = only(&loaded).meshes[0].influences.clone().unwrap();
    assert!((4..18).all(|v| new.of(v).eq(old.of(v))));
}

#[test]
fn fx16_odd_names_are_kept_byte_for_byte() {
    let names = ["", "Hüfte/links.001", "尾巴🦊"];
    let mut c = column();
    for (node, name) in names.iter().enumerate() {
        c.file.json["nodes"][node]["name"] = json!(name);
    }
    c.file.json["nodes"][3]["name"] = json!(names[1]);
    let loaded = read(c.file.glb());
    let skeleton = &only(&loaded).skeleton;
    assert_eq!(skeleton.nodes()[..3].iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(skeleton.by_name()[names[1]], NodeIndex(1), "the first of two");
    let rigged = edits::grown(only(&loaded));
    let (json, _) = edits::split(&edits::write(&loaded, &rigged, &[], Container::Glb).to_bytes());
    assert!(names.iter().all(|n| json.contains(&format!("\"name\":\"{n}\""))));
}

#[test]
fn fx17_scenes_without_default_and_without_nodes_open() {
    let mut c = column();
    c.file.json.as_object_mut().unwrap().remove("scene");
    let full = c.file.json["scenes"][0].clone();
    c.file.json["scenes"] = json!([{"name": "empty"}, full]);
    let loaded = read(c.file.glb());
    assert!(loaded.report.has(FindingCode::NoDefaultScene));
    assert!(only(&loaded).instances[0].is_visible, "the first scene that shows something is shown");
    c.file.json["scenes"] = json!([]);
    assert!(only(&read(c.file.glb())).instances[0].is_visible);
    // An asset and nothing else.
    let bare = read(glb::glb(r#"{"asset":{"version":"2.0"}}"#, &[]));
    assert_eq!(only(&bare).skeleton.len(), 0);
}

#[test]
fn meshes_outside_the_shown_scene_or_below_a_hidden_node_are_hidden() {
    let mut c = column();
    c.file.json["scenes"] = json!([{"nodes": [0]}, {"nodes": [3]}]);
    assert!(!only(&read(c.file.glb())).instances[0].is_visible);
    let mut c = column();
    let hidden = json!({"KHR_node_visibility": {"visible": false}});
    let parent = c.file.push("nodes", json!({"children": [3], "extensions": hidden}));
    c.file.json["scenes"][0]["nodes"] = json!([0, parent]);
    assert!(!only(&read(c.file.glb())).instances[0].is_visible);
}

/// Two bodies of twelve joints each, side by side, the second a little larger; the first one wears a skinless hat.
fn pair() -> Builder {
    let mut file = Builder::new();
    let mut roots = Vec::new();
    for body in 0..2 {
        let first = file.json["nodes"].as_array().unwrap().len();
        for j in 0..12 {
            let mut node = json!({"name": format!("{}{j}", ["a", "b"][body])});
            if j > 0 {
                node["translation"] = json!([0, 0.15 + 0.01 * body as f64, 0]);
            }
            if j < 11 {
                node["children"] = json!([first + j + 1]);
            }
            file.push("nodes", node);
        }
        roots.push(first);
        let height = 11.0 * (0.15 + 0.01 * body as f32);
        let position = file.floats(&[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, height, 0.0]]);
        let joints = file.bytes4(&[[0; 4], [0; 4], [11, 0, 0, 0]]);
        let weights = file.floats(&[[1.0, 0.0, 0.0, 0.0]; 3]);
        let mesh = file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights}}]}));
        let joints: Vec<usize> = (first..first + 12).collect();
        let binds: Vec<[f32; 16]> =
            (0..12).map(|j| bind_at(j as f32 * (0.15 + 0.01 * body as f32))).collect();
        let binds = file.floats(&binds);
        let skin = file.push("skins", json!({"joints": joints, "inverseBindMatrices": binds}));
        roots.push(file.push("nodes", json!({"name": "mesh", "mesh": mesh, "skin": skin})));
    }
    let hat = file.push("nodes", json!({"name": "hat", "mesh": 0}));
    file.json["nodes"][11]["children"] = json!([hat]);
    file.json["scenes"][0]["nodes"] = json!(roots);
    let times = file.floats(&[[0.0], [1.0]]);
    let turns = file.floats(&[[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]);
    file.push(
        "animations",
        json!({"name": "both", "samplers": [{"input": times, "output": turns}], "channels": [
            {"sampler": 0, "target": {"node": 3, "path": "rotation"}},
            {"sampler": 0, "target": {"node": 16, "path": "rotation"}},
        ]}),
    );
    file
}

#[test]
fn fx18_two_characters_are_told_apart_and_written_together() {
    let loaded = read(pair().glb());
    assert!(loaded.report.has(FindingCode::SeveralCharacters));
    assert_eq!(loaded.characters.len(), 2);
    for (character, letter) in loaded.characters.iter().zip(["a", "b"]) {
        assert!(
            character
                .skeleton
                .nodes()
                .iter()
                .all(|n| n.name.starts_with(letter) || ["mesh", "hat"].contains(&n.name.as_str()))
        );
        assert_eq!(character.name, format!("{letter}0"));
        assert_eq!(character.skins.len(), 1);
        assert_eq!(character.clips[0].tracks.len(), 1);
        assert!(character.skeleton.name(character.clips[0].tracks[0].node).starts_with(letter));
    }
    assert_eq!(loaded.characters[0].instances.len(), 2, "with the hat");
    assert_eq!(loaded.characters[1].instances.len(), 1);
    let [first, second] = [0, 1].map(|i| edits::grown(&loaded.characters[i]));
    let edits = WriteEdits {
        characters: vec![
            CharacterEdits { rigged: &first, baked: &[] },
            CharacterEdits { rigged: &second, baked: &[] },
        ],
        ..WriteEdits::default()
    };
    let written = loaded.file.write(&edits).unwrap();
    edits::leave(&written, "fx18", "glb", None);
    let seen = unmarked(&written.to_bytes());
    for (seen, edited) in seen.characters.iter().zip([&first, &second]) {
        assert_eq!(seen.skins[0].joint_from_mesh, edited.character.skins[0].joint_from_mesh);
        let names = |c: &Character| -> Vec<String> {
            c.skins[0].joints.iter().map(|&j| c.skeleton.name(j).to_owned()).collect()
        };
        assert_eq!(names(seen), names(&edited.character));
    }
    let again = read(written.to_bytes());
    assert_eq!(again.file.json().to_string(), loaded.file.json().to_string());
}

#[test]
fn hair_on_a_skeleton_of_its_own_is_no_second_character() {
    let mut file = pair();
    // Shrink the second body to a tuft.
    for node in 13..25 {
        if file.json["nodes"][node].get("translation").is_some() {
            file.json["nodes"][node]["translation"] = json!([0, 0.02, 0]);
        }
    }
    assert_eq!(only(&read(file.glb())).skins.len(), 2);
}

#[test]
fn fx19_a_file_of_clips_alone_gives_a_skeleton_with_clips() {
    let mut c = column();
    c.file.json.as_object_mut().unwrap().remove("meshes");
    c.file.json.as_object_mut().unwrap().remove("skins");
    c.file.json["nodes"][3] = json!({"name": "helper"});
    let times = c.file.floats(&[[0.0], [1.0]]);
    let turns = c.file.floats(&[[0.0, 0.0, 0.0, 1.0]; 2]);
    c.file.push(
        "animations",
        json!({"name": "Idle_Loop", "samplers": [{"input": times, "output": turns}],
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}),
    );
    let loaded = read(c.file.glb());
    let character = only(&loaded);
    assert_eq!(
        (character.meshes.len(), character.skeleton.len(), character.clips.len()),
        (0, 4, 1)
    );
    assert!(character.clips[0].looping);
    assert_eq!(character.clips[0].source, Some(0));
}

#[test]
fn fx20_a_clip_of_thirty_years_is_played_for_half_an_hour_and_says_so() {
    for (last, is_long) in [(1e9, true), (7200.0, true), (1800.0, false)] {
        let mut c = column();
        let times = c.file.floats(&[[0.0], [last]]);
        let values = c.file.floats(&[[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
        c.file.push(
            "animations",
            json!({"name": "Idle_Loop", "samplers": [{"input": times, "output": values}],
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}]}),
        );
        let loaded = read(c.file.glb());
        let clip = &only(&loaded).clips[0];
        assert_eq!(clip.duration_secs, 1800.0, "{last}");
        assert_eq!(clip.looping, !is_long, "the end of what is cut off is not its start");
        assert_eq!(loaded.report.has(FindingCode::ClipTooLong), is_long);
    }
}

#[test]
fn fx20_every_kind_of_interpolation_and_odd_times() {
    let mut c = column();
    let turn = [0.0, 0.6, 0.0, 0.8];
    let identity = [0.0, 0.0, 0.0, 1.0];
    let late = c.file.floats(&[[0.5], [2.0]]);
    let single = c.file.floats(&[[0.25]]);
    let unsorted = c.file.floats(&[[1.0], [0.0], [1.0]]);
    let cubic =
        c.file.floats(&[[0.0; 4], turn, [0.1, 0.0, 0.0, 0.0], [0.0; 4], identity, [0.0; 4]]);
    let step = c.file.floats(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let one = c.file.floats(&[[0.0, 3.0, 0.0]]);
    let three = c.file.floats(&[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]);
    let halves: Vec<u8> = [turn, identity]
        .iter()
        .flatten()
        .flat_map(|x| ((x * 32767.0_f32).round() as i16).to_le_bytes())
        .collect();
    let short = c.file.accessor(&halves, 5122, "VEC4", 2);
    c.file.json["accessors"][short]["normalized"] = true.into();
    c.file.push("animations", json!({"name": "odd", "samplers": [
        {"input": late, "output": cubic, "interpolation": "CUBICSPLINE"},
        {"input": late, "output": step, "interpolation": "STEP"},
        {"input": single, "output": one},
        {"input": unsorted, "output": three},
        {"input": late, "output": short, "interpolation": "LINEAR"},
        {"input": late, "output": one},
    ], "channels": [
        {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
        {"sampler": 1, "target": {"node": 0, "path": "translation"}},
        {"sampler": 2, "target": {"node": 1, "path": "translation"}},
        {"sampler": 3, "target": {"node": 1, "path": "scale"}},
        {"sampler": 4, "target": {"node": 1, "path": "rotation"}},
        {"sampler": 5, "target": {"node": 2, "path": "translation"}},
        {"sampler": 1, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/0/scale"}}}},
        {"sampler": 1, "target": {"path": "translation"}},
        {"sampler": 1, "target": {"node": 99, "path": "translation"}},
        {"sampler": 2, "target": {"node": 0, "path": "weights"}},
    ]}));
    let loaded = read(c.file.glb());
    let clip = &only(&loaded).clips[0];
    assert_eq!(clip.duration_secs, 2.0);
    assert_eq!(clip.tracks.len(), 5);
    assert_eq!(clip.tracks[0].interpolation, Interpolation::Cubic);
    let TrackValues::Rotation(values) = &clip.tracks[0].values else { panic!() };
    assert_eq!((values.len(), values[1], values[2].x), (6, Quat::from_array(turn), 0.1));
    assert_eq!(clip.tracks[0].times, [0.5, 2.0]);
    assert_eq!(clip.tracks[1].interpolation, Interpolation::Step);
    assert_eq!(clip.tracks[2].times, [0.25]);
    assert_eq!(clip.tracks[3].times, [0.0, 1.0]);
    assert_eq!(clip.tracks[3].values, TrackValues::Scale(vec![Vec3::splat(2.0), Vec3::splat(3.0)]));
    let TrackValues::Rotation(values) = &clip.tracks[4].values else { panic!() };
    assert!(values[0].angle_between(Quat::from_array(turn)) < 1e-4 && values[0].is_normalized());
    assert!(loaded.report.has(FindingCode::TrackTimesUnsorted));
    let skipped: Vec<&str> = loaded
        .report
        .findings
        .iter()
        .filter(|f| f.code == FindingCode::TrackSkipped)
        .map(|f| f.message.as_str())
        .collect();
    assert_eq!(skipped.len(), 5, "{skipped:?}");
    assert!(skipped.iter().any(|s| s.contains("KHR_animation_pointer")));
    // Skipped or not, the file keeps them.
    let (json, _) = edits::split(&loaded.file.write(&WriteEdits::default()).unwrap().to_bytes());
    assert!(json.contains("KHR_animation_pointer"));
}

#[test]
fn fx21_broken_structures_are_clean_errors() {
    type Breaking = fn(&mut Value);
    let cases: [(&str, Breaking, &str); 10] = [
        ("cycle", |j| j["nodes"][2]["children"] = json!([0]), "is its own ancestor"),
        ("own child", |j| j["nodes"][0]["children"] = json!([0, 1]), "is its own ancestor"),
        ("child", |j| j["nodes"][2]["children"] = json!([77]), "has child 77"),
        ("negative child", |j| j["nodes"][2]["children"] = json!([-1]), "has child -1"),
        ("joint", |j| j["skins"][0]["joints"][1] = json!(77), "names joint 77"),
        ("mesh", |j| j["nodes"][3]["mesh"] = json!(7), "names mesh 7"),
        ("skin", |j| j["nodes"][3]["skin"] = json!(7), "names skin 7"),
        ("scene", |j| j["scenes"][0]["nodes"] = json!([9]), "names node 9"),
        (
            "matrix",
            |j| j["nodes"][0]["matrix"] = json!(vec![1; 17]),
            "a matrix of 17 numbers, not 16",
        ),
        ("version", |j| j["asset"]["version"] = json!("1.0"), "glTF version 1.0 is not supported"),
    ];
    for (what, breaking, text) in cases {
        let mut c = column();
        breaking(&mut c.file.json);
        let error = refused(c.file.glb()).to_string();
        assert!(error.starts_with("bad.glb: ") && error.contains(text), "{what}: {error}");
    }
}

#[test]
fn fx21_huge_counts_and_missing_data_are_refused_before_any_allocation() {
    let position = column().position;
    type Breaking = fn(&mut Value);
    let cases: [Breaking; 6] = [
        |a| a["count"] = json!(4_000_000_000_u64),
        |a| a["count"] = json!(u64::MAX),
        |a| a["byteOffset"] = json!(u64::MAX),
        |a| a["bufferView"] = json!(99),
        |a| a["componentType"] = json!(1),
        |a| {
            // Zeros without end: no data behind them.
            a.as_object_mut().unwrap().remove("bufferView");
            a["count"] = json!(4_000_000_000_u64);
        },
    ];
    for breaking in cases {
        let mut c = column();
        breaking(&mut c.file.json["accessors"][position]);
        let error = refused(c.file.glb());
        assert!(matches!(error, ReadError::NothingReadable { .. }), "{error}");
    }
    // A thousand primitives over one array take its memory once.
    let mut c = column();
    let primitive = c.file.json["meshes"][0]["primitives"][0].clone();
    c.file.json["meshes"][0]["primitives"] = vec![primitive; 1000].into();
    let loaded = read(c.file.glb());
    let meshes = &only(&loaded).meshes;
    assert!(std::sync::Arc::ptr_eq(&meshes[0].positions, &meshes[999].positions));
    // Deep nesting, in nodes and in JSON.
    let mut file = Builder::new();
    for n in 0..50_000 {
        file.push("nodes", if n < 49_999 { json!({"children": [n + 1]}) } else { json!({}) });
    }
    assert_eq!(only(&read(file.glb())).skeleton.len(), 50_000);
    let deep = format!(
        r#"{{"asset":{{"version":"2.0"}},"extras":{}{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert!(matches!(refused(glb::glb(&deep, &[])), ReadError::Json { .. }));
}

#[test]
fn fx21_every_cut_is_an_error() {
    let file = column().file.glb();
    for n in (0..file.len()).step_by(7) {
        let error = refused(file[..n].to_vec());
        let is_expected = matches!(error, ReadError::Truncated { .. } | ReadError::NotGltf { .. });
        assert!(is_expected, "cut at {n}: {error}");
    }
}

#[test]
fn fx22_required_extensions_block_by_name_or_do_not_matter() {
    let with = |names: &[&str]| {
        let mut c = column();
        c.file.json["extensionsRequired"] = json!(names);
        c.file.json["extensionsUsed"] = json!(names);
        c.file.glb()
    };
    let look =
        ["KHR_texture_basisu", "EXT_texture_webp", "KHR_materials_unlit", "KHR_texture_transform"];
    let loaded = read(with(&look));
    let ignored = loaded.report.findings.iter().filter(|f| f.code == FindingCode::ExtensionIgnored);
    assert_eq!(ignored.count(), look.len());
    read(with(&["KHR_mesh_quantization", "VRMC_vrm", "KHR_animation_pointer"]));
    for (name, way_out) in
        [("KHR_draco_mesh_compression", "gltf-pipeline"), ("ACME_teapots", "export")]
    {
        let text = refused(with(&[name])).to_string();
        assert!(text.contains(name) && text.contains(way_out), "{text}");
    }
    #[cfg(not(feature = "meshopt"))]
    assert!(refused(with(&["EXT_meshopt_compression"])).to_string().contains("feature meshopt"));
}

#[test]
fn fx22_quantized_meshes_read_as_numbers() {
    let mut c = column();
    // Heights in sixteenths of 16 bits; the node's place is ignored for skinned meshes, so the binds carry the scale.
    let bytes: Vec<u8> = c
        .positions
        .iter()
        .flat_map(|p| {
            [p[0], p[1], p[2], 0.0]
                .map(|x| ((x / 2.0 * 32767.0).round() as i16).to_le_bytes())
                .concat()
        })
        .collect();
    let view = c.file.view(&bytes);
    c.file.json["bufferViews"][view]["byteStride"] = 8.into();
    let position = c.file.push(
        "accessors",
        json!({"bufferView": view, "componentType": 5122, "normalized": true, "count": 18, "type": "VEC3"}),
    );
    let normals: Vec<u8> = (0..18).flat_map(|_| [0, 0, 127, 0]).collect();
    let view = c.file.view(&normals);
    c.file.json["bufferViews"][view]["byteStride"] = 4.into();
    let normal = c.file.push(
        "accessors",
        json!({"bufferView": view, "componentType": 5120, "normalized": true, "count": 18, "type": "VEC3"}),
    );
    attributes(&mut c)["POSITION"] = position.into();
    attributes(&mut c)["NORMAL"] = normal.into();
    c.file.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let loaded = read(c.file.glb());
    let mesh = &only(&loaded).meshes[0];
    for (p, q) in c.positions.iter().zip(mesh.positions.iter()) {
        assert!((Vec3::from(*p) / 2.0 - *q).abs().max_element() < 0.5 / 32767.0 + 1e-6);
    }
    assert_eq!(*mesh.normals, vec![Vec3::Z; 18]);
}

#[cfg(feature = "meshopt")]
#[test]
fn fx22_meshopt_views_read_as_what_was_packed() {
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let expected = read(column().file.glb());
        let mut c = column();
        let packed = meshopt::encode_vertex_buffer(&c.positions).unwrap();
        let wide: Vec<u32> = c.indices.iter().map(|&i| u32::from(i)).collect();
        let packed_indices = meshopt::encode_index_buffer(&wide, 18).unwrap();
        // The fallback buffer has no bytes at all.
        for (accessor, packed, stride, count, mode) in [
            (c.position, packed, 12, 18, "ATTRIBUTES"),
            (c.position + 1, packed_indices, 2, 48, "TRIANGLES"),
        ] {
            let view = c.file.view(&packed);
            let source = c.file.json["bufferViews"][view].clone();
            c.file.json["bufferViews"][view] = json!({
                "buffer": 1, "byteLength": stride * count,
                "extensions": {extension: {
                    "buffer": 0, "byteOffset": source["byteOffset"], "byteLength": packed.len(),
                    "byteStride": stride, "count": count, "mode": mode,
                }},
            });
            c.file.json["accessors"][accessor]["bufferView"] = view.into();
        }
        c.file.json["buffers"] = json!([
            {"byteLength": c.file.bin.len()},
            {"byteLength": 1000, "extensions": {extension: {"fallback": true}}},
        ]);
        c.file.json["extensionsRequired"] = json!([extension]);
        let loaded = read(c.file.glb());
        let [read, plain] = [&loaded, &expected].map(|l| only(l).meshes[0].clone());
        assert_eq!(read.positions, plain.positions);
        // The coder may turn a triangle, not change it.
        for (a, b) in read.triangles.iter().zip(plain.triangles.iter()) {
            assert!((0..3).any(|k| [a[k], a[(k + 1) % 3], a[(k + 2) % 3]] == *b), "{a:?} {b:?}");
        }
        // A broken stream is a fault of the primitive.
        let at = c.file.json["bufferViews"].as_array().unwrap().len() - 2;
        c.file.json["bufferViews"][at]["extensions"][extension]["count"] = json!(4_000_000);
        assert!(matches!(refused(c.file.glb()), ReadError::NothingReadable { .. }));
    }
}

#[test]
fn fx23_vrm_0_is_turned_and_vrm_1_is_not() {
    let bones = |list: bool| -> Value {
        if list {
            json!([{"bone": "hips", "node": 0}, {"bone": "spine", "node": 1}])
        } else {
            json!({"hips": {"node": 0}, "spine": {"node": 1}})
        }
    };
    let mut c = column();
    c.file.json["extensions"] = json!({"VRM": {"humanoid": {"humanBones": bones(true)}}});
    let loaded = read(c.file.glb());
    assert!(loaded.report.has(FindingCode::AxesTurned));
    let character = only(&loaded);
    assert_eq!(character.root_matrix().transform_vector3(Vec3::NEG_Z), Vec3::Z);
    assert_eq!(character.stated_humanoid.as_ref().unwrap().roles.len(), 2);
    c.file.json["extensions"] = json!({"VRMC_vrm": {"humanoid": {"humanBones": bones(false)}}});
    let loaded = read(c.file.glb());
    assert!(!loaded.report.has(FindingCode::AxesTurned));
    assert_eq!(only(&loaded).stated_humanoid.as_ref().unwrap().roles.len(), 2);
}

#[test]
fn fx26_morph_targets_keep_their_names_and_are_untouched_on_save() {
    let mut c = column();
    let offsets: Vec<[f32; 3]> = (0..18).map(|v| [v as f32, 0.0, 0.0]).collect();
    let target = c.file.floats(&offsets);
    let primitive = &mut c.file.json["meshes"][0]["primitives"][0];
    primitive["targets"] = json!([{"POSITION": target}]);
    c.file.json["meshes"][0]["extras"] = json!({"targetNames": ["Smile"]});
    c.file.json["meshes"][0]["weights"] = json!([0.25]);
    let loaded = read(c.file.glb());
    let morph = &only(&loaded).meshes[0].morphs[0];
    assert_eq!((morph.name.as_str(), morph.positions[3].x), ("Smile", 3.0));
    let rigged = edits::grown(only(&loaded));
    let (json, _) = edits::split(&edits::write(&loaded, &rigged, &[], Container::Glb).to_bytes());
    let root: Value = serde_json::from_str(&json).unwrap();
    for place in ["/meshes/0/primitives/0/targets", "/meshes/0/extras", "/meshes/0/weights"] {
        assert_eq!(root.pointer(place), loaded.file.json().pointer(place));
    }
}

#[test]
fn fx27_a_mesh_on_a_joint_stays_rigid() {
    let mut c = column();
    let sword = c.file.floats(&[[0.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.1, 0.0, 0.0]]);
    c.file.push(
        "meshes",
        json!({"name": "Sword", "primitives": [{"attributes": {"POSITION": sword}}]}),
    );
    let node =
        c.file.push("nodes", json!({"name": "sword", "mesh": 1, "translation": [0.2, 0, 0]}));
    c.file.json["nodes"][1]["children"].as_array_mut().unwrap().push(node.into());
    let loaded = read(c.file.glb());
    let character = only(&loaded);
    let (index, instance) = character.instances().find(|(_, i)| i.skin.is_none()).unwrap();
    assert_eq!(character.skeleton.name(instance.node), "sword");
    let bind = BindPose::of(character, None);
    let place = bind.bind_from_instance(character, index).transform_point3(Vec3::ZERO);
    assert!((place - Vec3::new(0.2, 1.0, 0.0)).length() < 1e-6, "{place}");
}

#[test]
fn fx28_seams_and_shells_come_as_the_file_has_them() {
    let mut c = column();
    // The same shell twice in one primitive: nothing is welded on the way in.
    let twice: Vec<[f32; 3]> = c.positions.iter().chain(&c.positions).copied().collect();
    let indices: Vec<u16> =
        c.indices.iter().copied().chain(c.indices.iter().map(|i| i + 18)).collect();
    let (position, indices) = (c.file.floats(&twice), c.file.shorts(&indices));
    c.file.json["meshes"][0]["primitives"][0] =
        json!({"attributes": {"POSITION": position}, "indices": indices});
    let loaded = read(c.file.glb());
    let mesh = &only(&loaded).meshes[0];
    assert_eq!((mesh.n_vertices(), mesh.triangles.len()), (36, 32));
    assert_eq!(mesh.positions[..18], mesh.positions[18..]);
}

#[test]
fn fx29_a_large_file_reports_progress_and_can_be_stopped() {
    let file = grid(200_000).glb();
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = io::read_bytes(file.clone(), "big.glb", None, &Work::new(cancel.clone()));
    assert!(matches!(stopped, Err(ReadError::Stopped(_))));
    let stages = std::sync::Arc::new(std::sync::Mutex::new(BTreeMap::<String, u64>::new()));
    let seen = std::sync::Arc::clone(&stages);
    let sink = std::sync::Arc::new(move |stage: &str, _: u64, total: u64| {
        seen.lock().unwrap().insert(stage.to_owned(), total);
    });
    io::read_bytes(file, "big.glb", None, &Work::default().with_progress(sink)).unwrap();
    assert_eq!(stages.lock().unwrap().get("read meshes"), Some(&4));
}

#[test]
fn fx30_a_baked_track_takes_the_place_of_one_the_clip_had() {
    let mut c = column();
    let times = c.file.floats(&[[0.0], [1.0]]);
    let turns = c.file.floats(&[[0.0, 0.0, 0.0, 1.0]; 2]);
    c.file.push(
        "animations",
        json!({"name": "Walk", "samplers": [{"input": times, "output": turns}], "channels": [
            {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
            {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
        ]}),
    );
    let loaded = read(c.file.glb());
    assert!(only(&loaded).clips[0].animates(NodeIndex(2)));
    let rigged = Rigged {
        character: only(&loaded).clone(),
        changes: RigChanges { first_new_node: 4, ..Default::default() },
        ..Rigged::default()
    };
    let mut baked = edits::baked(&Rigged {
        changes: RigChanges { first_new_node: 2, ..Default::default() },
        ..rigged.clone()
    });
    baked.truncate(1);
    baked[0].clip.tracks.truncate(1);
    let written = edits::write(&loaded, &rigged, &baked, Container::Glb);
    edits::leave(&written, "fx30", "glb", None);
    let (json, _) = edits::split(&written.to_bytes());
    let root: Value = serde_json::from_str(&json).unwrap();
    let channels = root["animations"][0]["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 2, "no target twice");
    assert_eq!((&channels[0]["sampler"], &channels[1]["sampler"]), (&json!(1), &json!(0)));
    let seen = unmarked(&written.to_bytes());
    assert_eq!(only(&seen).clips[0].tracks[0].times, [0.0, 0.5, 1.0]);
}
