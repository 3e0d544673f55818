//! Floor 2: meshes as surfaces: welding, adjacency, connected pieces, distances along the skin.
//!
//! May use floors 0 and 1. Architecture invariant: knows no anatomy; a hip and a hand are vertices alike.
//!
//! [`Surface`] is the skin as the file splits it; [`Topology`] is the same skin welded; a [`Patch`] is a piece of that
//! as a mesh of its own, small enough to measure along.

mod coarse;
mod components;
pub mod geodesic;
mod graph;
mod level_sets;
mod patch;
mod point_grid;
mod queue;
mod rows;
pub mod selection;
mod surface;
mod topology;
mod weld;

pub use coarse::Coarse;
pub use components::UnionFind;
pub use graph::MeshGraph;
pub use level_sets::{Band, Contour, LevelCuts, LevelSets, Slice};
pub use patch::{Patch, distances_along};
pub use point_grid::PointGrid;
pub(crate) use rows::Rows;
pub use surface::Surface;
pub use topology::Topology;
pub use weld::Weld;
