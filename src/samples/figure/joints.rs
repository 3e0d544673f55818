//! Joint positions of a humanoid from a few proportions.

use glam::{Quat, Vec3};

use crate::model::Role;

/// The character's own left or right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// +X.
    Left,
    /// -X.
    Right,
}

impl Side {
    /// Both.
    pub(crate) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// +1 or -1 along x.
    pub(crate) const fn sign(self) -> f32 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
}

/// Thumb to little finger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Finger {
    Thumb,
    Index,
    Middle,
    Ring,
    Little,
}

impl Finger {
    /// All five.
    pub(crate) const ALL: [Self; 5] =
        [Self::Thumb, Self::Index, Self::Middle, Self::Ring, Self::Little];
}

/// Which joint of the humanoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JointKey {
    /// At the floor, above the hips in the tree.
    Root,
    /// On the spine, 0 the hips, 1 to 3 the spine, 4 the neck, 5 the head, 6 the head's end.
    Axial(u8),
    /// 0 shoulder, 1 upper arm, 2 lower arm, 3 hand.
    Arm(Side, u8),
    /// 0 upper leg, 1 lower leg, 2 foot, 3 toes, 4 the toes' end.
    Leg(Side, u8),
    /// Joint 0 to 3 of a finger; the last is its end.
    Finger(Side, Finger, u8),
    /// Of a tail that an artist rigged, from 0.
    Tail(u8),
}

impl JointKey {
    /// The humanoid role, where there is one.
    pub(crate) fn role(self) -> Option<Role> {
        use Role::*;
        let axial = [Hips, Spine, Chest, UpperChest, Neck, Head];
        let left_arm = [LeftShoulder, LeftUpperArm, LeftLowerArm, LeftHand];
        let right_arm = [RightShoulder, RightUpperArm, RightLowerArm, RightHand];
        let left_leg = [LeftUpperLeg, LeftLowerLeg, LeftFoot, LeftToes];
        let right_leg = [RightUpperLeg, RightLowerLeg, RightFoot, RightToes];
        let pick = |list: &[Role], i: u8| list.get(usize::from(i)).copied();
        match self {
            Self::Root | Self::Tail(_) => None,
            Self::Axial(i) => pick(&axial, i),
            Self::Arm(Side::Left, i) => pick(&left_arm, i),
            Self::Arm(Side::Right, i) => pick(&right_arm, i),
            Self::Leg(Side::Left, i) => pick(&left_leg, i),
            Self::Leg(Side::Right, i) => pick(&right_leg, i),
            Self::Finger(side, finger, i) => {
                let first = match side {
                    Side::Left => LeftThumbMetacarpal,
                    Side::Right => RightThumbMetacarpal,
                };
                let all = Role::ALL.iter().position(|r| *r == first)?;
                (i < 3)
                    .then(|| Role::ALL.get(all + finger as usize * 3 + usize::from(i)).copied())?
            }
        }
    }
}

/// A joint and where it stands in the bind pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointSpec {
    /// Which.
    pub(crate) key: JointKey,
    /// Index of its parent in the figure, always smaller.
    pub(crate) parent: Option<usize>,
    /// Metres.
    pub(crate) position: Vec3,
}

/// A posed skeleton in bind pose, parents first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figure {
    /// The joints.
    pub(crate) joints: Vec<JointSpec>,
}

impl Figure {
    /// Index of a joint.
    pub(crate) fn find(&self, key: JointKey) -> Option<usize> {
        self.joints.iter().position(|j| j.key == key)
    }

    /// Where a joint stands; the origin for one that the figure does not have.
    pub(crate) fn at(&self, key: JointKey) -> Vec3 {
        self.find(key).map_or(Vec3::ZERO, |i| self.joints[i].position)
    }

    /// Appends a joint below `parent`.
    pub(crate) fn push(&mut self, key: JointKey, parent: Option<JointKey>, position: Vec3) {
        let parent = parent.and_then(|p| self.find(p));
        self.joints.push(JointSpec { key, parent, position });
    }
}

/// Proportions of a humanoid, as shares of its height unless a unit is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proportions {
    /// Metres; crown of a bare head above the floor.
    pub(crate) height: f32,
    /// Height of the hips.
    pub(crate) hips: f32,
    /// Height of the neck's root.
    pub(crate) neck: f32,
    /// Height of the head joint.
    pub(crate) head: f32,
    /// Half distance of the shoulder joints.
    pub(crate) shoulders: f32,
    /// Half distance of the thigh heads.
    pub(crate) hip_width: f32,
    /// Upper arm; the lower arm has 0.92 of it.
    pub(crate) arm: f32,
    /// Angle of the arms below level, radians: 0 is a T-pose.
    pub(crate) arm_drop: f32,
    /// Foot from ankle to ball.
    pub(crate) foot: f32,
    /// Length of the middle finger.
    pub(crate) finger: f32,
    /// How far hock and knee stand out, 0 for a human leg, 1 for an animal's.
    pub(crate) digitigrade: f32,
    /// 65 joints rather than 22.
    pub(crate) has_fingers: bool,
    /// Whether a joint stands at the floor above the hips.
    pub(crate) has_root: bool,
}

impl Default for Proportions {
    fn default() -> Self {
        Self {
            height: 1.8,
            hips: 0.53,
            neck: 0.82,
            head: 0.865,
            shoulders: 0.105,
            hip_width: 0.052,
            arm: 0.155,
            arm_drop: 0.0,
            foot: 0.085,
            finger: 0.05,
            digitigrade: 0.0,
            has_fingers: false,
            has_root: false,
        }
    }
}

impl Proportions {
    /// The skeleton with these proportions, in metres, feet on y = 0, facing +Z.
    pub(crate) fn figure(&self) -> Figure {
        let mut figure = Figure::default();
        let h = self.height;
        let hips = JointKey::Axial(0);
        if self.has_root {
            figure.push(JointKey::Root, None, Vec3::ZERO);
        }
        figure.push(
            hips,
            self.has_root.then_some(JointKey::Root),
            Vec3::new(0.0, self.hips, 0.0) * h,
        );
        let rise = self.neck - self.hips;
        for (i, (share, z)) in [(0.2, 0.004), (0.45, -0.002), (0.72, -0.008)].iter().enumerate() {
            let i = i as u8 + 1;
            figure.push(
                JointKey::Axial(i),
                Some(JointKey::Axial(i - 1)),
                Vec3::new(0.0, self.hips + rise * share, *z) * h,
            );
        }
        figure.push(
            JointKey::Axial(4),
            Some(JointKey::Axial(3)),
            Vec3::new(0.0, self.neck, -0.01) * h,
        );
        figure.push(
            JointKey::Axial(5),
            Some(JointKey::Axial(4)),
            Vec3::new(0.0, self.head, 0.0) * h,
        );
        if self.has_fingers {
            let end = Vec3::new(0.0, 1.0, 0.01) * h;
            figure.push(JointKey::Axial(6), Some(JointKey::Axial(5)), end);
        }
        for side in Side::BOTH {
            self.arm(&mut figure, side);
        }
        for side in Side::BOTH {
            self.leg(&mut figure, side);
        }
        figure
    }

    fn arm(&self, figure: &mut Figure, side: Side) {
        let (h, x) = (self.height, side.sign());
        let drop = Quat::from_rotation_z(-x * self.arm_drop);
        let key = |i| JointKey::Arm(side, i);
        let shoulder = Vec3::new(x * 0.028, self.neck - 0.022, 0.0) * h;
        let mut at = Vec3::new(x * self.shoulders, self.neck - 0.028, -0.008) * h;
        figure.push(key(0), Some(JointKey::Axial(3)), shoulder);
        figure.push(key(1), Some(key(0)), at);
        let along = drop * Vec3::new(x, 0.0, 0.0);
        at += along * self.arm * h + Vec3::new(0.0, 0.0, -0.004) * h;
        figure.push(key(2), Some(key(1)), at);
        at += along * self.arm * 0.92 * h + Vec3::new(0.0, 0.0, 0.004) * h;
        figure.push(key(3), Some(key(2)), at);
        if !self.has_fingers {
            return;
        }
        // Palm down in a T-pose: fingers fan out in z, the thumb points forward.
        for finger in Finger::ALL {
            let (z, start, length, spread) = match finger {
                Finger::Thumb => (0.45, 0.25, 0.85, 0.75),
                Finger::Index => (0.42, 1.0, 0.92, 0.10),
                Finger::Middle => (0.14, 1.05, 1.0, 0.02),
                Finger::Ring => (-0.14, 1.0, 0.92, -0.06),
                Finger::Little => (-0.40, 0.92, 0.76, -0.14),
            };
            let f = self.finger * h;
            let direction = (drop * Vec3::new(x, 0.0, spread)).normalize();
            let root = at + drop * Vec3::new(x * start, 0.0, z) * f;
            for i in 0..4 {
                let share = [0.0, 0.42, 0.72, 1.0][usize::from(i)] * length * f;
                let key = |i| JointKey::Finger(side, finger, i);
                let parent = if i == 0 { JointKey::Arm(side, 3) } else { key(i - 1) };
                figure.push(key(i), Some(parent), root + direction * share);
            }
        }
    }

    fn leg(&self, figure: &mut Figure, side: Side) {
        let (h, x, d) = (self.height, side.sign(), self.digitigrade);
        let key = |i| JointKey::Leg(side, i);
        let top = self.hips - 0.025;
        let ankle = 0.042 + 0.09 * d;
        let knee = (top - ankle) * (0.50 + 0.06 * d) + ankle;
        let points = [
            Vec3::new(self.hip_width, top, 0.0),
            Vec3::new(self.hip_width * 1.05, knee, 0.008 + 0.05 * d),
            Vec3::new(self.hip_width * 1.1, ankle, -0.012 - 0.06 * d),
            Vec3::new(self.hip_width * 1.2, 0.012, self.foot - 0.02 - 0.05 * d),
            Vec3::new(self.hip_width * 1.25, 0.01, self.foot + 0.03 - 0.05 * d),
        ];
        for (i, p) in points.iter().take(if self.has_fingers { 5 } else { 4 }).enumerate() {
            let i = i as u8;
            let parent = if i == 0 { JointKey::Axial(0) } else { key(i - 1) };
            figure.push(key(i), Some(parent), Vec3::new(p.x * x, p.y, p.z) * h);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_22_or_65_joints_each_role_once() {
        let small = Proportions::default().figure();
        assert_eq!(small.joints.len(), 22);
        let full = Proportions { has_fingers: true, ..Proportions::default() }.figure();
        assert_eq!(full.joints.len(), 65);
        let mut roles: Vec<_> = full.joints.iter().filter_map(|j| j.key.role()).collect();
        assert_eq!(roles.len(), 22 + 30);
        roles.sort();
        roles.dedup();
        assert_eq!(roles.len(), 22 + 30, "no role twice");
        assert!(full.joints.iter().enumerate().all(|(i, j)| j.parent.is_none_or(|p| p < i)));
    }

    #[test]
    fn left_is_at_positive_x() {
        let figure = Proportions::default().figure();
        assert!(figure.at(JointKey::Leg(Side::Left, 0)).x > 0.0);
        assert_eq!(
            JointKey::Finger(Side::Right, Finger::Index, 2).role(),
            Some(Role::RightIndexDistal)
        );
    }
}
