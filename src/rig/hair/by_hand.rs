//! Colliders by hand: where a new one stands on its joint, and how large the skin round one is.

use glam::{Affine3A, Vec3};

use super::colliders::{Skin, scale, skin};
use super::import::hair_joints;
use crate::detect::Detection;
use crate::math::closest;
use crate::math::stats::percentile;
use crate::model::{ColliderShape, NodeIndex, Rigged};

/// Share of the skin beside an axis that is left outside: skin bulges, and hair should lie on most of it.
const INSIDE: f32 = 0.4;
/// Radius where no skin says how large one is, in heights of the body.
const USUAL_RADIUS: f32 = 0.04;
/// Fewer vertices say nothing.
const FEWEST: usize = 8;

/// Skin that goes with `node`: its own, or where it has next to none, that of its neighbours.
fn own_skin(rigged: &Rigged, detection: &Detection, node: NodeIndex) -> Vec<Vec3> {
    let skeleton = &rigged.character.skeleton;
    let all = skin(&rigged.character, detection, &hair_joints(&rigged.chains));
    let of = |is_own: &dyn Fn(NodeIndex) -> bool| -> Vec<Vec3> {
        all.iter().filter(|s: &&Skin| is_own(s.node)).map(|s| s.position).collect()
    };
    let own = of(&|n| n == node);
    if own.len() >= FEWEST {
        return own;
    }
    of(&|n| n == node || skeleton.parent(n) == Some(node) || skeleton.parent(node) == Some(n))
}

/// The radius at which a collider that follows `node` reaches the skin beside its axis; the axis stays. `None` for
/// planes and insides, and where no skin goes with the node.
///
/// Unlike the fit of all (`fit_colliders`) it may also shrink, and has no bound: it was asked for. Cost: O(V).
pub fn fitted_to_skin(
    rigged: &Rigged,
    detection: &Detection,
    node: NodeIndex,
    shape: ColliderShape,
) -> Option<ColliderShape> {
    let ColliderShape::Capsule { a, b, inside: false, .. } = shape else { return None };
    let matrix = matrix_of(rigged, node)?;
    let (from, to) = (matrix.transform_point3(a), matrix.transform_point3(b));
    let is_beside = |p: &Vec3| {
        from == to || (0.02..0.98).contains(&closest::parameter_on_segment(*p, from, to))
    };
    let beside = own_skin(rigged, detection, node).into_iter().filter(is_beside);
    let mut distances: Vec<f32> =
        beside.map(|p| closest::distance_to_segment(p, from, to)).collect();
    if distances.len() < FEWEST {
        return None;
    }
    let radius = percentile(&mut distances, INSIDE) / scale(&matrix);
    let fitted = ColliderShape::Capsule { a, b, radius, inside: false };
    (fitted.is_usable() && radius > 0.0).then_some(fitted)
}

/// A new collider on `node`, in its frame: a sphere in the middle of its skin, or a capsule to where its farthest
/// child stands; as thick as the skin round it. `None` for a node that is not there or has no size.
pub fn new_on_joint(
    rigged: &Rigged,
    detection: &Detection,
    node: NodeIndex,
    is_sphere: bool,
) -> Option<ColliderShape> {
    let matrix = matrix_of(rigged, node)?;
    let to_local = matrix.inverse();
    let at = rigged.bind.position(node);
    let (a, b) = if is_sphere {
        let skin = own_skin(rigged, detection, node);
        let n = skin.len();
        let middle = skin.into_iter().sum::<Vec3>() / n.max(1) as f32;
        let middle = if n < FEWEST { at } else { middle };
        (middle, middle)
    } else {
        (at, end_of(rigged, node).unwrap_or(at + Vec3::Y * USUAL_RADIUS * rigged.body.height_m))
    };
    let shape = ColliderShape::Capsule {
        a: to_local.transform_point3(a),
        b: to_local.transform_point3(b),
        radius: USUAL_RADIUS * rigged.body.height_m / scale(&matrix),
        inside: false,
    };
    shape.is_usable().then(|| fitted_to_skin(rigged, detection, node, shape).unwrap_or(shape))
}

/// Where a joint's bone ends: at its farthest child.
fn end_of(rigged: &Rigged, node: NodeIndex) -> Option<Vec3> {
    let skeleton = &rigged.character.skeleton;
    let at = rigged.bind.position(node);
    let children = skeleton.indices().filter(|&n| skeleton.parent(n) == Some(node));
    let ends = children.map(|n| rigged.bind.position(n));
    ends.max_by(|p, q| at.distance(*p).total_cmp(&at.distance(*q))).filter(|end| *end != at)
}

/// A node's bind matrix, where something can stand in it.
fn matrix_of(rigged: &Rigged, node: NodeIndex) -> Option<Affine3A> {
    if node.index() >= rigged.character.skeleton.len() {
        return None;
    }
    let matrix = rigged.bind.world.matrix(node);
    (matrix.is_finite() && matrix.inverse().is_finite()).then_some(matrix)
}
