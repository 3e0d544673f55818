//! The editor of mapping and retarget pose, without a screen.

use std::time::{Duration, Instant};

use glam::{Quat, Vec3};
use tailbone::math::{polar_rotation, rotation};
use tailbone::model::{NodeIndex, PoseBase, RetargetPose, Role};
use tailbone::studio::{
    Answer, Command, Edit, FileCommand, MapRow, PlayCommand, PosingCommand, RetargetPanel,
    Selection, ShelfHabits, ShelfQuery, Studio, WhoIs, Workspace,
};

use super::common::{self, tailed::moving_file, tailed::tailed_file};
use super::{done_again, opened, settle};

const ARM: Role = Role::LeftUpperArm;

/// The tailed character with the editor open, paused at a moment of a clip that is retargeted.
fn editing(folder: &common::Folder) -> Studio {
    let mut studio = opened(&tailed_file(folder.path()));
    studio.apply(Command::Posing(PosingCommand::Open));
    settle(&mut studio);
    studio.apply(Command::Play(PlayCommand::Scrub(0.3)));
    let arm = node(&studio, ARM);
    studio.apply(Command::Select(Selection::Joint(arm)));
    settle(&mut studio);
    studio
}

fn node(studio: &Studio, role: Role) -> NodeIndex {
    studio.evaluated().unwrap().detection.humanoid.node(role).unwrap()
}

fn panel(studio: &Studio) -> RetargetPanel {
    studio.retarget_panel().unwrap()
}

fn row(studio: &Studio, role: Role) -> MapRow {
    panel(studio).rows.into_iter().find(|row| row.role.role == role).unwrap()
}

/// World rotation of a role in what is shown.
fn shown(studio: &Studio, role: Role) -> Quat {
    polar_rotation(&studio.scene().world.matrix(node(studio, role)))
}

fn apart(a: Quat, b: Quat) -> f32 {
    rotation::angle_between(a, b).to_degrees()
}

/// How far a joint is from its bind pose in what is shown, degrees.
fn bent(studio: &Studio, joint: NodeIndex) -> f32 {
    let (world, evaluated) = (&studio.scene().world, studio.evaluated().unwrap());
    let above = world.matrix(evaluated.rigged.character.skeleton.parent(joint).unwrap());
    let local = polar_rotation(&above).conjugate() * polar_rotation(&world.matrix(joint));
    apart(local, evaluated.detection.bind.pose.local(joint).rotation)
}

fn turn(studio: &mut Studio, role: Role, degrees: Vec3) {
    let panel = panel(studio);
    studio.apply(Command::Edit(panel.edit(panel.pose().with_turn(role, degrees))));
    settle(studio);
}

#[test]
fn the_editor_opens_with_a_clip_of_the_library_beside_the_character() {
    let folder = common::Folder::new();
    let studio = editing(&folder);
    assert_eq!(studio.workspace(), Workspace::Motion);
    assert!(studio.is_posing());
    let panel = panel(&studio);
    assert_eq!(panel.beside.as_deref(), Some("Walk"));
    assert_eq!(panel.selected, Some(ARM));
    let arm = row(&studio, ARM);
    assert!(
        arm.is_mapped && !arm.is_turned && arm.source.as_ref().unwrap().bone.is_some(),
        "{arm:?}"
    );
    assert!(arm.angle_deg.unwrap() < 0.1, "{arm:?}");
    let [source, own] = studio.pose_panes().unwrap();
    assert!(source.scene.bones.len() > 40, "the canonical skeleton");
    let heights = |bones: &[tailbone::studio::scene::BoneMark]| {
        bones.iter().map(|b| b.head.y.max(b.tail.y)).fold(f32::MIN, f32::max)
    };
    let (a, b) = (heights(&source.scene.bones), heights(&own.scene.bones));
    assert!(a < 1.6 * b && b < 1.6 * a, "one is as large as the other: {a}, {b}");
}

#[test]
fn ten_degrees_are_ten_degrees_in_the_clip_at_the_same_moment_and_undo_takes_them_back() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    let (start, edits) = (shown(&studio, ARM), studio.edits().clone());
    let secs = studio.transport().secs;
    let rigged = studio.evaluated().unwrap().rigged.clone();
    studio.apply(Command::Begin("turn".into()));
    for degrees in [3.0, 7.0, 10.0] {
        let panel = panel(&studio);
        let pose = panel.pose().with_turn(ARM, Vec3::Z * degrees);
        studio.apply(Command::Edit(panel.edit(pose)));
        studio.poll();
    }
    studio.apply(Command::Commit);
    settle(&mut studio);
    assert!(std::sync::Arc::ptr_eq(&rigged, &studio.evaluated().unwrap().rigged));
    assert_eq!(studio.transport().secs, secs, "the clip stays at its moment");
    let off = apart(start, shown(&studio, ARM));
    assert!((off - 10.0).abs() < 0.1, "{off}");
    let arm = row(&studio, ARM);
    assert!(arm.is_turned && (arm.angle_deg.unwrap() - 10.0).abs() < 0.1, "{arm:?}");
    assert_eq!(studio.undo_redo().0, Some("turn"), "the drag is one step");
    let again = done_again(&studio);
    assert_eq!(again.edits(), studio.edits(), "a script does the same");
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(*studio.edits(), edits);
    assert!(apart(start, shown(&studio, ARM)) < 0.01);
}

#[test]
fn pose_and_clip_are_shown_and_presets_move_the_pose() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    let arm = node(&studio, ARM);
    let hand = node(&studio, Role::LeftHand);
    let line = |studio: &Studio| {
        let [_, own] = studio.pose_panes().unwrap();
        let at = |n| own.scene.world.matrix(n).translation;
        Vec3::from(at(hand) - at(arm)).normalize()
    };
    assert!(line(&studio).y.abs() < 0.02, "computed: arms to the sides, {}", line(&studio));
    let base = |studio: &mut Studio, base| {
        let pose = RetargetPose { base, ..RetargetPose::default() };
        let edit = panel(studio).edit(pose);
        studio.apply(Command::Edit(edit));
        settle(studio);
    };
    base(&mut studio, PoseBase::APose);
    assert!((line(&studio).y + 0.5_f32.sqrt()).abs() < 0.02, "{}", line(&studio));
    base(&mut studio, PoseBase::Computed);
    assert!(studio.edits().characters.is_empty(), "the computed pose is no decision");
    studio.apply(Command::Posing(PosingCommand::ShowClip(true)));
    let [source, own] = studio.pose_panes().unwrap();
    assert_eq!(own.scene.world, studio.scene().world);
    let before = source.scene.bones;
    studio.apply(Command::Play(PlayCommand::Scrub(0.6)));
    assert_ne!(studio.pose_panes().unwrap()[0].scene.bones, before, "the source plays along");
    studio.apply(Command::Posing(PosingCommand::Close));
    assert!(!studio.is_posing() && studio.retarget_panel().is_none());
    assert!(studio.pose_panes().is_none());
}

#[test]
fn a_ring_turns_the_bone_as_it_is_seen_below_another_that_was_turned() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    turn(&mut studio, ARM, Vec3::new(20.0, 35.0, -40.0));
    let lower = node(&studio, Role::LeftLowerArm);
    studio.apply(Command::Select(Selection::Joint(lower)));
    let stands = |studio: &Studio| {
        polar_rotation(&studio.pose_panes().unwrap()[1].scene.world.matrix(lower))
    };
    let before = stands(&studio);
    assert!(studio.turned_at().is_some());
    let axis = Vec3::new(0.6, 0.8, 0.0);
    for _ in 0..2 {
        studio.apply(Command::Posing(PosingCommand::Turn { axis, by_rad: 0.15 }));
        settle(&mut studio);
    }
    let wanted = Quat::from_axis_angle(axis, 0.3) * before;
    assert!(apart(stands(&studio), wanted) < 0.01);
    let numbers = studio.edits().clone();
    studio.apply(Command::Posing(PosingCommand::Turn { axis: Vec3::ZERO, by_rad: 1.0 }));
    studio.apply(Command::Posing(PosingCommand::Turn { axis, by_rad: f32::NAN }));
    assert_eq!(*studio.edits(), numbers);
    studio.apply(Command::Posing(PosingCommand::ShowClip(true)));
    assert_eq!(studio.turned_at(), None, "in the clip there is nothing to hold");
}

#[test]
fn a_bone_taken_from_the_mapping_no_longer_moves_with_the_clip() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    let role = Role::LeftLowerArm;
    let lower = node(&studio, role);
    studio.apply(Command::Edit(Edit::Role { role, who: WhoIs::Nobody }));
    settle(&mut studio);
    let gone = row(&studio, role);
    assert!(!gone.is_mapped && gone.role.by_user && gone.why.contains("You chose"), "{gone:?}");
    assert!(bent(&studio, lower) < 0.1, "it rests in its bind pose");
}

/// Adds a file of the user's that moves its hips under these names.
fn add_moves(studio: &mut Studio, folder: &common::Folder, names: &[&str]) {
    let file = moving_file(folder.path(), "moves.glb", names);
    studio.apply(Command::AddLibrary(file.display().to_string()));
    settle(studio);
}

/// Plays a clip, found by its title.
fn play(studio: &mut Studio, title: &str) {
    let place = studio.transport().clips.iter().position(|name| name == title).unwrap();
    studio.apply(Command::Play(PlayCommand::Clip(Some(place))));
    settle(studio);
}

fn say(studio: &mut Studio, role: Role, who: WhoIs) {
    studio.apply(Command::Posing(PosingCommand::SourceRole { role, who }));
    settle(studio);
}

#[test]
fn roles_on_the_skeleton_of_a_clips_file_are_given_out_by_hand() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    assert!(panel(&studio).source_bones.is_empty(), "a bundled clip's are known");
    add_moves(&mut studio, &folder, &["Zigzag"]);
    play(&mut studio, "Zigzag");
    assert_eq!(panel(&studio).file.as_deref(), Some("moves.glb"));
    let head = row(&studio, Role::Head).source.unwrap();
    let (node, name) = head.bone.unwrap();
    assert!(!head.by_user && panel(&studio).source_bones.contains(&(node, name.clone())));
    say(&mut studio, Role::Head, WhoIs::Nobody);
    let gone = row(&studio, Role::Head);
    let source = gone.source.unwrap();
    assert!(source.by_user && source.bone.is_none() && !gone.is_mapped);
    assert!(gone.why.contains("You chose no bone of the clip"), "{}", gone.why);
    assert_eq!(studio.undo_redo().0, Some("choose a bone of a clip"));
    assert_eq!(done_again(&studio).edits(), studio.edits(), "a script does the same");
    say(&mut studio, Role::Neck, WhoIs::Joint(node));
    assert_eq!(row(&studio, Role::Neck).source.unwrap().bone.unwrap().1, name);
    let decided = studio.edits().character(0).retarget;
    // A profile carries it to the next character, and says it in words.
    let path = folder.path().join("moves.map.ron").display().to_string();
    studio.apply(Command::File(FileCommand::SaveMap { path: path.clone(), replace: false }));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("source_roles") && text.contains("moves.glb"), "{text}");
    say(&mut studio, Role::Neck, WhoIs::Auto);
    say(&mut studio, Role::Head, WhoIs::Auto);
    assert!(studio.edits().characters.is_empty(), "as it is found is no decision");
    studio.apply(Command::File(FileCommand::LoadMap { path }));
    settle(&mut studio);
    assert_eq!(studio.edits().character(0).retarget, decided);
}

#[test]
fn neither_a_profile_nor_a_script_replaces_the_characters_file() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    let path = folder.path().join("tailed.glb").display().to_string();
    let before = std::fs::read(&path).unwrap();
    for save in [
        FileCommand::SaveMap { path: path.clone(), replace: true },
        FileCommand::SaveScript { path: path.clone(), replace: true },
        FileCommand::SaveScript { path: path.clone(), replace: false },
    ] {
        studio.apply(Command::File(save));
        settle(&mut studio);
        assert!(studio.question().is_none(), "there is nothing to agree to");
        let said = studio.notices().last().unwrap().text.clone();
        assert!(said.contains("this is the input"), "{said}");
        assert!(std::fs::read(&path).unwrap() == before, "the character's file has changed");
    }
}

#[test]
fn a_clip_whose_skeleton_nobody_is_known_on_is_mapped_and_then_plays() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    add_moves(&mut studio, &folder, &["Zigzag", "Zagzig"]);
    play(&mut studio, "Zigzag");
    say(&mut studio, Role::Hips, WhoIs::Nobody);
    let fault = panel(&studio).fault.unwrap();
    assert!(fault.contains("hips"), "{fault}");
    assert_eq!(panel(&studio).beside.as_deref(), Some("Zigzag"), "it stands there to be mapped");
    let bones = studio.pose_panes().unwrap()[0].scene.bones.len();
    assert!(bones > 10, "{bones} bones are shown");
    assert_eq!(studio.turned_at(), None, "there is no pose to turn");
    // The other clip of the file is no better off; asked for, it takes the first one's place.
    play(&mut studio, "Zagzig");
    assert_eq!(panel(&studio).beside.as_deref(), Some("Zagzig"));
    let offers: Vec<_> = studio.notices().iter().flat_map(|n| &n.actions).collect();
    assert!(offers.iter().any(|o| o.command == Command::Posing(PosingCommand::Open)));
    say(&mut studio, Role::Hips, WhoIs::Auto);
    assert_eq!(panel(&studio).fault, None);
    let transport = studio.transport();
    assert_eq!(transport.clips[transport.clip.unwrap()], "Zagzig", "it plays");
}

#[test]
fn a_tile_says_why_its_clip_cannot_be_played_until_it_can() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    add_moves(&mut studio, &folder, &["Zigzag"]);
    play(&mut studio, "Zigzag");
    let refusal = |studio: &mut Studio| {
        let (query, favourites) = (ShelfQuery::default(), Default::default());
        let habits = ShelfHabits { favourites: &favourites, recent: &[] };
        let tiles = |studio: &Studio| studio.shelf(&query, habits).tiles;
        let place = tiles(studio).iter().position(|tile| tile.title == "Zigzag").unwrap();
        let in_sight = tiles(studio)[place].place;
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < Duration::from_secs(120), "the tile never came");
            studio.want_tiles(&[in_sight]);
            studio.poll();
            let refusal = tiles(studio).swap_remove(place).refusal;
            if refusal.is_some() || !studio.next_tiles(1).is_empty() {
                return refusal;
            }
            std::thread::yield_now();
        }
    };
    assert_eq!(refusal(&mut studio), None);
    say(&mut studio, Role::Hips, WhoIs::Nobody);
    let why = refusal(&mut studio).unwrap();
    assert!(why.contains("hips"), "{why}");
    say(&mut studio, Role::Hips, WhoIs::Auto);
    assert_eq!(refusal(&mut studio), None);
}

#[test]
fn what_plays_follows_the_mapping_also_while_another_clip_cannot_be_played() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    add_moves(&mut studio, &folder, &["Zigzag"]);
    play(&mut studio, "Zigzag");
    say(&mut studio, Role::Hips, WhoIs::Nobody);
    // The file has a walk of its own, which is not retargeted; the bundled one comes last.
    let walk = studio.transport().clips.iter().rposition(|title| title == "Walk");
    studio.apply(Command::Play(PlayCommand::Clip(walk)));
    settle(&mut studio);
    play(&mut studio, "Zigzag");
    assert_eq!(studio.transport().clip, walk, "it plays on");
    let role = Role::LeftLowerArm;
    let lower = node(&studio, role);
    assert!(bent(&studio, lower) > 1.0, "{}", bent(&studio, lower));
    studio.apply(Command::Edit(Edit::Role { role, who: WhoIs::Nobody }));
    settle(&mut studio);
    assert!(bent(&studio, lower) < 0.1, "{}", bent(&studio, lower));
    assert_eq!(studio.transport().clip, walk);
    assert_eq!(panel(&studio).beside.as_deref(), Some("Zigzag"), "it is still to be mapped");
}

#[test]
fn a_mapping_is_saved_asked_about_and_taken_as_one_step() {
    let folder = common::Folder::new();
    let mut studio = editing(&folder);
    let path = folder.path().join("tailed.map.ron").display().to_string();
    turn(&mut studio, ARM, Vec3::new(0.0, 0.0, 12.5));
    let role = Role::Neck;
    studio.apply(Command::Edit(Edit::Role { role, who: WhoIs::Nobody }));
    settle(&mut studio);
    let save = FileCommand::SaveMap { path: path.clone(), replace: false };
    studio.apply(Command::File(save.clone()));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("12.5") && text.contains("\"neck\": \"\""), "{text}");
    studio.apply(Command::File(save));
    assert!(studio.question().is_some(), "a file is not replaced unasked");
    studio.apply(Command::File(FileCommand::Answer(Answer::Cancel)));

    let decided = studio.edits().clone();
    while studio.undo_redo().0.is_some() {
        studio.apply(Command::Undo);
    }
    settle(&mut studio);
    studio.apply(Command::File(FileCommand::LoadMap { path: path.clone() }));
    settle(&mut studio);
    assert_eq!(studio.undo_redo().0, Some("load a mapping"));
    let (a, b) = (studio.edits().character(0), decided.character(0));
    assert_eq!(a.retarget, b.retarget);
    assert_eq!(a.roles[&role], None);
    assert!((row(&studio, ARM).angle_deg.unwrap() - 12.5).abs() < 0.1);
    std::fs::write(&path, "{\"head\": \"no such bone\"}").unwrap();
    studio.apply(Command::File(FileCommand::LoadMap { path }));
    assert!(studio.notices().last().unwrap().text.contains("no such bone"));
}
