//! How far a program that runs the published VRM algorithm will show hair from where we show it, and the raw numbers
//! that bring it nearest.
//!
//! Both rules play the first seconds of the same clip on the same character; the distance of the link ends is taken at
//! every fourth substep, as a share of the strand's length. The fit is a pattern search in the logarithms of three
//! factors, for each strand by itself: by the published rule no strand moves another, but for one that hangs from it.

use std::sync::Arc;

use glam::Vec3;
use serde::Serialize;

use crate::model::{Clip, HairSolver, Rigged, Strand, VrmFit};
use crate::perform::{BodyMotion, TracksOnChains};
use crate::work::{Stopped, Work};

/// One strand under both rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StrandGap {
    /// Name of its chain.
    pub name: String,
    /// Root mean square distance of its link ends, as a share of its length, percent.
    pub rms_percent: f32,
    /// Largest distance of a link end in a frame, millimetres.
    pub largest_mm: f32,
}

/// Seconds of the clip that are compared.
const MOST_SECS: f64 = 6.0;
/// Ends are compared at every fourth substep.
const EVERY: u64 = 4;

/// Where all link ends of all driven strands are, frame by frame.
struct Run {
    /// `[strands][frames × links]`.
    ends: Vec<Vec<Vec3>>,
}

/// A strand of the character as it is driven: its place among driven chains and in [`Rigged::chains`].
struct Driven {
    place: usize,
    chain: usize,
    length_m: f32,
}

/// The gap of every strand as it would be exported now, in the order of [`Rigged::chains`].
///
/// # Errors
/// [`Stopped`] when cancelled.
pub fn vrm_gap(rigged: &Arc<Rigged>, clip: &Clip, work: &Work) -> Result<Vec<StrandGap>, Stopped> {
    let motion = motion_of(rigged, clip);
    let strands = strands(&motion);
    let ours = run(&motion, &strands, |_, strand| strand.clone(), work)?;
    let theirs = run(&motion, &strands, |_, strand| published(strand, None), work)?;
    let gaps = strands.iter().enumerate().filter_map(|(s, strand)| {
        let (rms, largest) = gap(ours.ends.get(s)?, theirs.ends.get(s)?);
        Some(StrandGap {
            name: rigged.chains.get(strand.chain)?.name.clone(),
            rms_percent: 100.0 * rms / strand.length_m.max(1e-6),
            largest_mm: 1e3 * largest,
        })
    });
    Ok(gaps.collect())
}

/// Factors on the raw values of each strand that bring the published algorithm nearest to our motion in `clip`, with
/// the strand's name. Cost: some forty runs of the clip.
///
/// # Errors
/// [`Stopped`] when cancelled.
pub fn fit_vrm(
    rigged: &Arc<Rigged>,
    clip: &Clip,
    work: &Work,
) -> Result<Vec<(String, VrmFit)>, Stopped> {
    let motion = motion_of(rigged, clip);
    let strands = strands(&motion);
    let ours = run(&motion, &strands, |_, strand| strand.clone(), work)?;
    let judge = |fits: &[VrmFit]| -> Result<Vec<f32>, Stopped> {
        let theirs =
            run(&motion, &strands, |s, strand| published(strand, fits.get(s).copied()), work)?;
        Ok(ours.ends.iter().zip(&theirs.ends).map(|(a, b)| gap(a, b).0).collect())
    };
    let mut best = vec![VrmFit::default(); strands.len()];
    let mut error = judge(&best)?;
    // All strands are tried in one run: each keeps the trial that was better for itself.
    let mut step = 2.0_f32;
    for _ in 0..6 {
        for axis in 0..3 {
            for factor in [step, 1.0 / step] {
                let trial: Vec<VrmFit> = best.iter().map(|f| scaled(*f, axis, factor)).collect();
                let found = judge(&trial)?;
                for (s, &new) in found.iter().enumerate() {
                    if let (Some(old), Some(fit), Some(trial)) =
                        (error.get_mut(s), best.get_mut(s), trial.get(s))
                        && new < *old
                    {
                        (*old, *fit) = (new, *trial);
                    }
                }
            }
        }
        step = step.sqrt();
    }
    let names = strands.iter().filter_map(|s| rigged.chains.get(s.chain)).map(|c| c.name.clone());
    Ok(names.zip(best).collect())
}

fn scaled(mut fit: VrmFit, axis: usize, factor: f32) -> VrmFit {
    let value = match axis {
        0 => &mut fit.stiffness,
        1 => &mut fit.drag,
        _ => &mut fit.gravity,
    };
    *value = (*value * factor).clamp(0.01, 100.0);
    fit
}

/// The strand as a VRM app plays it.
fn published(strand: &Strand, fit: Option<VrmFit>) -> Strand {
    let mut strand = strand.clone();
    strand.settings.solver = HairSolver::VrmApp;
    strand.vrm_fit = fit.or(strand.vrm_fit);
    strand
}

fn motion_of(rigged: &Arc<Rigged>, clip: &Clip) -> BodyMotion {
    let once = Clip { looping: false, ..clip.clone() };
    BodyMotion::new(Arc::clone(rigged), Some(&once), TracksOnChains::Lose)
}

fn strands(motion: &BodyMotion) -> Vec<Driven> {
    let is_hair =
        |chain: usize| motion.rigged().chains.get(chain).is_some_and(|c| c.hair.is_some());
    let driven = motion.driven().iter().enumerate().filter(|(_, d)| is_hair(d.chain));
    driven
        .map(|(place, d)| Driven { place, chain: d.chain, length_m: d.topology.length_m() })
        .collect()
}

/// Plays the clip's first seconds with the strands as `tuned` has them.
fn run(
    motion: &BodyMotion,
    strands: &[Driven],
    tuned: impl Fn(usize, &Strand) -> Strand,
    work: &Work,
) -> Result<Run, Stopped> {
    let mut springs = motion.springs();
    for (s, driven) in strands.iter().enumerate() {
        let chain = motion.rigged().chains.get(driven.chain);
        if let Some(strand) = chain.and_then(|c| c.hair.as_ref()) {
            springs.set_hair(driven.place, tuned(s, strand));
        }
    }
    motion.reset(&mut springs);
    let steps = motion.clock().n_steps().min((MOST_SECS * 120.0) as u64);
    let mut ends = vec![Vec::new(); strands.len()];
    for n in 1..=steps {
        if n % 256 == 1 {
            work.tick("VRM rule", n, steps)?;
        }
        motion.step(&mut springs, n);
        if n % EVERY != 0 {
            continue;
        }
        for (row, driven) in ends.iter_mut().zip(strands) {
            let n_links = motion.driven().get(driven.place).map_or(0, |d| d.topology.links.len());
            row.extend((0..n_links).map(|i| springs.link(driven.place, i).end));
        }
    }
    Ok(Run { ends })
}

/// Root mean square and largest distance, metres.
fn gap(ours: &[Vec3], theirs: &[Vec3]) -> (f32, f32) {
    let squares = || ours.iter().zip(theirs).map(|(a, b)| f64::from(a.distance_squared(*b)));
    let n = ours.len().min(theirs.len()).max(1) as f64;
    let mean = squares().sum::<f64>() / n;
    (mean.sqrt() as f32, squares().fold(0.0, f64::max).sqrt() as f32)
}
