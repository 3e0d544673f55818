//! The graphics card's half of a character: vertex buffers, the table of influences, the palette of joints.

use std::mem::take;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use glam::{Affine3A, Mat4, Vec3, Vec4};
use three_d::{
    Context, Cull, ElementBuffer, Interpolation, Program, RenderStates, Texture2D, TextureDataType,
    Vector2, Vector3, Vector4, VertexBuffer, Viewport, Wrapping,
};

use super::arrays::{InstanceArrays, TABLE_WIDTH};
use super::convert::{mat4, vec3, vec4};
use super::look::Look;
use super::pictures::Pictures;
use super::toon::{use_finish, use_outline};
use crate::model::{AlphaMode, Character, InstanceIndex, Material, WorldPose};
use crate::studio::scene::{MorphWeights, Paint, Scene, is_heavy, morphed};

/// How long one frame sends what has arrived: it stops behind the array that goes beyond.
const SENDING: Duration = Duration::from_millis(6);

fn new_table<T: TextureDataType>(context: &Context, width: u32, height: u32) -> Texture2D {
    let (nearest, clamp) = (Interpolation::Nearest, Wrapping::ClampToEdge);
    Texture2D::new_empty::<T>(context, width, height, nearest, nearest, None, clamp, clamp)
}

/// Joints of one instance's skin as the shader reads them: three texels for each, the rows of its matrix.
struct Palette {
    texture: Texture2D,
    /// From the last joint to the first: `Texture2D::fill` turns pictures upside down.
    rows: Vec<[f32; 4]>,
}

impl Palette {
    fn new(context: &Context, n_joints: usize) -> Self {
        let n = n_joints.max(1);
        let texture = new_table::<[f32; 4]>(context, 3, n as u32);
        Self { texture, rows: vec![[0.0; 4]; 3 * n] }
    }

    fn set(&mut self, world_from_mesh: impl Iterator<Item = Affine3A>) {
        for (rows, matrix) in self.rows.rchunks_mut(3).zip(world_from_mesh) {
            let transposed = Mat4::from(matrix).transpose();
            rows.copy_from_slice(&[
                transposed.x_axis.to_array(),
                transposed.y_axis.to_array(),
                transposed.z_axis.to_array(),
            ]);
        }
        self.texture.fill(&self.rows);
    }
}

/// Which part of the skin a pass draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// What is solid, and the solid part of what blends.
    Solid,
    /// The rest of what blends, over the solid part.
    Blend,
    /// Everything more than half solid, for shadows and lines.
    Shape,
    /// The shell round what is drawn with an outline, seen from within.
    Outline,
}

/// A pass over the skin.
pub(super) struct Pass<'a> {
    pub(super) program: &'a Program,
    pub(super) states: RenderStates,
    pub(super) viewport: Viewport,
    pub(super) layer: Layer,
    /// Whether surfaces of one side are hidden from behind, as their materials say.
    pub(super) culls: bool,
    /// Whether large meshes are drawn by their coarse copies.
    pub(super) is_coarse: bool,
    /// Colour of skin that nothing is said about, linear.
    pub(super) clay: Vec3,
    pub(super) pictures: Option<&'a Pictures>,
    /// Stands in where there is no picture.
    pub(super) white: &'a Texture2D,
}

/// One instance on the graphics card.
struct GpuInstance {
    index: InstanceIndex,
    material: Material,
    has_material: bool,
    positions: VertexBuffer<Vector3<f32>>,
    normals: VertexBuffer<Vector3<f32>>,
    colors: VertexBuffer<Vector4<f32>>,
    tints: VertexBuffer<Vector4<f32>>,
    heats: VertexBuffer<f32>,
    uvs: VertexBuffer<Vector2<f32>>,
    spans: VertexBuffer<Vector2<u32>>,
    triangles: ElementBuffer<u32>,
    coarse: Option<ElementBuffer<u32>>,
    influences: Texture2D,
    palette: Palette,
    has_normals: bool,
    has_colors: bool,
    has_uvs: bool,
    is_skinned: bool,
    is_mirrored: bool,
    world_from_mesh: Mat4,
    weights: Vec<f32>,
    tinted: Tinted,
}

/// What the buffers of tints and heats hold: what they hold already is not sent again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tinted {
    Nothing,
    Tints,
    Heats,
}

/// A character on the graphics card. What has not changed since the last frame is not sent again.
pub(super) struct GpuCharacter {
    character: Arc<Character>,
    world: Option<Arc<WorldPose>>,
    paint: Option<Arc<Paint>>,
    morphs: Option<Arc<MorphWeights>>,
    instances: Vec<GpuInstance>,
    arriving: Option<Receiver<InstanceArrays>>,
    sending: Option<Sending>,
    n_triangles: usize,
}

impl GpuCharacter {
    /// Sends `character`, or begins to where it is large and the caller cannot wait.
    ///
    /// Cost: O(vertices + influences).
    pub(super) fn new(context: &Context, character: Arc<Character>, can_wait: bool) -> Self {
        let mut gpu = Self {
            world: None,
            paint: None,
            morphs: None,
            instances: Vec::new(),
            arriving: None,
            sending: None,
            n_triangles: 0,
            character,
        };
        if is_heavy(&gpu.character) && !can_wait {
            let (sender, receiver) = channel();
            let of = gpu.character.clone();
            let worker = std::thread::Builder::new().name("meshes".into());
            let started = worker.spawn(move || {
                for arrays in arrays(&of) {
                    // Nobody listens any more once the character is gone.
                    if sender.send(arrays).is_err() {
                        break;
                    }
                }
            });
            if started.is_ok() {
                gpu.arriving = Some(receiver);
                return gpu;
            }
        }
        let character = gpu.character.clone();
        for arrays in arrays(&character) {
            let mut sending = Sending::new(context, arrays);
            while sending.step() {}
            gpu.add(sending.instance);
        }
        gpu
    }

    fn add(&mut self, instance: GpuInstance) {
        self.n_triangles += instance.triangles.triangle_count() as usize;
        self.instances.push(instance);
        // What the others have been told already, it must be told, too.
        (self.world, self.paint, self.morphs) = (None, None, None);
    }

    /// Sends what a worker has made ready, array by array, as much of it as a frame has time for.
    pub(super) fn receive(&mut self, context: &Context) {
        let start = Instant::now();
        while start.elapsed() < SENDING {
            let Some(receiver) = &self.arriving else { return };
            match self.sending.take() {
                Some(mut sending) => match sending.step() {
                    true => self.sending = Some(sending),
                    false => self.add(sending.instance),
                },
                None => match receiver.try_recv() {
                    Ok(arrays) => self.sending = Some(Sending::new(context, arrays)),
                    Err(TryRecvError::Empty) => return,
                    Err(TryRecvError::Disconnected) => self.arriving = None,
                },
            }
        }
    }

    /// Whether more is to come.
    pub(super) fn is_arriving(&self) -> bool {
        self.arriving.is_some()
    }

    /// Whether this is the card's half of `character`.
    pub(super) fn is_of(&self, character: &Arc<Character>) -> bool {
        Arc::ptr_eq(&self.character, character)
    }

    /// What it is the half of.
    pub(super) fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// Number of triangles so far.
    pub(super) fn n_triangles(&self) -> usize {
        self.n_triangles
    }

    /// Brings pose, shape and colours up to the scene's; whether the pose was another.
    pub(super) fn update(&mut self, scene: &Scene, look: &Look, look_changed: bool) -> bool {
        let moved = !self.world.as_ref().is_some_and(|w| Arc::ptr_eq(w, &scene.world));
        if moved {
            for instance in &mut self.instances {
                instance.pose(&self.character, &scene.world);
            }
            self.world = Some(scene.world.clone());
        }
        if !self.morphs.as_ref().is_some_and(|m| Arc::ptr_eq(m, &scene.morphs)) {
            for instance in &mut self.instances {
                instance.morph(&self.character, &scene.morphs);
            }
            self.morphs = Some(scene.morphs.clone());
        }
        if look_changed || !self.paint.as_ref().is_some_and(|p| Arc::ptr_eq(p, &scene.paint)) {
            let offsets = self.character.surface_offsets();
            for instance in &mut self.instances {
                let first = offsets.get(instance.index.index()).copied().unwrap_or(0) as usize;
                instance.paint(&scene.paint, look, first);
            }
            self.paint = Some(scene.paint.clone());
        }
        moved
    }

    /// Draws every shown instance.
    pub(super) fn draw(&self, scene: &Scene, pass: &Pass<'_>) {
        let is_bare = |i: &GpuInstance| {
            pass.layer == Layer::Outline && scene.without_outline.contains(&i.index)
        };
        for instance in self.instances.iter().filter(|i| scene.shows(i.index) && !is_bare(i)) {
            instance.draw(pass);
        }
    }
}

/// The arrays of every instance with triangles.
fn arrays(character: &Character) -> impl Iterator<Item = InstanceArrays> + '_ {
    character.instances().filter(|(_, instance)| instance.is_visible).filter_map(|(i, instance)| {
        let mesh = character.mesh_of(instance).filter(|m| !m.triangles.is_empty())?;
        Some(InstanceArrays::of(character, (i, instance), mesh))
    })
}

/// Colour laid over a vertex of the surface, linear; alpha is its share.
fn tint(paint: &Paint, look: &Look, vertex: usize) -> Vec4 {
    let (marks, shares) = match paint {
        Paint::Regions(marks) => (marks, (0.38, 0.72)),
        Paint::RegionColors(marks) => (marks, (0.82, 1.0)),
        Paint::Plain | Paint::Heat(_) => return Vec4::ZERO,
    };
    let mark = marks.get(vertex).copied().unwrap_or_default();
    if mark.is_marked {
        return look.selected.to_linear().extend(0.85);
    }
    let share = if mark.is_selected { shares.1 } else { shares.0 };
    mark.kind.map_or(Vec4::ZERO, |kind| look.kinds.of(kind).to_linear().extend(share))
}

/// An instance on its way to the card: all of half a million vertices at once would hold the window up.
struct Sending {
    arrays: InstanceArrays,
    instance: GpuInstance,
    n_sent: usize,
}

impl Sending {
    fn new(context: &Context, mut arrays: InstanceArrays) -> Self {
        let instance = GpuInstance::new(context, &mut arrays);
        Self { arrays, instance, n_sent: 0 }
    }

    /// Sends the next array and gives it up; whether there are more.
    fn step(&mut self) -> bool {
        let Self { arrays, instance, n_sent } = self;
        match *n_sent {
            0 => instance.positions.fill(&take(&mut arrays.positions)),
            1 => instance.normals.fill(&take(&mut arrays.normals)),
            2 => instance.colors.fill(&take(&mut arrays.colors)),
            3 => instance.tints.fill(&take(&mut arrays.tints)),
            4 => instance.heats.fill(&take(&mut arrays.heats)),
            5 => instance.uvs.fill(&take(&mut arrays.uvs)),
            6 => instance.spans.fill(&take(&mut arrays.spans)),
            7 => instance.influences.fill(&take(&mut arrays.table)),
            _ => instance.triangles.fill(&take(&mut arrays.triangles)),
        }
        *n_sent += 1;
        *n_sent < 9
    }
}

impl GpuInstance {
    /// With buffers that are still empty, but for the coarse triangles.
    fn new(context: &Context, arrays: &mut InstanceArrays) -> Self {
        let height = arrays.table.len() as u32 / TABLE_WIDTH;
        Self {
            index: arrays.index,
            material: take(&mut arrays.material),
            has_material: arrays.has_material,
            positions: VertexBuffer::new(context),
            normals: VertexBuffer::new(context),
            colors: VertexBuffer::new(context),
            tints: VertexBuffer::new(context),
            heats: VertexBuffer::new(context),
            uvs: VertexBuffer::new(context),
            spans: VertexBuffer::new(context),
            triangles: ElementBuffer::new(context),
            coarse: (!arrays.coarse.is_empty())
                .then(|| ElementBuffer::new_with_data(context, &arrays.coarse)),
            influences: new_table::<[f32; 2]>(context, TABLE_WIDTH, height),
            palette: Palette::new(context, arrays.n_joints),
            has_normals: arrays.has_normals,
            has_colors: arrays.has_colors,
            has_uvs: arrays.has_uvs,
            is_skinned: arrays.is_skinned,
            is_mirrored: false,
            world_from_mesh: Mat4::IDENTITY,
            weights: Vec::new(),
            tinted: Tinted::Nothing,
        }
    }

    fn pose(&mut self, character: &Character, world: &WorldPose) {
        let Some(instance) = character.instance(self.index) else { return };
        let at_node = world.matrix(instance.node);
        self.world_from_mesh = Mat4::from(at_node);
        self.is_mirrored = at_node.matrix3.determinant() < 0.0;
        if let Some(skin) = character.skin_of(instance) {
            let matrix =
                |(&node, bind): (&_, &Mat4)| world.matrix(node) * Affine3A::from_mat4(*bind);
            let joints = || skin.joints.iter().zip(&skin.joint_from_mesh);
            let mirrored = joints().map(matrix).find(|m| m.matrix3.determinant() != 0.0);
            self.is_mirrored = mirrored.is_some_and(|m| m.matrix3.determinant() < 0.0);
            self.palette.set(joints().map(matrix));
        }
    }

    /// Shapes the mesh by the weights of its morph targets, on this side of the bus: faces are small.
    fn morph(&mut self, character: &Character, morphs: &MorphWeights) {
        let Some(instance) = character.instance(self.index) else { return };
        let Some(mesh) = character.mesh_of(instance).filter(|m| !m.morphs.is_empty()) else {
            return;
        };
        let weights = morphs.of(instance.node).unwrap_or(mesh.morph_weights.as_slice());
        if weights == self.weights {
            return;
        }
        self.weights = weights.to_vec();
        let (positions, normals) = morphed(mesh, weights);
        let to_gpu = |values: Vec<Vec3>| values.into_iter().map(vec3).collect::<Vec<_>>();
        self.positions.fill(&to_gpu(positions));
        if self.has_normals {
            self.normals.fill(&to_gpu(normals));
        }
    }

    fn paint(&mut self, paint: &Paint, look: &Look, first: usize) {
        let n = self.positions.vertex_count() as usize;
        let wanted = match paint {
            Paint::Plain => Tinted::Nothing,
            Paint::Regions(_) | Paint::RegionColors(_) => Tinted::Tints,
            Paint::Heat(_) => Tinted::Heats,
        };
        if self.tinted == Tinted::Tints || wanted == Tinted::Tints {
            let tints: Vec<_> = (first..first + n).map(|v| vec4(tint(paint, look, v))).collect();
            self.tints.fill(&tints);
        }
        if self.tinted == Tinted::Heats || wanted == Tinted::Heats {
            let share = |v: usize| match paint {
                Paint::Heat(heat) => heat.share(v).unwrap_or(-1.0),
                _ => -1.0,
            };
            self.heats.fill(&(first..first + n).map(share).collect::<Vec<f32>>());
        }
        self.tinted = wanted;
    }

    fn draw(&self, pass: &Pass<'_>) {
        let picture = self.material.texture.as_ref().filter(|_| self.has_uvs);
        let texture = picture.and_then(|p| pass.pictures?.texture(p));
        let blends = self.material.alpha == AlphaMode::Blend
            && (self.material.base_color.w < 0.99
                || self.has_colors
                || picture.is_some_and(|p| pass.pictures.is_some_and(|all| all.has_alpha(p))));
        let outline = self.material.outline().filter(|_| pass.layer == Layer::Outline);
        let (mode, cutoff) = match (pass.layer, self.material.alpha) {
            // Without normals there is nowhere to go from the surface.
            (Layer::Outline, _) if outline.is_none() || !self.has_normals => return,
            (Layer::Blend, _) if !blends => return,
            (Layer::Blend, _) => (3, 0.0),
            (_, AlphaMode::Mask(cutoff)) => (1, cutoff),
            (Layer::Solid, _) if blends => (2, 0.0),
            (Layer::Shape | Layer::Outline, _) if blends => (1, 0.5),
            _ => (0, 0.0),
        };
        let program = pass.program;
        self.bind(program);
        // Until its picture is there, or where it cannot be had, skin is clay.
        let is_clay =
            !self.has_material && !self.has_colors || picture.is_some() && texture.is_none();
        let base = if is_clay { pass.clay.extend(1.0) } else { self.material.base_color };
        program.use_uniform_if_required("baseColor", vec4(base));
        program.use_uniform_if_required("alphaMode", mode);
        program.use_uniform_if_required("alphaCutoff", cutoff);
        if program.requires_uniform("hasPicture") {
            program.use_uniform("hasPicture", i32::from(texture.is_some()));
            program.use_texture("picture", texture.unwrap_or(pass.white));
            let m = picture.map(|p| p.picture_from_uv).unwrap_or_default();
            let row = |x: f32, y: f32, t: f32| vec3(Vec3::new(x, y, t));
            let (x, y, t) = (m.matrix2.x_axis, m.matrix2.y_axis, m.translation);
            program.use_uniform("pictureU", row(x.x, y.x, t.x));
            program.use_uniform("pictureV", row(x.y, y.y, t.y));
        }
        use_finish(program, (&self.material, self.has_uvs), (pass.pictures, pass.white));
        use_outline(program, (outline, self.has_uvs), (pass.pictures, pass.white));
        let states = RenderStates { cull: self.cull(pass), ..pass.states };
        let coarse = self.coarse.as_ref().filter(|_| pass.is_coarse);
        program.draw_elements(states, pass.viewport, coarse.unwrap_or(&self.triangles));
    }

    /// Which side is not drawn: of an outline the front, whatever the material says.
    fn cull(&self, pass: &Pass<'_>) -> Cull {
        let is_outline = pass.layer == Layer::Outline;
        match (pass.culls && !self.material.is_double_sided, is_outline == self.is_mirrored) {
            (false, _) if !is_outline => Cull::None,
            (_, true) => Cull::Back,
            (_, false) => Cull::Front,
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
        // Not every pass has use for these; the driver then drops them.
        if program.requires_attribute("normal") {
            program.use_vertex_attribute("normal", &self.normals);
        }
        if program.requires_attribute("color") {
            program.use_vertex_attribute("color", &self.colors);
        }
        if program.requires_attribute("tint") {
            program.use_vertex_attribute("tint", &self.tints);
        }
        if program.requires_attribute("heat") {
            program.use_vertex_attribute("heat", &self.heats);
        }
        if program.requires_attribute("uv") {
            program.use_vertex_attribute("uv", &self.uvs);
        }
    }
}
