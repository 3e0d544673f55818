//! `demo`: the main job on the embedded fox.

use serde::Serialize;

use super::args::{Decisions, DemoArgs, Input, Output};
use super::output::{Voice, count};
use super::write::write;
use super::{bake, measure, open, play, table};
use crate::bake::BakeReport;
use crate::document::export::ExportSettings;
use crate::io::make_folder;
use crate::measure::Measurement;
use crate::model::Verdict;
use crate::rig::Appendage;

/// Clips that show a tail.
const CLIPS: [&str; 2] = ["Walk", "Sprint"];

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
    let input = Input { file: "sample:fox".into(), character: 0, map: None };
    let opened = open::opened(&input, &Decisions::default(), voice)?;
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

    // The folder is the demo's own, so a second run writes over the first.
    make_folder(&args.output)?;
    let mut written = Vec::new();
    for (name, clips) in [("fox-rigged.glb", &[][..]), ("fox-baked.glb", &baked.clips)] {
        let output = Output { output: args.output.join(name), force: true };
        written.extend(write(&opened, &output, clips, &settings)?);
    }
    #[cfg(feature = "app")]
    written.extend(pictures(&opened, &library, &args.output, voice)?);
    let appendages = opened.evaluated.appendages().to_vec();
    let result = DemoResult { appendages, measured, clips: baked.reports, written };
    voice.result(&result, |out| print(&result, out))?;
    #[cfg(feature = "app")]
    if voice.is_for_people() && crate::app::has_display() {
        let baked = args.output.join("fox-baked.glb").display().to_string();
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
    folder: &std::path::Path,
    voice: &Voice,
) -> anyhow::Result<Vec<String>> {
    use crate::io::{Overwrite, save};
    use crate::studio::{Shown, snapshot};
    use crate::view::{Look, Picture, ViewDirection, ViewError, render_png};

    let look = Look::parse(include_str!("../../assets/theme/dark.ron"))?;
    let picture = Picture { size: [960, 960], direction: ViewDirection::ThreeQuarter, look };
    let evaluated = &opened.evaluated;
    let mut shots = vec![("fox-found.png".to_owned(), None)];
    for name in CLIPS {
        let (_, clip) = play::clip(opened, library, name, voice)?;
        let middle = clip.duration_secs * 0.5;
        shots.push((format!("fox-{}.png", name.to_lowercase()), Some((clip, middle))));
    }
    let mut written = Vec::new();
    for (name, clip) in shots {
        let shown = Shown { regions: clip.is_none(), joints: clip.is_none(), ..Shown::default() };
        let scene = snapshot(&evaluated.rigged, &evaluated.detection, clip, shown);
        match render_png(&scene, &picture) {
            Ok(png) => {
                let path = folder.join(name);
                save(&path, &png, Overwrite::Force)?;
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
