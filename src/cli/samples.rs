//! `samples`: writes the embedded sample characters.

use anyhow::Context;
use serde::Serialize;

use super::args::SamplesArgs;
use super::output::Voice;
use crate::io::{self, Overwrite};
use crate::samples;

#[derive(Debug, Serialize)]
struct WrittenSample {
    name: &'static str,
    about: &'static str,
    path: String,
}

/// Runs the verb.
///
/// # Errors
/// Where a file exists already or cannot be written.
pub fn run(args: &SamplesArgs, voice: &Voice) -> anyhow::Result<()> {
    let folder = &args.output;
    io::make_folder(folder)?;
    let overwrite = Overwrite::if_forced(args.force);
    // All or none of them.
    for info in samples::list() {
        io::may_save(&folder.join(samples::file_name(info.name)), overwrite, None)?;
    }
    let mut written = Vec::new();
    for info in samples::list() {
        let path = folder.join(samples::file_name(info.name));
        let made;
        let bytes: &[u8] = if args.regenerate {
            made = samples::generate(info.name).map(|s| samples::glb(&s)).unwrap_or_default();
            &made
        } else {
            samples::embedded(info.name).context("a sample is not embedded")?
        };
        io::save(&path, bytes, overwrite)?;
        written.push(WrittenSample {
            name: info.name,
            about: info.about,
            path: path.display().to_string(),
        });
    }
    voice.result(&written, |out| {
        written.iter().try_for_each(|s| writeln!(out, "{:<14} {}  {}", s.name, s.path, s.about))
    })
}
