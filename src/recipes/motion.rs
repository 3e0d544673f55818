//! A recipe made ready to be evaluated: its curves, waves and footfalls, and the posture they add up to at a time.

use std::collections::BTreeMap;

use super::channel::{Centre, Channel, Posture, Side};
use super::curve::Curve;
use super::gait;
use super::recipe::{FRAMES_PER_SECOND, Flight, Gait, Key, Recipe, Settings};
use crate::math::ops;

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
}

/// A recipe ready to be evaluated at any time.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub seconds: f32,
    pub keys_per_second: f32,
    pub is_looping: bool,
    pub gait: Option<Gait>,
    pub flights: Vec<Flight>,
    base: Posture,
    keyed: Vec<Keyed>,
    sines: Vec<Sine>,
}

impl Motion {
    /// Of a recipe that has been checked against `poses`.
    pub fn of(recipe: &Recipe, poses: &BTreeMap<String, Settings>) -> Self {
        let mut base = Posture::default();
        let pose = recipe.pose.as_deref().unwrap_or("stand");
        for settings in poses.get(pose).into_iter().chain([&recipe.set]) {
            for (channel, value) in channels(settings) {
                base.set(channel, value);
            }
        }
        Self {
            seconds: recipe.seconds(),
            keys_per_second: recipe.keys_per_second(),
            is_looping: recipe.is_looping(),
            gait: recipe.gait.clone(),
            flights: recipe.flights.clone(),
            base,
            keyed: curves(recipe, poses),
            sines: sines(recipe),
        }
    }

    /// The posture at `time` seconds, within joint limits.
    pub fn posture(&self, time: f32) -> Posture {
        let mut posture = self.base.clone();
        for keyed in &self.keyed {
            posture.set(keyed.channel, keyed.curve.at(time - keyed.drag_secs));
        }
        let phase = time / self.seconds.max(1e-6);
        if let Some(gait) = &self.gait {
            for side in Side::BOTH {
                gait::add_to(gait, self.seconds, side, phase, &mut posture);
            }
        }
        for sine in &self.sines {
            let turns = (sine.times * (phase - sine.peak)).rem_euclid(1.0);
            posture.add(sine.channel, sine.by * ops::cos(std::f32::consts::TAU * turns));
        }
        posture.clamp_to_limits();
        posture
    }
}

/// All channels that settings name, with their values; a sided name wins over the paired one.
fn channels(settings: &Settings) -> Vec<(Channel, f32)> {
    let (both, own): (Vec<_>, Vec<_>) =
        settings.iter().partition(|(name, _)| Channel::named(name).len() > 1);
    both.into_iter()
        .chain(own)
        .flat_map(|(name, &value)| Channel::named(name).into_iter().map(move |c| (c, value)))
        .collect()
}

/// What a key sets, its named pose under its own settings.
fn key_values(key: &Key, poses: &BTreeMap<String, Settings>) -> BTreeMap<Channel, f32> {
    let pose = key.pose.as_ref().and_then(|name| poses.get(name));
    pose.into_iter().chain([&key.set]).flat_map(channels).collect()
}

fn curves(recipe: &Recipe, poses: &BTreeMap<String, Settings>) -> Vec<Keyed> {
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

/// Speeds that keys prescribe, and those at which flights begin and end.
fn prescribe_speeds(recipe: &Recipe, channel: Channel, keys: &[(f32, f32)], curve: &mut Curve) {
    for key in &recipe.keys {
        for (named, speed) in channels(&key.speed) {
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
            });
        }
    }
    sines
}
