//! From an evaluated document to what the writer takes.

use serde_json::Value;

use super::evaluate::Evaluated;
use super::source::Document;
use super::to_decisions;
use crate::io::{CharacterEdits, Container, Contents, InfluenceLimit, MarksToWrite, WriteEdits};
use crate::model::BakedClip;

/// One character of a document, ready to be written.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// Its place in the file.
    pub character: u32,
    /// What it came to.
    pub evaluated: &'a Evaluated,
    /// Clips baked for it.
    pub baked: &'a [BakedClip],
}

/// How a document is written.
#[derive(Clone, Debug, Default)]
pub struct OutputSettings {
    /// The whole file, or its clips alone.
    pub contents: Contents,
    /// The container of the result.
    pub container: Container,
    /// Name of the result without extension.
    pub stem: String,
    /// Version of the solver that baked.
    pub solver_version: String,
    /// Whether a file that is no VRM becomes one.
    pub as_vrm: bool,
}

/// The report on all written characters as JSON: a list of [`Appendage`](crate::rig::Appendage)s.
pub fn appendages_json(characters: &[Finished<'_>]) -> Value {
    let all: Vec<_> = characters.iter().flat_map(|c| c.evaluated.appendages()).collect();
    // Names and finite or null numbers: nothing that JSON cannot hold.
    serde_json::to_value(all).unwrap_or_default()
}

/// What [`SourceFile::write`](crate::io::SourceFile::write) takes: edits, report, and the decisions that make the
/// written file one that can be edited again.
pub fn write_edits<'a>(
    document: &Document,
    characters: &[Finished<'a>],
    settings: OutputSettings,
) -> WriteEdits<'a> {
    let most = characters.iter().map(|c| c.evaluated.settings.influences).max().unwrap_or(4);
    WriteEdits {
        characters: characters
            .iter()
            .map(|c| CharacterEdits { rigged: &c.evaluated.rigged, baked: c.baked })
            .collect(),
        marks: MarksToWrite {
            solver_version: settings.solver_version,
            decisions: to_decisions(&document.edits),
            appendages: appendages_json(characters),
        },
        contents: settings.contents,
        influences: if most > 4 { InfluenceLimit::Eight } else { InfluenceLimit::Four },
        container: settings.container,
        stem: settings.stem,
        as_vrm: settings.as_vrm,
    }
}
