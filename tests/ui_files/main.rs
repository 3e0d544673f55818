//! Files of the user's: saving, relinking, reloading, unsaved work, what survives a crash, and exporting; with and without
//! the window.
#![cfg(feature = "app")]
#![allow(clippy::unwrap_used, reason = "tests stop where something is missing")]

#[path = "../common/mod.rs"]
mod common;

mod crashes;
mod export;
mod saving;
mod window;

use std::path::Path;
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use tailbone::app::{App, Launch};
use tailbone::model::{RegionId, RegionKind, Verdict};
use tailbone::studio::{Answer, Command, Edit, FileCommand, Studio, no_wake};

/// Polls until `is_so`.
fn until(studio: &mut Studio, mut is_so: impl FnMut(&Studio) -> bool) {
    let start = Instant::now();
    loop {
        studio.poll();
        if is_so(studio) {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "it never came: {:?}",
            studio.notices()
        );
        std::thread::yield_now();
    }
}

fn settle(studio: &mut Studio) {
    until(studio, |s| !s.is_working());
}

fn file(studio: &mut Studio, command: FileCommand) {
    studio.apply(Command::File(command));
    settle(studio);
}

fn open(studio: &mut Studio, path: &Path) {
    studio.apply(Command::Open(path.display().to_string()));
    settle(studio);
}

fn opened(path: &Path) -> Studio {
    let mut studio = Studio::new(no_wake());
    open(&mut studio, path);
    assert!(studio.evaluated().is_some(), "{:?}", studio.notices());
    studio
}

fn tail_of(studio: &Studio) -> RegionId {
    let regions = &studio.evaluated().unwrap().detection.regions;
    regions.iter().find(|r| r.kind == RegionKind::Tail).unwrap().id
}

/// Decides that the tail is rigid.
fn decide(studio: &mut Studio) {
    let region = tail_of(studio);
    let verdict = Some(Verdict::Rigid);
    studio.apply(Command::Edit(Edit::Treatment { region, verdict }));
    settle(studio);
}

fn verdict(studio: &Studio) -> Verdict {
    let tail = tail_of(studio);
    let regions = &studio.evaluated().unwrap().detection.regions;
    let region = regions.iter().find(|r| r.id == tail).unwrap();
    let by_region = &studio.evaluated().unwrap().settings.by_region;
    by_region.get(&tail).and_then(|t| t.verdict).unwrap_or(region.verdict)
}

fn save_as(studio: &mut Studio, path: &Path) {
    let path = path.display().to_string();
    file(studio, FileCommand::SaveAs { path, replace: false });
}

fn answer(studio: &mut Studio, answer: Answer) {
    file(studio, FileCommand::Answer(answer));
}

/// The command of a notice's button.
fn action(studio: &Studio, label: &str) -> Command {
    let actions = studio.notices().iter().flat_map(|n| &n.actions);
    actions
        .into_iter()
        .find(|a| a.label == label)
        .unwrap_or_else(|| panic!("{label}"))
        .command
        .clone()
}

const SIZE: egui::Vec2 = egui::vec2(1280.0, 800.0);

/// A window with no graphics card: panels alone.
fn window(file: &Path) -> Harness<'static, App> {
    let launch = Launch { file: Some(file.display().to_string()), ..Launch::default() };
    let mut harness = Harness::builder()
        .with_size(SIZE)
        .build_eframe(move |cc| App::new(cc, launch.clone()).unwrap());
    wait(&mut harness);
    if harness.state().studio.is_playing() {
        harness.get_by_label("Pause").click();
        harness.run_steps(3);
    }
    harness
}

fn wait(harness: &mut Harness<'_, App>) {
    let start = Instant::now();
    harness.run_steps(3);
    while harness.state().studio.is_working() {
        assert!(start.elapsed().as_secs() < 120, "the work never ended");
        std::thread::yield_now();
        harness.step();
    }
    harness.run_steps(3);
}
