//! The geometry of one glTF primitive.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};

use super::Influences;

/// Where a mesh stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeshSource {
    /// Index in the file's `meshes`.
    pub mesh: u32,
    /// Index in that mesh's `primitives`.
    pub primitive: u32,
}

/// Offsets that a morph target adds to a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Name from `extras.targetNames`, or empty.
    pub name: String,
    /// `[V]`, or empty where the target does not move positions.
    pub positions: Vec<Vec3>,
    /// `[V]`, or empty.
    pub normals: Vec<Vec3>,
}

/// Triangles of one primitive, in the mesh's own space, vertices as in the file (not welded).
///
/// Everything but the influences is never edited, so clones share it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Name of the file's mesh; its primitives share it.
    pub name: String,
    /// `[V]`, finite.
    pub positions: Arc<Vec<Vec3>>,
    /// `[T]`, every index below V. Strips and fans come as lists. Empty for points and lines.
    pub triangles: Arc<Vec<[u32; 3]>>,
    /// `[V]`, or empty.
    pub normals: Arc<Vec<Vec3>>,
    /// Texture coordinates that its material's picture reads, v down, `[V]`, or empty.
    pub uvs: Arc<Vec<Vec2>>,
    /// Linear RGBA, `[V]`, or empty.
    pub colors: Arc<Vec<Vec4>>,
    /// Morph targets, in file order.
    pub morphs: Arc<Vec<MorphTarget>>,
    /// `[targets]` weights of the targets where no clip says otherwise, or empty for none.
    pub morph_weights: Vec<f32>,
    /// `[V]` influences; `None` where the primitive carries no joints.
    pub influences: Option<Arc<Influences>>,
    /// Index in the file's `materials`.
    pub material: Option<u32>,
    /// Where it stands in the file; `None` for generated meshes.
    pub source: Option<MeshSource>,
}

impl Mesh {
    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.positions.len()
    }
}
