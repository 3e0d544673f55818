//! What was loaded, and a document over it.

use std::path::Path;
use std::sync::Arc;

use super::{Edits, from_marks};
use crate::io::{self, ReadError, SourceFile};
use crate::model::{Character, Report};
use crate::samples;
use crate::work::Work;

/// What was loaded. Never changes; shared by history, jobs and view.
#[derive(Clone, Debug)]
pub struct Source {
    /// As it was asked for: a path, or `sample:fox`.
    pub origin: String,
    /// The file itself, for writing.
    pub file: SourceFile,
    /// Its characters, the one shown by default first; never empty.
    pub characters: Vec<Character>,
    /// What is odd about it.
    pub report: Report,
}

impl Source {
    /// The name of what was opened, without folder and ending.
    pub fn stem(&self) -> String {
        let path = Path::new(self.origin.strip_prefix("sample:").unwrap_or(&self.origin));
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Opens a file.
///
/// # Errors
/// [`OpenError`] where there is none, or it cannot be read.
pub fn open(what: &str, work: &Work) -> Result<Source, OpenError> {
    let loaded = match what.strip_prefix("sample:") {
        Some(name) => {
            let bytes = samples::embedded(name)
                .ok_or_else(|| OpenError::NoSuchSample { name: name.to_owned() })?;
            io::read_bytes(bytes, what, None, work)?
        }
        None => io::read(Path::new(what), work).map_err(|error| match error {
            ReadError::NotGltf { name, .. } if is_project_name(&name) => {
                OpenError::IsProject { name }
            }
            error => error.into(),
        })?,
    };
    Ok(Source {
        origin: what.to_owned(),
        file: loaded.file,
        characters: loaded.characters,
        report: loaded.report,
    })
}

/// What cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// No sample has that name.
    #[error("sample:{name}: there is no such sample; there are {}", sample_names())]
    NoSuchSample {
        /// What was asked for.
        name: String,
    },
    /// Decisions about a character are asked for what only the character has.
    #[error("{name}: this is a project; name its character's file, and the project with --project")]
    IsProject {
        /// The path asked for.
        name: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Whether a path is meant as a project's.
pub fn is_project_name(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("tailbone"))
}

fn sample_names() -> String {
    samples::list().iter().map(|s| s.name).collect::<Vec<_>>().join(", ")
}

/// A source and the decisions about it: all that there is to save.
#[derive(Clone, Debug)]
pub struct Document {
    source: Arc<Source>,
    /// The decisions.
    pub edits: Edits,
}

impl Document {
    /// A document over `source` with the decisions that the file itself carries, if we wrote it.
    pub fn new(source: Source) -> Self {
        let (edits, finding) = from_marks(&source.characters);
        let mut source = source;
        source.report.findings.extend(finding);
        Self { source: Arc::new(source), edits }
    }

    /// Opens a file or a sample as a document.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(what: &str, work: &Work) -> Result<Self, OpenError> {
        Ok(Self::new(open(what, work)?))
    }

    /// What was loaded.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// A character of the source.
    pub fn character(&self, index: u32) -> Option<&Character> {
        self.source.characters.get(index as usize)
    }
}
