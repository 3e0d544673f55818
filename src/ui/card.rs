//! The first minute: three sentences and the samples, over the viewport.

use egui::{RichText, Ui};

use super::theme::{Theme, color};
use super::widgets::icon_button;
use super::{Asked, icons};
use crate::studio::{Command, UserCommand};

/// What the card knows.
#[derive(Clone, Copy, Debug)]
pub struct Card<'a> {
    /// Samples: name and one line about it.
    pub samples: &'a [(&'static str, &'static str)],
    /// Whether a file is being opened.
    pub is_opening: bool,
    /// Whether it can be put away: there is something behind it to see.
    pub can_close: bool,
}

/// Width of the card over an empty viewport, and beside a character.
const ALONE: f32 = 392.0;
const BESIDE: f32 = 232.0;

/// Draws the card; whether it was put away.
pub fn card_ui(ui: &mut Ui, card: Card<'_>, theme: &Theme, asked: &mut Asked) -> bool {
    let mut is_closed = false;
    let frame = egui::Frame::new()
        .fill(color(theme.ui.panel))
        .stroke(egui::Stroke::new(1.0, color(theme.ui.line)))
        .corner_radius(10.0)
        .inner_margin(egui::Margin::symmetric(16, 12));
    frame.show(ui, |ui| {
        ui.set_width(if card.can_close { BESIDE } else { ALONE });
        ui.horizontal(|ui| {
            let strong = color(theme.ui.text_strong);
            ui.label(RichText::new("Give a tail its bones").heading().color(strong));
            if card.can_close {
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let about = "Put this card away";
                    is_closed =
                        icon_button(ui, icons::close(), "Close card", about, false).clicked();
                });
            }
        });
        ui.add_space(6.0);
        for (number, text) in [
            ("1", "Drop your character here"),
            ("2", "See what was found, and why"),
            ("3", "Export with motion baked in"),
        ] {
            ui.horizontal(|ui| {
                ui.label(RichText::new(number).strong().color(color(theme.ui.accent)));
                ui.label(text);
            });
        }
        ui.add_space(10.0);
        if card.is_opening {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("Reading, measuring, finding");
            });
        } else {
            buttons_ui(ui, card, theme, asked);
        }
    });
    is_closed
}

fn buttons_ui(ui: &mut Ui, card: Card<'_>, theme: &Theme, asked: &mut Asked) {
    ui.horizontal_wrapped(|ui| {
        let text = format!("{}  Open…", icons::folder());
        let text = RichText::new(text).color(color(theme.ui.on_accent));
        let size = egui::vec2(96.0, 28.0);
        let open = ui.add(egui::Button::new(text).fill(color(theme.ui.accent)).min_size(size));
        open.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Open a file"));
        if open.clicked() {
            asked.user(UserCommand::Open);
        }
        ui.add_space(4.0);
        ui.label(RichText::new("or try").color(color(theme.ui.text_weak)));
        for (name, about) in card.samples {
            let button = egui::Button::new(*name).min_size(egui::vec2(0.0, 28.0));
            if ui.add(button).on_hover_text(*about).clicked() {
                asked.push(Command::Open(format!("sample:{name}")));
            }
        }
    });
}
