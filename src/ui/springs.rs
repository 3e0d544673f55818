//! The sliders of a chain: live, while it swings.

use egui::{ComboBox, RichText, Ui, WidgetInfo};

use super::theme::{Theme, color};
use super::widgets::{Knob, section};
use super::{Asked, icons};
use crate::model::{Curve, SpringSettings};
use crate::studio::{Command, Edit, SpringPanel};

/// Draws the sliders.
pub fn springs_ui(ui: &mut Ui, panel: &SpringPanel, theme: &Theme, asked: &mut Asked) {
    section(ui, theme, "SPRINGS");
    presets_ui(ui, panel, theme, asked);
    if let Some(why) = panel.why_still {
        let text = format!("{}  {why}", icons::warning());
        ui.label(RichText::new(text).color(color(theme.ui.warning)));
    }
    let mut settings = panel.settings;
    let swing = swing_ui(ui, &mut settings, theme, asked);
    let shape = shape_ui(ui, &mut settings, theme, asked);
    let contact = contact_ui(ui, &mut settings, theme, asked);
    if swing || shape || contact {
        let edit = Edit::Springs { region: panel.region, settings: Some(settings) };
        // Before a commit of the same frame: the last value belongs to the drag.
        let at = asked
            .commands
            .iter()
            .position(|c| matches!(c, Command::Commit))
            .unwrap_or(asked.commands.len());
        asked.commands.insert(at, Command::Edit(edit));
    }
}

fn presets_ui(ui: &mut Ui, panel: &SpringPanel, theme: &Theme, asked: &mut Asked) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(&panel.name).color(color(theme.ui.text_strong)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let combo = ComboBox::from_id_salt("preset").selected_text("Preset").width(96.0);
            let shown = combo.show_ui(ui, |ui| {
                for preset in &panel.presets {
                    if ui.selectable_label(false, *preset).clicked() {
                        asked.push(Command::ApplyPreset {
                            region: panel.region,
                            name: (*preset).to_owned(),
                        });
                    }
                }
            });
            let label = || WidgetInfo::labeled(egui::Role::ComboBox, true, "Preset");
            shown.response.widget_info(label);
            if panel.is_tuned && ui.button("Reset").on_hover_text("As all other chains").clicked() {
                let edit = Edit::Springs { region: panel.region, settings: None };
                asked.push(Command::Edit(edit));
            }
        });
    });
}

/// Puts what a knob returned into its place; whether a hand moved it.
fn take(value: Option<f32>, into: impl FnOnce(f32)) -> bool {
    value.map(into).is_some()
}

fn swing_ui(ui: &mut Ui, s: &mut SpringSettings, theme: &Theme, asked: &mut Asked) -> bool {
    let default = SpringSettings::default();
    let knob =
        |name, about, range, reset, unit| Knob { name, about, range, reset, unit, decimals: 2 };
    let root = knob(
        "Frequency at root",
        "Swings in a second. More is stiffer and livelier",
        0.05..=4.0,
        default.frequency_hz.root,
        " Hz",
    );
    let tip = knob(
        "Frequency at tip",
        "Half the root's reads as muscle, then hair",
        0.05..=4.0,
        default.frequency_hz.tip,
        " Hz",
    );
    let damping = knob(
        "Damping",
        "Below 1 it overshoots, above it creeps back",
        0.0..=2.0,
        default.damping_ratio.root,
        "",
    );
    let gravity =
        knob("Gravity", "A tail has muscle: 1, not 9.8", -5.0..=20.0, default.gravity, " m/s²");
    let coupling = knob(
        "Smooth along chain",
        "How fast neighbouring bends even out",
        0.0..=40.0,
        default.coupling_rate,
        " /s",
    );
    let mut moved = take(root.show(ui, theme, s.frequency_hz.root, asked), |v| {
        s.frequency_hz.root = v;
    });
    moved |= take(tip.show(ui, theme, s.frequency_hz.tip, asked), |v| s.frequency_hz.tip = v);
    moved |= take(damping.show(ui, theme, s.damping_ratio.root, asked), |v| {
        s.damping_ratio = Curve::constant(v);
    });
    moved |= take(gravity.show(ui, theme, s.gravity, asked), |v| s.gravity = v);
    moved | take(coupling.show(ui, theme, s.coupling_rate, asked), |v| s.coupling_rate = v)
}

fn shape_ui(ui: &mut Ui, s: &mut SpringSettings, theme: &Theme, asked: &mut Asked) -> bool {
    let default = SpringSettings::default();
    let degrees = |name, about, range, reset: f32| Knob {
        name,
        about,
        range,
        reset: reset.to_degrees(),
        unit: "°",
        decimals: 0,
    };
    let lift = degrees(
        "Lift (whole tail)",
        "Raises the tail back and up, shared by its bones",
        -150.0..=150.0,
        default.carry_rad,
    );
    let limit = degrees(
        "Bend limit",
        "Largest bend of one bone beyond rest",
        0.0..=180.0,
        default.bend_limit_rad,
    );
    let curl = Knob {
        name: "Keep curl",
        about: "1 keeps the modelled sideways curl (restCurve), 0 straightens it",
        range: 0.0..=1.0,
        reset: default.rest_curve,
        unit: "",
        decimals: 2,
    };
    let mut moved = take(lift.show(ui, theme, s.carry_rad.to_degrees(), asked), |v| {
        s.carry_rad = v.to_radians();
    });
    moved |= take(limit.show(ui, theme, s.bend_limit_rad.to_degrees(), asked), |v| {
        s.bend_limit_rad = v.to_radians();
    });
    moved | take(curl.show(ui, theme, s.rest_curve, asked), |v| s.rest_curve = v)
}

fn contact_ui(ui: &mut Ui, s: &mut SpringSettings, theme: &Theme, asked: &mut Asked) -> bool {
    let thickness = Knob {
        name: "Thickness",
        about: "Distance kept from the floor",
        range: 0.0..=20.0,
        reset: SpringSettings::default().radius_m.root * 100.0,
        unit: " cm",
        decimals: 1,
    };
    let radius = thickness.show(ui, theme, s.radius_m.root * 100.0, asked);
    let mut moved = take(radius, |v| s.radius_m = Curve::constant(v / 100.0));
    ui.horizontal_wrapped(|ui| {
        let mut check = |value: &mut bool, name: &str, about: &str| {
            moved |= ui.checkbox(value, name).on_hover_text(about).changed();
        };
        check(&mut s.ground, "Floor", "The floor holds the chain");
        check(&mut s.keep_behind, "Stay behind body", "Not in front of the plane through its root");
        check(&mut s.leg_colliders, "Legs push", "The legs' capsules push the chain");
    });
    moved
}
