//! How long the window's own work takes: input, simulation and panels, and beside it what is sent to the graphics driver
//! and drawn.
//!
//! With `TAILBONE_FRAMES=N` in the environment the window closes after N frames in which something moved, and says on
//! stdout what they took: a measurement that needs no hand. With `RUST_LOG=tailbone=debug` every slow frame is logged.

use std::collections::VecDeque;
use std::time::Instant;

/// Frames that count for the median.
const KEPT: usize = 240;

/// Frames that the rate is taken from: the pause of a load is soon forgotten.
const COUNTED: usize = 15;

/// A frame that takes longer is felt, milliseconds.
const SLOW_MS: f32 = 50.0;

/// Times of the last frames.
pub struct FrameTimes {
    started: Instant,
    frames: VecDeque<[f32; 2]>,
    longest_ms: f32,
    longest_drawing_ms: f32,
    first_picture_ms: Option<f32>,
    /// When the last frame was in which something moved, and the seconds between the last few such frames.
    last: Option<Instant>,
    between_secs: VecDeque<f32>,
    wanted: Option<usize>,
    n: usize,
}

impl FrameTimes {
    /// Counting from `started`, when the program began to open its window.
    pub fn since(started: Instant) -> Self {
        let wanted = std::env::var("TAILBONE_FRAMES").ok().and_then(|n| n.parse().ok());
        Self {
            started,
            frames: VecDeque::with_capacity(KEPT),
            longest_ms: 0.0,
            longest_drawing_ms: 0.0,
            first_picture_ms: None,
            last: None,
            between_secs: VecDeque::with_capacity(COUNTED),
            wanted,
            n: 0,
        }
    }

    /// A frame with a character in it has been worked out.
    pub fn shown(&mut self) {
        let since = self.started.elapsed().as_secs_f32() * 1e3;
        self.first_picture_ms.get_or_insert(since);
    }

    /// Milliseconds that the last frame's scenes took to be sent and drawn.
    pub fn drawn(&mut self, ms: f32) {
        self.longest_drawing_ms = self.longest_drawing_ms.max(ms);
        if ms > SLOW_MS {
            log::debug!("sending and drawing scenes took {ms:.0} ms");
        }
    }

    /// A frame's work: milliseconds of input and simulation, and of panels. `moves` tells whether time passed.
    pub fn add(&mut self, ms: [f32; 2], moves: bool) {
        self.longest_ms = self.longest_ms.max(ms[0] + ms[1]);
        if ms[0] + ms[1] > SLOW_MS {
            log::debug!("input and simulation took {:.0} ms, panels {:.0} ms", ms[0], ms[1]);
        }
        if !moves {
            self.last = None;
            self.between_secs.clear();
            return;
        }
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            if self.between_secs.len() == COUNTED {
                self.between_secs.pop_front();
            }
            self.between_secs.push_back(now.duration_since(last).as_secs_f32());
        }
        self.n += 1;
        if self.frames.len() == KEPT {
            self.frames.pop_front();
        }
        self.frames.push_back(ms);
    }

    /// Median of input with simulation, of panels, and of both, in milliseconds; `None` before anything moved.
    pub fn medians(&self) -> Option<[f32; 3]> {
        let of = |pick: fn(&[f32; 2]) -> f32| median(self.frames.iter().map(pick));
        Some([of(|f| f[0])?, of(|f| f[1])?, of(|f| f[0] + f[1])?])
    }

    /// Frames in a second while something moves; `None` while all stands still.
    pub fn per_second(&self) -> Option<f32> {
        median(self.between_secs.iter().copied()).filter(|secs| *secs > 0.0).map(|secs| 1.0 / secs)
    }

    /// For the tooltip of the status bar.
    pub fn in_words(&self) -> Option<String> {
        let [work, panels, whole] = self.medians()?;
        Some(format!(
            "A frame's own work: {whole:.1} ms in the median (input and simulation {work:.1}, panels {panels:.1}); longest {:.0} ms, and to send and draw scenes {:.0} ms",
            self.longest_ms, self.longest_drawing_ms
        ))
    }

    /// The report, once as many frames have passed as were asked for.
    pub fn report(&mut self) -> Option<String> {
        if self.n < self.wanted? {
            return None;
        }
        self.wanted = None;
        let [work, panels, whole] = self.medians()?;
        let first = self.first_picture_ms.unwrap_or(f32::NAN);
        Some(format!(
            "frame {whole:.2} ms (input and simulation {work:.2}, panels {panels:.2}), longest {:.1} ms, longest sending and drawing {:.1} ms, first picture after {first:.0} ms",
            self.longest_ms, self.longest_drawing_ms
        ))
    }
}

fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut all: Vec<f32> = values.collect();
    all.sort_by(f32::total_cmp);
    all.get(all.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_counts_only_frames_in_which_something_moved() {
        let mut times = FrameTimes::since(Instant::now());
        assert!(times.medians().is_none());
        times.add([50.0, 50.0], false);
        for ms in [1.0, 9.0, 2.0] {
            times.add([ms, 0.5], true);
        }
        assert_eq!(times.medians(), Some([2.0, 0.5, 2.5]));
        assert!(times.in_words().unwrap().contains("longest 100 ms"));
        assert!(times.per_second().is_some_and(|fps| fps > 0.0));
        times.add([1.0, 1.0], false);
        assert_eq!(times.per_second(), None, "what stands still has no frames to count");
    }
}
