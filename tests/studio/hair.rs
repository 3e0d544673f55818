//! The Hair workspace without a window: skin is picked, fitted, taken back, tried.

use std::sync::Arc;

use tailbone::measure::HEAD_TURN_SECS;
use tailbone::model::WorldPose;
use tailbone::studio::{Command, HairCommand, PlayCommand, Studio, Workspace, no_wake};

use super::{done_again, settle};

fn hair(studio: &mut Studio, command: HairCommand) {
    studio.apply(Command::Hair(command));
    settle(studio);
}

/// The ponytail, fitted with six joints.
fn fitted() -> Studio {
    let mut studio = Studio::new(no_wake());
    studio.apply(Command::Open("sample:ponytail".into()));
    settle(&mut studio);
    studio.apply(Command::Workspace(Workspace::Hair));
    studio.pick_hair_mesh("Ponytail");
    hair(&mut studio, HairCommand::Joints(Some(6)));
    assert!(studio.hair_panel().can_fit, "{}", studio.hair_panel().proposal);
    hair(&mut studio, HairCommand::Fit);
    studio
}

fn n_picked(studio: &Studio) -> usize {
    studio.hair_panel().strands.iter().filter(|strand| strand.picked.is_some()).count()
}

/// Poses of both panes, the earlier rule's first.
fn poses(studio: &Studio) -> Vec<Arc<WorldPose>> {
    studio.hair_panes().into_iter().map(|pane| pane.scene.world).collect()
}

/// Of each pane, whether it moved.
fn moved(before: &[Arc<WorldPose>], after: &[Arc<WorldPose>]) -> Vec<bool> {
    before.iter().zip(after).map(|(a, b)| a != b).collect()
}

#[test]
fn a_picked_mesh_becomes_one_strand_that_is_taken_back_and_done_again() {
    let mut studio = fitted();
    assert_eq!(n_picked(&studio), 1);
    assert_eq!(studio.undo_redo().0, Some("fit a strand"));
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(n_picked(&studio), 0);
    studio.apply(Command::Redo);
    settle(&mut studio);
    assert_eq!(n_picked(&studio), 1);
    let again = done_again(&studio);
    assert_eq!((again.edits(), n_picked(&again)), (studio.edits(), 1));
}

#[test]
fn the_head_turn_plays_under_both_rules_at_one_moment() {
    let mut studio = fitted();
    hair(&mut studio, HairCommand::SideBySide(true));
    hair(&mut studio, HairCommand::HeadTurn);
    assert!(studio.is_playing());
    let duration = studio.transport().duration_secs.unwrap();
    assert!((duration - HEAD_TURN_SECS).abs() < 0.1, "{duration} s");
    let start = poses(&studio);
    studio.tick(0.2);
    let later = poses(&studio);
    assert_eq!(moved(&start, &later), [true; 2]);
    studio.apply(Command::Play(PlayCommand::Toggle));
    studio.tick(0.2);
    assert_eq!(moved(&later, &poses(&studio)), [false; 2], "both are paused");
    studio.apply(Command::Play(PlayCommand::Scrub(1.0)));
    assert_eq!(moved(&later, &poses(&studio)), [true; 2], "both are scrubbed");
}
