//! What is to be baked, and how.

use std::sync::Arc;

use super::reduce::Reduction;
use crate::model::{Clip, ClipIndex};
use crate::perform::TracksOnChains;

/// One clip of a bake.
#[derive(Clone, Debug)]
pub struct BakeClip {
    /// On the character's own nodes: the file's, or retargeted already.
    pub clip: Arc<Clip>,
    /// The file's clip that the tracks join: only what the springs add is returned. `None` for a clip that the file
    /// does not have: the body's tracks are returned too.
    pub joins: Option<ClipIndex>,
    /// Where the body's motion came from: `file`, `bundled`, or a library's path.
    pub origin: String,
}

/// Where a clip that the file does not have keeps its travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootPlacement {
    /// Nowhere: the character stays in frame.
    InPlace,
    /// On the topmost node above the hips; on the hips where there is none.
    Root,
    /// On the hips.
    Hips,
}

/// What is to be baked, and how.
#[derive(Clone, Debug)]
pub struct BakePlan {
    /// In this order.
    pub clips: Vec<BakeClip>,
    /// Keys a second. Default 30, what most engines resample to; more follows a quick tail more closely.
    pub rate_hz: f64,
    /// Which keys may be dropped. Default: none, but for those of joints that do not move at all.
    pub reduction: Reduction,
    /// Where travel goes in clips that the file does not have; `None` (default) leaves it where it is. The file's own
    /// clips keep theirs.
    pub root: Option<RootPlacement>,
    /// Who wins where a clip has tracks of its own on a chain's joints. Default: the clip.
    pub tracks: TracksOnChains,
}

impl Default for BakePlan {
    fn default() -> Self {
        Self {
            clips: Vec::new(),
            rate_hz: 30.0,
            reduction: Reduction::default(),
            root: None,
            tracks: TracksOnChains::default(),
        }
    }
}
