//! Regions named so that they are found again: by their vertices while the mesh is the same, by the space that they fill
//! when it is not.
//!
//! Space is counted in cells of a grid in body axes that is as fine as the body is tall, so that it means the same in
//! every unit, turn and tessellation of a file.

use glam::{IVec3, Quat, Vec3};

use super::edits::{MeshVertices, RegionRef};
use super::vertex_set::{decode_vertices, encode_vertices};
use crate::detect::Detection;
use crate::geometry::selection::{n_common, pieces_of};
use crate::model::{Character, InstanceIndex, Region, RegionId, SurfaceVertex};

/// Least share of what either has that both must have, for two regions to be one.
const LEAST_OVERLAP: f32 = 0.3;

/// Largest distance of two centroids, in heights of the body, for two regions to be one.
const LARGEST_DISTANCE: f32 = 0.1;

/// Cells along the height: 2 cm on a person.
const CELLS: f32 = 96.0;

/// The grid has this many cells to each side of the middle between the thighs.
const HALF: i32 = 512;

/// Most cells of a text that are believed.
const MOST_CELLS: usize = 1 << 20;

impl RegionRef {
    /// The reference to a region as it is now.
    pub fn of(character: &Character, detection: &Detection, region: &Region) -> Self {
        Self {
            id: region.id.0,
            kind: Some(region.kind),
            centroid: from_floor(detection, region.centroid),
            ..Self::of_skin(character, detection, &region.vertices)
        }
    }

    /// The reference to skin, `vertices` sorted: of any kind, its centroid the vertices' mean.
    pub(super) fn of_skin(
        character: &Character,
        detection: &Detection,
        vertices: &[SurfaceVertex],
    ) -> Self {
        let places = vertices.iter().map(|v| detection.surface.positions[v.index()]);
        let mean = places.sum::<Vec3>() / vertices.len().max(1) as f32;
        let mut sets: Vec<(InstanceIndex, Vec<u32>)> = Vec::new();
        // Sorted, so each instance's vertices come together.
        for &vertex in vertices {
            let (instance, local) = detection.surface.locate(vertex);
            match sets.last_mut() {
                Some((last, list)) if *last == instance => list.push(local),
                _ => sets.push((instance, vec![local])),
            }
        }
        let named = sets
            .into_iter()
            .map(|(instance, list)| {
                let (mesh, primitive) = place_in_file(character, instance);
                let of = detection.surface.vertices_of(instance).len() as u32;
                MeshVertices { mesh, primitive, of, runs: encode_vertices(&list) }
            })
            .collect();
        Self {
            id: 0,
            kind: None,
            centroid: from_floor(detection, mean),
            cells: encode_vertices(&cells_of(detection, vertices)),
            vertices: named,
        }
    }

    /// The region most like it; `None` where none is.
    pub fn find(&self, character: &Character, detection: &Detection) -> Option<RegionId> {
        let most = |share: &dyn Fn(&Region) -> f32| {
            (detection.regions.iter())
                .map(|r| (share(r), r.id))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
                .filter(|&(share, _)| share >= LEAST_OVERLAP)
                .map(|(_, id)| id)
        };
        let by_overlap = match self.same_vertices(character, detection) {
            Some(wanted) => most(&|r| overlap(&wanted, &r.vertices)),
            None => {
                let wanted = self.cells();
                most(&|r| overlap(&wanted, &cells_of(detection, &r.vertices)))
            }
        };
        by_overlap.or_else(|| {
            detection
                .regions
                .iter()
                .filter(|r| self.kind.is_none_or(|kind| kind == r.kind))
                .map(|r| (from_floor(detection, r.centroid).distance(self.centroid), r.id))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
                .filter(|&(distance, _)| distance <= LARGEST_DISTANCE)
                .map(|(_, id)| id)
        })
    }

    /// The skin that it names in this file: the same vertices, or, of a mesh that has changed, those that lie where they
    /// lay. `None` where less than half of the space it filled has skin.
    pub(super) fn skin(
        &self,
        character: &Character,
        detection: &Detection,
    ) -> Option<Vec<SurfaceVertex>> {
        self.same_vertices(character, detection).or_else(|| self.skin_in_space(detection))
    }

    /// Its vertices; `None` where the meshes are no longer what they were.
    fn same_vertices(
        &self,
        character: &Character,
        detection: &Detection,
    ) -> Option<Vec<SurfaceVertex>> {
        let mut all = Vec::new();
        for set in &self.vertices {
            let (index, _) = character
                .instances()
                .find(|&(i, _)| place_in_file(character, i) == (set.mesh, set.primitive))?;
            let range = detection.surface.vertices_of(index);
            if range.len() != set.of as usize {
                return None;
            }
            let list = decode_vertices(&set.runs, range.len())?;
            if list.last().is_some_and(|&last| last as usize >= range.len()) {
                return None;
            }
            all.extend(list.into_iter().map(|v| SurfaceVertex(range.start + v)));
        }
        all.sort_unstable();
        (!all.is_empty()).then_some(all)
    }

    /// Whether two references to skin of one export name mostly the same: more than half of what the smaller has.
    pub(super) fn is_mostly(&self, other: &Self) -> bool {
        let n_vertices =
            |of: &Self| -> usize { of.vertices.iter().map(|set| set.list().len()).sum() };
        let mut common = 0;
        for set in &self.vertices {
            let same = |o: &&MeshVertices| {
                (o.mesh, o.primitive, o.of) == (set.mesh, set.primitive, set.of)
            };
            let Some(theirs) = other.vertices.iter().find(same).map(MeshVertices::list) else {
                continue;
            };
            common += n_common(&set.list(), &theirs);
        }
        2 * common > n_vertices(self).min(n_vertices(other))
    }

    fn cells(&self) -> Vec<u32> {
        decode_vertices(&self.cells, MOST_CELLS).unwrap_or_default()
    }

    fn skin_in_space(&self, detection: &Detection) -> Option<Vec<SurfaceVertex>> {
        /// Rounds in which every vertex goes with most of its neighbours.
        const ROUNDS: usize = 3;
        let wanted = self.cells();
        let graph = &detection.topology.graph;
        let grid = Grid::of(detection);
        let is_wanted = |p: Vec3| grid.cell(p).is_some_and(|c| wanted.binary_search(&c).is_ok());
        let mut is_in: Vec<bool> = (0..graph.len() as u32)
            .map(|v| !graph.sides_at(v).is_empty() && is_wanted(graph.positions[v as usize]))
            .collect();
        for _ in 0..ROUNDS {
            is_in = (0..graph.len() as u32)
                .map(|v| {
                    let near = graph.neighbors(v);
                    let inside = near.iter().filter(|&&u| is_in[u as usize]).count();
                    match (2 * inside).cmp(&near.len()) {
                        std::cmp::Ordering::Equal => is_in[v as usize],
                        order => order.is_gt(),
                    }
                })
                .collect();
        }
        let chosen: Vec<u32> = (0..graph.len() as u32).filter(|&v| is_in[v as usize]).collect();
        // A leg that passes through a cell of the tail is a small piece of its own.
        let pieces = pieces_of(&detection.topology, &detection.topology.surface_vertices(&chosen));
        let least = pieces.first().map_or(0, |p| p.len() / 10);
        let mut all: Vec<SurfaceVertex> =
            pieces.into_iter().filter(|p| p.len() > least).flatten().collect();
        all.sort_unstable();
        let there = cells_of(detection, &all);
        let common = n_common(&wanted, &there);
        (common > 0 && common * 2 >= wanted.len()).then_some(all)
    }
}

impl MeshVertices {
    /// The vertices, sorted; none where the text is none.
    fn list(&self) -> Vec<u32> {
        decode_vertices(&self.runs, self.of as usize).unwrap_or_default()
    }
}

/// Mesh and primitive of an instance in its file; (instance, 0) for a generated mesh.
fn place_in_file(character: &Character, instance: InstanceIndex) -> (u32, u32) {
    let mesh = character.instance(instance).and_then(|i| character.mesh_of(i));
    mesh.and_then(|m| m.source).map_or((instance.0, 0), |s| (s.mesh, s.primitive))
}

/// The vertex that a file calls `vertex` of a mesh's primitive: the name that `detect --vertices` uses.
///
/// `None` where there is none. Of a mesh that stands in the scene twice it is the first one's.
pub fn vertex_in_file(
    character: &Character,
    detection: &Detection,
    (mesh, primitive, vertex): (u32, u32, u32),
) -> Option<SurfaceVertex> {
    let (index, _) =
        character.instances().find(|&(i, _)| place_in_file(character, i) == (mesh, primitive))?;
    let range = detection.surface.vertices_of(index);
    (vertex < range.len() as u32).then(|| SurfaceVertex(range.start + vertex))
}

/// A point of bind space in body axes, in heights of the body, from its floor: the same in every unit and turn of a file.
pub fn from_floor(detection: &Detection, p: Vec3) -> Vec3 {
    let body = &detection.frame;
    let from_floor = p - Vec3::Y * body.floor_m;
    body.world_from_body.inverse() * from_floor / body.height_m.max(f32::MIN_POSITIVE)
}

/// The point of bind space that [`from_floor`] made `p` of.
pub fn to_bind(detection: &Detection, p: Vec3) -> Vec3 {
    let body = &detection.frame;
    body.world_from_body * (p * body.height_m) + Vec3::Y * body.floor_m
}

/// The grid of a body.
struct Grid {
    body_from_world: Quat,
    middle: Vec3,
    per_metre: f32,
}

impl Grid {
    fn of(detection: &Detection) -> Self {
        let body = &detection.frame;
        Self {
            body_from_world: body.world_from_body.inverse(),
            middle: detection.thigh_middle,
            per_metre: CELLS / body.height_m.max(f32::MIN_POSITIVE),
        }
    }

    /// The number of the cell that a point lies in, ten bits along each axis; `None` outside of the grid.
    fn cell(&self, p: Vec3) -> Option<u32> {
        let at = (self.body_from_world * (p - self.middle) * self.per_metre).floor().as_ivec3()
            + IVec3::splat(HALF);
        let is_inside = at.cmpge(IVec3::ZERO).all() && at.cmplt(IVec3::splat(2 * HALF)).all();
        is_inside.then_some((at.x | at.y << 10 | at.z << 20) as u32)
    }
}

/// The cells that the skin of `vertices` passes through, sorted. Triangles are sampled at half a cell, so that it does
/// not matter how finely they are cut.
fn cells_of(detection: &Detection, vertices: &[SurfaceVertex]) -> Vec<u32> {
    const MOST_STEPS: f32 = 64.0;
    let topology = &detection.topology;
    let graph = &topology.graph;
    let own = topology.welded_vertices(vertices);
    let grid = Grid::of(detection);
    let step = 0.5 / grid.per_metre;
    let mut cells: Vec<u32> = Vec::new();
    for &v in &own {
        cells.extend(grid.cell(graph.positions[v as usize]));
        for &[b, c] in graph.sides_at(v) {
            // Each triangle is taken once, at its lowest corner.
            if [b, c].iter().any(|&c| c < v || own.binary_search(&c).is_err()) {
                continue;
            }
            let [a, b, c] = [v, b, c].map(|c| graph.positions[c as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let n = (longest / step).ceil().min(MOST_STEPS) as u32;
            for i in 0..=n {
                for j in 0..=n - i {
                    let (u, w) = (i as f32 / n.max(1) as f32, j as f32 / n.max(1) as f32);
                    cells.extend(grid.cell(a + (b - a) * u + (c - a) * w));
                }
            }
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Common members over all members of two sorted lists.
fn overlap<T: Ord>(a: &[T], b: &[T]) -> f32 {
    let common = n_common(a, b);
    let all = a.len() + b.len() - common;
    if all == 0 { 0.0 } else { common as f32 / all as f32 }
}
