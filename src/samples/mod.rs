//! Floor 7: the characters this program makes, with ground truth: fox, mouse, knight, and a parametric family.
//!
//! May use floors 0 to 2, `clips` and `recipes`. Architecture invariant: no other room treats a sample as special.

mod anatomy;
mod assemble;
mod build;
mod color;
mod family;
mod figure;
mod fox;
mod knight;
mod mouse;
mod random;
mod rigger;
mod seams;
mod shape;
mod truth;

pub use family::family;
pub use truth::{Sample, Truth, TruthAppendage, TruthKind};

/// A sample that is made by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleInfo {
    /// What [`generate`] and the command line call it.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
}

const SAMPLES: [SampleInfo; 4] = [fox::INFO, mouse::INFO, mouse::RIGGED_INFO, knight::INFO];

/// All samples, the fox first.
pub fn list() -> &'static [SampleInfo] {
    &SAMPLES
}

/// Makes a sample, with its truth; `None` for a name that [`list`] does not have.
///
/// Cost: one to two seconds of work: bodies are meshed finely.
pub fn generate(name: &str) -> Option<Sample> {
    match name {
        "fox" => Some(fox::fox()),
        "mouse" => Some(mouse::mouse()),
        "mouse-rigged" => Some(mouse::mouse_rigged()),
        "knight" => Some(knight::knight()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
