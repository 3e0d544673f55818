//! A clip of the catalogue on the document's character: its own as it is, any other retargeted.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::clips::retarget::{RetargetError, RetargetOptions, RetargetRig, Retargeter};
use crate::detect::{Detection, roles};
use crate::library::{ClipEntry, ClipSource};
use crate::model::{BindPose, Character, Clip, HumanoidMap, RegionKind, Role, SurfaceVertex};
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
            return Ok(looping(own, entry.looping));
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
    let clip = retargeter.clip(&clip, work)?;
    Ok(Arc::new(Clip { looping: entry.looping, ..clip }))
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
