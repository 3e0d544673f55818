//! Regions made by hand: how they are decided, and how they take their place among those that detection found.
//!
//! A made region is pinned. It names its skin as every decision does (see `region_ref`), so that it stays where it is
//! when thresholds change, and finds its place again by overlap in space when the file was exported anew. Where it finds
//! none it is kept, has no effect, and a [`Notice`] says so.
//!
//! ```text
//!   found 0 tail ─┬─ split ─▶ made 0, made 1   (replace 0)
//!   found 1 strap │
//!                 └─ regions of the document: 1 strap, made 0, made 1, numbered anew
//! ```

use std::sync::Arc;

use super::edits::{CharacterEdits, MadeRegion, RegionRef};
use super::resolve::Notice;
use crate::detect::{Detection, region_from_vertices};
use crate::model::{Character, Region, RegionId, SurfaceVertex};

/// `edits` with a region of `vertices` made by hand in place of `replaced` (of `detection`; none for a new one).
///
/// This one function is all that hands do to regions: a selection made a region replaces nothing; a brush stroke
/// replaces a region by itself with other vertices; a merge replaces several by one ([`merge_regions`]), a split one by
/// several ([`split_region`]). A made region that is replaced is given up, and what it stood for passes on.
/// Without vertices the edits come back unchanged. Cost: O(n log n) in the vertices.
pub fn make_region(
    edits: CharacterEdits,
    character: &Character,
    detection: &Detection,
    vertices: &[SurfaceVertex],
    replaced: &[RegionId],
) -> CharacterEdits {
    replace(edits, character, detection, replaced, &[vertices.to_vec()])
}

/// `edits` with a region cut into `parts`, each a region of its own; empty parts are none.
pub fn split_region(
    edits: CharacterEdits,
    character: &Character,
    detection: &Detection,
    region: RegionId,
    parts: &[Vec<SurfaceVertex>],
) -> CharacterEdits {
    replace(edits, character, detection, &[region], parts)
}

/// `edits` with all of `regions` made one.
pub fn merge_regions(
    edits: CharacterEdits,
    character: &Character,
    detection: &Detection,
    regions: &[RegionId],
) -> CharacterEdits {
    let all = detection.regions.iter().filter(|r| regions.contains(&r.id));
    let vertices: Vec<SurfaceVertex> = all.flat_map(|r| r.vertices.iter().copied()).collect();
    replace(edits, character, detection, regions, &[vertices])
}

/// `edits` without a region made by hand; what it stood for is found again. A region that detection found stays.
pub fn unmake_region(
    mut edits: CharacterEdits,
    detection: &Detection,
    region: RegionId,
) -> CharacterEdits {
    let made = detection.regions.iter().find(|r| r.id == region).and_then(|r| r.made);
    if let Some(at) = made.map(|i| i as usize).filter(|&i| i < edits.made.len()) {
        edits.made.remove(at);
    }
    edits
}

fn replace(
    mut edits: CharacterEdits,
    character: &Character,
    detection: &Detection,
    replaced: &[RegionId],
    parts: &[Vec<SurfaceVertex>],
) -> CharacterEdits {
    let parts: Vec<Vec<SurfaceVertex>> =
        parts.iter().map(|p| normalized(p, detection)).filter(|p| !p.is_empty()).collect();
    if parts.is_empty() {
        return edits;
    }
    let old: Vec<&Region> = detection.regions.iter().filter(|r| replaced.contains(&r.id)).collect();
    let mut replaces: Vec<RegionRef> = Vec::new();
    for region in &old {
        match region.made.and_then(|i| edits.made.get(i as usize)) {
            Some(made) => replaces.extend(made.replaces.iter().cloned()),
            None => replaces.push(RegionRef::of(character, detection, region)),
        }
    }
    let gone = |i: usize| old.iter().any(|r| r.made == Some(i as u32));
    let kept = edits.made.into_iter().enumerate().filter(|(i, _)| !gone(*i)).map(|(_, m)| m);
    edits.made = kept.collect();
    for vertices in parts {
        // Kind and number are only for reading; what counts is the skin.
        let like = old.first().map(|r| (r.kind, r.id));
        let id = like.map_or(detection.regions.len() as u32, |(_, id)| id.0);
        let region = RegionRef { id, ..RegionRef::of_skin(character, detection, &vertices) };
        let region = RegionRef { kind: like.map(|(kind, _)| kind), ..region };
        edits.made.push(MadeRegion { region, replaces: replaces.clone() });
    }
    edits
}

/// Sorted, each once, all copies of split vertices, and only what this surface has.
fn normalized(vertices: &[SurfaceVertex], detection: &Detection) -> Vec<SurfaceVertex> {
    let n = detection.surface.n_vertices();
    let known: Vec<SurfaceVertex> = vertices.iter().copied().filter(|v| v.index() < n).collect();
    let topology = &detection.topology;
    topology.surface_vertices(&topology.welded_vertices(&known))
}

/// What detection found, with the regions made by hand in their places; and those that find none.
///
/// Found regions that are replaced are left out. The others keep what no made region holds, and go where that is less
/// than half of them. All are numbered anew: the found ones as before, then the made ones.
pub(super) fn with_made(
    found: &Arc<Detection>,
    edits: &CharacterEdits,
    character: &Character,
) -> (Arc<Detection>, Vec<Notice>) {
    if edits.made.is_empty() {
        return (found.clone(), Vec::new());
    }
    let mut notices = Vec::new();
    let mut owner: Vec<Option<u32>> = vec![None; found.surface.n_vertices()];
    let mut replaced: Vec<RegionId> = Vec::new();
    for (i, made) in (0..).zip(&edits.made) {
        match made.region.skin(character, found) {
            Some(skin) => {
                for v in skin {
                    owner[v.index()] = Some(i);
                }
                replaced.extend(made.replaces.iter().filter_map(|r| r.find(character, found)));
            }
            None => notices.push(Notice::MadeRegionLost { region: made.region.clone() }),
        }
    }
    let mut regions = Vec::new();
    for region in found.regions.iter().filter(|r| !replaced.contains(&r.id)) {
        let is_free = |v: &SurfaceVertex| owner[v.index()].is_none();
        let left: Vec<SurfaceVertex> = region.vertices.iter().copied().filter(is_free).collect();
        if 2 * left.len() < region.vertices.len() {
            continue;
        }
        let far = region.far.iter().copied().filter(is_free).collect();
        regions.push(Region { vertices: left, far, ..region.clone() });
    }
    for (i, made) in (0..).zip(&edits.made) {
        let own = (0..owner.len() as u32).filter(|&v| owner[v as usize] == Some(i));
        let own: Vec<SurfaceVertex> = own.map(SurfaceVertex).collect();
        match region_from_vertices(character, found, &edits.detect, &own) {
            Some(region) => regions.push(Region { made: Some(i), ..region }),
            // One that a later one has taken whole is lost to it, not to the file.
            None if own.is_empty() => {}
            None => notices.push(Notice::MadeRegionLost { region: made.region.clone() }),
        }
    }
    let old: Vec<RegionId> = regions.iter().map(|r| r.id).collect();
    for (n, region) in regions.iter_mut().enumerate() {
        region.id = RegionId::from_index(n);
        let partner = region.mirrored.filter(|_| region.made.is_none());
        region.mirrored =
            partner.and_then(|p| old.iter().position(|&id| id == p)).map(RegionId::from_index);
    }
    let detection = Detection { regions, ..Detection::clone(found) };
    (Arc::new(detection), notices)
}
