//! The outliner by its labels: what is searched for is seen, eyes hide, and windows before the panels go by Escape.

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use tailbone::app::App;
use tailbone::studio::{Command, Marking, Selection, ToolCommand, UserCommand};

use super::common::{self, tailed::tailed_file};
use super::{opened, paused, press};

/// Looks for something in the outliner.
fn search(harness: &mut Harness<'_, App>, text: &str) {
    harness.get_by_label("Search").focus();
    harness.run_steps(2);
    harness.get_by_label("Search").type_text(text);
    harness.run_steps(3);
}

#[test]
fn what_is_searched_for_is_seen_whatever_was_folded() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    let joints = harness.state().studio.outliner().joints;
    let (bone, all) = (joints[0].name.clone(), joints.len());
    let n_found = joints.iter().filter(|j| j.name.to_lowercase().contains(&bone.to_lowercase()));
    let n_found = n_found.count();
    assert!(
        harness.query_by_role_and_label(Role::TreeItem, &bone).is_none(),
        "the skeleton is folded"
    );
    harness.get_by_label(&format!("Skeleton  {all}"));
    search(&mut harness, &bone);
    harness.get_by_role_and_label(Role::TreeItem, &bone);
    harness.get_by_label(&format!("Skeleton  {n_found}"));
    assert!(harness.query_by_label_contains("Meshes").is_none(), "no mesh is called {bone}");
    search(&mut harness, "zzz");
    harness.get_by_label("Nothing of that name");
    // What was folded is so again.
    for _ in 0..bone.len() + 3 {
        harness.key_press(egui::Key::Backspace);
    }
    harness.run_steps(3);
    harness.get_by_label(&format!("Skeleton  {all}"));
    assert!(
        harness.query_by_role_and_label(Role::TreeItem, &bone).is_none(),
        "the skeleton is folded again"
    );
}

#[test]
fn a_meshs_eye_hides_it() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    let mesh = harness.state().studio.outliner().meshes[0].name.clone();
    harness.get_by_label_contains("Meshes").click();
    harness.run_steps(12);
    press(&mut harness, &format!("Hide mesh {mesh}"));
    assert!(!harness.state().studio.outliner().meshes[0].is_shown);
    press(&mut harness, &format!("Show mesh {mesh}"));
    assert!(harness.state().studio.outliner().meshes[0].is_shown);
    assert_ne!(harness.state().studio.selection(), Selection::None, "the eye selects nothing");
}

#[test]
fn escape_closes_the_window_in_front_and_leaves_the_selection() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    let selection = harness.state().studio.selection();
    assert_ne!(selection, Selection::None);
    for (command, label) in [
        (UserCommand::KeySheet, "Other keys can be chosen in the preferences"),
        (UserCommand::Preferences, "Keep unsaved work safe"),
        (UserCommand::History, "As opened"),
    ] {
        let ctx = harness.ctx.clone();
        harness.state_mut().user(command, &ctx);
        harness.run_steps(12);
        harness.get_by_label(label);
        harness.key_press(egui::Key::Escape);
        harness.run_steps(12);
        assert!(harness.query_by_label(label).is_none(), "{label}");
        assert_eq!(harness.state().studio.selection(), selection, "{label}");
    }
    harness.key_press(egui::Key::Escape);
    harness.run_steps(3);
    assert_eq!(harness.state().studio.selection(), Selection::None);
}

#[test]
fn the_card_makes_room_for_what_is_done_with_marks() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.state_mut().preferences.show_card = true;
    harness.run_steps(3);
    harness.get_by_label("1 Drop your character here");
    let vertices = (0..8).map(tailbone::model::SurfaceVertex).collect();
    let mark = ToolCommand::Mark { vertices, how: Marking::Replace };
    harness.state_mut().studio.apply(Command::Tool(mark));
    harness.run_steps(3);
    harness.get_by_label("8 vertices marked");
    assert!(harness.query_by_label("1 Drop your character here").is_none());
}
