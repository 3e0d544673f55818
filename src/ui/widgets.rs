//! Controls that several panels use.

use egui::{Align2, Response, RichText, Sense, Stroke, TextStyle, Ui, WidgetInfo};

use super::Asked;
use super::theme::{Theme, color};
use crate::model::Curve;
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
    let about = about_with_keys(ui, command);
    if icon_button(ui, icon, command.row().text, &about, is_on).clicked() {
        asked.user(command);
    }
}

/// What a command does, and its keys where it has any.
pub fn about_with_keys(ui: &Ui, command: UserCommand) -> String {
    let (about, keys) = (command.row().about, super::keys::shortcut(ui.ctx(), command));
    if keys.is_empty() { about.to_owned() } else { format!("{about}  ({keys})") }
}

/// What holds buttons that float over the viewport.
pub fn floating(theme: &Theme) -> egui::Frame {
    egui::Frame::new()
        .fill(color(theme.ui.panel))
        .corner_radius(8.0)
        .inner_margin(egui::Margin::same(3))
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
        // What is too long is told where the pointer rests, not written over the name.
        let value = egui::Label::new(value).truncate();
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.add(value));
    });
}

/// A name on the left and a control on the right.
pub fn named(ui: &mut Ui, theme: &Theme, name: &str, control: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(color(theme.ui.text_weak)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), control);
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

/// A number that a drag changes: one drag is one step of the history, a double click resets it, a click types.
#[derive(Clone, Copy, Debug)]
pub struct Knob<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What more and less of it do.
    pub about: &'a str,
    /// Least and greatest.
    pub range: (f32, f32),
    /// What a double click brings back.
    pub reset: f32,
    /// Behind the number.
    pub unit: &'static str,
    /// Digits behind the point.
    pub decimals: usize,
}

/// Width of the names before knobs.
const NAME: f32 = 124.0;

/// Width of a number with its unit.
const NUMBER: f32 = 80.0;

impl Knob<'_> {
    /// Draws it; the value it was given, when a hand changed it.
    pub fn show(&self, ui: &mut Ui, theme: &Theme, value: f32, asked: &mut Asked) -> Option<f32> {
        let mut shown = value;
        let changed = ui
            .horizontal(|ui| {
                self.name_ui(ui, theme);
                let changed = self.slider_ui(ui, self.name, &mut shown, NUMBER, asked);
                changed | self.number_ui(ui, self.name, &mut shown, asked)
            })
            .inner;
        (changed && shown != value).then_some(shown)
    }

    /// Draws a value that runs from root to tip, with a picture of its way; the curve, when a hand changed it.
    pub fn show_curve(
        &self,
        ui: &mut Ui,
        theme: &Theme,
        value: Curve,
        asked: &mut Asked,
    ) -> Option<Curve> {
        let mut shown = value;
        ui.horizontal(|ui| {
            self.name_ui(ui, theme);
            let width = (ui.available_width() - 2.0 * (NUMBER + 8.0)).max(24.0);
            let root = format!("{} at the root", self.name);
            self.number_ui(ui, &root, &mut shown.root, asked);
            let size = egui::vec2(width, 20.0);
            let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
            curve_ui(ui, rect, theme, &shown, self.range);
            self.bracket(&response, asked);
            if response.dragged() {
                let factor = crate::math::ops::exp(response.drag_delta().y * 0.02);
                shown.ease = (shown.ease * factor).clamp(0.2, 5.0);
            }
            if response.double_clicked() {
                shown.ease = 1.0;
            }
            response.widget_info(|| {
                WidgetInfo::labeled(
                    egui::Role::Slider,
                    true,
                    format!("{} along the chain", self.name),
                )
            });
            response
                .on_hover_text("From root to tip; drag up or down to bend the way between them, double click for a straight one");
            let tip = format!("{} at the tip", self.name);
            self.number_ui(ui, &tip, &mut shown.tip, asked);
        });
        (shown != value).then_some(shown)
    }

    fn name_ui(&self, ui: &mut Ui, theme: &Theme) {
        let name = RichText::new(self.name).color(color(theme.ui.text_weak));
        let label = egui::Label::new(name).truncate();
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(egui::vec2(NAME, 20.0), left, |ui| {
            ui.set_min_width(NAME);
            ui.add(label).on_hover_text(self.about);
        });
    }

    fn slider_ui(
        &self,
        ui: &mut Ui,
        label: &str,
        value: &mut f32,
        beside: f32,
        asked: &mut Asked,
    ) -> bool {
        ui.spacing_mut().slider_width = (ui.available_width() - beside - 8.0).max(24.0);
        let (low, high) = self.range_with(*value);
        let response = ui.add(egui::Slider::new(value, low..=high).show_value(false));
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, label));
        self.bracket(&response, asked);
        // A slider senses drags alone: what clicks do is the number's beside it.
        let changed = response.changed();
        response.on_hover_text(self.about);
        changed
    }

    fn number_ui(&self, ui: &mut Ui, label: &str, value: &mut f32, asked: &mut Asked) -> bool {
        let (low, high) = self.range_with(*value);
        let unit = self.unit;
        let fine = if ui.input(|i| i.modifiers.command) { 0.1 } else { 1.0 };
        let number = egui::DragValue::new(value)
            .range(low..=high)
            .speed((high - low) / 400.0 * fine)
            .max_decimals(self.decimals)
            .min_decimals(self.decimals)
            .suffix(unit)
            .custom_parser(move |text| words::number_in(text, unit));
        let response = ui.add_sized([NUMBER, 20.0], number);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, label));
        self.bracket(&response, asked);
        let mut changed = response.changed();
        if response.double_clicked() {
            *value = self.reset;
            changed = true;
        }
        changed |= self.menu_ui(&response, value);
        response.on_hover_text(format!(
            "{}\nDrag (with Ctrl finely), click to type, double click to reset, right click to copy",
            self.about
        ));
        changed
    }

    /// What a right click offers: to copy the number, to paste one that was copied, to reset it. Whether that changed it.
    fn menu_ui(&self, response: &Response, value: &mut f32) -> bool {
        let before = *value;
        response.context_menu(|ui| {
            let id = egui::Id::unique("copied number");
            if ui.button("Copy value").clicked() {
                ui.data_mut(|d| d.insert_temp(id, before));
                ui.close();
            }
            let copied: Option<f32> = ui.data(|d| d.get_temp(id));
            let paste = ui.add_enabled(copied.is_some(), egui::Button::new("Paste value"));
            if let Some(copied) = copied.filter(|_| paste.clicked()) {
                let (low, high) = self.range_with(before);
                *value = copied.clamp(low, high);
                ui.close();
            }
            if ui.button("Reset value").clicked() {
                *value = self.reset;
                ui.close();
            }
        });
        *value != before
    }

    /// The range, widened to a value that a file or a script set beyond it: what is only shown must not be changed.
    const fn range_with(&self, value: f32) -> (f32, f32) {
        (self.range.0.min(value), self.range.1.max(value))
    }

    /// One drag is one step of the history.
    fn bracket(&self, response: &Response, asked: &mut Asked) {
        if response.drag_started() {
            asked.push(Command::Begin(format!("tune {}", self.name.to_lowercase())));
        }
        if response.drag_stopped() {
            asked.push(Command::Commit);
        }
    }
}

/// The way of a curve from root (left) to tip (right).
fn curve_ui(ui: &Ui, rect: egui::Rect, theme: &Theme, curve: &Curve, (low, high): (f32, f32)) {
    const POINTS: usize = 16;
    let painter = ui.painter();
    painter.rect_filled(rect, 3.0, color(theme.ui.sunken));
    let inner = rect.shrink(3.0);
    // The scale reaches a little over the larger end, so that small values are seen too.
    let top = (curve.root.abs().max(curve.tip.abs()) * 1.25).clamp(1e-6, low.abs().max(high.abs()));
    let points = (0..POINTS).map(|i| {
        let share = i as f32 / (POINTS - 1) as f32;
        let y = (curve.at(i, POINTS) / top).clamp(0.0, 1.0);
        egui::pos2(inner.left() + inner.width() * share, inner.bottom() - inner.height() * y)
    });
    painter.line(points.collect(), Stroke::new(1.5, color(theme.ui.accent)));
}

/// A heading that folds what is below it.
pub fn fold(ui: &mut Ui, text: &str, id: &str, is_open: bool, body: impl FnOnce(&mut Ui)) {
    let heading = RichText::new(text).family(Theme::strong()).size(13.0);
    egui::CollapsingHeader::new(heading)
        .id_salt(id)
        .default_open(is_open)
        .show_unindented(ui, body);
    ui.add_space(4.0);
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;

    use super::*;
    use crate::studio::ThemeChoice;

    #[test]
    fn a_number_beyond_its_range_is_shown_and_not_changed() {
        let theme = Theme::load(ThemeChoice::Dark).unwrap();
        let (range, unit) = ((0.0, 50.0), " cm");
        let knob = Knob { name: "Radius", about: "", range, reset: 0.0, unit, decimals: 1 };
        for value in [-3.0, 20.0, 72.5] {
            let mut changed = None;
            let mut harness = Harness::new_ui(|ui| {
                let shown = knob.show(ui, &theme, value, &mut Asked::default());
                changed = changed.or(shown);
            });
            harness.run_steps(2);
            drop(harness);
            assert_eq!(changed, None, "{value}");
        }
    }
}
