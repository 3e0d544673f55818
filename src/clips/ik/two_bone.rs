//! Two bones and a target: legs and arms.
//!
//! Based on: spec 3.6 (law of cosines); soft limit after A. Nicholas, "Softimage XSI: soft IK", as in ozz-animation.

use glam::{Mat3, Quat, Vec3};

use crate::math::{ops, rotation::swing};

/// A chain start → mid → end and where its end should go.
///
/// All vectors are in one space, any one whose axes are orthonormal (the world, the character's root); lengths are in
/// its unit. Every finite input gives a finite answer: bones of no length, a target on the start, a straight chain and
/// a pole along the chain included.
///
/// ```text
///      start               start
///        |  \                 |\
///        |   mid    →         | mid      mid swings towards the pole's side of the line start → target
///        |  /                 |/
///       end                target
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBone {
    /// Hip or shoulder: stays.
    pub start: Vec3,
    /// Knee or elbow, now.
    pub mid: Vec3,
    /// Ankle or wrist, now.
    pub end: Vec3,
    /// Where the end should be.
    pub target: Vec3,
    /// Direction, of any length, to which the mid joint bends: where knees and elbows point. Where it is zero or runs
    /// along start → target, the chain keeps the plane it bends in.
    pub pole: Vec3,
    /// Share of the chain's length, 0 to 1, from which the end lags behind its target so that the chain never snaps
    /// straight; 1 reaches all it can. Default 1. Values outside are clamped.
    pub soft_from: f32,
}

/// What [`TwoBone::solve`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneSolution {
    /// To be multiplied from the left onto the start joint's rotation in the chain's space; unit.
    pub turn_start: Quat,
    /// The same for the mid joint, the start's turn included (not relative to it); unit.
    pub turn_mid: Quat,
    /// The mid joint's new place.
    pub mid: Vec3,
    /// The end's new place.
    pub end: Vec3,
    /// Whether `end` is the target, to 0.01 % of the chain's length.
    pub is_reached: bool,
}

impl Default for TwoBone {
    fn default() -> Self {
        Self {
            start: Vec3::ZERO,
            mid: Vec3::ZERO,
            end: Vec3::ZERO,
            target: Vec3::ZERO,
            pole: Vec3::ZERO,
            soft_from: 1.0,
        }
    }
}

impl TwoBone {
    /// Turns of start and mid that bring the end to the target, or as near as the bones reach.
    ///
    /// Too far: straight towards it. Too near (less than the difference of the bones): folded. The turns rotate each
    /// bone together with the chain's plane, so a knee's hinge stays its hinge: no twist creeps in.
    pub fn solve(&self) -> TwoBoneSolution {
        let (upper, lower) = (self.mid - self.start, self.end - self.mid);
        let (a, b) = (upper.length(), lower.length());
        let length = a + b;
        let old_axis = (self.end - self.start).try_normalize();
        let wanted = self.target - self.start;
        let axis = wanted
            .try_normalize()
            .or(old_axis)
            .or_else(|| upper.try_normalize())
            .unwrap_or(Vec3::NEG_Y);
        let distance = self.reachable(wanted.length(), a, b);

        let (old_normal, normal) = self.normals(old_axis.unwrap_or(axis), axis, upper);
        // Law of cosines: mid lies `along` the axis and `aside` of it.
        let along = if distance > 1e-6 * length {
            ((a * a + distance * distance - b * b) / (2.0 * distance)).clamp(-a, a)
        } else {
            0.0
        };
        let aside = (a * a - along * along).max(0.0).sqrt();
        let mid = self.start + axis * along + normal.cross(axis) * aside;
        let end = self.start + axis * distance;
        TwoBoneSolution {
            turn_start: turn(upper, old_normal, mid - self.start, normal),
            turn_mid: turn(lower, old_normal, end - mid, normal),
            mid,
            end,
            is_reached: end.distance(self.target) <= 1e-4 * length,
        }
    }

    /// The distance start → end for a target `distance` away.
    fn reachable(&self, distance: f32, a: f32, b: f32) -> f32 {
        let length = a + b;
        let soft_from = length * self.soft_from.clamp(0.0, 1.0);
        let room = length - soft_from;
        let eased = if distance <= soft_from {
            distance
        } else if room > 1e-6 * length {
            soft_from + room * (1.0 - ops::exp(-(distance - soft_from) / room))
        } else {
            length
        };
        eased.max((a - b).abs())
    }

    /// Unit normals of the chain's plane before and after; mid lies on the side normal × axis.
    fn normals(&self, old_axis: Vec3, axis: Vec3, upper: Vec3) -> (Vec3, Vec3) {
        let hint = side(self.pole, old_axis);
        let old_side = match (side(upper, old_axis), hint) {
            // An overstretched knee is bent back, not twisted by half a turn.
            (Some(bent), Some(hint)) if bent.dot(hint) < 0.0 => -bent,
            (Some(bent), _) => bent,
            (None, Some(hint)) => hint,
            (None, None) => old_axis.any_orthonormal_vector(),
        };
        // Without a pole the plane is carried along by the shortest arc.
        let new_side = side(self.pole, axis).unwrap_or_else(|| swing(old_axis, axis) * old_side);
        (old_axis.cross(old_side), axis.cross(new_side))
    }
}

/// The unit part of `v` that stands across unit vector `axis`; `None` where `v` runs along it, to 1e-3 rad.
fn side(v: Vec3, axis: Vec3) -> Option<Vec3> {
    let across = v - axis * v.dot(axis);
    if across.length() > 1e-3 * v.length() { across.try_normalize() } else { None }
}

/// The rotation that takes one bone and the normal of its plane to another's; identity for bones of no length.
fn turn(from: Vec3, from_normal: Vec3, to: Vec3, to_normal: Vec3) -> Quat {
    let frame = |bone: Vec3, normal: Vec3| {
        let x = bone.try_normalize()?;
        let z = (normal - x * normal.dot(x)).try_normalize()?;
        Some(Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z)))
    };
    match (frame(from, from_normal), frame(to, to_normal)) {
        (Some(from), Some(to)) => (to * from.conjugate()).normalize(),
        _ => Quat::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::rotation;

    fn leg(target: Vec3) -> TwoBone {
        TwoBone {
            start: Vec3::new(0.1, 0.9, 0.0),
            mid: Vec3::new(0.1, 0.5, 0.05),
            end: Vec3::new(0.1, 0.1, 0.0),
            target,
            pole: Vec3::Z,
            soft_from: 1.0,
        }
    }

    /// The end after turning the bones themselves.
    fn moved_end(chain: &TwoBone, solution: &TwoBoneSolution) -> Vec3 {
        chain.start
            + solution.turn_start * (chain.mid - chain.start)
            + solution.turn_mid * (chain.end - chain.mid)
    }

    #[test]
    fn a_target_in_reach_is_reached_and_the_knee_points_to_the_pole() {
        let chain = leg(Vec3::new(0.2, 0.3, 0.2));
        let solution = chain.solve();
        assert!(solution.is_reached);
        assert!(moved_end(&chain, &solution).distance(chain.target) < 1e-5);
        let (a, b) = (chain.mid.distance(chain.start), chain.end.distance(chain.mid));
        assert!((solution.mid.distance(chain.start) - a).abs() < 1e-6);
        assert!((solution.mid.distance(solution.end) - b).abs() < 1e-6);
        let line = (chain.target - chain.start).normalize();
        let knee = solution.mid - chain.start;
        assert!((knee - line * knee.dot(line)).dot(Vec3::Z) > 0.1);
    }

    #[test]
    fn too_far_is_straight_and_too_near_is_folded() {
        let far = leg(Vec3::new(0.1, -9.0, 0.0)).solve();
        assert!(!far.is_reached);
        let straight = (far.mid - Vec3::new(0.1, 0.9, 0.0)).normalize();
        assert!((far.end - far.mid).normalize().dot(straight) > 0.999_99);

        let chain = TwoBone { end: Vec3::new(0.1, 0.4, 0.05), ..leg(Vec3::new(0.1, 0.8, 0.0)) };
        let near = chain.solve();
        let (a, b) = (chain.mid.distance(chain.start), chain.end.distance(chain.mid));
        assert!((near.end.distance(chain.start) - (a - b)).abs() < 1e-5);
    }

    #[test]
    fn where_the_end_is_already_nothing_turns() {
        let chain = leg(Vec3::new(0.1, 0.1, 0.0));
        let solution = chain.solve();
        assert!(rotation::angle(solution.turn_start) < 1e-3);
        assert!(rotation::angle(solution.turn_mid) < 1e-3);
    }

    #[test]
    fn an_overstretched_knee_is_bent_back_without_a_twist() {
        let chain = TwoBone { mid: Vec3::new(0.1, 0.5, -0.02), ..leg(Vec3::new(0.1, 0.2, 0.0)) };
        let solution = chain.solve();
        assert!(solution.mid.z > 0.0);
        assert!(rotation::angle(solution.turn_start) < 1.0, "{:?}", solution.turn_start);
        let hinge = solution.turn_mid * Vec3::X;
        assert!(hinge.dot(Vec3::X) > 0.999, "the hinge stays the hinge");
    }

    #[test]
    fn a_soft_chain_never_becomes_straight_and_never_jumps() {
        let mut last = 0.0;
        for i in 0..120 {
            let distance = 0.7 + i as f32 * 0.002;
            let chain = TwoBone { soft_from: 0.95, ..leg(Vec3::new(0.1, 0.9 - distance, 0.0)) };
            let reached = chain.solve().end.distance(chain.start);
            assert!(reached < chain.mid.distance(chain.start) + chain.end.distance(chain.mid));
            assert!(i == 0 || (-1e-6..=0.002 + 1e-6).contains(&(reached - last)));
            last = reached;
        }
    }

    #[test]
    fn degenerate_chains_give_finite_turns() {
        let points = [Vec3::ZERO, Vec3::Y, Vec3::NEG_Y, Vec3::new(0.0, 1.0, 1e-7), Vec3::X];
        for start in points {
            for mid in points {
                for end in points {
                    for target in points {
                        for pole in points {
                            let chain = TwoBone { start, mid, end, target, pole, soft_from: 0.97 };
                            let s = chain.solve();
                            assert!(s.mid.is_finite() && s.end.is_finite(), "{chain:?}");
                            assert!(s.turn_start.is_normalized() && s.turn_mid.is_normalized());
                        }
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_turns_lead_to_the_places_they_announce(
            mid in prop::array::uniform3(-1.0_f32..1.0),
            end in prop::array::uniform3(-1.0_f32..1.0),
            target in prop::array::uniform3(-2.0_f32..2.0),
            pole in prop::array::uniform3(-1.0_f32..1.0),
        ) {
            let chain = TwoBone {
                mid: mid.into(), end: end.into(), target: target.into(), pole: pole.into(),
                ..TwoBone::default()
            };
            prop_assume!(chain.mid.length() > 0.01 && chain.end.distance(chain.mid) > 0.01);
            let s = chain.solve();
            prop_assert!((chain.start + s.turn_start * chain.mid).distance(s.mid) < 1e-4);
            prop_assert!(moved_end(&chain, &s).distance(s.end) < 1e-4);
            let reach = chain.mid.length() + chain.end.distance(chain.mid);
            let gap = (chain.mid.length() - chain.end.distance(chain.mid)).abs();
            let d = chain.target.length();
            prop_assert_eq!(s.is_reached, s.end.distance(chain.target) <= 1e-4 * reach);
            if d < reach * 0.999 && d > gap * 1.001 + 0.001 {
                prop_assert!(s.is_reached);
            }
        }
    }
}
