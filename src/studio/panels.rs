//! What the panels show: small read-only structs, words and numbers ready to draw.

use std::collections::BTreeMap;

use super::colliders::ColliderEntry;
use super::command::{Command, Selection};
use super::jobs::JobProgress;
use super::measuring::{Readout, TrialLine};
use super::shares::ShareRow;
use super::trace::TraceLines;
use super::tuning::SpringsOf;
use super::user_presets::PresetRow;
use super::words;
use crate::detect::DetectSettings;
use crate::model::{
    ChainOrigin, InstanceIndex, NodeIndex, Region, RegionId, RegionKind, Role, Severity,
    SpringSettings, StatedBody, Verdict,
};

/// A region in the outliner.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionRow {
    /// Which.
    pub id: RegionId,
    /// `Tail`, or `Ear 2` where there are several.
    pub name: String,
    /// Its kind.
    pub kind: RegionKind,
    /// What is done with it.
    pub verdict: Verdict,
    /// Whether the user decided, or made it.
    pub by_user: bool,
    /// Whether it is selected besides the one that the inspector shows.
    pub also: bool,
}

/// A chain in the outliner.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainRow {
    /// Its place in the character.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Number of joints.
    pub n_joints: usize,
    /// Whether it was in the file already.
    pub is_existing: bool,
    /// Whether springs drive it.
    pub is_driven: bool,
}

/// A joint in the outliner.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeRow {
    /// Which.
    pub node: NodeIndex,
    /// Its name.
    pub name: String,
    /// How deep below its root.
    pub depth: usize,
    /// Whether rigging added it.
    pub is_new: bool,
}

/// A mesh in the outliner.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshRow {
    /// Which.
    pub instance: InstanceIndex,
    /// Its name.
    pub name: String,
    /// Number of vertices.
    pub n_vertices: usize,
    /// Whether it is drawn.
    pub is_shown: bool,
}

/// A finding of the import in the outliner.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemRow {
    /// How much it matters.
    pub severity: Severity,
    /// `mesh "Hair"`.
    pub subject: String,
    /// What was found, with its numbers.
    pub message: String,
    /// Its stable code.
    pub code: &'static str,
    /// What can be done about it: the words of a button, and what it asks for.
    pub fix: (&'static str, Command),
}

/// The left panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outliner {
    /// What the import found odd.
    pub problems: Vec<ProblemRow>,
    /// Regions that were found, the body's own skin left out.
    pub regions: Vec<RegionRow>,
    /// Chains.
    pub chains: Vec<ChainRow>,
    /// What hair is kept out of.
    pub colliders: Vec<ColliderEntry>,
    /// Nodes that move skin, parents first.
    pub joints: Vec<TreeRow>,
    /// Meshes.
    pub meshes: Vec<MeshRow>,
    /// What is selected.
    pub selection: Selection,
}

/// A number with the mark it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it measures.
    pub name: &'static str,
    /// What that means, for a tooltip.
    pub about: &'static str,
    /// The number.
    pub value: f32,
    /// Where it counts.
    pub mark: f32,
    /// The right end of the bar.
    pub full: f32,
    /// Whether it must stay below the mark, not reach it.
    pub is_below: bool,
}

impl Bar {
    /// Whether the number passes.
    pub fn passes(&self) -> bool {
        if self.is_below { self.value < self.mark } else { self.value >= self.mark }
    }

    /// `2.6 (at least 1.8)`.
    pub fn text(&self) -> String {
        format!("{:.2}", self.value)
    }

    /// `needs at least 1.8`.
    pub fn mark_text(&self) -> String {
        let word = if self.is_below { "below" } else { "at least" };
        format!("{word} {:.2}", self.mark)
    }

    /// The bars of a region: the numbers that decide about it, with the thresholds in force.
    pub fn of_region(region: &Region, settings: &DetectSettings) -> Vec<Self> {
        let scores = &region.scores;
        let bar = |name, about, value: f32, mark: f32, is_below| Self {
            name,
            about,
            value,
            mark,
            full: (mark * 2.0).max(value * 1.05),
            is_below,
        };
        vec![
            bar(
                "Elongation",
                "How much longer than wide, by the spread of its skin (root of the two largest eigenvalues)",
                scores.elongation,
                settings.elongation,
                false,
            ),
            bar(
                "Length over width",
                "The same along its curve: counts curled tails as long",
                scores.length_over_width,
                settings.length_over_width,
                false,
            ),
            bar(
                "Slenderness",
                "Reach over the radius of the ring it hangs by: bellies stay below 2",
                scores.slenderness,
                settings.slenderness,
                false,
            ),
            bar(
                "Off-centre",
                "How far its middle is from any bone, over its reach",
                scores.centroid_ratio,
                settings.centroid_ratio,
                false,
            ),
            bar(
                "Sticks out",
                "How far its farthest skin is from any bone, over its reach",
                scores.protrusion,
                settings.protrusion,
                false,
            ),
            bar(
                "Flatness",
                "How much wider than thick its slices are: cloth is flat, tails are not, however they bend",
                scores.slice_flatness,
                settings.flatness,
                true,
            ),
        ]
    }
}

/// The inspector of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionPanel {
    /// Which.
    pub id: RegionId,
    /// `Tail`.
    pub name: String,
    /// Its kind.
    pub kind: RegionKind,
    /// What is done with it.
    pub verdict: Verdict,
    /// What the user decided; `None` is automatic.
    pub chosen: Option<Verdict>,
    /// Why, as a sentence.
    pub sentence: String,
    /// 0 to 1: how far the treatment is from flipping.
    pub margin: f32,
    /// The numbers that decide.
    pub bars: Vec<Bar>,
    /// Facts: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// The joint it hangs from.
    pub attachment: NodeIndex,
    /// Its name.
    pub attachment_name: String,
    /// Joints it could hang from: those with a role, and the one it hangs from.
    pub candidates: Vec<(NodeIndex, String)>,
    /// Number of joints of its chain; `None` where it has none.
    pub n_joints: Option<usize>,
    /// The number that the user chose; `None` is automatic.
    pub chosen_joints: Option<u32>,
    /// Bones that share it, where it is spread.
    pub shared_by: Vec<NodeIndex>,
    /// What each bone has of it, where it is spread.
    pub shares: Vec<ShareRow>,
    /// Number of strips, where it is cut into strips; `None` is automatic.
    pub strips: Option<u32>,
    /// Rings of body skin round it, and round all others, that hand their weights over.
    pub blend_rings: u32,
    /// `1 582 vertices and 5 bones`, or that nothing changes.
    pub change: String,
    /// The treatment on Walk and Sprint; none while it is tried.
    pub trials: Vec<TrialLine>,
    /// Whether it was made by hand.
    pub is_made: bool,
    /// Whether joints of its chain were moved by hand.
    pub is_moved: bool,
    /// Whether weights stay as they are where joints are moved.
    pub locks_weights: bool,
    /// Regions that are selected besides; what is decided goes for them too.
    pub n_others: usize,
}

impl RegionPanel {
    /// Most rings of body skin that can be asked for.
    pub const MOST_BLEND_RINGS: u32 = crate::rig::RigSettings::MOST_BLEND_RINGS;
}

/// What is shown where nothing is selected: the character as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterPanel {
    /// Name of the character, or its file's.
    pub name: String,
    /// Where it faces, by the axes of its file.
    pub faces: String,
    /// Its height as it is decided, metres.
    pub height_m: f32,
    /// What the user has said of both, in place of what was found.
    pub stated: StatedBody,
    /// Facts: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// Humanoid roles: those that matter, and those that some bone has.
    pub roles: Vec<RoleRow>,
    /// Bones that can be given a role.
    pub bones: Vec<(NodeIndex, String)>,
    /// Names of the characters in the file.
    pub characters: Vec<String>,
    /// Which of them is shown.
    pub shown: usize,
}

/// A humanoid role.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleRow {
    /// Which.
    pub role: Role,
    /// Whether rigs do with less without it.
    pub is_essential: bool,
    /// Whose it is.
    pub bone: Option<(NodeIndex, String)>,
    /// Whether the user said so.
    pub by_user: bool,
}

/// The sliders of a chain that springs drive, whoever made it; hair has a workspace of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringPanel {
    /// Which chain, as decisions know it.
    pub of: SpringsOf,
    /// Its name.
    pub name: String,
    /// How it swings.
    pub settings: SpringSettings,
    /// Whether the user has tuned it.
    pub is_tuned: bool,
    /// Why it does not move, where it does not.
    pub why_still: Option<String>,
    /// Presets that are offered.
    pub presets: Vec<PresetRow>,
    /// Whether these springs can be kept as a preset.
    pub can_save: bool,
    /// The preset that swings now without being decided.
    pub previewed: Option<String>,
    /// Whether springs were copied.
    pub can_paste: bool,
    /// Whether the second of its two tunings is in force.
    pub is_b: bool,
    /// Chains that are selected besides: what is tuned goes for them too.
    pub n_others: usize,
    /// Whether they are tuned in other ways.
    pub is_mixed: bool,
    /// What it did in the last seconds.
    pub trace: TraceLines,
}

/// The bar under the viewport.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transport {
    /// Names of clips; the rest pose is none of them.
    pub clips: Vec<String>,
    /// Which plays; `None` is the rest pose.
    pub clip: Option<usize>,
    /// What is played that is none of them: a test, or a clip whose library is gone.
    pub unlisted: Option<String>,
    /// Time shown, in seconds.
    pub secs: f64,
    /// Length of the clip; `None` without one.
    pub duration_secs: Option<f64>,
    /// The part that plays round and round; `None` is all of it.
    pub range_secs: Option<[f64; 2]>,
    /// Whether time passes.
    pub is_playing: bool,
    /// Whether the closed loop is shown, not the live performance.
    pub is_still: bool,
    /// Whether springs drive the chains.
    pub has_springs: bool,
    /// Whether clips are played without their way over the floor.
    pub in_place: bool,
    /// Whether clips that play once play again.
    pub repeats: bool,
    /// How fast the clock runs.
    pub speed: f32,
    /// What is measured of the clip; `None` until it is.
    pub readout: Option<Readout>,
}

/// The line at the bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// `2 chains`, or that nothing is open.
    pub summary: String,
    /// Work that runs.
    pub jobs: Vec<JobProgress>,
    /// Mean cost of one frame of springs and pose, in microseconds.
    pub solver_us: Option<f32>,
}

/// Names of regions: the kind, numbered where several are of one kind.
pub(super) fn region_names(regions: &[Region]) -> Vec<String> {
    let mut all: BTreeMap<RegionKind, usize> = BTreeMap::new();
    regions.iter().for_each(|region| *all.entry(region.kind).or_default() += 1);
    let mut so_far: BTreeMap<RegionKind, usize> = BTreeMap::new();
    let name = |region: &Region| {
        let number = so_far.entry(region.kind).or_default();
        *number += 1;
        let name = words::kind(region.kind);
        match all.get(&region.kind) {
            Some(2..) => format!("{name} {number}"),
            _ => name.to_owned(),
        }
    };
    regions.iter().map(name).collect()
}

/// Facts about a region: the numbers without a threshold.
pub(super) fn region_facts(
    region: &Region,
    before_m: f32,
    after_m: Option<f32>,
) -> Vec<(&'static str, String)> {
    let scores = &region.scores;
    let [a, b, c] = scores.eigenvalues;
    let mut facts = vec![
        ("Reach", words::length(scores.reach_m)),
        ("Length", words::length(scores.length_m)),
        ("Vertices", words::count(region.vertices.len())),
        ("Eigenvalues", format!("{a:.4} · {b:.4} · {c:.4} m²")),
    ];
    let distance = match after_m {
        Some(after) => format!("{} → {}", words::length(before_m), words::length(after)),
        None => words::length(before_m),
    };
    facts.push(("Distance to its bones", distance));
    facts
}

/// Whether a chain came from the file.
pub(super) const fn is_existing(origin: ChainOrigin) -> bool {
    matches!(origin, ChainOrigin::Existing)
}
