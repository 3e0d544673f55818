//! From catalogue entries to files that can be saved.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::settings::{ExportFiles, ExportSettings, NameParts, OwnClips, file_safe};
use crate::bake::{BakeClip, BakePlan, BakeReport, Baked, bake};
use crate::document::{
    ClipError, ClipsOn, Document, Evaluated, Finished, OutputSettings, write_edits,
};
use crate::io::{Container, WriteError, WrittenFile};
use crate::library::{ClipEntry, ClipSource};
use crate::model::{BakedClip, Chain, Clip, ClipIndex, HairSettings, Role};
use crate::motion::SOLVER_VERSION;
use crate::work::{Stopped, Work};

/// A file of an export, not saved yet.
#[derive(Clone, Debug)]
pub struct ExportedFile {
    /// Its name without extension.
    pub stem: String,
    /// What stands in it.
    pub file: WrittenFile,
}

/// Bakes entries of the catalogue on one character of a document, each once ([`distinct`]): retargeted where they are
/// not its own, settled, recorded, reduced. `stem` is what `{file}` of the name pattern stands for.
///
/// # Errors
/// [`ClipError`] where a clip does not fit the character, or the work was cancelled.
///
/// Cost: a few milliseconds for each second of a clip, on all cores.
pub fn bake_entries(
    document: &Document,
    (character, evaluated): (u32, &Evaluated),
    entries: &[&ClipEntry],
    (settings, stem): (&ExportSettings, &str),
    work: &Work,
) -> Result<Baked, ClipError> {
    let subject = (character, evaluated);
    bake_entries_telling(document, subject, entries, (settings, stem), (&|_, _| {}, work))
}

/// How far one clip of a bake is.
#[derive(Clone, Copy, Debug)]
pub enum ClipStage<'a> {
    /// Its springs are being settled.
    Begun,
    /// It is recorded.
    Done(&'a BakeReport),
}

/// Is told how far each clip is, by its place in the list.
pub type Teller<'a> = dyn Fn(usize, ClipStage<'_>) + Sync + 'a;

/// The same as [`bake_entries`], telling each clip's stages by its place in `entries`, from any thread.
///
/// # Errors
/// As [`bake_entries`].
pub fn bake_entries_telling(
    document: &Document,
    (character, evaluated): (u32, &Evaluated),
    entries: &[&ClipEntry],
    (settings, stem): (&ExportSettings, &str),
    (tell, work): (&Teller<'_>, &Work),
) -> Result<Baked, ClipError> {
    let places = distinct(entries);
    let mut plan = plan(document, (character, evaluated), entries, (settings, stem), work)?;
    let clips = std::mem::take(&mut plan.clips);
    let baked: Vec<Baked> = places
        .into_par_iter()
        .zip(clips)
        .map(|(n, clip)| {
            tell(n, ClipStage::Begun);
            let baked =
                bake(&evaluated.rigged, &BakePlan { clips: vec![clip], ..plan.clone() }, work)?;
            baked.reports.iter().for_each(|report| tell(n, ClipStage::Done(report)));
            Ok(baked)
        })
        .collect::<Result<_, Stopped>>()?;
    let mut all = Baked::default();
    for mut one in baked {
        all.clips.append(&mut one.clips);
        all.reports.append(&mut one.reports);
    }
    Ok(all)
}

/// Places of the entries that are baked: of those that are the same clip with the same done to it, the first. A clip of
/// the file's that was joined twice would have two tracks for each joint.
pub fn distinct(entries: &[&ClipEntry]) -> Vec<usize> {
    let is_first = |&(at, entry): &(usize, &&ClipEntry)| {
        !entries.iter().take(at).any(|earlier| earlier.is_same(entry))
    };
    entries.iter().enumerate().filter(is_first).map(|(at, _)| at).collect()
}

/// The clip of the file's own that the tracks of an entry join; `None` where it becomes a clip of its own. A trimmed or
/// mirrored one is no longer the file's.
fn joins(entry: &ClipEntry, settings: &ExportSettings) -> Option<ClipIndex> {
    match (&entry.source, settings.own_clips) {
        (ClipSource::Own(index), OwnClips::Join) if entry.edit.is_none() => Some(*index),
        _ => None,
    }
}

/// Whether a baked entry stands in what is written: a clip of the file's own that gained nothing is left as it is.
pub fn is_written(entry: &ClipEntry, settings: &ExportSettings, report: &BakeReport) -> bool {
    report.keys > 0 || joins(entry, settings).is_none()
}

/// The pattern that the name of an entry's clip is made by, where it is new to the file.
pub fn name_pattern<'a>(entry: &ClipEntry, settings: &'a ExportSettings) -> &'a str {
    // What a program wants of names is for clips it does not know yet; what the user wants is for all.
    let is_users = settings.pattern != settings.target.clip_pattern();
    match &entry.source {
        ClipSource::Own(_) if is_users => &settings.pattern,
        ClipSource::Own(_) if !entry.edit.is_none() => "{clip}",
        ClipSource::Own(_) => "{clip}_baked",
        ClipSource::Of(..) | ClipSource::Recipe(_) => &settings.pattern,
    }
}

/// What [`bake_entries`] bakes: the clips on the character, under the names they get, those of [`distinct`] alone.
///
/// # Errors
/// As [`bake_entries`].
pub(super) fn plan(
    document: &Document,
    (character, evaluated): (u32, &Evaluated),
    entries: &[&ClipEntry],
    (settings, stem): (&ExportSettings, &str),
    work: &Work,
) -> Result<BakePlan, ClipError> {
    let empty = crate::model::Character::default();
    let loaded = document.character(character).unwrap_or(&empty);
    let clips_on = ClipsOn::new(loaded, evaluated);
    let mut clips: Vec<BakeClip> = Vec::with_capacity(entries.len());
    let distinct: Vec<&ClipEntry> =
        distinct(entries).into_iter().filter_map(|at| entries.get(at).copied()).collect();
    for (n, entry) in distinct.iter().enumerate() {
        work.tick("retarget", n as u64, distinct.len() as u64)?;
        let clip = clips_on.clip(entry, work)?;
        let joins = joins(entry, settings);
        let clip = if joins.is_some() {
            clip
        } else {
            let parts = NameParts {
                file: stem,
                clip: &entry.name,
                title: &entry.title,
                looping: entry.looping,
            };
            let is_taken = |name: &str| {
                loaded.clips.iter().any(|own| own.name == name)
                    || clips.iter().any(|c| c.clip.name == name)
            };
            let name = parts.name(name_pattern(entry, settings), is_taken);
            Arc::new(Clip { name, source: None, ..Clip::clone(&clip) })
        };
        clips.push(BakeClip { clip, joins, origin: entry.origin.to_string() });
    }
    Ok(BakePlan {
        clips,
        rate_hz: settings.rate_hz,
        reduction: settings.reduction(loaded.world_from_file.scale),
        root: Some(settings.root),
        ..BakePlan::default()
    })
}

/// Whether a file of that name is to be a VRM.
pub fn is_vrm_name(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("vrm"))
}

/// Whether the file becomes a VRM: `is_wanted` by the user, and it is none yet.
///
/// # Errors
/// [`WriteError::RolesMissing`] where no joint has a role that every VRM has.
pub fn becomes_vrm(
    document: &Document,
    evaluated: &Evaluated,
    is_wanted: bool,
) -> Result<bool, WriteError> {
    if !is_wanted || document.source().characters.iter().any(|c| c.vrm.is_some()) {
        return Ok(false);
    }
    let rigged = &evaluated.rigged;
    let missing: Vec<&str> = rigged.humanoid.missing().map(Role::name).collect();
    if missing.is_empty() {
        return Ok(true);
    }
    Err(WriteError::RolesMissing { character: rigged.character.name.clone(), missing })
}

/// The files of an export: one with everything, or one for each clip. Where nothing was edited or baked the file comes
/// out as its own bytes.
///
/// `stem` names the one file; the files of [`ExportFiles::PerClip`] are named by their clips.
///
/// # Errors
/// [`WriteError`] where what the file needs cannot be read, and as [`becomes_vrm`].
pub fn export(
    document: &Document,
    finished: &[Finished<'_>],
    settings: &ExportSettings,
    (stem, container): (&str, Container),
) -> Result<Vec<ExportedFile>, WriteError> {
    let write = |stem: &str, finished: &[Finished<'_>]| -> Result<ExportedFile, WriteError> {
        let as_vrm = match finished.first() {
            Some(first) => becomes_vrm(document, first.evaluated, settings.as_vrm)?,
            None => false,
        };
        let is_wanted = |f: &Finished<'_>| as_vrm || is_edited(f);
        let edited: Vec<Finished<'_>> = finished.iter().copied().filter(is_wanted).collect();
        let output = OutputSettings {
            contents: settings.contents,
            container,
            stem: stem.to_owned(),
            solver_version: SOLVER_VERSION.into(),
            as_vrm,
        };
        let file = document.source().file.write(&write_edits(document, &edited, output))?;
        Ok(ExportedFile { stem: stem.to_owned(), file })
    };
    let n_clips = finished.iter().map(|f| f.baked.len()).sum::<usize>();
    if settings.files == ExportFiles::One || n_clips == 0 {
        return Ok(vec![write(stem, finished)?]);
    }
    let mut files: Vec<ExportedFile> = Vec::with_capacity(n_clips);
    for character in finished {
        for clip in character.baked {
            let wanted = file_safe(&clip.clip.name);
            let is_taken = |name: &str| files.iter().any(|f| f.stem.eq_ignore_ascii_case(name));
            let stem = NameParts { clip: &wanted, ..NameParts::default() }.name("{clip}", is_taken);
            let alone: &[BakedClip] = std::slice::from_ref(clip);
            files.push(write(&stem, &[Finished { baked: alone, ..*character }])?);
        }
    }
    Ok(files)
}

/// Whether there is anything to write for a character.
fn is_edited(finished: &Finished<'_>) -> bool {
    let rigged = &finished.evaluated.rigged;
    let usual = HairSettings::default();
    let is_turned =
        |c: &Chain| c.hair.as_ref().is_some_and(|s| s.source.is_some() && s.settings != usual);
    !rigged.changes.is_empty(&rigged.character)
        || !finished.baked.is_empty()
        || rigged.chains.iter().any(is_turned)
}

/// The report that may stand beside an exported file: what was found and done, and how each clip was baked, as JSON.
pub fn report(evaluated: &Evaluated, clips: &[BakeReport]) -> String {
    let report = serde_json::json!({ "appendages": evaluated.appendages(), "clips": clips });
    format!("{report:#}\n")
}
