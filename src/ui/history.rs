//! The list of steps: a click goes back to before one, or forth to after it.

use egui::{Context, RichText, Role, ScrollArea, WidgetInfo, Window};

use super::Asked;
use super::theme::{Theme, color};
use crate::studio::{Command, words};

/// Draws the list while `is_open`: labels of all steps, the oldest first, of which the first `n_done` are done.
pub fn history_ui(
    ctx: &Context,
    is_open: &mut bool,
    (labels, n_done): (&[&str], usize),
    theme: &Theme,
    asked: &mut Asked,
) {
    let window = Window::new("History").open(is_open).collapsible(false);
    let corner = egui::pos2(310.0, 112.0);
    window.default_pos(corner).default_width(220.0).show(ctx, |ui| {
        ScrollArea::vertical().max_height(420.0).stick_to_bottom(true).show(ui, |ui| {
            let steps = labels.iter().map(|label| words::sentence(label));
            for (place, label) in std::iter::once("As opened".to_owned()).chain(steps).enumerate() {
                let is_done = place <= n_done;
                let tone = if is_done { theme.ui.text } else { theme.ui.text_weak };
                let text = RichText::new(&label).color(color(tone));
                let size = egui::vec2(ui.available_width(), 24.0);
                // With a text on the right, even an empty one, the label stands on the left.
                let row = egui::Button::selectable(place == n_done, text).right_text("");
                let row = ui.add(row.min_size(size));
                let info = || WidgetInfo::selected(Role::ListItem, true, place == n_done, &label);
                row.widget_info(info);
                if row.clicked() {
                    asked.push(Command::GoTo(place));
                }
            }
        });
    });
}
