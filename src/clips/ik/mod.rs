//! Inverse kinematics: joint rotations that bring an end to a target. Positions in, rotations out; no skeleton needed.

mod two_bone;

pub use two_bone::{TwoBone, TwoBoneSolution};
