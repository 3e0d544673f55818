//! The graphics card's half of a character: vertex buffers, the table of influences, the palette of joints.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Vec3, Vec4};
use three_d::{
    Context, ElementBuffer, Interpolation, Program, Texture2D, TextureDataType, Vector2, Vector3,
    Vector4, VertexBuffer, Wrapping,
};

use super::convert::{mat4, uvec2, vec3, vec4};
use super::look::{Look, heat};
use crate::model::{Character, InstanceIndex, Mesh, MeshInstance, WorldPose};
use crate::studio::scene::{Paint, Scene};

/// Texels in a row of the table of influences: every OpenGL 3.3 driver takes textures this wide.
const TABLE_WIDTH: u32 = 1024;

/// A texture that holds numbers, row 0 first. `rows` is a multiple of `width`.
///
/// NOTE: `Texture2D::fill` turns pictures upside down; the rows are handed in from the last to the first.
fn fill_table<T: TextureDataType>(texture: &Texture2D, rows: &[T]) {
    let width = texture.width() as usize;
    let turned: Vec<T> = rows.chunks(width).rev().flatten().cloned().collect();
    texture.fill(&turned);
}

fn new_table<T: TextureDataType>(context: &Context, width: u32, height: u32) -> Texture2D {
    let (nearest, clamp) = (Interpolation::Nearest, Wrapping::ClampToEdge);
    Texture2D::new_empty::<T>(context, width, height, nearest, nearest, None, clamp, clamp)
}

/// Joints of one instance's skin as the shader reads them: three texels for each, the rows of its matrix.
struct Palette {
    texture: Texture2D,
    rows: Vec<[f32; 4]>,
}

impl Palette {
    fn new(context: &Context, n_joints: usize) -> Self {
        let n = n_joints.max(1);
        let texture = new_table::<[f32; 4]>(context, 3, n as u32);
        Self { texture, rows: vec![[0.0; 4]; 3 * n] }
    }

    fn set(&mut self, world_from_mesh: impl Iterator<Item = Affine3A>) {
        for (rows, matrix) in self.rows.chunks_mut(3).zip(world_from_mesh) {
            let transposed = Mat4::from(matrix).transpose();
            rows.copy_from_slice(&[
                transposed.x_axis.to_array(),
                transposed.y_axis.to_array(),
                transposed.z_axis.to_array(),
            ]);
        }
        fill_table(&self.texture, &self.rows);
    }
}

/// One instance on the graphics card.
struct GpuInstance {
    index: InstanceIndex,
    positions: VertexBuffer<Vector3<f32>>,
    normals: VertexBuffer<Vector3<f32>>,
    colors: VertexBuffer<Vector4<f32>>,
    tints: VertexBuffer<Vector4<f32>>,
    spans: VertexBuffer<Vector2<u32>>,
    triangles: ElementBuffer<u32>,
    influences: Texture2D,
    palette: Palette,
    has_normals: bool,
    has_colors: bool,
    is_skinned: bool,
    world_from_mesh: Mat4,
}

/// A character on the graphics card. What has not changed since the last frame is not sent again.
pub(super) struct GpuCharacter {
    character: Arc<Character>,
    world: Option<Arc<WorldPose>>,
    paint: Option<Arc<Paint>>,
    instances: Vec<GpuInstance>,
}

impl GpuCharacter {
    /// Sends `character`. Cost: O(vertices + influences).
    pub(super) fn new(context: &Context, character: Arc<Character>) -> Self {
        let instances = character
            .instances()
            .filter(|(_, instance)| instance.is_visible)
            .filter_map(|(index, instance)| {
                let mesh = character.mesh_of(instance).filter(|m| !m.triangles.is_empty())?;
                Some(GpuInstance::new(context, &character, index, instance, mesh))
            })
            .collect();
        Self { character, world: None, paint: None, instances }
    }

    /// Whether this is the card's half of `character`.
    pub(super) fn is_of(&self, character: &Arc<Character>) -> bool {
        Arc::ptr_eq(&self.character, character)
    }

    /// Brings pose and colours up to the scene's.
    pub(super) fn update(&mut self, scene: &Scene, look: &Look, look_changed: bool) {
        if !self.world.as_ref().is_some_and(|w| Arc::ptr_eq(w, &scene.world)) {
            for instance in &mut self.instances {
                instance.pose(&self.character, &scene.world);
            }
            self.world = Some(scene.world.clone());
        }
        if look_changed || !self.paint.as_ref().is_some_and(|p| Arc::ptr_eq(p, &scene.paint)) {
            let offsets = self.character.surface_offsets();
            for instance in &mut self.instances {
                let first = offsets.get(instance.index.index()).copied().unwrap_or(0) as usize;
                let n = instance.positions.vertex_count() as usize;
                let tints: Vec<_> =
                    (first..first + n).map(|v| vec4(tint(&scene.paint, look, v))).collect();
                instance.tints.fill(&tints);
            }
            self.paint = Some(scene.paint.clone());
        }
    }

    /// Draws every shown instance with `program`; `each` sets what belongs to the pass, knowing whether the mesh has
    /// colours of its own.
    pub(super) fn draw(
        &self,
        scene: &Scene,
        program: &Program,
        each: impl Fn(&Program, bool),
        states: three_d::RenderStates,
        viewport: three_d::Viewport,
    ) {
        for instance in self.instances.iter().filter(|i| scene.shows(i.index)) {
            instance.bind(program);
            each(program, instance.has_colors);
            program.draw_elements(states, viewport, &instance.triangles);
        }
    }
}

/// Colour laid over a vertex of the surface, linear; alpha is its share.
fn tint(paint: &Paint, look: &Look, vertex: usize) -> Vec4 {
    match paint {
        Paint::Plain => Vec4::ZERO,
        Paint::Regions(marks) => {
            let mark = marks.get(vertex).copied().unwrap_or_default();
            let share = if mark.is_selected { 0.72 } else { 0.38 };
            mark.kind.map_or(Vec4::ZERO, |kind| look.kinds.of(kind).to_linear().extend(share))
        }
        Paint::Heat(values) => match values.get(vertex) {
            Some(t) if t.is_finite() => heat(*t).extend(0.9),
            _ => Vec4::ZERO,
        },
    }
}

impl GpuInstance {
    fn new(
        context: &Context,
        character: &Character,
        index: InstanceIndex,
        instance: &MeshInstance,
        mesh: &Mesh,
    ) -> Self {
        let n = mesh.n_vertices();
        let to_gpu = |values: &[Vec3]| values.iter().copied().map(vec3).collect::<Vec<_>>();
        let has_normals = mesh.normals.len() == n;
        let has_colors = mesh.colors.len() == n;
        let normals = if has_normals { to_gpu(&mesh.normals) } else { vec![vec3(Vec3::Y); n] };
        let colors: Vec<_> = if has_colors {
            mesh.colors.iter().copied().map(vec4).collect()
        } else {
            vec![vec4(Vec4::ONE); n]
        };
        let skin = character.skin_of(instance).filter(|_| mesh.influences.is_some());
        let (spans, table) = influence_table(mesh, skin.is_some());
        let influences =
            new_table::<[f32; 2]>(context, TABLE_WIDTH, (table.len() as u32) / TABLE_WIDTH);
        fill_table(&influences, &table);
        let triangles: Vec<u32> = mesh.triangles.iter().flatten().cloned().collect();
        Self {
            index,
            positions: VertexBuffer::new_with_data(context, &to_gpu(&mesh.positions)),
            normals: VertexBuffer::new_with_data(context, &normals),
            colors: VertexBuffer::new_with_data(context, &colors),
            tints: VertexBuffer::new_with_data(context, &vec![vec4(Vec4::ZERO); n]),
            spans: VertexBuffer::new_with_data(context, &spans),
            triangles: ElementBuffer::new_with_data(context, &triangles),
            influences,
            palette: Palette::new(context, skin.map_or(0, |s| s.joints.len())),
            has_normals,
            has_colors,
            is_skinned: skin.is_some(),
            world_from_mesh: Mat4::IDENTITY,
        }
    }

    fn pose(&mut self, character: &Character, world: &WorldPose) {
        let Some(instance) = character.instance(self.index) else { return };
        self.world_from_mesh = Mat4::from(world.matrix(instance.node));
        if let Some(skin) = character.skin_of(instance) {
            let joints = skin.joints.iter().zip(&skin.joint_from_mesh);
            self.palette
                .set(joints.map(|(&node, bind)| world.matrix(node) * Affine3A::from_mat4(*bind)));
        }
    }

    fn bind(&self, program: &Program) {
        program.use_uniform("worldFromMesh", mat4(self.world_from_mesh));
        program.use_uniform("isSkinned", i32::from(self.is_skinned));
        program.use_uniform("influencesWidth", TABLE_WIDTH as i32);
        program.use_texture("influences", &self.influences);
        program.use_texture("palette", &self.palette.texture);
        program.use_uniform_if_required("hasNormals", i32::from(self.has_normals));
        program.use_vertex_attribute("position", &self.positions);
        program.use_vertex_attribute("span", &self.spans);
        // The depth passes have no use for these; the driver then drops them.
        if program.requires_attribute("normal") {
            program.use_vertex_attribute("normal", &self.normals);
        }
        if program.requires_attribute("color") {
            program.use_vertex_attribute("color", &self.colors);
        }
        if program.requires_attribute("tint") {
            program.use_vertex_attribute("tint", &self.tints);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Influences, JointIndex};

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
}
