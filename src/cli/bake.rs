//! `bake`: rig, retarget, simulate, close the loop, key, write.

use std::time::Instant;

use anyhow::Context;
use serde::Serialize;

use super::args::{BakeArgs, ContentsArg, FilesArg, RootArg};
use super::open::{self, Opened};
use super::output::{Voice, count};
use super::play;
use super::write::write;
use crate::bake::{BakeReport, Baked, RootPlacement};
use crate::document::export::{
    ExportCheck, ExportFiles, ExportSettings, OwnClips, Target, bake_entries, check_export, report,
};
use crate::io::{self, Contents, Overwrite};
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
    if !(1.0..=1000.0).contains(&args.fps) {
        anyhow::bail!("--fps {}: keys per second must lie between 1 and 1000", args.fps);
    }
    let start = Instant::now();
    let opened = open::opened(&args.input, &args.decisions, voice)?;
    open::tell_if_nothing_was_edited(&opened.evaluated, voice);
    let library = play::library(Some(opened.loaded()?), &args.library, voice)?;
    let names = if args.all_clips { all_of(&library) } else { args.clip.clone() };
    let settings = settings(args);
    let asked = entries(&opened, &library, &names)?;
    let entries: Vec<&ClipEntry> = asked.iter().collect();
    let Baked { clips, reports } = baked(&opened, &entries, &settings, voice)?;
    tell(&opened, &reports, voice);
    if let Some(target) = args.decisions.target.map(Target::from) {
        for note in target.notes().iter().filter(|n| !n.is_taken) {
            voice.note(format!("note: {} does not take: {}", target.name(), note.text));
        }
    }
    let mut written = write(&opened, &args.output, &clips, &settings)?;
    if settings.report {
        let path = args.output.output.with_added_extension("json");
        let overwrite = if args.output.force { Overwrite::Force } else { Overwrite::Never };
        io::save(&path, report(&opened.evaluated, &reports).as_bytes(), overwrite)?;
        written.push(path.display().to_string());
    }
    let checks = if args.check {
        checked(&opened, &entries, &settings, &written, voice)?
    } else {
        Vec::new()
    };
    let appendages = opened.evaluated.appendages();
    let seconds = start.elapsed().as_secs_f64();
    let result = BakeResult { written, appendages, clips: reports, checks, seconds };
    voice.result(&result, |out| {
        result.clips.iter().try_for_each(|clip| print(clip, out))?;
        result.written.iter().try_for_each(|path| writeln!(out, "wrote {path}"))?;
        for (path, check) in result.written.iter().zip(&result.checks) {
            let (deg, m) = check.largest();
            writeln!(out, "{path} plays within {deg:.3}° and {:.2} mm of the preview", m * 1000.0)?;
        }
        writeln!(out, "{:.2} s", result.seconds)
    })
}

/// What the arguments say about the export; what they leave open the target decides.
fn settings(args: &BakeArgs) -> ExportSettings {
    let target = args.decisions.target.map_or(Target::Gltf, Target::from);
    let defaults = ExportSettings::for_target(target);
    ExportSettings {
        contents: match args.contents {
            ContentsArg::All => Contents::All,
            ContentsArg::Clips => Contents::ClipsOnly,
        },
        files: match args.files {
            FilesArg::One => ExportFiles::One,
            FilesArg::PerClip => ExportFiles::PerClip,
        },
        own_clips: if args.copies { OwnClips::Copy } else { OwnClips::Join },
        report: args.report,
        root: match args.root {
            RootArg::InPlace => RootPlacement::InPlace,
            RootArg::Root => RootPlacement::Root,
            RootArg::Hips => RootPlacement::Hips,
        },
        pattern: args.name.clone().unwrap_or_else(|| defaults.pattern.clone()),
        rate_hz: args.fps,
        reduce_deg: args.reduce,
        // What a degree is to a tail of a metre is a few millimetres at its tip.
        reduce_mm: args.reduce * 10.0,
        ..defaults
    }
}

/// The catalogue's entries of those names, with the edits that stand behind them.
///
/// # Errors
/// Where one is not there.
pub fn entries(
    opened: &Opened,
    library: &Library,
    names: &[String],
) -> anyhow::Result<Vec<ClipEntry>> {
    let file = || opened.document.source().origin.clone();
    names.iter().map(|name| library.get(name).with_context(file)).collect()
}

/// The name of the source without folder and extension.
fn stem(opened: &Opened) -> String {
    let origin = &opened.document.source().origin;
    let path = std::path::Path::new(origin.strip_prefix("sample:").unwrap_or(origin));
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
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
    let stem = stem(opened);
    let subject = (opened.character, &opened.evaluated);
    Ok(bake_entries(&opened.document, subject, entries, (settings, &stem), &voice.work())?)
}

/// Plays the written files with physics off.
fn checked(
    opened: &Opened,
    entries: &[&ClipEntry],
    settings: &ExportSettings,
    written: &[String],
    voice: &Voice,
) -> anyhow::Result<Vec<ExportCheck>> {
    let is_scene = |path: &&String| path.ends_with(".glb") || path.ends_with(".gltf");
    let scenes = written.iter().filter(is_scene);
    let check = |(n, path): (usize, &String)| {
        // A file of one clip holds the file's own clips too, as they were: they are not what was baked.
        let own = entries.get(n..=n).filter(|_| settings.files == ExportFiles::PerClip);
        let entries = own.unwrap_or(entries);
        let bytes = std::fs::read(path).with_context(|| path.clone())?;
        let folder = std::path::Path::new(path).parent();
        let subject = (opened.character, &opened.evaluated);
        let stem = stem(opened);
        let (file, how) = ((bytes, folder), (settings, stem.as_str()));
        let mut check = check_export(file, &opened.document, subject, entries, how, &voice.work())?;
        if settings.files == ExportFiles::PerClip {
            // The others are in the other files.
            check.missing.clear();
        }
        Ok(check)
    };
    scenes.enumerate().map(check).collect()
}

/// All of the file's own clips, or all bundled and given ones where it has none.
fn all_of(library: &Library) -> Vec<String> {
    let own = |e: &&crate::library::ClipEntry| e.origin == ClipOrigin::File;
    let entries = library.entries();
    if entries.iter().any(|e| own(&e)) {
        return entries.iter().filter(own).map(|e| e.name.clone()).collect();
    }
    entries.iter().map(|e| e.name.clone()).collect()
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
