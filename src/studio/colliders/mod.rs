//! Colliders in hand: selected, moved, turned, resized, made, taken away, mirrored, fitted, brought back.
//!
//! Which are selected, hidden and held belongs to the session. What comes of them is one [`Edit::Collider`] for each, in
//! one step; a drag works on what is decided, not on what is shown, which may be behind.

mod change;
mod panel;
mod side;

use std::collections::BTreeSet;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::command::{Changes, Edit, Selection};
use super::notices::NoticeKind;
use super::scene::{Accent, Bounds, LineMark, PickMark};
use super::state::Studio;
use super::{Overlay, overlays};
use crate::document::{ColliderEdit, ColliderRef};
use crate::model::{
    Collider, ColliderIndex, ColliderShape, ColliderState, NodeIndex, Rigged, WorldPose,
};
use crate::motion::ColliderPose;

pub use panel::{ColliderEntry, ColliderPanel};

/// What of a collider is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColliderPart {
    /// All of it.
    #[default]
    Whole,
    /// The end of its axis that it begins with.
    Start,
    /// The other end.
    End,
}

/// What a new collider looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NewCollider {
    /// A sphere in the middle of the joint's skin.
    Sphere,
    /// A capsule along the bone.
    Capsule,
}

/// What can be asked about colliders. What is selected is meant, unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ColliderCommand {
    /// Selects one besides, or no longer.
    SelectAlso(ColliderIndex),
    /// Another part is held.
    Hold(ColliderPart),
    /// Moves what is held, world, metres.
    Move {
        /// How far, since the last such command.
        by: Vec3,
    },
    /// Turns it about its middle.
    Turn {
        /// About which way, world.
        axis: Vec3,
        /// How far, since the last such command, radians.
        by_rad: f32,
    },
    /// Makes it thicker, or thinner.
    Scale {
        /// Times what it is.
        by: f32,
    },
    /// Its numbers, metres along the axes of its joint.
    Numbers {
        /// Where it begins.
        start_m: Vec3,
        /// Where it ends; there too for a sphere.
        end_m: Vec3,
        /// How thick it is.
        radius_m: f32,
    },
    /// Makes one on the selected joint.
    Add(NewCollider),
    /// Takes it away. One that the file has, or that the fit adds, can be brought back.
    Remove,
    /// Does the same on the other side.
    Mirror,
    /// As thick as the skin round it.
    Fit,
    /// What it was before hands.
    Restore,
    /// Draws it, or not.
    ToggleShown(ColliderIndex),
    /// Draws it alone, or all again where it is alone already.
    Solo(ColliderIndex),
    /// Draws every one again.
    ShowAll,
}

/// What the session keeps about colliders; nothing of it is saved.
#[derive(Debug, Default)]
pub(super) struct ColliderDesk {
    part: ColliderPart,
    /// Those that are selected besides.
    also: BTreeSet<ColliderIndex>,
    hidden: BTreeSet<ColliderRef>,
    /// The one that the last edit makes: it is selected once it is there.
    wanted: Option<ColliderRef>,
}

/// Where a collider of another evaluation is now. One that the fit added and the user took in hand is the user's.
fn place_of(which: &ColliderRef, rigged: &Rigged) -> Option<ColliderIndex> {
    let find = |which: &ColliderRef| {
        let at = rigged.colliders.iter().position(|c| ColliderRef::of(c) == *which)?;
        Some(ColliderIndex(at as u32))
    };
    find(which).or_else(|| match which {
        ColliderRef::Added(name) => find(&ColliderRef::ByHand(name.clone())),
        ColliderRef::ByHand(name) => find(&ColliderRef::Added(name.clone())),
        ColliderRef::Authored(_) => None,
    })
}

impl ColliderDesk {
    /// Another character.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Something else was selected.
    pub(super) fn let_go(&mut self) {
        self.also.clear();
        self.part = ColliderPart::Whole;
        self.wanted = None;
    }

    /// What was about to be made is no longer.
    pub(super) fn want_none(&mut self) {
        self.wanted = None;
    }

    pub(super) fn has_others(&self) -> bool {
        !self.also.is_empty()
    }

    /// Colliders may stand elsewhere, or be the user's, now: hidden ones stay so. What is selected of them; `None` where
    /// that is something else.
    pub(super) fn follow(
        &mut self,
        selection: Selection,
        before: &Rigged,
        now: &Rigged,
    ) -> Option<Selection> {
        let moved =
            |at: &ColliderIndex| place_of(&ColliderRef::of(before.colliders.get(at.index())?), now);
        let hidden = std::mem::take(&mut self.hidden).into_iter();
        let still = |at: ColliderIndex| now.colliders.get(at.index()).map(ColliderRef::of);
        self.hidden = hidden.filter_map(|which| still(place_of(&which, now)?)).collect();
        self.also = self.also.iter().filter_map(moved).collect();
        let wanted = self.wanted.as_ref().and_then(|which| place_of(which, now));
        if wanted.is_some() {
            self.wanted = None;
        }
        let first = match selection {
            Selection::Collider(at) => wanted.or_else(|| moved(&at)),
            _ => return wanted.map(Selection::Collider),
        };
        let first = first.or_else(|| self.also.pop_first());
        if let Some(first) = first {
            self.also.remove(&first);
        }
        Some(first.map_or(Selection::None, Selection::Collider))
    }
}

impl Studio {
    /// Does what is asked about colliders.
    pub(super) fn collider(&mut self, command: ColliderCommand) -> Changes {
        use ColliderCommand as C;
        match command {
            C::SelectAlso(index) => self.select_collider_also(index),
            C::Hold(part) => {
                self.colliders.part = part;
                Changes::SELECTION.and(Changes::SCENE)
            }
            C::Move { by } => self.move_colliders(by),
            C::Turn { axis, by_rad } => {
                self.change_colliders("turn a collider", |edit, matrix, _| {
                    edit.shape = change::turned(edit.shape, matrix, axis, by_rad)?;
                    Some(())
                })
            }
            C::Scale { by } => self.change_colliders("resize a collider", |edit, _, _| {
                edit.shape = change::scaled(edit.shape, by)?;
                Some(())
            }),
            C::Numbers { start_m, end_m, radius_m } => {
                self.number_collider(start_m, end_m, radius_m)
            }
            C::Add(kind) => self.add_collider(kind),
            C::Remove => self.remove_colliders(),
            C::Mirror => self.mirror_colliders(),
            C::Fit => self.fit_selected_colliders(),
            C::Restore => self.restore_colliders(),
            C::ToggleShown(index) => self.toggle_collider(index),
            C::Solo(index) => self.solo_collider(index),
            C::ShowAll => {
                self.colliders.hidden.clear();
                self.colliders_drawn()
            }
        }
    }

    fn colliders_drawn(&mut self) -> Changes {
        self.rebuild_overlays();
        Changes::SCENE.and(Changes::SELECTION)
    }

    fn toggle_collider(&mut self, index: ColliderIndex) -> Changes {
        let Some(which) = self.collider_at(index).map(ColliderRef::of) else {
            return Changes::NONE;
        };
        if !self.colliders.hidden.remove(&which) {
            self.colliders.hidden.insert(which);
        }
        // One that is asked for is seen.
        if !self.shows(Overlay::Colliders) {
            self.colliders.hidden.clear();
            self.overlays.insert(Overlay::Colliders);
        }
        self.colliders_drawn()
    }

    fn solo_collider(&mut self, index: ColliderIndex) -> Changes {
        let Some(rigged) = self.evaluated().map(|e| e.rigged.clone()) else {
            return Changes::NONE;
        };
        let others = (0..).zip(&rigged.colliders).filter(|(at, _)| *at != index.0);
        let others: BTreeSet<ColliderRef> = others.map(|(_, c)| ColliderRef::of(c)).collect();
        let is_alone = self.colliders.hidden == others;
        self.colliders.hidden = if is_alone { BTreeSet::new() } else { others };
        self.overlays.insert(Overlay::Colliders);
        self.colliders_drawn()
    }

    fn select_collider_also(&mut self, index: ColliderIndex) -> Changes {
        if self.collider_at(index).is_none() {
            return Changes::NONE;
        }
        let desk = &mut self.colliders;
        match self.selection {
            Selection::Collider(first) if first == index => {
                let next = desk.also.pop_first();
                self.selection = next.map_or(Selection::None, Selection::Collider);
            }
            Selection::Collider(_) => {
                if !desk.also.remove(&index) {
                    desk.also.insert(index);
                }
            }
            _ => return self.select(Selection::Collider(index)),
        }
        self.selection_changed()
    }

    fn collider_at(&self, index: ColliderIndex) -> Option<&Collider> {
        self.evaluated()?.rigged.colliders.get(index.index())
    }

    /// Every collider that is selected, the one that the inspector shows first.
    pub fn selected_colliders(&self) -> Vec<ColliderIndex> {
        let Selection::Collider(first) = self.selection else { return Vec::new() };
        std::iter::once(first).chain(self.colliders.also.iter().copied()).collect()
    }

    /// A collider as it is decided to be, which what is shown may be behind; `None` where it is about to go.
    fn decided_collider(&self, index: ColliderIndex) -> Option<(ColliderRef, ColliderEdit)> {
        let open = self.open.as_ref()?;
        let collider = open.evaluated.rigged.colliders.get(index.index())?;
        let which = ColliderRef::of(collider);
        match (self.history.current().of(open.character).hair.collider(&which), &which) {
            (Some(edit), _) => Some((which, edit.clone())),
            (None, ColliderRef::ByHand(_)) => None,
            (None, _) if collider.state != ColliderState::AsFound => None,
            (None, _) => Some((which, ColliderEdit::of(collider, open.loaded()?))),
        }
    }

    /// The joint that a decision names, in this character.
    fn node_of(&self, edit: &ColliderEdit) -> Option<NodeIndex> {
        edit.node.find(self.open.as_ref()?.loaded()?)
    }

    /// Lines of the colliders that are shown, and of those that are selected: as they are decided to be, and dashed, as
    /// their artist had them.
    pub(super) fn collider_lines(
        &self,
        world: &WorldPose,
        lines: &mut Vec<LineMark>,
        picks: &mut Vec<PickMark>,
    ) {
        let Some(open) = &self.open else { return };
        let rigged = &open.evaluated.rigged;
        let (shows, selected) = (self.shows(Overlay::Colliders), self.selected_colliders());
        for (at, collider) in (0..).map(ColliderIndex).zip(&rigged.colliders) {
            let is_selected = selected.contains(&at);
            let is_hidden = self.colliders.hidden.contains(&ColliderRef::of(collider));
            if !is_selected && (!shows || is_hidden || !collider.is_met()) {
                continue;
            }
            let decided = if is_selected { self.decided_collider(at) } else { None };
            let shape = decided.as_ref().map_or(collider.shape, |(_, edit)| edit.shape);
            let node = decided.as_ref().and_then(|(_, edit)| self.node_of(edit));
            let matrix = world.matrix(node.unwrap_or(collider.node));
            let accent = if is_selected { Accent::Selected } else { Accent::Collider };
            let own = overlays::collider(&shape, &matrix, accent);
            let pose = ColliderPose::of(&shape, &matrix);
            picks.push(PickMark {
                what: Selection::Collider(at),
                lines: own.iter().map(|line| line.points.clone()).collect(),
                solid: (pose.radius_m > 0.0).then_some((pose.a, pose.b, pose.radius_m)),
            });
            lines.extend(own);
            if is_selected
                && let Some(before) = self.authored(at)
                && before.shape != shape
            {
                let matrix = world.matrix(before.node);
                let before = overlays::collider(&before.shape, &matrix, Accent::Rest);
                lines.extend(before.into_iter().map(|line| LineMark { is_dashed: true, ..line }));
            }
        }
    }

    /// A collider as its artist had it.
    fn authored(&self, index: ColliderIndex) -> Option<&Collider> {
        let ColliderRef::Authored(at) = ColliderRef::of(self.collider_at(index)?) else {
            return None;
        };
        self.open.as_ref()?.loaded()?.vrm.as_ref()?.colliders.get(at as usize)
    }

    /// The box round a collider.
    pub(super) fn collider_bounds(&self, index: ColliderIndex) -> Option<Bounds> {
        let pose = self.collider_pose(index)?;
        let room = Vec3::splat(pose.radius_m.max(0.02) * 2.0);
        Some(Bounds { low: pose.a.min(pose.b) - room, high: pose.a.max(pose.b) + room })
    }

    /// Where a collider is decided to be, in the pose that is shown.
    fn collider_pose(&self, index: ColliderIndex) -> Option<ColliderPose> {
        let (_, edit) = self.decided_collider(index)?;
        let node = self.node_of(&edit)?;
        let pose = ColliderPose::of(&edit.shape, &self.scene.world.matrix(node));
        pose.is_finite().then_some(pose)
    }

    /// Where the selected collider can be taken hold of: its middle, and the ends of a capsule.
    pub fn collider_holds(&self) -> Vec<(ColliderPart, Vec3)> {
        let Selection::Collider(index) = self.selection else { return Vec::new() };
        let Some(pose) = self.collider_pose(index) else { return Vec::new() };
        if pose.kind == crate::motion::ColliderKind::Plane {
            return vec![(ColliderPart::Whole, pose.a)];
        }
        let mut holds = vec![(ColliderPart::Whole, (pose.a + pose.b) * 0.5)];
        if pose.a != pose.b {
            holds.extend([(ColliderPart::Start, pose.a), (ColliderPart::End, pose.b)]);
        }
        holds
    }

    /// Where the gizmo of the selected collider stands.
    pub(super) fn collider_gizmo(&self) -> Option<Vec3> {
        let holds = self.collider_holds();
        let held = holds.iter().find(|(part, _)| *part == self.colliders.part);
        held.or(holds.first()).map(|(_, at)| *at)
    }

    /// Decides about colliders; all in one step.
    fn decide_colliders(
        &mut self,
        label: &str,
        edits: Vec<(ColliderRef, Option<ColliderEdit>)>,
    ) -> Changes {
        if edits.is_empty() {
            return Changes::NONE;
        }
        let edits =
            edits.into_iter().map(|(which, to)| Edit::Collider { which, to: to.map(Box::new) });
        let changes = self.edit_all(label, edits.collect());
        // A selected one follows the hand, not the worker.
        self.rebuild_overlays();
        changes.and(Changes::SCENE).and(Changes::SELECTION)
    }

    /// Says what must be selected first.
    fn no_collider(&mut self) -> Changes {
        self.notice(NoticeKind::Info, "Select a collider first")
    }
}

/// Largest radius and farthest place that is kept, in the joint's units, which may be millimetres and less.
const FARTHEST: f32 = 1e7;

/// Whether a shape is one that can be kept.
fn is_sound(shape: &ColliderShape) -> bool {
    let is_near = match *shape {
        ColliderShape::Capsule { a, b, radius, .. } => {
            a.abs().max(b.abs()).max_element() < FARTHEST && radius < FARTHEST
        }
        ColliderShape::Plane { point, .. } => point.abs().max_element() < FARTHEST,
    };
    shape.is_usable() && is_near
}
