//! Decisions about colliders: moved, resized, made, taken away; and which collider of a rigged character each is about.
//!
//! A collider of the file is known by its place in the file's list, one that the fit adds by its name, one of the
//! user's by its name, which no other has. A decision that is given up brings back what was before it.

use serde::{Deserialize, Serialize};

use super::edits::JointRef;
use super::hair_edits::HairEdits;
use super::resolve::{Notice, joint};
use crate::model::{Character, Collider, ColliderOrigin, ColliderShape, ColliderState, NodeIndex};
use crate::rig::ColliderPlan;

/// Which collider is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ColliderRef {
    /// The file's, by its place in the list there.
    Authored(u32),
    /// One that the fit adds, by the name that it gives.
    Added(String),
    /// One of the user's, by its name.
    ByHand(String),
}

/// What is decided about a collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColliderEdit {
    /// Place in the file's list of the one it stands in for; none adds one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<u32>,
    /// Name of the one that the fit would add, in whose place it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<String>,
    /// What it is called.
    pub name: String,
    /// The joint it follows.
    pub node: JointRef,
    /// In that joint's own frame and units.
    pub shape: ColliderShape,
    /// It was taken away: nothing meets it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_off: bool,
}

impl ColliderRef {
    /// Which one a collider of a rigged character is.
    pub fn of(collider: &Collider) -> Self {
        match collider.origin {
            ColliderOrigin::Authored(at) => Self::Authored(at),
            ColliderOrigin::Added => Self::Added(collider.name.clone()),
            ColliderOrigin::ByHand => Self::ByHand(collider.name.clone()),
        }
    }
}

impl ColliderEdit {
    /// The decision that `collider` is as it is now, on `node`; `character` as it was loaded.
    pub fn of(collider: &Collider, character: &Character) -> Self {
        let which = ColliderRef::of(collider);
        Self {
            replaces: match which {
                ColliderRef::Authored(at) => Some(at),
                _ => None,
            },
            covers: match which {
                ColliderRef::Added(name) => Some(name),
                _ => None,
            },
            name: collider.name.clone(),
            node: JointRef::of(character, collider.node),
            shape: collider.shape,
            is_off: false,
        }
    }

    /// Whether it is a decision about that collider.
    fn is_about(&self, which: &ColliderRef) -> bool {
        match which {
            ColliderRef::Authored(at) => self.replaces == Some(*at),
            ColliderRef::Added(name) => self.covers.as_ref() == Some(name),
            ColliderRef::ByHand(name) => self.replaces.is_none() && self.name == *name,
        }
    }

    /// What it means for a character; `None` where its joint is gone, or its numbers are none.
    pub(super) fn plan(
        &self,
        character: &Character,
        notices: &mut Vec<Notice>,
    ) -> Option<ColliderPlan> {
        let node: NodeIndex = joint(&self.node, character, notices)?;
        let origin = match self.replaces {
            Some(at) => ColliderOrigin::Authored(at),
            None => ColliderOrigin::ByHand,
        };
        let state = if self.is_off { ColliderState::Off } else { ColliderState::Edited };
        let collider = Collider { name: self.name.clone(), node, shape: self.shape, origin, state };
        let (replaces, covers) = (self.replaces, self.covers.clone());
        self.shape.is_usable().then_some(ColliderPlan { replaces, covers, collider })
    }

    /// Bytes, about.
    pub(super) fn heap_bytes(&self) -> usize {
        let covers = self.covers.as_ref().map_or(0, String::len);
        200 + self.name.len() + self.node.path.len() + covers
    }
}

impl HairEdits {
    /// What is decided about a collider.
    pub fn collider(&self, which: &ColliderRef) -> Option<&ColliderEdit> {
        self.colliders.iter().find(|edit| edit.is_about(which))
    }

    /// The same decisions with another one about a collider, or none: then it is what it was, and one of the user's own
    /// is gone.
    #[must_use]
    pub fn with_collider(mut self, which: &ColliderRef, edit: Option<ColliderEdit>) -> Self {
        let place = self.colliders.iter().position(|known| known.is_about(which));
        match (place, edit) {
            (Some(at), Some(edit)) => {
                if let Some(slot) = self.colliders.get_mut(at) {
                    *slot = edit;
                }
            }
            (Some(at), None) => {
                self.colliders.remove(at);
            }
            (None, Some(edit)) => self.colliders.push(edit),
            (None, None) => {}
        }
        self
    }

    /// `wanted`, numbered on where another decision about a collider has that name.
    pub fn free_collider_name(&self, wanted: &str, but: Option<&ColliderRef>) -> String {
        let others = || self.colliders.iter().filter(|e| but.is_none_or(|but| !e.is_about(but)));
        let is_free = |name: &str| others().all(|edit| edit.name != name);
        let numbered = |n: u32| if n == 1 { wanted.to_owned() } else { format!("{wanted} {n}") };
        // One more than there are others cannot all be taken.
        let names = (1..=self.colliders.len() as u32 + 1).map(numbered);
        names.into_iter().find(|name| is_free(name)).unwrap_or_else(|| wanted.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(name: &str) -> ColliderEdit {
        ColliderEdit {
            replaces: None,
            covers: None,
            name: name.into(),
            node: JointRef::default(),
            shape: ColliderShape::sphere(glam::Vec3::ZERO, 0.1),
            is_off: false,
        }
    }

    #[test]
    fn a_decision_is_found_by_what_it_is_about_and_given_up() {
        let (file, fit) = (ColliderRef::Authored(2), ColliderRef::Added("torso".into()));
        let ours = ColliderRef::ByHand("Bun".into());
        let hair = HairEdits::default()
            .with_collider(&file, Some(ColliderEdit { replaces: Some(2), ..edit("Bun") }))
            .with_collider(&fit, Some(ColliderEdit { covers: Some("torso".into()), ..edit("t") }))
            .with_collider(&ours, Some(edit("Bun")));
        assert_eq!(hair.collider(&file).unwrap().replaces, Some(2));
        assert_eq!(hair.collider(&fit).unwrap().name, "t");
        assert_eq!(hair.collider(&ColliderRef::ByHand("t".into())), hair.collider(&fit));
        assert_eq!(hair.collider(&ours).unwrap().replaces, None);
        let moved = hair.clone().with_collider(&ours, Some(edit("Knot")));
        assert_eq!((moved.colliders.len(), moved.collider(&ours)), (3, None));
        let back = [&file, &fit, &ours].into_iter().fold(hair, |h, w| h.with_collider(w, None));
        assert_eq!(back, HairEdits::default());
    }

    #[test]
    fn no_two_have_one_name() {
        let ours = ColliderRef::ByHand("Bun".into());
        let hair = HairEdits::default().with_collider(&ours, Some(edit("Bun")));
        assert_eq!(hair.free_collider_name("Bun", None), "Bun 2");
        assert_eq!(hair.free_collider_name("Bun", Some(&ours)), "Bun");
        assert_eq!(hair.free_collider_name("Knot", None), "Knot");
    }
}
