//! Decisions: all that the user says about a file, and all that is saved.
//!
//! Everything else is derived. Names stand in for indices wherever a file may be exported again: joints by path,
//! regions by what they looked like.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::hair_edits::HairEdits;
use super::history::HeapSize;
use crate::detect::DetectSettings;
use crate::model::{
    RegionKind, RetargetPose, RetargetPoses, Role, SpringSettings, StatedBody, Verdict,
};
use crate::rig::{ChainName, JointAxes, JointNaming};

/// All decisions about a file, by character.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edits {
    /// By place in the file's list of characters; what is missing has only defaults.
    pub characters: BTreeMap<u32, CharacterEdits>,
}

/// Decisions about one character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CharacterEdits {
    /// Marks and thresholds of detection.
    pub detect: DetectSettings,
    /// For all regions of a kind.
    pub kinds: BTreeMap<RegionKind, TreatmentEdit>,
    /// For one region each; these win over the kind's.
    pub regions: Vec<RegionEdit>,
    /// Regions made by hand, in the order they were made; a later one takes skin from an earlier.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<MadeRegion>,
    /// Rings of body skin that hand their weights over.
    pub blend_rings: u32,
    /// Most influences of an edited vertex, 4 or 8.
    pub influences: u32,
    /// Axes of new joints.
    pub axes: JointAxes,
    /// Names of new joints.
    pub naming: JointNaming,
    /// Name of the preset that `springs` was copied from; only shown.
    pub preset: Option<String>,
    /// How chains swing.
    pub springs: SpringSettings,
    /// Existing chains, by the name of their first joint: driven or left to the clips.
    pub existing: BTreeMap<String, bool>,
    /// How existing chains swing while springs drive them, by the same name; what is missing swings as all others.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub existing_springs: BTreeMap<String, SpringSettings>,
    /// Runs of joints made chains by hand, root to tip.
    pub by_hand: Vec<Vec<JointRef>>,
    /// Humanoid roles that the user has given to joints; `None` is a role that no joint has.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<Role, Option<JointRef>>,
    /// Facing and height, where the user has stated them.
    #[serde(skip_serializing_if = "StatedBody::is_default")]
    pub body: StatedBody,
    /// The poses that retargeting measures rotations from, and roles on the skeletons of clip files.
    #[serde(skip_serializing_if = "RetargetPoses::is_default")]
    pub retarget: RetargetPoses,
    /// Findings that the user has seen and put away, by code and subject.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub seen: BTreeSet<(String, String)>,
    /// Strands, springs and colliders of hair.
    pub hair: HairEdits,
}

impl Default for CharacterEdits {
    fn default() -> Self {
        Self {
            detect: DetectSettings::default(),
            kinds: BTreeMap::new(),
            regions: Vec::new(),
            made: Vec::new(),
            blend_rings: 2,
            influences: 4,
            axes: JointAxes::Parent,
            naming: JointNaming::Plain,
            preset: None,
            springs: SpringSettings::default(),
            existing: BTreeMap::new(),
            existing_springs: BTreeMap::new(),
            by_hand: Vec::new(),
            roles: BTreeMap::new(),
            body: StatedBody::default(),
            retarget: RetargetPoses::default(),
            seen: BTreeSet::new(),
            hair: HairEdits::default(),
        }
    }
}

/// A [`Treatment`](crate::rig::Treatment) as it is saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TreatmentEdit {
    /// In place of the automatic verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Number of joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joints: Option<u32>,
    /// The joint it hangs from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachment: Option<JointRef>,
    /// Axes of its joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<JointAxes>,
    /// Number of parallel chains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<u32>,
    /// Joints to share the skin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<JointRef>,
    /// How its chains swing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub springs: Option<SpringSettings>,
    /// Where its joints and their end stand, root to tip, in body axes and heights as a [`RegionRef`]'s centroid; none
    /// leaves it to the program. Other than one more than the joints, it has no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Vec3>,
    /// Whether weights stay as they are where joints were moved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub locks_weights: bool,
    /// What the region is called; none is called after its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What its chains and their joints are called, by the chain's place among those of the region.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub chains: BTreeMap<u32, ChainName>,
}

/// A decision about one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionEdit {
    /// Which.
    pub region: RegionRef,
    /// What.
    pub treatment: TreatmentEdit,
}

/// A region as it was when something was decided about it, to be found again by overlap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RegionRef {
    /// Its number then; only for reading.
    pub id: u32,
    /// Its kind then; `None` is any.
    pub kind: Option<RegionKind>,
    /// Centroid in body axes, in heights of the body, from its floor: the same in every unit and pose of the file.
    pub centroid: Vec3,
    /// Its vertices, by mesh and primitive of the file.
    pub vertices: Vec<MeshVertices>,
    /// The space it filled (see `region_ref`), as [`encode_vertices`](super::encode_vertices) writes it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cells: String,
}

/// A region made by hand, or the part or the sum of others. It is pinned: detection never changes what it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MadeRegion {
    /// Its skin.
    pub region: RegionRef,
    /// Regions of detection that it stands for; they are left out while it finds its skin.
    pub replaces: Vec<RegionRef>,
}

/// Vertices of one primitive of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MeshVertices {
    /// Index in the file's `meshes`; of the instance, for generated meshes.
    pub mesh: u32,
    /// Index in that mesh's `primitives`.
    pub primitive: u32,
    /// How many vertices the primitive had: another number, and the runs mean nothing any more.
    pub of: u32,
    /// Runs in base64 (see `vertex_set`).
    pub runs: String,
}

/// A joint by the names from its root, and its index for the case that names stand twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct JointRef {
    /// Names from the root down, joined by `/`.
    pub path: String,
    /// Index in the file's `nodes`.
    pub index: Option<u32>,
}

impl Edits {
    /// Decisions about character `index`, to look into; the defaults where there are none.
    pub fn of(&self, index: u32) -> &CharacterEdits {
        static NONE: LazyLock<CharacterEdits> = LazyLock::new(CharacterEdits::default);
        self.characters.get(&index).unwrap_or(&NONE)
    }

    /// The same, to be changed.
    pub fn character(&self, index: u32) -> CharacterEdits {
        self.of(index).clone()
    }

    /// The same edits with those of one character changed.
    #[must_use]
    pub fn with_character(mut self, index: u32, edits: CharacterEdits) -> Self {
        if edits == CharacterEdits::default() {
            self.characters.remove(&index);
        } else {
            self.characters.insert(index, edits);
        }
        self
    }
}

impl HeapSize for Edits {
    fn heap_bytes(&self) -> usize {
        let treatment = |t: &TreatmentEdit| {
            size_of::<TreatmentEdit>()
                + t.spread.iter().map(|j| 48 + j.path.len()).sum::<usize>()
                + size_of_val(t.places.as_slice())
                + t.name.as_ref().map_or(0, String::len)
                + t.chains
                    .values()
                    .flat_map(|c| c.joints.values())
                    .map(|n| 64 + n.len())
                    .sum::<usize>()
        };
        let pose = |p: &RetargetPose| 32 * p.turns.len();
        let table = |t: &BTreeMap<Role, String>| t.values().map(|j| 40 + j.len()).sum::<usize>();
        let character = |c: &CharacterEdits| {
            let named = |r: &RegionRef| {
                let runs: usize = r.vertices.iter().map(|v| 64 + v.runs.len()).sum();
                size_of::<RegionRef>() + runs + r.cells.len()
            };
            let regions = c.regions.iter().map(|r| named(&r.region) + treatment(&r.treatment));
            let made = c.made.iter().flat_map(|m| m.replaces.iter().chain([&m.region])).map(named);
            let by_hand = c.by_hand.iter().flatten().map(|j| 48 + j.path.len());
            size_of::<CharacterEdits>()
                + c.kinds.values().map(treatment).sum::<usize>()
                + regions.sum::<usize>()
                + made.sum::<usize>()
                + c.existing.keys().map(|k| 48 + k.len()).sum::<usize>()
                + c.existing_springs
                    .keys()
                    .map(|k| 48 + k.len() + size_of::<SpringSettings>())
                    .sum::<usize>()
                + by_hand.sum::<usize>()
                + c.roles.values().flatten().map(|j| 64 + j.path.len()).sum::<usize>()
                + pose(&c.retarget.own)
                + c.retarget.sources.iter().map(|(k, p)| 64 + k.len() + pose(p)).sum::<usize>()
                + c.retarget.roles.iter().map(|(k, t)| 64 + k.len() + table(t)).sum::<usize>()
                + c.seen.iter().map(|(a, b)| 64 + a.len() + b.len()).sum::<usize>()
                + c.hair.heap_bytes()
        };
        size_of::<Self>() + self.characters.values().map(character).sum::<usize>()
    }
}
