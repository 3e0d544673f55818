//! The last seconds of a chain, for its plot.

use std::collections::VecDeque;

use super::playback::Playback;
use crate::motion::Readout;

/// Seconds that are kept.
const KEPT_SECS: f64 = 5.0;

/// Points that are kept at most, whatever the frame rate.
const MOST_POINTS: usize = 600;

/// One moment.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    secs: f64,
    tip_m: f32,
    bends_rad: Vec<f32>,
    /// Of the region's skin and of the body's; not read in every frame.
    stretch: Option<[f32; 2]>,
}

/// The last seconds of one chain.
#[derive(Debug, Default)]
pub(super) struct Trace {
    chain: Option<usize>,
    points: VecDeque<Point>,
    now_secs: f64,
    room: Readout,
}

/// A curve: seconds before now (0 is now) against a value.
pub type TraceLine = Vec<[f64; 2]>;

/// The curves of a chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceLines {
    /// Distance of the tip from where it rests, in centimetres.
    pub tip_cm: TraceLine,
    /// Bend of each bone beyond rest, in degrees, root first.
    pub bends_deg: Vec<TraceLine>,
    /// Stretch of the region's skin and of the body's, 99th percentile of edge lengths over those at rest.
    pub stretch: [TraceLine; 2],
}

impl Trace {
    /// Lets time pass, and keeps what `chain` does now, with the stretch of its region's skin and of the body's where
    /// that was read. Another chain begins anew.
    pub(super) fn pass(
        &mut self,
        playback: &Playback,
        (chain, stretch): (Option<usize>, Option<[f32; 2]>),
        dt_secs: f64,
    ) {
        if self.chain != chain {
            self.chain = chain;
            self.points.clear();
        }
        self.now_secs += dt_secs;
        let Some(chain) = chain else { return };
        if playback.read(chain, &mut self.room).is_none() {
            self.points.clear();
            return;
        }
        self.points.push_back(Point {
            secs: self.now_secs,
            tip_m: self.room.tip_offset.length(),
            bends_rad: self.room.bends_rad.clone(),
            stretch,
        });
        let oldest = self.now_secs - KEPT_SECS;
        while self.points.len() > MOST_POINTS
            || self.points.front().is_some_and(|point| point.secs < oldest)
        {
            self.points.pop_front();
        }
    }

    /// The curves of what is kept.
    pub(super) fn lines(&self) -> TraceLines {
        let n = self.points.back().map_or(0, |point| point.bends_rad.len());
        let curve = |value: &dyn Fn(&Point) -> f32| -> TraceLine {
            let at = |p: &Point| [p.secs - self.now_secs, f64::from(value(p))];
            self.points.iter().map(at).collect()
        };
        let stretch = |i: usize| -> TraceLine {
            let read = |p: &Point| Some([p.secs - self.now_secs, f64::from(*p.stretch?.get(i)?)]);
            self.points.iter().filter_map(read).collect()
        };
        TraceLines {
            stretch: [stretch(0), stretch(1)],
            tip_cm: curve(&|p| p.tip_m * 100.0),
            bends_deg: (0..n)
                .map(|i| curve(&|p| p.bends_rad.get(i).copied().unwrap_or(0.0).to_degrees()))
                .collect(),
        }
    }
}
