//! Pictures without a window: `render` of the command line, thumbnails, tests.

use image::{ImageFormat, RgbaImage, imageops};
use three_d::{DepthTexture2D, Interpolation, RenderTarget, Texture2D, Wrapping};

use super::ViewError;
use super::camera::{OrbitCamera, ViewDirection};
use super::gl::Offscreen;
use super::look::Look;
use super::renderer::{Detail, PixelRect, Renderer};
use crate::studio::scene::Scene;

/// What a picture shows.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// From where.
    pub direction: ViewDirection,
    /// In which colours.
    pub look: Look,
}

/// Pixels drawn for each one of the picture, along each side: edges are averaged from sixteen.
const OVERSAMPLING: u32 = 2;

impl Picture {
    /// A picture of `scene`, all of it in view.
    ///
    /// # Errors
    /// [`ViewError::NoContext`] where the machine has no OpenGL without a window, [`ViewError::Driver`] where the
    /// driver refuses.
    pub fn draw(&self, scene: &Scene) -> Result<RgbaImage, ViewError> {
        let [width, height] = self.size;
        let mut camera = OrbitCamera::default();
        camera.look_from(self.direction);
        if let Some(bounds) = &scene.bounds {
            camera.frame(bounds, width as f32 / height.max(1) as f32, 1.0);
        }
        // Drawn on a thread of its own: the context becomes current there and disturbs none of the caller's.
        std::thread::scope(|scope| {
            let drawn = std::thread::Builder::new()
                .name("picture".into())
                .spawn_scoped(scope, || self.draw_here(scene, &camera))
                .map_err(|e| ViewError::NoContext { why: e.to_string() })?;
            drawn.join().unwrap_or_else(|_| {
                Err(ViewError::NoContext { why: "the graphics driver broke off".into() })
            })
        })
    }

    fn draw_here(&self, scene: &Scene, camera: &OrbitCamera) -> Result<RgbaImage, ViewError> {
        let offscreen = Offscreen::new()?;
        let mut renderer = Renderer::new(offscreen.gl.clone(), true)?;
        let [width, height] = self.size.map(|side| side.max(1) * OVERSAMPLING);
        let context = renderer.context().clone();
        let (nearest, clamp) = (Interpolation::Nearest, Wrapping::ClampToEdge);
        let color = Texture2D::new_empty::<[u8; 4]>(
            &context, width, height, nearest, nearest, None, clamp, clamp,
        );
        let depth = DepthTexture2D::new::<f32>(&context, width, height, clamp, clamp);
        let target = RenderTarget::new(color.as_color_target(None), depth.as_depth_target());
        let whole = PixelRect { x: 0, y: 0, width, height };
        let how = (OVERSAMPLING as f32, Detail::Full);
        renderer.draw(&target, (whole, whole), (scene, camera, &self.look), how);
        for fault in renderer.take_faults() {
            log::warn!("{fault}");
        }
        let pixels: Vec<[u8; 4]> = target.read_color();
        let picture =
            RgbaImage::from_raw(width, height, pixels.into_flattened()).ok_or_else(|| {
                ViewError::NoContext { why: "the picture came back too small".into() }
            })?;
        let [width, height] = self.size.map(|side| side.max(1));
        Ok(imageops::resize(&picture, width, height, imageops::FilterType::Triangle))
    }
}

/// A picture of `scene`. See [`Picture::draw`].
///
/// # Errors
/// As [`Picture::draw`].
pub fn render(scene: &Scene, picture: &Picture) -> Result<RgbaImage, ViewError> {
    picture.draw(scene)
}

/// The same as the bytes of a PNG file.
///
/// # Errors
/// As [`Picture::draw`]; [`ViewError::Encode`] where the picture cannot be encoded.
pub fn render_png(scene: &Scene, picture: &Picture) -> Result<Vec<u8>, ViewError> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.draw(scene)?.write_to(&mut bytes, ImageFormat::Png)?;
    Ok(bytes.into_inner())
}
