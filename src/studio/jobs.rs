//! Long work on worker threads: one of each kind, with progress; what comes back too late is dropped.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::work::{Cancel, Work};

/// Called from a worker when something is ready; the window asks for a repaint, tests do nothing.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// One piece of work.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct JobId(u64);

/// What it is about; at most one of a kind runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobKind {
    /// Reading a file and finding what is on it.
    Open,
    /// Detection and rigging after a decision.
    Evaluate,
    /// Looking what was dropped on the window.
    Look,
    /// Reading a file or folder of clips.
    Library,
    /// Putting a clip on the character.
    Clip,
    /// Measuring the clip that plays.
    Measure,
    /// Trying the decisions on Walk and Sprint.
    Trial,
    /// Playing clips of the library through.
    Sweep,
    /// Measuring hair in the head-turn test.
    Hair,
    /// Writing the project.
    Save,
    /// Baking and writing clips.
    Export,
    /// Playing what was written.
    Check,
    /// Making the edges ready whose stretch is plotted.
    Plot,
    /// Colouring the skin of a large character.
    Heat,
    /// Making the edges of a large character ready to be read.
    Edges,
    /// Reading their stretch off a pose.
    Stretch,
    /// Putting a clip of the library on the character, for its tile.
    Tile(usize),
}

impl JobKind {
    /// Name of its thread, and of the work in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "opening",
            Self::Evaluate => "rigging",
            Self::Look => "looking",
            Self::Library => "reading clips",
            Self::Clip => "retargeting",
            Self::Measure => "measuring",
            Self::Trial => "trying",
            Self::Sweep => "playing clips through",
            Self::Hair => "measuring hair",
            Self::Save => "saving",
            Self::Export => "exporting",
            Self::Check => "playing back",
            Self::Plot => "plotting",
            Self::Heat | Self::Edges | Self::Stretch => "colouring",
            Self::Tile(_) => "tiles",
        }
    }
}

impl JobKind {
    /// Whether it is about what is open, and means nothing for another character.
    pub const fn is_about_open(self) -> bool {
        use JobKind as K;
        matches!(
            self,
            K::Evaluate
                | K::Check
                | K::Hair
                | K::Measure
                | K::Trial
                | K::Sweep
                | K::Plot
                | K::Heat
                | K::Edges
                | K::Stretch
        )
    }

    /// Whether it comes and goes unseen, beside what the user asked for.
    pub const fn is_quiet(self) -> bool {
        self.can_queue() || matches!(self, Self::Stretch)
    }

    /// Whether it may stand behind others of its kind: nobody waits for it.
    const fn can_queue(self) -> bool {
        matches!(self, Self::Tile(_) | Self::Measure | Self::Trial | Self::Hair | Self::Plot)
    }
}

/// How far it is.
#[derive(Clone, Debug, PartialEq)]
pub struct JobProgress {
    /// To cancel it by.
    pub id: JobId,
    /// What it is about.
    pub kind: JobKind,
    /// What it is doing.
    pub stage: String,
    /// From 0 to 1.
    pub share: f32,
}

struct Running {
    id: JobId,
    cancel: Cancel,
    progress: Arc<Mutex<(String, f32)>>,
}

/// What a job came to: its value, or that it broke off, with what it said.
pub(super) enum Done<T> {
    /// Its value.
    Value(T),
    /// It panicked: our own fault, which must cost nobody their work.
    Broke(String),
}

/// The jobs that run, and the way their results come back.
pub(super) struct Jobs<T> {
    running: BTreeMap<JobKind, Running>,
    next: u64,
    results: Receiver<(JobId, JobKind, Done<T>)>,
    sender: SyncSender<(JobId, JobKind, Done<T>)>,
    wake: Wake,
    /// One thread for what nobody waits for, so that it never stands before what somebody does.
    quiet: Option<Arc<rayon::ThreadPool>>,
}

impl<T: Send + 'static> Jobs<T> {
    /// No jobs yet.
    pub(super) fn new(wake: Wake) -> Self {
        let (sender, results) = sync_channel(64);
        let quiet = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok().map(Arc::new);
        Self { running: BTreeMap::new(), next: 0, results, sender, wake, quiet }
    }

    /// Runs `work` on a thread named after `kind`. A job of that kind that still runs is cancelled, its result dropped.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub(super) fn start(
        &mut self,
        kind: JobKind,
        run: impl FnOnce(&Work) -> T + Send + 'static,
    ) -> std::io::Result<JobId> {
        let id = JobId(self.next);
        self.next += 1;
        let cancel = Cancel::default();
        let progress = Arc::new(Mutex::new((String::new(), 0.0)));
        let (shown, sink_wake) = (progress.clone(), self.wake.clone());
        let work = Work::new(cancel.clone()).with_progress(Arc::new(move |stage, done, total| {
            let share = done as f32 / total.max(1) as f32;
            *shown.lock().unwrap_or_else(PoisonError::into_inner) = (stage.to_owned(), share);
            sink_wake();
        }));
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        let quiet = self.quiet.clone().filter(|_| kind.can_queue());
        std::thread::Builder::new().name(kind.name().into()).spawn(move || {
            let done = match catch_unwind(AssertUnwindSafe(|| match quiet {
                Some(pool) => pool.install(|| run(&work)),
                None => run(&work),
            })) {
                Ok(value) => Done::Value(value),
                Err(payload) => Done::Broke(said(payload.as_ref())),
            };
            // Nobody listens any more once the studio is gone.
            let _ = sender.send((id, kind, done));
            wake();
        })?;
        if let Some(old) = self.running.insert(kind, Running { id, cancel, progress }) {
            old.cancel.cancel();
        }
        Ok(id)
    }

    /// What is called when something is ready.
    pub(super) fn wake(&self) -> Wake {
        self.wake.clone()
    }

    /// Asks a job to stop; its result is dropped.
    pub(super) fn cancel(&mut self, id: JobId) {
        self.running.retain(|_, job| {
            if job.id == id {
                job.cancel.cancel();
            }
            job.id != id
        });
    }

    /// The next result of a job that was neither cancelled nor replaced.
    pub(super) fn take(&mut self) -> Option<(JobKind, Done<T>)> {
        loop {
            let (id, kind, done) = self.results.try_recv().ok()?;
            if self.running.get(&kind).is_some_and(|job| job.id == id) {
                self.running.remove(&kind);
                return Some((kind, done));
            }
            discard(done);
        }
    }

    /// Whether a job of that kind runs.
    pub(super) fn runs(&self, kind: JobKind) -> bool {
        self.running.contains_key(&kind)
    }

    /// How many kinds that `of` tells run.
    pub(super) fn count(&self, of: impl Fn(JobKind) -> bool) -> usize {
        self.running.keys().filter(|&&kind| of(kind)).count()
    }

    /// Stops all kinds that `of` tells; their results are dropped.
    pub(super) fn cancel_all(&mut self, of: impl Fn(JobKind) -> bool) {
        self.running.retain(|&kind, job| {
            if of(kind) {
                job.cancel.cancel();
            }
            !of(kind)
        });
    }

    /// How far all of them are; tiles come and go unseen.
    pub(super) fn progress(&self) -> Vec<JobProgress> {
        let of = |(&kind, job): (&JobKind, &Running)| {
            let (stage, share) =
                job.progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
            JobProgress { id: job.id, kind, stage, share }
        };
        self.running.iter().filter(|(k, _)| !k.is_quiet()).map(of).collect()
    }
}

impl<T> Drop for Jobs<T> {
    fn drop(&mut self) {
        for job in self.running.values() {
            job.cancel.cancel();
        }
    }
}

/// Gives up what may be large on a thread of its own: giving hundreds of megabytes back takes longer than a frame.
pub(super) fn discard(large: impl Send + 'static) {
    // Where the system gives no thread, it is dropped here.
    let _ = std::thread::Builder::new().name("discarding".into()).spawn(move || drop(large));
}

/// The text of a panic.
fn said(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn wait(jobs: &mut Jobs<i32>) -> (JobKind, Done<i32>) {
        let start = Instant::now();
        loop {
            if let Some(result) = jobs.take() {
                return result;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "the job never came back");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_newer_job_of_a_kind_replaces_the_older() {
        let mut jobs = Jobs::new(Arc::new(|| {}));
        let old = |work: &Work| {
            while work.tick("turning", 1, 4).is_ok() {
                std::thread::yield_now();
            }
            1
        };
        jobs.start(JobKind::Evaluate, old).unwrap();
        jobs.start(JobKind::Evaluate, |_| 2).unwrap();
        let (kind, done) = wait(&mut jobs);
        assert_eq!(kind, JobKind::Evaluate);
        assert!(matches!(done, Done::Value(2)), "the older result is dropped");
        assert!(!jobs.runs(JobKind::Evaluate));
    }

    #[test]
    fn a_panic_becomes_a_value() {
        let mut jobs = Jobs::<i32>::new(Arc::new(|| {}));
        jobs.start(JobKind::Open, |_| panic!("out of tails")).unwrap();
        let (_, done) = wait(&mut jobs);
        assert!(matches!(done, Done::Broke(said) if said == "out of tails"));
    }

    #[test]
    fn a_cancelled_job_says_nothing_more() {
        let mut jobs = Jobs::new(Arc::new(|| {}));
        let id = jobs.start(JobKind::Open, |_| 1).unwrap();
        jobs.cancel(id);
        jobs.start(JobKind::Evaluate, |_| 2).unwrap();
        let (kind, _) = wait(&mut jobs);
        assert_eq!(kind, JobKind::Evaluate);
        assert!(jobs.take().is_none());
    }
}
