//! `sweep`: every clip at hand on a character, ranked by what is worst in it.

use anyhow::bail;
use serde::Serialize;

use super::args::SweepArgs;
use super::output::{Voice, count};
use super::{open, play};
use crate::document::{SweepLine, SweepResult, sweep};

/// The keys of spec 6.
#[derive(Debug, Serialize)]
struct SweepJson<'a> {
    clips: Vec<ClipJson<'a>>,
}

/// One clip; `error` where it does not fit the character, and then nothing else is known of it.
#[derive(Debug, Default, Serialize)]
struct ClipJson<'a> {
    name: &'a str,
    title: &'a str,
    category: &'a str,
    duration_s: f64,
    stretch_p99: Option<f32>,
    stretch_max: Option<f32>,
    torn_percent: Option<f32>,
    penetration_m: Option<f32>,
    foot_slide_m_s: Option<f32>,
    seam_deg: Option<f32>,
    closed: Option<bool>,
    worst_time_s: Option<f64>,
    penetration_time_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a> ClipJson<'a> {
    fn of(line: &'a SweepLine) -> Self {
        let known = Self {
            name: &line.name,
            title: &line.title,
            category: &line.category,
            duration_s: line.duration_secs,
            ..Self::default()
        };
        match &line.result {
            SweepResult::Failed { error } => Self { error: Some(error), ..known },
            SweepResult::Faults(f) => Self {
                stretch_p99: Some(f.stretch_p99),
                stretch_max: Some(f.stretch.value),
                torn_percent: Some(f.torn_percent),
                penetration_m: Some(f.penetration_m.value),
                foot_slide_m_s: Some(f.foot_slide_m_per_sec.value),
                seam_deg: Some(f.seam_deg),
                closed: Some(f.closed),
                worst_time_s: Some(f.stretch.at_secs),
                penetration_time_s: Some(f.penetration_m.at_secs),
                ..known
            },
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// Where the file or a library cannot be read, or where no clip can be played on the character.
pub fn run(args: &SweepArgs, voice: &Voice) -> anyhow::Result<()> {
    let opened = open::opened(&args.input, &args.decisions, voice)?;
    open::tell_if_nothing_was_edited(&opened.evaluated, voice);
    let library = play::library(Some(&opened), &args.library, voice)?;
    let lines = sweep(opened.loaded()?, &opened.evaluated, library.entries(), &voice.work())?;
    if let Some(SweepResult::Failed { error }) = lines.first().map(|line| &line.result)
        && lines.iter().all(|line| matches!(line.result, SweepResult::Failed { .. }))
    {
        bail!("{}: no clip can be played on it: {error}", args.input.file);
    }
    let shown = lines.get(..args.top.min(lines.len())).unwrap_or(&lines);
    let result = SweepJson { clips: shown.iter().map(ClipJson::of).collect() };
    voice.result(&result, |out| {
        writeln!(out, "{} on {}, worst first", count(lines.len(), "clip"), args.input.file)?;
        writeln!(
            out,
            "{:<28} {:>14} {:>16} {:>18} {:>9}",
            "clip", "stretch", "penetration", "foot slide", "seam"
        )?;
        shown.iter().try_for_each(|line| match &line.result {
            SweepResult::Failed { error } => writeln!(out, "{:<28} {error}", line.title),
            SweepResult::Faults(f) => writeln!(
                out,
                "{:<28} {:>5.2} at {:>4.2} s {:>5.1} cm at {:>4.2} s {:>5.1} cm/s at {:>4.2} s {:>7.3}\u{b0}{}",
                line.title,
                f.stretch.value,
                f.stretch.at_secs,
                100.0 * f.penetration_m.value,
                f.penetration_m.at_secs,
                100.0 * f.foot_slide_m_per_sec.value,
                f.foot_slide_m_per_sec.at_secs,
                f.seam_deg,
                if f.closed { "" } else { "  open" },
            ),
        })
    })
}
