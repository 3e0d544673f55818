//! Floor 5: sampling, inverse kinematics, retargeting: clip → clip and clip → pose.
//!
//! May use floors 0 and 1. Architecture invariant: knows no springs and no files. A clip is never edited in place:
//! every step reads one and returns another, so that what plays is never what is being computed.

mod arc;
mod edit;
pub mod ik;
pub mod retarget;
mod root;
mod sample;
mod spline;
mod support;
mod timeline;

pub use edit::{ClipEdit, ClipEditError, EditedBody, edited};
pub use root::{RigView, RootMotion, Travel, with_root_motion};
pub use sample::PackedClip;
pub use support::{SupportPoint, support_points};
