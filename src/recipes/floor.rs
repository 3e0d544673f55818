//! Feet between keys: a sole that is above the floor at two keys may still dip under it on the arc between them.
//!
//! Players see a clip at any time, so the floor holds at any time: what a foot sinks between two keys it is raised at
//! both.

use glam::{Quat, Vec3};

use super::channel::Side;
use super::figure::{Figure, PRESSED_M, SOLE, leg_line};
use crate::model::{NodeIndex, Pose};

/// Shares of the way from key to key at which feet are looked at.
const BETWEEN: [f32; 3] = [0.25, 0.5, 0.75];

/// How often what is left is mended: raising a foot at one key bends the arc beside it.
const ROUNDS: usize = 4;

/// Raises feet at keys, `[K]`, so that they do not sink between them. The last key of a loop stays the first.
///
/// Cost: O(keys), of which only those beside a sinking foot are posed again.
pub(super) fn keep_above_between_keys(poses: &mut [Pose], is_looping: bool) {
    for side in Side::BOTH {
        let line = leg_line(side);
        for _ in 0..ROUNDS {
            let mut raise = vec![0.0_f32; poses.len()];
            for (key, pair) in poses.windows(2).enumerate() {
                let [a, b] = pair else { continue };
                let lows = BETWEEN.map(|share| lowest(a, b, share, &line));
                let sinks = lows.into_iter().fold(0.0_f32, |most, low| most.max(-PRESSED_M - low));
                for slot in raise.iter_mut().skip(key).take(2) {
                    *slot = slot.max(sinks);
                }
            }
            if raise.iter().all(|&r| r <= 1e-4) {
                break;
            }
            if let (true, [first, .., last]) = (is_looping, &mut raise[..]) {
                let both = first.max(*last);
                (*first, *last) = (both, both);
            }
            for (pose, &by) in poses.iter_mut().zip(&raise).filter(|(_, by)| **by > 1e-4) {
                let mut figure = Figure::of(std::mem::take(pose));
                // A hair more, or the last round would be spent on what rounding left.
                figure.raise_foot(side, by + 1e-4);
                *pose = figure.pose;
            }
        }
    }
}

/// Height of the lowest point of a sole, at a share of the way from pose `a` to pose `b`. `line` leads from the root to
/// the foot.
fn lowest(a: &Pose, b: &Pose, share: f32, line: &[NodeIndex]) -> f32 {
    let (mut place, mut turned) = (Vec3::ZERO, Quat::IDENTITY);
    for &node in line {
        let (a, b) = (a.local(node), b.local(node));
        place += turned * a.translation.lerp(b.translation, share);
        turned *= a.rotation.slerp(b.rotation, share);
    }
    SOLE.map(|point| (place + turned * point).y).into_iter().fold(f32::MAX, f32::min)
}

#[cfg(test)]
mod tests {
    use super::super::channel::{Channel, Posture, Sided};
    use super::super::rig;
    use super::*;

    fn pose(swing: f32, knee: f32) -> Pose {
        let mut posture = Posture::default();
        posture.set(Channel::named("hips.y")[0], -0.03);
        for (name, value) in [("leg.l.swing", swing), ("knee.l.flex", knee)] {
            posture.set(Channel::named(name)[0], value);
        }
        posture.set(Channel::Sided(Side::Left, Sided::FootPlant), 0.0);
        let mut figure = Figure::new();
        figure.take(&posture);
        figure.pose
    }

    #[test]
    fn a_leg_that_swings_through_does_not_dip_under_the_floor_between_its_keys() {
        // Above the floor behind and in front, under it where it passes the hips.
        let mut poses = vec![pose(-30.0, 4.0), pose(30.0, 4.0)];
        let line = leg_line(Side::Left);
        assert!(lowest(&poses[0], &poses[1], 0.5, &line) < -0.012);
        keep_above_between_keys(&mut poses, false);
        for share in BETWEEN {
            let low = lowest(&poses[0], &poses[1], share, &line);
            assert!(low > -PRESSED_M - 2e-4, "{low} at {share}");
        }
    }

    #[test]
    fn poses_whose_feet_do_not_sink_stay_as_they_are() {
        let mut poses = vec![pose(50.0, 80.0), pose(70.0, 100.0)];
        let before = poses.clone();
        keep_above_between_keys(&mut poses, false);
        assert_eq!(poses, before);
    }

    #[test]
    fn a_leg_line_leads_from_the_root_to_the_foot() {
        let line = leg_line(Side::Right);
        let skeleton = rig::skeleton().skeleton();
        assert_eq!(line.first().map(|&n| skeleton.parent(n)), Some(None));
        assert!(line.windows(2).all(|w| skeleton.parent(w[1]) == Some(w[0])));
        assert_eq!(skeleton.name(line[line.len() - 1]), "foot_r");
    }
}
