//! From an edit to what it changes: which decisions an edit writes, and whether it moves more than springs.

use std::collections::BTreeMap;

use super::command::{Edit, Forgotten, Named, WhoIs};
use super::naming::{with_region_name, with_strand_name};
use crate::detect::Detection;
use crate::detect::roles::RoleProfile;
use crate::document::{
    CharacterEdits, HairEdits, JointRef, RegionEdit, RegionRef, TreatmentEdit, from_floor,
    make_region, mapped, merge_regions, split_region, unmake_region,
};
use crate::model::{Character, RegionId, RetargetPoses, SpringSettings, StatedBody};
use crate::rig::RigSettings;

/// The decisions after `edit`; `None` where it names a region that is not there.
pub(super) fn with_edit(
    edits: &CharacterEdits,
    edit: &Edit,
    character: &Character,
    detection: &Detection,
) -> Option<CharacterEdits> {
    let mut after = edits.clone();
    let detected = (character, detection);
    match edit {
        Edit::Thresholds(settings) => after.detect = *settings,
        Edit::Axes(axes) => after.axes = *axes,
        Edit::Naming(naming) => after.naming = *naming,
        Edit::BlendRings(rings) => after.blend_rings = (*rings).min(RigSettings::MOST_BLEND_RINGS),
        Edit::Existing { chain, driven } => decide(&mut after.existing, chain, *driven),
        Edit::ExistingSprings { chain, settings } => {
            decide(&mut after.existing_springs, chain, *settings);
        }
        Edit::Hair(hair) => after.hair = HairEdits::clone(hair),
        Edit::Collider { which, to } => {
            after.hair = after.hair.with_collider(which, to.as_deref().cloned());
        }
        Edit::Rename { what: Named::Strand { strand, joint }, was, name } => {
            return with_strand_name(after, (*strand, *joint), was, name.as_deref());
        }
        Edit::Influences(most) => after.influences = if *most > 4 { 8 } else { 4 },
        Edit::Role { role, who } => {
            match who {
                WhoIs::Auto => after.roles.remove(role),
                WhoIs::Nobody => after.roles.insert(*role, None),
                WhoIs::Joint(node) => {
                    after.roles.insert(*role, Some(JointRef::of(character, *node)))
                }
            };
        }
        Edit::Facing(facing) => after.body.facing = *facing,
        Edit::Height(height_m) => {
            let (least, most) = StatedBody::HEIGHTS_M.into_inner();
            let height_m = height_m.filter(|height| height.is_finite());
            after.body.height_m = height_m.map(|height| height.clamp(least, most));
        }
        Edit::Retarget(poses) => after.retarget = RetargetPoses::clone(poses).cleaned(),
        Edit::Mapping { profile } => {
            let map = RoleProfile::read(profile).ok()?;
            return mapped(after, &map, character).ok();
        }
        Edit::Seen { code, subject } => {
            after.seen.insert((code.clone(), subject.clone()));
        }
        Edit::Forget(forgotten) => forget(&mut after, forgotten),
        Edit::Region { .. } | Edit::Split { .. } | Edit::Merge { .. } | Edit::Unmake { .. } => {
            return with_regions(after, edit, detected);
        }
        Edit::Rename { what, was, name } => {
            return with_region_name(after, *what, (was, name.as_deref()), detected);
        }
        _ => return with_treatment(after, edit, detected),
    }
    Some(after)
}

/// Keeps what is decided about a chain of the file; `None` gives the decision up.
fn decide<T>(decisions: &mut BTreeMap<String, T>, chain: &str, value: Option<T>) {
    match value {
        Some(value) => decisions.insert(chain.to_owned(), value),
        None => decisions.remove(chain),
    };
}

/// Gives up a decision that means nothing in this file.
fn forget(after: &mut CharacterEdits, forgotten: &Forgotten) {
    match forgotten {
        Forgotten::Region(region) => {
            after.regions.retain(|edit| edit.region != **region);
            after.made.retain(|made| made.region != **region);
        }
        Forgotten::Chain(chain) => {
            after.existing.remove(chain);
            after.existing_springs.remove(chain);
        }
        Forgotten::Strand(strand) => after.hair.strands.retain(|known| known != &**strand),
        Forgotten::Joint(joint) => {
            after.roles.retain(|_, wanted| wanted.as_ref() != Some(joint));
            after.by_hand.retain(|run| !run.contains(joint));
            let treatments = after.regions.iter_mut().map(|edit| &mut edit.treatment);
            for treatment in treatments.chain(after.kinds.values_mut()) {
                treatment.spread.retain(|wanted| wanted != joint);
                treatment.attachment = treatment.attachment.take().filter(|wanted| wanted != joint);
            }
            for strand in &mut after.hair.strands {
                strand.attachment = strand.attachment.take().filter(|wanted| wanted != joint);
            }
            after.hair.colliders.retain(|collider| collider.node != *joint);
        }
    }
    after.regions.retain(|r| r.treatment != TreatmentEdit::default());
}

/// The decisions after a hand has made, painted, cut, joined or given up regions; `None` where nothing comes of it.
fn with_regions(
    before: CharacterEdits,
    edit: &Edit,
    (character, detection): (&Character, &Detection),
) -> Option<CharacterEdits> {
    let known =
        |ids: &[RegionId]| ids.iter().all(|id| detection.regions.iter().any(|r| r.id == *id));
    let after = match edit {
        Edit::Region { vertices, replaces } if known(replaces) => {
            make_region(before.clone(), character, detection, vertices, replaces)
        }
        Edit::Split { region, parts } if known(&[*region]) => {
            split_region(before.clone(), character, detection, *region, parts)
        }
        Edit::Merge { regions } if regions.len() > 1 && known(regions) => {
            merge_regions(before.clone(), character, detection, regions)
        }
        Edit::Unmake { region } => unmake_region(before.clone(), detection, *region),
        _ => return None,
    };
    (after != before).then_some(after)
}

/// The decisions after an edit about one region.
fn with_treatment(
    mut after: CharacterEdits,
    edit: &Edit,
    (character, detection): (&Character, &Detection),
) -> Option<CharacterEdits> {
    let treatment = treatment_mut(&mut after, edit.region()?, character, detection)?;
    match edit {
        Edit::Treatment { verdict, .. } => treatment.verdict = *verdict,
        Edit::Joints { joints, .. } => {
            treatment.joints = *joints;
            treatment.places.clear();
        }
        Edit::Attachment { joint, .. } => {
            treatment.attachment = joint.map(|node| JointRef::of(character, node));
        }
        Edit::SharedBy { joints, .. } => {
            treatment.spread = joints.iter().map(|node| JointRef::of(character, *node)).collect();
        }
        Edit::Strips { strips, .. } => treatment.columns = *strips,
        Edit::Springs { settings, .. } => treatment.springs = *settings,
        Edit::Places { places, .. } => {
            treatment.places = places.iter().map(|&p| from_floor(detection, p)).collect();
        }
        Edit::LockWeights { locked, .. } => treatment.locks_weights = *locked,
        _ => return None,
    }
    after.regions.retain(|r| r.treatment != TreatmentEdit::default());
    Some(after)
}

/// Which region of `detection` each decision is about, in their order: by skin, by space, else `None`.
fn decided_about(
    edits: &CharacterEdits,
    character: &Character,
    detection: &Detection,
) -> Vec<Option<RegionId>> {
    edits.regions.iter().map(|edit| edit.region.find(character, detection)).collect()
}

/// What has been decided about a region; the defaults where nothing has. `about` says which region each decision is
/// about.
pub(super) fn treatment_of(
    edits: &CharacterEdits,
    about: &[Option<RegionId>],
    region: RegionId,
) -> TreatmentEdit {
    let at = about.iter().position(|id| *id == Some(region));
    at.and_then(|at| edits.regions.get(at)).map(|r| r.treatment.clone()).unwrap_or_default()
}

pub(super) fn treatment_mut<'a>(
    edits: &'a mut CharacterEdits,
    region: RegionId,
    character: &Character,
    detection: &Detection,
) -> Option<&'a mut TreatmentEdit> {
    let found = detection.regions.iter().find(|r| r.id == region)?;
    // A decision that was made over another export, or before a brush went over the region, goes on.
    let about = decided_about(edits, character, detection);
    let place = about.iter().position(|id| *id == Some(region)).unwrap_or_else(|| {
        let region = RegionRef::of(character, detection, found);
        edits.regions.push(RegionEdit { region, treatment: TreatmentEdit::default() });
        edits.regions.len() - 1
    });
    edits.regions.get_mut(place).map(|r| &mut r.treatment)
}

/// `onto` with what differs between two tunings of another chain.
pub(super) fn carried_over(
    before: &SpringSettings,
    after: &SpringSettings,
    onto: SpringSettings,
) -> SpringSettings {
    macro_rules! carried {
        ($($field:ident),+ $(,)?) => {
            SpringSettings {
                $($field: if before.$field == after.$field { onto.$field } else { after.$field }),+
            }
        };
    }
    carried!(
        frequency_hz,
        damping_ratio,
        gravity,
        carry_rad,
        rest_curve,
        sag_curve,
        coupling_rate,
        bend_limit_rad,
        ground,
        ground_height_m,
        radius_m,
        slide_damping,
        keep_behind,
        leg_colliders,
        sway_rad,
        sway_hz,
        scale_with_height,
    )
}

/// The decisions without what only tunes springs: where these are equal, no joint and no weight differs.
pub(super) fn shape_of(edits: &CharacterEdits) -> CharacterEdits {
    let mut shape = edits.clone();
    shape.seen.clear();
    shape.retarget = RetargetPoses::default();
    shape.springs = SpringSettings::default();
    shape.existing_springs.clear();
    shape.preset = None;
    shape.hair = edits.hair.without_motion();
    shape.kinds.values_mut().for_each(|t| t.springs = None);
    shape.regions.iter_mut().for_each(|r| {
        r.treatment.springs = None;
        r.treatment.name = None;
    });
    shape.regions.retain(|r| r.treatment != TreatmentEdit::default());
    shape
}

/// Edits about one region, which is bound to a name.
macro_rules! about_one {
    ($region:ident) => {
        Edit::Treatment { region: $region, .. }
            | Edit::Joints { region: $region, .. }
            | Edit::Attachment { region: $region, .. }
            | Edit::SharedBy { region: $region, .. }
            | Edit::Strips { region: $region, .. }
            | Edit::Springs { region: $region, .. }
            | Edit::Places { region: $region, .. }
            | Edit::LockWeights { region: $region, .. }
    };
}

impl Edit {
    /// The region it is about; none where it is about all, or about what regions there are.
    pub fn region(&self) -> Option<RegionId> {
        match self {
            about_one!(region) => Some(*region),
            _ => None,
        }
    }

    /// All regions that it names.
    pub(super) fn regions(&self) -> Vec<RegionId> {
        match self {
            Self::Region { replaces: regions, .. } | Self::Merge { regions } => regions.clone(),
            Self::Split { region, .. }
            | Self::Unmake { region }
            | Self::Rename { what: Named::Region(region) | Named::Grown { region, .. }, .. } => {
                vec![*region]
            }
            other => other.region().into_iter().collect(),
        }
    }

    /// Whether it makes regions out of skin, or gives them up.
    pub(super) const fn is_about_skin(&self) -> bool {
        matches!(
            self,
            Self::Region { .. } | Self::Split { .. } | Self::Merge { .. } | Self::Unmake { .. }
        )
    }

    /// The same decision about another region.
    #[must_use]
    pub(super) fn about(mut self, other: RegionId) -> Self {
        if let about_one!(region) = &mut self {
            *region = other;
        }
        self
    }

    /// Whether several regions can take it at once.
    pub(super) const fn is_for_many(&self) -> bool {
        !matches!(self, Self::Places { .. })
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
            Self::BlendRings(_) => "change blend rings",
            Self::Existing { driven: Some(true), .. } => "drive a chain with springs",
            Self::Existing { driven: Some(false), .. } => "leave a chain to the clips",
            Self::Existing { driven: None, .. } => "decide a chain by itself",
            Self::ExistingSprings { .. } => "tune springs",
            Self::Influences(_) => "change influences",
            Self::Thresholds(_) => "change thresholds",
            Self::Role { .. } => "give a role",
            Self::Facing(_) => "change the facing",
            Self::Height(_) => "change the height",
            Self::Retarget(_) => "change the retarget pose",
            Self::Mapping { .. } => "load a mapping",
            Self::Seen { .. } => "put a finding away",
            Self::Forget(_) => "forget a decision",
            Self::Region { replaces, .. } if replaces.is_empty() => "new region",
            Self::Region { .. } => "paint a region",
            Self::Split { .. } => "split a region",
            Self::Merge { .. } => "merge regions",
            Self::Unmake { .. } => "give up a region",
            Self::Places { .. } => "move a bone",
            Self::LockWeights { .. } => "lock weights",
            Self::Hair(_) => "change hair",
            Self::Collider { .. } => "change a collider",
            Self::Rename { .. } => "rename",
        }
    }
}
