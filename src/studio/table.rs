//! The table of commands: menus, buttons, keys and the key sheet are read from it.

use super::shade::Shade;
use super::tools::Tool;

/// What a user can ask for by name or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UserCommand {
    /// Opens a file by the system's dialog.
    Open,
    /// Adds a file of clips to the library by the system's dialog.
    AddClips,
    /// Saves the project.
    Save,
    /// Saves the project in another file.
    SaveAs,
    /// Saves what was done as a script.
    SaveScript,
    /// Reads the source again.
    Reload,
    /// Panels for exporting.
    ExportWorkspace,
    /// Exports, from its workspace.
    Export,
    /// The preferences.
    Preferences,
    /// Ends the program.
    Quit,
    /// Takes the last edit back.
    Undo,
    /// Does it again.
    Redo,
    /// Plays or pauses.
    PlayPause,
    /// A frame back.
    StepBack,
    /// A frame forward.
    StepForward,
    /// Ten frames back.
    LeapBack,
    /// Ten frames forward.
    LeapForward,
    /// To the start.
    Rewind,
    /// Springs at rest.
    ResetSprings,
    /// Springs on or off.
    ToggleSprings,
    /// Without the clip's way over the floor.
    ToggleInPlace,
    /// Clips that play once play again.
    ToggleRepeat,
    /// The camera on what is selected.
    FrameSelection,
    /// The camera on everything.
    FrameAll,
    /// From the front.
    ViewFront,
    /// From the side.
    ViewSide,
    /// From above.
    ViewTop,
    /// Without perspective.
    ViewOrthographic,
    /// Joints over the skin.
    ShowJoints,
    /// Regions in their colours.
    ShowRegions,
    /// Chains, at rest and swinging.
    ShowChains,
    /// Names of bones.
    ShowNames,
    /// The selected region's extent.
    ShowExtent,
    /// Colliders.
    ShowColliders,
    /// The floor of chains.
    ShowFloor,
    /// The plane of chains.
    ShowBehind,
    /// Stretch at its peak.
    HoldPeak,
    /// Lines round drawn materials.
    ShowOutlines,
    /// Those of hair.
    ShowHairOutlines,
    /// Draws skin in that way; the way it is drawn in asks for lit skin again.
    Shade(Shade),
    /// From behind.
    ViewBack,
    /// The camera goes round by itself.
    Turntable,
    /// The three ways side by side, in any workspace but Hair.
    SplitView,
    /// The next doubtful region.
    NextDoubtful,
    /// Dark or light.
    ToggleTheme,
    /// The sheet of keys.
    KeySheet,
    /// Selects nothing.
    SelectNone,
    /// Finds everything with a name.
    Palette,
    /// Panels for hair.
    HairWorkspace,
    /// Panels for rigging.
    RigWorkspace,
    /// Panels for browsing motion.
    MotionWorkspace,
    /// The editor of mapping and retarget pose.
    EditRetargetPose,
    /// Three ways side by side.
    CompareWorkspace,
    /// Shows or hides the clip library.
    ToggleLibrary,
    /// Takes a tool up.
    Tool(Tool),
    /// A smaller brush.
    BrushSmaller,
    /// A larger brush.
    BrushLarger,
    /// Marks on both sides.
    MirrorMarks,
    /// Tools reach through the skin in front.
    ReachThrough,
    /// A ring more is marked.
    GrowMarks,
    /// A ring less is marked.
    ShrinkMarks,
    /// A region of what is marked.
    NewRegion,
    /// What is marked is cut off the selected region.
    SplitRegion,
    /// Selected regions made one.
    MergeRegions,
    /// A region made by hand given up.
    UnmakeRegion,
    /// Hides the selected mesh.
    HideMesh,
    /// Shows all meshes, and colliders.
    ShowMeshes,
    /// Shows the selected mesh alone.
    SoloMesh,
    /// A sphere on the selected bone.
    AddSphere,
    /// A capsule along the selected bone.
    AddCapsule,
    /// Colliders mirrored.
    MirrorCollider,
    /// Colliders as thick as the skin.
    FitCollider,
    /// Colliders as they were.
    RestoreCollider,
    /// Another name.
    Rename,
    /// The list of steps.
    History,
    /// Panels as they were at first.
    ResetLayout,
    /// The loop begins here.
    RangeStart,
    /// The loop ends here.
    RangeEnd,
    /// The whole clip loops.
    RangeClear,
    /// The character as it was loaded, while its key is held.
    HoldBefore,
}

/// One command.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Stable name, for files and scripts.
    pub id: &'static str,
    /// The command.
    pub command: UserCommand,
    /// As it stands in a menu.
    pub text: &'static str,
    /// What it does, for a tooltip.
    pub about: &'static str,
    /// Its keys.
    pub keys: &'static [&'static str],
}

const fn row(
    id: &'static str,
    command: UserCommand,
    (text, about): (&'static str, &'static str),
    keys: &'static [&'static str],
) -> Row {
    Row { id, command, text, about, keys }
}

const fn shade(shade: Shade, id: &'static str, keys: &'static [&'static str]) -> Row {
    row(id, UserCommand::Shade(shade), (shade.name(), shade.about()), keys)
}

/// Every command, in the order of menus.
pub const TABLE: &[Row] = {
    use UserCommand as C;
    &[
        row(
            "open",
            C::Open,
            ("Open…", "Open a character (GLB, glTF, VRM) or a project"),
            &["Ctrl+O"],
        ),
        row(
            "add-clips",
            C::AddClips,
            (
                "Add clips…",
                "Add a file of clips to the library (GLB, glTF, VRM, VRMA, BVH, FBX); files and folders can be dropped on the window too",
            ),
            &["Ctrl+Shift+O"],
        ),
        row("save", C::Save, ("Save", "Save your decisions as a project"), &["Ctrl+S"]),
        row(
            "save-as",
            C::SaveAs,
            ("Save as…", "Save your decisions in another file"),
            &["Ctrl+Shift+S"],
        ),
        row(
            "save-script",
            C::SaveScript,
            ("Save steps as a script…", "What was done since opening, for `tailbone replay`"),
            &[],
        ),
        row(
            "reload",
            C::Reload,
            ("Reload character", "Read the file again; your decisions stay"),
            &["Ctrl+R"],
        ),
        row(
            "export",
            C::Export,
            ("Export…", "Choose clips and where to; there, export them"),
            &["Ctrl+E"],
        ),
        row(
            "preferences",
            C::Preferences,
            ("Preferences…", "Theme, sizes, camera, keys"),
            &["Ctrl+Comma"],
        ),
        row("quit", C::Quit, ("Quit", "Close Tailbone"), &["Ctrl+Q"]),
        row("undo", C::Undo, ("Undo", "Take the last edit back"), &["Ctrl+Z"]),
        row("redo", C::Redo, ("Redo", "Do it again"), &["Ctrl+Shift+Z", "Ctrl+Y"]),
        row(
            "next-doubtful",
            C::NextDoubtful,
            ("Next doubtful region", "Select the region whose treatment is nearest to flipping"),
            &["N"],
        ),
        row("select-none", C::SelectNone, ("Select nothing", "Clear the selection"), &["Escape"]),
        row("play", C::PlayPause, ("Play or pause", "Let the clip run, or hold it"), &["Space"]),
        row("step-back", C::StepBack, ("Step back", "One frame back in the loop"), &["ArrowLeft"]),
        row(
            "step-forward",
            C::StepForward,
            ("Step forward", "One frame forward in the loop"),
            &["ArrowRight"],
        ),
        row(
            "leap-back",
            C::LeapBack,
            ("Ten frames back", "Ten frames back in the loop"),
            &["Shift+ArrowLeft"],
        ),
        row(
            "leap-forward",
            C::LeapForward,
            ("Ten frames forward", "Ten frames forward in the loop"),
            &["Shift+ArrowRight"],
        ),
        row(
            "rewind",
            C::Rewind,
            ("To the start", "Back to the first frame, already in its swing"),
            &["Shift+Home"],
        ),
        row(
            "range-start",
            C::RangeStart,
            ("Loop from here", "The part that plays round and round begins at this moment"),
            &["Alt+["],
        ),
        row(
            "range-end",
            C::RangeEnd,
            ("Loop to here", "The part that plays round and round ends at this moment"),
            &["Alt+]"],
        ),
        row(
            "range-clear",
            C::RangeClear,
            ("Loop all", "The whole clip plays round and round"),
            &["Alt+Backspace"],
        ),
        row(
            "reset-springs",
            C::ResetSprings,
            ("Reset springs", "Springs at rest, at the first frame"),
            &["Shift+R"],
        ),
        row(
            "springs",
            C::ToggleSprings,
            ("Springs", "Show the clip with or without springs"),
            &["P"],
        ),
        row(
            "in-place",
            C::ToggleInPlace,
            ("In place", "Without the clip's way over the floor"),
            &["I"],
        ),
        row(
            "repeat",
            C::ToggleRepeat,
            ("Loop one-shots", "Clips that play once play again; else they hold their last pose"),
            &["O"],
        ),
        row(
            "frame",
            C::FrameSelection,
            ("Frame selection", "Bring what is selected into view"),
            &["F"],
        ),
        row(
            "frame-all",
            C::FrameAll,
            ("Frame all", "Bring the whole character into view"),
            &["Home"],
        ),
        row("view-front", C::ViewFront, ("Front", "Look at the face"), &["1"]),
        row("view-back", C::ViewBack, ("Back", "Look from behind"), &["Shift+1"]),
        row("view-side", C::ViewSide, ("Side", "Look from the left side"), &["3"]),
        row("view-top", C::ViewTop, ("Top", "Look from above"), &["7"]),
        row(
            "view-ortho",
            C::ViewOrthographic,
            ("Orthographic", "Look without perspective"),
            &["5"],
        ),
        row("joints", C::ShowJoints, ("Bones", "Show bones through the skin"), &["J"]),
        row("regions", C::ShowRegions, ("Regions", "Tint regions by their kind"), &["T"]),
        row(
            "chains",
            C::ShowChains,
            ("Chains", "Show chains at rest (dashed) and in motion (solid)"),
            &["Shift+C"],
        ),
        row("names", C::ShowNames, ("Bone names", "Write each bone's name"), &["Shift+J"]),
        row(
            "extent",
            C::ShowExtent,
            ("Eigen axes", "Show the selected region's extent as an ellipsoid"),
            &["E"],
        ),
        row(
            "colliders",
            C::ShowColliders,
            ("Colliders", "Show legs, links and colliders as the springs see them"),
            &["K"],
        ),
        row(
            "floor",
            C::ShowFloor,
            ("Floor of chains", "Show the floor that chains lie on"),
            &["Shift+F"],
        ),
        row(
            "behind",
            C::ShowBehind,
            ("Stay-behind plane", "Show the plane that chains stay behind"),
            &["Shift+B"],
        ),
        row(
            "peak",
            C::HoldPeak,
            ("Hold peaks", "In the stretch view: the most since the clip began"),
            &["Shift+P"],
        ),
        row(
            "outlines",
            C::ShowOutlines,
            ("Outlines", "Show the lines that MToon materials are drawn with"),
            &["Shift+O"],
        ),
        row(
            "hair-outlines",
            C::ShowHairOutlines,
            ("Outlines of hair", "Show them round hair too"),
            &["Alt+O"],
        ),
        shade(Shade::Lit, "shade-lit", &["Alt+1"]),
        shade(Shade::XRay, "x-ray", &["X", "Alt+2"]),
        shade(Shade::Wireframe, "wireframe", &["Z", "Alt+3"]),
        shade(Shade::Regions, "shade-regions", &["Alt+4"]),
        shade(Shade::Weights, "shade-weights", &["Alt+5"]),
        shade(Shade::SkeletonDistance, "shade-distance", &["Alt+6"]),
        shade(Shade::DrivenFrom, "shade-driven", &["Alt+7"]),
        shade(Shade::Stretch, "shade-stretch", &["Alt+8"]),
        row(
            "turntable",
            C::Turntable,
            ("Turntable", "Let the camera go round slowly"),
            &["Shift+T"],
        ),
        row(
            "split",
            C::SplitView,
            ("Split view", "As loaded, rigid and on a chain side by side (not in Hair)"),
            &["Alt+V"],
        ),
        row("workspace-hair", C::HairWorkspace, ("Hair", "Panels for hair"), &["Ctrl+5"]),
        row("workspace-rig", C::RigWorkspace, ("Rig", "Panels for rigging"), &["Ctrl+1"]),
        row(
            "workspace-motion",
            C::MotionWorkspace,
            ("Motion", "Panels for browsing the clip library"),
            &["Ctrl+2"],
        ),
        row(
            "retarget-pose",
            C::EditRetargetPose,
            (
                "Edit retarget pose…",
                "Which bone is which, and the pose that clips are measured from, beside their own skeleton",
            ),
            &[],
        ),
        row(
            "workspace-compare",
            C::CompareWorkspace,
            ("Compare", "As loaded, rigid and on a chain, side by side"),
            &["Ctrl+3"],
        ),
        row(
            "workspace-export",
            C::ExportWorkspace,
            ("Export workspace", "Panels for exporting"),
            &["Ctrl+4"],
        ),
        row("library", C::ToggleLibrary, ("Library", "Show or hide the clip library"), &["Ctrl+L"]),
        row(
            "palette",
            C::Palette,
            ("Find anything…", "Commands, clips, regions and bones by a few letters"),
            &["Ctrl+K", "F3"],
        ),
        row(
            "tool-select",
            C::Tool(Tool::Select),
            ("Select", "Clicks select, drags turn the camera; again: back to the last tool"),
            &["Q"],
        ),
        row("tool-box", C::Tool(Tool::Box), ("Box", "Drag a box round skin to mark it"), &["B"]),
        row(
            "tool-lasso",
            C::Tool(Tool::Lasso),
            ("Lasso", "Draw a line round skin to mark it"),
            &["L"],
        ),
        row(
            "tool-brush",
            C::Tool(Tool::Brush),
            ("Brush", "Paint skin into the selected region, with Ctrl out of it"),
            &["C"],
        ),
        row(
            "tool-tip",
            C::Tool(Tool::Tip),
            ("Region from its tip", "Click a tip: its region grows towards the body to the neck"),
            &["V"],
        ),
        row(
            "tool-root-tip",
            C::Tool(Tool::RootTip),
            ("Region from root and tip", "Click where it begins and where it ends"),
            &["Shift+V"],
        ),
        row(
            "tool-cut",
            C::Tool(Tool::Cut),
            ("Cut a region", "Click on the selected region where it is to be cut in two"),
            &["Shift+X"],
        ),
        row(
            "tool-move",
            C::Tool(Tool::Move),
            (
                "Move bones",
                "Drag bones of a chain, whose weights follow unless locked, or a collider and its ends",
            ),
            &["G"],
        ),
        row(
            "tool-turn",
            C::Tool(Tool::Turn),
            ("Turn collider", "Turn the selected collider about its middle"),
            &["R"],
        ),
        row(
            "tool-scale",
            C::Tool(Tool::Scale),
            ("Resize collider", "Make the selected collider thicker or thinner"),
            &["S"],
        ),
        row(
            "add-sphere",
            C::AddSphere,
            ("Add sphere", "A collider in the middle of the skin of the selected bone"),
            &["Shift+A"],
        ),
        row(
            "add-capsule",
            C::AddCapsule,
            ("Add capsule", "A collider along the selected bone, as thick as the skin round it"),
            &["Shift+D"],
        ),
        row(
            "mirror-collider",
            C::MirrorCollider,
            ("Mirror collider", "The same collider on the other side, or its partner there alike"),
            &["Shift+M"],
        ),
        row(
            "fit-collider",
            C::FitCollider,
            ("Fit to skin", "The selected collider as thick as the skin round it"),
            &["Shift+K"],
        ),
        row(
            "restore-collider",
            C::RestoreCollider,
            ("Bring collider back", "The selected collider as it was before you changed it"),
            &["Alt+K"],
        ),
        row("brush-smaller", C::BrushSmaller, ("Smaller brush", "A smaller brush"), &["["]),
        row("brush-larger", C::BrushLarger, ("Larger brush", "A larger brush"), &["]"]),
        row(
            "mirror-marks",
            C::MirrorMarks,
            ("Mirror", "What is marked or painted on one side is on the other too"),
            &["M"],
        ),
        row(
            "reach-through",
            C::ReachThrough,
            ("Reach through", "Tools reach through the skin in front; always so in x-ray"),
            &["Shift+Z"],
        ),
        row(
            "grow-marks",
            C::GrowMarks,
            ("Mark more", "A ring more of what is marked"),
            &["Shift+ArrowUp"],
        ),
        row(
            "shrink-marks",
            C::ShrinkMarks,
            ("Mark less", "A ring less of what is marked"),
            &["Shift+ArrowDown"],
        ),
        row(
            "new-region",
            C::NewRegion,
            ("New region", "What is marked becomes a region of its own"),
            &["Enter"],
        ),
        row(
            "split-region",
            C::SplitRegion,
            ("Split region", "What is marked is cut off the selected region"),
            &["Shift+Enter"],
        ),
        row(
            "merge-regions",
            C::MergeRegions,
            ("Merge regions", "All selected regions become one"),
            &["Ctrl+J"],
        ),
        row(
            "unmake-region",
            C::UnmakeRegion,
            (
                "Give up",
                "A region made by hand goes, and what it stood for comes back; so does a collider",
            ),
            &["Delete"],
        ),
        row(
            "hide-mesh",
            C::HideMesh,
            ("Hide", "Hide the selected collider, or the mesh of what is selected"),
            &["H"],
        ),
        row(
            "show-meshes",
            C::ShowMeshes,
            ("Show all", "Show every mesh and every collider again"),
            &["Alt+H"],
        ),
        row(
            "solo-mesh",
            C::SoloMesh,
            ("Solo", "Show the selected collider or mesh alone, or all again"),
            &["Slash"],
        ),
        row(
            "rename",
            C::Rename,
            ("Rename…", "Call the selected region, chain, collider or new bone by another name"),
            &["F2"],
        ),
        row(
            "history",
            C::History,
            ("History", "All steps by name; a click goes back or forth to one"),
            &["Ctrl+H"],
        ),
        row(
            "hold-before",
            C::HoldBefore,
            ("Before", "While its key is held: the character as it was loaded"),
            &["`"],
        ),
        row(
            "reset-layout",
            C::ResetLayout,
            ("Reset panels", "Panels of this workspace where they were at first"),
            &[],
        ),
        row("theme", C::ToggleTheme, ("Dark or light", "Change the theme"), &["Ctrl+T"]),
        row("keys", C::KeySheet, ("Keys", "Show all keys"), &["?"]),
    ]
};

impl UserCommand {
    /// Its row.
    pub fn row(self) -> &'static Row {
        // Every command stands in the table (tested); the first is a row like any other.
        TABLE.iter().find(|row| row.command == self).unwrap_or(&TABLE[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_own_row() {
        for row in TABLE {
            assert_eq!(row.command.row().id, row.id);
        }
    }
}
