//! Workspaces: which panels stand around the viewport. They change nothing of the document.

use serde::{Deserialize, Serialize};

/// A set of panels for one kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Workspace {
    /// What was found, and what is done with it.
    #[default]
    Rig,
    /// The clip library, large.
    Motion,
    /// Strands of hair: picked, fitted, tuned, tried.
    Hair,
    /// As loaded, rigid and on chains, side by side.
    Compare,
    /// Which clips go out, how and where to.
    Export,
}

impl Workspace {
    /// All, in the order of their tabs.
    pub const ALL: [Self; 5] = [Self::Rig, Self::Motion, Self::Hair, Self::Compare, Self::Export];

    /// As it stands on its tab.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rig => "Rig",
            Self::Motion => "Motion",
            Self::Hair => "Hair",
            Self::Compare => "Compare",
            Self::Export => "Export",
        }
    }

    /// What it is for, for a tooltip.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Rig => "See what was found, overrule it, tune its springs",
            Self::Motion => "Browse the clip library on this character",
            Self::Hair => "Give picked strands bones, tune how hair swings, measure it",
            Self::Export => "Choose clips, bake the motion into them, write the file",
            Self::Compare => "As loaded, rigid and on a chain: same clip, same frame, one camera",
        }
    }
}
