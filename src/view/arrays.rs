//! A mesh instance as arrays ready for the graphics card: plain data, made on any thread.

use glam::{Vec2, Vec3, Vec4};
use three_d::{Vector2, Vector3, Vector4};

use super::convert::{uvec2, vec2, vec3, vec4};
use crate::model::{Character, InstanceIndex, Material, Mesh, MeshInstance};

/// Texels in a row of the table of influences: every OpenGL 3.3 driver takes textures this wide.
pub(super) const TABLE_WIDTH: u32 = 1024;

/// Triangles from which a mesh gets a coarse copy, drawn while the camera moves where there is no graphics card.
const COARSE_FROM: usize = 80_000;
/// Cells along the diagonal of a mesh's box that the coarse copy keeps one vertex of.
const COARSE_CELLS: f32 = 120.0;

/// One instance's arrays.
pub(super) struct InstanceArrays {
    pub(super) index: InstanceIndex,
    pub(super) material: Material,
    /// Whether the file says how it looks; else it is clay.
    pub(super) has_material: bool,
    pub(super) positions: Vec<Vector3<f32>>,
    pub(super) normals: Vec<Vector3<f32>>,
    pub(super) colors: Vec<Vector4<f32>>,
    /// Blank, until a paint says something.
    pub(super) tints: Vec<Vector4<f32>>,
    /// Likewise.
    pub(super) heats: Vec<f32>,
    pub(super) uvs: Vec<Vector2<f32>>,
    /// First influence and number of influences of each vertex.
    pub(super) spans: Vec<Vector2<u32>>,
    /// Joint and weight of each influence, filled up to whole rows, from the last row to the first: a texture is filled
    /// upside down.
    pub(super) table: Vec<[f32; 2]>,
    pub(super) triangles: Vec<u32>,
    /// Fewer triangles over the same vertices; empty where the mesh is small.
    pub(super) coarse: Vec<u32>,
    pub(super) n_joints: usize,
    pub(super) has_normals: bool,
    pub(super) has_colors: bool,
    pub(super) has_uvs: bool,
    pub(super) is_skinned: bool,
}

impl InstanceArrays {
    /// The arrays of an instance. Cost: O(vertices + influences + triangles).
    pub(super) fn of(
        character: &Character,
        (index, instance): (InstanceIndex, &MeshInstance),
        mesh: &Mesh,
    ) -> Self {
        let n = mesh.n_vertices();
        let to_gpu = |values: &[Vec3]| values.iter().copied().map(vec3).collect::<Vec<_>>();
        let has_normals = mesh.normals.len() == n;
        let has_colors = mesh.colors.len() == n;
        let has_uvs = mesh.uvs.len() == n;
        let skin = character.skin_of(instance).filter(|_| mesh.influences.is_some());
        let (spans, table) = influence_table(mesh, skin.is_some());
        let table = table.rchunks(TABLE_WIDTH as usize).flatten().copied().collect();
        Self {
            index,
            material: character.material_of(mesh),
            has_material: mesh.material.is_some_and(|m| (m as usize) < character.materials.len()),
            positions: to_gpu(&mesh.positions),
            normals: if has_normals { to_gpu(&mesh.normals) } else { vec![vec3(Vec3::Y); n] },
            colors: match has_colors {
                true => mesh.colors.iter().copied().map(vec4).collect(),
                false => vec![vec4(Vec4::ONE); n],
            },
            tints: vec![vec4(Vec4::ZERO); n],
            heats: vec![-1.0; n],
            uvs: match has_uvs {
                true => mesh.uvs.iter().copied().map(vec2).collect(),
                false => vec![vec2(Vec2::ZERO); n],
            },
            spans,
            table,
            triangles: mesh.triangles.iter().flatten().copied().collect(),
            coarse: coarse(mesh),
            n_joints: skin.map_or(0, |s| s.joints.len()),
            has_normals,
            has_colors,
            has_uvs,
            is_skinned: skin.is_some(),
        }
    }
}

/// First influence and number of influences of each vertex, and the influences, filled up to whole rows.
fn influence_table(mesh: &Mesh, is_skinned: bool) -> (Vec<Vector2<u32>>, Vec<[f32; 2]>) {
    let mut spans = Vec::with_capacity(mesh.n_vertices());
    let mut table: Vec<[f32; 2]> = Vec::new();
    for vertex in 0..mesh.n_vertices() {
        let first = table.len() as u32;
        if let Some(influences) = mesh.influences.as_ref().filter(|_| is_skinned) {
            table.extend(influences.of(vertex).map(|(joint, weight)| [joint.0 as f32, weight]));
        }
        spans.push(uvec2(first, table.len() as u32 - first));
    }
    let rows = table.len().div_ceil(TABLE_WIDTH as usize).max(1);
    table.resize(rows * TABLE_WIDTH as usize, [0.0; 2]);
    (spans, table)
}

/// A large mesh with one vertex kept of every cell of a grid; triangles that fall together are left out.
///
/// Based on: Rossignac and Borrel, Multi-resolution 3D approximations for rendering complex scenes, 1993.
fn coarse(mesh: &Mesh) -> Vec<u32> {
    if mesh.triangles.len() < COARSE_FROM {
        return Vec::new();
    }
    let fold = |f: fn(Vec3, Vec3) -> Vec3, start: f32| {
        mesh.positions.iter().copied().fold(Vec3::splat(start), f)
    };
    let (low, high) = (fold(Vec3::min, f32::MAX), fold(Vec3::max, f32::MIN));
    let cell = ((high - low).length() / COARSE_CELLS).max(1e-9);
    let key = |p: Vec3| {
        let q = ((p - low) / cell).as_uvec3();
        u64::from(q.x) << 42 | u64::from(q.y) << 21 | u64::from(q.z)
    };
    let mut cells: Vec<(u64, u32)> =
        mesh.positions.iter().enumerate().map(|(v, &p)| (key(p), v as u32)).collect();
    cells.sort_unstable();
    let mut kept = vec![0_u32; cells.len()];
    for same in cells.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(_, first)) = same.first() else { continue };
        for &(_, v) in same {
            if let Some(slot) = kept.get_mut(v as usize) {
                *slot = first;
            }
        }
    }
    let place = |v: u32| kept.get(v as usize).copied().unwrap_or(v);
    let mut triangles: Vec<[u32; 3]> = mesh
        .triangles
        .iter()
        .map(|t| t.map(place))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    triangles.sort_unstable();
    triangles.dedup();
    triangles.into_flattened()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Influences, JointIndex};
    use std::sync::Arc;

    #[test]
    fn the_table_holds_every_influence_however_many() {
        let mut influences = Influences::with_capacity(2);
        influences.push((0..9).map(|j| (JointIndex(j), 1.0 / 9.0)));
        influences.push([(JointIndex(3), 1.0)]);
        let mesh = Mesh {
            positions: Arc::new(vec![Vec3::ZERO; 2]),
            influences: Some(Arc::new(influences)),
            ..Mesh::default()
        };
        let (spans, table) = influence_table(&mesh, true);
        assert_eq!(spans, [uvec2(0, 9), uvec2(9, 1)]);
        assert_eq!(table.len(), TABLE_WIDTH as usize);
        assert_eq!(table.get(9), Some(&[3.0, 1.0]));
        let (spans, _) = influence_table(&mesh, false);
        assert_eq!(spans, [uvec2(0, 0); 2], "without a skin the mesh follows its node");
    }

    #[test]
    fn a_large_mesh_gets_a_coarse_copy_over_the_same_vertices() {
        // A sheet of 300 × 300 quads.
        let n = 301_u32;
        let at = |x: u32, y: u32| Vec3::new(x as f32, y as f32, 0.0) / 300.0;
        let positions: Vec<Vec3> = (0..n * n).map(|i| at(i % n, i / n)).collect();
        let quads = (0..300 * 300).map(|i| (i / 300) * n + i % 300);
        let triangles: Vec<[u32; 3]> =
            quads.flat_map(|v| [[v, v + 1, v + n], [v + 1, v + n + 1, v + n]]).collect();
        let mesh = Mesh {
            positions: Arc::new(positions),
            triangles: Arc::new(triangles),
            ..Mesh::default()
        };
        let coarse = coarse(&mesh);
        let share = coarse.len() as f32 / 3.0 / mesh.triangles.len() as f32;
        assert!((0.02..0.2).contains(&share), "{share}");
        let area: f32 = coarse
            .chunks(3)
            .map(|t| {
                let [a, b, c] = [0, 1, 2].map(|i| mesh.positions[t[i] as usize]);
                (b - a).cross(c - a).length() * 0.5
            })
            .sum();
        assert!(area > 0.95, "the sheet has no holes: {area}");
    }
}
