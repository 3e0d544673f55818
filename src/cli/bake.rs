//! `bake`: rig, retarget, simulate, close the loop, key, write.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use serde::Serialize;

use super::args::{BakeArgs, ClipOutput, ClipsFromArg, ContentsArg, FilesArg, RootArg};
use super::open::{self, Opened};
use super::output::{Voice, count};
use super::play;
use super::write::write;
use crate::bake::{BakeReport, Baked, RootPlacement};
use crate::document::export::{
    ExportCheck, ExportFiles, ExportSettings, OwnClips, Target, bake_entries, check_export,
    distinct, is_written, report,
};
use crate::document::{ClipsOn, with_causes};
use crate::io::{self, Contents};
use crate::library::{ClipEntry, ClipOrigin, Library};
use crate::rig::Appendage;

#[derive(Debug, Serialize)]
struct BakeResult {
    written: Vec<String>,
    appendages: Vec<Appendage>,
    clips: Vec<BakeReport>,
    /// Of each written file, where --check was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checks: Vec<ExportCheck>,
    seconds: f64,
}

/// Runs the verb.
///
/// # Errors
/// Where the file cannot be read or written, a clip is not there or does not fit, or a decision is wrong.
pub fn run(args: &BakeArgs, voice: &Voice) -> anyhow::Result<()> {
    let start = Instant::now();
    let opened = open::opened(&args.input, &args.decisions, voice)?;
    open::tell_if_nothing_was_edited(&opened.evaluated, voice);
    let library = play::library(Some(&opened), &args.library, voice)?;
    let settings = settings(args);
    check_targets(args, &settings, &opened)?;
    let asked = match &args.all_clips {
        Some(from) => that_fit(&opened, all_of(&library, from, opened.origin())?, voice)?,
        None => entries(&opened, &library, &args.clip)?,
    };
    let entries: Vec<&ClipEntry> = asked.iter().collect();
    let entries: Vec<&ClipEntry> =
        distinct(&entries).into_iter().filter_map(|at| entries.get(at).copied()).collect();
    tell_of_names(args, &entries, voice);
    let Baked { clips, reports } = baked(&opened, &entries, &settings, voice)?;
    tell(&opened, &reports, voice);
    if let Some(target) = args.decisions.target.map(Target::from) {
        for note in target.notes().iter().filter(|n| !n.is_taken) {
            voice.note(format!("note: {} does not take: {}", target.name(), note.text));
        }
    }
    let mut written = write(&opened, &args.output, &clips, &settings)?;
    if settings.report {
        let path = report_path(args);
        io::save(&path, report(&opened.evaluated, &reports).as_bytes(), opened.overwrite)?;
        written.push(path.display().to_string());
    }
    let checks = if args.check {
        checked(&opened, (&entries, &reports), &settings, &written, voice)?
    } else {
        Vec::new()
    };
    let appendages = opened.evaluated.appendages().to_vec();
    let seconds = start.elapsed().as_secs_f64();
    let result = BakeResult { written, appendages, clips: reports, checks, seconds };
    voice.result(&result, |out| {
        result.clips.iter().try_for_each(|clip| print(clip, out))?;
        result.written.iter().try_for_each(|path| writeln!(out, "wrote {path}"))?;
        for (path, check) in scenes(&result.written).zip(&result.checks) {
            let (deg, m) = check.largest();
            writeln!(out, "{path} plays within {deg:.3}° and {:.2} mm of the preview", m * 1000.0)?;
        }
        writeln!(out, "{:.2} s", result.seconds)
    })
}

/// Where the report goes.
fn report_path(args: &BakeArgs) -> PathBuf {
    args.output.output.with_added_extension("json")
}

/// Whether what is asked for may be written, before it is worked out and before any of it is written; what files of one
/// clip are called is known only then.
fn check_targets(
    args: &BakeArgs,
    settings: &ExportSettings,
    opened: &Opened,
) -> anyhow::Result<()> {
    let (overwrite, input) = (opened.overwrite, opened.input());
    if settings.files == ExportFiles::One {
        io::may_save(&args.output.output, overwrite, input)?;
    }
    if settings.report {
        io::may_save(&report_path(args), overwrite, input)?;
    }
    Ok(())
}

/// What the arguments say about the export; what they leave open the target decides.
fn settings(args: &BakeArgs) -> ExportSettings {
    let target = args.decisions.target.map_or(Target::Gltf, Target::from);
    let defaults = ExportSettings::for_target(target);
    ExportSettings {
        contents: contents(&args.written),
        files: match args.files {
            FilesArg::One => ExportFiles::One,
            FilesArg::PerClip => ExportFiles::PerClip,
        },
        own_clips: if args.copies { OwnClips::Copy } else { OwnClips::Join },
        report: args.report,
        root: match args.written.root.unwrap_or(RootArg::Hips) {
            RootArg::InPlace => RootPlacement::InPlace,
            RootArg::Root => RootPlacement::Root,
            RootArg::Hips => RootPlacement::Hips,
        },
        pattern: args.written.name.clone().unwrap_or_else(|| defaults.pattern.clone()),
        rate_hz: args.fps,
        reduce_deg: args.reduce,
        // What a degree is to a tail of a metre is a few millimetres at its tip.
        reduce_mm: args.reduce * 10.0,
        ..defaults
    }
}

/// What the written file holds.
pub fn contents(args: &ClipOutput) -> Contents {
    match args.contents {
        ContentsArg::All => Contents::All,
        ContentsArg::Clips => Contents::ClipsOnly,
    }
}

/// The catalogue's entries of those names, with the edits that stand behind them.
///
/// # Errors
/// Where one is not there, or a name does not say which.
pub fn entries(
    opened: &Opened,
    library: &Library,
    names: &[String],
) -> anyhow::Result<Vec<ClipEntry>> {
    let file = || opened.origin().to_owned();
    names.iter().map(|name| library.get(name).with_context(file)).collect()
}

/// Bakes the entries.
///
/// # Errors
/// Where a clip does not fit.
pub fn baked(
    opened: &Opened,
    entries: &[&ClipEntry],
    settings: &ExportSettings,
    voice: &Voice,
) -> anyhow::Result<Baked> {
    let stem = opened.document.source().stem();
    let subject = (opened.character, &opened.evaluated);
    bake_entries(&opened.document, subject, entries, (settings, &stem), &voice.work())
        .with_context(|| opened.origin().to_owned())
}

/// Plays the written files with physics off.
fn checked(
    opened: &Opened,
    (entries, reports): (&[&ClipEntry], &[BakeReport]),
    settings: &ExportSettings,
    written: &[String],
    voice: &Voice,
) -> anyhow::Result<Vec<ExportCheck>> {
    let has_file =
        |(entry, report): &(&ClipEntry, &BakeReport)| is_written(entry, settings, report);
    let pairs = entries.iter().copied().zip(reports).filter(has_file);
    let in_files: Vec<&ClipEntry> = pairs.map(|(entry, _)| entry).collect();
    let check = |(n, path): (usize, &String)| {
        // A file of one clip holds the file's own clips too, as they were: they are not what was baked.
        let own = in_files.get(n..=n).filter(|_| settings.files == ExportFiles::PerClip);
        let entries = own.unwrap_or(entries);
        let bytes = std::fs::read(path).with_context(|| path.clone())?;
        let folder = std::path::Path::new(path).parent();
        let subject = (opened.character, &opened.evaluated);
        let stem = opened.document.source().stem();
        let (file, how) = ((bytes, folder), (settings, stem.as_str()));
        let mut check = check_export(file, &opened.document, subject, entries, how, &voice.work())?;
        if settings.files == ExportFiles::PerClip {
            // The others are in the other files.
            check.missing.clear();
        }
        Ok(check)
    };
    scenes(written).enumerate().map(check).collect()
}

/// Of the written files those that hold a character, not what goes beside them.
fn scenes(written: &[String]) -> impl Iterator<Item = &String> {
    written.iter().filter(|path| {
        let ending = std::path::Path::new(path).extension().map(|e| e.to_ascii_lowercase());
        ending.is_some_and(|e| e == "glb" || e == "gltf" || e == "vrm")
    })
}

/// All clips of the places that --all-clips names.
///
/// # Errors
/// Where there are none.
fn all_of(library: &Library, from: &[ClipsFromArg], file: &str) -> anyhow::Result<Vec<ClipEntry>> {
    let place = |entry: &ClipEntry| match entry.origin {
        ClipOrigin::File => ClipsFromArg::File,
        ClipOrigin::User(_) => ClipsFromArg::Library,
        ClipOrigin::Bundled => ClipsFromArg::Bundled,
    };
    let of = |wanted: &[ClipsFromArg]| -> Vec<ClipEntry> {
        library.entries().iter().filter(|e| wanted.contains(&place(e))).cloned().collect()
    };
    let mut wanted = from.to_vec();
    if wanted.contains(&ClipsFromArg::Given) {
        wanted.extend([ClipsFromArg::File, ClipsFromArg::Library]);
        if of(&wanted).is_empty() {
            wanted.push(ClipsFromArg::Bundled);
        }
    }
    let found = of(&wanted);
    if found.is_empty() {
        let words: Vec<String> =
            from.iter().map(|from| format!("{from:?}").to_lowercase()).collect();
        anyhow::bail!(
            "{file}: there are no clips for --all-clips={}; name others, or give some with --library",
            words.join(",")
        );
    }
    Ok(found)
}

/// Of all clips those that can be played on the character: one that cannot is told, and does not spoil the others.
///
/// # Errors
/// Where none can.
fn that_fit(
    opened: &Opened,
    entries: Vec<ClipEntry>,
    voice: &Voice,
) -> anyhow::Result<Vec<ClipEntry>> {
    let on = ClipsOn::new(opened.loaded()?, &opened.evaluated);
    let mut faults = Vec::new();
    let mut fitting = Vec::with_capacity(entries.len());
    for entry in entries {
        match on.fits(&entry) {
            Ok(()) => fitting.push(entry),
            Err(fault) => faults.push(fault),
        }
    }
    if fitting.is_empty()
        && let Some(first) = faults.pop()
    {
        return Err(first).with_context(|| opened.origin().to_owned());
    }
    for fault in &faults {
        voice.note(format!("note: left out: {}", with_causes(fault)));
    }
    Ok(fitting)
}

/// Says where --name cannot name a clip.
fn tell_of_names(args: &BakeArgs, entries: &[&ClipEntry], voice: &Voice) {
    let is_joined = |e: &&ClipEntry| e.origin == ClipOrigin::File && e.edit.is_none();
    if args.written.name.is_some() && !args.copies && entries.iter().any(is_joined) {
        voice.note(
            "note: the file's own clips keep their names; with --copies they are left as they are and --name names copies",
        );
    }
}

fn tell(opened: &Opened, reports: &[BakeReport], voice: &Voice) {
    let marks = opened.document.character(opened.character).and_then(|c| c.marks.as_ref());
    let is_replaced = |name: &str| !reports.iter().any(|r| r.name == name);
    let dropped: Vec<&str> = marks
        .iter()
        .flat_map(|m| m.baked.iter())
        .map(|b| b.clip.as_str())
        .filter(|name| is_replaced(name))
        .collect();
    if !dropped.is_empty() {
        voice.note(format!(
            "note: clips baked into this file before are not baked again: {}",
            dropped.join(", ")
        ));
    }
    for report in reports.iter().filter(|r| r.looping && !r.closed) {
        voice.note(format!(
            "note: clip \"{}\" did not close: seam {:.3}°, {:.2} mm; more damping or a higher frequency helps",
            report.name,
            report.seam_deg,
            report.seam_m * 1000.0
        ));
    }
}

fn print(clip: &BakeReport, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let looping = match (clip.looping, clip.closed) {
        (true, true) if clip.blended_m > 0.0 => {
            &format!("loops cleanly, its end blended over {:.1} mm", clip.blended_m * 1000.0)
        }
        (true, true) => "loops cleanly",
        (true, false) => "does NOT close",
        (false, _) => "plays once",
    };
    writeln!(
        out,
        "{:<28} {:>6.2} s  {looping}, seam {:.4}°, {:.4} mm after {}",
        clip.name,
        clip.duration_s,
        clip.seam_deg,
        clip.seam_m * 1000.0,
        count(clip.warmup_passes as usize, "pass")
    )
}
