//! Project files: decisions about a file, saved beside it. `format` stands first and says who reads the rest.
//!
//! Derived data is never in them. Each format keeps its reader for ever, and a file in `tests/projects`.

mod v1;

use serde::{Deserialize, Serialize};

use super::{Edits, Notice};

/// Where the file that the decisions are about was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceRef {
    /// As given when the project was saved: a path, or `sample:fox`.
    pub path: String,
    /// Its size in bytes then; another size is another export of it.
    pub bytes: u64,
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
    /// Reads a project file of any format, and says which of its fields this version does not know.
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
    use crate::model::{RegionKind, Verdict};

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
            },
            treatment: TreatmentEdit {
                verdict: Some(Verdict::Columns),
                columns: Some(5),
                spread: vec![JointRef { path: "Hips/Spine".into(), index: Some(3) }],
                ..Default::default()
            },
        });
        edits.existing.insert("Ponytail_1".into(), true);
        Project {
            app: "0.1.0".into(),
            solver: "1".into(),
            source: SourceRef { path: "fox.glb".into(), bytes: 1234 },
            edits: Edits::default().with_character(1, edits),
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
    fn unknown_fields_are_left_out_and_named() {
        let text = project().write().replace("app:", "mood: \"calm\",\n    app:");
        let text = text.replace("blend_rings: 2", "blend_rings: 2, sparkle: 3");
        let (read, notices) = Project::read(&text).unwrap();
        assert_eq!(read, project());
        let told: Vec<String> = notices.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("mood") && told[1].contains("sparkle"), "{told:?}");
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
