//! From a recipe to a clip: the motion is posed at every frame and its joints' rotations become tracks.

use glam::{Quat, Vec3};

use super::figure::Figure;
use super::floor;
use super::mass;
use super::motion::Motion;
use super::recipe::FRAMES_PER_SECOND;
use super::rig;
use crate::model::{Clip, Interpolation, NodeIndex, Pose, Role, Track, TrackValues};

/// A flight's parabola.
#[derive(Clone, Copy, Debug)]
struct Arc {
    from_secs: f32,
    to_secs: f32,
    /// Centre of mass at take-off and landing, in metres.
    from: Vec3,
    to: Vec3,
    gravity: f32,
}

impl Arc {
    fn at(&self, time: f32) -> Vec3 {
        let (t, whole) = (time - self.from_secs, self.to_secs - self.from_secs);
        let straight = self.from.lerp(self.to, t / whole);
        straight + Vec3::Y * (0.5 * self.gravity * t * (whole - t))
    }
}

/// Poses of a motion at any time.
#[derive(Debug)]
pub(super) struct Poser<'a> {
    motion: &'a Motion,
    arcs: Vec<Arc>,
}

impl<'a> Poser<'a> {
    /// Of a motion. Poses its take-offs and landings.
    pub fn new(motion: &'a Motion) -> Self {
        let centre = |time: f32| {
            let mut figure = Figure::new();
            figure.take(&motion.posture(time));
            mass::centre_of_mass(&figure)
        };
        let arcs = motion.flights.iter().map(|flight| {
            let (from_secs, to_secs) =
                (flight.from / FRAMES_PER_SECOND, flight.to / FRAMES_PER_SECOND);
            Arc {
                from_secs,
                to_secs,
                from: centre(from_secs),
                to: centre(to_secs),
                gravity: flight.gravity,
            }
        });
        Self { motion, arcs: arcs.collect() }
    }

    /// The body at `time` seconds.
    pub fn at(&self, time: f32) -> Figure {
        let posture = self.motion.posture(time);
        let mut figure = Figure::new();
        figure.take(&posture);
        let arc = self.arcs.iter().find(|a| time > a.from_secs && time < a.to_secs);
        if let Some(arc) = arc {
            // Feet that are still held to the floor move the centre a little, so the shift is found in rounds.
            let mut shift = Vec3::ZERO;
            figure.fly(&posture, shift);
            for _ in 0..5 {
                shift += arc.at(time) - mass::centre_of_mass(&figure);
                figure.fly(&posture, shift);
            }
        }
        figure
    }
}

/// The clip of a motion, its last key equal to the first in loops. Cost: O(frames · joints).
pub(super) fn clip(name: &str, motion: &Motion) -> Clip {
    let poser = Poser::new(motion);
    let n_keys = (motion.seconds * motion.keys_per_second).round().max(1.0) as usize;
    let times: Vec<f32> = (0..=n_keys).map(|k| k as f32 / motion.keys_per_second).collect();
    let mut poses: Vec<Pose> = times.iter().map(|&t| poser.at(t).pose).collect();
    if motion.is_looping
        && let (Some(first), Some(last)) = (poses.first().cloned(), poses.last_mut())
    {
        *last = first;
    }
    floor::keep_above_between_keys(&mut poses, motion.is_looping);
    let rig = rig::skeleton();
    let mut tracks = root_tracks(motion, &times);
    for &role in Role::ALL {
        let Some(node) = rig.humanoid.node(role) else { continue };
        if role == Role::Hips {
            let values = poses.iter().map(|p| p.local(node).translation).collect();
            tracks.push(track(node, &times, TrackValues::Translation(values)));
        }
        let mut rotations: Vec<Quat> = poses.iter().map(|p| p.local(node).rotation).collect();
        if rotations.iter().all(|&q| q == Quat::IDENTITY) {
            continue;
        }
        keep_to_one_side(&mut rotations);
        let values = TrackValues::Rotation(rotations);
        tracks.push(track(node, &times, values));
    }
    Clip {
        name: name.to_owned(),
        duration_secs: f64::from(times.last().copied().unwrap_or_default()),
        looping: motion.is_looping,
        tracks,
        source: None,
    }
}

/// The way of the root, where the clip travels.
fn root_tracks(motion: &Motion, times: &[f32]) -> Vec<Track> {
    let root = NodeIndex::default();
    if !motion.travels {
        return Vec::new();
    }
    let places: Vec<_> = times.iter().map(|&t| motion.root(t)).collect();
    let mut tracks = Vec::new();
    if places.iter().any(|p| p.position != Vec3::ZERO) {
        let way = places.iter().map(|p| p.position).collect();
        tracks.push(track(root, times, TrackValues::Translation(way)));
    }
    if places.iter().any(|p| p.yaw != 0.0) {
        let mut turns: Vec<Quat> =
            places.iter().map(|p| Quat::from_rotation_y(p.yaw.to_radians())).collect();
        keep_to_one_side(&mut turns);
        tracks.push(track(root, times, TrackValues::Rotation(turns)));
    }
    tracks
}

/// Turns the signs of quaternions so that each lies on its predecessor's side.
fn keep_to_one_side(rotations: &mut [Quat]) {
    let mut before = Quat::IDENTITY;
    for q in rotations {
        if before.dot(*q) < 0.0 {
            *q = -*q;
        }
        before = *q;
    }
}

/// A linear track. What never moves needs its two ends only.
fn track(node: NodeIndex, times: &[f32], values: TrackValues) -> Track {
    let (times, values) = match (values, times) {
        (TrackValues::Rotation(v), &[first, .., last]) if v.windows(2).all(|w| w[0] == w[1]) => {
            (vec![first, last], TrackValues::Rotation(v.into_iter().take(2).collect()))
        }
        (values, times) => (times.to_vec(), values),
    };
    Track { node, times, values, interpolation: Interpolation::Linear }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::RecipeBook;
    use super::*;

    #[test]
    fn the_centre_of_mass_flies_a_parabola() {
        let book = RecipeBook::bundled().unwrap();
        for recipe in book.recipes().iter().filter(|r| !r.flights.is_empty()) {
            let motion = book.motion(recipe);
            let poser = Poser::new(&motion);
            for flight in &recipe.flights {
                let (from, to) = (flight.from / 30.0, flight.to / 30.0);
                let height = |t: f32| mass::centre_of_mass(&poser.at(t)).y;
                let h = 0.02;
                let mut t = from + 2.0 * h;
                while t < to - 2.0 * h {
                    let fall = (height(t - h) - 2.0 * height(t) + height(t + h)) / (h * h);
                    let off = (fall + flight.gravity).abs() / flight.gravity;
                    assert!(off < 0.05, "{} falls with {fall} m/s2 at {t} s", recipe.name);
                    t += 0.01;
                }
            }
        }
    }
}
