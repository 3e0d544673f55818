//! One moment of a character as a scene: for `render`, thumbnails and pictures in documents.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Vec3;

use super::playback::Playback;
use super::scene::{
    Accent, LineMark, Paint, Scene, bone_marks, chain_line, posed_positions, region_paint,
};
use crate::detect::Detection;
use crate::geometry::Surface;
use crate::model::{Character, Clip, Rigged, WorldPose};

/// What a snapshot shows over the skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Joints and chains.
    pub joints: bool,
    /// Regions in the colour of their kind.
    pub regions: bool,
    /// How far edges are stretched; it wins over the regions.
    pub stretch: bool,
}

/// Stretch of an edge that is shown at the top of the heat ramp.
const FULL_STRETCH: f32 = 2.0;

/// The character at `secs` of the closed loop of `clip`, springs and all; without a clip, as it stands.
///
/// Cost: as settling the clip.
pub fn snapshot(
    rigged: &Arc<Rigged>,
    detection: &Detection,
    clip: Option<(Arc<Clip>, f64)>,
    shown: Shown,
) -> Scene {
    let secs = clip.as_ref().map(|(_, secs)| *secs);
    let mut playback = Playback::new(rigged.clone(), clip.map(|(clip, _)| (0, clip)));
    if let Some(secs) = secs {
        playback.scrub(secs);
    }
    let world = WorldPose::clone(playback.world());
    let mut scene = Scene::of(rigged, world);
    let character = &rigged.character;
    scene.paint = Arc::new(match shown {
        Shown { stretch: true, .. } => stretch_paint(character, &scene.world, &detection.surface),
        Shown { regions: true, .. } => region_paint(character, &detection.regions, None),
        _ => Paint::Plain,
    });
    if shown.joints {
        scene.bones = bone_marks(rigged, &rigged.humanoid, &scene.world, &BTreeSet::new());
        let driven = rigged.chains.iter().filter(|c| c.is_driven);
        let line = |points| LineMark { points, accent: Accent::Simulated, is_dashed: false };
        scene.lines = driven.map(|chain| line(chain_line(chain, &scene.world))).collect();
    }
    scene
}

/// How far the edges at each vertex are stretched against the bind pose: 0 for not at all, 1 for twice their length.
///
/// `surface` is the skin in the bind pose. Cost: O(influences + triangles).
pub fn stretch_paint(character: &Character, world: &WorldPose, surface: &Surface) -> Paint {
    let posed: Vec<Vec3> = character
        .instances()
        .flat_map(|(index, _)| posed_positions(character, world, index).collect::<Vec<_>>())
        .collect();
    let mut heat = vec![f32::NAN; posed.len()];
    let at = |of: &[Vec3], v: u32| of.get(v as usize).copied();
    for triangle in &surface.triangles {
        let [a, b, c] = *triangle;
        for (p, q) in [(a, b), (b, c), (c, a)] {
            let rest = at(&surface.positions, p).zip(at(&surface.positions, q));
            let now = at(&posed, p).zip(at(&posed, q));
            let (Some((p0, q0)), Some((p1, q1))) = (rest, now) else { continue };
            let length = p0.distance(q0);
            if length <= 1e-7 {
                continue;
            }
            let value = (p1.distance(q1) / length - 1.0) / (FULL_STRETCH - 1.0);
            for v in [p, q] {
                if let Some(slot) = heat.get_mut(v as usize) {
                    // `max` takes the number where the slot holds none yet.
                    *slot = slot.max(value.clamp(0.0, 1.0));
                }
            }
        }
    }
    Paint::Heat(heat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BindPose;
    use crate::samples::family;

    #[test]
    fn the_bind_pose_is_not_stretched_and_a_longer_bone_is() {
        let sample = family(2);
        let bind = BindPose::of(&sample.character, None);
        let surface = Surface::of(&sample.character, &bind);
        let Paint::Heat(heat) = stretch_paint(&sample.character, &bind.world, &surface) else {
            panic!("stretch is heat")
        };
        assert!(heat.iter().filter(|h| h.is_finite()).all(|h| *h < 1e-3));
        let mut world = bind.world.clone();
        let head = sample.truth.roles.node(crate::model::Role::Head).unwrap();
        world.world_from_node[head.index()].translation.y += 0.3;
        let Paint::Heat(heat) = stretch_paint(&sample.character, &world, &surface) else {
            panic!("stretch is heat")
        };
        assert!(heat.contains(&1.0));
    }
}
