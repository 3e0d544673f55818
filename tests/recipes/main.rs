//! Every bundled clip, sampled as anyone would sample it: loops close, feet plant, joints keep their limits.
#![allow(clippy::unwrap_used, reason = "a test may stop where a clip of ours is missing")]

#[path = "../common/mod.rs"]
mod common;
mod real;
mod sheet;
mod shots;

use std::sync::Arc;

use glam::Vec3;
use rayon::prelude::*;
use tailbone::math::{ops, rotation::angle_between};
use tailbone::model::{Clip, Role, TrackValues};
use tailbone::recipes::{self, RecipeInfo};

use crate::shots::{Shot, quantile, shots, xzy};

/// Every bundled clip.
fn every_clip() -> Vec<(&'static RecipeInfo, Arc<Clip>)> {
    recipes::list().par_iter().map(|info| (info, recipes::clip(&info.name).unwrap())).collect()
}

/// Draws contact sheets of every clip into `target/screens/clips`, where `TAILBONE_SHEETS` is set.
#[test]
fn contact_sheets_of_every_clip_can_be_drawn() {
    let n_clips = if std::env::var_os("TAILBONE_SHEETS").is_some() { usize::MAX } else { 2 };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screens/clips");
    std::fs::create_dir_all(&folder).unwrap();
    let clips: Vec<(String, Arc<Clip>)> =
        every_clip().into_iter().take(n_clips).map(|(i, c)| (i.name.clone(), c)).collect();
    clips.par_chunks(8).enumerate().for_each(|(page, rows)| {
        sheet::draw(&folder.join(format!("sheet_{page:02}.png")), rows, 12);
    });
    assert!(folder.join("sheet_00.png").is_file());
}

#[test]
fn the_catalogue_is_the_universal_one() {
    let names: std::collections::BTreeSet<&str> =
        recipes::list().iter().map(|i| i.name.as_str()).collect();
    assert_eq!((names.len(), recipes::list().len()), (260, 260));
    let Some(data) = common::shared_data() else { return };
    let table = std::fs::read_to_string(data.join("universal_clips.csv")).unwrap();
    let mut faults = Vec::new();
    for line in table.lines().skip(1).filter(|line| !line.contains(",A_TPose,")) {
        let [_, name, category, seconds, looping, ..] = line.split(',').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let Some(info) = recipes::list().iter().find(|i| i.name == name) else {
            faults.push(format!("{name} is missing"));
            continue;
        };
        // Two names loop without saying so.
        let loops = looping == "1" || ["Sword_Idle", "Walk_Fwd_L"].contains(&name);
        let frames = (seconds.parse::<f64>().unwrap() * 30.0).round();
        if (info.category.as_str(), info.looping) != (category, loops)
            || (info.duration_s * 30.0 - frames).abs() > 0.5
            || info.draft
        {
            faults.push(format!("{name}: {info:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_value_is_finite_and_every_rotation_a_unit_quaternion() {
    for (info, clip) in every_clip() {
        assert_eq!(clip.duration_secs, info.duration_s, "{}", info.name);
        for track in &clip.tracks {
            assert!(track.times.windows(2).all(|w| w[0] < w[1]), "{}", info.name);
            match &track.values {
                TrackValues::Rotation(values) => {
                    assert_eq!(values.len(), track.times.len());
                    assert!(
                        values.iter().all(|q| (q.length() - 1.0).abs() < 1e-5),
                        "{}",
                        info.name
                    );
                    // Neighbouring keys lie on one side, so that any player takes the short way.
                    assert!(values.windows(2).all(|w| w[0].dot(w[1]) > 0.0), "{}", info.name);
                }
                TrackValues::Translation(values) => {
                    assert_eq!(values.len(), track.times.len());
                    assert!(values.iter().all(|v| v.is_finite()), "{}", info.name);
                }
                other => panic!("{}: {other:?}", info.name),
            }
        }
    }
}

#[test]
fn loops_close_in_pose_and_in_speed() {
    let rig = recipes::skeleton();
    for (info, clip) in every_clip().into_iter().filter(|(i, _)| i.looping) {
        let n = (clip.duration_secs * 30.0).round() as usize;
        let shots = shots(&clip, n);
        for node in rig.humanoid.roles.values() {
            let at = |k: usize| shots[k % n].pose.local(*node);
            let (first, last) = (shots[0].pose.local(*node), shots[n].pose.local(*node));
            assert!((first.translation - last.translation).length() <= 1e-5, "{}", info.name);
            assert!(angle_between(first.rotation, last.rotation) <= 1e-5, "{}", info.name);
            // The turn over the seam is like the turns around it: 5 degrees a frame, as the library asks.
            let turn =
                |k: usize| (at(k).rotation.conjugate() * at(k + 1).rotation).to_scaled_axis();
            let jerk = |k: usize| (turn(k + 1) - turn(k)).length();
            let usual = (0..n).map(jerk).fold(0.0, f32::max);
            assert!(jerk(n - 1) <= usual.max(5_f32.to_radians()), "{}: seam", info.name);
        }
    }
}

/// Flex of a hinge whose bone hangs along -y or lies along x, in radians: how far it is from straight.
fn knee_flex(shot: &Shot, knee: Role) -> f32 {
    let bone = shot.local(knee) * Vec3::NEG_Y;
    ops::atan2(-bone.z, -bone.y)
}

#[test]
fn knees_and_elbows_never_bend_backwards_or_sideways() {
    for (info, clip) in every_clip() {
        for shot in shots(&clip, 97) {
            for knee in [Role::LeftLowerLeg, Role::RightLowerLeg] {
                let flex = knee_flex(&shot, knee).to_degrees();
                assert!((-0.5..=158.0).contains(&flex), "{}: knee at {flex}", info.name);
                let sideways = (shot.local(knee) * Vec3::NEG_Y).x;
                assert!(sideways.abs() < 0.05, "{}: knee sideways {sideways}", info.name);
            }
            for (elbow, x) in [(Role::LeftLowerArm, Vec3::X), (Role::RightLowerArm, Vec3::NEG_X)] {
                let bone = shot.local(elbow) * x;
                let flex = ops::atan2(bone.z, bone.dot(x)).to_degrees();
                assert!((-0.5..=152.0).contains(&flex), "{}: elbow at {flex}", info.name);
            }
        }
    }
}

/// Speeds against the floor of a foot's points of contact, at the keys: those of planted feet, and all.
fn slips(shots: &[Shot], foot: Role, floor: Vec3) -> (Vec<f32>, Vec<f32>) {
    let lowest = |s: &Shot| s.sole(foot).iter().map(|p| p.y).fold(f32::MAX, f32::min);
    let slip = |pair: &[Shot]| {
        let (a, b) = (pair[0].sole(foot), pair[1].sole(foot));
        let slip = |i: usize| ((b[i] - a[i]) * 30.0 - floor).length();
        pair.iter().all(|s| lowest(s) < 0.003).then(|| slip(0).min(slip(1)))
    };
    let touching: Vec<Option<f32>> = shots.windows(2).map(slip).collect();
    // Planted: slower than 0.15 H/s for 80 ms.
    let slow = |s: &Option<f32>| s.is_some_and(|v| v < 0.15 * 1.8);
    let planted = touching.windows(3).filter(|w| w.iter().all(slow)).filter_map(|w| w[1]);
    (planted.collect(), touching.iter().flatten().copied().collect())
}

#[test]
fn planted_feet_move_with_the_floor_and_never_sink() {
    let mut faults = Vec::new();
    for (info, clip) in every_clip() {
        let mut check = |what: &str, value: f32, limit: f32| {
            if value > limit {
                faults.push(format!("{}: {what} {value:.4}", info.name));
            }
        };
        let n = (clip.duration_secs * 30.0).round() as usize;
        let (keys, between) = (shots(&clip, n), shots(&clip, 4 * n));
        let floor = info.floor_velocity_m_s.unwrap_or(Vec3::ZERO);
        let (mut planted, mut touching) = (Vec::new(), Vec::new());
        for foot in [Role::LeftFoot, Role::RightFoot] {
            let (slow, all) = slips(&keys, foot, floor);
            planted.extend(slow);
            touching.extend(all);
            let lowest = |s: &Shot| s.sole(foot).iter().map(|p| p.y).fold(f32::MAX, f32::min);
            let sink = between.iter().map(lowest).fold(f32::MAX, f32::min);
            check("a foot sinks by", -sink, 0.01);
        }
        if info.slides {
            continue;
        }
        check("median slip", quantile(planted.clone(), 0.5), 0.01);
        check("p95 of slip", quantile(planted, 0.95), 0.05);
        // No foot skates: what touches the floor is planted, but for the frames of touching down and leaving.
        let fast = touching.iter().filter(|v| **v > 0.27).count();
        check("skating frames", fast as f32, touching.len() as f32 / 8.0);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn hips_and_ankles_keep_their_limits_where_feet_are_planted() {
    let mut faults = Vec::new();
    for (info, clip) in every_clip() {
        let mut check = |what: &str, value: f32, low: f32, high: f32| {
            if !(low..=high).contains(&value) {
                faults.push(format!("{}: {what} {value:.1}", info.name));
            }
        };
        for shot in shots(&clip, 97) {
            for (thigh, foot, side) in [
                (Role::LeftUpperLeg, Role::LeftFoot, 1.0),
                (Role::RightUpperLeg, Role::RightFoot, -1.0),
            ] {
                let [a, b, c] = xzy(shot.local(thigh));
                check("hip swings", -a, -45.0, 140.0);
                check("hip opens", side * b, -35.0, 65.0);
                check("hip twists", side * c, -50.0, 65.0);
                let [a, b, c] = xzy(shot.local(foot));
                check("ankle flexes", -a, -65.0, 48.0);
                check("ankle tilts", b, -40.0, 40.0);
                check("ankle turns", c, -45.0, 45.0);
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Distance of a point from a segment.
fn distance(p: Vec3, a: Vec3, b: Vec3) -> f32 {
    let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    (p - a.lerp(b, t)).length()
}

#[test]
fn hands_stay_out_of_the_trunk_and_the_head() {
    const TRUNK: [(Role, Role, f32); 3] = [
        (Role::Hips, Role::Spine, 0.115),
        (Role::Spine, Role::UpperChest, 0.105),
        (Role::UpperChest, Role::Neck, 0.10),
    ];
    let mut faults = Vec::new();
    for (info, clip) in every_clip() {
        let deepest = |shot: &Shot| {
            let hands = [(Role::LeftHand, Vec3::X), (Role::RightHand, Vec3::NEG_X)];
            let points = hands
                .into_iter()
                .flat_map(|(hand, along)| [0.0, 0.05, 0.09].map(|s| shot.point(hand, along * s)));
            let head = shot.point(Role::Head, Vec3::new(0.0, 0.09, 0.01));
            points
                .map(|p| {
                    let trunk = TRUNK.map(|(a, b, radius)| {
                        radius + HAND_M - distance(p, shot.place(a), shot.place(b))
                    });
                    trunk.into_iter().fold(0.11 - (p - head).length(), f32::max)
                })
                .fold(f32::MIN, f32::max)
        };
        let n = (clip.duration_secs * 30.0).round() as usize;
        let depth = shots(&clip, n).iter().map(deepest).fold(f32::MIN, f32::max);
        if depth > 0.02 {
            faults.push(format!("{}: {depth:.3} m", info.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Half the thickness of a hand, in metres.
const HAND_M: f32 = 0.02;

#[test]
fn nothing_of_the_body_jumps_between_keys() {
    let mut faults = Vec::new();
    for (info, clip) in every_clip() {
        let n = (clip.duration_secs * 60.0).round() as usize;
        let shots = shots(&clip, n);
        for &role in recipes::skeleton().humanoid.roles.keys() {
            let turns = shots.windows(2).map(|w| angle_between(w[0].local(role), w[1].local(role)));
            // 3,000 degrees a second: twice the fastest elbow of a pitcher's.
            let fastest = turns.fold(0.0, f32::max).to_degrees();
            if fastest > 50.0 {
                faults.push(format!("{}: {role:?} turns {fastest:.0} degrees", info.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// How far a clip may be from its real counterpart, in degrees in the mean over joints and times.
const FURTHEST_DEG: f32 = 20.0;

/// Whether a length is within 15 % of another, or within `least` metres where both are next to nothing: hips that only
/// breathe (5 mm), feet that stand while the source's slip (1 cm).
fn is_near([ours, real]: [f32; 2], least: f32) -> bool {
    (ours - real).abs() <= (0.15 * real).max(least)
}

/// The table of issue 4: bundled clips beside the real ones of their names.
#[test]
fn bundled_clips_are_like_their_real_counterparts() {
    let Some(data) = common::shared_data() else { return };
    let reals = real::clips(&data.join("motion/universal-standard-subset.glb"));
    let (mut table, mut faults, mut sum, mut n) = (String::new(), String::new(), 0.0, 0);
    for (info, clip) in every_clip() {
        let Some(other) = reals.iter().find(|r| r.name == info.name) else { continue };
        let found = real::compare(&clip, other);
        let [hips, real_hips] = found.hip_range_m;
        let [stride, real_stride] = found.stride_m;
        let line = format!(
            "{:<26} {:5.1} deg   hips {hips:.3} / {real_hips:.3} m   stride {stride:.3} / {real_stride:.3} m\n",
            info.name, found.mean_deg,
        );
        if found.mean_deg > FURTHEST_DEG
            || !is_near(found.hip_range_m, 0.005)
            || !is_near(found.stride_m, 0.01)
        {
            faults += &line;
        }
        table += &line;
        sum += found.mean_deg;
        n += 1;
    }
    println!("{table}{n} clips, {:.1} degrees in the mean", sum / n as f32);
    assert_eq!(n, 44, "clips of ours have a counterpart");
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn the_back_flip_turns_once_backwards_in_the_air_and_lands_standing() {
    let clip = recipes::clip("Back Flip").unwrap();
    let shots = shots(&clip, 58);
    let up = |s: &Shot| s.local(Role::Hips) * Vec3::Y;
    let mut turned = 0.0;
    for pair in shots.windows(2) {
        let (a, b) = (up(&pair[0]), up(&pair[1]));
        turned += ops::atan2(a.cross(b).x, a.dot(b)).to_degrees();
    }
    assert!((turned + 360.0).abs() < 1.0, "the hips turn {turned} degrees about the side axis");
    let (first, last) = (&shots[0], &shots[58]);
    for (role, place) in Role::ALL.iter().map(|&r| (r, first.place(r))) {
        assert!((last.place(role) - place).length() < 0.01, "{role:?} does not come back");
    }
    // Over the head: the feet are higher than it on the way, and off the floor for half a second.
    let highest_feet = shots.iter().any(|s| s.place(Role::LeftFoot).y > s.place(Role::Head).y);
    let airborne = shots.iter().filter(|s| s.sole(Role::LeftFoot).iter().all(|p| p.y > 0.05));
    assert!(highest_feet && airborne.count() >= 15);
}
