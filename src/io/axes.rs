//! The one step between a file's scene and the world: metres, +Y up, facing +Z.
//!
//! Based on: spec 8, part 3.1 (*Space*).

use glam::{Quat, Vec3};

use super::vrm::VrmKind;
use crate::math::Similarity;
use crate::model::{BindPose, Character, FindingCode, Report};

/// Heights that a character in metres may have.
const METRES: std::ops::RangeInclusive<f32> = 0.2..=10.0;
/// The height that a guess of the unit comes nearest to.
const USUAL_HEIGHT_M: f32 = 1.7;

/// Metres per unit of a file whose character is `height` units tall: 1 where that is a height in metres, else the
/// power of ten that brings it nearest to 1.7.
pub fn metres_per_unit(height: f32) -> f32 {
    if METRES.contains(&height) || !height.is_finite() || height <= 0.0 {
        return 1.0;
    }
    // Written out: a power computed in steps would not be the nearest number to its own name.
    const POWERS: [f32; 19] = [
        1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6,
        1e7, 1e8, 1e9,
    ];
    let distance = |power: &f32| (height * power - USUAL_HEIGHT_M).abs();
    POWERS.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(1.0)
}

/// Half a turn about +Y, exactly.
const HALF_TURN: Quat = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);

/// Sets `world_from_file` of a freshly read character, and reports what its bind pose shows.
pub(super) fn settle(character: &mut Character, vrm: Option<VrmKind>, report: &mut Report) {
    let subject = format!("character {:?}", character.name);
    if vrm == Some(VrmKind::Vrm0) {
        character.world_from_file.rotation = HALF_TURN;
        report.add(
            FindingCode::AxesTurned,
            subject.clone(),
            "VRM 0 faces -Z; turned by 180° about +Y",
        );
    }
    let bind = BindPose::of(character, None);
    let height = height(character, &bind);
    let scale = metres_per_unit(height);
    if scale != 1.0 {
        character.world_from_file.scale = scale;
        report.add(
            FindingCode::UnitsGuessed,
            subject.clone(),
            format!("{height} units tall; one unit is taken for {scale} m"),
        );
    }
    report_binds(character, &bind, &subject, report);
}

/// Extent of the visible skin along +Y in the bind pose; of the nodes where there is no skin to be seen.
fn height(character: &Character, bind: &BindPose) -> f32 {
    let mut extent = Extent::default();
    for (index, instance) in character.instances().filter(|(_, i)| i.is_visible) {
        let Some(mesh) = character.mesh_of(instance) else { continue };
        let matrix = bind.bind_from_instance(character, index);
        let row = Vec3::new(matrix.x_axis.y, matrix.y_axis.y, matrix.z_axis.y);
        let offset = matrix.translation.y;
        if !mesh.triangles.is_empty() {
            mesh.positions.iter().for_each(|p| extent.take(row.dot(*p) + offset));
        }
    }
    if extent.low > extent.high {
        character.skeleton.indices().for_each(|n| extent.take(bind.position(n).y));
    }
    (extent.high - extent.low).max(0.0)
}

struct Extent {
    low: f32,
    high: f32,
}

impl Default for Extent {
    fn default() -> Self {
        Self { low: f32::INFINITY, high: f32::NEG_INFINITY }
    }
}

impl Extent {
    /// Takes a height in; what is not finite does not count.
    fn take(&mut self, y: f32) {
        if y.is_finite() {
            self.low = self.low.min(y);
            self.high = self.high.max(y);
        }
    }
}

fn report_binds(character: &Character, bind: &BindPose, subject: &str, report: &mut Report) {
    for (s, skin) in character.skins.iter().enumerate() {
        let bad: Vec<&str> = bind
            .bad_binds
            .iter()
            .filter(|b| b.0.index() == s)
            .map(|b| character.skeleton.name(b.1))
            .collect();
        if !bad.is_empty() {
            report.add(
                FindingCode::BindUnusable,
                format!("skin {:?}", skin.name),
                format!("{} of {} joints: {}", bad.len(), skin.joints.len(), shortened(&bad)),
            );
        }
    }
    if !bind.residuals.is_empty() {
        report.add(FindingCode::BindPoseDiffers, subject, residual(character, bind));
    }
}

/// How many joints stand otherwise than bound, and how far the one does that is turned, or else moved, the most.
fn residual(character: &Character, bind: &BindPose) -> String {
    let all = &bind.residuals;
    let joints = if all.len() == 1 { "1 joint".into() } else { format!("{} joints", all.len()) };
    let turned = all.iter().max_by(|a, b| a.angle_rad.total_cmp(&b.angle_rad));
    let moved = all.iter().max_by(|a, b| a.distance_m.total_cmp(&b.distance_m));
    // What would be told as 0.0 degrees is a move.
    let (Some(turned), Some(moved)) = (turned, moved) else { return joints };
    let (worst, far) = match turned.angle_rad.to_degrees() {
        deg if deg >= 0.05 => (turned, format!("{deg:.1}°")),
        _ => (moved, format!("{:.1} mm", 1000.0 * moved.distance_m)),
    };
    match character.skeleton.name(worst.node) {
        "" => format!("{joints}, the most node {} by {far}", worst.node.0),
        name => format!("{joints}, the most {name:?} by {far}"),
    }
}

/// The first few of many names.
pub(super) fn shortened(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let mut text = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(", …");
    }
    text
}

/// The similarity that also turns `up` to +Y and `forward`, made level, to +Z; both are directions in the world as
/// `world_from_file` has it now. Unchanged where they are parallel or of no length.
///
/// Local transforms and meshes stay as they are: this is the only thing that turns a character.
pub fn turned(world_from_file: Similarity, up: Vec3, forward: Vec3) -> Similarity {
    let Some(up) = up.try_normalize() else { return world_from_file };
    let Some(forward) = (forward - up * forward.dot(up)).try_normalize() else {
        return world_from_file;
    };
    let from_axes = glam::Mat3::from_cols(up.cross(forward), up, forward);
    let turn = Quat::from_mat3(&from_axes.transpose()).normalize();
    Similarity {
        rotation: (turn * world_from_file.rotation).normalize(),
        translation: turn * world_from_file.translation,
        ..world_from_file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_guessed_from_the_height() {
        for (height, metres) in [
            (1.8, 1.0),
            (0.2, 1.0),
            (10.0, 1.0),
            (180.0, 0.01),
            (40.0, 0.01),
            (1800.0, 0.001),
            (0.018, 100.0),
            (0.0, 1.0),
            (f32::NAN, 1.0),
            (f32::INFINITY, 1.0),
        ] {
            assert_eq!(metres_per_unit(height), metres, "{height}");
        }
    }

    #[test]
    fn turning_brings_up_and_forward_home() {
        let start = Similarity { translation: Vec3::new(1.0, 2.0, 3.0), ..Similarity::default() };
        // Blender's axes: +Z up, facing -Y.
        let turned = turned(start, Vec3::Z, Vec3::NEG_Y);
        assert!((turned.rotation * Vec3::Z - Vec3::Y).length() < 1e-6);
        assert!((turned.rotation * Vec3::NEG_Y - Vec3::Z).length() < 1e-6);
        assert!((turned.translation - Vec3::new(1.0, 3.0, -2.0)).length() < 1e-6);
    }
}
