//! The right panel: what a region is, why it was treated so, and what to do with it instead.

use egui::{ComboBox, RichText, Ui, WidgetInfo};

use super::theme::{Theme, color};
use super::widgets::{about_with_keys, bar, fact, fold, icon_button, named, section};
use super::{Asked, icons};
use crate::model::Verdict;
use crate::studio::{Command, Edit, RegionPanel, UserCommand, words};

/// Treatments that can be asked for here.
const TREATMENTS: [Verdict; 5] =
    [Verdict::Chain, Verdict::Rigid, Verdict::Spread, Verdict::Columns, Verdict::Leave];

/// Draws the inspector of a region.
pub fn region_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme, asked: &mut Asked) {
    header_ui(ui, panel, theme);
    ui.add_space(4.0);
    ui.label(&panel.sentence);
    ui.add_space(6.0);
    treatment_ui(ui, panel, asked);
    ui.add_space(2.0);
    ui.label(RichText::new(&panel.change).color(color(theme.ui.text_weak)));
    ui.add_space(2.0);
    hands_ui(ui, panel, asked);
    ui.add_space(6.0);
    fold(ui, "What it is", "what", true, |ui| {
        for row in &panel.bars {
            bar(ui, theme, row);
        }
        fact(ui, theme, "Certainty", &format!("{:.0} %", panel.margin * 100.0));
        for (name, value) in &panel.facts {
            fact(ui, theme, name, value);
        }
    });
    fold(ui, "Bones and weights", "bones", true, |ui| {
        attachment_ui(ui, panel, theme, asked);
        if panel.n_joints.is_some() {
            joints_ui(ui, panel, theme, asked);
            places_ui(ui, panel, theme, asked);
        }
        if panel.verdict != Verdict::Leave {
            rings_ui(ui, panel, theme, asked);
        }
        match panel.verdict {
            Verdict::Spread => shared_ui(ui, panel, theme, asked),
            Verdict::Columns => strips_ui(ui, panel, theme, asked),
            _ => {}
        }
        trials_ui(ui, panel, theme);
    });
}

/// What hands can do to the region itself.
fn hands_ui(ui: &mut Ui, panel: &RegionPanel, asked: &mut Asked) {
    use crate::studio::Tool;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let mut tool = |icon: char, command: UserCommand, label: &str| {
            let about = about_with_keys(ui, command);
            let button = egui::Button::new(RichText::new(format!("{icon}  {label}")));
            let response = ui.add(button.frame_when_inactive(false));
            let info = || WidgetInfo::labeled(egui::Role::Button, true, format!("{label} region"));
            response.widget_info(info);
            if response.on_hover_text(about).clicked() {
                asked.user(command);
            }
        };
        tool(icons::brush(), UserCommand::Tool(Tool::Brush), "Paint");
        tool(icons::cut(), UserCommand::Tool(Tool::Cut), "Cut");
        if panel.n_others > 0 {
            tool(icons::more(), UserCommand::MergeRegions, "Merge");
        }
        if panel.is_made {
            tool(icons::close(), UserCommand::UnmakeRegion, "Give up");
        }
    });
}

/// Joints that a hand has moved, and whether weights follow them.
fn places_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme, asked: &mut Asked) {
    use crate::studio::Tool;
    named(ui, theme, "Places of bones", |ui| {
        let mut locked = panel.locks_weights;
        let lock = ui.checkbox(&mut locked, "Lock weights");
        if lock.on_hover_text("Weights stay as they are where bones are moved").changed() {
            asked.push(Command::Edit(Edit::LockWeights { region: panel.id, locked }));
        }
        if panel.is_moved {
            let back =
                ui.button("Put back").on_hover_text("Bones stand where the program puts them");
            if back.clicked() {
                let edit = Edit::Places { region: panel.id, places: Vec::new() };
                asked.push(Command::Edit(edit));
            }
        } else if ui
            .button("Move…")
            .on_hover_text(UserCommand::Tool(Tool::Move).row().about)
            .clicked()
        {
            asked.user(UserCommand::Tool(Tool::Move));
        }
    });
}

/// Stretch on Walk and Sprint, before and after.
fn trials_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme) {
    if panel.trials.is_empty() {
        return;
    }
    section(ui, theme, "STRETCH AND TEARS, AS LOADED → NOW");
    for trial in &panel.trials {
        let value = format!("{} → {}", trial.before, trial.after);
        fact(ui, theme, &trial.clip, &value);
    }
}

/// The bones that share a region that is spread.
fn shared_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme, asked: &mut Asked) {
    let mut joints = panel.shared_by.clone();
    named(ui, theme, "Shared by", |ui| {
        let text = match joints.len() {
            0 => "Bones nearby".to_owned(),
            n => words::counted(n, "bone", "bones"),
        };
        let combo = ComboBox::from_id_salt("shared").selected_text(text).width(150.0).height(320.0);
        let combo = combo.close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        let shown = combo.show_ui(ui, |ui| {
            for (node, name) in &panel.candidates {
                let mut is_in = joints.contains(node);
                if ui.checkbox(&mut is_in, name).changed() {
                    if is_in {
                        joints.push(*node);
                    } else {
                        joints.retain(|joint| joint != node);
                    }
                }
            }
        });
        shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Shared by"));
    });
    if joints != panel.shared_by {
        asked.push(Command::Edit(Edit::SharedBy { region: panel.id, joints }));
    }
    for row in &panel.shares {
        named(ui, theme, &row.name, |ui| {
            let about =
                "Show how much this bone moves each part of the skin; again: the skin itself";
            let label = format!("Weights of {}", row.name);
            if icon_button(ui, icons::eye(), &label, about, row.is_shown).clicked() {
                asked.push(Command::ShowWeights(row.node));
            }
            ui.label(format!("{:.0} %", row.share * 100.0));
        });
    }
}

/// The number of strips.
fn strips_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme, asked: &mut Asked) {
    named(ui, theme, "Strips", |ui| {
        let text = panel.strips.map_or_else(|| "Auto".to_owned(), |n| n.to_string());
        let combo = ComboBox::from_id_salt("strips").selected_text(text).width(80.0);
        let shown = combo.show_ui(ui, |ui| {
            let choices = std::iter::once(None).chain((2..=12).map(Some));
            for strips in choices {
                let name = strips.map_or_else(|| "Auto".to_owned(), |n| n.to_string());
                if ui.selectable_label(panel.strips == strips, name).clicked() {
                    asked.push(Command::Edit(Edit::Strips { region: panel.id, strips }));
                }
            }
        });
        shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Strips"));
    });
}

fn header_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme) {
    ui.horizontal(|ui| {
        let (dot, _) = ui.allocate_exact_size(egui::vec2(12.0, 20.0), egui::Sense::hover());
        ui.painter().circle_filled(dot.center(), 5.5, color(theme.viewport.kinds.of(panel.kind)));
        ui.label(RichText::new(&panel.name).heading().color(color(theme.ui.text_strong)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let who = match (panel.n_others, panel.chosen.is_some(), panel.is_made) {
                (0, true, _) => "your choice".to_owned(),
                (0, false, true) => "made by hand".to_owned(),
                (0, false, false) => "automatic".to_owned(),
                (n, ..) => format!("and {}", words::counted(n, "other", "others")),
            };
            ui.label(RichText::new(who).color(color(theme.ui.text_weak)));
        });
    });
}

fn treatment_ui(ui: &mut Ui, panel: &RegionPanel, asked: &mut Asked) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        // All six stand in one row of the narrowest inspector.
        ui.spacing_mut().button_padding.x = 6.0;
        let mut choice = |ui: &mut Ui, verdict: Option<Verdict>, name: &str, about: &str| {
            let is_on = panel.chosen == verdict;
            let button = egui::Button::new(name).selected(is_on);
            let response = ui.add(button);
            response.widget_info(|| {
                let label = format!("Treatment: {name}");
                WidgetInfo::selected(egui::Role::RadioButton, true, is_on, label)
            });
            if response.on_hover_text(about).clicked() && !is_on {
                asked.push(Command::Edit(Edit::Treatment { region: panel.id, verdict }));
            }
        };
        choice(ui, None, "Auto", "As the program sees fit");
        for verdict in TREATMENTS {
            let (name, about) = (words::treatment(verdict), words::treatment_about(verdict));
            choice(ui, Some(verdict), name, about);
        }
    });
}

fn attachment_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme, asked: &mut Asked) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("Hangs from").color(color(theme.ui.text_weak)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let combo = ComboBox::from_id_salt("attachment").selected_text(&panel.attachment_name);
            let shown = combo.width(150.0).show_ui(ui, |ui| {
                for (node, name) in &panel.candidates {
                    if ui.selectable_label(*node == panel.attachment, name).clicked() {
                        let edit = Edit::Attachment { region: panel.id, joint: Some(*node) };
                        asked.push(Command::Edit(edit));
                    }
                }
            });
            shown
                .response
                .widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Hangs from"));
        });
    });
}

/// The rings of body skin that blend, for all regions of the character.
fn rings_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme, asked: &mut Asked) {
    named(ui, theme, "Blend rings", |ui| {
        let mut rings = panel.blend_rings;
        // What is only shown must not be changed, whatever a file says.
        let most = RegionPanel::MOST_BLEND_RINGS.max(rings);
        let number = egui::DragValue::new(&mut rings).range(0..=most);
        let response = ui.add(number.speed(0.05).update_while_editing(false));
        if response.drag_started() {
            asked.push(Command::Begin("change blend rings".to_owned()));
        }
        let is_over = response.drag_stopped();
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Blend rings"));
        response.on_hover_text(
            "Rings of body skin round every region that hand their weights over: with none the skin tears at the root, \
             with many the thighs lose their own",
        );
        if rings != panel.blend_rings {
            asked.push(Command::Edit(Edit::BlendRings(rings)));
        }
        if is_over {
            asked.push(Command::Commit);
        }
    });
}

fn joints_ui(ui: &mut Ui, panel: &RegionPanel, theme: &Theme, asked: &mut Asked) {
    let n = panel.n_joints.unwrap_or(0) as u32;
    ui.horizontal(|ui| {
        ui.label(RichText::new("Bones in the chain").color(color(theme.ui.text_weak)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let mut ask = |joints: Option<u32>| {
                asked.push(Command::Edit(Edit::Joints { region: panel.id, joints }));
            };
            let small =
                |text: &str| egui::Button::new(text.to_owned()).min_size([26.0, 24.0].into());
            let more = ui.add_enabled(n < 16, small("+"));
            more.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "More bones"));
            if more.clicked() {
                ask(Some(n + 1));
            }
            ui.label(n.to_string());
            let fewer = ui.add_enabled(n > 1, small("–"));
            fewer.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "Fewer bones"));
            if fewer.clicked() {
                ask(Some(n.saturating_sub(1)));
            }
            if panel.chosen_joints.is_some() && ui.button("Auto count").clicked() {
                ask(None);
            }
        });
    });
}
