//! From egui's keys to commands, and the sheet that lists them.

use egui::{Grid, Key, RichText, Window};

use super::theme::{Theme, color};
use crate::studio::keymap::Chord;
use crate::studio::{TABLE, UserCommand};

/// The commands whose keys were pressed this frame; none while text is typed.
pub fn pressed(ctx: &egui::Context) -> Vec<UserCommand> {
    if ctx.egui_wants_keyboard_input() {
        return Vec::new();
    }
    ctx.input(|input| {
        let mut commands = Vec::new();
        for event in &input.events {
            // The event's own modifiers: a slow frame may hold the press and the release of Control alike.
            if let egui::Event::Key { key, pressed: true, modifiers, .. } = event {
                let row =
                    TABLE.iter().find(|row| row.keys.iter().any(|k| fits(k, *key, *modifiers)));
                commands.extend(row.map(|row| row.command));
            }
        }
        commands
    })
}

fn fits(keys: &str, pressed: Key, modifiers: egui::Modifiers) -> bool {
    let chord = Chord::parse(keys);
    let Some(key) = Key::from_name(&chord.key) else { return false };
    // A question mark needs shift on most keyboards and none on some.
    let shift = key == Key::Questionmark || modifiers.shift == chord.shift;
    key == pressed && shift && modifiers.command == chord.ctrl && modifiers.alt == chord.alt
}

/// Draws the sheet while `is_open`.
pub fn sheet_ui(ctx: &egui::Context, is_open: &mut bool, theme: &Theme) {
    let window = Window::new("Keys").open(is_open).collapsible(false).resizable(false);
    window.anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO).show(ctx, |ui| {
        Grid::new("keys").num_columns(4).spacing([16.0, 6.0]).show(ui, |ui| {
            let half = TABLE.len().div_ceil(2);
            for i in 0..half {
                for row in [TABLE.get(i), TABLE.get(i + half)].into_iter().flatten() {
                    let keys = row.keys.join("  ");
                    ui.label(RichText::new(keys).monospace().color(color(theme.ui.accent)));
                    ui.label(row.text).on_hover_text(row.about);
                }
                ui.end_row();
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_table_is_a_key_of_the_keyboard() {
        for row in TABLE {
            for keys in row.keys {
                let chord = Chord::parse(keys);
                assert!(Key::from_name(&chord.key).is_some(), "{keys}");
            }
        }
    }
}
