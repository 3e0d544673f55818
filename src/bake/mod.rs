//! Floor 7: records performances at a fixed rate as clips.
//!
//! May use floors 0 to 6, but not `io`. Architecture invariant: writes no files; it returns clips for `io` to write.
//! What is recorded is the settled pass that preview and measuring show, so a baked loop closes, or says by how much it
//! does not.

mod keys;
mod plan;
mod reduce;
mod run;
#[cfg(test)]
mod tests;

pub use keys::key_times;
pub use plan::{BakeClip, BakePlan, RootPlacement};
pub use reduce::{Reduction, reduced};
pub use run::{BakeReport, Baked, bake, placed, placed_clip};
