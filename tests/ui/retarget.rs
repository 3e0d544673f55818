//! The editor of mapping and retarget pose by its labels.

use egui::accesskit::Role as AccessRole;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use glam::Vec3;
use tailbone::app::App;
use tailbone::model::{PoseBase, Role};
use tailbone::studio::{Command, PlayCommand, Workspace};
use tailbone::ui::dialogs::Fixed;

use super::common::{self, tailed::moving_file, tailed::tailed_file};
use super::{paused, wait};

/// The window with the editor open, as the palette opens it.
fn editing(folder: &common::Folder) -> Harness<'static, App> {
    let mut harness = paused(&tailed_file(folder.path()));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    harness.run_steps(2);
    harness.get_by_label("Find anything").type_text("retarget pose");
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    wait(&mut harness);
    harness.run_steps(3);
    harness
}

fn pose(harness: &Harness<'_, App>) -> tailbone::model::RetargetPose {
    harness.state().studio.retarget_panel().unwrap().pose()
}

#[test]
fn the_editor_stands_in_motion_and_a_row_selects_the_bone_that_is_turned() {
    let folder = common::Folder::new();
    let mut harness = editing(&folder);
    assert_eq!(harness.state().studio.workspace(), Workspace::Motion);
    harness.get_by_label("Show clip").click();
    harness.run_steps(2);
    assert!(harness.state().studio.retarget_panel().unwrap().shows_clip);
    harness.get_by_label_contains("Row Left upper arm").click();
    harness.run_steps(3);
    assert_eq!(harness.state().studio.retarget_panel().unwrap().selected, Some(Role::LeftUpperArm));
    for axis in ["Turn about x", "Turn about y", "Turn about z"] {
        harness.get_by_role_and_label(AccessRole::SpinButton, axis);
    }
    harness.get_by_role_and_label(AccessRole::SpinButton, "Turn about z").increment_accesskit();
    harness.run_steps(2);
    wait(&mut harness);
    assert!(pose(&harness).turn(Role::LeftUpperArm).z > 0.0, "{:?}", pose(&harness));
    let panel = harness.state().studio.retarget_panel().unwrap();
    let turned = panel.pose().with_turn(Role::LeftUpperArm, Vec3::new(0.0, 0.0, 10.0));
    harness.state_mut().studio.apply(Command::Edit(panel.edit(turned)));
    // A click refreshes the panel, as a hand on a slider does.
    harness.get_by_label("Show pose").click();
    wait(&mut harness);
    harness.run_steps(2);
    harness.get_by_label_contains("Row Left upper arm, 10°");
    harness.get_by_label("Mirror left to right").click();
    wait(&mut harness);
    assert_eq!(pose(&harness).turn(Role::RightUpperArm), Vec3::new(0.0, 0.0, -10.0));
    harness.get_by_label("Reset bone").click();
    wait(&mut harness);
    assert_eq!(pose(&harness).turn(Role::LeftUpperArm), Vec3::ZERO);
    harness.get_by_label("Reset all").click();
    wait(&mut harness);
    assert!(pose(&harness).is_default());
    harness.get_by_label("Undo").click();
    wait(&mut harness);
    assert!(!pose(&harness).is_default());
    harness.get_by_label("Done").click();
    harness.run_steps(3);
    assert!(!harness.state().studio.is_posing());
    assert!(harness.query_by_label("Show pose").is_none(), "its panel goes with it");
}

#[test]
fn a_ring_turns_the_bone_in_one_step_and_escape_gives_up_that_alone() {
    // The outer ring, which faces the eye, has this radius in points.
    const RING: f32 = 1.15 * 78.0;
    let folder = common::Folder::new();
    let mut harness = editing(&folder);
    harness.get_by_label_contains("Row Left upper arm").click();
    harness.run_steps(3);
    let selection = harness.state().studio.selection();
    let at = harness.state().studio.turned_at().unwrap();
    let whole = harness.get_by_label("3D viewport").rect();
    let own = egui::Rect::from_min_max(whole.center_top(), whole.max);
    let center = harness.state().on_screen(at, own).unwrap();
    let (right, above) = (center + egui::vec2(RING, 0.0), center - egui::vec2(0.0, RING));
    for is_given_up in [true, false] {
        harness.hover_at(right);
        harness.step();
        harness.drag_at(right);
        harness.step();
        harness.hover_at(above);
        harness.step();
        wait(&mut harness);
        assert!(!pose(&harness).is_default(), "it turns as the ring is dragged");
        if is_given_up {
            harness.key_press(egui::Key::Escape);
            harness.step();
        }
        harness.drop_at(above);
        harness.run_steps(2);
        wait(&mut harness);
        assert_eq!(pose(&harness).is_default(), is_given_up);
        assert_eq!(harness.state().studio.selection(), selection, "Escape was the drag's");
    }
    assert_eq!(harness.state().studio.steps().0, ["turn a bone"]);
}

#[test]
fn presets_and_bones_are_picked_from_lists_with_a_search() {
    let folder = common::Folder::new();
    let mut harness = editing(&folder);
    harness.get_by_label("Retarget pose starts from").click();
    harness.run_steps(3);
    harness.get_by_label("A-pose").click();
    wait(&mut harness);
    harness.run_steps(3);
    assert_eq!(pose(&harness).base, PoseBase::APose);
    harness.get_by_label("Bone of Head").click();
    harness.run_steps(3);
    harness.get_by_label("Search bones").type_text("no such bone");
    harness.run_steps(3);
    harness.get_by_label("No bone of that name");
    // Closed without a choice, the list forgets what was searched for.
    for _ in 0..2 {
        harness.get_by_label("Bone of Head").click();
        harness.run_steps(3);
    }
    harness.get_by_label("Search bones");
    assert!(harness.query_by_label("No bone of that name").is_none());
    harness.get_by_label("None").click();
    wait(&mut harness);
    harness.run_steps(3);
    assert!(harness.state().studio.evaluated().unwrap().rigged.humanoid.node(Role::Head).is_none());
    assert!(harness.query_by_label("Search bones").is_none(), "a choice closes the list");
    harness.get_by_label("Row Head, not mapped");

    // What is saved is what is loaded.
    let path = folder.path().join("a.map.ron");
    harness.state_mut().dialogs = Box::new(Fixed(path.clone()));
    harness.get_by_label("Save mapping…").click();
    harness.run_steps(4);
    assert!(std::fs::read_to_string(&path).unwrap().contains("a_pose"));
    let decided = harness.state().studio.edits().clone();
    for _ in 0..2 {
        harness.get_by_label("Undo").click();
        wait(&mut harness);
    }
    harness.get_by_label("Load mapping…").click();
    harness.run_steps(4);
    wait(&mut harness);
    assert_eq!(harness.state().studio.edits().character(0).retarget, decided.character(0).retarget);
}

#[test]
fn bones_of_a_users_clip_are_picked_from_a_list_too() {
    let folder = common::Folder::new();
    let mut harness = editing(&folder);
    assert!(harness.query_by_label("Clip's bone of Head").is_none(), "a bundled clip's are known");
    let file = moving_file(folder.path(), "moves.glb", &["Zigzag"]);
    harness.state_mut().studio.apply(Command::AddLibrary(file.display().to_string()));
    wait(&mut harness);
    let clips = harness.state().studio.transport().clips;
    let place = clips.iter().position(|title| title == "Zigzag").unwrap();
    harness.state_mut().studio.apply(Command::Play(PlayCommand::Clip(Some(place))));
    wait(&mut harness);
    // A click refreshes the panel.
    harness.get_by_label("Show pose").click();
    harness.run_steps(3);
    harness.get_by_label("Clip's bone of Head").click();
    harness.run_steps(3);
    harness.get_by_label("None").click();
    wait(&mut harness);
    harness.run_steps(3);
    let decided = harness.state().studio.edits().character(0).retarget;
    assert_eq!(decided.roles["moves.glb"][&Role::Head], "");
    harness.get_by_label("Row Head, not mapped");
}
