//! Detection, and what it stands on, at two sizes: the fox, and a character of 577,000 vertices.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark may stop where its input cannot be made"
)]

mod allocator;
#[path = "../common/dense.rs"]
mod dense;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tailbone::detect::{DetectSettings, detect};
use tailbone::geometry::{Coarse, Topology, geodesic};
use tailbone::samples::generate;
use tailbone::work::Work;

fn benches(c: &mut Criterion) {
    let fox = generate("fox").unwrap().character;
    let large = dense::denser(&fox, 6);
    for (name, character) in [("fox", &fox), ("large", &large)] {
        let n = character.surface_offsets().last().copied().unwrap();
        println!("{name}: {n} vertices");
        let settings = DetectSettings::default();
        let found = detect(character, &settings, &Work::default()).unwrap();
        println!("{name}: {:?}", found.timings);
        c.bench_function(&format!("detect/{name}"), |b| {
            b.iter(|| detect(black_box(character), &settings, &Work::default()).unwrap());
        });
        c.bench_function(&format!("topology/{name}"), |b| {
            b.iter(|| Topology::of(black_box(&found.surface)));
        });
        c.bench_function(&format!("topology_and_geodesics/{name}"), |b| {
            b.iter(|| {
                let topology = Topology::of(black_box(&found.surface));
                geodesic::distances(&topology.graph, &[(0, 0.0)])
            });
        });
        c.bench_function(&format!("coarse/{name}"), |b| {
            b.iter(|| Coarse::new(black_box(&found.topology), 20_000));
        });
        let graph = &found.topology.graph;
        c.bench_function(&format!("geodesics/{name}"), |b| {
            b.iter(|| geodesic::distances(black_box(graph), &[(0, 0.0)]));
        });
        c.bench_function(&format!("skeleton_distance/{name}"), |b| {
            b.iter(|| found.segments.distances(black_box(&found.surface.positions)));
        });
    }
}

criterion_group! {
    name = all;
    config = Criterion::default().sample_size(20);
    targets = benches
}
criterion_main!(all);
