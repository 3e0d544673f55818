//! Feet that stand, bodies that lie: what retargeting adds so that nothing slides or sinks.

use glam::{Quat, Vec3};

use super::test_rig::{Style, humanoid};
use super::*;
use crate::clips::ik::TwoBone;
use crate::clips::{PackedClip, SupportPoint};
use crate::math::{ops, polar_rotation, rotation};
use crate::model::{Interpolation, Pose, WorldPose};

const STRIDE_SECS: f32 = 1.0;
const SPEED: f32 = 1.1;
const RATE: f32 = 30.0;

/// Where an ankle is and whether its foot stands, for a walk of one stride a second along +Z.
fn ankle(side: f32, time: f32, ankle_height: f32) -> (Vec3, bool) {
    let phase = time / STRIDE_SECS + if side > 0.0 { 0.0 } else { 0.5 };
    let (stride, share) = (phase.floor(), phase - phase.floor());
    // Stands for 60 % of the stride, then swings to the next print.
    let print = |n: f32| SPEED * STRIDE_SECS * (n + 0.3 - if side > 0.0 { 0.0 } else { 0.5 });
    let swing = ((share - 0.6) / 0.4).max(0.0);
    let eased = swing * swing * (3.0 - 2.0 * swing);
    let z = print(stride) + (print(stride + 1.0) - print(stride)) * eased;
    let lift = 0.12 * ops::sin(std::f32::consts::PI * swing).powi(2);
    (Vec3::new(0.1 * side, ankle_height + lift, z), swing == 0.0)
}

/// A walk of two strides on a test rig, feet level; `speed_shown` of the hips: 0 walks on the spot.
fn walk(rig: &RetargetRig, speed_shown: f32) -> Clip {
    let n = (2.0 * STRIDE_SECS * RATE) as usize;
    let times: Vec<f32> = (0..=n).map(|i| i as f32 / RATE).collect();
    let mut neutral = WorldPose::default();
    rig.neutral.to_world(&rig.skeleton, &rig.world_from_file.to_affine(), &mut neutral);
    let node = |role| rig.humanoid.node(role).unwrap();
    let place = |role| Vec3::from(neutral.matrix(node(role)).translation);
    let rotation = |role| polar_rotation(&neutral.matrix(node(role)));
    let hips = place(Role::Hips);
    let mut way = Vec::new();
    let mut legs: Vec<(NodeIndex, Vec<Quat>)> = Vec::new();
    for side in LEGS {
        legs.extend(side[..3].iter().map(|&role| (node(role), Vec::new())));
    }
    for &time in &times {
        let at = hips + Vec3::new(0.0, -0.09, SPEED * time);
        way.push(at - Vec3::Z * (SPEED - speed_shown) * time);
        for (i, [upper, lower, foot, _]) in LEGS.into_iter().enumerate() {
            let (target, _) = ankle(1.0 - 2.0 * i as f32, time, place(foot).y);
            let solution = TwoBone {
                start: at + place(upper) - hips,
                mid: at + place(lower) - hips,
                end: at + place(foot) - hips,
                target,
                pole: Vec3::Z,
                soft_from: 1.0,
            }
            .solve();
            let world = [
                solution.turn_start * rotation(upper),
                solution.turn_mid * rotation(lower),
                rotation(foot),
            ];
            let above = [rotation(Role::Hips), world[0], world[1]];
            for (k, (own, above)) in world.into_iter().zip(above).enumerate() {
                legs[3 * i + k].1.push(above.conjugate() * own);
            }
        }
    }
    let track = |node, values| Track {
        node,
        times: times.clone(),
        values,
        interpolation: Interpolation::Linear,
    };
    let mut tracks = vec![track(node(Role::Hips), TrackValues::Translation(way))];
    tracks.extend(legs.into_iter().map(|(node, keys)| track(node, TrackValues::Rotation(keys))));
    let duration_secs = f64::from(2.0 * STRIDE_SECS);
    Clip { name: "Walk_Loop".into(), duration_secs, looping: true, tracks, source: None }
}

/// Worst slide in m/s (over the ground: still, or what the standing feet of a clip on the spot move at in the mean) and worst height over the floor of the balls of standing feet, all over the
/// target's size; and the lowest that a ball ever is.
fn footing(rig: &RetargetRig, clip: &Clip, is_on_the_spot: bool, size: f32) -> (f32, f32, f32) {
    let packed = PackedClip::new(clip, &rig.neutral);
    let (mut pose, mut world) = (Pose::default(), WorldPose::default());
    let mut at = |role, time: f64| {
        packed.sample(time, &mut pose);
        pose.to_world(&rig.skeleton, &rig.world_from_file.to_affine(), &mut world);
        Vec3::from(world.matrix(rig.humanoid.node(role).unwrap()).translation)
    };
    let still = Clip::default();
    let neutral = PackedClip::new(&still, &rig.neutral);
    let mut neutral_pose = Pose::default();
    neutral.sample(0.0, &mut neutral_pose);
    let mut neutral_world = WorldPose::default();
    neutral_pose.to_world(&rig.skeleton, &rig.world_from_file.to_affine(), &mut neutral_world);
    let mut velocities = Vec::new();
    let (mut float, mut lowest) = (0.0_f32, f32::INFINITY);
    for (i, leg) in LEGS.into_iter().enumerate() {
        let side = 1.0 - 2.0 * i as f32;
        let stand = neutral_world.matrix(rig.humanoid.node(leg[3]).unwrap()).translation.y;
        for key in 0..60 {
            let time = key as f32 / RATE;
            let next = time + 1.0 / RATE;
            let (a, b) = (at(leg[3], f64::from(time)), at(leg[3], f64::from(next)));
            lowest = lowest.min((a.y - stand) / size);
            // The edges of a stance touch swing keys.
            let stands = [-0.07, 0.0, 0.04, 0.1].iter().all(|d| ankle(side, time + d, 0.08).1);
            if stands {
                velocities.push((b - a) * RATE / size);
                float = float.max((a.y - stand).abs() / size);
            }
        }
    }
    let mean = velocities.iter().sum::<Vec3>() / velocities.len() as f32;
    let ground = if is_on_the_spot { mean } else { Vec3::ZERO };
    let slide = velocities.iter().map(|v| v.distance(ground)).fold(0.0, f32::max);
    (slide, float, lowest)
}

#[test]
fn standing_feet_neither_slide_nor_sink_on_other_legs() {
    let source = humanoid(&Style::default());
    for style in [
        Style { knee: 0.08, ..Style::default() },
        Style { knee: -0.1, size: 0.4, arms_down: 0.8, ..Style::default() },
        Style { legs: 0.55, has_z_up_root: true, ..Style::default() },
    ] {
        let target = humanoid(&style);
        let size = style.size * style.legs;
        for speed in [SPEED, 0.0] {
            let clip = walk(&source, speed);
            let with = |options| {
                let retargeter = Retargeter::new(source.clone(), target.clone(), options).unwrap();
                let clip = retargeter.clip(&clip, &Work::default()).unwrap();
                footing(&target, &clip, speed == 0.0, size)
            };
            let (slide, float, lowest) = with(RetargetOptions::default());
            assert!(slide < 0.01, "slides {slide} m/s with legs {} at {speed} m/s", style.legs);
            assert!(float < 0.001, "{float} m off the floor");
            assert!(lowest > -0.001, "sinks {lowest} m");
            let (plain, ..) = with(RetargetOptions::PLAIN);
            // Legs of the same proportions step alike by themselves.
            if style.knee != 0.0 {
                assert!(plain > 2.0 * slide, "{plain}: without locks it would slide");
            }
        }
    }
}

#[test]
fn locks_do_not_change_a_clip_that_stands_already() {
    let rig = humanoid(&Style::default());
    let clip = walk(&rig, 0.0);
    let of = |options| {
        let retargeter = Retargeter::new(rig.clone(), rig.clone(), options).unwrap();
        retargeter.clip(&clip, &Work::default()).unwrap()
    };
    let (plain, locked) = (of(RetargetOptions::PLAIN), of(RetargetOptions::default()));
    for (a, b) in plain.tracks.iter().zip(&locked.tracks) {
        let role = rig.humanoid.role(a.node).unwrap().name();
        if let (TrackValues::Rotation(a), TrackValues::Rotation(b)) = (&a.values, &b.values) {
            for (key, (a, b)) in a.iter().zip(b).enumerate() {
                let gap = rotation::angle_between(*a, *b).to_degrees();
                assert!(gap < 2.0, "{role} turns {gap} degrees at key {key}");
            }
        }
    }
}

/// A clip that sits with straight legs, the hips 10 cm over the floor, for half a second of two.
fn sit_down(rig: &RetargetRig) -> Clip {
    let hips = rig.humanoid.node(Role::Hips).unwrap();
    let stand = rig.neutral.local(hips).translation;
    let times: Vec<f32> = (0..=60).map(|i| i as f32 / 30.0).collect();
    let sits = |t: f32| (0.5..1.0).contains(&t);
    let track = |node, values| Track {
        node,
        times: times.clone(),
        values,
        interpolation: Interpolation::Linear,
    };
    let way = times.iter().map(|&t| if sits(t) { stand.with_y(0.1) } else { stand });
    let mut tracks = vec![track(hips, TrackValues::Translation(way.collect()))];
    for leg in LEGS {
        let forward = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
        let turns = times.iter().map(|&t| if sits(t) { forward } else { Quat::IDENTITY });
        let thigh = rig.humanoid.node(leg[0]).unwrap();
        tracks.push(track(thigh, TrackValues::Rotation(turns.collect())));
    }
    Clip { name: "Sit".into(), duration_secs: 2.0, tracks, ..Clip::default() }
}

#[test]
fn a_body_that_would_sink_is_lifted_and_one_that_does_not_is_left_alone() {
    let source = humanoid(&Style::default());
    let mut target = source.clone();
    let hips = target.humanoid.node(Role::Hips).unwrap();
    // A belly 15 cm under the hips.
    target.support = vec![SupportPoint { node: hips, place: Vec3::new(0.0, 0.83, 0.0) }];
    let options = RetargetOptions::default();
    let retarget = |target: &RetargetRig| {
        let retargeter = Retargeter::new(source.clone(), target.clone(), options).unwrap();
        let clip = retargeter.clip(&sit_down(&source), &Work::default()).unwrap();
        match &clip.tracks[0].values {
            TrackValues::Translation(way) => way.iter().map(|p| p.y).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    };
    let heights = retarget(&target);
    for (key, height) in heights.iter().enumerate() {
        let time = key as f32 / 30.0;
        if (0.5..1.0).contains(&time) {
            assert!((height - 0.15).abs() < 1e-4, "{height} at {time}: the belly on the floor");
        } else if !(0.3..1.2).contains(&time) {
            assert!((height - 0.98).abs() < 0.01, "{height} at {time}: standing");
        }
    }
    // A tail that reaches the floor is no support: with it left out, hips are bit-identical with and without.
    let mut tailed = target.clone();
    let mut nodes = tailed.skeleton.nodes().to_vec();
    nodes.push(crate::model::Node {
        name: "Tail_1".into(),
        parent: Some(hips),
        local: crate::math::Transform::from_translation(Vec3::new(0.0, -0.5, -0.3)),
        source: None,
    });
    tailed.skeleton = crate::model::Skeleton::new(nodes).unwrap();
    tailed.neutral = Pose::loaded(&tailed.skeleton);
    assert_eq!(retarget(&tailed), heights);
}

#[test]
fn the_source_may_sink_as_deep_as_it_does_itself() {
    let mut source = humanoid(&Style::default());
    let hips = source.humanoid.node(Role::Hips).unwrap();
    source.support = vec![SupportPoint { node: hips, place: Vec3::new(0.0, 0.83, 0.0) }];
    let retargeter =
        Retargeter::new(source.clone(), source.clone(), RetargetOptions::default()).unwrap();
    let clip = retargeter.clip(&sit_down(&source), &Work::default()).unwrap();
    let TrackValues::Translation(way) = &clip.tracks[0].values else { panic!() };
    assert!((way[20].y - 0.1).abs() < 1e-4, "its belly is 5 cm deep in its own clip");
}
