//! Floor 3: what is this? Humanoid roles, distance to the skeleton, appendages and the reasons for their verdicts.
//!
//! May use floors 0 to 2, but not `io`. Architecture invariant: never changes its input.

pub mod roles;
