//! A clip of the canonical humanoid, posed at times, and what is measured on it.

use glam::{Quat, Vec3};
use tailbone::clips::PackedClip;
use tailbone::math::ops;
use tailbone::model::{Clip, Pose, Role, WorldPose};
use tailbone::recipes::{self, CanonicalRig};

/// World position and rotation of every role's joint at one time.
pub struct Shot {
    pub world: WorldPose,
    pub pose: Pose,
}

impl Shot {
    pub fn place(&self, role: Role) -> Vec3 {
        self.world.matrix(recipes::skeleton().joint(role)).translation.into()
    }

    pub fn local(&self, role: Role) -> Quat {
        self.pose.local(recipes::skeleton().joint(role)).rotation
    }

    pub fn turned(&self, role: Role) -> Quat {
        self.world.matrix(recipes::skeleton().joint(role)).to_scale_rotation_translation().1
    }

    /// A point of a joint's own axes, in the world.
    pub fn point(&self, role: Role, at: Vec3) -> Vec3 {
        self.world.matrix(recipes::skeleton().joint(role)).transform_point3(at)
    }

    /// Heel and ball of a foot.
    pub fn sole(&self, foot: Role) -> [Vec3; 2] {
        CanonicalRig::SOLE.map(|p| self.point(foot, p))
    }
}

/// The clip at n + 1 even times from its beginning to its end.
pub fn shots(clip: &Clip, n: usize) -> Vec<Shot> {
    let rig = recipes::skeleton();
    let base = Pose::loaded(rig.skeleton());
    let packed = PackedClip::new(clip, &base);
    (0..=n)
        .map(|k| {
            let mut pose = base.clone();
            packed.sample(clip.duration_secs * k as f64 / n as f64, &mut pose);
            let mut world = WorldPose::default();
            pose.to_world(rig.skeleton(), &rig.character.root_matrix(), &mut world);
            Shot { world, pose }
        })
        .collect()
}

/// Angles of R = Rx(a) Rz(b) Ry(c), in degrees.
pub fn xzy(q: Quat) -> [f32; 3] {
    let (x, y, z) = (q * Vec3::X, q * Vec3::Y, q * Vec3::Z);
    let b = -y.x;
    let c = ops::atan2(z.x, x.x);
    let a = ops::atan2(y.z, y.y);
    [a, ops::atan2(b, (1.0 - b * b).max(0.0).sqrt()), c].map(f32::to_degrees)
}

/// Value below which a share of `values` lies.
pub fn quantile(mut values: Vec<f32>, share: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(((values.len().max(1) - 1) as f32 * share) as usize).copied().unwrap_or(0.0)
}
