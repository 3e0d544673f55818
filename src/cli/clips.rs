//! `clips`: the clip library.

use serde::Serialize;

use super::args::ClipsArgs;
use super::output::Voice;
use super::play;

#[derive(Debug, Serialize)]
struct ClipLine<'a> {
    name: &'a str,
    title: &'a str,
    category: &'a str,
    tags: Vec<&'a str>,
    duration_s: f64,
    looping: bool,
    draft: bool,
    source: String,
}

/// Runs the verb.
///
/// # Errors
/// Where a library file cannot be read.
pub fn run(args: &ClipsArgs, voice: &Voice) -> anyhow::Result<()> {
    let library = play::library(None, &args.library, voice)?;
    let lines: Vec<ClipLine> = library
        .entries()
        .iter()
        .map(|entry| ClipLine {
            name: &entry.name,
            title: &entry.title,
            category: &entry.category,
            tags: entry.tags(),
            duration_s: entry.duration_secs,
            looping: entry.looping,
            draft: entry.draft,
            source: entry.origin.to_string(),
        })
        .collect();
    voice.result(&lines, |out| {
        lines.iter().try_for_each(|clip| {
            let looping = if clip.looping { "loops" } else { "once" };
            let draft = if clip.draft { "  draft" } else { "" };
            let (title, name, category) = (clip.title, clip.name, clip.category);
            writeln!(
                out,
                "{title:<28} {name:<28} {:>6.2} s  {looping:<5}  {category}{draft}",
                clip.duration_s
            )
        })
    })
}
