//! Every bundled clip, sampled as anyone would sample it: loops close, feet plant, joints keep their limits.
#![allow(clippy::unwrap_used, reason = "a test may stop where a clip of ours is missing")]

use std::fmt::Write as _;

use glam::{Quat, Vec3};
use tailbone::clips::PackedClip;
use tailbone::math::{ops, rotation::angle_between};
use tailbone::model::{Clip, Pose, Role, TrackValues, WorldPose};
use tailbone::recipes::{self, CanonicalRig, RecipeInfo};

/// World position and rotation of every role's joint at one time.
struct Shot {
    world: WorldPose,
    pose: Pose,
}

impl Shot {
    fn place(&self, role: Role) -> Vec3 {
        self.world.matrix(recipes::skeleton().joint(role)).translation.into()
    }

    fn local(&self, role: Role) -> Quat {
        self.pose.local(recipes::skeleton().joint(role)).rotation
    }
}

fn shots(clip: &Clip, n: usize) -> Vec<Shot> {
    let rig = recipes::skeleton();
    let base = Pose::loaded(rig.skeleton());
    let packed = PackedClip::new(clip, &base);
    (0..=n)
        .map(|k| {
            let mut pose = base.clone();
            packed.sample(clip.duration_secs * k as f64 / n as f64, &mut pose);
            let mut world = WorldPose::default();
            pose.to_world(rig.skeleton(), &rig.character.root_matrix(), &mut world);
            Shot { world, pose }
        })
        .collect()
}

fn each_clip() -> impl Iterator<Item = (&'static RecipeInfo, Clip)> {
    assert!(recipes::list().len() >= 5, "the catalogue does not read");
    recipes::list().iter().map(|info| (info, recipes::clip(&info.name).unwrap()))
}

/// Writes joint positions of every clip as JSON into the folder `TAILBONE_MOTION_DUMP` names, for contact sheets.
#[test]
fn motion_can_be_dumped_for_looking_at() {
    let Some(folder) = std::env::var_os("TAILBONE_MOTION_DUMP") else { return };
    let folder = std::path::PathBuf::from(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let rig = recipes::skeleton();
    for (info, clip) in each_clip() {
        let n = (clip.duration_secs * 30.0).round() as usize;
        let mut text = String::from("{\"joints\":[");
        for &role in Role::ALL.iter().filter(|r| rig.humanoid.node(**r).is_some()) {
            write!(text, "\"{}\",", role.name()).unwrap();
        }
        text.pop();
        write!(text, "],\"duration\":{},\"frames\":[", clip.duration_secs).unwrap();
        for shot in shots(&clip, n) {
            text.push('[');
            for &role in Role::ALL.iter().filter(|r| rig.humanoid.node(**r).is_some()) {
                let (_, q, p) = shot.world.matrix(rig.joint(role)).to_scale_rotation_translation();
                write!(text, "[{},{},{},{},{},{},{}],", p.x, p.y, p.z, q.x, q.y, q.z, q.w).unwrap();
            }
            text.pop();
            text.push_str("],");
        }
        text.pop();
        text.push_str("]}");
        std::fs::write(folder.join(format!("{}.json", info.name)), text).unwrap();
    }
}

#[test]
fn every_value_is_finite_and_every_rotation_a_unit_quaternion() {
    for (info, clip) in each_clip() {
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
    for (info, clip) in each_clip().filter(|(i, _)| i.looping) {
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

#[test]
fn the_same_recipe_gives_the_same_bits() {
    for (info, clip) in each_clip() {
        assert_eq!(recipes::clip(&info.name).as_ref(), Some(&clip), "{}", info.name);
    }
}

/// Flex of a hinge whose bone hangs along -y or lies along x, in radians: how far it is from straight.
fn knee_flex(shot: &Shot, knee: Role) -> f32 {
    let bone = shot.local(knee) * Vec3::NEG_Y;
    ops::atan2(-bone.z, -bone.y)
}

#[test]
fn knees_and_elbows_never_bend_backwards_or_sideways() {
    for (info, clip) in each_clip() {
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

/// Heel and ball of a foot.
fn sole(shot: &Shot, foot: Role) -> [Vec3; 2] {
    let matrix = shot.world.matrix(recipes::skeleton().joint(foot));
    CanonicalRig::SOLE.map(|p| matrix.transform_point3(p))
}

/// Value below which a share of `values` lies.
fn quantile(mut values: Vec<f32>, share: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(((values.len().max(1) - 1) as f32 * share) as usize).copied().unwrap_or(0.0)
}

/// Speeds against the floor of a foot's points of contact, at the keys: those of planted feet, and all.
fn slips(shots: &[Shot], foot: Role, floor: Vec3) -> (Vec<f32>, Vec<f32>) {
    let lowest = |s: &Shot| sole(s, foot).iter().map(|p| p.y).fold(f32::MAX, f32::min);
    let slip = |pair: &[Shot]| {
        let (a, b) = (sole(&pair[0], foot), sole(&pair[1], foot));
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
    for (info, clip) in each_clip() {
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
            let lowest = |s: &Shot| sole(s, foot).iter().map(|p| p.y).fold(f32::MAX, f32::min);
            let sink = between.iter().map(lowest).fold(f32::MAX, f32::min);
            check("a foot sinks by", -sink, 0.01);
        }
        check("median slip", quantile(planted.clone(), 0.5), 0.01);
        check("p95 of slip", quantile(planted, 0.95), 0.05);
        // No foot skates: what touches the floor is planted, but for the frames of touching down and leaving.
        let fast = touching.iter().filter(|v| **v > 0.27).count();
        check("skating frames", fast as f32, touching.len() as f32 / 8.0);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Angles of R = Rx(a) Rz(b) Ry(c), in degrees.
fn xzy(q: Quat) -> [f32; 3] {
    let (x, y, z) = (q * Vec3::X, q * Vec3::Y, q * Vec3::Z);
    let b = -y.x;
    let c = ops::atan2(z.x, x.x);
    let a = ops::atan2(y.z, y.y);
    [a, ops::atan2(b, (1.0 - b * b).max(0.0).sqrt()), c].map(f32::to_degrees)
}

#[test]
fn hips_and_ankles_keep_their_limits_where_feet_are_planted() {
    let mut faults = Vec::new();
    for (info, clip) in each_clip() {
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
    let airborne = shots.iter().filter(|s| sole(s, Role::LeftFoot).iter().all(|p| p.y > 0.05));
    assert!(highest_feet && airborne.count() >= 15);
}
