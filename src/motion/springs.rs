//! All spring chains of a character, advanced together.

use fearless_simd::Level;
use glam::{Quat, Vec3};

use super::batch::{Batch, PerLane, Surroundings};
use super::hair_collider::PlacedColliders;
use super::packing::{Packed, pack};
use super::rest::RestArc;
use super::state::{Anchor, Capsule, ChainState, LinkSnapshot};
use super::ties::{Tie, ties};
use super::topology::ChainTopology;
use crate::math::rotation;
use crate::model::{SpringSettings, Strand};

/// A link of another chain that a chain hangs from (a fork), in place of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Number of the other chain; smaller than the forking chain's own.
    pub chain: usize,
    /// Which of its joints carries the anchor.
    pub joint: usize,
}

/// One chain with how it is tuned and what it hangs from.
#[derive(Clone, Debug)]
pub struct SpringChain {
    /// Its fixed data.
    pub topology: ChainTopology,
    /// How it swings, unless it is hair.
    pub settings: SpringSettings,
    /// `None` where it hangs from the body.
    pub fork: Option<Fork>,
    /// What makes it hair; `None` for tails and the like.
    pub hair: Option<Strand>,
}

impl SpringChain {
    /// What its springs aim at.
    fn rest(&self) -> RestArc {
        match self.hair {
            Some(_) => RestArc::authored(&self.topology),
            None => RestArc::new(&self.topology, &self.settings),
        }
    }
}

/// Step of a clock that springs run on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSize {
    /// h, seconds.
    pub step_secs: f64,
    /// Length of the loop that the motion repeats after, if it does: idle sway is tuned to close on it.
    pub period_secs: Option<f64>,
}

impl Default for StepSize {
    fn default() -> Self {
        Self { step_secs: 1.0 / 120.0, period_secs: None }
    }
}

/// Chains, their tuning and their state.
///
/// Each substep takes where the body has each chain and moves the chains; nothing ever moves the body. Settings may
/// change between any two substeps without resetting the state. Chains are packed eight to a kernel where there are
/// enough of them; each moves bit for bit as it would alone.
pub struct Springs {
    chains: Vec<SpringChain>,
    rests: Vec<RestArc>,
    anchors: Vec<Option<Anchor>>,
    centers: Vec<Option<Anchor>>,
    batches: Vec<Box<dyn Batch>>,
    /// `[chains]`: batch and lane.
    places: Vec<(usize, usize)>,
    /// Colliders as they stood in the last substep.
    placed: PlacedColliders,
    size: StepSize,
    ties: Vec<Tie>,
    /// Whether a strand was tuned since they were made; the next substep makes them anew.
    ties_are_old: bool,
    /// `[chains][links]`: what ties pull by, to be reused.
    pulls: Vec<Vec<Vec3>>,
}

impl std::fmt::Debug for Springs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Springs").field("chains", &self.chains).finish_non_exhaustive()
    }
}

/// An anchor that moves further than this share of the height in one substep carries its chain along.
const JUMP_HEIGHTS: f32 = 0.5;
/// So does one that turns further than this, radians.
const JUMP_RAD: f32 = std::f32::consts::PI / 3.0;

impl Springs {
    /// Springs for `chains`, at rest at the first substep's anchors. A fork must stand after the chain it hangs from;
    /// one that does not is taken to hang from the body.
    pub fn new(chains: Vec<SpringChain>, size: StepSize) -> Self {
        Self::on(Level::new(), chains, size)
    }

    /// The same on a processor that has what `level` says.
    pub(super) fn on(level: Level, chains: Vec<SpringChain>, size: StepSize) -> Self {
        let rests: Vec<_> = chains.iter().map(SpringChain::rest).collect();
        let Packed { batches, places } = pack(level, &chains);
        let anchors = vec![None; chains.len()];
        let centers = anchors.clone();
        let pulls = chains.iter().map(|c| vec![Vec3::ZERO; c.topology.links.len()]).collect();
        let ties = ties(&chains);
        let mut springs = Self {
            chains,
            rests,
            anchors,
            centers,
            batches,
            places,
            placed: PlacedColliders::default(),
            size,
            ties,
            ties_are_old: false,
            pulls,
        };
        for chain in 0..springs.chains.len() {
            springs.tune(chain);
        }
        springs
    }

    /// The chains, in the order given.
    pub fn chains(&self) -> &[SpringChain] {
        &self.chains
    }

    /// Seconds per substep.
    pub fn step_secs(&self) -> f64 {
        self.size.step_secs
    }

    /// Where a chain hung in the last substep, in the world; `None` before the first.
    pub fn anchor(&self, chain: usize) -> Option<Anchor> {
        self.anchors.get(chain).copied().flatten()
    }

    /// What the springs of a chain aim at.
    pub fn rest(&self, chain: usize) -> Option<&RestArc> {
        self.rests.get(chain)
    }

    /// Retunes a chain; its state stays as it is.
    pub fn set_settings(&mut self, chain: usize, settings: SpringSettings) {
        if let Some(c) = self.chains.get_mut(chain) {
            c.settings = settings;
            self.tune(chain);
        }
    }

    /// Retunes a strand of hair; its state stays as it is. A chain that is no hair stays none.
    pub fn set_hair(&mut self, chain: usize, strand: Strand) {
        if let Some(c) = self.chains.get_mut(chain).filter(|c| c.hair.is_some()) {
            c.hair = Some(strand);
            self.tune(chain);
            // Not here: all strands of a character are tuned one after another.
            self.ties_are_old = true;
        }
    }

    /// Makes the ties anew where a strand was tuned, and pulls by them.
    fn update_ties(&mut self) {
        let had_ties = !self.ties.is_empty();
        if std::mem::take(&mut self.ties_are_old) {
            self.ties = ties(&self.chains);
        }
        // Who is tied no longer must not keep the last pull.
        if had_ties || !self.ties.is_empty() {
            self.pull_ties();
        }
    }

    /// Tells the strands what ties pull them by, from the state as it is.
    fn pull_ties(&mut self) {
        let mut pulls = std::mem::take(&mut self.pulls);
        pulls.iter_mut().for_each(|row| row.fill(Vec3::ZERO));
        for tie in &self.ties {
            let [a, b] = tie.ends;
            // Before its first substep a chain is nowhere yet.
            let anchor = |chain: usize| self.anchors.get(chain).copied().flatten();
            let (Some(anchor), Some(_)) = (anchor(a.0), anchor(b.0)) else { continue };
            let ends = tie.ends.map(|(chain, link)| self.link(chain, link).end);
            let pull = tie.pull(ends, anchor.scale);
            for ((chain, link), pull) in [(a, pull), (b, -pull)] {
                if let Some(slot) = pulls.get_mut(chain).and_then(|row| row.get_mut(link)) {
                    *slot += pull;
                }
            }
        }
        for (row, &(batch, lane)) in pulls.iter().zip(&self.places) {
            let Some(batch) = self.batches.get_mut(batch) else { continue };
            for (link, &pull) in row.iter().enumerate() {
                batch.tie(lane, link, pull);
            }
        }
        self.pulls = pulls;
    }

    fn tune(&mut self, chain: usize) {
        let (Some(c), Some(rest), Some(&(batch, lane))) =
            (self.chains.get(chain), self.rests.get_mut(chain), self.places.get(chain))
        else {
            return;
        };
        *rest = c.rest();
        if let Some(batch) = self.batches.get_mut(batch) {
            batch.tune(lane, c, rest, self.size.step_secs as f32);
        }
    }

    /// Puts all chains at rest at the next substep's anchors.
    pub fn reset(&mut self) {
        self.anchors.fill(None);
        self.centers.fill(None);
    }

    /// Puts the chains at rest at `anchors` now, without a substep.
    pub fn reset_at(&mut self, anchors: &[Anchor]) {
        self.reset();
        for b in 0..self.batches.len() {
            self.place(b, anchors, (&[], &Surroundings::default()), 0.0);
        }
    }

    /// Says where the nodes are, before the first substep, that inertia is measured against. `[chains]`, or empty.
    pub fn measure_from(&mut self, centers: &[Option<Anchor>]) {
        for (slot, &center) in self.centers.iter_mut().zip(centers) {
            *slot = center;
        }
    }

    /// One substep to the time `secs`, with each chain's anchor there: in the world, or for a fork relative to the
    /// joint it hangs from (see [`Springs::joint_frame`]). `capsules` are met by the chains whose settings say so.
    ///
    /// An anchor that is not finite leaves its chain's anchor where it was. One that moves more than half the height
    /// or turns more than 60° carries its chain along rigidly. A chain that is not finite afterwards is put at rest.
    pub fn step(&mut self, anchors: &[Anchor], capsules: &[Capsule], secs: f64) {
        self.step_among(anchors, capsules, &Surroundings::default(), secs);
    }

    /// The same, with what hair meets and what its inertia is measured against.
    pub fn step_among(
        &mut self,
        anchors: &[Anchor],
        capsules: &[Capsule],
        around: &Surroundings<'_>,
        secs: f64,
    ) {
        self.update_ties();
        self.placed.place(around.before, around.now);
        for b in 0..self.batches.len() {
            let has_jumped = self.place(b, anchors, (capsules, around), secs);
            let Some(batch) = self.batches.get_mut(b) else { continue };
            let finite = batch.step(&self.placed, has_jumped);
            if !finite.contains(&false) {
                continue;
            }
            for lane in 0..batch.chains().len() {
                let is_finite = finite.get(lane).copied().unwrap_or(true);
                let anchor = batch.chains().get(lane).and_then(|&c| *self.anchors.get(c)?);
                if let (false, Some(anchor)) = (is_finite, anchor) {
                    batch.reset(lane, &anchor);
                }
            }
        }
    }

    /// Hands the lanes of a batch their anchors; carries or resets chains whose anchor jumped or is new, and tells which
    /// lanes these are.
    fn place(
        &mut self,
        b: usize,
        anchors: &[Anchor],
        (capsules, around): (&[Capsule], &Surroundings<'_>),
        secs: f64,
    ) -> PerLane {
        let mut arrived = PerLane::default();
        let n_lanes = self.batches.get(b).map_or(0, |batch| batch.chains().len());
        for lane in 0..n_lanes {
            let Some(&c) = self.batches.get(b).and_then(|batch| batch.chains().get(lane)) else {
                continue;
            };
            let given = anchors.get(c).copied().unwrap_or_default();
            let anchor = self.world_anchor(c, given);
            let sway = self.sway(c, secs);
            let (Some(chain), Some(last), Some(batch)) =
                (self.chains.get(c), self.anchors.get_mut(c), self.batches.get_mut(b))
            else {
                continue;
            };
            let now = match (anchor.is_usable(), *last) {
                (true, _) => anchor,
                (false, Some(before)) => before,
                (false, None) => Anchor::default(),
            };
            let has_jumped =
                last.as_ref().is_some_and(|b| jumped(b, &now, chain.topology.height_m));
            if let Some(slot) = arrived.get_mut(lane) {
                *slot = has_jumped || last.is_none();
            }
            let before = last.filter(|_| !has_jumped).unwrap_or(now);
            batch.place(lane, &now, &before, sway);
            if chain.settings.leg_colliders {
                batch.place_capsules(lane, capsules);
            }
            // A centre takes the chain along first: what is left is what the rest of the motion did.
            let center = around.centers.get(c).copied().flatten();
            if let (Some(slot), Some(center)) = (self.centers.get_mut(c), center)
                && let (Some(from), false) = (slot.replace(center), has_jumped)
            {
                batch.follow(lane, &from, &center);
            }
            match last {
                None => batch.reset(lane, &now),
                Some(before) if has_jumped => batch.carry(lane, before, &now),
                Some(_) => {}
            }
            *last = Some(now);
        }
        arrived
    }

    /// What idle sway turns each link of a chain by at `secs`, radians.
    fn sway(&self, chain: usize, secs: f64) -> f32 {
        let Some(c) = self.chains.get(chain) else { return 0.0 };
        let n = c.topology.links.len();
        if c.settings.sway_rad == 0.0 || n == 0 {
            return 0.0;
        }
        let hz = f64::from(c.settings.sway_hz);
        // A loop holds a whole number of sways, or it would not close.
        let hz = match self.size.period_secs {
            Some(period) if period > 0.0 => (hz * period).round().max(1.0) / period,
            _ => hz,
        };
        let phase = (hz * secs).fract() * std::f64::consts::TAU;
        c.settings.sway_rad * libm::sin(phase) as f32 / n as f32
    }

    /// Where a chain's anchor is in the world: `given`, or for a fork `given` seen from the joint it hangs from.
    fn world_anchor(&self, chain: usize, given: Anchor) -> Anchor {
        let Some(SpringChain { fork: Some(fork), topology, .. }) = self.chains.get(chain) else {
            return given;
        };
        let Some(joint) = self.joint_frame(fork.chain, fork.joint) else { return given };
        // `given.frame` is the anchor node's rotation seen from the joint.
        let rotation = joint.frame * given.frame;
        Anchor {
            head: joint.head + joint.frame * (given.head * joint.scale),
            frame: (rotation * topology.body_from_anchor.conjugate()).normalize(),
            scale: joint.scale * given.scale,
        }
    }

    /// Where a joint of a chain stands in the world: head, world rotation, current over neutral scale.
    pub fn joint_frame(&self, chain: usize, joint: usize) -> Option<Anchor> {
        let c = self.chains.get(chain)?;
        let anchor = (*self.anchors.get(chain)?)?;
        let body_from_joint = *self.rests.get(chain)?.body_from_parent.get(joint + 1)?;
        let mut g = anchor.frame;
        // Head and end of the link that turns the joint or carries it.
        let (mut head, mut end) = (anchor.head, anchor.head);
        let mut is_own = false;
        for (i, link) in c.topology.links.iter().enumerate() {
            if link.joint > joint {
                break;
            }
            let state = self.link(chain, i);
            g *= state.shown;
            (head, end) = (end, state.end);
            is_own = link.joint == joint;
        }
        match c.topology.carried.get(joint).copied().flatten() {
            Some(carried) => head += g * carried * anchor.scale,
            None if is_own => {}
            None => head = end,
        }
        let frame = (g * body_from_joint).normalize();
        Some(Anchor { head, frame, scale: anchor.scale })
    }

    /// State of one link of a chain.
    pub fn link(&self, chain: usize, link: usize) -> LinkSnapshot {
        let Some(&(batch, lane)) = self.places.get(chain) else { return LinkSnapshot::default() };
        self.batches.get(batch).map_or_else(LinkSnapshot::default, |b| b.link(lane, link))
    }

    /// End of a chain's last link, world, metres; its head where it has no link.
    pub fn tip(&self, chain: usize) -> Vec3 {
        let n = self.chains.get(chain).map_or(0, |c| c.topology.links.len());
        match n.checked_sub(1) {
            Some(last) => self.link(chain, last).end,
            None => self.anchors.get(chain).copied().flatten().unwrap_or_default().head,
        }
    }

    /// A point of the world as seen from a chain's anchor: in body axes, from the head of its first link.
    pub fn in_anchor(&self, chain: usize, point: Vec3) -> Vec3 {
        let anchor = self.anchors.get(chain).copied().flatten().unwrap_or_default();
        anchor.frame.conjugate() * (point - anchor.head)
    }

    /// Local rotations of a chain's joints, `[J]`: A_i⁻¹ q_i A_{i+1}. All they depend on is the state.
    pub fn write_rotations(&self, chain: usize, rotations: &mut [Quat]) {
        let (Some(c), Some(rest), Some(&(batch, lane))) =
            (self.chains.get(chain), self.rests.get(chain), self.places.get(chain))
        else {
            return;
        };
        let Some(batch) = self.batches.get(batch) else { return };
        let mut links = c.topology.links.iter().enumerate().peekable();
        let frames = rest.body_from_parent.windows(2);
        for (joint, (out, frame)) in rotations.iter_mut().zip(frames).enumerate() {
            let [parent, own] = frame else { continue };
            *out = match links.next_if(|(_, link)| link.joint == joint) {
                Some((i, _)) => (parent.conjugate() * batch.shown(lane, i) * *own).normalize(),
                None => c.topology.neutral.get(joint).copied().unwrap_or(Quat::IDENTITY),
            };
        }
    }

    /// What persists of all chains, to come back to with [`Springs::restore`].
    pub fn state(&self) -> Vec<ChainState> {
        self.chains
            .iter()
            .enumerate()
            .map(|(c, chain)| ChainState {
                links: (0..chain.topology.links.len()).map(|i| self.link(c, i)).collect(),
                anchor: self.anchors.get(c).copied().flatten(),
                center: self.centers.get(c).copied().flatten(),
            })
            .collect()
    }

    /// Puts the chains in a state they were in before.
    pub fn restore(&mut self, state: &[ChainState]) {
        for (c, chain) in state.iter().enumerate() {
            let Some(&(batch, lane)) = self.places.get(c) else { continue };
            if let Some(batch) = self.batches.get_mut(batch) {
                batch.restore(lane, chain);
            }
            if let Some(anchor) = self.anchors.get_mut(c) {
                *anchor = chain.anchor;
            }
            if let Some(center) = self.centers.get_mut(c) {
                *center = chain.center;
            }
        }
    }
}

/// Whether an anchor moved or turned too far for one substep.
fn jumped(before: &Anchor, now: &Anchor, height_m: f32) -> bool {
    let moved = before.head.distance_squared(now.head) > (JUMP_HEIGHTS * height_m).powi(2);
    // cos of half the angle: no trigonometric function for the many substeps without a jump.
    let cosine = before.frame.dot(now.frame).abs();
    moved || (cosine < 0.9 && rotation::angle_between(before.frame, now.frame) > JUMP_RAD)
}
