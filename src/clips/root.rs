//! Where a clip goes: its net travel and turn, taken out of it or put back.

use glam::{Affine3A, Quat, Vec3};

use super::PackedClip;
use crate::math::{Transform, ops, polar_rotation};
use crate::model::{Clip, Interpolation, NodeIndex, Pose, Skeleton, Track, TrackValues};

/// A skeleton with the pose a clip is played over, and where its hips are.
#[derive(Clone, Copy, Debug)]
pub struct RigView<'a> {
    /// Every node.
    pub skeleton: &'a Skeleton,
    /// Local transforms `[N]` of what a clip does not move.
    pub base: &'a Pose,
    /// From the file's scene to metres, +Y up.
    pub world_from_file: Affine3A,
    /// The node of the hips.
    pub hips: NodeIndex,
}

impl RigView<'_> {
    /// World matrix of a node in `pose`. Cost: O(depth).
    pub fn world_of(&self, node: NodeIndex, pose: &Pose) -> Affine3A {
        let own = pose.local(node).to_affine();
        let above = self
            .skeleton
            .ancestors(node)
            .fold(own, |matrix, ancestor| pose.local(ancestor).to_affine() * matrix);
        self.world_from_file * above
    }
}

/// The steady motion over the ground that a clip leads to: a constant turn rate about +Y and a constant velocity in the
/// turning frame, so that from lap to lap it just goes on.
///
/// World = [`Self::world_from_in_place`] · in-place. At time 0 it is the identity, after the whole clip it takes the hips'
/// first place and heading over the floor to their last. Heights are left alone. Source: spec 8, 2.4 (T1, travel).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Travel {
    duration_secs: f64,
    /// Turn over the whole clip about +Y, in radians, -π to π.
    heading_rad: f32,
    /// Where the hips were first, height 0.
    origin: Vec3,
    /// From their first to their last place, metres, height 0.
    displacement: Vec3,
}

impl Travel {
    /// Travel from the hips' world matrix at the start of something to that at its end, `duration_secs` later.
    ///
    /// Less than 1 mm and 0.1° is no travel: a loop that closes to rounding stays as it is, bit for bit.
    pub fn between(start: &Affine3A, end: &Affine3A, duration_secs: f64) -> Self {
        let flat = |m: &Affine3A| Vec3::new(m.translation.x, 0.0, m.translation.z);
        let (origin, displacement) = (flat(start), flat(end) - flat(start));
        // The twist about +Y of the rotation between them. A body that ends lying down has no other heading.
        let turned = polar_rotation(end) * polar_rotation(start).conjugate();
        let turned = if turned.w < 0.0 { -turned } else { turned };
        let upright = turned.w * turned.w + turned.y * turned.y;
        let heading_rad = if upright > 0.25 { 2.0 * ops::atan2(turned.y, turned.w) } else { 0.0 };
        let is_still = displacement.length() < 1e-3 && heading_rad.abs() < 0.1_f32.to_radians();
        let is_finite = displacement.is_finite() && heading_rad.is_finite() && origin.is_finite();
        if is_still || !is_finite || duration_secs <= 0.0 {
            return Self { duration_secs, ..Self::default() };
        }
        Self { duration_secs, heading_rad, origin, displacement }
    }

    /// Travel of the hips over a clip.
    pub fn of(clip: &PackedClip, rig: &RigView<'_>) -> Self {
        let mut pose = Pose::default();
        clip.sample(0.0, &mut pose);
        let start = rig.world_of(rig.hips, &pose);
        clip.sample(clip.duration_secs(), &mut pose);
        Self::between(&start, &rig.world_of(rig.hips, &pose), clip.duration_secs())
    }

    /// Way over the ground from first to last, in metres; height 0.
    pub fn displacement(&self) -> Vec3 {
        self.displacement
    }

    /// Turn about +Y from first to last, in radians, positive to the character's left.
    pub fn heading_rad(&self) -> f32 {
        self.heading_rad
    }

    /// Whether the clip stays where it is.
    pub fn is_still(&self) -> bool {
        self.displacement == Vec3::ZERO && self.heading_rad == 0.0
    }

    /// How far the steady motion has gone at `time_secs`; goes on past the clip's end, lap after lap.
    pub fn world_from_in_place(&self, time_secs: f64) -> Affine3A {
        if self.is_still() {
            return Affine3A::IDENTITY;
        }
        let laps = time_secs / self.duration_secs;
        let turn = (f64::from(self.heading_rad) * laps) as f32;
        if self.heading_rad.abs() < 1e-5 {
            return Affine3A::from_translation(self.displacement * laps as f32);
        }
        // A circle about c: g(p) = R(p - origin) + origin + displacement has c = g(c), so with m the middle of the way
        // c = m + (displacement × up) cot(heading / 2) / 2, and every share of the way turns about the same c.
        let half = 0.5 * self.heading_rad;
        let cot = ops::cos(half) / ops::sin(half);
        let c =
            self.origin + 0.5 * self.displacement + 0.5 * cot * Vec3::Y.cross(self.displacement);
        let rotation = Quat::from_axis_angle(Vec3::Y, turn);
        Affine3A::from_rotation_translation(rotation, c - rotation * c)
    }

    /// The inverse of [`Self::world_from_in_place`].
    pub fn in_place_from_world(&self, time_secs: f64) -> Affine3A {
        self.world_from_in_place(time_secs).inverse()
    }
}

/// Where a clip keeps its travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootMotion {
    /// Taken out: the character stays in frame, sway and bounce stay in.
    #[default]
    InPlace,
    /// On this node, an ancestor of the hips; the hips keep what is left.
    OnRoot(NodeIndex),
    /// All of it on the hips; nodes above them stand still.
    OnHips,
}

/// The clip with its travel where `motion` says. What it does to nodes other than the hips and their ancestors is kept.
///
/// Tracks of the hips and of all their ancestors are replaced: keys at the union of their times, and at least 30 a second
/// where the travel turns. An `OnRoot` node that is no ancestor of the hips is taken as `OnHips`. Cost: O(keys × depth).
pub fn with_root_motion(clip: &Clip, rig: &RigView<'_>, motion: RootMotion) -> Clip {
    let packed = PackedClip::new(clip, rig.base);
    let travel = Travel::of(&packed, rig);
    let line: Vec<NodeIndex> =
        std::iter::once(rig.hips).chain(rig.skeleton.ancestors(rig.hips)).collect();
    let root = match motion {
        RootMotion::OnRoot(node) if node != rig.hips && line.contains(&node) => Some(node),
        _ => None,
    };
    let times = key_times(clip, &line, &travel);
    let mut hips = Moves::default();
    let mut moved_root = Moves::default();
    let mut pose = Pose::default();
    for &time in &times {
        let secs = f64::from(time);
        packed.sample(secs, &mut pose);
        let mut world_from_hips = rig.world_of(rig.hips, &pose);
        if motion == RootMotion::InPlace {
            world_from_hips = travel.in_place_from_world(secs) * world_from_hips;
        }
        for &node in &line {
            if let (Some(local), base) = (pose.locals.get_mut(node.index()), rig.base.local(node)) {
                *local = base;
            }
        }
        if let Some(root) = root {
            let world = travel.world_from_in_place(secs) * rig.world_of(root, &pose);
            let local = moved_root.push(rig, root, &pose, &world);
            if let Some(slot) = pose.locals.get_mut(root.index()) {
                *slot = local;
            }
        }
        hips.push(rig, rig.hips, &pose, &world_from_hips);
    }
    let mut result = clip.clone();
    result
        .tracks
        .retain(|t| !line.contains(&t.node) || matches!(t.values, TrackValues::Morph { .. }));
    if let Some(root) = root {
        result.tracks.extend(moved_root.into_tracks(root, &times));
    }
    result.tracks.extend(hips.into_tracks(rig.hips, &times));
    result
}

/// Union of the key times of `nodes`; at least the clip's two ends, and 30 a second where the travel turns.
fn key_times(clip: &Clip, nodes: &[NodeIndex], travel: &Travel) -> Vec<f32> {
    let end = clip.duration_secs as f32;
    let mut times: Vec<f32> = vec![0.0, end];
    let own = clip.tracks.iter().filter(|t| nodes.contains(&t.node));
    times.extend(own.flat_map(|t| t.times.iter().copied()).filter(|t| (0.0..=end).contains(t)));
    if travel.heading_rad != 0.0 {
        let n = (clip.duration_secs * 30.0).ceil().clamp(1.0, 1e6) as u32;
        times.extend((0..n).map(|i| (clip.duration_secs * f64::from(i) / f64::from(n)) as f32));
    }
    times.sort_by(f32::total_cmp);
    times.dedup_by(|b, a| *b - *a < 1e-5);
    times
}

/// Keys of a node's translation and rotation.
#[derive(Default)]
struct Moves {
    translations: Vec<Vec3>,
    rotations: Vec<Quat>,
}

impl Moves {
    /// Adds the key that brings `node` to `world`, and returns its local transform; the base's scale is kept.
    fn push(
        &mut self,
        rig: &RigView<'_>,
        node: NodeIndex,
        pose: &Pose,
        world: &Affine3A,
    ) -> Transform {
        let parent = rig
            .skeleton
            .parent(node)
            .map_or(rig.world_from_file, |parent| rig.world_of(parent, pose));
        let mut local = Transform::from_affine(&(parent.inverse() * *world));
        local.scale = rig.base.local(node).scale;
        if let Some(last) = self.rotations.last()
            && last.dot(local.rotation) < 0.0
        {
            local.rotation = -local.rotation;
        }
        self.translations.push(local.translation);
        self.rotations.push(local.rotation);
        local
    }

    fn into_tracks(self, node: NodeIndex, times: &[f32]) -> [Track; 2] {
        let track = |values| Track {
            node,
            times: times.to_vec(),
            values,
            interpolation: Interpolation::Linear,
        };
        [
            track(TrackValues::Translation(self.translations)),
            track(TrackValues::Rotation(self.rotations)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_PI_2, TAU};

    use super::*;
    use crate::model::Node;

    fn node(name: &str, parent: Option<u32>, local: Transform) -> Node {
        Node { name: name.into(), parent: parent.map(NodeIndex), local, source: None }
    }

    /// Centimetres, Z up: root → pelvis → child.
    fn skeleton() -> (Skeleton, Affine3A) {
        let skeleton = Skeleton::new(vec![
            node("root", None, Transform::IDENTITY),
            node("pelvis", Some(0), Transform::from_translation(Vec3::Z * 100.0)),
            node("spine", Some(1), Transform::from_translation(Vec3::Z * 20.0)),
        ])
        .unwrap();
        let world_from_file = Affine3A::from_scale_rotation_translation(
            Vec3::splat(0.01),
            Quat::from_rotation_x(-FRAC_PI_2),
            Vec3::ZERO,
        );
        (skeleton, world_from_file)
    }

    /// Once round a circle's quarter in 2 s on the root, while the pelvis bobs.
    fn quarter_circle() -> Clip {
        let times: Vec<f32> = (0..=60).map(|i| i as f32 / 30.0).collect();
        let turns: Vec<Quat> =
            times.iter().map(|t| Quat::from_rotation_z(t / 2.0 * FRAC_PI_2)).collect();
        let track = |node, values| Track {
            node: NodeIndex(node),
            times: times.clone(),
            values,
            interpolation: Interpolation::Linear,
        };
        let bob = |t: &f32| 100.0 + 3.0 * ops::sin(t * TAU);
        Clip {
            duration_secs: 2.0,
            tracks: vec![
                track(
                    0,
                    TrackValues::Translation(
                        turns.iter().map(|q| *q * Vec3::new(0.0, -200.0, 0.0)).collect(),
                    ),
                ),
                track(0, TrackValues::Rotation(turns)),
                track(
                    1,
                    TrackValues::Translation(times.iter().map(|t| Vec3::Z * bob(t)).collect()),
                ),
            ],
            ..Clip::default()
        }
    }

    #[test]
    fn travel_is_a_steady_turn_that_goes_on_lap_after_lap() {
        let (skeleton, world_from_file) = skeleton();
        let base = Pose::loaded(&skeleton);
        let rig = RigView { skeleton: &skeleton, base: &base, world_from_file, hips: NodeIndex(1) };
        let travel = Travel::of(&PackedClip::new(&quarter_circle(), &base), &rig);
        assert!((travel.heading_rad() - FRAC_PI_2).abs() < 1e-5);
        assert!((travel.displacement().length() - 2.0 * 2.0_f32.sqrt()).abs() < 1e-4);
        for (a, b) in [(0.5, 0.7), (2.0, 2.0), (1.9, 5.3)] {
            let both = travel.world_from_in_place(a) * travel.world_from_in_place(b);
            assert!(both.abs_diff_eq(travel.world_from_in_place(a + b), 1e-4), "{a} + {b}");
        }
    }

    #[test]
    fn in_place_keeps_the_bob_and_putting_back_restores_the_way() {
        let (skeleton, world_from_file) = skeleton();
        let base = Pose::loaded(&skeleton);
        let rig = RigView { skeleton: &skeleton, base: &base, world_from_file, hips: NodeIndex(1) };
        let clip = quarter_circle();
        let packed = PackedClip::new(&clip, &base);
        let travel = Travel::of(&packed, &rig);
        let variant = |motion| PackedClip::new(&with_root_motion(&clip, &rig, motion), &base);
        let in_place = variant(RootMotion::InPlace);
        let on_root = variant(RootMotion::OnRoot(NodeIndex(0)));
        let on_hips = variant(RootMotion::OnHips);
        let mut pose = Pose::default();
        let mut spine_at = |clip: &PackedClip, time| {
            clip.sample(time, &mut pose);
            rig.world_of(NodeIndex(2), &pose)
        };
        let first = spine_at(&packed, 0.0).translation;
        for i in 0..=40 {
            let time = f64::from(i) * 0.05;
            let original = spine_at(&packed, time);
            let stays = spine_at(&in_place, time);
            assert!((stays.translation - first).x.abs() < 2e-3, "{time}");
            assert!((stays.translation.y - original.translation.y).abs() < 1e-4);
            let put_back = travel.world_from_in_place(time) * stays;
            assert!(put_back.abs_diff_eq(original, 2e-3), "{time}: {put_back:?} {original:?}");
            assert!(spine_at(&on_root, time).abs_diff_eq(original, 2e-3));
            assert!(spine_at(&on_hips, time).abs_diff_eq(original, 2e-3));
        }
        assert!(Travel::of(&in_place, &rig).is_still());
        assert!(!with_root_motion(&clip, &rig, RootMotion::OnHips).animates(NodeIndex(0)));
    }

    #[test]
    fn a_clip_that_goes_straight_is_moved_back_along_its_line() {
        let start = Affine3A::from_translation(Vec3::new(1.0, 0.9, 2.0));
        let end = Affine3A::from_translation(Vec3::new(1.0, 1.1, 5.0));
        let travel = Travel::between(&start, &end, 1.5);
        assert_eq!(travel.world_from_in_place(0.75).translation, glam::Vec3A::Z * 1.5);
        assert_eq!(travel.world_from_in_place(3.0).translation, glam::Vec3A::Z * 6.0);
        assert_eq!(Travel::default().world_from_in_place(7.0), Affine3A::IDENTITY);
    }

    #[test]
    fn a_body_that_ends_lying_down_has_not_turned() {
        let lying = Affine3A::from_quat(Quat::from_rotation_x(FRAC_PI_2));
        assert!(Travel::between(&Affine3A::IDENTITY, &lying, 1.0).is_still());
        let flipped = Affine3A::from_quat(Quat::from_rotation_x(TAU));
        assert!(Travel::between(&Affine3A::IDENTITY, &flipped, 1.0).is_still());
    }
}
