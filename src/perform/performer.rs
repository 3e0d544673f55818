//! A live performance: time passes, the pose follows.

use glam::Quat;

use super::body::BodyMotion;
use super::clock::{Clock, Moment};
use super::settle::{SettledPass, blend, hold_first_pose};
use crate::model::{Pose, SpringSettings};
use crate::motion::{ChainState, Springs};
use crate::work::{Stopped, Work};

/// What comes after the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtEnd {
    /// It plays again. A one-shot starts from the same settled first pose each time, as its bake does.
    #[default]
    Repeat,
    /// The body holds the last pose, the springs go on.
    Hold,
}

/// One character in one clip, advanced on the fixed clock.
///
/// Frames of any length give the same motion: substeps lie at computed times, and a shown time between two of them
/// shows the slerp of the states around it.
#[derive(Debug)]
pub struct Performer {
    motion: BodyMotion,
    springs: Springs,
    clock: Clock,
    at_end: AtEnd,
    /// Substeps taken.
    n: u64,
    /// Where a one-shot begins; `None` until it is settled.
    start: Option<Vec<ChainState>>,
    before: Vec<Quat>,
    now: Vec<Quat>,
    shown: Vec<Quat>,
}

impl Performer {
    /// A performance at its start. One-shots are settled on their first pose; loops begin at rest and come into their
    /// swing by themselves (or at once, by [`Performer::settle`]).
    pub fn new(motion: BodyMotion, at_end: AtEnd) -> Self {
        let springs = motion.springs();
        let room = vec![Quat::IDENTITY; motion.n_joints()];
        let clock = Clock::new(motion.clock());
        let mut performer = Self {
            motion,
            springs,
            clock,
            at_end,
            n: 0,
            start: None,
            before: room.clone(),
            now: room.clone(),
            shown: room,
        };
        performer.begin();
        performer
    }

    fn begin(&mut self) {
        if !self.motion.is_looping() && self.motion.clock().duration_secs().is_some() {
            // Nothing cancels it: at most 30 s of substeps, a few milliseconds.
            let settled = hold_first_pose(&self.motion, &mut self.springs, &Work::default());
            debug_assert!(settled.is_ok(), "nobody holds the switch of this work");
            self.start = Some(self.springs.state());
        }
        self.show();
    }

    /// The body's part.
    pub fn motion(&self) -> &BodyMotion {
        &self.motion
    }

    /// The springs, to look at.
    pub fn springs(&self) -> &Springs {
        &self.springs
    }

    /// Seconds since the start.
    pub fn shown_secs(&self) -> f64 {
        self.clock.shown_secs()
    }

    /// Retunes a chain, by its place in [`crate::model::Rigged::chains`], without a jump.
    pub fn set_settings(&mut self, chain: usize, settings: SpringSettings) {
        if let Some(c) = self.motion.driven().iter().position(|d| d.chain == chain) {
            self.springs.set_settings(c, settings);
        }
    }

    /// Back to the start, with the springs at rest.
    pub fn restart(&mut self) {
        self.springs.reset_at(self.motion.anchors_at(0));
        self.clock = Clock::new(self.motion.clock());
        self.n = 0;
        self.begin();
    }

    /// Back to the start, in the swing that the clip leads to: what a bake records.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled.
    pub fn settle(&mut self, work: &Work) -> Result<(), Stopped> {
        self.restart();
        if self.motion.is_looping() {
            SettledPass::run_from(&self.motion, &mut self.springs, work)?;
            self.show();
        }
        Ok(())
    }

    /// Lets `dt_secs` pass. Every substep is taken, however long the frame was; the caller limits `dt_secs` where it
    /// must stay responsive.
    pub fn advance(&mut self, dt_secs: f64) {
        self.clock.advance(dt_secs);
        let upper = self.clock.moment().upper();
        while self.n < upper {
            self.n += 1;
            std::mem::swap(&mut self.before, &mut self.now);
            self.substep();
            self.show();
        }
    }

    fn show(&mut self) {
        self.motion.write_rotations(&self.springs, &mut self.now);
    }

    fn substep(&mut self) {
        let m = self.motion.clock().n_steps();
        let has_clip = self.motion.clock().duration_secs().is_some();
        if !has_clip {
            // One row of anchors, for all time.
            let secs = self.motion.clock().time_of(self.n);
            let (anchors, capsules) = (self.motion.anchors_at(0), self.motion.capsules_at(0));
            self.springs.step(anchors, capsules, secs);
            return;
        }
        if self.at_end == AtEnd::Hold && self.n > m {
            self.motion.step(&mut self.springs, m);
            return;
        }
        // The end of a lap is substep M of that lap, not 0 of the next: in the in-place frame both are one place.
        let in_lap = (self.n - 1) % m + 1;
        match &self.start {
            Some(start) if in_lap == m && self.at_end == AtEnd::Repeat => {
                self.springs.restore(start);
            }
            _ => self.motion.step(&mut self.springs, in_lap),
        }
    }

    /// Time within the clip that is shown.
    pub fn clip_secs(&self) -> f64 {
        let Some(duration) = self.clock.pass.duration_secs() else { return 0.0 };
        let Moment { n, share } = self.clock.moment();
        let m = self.clock.pass.n_steps();
        if self.at_end == AtEnd::Hold && (n >= m) {
            return duration;
        }
        // Computed from the substep, not from the summed time, so that every frame rate shows the same bits.
        let start = self.clock.pass.time_of(n % m);
        start + f64::from(share) * self.clock.pass.step_secs()
    }

    /// The pose that is shown now.
    pub fn pose(&mut self, pose: &mut Pose) {
        self.motion.sample(self.clip_secs(), pose);
        let share = self.clock.moment().share;
        if share == 0.0 {
            self.motion.apply(&self.now, pose);
        } else {
            blend(&self.before, &self.now, share, &mut self.shown);
            self.motion.apply(&self.shown, pose);
        }
    }
}
