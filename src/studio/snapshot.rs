//! One moment of a character as a scene: for `render`, thumbnails and pictures in documents.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::heat::{StretchHeat, all_edges, heat};
use super::outlines::without_outline;
use super::overlays;
use super::playback::Playback;
use super::scene::{
    Accent, Heat, LineMark, Paint, Scene, Shading, bone_marks, chain_line, region_paint,
};
use super::shade::Shade;
use crate::detect::Detection;
use crate::model::{Clip, Rigged, Role, Verdict, WorldPose};
use crate::perform::leg_bones;

/// What a snapshot shows over the skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Joints and chains.
    pub joints: bool,
    /// Regions in the colour of their kind, where no number is shown.
    pub regions: bool,
    /// Eigen axes of the regions that are edited.
    pub axes: bool,
    /// What the springs meet: legs, links, floor and plane.
    pub colliders: bool,
    /// No lines round materials, whatever they say.
    pub no_outlines: bool,
    /// How skin is drawn.
    pub shade: Shade,
}

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
    let mut scene = Scene::of(rigged, WorldPose::clone(playback.world()));
    scene.morphs = playback.morphs().clone();
    scene.without_outline = without_outline(rigged, [!shown.no_outlines; 2]);
    scene.has_wire = shown.shade == Shade::Wireframe;
    if shown.shade == Shade::XRay {
        scene.shading = Shading::XRay;
    }
    let numbers = match shown.shade {
        Shade::Stretch => stretch_of(rigged, detection, &scene.world),
        shade => {
            let hips = rigged.humanoid.node(Role::Hips);
            heat(shade, (&rigged.character, detection), hips)
        }
    };
    scene.paint = Arc::new(match numbers {
        Some(heat) => Paint::Heat(heat),
        None if shown.regions => {
            region_paint(&rigged.character, &detection.regions, &|_| false, &|_| true)
        }
        None => Paint::Plain,
    });
    let driven = || rigged.chains.iter().filter(|c| c.is_driven);
    if shown.joints {
        scene.bones = bone_marks(rigged, &rigged.humanoid, &scene.world, &BTreeSet::new());
        let line = |points| LineMark { points, accent: Accent::Simulated, is_dashed: false };
        scene.lines = driven().map(|chain| line(chain_line(chain, &scene.world))).collect();
    }
    if shown.axes {
        for region in detection.regions.iter().filter(|r| r.verdict != Verdict::Leave) {
            scene.lines.extend(overlays::extent(rigged, region, &scene.world));
        }
    }
    if shown.colliders {
        let legs = leg_bones(rigged);
        scene.lines.extend(overlays::thickness(rigged, &legs, &scene.world));
        scene.lines.extend(overlays::colliders(rigged, &scene.world));
        for chain in driven() {
            let planes = [overlays::floor(rigged, chain, &scene.world)];
            for (plane, edge) in
                planes.into_iter().chain([overlays::behind(rigged, chain, &scene.world)])
            {
                scene.planes.push(plane);
                scene.lines.push(edge);
            }
        }
    }
    scene
}

/// How far the edges at each vertex are stretched or squeezed against the bind pose.
fn stretch_of(rigged: &Rigged, detection: &Detection, world: &WorldPose) -> Option<Heat> {
    let mut stretch = StretchHeat::new(Arc::new(rigged.character.clone()), &all_edges(rigged));
    stretch.read(world, rigged.humanoid.node(Role::Hips).unwrap_or_default());
    let scale = Shade::Stretch.scale(rigged.body.height_m, detection.far_threshold_m)?;
    Some(Heat { values: stretch.values(false), scale })
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
        let mut world = bind.world.clone();
        let rigged = Rigged { character: sample.character, bind, ..Rigged::default() };
        let strain =
            |world: &WorldPose| stretch_of(&rigged, &Detection::default(), world).unwrap().values;
        assert!(strain(&world).iter().all(|s| (s - 1.0).abs() < 1e-3));
        let head = sample.truth.roles.node(Role::Head).unwrap();
        world.world_from_node[head.index()].translation.y += 0.3;
        assert!(strain(&world).iter().any(|s| *s > 2.0));
    }
}
