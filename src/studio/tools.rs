//! Tools that work in the viewport: skin is marked by box, lasso and brush, made a region, cut and joined; regions grow
//! from a tip; joints of a chain are moved.
//!
//! What is marked and which tool is held belong to the session: they are never saved and never undone. What comes of
//! them is an [`Edit`], one for each stroke.

mod bones;
mod regions;

use std::collections::BTreeSet;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::command::{Changes, Edit, Overlay, PlayCommand, Selection};
use super::notices::NoticeKind;
use super::state::Studio;
use super::workspace::Workspace;
use crate::detect::mirrored;
use crate::geometry::selection::{grown, shrunk};
use crate::model::{RegionId, RegionKind, SurfaceVertex};

/// What a drag or a click in the viewport does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Tool {
    /// Clicks select, drags turn the camera.
    #[default]
    Select,
    /// Drags a box round skin.
    Box,
    /// Draws a line round skin.
    Lasso,
    /// Paints skin into the selected region, or out of it.
    Brush,
    /// A click on a tip makes the region that ends there.
    Tip,
    /// Two clicks, on root and tip, make the region between them.
    RootTip,
    /// A click cuts the selected region in two.
    Cut,
    /// Drags the selected joint of a chain, or a collider.
    Move,
    /// Turns the selected collider.
    Turn,
    /// Makes the selected collider thicker or thinner.
    Scale,
}

impl Tool {
    /// All, in the order of the bar.
    pub const ALL: [Self; 10] = [
        Self::Select,
        Self::Box,
        Self::Lasso,
        Self::Brush,
        Self::Tip,
        Self::RootTip,
        Self::Cut,
        Self::Move,
        Self::Turn,
        Self::Scale,
    ];

    /// Whether it works by handles on what is selected.
    pub const fn has_gizmo(self) -> bool {
        matches!(self, Self::Move | Self::Turn | Self::Scale)
    }

    /// Whether drags of the left button belong to it, not to the camera.
    pub const fn takes_drags(self) -> bool {
        matches!(self, Self::Box | Self::Lasso | Self::Brush)
    }

    /// Whether clicks on skin belong to it, not to the selection.
    pub const fn takes_clicks(self) -> bool {
        matches!(self, Self::Brush | Self::Tip | Self::RootTip | Self::Cut)
    }
}

/// How skin is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Marking {
    /// In place of what is marked.
    Replace,
    /// Besides it.
    Add,
    /// No longer.
    Take,
}

/// What tools are told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToolCommand {
    /// Another tool; the one that is held puts it away, and asked for again brings it back.
    Use(Tool),
    /// Size of the brush, points on the screen.
    Radius(f32),
    /// What is marked on one side is marked on the other too, or not.
    ToggleMirror,
    /// Tools reach through the skin in front, or not.
    ToggleThrough,
    /// A stroke begins.
    Begin,
    /// Skin under the tool.
    Mark {
        /// Any of it, in any order.
        vertices: Vec<SurfaceVertex>,
        /// What becomes of it.
        how: Marking,
    },
    /// The stroke ends: one step, where it painted a region.
    End,
    /// The stroke is given up.
    Abort,
    /// A click on skin.
    Pick(SurfaceVertex),
    /// A ring more of what is marked.
    Grow,
    /// A ring less.
    Shrink,
    /// What is marked is no longer; else the tool is put away; else nothing is selected.
    Escape,
    /// What is marked becomes a region of its own.
    NewRegion,
    /// What is marked goes to the selected region, or is taken from it.
    Join(Marking),
    /// What is marked of the selected region becomes a region of its own, and the rest another.
    SplitRegion,
    /// All selected regions become one.
    MergeRegions,
    /// The selected region, made by hand, is given up.
    UnmakeRegion,
    /// The selected joint of a chain moves, world, metres.
    MoveJoint {
        /// How far, since the last such command.
        by: Vec3,
    },
}

/// Sizes a brush may have, points.
pub const BRUSH: (f32, f32) = (4.0, 240.0);

/// What tools hold.
#[derive(Debug)]
pub(super) struct Tools {
    tool: Tool,
    last: Tool,
    radius: f32,
    is_mirrored: bool,
    is_through: bool,
    marked: BTreeSet<SurfaceVertex>,
    stroke: Option<Stroke>,
    root: Option<SurfaceVertex>,
    /// Skin of the region that the last edit makes: it is selected once it is there.
    pub(super) wanted: Option<Vec<SurfaceVertex>>,
    /// What strokes made of regions while a worker was busy with the change before: decided after that, one by one.
    parked: Vec<(Vec<SurfaceVertex>, Painted)>,
}

/// A stroke that has not ended.
#[derive(Debug)]
struct Stroke {
    before: BTreeSet<SurfaceVertex>,
    added: BTreeSet<SurfaceVertex>,
    taken: BTreeSet<SurfaceVertex>,
    paints: Option<Painted>,
}

/// The region that a stroke goes to.
#[derive(Clone, Copy, Debug)]
struct Painted {
    region: RegionId,
    /// Whether it is the one that the last edit makes, which is not there yet.
    is_wanted: bool,
}

impl Default for Tools {
    fn default() -> Self {
        Self {
            tool: Tool::Select,
            last: Tool::Lasso,
            radius: 28.0,
            is_mirrored: false,
            is_through: false,
            marked: BTreeSet::new(),
            stroke: None,
            root: None,
            wanted: None,
            parked: Vec::new(),
        }
    }
}

impl Tools {
    /// Another character: what was marked is not its skin.
    pub(super) fn forget(&mut self) {
        self.marked.clear();
        self.parked.clear();
        (self.stroke, self.root, self.wanted) = (None, None, None);
    }

    /// Gives up the last stroke that waits for a worker; whether there was one.
    pub(super) fn drop_parked(&mut self) -> bool {
        self.parked.pop().is_some()
    }

    /// What undo would take back of it.
    pub(super) fn parked_label(&self) -> Option<&'static str> {
        (!self.parked.is_empty()).then_some("paint a region")
    }

    /// Regions are others now: strokes that are on, or wait, go on with theirs. `wanted` is the one that was made.
    pub(super) fn follow(
        &mut self,
        wanted: Option<RegionId>,
        moved: &impl Fn(RegionId) -> Option<RegionId>,
    ) {
        let now = |painted: Painted| {
            let region = wanted.filter(|_| painted.is_wanted);
            let region = region.or_else(|| moved(painted.region));
            region.map(|region| Painted { region, is_wanted: false })
        };
        if let Some(stroke) = &mut self.stroke {
            stroke.paints = stroke.paints.and_then(now);
        }
        let parked = std::mem::take(&mut self.parked).into_iter();
        self.parked = parked.filter_map(|(skin, painted)| Some((skin, now(painted)?))).collect();
    }

    /// Skin that is marked.
    pub(super) fn marked(&self) -> &BTreeSet<SurfaceVertex> {
        &self.marked
    }
}

/// What the bar of tools shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolPanel {
    /// The tool that is held.
    pub tool: Tool,
    /// Size of the brush, points.
    pub radius: f32,
    /// Whether marks are mirrored.
    pub is_mirrored: bool,
    /// Whether tools reach through the skin in front.
    pub is_through: bool,
    /// Vertices that are marked.
    pub n_marked: usize,
    /// Name of the selected region.
    pub region: Option<String>,
    /// Whether what is marked can become a region; else it is the skin of a strand.
    pub makes_regions: bool,
    /// Number of regions that are selected.
    pub n_regions: usize,
    /// What to do next, in a few words.
    pub hint: String,
}

impl Studio {
    /// The tool that is held.
    pub fn tool(&self) -> Tool {
        self.tools.tool
    }

    /// The bar of tools.
    pub fn tool_panel(&self) -> ToolPanel {
        let tools = &self.tools;
        let makes_regions = self.workspace != Workspace::Hair;
        ToolPanel {
            tool: tools.tool,
            radius: tools.radius,
            is_mirrored: tools.is_mirrored,
            is_through: tools.is_through,
            n_marked: if tools.stroke.is_some() { 0 } else { tools.marked.len() },
            region: self.selected_region_name().filter(|_| makes_regions),
            makes_regions,
            n_regions: self.selected_regions().len(),
            hint: self.tool_hint(),
        }
    }

    fn tool_hint(&self) -> String {
        let region = self.selected_region_name();
        match (self.tools.tool, region) {
            (Tool::Select, _) => String::new(),
            (Tool::Box | Tool::Lasso, _) => "Shift adds, Ctrl takes away".to_owned(),
            (Tool::Brush, _) if self.workspace == Workspace::Hair => {
                "Paint the skin of a strand; Ctrl takes away".to_owned()
            }
            (Tool::Brush, Some(name)) => format!("Paint into {name}; Ctrl paints out of it"),
            (Tool::Brush, None) => "Paint; Ctrl takes away".to_owned(),
            (Tool::Tip, _) => "Click the tip: its region grows towards the body".to_owned(),
            (Tool::RootTip, _) if self.tools.root.is_some() => "Now click the tip".to_owned(),
            (Tool::RootTip, _) => "Click where it begins, then its tip".to_owned(),
            (Tool::Cut, Some(name)) => format!("Click where {name} is cut in two"),
            (Tool::Cut, None) => "Select the region to cut first".to_owned(),
            (Tool::Move, _) if self.collider_holds().len() > 1 => {
                "Drag an arrow or the square, or an end of the capsule".to_owned()
            }
            (Tool::Move, _) if self.gizmo_at().is_some() => {
                "Drag an arrow or the square".to_owned()
            }
            (Tool::Move, _) => "Click a bone of a chain, or a collider".to_owned(),
            (Tool::Turn | Tool::Scale, _) if self.collider_holds().is_empty() => {
                "Click a collider".to_owned()
            }
            (Tool::Turn, _) => "Drag a ring; X, Y and Z turn about one axis".to_owned(),
            (Tool::Scale, _) => "Drag the ring to make it thicker or thinner".to_owned(),
        }
    }

    /// Does what a tool is told.
    pub(super) fn use_tool(&mut self, command: ToolCommand) -> Changes {
        use ToolCommand as T;
        if matches!(command, T::NewRegion | T::Join(_) | T::SplitRegion)
            && let Some(changes) = self.wait_for_rig()
        {
            // What is marked stays.
            return changes;
        }
        match command {
            ToolCommand::Use(tool) => self.take_tool(tool),
            ToolCommand::Radius(radius) if radius.is_finite() => {
                self.tools.radius = radius.clamp(BRUSH.0, BRUSH.1);
                Changes::SCENE
            }
            ToolCommand::Radius(_) => Changes::NONE,
            ToolCommand::ToggleMirror => {
                self.tools.is_mirrored = !self.tools.is_mirrored;
                Changes::SCENE
            }
            ToolCommand::ToggleThrough => {
                self.tools.is_through = !self.tools.is_through;
                Changes::SCENE
            }
            ToolCommand::Begin => self.begin_stroke(),
            ToolCommand::Mark { vertices, how } => self.mark(vertices, how),
            ToolCommand::End => self.end_stroke(),
            ToolCommand::Abort => {
                if let Some(stroke) = self.tools.stroke.take() {
                    self.tools.marked = stroke.before;
                }
                self.marks_changed()
            }
            ToolCommand::Pick(vertex) => self.pick_vertex(vertex),
            ToolCommand::Grow => self.resize_marks(grown),
            ToolCommand::Shrink => self.resize_marks(shrunk),
            ToolCommand::Escape => self.escape(),
            ToolCommand::NewRegion => {
                let vertices = self.take_marks();
                match vertices.is_empty() {
                    true => self.notice(NoticeKind::Info, "Mark the skin of the new region first"),
                    false => self.make(vertices, Vec::new()),
                }
            }
            ToolCommand::Join(how) => self.join(how),
            ToolCommand::SplitRegion => self.split(),
            ToolCommand::MergeRegions => {
                let regions = self.selected_regions();
                match regions.len() {
                    0 | 1 => self.notice(NoticeKind::Info, "Select the regions to merge first"),
                    _ => self.edit(&Edit::Merge { regions }),
                }
            }
            ToolCommand::UnmakeRegion => {
                match self.selected_region().filter(|r| r.made.is_some()).map(|r| r.id) {
                    Some(region) => self.edit(&Edit::Unmake { region }),
                    None => {
                        let text = "Select a region that was made by hand first";
                        self.notice(NoticeKind::Info, text)
                    }
                }
            }
            ToolCommand::MoveJoint { by } => self.move_joint(by),
        }
    }

    fn take_tool(&mut self, tool: Tool) -> Changes {
        let tools = &mut self.tools;
        tools.root = None;
        let wanted = match (tool == tools.tool, tool) {
            (true, Tool::Select) => tools.last,
            (true, _) => Tool::Select,
            (false, tool) => tool,
        };
        if tools.tool != Tool::Select {
            tools.last = tools.tool;
        }
        tools.tool = wanted;
        // Bones that move cannot be caught.
        if wanted.has_gizmo() && self.is_playing() {
            self.play(PlayCommand::Toggle);
        }
        // Nor can what is not seen.
        if matches!(wanted, Tool::Turn | Tool::Scale) {
            self.overlays.insert(Overlay::Colliders);
        }
        self.rebuild_overlays();
        Changes::SELECTION.and(Changes::SCENE)
    }

    fn begin_stroke(&mut self) -> Changes {
        // In the Hair workspace a brush picks skin for a strand.
        let paints = self.tools.tool == Tool::Brush && self.workspace != Workspace::Hair;
        let region = self.selected_region().filter(|r| paints && r.kind != RegionKind::Body);
        let painted = region.map(|r| {
            let parked = self.tools.parked.iter().find(|(_, painted)| painted.region == r.id);
            match (parked, &self.tools.wanted) {
                // What the hand did last, though it is not shown yet.
                (Some((skin, painted)), _) => (*painted, skin.clone()),
                (None, Some(skin)) => (Painted { region: r.id, is_wanted: true }, skin.clone()),
                (None, None) => (Painted { region: r.id, is_wanted: false }, r.vertices.clone()),
            }
        });
        let tools = &mut self.tools;
        let before = std::mem::take(&mut tools.marked);
        let paints = painted.as_ref().map(|(painted, _)| *painted);
        tools.marked = match painted {
            Some((_, skin)) => skin.into_iter().collect(),
            None => before.clone(),
        };
        let (added, taken) = (BTreeSet::new(), BTreeSet::new());
        tools.stroke = Some(Stroke { before, added, taken, paints });
        Changes::SCENE
    }

    pub(super) fn mark(&mut self, vertices: Vec<SurfaceVertex>, how: Marking) -> Changes {
        let n = self.evaluated().map_or(0, |e| e.detection.surface.n_vertices());
        let mut vertices: Vec<SurfaceVertex> =
            vertices.into_iter().filter(|v| v.index() < n).collect();
        // A stroke is mirrored once, when it ends.
        if self.tools.is_mirrored && self.tools.stroke.is_none() {
            self.mirror(&mut vertices);
        }
        let tools = &mut self.tools;
        match how {
            Marking::Replace => tools.marked = vertices.into_iter().collect(),
            Marking::Add => {
                if let Some(stroke) = &mut tools.stroke {
                    stroke.added.extend(&vertices);
                }
                tools.marked.extend(vertices);
            }
            Marking::Take => {
                if let Some(stroke) = &mut tools.stroke {
                    stroke.taken.extend(&vertices);
                }
                vertices.iter().for_each(|v| {
                    tools.marked.remove(v);
                });
            }
        }
        self.marks_changed()
    }

    fn mirror(&self, vertices: &mut Vec<SurfaceVertex>) {
        if let Some(evaluated) = self.evaluated() {
            vertices.extend(mirrored(&evaluated.detection, vertices));
        }
    }

    fn end_stroke(&mut self) -> Changes {
        let Some(stroke) = self.tools.stroke.take() else { return Changes::NONE };
        if self.tools.is_mirrored {
            let mut added: Vec<_> = stroke.added.iter().copied().collect();
            let mut taken: Vec<_> = stroke.taken.iter().copied().collect();
            self.mirror(&mut added);
            self.mirror(&mut taken);
            self.tools.marked.extend(added);
            taken.iter().for_each(|v| {
                self.tools.marked.remove(v);
            });
        }
        let Some(painted) = stroke.paints else { return self.marks_changed() };
        let skin = std::mem::replace(&mut self.tools.marked, stroke.before);
        let changes = self.marks_changed();
        if stroke.added.is_empty() && stroke.taken.is_empty() {
            return changes;
        }
        self.tools.parked.retain(|(_, other)| other.region != painted.region);
        self.tools.parked.push((skin.into_iter().collect(), painted));
        changes.and(self.paint_parked())
    }

    /// Decides what the last stroke painted, unless it must wait: its region may not be there yet.
    pub(super) fn paint_parked(&mut self) -> Changes {
        if self.tools.parked.is_empty() || self.is_behind() {
            return Changes::NONE;
        }
        let (skin, Painted { region, .. }) = self.tools.parked.remove(0);
        let changes = self.make(skin, vec![region]);
        if self.selected_region().is_none_or(|selected| selected.id != region) {
            // The hand has gone on to another.
            self.tools.wanted = None;
        }
        changes
    }

    fn marks_changed(&mut self) -> Changes {
        self.rebuild_paint();
        if self.tools.stroke.is_some() {
            return Changes::SCENE;
        }
        Changes::SCENE.and(self.follow_marks())
    }

    fn take_marks(&mut self) -> Vec<SurfaceVertex> {
        let marks = std::mem::take(&mut self.tools.marked);
        self.marks_changed();
        marks.into_iter().collect()
    }

    fn resize_marks(
        &mut self,
        resize: fn(&crate::geometry::Topology, &[SurfaceVertex], u32) -> Vec<SurfaceVertex>,
    ) -> Changes {
        if self.tools.marked.is_empty() {
            return self.notice(NoticeKind::Info, "Mark some skin first");
        }
        let Some(evaluated) = self.evaluated() else { return Changes::NONE };
        let marked: Vec<_> = self.tools.marked.iter().copied().collect();
        let resized = resize(&evaluated.detection.topology, &marked, 1);
        self.tools.marked = resized.into_iter().collect();
        self.marks_changed()
    }

    fn escape(&mut self) -> Changes {
        if self.tools.stroke.is_some() {
            return self.use_tool(ToolCommand::Abort);
        }
        if self.history.is_dragging() {
            return self.abort();
        }
        if self.tools.root.take().is_some() {
            return Changes::SELECTION;
        }
        if !self.tools.marked.is_empty() {
            self.take_marks();
            return Changes::SCENE;
        }
        if self.tools.tool != Tool::Select {
            return self.take_tool(Tool::Select);
        }
        self.select(Selection::None)
    }
}
