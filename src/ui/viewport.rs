//! The viewport: the camera's habits, the picture, and what floats over it.

use std::sync::{Arc, OnceLock};

use eframe::egui_glow;
use egui::{Modifiers, PointerButton, Rect, Response, Sense, TextStyle, Ui, WidgetInfo};
use glam::Vec2;

use super::theme::{Theme, color};
use crate::studio::scene::{Bounds, LabelMark, Scene, is_heavy};
use crate::studio::{Button, CameraPlace, Gesture, Held, Navigation, Selection};
use crate::view::{self, Eye, OrbitCamera, PixelRect, Pointed, Ray, Under, ViewDirection};

/// Seconds that the pointer rests before it is looked what lies under it: skin is not searched on its way.
const REST: f32 = 0.12;

/// Share of the way that a moving camera goes in a sixtieth of a second.
const GLIDE: f32 = 0.22;

/// How fast the turntable turns, in radians a second.
const TURNTABLE: f32 = 0.35;

/// Where the camera is, and where it goes.
#[derive(Clone, Debug, Default)]
pub struct ViewportState {
    camera: OrbitCamera,
    goal: Option<OrbitCamera>,
    aspect: f32,
    /// What was framed, until a hand moves the camera.
    framed: Option<Bounds>,
    /// Share of the picture's height that is covered, from below.
    covered: f32,
    /// What drags do.
    pub navigation: Navigation,
    is_turning: bool,
    /// Whether drags of the left button belong to a tool.
    pub left_is_taken: bool,
    resting: Option<Resting>,
    clicked: Option<Clicked>,
    /// The camera of the last frame.
    was: OrbitCamera,
    /// Whether the graphics card draws here; without one a plain rectangle stands for the picture.
    pub has_gpu: bool,
}

/// What lies under a point, once it is known.
type Found = Arc<OnceLock<Under>>;

/// What the pointer rests on.
#[derive(Clone, Debug)]
struct Resting {
    at: egui::Pos2,
    under: Found,
}

/// A click whose meaning is being looked for, with the keys that were held.
#[derive(Clone, Debug)]
struct Clicked {
    under: Found,
    held: Modifiers,
}

impl ViewportState {
    /// The camera as it is.
    pub fn camera(&self) -> &OrbitCamera {
        &self.camera
    }

    /// Where the camera is, or is on its way to, for the next time.
    pub fn place(&self) -> CameraPlace {
        let OrbitCamera { target, yaw, pitch, distance, is_orthographic } =
            self.goal.unwrap_or(self.camera);
        CameraPlace { target: target.to_array(), yaw, pitch, distance, is_orthographic }
    }

    /// At once to a place.
    pub fn jump_to_place(&mut self, place: CameraPlace) {
        let CameraPlace { target, yaw, pitch, distance, is_orthographic } = place;
        let target = glam::Vec3::from_array(target);
        self.camera = OrbitCamera { target, yaw, pitch, distance, is_orthographic };
        (self.goal, self.framed) = (None, None);
    }

    /// The camera with its projection, for a picture of `scene`.
    pub fn eye(&self, scene: &Scene) -> Eye {
        self.camera.eye(self.aspect, scene.bounds.map_or(1.0, |b| b.radius()))
    }

    /// From the eye through a point of the window.
    pub fn ray(&self, rect: Rect, pointer: egui::Pos2) -> Ray {
        self.camera.ray(clip_position(rect, pointer), self.aspect)
    }

    /// Whether the turntable runs.
    pub fn is_turning(&self) -> bool {
        self.is_turning
    }

    /// Lets the camera go round by itself, or stops it.
    pub fn toggle_turntable(&mut self) {
        self.is_turning = !self.is_turning;
    }

    fn turn(&mut self, dt_secs: f32) {
        let by = |camera: &mut OrbitCamera| {
            // A drag of the picture's height is half a turn.
            let delta = -TURNTABLE * dt_secs.min(0.1) / std::f32::consts::PI;
            camera.orbit(Vec2::new(delta, 0.0));
        };
        by(&mut self.camera);
        self.goal.iter_mut().for_each(by);
    }

    fn steer(&mut self, change: impl FnOnce(&mut OrbitCamera, f32)) {
        let mut goal = self.goal.unwrap_or(self.camera);
        change(&mut goal, self.aspect.max(0.1));
        self.goal = Some(goal);
    }

    /// Glides until `bounds` is in view.
    pub fn frame(&mut self, bounds: &Bounds) {
        let free = 1.0 - self.covered;
        self.steer(|camera, aspect| camera.frame(bounds, aspect, free));
        self.framed = Some(*bounds);
    }

    /// At once on another character.
    pub fn jump_to(&mut self, bounds: &Bounds) {
        self.camera = OrbitCamera::default();
        self.camera.look_from(ViewDirection::ThreeQuarter);
        self.camera.frame(bounds, self.aspect.max(0.5), 1.0 - self.covered);
        (self.goal, self.framed) = (None, Some(*bounds));
    }

    /// Something covers the lower `share` of the picture's height, or no longer: what was framed glides into what is left.
    pub fn cover(&mut self, share: f32) {
        if (share - self.covered).abs() < 0.01 {
            return;
        }
        self.covered = share;
        if let Some(bounds) = self.framed {
            self.frame(&bounds);
        }
    }

    /// Glides to a direction.
    pub fn look_from(&mut self, direction: ViewDirection) {
        self.steer(|camera, _| camera.look_from(direction));
    }

    /// With or without perspective.
    pub fn toggle_orthographic(&mut self) {
        self.camera.is_orthographic = !self.camera.is_orthographic;
        if let Some(goal) = &mut self.goal {
            goal.is_orthographic = self.camera.is_orthographic;
        }
    }

    /// Goes on gliding; whether it is still on the way.
    fn glide(&mut self, dt_secs: f32) -> bool {
        let Some(goal) = self.goal else { return false };
        let left = (1.0 - GLIDE).powi((dt_secs * 60.0).round().clamp(1.0, 10.0) as i32);
        self.camera = self.camera.towards(&goal, 1.0 - left);
        let near = self.camera.target.distance(goal.target) < goal.distance * 1e-3
            && (self.camera.distance - goal.distance).abs() < goal.distance * 1e-3
            && self.camera.backward().distance(goal.backward()) < 1e-3;
        if near {
            self.camera = goal;
            self.goal = None;
        }
        !near
    }

    fn steer_by_hand(&mut self, ui: &Ui, response: &Response) {
        let rect = response.rect;
        let height = rect.height().max(1.0);
        let delta = response.drag_delta() / height;
        let delta = Vec2::new(delta.x, delta.y);
        let held = ui.input(|i| i.modifiers);
        let held = Held { shift: held.shift, ctrl: held.command, alt: held.alt };
        let buttons = [
            (PointerButton::Primary, Button::Left),
            (PointerButton::Middle, Button::Middle),
            (PointerButton::Secondary, Button::Right),
        ];
        let is_free = |b: &PointerButton| !self.left_is_taken || *b != PointerButton::Primary;
        let dragged = buttons.into_iter().find(|(b, _)| response.dragged_by(*b) && is_free(b));
        let gesture = dragged.and_then(|(_, button)| self.navigation.gesture(button, held));
        if let (Some(gesture), true) = (gesture, delta != Vec2::ZERO) {
            (self.goal, self.framed) = (None, None);
            match gesture {
                Gesture::Orbit => self.camera.orbit(delta),
                Gesture::Pan => self.camera.pan(delta),
                Gesture::Zoom => {
                    let factor = crate::math::ops::exp(delta.y * 2.0);
                    self.camera.zoom(factor, Vec2::ZERO, self.aspect);
                }
            }
        }
        if let Some(pointer) = response.hover_pos() {
            let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta.y, i.zoom_delta()));
            let factor = crate::math::ops::exp(-scroll * 0.0025) / pinch.max(0.1);
            if factor != 1.0 {
                (self.goal, self.framed) = (None, None);
                self.camera.zoom(factor, clip_position(rect, pointer), self.aspect);
            }
        }
    }

    /// A point of the window as scenes are compared with it: the eye, the picture's size, the point, the ray.
    fn pointed_through(
        &self,
        scene: &Scene,
        rect: Rect,
        pointer: egui::Pos2,
    ) -> (Eye, Vec2, Vec2, Ray) {
        let size = Vec2::new(rect.width(), rect.height());
        let at = clip_position(rect, pointer);
        (self.eye(scene), size, (at * 0.5 + 0.5) * size, self.camera.ray(at, self.aspect))
    }

    /// What is drawn over the skin under a point of the window.
    pub(super) fn drawn_under(
        &self,
        scene: &Scene,
        rect: Rect,
        pointer: egui::Pos2,
    ) -> Option<Selection> {
        let (eye, size, at, ray) = self.pointed_through(scene, rect, pointer);
        Pointed { eye: &eye, size, at, ray }.drawn(scene)
    }

    /// What lies under a point of the window: at once, or under skin of many vertices when a thread has found it, which
    /// then wakes the window.
    fn look_under(
        &self,
        ctx: &egui::Context,
        scene: &Scene,
        rect: Rect,
        pointer: egui::Pos2,
    ) -> Found {
        let (eye, size, at, ray) = self.pointed_through(scene, rect, pointer);
        let look = move |scene: &Scene| Pointed { eye: &eye, size, at, ray }.under(scene);
        if !is_heavy(&scene.character) {
            return Arc::new(look(scene).into());
        }
        let found = Found::default();
        let (slot, scene, ctx) = (found.clone(), scene.clone(), ctx.clone());
        let looks = std::thread::Builder::new().name("picking".into()).spawn(move || {
            // Nobody else fills it.
            let _ = slot.set(look(&scene));
            ctx.request_repaint();
        });
        if looks.is_err() {
            // There is no thread; nothing lies there.
            let _ = found.set(Under::default());
        }
        found
    }

    /// What the last click meant, with the keys that were held, once that is known.
    fn take_clicked(&mut self) -> Option<(Under, Modifiers)> {
        let clicked = self.clicked.take()?;
        match clicked.under.get() {
            Some(under) => Some((*under, clicked.held)),
            None => {
                self.clicked = Some(clicked);
                None
            }
        }
    }

    /// Looks what lies under a pointer that rests; once, until it or the camera moves, and not while that is moving.
    fn hover(&mut self, ui: &Ui, response: &Response, scene: &Scene) {
        let moves = std::mem::replace(&mut self.was, self.camera) != self.camera;
        let pointer = response.hover_pos().filter(|_| !ui.input(|i| i.pointer.any_down()));
        let Some(at) = pointer else {
            self.resting = None;
            return;
        };
        if self.resting.as_ref().is_some_and(|r| r.at == at && !moves) {
            return;
        }
        self.resting = None;
        let still = ui.input(|i| i.pointer.time_since_last_movement());
        if still < REST || moves {
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f32(REST));
            return;
        }
        let under = self.look_under(ui.ctx(), scene, response.rect, at);
        self.resting = Some(Resting { at, under });
    }

    /// Forgets clicks and rests whose answers are on the way: what they ask about is no longer shown.
    pub fn forget_pointed(&mut self) {
        (self.clicked, self.resting) = (None, None);
    }

    /// What the pointer rests on, and where that is.
    pub fn pointed(&self) -> Option<(egui::Pos2, Under)> {
        self.resting.as_ref().and_then(|resting| Some((resting.at, *resting.under.get()?)))
    }
}

/// Says beside the pointer what a click there would mean.
pub fn pointed_ui(ui: &Ui, rect: Rect, at: egui::Pos2, text: &str, theme: &Theme) {
    let painter = ui.painter().with_clip_rect(rect);
    let font = TextStyle::Small.resolve(ui.style());
    let tone = color(theme.ui.text_strong);
    let galley = painter.layout_no_wrap(text.to_owned(), font, tone);
    let room = galley.size() + egui::vec2(10.0, 6.0);
    let mut area = Rect::from_min_size(at + egui::vec2(14.0, 14.0), room);
    if area.right() > rect.right() {
        area = area.translate(egui::vec2(-room.x - 28.0, 0.0));
    }
    if area.bottom() > rect.bottom() {
        area = area.translate(egui::vec2(0.0, -room.y - 28.0));
    }
    painter.rect_filled(area, 4.0, color(theme.ui.window).gamma_multiply(0.85));
    painter.galley(area.min + egui::vec2(5.0, 3.0), galley, tone);
}

/// A point of the window as the camera counts: (-1, -1) bottom left of `rect` to (1, 1).
pub(super) fn clip_position(rect: Rect, p: egui::Pos2) -> Vec2 {
    let d = (p - rect.center()) / (rect.size() * 0.5);
    Vec2::new(d.x, -d.y)
}

/// Draws the viewport over all of `ui`; how the pointer met it, and what lay under a click, with the keys that were held.
pub fn viewport_ui(
    ui: &mut Ui,
    state: &mut ViewportState,
    scene: &Scene,
    theme: &Theme,
) -> (Response, Option<(Under, Modifiers)>) {
    let response = camera_ui(ui, state, ui.available_size());
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        let under = state.look_under(ui.ctx(), scene, response.rect, pointer);
        state.clicked = Some(Clicked { under, held: ui.input(|i| i.modifiers) });
    }
    let picked = state.take_clicked();
    state.hover(ui, &response, scene);
    picture_ui(ui, response.rect, state, scene, theme);
    (response, picked)
}

/// Takes all of `ui` and moves the camera as hands move over it. `picture` is the size of one picture there.
pub(super) fn camera_ui(ui: &mut Ui, state: &mut ViewportState, picture: egui::Vec2) -> Response {
    let (_, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "3D viewport"));
    state.aspect = picture.x / picture.y.max(1.0);
    state.steer_by_hand(ui, &response);
    let dt_secs = ui.input(|i| i.stable_dt);
    if state.is_turning && !response.dragged() {
        state.turn(dt_secs);
    }
    if state.glide(dt_secs) || state.is_turning {
        ui.ctx().request_repaint();
    }
    response
}

/// Draws `scene` into `rect`.
pub(super) fn picture_ui(ui: &Ui, rect: Rect, state: &ViewportState, scene: &Scene, theme: &Theme) {
    if state.has_gpu {
        ui.painter().add(callback(rect, scene, state.camera, theme));
    } else {
        ui.painter().rect_filled(rect, 0.0, color(theme.viewport.backdrop_outer));
    }
    labels_ui(ui, rect, state, scene, theme);
}

/// Writes the scene's words over the picture; where they crowd, the later ones are left out.
fn labels_ui(ui: &Ui, rect: Rect, state: &ViewportState, scene: &Scene, theme: &Theme) {
    if scene.labels.is_empty() {
        return;
    }
    let size = Vec2::new(rect.width(), rect.height());
    let eye = state.eye(scene);
    let painter = ui.painter().with_clip_rect(rect);
    let font = TextStyle::Small.resolve(ui.style());
    let (text, ground) = (color(theme.ui.text_strong), color(theme.ui.window).gamma_multiply(0.72));
    let mut written: Vec<Rect> = Vec::new();
    let place = |label: &LabelMark| {
        let p = eye.pixel(label.at, size)?;
        Some(egui::pos2(rect.left() + p.x + 6.0, rect.bottom() - p.y))
    };
    for label in &scene.labels {
        let Some(at) = place(label) else { continue };
        let galley = painter.layout_no_wrap(label.text.clone(), font.clone(), text);
        let area = Rect::from_min_size(at - egui::vec2(0.0, galley.size().y * 0.5), galley.size());
        if !rect.contains_rect(area) || written.iter().any(|w| w.intersects(area)) {
            continue;
        }
        painter.rect_filled(area.expand2(egui::vec2(3.0, 1.0)), 3.0, ground);
        painter.galley(area.min, galley, text);
        written.push(area.expand(1.0));
    }
}

/// The picture of a tile of the library: drawn anew where there is a `scene`, else as it was.
pub(super) fn tile_picture(
    ui: &Ui,
    rect: Rect,
    place: usize,
    scene: Option<&Scene>,
    theme: &Theme,
) {
    let (scene, look) = (scene.cloned(), theme.viewport.clone());
    let draw = move |info: egui::PaintCallbackInfo, _: &egui_glow::Painter| {
        view::paint_tile(
            place as u64,
            (scene.as_ref(), &look),
            pixel_rects(&info),
            info.screen_size_px,
        );
    };
    let callback = Arc::new(egui_glow::CallbackFn::new(draw));
    ui.painter().add(egui::PaintCallback { rect, callback });
}

/// Where a callback draws, and what it must not leave.
fn pixel_rects(info: &egui::PaintCallbackInfo) -> (PixelRect, PixelRect) {
    let pixels = |v: egui::epaint::ViewportInPixels| PixelRect {
        x: v.left_px,
        y: v.from_bottom_px,
        width: v.width_px.max(0) as u32,
        height: v.height_px.max(0) as u32,
    };
    (pixels(info.viewport_in_pixels()), pixels(info.clip_rect_in_pixels()))
}

/// The picture, as egui draws it among its own shapes: the callback carries plain data.
fn callback(rect: Rect, scene: &Scene, camera: OrbitCamera, theme: &Theme) -> egui::PaintCallback {
    let (scene, look) = (scene.clone(), theme.viewport.clone());
    let draw = move |info: egui::PaintCallbackInfo, _: &egui_glow::Painter| {
        let rects = pixel_rects(&info);
        view::paint((&scene, &camera, &look), rects, info.screen_size_px, info.pixels_per_point);
    };
    egui::PaintCallback { rect, callback: Arc::new(egui_glow::CallbackFn::new(draw)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Character, Mesh, MeshIndex, MeshInstance, Node, NodeIndex, Rigged};
    use glam::Vec3;
    use std::time::{Duration, Instant};

    /// A sheet of n × n vertices, a metre wide.
    fn sheet(n: u32) -> Scene {
        let at = |i: u32| Vec3::new((i % n) as f32, (i / n) as f32, 0.0) / (n - 1) as f32;
        let corners = (0..(n - 1) * (n - 1)).map(|i| i / (n - 1) * n + i % (n - 1));
        let mesh = Mesh {
            positions: Arc::new((0..n * n).map(at).collect()),
            triangles: Arc::new(
                corners.flat_map(|v| [[v, v + 1, v + n], [v + 1, v + n + 1, v + n]]).collect(),
            ),
            ..Mesh::default()
        };
        let mut character = Character { meshes: vec![mesh], ..Character::default() };
        let node =
            Node { name: String::new(), parent: None, local: Transform::default(), source: None };
        character.skeleton.push(node).unwrap();
        let instance =
            MeshInstance { mesh: MeshIndex(0), node: NodeIndex(0), skin: None, is_visible: true };
        character.instances.push(instance);
        let world = character.loaded_world();
        Scene::of(&Rigged { character, ..Rigged::default() }, world)
    }

    #[test]
    fn under_skin_of_many_vertices_a_thread_looks_and_finds_the_same() {
        let rect = Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(200.0, 200.0));
        let found = [sheet(21), sheet(261)].map(|scene| {
            let mut state = ViewportState { aspect: 1.0, ..ViewportState::default() };
            state.jump_to(&scene.bounds.unwrap());
            let found = state.look_under(&egui::Context::default(), &scene, rect, rect.center());
            assert!(found.get().is_some() || is_heavy(&scene.character), "few are found at once");
            let start = Instant::now();
            while found.get().is_none() {
                assert!(start.elapsed() < Duration::from_secs(20), "nobody looked");
                std::thread::yield_now();
            }
            found.get().and_then(|under| under.skin).unwrap().position
        });
        assert!(found[0].distance(found[1]) < 1e-3, "{found:?}");
    }
}
