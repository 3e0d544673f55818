//! `bake`: rig, retarget, simulate, close the loop, key, write.

use std::time::Instant;

use serde::Serialize;

use super::args::{BakeArgs, ContentsArg, RootArg};
use super::open::{self, Opened};
use super::output::{Voice, count};
use super::play;
use super::write::write;
use crate::bake::{BakeClip, BakePlan, BakeReport, Baked, RootPlacement, bake};
use crate::io::Contents;
use crate::library::{ClipOrigin, ClipSource, Library};
use crate::model::Clip;
use crate::rig::Appendage;

#[derive(Debug, Serialize)]
struct BakeResult {
    written: Vec<String>,
    appendages: Vec<Appendage>,
    clips: Vec<BakeReport>,
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
    let root = match args.root {
        RootArg::InPlace => RootPlacement::InPlace,
        RootArg::Root => RootPlacement::Root,
        RootArg::Hips => RootPlacement::Hips,
    };
    let plan = BakePlan { rate_hz: args.fps, root: Some(root), ..BakePlan::default() };
    let Baked { clips, reports } = baked(&opened, &library, &names, plan, &args.name, voice)?;
    tell(&opened, &reports, voice);
    let contents = match args.contents {
        ContentsArg::All => Contents::All,
        ContentsArg::Clips => Contents::ClipsOnly,
    };
    let written = write(&opened, &args.output, &clips, contents)?;
    let appendages = opened.evaluated.appendages();
    let seconds = start.elapsed().as_secs_f64();
    let result = BakeResult { written, appendages, clips: reports, seconds };
    voice.result(&result, |out| {
        result.clips.iter().try_for_each(|clip| print(clip, out))?;
        result.written.iter().try_for_each(|path| writeln!(out, "wrote {path}"))?;
        writeln!(out, "{:.2} s", result.seconds)
    })
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

/// Bakes the named clips; `pattern` names those that the file does not have yet.
///
/// # Errors
/// Where a clip is not there or does not fit.
pub fn baked(
    opened: &Opened,
    library: &Library,
    names: &[String],
    mut plan: BakePlan,
    pattern: &str,
    voice: &Voice,
) -> anyhow::Result<Baked> {
    for name in names {
        let (entry, clip) = play::clip(opened, library, name, voice)?;
        let joins = match entry.source {
            ClipSource::Own(index) => Some(index),
            ClipSource::Of(..) | ClipSource::Recipe(_) => None,
        };
        let clip = match joins {
            Some(_) => clip,
            None => Clip { name: named(pattern, opened, &entry.name), ..Clip::clone(&clip) }.into(),
        };
        plan.clips.push(BakeClip { clip, joins, origin: entry.origin.to_string() });
    }
    Ok(bake(&opened.evaluated.rigged, &plan, &voice.work())?)
}

/// `{file}` and `{clip}` filled in; a name that the file has already gets a number.
fn named(pattern: &str, opened: &Opened, clip: &str) -> String {
    let origin = &opened.document.source().origin;
    let file = std::path::Path::new(origin).file_stem().unwrap_or_default().to_string_lossy();
    let name = pattern.replace("{file}", &file).replace("{clip}", clip);
    let character = opened.document.character(opened.character);
    let is_taken =
        |name: &str| character.is_some_and(|c| c.clips.iter().any(|own| own.name == name));
    if !is_taken(&name) {
        return name;
    }
    (2..).map(|n| format!("{name}_{n}")).find(|n| !is_taken(n)).unwrap_or(name)
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
