//! Which bones count, and distances to them against the plain formula.

use std::sync::Arc;

use glam::Mat4;

use super::*;
use crate::math::Transform;
use crate::model::{
    Influences, JointIndex, Mesh, MeshIndex, MeshInstance, Node, Skeleton, Skin, SkinIndex,
};

/// A skinned character of joints `(name, parent, position, weighted)`.
fn character(joints: &[(&str, Option<usize>, [f32; 3], bool)]) -> Character {
    let at = |i: usize| Vec3::from_array(joints[i].2);
    let nodes = joints.iter().enumerate().map(|(i, (name, parent, _, _))| Node {
        name: (*name).into(),
        parent: parent.map(NodeIndex::from_index),
        local: Transform::from_translation(at(i) - parent.map_or(Vec3::ZERO, at)),
        source: None,
    });
    let mut influences = Influences::with_capacity(joints.len());
    for (i, joint) in joints.iter().enumerate() {
        influences.push(joint.3.then_some((JointIndex::from_index(i), 1.0)));
    }
    Character {
        skeleton: Skeleton::new(nodes.collect()).unwrap(),
        skins: vec![Skin {
            name: String::new(),
            joints: (0..joints.len()).map(NodeIndex::from_index).collect(),
            joint_from_mesh: (0..joints.len()).map(|i| Mat4::from_translation(-at(i))).collect(),
            has_binds: true,
            source: None,
        }],
        meshes: vec![Mesh {
            positions: Arc::new((0..joints.len()).map(at).collect()),
            influences: Some(Arc::new(influences)),
            ..Mesh::default()
        }],
        instances: vec![MeshInstance {
            mesh: MeshIndex(0),
            node: NodeIndex(0),
            skin: Some(SkinIndex(0)),
            is_visible: true,
        }],
        ..Character::default()
    }
}

fn segments(character: &Character) -> Vec<(u32, Option<u32>)> {
    let bind = BindPose::of(character, None);
    let humanoid = super::super::roles::humanoid(character);
    SkeletonSegments::of(character, &bind, &humanoid)
        .segments
        .iter()
        .map(|s| (s.joint.0, s.end.map(|e| e.0)))
        .collect()
}

#[test]
fn roots_and_control_bones_are_no_bones() {
    let character = character(&[
        ("root", None, [0.0; 3], true),
        ("hips", Some(0), [0.0, 1.0, 0.0], true),
        ("thigh_l", Some(1), [0.1, 0.9, 0.0], true),
        ("calf_l", Some(2), [0.1, 0.5, 0.0], true),
        ("thigh_r", Some(1), [-0.1, 0.9, 0.0], true),
        ("calf_r", Some(4), [-0.1, 0.5, 0.0], true),
        ("calf_end_r", Some(5), [-0.1, 0.0, 0.0], false),
        ("kneeIK.l", Some(0), [0.1, 0.5, 0.5], false),
        ("hipControl", Some(1), [0.0, 1.0, -0.5], false),
    ]);
    // Hips to thighs, thighs to calves, a stub below the left calf, the marked end below the right.
    let expected =
        [(1, Some(2)), (2, Some(3)), (3, None), (1, Some(4)), (4, Some(5)), (5, Some(6))];
    assert_eq!(segments(&character), expected);
}

#[test]
fn a_stub_is_half_the_vector_from_the_parent() {
    let character = character(&[
        ("hips", None, [0.0, 1.0, 0.0], true),
        ("spine", Some(0), [0.0, 1.2, 0.0], true),
    ]);
    let bind = BindPose::of(&character, None);
    let found = SkeletonSegments::of(&character, &bind, &HumanoidMap::default());
    assert_eq!(found.segments.len(), 2);
    assert!(found.segments[1].b.distance(Vec3::new(0.0, 1.3, 0.0)) < 1e-6);
}

#[test]
fn blocks_give_what_the_formula_gives() {
    let random = |i: usize| {
        let x = (i as f32 * 0.754_877_7).fract();
        let y = (i as f32 * 0.569_840_3).fract();
        let z = (i as f32 * 0.362_437_1).fract();
        Vec3::new(x, y, z)
    };
    let segments = SkeletonSegments {
        segments: (0..40)
            .map(|i| Segment {
                joint: NodeIndex(i),
                end: None,
                a: random(i as usize * 2),
                // One of no length.
                b: random(i as usize * 2 + usize::from(i != 7)),
            })
            .collect(),
        ..SkeletonSegments::default()
    };
    let points: Vec<Vec3> = (100..1133).map(|i| random(i) * 1.5).collect();
    let field = segments.distances(&points);
    for (i, &p) in points.iter().enumerate() {
        let exact = segments.distance(p);
        assert!((field.distance[i] - exact).abs() < 1e-5);
        let s = segments.segments[field.nearest[i] as usize];
        assert!((distance_to_segment(p, s.a, s.b) - exact).abs() < 1e-5);
    }
}

#[test]
fn joint_distance_weighs_the_bones_that_drive() {
    let character = character(&[
        ("hips", None, [0.0, 1.0, 0.0], true),
        ("spine", Some(0), [0.0, 2.0, 0.0], true),
    ]);
    let bind = BindPose::of(&character, None);
    let found = SkeletonSegments::of(&character, &bind, &HumanoidMap::default());
    let surface = Surface {
        positions: vec![Vec3::new(3.0, 1.5, 0.0), Vec3::new(0.0, 2.25, 0.5)],
        triangles: Vec::new(),
        offsets: vec![0, 2],
        is_visible: vec![true],
    };
    // Vertex 0 is driven by the hips (bone from y 1 to 2), vertex 1 by the spine (stub from y 2 to 2.5).
    let all = [SurfaceVertex(0), SurfaceVertex(1)];
    let mean = found.joint_distance(&character, &bind, &surface, &all);
    assert!((mean - (3.0 + 0.5) / 2.0).abs() < 1e-5, "{mean}");
}
