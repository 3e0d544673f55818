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

/// Width of the card over an empty viewport, and least and greatest width of the strip below a character.
const ALONE: f32 = 392.0;
const STRIP: [f32; 2] = [300.0, 640.0];
/// Side of the button that puts the strip away.
const CLOSE: f32 = 28.0;

const STEPS: [(&str, &str); 3] = [
    ("1", "Drop your character here"),
    ("2", "See what was found"),
    ("3", "Export with motion baked in"),
];

/// Draws the card, no wider than `most_width`; whether it was put away.
pub fn card_ui(
    ui: &mut Ui,
    card: Card<'_>,
    most_width: f32,
    theme: &Theme,
    asked: &mut Asked,
) -> bool {
    let mut is_closed = false;
    let frame = egui::Frame::new()
        .fill(color(theme.ui.panel))
        .stroke(egui::Stroke::new(1.0, color(theme.ui.line)))
        .corner_radius(10.0)
        .inner_margin(egui::Margin::symmetric(16, if card.can_close { 8 } else { 12 }));
    frame.show(ui, |ui| {
        if card.can_close {
            ui.set_width((most_width - 34.0).clamp(STRIP[0], STRIP[1]));
            is_closed = strip_ui(ui, theme);
        } else {
            ui.set_width(ALONE);
            title_ui(ui, theme);
        }
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

/// Title and steps, one below the other.
fn title_ui(ui: &mut Ui, theme: &Theme) {
    let strong = color(theme.ui.text_strong);
    ui.label(RichText::new("Give a tail its bones").heading().color(strong));
    ui.add_space(6.0);
    for step in STEPS {
        step_ui(ui, step, theme);
    }
    ui.add_space(10.0);
}

/// The steps side by side: below a character there is room across, and none to spare in height. Whether the strip was
/// put away.
fn strip_ui(ui: &mut Ui, theme: &Theme) -> bool {
    let close = |ui: &mut Ui| {
        icon_button(ui, icons::close(), "Close card", "Put this card away", false).clicked()
    };
    ui.horizontal_top(|ui| {
        let room = ui.available_width() - CLOSE - ui.spacing().item_spacing.x;
        ui.vertical(|ui| {
            ui.set_width(room);
            ui.add_space(5.0);
            ui.horizontal_wrapped(|ui| {
                for step in STEPS {
                    step_ui(ui, step, theme);
                    ui.add_space(8.0);
                }
            });
        });
        close(ui)
    })
    .inner
}

/// Number and text as one label, so that a row never ends between them.
fn step_ui(ui: &mut Ui, (number, text): (&str, &str), theme: &Theme) {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let accent = color(theme.ui.accent);
    let mut job = egui::text::LayoutJob::default();
    job.append(&format!("{number} "), 0.0, egui::TextFormat::simple(font.clone(), accent));
    job.append(text, 4.0, egui::TextFormat::simple(font, color(theme.ui.text)));
    ui.add(egui::Label::new(job).extend());
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
