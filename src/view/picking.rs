//! What lies under the cursor.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::camera::{Eye, Ray};
use crate::model::{InstanceIndex, NodeIndex, SurfaceVertex};
use crate::studio::scene::{BoneMark, Scene, posed_positions};

/// A point of the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Whose skin.
    pub instance: InstanceIndex,
    /// The nearest corner of the triangle hit.
    pub vertex: SurfaceVertex,
    /// World, metres.
    pub position: Vec3,
    /// From the ray's origin, metres.
    pub distance: f32,
}

/// Where a ray meets a triangle, seen from either side: the distance and the nearest corner.
///
/// Based on: Möller and Trumbore, Fast, minimum storage ray/triangle intersection, 1997.
fn meet(ray: &Ray, [a, b, c]: [Vec3; 3]) -> Option<(f32, usize)> {
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let det = ab.dot(p);
    if det.abs() < 1e-12 {
        return None;
    }
    let s = ray.origin - a;
    let u = s.dot(p) / det;
    let q = s.cross(ab);
    let v = ray.direction.dot(q) / det;
    let t = ac.dot(q) / det;
    if u < 0.0 || v < 0.0 || u + v > 1.0 || t < 0.0 {
        return None;
    }
    let corner = match (1.0 - u - v, u, v) {
        (x, y, z) if x >= y && x >= z => 0,
        (_, y, z) if y >= z => 1,
        _ => 2,
    };
    Some((t, corner))
}

/// The first skin that `ray` meets in the scene's pose. Cost: O(influences + triangles), all cores.
pub fn pick_skin(scene: &Scene, ray: &Ray) -> Option<Hit> {
    let offsets = scene.character.surface_offsets();
    let mut best: Option<Hit> = None;
    for (index, instance) in scene.character.instances().filter(|(i, _)| scene.shows(*i)) {
        let Some(mesh) = scene.character.mesh_of(instance) else { continue };
        let posed: Vec<Vec3> = posed_positions(&scene.character, &scene.world, index).collect();
        let first = offsets.get(index.index()).copied().unwrap_or(0);
        let met = mesh
            .triangles
            .par_iter()
            .filter_map(|triangle| {
                let mut corners = [Vec3::ZERO; 3];
                for (corner, &v) in corners.iter_mut().zip(triangle) {
                    *corner = *posed.get(v as usize)?;
                }
                let (distance, corner) = meet(ray, corners)?;
                Some((distance, triangle.get(corner).copied()?))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if let Some((distance, vertex)) = met
            && best.is_none_or(|b| distance < b.distance)
        {
            best = Some(Hit {
                instance: index,
                vertex: SurfaceVertex(first + vertex),
                position: ray.origin + ray.direction * distance,
                distance,
            });
        }
    }
    best
}

/// The joint drawn nearest to the point `at` of a picture of `size` pixels (both y up), within `within_px`.
pub fn nearest_bone(
    bones: &[BoneMark],
    eye: &Eye,
    size: Vec2,
    at: Vec2,
    within_px: f32,
) -> Option<NodeIndex> {
    let on_screen = |p: Vec3| eye.pixel(p, size);
    let distance = |bone: &BoneMark| {
        let (a, b) = (on_screen(bone.head)?, on_screen(bone.tail)?);
        let way = b - a;
        let t = ((at - a).dot(way) / way.length_squared().max(1e-6)).clamp(0.0, 1.0);
        Some(at.distance(a + way * t))
    };
    bones
        .iter()
        .filter_map(|bone| Some((distance(bone)?, bone.node)))
        .filter(|(d, _)| *d <= within_px)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, node)| node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_a_triangle_from_both_sides_and_names_the_corner() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let from = |z: f32| Ray {
            origin: Vec3::new(0.1, 0.7, z),
            direction: Vec3::new(0.0, 0.0, -z.signum()),
        };
        for z in [2.0, -2.0] {
            let (distance, corner) = meet(&from(z), triangle).unwrap();
            assert!((distance - 2.0).abs() < 1e-6);
            assert_eq!(corner, 2);
        }
        let beside = Ray { origin: Vec3::new(0.9, 0.9, 1.0), direction: Vec3::NEG_Z };
        assert_eq!(meet(&beside, triangle), None);
        let away = Ray { origin: Vec3::new(0.1, 0.1, 1.0), direction: Vec3::Z };
        assert_eq!(meet(&away, triangle), None);
    }
}
