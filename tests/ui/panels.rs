//! Panels by their labels: where they stand, and what each of them lets a hand do.

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use tailbone::app::App;
use tailbone::studio::{Command, Edit, Selection, UserCommand, WhoIs, Workspace};
use tailbone::ui::dialogs::Fixed;

use super::common::{self, tailed::boned_file, tailed::moving_file, tailed::tailed_file};
use super::{paused, press, wait};

#[test]
fn a_panel_is_closed_brought_back_and_put_where_it_was_at_first() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.get_by_label("Search");
    harness.get_by_label("View").click();
    harness.run_steps(2);
    harness.get_by_label_contains("Panels").click();
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::CheckBox, "Outliner").click();
    harness.run_steps(3);
    assert!(harness.query_by_label("Search").is_none(), "the outliner is closed");
    let ctx = harness.ctx.clone();
    harness.state_mut().user(UserCommand::ResetLayout, &ctx);
    harness.run_steps(3);
    harness.get_by_label("Search");
    harness.state_mut().user(UserCommand::ToggleLibrary, &ctx);
    harness.run_steps(3);
    assert!(harness.query_by_label("Search clips").is_none());
    harness.state_mut().user(UserCommand::ToggleLibrary, &ctx);
    harness.run_steps(3);
    harness.get_by_label("Search clips");
}

#[test]
fn the_library_has_its_own_height_again_when_the_retarget_editor_closes() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.state_mut().studio.apply(Command::Workspace(Workspace::Motion));
    harness.run_steps(3);
    let top = |h: &Harness<'_, App>| h.get_by_label("Search clips").rect().top();
    let before = top(&harness);
    let ctx = harness.ctx.clone();
    harness.state_mut().user(UserCommand::EditRetargetPose, &ctx);
    wait(&mut harness);
    harness.run_steps(3);
    assert!(top(&harness) > before + 100.0, "both figures have its room");
    harness.get_by_label("Done").click();
    harness.run_steps(4);
    assert!((top(&harness) - before).abs() < 1.0, "{} and {before}", top(&harness));
}

#[test]
fn the_history_lists_steps_and_goes_back_to_one() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    for label in ["Treatment: Rigid", "Treatment: Leave"] {
        harness.get_by_label(label).click();
        wait(&mut harness);
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::H);
    harness.run_steps(3);
    assert_eq!(harness.query_all_by_label("Change treatment").count(), 2);
    harness.get_by_label("As opened").click();
    wait(&mut harness);
    assert_eq!(harness.state().studio.steps().1, 0);
}

#[test]
fn roles_are_picked_and_what_is_missing_can_be_mended_from_the_list() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    let role = tailbone::model::Role::Head;
    let studio = &mut harness.state_mut().studio;
    studio.apply(Command::Edit(Edit::Role { role, who: WhoIs::Nobody }));
    wait(&mut harness);
    harness.state_mut().studio.apply(Command::NextDoubtful);
    let ctx = harness.ctx.clone();
    harness.state_mut().user(UserCommand::NextDoubtful, &ctx);
    harness.run_steps(3);
    harness.get_by_label("Choose bones: Who is who").click();
    harness.run_steps(3);
    assert_eq!(harness.state().studio.selection(), Selection::None);
    harness.get_by_label("Bone of Head").scroll_to_me();
    harness.run_steps(6);
    harness.get_by_label("Bone of Head").click();
    harness.run_steps(3);
    harness.get_by_label("Automatic").click();
    wait(&mut harness);
    assert!(harness.state().studio.evaluated().unwrap().rigged.humanoid.node(role).is_some());
    assert!(harness.query_by_label("Choose bones: Who is who").is_none());
}

#[test]
fn a_chain_of_the_file_is_tuned_in_the_same_panel_as_a_grown_one() {
    let folder = common::Folder::new();
    let mut harness = paused(&boned_file(folder.path()));
    assert!(harness.query_by_label("A or B").is_none(), "clips move it");
    press(&mut harness, "Drive with springs");
    harness.get_by_role_and_label(Role::ComboBox, "Preset").scroll_to_me();
    harness.run_steps(6);
    harness.get_by_role_and_label(Role::ComboBox, "Preset").click();
    harness.run_steps(3);
    harness.get_by_label("heavy").click();
    harness.run_steps(3);
    let name = |h: &Harness<'_, App>| h.state().studio.undo_redo().0.map(str::to_owned);
    assert_eq!(name(&harness).as_deref(), Some("tune springs"));
    harness.get_by_label("A or B").click();
    harness.run_steps(2);
    assert!(harness.state().studio.spring_panel().unwrap().is_b);
    harness.get_by_label("Reset tuning").click();
    harness.run_steps(2);
    assert!(!harness.state().studio.spring_panel().unwrap().is_tuned);
}

#[test]
fn where_a_character_faces_and_how_tall_it_is_can_be_said_by_hand() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::ComboBox, "Faces").click();
    harness.run_steps(3);
    press(&mut harness, "−Z");
    let stated = |h: &Harness<'_, App>| h.state().studio.character_panel().unwrap().stated;
    assert_eq!(stated(&harness).facing, Some(tailbone::model::Facing::MinusZ));
    harness.get_by_role_and_label(Role::SpinButton, "Height").increment_accesskit();
    harness.run_steps(2);
    wait(&mut harness);
    assert!(stated(&harness).height_m.is_some());
    press(&mut harness, "Measured height");
    assert_eq!(stated(&harness).height_m, None);
    harness.get_by_role_and_label(Role::ComboBox, "Faces").click();
    harness.run_steps(3);
    press(&mut harness, "Automatic");
    assert!(stated(&harness).is_default());
}

#[test]
fn the_viewport_is_split_and_made_whole_by_one_button() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    for is_split in [true, false] {
        // Measures that come in on the way may move the button.
        press(&mut harness, "Split view");
        assert_eq!(harness.state().studio.compares(), is_split);
    }
}

#[test]
fn the_card_of_the_first_minute_stays_out_of_export() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.state_mut().preferences.show_card = true;
    harness.run_steps(2);
    harness.get_by_label("1 Drop your character here");
    harness.state_mut().studio.apply(Command::Workspace(Workspace::Export));
    harness.run_steps(3);
    assert!(harness.query_by_label("1 Drop your character here").is_none());
    // A bundled clip of the name of one in the file is not offered twice.
    assert_eq!(harness.query_all_by_label("Export Walk").count(), 1);
}

#[test]
fn menus_show_the_keys_that_the_user_chose() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.state_mut().preferences.keys.insert("joints".into(), vec!["F9".into()]);
    let ctx = harness.ctx.clone();
    // Twice: what the preferences hold comes into force with the theme, which is then as before.
    for _ in 0..2 {
        harness.state_mut().user(UserCommand::ToggleTheme, &ctx);
    }
    harness.get_by_label("View").click();
    harness.run_steps(3);
    harness.get_by_label_contains("F9");
    harness.key_press(egui::Key::F9);
    harness.run_steps(2);
    assert!(harness.state().studio.shows(tailbone::studio::Overlay::Joints));
}

#[test]
fn clips_are_added_by_the_menu_and_taken_away_in_the_library() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    let clips = moving_file(folder.path(), "flips.glb", &["BackFlip"]);
    harness.state_mut().dialogs = Box::new(Fixed(clips));
    harness.get_by_label("File").click();
    harness.run_steps(3);
    harness.get_by_label_contains("Add clips…").click();
    harness.run_steps(3);
    wait(&mut harness);
    assert_eq!(harness.state().preferences.libraries.len(), 1);
    harness.get_by_label("Clip source").click();
    harness.run_steps(3);
    harness.get_by_label("flips.glb  1").click();
    harness.run_steps(3);
    harness.get_by_label("Clip Back Flip");
    assert!(harness.query_by_label("Clip Walk").is_none(), "only those of that file are shown");
    harness.get_by_label("Remove flips.glb").click();
    harness.run_steps(3);
    wait(&mut harness);
    assert!(harness.state().preferences.libraries.is_empty());
    assert!(harness.query_by_label("Remove flips.glb").is_none(), "nor is it filtered by");
}
