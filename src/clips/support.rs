//! Points of the skin that a body can stand, sit or lie on.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::model::{BindPose, Character, NodeIndex, SurfaceVertex};

/// A point of the skin, moved rigidly by the joint that dominates it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportPoint {
    /// Its dominant joint.
    pub node: NodeIndex,
    /// Where it is in bind space, in metres.
    pub place: Vec3,
}

/// The skin's outermost points, at most 26 for each joint: those furthest along the axes, face and space diagonals.
///
/// `counts` says which vertices belong to the body: appendages stay out, or a hanging tail would lift the feet. Hidden
/// instances do not count. The lowest point of the body is always among them. Source: spec 3.1. Cost: O(V).
pub fn support_points(
    character: &Character,
    bind: &BindPose,
    counts: impl Fn(SurfaceVertex) -> bool,
) -> Vec<SupportPoint> {
    let directions = directions();
    let mut furthest: BTreeMap<NodeIndex, Vec<(f32, Vec3)>> = BTreeMap::new();
    let mut first = 0;
    for (index, instance) in character.instances() {
        let Some(mesh) = character.mesh_of(instance) else { continue };
        let start = first;
        first += mesh.n_vertices() as u32;
        if !instance.is_visible {
            continue;
        }
        let matrix = bind.bind_from_instance(character, index);
        for (vertex, &position) in mesh.positions.iter().enumerate() {
            if !counts(SurfaceVertex(start + vertex as u32)) {
                continue;
            }
            // Influences come strongest first.
            let mut dominant = None;
            character.for_each_influence(instance, vertex, |node, _| {
                dominant = dominant.or(Some(node));
            });
            let (Some(node), place) = (dominant, matrix.transform_point3(position)) else {
                continue;
            };
            if !place.is_finite() {
                continue;
            }
            let best = furthest
                .entry(node)
                .or_insert_with(|| vec![(f32::NEG_INFINITY, Vec3::ZERO); directions.len()]);
            for (best, direction) in best.iter_mut().zip(&directions) {
                let way = place.dot(*direction);
                if way > best.0 {
                    *best = (way, place);
                }
            }
        }
    }
    let mut points = Vec::new();
    for (node, best) in furthest {
        let of_node = points.len();
        for (_, place) in best {
            let is_new = points.iter().skip(of_node).all(|p: &SupportPoint| p.place != place);
            if is_new {
                points.push(SupportPoint { node, place });
            }
        }
    }
    points
}

/// The 26 directions to a cube's faces, edges and corners.
fn directions() -> Vec<Vec3> {
    const STEPS: [f32; 3] = [-1.0, 0.0, 1.0];
    let all = STEPS.into_iter().flat_map(|x| {
        STEPS.into_iter().flat_map(move |y| STEPS.into_iter().map(move |z| Vec3::new(x, y, z)))
    });
    all.filter(|d| *d != Vec3::ZERO).map(Vec3::normalize).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::math::Transform;
    use crate::model::{Mesh, MeshIndex, MeshInstance, Node, Skeleton};

    #[test]
    fn the_lowest_point_is_always_there_and_left_out_vertices_never() {
        let positions: Vec<Vec3> = (0..500)
            .map(|i| {
                let i = i as f32;
                Vec3::new((i * 0.37) % 1.0, (i * 0.73) % 1.3 - 0.2, (i * 0.11) % 0.7)
            })
            .collect();
        let lowest = positions.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let character = Character {
            skeleton: Skeleton::new(vec![Node {
                name: "root".into(),
                parent: None,
                local: Transform::from_translation(Vec3::Y),
                source: None,
            }])
            .unwrap(),
            meshes: vec![Mesh { positions: Arc::new(positions), ..Mesh::default() }],
            instances: vec![MeshInstance {
                mesh: MeshIndex(0),
                node: NodeIndex(0),
                skin: None,
                is_visible: true,
            }],
            ..Character::default()
        };
        let bind = BindPose::of(&character, None);
        let points = support_points(&character, &bind, |_| true);
        assert!(points.len() <= 26);
        let found = points.iter().map(|p| p.place.y).fold(f32::INFINITY, f32::min);
        assert_eq!(found, lowest + 1.0);
        let without = support_points(&character, &bind, |v| {
            character.meshes[0].positions[v.0 as usize].y > 0.5
        });
        assert!(without.iter().all(|p| p.place.y > 1.5));
    }
}
