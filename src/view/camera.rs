//! The camera: it orbits a point, pans, zooms to the cursor and frames a box.

use glam::camera::rh::proj::opengl;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec2, Vec3};

use crate::math::ops;
use crate::studio::scene::Bounds;

/// Vertical angle of view, in radians: a portrait lens, so that faces and tails keep their proportions.
const FIELD_OF_VIEW_RAD: f32 = 0.56;

/// A direction to look from, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewDirection {
    /// The character's face.
    Front,
    /// Its left side.
    Side,
    /// Its right side.
    Right,
    /// Its back.
    Back,
    /// From above.
    Top,
    /// From below.
    Bottom,
    /// Its left front, a little from above: where a picture shows most.
    #[default]
    ThreeQuarter,
}

impl ViewDirection {
    /// Yaw and pitch in radians.
    fn angles(self) -> (f32, f32) {
        let turn = std::f32::consts::FRAC_PI_2;
        match self {
            Self::Front => (0.0, 0.0),
            Self::Side => (turn, 0.0),
            Self::Right => (-turn, 0.0),
            Self::Bottom => (0.0, -turn),
            Self::Back => (2.0 * turn, 0.0),
            Self::Top => (0.0, turn),
            Self::ThreeQuarter => (0.62, 0.2),
        }
    }
}

/// Where the viewport is seen from. Angles in radians, lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitCamera {
    /// The point it turns about.
    pub target: Vec3,
    /// About +Y; 0 looks at the character's face.
    pub yaw: f32,
    /// Above the horizon.
    pub pitch: f32,
    /// From the target.
    pub distance: f32,
    /// Without perspective.
    pub is_orthographic: bool,
}

/// What drawing needs of a camera, for one size of picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// World to clip space.
    pub clip_from_world: Mat4,
    /// Where the camera is; far away for an orthographic one.
    pub position: Vec3,
    /// Unit vector from the target to the camera.
    pub backward: Vec3,
}

impl Eye {
    /// Where a point of the world lies in a picture of `size` pixels, from its bottom left; `None` behind the camera.
    pub fn pixel(&self, p: Vec3, size: Vec2) -> Option<Vec2> {
        let clip = self.clip_from_world * p.extend(1.0);
        (clip.w > 0.0).then(|| (clip.truncate().truncate() / clip.w * 0.5 + 0.5) * size)
    }
}

/// A half line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
}

impl Default for OrbitCamera {
    fn default() -> Self {
        let (yaw, pitch) = ViewDirection::default().angles();
        Self { target: Vec3::new(0.0, 0.9, 0.0), yaw, pitch, distance: 4.5, is_orthographic: false }
    }
}

impl OrbitCamera {
    /// Largest pitch: at the pole, "up" would flip.
    const MAX_PITCH: f32 = std::f32::consts::FRAC_PI_2;

    /// A camera that sees all of `bounds` from `direction` in a picture `aspect` times as wide as high.
    pub fn framing(bounds: &Bounds, direction: ViewDirection, aspect: f32) -> Self {
        let mut camera = Self::default();
        camera.look_from(direction);
        camera.frame(bounds, aspect, 1.0);
        camera
    }

    /// Unit vector from the target to the camera.
    pub fn backward(&self) -> Vec3 {
        let (sy, cy) = (ops::sin(self.yaw), ops::cos(self.yaw));
        let (sp, cp) = (ops::sin(self.pitch), ops::cos(self.pitch));
        Vec3::new(sy * cp, sp, cy * cp)
    }

    /// Unit vectors to the right and up on the screen.
    pub fn screen_axes(&self) -> (Vec3, Vec3) {
        let right = Vec3::new(ops::cos(self.yaw), 0.0, -ops::sin(self.yaw));
        (right, self.backward().cross(right))
    }

    /// Metres at the target that one unit of the picture's half height stands for.
    fn half_height(&self) -> f32 {
        let half = FIELD_OF_VIEW_RAD * 0.5;
        self.distance * ops::sin(half) / ops::cos(half)
    }

    /// Matrices for a picture `aspect` times as wide as high, of a scene within `radius` of the target.
    pub fn eye(&self, aspect: f32, radius: f32) -> Eye {
        let backward = self.backward();
        let far = self.distance + radius * 4.0;
        let (_, up) = self.screen_axes();
        if self.is_orthographic {
            let h = self.half_height();
            let position = self.target + backward * far;
            let view = look_at_mat4(position, self.target, up);
            let clip = opengl::orthographic(-h * aspect, h * aspect, -h, h, 0.0, far * 2.0);
            return Eye { clip_from_world: clip * view, position, backward };
        }
        let position = self.target + backward * self.distance;
        let near = (self.distance - radius * 4.0).max(self.distance * 0.02);
        let view = look_at_mat4(position, self.target, up);
        let clip = opengl::perspective(FIELD_OF_VIEW_RAD, aspect, near, far);
        Eye { clip_from_world: clip * view, position, backward }
    }

    /// The half line under a point of the picture, `at` from (-1, -1) bottom left to (1, 1).
    pub fn ray(&self, at: Vec2, aspect: f32) -> Ray {
        let (right, up) = self.screen_axes();
        let on_plane = self.target + (right * at.x * aspect + up * at.y) * self.half_height();
        let backward = self.backward();
        if self.is_orthographic {
            let origin = on_plane + backward * (self.distance * 10.0);
            return Ray { origin, direction: -backward };
        }
        let origin = self.target + backward * self.distance;
        Ray { origin, direction: (on_plane - origin).normalize_or(-backward) }
    }

    /// Turns by a drag of `delta`, in heights of the picture.
    pub fn orbit(&mut self, delta: Vec2) {
        use std::f32::consts::{PI, TAU};
        self.yaw = (self.yaw - delta.x * PI + PI).rem_euclid(TAU) - PI;
        self.pitch = (self.pitch + delta.y * PI).clamp(-Self::MAX_PITCH, Self::MAX_PITCH);
    }

    /// Shifts so that what was under the cursor stays there, by a drag of `delta` in heights of the picture, y down.
    pub fn pan(&mut self, delta: Vec2) {
        let (right, up) = self.screen_axes();
        self.target += (up * delta.y - right * delta.x) * (2.0 * self.half_height());
    }

    /// Goes nearer by `factor` (below 1) or away; the point under `at` (as in [`Self::ray`]) stays under it.
    pub fn zoom(&mut self, factor: f32, at: Vec2, aspect: f32) {
        let before = self.half_height();
        self.distance = (self.distance * factor).clamp(1e-3, 1e5);
        let (right, up) = self.screen_axes();
        self.target += (right * at.x * aspect + up * at.y) * (before - self.half_height());
    }

    /// Looks from `direction` at the same point.
    pub fn look_from(&mut self, direction: ViewDirection) {
        (self.yaw, self.pitch) = direction.angles();
    }

    /// Moves until all of `bounds` is seen, with a margin, keeping the direction, in the upper part of the picture:
    /// `free` (0 to 1) of its height.
    pub fn frame(&mut self, bounds: &Bounds, aspect: f32, free: f32) {
        let free = free.clamp(0.2, 1.0);
        self.target = bounds.center();
        let (right, up) = self.screen_axes();
        let half = (bounds.high - bounds.low) * 0.5;
        // Half extents of the box on the screen, and towards the camera.
        let along = |axis: Vec3| axis.abs().dot(half);
        let wanted =
            (along(up) / free).max(along(right) / aspect.max(1e-3)).max(bounds.radius() * 0.3);
        let half_angle = FIELD_OF_VIEW_RAD * 0.5;
        let slope = ops::sin(half_angle) / ops::cos(half_angle);
        self.distance = wanted * 1.12 / slope + along(self.backward());
        self.target -= up * ((1.0 - free) * self.half_height());
    }

    /// The camera on the way to `goal`, `share` (0 to 1) of what is left; by the shorter turn.
    #[must_use]
    pub fn towards(&self, goal: &Self, share: f32) -> Self {
        use std::f32::consts::{PI, TAU};
        let turn = (goal.yaw - self.yaw + PI).rem_euclid(TAU) - PI;
        Self {
            target: self.target.lerp(goal.target, share),
            yaw: self.yaw + turn * share,
            pitch: self.pitch + (goal.pitch - self.pitch) * share,
            distance: self.distance + (goal.distance - self.distance) * share,
            is_orthographic: goal.is_orthographic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(eye: &Eye, p: Vec3) -> Vec3 {
        eye.clip_from_world.project_point3(p)
    }

    #[test]
    fn framing_puts_every_corner_into_the_picture() {
        let bounds = Bounds { low: Vec3::new(-0.4, 0.0, -1.2), high: Vec3::new(0.4, 1.9, 0.3) };
        for direction in [
            ViewDirection::Front,
            ViewDirection::Side,
            ViewDirection::Back,
            ViewDirection::Top,
            ViewDirection::ThreeQuarter,
        ] {
            for aspect in [0.6, 1.0, 1.8] {
                for is_orthographic in [false, true] {
                    let mut camera = OrbitCamera::framing(&bounds, direction, aspect);
                    camera.is_orthographic = is_orthographic;
                    let eye = camera.eye(aspect, bounds.radius());
                    for i in 0..8 {
                        let pick =
                            |bit: usize| if i >> bit & 1 == 0 { bounds.low } else { bounds.high };
                        let corner = Vec3::new(pick(0).x, pick(1).y, pick(2).z);
                        let p = project(&eye, corner);
                        assert!(p.abs().max_element() <= 1.0, "{direction:?} {aspect}: {p}");
                    }
                }
            }
        }
    }

    #[test]
    fn framing_keeps_clear_of_what_covers_the_lower_part() {
        let bounds = Bounds { low: Vec3::new(-0.4, 0.0, -0.3), high: Vec3::new(0.4, 1.9, 0.3) };
        for free in [0.6, 0.8, 1.0] {
            let mut camera = OrbitCamera::default();
            camera.look_from(ViewDirection::Front);
            camera.frame(&bounds, 1.4, free);
            let eye = camera.eye(1.4, bounds.radius());
            let [low, high] = [bounds.low.y, bounds.high.y].map(|y| project(&eye, Vec3::Y * y).y);
            assert!(low > 1.0 - 2.0 * free && high < 1.0, "{free}: {low} to {high}");
        }
    }

    #[test]
    fn a_character_facing_z_shows_its_face_from_the_front() {
        let mut camera = OrbitCamera::default();
        camera.look_from(ViewDirection::Front);
        assert!((camera.backward() - Vec3::Z).length() < 1e-6);
        let (right, up) = camera.screen_axes();
        assert!((right - Vec3::X).length() < 1e-6 && (up - Vec3::Y).length() < 1e-6);
    }

    #[test]
    fn the_point_under_the_cursor_stays_while_zooming() {
        for is_orthographic in [false, true] {
            let mut camera = OrbitCamera { is_orthographic, ..OrbitCamera::default() };
            let (at, aspect) = (Vec2::new(0.5, -0.3), 1.6);
            let (right, up) = camera.screen_axes();
            let point = camera.target + (right * at.x * aspect + up * at.y) * camera.half_height();
            camera.zoom(0.5, at, aspect);
            let p = project(&camera.eye(aspect, 1.0), point);
            assert!((p.truncate() - at).length() < 1e-4, "{p}");
        }
    }

    #[test]
    fn a_ray_goes_through_what_projects_to_its_point() {
        for is_orthographic in [false, true] {
            let camera =
                OrbitCamera { is_orthographic, yaw: 2.0, pitch: -0.4, ..Default::default() };
            let ray = camera.ray(Vec2::new(0.2, 0.7), 1.5);
            let on_ray = ray.origin + ray.direction * camera.distance;
            let p = project(&camera.eye(1.5, 2.0), on_ray);
            assert!((p.truncate() - Vec2::new(0.2, 0.7)).length() < 1e-4, "{p}");
        }
    }

    #[test]
    fn a_pan_keeps_the_target_under_the_cursor() {
        let mut camera = OrbitCamera::default();
        let before = camera.target;
        camera.pan(Vec2::new(0.25, 0.1));
        let p = project(&camera.eye(2.0, 1.0), before);
        // A height of the picture is two units of clip space; y is down on the screen.
        assert!((p.truncate() - Vec2::new(0.25, -0.2)).length() < 1e-4, "{p}");
    }

    #[test]
    fn the_way_between_two_views_takes_the_shorter_turn() {
        let a = OrbitCamera { yaw: 3.0, ..OrbitCamera::default() };
        let b = OrbitCamera { yaw: -3.0, ..OrbitCamera::default() };
        let half = a.towards(&b, 0.5);
        assert!((half.yaw - std::f32::consts::PI).abs() < 1e-5);
    }
}
