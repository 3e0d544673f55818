//! Draws the whole window of a test, 3D view included, on a GL context without a window.
#![allow(clippy::unwrap_used, reason = "a test stops where something is missing")]

use std::convert::Infallible;

use eframe::egui_glow::Painter;
use egui_kittest::TestRenderer;
use tailbone::view::Offscreen;
use three_d::{DepthTexture2D, Interpolation, RenderTarget, Texture2D, Wrapping};

/// egui_glow's painter on a context without a window.
pub struct GlowTestRenderer {
    // Dropped before the context it lives in.
    painter: Painter,
    offscreen: Offscreen,
}

impl GlowTestRenderer {
    /// A renderer; it owns this thread's GL context.
    pub fn new() -> Self {
        let offscreen = Offscreen::new().unwrap();
        let painter = Painter::new(offscreen.gl.clone(), "", None, false).unwrap();
        Self { painter, offscreen }
    }
}

impl Drop for GlowTestRenderer {
    fn drop(&mut self) {
        tailbone::view::detach();
        self.painter.destroy();
    }
}

impl TestRenderer for GlowTestRenderer {
    fn setup_eframe(&self, cc: &mut eframe::CreationContext<'_>, _: &mut eframe::Frame) {
        cc.gl = Some(self.offscreen.gl.clone());
    }

    fn handle_delta(&mut self, delta: &mut egui::TexturesDelta) {
        #[allow(clippy::iter_over_hash_type, reason = "textures do not depend on each other")]
        for (id, images) in delta.set.drain() {
            for image in images {
                self.painter.set_texture(id, &image);
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "textures do not depend on each other")]
        for id in delta.free.drain() {
            self.painter.free_texture(id);
        }
    }

    fn render(
        &mut self,
        ctx: &egui::Context,
        output: &egui::FullOutput,
    ) -> Result<image::RgbaImage, String> {
        let points = ctx.pixels_per_point();
        let size = ctx.content_rect().size() * points;
        let (width, height) = (size.x.round() as u32, size.y.round() as u32);
        let shapes = ctx.tessellate(output.shapes.clone(), points);
        let context = three_d::Context::from_gl_context(self.offscreen.gl.clone()).unwrap();
        let (nearest, clamp) = (Interpolation::Nearest, Wrapping::ClampToEdge);
        let color = Texture2D::new_empty::<[u8; 4]>(
            &context, width, height, nearest, nearest, None, clamp, clamp,
        );
        let depth = DepthTexture2D::new::<f32>(&context, width, height, clamp, clamp);
        let target = RenderTarget::new(color.as_color_target(None), depth.as_depth_target());
        let drawn = target.write::<Infallible>(|| {
            self.painter.clear([width, height], [0.0, 0.0, 0.0, 1.0]);
            self.painter.paint_primitives([width, height], points, &shapes);
            Ok(())
        });
        let Ok(_) = drawn;
        let pixels: Vec<[u8; 4]> = target.read_color();
        image::RgbaImage::from_raw(width, height, pixels.into_flattened())
            .ok_or_else(|| "the picture came back too small".into())
    }
}
