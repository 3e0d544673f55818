//! The application without a screen: commands in, state out.
#![allow(clippy::unwrap_used, reason = "tests stop where something is missing")]

mod chains;
mod colliders;
#[path = "../common/mod.rs"]
mod common;
mod hair;
mod libraries;
mod making;
mod names;
mod posing;
mod random;
mod sweeping;
mod tools;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::tailed::tailed_file;
use tailbone::model::{RegionId, RegionKind, SpringSettings, Verdict};
use tailbone::studio::scene::Paint;
use tailbone::studio::{
    Answer, Changes, Command, Edit, FileCommand, NoticeKind, Overlay, PlayCommand, PresetRow,
    Script, Selection, Shade, Studio, Way, Workspace, no_wake, replay,
};
use tailbone::work::Work;

/// Polls until nothing is at work; all changes that came.
fn settle(studio: &mut Studio) -> Changes {
    let start = Instant::now();
    let mut changes = studio.poll();
    while studio.is_working() {
        assert!(start.elapsed() < Duration::from_secs(120), "the work never ended");
        std::thread::yield_now();
        changes = changes.and(studio.poll());
    }
    changes
}

fn opened(file: &Path) -> Studio {
    let mut studio = Studio::new(no_wake());
    studio.apply(Command::Open(file.display().to_string()));
    let changes = settle(&mut studio);
    assert!(changes.has(Changes::FRAMING), "{:?}", studio.notices());
    studio
}

fn tail_of(studio: &Studio) -> RegionId {
    let regions = &studio.evaluated().unwrap().detection.regions;
    regions.iter().find(|r| r.kind == RegionKind::Tail).unwrap().id
}

#[test]
fn a_file_opens_on_its_tail_in_motion_and_every_panel_knows_it() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let tail = tail_of(&studio);
    assert_eq!(studio.selection(), Selection::Region(tail));
    assert!(studio.is_playing());
    let panel = studio.region_panel().unwrap();
    assert_eq!((panel.verdict, panel.chosen), (Verdict::Chain, None));
    assert!(panel.n_joints.unwrap() >= 3);
    assert!(panel.bars.iter().any(|bar| bar.name == "Slenderness" && bar.passes()));
    let outliner = studio.outliner();
    assert!(outliner.chains.iter().any(|chain| chain.is_driven && !chain.is_existing));
    assert_eq!(outliner.joints.iter().filter(|j| j.is_new).count(), panel.n_joints.unwrap() + 1);
    assert!(studio.spring_panel().unwrap().why_still.is_none());
    let before = studio.scene().world.clone();
    assert!(studio.tick(0.05).has(Changes::SCENE));
    assert_ne!(studio.scene().world, before, "time moves the pose");
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_open_one_and_says_why() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let before = studio.outliner();
    studio.apply(Command::Open("no/such/file.glb".into()));
    settle(&mut studio);
    assert_eq!(studio.outliner(), before);
    let notice = studio.notices().last().unwrap();
    assert_eq!(notice.kind, NoticeKind::Error);
    assert!(notice.text.contains("no/such/file.glb"), "{}", notice.text);
    let id = notice.id;
    studio.apply(Command::Dismiss(id));
    assert!(studio.notices().iter().all(|n| n.id != id));
}

#[test]
fn a_verdict_rebuilds_the_rig_and_undo_brings_it_back() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let region = tail_of(&studio);
    let with_chain = studio.outliner();
    let verdict = Some(Verdict::Rigid);
    studio.apply(Command::Edit(Edit::Treatment { region, verdict }));
    settle(&mut studio);
    assert_eq!(studio.region_panel().unwrap().verdict, Verdict::Rigid);
    assert!(studio.outliner().chains.iter().all(|chain| chain.is_existing));
    assert!(studio.spring_panel().is_none());
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(studio.outliner(), with_chain);
    studio.apply(Command::Redo);
    settle(&mut studio);
    assert_eq!(studio.region_panel().unwrap().chosen, verdict);
}

#[test]
fn a_slider_tunes_the_chain_while_it_swings_and_is_one_step() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    studio.tick(0.09);
    let region = studio.spring_panel().unwrap().of.region().unwrap();
    let start = studio.edits().clone();
    let secs = studio.transport().secs;
    let character = studio.scene().character.clone();
    studio.apply(Command::Begin("tune frequency".into()));
    for hz in [1.0, 1.5, 2.0] {
        let mut settings = SpringSettings::default();
        settings.frequency_hz.root = hz;
        studio.apply(Command::Edit(Edit::Springs { region, settings: Some(settings) }));
        assert!(!studio.is_working(), "springs need no worker");
    }
    studio.apply(Command::Commit);
    assert_eq!(studio.spring_panel().unwrap().settings.frequency_hz.root, 2.0);
    assert_eq!(studio.transport().secs, secs, "no slider resets the motion");
    assert!(std::sync::Arc::ptr_eq(&character, &studio.scene().character), "no mesh is sent anew");
    assert_eq!(studio.undo_redo().0, Some("tune frequency"));
    studio.apply(Command::Undo);
    assert_eq!(*studio.edits(), start);
}

#[test]
fn stretch_of_region_and_body_is_plotted_once_a_worker_has_made_its_edges_ready() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let start = Instant::now();
    while studio.spring_panel().unwrap().trace.stretch[0].len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing was plotted");
        studio.tick(0.05);
        studio.poll();
        std::thread::yield_now();
    }
    let [region, body] = studio.trace_lines().stretch;
    assert_eq!(region.len(), body.len());
    assert!(region.iter().chain(&body).all(|[secs, times]| *secs <= 0.0 && *times > 0.5));
    studio.apply(Command::Select(Selection::None));
    studio.tick(0.05);
    assert!(studio.trace_lines().stretch[0].is_empty(), "nothing is tuned");
}

#[test]
fn a_region_that_is_spread_says_what_each_bone_has_of_it_and_shows_its_weights() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    assert!(studio.region_panel().unwrap().shares.is_empty(), "a chain has bones of its own");
    let (region, verdict) = (tail_of(&studio), Some(Verdict::Spread));
    studio.apply(Command::Edit(Edit::Treatment { region, verdict }));
    settle(&mut studio);
    let shares = studio.region_panel().unwrap().shares;
    let sum: f32 = shares.iter().map(|row| row.share).sum();
    assert!((0.9..=1.001).contains(&sum), "{shares:?}");
    assert!(shares.is_sorted_by(|a, b| a.share >= b.share), "{shares:?}");
    let last = shares.last().unwrap();
    studio.apply(Command::ShowWeights(last.node));
    assert_eq!(studio.shade(), Shade::Weights);
    assert!(matches!(studio.selection(), Selection::Region(_)), "its inspector stays");
    assert_eq!(studio.legend().unwrap().note, format!("of {}", last.name));
    assert!(studio.region_panel().unwrap().shares.last().unwrap().is_shown);
    studio.apply(Command::ShowWeights(last.node));
    assert_eq!(studio.shade(), Shade::Lit);
}

#[test]
fn the_viewport_splits_in_any_workspace_and_is_whole_again() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let compares = |studio: &mut Studio, workspace| {
        studio.apply(Command::Workspace(workspace));
        studio.compares()
    };
    assert!(compares(&mut studio, Workspace::Compare) && !compares(&mut studio, Workspace::Rig));
    studio.apply(Command::ToggleSplit);
    for workspace in [Workspace::Rig, Workspace::Motion, Workspace::Export] {
        assert!(compares(&mut studio, workspace), "{workspace:?}");
    }
    assert!(!compares(&mut studio, Workspace::Hair), "it has panes of its own");
    studio.apply(Command::ToggleSplit);
    assert!(!compares(&mut studio, Workspace::Rig));
}

#[test]
fn a_click_has_the_character_walk_also_from_a_pause() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    studio.apply(Command::Play(PlayCommand::Clip(None)));
    settle(&mut studio);
    if studio.is_playing() {
        studio.apply(Command::Play(PlayCommand::Toggle));
    }
    assert_eq!(studio.transport().clip, None);
    studio.apply(Command::Play(PlayCommand::Walk));
    settle(&mut studio);
    let transport = studio.transport();
    assert_eq!((transport.clip, transport.is_playing), (Some(0), true), "its own walk");
}

#[test]
fn springs_are_kept_as_a_preset_of_the_user_s_that_is_there_at_the_next_start() {
    let folder = common::Folder::new();
    let (file, state) = (tailed_file(folder.path()), folder.path().join("state"));
    let mut studio = opened(&file);
    assert!(!studio.spring_panel().unwrap().can_save, "there is no place for it");
    studio.keep_in(&state);
    let of = studio.spring_panel().unwrap().of;
    let own = SpringSettings { gravity: 3.0, ..SpringSettings::default() };
    studio.apply(Command::Edit(of.tuned(Some(own))));
    let save = |name: &str| Command::SavePreset { of: of.clone(), name: name.into() };
    studio.apply(save("Fox"));
    assert!(studio.notices().last().unwrap().text.contains("choose another name"));
    studio.apply(save("my tail"));
    let row = PresetRow { name: "my tail".into(), is_own: true };
    assert_eq!(studio.spring_panel().unwrap().presets.last(), Some(&row));

    let mut again = opened(&file);
    again.keep_in(&state);
    again.apply(Command::ApplyPreset { of, name: row.name.clone() });
    assert_eq!(again.spring_panel().unwrap().settings, own);
    again.apply(Command::RemovePreset(row.name.clone()));
    assert!(!again.spring_panel().unwrap().presets.contains(&row));
    assert_eq!(again.spring_panel().unwrap().settings, own, "what was tuned by it stays");
    let offer = &again.notices().last().unwrap().actions[0].command;
    assert_eq!(*offer, Command::CopySprings(own), "its numbers are not lost");
    assert!(!state.join("presets/my tail.ron").exists());
}

#[test]
fn scrubbing_shows_the_closed_loop() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    studio.apply(Command::Play(PlayCommand::Scrub(0.0)));
    let first = studio.scene().world.clone();
    assert!(!studio.is_playing() && studio.transport().is_still);
    let duration = studio.transport().duration_secs.unwrap();
    studio.apply(Command::Play(PlayCommand::Scrub(duration)));
    let last = studio.scene().world.clone();
    for (a, b) in first.world_from_node.iter().zip(&last.world_from_node) {
        assert!(a.translation.distance(b.translation) < 2e-3, "the loop closes");
    }
    studio.apply(Command::Play(PlayCommand::Step(-1)));
    assert!((studio.transport().secs - (duration - 1.0 / 30.0)).abs() < 1e-6);
}

#[test]
fn a_part_of_the_clip_plays_round_and_round_from_the_closed_loop() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    studio.apply(Command::Play(PlayCommand::Range(Some([0.5, 0.9]))));
    assert!(studio.is_playing() && studio.transport().is_still);
    for _ in 0..40 {
        studio.tick(0.05);
        let secs = studio.transport().secs;
        assert!((0.5..0.9).contains(&secs), "{secs}");
    }
    studio.apply(Command::Play(PlayCommand::Range(Some([0.5, 0.5]))));
    assert_eq!(studio.transport().range_secs, None, "less than a frame is none");
    assert!(!studio.transport().is_still, "all of it plays live again");
}

#[test]
fn a_heat_is_worked_out_once_and_stretch_with_every_pose() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let heat = |studio: &Studio| match &*studio.scene().paint {
        Paint::Heat(heat) => heat.clone(),
        other => panic!("no heat but {other:?}"),
    };
    for shade in [Shade::Weights, Shade::SkeletonDistance, Shade::DrivenFrom] {
        studio.apply(Command::Shade(shade));
        let n = studio.scene().character.surface_offsets().last().copied().unwrap() as usize;
        assert_eq!(heat(&studio).values.len(), n, "{shade:?}");
        assert!(studio.legend().is_some());
        let before = studio.scene().paint.clone();
        studio.apply(Command::Toggle(Overlay::Joints));
        studio.apply(Command::Play(PlayCommand::Step(1)));
        assert!(Arc::ptr_eq(&before, &studio.scene().paint), "{shade:?} is not worked out again");
    }
    studio.apply(Command::Shade(Shade::Stretch));
    studio.apply(Command::Play(PlayCommand::Scrub(0.1)));
    let first = heat(&studio);
    studio.apply(Command::Toggle(Overlay::PeakHold));
    studio.apply(Command::Play(PlayCommand::Scrub(0.5)));
    let peak = heat(&studio);
    studio.apply(Command::Toggle(Overlay::PeakHold));
    let second = heat(&studio);
    assert_ne!(first.values, second.values);
    assert!(peak.values.iter().zip(&second.values).all(|(peak, now)| peak >= now));
    studio.apply(Command::Shade(Shade::Lit));
    assert!(studio.legend().is_none());
    assert!(!matches!(&*studio.scene().paint, Paint::Heat(_)));
}

#[test]
fn driven_from_shows_what_the_chain_mends() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    studio.apply(Command::Shade(Shade::DrivenFrom));
    studio.apply(Command::Workspace(Workspace::Compare));
    // Measuring is quiet work: nothing waits for it but this.
    let start = Instant::now();
    while studio.panes().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing was measured");
        studio.poll();
        std::thread::yield_now();
    }
    let detection = studio.evaluated().unwrap().detection.clone();
    let tail = detection.regions.iter().find(|r| r.verdict == Verdict::Chain).unwrap();
    let panes = studio.panes();
    let mean = |way: Way| {
        let pane = panes.iter().find(|p| p.way == way).unwrap();
        let Paint::Heat(heat) = &*pane.scene.paint else { panic!("{way:?} shows no number") };
        let sum: f32 = tail.vertices.iter().map(|v| heat.values[v.index()]).sum();
        sum / tail.vertices.len() as f32
    };
    let (raw, chain) = (mean(Way::Raw), mean(Way::Chain));
    assert!(chain < raw * 0.7, "as loaded {raw} m, with a chain {chain} m");
}

/// A studio that has done what another's script says, after that was written and read.
fn done_again(studio: &Studio) -> Studio {
    let script = Script::read(&studio.script().unwrap().write()).unwrap();
    let mut again = Studio::new(no_wake());
    for command in script.commands {
        again.apply(command);
        settle(&mut again);
    }
    again
}

#[test]
fn a_decision_that_moves_joints_leaves_the_clip_at_its_moment_and_in_its_part() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let region = tail_of(&studio);
    studio.apply(Command::Play(PlayCommand::Scrub(0.4)));
    studio.apply(Command::Edit(Edit::Joints { region, joints: Some(4) }));
    settle(&mut studio);
    assert_eq!(studio.transport().secs, 0.4);
    studio.apply(Command::Play(PlayCommand::Range(Some([0.3, 0.6]))));
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(studio.transport().range_secs, Some([0.3, 0.6]));
}

#[test]
fn what_was_done_is_a_script_that_does_it_again() {
    let folder = common::Folder::new();
    let file = tailed_file(folder.path());
    let mut studio = opened(&file);
    let tail = tail_of(&studio);
    let springs = |carry_rad| SpringSettings { carry_rad, ..SpringSettings::default() };
    let edit = |settings| Edit::Springs { region: tail, settings: Some(settings) };
    studio.apply(Command::Select(Selection::None));
    studio.apply(Command::Begin("carry".into()));
    for step in 1..20 {
        studio.apply(Command::Edit(edit(springs(0.9 + 0.05 * step as f32))));
    }
    studio.apply(Command::Commit);
    let rigid = Edit::Treatment { region: tail, verdict: Some(Verdict::Rigid) };
    studio.apply(Command::Edit(rigid));
    studio.apply(Command::Undo);
    settle(&mut studio);
    let script = studio.script().unwrap();
    // Opened, begun, one place of the slider, committed, rigid, undone; what only shows is not in it.
    assert_eq!(script.commands.len(), 6, "{:?}", script.commands);
    assert_eq!(Script::read(&script.write()).unwrap(), *script);

    let path = folder.path().join("again.tailbone").display().to_string();
    let mut again = script.clone();
    again.commands.push(Command::File(FileCommand::SaveAs { path: path.clone(), replace: false }));
    replay(&again, &Work::default()).unwrap();
    studio.apply(Command::Open(path));
    studio.apply(Command::File(FileCommand::Answer(Answer::No)));
    let before = studio.edits().clone();
    settle(&mut studio);
    assert_eq!(*studio.edits(), before);
}
