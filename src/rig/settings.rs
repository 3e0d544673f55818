//! What the user may say about rigging.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::HairPlan;
use super::names::{ChainName, JointNaming};
use crate::model::{NodeIndex, RegionId, RegionKind, SpringSettings, Verdict};

/// How the axes of new joints are turned.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum JointAxes {
    /// As the attachment joint's: every joint is a pure translation in its parent's frame. The article's, and the
    /// default without a target.
    #[default]
    Parent,
    /// +Y to the child, as Blender draws bones.
    Along,
    /// +X to the child, as Unreal and Maya have it.
    XAlong,
}

/// What is decided about one region, or about all of a kind. `None` and empty leave it to the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Treatment {
    /// In place of the automatic verdict.
    pub verdict: Option<Verdict>,
    /// K, in place of a segment for each tenth of the height; 1 to 64.
    pub joints: Option<u32>,
    /// The joint it hangs from, in place of the one found.
    pub attachment: Option<NodeIndex>,
    /// Axes of its joints.
    pub axes: Option<JointAxes>,
    /// Number of parallel chains for [`Verdict::Columns`]; 2 to 64.
    pub columns: Option<u32>,
    /// Joints to share the skin for [`Verdict::Spread`]; empty: those that carry it now.
    pub spread: Vec<NodeIndex>,
    /// How its chains swing.
    pub springs: Option<SpringSettings>,
    /// Where the joints of its one chain and their end stand, root to tip, bind space, `[K + 1]`; with another number, or
    /// where the region forks, it has no effect.
    pub places: Vec<Vec3>,
    /// Whether weights stay as they would be without `places`.
    pub locks_weights: bool,
    /// What its chains and their joints are called, by the chain's place among those of the region.
    pub names: BTreeMap<u32, ChainName>,
}

/// All that rigging is told besides the character and what was found on it.
#[derive(Clone, Debug, PartialEq)]
pub struct RigSettings {
    /// Decisions about all regions of a kind.
    pub by_kind: BTreeMap<RegionKind, Treatment>,
    /// Decisions about one region; each field set here wins over the kind's.
    pub by_region: BTreeMap<RegionId, Treatment>,
    /// Rings of body skin outside a collar that hand their weights over, 0 to 16. Default 2: with none the skin
    /// tears where limb weights meet the chain's, with many the thighs lose their own.
    pub blend_rings: u32,
    /// Most influences of an edited vertex, 4 or 8. Default 4, what every engine reads.
    pub influences: usize,
    /// Axes of new joints. Default as the attachment's.
    pub axes: JointAxes,
    /// Names of new joints. Default `Tail_1` ….
    pub naming: JointNaming,
    /// How chains swing, unless a treatment says otherwise.
    pub springs: SpringSettings,
    /// Existing chains, by the name of their first joint, that are driven (true) or left to the clips (false).
    pub existing: BTreeMap<String, bool>,
    /// How existing chains swing, by the same name, in place of `springs`.
    pub existing_springs: BTreeMap<String, SpringSettings>,
    /// Runs of joints made chains by hand, root to tip.
    pub by_hand: BTreeSet<Vec<NodeIndex>>,
    /// Strands, solver and colliders of hair.
    pub hair: HairPlan,
}

impl Default for RigSettings {
    fn default() -> Self {
        Self {
            by_kind: BTreeMap::new(),
            by_region: BTreeMap::new(),
            blend_rings: 2,
            influences: 4,
            axes: JointAxes::Parent,
            naming: JointNaming::Plain,
            springs: SpringSettings::default(),
            existing: BTreeMap::new(),
            existing_springs: BTreeMap::new(),
            by_hand: BTreeSet::new(),
            hair: HairPlan::default(),
        }
    }
}

impl RigSettings {
    /// Most rings of body skin that hand their weights over.
    pub const MOST_BLEND_RINGS: u32 = 16;

    /// What holds for one region: its own treatment over its kind's.
    pub fn treatment(&self, id: RegionId, kind: RegionKind) -> Treatment {
        let own = self.by_region.get(&id).cloned().unwrap_or_default();
        let Some(general) = self.by_kind.get(&kind) else { return own };
        Treatment {
            verdict: own.verdict.or(general.verdict),
            joints: own.joints.or(general.joints),
            attachment: own.attachment.or(general.attachment),
            axes: own.axes.or(general.axes),
            columns: own.columns.or(general.columns),
            spread: if own.spread.is_empty() { general.spread.clone() } else { own.spread },
            springs: own.springs.or(general.springs),
            places: own.places,
            locks_weights: own.locks_weights,
            names: own.names,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_s_own_treatment_wins_field_by_field() {
        let mut settings = RigSettings::default();
        let kind =
            Treatment { verdict: Some(Verdict::Rigid), joints: Some(5), ..Treatment::default() };
        let own = Treatment { verdict: Some(Verdict::Chain), ..Treatment::default() };
        settings.by_kind.insert(RegionKind::Tail, kind);
        settings.by_region.insert(RegionId(3), own);
        let found = settings.treatment(RegionId(3), RegionKind::Tail);
        assert_eq!((found.verdict, found.joints), (Some(Verdict::Chain), Some(5)));
        assert_eq!(settings.treatment(RegionId(4), RegionKind::Tail).verdict, Some(Verdict::Rigid));
        assert_eq!(settings.treatment(RegionId(4), RegionKind::Worn), Treatment::default());
    }
}
