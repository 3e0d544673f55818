//! The same by keys, buttons and labels.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use tailbone::studio::{Command, FileCommand, Navigation, Overlay, ThemeChoice};
use tailbone::ui::dialogs::{Fixed, NoDialogs};

use super::common::{self, tailed::tailed_file};
use super::{wait, window};

#[test]
fn ctrl_s_saves_and_the_window_asks_before_it_closes() {
    let folder = common::Folder::new();
    let mut harness = window(&tailed_file(folder.path()));
    let project = folder.path().join("by-key.tailbone");
    harness.state_mut().dialogs = Box::new(Fixed(project.clone()));
    harness.get_by_label("Treatment: Rigid").click();
    wait(&mut harness);
    harness.get_by_label("tailed.glb*");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    wait(&mut harness);
    assert!(project.exists());
    harness.get_by_label("by-key.tailbone");
    harness.get_by_label("Saved by-key.tailbone");

    harness.get_by_label("Treatment: Leave").click();
    wait(&mut harness);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Q);
    harness.run_steps(3);
    harness.get_by_label("Save what you decided about by-key.tailbone?");
    harness.get_by_label("Cancel").click();
    harness.run_steps(3);
    assert!(harness.state().studio.question().is_none());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Q);
    harness.run_steps(3);
    harness.get_by_label("Don't save").click();
    harness.run_steps(3);
    assert!(harness.state().studio.is_leaving());
}

#[test]
fn where_there_is_no_dialog_a_path_is_typed() {
    let folder = common::Folder::new();
    let path = tailed_file(folder.path());
    let other = folder.path().join("other.glb");
    std::fs::copy(&path, &other).unwrap();
    let mut harness = window(&path);
    harness.state_mut().dialogs = Box::new(NoDialogs);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run_steps(4);
    let field = harness.get_by_label("Path");
    field.focus();
    harness.run_steps(2);
    harness.get_by_label("Path").type_text(other.to_str().unwrap());
    harness.run_steps(2);
    harness.get_by_label("Open this").click();
    wait(&mut harness);
    harness.get_by_label("other.glb");
}

#[test]
fn a_notice_does_what_its_button_says() {
    let folder = common::Folder::new();
    let path = tailed_file(folder.path());
    let mut harness = window(&path);
    let save = FileCommand::SaveAs {
        path: folder.path().join("no/folder/a.tailbone").display().to_string(),
        replace: true,
    };
    harness.state_mut().studio.apply(Command::File(save));
    wait(&mut harness);
    let project = folder.path().join("elsewhere.tailbone");
    harness.state_mut().dialogs = Box::new(Fixed(project.clone()));
    harness.get_by_label("Save elsewhere…").click();
    wait(&mut harness);
    assert!(project.exists());
}

#[test]
fn preferences_take_effect_and_a_key_is_chosen_by_pressing_it() {
    let folder = common::Folder::new();
    let mut harness = window(&tailed_file(folder.path()));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Comma);
    harness.run_steps(3);
    harness.get_by_label("Theme: Light").click();
    harness.run_steps(3);
    assert_eq!(harness.state().preferences.theme, ThemeChoice::Light);
    harness.get_by_label("Camera like Maya").click();
    harness.run_steps(2);
    assert_eq!(harness.state().preferences.navigation, Navigation::Maya);
    harness.get_by_label("Search commands").focus();
    harness.run_steps(2);
    harness.get_by_label("Search commands").type_text("bones");
    harness.run_steps(2);
    harness.get_by_label("Key of Bones").click();
    harness.run_steps(2);
    harness.key_press(Key::B);
    harness.run_steps(3);
    assert_eq!(harness.state().preferences.keys["joints"], ["B"]);
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(harness.query_by_label("Camera like Maya").is_none(), "the window is closed");
    let before = harness.state().studio.shows(Overlay::Joints);
    harness.key_press(Key::B);
    harness.run_steps(3);
    assert_ne!(harness.state().studio.shows(Overlay::Joints), before);
}
