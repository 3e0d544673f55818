//! The character as a whole: facts, which of the file's characters is shown, and which bone is who.

use egui::{ComboBox, RichText, Ui, WidgetInfo};

use super::bone_picker::bone_picker;
use super::theme::{Theme, color};
use super::widgets::{fact, fold, named};
use super::{Asked, icons};
use crate::studio::{CharacterPanel, Command, FileCommand, RoleRow, Selection, UserCommand, words};

/// Draws what is shown where nothing is selected.
pub fn character_ui(ui: &mut Ui, panel: &CharacterPanel, theme: &Theme, asked: &mut Asked) {
    ui.label(RichText::new(&panel.name).heading().color(color(theme.ui.text_strong)));
    ui.add_space(6.0);
    fold(ui, "Character", "character", true, |ui| {
        if panel.characters.len() > 1 {
            shown_ui(ui, panel, theme, asked);
        }
        for (name, value) in &panel.facts {
            fact(ui, theme, name, value);
        }
    });
    fold(ui, "Who is who", "roles", true, |ui| {
        let row = UserCommand::EditRetargetPose.row();
        if ui.button(row.text).on_hover_text(row.about).clicked() {
            asked.user(UserCommand::EditRetargetPose);
        }
        let is_first = |row: &&RoleRow| row.is_essential;
        panel.roles.iter().filter(is_first).for_each(|row| role_ui(ui, panel, row, theme, asked));
        fold(ui, "Fingers and more", "more roles", false, |ui| {
            let others = panel.roles.iter().filter(|row| !row.is_essential);
            others.for_each(|row| role_ui(ui, panel, row, theme, asked));
        });
    });
}

/// Which of the file's characters is shown.
fn shown_ui(ui: &mut Ui, panel: &CharacterPanel, theme: &Theme, asked: &mut Asked) {
    named(ui, theme, "Shown", |ui| {
        let name = panel.characters.get(panel.shown).map_or("", String::as_str);
        let combo = ComboBox::from_id_salt("shown character").selected_text(name).width(170.0);
        let shown = combo.show_ui(ui, |ui| {
            for (i, name) in (0..).zip(&panel.characters) {
                let is_on = i as usize == panel.shown;
                if ui.selectable_label(is_on, name).clicked() && !is_on {
                    asked.push(Command::File(FileCommand::Show(i)));
                }
            }
        });
        let info = || WidgetInfo::labeled(egui::Role::ComboBox, true, "Shown character");
        shown.response.widget_info(info);
    });
}

fn role_ui(ui: &mut Ui, panel: &CharacterPanel, row: &RoleRow, theme: &Theme, asked: &mut Asked) {
    let label = words::role(row.role.name());
    named(ui, theme, &label, |ui| {
        bone_picker(ui, row, &panel.bones, 170.0, theme, asked);
        if let Some((node, _)) = &row.bone {
            let show = egui::Button::new(icons::frame().to_string()).frame_when_inactive(false);
            let response = ui.add(show).on_hover_text("Show this bone");
            let info = || WidgetInfo::labeled(egui::Role::Button, true, format!("Show {label}"));
            response.widget_info(info);
            if response.clicked() {
                asked.push(Command::Select(Selection::Joint(*node)));
            }
        }
        if row.by_user {
            ui.label(RichText::new(icons::by_user()).color(color(theme.ui.text_weak)))
                .on_hover_text("You chose this");
        }
    });
}
