//! Floor 9: the application without a screen: commands, jobs, playback, selection, notices, preferences, and what the
//! viewport and the panels show, as plain data.
//!
//! May use floors 0 to 8. Architecture invariant: no window, no graphics, no panel; everything here runs in a test.
//! The document changes only by [`Studio::apply`].

mod command;
mod evaluation;
mod jobs;
pub mod keymap;
mod notices;
mod panels;
mod playback;
mod preferences;
pub mod scene;
mod shown;
mod snapshot;
mod state;
mod table;
pub mod words;

pub use command::{Changes, Command, Edit, Overlay, PlayCommand, Selection};
pub use jobs::{JobId, JobKind, JobProgress, Wake};
pub use notices::{Notice, NoticeId, NoticeKind};
pub use panels::{
    Bar, ChainRow, MeshRow, Outliner, RegionPanel, RegionRow, SpringPanel, Status, Transport,
    TreeRow,
};
pub use playback::Playback;
pub use preferences::{Preferences, ThemeChoice};
pub use snapshot::{Shown, snapshot, stretch_paint};
pub use state::{Studio, no_wake, samples};
pub use table::{Row, TABLE, UserCommand};
