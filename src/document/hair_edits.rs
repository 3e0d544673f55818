//! Decisions about hair: picked strands, how all of them swing, colliders by hand.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::collider_edits::ColliderEdit;
use super::edits::{JointRef, RegionRef};
use crate::model::{HairSettings, VrmFit};
use crate::rig::ChainName;

/// All decisions about the hair of one character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HairEdits {
    /// Name of the preset that `settings` was copied from; only shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// How strands swing.
    pub settings: HairSettings,
    /// The same for one chain, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub chains: BTreeMap<String, HairSettings>,
    /// Names of chains that are skirts, or what their names begin with before a `*`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub skirts: BTreeSet<String>,
    /// What makes the published VRM algorithm move most like ours, by the name of a chain.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub vrm_fits: BTreeMap<String, VrmFit>,
    /// Picked strands, in the order in which they were picked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strands: Vec<StrandEdit>,
    /// Whether colliders are fitted to body and clothes.
    pub fit_colliders: bool,
    /// Colliders by hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<ColliderEdit>,
}

impl Default for HairEdits {
    fn default() -> Self {
        Self {
            preset: None,
            settings: HairSettings::default(),
            chains: BTreeMap::new(),
            skirts: BTreeSet::new(),
            vrm_fits: BTreeMap::new(),
            strands: Vec::new(),
            fit_colliders: true,
            colliders: Vec::new(),
        }
    }
}

/// A strand that was picked to be given joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StrandEdit {
    /// Its skin.
    pub skin: RegionRef,
    /// The vertex it begins at, as skin of one vertex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<RegionRef>,
    /// Number of joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joints: Option<u32>,
    /// The joint it hangs from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachment: Option<JointRef>,
    /// How it swings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<HairSettings>,
    /// What it and its joints are called.
    #[serde(skip_serializing_if = "ChainName::is_empty")]
    pub names: ChainName,
}

impl HairEdits {
    /// What rigging depends on: the same without what only changes how strands swing.
    #[must_use]
    pub fn without_motion(&self) -> Self {
        // The thickness, of all and of each, decides how far colliders may grow.
        let usual = HairSettings::default();
        let thickness =
            |settings: HairSettings| HairSettings { radius_m: settings.radius_m, ..usual };
        // Where all are as thick as usual, a chain with settings of its own is as thick as one without.
        let is_own = |settings: &HairSettings| {
            settings.radius_m != usual.radius_m || self.settings.radius_m != usual.radius_m
        };
        let mut shape = self.clone();
        shape.settings = thickness(self.settings);
        shape.preset = None;
        shape.chains.retain(|_, settings| is_own(settings));
        shape.chains.values_mut().for_each(|settings| *settings = thickness(*settings));
        shape.vrm_fits.clear();
        for strand in &mut shape.strands {
            strand.settings = strand.settings.filter(is_own).map(thickness);
        }
        shape
    }

    /// Bytes on the heap, about.
    pub(super) fn heap_bytes(&self) -> usize {
        let skin = |r: &RegionRef| {
            r.cells.len() + r.vertices.iter().map(|v| 64 + v.runs.len()).sum::<usize>()
        };
        let strand = |s: &StrandEdit| {
            size_of::<StrandEdit>()
                + skin(&s.skin)
                + s.root.as_ref().map_or(0, skin)
                + s.names.joints.values().map(|n| 64 + n.len()).sum::<usize>()
        };
        let names = self.chains.keys().chain(&self.skirts).chain(self.vrm_fits.keys());
        let names = names.map(|n| 96 + n.len());
        let colliders = self.colliders.iter().map(ColliderEdit::heap_bytes);
        self.strands.iter().map(strand).sum::<usize>()
            + names.sum::<usize>()
            + colliders.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Curve;

    #[test]
    fn rigging_depends_on_thickness_and_not_on_how_strands_swing() {
        let edits = |settings: HairSettings| HairEdits {
            settings,
            chains: BTreeMap::from([("Bangs_1".to_owned(), settings)]),
            strands: vec![StrandEdit { settings: Some(settings), ..StrandEdit::default() }],
            ..HairEdits::default()
        };
        let usual = HairSettings::default();
        let soft = HairSettings { stiffness: Curve::constant(50.0), gravity: 3.0, ..usual };
        let thick = HairSettings { radius_m: Curve::constant(0.03), ..usual };
        let before = edits(usual);
        assert_eq!(edits(soft).without_motion(), before.without_motion());
        let tuned_by_name = HairEdits { chains: edits(soft).chains, ..HairEdits::default() };
        assert_eq!(tuned_by_name.without_motion(), HairEdits::default().without_motion());
        let parts: [fn(&mut HairEdits, HairEdits); 3] = [
            |edits, other| edits.settings = other.settings,
            |edits, other| edits.chains = other.chains,
            |edits, other| edits.strands = other.strands,
        ];
        for put in parts {
            let mut after = before.clone();
            put(&mut after, edits(thick));
            assert_ne!(after.without_motion(), before.without_motion());
        }
    }
}
