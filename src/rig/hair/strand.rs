//! The strand fitter: a path along picked skin, joints on it, weights between them.
//!
//! Based on: spec 4.1. Path and joints are those of tails (see `centre_line`); root, fixed zone and weights are ours.

use std::collections::BTreeMap;

use glam::Vec3;

use super::StrandPlan;
use super::root::root_ring;
use crate::detect::Detection;
use crate::geometry::Patch;
use crate::math::handover;
use crate::math::stats::{median, percentile};
use crate::model::{Character, NodeIndex, Role, SurfaceVertex};
use crate::rig::centre_line::{Sample, centre_line};
use crate::rig::joints::usable_attachment;
use crate::rig::measured::Measured;
use crate::rig::weights::NodeWeights;

/// Share of a strand's length at its root that stays with the attachment.
const FIXED_SHARE: f32 = 0.05;

/// What a fit would do: shown before anything changes.
#[derive(Clone, Debug, PartialEq)]
pub struct StrandPath {
    /// The joint it hangs from.
    pub attachment: NodeIndex,
    /// Middle of the root ring, bind space.
    pub root: Vec3,
    /// Joints, then the end, `[K + 1]`, bind space, metres.
    pub places: Vec<Vec3>,
    /// Length along the skin from the root ring, metres.
    pub length_m: f32,
    /// How far from the root the skin stays with the attachment, metres.
    pub fixed_m: f32,
    /// Half the thickness at the end of each link, `[K]`, metres.
    pub radii_m: Vec<f32>,
    /// Welded vertices with their distance from the root, sorted.
    pub along_m: Vec<(u32, f32)>,
}

impl StrandPath {
    /// Number of joints.
    pub fn n_joints(&self) -> usize {
        self.places.len().saturating_sub(1)
    }

    /// Where the first joint stands along the strand, and the length of a segment.
    fn layout(&self) -> (f32, f32) {
        layout(self.length_m, self.fixed_m, self.n_joints())
    }
}

/// The first joint stands a segment past the fixed zone: its skin takes over from there on, evenly.
fn layout(length_m: f32, fixed_m: f32, k: usize) -> (f32, f32) {
    let segment = (length_m - fixed_m) / (k as f32 + 1.0);
    (fixed_m + segment, segment)
}

/// Number of joints of a strand: one for each sixteenth of the height, 3 to 16; six for a ponytail of 0.6 m.
fn joint_count(length_m: f32, height_m: f32) -> usize {
    let segment_m = height_m / 16.0;
    if segment_m <= 0.0 || !length_m.is_finite() {
        return 6;
    }
    ((length_m / segment_m).round() as usize).clamp(3, 16)
}

/// The path of a picked strand, from its end on the head along the connected skin. Nothing is changed.
///
/// `None` where the strand has no skin or nothing to hang from. Cost: O(P log P) in its vertices.
pub fn propose_strand(
    character: &Character,
    detection: &Detection,
    plan: &StrandPlan,
) -> Option<StrandPath> {
    let topology = &detection.topology;
    let known: Vec<SurfaceVertex> = plan
        .vertices
        .iter()
        .copied()
        .filter(|v| v.index() < detection.surface.n_vertices())
        .collect();
    let own = topology.welded_vertices(&known);
    if own.is_empty() {
        return None;
    }
    let roles = [Role::Head, Role::Neck, Role::UpperChest, Role::Chest, Role::Hips];
    let wanted = plan
        .attachment
        .or_else(|| roles.into_iter().find_map(|r| detection.humanoid.node(r)))
        .or_else(|| (!character.skeleton.is_empty()).then_some(NodeIndex(0)))?;
    let attachment = usable_attachment(&character.skeleton, &detection.bind, wanted)?;
    let patch = Patch::new(&topology.graph, own);
    let is_known = |v: &SurfaceVertex| v.index() < detection.surface.n_vertices();
    let stated = plan.root.filter(is_known).and_then(|v| patch.local(topology.welded(v)));
    let ring = root_ring(character, detection, &patch, attachment, stated);
    let root = mean(ring.iter().map(|&v| patch.graph.positions[v as usize]))?;
    let measured = Measured::from_ring(patch, ring);
    let length_m = measured.length_m.max(1e-6);
    let fixed_m = FIXED_SHARE * length_m;
    let k = match plan.joints {
        Some(k) => k.clamp(1, 64) as usize,
        None => joint_count(length_m, detection.body.height_m),
    };
    let (start, segment) = layout(length_m, fixed_m, k);
    // The chain's own coordinate begins at its first joint.
    let mut samples: Vec<Sample> = measured.samples(|_| 1.0);
    let first = section_middle(&samples, start, 0.25 * segment).unwrap_or(root);
    for sample in &mut samples {
        sample.along_m -= start;
    }
    let ahead: Vec<Sample> =
        samples.iter().copied().filter(|s| s.along_m > -0.5 * segment).collect();
    let places = centre_line(&ahead, first, length_m - start, k);
    if places.iter().any(|p| !p.is_finite()) {
        return None;
    }
    let radii_m = radii(&ahead, &places, segment);
    let welded = measured.patch.welded.iter().copied();
    let along_m = welded.zip(measured.along_m.iter().copied()).collect();
    Some(StrandPath { attachment, root, places, length_m, fixed_m, radii_m, along_m })
}

fn mean(points: impl Iterator<Item = Vec3>) -> Option<Vec3> {
    let (sum, n) = points.fold((Vec3::ZERO, 0), |(sum, n), p| (sum + p, n + 1));
    (n > 0).then(|| sum / n as f32)
}

/// Area-weighted middle of the skin about `at` along the strand.
fn section_middle(samples: &[Sample], at: f32, half: f32) -> Option<Vec3> {
    let within = samples.iter().filter(|s| (s.along_m - at).abs() <= half);
    let (sum, area) =
        within.fold((Vec3::ZERO, 0.0), |(p, a), s| (p + s.position * s.area, a + s.area));
    (area > 0.0).then(|| sum / area)
}

/// Median distance of the skin about each link's end from the link's line.
fn radii(samples: &[Sample], places: &[Vec3], segment: f32) -> Vec<f32> {
    let mut radii = Vec::with_capacity(places.len().saturating_sub(1));
    for (i, pair) in places.windows(2).enumerate() {
        let end = (i + 1) as f32 * segment;
        let mut distances: Vec<f32> = samples
            .iter()
            .filter(|s| (s.along_m - end).abs() <= 0.5 * segment)
            .map(|s| crate::math::closest::distance_to_line(s.position, pair[0], pair[1]))
            .collect();
        radii.push(median(&mut distances));
    }
    radii
}

/// Weights at `along_m` of a strand: each joint takes over from the one before within a segment on either side of where
/// it stands, by a step without a kink (see [`handover`]).
fn strand_weights(
    along_m: f32,
    (start, segment): (f32, f32),
    attachment: NodeIndex,
    joints: &[NodeIndex],
) -> NodeWeights {
    // A NaN, like everything before the zone, stays with the attachment.
    let p = if segment > 0.0 { (along_m - start) / segment } else { -1.0 };
    handover(p, attachment, joints)
}

/// Weights of a fitted strand by welded vertex.
pub(in crate::rig) fn fitted_weights(
    path: &StrandPath,
    joints: &[NodeIndex],
) -> BTreeMap<u32, NodeWeights> {
    let layout = path.layout();
    let row = |g: f32| strand_weights(g, layout, path.attachment, joints);
    path.along_m.iter().map(|&(welded, g)| (welded, row(g))).collect()
}

/// Parts `vertices` of one mesh among strands: every vertex goes to the root that is nearest along the skin, ties to
/// the first. `roots` are vertices of the mesh; the result is one list for each. Cost: O(roots × P log P).
pub fn territories(
    detection: &Detection,
    vertices: &[SurfaceVertex],
    roots: &[SurfaceVertex],
) -> Vec<Vec<SurfaceVertex>> {
    let topology = &detection.topology;
    let patch = Patch::new(&topology.graph, topology.welded_vertices(vertices));
    let fields: Vec<Option<Vec<f32>>> = roots
        .iter()
        .map(|&r| Some(patch.distances_from(&[patch.local(topology.welded(r))?])))
        .collect();
    let mut parts = vec![Vec::new(); roots.len()];
    for &vertex in vertices {
        let Some(local) = patch.local(topology.welded(vertex)) else { continue };
        let at = |f: &Option<Vec<f32>>| f.as_ref().map_or(f32::INFINITY, |f| f[local as usize]);
        let nearest = (0..fields.len())
            .min_by(|&a, &b| at(&fields[a]).total_cmp(&at(&fields[b])).then(a.cmp(&b)));
        if let Some(part) = nearest.and_then(|n| parts.get_mut(n)) {
            part.push(vertex);
        }
    }
    parts
}

impl Measured {
    /// A strand measured from the ring it begins with, places in `patch`.
    fn from_ring(patch: Patch, ring: Vec<u32>) -> Self {
        let along_m: Vec<f32> = patch
            .distances_from(&ring)
            .into_iter()
            .map(|g| if g.is_finite() { g } else { 0.0 })
            .collect();
        let areas = patch.graph.vertex_areas().into_iter().map(|a| a.max(1e-19)).collect();
        let length_m = percentile(&mut along_m.clone(), 0.99);
        Self { patch, along_m, areas, collar: ring, length_m }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_pass_from_joint_to_joint_without_a_kink_and_the_fixed_zone_is_fixed() {
        let joints = [NodeIndex(1), NodeIndex(2), NodeIndex(3)];
        let layout = layout(1.25, 0.25, 3);
        assert_eq!(layout, (0.5, 0.25));
        let at = |g: f32| strand_weights(g, layout, NodeIndex(0), &joints);
        assert_eq!(at(0.0), [(NodeIndex(0), 1.0)]);
        assert_eq!(at(0.25), [(NodeIndex(0), 1.0)], "the end of the fixed zone");
        assert_eq!(at(0.5), [(NodeIndex(0), 0.5), (NodeIndex(1), 0.5)], "at the first joint");
        let between = at(0.625);
        let wanted = [(NodeIndex(0), 0.125), (NodeIndex(1), 0.75), (NodeIndex(2), 0.125)];
        assert_eq!(between, wanted, "half-way to the second");
        assert_eq!(at(0.75), [(NodeIndex(1), 0.5), (NodeIndex(2), 0.5)]);
        assert_eq!(at(1.25), [(NodeIndex(3), 1.0)]);
        assert_eq!(at(f32::NAN), [(NodeIndex(0), 1.0)]);
        assert_eq!(strand_weights(0.5, layout, NodeIndex(0), &[]), [(NodeIndex(0), 1.0)]);
    }

    #[test]
    fn a_ponytail_of_half_a_metre_has_six_joints() {
        assert_eq!(joint_count(0.6, 1.65), 6);
        assert_eq!(joint_count(0.02, 1.65), 3);
        assert_eq!(joint_count(5.0, 1.65), 16);
        assert_eq!(joint_count(f32::NAN, 1.65), 6);
    }
}
