//! VRM springs as chains with hair.
//!
//! Based on: spec 4.3, 8 (4.3); VRM 0.0 secondaryAnimation, VRMC_springBone 1.0.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};

use super::HairPlan;
use crate::detect::Detection;
use crate::model::{
    BindPose, Chain, ChainOrigin, Character, ColliderIndex, HairLink, NodeIndex, RawLink, Role,
    SpringSettings, Strand, Tip, VIRTUAL_TAIL_M, Vrm, VrmSpring, VrmSpringJoint,
};

/// The chains of a character's VRM springs, in their order. All are driven.
pub(in crate::rig) fn vrm_chains(
    character: &Character,
    detection: &Detection,
    plan: &HairPlan,
) -> Vec<Chain> {
    let Some(vrm) = &character.vrm else { return Vec::new() };
    let import = Import { character, vrm, bind: &detection.bind };
    vrm.springs.iter().enumerate().filter_map(|(i, s)| import.chain(i, s, plan)).collect()
}

struct Import<'a> {
    character: &'a Character,
    vrm: &'a Vrm,
    bind: &'a BindPose,
}

impl Import<'_> {
    fn chain(&self, index: usize, spring: &VrmSpring, plan: &HairPlan) -> Option<Chain> {
        let skeleton = &self.character.skeleton;
        let first = spring.joints.first()?.node;
        let anchor = skeleton.parent(first)?;
        let mut joints: Vec<NodeIndex> = Vec::with_capacity(spring.joints.len());
        let mut links: Vec<HairLink> = Vec::with_capacity(spring.joints.len());
        for joint in &spring.joints {
            self.fill(&mut joints, &mut links, joint.node);
            joints.push(joint.node);
            links.push(self.link(joint));
        }
        let tip = match spring.end {
            Some(end) => {
                self.fill(&mut joints, &mut links, end);
                Tip::Node(end)
            }
            None => Tip::Virtual(self.virtual_tail(&joints)),
        };
        let settings = plan.by_chain.get(skeleton.name(first)).copied().unwrap_or(plan.settings);
        let mut colliders: Vec<ColliderIndex> = Vec::new();
        for &group in &spring.groups {
            let list = self.vrm.groups.get(group).map_or(&[][..], |g| &g.colliders);
            for &c in list {
                if !colliders.contains(&ColliderIndex(c as u32)) {
                    colliders.push(ColliderIndex(c as u32));
                }
            }
        }
        let strand = Strand {
            links,
            colliders,
            center: spring.center,
            source: Some(index),
            ..Strand::uniform(settings, 0)
        };
        Some(Chain {
            name: skeleton.name(first).to_owned(),
            anchor,
            joints,
            tip,
            origin: ChainOrigin::Existing,
            settings: SpringSettings::default(),
            hair: Some(strand),
            is_driven: true,
        })
    }

    /// Nodes between the last joint and `to`, which no spring turns.
    fn fill(&self, joints: &mut Vec<NodeIndex>, links: &mut Vec<HairLink>, to: NodeIndex) {
        let Some(&last) = joints.last() else { return };
        let skeleton = &self.character.skeleton;
        let mut between: Vec<NodeIndex> =
            skeleton.ancestors(to).take_while(|&n| n != last).collect();
        between.reverse();
        for node in between {
            joints.push(node);
            links.push(HairLink { is_rigid: true, ..HairLink::default() });
        }
    }

    fn link(&self, joint: &VrmSpringJoint) -> HairLink {
        let root = self.character.world_from_file;
        let gravity = root.rotation * joint.gravity_dir * joint.gravity_power;
        let usual_drag = self.vrm.version.usual_drag();
        let hit_radius = joint.hit_radius * root.scale;
        HairLink {
            stiffness: joint.stiffness.clamp(0.0, 16.0),
            damping: joint.drag_force / usual_drag,
            sag: Some(gravity),
            radius_m: Some(hit_radius),
            raw: RawLink {
                stiffness: joint.stiffness * root.scale,
                drag: joint.drag_force,
                gravity: gravity * root.scale,
                hit_radius,
            },
            is_rigid: false,
        }
    }

    /// Seven centimetres on along the last link, in the last joint's own frame.
    fn virtual_tail(&self, joints: &[NodeIndex]) -> Vec3 {
        let Some(&last) = joints.last() else { return Vec3::ZERO };
        let head = self.bind.position(last);
        let before = self.character.skeleton.parent(last).map(|p| self.bind.position(p));
        let along = before.and_then(|b| (head - b).try_normalize()).unwrap_or(Vec3::NEG_Y);
        let local = self.bind.world.matrix(last).inverse();
        let tail = local.transform_vector3(along * VIRTUAL_TAIL_M);
        if tail.is_finite() { tail } else { Vec3::ZERO }
    }
}

/// Whether a strand hangs in front of the chest: its tip below the neck, its line before the head's middle, within
/// the shoulders' width.
pub(in crate::rig) fn hangs_in_front(
    bind: &BindPose,
    detection: &Detection,
    chain: &Chain,
) -> bool {
    let node = |role| detection.humanoid.node(role);
    let Some(head) = node(Role::Head) else { return false };
    let to_body: Quat = detection.body.world_from_body.conjugate();
    let at = |p: Vec3| to_body * (p - bind.position(head));
    let neck = node(Role::Neck).map_or(0.0, |n| at(bind.position(n)).y);
    let shoulders = match (node(Role::LeftUpperArm), node(Role::RightUpperArm)) {
        (Some(l), Some(r)) => 0.5 * (at(bind.position(l)).x - at(bind.position(r)).x).abs(),
        _ => 0.12 * detection.body.height_m,
    };
    let tip = match chain.tip {
        Tip::Node(node) => bind.position(node),
        Tip::Virtual(point) => match chain.joints.last() {
            Some(&last) => bind.world.matrix(last).transform_point3(point),
            None => return false,
        },
    };
    let mut line: Vec<Vec3> = chain.joints.iter().map(|&j| at(bind.position(j))).collect();
    line.push(at(tip));
    let mean = line.iter().copied().sum::<Vec3>() / line.len() as f32;
    let lowest = line.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    lowest < neck && mean.z > 0.0 && at(tip).z > 0.0 && mean.x.abs() < shoulders
}

/// Joints of all strands.
pub(in crate::rig) fn hair_joints(chains: &[Chain]) -> BTreeSet<NodeIndex> {
    let strands = chains.iter().filter(|c| c.hair.is_some());
    strands.flat_map(|c| c.joints.iter().copied()).collect()
}
