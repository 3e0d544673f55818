//! Legs through skirts, counted in the clips that move them most.

use serde::Serialize;

use super::clip_on::{ClipError, ClipsOn};
use super::evaluate::Evaluated;
use crate::library::Library;
use crate::measure::{HairMeasureInput, SkirtCheck, measure_hair};
use crate::model::Character;
use crate::work::Work;

/// A gait, a fast one, and thighs that stay lifted.
const CLIPS: [&str; 3] = ["Walk_Loop", "Sprint_Loop", "Sitting_Idle_Loop"];
/// Length of a run where nothing is said, seconds: cloth has come to rest, or to its swing, by then.
const USUAL_SECS: f64 = 4.0;
/// Frames a second that the performance is advanced by.
const RATE_HZ: u32 = 60;

/// What of the legs comes through the skirts in a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkirtLine {
    /// Title of the clip.
    pub clip: String,
    /// How much.
    #[serde(flatten)]
    pub check: SkirtCheck,
}

/// Counts legs through the skirts of an evaluated character in Walk, Sprint and Sitting, those of `library` that these
/// names find; `seconds` of each, or four. None without a skirt that is driven; clips that are not there are left out.
///
/// Cost: as [`measure_hair`], three times.
///
/// # Errors
/// As [`ClipsOn::clip`].
pub fn skirts(
    character: &Character,
    evaluated: &Evaluated,
    (library, seconds): (&Library, Option<f64>),
    work: &Work,
) -> Result<Vec<SkirtLine>, ClipError> {
    let rigged = &evaluated.rigged;
    let is_skirt = |hair: &crate::model::Strand| hair.is_skirt;
    if !rigged.chains.iter().any(|c| c.is_driven && c.hair.as_ref().is_some_and(is_skirt)) {
        return Ok(Vec::new());
    }
    let clips = ClipsOn::new(character, evaluated);
    let mut lines = Vec::new();
    for entry in CLIPS.iter().filter_map(|name| library.find(name).ok()) {
        let clip = clips.clip(entry, work)?;
        let seconds = seconds.unwrap_or_else(|| clip.duration_secs.max(USUAL_SECS));
        let input = HairMeasureInput { rigged, clip: &clip, seconds, rate_hz: RATE_HZ };
        let check = measure_hair(&input, work)?.skirt;
        lines.push(SkirtLine { clip: entry.title.clone(), check });
    }
    Ok(lines)
}
