//! What persists of the chains of a batch, lane by lane.

use glam::{Quat, Vec3};

use super::kernel::LinkState;
use super::lanes::Lanes;
use super::state::{Anchor, ChainState, LinkSnapshot};

/// State of every link of a batch, `[links]`.
#[derive(Clone, Debug)]
pub(super) struct StateLanes<L: Lanes>(Vec<LinkState<L>>);

impl<L: Lanes> StateLanes<L> {
    pub fn new(zero: L, n_links: usize) -> Self {
        Self(vec![LinkState::new(zero); n_links])
    }

    pub fn links_mut(&mut self) -> &mut [LinkState<L>] {
        &mut self.0
    }

    /// Puts one lane's links to rest where its chain hangs; `links` are their directions in body axes and their neutral
    /// lengths, metres.
    pub fn rest(&mut self, lane: usize, anchor: &Anchor, links: impl Iterator<Item = (Vec3, f32)>) {
        let mut end = anchor.head;
        for (s, (direction, length_m)) in self.0.iter_mut().zip(links) {
            let length = length_m * anchor.scale;
            end += anchor.frame * direction * length;
            s.p.set_lane(lane, end);
            s.tail.set_lane(lane, end);
            s.v.set_lane(lane, Vec3::ZERO);
            s.q.set_lane(lane, Quat::IDENTITY);
            s.shown.set_lane(lane, Quat::IDENTITY);
            s.touched.set_lane(lane, 0.0);
        }
    }

    /// Takes one lane's chain along rigidly.
    pub fn carry(&mut self, lane: usize, from: &Anchor, to: &Anchor) {
        let turn = (to.frame * from.frame.conjugate()).normalize();
        for s in &mut self.0 {
            let (p, v, tail) = (s.p.lane(lane), s.v.lane(lane), s.tail.lane(lane));
            s.p.set_lane(lane, to.head + turn * (p - from.head));
            s.tail.set_lane(lane, to.head + turn * (tail - from.head));
            s.v.set_lane(lane, turn * v);
        }
    }

    /// Takes what inertia acts on along, and leaves the links where they are.
    pub fn follow(&mut self, lane: usize, from: &Anchor, to: &Anchor) {
        let turn = (to.frame * from.frame.conjugate()).normalize();
        for s in &mut self.0 {
            let (v, tail) = (s.v.lane(lane), s.tail.lane(lane));
            s.tail.set_lane(lane, to.head + turn * (tail - from.head));
            s.v.set_lane(lane, turn * v);
        }
    }

    pub fn link(&self, lane: usize, link: usize) -> LinkSnapshot {
        self.0.get(link).map_or_else(LinkSnapshot::default, |s| LinkSnapshot {
            end: s.p.lane(lane),
            velocity: s.v.lane(lane),
            bend: s.q.lane(lane),
            shown: s.shown.lane(lane),
            touched: s.touched.lane(lane) > 0.5,
            tail: s.tail.lane(lane),
        })
    }

    pub fn shown(&self, lane: usize, link: usize) -> Quat {
        self.0.get(link).map_or(Quat::IDENTITY, |s| s.shown.lane(lane))
    }

    pub fn restore(&mut self, lane: usize, state: &ChainState) {
        for (s, link) in self.0.iter_mut().zip(&state.links) {
            s.p.set_lane(lane, link.end);
            s.tail.set_lane(lane, link.tail);
            s.v.set_lane(lane, link.velocity);
            s.q.set_lane(lane, link.bend);
            s.shown.set_lane(lane, link.shown);
            s.touched.set_lane(lane, f32::from(u8::from(link.touched)));
        }
    }
}
