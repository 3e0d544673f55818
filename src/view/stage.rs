//! Where light falls from and how far the floor reaches, from the box around the character.

use glam::camera::rh::proj::opengl;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec2, Vec3};

use crate::studio::scene::Bounds;

/// Where the light comes from: left, above, in front; the fill from the right.
pub(super) const TO_KEY: Vec3 = Vec3::new(0.48, 0.72, 0.5);
pub(super) const TO_FILL: Vec3 = Vec3::new(-0.8, 0.25, 0.3);

/// The box around a character and the height of its floor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub(super) bounds: Bounds,
    pub(super) floor_m: f32,
}

impl Stage {
    /// The floor stands under the body, or under what hangs lower where there is no body.
    pub(super) fn floor_center(&self) -> Vec3 {
        self.bounds.center().with_y(self.floor_m)
    }

    /// Light space of the key light, with room for the shadow's edge.
    pub(super) fn shadow_from_world(&self) -> Mat4 {
        let (center, radius) = (self.bounds.center(), self.bounds.radius() * 1.1);
        let eye = center + TO_KEY.normalize() * radius * 2.0;
        let view = look_at_mat4(eye, center, Vec3::Y);
        opengl::orthographic(-radius, radius, -radius, radius, radius * 0.5, radius * 4.0) * view
    }

    /// Middle, half side and depth, in metres, of the box over the floor that the contact map looks into.
    pub(super) fn contact_extent(&self) -> (Vec2, f32, f32) {
        let center = self.floor_center();
        let half = (self.bounds.high - self.bounds.low) * 0.5;
        let radius = half.x.max(half.z) + self.bounds.radius() * 0.2;
        (Vec2::new(center.x, center.z), radius, self.bounds.radius() * 0.5)
    }

    /// From under the floor straight up: depth is the height of the lowest skin over the floor.
    ///
    /// x of the map runs along +X and y along +Z, as the floor's shader reads it.
    pub(super) fn contact_from_world(&self) -> Mat4 {
        let (center, radius, range) = self.contact_extent();
        let floor = self.floor_m;
        // Clip z from -1 at the floor to 1 at the top; a little below the floor still counts as touching it.
        let slack = range * 0.02;
        Mat4::from_cols(
            Vec3::new(1.0 / radius, 0.0, 0.0).extend(0.0),
            Vec3::new(0.0, 0.0, 2.0 / (range + slack)).extend(0.0),
            Vec3::new(0.0, 1.0 / radius, 0.0).extend(0.0),
            Vec3::new(
                -center.x / radius,
                -center.y / radius,
                -1.0 - 2.0 * (floor - slack) / (range + slack),
            )
            .extend(1.0),
        )
    }

    /// Spacing of the fine lines of the floor: a tenth of a metre for a person, by tens for mice and giants.
    pub(super) fn cell(&self) -> f32 {
        let radius = self.bounds.radius();
        let mut cell = 0.1;
        while radius > cell * 40.0 {
            cell *= 10.0;
        }
        while radius < cell * 4.0 {
            cell *= 0.1;
        }
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contact_map_stands_on_the_floor() {
        let bounds = Bounds { low: Vec3::new(-1.0, 0.3, -2.0), high: Vec3::new(1.0, 2.0, 1.0) };
        let stage = Stage { bounds, floor_m: 0.3 };
        let clip = stage.contact_from_world();
        let (center, radius, range) = stage.contact_extent();
        let on_floor = clip.project_point3(Vec3::new(center.x + radius, 0.3, center.y));
        assert!((on_floor.truncate() - Vec2::new(1.0, 0.0)).length() < 1e-5);
        assert!(on_floor.z > -1.0 && on_floor.z < -0.9, "{on_floor}");
        let top = clip.project_point3(Vec3::new(center.x, 0.3 + range, center.y + radius));
        assert!((top - Vec3::new(0.0, 1.0, 1.0)).length() < 1e-5, "{top}");
    }

    #[test]
    fn the_grid_is_a_tenth_of_a_metre_for_a_person() {
        let cell = |half: f32| {
            let bounds = Bounds { low: Vec3::splat(-half), high: Vec3::splat(half) };
            Stage { bounds, floor_m: 0.0 }.cell()
        };
        assert_eq!(cell(0.64), 0.1);
        assert!((cell(0.064) - 0.01).abs() < 1e-6);
        assert_eq!(cell(6.4), 1.0);
    }
}
