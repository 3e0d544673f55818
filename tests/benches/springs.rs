//! Tail chains with coupling, limit, plane and floor: nanoseconds for each joint and substep.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench may stop where its own input is wrong"
)]

#[allow(dead_code, reason = "each bench uses its own share of this")]
mod puppet;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tailbone::motion::{Anchor, ChainTopology, SpringChain, Springs, StepSize};

fn steps(c: &mut Criterion, name: &str, n_tails: usize, n_links: usize) {
    let rigged = puppet::tails(n_tails, n_links);
    let chains: Vec<SpringChain> = rigged
        .chains
        .iter()
        .map(|chain| SpringChain {
            topology: ChainTopology::new(&rigged, chain),
            settings: chain.settings,
            fork: None,
            hair: None,
        })
        .collect();
    // The body's poses are given: one lap of a walk, worked out beforehand.
    let lap: Vec<Vec<Anchor>> = (0..160)
        .map(|n| {
            let hips = puppet::walk(n as f32 / 120.0);
            chains.iter().map(|chain| Anchor::of(&chain.topology, &hips)).collect()
        })
        .collect();
    let mut springs = Springs::new(chains, StepSize::default());
    let mut n = 0_usize;
    let mut group = c.benchmark_group("springs");
    group.throughput(Throughput::Elements((n_tails * n_links * lap.len()) as u64));
    group.bench_function(name, |b| {
        b.iter(|| {
            for anchors in &lap {
                n += 1;
                springs.step(black_box(anchors), &[], n as f64 / 120.0);
            }
            black_box(springs.tip(0))
        });
    });
    group.finish();
}

fn springs(c: &mut Criterion) {
    steps(c, "one chain of 5, a lap of 160 substeps", 1, 5);
    steps(c, "32 chains of 8, a lap of 160 substeps", 32, 8);
}

criterion_group!(benches, springs);
criterion_main!(benches);
