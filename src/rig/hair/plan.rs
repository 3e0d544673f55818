//! What the user says about hair, in indices of one character.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Collider, HairSettings, NodeIndex, SurfaceVertex, VrmFit};
use crate::rig::names::ChainName;

/// A strand that was picked to be given joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrandPlan {
    /// Its skin.
    pub vertices: Vec<SurfaceVertex>,
    /// Where it begins, in place of the end nearest to the head.
    pub root: Option<SurfaceVertex>,
    /// K, 1 to 64, in place of one for each sixteenth of the height.
    pub joints: Option<u32>,
    /// The joint it hangs from, in place of the head.
    pub attachment: Option<NodeIndex>,
    /// How it swings.
    pub settings: Option<HairSettings>,
    /// What it and its joints are called.
    pub names: ChainName,
}

/// A collider that the user made, or one of the file's in another shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderPlan {
    /// Place in the file's list of the one it stands in for; `None` adds one.
    pub replaces: Option<u32>,
    /// Name of the one that the fit would add, in whose place it stands.
    pub covers: Option<String>,
    /// Node and shape.
    pub collider: Collider,
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct HairPlan {
    /// How strands swing, unless something below says otherwise.
    pub settings: HairSettings,
    /// By the name of a chain.
    pub by_chain: BTreeMap<String, HairSettings>,
    /// Chains that are skirts, by name, or by what their names begin with before a `*`: whole links are tested, legs are
    /// met, and what passes through is counted.
    pub skirts: BTreeSet<String>,
    /// What makes the published VRM algorithm move most like ours, by the name of a chain.
    pub vrm_fits: BTreeMap<String, VrmFit>,
    /// Picked strands, in the order in which they were picked.
    pub strands: Vec<StrandPlan>,
    /// Whether colliders are grown to body and clothes, and added where the torso has none. Default on.
    pub fit_colliders: bool,
    /// Colliders by hand.
    pub colliders: Vec<ColliderPlan>,
}

impl Default for HairPlan {
    fn default() -> Self {
        Self {
            settings: HairSettings::default(),
            by_chain: BTreeMap::new(),
            skirts: BTreeSet::new(),
            vrm_fits: BTreeMap::new(),
            strands: Vec::new(),
            fit_colliders: true,
            colliders: Vec::new(),
        }
    }
}

impl HairPlan {
    /// Whether the chain of that name is (part of) a skirt.
    pub fn is_skirt(&self, chain: &str) -> bool {
        self.skirts.iter().any(|wanted| match wanted.strip_suffix('*') {
            Some(start) => chain.starts_with(start),
            None => chain == wanted,
        })
    }
}
