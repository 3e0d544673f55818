//! Performances of generated tails: frame rates, laps, travel, seams.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::*;
use crate::math::{ops, rotation};
use crate::model::{
    Clip, Collider, ColliderIndex, ColliderOrigin, ColliderShape, ColliderState, HairSettings,
    Interpolation, NodeIndex, Pose, Rigged, Role, SpringSettings, Strand, Track, TrackValues,
};
use crate::motion::tests::TailSpec;
use crate::work::Work;

const TAU: f32 = std::f32::consts::TAU;

/// A clip of the hips with keys at 30 a second; `at` gives rotation from bind and shift from bind at a share of it.
pub(crate) fn hips_clip(
    rigged: &Rigged,
    secs: f64,
    looping: bool,
    at: impl Fn(f32) -> (Quat, Vec3),
) -> Clip {
    let n = (secs * 30.0).round().max(1.0) as usize;
    let times: Vec<f32> = (0..=n).map(|k| (secs * k as f64 / n as f64) as f32).collect();
    let bind = rigged.bind.pose.local(NodeIndex(0));
    let keys: Vec<(Quat, Vec3)> = (0..=n)
        .map(|k| at(k as f32 / n as f32))
        .map(|(q, p)| (q * bind.rotation, bind.translation + p))
        .collect();
    let track = |values| Track {
        node: NodeIndex(0),
        times: times.clone(),
        values,
        interpolation: Interpolation::Linear,
    };
    Clip {
        name: "Test".into(),
        duration_secs: secs,
        looping,
        tracks: vec![
            track(TrackValues::Rotation(keys.iter().map(|k| k.0).collect())),
            track(TrackValues::Translation(keys.iter().map(|k| k.1).collect())),
        ],
        source: None,
    }
}

/// Yaw, sway and bounce of a walk at a share of its cycle.
pub(crate) fn walk_at(share: f32) -> (Quat, Vec3) {
    let phase = TAU * share;
    (
        Quat::from_rotation_y(0.15 * ops::sin(phase)),
        Vec3::new(0.025 * ops::cos(phase), 0.02 * ops::cos(2.0 * phase), 0.0),
    )
}

pub(crate) fn fox() -> Arc<Rigged> {
    Arc::new(TailSpec::fox().rigged(SpringSettings::default()))
}

fn motion(rigged: &Arc<Rigged>, clip: Option<&Clip>) -> BodyMotion {
    BodyMotion::new(Arc::clone(rigged), clip, TracksOnChains::Win)
}

#[test]
fn frames_at_30_60_120_and_240_a_second_show_the_same_bits_at_common_times() {
    let rigged = fox();
    let walk = hips_clip(&rigged, 1.33, true, walk_at);
    let flip = hips_clip(&rigged, 0.9, false, |s| (Quat::from_rotation_x(TAU * s), Vec3::Y * s));
    for clip in [Some(&walk), Some(&flip), None] {
        let run = |fps: u32| {
            let mut performer = Performer::new(motion(&rigged, clip), AtEnd::Repeat);
            let mut poses = Vec::new();
            for frame in 1..=fps * 4 {
                performer.advance(1.0 / f64::from(fps));
                if frame % (fps / 30) == 0 {
                    let mut pose = Pose::default();
                    performer.pose(&mut pose);
                    poses.push(pose);
                }
            }
            poses
        };
        let wanted = run(120);
        for fps in [30, 60, 240] {
            let found = run(fps);
            for (k, (a, b)) in found.iter().zip(&wanted).enumerate() {
                assert_eq!(a, b, "{fps} fps, at {k}/30 s");
            }
        }
    }
}

#[test]
fn a_frame_of_five_seconds_takes_every_substep() {
    let rigged = fox();
    let walk = hips_clip(&rigged, 1.0, true, walk_at);
    let mut at_once = Performer::new(motion(&rigged, Some(&walk)), AtEnd::Repeat);
    let mut by_frames = Performer::new(motion(&rigged, Some(&walk)), AtEnd::Repeat);
    at_once.advance(5.0);
    for _ in 0..300 {
        by_frames.advance(1.0 / 60.0);
    }
    let (mut a, mut b) = (Pose::default(), Pose::default());
    at_once.pose(&mut a);
    by_frames.pose(&mut b);
    assert_eq!(a, b);
}

#[test]
fn a_loop_closes_after_its_warm_up_and_says_how_well() {
    let rigged = fox();
    for secs in [0.4, 1.0, 1.33, 2.7] {
        let clip = hips_clip(&rigged, secs, true, walk_at);
        let motion = motion(&rigged, Some(&clip));
        let pass = SettledPass::run(&motion, &Work::default()).unwrap();
        assert!(pass.is_closed, "{secs} s: {:?}", pass.seam);
        assert!(pass.warmup_passes >= 1, "it does not begin in its swing");
        let (first, last) = (pass.row(0), pass.row(pass.n_rows() - 1));
        for (a, b) in first.iter().zip(last) {
            assert!(rotation::angle_between(*a, *b).to_degrees() <= 0.05);
        }
        assert!(pass.tip_travel_m(0) > 0.02);
    }
}

#[test]
fn what_is_baked_is_what_the_preview_comes_to_show() {
    let rigged = fox();
    let clip = hips_clip(&rigged, 1.0, true, walk_at);
    let body = motion(&rigged, Some(&clip));
    let pass = SettledPass::run(&body, &Work::default()).unwrap();
    let mut performer = Performer::new(body.clone(), AtEnd::Repeat);
    performer.advance(20.0);
    let (mut shown, mut baked, mut room) = (Pose::default(), Pose::default(), Vec::new());
    for k in 0..60 {
        performer.pose(&mut shown);
        pass.pose_at(&body, f64::from(k) / 60.0, &mut room, &mut baked);
        for (a, b) in shown.locals.iter().zip(&baked.locals) {
            assert!(rotation::angle_between(a.rotation, b.rotation).to_degrees() < 0.05);
        }
        performer.advance(1.0 / 60.0);
    }
}

#[test]
fn a_one_shot_starts_from_the_settled_first_pose_each_time_it_repeats() {
    let rigged = fox();
    let clip = hips_clip(&rigged, 0.9, false, |s| {
        (Quat::from_rotation_y(0.4 + s), Vec3::new(0.3 * s * s, -0.2 * s, 0.0))
    });
    let body = motion(&rigged, Some(&clip));
    let pass = SettledPass::run(&body, &Work::default()).unwrap();
    assert!(pass.is_closed, "{:?}", pass.seam);
    let mut performer = Performer::new(body.clone(), AtEnd::Repeat);
    let (mut shown, mut baked, mut room) = (Pose::default(), Pose::default(), Vec::new());
    for lap in 0..3 {
        for n in 0..108_u32 {
            performer.pose(&mut shown);
            let secs = body.clock().time_of(u64::from(n));
            pass.pose_at(&body, secs, &mut room, &mut baked);
            assert_eq!(shown, baked, "lap {lap}, substep {n}");
            performer.advance(body.clock().step_secs());
        }
    }
}

#[test]
fn travel_makes_no_wind_and_no_jump_at_the_laps_end() {
    let rigged = fox();
    let in_place = hips_clip(&rigged, 1.0, true, walk_at);
    let walking = hips_clip(&rigged, 1.0, true, |s| {
        let (q, p) = walk_at(s);
        (q, p + Vec3::Z * 4.0 * s)
    });
    let pass = |clip| SettledPass::run(&motion(&rigged, Some(clip)), &Work::default()).unwrap();
    let (a, b) = (pass(&in_place), pass(&walking));
    assert!(b.is_closed);
    for n in 0..a.n_rows() {
        for (p, q) in a.row(n).iter().zip(b.row(n)) {
            assert!(rotation::angle_between(*p, *q).to_degrees() < 0.05, "substep {n}");
        }
    }
}

#[test]
fn the_body_is_bit_for_bit_the_same_with_and_without_the_tail() {
    let rigged = fox();
    let without = {
        let mut rigged = Rigged::clone(&rigged);
        rigged.chains.clear();
        Arc::new(rigged)
    };
    // Low enough for the tail to lie on the floor.
    let clip = hips_clip(&rigged, 1.0, true, |s| {
        let (q, p) = walk_at(s);
        (q, p - Vec3::Y * 0.7)
    });
    let mut with = Performer::new(motion(&rigged, Some(&clip)), AtEnd::Repeat);
    let mut bare = Performer::new(motion(&without, Some(&clip)), AtEnd::Repeat);
    let (mut a, mut b) = (Pose::default(), Pose::default());
    let mut has_touched = false;
    for _ in 0..240 {
        with.advance(1.0 / 120.0);
        bare.advance(1.0 / 120.0);
        with.pose(&mut a);
        bare.pose(&mut b);
        has_touched |= with.springs().link(0, 3).touched;
        assert_eq!(a.locals[0], b.locals[0]);
        for joint in 1..a.locals.len() {
            assert_eq!(a.locals[joint].translation, b.locals[joint].translation);
            assert_eq!(a.locals[joint].scale, b.locals[joint].scale);
        }
    }
    assert!(has_touched);
}

#[test]
fn someone_elses_tracks_win_over_the_springs_unless_told_otherwise() {
    let rigged = fox();
    let mut clip = hips_clip(&rigged, 1.0, true, walk_at);
    clip.tracks.push(Track {
        node: rigged.chains[0].joints[2],
        times: vec![0.0, 1.0],
        values: TrackValues::Rotation(vec![Quat::IDENTITY, Quat::from_rotation_x(0.5)]),
        interpolation: Interpolation::Linear,
    });
    assert!(motion(&rigged, Some(&clip)).driven().is_empty());
    let driven = BodyMotion::new(Arc::clone(&rigged), Some(&clip), TracksOnChains::Lose);
    assert_eq!(driven.driven().len(), 1);
}

#[test]
fn a_sway_closes_on_the_loop() {
    let settings = SpringSettings { sway_rad: 0.3, sway_hz: 0.3, ..SpringSettings::default() };
    let rigged = Arc::new(TailSpec::fox().rigged(settings));
    let still = hips_clip(&rigged, 2.0, true, |_| (Quat::IDENTITY, Vec3::ZERO));
    let pass = SettledPass::run(&motion(&rigged, Some(&still)), &Work::default()).unwrap();
    assert!(pass.is_closed, "{:?}", pass.seam);
    assert!(pass.tip_travel_m(0) > 0.05);
}

#[test]
fn a_long_loop_is_tried_less_often() {
    use super::settle::most_passes;
    assert_eq!([0.5, 1.0, 10.0].map(most_passes), [60, 30, 12], "30 s, and 12 passes at least");
    assert_eq!([150.0, 300.0, 600.0, 1800.0].map(most_passes), [12, 6, 3, 3]);
}

#[test]
fn cancelled_settling_stops() {
    let rigged = fox();
    let clip = hips_clip(&rigged, 1.0, true, walk_at);
    let cancel = crate::work::Cancel::default();
    cancel.cancel();
    let stopped = SettledPass::run(&motion(&rigged, Some(&clip)), &Work::new(cancel));
    assert!(stopped.is_err());
}

#[test]
fn a_test_motion_swings_the_tail_on_top_of_whatever_plays_and_then_is_gone() {
    let rigged = fox();
    let walk = hips_clip(&rigged, 1.0, true, walk_at);
    let bow = |s: f32| (Quat::from_rotation_x(0.3 * ops::sin(0.5 * TAU * s)), Vec3::ZERO);
    let bow = hips_clip(&rigged, 0.9, false, bow);
    for clip in [None, Some(&walk), Some(&bow)] {
        for test in TestMotion::ALL {
            let run = |fps: u32, test: Option<TestMotion>| {
                let mut performer = Performer::new(motion(&rigged, clip), AtEnd::Repeat);
                performer.advance(1.0);
                if let Some(test) = test {
                    performer.test(test);
                }
                let (mut tips, mut pose) = (Vec::new(), Pose::default());
                for _ in 0..2 * fps {
                    performer.advance(1.0 / f64::from(fps));
                    let tip = performer.springs().tip(0);
                    tips.push(performer.springs().in_anchor(0, tip));
                }
                performer.advance(1.0);
                assert_eq!(performer.testing(), None, "{test:?}");
                assert_eq!(performer.world_from_clip(), glam::Affine3A::IDENTITY);
                performer.pose(&mut pose);
                (tips, pose)
            };
            let (tips, pose) = run(120, Some(test));
            assert!(tips.iter().all(|t| t.is_finite()));
            let lag =
                (tips.iter().zip(run(120, None).0)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
            let wanted = if test == TestMotion::Teleport { 0.0..1e-2 } else { 0.02..2.0 };
            let clip = clip.map(|c| c.duration_secs);
            assert!(wanted.contains(&lag), "{test:?} on {clip:?}: {lag}");
            assert_eq!(run(30, Some(test)).1, pose, "{test:?}: at 30 fps");
        }
    }
}

#[test]
fn a_body_that_holds_its_last_pose_sweeps_no_collider_through_its_hair() {
    let spec = TailSpec::fox();
    let mut rigged = spec.rigged(SpringSettings::default());
    let mut strand = Strand::uniform(HairSettings::IMPROVED, 4);
    strand.colliders = vec![ColliderIndex(0)];
    rigged.chains[0].hair = Some(strand);
    // A rod on the hips, across the strand and 4 cm before it: clear of its 1.5 cm by half a centimetre.
    let hips = rigged.bind.position(NodeIndex(0));
    let at = spec.points[2] - hips + Vec3::Z * 0.04;
    let (a, b) = (at - Vec3::X, at + Vec3::X);
    rigged.colliders = vec![Collider {
        name: "rod".into(),
        node: NodeIndex(0),
        shape: ColliderShape::Capsule { a, b, radius: 0.02, inside: false },
        origin: ColliderOrigin::Added,
        state: ColliderState::AsFound,
    }];
    let rigged = Arc::new(rigged);
    // Ever faster forward: in its last substep the rod comes 7 cm, through where the strand is in the end.
    let clip = hips_clip(&rigged, 0.9, false, |s| (Quat::IDENTITY, Vec3::Z * 8.0 * s * s));
    let body = BodyMotion::new(Arc::clone(&rigged), Some(&clip), TracksOnChains::Lose);
    let m = body.clock().n_steps();
    let moved = |before: u64| {
        let mut springs = body.springs();
        springs.reset_at(body.anchors_at(m));
        let rest = springs.link(0, 1).end;
        let mut room = MovedBody::default();
        body.step_moved(&mut springs, (before, m), &glam::Affine3A::IDENTITY, &mut room);
        springs.link(0, 1).end.distance(rest)
    };
    assert!(moved(m) < 1e-5, "{}", moved(m));
    assert!(moved(m - 1) > 0.01, "one that comes from there takes the strand along");
}

#[test]
fn legs_that_are_switched_on_in_a_performance_push_as_those_of_one_that_began_with_them() {
    // A tail that is carried swings clear of the leg it would hang in.
    let settings = |leg_colliders| SpringSettings {
        leg_colliders,
        carry_rad: 0.0,
        ..SpringSettings::default()
    };
    let tip = |first: bool, then: bool| {
        let mut rigged = TailSpec::fox().rigged(settings(first));
        let last = *rigged.chains[0].joints.last().unwrap();
        rigged.humanoid.roles.insert(Role::LeftUpperLeg, NodeIndex(0));
        rigged.humanoid.roles.insert(Role::LeftLowerLeg, last);
        let rigged = Arc::new(rigged);
        let walk = hips_clip(&rigged, 1.0, true, walk_at);
        let mut performer = Performer::new(motion(&rigged, Some(&walk)), AtEnd::Repeat);
        performer.set_settings(0, settings(then));
        performer.advance(2.0);
        performer.springs().tip(0)
    };
    let (with, without) = (tip(true, true), tip(false, false));
    assert!(with.distance(without) > 1e-3, "the leg is in the way");
    assert_eq!(tip(false, true), with);
    assert_eq!(tip(true, false), without);
}

#[test]
fn a_one_shot_that_was_tuned_while_it_played_starts_again_as_its_bake_does() {
    let soft = SpringSettings { gravity: 3.0, carry_rad: 0.6, ..SpringSettings::default() };
    let flip = hips_clip(&fox(), 0.9, false, |s| (Quat::from_rotation_x(TAU * s), Vec3::Y * s));
    let pose = |first: SpringSettings| {
        let rigged = Arc::new(TailSpec::fox().rigged(first));
        let mut performer = Performer::new(motion(&rigged, Some(&flip)), AtEnd::Repeat);
        performer.advance(0.3);
        performer.set_settings(0, soft);
        performer.advance(0.9);
        let mut pose = Pose::default();
        performer.pose(&mut pose);
        pose
    };
    assert_eq!(pose(SpringSettings::default()), pose(soft));
}
