//! The sliders of a chain: live, while it swings.

use egui::{ComboBox, RichText, Ui, WidgetInfo};

use super::theme::{Theme, color};
use super::widgets::{Knob, icon_button, section};
use super::{Asked, icons};
use crate::model::{Curve, SpringSettings};
use crate::studio::{Command, Edit, SpringPanel};

/// Draws the sliders.
pub fn springs_ui(ui: &mut Ui, panel: &SpringPanel, theme: &Theme, asked: &mut Asked) {
    presets_ui(ui, panel, asked);
    if let Some(why) = panel.why_still {
        let text = format!("{}  {why}", icons::warning());
        ui.label(RichText::new(text).color(color(theme.ui.warning)));
    }
    let mut settings = panel.settings;
    section(ui, theme, "SWING");
    swing_ui(ui, &mut settings, theme, asked);
    section(ui, theme, "SHAPE");
    shape_ui(ui, &mut settings, theme, asked);
    section(ui, theme, "CONTACT");
    contact_ui(ui, &mut settings, theme, asked);
    section(ui, theme, "STANDING STILL");
    sway_ui(ui, &mut settings, theme, asked);
    if settings != panel.settings {
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

fn presets_ui(ui: &mut Ui, panel: &SpringPanel, asked: &mut Asked) {
    let region = panel.region;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let combo = ComboBox::from_id_salt("preset").selected_text("Preset").width(110.0);
        let mut hovered = None;
        let shown = combo.show_ui(ui, |ui| {
            for preset in &panel.presets {
                let line = ui.selectable_label(false, *preset);
                if line.hovered() {
                    hovered = Some((*preset).to_owned());
                }
                if line.clicked() {
                    asked.push(Command::ApplyPreset { region, name: (*preset).to_owned() });
                }
            }
        });
        // What the pointer rests on swings at once; nothing is decided until it is clicked.
        if hovered != panel.previewed {
            asked.push(Command::PreviewPreset { region, name: hovered });
        }
        let response = shown.response;
        response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Preset"));
        response.on_hover_text("Rest the pointer on a preset to see it swing");
        let about = "Copy these springs";
        if icon_button(ui, icons::copy(), "Copy springs", about, false).clicked() {
            asked.push(Command::CopySprings(panel.settings));
        }
        ui.add_enabled_ui(panel.can_paste, |ui| {
            let about = "Paste the copied springs onto this chain";
            if icon_button(ui, icons::paste(), "Paste springs", about, false).clicked() {
                asked.push(Command::PasteSprings { region });
            }
        });
        let about = "Change between two tunings of this chain";
        let button = egui::Button::new(if panel.is_b { "B" } else { "A" });
        let response = ui.add(button.selected(panel.is_b).min_size([26.0, 24.0].into()));
        let label = || WidgetInfo::selected(egui::Role::Button, true, panel.is_b, "A or B");
        response.widget_info(label);
        if response.on_hover_text(about).clicked() {
            asked.push(Command::SwapSprings { region });
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_enabled_ui(panel.is_tuned, |ui| {
                let about = "Back to what all other chains have";
                if icon_button(ui, icons::reset(), "Reset tuning", about, false).clicked() {
                    asked.push(Command::Edit(Edit::Springs { region, settings: None }));
                }
            });
        });
    });
}

fn knob(
    name: &'static str,
    about: &'static str,
    range: (f32, f32),
    (reset, unit): (f32, &'static str),
) -> Knob<'static> {
    let decimals = if range.1 > 50.0 { 0 } else { 2 };
    Knob { name, about, range, reset, unit, decimals }
}

/// Shows a knob for a number in the model's own unit.
fn number(ui: &mut Ui, knob: &Knob<'_>, theme: &Theme, value: &mut f32, asked: &mut Asked) {
    if let Some(v) = knob.show(ui, theme, *value, asked) {
        *value = v;
    }
}

/// Shows a knob for an angle: degrees on the screen, radians in the model.
fn angle(ui: &mut Ui, knob: &Knob<'_>, theme: &Theme, value: &mut f32, asked: &mut Asked) {
    if let Some(v) = knob.show(ui, theme, value.to_degrees(), asked) {
        *value = v.to_radians();
    }
}

/// Shows a knob for a curve.
fn curve(ui: &mut Ui, knob: &Knob<'_>, theme: &Theme, value: &mut Curve, asked: &mut Asked) {
    if let Some(v) = knob.show_curve(ui, theme, *value, asked) {
        *value = v;
    }
}

fn swing_ui(ui: &mut Ui, s: &mut SpringSettings, theme: &Theme, asked: &mut Asked) {
    let d = SpringSettings::default();
    let frequency = knob(
        "Frequency",
        "Swings in a second, at the root and at the tip. More is stiffer and livelier; half as much at the tip reads as muscle, then hair",
        (0.05, 8.0),
        (d.frequency_hz.root, " Hz"),
    );
    let damping = knob(
        "Damping",
        "Below 1 it overshoots, above it creeps back",
        (0.0, 2.0),
        (d.damping_ratio.root, ""),
    );
    let about = "A tail has muscle: 1, not 9.8";
    let gravity = knob("Gravity", about, (-20.0, 20.0), (d.gravity, " m/s²"));
    let about = "How fast neighbouring bends even out";
    let coupling = knob("Smooth along chain", about, (0.0, 40.0), (d.coupling_rate, " /s"));
    curve(ui, &frequency, theme, &mut s.frequency_hz, asked);
    curve(ui, &damping, theme, &mut s.damping_ratio, asked);
    number(ui, &gravity, theme, &mut s.gravity, asked);
    number(ui, &coupling, theme, &mut s.coupling_rate, asked);
}

fn shape_ui(ui: &mut Ui, s: &mut SpringSettings, theme: &Theme, asked: &mut Asked) {
    let d = SpringSettings::default();
    let lift = knob(
        "Lift (whole tail)",
        "Raises the tail back and up, shared by its bones",
        (-150.0, 150.0),
        (d.carry_rad.to_degrees(), "°"),
    );
    let limit = knob(
        "Bend limit",
        "Largest bend of one bone beyond rest",
        (0.0, 180.0),
        (d.bend_limit_rad.to_degrees(), "°"),
    );
    let about = "1 keeps the modelled sideways curl (restCurve), 0 straightens it";
    let curl = knob("Keep curl", about, (0.0, 1.0), (d.rest_curve, ""));
    let about = "1 keeps the modelled up-and-down curve, 0 straightens it";
    let sag = knob("Keep sag", about, (0.0, 1.0), (1.0, ""));
    angle(ui, &lift, theme, &mut s.carry_rad, asked);
    angle(ui, &limit, theme, &mut s.bend_limit_rad, asked);
    number(ui, &curl, theme, &mut s.rest_curve, asked);
    let mut is_auto = s.sag_curve.is_none();
    let about = "Keep sag as the tail was modelled: a hanging one keeps it, a raised one does not";
    if ui.checkbox(&mut is_auto, "Keep sag by itself").on_hover_text(about).changed() {
        s.sag_curve = if is_auto { None } else { Some(1.0) };
    }
    if let Some(value) = &mut s.sag_curve {
        number(ui, &sag, theme, value, asked);
    }
}

fn contact_ui(ui: &mut Ui, s: &mut SpringSettings, theme: &Theme, asked: &mut Asked) {
    let d = SpringSettings::default();
    let thickness = Knob {
        name: "Thickness",
        about: "Distance kept from the floor, at the root and at the tip",
        range: (0.0, 20.0),
        reset: d.radius_m.root * 100.0,
        unit: " cm",
        decimals: 1,
    };
    let cm = Curve { root: s.radius_m.root * 100.0, tip: s.radius_m.tip * 100.0, ..s.radius_m };
    if let Some(v) = thickness.show_curve(ui, theme, cm, asked) {
        s.radius_m = Curve { root: v.root / 100.0, tip: v.tip / 100.0, ease: v.ease };
    }
    ui.horizontal_wrapped(|ui| {
        let check = |ui: &mut Ui, value: &mut bool, name: &str, about: &str| {
            ui.checkbox(value, name).on_hover_text(about);
        };
        check(ui, &mut s.ground, "Floor", "The floor holds the chain");
        let about = "Not in front of the plane through its root";
        check(ui, &mut s.keep_behind, "Stay behind body", about);
        check(ui, &mut s.leg_colliders, "Legs push", "The legs' capsules push the chain");
    });
    if s.ground {
        let about = "Height of the floor over the body's own";
        let height = knob("Floor height", about, (-2.0, 2.0), (0.0, " m"));
        number(ui, &height, theme, &mut s.ground_height_m, asked);
        let about = "How fast sliding on the floor dies down";
        let slide = knob("Slide damping", about, (0.0, 40.0), (d.slide_damping, " /s"));
        number(ui, &slide, theme, &mut s.slide_damping, asked);
    }
}

fn sway_ui(ui: &mut Ui, s: &mut SpringSettings, theme: &Theme, asked: &mut Asked) {
    let d = SpringSettings::default();
    let about = "How far the tip sways while the character stands still";
    let sway = Knob { decimals: 1, ..knob("Sway", about, (0.0, 45.0), (0.0, "°")) };
    let about = "How often it sways";
    let often = knob("Sway frequency", about, (0.0, 4.0), (d.sway_hz, " Hz"));
    angle(ui, &sway, theme, &mut s.sway_rad, asked);
    if s.sway_rad > 0.0 {
        number(ui, &often, theme, &mut s.sway_hz, asked);
    }
    let about =
        "Lengths and gravity are stated for a character of 1.91 m and scale with the height";
    ui.checkbox(&mut s.scale_with_height, "Scale with the character's height").on_hover_text(about);
}
