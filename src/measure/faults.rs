//! What is worst in one clip and when: stretch of the regions' skin, how deep appendages go into floor and body, feet
//! that slide, the seam.
//!
//! Based on: issue 4 (sweep), spec 8 (2.6: when a foot is planted).

use std::sync::Arc;

use glam::Vec3;
use serde::Serialize;

use super::depths::Depths;
use super::edges::Edges;
use super::histogram::Ratios;
use super::run::sample_times;
use super::skinning::Skinner;
use crate::model::{BodyMeasures, Clip, Pose, Region, RegionKind, Rigged, Role, WorldPose};
use crate::perform::{BodyMotion, SettledPass, TracksOnChains};
use crate::work::{Stopped, Work};

/// A largest value and when it occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Worst {
    /// In its measure's unit; 0 where there is nothing to measure.
    pub value: f32,
    /// Seconds into the clip.
    pub at_secs: f64,
}

impl Worst {
    fn take(&mut self, value: f32, at_secs: f64) {
        if value > self.value {
            *self = Self { value, at_secs };
        }
    }
}

/// The faults of one clip on one character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ClipFaults {
    /// Largest ratio of an edge's length to that in the bind pose, edges of regions and their borders.
    pub stretch: Worst,
    /// 99th percentile of those ratios over all samples.
    pub stretch_p99: f32,
    /// Share of them that are torn: longer than 1.5 or shorter than 0.67 times the bind length; percent.
    pub torn_percent: f32,
    /// How deep an appendage on a chain goes, metres: its skin below the floor, or its links into legs and torso.
    pub penetration_m: Worst,
    /// Fastest planted foot, metres a second.
    pub foot_slide_m_per_sec: Worst,
    /// Largest difference of a joint between the settled pass's end and start, degrees.
    pub seam_deg: f32,
    /// Whether the seam is within the tolerance; true for one-shots.
    pub closed: bool,
}

/// What stays the same for all clips of a character.
#[derive(Debug)]
pub struct FaultFinder {
    rigged: Arc<Rigged>,
    edges: Edges,
    skinner: Skinner,
    depths: Depths,
}

/// Seconds between the samples for feet and chains.
const STEP_SECS: f64 = 1.0 / 30.0;

/// Shares of the body's height: how high a planted foot is at most, how fast in a second.
const PLANTED: (f32, f32) = (0.04, 0.15);

/// Samples in a row for which a foot must be planted: 80 ms.
const PLANTED_SAMPLES: usize = 3;

impl FaultFinder {
    /// Of a rigged character and the regions its rigging was made of.
    pub fn new(rigged: &Arc<Rigged>, regions: &[Region]) -> Self {
        let regions = regions.iter().filter(|r| r.kind != RegionKind::Body);
        let lists: Vec<_> = regions.map(|r| r.vertices.as_slice()).collect();
        let height = rigged.body.height_m;
        let edges = Edges::of(&rigged.character, &rigged.bind, height, &lists).of_regions();
        let skinner = Skinner::new(&rigged.character, &edges.vertices);
        let depths = Depths::of(rigged);
        Self { rigged: Arc::clone(rigged), edges, skinner, depths }
    }

    /// The faults of a clip, skin measured at `n_samples` times. Cost: one settled pass and O(samples × V).
    ///
    /// # Errors
    /// [`Stopped`] when cancelled.
    pub fn faults(
        &self,
        clip: &Clip,
        n_samples: usize,
        work: &Work,
    ) -> Result<ClipFaults, Stopped> {
        let tracks = TracksOnChains::default();
        let motion = BodyMotion::new(Arc::clone(&self.rigged), Some(clip), tracks);
        let pass = SettledPass::run(&motion, work)?;
        let mut faults = ClipFaults {
            seam_deg: if clip.looping { pass.seam.angle_rad.to_degrees() } else { 0.0 },
            closed: !clip.looping || pass.is_closed,
            ..ClipFaults::default()
        };
        let mut worlds = Poser::new(&motion, &pass);
        let mut all = Ratios::default();
        for secs in sample_times(clip.duration_secs, clip.looping, n_samples) {
            work.tick("sweep", 0, 0)?;
            faults.stretch.take(self.stretch(worlds.at(secs), &mut all), secs);
        }
        let summary = all.summary();
        (faults.stretch_p99, faults.torn_percent) = (summary.p99, summary.torn_percent);
        let mut feet = self.feet();
        let mut room = Vec::new();
        let n = (clip.duration_secs / STEP_SECS).round().max(1.0) as usize;
        for k in 0..=n {
            let secs = (k as f64 * STEP_SECS).min(clip.duration_secs);
            let world = worlds.at(secs);
            faults.penetration_m.take(self.depths.at(world, &mut room), secs);
            for foot in &mut feet {
                faults.foot_slide_m_per_sec.take(foot.slide(world, &self.rigged.body), secs);
            }
        }
        Ok(faults)
    }

    /// The largest ratio at one time; all of them are added to `all`.
    fn stretch(&self, world: &WorldPose, all: &mut Ratios) -> f32 {
        if self.skinner.is_empty() {
            return 0.0;
        }
        let mut positions = Vec::new();
        self.skinner.skin(world, Vec3::ZERO, &mut positions);
        let mut ratios = Ratios::default();
        for set in self.edges.inner.iter().chain(&self.edges.border) {
            set.add_to(&positions, &mut ratios);
        }
        all.merge(&ratios);
        ratios.summary().max
    }

    fn feet(&self) -> Vec<Foot> {
        let ends = [(Role::LeftFoot, Role::LeftToes), (Role::RightFoot, Role::RightToes)];
        let node = |role| self.rigged.humanoid.node(role);
        let feet = ends.into_iter().filter_map(|(ankle, toes)| {
            let joints: Vec<_> = [node(ankle)?].into_iter().chain(node(toes)).collect();
            // How high they stand in the bind pose.
            let rest = joints.iter().map(|&j| self.rigged.bind.world.matrix(j).translation.y);
            let rest = rest.map(|y| y - self.rigged.body.floor_m).collect();
            Some(Foot { joints, rest, before: Vec::new(), planted: 0 })
        });
        feet.collect()
    }
}

/// A foot that is followed through a clip.
struct Foot {
    joints: Vec<crate::model::NodeIndex>,
    rest: Vec<f32>,
    before: Vec<Vec3>,
    planted: usize,
}

impl Foot {
    /// Its speed where it is planted, else 0: the slower of ankle and ball, which is the one it stands on.
    fn slide(&mut self, world: &WorldPose, body: &BodyMeasures) -> f32 {
        let now: Vec<Vec3> =
            self.joints.iter().map(|&j| world.matrix(j).translation.into()).collect();
        let is_low = now
            .iter()
            .zip(&self.rest)
            .all(|(p, rest)| p.y - body.floor_m - rest < PLANTED.0 * body.height_m);
        let speeds = now.iter().zip(&self.before).map(|(a, b)| (*a - *b).length());
        let speed = speeds.fold(f32::MAX, f32::min) / STEP_SECS as f32;
        let is_planted = is_low && !self.before.is_empty() && speed < PLANTED.1 * body.height_m;
        self.planted = if is_planted { self.planted + 1 } else { 0 };
        self.before = now;
        if self.planted >= PLANTED_SAMPLES { speed } else { 0.0 }
    }
}

/// World poses of a settled pass, in room that is used again.
struct Poser<'a> {
    motion: &'a BodyMotion,
    pass: &'a SettledPass,
    rotations: Vec<glam::Quat>,
    pose: Pose,
    world: WorldPose,
}

impl<'a> Poser<'a> {
    fn new(motion: &'a BodyMotion, pass: &'a SettledPass) -> Self {
        let (rotations, pose, world) = (Vec::new(), Pose::default(), WorldPose::default());
        Self { motion, pass, rotations, pose, world }
    }

    fn at(&mut self, secs: f64) -> &WorldPose {
        self.pass.pose_at(self.motion, secs, &mut self.rotations, &mut self.pose);
        let character = &self.motion.rigged().character;
        self.pose.to_world(&character.skeleton, &character.root_matrix(), &mut self.world);
        &self.world
    }
}
