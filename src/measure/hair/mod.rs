//! Hair measured on the mesh: stretch of every edge, settling, what the shirt hides, what lies in the torso.
//!
//! Based on: spec 4.5, 8 (2.7, 4.4, 4.6).

mod cloth;
mod head_turn;
mod occlusion;
mod skin;
mod vrm_gap;

use std::sync::Arc;

use glam::{Vec3, Vec3A};
use serde::Serialize;

use cloth::Cloth;
pub use head_turn::{HEAD_TURN_SECS, head_turn};
use occlusion::Occluder;
use skin::HairSkin;
pub use vrm_gap::{StrandGap, fit_vrm, vrm_gap};

use super::edges::Edges;
use super::skinning::Skinner;
use crate::math::{closest, stats};
use crate::model::{Clip, HairSolver, Pose, Rigged, Role, WorldPose};
use crate::perform::{AtEnd, BodyMotion, Performer, TracksOnChains};
use crate::work::{Stopped, Work};

/// The mesh is looked at this often, whatever the rate of the frames.
const SAMPLES_HZ: u32 = 30;
/// Lag is measured over the first seconds, in which the head test moves.
const LAG_SECS: f64 = 4.0;
/// Settling is measured over the last ones.
const SETTLE_SECS: f64 = 2.0;
/// What the shirt hides by less than this does not count, metres.
const LEAST_DEPTH_M: f32 = 1e-3;

/// What is measured.
#[derive(Clone, Debug)]
pub struct HairMeasureInput<'a> {
    /// The character.
    pub rigged: &'a Arc<Rigged>,
    /// On its own nodes; plays once, or is repeated for as long as `seconds`.
    pub clip: &'a Clip,
    /// Length of the run.
    pub seconds: f64,
    /// Frames a second that the performance is advanced by: 30, 60, 120 or 240.
    pub rate_hz: u32,
}

/// What of the front strands the shirt hides, seen from straight in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Occlusion {
    /// Vertices of front strands that are in front of the shirt in the bind pose.
    pub vertices: usize,
    /// Most that were hidden by more than 1 mm in one frame.
    pub hidden: usize,
    /// Deepest that one was, in millimetres.
    pub deepest_mm: f32,
    /// Hidden in the bind pose already, and left out.
    pub hidden_in_bind: usize,
}

/// Links in the torso's own colliders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TorsoCheck {
    /// Colliders that were looked at: those of the torso that a strand meets.
    pub colliders: usize,
    /// Links inside one of them, over all frames.
    pub links_inside: usize,
    /// Deepest that one was, in millimetres.
    pub deepest_mm: f32,
}

/// Legs through the cloth of skirts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SkirtCheck {
    /// Vertices of the legs that were inside the cloth, or below it, in the bind pose; 0 without a skirt.
    pub vertices: usize,
    /// Most that were through by more than 1 mm in one frame.
    pub through: usize,
    /// Furthest that one stood out, in millimetres.
    pub deepest_mm: f32,
    /// Through in the bind pose already, and left out.
    pub through_in_bind: usize,
}

/// What `hair measure` reports; keys as in spec 6.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HairMeasurement {
    /// By which rule the strands were moved.
    pub solver: HairSolver,
    /// Edges of hair.
    pub edges: usize,
    /// 99 % of the edges are never stretched by more.
    pub p99_percent: f32,
    /// The worst edge in the worst frame.
    pub worst_percent: f32,
    /// Furthest that a tip moved between two frames of the last two seconds, millimetres.
    pub settle_mm: f32,
    /// Root mean square distance of the tips from where they rest, in the head's frame, first four seconds.
    pub lag_mm: f32,
    /// Largest error of a link's length, as a share of it.
    pub length_error: f32,
    /// Front strands against the shirt.
    pub occlusion: Occlusion,
    /// Links against the torso's colliders.
    pub torso: TorsoCheck,
    /// Legs against the skirts.
    pub skirt: SkirtCheck,
    /// Number of strands.
    pub chains: usize,
    /// Their names.
    pub names: Vec<String>,
    /// Frames in which the mesh was looked at.
    pub frames: usize,
    /// Where all link ends were at the end, as a number that tells runs apart: equal for equal motion.
    pub fingerprint: String,
}

/// Runs and measures. Cost: O(substeps × nodes) to play, and for each frame that is looked at, 30 a second, O(nodes +
/// edges of hair + links × colliders of the torso + shirt × front vertices behind it + legs × cloth at their height).
///
/// # Errors
/// [`Stopped`] when cancelled.
pub fn measure_hair(input: &HairMeasureInput<'_>, work: &Work) -> Result<HairMeasurement, Stopped> {
    let rigged = input.rigged;
    let clip = Clip { looping: false, ..input.clip.clone() };
    let motion = BodyMotion::new(Arc::clone(rigged), Some(&clip), TracksOnChains::Lose);
    let at_end = if input.clip.looping { AtEnd::Repeat } else { AtEnd::Hold };
    let mut performer = Performer::new(motion, at_end);
    let mut run = Run::new(rigged, &performer);
    let every = (input.rate_hz / SAMPLES_HZ).max(1);
    let n_frames = (input.seconds * f64::from(input.rate_hz)).round() as u32;
    for frame in 1..=n_frames {
        if frame % 64 == 1 {
            work.tick("hair", u64::from(frame), u64::from(n_frames))?;
        }
        performer.advance(1.0 / f64::from(input.rate_hz));
        if frame % every == 0 {
            run.look(&mut performer, f64::from(frame) / f64::from(input.rate_hz), input.seconds);
        }
    }
    Ok(run.result(&performer))
}

/// What has been seen so far.
struct Run {
    rigged: Arc<Rigged>,
    /// Driven chains that are hair, by their place among the driven ones.
    strands: Vec<usize>,
    edges: Edges,
    skinner: Skinner,
    /// Largest ratio of each edge, squared.
    largest: Vec<f32>,
    occluder: Occluder,
    occlusion: Occlusion,
    torso: TorsoCheck,
    cloth: Cloth,
    skirt: SkirtCheck,
    /// Places of the torso's colliders in the row.
    torso_colliders: Vec<usize>,
    tips: Vec<Vec3>,
    settle_m: f32,
    lag_sum: f64,
    lag_count: u32,
    length_error: f32,
    frames: usize,
    pose: Pose,
    world: WorldPose,
    positions: Vec<Vec3A>,
}

impl Run {
    fn new(rigged: &Arc<Rigged>, performer: &Performer) -> Self {
        let driven = performer.motion().driven();
        let strands: Vec<usize> = driven
            .iter()
            .enumerate()
            .filter(|(_, d)| rigged.chains.get(d.chain).is_some_and(|c| c.hair.is_some()))
            .map(|(i, _)| i)
            .collect();
        let chains: Vec<usize> =
            strands.iter().filter_map(|&s| driven.get(s).map(|d| d.chain)).collect();
        let skin = HairSkin::of(rigged, &chains);
        let edges = Edges::of(
            &rigged.character,
            &rigged.bind,
            rigged.body.height_m,
            &[skin.vertices.as_slice()],
        )
        .of_regions();
        let n_edges = edges.inner.first().map_or(0, |set| set.ends.len());
        let occluder = Occluder::new(rigged, &skin);
        let occlusion = Occlusion {
            vertices: occluder.n_vertices(),
            hidden_in_bind: occluder.n_hidden_in_bind(),
            ..Occlusion::default()
        };
        let cloth = Cloth::new(rigged, &chains);
        let skirt = SkirtCheck {
            vertices: cloth.n_vertices(),
            through_in_bind: cloth.n_through_in_bind(),
            ..SkirtCheck::default()
        };
        let meets = |at: usize| {
            chains
                .iter()
                .filter_map(|&c| rigged.chains.get(c)?.hair.as_ref())
                .any(|s| s.settings.contacts && s.colliders.iter().any(|i| i.index() == at))
        };
        let torso_colliders: Vec<usize> = rigged
            .colliders
            .iter()
            .enumerate()
            .filter(|(at, c)| c.name.starts_with("torso") && meets(*at))
            .map(|(at, _)| at)
            .collect();
        Self {
            rigged: Arc::clone(rigged),
            skinner: Skinner::new(&rigged.character, &edges.vertices),
            edges,
            largest: vec![0.0; n_edges],
            occluder,
            occlusion,
            torso: TorsoCheck { colliders: torso_colliders.len(), ..TorsoCheck::default() },
            cloth,
            skirt,
            torso_colliders,
            tips: Vec::new(),
            settle_m: 0.0,
            lag_sum: 0.0,
            lag_count: 0,
            length_error: 0.0,
            frames: 0,
            pose: Pose::default(),
            world: WorldPose::default(),
            positions: Vec::new(),
            strands,
        }
    }

    /// Looks at one frame.
    fn look(&mut self, performer: &mut Performer, secs: f64, total: f64) {
        self.frames += 1;
        performer.pose(&mut self.pose);
        let character = &self.rigged.character;
        self.pose.to_world(&character.skeleton, &character.root_matrix(), &mut self.world);
        let head = self.rigged.humanoid.node(Role::Head).unwrap_or_default();
        let origin: Vec3 = self.world.matrix(head).translation.into();
        self.skinner.skin(&self.world, origin, &mut self.positions);
        if let Some(set) = self.edges.inner.first() {
            for ((ends, inverse), most) in
                set.ends.iter().zip(&set.inverse_square).zip(&mut self.largest)
            {
                if let [Some(a), Some(b)] = ends.map(|v| self.positions.get(v as usize)) {
                    *most = most.max((*a - *b).length_squared() * inverse);
                }
            }
        }
        let (hidden, deepest_m) = self.occluder.look(&self.world, LEAST_DEPTH_M);
        self.occlusion.hidden = self.occlusion.hidden.max(hidden);
        self.occlusion.deepest_mm = self.occlusion.deepest_mm.max(deepest_m * 1e3);
        let (through, deepest_m) = self.cloth.look(&self.world, LEAST_DEPTH_M);
        self.skirt.through = self.skirt.through.max(through);
        self.skirt.deepest_mm = self.skirt.deepest_mm.max(deepest_m * 1e3);
        self.look_at_links(performer, secs, total);
    }

    fn look_at_links(&mut self, performer: &Performer, secs: f64, total: f64) {
        let motion = performer.motion();
        let springs = performer.springs();
        let clip_step = motion.clock().moment(performer.clip_secs()).n;
        let colliders = motion.colliders_at(clip_step);
        let mut tips = Vec::with_capacity(self.strands.len());
        for &s in &self.strands {
            let Some(driven) = motion.driven().get(s) else { continue };
            let Some(anchor) = springs.anchor(s) else { continue };
            let strand = self.rigged.chains.get(driven.chain).and_then(|c| c.hair.as_ref());
            let meets =
                |at: usize| strand.is_some_and(|s| s.colliders.iter().any(|i| i.index() == at));
            let (mut from, mut rest) = (anchor.head, Vec3::ZERO);
            for (i, link) in driven.topology.links.iter().enumerate() {
                let end = springs.link(s, i).end;
                let length = link.length_m * anchor.scale;
                self.length_error =
                    self.length_error.max((end.distance(from) / length - 1.0).abs());
                rest += link.authored * length;
                for &at in self.torso_colliders.iter().filter(|&&at| meets(at)) {
                    let Some(c) = colliders.get(at) else { continue };
                    let depth = c.radius_m - closest::distance_of_segments(from, end, c.a, c.b);
                    if depth > 1e-4 {
                        self.torso.links_inside += 1;
                        self.torso.deepest_mm = self.torso.deepest_mm.max(depth * 1e3);
                    }
                }
                from = end;
            }
            tips.push(from);
            if secs <= LAG_SECS {
                let off = springs.in_anchor(s, from).distance(rest);
                self.lag_sum += f64::from(off) * f64::from(off);
                self.lag_count += 1;
            }
        }
        if secs > total - SETTLE_SECS {
            for (a, b) in tips.iter().zip(&self.tips) {
                self.settle_m = self.settle_m.max(a.distance(*b));
            }
        }
        self.tips = tips;
    }

    fn result(mut self, performer: &Performer) -> HairMeasurement {
        let percent = |square: f32| 100.0 * (square.sqrt() - 1.0);
        let worst = self.largest.iter().copied().fold(1.0_f32, f32::max);
        let chains = || {
            let driven = performer.motion().driven();
            self.strands.iter().filter_map(|&s| self.rigged.chains.get(driven.get(s)?.chain))
        };
        let solver = chains().find_map(|c| c.hair.as_ref()).map(|s| s.settings.solver);
        let names: Vec<String> = chains().map(|c| c.name.clone()).collect();
        let lag = (self.lag_sum / f64::from(self.lag_count.max(1))).sqrt();
        HairMeasurement {
            solver: solver.unwrap_or_default(),
            edges: self.largest.len(),
            p99_percent: match self.largest.is_empty() {
                true => 0.0,
                false => percent(stats::percentile(&mut self.largest, 0.99)),
            },
            worst_percent: percent(worst),
            settle_mm: self.settle_m * 1e3,
            lag_mm: lag as f32 * 1e3,
            length_error: self.length_error,
            occlusion: self.occlusion,
            torso: self.torso,
            skirt: self.skirt,
            chains: self.strands.len(),
            names,
            frames: self.frames,
            fingerprint: fingerprint(performer),
        }
    }
}

/// FNV-1a over the bits of all link ends and velocities.
fn fingerprint(performer: &Performer) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for state in performer.springs().state() {
        for link in &state.links {
            for x in link.end.to_array().into_iter().chain(link.velocity.to_array()) {
                for byte in x.to_bits().to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
                }
            }
        }
    }
    format!("{hash:016x}")
}
