//! `sweep`: every clip at hand on a character, ranked by what is worst in it.

use super::args::SweepArgs;
use super::output::{Voice, count};
use super::{open, play};
use crate::document::{SweepResult, sweep};

/// Runs the verb.
///
/// # Errors
/// Where the file or a library cannot be read.
pub fn run(args: &SweepArgs, voice: &Voice) -> anyhow::Result<()> {
    let opened = open::opened(&args.input, &args.decisions, voice)?;
    open::tell_if_nothing_was_edited(&opened.evaluated, voice);
    let library = play::library(Some(opened.loaded()?), &args.library, voice)?;
    let lines = sweep(opened.loaded()?, &opened.evaluated, library.entries(), &voice.work())?;
    let shown = lines.get(..args.top.min(lines.len())).unwrap_or(&lines);
    voice.result(&shown, |out| {
        writeln!(out, "{} on {}, worst first", count(lines.len(), "clip"), args.input.file)?;
        writeln!(
            out,
            "{:<28} {:>14} {:>16} {:>18} {:>9}",
            "clip", "stretch", "below floor", "foot slide", "seam"
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
