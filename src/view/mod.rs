//! Floor 10: from a scene description to pixels, with three-d.
//!
//! May use `math`, `model` and (to read) `studio`. Knows no panel and no file; nobody outside sees three-d or cgmath.
//!
//! Architecture invariant: what is drawn depends on the [`Scene`](crate::studio::scene::Scene), the camera and the
//! [`Look`] alone; a picture without a window ([`render`]) and the viewport run the same [`Renderer`].

mod arrays;
mod cache;
mod camera;
mod convert;
mod cube;
mod gizmo;
mod gl;
mod look;
mod mesh;
mod overlay;
mod picking;
mod picture;
mod pictures;
mod programs;
mod renderer;
mod screen;
mod selecting;
mod stage;
#[cfg(test)]
mod test_scene;
mod tiles;
mod toon;

use std::sync::OnceLock;

pub use camera::{Eye, OrbitCamera, Ray, ViewDirection};
pub use cube::{CubeFace, cube_face_at, cube_faces};
pub use gizmo::{Gizmo, GizmoMode, Handle};
pub use gl::Offscreen;
pub use look::{KindColors, Look, Rgb, heat};
pub use picking::{Hit, Pointed, Under, pick_skin};
pub use picture::{Picture, render, render_png};
pub use renderer::{PixelRect, Renderer};
pub use screen::{
    attach, detach, forget_tiles, paint, paint_tile, take_drawing_ms, take_faults, tiles_per_frame,
    wants_more,
};
pub use selecting::{PosedSkin, Reach, ScreenArea, SeenSkin};

/// Runs what a hand waits for on threads of its own: on those of all others it would stand behind the work of jobs, and
/// the window with it.
fn at_once<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    static THREADS: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    match THREADS.get_or_init(|| rayon::ThreadPoolBuilder::new().build().ok()) {
        Some(threads) => threads.install(run),
        None => run(),
    }
}

/// Why nothing can be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// There is no way to OpenGL 3.3 here.
    #[error(
        "this machine offers no OpenGL 3.3 without a window ({why}); install a driver, such as Mesa's (libegl1 libgl1-mesa-dri)"
    )]
    NoContext {
        /// What the system said.
        why: String,
    },
    /// The driver speaks an older OpenGL.
    #[error("this display has OpenGL {major}.{minor}")]
    TooOld {
        /// Its version.
        major: u32,
        /// Behind the point.
        minor: u32,
    },
    /// The driver refused a shader or a buffer.
    #[error("the graphics driver refused to work")]
    Driver(#[from] three_d::CoreError),
    /// The picture could not be encoded.
    #[error("the picture could not be encoded")]
    Encode(#[from] image::ImageError),
}
