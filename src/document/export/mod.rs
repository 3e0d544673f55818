//! Export: which clips, for which program, in how many files; and the look back at what was written.
//!
//! ```text
//! catalogue entries ─bake_entries─▶ Baked ─export─▶ files to save ─check_export─▶ largest difference to the preview
//! ```
//!
//! The command line's `bake` and the studio's export workspace are both this.

mod check;
mod run;
mod settings;
mod target;

pub use check::{CheckError, ClipCheck, ExportCheck, check_export};
pub use run::{
    ClipStage, ExportedFile, Teller, bake_entries, bake_entries_telling, becomes_vrm, distinct,
    export, is_vrm_name, is_written, name_pattern, report,
};
pub use settings::{
    ExportFiles, ExportSettings, NameParts, NoSuchField, OwnClips, check_pattern, file_safe,
};
pub use target::{Target, TargetNote};
