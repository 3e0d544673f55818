//! What becomes of colliders: their shapes after a hand has moved, turned or resized them, and the decisions that are
//! made of that.

use glam::{Affine3A, Quat, Vec3};

use super::{ColliderPart, NewCollider, is_sound};
use crate::document::{ColliderEdit, ColliderRef, JointRef};
use crate::model::{
    ChainOrigin, Collider, ColliderIndex, ColliderOrigin, ColliderShape, ColliderState, NodeIndex,
};
use crate::motion::ColliderPose;
use crate::rig::{fitted_to_skin, new_on_joint};
use crate::studio::command::{Changes, Selection};
use crate::studio::notices::NoticeKind;
use crate::studio::state::Studio;

/// Most that one step may resize by.
const SCALE: (f32, f32) = (1e-3, 1e3);

/// A shape whose `part` is moved by a way in its own frame; `None` where nothing sensible comes of it.
pub(super) fn moved(shape: ColliderShape, part: ColliderPart, by: Vec3) -> Option<ColliderShape> {
    let moved = match shape {
        ColliderShape::Capsule { a, b, radius, inside } => {
            let (at_a, at_b) = match part {
                ColliderPart::Whole => (by, by),
                ColliderPart::Start => (by, Vec3::ZERO),
                ColliderPart::End => (Vec3::ZERO, by),
            };
            ColliderShape::Capsule { a: a + at_a, b: b + at_b, radius, inside }
        }
        ColliderShape::Plane { point, normal } => {
            ColliderShape::Plane { point: point + by, normal }
        }
    };
    is_sound(&moved).then_some(moved)
}

/// A shape turned about its middle, by an axis of the world.
pub(super) fn turned(
    shape: ColliderShape,
    world_from_node: &Affine3A,
    axis: Vec3,
    by_rad: f32,
) -> Option<ColliderShape> {
    let axis = axis.try_normalize().filter(|_| by_rad.is_finite())?;
    let turn = Quat::from_axis_angle(axis, by_rad);
    let to_local = world_from_node.inverse();
    let turned = match shape {
        // A sphere is the same whichever way it is turned.
        ColliderShape::Capsule { a, b, .. } if a == b => return None,
        ColliderShape::Capsule { a, b, radius, inside } => {
            let (a, b) = (world_from_node.transform_point3(a), world_from_node.transform_point3(b));
            let middle = (a + b) * 0.5;
            let about = |p: Vec3| to_local.transform_point3(middle + turn * (p - middle));
            ColliderShape::Capsule { a: about(a), b: about(b), radius, inside }
        }
        ColliderShape::Plane { point, normal } => {
            let normal = world_from_node.transform_vector3(normal);
            let normal = to_local.transform_vector3(turn * normal).try_normalize()?;
            ColliderShape::Plane { point, normal }
        }
    };
    is_sound(&turned).then_some(turned)
}

/// A shape that is `by` times as thick.
pub(super) fn scaled(shape: ColliderShape, by: f32) -> Option<ColliderShape> {
    let ColliderShape::Capsule { a, b, radius, inside } = shape else { return None };
    if !by.is_finite() {
        return None;
    }
    let radius = radius * by.clamp(SCALE.0, SCALE.1);
    let scaled = ColliderShape::Capsule { a, b, radius, inside };
    is_sound(&scaled).then_some(scaled)
}

impl Studio {
    /// Changes every selected collider where something comes of it. `change` is given what is decided, the matrix of its
    /// joint in the pose that is shown, and which it is.
    pub(super) fn change_colliders(
        &mut self,
        label: &str,
        change: impl Fn(&mut ColliderEdit, &Affine3A, ColliderIndex) -> Option<()>,
    ) -> Changes {
        let selected = self.selected_colliders();
        if selected.is_empty() {
            return self.no_collider();
        }
        let changed = selected.into_iter().filter_map(|index| {
            let (which, mut edit) = self.decided_collider(index)?;
            let matrix = self.scene.world.matrix(self.node_of(&edit)?);
            change(&mut edit, &matrix, index)?;
            edit.is_off = false;
            Some((which, Some(edit)))
        });
        let changed = changed.collect();
        self.decide_colliders(label, changed)
    }

    pub(super) fn move_colliders(&mut self, by: Vec3) -> Changes {
        if !by.is_finite() {
            return Changes::NONE;
        }
        let (part, selection) = (self.colliders.part, self.selection);
        self.change_colliders("move a collider", |edit, matrix, index| {
            let by = matrix.inverse().transform_vector3(by);
            // An end is held of one; all others come along whole.
            let is_first = selection == Selection::Collider(index);
            let part = if is_first { part } else { ColliderPart::Whole };
            edit.shape = moved(edit.shape, part, by)?;
            Some(())
        })
    }

    /// The inspector's numbers are of the one that it shows.
    pub(super) fn number_collider(&mut self, start_m: Vec3, end_m: Vec3, radius_m: f32) -> Changes {
        let Selection::Collider(index) = self.selection else { return self.no_collider() };
        let Some((which, mut edit)) = self.decided_collider(index) else { return Changes::NONE };
        let Some(node) = self.node_of(&edit) else { return Changes::NONE };
        let Some(size) = self.node_size(node) else { return Changes::NONE };
        let shape = match edit.shape {
            ColliderShape::Capsule { inside, .. } => ColliderShape::Capsule {
                a: start_m / size,
                b: end_m / size,
                radius: radius_m / size,
                inside,
            },
            ColliderShape::Plane { normal, .. } => {
                ColliderShape::Plane { point: start_m / size, normal }
            }
        };
        if !is_sound(&shape) {
            return self.notice(NoticeKind::Warning, "These numbers are no collider");
        }
        (edit.shape, edit.is_off) = (shape, false);
        self.decide_colliders("set a collider's numbers", vec![(which, Some(edit))])
    }

    /// Metres of a node's unit, in the bind pose.
    pub(super) fn node_size(&self, node: NodeIndex) -> Option<f32> {
        let world_from_node = self.evaluated()?.rigged.bind.world.matrix(node);
        // As springs see it.
        let one = ColliderPose::of(&ColliderShape::sphere(Vec3::ZERO, 1.0), &world_from_node);
        (one.radius_m.is_finite() && one.radius_m > 1e-9).then_some(one.radius_m)
    }

    /// The joint that a new collider follows: the selected one, or what the selected thing hangs from. Joints that we
    /// grew are not in the file that decisions are about, so what they hang from stands for them.
    fn joint_for_collider(&self) -> Option<NodeIndex> {
        let open = self.open.as_ref()?;
        let rigged = &open.evaluated.rigged;
        let node = match self.selection {
            Selection::Joint(node) => node,
            Selection::Chain(index) => rigged.chains.get(index)?.anchor,
            Selection::Region(_) => self.selected_region()?.attachment,
            Selection::Collider(index) => rigged.colliders.get(index.index())?.node,
            Selection::Mesh(_) | Selection::None => return None,
        };
        let n_loaded = open.loaded()?.skeleton.len();
        let skeleton = &rigged.character.skeleton;
        if node.index() >= skeleton.len() {
            return None;
        }
        std::iter::once(node).chain(skeleton.ancestors(node)).find(|n| n.index() < n_loaded)
    }

    pub(super) fn add_collider(&mut self, kind: NewCollider) -> Changes {
        if let Some(changes) = self.wait_for_rig() {
            return changes;
        }
        let Some(node) = self.joint_for_collider() else {
            return self.notice(NoticeKind::Info, "Select the bone that it is to follow first");
        };
        let Some(open) = &self.open else { return Changes::NONE };
        let (rigged, detection) = (&open.evaluated.rigged, &open.evaluated.detection);
        let is_sphere = kind == NewCollider::Sphere;
        let shape = new_on_joint(rigged, detection, node, is_sphere);
        let (Some(shape), Some(loaded)) = (shape, open.loaded()) else {
            return self.notice(NoticeKind::Warning, "Nothing can stand on this bone");
        };
        let joint = loaded.skeleton.name(node);
        let wanted = format!("{joint} {}", if is_sphere { "sphere" } else { "capsule" });
        let collider = Collider {
            name: self.free_name(wanted.trim(), None),
            node,
            shape,
            origin: ColliderOrigin::ByHand,
            state: ColliderState::Edited,
        };
        let edit = ColliderEdit::of(&collider, loaded);
        let which = ColliderRef::of(&collider);
        let label = if is_sphere { "add a sphere" } else { "add a capsule" };
        self.overlays.insert(crate::studio::Overlay::Colliders);
        let changes = self.decide_colliders(label, vec![(which.clone(), Some(edit))]);
        self.colliders.wanted = Some(which);
        changes
    }

    /// `wanted`, numbered on where another collider has that name.
    pub(super) fn free_name(&self, wanted: &str, but: Option<&ColliderRef>) -> String {
        let Some(open) = &self.open else { return wanted.to_owned() };
        let hair = &self.history.current().of(open.character).hair;
        let others = open.evaluated.rigged.colliders.iter();
        let others = others.filter(|c| but.is_none_or(|but| ColliderRef::of(c) != *but));
        let taken: Vec<&str> = others
            // The file's are known by their place, and may be called alike.
            .filter(|c| !matches!(c.origin, ColliderOrigin::Authored(_)))
            .map(|c| c.name.as_str())
            .collect();
        let mut name = hair.free_collider_name(wanted, but);
        let mut n = 1;
        while taken.contains(&name.as_str()) {
            n += 1;
            name = hair.free_collider_name(&format!("{wanted} {n}"), but);
        }
        name
    }

    /// Calls a collider by another name; an empty one is the name that it had before hands.
    pub(in crate::studio) fn rename_collider(
        &mut self,
        index: ColliderIndex,
        name: &str,
    ) -> Changes {
        let Some((which, mut edit)) = self.decided_collider(index) else { return Changes::NONE };
        let before = self.authored(index).map(|c| c.name.clone()).or(edit.covers.clone());
        let wanted = if name.is_empty() { before } else { Some(name.to_owned()) };
        let Some(wanted) = wanted else { return Changes::NONE };
        edit.name = match which {
            ColliderRef::Authored(_) => wanted,
            _ => self.free_name(&wanted, Some(&which)),
        };
        let now = match which {
            ColliderRef::Authored(at) => ColliderRef::Authored(at),
            _ => ColliderRef::ByHand(edit.name.clone()),
        };
        let changes = self.decide_colliders("rename a collider", vec![(which, Some(edit))]);
        self.colliders.wanted = Some(now);
        changes
    }

    pub(super) fn remove_colliders(&mut self) -> Changes {
        let selected = self.selected_colliders();
        if selected.is_empty() {
            return self.no_collider();
        }
        let removed = selected.into_iter().filter_map(|index| {
            let (which, edit) = self.decided_collider(index)?;
            let is_ours = edit.replaces.is_none() && edit.covers.is_none();
            let to = (!is_ours).then_some(ColliderEdit { is_off: true, ..edit });
            Some((which, to))
        });
        let removed = removed.collect();
        self.decide_colliders("take a collider away", removed)
    }

    pub(super) fn restore_colliders(&mut self) -> Changes {
        let selected = self.selected_colliders();
        if selected.is_empty() {
            return self.no_collider();
        }
        let Some(open) = &self.open else { return Changes::NONE };
        let hair = &self.history.current().of(open.character).hair;
        let rigged = &open.evaluated.rigged;
        let given_up = selected.into_iter().filter_map(|index| {
            let which = ColliderRef::of(rigged.colliders.get(index.index())?);
            let edit = hair.collider(&which)?;
            let has_before = edit.replaces.is_some() || edit.covers.is_some();
            has_before.then_some((which, None))
        });
        let given_up: Vec<_> = given_up.collect();
        if given_up.is_empty() {
            return self.notice(NoticeKind::Info, "It is what it was");
        }
        self.decide_colliders("bring a collider back", given_up)
    }

    pub(super) fn fit_selected_colliders(&mut self) -> Changes {
        let selected = self.selected_colliders();
        let Some(open) = self.open.as_ref().filter(|_| !selected.is_empty()) else {
            return self.no_collider();
        };
        let (rigged, detection) = (&open.evaluated.rigged, &open.evaluated.detection);
        let fitted = selected.into_iter().filter_map(|index| {
            let (which, edit) = self.decided_collider(index)?;
            let shape = fitted_to_skin(rigged, detection, self.node_of(&edit)?, edit.shape)?;
            Some((which, Some(ColliderEdit { shape, is_off: false, ..edit })))
        });
        let fitted: Vec<_> = fitted.collect();
        if fitted.is_empty() {
            let text = "No skin goes with this bone beside the collider; set its radius by hand";
            return self.notice(NoticeKind::Info, text);
        }
        self.decide_colliders("fit a collider to the skin", fitted)
    }

    /// The decision that a collider of this name and shape stands on `node`.
    pub(super) fn collider_on(
        &self,
        node: NodeIndex,
        name: String,
        shape: ColliderShape,
    ) -> Option<ColliderEdit> {
        let node = JointRef::of(self.open.as_ref()?.loaded()?, node);
        Some(ColliderEdit { replaces: None, covers: None, name, node, shape, is_off: false })
    }

    /// How many strands meet a collider.
    pub(super) fn n_strands_that_meet(&self, index: ColliderIndex) -> usize {
        let Some(evaluated) = self.evaluated() else { return 0 };
        let chains = evaluated.rigged.chains.iter();
        let hair = chains.filter(|c| c.is_driven || c.origin != ChainOrigin::Existing);
        hair.filter(|c| c.hair.as_ref().is_some_and(|s| s.colliders.contains(&index))).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capsule() -> ColliderShape {
        let (a, b) = (Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.1, 0.4, 0.0));
        ColliderShape::Capsule { a, b, radius: 0.05, inside: false }
    }

    #[test]
    fn one_end_is_moved_alone() {
        let by = Vec3::new(0.0, 0.0, 0.2);
        let Some(ColliderShape::Capsule { a, b, .. }) = moved(capsule(), ColliderPart::End, by)
        else {
            panic!("it is a capsule still")
        };
        assert_eq!((a, b), (Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.1, 0.4, 0.2)));
        assert_eq!(moved(capsule(), ColliderPart::Whole, Vec3::NAN), None);
    }

    #[test]
    fn a_turn_keeps_the_middle_and_the_length_whatever_the_joint_does() {
        let node = Affine3A::from_scale_rotation_translation(
            Vec3::splat(0.01),
            Quat::from_rotation_y(0.7),
            Vec3::new(1.0, 2.0, 3.0),
        );
        let ends = |shape: ColliderShape| {
            let ColliderShape::Capsule { a, b, .. } = shape else { panic!("{shape:?}") };
            (node.transform_point3(a), node.transform_point3(b))
        };
        let (a, b) = ends(capsule());
        let turn = std::f32::consts::FRAC_PI_2;
        let (c, d) = ends(turned(capsule(), &node, Vec3::Z, turn).unwrap());
        assert!(((a + b) - (c + d)).length() < 1e-5);
        assert!((a.distance(b) - c.distance(d)).abs() < 1e-6);
        assert!((b - a).normalize().dot((d - c).normalize()).abs() < 1e-3, "a quarter turn");
        assert_eq!(turned(capsule(), &node, Vec3::ZERO, 1.0), None);
        let sphere = ColliderShape::sphere(Vec3::X, 0.1);
        assert_eq!(turned(sphere, &node, Vec3::Z, turn), None, "there is nothing to turn");
    }

    #[test]
    fn a_radius_is_scaled_and_stays_a_number() {
        assert_eq!(scaled(capsule(), 2.0).unwrap().radius(), 0.1);
        assert_eq!(scaled(capsule(), f32::NAN), None);
        assert!(scaled(capsule(), -1.0).unwrap().radius() > 0.0);
    }
}
