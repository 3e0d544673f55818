//! Floor 7: the characters this program makes, with ground truth: fox, mouse, knight, and a parametric family.
//!
//! May use floors 0 to 2, `clips` and `recipes`. Architecture invariant: no other room treats a sample as special.

mod assemble;
mod color;
mod family;
mod figure;
mod random;
mod rigger;
mod seams;
mod shape;
mod truth;

pub use family::family;
pub use truth::{Sample, Truth, TruthAppendage, TruthKind};
