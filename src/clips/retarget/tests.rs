//! What retargeting must keep, on humanoids whose motion is known.

use std::f32::consts::FRAC_PI_2;

use glam::Mat3;

use super::test_rig::{Style, humanoid, motion, turn_at, twisted, way_at};
use super::*;
use crate::clips::PackedClip;
use crate::math::{Similarity, ops, polar_rotation, rotation};
use crate::model::Pose;
use crate::model::{Interpolation, WorldPose};

fn retarget(source: (&RetargetRig, &Clip), target: &RetargetRig) -> Clip {
    Retargeter::new(source.0.clone(), target.clone(), RetargetOptions::PLAIN)
        .unwrap()
        .clip(source.1, &Work::default())
        .unwrap()
}

fn world_at(rig: &RetargetRig, clip: &Clip, time: f32) -> WorldPose {
    let mut pose = Pose::default();
    PackedClip::new(clip, &rig.neutral).sample(f64::from(time), &mut pose);
    let mut world = WorldPose::default();
    pose.to_world(&rig.skeleton, &rig.world_from_file.to_affine(), &mut world);
    world
}

fn place(rig: &RetargetRig, world: &WorldPose, role: Role) -> Option<Vec3> {
    rig.humanoid.node(role).map(|n| world.matrix(n).translation.into())
}

/// Largest angle in degrees between the bones of a rig that plays `clip` and the truth of the test motion.
fn worst_bone_error(rig: &RetargetRig, clip: &Clip) -> f32 {
    use Role::*;
    let bones = [
        (LeftUpperArm, LeftLowerArm, Vec3::X),
        (LeftLowerArm, LeftHand, Vec3::X),
        (LeftIndexProximal, LeftIndexIntermediate, Vec3::X),
        (RightUpperArm, RightLowerArm, Vec3::NEG_X),
        (RightLowerArm, RightHand, Vec3::NEG_X),
        (RightIndexIntermediate, RightIndexDistal, Vec3::NEG_X),
        (LeftUpperLeg, LeftLowerLeg, Vec3::NEG_Y),
        (RightLowerLeg, RightFoot, Vec3::NEG_Y),
        (Chest, UpperChest, Vec3::Y),
    ];
    let mut worst = 0.0_f32;
    for time in [0.0, 0.2, 0.5, 0.9] {
        let world = world_at(rig, clip, time);
        for (role, next, aim) in bones {
            if let (Some(a), Some(b)) = (place(rig, &world, role), place(rig, &world, next)) {
                let truth = turn_at(role, time) * aim;
                worst = worst.max(ops::acos((b - a).normalize().dot(truth)).to_degrees());
            }
        }
    }
    worst
}

/// Largest angle in degrees between two clips' local rotations of the roles both rigs have.
fn worst_difference(a: &Clip, b: &Clip, nodes: &[NodeIndex], rig: &RetargetRig) -> f32 {
    let (a, b) = (PackedClip::new(a, &rig.neutral), PackedClip::new(b, &rig.neutral));
    let (mut pa, mut pb) = (Pose::default(), Pose::default());
    let mut worst = 0.0_f32;
    for key in 0..=30 {
        let time = f64::from(key) / 30.0;
        a.sample(time, &mut pa);
        b.sample(time, &mut pb);
        for &node in nodes {
            let (p, q) = (pa.local(node), pb.local(node));
            worst = worst.max(rotation::angle_between(p.rotation, q.rotation).to_degrees());
        }
    }
    worst
}

fn role_nodes(rig: &RetargetRig) -> Vec<NodeIndex> {
    rig.humanoid.roles.values().copied().collect()
}

#[test]
fn onto_itself_a_clip_is_itself() {
    for style in [
        Style::default(),
        Style { axes: twisted, arms_down: 0.8, curl: 0.2, has_z_up_root: true, ..Style::default() },
    ] {
        let rig = humanoid(&style);
        let clip = motion(&rig, &style);
        let same = retarget((&rig, &clip), &rig);
        assert!(worst_difference(&clip, &same, &role_nodes(&rig), &rig) < 0.01);
        let hips = rig.humanoid.node(Role::Hips).unwrap();
        let (a, b) = (world_at(&rig, &clip, 0.37), world_at(&rig, &same, 0.37));
        assert!(a.matrix(hips).translation.distance(b.matrix(hips).translation) < 1e-5);
    }
}

#[test]
fn bones_point_where_the_source_points_them_whatever_the_bind_poses_and_axes() {
    let source_style = Style { axes: twisted, ..Style::default() };
    let source = humanoid(&source_style);
    let clip = motion(&source, &source_style);
    assert!(worst_bone_error(&source, &clip) < 0.05, "the test motion is its own truth");
    let targets = [
        Style { arms_down: 0.9, ..Style::default() },
        Style { arms_down: 0.9, curl: 0.4, axes: |i| twisted(i + 3), ..Style::default() },
        Style {
            arms_down: FRAC_PI_2,
            size: 0.3,
            legs: 0.6,
            has_twist_joints: true,
            ..Style::default()
        },
        Style { has_z_up_root: true, axes: twisted, ..Style::default() },
    ];
    for style in targets {
        let target = humanoid(&style);
        let there = retarget((&source, &clip), &target);
        let error = worst_bone_error(&target, &there);
        assert!(error < 0.1, "{error}° off, arms down {}", style.arms_down);
        let back = retarget((&target, &there), &source);
        let shared = role_nodes(&source);
        assert!(worst_difference(&clip, &back, &shared, &source) < 1.0, "there and back");
    }
}

#[test]
fn all_24_permutations_of_joint_axes_give_the_same_motion() {
    const AXES: [Vec3; 6] = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let style = Style::default();
    let source = humanoid(&style);
    let clip = motion(&source, &style);
    let plain = retarget((&source, &clip), &source);
    let mut n = 0;
    for x in AXES {
        for y in AXES {
            if x.dot(y) != 0.0 {
                continue;
            }
            n += 1;
            let axes = Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)));
            let mut target = source.clone();
            // Every joint gets the new axes, places stay.
            let mut nodes = target.skeleton.nodes().to_vec();
            for node in &mut nodes {
                let above = if node.parent.is_some() { axes } else { Quat::IDENTITY };
                node.local.rotation = above.conjugate() * node.local.rotation * axes;
                node.local.translation = above.conjugate() * node.local.translation;
            }
            target.skeleton = crate::model::Skeleton::new(nodes).unwrap();
            target.neutral = Pose::loaded(&target.skeleton);
            target.loaded = target.neutral.clone();
            let turned = retarget((&source, &clip), &target);
            for time in [0.0, 0.3, 0.71] {
                let (a, b) = (world_at(&source, &plain, time), world_at(&target, &turned, time));
                for node in target.skeleton.indices() {
                    let (a, b) = (a.matrix(node), b.matrix(node));
                    assert!(a.translation.distance(b.translation) < 1e-4, "{axes}");
                    let expected = polar_rotation(&a) * axes;
                    assert!(rotation::angle_between(polar_rotation(&b), expected) < 2e-3);
                }
            }
        }
    }
    assert_eq!(n, 24);
}

/// The article's formula: Q_tgt = Q_tgt_bind M Q_Δ M⁻¹ with Q_Δ = Q_src_bind⁻¹ Q_src, from the reference poses' locals.
fn article(retargeter: &Retargeter, clip: &Clip, role: Role, time: f64) -> Quat {
    let parent_role =
        |rig: &RetargetRig, node| rig.skeleton.ancestors(node).find_map(|n| rig.humanoid.role(n));
    let of = |body: &Body| {
        let (rig, reference) = (&body.rig, &body.reference);
        let node = rig.humanoid.node(role).unwrap();
        let own = reference.rotations[&role];
        let above = parent_role(rig, node)
            .map_or(polar_rotation(&rig.canonical_from_file()), |p| reference.rotations[&p]);
        (node, own, above.conjugate() * own)
    };
    let (source_node, g_src, bind_src) = of(&retargeter.source);
    let (_, g_tgt, bind_tgt) = of(&retargeter.target);
    let m = g_tgt.conjugate() * g_src;
    let mut pose = Pose::default();
    PackedClip::new(clip, &retargeter.source.rig.loaded).sample(time, &mut pose);
    let delta = bind_src.conjugate() * pose.local(source_node).rotation;
    bind_tgt * m * delta * m.conjugate()
}

#[test]
fn the_articles_formula_is_the_special_case_in_which_every_parent_has_a_role() {
    let source_style = Style { axes: twisted, arms_down: 0.5, ..Style::default() };
    let source = humanoid(&source_style);
    let clip = motion(&source, &source_style);
    let whole = Style { axes: |i| twisted(i + 5), arms_down: 0.9, ..Style::default() };
    let missing = Style { without: vec![Role::Chest], ..whole.clone() };
    let worst = |style: &Style, roles: &[Role]| {
        let target = humanoid(style);
        let retargeter =
            Retargeter::new(source.clone(), target.clone(), RetargetOptions::PLAIN).unwrap();
        let ours = retargeter.clip(&clip, &Work::default()).unwrap();
        let mut pose = Pose::default();
        let packed = PackedClip::new(&ours, &target.neutral);
        let mut worst = 0.0_f32;
        for time in [0.0, 0.25, 0.8] {
            packed.sample(time, &mut pose);
            for &role in roles {
                let ours = pose.local(target.humanoid.node(role).unwrap()).rotation;
                let theirs = article(&retargeter, &clip, role, time);
                worst = worst.max(rotation::angle_between(ours, theirs).to_degrees());
            }
        }
        worst
    };
    let all: Vec<Role> = source.humanoid.roles.keys().copied().collect();
    assert!(worst(&whole, &all) < 0.05);
    let below_shoulders = [Role::Spine, Role::UpperChest];
    assert!(worst(&missing, &below_shoulders) > 5.0, "it loses the missing joint's motion");
}

#[test]
fn with_a_spine_joint_missing_shoulders_and_head_still_turn_as_the_source_does() {
    let style = Style { axes: twisted, ..Style::default() };
    let source = humanoid(&style);
    let clip = motion(&source, &style);
    for without in [
        vec![Role::Chest],
        vec![Role::Chest, Role::UpperChest],
        vec![Role::UpperChest, Role::Neck],
        vec![Role::LeftShoulder, Role::RightShoulder],
    ] {
        let target = humanoid(&Style { without: without.clone(), ..Style::default() });
        let there = retarget((&source, &clip), &target);
        assert!(worst_bone_error(&target, &there) < 0.1, "{without:?}");
        let last_spine = [Role::UpperChest, Role::Chest, Role::Spine]
            .into_iter()
            .find_map(|r| target.humanoid.node(r))
            .unwrap();
        let turned = polar_rotation(&world_at(&target, &there, 0.4).matrix(last_spine));
        let wanted = turn_at(Role::UpperChest, 0.4);
        assert!(rotation::angle_between(turned, wanted).to_degrees() < 0.1, "{without:?}");
        // And from few to many: in between lies in between.
        let few_style = Style { without: without.clone(), ..Style::default() };
        let many = humanoid(&Style::default());
        let there = retarget((&target, &motion(&target, &few_style)), &many);
        let arms = world_at(&many, &there, 0.4);
        let bone = place(&many, &arms, Role::LeftLowerArm).unwrap()
            - place(&many, &arms, Role::LeftUpperArm).unwrap();
        let truth = turn_at(Role::LeftUpperArm, 0.4) * Vec3::X;
        assert!(bone.normalize().dot(truth) > 0.9999);
    }
}

#[test]
fn hips_move_by_the_ratio_of_hip_heights_in_any_unit_and_axes() {
    let source_style = Style { has_z_up_root: true, axes: twisted, ..Style::default() };
    let source = humanoid(&source_style);
    let clip = motion(&source, &source_style);
    let turned = Similarity {
        rotation: Quat::from_rotation_x(-FRAC_PI_2),
        scale: 0.01,
        translation: Vec3::ZERO,
    };
    for style in [
        Style { legs: 0.5, size: 1.3, ..Style::default() },
        Style { legs: 0.5, has_z_up_root: true, axes: twisted, ..Style::default() },
        Style { size: 0.4, world_from_file: turned, ..Style::default() },
    ] {
        let target = humanoid(&style);
        let there = retarget((&source, &clip), &target);
        let hips = |rig: &RetargetRig, clip: &Clip, time| {
            place(rig, &world_at(rig, clip, time), Role::Hips).unwrap()
        };
        let stand = |rig: &RetargetRig| hips(rig, &Clip::default(), 0.0);
        let ratio = stand(&target).y / stand(&source).y;
        for time in [0.0, 0.1, 0.6] {
            let moved = hips(&target, &there, time) - stand(&target);
            assert!((moved - way_at(time) * ratio).length() < 1e-4, "{moved} at {time}");
        }
    }
}

#[test]
fn a_character_that_stands_turned_moves_in_its_own_frame() {
    let style = Style::default();
    let source = humanoid(&style);
    let clip = motion(&source, &style);
    let turn = Quat::from_rotation_y(2.5);
    let mut target = source.clone();
    target.world_from_file.rotation = turn;
    let there = retarget((&source, &clip), &target);
    let (a, b) = (world_at(&source, &clip, 0.3), world_at(&target, &there, 0.3));
    let head = source.humanoid.node(Role::Head).unwrap();
    let expected = Affine3A::from_quat(turn) * a.matrix(head);
    assert!(b.matrix(head).abs_diff_eq(expected, 1e-4));
}

#[test]
fn only_joints_with_a_role_move_and_only_they_have_tracks() {
    let style = Style { has_twist_joints: true, has_z_up_root: true, ..Style::default() };
    let target = humanoid(&style);
    let source = humanoid(&Style::default());
    let mut clip = motion(&source, &Style::default());
    let hand = source.humanoid.node(Role::LeftHand).unwrap();
    let stretched = Track {
        node: hand,
        times: vec![0.0, 1.0],
        values: TrackValues::Scale(vec![Vec3::ONE, Vec3::splat(3.0)]),
        interpolation: Interpolation::Linear,
    };
    clip.tracks.push(stretched);
    clip.tracks.push(Track {
        node: hand,
        times: vec![0.0, 1.0],
        values: TrackValues::Translation(vec![Vec3::X, Vec3::Y * 9.0]),
        interpolation: Interpolation::Linear,
    });
    let there = retarget((&source, &clip), &target);
    let plain = retarget((&source, &motion(&source, &Style::default())), &target);
    assert_eq!(there, plain, "scale and translation of limbs are ignored");
    for track in &there.tracks {
        let role = target.humanoid.role(track.node).unwrap();
        match &track.values {
            TrackValues::Translation(_) => assert_eq!(role, Role::Hips),
            TrackValues::Rotation(values) => {
                assert!(values.iter().all(|q| (q.length() - 1.0).abs() < 1e-5));
                assert!(values.windows(2).all(|w| w[0].dot(w[1]) >= 0.0), "signs follow");
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(there.tracks.len(), target.humanoid.roles.len() + 1);
}

#[test]
fn loops_close_exactly_and_keys_stand_at_the_sources_times() {
    let style = Style::default();
    let source = humanoid(&style);
    let clip = motion(&source, &style);
    let there = retarget((&source, &clip), &humanoid(&Style { size: 0.6, ..Style::default() }));
    assert!(there.looping);
    for track in &there.tracks {
        assert_eq!(track.times, clip.tracks[0].times);
        match &track.values {
            TrackValues::Rotation(q) => assert_eq!(q[0].dot(q[30]).abs(), q[0].dot(q[0])),
            TrackValues::Translation(p) => assert_eq!(p[0], p[30]),
            _ => {}
        }
    }
}

#[test]
fn channels_with_times_of_their_own_are_resampled() {
    let style = Style::default();
    let source = humanoid(&style);
    let mut clip = motion(&source, &style);
    let thinned = clip.tracks.iter_mut().find(|t| matches!(t.values, TrackValues::Rotation(_)));
    let thinned = thinned.unwrap();
    thinned.times.remove(3);
    if let TrackValues::Rotation(values) = &mut thinned.values {
        values.remove(3);
    }
    clip.duration_secs = 0.77;
    let there = retarget((&source, &clip), &source);
    assert_eq!(there.tracks[0].times.len(), 24);
    assert!((there.tracks[0].times[23] - 0.77).abs() < 1e-6);
    assert!(worst_bone_error(&source, &there) < 90.0);
    let (a, b) = (world_at(&source, &clip, 0.35), world_at(&source, &there, 0.35));
    let head = source.humanoid.node(Role::Head).unwrap();
    assert!(a.matrix(head).abs_diff_eq(b.matrix(head), 0.01));
}

#[test]
fn moving_the_live_pose_between_two_deliveries_changes_nothing() {
    let style = Style { axes: twisted, ..Style::default() };
    let source = humanoid(&style);
    let clip = motion(&source, &style);
    // What is shown: it shares nothing with the retargeter.
    let mut live = humanoid(&Style { arms_down: 0.7, ..Style::default() });
    let retargeter = Retargeter::new(source, live.clone(), RetargetOptions::default()).unwrap();
    let work = Work::default();
    let clean = [&clip, &clip].map(|c| retargeter.clip(c, &work).unwrap());
    let first = retargeter.clip(&clip, &work).unwrap();
    let hips = live.humanoid.node(Role::Hips).unwrap();
    live.loaded.locals[hips.index()].translation += Vec3::new(0.3, -0.5, 2.0);
    live.loaded.locals[hips.index()].rotation = Quat::from_rotation_x(1.0);
    let moved = live.loaded.clone();
    let second = retargeter.clip(&clip, &work).unwrap();
    assert_eq!([first, second], clean, "bit for bit");
    assert_eq!(live.loaded, moved, "solving does not touch what is shown");
    let many = retargeter.clips(&[&clip, &clip, &clip], &work).unwrap();
    assert!(many.iter().all(|c| *c == clean[0]), "nor does solving in parallel");
}

#[test]
fn what_cannot_be_retargeted_says_why() {
    let rig = humanoid(&Style::default());
    let mut headless = rig.clone();
    headless.humanoid.roles.remove(&Role::Hips);
    let error = |a: &RetargetRig, b: &RetargetRig| {
        Retargeter::new(a.clone(), b.clone(), RetargetOptions::PLAIN).unwrap_err()
    };
    assert_eq!(error(&headless, &rig), RetargetError::NoHips { rig: "source" });
    let mut alone = rig.clone();
    alone.humanoid.roles.retain(|r, _| *r == Role::Hips);
    assert_eq!(error(&rig, &alone), RetargetError::NothingShared);
    let mut sunk = rig.clone();
    sunk.floor_m = Some(10.0);
    assert_eq!(error(&rig, &sunk), RetargetError::NoSize { rig: "target" });
}

#[test]
fn a_cancelled_retarget_gives_no_clip() {
    let cancel = crate::work::Cancel::default();
    cancel.cancel();
    let style = Style::default();
    let rig = humanoid(&style);
    let retargeter = Retargeter::new(rig.clone(), rig.clone(), RetargetOptions::default()).unwrap();
    assert_eq!(retargeter.clip(&motion(&rig, &style), &Work::new(cancel)), Err(Stopped));
}
