//! Handles on a joint or a collider: arrows and a square that move it, rings that turn it, a ring that makes it thicker.
//! Where they are hit, what a drag means, how they look.

use glam::{Vec2, Vec3};

use super::camera::{Eye, Ray};
use crate::math::ops;
use crate::studio::scene::{Accent, LineMark};

/// Length of an arrow on the screen, in pixels at scale 1.
const ARM_PX: f32 = 78.0;
/// Half side of the square in the middle.
const SQUARE_PX: f32 = 9.0;
/// How near the pointer must come.
const REACH_PX: f32 = 8.0;

/// Corners of a ring.
const ROUND: usize = 48;

/// What its handles do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GizmoMode {
    /// Move what it stands on.
    #[default]
    Move,
    /// Turn it.
    Turn,
    /// Make it larger or smaller.
    Scale,
}

/// A part that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Along the first axis.
    X,
    /// Along the second.
    Y,
    /// Along the third.
    Z,
    /// In the plane of the screen, or about the way from the eye.
    Screen,
}

impl Handle {
    /// The axis of the world that it moves along or turns about; `None` for the one of the screen.
    const fn axis(self) -> Option<Vec3> {
        match self {
            Self::X => Some(Vec3::X),
            Self::Y => Some(Vec3::Y),
            Self::Z => Some(Vec3::Z),
            Self::Screen => None,
        }
    }
}

/// Handles on what they stand on, along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gizmo {
    /// Where it stands, world, metres.
    pub at: Vec3,
    /// What they do.
    pub mode: GizmoMode,
}

impl Gizmo {
    /// One that moves along the world's axes.
    pub const fn at(at: Vec3) -> Self {
        Self { at, mode: GizmoMode::Move }
    }

    /// The same with other handles.
    #[must_use]
    pub const fn with(self, mode: GizmoMode) -> Self {
        Self { mode, ..self }
    }

    /// Metres that stand for `px` pixels where the gizmo is, in a picture of `size` pixels.
    fn metres(&self, eye: &Eye, size: Vec2, px: f32) -> f32 {
        let side = eye.backward.any_orthonormal_vector();
        let (Some(a), Some(b)) = (eye.pixel(self.at, size), eye.pixel(self.at + side, size)) else {
            return 0.0;
        };
        px / a.distance(b).max(1e-6)
    }

    /// The part under the point `at` of a picture of `size` pixels (from the bottom left), at `scale` pixels a point.
    pub fn hit(&self, eye: &Eye, (size, scale): (Vec2, f32), at: Vec2) -> Option<Handle> {
        let center = eye.pixel(self.at, size)?;
        if self.mode != GizmoMode::Move {
            return self.hit_ring(eye, (size, scale), at);
        }
        let off = (at - center).abs().max_element();
        if off <= (SQUARE_PX + 2.0) * scale {
            return Some(Handle::Screen);
        }
        let length = self.metres(eye, size, ARM_PX * scale);
        let distance = |handle: Handle| {
            let tip = eye.pixel(self.at + handle.axis()? * length, size)?;
            let way = tip - center;
            // An arrow that points at the eye cannot be dragged.
            if way.length() < REACH_PX * scale {
                return None;
            }
            let t = ((at - center).dot(way) / way.length_squared()).clamp(0.0, 1.0);
            let d = at.distance(center + way * t);
            (d <= REACH_PX * scale).then_some((d, handle))
        };
        [Handle::X, Handle::Y, Handle::Z]
            .into_iter()
            .filter_map(distance)
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, handle)| handle)
    }

    /// How far a drag of `handle` from one ray under the pointer to another moves it, metres.
    ///
    /// Zero where the axis points along the rays: nothing sensible can be read off them.
    pub fn drag(&self, handle: Handle, (from, to): (&Ray, &Ray), eye: &Eye) -> Vec3 {
        match handle.axis() {
            Some(axis) => {
                let along = |ray: &Ray| self.nearest_on_axis(axis, ray);
                along(from).zip(along(to)).map_or(Vec3::ZERO, |(a, b)| axis * (b - a))
            }
            None => {
                let meet = |ray: &Ray| {
                    let facing = ray.direction.dot(eye.backward);
                    let t = (self.at - ray.origin).dot(eye.backward) / facing;
                    (facing.abs() > 1e-4).then(|| ray.origin + ray.direction * t)
                };
                meet(from).zip(meet(to)).map_or(Vec3::ZERO, |(a, b)| b - a)
            }
        }
    }

    /// Distance along the axis from the gizmo to the point nearest to `ray`.
    fn nearest_on_axis(&self, axis: Vec3, ray: &Ray) -> Option<f32> {
        let off = ray.origin - self.at;
        let cos = axis.dot(ray.direction);
        let sin_square = 1.0 - cos * cos;
        (sin_square > 1e-3).then(|| (off.dot(axis) - off.dot(ray.direction) * cos) / sin_square)
    }

    /// The ring about an axis, or the one that faces the eye.
    fn ring(&self, eye: &Eye, (size, scale): (Vec2, f32), handle: Handle) -> Vec<Vec3> {
        // Rings of turns lie inside the one that faces the eye.
        let px = if handle == Handle::Screen { 1.15 * ARM_PX } else { ARM_PX };
        let radius = self.metres(eye, size, px * scale);
        let axis = handle.axis().unwrap_or(eye.backward);
        let (a, b) = axis.any_orthonormal_pair();
        let at = |i: usize| {
            let turn = i as f32 / ROUND as f32 * std::f32::consts::TAU;
            self.at + (a * ops::cos(turn) + b * ops::sin(turn)) * radius
        };
        (0..=ROUND).map(at).collect()
    }

    /// Handles that are rings.
    const fn rings(&self) -> &'static [Handle] {
        match self.mode {
            GizmoMode::Move => &[],
            GizmoMode::Turn => &[Handle::X, Handle::Y, Handle::Z, Handle::Screen],
            GizmoMode::Scale => &[Handle::Screen],
        }
    }

    fn hit_ring(&self, eye: &Eye, (size, scale): (Vec2, f32), at: Vec2) -> Option<Handle> {
        let beside = |pair: &[Vec3]| {
            let (p, q) = (eye.pixel(*pair.first()?, size)?, eye.pixel(*pair.last()?, size)?);
            let t = ((at - p).dot(q - p) / (q - p).length_squared().max(1e-6)).clamp(0.0, 1.0);
            Some(at.distance(p.lerp(q, t)))
        };
        let nearest = |handle: Handle| {
            let ring = self.ring(eye, (size, scale), handle);
            let distance = ring.windows(2).filter_map(beside).fold(f32::INFINITY, f32::min);
            (distance <= REACH_PX * scale).then_some((distance, handle))
        };
        let found = self.rings().iter().filter_map(|handle| nearest(*handle));
        found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, handle)| handle)
    }

    /// The axis and the angle that a drag of `handle` from one point of the picture to another turns by, radians.
    ///
    /// What is read off is the turn on the screen about the middle, so that it follows the pointer from whichever side an
    /// axis is seen.
    pub fn turn(
        &self,
        handle: Handle,
        (from, to): (Vec2, Vec2),
        eye: &Eye,
        size: Vec2,
    ) -> (Vec3, f32) {
        let axis = handle.axis().unwrap_or(eye.backward);
        let Some(center) = eye.pixel(self.at, size) else { return (axis, 0.0) };
        let (from, to) = (from - center, to - center);
        let angle = ops::atan2(from.perp_dot(to), from.dot(to));
        (axis, if axis.dot(eye.backward) < 0.0 { -angle } else { angle })
    }

    /// How many times as large a drag from one point of the picture to another makes it.
    pub fn resize(&self, (from, to): (Vec2, Vec2), eye: &Eye, size: Vec2) -> f32 {
        let Some(center) = eye.pixel(self.at, size) else { return 1.0 };
        to.distance(center).max(1.0) / from.distance(center).max(1.0)
    }

    /// Its lines; the part that is dragged or pointed at stands out.
    pub fn marks(
        &self,
        eye: &Eye,
        (size, scale): (Vec2, f32),
        active: Option<Handle>,
    ) -> Vec<LineMark> {
        let length = self.metres(eye, size, ARM_PX * scale);
        let line = |points: Vec<Vec3>, accent: Accent, handle: Handle| LineMark {
            points,
            accent: if active == Some(handle) { Accent::Selected } else { accent },
            is_dashed: false,
        };
        let mut marks = Vec::new();
        let arrows =
            [(Handle::X, Accent::AxisX), (Handle::Y, Accent::AxisY), (Handle::Z, Accent::AxisZ)];
        if self.mode != GizmoMode::Move {
            let accent = |handle: Handle| {
                let own = arrows.iter().find(|(h, _)| *h == handle);
                own.map_or(Accent::Extent, |(_, accent)| *accent)
            };
            let ring = |handle: &Handle| {
                line(self.ring(eye, (size, scale), *handle), accent(*handle), *handle)
            };
            return self.rings().iter().map(ring).collect();
        }
        for (handle, accent) in arrows {
            let Some(axis) = handle.axis() else { continue };
            let tip = self.at + axis * length;
            marks.push(line(vec![self.at, tip], accent, handle));
            // The head lies flat on the screen.
            let side = axis.cross(eye.backward).normalize_or_zero() * length * 0.07;
            let neck = self.at + axis * length * 0.84;
            marks.push(line(vec![neck + side, tip, neck - side], accent, handle));
        }
        let half = self.metres(eye, size, SQUARE_PX * scale);
        let right = Vec3::Y.cross(eye.backward).normalize_or(Vec3::X) * half;
        let up = eye.backward.cross(right).normalize_or(Vec3::Y) * half;
        let corner = |x: f32, y: f32| self.at + right * x + up * y;
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let square = square.map(|(x, y)| corner(x, y)).to_vec();
        marks.push(line(square, Accent::Extent, Handle::Screen));
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::OrbitCamera;

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);
    const ASPECT: f32 = 800.0 / 600.0;

    fn camera(is_orthographic: bool) -> OrbitCamera {
        let target = Vec3::new(0.1, 1.0, 0.0);
        OrbitCamera { target, yaw: 0.5, pitch: 0.3, distance: 4.0, is_orthographic }
    }

    fn clip(px: Vec2) -> Vec2 {
        px / SIZE * 2.0 - 1.0
    }

    #[test]
    fn an_arrow_is_hit_along_its_way_and_nowhere_else() {
        for is_orthographic in [false, true] {
            let eye = camera(is_orthographic).eye(ASPECT, 1.0);
            let gizmo = Gizmo::at(Vec3::new(0.0, 1.1, 0.2));
            let center = eye.pixel(gizmo.at, SIZE).unwrap();
            assert_eq!(gizmo.hit(&eye, (SIZE, 1.0), center), Some(Handle::Screen));
            for (handle, axis) in [(Handle::X, Vec3::X), (Handle::Y, Vec3::Y), (Handle::Z, Vec3::Z)]
            {
                let length = gizmo.metres(&eye, SIZE, ARM_PX);
                let near_tip = eye.pixel(gizmo.at + axis * length * 0.9, SIZE).unwrap();
                assert_eq!(gizmo.hit(&eye, (SIZE, 1.0), near_tip), Some(handle));
                let beyond = eye.pixel(gizmo.at + axis * length * 1.5, SIZE).unwrap();
                assert_eq!(gizmo.hit(&eye, (SIZE, 1.0), beyond), None);
            }
        }
    }

    #[test]
    fn a_drag_along_an_axis_follows_the_pointer_and_stays_on_the_axis() {
        for is_orthographic in [false, true] {
            let camera = camera(is_orthographic);
            let eye = camera.eye(ASPECT, 1.0);
            let gizmo = Gizmo::at(Vec3::new(0.0, 1.1, 0.2));
            for (handle, axis) in [(Handle::X, Vec3::X), (Handle::Y, Vec3::Y), (Handle::Z, Vec3::Z)]
            {
                let start = eye.pixel(gizmo.at, SIZE).unwrap();
                let end = eye.pixel(gizmo.at + axis * 0.25, SIZE).unwrap();
                // Off the axis by some pixels, as a hand is.
                let off = (end - start).perp().normalize() * 3.0;
                let ray = |px: Vec2| camera.ray(clip(px), ASPECT);
                let moved = gizmo.drag(handle, (&ray(start + off), &ray(end + off)), &eye);
                assert!(moved.cross(axis).length() < 1e-6);
                assert!((moved.dot(axis) - 0.25).abs() < 0.012, "{handle:?} {moved}");
            }
        }
    }

    #[test]
    fn a_drag_on_the_screen_keeps_its_depth() {
        let camera = camera(false);
        let eye = camera.eye(ASPECT, 1.0);
        let gizmo = Gizmo::at(Vec3::new(0.0, 1.1, 0.2));
        let start = eye.pixel(gizmo.at, SIZE).unwrap();
        let end = start + Vec2::new(60.0, -25.0);
        let ray = |px: Vec2| camera.ray(clip(px), ASPECT);
        let moved = gizmo.drag(Handle::Screen, (&ray(start), &ray(end)), &eye);
        assert!(moved.dot(eye.backward).abs() < 1e-5);
        assert!(eye.pixel(gizmo.at + moved, SIZE).unwrap().distance(end) < 0.05);
    }

    #[test]
    fn an_axis_that_points_at_the_eye_does_not_fly_away() {
        let camera = OrbitCamera { yaw: 0.0, pitch: 0.0, ..camera(true) };
        let eye = camera.eye(ASPECT, 1.0);
        let gizmo = Gizmo::at(camera.target);
        let ray = |x: f32| camera.ray(Vec2::new(x, 0.0), ASPECT);
        assert_eq!(gizmo.drag(Handle::Z, (&ray(0.0), &ray(0.5)), &eye), Vec3::ZERO);
    }

    #[test]
    fn a_ring_is_hit_where_it_is_drawn_and_a_quarter_of_it_is_a_quarter_turn() {
        let eye = camera(false).eye(ASPECT, 1.0);
        let gizmo = Gizmo::at(Vec3::new(0.0, 1.1, 0.2)).with(GizmoMode::Turn);
        let center = eye.pixel(gizmo.at, SIZE).unwrap();
        assert_eq!(gizmo.hit(&eye, (SIZE, 1.0), center), None, "the middle is free for a click");
        let at = |angle: f32| center + Vec2::from_angle(angle) * 1.15 * ARM_PX;
        assert_eq!(gizmo.hit(&eye, (SIZE, 1.0), at(0.4)), Some(Handle::Screen));
        let quarter = std::f32::consts::FRAC_PI_2;
        let (axis, angle) = gizmo.turn(Handle::Screen, (at(0.4), at(0.4 + quarter)), &eye, SIZE);
        assert!((angle - quarter).abs() < 1e-4 && axis.distance(eye.backward) < 1e-6);
        for pitch in [0.3, -0.3] {
            // From the other side the axis points away, and the same way of the pointer is the other turn.
            let eye = OrbitCamera { pitch, ..camera(false) }.eye(ASPECT, 1.0);
            let center = eye.pixel(gizmo.at, SIZE).unwrap();
            let at = |angle: f32| center + Vec2::from_angle(angle) * ARM_PX;
            let (axis, angle) = gizmo.turn(Handle::Y, (at(0.4), at(0.4 + quarter)), &eye, SIZE);
            let expected = quarter.copysign(eye.backward.y);
            assert!((angle - expected).abs() < 1e-4 && axis == Vec3::Y, "{pitch}: {angle}");
        }
        let larger = gizmo.resize((at(0.0), center + (at(0.0) - center) * 1.5), &eye, SIZE);
        assert!((larger - 1.5).abs() < 1e-4);
    }

    #[test]
    fn it_has_the_same_size_on_the_screen_however_far_it_is() {
        for z in [-3.0, 0.0, 2.0] {
            let eye = camera(false).eye(ASPECT, 1.0);
            let gizmo = Gizmo::at(Vec3::new(0.0, 1.0, z));
            let square = gizmo.marks(&eye, (SIZE, 1.0), None).pop().unwrap();
            let a = eye.pixel(square.points[0], SIZE).unwrap();
            let b = eye.pixel(square.points[1], SIZE).unwrap();
            assert!((a.distance(b) - 2.0 * SQUARE_PX).abs() < 1.5, "{}", a.distance(b));
        }
    }
}
