//! The humanoid roles that joints may have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BodySide, NodeIndex};

macro_rules! roles {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A humanoid role, named as in VRM 1.0. Left and right are the character's own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub enum Role {
            $(#[doc = concat!("`", $name, "`")] $variant),+
        }

        impl Role {
            /// All roles, hips first, each parent before what hangs from it.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// VRM 1.0's name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The role of that VRM name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|r| r.name() == name)
            }
        }
    };
}

roles! {
    Hips = "hips", Spine = "spine", Chest = "chest", UpperChest = "upperChest", Neck = "neck", Head = "head",
    Jaw = "jaw", LeftEye = "leftEye", RightEye = "rightEye",
    LeftShoulder = "leftShoulder", LeftUpperArm = "leftUpperArm", LeftLowerArm = "leftLowerArm", LeftHand = "leftHand",
    RightShoulder = "rightShoulder", RightUpperArm = "rightUpperArm", RightLowerArm = "rightLowerArm",
    RightHand = "rightHand",
    LeftUpperLeg = "leftUpperLeg", LeftLowerLeg = "leftLowerLeg", LeftFoot = "leftFoot", LeftToes = "leftToes",
    RightUpperLeg = "rightUpperLeg", RightLowerLeg = "rightLowerLeg", RightFoot = "rightFoot", RightToes = "rightToes",
    LeftThumbMetacarpal = "leftThumbMetacarpal", LeftThumbProximal = "leftThumbProximal",
    LeftThumbDistal = "leftThumbDistal",
    LeftIndexProximal = "leftIndexProximal", LeftIndexIntermediate = "leftIndexIntermediate",
    LeftIndexDistal = "leftIndexDistal",
    LeftMiddleProximal = "leftMiddleProximal", LeftMiddleIntermediate = "leftMiddleIntermediate",
    LeftMiddleDistal = "leftMiddleDistal",
    LeftRingProximal = "leftRingProximal", LeftRingIntermediate = "leftRingIntermediate",
    LeftRingDistal = "leftRingDistal",
    LeftLittleProximal = "leftLittleProximal", LeftLittleIntermediate = "leftLittleIntermediate",
    LeftLittleDistal = "leftLittleDistal",
    RightThumbMetacarpal = "rightThumbMetacarpal", RightThumbProximal = "rightThumbProximal",
    RightThumbDistal = "rightThumbDistal",
    RightIndexProximal = "rightIndexProximal", RightIndexIntermediate = "rightIndexIntermediate",
    RightIndexDistal = "rightIndexDistal",
    RightMiddleProximal = "rightMiddleProximal", RightMiddleIntermediate = "rightMiddleIntermediate",
    RightMiddleDistal = "rightMiddleDistal",
    RightRingProximal = "rightRingProximal", RightRingIntermediate = "rightRingIntermediate",
    RightRingDistal = "rightRingDistal",
    RightLittleProximal = "rightLittleProximal", RightLittleIntermediate = "rightLittleIntermediate",
    RightLittleDistal = "rightLittleDistal",
}

impl Role {
    /// Roles without which retargeting and detection do with less: the joints that every VRM must have.
    pub const ESSENTIAL: &'static [Self] = &[
        Self::Hips,
        Self::Spine,
        Self::Head,
        Self::LeftUpperArm,
        Self::LeftLowerArm,
        Self::LeftHand,
        Self::RightUpperArm,
        Self::RightLowerArm,
        Self::RightHand,
        Self::LeftUpperLeg,
        Self::LeftLowerLeg,
        Self::LeftFoot,
        Self::RightUpperLeg,
        Self::RightLowerLeg,
        Self::RightFoot,
    ];

    /// The side it is on; `None` for those in the middle.
    pub fn side(self) -> Option<BodySide> {
        match self.name() {
            name if name.starts_with("left") => Some(BodySide::Left),
            name if name.starts_with("right") => Some(BodySide::Right),
            _ => None,
        }
    }

    /// The role on the other side; the same for those in the middle.
    pub fn opposite(self) -> Self {
        let name = self.name();
        let other = match (name.strip_prefix("left"), name.strip_prefix("right")) {
            (Some(rest), _) => format!("right{rest}"),
            (_, Some(rest)) => format!("left{rest}"),
            _ => return self,
        };
        Self::from_name(&other).unwrap_or(self)
    }
}

/// Whose way of naming joints a skeleton follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamingConvention {
    /// `mixamorig:LeftUpLeg`, with or without prefix.
    Mixamo,
    /// `thigh_l`, `spine_01`: Unreal, Universal Animation Library.
    Unreal,
    /// `DEF-thigh.L`.
    Rigify,
    /// VRM metadata names the joints.
    Vrm,
    /// `Bip01 L Thigh`.
    Biped,
    /// Words such as `left leg upper`, by no one's convention.
    Plain,
    /// Names say nothing: topology and geometry decided.
    Geometry,
    /// No humanoid was found.
    #[default]
    None,
}

/// Which node has which role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HumanoidMap {
    /// At most one node for each role.
    pub roles: BTreeMap<Role, NodeIndex>,
    /// How the roles were found.
    pub convention: NamingConvention,
}

impl HumanoidMap {
    /// The node of a role.
    pub fn node(&self, role: Role) -> Option<NodeIndex> {
        self.roles.get(&role).copied()
    }

    /// Essential roles that no node has.
    pub fn missing(&self) -> impl Iterator<Item = Role> + '_ {
        Role::ESSENTIAL.iter().copied().filter(|role| !self.roles.contains_key(role))
    }

    /// The role of a node.
    pub fn role(&self, node: NodeIndex) -> Option<Role> {
        self.roles.iter().find(|(_, n)| **n == node).map(|(r, _)| *r)
    }
}
