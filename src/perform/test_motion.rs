//! Test motions: what a body is made to do at a click, on top of whatever plays, to see its springs answer.
//!
//! Based on: spec 2.1 (sweeps harder than any clip), 2.10, 7.1 (`test: ↔ ⟳ ⤒ ⇄`).

use glam::{Affine3A, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::math::ops;
use crate::model::BodyMeasures;

/// One of the motions. Each begins and ends where the body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TestMotion {
    /// Half a metre to the left within 0.3 s, and back: the article's trap for rope corrections fed back as velocity.
    HipSweep,
    /// Half a turn to the left within 0.4 s, and the other half.
    Turn,
    /// A jump of 35 cm.
    Hop,
    /// Lifted by a metre at once, and let go.
    Drop,
    /// Ten metres forward at once, and back: tails must be taken along, not torn off.
    Teleport,
}

/// How long each of two opposite ways of a motion is held, seconds.
const HELD_SECS: f32 = 0.7;
/// Duration of a sweep one way, seconds.
const SWEEP_SECS: f32 = 0.3;
/// Duration of half a turn, seconds.
const TURN_SECS: f32 = 0.4;
/// Height of a hop, on a character of 1.91 m.
const HOP_M: f32 = 0.35;
/// Height of a drop, the same.
const DROP_M: f32 = 1.0;
/// Acceleration of a body in free fall, m/s².
const FALL: f32 = 9.81;

impl TestMotion {
    /// All of them, in the order of the screen.
    pub const ALL: [Self; 5] = [Self::HipSweep, Self::Turn, Self::Hop, Self::Drop, Self::Teleport];

    /// Its name, as on a button.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HipSweep => "Hip sweep",
            Self::Turn => "Turn",
            Self::Hop => "Hop",
            Self::Drop => "Drop",
            Self::Teleport => "Teleport",
        }
    }

    /// How long it takes on a body of that size, seconds. Falls of large bodies take longer.
    pub fn duration_secs(self, body: &BodyMeasures) -> f32 {
        match self {
            Self::HipSweep => 2.0 * (SWEEP_SECS + HELD_SECS),
            Self::Turn => 2.0 * (TURN_SECS + HELD_SECS),
            Self::Hop => 2.0 * fall_secs(HOP_M * body.size_ratio()),
            Self::Drop => HELD_SECS + fall_secs(DROP_M * body.size_ratio()),
            Self::Teleport => 2.0 * HELD_SECS,
        }
    }

    /// Where it has the body `secs` after its start, from where the body would be: the identity before and after.
    ///
    /// `pivot` is what it turns about, in the world; its height does not matter. Lengths scale with the body's height
    /// but for the teleport's.
    pub fn at(self, secs: f32, body: &BodyMeasures, pivot: Vec3) -> Affine3A {
        if !(secs > 0.0 && secs < self.duration_secs(body)) {
            return Affine3A::IDENTITY;
        }
        let ratio = body.size_ratio();
        // There and back, each way smooth at both ends.
        let way =
            |one_way: f32| smooth(secs / one_way) - smooth((secs - HELD_SECS) / one_way - 1.0);
        match self {
            Self::HipSweep => {
                Affine3A::from_translation(body.left() * (0.5 * ratio * way(SWEEP_SECS)))
            }
            Self::Turn => {
                let halves =
                    smooth(secs / TURN_SECS) + smooth((secs - HELD_SECS) / TURN_SECS - 1.0);
                let turn = Quat::from_rotation_y(std::f32::consts::PI * halves);
                Affine3A::from_translation(pivot)
                    * Affine3A::from_quat(turn)
                    * Affine3A::from_translation(-pivot)
            }
            Self::Hop => {
                let (height, top) = (HOP_M * ratio, fall_secs(HOP_M * ratio));
                let from_top = secs - top;
                Affine3A::from_translation(Vec3::Y * (height - 0.5 * FALL * from_top * from_top))
            }
            Self::Drop => {
                let falling = (secs - HELD_SECS).max(0.0);
                let height = DROP_M * ratio - 0.5 * FALL * falling * falling;
                Affine3A::from_translation(Vec3::Y * height.max(0.0))
            }
            Self::Teleport => {
                let away = if secs < HELD_SECS { 10.0 } else { 0.0 };
                Affine3A::from_translation(body.forward() * away)
            }
        }
    }
}

/// Time a fall from `height_m` takes.
fn fall_secs(height_m: f32) -> f32 {
    (2.0 * height_m.max(0.0) / FALL).sqrt()
}

/// From 0 to 1, at rest at both ends: half a wave of the cosine.
pub(super) fn smooth(share: f32) -> f32 {
    0.5 - 0.5 * ops::cos(std::f32::consts::PI * share.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_begin_and_end_where_the_body_stands() {
        let body = BodyMeasures::default();
        let pivot = Vec3::new(0.3, 0.9, -0.2);
        for motion in TestMotion::ALL {
            let end = motion.duration_secs(&body);
            for secs in [-1.0, 0.0, end, end + 1.0] {
                assert_eq!(motion.at(secs, &body, pivot), Affine3A::IDENTITY, "{motion:?}");
            }
            if motion != TestMotion::Drop && motion != TestMotion::Teleport {
                for secs in [1e-4, end - 1e-4] {
                    let near = motion.at(secs, &body, pivot);
                    assert!(near.abs_diff_eq(Affine3A::IDENTITY, 2e-3), "{motion:?}: {near:?}");
                }
            }
        }
    }

    #[test]
    fn a_sweep_is_half_a_metre_to_the_left_and_a_turn_keeps_its_pivot() {
        let body = BodyMeasures::default();
        let far = TestMotion::HipSweep.at(0.5, &body, Vec3::ZERO);
        assert!((Vec3::from(far.translation) - Vec3::X * 0.5).length() < 1e-6);
        let small = BodyMeasures { height_m: 0.191, ..body };
        let near = TestMotion::HipSweep.at(0.5, &small, Vec3::ZERO);
        assert!((near.translation.x - 0.05).abs() < 1e-6);
        let pivot = Vec3::new(2.0, 0.5, 1.0);
        let half = TestMotion::Turn.at(0.6, &body, pivot);
        assert!(half.transform_point3(pivot).distance(pivot) < 1e-5);
        assert!((half.transform_vector3(Vec3::X) + Vec3::X).length() < 1e-5);
    }

    #[test]
    fn a_hop_rises_to_its_height_and_falls_as_bodies_do() {
        let body = BodyMeasures::default();
        let top = 0.5 * TestMotion::Hop.duration_secs(&body);
        let height = |secs| TestMotion::Hop.at(secs, &body, Vec3::ZERO).translation.y;
        assert!((height(top) - 0.35).abs() < 1e-6);
        let (a, b, c) = (height(top - 0.1), height(top), height(top + 0.1));
        assert!(((2.0 * b - a - c) / 0.01 - FALL).abs() < 1e-2);
    }
}
