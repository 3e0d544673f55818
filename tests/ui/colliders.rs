//! Colliders and names by their labels, and what the pointer rests on.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use tailbone::app::App;
use tailbone::model::{ColliderIndex, Role};
use tailbone::studio::{ColliderCommand, Command, NewCollider, Overlay, Selection, Tool};

use super::{common, opened, press, wait};

fn apply(harness: &mut Harness<'_, App>, command: Command) {
    harness.state_mut().studio.apply(command);
    harness.run_steps(2);
    wait(harness);
    harness.run_steps(2);
}

/// The left upper leg, selected.
fn on_leg(harness: &mut Harness<'_, App>) {
    let rigged = harness.state().studio.evaluated().unwrap().rigged.clone();
    let leg = rigged.humanoid.node(Role::LeftUpperLeg).unwrap();
    apply(harness, Command::Select(Selection::Joint(leg)));
}

fn names(harness: &Harness<'_, App>) -> Vec<String> {
    let panel = harness.state().studio.outliner();
    panel.colliders.into_iter().map(|row| row.name).collect()
}

#[test]
fn a_capsule_is_made_fitted_mirrored_and_removed_by_buttons() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    on_leg(&mut harness);
    // A frame passes before the panel follows what was selected without it.
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::D);
    harness.run_steps(2);
    wait(&mut harness);
    harness.run_steps(2);
    assert_eq!(names(&harness).len(), 1);
    for label in ["Fit to skin", "Mirror collider"] {
        press(&mut harness, label);
    }
    assert_eq!(names(&harness).len(), 2);
    press(&mut harness, "Remove collider");
    assert_eq!(names(&harness).len(), 1);
    press(&mut harness, "Undo");
    assert_eq!(names(&harness).len(), 2);
}

#[test]
fn tools_for_colliders_are_taken_up_by_their_keys() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    for (key, tool) in
        [(egui::Key::R, Tool::Turn), (egui::Key::S, Tool::Scale), (egui::Key::G, Tool::Move)]
    {
        harness.key_press(key);
        harness.run_steps(2);
        assert_eq!(harness.state().studio.tool(), tool);
    }
    assert!(harness.state().studio.shows(Overlay::Colliders));
}

#[test]
fn a_name_is_changed_where_it_stands_and_escape_gives_it_up() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    let type_name = |harness: &mut Harness<'_, App>, name: &str, key: egui::Key| {
        harness.key_press(egui::Key::F2);
        harness.run_steps(3);
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        harness.run_steps(1);
        harness.get_by_label("New name").type_text(name);
        harness.run_steps(2);
        harness.key_press(key);
        harness.run_steps(3);
        wait(harness);
        harness.run_steps(2);
    };
    let selection = harness.state().studio.selection();
    type_name(&mut harness, "Brush", egui::Key::Enter);
    let name = |h: &Harness<'_, App>| h.state().studio.name_of(selection).unwrap();
    assert_eq!(name(&harness), "Brush");
    assert!(harness.query_by_label("New name").is_none());
    type_name(&mut harness, "Nothing", egui::Key::Escape);
    assert_eq!(name(&harness), "Brush");
    assert_eq!(harness.state().studio.selection(), selection, "Escape was the field's");
}

#[test]
fn a_colliders_eye_hides_it_and_a_click_in_the_viewport_selects_it() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    on_leg(&mut harness);
    apply(&mut harness, Command::Collider(ColliderCommand::Add(NewCollider::Capsule)));
    let first = ColliderIndex(0);
    assert_eq!(harness.state().studio.selection(), Selection::Collider(first));
    let name = names(&harness)[0].clone();
    // A point of its outline, as the window shows it.
    let picks = harness.state().studio.scene().picks.clone();
    let outline = picks.iter().find(|p| p.what == Selection::Collider(first)).unwrap();
    let line = &outline.lines[2];
    let rect = harness.get_by_label("3D viewport").rect();
    let at = harness.state().on_screen(line[line.len() / 4], rect).unwrap();
    apply(&mut harness, Command::Select(Selection::None));
    harness.hover_at(at);
    harness.run_steps(22);
    assert_eq!(harness.state().pointed_at(), Some(format!("Collider {name}")));
    harness.drag_at(at);
    harness.step();
    harness.drop_at(at);
    harness.run_steps(3);
    assert_eq!(harness.state().studio.selection(), Selection::Collider(first));
    harness.get_by_label(&format!("Hide collider {name}")).click();
    harness.run_steps(3);
    assert!(!harness.state().studio.outliner().colliders[0].is_shown);
    harness.get_by_label(&format!("Show collider {name}"));
}
