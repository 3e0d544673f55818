//! Floor 5: sampling, inverse kinematics, retargeting: clip → clip and clip → pose.
//!
//! May use floors 0 and 1. Architecture invariant: knows no springs and no files.
