//! Colliders that the user has changed, in the VRM that is written: moved and taken away in the version it came in.

use glam::Vec3;
use serde_json::{Value, json};
use tailbone::detect::roles;
use tailbone::document::{CharacterEdits, ColliderEdit, ColliderRef, JointRef};
use tailbone::model::{Character, ColliderShape, Role};
use tailbone::samples;

use crate::vrm::written;

fn ponytail() -> Vec<u8> {
    samples::glb(&samples::generate("ponytail").unwrap())
}

/// The decision about the file's collider at that place.
fn about(character: &Character, at: u32) -> ColliderEdit {
    let vrm = character.vrm.as_ref().unwrap();
    ColliderEdit::of(&vrm.colliders[at as usize], character)
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
        let head = roles::humanoid(character).node(Role::Head).unwrap();
        let own = ColliderEdit {
            replaces: None,
            covers: None,
            name: "Guard".into(),
            node: JointRef::of(character, head),
            // Behind the face: near the bangs, and no strand lies in it.
            shape: ColliderShape::sphere(Vec3::new(0.0, 0.05, 0.0), 0.02),
            is_off: false,
        };
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
