//! Steps of a foot from place to place: where it stands between them, how it goes over.
//!
//! Places are in the world, as seen from where the root begins. The body's weight goes over the standing foot shortly
//! before the other leaves the floor, as it does on people.

use glam::{Quat, Vec3};

use super::channel::{Centre, Channel, Posture, Side, Sided};
use super::curve::smoother;
use super::motion::RootPlace;
use super::recipe::{FRAMES_PER_SECOND, Step};
use super::rig::{self, BALL};
use crate::model::Role;

/// How far the hips go towards the standing foot, in metres.
const SHIFT_M: f32 = 0.03;

/// Where a foot stands: displacement of its ball from the place in T-pose, yaw to the left in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    x: f32,
    z: f32,
    y: f32,
    yaw: f32,
}

impl Place {
    /// In the world, where the root is at `root`.
    fn seen_from(self, root: RootPlace, side: Side) -> Self {
        let foot = if side == Side::Left { Role::LeftFoot } else { Role::RightFoot };
        let rest = rig::skeleton().rest_position(foot) + BALL;
        let ball = rest + Vec3::new(self.x, self.y, self.z);
        let turn = Quat::from_rotation_y(root.yaw.to_radians());
        let moved = root.position + turn * ball - rest;
        Self { x: moved.x, y: moved.y, z: moved.z, yaw: self.yaw + root.yaw }
    }

    fn lerp(self, to: Self, u: f32) -> Self {
        let mix = |a: f32, b: f32| a + (b - a) * u;
        Self {
            x: mix(self.x, to.x),
            z: mix(self.z, to.z),
            y: mix(self.y, to.y),
            yaw: mix(self.yaw, to.yaw),
        }
    }
}

/// One foot's steps, ready to be evaluated.
#[derive(Clone, Debug)]
struct Track {
    side: Side,
    begin: Place,
    steps: Vec<(Step, Place)>,
}

/// The steps of both feet.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan(Vec<Track>);

impl Plan {
    /// Of a recipe's steps, in their order of time; `begin` is the posture at its first frame, `root` says where the root
    /// is at a frame.
    pub fn new(steps: &[Step], begin: &Posture, root: impl Fn(f32) -> RootPlace) -> Self {
        let tracks = Side::BOTH.into_iter().filter_map(|side| {
            let at = |c| begin.sided(side, c);
            let first = Place {
                x: side.sign() * at(Sided::FootOut),
                z: at(Sided::FootZ),
                y: at(Sided::FootY),
                yaw: side.sign() * at(Sided::FootYaw),
            };
            let mut last = first;
            let steps: Vec<_> = (steps.iter().filter(|s| s.foot.side() == side))
                .map(|step| {
                    if let Some(frame) = step.seen {
                        let or = |own: Option<f32>, begin: f32| own.unwrap_or(begin);
                        let local = Place {
                            x: or(step.x, first.x),
                            z: or(step.z, first.z),
                            y: or(step.y, first.y),
                            yaw: or(step.yaw, first.yaw),
                        };
                        last = local.seen_from(root(frame), side);
                        return (step.clone(), last);
                    }
                    last = Place {
                        x: step.x.unwrap_or(last.x),
                        z: step.z.unwrap_or(last.z),
                        y: step.y.unwrap_or(last.y),
                        yaw: step.yaw.unwrap_or(last.yaw),
                    };
                    (step.clone(), last)
                })
                .collect();
            (!steps.is_empty()).then_some(Track { side, begin: first, steps })
        });
        Self(tracks.collect())
    }

    /// Puts the feet where they are at `time` seconds into a posture.
    pub fn apply(&self, time: f32, posture: &mut Posture) {
        let frame = time * FRAMES_PER_SECOND;
        for track in &self.0 {
            let mut place = track.begin;
            for (step, goal) in &track.steps {
                let u = (frame - step.from) / (step.to - step.from);
                // The weight leaves the foot a little before the foot leaves the floor.
                let shift = lobe((frame - step.from + 2.0) / (step.to - step.from + 2.0));
                posture.add(
                    Channel::Centre(Centre::HipsX),
                    -track.side.sign() * SHIFT_M * step.shift * shift,
                );
                if u > 0.0 {
                    place = place.lerp(*goal, smoother(u));
                }
                if u > 0.0 && u < 1.0 {
                    let mut add = |c, v| posture.add(Channel::Sided(track.side, c), v);
                    add(Sided::FootY, step.lift * lobe(u));
                    add(Sided::FootHeel, step.push * lobe((u * 1.6).min(1.0)));
                    add(Sided::FootTip, 0.35 * step.push * lobe(((u - 0.5) * 2.0).max(0.0)));
                }
            }
            let mut set = |c, v| posture.set(Channel::Sided(track.side, c), v);
            set(Sided::FootOut, track.side.sign() * place.x);
            set(Sided::FootZ, place.z);
            set(Sided::FootYaw, track.side.sign() * place.yaw);
            let lifted = posture.sided(track.side, Sided::FootY);
            let begun = track.begin.y;
            posture.set(Channel::Sided(track.side, Sided::FootY), lifted - begun + place.y);
        }
    }
}

/// 0 at both ends of [0, 1] and outside, 1 in the middle, without speed at the ends.
fn lobe(u: f32) -> f32 {
    if u <= 0.0 || u >= 1.0 {
        return 0.0;
    }
    smoother(2.0 * u.min(1.0 - u))
}
