//! What the panels of the Hair workspace show.

use crate::measure::HairMeasurement;
use crate::model::{Chain, ChainOrigin, HairSettings, HairSolver, NodeIndex, Rigged, Role, Strand};
use crate::studio::colliders::ColliderEntry;
use crate::studio::playback::Playback;
use crate::studio::state::Studio;
use crate::studio::words;

use super::PickBy;

/// A strand in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct StrandRow {
    /// Its name.
    pub name: String,
    /// `6 bones, in front, 4 colliders`.
    pub about: String,
    /// Its place among the picked ones; `None` for the artist's own.
    pub picked: Option<usize>,
    /// Whether it is part of a skirt.
    pub is_skirt: bool,
}

/// A measure under both rules.
#[derive(Clone, Debug, PartialEq)]
pub struct HairLine {
    /// What is measured.
    pub name: &'static str,
    /// With the settings as they are.
    pub improved: String,
    /// With the earlier rule.
    pub earlier: String,
}

/// Everything the panel shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HairPanel {
    /// Chains that are hair.
    pub strands: Vec<StrandRow>,
    /// What clicks pick.
    pub by: PickBy,
    /// `812 vertices of Ponytail, 2 roots`; empty where nothing is picked.
    pub picked: String,
    /// Whether each connected piece of it is a strand of its own.
    pub each_piece: bool,
    /// For each strand of it `from Head, 0.47 m, 6 bones, the first 2.4 cm fixed`; what else there is to say of it.
    pub proposals: Vec<String>,
    /// Strands of the next fit.
    pub n_proposed: usize,
    /// Joints of the next fit.
    pub joints: Option<u32>,
    /// What the next fit hangs from.
    pub attach: Option<NodeIndex>,
    /// What it may hang from.
    pub attachments: Vec<(NodeIndex, String)>,
    /// How strands swing.
    pub settings: HairSettings,
    /// Whose settings they are.
    pub preset: Option<String>,
    /// What keeps hair out of the body.
    pub colliders: Vec<ColliderEntry>,
    /// Whether colliders are fitted.
    pub fits_colliders: bool,
    /// The head-turn test in numbers; empty until it is measured.
    pub measures: Vec<HairLine>,
    /// Whether both rules are shown.
    pub is_compared: bool,
    /// Faces with their weights.
    pub faces: Vec<(String, f32)>,
    /// Whether lines round materials are shown, and those of hair; `None` where there are none.
    pub outlines: Option<[bool; 2]>,
}

impl Studio {
    /// Everything the panel shows.
    pub fn hair_panel(&self) -> HairPanel {
        let Some(open) = &self.open else { return HairPanel::default() };
        let rigged = &open.evaluated.rigged;
        let hair = &self.history.current().of(open.character).hair;
        let desk = &self.hair;
        let roles = [Role::Head, Role::Neck, Role::UpperChest, Role::Chest, Role::Hips];
        let has_outlines = rigged.character.materials.iter().any(|m| m.outline().is_some());
        let named = |n: NodeIndex| (n, rigged.character.skeleton.name(n).to_owned());
        HairPanel {
            strands: strand_rows(rigged),
            by: desk.by,
            picked: self.picked_line(),
            each_piece: desk.each_piece,
            proposals: self.proposal_lines(),
            n_proposed: desk.proposals.len(),
            joints: desk.joints,
            attach: desk.attach,
            attachments: roles.iter().filter_map(|&r| rigged.humanoid.node(r)).map(named).collect(),
            settings: hair.settings,
            preset: hair.preset.clone(),
            colliders: self.collider_rows(),
            fits_colliders: hair.fit_colliders,
            measures: self.measured_now().map_or_else(Vec::new, lines),
            is_compared: desk.is_compared,
            faces: self.playback.as_ref().map_or_else(Vec::new, Playback::faces),
            outlines: has_outlines.then(|| self.outlines_shown()),
        }
    }
}

fn strand_rows(rigged: &Rigged) -> Vec<StrandRow> {
    let about = |chain: &Chain, strand: &Strand| {
        let mut parts = vec![words::counted(chain.joints.len(), "bone", "bones")];
        if strand.is_front {
            parts.push("in front".to_owned());
        }
        if !strand.colliders.is_empty() {
            parts.push(words::counted(strand.colliders.len(), "collider", "colliders"));
        }
        if strand.settings.solver == HairSolver::Earlier {
            parts.push("earlier rule".to_owned());
        }
        parts.join(", ")
    };
    let rows = rigged.chains.iter().filter_map(|c| {
        let strand = c.hair.as_ref()?;
        Some(StrandRow {
            name: c.name.clone(),
            about: about(c, strand),
            picked: match c.origin {
                ChainOrigin::Strand(at) => Some(at as usize),
                _ => None,
            },
            is_skirt: strand.is_skirt,
        })
    });
    rows.collect()
}

fn lines([improved, earlier]: &[HairMeasurement; 2]) -> Vec<HairLine> {
    let line = |name, of: &dyn Fn(&HairMeasurement) -> String| HairLine {
        name,
        improved: of(improved),
        earlier: of(earlier),
    };
    let mut lines = vec![
        line("Stretch p99", &|m| format!("{:.1} %", m.p99_percent)),
        line("Worst edge", &|m| format!("{:.1} %", m.worst_percent)),
        line("Settling", &|m| format!("{:.4} mm", m.settle_mm)),
        line("Lag", &|m| format!("{:.0} mm", m.lag_mm)),
        line("In the torso", &|m| words::counted(m.torso.links_inside, "link", "links")),
    ];
    if improved.occlusion.vertices > 0 {
        let hidden =
            |m: &HairMeasurement| format!("{} of {}", m.occlusion.hidden, m.occlusion.vertices);
        lines.push(line("Behind the shirt", &hidden));
    }
    lines
}
