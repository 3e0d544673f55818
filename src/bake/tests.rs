//! Baking generated tails.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::*;
use crate::clips::PackedClip;
use crate::math::{Transform, ops, rotation};
use crate::model::{
    BindPose, Clip, ClipIndex, ConstraintKind, Interpolation, Node, NodeConstraint, NodeIndex,
    Pose, Role, SpringSettings, Track, TrackValues,
};
use crate::motion::tests::TailSpec;
use crate::perform::tests::{fox, hips_clip, walk_at};
use crate::perform::{BodyMotion, SettledPass, TracksOnChains};
use crate::work::Work;

fn plan(clips: impl IntoIterator<Item = (Clip, Option<ClipIndex>)>) -> BakePlan {
    let clips = clips
        .into_iter()
        .map(|(clip, joins)| BakeClip { clip: Arc::new(clip), joins, origin: "file".into() })
        .collect();
    BakePlan { clips, ..BakePlan::default() }
}

fn rotations(track: &Track) -> &[Quat] {
    match &track.values {
        TrackValues::Rotation(q) => q,
        _ => &[],
    }
}

#[test]
fn keys_lie_at_frames_and_exactly_at_the_end() {
    assert_eq!(key_times(0.1, 30.0), [0.0, 1.0 / 30.0, 2.0 / 30.0, 0.1]);
    assert_eq!(key_times(0.11, 30.0), [0.0, 1.0 / 30.0, 2.0 / 30.0, 3.0 / 30.0, 0.11]);
    assert_eq!(key_times(1.0, 24.0).len(), 25);
    assert_eq!(key_times(0.0, 30.0), [0.0]);
    let odd = key_times(1.33, 30.0);
    assert_eq!(odd[odd.len() - 1], 1.33);
    assert!(odd.windows(2).all(|w| w[1] - w[0] > 1e-4));
}

#[test]
fn a_baked_loop_ends_where_it_begins_and_keeps_its_signs() {
    let rigged = fox();
    let walk = hips_clip(&rigged, 1.33, true, walk_at);
    let baked = bake(&rigged, &plan([(walk, Some(ClipIndex(0)))]), &Work::default()).unwrap();
    let report = &baked.reports[0];
    assert!(report.closed && report.seam_deg <= 0.05 && report.seam_m <= 1e-4, "{report:?}");
    assert!(report.warmup_passes > 0);
    let clip = &baked.clips[0];
    assert_eq!(clip.joins, Some(ClipIndex(0)));
    assert_eq!(clip.clip.tracks.len(), 4, "only what is added");
    for track in &clip.clip.tracks {
        let q = rotations(track);
        assert_eq!(q.first(), q.last());
        assert_eq!(track.times.last(), Some(&1.33_f32));
        assert!(q.windows(2).all(|w| w[0].dot(w[1]) > 0.0));
        assert!(q.iter().all(|q| q.is_normalized()));
    }
}

#[test]
fn the_baked_clip_is_what_was_performed() {
    let rigged = fox();
    let walk = hips_clip(&rigged, 1.33, true, walk_at);
    let motion = BodyMotion::new(Arc::clone(&rigged), Some(&walk), TracksOnChains::Win);
    let pass = SettledPass::run(&motion, &Work::default()).unwrap();
    let baked = bake(&rigged, &plan([(walk, None)]), &Work::default()).unwrap();
    let packed = PackedClip::new(&baked.clips[0].clip, &Pose::loaded(&rigged.character.skeleton));
    let (mut a, mut b, mut room) = (Pose::default(), Pose::default(), Vec::new());
    for k in 0..40 {
        let secs = f64::from(k) / 30.0;
        packed.sample(secs, &mut a);
        pass.pose_at(&motion, secs, &mut room, &mut b);
        for (a, b) in a.locals.iter().zip(&b.locals) {
            assert!(rotation::angle_between(a.rotation, b.rotation).to_degrees() < 0.06);
            assert!(a.translation.distance(b.translation) < 1e-5);
        }
    }
}

#[test]
fn a_tail_that_rests_has_one_key_a_joint() {
    let rigged = fox();
    let still = hips_clip(&rigged, 2.0, true, |_| (Quat::IDENTITY, Vec3::ZERO));
    let baked = bake(&rigged, &plan([(still, None)]), &Work::default()).unwrap();
    let clip = &baked.clips[0].clip;
    assert_eq!(clip.tracks.len(), 2 + 4, "the body's tracks and the tail's");
    assert!(clip.tracks.iter().skip(2).all(|t| t.times == [0.0] && rotations(t).len() == 1));
}

#[test]
fn a_one_shot_is_not_bent_to_close() {
    let rigged = fox();
    // A bow: a steady turn would be taken out as travel.
    let bow = hips_clip(&rigged, 0.8, false, |s| (Quat::from_rotation_x(0.8 * s * s), Vec3::ZERO));
    let baked = bake(&rigged, &plan([(bow, None)]), &Work::default()).unwrap();
    assert!(baked.reports[0].closed, "it is settled: {:?}", baked.reports[0]);
    let tail = &baked.clips[0].clip.tracks[2];
    assert_ne!(rotations(tail).first(), rotations(tail).last());
}

#[test]
fn bakes_are_the_same_bytes_on_any_number_of_threads() {
    let rigged = fox();
    let clips: Vec<_> = (0..6)
        .map(|k| {
            let mut clip = hips_clip(&rigged, 0.7 + 0.2 * f64::from(k), k % 2 == 0, walk_at);
            clip.name = format!("Clip {k}");
            (clip, None)
        })
        .collect();
    let plan = plan(clips);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| bake(&rigged, &plan, &Work::default()).unwrap())
    };
    let one = on(1);
    assert_eq!(one, on(3));
    let names: Vec<_> = one.reports.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["Clip 0", "Clip 1", "Clip 2", "Clip 3", "Clip 4", "Clip 5"]);
}

#[test]
fn a_tail_that_someone_animated_keeps_its_tracks() {
    let rigged = fox();
    let mut clip = hips_clip(&rigged, 1.0, true, walk_at);
    let keys = [0.0, 0.4, 0.0].map(Quat::from_rotation_x).to_vec();
    clip.tracks.push(Track {
        node: rigged.chains[0].joints[1],
        times: vec![0.0, 0.5, 1.0],
        values: TrackValues::Rotation(keys.clone()),
        interpolation: Interpolation::Linear,
    });
    let mut plan = plan([(clip.clone(), None), (clip, Some(ClipIndex(3)))]);
    let baked = bake(&rigged, &plan, &Work::default()).unwrap();
    assert_eq!(baked.clips.len(), 1, "the file's own clip gains nothing");
    assert_eq!(rotations(&baked.clips[0].clip.tracks[2]), keys);
    assert_eq!(baked.reports[1].chains, 0);
    plan.tracks = TracksOnChains::Lose;
    let driven = bake(&rigged, &plan, &Work::default()).unwrap();
    let on_joint = |t: &&Track| t.node == rigged.chains[0].joints[1];
    let tracks: Vec<_> = driven.clips[0].clip.tracks.iter().filter(on_joint).collect();
    assert_eq!(tracks.len(), 1, "replaced, not doubled");
    assert_ne!(rotations(tracks[0]), keys);
}

#[test]
fn a_constraint_is_baked_unless_the_clip_itself_turns_its_node() {
    let mut rigged = TailSpec::fox().rigged(SpringSettings::default());
    let (hips, name) = (NodeIndex(0), String::from("Skirt"));
    let local = Transform::IDENTITY;
    let skirt = Node { name, parent: Some(hips), local, source: None };
    let node = rigged.character.skeleton.push(skirt).unwrap();
    let kind = ConstraintKind::Rotation;
    rigged.character.constraints = vec![NodeConstraint { node, source: hips, kind, weight: 1.0 }];
    rigged.bind = BindPose::of(&rigged.character, None);
    let rigged = Arc::new(rigged);
    let turned = |values: TrackValues| {
        let mut clip = hips_clip(&rigged, 1.0, true, walk_at);
        let (times, interpolation) = (vec![0.0, 1.0], Interpolation::Linear);
        clip.tracks.push(Track { node, times, values, interpolation });
        let plan = plan([(clip, Some(ClipIndex(0)))]);
        let baked = bake(&rigged, &plan, &Work::default()).unwrap();
        baked.clips[0].clip.tracks.iter().any(|t| t.node == node && !rotations(t).is_empty())
    };
    assert!(turned(TrackValues::Translation(vec![Vec3::ZERO, Vec3::Y])));
    assert!(turned(TrackValues::Scale(vec![Vec3::ONE, Vec3::splat(2.0)])));
    assert!(!turned(TrackValues::Rotation(vec![Quat::IDENTITY; 2])), "it keeps its own");
}

#[test]
fn travel_is_put_where_the_plan_wants_it_and_the_tail_does_not_care() {
    let mut rigged = TailSpec::fox().rigged(SpringSettings::default());
    rigged.humanoid.roles.insert(Role::Hips, NodeIndex(0));
    let rigged = Arc::new(rigged);
    let walking = hips_clip(&rigged, 1.0, true, |s| {
        let (q, p) = walk_at(s);
        (q, p + Vec3::Z * 1.4 * s)
    });
    let on = |root| {
        let plan = BakePlan { root, ..plan([(walking.clone(), None)]) };
        bake(&rigged, &plan, &Work::default()).unwrap()
    };
    let (kept, in_place) = (on(None), on(Some(RootPlacement::InPlace)));
    let last = |baked: &Baked| {
        let track = baked.clips[0].clip.tracks.iter().find_map(|t| match &t.values {
            TrackValues::Translation(v) if t.node == NodeIndex(0) => v.last().copied(),
            _ => None,
        });
        track.unwrap().z
    };
    assert!((last(&kept) - last(&in_place) - 1.4).abs() < 1e-3);
    let tail = |baked: &Baked| {
        let tracks = &baked.clips[0].clip.tracks;
        rotations(&tracks[tracks.len() - 1]).to_vec()
    };
    for (a, b) in tail(&kept).iter().zip(&tail(&in_place)) {
        assert!(rotation::angle_between(*a, *b).to_degrees() < 0.1);
    }
}

#[test]
fn poor_clips_bake_to_something_finite() {
    let rigged = fox();
    let wild = hips_clip(&rigged, 0.5, true, |s| {
        let p = Vec3::new(50.0 * ops::sin(40.0 * s), 0.0, 0.0);
        (Quat::from_rotation_y(200.0 * s), p)
    });
    let empty = Clip { name: "Empty".into(), ..Clip::default() };
    let short = hips_clip(&rigged, 0.002, true, walk_at);
    let clips = [(wild, None), (empty, None), (short, None)];
    let baked = bake(&rigged, &plan(clips), &Work::default()).unwrap();
    assert_eq!(baked.reports.len(), 3);
    for clip in &baked.clips {
        for track in &clip.clip.tracks {
            assert!(rotations(track).iter().all(|q| q.is_normalized()));
            assert!(track.times.windows(2).all(|w| w[0] < w[1]));
        }
    }
}
