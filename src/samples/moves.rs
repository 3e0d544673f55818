//! The clips that samples carry: our own recipes, retargeted.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::truth::Sample;
use crate::clips::retarget::{RetargetOptions, RetargetRig, Retargeter};
use crate::geometry::Surface;
use crate::model::{BindPose, BodyMeasures, Clip, Role, SurfaceVertex};
use crate::recipes;
use crate::work::Work;

/// Names in the catalogue of what every hand-made sample carries.
const CLIPS: [&str; 5] = ["Idle_Loop", "Walk_Loop", "Sprint_Loop", "Crouch_Bwd_Loop", "BackFlip"];

/// The clips for `sample`, by its true roles; appendages do not count as body, so none of them lifts the feet.
///
/// Empty where the sample is no humanoid, which ours all are.
pub(super) fn clips(sample: &Sample) -> Vec<Arc<Clip>> {
    let canonical = recipes::skeleton();
    let hips = |map: &crate::model::HumanoidMap| map.node(Role::Hips);
    let source_bind = BindPose::of(&canonical.character, hips(&canonical.humanoid));
    let source = RetargetRig::of(
        &canonical.character,
        &source_bind,
        &canonical.humanoid,
        Some(&canonical.body),
        |_| false,
    );
    let character = &sample.character;
    let bind = BindPose::of(character, hips(&sample.truth.roles));
    let appendages: BTreeSet<SurfaceVertex> =
        sample.truth.appendages.iter().flat_map(|a| a.vertices.iter().copied()).collect();
    let counts = |v: SurfaceVertex| !appendages.contains(&v);
    let surface = Surface::of(character, &bind);
    let floor = (surface.positions.iter().enumerate())
        .filter(|(v, _)| counts(SurfaceVertex::from_index(*v)))
        .map(|(_, p)| p.y)
        .fold(f32::MAX, f32::min);
    let body =
        BodyMeasures { height_m: surface.height(), floor_m: floor, ..BodyMeasures::default() };
    let target = RetargetRig::of(character, &bind, &sample.truth.roles, Some(&body), counts);
    let Ok(retargeter) = Retargeter::new(source, target, RetargetOptions::default()) else {
        return Vec::new();
    };
    let made: Vec<Arc<Clip>> = CLIPS.iter().filter_map(|name| recipes::clip(name)).collect();
    let list: Vec<&Clip> = made.iter().map(AsRef::as_ref).collect();
    // Nobody holds this work's switch, so it is never stopped.
    let clips = retargeter.clips(&list, &Work::default()).unwrap_or_default();
    clips.into_iter().map(Arc::new).collect()
}
