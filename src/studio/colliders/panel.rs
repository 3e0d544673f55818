//! What the panels show of colliders.

use glam::Vec3;

use crate::document::{ColliderEdit, ColliderRef};
use crate::model::{Collider, ColliderIndex, ColliderShape, ColliderState, NodeIndex};
use crate::motion::ColliderPose;
use crate::studio::command::{Overlay, Selection};
use crate::studio::state::Studio;
use crate::studio::words;

/// A collider in the outliner.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderEntry {
    /// Which.
    pub index: ColliderIndex,
    /// Its name.
    pub name: String,
    /// `5.2 cm, was 4.0 cm`, in the bind pose.
    pub about: String,
    /// Whether it is drawn.
    pub is_shown: bool,
    /// Whether it was taken away.
    pub is_off: bool,
    /// Whether the user has changed it, or made it.
    pub by_user: bool,
    /// Whether it is selected besides the one that the inspector shows.
    pub also: bool,
}

/// The inspector of a collider.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderPanel {
    /// Which.
    pub index: ColliderIndex,
    /// Its name.
    pub name: String,
    /// `From the file, changed by you`.
    pub origin: String,
    /// The joint it follows, and what that is called.
    pub joint: (NodeIndex, String),
    /// `Sphere`, `Capsule`, `Plane`.
    pub kind: &'static str,
    /// Where it begins, along the axes of its joint, metres; a plane's point.
    pub start_m: Vec3,
    /// Where it ends: there too for a sphere.
    pub end_m: Vec3,
    /// How thick it is, metres; `None` for a plane.
    pub radius_m: Option<f32>,
    /// How thick it was before hands and fit, and how far it has been moved, in words; `None` for what has no before.
    pub before: Option<String>,
    /// `Met by 3 strands`.
    pub met_by: String,
    /// Whether it was taken away.
    pub is_off: bool,
    /// Whether there is something to bring back.
    pub can_restore: bool,
    /// Colliders that are selected besides.
    pub n_others: usize,
}

fn kind(shape: &ColliderShape) -> &'static str {
    match *shape {
        ColliderShape::Plane { .. } => "Plane",
        ColliderShape::Capsule { a, b, .. } if a == b => "Sphere",
        ColliderShape::Capsule { .. } => "Capsule",
    }
}

impl Studio {
    /// Colliders in the outliner, as they stand in the character.
    pub(in crate::studio) fn collider_rows(&self) -> Vec<ColliderEntry> {
        let Some(evaluated) = self.evaluated() else { return Vec::new() };
        let shows = self.shows(Overlay::Colliders);
        let row = |(index, collider): (ColliderIndex, &Collider)| ColliderEntry {
            index,
            name: collider.name.clone(),
            about: self.about_collider(index, collider),
            is_shown: shows && !self.colliders.hidden.contains(&ColliderRef::of(collider)),
            is_off: !collider.is_met(),
            by_user: collider.state != ColliderState::AsFound,
            also: self.colliders.also.contains(&index),
        };
        (0..).map(ColliderIndex).zip(&evaluated.rigged.colliders).map(row).collect()
    }

    /// Its radius in the bind pose, and what that was.
    fn about_collider(&self, index: ColliderIndex, collider: &Collider) -> String {
        if !collider.is_met() {
            return "taken away".to_owned();
        }
        let radius = |c: &Collider| self.node_size(c.node).unwrap_or(1.0) * c.shape.radius();
        if matches!(collider.shape, ColliderShape::Plane { .. }) {
            return "plane".to_owned();
        }
        let now = radius(collider);
        match self.authored(index).map(radius) {
            Some(before) if (before - now).abs() > 5e-4 => {
                format!("{}, was {}", words::length(now), words::length(before))
            }
            _ => words::length(now),
        }
    }

    /// The inspector of the selected collider.
    pub fn collider_panel(&self) -> Option<ColliderPanel> {
        let Selection::Collider(index) = self.selection else { return None };
        let collider = self.collider_at(index)?;
        let (which, edit) = self.decided_collider(index)?;
        let node = self.node_of(&edit)?;
        let size = self.node_size(node)?;
        let open = self.open.as_ref()?;
        let decided = self.history.current().of(open.character).hair.collider(&which);
        let (start, end) = match edit.shape {
            ColliderShape::Capsule { a, b, .. } => (a, b),
            ColliderShape::Plane { point, .. } => (point, point),
        };
        let is_plane = matches!(edit.shape, ColliderShape::Plane { .. });
        let strands = words::counted(self.n_strands_that_meet(index), "strand", "strands");
        Some(ColliderPanel {
            index,
            name: edit.name.clone(),
            origin: origin(&which, decided),
            joint: (node, open.evaluated.rigged.character.skeleton.name(node).to_owned()),
            kind: kind(&edit.shape),
            start_m: start * size,
            end_m: end * size,
            radius_m: (!is_plane).then(|| edit.shape.radius() * size),
            before: self.artists_own(index, collider),
            met_by: format!("Met by {strands}"),
            is_off: edit.is_off,
            can_restore: decided.is_some_and(|e| e.replaces.is_some() || e.covers.is_some()),
            n_others: self.colliders.also.len(),
        })
    }

    /// What the artist had, against what it is.
    fn artists_own(&self, index: ColliderIndex, now: &Collider) -> Option<String> {
        let before = self.authored(index)?;
        let bind = &self.evaluated()?.rigged.bind.world;
        let pose = |c: &Collider| ColliderPose::of(&c.shape, &bind.matrix(c.node));
        let (was, is) = (pose(before), pose(now));
        let way = was.a.distance(is.a).max(was.b.distance(is.b));
        let mut text = format!("radius {}", words::length(was.radius_m));
        if way > 5e-4 {
            text += &format!(", {} from here", words::length(way));
        }
        Some(text)
    }
}

/// Where a collider comes from, by what it is and the decision about it.
fn origin(which: &ColliderRef, decided: Option<&ColliderEdit>) -> String {
    let changed = if decided.is_some() { ", changed by you" } else { "" };
    match which {
        ColliderRef::Authored(_) => format!("From the file{changed}"),
        ColliderRef::ByHand(_) if decided.is_none_or(|edit| edit.covers.is_none()) => {
            "Made by you".to_owned()
        }
        ColliderRef::Added(_) | ColliderRef::ByHand(_) => format!("Added by the fit{changed}"),
    }
}
