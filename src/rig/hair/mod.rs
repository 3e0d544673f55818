//! Hair: strands that an artist rigged, strands that the user picks, and what both are kept out of.
//!
//! ```text
//!   VRM springs ─► import ──────────────┐
//!                                       ├─► chains with hair ─► colliders fitted to body and clothes
//!   picked skin ─► root ─► path ─► fit ─┘
//! ```

mod by_hand;
mod colliders;
mod import;
mod plan;
mod root;
pub mod select;
mod strand;

pub use by_hand::{fitted_to_skin, new_on_joint};
pub(super) use colliders::fit_colliders;
pub(super) use import::{hangs_in_front, vrm_chains};
pub use plan::{ColliderPlan, HairPlan, StrandPlan};
pub(super) use strand::fitted_weights;
pub use strand::{StrandPath, propose_strand, territories};
