//! The window by its labels: what a hand, or a screen reader, finds in it.
#![cfg(feature = "app")]
#![allow(clippy::unwrap_used, reason = "tests stop where something is missing")]

mod clips;
mod colliders;
#[path = "../common/mod.rs"]
mod common;
mod hair;
mod outliner;
mod panels;
mod retarget;
mod tools;

use std::path::Path;

use common::glow::GlowTestRenderer;
use common::tailed::tailed_file;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use tailbone::app::{App, Launch};
use tailbone::model::Verdict;
use tailbone::studio::{Overlay, Selection, ThemeChoice, UserCommand, Workspace};
use tailbone::ui::dialogs::Fixed;

const SIZE: egui::Vec2 = egui::vec2(1280.0, 800.0);

/// A window with no graphics card: panels alone.
fn window(file: Option<String>) -> Harness<'static, App> {
    let launch = Launch { file, ..Launch::default() };
    let mut harness = Harness::builder()
        .with_size(SIZE)
        .build_eframe(move |cc| App::new(cc, launch.clone()).unwrap());
    wait(&mut harness);
    harness
}

/// Frames until nothing is at work, then pauses, so that the picture stands still.
fn wait(harness: &mut Harness<'_, App>) {
    let start = std::time::Instant::now();
    harness.step();
    while harness.state().studio.is_working() {
        assert!(start.elapsed().as_secs() < 120, "the work never ended");
        std::thread::yield_now();
        harness.step();
    }
    harness.step();
}

fn pause(harness: &mut Harness<'_, App>) {
    if harness.state().studio.is_playing() {
        harness.get_by_label("Pause").click();
        harness.run_steps(3);
    }
}

/// A file or a sample in the window, paused.
fn paused(what: &Path) -> Harness<'static, App> {
    let mut harness = window(Some(what.display().to_string()));
    pause(&mut harness);
    harness
}

/// Clicks a button, and waits for what comes of it.
fn press(harness: &mut Harness<'_, App>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(2);
    wait(harness);
}

/// The character with a tail, paused, without the card of the first minute.
fn opened(folder: &common::Folder) -> Harness<'static, App> {
    let mut harness = paused(&tailed_file(folder.path()));
    harness.state_mut().preferences.show_card = false;
    harness.run_steps(2);
    harness
}

#[test]
fn the_first_minute_asks_for_a_file_and_opens_it() {
    let folder = common::Folder::new();
    let file = tailed_file(folder.path());
    let mut harness = window(None);
    harness.get_by_label("Give a tail its bones");
    harness.state_mut().dialogs = Box::new(Fixed(file));
    harness.get_by_label("Open a file").click();
    harness.run_steps(3);
    wait(&mut harness);
    pause(&mut harness);
    assert!(harness.query_by_label("Give a tail its bones").is_none());
    harness.get_by_label("Treatment: Bone chain");
    assert_eq!(harness.state().preferences.recent.len(), 1);
}

#[test]
fn a_treatment_is_one_click_and_undo_another() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    press(&mut harness, "Treatment: Rigid");
    let verdict = |h: &Harness<'_, App>| h.state().studio.region_panel().unwrap().verdict;
    assert_eq!(verdict(&harness), Verdict::Rigid);
    press(&mut harness, "Undo");
    assert_eq!(verdict(&harness), Verdict::Chain);
}

#[test]
fn panels_keep_their_width_however_long_they_are_drawn() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    let left = |h: &Harness<'_, App>| h.get_by_label("Treatment: Auto").rect().left();
    let before = left(&harness);
    harness.run_steps(40);
    assert_eq!(left(&harness), before);
}

#[test]
fn the_library_is_searched_and_a_tile_plays() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.get_by_label("Search clips").focus();
    harness.get_by_label("Search clips").type_text("flpi");
    harness.run_steps(3);
    press(&mut harness, "Clip Back Flip");
    let transport = harness.state().studio.transport();
    assert_eq!(transport.clips[transport.clip.unwrap()], "Back Flip");
}

#[test]
fn the_palette_finds_a_workspace_by_a_few_letters() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    harness.run_steps(2);
    harness.get_by_label("Find anything");
    // In one frame, as a slow machine gets them: Enter takes what the letters find, not what stood there before.
    let key = egui::Key::Enter;
    let modifiers = egui::Modifiers::NONE;
    harness.input_mut().events.extend([
        egui::Event::Text("compa".into()),
        egui::Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers },
    ]);
    harness.run_steps(2);
    assert_eq!(harness.state().studio.workspace(), Workspace::Compare);
    wait(&mut harness);
}

#[test]
fn the_palette_plays_all_clips_through_and_the_library_shows_it() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    assert!(harness.query_by_label_contains("Playing through").is_none());
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    harness.run_steps(2);
    harness.input_mut().events.push(egui::Event::Text("sweep".into()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    harness.get_by_label_contains("Playing through");
    wait(&mut harness);
}

#[test]
fn a_click_on_nothing_shows_the_character() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    harness.get_by_label("Who is who");
    harness.get_by_label("Left upper leg");
}

#[test]
fn keys_and_buttons_ask_for_the_same() {
    let folder = common::Folder::new();
    let mut harness = paused(&tailed_file(folder.path()));
    harness.key_press(egui::Key::J);
    harness.run_steps(2);
    assert!(harness.state().studio.shows(Overlay::Joints));
    harness.get_by_label("Overlays").click();
    harness.run_steps(2);
    harness.get_by_label("Bones").click();
    harness.run_steps(2);
    assert!(!harness.state().studio.shows(Overlay::Joints));
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    assert_eq!(harness.state().studio.selection(), Selection::None);
    harness.key_press(egui::Key::N);
    harness.run_steps(2);
    assert!(matches!(harness.state().studio.selection(), Selection::Region(_)));
}

#[test]
fn the_whole_window_is_drawn_in_both_themes() {
    let folder = common::Folder::new();
    let file = tailed_file(folder.path()).display().to_string();
    let launch = Launch { file: Some(file), ..Launch::default() };
    let mut harness = Harness::builder()
        .with_size(SIZE)
        .renderer(GlowTestRenderer::new())
        .build_eframe(move |cc| App::new(cc, launch.clone()).unwrap());
    wait(&mut harness);
    pause(&mut harness);
    let screens = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screens");
    std::fs::create_dir_all(&screens).unwrap();
    for theme in [ThemeChoice::Dark, ThemeChoice::Light] {
        if harness.state().preferences.theme != theme {
            let ctx = harness.ctx.clone();
            harness.state_mut().user(UserCommand::ToggleTheme, &ctx);
            harness.run_steps(3);
        }
        let picture = harness.render().unwrap();
        picture.save(screens.join(format!("window-{theme:?}.png"))).unwrap();
        // The middle of the viewport is the character, not the backdrop; the panel is the theme's.
        let colors: std::collections::BTreeSet<[u8; 4]> = (300..900)
            .step_by(5)
            .flat_map(|x| (60..700).step_by(5).map(move |y| (x, y)))
            .map(|(x, y)| picture.get_pixel(x, y).0)
            .collect();
        assert!(colors.len() > 100, "a lit picture has many colours, this has {}", colors.len());
        let panel = picture.get_pixel(3, 790).0;
        assert_eq!(panel[0] < 128, theme == ThemeChoice::Dark, "{panel:?}");
    }
}
