//! Exporting: clips chosen, written, looked back at; a fault or a cancel leaves nothing.

use std::path::Path;

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use tailbone::document;
use tailbone::studio::{
    Answer, CardState, Command, Contents, ExportCommand, ExportFiles, ExportSettings, NoticeKind,
    Question, Studio, Target, Workspace, words,
};
use tailbone::work::Work;

use super::common::{self, tailed::tailed_file};
use super::{answer, decide, file, open, opened, save_as, settle, wait, window};

fn export(studio: &mut Studio, command: ExportCommand) {
    studio.apply(Command::Export(command));
    settle(studio);
}

fn to(studio: &mut Studio, path: &Path) {
    export(studio, ExportCommand::Path(path.display().to_string()));
}

fn set(studio: &mut Studio, change: impl FnOnce(&mut ExportSettings)) {
    let mut settings = studio.export_panel().settings;
    change(&mut settings);
    export(studio, ExportCommand::Settings(settings));
}

fn choose(studio: &mut Studio, titles: &[&str]) {
    let panel = studio.export_panel();
    let is_wanted = |title: &str| titles.contains(&title);
    let places = panel.clips.iter().filter(|r| is_wanted(&r.title)).map(|r| r.place).collect();
    export(studio, ExportCommand::Choose(places));
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn chosen_clips_are_written_and_play_back_as_the_preview_showed_them() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let panel = studio.export_panel();
    assert_eq!(panel.n_chosen, 1, "the file's own clips are what is exported first");
    assert!(panel.path.ends_with("tailed-tailbone.glb"), "{}", panel.path);
    let out = common::written_dir().join("studio-export.glb");
    let _ = std::fs::remove_file(&out);
    to(&mut studio, &out);
    set(&mut studio, |s| s.report = true);
    export(&mut studio, ExportCommand::Run { replace: false });
    let panel = studio.export_panel();
    assert_eq!(panel.written, [out.display().to_string()], "{:?}", studio.notices());
    let [card] = &panel.cards[..] else { panic!("{:?}", panel.cards) };
    let CardState::Done(report) = &card.state else { panic!("{card:?}") };
    assert!(report.looping && report.closed && report.seam_deg <= 0.05, "{report:?}");
    let text = std::fs::read_to_string(out.with_extension("report.json")).unwrap();
    assert!(text.contains("warmup_passes"), "{text}");

    export(&mut studio, ExportCommand::Check);
    let panel = studio.export_panel();
    let (deg, m) = panel.cards[0].check.unwrap();
    println!("played back within {deg:.3}° and {} of the preview", words::length(m));
    // Between keys of 1/30 s a line stands for an arc.
    assert!(deg < 1.0 && m < 0.01, "{deg}° {m} m");
    assert!(panel.verdict.unwrap().starts_with("Played back with physics off"));
    assert_eq!(studio.workspace(), Workspace::Export);
    assert!(studio.exported_scene().is_some(), "what was written is shown");
    studio.apply(Command::Workspace(Workspace::Rig));
    assert!(studio.exported_scene().is_none(), "elsewhere the document is worked on");
    let written = document::open(out.to_str().unwrap(), &Work::default()).unwrap();
    assert_eq!(written.characters[0].clips.len(), 1);
    let _ = std::fs::remove_file(out.with_extension("report.json"));
}

#[test]
fn one_file_for_each_clip_is_named_by_its_clip() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    to(&mut studio, &out.join("any.glb"));
    choose(&mut studio, &["Walk", "Sprint", "Idle"]);
    let n = studio.export_panel().n_chosen;
    assert!(n >= 3, "the file's own walk and bundled ones");
    set(&mut studio, |s| {
        s.files = ExportFiles::PerClip;
        s.pattern = "{file}_{title}".into();
    });
    export(&mut studio, ExportCommand::Run { replace: false });
    let names = names_in(&out);
    assert_eq!(names.len(), n, "{names:?} {:?}", studio.notices());
    assert!(names.contains(&"tailed_Sprint.glb".to_owned()), "{names:?}");
    // Again: nothing is replaced without a question.
    export(&mut studio, ExportCommand::Run { replace: false });
    assert!(matches!(studio.question(), Some(Question::Replace { .. })));
    answer(&mut studio, Answer::Yes);
    assert_eq!(studio.export_panel().written.len(), n);
}

#[test]
fn a_cancelled_or_failed_export_leaves_nothing() {
    let folder = common::Folder::new();
    let path = tailed_file(folder.path());
    let before = std::fs::read(&path).unwrap();
    let mut studio = opened(&path);
    let everything = studio.export_panel().clips.iter().map(|r| r.place).collect();
    export(&mut studio, ExportCommand::Choose(everything));
    set(&mut studio, |s| s.files = ExportFiles::PerClip);
    studio.apply(Command::Export(ExportCommand::Run { replace: false }));
    let job = studio.export_panel().progress.unwrap().job;
    studio.apply(Command::Cancel(job));
    settle(&mut studio);
    assert_eq!(studio.export_panel().cards, []);

    // Over the input: refused, in words.
    set(&mut studio, |s| s.files = ExportFiles::One);
    choose(&mut studio, &["Walk"]);
    to(&mut studio, &path);
    export(&mut studio, ExportCommand::Run { replace: true });
    let notice = studio.notices().last().unwrap();
    assert!(notice.kind == NoticeKind::Error && notice.text.contains("input"), "{}", notice.text);
    to(&mut studio, &folder.path().join("no/folder/a.glb"));
    export(&mut studio, ExportCommand::Run { replace: true });
    assert!(studio.notices().last().unwrap().text.contains("folder"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(names_in(folder.path()), ["tailed.glb"]);
    to(&mut studio, Path::new("a.txt"));
    assert!(studio.export_panel().why_not.is_some());
}

#[test]
fn without_clips_the_rig_alone_is_written() {
    let folder = common::Folder::new();
    let path = tailed_file(folder.path());
    let mut studio = opened(&path);
    choose(&mut studio, &[]);
    for files in [ExportFiles::One, ExportFiles::PerClip] {
        set(&mut studio, |s| s.files = files);
        let out = folder.path().join(format!("{files:?}.glb"));
        to(&mut studio, &out);
        export(&mut studio, ExportCommand::Run { replace: false });
        let panel = studio.export_panel();
        assert_eq!(panel.written, [out.display().to_string()], "{:?}", studio.notices());
        assert!(panel.cards.is_empty());
        assert!(studio.notices().last().unwrap().actions.is_empty(), "there is nothing to play");
        let written = opened(&out).evaluated().unwrap().rigged.clone();
        let ours = studio.evaluated().unwrap().rigged.clone();
        assert_eq!(written.character.skeleton.len(), ours.character.skeleton.len());
        assert_eq!(written.chains.len(), ours.chains.len());
    }
}

#[test]
fn settings_and_sets_are_the_projects_and_a_target_brings_its_axes() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    choose(&mut studio, &["Sprint", "Idle"]);
    let chosen: Vec<bool> = studio.export_panel().clips.iter().map(|r| r.is_chosen).collect();
    export(&mut studio, ExportCommand::SaveSet(" Moves ".into()));
    assert!(studio.is_dirty(), "a set is worth saving");
    export(&mut studio, ExportCommand::Target(Target::Blender));
    let panel = studio.export_panel();
    assert_eq!((panel.axes, panel.influences), (Target::Blender.axes(), 8));
    assert_eq!(studio.undo_redo().0, Some("export for Blender"));
    export(&mut studio, ExportCommand::Target(Target::Godot));
    assert_eq!(studio.export_panel().settings.pattern, "{clip}{loop}");
    assert!(
        studio.export_panel().example.ends_with("-loop")
            || !studio.export_panel().example.is_empty()
    );
    let project = folder.path().join("a.tailbone");
    save_as(&mut studio, &project);
    assert!(!studio.is_dirty());

    let mut again = opened(&project);
    let panel = again.export_panel();
    assert_eq!(panel.sets, ["Moves"]);
    assert_eq!(panel.settings, studio.export_panel().settings);
    export(&mut again, ExportCommand::UseSet("Moves".into()));
    let found: Vec<bool> = again.export_panel().clips.iter().map(|r| r.is_chosen).collect();
    assert_eq!(found, chosen);
    export(&mut again, ExportCommand::DropSet("Moves".into()));
    assert!(again.is_dirty());
    file(&mut again, tailbone::studio::FileCommand::Save);
    open(&mut again, &project);
    assert_eq!(again.export_panel().sets, [] as [String; 0]);
}

#[test]
fn the_workspace_exports_by_labels_and_by_key() {
    let folder = common::Folder::new();
    let mut harness = window(&tailed_file(folder.path()));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::E);
    harness.run_steps(3);
    assert_eq!(harness.state().studio.workspace(), Workspace::Export);
    harness.get_by_label("None").click();
    harness.run_steps(2);
    // Clips only, and none of them, would be nothing.
    let clips_only = |harness: &mut egui_kittest::Harness<'_, tailbone::app::App>, contents| {
        let settings = harness.state().studio.export_panel().settings;
        let settings = ExportSettings { contents, ..settings };
        harness.state_mut().studio.apply(Command::Export(ExportCommand::Settings(settings)));
        harness.run_steps(2);
    };
    clips_only(&mut harness, Contents::ClipsOnly);
    harness.get_by_label("Choose at least one clip");
    clips_only(&mut harness, Contents::All);
    assert!(harness.query_by_label("Choose at least one clip").is_none());
    harness.get_by_label("All").click();
    harness.run_steps(2);
    harness.get_by_label("None").click();
    harness.run_steps(2);
    harness.get_all_by_label("Export Walk").next().unwrap().click();
    harness.run_steps(2);
    harness.get_by_label("For Unity").click();
    wait(&mut harness);
    let notes: Vec<_> = Target::Unity.notes().iter().map(|n| n.text).collect();
    notes.iter().for_each(|text| {
        harness.get_by_label(text);
    });
    harness.get_by_label("Export now").click();
    wait(&mut harness);
    assert!(
        folder.path().join("tailed-tailbone.glb").exists(),
        "{:?}",
        harness.state().studio.notices()
    );
    harness.get_by_label_contains("loops cleanly");
    harness.get_by_label("Play exported file").click();
    wait(&mut harness);
    harness.get_by_label_contains("Played back with physics off");
    let mut studio = opened(&folder.path().join("tailed-tailbone.glb"));
    decide(&mut studio);
}
