//! Rigging of the fox: its chain, weights and skin, detection not counted.
#![allow(clippy::unwrap_used, reason = "a bench may stop where it fails")]

mod allocator;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tailbone::detect::{DetectSettings, detect};
use tailbone::rig::{RigSettings, rig};
use tailbone::samples;
use tailbone::work::Work;

fn rig_fox(c: &mut Criterion) {
    let character = samples::generate("fox").unwrap().character;
    let work = Work::default();
    let detection = detect(&character, &DetectSettings::default(), &work).unwrap();
    let settings = RigSettings::default();
    c.bench_function("rig fox", |b| {
        b.iter(|| rig(black_box(&character), &detection, &settings, &work).unwrap());
    });
}

criterion_group!(benches, rig_fox);
criterion_main!(benches);
