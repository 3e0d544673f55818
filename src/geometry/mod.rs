//! Floor 2: meshes as surfaces: welding, adjacency, connected pieces, distances along the skin.
//!
//! May use floors 0 and 1. Architecture invariant: knows no anatomy; a hip and a hand are vertices alike.

mod surface;

pub use surface::Surface;
