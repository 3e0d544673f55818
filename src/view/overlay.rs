//! Joints and lines as triangles.

use glam::Vec3;
use three_d::{Context, Vector3, Vector4, VertexBuffer};

use super::convert::{vec3, vec4};
use super::look::Look;
use crate::studio::scene::{BoneMark, LineMark, PlaneMark};

/// Opacity of a plane's face; its edge is a line of its own.
const PLANE_OPACITY: f32 = 0.12;

/// Triangles with a colour and a normal for each corner.
pub(super) struct Solids {
    pub(super) positions: VertexBuffer<Vector3<f32>>,
    pub(super) normals: VertexBuffer<Vector3<f32>>,
    pub(super) colors: VertexBuffer<Vector4<f32>>,
}

/// Segments, each two triangles that the shader widens on the screen.
pub(super) struct Ribbons {
    pub(super) from: VertexBuffer<Vector3<f32>>,
    pub(super) to: VertexBuffer<Vector3<f32>>,
    pub(super) corner: VertexBuffer<Vector3<f32>>,
    pub(super) colors: VertexBuffer<Vector4<f32>>,
}

/// A slim octahedron from head to tail, thickest at a sixth of the way: eight triangles, corners and their normals.
fn octahedron(bone: &BoneMark) -> Vec<(Vec3, Vec3)> {
    let way = bone.tail - bone.head;
    let length = way.length();
    let along = way / length.max(1e-9);
    let (a, b) = along.any_orthonormal_pair();
    let belt_center = bone.head + way * 0.16;
    let radius = length * 0.085;
    let belt = [a, b, -a, -b].map(|side| belt_center + side * radius);
    let mut corners = Vec::with_capacity(24);
    for (i, &p) in belt.iter().enumerate() {
        let q = belt[(i + 1) % 4];
        for triangle in [[bone.head, q, p], [bone.tail, p, q]] {
            let normal =
                (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).normalize_or(along);
            corners.extend(triangle.map(|corner| (corner, normal)));
        }
    }
    corners
}

impl Solids {
    pub(super) fn new(context: &Context) -> Self {
        Self {
            positions: VertexBuffer::new(context),
            normals: VertexBuffer::new(context),
            colors: VertexBuffer::new(context),
        }
    }

    /// Sends `bones`, then `planes`; the number of corners to draw.
    pub(super) fn set(&mut self, bones: &[BoneMark], planes: &[PlaneMark], look: &Look) -> u32 {
        let mut corners: Vec<_> = bones
            .iter()
            .flat_map(|bone| octahedron(bone).into_iter().map(|c| (c, look.accent(bone.accent))))
            .collect();
        for plane in planes {
            let [a, b, c, d] = plane.corners;
            let normal = (b - a).cross(d - a).normalize_or(Vec3::Y);
            let color = look.accent(plane.accent).truncate().extend(PLANE_OPACITY);
            corners.extend([a, b, c, a, c, d].map(|p| ((p, normal), color)));
        }
        self.positions.fill(&corners.iter().map(|((p, _), _)| vec3(*p)).collect::<Vec<_>>());
        self.normals.fill(&corners.iter().map(|((_, n), _)| vec3(*n)).collect::<Vec<_>>());
        self.colors.fill(&corners.iter().map(|(_, c)| vec4(*c)).collect::<Vec<_>>());
        corners.len() as u32
    }
}

/// Corners of a segment's two triangles: along (0 or 1), side (-1 or 1).
const CORNERS: [(f32, f32); 6] =
    [(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, -1.0), (1.0, 1.0), (0.0, 1.0)];

impl Ribbons {
    pub(super) fn new(context: &Context) -> Self {
        Self {
            from: VertexBuffer::new(context),
            to: VertexBuffer::new(context),
            corner: VertexBuffer::new(context),
            colors: VertexBuffer::new(context),
        }
    }

    /// Sends `lines`; the number of corners to draw.
    pub(super) fn set(&mut self, lines: &[LineMark], look: &Look) -> u32 {
        let (mut from, mut to, mut corner, mut colors) = (vec![], vec![], vec![], vec![]);
        for line in lines {
            let color = look.accent(line.accent);
            // A negative opacity tells the shader to leave gaps.
            let opacity = if line.is_dashed { -color.w } else { color.w };
            let color = color.truncate().extend(opacity);
            let mut start = 0.0;
            for (&a, &b) in line.points.iter().zip(line.points.iter().skip(1)) {
                let length = a.distance(b);
                for (along, side) in CORNERS {
                    from.push(vec3(a));
                    to.push(vec3(b));
                    corner.push(vec3(Vec3::new(along, side, start + along * length)));
                    colors.push(vec4(color));
                }
                start += length;
            }
        }
        self.from.fill(&from);
        self.to.fill(&to);
        self.corner.fill(&corner);
        self.colors.fill(&colors);
        colors.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NodeIndex;
    use crate::studio::scene::Accent;

    #[test]
    fn an_octahedron_touches_head_and_tail_and_faces_outward() {
        let bone = BoneMark {
            node: NodeIndex(0),
            head: Vec3::new(1.0, 2.0, 3.0),
            tail: Vec3::new(1.0, 3.0, 3.0),
            accent: Accent::Body,
        };
        let corners = octahedron(&bone);
        assert_eq!(corners.len(), 24);
        let middle = (bone.head + bone.tail) * 0.5;
        for triangle in corners.chunks(3) {
            let center = triangle.iter().map(|c| c.0).sum::<Vec3>() / 3.0;
            assert!(triangle[0].1.dot(center - Vec3::new(middle.x, center.y, middle.z)) > 0.0);
        }
        let low = corners.iter().map(|c| c.0.y).fold(f32::MAX, f32::min);
        let high = corners.iter().map(|c| c.0.y).fold(f32::MIN, f32::max);
        assert_eq!((low, high), (2.0, 3.0));
    }
}
