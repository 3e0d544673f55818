//! Which source joints a target joint takes its motion from.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::RetargetRig;
use super::reference::{Reference, SPINE};
use crate::model::{NodeIndex, Role, WorldPose};

/// Where the motion of a target role comes from; D = G G⁰⁻¹ is how far a joint has turned from the reference pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Origin {
    /// From one joint: G_tgt = G_src · `target_from_source`, with G_src⁰⁻¹ G_tgt⁰ for it.
    One {
        /// The source joint.
        node: NodeIndex,
        /// G_src⁰⁻¹ G_tgt⁰.
        target_from_source: Quat,
    },
    /// From two that it lies between: G_tgt = slerp(D_a, D_b, share) G_tgt⁰.
    Two {
        /// The source joints.
        nodes: [NodeIndex; 2],
        /// Their G⁰⁻¹.
        from_reference: [Quat; 2],
        /// Share of the second, 0 to 1.
        share: f32,
        /// G_tgt⁰.
        reference: Quat,
    },
}

/// A rig and its reference pose.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub rig: &'a RetargetRig,
    pub reference: &'a Reference,
}

impl Side<'_> {
    fn node(&self, role: Role) -> Option<NodeIndex> {
        self.rig.humanoid.node(role)
    }

    fn rotation(&self, role: Role) -> Quat {
        self.reference.rotations.get(&role).copied().unwrap_or_default()
    }

    /// Joints of the spine, each with the share of the way from the hips to the neck at which its bone ends.
    ///
    /// The end, not the joint, places it: the last bone of any spine then ends at the neck, and a spine of one joint
    /// carries the shoulders as far as one of three.
    fn spine(&self) -> Vec<(Role, f32)> {
        let mut world = WorldPose::default();
        let file = self.rig.world_from_file.to_affine();
        self.rig.neutral.to_world(&self.rig.skeleton, &file, &mut world);
        let place = |role| self.node(role).map(|n| Vec3::from(world.matrix(n).translation));
        let roles: Vec<Role> = SPINE.into_iter().filter(|&r| self.node(r).is_some()).collect();
        let end = [Role::Neck, Role::Head].into_iter().find_map(place);
        let mut points: Vec<Vec3> =
            std::iter::once(Role::Hips).chain(roles.iter().copied()).filter_map(place).collect();
        points.extend(end);
        let mut way = 0.0;
        let ends: Vec<f32> = points
            .windows(2)
            .map(|pair| {
                way += pair[0].distance(pair[1]);
                way
            })
            .collect();
        let whole = way.max(f32::MIN_POSITIVE);
        // Without neck and head the last joint has no bone: it stands at the end all the same.
        roles
            .into_iter()
            .enumerate()
            .map(|(i, role)| (role, ends.get(i + 1).map_or(1.0, |end| end / whole)))
            .collect()
    }
}

/// Origins of all target roles that the source says something about.
pub(super) fn pair(source: Side<'_>, target: Side<'_>) -> BTreeMap<Role, Origin> {
    let one = |from: Role, to: Role| {
        let node = source.node(from)?;
        let target_from_source =
            (source.rotation(from).conjugate() * target.rotation(to)).normalize();
        Some(Origin::One { node, target_from_source })
    };
    let two = |a: Role, b: Role, share: f32, to: Role| {
        Some(Origin::Two {
            nodes: [source.node(a)?, source.node(b)?],
            from_reference: [a, b].map(|role| source.rotation(role).conjugate()),
            share,
            reference: target.rotation(to),
        })
    };
    let (from, to) = (source.spine(), target.spine());
    let mut origins = BTreeMap::new();
    for role in target.rig.humanoid.roles.keys().copied() {
        let origin = if let Some(at) = to.iter().position(|(r, _)| *r == role) {
            if from.len() == to.len() {
                one(from[at].0, role)
            } else {
                let after = from.iter().position(|(_, end)| *end >= to[at].1 - 1e-4);
                let after = after.unwrap_or(from.len().saturating_sub(1));
                from.get(after).and_then(|&(upper, high)| {
                    let (lower, low) = if after == 0 { (Role::Hips, 0.0) } else { from[after - 1] };
                    let share = ((to[at].1 - low) / (high - low).max(1e-6)).clamp(0.0, 1.0);
                    two(lower, upper, share, role)
                })
            }
        } else if role == Role::Neck && source.node(Role::Neck).is_none() {
            let below = from.last().map_or(Role::Hips, |(role, _)| *role);
            two(below, Role::Head, 0.5, role)
        } else {
            one(role, role)
        };
        if let Some(origin) = origin {
            origins.insert(role, origin);
        }
    }
    origins
}
