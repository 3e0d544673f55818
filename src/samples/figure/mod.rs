//! The humanoid: where joints stand, what they are called, how a skeleton is built of them.

mod joints;
mod naming;
mod skeleton;

pub(crate) use joints::{Figure, Finger, JointKey, JointSpec, Proportions, Side};
pub(crate) use naming::Naming;
pub(crate) use skeleton::{Frames, SkeletonPlan, build_skeleton};
