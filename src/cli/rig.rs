//! `rig`: chains and weights for what was found, in a new file.

use serde::Serialize;

use super::args::RigArgs;
use super::output::{Voice, count};
use super::write::write;
use super::{bake, open};
use crate::document::export::ExportSettings;
use crate::rig::Appendage;

#[derive(Debug, Serialize)]
struct RigResult {
    written: Vec<String>,
    appendages: Vec<Appendage>,
    changes: Changes,
}

/// What an edit changed in a file.
#[derive(Debug, Serialize)]
struct Changes {
    vertices: usize,
    joints_added: usize,
}

/// Runs the verb.
///
/// # Errors
/// Where the file cannot be read or written, a decision is wrong or an expectation is not met.
pub fn run(args: &RigArgs, voice: &Voice) -> anyhow::Result<()> {
    let opened = open::opened(&args.input, &args.decisions, voice)?;
    open::tell_if_nothing_was_edited(&opened.evaluated, voice);
    if args.written.root.is_some() || args.written.name.is_some() {
        voice.note(
            "note: --root and --name are for clips that are new to the file, and `rig` brings none",
        );
    }
    let settings =
        ExportSettings { contents: bake::contents(&args.written), ..ExportSettings::default() };
    let written = write(&opened, &args.output, &[], &settings)?;
    let rigged = &opened.evaluated.rigged;
    let result = RigResult {
        written,
        appendages: opened.evaluated.appendages().to_vec(),
        changes: Changes {
            vertices: rigged.changes.n_vertices(),
            joints_added: rigged.character.skeleton.len() - opened.loaded()?.skeleton.len(),
        },
    };
    voice.result(&result, |out| {
        for a in result.appendages.iter().filter(|a| a.joint_distance_after_m.is_some()) {
            let (before, after) =
                (a.joint_distance_before_m, a.joint_distance_after_m.unwrap_or(0.0));
            let chain = if a.chain.is_empty() { a.attachment.clone() } else { a.chain.join(", ") };
            writeln!(
                out,
                "region {} → {chain}; joint distance {before:.2} m → {after:.2} m",
                a.id
            )?;
        }
        let changes = &result.changes;
        let joints = count(changes.joints_added, "joint");
        writeln!(out, "{} reweighted, {joints} added", count(changes.vertices, "vertex"))?;
        result.written.iter().try_for_each(|path| writeln!(out, "wrote {path}"))
    })
}
