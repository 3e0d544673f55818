//! Chains side by side in the lanes of one kernel.

use glam::{Quat, Vec3};

use super::hair_collider::PlacedColliders;
use super::kernel::{CapsuleLanes, ChainLanes, Drive, LinkLanes, substep};
use super::lane_state::StateLanes;
use super::lanes::{Lanes, MOST_LANES, V3};
use super::rest::RestArc;
use super::springs::SpringChain;
use super::state::{Anchor, Capsule, ChainState, ColliderPose, LinkSnapshot};
use crate::math::ops;

/// Height over the floor from which on a link's end is coupled in full, on a character of 1.91 m.
const LIFT_OFF_M: f32 = 0.05;

/// What hair meets in a substep, and what its inertia is measured against.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// Colliders in the substep before, `[colliders]`.
    pub before: &'a [ColliderPose],
    /// And in this one.
    pub now: &'a [ColliderPose],
    /// For each chain the place of the node its inertia is measured against; `None` is the world. `[chains]`, or empty.
    pub centers: &'a [Option<Anchor>],
}

/// Yes or no for each lane.
pub(super) type PerLane = [bool; MOST_LANES];

/// Chains that are stepped together, whatever the width of the kernel.
pub(super) trait Batch: Send + Sync {
    /// Which chain each lane holds.
    fn chains(&self) -> &[usize];
    /// Takes the settings of one lane's chain over into numbers for steps of `h` seconds. Its state stays.
    fn tune(&mut self, lane: usize, chain: &SpringChain, rest: &RestArc, h: f32);
    /// Tells one lane where its chain hangs in this substep, where it hung before, and what idle sway turns each of
    /// its links by.
    fn place(&mut self, lane: usize, anchor: &Anchor, before: &Anchor, sway_rad: f32);
    /// Tells one lane which capsules its chain meets in this substep; none by default.
    fn place_capsules(&mut self, _lane: usize, _capsules: &[Capsule]) {}
    /// Tells one lane what ties to neighbours pull the end of a link by in this substep, m/s²; nothing by default.
    fn tie(&mut self, _lane: usize, _link: usize, _pull: Vec3) {}
    /// Puts one lane's chain at rest where it hangs.
    fn reset(&mut self, lane: usize, anchor: &Anchor);
    /// Takes one lane's chain along rigidly, from one place of its anchor to another.
    fn carry(&mut self, lane: usize, from: &Anchor, to: &Anchor);
    /// Takes the inertia of one lane's chain along with what it is measured against; nothing by default.
    fn follow(&mut self, _lane: usize, _from: &Anchor, _to: &Anchor) {}
    /// One substep among `colliders`, with the lanes that are where they are by a jump: these were passed by no collider
    /// on the way. Tells of each lane whether its chain is still finite.
    fn step(&mut self, colliders: &PlacedColliders, has_jumped: PerLane) -> PerLane;
    /// One link of one lane's chain.
    fn link(&self, lane: usize, link: usize) -> LinkSnapshot;
    /// Bend that the joint of one link shows, in body axes.
    fn shown(&self, lane: usize, link: usize) -> Quat;
    /// Puts one lane's chain in a state it was in before.
    fn restore(&mut self, lane: usize, state: &ChainState);
}

/// How many links the longest of `chains`, numbers of `all`, has.
pub(super) fn most_links(chains: &[usize], all: &[SpringChain]) -> usize {
    let n_links = chains.iter().filter_map(|&c| all.get(c)).map(|c| c.topology.links.len());
    n_links.max().unwrap_or(0)
}

/// A mask, lane by lane.
#[inline(always)]
pub(super) fn per_lane<L: Lanes>(zero: L, mask: L::Mask) -> PerLane {
    let flags = L::select(mask, zero.of(1.0), zero);
    // A lane that does not exist has nothing that is not finite.
    std::array::from_fn(|lane| lane >= L::WIDTH || flags.lane(lane) > 0.5)
}

/// Up to `WIDTH` chains. Lanes without a chain, and links that a shorter chain does not have, do nothing.
#[derive(Clone, Debug)]
pub(super) struct LaneBatch<L: Lanes> {
    proof: L::Proof,
    chains: Vec<usize>,
    chain: ChainLanes<L>,
    links: Vec<LinkLanes<L>>,
    drive: Drive<L>,
    state: StateLanes<L>,
}

impl<L: Lanes> LaneBatch<L> {
    /// A batch of `chains`, numbers of `all`, at most `WIDTH`. Every lane must be tuned and reset before a substep.
    pub fn new(proof: L::Proof, chains: Vec<usize>, all: &[SpringChain]) -> Self {
        let zero = L::splat(proof, 0.0);
        let n_links = most_links(&chains, all);
        Self {
            proof,
            chains,
            chain: ChainLanes::new(zero),
            links: vec![LinkLanes::new(zero); n_links],
            drive: Drive::new(zero),
            state: StateLanes::new(zero, n_links),
        }
    }
}

impl<L: Lanes> Batch for LaneBatch<L> {
    fn chains(&self) -> &[usize] {
        &self.chains
    }

    fn tune(&mut self, lane: usize, chain: &SpringChain, rest: &RestArc, h: f32) {
        let (chain, settings) = (&chain.topology, &chain.settings);
        let scale = if settings.scale_with_height { chain.size_ratio } else { 1.0 };
        let half_limit = settings.bend_limit_rad * 0.5;
        let c = &mut self.chain;
        c.step.set_lane(lane, h);
        c.fall.set_lane(lane, settings.gravity * scale * h);
        c.coupling.set_lane(lane, 1.0 - ops::exp(-settings.coupling_rate * h));
        c.limit_cos.set_lane(lane, ops::cos(half_limit));
        c.limit_sin.set_lane(lane, ops::sin(half_limit));
        c.slide.set_lane(lane, ops::exp(-settings.slide_damping * h));
        c.lift_off.set_lane(lane, 1.0 / (LIFT_OFF_M * scale));
        c.plane.set_lane(lane, f32::from(u8::from(settings.keep_behind)));
        c.ground.set_lane(lane, f32::from(u8::from(settings.ground)));
        if !settings.leg_colliders {
            // Legs that are met no longer must not stay where they were.
            self.place_capsules(lane, &[]);
        }

        let n = chain.links.len();
        for (i, (slot, (link, &direction))) in
            self.links.iter_mut().zip(chain.links.iter().zip(&rest.directions)).enumerate()
        {
            let omega = std::f32::consts::TAU * settings.frequency_hz.at(i, n);
            let radius = settings.radius_m.at(i, n) * scale;
            slot.exists.set_lane(lane, 1.0);
            slot.length.set_lane(lane, link.length_m);
            slot.rest.set_lane(lane, direction);
            slot.stiffness.set_lane(lane, omega * omega * h);
            slot.drag.set_lane(lane, 2.0 * settings.damping_ratio.at(i, n) * omega * h);
            slot.floor.set_lane(lane, chain.floor_m + settings.ground_height_m + radius);
            slot.radius.set_lane(lane, radius);
            slot.has_next.set_lane(lane, if i + 1 < n { 1.0 } else { 0.0 });
            slot.is_coupled.set_lane(lane, if n > 1 { 1.0 } else { 0.0 });
        }
    }

    fn place(&mut self, lane: usize, anchor: &Anchor, _before: &Anchor, sway_rad: f32) {
        self.drive.head.set_lane(lane, anchor.head);
        self.drive.frame.set_lane(lane, anchor.frame);
        self.drive.scale.set_lane(lane, anchor.scale);
        if sway_rad != 0.0 || self.drive.sway_sin.lane(lane) != 0.0 {
            self.drive.sway_cos.set_lane(lane, ops::cos(sway_rad));
            self.drive.sway_sin.set_lane(lane, ops::sin(sway_rad));
        }
    }

    fn place_capsules(&mut self, lane: usize, capsules: &[Capsule]) {
        let zero = L::splat(self.proof, 0.0);
        let at = V3::of(zero, Vec3::ZERO);
        let none = CapsuleLanes { a: at, b: at, radius: zero.of(-1.0) };
        if self.drive.capsules.len() < capsules.len() {
            self.drive.capsules.resize(capsules.len(), none);
        }
        for (i, slot) in self.drive.capsules.iter_mut().enumerate() {
            match capsules.get(i) {
                Some(capsule) => {
                    slot.a.set_lane(lane, capsule.a);
                    slot.b.set_lane(lane, capsule.b);
                    slot.radius.set_lane(lane, capsule.radius_m);
                }
                None => slot.radius.set_lane(lane, -1.0),
            }
        }
    }

    fn reset(&mut self, lane: usize, anchor: &Anchor) {
        let links = self.links.iter().map(|link| (link.rest.lane(lane), link.length.lane(lane)));
        self.state.rest(lane, anchor, links);
    }

    fn carry(&mut self, lane: usize, from: &Anchor, to: &Anchor) {
        self.state.carry(lane, from, to);
    }

    fn step(&mut self, _colliders: &PlacedColliders, _has_jumped: PerLane) -> PerLane {
        let Self { chain, links, drive, state, proof, .. } = self;
        let state = state.links_mut();
        L::run(
            *proof,
            #[inline(always)]
            || per_lane(chain.step.of(0.0), substep(chain, links, drive, state)),
        )
    }

    fn link(&self, lane: usize, link: usize) -> LinkSnapshot {
        self.state.link(lane, link)
    }

    fn shown(&self, lane: usize, link: usize) -> Quat {
        self.state.shown(lane, link)
    }

    fn restore(&mut self, lane: usize, state: &ChainState) {
        self.state.restore(lane, state);
    }
}
