//! Frame, height and floor of a body (spec 8, 4.1).

use glam::{Mat3, Quat, Vec3};

use crate::geometry::Surface;
use crate::model::{BindPose, BodyMeasures, HumanoidMap, NodeIndex, Role, SurfaceVertex};

/// Frame and height from the bind pose; the floor is the lowest visible skin until appendages are known (see
/// [`set_floor`]).
pub(super) fn measure(surface: &Surface, bind: &BindPose, humanoid: &HumanoidMap) -> BodyMeasures {
    let at = |role| humanoid.node(role).map(|n: NodeIndex| bind.position(n));
    let pairs = [
        (Role::LeftUpperLeg, Role::RightUpperLeg),
        (Role::LeftUpperArm, Role::RightUpperArm),
        (Role::LeftEye, Role::RightEye),
    ];
    let x = pairs
        .iter()
        .filter_map(|&(left, right)| (at(left)? - at(right)?).with_y(0.0).try_normalize())
        .next()
        .unwrap_or(Vec3::X);
    let world_from_body = Quat::from_mat3(&Mat3::from_cols(x, Vec3::Y, x.cross(Vec3::Y)));
    let bounds = surface.bounds();
    let height_m = bounds.map_or(0.0, |(low, high)| high.y - low.y);
    let floor_m = bounds.map_or(0.0, |(low, _)| low.y);
    BodyMeasures { world_from_body, height_m, floor_m }
}

/// Puts the floor under the lowest visible skin that is in none of `appendages` (sorted surface vertices).
pub(super) fn set_floor<'a>(
    body: &mut BodyMeasures,
    surface: &Surface,
    appendages: impl Iterator<Item = &'a [SurfaceVertex]>,
) {
    let mut is_body = vec![false; surface.n_vertices()];
    for &v in surface.triangles.iter().flatten() {
        is_body[v as usize] = true;
    }
    for &v in appendages.flatten() {
        is_body[v.index()] = false;
    }
    let lowest = surface
        .positions
        .iter()
        .zip(&is_body)
        .filter(|(_, is_body)| **is_body)
        .map(|(p, _)| p.y)
        .fold(f32::INFINITY, f32::min);
    if lowest.is_finite() {
        body.floor_m = lowest;
    }
}
