//! A live performance: time passes, the pose follows.

use glam::{Affine3A, Quat, Vec3};

use super::body::{BodyMotion, MovedBody};
use super::clock::{Clock, Moment};
use super::settle::{SettledPass, blend, hold_first_pose};
use super::test_motion::TestMotion;
use crate::model::{Pose, SpringSettings, Strand};
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

/// A test motion that is on.
#[derive(Clone, Copy, Debug)]
struct Push {
    motion: TestMotion,
    /// The substep it began after.
    from: u64,
    pivot: Vec3,
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
    /// Whether chains were tuned since: they are settled anew before the next lap.
    start_is_old: bool,
    push: Option<Push>,
    room: MovedBody,
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
            start_is_old: false,
            push: None,
            room: MovedBody::default(),
            before: room.clone(),
            now: room.clone(),
            shown: room,
        };
        performer.begin();
        performer
    }

    fn begin(&mut self) {
        if !self.motion.is_looping() && self.motion.clock().duration_secs().is_some() {
            self.settle_start();
        }
        self.show();
    }

    /// Settles chains that are at rest on a one-shot's first pose.
    fn settle_start(&mut self) {
        // Nothing cancels it: at most 30 s of substeps, a few milliseconds.
        let settled = hold_first_pose(&self.motion, &mut self.springs, &Work::default());
        debug_assert!(settled.is_ok(), "nobody holds the switch of this work");
        self.start = Some(self.springs.state());
        self.start_is_old = false;
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
            if settings.leg_colliders {
                self.motion.meet_legs();
            }
            self.springs.set_settings(c, settings);
            self.start_is_old = true;
        }
    }

    /// Retunes a strand of hair, by its place in [`crate::model::Rigged::chains`], without a jump.
    pub fn set_hair(&mut self, chain: usize, strand: Strand) {
        if let Some(c) = self.motion.driven().iter().position(|d| d.chain == chain) {
            self.springs.set_hair(c, strand);
            self.start_is_old = true;
        }
    }

    /// Has the whole body swept, turned, dropped … from now on, on top of the clip, without a reset of the springs.
    ///
    /// One that is on already gives way to the new one. The pose does not hold it: put
    /// [`Performer::world_from_clip`] before the character's root.
    pub fn test(&mut self, motion: TestMotion) {
        let pivot = self.springs.anchor(0).map_or(Vec3::ZERO, |a| a.head);
        self.room = MovedBody::default();
        self.push = Some(Push { motion, from: self.n, pivot });
    }

    /// The test motion that is on.
    pub fn testing(&self) -> Option<TestMotion> {
        self.push.map(|p| p.motion)
    }

    /// Where the test motion has the body now, from where the clip alone would have it; the identity without one.
    pub fn world_from_clip(&self) -> Affine3A {
        let Moment { n, share } = self.clock.moment();
        self.pushed_at(n as f64 + f64::from(share))
    }

    /// The test motion at a substep, or between two.
    fn pushed_at(&self, n: f64) -> Affine3A {
        let Some(push) = self.push else { return Affine3A::IDENTITY };
        let secs = (n - push.from as f64) * self.clock.pass.step_secs();
        push.motion.at(secs as f32, &self.motion.rigged().body, push.pivot)
    }

    /// Back to the start, with the springs at rest and without a test motion.
    pub fn restart(&mut self) {
        self.push = None;
        self.motion.reset(&mut self.springs);
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
        let moved = self.pushed_at(self.n as f64);
        // The end of a lap is substep M of that lap, not 0 of the next: in the in-place frame both are one place.
        // Without a clip there is one row of anchors, for all time.
        let in_lap = match self.motion.clock().duration_secs() {
            None => self.n,
            Some(_) if self.at_end == AtEnd::Hold && self.n > m => m,
            Some(_) => (self.n - 1) % m + 1,
        };
        let holds = self.at_end == AtEnd::Hold && in_lap < self.n;
        let starts_again = in_lap == m && self.at_end == AtEnd::Repeat;
        if starts_again && self.start.is_some() && self.start_is_old {
            self.motion.reset(&mut self.springs);
            self.settle_start();
        }
        match &self.start {
            Some(start) if starts_again => {
                let start: Vec<_> = start.iter().map(|chain| chain.moved(&moved)).collect();
                self.springs.restore(&start);
                self.room.moved_by(&moved);
            }
            _ if self.push.is_some() => {
                let before = if holds { in_lap } else { in_lap.saturating_sub(1) };
                let rows = (before, in_lap);
                self.motion.step_moved(&mut self.springs, rows, &moved, &mut self.room);
            }
            // The body stands still where the clip left it.
            _ if holds => {
                let end = self.motion.clock().time_of(in_lap);
                self.motion.hold(&mut self.springs, in_lap, end);
            }
            _ => self.motion.step(&mut self.springs, in_lap),
        }
        self.end_test();
    }

    /// Forgets a test motion that is over.
    fn end_test(&mut self) {
        let body = &self.motion.rigged().body;
        let is_over = |push: &mut Push| {
            let secs = (self.n - push.from) as f64 * self.clock.pass.step_secs();
            secs > f64::from(push.motion.duration_secs(body))
        };
        self.push.take_if(is_over);
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
