//! Evaluation: a line of stages, each a pure function of the source and some of the edits.
//!
//! ```text
//! source ─► Detect ─► Regions ─► Rig ─► springs put on the chains
//!           detect    made by    kinds, regions, blend,      springs, existing
//!           settings, hand       influences, axes, by hand,
//!           roles                 strands, colliders
//! ```
//!
//! A stage's key is the hash of the edits it reads and the key of the stage before; its last output is kept. A spring
//! slider moves neither stage, nor does the pose that clips are retargeted by. Deleting the cache changes nothing but time.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::Serialize;

use super::edits::{CharacterEdits, TreatmentEdit};
use super::made::with_made;
use super::resolve::{Notice, rig_settings};
use super::source::{Document, Source};
use crate::detect::{Detection, detect, roles};
use crate::model::{Character, RetargetPoses, Rigged, SpringSettings};
use crate::rig::{Appendage, RigSettings, rig, rigged_appendages, tune};
use crate::work::{Stopped, Work};

/// What a document comes to, for one of its characters.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// What was found, with the regions made by hand.
    pub detection: Arc<Detection>,
    /// What was made of it.
    pub rigged: Arc<Rigged>,
    /// The decisions as rigging took them.
    pub settings: RigSettings,
    /// The poses that clips are retargeted by.
    pub retarget: RetargetPoses,
    /// Decisions that mean nothing here.
    pub notices: Vec<Notice>,
}

impl Evaluated {
    /// The report on every region.
    pub fn appendages(&self) -> Vec<Appendage> {
        rigged_appendages(&self.detection, &self.settings, &self.rigged)
    }
}

/// The last output of every stage, by character.
#[derive(Clone, Debug, Default)]
pub struct StageCache {
    source: Option<Arc<Source>>,
    characters: BTreeMap<u32, Stages>,
}

#[derive(Clone, Debug, Default)]
struct Stages {
    detect: Option<(u64, Arc<Detection>)>,
    regions: Option<(u64, Arc<Detection>, Vec<Notice>)>,
    rig: Option<(u64, Arc<Rigged>)>,
}

/// The hash of what a stage reads.
fn key(before: u64, layers: &impl Serialize) -> u64 {
    // As text: floats have no hash of their own. Equal edits give equal text.
    let text = serde_json::to_string(layers).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (before, text).hash(&mut hasher);
    hasher.finish()
}

/// The character with the roles that the user has given out stated; `None` where none was. Meshes are shared, so this is
/// cheap.
fn with_roles(loaded: &Character, edits: &CharacterEdits) -> Option<Character> {
    if edits.roles.is_empty() {
        return None;
    }
    let by_hand = edits.roles.iter().filter_map(|(&role, joint)| match joint {
        None => Some((role, None)),
        Some(joint) => joint.find(loaded).map(|node| (role, Some(node))),
    });
    let humanoid = roles::given(loaded, by_hand);
    Some(Character { stated_humanoid: Some(humanoid), ..loaded.clone() })
}

/// Evaluates a document for one of its characters; one that does not exist counts as empty.
///
/// Stages whose edits did not change since `cache` saw them are taken from it.
///
/// # Errors
/// [`Stopped`] when `work` was cancelled; the cache then holds the stages that were finished.
pub fn evaluate(
    document: &Document,
    character: u32,
    cache: &mut StageCache,
    work: &Work,
) -> Result<Evaluated, Stopped> {
    let same = cache.source.as_ref().is_some_and(|s| Arc::ptr_eq(s, document.source()));
    if !same {
        *cache = StageCache { source: Some(document.source().clone()), ..StageCache::default() };
    }
    let stages = cache.characters.entry(character).or_default();
    let edits = document.edits.character(character);
    let empty = Character::default();
    let loaded = document.character(character).unwrap_or(&empty);

    let detect_key = key(0, &(&edits.detect, &edits.roles));
    let found = match &stages.detect {
        Some((known, detection)) if *known == detect_key => detection.clone(),
        _ => {
            let stated = with_roles(loaded, &edits);
            let fresh = Arc::new(detect(stated.as_ref().unwrap_or(loaded), &edits.detect, work)?);
            stages.detect = Some((detect_key, fresh.clone()));
            fresh
        }
    };
    let regions_key = key(detect_key, &edits.made);
    let (detection, mut notices) = match &stages.regions {
        Some((known, detection, notices)) if *known == regions_key => {
            (detection.clone(), notices.clone())
        }
        _ => {
            let (detection, notices) = with_made(&found, &edits, loaded);
            stages.regions = Some((regions_key, detection.clone(), notices.clone()));
            (detection, notices)
        }
    };
    let (settings, unknown) = rig_settings(&edits, loaded, &detection);
    notices.extend(unknown);
    let gone = edits.roles.values().flatten().filter(|joint| joint.find(loaded).is_none());
    notices.extend(gone.map(|joint| Notice::JointNotFound { joint: joint.clone() }));
    let mut shape = edits.clone();
    shape.springs = SpringSettings::default();
    shape.preset = None;
    shape.existing.clear();
    shape.existing_springs.clear();
    shape.seen.clear();
    shape.retarget = RetargetPoses::default();
    shape.hair = edits.hair.without_motion();
    shape.kinds.values_mut().for_each(|t| t.springs = None);
    shape.regions.iter_mut().for_each(|r| {
        r.treatment.springs = None;
        r.treatment.name = None;
    });
    shape.regions.retain(|r| r.treatment != TreatmentEdit::default());
    let rig_key = key(regions_key, &shape);
    let rigged = match &stages.rig {
        Some((known, rigged)) if *known == rig_key => rigged.clone(),
        _ => {
            let fresh = Arc::new(rig(loaded, &detection, &settings, work)?);
            stages.rig = Some((rig_key, fresh.clone()));
            fresh
        }
    };
    let mut chains = rigged.chains.clone();
    tune(&mut chains, &detection, &settings);
    let rigged = if chains == rigged.chains {
        rigged
    } else {
        Arc::new(Rigged { chains, ..Rigged::clone(&rigged) })
    };
    notices.extend(lost_chains(&edits, &rigged));
    Ok(Evaluated { detection, rigged, settings, retarget: edits.retarget, notices })
}

/// Of the decisions about chains that a file has already, those about chains that this one lacks.
fn lost_chains(edits: &CharacterEdits, rigged: &Rigged) -> Vec<Notice> {
    let decided: BTreeSet<&String> =
        edits.existing.keys().chain(edits.existing_springs.keys()).collect();
    let is_lost = |name: &&String| rigged.chains.iter().all(|chain| chain.name != **name);
    let lost = decided.into_iter().filter(is_lost);
    lost.map(|chain| Notice::ChainNotFound { chain: chain.clone() }).collect()
}
