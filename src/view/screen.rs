//! The viewport inside a window: one renderer for the thread that owns the window's GL context.
//!
//! The window's paint callbacks must be `Send`, what lives on a graphics card is not; so the renderer stays in a
//! thread-local and the callbacks carry plain data.

use std::cell::RefCell;
use std::sync::Arc;

use three_d::RenderTarget;

use super::ViewError;
use super::camera::OrbitCamera;
use super::gl::bound_framebuffer;
use super::look::Look;
use super::renderer::{PixelRect, Renderer};
use crate::studio::scene::Scene;

thread_local! {
    static RENDERER: RefCell<Option<Renderer>> = const { RefCell::new(None) };
}

/// Makes this thread's renderer for the window's context.
///
/// # Errors
/// [`ViewError::Driver`] where the driver is too old; the viewport then stays empty.
pub fn attach(gl: Arc<three_d::context::Context>) -> Result<(), ViewError> {
    let renderer = Renderer::new(gl)?;
    RENDERER.set(Some(renderer));
    Ok(())
}

/// Gives back what [`attach`] made, while the context still stands.
pub fn detach() {
    RENDERER.set(None);
}

/// Draws into `rect` of the framebuffer that is bound, of `screen` pixels; nothing outside `clip`.
///
/// Does nothing on a thread without a renderer.
pub fn paint(
    (scene, camera, look): (&Scene, &OrbitCamera, &Look),
    (rect, clip): (PixelRect, PixelRect),
    screen: [u32; 2],
    pixels_per_point: f32,
) {
    RENDERER.with_borrow_mut(|renderer| {
        let Some(renderer) = renderer else { return };
        let context = renderer.context().clone();
        let [width, height] = screen;
        // Under tests egui draws into a framebuffer of its own.
        let target = match bound_framebuffer(&context) {
            Some(bound) => RenderTarget::from_framebuffer(&context, width, height, bound),
            None => RenderTarget::screen(&context, width, height),
        };
        renderer.draw(&target, (rect, clip), (scene, camera, look), pixels_per_point);
        // The framebuffer is another's: dropping the target would delete it.
        let _ = target.into_framebuffer();
    });
}
