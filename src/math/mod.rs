//! Floor 0: transforms, rotations, closest points, statistics. What geometry needs and glam does not have.
//!
//! May use glam, libm and nalgebra. Knows no joint, no mesh, no file.
//!
//! Architecture invariant: every transcendental function comes from [`ops`], so that the same input gives the same
//! bits on every machine of one target.

pub mod closest;
pub mod eigen;
mod handover;
pub mod ops;
pub mod rotation;
pub mod stats;
mod transform;

pub use handover::handover;
pub use transform::{Similarity, Transform, polar_rotation};
