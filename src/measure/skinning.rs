//! Skinning on the CPU: positions only, of chosen vertices.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};
use glam::{Affine3A, Vec3, Vec3A, Vec4};

use crate::model::{
    Character, InstanceIndex, Mesh, MorphTarget, NodeIndex, SurfaceVertex, WorldPose,
};

/// Influences that every vertex has room for; what goes beyond is added in a second run over the few that have more.
const WIDTH: usize = 4;

/// Vertices of one instance.
#[derive(Clone, Debug)]
struct Part {
    /// `[J]` nodes and what takes the mesh into each; one node and no matrix for a mesh without a skin.
    joints: Vec<(NodeIndex, Affine3A)>,
    /// Positions are kept from here: near the body's middle rounding is least.
    center: Vec3,
    /// `[V]`.
    offsets: Vec<Vec3A>,
    /// `[V]` places in `joints`; entries of weight 0 name the first.
    indices: Vec<[u32; WIDTH]>,
    /// `[V]`.
    weights: Vec<[f32; WIDTH]>,
    /// Influences beyond the fourth: vertex, joint, weight.
    more: Vec<(u32, u32, f32)>,
}

/// Morph targets of one part, the vertices they move alone.
#[derive(Clone, Debug)]
struct Morphs {
    /// The node whose weights they take.
    node: NodeIndex,
    part: usize,
    /// `[V]` offsets of the base shape.
    base: Vec<Vec3A>,
    /// `[targets]` vertex and what the target adds to it.
    targets: Vec<Vec<(u32, Vec3A)>>,
}

/// Skins a list of a character's vertices, frame after frame.
///
/// Linear blend skinning as glTF has it: weights are taken as they are. Cost: O(influences) for each frame.
#[derive(Clone, Debug)]
pub struct Skinner {
    parts: Vec<Part>,
    morphs: Vec<Morphs>,
    n_vertices: usize,
}

impl Skinner {
    /// For `vertices` of `character`, sorted. Cost: O(vertices + joints).
    pub fn new(character: &Character, vertices: &[SurfaceVertex]) -> Self {
        let offsets = character.surface_offsets();
        let mut parts = Vec::new();
        let mut morphs = Vec::new();
        for (InstanceIndex(i), instance) in character.instances() {
            let first = offsets.get(i as usize).copied().unwrap_or(0);
            let end = offsets.get(i as usize + 1).copied().unwrap_or(first);
            let from = vertices.partition_point(|v| v.0 < first);
            let to = vertices.partition_point(|v| v.0 < end);
            let Some(chosen) = vertices.get(from..to).filter(|c| !c.is_empty()) else { continue };
            let Some(mesh) = character.mesh_of(instance) else { continue };
            let skin = character.skin_of(instance).filter(|_| mesh.influences.is_some());
            let joints: Vec<(NodeIndex, Affine3A)> = match skin {
                Some(skin) => {
                    let binds = skin.joint_from_mesh.iter().map(|b| Affine3A::from_mat4(*b));
                    skin.joints.iter().copied().zip(binds).collect()
                }
                None => vec![(instance.node, Affine3A::IDENTITY)],
            };
            let mut part = Part {
                joints,
                center: middle(chosen, first, &mesh.positions),
                offsets: Vec::with_capacity(chosen.len()),
                indices: Vec::with_capacity(chosen.len()),
                weights: Vec::with_capacity(chosen.len()),
                more: Vec::new(),
            };
            for v in chosen {
                let local = (v.0 - first) as usize;
                let position = mesh.positions.get(local).copied().unwrap_or_default();
                let influences = skin.and(mesh.influences.as_deref()).map(|i| i.of(local));
                part.push(position, influences.into_iter().flatten().map(|(j, w)| (j.0, w)));
                if skin.is_none()
                    && let Some(weights) = part.weights.last_mut()
                {
                    *weights = [1.0, 0.0, 0.0, 0.0];
                }
            }
            morphs.extend(Morphs::of(mesh, instance.node, (parts.len(), &part), chosen, first));
            parts.push(part);
        }
        Self { n_vertices: parts.iter().map(|p| p.offsets.len()).sum(), parts, morphs }
    }

    /// Nodes whose meshes have morph targets that move any of the vertices.
    pub fn morphed(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.morphs.iter().map(|m| m.node)
    }

    /// Shapes the meshes on `node` by morph weights, `[targets]`; those that are missing count as 0.
    ///
    /// Cost: O(vertices + what the targets move).
    pub fn set_morph_weights(&mut self, node: NodeIndex, weights: &[f32]) {
        for morphs in self.morphs.iter().filter(|m| m.node == node) {
            let Some(part) = self.parts.get_mut(morphs.part) else { continue };
            part.offsets.copy_from_slice(&morphs.base);
            for (target, &weight) in morphs.targets.iter().zip(weights) {
                for &(v, delta) in target.iter().filter(|_| weight != 0.0) {
                    if let Some(offset) = part.offsets.get_mut(v as usize) {
                        *offset += delta * weight;
                    }
                }
            }
        }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.n_vertices
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.n_vertices == 0
    }

    /// World positions, less `origin`, of all vertices, metres. `positions` is room that is reused.
    ///
    /// Choose `origin` on the body: edge lengths are taken from differences, and rounding grows with the distance.
    pub fn skin(&self, world: &WorldPose, origin: Vec3, positions: &mut Vec<Vec3A>) {
        positions.clear();
        let mut palette = Vec::new();
        for part in &self.parts {
            palette.clear();
            for &(node, joint_from_mesh) in &part.joints {
                let mut matrix = world.matrix(node) * joint_from_mesh;
                let moved = matrix.transform_point3a(part.center.into()) - Vec3A::from(origin);
                matrix.translation = moved;
                palette.push(matrix);
            }
            let first = positions.len();
            let blended: Vec<[f32; 16]> = palette.iter().map(columns).collect();
            positions.reserve(part.offsets.len());
            dispatch!(Level::new(), simd => part.skin(simd, &blended, positions));
            for &(v, joint, weight) in &part.more {
                let (Some(slot), Some(matrix), Some(&offset)) = (
                    positions.get_mut(first + v as usize),
                    palette.get(joint as usize),
                    part.offsets.get(v as usize),
                ) else {
                    continue;
                };
                *slot += matrix.transform_point3a(offset) * weight;
            }
        }
    }
}

impl Morphs {
    /// The targets of `mesh` on the `chosen` vertices of a part; `None` where they move none.
    fn of(
        mesh: &Mesh,
        node: NodeIndex,
        (part, vertices): (usize, &Part),
        chosen: &[SurfaceVertex],
        first: u32,
    ) -> Option<Self> {
        let moved = |target: &MorphTarget| -> Vec<(u32, Vec3A)> {
            let delta = |v: &SurfaceVertex| target.positions.get((v.0 - first) as usize).copied();
            let deltas = chosen.iter().map(|v| delta(v).unwrap_or(Vec3::ZERO));
            let moves = |(_, d): &(u32, Vec3)| *d != Vec3::ZERO && d.is_finite();
            (0..).zip(deltas).filter(moves).map(|(v, d)| (v, d.into())).collect()
        };
        let targets: Vec<_> = mesh.morphs.iter().map(moved).collect();
        let is_moved = targets.iter().any(|t| !t.is_empty());
        is_moved.then(|| Self { node, part, base: vertices.offsets.clone(), targets })
    }
}

impl Part {
    fn push(&mut self, position: Vec3, influences: impl Iterator<Item = (u32, f32)>) {
        let (mut indices, mut weights) = ([0; WIDTH], [0.0; WIDTH]);
        let vertex = self.offsets.len() as u32;
        let known = influences.filter(|(j, _)| (*j as usize) < self.joints.len());
        for (k, (joint, weight)) in known.enumerate() {
            match (indices.get_mut(k), weights.get_mut(k)) {
                (Some(index), Some(slot)) => (*index, *slot) = (joint, weight),
                _ => self.more.push((vertex, joint, weight)),
            }
        }
        self.offsets.push((position - self.center).into());
        self.indices.push(indices);
        self.weights.push(weights);
    }

    /// Blends the four matrices of each vertex, two columns at once, and takes the vertex through what comes of it.
    #[inline(always)]
    fn skin<S: Simd>(&self, simd: S, palette: &[[f32; 16]], positions: &mut Vec<Vec3A>) {
        let rows = self.offsets.iter().zip(self.indices.iter().zip(&self.weights));
        for (&offset, (indices, weights)) in rows {
            let (mut xy, mut zt) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 0.0));
            for (&joint, &weight) in indices.iter().zip(weights) {
                if let Some(m) = palette.get(joint as usize) {
                    xy += f32x8::from_slice(simd, &m[..8]) * weight;
                    zt += f32x8::from_slice(simd, &m[8..]) * weight;
                }
            }
            let ((x, y), (z, t)) = (xy.split(), zt.split());
            let at = (x * offset.x + y * offset.y) + (z * offset.z + t);
            positions.push(Vec3A::from_vec4(Vec4::from_array(at.into())));
        }
    }
}

/// The columns of a matrix, each with a number that nobody reads.
fn columns(matrix: &Affine3A) -> [f32; 16] {
    let m = &matrix.matrix3;
    let mut columns = [0.0; 16];
    let all = [m.x_axis, m.y_axis, m.z_axis, matrix.translation];
    for (slot, column) in columns.chunks_exact_mut(4).zip(all) {
        slot[..3].copy_from_slice(&column.to_array());
    }
    columns
}

fn middle(chosen: &[SurfaceVertex], first: u32, positions: &[Vec3]) -> Vec3 {
    let mut sum = glam::DVec3::ZERO;
    for v in chosen {
        sum += positions.get((v.0 - first) as usize).copied().unwrap_or_default().as_dvec3();
    }
    (sum / chosen.len().max(1) as f64).as_vec3()
}
