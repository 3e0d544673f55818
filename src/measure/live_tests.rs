//! Live stretch, heats and morphs on the tube of a tail.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::tests::{on_chain, region, skinned};
use super::*;
use crate::model::{
    BindPose, Clip, Interpolation, MorphTarget, NodeIndex, Pose, Rigged, SurfaceVertex, Track,
    TrackValues, WorldPose,
};
use crate::work::Work;

fn bent(rigged: &Rigged, angle: f32) -> WorldPose {
    let mut pose = Pose::loaded(&rigged.character.skeleton);
    for joint in &rigged.chains[0].joints {
        pose.locals[joint.index()].rotation *= Quat::from_rotation_x(angle);
    }
    let mut world = WorldPose::default();
    pose.to_world(&rigged.character.skeleton, &rigged.character.root_matrix(), &mut world);
    world
}

fn edges(rigged: &Rigged) -> Edges {
    Edges::of(&rigged.character, &rigged.bind, 1.91, &[&region().vertices])
}

#[test]
fn a_live_reading_is_what_measuring_counts_and_peaks_are_held() {
    let rigged = skinned(on_chain);
    let edges = edges(&rigged);
    let mut live = LiveStretch::new(&rigged.character, &edges, LiveDetail::Heat);
    let straight = live.read(&bent(&rigged, 0.0), Vec3::Y).clone();
    assert!((straight.regions[0].max - 1.0).abs() < 1e-4, "{straight:?}");
    assert!(live.strain().iter().all(|s| (s - 1.0).abs() < 1e-4));

    let bent_world = bent(&rigged, 0.4);
    let reading = live.read(&bent_world, Vec3::Y).clone();
    let skinner = Skinner::new(&rigged.character, &edges.vertices);
    let (mut positions, mut ratios) = (Vec::new(), Ratios::default());
    skinner.skin(&bent_world, Vec3::Y, &mut positions);
    edges.inner[0].add_to(&positions, &mut ratios);
    assert_eq!(reading.regions[0], ratios.summary());
    assert!(reading.regions[0].max > 1.05 && (reading.body.max - 1.0).abs() < 1e-4);
    let most = live.strain().iter().copied().fold(0.0, f32::max);
    assert!(most >= reading.regions[0].max - 1e-4, "compressed edges count too: {most}");

    live.read(&bent(&rigged, 0.0), Vec3::Y);
    assert!(live.strain().iter().all(|s| (s - 1.0).abs() < 1e-4));
    assert_eq!(live.peak().iter().copied().fold(0.0, f32::max), most);
    live.reset_peak();
    assert!(live.peak().iter().all(|p| *p == 1.0));
}

#[test]
fn a_plot_reads_regions_whole_and_a_share_of_the_body() {
    let rigged = skinned(on_chain);
    // Every edge is the body's.
    let all = Edges::of(&rigged.character, &rigged.bind, 1.91, &[]);
    let share = all.with_body_share(400);
    assert!((300..=500).contains(&share.len()), "{}", share.len());
    assert_eq!(all.with_body_share(10_000).len(), all.len());
    let world = bent(&rigged, 0.4);
    let mut whole = LiveStretch::new(&rigged.character, &all, LiveDetail::Plot);
    let mut part = LiveStretch::new(&rigged.character, &share, LiveDetail::Plot);
    let (a, b) = (whole.read(&world, Vec3::Y).body, part.read(&world, Vec3::Y).body);
    assert!(whole.strain().is_empty() && a.edge_samples > b.edge_samples);
    assert!((a.p95 / b.p95 - 1.0).abs() < 0.03, "{a:?} {b:?}");
}

#[test]
fn heats_tell_whose_vertex_it_is_and_from_how_far() {
    let rigged = skinned(on_chain);
    let character = &rigged.character;
    let shares: Vec<Vec<f32>> =
        character.skeleton.indices().map(|j| joint_weights(character, j)).collect();
    for v in 0..shares[0].len() {
        let sum: f32 = shares.iter().map(|s| s[v]).sum();
        assert!((sum - 1.0).abs() < 1e-5, "vertex {v}: {sum}");
    }
    let detection = crate::detect::Detection {
        bind: BindPose::of(character, Some(NodeIndex(0))),
        surface: crate::geometry::Surface::of(character, &rigged.bind),
        segments: crate::detect::SkeletonSegments::of(character, &rigged.bind, &rigged.humanoid),
        ..Default::default()
    };
    let near = driven_from(&detection, character);
    let on_hips = skinned(|_| vec![(crate::model::JointIndex(0), 1.0)]);
    let far = driven_from(&detection, &on_hips.character);
    let tip = region().vertices.len() - 1;
    assert!(near[tip] < 0.06, "the tube's radius: {}", near[tip]);
    assert!(far[tip] > 0.5, "the length of the tail: {}", far[tip]);
    let mean = detection.segments.joint_distance(
        character,
        &rigged.bind,
        &detection.surface,
        &region().vertices,
    );
    let wanted = near.iter().take(tip + 1).sum::<f32>() / (tip + 1) as f32;
    assert!((mean - wanted).abs() < 1e-5);
}

/// The tube with a target that makes the tail's last ring twice as wide, and a clip that moves it.
fn morphed() -> (Rigged, Clip) {
    let mut rigged = skinned(on_chain);
    let mesh = &mut rigged.character.meshes[0];
    let axis = crate::motion::tests::TailSpec::fox().points[0];
    let last = region().vertices.len() - 12;
    let positions = (mesh.positions.iter().enumerate())
        .map(|(v, p)| match v >= last && v < last + 12 {
            true => Vec3::new(p.x - axis.x, 0.0, p.z - axis.z),
            false => Vec3::ZERO,
        })
        .collect();
    mesh.morphs = Arc::new(vec![MorphTarget { positions, ..MorphTarget::default() }]);
    let track = Track {
        node: NodeIndex(0),
        times: vec![0.0, 1.0],
        values: TrackValues::Morph { n_targets: 1, values: vec![0.0, 1.0] },
        interpolation: Interpolation::Linear,
    };
    let clip =
        Clip { name: "Puff".into(), duration_secs: 1.0, tracks: vec![track], ..Clip::default() };
    (rigged, clip)
}

#[test]
fn stretch_counts_the_clip_s_morph_weights() {
    let (rigged, clip) = morphed();
    let rigged = Arc::new(rigged);
    let input = MeasureInput {
        raw: &rigged.character,
        rigid: &rigged,
        chain: &rigged,
        regions: &[region()],
        clip: &clip,
        n_samples: 3,
    };
    let found = measure(&input, &Work::default()).unwrap();
    // The last ring's edges are twice as long; those to the ring before, 2.5 cm away, √(2.5² + 5²) cm along a side.
    let slant = 5.0_f32.hypot(81.0 / 32.0) / (81.0 / 32.0);
    let raw = found.regions[0].raw;
    assert!((raw.max - slant).abs() < 1e-3, "{raw:?}, not {slant}");
    assert!(raw.torn_percent > 0.5);

    let tip: Vec<SurfaceVertex> = vec![SurfaceVertex(region().vertices.len() as u32 - 1)];
    let mut skinner = Skinner::new(&rigged.character, &tip);
    let world = rigged.character.loaded_world();
    let mut at = |weight: f32| {
        let mut positions = Vec::new();
        skinner.set_morph_weights(NodeIndex(0), &[weight]);
        skinner.skin(&world, Vec3::ZERO, &mut positions);
        Vec3::from(positions[0])
    };
    let (base, half, whole) = (at(0.0), at(0.5), at(1.0));
    assert!((half - (base + whole) * 0.5).length() < 1e-6);
    assert!((whole - base).length() > 0.04 && at(0.0) == base);
}
