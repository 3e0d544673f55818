//! Hair strands with and without colliders: nanoseconds for each joint and substep; the scene of
//! `bench/three_vrm_spring.mjs`, so that both can be compared in one run.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench may stop where its own input is wrong"
)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Affine3A, EulerRot, Quat, Vec3};
use tailbone::math::Transform;
use tailbone::model::{
    BindPose, BodyMeasures, Chain, ChainOrigin, Character, ColliderIndex, ColliderShape,
    ContactTests, HairSettings, HairSolver, Node, NodeIndex, Rigged, Skeleton, SpringSettings,
    Strand, Tip,
};
use tailbone::motion::{
    Anchor, ChainTopology, ColliderPose, SpringChain, Springs, StepSize, Surroundings,
};

/// Chains round a head, as in the peer's scene.
fn strands(n_chains: usize, n_joints: usize, n_colliders: u32, settings: HairSettings) -> Rigged {
    let mut skeleton = Skeleton::default();
    let mut push = |name: String, parent: Option<NodeIndex>, at: Vec3| {
        let local = Transform::from_translation(at);
        skeleton.push(Node { name, parent, local, source: None }).unwrap()
    };
    let hips = push("hips".into(), None, Vec3::Y);
    let chest = push("chest".into(), Some(hips), Vec3::Y * 0.35);
    let head = push("head".into(), Some(chest), Vec3::Y * 0.25);
    let chains = (0..n_chains).map(|c| {
        let a = std::f32::consts::TAU * c as f32 / n_chains as f32;
        let (sin, cos) = (libm::sinf(a), libm::cosf(a));
        let mut parent = head;
        let mut joints = Vec::new();
        for j in 0..=n_joints {
            let at = match j {
                0 => Vec3::new(0.1 * cos, 0.05, 0.1 * sin),
                _ => Vec3::new(0.01 * cos, -0.06, 0.01 * sin),
            };
            parent = push(format!("c{c}j{j}"), Some(parent), at);
            joints.push(parent);
        }
        let tip = Tip::Node(joints.pop().unwrap());
        let mut strand = Strand::uniform(settings, n_joints);
        strand.links.iter_mut().for_each(|link| link.radius_m = Some(0.02));
        strand.colliders = (0..n_colliders).map(ColliderIndex).collect();
        Chain {
            name: format!("c{c}"),
            anchor: head,
            joints,
            tip,
            origin: ChainOrigin::Existing,
            settings: SpringSettings::default(),
            hair: Some(strand),
            is_driven: true,
        }
    });
    let chains = chains.collect();
    let character = Character { skeleton, ..Character::default() };
    let bind = BindPose::of(&character, None);
    Rigged { character, chains, bind, body: BodyMeasures::default(), ..Rigged::default() }
}

/// Spheres and capsules on head and chest, as in the peer's scene: which is on the head, and its shape.
fn colliders(n: u32) -> Vec<(bool, ColliderShape)> {
    let shape = |i: u32| {
        let a = i as f32;
        let (sin, cos) = (libm::sinf(a), libm::cosf(a));
        if i.is_multiple_of(2) {
            return ColliderShape::sphere(Vec3::new(0.06 * cos, -0.08 * a, 0.06 * sin), 0.09);
        }
        ColliderShape::Capsule {
            a: Vec3::new(0.1 * cos, -0.05 * a, 0.1 * sin),
            b: Vec3::new(0.1 * cos, -0.05 * a - 0.2, 0.12),
            radius: 0.06,
            inside: false,
        }
    };
    (0..n).map(|i| (2 * i < n, shape(i))).collect()
}

/// Chest and head at `t`: walking sway and head turn.
fn body(t: f32) -> (Affine3A, Affine3A) {
    let s = |x: f32| libm::sinf(t * x);
    let turned = |x, y, z, at| {
        Affine3A::from_rotation_translation(Quat::from_euler(EulerRot::XYZ, x, y, z), at)
    };
    let hips = turned(0.0, 0.0, 0.0, Vec3::new(0.15 * s(2.1), 1.0 + 0.05 * s(6.0), 0.3 * s(1.0)));
    let chest = hips * turned(0.1 * s(3.0), 0.2 * s(2.0), 0.0, Vec3::Y * 0.35);
    let head = chest * turned(0.3 * s(4.0), 0.8 * s(2.7), 0.1 * s(5.0), Vec3::Y * 0.25);
    (chest, head)
}

const SUBSTEPS: usize = 240;

fn steps(
    c: &mut Criterion,
    name: &str,
    (n_chains, n_joints, n_colliders): (usize, usize, u32),
    settings: HairSettings,
) {
    let rigged = strands(n_chains, n_joints, n_colliders, settings);
    let chains: Vec<SpringChain> = rigged
        .chains
        .iter()
        .map(|chain| SpringChain {
            topology: ChainTopology::new(&rigged, chain),
            settings: chain.settings,
            fork: None,
            hair: chain.hair.clone(),
        })
        .collect();
    // The body's poses are given, worked out beforehand.
    let shapes = colliders(n_colliders);
    let lap: Vec<(Vec<Anchor>, Vec<ColliderPose>)> = (0..SUBSTEPS)
        .map(|n| {
            let (chest, head) = body(n as f32 / 120.0);
            let anchors = chains.iter().map(|chain| Anchor::of(&chain.topology, &head)).collect();
            let placed = shapes
                .iter()
                .map(|(on_head, s)| ColliderPose::of(s, if *on_head { &head } else { &chest }))
                .collect();
            (anchors, placed)
        })
        .collect();
    let mut springs = Springs::new(chains, StepSize::default());
    let mut n = 0_usize;
    let mut group = c.benchmark_group("hair");
    group.throughput(Throughput::Elements((n_chains * n_joints * SUBSTEPS) as u64));
    group.bench_function(name, |b| {
        b.iter(|| {
            let mut before = &lap[SUBSTEPS - 1].1;
            for (anchors, now) in &lap {
                n += 1;
                let around = Surroundings { before, now, centers: &[] };
                springs.step_among(black_box(anchors), &[], &around, n as f64 / 120.0);
                before = now;
            }
            black_box(springs.tip(0))
        });
    });
    group.finish();
}

fn hair(c: &mut Criterion) {
    let whole = (12, 8, 10);
    // Springs, rope and contacts, as the peer has them; bends are bounded and evened out in the last line only.
    let plain = |tests| HairSettings {
        tests,
        coupling_rate: 0.0,
        bend_limit_rad: std::f32::consts::PI,
        ..HairSettings::default()
    };
    let (end_points, segments) = (plain(ContactTests::EndPoint), plain(ContactTests::Segment));
    steps(c, "12 chains of 8, 10 colliders, end points", whole, end_points);
    steps(c, "12 chains of 8, 10 colliders, whole links swept", whole, segments);
    steps(c, "12 chains of 8, no colliders", (12, 8, 0), end_points);
    steps(c, "one chain of 12, 10 colliders, end points", (1, 12, 10), end_points);
    let vrm = HairSettings { solver: HairSolver::VrmApp, ..end_points };
    steps(c, "12 chains of 8, 10 colliders, as a VRM app", whole, vrm);
    steps(c, "one chain of 12, 10 colliders, as a VRM app", (1, 12, 10), vrm);
    let usual = HairSettings { tests: ContactTests::EndPoint, ..HairSettings::default() };
    steps(c, "12 chains of 8, 10 colliders, end points, bends held", whole, usual);
}

criterion_group!(benches, hair);
criterion_main!(benches);
