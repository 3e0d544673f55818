//! Everything that can be asked of the studio, as values.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::colliders::ColliderCommand;
use super::export::{ExportCommand, JointAxes, JointNaming};
use super::files::FileCommand;
use super::hair::HairCommand;
use super::jobs::JobId;
use super::making::ClipCommand;
use super::notices::NoticeId;
use super::posing::PosingCommand;
use super::shade::Shade;
use super::tools::ToolCommand;
use super::tuning::SpringsOf;
use super::workspace::Workspace;
use crate::detect::DetectSettings;
use crate::document::{ColliderEdit, ColliderRef, HairEdits, JointRef, RegionRef, StrandEdit};
use crate::model::{
    ColliderIndex, Facing, InstanceIndex, NodeIndex, RegionId, RetargetPoses, Role, SpringSettings,
    SurfaceVertex, Verdict,
};
use crate::perform::TestMotion;

/// What the screen must refresh after a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes(u8);

impl Changes {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// What was opened, or decided.
    pub const DOCUMENT: Self = Self(1);
    /// What is selected.
    pub const SELECTION: Self = Self(2);
    /// What the viewport shows.
    pub const SCENE: Self = Self(4);
    /// Messages to the user.
    pub const NOTICES: Self = Self(8);
    /// Another character, or another clip: frame it anew.
    pub const FRAMING: Self = Self(16);
    /// Which clips there are, and their places in the library.
    pub const LIBRARY: Self = Self(32);

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` is in this.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether anything is.
    pub const fn any(self) -> bool {
        self.0 != 0
    }
}

/// What the inspector is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Selection {
    /// Nothing.
    #[default]
    None,
    /// A region that was found.
    Region(RegionId),
    /// A chain, by its place.
    Chain(usize),
    /// A node of the skeleton.
    Joint(NodeIndex),
    /// A mesh on its node.
    Mesh(InstanceIndex),
    /// What hair is kept out of, by its place.
    Collider(ColliderIndex),
}

/// What a name of the user's goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Named {
    /// A region.
    Region(RegionId),
    /// A chain that was grown for a region, or one of its joints.
    Grown {
        /// Which region.
        region: RegionId,
        /// The chain's place among those of the region.
        chain: u32,
        /// The joint's place from the root, the end's last; none is the chain itself.
        joint: Option<u32>,
    },
    /// The chain of a picked strand, or one of its joints.
    Strand {
        /// The strand's place among the picked ones.
        strand: u32,
        /// The joint's place from the root, the end's last; none is the chain itself.
        joint: Option<u32>,
    },
}

/// A decision about the document; one step of its history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// How a region is treated; `None` leaves it to the program.
    Treatment {
        /// Which region.
        region: RegionId,
        /// What with it.
        verdict: Option<Verdict>,
    },
    /// Number of joints of a region's chain; `None` leaves it to the program.
    Joints {
        /// Which region.
        region: RegionId,
        /// How many.
        joints: Option<u32>,
    },
    /// The joint that a region hangs from; `None` leaves it to the program.
    Attachment {
        /// Which region.
        region: RegionId,
        /// Which joint.
        joint: Option<NodeIndex>,
    },
    /// The joints that share a region that is spread; none leaves it to the program.
    SharedBy {
        /// Which region.
        region: RegionId,
        /// Which joints.
        joints: Vec<NodeIndex>,
    },
    /// Number of strips of a region that is cut into strips; `None` leaves it to the program.
    Strips {
        /// Which region.
        region: RegionId,
        /// How many.
        strips: Option<u32>,
    },
    /// Axes of new joints.
    Axes(JointAxes),
    /// Names of new joints.
    Naming(JointNaming),
    /// Most influences of an edited vertex, 4 or 8.
    Influences(u32),
    /// Rings of body skin outside a collar that hand their weights over, 0 to 16.
    BlendRings(u32),
    /// Whether springs drive a chain that the file has already, or the clips; `None` leaves it to the program.
    Existing {
        /// Its name, that of its first joint.
        chain: String,
        /// Whether they do.
        driven: Option<bool>,
    },
    /// How such a chain swings; `None` as all others.
    ExistingSprings {
        /// Its name, that of its first joint.
        chain: String,
        /// How.
        settings: Option<SpringSettings>,
    },
    /// Marks and thresholds of detection; it runs again.
    Thresholds(DetectSettings),
    /// How a region's chain swings; `None` as all others.
    Springs {
        /// Which region.
        region: RegionId,
        /// How.
        settings: Option<SpringSettings>,
    },
    /// Skin made a region by hand, in place of others: none for a new one, itself for one that was painted.
    Region {
        /// Its skin.
        vertices: Vec<SurfaceVertex>,
        /// The regions it stands for.
        replaces: Vec<RegionId>,
    },
    /// A region cut into parts, each a region of its own.
    Split {
        /// Which region.
        region: RegionId,
        /// The skin of each part.
        parts: Vec<Vec<SurfaceVertex>>,
    },
    /// Regions made one.
    Merge {
        /// At least two.
        regions: Vec<RegionId>,
    },
    /// A region made by hand given up; what it stood for is found again.
    Unmake {
        /// Which region.
        region: RegionId,
    },
    /// Where the joints of a region's chain and their end stand, bind space, root to tip; none leaves it to the program.
    Places {
        /// Which region.
        region: RegionId,
        /// `[K + 1]`, metres.
        places: Vec<Vec3>,
    },
    /// Whether weights stay as they are where joints of a region's chain are moved.
    LockWeights {
        /// Which region.
        region: RegionId,
        /// Whether they do.
        locked: bool,
    },
    /// Which joint has a humanoid role.
    Role {
        /// Which role.
        role: Role,
        /// Whose it is.
        who: WhoIs,
    },
    /// Which axis of the file the character faces along; `None` leaves it to the program.
    Facing(Option<Facing>),
    /// The character's height, metres; `None` leaves it to the program.
    Height(Option<f32>),
    /// The poses that retargeting measures rotations from.
    Retarget(Box<RetargetPoses>),
    /// Roles and poses of a mapping profile.
    Mapping {
        /// Its text.
        profile: String,
    },
    /// A finding that the user has seen and wants no more of.
    Seen {
        /// Its code.
        code: String,
        /// What it concerns.
        subject: String,
    },
    /// A decision given up that this file no longer answers to.
    Forget(Forgotten),
    /// All decisions about hair.
    Hair(Box<HairEdits>),
    /// What a collider is; none brings back what it was, and takes away one that the user made.
    Collider {
        /// Which.
        which: ColliderRef,
        /// What it is.
        to: Option<Box<ColliderEdit>>,
    },
    /// What something is called, in the file too where that names joints.
    Rename {
        /// What.
        what: Named,
        /// What it was called: decisions that name the chain go on with it.
        was: String,
        /// What it is called; none as the program calls it.
        name: Option<String>,
    },
}

/// Whose a humanoid role is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhoIs {
    /// As the program finds it.
    Auto,
    /// No joint's.
    Nobody,
    /// That joint's.
    Joint(NodeIndex),
}

/// What decisions are given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Forgotten {
    /// All about a region that was found once, and the region, where it was made by hand.
    Region(Box<RegionRef>),
    /// All that name a joint.
    Joint(JointRef),
    /// All about a chain of the file, by the name of its first joint.
    Chain(String),
    /// A picked strand.
    Strand(Box<StrandEdit>),
}

/// What the transport does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlayCommand {
    /// Plays or pauses.
    Toggle,
    /// Forward (or back) by frames of 1/30 s, and pauses.
    Step(i32),
    /// To a time of the clip in seconds, and pauses.
    Scrub(f64),
    /// Plays a part of the clip round and round, seconds; `None` all of it.
    Range(Option<[f64; 2]>),
    /// Back to the start.
    Rewind,
    /// Slows (below 1) or hurries the clock, not the physics.
    Speed(f32),
    /// Another of the character's clips; `None` is its rest pose.
    Clip(Option<usize>),
    /// Springs at rest again, where they are.
    ResetSprings,
    /// Springs on or off.
    ToggleSprings,
    /// With or without the clip's way over the floor.
    ToggleInPlace,
    /// Clips that play once play again, or hold their last pose.
    ToggleRepeat,
    /// A walk: the character's own, else one of the library.
    Walk,
    /// Sweeps, turns, drops the body on top of what plays, to see its springs answer.
    Test(TestMotion),
}

/// What can be shown over the skin, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Overlay {
    /// Joints.
    Joints,
    /// Names of the joints that are drawn.
    JointNames,
    /// Regions tinted by the colour of their kind.
    Regions,
    /// Chains, at rest and as they swing.
    Chains,
    /// The selected region's eigen axes, as an ellipsoid.
    Extent,
    /// Legs and links as the springs see them.
    Colliders,
    /// The floor that chains lie on.
    Floor,
    /// The plane that chains stay behind.
    Behind,
    /// The largest stretch since the clip began, instead of the present one.
    PeakHold,
    /// The lines round materials that have some.
    Outlines,
    /// Those of hair, where lines are shown.
    HairOutlines,
}

/// Everything that can be asked of the studio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Opens a file, a project, or `sample:NAME`.
    Open(String),
    /// Opens what was dropped on the window, or adds it to the library, as what it is asks for.
    Drop(Vec<String>),
    /// Adds a file or a folder of clips to the library; reads it again where it is there.
    AddLibrary(String),
    /// Takes one of those out of the library.
    RemoveLibrary(String),
    /// Makes clips of others.
    Clips(ClipCommand),
    /// Plays the clips at these places of the library through, to find what is worst in them.
    Sweep(Vec<usize>),
    /// Plays the clip at a place of the library and goes to where it is worst.
    ShowWorst(usize),
    /// Saves, reloads, recovers, ends.
    File(FileCommand),
    /// Chooses clips, says how, exports.
    Export(ExportCommand),
    /// Selects.
    Select(Selection),
    /// Selects a region besides what is selected, or no longer: what is decided then goes for all of them.
    SelectAlso(RegionId),
    /// Takes a tool up, and works with it.
    Tool(ToolCommand),
    /// Shows every mesh again.
    ShowMeshes,
    /// Shows one mesh alone, or all again where it is alone already.
    Solo(InstanceIndex),
    /// Goes back or forth in the history to before the step of that place, the oldest 0.
    GoTo(usize),
    /// Decides something about the document.
    Edit(Edit),
    /// Copies a preset's springs onto a chain.
    ApplyPreset {
        /// Which chain.
        of: SpringsOf,
        /// Name of the preset.
        name: String,
    },
    /// Lets a chain swing by a preset without deciding anything; `None` ends that.
    PreviewPreset {
        /// Which chain.
        of: SpringsOf,
        /// Name of the preset.
        name: Option<String>,
    },
    /// Keeps a chain's springs as a preset of the user's.
    SavePreset {
        /// Which chain.
        of: SpringsOf,
        /// Name of the preset.
        name: String,
    },
    /// Throws a preset of the user's away.
    RemovePreset(String),
    /// Keeps springs for pasting.
    CopySprings(SpringSettings),
    /// Puts the copied springs onto a chain.
    PasteSprings {
        /// Which chain.
        of: SpringsOf,
    },
    /// Changes between two tunings of a chain; the first time both are the same.
    SwapSprings {
        /// Which chain.
        of: SpringsOf,
    },
    /// A drag begins: what is edited until [`Command::Commit`] is one step of the history.
    Begin(String),
    /// The drag ends.
    Commit,
    /// The drag is given up: back to where it began.
    Abort,
    /// Takes the last step back.
    Undo,
    /// Does it again.
    Redo,
    /// Plays, pauses, scrubs.
    Play(PlayCommand),
    /// Shows or hides an overlay.
    Toggle(Overlay),
    /// Draws skin in another way.
    Shade(Shade),
    /// Colours skin by the weights of a bone while the selection stays; again: skin is lit.
    ShowWeights(NodeIndex),
    /// Shows or hides a mesh.
    ToggleMesh(InstanceIndex),
    /// Stops a piece of work.
    Cancel(JobId),
    /// Puts a message away.
    Dismiss(NoticeId),
    /// Selects the next region, the most doubtful first.
    NextDoubtful,
    /// Other panels around the same document.
    Workspace(Workspace),
    /// Shows the three ways of the comparison side by side in any workspace but Hair, or the character alone again.
    ToggleSplit,
    /// Picks, fits and tries hair.
    Hair(HairCommand),
    /// Shows the editor of mapping and retarget pose.
    Posing(PosingCommand),
    /// Works on what hair is kept out of.
    Collider(ColliderCommand),
    /// Calls what is selected by another name; an empty one is that of the program.
    Rename(Selection, String),
}
