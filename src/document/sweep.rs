//! Every clip at hand on one character, each with what is worst in it, worst first.

use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicU64};

use rayon::prelude::*;
use serde::Serialize;

use super::causes::with_causes;
use super::clip_on::{ClipError, ClipsOn};
use super::evaluate::Evaluated;
use crate::library::ClipEntry;
use crate::measure::{ClipFaults, FaultFinder};
use crate::model::Character;
use crate::work::{Stopped, Work};

/// Times at which the skin is measured in each clip.
const SKIN_SAMPLES: usize = 12;

/// What a sweep found in one clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SweepResult {
    /// It was played.
    Faults(ClipFaults),
    /// It does not fit the character.
    Failed {
        /// Why.
        error: String,
    },
}

/// One clip of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepLine {
    /// Place in the library's entries.
    pub entry: usize,
    /// Name of the clip.
    pub name: String,
    /// In words.
    pub title: String,
    /// `group - name`.
    pub category: String,
    /// Seconds.
    pub duration_secs: f64,
    /// What was found.
    #[serde(flatten)]
    pub result: SweepResult,
}

impl SweepLine {
    /// What lines are ranked by: stretch first, then depth in floor and body, then sliding, then the seam.
    fn rank(&self) -> [f32; 4] {
        match &self.result {
            SweepResult::Failed { .. } => [f32::MAX; 4],
            SweepResult::Faults(f) => {
                [f.stretch.value, f.penetration_m.value, f.foot_slide_m_per_sec.value, f.seam_deg]
            }
        }
    }

    /// The order of a sweep: the worse line comes first.
    pub fn worst_first(&self, other: &Self) -> Ordering {
        let mut pairs = other.rank().into_iter().zip(self.rank());
        let differs =
            pairs.find_map(|(other, own)| Some(other.total_cmp(&own)).filter(|o| o.is_ne()));
        differs.unwrap_or(Ordering::Equal)
    }

    /// Where to look at it, seconds into the clip: at the largest of what it is ranked by, or its start.
    pub fn worst_secs(&self) -> f64 {
        match &self.result {
            SweepResult::Failed { .. } => 0.0,
            SweepResult::Faults(f) => {
                let all = [f.stretch, f.penetration_m, f.foot_slide_m_per_sec];
                all.into_iter().find(|worst| worst.value > 0.0).map_or(0.0, |worst| worst.at_secs)
            }
        }
    }
}

/// Plays all of `entries` on an evaluated character, over all cores, and ranks them, the worst first.
///
/// Reports progress as stage `sweep`. Cost: one settled pass for each clip.
///
/// # Errors
/// [`Stopped`] when cancelled.
pub fn sweep(
    character: &Character,
    evaluated: &Evaluated,
    entries: &[ClipEntry],
    work: &Work,
) -> Result<Vec<SweepLine>, Stopped> {
    let clips = ClipsOn::new(character, evaluated);
    let finder = FaultFinder::new(&evaluated.rigged, &evaluated.detection.regions);
    let (done, total) = (AtomicU64::new(0), entries.len() as u64);
    // Only the sweep itself reports; the parts would make the bar jump.
    let quiet = Work::new(work.cancel_switch());
    let swept = entries.par_iter().enumerate().map(|(entry, clip)| {
        let result = match clips.clip(clip, &quiet) {
            Ok(made) => SweepResult::Faults(finder.faults(&made, SKIN_SAMPLES, &quiet)?),
            Err(ClipError::Stopped(stopped)) => return Err(stopped),
            Err(error) => SweepResult::Failed { error: with_causes(&error) },
        };
        work.tick("sweep", done.fetch_add(1, atomic::Ordering::Relaxed) + 1, total)?;
        Ok(SweepLine {
            entry,
            name: clip.name.clone(),
            title: clip.title.clone(),
            category: clip.category.clone(),
            duration_secs: clip.duration_secs,
            result,
        })
    });
    let mut lines: Vec<SweepLine> = swept.collect::<Result<_, Stopped>>()?;
    lines.sort_by(|a, b| a.worst_first(b).then(a.entry.cmp(&b.entry)));
    Ok(lines)
}
