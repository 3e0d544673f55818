//! Frame, height and floor of a body (spec 8, 4.1).

use glam::{Mat3, Quat, Vec3};

use super::roles;
use crate::geometry::{Surface, Topology};
use crate::model::{BindPose, BodyMeasures, Character, HumanoidMap, SurfaceVertex};

/// Frame and height from the bind pose; the floor is the lowest visible skin until appendages are known (see
/// [`set_floor`]).
pub(super) fn measure(surface: &Surface, bind: &BindPose, humanoid: &HumanoidMap) -> BodyMeasures {
    let world_from_body = body_frame(bind, humanoid);
    let bounds = surface.bounds();
    let height_m = bounds.map_or(0.0, |(low, high)| high.y - low.y);
    let floor_m = bounds.map_or(0.0, |(low, _)| low.y);
    BodyMeasures { world_from_body, height_m, floor_m }
}

/// From the body frame to the world as roles say it: x from the right to the left thigh head, else from arm to arm or
/// eye to eye, made horizontal; the world's own where there are none.
pub fn body_frame(bind: &BindPose, humanoid: &HumanoidMap) -> Quat {
    frame(roles::left_of(bind, humanoid).unwrap_or(Vec3::X))
}

/// The frame of a body with its left along `x`, horizontal and of unit length.
fn frame(x: Vec3) -> Quat {
    Quat::from_mat3(&Mat3::from_cols(x, Vec3::Y, x.cross(Vec3::Y)))
}

/// `measured` with what is stated of the character in its place.
pub(super) fn stated(measured: BodyMeasures, character: &Character) -> BodyMeasures {
    let faced = character.stated_forward().map(|forward| frame(Vec3::Y.cross(forward)));
    BodyMeasures {
        world_from_body: faced.unwrap_or(measured.world_from_body),
        height_m: character.stated_body.height_m().unwrap_or(measured.height_m),
        ..measured
    }
}

/// Puts the floor under the lowest visible skin that is in none of `appendages` (sorted surface vertices).
pub(super) fn set_floor<'a>(
    body: &mut BodyMeasures,
    surface: &Surface,
    topology: &Topology,
    appendages: impl Iterator<Item = &'a [SurfaceVertex]>,
) {
    let mut is_appendage = vec![false; surface.n_vertices()];
    for &v in appendages.flatten() {
        is_appendage[v.index()] = true;
    }
    let mut lowest = f32::INFINITY;
    for (i, (p, is_appendage)) in (0..).zip(surface.positions.iter().zip(is_appendage)) {
        // What no triangle touches, or hidden ones alone, is no skin.
        let is_skin =
            || topology.shell_of[topology.welded(SurfaceVertex(i)) as usize] != Topology::NO_SHELL;
        if p.y < lowest && !is_appendage && is_skin() {
            lowest = p.y;
        }
    }
    if lowest.is_finite() {
        body.floor_m = lowest;
    }
}
