//! The Hair workspace without a window: skin is picked, fitted, taken back, tried.

use std::sync::Arc;

use glam::Vec3;
use tailbone::geometry::selection::pieces_of;
use tailbone::measure::HEAD_TURN_SECS;
use tailbone::model::{ChainOrigin, Role, SurfaceVertex, WorldPose};
use tailbone::studio::scene::{Accent, LineMark, posed_vertex};
use tailbone::studio::{
    Command, HairCommand, HairPick, Marking, Overlay, PickBy, PlayCommand, Selection, Studio, Tool,
    ToolCommand, Workspace, no_wake,
};

use super::{done_again, settle};

fn hair(studio: &mut Studio, command: HairCommand) {
    studio.apply(Command::Hair(command));
    settle(studio);
}

/// The ponytail, fitted with six joints.
fn fitted() -> Studio {
    let mut studio = hair_of("ponytail");
    click_mesh(&mut studio, "Ponytail");
    hair(&mut studio, HairCommand::Joints(Some(6)));
    assert_eq!(studio.hair_panel().n_proposed, 1, "{:?}", studio.hair_panel().proposals);
    hair(&mut studio, HairCommand::Fit);
    studio
}

/// A sample in the Hair workspace.
fn hair_of(sample: &str) -> Studio {
    let mut studio = Studio::new(no_wake());
    studio.apply(Command::Open(format!("sample:{sample}")));
    settle(&mut studio);
    studio.apply(Command::Workspace(Workspace::Hair));
    settle(&mut studio);
    studio
}

/// Skin of all meshes for which `is_meant` answers yes by name and material.
fn skin_of(studio: &Studio, is_meant: impl Fn(&str, Option<u32>) -> bool) -> Vec<SurfaceVertex> {
    let evaluated = studio.evaluated().unwrap();
    let character = &evaluated.rigged.character;
    let meant = character.instances().filter(|(_, instance)| {
        character.mesh_of(instance).is_some_and(|m| is_meant(&m.name, m.material))
    });
    meant.flat_map(|(i, _)| evaluated.detection.surface.vertices_of(i)).map(SurfaceVertex).collect()
}

fn click(studio: &mut Studio, by: PickBy, vertex: SurfaceVertex, how: Marking) {
    hair(studio, HairCommand::PickBy(by));
    hair(studio, HairCommand::Pick(HairPick::At { vertex, how }));
}

fn click_mesh(studio: &mut Studio, name: &str) {
    let skin = skin_of(studio, |mesh, _| mesh == name);
    click(studio, PickBy::Mesh, skin[0], Marking::Replace);
}

fn tool(studio: &mut Studio, command: ToolCommand) {
    studio.apply(Command::Tool(command));
}

/// The paths that are drawn of what a fit would make.
fn paths(studio: &Studio) -> Vec<&LineMark> {
    let is_path = |l: &&LineMark| l.accent == Accent::Selected && l.is_dashed;
    studio.scene().lines.iter().filter(is_path).collect()
}

/// So many vertices are picked, so many strands shown, and nothing is decided.
fn check_picked(studio: &Studio, n_vertices: usize, n_strands: usize) {
    assert_eq!(studio.tool_panel().n_marked, n_vertices);
    let panel = studio.hair_panel();
    assert_eq!(panel.n_proposed, n_strands, "{:?}", panel.proposals);
    assert_eq!(paths(studio).len(), n_strands, "each is drawn before anything changes");
    assert!(studio.steps().0.is_empty(), "{:?}", studio.steps().0);
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

#[test]
fn a_click_picks_a_mesh_a_primitive_a_material_or_a_piece_and_shows_the_strand() {
    let mut studio = hair_of("layered");
    let long = skin_of(&studio, |name, _| name == "LongHair");
    let evaluated = studio.evaluated().unwrap();
    let character = &evaluated.rigged.character;
    let (instance, _) = character.locate(long[0]).unwrap();
    let worn = character.mesh_of(character.instance(instance).unwrap()).unwrap().material;
    let same = skin_of(&studio, |_, material| material == worn);
    let pieces = pieces_of(&evaluated.detection.topology, &long);
    let piece = pieces.iter().find(|piece| piece.contains(&long[0])).unwrap().clone();
    assert!(piece.len() < long.len() && long.len() < same.len());
    click(&mut studio, PickBy::Material, long[0], Marking::Replace);
    assert_eq!(studio.tool_panel().n_marked, same.len());
    let expected =
        [(PickBy::Mesh, long.len()), (PickBy::Primitive, long.len()), (PickBy::Piece, piece.len())];
    for (by, n) in expected {
        click(&mut studio, by, long[0], Marking::Replace);
        check_picked(&studio, n, 1);
    }
    assert!(studio.hair_panel().picked.ends_with("vertices of LongHair"));
    let other = pieces.iter().find(|piece| !piece.contains(&long[0])).unwrap().clone();
    click(&mut studio, PickBy::Piece, other[0], Marking::Add);
    check_picked(&studio, piece.len() + other.len(), 1);
    click(&mut studio, PickBy::Piece, long[0], Marking::Take);
    check_picked(&studio, other.len(), 1);
    hair(&mut studio, HairCommand::Pick(HairPick::Clear));
    check_picked(&studio, 0, 0);
    // Nowhere is nothing.
    click(&mut studio, PickBy::Piece, SurfaceVertex(9_999_999), Marking::Replace);
    check_picked(&studio, 0, 0);
}

#[test]
fn box_lasso_and_brush_pick_what_they_go_over_and_paint_no_region() {
    let mut studio = hair_of("ponytail");
    let skin = skin_of(&studio, |name, _| name == "Ponytail");
    let mark =
        |vertices: &[SurfaceVertex], how| ToolCommand::Mark { vertices: vertices.to_vec(), how };
    // A box or a lasso comes as one mark.
    tool(&mut studio, mark(&skin, Marking::Replace));
    check_picked(&studio, skin.len(), 1);
    let half = &skin[skin.len() / 2..];
    tool(&mut studio, mark(half, Marking::Take));
    check_picked(&studio, skin.len() - half.len(), 1);
    tool(&mut studio, ToolCommand::Use(Tool::Brush));
    // What is selected besides is not painted.
    let region = studio.evaluated().unwrap().detection.regions.first().map(|r| r.id);
    if let Some(region) = region {
        studio.apply(Command::Select(Selection::Region(region)));
    }
    tool(&mut studio, ToolCommand::Begin);
    for part in half.chunks(50) {
        tool(&mut studio, mark(part, Marking::Add));
    }
    tool(&mut studio, ToolCommand::End);
    settle(&mut studio);
    check_picked(&studio, skin.len(), 1);
    assert!(!studio.tool_panel().makes_regions);
    // A stroke that is given up picks nothing.
    tool(&mut studio, ToolCommand::Begin);
    tool(&mut studio, mark(&skin, Marking::Take));
    tool(&mut studio, ToolCommand::Abort);
    check_picked(&studio, skin.len(), 1);
    hair(&mut studio, HairCommand::Pick(HairPick::Shrink));
    let topology = &studio.evaluated().unwrap().detection.topology;
    // The ends of a tube may be open: they are no border.
    let shrunk = tailbone::geometry::selection::shrunk(topology, &skin, 1);
    check_picked(&studio, shrunk.len(), usize::from(!shrunk.is_empty()));
    tool(&mut studio, mark(half, Marking::Replace));
    hair(&mut studio, HairCommand::Pick(HairPick::Grow));
    assert!(studio.tool_panel().n_marked > half.len());
    // Elsewhere marks are of other use; back here they are picked again.
    studio.apply(Command::Workspace(Workspace::Rig));
    assert!(studio.tool_panel().makes_regions);
    assert_eq!((studio.hair_panel().n_proposed, paths(&studio).len()), (0, 0));
    studio.apply(Command::Workspace(Workspace::Hair));
    assert_eq!((studio.hair_panel().n_proposed, paths(&studio).len()), (1, 1));
    tool(&mut studio, ToolCommand::Escape);
    check_picked(&studio, 0, 0);
}

#[test]
fn each_piece_becomes_a_strand_and_all_of_them_are_one_step() {
    let mut studio = hair_of("layered");
    let fringe = skin_of(&studio, |name, _| name == "Fringe");
    let topology = &studio.evaluated().unwrap().detection.topology;
    let n = pieces_of(topology, &fringe).len();
    assert!(n > 1, "a fringe of {n} pieces");
    click(&mut studio, PickBy::Mesh, fringe[0], Marking::Replace);
    check_picked(&studio, fringe.len(), 1);
    hair(&mut studio, HairCommand::EachPiece(true));
    check_picked(&studio, fringe.len(), n);
    let before = studio.hair_panel().strands;
    hair(&mut studio, HairCommand::Fit);
    assert_eq!(n_picked(&studio), n);
    assert_eq!(studio.undo_redo().0, Some(format!("fit {n} strands").as_str()));
    assert_eq!((studio.tool_panel().n_marked, paths(&studio).len()), (0, 0));
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(studio.hair_panel().strands, before);
    studio.apply(Command::Redo);
    settle(&mut studio);
    assert_eq!(n_picked(&studio), n);
    assert_eq!(done_again(&studio).edits(), studio.edits());
}

#[test]
fn roots_say_where_strands_begin_and_part_what_is_of_one_piece() {
    let mut studio = hair_of("ponytail");
    let topology = &studio.evaluated().unwrap().detection.topology;
    let skin = pieces_of(topology, &skin_of(&studio, |name, _| name == "Ponytail")).remove(0);
    let height = |studio: &Studio, v: &SurfaceVertex| {
        studio.evaluated().unwrap().detection.surface.positions[v.index()].y
    };
    let by_height =
        |a: &&SurfaceVertex, b: &&SurfaceVertex| height(&studio, a).total_cmp(&height(&studio, b));
    let (tip, top) =
        (*skin.iter().min_by(by_height).unwrap(), *skin.iter().max_by(by_height).unwrap());
    // With nothing picked, a root picks its piece and is the strand's beginning, though it lies far from the head.
    click(&mut studio, PickBy::Root, tip, Marking::Replace);
    check_picked(&studio, skin.len(), 1);
    let at = |studio: &Studio, v: SurfaceVertex| -> Vec3 {
        let scene = studio.scene();
        posed_vertex(&scene.character, &scene.world, v).unwrap()
    };
    let begins_at = |studio: &Studio, v: SurfaceVertex| {
        let points = &paths(studio)[0].points;
        let far = |p: Option<&Vec3>| p.unwrap().distance(at(studio, v));
        far(points.first()) < far(points.last())
    };
    assert!(begins_at(&studio, tip));
    click(&mut studio, PickBy::Root, top, Marking::Replace);
    check_picked(&studio, skin.len(), 1);
    assert!(begins_at(&studio, top));
    // A second root parts the skin by the way along it.
    click(&mut studio, PickBy::Root, tip, Marking::Add);
    check_picked(&studio, skin.len(), 2);
    assert!(studio.hair_panel().proposals[1].starts_with("2: from "));
    assert!(studio.hair_panel().picked.ends_with(", 2 roots"));
    // Taken away, by a click near it, it does so no more.
    click(&mut studio, PickBy::Root, tip, Marking::Take);
    check_picked(&studio, skin.len(), 1);
    click(&mut studio, PickBy::Root, tip, Marking::Add);
    hair(&mut studio, HairCommand::Fit);
    assert_eq!(n_picked(&studio), 2);
    assert_eq!(studio.undo_redo().0, Some("fit 2 strands"));
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(n_picked(&studio), 0);
}

#[test]
fn a_strand_hangs_from_the_joint_that_was_chosen() {
    let mut studio = hair_of("ponytail");
    click_mesh(&mut studio, "Ponytail");
    let neck = studio.evaluated().unwrap().rigged.humanoid.node(Role::Neck).unwrap();
    let panel = studio.hair_panel();
    let (_, name) = panel.attachments.iter().find(|(node, _)| *node == neck).unwrap();
    hair(&mut studio, HairCommand::Attach(Some(neck)));
    assert!(studio.hair_panel().proposals[0].starts_with(&format!("from {name}, ")));
    hair(&mut studio, HairCommand::Fit);
    let chains = &studio.evaluated().unwrap().rigged.chains;
    let fitted = chains.iter().find(|c| matches!(c.origin, ChainOrigin::Strand(_))).unwrap();
    assert_eq!(fitted.anchor, neck);
}

#[test]
fn outlines_are_switched_for_all_skin_and_for_hair_alone() {
    let mut studio = hair_of("layered");
    let bare = |studio: &Studio| studio.scene().without_outline.len();
    assert_eq!((studio.hair_panel().outlines, bare(&studio)), (Some([true; 2]), 0));
    studio.apply(Command::Toggle(Overlay::HairOutlines));
    let hair = bare(&studio);
    assert_eq!(hair, 3, "long hair, fringe and what lies close to the head");
    studio.apply(Command::Toggle(Overlay::Outlines));
    assert!(bare(&studio) > hair);
    assert_eq!(studio.hair_panel().outlines, Some([false; 2]));
    assert!(studio.steps().0.is_empty(), "how it looks is no decision");
    for overlay in [Overlay::Outlines, Overlay::HairOutlines] {
        studio.apply(Command::Toggle(overlay));
    }
    assert_eq!(bare(&studio), 0);
}
