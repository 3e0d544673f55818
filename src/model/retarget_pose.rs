//! What a hand has chosen about retargeting: the poses that rotations are measured from, and who is who on the skeletons
//! that clips come from.

use std::collections::BTreeMap;

use glam::{EulerRot, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::{Role, Skeleton};

/// What a retarget pose starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PoseBase {
    /// What both skeletons have is swung until they stand alike.
    #[default]
    Computed,
    /// The bind pose.
    Bind,
    /// The pose that the file was saved in.
    File,
    /// Arms and fingers straight to the sides, legs straight down, whatever the other skeleton has.
    TPose,
    /// The same with the arms 45° below.
    APose,
}

impl PoseBase {
    /// All, the usual one first.
    pub const ALL: [Self; 5] = [Self::Computed, Self::Bind, Self::File, Self::TPose, Self::APose];
}

/// A side of the body, the character's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodySide {
    /// Left.
    Left,
    /// Right.
    Right,
}

/// The pose in which a skeleton stands as the other one of a retarget does.
///
/// A joint is turned with all that hangs from it, about the body's axes: x to its left, y up, z ahead, as its parents'
/// turns carry them. They are the same for every rig, whatever the axes of its joints, so a pose fits the next
/// character of that kind, and mirrors by two signs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetargetPose {
    /// What it starts from.
    pub base: PoseBase,
    /// Turns of single joints on top of that, degrees about x, y and z; R = Rx Ry Rz. None is zero.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub turns: BTreeMap<Role, Vec3>,
}

impl RetargetPose {
    /// Whether nothing was chosen.
    pub fn is_default(&self) -> bool {
        self.base == PoseBase::Computed && self.turns.is_empty()
    }

    /// Turn of a role's joint, degrees.
    pub fn turn(&self, role: Role) -> Vec3 {
        self.turns.get(&role).copied().unwrap_or_default()
    }

    /// The same as a rotation; `None` for a joint that is not turned, or by no number.
    pub fn rotation(&self, role: Role) -> Option<Quat> {
        let turn = self.turns.get(&role).filter(|t| t.is_finite() && **t != Vec3::ZERO)?;
        let [x, y, z] = turn.to_array().map(f32::to_radians);
        let about_x = Quat::from_rotation_x(x);
        Some((about_x * Quat::from_rotation_y(y) * Quat::from_rotation_z(z)).normalize())
    }

    /// The same pose with one joint turned so; what is no number leaves it as it is.
    #[must_use]
    pub fn with_turn(mut self, role: Role, degrees: Vec3) -> Self {
        if degrees == Vec3::ZERO {
            self.turns.remove(&role);
        } else if degrees.is_finite() {
            self.turns.insert(role, degrees);
        }
        self
    }

    /// The same pose without turns that are none, or no numbers.
    #[must_use]
    pub fn cleaned(mut self) -> Self {
        self.turns.retain(|_, turn| turn.is_finite() && *turn != Vec3::ZERO);
        self
    }

    /// The same pose with one joint turned further, by a rotation about the body's axes.
    #[must_use]
    pub fn turned(self, role: Role, by: Quat) -> Self {
        let now = by * self.rotation(role).unwrap_or_default();
        let (x, y, z) = now.normalize().to_euler(EulerRot::XYZ);
        self.with_turn(role, Vec3::new(x, y, z).map(f32::to_degrees))
    }

    /// The same pose with the turns of one side on the other, too: M R M, with M the mirror at x = 0.
    #[must_use]
    pub fn mirrored(mut self, from: BodySide) -> Self {
        for &role in Role::ALL.iter().filter(|role| role.side() == Some(from)) {
            // The sum makes a zero of a negative one.
            let turn = self.turn(role) * Vec3::new(1.0, -1.0, -1.0) + Vec3::ZERO;
            self = self.with_turn(role.opposite(), turn);
        }
        self
    }
}

/// The retarget poses of a character and of the skeletons that clips come from, who is who on the latter, and what is
/// asked for besides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetargetPoses {
    /// The character's own.
    #[serde(skip_serializing_if = "RetargetPose::is_default")]
    pub own: RetargetPose,
    /// Those of clip files, by the name of the file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, RetargetPose>,
    /// Names of the joints that have a role in clip files, by the name of the file; an empty name says that none has it.
    /// Roles that a table does not name are as they are found.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, BTreeMap<Role, String>>,
    /// Whether hands reach where the source's reach, in lengths of the arms, instead of turning as they do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reach_hands: bool,
}

impl RetargetPoses {
    /// Whether nothing was chosen.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The same without what says nothing: turns of nothing or by no number, poses of files that are as computed, tables
    /// without a role.
    #[must_use]
    pub fn cleaned(self) -> Self {
        let sources = self.sources.into_iter().map(|(file, pose)| (file, pose.cleaned()));
        Self {
            own: self.own.cleaned(),
            sources: sources.filter(|(_, pose)| !pose.is_default()).collect(),
            roles: self.roles.into_iter().filter(|(_, table)| !table.is_empty()).collect(),
            reach_hands: self.reach_hands,
        }
    }

    /// The table of roles that holds for a clip file: its own, or that of another file whose joints its skeleton has,
    /// all that are named and the hips among them. What is said of one file of a recording holds for all.
    pub fn roles_of(&self, file: &str, skeleton: &Skeleton) -> Option<&BTreeMap<Role, String>> {
        if let Some(own) = self.roles.get(file) {
            return Some(own);
        }
        let joints = skeleton.by_name();
        let is_there = |name: &String| name.is_empty() || joints.contains_key(name.as_str());
        self.roles.values().find(|table| {
            table.get(&Role::Hips).is_some_and(|hips| !hips.is_empty())
                && table.values().all(is_there)
        })
    }

    /// The pose of a clip file's skeleton.
    pub fn of_source(&self, file: &str) -> RetargetPose {
        self.sources.get(file).cloned().unwrap_or_default()
    }

    /// The same with another pose of the character (`None`) or of a clip file.
    #[must_use]
    pub fn with(mut self, file: Option<&str>, pose: RetargetPose) -> Self {
        match file {
            None => self.own = pose,
            Some(file) if pose.is_default() => {
                self.sources.remove(file);
            }
            Some(file) => {
                self.sources.insert(file.to_owned(), pose);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_mirrored_onto_the_other_and_back() {
        let turn = Vec3::new(10.0, -20.0, 30.0);
        let pose = RetargetPose::default()
            .with_turn(Role::LeftUpperArm, turn)
            .with_turn(Role::RightHand, Vec3::ONE)
            .with_turn(Role::Chest, Vec3::X);
        let mirrored = pose.mirrored(BodySide::Left);
        assert_eq!(mirrored.turn(Role::RightUpperArm), Vec3::new(10.0, 20.0, -30.0));
        assert_eq!(mirrored.turn(Role::RightHand), Vec3::ZERO, "the left hand is not turned");
        assert_eq!(mirrored.turn(Role::Chest), Vec3::X);
        assert_eq!(mirrored.clone().mirrored(BodySide::Right), mirrored);
        // What is mirrored moves as in a mirror.
        let (left, right) = (Role::LeftUpperArm, Role::RightUpperArm);
        let flip = Vec3::new(-1.0, 1.0, 1.0);
        let p = Vec3::new(0.3, 0.5, -0.2);
        let there = mirrored.rotation(right).unwrap() * (p * flip);
        assert!(there.abs_diff_eq(mirrored.rotation(left).unwrap() * p * flip, 1e-6));
    }

    #[test]
    fn a_turn_of_nothing_is_no_turn() {
        let pose = RetargetPose::default().with_turn(Role::Head, Vec3::Z);
        assert_eq!(pose.clone().with_turn(Role::Head, Vec3::NAN), pose);
        assert!(pose.with_turn(Role::Head, Vec3::ZERO).is_default());
        assert_eq!(RetargetPose::default().rotation(Role::Head), None);
    }

    #[test]
    fn turns_add_up_about_the_bodys_axes() {
        let pose = RetargetPose::default().with_turn(Role::Head, Vec3::new(20.0, 30.0, -40.0));
        let by = Quat::from_rotation_y(0.3);
        let after = pose.clone().turned(Role::Head, by).rotation(Role::Head).unwrap();
        let wanted = by * pose.rotation(Role::Head).unwrap();
        assert!(after.dot(wanted).abs() > 1.0 - 1e-6);
    }

    #[test]
    fn roles_of_a_clip_file_hold_for_files_of_the_same_joints_that_have_no_table() {
        let skeleton = |names: &[&str]| {
            let mut skeleton = Skeleton::default();
            for name in names {
                let node = crate::model::Node {
                    name: (*name).to_owned(),
                    parent: None,
                    local: crate::math::Transform::default(),
                    source: None,
                };
                skeleton.push(node).unwrap();
            }
            skeleton
        };
        let table = |joints: [(Role, &str); 2]| -> BTreeMap<Role, String> {
            joints.map(|(role, joint)| (role, joint.to_owned())).into()
        };
        let first = table([(Role::Hips, "a"), (Role::Head, "b")]);
        let second = table([(Role::Neck, "b"), (Role::Head, "")]);
        let mut poses = RetargetPoses::default();
        poses.roles.insert("walk.bvh".into(), first);
        poses.roles.insert("nod.bvh".into(), second);
        let (whole, part) = (skeleton(&["a", "b", "c"]), skeleton(&["a"]));
        let of = |file: &str, skeleton: &Skeleton| poses.roles_of(file, skeleton).cloned();
        assert_eq!(of("walk.bvh", &part), Some(poses.roles["walk.bvh"].clone()), "its own");
        assert_eq!(of("run.bvh", &whole), Some(poses.roles["walk.bvh"].clone()));
        assert_eq!(of("nod.bvh", &whole), Some(poses.roles["nod.bvh"].clone()));
        assert_eq!(of("run.bvh", &part), None, "a joint of it is missing");
        poses.roles.remove("walk.bvh");
        assert_eq!(poses.roles_of("run.bvh", &whole), None, "a part of a table is one file's");
        let text = ron::to_string(&poses).unwrap();
        assert_eq!(ron::from_str::<RetargetPoses>(&text).unwrap(), poses, "{text}");
    }

    #[test]
    fn poses_come_back_from_their_text() {
        let own = RetargetPose { base: PoseBase::TPose, ..RetargetPose::default() }
            .with_turn(Role::LeftHand, Vec3::new(0.1, 0.2, 33.3));
        let poses = RetargetPoses::default().with(None, own.clone()).with(Some("a.bvh"), own);
        let text = ron::to_string(&poses).unwrap();
        assert_eq!(ron::from_str::<RetargetPoses>(&text).unwrap(), poses, "{text}");
        let back = poses.with(Some("a.bvh"), RetargetPose::default());
        assert!(back.with(None, RetargetPose::default()).is_default());
        let mut odd = RetargetPoses::default();
        odd.own.turns.insert(Role::Hips, Vec3::NAN);
        odd.sources.insert("b.bvh".into(), RetargetPose::default());
        odd.roles.insert("c.bvh".into(), BTreeMap::new());
        assert!(odd.cleaned().is_default());
    }
}
