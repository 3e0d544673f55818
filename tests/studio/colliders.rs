//! Colliders in hand, without a viewport: made, moved, turned, resized, mirrored, fitted, taken away, brought back.

use std::sync::Arc;

use glam::Vec3;
use tailbone::document::ColliderRef;
use tailbone::model::{Collider, ColliderIndex, ColliderOrigin, ColliderShape, Rigged, Role};
use tailbone::motion::ColliderPose;
use tailbone::studio::{
    ColliderCommand, ColliderPart, Command, FileCommand, NewCollider, Overlay, Selection, Studio,
    no_wake,
};

use super::{common, done_again, settle};

/// The ponytail, of whose colliders two are the file's and others the fit's.
fn opened() -> Studio {
    let mut studio = Studio::new(no_wake());
    studio.apply(Command::Open("sample:ponytail".into()));
    settle(&mut studio);
    studio
}

fn collider(studio: &mut Studio, command: ColliderCommand) {
    studio.apply(Command::Collider(command));
    settle(studio);
}

fn rigged(studio: &Studio) -> Arc<Rigged> {
    studio.evaluated().unwrap().rigged.clone()
}

fn select(studio: &mut Studio, selection: Selection) {
    studio.apply(Command::Select(selection));
}

fn selected(studio: &Studio) -> (ColliderIndex, Collider) {
    let Selection::Collider(index) = studio.selection() else {
        panic!("{:?} is selected", studio.selection())
    };
    (index, rigged(studio).colliders[index.index()].clone())
}

/// Where the selected collider is in the bind pose.
fn pose(studio: &Studio) -> ColliderPose {
    let (_, collider) = selected(studio);
    pose_of(studio, &collider)
}

fn pose_of(studio: &Studio, collider: &Collider) -> ColliderPose {
    ColliderPose::of(&collider.shape, &rigged(studio).bind.world.matrix(collider.node))
}

fn place(studio: &Studio, fits: impl Fn(&Collider) -> bool) -> ColliderIndex {
    let at = rigged(studio).colliders.iter().position(fits).unwrap();
    ColliderIndex(at as u32)
}

fn role(studio: &Studio, role: Role) -> Selection {
    Selection::Joint(rigged(studio).humanoid.node(role).unwrap())
}

/// A capsule along the left upper leg, selected.
fn with_capsule() -> Studio {
    let mut studio = opened();
    let leg = role(&studio, Role::LeftUpperLeg);
    select(&mut studio, leg);
    collider(&mut studio, ColliderCommand::Add(NewCollider::Capsule));
    studio
}

fn undo(studio: &mut Studio) {
    studio.apply(Command::Undo);
    settle(studio);
}

#[test]
fn a_new_capsule_runs_along_its_bone_is_as_thick_as_the_leg_and_is_one_step() {
    let mut studio = with_capsule();
    assert_eq!(studio.steps().0, ["add a capsule"]);
    assert!(studio.shows(Overlay::Colliders), "what is made is seen");
    let (_, made) = selected(&studio);
    assert_eq!(made.origin, ColliderOrigin::ByHand);
    let rig = rigged(&studio);
    let at = |role| rig.bind.position(rig.humanoid.node(role).unwrap());
    let pose = pose(&studio);
    assert!(pose.a.distance(at(Role::LeftUpperLeg)) < 1e-4);
    assert!(pose.b.distance(at(Role::LeftLowerLeg)) < 1e-4);
    assert!((0.03..0.15).contains(&pose.radius_m), "a thigh of {} m", pose.radius_m);
    let n = rig.colliders.len();
    undo(&mut studio);
    assert_eq!(rigged(&studio).colliders.len(), n - 1);
    assert_eq!(studio.selection(), Selection::None, "what is gone is not selected");
    studio.apply(Command::Redo);
    settle(&mut studio);
    assert_eq!(rigged(&studio).colliders.len(), n);
    assert_eq!(done_again(&studio).edits(), studio.edits());
}

#[test]
fn a_sphere_stands_in_the_middle_of_its_skin_and_nothing_selected_makes_none() {
    let mut studio = opened();
    select(&mut studio, Selection::None);
    collider(&mut studio, ColliderCommand::Add(NewCollider::Sphere));
    assert!(studio.notices().last().unwrap().text.contains("Select the bone"));
    let head = role(&studio, Role::Head);
    select(&mut studio, head);
    collider(&mut studio, ColliderCommand::Add(NewCollider::Sphere));
    let (_, made) = selected(&studio);
    assert_eq!(studio.collider_panel().unwrap().kind, "Sphere");
    let pose = pose_of(&studio, &made);
    let rig = rigged(&studio);
    let joint = rig.bind.position(rig.humanoid.node(Role::Head).unwrap());
    assert!(pose.a.y > joint.y + 0.02, "above where the head begins");
}

#[test]
fn a_drag_is_one_step_and_moves_by_what_the_hand_moved_in_the_pose_that_is_shown() {
    let mut studio = with_capsule();
    let before = studio.collider_holds();
    let by = Vec3::new(0.02, 0.01, -0.03);
    studio.apply(Command::Begin("move a collider".into()));
    for _ in 0..5 {
        studio.apply(Command::Collider(ColliderCommand::Move { by: by / 5.0 }));
    }
    studio.apply(Command::Commit);
    // Before any worker has come back.
    for ((_, before), (_, after)) in before.iter().zip(studio.collider_holds()) {
        assert!((after - *before).distance(by) < 1e-5, "{before} to {after}");
    }
    settle(&mut studio);
    assert_eq!(studio.steps().0, ["add a capsule", "move a collider"]);
    let n_edits = |studio: &Studio| {
        let commands = &studio.script().unwrap().commands;
        commands.iter().filter(|c| matches!(c, Command::Edit(_))).count()
    };
    assert_eq!(n_edits(&studio), 2, "of a drag its end is in the script");
    let again = done_again(&studio);
    assert_eq!(again.edits(), studio.edits());
    undo(&mut studio);
    for ((_, before), (_, after)) in before.iter().zip(studio.collider_holds()) {
        assert!(after.distance(*before) < 1e-5);
    }
}

#[test]
fn both_ends_are_dragged_alone_and_others_stay() {
    let mut studio = with_capsule();
    let by = Vec3::new(0.0, 0.05, 0.04);
    for (part, moves) in [(ColliderPart::Start, 1), (ColliderPart::End, 2)] {
        let before = studio.collider_holds();
        collider(&mut studio, ColliderCommand::Hold(part));
        assert_eq!(studio.gizmo_at(), Some(before[moves].1));
        collider(&mut studio, ColliderCommand::Move { by });
        let after = studio.collider_holds();
        assert!((after[moves].1 - before[moves].1).distance(by) < 1e-5);
        assert!(after[3 - moves].1.distance(before[3 - moves].1) < 1e-5);
    }
}

#[test]
fn a_turn_keeps_middle_and_length_and_a_resize_the_axis() {
    let mut studio = with_capsule();
    let before = pose(&studio);
    let quarter = std::f32::consts::FRAC_PI_2;
    collider(&mut studio, ColliderCommand::Turn { axis: Vec3::X, by_rad: quarter });
    let turned = pose(&studio);
    assert!(((turned.a + turned.b) - (before.a + before.b)).length() < 1e-4);
    assert!((turned.a.distance(turned.b) - before.a.distance(before.b)).abs() < 1e-4);
    assert!(turned.a.distance(before.a) > 0.05);
    collider(&mut studio, ColliderCommand::Scale { by: 1.5 });
    let thick = pose(&studio);
    assert!((thick.radius_m - 1.5 * turned.radius_m).abs() < 1e-5);
    assert_eq!((thick.a, thick.b), (turned.a, turned.b));
    collider(&mut studio, ColliderCommand::Fit);
    collider(&mut studio, ColliderCommand::Turn { axis: Vec3::X, by_rad: -quarter });
    collider(&mut studio, ColliderCommand::Fit);
    assert!((pose(&studio).radius_m - before.radius_m).abs() < 1e-3, "as thick as the leg again");
    assert_eq!(done_again(&studio).edits(), studio.edits());
}

#[test]
fn the_inspectors_numbers_are_metres_along_the_bone_and_come_back_as_they_went_in() {
    let mut studio = with_capsule();
    let panel = studio.collider_panel().unwrap();
    assert_eq!((panel.kind, panel.origin.as_str()), ("Capsule", "Made by you"));
    let radius_m = panel.radius_m.unwrap() + 0.01;
    let (start_m, end_m) = (panel.start_m + Vec3::X * 0.02, panel.end_m);
    collider(&mut studio, ColliderCommand::Numbers { start_m, end_m, radius_m });
    let after = studio.collider_panel().unwrap();
    assert!(after.start_m.distance(start_m) < 1e-6 && after.end_m.distance(end_m) < 1e-6);
    assert!((after.radius_m.unwrap() - radius_m).abs() < 1e-6);
    let steps = studio.steps().0.len();
    let start_m = Vec3::NAN;
    collider(&mut studio, ColliderCommand::Numbers { start_m, end_m, radius_m });
    assert_eq!(studio.steps().0.len(), steps, "what is no number is not taken");
}

#[test]
fn what_the_artist_had_is_shown_against_what_it_is_and_comes_back_by_one_click() {
    let mut studio = opened();
    let start = studio.edits().clone();
    let index = place(&studio, |c| c.origin == ColliderOrigin::Authored(0));
    select(&mut studio, Selection::Collider(index));
    let before = pose(&studio);
    collider(&mut studio, ColliderCommand::Move { by: Vec3::Y * 0.1 });
    let panel = studio.collider_panel().unwrap();
    assert!(panel.can_restore && panel.origin == "From the file, changed by you", "{panel:?}");
    assert!(panel.before.unwrap().contains("from here"));
    let dashed = |studio: &Studio| studio.scene().lines.iter().filter(|l| l.is_dashed).count();
    let both = dashed(&studio);
    select(&mut studio, Selection::None);
    assert!(both > dashed(&studio), "the authored one is drawn too, dashed");
    select(&mut studio, Selection::Collider(index));
    assert!(pose(&studio).a.distance(before.a) > 0.09);
    collider(&mut studio, ColliderCommand::Restore);
    assert_eq!(*studio.edits(), start);
    assert!(pose(&studio).a.distance(before.a) < 1e-5);
    collider(&mut studio, ColliderCommand::Restore);
    assert!(studio.notices().last().unwrap().text.contains("It is what it was"));
}

/// How many strands meet a collider.
fn n_meeting(studio: &Studio, index: ColliderIndex) -> usize {
    let strands = rigged(studio);
    let strands = strands.chains.iter().filter_map(|c| c.hair.as_ref());
    strands.filter(|s| s.colliders.contains(&index)).count()
}

#[test]
fn one_that_is_taken_away_is_met_by_nobody_and_is_brought_back() {
    for fits in [
        (|c: &Collider| c.origin == ColliderOrigin::Authored(0)) as fn(&Collider) -> bool,
        |c: &Collider| c.origin == ColliderOrigin::Added,
    ] {
        let mut studio = opened();
        let start = studio.edits().clone();
        let index = place(&studio, fits);
        let name = rigged(&studio).colliders[index.index()].name.clone();
        let n = n_meeting(&studio, index);
        select(&mut studio, Selection::Collider(index));
        collider(&mut studio, ColliderCommand::Remove);
        let (index, off) = selected(&studio);
        assert!(!off.is_met() && off.name == name);
        assert_eq!(n_meeting(&studio, index), 0);
        let row = &studio.outliner().colliders[index.index()];
        assert!(row.is_off && row.about == "taken away", "{row:?}");
        collider(&mut studio, ColliderCommand::Restore);
        assert_eq!(*studio.edits(), start);
        let (index, back) = selected(&studio);
        assert_eq!((back.name.as_str(), n_meeting(&studio, index)), (name.as_str(), n));
    }
    // One of the user's own is gone for good.
    let mut studio = with_capsule();
    let n = rigged(&studio).colliders.len();
    collider(&mut studio, ColliderCommand::Remove);
    assert_eq!(rigged(&studio).colliders.len(), n - 1);
    undo(&mut studio);
    assert_eq!(rigged(&studio).colliders.len(), n);
}

#[test]
fn the_mirror_image_stands_on_the_other_leg_and_once_it_is_there_follows() {
    let mut studio = with_capsule();
    let left = pose(&studio);
    let (index, made) = selected(&studio);
    collider(&mut studio, ColliderCommand::Mirror);
    let right = rigged(&studio).humanoid.node(Role::RightUpperLeg).unwrap();
    let of_right = |studio: &Studio| -> Vec<Collider> {
        let rig = rigged(studio);
        let there = rig.colliders.iter().filter(|c| c.node == right && c.name != made.name);
        there.filter(|c| c.origin == ColliderOrigin::ByHand).cloned().collect()
    };
    let images = of_right(&studio);
    assert_eq!(images.len(), 1, "{images:?}");
    let detection = studio.evaluated().unwrap().detection.clone();
    let image = pose_of(&studio, &images[0]);
    let wanted = [left.a, left.b].map(|p| detection.mirrored_point(p));
    assert!(image.a.distance(wanted[0]) < 1e-3 && image.b.distance(wanted[1]) < 1e-3);
    assert!((image.radius_m - left.radius_m).abs() < 1e-3);
    assert_eq!(selected(&studio).0, index, "the one that was mirrored stays selected");
    collider(&mut studio, ColliderCommand::Scale { by: 1.3 });
    collider(&mut studio, ColliderCommand::Mirror);
    let images = of_right(&studio);
    assert_eq!(images.len(), 1, "the partner is changed, none is added");
    assert!((pose_of(&studio, &images[0]).radius_m - 1.3 * left.radius_m).abs() < 1e-3);
    assert_eq!(done_again(&studio).edits(), studio.edits());
}

#[test]
fn several_are_selected_and_changed_in_one_step() {
    let mut studio = opened();
    let all: Vec<ColliderIndex> = (0..2).map(ColliderIndex).collect();
    let radii = |studio: &Studio| -> Vec<f32> {
        all.iter().map(|i| rigged(studio).colliders[i.index()].shape.radius()).collect()
    };
    // The fit grows what no hand has touched: measured from where it stands then.
    select(&mut studio, Selection::Collider(all[0]));
    studio.apply(Command::Collider(ColliderCommand::SelectAlso(all[1])));
    assert_eq!(studio.selected_colliders(), all);
    assert!(studio.outliner().colliders[1].also);
    let before = radii(&studio);
    collider(&mut studio, ColliderCommand::Scale { by: 2.0 });
    for (before, after) in before.iter().zip(radii(&studio)) {
        assert!((after - 2.0 * before).abs() < 1e-5, "{before} to {after}");
    }
    assert_eq!(studio.steps().0, ["resize a collider"]);
    assert_eq!(studio.selected_colliders(), all, "still selected");
    assert_eq!(done_again(&studio).edits(), studio.edits());
    studio.apply(Command::Collider(ColliderCommand::SelectAlso(all[0])));
    assert_eq!(studio.selected_colliders(), [all[1]], "a second time it is let go");
}

#[test]
fn colliders_are_hidden_shown_and_shown_alone_and_picked_where_they_are_drawn() {
    let mut studio = opened();
    studio.apply(Command::Toggle(Overlay::Colliders));
    let picks = |studio: &Studio| -> Vec<ColliderIndex> {
        let picks = studio.scene().picks.iter();
        picks
            .filter_map(|pick| match pick.what {
                Selection::Collider(index) => Some(index),
                _ => None,
            })
            .collect()
    };
    let n = rigged(&studio).colliders.len();
    assert_eq!(picks(&studio).len(), n);
    let first = ColliderIndex(0);
    collider(&mut studio, ColliderCommand::ToggleShown(first));
    assert!(!picks(&studio).contains(&first) && !studio.outliner().colliders[0].is_shown);
    collider(&mut studio, ColliderCommand::Solo(first));
    assert_eq!(picks(&studio), [first]);
    collider(&mut studio, ColliderCommand::Solo(first));
    assert_eq!(picks(&studio).len(), n);
    studio.apply(Command::Toggle(Overlay::Colliders));
    assert!(picks(&studio).is_empty());
    select(&mut studio, Selection::Collider(first));
    assert_eq!(picks(&studio), [first], "what is selected is drawn");
    assert!(studio.steps().0.is_empty(), "nothing of it is a decision");
}

#[test]
fn colliders_are_in_the_project_and_under_their_names() {
    let folder = common::Folder::new();
    let mut studio = with_capsule();
    let (index, made) = selected(&studio);
    studio.apply(Command::Rename(Selection::Collider(index), "  Guard ".into()));
    settle(&mut studio);
    assert_eq!(selected(&studio).1.name, "Guard");
    let authored = place(&studio, |c| c.origin == ColliderOrigin::Authored(1));
    studio.apply(Command::Rename(Selection::Collider(authored), "Nape".into()));
    settle(&mut studio);
    assert_eq!(selected(&studio).1.name, "Nape");
    select(&mut studio, Selection::Collider(authored));
    collider(&mut studio, ColliderCommand::Move { by: Vec3::X * 0.02 });
    let path = folder.path().join("guard.tailbone").display().to_string();
    studio.apply(Command::File(FileCommand::SaveAs { path: path.clone(), replace: false }));
    settle(&mut studio);
    let mut again = Studio::new(no_wake());
    again.apply(Command::Open(path));
    settle(&mut again);
    assert_eq!(again.edits(), studio.edits());
    let names = |studio: &Studio| -> Vec<ColliderRef> {
        rigged(studio).colliders.iter().map(ColliderRef::of).collect()
    };
    assert_eq!(names(&again), names(&studio));
    assert!(names(&again).contains(&ColliderRef::ByHand("Guard".into())));
    let shape = |studio: &Studio| -> ColliderShape {
        let rig = rigged(studio);
        rig.colliders.iter().find(|c| c.name == "Guard").unwrap().shape
    };
    assert_eq!((shape(&again), shape(&studio)), (made.shape, made.shape));
}
