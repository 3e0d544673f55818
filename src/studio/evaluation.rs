//! From an edit to what it changes: which decisions an edit writes, and whether it moves more than springs.

use super::command::Edit;
use crate::detect::Detection;
use crate::document::{CharacterEdits, JointRef, RegionEdit, RegionRef, TreatmentEdit};
use crate::model::{Character, RegionId, SpringSettings};

/// The decisions after `edit`; `None` where it names a region that is not there.
pub(super) fn with_edit(
    edits: &CharacterEdits,
    edit: &Edit,
    character: &Character,
    detection: &Detection,
) -> Option<CharacterEdits> {
    let mut after = edits.clone();
    match edit {
        Edit::Thresholds(settings) => after.detect = *settings,
        Edit::Axes(axes) => after.axes = *axes,
        Edit::Naming(naming) => after.naming = *naming,
        Edit::Influences(most) => after.influences = if *most > 4 { 8 } else { 4 },
        _ => return with_treatment(after, edit, character, detection),
    }
    Some(after)
}

/// The decisions after an edit about one region.
fn with_treatment(
    mut after: CharacterEdits,
    edit: &Edit,
    character: &Character,
    detection: &Detection,
) -> Option<CharacterEdits> {
    let treatment = treatment_mut(&mut after, edit.region()?, character, detection)?;
    match edit {
        Edit::Treatment { verdict, .. } => treatment.verdict = *verdict,
        Edit::Joints { joints, .. } => treatment.joints = *joints,
        Edit::Attachment { joint, .. } => {
            treatment.attachment = joint.map(|node| JointRef::of(character, node));
        }
        Edit::SharedBy { joints, .. } => {
            treatment.spread = joints.iter().map(|node| JointRef::of(character, *node)).collect();
        }
        Edit::Strips { strips, .. } => treatment.columns = *strips,
        Edit::Springs { settings, .. } => treatment.springs = *settings,
        Edit::Thresholds(_) | Edit::Axes(_) | Edit::Naming(_) | Edit::Influences(_) => {}
    }
    after.regions.retain(|r| r.treatment != TreatmentEdit::default());
    Some(after)
}

/// What has been decided about a region; the defaults where nothing has.
pub(super) fn treatment_of(edits: &CharacterEdits, region: &RegionRef) -> TreatmentEdit {
    edits
        .regions
        .iter()
        .find(|r| r.region == *region)
        .map(|r| r.treatment.clone())
        .unwrap_or_default()
}

fn treatment_mut<'a>(
    edits: &'a mut CharacterEdits,
    region: RegionId,
    character: &Character,
    detection: &Detection,
) -> Option<&'a mut TreatmentEdit> {
    let found = detection.regions.iter().find(|r| r.id == region)?;
    let wanted = RegionRef::of(character, detection, found);
    let place = edits.regions.iter().position(|r| r.region == wanted).unwrap_or_else(|| {
        edits.regions.push(RegionEdit { region: wanted, treatment: TreatmentEdit::default() });
        edits.regions.len() - 1
    });
    edits.regions.get_mut(place).map(|r| &mut r.treatment)
}

/// The decisions without what only tunes springs: where these are equal, no joint and no weight differs.
pub(super) fn shape_of(edits: &CharacterEdits) -> CharacterEdits {
    let mut shape = edits.clone();
    shape.springs = SpringSettings::default();
    shape.preset = None;
    shape.kinds.values_mut().for_each(|t| t.springs = None);
    shape.regions.iter_mut().for_each(|r| r.treatment.springs = None);
    shape.regions.retain(|r| r.treatment != TreatmentEdit::default());
    shape
}

impl Edit {
    /// The region it is about; none where it is about all.
    pub fn region(&self) -> Option<RegionId> {
        match self {
            Self::Treatment { region, .. }
            | Self::Joints { region, .. }
            | Self::Attachment { region, .. }
            | Self::SharedBy { region, .. }
            | Self::Strips { region, .. }
            | Self::Springs { region, .. } => Some(*region),
            Self::Thresholds(_) | Self::Axes(_) | Self::Naming(_) | Self::Influences(_) => None,
        }
    }

    /// What the history calls it.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Treatment { .. } => "change treatment",
            Self::Joints { .. } => "change number of bones",
            Self::Attachment { .. } => "hang from another bone",
            Self::SharedBy { .. } => "share with other bones",
            Self::Strips { .. } => "change number of strips",
            Self::Springs { .. } => "tune springs",
            Self::Axes(_) => "turn bone axes",
            Self::Naming(_) => "rename bones",
            Self::Influences(_) => "change influences",
            Self::Thresholds(_) => "change thresholds",
        }
    }
}
