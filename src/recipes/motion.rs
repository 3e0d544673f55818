//! A recipe made ready to be evaluated: its curves, waves, steps and footfalls, and the posture they add up to at a time.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::channel::{Centre, Channel, Posture, Side, Sided};
use super::curve::{Curve, hermite, smoother};
use super::gait;
use super::poses::{Poses, Values, values};
use super::recipe::{Blend, FRAMES_PER_SECOND, Flight, Gait, Key, Recipe, Shape};
use super::rig::{self, BALL};
use super::steps::Plan;
use crate::math::ops;
use crate::model::Role;

#[derive(Clone, Debug)]
struct Keyed {
    channel: Channel,
    curve: Curve,
    drag_secs: f32,
}

#[derive(Clone, Debug)]
struct Sine {
    channel: Channel,
    by: f32,
    times: f32,
    peak: f32,
    shape: Shape,
}

/// Where the root is, as seen from where it began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RootPlace {
    /// Metres.
    pub position: Vec3,
    /// Degrees to the left.
    pub yaw: f32,
}

/// A recipe ready to be evaluated at any time.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub seconds: f32,
    pub keys_per_second: f32,
    pub is_looping: bool,
    pub travels: bool,
    pub flights: Vec<Flight>,
    gait: Option<Gait>,
    mirror: bool,
    reverse: bool,
    base: Posture,
    keyed: Vec<Keyed>,
    root: Vec<(Centre, Curve)>,
    /// Whether feet and hands are at places in the world, not as seen from the root.
    is_in_world: bool,
    plan: Plan,
    sines: Vec<Sine>,
    /// Other motions that this one goes over to, each with its two frames and the first of its own.
    blends: Vec<(Blend, Motion)>,
}

impl Motion {
    /// Of a recipe that has been checked against `poses`; `blends` are the motions it blends to, in their order.
    pub fn of(recipe: &Recipe, poses: &Poses, blends: Vec<Self>) -> Self {
        let mut base = Posture::default();
        let pose = poses.get(recipe.pose.as_deref().unwrap_or("stand")).unwrap_or_default();
        for (channel, value) in pose.into_iter().chain(values(&recipe.set)) {
            base.set(channel, value);
        }
        let mut motion = Self {
            seconds: recipe.seconds(),
            keys_per_second: recipe.keys_per_second(),
            is_looping: recipe.is_looping(),
            travels: recipe.travels,
            gait: recipe.gait.clone(),
            flights: recipe.flights.clone(),
            mirror: recipe.mirror,
            reverse: recipe.reverse,
            base,
            keyed: curves(recipe, poses),
            root: root_curves(recipe),
            is_in_world: !recipe.is_looping() && recipe.moves_root_in_keys(),
            plan: Plan::default(),
            sines: sines(recipe),
            blends: recipe.blends.iter().cloned().zip(blends).collect(),
        };
        let root = |frame: f32| motion.root_at(frame / FRAMES_PER_SECOND);
        motion.plan = Plan::new(&recipe.steps, &motion.keyed_at(0.0), root);
        for flight in motion.flights.iter_mut().filter(|_| recipe.reverse) {
            let frames = recipe.frames.unwrap_or(0) as f32;
            (flight.from, flight.to) = (frames - flight.to, frames - flight.from);
        }
        motion
    }

    /// The posture at `time` seconds, within joint limits, as seen from the root.
    pub fn posture(&self, time: f32) -> Posture {
        let time = self.own_time(time);
        let mut posture = self.keyed_at(time);
        let phase = time / self.seconds.max(1e-6);
        if let Some(gait) = &self.gait {
            for side in Side::BOTH {
                gait::add_to(gait, self.seconds, side, phase, &mut posture);
            }
            gait::turn_to_face(gait, &mut posture);
        }
        self.plan.apply(time, &mut posture);
        for sine in &self.sines {
            posture.add(sine.channel, sine.by * sine.at(phase));
        }
        for (blend, other) in &self.blends {
            let begin = blend.begin / FRAMES_PER_SECOND;
            let frame = time * FRAMES_PER_SECOND;
            let share = if blend.until > blend.from {
                smoother((frame - blend.from) / (blend.until - blend.from))
            } else {
                1.0 - smoother((frame - blend.until) / (blend.from - blend.until).max(1e-3))
            };
            posture.go_over_to(&other.posture(begin + time), share);
        }
        if self.is_in_world {
            see_from_root(self.root_at(time), &mut posture);
        }
        posture.clamp_to_limits();
        if self.mirror { posture.mirrored() } else { posture }
    }

    /// Where the root is at `time` seconds, whether or not the clip travels.
    pub fn root(&self, time: f32) -> RootPlace {
        let mut place = self.root_at(self.own_time(time));
        if self.mirror {
            place.position.x = -place.position.x;
            place.yaw = -place.yaw;
        }
        place
    }

    fn own_time(&self, time: f32) -> f32 {
        if self.reverse { self.seconds - time } else { time }
    }

    fn keyed_at(&self, time: f32) -> Posture {
        let mut posture = self.base.clone();
        for keyed in &self.keyed {
            let drag = if self.reverse { -keyed.drag_secs } else { keyed.drag_secs };
            posture.set(keyed.channel, keyed.curve.at(time - drag));
        }
        posture
    }

    fn root_at(&self, time: f32) -> RootPlace {
        let mut place = RootPlace::default();
        for (channel, curve) in &self.root {
            let value = curve.at(time);
            match channel {
                Centre::RootX => place.position.x = value,
                Centre::RootY => place.position.y = value,
                Centre::RootZ => place.position.z = value,
                _ => place.yaw = value,
            }
        }
        place
    }
}

/// Feet and hands are at places in the world; a posture is seen from the root.
fn see_from_root(root: RootPlace, posture: &mut Posture) {
    let back = Quat::from_rotation_y(-root.yaw.to_radians());
    for side in Side::BOTH {
        let s = side.sign();
        let foot = if side == Side::Left { Role::LeftFoot } else { Role::RightFoot };
        let rest = rig::skeleton().rest_position(foot) + BALL;
        let at = |c| posture.sided(side, c);
        let ball = rest + Vec3::new(s * at(Sided::FootOut), at(Sided::FootY), at(Sided::FootZ));
        let foot = back * (ball - root.position) - rest;
        let yaw = at(Sided::FootYaw) - s * root.yaw;
        let hand = Vec3::new(s * at(Sided::GripOut), at(Sided::GripY), at(Sided::GripZ));
        // A hand that goes with the chest is not at a place in the world.
        let held = back * (hand - root.position);
        let hand = held.lerp(hand, at(Sided::GripFollow));
        let mut set = |c, v| posture.set(Channel::Sided(side, c), v);
        set(Sided::FootOut, s * foot.x);
        set(Sided::FootY, foot.y);
        set(Sided::FootZ, foot.z);
        set(Sided::FootYaw, yaw);
        set(Sided::GripOut, s * hand.x);
        set(Sided::GripY, hand.y);
        set(Sided::GripZ, hand.z);
    }
}

/// What a key sets, its named pose under its own settings.
fn key_values(key: &Key, poses: &Poses) -> Values {
    let mut all = key.pose.as_ref().and_then(|name| poses.get(name)).unwrap_or_default();
    all.extend(values(&key.set));
    all
}

fn curves(recipe: &Recipe, poses: &Poses) -> Vec<Keyed> {
    let mut keys: BTreeMap<Channel, Vec<(f32, f32)>> = BTreeMap::new();
    let half = recipe.seconds() / 2.0;
    for key in &recipe.keys {
        let time = key.at / FRAMES_PER_SECOND;
        for (channel, value) in key_values(key, poses) {
            keys.entry(channel).or_default().push((time, value));
            if recipe.mirrored {
                let (other, sign) = channel.mirrored();
                keys.entry(other).or_default().push((time + half, value * sign));
            }
        }
    }
    let period = recipe.is_looping().then(|| recipe.seconds());
    keys.into_iter()
        .filter(|(channel, _)| !channel.is_root())
        .map(|(channel, mut keys)| {
            keys.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A key on the end of a loop says again what the first one said.
            keys.retain(|k| period.is_none_or(|p| k.0 < p - 1e-4));
            keys.dedup_by(|b, a| (b.0 - a.0).abs() < 1e-4);
            let mut curve = Curve::new(&keys, period);
            prescribe_speeds(recipe, channel, &keys, &mut curve);
            Keyed { channel, curve, drag_secs: drag_of(recipe, channel) }
        })
        .collect()
}

/// The way of the root: through all its keys, in loops too. Between two keys alone it goes evenly.
fn root_curves(recipe: &Recipe) -> Vec<(Centre, Curve)> {
    let mut keys: BTreeMap<Centre, Vec<(f32, f32)>> = BTreeMap::new();
    for key in recipe.keys.iter().chain(&recipe.way) {
        for (channel, value) in values(&key.set) {
            if let (true, Channel::Centre(centre)) = (channel.is_root(), channel) {
                keys.entry(centre).or_default().push((key.at / FRAMES_PER_SECOND, value));
            }
        }
    }
    let curves = keys.into_iter().map(|(centre, keys)| {
        let mut curve = Curve::new(&keys, None);
        if let (true, [a, b]) = (recipe.is_looping(), &keys[..]) {
            let speed = (b.1 - a.1) / (b.0 - a.0);
            curve.set_slope(a.0, speed);
            curve.set_slope(b.0, speed);
        }
        (centre, curve)
    });
    curves.collect()
}

/// Speeds that keys prescribe, and those at which flights begin and end.
fn prescribe_speeds(recipe: &Recipe, channel: Channel, keys: &[(f32, f32)], curve: &mut Curve) {
    for key in &recipe.keys {
        for (named, speed) in values(&key.speed) {
            if named == channel {
                curve.set_slope(key.at / FRAMES_PER_SECOND, speed);
            }
        }
    }
    if channel != Channel::Centre(Centre::HipsY) {
        return;
    }
    for flight in &recipe.flights {
        let (from, to) = (flight.from / FRAMES_PER_SECOND, flight.to / FRAMES_PER_SECOND);
        let at = |time: f32| keys.iter().find(|k| (k.0 - time).abs() < 1e-4).map(|k| k.1);
        if let (Some(a), Some(b)) = (at(from), at(to)) {
            let (mean, half) = ((b - a) / (to - from), flight.gravity * (to - from) / 2.0);
            curve.set_slope(from, mean + half);
            curve.set_slope(to, mean - half);
        }
    }
}

fn drag_of(recipe: &Recipe, channel: Channel) -> f32 {
    // The longest matching name is the most special one.
    let matching = recipe.drag.iter().filter(|(part, _)| channel.is_of(part));
    matching.max_by_key(|(part, _)| part.len()).map_or(0.0, |(_, &secs)| secs)
}

fn sines(recipe: &Recipe) -> Vec<Sine> {
    let half_stride = 0.5 / recipe.strides() as f32;
    let mut sines = Vec::new();
    for wave in &recipe.waves {
        for channel in Channel::named(&wave.on) {
            let is_right = matches!(channel, Channel::Sided(Side::Right, _));
            let late = if wave.alternate && is_right { half_stride } else { 0.0 };
            sines.push(Sine {
                channel,
                by: wave.by,
                times: wave.times as f32,
                peak: wave.peak + late,
                shape: wave.shape,
            });
        }
    }
    sines
}

impl Sine {
    /// Value at a phase of the clip, for an amplitude of 1.
    fn at(&self, phase: f32) -> f32 {
        let u = (self.times * (phase - self.peak)).rem_euclid(1.0);
        match self.shape {
            Shape::Sine => ops::cos(std::f32::consts::TAU * u),
            Shape::Tread(stance) if u < stance => 1.0 - 2.0 * u / stance,
            Shape::Tread(stance) => {
                let swing = 1.0 - stance;
                let speed = -2.0 / stance * swing;
                hermite((u - stance) / swing, -1.0, 1.0, speed, speed)
            }
            Shape::Lift(stance) => {
                let w = ((u - stance) / (1.0 - stance)).clamp(0.0, 1.0);
                smoother(2.0 * w.min(1.0 - w))
            }
        }
    }
}
