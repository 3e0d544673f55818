//! From egui's keys to commands, and the sheet that lists them.

use std::sync::Arc;

use egui::{Context, Event, Grid, Id, Key, RichText, ScrollArea, Window};

use super::theme::{Theme, color};
use crate::studio::keymap::{Chord, Keymap, readable};
use crate::studio::{TABLE, UserCommand};

/// Chords that a text field has for itself.
const OF_TEXT: [&str; 6] = ["Z", "Y", "A", "C", "V", "X"];

fn place() -> Id {
    Id::unique("keymap")
}

/// Puts keys into force for all that is drawn.
pub fn put(ctx: &Context, keymap: Keymap) {
    ctx.data_mut(|data| data.insert_temp(place(), Arc::new(keymap)));
}

/// The keys in force.
pub fn in_force(ctx: &Context) -> Arc<Keymap> {
    ctx.data(|data| data.get_temp(place())).unwrap_or_default()
}

/// The key that is shown beside a command; nothing where it has none.
pub fn shortcut(ctx: &Context, command: UserCommand) -> String {
    readable(in_force(ctx).first(command))
}

/// All keys of a command, as people read them.
pub fn shown(keymap: &Keymap, command: UserCommand) -> String {
    keymap.keys(command).into_iter().map(readable).collect::<Vec<_>>().join("  ")
}

/// Where [`pressed`] keeps whether a field was typed in a frame ago.
fn typed_in() -> Id {
    Id::unique("a field was typed in")
}

/// Whether Escape was pressed and no field has it for itself. To be asked before [`pressed`].
pub fn escaped(ctx: &Context) -> bool {
    let was_typing = ctx.data(|data| data.get_temp(typed_in())).unwrap_or(false);
    let is_typing = was_typing || ctx.egui_wants_keyboard_input();
    !is_typing && ctx.input(|input| input.key_pressed(Key::Escape))
}

/// The commands whose keys were pressed this frame. While text is typed, only those that no text wants.
pub fn pressed(ctx: &Context) -> Vec<UserCommand> {
    // Escape takes the focus before anyone is asked: a field that was typed in a frame ago has this frame's keys, too.
    let is_focused = ctx.egui_wants_keyboard_input();
    let id = typed_in();
    let was_focused = ctx.data_mut(|data| data.get_temp(id)).unwrap_or(false);
    ctx.data_mut(|data| data.insert_temp(id, is_focused));
    let is_typing = is_focused || was_focused;
    let keymap = in_force(ctx);
    ctx.input(|input| {
        let mut commands = Vec::new();
        for event in &input.events {
            // The event's own modifiers: a slow frame may hold the press and the release of Control alike.
            if let Event::Key { key, pressed: true, modifiers, .. } = event {
                let is_of_text = !modifiers.command || OF_TEXT.contains(&key.name());
                if is_typing && is_of_text {
                    continue;
                }
                let asks = |command: &UserCommand| {
                    keymap.keys(*command).into_iter().any(|keys| fits(keys, *key, *modifiers))
                };
                commands.extend(TABLE.iter().map(|row| row.command).find(asks));
            }
        }
        commands
    })
}

/// Whether a key of `command` is held and no text is typed.
pub fn is_held(ctx: &Context, command: UserCommand) -> bool {
    let keymap = in_force(ctx);
    let is_down = |input: &egui::InputState| {
        keymap.keys(command).into_iter().any(|keys| {
            Key::from_name(&Chord::parse(keys).key).is_some_and(|key| input.key_down(key))
        })
    };
    !ctx.egui_wants_keyboard_input() && ctx.input(is_down)
}

/// The first key that was pressed this frame, with what was held, for the choice of another one.
pub fn captured(ctx: &Context) -> Option<Chord> {
    ctx.input(|input| {
        input.events.iter().find_map(|event| match event {
            Event::Key { key, pressed: true, modifiers, .. } => Some(Chord {
                ctrl: modifiers.command,
                shift: modifiers.shift,
                alt: modifiers.alt,
                key: key.name().to_owned(),
            }),
            _ => None,
        })
    })
}

fn fits(keys: &str, pressed: Key, modifiers: egui::Modifiers) -> bool {
    let chord = Chord::parse(keys);
    let Some(key) = Key::from_name(&chord.key) else { return false };
    // A question mark needs shift on most keyboards and none on some.
    let shift = key == Key::Questionmark || modifiers.shift == chord.shift;
    key == pressed && shift && modifiers.command == chord.ctrl && modifiers.alt == chord.alt
}

/// Width of a column of the sheet, points.
const COLUMN: f32 = 280.0;

/// Draws the sheet while `is_open`.
pub fn sheet_ui(ctx: &Context, is_open: &mut bool, theme: &Theme) {
    let keymap = in_force(ctx);
    let window = Window::new("Keys").open(is_open).collapsible(false).resizable(false);
    window.anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO).show(ctx, |ui| {
        // As many columns as the window has room for; what does not fit scrolls.
        let room = ctx.content_rect().size() - egui::vec2(60.0, 140.0);
        let columns = ((room.x / COLUMN) as usize).clamp(1, 4);
        ScrollArea::vertical().max_height(room.y.max(120.0)).show(ui, |ui| {
            let grid = Grid::new("keys").num_columns(2 * columns).spacing([12.0, 3.0]);
            grid.show(ui, |ui| {
                let height = TABLE.len().div_ceil(columns);
                for i in 0..height {
                    for row in (0..columns).filter_map(|c| TABLE.get(i + c * height)) {
                        let keys = shown(&keymap, row.command);
                        ui.label(RichText::new(keys).small().color(color(theme.ui.accent)));
                        ui.label(RichText::new(row.text).small()).on_hover_text(row.about);
                    }
                    ui.end_row();
                }
            });
        });
        ui.add_space(6.0);
        ui.weak("Other keys can be chosen in the preferences");
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
