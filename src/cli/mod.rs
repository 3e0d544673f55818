//! Floor 11: the verbs of the command line.
//!
//! May use floors 0 to 9. Architecture invariant: computes nothing that the library does not offer.

mod args;
mod bake;
mod clips;
mod demo;
mod detect;
mod doctor;
mod hair;
mod inspect;
mod measure;
mod open;
mod output;
mod parse;
mod play;
#[cfg(feature = "app")]
mod render;
mod replay;
mod rig;
mod samples;
mod studio;
mod sweep;
mod table;
mod write;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use args::{Cli, HairVerb, Verb};
use output::{Voice, WrongUsage};

pub use output::say;

/// Runs the command line of this process and says how it ended: 0 done, 1 failed, 2 wrong usage.
pub fn run() -> ExitCode {
    // clap prints usage errors itself and leaves with 2; help and version leave with 0.
    let cli = Cli::parse();
    // Not clap's own conflict: that refuses --json and --quiet before a verb, too.
    if let (Some(file), Some(_)) = (&cli.file, &cli.verb) {
        let told = format!("'{file}' cannot stand before a verb; the file belongs behind it");
        Cli::command().error(ErrorKind::ArgumentConflict, told).exit();
    }
    let voice = Voice::of(&cli);
    let done = match cli.verb {
        Some(asked) => verb(asked, &voice),
        None => {
            if let Some(word) = cli.file.as_deref().filter(|word| studio::is_mistyped_verb(word)) {
                voice.failed(&format!(
                    "{word}: no such file, and no verb of that name; `tailbone --help` lists the verbs"
                ));
                return ExitCode::from(2);
            }
            studio::run(cli.file)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            voice.failed(&format!("{error:#}"));
            if error.is::<WrongUsage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

fn verb(verb: Verb, voice: &Voice) -> anyhow::Result<()> {
    match verb {
        Verb::Samples(args) => samples::run(&args, voice),
        Verb::Inspect(args) => inspect::run(&args, voice),
        Verb::Detect(args) => detect::run(&args, voice),
        Verb::Rig(args) => rig::run(&args, voice),
        Verb::Bake(args) => bake::run(&args, voice),
        Verb::Clips(args) => clips::run(&args, voice),
        Verb::Measure(args) => measure::run(&args, voice),
        Verb::Sweep(args) => sweep::run(&args, voice),
        #[cfg(feature = "app")]
        Verb::Render(args) => render::run(&args, voice),
        Verb::Replay(args) => replay::run(&args, voice),
        Verb::Hair(HairVerb::Fit(args)) => hair::fit(&args, voice),
        Verb::Hair(HairVerb::Measure(args)) => hair::measure(&args, voice),
        Verb::Demo(args) => demo::run(&args, voice),
        Verb::Doctor => doctor::run(voice),
    }
}

/// Whoever read our stdout has heard enough (`tailbone clips | head`).
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = match cause.downcast_ref::<serde_json::Error>() {
            Some(error) => error.io_error_kind(),
            None => cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
        };
        kind == Some(std::io::ErrorKind::BrokenPipe)
    })
}
