//! Floor 9: the application without a screen: commands, jobs, playback, selection, notices, preferences, and what the
//! viewport and the panels show, as plain data.
//!
//! May use floors 0 to 8. Architecture invariant: no window, no graphics, no panel; everything here runs in a test.
//! The document changes only by [`Studio::apply`].

mod chain;
mod character;
mod colliders;
mod command;
mod compare;
mod deciding;
mod evaluation;
mod export;
mod export_job;
mod exported;
mod figure;
mod files;
mod fuzzy;
mod hair;
mod heat;
mod jobs;
mod journal;
pub mod keymap;
mod libraries;
mod making;
mod mapping;
mod measuring;
mod naming;
mod navigation;
mod notices;
mod opening;
mod outlines;
mod overlays;
mod palette;
mod panels;
mod playback;
mod playing;
mod posing;
mod preferences;
mod problems;
pub mod scene;
mod script;
mod script_libraries;
mod session;
mod shade;
mod shares;
mod shelf;
mod shown;
mod snapshot;
mod state;
mod stretch_plot;
mod sweeping;
mod table;
mod tiles;
mod tools;
mod trace;
mod tuning;
mod user_presets;
mod watch;
pub mod words;
mod workspace;

/// Thresholds are decided by an edit.
pub use crate::detect::DetectSettings;
/// Test motions are asked for by command.
pub use crate::perform::TestMotion;
pub use chain::ChainPanel;
pub use colliders::{ColliderCommand, ColliderEntry, ColliderPanel, ColliderPart, NewCollider};
pub use command::{
    Changes, Command, Edit, Forgotten, Named, Overlay, PlayCommand, Selection, WhoIs,
};
pub use compare::{Pane, PaneNumbers, Way};
pub use export::{
    BakeReport, CardState, Contents, ExportCard, ExportCheck, ExportCommand, ExportFiles,
    ExportPanel, ExportProgress, ExportRow, ExportSettings, JointAxes, JointNaming, OwnClips,
    RootPlacement, Target, TargetNote,
};
pub use files::{Answer, FileCommand, PathQuestion, Question};
pub use hair::{HairCommand, HairLine, HairPanel, HairPick, PickBy, StrandRow};
pub use jobs::{JobId, JobKind, JobProgress, Wake};
pub use libraries::LibraryRow;
pub use making::{ClipCommand, ClipEdit};
pub use mapping::{MapRow, RetargetPanel};
pub use measuring::{Readout, TrialLine};
pub use navigation::{Button, Gesture, Held, Navigation};
pub use notices::{Notice, NoticeAction, NoticeId, NoticeKind};
pub use palette::{PaletteAct, PaletteLine};
pub use panels::{
    Bar, ChainRow, CharacterPanel, MeshRow, Outliner, ProblemRow, RegionPanel, RegionRow, RoleRow,
    SpringPanel, Status, Transport, TreeRow,
};
pub use playback::Playback;
pub use posing::{PosePane, PosingCommand};
pub use preferences::{LibraryLook, Preferences, ThemeChoice};
pub use script::{ReplayError, Replayed, Script, ScriptError, replay};
pub use script_libraries::LibrariesMissing;
pub use session::{CameraPlace, Session};
pub use shade::{Legend, Shade};
pub use shares::ShareRow;
pub use shelf::{Shelf, ShelfHabits, ShelfOrder, ShelfQuery, ShelfSource, SourceLine, Tile};
pub use snapshot::{Shown, snapshot};
pub use state::{Studio, no_wake, samples};
pub use sweeping::TileFault;
pub use table::{Row, TABLE, UserCommand};
pub use tools::{BRUSH, Marking, Tool, ToolCommand, ToolPanel};
pub use trace::{TraceLine, TraceLines};
pub use tuning::SpringsOf;
pub use user_presets::PresetRow;
pub use workspace::Workspace;
