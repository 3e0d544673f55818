//! Tools by their labels and keys, with a pointer that drags.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use tailbone::app::App;
use tailbone::studio::{Command, Selection, Tool, ToolCommand};

use super::{common, opened, press, wait};

/// Drags from one place of the viewport to another, both as shares of its size.
fn drag(harness: &mut Harness<'_, App>, from: (f32, f32), to: (f32, f32)) {
    let rect = harness.get_by_label("3D viewport").rect();
    let at = |(x, y): (f32, f32)| rect.min + egui::vec2(x * rect.width(), y * rect.height());
    let (from, to) = (at(from), at(to));
    harness.hover_at(from);
    harness.step();
    harness.drag_at(from);
    harness.step();
    for i in 1..=6 {
        harness.hover_at(from.lerp(to, i as f32 / 6.0));
        harness.step();
    }
    harness.drop_at(to);
    harness.run_steps(2);
}

#[test]
fn tools_are_taken_up_by_button_and_key_and_put_away_by_escape() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    let tool = |harness: &Harness<'_, App>| harness.state().studio.tool();
    for (label, expected) in [
        ("Box", Tool::Box),
        ("Lasso", Tool::Lasso),
        ("Brush", Tool::Brush),
        ("Region from its tip", Tool::Tip),
        ("Region from root and tip", Tool::RootTip),
        ("Cut a region", Tool::Cut),
        ("Move bones", Tool::Move),
        ("Select", Tool::Select),
    ] {
        harness.get_by_label(label).click();
        harness.run_steps(2);
        assert_eq!(tool(&harness), expected, "{label}");
    }
    harness.key_press(egui::Key::B);
    harness.run_steps(2);
    assert_eq!(tool(&harness), Tool::Box);
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    assert_eq!(tool(&harness), Tool::Select);
    harness.get_by_label("Mirror").click();
    harness.get_by_label("Reach through").click();
    harness.run_steps(2);
    let panel = harness.state().studio.tool_panel();
    assert!(panel.is_mirrored && panel.is_through);
}

#[test]
fn a_box_marks_what_is_seen_and_through_the_skin_more_and_makes_a_region() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    harness.get_by_label("Box").click();
    harness.run_steps(2);
    drag(&mut harness, (0.2, 0.2), (0.8, 0.95));
    let seen = harness.state().studio.tool_panel().n_marked;
    assert!(seen > 0, "the character stands in the middle");
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::Z);
    harness.run_steps(2);
    drag(&mut harness, (0.2, 0.2), (0.8, 0.95));
    let through = harness.state().studio.tool_panel().n_marked;
    assert!(through > seen, "{through} behind, {seen} in front");
    press(&mut harness, "New region");
    assert!(harness.state().studio.region_panel().unwrap().is_made);
    harness.get_by_label("Give up region");
    harness.get_by_label("Undo").click();
    wait(&mut harness);
    assert!(harness.state().studio.undo_redo().0.is_none());
}

#[test]
fn a_drag_with_a_tool_leaves_the_camera_where_it_is() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    let place = |harness: &Harness<'_, App>| harness.state().camera_place();
    let before = place(&harness);
    harness.get_by_label("Lasso").click();
    harness.run_steps(2);
    drag(&mut harness, (0.3, 0.3), (0.6, 0.7));
    assert_eq!(place(&harness), before);
    harness.get_by_label("Select").click();
    harness.run_steps(2);
    drag(&mut harness, (0.3, 0.3), (0.6, 0.7));
    assert_ne!(place(&harness), before, "without a tool the same drag orbits");
}

#[test]
fn a_stroke_of_the_brush_is_one_step() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    harness.get_by_label("Paint region").click();
    // The line at the bottom is laid out once before it is seen.
    harness.run_steps(4);
    harness.get_by_label("Size of the brush");
    let radius = harness.state().studio.tool_panel().radius;
    harness.key_press(egui::Key::CloseBracket);
    harness.run_steps(2);
    assert!(harness.state().studio.tool_panel().radius > radius);
    drag(&mut harness, (0.45, 0.4), (0.55, 0.6));
    wait(&mut harness);
    assert_eq!(harness.state().studio.steps().0, ["paint a region"]);
}

#[test]
fn the_gizmo_moves_the_bone_under_it_in_one_step() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    let rigged = harness.state().studio.evaluated().unwrap().rigged.clone();
    let chain = rigged.chains.iter().find(|c| c.is_driven).unwrap();
    let joint = chain.joints[chain.joints.len() / 2];
    let studio = &mut harness.state_mut().studio;
    studio.apply(Command::Select(Selection::Joint(joint)));
    studio.apply(Command::Tool(ToolCommand::Use(Tool::Move)));
    harness.run_steps(2);
    let rect = harness.get_by_label("3D viewport").rect();
    let at = harness.state().on_screen(studio_gizmo(&harness), rect).unwrap();
    let share =
        |p: egui::Pos2| ((p.x - rect.left()) / rect.width(), (p.y - rect.top()) / rect.height());
    drag(&mut harness, share(at), share(at + egui::vec2(20.0, -30.0)));
    wait(&mut harness);
    assert_eq!(harness.state().studio.steps().0, ["move a bone"]);
    let after = harness.state().studio.evaluated().unwrap().rigged.clone();
    assert_eq!(after.chains.len(), rigged.chains.len());
    let moved = after.bind.position(joint).distance(rigged.bind.position(joint));
    assert!(moved > 1e-3, "the bone was dragged by {moved} m");
}

fn studio_gizmo(harness: &Harness<'_, App>) -> glam::Vec3 {
    harness.state().studio.gizmo_at().unwrap()
}
