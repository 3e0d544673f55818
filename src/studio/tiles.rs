//! Live tiles of the library: the user's own character doing each clip that is in sight.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::playback::Playback;
use crate::model::WorldPose;

/// Tiles that are kept though they are out of sight, so that scrolling back shows them at once.
const KEPT: usize = 48;

/// One tile's performance.
struct Live {
    playback: Playback,
    /// Time that has passed since it was last drawn, in seconds.
    pending_secs: f64,
    is_drawn: bool,
}

/// The performances of the tiles in sight.
#[derive(Default)]
pub(super) struct Tiles {
    live: BTreeMap<usize, Live>,
    wanted: Vec<usize>,
}

impl Tiles {
    /// Another character, or another rig.
    pub(super) fn clear(&mut self) {
        self.live.clear();
    }

    /// These places of the library are in sight; those that have no performance yet.
    pub(super) fn want(&mut self, visible: &[usize]) -> Vec<usize> {
        if self.wanted != visible {
            self.wanted = visible.to_vec();
            while self.live.len() > KEPT.max(visible.len()) {
                let far = self.live.keys().copied().find(|place| !visible.contains(place));
                let Some(far) = far else { break };
                self.live.remove(&far);
            }
        }
        self.wanted.iter().copied().filter(|place| !self.live.contains_key(place)).collect()
    }

    /// A performance that a worker has made.
    pub(super) fn take(&mut self, place: usize, playback: Playback) {
        self.live.insert(place, Live { playback, pending_secs: 0.0, is_drawn: false });
    }

    /// Lets time pass; it is spent when a tile is drawn, every substep of it.
    pub(super) fn pass(&mut self, dt_secs: f64) {
        for place in &self.wanted {
            if let Some(live) = self.live.get_mut(place) {
                live.pending_secs += dt_secs;
            }
        }
    }

    /// Up to `n` tiles that have waited longest, in their poses of now. One that was never drawn comes first.
    pub(super) fn next(&mut self, n: usize) -> Vec<(usize, Arc<WorldPose>)> {
        let mut waiting: Vec<(bool, f64, usize)> = self
            .wanted
            .iter()
            .filter_map(|place| {
                let live = self.live.get(place)?;
                let is_due = !live.is_drawn || live.pending_secs > 0.0;
                is_due.then_some((live.is_drawn, live.pending_secs, *place))
            })
            .collect();
        waiting.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        waiting
            .into_iter()
            .take(n)
            .filter_map(|(_, secs, place)| {
                let live = self.live.get_mut(&place)?;
                live.playback.pass(secs);
                live.pending_secs = 0.0;
                live.is_drawn = true;
                Some((place, live.playback.world().clone()))
            })
            .collect()
    }
}
