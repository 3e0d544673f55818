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

/// Puts the floor under the lowest visible skin that is in none of `appendages`.
pub(super) fn set_floor<'a>(
    body: &mut BodyMeasures,
    topology: &Topology,
    appendages: impl Iterator<Item = &'a [SurfaceVertex]>,
) {
    let mut is_appendage = vec![false; topology.weld.len()];
    for &v in appendages.flatten() {
        is_appendage[topology.welded(v) as usize] = true;
    }
    let skin = topology.graph.positions.iter().zip(&topology.shell_of).zip(is_appendage);
    let lowest = skin
        .filter(|((_, shell), is_appendage)| **shell != Topology::NO_SHELL && !is_appendage)
        .map(|((p, _), _)| p.y)
        .fold(f32::INFINITY, f32::min);
    if lowest.is_finite() {
        body.floor_m = lowest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prop_holds_no_floor_for_the_body_even_where_a_hidden_copy_stands() {
        let body = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let prop = body.map(|p| p + Vec3::new(3.0, -1.0, 0.0));
        let surface = Surface {
            positions: [body, prop, prop].concat(),
            triangles: vec![[0, 1, 2], [3, 4, 5]],
            offsets: vec![0, 3, 6, 9],
            is_visible: vec![true, true, false],
        };
        let topology = Topology::of(&surface);
        let floor = |appendages: &[&[SurfaceVertex]]| {
            let mut body = BodyMeasures { floor_m: 7.0, ..BodyMeasures::default() };
            set_floor(&mut body, &topology, appendages.iter().copied());
            body.floor_m
        };
        let at = |i: u32| [i, i + 1, i + 2].map(SurfaceVertex);
        assert_eq!(floor(&[]), -1.0);
        assert_eq!(floor(&[&at(3)]), 0.0);
        assert_eq!(floor(&[&at(0), &at(3)]), 7.0, "without a body it stays as it was");
    }
}
