//! A clip trimmed, mirrored, sped up or renamed: another clip; the one it was made from stays as it is.
//!
//! Mirroring works on what a joint has turned from the bind pose, in canonical axes: turned over the plane x = 0 it is
//! what the joint of the other side has to do, whatever that joint's own axes are.

use std::fmt;
use std::str::FromStr;

use glam::{Quat, Vec3};

use super::sample::PackedClip;
use crate::model::{
    Clip, HumanoidMap, Interpolation, NodeIndex, Pose, Role, Skeleton, Track, TrackValues,
};

/// What is done to a clip, in this order: trim, mirror, speed, name.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipEdit {
    /// Seconds of the clip at which the new one begins.
    pub from_secs: f64,
    /// Seconds at which it ends; `None` where the clip does.
    pub to_secs: Option<f64>,
    /// Left and right change places.
    pub mirror: bool,
    /// How many times as fast, 0.05 to 20.
    pub speed: f64,
    /// Its name; `None` keeps the clip's.
    pub name: Option<String>,
}

impl Default for ClipEdit {
    fn default() -> Self {
        Self { from_secs: 0.0, to_secs: None, mirror: false, speed: 1.0, name: None }
    }
}

/// A clip edit that says nothing that can be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{part}\" is no clip edit; write mirror, speed=1.5, trim=0.2..1.0 or name=TEXT")]
pub struct ClipEditError {
    /// The part of the text that is none.
    pub part: String,
}

impl FromStr for ClipEdit {
    type Err = ClipEditError;

    /// Of words joined by `@`: `mirror@speed=1.5@trim=0.2..1.0@name=Quick Walk`.
    fn from_str(text: &str) -> Result<Self, ClipEditError> {
        let mut edit = Self::default();
        for part in text.split('@').map(str::trim).filter(|part| !part.is_empty()) {
            edit.take(part).ok_or_else(|| ClipEditError { part: part.to_owned() })?;
        }
        Ok(edit)
    }
}

impl fmt::Display for ClipEdit {
    /// As it stands behind the name of a clip: `@trim=0.2..1@mirror@speed=1.5@name=Quick Walk`; nothing for no edit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from_secs, self.to_secs) {
            (from, None) if from <= 0.0 => {}
            (from, None) => write!(f, "@trim={from}..")?,
            (from, Some(to)) => write!(f, "@trim={from}..{to}")?,
        }
        if self.mirror {
            f.write_str("@mirror")?;
        }
        if self.speed.to_bits() != 1.0_f64.to_bits() {
            write!(f, "@speed={}", self.speed)?;
        }
        match &self.name {
            Some(name) => write!(f, "@name={name}"),
            None => Ok(()),
        }
    }
}

impl ClipEdit {
    fn take(&mut self, part: &str) -> Option<()> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        match part.split_once('=') {
            None if part == "mirror" => self.mirror = true,
            Some(("speed", value)) => {
                self.speed = number(value).filter(|v| (0.05..=20.0).contains(v))?;
            }
            Some(("trim", range)) => {
                let (from, to) = range.split_once("..")?;
                self.from_secs = if from.trim().is_empty() { 0.0 } else { number(from)? };
                self.to_secs = if to.trim().is_empty() { None } else { Some(number(to)?) };
                let is_range = self.to_secs.is_none_or(|to| to > self.from_secs);
                (self.from_secs >= 0.0 && is_range).then_some(())?;
            }
            Some(("name", name)) if !name.trim().is_empty() => {
                self.name = Some(name.trim().to_owned());
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether it changes nothing.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The body that a clip is for.
#[derive(Clone, Copy, Debug)]
pub struct EditedBody<'a> {
    /// Its nodes.
    pub skeleton: &'a Skeleton,
    /// The bind pose, `[N]`.
    pub neutral: &'a Pose,
    /// Who is who.
    pub humanoid: &'a HumanoidMap,
    /// From the file's scene to the body's axes: +X its left, +Y up.
    pub canonical_from_file: Quat,
}

/// The edited clip. Cost: O(keys × N).
pub fn edited(clip: &Clip, body: &EditedBody<'_>, edit: &ClipEdit) -> Clip {
    let mut made = clip.clone();
    let end = edit.to_secs.unwrap_or(clip.duration_secs).min(clip.duration_secs);
    if edit.from_secs > 0.0 || end < clip.duration_secs {
        made = trimmed(&made, body.neutral, edit.from_secs.min(end), end);
    }
    if edit.mirror {
        made = mirrored(&made, body);
    }
    if edit.speed > 0.0 && (edit.speed - 1.0).abs() > 1e-9 {
        made.duration_secs /= edit.speed;
        for track in &mut made.tracks {
            track.times.iter_mut().for_each(|t| *t = (f64::from(*t) / edit.speed) as f32);
        }
    }
    if let Some(name) = &edit.name {
        made.name.clone_from(name);
    }
    if !edit.is_none() {
        made.source = None;
    }
    made
}

/// All times at which a clip has keys within `from` and `to`, those two among them; cubic pieces at 60 a second.
fn key_times(clip: &Clip, from: f64, to: f64) -> Vec<f64> {
    let mut times: Vec<f64> = vec![from, to];
    for track in &clip.tracks {
        times.extend(track.times.iter().map(|&t| f64::from(t)).filter(|t| *t > from && *t < to));
        if track.interpolation == Interpolation::Cubic {
            let n = ((to - from) * 60.0).ceil() as usize;
            times.extend((1..n).map(|k| from + (to - from) * k as f64 / n as f64));
        }
    }
    times.sort_by(f64::total_cmp);
    times.dedup_by(|b, a| *b - *a < 1e-5);
    times
}

/// Poses of a clip at times.
fn poses(clip: &Clip, neutral: &Pose, times: &[f64]) -> Vec<Pose> {
    let packed = PackedClip::new(clip, neutral);
    let sample = |&time: &f64| {
        let mut pose = neutral.clone();
        packed.sample(time, &mut pose);
        pose
    };
    times.iter().map(sample).collect()
}

/// A track of one part of a node's transform through poses.
fn track_of(node: NodeIndex, like: &TrackValues, times: &[f32], poses: &[Pose]) -> Option<Track> {
    let locals = poses.iter().map(|pose| pose.local(node));
    let values = match like {
        TrackValues::Translation(_) => {
            TrackValues::Translation(locals.map(|l| l.translation).collect())
        }
        TrackValues::Scale(_) => TrackValues::Scale(locals.map(|l| l.scale).collect()),
        TrackValues::Rotation(_) => TrackValues::Rotation(on_one_side(locals.map(|l| l.rotation))),
        TrackValues::Morph { .. } => return None,
    };
    Some(Track { node, times: times.to_vec(), values, interpolation: Interpolation::Linear })
}

fn on_one_side(rotations: impl Iterator<Item = Quat>) -> Vec<Quat> {
    let mut before = Quat::IDENTITY;
    rotations
        .map(|q| {
            before = if before.dot(q) < 0.0 { -q } else { q };
            before
        })
        .collect()
}

fn trimmed(clip: &Clip, neutral: &Pose, from: f64, to: f64) -> Clip {
    let times = key_times(clip, from, to);
    let poses = poses(clip, neutral, &times);
    let shifted: Vec<f32> = times.iter().map(|t| (t - from) as f32).collect();
    let tracks = clip.tracks.iter().filter_map(|track| match &track.values {
        TrackValues::Morph { .. } => Some(trimmed_morph(track, from as f32, to as f32)),
        values => track_of(track.node, values, &shifted, &poses),
    });
    Clip { tracks: tracks.collect(), duration_secs: to - from, looping: false, ..clip.clone() }
}

/// Weights keep the keys that lie within.
fn trimmed_morph(track: &Track, from: f32, to: f32) -> Track {
    let mut cut = track.clone();
    let kept: Vec<usize> =
        (0..track.times.len()).filter(|&k| (from..=to).contains(&track.times[k])).collect();
    cut.times = kept.iter().map(|&k| track.times[k] - from).collect();
    if let TrackValues::Morph { n_targets, values } = &mut cut.values {
        let per_key = values.len() / track.times.len().max(1);
        let of = |&k: &usize| values.get(k * per_key..(k + 1) * per_key).unwrap_or_default();
        *values = kept.iter().flat_map(of).copied().collect();
        debug_assert!(*n_targets > 0);
    }
    cut
}

/// Where each node takes its motion from when left and right change places; `None` for nodes that only follow.
fn partners(body: &EditedBody<'_>) -> Vec<Option<NodeIndex>> {
    let mut partners = vec![None; body.skeleton.len()];
    for (&role, &node) in &body.humanoid.roles {
        if let Some(slot) = partners.get_mut(node.index()) {
            *slot = body.humanoid.node(role.opposite()).or(Some(node));
        }
    }
    // What carries the hips is in the middle too.
    if let Some(hips) = body.humanoid.node(Role::Hips) {
        for node in body.skeleton.ancestors(hips).filter(|&n| n != hips) {
            partners[node.index()].get_or_insert(node);
        }
    }
    partners
}

/// World rotations of a pose, `[N]`, as turned to canonical axes.
fn rotations(body: &EditedBody<'_>, pose: &Pose) -> Vec<Quat> {
    let mut world: Vec<Quat> = Vec::with_capacity(pose.locals.len());
    for (node, local) in body.skeleton.nodes().iter().zip(&pose.locals) {
        let parent = node.parent.and_then(|p| world.get(p.index()).copied());
        world.push(parent.unwrap_or(body.canonical_from_file) * local.rotation);
    }
    world
}

/// Over the plane x = 0.
fn reflected(q: Quat) -> Quat {
    Quat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

fn mirrored(clip: &Clip, body: &EditedBody<'_>) -> Clip {
    let times = key_times(clip, 0.0, clip.duration_secs);
    let partners = partners(body);
    let neutral = rotations(body, body.neutral);
    let poses: Vec<Pose> = poses(clip, body.neutral, &times)
        .iter()
        .map(|pose| mirrored_pose(body, &partners, &neutral, pose))
        .collect();
    let keys: Vec<f32> = times.iter().map(|&t| t as f32).collect();
    let moved = |node: NodeIndex, is: fn(&TrackValues) -> bool| {
        clip.tracks.iter().any(|track| track.node == node && is(&track.values))
    };
    let mut tracks: Vec<Track> = Vec::new();
    for node in body.skeleton.indices() {
        let from = partners.get(node.index()).copied().flatten().unwrap_or(node);
        let turns = |v: &TrackValues| matches!(v, TrackValues::Rotation(_));
        let goes = |v: &TrackValues| matches!(v, TrackValues::Translation(_));
        if moved(from, turns) || moved(node, turns) {
            tracks.extend(track_of(node, &TrackValues::Rotation(Vec::new()), &keys, &poses));
        }
        if moved(node, goes) {
            tracks.extend(track_of(node, &TrackValues::Translation(Vec::new()), &keys, &poses));
        }
    }
    let stays =
        |track: &&Track| matches!(track.values, TrackValues::Scale(_) | TrackValues::Morph { .. });
    tracks.extend(clip.tracks.iter().filter(stays).cloned());
    Clip { tracks, ..clip.clone() }
}

fn mirrored_pose(
    body: &EditedBody<'_>,
    partners: &[Option<NodeIndex>],
    neutral: &[Quat],
    pose: &Pose,
) -> Pose {
    let world = rotations(body, pose);
    let mut made = pose.clone();
    let mut turned: Vec<Quat> = Vec::with_capacity(world.len());
    for (i, node) in body.skeleton.nodes().iter().enumerate() {
        let parent = node.parent.map_or(body.canonical_from_file, |p| turned[p.index()]);
        let Some(from) = partners[i] else {
            turned.push(parent * pose.locals[i].rotation);
            continue;
        };
        let delta = world[from.index()] * neutral[from.index()].conjugate();
        let own = (reflected(delta) * neutral[i]).normalize();
        made.locals[i].rotation = (parent.conjugate() * own).normalize();
        turned.push(own);
        if from.index() == i {
            // In the middle: its way goes to the other side. The parent's axes are those of the bind pose, or its own turn.
            let rest = body.neutral.locals[i].translation;
            let was = node.parent.map_or(body.canonical_from_file, |p| world[p.index()]);
            let way = was * (pose.locals[i].translation - rest);
            made.locals[i].translation =
                rest + parent.conjugate() * (way * Vec3::new(-1.0, 1.0, 1.0));
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Node;

    /// Hips with an arm to either side, the right one's axes turned.
    fn body() -> (Skeleton, Pose, HumanoidMap) {
        let node = |name: &str, parent, local| Node {
            name: name.to_owned(),
            parent: Option::map(parent, NodeIndex),
            local,
            source: None,
        };
        let turned = Transform {
            translation: Vec3::new(-0.2, 0.4, 0.0),
            rotation: Quat::from_rotation_z(2.0),
            ..Transform::default()
        };
        let skeleton = Skeleton::new(vec![
            node("hips", None, Transform::from_translation(Vec3::Y)),
            node("l", Some(0), Transform::from_translation(Vec3::new(0.2, 0.4, 0.0))),
            node("r", Some(0), turned),
        ])
        .unwrap();
        let mut humanoid = HumanoidMap::default();
        humanoid.roles.insert(Role::Hips, NodeIndex(0));
        humanoid.roles.insert(Role::LeftUpperArm, NodeIndex(1));
        humanoid.roles.insert(Role::RightUpperArm, NodeIndex(2));
        let pose = Pose::loaded(&skeleton);
        (skeleton, pose, humanoid)
    }

    fn clip() -> Clip {
        let track = |node, values| Track {
            node: NodeIndex(node),
            times: vec![0.0, 1.0],
            values,
            interpolation: Interpolation::Linear,
        };
        let way = TrackValues::Translation(vec![Vec3::Y, Vec3::new(0.3, 1.1, 0.2)]);
        let turn = TrackValues::Rotation(vec![Quat::IDENTITY, Quat::from_rotation_y(0.5)]);
        let arm = TrackValues::Rotation(vec![Quat::IDENTITY, Quat::from_rotation_z(-1.0)]);
        Clip {
            name: "a".into(),
            duration_secs: 1.0,
            tracks: vec![track(0, way), track(0, turn), track(1, arm)],
            ..Clip::default()
        }
    }

    fn pose_at(clip: &Clip, secs: f64, neutral: &Pose) -> Pose {
        poses(clip, neutral, &[secs]).remove(0)
    }

    #[test]
    fn a_mirrored_clip_does_on_the_right_what_it_did_on_the_left_and_twice_is_the_clip() {
        let (skeleton, neutral, humanoid) = body();
        let body = EditedBody {
            skeleton: &skeleton,
            neutral: &neutral,
            humanoid: &humanoid,
            canonical_from_file: Quat::IDENTITY,
        };
        let edit = ClipEdit { mirror: true, ..ClipEdit::default() };
        let once = edited(&clip(), &body, &edit);
        let end = pose_at(&once, 1.0, &neutral);
        assert!((end.locals[0].translation - Vec3::new(-0.3, 1.1, 0.2)).length() < 1e-5);
        // The left arm went down by one radian about z; now the right one does, with its own axes.
        let world = rotations(&body, &end);
        let rest = rotations(&body, &neutral);
        let expected = Quat::from_rotation_y(-0.5) * Quat::from_rotation_z(1.0) * rest[2];
        assert!(world[2].angle_between(expected) < 1e-3);
        let twice = edited(&once, &body, &edit);
        let (a, b) = (pose_at(&twice, 0.7, &neutral), pose_at(&clip(), 0.7, &neutral));
        for (a, b) in a.locals.iter().zip(&b.locals) {
            assert!(a.rotation.angle_between(b.rotation) < 2e-3);
            assert!((a.translation - b.translation).length() < 1e-5);
        }
    }

    #[test]
    fn an_edit_reads_as_it_is_written() {
        let whole = "@trim=0.2..1@mirror@speed=1.5@name=Quick Walk";
        for text in ["", "@mirror", whole, "@trim=0.5..", "@trim=0..0.75"] {
            let edit: ClipEdit = text.parse().unwrap();
            assert_eq!(edit.to_string(), text);
        }
    }

    #[test]
    fn trim_speed_and_name_leave_the_clip_alone() {
        let (skeleton, neutral, humanoid) = body();
        let body = EditedBody {
            skeleton: &skeleton,
            neutral: &neutral,
            humanoid: &humanoid,
            canonical_from_file: Quat::IDENTITY,
        };
        let original = clip();
        let edit: ClipEdit = "trim=0.25..0.75@speed=2@name=Half".parse().unwrap();
        let made = edited(&original, &body, &edit);
        assert_eq!(original, clip());
        assert_eq!((made.name.as_str(), made.duration_secs), ("Half", 0.25));
        let (a, b) = (pose_at(&made, 0.125, &neutral), pose_at(&original, 0.5, &neutral));
        assert!((a.locals[0].translation - b.locals[0].translation).length() < 1e-5);
        assert!(edited(&original, &body, &ClipEdit::default()) == original);
    }

    #[test]
    fn edits_are_parsed_and_faults_named() {
        let edit: ClipEdit = "mirror @ speed=1.5".parse().unwrap();
        assert_eq!(edit, ClipEdit { mirror: true, speed: 1.5, ..ClipEdit::default() });
        for bad in ["mirrored", "speed=0", "speed=nan", "trim=2..1", "trim=1", "name="] {
            let error = bad.parse::<ClipEdit>().unwrap_err();
            assert!(error.to_string().contains(bad), "{error}");
        }
    }
}
