//! Colliders that the user has changed, in the VRM that is written: moved and taken away in the version it came in.

use glam::Vec3;
use serde_json::{Value, json};
use tailbone::detect::roles;
use tailbone::document::{CharacterEdits, ColliderEdit, ColliderRef, JointRef};
use tailbone::model::{Character, ColliderShape, Role};
use tailbone::samples;

use crate::common;
use crate::vrm::written;

fn ponytail() -> Vec<u8> {
    samples::glb(&samples::generate("ponytail").unwrap())
}

/// The decision about the file's collider at that place.
fn about(character: &Character, at: u32) -> ColliderEdit {
    let vrm = character.vrm.as_ref().unwrap();
    ColliderEdit::of(&vrm.colliders[at as usize], character)
}

/// The decision to make one on the joint of a role.
fn by_hand(character: &Character, role: Role, shape: ColliderShape) -> ColliderEdit {
    let node = roles::humanoid(character).node(role).unwrap();
    ColliderEdit {
        replaces: None,
        covers: None,
        name: "Guard".into(),
        node: JointRef::of(character, node),
        shape,
        is_off: false,
    }
}

fn decide(edits: CharacterEdits, which: ColliderRef, edit: ColliderEdit) -> CharacterEdits {
    CharacterEdits { hair: edits.hair.clone().with_collider(&which, Some(edit)), ..edits }
}

fn entries<'a>(json: &'a Value, list: &str) -> &'a [Value] {
    let pointer = format!("/extensions/VRMC_springBone/{list}");
    json.pointer(&pointer).and_then(Value::as_array).unwrap()
}

#[test]
fn a_collider_that_was_moved_is_moved_in_the_file_and_comes_back_when_it_is_read() {
    let shape = ColliderShape::sphere(Vec3::new(0.01, 0.02, 0.03), 0.125);
    let (json, loaded) = written("collider-moved", &ponytail(), |character, edits| {
        decide(edits, ColliderRef::Authored(0), ColliderEdit { shape, ..about(character, 0) })
    });
    let sphere = &entries(&json, "colliders")[0]["shape"]["sphere"];
    assert_eq!(sphere["radius"], json!(0.125));
    assert_eq!(entries(&json, "colliders").len(), 2);
    // What we write is taken back when we read it, and stands among the decisions.
    let character = &loaded.characters[0];
    assert_ne!(character.vrm.as_ref().unwrap().colliders[0].shape, shape);
    let (edits, finding) = tailbone::document::from_marks(&loaded.characters);
    assert_eq!(finding, None);
    assert_eq!(edits.character(0).hair.collider(&ColliderRef::Authored(0)).unwrap().shape, shape);
}

#[test]
fn one_that_was_taken_away_leaves_its_groups_and_one_by_hand_joins_the_springs_that_meet_it() {
    let (json, _) = written("collider-by-hand", &ponytail(), |character, edits| {
        let off = ColliderEdit { is_off: true, ..about(character, 1) };
        let edits = decide(edits, ColliderRef::Authored(1), off);
        // Behind the face: near the bangs, and no strand lies in it.
        let shape = ColliderShape::sphere(Vec3::new(0.0, 0.05, 0.0), 0.02);
        let own = by_hand(character, Role::Head, shape);
        decide(edits, ColliderRef::ByHand("Guard".into()), own)
    });
    let groups = entries(&json, "colliderGroups");
    let holds =
        |c: usize| groups.iter().any(|g| g["colliders"].as_array().unwrap().contains(&json!(c)));
    assert!(holds(0));
    assert!(groups.iter().all(|g| !g["colliders"].as_array().unwrap().is_empty()));
    let (authored, own) = (2, entries(&json, "colliders").len());
    assert_eq!(own, authored + 1, "the user's own is written once");
    let of_hand = groups.iter().position(|g| g["name"] == json!("By hand")).unwrap();
    let springs = entries(&json, "springs");
    let with = springs.iter().filter(|s| {
        s["colliderGroups"].as_array().is_some_and(|all| all.contains(&json!(of_hand)))
    });
    assert!(with.count() > 0);
}

#[test]
fn groups_of_version_0_are_written_anew_and_ones_by_hand_get_a_group_for_who_meets_them() {
    let Some(data) = common::shared_data() else { return };
    let bytes = std::fs::read(data.join("vrm/Godette_vrm_v4.vrm")).unwrap();
    let (json, _) = written("collider-v0", &bytes, |character, edits| {
        // Chest: colliders 0 and 1; head: 2 and 3; the neck has none, and a ribbon hangs beside it.
        let off = ColliderEdit { is_off: true, ..about(character, 0) };
        let edits = decide(edits, ColliderRef::Authored(0), off);
        let shape = ColliderShape::sphere(Vec3::new(0.25, 0.5, 0.75), 0.125);
        let moved = ColliderEdit { shape, ..about(character, 2) };
        let edits = decide(edits, ColliderRef::Authored(2), moved);
        let own = by_hand(character, Role::Neck, ColliderShape::sphere(Vec3::ZERO, 0.001));
        let edits = decide(edits, ColliderRef::ByHand("Guard".into()), own);
        // Far from all hair: whoever meets the chest's others must not meet this one.
        let far = by_hand(character, Role::Chest, ColliderShape::sphere(Vec3::Y * 50.0, 0.001));
        let far = ColliderEdit { name: "Far".into(), ..far };
        decide(edits, ColliderRef::ByHand("Far".into()), far)
    });
    let secondary = json.pointer("/extensions/VRM/secondaryAnimation").unwrap();
    let (groups, bones) = (&secondary["colliderGroups"], &secondary["boneGroups"]);
    let spheres = |at: usize| groups[at]["colliders"].as_array().unwrap();
    let numbers = |list: &Value, keys: &[&str]| -> Vec<f64> {
        keys.iter().map(|key| list[*key].as_f64().unwrap()).collect()
    };
    assert_eq!((groups.as_array().unwrap().len(), spheres(0).len(), spheres(1).len()), (3, 1, 2));
    assert!((spheres(0)[0]["radius"].as_f64().unwrap() - 0.217).abs() < 1e-6, "the second stays");
    // Unity's z points the other way.
    assert_eq!(numbers(&spheres(1)[0]["offset"], &["x", "y", "z"]), [0.25, 0.5, -0.75]);
    assert_eq!(spheres(1)[0]["radius"], json!(0.125));
    assert_eq!((&groups[2]["node"], spheres(2).len()), (&json!(4), 1), "the neck's own");
    assert_eq!(bones[1]["colliderGroups"], json!([0, 2]), "the ribbon meets it too");
}
