//! What lies under the cursor.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::at_once;
use super::camera::{Eye, Ray};
use crate::math::closest;
use crate::model::{InstanceIndex, SurfaceVertex};
use crate::studio::Selection;
use crate::studio::scene::{Scene, all_posed_positions};

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
    at_once(|| picked(scene, ray))
}

fn picked(scene: &Scene, ray: &Ray) -> Option<Hit> {
    let offsets = scene.character.surface_offsets();
    let mut best: Option<Hit> = None;
    for (index, instance) in scene.character.instances().filter(|(i, _)| scene.shows(*i)) {
        let Some(mesh) = scene.character.mesh_of(instance) else { continue };
        let posed = all_posed_positions(&scene.character, &scene.world, index);
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

/// What lies under a point of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Under {
    /// A joint, a chain or a collider that is drawn there, over the skin.
    pub drawn: Option<Selection>,
    /// The first skin.
    pub skin: Option<Hit>,
}

/// How near the pointer must come to what is drawn, points: bones are broad, lines are thin, and a chain lies in the
/// middle of its own skin, which a click there may mean as well.
const BONE_REACH: f32 = 9.0;
const COLLIDER_REACH: f32 = 5.0;
const CHAIN_REACH: f32 = 3.0;
/// Points within which two things are as near to the pointer: the one in front is meant then.
const AS_NEAR: f32 = 3.0;

/// A point of the picture, and what is needed to compare it with what is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Pointed<'a> {
    /// The eye.
    pub eye: &'a Eye,
    /// Size of the picture, points.
    pub size: Vec2,
    /// From its bottom left, points.
    pub at: Vec2,
    /// From the eye through that point.
    pub ray: Ray,
}

impl Pointed<'_> {
    /// Distance on the screen from the segment a→b, and from the eye to the point of it that is nearest there.
    fn beside(&self, a: Vec3, b: Vec3) -> Option<(f32, f32)> {
        let (p, q) = (self.eye.pixel(a, self.size)?, self.eye.pixel(b, self.size)?);
        let way = q - p;
        let t = ((self.at - p).dot(way) / way.length_squared().max(1e-6)).clamp(0.0, 1.0);
        let depth = (a.lerp(b, t) - self.ray.origin).dot(self.ray.direction);
        Some((self.at.distance(p + way * t), depth))
    }

    /// The joint, chain or collider drawn within reach: of those as near to the pointer the one in front.
    pub fn drawn(&self, scene: &Scene) -> Option<Selection> {
        let mut best: Option<((u32, f32), Selection)> = None;
        let mut offer = |what: Selection, reach: f32, (distance, depth): (f32, f32)| {
            if distance <= reach {
                let rank = ((distance / AS_NEAR) as u32, depth);
                if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                    best = Some((rank, what));
                }
            }
        };
        for bone in &scene.bones {
            if let Some(beside) = self.beside(bone.head, bone.tail) {
                offer(Selection::Joint(bone.node), BONE_REACH, beside);
            }
        }
        for pick in &scene.picks {
            let reach = match pick.what {
                Selection::Chain(_) => CHAIN_REACH,
                _ => COLLIDER_REACH,
            };
            let pairs = pick.lines.iter().flat_map(|line| line.windows(2));
            for beside in pairs.filter_map(|pair| self.beside(*pair.first()?, *pair.last()?)) {
                offer(pick.what, reach, beside);
            }
        }
        best.map(|(_, what)| what)
    }

    /// The first of the solids that the ray goes through.
    fn inside(&self, scene: &Scene) -> Option<Selection> {
        let origin = self.ray.origin;
        let far = scene.bounds.map_or(1e3, |b| origin.distance(b.center()) + 4.0 * b.radius());
        let end = origin + self.ray.direction * far;
        let through = scene.picks.iter().filter_map(|pick| {
            let (a, b, radius) = pick.solid?;
            let (along, across) = closest::parameters_of_segments(origin, end, a, b);
            let (p, q) = (origin.lerp(end, along), a.lerp(b, across));
            (p.distance(q) <= radius).then_some((origin.distance(p) - radius, pick.what))
        });
        through.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, what)| what)
    }

    /// What lies there. Lines and bones win over skin; the inside of a collider only counts where there is none. Cost: as
    /// [`pick_skin`].
    pub fn under(&self, scene: &Scene) -> Under {
        let drawn = self.drawn(scene);
        let skin = pick_skin(scene, &self.ray);
        let drawn = match skin {
            None => drawn.or_else(|| self.inside(scene)),
            Some(_) => drawn,
        };
        Under { drawn, skin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ColliderIndex;
    use crate::studio::scene::PickMark;
    use crate::view::OrbitCamera;

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

    #[test]
    fn what_is_drawn_is_picked_by_nearness_and_then_by_depth() {
        let camera = OrbitCamera {
            target: Vec3::Y,
            yaw: 0.0,
            pitch: 0.0,
            distance: 4.0,
            is_orthographic: true,
        };
        let size = Vec2::new(400.0, 400.0);
        let eye = camera.eye(1.0, 1.0);
        let line = |what, y: f32, z: f32| PickMark {
            what,
            lines: vec![vec![Vec3::new(-0.5, y, z), Vec3::new(0.5, y, z)]],
            solid: None,
        };
        let (near, far) =
            (Selection::Collider(ColliderIndex(0)), Selection::Collider(ColliderIndex(1)));
        let picked = |picks: Vec<PickMark>, at: Vec2| {
            let scene = Scene { picks, ..Scene::default() };
            let ray = camera.ray(at / size * 2.0 - 1.0, 1.0);
            Pointed { eye: &eye, size, at, ray }.under(&scene).drawn
        };
        let middle = eye.pixel(Vec3::Y, size).unwrap();
        let toward = eye.backward.z.signum() * 0.3;
        let both = || vec![line(far, 1.0, -toward), line(near, 1.0, toward)];
        assert_eq!(picked(both(), middle + Vec2::Y), Some(near));
        assert_eq!(picked(both(), middle + Vec2::Y * 8.0), None, "out of reach");
        let px = 1.0 / (eye.pixel(Vec3::Y * 2.0, size).unwrap().y - middle.y);
        let aside = vec![line(far, 1.0, -toward), line(near, 1.0 + 4.0 * px, toward)];
        assert_eq!(picked(aside, middle), Some(far), "the nearer to the pointer, though behind");
        let solid = PickMark {
            what: near,
            lines: Vec::new(),
            solid: Some((Vec3::new(0.0, 0.9, 0.0), Vec3::new(0.0, 1.1, 0.0), 0.1)),
        };
        assert_eq!(picked(vec![solid.clone()], middle), Some(near), "inside, and there is no skin");
        assert_eq!(picked(vec![solid], middle + Vec2::X * 150.0), None);
    }
}
