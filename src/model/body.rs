//! Measures of a body that everything after detection shares.

use glam::{Quat, Vec3};

/// Frame, height and floor of a character, in bind space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMeasures {
    /// From the body frame to the world: x from the right to the left thigh head made horizontal, y up, z = x × y,
    /// forward (spec 8, 4.1).
    pub world_from_body: Quat,
    /// H: extent of the visible bind-pose surface along +Y, in metres.
    pub height_m: f32,
    /// Height of the lowest skin that belongs to the body and not to an appendage, in metres.
    pub floor_m: f32,
}

impl Default for BodyMeasures {
    fn default() -> Self {
        Self { world_from_body: Quat::IDENTITY, height_m: Self::FOX_HEIGHT_M, floor_m: 0.0 }
    }
}

impl BodyMeasures {
    /// Height of the article's fox, for which lengths and gravity are stated.
    pub const FOX_HEIGHT_M: f32 = 1.91;

    /// λ = H / 1.91 m: what lengths and gravity of the springs are multiplied by.
    pub fn size_ratio(&self) -> f32 {
        self.height_m / Self::FOX_HEIGHT_M
    }

    /// Forward, a unit vector in the world.
    pub fn forward(&self) -> Vec3 {
        self.world_from_body * Vec3::Z
    }

    /// The character's left, a unit vector in the world.
    pub fn left(&self) -> Vec3 {
        self.world_from_body * Vec3::X
    }
}
