//! Format 1.
//!
//! Fields that are missing take their defaults, so a format-1 file of any age reads.

use std::collections::BTreeMap;

use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};

use super::ron_text::Tree;
use super::{Edits, ForeignField, Notice, Project, ProjectError, SourceRef};
use crate::document::export::ExportSettings;

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
    #[serde(default)]
    export: ExportSettings,
    #[serde(default)]
    clip_sets: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    made_clips: Vec<String>,
}

pub(super) fn read(text: &str) -> Result<(Project, Vec<Notice>), ProjectError> {
    let damaged = |message: String| ProjectError::Damaged { format: 1, message };
    let mut notices = Vec::new();
    let mut unknown = Vec::new();
    let mut deserializer = ron::Deserializer::from_str(text).map_err(|e| damaged(e.to_string()))?;
    let file: File = serde_ignored::deserialize(&mut deserializer, |path| {
        notices.push(Notice::UnknownField { path: path.to_string() });
        unknown.push(steps(&path));
    })
    .map_err(|e: ron::Error| damaged(deserializer.span_error(e).to_string()))?;
    let tree = Tree::of(text).unwrap_or_default();
    let foreign = unknown
        .into_iter()
        .filter_map(|path| {
            let (span, _) = tree.find(&path)?;
            Some(ForeignField { text: text.get(span)?.to_owned(), path })
        })
        .collect();
    let File { app, solver, source, edits, export, clip_sets, made_clips, .. } = file;
    let project = Project { app, solver, source, edits, export, clip_sets, made_clips, foreign };
    Ok((project, notices))
}

/// A path as RON's text has it: `Some(…)` holds its value at place 0.
fn steps(path: &serde_ignored::Path<'_>) -> Vec<String> {
    use serde_ignored::Path;
    let (parent, step) = match path {
        Path::Root => return Vec::new(),
        Path::Seq { parent, index } => (parent, Some(index.to_string())),
        Path::Map { parent, key } => (parent, Some(key.clone())),
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => (parent, Some("0".into())),
    };
    let mut steps = steps(parent);
    steps.extend(step);
    steps
}

pub(super) fn write(project: &Project) -> String {
    let Project { app, solver, source, edits, export, clip_sets, made_clips, foreign } =
        project.clone();
    let file = File { format: 1, app, solver, source, edits, export, clip_sets, made_clips };
    let config = PrettyConfig::new().new_line("\n").struct_names(false);
    // Our own types hold nothing that RON cannot write.
    let text = ron::ser::to_string_pretty(&file, config).unwrap_or_default();
    with_foreign(text, &foreign) + "\n"
}

/// The text with the foreign fields behind the last field there was place for them; what they belonged to may be gone.
fn with_foreign(mut text: String, foreign: &[ForeignField]) -> String {
    for field in foreign {
        let Some((name, parent)) = field.path.split_last() else { continue };
        let Some(at) = Tree::of(&text).and_then(|tree| tree.room_for(parent, name)) else {
            continue;
        };
        // `format` stays the first field of all.
        let at = match parent {
            [] => text.get(at..).and_then(|t| t.find(',')).map_or(at, |comma| at + comma + 1),
            _ => at,
        };
        let indent = "    ".repeat(field.path.len());
        text.insert_str(at, &format!("\n{indent}{name}: {},", field.text));
    }
    text
}
