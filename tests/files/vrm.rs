//! VRM in and out: every shared VRM with its springs, colliders and constraints; what is added in the version it came in.

use std::sync::Arc;

use serde_json::Value;
use tailbone::document::{
    CharacterEdits, Document, Finished, OutputSettings, Source, StageCache, StrandEdit, evaluate,
    write_edits,
};
use tailbone::io;
use tailbone::model::{
    ChainOrigin, Character, Curve, HairSettings, OutlineWidth, Role, Vrm, VrmVersion,
};
use tailbone::rig::select;
use tailbone::work::Work;

use crate::common;
use crate::corpus::gltf_files;

fn source(loaded: io::Loaded, name: &str) -> Source {
    let io::Loaded { file, characters, report } = loaded;
    Source { origin: name.into(), file, characters, report }
}

/// Files of the shared folder that nobody can read; `corpus` says why.
const UNREADABLE: [&str; 2] = ["malformed_glb_json.vrm", "nonfinite_transform.vrm"];

const SPRING_BONE: &str = "/extensions/VRMC_springBone";
const SECONDARY: &str = "/extensions/VRM/secondaryAnimation";

/// The list at that place, empty where there is none.
fn list<'a>(json: &'a Value, pointer: &str) -> &'a [Value] {
    json.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// One extension of each entry of a list, by its place; those without at the end left out.
fn extensions<'a>(json: &'a Value, pointer: &str, extension: &str) -> Vec<Option<&'a Value>> {
    let at = format!("/extensions/{extension}");
    let mut found: Vec<_> = list(json, pointer).iter().map(|entry| entry.pointer(&at)).collect();
    while found.last().is_some_and(Option::is_none) {
        found.pop();
    }
    found
}

/// The file under those edits of its first character, written and read again.
pub(super) fn written(
    name: &str,
    bytes: &[u8],
    edit: impl Fn(&Character, CharacterEdits) -> CharacterEdits,
) -> (Value, io::Loaded) {
    let bytes = written_bytes(name, bytes, false, edit);
    // Our marks are taken off when it is read; the JSON is looked at as it stands in the file.
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    (json, io::read_bytes(bytes, name, None, &Work::default()).unwrap())
}

/// The same as it lies on the disk; `as_vrm` makes a VRM of what is none.
fn written_bytes(
    name: &str,
    bytes: &[u8],
    as_vrm: bool,
    edit: impl Fn(&Character, CharacterEdits) -> CharacterEdits,
) -> Vec<u8> {
    let loaded = io::read_bytes(bytes.to_vec(), name, None, &Work::default()).unwrap();
    let mut document = Document::new(source(loaded, name));
    let character = document.character(0).unwrap().clone();
    let edits = edit(&character, CharacterEdits::default());
    document.edits = document.edits.clone().with_character(0, edits);
    let evaluated = evaluate(&document, 0, &mut StageCache::default(), &Work::default()).unwrap();
    let finished = Finished { character: 0, evaluated: &evaluated, baked: &[] };
    let settings =
        OutputSettings { solver_version: "1".into(), as_vrm, ..OutputSettings::default() };
    let edits = write_edits(&document, &[finished], settings);
    let file = document.source().file.write(&edits).unwrap();
    let bytes = file.to_bytes();
    std::fs::write(common::written_dir().join(format!("{name}.vrm")), &bytes).unwrap();
    bytes
}

fn vrm(loaded: &io::Loaded) -> Arc<Vrm> {
    loaded.characters[0].vrm.clone().unwrap()
}

#[test]
fn every_shared_vrm_loads_with_its_springs_colliders_and_constraints() {
    let Some(data) = common::shared_data() else { return };
    let mut unreadable = Vec::new();
    for path in gltf_files(&data.join("vrm")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let Ok(loaded) = io::read(&path, &Work::default()) else {
            unreadable.push(name.to_owned());
            continue;
        };
        let facts = loaded.file.facts();
        let character = &loaded.characters[0];
        assert_eq!(character.constraints.len(), facts.n_constraints, "{name}");
        let vrm = character.vrm.as_ref().unwrap_or_else(|| panic!("{name}: no VRM"));
        // Every root of a group of version 0 begins a run at least, and falls into more where it branches.
        let json = loaded.file.json();
        let (n_colliders, n_springs) = match vrm.version {
            VrmVersion::V0 => {
                let all = |of: &str, each: &str| -> usize {
                    let entries = list(json, &format!("{SECONDARY}/{of}"));
                    entries.iter().map(|entry| list(entry, each).len()).sum()
                };
                (all("colliderGroups", "/colliders"), all("boneGroups", "/bones"))
            }
            VrmVersion::V1 => {
                let all = |of: &str| list(json, &format!("{SPRING_BONE}/{of}")).len();
                (all("colliders"), all("springs"))
            }
        };
        assert_eq!(vrm.colliders.len(), n_colliders, "{name}");
        assert!(vrm.springs.len() >= n_springs, "{name}: {} of {n_springs}", vrm.springs.len());
        assert!(vrm.springs.iter().all(|s| !s.joints.is_empty()), "{name}");
        for spring in &vrm.springs {
            for joint in &spring.joints {
                assert!(joint.hit_radius.is_finite() && joint.stiffness.is_finite());
            }
        }
    }
    assert_eq!(unreadable, UNREADABLE);
}

#[test]
fn godette_has_the_same_springs_in_both_versions() {
    let Some(data) = common::shared_data() else { return };
    let read = |name: &str| {
        let loaded = io::read(&data.join("vrm").join(name), &Work::default()).unwrap();
        (vrm(&loaded), loaded.characters[0].clone())
    };
    let (old, _) = read("Godette_vrm_v4.vrm");
    let (new, _) = read("Godette_vrm_v4_as_vrm1.vrm");
    assert_eq!((old.version, new.version), (VrmVersion::V0, VrmVersion::V1));
    assert_eq!((old.colliders.len(), new.colliders.len()), (4, 4));
    assert_eq!(old.springs.len(), 8, "eight roots");
    assert!(old.springs.iter().all(|s| s.end.is_none()), "each ends 7 cm on");
    let radii = |v: &Vrm| {
        let mut radii: Vec<f32> = v.colliders.iter().map(|c| c.shape.radius()).collect();
        radii.sort_by(f32::total_cmp);
        radii
    };
    for (a, b) in radii(&old).iter().zip(radii(&new)) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
}

#[test]
fn turned_settings_come_out_in_the_version_they_came_in() {
    let Some(data) = common::shared_data() else { return };
    for name in ["Godette_vrm_v4", "Godette_vrm_v4_as_vrm1", "springbone"] {
        let bytes = std::fs::read(data.join("vrm").join(format!("{name}.vrm"))).unwrap();
        let before = vrm(&io::read_bytes(bytes.clone(), name, None, &Work::default()).unwrap());
        let (json, _) = written(&format!("{name}-stiff"), &bytes, |_, mut edits| {
            let usual = HairSettings::default();
            let stiffness = Curve::constant(2.0 * usual.stiffness.root);
            edits.hair.settings = HairSettings { stiffness, ..usual };
            edits
        });
        let first = before.springs[0].joints[0];
        let found = match before.version {
            VrmVersion::V0 => {
                json.pointer("/extensions/VRM/secondaryAnimation/boneGroups/0/stiffiness")
            }
            VrmVersion::V1 => {
                json.pointer("/extensions/VRMC_springBone/springs/0/joints/0/stiffness")
            }
        };
        let found = found.unwrap().as_f64().unwrap() as f32;
        assert!((found - 2.0 * first.stiffness).abs() < 1e-4, "{name}: {found}");
    }
}

#[test]
fn a_fitted_ponytail_comes_out_as_a_spring_and_leaves_the_others_alone() {
    let bytes = tailbone::samples::glb(&tailbone::samples::generate("ponytail").unwrap());
    let before = io::read_bytes(bytes.clone(), "ponytail", None, &Work::default()).unwrap();
    let (json, _) = written("ponytail-fitted", &bytes, |character, edits| {
        let detection =
            tailbone::detect::detect(character, &edits.detect, &Work::default()).unwrap();
        let picked = select::mesh_named(character, &detection, "Ponytail");
        let strand =
            StrandEdit { joints: Some(6), ..StrandEdit::of(character, &detection, &picked) };
        edits.with_strand(strand)
    });
    let springs = json.pointer("/extensions/VRMC_springBone/springs").unwrap().as_array().unwrap();
    let old = before.file.json().pointer("/extensions/VRMC_springBone/springs").unwrap();
    let old = old.as_array().unwrap();
    assert_eq!(springs.len(), old.len() + 1);
    assert_eq!(springs[..old.len()], old[..], "authored springs stay as they were");
    let own = &springs[old.len()];
    assert_eq!(own["joints"].as_array().unwrap().len(), 7, "six joints and the end");
    let name = |node: &Value| {
        let at = node["node"].as_u64().unwrap() as usize;
        json["nodes"][at]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(name(&own["joints"][0]), "Hair_1");
    assert_eq!(name(&own["joints"][6]), "Hair_End");
    let group = own["colliderGroups"][0].as_u64().unwrap() as usize;
    let colliders = &json["extensions"]["VRMC_springBone"]["colliderGroups"][group]["colliders"];
    assert!(!colliders.as_array().unwrap().is_empty());
}

#[test]
fn a_strand_is_undone_and_done_again() {
    let bytes = tailbone::samples::glb(&tailbone::samples::generate("ponytail").unwrap());
    let loaded = io::read_bytes(bytes.clone(), "ponytail", None, &Work::default()).unwrap();
    let mut document = Document::new(source(loaded, "ponytail"));
    let mut cache = StageCache::default();
    let mut run =
        |document: &Document| evaluate(document, 0, &mut cache, &Work::default()).unwrap();
    let plain = run(&document);
    let picked = select::mesh_named(document.character(0).unwrap(), &plain.detection, "Ponytail");
    let strand = StrandEdit::of(document.character(0).unwrap(), &plain.detection, &picked);
    let without = document.edits.clone();
    let with = without.clone().with_character(0, without.character(0).with_strand(strand));
    document.edits = with.clone();
    let fitted = run(&document);
    let is_strand = |c: &&tailbone::model::Chain| matches!(c.origin, ChainOrigin::Strand(_));
    assert_eq!(fitted.rigged.chains.iter().filter(is_strand).count(), 1);
    // What hung from one joint before still hangs from it in the fixed zone, so not all of the strand changes.
    let changed = fitted.rigged.changes.n_vertices();
    assert!(changed > picked.len() * 9 / 10 && changed <= picked.len(), "{changed}");
    document.edits = without;
    let undone = run(&document);
    assert!(undone.rigged.changes.is_empty(&undone.rigged.character));
    document.edits = with;
    assert_eq!(run(&document).rigged.chains, fitted.rigged.chains);
}

#[test]
fn fitting_a_strand_again_gives_the_same_bytes_and_another_number_of_joints_replaces_it() {
    let bytes = tailbone::samples::glb(&tailbone::samples::generate("ponytail").unwrap());
    // As `hair fit` does it: over the decisions that the file carries.
    let fitted = |bytes: &[u8], joints: u32| {
        let loaded = io::read_bytes(bytes.to_vec(), "ponytail", None, &Work::default()).unwrap();
        let mut document = Document::new(source(loaded, "ponytail"));
        let character = document.character(0).unwrap().clone();
        let edits = document.edits.character(0);
        let found = tailbone::detect::detect(&character, &edits.detect, &Work::default()).unwrap();
        let picked = select::mesh_named(&character, &found, "Ponytail");
        let strand =
            StrandEdit { joints: Some(joints), ..StrandEdit::of(&character, &found, &picked) };
        document.edits = document.edits.clone().with_character(0, edits.with_strand(strand));
        let evaluated =
            evaluate(&document, 0, &mut StageCache::default(), &Work::default()).unwrap();
        let is_strand = |c: &&tailbone::model::Chain| matches!(c.origin, ChainOrigin::Strand(_));
        let strands = evaluated.rigged.chains.iter().filter(is_strand);
        assert_eq!(strands.map(|c| c.joints.len()).collect::<Vec<_>>(), [joints as usize]);
        let finished = Finished { character: 0, evaluated: &evaluated, baked: &[] };
        let settings = OutputSettings { solver_version: "1".into(), ..OutputSettings::default() };
        let edits = write_edits(&document, &[finished], settings);
        document.source().file.write(&edits).unwrap().to_bytes()
    };
    let once = fitted(&bytes, 6);
    assert!(fitted(&once, 6) == once, "fit(fit(x)) = fit(x)");
    assert!(fitted(&once, 4) == fitted(&bytes, 4), "what was fitted before leaves nothing behind");
}

/// Springs, groups, order and radii of a file, nodes by name: what must come out as it came in.
fn stated(loaded: &io::Loaded) -> Vec<String> {
    let character = &loaded.characters[0];
    let name = |n: tailbone::model::NodeIndex| character.skeleton.name(n).to_owned();
    let Some(vrm) = &character.vrm else { return Vec::new() };
    let springs = vrm.springs.iter().map(|s| {
        let joints: Vec<_> = s
            .joints
            .iter()
            .map(|j| (name(j.node), j.hit_radius, j.stiffness, j.drag_force, j.gravity_power))
            .collect();
        let (end, center) = (s.end.map(name), s.center.map(name));
        format!("{} {joints:?} {end:?} {center:?} {:?} {}", s.name, s.groups, s.source)
    });
    let colliders = vrm.colliders.iter().map(|c| format!("{} {:?}", name(c.node), c.shape));
    let groups = vrm.groups.iter().map(|g| format!("{g:?}"));
    let constraints = character
        .constraints
        .iter()
        .map(|c| format!("{} {} {:?} {}", name(c.node), name(c.source), c.kind, c.weight));
    springs.chain(colliders).chain(groups).chain(constraints).collect()
}

/// Lists that edits append to: what the artist wrote is a prefix of what is written.
const LISTS: [(&str, &str); 5] = [
    (SPRING_BONE, "springs"),
    (SPRING_BONE, "colliders"),
    (SPRING_BONE, "colliderGroups"),
    (SECONDARY, "boneGroups"),
    (SECONDARY, "colliderGroups"),
];

#[test]
fn every_shared_vrm_keeps_springs_groups_order_and_radii_through_a_save() {
    let Some(data) = common::shared_data() else { return };
    let (mut n_with_a_new_spring, mut unreadable) = (0, Vec::new());
    for path in gltf_files(&data.join("vrm")) {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let Ok(before) = io::read_bytes(bytes.clone(), &name, None, &Work::default()) else {
            unreadable.push(path.file_name().unwrap().to_str().unwrap().to_owned());
            continue;
        };
        if before.characters.iter().all(|c| c.meshes.is_empty()) {
            continue;
        }
        // Some strand is made of the first mesh, so that the whole file is written anew.
        let (new, after) = written(&format!("{name}-saved"), &bytes, |character, edits| {
            let detection =
                tailbone::detect::detect(character, &edits.detect, &Work::default()).unwrap();
            let mesh = select::mesh_names(character)[0];
            let picked = select::mesh_named(character, &detection, mesh);
            let strand =
                StrandEdit { joints: Some(3), ..StrandEdit::of(character, &detection, &picked) };
            edits.with_strand(strand)
        });
        let note = common::written_dir().join(format!("{name}-saved.input"));
        std::fs::write(note, path.to_str().unwrap()).unwrap();
        // On the JSON as it lies in the file: reading takes off what we added.
        let old = before.file.json();
        for key in ["VRM", "VRMC_vrm"] {
            let of = |json: &Value| json.pointer(&format!("/extensions/{key}")).cloned();
            let without_springs = |value: Option<Value>| {
                value.map(|mut v| {
                    v.as_object_mut().unwrap().remove("secondaryAnimation");
                    v
                })
            };
            assert_eq!(without_springs(of(old)), without_springs(of(&new)), "{name}: {key}");
        }
        for (extension, key) in LISTS {
            let pointer = format!("{extension}/{key}");
            let (own, all) = (list(old, &pointer), list(&new, &pointer));
            assert!(all.starts_with(own), "{name}: {pointer} was {own:?} and is {all:?}");
        }
        for (entries, extension) in
            [("/nodes", "VRMC_node_constraint"), ("/materials", "VRMC_materials_mtoon")]
        {
            let of = |json| extensions(json, entries, extension);
            assert_eq!(of(old), of(&new), "{name}: {extension}");
        }
        let n_springs = |json| {
            let [v1, v0] = [format!("{SPRING_BONE}/springs"), format!("{SECONDARY}/boneGroups")];
            list(json, &v1).len() + list(json, &v0).len()
        };
        n_with_a_new_spring += usize::from(n_springs(&new) > n_springs(old));
        // And what reading takes off leaves the file's own.
        assert_eq!(stated(&before), stated(&after), "{name}");
    }
    assert_eq!(unreadable, UNREADABLE);
    assert!(n_with_a_new_spring >= 5, "{n_with_a_new_spring}");
}

#[test]
fn a_fox_written_as_a_vrm_is_one_of_version_1_with_its_hips_its_head_and_its_tail() {
    let bytes = tailbone::samples::glb(&tailbone::samples::generate("fox").unwrap());
    let fox = io::read_bytes(bytes.clone(), "fox", None, &Work::default()).unwrap();
    let fox = &fox.characters[0];
    assert!(fox.vrm.is_none(), "it is none before");
    let found = tailbone::detect::detect(fox, &Default::default(), &Work::default()).unwrap();
    let bytes = written_bytes("fox-as-vrm", &bytes, true, |_, edits| edits);
    // As any other program reads it.
    let loaded = io::read_bytes_as_is(bytes, "fox-as-vrm", None, &Work::default()).unwrap();
    let vrm = vrm(&loaded);
    assert_eq!(vrm.version, VrmVersion::V1);
    let written = &loaded.characters[0];
    let stated = written.stated_humanoid.as_ref().unwrap();
    assert_eq!(stated.missing().next(), None);
    for role in [Role::Hips, Role::Head] {
        let (ours, theirs) = (found.humanoid.node(role).unwrap(), stated.node(role).unwrap());
        assert_eq!(written.skeleton.name(theirs), fox.skeleton.name(ours), "{}", role.name());
    }
    assert_eq!(vrm.springs.len(), 1, "its tail swings");
}

#[test]
fn two_editions_of_one_character_are_drawn_alike() {
    let Some(data) = common::shared_data() else { return };
    let toons = |name: &str| {
        let bytes = std::fs::read(data.join("vrm").join(name)).unwrap();
        let loaded = io::read_bytes(bytes, name, None, &Work::default()).unwrap();
        let materials = loaded.characters[0].materials.clone();
        let drawn = materials.iter().filter_map(|m| Some((m.name.clone(), *m.toon()?)));
        drawn.collect::<std::collections::BTreeMap<_, _>>()
    };
    let (old, new) = (toons("Godette_vrm_v4.vrm"), toons("Godette_vrm_v4_as_vrm1.vrm"));
    let names = ["Body", "Face"];
    assert!(old.keys().eq(names) && new.keys().eq(names), "{:?} {:?}", old.keys(), new.keys());
    // The second was made from the first by UniVRM.
    for (name, new) in &new {
        let old = &old[name];
        assert!(old.shade_color.abs_diff_eq(new.shade_color, 1e-3), "{name}: {old:?} {new:?}");
        let tones = (old.toony - new.toony).abs().max((old.shift - new.shift).abs());
        assert!(tones < 1e-3, "{name}: {old:?} {new:?}");
        assert!(old.rim.color.abs_diff_eq(new.rim.color, 1e-3));
        assert_eq!(old.rim.power, new.rim.power);
        assert!(old.shade_picture.is_some() && new.shade_picture.is_some());
        let (old, new) = (old.outline.unwrap(), new.outline.unwrap());
        let (OutlineWidth::Screen(a), OutlineWidth::Screen(b)) = (old.width, new.width) else {
            panic!("{name}: {old:?} {new:?}");
        };
        assert!((a - b).abs() < 1e-6, "{name}: {a} {b}");
        assert!(old.color.abs_diff_eq(new.color, 1e-3), "{name}: {old:?} {new:?}");
        assert!((old.lighting_mix - new.lighting_mix).abs() < 1e-6);
    }
}
