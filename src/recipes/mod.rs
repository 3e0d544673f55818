//! Floor 6: the motion generator: recipes of key poses, gaits and contacts → clips of the canonical humanoid.
//!
//! May use floors 0 and 1 and `clips`. Architecture invariant: every key is ours, made here. A recipe is data
//! (`presets/clips/*.ron`); nothing in this room knows a clip by its name.
//!
//! ```text
//! recipe  keys, gait, waves, flights       presets/clips/*.ron, checked on reading
//!   │     motion: curves and phases
//! posture a number for each channel        at any time; loops are periodic by construction
//!   │     figure: kinematics, feet planted
//! pose    a rotation for each joint        of the canonical body
//!   │     generate: 30 keys a second
//! clip
//! ```

mod catalogue;
mod channel;
mod curve;
mod fault;
mod figure;
mod floor;
mod gait;
mod generate;
mod inherit;
mod mass;
mod motion;
mod poses;
mod recipe;
mod rig;
mod steps;

pub use catalogue::{RecipeBook, RecipeInfo, clip, find, list, title};
pub use fault::RecipeError;
pub use rig::{CanonicalRig, skeleton};
