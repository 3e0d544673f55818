//! Clips with the springs' motion in them, ready to be written.

use super::{Clip, ClipIndex};

/// One baked clip.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedClip {
    /// Its tracks and its name in the written file. For a clip that joins one of the file's own, only what is added.
    pub clip: Clip,
    /// The file's own clip whose tracks these join; `None` for a clip that the file does not have yet.
    pub joins: Option<ClipIndex>,
    /// Where the body's motion came from: `file`, `bundled`, or a library's path.
    pub origin: String,
}
