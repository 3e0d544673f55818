//! Floor 3: what is this? Humanoid roles, distance to the skeleton, appendages and the reasons for their verdicts.
//!
//! May use floors 0 to 2, but not `io`. Architecture invariant: never changes its input.
//!
//! ```text
//!   roles → segments → distance of all skin → merge tree → candidates
//!        candidate: test 1 on the far part → completed to its root → measured → merged → judged
//! ```

mod body;
mod by_hand;
mod complete;
mod existing;
mod far_part;
mod from_tip;
mod measures;
mod merge_tree;
mod nearest_segment;
mod regions;
pub mod roles;
mod scene;
mod settings;
mod shell;
mod skeleton_distance;
mod verdict;

use std::time::Instant;

use glam::Vec3;
use rayon::prelude::*;

pub use body::body_frame;
pub use by_hand::{
    cut_at, level_of, mirrored, next_doubtful, region_between, region_from_tip,
    region_from_vertices,
};
pub use existing::ExistingChain;
pub use settings::DetectSettings;
pub use skeleton_distance::{DistanceField, Segment, SkeletonSegments};

use self::scene::Scene;
use crate::geometry::{Coarse, Surface, Topology, Weld};
use crate::model::{BindPose, BodyMeasures, Character, HumanoidMap, Region, Role};
use crate::work::{Stopped, Work};

/// How long the parts of a detection took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Roles, bind pose, surface.
    pub surface_secs: f64,
    /// Welding, and at the same time the skeleton's segments; then adjacency, and the distance of all skin to these.
    pub topology_secs: f64,
    /// The coarser copy of dense skin.
    pub coarse_secs: f64,
    /// Candidates, completion, verdicts.
    pub regions_secs: f64,
}

impl Timings {
    /// The whole, in seconds.
    pub fn total_secs(&self) -> f64 {
        self.surface_secs + self.topology_secs + self.coarse_secs + self.regions_secs
    }
}

/// What detection found out about a character, and all it worked out on the way.
#[derive(Clone, Debug, Default)]
pub struct Detection {
    /// Who is who.
    pub humanoid: HumanoidMap,
    /// The neutral pose.
    pub bind: BindPose,
    /// The skin in it.
    pub surface: Surface,
    /// The skin welded.
    pub topology: Topology,
    /// Frame, height, floor.
    pub body: BodyMeasures,
    /// The same as measured, whatever is stated: what decisions about places are kept in, so that none moves when the
    /// body is said to face elsewhere.
    pub frame: BodyMeasures,
    /// The middle between the thigh heads (else the hips, else the middle of all skin), bind space: what the body's
    /// sagittal plane runs through.
    pub thigh_middle: Vec3,
    /// Skeleton distance from which skin is far, in metres.
    pub far_threshold_m: f32,
    /// The bones that distances are measured to.
    pub segments: SkeletonSegments,
    /// `[V]`: distance of each surface vertex to the skeleton, in metres: that of its welded place.
    pub skeleton_distance: Vec<f32>,
    /// Every candidate, accepted or not, largest first.
    pub regions: Vec<Region>,
    /// Chains that the file has already.
    pub existing: Vec<ExistingChain>,
    /// Where the time went.
    pub timings: Timings,
}

/// Welded vertices up to which regions are looked for on the skin as it is. Denser skin tells nothing more of what an
/// appendage is.
const MOST_VERTICES: usize = 50_000;

/// Vertices, about, of the coarser copy that stands for denser skin: as many as a good game character has.
const COARSE_VERTICES: usize = 20_000;

/// Finds the appendages of `character`.
///
/// Poor input gives what can be found: without joints there are no distances and no regions, without a humanoid every
/// verdict is to leave.
///
/// # Errors
/// [`Stopped`] when `work` was cancelled.
///
/// Cost: O(V + T + V × bones) with small factors, two cores.
pub fn detect(
    character: &Character,
    settings: &DetectSettings,
    work: &Work,
) -> Result<Detection, Stopped> {
    // In the pool from here on: each hand-over from outside waits for one of its threads to wake.
    rayon::scope(|_| detect_in_pool(character, settings, work))
}

fn detect_in_pool(
    character: &Character,
    settings: &DetectSettings,
    work: &Work,
) -> Result<Detection, Stopped> {
    let mut detection = Detection::default();
    let mut clock = Clock(Instant::now());
    work.tick("detect", 0, 4)?;
    detection.humanoid = roles::humanoid(character);
    detection.bind = BindPose::of(character, detection.humanoid.node(Role::Hips));
    detection.surface = Surface::of(character, &detection.bind);
    detection.frame = body::measure(&detection.surface, &detection.bind, &detection.humanoid);
    detection.body = body::stated(detection.frame, character);
    detection.thigh_middle =
        scene::thigh_middle(&detection.humanoid, &detection.bind, &detection.surface);
    detection.far_threshold_m = settings.far_share * detection.body.height_m;
    detection.timings.surface_secs = clock.lap();
    work.tick("detect", 1, 4)?;
    let surface = &detection.surface;
    let tolerance = detection.frame.height_m * Topology::WELD_TOLERANCE;
    let (weld, segments) = rayon::join(
        || Weld::new(&surface.positions, tolerance),
        || SkeletonSegments::of(character, &detection.bind, &detection.humanoid),
    );
    let positions = weld.positions(surface);
    let (topology, field) =
        rayon::join(|| Topology::of_weld(surface, weld), || segments.distances(&positions));
    (detection.topology, detection.segments) = (topology, segments);
    detection.timings.topology_secs = clock.lap();
    work.tick("detect", 2, 4)?;
    let is_dense = detection.topology.graph.len() > MOST_VERTICES;
    let coarse = is_dense.then(|| Coarse::new(&detection.topology, COARSE_VERTICES));
    let coarse_field = coarse.as_ref().map(|coarse| field.at(&coarse.sites));
    let (seen, seen_field) = match (&coarse, &coarse_field) {
        (Some(coarse), Some(field)) => (&coarse.topology, field),
        _ => (&detection.topology, &field),
    };
    detection.timings.coarse_secs = clock.lap();
    work.tick("detect", 3, 4)?;
    let (bind, humanoid) = (&detection.bind, &detection.humanoid);
    let weighted = &detection.segments.is_weighted;
    let (found, existing) = rayon::join(
        || detection.found(character, seen, seen_field, settings, work),
        || existing::existing_chains(character, bind, humanoid, weighted),
    );
    (detection.regions, detection.existing) = (found?, existing);
    let welded = detection.topology.weld.welded_of.par_iter();
    detection.skeleton_distance = welded.map(|&w| field.distance[w as usize]).collect();
    let appendages = detection.regions.iter().filter(|r| regions::is_appendage(r));
    body::set_floor(
        &mut detection.body,
        &detection.topology,
        appendages.map(|r| r.vertices.as_slice()),
    );
    detection.frame.floor_m = detection.body.floor_m;
    detection.timings.regions_secs = clock.lap();
    Ok(detection)
}

impl Detection {
    /// A point over the sagittal plane, which runs between the thigh heads; bind space.
    pub fn mirrored_point(&self, p: Vec3) -> Vec3 {
        scene::mirrored(p, self.body.left(), self.thigh_middle)
    }

    /// All regions, none without bones or skin, as they show on `topology`: the character's, or a coarser copy. `field`
    /// is over its vertices.
    fn found(
        &self,
        character: &Character,
        topology: &Topology,
        field: &DistanceField,
        settings: &DetectSettings,
        work: &Work,
    ) -> Result<Vec<Region>, Stopped> {
        let has_body = !self.segments.segments.is_empty() && self.body.height_m > 0.0;
        if !has_body {
            return Ok(Vec::new());
        }
        regions::regions(&self.scene(character, topology, field, settings), work)
    }

    fn scene<'a>(
        &'a self,
        character: &'a Character,
        topology: &'a Topology,
        field: &'a DistanceField,
        settings: &'a DetectSettings,
    ) -> Scene<'a> {
        Scene::new(
            character,
            &self.bind,
            &self.humanoid,
            &self.surface,
            topology,
            (self.body, self.thigh_middle),
            &self.segments,
            field,
            settings,
        )
    }
}

struct Clock(Instant);

impl Clock {
    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let secs = now.duration_since(self.0).as_secs_f64();
        self.0 = now;
        secs
    }
}
