//! Floor 7: the characters this program makes, with ground truth: fox, mouse, knight, two people with hair, and a
//! parametric family.
//!
//! May use floors 0 to 2, `clips` and `recipes`. Architecture invariant: no other room treats a sample as special.
//!
//! ```text
//! figure   joints of a humanoid, named and turned in many ways
//! shape    implicit bodies → triangles; tubes, sheets; sewing
//! rigger   weights as an auto-rigger gives them: it knows no tail
//! seams    vertices split at UV seams and hard edges
//! assemble pieces + weights → character and truth
//! ```

mod anatomy;
mod assemble;
mod assets;
mod build;
mod color;
mod family;
mod figure;
mod fox;
mod knight;
mod layered;
mod mouse;
mod moves;
mod person;
mod ponytail;
mod random;
mod rigger;
mod seams;
mod shape;
mod truth;

pub use assets::{embedded, file_name, glb, write_assets};
pub use family::family;
pub use truth::{Sample, Truth, TruthAppendage, TruthKind, TruthStrand};

/// A sample that is made by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleInfo {
    /// What [`generate`] and the command line call it.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
}

const SAMPLES: [SampleInfo; 6] =
    [fox::INFO, mouse::INFO, mouse::RIGGED_INFO, knight::INFO, ponytail::INFO, layered::INFO];

/// All samples, the fox first.
pub fn list() -> &'static [SampleInfo] {
    &SAMPLES
}

/// Makes a sample, with its clips and its truth; `None` for a name that [`list`] does not have.
///
/// Cost: one to two seconds of work: bodies are meshed finely. [`embedded`] has the same character at no cost.
pub fn generate(name: &str) -> Option<Sample> {
    let mut sample = match name {
        "fox" => fox::fox(),
        "mouse" => mouse::mouse(),
        "mouse-rigged" => mouse::mouse_rigged(),
        "knight" => knight::knight(),
        "ponytail" => ponytail::ponytail(),
        "layered" => layered::layered(),
        _ => return None,
    };
    sample.character.clips = moves::clips(&sample);
    Some(sample)
}

#[cfg(test)]
mod tests;
