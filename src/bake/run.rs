//! The bake itself: each clip settled, recorded, keyed.
//!
//! Based on: spec 5.3, 8 (2.4: T6, T7).

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Quat;
use rayon::prelude::*;
use serde::Serialize;

use super::keys::{key_times, rotation_track};
use super::plan::{BakeClip, BakePlan, RootPlacement};
use super::reduce::reduced;
use crate::clips::{RigView, RootMotion, with_root_motion};
use crate::model::{BakedClip, Clip, NodeIndex, Pose, Rigged, Role, Track, TrackValues};
use crate::perform::{BodyMotion, SettledPass};
use crate::work::{Stopped, Work};

/// How one clip was baked; keys as in spec 6.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BakeReport {
    /// Of the clip.
    pub name: String,
    /// Length.
    pub duration_s: f64,
    /// Whether it loops.
    pub looping: bool,
    /// Passes run silently before the recorded one; for one-shots the seconds of settling on the first pose.
    pub warmup_passes: u32,
    /// End against start: largest angle of a joint. For one-shots what still moved when the clip began.
    pub seam_deg: f32,
    /// End against start: largest distance of a link's end, in its anchor's frame.
    pub seam_m: f32,
    /// Whether the seam is within 0.05°, 0.1 mm and 1° a second. Where it is not, the clip is baked all the same.
    pub closed: bool,
    /// Where no pass of a loop closed by itself, its end is blended over this gap, metres; 0 otherwise.
    pub blended_m: f32,
    /// Chains that were driven; one with tracks of its own in the clip keeps them and is not counted.
    pub chains: usize,
    /// Keys that are written for it.
    pub keys: usize,
    /// Keys there were before reduction.
    pub keys_before_reduction: usize,
}

/// A whole bake, in the plan's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baked {
    /// What is to be written; a clip of the file's own that gained nothing is left out.
    pub clips: Vec<BakedClip>,
    /// One for each clip of the plan.
    pub reports: Vec<BakeReport>,
}

/// Bakes all clips of `plan` on `rigged`, on all cores, with the same result on any number of them.
///
/// # Errors
/// [`Stopped`] when cancelled.
pub fn bake(rigged: &Arc<Rigged>, plan: &BakePlan, work: &Work) -> Result<Baked, Stopped> {
    let total = plan.clips.len() as u64;
    let baked: Vec<(BakedClip, BakeReport)> = plan
        .clips
        .par_iter()
        .enumerate()
        .map(|(n, clip)| {
            work.tick("bake", n as u64, total)?;
            bake_one(rigged, clip, plan, work)
        })
        .collect::<Result<_, Stopped>>()?;
    let (clips, reports): (Vec<_>, Vec<_>) = baked.into_iter().unzip();
    let adds_something = |c: &BakedClip| c.joins.is_none() || !c.clip.tracks.is_empty();
    Ok(Baked { clips: clips.into_iter().filter(adds_something).collect(), reports })
}

fn bake_one(
    rigged: &Arc<Rigged>,
    given: &BakeClip,
    plan: &BakePlan,
    work: &Work,
) -> Result<(BakedClip, BakeReport), Stopped> {
    let body = placed_clip(rigged, given, plan.root);
    let motion = BodyMotion::new(Arc::clone(rigged), Some(&body), plan.tracks);
    let pass = SettledPass::run(&motion, work)?;
    let mut springs = spring_tracks(&motion, &pass, plan.rate_hz);
    springs.extend(constrained_tracks(&motion, &body, given.joins.is_some(), plan.rate_hz));
    let report = BakeReport {
        name: body.name.clone(),
        duration_s: body.duration_secs,
        looping: body.looping,
        warmup_passes: pass.warmup_passes,
        seam_deg: pass.seam.angle_rad.to_degrees(),
        seam_m: pass.seam.distance_m,
        closed: pass.is_closed,
        blended_m: pass.blended_m(),
        chains: motion.driven().len(),
        keys: 0,
        keys_before_reduction: 0,
    };
    let mut clip = Clip { tracks: Vec::new(), ..Clip::clone(&body) };
    if given.joins.is_none() {
        // Rotations of joints that springs drive are replaced, not doubled.
        let is_kept = |t: &&Track| {
            let is_rotation = matches!(t.values, TrackValues::Rotation(_));
            !(is_rotation && springs.iter().any(|s| s.node == t.node))
        };
        clip.tracks.extend(body.tracks.iter().filter(is_kept).cloned());
    }
    clip.tracks.extend(springs);
    let n_keys = |clip: &Clip| clip.tracks.iter().map(|t| t.times.len()).sum::<usize>();
    let whole = n_keys(&clip);
    clip.tracks = clip.tracks.into_iter().map(|t| reduced(t, plan.reduction)).collect();
    let report = BakeReport { keys: n_keys(&clip), keys_before_reduction: whole, ..report };
    Ok((BakedClip { clip, joins: given.joins, origin: given.origin.clone() }, report))
}

/// Rotation tracks of all driven joints, in their order.
fn spring_tracks(motion: &BodyMotion, pass: &SettledPass, rate_hz: f64) -> Vec<Track> {
    let n_joints = motion.n_joints();
    let times = key_times(motion.clock().duration_secs().unwrap_or(0.0), rate_hz);
    let mut row = vec![Quat::IDENTITY; n_joints];
    let mut values = vec![Vec::with_capacity(times.len()); n_joints];
    for &secs in &times {
        pass.rotations_at(motion, secs, &mut row);
        for (list, &q) in values.iter_mut().zip(&row) {
            list.push(q);
        }
    }
    let times: Vec<f32> = times.iter().map(|&t| t as f32).collect();
    motion
        .joints()
        .zip(values)
        .map(|(node, values)| rotation_track(node, &times, values, motion.is_looping()))
        .collect()
}

/// Rotation tracks of the nodes that constraints turn, for programs that know no constraints.
///
/// One whose rotation the file's own clip animates keeps that track: a channel may not stand twice in a clip that we
/// join. Tracks that move or scale it are channels of their own.
fn constrained_tracks(motion: &BodyMotion, body: &Clip, joins: bool, rate_hz: f64) -> Vec<Track> {
    let driven: BTreeSet<NodeIndex> = motion.joints().collect();
    let turned: BTreeSet<NodeIndex> = body
        .tracks
        .iter()
        .filter(|t| joins && matches!(t.values, TrackValues::Rotation(_)))
        .map(|t| t.node)
        .collect();
    let nodes: BTreeSet<NodeIndex> =
        motion.constrained().filter(|n| !(driven.contains(n) || turned.contains(n))).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let times = key_times(motion.clock().duration_secs().unwrap_or(0.0), rate_hz);
    let mut values = vec![Vec::with_capacity(times.len()); nodes.len()];
    let mut pose = Pose::default();
    for &secs in &times {
        motion.sample(secs, &mut pose);
        for (list, &node) in values.iter_mut().zip(&nodes) {
            list.push(pose.local(node).rotation);
        }
    }
    let times: Vec<f32> = times.iter().map(|&t| t as f32).collect();
    let rows = nodes.into_iter().zip(values);
    rows.map(|(node, values)| rotation_track(node, &times, values, motion.is_looping())).collect()
}

/// The body's part of a clip as it is baked: the file's own as it is, others with their travel where `root` says.
pub fn placed_clip(rigged: &Rigged, given: &BakeClip, root: Option<RootPlacement>) -> Arc<Clip> {
    match (given.joins, root) {
        (None, Some(root)) => Arc::new(placed(rigged, &given.clip, root)),
        _ => Arc::clone(&given.clip),
    }
}

/// The clip with its travel where `root` says; as it is where the character has no hips.
pub fn placed(rigged: &Rigged, clip: &Clip, root: RootPlacement) -> Clip {
    let Some(hips) = rigged.humanoid.node(Role::Hips) else { return clip.clone() };
    let skeleton = &rigged.character.skeleton;
    let base = Pose::loaded(skeleton);
    let world_from_file = rigged.character.root_matrix();
    let view = RigView { skeleton, base: &base, world_from_file, hips };
    let motion = match root {
        RootPlacement::InPlace => RootMotion::InPlace,
        RootPlacement::Hips => RootMotion::OnHips,
        RootPlacement::Root => match skeleton.ancestors(hips).last() {
            Some(top) => RootMotion::OnRoot(top),
            None => RootMotion::OnHips,
        },
    };
    with_root_motion(clip, &view, motion)
}
