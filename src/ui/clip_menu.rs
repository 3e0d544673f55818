//! Making a clip of another, in the menu of its tile: its times, speed, sides and name.

use std::ops::RangeInclusive;

use egui::{DragValue, Grid, Id, Popup, PopupCloseBehavior, Response, RichText, TextEdit, Ui};

use super::Asked;
use super::theme::{Theme, color};
use crate::studio::{ClipCommand, ClipEdit, Command, Tile};

/// Shortest clip that can be cut out, seconds.
const LEAST_SECS: f64 = 0.05;

/// What stands in the menu while it is open.
#[derive(Clone, Debug)]
struct Form {
    name: String,
    from_secs: f64,
    to_secs: f64,
    speed: f64,
    mirror: bool,
}

impl Form {
    fn of(tile: &Tile) -> Self {
        let (title, whole_secs) = &tile.whole;
        let edit = tile.edit.clone().unwrap_or_default();
        Self {
            name: edit.name.unwrap_or_else(|| format!("{title} edited")),
            from_secs: edit.from_secs,
            to_secs: edit.to_secs.unwrap_or(*whole_secs).min(*whole_secs),
            speed: edit.speed,
            mirror: edit.mirror,
        }
    }

    fn edit(&self, whole_secs: f64) -> ClipEdit {
        // What stands between the parts of an edit cannot be in a name.
        let name = self.name.replace('@', " ").trim().to_owned();
        // Hundredths are shown: what looks like the end is the end.
        let is_cut = self.to_secs < whole_secs - 0.005;
        ClipEdit {
            from_secs: self.from_secs,
            to_secs: is_cut.then_some(self.to_secs),
            mirror: self.mirror,
            speed: self.speed,
            name: (!name.is_empty()).then_some(name),
        }
    }
}

/// Shows the menu of a tile after a right click on it.
pub fn clip_menu(response: &Response, tile: &Tile, theme: &Theme, asked: &mut Asked) {
    let id = response.id.with("clip form");
    // A click into a field is no choice.
    let behavior = PopupCloseBehavior::CloseOnClickOutside;
    let menu = Popup::context_menu(response).close_behavior(behavior);
    if menu.show(|ui| form_ui(ui, id, tile, theme, asked)).is_none() {
        // The next one begins with what the clip is.
        response.ctx.data_mut(|d| d.remove::<Form>(id));
    }
}

fn form_ui(ui: &mut Ui, id: Id, tile: &Tile, theme: &Theme, asked: &mut Asked) {
    let kept: Option<Form> = ui.data(|d| d.get_temp(id));
    let mut form = kept.unwrap_or_else(|| Form::of(tile));
    let (title, whole_secs) = &tile.whole;
    let is_made = tile.edit.is_some();
    let about = match is_made {
        true => format!("Made of {title}"),
        false => format!("Make another clip of {title}"),
    };
    // These are fields and buttons; in a menu they would look like lines of text.
    ui.reset_style();
    ui.label(RichText::new(about).color(color(theme.ui.text_weak)));
    Grid::new(id.with("fields")).num_columns(2).show(ui, |ui| {
        let label = ui.label("Name");
        let field = TextEdit::singleline(&mut form.name).desired_width(150.0);
        ui.add(field).labelled_by(label.id);
        ui.end_row();
        let latest = (form.to_secs - LEAST_SECS).max(0.0);
        let about = "Where it begins, in seconds of the whole clip";
        number(ui, ("From", about), &mut form.from_secs, (0.0..=latest, " s"));
        let earliest = (form.from_secs + LEAST_SECS).min(*whole_secs);
        let about = "Where it ends, in seconds of the whole clip";
        number(ui, ("To", about), &mut form.to_secs, (earliest..=*whole_secs, " s"));
        let about = "How many times as fast it plays";
        number(ui, ("Speed", about), &mut form.speed, (0.05..=20.0, " ×"));
    });
    ui.checkbox(&mut form.mirror, "Mirror left and right");
    ui.horizontal(|ui| {
        if ui.button(if is_made { "Change" } else { "Make a clip" }).clicked() {
            let edit = form.edit(*whole_secs).to_string();
            asked.push(Command::Clips(ClipCommand::Make { of: tile.place, edit }));
            ui.close();
        }
        if is_made && ui.button("Remove").on_hover_text("The clip it is made of stays").clicked() {
            asked.push(Command::Clips(ClipCommand::Unmake(tile.name.clone())));
            ui.close();
        }
    });
    ui.data_mut(|d| d.insert_temp(id, form));
}

fn number(
    ui: &mut Ui,
    (name, about): (&str, &str),
    value: &mut f64,
    (range, unit): (RangeInclusive<f64>, &str),
) {
    let label = ui.label(name);
    let field = DragValue::new(value).range(range).speed(0.01).max_decimals(2).suffix(unit);
    ui.add(field).labelled_by(label.id).on_hover_text(about);
    ui.end_row();
}
