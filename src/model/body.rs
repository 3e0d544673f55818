//! Measures of a body that everything after detection shares.

use std::ops::RangeInclusive;

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

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

/// The axis of a file that a character faces along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Facing {
    /// +Z, as glTF and VRM 1 have it.
    PlusZ,
    /// -Z, as VRM 0 has it.
    MinusZ,
    /// +X.
    PlusX,
    /// -X.
    MinusX,
}

impl Facing {
    /// All, the usual one first.
    pub const ALL: [Self; 4] = [Self::PlusZ, Self::MinusZ, Self::PlusX, Self::MinusX];

    /// `+Z`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PlusZ => "+Z",
            Self::MinusZ => "−Z",
            Self::PlusX => "+X",
            Self::MinusX => "−X",
        }
    }

    /// The axis, a unit vector of the file.
    pub const fn axis(self) -> Vec3 {
        match self {
            Self::PlusZ => Vec3::Z,
            Self::MinusZ => Vec3::NEG_Z,
            Self::PlusX => Vec3::X,
            Self::MinusX => Vec3::NEG_X,
        }
    }
}

/// What a hand has said of a body, in place of what roles and skin say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatedBody {
    /// Where it faces: which of its sides is left, and what is behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facing: Option<Facing>,
    /// Its height in metres: what thresholds are shares of, and springs are scaled by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_m: Option<f32>,
}

impl StatedBody {
    /// Heights that can be stated, metres.
    pub const HEIGHTS_M: RangeInclusive<f32> = 0.01..=100.0;

    /// Whether nothing was said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The height that was stated, where a body can have it.
    pub fn height_m(&self) -> Option<f32> {
        self.height_m.filter(|height| Self::HEIGHTS_M.contains(height))
    }
}
