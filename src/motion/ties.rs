//! Elastic ties between neighbouring strands: hair that stands together moves together.
//!
//! A tie holds the ends of two links as far apart as the artist has them: both are pulled by κ (d - d⁰) along the line
//! between them, worked out for all ties from the state before the substep, so that no strand goes first. Ties turn
//! nothing by themselves: at rest every one has its rest length.

use std::collections::BTreeSet;

use glam::Vec3;

use super::springs::SpringChain;
use super::topology::ChainTopology;
use crate::model::HairSolver;

/// One tie: chain and link at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tie {
    pub ends: [(usize, usize); 2],
    /// Distance in the neutral pose, metres.
    pub rest_m: f32,
    /// κ, 1/s².
    pub stiffness: f32,
}

/// A strand is tied to this many others at most, the nearest.
const MOST_NEIGHBOURS: usize = 2;
/// Ends farther apart than this share of the height are no neighbours.
const REACH_HEIGHTS: f32 = 0.08;

/// Ties between strands that ask for them and hang from one node, as they stand in the neutral pose.
///
/// Cost: O(strands² × links²), each pair of ends of each pair of strands.
pub(super) fn ties(chains: &[SpringChain]) -> Vec<Tie> {
    let asks = |c: &SpringChain| {
        c.fork.is_none()
            && c.hair.as_ref().is_some_and(|s| {
                s.settings.neighbour_stiffness > 0.0 && s.settings.solver != HairSolver::VrmApp
            })
    };
    let strands: Vec<(usize, Vec<Vec3>)> = chains
        .iter()
        .enumerate()
        .filter(|(_, c)| asks(c))
        .map(|(i, c)| (i, rest_ends(&c.topology)))
        .collect();
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (at, (a, own)) in strands.iter().enumerate() {
        let mut near: Vec<(f32, usize)> = strands
            .iter()
            .enumerate()
            .filter(|(_, (b, _))| a != b && same_anchor(chains, *a, *b))
            .map(|(other, (_, ends))| (mean_distance(own, ends), other))
            .collect();
        near.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        for &(_, other) in near.iter().take(MOST_NEIGHBOURS) {
            pairs.insert((at.min(other), at.max(other)));
        }
    }
    let mut found = Vec::new();
    for (a, b) in pairs {
        let (Some((a, ends_a)), Some((b, ends_b))) = (strands.get(a), strands.get(b)) else {
            continue;
        };
        let stiffness = |c: usize| {
            let hair = chains.get(c).and_then(|c| c.hair.as_ref());
            hair.map_or(0.0, |s| s.settings.neighbour_stiffness)
        };
        let reach_m = REACH_HEIGHTS * chains.get(*a).map_or(0.0, |c| c.topology.height_m);
        for (i, p) in ends_a.iter().enumerate() {
            let nearest = ends_b
                .iter()
                .enumerate()
                .map(|(j, q)| (p.distance(*q), j))
                .min_by(|x, y| x.0.total_cmp(&y.0));
            if let Some((rest_m, j)) = nearest.filter(|(d, _)| *d <= reach_m) {
                let stiffness = stiffness(*a).min(stiffness(*b));
                found.push(Tie { ends: [(*a, i), (*b, j)], rest_m, stiffness });
            }
        }
    }
    found
}

fn same_anchor(chains: &[SpringChain], a: usize, b: usize) -> bool {
    match (chains.get(a), chains.get(b)) {
        (Some(a), Some(b)) => a.topology.anchor == b.topology.anchor,
        _ => false,
    }
}

/// Ends of the links in the neutral pose, in body axes from the anchor, metres.
fn rest_ends(topology: &ChainTopology) -> Vec<Vec3> {
    let mut at = topology.body_from_anchor * (topology.head_in_anchor * topology.anchor_scale);
    let links = topology.links.iter();
    links
        .map(|link| {
            at += link.authored * link.length_m;
            at
        })
        .collect()
}

/// Mean distance of the ends of one strand from the nearest of another.
fn mean_distance(own: &[Vec3], other: &[Vec3]) -> f32 {
    let nearest = |p: &Vec3| other.iter().map(|q| p.distance(*q)).fold(f32::INFINITY, f32::min);
    own.iter().map(nearest).sum::<f32>() / own.len().max(1) as f32
}

impl Tie {
    /// Acceleration of the first end, the second's is its opposite; 0 where both are at one point.
    pub fn pull(&self, [a, b]: [Vec3; 2], scale: f32) -> Vec3 {
        let between = b - a;
        let distance = between.length();
        if distance < 1e-6 {
            return Vec3::ZERO;
        }
        between * (self.stiffness * (1.0 - self.rest_m * scale / distance))
    }
}
