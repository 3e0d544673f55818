//! The sliders of a chain: live, while it swings.

use egui::{ComboBox, RichText, Ui, WidgetInfo};
use egui_plot::{Line, Plot, PlotPoints};

use super::theme::{Theme, color};
use super::widgets::{Knob, icon_button, section};
use super::{Asked, icons};
use crate::model::{Curve, SpringSettings};
use crate::studio::{Command, PlayCommand, PresetRow, SpringPanel, SpringsOf, TestMotion, words};

/// Draws the sliders.
pub fn springs_ui(ui: &mut Ui, panel: &SpringPanel, theme: &Theme, asked: &mut Asked) {
    if panel.n_others > 0 {
        let chains = words::counted(panel.n_others + 1, "chain", "chains");
        let text = match panel.is_mixed {
            true => format!("{chains}, tuned in several ways: only what you change goes for all"),
            false => format!("{chains}, tuned alike"),
        };
        ui.label(RichText::new(text).color(color(theme.ui.text_weak)));
    }
    presets_ui(ui, panel, asked);
    answers_ui(ui, panel.why_still.as_deref(), theme, asked);
    plot_ui(ui, panel, theme);
    if let Some(settings) = sliders_ui(ui, panel.settings, theme, asked) {
        asked.before_commit(Command::Edit(panel.of.tuned(Some(settings))));
    }
}

/// All sliders of a chain; the springs that a hand has made of `before`, where it has moved any.
fn sliders_ui(
    ui: &mut Ui,
    before: SpringSettings,
    theme: &Theme,
    asked: &mut Asked,
) -> Option<SpringSettings> {
    let mut settings = before;
    section(ui, theme, "SWING");
    swing_ui(ui, &mut settings, theme, asked);
    section(ui, theme, "SHAPE");
    shape_ui(ui, &mut settings, theme, asked);
    section(ui, theme, "CONTACT");
    contact_ui(ui, &mut settings, theme, asked);
    section(ui, theme, "STANDING STILL");
    sway_ui(ui, &mut settings, theme, asked);
    (settings != before).then_some(settings)
}

/// What the body can be made to do, and why a chain does not answer.
pub(super) fn answers_ui(ui: &mut Ui, why_still: Option<&str>, theme: &Theme, asked: &mut Asked) {
    tests_ui(ui, theme, asked);
    if let Some(why) = why_still {
        let text = format!("{}  {why}", icons::warning());
        ui.label(RichText::new(text).color(color(theme.ui.warning)));
    }
}

/// What the body can be made to do at a click.
fn tests_ui(ui: &mut Ui, theme: &Theme, asked: &mut Asked) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label(RichText::new("Try").color(color(theme.ui.text_weak)));
        for motion in TestMotion::ALL {
            let (icon, about) = match motion {
                TestMotion::HipSweep => (icons::sweep(), "Sweep the hips half a metre and back"),
                TestMotion::Turn => (icons::turn(), "Turn half round and back"),
                TestMotion::Hop => (icons::hop(), "Hop"),
                TestMotion::Drop => (icons::fall(), "Lift by a metre and let go"),
                TestMotion::Teleport => (icons::teleport(), "Ten metres away at once, and back"),
            };
            if icon_button(ui, icon, motion.name(), about, false).clicked() {
                asked.push(Command::Play(PlayCommand::Test(motion)));
            }
        }
        let about = "Walk: the character's own walk, else one of the library";
        if icon_button(ui, icons::walk(), "Walk", about, false).clicked() {
            asked.push(Command::Play(PlayCommand::Walk));
        }
    });
}

/// The last seconds: how far the tip is from rest, how far each bone is bent, how much the skin is stretched.
fn plot_ui(ui: &mut Ui, panel: &SpringPanel, theme: &Theme) {
    let header = egui::CollapsingHeader::new(RichText::new("Last seconds").small());
    header.id_salt("plot").default_open(true).show_unindented(ui, |ui| {
        let plot = |id: &str, unit: &'static str, decimals: usize| {
            Plot::new(id.to_owned())
                .height(64.0)
                .show_axes([false, true])
                .y_axis_min_width(34.0)
                .y_axis_formatter(move |mark, _| format!("{:.decimals$} {unit}", mark.value))
                .show_grid(false)
                .allow_drag(false)
                .allow_zoom(false)
                .allow_scroll(false)
                .show_x(false)
                .show_y(false)
                .include_x(-5.0)
                .include_x(0.0)
                .set_margin_fraction(egui::vec2(0.0, 0.08))
        };
        let line = |name: String, points: &[[f64; 2]], width: f32, tone: egui::Color32| {
            Line::new(name, PlotPoints::from(points.to_vec())).width(width).color(tone)
        };
        let accent = color(theme.ui.accent);
        let tip = plot("tip", "cm", 0).include_y(0.0).include_y(5.0).show(ui, |ui| {
            ui.line(line("Tip from rest".into(), &panel.trace.tip_cm, 1.5, accent));
        });
        let said = || WidgetInfo::labeled(egui::Role::Image, true, "Plot of the tip");
        tip.response.widget_info(said);
        tip.response.on_hover_text("Distance of the tip from where it rests");
        let bends = plot("bends", "°", 0).include_y(0.0).include_y(10.0).show(ui, |ui| {
            let n = panel.trace.bends_deg.len().max(1) as f32;
            for (i, points) in panel.trace.bends_deg.iter().enumerate() {
                let tone = accent.gamma_multiply(1.0 - 0.7 * i as f32 / n);
                ui.line(line(format!("Bone {}", i + 1), points, 1.2, tone));
            }
        });
        let said = || WidgetInfo::labeled(egui::Role::Image, true, "Plot of the bends");
        bends.response.widget_info(said);
        bends
            .response
            .on_hover_text("Bend of each bone beyond rest; the root is the strongest line");
        let [region, body] = &panel.trace.stretch;
        if region.is_empty() {
            return;
        }
        let stretch = plot("stretch", "×", 1).include_y(1.0).include_y(1.5).show(ui, |ui| {
            ui.line(line("Body".into(), body, 1.2, color(theme.ui.text_weak)));
            ui.line(line("Region".into(), region, 1.5, accent));
        });
        let said = || WidgetInfo::labeled(egui::Role::Image, true, "Plot of the stretch");
        stretch.response.widget_info(said);
        stretch.response.on_hover_text(
            "How far skin is stretched, in lengths at rest: 99 of 100 edges are below the line. In grey the body's; from 1.5 on the region's looks torn",
        );
    });
}

fn presets_ui(ui: &mut Ui, panel: &SpringPanel, asked: &mut Asked) {
    let of = &panel.of;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let typed = ui.make_persistent_id("preset name");
        let combo = ComboBox::from_id_salt("preset").selected_text("Preset").width(110.0);
        // A click into the name is no choice.
        let combo = combo.close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        let mut hovered = None;
        let shown = combo.height(320.0).show_ui(ui, |ui| {
            for preset in &panel.presets {
                preset_ui(ui, (of, preset), &mut hovered, asked);
            }
            if panel.can_save {
                ui.separator();
                if let Some(name) = preset_name_ui(ui, typed) {
                    asked.push(Command::SavePreset { of: of.clone(), name });
                    ui.close();
                }
            }
        });
        // What the pointer rests on swings at once; nothing is decided until it is clicked.
        if hovered != panel.previewed {
            asked.push(Command::PreviewPreset { of: of.clone(), name: hovered });
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
                asked.push(Command::PasteSprings { of: of.clone() });
            }
        });
        let about = "Change between two tunings of this chain";
        let button = egui::Button::new(if panel.is_b { "B" } else { "A" });
        let response = ui.add(button.selected(panel.is_b).min_size([26.0, 24.0].into()));
        let label = || WidgetInfo::selected(egui::Role::Button, true, panel.is_b, "A or B");
        response.widget_info(label);
        if response.on_hover_text(about).clicked() {
            asked.push(Command::SwapSprings { of: of.clone() });
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_enabled_ui(panel.is_tuned, |ui| {
                let about = "Back to what all other chains have";
                if icon_button(ui, icons::reset(), "Reset tuning", about, false).clicked() {
                    asked.push(Command::Edit(of.tuned(None)));
                }
            });
        });
    });
}

/// A preset that is offered; one of the user's can be thrown away.
fn preset_ui(
    ui: &mut Ui,
    (of, preset): (&SpringsOf, &PresetRow),
    hovered: &mut Option<String>,
    asked: &mut Asked,
) {
    let name = preset.name.clone();
    let is_chosen = ui
        .horizontal(|ui| {
            let line = ui.selectable_label(false, &name);
            if line.hovered() {
                *hovered = Some(name.clone());
            }
            let about = "Throw this preset of yours away";
            let label = format!("Remove preset {name}");
            if preset.is_own && icon_button(ui, icons::close(), &label, about, false).clicked() {
                asked.push(Command::RemovePreset(name.clone()));
            }
            line.clicked()
        })
        .inner;
    if is_chosen {
        asked.push(Command::ApplyPreset { of: of.clone(), name });
        ui.close();
    }
}

/// A field for the name of a preset, whose text stands at `id`; the name, once it is entered.
fn preset_name_ui(ui: &mut Ui, id: egui::Id) -> Option<String> {
    let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    let field = egui::TextEdit::singleline(&mut typed).hint_text("Save as…, then Enter");
    let about = "Keeps these springs as a preset of yours, in place of one of that name";
    let response = ui.add(field.desired_width(150.0)).on_hover_text(about);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Save preset as"));
    let name = typed.trim().to_owned();
    let is_entered = response.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
    if is_entered && !name.is_empty() {
        ui.data_mut(|d| d.remove::<String>(id));
        return Some(name);
    }
    ui.data_mut(|d| d.insert_temp(id, typed));
    None
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
