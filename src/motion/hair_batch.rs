//! Hair strands side by side in the lanes of one kernel.

use glam::{Quat, Vec3};

use super::batch::{Batch, PerLane, most_links, per_lane};
use super::hair::{HairLanes, StrandLanes, substep};
use super::hair_collider::PlacedColliders;
use super::hair_contact::{Contacts, Met};
use super::hair_near::{ColliderSet, NearList};
use super::kernel::Drive;
use super::lane_state::StateLanes;
use super::lanes::Lanes;
use super::rest::RestArc;
use super::springs::SpringChain;
use super::state::{Anchor, ChainState, LinkSnapshot};
use crate::math::ops;
use crate::model::{HairLink, HairSolver, Strand};

/// Up to `WIDTH` strands. Lanes without a strand, and links that a shorter one does not have, do nothing.
#[derive(Clone, Debug)]
pub(super) struct HairBatch<L: Lanes> {
    proof: L::Proof,
    chains: Vec<usize>,
    strand: StrandLanes<L>,
    links: Vec<HairLanes<L>>,
    drive: Drive<L>,
    met: Met<L>,
    /// `[links]`: which colliders a link could meet.
    near: Vec<NearList<L>>,
    state: StateLanes<L>,
}

impl<L: Lanes> HairBatch<L> {
    /// A batch of `chains`, numbers of `all`, at most `WIDTH`. Every lane must be tuned and reset before a substep.
    pub fn new(proof: L::Proof, chains: Vec<usize>, all: &[SpringChain]) -> Self {
        let zero = L::splat(proof, 0.0);
        let (n_links, is_lone) = (most_links(&chains, all), chains.len() == 1);
        Self {
            proof,
            chains,
            strand: StrandLanes::new(zero),
            links: vec![HairLanes::new(zero); n_links],
            drive: Drive::new(zero),
            met: Met { any: ColliderSet::default(), lanes: Vec::new(), is_lone },
            near: vec![NearList::new(zero); n_links],
            state: StateLanes::new(zero, n_links),
        }
    }

    /// Says which colliders one lane's strand meets.
    fn choose(&mut self, lane: usize, strand: &Strand) {
        let (zero, lanes) = (L::splat(self.proof, 0.0), &mut self.met.lanes);
        lanes.iter_mut().for_each(|meets| meets.set_lane(lane, 0.0));
        for index in strand.colliders.iter().filter(|_| strand.settings.contacts) {
            let at = index.index();
            if lanes.len() <= at {
                lanes.resize(at + 1, zero);
            }
            lanes[at].set_lane(lane, 1.0);
        }
        self.met.any.clear();
        for (at, meets) in lanes.iter().enumerate() {
            self.met.any.put(at, L::any(meets.is_set()));
        }
    }
}

impl<L: Lanes> Batch for HairBatch<L> {
    fn chains(&self) -> &[usize] {
        &self.chains
    }

    fn tune(&mut self, lane: usize, chain: &SpringChain, rest: &RestArc, h: f32) {
        let Some(strand) = &chain.hair else { return };
        let (settings, topology) = (&strand.settings, &chain.topology);
        let flag = |on: bool| f32::from(u8::from(on));
        let is_bound =
            settings.coupling_rate > 0.0 || settings.bend_limit_rad < std::f32::consts::PI - 1e-3;
        let half_limit = settings.bend_limit_rad * 0.5;
        let s = &mut self.strand;
        s.bends.step.set_lane(lane, h);
        s.bends.coupling.set_lane(lane, 1.0 - ops::exp(-settings.coupling_rate * h));
        s.bends.limit_cos.set_lane(lane, ops::cos(half_limit));
        s.bends.limit_sin.set_lane(lane, ops::sin(half_limit));
        s.rate.set_lane(lane, 1.0 / h);
        s.holds_arc.set_lane(lane, flag(settings.solver == HairSolver::Improved));
        s.rebounds.set_lane(lane, flag(settings.solver != HairSolver::Improved));
        s.keeps_radial.set_lane(lane, flag(settings.solver == HairSolver::VrmApp));
        s.is_bound.set_lane(lane, flag(is_bound && settings.solver != HairSolver::VrmApp));
        s.segments.set_lane(lane, flag(strand.tests_segments()));
        let n = topology.links.len();
        for (i, (slot, (link, &direction))) in
            self.links.iter_mut().zip(topology.links.iter().zip(&rest.directions)).enumerate()
        {
            let own = strand.links.get(link.joint).copied().unwrap_or_default();
            let rule = Rule::of(strand, &own, (i, n), link.length_m, topology.size_ratio, h);
            slot.exists.set_lane(lane, 1.0);
            slot.length.set_lane(lane, link.length_m);
            slot.rest.set_lane(lane, direction);
            slot.stay.set_lane(lane, 1.0 - rule.pull * h);
            slot.keep.set_lane(lane, rule.keep * h);
            slot.pull.set_lane(lane, rule.pull * h);
            slot.push.set_lane(lane, rule.push * h);
            slot.fall.set_lane(lane, rule.fall * h);
            slot.radius.set_lane(lane, rule.radius_m);
            slot.has_next.set_lane(lane, flag(i + 1 < n));
        }
        self.choose(lane, strand);
        self.near.iter_mut().for_each(NearList::forget);
    }

    fn place(&mut self, lane: usize, anchor: &Anchor, before: &Anchor, _sway_rad: f32) {
        self.drive.head.set_lane(lane, anchor.head);
        self.drive.frame.set_lane(lane, anchor.frame);
        self.drive.scale.set_lane(lane, anchor.scale);
        self.strand.head_before.set_lane(lane, before.head);
    }

    fn tie(&mut self, lane: usize, link: usize, pull: Vec3) {
        self.strand.any_tied = true;
        if let Some(slot) = self.links.get_mut(link) {
            slot.tied.set_lane(lane, pull);
        }
    }

    fn reset(&mut self, lane: usize, anchor: &Anchor) {
        let links = self.links.iter().map(|link| (link.rest.lane(lane), link.length.lane(lane)));
        self.state.rest(lane, anchor, links);
    }

    fn carry(&mut self, lane: usize, from: &Anchor, to: &Anchor) {
        self.state.carry(lane, from, to);
    }

    fn follow(&mut self, lane: usize, from: &Anchor, to: &Anchor) {
        self.state.follow(lane, from, to);
    }

    fn step(&mut self, colliders: &PlacedColliders, has_jumped: PerLane) -> PerLane {
        let mut jumped = L::splat(self.proof, 0.0);
        for (lane, _) in has_jumped.iter().enumerate().filter(|(_, has_jumped)| **has_jumped) {
            jumped.set_lane(lane, 1.0);
        }
        let Self { proof, strand, links, drive, met, near, state, .. } = self;
        let state = state.links_mut();
        L::run(
            *proof,
            #[inline(always)]
            || {
                let contacts = Contacts::new(strand, met, colliders, jumped);
                let finite = substep(strand, links, drive, (&contacts, near), state);
                per_lane(jumped, finite)
            },
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

/// The four coefficients of a link's step, and its thickness (see `hair`).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    keep: f32,
    pull: f32,
    push: f32,
    fall: Vec3,
    radius_m: f32,
}

impl Rule {
    fn of(
        strand: &Strand,
        own: &HairLink,
        (i, n): (usize, usize),
        length_m: f32,
        size_ratio: f32,
        h: f32,
    ) -> Self {
        let settings = &strand.settings;
        let radius_m = own.radius_m.unwrap_or(settings.radius_m.at(i, n) * size_ratio);
        if settings.solver == HairSolver::VrmApp {
            let raw = strand.raw(own, (i, n), length_m, size_ratio);
            // What the published rule adds to the position is stiffness × h: a velocity of its own.
            return Self {
                keep: 1.0 - raw.drag,
                pull: 0.0,
                push: raw.stiffness,
                fall: raw.gravity,
                radius_m: raw.hit_radius,
            };
        }
        let keep = ops::exp(-settings.damping.at(i, n) * own.damping * h);
        let general = settings.stiffness.at(i, n);
        let gravity = match own.sag {
            Some(sag) => sag * (general * length_m),
            None => Vec3::NEG_Y * (settings.gravity * size_ratio),
        };
        let pull = keep * general * own.stiffness * h;
        Self { keep, pull, push: 0.0, fall: gravity * (keep * h), radius_m }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::HairSettings;

    #[test]
    fn the_rule_is_the_formula_of_the_spec() {
        let h = 1.0 / 120.0;
        let strand = Strand::uniform(HairSettings::IMPROVED, 3);
        let rule = Rule::of(&strand, &HairLink::default(), (1, 3), 0.1, 0.5, h);
        let usual = HairSettings::IMPROVED;
        let keep = libm::expf(-usual.damping.root * h);
        assert!((rule.keep - keep).abs() < 1e-7);
        assert!((rule.pull - keep * usual.stiffness.root * h).abs() < 1e-5);
        assert!(rule.fall.distance(Vec3::NEG_Y * 0.5 * keep * h) < 1e-7, "gravity is scaled");
        assert_eq!(rule.push, 0.0);
    }

    #[test]
    fn an_artist_s_gravity_bends_as_far_as_in_vrm_s_rule() {
        // VRM at rest: stiffness sin θ = power sin(φ - θ); ours: k stiffness L θ = g for small θ across gravity.
        let strand = Strand::uniform(HairSettings::IMPROVED, 1);
        let own = HairLink { stiffness: 2.0, sag: Some(Vec3::NEG_Y * 0.1), ..HairLink::default() };
        let h = 1.0 / 120.0;
        let rule = Rule::of(&strand, &own, (0, 1), 0.3, 1.0, h);
        let bend = rule.fall.length() / (rule.pull * 0.3);
        assert!((bend - 0.1 / 2.0).abs() < 1e-6);
    }
}
