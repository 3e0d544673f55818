//! The command palette: a field and the lines that fit.

use egui::{Align2, Key, RichText, Ui, WidgetInfo, Window};

use super::Asked;
use super::theme::{Theme, color};
use crate::studio::{PaletteAct, PaletteLine};

/// Lines that are shown.
pub const MOST_LINES: usize = 12;

/// The palette while it is open.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// What was typed.
    pub typed: String,
    /// The line that Enter takes.
    at: usize,
}

/// Draws the palette; whether it goes on being open. `find` gives the lines for what was typed, this frame's letters
/// among them: Enter must not take what fewer letters had found.
pub fn palette_ui(
    ctx: &egui::Context,
    palette: &mut Palette,
    find: impl FnOnce(&str) -> Vec<PaletteLine>,
    theme: &Theme,
    asked: &mut Asked,
) -> bool {
    let (up, down, enter, escape) = ctx.input(|i| {
        let pressed = |key| i.key_pressed(key);
        (pressed(Key::ArrowUp), pressed(Key::ArrowDown), pressed(Key::Enter), pressed(Key::Escape))
    });
    let window = Window::new("Palette")
        .title_bar(false)
        .resizable(false)
        .anchor(Align2::CENTER_TOP, egui::vec2(0.0, 72.0))
        .fixed_size(egui::vec2(520.0, 0.0));
    let shown = window.show(ctx, |ui| {
        let field = egui::TextEdit::singleline(&mut palette.typed)
            .hint_text("A command, clip, region or bone")
            .desired_width(f32::INFINITY);
        let response = ui.add(field);
        response
            .widget_info(|| WidgetInfo::labeled(egui::Role::SearchInput, true, "Find anything"));
        response.request_focus();
        if response.changed() {
            palette.at = 0;
        }
        let lines = find(&palette.typed);
        let last = lines.len().saturating_sub(1);
        palette.at = (palette.at + usize::from(down)).min(last).saturating_sub(usize::from(up));
        let mut taken = lines.get(palette.at).filter(|_| enter);
        ui.add_space(4.0);
        ui.spacing_mut().item_spacing.y = 1.0;
        for (i, line) in lines.iter().enumerate() {
            if line_ui(ui, line, i == palette.at, theme) {
                taken = Some(line);
            }
        }
        if lines.is_empty() {
            ui.label(RichText::new("Nothing of that name").color(color(theme.ui.text_weak)));
        }
        taken.map(|line| line.act.clone())
    });
    let outside = shown.as_ref().is_some_and(|s| s.response.clicked_elsewhere());
    match shown.and_then(|s| s.inner).flatten() {
        Some(PaletteAct::User(command)) => asked.user(command),
        Some(PaletteAct::Studio(command)) => asked.push(command),
        None => return !(escape || outside),
    }
    false
}

/// Draws a line; whether it was clicked.
fn line_ui(ui: &mut Ui, line: &PaletteLine, is_at: bool, theme: &Theme) -> bool {
    let size = egui::vec2(ui.available_width(), 26.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListItem, true, is_at, &line.title));
    let colors = &theme.ui;
    if is_at || response.hovered() {
        let fill = if is_at { colors.selection } else { colors.hovered };
        ui.painter().rect_filled(rect, 4.0, color(fill));
    }
    let font = egui::TextStyle::Body.resolve(ui.style());
    let small = egui::TextStyle::Small.resolve(ui.style());
    let y = rect.center().y;
    let weak = color(colors.text_weak);
    let painter = ui.painter();
    let left = egui::pos2(rect.left() + 8.0, y);
    painter.text(left, Align2::LEFT_CENTER, line.group, small.clone(), weak);
    let tone = if is_at { colors.text_strong } else { colors.text };
    let middle = egui::pos2(rect.left() + 92.0, y);
    painter.text(middle, Align2::LEFT_CENTER, &line.title, font, color(tone));
    let right = egui::pos2(rect.right() - 8.0, y);
    painter.text(right, Align2::RIGHT_CENTER, &line.note, small, weak);
    response.clicked()
}
