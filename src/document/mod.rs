//! Floor 8: a document is a source plus decisions: evaluation, history, project files.
//!
//! May use floors 0 to 7. Architecture invariant: derived data is never saved and never edited.

mod assign;
mod causes;
mod clip_on;
mod collider_edits;
mod decisions;
mod edits;
mod evaluate;
pub mod export;
mod hair_edits;
mod history;
mod made;
mod mapping;
mod output;
mod presets;
pub mod project;
mod region_ref;
mod resolve;
mod rigid;
mod skirts;
mod source;
mod spring_keys;
mod strands;
mod sweep;
mod treat;
mod vertex_set;

pub use assign::{AssignError, assign, axes, threshold_names};
pub use causes::with_causes;
pub use clip_on::{ClipError, ClipsOn, body_rig, clip_on, file_of, pelvis_lift};
pub use collider_edits::{ColliderEdit, ColliderRef};
pub use decisions::{from_marks, to_decisions};
pub use edits::{
    CharacterEdits, Edits, JointRef, MadeRegion, MeshVertices, RegionEdit, RegionRef, TreatmentEdit,
};
pub use evaluate::{Evaluated, StageCache, evaluate};
pub use hair_edits::{HairEdits, StrandEdit};
pub use history::{HeapSize, History};
pub use made::{make_region, merge_regions, split_region, unmake_region};
pub use mapping::{map_of, mapped, source_roles, source_table, with_source_role};
pub use output::{Finished, OutputSettings, appendages_json, write_edits};
pub use presets::{Preset, PresetError, parse_preset, preset, preset_names, preset_text};
pub use region_ref::{from_floor, to_bind, vertex_in_file};
pub use resolve::{Notice, rig_settings};
pub use rigid::rigid;
pub use skirts::{SkirtLine, skirts};
pub use source::{Document, OpenError, Source, is_project_name, open};
pub use spring_keys::{
    Dimension, SPRING_KEYS, SpringKey, SpringKeyError, assign_spring, key_names, set_spring,
};
pub use sweep::{SweepLine, SweepResult, sweep};
pub use treat::{Expect, Selector, Treat, TreatError, treat};
pub use vertex_set::{decode_vertices, encode_vertices};
