//! Three ways side by side, one camera, numbers below each.

use egui::{Align2, Rect, Sense, TextStyle, Ui, UiBuilder, WidgetInfo};

use super::icons;
use super::theme::{Theme, color};
use super::viewport::{ViewportState, camera_ui, picture_ui};
use crate::studio::Pane;

/// Height of the line of numbers under the panes.
const FOOT: f32 = 74.0;
/// Height of the caption, at their lower edge.
const CAPTION: f32 = 26.0;

/// Draws the panes over all of `ui`; `caption` says what the numbers are about.
pub fn compare_ui(
    ui: &mut Ui,
    state: &mut ViewportState,
    panes: &[Pane],
    caption: &str,
    theme: &Theme,
) {
    let whole = ui.available_rect_before_wrap();
    let n = panes.len().max(1) as f32;
    let width = whole.width() / n;
    camera_ui(ui, state, egui::vec2(width, whole.height() - FOOT));
    if panes.is_empty() {
        ui.painter().rect_filled(whole, 0.0, color(theme.viewport.backdrop_outer));
        ui.scope_builder(UiBuilder::new().max_rect(whole.shrink(16.0)), |ui| {
            ui.centered_and_justified(|ui| ui.label("Rigging and measuring the three ways"));
        });
        return;
    }
    let font = TextStyle::Body.resolve(ui.style());
    let small = TextStyle::Small.resolve(ui.style());
    for (i, pane) in panes.iter().enumerate() {
        let left = whole.left() + width * i as f32;
        let rect = Rect::from_min_max(
            egui::pos2(left, whole.top()),
            egui::pos2(left + width, whole.bottom() - FOOT),
        );
        picture_ui(ui, rect, state, &pane.scene, theme);
        let painter = ui.painter().clone();
        let colors = &theme.ui;
        let name = rect.left_top() + egui::vec2(12.0, 12.0);
        painter.text(name, Align2::LEFT_TOP, pane.way.name(), font.clone(), color(colors.text));
        let foot = Rect::from_min_max(rect.left_bottom(), egui::pos2(rect.right(), whole.bottom()));
        painter.rect_filled(foot, 0.0, color(colors.panel));
        let at = |y: f32| egui::pos2(foot.left() + 12.0, foot.top() + y);
        match &pane.numbers {
            Some(numbers) => {
                let (icon, tone) = if numbers.tears {
                    (icons::warning(), colors.warning)
                } else {
                    (icons::pass(), colors.good)
                };
                let torn = format!("{icon}  {}", numbers.torn);
                painter.text(at(8.0), Align2::LEFT_TOP, torn, font.clone(), color(tone));
                let text = color(colors.text);
                painter.text(at(27.0), Align2::LEFT_TOP, &numbers.stretch, font.clone(), text);
            }
            None => {
                let weak = color(colors.text_weak);
                painter.text(at(8.0), Align2::LEFT_TOP, "Not measured", font.clone(), weak);
            }
        }
        speak(ui, foot, pane);
        if i > 0 {
            let line = egui::Stroke::new(1.0, color(colors.line));
            // The caption below runs across all panes.
            let end = egui::pos2(rect.left(), whole.bottom() - CAPTION);
            painter.line_segment([rect.left_top(), end], line);
        }
    }
    let at = whole.left_bottom() + egui::vec2(12.0, -6.0);
    let weak = color(theme.ui.text_weak);
    ui.painter().text(at, Align2::LEFT_BOTTOM, caption, small, weak);
}

/// What the painter wrote of a pane, for a screen reader.
fn speak(ui: &Ui, foot: Rect, pane: &Pane) {
    let response = ui.interact(foot, ui.scope_id().with(pane.way), Sense::hover());
    let numbers = pane.numbers.as_ref();
    let said = numbers.map_or_else(String::new, |n| format!(", {}, {}", n.torn, n.stretch));
    let text = format!("{}{said}", pane.way.name());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &text));
}
