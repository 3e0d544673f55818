//! The viewport inside a window: one renderer for the thread that owns the window's GL context.
//!
//! The window's paint callbacks must be `Send`, what lives on a graphics card is not; so the renderer stays in a
//! thread-local and the callbacks carry plain data. Several viewports (Compare) and tiles (the library) share it: each
//! calls [`paint`] or [`paint_tile`] with its own rectangle.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use three_d::RenderTarget;
use three_d::context::HasContext;

use super::ViewError;
use super::camera::OrbitCamera;
use super::gl::bound_framebuffer;
use super::look::Look;
use super::renderer::{Detail, PixelRect, Renderer};
use super::tiles::Tiles;
use crate::studio::scene::Scene;

struct Screen {
    renderer: Renderer,
    tiles: Tiles,
    /// Spent on drawing since it was last asked for.
    drawing: Duration,
}

thread_local! {
    static SCREEN: RefCell<Option<Screen>> = const { RefCell::new(None) };
}

/// Makes this thread's renderer for the window's context.
///
/// # Errors
/// [`ViewError::TooOld`] where it is no OpenGL 3.3 (or ES 3), [`ViewError::Driver`] where it refuses our shaders.
pub fn attach(gl: Arc<three_d::context::Context>) -> Result<(), ViewError> {
    let version = gl.version();
    let has = (version.major, version.minor);
    let least = if version.is_embedded { (3, 0) } else { (3, 3) };
    if has < least {
        return Err(ViewError::TooOld { major: has.0, minor: has.1 });
    }
    let renderer = Renderer::new(gl, false)?;
    SCREEN.set(Some(Screen { renderer, tiles: Tiles::default(), drawing: Duration::ZERO }));
    Ok(())
}

/// Gives back what [`attach`] made, while the context still stands.
pub fn detach() {
    SCREEN.set(None);
}

/// Whether another frame would show more than the last one did: meshes or pictures are on their way, or a large character was drawn coarse while it moved. Call once a frame and repaint where it says so.
pub fn wants_more() -> bool {
    SCREEN.with_borrow_mut(|s| s.as_mut().is_some_and(|s| s.renderer.wants_more()))
}

/// Pictures of materials that could not be shown, a sentence for each, since the last call.
pub fn take_faults() -> Vec<String> {
    SCREEN.with_borrow_mut(|s| s.as_mut().map(|s| s.renderer.take_faults()).unwrap_or_default())
}

/// Milliseconds that scenes and tiles took to be sent and drawn since the last call: where the processor draws, most of
/// a frame.
pub fn take_drawing_ms() -> f32 {
    let drawing = SCREEN.with_borrow_mut(|s| s.as_mut().map(|s| std::mem::take(&mut s.drawing)));
    drawing.unwrap_or_default().as_secs_f32() * 1e3
}

/// How many tiles a frame may draw anew: one where the processor does the drawing.
pub fn tiles_per_frame() -> usize {
    SCREEN.with_borrow(|screen| match screen {
        Some(screen) if screen.renderer.is_software() => 1,
        Some(_) => 4,
        None => 0,
    })
}

/// Draws into `rect` of the framebuffer that is bound, of `screen` pixels; nothing outside `clip`.
///
/// Does nothing on a thread without a renderer.
pub fn paint(
    seen: (&Scene, &OrbitCamera, &Look),
    rects: (PixelRect, PixelRect),
    screen: [u32; 2],
    pixels_per_point: f32,
) {
    on_target(screen, |Screen { renderer, .. }, target| {
        renderer.draw(target, rects, seen, (pixels_per_point, Detail::Full));
    });
}

/// Shows a small picture in `rect`, as [`paint`] does, all of its scene in view, without floor and shadow. `key` names
/// the tile from frame to frame. With a `scene` the picture is drawn anew (no more than [`tiles_per_frame`] should
/// be), without one it is shown as it is; a tile that never had one stays empty.
pub fn paint_tile(
    key: u64,
    (scene, look): (Option<&Scene>, &Look),
    rects: (PixelRect, PixelRect),
    screen: [u32; 2],
) {
    on_target(screen, |Screen { renderer, tiles, .. }, target| {
        tiles.show(renderer, target, (key, scene, look), rects);
    });
}

/// Forgets the pictures of all tiles: another character is open.
pub fn forget_tiles() {
    SCREEN.with_borrow_mut(|screen| {
        if let Some(screen) = screen {
            screen.tiles = Tiles::default();
        }
    });
}

fn on_target([width, height]: [u32; 2], draw: impl FnOnce(&mut Screen, &RenderTarget<'_>)) {
    let start = Instant::now();
    SCREEN.with_borrow_mut(|screen| {
        let Some(screen) = screen else { return };
        let context = screen.renderer.context().clone();
        // Under tests egui draws into a framebuffer of its own.
        let target = match bound_framebuffer(&context) {
            Some(bound) => RenderTarget::from_framebuffer(&context, width, height, bound),
            None => RenderTarget::screen(&context, width, height),
        };
        draw(screen, &target);
        // The framebuffer is another's: dropping the target would delete it.
        let _ = target.into_framebuffer();
        screen.drawing += start.elapsed();
    });
}
