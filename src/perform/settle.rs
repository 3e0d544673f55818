//! The settled pass: one pass through a clip whose end is its own start.
//!
//! Based on: spec 5.3, 8 (T6, T7).

use glam::{Quat, Vec3};

use super::body::BodyMotion;
use super::extent::extent_of;
use super::test_motion::smooth;
use crate::math::rotation;
use crate::model::Pose;
use crate::motion::{ChainState, LinkSnapshot, Springs};
use crate::work::{Stopped, Work};

/// How far the end of a pass is from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seam {
    /// Largest difference of a joint's local rotation, radians.
    pub angle_rad: f32,
    /// Largest distance of a link's end, in its anchor's frame, metres.
    pub distance_m: f32,
    /// Largest difference of a joint's rate of turn, radians a second.
    pub rate_rad_per_sec: f32,
}

impl Seam {
    /// 0.05°, 0.1 mm, 1° a second.
    pub const TOLERANCE: Self = Self {
        angle_rad: 0.05 * std::f32::consts::PI / 180.0,
        distance_m: 1e-4,
        rate_rad_per_sec: std::f32::consts::PI / 180.0,
    };

    /// Whether it is within the tolerance.
    pub fn is_closed(&self) -> bool {
        self.in_tolerances() <= 1.0
    }

    /// The worst of the three as a multiple of its tolerance.
    fn in_tolerances(&self) -> f32 {
        let most = Self::TOLERANCE;
        (self.angle_rad / most.angle_rad)
            .max(self.distance_m / most.distance_m)
            .max(self.rate_rad_per_sec / most.rate_rad_per_sec)
    }
}

/// Passes that are tried at least before giving up, and seconds.
const MOST_PASSES: f64 = 12.0;
const MOST_SECS: f64 = 30.0;

/// Passes after which a loop that has not closed is helped.
const PLAIN_PASSES: u32 = 5;
/// A start is put at most this many times as far ahead as two passes are apart.
const MOST_AHEAD: f64 = 10.0;
/// Moves of two passes lie along one line where the cosine of their angle is at least this, either way.
const LEAST_COS: f64 = 0.97;

/// Passes of one loop together last at most this long, where that leaves [`FEWEST_PASSES`]: after minutes no chain knows
/// how it began, and another pass would end as the last one did.
const MOST_SECS_OF_PASSES: f64 = 1800.0;
/// One that brings the swing in, one that should close, one that the end is blended over.
const FEWEST_PASSES: f64 = 3.0;

/// How often a loop of that length is tried.
pub(super) fn most_passes(duration_secs: f64) -> u32 {
    let wanted = (MOST_SECS / duration_secs).ceil().max(MOST_PASSES);
    let affordable = (MOST_SECS_OF_PASSES / duration_secs).floor().max(FEWEST_PASSES);
    wanted.min(affordable) as u32
}

/// Where no pass closed, the end of the best one is blended over this long, and over no more than half of it.
const BLEND_SECS: f64 = 0.5;

/// Where a pass ended.
struct PassEnd {
    state: Vec<ChainState>,
    /// The row before its last, `[joints]`.
    outgoing: Vec<Quat>,
    /// How far the ends of all links came from where they began, metres.
    moved: Vec<Vec3>,
}

impl PassEnd {
    /// How much of the pass before belongs into the next start, so that it moves as little as can be; `None` while the
    /// moves of the two passes do not lie along one line.
    ///
    /// A pass is a map from its start to its end, and what is looked for is the start that it maps onto itself. On the
    /// floor plain repetition comes there slowly (a tip that creeps: each pass moves it by the same share of what is
    /// left) or never (a link that touches down now in this substep, now in that: two passes that follow each other for
    /// ever). Along the line through the last two ends the answer is r·Δr / |Δr|²: ½ for the swing to and fro, below 0,
    /// that is ahead, for the creep. A tail that still throws itself about is on no such line, and is left to it: put
    /// ahead, it never settles (the mouse's walk).
    ///
    /// Based on: Walker and Ni, Anderson acceleration for fixed-point iterations, 2011, with a window of one.
    fn share_of(&self, last: &Self) -> Option<f32> {
        let dot = |a: &[Vec3], b: &[Vec3]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from(a.dot(*b))).sum()
        };
        let (now, before) = (dot(&self.moved, &self.moved), dot(&last.moved, &last.moved));
        let across = dot(&self.moved, &last.moved);
        let is_on_line = across * across > LEAST_COS * LEAST_COS * now * before;
        let square = now - 2.0 * across + before;
        let share = (now - across) / square;
        (is_on_line && square > 0.0).then_some(share.clamp(-MOST_AHEAD, 1.0) as f32)
    }
}

/// Joint rotations of all driven chains over one pass, `[M + 1]` rows of `[joints]`.
///
/// Loops: passes are run and recorded one after another, and the first whose own end equals its own start is kept.
/// One-shots: the springs settle on the first pose, then one pass is recorded. Without a clip the one row is the tail
/// at rest.
#[derive(Clone, Debug)]
pub struct SettledPass {
    rotations: Vec<Quat>,
    n_joints: usize,
    /// `[M + 1][chains]`: tips in the frames of their anchors (body axes, metres).
    tips: Vec<Vec3>,
    n_chains: usize,
    /// Passes run before the recorded one; for one-shots the seconds of settling.
    pub warmup_passes: u32,
    /// End against start of the recorded pass; for a one-shot what still moved in the last second of settling.
    pub seam: Seam,
    /// Whether the seam is within [`Seam::TOLERANCE`].
    pub is_closed: bool,
    /// Where no pass of a loop closed by itself: how far this one, which follows the best of them, was from it. Its end is
    /// then blended into the end of the best one, where it began.
    pub blended: Option<Seam>,
}

impl SettledPass {
    /// Runs `motion` until it is settled. Cost: O(passes × M × joints), about five passes of a second.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled; asked once a pass.
    pub fn run(motion: &BodyMotion, work: &Work) -> Result<Self, Stopped> {
        let mut springs = motion.springs();
        Self::run_from(motion, &mut springs, work)
    }

    /// The same from springs that are tuned otherwise or have run before; leaves them at the recorded pass's end.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled; asked once a pass.
    pub fn run_from(
        motion: &BodyMotion,
        springs: &mut Springs,
        work: &Work,
    ) -> Result<Self, Stopped> {
        let n_steps = motion.clock().n_steps();
        let n_rows = motion.clock().duration_secs().map_or(1, |_| n_steps + 1) as usize;
        let (n_joints, n_chains) = (motion.n_joints(), motion.driven().len());
        let mut pass = Self {
            rotations: vec![Quat::IDENTITY; n_rows * n_joints],
            n_joints,
            tips: vec![Vec3::ZERO; n_rows * n_chains],
            n_chains,
            warmup_passes: 0,
            seam: Seam::default(),
            is_closed: true,
            blended: None,
        };
        if n_joints == 0 {
            return Ok(pass);
        }
        let Some(duration) = motion.clock().duration_secs().filter(|_| motion.is_looping()) else {
            (pass.warmup_passes, pass.seam) = hold_first_pose(motion, springs, work)?;
            pass.is_closed = pass.seam.is_closed();
            pass.record(motion, springs);
            return Ok(pass);
        };
        let most = most_passes(duration);
        pass.repeat(motion, springs, most, work)?;
        Ok(pass)
    }

    /// Records pass after pass of a loop, until one ends as it began or `most` were tried; then the best of them is
    /// closed by hand.
    fn repeat(
        &mut self,
        motion: &BodyMotion,
        springs: &mut Springs,
        most: u32,
        work: &Work,
    ) -> Result<(), Stopped> {
        // The row before the first, for the rates there: at rest it is the first one itself.
        let mut incoming = vec![Quat::IDENTITY; self.n_joints];
        motion.write_rotations(springs, &mut incoming);
        let mut best: Option<(Self, Vec<ChainState>)> = None;
        let mut last: Option<PassEnd> = None;
        for n in 0..most {
            work.tick("settle", u64::from(n), u64::from(most))?;
            let start = ends(motion, springs);
            self.record(motion, springs);
            let end = ends(motion, springs);
            self.warmup_passes = n;
            self.close_with(motion, &start, &end, &incoming);
            if self.is_closed {
                return Ok(());
            }
            let outgoing = self.row(self.n_rows().saturating_sub(2));
            incoming.copy_from_slice(outgoing);
            // Most loops close by themselves in a few passes, and nothing is kept of those.
            if n + 1 < PLAIN_PASSES.min(most) {
                continue;
            }
            let now = PassEnd {
                state: springs.state(),
                outgoing: outgoing.to_vec(),
                moved: end.iter().zip(&start).map(|(end, start)| *end - *start).collect(),
            };
            let least = best.as_ref().map_or(f32::INFINITY, |(b, _)| b.seam.in_tolerances());
            if self.seam.in_tolerances() < least {
                best = Some((self.clone(), now.state.clone()));
            }
            let share = last.as_ref().and_then(|last| now.share_of(last));
            if let (Some(last), Some(share)) = (last, share) {
                let next = now.state.iter().zip(&last.state).map(|(a, b)| a.towards(b, share));
                springs.restore(&next.collect::<Vec<_>>());
                for (now, &last) in incoming.iter_mut().zip(&last.outgoing) {
                    *now = now.lerp(last, share);
                }
            }
            last = Some(now);
        }
        if let Some((nearest, state)) = best {
            springs.restore(&state);
            *self = nearest.blended_into_next(motion, springs);
            springs.restore(&state);
        }
        Ok(())
    }

    /// The pass that follows this one, its end blended into the end of this one, which is where it began: a loop that
    /// closes in place and in rate. Chains that touch the floor may swing from pass to pass for ever; a gap of a few
    /// millimetres once a loop is seen as a twitch, the same spread over half a second is not seen.
    fn blended_into_next(self, motion: &BodyMotion, springs: &mut Springs) -> Self {
        let start = ends(motion, springs);
        let mut next = self.clone();
        next.record(motion, springs);
        let incoming = self.row(self.n_rows().saturating_sub(2));
        next.close_with(motion, &start, &ends(motion, springs), incoming);
        next.warmup_passes += 1;
        if next.is_closed {
            return next;
        }
        next.blended = Some(next.seam);
        let last = next.n_rows().saturating_sub(1);
        let n = ((BLEND_SECS / motion.clock().step_secs()) as usize).clamp(1, (last / 2).max(1));
        for row in last.saturating_sub(n)..=last {
            let share = smooth(1.0 - (last - row) as f32 / n as f32);
            let joints = row * self.n_joints..(row + 1) * self.n_joints;
            for (now, before) in
                next.rotations[joints.clone()].iter_mut().zip(&self.rotations[joints])
            {
                *now = now.slerp(*before, share);
            }
            let chains = row * self.n_chains..(row + 1) * self.n_chains;
            for (now, before) in next.tips[chains.clone()].iter_mut().zip(&self.tips[chains]) {
                *now = now.lerp(*before, share);
            }
        }
        next.close_with(motion, &start, &start, incoming);
        next
    }

    /// Notes how the recorded pass closes; `start` and `end` are those of [`ends`], `incoming` the row before the first.
    fn close_with(&mut self, motion: &BodyMotion, start: &[Vec3], end: &[Vec3], incoming: &[Quat]) {
        self.seam = self.seam_from(start, end, incoming);
        self.seam.rate_rad_per_sec /= motion.clock().step_secs() as f32;
        self.is_closed = self.seam.is_closed();
    }

    /// Records one pass from the springs as they are.
    fn record(&mut self, motion: &BodyMotion, springs: &mut Springs) {
        let n_rows = self.rotations.len() / self.n_joints.max(1);
        for n in 0..n_rows {
            if n > 0 {
                motion.step(springs, n as u64);
            }
            let row = n * self.n_joints..(n + 1) * self.n_joints;
            if let Some(row) = self.rotations.get_mut(row) {
                motion.write_rotations(springs, row);
            }
            for (c, slot) in self.tips.iter_mut().skip(n * self.n_chains).enumerate() {
                if c >= self.n_chains {
                    break;
                }
                *slot = springs.in_anchor(c, springs.tip(c));
            }
        }
    }

    /// End against start of the recorded pass; the rate in radians a substep.
    fn seam_from(&self, start: &[Vec3], end: &[Vec3], incoming: &[Quat]) -> Seam {
        let n_rows = self.n_rows();
        let (first, last) = (self.row(0), self.row(n_rows.saturating_sub(1)));
        let before_last = self.row(n_rows.saturating_sub(2));
        let turn = |a: &[Quat], b: &[Quat]| -> Vec<Vec3> {
            let turn =
                |(a, b): (&Quat, &Quat)| rotation::positive_w(a.conjugate() * *b).xyz() * 2.0;
            a.iter().zip(b).map(turn).collect()
        };
        Seam {
            angle_rad: largest_angle(first, last),
            distance_m: largest_distance(start, end),
            rate_rad_per_sec: largest_distance(&turn(incoming, first), &turn(before_last, last)),
        }
    }

    /// The gap that the end was blended over, metres; 0 where none was.
    pub fn blended_m(&self) -> f32 {
        self.blended.map_or(0.0, |gap| gap.distance_m)
    }

    /// Number of rows: M + 1, or one without a clip.
    pub fn n_rows(&self) -> usize {
        self.rotations.len().checked_div(self.n_joints).unwrap_or(0)
    }

    /// Local rotations of all driven joints at substep `n`, `[joints]`.
    pub fn row(&self, n: usize) -> &[Quat] {
        self.rotations.get(n * self.n_joints..(n + 1) * self.n_joints).unwrap_or_default()
    }

    /// Tips of a driven chain in its anchor's frame, one for each substep.
    pub fn tips(&self, chain: usize) -> impl Iterator<Item = Vec3> + '_ {
        self.tips.iter().skip(chain).step_by(self.n_chains.max(1)).copied()
    }

    /// Largest distance between two places of a driven chain's tip, in its anchor's frame, metres. Of a pass of more
    /// than half a minute up to 1 % less. Cost: O(M²), at most O(M) for long passes.
    pub fn tip_travel_m(&self, chain: usize) -> f32 {
        let tips: Vec<Vec3> = self.tips(chain).collect();
        extent_of(&tips)
    }

    /// Joint rotations at `secs` of the clip, 0 to T, `[joints]`: the recorded row on the clock's grid, between rows
    /// their slerp.
    pub fn rotations_at(&self, motion: &BodyMotion, secs: f64, rotations: &mut [Quat]) {
        let last = self.n_rows().saturating_sub(1);
        let at = motion.clock().moment(secs);
        let lower = self.row((at.n as usize).min(last));
        let upper = self.row((at.upper() as usize).min(last));
        blend(lower, upper, at.share, rotations);
    }

    /// The whole pose at `secs` of the clip, 0 to T; `rotations` is room for a row.
    pub fn pose_at(
        &self,
        motion: &BodyMotion,
        secs: f64,
        rotations: &mut Vec<Quat>,
        pose: &mut Pose,
    ) {
        rotations.resize(self.n_joints, Quat::IDENTITY);
        self.rotations_at(motion, secs, rotations);
        motion.sample(secs, pose);
        motion.apply(rotations, pose);
    }
}

/// Holds the first pose until nothing moves, or 30 s; returns the seconds and what still moved in the last one.
pub(super) fn hold_first_pose(
    motion: &BodyMotion,
    springs: &mut Springs,
    work: &Work,
) -> Result<(u32, Seam), Stopped> {
    let per_second = (1.0 / motion.clock().step_secs()).round().clamp(1.0, 240.0) as u32;
    let mut first = vec![Quat::IDENTITY; motion.n_joints()];
    let mut last = first.clone();
    let mut seam = Seam::default();
    for second in 0..MOST_SECS as u32 {
        work.tick("settle", u64::from(second), MOST_SECS as u64)?;
        let before = ends(motion, springs);
        motion.write_rotations(springs, &mut first);
        for _ in 0..per_second {
            // Time stands still: idle sway waits for the clip.
            motion.hold(springs, 0, 0.0);
        }
        motion.write_rotations(springs, &mut last);
        seam = Seam {
            angle_rad: largest_angle(&first, &last),
            distance_m: largest_distance(&before, &ends(motion, springs)),
            rate_rad_per_sec: 0.0,
        };
        if seam.is_closed() {
            return Ok((second + 1, seam));
        }
    }
    Ok((MOST_SECS as u32, seam))
}

/// Slerps of two rows; the first itself at share 0.
pub(super) fn blend(lower: &[Quat], upper: &[Quat], share: f32, out: &mut [Quat]) {
    for (out, (&a, &b)) in out.iter_mut().zip(lower.iter().zip(upper)) {
        *out = if share == 0.0 { a } else { a.slerp(b, share) };
    }
}

fn largest_angle(a: &[Quat], b: &[Quat]) -> f32 {
    a.iter().zip(b).map(|(a, b)| rotation::angle_between(*a, *b)).fold(0.0, f32::max)
}

fn largest_distance(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// Ends of all links in their anchors' frames.
fn ends(motion: &BodyMotion, springs: &Springs) -> Vec<Vec3> {
    let mut ends = Vec::new();
    for (c, driven) in motion.driven().iter().enumerate() {
        for i in 0..driven.topology.links.len() {
            let LinkSnapshot { end, .. } = springs.link(c, i);
            ends.push(springs.in_anchor(c, end));
        }
    }
    ends
}
