//! Sampling and retargeting: 260 clips of two seconds at 30 keys a second on 65 joints.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench may stop where its own input is wrong"
)]

mod allocator;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use glam::{Affine3A, Quat, Vec3};
use tailbone::clips::PackedClip;
use tailbone::clips::retarget::{RetargetOptions, RetargetRig, Retargeter};
use tailbone::math::ops;
use tailbone::model::{BindPose, Clip, Interpolation, Pose, Role, Track, TrackValues, WorldPose};
use tailbone::recipes::{RecipeBook, skeleton};
use tailbone::work::Work;

const N_CLIPS: usize = 260;

fn rig() -> RetargetRig {
    let canonical = skeleton();
    let bind = BindPose::of(&canonical.character, canonical.humanoid.node(Role::Hips));
    let body = Some(&canonical.body);
    RetargetRig::of(&canonical.character, &bind, &canonical.humanoid, body, |_| true)
}

/// Every joint turns in its own way; the hips go forward.
fn clip(rig: &RetargetRig, seed: usize) -> Clip {
    let times: Vec<f32> = (0..=60).map(|i| i as f32 / 30.0).collect();
    let track = |node, values| Track {
        node,
        times: times.clone(),
        values,
        interpolation: Interpolation::Linear,
    };
    let turn = |node: u32, t: f32| {
        let phase = (node as usize + seed) as f32;
        Quat::from_scaled_axis(Vec3::new(
            0.5 * ops::sin(3.0 * t + phase),
            0.4 * ops::sin(4.0 * t + 2.0 * phase),
            0.3 * ops::sin(5.0 * t + 3.0 * phase),
        ))
    };
    let mut tracks: Vec<Track> = (rig.humanoid.roles.values())
        .map(|&node| {
            let turns = times.iter().map(|&t| turn(node.0, t)).collect();
            track(node, TrackValues::Rotation(turns))
        })
        .collect();
    let hips = rig.humanoid.node(Role::Hips).unwrap();
    let stand = rig.neutral.local(hips).translation;
    let way = times.iter().map(|&t| stand + Vec3::new(0.1 * ops::sin(t), 0.0, t)).collect();
    tracks.push(track(hips, TrackValues::Translation(way)));
    Clip { name: format!("clip {seed}"), duration_secs: 2.0, tracks, ..Clip::default() }
}

fn sampling(criterion: &mut Criterion) {
    let rig = rig();
    let packed = PackedClip::new(&clip(&rig, 1), &rig.neutral);
    let (mut pose, mut world) = (Pose::default(), WorldPose::default());
    let mut group = criterion.benchmark_group("sample");
    group.throughput(Throughput::Elements(rig.skeleton.len() as u64));
    // Steps of the golden ratio: every sample falls far from the last.
    let mut at = 0.0_f64;
    group.bench_function("random seek", |b| {
        b.iter(|| {
            at = (at + 1.236) % 2.0;
            packed.sample(black_box(at), &mut pose);
        });
    });
    group.bench_function("full pose in order", |b| {
        b.iter(|| {
            at = (at + 1.0 / 60.0) % 2.0;
            packed.sample(black_box(at), &mut pose);
            pose.to_world(&rig.skeleton, &Affine3A::IDENTITY, &mut world);
        });
    });
    group.bench_function("full pose at random", |b| {
        b.iter(|| {
            at = (at + 1.236) % 2.0;
            packed.sample(black_box(at), &mut pose);
            pose.to_world(&rig.skeleton, &Affine3A::IDENTITY, &mut world);
        });
    });
    group.finish();
}

/// The recipes as they stand in the repository: (name, text).
fn recipes() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("presets/clips");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    paths.map(read).collect()
}

/// What a user waits for: reading the book, making a clip, taking it to a character.
fn first_clip(criterion: &mut Criterion) {
    let files = recipes();
    let named = |wanted: &str| {
        let (name, text) = files.iter().find(|(name, _)| name == wanted).unwrap();
        (name.as_str(), text.as_str())
    };
    // The walks need no other file.
    let walks = [named("locomotion.ron")];
    let book = || RecipeBook::read(&walks, named("poses.ron"), named("layers.ron")).unwrap();
    let rig = rig();
    let mut group = criterion.benchmark_group("recipes");
    group.bench_function("read one file of recipes", |b| b.iter(book));
    group.bench_function("make a walk of 40 frames", |b| {
        b.iter_batched(book, |book| book.clip("Walk_Loop"), BatchSize::SmallInput);
    });
    let walk = book().clip("Walk_Loop").unwrap();
    group.bench_function("first clip on a character: rig, retargeter, clip with feet", |b| {
        b.iter(|| {
            let (source, target) = (rig.clone(), rig.clone());
            let made = Retargeter::new(source, target, RetargetOptions::default()).unwrap();
            made.clip(&walk, &Work::default()).unwrap()
        });
    });
    group.finish();
}

fn retargeting(criterion: &mut Criterion) {
    let rig = rig();
    let clips: Vec<Clip> = (0..N_CLIPS).map(|seed| clip(&rig, seed)).collect();
    let shown: Vec<&Clip> = clips.iter().collect();
    let work = Work::default();
    let mut group = criterion.benchmark_group("retarget");
    group.sample_size(10);
    let plain = Retargeter::new(rig.clone(), rig.clone(), RetargetOptions::PLAIN).unwrap();
    group.bench_function("260 clips, one core", |b| {
        b.iter(|| {
            for clip in &clips {
                black_box(plain.clip(clip, &work).unwrap());
            }
        });
    });
    let whole = Retargeter::new(rig.clone(), rig.clone(), RetargetOptions::default()).unwrap();
    group.bench_function("260 clips, feet and floor, all cores", |b| {
        b.iter(|| black_box(whole.clips(&shown, &work).unwrap()));
    });
    group.finish();
}

criterion_group!(benches, sampling, first_clip, retargeting);
criterion_main!(benches);
