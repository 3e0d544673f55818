//! `demo`: the main job on the embedded fox.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::args::{Decisions, DemoArgs, Input, Output};
use super::output::{Voice, count};
use super::write::write;
use super::{bake, measure, open, play, table};
use crate::bake::BakeReport;
use crate::document::export::ExportSettings;
use crate::io::{Overwrite, SaveError, make_folder, may_save};
use crate::measure::Measurement;
use crate::model::Verdict;
use crate::rig::Appendage;

/// Clips that show a tail.
const CLIPS: [&str; 2] = ["Walk", "Sprint"];

/// What is written.
const RIGGED: &str = "fox-rigged.glb";
const BAKED: &str = "fox-baked.glb";
const FOUND: &str = "fox-found.png";

fn picture_name(clip: &str) -> String {
    format!("fox-{}.png", clip.to_lowercase())
}

/// Whether all that is written may be written, before anything is.
fn check_targets(folder: &Path, overwrite: Overwrite) -> Result<(), SaveError> {
    let names = [RIGGED, BAKED, FOUND].map(str::to_owned).into_iter();
    let mut names = names.chain(CLIPS.map(picture_name));
    names.try_for_each(|name| may_save(&folder.join(name), overwrite, None))
}

#[derive(Debug, Serialize)]
struct DemoResult {
    appendages: Vec<Appendage>,
    measured: Vec<Measured>,
    clips: Vec<BakeReport>,
    written: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Measured {
    clip: String,
    #[serde(flatten)]
    found: Measurement,
}

/// Runs the verb: detects, rigs, measures Walk and Sprint, bakes both, writes.
///
/// # Errors
/// Where the folder cannot be written.
pub fn run(args: &DemoArgs, voice: &Voice) -> anyhow::Result<()> {
    // A folder that nobody named is the demo's own, so a second run writes over the first.
    let folder = args.output.clone().unwrap_or_else(|| PathBuf::from("target/demo"));
    let overwrite = Overwrite::if_forced(args.force || args.output.is_none());
    check_targets(&folder, overwrite)?;
    let input = Input { file: "sample:fox".into(), character: 0, map: None };
    let decisions = Decisions { force: overwrite == Overwrite::Force, ..Decisions::default() };
    let opened = open::opened(&input, &decisions, voice)?;
    let library = play::library(Some(&opened), &[], voice)?;
    let mut measured = Vec::new();
    for name in CLIPS {
        let (entry, clip) = play::clip(&opened, &library, name, voice)?;
        let found = measure::measured(&opened, &clip, 24, voice)?;
        measured.push(Measured { clip: entry.title, found });
    }
    let settings = ExportSettings::default();
    let asked = bake::entries(&opened, &library, &CLIPS.map(str::to_owned))?;
    let entries: Vec<_> = asked.iter().collect();
    let baked = bake::baked(&opened, &entries, &settings, voice)?;

    make_folder(&folder)?;
    let mut written = Vec::new();
    for (name, clips) in [(RIGGED, &[][..]), (BAKED, &baked.clips)] {
        let output = Output { output: folder.join(name) };
        written.extend(write(&opened, &output, clips, &settings)?);
    }
    #[cfg(feature = "app")]
    written.extend(pictures(&opened, &library, &folder, voice)?);
    let appendages = opened.evaluated.appendages().to_vec();
    let result = DemoResult { appendages, measured, clips: baked.reports, written };
    voice.result(&result, |out| print(&result, out))?;
    #[cfg(feature = "app")]
    if voice.is_for_people() && crate::app::has_display() {
        let baked = folder.join(BAKED).display().to_string();
        voice.note("opening the studio; close its window to end the demo");
        super::studio::run(Some(baked))?;
    }
    Ok(())
}

/// Pictures of the moment that shows most: as it stands with its regions, and both clips in mid-stride, torn and mended.
/// A machine that cannot draw says so and goes on.
#[cfg(feature = "app")]
fn pictures(
    opened: &open::Opened,
    library: &crate::library::Library,
    folder: &Path,
    voice: &Voice,
) -> anyhow::Result<Vec<String>> {
    use crate::io::save;
    use crate::studio::{Shown, snapshot};
    use crate::view::{Look, Picture, ViewDirection, ViewError, render_png};

    let look = Look::parse(include_str!("../../assets/theme/dark.ron"))?;
    let picture = Picture { size: [960, 960], direction: ViewDirection::ThreeQuarter, look };
    let evaluated = &opened.evaluated;
    let mut shots = vec![(FOUND.to_owned(), None)];
    for name in CLIPS {
        let (_, clip) = play::clip(opened, library, name, voice)?;
        let middle = clip.duration_secs * 0.5;
        shots.push((picture_name(name), Some((clip, middle))));
    }
    let mut written = Vec::new();
    for (name, clip) in shots {
        let shown = Shown { regions: clip.is_none(), joints: clip.is_none(), ..Shown::default() };
        let scene = snapshot(&evaluated.rigged, &evaluated.detection, clip, shown);
        match render_png(&scene, &picture) {
            Ok(png) => {
                let path = folder.join(name);
                save(&path, &png, opened.overwrite)?;
                written.push(path.display().to_string());
            }
            Err(error @ ViewError::NoContext { .. }) => {
                voice.note(format!("no pictures: {error}"));
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(written)
}

fn print(result: &DemoResult, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    for a in result.appendages.iter().filter(|a| a.verdict != Verdict::Leave) {
        writeln!(out, "found on the fox: {}", a.reason)?;
        writeln!(
            out,
            "  {}, {:.2} m long; distance to what drives it {:.2} m → {:.2} m; joints {}",
            count(a.vertices, "vertex"),
            a.length_m,
            a.joint_distance_before_m,
            a.joint_distance_after_m.unwrap_or(0.0),
            a.chain.join(", ")
        )?;
    }
    for measured in &result.measured {
        writeln!(out)?;
        table::print(&measured.clip, &measured.found, &result.appendages, out)?;
    }
    writeln!(out)?;
    result.written.iter().try_for_each(|path| writeln!(out, "wrote {path}"))
}
