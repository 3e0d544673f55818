//! The bar under the viewport: clip, time, speed.

use egui::{ComboBox, Label, RichText, Ui, WidgetInfo};

use super::keys::shortcut;
use super::theme::{Theme, color};
use super::widgets::command_button;
use super::{Asked, icons};
use crate::studio::{Command, PlayCommand, Transport, UserCommand, words};

/// Speeds of the clock that are offered.
const SPEEDS: [f32; 5] = [0.1, 0.25, 0.5, 1.0, 2.0];

/// Draws the bar.
pub fn transport_ui(ui: &mut Ui, panel: &Transport, theme: &Theme, asked: &mut Asked) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        command_button(ui, icons::rewind(), UserCommand::Rewind, false, asked);
        command_button(ui, icons::step_back(), UserCommand::StepBack, false, asked);
        let (icon, label) =
            if panel.is_playing { (icons::pause(), "Pause") } else { (icons::play(), "Play") };
        let play =
            egui::Button::new(RichText::new(icon).size(16.0).color(color(theme.ui.on_accent)))
                .fill(color(theme.ui.accent))
                .min_size(egui::vec2(36.0, 26.0));
        let response = ui.add(play);
        let keys = shortcut(ui.ctx(), UserCommand::PlayPause);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, label));
        if response.on_hover_text(format!("{label}  ({keys})")).clicked() {
            asked.user(UserCommand::PlayPause);
        }
        command_button(ui, icons::step_forward(), UserCommand::StepForward, false, asked);
        ui.add_space(6.0);
        clip_ui(ui, panel, asked);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            command_button(ui, icons::reset(), UserCommand::ResetSprings, false, asked);
            let is_on = panel.has_springs;
            command_button(ui, icons::springs(), UserCommand::ToggleSprings, is_on, asked);
            let (in_place, repeats) = (panel.in_place, panel.repeats);
            command_button(ui, icons::looping(), UserCommand::ToggleRepeat, repeats, asked);
            command_button(ui, icons::in_place(), UserCommand::ToggleInPlace, in_place, asked);
            speed_ui(ui, panel, asked);
            time_ui(ui, panel, theme);
            readout_ui(ui, panel, theme);
            range_ui(ui, panel, asked);
            scrub_ui(ui, panel, theme, asked);
        });
    });
}

fn clip_ui(ui: &mut Ui, panel: &Transport, asked: &mut Asked) {
    let rest = "Rest pose";
    let listed = panel.clip.and_then(|c| panel.clips.get(c));
    let name = listed.or(panel.unlisted.as_ref()).map_or(rest, String::as_str);
    let combo = ComboBox::from_id_salt("clip").selected_text(name).width(150.0).height(360.0);
    let shown = combo.show_ui(ui, |ui| {
        let mut row = |clip: Option<usize>, name: &str| {
            if ui.selectable_label(panel.clip == clip, name).clicked() && panel.clip != clip {
                asked.push(Command::Play(PlayCommand::Clip(clip)));
            }
        };
        row(None, rest);
        for (i, name) in panel.clips.iter().enumerate() {
            row(Some(i), name);
        }
    });
    shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Clip"));
}

fn speed_ui(ui: &mut Ui, panel: &Transport, asked: &mut Asked) {
    let text = |speed: f32| format!("{speed}×");
    let combo = ComboBox::from_id_salt("speed").selected_text(text(panel.speed)).width(58.0);
    let shown = combo.show_ui(ui, |ui| {
        for speed in SPEEDS {
            if ui.selectable_label(speed == panel.speed, text(speed)).clicked() {
                asked.push(Command::Play(PlayCommand::Speed(speed)));
            }
        }
    });
    shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Speed"));
}

/// What is measured of the clip: torn or not, and whether its loop closes.
fn readout_ui(ui: &mut Ui, panel: &Transport, theme: &Theme) {
    let Some(readout) = panel.readout.as_ref().filter(|_| ui.available_width() > 520.0) else {
        return;
    };
    let mut word = |good: bool, text: &str, about: &str| {
        let (icon, tone) = if good {
            (icons::pass(), theme.ui.good)
        } else {
            (icons::warning(), theme.ui.warning)
        };
        let text = RichText::new(format!("{icon} {text}")).small().color(color(tone));
        ui.label(text).on_hover_text(about);
    };
    if !readout.gap.is_empty() {
        word(
            readout.closes,
            &readout.gap,
            "Difference between the end and the start of the loop, springs included",
        );
    }
    word(
        !readout.tears,
        &readout.torn,
        "Edges stretched by more than half, of the selected region",
    );
    let weak = RichText::new(&readout.stretch).small().color(color(theme.ui.text_weak));
    ui.label(weak).on_hover_text("Longest of 99 in 100 edges over their length at rest");
}

fn time_ui(ui: &mut Ui, panel: &Transport, theme: &Theme) {
    let Some(duration) = panel.duration_secs else { return };
    let badge = if panel.is_still { "loop" } else { "live" };
    let about = if panel.is_still {
        "A moment of the closed loop, as it will be exported"
    } else {
        "The live performance; step or scrub to see the closed loop"
    };
    let tone = if panel.is_still { theme.ui.text_weak } else { theme.ui.accent };
    ui.label(RichText::new(badge).small().color(color(tone))).on_hover_text(about);
    let text = format!("{:.2} / {}", panel.secs, words::seconds(duration));
    let text = RichText::new(text).monospace();
    ui.add_sized([104.0, 20.0], Label::new(text).halign(egui::Align::Max));
}

/// Where the part that plays begins and ends; the way back to all of it where there is one.
fn range_ui(ui: &mut Ui, panel: &Transport, asked: &mut Asked) {
    if panel.duration_secs.is_none() || ui.available_width() < 220.0 {
        return;
    }
    if panel.range_secs.is_some() {
        command_button(ui, icons::close(), UserCommand::RangeClear, false, asked);
    }
    command_button(ui, icons::range_end(), UserCommand::RangeEnd, false, asked);
    command_button(ui, icons::range_start(), UserCommand::RangeStart, false, asked);
}

fn scrub_ui(ui: &mut Ui, panel: &Transport, theme: &Theme, asked: &mut Asked) {
    let Some(duration) = panel.duration_secs else { return };
    let mut secs = panel.secs;
    ui.spacing_mut().slider_width = (ui.available_width() - 8.0).max(60.0);
    let slider = egui::Slider::new(&mut secs, 0.0..=duration).show_value(false);
    let response = ui.add(slider);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, "Time"));
    if response.changed() {
        asked.push(Command::Play(PlayCommand::Scrub(secs)));
    }
    if let Some(range) = panel.range_secs {
        let rail = response.rect.shrink2(egui::vec2(8.0, 0.0));
        let x = |t: f64| rail.left() + rail.width() * (t / duration.max(1e-6)) as f32;
        let line = egui::Stroke::new(2.0, color(theme.ui.accent));
        for end in range {
            ui.painter().vline(x(end), rail.y_range(), line);
        }
    }
}
