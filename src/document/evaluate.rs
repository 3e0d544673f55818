//! Evaluation: a line of stages, each a pure function of the source and some of the edits.
//!
//! ```text
//! source ─► Detect ─► Regions ─► Rig ─► springs put on the chains
//!           detect    made by    kinds, regions, blend,      springs, existing
//!           settings, hand       influences, axes, by hand,
//!           roles, body           strands, colliders
//! ```
//!
//! A stage's key is the hash of the edits it reads and the key of the stage before; its last output is kept. A spring
//! slider moves neither stage, nor does the pose that clips are retargeted by. Deleting the cache changes nothing but time.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::edits::{CharacterEdits, RegionEdit, RegionRef, TreatmentEdit};
use super::made::with_made;
use super::resolve::{Notice, settings_about};
use super::source::{Document, Source};
use crate::detect::{Detection, body_frame, detect, roles};
use crate::model::{Character, NodeIndex, RegionId, RetargetPoses, Rigged, Role, SpringSettings};
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
    /// The poses that clips are retargeted by, and who is who on the skeletons they come from.
    pub retarget: RetargetPoses,
    /// Decisions that mean nothing here.
    pub notices: Vec<Notice>,
    /// Which region each decision about one is about, in the order of `CharacterEdits::regions`.
    pub about: Vec<Option<RegionId>>,
    /// The report on every region: of the rig, so that it outlives the tuning of springs.
    report: Report,
}

impl Evaluated {
    /// The report on every region. Worked out once for each rig. Cost: O(influences), then none.
    pub fn appendages(&self) -> &[Appendage] {
        self.report.get_or_init(|| rigged_appendages(&self.detection, &self.settings, &self.rigged))
    }
}

/// The report on every region, once somebody has asked for it.
type Report = Arc<OnceLock<Vec<Appendage>>>;

/// Which region, if any, each reference is to.
type FoundRegions = Vec<(RegionRef, Option<RegionId>)>;

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
    /// Regions that decisions were looked up for, of the detection of that key.
    about: Option<(u64, FoundRegions)>,
    rig: Option<(u64, Arc<Rigged>, Report)>,
}

impl Stages {
    /// Which region each decision is about; what was found before is not looked for again: over another export that is
    /// a walk over all skin, and a slider asks with every step.
    fn about(
        &mut self,
        key: u64,
        edits: &CharacterEdits,
        find: impl Fn(&RegionRef) -> Option<RegionId>,
    ) -> Vec<Option<RegionId>> {
        let before = self.about.take().filter(|(of, _)| *of == key);
        let before = before.map(|(_, found)| found).unwrap_or_default();
        let known = |region: &RegionRef| before.iter().find(|(known, _)| known == region);
        let look = |edit: &RegionEdit| {
            let found = known(&edit.region).map_or_else(|| find(&edit.region), |(_, id)| *id);
            (edit.region.clone(), found)
        };
        let found: Vec<_> = edits.regions.iter().map(look).collect();
        let about = found.iter().map(|(_, id)| *id).collect();
        self.about = Some((key, found));
        about
    }
}

/// The hash of what a stage reads.
fn key(before: u64, layers: &impl Serialize) -> u64 {
    // As text: floats have no hash of their own. Equal edits give equal text.
    let text = serde_json::to_string(layers).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (before, text).hash(&mut hasher);
    hasher.finish()
}

/// The roles that the user has given out, or taken away, as far as the character has the joints.
fn by_hand<'a>(
    loaded: &'a Character,
    edits: &'a CharacterEdits,
) -> impl Iterator<Item = (Role, Option<NodeIndex>)> + 'a {
    edits.roles.iter().filter_map(move |(&role, joint)| match joint {
        None => Some((role, None)),
        Some(joint) => joint.find(loaded).map(|node| (role, Some(node))),
    })
}

/// The character with what the user has said of its roles and its body; `None` where that is nothing. Meshes are shared,
/// so this is cheap.
fn stated(loaded: &Character, edits: &CharacterEdits) -> Option<Character> {
    if edits.roles.is_empty() && edits.body.is_default() {
        return None;
    }
    let mut stated = Character { stated_body: edits.body, ..loaded.clone() };
    if let Some(forward) = stated.stated_forward() {
        stated.stated_humanoid = Some(roles::facing(&stated, forward));
    }
    if !edits.roles.is_empty() {
        // Roles are given for the sides as they are said to be.
        stated.stated_humanoid = Some(roles::given(&stated, by_hand(loaded, edits)));
    }
    Some(stated)
}

/// What is found on the character as the user has stated it. Decisions about places are kept in the frame that it has
/// without a stated facing.
fn detected(loaded: &Character, edits: &CharacterEdits, work: &Work) -> Result<Detection, Stopped> {
    let stated = stated(loaded, edits);
    let mut detection = detect(stated.as_ref().unwrap_or(loaded), &edits.detect, work)?;
    if edits.body.facing.is_some() {
        let plain = roles::given(loaded, by_hand(loaded, edits));
        detection.frame.world_from_body = body_frame(&detection.bind, &plain);
    }
    Ok(detection)
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

    let detect_key = key(0, &(&edits.detect, &edits.roles, &edits.body));
    let found = match &stages.detect {
        Some((known, detection)) if *known == detect_key => detection.clone(),
        _ => {
            let fresh = Arc::new(detected(loaded, &edits, work)?);
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
    let about = stages.about(regions_key, &edits, |region| region.find(loaded, &detection));
    let (settings, unknown) = settings_about(&edits, &about, loaded, &detection);
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
    let (rigged, report) = match &stages.rig {
        Some((known, rigged, report)) if *known == rig_key => (rigged.clone(), report.clone()),
        _ => {
            let fresh = Arc::new(rig(loaded, &detection, &settings, work)?);
            let report = Report::default();
            stages.rig = Some((rig_key, fresh.clone(), report.clone()));
            (fresh, report)
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
    let retarget = edits.retarget;
    Ok(Evaluated { detection, rigged, settings, retarget, notices, about, report })
}

/// Of the decisions about chains that a file has already, those about chains that this one lacks.
fn lost_chains(edits: &CharacterEdits, rigged: &Rigged) -> Vec<Notice> {
    let decided: BTreeSet<&String> =
        edits.existing.keys().chain(edits.existing_springs.keys()).collect();
    let is_lost = |name: &&String| rigged.chains.iter().all(|chain| chain.name != **name);
    let lost = decided.into_iter().filter(is_lost);
    lost.map(|chain| Notice::ChainNotFound { chain: chain.clone() }).collect()
}
