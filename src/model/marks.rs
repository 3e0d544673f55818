//! What Tailbone leaves in the files it writes, so that its own work can be taken back and done again.

use serde_json::Value;

/// Marks of an earlier run, read from `asset.extras.tailbone`.
///
/// The reader has taken everything that run added off the file before building the character: what is loaded is the
/// file as it was before Tailbone, and this is what had been decided about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// Version of the solver that baked.
    pub solver_version: String,
    /// The decisions, as `document` wrote them; opaque here.
    pub decisions: Value,
    /// Tracks that had been baked, by clip.
    pub baked: Vec<BakedTrack>,
}

/// A clip that an earlier run had baked.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedTrack {
    /// Name of the clip in the written file.
    pub clip: String,
    /// Where the clip came from: `file`, `bundled`, or a library's path.
    pub origin: String,
}
