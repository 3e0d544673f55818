//! The top bar: menus, undo and redo, the file's name.

use egui::{RichText, Ui};

use super::keys::shortcut;
use super::theme::{Theme, color};
use super::widgets::icon_button;
use super::{Asked, icons};
use crate::studio::{Command, Tool, UserCommand, Workspace, words};

/// What the bar shows.
#[derive(Clone, Debug, Default)]
pub struct TopBar {
    /// Name of the file.
    pub file: String,
    /// What undo would take back.
    pub undo: Option<String>,
    /// What redo would do again.
    pub redo: Option<String>,
    /// Files opened before.
    pub recent: Vec<String>,
    /// The workspace that is shown.
    pub workspace: Workspace,
    /// Panels of the workspace, and whether they are shown.
    pub panels: Vec<(&'static str, bool)>,
}

fn item(ui: &mut Ui, command: UserCommand, asked: &mut Asked) {
    let row = command.row();
    let keys = shortcut(ui.ctx(), command);
    let button = egui::Button::new(row.text).shortcut_text(keys);
    if ui.add(button).on_hover_text(row.about).clicked() {
        asked.user(command);
        ui.close();
    }
}

/// Draws the bar; the place in its list of a panel that is to be shown or closed.
pub fn menu_ui(ui: &mut Ui, bar: &TopBar, theme: &Theme, asked: &mut Asked) -> Option<usize> {
    use UserCommand as C;
    let mut toggled = None;
    ui.horizontal_centered(|ui| {
        let name = RichText::new("Tailbone").strong().size(14.0).color(color(theme.ui.accent));
        ui.label(name);
        ui.add_space(4.0);
        ui.menu_button("File", |ui| {
            item(ui, C::Open, asked);
            item(ui, C::AddClips, asked);
            ui.add_enabled_ui(!bar.recent.is_empty(), |ui| {
                ui.menu_button("Open recent", |ui| recent_ui(ui, &bar.recent, asked));
            });
            ui.separator();
            for command in [C::Save, C::SaveAs, C::SaveScript, C::Reload] {
                item(ui, command, asked);
            }
            ui.separator();
            item(ui, C::Export, asked);
            ui.separator();
            item(ui, C::Quit, asked);
        });
        let groups: [(&str, &[C]); 5] = [
            (
                "Edit",
                &[
                    C::Undo,
                    C::Redo,
                    C::History,
                    C::NextDoubtful,
                    C::EditRetargetPose,
                    C::SelectNone,
                    C::Rename,
                    C::Palette,
                    C::Preferences,
                ],
            ),
            (
                "Region",
                &[
                    C::NewRegion,
                    C::SplitRegion,
                    C::MergeRegions,
                    C::UnmakeRegion,
                    C::Tool(Tool::Tip),
                    C::Tool(Tool::RootTip),
                    C::Tool(Tool::Cut),
                    C::Tool(Tool::Box),
                    C::Tool(Tool::Lasso),
                    C::Tool(Tool::Brush),
                    C::Tool(Tool::Move),
                    C::MirrorMarks,
                    C::ReachThrough,
                ],
            ),
            (
                "Collider",
                &[
                    C::AddSphere,
                    C::AddCapsule,
                    C::Tool(Tool::Move),
                    C::Tool(Tool::Turn),
                    C::Tool(Tool::Scale),
                    C::FitCollider,
                    C::MirrorCollider,
                    C::RestoreCollider,
                    C::UnmakeRegion,
                    C::HideMesh,
                    C::SoloMesh,
                    C::ShowColliders,
                ],
            ),
            (
                "View",
                &[
                    C::FrameSelection,
                    C::FrameAll,
                    C::ViewFront,
                    C::ViewSide,
                    C::ViewTop,
                    C::ViewOrthographic,
                    C::ShowJoints,
                    C::ShowRegions,
                    C::ShowChains,
                    C::ShowOutlines,
                    C::ShowHairOutlines,
                    C::Turntable,
                    C::SplitView,
                    C::HideMesh,
                    C::SoloMesh,
                    C::ShowMeshes,
                    C::ToggleLibrary,
                    C::ToggleTheme,
                ],
            ),
            ("Help", &[C::KeySheet]),
        ];
        for (title, commands) in groups {
            ui.menu_button(title, |ui| {
                commands.iter().for_each(|c| item(ui, *c, asked));
                if title == "View" {
                    ui.separator();
                    ui.menu_button("Panels", |ui| panels_ui(ui, bar, &mut toggled, asked));
                }
            });
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(RichText::new(&bar.file).color(color(theme.ui.text_weak)));
            ui.add_space(8.0);
            step_ui(ui, (icons::redo(), C::Redo, bar.redo.as_deref()), asked);
            step_ui(ui, (icons::undo(), C::Undo, bar.undo.as_deref()), asked);
            ui.add_space(12.0);
            tabs_ui(ui, bar.workspace, asked);
        });
    });
    toggled
}

/// Which panels are shown.
fn panels_ui(ui: &mut Ui, bar: &TopBar, toggled: &mut Option<usize>, asked: &mut Asked) {
    for (place, (title, is_shown)) in bar.panels.iter().enumerate() {
        let mut is_on = *is_shown;
        if ui.checkbox(&mut is_on, *title).changed() {
            *toggled = Some(place);
        }
    }
    ui.separator();
    item(ui, UserCommand::ResetLayout, asked);
}

/// Files opened before, by name; their folders in the tooltip.
fn recent_ui(ui: &mut Ui, recent: &[String], asked: &mut Asked) {
    for file in recent {
        if ui.button(words::file_name(file)).on_hover_text(file).clicked() {
            asked.push(Command::Open(file.clone()));
            ui.close();
        }
    }
}

/// Tabs of the workspaces, from the right.
fn tabs_ui(ui: &mut Ui, current: Workspace, asked: &mut Asked) {
    ui.spacing_mut().item_spacing.x = 2.0;
    for workspace in Workspace::ALL.into_iter().rev() {
        let is_on = workspace == current;
        let tab = egui::Button::new(workspace.name()).frame_when_inactive(is_on).selected(is_on);
        let response = ui.add(tab);
        response.widget_info(|| {
            let label = format!("Workspace {}", workspace.name());
            egui::WidgetInfo::selected(egui::Role::Tab, true, is_on, label)
        });
        if response.on_hover_text(workspace.about()).clicked() {
            asked.push(Command::Workspace(workspace));
        }
    }
}

fn step_ui(
    ui: &mut Ui,
    (icon, command, step): (char, UserCommand, Option<&str>),
    asked: &mut Asked,
) {
    let row = command.row();
    let keys = shortcut(ui.ctx(), command);
    let about = step.map_or_else(
        || format!("Nothing to {}", row.text.to_lowercase()),
        |step| format!("{}: {step}  ({})", row.text, keys),
    );
    ui.add_enabled_ui(step.is_some(), |ui| {
        if icon_button(ui, icon, row.text, &about, false).clicked() {
            asked.user(command);
        }
    });
}
