//! `measure`: stretch and motion of raw, rigid and chain under a clip.

use std::sync::Arc;

use anyhow::{Context, bail};

use super::args::MeasureArgs;
use super::open::{self, Opened};
use super::output::Voice;
use super::{play, table};
use crate::document::{pelvis_lift, rigid};
use crate::measure::{MeasureInput, Measurement, measure};
use crate::model::Clip;

/// Runs the verb.
///
/// # Errors
/// Where the file cannot be read or has no skin, the clip is not there or does not fit the character.
pub fn run(args: &MeasureArgs, voice: &Voice) -> anyhow::Result<()> {
    let opened = open::opened(&args.input, &args.decisions, voice)?;
    if opened.evaluated.detection.surface.n_vertices() == 0 {
        bail!("{}: it has no skin to measure; give the file of the character", args.input.file);
    }
    open::tell_if_nothing_was_edited(&opened.evaluated, voice);
    let library = play::library(Some(&opened), &args.library, voice)?;
    let (entry, clip) = play::clip(&opened, &library, &args.clip, voice)?;
    let n_samples = args.samples as usize;
    let mut found = measured(&opened, &clip, n_samples, voice)?;
    let (loaded, work) = (opened.loaded()?, voice.work());
    found.pelvis_lift = pelvis_lift(loaded, &opened.evaluated, &entry, n_samples, &work)
        .with_context(|| opened.origin().to_owned())?;
    let title = format!("{} on {}", entry.title, args.input.file);
    let report = opened.evaluated.appendages();
    voice.result(&found, |out| table::print(&title, &found, report, out))
}

/// Measures the opened document under a clip.
///
/// # Errors
/// Only where the work was stopped.
pub fn measured(
    opened: &Opened,
    clip: &Clip,
    n_samples: usize,
    voice: &Voice,
) -> anyhow::Result<Measurement> {
    let (raw, work) = (opened.loaded()?, voice.work());
    let rigid = Arc::new(rigid(raw, &opened.evaluated, &work)?);
    let input = MeasureInput {
        raw,
        rigid: &rigid,
        chain: &opened.evaluated.rigged,
        regions: &opened.evaluated.detection.regions,
        clip,
        n_samples,
    };
    Ok(measure(&input, &work)?)
}
