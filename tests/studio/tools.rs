//! What hands do in the viewport, without a viewport: marks, regions, bones.

use glam::Vec3;
use tailbone::model::{NodeIndex, RegionId, RegionKind, Role, SurfaceVertex, Verdict};
use tailbone::studio::scene::Paint;
use tailbone::studio::{Command, Edit, Marking, Selection, Studio, Tool, ToolCommand, WhoIs};

use super::common::{self, tailed::tailed_file};
use super::{done_again, opened, settle, tail_of};

fn tool(studio: &mut Studio, command: ToolCommand) {
    studio.apply(Command::Tool(command));
    settle(studio);
}

fn skin_of(studio: &Studio, id: RegionId) -> Vec<SurfaceVertex> {
    let regions = &studio.evaluated().unwrap().detection.regions;
    regions.iter().find(|r| r.id == id).unwrap().vertices.clone()
}

fn selected(studio: &Studio) -> RegionId {
    match studio.selection() {
        Selection::Region(id) => id,
        other => panic!("{other:?} is selected"),
    }
}

/// The tail's skin, by rising distance from its collar's centre: root first.
fn root_to_tip(studio: &Studio) -> Vec<SurfaceVertex> {
    let evaluated = studio.evaluated().unwrap();
    let tail = evaluated.detection.regions.iter().find(|r| r.kind == RegionKind::Tail).unwrap();
    let place = |v: &SurfaceVertex| evaluated.detection.surface.positions[v.index()];
    let mut skin = tail.vertices.clone();
    let far = |v: &SurfaceVertex| place(v).distance(tail.collar_center);
    skin.sort_by(|a, b| far(a).total_cmp(&far(b)));
    skin
}

fn n_marked(studio: &Studio) -> usize {
    match &*studio.scene().paint {
        Paint::Regions(marks) => marks.iter().filter(|m| m.is_marked).count(),
        _ => 0,
    }
}

#[test]
fn marks_are_shown_and_become_a_region_in_one_step() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let start = studio.edits().clone();
    let skin = root_to_tip(&studio);
    let tip = skin[skin.len() / 2..].to_vec();
    tool(&mut studio, ToolCommand::Mark { vertices: tip.clone(), how: Marking::Replace });
    assert_eq!(n_marked(&studio), tip.len());
    tool(&mut studio, ToolCommand::Mark { vertices: tip[..10].to_vec(), how: Marking::Take });
    assert_eq!(studio.tool_panel().n_marked, tip.len() - 10);
    tool(&mut studio, ToolCommand::Mark { vertices: tip.clone(), how: Marking::Add });
    tool(&mut studio, ToolCommand::NewRegion);
    assert_eq!(n_marked(&studio), 0);
    let made = selected(&studio);
    assert!(studio.region_panel().unwrap().is_made);
    assert!(skin_of(&studio, made).len() >= tip.len(), "seams bring their copies along");
    assert_eq!(studio.undo_redo().0, Some("new region"));
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(*studio.edits(), start);
}

#[test]
fn a_stroke_takes_skin_out_of_the_region_and_its_treatment_stays() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let tail = tail_of(&studio);
    let verdict = Some(Verdict::Rigid);
    studio.apply(Command::Edit(Edit::Treatment { region: tail, verdict }));
    settle(&mut studio);
    let before = skin_of(&studio, tail).len();
    let skin = root_to_tip(&studio);
    let root = skin[..skin.len() / 6].to_vec();
    tool(&mut studio, ToolCommand::Use(Tool::Brush));
    tool(&mut studio, ToolCommand::Begin);
    for part in root.chunks(7) {
        tool(&mut studio, ToolCommand::Mark { vertices: part.to_vec(), how: Marking::Take });
    }
    tool(&mut studio, ToolCommand::End);
    let painted = selected(&studio);
    assert!(skin_of(&studio, painted).len() < before);
    assert_eq!(studio.region_panel().unwrap().chosen, verdict, "what was decided goes on");
    assert_eq!(studio.undo_redo().0, Some("paint a region"));
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(skin_of(&studio, selected(&studio)).len(), before);
    // A stroke that is given up decides nothing.
    tool(&mut studio, ToolCommand::Begin);
    tool(&mut studio, ToolCommand::Mark { vertices: root, how: Marking::Take });
    tool(&mut studio, ToolCommand::Abort);
    assert_eq!(studio.undo_redo().0, Some("change treatment"));
}

#[test]
fn strokes_are_faster_than_the_worker_and_none_is_lost() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let (tail, start) = (tail_of(&studio), studio.edits().clone());
    let skin = root_to_tip(&studio);
    let n = skin.len() / 8;
    let parts = [skin[..n].to_vec(), skin[n..2 * n].to_vec()];
    studio.apply(Command::Tool(ToolCommand::Use(Tool::Brush)));
    let stroke = |studio: &mut Studio, part: &[SurfaceVertex]| {
        let mark = ToolCommand::Mark { vertices: part.to_vec(), how: Marking::Take };
        for command in [ToolCommand::Begin, mark, ToolCommand::End] {
            studio.apply(Command::Tool(command));
        }
    };
    parts.iter().for_each(|part| stroke(&mut studio, part));
    // Ids are those of what is shown, which is behind: no other region may go in this one's place.
    studio.apply(Command::Edit(Edit::Unmake { region: tail }));
    assert!(studio.notices().last().unwrap().text.contains("try again in a moment"));
    settle(&mut studio);
    assert_eq!(studio.steps().0, ["paint a region"; 2]);
    let left = skin_of(&studio, selected(&studio));
    for part in &parts {
        let kept = part.iter().filter(|v| left.contains(v)).count();
        assert!(kept * 10 < part.len(), "{kept} of {}", part.len());
    }
    for _ in 0..2 {
        studio.apply(Command::Undo);
    }
    assert_eq!(*studio.edits(), start);
    settle(&mut studio);
    // A stroke that waits is what undo takes back first.
    parts.iter().for_each(|part| stroke(&mut studio, part));
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(studio.steps(), (vec!["paint a region"], 1));
}

#[test]
fn what_hands_did_to_regions_and_bones_is_in_the_script() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let skin = root_to_tip(&studio);
    let root = skin[..skin.len() / 6].to_vec();
    tool(&mut studio, ToolCommand::Use(Tool::Brush));
    tool(&mut studio, ToolCommand::Begin);
    tool(&mut studio, ToolCommand::Mark { vertices: root, how: Marking::Take });
    tool(&mut studio, ToolCommand::End);
    let tip = skin[skin.len() / 2..].to_vec();
    tool(&mut studio, ToolCommand::Mark { vertices: tip, how: Marking::Replace });
    tool(&mut studio, ToolCommand::SplitRegion);
    let part = selected(&studio);
    let regions: Vec<RegionId> = studio.outliner().regions.iter().map(|r| r.id).collect();
    let other = regions.into_iter().find(|&id| id != part).unwrap();
    studio.apply(Command::SelectAlso(other));
    let verdict = Some(Verdict::Rigid);
    studio.apply(Command::Edit(Edit::Treatment { region: part, verdict }));
    settle(&mut studio);
    studio.apply(Command::GoTo(1));
    settle(&mut studio);
    studio.apply(Command::Redo);
    settle(&mut studio);
    let again = done_again(&studio);
    assert_eq!(again.edits(), studio.edits());
    assert_eq!(again.steps(), studio.steps());
    assert_eq!(studio.steps().1, 2);
}

#[test]
fn a_region_is_cut_by_a_click_and_joined_again() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let n = studio.outliner().regions.len();
    let skin = root_to_tip(&studio);
    let whole = skin_of(&studio, tail_of(&studio)).len();
    tool(&mut studio, ToolCommand::Use(Tool::Cut));
    tool(&mut studio, ToolCommand::Pick(skin[skin.len() / 2]));
    assert_eq!(studio.outliner().regions.len(), n + 1);
    let part = selected(&studio);
    assert!(skin_of(&studio, part).len() < whole);
    let other = studio
        .outliner()
        .regions
        .iter()
        .map(|r| r.id)
        .find(|&id| id != part && skin_of(&studio, id).iter().any(|v| skin.contains(v)));
    studio.apply(Command::SelectAlso(other.unwrap()));
    assert_eq!(studio.tool_panel().n_regions, 2);
    tool(&mut studio, ToolCommand::MergeRegions);
    assert_eq!(studio.outliner().regions.len(), n);
    assert_eq!(studio.tool_panel().n_regions, 1, "what is one is selected once");
    assert_eq!(studio.region_panel().unwrap().n_others, 0);
    assert_eq!(skin_of(&studio, selected(&studio)).len(), whole);
}

#[test]
fn a_click_on_the_tip_finds_the_tail_and_giving_it_up_brings_the_found_one_back() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let before = studio.outliner().regions;
    let tip = *root_to_tip(&studio).last().unwrap();
    tool(&mut studio, ToolCommand::Use(Tool::Tip));
    tool(&mut studio, ToolCommand::Pick(tip));
    assert!(studio.region_panel().unwrap().is_made, "{:?}", studio.notices());
    tool(&mut studio, ToolCommand::UnmakeRegion);
    let names = |rows: &[tailbone::studio::RegionRow]| {
        rows.iter().map(|r| (r.name.clone(), r.by_user)).collect::<Vec<_>>()
    };
    assert_eq!(names(&studio.outliner().regions), names(&before));
}

#[test]
fn a_bone_that_is_moved_takes_its_weights_along_unless_they_are_locked() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let region = tail_of(&studio);
    let joints = |studio: &Studio| {
        let rigged = studio.evaluated().unwrap().rigged.clone();
        let chain = rigged.chains.iter().find(|c| c.is_driven).unwrap().clone();
        let places: Vec<Vec3> = chain.joints.iter().map(|&j| rigged.bind.position(j)).collect();
        (chain.joints, places)
    };
    let (nodes, before) = joints(&studio);
    let weights = |studio: &Studio| {
        let rigged = studio.evaluated().unwrap().rigged.clone();
        rigged.character.meshes.iter().filter_map(|m| m.influences.clone()).collect::<Vec<_>>()
    };
    let weighed = weights(&studio);
    studio.apply(Command::Select(Selection::Joint(nodes[1])));
    tool(&mut studio, ToolCommand::Use(Tool::Move));
    assert!(studio.gizmo_at().is_some());
    let towards = (before[2] - before[1]) * 0.25;
    studio.apply(Command::Begin("move a bone".into()));
    for _ in 0..2 {
        studio.apply(Command::Tool(ToolCommand::MoveJoint { by: towards }));
    }
    studio.apply(Command::Commit);
    settle(&mut studio);
    let (_, after) = joints(&studio);
    // The tail hangs in its rest pose of now, not of the bind pose: as far, turned with it.
    let moved = after[1].distance(before[1]);
    assert!((moved - 2.0 * towards.length()).abs() < 1e-4, "{moved}");
    assert!(after[0].distance(before[0]) < 1e-5 && after[2].distance(before[2]) < 1e-5);
    assert_ne!(weights(&studio), weighed);
    studio.apply(Command::Edit(Edit::LockWeights { region, locked: true }));
    settle(&mut studio);
    assert_eq!(weights(&studio), weighed, "locked weights are those of bones that did not move");
    studio.apply(Command::Undo);
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(joints(&studio).1, before, "the drag was one step");
}

#[test]
fn a_role_that_is_taken_away_is_a_problem_with_a_fix_and_undo_gives_it_back() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let head = |studio: &Studio| {
        let panel = studio.character_panel().unwrap();
        panel.roles.iter().find(|r| r.role == Role::Head).unwrap().clone()
    };
    let before = head(&studio);
    let n_problems = studio.outliner().problems.len();
    studio.apply(Command::Edit(Edit::Role { role: Role::Head, who: WhoIs::Nobody }));
    settle(&mut studio);
    assert!(head(&studio).bone.is_none() && head(&studio).by_user);
    let problems = studio.outliner().problems;
    assert_eq!(problems.len(), n_problems + 1);
    let row = problems.iter().find(|p| p.message.contains("head")).unwrap();
    assert_eq!(row.fix.1, Command::Select(Selection::None), "the picker of roles");
    let node = before.bone.clone().unwrap().0;
    studio.apply(Command::Edit(Edit::Role { role: Role::Head, who: WhoIs::Joint(node) }));
    settle(&mut studio);
    assert_eq!(head(&studio).bone, before.bone);
    studio.apply(Command::Undo);
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(head(&studio), before);
}

#[test]
fn what_is_decided_about_several_regions_is_one_step() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let regions: Vec<RegionId> = studio.outliner().regions.iter().map(|r| r.id).take(2).collect();
    assert_eq!(regions.len(), 2, "the character has a tail and more");
    studio.apply(Command::Select(Selection::Region(regions[0])));
    studio.apply(Command::SelectAlso(regions[1]));
    let verdict = Some(Verdict::Rigid);
    studio.apply(Command::Edit(Edit::Treatment { region: regions[0], verdict }));
    settle(&mut studio);
    let rigid = studio
        .outliner()
        .regions
        .iter()
        .filter(|r| r.verdict == Verdict::Rigid && r.by_user)
        .count();
    assert_eq!(rigid, 2);
    let (labels, n_done) = studio.steps();
    assert_eq!((labels, n_done), (vec!["change treatment"], 1));
    studio.apply(Command::GoTo(0));
    settle(&mut studio);
    assert!(studio.outliner().regions.iter().all(|r| !r.by_user));
    studio.apply(Command::GoTo(1));
    settle(&mut studio);
    assert_eq!(studio.steps().1, 1);
}

#[test]
fn a_chain_that_goes_leaves_its_region_selected() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let region = tail_of(&studio);
    let chain = studio.outliner().chains.iter().find(|c| c.is_driven).unwrap().index;
    studio.apply(Command::Select(Selection::Chain(chain)));
    studio.apply(Command::Edit(Edit::Treatment { region, verdict: Some(Verdict::Rigid) }));
    settle(&mut studio);
    assert_eq!(studio.selection(), Selection::Region(region));
}

#[test]
fn a_mesh_is_shown_alone_and_all_again() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let alone = studio.selected_mesh().unwrap();
    let n = studio.outliner().meshes.len();
    studio.apply(Command::Solo(alone));
    let shown = |studio: &Studio| studio.outliner().meshes.iter().filter(|m| m.is_shown).count();
    assert_eq!(shown(&studio), 1);
    studio.apply(Command::Solo(alone));
    assert_eq!(shown(&studio), n);
    studio.apply(Command::ToggleMesh(alone));
    assert_eq!(shown(&studio), n - 1);
    studio.apply(Command::ShowMeshes);
    assert_eq!(shown(&studio), n);
}

#[test]
fn escape_puts_away_one_thing_after_the_other() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    tool(&mut studio, ToolCommand::Use(Tool::Lasso));
    let vertices = (0..50).map(SurfaceVertex).collect();
    tool(&mut studio, ToolCommand::Mark { vertices, how: Marking::Replace });
    tool(&mut studio, ToolCommand::Escape);
    assert_eq!((studio.tool_panel().n_marked, studio.tool()), (0, Tool::Lasso));
    tool(&mut studio, ToolCommand::Escape);
    assert_eq!(studio.tool(), Tool::Select);
    tool(&mut studio, ToolCommand::Escape);
    assert_eq!(studio.selection(), Selection::None);
    studio.apply(Command::Select(Selection::Joint(NodeIndex(0))));
    assert!(studio.gizmo_at().is_none(), "bones of the body stand where the file has them");
}
