//! The Hair workspace by its labels.

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use tailbone::app::App;
use tailbone::model::SurfaceVertex;
use tailbone::studio::{
    Command, HairCommand, Marking, Overlay, PickBy, ToolCommand, UserCommand, Workspace,
};

use super::common::{self, tailed::tailed_file};
use super::{paused, press, wait};

/// A file or a sample in the Hair workspace.
fn hair_of(what: &str) -> Harness<'static, App> {
    let mut harness = paused(what.as_ref());
    harness.state_mut().studio.apply(Command::Workspace(Workspace::Hair));
    wait(&mut harness);
    harness.run_steps(2);
    harness
}

/// Skin of the mesh of that name.
fn skin_of(harness: &Harness<'_, App>, name: &str) -> Vec<SurfaceVertex> {
    let evaluated = harness.state().studio.evaluated().unwrap();
    let character = &evaluated.rigged.character;
    let (index, _) = character
        .instances()
        .find(|(_, i)| character.mesh_of(i).is_some_and(|m| m.name == name))
        .unwrap();
    evaluated.detection.surface.vertices_of(index).map(SurfaceVertex).collect()
}

#[test]
fn what_is_marked_is_picked_shown_and_fitted_by_one_button() {
    let mut harness = hair_of("sample:ponytail");
    for by in PickBy::ALL {
        harness.get_by_label(by.name()).click();
        harness.run_steps(2);
        assert_eq!(harness.state().studio.hair_panel().by, by);
    }
    let vertices = skin_of(&harness, "Ponytail");
    let mark = ToolCommand::Mark { vertices, how: Marking::Replace };
    harness.state_mut().studio.apply(Command::Tool(mark));
    harness.state_mut().studio.apply(Command::Hair(HairCommand::Joints(Some(6))));
    harness.run_steps(3);
    harness.get_by_label_contains(", 6 bones, ");
    assert!(harness.query_by_label("New region").is_none(), "marks are a strand's here");
    harness.get_by_role_and_label(Role::CheckBox, "A strand for each piece").click();
    harness.run_steps(2);
    assert!(harness.state().studio.hair_panel().each_piece);
    harness.get_by_role_and_label(Role::CheckBox, "A strand for each piece").click();
    harness.run_steps(2);
    assert!(harness.state().studio.steps().0.is_empty(), "nothing is decided yet");
    press(&mut harness, "Fit bones");
    assert_eq!(harness.state().studio.steps().0, ["fit a strand"]);
    harness.get_by_label_contains("Remove ");
}

#[test]
fn skirts_are_headed_only_where_there_are_chains_of_hair() {
    let folder = common::Folder::new();
    let harness = hair_of(&tailed_file(folder.path()).display().to_string());
    assert!(harness.query_by_label("SKIRTS").is_none());
    assert!(harness.query_by_label("Outlines").is_none(), "nothing of it is drawn with lines");
    let harness = hair_of("sample:ponytail");
    harness.get_by_label("SKIRTS");
}

#[test]
fn outlines_have_a_switch_in_the_panel_and_a_key() {
    let mut harness = hair_of("sample:ponytail");
    harness.get_by_role_and_label(Role::CheckBox, "Outlines");
    harness.get_by_role_and_label(Role::CheckBox, "Outlines of hair");
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::O);
    harness.run_steps(2);
    let shows = |h: &Harness<'_, App>, overlay| h.state().studio.shows(overlay);
    assert!(!shows(&harness, Overlay::Outlines));
    assert!(!harness.state().studio.scene().without_outline.is_empty());
    let ctx = harness.ctx.clone();
    harness.state_mut().user(UserCommand::ShowOutlines, &ctx);
    harness.state_mut().user(UserCommand::ShowHairOutlines, &ctx);
    assert!(shows(&harness, Overlay::Outlines) && !shows(&harness, Overlay::HairOutlines));
}
