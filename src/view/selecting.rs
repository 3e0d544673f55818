//! Which vertices lie under a box, a lasso or a brush: pure functions of the posed skin and the camera.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::at_once;
use super::camera::Eye;
use crate::model::SurfaceVertex;
use crate::studio::scene::{Scene, all_posed_positions};

/// A part of the picture, in pixels from its bottom left.
#[derive(Clone, Debug, PartialEq)]
pub enum ScreenArea {
    /// Between two corners.
    Box(Vec2, Vec2),
    /// Inside a closed line, by the even-odd rule.
    Lasso(Vec<Vec2>),
    /// Within `radius` of the way a brush went.
    Brush {
        /// Where it was in the last frame, and where it is.
        path: [Vec2; 2],
        /// In pixels.
        radius: f32,
    },
}

impl ScreenArea {
    /// Whether a point lies in it.
    pub fn contains(&self, p: Vec2) -> bool {
        match self {
            Self::Box(a, b) => p.cmpge(a.min(*b)).all() && p.cmple(a.max(*b)).all(),
            Self::Lasso(points) => {
                let ends = points.iter().zip(points.iter().cycle().skip(1));
                let crossed = ends.filter(|(a, b)| {
                    (a.y > p.y) != (b.y > p.y)
                        && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)
                });
                crossed.count() % 2 == 1
            }
            Self::Brush { path: [a, b], radius } => {
                let way = *b - *a;
                let t = ((p - *a).dot(way) / way.length_squared().max(1e-9)).clamp(0.0, 1.0);
                p.distance_squared(*a + way * t) <= radius * radius
            }
        }
    }
}

/// How far into the picture a tool reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Only what is seen.
    #[default]
    Visible,
    /// Everything, as through x-ray.
    Through,
}

/// The skin that is shown, in the pose it is shown in. Made once for a drag.
#[derive(Clone, Debug, Default)]
pub struct PosedSkin {
    /// `[V]` world, metres, the whole surface.
    positions: Vec<Vec3>,
    /// `[V]` whether its mesh is shown.
    is_shown: Vec<bool>,
    /// `[T]` triangles of meshes that are shown.
    triangles: Vec<[u32; 3]>,
}

impl PosedSkin {
    /// The skin of `scene`. Cost: O(influences + triangles).
    pub fn of(scene: &Scene) -> Self {
        at_once(|| Self::posed(scene))
    }

    fn posed(scene: &Scene) -> Self {
        let mut skin = Self::default();
        for (index, instance) in scene.character.instances() {
            let first = skin.positions.len() as u32;
            skin.positions.extend(all_posed_positions(&scene.character, &scene.world, index));
            let is_shown = scene.shows(index);
            skin.is_shown.resize(skin.positions.len(), is_shown);
            if let Some(mesh) = scene.character.mesh_of(instance).filter(|_| is_shown) {
                skin.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
            }
        }
        skin
    }

    /// Where it lies in a picture of `size` pixels, and what of it is seen. Cost: O(vertices + pixels of triangles).
    pub fn seen_by(&self, eye: &Eye, size: Vec2) -> SeenSkin {
        at_once(|| self.looked_at(eye, size))
    }

    fn looked_at(&self, eye: &Eye, size: Vec2) -> SeenSkin {
        let points: Vec<Option<Vec3>> = self
            .positions
            .par_iter()
            .zip(&self.is_shown)
            .map(|(&p, &is_shown)| {
                let clip = eye.clip_from_world * p.extend(1.0);
                let ndc = clip.truncate() / clip.w;
                (is_shown && clip.w > 0.0).then(|| {
                    let at = (ndc.truncate() * 0.5 + 0.5) * size;
                    at.extend(ndc.z)
                })
            })
            .collect();
        let depths = Depths::of(&points, &self.triangles, size);
        let is_visible = points.par_iter().map(|p| p.is_some_and(|p| depths.shows(p))).collect();
        SeenSkin { points, is_visible }
    }
}

/// A posed skin in one picture.
#[derive(Clone, Debug, Default)]
pub struct SeenSkin {
    /// `[V]` pixels from the bottom left, and depth; `None` behind the camera or not shown.
    points: Vec<Option<Vec3>>,
    /// `[V]` whether nothing is before it.
    is_visible: Vec<bool>,
}

impl SeenSkin {
    /// The vertices inside `area`, sorted. Cost: O(V × points of the lasso), all cores.
    pub fn inside(&self, area: &ScreenArea, reach: Reach) -> Vec<SurfaceVertex> {
        at_once(|| self.taken(area, reach))
    }

    fn taken(&self, area: &ScreenArea, reach: Reach) -> Vec<SurfaceVertex> {
        self.points
            .par_iter()
            .zip(&self.is_visible)
            .enumerate()
            .filter(|(_, (_, is_visible))| reach == Reach::Through || **is_visible)
            .filter(|(_, (p, _))| p.is_some_and(|p| area.contains(p.truncate())))
            .map(|(v, _)| SurfaceVertex(v as u32))
            .collect()
    }
}

/// Longest side of the depth picture, in cells: a vertex is a point, no finer look is needed.
const DEPTH_CELLS: f32 = 400.0;
/// Depth, of clip space's 2, that a vertex may lie behind the skin that it belongs to.
const SLACK: f32 = 2e-3;

/// The nearest skin in each cell of a coarse picture.
struct Depths {
    width: usize,
    height: usize,
    cells_per_pixel: f32,
    nearest: Vec<f32>,
}

impl Depths {
    fn of(points: &[Option<Vec3>], triangles: &[[u32; 3]], size: Vec2) -> Self {
        let cells_per_pixel = (DEPTH_CELLS / size.max_element().max(1.0)).min(1.0);
        let width = (size.x * cells_per_pixel).ceil().max(1.0) as usize;
        let height = (size.y * cells_per_pixel).ceil().max(1.0) as usize;
        let nearest = vec![f32::INFINITY; width * height];
        let mut depths = Self { width, height, cells_per_pixel, nearest };
        for triangle in triangles {
            let corner = |v: u32| points.get(v as usize).copied().flatten();
            if let [Some(a), Some(b), Some(c)] = triangle.map(corner) {
                depths.draw([a, b, c]);
            }
        }
        depths
    }

    /// Depth is linear over the picture, so a triangle is a plane.
    fn draw(&mut self, corners: [Vec3; 3]) {
        let [a, b, c] = corners.map(|p| (p.truncate() * self.cells_per_pixel).extend(p.z));
        let (ab, ac) = ((b - a).truncate(), (c - a).truncate());
        let area = ab.perp_dot(ac);
        let low = a.min(b).min(c).truncate().max(Vec2::ZERO).floor();
        let high = a.max(b).max(c).truncate();
        if area.abs() < 1e-6 || low.x >= self.width as f32 || low.y >= self.height as f32 {
            return;
        }
        let x_end = (high.x.ceil().max(0.0) as usize).min(self.width);
        let y_end = (high.y.ceil().max(0.0) as usize).min(self.height);
        for y in low.y as usize..y_end {
            for x in low.x as usize..x_end {
                let d = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - a.truncate();
                let (u, v) = (d.perp_dot(ac) / area, ab.perp_dot(d) / area);
                if u < 0.0 || v < 0.0 || u + v > 1.0 {
                    continue;
                }
                if let Some(cell) = self.nearest.get_mut(y * self.width + x) {
                    *cell = cell.min(a.z + u * (b.z - a.z) + v * (c.z - a.z));
                }
            }
        }
    }

    /// Whether a point is not behind all skin around it: the farthest of the cells beside it decides, so that neither
    /// steep skin nor the edge of the body hides its own vertices.
    fn shows(&self, p: Vec3) -> bool {
        let (x, y) = ((p.x * self.cells_per_pixel) as isize, (p.y * self.cells_per_pixel) as isize);
        let at = |dx: isize, dy: isize| {
            let (x, y) = (x + dx, y + dy);
            let is_inside =
                (0..self.width as isize).contains(&x) && (0..self.height as isize).contains(&y);
            let depth = is_inside.then(|| self.nearest.get(y as usize * self.width + x as usize));
            depth.flatten().copied().filter(|d| d.is_finite())
        };
        let around = (-1..=1).flat_map(|dy| (-1..=1).filter_map(move |dx| at(dx, dy)));
        around.reduce(f32::max).is_none_or(|farthest| p.z <= farthest + SLACK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Character, Mesh, MeshIndex, MeshInstance, Node, NodeIndex, Skeleton};
    use crate::view::OrbitCamera;
    use std::sync::Arc;

    const SIZE: Vec2 = Vec2::new(400.0, 400.0);

    /// Two square sheets of 5 × 5 vertices, one metre wide, the second half a metre behind the first.
    fn sheets() -> Scene {
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        for z in [0.0, -0.5] {
            let first = positions.len() as u32;
            for i in 0..25_u32 {
                let (x, y) = ((i % 5) as f32 / 4.0 - 0.5, (i / 5) as f32 / 4.0 - 0.5);
                positions.push(Vec3::new(x, y, z));
            }
            for v in (0..20_u32).filter(|v| v % 5 < 4).map(|v| v + first) {
                triangles.extend([[v, v + 1, v + 5], [v + 1, v + 6, v + 5]]);
            }
        }
        let mut skeleton = Skeleton::default();
        let local = crate::math::Transform::default();
        skeleton.push(Node { name: String::new(), parent: None, local, source: None }).unwrap();
        let mesh = Mesh {
            positions: Arc::new(positions),
            triangles: Arc::new(triangles),
            ..Mesh::default()
        };
        let instance =
            MeshInstance { mesh: MeshIndex(0), node: NodeIndex(0), skin: None, is_visible: true };
        let character = Character {
            skeleton,
            meshes: vec![mesh],
            instances: vec![instance],
            ..Character::default()
        };
        let world = Arc::new(character.loaded_world());
        Scene { character: Arc::new(character), world, ..Scene::default() }
    }

    fn seen(scene: &Scene) -> SeenSkin {
        let camera = OrbitCamera {
            target: Vec3::ZERO,
            yaw: 0.0,
            pitch: 0.0,
            distance: 3.0,
            is_orthographic: true,
        };
        PosedSkin::of(scene).seen_by(&camera.eye(1.0, 1.0), SIZE)
    }

    #[test]
    fn a_box_takes_the_front_sheet_alone_and_through_x_ray_both() {
        let scene = sheets();
        let seen = seen(&scene);
        let all = ScreenArea::Box(SIZE, Vec2::ZERO);
        let visible = seen.inside(&all, Reach::Visible);
        assert_eq!(visible, (0..25).map(SurfaceVertex).collect::<Vec<_>>());
        assert_eq!(seen.inside(&all, Reach::Through).len(), 50);
        let upper = ScreenArea::Box(Vec2::new(0.0, 201.0), SIZE);
        let upper = seen.inside(&upper, Reach::Visible);
        assert_eq!(upper, (15..25).map(SurfaceVertex).collect::<Vec<_>>(), "y runs up");
    }

    #[test]
    fn a_lasso_around_half_the_picture_is_a_box() {
        let scene = sheets();
        let seen = seen(&scene);
        let right = [(199.0, -5.0), (405.0, -5.0), (405.0, 405.0), (199.0, 405.0)];
        let lasso = ScreenArea::Lasso(right.map(Vec2::from).to_vec());
        let boxed = ScreenArea::Box(Vec2::new(199.0, -5.0), Vec2::new(405.0, 405.0));
        let taken = seen.inside(&lasso, Reach::Visible);
        assert_eq!(taken, seen.inside(&boxed, Reach::Visible));
        assert_eq!(taken.len(), 15);
    }

    #[test]
    fn a_lasso_with_a_bay_leaves_the_bay_out() {
        let points = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (5.0, 2.0), (0.0, 10.0)];
        let lasso = ScreenArea::Lasso(points.map(Vec2::from).to_vec());
        assert!(lasso.contains(Vec2::new(1.0, 5.0)) && lasso.contains(Vec2::new(9.0, 5.0)));
        assert!(!lasso.contains(Vec2::new(5.0, 5.0)));
        assert!(!ScreenArea::Lasso(Vec::new()).contains(Vec2::ZERO));
    }

    #[test]
    fn a_brush_takes_what_its_way_passes_however_fast() {
        let brush =
            ScreenArea::Brush { path: [Vec2::new(0.0, 0.0), Vec2::new(100.0, 0.0)], radius: 5.0 };
        assert!(brush.contains(Vec2::new(50.0, 4.9)) && brush.contains(Vec2::new(-4.0, 0.0)));
        assert!(!brush.contains(Vec2::new(50.0, 5.1)) && !brush.contains(Vec2::new(106.0, 0.0)));
    }

    #[test]
    fn a_hidden_mesh_is_not_selected() {
        let mut scene = sheets();
        scene.hidden = [crate::model::InstanceIndex(0)].into();
        let all = ScreenArea::Box(Vec2::ZERO, SIZE);
        assert!(seen(&scene).inside(&all, Reach::Through).is_empty());
    }
}
