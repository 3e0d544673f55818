//! Floor 0: what a long function receives, so that it can report progress and be stopped.
//!
//! May use std. Architecture invariant: nothing here spawns a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The work was cancelled. A stopped result is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

/// A switch that stops the work holding it; clones share the switch.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop at its next tick.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Receives `(stage, done, total)`; called from any thread of the work.
pub type ProgressSink = Arc<dyn Fn(&str, u64, u64) + Send + Sync>;

/// Progress and cancel of one piece of long work.
#[derive(Clone, Default)]
pub struct Work {
    cancel: Cancel,
    progress: Option<ProgressSink>,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

impl Work {
    /// Work that `cancel` stops and that reports to nobody.
    pub fn new(cancel: Cancel) -> Self {
        Self { cancel, progress: None }
    }

    /// The switch that stops it, for parts that report to nobody.
    pub fn cancel_switch(&self) -> Cancel {
        self.cancel.clone()
    }

    /// The same work, reporting to `sink`.
    #[must_use]
    pub fn with_progress(mut self, sink: ProgressSink) -> Self {
        self.progress = Some(sink);
        self
    }

    /// The same work, reporting to nobody.
    #[must_use]
    pub fn without_progress(&self) -> Self {
        Self { cancel: self.cancel.clone(), progress: None }
    }

    /// Reports that `done` of `total` steps of `stage` are finished.
    ///
    /// # Errors
    /// [`Stopped`] once the work has been cancelled; hand it up with `?`.
    pub fn tick(&self, stage: &str, done: u64, total: u64) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            return Err(Stopped);
        }
        if let Some(sink) = &self.progress {
            sink(stage, done, total);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_work_stops_at_its_next_tick() {
        let cancel = Cancel::default();
        let work = Work::new(cancel.clone());
        assert_eq!(work.tick("read", 0, 2), Ok(()));
        cancel.cancel();
        assert_eq!(work.tick("read", 1, 2), Err(Stopped));
    }
}
