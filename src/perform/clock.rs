//! The fixed clock: substeps at computed times, never summed.
//!
//! Based on: spec 8, 2.4 (Clock).

/// Substeps a second of a clock without a clip, and nearly of one with.
const RATE_HZ: f64 = 120.0;
/// A shown time this near to a substep shows the substep itself.
const NEAR_SECS: f64 = 1e-6;

/// Substeps of one pass through a clip of length T: M = max(1, round(120 T)) steps of h = T / M, so that a loop of any
/// length closes; steps of 1/120 s without end where there is no clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassClock {
    duration_secs: Option<f64>,
    n_steps: u64,
}

impl PassClock {
    /// The clock of a clip; of none where the length is not a positive number.
    pub fn new(duration_secs: Option<f64>) -> Self {
        let duration_secs = duration_secs.filter(|t| t.is_finite() && *t > 1e-6);
        let n_steps = duration_secs.map_or(1, |t| (RATE_HZ * t).round().clamp(1.0, 1e9) as u64);
        Self { duration_secs, n_steps }
    }

    /// M; 1 where there is no clip.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// T, where there is a clip.
    pub fn duration_secs(&self) -> Option<f64> {
        self.duration_secs
    }

    /// h, seconds.
    pub fn step_secs(&self) -> f64 {
        self.duration_secs.map_or(1.0 / RATE_HZ, |t| t / self.n_steps as f64)
    }

    /// t_n, lap after lap.
    pub fn time_of(&self, n: u64) -> f64 {
        match self.duration_secs {
            Some(t) => n as f64 * t / self.n_steps as f64,
            None => n as f64 / RATE_HZ,
        }
    }

    /// The substeps around a time.
    pub fn moment(&self, secs: f64) -> Moment {
        let secs = if secs.is_finite() { secs.max(0.0) } else { 0.0 };
        let mut n = ((secs + NEAR_SECS) / self.step_secs()).floor() as u64;
        // The division may round across a substep; the times themselves decide.
        if n > 0 && self.time_of(n) > secs + NEAR_SECS {
            n -= 1;
        } else if self.time_of(n + 1) <= secs + NEAR_SECS {
            n += 1;
        }
        let past = secs - self.time_of(n);
        let share = if past <= NEAR_SECS { 0.0 } else { past / self.step_secs() };
        Moment { n, share: share as f32 }
    }
}

/// A place on the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The substep at or before it.
    pub n: u64,
    /// How far it is to the next one, 0 to 1; exactly 0 within a microsecond of the substep.
    pub share: f32,
}

impl Moment {
    /// The substep at or after it.
    pub fn upper(&self) -> u64 {
        if self.share > 0.0 { self.n + 1 } else { self.n }
    }
}

/// Shown time: a sum of frames' durations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Its substeps.
    pub pass: PassClock,
    shown_secs: f64,
}

impl Clock {
    /// A clock at 0.
    pub fn new(pass: PassClock) -> Self {
        Self { pass, shown_secs: 0.0 }
    }

    /// Seconds since the start.
    pub fn shown_secs(&self) -> f64 {
        self.shown_secs
    }

    /// Lets `dt_secs` pass; time does not run backwards.
    pub fn advance(&mut self, dt_secs: f64) {
        if dt_secs.is_finite() && dt_secs > 0.0 {
            self.shown_secs += dt_secs;
        }
    }

    /// Where it is.
    pub fn moment(&self) -> Moment {
        self.pass.moment(self.shown_secs)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_clip_of_any_length_holds_a_whole_number_of_substeps() {
        for (secs, steps) in [(1.0, 120), (1.33, 160), (0.001, 1), (1.0 / 240.0 + 1e-4, 1)] {
            let pass = PassClock::new(Some(secs));
            assert_eq!(pass.n_steps(), steps);
            assert_eq!(pass.time_of(steps), secs);
        }
        assert_eq!(PassClock::new(None).step_secs(), 1.0 / 120.0);
        assert_eq!(PassClock::new(Some(f64::NAN)), PassClock::new(None));
    }

    #[test]
    fn frames_of_any_rate_meet_the_grid_where_they_should() {
        for fps in [30.0, 60.0, 120.0, 240.0] {
            let mut clock = Clock::new(PassClock::new(Some(2.0)));
            for frame in 1..=(600.0 * fps) as u64 {
                clock.advance(1.0 / fps);
                let at = clock.moment();
                let (n, rest) = (frame * 240 / fps as u64 / 2, frame * 240 / fps as u64 % 2);
                assert_eq!((at.n, at.share > 0.0), (n, rest == 1), "{fps} fps, frame {frame}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_moment_lies_between_its_substeps(secs in 0.0_f64..1e4, clip in 0.01_f64..20.0) {
            let pass = PassClock::new(Some(clip));
            let at = pass.moment(secs);
            prop_assert!((0.0..=1.0).contains(&at.share));
            prop_assert!(pass.time_of(at.n) <= secs + 1.1e-6);
            prop_assert!(pass.time_of(at.n + 1) > secs);
        }
    }
}
