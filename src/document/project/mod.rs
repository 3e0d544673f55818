//! Project files: decisions about a file, saved beside it. `format` stands first and says who reads the rest.
//!
//! Derived data is never in them. Each format keeps its reader for ever, and a file in `tests/projects`.

mod place;
mod ron_text;
mod v1;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::export::ExportSettings;
use super::{Edits, Notice};

pub use place::{Found, fingerprint};

/// Where the file that the decisions are about was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceRef {
    /// Seen from the project's folder, with `/` between names; or `sample:fox`.
    pub path: String,
    /// Its size in bytes then.
    pub bytes: u64,
    /// Hash of its bytes then (see [`fingerprint`]): another hash is another export of it. Empty where it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

/// A project: what it is about and what was decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    /// Version of the program that saved it.
    pub app: String,
    /// Version of the solver then.
    pub solver: String,
    /// The file it is about.
    pub source: SourceRef,
    /// The decisions.
    pub edits: Edits,
    /// How it is exported.
    pub export: ExportSettings,
    /// Choices of clips for an export by the names the user gave them: lists of clip names.
    pub clip_sets: BTreeMap<String, Vec<String>>,
    /// Clips made of others, as `--clip` takes them: `Walk@mirror@name=Left Walk`.
    pub made_clips: Vec<String>,
    /// Fields of a version that knows more than this one, to be written back.
    pub foreign: Vec<ForeignField>,
}

/// A field that this version does not know, kept word for word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignField {
    /// Names, keys and places from the outside in, its own name last.
    pub path: Vec<String>,
    /// Its value, as RON.
    pub text: String,
}

/// The format this version writes.
pub const PROJECT_FORMAT: u32 = 1;

/// A project file that cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// It is no project file at all.
    #[error("this is not a Tailbone project: {message}")]
    NotAProject {
        /// What the parser says, with the place.
        message: String,
    },
    /// A later version wrote it.
    #[error(
        "the project has format {found}, this version reads up to {PROJECT_FORMAT}; open it with a newer Tailbone"
    )]
    TooNew {
        /// Its format.
        found: u32,
    },
    /// Its format is known, its content is damaged.
    #[error("the project (format {format}) is damaged: {message}")]
    Damaged {
        /// Its format.
        format: u32,
        /// What the parser says, with the place.
        message: String,
    },
}

#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Project {
    /// Reads a project file of any format, and says which of its fields this version does not know. They are kept.
    ///
    /// # Errors
    /// [`ProjectError`] where it is none, too new or damaged.
    pub fn read(text: &str) -> Result<(Self, Vec<Notice>), ProjectError> {
        let head: Head = ron::from_str(text)
            .map_err(|e| ProjectError::NotAProject { message: e.to_string() })?;
        match head.format {
            1 => v1::read(text),
            found if found > PROJECT_FORMAT => Err(ProjectError::TooNew { found }),
            found => Err(ProjectError::NotAProject { message: format!("format {found}") }),
        }
    }

    /// The text of this project: the same bytes for the same decisions.
    pub fn write(&self) -> String {
        v1::write(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{CharacterEdits, JointRef, RegionEdit, RegionRef, TreatmentEdit};
    use crate::model::{PoseBase, RegionKind, RetargetPose, RetargetPoses, Role, Verdict};

    fn project() -> Project {
        let mut edits = CharacterEdits { preset: Some("cat".into()), ..Default::default() };
        edits.springs.sag_curve = Some(1.0);
        edits.kinds.insert(
            RegionKind::Worn,
            TreatmentEdit { verdict: Some(Verdict::Leave), ..Default::default() },
        );
        edits.regions.push(RegionEdit {
            region: RegionRef {
                id: 2,
                kind: Some(RegionKind::Garment),
                centroid: glam::Vec3::new(0.0, 0.5, -0.1),
                vertices: Vec::new(),
                cells: String::new(),
            },
            treatment: TreatmentEdit {
                verdict: Some(Verdict::Columns),
                columns: Some(5),
                spread: vec![JointRef { path: "Hips/Spine".into(), index: Some(3) }],
                ..Default::default()
            },
        });
        edits.existing.insert("Ponytail_1".into(), true);
        let pose = RetargetPose { base: PoseBase::Bind, ..RetargetPose::default() };
        let pose = pose.with_turn(Role::LeftUpperArm, glam::Vec3::new(0.1, 0.0, 44.7));
        edits.retarget = RetargetPoses::default().with(None, pose.clone());
        edits.retarget = edits.retarget.with(Some("old \"walks\".bvh"), pose);
        Project {
            app: "0.1.0".into(),
            solver: "1".into(),
            source: SourceRef { path: "fox.glb".into(), bytes: 1234, hash: "5f".into() },
            edits: Edits::default().with_character(1, edits),
            export: ExportSettings::for_target(crate::document::export::Target::Unreal),
            clip_sets: BTreeMap::from([("Moves".into(), vec!["Walk_Loop".into()])]),
            made_clips: vec!["Walk@mirror@name=\"Left\" Walk".into()],
            foreign: Vec::new(),
        }
    }

    #[test]
    fn a_project_reads_as_it_was_written_and_format_stands_first() {
        let text = project().write();
        assert!(text.trim_start_matches('(').trim_start().starts_with("format: 1"), "{text}");
        assert_eq!(Project::read(&text), Ok((project(), Vec::new())));
        assert_eq!(project().write(), text);
        let empty = Project::default();
        assert_eq!(Project::read(&empty.write()).unwrap().0, empty);
    }

    #[test]
    fn unknown_fields_are_named_and_written_back_word_for_word() {
        let text = project().write().replace("app:", "mood: (deep: [1, \"calm\"]),\n    app:");
        let text = text.replace("blend_rings: 2", "sparkle: Some(3.50), blend_rings: 2");
        let text = text.replace("columns: Some(5)", "columns: Some(5), glue: \"a)\"");
        let (read, notices) = Project::read(&text).unwrap();
        assert_eq!(Project { foreign: Vec::new(), ..read.clone() }, project());
        let told: Vec<String> = notices.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        for name in ["mood", "sparkle", "glue"] {
            assert!(told.iter().any(|t| t.contains(name)), "{told:?}");
        }
        let written = read.write();
        for kept in ["mood: (deep: [1, \"calm\"])", "sparkle: Some(3.50)", "glue: \"a)\""] {
            assert!(written.contains(kept), "{kept} in {written}");
        }
        assert!(written.trim_start_matches('(').trim_start().starts_with("format: 1"), "{written}");
        let again = Project::read(&written).unwrap();
        assert_eq!((again.0.edits, again.1.len()), (read.edits.clone(), 3));
        assert_eq!(Project::read(&written).unwrap().0.write(), written);
        // What a field belonged to may be gone; then it goes, too.
        let less = Project { edits: Edits::default(), ..read };
        assert!(less.write().contains("mood") && !less.write().contains("sparkle"));
    }

    #[test]
    fn what_is_no_project_is_refused_with_the_reason() {
        let fails = |text: &str| Project::read(text).unwrap_err().to_string();
        assert!(fails("hello").contains("not a Tailbone project"));
        assert!(fails("(format: 99)").contains("format 99"));
        assert!(fails("(format: 1, edits: 3)").contains("damaged"));
        assert!(fails("(format: 0)").contains("format 0"));
    }

    #[test]
    fn every_old_project_opens() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/projects/v1");
        let mut n_files = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let (read, notices) = Project::read(&text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(notices, [], "{}", path.display());
            assert_ne!(read, Project::default());
            n_files += 1;
        }
        assert!(n_files > 0);
    }
}
