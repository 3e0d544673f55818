//! Floor 4: builds: chains of joints, weights, names; applies verdicts to a character.
//!
//! May use floors 0 to 3, but not `io`. Architecture invariant: simulates nothing.
//!
//! ```text
//!   region ─► measured from its collar ─► trunk and branches ─► centre line ─► joints in skeleton and bind pose
//!                        │                                                        │
//!                        └──────────────► weights by node ◄───────────────────────┘
//!                                                │  body skin round the collars blended in
//!                                                ▼
//!                         skins extended, meshes reweighted: one pass over the character
//! ```
//!
//! Hair that the user picks goes the same way with a root, a fixed zone and weights of its own (`hair`).

mod appendage;
mod blend;
mod branches;
mod build;
mod centre_line;
mod columns;
mod existing;
mod hair;
mod joints;
mod measured;
mod moved;
mod names;
mod settings;
mod skinning;
mod spread;
mod weights;

pub use appendage::{Appendage, appendages, rigged_appendages};
pub use build::rig;
pub use centre_line::segment_count;
pub use existing::tune;
pub use hair::{
    ColliderPlan, HairPlan, StrandPath, StrandPlan, fitted_to_skin, new_on_joint, propose_strand,
    select, territories,
};
pub use names::{ChainName, JointNaming};
pub use settings::{JointAxes, RigSettings, Treatment};
