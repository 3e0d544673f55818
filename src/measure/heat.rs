//! Numbers for each vertex of the surface, to colour it by.
//!
//! The distance to the skeleton is [`Detection::skeleton_distance`] already; live stretch is [`super::LiveStretch`].

use crate::detect::Detection;
use crate::model::{Character, NodeIndex, SurfaceVertex};

/// *Driven from*: how far each vertex of the surface is from the joints that move it, `[V]`, metres.
///
/// `character` is the loaded one (what the auto-rigger did) or the rigged one (what we made of it): it must have the
/// meshes that `detection` saw. On a tail weighted to the shins it is half a metre, on one with a chain a few
/// centimetres. Cost: O(influences × segments of their joints), all cores.
pub fn driven_from(detection: &Detection, character: &Character) -> Vec<f32> {
    let n = detection.surface.n_vertices() as u32;
    let all: Vec<SurfaceVertex> = (0..n).map(SurfaceVertex).collect();
    // The bones of the character that is asked about: a rigged one has the chain's, too.
    let is_same = character.skeleton.len() == detection.bind.pose.locals.len();
    if is_same {
        return detection.segments.driving_distances(
            character,
            &detection.bind,
            &detection.surface,
            &all,
        );
    }
    let hips = detection.humanoid.node(crate::model::Role::Hips);
    let bind = crate::model::BindPose::of(character, hips);
    let segments = crate::detect::SkeletonSegments::of(character, &bind, &detection.humanoid);
    segments.driving_distances(character, &bind, &detection.surface, &all)
}

/// Weight of `node` on each vertex of the surface, `[V]`, 0 to 1. Cost: O(influences).
pub fn joint_weights(character: &Character, node: NodeIndex) -> Vec<f32> {
    let n_vertices = character.surface_offsets().last().copied().unwrap_or(0);
    let mut weights = Vec::with_capacity(n_vertices as usize);
    for instance in &character.instances {
        let n = character.mesh_of(instance).map_or(0, crate::model::Mesh::n_vertices);
        for v in 0..n {
            let mut sum = 0.0;
            character.for_each_influence(instance, v, |joint, weight| {
                sum += if joint == node { weight } else { 0.0 };
            });
            weights.push(sum);
        }
    }
    weights
}
