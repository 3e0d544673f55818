//! The right panel, where a chain is selected that the file has already or that was made for hair: what it is, and
//! whether springs drive it. How it swings is said by `springs`, as for any chain.

use egui::{RichText, Ui, WidgetInfo};

use super::Asked;
use super::springs::answers_ui;
use super::theme::{Theme, color};
use super::widgets::{fact, fold};
use crate::studio::{ChainPanel, Command, Edit, Selection, words};

/// Draws the inspector of a chain.
pub fn chain_ui(ui: &mut Ui, panel: &ChainPanel, theme: &Theme, asked: &mut Asked) {
    ui.label(RichText::new(&panel.name).heading().color(color(theme.ui.text_strong)));
    ui.add_space(4.0);
    ui.label(panel.sentence);
    ui.add_space(6.0);
    if panel.can_choose {
        switch_ui(ui, panel, theme, asked);
        ui.add_space(6.0);
    }
    fold(ui, "What it is", "what chain", true, |ui| {
        for (name, value) in &panel.facts {
            fact(ui, theme, name, value);
        }
        let n = words::counted(panel.bones.len(), "bone", "bones");
        ui.label(RichText::new(n).color(color(theme.ui.text_weak)));
        for (node, name) in &panel.bones {
            if ui.selectable_label(false, name).on_hover_text("Show this bone").clicked() {
                asked.push(Command::Select(Selection::Joint(*node)));
            }
        }
    });
    if panel.is_driven && panel.is_hair {
        let why = panel.why_still.as_deref();
        fold(ui, "Motion", "chain motion", true, |ui| answers_ui(ui, why, theme, asked));
    }
}

/// Springs or clips, and the way back to what the program does by itself.
fn switch_ui(ui: &mut Ui, panel: &ChainPanel, theme: &Theme, asked: &mut Asked) {
    let mut ask = |driven: Option<bool>| {
        let chain = panel.name.clone();
        asked.push(Command::Edit(Edit::Existing { chain, driven }));
    };
    ui.horizontal(|ui| {
        let mut is_driven = panel.is_driven;
        let about =
            "Springs move these bones wherever a clip has no keys for them; without, only clips do";
        let switch = ui.checkbox(&mut is_driven, "Drive with springs").on_hover_text(about);
        if switch.changed() {
            ask(Some(is_driven));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| match panel.chosen {
            None => {
                ui.label(RichText::new("automatic").color(color(theme.ui.text_weak)));
            }
            Some(_) => {
                let auto = ui.button("Auto").on_hover_text("As the program sees fit");
                auto.widget_info(|| {
                    WidgetInfo::labeled(egui::Role::Button, true, "Springs by themselves")
                });
                if auto.clicked() {
                    ask(None);
                }
            }
        });
    });
    if let (false, Some(why)) = (panel.is_driven, &panel.why_still) {
        ui.label(RichText::new(why).color(color(theme.ui.text_weak)));
    }
}
