//! Geometry of the samples: implicit bodies, swept tubes, sheets, and how they are sewn together.

mod contour;
mod field;
mod local;
mod piece;
mod remesh;
mod sheet;
mod stitch;
mod tube;

pub(crate) use contour::contour;
pub(crate) use field::{Field, Shape};
pub(crate) use local::LocalField;
pub(crate) use piece::Piece;
pub(crate) use remesh::remesh;
pub(crate) use sheet::{Sheet, slab};
pub(crate) use stitch::stitch;
pub(crate) use tube::{Tube, forked};
