//! Floor 6: one performance: a clip on a character, springs on the fixed clock, a pose at any time.
//!
//! May use floors 0 to 5. Preview, thumbnails, measuring and baking all run *this*, so that a bake is what the preview
//! showed. Architecture invariant: nothing here knows who watches; time comes in as numbers and never from a clock on
//! the wall.
//!
//! ```text
//! BodyMotion   where the body has its chains at each substep, travel taken out: worked out once for each clip
//!   → Performer     live: advances by dt, shows a pose, retunes while it runs
//!   → SettledPass   one whole pass whose end is its own start, recorded: what is measured and baked
//! ```

mod body;
mod clock;
mod legs;
mod performer;
mod settle;
#[cfg(test)]
pub(crate) mod tests;

pub use body::{BodyMotion, DrivenChain, TracksOnChains};
pub use clock::{Clock, Moment, PassClock};
pub use performer::{AtEnd, Performer};
pub use settle::{Seam, SettledPass};
