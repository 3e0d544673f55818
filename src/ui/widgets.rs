//! Controls that several panels use.

use egui::{Align2, Response, RichText, Sense, Stroke, TextStyle, Ui, WidgetInfo};

use super::Asked;
use super::theme::{Theme, color};
use crate::studio::{Bar, Command, UserCommand, words};

/// A button that shows an icon alone; `label` is what a screen reader says.
pub fn icon_button(ui: &mut Ui, icon: char, label: &str, about: &str, is_on: bool) -> Response {
    let text = RichText::new(icon).size(15.0);
    let button = egui::Button::new(text)
        .frame_when_inactive(is_on)
        .selected(is_on)
        .min_size(egui::vec2(26.0, 24.0));
    let response = ui.add(button);
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, is_on, label));
    response.on_hover_text(about)
}

/// A button for a command of the table: icon, tooltip with its key.
pub fn command_button(
    ui: &mut Ui,
    icon: char,
    command: UserCommand,
    is_on: bool,
    asked: &mut Asked,
) {
    let row = command.row();
    let keys = row.keys.first().map(|k| format!("  ({k})")).unwrap_or_default();
    if icon_button(ui, icon, row.text, &format!("{}{keys}", row.about), is_on).clicked() {
        asked.user(command);
    }
}

/// A heading inside a panel.
pub fn section(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.add_space(6.0);
    ui.label(RichText::new(text).color(color(theme.ui.text_weak)).text_style(TextStyle::Small));
}

/// Name on the left, value on the right.
pub fn fact(ui: &mut Ui, theme: &Theme, name: &str, value: &str) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(color(theme.ui.text_weak)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label(value));
    });
}

/// A number as a bar with its mark: told by length, by a tick or a dash, and in words, never by colour alone.
pub fn bar(ui: &mut Ui, theme: &Theme, bar: &Bar) {
    let colors = &theme.ui;
    let height = 20.0;
    let (rect, response) =
        ui.allocate_exact_size(egui::vec2(ui.available_width(), height), Sense::hover());
    let label = format!("{} {}, {}", bar.name, bar.text(), bar.mark_text());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Meter, true, &label));
    let painter = ui.painter();
    let font = TextStyle::Body.resolve(ui.style());
    let (name_width, value_width) = (116.0, 62.0);
    let middle = rect.center().y;
    let at = |x: f32| egui::pos2(x, middle);
    painter.text(
        at(rect.left()),
        Align2::LEFT_CENTER,
        bar.name,
        font.clone(),
        color(colors.text_weak),
    );
    let rail = egui::Rect::from_min_max(
        egui::pos2(rect.left() + name_width, middle - 3.0),
        egui::pos2(rect.right() - value_width, middle + 3.0),
    );
    let share = |v: f32| (v / bar.full.max(1e-6)).clamp(0.0, 1.0);
    let x = |v: f32| rail.left() + rail.width() * share(v);
    let tone = if bar.passes() { colors.good } else { colors.text_weak };
    painter.rect_filled(rail, 3.0, color(colors.sunken));
    let filled = egui::Rect::from_min_max(rail.min, egui::pos2(x(bar.value), rail.bottom()));
    painter.rect_filled(filled, 3.0, color(tone));
    let mark = x(bar.mark);
    painter.line_segment(
        [egui::pos2(mark, rail.top() - 4.0), egui::pos2(mark, rail.bottom() + 4.0)],
        Stroke::new(1.5, color(colors.text_strong)),
    );
    let sign = if bar.passes() { super::icons::pass() } else { super::icons::miss() };
    painter.text(at(rect.right()), Align2::RIGHT_CENTER, sign, font.clone(), color(tone));
    painter.text(
        at(rect.right() - 20.0),
        Align2::RIGHT_CENTER,
        bar.text(),
        font,
        color(colors.text),
    );
    response.on_hover_text(format!("{}\n{}", bar.about, words::sentence(&bar.mark_text())));
}

/// A number that a drag changes: one drag is one step of the history, a double click resets it.
#[derive(Clone, Debug)]
pub struct Knob<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What more and less of it do.
    pub about: &'a str,
    /// Least and greatest.
    pub range: std::ops::RangeInclusive<f32>,
    /// What a double click brings back.
    pub reset: f32,
    /// Behind the number.
    pub unit: &'a str,
    /// Digits behind the point.
    pub decimals: usize,
}

impl Knob<'_> {
    /// Draws it; the value it was given, when a hand changed it.
    pub fn show(&self, ui: &mut Ui, theme: &Theme, value: f32, asked: &mut Asked) -> Option<f32> {
        let mut shown = value;
        let mut changed = false;
        ui.horizontal(|ui| {
            let name = RichText::new(self.name).color(color(theme.ui.text_weak));
            let label =
                ui.add_sized([116.0, 20.0], egui::Label::new(name).halign(egui::Align::Min));
            label.on_hover_text(self.about);
            ui.spacing_mut().slider_width = (ui.available_width() - 82.0).max(60.0);
            let slider = egui::Slider::new(&mut shown, self.range.clone())
                .max_decimals(self.decimals)
                .min_decimals(self.decimals)
                .suffix(self.unit);
            let response = ui.add(slider);
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, self.name));
            changed = response.changed();
            if response.drag_started() {
                asked.push(Command::Begin(format!("tune {}", self.name.to_lowercase())));
            }
            if response.double_clicked() {
                shown = self.reset;
                changed = true;
            }
            if response.drag_stopped() {
                // After the last value: a commit before it would leave it outside the drag.
                asked.push(Command::Commit);
            }
            response.on_hover_text(self.about);
        });
        (changed && shown != value).then_some(shown)
    }
}
