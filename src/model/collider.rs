//! Shapes that keep hair and cloth out of a body.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::NodeIndex;

/// A collider of a character, in the order of [`Rigged::colliders`](super::Rigged::colliders).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ColliderIndex(pub u32);

impl ColliderIndex {
    /// As a position in an array.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a collider looks like, in its node's own frame and units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColliderShape {
    /// All points within `radius` of the segment from `a` to `b`; a sphere where both are one point.
    Capsule {
        /// One end of the axis.
        a: Vec3,
        /// The other end.
        b: Vec3,
        /// Not negative.
        radius: f32,
        /// Hair is kept inside, not outside.
        inside: bool,
    },
    /// Everything behind a plane.
    Plane {
        /// A point of it.
        point: Vec3,
        /// Unit; hair stays on the side it points to.
        normal: Vec3,
    },
}

/// Where a collider came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColliderOrigin {
    /// The file has it, at this place of its list; its fit may have changed the shape.
    Authored(u32),
    /// Added to cover a part of the body that nothing covered.
    Added,
    /// Put there by the user.
    ByHand,
}

/// What the user has done with a collider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColliderState {
    /// Nothing.
    #[default]
    AsFound,
    /// Its shape, its node or its name are the user's.
    Edited,
    /// It was taken away: nothing meets it. It keeps its place, which others are counted by, and what it was.
    Off,
}

/// A shape that follows a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// After its node where the file has it, after the part of the body that it was added for (`torso left`, `thigh
    /// right`), or as the user named it.
    pub name: String,
    /// What it follows.
    pub node: NodeIndex,
    /// As hair meets it.
    pub shape: ColliderShape,
    /// Who made it.
    pub origin: ColliderOrigin,
    /// Whether the user has changed it.
    pub state: ColliderState,
}

impl Collider {
    /// Whether strands may meet it.
    pub fn is_met(&self) -> bool {
        self.state != ColliderState::Off
    }
}

impl ColliderShape {
    /// A sphere.
    pub const fn sphere(center: Vec3, radius: f32) -> Self {
        Self::Capsule { a: center, b: center, radius, inside: false }
    }

    /// Whether every number is finite, and the radius not negative.
    pub fn is_usable(&self) -> bool {
        match *self {
            Self::Capsule { a, b, radius, .. } => {
                a.is_finite() && b.is_finite() && radius.is_finite() && radius >= 0.0
            }
            Self::Plane { point, normal } => point.is_finite() && normal.is_normalized(),
        }
    }

    /// The radius; 0 for a plane.
    pub fn radius(&self) -> f32 {
        match *self {
            Self::Capsule { radius, .. } => radius,
            Self::Plane { .. } => 0.0,
        }
    }
}
