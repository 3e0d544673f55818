//! The panels of the Hair workspace: what is picked and fitted, how it swings, what keeps it out, what it measures.

use egui::{ComboBox, Grid, RichText, Ui, WidgetInfo};

use super::Asked;
use super::theme::{Theme, color};
use super::widgets::{Knob, fact, section};
use crate::model::{Curve, HairSettings, HairSolver};
use crate::studio::{Command, HairCommand, HairPanel, HairPick, PickBy, UserCommand};

fn ask(asked: &mut Asked, command: HairCommand) {
    asked.push(Command::Hair(command));
}

/// The left panel: picking, the next fit, the strands there are.
pub fn strands_ui(ui: &mut Ui, panel: &HairPanel, theme: &Theme, asked: &mut Asked) {
    section(ui, theme, "PICK");
    pick_ui(ui, panel, asked);
    section(ui, theme, "FIT");
    fit_ui(ui, panel, theme, asked);
    section(ui, theme, "STRANDS");
    if panel.strands.is_empty() {
        ui.weak("No hair with bones yet");
    }
    for row in &panel.strands {
        ui.horizontal(|ui| {
            ui.label(&row.name);
            ui.label(RichText::new(&row.about).small().color(color(theme.ui.text_weak)));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if let Some(at) = row.picked {
                    let remove = ui.small_button("Remove");
                    let said = || {
                        WidgetInfo::labeled(
                            egui::Role::Button,
                            true,
                            format!("Remove {}", row.name),
                        )
                    };
                    remove.widget_info(said);
                    if remove.on_hover_text("Give the skin back to what moved it").clicked() {
                        ask(asked, HairCommand::Remove(at));
                    }
                }
            });
        });
    }
}

/// What clicks pick, what is picked, and what can be done with it.
fn pick_ui(ui: &mut Ui, panel: &HairPanel, asked: &mut Asked) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        // All five stand in one row of the panel as it opens.
        ui.spacing_mut().button_padding.x = 6.0;
        for by in PickBy::ALL {
            let chosen = ui.selectable_label(panel.by == by, by.name()).on_hover_text(by.about());
            if chosen.clicked() {
                ask(asked, HairCommand::PickBy(by));
            }
        }
    });
    if panel.picked.is_empty() {
        ui.weak("Click the hair that needs bones, or mark it with box, lasso or brush. Shift adds, Ctrl takes away");
        return;
    }
    ui.label(&panel.picked);
    ui.horizontal(|ui| {
        for (label, pick, about) in [
            ("Grow", HairPick::Grow, "A ring more is picked"),
            ("Shrink", HairPick::Shrink, "A ring less is picked"),
            ("Clear", HairPick::Clear, "Nothing is picked"),
        ] {
            if ui.button(label).on_hover_text(about).clicked() {
                ask(asked, HairCommand::Pick(pick));
            }
        }
    });
    let mut each = panel.each_piece;
    let about = "Each connected piece becomes a strand of its own; else all that is picked is one. To part hair \
                 that is of one piece, pick Root and click the roots, with Shift";
    if ui.checkbox(&mut each, "A strand for each piece").on_hover_text(about).clicked() {
        ask(asked, HairCommand::EachPiece(each));
    }
}

/// Joints, attachment, what the fit would do, and the button that does it.
fn fit_ui(ui: &mut Ui, panel: &HairPanel, theme: &Theme, asked: &mut Asked) {
    ui.horizontal(|ui| {
        ui.label("Bones");
        let mut joints = panel.joints.unwrap_or(0);
        let field = egui::DragValue::new(&mut joints).range(0..=64).custom_formatter(|n, _| {
            if n < 1.0 { "by length".to_owned() } else { format!("{n:.0}") }
        });
        let response = ui.add(field);
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::SpinButton, true, "Bones of the strand")
        });
        if response.on_hover_text("0 takes one for each sixteenth of the height").changed() {
            ask(asked, HairCommand::Joints((joints > 0).then_some(joints)));
        }
    });
    ui.horizontal(|ui| {
        ui.label("Hangs from");
        let name = |node| panel.attachments.iter().find(|(n, _)| Some(*n) == node);
        let shown = name(panel.attach).or(panel.attachments.first()).map_or("", |(_, n)| n);
        ComboBox::from_id_salt("hair attachment").selected_text(shown).show_ui(ui, |ui| {
            for (node, name) in &panel.attachments {
                if ui.selectable_label(panel.attach == Some(*node), name).clicked() {
                    ask(asked, HairCommand::Attach(Some(*node)));
                }
            }
        });
    });
    for proposal in &panel.proposals {
        ui.label(RichText::new(proposal).color(color(theme.ui.text_weak)));
    }
    let label = match panel.n_proposed {
        0 | 1 => "Fit bones".to_owned(),
        n => format!("Fit bones of {n} strands"),
    };
    let fit = egui::Button::new(label).min_size(egui::vec2(120.0, 28.0));
    let fit = ui.add_enabled(panel.n_proposed > 0, fit);
    if fit.on_hover_text("What is picked gets the bones that are drawn over it").clicked() {
        ask(asked, HairCommand::Fit);
    }
}

/// The right panel: rule and sliders, tests, measures, colliders, faces.
pub fn settings_ui(ui: &mut Ui, panel: &HairPanel, theme: &Theme, asked: &mut Asked) {
    section(ui, theme, "TRY");
    ui.horizontal_wrapped(|ui| {
        if ui.button("Head turn").on_hover_text("Four seconds of turning, eight of rest").clicked()
        {
            ask(asked, HairCommand::HeadTurn);
        }
        let rest = ui.button("Move, then rest");
        if rest.on_hover_text("Sweep the body once and watch the hair settle").clicked() {
            ask(asked, HairCommand::MoveThenRest);
        }
        if ui.button("Close-up").on_hover_text("Head and hair fill the view").clicked() {
            asked.user(UserCommand::FrameSelection);
        }
        let mut compared = panel.is_compared;
        let compare = ui.checkbox(&mut compared, "Compare with the earlier rule");
        let about = "Both side by side, in the same motion: the earlier rule with the artist's own \
                     colliders on the left";
        if compare.on_hover_text(about).clicked() {
            ask(asked, HairCommand::SideBySide(compared));
        }
    });
    section(ui, theme, "MEASURED IN THE HEAD-TURN TEST");
    measures_ui(ui, panel, theme);
    section(ui, theme, "SWING");
    swing_ui(ui, panel, theme, asked);
    section(ui, theme, "KEPT OUT OF");
    let mut fits = panel.fits_colliders;
    let about = "Grown to body and clothes within a bound; off brings the artist's own back";
    if ui.checkbox(&mut fits, "Fit colliders").on_hover_text(about).clicked() {
        ask(asked, HairCommand::FitColliders(fits));
    }
    let shown = ui.button("Show or hide them");
    if shown.on_hover_text(UserCommand::ShowColliders.row().about).clicked() {
        asked.user(UserCommand::ShowColliders);
    }
    for row in &panel.colliders {
        fact(ui, theme, &row.name, &row.about);
    }
    if !panel.strands.is_empty() {
        section(ui, theme, "SKIRTS");
    }
    for row in &panel.strands {
        let mut is_on = row.is_skirt;
        if ui.checkbox(&mut is_on, &row.name).clicked() {
            ask(asked, HairCommand::Skirt { chain: row.name.clone(), is_on });
        }
    }
    if let Some(shown) = panel.outlines {
        section(ui, theme, "LOOK");
        outlines_ui(ui, shown, asked);
    }
    if !panel.faces.is_empty() {
        section(ui, theme, "FACE");
    }
    for (name, weight) in &panel.faces {
        let mut shown = *weight;
        let slider = egui::Slider::new(&mut shown, 0.0..=1.0).text(name);
        if ui.add(slider).changed() {
            ask(asked, HairCommand::Face { name: name.clone(), weight: shown });
        }
    }
}

/// Lines round drawn materials: of all, and of hair where any are shown.
fn outlines_ui(ui: &mut Ui, [any, hair]: [bool; 2], asked: &mut Asked) {
    for (command, is_on, can) in
        [(UserCommand::ShowOutlines, any, true), (UserCommand::ShowHairOutlines, hair, any)]
    {
        let (row, mut shown) = (command.row(), is_on);
        let switch = ui.add_enabled(can, egui::Checkbox::new(&mut shown, row.text));
        if switch.on_hover_text(row.about).clicked() {
            asked.user(command);
        }
    }
}

fn measures_ui(ui: &mut Ui, panel: &HairPanel, theme: &Theme) {
    if panel.measures.is_empty() {
        ui.weak("Measured in a moment, once there is hair with bones");
        return;
    }
    Grid::new("hair measures").num_columns(3).spacing([16.0, 2.0]).show(ui, |ui| {
        for title in ["", "now", "earlier"] {
            ui.label(RichText::new(title).small().color(color(theme.ui.text_weak)));
        }
        ui.end_row();
        for line in &panel.measures {
            ui.label(RichText::new(line.name).color(color(theme.ui.text_weak)));
            ui.label(&line.improved);
            ui.label(RichText::new(&line.earlier).color(color(theme.ui.text_weak)));
            ui.end_row();
        }
    });
}

fn swing_ui(ui: &mut Ui, panel: &HairPanel, theme: &Theme, asked: &mut Asked) {
    let mut settings = panel.settings;
    ui.horizontal(|ui| {
        let preset = panel.preset.as_deref().unwrap_or("Preset");
        ComboBox::from_id_salt("hair preset").selected_text(preset).show_ui(ui, |ui| {
            for name in HairSettings::PRESETS {
                if ui.selectable_label(panel.preset.as_deref() == Some(name), name).clicked() {
                    ask(asked, HairCommand::Preset(name.to_owned()));
                }
            }
        });
        for (solver, name, about) in [
            (HairSolver::Improved, "Tailbone", "Holds the hairstyle in the head's frame"),
            (HairSolver::Earlier, "Earlier", "Aims from the bent parent, to compare with"),
            (HairSolver::VrmApp, "VRM app", "What programs that run VRM's own springs will show"),
        ] {
            let chosen = ui.selectable_label(settings.solver == solver, name).on_hover_text(about);
            if chosen.clicked() {
                settings.solver = solver;
            }
        }
    });
    let usual = HairSettings::IMPROVED;
    let curves: [(Knob<'_>, &mut Curve); 2] = [
        (
            Knob {
                name: "Stiffness",
                about: "More holds the hairstyle tighter, less lets it swing",
                range: (0.0, 1000.0),
                reset: usual.stiffness.root,
                unit: " /s²",
                decimals: 0,
            },
            &mut settings.stiffness,
        ),
        (
            Knob {
                name: "Damping",
                about: "More comes to rest sooner",
                range: (0.0, 40.0),
                reset: usual.damping.root,
                unit: " /s",
                decimals: 1,
            },
            &mut settings.damping,
        ),
    ];
    for (knob, curve) in curves {
        if let Some(new) = knob.show_curve(ui, theme, *curve, asked) {
            *curve = new;
        }
    }
    let knobs: [(Knob<'_>, &mut f32); 3] = [
        (
            Knob {
                name: "Gravity",
                about: "A hairstyle already hangs; more pulls it straighter",
                range: (-5.0, 20.0),
                reset: usual.gravity,
                unit: " m/s²",
                decimals: 1,
            },
            &mut settings.gravity,
        ),
        (
            Knob {
                name: "Even bends",
                about: "How fast neighbouring bones share their bend",
                range: (0.0, 40.0),
                reset: usual.coupling_rate,
                unit: " /s",
                decimals: 1,
            },
            &mut settings.coupling_rate,
        ),
        (
            Knob {
                name: "Neighbours",
                about: "Keeps strands that hang side by side together",
                range: (0.0, 1000.0),
                reset: usual.neighbour_stiffness,
                unit: " /s²",
                decimals: 0,
            },
            &mut settings.neighbour_stiffness,
        ),
    ];
    for (knob, value) in knobs {
        if let Some(new) = knob.show(ui, theme, *value, asked) {
            *value = new;
        }
    }
    let limit = Knob {
        name: "Bend limit",
        about: "How far a bone may bend beyond the hairstyle: less stretches the skin less",
        range: (1.0, 180.0),
        reset: usual.bend_limit_rad.to_degrees(),
        unit: "°",
        decimals: 0,
    };
    if let Some(new) = limit.show(ui, theme, settings.bend_limit_rad.to_degrees(), asked) {
        settings.bend_limit_rad = new.to_radians();
    }
    if settings != panel.settings {
        let command = HairCommand::Settings(Box::new(settings));
        asked.before_commit(Command::Hair(command));
    }
}
