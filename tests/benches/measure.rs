//! Skinning and edge stretch of 23,000 vertices, one frame; baking one clip.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench may stop where its own input is wrong"
)]

mod allocator;
#[allow(dead_code, reason = "each bench uses its own share of this")]
mod puppet;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::Vec3;
use tailbone::bake::{BakeClip, BakePlan, bake};
use tailbone::measure::{Edges, LiveDetail, LiveStretch, Ratios, Skinner};
use tailbone::model::WorldPose;
use tailbone::work::Work;

fn stretch(c: &mut Criterion) {
    let rigged = puppet::with_skin(puppet::tails(8, 7), 240, 96);
    let character = &rigged.character;
    let edges = Edges::of(character, &rigged.bind, 1.91, &[]);
    let skinner = Skinner::new(character, &edges.vertices);
    let mut world = WorldPose::default();
    let pose = rigged.bind.pose.clone();
    pose.to_world(&character.skeleton, &character.root_matrix(), &mut world);
    let mut positions = Vec::new();

    let mut group = c.benchmark_group("measure");
    group.throughput(Throughput::Elements(skinner.len() as u64));
    group.bench_function("skin positions, each vertex", |b| {
        b.iter(|| skinner.skin(black_box(&world), Vec3::Y, &mut positions));
    });
    group.throughput(Throughput::Elements(edges.len() as u64));
    let mut ratios = Ratios::default();
    group.bench_function("edge stretch, each edge", |b| {
        b.iter(|| edges.body.add_to(black_box(&positions), &mut ratios));
    });
    group.bench_function("skin and stretch, each edge", |b| {
        b.iter(|| {
            skinner.skin(black_box(&world), Vec3::Y, &mut positions);
            edges.body.add_to(&positions, &mut ratios);
        });
    });
    group.finish();
}

/// What the studio reads in every frame.
fn live(c: &mut Criterion) {
    let rigged = puppet::with_skin(puppet::tails(8, 7), 240, 96);
    let character = &rigged.character;
    let edges = Edges::of(character, &rigged.bind, 1.91, &[]);
    let mut world = WorldPose::default();
    rigged.bind.pose.to_world(&character.skeleton, &character.root_matrix(), &mut world);
    for (name, detail) in [("plot", LiveDetail::Plot), ("heat", LiveDetail::Heat)] {
        let mut live = LiveStretch::new(character, &edges, detail);
        c.bench_function(&format!("live stretch of 23,000 vertices, one frame, {name}"), |b| {
            b.iter(|| live.read(black_box(&world), Vec3::Y).body.p99);
        });
    }
}

fn baking(c: &mut Criterion) {
    let rigged = Arc::new(puppet::tails(1, 4));
    let clip = Arc::new(puppet::walk_clip(2.0));
    let clips = vec![BakeClip { clip, joins: None, origin: "file".into() }];
    let plan = BakePlan { clips, ..BakePlan::default() };
    c.bench_function("bake one 2 s loop with warm-up, four links", |b| {
        b.iter(|| bake(&rigged, black_box(&plan), &Work::default()).unwrap());
    });
    let hair = Arc::new(puppet::tails(12, 8));
    let clip = Arc::new(puppet::walk_clip(1.0));
    let one = BakeClip { clip, joins: None, origin: "file".into() };
    let plan = BakePlan { clips: vec![one; 260], ..BakePlan::default() };
    let mut group = c.benchmark_group("bake");
    group.sample_size(10);
    group.bench_function("260 loops of 1 s with warm-up, 96 joints", |b| {
        b.iter(|| bake(&hair, black_box(&plan), &Work::default()).unwrap());
    });
    group.finish();
}

criterion_group!(benches, stretch, live, baking);
criterion_main!(benches);
