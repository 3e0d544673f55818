//! The passes that make a picture: shadow, contact, backdrop, floor, skin, joints, lines.

use std::convert::Infallible;

use glam::camera::rh::proj::opengl;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec2, Vec3};
use three_d::{
    Blend, ClearState, Context, Cull, DepthTest, DepthTexture2D, RenderStates, RenderTarget,
    ScissorBox, Viewport, Wrapping, WriteMask,
};

use super::ViewError;
use super::camera::{Eye, OrbitCamera};
use super::convert::{mat4, vec2, vec3};
use super::look::Look;
use super::mesh::GpuCharacter;
use super::overlay::{Ribbons, Solids};
use super::programs::Programs;
use crate::studio::scene::{Bounds, Scene, Shading};

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
    fn viewport(self) -> Viewport {
        Viewport { x: self.x, y: self.y, width: self.width, height: self.height }
    }

    fn scissor(self) -> ScissorBox {
        ScissorBox { x: self.x, y: self.y, width: self.width, height: self.height }
    }

    fn aspect(self) -> f32 {
        self.width as f32 / self.height.max(1) as f32
    }
}

/// Side of the shadow map and of the contact map, in texels.
const SHADOW_TEXELS: u32 = 1024;
const CONTACT_TEXELS: u32 = 256;

/// Where the light comes from: left, above, in front; the fill from the right.
const TO_KEY: Vec3 = Vec3::new(0.48, 0.72, 0.5);
const TO_FILL: Vec3 = Vec3::new(-0.8, 0.25, 0.3);

/// Draws scenes in one GL context. It belongs to the thread of that context.
pub struct Renderer {
    context: Context,
    programs: Programs,
    shadow: DepthTexture2D,
    contact: DepthTexture2D,
    bones: Solids,
    lines: Ribbons,
    character: Option<GpuCharacter>,
    look: Option<Look>,
}

/// One frame's numbers, shared by its passes.
struct Frame<'a> {
    scene: &'a Scene,
    look: &'a Look,
    eye: Eye,
    viewport: Viewport,
    bounds: Bounds,
    shadow_from_world: Mat4,
    widen: f32,
}

impl Frame<'_> {
    /// The floor stands under the body, or under what hangs lower where there is no body.
    fn floor_center(&self) -> Vec3 {
        self.bounds.center().with_y(self.scene.floor_m)
    }
}

impl Renderer {
    /// A renderer for the context `gl`, which must be current on this thread.
    ///
    /// # Errors
    /// [`ViewError::Driver`] where the driver refuses a shader.
    pub fn new(gl: std::sync::Arc<three_d::context::Context>) -> Result<Self, ViewError> {
        let context = Context::from_gl_context(gl)?;
        let depth = |side: u32| {
            let clamp = Wrapping::ClampToEdge;
            DepthTexture2D::new::<f32>(&context, side, side, clamp, clamp)
        };
        Ok(Self {
            programs: Programs::new(&context)?,
            shadow: depth(SHADOW_TEXELS),
            contact: depth(CONTACT_TEXELS),
            bones: Solids::new(&context),
            lines: Ribbons::new(&context),
            character: None,
            look: None,
            context,
        })
    }

    /// The three-d context, for render targets.
    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Draws `scene` into the rectangle `rect` of `target`, nothing outside `clip`.
    ///
    /// `pixels_per_point` widens lines on fine screens.
    pub(super) fn draw(
        &mut self,
        target: &RenderTarget<'_>,
        (rect, clip): (PixelRect, PixelRect),
        (scene, camera, look): (&Scene, &OrbitCamera, &Look),
        pixels_per_point: f32,
    ) {
        if !self.character.as_ref().is_some_and(|c| c.is_of(&scene.character)) {
            self.character = Some(GpuCharacter::new(&self.context, scene.character.clone()));
        }
        let look_changed = self.look.as_ref() != Some(look);
        if look_changed {
            self.look = Some(look.clone());
        }
        if let Some(character) = &mut self.character {
            character.update(scene, look, look_changed);
        }
        let bounds = scene.bounds.unwrap_or(Bounds { low: Vec3::NEG_ONE, high: Vec3::ONE });
        let floor = bounds.center().with_y(scene.floor_m);
        let bounds = bounds.union(&Bounds { low: floor, high: floor });
        let reach = bounds.radius() + camera.target.distance(bounds.center());
        let frame = Frame {
            scene,
            look,
            eye: camera.eye(rect.aspect(), reach),
            viewport: rect.viewport(),
            bounds,
            shadow_from_world: shadow_from_world(&bounds),
            widen: pixels_per_point,
        };
        self.draw_depth(&self.shadow, &frame, frame.shadow_from_world);
        self.draw_depth(&self.contact, &frame, contact_from_world(&frame));
        target.clear_partially(clip.scissor(), ClearState::depth(1.0));
        let drawn = target.write_partially::<Infallible>(clip.scissor(), || {
            self.draw_backdrop(&frame);
            self.draw_skin(&frame);
            self.draw_floor(&frame);
            Ok(())
        });
        let Ok(_) = drawn;
        self.draw_overlays(target, clip, &frame);
    }

    fn draw_depth(&self, into: &DepthTexture2D, frame: &Frame<'_>, clip_from_world: Mat4) {
        let target = into.as_depth_target();
        target.clear(ClearState::depth(1.0));
        let viewport = Viewport::new_at_origo(into.width(), into.height());
        let drawn = target.write::<Infallible>(|| {
            self.depth_pass(frame, clip_from_world, viewport);
            Ok(())
        });
        let Ok(_) = drawn;
    }

    fn depth_pass(&self, frame: &Frame<'_>, clip_from_world: Mat4, viewport: Viewport) {
        let states = RenderStates { write_mask: WriteMask::DEPTH, ..RenderStates::default() };
        if let Some(character) = &self.character {
            let program = &self.programs.depth;
            program.use_uniform("clipFromWorld", mat4(clip_from_world));
            character.draw(frame.scene, program, |_, _| {}, states, viewport);
        }
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

    fn use_shadow(&self, program: &three_d::Program, frame: &Frame<'_>) {
        program.use_uniform("shadowFromWorld", mat4(frame.shadow_from_world));
        program.use_depth_texture("shadowMap", &self.shadow);
        program.use_uniform("shadowTexel", 2.2 / SHADOW_TEXELS as f32);
    }

    fn draw_skin(&self, frame: &Frame<'_>) {
        let Some(character) = &self.character else { return };
        let see_through = frame.scene.shading == Shading::XRay;
        let mut states = RenderStates { cull: Cull::None, ..RenderStates::default() };
        if see_through {
            // The nearest layer alone, so that folds behind it do not add up.
            self.depth_pass(frame, frame.eye.clip_from_world, frame.viewport);
            states.depth_test = DepthTest::LessOrEqual;
            states.blend = Blend::TRANSPARENCY;
        }
        let program = &self.programs.surface;
        program.use_uniform("clipFromWorld", mat4(frame.eye.clip_from_world));
        self.use_shadow(program, frame);
        program.use_uniform("eye", vec3(frame.eye.position));
        program.use_uniform("toKey", vec3(TO_KEY.normalize()));
        program.use_uniform("keyColor", vec3(Vec3::new(1.0, 0.965, 0.92) * 0.92));
        program.use_uniform("toFill", vec3(TO_FILL.normalize()));
        program.use_uniform("fillColor", vec3(Vec3::new(0.82, 0.9, 1.0) * 0.2));
        program.use_uniform("skyColor", vec3(Vec3::new(0.93, 0.96, 1.0) * 0.36));
        program.use_uniform("bounceColor", vec3(Vec3::new(1.0, 0.93, 0.86) * 0.17));
        program.use_uniform("opacity", if see_through { 0.4_f32 } else { 1.0 });
        program.use_uniform("normalOffset", frame.bounds.radius() * 0.006);
        let clay = frame.look.clay.to_linear();
        let base = |program: &three_d::Program, has_colors: bool| {
            program.use_uniform("baseColor", vec3(if has_colors { Vec3::ONE } else { clay }));
        };
        character.draw(frame.scene, program, base, states, frame.viewport);
    }

    fn draw_floor(&self, frame: &Frame<'_>) {
        let program = &self.programs.floor;
        let center = frame.floor_center();
        let (contact_center, contact_radius, contact_range) = contact_extent(frame);
        program.use_uniform("clipFromWorld", mat4(frame.eye.clip_from_world));
        self.use_shadow(program, frame);
        program.use_uniform("center", vec3(center));
        program.use_uniform("radius", frame.bounds.radius() * 5.0);
        program.use_uniform("cell", cell_of(frame.bounds.radius()));
        program.use_uniform("lineColor", vec3(frame.look.grid.to_srgb()));
        program.use_uniform("lineStrength", frame.look.grid_strength);
        program.use_uniform("shadowColor", vec3(frame.look.shadow.to_srgb()));
        program.use_uniform("shadowStrength", frame.look.shadow_strength);
        program.use_depth_texture("contactMap", &self.contact);
        program.use_uniform("contactCenter", vec2(contact_center));
        program.use_uniform("contactRadius", contact_radius);
        program.use_uniform("contactRange", contact_range);
        program.use_uniform("contactFade", frame.bounds.radius() * 0.09);
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
        let n_solid = self.bones.set(&frame.scene.bones, frame.look);
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
                program.use_uniform("dash", frame.bounds.radius() * 0.03);
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

/// Light space of the key light around `bounds`, with room for the shadow's edge.
fn shadow_from_world(bounds: &Bounds) -> Mat4 {
    let (center, radius) = (bounds.center(), bounds.radius() * 1.1);
    let eye = center + TO_KEY.normalize() * radius * 2.0;
    let view = look_at_mat4(eye, center, Vec3::Y);
    opengl::orthographic(-radius, radius, -radius, radius, radius * 0.5, radius * 4.0) * view
}

/// Middle, half side and depth, in metres, of the box over the floor that the contact map looks into.
fn contact_extent(frame: &Frame<'_>) -> (Vec2, f32, f32) {
    let center = frame.floor_center();
    let half = (frame.bounds.high - frame.bounds.low) * 0.5;
    let radius = half.x.max(half.z) + frame.bounds.radius() * 0.2;
    (Vec2::new(center.x, center.z), radius, frame.bounds.radius() * 0.5)
}

/// From under the floor straight up: depth is the height of the lowest skin over the floor.
///
/// x of the map runs along +X and y along +Z, as the floor's shader reads it.
fn contact_from_world(frame: &Frame<'_>) -> Mat4 {
    let (center, radius, range) = contact_extent(frame);
    let floor = frame.scene.floor_m;
    // Clip z from -1 at the floor to 1 at the top; a little below the floor still counts as touching it.
    let slack = range * 0.02;
    Mat4::from_cols(
        Vec3::new(1.0 / radius, 0.0, 0.0).extend(0.0),
        Vec3::new(0.0, 0.0, 2.0 / (range + slack)).extend(0.0),
        Vec3::new(0.0, 1.0 / radius, 0.0).extend(0.0),
        Vec3::new(
            -center.x / radius,
            -center.y / radius,
            -1.0 - 2.0 * (floor - slack) / (range + slack),
        )
        .extend(1.0),
    )
}

/// Spacing of the fine lines: a tenth of a metre for a person, by tens for mice and giants.
fn cell_of(radius: f32) -> f32 {
    let mut cell = 0.1;
    while radius > cell * 40.0 {
        cell *= 10.0;
    }
    while radius < cell * 4.0 {
        cell *= 0.1;
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contact_map_stands_on_the_floor() {
        let scene = Scene { floor_m: 0.3, ..Scene::default() };
        let look = Look::parse(include_str!("../../assets/theme/dark.ron")).unwrap();
        let bounds = Bounds { low: Vec3::new(-1.0, 0.3, -2.0), high: Vec3::new(1.0, 2.0, 1.0) };
        let frame = Frame {
            scene: &scene,
            look: &look,
            eye: OrbitCamera::default().eye(1.0, 1.0),
            viewport: Viewport::new_at_origo(1, 1),
            bounds,
            shadow_from_world: Mat4::IDENTITY,
            widen: 1.0,
        };
        let clip = contact_from_world(&frame);
        let (center, radius, range) = contact_extent(&frame);
        let on_floor = clip.project_point3(Vec3::new(center.x + radius, 0.3, center.y));
        assert!((on_floor.truncate() - Vec2::new(1.0, 0.0)).length() < 1e-5);
        assert!(on_floor.z > -1.0 && on_floor.z < -0.9, "{on_floor}");
        let top = clip.project_point3(Vec3::new(center.x, 0.3 + range, center.y + radius));
        assert!((top - Vec3::new(0.0, 1.0, 1.0)).length() < 1e-5, "{top}");
    }

    #[test]
    fn the_grid_is_a_tenth_of_a_metre_for_a_person() {
        assert_eq!(cell_of(1.1), 0.1);
        assert!((cell_of(0.11) - 0.01).abs() < 1e-6);
        assert_eq!(cell_of(11.0), 1.0);
    }
}
