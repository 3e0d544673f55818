//! The character as a whole: where it faces and how tall it is, facts, which of the file's characters is shown, and which
//! bone is who.

use egui::{ComboBox, RichText, Ui, WidgetInfo};

use super::bone_picker::{BonesOf, bone_picker};
use super::theme::{Theme, color};
use super::widgets::{fact, fold, named};
use super::{Asked, icons};
use crate::model::{Facing, StatedBody};
use crate::studio::{
    CharacterPanel, Command, Edit, FileCommand, RoleRow, Selection, UserCommand, words,
};

/// Draws what is shown where nothing is selected.
pub fn character_ui(ui: &mut Ui, panel: &CharacterPanel, theme: &Theme, asked: &mut Asked) {
    ui.label(RichText::new(&panel.name).heading().color(color(theme.ui.text_strong)));
    ui.add_space(6.0);
    fold(ui, "Character", "character", true, |ui| {
        if panel.characters.len() > 1 {
            shown_ui(ui, panel, theme, asked);
        }
        facing_ui(ui, panel, theme, asked);
        height_ui(ui, panel, theme, asked);
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

/// Where it faces; a hand knows it better where names are mirrored or the shape was misread.
fn facing_ui(ui: &mut Ui, panel: &CharacterPanel, theme: &Theme, asked: &mut Asked) {
    named(ui, theme, "Faces", |ui| {
        let combo = ComboBox::from_id_salt("faces").selected_text(&panel.faces).width(170.0);
        let shown = combo.show_ui(ui, |ui| {
            let choices = std::iter::once(None).chain(Facing::ALL.map(Some));
            for facing in choices {
                let name = facing.map_or("Automatic", Facing::name);
                let is_on = panel.stated.facing == facing;
                if ui.selectable_label(is_on, name).clicked() && !is_on {
                    asked.push(Command::Edit(Edit::Facing(facing)));
                }
            }
        });
        let info = || WidgetInfo::labeled(egui::Role::ComboBox, true, "Faces");
        shown.response.widget_info(info);
        shown.response.on_hover_text(
            "Which axis of the file it faces along: left and right change sides where that is the other way",
        );
        if panel.stated.facing.is_some() {
            by_user_ui(ui, theme);
        }
    });
}

/// How tall it is.
fn height_ui(ui: &mut Ui, panel: &CharacterPanel, theme: &Theme, asked: &mut Asked) {
    named(ui, theme, "Height", |ui| {
        let mut height = panel.height_m;
        // What is only shown must not be changed, whatever a file says.
        let (least, most) = StatedBody::HEIGHTS_M.into_inner();
        let range = least.min(height)..=most.max(height);
        // Without skin there is nothing that a height could be measured of.
        let is_known = height > 0.0;
        let number = egui::DragValue::new(&mut height)
            .range(range)
            .speed(0.01)
            .fixed_decimals(2)
            .custom_formatter(|m, _| if m > 0.0 { format!("{m:.2}") } else { "unknown".to_owned() })
            .suffix(if is_known { " m" } else { "" })
            .custom_parser(|text| words::number_in(text, " m"))
            .update_while_editing(false);
        let response = ui.add(number);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Height"));
        if response.drag_started() {
            asked.push(Command::Begin("change the height".to_owned()));
        }
        let (is_changed, is_over) = (response.changed(), response.drag_stopped());
        response.on_hover_text(
            "How tall it is: thresholds are shares of it, and springs scale with it; drag, or click to type",
        );
        if is_changed && height != panel.height_m {
            asked.push(Command::Edit(Edit::Height(Some(height))));
        }
        if is_over {
            asked.push(Command::Commit);
        }
        if panel.stated.height_m.is_some() {
            let auto = ui.button("Auto").on_hover_text("As tall as its skin");
            let info = || WidgetInfo::labeled(egui::Role::Button, true, "Measured height");
            auto.widget_info(info);
            if auto.clicked() {
                asked.push(Command::Edit(Edit::Height(None)));
            }
            by_user_ui(ui, theme);
        }
    });
}

/// The mark of what the user has decided.
fn by_user_ui(ui: &mut Ui, theme: &Theme) {
    ui.label(RichText::new(icons::by_user()).color(color(theme.ui.text_weak)))
        .on_hover_text("You chose this");
}

fn role_ui(ui: &mut Ui, panel: &CharacterPanel, row: &RoleRow, theme: &Theme, asked: &mut Asked) {
    let label = words::role(row.role.name());
    named(ui, theme, &label, |ui| {
        bone_picker(ui, BonesOf::Character, (row, &panel.bones, 170.0), theme, asked);
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
            by_user_ui(ui, theme);
        }
    });
}
