//! The other side: which joint stands there, and a collider's mirror image on it.

use glam::Vec3;

use super::is_sound;
use crate::document::{ColliderEdit, ColliderRef};
use crate::model::{ColliderIndex, ColliderShape, NodeIndex, Rigged};
use crate::studio::command::Changes;
use crate::studio::notices::NoticeKind;
use crate::studio::opening::Open;
use crate::studio::state::Studio;

/// How far, in heights of the body, a collider may lie from the mirror image of another and still be its partner.
const PARTNER: f32 = 0.05;

/// Words for the sides as names have them, each with its other.
const WORDS: [(&str, &str); 3] = [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")];
/// Letters for the sides, where they stand alone.
const LETTERS: [(char, char); 2] = [('L', 'R'), ('l', 'r')];

/// The name of the same thing on the other side; `None` for a name that tells no side.
fn other_side(name: &str) -> Option<String> {
    for (left, right) in WORDS {
        for (from, to) in [(left, right), (right, left)] {
            if name.contains(from) {
                return Some(name.replacen(from, to, 1));
            }
        }
    }
    let letters: Vec<char> = name.chars().collect();
    let stands_alone = |i: usize| {
        let is_apart = |c: Option<&char>| c.is_none_or(|c| !c.is_alphanumeric());
        let before = i.checked_sub(1).and_then(|i| letters.get(i));
        is_apart(before) && is_apart(letters.get(i + 1))
    };
    let other = |c: char| {
        LETTERS.iter().find_map(|&(l, r)| match c {
            c if c == l => Some(r),
            c if c == r => Some(l),
            _ => None,
        })
    };
    let at = (0..letters.len()).find(|&i| stands_alone(i) && other(letters[i]).is_some())?;
    let swapped = letters.iter().enumerate();
    Some(swapped.map(|(i, &c)| if i == at { other(c).unwrap_or(c) } else { c }).collect())
}

/// The joint on the other side: by its role, else by its name; itself where it stands in the middle.
fn partner(rigged: &Rigged, node: NodeIndex) -> NodeIndex {
    let skeleton = &rigged.character.skeleton;
    let role = rigged.humanoid.role(node).filter(|role| role.side().is_some());
    let by_role = role.and_then(|role| rigged.humanoid.node(role.opposite()));
    let by_name = || {
        let wanted = other_side(skeleton.name(node))?;
        skeleton.by_name().get(wanted.as_str()).copied()
    };
    by_role.or_else(by_name).unwrap_or(node)
}

/// The mirror image of a shape, from one node's frame to another's, whose units are `grown` times smaller; `None` where
/// that cannot be told.
fn image(
    open: &Open,
    shape: ColliderShape,
    (from, to): (NodeIndex, NodeIndex),
    grown: f32,
) -> Option<ColliderShape> {
    let (bind, detection) = (&open.evaluated.rigged.bind.world, &open.evaluated.detection);
    let (from, to) = (bind.matrix(from), bind.matrix(to));
    let to_local = to.inverse();
    let point =
        |p: Vec3| to_local.transform_point3(detection.mirrored_point(from.transform_point3(p)));
    let image = match shape {
        ColliderShape::Capsule { a, b, radius, inside } => {
            ColliderShape::Capsule { a: point(a), b: point(b), radius: radius * grown, inside }
        }
        ColliderShape::Plane { point: p, normal } => {
            let (start, end) = (point(p), point(p + normal));
            ColliderShape::Plane { point: start, normal: (end - start).try_normalize()? }
        }
    };
    is_sound(&image).then_some(image)
}

impl Studio {
    pub(super) fn mirror_colliders(&mut self) -> Changes {
        if let Some(changes) = self.wait_for_rig() {
            return changes;
        }
        let selected = self.selected_colliders();
        if selected.is_empty() {
            return self.no_collider();
        }
        let images: Vec<_> =
            selected.into_iter().filter_map(|index| self.image_of(index)).collect();
        if images.is_empty() {
            let text = "It stands in the middle and is its own mirror image";
            return self.notice(NoticeKind::Info, text);
        }
        self.decide_colliders("mirror a collider", images)
    }

    /// What the mirror image of a collider is decided to be: the partner that stands there, or a new one.
    fn image_of(&self, index: ColliderIndex) -> Option<(ColliderRef, Option<ColliderEdit>)> {
        let open = self.open.as_ref()?;
        let rigged = &open.evaluated.rigged;
        let (_, edit) = self.decided_collider(index)?;
        let node = self.node_of(&edit)?;
        let there = partner(rigged, node);
        let grown = self.node_size(node)? / self.node_size(there)?;
        let shape = image(open, edit.shape, (node, there), grown)?;
        let reach = PARTNER * rigged.body.height_m;
        let matrix = rigged.bind.world.matrix(there);
        let off = |other: &ColliderShape| distance(&shape, other, &matrix);
        if node == there && off(&edit.shape) < 0.1 * reach {
            return None;
        }
        let name = other_side(&edit.name);
        let partners = (0..).map(ColliderIndex).zip(&rigged.colliders);
        let partners = partners.filter(|(at, c)| *at != index && c.node == there);
        let nearest = partners
            .map(|(at, c)| {
                // A name that says so is as good as a place.
                let is_called = name.as_ref().is_some_and(|name| *name == c.name);
                (if is_called { 0.0 } else { off(&c.shape) }, at)
            })
            .filter(|(off, _)| *off < reach)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if let Some((_, at)) = nearest {
            let (which, known) = self.decided_collider(at)?;
            return Some((which, Some(ColliderEdit { shape, is_off: false, ..known })));
        }
        let wanted = name.unwrap_or_else(|| format!("{} mirrored", edit.name));
        let name = self.free_name(&wanted, None);
        let image = self.collider_on(there, name.clone(), shape)?;
        Some((ColliderRef::ByHand(name), Some(image)))
    }
}

/// How far two shapes of one node lie from each other, metres: the mean of their ends, whichever way round they run.
fn distance(a: &ColliderShape, b: &ColliderShape, world_from_node: &glam::Affine3A) -> f32 {
    let at = |p: Vec3| world_from_node.transform_point3(p);
    match (*a, *b) {
        (ColliderShape::Capsule { a, b, .. }, ColliderShape::Capsule { a: c, b: d, .. }) => {
            let (a, b, c, d) = (at(a), at(b), at(c), at(d));
            let same = a.distance(c) + b.distance(d);
            0.5 * same.min(a.distance(d) + b.distance(c))
        }
        (ColliderShape::Plane { point: p, .. }, ColliderShape::Plane { point: q, .. }) => {
            at(p).distance(at(q))
        }
        _ => f32::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_their_other_side() {
        for (name, other) in [
            ("leftUpperArm", "rightUpperArm"),
            ("mixamorig:RightLeg", "mixamorig:LeftLeg"),
            ("thigh_l", "thigh_r"),
            ("DEF-thigh.L", "DEF-thigh.R"),
            ("Bip01 R Thigh", "Bip01 L Thigh"),
            ("thigh left", "thigh right"),
        ] {
            assert_eq!(other_side(name).as_deref(), Some(other), "{name}");
            assert_eq!(other_side(other).as_deref(), Some(name), "{other}");
        }
        for name in ["Hips", "Head", "Tail_1", "collar", ""] {
            assert_eq!(other_side(name), None, "{name}");
        }
    }
}
