//! The canonical humanoid: 65 joints of a 1.8 m body in T-pose, every joint's axes parallel to the world's.

use std::sync::OnceLock;

use glam::Vec3;

use super::channel::Side;
use crate::math::Transform;
use crate::model::{
    BodyMeasures, Character, HumanoidMap, NamingConvention, Node, NodeIndex, Role, Skeleton,
};

/// The body that recipes move, and the source of every bundled clip.
#[derive(Debug)]
pub struct CanonicalRig {
    /// A character without meshes: its skeleton is in T-pose, metres, +Y up, facing +Z, feet on y = 0.
    pub character: Character,
    /// All roles but jaw and eyes.
    pub humanoid: HumanoidMap,
    /// 1.8 m tall, floor at 0, axes of the world.
    pub body: BodyMeasures,
    /// The joint of each role, in the order of [`Role::ALL`].
    joints: Vec<NodeIndex>,
    /// Where each joint stands in T-pose, in metres, `[N]`.
    places: Vec<Vec3>,
}

impl CanonicalRig {
    /// Where heel and ball of a foot bear on the floor, from the ankle, in the foot's axes.
    pub const SOLE: [Vec3; 2] = [HEEL, BALL];

    /// Its skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.character.skeleton
    }

    /// The joint of a role; the root for the roles it has not (jaw, eyes).
    pub fn joint(&self, role: Role) -> NodeIndex {
        self.joints.get(role as usize).copied().unwrap_or_default()
    }

    /// Where a role's joint stands in T-pose, in metres.
    pub fn rest_position(&self, role: Role) -> Vec3 {
        self.places.get(self.joint(role).index()).copied().unwrap_or_default()
    }
}

/// Height of the ankle over the sole.
pub(super) const ANKLE_M: f32 = 0.09;
/// Where the ball of the foot bears on the floor, from the ankle: height and forward.
pub(super) const BALL: Vec3 = Vec3::new(0.0, -ANKLE_M, 0.135);
/// Where the heel bears on the floor, from the ankle.
pub(super) const HEEL: Vec3 = Vec3::new(0.0, -ANKLE_M, -0.05);
/// How high the toe joint stands over the sole.
const TOE_JOINT_M: f32 = 0.02;

/// The canonical rig, built once.
pub fn skeleton() -> &'static CanonicalRig {
    static RIG: OnceLock<CanonicalRig> = OnceLock::new();
    RIG.get_or_init(build)
}

struct Builder {
    nodes: Vec<Node>,
    positions: Vec<Vec3>,
    humanoid: HumanoidMap,
}

impl Builder {
    /// Adds a joint at `position` in the world. Parents stand before it, by construction of the callers.
    fn joint(
        &mut self,
        name: &str,
        parent: Option<NodeIndex>,
        role: Option<Role>,
        position: Vec3,
    ) -> NodeIndex {
        let index = NodeIndex::from_index(self.nodes.len());
        let origin =
            parent.and_then(|p| self.positions.get(p.index())).copied().unwrap_or_default();
        self.nodes.push(Node {
            name: name.to_owned(),
            parent,
            local: Transform::from_translation(position - origin),
            source: None,
        });
        self.positions.push(position);
        if let Some(role) = role {
            self.humanoid.roles.insert(role, index);
        }
        index
    }

    /// Joints one below the other: name, role, position.
    fn chain(
        &mut self,
        mut parent: NodeIndex,
        joints: &[(String, Option<Role>, Vec3)],
    ) -> Vec<NodeIndex> {
        let mut made = Vec::with_capacity(joints.len());
        for (name, role, position) in joints {
            parent = self.joint(name, Some(parent), *role, *position);
            made.push(parent);
        }
        made
    }
}

/// The role of a VRM name's side: `sided(Left, "UpperArm")` is `leftUpperArm`.
fn sided(side: Side, name: &str) -> Option<Role> {
    let prefix = if side == Side::Left { "left" } else { "right" };
    Role::from_name(&format!("{prefix}{name}"))
}

fn build() -> CanonicalRig {
    let humanoid = HumanoidMap { convention: NamingConvention::Unreal, ..HumanoidMap::default() };
    let mut b = Builder { nodes: Vec::new(), positions: Vec::new(), humanoid };
    let root = b.joint("root", None, None, Vec3::ZERO);
    let middle = |name: &str, role, y, z| (name.to_owned(), Some(role), Vec3::new(0.0, y, z));
    let torso = b.chain(
        root,
        &[
            middle("pelvis", Role::Hips, 0.965, 0.0),
            middle("spine_01", Role::Spine, 1.07, -0.01),
            middle("spine_02", Role::Chest, 1.19, -0.015),
            middle("spine_03", Role::UpperChest, 1.32, -0.015),
            middle("neck_01", Role::Neck, 1.49, -0.005),
            middle("Head", Role::Head, 1.585, 0.015),
        ],
    );
    let joint_of = |i: usize| torso.get(i).copied().unwrap_or_default();
    for side in Side::BOTH {
        arm(&mut b, joint_of(3), side);
    }
    for side in Side::BOTH {
        leg(&mut b, joint_of(0), side);
    }
    let skeleton = Skeleton::new(b.nodes).unwrap_or_default();
    let character = Character { name: "Canonical".to_owned(), skeleton, ..Character::default() };
    let body = BodyMeasures { height_m: 1.8, ..BodyMeasures::default() };
    let joints = Role::ALL.iter().map(|&role| b.humanoid.node(role).unwrap_or_default()).collect();
    CanonicalRig { character, humanoid: b.humanoid, body, joints, places: b.positions }
}

fn suffix(side: Side) -> &'static str {
    if side == Side::Left { "l" } else { "r" }
}

fn arm(b: &mut Builder, chest: NodeIndex, side: Side) {
    let (x, s) = (side.sign(), suffix(side));
    let at = |out: f32, y: f32, z: f32| Vec3::new(x * out, y, z);
    let joint =
        |name: &str, role: &str, position| (format!("{name}_{s}"), sided(side, role), position);
    let bones = b.chain(
        chest,
        &[
            joint("clavicle", "Shoulder", at(0.025, 1.45, 0.01)),
            joint("upperarm", "UpperArm", at(0.18, 1.44, -0.015)),
            joint("lowerarm", "LowerArm", at(0.46, 1.44, -0.015)),
            joint("hand", "Hand", at(0.715, 1.44, -0.015)),
        ],
    );
    let Some(&hand) = bones.last() else { return };
    // Knuckle row and lengths of the finger bones, palm down.
    let fingers = [
        ("index", "Index", 0.095, 0.03, [0.042, 0.026, 0.022]),
        ("middle", "Middle", 0.097, 0.007, [0.046, 0.029, 0.024]),
        ("ring", "Ring", 0.092, -0.016, [0.042, 0.027, 0.023]),
        ("pinky", "Little", 0.083, -0.038, [0.033, 0.021, 0.020]),
    ];
    let thumb = [
        joint("thumb_01", "ThumbMetacarpal", at(0.740, 1.425, 0.015)),
        joint("thumb_02", "ThumbProximal", at(0.770, 1.415, 0.043)),
        joint("thumb_03", "ThumbDistal", at(0.797, 1.408, 0.062)),
        (format!("thumb_04_leaf_{s}"), None, at(0.82, 1.402, 0.077)),
    ];
    b.chain(hand, &thumb);
    for (name, role, knuckle, z, bones) in fingers {
        let place = |along: f32| at(0.715 + knuckle + along, 1.437, -0.015 + z);
        let role = |part: &str| format!("{role}{part}");
        b.chain(
            hand,
            &[
                joint(&format!("{name}_01"), &role("Proximal"), place(0.0)),
                joint(&format!("{name}_02"), &role("Intermediate"), place(bones[0])),
                joint(&format!("{name}_03"), &role("Distal"), place(bones[0] + bones[1])),
                (format!("{name}_04_leaf_{s}"), None, place(bones.iter().sum())),
            ],
        );
    }
}

fn leg(b: &mut Builder, hips: NodeIndex, side: Side) {
    let (x, s) = (side.sign() * 0.092, suffix(side));
    let at = |y: f32, z: f32| Vec3::new(x, y, z);
    let joint =
        |name: &str, role: &str, position| (format!("{name}_{s}"), sided(side, role), position);
    b.chain(
        hips,
        &[
            joint("thigh", "UpperLeg", at(0.93, 0.0)),
            joint("calf", "LowerLeg", at(0.505, 0.0)),
            joint("foot", "Foot", at(ANKLE_M, 0.0)),
            joint("ball", "Toes", at(TOE_JOINT_M, BALL.z)),
            (format!("ball_leaf_{s}"), None, at(TOE_JOINT_M, 0.205)),
        ],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_65_joints_and_every_role_but_jaw_and_eyes() {
        let rig = skeleton();
        assert_eq!(rig.skeleton().len(), 65);
        let absent: Vec<_> =
            Role::ALL.iter().filter(|r| rig.humanoid.node(**r).is_none()).collect();
        assert_eq!(absent, [&Role::Jaw, &Role::LeftEye, &Role::RightEye]);
    }

    #[test]
    fn left_is_plus_x_and_mirrors_right() {
        let rig = skeleton();
        for (left, right) in [
            (Role::LeftHand, Role::RightHand),
            (Role::LeftToes, Role::RightToes),
            (Role::LeftThumbDistal, Role::RightThumbDistal),
        ] {
            let (l, r) = (rig.rest_position(left), rig.rest_position(right));
            assert!(l.x > 0.0);
            assert_eq!(l, Vec3::new(-r.x, r.y, r.z));
        }
    }
}
