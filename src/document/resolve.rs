//! From decisions, which name things, to settings, which index them.
//!
//! A file that was exported again may have other indices, another tessellation, another unit. Joints are found by
//! path; how regions are found says `region_ref`.

use std::fmt;

use super::edits::{CharacterEdits, JointRef, RegionRef, TreatmentEdit};
use super::hair_edits::StrandEdit;
use super::region_ref::to_bind;
use crate::detect::Detection;
use crate::model::{Character, NodeIndex, RegionId};
use crate::rig::{RigSettings, Treatment};

/// Something in the edits that the file no longer answers to. It is kept all the same.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// No region is like the one that was decided about.
    RegionNotFound {
        /// Which.
        region: RegionRef,
    },
    /// A region made by hand lies where this file has no skin, or has nothing to hang from.
    MadeRegionLost {
        /// Which.
        region: RegionRef,
    },
    /// No joint has that path.
    JointNotFound {
        /// Which.
        joint: JointRef,
    },
    /// The file has no chain of that name.
    ChainNotFound {
        /// Name of its first joint.
        chain: String,
    },
    /// The meshes of a picked strand are not what they were.
    StrandNotFound {
        /// Which.
        strand: Box<StrandEdit>,
    },
    /// A project file has a field that this version does not know.
    UnknownField {
        /// Path of the field.
        path: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RegionNotFound { region } => write!(
                f,
                "the decision about region {} fits no region of this file; it is kept but has no effect",
                region.id
            ),
            Self::MadeRegionLost { region } => write!(
                f,
                "the region {} made by hand finds no skin in this file; it is kept but has no effect",
                region.id
            ),
            Self::JointNotFound { joint } => {
                write!(
                    f,
                    "there is no joint `{}` in this file; the decision has no effect",
                    joint.path
                )
            }
            Self::ChainNotFound { chain } => write!(
                f,
                "there is no chain `{chain}` in this file; the decision about it is kept but has no effect"
            ),
            Self::StrandNotFound { .. } => f.write_str(
                "a strand was picked on meshes that this file does not have; it is kept but has no effect",
            ),
            Self::UnknownField { path } => {
                write!(f, "`{path}` is not known to this version; it is kept but has no effect")
            }
        }
    }
}

impl JointRef {
    /// The reference to a node.
    pub fn of(character: &Character, node: NodeIndex) -> Self {
        let nodes = character.skeleton.nodes();
        Self { path: path(character, node), index: nodes.get(node.index()).and_then(|n| n.source) }
    }

    /// The node it names: the one with its path, of several the one with its index; else the only one with its name.
    pub fn find(&self, character: &Character) -> Option<NodeIndex> {
        let skeleton = &character.skeleton;
        let last = self.path.rsplit('/').next().unwrap_or_default();
        let source = |n: NodeIndex| skeleton.nodes().get(n.index()).and_then(|x| x.source);
        // Names may hold a slash themselves, so whole paths are compared, not their parts.
        let of_path: Vec<NodeIndex> = skeleton
            .indices()
            .filter(|&n| self.path.ends_with(skeleton.name(n)) && path(character, n) == self.path)
            .collect();
        let by_index =
            of_path.iter().copied().find(|&n| self.index.is_some() && source(n) == self.index);
        by_index.or_else(|| of_path.first().copied()).or_else(|| {
            let mut named = skeleton.indices().filter(|&n| skeleton.name(n) == last);
            named.next().filter(|_| named.next().is_none() && !last.is_empty())
        })
    }
}

fn path(character: &Character, node: NodeIndex) -> String {
    let skeleton = &character.skeleton;
    if node.index() >= skeleton.len() {
        return String::new();
    }
    let mut names: Vec<&str> = vec![skeleton.name(node)];
    names.extend(skeleton.ancestors(node).map(|n| skeleton.name(n)));
    names.reverse();
    names.join("/")
}

/// What `edits` mean for this character and what was found on it, and what of them means nothing here.
pub fn rig_settings(
    edits: &CharacterEdits,
    character: &Character,
    detection: &Detection,
) -> (RigSettings, Vec<Notice>) {
    let about: Vec<Option<RegionId>> =
        edits.regions.iter().map(|edit| edit.region.find(character, detection)).collect();
    settings_about(edits, &about, character, detection)
}

/// The same, where it is known which region each decision is about.
pub(super) fn settings_about(
    edits: &CharacterEdits,
    about: &[Option<RegionId>],
    character: &Character,
    detection: &Detection,
) -> (RigSettings, Vec<Notice>) {
    let mut notices = Vec::new();
    let mut settings = RigSettings {
        blend_rings: edits.blend_rings,
        influences: if edits.influences > 4 { 8 } else { 4 },
        axes: edits.axes,
        naming: edits.naming,
        springs: edits.springs,
        existing: edits.existing.clone(),
        existing_springs: edits.existing_springs.clone(),
        ..RigSettings::default()
    };
    for (&kind, edit) in &edits.kinds {
        settings.by_kind.insert(kind, treatment(edit, character, &mut notices));
    }
    for (edit, &about) in edits.regions.iter().zip(about) {
        match about {
            Some(id) => {
                let mut treatment = treatment(&edit.treatment, character, &mut notices);
                treatment.places = (edit.treatment.places.iter())
                    .map(|&place| to_bind(detection, place))
                    .collect();
                settings.by_region.entry(id).or_insert(treatment);
            }
            None => notices.push(Notice::RegionNotFound { region: edit.region.clone() }),
        }
    }
    for run in &edits.by_hand {
        let nodes: Vec<NodeIndex> =
            run.iter().filter_map(|j| joint(j, character, &mut notices)).collect();
        if nodes.len() == run.len() {
            settings.by_hand.insert(nodes);
        }
    }
    settings.hair = edits.hair.plan(character, detection, &mut notices);
    (settings, notices)
}

fn treatment(edit: &TreatmentEdit, character: &Character, notices: &mut Vec<Notice>) -> Treatment {
    Treatment {
        verdict: edit.verdict,
        joints: edit.joints,
        attachment: edit.attachment.as_ref().and_then(|j| joint(j, character, notices)),
        axes: edit.axes,
        columns: edit.columns,
        spread: edit.spread.iter().filter_map(|j| joint(j, character, notices)).collect(),
        springs: edit.springs,
        places: Vec::new(),
        locks_weights: edit.locks_weights,
        names: edit.chains.clone(),
    }
}

pub(super) fn joint(
    wanted: &JointRef,
    character: &Character,
    notices: &mut Vec<Notice>,
) -> Option<NodeIndex> {
    let found = wanted.find(character);
    if found.is_none() {
        notices.push(Notice::JointNotFound { joint: wanted.clone() });
    }
    found
}
