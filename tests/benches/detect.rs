//! Detection, and what it stands on, at two sizes: the fox, and a character of half a million vertices.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark may stop where its input cannot be made"
)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use tailbone::detect::{DetectSettings, detect};
use tailbone::geometry::{Topology, geodesic};
use tailbone::model::{Character, Influences, Mesh};
use tailbone::samples::generate;
use tailbone::work::Work;

/// A mesh with every triangle cut in four, several times.
fn finer(mesh: &Mesh) -> Mesh {
    let mut positions = mesh.positions.to_vec();
    let old = mesh.influences.as_ref().unwrap();
    let mut influences = Influences::with_capacity(positions.len() * 4);
    for v in 0..old.len() {
        influences.push(old.of(v));
    }
    let mut triangles = Vec::with_capacity(mesh.triangles.len() * 4);
    let mut middles = std::collections::BTreeMap::new();
    for &[a, b, c] in mesh.triangles.iter() {
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                // The lower end first, so that both copies of a split edge round alike.
                let (p, q) = (mesh.positions[a as usize], mesh.positions[b as usize]);
                positions.push(((p.as_dvec3() + q.as_dvec3()) * 0.5).as_vec3());
                influences.push(old.of(a as usize));
                positions.len() as u32 - 1
            })
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Mesh {
        positions: Arc::new(positions),
        triangles: Arc::new(triangles),
        influences: Some(Arc::new(influences)),
        name: mesh.name.clone(),
        ..Mesh::default()
    }
}

fn with_vertices(character: &Character, least: u32) -> Character {
    let mut result = character.clone();
    while result.surface_offsets().last().copied().unwrap() < least {
        for mesh in result.meshes.iter_mut().filter(|m| m.influences.is_some()) {
            *mesh = finer(mesh);
        }
    }
    result
}

fn benches(c: &mut Criterion) {
    let fox = generate("fox").unwrap().character;
    let large = with_vertices(&fox, 300_000);
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
