//! Footfalls: where the feet are at a phase of the stride, on a floor that moves under the body.
//!
//! A stance is three contacts: the heel strikes and the sole rolls down about it; the sole lies flat; the heel rises
//! and the foot rolls off about the ball while the toes stay on the floor. In all three the point of contact moves with the
//! floor exactly. A swing leaves with the stance's last velocity and arrives with its first one, so that the foot
//! moves back with the floor before it touches it.
//!
//! Based on: Perry & Burnfield, Gait Analysis, 2010 (the heel, ankle and forefoot rockers).

use glam::{Quat, Vec3};

use super::channel::{Centre, Channel, Posture, Side, Sided};
use super::curve::{hermite, smoother};
use super::recipe::Gait;
use super::rig::{self, BALL, HEEL};
use crate::math::ops;
use crate::model::Role;

/// A foot at one instant, relative to where it stands in T-pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FootMotion {
    /// Displacement of the ankle, in metres.
    pub offset: Vec3,
    /// Degrees that the heel is higher than the ball.
    pub pitch: f32,
    /// Degrees that the toes are bent up against the foot.
    pub toes: f32,
}

/// The displacement of an ankle whose foot has turned by `pitch` degrees about `pivot` (relative to the ankle).
pub(super) fn roll_about(pivot: Vec3, pitch: f32) -> Vec3 {
    pivot - Quat::from_rotation_x(pitch.to_radians()) * pivot
}

/// Seconds that one stride of `gait` takes in a clip of `seconds`.
fn stride_seconds(gait: &Gait, seconds: f32) -> f32 {
    seconds / gait.strides.max(1) as f32
}

/// Velocity of the floor under the body, in metres a second.
pub(super) fn floor_velocity(gait: &Gait) -> Vec3 {
    -heading(gait) * gait.speed
}

fn heading(gait: &Gait) -> Vec3 {
    Quat::from_rotation_y(gait.heading.to_radians()) * Vec3::Z
}

/// The way feet swing in the gait's own time, which a reversed gait runs backwards.
fn path_direction(gait: &Gait) -> Vec3 {
    if gait.reversed { -heading(gait) } else { heading(gait) }
}

/// Phase of a foot's own stride, from its strike (for a reversed gait, in reversed time).
fn own_phase(gait: &Gait, side: Side, phase: f32) -> f32 {
    let late = if side == Side::Left { 0.0 } else { 0.5 };
    let phase = phase * gait.strides.max(1) as f32 - gait.phase - late;
    let phase = if gait.reversed { gait.duty - phase } else { phase };
    phase.rem_euclid(1.0)
}

/// Adds the foot of `side` at `phase` of the clip, 0 to 1, to a posture. `seconds` is the clip's length.
pub(super) fn add_to(gait: &Gait, seconds: f32, side: Side, phase: f32, posture: &mut Posture) {
    let foot = foot(gait, stride_seconds(gait, seconds), own_phase(gait, side, phase), side);
    let mut add = |channel, value| posture.add(Channel::Sided(side, channel), value);
    add(Sided::FootOut, foot.offset.x * side.sign() + gait.width);
    add(Sided::FootY, foot.offset.y);
    add(Sided::FootZ, foot.offset.z);
    add(Sided::FootPitch, foot.pitch);
    add(Sided::ToesFlex, foot.toes);
    add(Sided::FootYaw, gait.toe_out);
}

/// Turns hips and feet by the gait's `facing`; the trunk turns back above them.
pub(super) fn turn_to_face(gait: &Gait, posture: &mut Posture) {
    if gait.facing == 0.0 {
        return;
    }
    let turn = Quat::from_rotation_y(gait.facing.to_radians());
    for side in Side::BOTH {
        let foot = if side == Side::Left { Role::LeftFoot } else { Role::RightFoot };
        let rest = rig::skeleton().rest_position(foot) * Vec3::new(1.0, 0.0, 1.0);
        let moved = turn * rest - rest;
        posture.add(Channel::Sided(side, Sided::FootOut), side.sign() * moved.x);
        posture.add(Channel::Sided(side, Sided::FootZ), moved.z);
        posture.add(Channel::Sided(side, Sided::FootYaw), side.sign() * gait.facing);
    }
    posture.add(Channel::Centre(Centre::HipsYaw), gait.facing);
    posture.add(Channel::Centre(Centre::SpineTwist), -0.45 * gait.facing);
    posture.add(Channel::Centre(Centre::ChestTwist), -0.45 * gait.facing);
}

fn foot(gait: &Gait, stride_secs: f32, phase: f32, side: Side) -> FootMotion {
    if phase < gait.duty {
        return stance(gait, stride_secs, phase / gait.duty, side);
    }
    let swing = 1.0 - gait.duty;
    let w = (phase - gait.duty) / swing;
    let (leave, arrive) =
        (stance(gait, stride_secs, 1.0, side), stance(gait, stride_secs, 0.0, side));
    // Velocities per unit of w, by the stance's own differences at its two ends.
    const EPSILON: f32 = 1e-3;
    let per_swing = swing / gait.duty / EPSILON;
    let before = stance(gait, stride_secs, 1.0 - EPSILON, side);
    let after = stance(gait, stride_secs, EPSILON, side);
    let ends = |of: &dyn Fn(&FootMotion) -> f32| {
        let (a, b) = (of(&leave), of(&arrive));
        [a, b, (a - of(&before)) * per_swing, (of(&after) - b) * per_swing]
    };
    let between = |of: &dyn Fn(&FootMotion) -> f32| {
        let [a, b, va, vb] = ends(of);
        hermite(w, a, b, va, vb)
    };
    let travel = path_direction(gait);
    let along = reach_through(w, ends(&|f| f.offset.dot(travel)), gait.trail, gait.reach);
    let across = Vec3::Y.cross(travel);
    let out = Vec3::X * (gait.swing_out * bump(w, 0.5) * side.sign());
    let [low, landing, rising, _] = ends(&|f| f.offset.y);
    let falling = -gait.fall * stride_secs * swing;
    let height = hermite(w, low, landing, rising, falling) + gait.lift * bump(w, gait.lift_peak);
    let offset =
        travel * along + across * between(&|f| f.offset.dot(across)) + Vec3::Y * height + out;
    // The toes leave the floor bent and stretch within the first part of the swing.
    let straight = (w / 0.45).min(1.0);
    let toes_speed = (leave.toes - before.toes) * per_swing * 0.45;
    let pitch = between(&|f| f.pitch) + gait.droop * bump(w, 0.4);
    let mut foot =
        FootMotion { offset, pitch, toes: hermite(straight, leave.toes, 0.0, toes_speed, 0.0) };
    foot.offset.y += (CLEARANCE_M * bump(w, 0.5) - lowest(&foot)).max(0.0);
    foot
}

/// How high at least the sole passes over the floor in the middle of a swing.
const CLEARANCE_M: f32 = 0.012;

/// Height of the sole's lowest point over the floor.
fn lowest(foot: &FootMotion) -> f32 {
    let turn = Quat::from_rotation_x(foot.pitch.to_radians());
    let height = |p: Vec3| foot.offset.y + (turn * p).y - p.y;
    height(HEEL).min(height(BALL))
}

/// A way from a to b over w in [0, 1] that leaves and arrives against the direction of travel, as swinging feet do:
/// on for `trail` more, braked evenly; across; then back by `reach` before the end, gaining speed evenly.
fn reach_through(w: f32, [a, b, va, vb]: [f32; 4], trail: f32, reach: f32) -> f32 {
    // Evenly braked from speed v, a way of s takes 2 s / v; never more than a quarter of the swing.
    let time = |s: f32, v: f32| if v < -1e-3 { (2.0 * s / -v).min(0.25) } else { 0.0 };
    let (t0, t1) = (time(trail, va), time(reach, vb));
    let (back, fore) = (a + 0.5 * va * t0, b - 0.5 * vb * t1);
    if w < t0 {
        a + va * w - 0.5 * va / t0 * w * w
    } else if w > 1.0 - t1 {
        let u = 1.0 - w;
        b - vb * u + 0.5 * vb / t1 * u * u
    } else {
        let (start, end) = (if t0 > 0.0 { 0.0 } else { va }, if t1 > 0.0 { 0.0 } else { vb });
        let span = 1.0 - t0 - t1;
        hermite((w - t0) / span, back, fore, start * span, end * span)
    }
}

/// The foot on the floor; u runs from strike (0) to toe-off (1).
fn stance(gait: &Gait, stride_secs: f32, u: f32, side: Side) -> FootMotion {
    let length = gait.speed * stride_secs * gait.duty;
    let flat = heading(gait) * gait.ahead + path_direction(gait) * (length * (0.5 - u));
    let facing = Quat::from_rotation_y((gait.toe_out * side.sign() + gait.facing).to_radians());
    let (pivot, pitch) = if u < gait.flat {
        (HEEL, -gait.strike * (1.0 - smoother(u / gait.flat)))
    } else {
        let w = ((u - gait.heel_off) / (1.0 - gait.heel_off).max(1e-3)).max(0.0);
        (BALL, gait.push * w * w)
    };
    FootMotion { offset: flat + facing * roll_about(pivot, pitch), pitch, toes: pitch.max(0.0) }
}

/// A hump over [0, 1] of height 1 at `peak`, with no velocity at either end.
fn bump(w: f32, peak: f32) -> f32 {
    let (a, b) = if peak < 0.5 {
        (2.0, 2.0 * (1.0 - peak) / peak)
    } else {
        (2.0 * peak / (1.0 - peak), 2.0)
    };
    ops::powf(w / peak, a) * ops::powf((1.0 - w).max(0.0) / (1.0 - peak), b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIDE: f32 = 4.0 / 3.0;

    /// The lowest and the foremost contact: heel and ball below the ankle of a foot.
    fn contacts(foot: &FootMotion, gait: &Gait) -> [Vec3; 2] {
        let turn = Quat::from_rotation_y(gait.toe_out.to_radians())
            * Quat::from_rotation_x(foot.pitch.to_radians());
        [HEEL, BALL].map(|p| foot.offset + turn * p - Vec3::Y * HEEL.y)
    }

    #[test]
    fn the_point_of_contact_moves_with_the_floor() {
        for gait in [
            Gait::default(),
            Gait { heading: 180.0, reversed: true, ..Gait::default() },
            Gait { heading: 90.0, strike: 0.0, push: 30.0, ..Gait::default() },
        ] {
            let h = 1e-3;
            for k in 0..100 {
                let phase = gait.duty * k as f32 / 100.0;
                let at = |p| contacts(&foot(&gait, STRIDE, p, Side::Left), &gait);
                let (here, next) = (at(phase), at(phase + h * gait.duty));
                let forward_in_time = if gait.reversed { -1.0 } else { 1.0 };
                let moved = (0..2).map(|i| {
                    let v = (next[i] - here[i]) * forward_in_time / (h * gait.duty * STRIDE);
                    (v - floor_velocity(&gait)).length()
                });
                let slip = moved.fold(f32::MAX, f32::min);
                assert!(slip < 0.01, "{slip} m/s at {phase} of {gait:?}");
                let lowest = here[0].y.min(here[1].y);
                assert!(lowest.abs() < 1e-4, "{lowest} m off the floor at {phase}");
            }
        }
    }

    #[test]
    fn the_foot_never_jumps_and_never_sinks() {
        let gait = Gait::default();
        for k in 0..1000 {
            let phase = k as f32 / 1000.0;
            let here = foot(&gait, STRIDE, phase, Side::Left);
            let next = foot(&gait, STRIDE, (phase + 1e-3).rem_euclid(1.0), Side::Left);
            // Nothing on a walking leg is faster than 6 m/s or 900 degrees a second.
            assert!((next.offset - here.offset).length() < 6.0 * 1e-3 * STRIDE, "at {phase}");
            assert!((next.pitch - here.pitch).abs() < 900.0 * 1e-3 * STRIDE, "at {phase}");
            assert!(contacts(&here, &gait).iter().all(|c| c.y > -0.002), "sinks at {phase}");
        }
    }

    #[test]
    fn the_right_foot_does_the_same_half_a_stride_later() {
        let gait = Gait { width: 0.02, ..Gait::default() };
        let (mut now, mut later) = (Posture::default(), Posture::default());
        add_to(&gait, STRIDE, Side::Left, 0.2, &mut now);
        add_to(&gait, STRIDE, Side::Right, 0.7, &mut later);
        for channel in [Sided::FootOut, Sided::FootY, Sided::FootZ, Sided::FootPitch] {
            let (l, r) = (now.sided(Side::Left, channel), later.sided(Side::Right, channel));
            assert!((l - r).abs() < 1e-5, "{channel:?}: {l} {r}");
        }
    }
}
