//! Retargeting: a clip of one humanoid becomes a clip of another.
//!
//! ```text
//! D = G_src G_src⁰⁻¹      how far a joint has turned from the reference pose, in canonical axes
//! G_tgt = D G_tgt⁰        the same turn on the target's joint
//! Q_tgt = G_tgt,parent⁻¹ G_tgt
//! ```
//!
//! G are model-space rotations; G⁰ those of the reference pose, in which both rigs stand alike ([`reference`]). Axes,
//! units, twisted binds and A- against T-pose are inside G⁰, so nothing is asked about them. Based on: spec 3.3 and 8, 4.5.

mod keys;
mod pairing;
mod reference;
mod rig;
mod seam;
mod solve;
#[cfg(test)]
mod test_rig;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use glam::{Affine3A, Vec3};
use rayon::prelude::*;

use self::keys::Keys;
use self::pairing::{Origin, Side, pair};
use self::reference::Reference;
pub use self::rig::RetargetRig;
use super::PackedClip;
use crate::math::polar_rotation;
use crate::model::{Clip, NodeIndex, Pose, Role, Track, TrackValues};
use crate::work::{Stopped, Work};

/// Two rigs between which nothing can be retargeted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// A rig has no hips.
    #[error("the {rig} has no joint with the role of the hips: assign it, or choose a humanoid")]
    NoHips {
        /// `source` or `target`.
        rig: &'static str,
    },
    /// Besides the hips the rigs have no role in common.
    #[error("source and target have no humanoid role in common but the hips")]
    NothingShared,
    /// The hips of a rig stand on its floor or below it, or its joints are not finite.
    #[error("the {rig}'s hips do not stand above its floor, so its size is not known")]
    NoSize {
        /// `source` or `target`.
        rig: &'static str,
    },
}

/// A node on the way to a role, and the row of its parent.
#[derive(Clone, Copy, Debug)]
struct Row {
    node: NodeIndex,
    parent: Option<usize>,
    origin: Option<Origin>,
}

/// Takes clips from one humanoid to another. Built once for a pair of rigs; every use of it is independent.
#[derive(Clone, Debug)]
pub struct Retargeter {
    source: RetargetRig,
    target: RetargetRig,
    source_reference: Reference,
    target_reference: Reference,
    source_hips: NodeIndex,
    target_hips: NodeIndex,
    source_rows: Vec<Row>,
    target_rows: Vec<Row>,
    /// `[source nodes]`: row of a node, 0 where it has none.
    row_of_source: Vec<usize>,
    canonical_from_source: Affine3A,
    canonical_from_target: Affine3A,
    scale: f32,
}

impl Retargeter {
    /// A retargeter from `source` to `target`; both are kept as private copies.
    ///
    /// # Errors
    /// [`RetargetError`] where a rig has no hips or no size, or nothing in common with the other.
    pub fn new(source: RetargetRig, target: RetargetRig) -> Result<Self, RetargetError> {
        let hips = |rig: &RetargetRig, name| {
            rig.humanoid.node(Role::Hips).ok_or(RetargetError::NoHips { rig: name })
        };
        let (source_hips, target_hips) = (hips(&source, "source")?, hips(&target, "target")?);
        let roles = |rig: &RetargetRig| rig.humanoid.roles.keys().copied().collect::<BTreeSet<_>>();
        let shared: BTreeSet<Role> =
            roles(&source).intersection(&roles(&target)).copied().collect();
        if shared.len() < 2 {
            return Err(RetargetError::NothingShared);
        }
        let is_shared = |role| shared.contains(&role);
        let source_reference = Reference::of(&source, &is_shared);
        let target_reference = Reference::of(&target, &is_shared);
        for (reference, rig) in [(&source_reference, "source"), (&target_reference, "target")] {
            if !(reference.hip_height > 1e-6 && reference.hip_height.is_finite()) {
                return Err(RetargetError::NoSize { rig });
            }
        }
        let origins = pair(
            Side { rig: &source, reference: &source_reference },
            Side { rig: &target, reference: &target_reference },
        );
        let used: BTreeSet<NodeIndex> = origins.values().flat_map(Origin::nodes).collect();
        let used_roles = (source.humanoid.roles.iter())
            .filter(|(role, node)| used.contains(node) || **role == Role::Hips)
            .map(|(role, _)| *role);
        let (source_rows, row_of_source) = rows(&source, used_roles, |_| None);
        let (target_rows, _) = rows(&target, origins.keys().copied(), |node| {
            target.humanoid.role(node).and_then(|role| origins.get(&role).copied())
        });
        Ok(Self {
            canonical_from_source: source.canonical_from_file(),
            canonical_from_target: target.canonical_from_file(),
            scale: target_reference.hip_height / source_reference.hip_height,
            source,
            target,
            source_reference,
            target_reference,
            source_hips,
            target_hips,
            source_rows,
            target_rows,
            row_of_source,
        })
    }

    /// S: hip height of the target over that of the source; what ways are multiplied by.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Roles of the target that move, in the order of their joints.
    pub fn moved_roles(&self) -> impl Iterator<Item = Role> + '_ {
        let moved = self.target_rows.iter().filter(|row| row.origin.is_some());
        moved.filter_map(|row| self.target.humanoid.role(row.node))
    }

    /// `clip`, which moves the source's nodes, as a clip of the target's, to be played over the target's bind pose.
    ///
    /// Rotations of the joints that have a role, and the hips' translation; nothing else. Keys stand at the source's
    /// times, or 30 a second where its channels disagree. Quaternions are unit and their signs follow on each other; a
    /// loop's last key is its first.
    ///
    /// # Errors
    /// [`Stopped`] when `work` is cancelled.
    pub fn clip(&self, clip: &Clip, work: &Work) -> Result<Clip, Stopped> {
        work.tick("retarget", 0, 1)?;
        let nodes: Vec<NodeIndex> = self.source_rows.iter().map(|row| row.node).collect();
        let mut keys = Keys::read(clip, &self.source, &nodes, self.source_hips);
        let n_keys = keys.len();
        let (source_root, target_root) = (
            polar_rotation(&self.canonical_from_source),
            polar_rotation(&self.canonical_from_target),
        );
        solve::accumulate(&self.source_rows, source_root, n_keys, &mut keys.rotations);
        let rotations = solve::transfer(
            &self.target_rows,
            &self.target,
            target_root,
            &keys.rotations,
            n_keys,
            &self.row_of_source,
        );
        let track = |node, values| Track {
            node,
            times: keys.times.clone(),
            values,
            interpolation: keys.interpolation,
        };
        let mut tracks =
            vec![track(self.target_hips, TrackValues::Translation(self.hips_way(clip, &keys)))];
        for (i, row) in self.target_rows.iter().enumerate() {
            if row.origin.is_some() {
                let locals = solve::locals(i, &self.target_rows, target_root, n_keys, &rotations);
                tracks.push(track(row.node, TrackValues::Rotation(locals)));
            }
        }
        let mut result = Clip {
            name: clip.name.clone(),
            duration_secs: clip.duration_secs,
            looping: clip.looping,
            tracks,
            source: None,
        };
        seam::close(&mut result);
        work.tick("retarget", 1, 1)?;
        Ok(result)
    }

    /// Many clips at once, in their order.
    ///
    /// # Errors
    /// [`Stopped`] when `work` is cancelled.
    pub fn clips(&self, clips: &[&Clip], work: &Work) -> Result<Vec<Clip>, Stopped> {
        clips.par_iter().map(|clip| self.clip(clip, work)).collect()
    }

    /// Local translations of the target's hips: P = P⁰_tgt + S (P_src - P⁰_src) in canonical axes.
    fn hips_way(&self, clip: &Clip, keys: &Keys) -> Vec<Vec3> {
        let mut source_hips = self.source_reference.hips;
        if self.source_reference.is_floating {
            source_hips.y = self.floor_of(clip, keys) + self.source_reference.hip_height;
        }
        let parent_from_canonical = self
            .target
            .skeleton
            .ancestors(self.target_hips)
            .fold(Affine3A::IDENTITY, |m, n| self.target.neutral.local(n).to_affine() * m);
        let parent_from_canonical = (self.canonical_from_target * parent_from_canonical).inverse();
        let place = |file_from_hips: &Affine3A| {
            let source = self.canonical_from_source.transform_point3a(file_from_hips.translation);
            let target =
                self.target_reference.hips + self.scale * (Vec3::from(source) - source_hips);
            parent_from_canonical.transform_point3(target)
        };
        keys.file_from_hips.iter().map(place).collect()
    }

    /// Height of the floor that a clip itself stands on: where its feet are lowest, but for one key in twenty.
    fn floor_of(&self, clip: &Clip, keys: &Keys) -> f32 {
        let feet = [Role::LeftFoot, Role::RightFoot, Role::LeftToes, Role::RightToes]
            .map(|role| self.source.humanoid.node(role));
        let packed = PackedClip::new(clip, &self.source.loaded);
        let view = super::RigView {
            skeleton: &self.source.skeleton,
            base: &self.source.loaded,
            world_from_file: self.canonical_from_source,
            hips: self.source_hips,
        };
        let mut pose = Pose::default();
        let mut lowest: Vec<f32> = keys
            .times
            .iter()
            .map(|&time| {
                packed.sample(f64::from(time), &mut pose);
                let heights = feet.iter().flatten().map(|&n| view.world_of(n, &pose).translation.y);
                heights.fold(f32::INFINITY, f32::min)
            })
            .filter(|y| y.is_finite())
            .collect();
        crate::math::stats::percentile(&mut lowest, 0.05)
    }
}

impl Origin {
    /// Source joints it reads.
    fn nodes(&self) -> Vec<NodeIndex> {
        match self {
            Self::One { node, .. } => vec![*node],
            Self::Two { nodes, .. } => nodes.to_vec(),
        }
    }
}

/// Rows of a rig's roles and of all that stands above them, and the row of each node.
fn rows(
    rig: &RetargetRig,
    roles: impl Iterator<Item = Role>,
    origin: impl Fn(NodeIndex) -> Option<Origin>,
) -> (Vec<Row>, Vec<usize>) {
    let line = rig.line_of(roles);
    let mut row_of = vec![0; rig.skeleton.len()];
    for (row, node) in line.iter().enumerate() {
        row_of[node.index()] = row;
    }
    let rows = line
        .iter()
        .map(|&node| Row {
            node,
            parent: rig.skeleton.parent(node).map(|p| row_of[p.index()]),
            origin: origin(node),
        })
        .collect();
    (rows, row_of)
}
