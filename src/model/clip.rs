//! Clips: keys over time for nodes of one skeleton.

use glam::{Quat, Vec3};

use super::NodeIndex;

/// A clip of a character, in the order of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClipIndex(pub u32);

/// How values between keys come about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// The value of the key before.
    Step,
    /// Lerp, or slerp for rotations.
    #[default]
    Linear,
    /// glTF's cubic spline: three values for each key, in-tangent, value, out-tangent.
    Cubic,
}

/// What a track animates, and its values: `[K]`, or `[3 K]` for [`Interpolation::Cubic`].
#[derive(Clone, Debug, PartialEq)]
pub enum TrackValues {
    /// Local translations, in the parent's units.
    Translation(Vec<Vec3>),
    /// Local rotations, unit quaternions.
    Rotation(Vec<Quat>),
    /// Local scales.
    Scale(Vec<Vec3>),
    /// Morph weights, `[K × targets]` (× 3 for cubic), key by key.
    Morph {
        /// Number of morph targets.
        n_targets: u32,
        /// The weights.
        values: Vec<f32>,
    },
}

/// Keys of one property of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Whose property.
    pub node: NodeIndex,
    /// `[K]` seconds, finite, rising.
    pub times: Vec<f32>,
    /// Values at the keys.
    pub values: TrackValues,
    /// Between the keys.
    pub interpolation: Interpolation,
}

/// A whole animation of one skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// As in the file.
    pub name: String,
    /// From 0 to the last key of any track, in seconds; of what is longer than [`Clip::LONGEST_SECS`], that.
    pub duration_secs: f64,
    /// Whether it is meant to loop: from the catalogue, the name (`…_Loop`) or its content.
    pub looping: bool,
    /// Its tracks.
    pub tracks: Vec<Track>,
    /// Index in the file's `animations`; `None` for generated and retargeted clips.
    pub source: Option<u32>,
}

impl Clip {
    /// The longest that a clip is played for: half an hour, in seconds. Every substep of it is held in memory, and a file
    /// may state a key at any time it likes.
    pub const LONGEST_SECS: f64 = 1800.0;

    /// Whether any track moves `node`.
    pub fn animates(&self, node: NodeIndex) -> bool {
        self.tracks.iter().any(|t| t.node == node)
    }

    /// Whether it has keys after [`Clip::LONGEST_SECS`], which nobody sees.
    pub fn is_cut(&self) -> bool {
        let mut ends = self.tracks.iter().filter_map(|t| t.times.last());
        ends.any(|&end| f64::from(end) > Self::LONGEST_SECS)
    }
}
