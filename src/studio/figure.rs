//! A rig before it is shown: its performance and its extent, worked out by the worker that made the rig. Over skin of
//! half a million vertices, or over a clip of minutes, the window would stand still for them.

use std::sync::Arc;

use super::playback::Playback;
use super::scene::{Bounds, posed_bounds};
use crate::document::Evaluated;
use crate::model::Clip;
use crate::perform::AtEnd;

/// What stands in the viewport once it is there.
pub(super) struct Figure {
    playback: Playback,
    at_end: AtEnd,
    /// The box around its skin as the clip begins.
    pub(super) bounds: Option<Bounds>,
}

impl Figure {
    /// Of what was evaluated, in the swing that `clip` leads to. Cost: O(influences + steps of the clip).
    pub(super) fn of(
        evaluated: &Evaluated,
        clip: Option<(usize, Arc<Clip>)>,
        at_end: AtEnd,
    ) -> Self {
        // The inspector asks for it as soon as it is shown.
        evaluated.appendages();
        let playback = Playback::ending(evaluated.rigged.clone(), clip, at_end);
        let bounds = posed_bounds(&evaluated.rigged.character, playback.world());
        Self { playback, at_end, bounds }
    }

    /// Its performance of the clip that it was made with.
    pub(super) fn first(self, at_end: AtEnd) -> Playback {
        let clip = self.playback.clip().cloned();
        self.plays(clip, at_end)
    }

    /// Its performance of `clip`; worked out anew where that is another by now.
    pub(super) fn plays(self, clip: Option<(usize, Arc<Clip>)>, at_end: AtEnd) -> Playback {
        let Self { mut playback, at_end: made_for, .. } = self;
        let is_same = match (playback.clip(), &clip) {
            (None, None) => true,
            (Some((_, before)), Some((_, clip))) => Arc::ptr_eq(before, clip),
            _ => false,
        };
        if !is_same || at_end != made_for {
            return Playback::ending(playback.rigged().clone(), clip, at_end);
        }
        if let Some((place, _)) = clip {
            // Libraries may have come or gone while the worker ran.
            playback.relocate(place);
        }
        playback
    }
}
