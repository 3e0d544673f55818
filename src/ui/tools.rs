//! The hand in the viewport: the bar of tools, the strokes they draw, the gizmo that moves a bone.

use egui::{Key, Modifiers, Pos2, Rect, Response, Stroke, Ui};
use glam::{Vec2, Vec3};

use super::Asked;
use super::theme::{Theme, color};
use super::viewport::{ViewportState, clip_position};
use crate::studio::scene::{Accent, Scene};
use crate::studio::{
    ColliderCommand, ColliderPart, Command, Marking, Shade, Tool, ToolCommand, ToolPanel,
};
use crate::view::{Eye, Gizmo, GizmoMode, Handle, PosedSkin, Reach, ScreenArea, SeenSkin};

/// What the hand is at, from frame to frame.
#[derive(Default)]
pub struct ToolHand {
    stroke: Option<Stroked>,
    grip: Option<Grip>,
    /// The part of a collider that was just taken hold of.
    held: Option<ColliderPart>,
    pointed: Option<Handle>,
    /// Where the viewport stood in the last frame: a press is told before the camera takes it.
    rect: Option<Rect>,
}

/// A box, a line or a brush on its way.
struct Stroked {
    how: Marking,
    path: Vec<Pos2>,
    /// The skin as it is seen; the pose may not change under a stroke, or it would be drawn on moving ground.
    seen: SeenSkin,
}

/// A handle that is held.
struct Grip {
    handle: Handle,
    /// Only along one axis, whatever handle is held.
    axis: Option<Handle>,
    gizmo: Gizmo,
    start: Pos2,
    /// Where the pointer was last.
    last: Pos2,
    /// How far it has been moved since.
    moved: Vec3,
    has_begun: bool,
}

/// What the tools work on.
pub struct Worked<'a> {
    /// What is shown.
    pub scene: &'a Scene,
    /// How skin is drawn: through x-ray tools always reach.
    pub shade: Shade,
    /// Tool and its settings.
    pub panel: &'a ToolPanel,
    /// Where the gizmo stands.
    pub gizmo: Option<Vec3>,
    /// Where a collider can be taken hold of; none where something else is selected.
    pub holds: Vec<(ColliderPart, Vec3)>,
}

impl Worked<'_> {
    /// The handles of the tool that is held, where they stand.
    fn handles(&self) -> Option<Gizmo> {
        let mode = match self.panel.tool {
            Tool::Move => GizmoMode::Move,
            Tool::Turn => GizmoMode::Turn,
            Tool::Scale => GizmoMode::Scale,
            _ => return None,
        };
        self.gizmo.map(|at| Gizmo::at(at).with(mode))
    }

    /// Where it can be taken hold of besides where the gizmo stands.
    fn other_holds(&self) -> impl Iterator<Item = (ColliderPart, Vec3)> + '_ {
        self.holds.iter().copied().filter(|(_, at)| Some(*at) != self.gizmo)
    }

    /// The end of a capsule under the pointer, or its middle, with a tool that moves.
    fn end_at(&self, state: &ViewportState, rect: Rect, p: Pos2) -> Option<(ColliderPart, Vec3)> {
        if self.panel.tool != Tool::Move {
            return None;
        }
        let (eye, size) = (state.eye(self.scene), size_of(rect));
        let is_near = |at: Vec3| {
            let at = eye.pixel(at, size);
            at.is_some_and(|at| at.distance(in_picture(rect, p)) <= END_REACH)
        };
        self.other_holds().find(|(_, at)| is_near(*at))
    }
}

/// How near the pointer must come to the end of a capsule, and how large the end is drawn, points.
const END_REACH: f32 = 9.0;
const END: f32 = 4.5;

impl ToolHand {
    /// Whether a stroke is on its way, or a handle held.
    pub const fn is_busy(&self) -> bool {
        self.stroke.is_some() || self.grip.is_some()
    }

    /// Whether drags of the left button are the tool's. Call before the camera is steered.
    pub fn takes_left(&mut self, ui: &Ui, state: &ViewportState, work: &Worked<'_>) -> bool {
        let (modifiers, pressed) = ui.input(|i| (i.modifiers, i.pointer.primary_pressed()));
        let pointer = ui.input(|i| i.pointer.interact_pos());
        if pressed && self.grip.is_none() {
            let at = pointer.zip(self.rect).filter(|(p, rect)| rect.contains(*p));
            let taken = at.and_then(|(p, rect)| grip(state, work, rect, p));
            (self.grip, self.held) = taken.map_or((None, None), |(grip, part)| (Some(grip), part));
        }
        self.grip.is_some() || work.panel.tool.takes_drags() && !modifiers.alt
    }

    /// Works with the tool that is held, and draws what it is at.
    pub fn work(
        &mut self,
        ui: &Ui,
        response: &Response,
        state: &ViewportState,
        work: &Worked<'_>,
        theme: &Theme,
        asked: &mut Asked,
    ) {
        let rect = response.rect;
        self.rect = Some(rect);
        self.drag_gizmo(ui, rect, state, work, asked);
        if work.panel.tool.takes_drags() {
            self.stroke(ui, response, state, work, asked);
        } else {
            self.stroke = None;
        }
        self.draw(ui, response, state, work, theme);
    }

    fn stroke(
        &mut self,
        ui: &Ui,
        response: &Response,
        state: &ViewportState,
        work: &Worked<'_>,
        asked: &mut Asked,
    ) {
        let tool = work.panel.tool;
        let modifiers = ui.input(|i| i.modifiers);
        let is_brush = tool == Tool::Brush;
        let is_click = is_brush && response.clicked();
        if (response.drag_started_by(egui::PointerButton::Primary) && !modifiers.alt) || is_click {
            let start = ui.input(|i| i.pointer.press_origin()).or(response.interact_pointer_pos());
            let size = size_of(response.rect);
            let eye = state.eye(work.scene);
            self.stroke = start.map(|start| Stroked {
                how: how(tool, modifiers),
                path: vec![start],
                seen: PosedSkin::of(work.scene).seen_by(&eye, size),
            });
            if is_brush {
                asked.push(Command::Tool(ToolCommand::Begin));
            }
        }
        let Some(stroked) = &mut self.stroke else { return };
        let reach = match work.panel.is_through || work.shade == Shade::XRay {
            true => Reach::Through,
            false => Reach::Visible,
        };
        let mut brushed = Vec::new();
        for pointer in ui.input(way) {
            let last = stroked.path.last().copied().unwrap_or(pointer);
            if is_brush {
                let path = [last, pointer].map(|p| in_picture(response.rect, p));
                let area = ScreenArea::Brush { path, radius: work.panel.radius };
                brushed.extend(stroked.seen.inside(&area, reach));
            }
            if last.distance(pointer) > 2.0 {
                stroked.path.push(pointer);
            }
        }
        if !brushed.is_empty() {
            let how = stroked.how;
            asked.push(Command::Tool(ToolCommand::Mark { vertices: brushed, how }));
        }
        if response.drag_stopped() || is_click {
            let Some(stroked) = self.stroke.take() else { return };
            match stroked.area(tool, response.rect) {
                Some(area) => {
                    let vertices = stroked.seen.inside(&area, reach);
                    let how = stroked.how;
                    asked.push(Command::Tool(ToolCommand::Mark { vertices, how }));
                }
                None => asked.push(Command::Tool(ToolCommand::End)),
            }
        } else if ui.input(|i| i.key_pressed(Key::Escape) || i.pointer.secondary_clicked()) {
            self.stroke = None;
            asked.push(Command::Tool(ToolCommand::Abort));
        }
    }

    /// Works on what is held: one drag is one step; X, Y and Z keep it on an axis, Escape and the right button give it up.
    fn drag_gizmo(
        &mut self,
        ui: &Ui,
        rect: Rect,
        state: &ViewportState,
        work: &Worked<'_>,
        asked: &mut Asked,
    ) {
        let pointer = ui.input(|i| i.pointer.latest_pos());
        self.pointed = match (&self.grip, work.handles().zip(pointer)) {
            (Some(grip), _) => Some(grip.axis.unwrap_or(grip.handle)),
            (None, Some((gizmo, p))) => hit(&gizmo, state, work.scene, rect, p),
            (None, None) => None,
        };
        if let Some(part) = self.held.take() {
            asked.push(Command::Collider(ColliderCommand::Hold(part)));
        }
        let Some(grip) = &mut self.grip else { return };
        let is_down = ui.input(|i| i.pointer.primary_down());
        let is_given_up = ui.input(|i| i.key_pressed(Key::Escape) || i.pointer.secondary_pressed());
        if !is_down || is_given_up {
            if grip.has_begun {
                asked.push(if is_given_up { Command::Abort } else { Command::Commit });
            }
            self.grip = None;
            return;
        }
        for (key, axis) in [(Key::X, Handle::X), (Key::Y, Handle::Y), (Key::Z, Handle::Z)] {
            if ui.input(|i| i.key_pressed(key)) && grip.gizmo.mode != GizmoMode::Scale {
                grip.axis = (grip.axis != Some(axis)).then_some(axis);
            }
        }
        let Some(pointer) = pointer else { return };
        let Some((label, command)) = grip.follow(rect, state, work, pointer) else { return };
        if !grip.has_begun {
            grip.has_begun = true;
            asked.push(Command::Begin(label.to_owned()));
        }
        asked.push(command);
    }

    fn draw(
        &self,
        ui: &Ui,
        response: &Response,
        state: &ViewportState,
        work: &Worked<'_>,
        theme: &Theme,
    ) {
        let painter = ui.painter().with_clip_rect(response.rect);
        let line = Stroke::new(1.5, color(theme.viewport.selected));
        let shadow = Stroke::new(3.0, color(theme.ui.window).gamma_multiply(0.6));
        if let (Tool::Brush, Some(pointer)) = (work.panel.tool, response.hover_pos()) {
            painter.circle_stroke(pointer, work.panel.radius, shadow);
            painter.circle_stroke(pointer, work.panel.radius, line);
        }
        if let Some(stroked) = &self.stroke {
            let corners = match (work.panel.tool, stroked.path.first(), stroked.path.last()) {
                (Tool::Box, Some(&a), Some(&b)) => {
                    let r = Rect::from_two_pos(a, b);
                    vec![r.left_top(), r.right_top(), r.right_bottom(), r.left_bottom()]
                }
                (Tool::Lasso, ..) => stroked.path.clone(),
                _ => Vec::new(),
            };
            if corners.len() > 2 {
                painter.add(egui::Shape::closed_line(corners.clone(), shadow));
                painter.add(egui::Shape::closed_line(corners, line));
            }
        }
        let Some(gizmo) = work.handles() else { return };
        // It goes with the hand; what it stands on may come a frame later.
        let at = self.grip.as_ref().map_or(gizmo.at, |grip| grip.gizmo.at + grip.moved);
        let gizmo = Gizmo { at, ..gizmo };
        let (eye, size) = (state.eye(work.scene), size_of(response.rect));
        if work.panel.tool == Tool::Move {
            for (_, end) in work.other_holds() {
                let Some(p) = eye.pixel(end, size) else { continue };
                let p = from_picture(response.rect, p);
                painter.circle_filled(p, END + 1.5, shadow.color);
                painter.circle_filled(p, END, line.color);
            }
        }
        draw_gizmo(&painter, response.rect, (&gizmo, &eye), self.pointed, theme);
    }
}

/// Draws handles over the picture in `rect`; the one that is `pointed` at stands out.
pub(super) fn draw_gizmo(
    painter: &egui::Painter,
    rect: Rect,
    (gizmo, eye): (&Gizmo, &Eye),
    pointed: Option<Handle>,
    theme: &Theme,
) {
    let (size, look) = (size_of(rect), &theme.viewport);
    let shadow = color(theme.ui.window).gamma_multiply(0.6);
    for mark in gizmo.marks(eye, (size, 1.0), pointed) {
        let on_screen = |p: &Vec3| eye.pixel(*p, size).map(|q| from_picture(rect, q));
        let points: Vec<Pos2> = mark.points.iter().filter_map(on_screen).collect();
        let tone = match mark.accent {
            Accent::AxisX => look.axes[0],
            Accent::AxisY => look.axes[1],
            Accent::AxisZ => look.axes[2],
            _ => look.selected,
        };
        painter.line(points.clone(), Stroke::new(4.5, shadow));
        painter.line(points, Stroke::new(2.5, color(tone)));
    }
}

/// Takes hold of what lies under a press: an end of a capsule, which is told, or a handle.
fn grip(
    state: &ViewportState,
    work: &Worked<'_>,
    rect: Rect,
    pointer: Pos2,
) -> Option<(Grip, Option<ColliderPart>)> {
    let gizmo = work.handles()?;
    let end = work.end_at(state, rect, pointer);
    let (gizmo, handle) = match end {
        Some((_, at)) => (Gizmo { at, ..gizmo }, Handle::Screen),
        None => (gizmo, hit(&gizmo, state, work.scene, rect, pointer)?),
    };
    let (start, last) = (pointer, pointer);
    let grip = Grip { handle, axis: None, gizmo, start, last, moved: Vec3::ZERO, has_begun: false };
    Some((grip, end.map(|(part, _)| part)))
}

impl Grip {
    /// What the way of the pointer to here asks for, and what the history calls the drag; `None` where it asks for
    /// nothing.
    fn follow(
        &mut self,
        rect: Rect,
        state: &ViewportState,
        work: &Worked<'_>,
        pointer: Pos2,
    ) -> Option<(&'static str, Command)> {
        let (eye, size) = (state.eye(work.scene), size_of(rect));
        let handle = self.axis.unwrap_or(self.handle);
        let way = [self.last, pointer].map(|p| in_picture(rect, p));
        match self.gizmo.mode {
            GizmoMode::Move => {
                let ray = |p: Pos2| state.ray(rect, p);
                let total = self.gizmo.drag(handle, (&ray(self.start), &ray(pointer)), &eye);
                let by = total - self.moved;
                if by.length() < 1e-6 || !by.is_finite() {
                    return None;
                }
                self.moved = total;
                Some(match work.holds.is_empty() {
                    true => ("move a bone", Command::Tool(ToolCommand::MoveJoint { by })),
                    false => ("move a collider", Command::Collider(ColliderCommand::Move { by })),
                })
            }
            GizmoMode::Turn => {
                let (axis, by_rad) = self.gizmo.turn(handle, way.into(), &eye, size);
                self.last = pointer;
                let command = ColliderCommand::Turn { axis, by_rad };
                let is_turn = by_rad.abs() > 1e-6 && by_rad.is_finite();
                is_turn.then_some(("turn a collider", Command::Collider(command)))
            }
            GizmoMode::Scale => {
                let by = self.gizmo.resize(way.into(), &eye, size);
                self.last = pointer;
                let is_change = (by - 1.0).abs() > 1e-6 && by.is_finite();
                let command = Command::Collider(ColliderCommand::Scale { by });
                is_change.then_some(("resize a collider", command))
            }
        }
    }
}

impl Stroked {
    /// What box and lasso go round; none for the brush, whose skin was marked on the way.
    fn area(&self, tool: Tool, rect: Rect) -> Option<ScreenArea> {
        let ends = || self.path.first().zip(self.path.last());
        match tool {
            Tool::Box => {
                let (a, b) = ends()?;
                Some(ScreenArea::Box(in_picture(rect, *a), in_picture(rect, *b)))
            }
            Tool::Lasso => {
                Some(ScreenArea::Lasso(self.path.iter().map(|&p| in_picture(rect, p)).collect()))
            }
            _ => None,
        }
    }
}

/// Where the pointer was in this frame while it was held, and where it is: on a slow machine a lasso is drawn in few
/// frames, and must not lose its corners.
fn way(input: &egui::InputState) -> Vec<Pos2> {
    let is_button = |event: &egui::Event, is_down: bool| {
        matches!(event, egui::Event::PointerButton { button: egui::PointerButton::Primary, pressed, .. }
            if *pressed == is_down)
    };
    let start = input.events.iter().rposition(|e| is_button(e, true)).map_or(0, |n| n + 1);
    let held = input.events.iter().skip(start).take_while(|e| !is_button(e, false));
    let moved = held.filter_map(|event| match event {
        egui::Event::PointerMoved(at) => Some(*at),
        _ => None,
    });
    moved.chain(input.pointer.interact_pos()).collect()
}

/// What a stroke does by what is held: Shift adds, Ctrl takes away; a brush always adds or takes.
const fn how(tool: Tool, modifiers: Modifiers) -> Marking {
    if modifiers.command {
        Marking::Take
    } else if modifiers.shift || matches!(tool, Tool::Brush) {
        Marking::Add
    } else {
        Marking::Replace
    }
}

/// The handle under a point of the window.
pub(super) fn hit(
    gizmo: &Gizmo,
    state: &ViewportState,
    scene: &Scene,
    rect: Rect,
    pointer: Pos2,
) -> Option<Handle> {
    gizmo.hit(&state.eye(scene), (size_of(rect), 1.0), in_picture(rect, pointer))
}

pub(super) fn size_of(rect: Rect) -> Vec2 {
    Vec2::new(rect.width(), rect.height())
}

/// A point of the window in points from the picture's bottom left.
pub(super) fn in_picture(rect: Rect, p: Pos2) -> Vec2 {
    (clip_position(rect, p) * 0.5 + 0.5) * size_of(rect)
}

/// The point of the window for one in points from the picture's bottom left.
fn from_picture(rect: Rect, p: Vec2) -> Pos2 {
    egui::pos2(rect.left() + p.x, rect.bottom() - p.y)
}
