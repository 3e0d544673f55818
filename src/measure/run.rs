//! One clip on a character in three ways: as it was, its regions rigid, its regions on chains.
//!
//! Based on: spec 5.1, 6 (`measure`), 8 (D11, D12).

use std::sync::Arc;

use glam::{Quat, Vec3};
use rayon::prelude::*;
use serde::Serialize;

use super::edges::Edges;
use super::histogram::{Ratios, Stretch};
use super::skinning::Skinner;
use crate::clips::PackedClip;
use crate::model::{
    BindPose, ChainOrigin, Character, Clip, NodeIndex, Pose, Region, RegionId, RegionKind, Rigged,
    Role, WorldPose,
};
use crate::perform::{BodyMotion, SettledPass, TracksOnChains};
use crate::work::{Stopped, Work};

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct MeasureInput<'a> {
    /// The character as loaded.
    pub raw: &'a Character,
    /// The same with each region on the joint it hangs from.
    pub rigid: &'a Arc<Rigged>,
    /// The same with chains.
    pub chain: &'a Arc<Rigged>,
    /// The regions, as detection completed them; those that turned out to be body count as body.
    pub regions: &'a [Region],
    /// On the character's own nodes.
    pub clip: &'a Clip,
    /// Evenly spaced times; 24 in the article.
    pub n_samples: usize,
}

/// Stretch of a region's own edges in the three ways, and of its border on the chain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RegionStretch {
    /// Of the detection.
    pub id: RegionId,
    /// What it is.
    pub kind: RegionKind,
    /// As loaded.
    pub raw: Stretch,
    /// On one joint.
    pub rigid: Stretch,
    /// On its chain.
    pub chain: Stretch,
    /// Edges with one end in the region, on its chain: where a bad collar shows. `None` for a shell of its own, which
    /// has none.
    pub border: Option<Stretch>,
}

/// Three ways side by side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ThreeWays {
    /// As loaded.
    pub raw: Stretch,
    /// On one joint.
    pub rigid: Stretch,
    /// On its chain.
    pub chain: Stretch,
}

/// How the measured pass closes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seams {
    /// Passes run before the measured one.
    pub warmup_passes: u32,
    /// Largest difference of a joint between end and start, degrees.
    pub seam_deg: f32,
    /// Largest distance of a link's end between them, in its anchor's frame, metres.
    pub seam_m: f32,
    /// Whether that is within the tolerance.
    pub closed: bool,
    /// Where no pass closed by itself, the end is blended over this gap, metres; 0 otherwise.
    pub blended_m: f32,
}

/// What `measure` reports; keys as in spec 6.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// Number of sample times.
    pub samples: usize,
    /// All regions.
    pub regions: Vec<RegionStretch>,
    /// The first region that is a tail.
    pub tail: Option<ThreeWays>,
    /// Edges outside all regions, as loaded.
    pub body: Stretch,
    /// Largest distance between two places of the tail's tip in its attachment's frame, over one settled pass, metres.
    pub tip_travel_m: Option<f32>,
    /// How the pass closes.
    pub seam: Seams,
    /// What the appendages would lift the pelvis by; `document::pelvis_lift` finds it.
    pub pelvis_lift: Option<Vec<PelvisLift>>,
}

/// Heights of the pelvis over the body's floor at one time, with the appendages taken for body and without (spec 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PelvisLift {
    /// Seconds.
    pub time_s: f64,
    /// With them, in metres.
    pub tail_counted_m: f32,
    /// Without, as it is played, in metres.
    pub tail_excluded_m: f32,
    /// The difference: the false lift, in metres.
    pub extra_m: f32,
    /// How far the body is lifted as it is played, for nothing but the appendages to be below the floor, in metres; 0
    /// for the file's own clips, which nobody lifts.
    pub lift_m: f32,
}

/// Times of the samples: k T / n for loops, k T / (n - 1) for one-shots.
pub fn sample_times(duration_secs: f64, looping: bool, n: usize) -> Vec<f64> {
    let parts = if looping { n } else { n.saturating_sub(1) };
    (0..n).map(|k| duration_secs * k as f64 / parts.max(1) as f64).collect()
}

/// Measures one clip. Cost: O(samples × (V + E)) over all cores, and one settled pass.
///
/// # Errors
/// [`Stopped`] when cancelled.
pub fn measure(input: &MeasureInput<'_>, work: &Work) -> Result<Measurement, Stopped> {
    let hips = input.chain.humanoid.node(Role::Hips);
    let bind = BindPose::of(input.raw, hips);
    // A candidate that turned out to be body is body.
    let regions = || input.regions.iter().filter(|r| r.kind != RegionKind::Body);
    let lists: Vec<_> = regions().map(|r| r.vertices.as_slice()).collect();
    let edges = Edges::of(input.raw, &bind, input.chain.body.height_m, &lists);
    let times = sample_times(input.clip.duration_secs, input.clip.looping, input.n_samples);

    let loaded = Rigged { character: input.raw.clone(), bind, ..Rigged::default() };
    let take = |rigged: &Arc<Rigged>| -> Result<Take, Stopped> {
        let motion =
            BodyMotion::new(Arc::clone(rigged), Some(input.clip), TracksOnChains::default());
        let pass = SettledPass::run(&motion, work)?;
        Ok(Take { motion, pass, hips: hips.unwrap_or_default() })
    };
    let raw = take(&Arc::new(loaded))?.stretch(&edges, &times, Which::All, work)?;
    let rigid = take(input.rigid)?.stretch(&edges, &times, Which::Regions, work)?;
    let chain_take = take(input.chain)?;
    let chain = chain_take.stretch(&edges, &times, Which::Regions, work)?;

    let of =
        |ratios: &[Ratios], r: usize| ratios.get(r).map_or_else(Stretch::default, Ratios::summary);
    let regions: Vec<RegionStretch> = regions()
        .enumerate()
        .map(|(r, region)| RegionStretch {
            id: region.id,
            kind: region.kind,
            raw: of(&raw.inner, r),
            rigid: of(&rigid.inner, r),
            chain: of(&chain.inner, r),
            border: Some(of(&chain.border, r)).filter(|border| border.edge_samples > 0),
        })
        .collect();
    let tail = regions.iter().find(|r| r.kind == RegionKind::Tail);
    let pass = &chain_take.pass;
    Ok(Measurement {
        samples: times.len(),
        tail: tail.map(|t| ThreeWays { raw: t.raw, rigid: t.rigid, chain: t.chain }),
        body: raw.body.summary(),
        tip_travel_m: chain_take.tip_travel_m(tail.map(|t| t.id)),
        seam: Seams {
            warmup_passes: pass.warmup_passes,
            seam_deg: pass.seam.angle_rad.to_degrees(),
            seam_m: pass.seam.distance_m,
            closed: pass.is_closed,
            blended_m: pass.blended_m(),
        },
        pelvis_lift: None,
        regions,
    })
}

/// Which edges are worth skinning.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    All,
    /// The body is the same in all three ways.
    Regions,
}

/// A character in the clip.
struct Take {
    motion: BodyMotion,
    pass: SettledPass,
    hips: NodeIndex,
}

/// Ratios over all samples.
#[derive(Clone)]
struct Counts {
    body: Ratios,
    inner: Vec<Ratios>,
    border: Vec<Ratios>,
}

impl Counts {
    fn new(n_regions: usize) -> Self {
        let none = vec![Ratios::default(); n_regions];
        Self { body: Ratios::default(), inner: none.clone(), border: none }
    }

    fn merge(mut self, other: &Self) -> Self {
        self.body.merge(&other.body);
        let pairs = self.inner.iter_mut().zip(&other.inner);
        for (a, b) in pairs.chain(self.border.iter_mut().zip(&other.border)) {
            a.merge(b);
        }
        self
    }
}

/// Room for one frame, reused.
#[derive(Default)]
struct Room {
    rotations: Vec<Quat>,
    pose: Pose,
    world: WorldPose,
    positions: Vec<glam::Vec3A>,
    shape: Shape,
}

/// A skinner of one's own, where the clip moves morph weights.
#[derive(Default)]
struct Shape {
    own: Option<Skinner>,
    weights: Vec<f32>,
}

impl Shape {
    /// The skinner with the clip's morph weights at `secs`; `shared` itself where there are none.
    fn at<'a>(&'a mut self, shared: &'a Skinner, clip: &PackedClip, secs: f64) -> &'a Skinner {
        let is_moved = |node| shared.morphed().any(|n| n == node);
        for (i, (node, n_targets)) in clip.morphs().enumerate().filter(|(_, m)| is_moved(m.0)) {
            self.weights.clear();
            self.weights.resize(n_targets, 0.0);
            clip.sample_morph(i, secs, &mut self.weights);
            let own = self.own.get_or_insert_with(|| shared.clone());
            own.set_morph_weights(node, &self.weights);
        }
        self.own.as_ref().unwrap_or(shared)
    }
}

impl Take {
    fn stretch(
        &self,
        edges: &Edges,
        times: &[f64],
        which: Which,
        work: &Work,
    ) -> Result<Counts, Stopped> {
        let character = &self.motion.rigged().character;
        let only_regions = edges.of_regions();
        let edges = if which == Which::All { edges } else { &only_regions };
        let skinner = Skinner::new(character, &edges.vertices);
        let n_regions = edges.inner.len();
        let start = || (Counts::new(n_regions), Room::default());
        times
            .par_iter()
            .try_fold(start, |(mut counts, mut room), &secs| {
                work.tick("measure", 0, 0)?;
                self.pass.pose_at(&self.motion, secs, &mut room.rotations, &mut room.pose);
                let root = character.root_matrix();
                room.pose.to_world(&character.skeleton, &root, &mut room.world);
                let origin: Vec3 = room.world.matrix(self.hips).translation.into();
                let skinner = room.shape.at(&skinner, self.motion.clip(), secs);
                skinner.skin(&room.world, origin, &mut room.positions);
                edges.body.add_to(&room.positions, &mut counts.body);
                let sets = edges.inner.iter().zip(&mut counts.inner);
                for (set, ratios) in sets.chain(edges.border.iter().zip(&mut counts.border)) {
                    set.add_to(&room.positions, ratios);
                }
                Ok((counts, room))
            })
            .map(|result| result.map(|(counts, _)| counts))
            .try_reduce(|| Counts::new(n_regions), |a, b| Ok(a.merge(&b)))
    }

    fn tip_travel_m(&self, tail: Option<RegionId>) -> Option<f32> {
        let chains = &self.motion.rigged().chains;
        let is_tails = |origin: ChainOrigin| Some(origin) == tail.map(ChainOrigin::Grown);
        let driven = self.motion.driven();
        let grown = driven
            .iter()
            .position(|d| chains.get(d.chain).is_some_and(|chain| is_tails(chain.origin)));
        let chain = grown.or((!driven.is_empty()).then_some(0))?;
        Some(self.pass.tip_travel_m(chain))
    }
}
