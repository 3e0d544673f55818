//! Format 1.
//!
//! Fields that are missing take their defaults, so a format-1 file of any age reads.

use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};

use super::{Edits, Notice, Project, ProjectError, SourceRef};

#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    #[serde(default)]
    app: String,
    #[serde(default)]
    solver: String,
    #[serde(default)]
    source: SourceRef,
    #[serde(default)]
    edits: Edits,
}

pub(super) fn read(text: &str) -> Result<(Project, Vec<Notice>), ProjectError> {
    let damaged = |message: String| ProjectError::Damaged { format: 1, message };
    let mut notices = Vec::new();
    let mut deserializer = ron::Deserializer::from_str(text).map_err(|e| damaged(e.to_string()))?;
    let file: File = serde_ignored::deserialize(&mut deserializer, |path| {
        notices.push(Notice::UnknownField { path: path.to_string() });
    })
    .map_err(|e: ron::Error| damaged(deserializer.span_error(e).to_string()))?;
    let File { app, solver, source, edits, .. } = file;
    Ok((Project { app, solver, source, edits }, notices))
}

pub(super) fn write(project: &Project) -> String {
    let Project { app, solver, source, edits } = project.clone();
    let file = File { format: 1, app, solver, source, edits };
    let config = PrettyConfig::new().new_line("\n").struct_names(false);
    // Our own types hold nothing that RON cannot write.
    let text = ron::ser::to_string_pretty(&file, config).unwrap_or_default();
    format!("{text}\n")
}
