//! The inspector of a collider: what it is, its numbers, and what can be done with it.

use egui::{RichText, Ui};
use glam::Vec3;

use super::theme::{Theme, color};
use super::widgets::{Knob, about_with_keys, fact, named, section};
use super::{Asked, icons};
use crate::studio::{ColliderCommand, ColliderPanel, Command, Selection, Tool, UserCommand, words};

/// Centimetres of a metre: numbers of colliders are small.
const CM: f32 = 100.0;

/// Draws the inspector.
pub fn collider_ui(ui: &mut Ui, panel: &ColliderPanel, theme: &Theme, asked: &mut Asked) {
    ui.horizontal(|ui| {
        let icon = RichText::new(icons::collider()).color(color(theme.ui.accent));
        ui.label(icon);
        ui.label(RichText::new(&panel.name).heading().color(color(theme.ui.text_strong)));
    });
    ui.label(RichText::new(&panel.origin).color(color(theme.ui.text_weak)));
    if panel.n_others > 0 {
        let others = words::counted(panel.n_others, "other collider", "other colliders");
        ui.weak(format!("What is done goes for {others} too"));
    }
    ui.add_space(4.0);
    fact(ui, theme, "Shape", panel.kind);
    fact(ui, theme, "Strands", &panel.met_by);
    if let Some(before) = &panel.before {
        fact(ui, theme, "As the artist had it", before);
    }
    named(ui, theme, "Follows", |ui| {
        let shows = ui.button(&panel.joint.1).on_hover_text("Select this bone");
        if shows.clicked() {
            asked.push(Command::Select(Selection::Joint(panel.joint.0)));
        }
    });
    section(ui, theme, "NUMBERS, ALONG THE AXES OF THE BONE");
    numbers_ui(ui, panel, theme, asked);
    ui.add_space(6.0);
    acts_ui(ui, panel, asked);
}

/// Radius, start and end; a sphere's end goes with its start.
fn numbers_ui(ui: &mut Ui, panel: &ColliderPanel, theme: &Theme, asked: &mut Asked) {
    let (mut start, mut end) = (panel.start_m * CM, panel.end_m * CM);
    let mut radius = panel.radius_m.unwrap_or(0.0) * CM;
    let is_sphere = panel.start_m == panel.end_m;
    let mut is_changed = false;
    if panel.radius_m.is_some() {
        let knob = Knob {
            name: "Radius",
            about: "How far hair is kept from its axis",
            range: (0.0, 50.0),
            reset: radius,
            unit: " cm",
            decimals: 1,
        };
        if let Some(new) = knob.show(ui, theme, radius, asked) {
            (radius, is_changed) = (new, true);
        }
    }
    let names = ["Start X", "Start Y", "Start Z"];
    let moved = place_ui(ui, names, &mut start, theme, asked);
    is_changed |= moved;
    if is_sphere {
        end = start;
    } else {
        is_changed |= place_ui(ui, ["End X", "End Y", "End Z"], &mut end, theme, asked);
    }
    if is_changed {
        asked.before_commit(Command::Collider(ColliderCommand::Numbers {
            start_m: start / CM,
            end_m: end / CM,
            radius_m: radius / CM,
        }));
    }
}

fn place_ui(
    ui: &mut Ui,
    names: [&'static str; 3],
    place: &mut Vec3,
    theme: &Theme,
    asked: &mut Asked,
) -> bool {
    let mut is_changed = false;
    for (name, value) in names.into_iter().zip([&mut place.x, &mut place.y, &mut place.z]) {
        let knob = Knob {
            name,
            about: "Where it is, seen from its bone",
            range: (-100.0, 100.0),
            reset: *value,
            unit: " cm",
            decimals: 1,
        };
        if let Some(new) = knob.show(ui, theme, *value, asked) {
            (*value, is_changed) = (new, true);
        }
    }
    is_changed
}

fn acts_ui(ui: &mut Ui, panel: &ColliderPanel, asked: &mut Asked) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let mut act = |icon: char, command: UserCommand, label: &str, is_on: bool| {
            let about = about_with_keys(ui, command);
            let button = egui::Button::new(format!("{icon}  {label}"));
            let response = ui.add_enabled(is_on, button);
            let info = || egui::WidgetInfo::labeled(egui::Role::Button, is_on, label);
            response.widget_info(info);
            if response.on_hover_text(about).clicked() {
                asked.user(command);
            }
        };
        act(icons::move_bone(), UserCommand::Tool(Tool::Move), "Move", true);
        act(icons::turn_collider(), UserCommand::Tool(Tool::Turn), "Turn", panel.kind != "Sphere");
        act(icons::resize(), UserCommand::Tool(Tool::Scale), "Resize", panel.radius_m.is_some());
        act(icons::frame(), UserCommand::FitCollider, "Fit to skin", panel.radius_m.is_some());
        act(icons::mirror(), UserCommand::MirrorCollider, "Mirror collider", true);
        act(icons::undo(), UserCommand::RestoreCollider, "As it was", panel.can_restore);
        act(icons::close(), UserCommand::UnmakeRegion, "Remove collider", !panel.is_off);
    });
}

/// Buttons that make a collider on what is selected.
pub fn new_collider_ui(ui: &mut Ui, asked: &mut Asked) {
    ui.horizontal_wrapped(|ui| {
        for (icon, command) in
            [(icons::sphere(), UserCommand::AddSphere), (icons::capsule(), UserCommand::AddCapsule)]
        {
            let row = command.row();
            let button = ui.button(format!("{icon}  {}", row.text));
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, row.text));
            if button.on_hover_text(about_with_keys(ui, command)).clicked() {
                asked.user(command);
            }
        }
    });
}
