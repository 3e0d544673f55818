//! What a pose chosen by hand must do, and what it must leave alone.

use super::test_rig::{Style, humanoid, motion, twisted};
use super::*;
use crate::clips::PackedClip;
use crate::math::{polar_rotation, rotation};
use crate::model::{BodySide, Pose, PoseBase, RetargetPose, WorldPose};

const ARM_DOWN: f32 = 0.9;

fn retargeted(source: &RetargetRig, target: &RetargetRig, options: RetargetOptions) -> Clip {
    let clip = motion(source, &Style::default());
    let made = Retargeter::new(source.clone(), target.clone(), options).unwrap();
    made.clip(&clip, &Work::default()).unwrap()
}

/// World rotation of a role at each of 31 keys.
fn turns(rig: &RetargetRig, clip: &Clip, role: Role) -> Vec<Quat> {
    let (mut pose, mut world) = (Pose::default(), WorldPose::default());
    let packed = PackedClip::new(clip, &rig.neutral);
    (0..=30)
        .map(|key| {
            packed.sample(f64::from(key) / 30.0, &mut pose);
            pose.to_world(&rig.skeleton, &rig.world_from_file.to_affine(), &mut world);
            polar_rotation(&world.matrix(rig.humanoid.node(role).unwrap()))
        })
        .collect()
}

/// Largest angle in degrees between a role's rotations in two clips.
fn apart(rig: &RetargetRig, (a, b): (&Clip, &Clip), role: Role) -> f32 {
    let (a, b) = (turns(rig, a, role), turns(rig, b, role));
    a.iter().zip(b).map(|(a, b)| rotation::angle_between(*a, b).to_degrees()).fold(0.0, f32::max)
}

/// The style's arms lifted from where its bind pose has them to T.
fn lifted() -> RetargetPose {
    let up = Vec3::new(0.0, 0.0, ARM_DOWN.to_degrees());
    RetargetPose { base: PoseBase::Bind, ..RetargetPose::default() }
        .with_turn(Role::LeftUpperArm, up)
        .mirrored(BodySide::Left)
}

#[test]
fn an_a_pose_set_by_hand_to_t_retargets_as_the_computed_pose_does() {
    let source = humanoid(&Style::default());
    for axes in [Style::default().axes, twisted] {
        let style = Style { arms_down: ARM_DOWN, axes, has_twist_joints: true, ..Style::default() };
        let target = humanoid(&style);
        let options = RetargetOptions::default();
        let automatic = retargeted(&source, &target, options);
        let by_hand = retargeted(&source, &target.clone().posed(lifted()), options);
        for &role in target.humanoid.roles.keys() {
            let off = apart(&target, (&automatic, &by_hand), role);
            assert!(off < 0.02, "{}: {off}", role.name());
        }
        let bind = RetargetPose { base: PoseBase::Bind, ..RetargetPose::default() };
        let untouched = retargeted(&source, &target.clone().posed(bind), options);
        let off = apart(&target, (&automatic, &untouched), Role::LeftHand);
        assert!((off - ARM_DOWN.to_degrees()).abs() < 0.05, "in the bind pose: {off}");
    }
}

#[test]
fn a_pose_of_no_turns_changes_no_bit() {
    let source = humanoid(&Style { axes: twisted, ..Style::default() });
    let target = humanoid(&Style { arms_down: 0.7, curl: 0.3, ..Style::default() });
    let options = RetargetOptions::default();
    let plain = retargeted(&source, &target, options);
    let zero = RetargetPose::default().with_turn(Role::LeftHand, Vec3::ZERO);
    assert_eq!(retargeted(&source, &target.clone().posed(zero), options), plain);
    // Nor does a file that writes zeros down: no turn is applied.
    let mut written = RetargetPose::default();
    written.turns.insert(Role::LeftHand, Vec3::ZERO);
    written.turns.insert(Role::Jaw, Vec3::ONE);
    let made = retargeted(&source, &target.clone().posed(written), RetargetOptions::PLAIN);
    let plain = retargeted(&source, &target, RetargetOptions::PLAIN);
    for &role in target.humanoid.roles.keys() {
        assert!(apart(&target, (&plain, &made), role) < 1e-3, "{}", role.name());
    }
}

#[test]
fn ten_degrees_in_the_upper_arm_are_ten_degrees_in_every_frame_and_below_it_only() {
    let source = humanoid(&Style { axes: twisted, ..Style::default() });
    let target = humanoid(&Style { arms_down: 0.7, has_twist_joints: true, ..Style::default() });
    let plain = retargeted(&source, &target, RetargetOptions::PLAIN);
    for turn in [Vec3::X * 10.0, Vec3::Y * -10.0, Vec3::Z * 10.0] {
        let pose = RetargetPose::default().with_turn(Role::LeftUpperArm, turn);
        let edited = retargeted(&source, &target.clone().posed(pose), RetargetOptions::PLAIN);
        for role in [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand] {
            let (a, b) = (turns(&target, &plain, role), turns(&target, &edited, role));
            for (a, b) in a.iter().zip(b) {
                let angle = rotation::angle_between(*a, b).to_degrees();
                assert!((angle - 10.0).abs() < 0.01, "{}: {angle}", role.name());
            }
        }
        for role in [Role::LeftShoulder, Role::RightHand, Role::Head, Role::LeftFoot] {
            assert!(apart(&target, (&plain, &edited), role) < 1e-3, "{}", role.name());
        }
    }
}

#[test]
fn a_turn_of_the_source_is_taken_back_on_the_target() {
    let source = humanoid(&Style::default());
    let target = humanoid(&Style { axes: twisted, ..Style::default() });
    let turn = Vec3::new(0.0, 0.0, 25.0);
    let pose = RetargetPose::default().with_turn(Role::RightUpperArm, turn);
    let plain = retargeted(&source, &target, RetargetOptions::PLAIN);
    let edited = retargeted(&source.clone().posed(pose.clone()), &target, RetargetOptions::PLAIN);
    let off = apart(&target, (&plain, &edited), Role::RightUpperArm);
    assert!((off - 25.0).abs() < 0.01, "{off}");
    // Both turned alike: nothing has changed.
    let both = retargeted(
        &source.posed(pose.clone()),
        &target.clone().posed(pose),
        RetargetOptions::PLAIN,
    );
    assert!(apart(&target, (&plain, &both), Role::RightUpperArm) < 0.01);
}

#[test]
fn both_rigs_stand_alike_and_what_a_hand_turns_is_seen() {
    let source = humanoid(&Style { has_z_up_root: true, axes: twisted, ..Style::default() });
    let style = Style { arms_down: ARM_DOWN, size: 0.4, legs: 0.7, ..Style::default() };
    let target = humanoid(&style);
    let angles = |target: &RetargetRig| {
        let made = Retargeter::new(source.clone(), target.clone(), RetargetOptions::PLAIN).unwrap();
        (made.stand_angles(), made)
    };
    let (alike, made) = angles(&target);
    assert!(alike.len() > 15, "{alike:?}");
    for role in [Role::LeftUpperArm, Role::RightLowerArm, Role::LeftUpperLeg, Role::LeftHand] {
        assert!(alike[&role] < 0.05, "{}: {}", role.name(), alike[&role]);
    }
    // The source, drawn beside the target, is as tall and stands on the same floor.
    let place = |pose: &Pose, rig: &RetargetRig, root: &Affine3A, role: Role| -> Vec3 {
        let mut world = WorldPose::default();
        pose.to_world(&rig.skeleton, root, &mut world);
        world.matrix(rig.humanoid.node(role).unwrap()).translation.into()
    };
    let of_source = |role| place(&made.source_stand(), &source, &made.world_from_source(), role);
    let root = target.world_from_file.to_affine();
    let of_target = |role| place(&made.target_stand(), &target, &root, role);
    assert!(of_source(Role::Hips).distance(of_target(Role::Hips)) < 1e-3);
    assert!((of_source(Role::LeftFoot).y - of_target(Role::LeftFoot).y).abs() < 0.02);
    let arm = (of_target(Role::LeftHand) - of_target(Role::LeftUpperArm)).normalize();
    assert!(arm.dot(Vec3::X) > 0.9999, "{arm}");

    let turned = RetargetPose::default().with_turn(Role::LeftUpperArm, Vec3::Y * 10.0);
    let (edited, _) = angles(&target.clone().posed(turned));
    for role in [Role::LeftUpperArm, Role::LeftLowerArm] {
        assert!((edited[&role] - 10.0).abs() < 0.05, "{}", edited[&role]);
    }
    assert!(edited[&Role::RightUpperArm] < 0.05);
    let bind = RetargetPose { base: PoseBase::Bind, ..RetargetPose::default() };
    let (bound, _) = angles(&target.posed(bind));
    assert!((bound[&Role::LeftUpperArm] - ARM_DOWN.to_degrees()).abs() < 0.05);
}

#[test]
fn presets_hold_the_arms_where_their_names_say() {
    let source = humanoid(&Style::default());
    let target = humanoid(&Style { arms_down: 0.3, axes: twisted, ..Style::default() });
    let arm = |base: PoseBase| {
        let pose = RetargetPose { base, ..RetargetPose::default() };
        let target = target.clone().posed(pose);
        let made = Retargeter::new(source.clone(), target.clone(), RetargetOptions::PLAIN).unwrap();
        let mut world = WorldPose::default();
        made.target_stand().to_world(&target.skeleton, &Affine3A::IDENTITY, &mut world);
        let at = |role| world.matrix(target.humanoid.node(role).unwrap()).translation;
        let line = Vec3::from(at(Role::LeftHand) - at(Role::LeftUpperArm)).normalize();
        crate::math::ops::atan2(-line.y, line.x).to_degrees()
    };
    for (base, down) in [
        (PoseBase::Computed, 0.0),
        (PoseBase::TPose, 0.0),
        (PoseBase::APose, 45.0),
        (PoseBase::Bind, 0.3_f32.to_degrees()),
        (PoseBase::File, 0.3_f32.to_degrees()),
    ] {
        assert!((arm(base) - down).abs() < 0.02, "{base:?}: {}", arm(base));
    }
}

#[test]
fn hips_sink_as_far_as_bent_legs_need() {
    let source = humanoid(&Style::default());
    let target = humanoid(&Style::default());
    // Thighs 60° ahead, shins back upright: half of a thigh's length is lost.
    let thigh = Vec3::X * -60.0;
    let pose = [Role::LeftUpperLeg, Role::RightUpperLeg]
        .into_iter()
        .fold(RetargetPose::default(), |pose, role| pose.with_turn(role, thigh));
    let pose = [Role::LeftLowerLeg, Role::RightLowerLeg]
        .into_iter()
        .fold(pose, |pose, role| pose.with_turn(role, -thigh));
    let stand = |target: &RetargetRig| {
        let made = Retargeter::new(source.clone(), target.clone(), RetargetOptions::PLAIN).unwrap();
        let mut world = WorldPose::default();
        made.target_stand().to_world(&target.skeleton, &Affine3A::IDENTITY, &mut world);
        let at = |role| world.matrix(target.humanoid.node(role).unwrap()).translation.y;
        (at(Role::Hips), at(Role::LeftFoot))
    };
    let (hips, foot) = stand(&target);
    let (sunk, bent) = stand(&target.clone().posed(pose));
    assert!((bent - foot).abs() < 1e-4, "feet stay on the floor: {foot}, {bent}");
    assert!((hips - sunk - 0.43 * 0.5).abs() < 1e-4, "{}", hips - sunk);
}
