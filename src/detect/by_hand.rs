//! Regions made by hand: from a selection, from a tip, between two picked places; and the pieces they may be cut into.
//!
//! Everything here is a question to a finished [`Detection`]; nothing changes it. What comes back is judged as
//! detection judges its own finds, so that the inspector can show the same numbers.

use super::from_tip;
use super::regions;
use super::scene::Scene;
use super::{DetectSettings, Detection};
use crate::geometry::{PointGrid, distances_along};
use crate::model::{Character, Region, RegionId, SurfaceVertex};

/// The region that a set of skin chosen by hand is: the scores, kind and verdict that detection would have given it.
///
/// `None` where there is no joint to hang from. Its id is the next free one. Cost: as one region of
/// [`detect`](super::detect).
pub fn region_from_vertices(
    character: &Character,
    detection: &Detection,
    settings: &DetectSettings,
    vertices: &[SurfaceVertex],
) -> Option<Region> {
    let (first, last) = (vertices.iter().min()?, vertices.iter().max()?);
    if last.index() >= detection.surface.n_vertices() || first > last {
        return None;
    }
    with_scene(character, detection, settings, |scene| regions::from_vertices(scene, vertices))
}

/// The appendage that ends at `tip`: a shell of its own as a whole; welded skin from the tip towards the body up to the
/// neck.
///
/// `tip` may be any vertex near the end. `None` where no neck is met within 0.8 of the height (the caller asks for a
/// root then, see [`region_between`]), or where the vertex belongs to no visible skin.
/// Cost: O(n log n) in the skin within that distance.
pub fn region_from_tip(
    character: &Character,
    detection: &Detection,
    settings: &DetectSettings,
    tip: SurfaceVertex,
) -> Option<Region> {
    let tip = visible(detection, tip)?;
    with_scene(character, detection, settings, |scene| {
        regions::from_completed(scene, from_tip::from_tip(scene, tip)?)
    })
}

/// The appendage from `root` to `tip`: the skin that is nearer to the tip than the root is, along the skin.
///
/// `None` where the two do not lie in one connected piece, or are one place. Cost: O(n log n) in that piece.
pub fn region_between(
    character: &Character,
    detection: &Detection,
    settings: &DetectSettings,
    root: SurfaceVertex,
    tip: SurfaceVertex,
) -> Option<Region> {
    let (root, tip) = (visible(detection, root)?, visible(detection, tip)?);
    with_scene(character, detection, settings, |scene| {
        regions::from_completed(scene, from_tip::between(scene, root, tip)?)
    })
}

/// Cuts a region where the distance from its collar along the skin reaches `level_m`: the root's part, the tip's part.
///
/// Either may be empty. Copies of a split vertex stay together. Cost: O(n log n) in the region.
pub fn cut_at(detection: &Detection, region: &Region, level_m: f32) -> [Vec<SurfaceVertex>; 2] {
    let g = distances_along(&detection.topology, &region.vertices, &region.collar);
    let part = |is_far: bool| {
        let pairs = region.vertices.iter().zip(&g);
        pairs.filter(|(_, g)| (**g >= level_m) == is_far).map(|(&v, _)| v).collect()
    };
    [part(false), part(true)]
}

/// The distance of `vertex` from a region's collar along its skin, in metres: where a cut through it lies.
///
/// `None` for a vertex that is not the region's.
pub fn level_of(detection: &Detection, region: &Region, vertex: SurfaceVertex) -> Option<f32> {
    let at = region.vertices.binary_search(&vertex).ok()?;
    distances_along(&detection.topology, &region.vertices, &region.collar).get(at).copied()
}

/// Farthest that a vertex may lie from the mirror image of another to stand for it, as a share of the height.
const MIRROR_REACH: f32 = 0.02;

/// The selection on the other side: all skin whose own mirror image, over the sagittal plane, lies nearest to skin of
/// `vertices`; sorted.
///
/// Asking from the other side leaves no holes where it is cut finer. Skin whose mirror image lies on no skin at all (a
/// prop worn on one side) has no partner. Cost: O(V) with a grid.
pub fn mirrored(detection: &Detection, vertices: &[SurfaceVertex]) -> Vec<SurfaceVertex> {
    let topology = &detection.topology;
    let chosen = topology.welded_vertices(vertices);
    let positions = &topology.graph.positions;
    let reach = MIRROR_REACH * detection.body.height_m;
    if chosen.is_empty() || reach <= 0.0 {
        return Vec::new();
    }
    let is_skin = |v: u32| !topology.graph.sides_at(v).is_empty();
    let all = || (0..positions.len() as u32).filter(|&v| is_skin(v));
    let grid = PointGrid::new(all().map(|v| (v, positions[v as usize])), reach);
    let is_chosen = |v: u32| chosen.binary_search(&v).is_ok();
    let found: Vec<u32> = all()
        .filter(|&v| {
            let image = detection.mirrored_point(positions[v as usize]);
            grid.nearest_within(image, reach, |_| true).is_some_and(|(u, _)| is_chosen(u))
        })
        .collect();
    topology.surface_vertices(&found)
}

/// The region to look at next: the one whose verdict is nearest to flipping, of those that come after `after` in that
/// order; from the start again after the last. Regions whose verdict no number decides (margin 1) come last.
pub fn next_doubtful(detection: &Detection, after: Option<RegionId>) -> Option<RegionId> {
    let mut order: Vec<&Region> = detection.regions.iter().filter(|r| r.made.is_none()).collect();
    order.sort_by(|a, b| a.scores.margin.total_cmp(&b.scores.margin).then(a.id.cmp(&b.id)));
    let at = after.and_then(|id| order.iter().position(|r| r.id == id));
    let next = at.map_or(0, |i| i + 1);
    order.get(next).or(order.first()).map(|r| r.id)
}

/// The welded vertex of a vertex of visible skin.
fn visible(detection: &Detection, vertex: SurfaceVertex) -> Option<u32> {
    if vertex.index() >= detection.surface.n_vertices() {
        return None;
    }
    let welded = detection.topology.welded(vertex);
    (!detection.topology.graph.sides_at(welded).is_empty()).then_some(welded)
}

/// What `ask` finds on the scene of a detection; numbered with the next free id.
fn with_scene(
    character: &Character,
    detection: &Detection,
    settings: &DetectSettings,
    ask: impl FnOnce(&Scene) -> Option<Region>,
) -> Option<Region> {
    if detection.segments.segments.is_empty() {
        return None;
    }
    let field = detection.segments.distances(&detection.topology.graph.positions);
    let scene = detection.scene(character, &detection.topology, &field, settings);
    let id = RegionId::from_index(detection.regions.len());
    ask(&scene).map(|region| Region { id, ..region })
}
