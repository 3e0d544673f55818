//! A ball without joints, for the room's own tests.

use std::sync::Arc;

use glam::Vec3;

use crate::math::{Transform, ops};
use crate::model::{Character, Mesh, MeshIndex, MeshInstance, Node, NodeIndex, Rigged, Skeleton};
use crate::studio::scene::Scene;

/// A ball of `radius` metres about the origin, 16 × 24 quads.
pub(super) fn ball(radius: f32) -> Scene {
    ball_of(radius, (16, 24))
}

/// A ball of rows × columns quads.
pub(super) fn ball_of(radius: f32, (rows, columns): (u32, u32)) -> Scene {
    use std::f32::consts::{PI, TAU};
    let at = |i: u32| {
        let (row, column) = (i / (columns + 1), i % (columns + 1));
        let (a, b) = (row as f32 / rows as f32 * PI, column as f32 / columns as f32 * TAU);
        Vec3::new(ops::sin(a) * ops::sin(b), ops::cos(a), ops::sin(a) * ops::cos(b))
    };
    let normals: Vec<Vec3> = (0..(rows + 1) * (columns + 1)).map(at).collect();
    let corner = |i: u32| (i / columns) * (columns + 1) + i % columns;
    let quads = (0..rows * columns).map(corner);
    let below = columns + 1;
    let triangles =
        quads.flat_map(|v| [[v, v + below, v + 1], [v + 1, v + below, v + below + 1]]).collect();
    let mesh = Mesh {
        positions: Arc::new(normals.iter().map(|n| *n * radius).collect()),
        normals: Arc::new(normals),
        triangles: Arc::new(triangles),
        ..Mesh::default()
    };
    let mut skeleton = Skeleton::default();
    let root =
        Node { name: String::new(), parent: None, local: Transform::default(), source: None };
    skeleton.push(root).unwrap();
    let instance =
        MeshInstance { mesh: MeshIndex(0), node: NodeIndex(0), skin: None, is_visible: true };
    let character = Character {
        skeleton,
        meshes: vec![mesh],
        instances: vec![instance],
        ..Character::default()
    };
    let world = character.loaded_world();
    Scene::of(&Rigged { character, ..Rigged::default() }, world)
}
