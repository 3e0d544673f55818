//! Both rigs in the pose that rotations are measured from, for whoever looks at it or mends it.

use std::collections::BTreeMap;

use glam::{Affine3A, Quat, Vec3};

use super::Retargeter;
use super::body::Body;
use super::reference::{ARMS, FINGERS, LEGS, SPINE, THUMBS};
use crate::math::{ops, polar_rotation};
use crate::model::{Pose, Role, WorldPose};

impl Retargeter {
    /// The source's nodes in its reference pose, `[N]`; nodes without a role keep their bind pose.
    pub fn source_stand(&self) -> Pose {
        self.source.reference.pose(&self.source.rig)
    }

    /// The target's nodes in its reference pose, `[N]`.
    pub fn target_stand(&self) -> Pose {
        self.target.reference.pose(&self.target.rig)
    }

    /// From the source's file to the target's world, metres: as large as the target, its hips and its floor where the
    /// target has them. What shows both side by side draws the source by it.
    pub fn world_from_source(&self) -> Affine3A {
        let (source, target) = (&self.source.reference, &self.target.reference);
        let (from, to) = (source.hips.with_y(source.floor), target.hips.with_y(target.floor));
        let canonical = Affine3A::from_translation(to)
            * Affine3A::from_scale(Vec3::splat(self.scale))
            * Affine3A::from_translation(-from);
        let world_from_file = self.target.rig.world_from_file.to_affine();
        let world_from_canonical = world_from_file * self.target.canonical_from_file.inverse();
        world_from_canonical * canonical * self.source.canonical_from_file
    }

    /// From the target's world to the body's axes, which turns of a pose are about.
    pub fn body_from_world(&self) -> Quat {
        let world_from_file = self.target.rig.world_from_file.to_affine();
        polar_rotation(&(self.target.canonical_from_file * world_from_file.inverse()))
    }

    /// How far apart the bones of the two rigs point in their reference poses, degrees, by the role at their roots.
    ///
    /// Only bones whose two ends both rigs have. Pelvis, spine, neck and feet differ by where rigs put their joints;
    /// other bones are as good as parallel unless a hand turned them.
    pub fn stand_angles(&self) -> BTreeMap<Role, f32> {
        let places = |body: &Body| -> BTreeMap<Role, Vec3> {
            let mut world = WorldPose::default();
            let pose = body.reference.pose(&body.rig);
            pose.to_world(&body.rig.skeleton, &body.canonical_from_file, &mut world);
            let place = |(role, node): (&Role, &_)| (*role, world.matrix(*node).translation.into());
            body.rig.humanoid.roles.iter().map(place).collect()
        };
        let (source, target) = (places(&self.source), places(&self.target));
        let is_shared = |role: &Role| source.contains_key(role) && target.contains_key(role);
        let bones = lines().into_iter().flat_map(|line| {
            let shared: Vec<Role> = line.into_iter().filter(is_shared).collect();
            shared.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()
        });
        let mut angles = BTreeMap::new();
        for (role, next) in bones {
            let bone = |places: &BTreeMap<Role, Vec3>| {
                (*places.get(&next)? - *places.get(&role)?).try_normalize()
            };
            if let (Some(a), Some(b)) = (bone(&source), bone(&target)) {
                let angle = ops::atan2(a.cross(b).length(), a.dot(b)).to_degrees();
                angles.entry(role).or_insert(angle);
            }
        }
        angles
    }
}

/// Joints that follow on each other along a body; the first line of several that leave a joint is its bone.
fn lines() -> Vec<Vec<Role>> {
    let mut lines = vec![
        [Role::Hips].into_iter().chain(SPINE).chain([Role::Neck, Role::Head]).collect::<Vec<_>>(),
    ];
    for (side, shoulder) in [Role::LeftShoulder, Role::RightShoulder].into_iter().enumerate() {
        // The hand's bone ends at the middle finger, or else at the first finger there is.
        let [index, middle, ring, little] = FINGERS[side].map(Vec::from);
        lines.push([shoulder].into_iter().chain(ARMS[side]).collect());
        for finger in [middle, index, ring, little] {
            lines.push([ARMS[side][2]].into_iter().chain(finger).collect());
        }
        lines.push(THUMBS[side].to_vec());
        lines.push(LEGS[side].to_vec());
    }
    lines
}
