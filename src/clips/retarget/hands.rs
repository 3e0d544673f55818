//! Hands that reach where the source's reach, on request: what meets, holds and points does so on arms of other lengths.

use glam::Vec3;

use super::body::{Body, Motion};
use super::limb::Limb;

/// Share of an arm's length from which a hand lags behind its aim: an elbow that goes dead straight snaps.
const SOFT_FROM: f32 = 0.96;
/// Below this over the floor, × hip height, a hand has the source's height over it.
const LOW: f32 = 0.12;
/// And from here on its place at the shoulders alone.
const HIGH: f32 = 0.35;

/// Bends the target's arms so that its hands are where the source's are: from the middle between the shoulders, in arms'
/// lengths, so that hands that meet still meet; near the floor at the source's height over it times `scale`. Hands keep
/// their rotation. An arm that one of the two lacks is left alone.
///
/// Places of both motions must be up to date; the target's are, too, afterwards.
pub(super) fn reach(
    (from, source): (&Body, &Motion),
    (body, motion): (&Body, &mut Motion),
    scale: f32,
) {
    let sides = from.arms.iter().zip(&body.arms);
    let (theirs, ours): (Vec<&Limb>, Vec<&Limb>) =
        sides.filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?))).unzip();
    let ratio = span(body, &ours) / span(from, &theirs);
    if !(ratio.is_finite() && ratio > 0.0) {
        return;
    }
    for key in 0..motion.n_keys() {
        let (there, here) = (middle(&theirs, source, key), middle(&ours, motion, key));
        for (their, our) in theirs.iter().zip(&ours) {
            let [.., hand] = their.places(source, key);
            let mut aim = here + ratio * (hand - there);
            let height = hand.y - from.reference.floor;
            let on_floor = body.reference.floor + scale * height;
            aim.y += nearness(height / from.reference.hip_height) * (on_floor - aim.y);
            // An arm that is straighter than that by itself may stay so.
            let soft_from = SOFT_FROM.max(our.stretch(motion, key));
            our.bend(motion, key, aim, soft_from);
        }
    }
    body.place(motion);
}

/// The middle between the shoulders at a key.
fn middle(arms: &[&Limb], motion: &Motion, key: usize) -> Vec3 {
    let shoulders = arms.iter().map(|arm| motion.places_of(arm.start)[key]);
    shoulders.sum::<Vec3>() / arms.len().max(1) as f32
}

/// Length of the way from the middle between the shoulders to a hand, in the bind pose; not a number without arms.
fn span(body: &Body, arms: &[&Limb]) -> f32 {
    let n = arms.len() as f32;
    let middle = arms.iter().map(|arm| body.stands(arm.start)).sum::<Vec3>() / n;
    let length = |arm: &&Limb| {
        let [start, mid, end] = [arm.start, arm.mid, arm.end].map(|row| body.stands(row));
        middle.distance(start) + start.distance(mid) + mid.distance(end)
    };
    arms.iter().map(length).sum::<f32>() / n
}

/// 1 on the floor, 0 far above it, for a height in hip heights.
fn nearness(height: f32) -> f32 {
    let share = ((HIGH - height) / (HIGH - LOW)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::clips::PackedClip;
    use crate::clips::ik::TwoBone;
    use crate::clips::retarget::test_rig::{Style, humanoid, motion};
    use crate::clips::retarget::{RetargetOptions, RetargetRig, Retargeter, reference::ARMS};
    use crate::math::polar_rotation;
    use crate::model::{Clip, Interpolation, Pose, Role, Skeleton, Track, TrackValues, WorldPose};
    use crate::work::Work;

    /// A humanoid whose forearms are longer.
    fn long_armed() -> RetargetRig {
        let mut rig = humanoid(&Style::default());
        let mut nodes = rig.skeleton.nodes().to_vec();
        for role in [Role::LeftHand, Role::RightHand] {
            nodes[rig.humanoid.node(role).unwrap().index()].local.translation *= 1.4;
        }
        rig.skeleton = Skeleton::new(nodes).unwrap();
        rig.neutral = Pose::loaded(&rig.skeleton);
        rig.loaded = rig.neutral.clone();
        rig
    }

    fn world(rig: &RetargetRig, pose: &Pose) -> WorldPose {
        let mut world = WorldPose::default();
        pose.to_world(&rig.skeleton, &rig.world_from_file.to_affine(), &mut world);
        world
    }

    /// Both hands held at one place for a second.
    fn clap(rig: &RetargetRig, place: Vec3) -> Clip {
        let stands = world(rig, &rig.neutral);
        let node = |role| rig.humanoid.node(role).unwrap();
        let at = |role| Vec3::from(stands.matrix(node(role)).translation);
        let turned = |role| polar_rotation(&stands.matrix(node(role)));
        let mut tracks = Vec::new();
        for [upper, lower, hand] in ARMS {
            let arm = TwoBone {
                start: at(upper),
                mid: at(lower),
                end: at(hand),
                target: place,
                pole: Vec3::NEG_Y,
                soft_from: 1.0,
            };
            let solution = arm.solve();
            let own = [solution.turn_start * turned(upper), solution.turn_mid * turned(lower)];
            let shoulder = rig.skeleton.parent(node(upper)).unwrap();
            let above = [polar_rotation(&stands.matrix(shoulder)), own[0]];
            for (role, (own, above)) in [upper, lower].into_iter().zip(own.into_iter().zip(above)) {
                tracks.push(Track {
                    node: node(role),
                    times: vec![0.0, 1.0],
                    values: TrackValues::Rotation(vec![above.conjugate() * own; 2]),
                    interpolation: Interpolation::Linear,
                });
            }
        }
        Clip { name: "Clap".into(), duration_secs: 1.0, tracks, ..Clip::default() }
    }

    fn retargeted(clip: &Clip, rigs: [&RetargetRig; 2], reach_hands: bool) -> Clip {
        let options = RetargetOptions { reach_hands, ..RetargetOptions::default() };
        let [source, target] = rigs.map(Clone::clone);
        let made = Retargeter::new(source, target, options).unwrap();
        made.clip(clip, &Work::default()).unwrap()
    }

    /// Place and rotation of both hands at a time.
    fn hands(rig: &RetargetRig, clip: &Clip, time: f64) -> [(Vec3, Quat); 2] {
        let mut pose = Pose::default();
        PackedClip::new(clip, &rig.neutral).sample(time, &mut pose);
        let world = world(rig, &pose);
        [Role::LeftHand, Role::RightHand].map(|role| {
            let matrix = world.matrix(rig.humanoid.node(role).unwrap());
            (matrix.translation.into(), polar_rotation(&matrix))
        })
    }

    #[test]
    fn hands_that_meet_meet_on_other_arms_and_keep_their_rotation() {
        let (source, target) = (humanoid(&Style::default()), long_armed());
        let clip = clap(&source, Vec3::new(0.0, 1.2, 0.3));
        let [left, right] = hands(&source, &clip, 0.5);
        assert!(left.0.distance(right.0) < 1e-4, "the source's meet: {left:?} {right:?}");
        let plain = hands(&target, &retargeted(&clip, [&source, &target], false), 0.5);
        assert!(plain[0].0.distance(plain[1].0) > 0.05, "{plain:?}");
        let reached = hands(&target, &retargeted(&clip, [&source, &target], true), 0.5);
        assert!(reached[0].0.distance(reached[1].0) < 1e-3, "{reached:?}");
        for (reached, plain) in reached.into_iter().zip(plain) {
            assert!(reached.1.angle_between(plain.1) < 1e-3, "{reached:?} {plain:?}");
        }
    }

    #[test]
    fn a_hand_on_the_floor_is_as_high_over_it_on_longer_arms() {
        let (source, target) = (humanoid(&Style::default()), long_armed());
        // The hips come down to where the hands are 5 cm over the floor.
        let mut clip = clap(&source, Vec3::new(0.0, 1.15, 0.3));
        let hips = source.humanoid.node(Role::Hips).unwrap();
        let low = Vec3::new(0.0, -0.12, 0.0);
        clip.tracks.push(Track {
            node: hips,
            times: vec![0.0, 1.0],
            values: TrackValues::Translation(vec![low; 2]),
            interpolation: Interpolation::Linear,
        });
        let options = RetargetOptions { reach_hands: true, ..RetargetOptions::PLAIN };
        let made = Retargeter::new(source.clone(), target.clone(), options).unwrap();
        let there = made.clip(&clip, &Work::default()).unwrap();
        let ([theirs, _], [ours, _]) = (hands(&source, &clip, 0.5), hands(&target, &there, 0.5));
        assert!((theirs.0.y - 0.05).abs() < 1e-3, "5 cm over the floor: {theirs:?}");
        assert!((ours.0.y - theirs.0.y).abs() < 1e-3, "{ours:?} {theirs:?}");
    }

    #[test]
    fn on_the_same_arms_nothing_is_bent() {
        let rig = humanoid(&Style::default());
        let straight = clap(&rig, Vec3::new(0.0, 1.2, 3.0));
        for clip in [motion(&rig, &Style::default()), straight] {
            let [with, without] = [true, false].map(|reach| retargeted(&clip, [&rig, &rig], reach));
            for i in 0..=30 {
                let time = f64::from(i) / 30.0;
                let without = hands(&rig, &without, time);
                for (a, b) in hands(&rig, &with, time).into_iter().zip(without) {
                    assert!(a.0.distance(b.0) < 2e-3, "{} {i}: {a:?} {b:?}", clip.name);
                }
            }
        }
    }
}
