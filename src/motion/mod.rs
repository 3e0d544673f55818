//! Floor 5: secondary motion: spring chains on the fixed step, contacts, limits.
//!
//! May use floors 0 and 1. Architecture invariant: knows neither clips nor files; rotates joints of chains and never
//! moves anything else; no NaN leaves it.
//!
//! A solver's data in three: [`ChainTopology`] is fixed, [`SpringSettings`](crate::model::SpringSettings) may change
//! while it runs, [`ChainState`] is what persists between substeps and can be kept and restored.

mod batch;
mod contact;
mod hair;
mod hair_batch;
mod hair_collider;
mod hair_contact;
mod hair_near;
mod kernel;
mod lane_state;
mod lanes;
mod packing;
mod readout;
mod rest;
mod slerp;
mod springs;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod ties;
mod topology;

/// Changes whenever the same settings would move a chain otherwise; stands in the files we write.
pub const SOLVER_VERSION: &str = "1";

pub use batch::Surroundings;
pub use lanes::simd_description;
pub use readout::Readout;
pub use rest::RestArc;
pub use springs::{Fork, SpringChain, Springs, StepSize};
pub use state::{Anchor, Capsule, ChainState, ColliderKind, ColliderPose, LinkSnapshot};
pub use topology::{ChainTopology, Link};
