//! Chains that the file has already, and those of picked hair: what the inspector says of them, and which of them a file
//! opens on.

use super::command::Selection;
use super::scene::chain_line;
use super::state::Studio;
use super::words;
use crate::document::Evaluated;
use crate::model::{Chain, ChainOrigin, NodeIndex, RegionKind, Rigged, Role, Verdict};

/// The inspector of a chain that stands for no region.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainPanel {
    /// Its name: that of its first joint.
    pub name: String,
    /// What it is, as a sentence.
    pub sentence: &'static str,
    /// Facts: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// Its bones with their names, root to tip.
    pub bones: Vec<(NodeIndex, String)>,
    /// Whether springs drive it.
    pub is_driven: bool,
    /// What the user decided about that; `None` is automatic.
    pub chosen: Option<bool>,
    /// Whether that can be decided: not for bones that were made to be driven.
    pub can_choose: bool,
    /// Why it does not move, where it does not.
    pub why_still: Option<String>,
    /// Whether it is hair, whose springs have a workspace; how others swing is a `SpringPanel`'s.
    pub is_hair: bool,
}

impl Studio {
    /// The inspector of the selected chain, where that stands for no region.
    pub fn chain_panel(&self) -> Option<ChainPanel> {
        let Selection::Chain(index) = self.selection() else { return None };
        let open = self.open.as_ref()?;
        let rigged = &open.evaluated.rigged;
        let chain = rigged.chains.get(index)?;
        let is_hair = chain.hair.is_some();
        let sentence = match chain.origin {
            ChainOrigin::Grown(_) => return None,
            ChainOrigin::Strand(_) => {
                "Bones for hair that was picked; its springs are set in the Hair workspace"
            }
            ChainOrigin::Existing if is_hair => {
                "Springs that the file states for its own bones; they are set in the Hair workspace"
            }
            ChainOrigin::Existing => "A chain of bones that the file has already",
        };
        let can_choose = chain.origin == ChainOrigin::Existing;
        let edits = self.history.current().of(open.character);
        let skeleton = &rigged.character.skeleton;
        let named = |&node: &NodeIndex| (node, skeleton.name(node).to_owned());
        Some(ChainPanel {
            name: chain.name.clone(),
            sentence,
            facts: vec![
                ("Hangs from", skeleton.name(chain.anchor).to_owned()),
                ("Length", words::length(length_m(rigged, chain))),
            ],
            bones: chain.joints.iter().map(named).collect(),
            is_driven: chain.is_driven,
            chosen: edits.existing.get(&chain.name).copied().filter(|_| can_choose),
            can_choose,
            why_still: self.why_still(index),
            is_hair,
        })
    }

    /// Why a chain does not move, where it does not.
    pub(super) fn why_still(&self, index: usize) -> Option<String> {
        let playback = self.playback.as_ref()?;
        let is_driven = playback.rigged().chains.get(index).is_some_and(|c| c.is_driven);
        if is_driven && !playback.has_springs() {
            return Some("Springs are switched off".to_owned());
        }
        playback.why_still(index).map(|why| why.to_string())
    }
}

/// Length of a chain from its root to its end, bind pose, metres.
fn length_m(rigged: &Rigged, chain: &Chain) -> f32 {
    let points = chain_line(chain, &rigged.bind.world);
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// What a file opens on: a region that is treated; else a tail that has its bones already, driven or not; else any
/// region that was found.
pub(super) fn first_shown(evaluated: &Evaluated) -> Selection {
    let regions = &evaluated.detection.regions;
    let hips = evaluated.detection.humanoid.node(Role::Hips);
    // A name says it; else what hangs from the hips, the longest of several.
    let tailness = |chain: &Chain| {
        let is_named = chain.name.to_lowercase().contains("tail");
        let is_one = chain.origin == ChainOrigin::Existing
            && chain.hair.is_none()
            && (is_named || Some(chain.anchor) == hips);
        is_one.then_some((is_named, chain.joints.len()))
    };
    let treated = regions.iter().find(|r| r.verdict != Verdict::Leave);
    let chains = evaluated.rigged.chains.iter().enumerate();
    let tails = chains.filter_map(|(at, chain)| Some((tailness(chain)?, at)));
    let tail = tails.max_by_key(|&(tailness, at)| (tailness, std::cmp::Reverse(at))).map(|t| t.1);
    let any = regions.iter().find(|r| r.kind != RegionKind::Body && !r.is_speck());
    match (treated, tail, any) {
        (Some(region), ..) | (None, None, Some(region)) => Selection::Region(region.id),
        (None, Some(tail), _) => Selection::Chain(tail),
        (None, None, None) => Selection::None,
    }
}
