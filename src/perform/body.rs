//! Where the body has its chains at every substep of a clip.

use std::sync::Arc;

use glam::Affine3A;

use super::clock::PassClock;
use super::constraints::Constraints;
use super::legs::{LegBone, leg_bones};
use crate::clips::{PackedClip, RigView, Travel};
use crate::math::polar_rotation;
use crate::model::{Clip, NodeIndex, Pose, Rigged, Role, SpringSettings};
use crate::motion::{
    Anchor, Capsule, ChainTopology, ColliderPose, Fork, SpringChain, Springs, StepSize,
    Surroundings,
};

/// Who wins where a clip has tracks of its own on the joints of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TracksOnChains {
    /// The clip: someone animated that tail. The chain is not driven in this clip.
    #[default]
    Win,
    /// The springs.
    Lose,
}

/// A chain that springs drive in this clip.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenChain {
    /// Its place in [`Rigged::chains`].
    pub chain: usize,
    /// Its fixed data.
    pub topology: ChainTopology,
    /// The link of another driven chain that it hangs from; `None` where it hangs from the body.
    pub fork: Option<Fork>,
    /// First of its joints in rows of joint rotations.
    pub first_joint: usize,
}

/// Room for a substep of a body that is moved as a whole.
#[derive(Clone, Debug, Default)]
pub struct MovedBody {
    anchors: Vec<Anchor>,
    capsules: Vec<Capsule>,
    before: Vec<ColliderPose>,
    now: Vec<ColliderPose>,
    centers: Vec<Option<Anchor>>,
    /// What moved it in the substep before.
    last: Option<Affine3A>,
}

impl MovedBody {
    /// Says what moved the body in a substep that no springs were advanced to.
    pub fn moved_by(&mut self, by: &Affine3A) {
        self.last = Some(*by);
    }
}

/// A clip on a character, or the character standing still: the body's part of a performance.
///
/// Springs run in the in-place frame: the constant velocity and turn rate that lead the hips from their first to their
/// last place are taken out of the anchors, or the head wind would bend every tail (spec 8, T1). Since springs only
/// turn joints, nothing has to be put back.
#[derive(Clone, Debug)]
pub struct BodyMotion {
    rigged: Arc<Rigged>,
    clip: PackedClip,
    looping: bool,
    clock: PassClock,
    driven: Vec<DrivenChain>,
    n_joints: usize,
    /// `[M + 1][chains]`; one row without a clip.
    anchors: Vec<Anchor>,
    /// `[M + 1][bones of the legs]`; none where no chain asks for them.
    capsules: Vec<Capsule>,
    n_capsules: usize,
    constraints: Constraints,
    /// `[M + 1][colliders]`; none where no driven strand meets any.
    colliders: Vec<ColliderPose>,
    n_colliders: usize,
    /// `[M + 1][chains]`; none where no driven strand has a centre.
    centers: Vec<Option<Anchor>>,
}

impl BodyMotion {
    /// `clip`, on the character's own nodes, or the loaded pose held still. Cost: O(M × nodes).
    pub fn new(rigged: Arc<Rigged>, clip: Option<&Clip>, tracks: TracksOnChains) -> Self {
        let base = Pose::loaded(&rigged.character.skeleton);
        let still = Clip::default();
        let packed = PackedClip::new(clip.unwrap_or(&still), &base);
        let clock = PassClock::new(clip.map(|c| c.duration_secs));
        let driven = driven_chains(&rigged, clip, tracks);
        let n_joints = driven.iter().map(|d| d.topology.joints.len()).sum();
        let has_legs = driven
            .iter()
            .any(|d| rigged.chains.get(d.chain).is_some_and(|c| c.settings.leg_colliders));
        let legs = if has_legs { leg_bones(&rigged) } else { Vec::new() };
        let strands = || {
            driven.iter().filter_map(|d| rigged.chains.get(d.chain).and_then(|c| c.hair.as_ref()))
        };
        let meets_colliders = strands().any(|s| !s.colliders.is_empty());
        let n_colliders = if meets_colliders { rigged.colliders.len() } else { 0 };
        let has_centers = strands().any(|s| s.center.is_some());
        let constraints = Constraints::new(&rigged.character);
        let mut motion = Self {
            looping: clip.is_some_and(|c| c.looping),
            clip: packed,
            clock,
            driven,
            n_joints,
            anchors: Vec::new(),
            capsules: Vec::new(),
            n_capsules: legs.len(),
            constraints,
            colliders: Vec::new(),
            n_colliders,
            centers: Vec::new(),
            rigged,
        };
        motion.trace(&base, &legs, has_centers);
        motion
    }

    /// Has the legs ready for chains that are to meet them from now on. Cost: the first time that of [`Self::new`].
    pub fn meet_legs(&mut self) {
        if self.n_capsules > 0 {
            return;
        }
        let legs = leg_bones(&self.rigged);
        if legs.is_empty() {
            return;
        }
        self.n_capsules = legs.len();
        let has_centers = !self.centers.is_empty();
        self.anchors.clear();
        self.colliders.clear();
        self.centers.clear();
        let base = Pose::loaded(&self.rigged.character.skeleton);
        self.trace(&base, &legs, has_centers);
    }

    /// Samples the body at all substeps.
    fn trace(&mut self, base: &Pose, legs: &[LegBone], has_centers: bool) {
        let rigged = Arc::clone(&self.rigged);
        let hips = rigged.humanoid.node(Role::Hips);
        let root = self.driven.iter().find(|d| d.fork.is_none()).map(|d| d.topology.anchor);
        let view = RigView {
            skeleton: &rigged.character.skeleton,
            base,
            world_from_file: rigged.character.root_matrix(),
            hips: hips.or(root).unwrap_or_default(),
        };
        let travel = match self.clock.duration_secs() {
            Some(_) if !view.skeleton.is_empty() => Travel::of(&self.clip, &view),
            _ => Travel::default(),
        };
        let n_rows = self.clock.duration_secs().map_or(1, |_| self.clock.n_steps() + 1);
        let mut pose = Pose::default();
        for n in 0..n_rows {
            let secs = self.clock.time_of(n);
            self.sample(secs, &mut pose);
            let in_place = travel.in_place_from_world(secs);
            for driven in &self.driven {
                let anchor = match driven.fork {
                    None => {
                        let world = view.world_of(driven.topology.anchor, &pose);
                        Anchor::of(&driven.topology, &(in_place * world))
                    }
                    Some(fork) => self.forked_anchor(driven, fork, &pose),
                };
                self.anchors.push(anchor);
            }
            for bone in legs {
                let at = |node| {
                    let p = view.world_of(node, &pose).translation;
                    in_place.transform_point3(p.into())
                };
                self.capsules.push(Capsule {
                    a: at(bone.from),
                    b: at(bone.to),
                    radius_m: bone.radius_m,
                });
            }
            let matrix = |node| in_place * view.world_of(node, &pose);
            for collider in rigged.colliders.iter().take(self.n_colliders) {
                self.colliders.push(ColliderPose::of(&collider.shape, &matrix(collider.node)));
            }
            for driven in self.driven.iter().filter(|_| has_centers) {
                let strand = rigged.chains.get(driven.chain).and_then(|c| c.hair.as_ref());
                let center = strand.and_then(|s| s.center);
                self.centers.push(center.map(|node| Anchor::of_node(&matrix(node))));
            }
        }
    }

    /// A forked chain's anchor seen from the joint that carries it, as [`Springs::step`] wants it.
    fn forked_anchor(&self, driven: &DrivenChain, fork: Fork, pose: &Pose) -> Anchor {
        let skeleton = &self.rigged.character.skeleton;
        let Some(&joint) =
            self.driven.get(fork.chain).and_then(|c| c.topology.joints.get(fork.joint))
        else {
            return Anchor::default();
        };
        let from_joint = |pose: &Pose| {
            let mut matrix = Affine3A::IDENTITY;
            let mut node = driven.topology.anchor;
            while node != joint {
                matrix = pose.local(node).to_affine() * matrix;
                match skeleton.parent(node) {
                    Some(parent) => node = parent,
                    None => break,
                }
            }
            matrix
        };
        let neutral = &self.rigged.bind;
        let size = |m: &Affine3A| m.matrix3.determinant().abs().max(1e-30);
        let (now, then) = (from_joint(pose), from_joint(&neutral.pose));
        let metres = libm::cbrtf(size(&neutral.world.matrix(joint)));
        Anchor {
            head: now.transform_point3(driven.topology.head_in_anchor) * metres,
            frame: polar_rotation(&now),
            scale: libm::cbrtf(size(&now) / size(&then)),
        }
    }

    /// The character.
    pub fn rigged(&self) -> &Arc<Rigged> {
        &self.rigged
    }

    /// Its substeps.
    pub fn clock(&self) -> PassClock {
        self.clock
    }

    /// Whether the clip is meant to loop.
    pub fn is_looping(&self) -> bool {
        self.looping
    }

    /// The chains that springs drive, forks after what carries them.
    pub fn driven(&self) -> &[DrivenChain] {
        &self.driven
    }

    /// Joints of all driven chains together: the length of a row of joint rotations.
    pub fn n_joints(&self) -> usize {
        self.n_joints
    }

    /// Nodes that a row of joint rotations is for, `[joints]`.
    pub fn joints(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.driven.iter().flat_map(|d| d.topology.joints.iter().copied())
    }

    /// Springs for the driven chains, with their own settings, at rest on the first pose.
    pub fn springs(&self) -> Springs {
        let settings = |chain: usize| {
            self.rigged.chains.get(chain).map_or_else(SpringSettings::default, |c| c.settings)
        };
        let hair = |chain: usize| self.rigged.chains.get(chain).and_then(|c| c.hair.clone());
        let chains = self
            .driven
            .iter()
            .map(|d| SpringChain {
                topology: d.topology.clone(),
                settings: settings(d.chain),
                fork: d.fork,
                hair: hair(d.chain),
            })
            .collect();
        let period_secs = self.clock.duration_secs().filter(|_| self.looping);
        let size = StepSize { step_secs: self.clock.step_secs(), period_secs };
        let mut springs = Springs::new(chains, size);
        self.reset(&mut springs);
        springs
    }

    /// Puts `springs` at rest on the first pose.
    pub fn reset(&self, springs: &mut Springs) {
        springs.reset_at(self.anchors_at(0));
        springs.measure_from(self.centers_at(0));
    }

    fn centers_at(&self, n: u64) -> &[Option<Anchor>] {
        let width = if self.centers.is_empty() { 0 } else { self.driven.len() };
        row(&self.centers, width, n)
    }

    /// Anchors at substep `n` of a pass, 0 to M; the last ones beyond.
    pub fn anchors_at(&self, n: u64) -> &[Anchor] {
        row(&self.anchors, self.driven.len(), n)
    }

    /// Capsules at substep `n` of a pass, 0 to M; the last ones beyond.
    pub fn capsules_at(&self, n: u64) -> &[Capsule] {
        row(&self.capsules, self.n_capsules, n)
    }

    /// Colliders at substep `n` of a pass, 0 to M, in the order of [`Rigged::colliders`]; the last ones beyond.
    pub fn colliders_at(&self, n: u64) -> &[ColliderPose] {
        row(&self.colliders, self.n_colliders, n)
    }

    /// Advances `springs` to substep `n` of a pass, 1 to M.
    pub fn step(&self, springs: &mut Springs, n: u64) {
        self.step_from(springs, n.saturating_sub(1), n, self.clock.time_of(n));
    }

    /// One substep at the pose of substep `n`, held still, at the time `secs` of idle sway.
    pub fn hold(&self, springs: &mut Springs, n: u64, secs: f64) {
        self.step_from(springs, n, n, secs);
    }

    fn step_from(&self, springs: &mut Springs, before: u64, now: u64, secs: f64) {
        let around = Surroundings {
            before: self.colliders_at(before),
            now: self.colliders_at(now),
            centers: self.centers_at(now),
        };
        springs.step_among(self.anchors_at(now), self.capsules_at(now), &around, secs);
    }

    /// The same with the whole body moved by `by` in the world; `before` is the substep that the body comes from, `n`
    /// itself where it stands. `room` is reused.
    pub fn step_moved(
        &self,
        springs: &mut Springs,
        (before, n): (u64, u64),
        by: &Affine3A,
        room: &mut MovedBody,
    ) {
        room.anchors.clear();
        let given = self.anchors_at(n).iter().zip(&self.driven);
        // A fork's anchor is given from the joint that carries it, and moves with that.
        room.anchors.extend(given.map(|(a, d)| if d.fork.is_none() { a.moved(by) } else { *a }));
        room.capsules.clear();
        room.capsules.extend(self.capsules_at(n).iter().map(|c| c.moved(by)));
        let last = &room.last.replace(*by).unwrap_or(*by);
        room.before.clear();
        room.before.extend(self.colliders_at(before).iter().map(|c| c.moved(last)));
        room.now.clear();
        room.now.extend(self.colliders_at(n).iter().map(|c| c.moved(by)));
        room.centers.clear();
        room.centers.extend(self.centers_at(n).iter().map(|c| c.map(|c| c.moved(by))));
        let around = Surroundings { before: &room.before, now: &room.now, centers: &room.centers };
        springs.step_among(&room.anchors, &room.capsules, &around, self.clock.time_of(n));
    }

    /// The body's pose at `secs` of the clip, constraints applied; chain joints as the clip, or the file, has them.
    pub fn sample(&self, secs: f64, pose: &mut Pose) {
        self.clip.sample(secs, pose);
        self.constraints.apply(&self.rigged.character.skeleton, pose);
    }

    /// Nodes that constraints turn.
    pub fn constrained(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.constraints.nodes()
    }

    /// The clip as it is played, for its morph weights.
    pub fn clip(&self) -> &PackedClip {
        &self.clip
    }

    /// Puts a row of joint rotations into a pose.
    pub fn apply(&self, rotations: &[glam::Quat], pose: &mut Pose) {
        for (node, &rotation) in self.joints().zip(rotations) {
            if let Some(local) = pose.locals.get_mut(node.index()) {
                local.rotation = rotation;
            }
        }
    }

    /// The row of joint rotations of `springs` as they are.
    pub fn write_rotations(&self, springs: &Springs, rotations: &mut [glam::Quat]) {
        for (c, driven) in self.driven.iter().enumerate() {
            let range = driven.first_joint..driven.first_joint + driven.topology.joints.len();
            if let Some(slots) = rotations.get_mut(range) {
                springs.write_rotations(c, slots);
            }
        }
    }
}

fn row<T>(rows: &[T], width: usize, n: u64) -> &[T] {
    let n_rows = rows.len().checked_div(width).unwrap_or(0);
    let n = (n as usize).min(n_rows.saturating_sub(1));
    rows.get(n * width..(n + 1) * width).unwrap_or_default()
}

/// Chains to be driven, by the depth of their anchors, so that forks come after what carries them.
fn driven_chains(rigged: &Rigged, clip: Option<&Clip>, tracks: TracksOnChains) -> Vec<DrivenChain> {
    let skeleton = &rigged.character.skeleton;
    let is_animated = |joints: &[NodeIndex]| {
        tracks == TracksOnChains::Win
            && clip.is_some_and(|clip| joints.iter().any(|&j| clip.animates(j)))
    };
    let mut chosen: Vec<usize> = (0..rigged.chains.len())
        .filter(|&c| {
            rigged.chains.get(c).is_some_and(|chain| {
                let in_skeleton = |n: &NodeIndex| n.index() < skeleton.len();
                let is_whole = chain.joints.iter().all(in_skeleton) && in_skeleton(&chain.anchor);
                chain.is_driven && is_whole && !is_animated(&chain.joints)
            })
        })
        .collect();
    let depth = |c: &usize| {
        rigged.chains.get(*c).map_or(0, |chain| skeleton.ancestors(chain.anchor).count())
    };
    chosen.sort_by_key(depth);
    let mut driven: Vec<DrivenChain> = Vec::with_capacity(chosen.len());
    for c in chosen {
        let Some(chain) = rigged.chains.get(c) else { continue };
        let carrier = |node: NodeIndex| {
            driven.iter().enumerate().find_map(|(i, d)| {
                let joint = d.topology.joints.iter().position(|&j| j == node)?;
                Some(Fork { chain: i, joint })
            })
        };
        let fork =
            std::iter::once(chain.anchor).chain(skeleton.ancestors(chain.anchor)).find_map(carrier);
        let first_joint = driven.last().map_or(0, |d| d.first_joint + d.topology.joints.len());
        let topology = ChainTopology::new(rigged, chain);
        driven.push(DrivenChain { chain: c, topology, fork, first_joint });
    }
    driven
}
