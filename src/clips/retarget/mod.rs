//! Retargeting: a clip of one humanoid becomes a clip of another.
//!
//! ```text
//! D = G_src G_src⁰⁻¹      how far a joint has turned from the reference pose, in canonical axes
//! G_tgt = D G_tgt⁰        the same turn on the target's joint
//! Q_tgt = G_tgt,parent⁻¹ G_tgt
//! ```
//!
//! G are model-space rotations; G⁰ those of the reference pose, in which both rigs stand alike (`reference`). Axes, units,
//! twisted binds and A- against T-pose are inside G⁰, so nothing is asked about them; where a hand knows better, it turns
//! joints of that pose (`RetargetRig::pose`), and `stand` shows both rigs in it. Then the body is kept above the floor
//! (`ground`) and its feet are held where the source's stand (`contacts`, `feet`): both look ahead in time, which is why
//! this is clip → clip and not pose → pose. Hands are brought to where the source's reach only on request (`hands`). Based
//! on: spec 3.1-3.3 and 8, 4.5.

mod body;
mod contacts;
mod feet;
mod ground;
mod hands;
mod keys;
mod lap;
mod limb;
mod pairing;
#[cfg(test)]
mod pose_tests;
mod reference;
mod rig;
mod seam;
#[cfg(test)]
mod settle_tests;
mod solve;
mod stand;
#[cfg(test)]
mod test_rig;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use glam::{Affine3A, Quat, Vec3};
use rayon::prelude::*;

use self::body::{Body, Motion};
use self::contacts::Footing;
use self::keys::Keys;
use self::lap::Lap;
use self::pairing::{Origin, Side, pair};
use self::reference::{LEGS, Reference};
pub use self::rig::RetargetRig;
use crate::model::{Clip, Interpolation, NodeIndex, Role, Track, TrackValues};
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

/// What is done beside carrying turns over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetargetOptions {
    /// Hold feet still and on the floor while the source's stand. Default true.
    pub lock_feet: bool,
    /// Lift the hips where the body would sink into the floor. Default true.
    pub ground: bool,
    /// Bring hands to where the source's reach, in lengths of the arms. Default false: arms turn as the source's do.
    pub reach_hands: bool,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        Self { lock_feet: true, ground: true, reach_hands: false }
    }
}

impl RetargetOptions {
    /// Turns and the way of the hips alone.
    pub const PLAIN: Self = Self { lock_feet: false, ground: false, reach_hands: false };
}

/// A clip's motion on the target, keys as they will be.
struct Transferred {
    times: Vec<f32>,
    interpolation: Interpolation,
    is_ring: bool,
    target: Motion,
    /// How far the hips were lifted, `[K]`, metres.
    lift: Vec<f32>,
}

/// Takes clips from one humanoid to another. Built once for a pair of rigs; every use of it is independent.
#[derive(Clone, Debug)]
pub struct Retargeter {
    source: Body,
    target: Body,
    scale: f32,
    options: RetargetOptions,
}

impl Retargeter {
    /// A retargeter from `source` to `target`; both are kept as private copies.
    ///
    /// # Errors
    /// [`RetargetError`] where a rig has no hips or no size, or nothing in common with the other.
    pub fn new(
        source: RetargetRig,
        target: RetargetRig,
        options: RetargetOptions,
    ) -> Result<Self, RetargetError> {
        let hips = |rig: &RetargetRig, name| {
            rig.humanoid.node(Role::Hips).ok_or(RetargetError::NoHips { rig: name })
        };
        let (source_hips, target_hips) = (hips(&source, "source")?, hips(&target, "target")?);
        let is_shared = |role: Role| {
            source.humanoid.node(role).is_some() && target.humanoid.node(role).is_some()
        };
        if Role::ALL.iter().filter(|&&role| is_shared(role)).count() < 2 {
            return Err(RetargetError::NothingShared);
        }
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
        let source_roles: Vec<Role> = (source.humanoid.roles.iter())
            .filter(|(role, node)| used.contains(node) || is_of_the_body(**role))
            .map(|(role, _)| *role)
            .collect();
        let scale = target_reference.hip_height / source_reference.hip_height;
        let source =
            Body::new(source, source_reference, source_hips, source_roles.into_iter(), |_| None);
        let target = Body::new(
            target,
            target_reference,
            target_hips,
            origins.keys().copied().chain([Role::Hips]),
            |role| origins.get(&role).copied(),
        );
        Ok(Self { source, target, scale, options })
    }

    /// S: hip height of the target over that of the source; what ways are multiplied by.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Roles of the target that move, in the order of their joints.
    pub fn moved_roles(&self) -> impl Iterator<Item = Role> + '_ {
        let moved = self.target.rows.iter().filter(|row| row.origin.is_some());
        moved.filter_map(|row| self.target.rig.humanoid.role(row.node))
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
        let Transferred { times, interpolation, is_ring, target, .. } = self.transferred(clip);
        work.tick("retarget", 1, 1)?;
        let track = |node, values| Track { node, times: times.clone(), values, interpolation };
        let way = TrackValues::Translation(self.hips_locals(&target.hips));
        let mut tracks = vec![track(self.target.hips, way)];
        for (i, row) in self.target.rows.iter().enumerate() {
            if row.origin.is_some() {
                let locals = solve::locals(i, &self.target, &target);
                tracks.push(track(row.node, TrackValues::Rotation(locals)));
            }
        }
        if is_ring {
            tracks.iter_mut().for_each(seam::close);
        }
        Ok(Clip {
            name: clip.name.clone(),
            duration_secs: clip.duration_secs,
            looping: clip.looping,
            tracks,
            source: None,
        })
    }

    /// How far the hips are lifted for the body not to sink into the floor, after smoothing: at each key of the
    /// retargeted clip its time in seconds and the lift in metres, never negative (spec 3.1).
    ///
    /// # Errors
    /// [`Stopped`] when `work` is cancelled.
    pub fn lift(&self, clip: &Clip, work: &Work) -> Result<Vec<(f64, f32)>, Stopped> {
        work.tick("retarget", 0, 1)?;
        let Transferred { times, lift, .. } = self.transferred(clip);
        Ok(times.iter().map(|&t| f64::from(t)).zip(lift).collect())
    }

    /// The motion of a clip on the target.
    fn transferred(&self, clip: &Clip) -> Transferred {
        let nodes: Vec<NodeIndex> = self.source.rows.iter().map(|row| row.node).collect();
        let Keys { times, rotations, file_from_hips, interpolation } =
            Keys::read(clip, &self.source.rig, &nodes, self.source.hips);
        let is_ring = clip.looping && seam::closes(&rotations, times.len());
        let mut source = self.source_motion(rotations, &file_from_hips);
        let mut target = Motion {
            rotations: solve::transfer(&self.target, &source, &self.source),
            hips: self.hips_way(&source),
            places: Vec::new(),
        };
        let mut lift = vec![0.0; times.len()];
        if self.options != RetargetOptions::PLAIN {
            self.source.place(&mut source);
            self.target.place(&mut target);
            lift = self.settle(&source, &mut target, &Lap { times: &times, is_ring });
            if self.options.reach_hands {
                hands::reach((&self.source, &source), (&self.target, &mut target), self.scale);
            }
        }
        Transferred { times, interpolation, is_ring, target, lift }
    }

    /// Many clips at once, in their order.
    ///
    /// # Errors
    /// [`Stopped`] when `work` is cancelled.
    pub fn clips(&self, clips: &[&Clip], work: &Work) -> Result<Vec<Clip>, Stopped> {
        clips.par_iter().map(|clip| self.clip(clip, work)).collect()
    }

    /// Model-space rotations and hips of the source, its floor where the reference pose says.
    fn source_motion(&self, locals: Vec<Quat>, file_from_hips: &[Affine3A]) -> Motion {
        let body = &self.source;
        let place = |m: &Affine3A| body.canonical_from_file.transform_point3a(m.translation).into();
        let mut motion = Motion {
            rotations: locals,
            hips: file_from_hips.iter().map(place).collect(),
            places: Vec::new(),
        };
        solve::accumulate(body, &mut motion);
        if body.reference.is_floating {
            body.place(&mut motion);
            let floor = lowest_feet(body, &motion);
            motion.hips.iter_mut().for_each(|p| p.y += body.reference.floor - floor);
        }
        motion
    }

    /// P = P⁰_tgt + S (P_src - P⁰_src), `[K]`.
    fn hips_way(&self, source: &Motion) -> Vec<Vec3> {
        let (from, to) = (self.source.reference.hips, self.target.reference.hips);
        source.hips.iter().map(|&p| to + self.scale * (p - from)).collect()
    }

    /// Keeps the body above the floor and the feet where they stand; says how far it lifted the body, `[K]`.
    fn settle(&self, source: &Motion, target: &mut Motion, lap: &Lap<'_>) -> Vec<f32> {
        let body = &self.target;
        let mut lift = vec![0.0; target.n_keys()];
        let mut room = vec![f32::INFINITY; target.n_keys()];
        if self.options.ground {
            let mut points = body.supports.clone();
            if !self.options.lock_feet {
                points.extend_from_slice(&body.soles);
            }
            let allowances = ground::allowances(&self.source, source, self.scale);
            room = ground::room(body, target, &points, &allowances);
            let raw: Vec<f32> = room.iter().map(|room| (-room).max(0.0)).collect();
            lift = lap.smooth_lift(&raw);
            target.hips.iter_mut().zip(&lift).for_each(|(p, l)| p.y += l);
            room.iter_mut().zip(&lift).for_each(|(room, l)| *room += l);
            if lift.iter().any(|&l| l > 0.0) {
                body.place(target);
            }
        }
        if self.options.lock_feet {
            let footing = Footing::find(&self.source, source, lap);
            feet::lock(body, target, lap, &feet::Plan { footing, room });
        }
        lift
    }

    /// Local translations of the target's hips, `[K]`.
    fn hips_locals(&self, hips: &[Vec3]) -> Vec<Vec3> {
        let target = &self.target;
        let file_from_parent = (target.rig.skeleton.ancestors(target.hips))
            .fold(Affine3A::IDENTITY, |m, n| target.rig.neutral.local(n).to_affine() * m);
        let parent_from_canonical = (target.canonical_from_file * file_from_parent).inverse();
        hips.iter().map(|&p| parent_from_canonical.transform_point3(p)).collect()
    }
}

/// Roles that decide about contacts and the floor, whether the target has them or not.
fn is_of_the_body(role: Role) -> bool {
    matches!(role, Role::Hips | Role::Head | Role::LeftHand | Role::RightHand)
        || LEGS.iter().flatten().any(|&r| r == role)
}

/// Height of the floor that a clip itself stands on: where its feet are lowest, but for one key in twenty.
fn lowest_feet(body: &Body, motion: &Motion) -> f32 {
    let lowest = |key: usize| {
        let feet = body.legs.iter().flatten().flat_map(|leg| [leg.limb.end, leg.ball]);
        let heights = feet.filter_map(|row| Some(motion.places_of(row).get(key)?.y));
        heights.fold(f32::INFINITY, f32::min)
    };
    let mut heights: Vec<f32> =
        (0..motion.n_keys()).map(lowest).filter(|height| height.is_finite()).collect();
    if heights.is_empty() {
        return body.reference.floor;
    }
    crate::math::stats::percentile(&mut heights, 0.05)
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
