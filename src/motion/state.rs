//! What goes into a substep and what persists after it.

use glam::{Affine3A, Quat, Vec3};

use super::topology::{ChainTopology, rotation_of, uniform_scale};
use crate::model::ColliderShape;

/// Where the body has a chain: the first link's head, the body axes carried by the anchor, the size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Head of the first link, world, metres.
    pub head: Vec3,
    /// F(t): from body axes to the world, R_anchor(t) R_anchor⁰⁻¹ F⁰.
    pub frame: Quat,
    /// Current over neutral uniform scale of the anchor node.
    pub scale: f32,
}

impl Default for Anchor {
    fn default() -> Self {
        Self { head: Vec3::ZERO, frame: Quat::IDENTITY, scale: 1.0 }
    }
}

impl Anchor {
    /// The frame of a node as it is, for inertia to be measured against.
    pub fn of_node(world_from_node: &Affine3A) -> Self {
        Self {
            head: world_from_node.translation.into(),
            frame: rotation_of(world_from_node),
            scale: uniform_scale(world_from_node),
        }
    }

    /// The anchor of `chain` where its anchor node has the matrix `world_from_anchor`.
    pub fn of(chain: &ChainTopology, world_from_anchor: &Affine3A) -> Self {
        let rotation = rotation_of(world_from_anchor);
        Self {
            head: world_from_anchor.transform_point3(chain.head_in_anchor),
            frame: (rotation * chain.body_from_anchor.conjugate()).normalize(),
            scale: uniform_scale(world_from_anchor) / chain.anchor_scale,
        }
    }

    /// The same anchor after the whole body was moved by a rotation and a translation of the world.
    #[must_use]
    pub fn moved(&self, by: &Affine3A) -> Self {
        let frame = (rotation_of(by) * self.frame).normalize();
        Self { head: by.transform_point3(self.head), frame, scale: self.scale }
    }

    /// Whether every number is finite and the size is one.
    pub fn is_usable(&self) -> bool {
        self.head.is_finite()
            && self.frame.is_finite()
            && self.scale.is_finite()
            && self.scale > 1e-6
    }
}

/// A capsule that pushes chains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Capsule {
    /// One end of its axis, world, metres.
    pub a: Vec3,
    /// The other end.
    pub b: Vec3,
    /// Its radius, metres.
    pub radius_m: f32,
}

impl Capsule {
    /// The same capsule after the whole body was moved.
    #[must_use]
    pub fn moved(&self, by: &Affine3A) -> Self {
        Self { a: by.transform_point3(self.a), b: by.transform_point3(self.b), ..*self }
    }
}

/// What a collider does to hair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColliderKind {
    /// Keeps it out of a capsule.
    #[default]
    Outside,
    /// Keeps it inside one.
    Inside,
    /// Keeps it on one side of a plane: `a` is a point of it, `b - a` its unit normal.
    Plane,
    /// Nothing: it is not finite.
    None,
}

/// A collider where it is in one substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColliderPose {
    /// One end of its axis, world, metres.
    pub a: Vec3,
    /// The other end.
    pub b: Vec3,
    /// Metres.
    pub radius_m: f32,
    /// What it does.
    pub kind: ColliderKind,
}

impl ColliderPose {
    /// The same collider after the whole body was moved by a rotation and a translation.
    #[must_use]
    pub fn moved(&self, by: &Affine3A) -> Self {
        Self { a: by.transform_point3(self.a), b: by.transform_point3(self.b), ..*self }
    }

    /// Where `shape` is when its node has the matrix `world_from_node`. Scale that is not uniform grows it evenly.
    pub fn of(shape: &ColliderShape, world_from_node: &Affine3A) -> Self {
        match *shape {
            ColliderShape::Capsule { a, b, radius, inside } => Self {
                a: world_from_node.transform_point3(a),
                b: world_from_node.transform_point3(b),
                radius_m: radius * uniform_scale(world_from_node),
                kind: if inside { ColliderKind::Inside } else { ColliderKind::Outside },
            },
            ColliderShape::Plane { point, normal } => {
                let a = world_from_node.transform_point3(point);
                // A plane's normal goes by the inverse transpose.
                let columns = world_from_node.matrix3.inverse().transpose();
                let normal = (columns * normal).normalize_or(Vec3::Y);
                Self { a, b: a + normal, radius_m: 0.0, kind: ColliderKind::Plane }
            }
        }
    }

    /// Whether every number is.
    pub fn is_finite(&self) -> bool {
        self.a.is_finite() && self.b.is_finite() && self.radius_m.is_finite()
    }
}

/// What persists of a link between substeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkSnapshot {
    /// p: its end, world, metres.
    pub end: Vec3,
    /// v: velocity of its end, world, m/s.
    ///
    /// Not zero at rest: spring and coupling balance within each substep.
    pub velocity: Vec3,
    /// q: bend in body axes after the limit, before contacts.
    pub bend: Quat,
    /// Bend after contacts: what the joint shows.
    pub shown: Quat,
    /// Whether its end touched the floor in the last substep.
    pub touched: bool,
    /// Where the end's inertia is, world, metres: hair only, and there `end` but under the VRM rule.
    pub tail: Vec3,
}

/// What persists of a chain between substeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainState {
    /// `[links]`.
    pub links: Vec<LinkSnapshot>,
    /// Where it hung in the last substep, in the world; `None` before the first.
    pub anchor: Option<Anchor>,
    /// Where the node was that its inertia is measured against.
    pub center: Option<Anchor>,
}

impl ChainState {
    /// A share of the way to another state of the same chain, below 0 and beyond 1 too: places, velocities and bends.
    /// Touch, anchor and centre stay.
    #[must_use]
    pub fn towards(&self, other: &Self, share: f32) -> Self {
        let link = |(a, b): (&LinkSnapshot, &LinkSnapshot)| LinkSnapshot {
            end: a.end.lerp(b.end, share),
            velocity: a.velocity.lerp(b.velocity, share),
            bend: a.bend.lerp(b.bend, share),
            shown: a.shown.lerp(b.shown, share),
            touched: a.touched,
            tail: a.tail.lerp(b.tail, share),
        };
        let links = self.links.iter().zip(&other.links).map(link).collect();
        Self { links, anchor: self.anchor, center: self.center }
    }

    /// The same state after the whole body, tail and all, was moved by a rotation and a translation of the world.
    /// Bends are relative to the body and stay.
    #[must_use]
    pub fn moved(&self, by: &Affine3A) -> Self {
        let link = |link: &LinkSnapshot| LinkSnapshot {
            end: by.transform_point3(link.end),
            tail: by.transform_point3(link.tail),
            velocity: by.transform_vector3(link.velocity),
            ..*link
        };
        Self {
            links: self.links.iter().map(link).collect(),
            anchor: self.anchor.map(|anchor| anchor.moved(by)),
            center: self.center.map(|center| center.moved(by)),
        }
    }
}
