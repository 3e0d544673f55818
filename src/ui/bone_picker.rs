//! Whose a humanoid role is: a list of bones with a search.

use egui::{ComboBox, PopupCloseBehavior, RichText, Ui, WidgetInfo};

use super::Asked;
use super::theme::{Theme, color};
use crate::model::NodeIndex;
use crate::studio::{Command, Edit, PosingCommand, RoleRow, WhoIs, words};

/// Whose bones a picker lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BonesOf {
    /// The character's.
    Character,
    /// Those of the skeleton that a clip was made for.
    Clip,
}

/// Draws the bone of a role, `width` wide; a click lists all `bones`, those that fit what is typed there.
pub fn bone_picker(
    ui: &mut Ui,
    of: BonesOf,
    (row, bones, width): (&RoleRow, &[(NodeIndex, String)], f32),
    theme: &Theme,
    asked: &mut Asked,
) -> egui::Response {
    let label = words::role(row.role.name());
    let name = row.bone.as_ref().map_or("none", |(_, name)| name.as_str());
    let is_missed = row.bone.is_none() && row.is_essential;
    let tone = if is_missed { theme.ui.warning } else { theme.ui.text };
    // A prefix that all bones share ("mixamorig:") tells nothing, and the list shows it.
    let short = name.rsplit_once(':').map_or(name, |(_, short)| short);
    let text = RichText::new(short).color(color(tone));
    let search = ui.make_persistent_id(("bone search", of, row.role));
    let combo = ComboBox::from_id_salt(("role", of, row.role)).selected_text(text).width(width);
    // A click into the search is no choice.
    let combo = combo.truncate().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let shown = combo.height(320.0).show_ui(ui, |ui| {
        if let Some(who) = choices_ui(ui, search, row, bones) {
            let role = row.role;
            asked.push(match of {
                BonesOf::Character => Command::Edit(Edit::Role { role, who }),
                BonesOf::Clip => Command::Posing(PosingCommand::SourceRole { role, who }),
            });
            ui.close();
        }
    });
    if shown.inner.is_none() {
        // The next search begins anew.
        ui.data_mut(|d| d.remove::<String>(search));
    }
    let said = match of {
        BonesOf::Character => format!("Bone of {label}"),
        BonesOf::Clip => format!("Clip's bone of {label}"),
    };
    shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, &said));
    shown.response
}

/// The search, whose text stands at `search`, and what fits it; what was chosen.
fn choices_ui(
    ui: &mut Ui,
    search: egui::Id,
    row: &RoleRow,
    bones: &[(NodeIndex, String)],
) -> Option<WhoIs> {
    let typed: Option<String> = ui.data(|d| d.get_temp(search));
    let is_fresh = typed.is_none();
    let mut typed = typed.unwrap_or_default();
    let field = egui::TextEdit::singleline(&mut typed).hint_text("Search bones");
    let response = ui.add(field.desired_width(180.0));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::SearchInput, true, "Search bones"));
    if is_fresh {
        response.request_focus();
    }
    let mut who = None;
    if ui.selectable_label(!row.by_user, "Automatic").clicked() {
        who = Some(WhoIs::Auto);
    }
    if ui.selectable_label(row.by_user && row.bone.is_none(), "None").clicked() {
        who = Some(WhoIs::Nobody);
    }
    ui.separator();
    let wanted = typed.trim().to_lowercase();
    let mut first = None;
    for (node, bone) in bones.iter().filter(|(_, bone)| bone.to_lowercase().contains(&wanted)) {
        first = first.or(Some(*node));
        let is_on = row.bone.as_ref().is_some_and(|(n, _)| n == node);
        if ui.selectable_label(is_on, bone).clicked() {
            who = Some(WhoIs::Joint(*node));
        }
    }
    if first.is_none() {
        ui.weak("No bone of that name");
    }
    // Enter takes the first that fits.
    let enters = response.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
    who = who.or(first.filter(|_| enters && !wanted.is_empty()).map(WhoIs::Joint));
    ui.data_mut(|d| d.insert_temp(search, typed));
    who
}
