//! The small cube that shows where one looks from; a click on a face looks from there.

use glam::{Vec2, Vec3};

use super::camera::{OrbitCamera, ViewDirection};

/// A face that is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeFace {
    /// Where a click looks from.
    pub direction: ViewDirection,
    /// What stands on it.
    pub name: &'static str,
    /// Round the edge, y up; the cube's half diagonal is 1.
    pub corners: [Vec2; 4],
    /// How much it faces the eye, 0 to 1.
    pub facing: f32,
}

/// Half an edge, so that corners lie on the unit circle.
const HALF: f32 = 0.577_350_3;

/// The faces of the cube that `camera` sees, at most three; those that face it most last.
pub fn cube_faces(camera: &OrbitCamera) -> Vec<CubeFace> {
    let (right, up) = camera.screen_axes();
    let backward = camera.backward();
    let flat = |p: Vec3| Vec2::new(p.dot(right), p.dot(up)) * HALF;
    let sides = [
        (ViewDirection::Front, "Front", Vec3::Z, Vec3::X, Vec3::Y),
        (ViewDirection::Back, "Back", Vec3::NEG_Z, Vec3::NEG_X, Vec3::Y),
        (ViewDirection::Side, "Left", Vec3::X, Vec3::NEG_Z, Vec3::Y),
        (ViewDirection::Right, "Right", Vec3::NEG_X, Vec3::Z, Vec3::Y),
        (ViewDirection::Top, "Top", Vec3::Y, Vec3::X, Vec3::NEG_Z),
        (ViewDirection::Bottom, "Below", Vec3::NEG_Y, Vec3::X, Vec3::Z),
    ];
    let mut faces: Vec<CubeFace> = sides
        .into_iter()
        .map(|(direction, name, out, across, along)| {
            let corner = |x: f32, y: f32| flat(out + across * x + along * y);
            let corners =
                [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            CubeFace { direction, name, corners, facing: out.dot(backward) }
        })
        .filter(|face| face.facing > 0.02)
        .collect();
    faces.sort_by(|a, b| a.facing.total_cmp(&b.facing));
    faces
}

/// The face under a point of the cube's picture.
pub fn cube_face_at(faces: &[CubeFace], at: Vec2) -> Option<&CubeFace> {
    faces.iter().rev().find(|face| {
        let [a, b, c, d] = face.corners;
        let turns = [(a, b), (b, c), (c, d), (d, a)].map(|(p, q)| (q - p).perp_dot(at - p));
        turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_the_cube_is_the_side_one_looks_from() {
        use ViewDirection as D;
        for direction in [D::Front, D::Back, D::Side, D::Right, D::Top, D::Bottom] {
            let mut camera = OrbitCamera::default();
            camera.look_from(direction);
            let faces = cube_faces(&camera);
            assert_eq!(faces.len(), 1, "{direction:?} shows one face");
            assert_eq!(cube_face_at(&faces, Vec2::ZERO).unwrap().direction, direction);
        }
    }

    #[test]
    fn three_faces_are_seen_from_a_corner_and_each_is_found_at_its_middle() {
        let camera = OrbitCamera { yaw: 0.6, pitch: 0.5, ..OrbitCamera::default() };
        let faces = cube_faces(&camera);
        assert_eq!(faces.len(), 3);
        for face in &faces {
            let middle = face.corners.iter().sum::<Vec2>() / 4.0;
            assert_eq!(cube_face_at(&faces, middle).unwrap().direction, face.direction);
            assert!(face.corners.iter().all(|c| c.length() <= 1.001));
        }
        assert_eq!(cube_face_at(&faces, Vec2::new(0.99, 0.99)), None);
    }
}
