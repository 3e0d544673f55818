//! A clip of the catalogue on the document's character: its own as it is, any other retargeted.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::clips::retarget::{RetargetError, RetargetOptions, RetargetRig, Retargeter};
use crate::clips::{EditedBody, edited};
use crate::detect::{Detection, roles};
use crate::library::{ClipEntry, ClipSource};
use crate::math::rotation;
use crate::model::{
    BindPose, Character, Clip, HumanoidMap, Interpolation, NodeIndex, RegionKind, Role,
    SurfaceVertex, Track, TrackValues,
};
use crate::recipes;
use crate::work::{Stopped, Work};

/// A clip that cannot be played on a character.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// The two skeletons do not fit.
    #[error("clip \"{clip}\" cannot be played on \"{character}\": {source}")]
    Retarget {
        /// The clip.
        clip: String,
        /// The character.
        character: String,
        /// Why.
        #[source]
        source: RetargetError,
    },
    /// The catalogue names what is not there.
    #[error("clip \"{clip}\" is gone")]
    Gone {
        /// The clip.
        clip: String,
    },
    /// Cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The clip of `entry` on the nodes of `character`, whose own clips `Own` means.
///
/// Skin of found appendages counts as no support: a tail must not lift the feet (spec 3.1).
///
/// # Errors
/// [`ClipError::Retarget`] where one of the skeletons is no humanoid.
///
/// Cost: O(keys × joints); nothing for the character's own clips.
pub fn clip_on(
    character: &Character,
    detection: &Detection,
    entry: &ClipEntry,
    work: &Work,
) -> Result<Arc<Clip>, ClipError> {
    let gone = || ClipError::Gone { clip: entry.name.clone() };
    let (source, clip) = match &entry.source {
        ClipSource::Own(index) => {
            let own = character.clips.get(index.0 as usize).ok_or_else(gone)?;
            return Ok(with_edit(looping(own, entry.looping), character, detection, entry));
        }
        ClipSource::Of(source, clip) => {
            (foreign_rig(source, &roles::humanoid(source)), clip.clone())
        }
        ClipSource::Recipe(name) => {
            let rig = recipes::skeleton();
            let clip = recipes::clip(name).ok_or_else(gone)?;
            (foreign_rig(&rig.character, &rig.humanoid), Arc::new(clip))
        }
    };
    let target = own_rig(character, detection);
    let fault = |source| ClipError::Retarget {
        clip: entry.name.clone(),
        character: character.name.clone(),
        source,
    };
    let retargeter = Retargeter::new(source, target, RetargetOptions::default()).map_err(fault)?;
    let mut clip = retargeter.clip(&clip, work)?;
    clip.tracks.extend(held(character, detection, &clip));
    let clip = Arc::new(Clip { looping: entry.looping, ..clip });
    Ok(with_edit(clip, character, detection, entry))
}

/// The clip with the entry's edit applied to it.
fn with_edit(
    clip: Arc<Clip>,
    character: &Character,
    detection: &Detection,
    entry: &ClipEntry,
) -> Arc<Clip> {
    if entry.edit.is_none() {
        return clip;
    }
    let body = EditedBody {
        skeleton: &character.skeleton,
        neutral: &detection.bind.pose,
        humanoid: &detection.humanoid,
        canonical_from_file: character.world_from_file.rotation,
    };
    Arc::new(edited(&clip, &body, &entry.edit))
}

/// Tracks of one key for what a retargeted clip does not move but the file was saved with out of its bind pose: the
/// clip was made for the bind pose, and any program that plays it plays it over the file's own.
///
/// Joints of chains that the file has are left out: they are the springs' or the file's own.
fn held(character: &Character, detection: &Detection, clip: &Clip) -> Vec<Track> {
    let skeleton = &character.skeleton;
    let chains: BTreeSet<NodeIndex> =
        detection.existing.iter().flat_map(|chain| chain.joints.iter().copied()).collect();
    let is_of_chain = |node: NodeIndex| {
        std::iter::once(node).chain(skeleton.ancestors(node)).any(|n| chains.contains(&n))
    };
    let mut tracks = Vec::new();
    for node in skeleton.indices().filter(|&n| !is_of_chain(n) && !clip.animates(n)) {
        let (now, wanted) = (skeleton.node(node).local, detection.bind.pose.local(node));
        let mut hold = |values| {
            tracks.push(Track {
                node,
                times: vec![0.0],
                values,
                interpolation: Interpolation::Linear,
            });
        };
        if rotation::angle_between(now.rotation, wanted.rotation) > 1e-4 {
            hold(TrackValues::Rotation(vec![wanted.rotation]));
        }
        let size = wanted.translation.length().max(1e-6);
        if now.translation.distance(wanted.translation) > 1e-4 * size {
            hold(TrackValues::Translation(vec![wanted.translation]));
        }
        if now.scale.distance(wanted.scale) > 1e-4 * wanted.scale.length() {
            hold(TrackValues::Scale(vec![wanted.scale]));
        }
    }
    tracks
}

/// The clip with the catalogue's word on whether it loops.
fn looping(clip: &Arc<Clip>, looping: bool) -> Arc<Clip> {
    if clip.looping == looping {
        return clip.clone();
    }
    Arc::new(Clip { looping, ..Clip::clone(clip) })
}

/// The rig a library clip was made for.
fn foreign_rig(character: &Character, humanoid: &HumanoidMap) -> RetargetRig {
    let bind = BindPose::of(character, humanoid.node(Role::Hips));
    RetargetRig::of(character, &bind, humanoid, None, |_| true)
}

fn own_rig(character: &Character, detection: &Detection) -> RetargetRig {
    let appendages: BTreeSet<SurfaceVertex> = detection
        .regions
        .iter()
        .filter(|region| region.kind != RegionKind::Body)
        .flat_map(|region| region.vertices.iter().copied())
        .collect();
    RetargetRig::of(character, &detection.bind, &detection.humanoid, Some(&detection.body), |v| {
        !appendages.contains(&v)
    })
}
