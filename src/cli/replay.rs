//! `replay`: does again what was done in the studio.

use anyhow::Context;

use super::args::ReplayArgs;
use super::output::{Voice, count};
use crate::io;
use crate::studio::{Command, ExportCommand, FileCommand, Script, replay};

/// Runs the verb.
///
/// # Errors
/// Where the script cannot be read, libraries that it exports from are not there, or at the first command that cannot be
/// done.
pub fn run(args: &ReplayArgs, voice: &Voice) -> anyhow::Result<()> {
    let path = args.script.display();
    let text = io::read_text(&args.script)?;
    let mut script = Script::read(&text).with_context(|| path.to_string())?;
    direct(&mut script.commands, args).with_context(|| path.to_string())?;
    let settled = script.on_this_machine(&args.library, args.skip_missing);
    let (script, missing) = settled.with_context(|| path.to_string())?;
    for library in missing {
        voice.note(format!("note: goes without {library}, which is not on this machine"));
    }
    let done = replay(&script, &voice.work()).with_context(|| path.to_string())?;
    for notice in &done.notices {
        voice.note(notice);
    }
    voice.result(&done, |out| {
        writeln!(out, "{} done", count(done.commands, "command"))?;
        done.written.iter().try_for_each(|path| writeln!(out, "wrote {path}"))
    })
}

/// Turns the script to other files than those it was made with.
fn direct(commands: &mut Vec<Command>, args: &ReplayArgs) -> anyhow::Result<()> {
    if let Some(file) = &args.file {
        let first = commands.iter_mut().find_map(|command| match command {
            Command::Open(what) => Some(what),
            _ => None,
        });
        *first.context("it opens no file that FILE could stand for")? = file.clone();
    }
    let is_run = |c: &Command| matches!(c, Command::Export(ExportCommand::Run { .. }));
    if let Some(output) = &args.output {
        let last = commands.iter().rposition(is_run);
        let last = last.context("it exports nothing that --output could be for")?;
        let path = ExportCommand::Path(output.display().to_string());
        commands.insert(last, Command::Export(path));
    }
    for command in commands {
        // Whether a file was there when the script was made says nothing about today.
        match command {
            Command::Export(ExportCommand::Run { replace })
            | Command::File(
                FileCommand::SaveAs { replace, .. }
                | FileCommand::SaveScript { replace, .. }
                | FileCommand::SaveMap { replace, .. },
            ) => *replace = args.force,
            _ => {}
        }
    }
    Ok(())
}
