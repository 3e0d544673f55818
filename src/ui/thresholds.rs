//! The thresholds of detection: it runs again while a hand drags them.

use egui::Ui;

use super::Asked;
use super::theme::Theme;
use super::widgets::Knob;
use crate::studio::{Command, DetectSettings, Edit};

/// Draws the knobs.
pub fn thresholds_ui(ui: &mut Ui, settings: &DetectSettings, theme: &Theme, asked: &mut Asked) {
    let d = DetectSettings::default();
    let mut s = *settings;
    let mut knob = |name, about, range: (f32, f32), reset: f32, value: &mut f32| {
        let decimals = if range.1 > 20.0 { 0 } else { 2 };
        let knob = Knob { name, about, range, reset, unit: "", decimals };
        if let Some(v) = knob.show(ui, theme, *value, asked) {
            *value = v;
        }
    };
    let about = "How far from the skeleton skin must be to stand off, as a share of the height. More finds less";
    knob("Far", about, (0.02, 0.2), d.far_share, &mut s.far_share);
    let about = "How much a branch must rise over the skin around it, as a share of the height";
    knob("Branch height", about, (0.005, 0.15), d.persistence_share, &mut s.persistence_share);
    let about = "Least reach that is worth bones, as a share of the height";
    knob("Least reach", about, (0.02, 0.4), d.least_reach_share, &mut s.least_reach_share);
    let about = "Length over width from which it is long and thin";
    knob("Elongation", about, (1.0, 4.0), d.elongation, &mut s.elongation);
    let about = "The same along its curve";
    knob("Length over width", about, (1.0, 10.0), d.length_over_width, &mut s.length_over_width);
    let about = "Reach over the radius of the ring it hangs by";
    knob("Slenderness", about, (1.0, 10.0), d.slenderness, &mut s.slenderness);
    let about = "How far its middle must be from any bone, over its reach";
    knob("Off-centre", about, (0.1, 1.0), d.centroid_ratio, &mut s.centroid_ratio);
    let about = "How far its farthest skin must be from any bone, over its reach";
    knob("Sticks out", about, (0.1, 1.5), d.protrusion, &mut s.protrusion);
    let about = "Width over thickness from which it is cloth";
    knob("Flatness", about, (1.5, 10.0), d.flatness, &mut s.flatness);
    let about =
        "How far a chain's root may be from the middle of the body, as a share of the height";
    knob("Off the middle", about, (0.0, 0.3), d.off_centre_share, &mut s.off_centre_share);
    let about = "Largest share of all skin";
    knob("Share of the skin", about, (0.05, 1.0), d.area_share, &mut s.area_share);
    if s != *settings {
        asked.before_commit(Command::Edit(Edit::Thresholds(s)));
    }
    if *settings != d && ui.button("Back to the usual thresholds").clicked() {
        asked.push(Command::Edit(Edit::Thresholds(d)));
    }
}
