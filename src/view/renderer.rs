//! The passes that make a picture: shadow, contact, backdrop, skin, floor, joints, lines.

use std::convert::Infallible;
use std::time::Duration;

use glam::{Mat4, Vec2, Vec3};
use three_d::{
    Blend, ClearState, Context, DepthTest, DepthTexture2D, Interpolation, Program, RenderStates,
    RenderTarget, ScissorBox, Texture2D, Viewport, Wrapping, WriteMask,
};

use super::ViewError;
use super::cache::Cache;
use super::camera::{Eye, OrbitCamera};
use super::convert::{mat4, vec2, vec3, vec4};
use super::gl;
use super::look::Look;
use super::mesh::{Layer, Pass};
use super::overlay::{Ribbons, Solids};
use super::programs::Programs;
use super::stage::{Stage, TO_FILL, TO_KEY};
use crate::studio::scene::{Bounds, Paint, Scene, Shading};

/// A rectangle of a framebuffer in pixels, from the bottom left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRect {
    /// From the left.
    pub x: i32,
    /// From the bottom.
    pub y: i32,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

impl PixelRect {
    pub(super) fn viewport(self) -> Viewport {
        Viewport { x: self.x, y: self.y, width: self.width, height: self.height }
    }

    pub(super) fn scissor(self) -> ScissorBox {
        ScissorBox { x: self.x, y: self.y, width: self.width, height: self.height }
    }

    fn aspect(self) -> f32 {
        self.width as f32 / self.height.max(1) as f32
    }
}

/// Side of the shadow map and of the contact map, in texels.
const SHADOW_TEXELS: u32 = 1024;
const CONTACT_TEXELS: u32 = 256;

/// Triangles from which a passing picture is drawn coarse where the processor does the drawing.
const COARSE_FROM: usize = 150_000;

/// How long it then stands still before all of it is drawn: a hand that pauses in a turn must not wait for that.
const SETTLING: Duration = Duration::from_millis(250);

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Everything.
    Full,
    /// Skin before its backdrop: for small pictures.
    Tile,
}

/// Draws scenes in one GL context. It belongs to the thread of that context.
pub struct Renderer {
    context: Context,
    programs: Programs,
    shadow: DepthTexture2D,
    contact: DepthTexture2D,
    white: Texture2D,
    bones: Solids,
    lines: Ribbons,
    cache: Cache,
    is_software: bool,
    can_wait: bool,
    wants_more: bool,
}

/// One frame's numbers, shared by its passes.
struct Frame<'a> {
    scene: &'a Scene,
    look: &'a Look,
    eye: Eye,
    viewport: Viewport,
    stage: Stage,
    shadow_from_world: Mat4,
    widen: f32,
    place: usize,
    is_coarse: bool,
}

impl Frame<'_> {
    fn radius(&self) -> f32 {
        self.stage.bounds.radius()
    }

    /// Whether skin is plain under colours that say something; else it has its own.
    fn is_plain(&self) -> bool {
        matches!(&*self.scene.paint, Paint::RegionColors(_) | Paint::Heat(_))
    }

    /// Whether the lines round drawn materials are in sight: with the materials' own look, and where there is time.
    fn has_outlines(&self) -> bool {
        self.scene.shading == Shading::Lit && !self.is_plain() && !self.is_coarse
    }
}

impl Renderer {
    /// A renderer for the context `gl`, which must be current on this thread. One that can wait draws nothing before
    /// all of it is there; one that cannot (a window's) draws what there is and says that it wants more.
    ///
    /// # Errors
    /// [`ViewError::Driver`] where the driver refuses a shader.
    pub fn new(
        gl: std::sync::Arc<three_d::context::Context>,
        can_wait: bool,
    ) -> Result<Self, ViewError> {
        let is_software = gl::is_software(&gl);
        let context = Context::from_gl_context(gl)?;
        let (nearest, clamp) = (Interpolation::Nearest, Wrapping::ClampToEdge);
        let depth = |side: u32| DepthTexture2D::new::<f32>(&context, side, side, clamp, clamp);
        let white =
            Texture2D::new_empty::<[u8; 4]>(&context, 1, 1, nearest, nearest, None, clamp, clamp);
        white.fill(&[[255_u8; 4]]);
        Ok(Self {
            programs: Programs::new(&context)?,
            shadow: depth(SHADOW_TEXELS),
            contact: depth(CONTACT_TEXELS),
            white,
            bones: Solids::new(&context),
            lines: Ribbons::new(&context),
            cache: Cache::new(can_wait),
            is_software,
            can_wait,
            wants_more: false,
            context,
        })
    }

    /// The three-d context, for render targets.
    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Its programs.
    pub(super) fn programs(&self) -> &Programs {
        &self.programs
    }

    /// Whether the processor does the drawing.
    pub(super) fn is_software(&self) -> bool {
        self.is_software
    }

    /// Whether another frame would show more than the last: meshes or pictures were still to come, or it was drawn
    /// coarse because it moved. Asking takes the answer back.
    pub(super) fn wants_more(&mut self) -> bool {
        std::mem::take(&mut self.wants_more)
    }

    /// Pictures of materials that could not be shown, a sentence for each, since the last call.
    pub(super) fn take_faults(&mut self) -> Vec<String> {
        self.cache.take_faults()
    }

    /// Draws `scene` into the rectangle `rect` of `target`, nothing outside `clip`.
    ///
    /// `pixels_per_point` widens lines on fine screens. Whether all of it was there to be drawn.
    pub(super) fn draw(
        &mut self,
        target: &RenderTarget<'_>,
        (rect, clip): (PixelRect, PixelRect),
        (scene, camera, look): (&Scene, &OrbitCamera, &Look),
        (pixels_per_point, detail): (f32, Detail),
    ) -> bool {
        let ready = self.cache.ready(&self.context, (scene, camera, look));
        self.wants_more |= ready.is_arriving;
        let is_slow = self.is_software && !self.can_wait && ready.n_triangles >= COARSE_FROM;
        // What stands in until all has arrived is drawn again and again.
        let is_passing = ready.is_arriving || ready.still.is_some_and(|still| still < SETTLING);
        // Edges of so many triangles are a grey smear.
        let is_coarse = is_slow && (is_passing || scene.has_wire);
        self.wants_more |= is_slow && is_passing;
        let bounds = scene.bounds.unwrap_or(Bounds { low: Vec3::NEG_ONE, high: Vec3::ONE });
        let floor = bounds.center().with_y(scene.floor_m);
        let bounds = bounds.union(&Bounds { low: floor, high: floor });
        let stage = Stage { bounds, floor_m: scene.floor_m };
        let reach = bounds.radius() + camera.target.distance(bounds.center());
        let frame = Frame {
            scene,
            look,
            eye: camera.eye(rect.aspect(), reach),
            viewport: rect.viewport(),
            stage,
            shadow_from_world: stage.shadow_from_world(),
            widen: pixels_per_point,
            place: ready.place,
            is_coarse,
        };
        let is_full = detail == Detail::Full;
        self.draw_depth(&self.shadow, &frame, (frame.shadow_from_world, is_full));
        if is_full {
            self.draw_depth(&self.contact, &frame, (stage.contact_from_world(), true));
        }
        target.clear_partially(clip.scissor(), ClearState::depth(1.0));
        let drawn = target.write_partially::<Infallible>(clip.scissor(), || {
            self.draw_backdrop(&frame);
            self.draw_skin(&frame, Layer::Solid);
            if frame.has_outlines() {
                self.draw_skin(&frame, Layer::Outline);
            }
            if is_full {
                self.draw_floor(&frame);
            }
            self.draw_skin(&frame, Layer::Blend);
            if scene.has_wire {
                self.draw_wire(&frame);
            }
            Ok(())
        });
        let Ok(_) = drawn;
        self.draw_overlays(target, clip, &frame);
        !ready.is_arriving
    }

    fn draw_depth(
        &self,
        into: &DepthTexture2D,
        frame: &Frame<'_>,
        (from_world, fills): (Mat4, bool),
    ) {
        let target = into.as_depth_target();
        target.clear(ClearState::depth(1.0));
        if !fills {
            return;
        }
        let viewport = Viewport::new_at_origo(into.width(), into.height());
        let drawn = target.write::<Infallible>(|| {
            self.depth_pass(frame, from_world, viewport);
            Ok(())
        });
        let Ok(_) = drawn;
    }

    fn depth_pass(&self, frame: &Frame<'_>, clip_from_world: Mat4, viewport: Viewport) {
        let states = RenderStates { write_mask: WriteMask::DEPTH, ..RenderStates::default() };
        let program = &self.programs.depth;
        program.use_uniform("clipFromWorld", mat4(clip_from_world));
        self.pass(frame, (program, Layer::Shape), states, (viewport, false));
    }

    fn pass(
        &self,
        frame: &Frame<'_>,
        (program, layer): (&Program, Layer),
        states: RenderStates,
        (viewport, culls): (Viewport, bool),
    ) {
        let Some((character, pictures)) = self.cache.at(frame.place) else { return };
        let pass = Pass {
            program,
            states,
            viewport,
            layer,
            culls,
            is_coarse: frame.is_coarse,
            clay: frame.look.clay.to_linear(),
            pictures,
            white: &self.white,
        };
        character.draw(frame.scene, &pass);
    }

    fn draw_backdrop(&self, frame: &Frame<'_>) {
        let program = &self.programs.backdrop;
        program.use_uniform("inner", vec3(frame.look.backdrop_inner.to_srgb()));
        program.use_uniform("outer", vec3(frame.look.backdrop_outer.to_srgb()));
        program.use_vertex_attribute("position", &self.programs.square);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::Always,
            ..RenderStates::default()
        };
        program.draw_arrays(states, frame.viewport, 6);
    }

    fn use_shadow(&self, program: &Program, frame: &Frame<'_>) {
        program.use_uniform("shadowFromWorld", mat4(frame.shadow_from_world));
        program.use_depth_texture("shadowMap", &self.shadow);
        program.use_uniform("shadowTexel", 2.2 / SHADOW_TEXELS as f32);
    }

    fn draw_skin(&self, frame: &Frame<'_>, layer: Layer) {
        let see_through = frame.scene.shading == Shading::XRay;
        let mut states = RenderStates::default();
        if see_through {
            if layer == Layer::Solid {
                // The nearest layer alone, so that folds behind it do not add up.
                self.depth_pass(frame, frame.eye.clip_from_world, frame.viewport);
            }
            states.depth_test = DepthTest::LessOrEqual;
            states.blend = Blend::TRANSPARENCY;
        }
        if layer == Layer::Blend {
            states.depth_test = DepthTest::LessOrEqual;
            states.write_mask = WriteMask::COLOR;
            states.blend = Blend::TRANSPARENCY;
        }
        let program = &self.programs.surface;
        program.use_uniform("clipFromWorld", mat4(frame.eye.clip_from_world));
        // An outline lies behind the surface where both are in one place.
        program.use_uniform("pull", if layer == Layer::Outline { -1e-6_f32 } else { 0.0 });
        self.use_shadow(program, frame);
        program.use_uniform("eye", vec3(frame.eye.position));
        let up = frame.eye.clip_from_world.row(1).truncate().normalize_or(Vec3::Y);
        program.use_uniform("eyeUp", vec3(up));
        program.use_uniform("toKey", vec3(TO_KEY.normalize()));
        program.use_uniform("keyColor", vec3(Vec3::new(1.0, 0.965, 0.92) * 0.92));
        program.use_uniform("toFill", vec3(TO_FILL.normalize()));
        program.use_uniform("fillColor", vec3(Vec3::new(0.82, 0.9, 1.0) * 0.2));
        program.use_uniform("skyColor", vec3(Vec3::new(0.93, 0.96, 1.0) * 0.36));
        program.use_uniform("bounceColor", vec3(Vec3::new(1.0, 0.93, 0.86) * 0.17));
        program.use_uniform("opacity", if see_through { 0.4_f32 } else { 1.0 });
        program.use_uniform("normalOffset", frame.radius() * 0.006);
        let threshold = match &*frame.scene.paint {
            Paint::Heat(heat) => heat.scale.threshold_share().unwrap_or(-1.0),
            _ => -1.0,
        };
        program.use_uniform("isPlain", i32::from(frame.is_plain()));
        program.use_uniform("plainColor", vec3(frame.look.clay.to_linear() * 0.7));
        program.use_uniform("heatThreshold", threshold);
        self.pass(frame, (program, layer), states, (frame.viewport, !see_through));
    }

    /// The edges of all triangles over the skin they belong to.
    fn draw_wire(&self, frame: &Frame<'_>) {
        let program = &self.programs.wire;
        program.use_uniform("clipFromWorld", mat4(frame.eye.clip_from_world));
        program.use_uniform("pull", 2e-4_f32);
        let color = frame.look.wire.to_srgb().extend(frame.look.wire_strength);
        program.use_uniform("wireColor", vec4(color));
        let states = RenderStates {
            depth_test: DepthTest::LessOrEqual,
            write_mask: WriteMask::COLOR,
            blend: Blend::TRANSPARENCY,
            ..RenderStates::default()
        };
        gl::draw_edges_only(&self.context, true);
        self.pass(frame, (program, Layer::Solid), states, (frame.viewport, true));
        gl::draw_edges_only(&self.context, false);
    }

    fn draw_floor(&self, frame: &Frame<'_>) {
        let program = &self.programs.floor;
        let (contact_center, contact_radius, contact_range) = frame.stage.contact_extent();
        program.use_uniform("clipFromWorld", mat4(frame.eye.clip_from_world));
        self.use_shadow(program, frame);
        program.use_uniform("center", vec3(frame.stage.floor_center()));
        program.use_uniform("radius", frame.radius() * 5.0);
        program.use_uniform("cell", frame.stage.cell());
        program.use_uniform("lineColor", vec3(frame.look.grid.to_srgb()));
        program.use_uniform("lineStrength", frame.look.grid_strength);
        program.use_uniform("shadowColor", vec3(frame.look.shadow.to_srgb()));
        program.use_uniform("shadowStrength", frame.look.shadow_strength);
        program.use_depth_texture("contactMap", &self.contact);
        program.use_uniform("contactCenter", vec2(contact_center));
        program.use_uniform("contactRadius", contact_radius);
        program.use_uniform("contactRange", contact_range);
        program.use_uniform("contactFade", frame.radius() * 0.09);
        program.use_vertex_attribute("position", &self.programs.square);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            blend: Blend::TRANSPARENCY,
            ..RenderStates::default()
        };
        program.draw_arrays(states, frame.viewport, 6);
    }

    /// Joints and lines shine through the skin but hide each other as they stand.
    fn draw_overlays(&mut self, target: &RenderTarget<'_>, clip: PixelRect, frame: &Frame<'_>) {
        let n_solid = self.bones.set(&frame.scene.bones, &frame.scene.planes, frame.look);
        let n_line = self.lines.set(&frame.scene.lines, frame.look);
        if n_solid + n_line == 0 {
            return;
        }
        target.clear_partially(clip.scissor(), ClearState::depth(1.0));
        let states = RenderStates {
            blend: Blend::TRANSPARENCY,
            depth_test: DepthTest::LessOrEqual,
            ..RenderStates::default()
        };
        let drawn = target.write_partially::<Infallible>(clip.scissor(), || {
            if n_solid > 0 {
                let program = &self.programs.solid;
                program.use_uniform("clipFromWorld", mat4(frame.eye.clip_from_world));
                program.use_uniform("toEye", vec3(frame.eye.backward));
                program.use_vertex_attribute("position", &self.bones.positions);
                program.use_vertex_attribute("normal", &self.bones.normals);
                program.use_vertex_attribute("color", &self.bones.colors);
                program.draw_arrays(states, frame.viewport, n_solid);
            }
            if n_line > 0 {
                let program = &self.programs.line;
                let size = Vec2::new(frame.viewport.width as f32, frame.viewport.height as f32);
                program.use_uniform("clipFromWorld", mat4(frame.eye.clip_from_world));
                program.use_uniform("viewportPx", vec2(size));
                program.use_uniform("widthPx", 2.5 * frame.widen);
                program.use_uniform("dash", frame.radius() * 0.03);
                program.use_vertex_attribute("from", &self.lines.from);
                program.use_vertex_attribute("to", &self.lines.to);
                program.use_vertex_attribute("corner", &self.lines.corner);
                program.use_vertex_attribute("color", &self.lines.colors);
                let states = RenderStates { depth_test: DepthTest::Always, ..states };
                program.draw_arrays(states, frame.viewport, n_line);
            }
            Ok(())
        });
        let Ok(_) = drawn;
    }
}
