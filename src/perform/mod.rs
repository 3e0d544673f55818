//! Floor 6: one performance: a clip on a character, springs on the fixed clock, a pose at any time.
//!
//! May use floors 0 to 5. Preview, thumbnails, measuring and baking all run *this*, so that a bake is what the preview
//! showed. Architecture invariant: nothing here knows who watches; time comes in as numbers and never from a clock on
//! the wall.
//!
//! ```text
//! BodyMotion   where the body has its chains at each substep, travel taken out: worked out once for each clip
//!   → Performer     live: advances by dt, shows a pose, retunes while it runs
//!                   and has the body swept, turned or dropped on top of it at a click (TestMotion)
//!   → SettledPass   one whole pass whose end is its own start, recorded: what is measured and baked
//! ```

mod body;
mod clock;
mod constraints;
mod extent;
mod legs;
mod performer;
mod settle;
mod still;
mod test_motion;
#[cfg(test)]
pub(crate) mod tests;

pub use body::{BodyMotion, DrivenChain, MovedBody, TracksOnChains};
pub use clock::{Clock, Moment, PassClock};
pub use legs::{LegBone, leg_bones, torso_bones};
pub use performer::{AtEnd, Performer};
pub use settle::{Seam, SettledPass};
pub use still::{StillReason, Stillness, Watched, why_still};
pub use test_motion::TestMotion;
