//! Chains that a file has already, without a panel: shown, driven, tuned, left again.

use tailbone::model::SpringSettings;
use tailbone::studio::{Command, Edit, FileCommand, Selection, Studio};

use super::common::{self, tailed::boned_file};
use super::{done_again, opened, settle};

fn drive(studio: &mut Studio, driven: Option<bool>) {
    let edit = Edit::Existing { chain: "Brush_1".into(), driven };
    studio.apply(Command::Edit(edit));
    settle(studio);
}

#[test]
fn a_file_whose_tail_has_bones_opens_on_them_and_springs_drive_them_when_asked() {
    let folder = common::Folder::new();
    let mut studio = opened(&boned_file(folder.path()));
    let Selection::Chain(at) = studio.selection() else { panic!("{:?}", studio.selection()) };
    let start = studio.edits().clone();
    let panel = studio.chain_panel().unwrap();
    assert_eq!((panel.name.as_str(), panel.is_driven, panel.chosen), ("Brush_1", false, None));
    assert!(panel.can_choose && panel.bones.len() >= 3 && panel.springs.is_none());
    assert_eq!(panel.bones[0].1, "Brush_1");
    assert!(panel.why_still.unwrap().contains("left to the clips"));
    assert!(studio.region_panel().is_none() && studio.spring_panel().is_none());

    drive(&mut studio, Some(true));
    assert_eq!(studio.selection(), Selection::Chain(at));
    let panel = studio.chain_panel().unwrap();
    assert_eq!((panel.is_driven, panel.chosen, panel.why_still), (true, Some(true), None));
    assert!(panel.springs.is_some() && !panel.is_tuned);
    assert!(studio.evaluated().unwrap().rigged.chains[at].is_driven);
    assert_eq!(studio.undo_redo().0, Some("drive a chain with springs"));

    let own = SpringSettings { gravity: 3.0, ..panel.springs.unwrap() };
    let chain = String::from("Brush_1");
    studio.apply(Command::Edit(Edit::ExistingSprings { chain, settings: Some(own) }));
    let panel = studio.chain_panel().unwrap();
    assert_eq!((panel.springs, panel.is_tuned), (Some(own), true), "a slider waits for no worker");
    settle(&mut studio);
    assert_eq!(done_again(&studio).edits(), studio.edits());

    // Both are in the project.
    let project = folder.path().join("brush.tailbone");
    let path = project.display().to_string();
    studio.apply(Command::File(FileCommand::SaveAs { path, replace: true }));
    settle(&mut studio);
    assert_eq!(opened(&project).edits(), studio.edits());

    studio.apply(Command::Undo);
    drive(&mut studio, None);
    assert_eq!(*studio.edits(), start);
    assert!(!studio.chain_panel().unwrap().is_driven);
}

#[test]
fn the_number_of_blend_rings_is_one_step_and_bounded() {
    let folder = common::Folder::new();
    let mut studio = opened(&common::tailed::tailed_file(folder.path()));
    assert_eq!(studio.region_panel().unwrap().blend_rings, 2);
    let before = studio.evaluated().unwrap().rigged.changes.n_vertices();
    studio.apply(Command::Edit(Edit::BlendRings(99)));
    settle(&mut studio);
    assert_eq!(studio.region_panel().unwrap().blend_rings, 16);
    assert!(studio.evaluated().unwrap().rigged.changes.n_vertices() > before);
    assert_eq!(studio.undo_redo().0, Some("change blend rings"));
}

#[test]
fn the_character_says_where_it_faces_and_where_its_rest_pose_is_from() {
    let folder = common::Folder::new();
    let mut studio = opened(&common::tailed::tailed_file(folder.path()));
    studio.apply(Command::Select(Selection::None));
    assert!(studio.chain_panel().is_none());
    let panel = studio.character_panel().unwrap();
    let fact = |name: &str| panel.facts.iter().find(|f| f.0 == name).unwrap().1.clone();
    assert!(fact("Faces").contains("+Z"), "{}", fact("Faces"));
    assert_eq!(fact("Up"), "+Y of the file");
    assert!(fact("Rest pose").contains("inverse bind matrices"));
    assert_eq!(fact("Licence"), "not stated");
}
