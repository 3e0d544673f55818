//! A GL context without a window, and which framebuffer is bound: the one file with unsafe calls.
//!
//! Loading a driver's functions by name is unsafe by nature, and no crate hides it for a context without a display.
//! `tests/tidy.rs` sees to it that nothing else in the house says `unsafe`.

#![expect(unsafe_code, reason = "EGL and GL entry points; each call states why it is sound")]

use std::sync::Arc;

use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, Version};
use glutin::display::GlDisplay;
use three_d::core::HasContext;

use super::ViewError;

/// A GL context of this thread, without a window and without a display server.
pub struct Offscreen {
    /// What three-d and egui draw with.
    pub gl: Arc<three_d::context::Context>,
    // Dropped last: `gl` is of no use without it.
    _current: PossiblyCurrentContext,
}

impl Offscreen {
    /// A context on the first EGL device that gives one; it is current on this thread until dropped.
    ///
    /// # Errors
    /// [`ViewError::NoContext`] where the machine has no EGL, or no driver with OpenGL 3.3.
    pub fn new() -> Result<Self, ViewError> {
        let none = |why: String| ViewError::NoContext { why };
        let devices = Device::query_devices().map_err(|e| none(e.to_string()))?;
        let mut why = String::from("EGL lists no device");
        for device in devices {
            match Self::on(&device) {
                Ok(context) => return Ok(context),
                Err(error) => why = error.to_string(),
            }
        }
        Err(none(why))
    }

    fn on(device: &Device) -> Result<Self, Box<dyn std::error::Error>> {
        // SAFETY: no native display is handed in that could end before this one.
        let display = unsafe { Display::with_device(device, None)? };
        let template =
            ConfigTemplateBuilder::new().with_surface_type(ConfigSurfaceTypes::empty()).build();
        // SAFETY: the template holds no native window.
        let config = unsafe { display.find_configs(template)? }.next().ok_or("no EGL config")?;
        let attributes = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
            .build(None);
        // SAFETY: no window handle is handed in.
        let context = unsafe { display.create_context(&config, &attributes)? };
        let current = context.make_current_surfaceless()?;
        // SAFETY: the context that these functions belong to was made current on this thread just above.
        let gl = unsafe {
            three_d::context::Context::from_loader_function_cstr(|s| display.get_proc_address(s))
        };
        Ok(Self { gl: Arc::new(gl), _current: current })
    }
}

/// Whether the processor draws, not a graphics card.
pub(super) fn is_software(gl: &three_d::context::Context) -> bool {
    // SAFETY: a query without side effects, on the thread of the context.
    let name = unsafe { gl.get_parameter_string(three_d::context::RENDERER) }.to_lowercase();
    ["llvmpipe", "softpipe", "swiftshader", "software"].iter().any(|known| name.contains(known))
}

/// Draws the edges of triangles from now on, or their faces again.
pub(super) fn draw_edges_only(gl: &three_d::context::Context, is_on: bool) {
    use three_d::context::{FILL, FRONT_AND_BACK, LINE};
    // SAFETY: a state of desktop OpenGL, on the thread of the context; it refers to no memory.
    unsafe { gl.polygon_mode(FRONT_AND_BACK, if is_on { LINE } else { FILL }) };
}

/// The framebuffer that draws go to: the window's own (`None`), or one that egui or a test has bound.
pub(super) fn bound_framebuffer(
    gl: &three_d::context::Context,
) -> Option<three_d::context::Framebuffer> {
    // SAFETY: a query without side effects, on the thread of the context.
    unsafe { gl.get_parameter_framebuffer(three_d::context::DRAW_FRAMEBUFFER_BINDING) }
}
