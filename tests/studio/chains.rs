//! Chains that a file has already, without a panel: shown, driven, tuned, left again.

use tailbone::document::preset;
use tailbone::model::{Curve, Facing, Role, SpringSettings};
use tailbone::studio::{Command, Edit, FileCommand, Selection, SpringsOf, Studio};

use super::common::{self, tailed::boned_file};
use super::{done_again, opened, settle};

fn brush() -> SpringsOf {
    SpringsOf::Existing("Brush_1".into())
}

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
    assert!(panel.can_choose && panel.bones.len() >= 3 && !panel.is_hair);
    assert_eq!(panel.bones[0].1, "Brush_1");
    assert!(panel.why_still.unwrap().contains("left to the clips"));
    assert!(studio.region_panel().is_none() && studio.spring_panel().is_none());

    drive(&mut studio, Some(true));
    assert_eq!(studio.selection(), Selection::Chain(at));
    let panel = studio.chain_panel().unwrap();
    assert_eq!((panel.is_driven, panel.chosen, panel.why_still), (true, Some(true), None));
    let springs = studio.spring_panel().unwrap();
    assert_eq!((&springs.of, springs.is_tuned), (&brush(), false));
    assert!(studio.evaluated().unwrap().rigged.chains[at].is_driven);
    assert_eq!(studio.undo_redo().0, Some("drive a chain with springs"));

    let own = SpringSettings { gravity: 3.0, ..springs.settings };
    let chain = String::from("Brush_1");
    studio.apply(Command::Edit(Edit::ExistingSprings { chain, settings: Some(own) }));
    let panel = studio.spring_panel().unwrap();
    assert_eq!((panel.settings, panel.is_tuned), (own, true), "a slider waits for no worker");
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
fn a_chain_of_the_file_has_presets_two_tunings_and_a_way_back_as_grown_ones_have() {
    let folder = common::Folder::new();
    let mut studio = opened(&boned_file(folder.path()));
    assert!(studio.spring_panel().is_none(), "clips move it");
    drive(&mut studio, Some(true));
    let settings = |studio: &Studio| studio.spring_panel().unwrap().settings;
    let usual = settings(&studio);
    let heavy = preset("heavy").unwrap().settings;
    assert_ne!(usual, heavy);

    studio.apply(Command::PreviewPreset { of: brush(), name: Some("heavy".into()) });
    assert_eq!(studio.spring_panel().unwrap().previewed.as_deref(), Some("heavy"));
    assert_eq!(settings(&studio), usual, "nothing is decided while the pointer rests on it");
    studio.apply(Command::PreviewPreset { of: brush(), name: None });

    // The first change between tunings makes both alike; B is then another.
    studio.apply(Command::SwapSprings { of: brush() });
    studio.apply(Command::ApplyPreset { of: brush(), name: "heavy".into() });
    assert!(studio.spring_panel().unwrap().is_b);
    assert_eq!(settings(&studio), heavy);
    studio.apply(Command::SwapSprings { of: brush() });
    assert_eq!((settings(&studio), studio.spring_panel().unwrap().is_b), (usual, false));
    studio.apply(Command::SwapSprings { of: brush() });
    assert_eq!(settings(&studio), heavy);

    let curved = Curve { root: 2.0, tip: 0.5, ease: 1.5 };
    let own = SpringSettings { frequency_hz: curved, ..heavy };
    studio.apply(Command::CopySprings(own));
    studio.apply(Command::PasteSprings { of: brush() });
    assert_eq!(settings(&studio), own);
    assert!(!studio.is_working(), "none of it needs a worker");
    settle(&mut studio);
    assert_eq!(done_again(&studio).edits(), studio.edits());

    studio.apply(Command::Edit(brush().tuned(None)));
    let panel = studio.spring_panel().unwrap();
    assert_eq!((panel.settings, panel.is_tuned), (usual, false));
    // It is drawn what it does, as for a grown one.
    studio.tick(0.05);
    studio.tick(0.05);
    assert!(!studio.spring_panel().unwrap().trace.tip_cm.is_empty());
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
    assert!(panel.faces.contains("+Z"), "{}", panel.faces);
    assert!(panel.stated.is_default());
    assert_eq!(fact("Up"), "+Y of the file");
    assert!(fact("Rest pose").contains("inverse bind matrices"));
    assert_eq!(fact("Licence"), "not stated");
}

#[test]
fn a_facing_and_a_height_by_hand_are_steps_that_go_into_scripts_and_projects_and_back_again() {
    let folder = common::Folder::new();
    let mut studio = opened(&common::tailed::tailed_file(folder.path()));
    let start = studio.edits().clone();
    let humanoid = |studio: &Studio| studio.evaluated().unwrap().detection.humanoid.clone();
    let (before, panel) = (humanoid(&studio), studio.character_panel().unwrap());
    studio.apply(Command::Edit(Edit::Facing(Some(Facing::MinusZ))));
    settle(&mut studio);
    assert_eq!(studio.undo_redo().0, Some("change the facing"));
    assert_eq!(studio.character_panel().unwrap().faces, "−Z of the file");
    let left = Role::LeftUpperLeg;
    assert_eq!(humanoid(&studio).node(left), before.node(left.opposite()), "sides change");

    studio.apply(Command::Begin("change the height".into()));
    for height in [1.0, 2.0 * panel.height_m] {
        studio.apply(Command::Edit(Edit::Height(Some(height))));
    }
    studio.apply(Command::Commit);
    settle(&mut studio);
    assert_eq!(studio.character_panel().unwrap().height_m, 2.0 * panel.height_m);
    let body = studio.evaluated().unwrap().rigged.body;
    assert_eq!(body.height_m, 2.0 * panel.height_m);
    assert_eq!(done_again(&studio).edits(), studio.edits());
    let project = folder.path().join("turned.tailbone");
    let path = project.display().to_string();
    studio.apply(Command::File(FileCommand::SaveAs { path, replace: true }));
    settle(&mut studio);
    let again = opened(&project);
    assert_eq!(again.edits(), studio.edits());
    assert_eq!(again.character_panel().unwrap().faces, "−Z of the file");

    studio.apply(Command::Edit(Edit::Height(Some(f32::NAN))));
    studio.apply(Command::Edit(Edit::Facing(None)));
    settle(&mut studio);
    assert_eq!(*studio.edits(), start, "automatic is no decision");
    assert_eq!(studio.character_panel().unwrap(), panel);
}
