//! Measuring a tube of a tail on a box of a body, weighted in three ways.

use std::sync::Arc;

use glam::{Mat4, Vec3};

use super::*;
use crate::model::{
    BindPose, ChainOrigin, Character, Influences, InstanceIndex, JointIndex, Mesh, MeshIndex,
    MeshInstance, NodeIndex, Pose, Region, RegionId, Rigged, Skin, SkinIndex, SpringSettings,
    SurfaceVertex, WorldPose,
};
use crate::motion::tests::TailSpec;
use crate::perform::tests::{hips_clip, walk_at};
use crate::work::Work;

const RINGS: usize = 33;
const SIDES: usize = 12;

/// A tube along the fox's tail, `[RINGS × SIDES]`, its first ring shared with a box's worth of body below it.
fn tube(weights: impl Fn(f32) -> Vec<(JointIndex, f32)>) -> Mesh {
    let root = TailSpec::fox().points[0];
    let mut positions = Vec::new();
    let mut influences = Influences::with_capacity(RINGS * SIDES);
    for ring in 0..RINGS {
        let along = ring as f32 / (RINGS - 1) as f32;
        for side in 0..SIDES {
            let a = std::f32::consts::TAU * side as f32 / SIDES as f32;
            let (x, z) = (crate::math::ops::cos(a), crate::math::ops::sin(a));
            positions.push(root + Vec3::new(0.05 * x, -0.81 * along, 0.05 * z));
            influences.push(weights(along));
        }
    }
    // The body: a tetrahedron on the hips, joined to the tail's first ring by one edge.
    let body = positions.len() as u32;
    for p in [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::Y] {
        positions.push(root + Vec3::new(0.0, 0.2, 0.2) + p * 0.2);
        influences.push([(JointIndex(0), 1.0)]);
    }
    let mut triangles = vec![[body, body + 1, body + 2], [body, body + 1, body + 3], [0, 1, body]];
    for ring in 0..RINGS as u32 - 1 {
        for side in 0..SIDES as u32 {
            let at = |r: u32, s: u32| r * SIDES as u32 + s % SIDES as u32;
            let (a, b) = (at(ring, side), at(ring, side + 1));
            let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    Mesh {
        positions: Arc::new(positions),
        triangles: Arc::new(triangles),
        influences: Some(Arc::new(influences)),
        ..Mesh::default()
    }
}

/// The fox's tail with that tube on it.
pub(crate) fn skinned(weights: impl Fn(f32) -> Vec<(JointIndex, f32)>) -> Rigged {
    let mut rigged = TailSpec::fox().rigged(SpringSettings::default());
    rigged.chains[0].origin = ChainOrigin::Grown(RegionId(0));
    let joints: Vec<NodeIndex> = rigged.character.skeleton.indices().collect();
    let binds = joints.iter().map(|&j| Mat4::from(rigged.bind.world.matrix(j)).inverse()).collect();
    rigged.character.skins = vec![Skin {
        name: String::new(),
        joints,
        joint_from_mesh: binds,
        has_binds: true,
        source: None,
    }];
    rigged.character.meshes = vec![tube(weights)];
    rigged.character.instances = vec![MeshInstance {
        mesh: MeshIndex(0),
        node: NodeIndex(0),
        skin: Some(SkinIndex(0)),
        is_visible: true,
    }];
    rigged.bind = BindPose::of(&rigged.character, Some(NodeIndex(0)));
    rigged
}

/// Half and half at joints, one joint alone at the middle of each link.
pub(super) fn on_chain(along: f32) -> Vec<(JointIndex, f32)> {
    let s = (along * 4.0).min(3.999);
    let (k, f) = (s.floor() as u32, s.fract());
    let previous = (0.5 - 2.0 * f).clamp(0.0, 0.5);
    let next = if k == 3 { 0.0 } else { (2.0 * f - 1.5).clamp(0.0, 0.5) };
    let j = JointIndex;
    vec![(j(k), previous), (j(k + 1), 1.0 - previous - next), (j(k + 2), next)]
}

pub(super) fn region() -> Region {
    let vertices = (0..(RINGS * SIDES) as u32).map(SurfaceVertex).collect();
    Region { vertices, ..Region::bare(0) }
}

fn measured(looping: bool) -> Measurement {
    let chain = Arc::new(skinned(on_chain));
    let mut rigid = skinned(|_| vec![(JointIndex(0), 1.0)]);
    rigid.chains.clear();
    let rigid = Arc::new(rigid);
    // As an auto-rigger would: the tail on what is near, here the world's end of the chain held still.
    let raw = skinned(|along| {
        let j = JointIndex;
        vec![(j(0), 1.0 - along), (j(5), along)]
    });
    let clip = hips_clip(&chain, 1.33, looping, walk_at);
    measure(
        &MeasureInput {
            raw: &raw.character,
            rigid: &rigid,
            chain: &chain,
            regions: &[region()],
            clip: &clip,
            n_samples: 24,
        },
        &Work::default(),
    )
    .unwrap()
}

#[test]
fn a_rigid_tail_is_exactly_one_and_a_chain_swings_without_tearing() {
    let m = measured(true);
    let tail = m.regions[0];
    for value in [tail.rigid.p95, tail.rigid.p99, tail.rigid.max] {
        assert!((value - 1.0).abs() <= 1e-4, "{value}");
    }
    assert_eq!(tail.rigid.torn_percent, 0.0);
    assert_eq!(tail.chain.torn_percent, 0.0);
    assert!(tail.chain.max > 1.05, "a tail that swings deforms its skin a little");
    assert!(m.tip_travel_m.unwrap() > 0.1);
    assert!(m.seam.closed, "{:?}", m.seam);
    let edges = (2 * SIDES * (RINGS - 1) + SIDES * RINGS) as u64 - SIDES as u64;
    let ring_edges = SIDES as u64;
    assert_eq!(tail.rigid.edge_samples, 24 * (edges + ring_edges));
    assert_eq!(tail.border.unwrap().edge_samples, 24 * 2);
    assert_eq!(m.body.edge_samples, 24 * 5);
    assert!((m.body.max - 1.0).abs() < 1e-4);
}

#[test]
fn the_report_has_the_keys_that_scripts_read() {
    let json = serde_json::to_value(measured(false)).unwrap();
    for path in [
        "/samples",
        "/tail/raw/p95",
        "/tail/rigid/p99",
        "/tail/chain/torn_percent",
        "/body/max",
        "/tip_travel_m",
        "/regions/0/kind",
        "/regions/0/border/max",
    ] {
        assert!(json.pointer(path).is_some_and(|v| !v.is_null()), "{path} in {json}");
    }
    assert!(json["pelvis_lift"].is_null());
}

#[test]
fn skinning_agrees_with_the_sum_over_all_influences() {
    let rigged = skinned(|along| {
        (0..6).map(|j| (JointIndex(j), (1.0 + along * j as f32) / (6.0 + 15.0 * along))).collect()
    });
    let mut pose = Pose::loaded(&rigged.character.skeleton);
    for (i, local) in pose.locals.iter_mut().enumerate() {
        local.rotation *= glam::Quat::from_rotation_x(0.2 * i as f32);
    }
    let mut world = WorldPose::default();
    pose.to_world(&rigged.character.skeleton, &glam::Affine3A::IDENTITY, &mut world);
    let chosen: Vec<SurfaceVertex> = (3..300).step_by(7).map(SurfaceVertex).collect();
    let skinner = Skinner::new(&rigged.character, &chosen);
    let mut positions = Vec::new();
    let origin = Vec3::new(0.3, 0.9, -0.2);
    skinner.skin(&world, origin, &mut positions);
    assert_eq!(positions.len(), chosen.len());
    let mesh = &rigged.character.meshes[0];
    let skin = &rigged.character.skins[0];
    for (v, p) in chosen.iter().zip(&positions) {
        let mut wanted = Vec3::ZERO;
        for (j, w) in mesh.influences.as_ref().unwrap().of(v.0 as usize) {
            let bind = glam::Affine3A::from_mat4(skin.joint_from_mesh[j.index()]);
            let matrix = world.matrix(skin.joints[j.index()]) * bind;
            wanted += w * matrix.transform_point3(mesh.positions[v.0 as usize]);
        }
        assert!((Vec3::from(*p) + origin).distance(wanted) < 2e-6);
    }
}

#[test]
fn a_mesh_without_a_skin_follows_its_node() {
    let character = Character {
        instances: vec![MeshInstance {
            mesh: MeshIndex(0),
            node: NodeIndex(2),
            skin: None,
            is_visible: true,
        }],
        ..skinned(on_chain).character
    };
    let world = character.loaded_world();
    let edges = Edges::of(&character, &BindPose::of(&character, None), 1.91, &[]);
    assert!(edges.inner.is_empty() && !edges.body.ends.is_empty());
    let skinner = Skinner::new(&character, &edges.vertices);
    let mut positions = Vec::new();
    skinner.skin(&world, Vec3::ZERO, &mut positions);
    let mut ratios = Ratios::default();
    edges.body.add_to(&positions, &mut ratios);
    assert!(ratios.largest_deviation() < 1e-4);
    let (InstanceIndex(_), first) = (InstanceIndex(0), edges.vertices[0].0 as usize);
    let wanted = world.matrix(NodeIndex(2)).transform_point3(character.meshes[0].positions[first]);
    assert!(Vec3::from(positions[0]).distance(wanted) < 1e-6);
}

#[test]
fn sample_times_leave_out_the_end_of_a_loop_and_hold_both_ends_of_a_one_shot() {
    assert_eq!(sample_times(2.0, true, 4), [0.0, 0.5, 1.0, 1.5]);
    assert_eq!(sample_times(3.0, false, 4), [0.0, 1.0, 2.0, 3.0]);
}
