//! The hand that turns a bone in the retarget editor: rings about it, one of them held and dragged.

use egui::{Key, Pos2, Rect, Ui};
use glam::Vec3;

use super::Asked;
use super::theme::Theme;
use super::tools::{draw_gizmo, hit, in_picture, size_of};
use super::viewport::ViewportState;
use crate::studio::scene::Scene;
use crate::studio::{Command, PosingCommand};
use crate::view::{Gizmo, GizmoMode, Handle};

/// What the hand is at, from frame to frame.
#[derive(Default)]
pub struct TurnHand {
    grip: Option<Grip>,
    /// Where the character stood in the last frame: a press is told before the camera takes it.
    rect: Option<Rect>,
}

/// A ring that is held.
struct Grip {
    handle: Handle,
    last: Pos2,
    has_begun: bool,
}

const fn rings(at: Vec3) -> Gizmo {
    Gizmo::at(at).with(GizmoMode::Turn)
}

impl TurnHand {
    /// Whether a ring is held.
    pub const fn is_busy(&self) -> bool {
        self.grip.is_some()
    }

    /// Whether drags of the left button are its own; `at` is where the rings stand. Call before the camera is steered.
    pub fn takes_left(
        &mut self,
        ui: &Ui,
        state: &ViewportState,
        scene: &Scene,
        at: Option<Vec3>,
    ) -> bool {
        let (pressed, pointer) =
            ui.input(|i| (i.pointer.primary_pressed(), i.pointer.interact_pos()));
        let over = pointer.zip(self.rect).filter(|(p, rect)| rect.contains(*p));
        let is_free = pressed && self.grip.is_none();
        if let (true, Some(at), Some((pointer, rect))) = (is_free, at, over) {
            let handle = hit(&rings(at), state, scene, rect, pointer);
            self.grip = handle.map(|handle| Grip { handle, last: pointer, has_begun: false });
        }
        self.grip.is_some()
    }

    /// Turns the bone as the ring is dragged, and draws the rings.
    pub fn work(
        &mut self,
        ui: &Ui,
        rect: Rect,
        (state, scene): (&ViewportState, &Scene),
        at: Option<Vec3>,
        theme: &Theme,
        asked: &mut Asked,
    ) {
        self.rect = Some(rect);
        self.drag(ui, rect, (state, scene), at, asked);
        let Some(at) = at else { return };
        let pointer = ui.input(|i| i.pointer.latest_pos()).filter(|p| rect.contains(*p));
        let pointed = match &self.grip {
            Some(grip) => Some(grip.handle),
            None => pointer.and_then(|p| hit(&rings(at), state, scene, rect, p)),
        };
        let painter = ui.painter().with_clip_rect(rect);
        draw_gizmo(&painter, rect, (&rings(at), &state.eye(scene)), pointed, theme);
    }

    /// One drag is one step; Escape and the right button give it up.
    fn drag(
        &mut self,
        ui: &Ui,
        rect: Rect,
        (state, scene): (&ViewportState, &Scene),
        at: Option<Vec3>,
        asked: &mut Asked,
    ) {
        let Some(grip) = &mut self.grip else { return };
        let is_down = ui.input(|i| i.pointer.primary_down());
        let is_given_up = ui.input(|i| i.key_pressed(Key::Escape) || i.pointer.secondary_pressed());
        let (Some(at), true, false) = (at, is_down, is_given_up) else {
            if grip.has_begun {
                asked.push(if is_given_up { Command::Abort } else { Command::Commit });
            }
            self.grip = None;
            return;
        };
        let Some(pointer) = ui.input(|i| i.pointer.latest_pos()) else { return };
        let way = (in_picture(rect, grip.last), in_picture(rect, pointer));
        let (axis, by_rad) = rings(at).turn(grip.handle, way, &state.eye(scene), size_of(rect));
        grip.last = pointer;
        if by_rad.abs() < 1e-6 || !by_rad.is_finite() {
            return;
        }
        if !grip.has_begun {
            grip.has_begun = true;
            asked.push(Command::Begin("turn a bone".to_owned()));
        }
        asked.push(Command::Posing(PosingCommand::Turn { axis, by_rad }));
    }
}
