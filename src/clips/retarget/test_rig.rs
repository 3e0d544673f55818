//! Humanoids made for tests: known places, any joint axes, any unit, any pose; and motion whose truth is known.

use std::collections::BTreeMap;

use glam::{Affine3A, Quat, Vec3};

use super::RetargetRig;
use crate::math::{Similarity, Transform, ops};
use crate::model::{
    Clip, HumanoidMap, Interpolation, NamingConvention, Node, NodeIndex, Pose, Role, Skeleton,
    Track, TrackValues, WorldPose,
};

/// How a test humanoid is made.
#[derive(Clone)]
pub struct Style {
    /// Size over a body of 1.8 m.
    pub size: f32,
    /// Legs over those of that body.
    pub legs: f32,
    /// How much higher the knees are, in metres of a body of 1.8 m.
    pub knee: f32,
    /// How far the arms hang below ±x, in radians.
    pub arms_down: f32,
    /// How far the fingers curl at each joint.
    pub curl: f32,
    /// Rotation of each joint in T-pose; its index is the role's.
    pub axes: fn(usize) -> Quat,
    /// Roles left out.
    pub without: Vec<Role>,
    /// A joint without a role between upper and lower arms.
    pub has_twist_joints: bool,
    /// A root node with scale 0.01 that turns Z up, as exporters write it.
    pub has_z_up_root: bool,
    /// From its file to the world.
    pub world_from_file: Similarity,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            size: 1.0,
            legs: 1.0,
            knee: 0.0,
            arms_down: 0.0,
            curl: 0.0,
            axes: |_| Quat::IDENTITY,
            without: Vec::new(),
            has_twist_joints: false,
            has_z_up_root: false,
            world_from_file: Similarity::default(),
        }
    }
}

/// An arbitrary rotation for each joint.
pub fn twisted(i: usize) -> Quat {
    let x = i as f32;
    Quat::from_scaled_axis(Vec3::new(ops::sin(x * 1.7), ops::sin(x * 2.9), ops::cos(x)) * 2.0)
}

/// Role, parent role and place on a body of 1.8 m in T-pose, parents first.
fn body() -> Vec<(Role, Option<Role>, Vec3)> {
    use Role::*;
    let mut joints = vec![
        (Hips, None, Vec3::new(0.0, 0.98, 0.0)),
        (Spine, Some(Hips), Vec3::new(0.0, 1.08, 0.0)),
        (Chest, Some(Spine), Vec3::new(0.0, 1.2, 0.0)),
        (UpperChest, Some(Chest), Vec3::new(0.0, 1.32, 0.0)),
        (Neck, Some(UpperChest), Vec3::new(0.0, 1.5, 0.0)),
        (Head, Some(Neck), Vec3::new(0.0, 1.6, 0.02)),
    ];
    let sides = [
        (
            1.0,
            [LeftShoulder, LeftUpperArm, LeftLowerArm, LeftHand],
            [LeftUpperLeg, LeftLowerLeg, LeftFoot, LeftToes],
            [LeftIndexProximal, LeftIndexIntermediate, LeftIndexDistal],
        ),
        (
            -1.0,
            [RightShoulder, RightUpperArm, RightLowerArm, RightHand],
            [RightUpperLeg, RightLowerLeg, RightFoot, RightToes],
            [RightIndexProximal, RightIndexIntermediate, RightIndexDistal],
        ),
    ];
    for (s, arm, leg, finger) in sides {
        let at = |x: f32, y: f32, z: f32| Vec3::new(s * x, y, z);
        joints.extend([
            (arm[0], Some(UpperChest), at(0.04, 1.46, 0.0)),
            (arm[1], Some(arm[0]), at(0.18, 1.46, 0.0)),
            (arm[2], Some(arm[1]), at(0.46, 1.46, 0.0)),
            (arm[3], Some(arm[2]), at(0.72, 1.46, 0.0)),
            (finger[0], Some(arm[3]), at(0.81, 1.46, 0.0)),
            (finger[1], Some(finger[0]), at(0.85, 1.46, 0.0)),
            (finger[2], Some(finger[1]), at(0.88, 1.46, 0.0)),
            (leg[0], Some(Hips), at(0.1, 0.94, 0.0)),
            (leg[1], Some(leg[0]), at(0.1, 0.51, 0.0)),
            (leg[2], Some(leg[1]), at(0.1, 0.08, 0.0)),
            (leg[3], Some(leg[2]), at(0.1, 0.02, 0.13)),
        ]);
    }
    joints
}

/// How far a joint has turned from T-pose in the style's bind pose.
fn bind_turn(style: &Style, role: Role) -> Quat {
    let name = role.name();
    let side = if name.starts_with("left") { -1.0 } else { 1.0 };
    let down = Quat::from_rotation_z(side * style.arms_down);
    match role {
        Role::LeftIndexProximal | Role::RightIndexProximal => {
            down * Quat::from_rotation_z(side * style.curl)
        }
        Role::LeftIndexIntermediate
        | Role::RightIndexIntermediate
        | Role::LeftIndexDistal
        | Role::RightIndexDistal => down * Quat::from_rotation_z(side * 2.0 * style.curl),
        _ if name.ends_with("Arm") || name.ends_with("Hand") => down,
        _ => Quat::IDENTITY,
    }
}

/// A humanoid of that style.
pub fn humanoid(style: &Style) -> RetargetRig {
    let body = body();
    let t_pose: BTreeMap<Role, Vec3> = body
        .iter()
        .map(|&(role, _, p)| {
            let leg = |y: f32| y * style.legs;
            let lift = 0.94 * (style.legs - 1.0);
            let y = if p.y <= 0.94 { leg(p.y) } else { p.y + lift };
            let is_knee = matches!(role, Role::LeftLowerLeg | Role::RightLowerLeg);
            let y = if is_knee { y + style.knee } else { y };
            (role, Vec3::new(p.x, y, p.z) * style.size)
        })
        .collect();
    let file_from_world = style.world_from_file.to_affine().inverse();
    let mut nodes = Vec::new();
    let mut world: Vec<Affine3A> = Vec::new();
    let mut add = |name: &str, parent: Option<usize>, matrix: Affine3A| {
        let above = parent.map_or(file_from_world.inverse(), |p| world[p]);
        nodes.push(Node {
            name: name.into(),
            parent: parent.map(NodeIndex::from_index),
            local: Transform::from_affine(&(above.inverse() * matrix)),
            source: None,
        });
        world.push(matrix);
        world.len() - 1
    };
    let scale = if style.has_z_up_root { 0.01 } else { 1.0 };
    let root = if style.has_z_up_root {
        let turn = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
        let matrix = Affine3A::from_scale_rotation_translation(
            Vec3::splat(scale),
            turn,
            Vec3::new(0.0, 0.0, 0.3),
        );
        Some(add("Armature", None, matrix))
    } else {
        None
    };
    let scale = scale * style.world_from_file.scale;
    let mut places: BTreeMap<Role, Vec3> = BTreeMap::new();
    let mut placed: BTreeMap<Role, usize> = BTreeMap::new();
    let mut roles = BTreeMap::new();
    let mut parents: BTreeMap<Role, Option<Role>> = BTreeMap::new();
    for (index, (role, parent, _)) in body.into_iter().enumerate() {
        parents.insert(role, parent);
        let place = match parent {
            Some(p) => places[&p] + bind_turn(style, p) * (t_pose[&role] - t_pose[&p]),
            None => t_pose[&role],
        };
        places.insert(role, place);
        if style.without.contains(&role) {
            continue;
        }
        let above = std::iter::successors(parent, |p| parents[p]).find_map(|p| placed.get(&p));
        let rotation = bind_turn(style, role) * (style.axes)(index);
        let matrix = Affine3A::from_scale_rotation_translation(Vec3::splat(scale), rotation, place);
        let mut above = above.copied().or(root);
        if style.has_twist_joints && role.name().ends_with("LowerArm") {
            let upper = places[&parent.unwrap_or(Role::Hips)];
            let twist = Affine3A::from_scale_rotation_translation(
                Vec3::splat(scale),
                twisted(index + 7),
                0.5 * (upper + place),
            );
            above = Some(add("twist", above, twist));
        }
        let node = add(role.name(), above, matrix);
        placed.insert(role, node);
        roles.insert(role, NodeIndex::from_index(node));
    }
    let skeleton = Skeleton::new(nodes).unwrap();
    let pose = Pose::loaded(&skeleton);
    RetargetRig {
        loaded: pose.clone(),
        neutral: pose,
        skeleton,
        humanoid: HumanoidMap { roles, convention: NamingConvention::Plain },
        world_from_file: style.world_from_file,
        floor_m: Some(0.0),
        support: Vec::new(),
        pose: Default::default(),
    }
}

/// The turn of a role from T-pose at a time: the truth that every rig's motion is made from. Closes after 1 s.
pub fn turn_at(role: Role, time: f32) -> Quat {
    let i = Role::ALL.iter().position(|&r| r == role).unwrap() as f32;
    let w = std::f32::consts::TAU;
    let axis = Vec3::new(ops::sin(i * 1.3), ops::sin(i * 2.1 + 1.0), ops::cos(i * 0.7));
    Quat::from_scaled_axis(axis * 0.6 * ops::sin(w * time + i))
        * Quat::from_rotation_y(0.3 * ops::cos(w * time))
}

/// Way of the hips from where they stand, in metres of a body of 1.8 m.
pub fn way_at(time: f32) -> Vec3 {
    let w = std::f32::consts::TAU;
    Vec3::new(
        0.05 * ops::sin(w * time),
        0.04 * ops::cos(2.0 * w * time) - 0.04,
        0.1 * ops::sin(w * time),
    )
}

/// That motion on a rig, 31 keys over a second.
pub fn motion(rig: &RetargetRig, style: &Style) -> Clip {
    let times: Vec<f32> = (0..=30).map(|i| i as f32 / 30.0).collect();
    let world_from_file = rig.world_from_file.to_affine();
    let mut neutral = WorldPose::default();
    rig.neutral.to_world(&rig.skeleton, &world_from_file, &mut neutral);
    let rotation = |m: &Affine3A| crate::math::polar_rotation(m);
    let mut rotations: BTreeMap<NodeIndex, Vec<Quat>> = BTreeMap::new();
    let mut way = Vec::new();
    let hips = rig.humanoid.node(Role::Hips).unwrap();
    for &time in &times {
        let mut world: Vec<Quat> = Vec::new();
        for node in rig.skeleton.indices() {
            let above =
                rig.skeleton.parent(node).map_or(rotation(&world_from_file), |p| world[p.index()]);
            let own = match rig.humanoid.role(node) {
                Some(role) => {
                    let reference =
                        bind_turn(style, role).conjugate() * rotation(&neutral.matrix(node));
                    turn_at(role, time) * reference
                }
                None => above * rig.neutral.local(node).rotation,
            };
            if rig.humanoid.role(node).is_some() {
                rotations.entry(node).or_default().push(above.conjugate() * own);
            }
            world.push(own);
        }
        let parent = rig.skeleton.parent(hips).map_or(world_from_file, |p| neutral.matrix(p));
        let place: Vec3 = neutral.matrix(hips).translation.into();
        let size = style.size * style.legs;
        way.push(parent.inverse().transform_point3(place + way_at(time) * size));
    }
    let track = |node, values| Track {
        node,
        times: times.clone(),
        values,
        interpolation: Interpolation::Linear,
    };
    let mut tracks = vec![track(hips, TrackValues::Translation(way))];
    tracks
        .extend(rotations.into_iter().map(|(node, keys)| track(node, TrackValues::Rotation(keys))));
    Clip { name: "Test_Loop".into(), duration_secs: 1.0, looping: true, tracks, source: None }
}
