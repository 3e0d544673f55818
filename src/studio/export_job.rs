//! The export on its worker: bake clip by clip, compose, write; all of it, or nothing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::export::{CardState, ExportCard};
use super::state::chain;
use crate::bake::Baked;
use crate::document::export::{
    ClipStage, ExportFiles, ExportSettings, ExportedFile, bake_entries_telling, export, report,
};
use crate::document::{ClipError, Document, Evaluated, Finished};
use crate::io::{Container, Overwrite, save};
use crate::library::ClipEntry;
use crate::work::{Stopped, Work};

/// Clips of an export and how far they are; the worker writes, the screen reads.
pub(super) type Cards = Arc<Mutex<Vec<ExportCard>>>;

/// Everything that an export needs.
#[derive(Clone)]
pub(super) struct Order {
    pub(super) document: Document,
    pub(super) character: u32,
    pub(super) evaluated: Evaluated,
    pub(super) entries: Vec<ClipEntry>,
    /// Their places in the library.
    pub(super) places: Vec<usize>,
    pub(super) settings: ExportSettings,
    /// What `{file}` stands for.
    pub(super) source_stem: String,
    pub(super) path: PathBuf,
    pub(super) replace: bool,
}

/// What an export wrote.
pub(super) struct Exported {
    pub(super) written: Vec<PathBuf>,
}

/// Why nothing was exported.
pub(super) enum ExportFault {
    /// Cancelled.
    Stopped,
    /// This file is there already, and nobody has said that it may be replaced.
    Exists(PathBuf),
    /// In words.
    Said(String),
}

impl From<Stopped> for ExportFault {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// Exports. A fault or a cancel leaves nothing behind that was not there before.
pub(super) fn run(order: &Order, cards: &Cards, work: &Work) -> Result<Exported, ExportFault> {
    let baked = baked(order, cards, work)?;
    let files = composed(order, &baked)?;
    let folder = order.path.parent().unwrap_or(Path::new(""));
    let report_path = order.path.with_extension("report.json");
    let mut targets: Vec<PathBuf> = files.iter().map(|file| target(order, file)).collect();
    if order.settings.report {
        targets.push(report_path.clone());
    }
    let siblings = files.iter().flat_map(|f| f.file.siblings().map(|(name, _)| folder.join(name)));
    let mut fresh: Vec<PathBuf> = targets.iter().cloned().chain(siblings).collect();
    if let (false, Some(taken)) = (order.replace, targets.iter().find(|path| path.exists())) {
        return Err(ExportFault::Exists(taken.clone()));
    }
    fresh.retain(|path| !path.exists());
    let result = write(order, &files, work).and_then(|written| {
        if order.settings.report {
            let report = report(&order.evaluated, &baked.reports);
            save(&report_path, report.as_bytes(), Overwrite::Force)
                .map_err(|e| ExportFault::Said(chain(&e)))?;
        }
        Ok(Exported { written })
    });
    if result.is_err() {
        for path in fresh {
            // Most were never written.
            let _ = std::fs::remove_file(path);
        }
    }
    result
}

fn baked(order: &Order, cards: &Cards, work: &Work) -> Result<Baked, ExportFault> {
    let entries: Vec<&ClipEntry> = order.entries.iter().collect();
    let total: f64 = entries.iter().map(|e| weight(e)).sum();
    let done = Mutex::new(0.0_f64);
    let tell = |n: usize, stage: ClipStage<'_>| {
        let state = match stage {
            ClipStage::Begun => CardState::Working,
            ClipStage::Done(report) => {
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                *done += entries.get(n).map_or(0.0, |e| weight(e));
                // Whether it was cancelled is asked where it can stop.
                let _ = work.tick("export", (*done * 1000.0) as u64, (total * 1050.0) as u64);
                CardState::Done(report.clone())
            }
        };
        let mut cards = cards.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(card) = cards.get_mut(n) {
            card.state = state;
        }
    };
    let subject = (order.character, &order.evaluated);
    let settings = (&order.settings, order.source_stem.as_str());
    // The clips tell how far they are by what is done, not each by its own passes.
    let quiet = work.without_progress();
    bake_entries_telling(&order.document, subject, &entries, settings, (&tell, &quiet)).map_err(
        |error| match error {
            ClipError::Stopped(_) => ExportFault::Stopped,
            error => ExportFault::Said(chain(&error)),
        },
    )
}

/// What a clip costs: its length, and something for putting it on the character.
fn weight(entry: &ClipEntry) -> f64 {
    entry.duration_secs + 0.5
}

fn composed(order: &Order, baked: &Baked) -> Result<Vec<ExportedFile>, ExportFault> {
    let finished =
        [Finished { character: order.character, evaluated: &order.evaluated, baked: &baked.clips }];
    let stem = order.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let how = (stem.as_str(), Container::of_path(&order.path));
    export(&order.document, &finished, &order.settings, how)
        .map_err(|e| ExportFault::Said(chain(&e)))
}

/// Where a file goes: the one file where the user said, one for each clip beside it.
fn target(order: &Order, file: &ExportedFile) -> PathBuf {
    match order.settings.files {
        ExportFiles::One => order.path.clone(),
        ExportFiles::PerClip => {
            let extension = order.path.extension().unwrap_or("glb".as_ref()).to_string_lossy();
            order.path.with_file_name(format!("{}.{extension}", file.stem))
        }
    }
}

fn write(order: &Order, files: &[ExportedFile], work: &Work) -> Result<Vec<PathBuf>, ExportFault> {
    let overwrite = if order.replace { Overwrite::Force } else { Overwrite::Never };
    let input = Path::new(&order.document.source().origin);
    let mut written = Vec::with_capacity(files.len());
    for (n, file) in files.iter().enumerate() {
        work.tick("write", 950 + (n as u64 * 50) / files.len() as u64, 1000)?;
        let path = target(order, file);
        file.file
            .save(&path, overwrite, input.exists().then_some(input))
            .map_err(|e| ExportFault::Said(chain(&e)))?;
        written.push(path);
    }
    Ok(written)
}
