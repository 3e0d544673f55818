//! Floor 7: numbers about a performance: stretch of the skin, travel of the tip, the seam.
//!
//! May use floors 0 to 6, but not `io`. Architecture invariant: draws nothing, and changes nothing that it measures.

mod depths;
mod edges;
mod faults;
mod hair;
mod heat;
mod histogram;
mod live;
#[cfg(test)]
mod live_tests;
mod run;
mod skinning;
#[cfg(test)]
mod tests;

pub use edges::{EdgeSet, Edges};
pub use faults::{ClipFaults, FaultFinder, Worst};
pub use hair::{
    HEAD_TURN_SECS, HairMeasureInput, HairMeasurement, Occlusion, SkirtCheck, StrandGap,
    TorsoCheck, fit_vrm, head_turn, measure_hair, vrm_gap,
};
pub use heat::{driven_from, joint_weights};
pub use histogram::{Ratios, Stretch};
pub use live::{LiveDetail, LiveStretch, StretchReading};
pub use run::{
    MeasureInput, Measurement, PelvisLift, RegionStretch, Seams, ThreeWays, measure, sample_times,
};
pub use skinning::Skinner;
