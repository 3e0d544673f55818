//! The bar of tools beside the viewport, and the line of what can be done with what is marked.

use egui::{Align2, Rect, RichText, Ui, UiBuilder, WidgetInfo};

use super::keys::shortcut;
use super::theme::{Theme, color};
use super::widgets::{about_with_keys, command_button, floating};
use super::{Asked, icons};
use crate::studio::{BRUSH, Command, Marking, Tool, ToolCommand, ToolPanel, UserCommand, words};

/// Width of a tool's button with what is around it.
const WIDTH: f32 = 34.0;
/// Height of a button with what parts it from the next.
const ROW: f32 = 32.0;

fn icon(tool: Tool) -> char {
    match tool {
        Tool::Select => icons::select(),
        Tool::Box => icons::box_select(),
        Tool::Lasso => icons::lasso(),
        Tool::Brush => icons::brush(),
        Tool::Tip => icons::tip(),
        Tool::RootTip => icons::root_tip(),
        Tool::Cut => icons::cut(),
        Tool::Move => icons::move_bone(),
        Tool::Turn => icons::turn_collider(),
        Tool::Scale => icons::resize(),
    }
}

/// Draws the bar along the left edge of `rect`, below the bar of views.
pub fn tool_bar_ui(ui: &mut Ui, rect: Rect, panel: &ToolPanel, theme: &Theme, asked: &mut Asked) {
    let at = rect.min + egui::vec2(12.0, 56.0);
    let mut buttons = Tool::ALL.map(|t| (icon(t), UserCommand::Tool(t), panel.tool == t)).to_vec();
    buttons.push((icons::mirror(), UserCommand::MirrorMarks, panel.is_mirrored));
    buttons.push((icons::through(), UserCommand::ReachThrough, panel.is_through));
    // A low viewport takes them in columns rather than cut off.
    let height = (rect.height() - 64.0).max(40.0);
    let n_rows = ((height / ROW) as usize).clamp(1, buttons.len());
    let n_columns = buttons.len().div_ceil(n_rows);
    let area = Rect::from_min_size(at, egui::vec2(WIDTH * n_columns as f32, height));
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        floating(theme).show(ui, |ui| {
            ui.spacing_mut().item_spacing = egui::vec2(2.0, 2.0);
            ui.horizontal_top(|ui| {
                for column in buttons.chunks(buttons.len().div_ceil(n_columns)) {
                    ui.vertical(|ui| {
                        for &(icon, command, is_on) in column {
                            command_button(ui, icon, command, is_on, asked);
                        }
                    });
                }
            });
        });
    });
}

/// Whether [`marks_ui`] has something to say.
pub fn has_bar(panel: &ToolPanel) -> bool {
    panel.n_marked > 0 || panel.n_regions > 1 || !panel.hint.is_empty()
}

/// Draws the line at the bottom of `rect`: what the tool wants, the brush's size, what to do with what is marked.
pub fn marks_ui(ui: &Ui, rect: Rect, panel: &ToolPanel, theme: &Theme, asked: &mut Asked) {
    let has_marks = panel.n_marked > 0;
    if !has_bar(panel) {
        return;
    }
    let area = egui::Area::new(egui::Id::unique("marks")).order(egui::Order::Middle);
    let bottom = rect.center_bottom() - egui::vec2(0.0, 14.0);
    let area = area.pivot(Align2::CENTER_BOTTOM).fixed_pos(bottom).constrain_to(rect);
    area.show(ui.ctx(), |ui| {
        floating(theme).inner_margin(egui::Margin::symmetric(10, 5)).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                if has_marks {
                    actions_ui(ui, panel, theme, asked);
                } else if panel.n_regions > 1 {
                    let text = words::counted(panel.n_regions, "region", "regions");
                    ui.label(RichText::new(text).color(color(theme.ui.text_strong)));
                    act(ui, UserCommand::MergeRegions, "Merge", true, asked);
                }
                if !panel.hint.is_empty() && !has_marks {
                    ui.label(RichText::new(&panel.hint).color(color(theme.ui.text_weak)));
                }
                if panel.tool == Tool::Brush {
                    brush_ui(ui, panel, asked);
                }
            });
        });
    });
}

fn brush_ui(ui: &mut Ui, panel: &ToolPanel, asked: &mut Asked) {
    let mut radius = panel.radius;
    ui.spacing_mut().slider_width = 90.0;
    let slider = egui::Slider::new(&mut radius, BRUSH.0..=BRUSH.1).logarithmic(true);
    let response = ui.add(slider.show_value(false));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, "Size of the brush"));
    let [smaller, larger] =
        [UserCommand::BrushSmaller, UserCommand::BrushLarger].map(|c| shortcut(ui.ctx(), c));
    let about = format!("Size of the brush  ({smaller} and {larger})");
    if response.on_hover_text(about).changed() {
        asked.push(Command::Tool(ToolCommand::Radius(radius)));
    }
}

fn actions_ui(ui: &mut Ui, panel: &ToolPanel, theme: &Theme, asked: &mut Asked) {
    let text = format!("{} marked", words::counted(panel.n_marked, "vertex", "vertices"));
    ui.label(RichText::new(text).color(color(theme.ui.text_strong)));
    command_button(ui, icons::less(), UserCommand::ShrinkMarks, false, asked);
    command_button(ui, icons::more(), UserCommand::GrowMarks, false, asked);
    if panel.makes_regions {
        act(ui, UserCommand::NewRegion, "New region", true, asked);
    }
    if let Some(region) = &panel.region {
        join(ui, &format!("Add to {region}"), Marking::Add, asked);
        join(ui, &format!("Take from {region}"), Marking::Take, asked);
        act(ui, UserCommand::SplitRegion, "Split off", false, asked);
    }
    command_button(ui, icons::close(), UserCommand::SelectNone, false, asked);
}

fn join(ui: &mut Ui, label: &str, how: Marking, asked: &mut Asked) {
    let about = match how {
        Marking::Take => "What is marked is no longer part of the region",
        Marking::Add | Marking::Replace => "What is marked becomes part of the region",
    };
    if ui.button(label).on_hover_text(about).clicked() {
        asked.push(Command::Tool(ToolCommand::Join(how)));
    }
}

fn act(ui: &mut Ui, command: UserCommand, label: &str, is_first: bool, asked: &mut Asked) {
    let about = about_with_keys(ui, command);
    let text = if is_first { RichText::new(label).strong() } else { RichText::new(label) };
    if ui.button(text).on_hover_text(about).clicked() {
        asked.user(command);
    }
}
