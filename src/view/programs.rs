//! The shaders, compiled once for each context.

use three_d::{Context, CoreError, Program, Vector3, VertexBuffer};

use super::convert::vec3;

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("shaders/", $name))
    };
}

/// Every program the renderer uses.
pub(super) struct Programs {
    /// Skin, lit.
    pub(super) surface: Program,
    /// Skin, depth alone: the shadow map, the contact map, the first pass of x-ray.
    pub(super) depth: Program,
    /// Grid and shadows on the floor.
    pub(super) floor: Program,
    /// What is behind everything.
    pub(super) backdrop: Program,
    /// Edges of triangles.
    pub(super) wire: Program,
    /// A picture as it is.
    pub(super) copy: Program,
    /// Joints.
    pub(super) solid: Program,
    /// Lines of constant width.
    pub(super) line: Program,
    /// Two triangles from (-1, -1) to (1, 1).
    pub(super) square: VertexBuffer<Vector3<f32>>,
}

impl Programs {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// What the driver says, where it refuses one.
    pub(super) fn new(context: &Context) -> Result<Self, CoreError> {
        let lit = |fragment: &str| format!("{}\n{fragment}", shader!("light.glsl"));
        let painted = |fragment: &str| format!("{}\n{fragment}", shader!("paint.glsl"));
        let looks = [shader!("ramp.glsl"), shader!("toon.glsl"), shader!("surface.frag")];
        let skin = lit(&painted(&looks.join("\n")));
        let program =
            |vertex: &str, fragment: &str| Program::from_source(context, vertex, fragment);
        let corner = |x: f32, y: f32| vec3(glam::Vec3::new(x, y, 0.0));
        let (a, b, c, d) =
            (corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0));
        Ok(Self {
            surface: program(shader!("surface.vert"), &skin)?,
            depth: program(shader!("surface.vert"), &painted(shader!("depth.frag")))?,
            floor: program(shader!("floor.vert"), &lit(shader!("floor.frag")))?,
            backdrop: program(shader!("backdrop.vert"), shader!("backdrop.frag"))?,
            wire: program(shader!("surface.vert"), shader!("wire.frag"))?,
            copy: program(shader!("backdrop.vert"), shader!("copy.frag"))?,
            solid: program(shader!("solid.vert"), shader!("solid.frag"))?,
            line: program(shader!("line.vert"), shader!("line.frag"))?,
            square: VertexBuffer::new_with_data(context, &[a, b, c, a, c, d]),
        })
    }
}
