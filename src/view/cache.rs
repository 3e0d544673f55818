//! Characters and pictures on the graphics card, kept for as long as they are drawn: four panes and a library of tiles
//! do not send anything twice.

use std::sync::Arc;
use std::time::{Duration, Instant};

use three_d::Context;

use super::camera::OrbitCamera;
use super::look::Look;
use super::mesh::GpuCharacter;
use super::pictures::Pictures;
use crate::model::Character;
use crate::studio::scene::Scene;

/// Characters that are kept: the panes of Compare, twice, so that an edit's old and new stand side by side.
const MOST_CHARACTERS: usize = 8;
/// Files whose pictures are kept.
const MOST_PICTURES: usize = 3;

/// A character, with the camera that last saw it.
struct Entry {
    character: GpuCharacter,
    camera: Option<OrbitCamera>,
    moved: Option<Instant>,
    look: Option<Look>,
}

/// What [`Cache::ready`] found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ready {
    /// For [`Cache::at`].
    pub(super) place: usize,
    /// Whether meshes or pictures are still to come.
    pub(super) is_arriving: bool,
    /// Whether camera or pose differ from the last frame's.
    pub(super) is_moving: bool,
    /// Since when they do not; `None` where they never did.
    pub(super) still: Option<Duration>,
    /// Of what is drawn.
    pub(super) n_triangles: usize,
}

/// The latest first.
pub(super) struct Cache {
    characters: Vec<Entry>,
    pictures: Vec<Pictures>,
    can_wait: bool,
}

impl Cache {
    /// Holds nothing yet.
    pub(super) fn new(can_wait: bool) -> Self {
        Self { characters: Vec::new(), pictures: Vec::new(), can_wait }
    }

    /// Makes what `scene` needs ready to be drawn: sends what is not on the card, brings the rest up to date.
    pub(super) fn ready(
        &mut self,
        context: &Context,
        (scene, camera, look): (&Scene, &OrbitCamera, &Look),
    ) -> Ready {
        let pictures_arrive = self.bring_pictures(context, &scene.character);
        let characters = &mut self.characters;
        match characters.iter().position(|e| e.character.is_of(&scene.character)) {
            Some(place) => characters[..=place].rotate_right(1),
            None => {
                let character = GpuCharacter::new(context, scene.character.clone(), self.can_wait);
                characters.insert(0, Entry { character, camera: None, moved: None, look: None });
                characters.truncate(MOST_CHARACTERS);
            }
        }
        let mut ready = Ready { is_arriving: pictures_arrive, ..Ready::default() };
        if let Some(entry) = characters.first_mut() {
            entry.character.receive(context);
            if entry.character.is_arriving() {
                ready.is_arriving = true;
                // Meanwhile the same character as it was before the last edit.
                ready.place = stand_in(characters, &scene.character).unwrap_or(0);
            }
        }
        if let Some(entry) = characters.get_mut(ready.place) {
            let look_changed = entry.look.as_ref() != Some(look);
            if look_changed {
                entry.look = Some(look.clone());
            }
            let moved = entry.character.update(scene, look, look_changed);
            ready.is_moving = entry.camera.replace(*camera).is_some_and(|c| c != *camera) || moved;
            if ready.is_moving {
                entry.moved = Some(Instant::now());
            }
            ready.still = entry.moved.map(|moved| moved.elapsed());
            ready.n_triangles = entry.character.n_triangles();
        }
        ready
    }

    /// Pictures are shared by all characters of one file.
    fn bring_pictures(&mut self, context: &Context, character: &Character) -> bool {
        let (materials, images) = (&character.materials, &character.images);
        let pictures = &mut self.pictures;
        match pictures.iter().position(|p| p.is_of(materials, images)) {
            Some(place) => pictures[..=place].rotate_right(1),
            None => {
                pictures.insert(0, Pictures::new(materials.clone(), images.clone()));
                pictures.truncate(MOST_PICTURES);
            }
        }
        pictures.first_mut().is_some_and(|pictures| {
            pictures.receive(context, self.can_wait);
            pictures.is_arriving()
        })
    }

    /// The character at a place that [`Self::ready`] gave, and the pictures of its file.
    pub(super) fn at(&self, place: usize) -> Option<(&GpuCharacter, Option<&Pictures>)> {
        Some((&self.characters.get(place)?.character, self.pictures.first()))
    }

    /// What went wrong with pictures since the last call.
    pub(super) fn take_faults(&mut self) -> Vec<String> {
        self.pictures.iter_mut().flat_map(Pictures::take_faults).collect()
    }
}

/// An older state of `character` that is all there: an edit adds nodes at the end, so the new pose fits it.
fn stand_in(characters: &[Entry], character: &Arc<Character>) -> Option<usize> {
    characters.iter().position(|entry| {
        let old = entry.character.character();
        !entry.character.is_arriving()
            && Arc::ptr_eq(&old.images, &character.images)
            && old.instances.len() == character.instances.len()
            && old.skeleton.len() <= character.skeleton.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RegionKind;
    use crate::studio::scene::{Paint, RegionMark};
    use crate::view::renderer::{Detail, PixelRect, Renderer};
    use crate::view::test_scene::{ball, ball_of};
    use crate::view::{Look, Offscreen, ViewDirection};
    use three_d::{DepthTexture2D, Interpolation, RenderTarget, Texture2D, Wrapping};

    #[test]
    fn four_panes_do_not_send_their_characters_again_in_every_frame() {
        let offscreen = Offscreen::new().unwrap();
        let context = Context::from_gl_context(offscreen.gl.clone()).unwrap();
        let look = Look::parse(include_str!("../../assets/theme/dark.ron")).unwrap();
        let panes = [0.5, 0.6, 0.7, 0.8].map(ball);
        let camera = OrbitCamera::default();
        let mut cache = Cache::new(true);
        let mut sent = Vec::new();
        for _ in 0..3 {
            for pane in &panes {
                let ready = cache.ready(&context, (pane, &camera, &look));
                assert!(!ready.is_arriving && ready.n_triangles > 0);
            }
            let mut now: Vec<*const Character> =
                cache.characters.iter().map(|e| Arc::as_ptr(e.character.character())).collect();
            now.sort_unstable();
            sent.push(now);
        }
        assert_eq!(sent[0].len(), 4);
        assert!(sent.iter().all(|s| *s == sent[0]));
        let ready = cache.ready(&context, (&panes[0], &camera, &look));
        assert!(!ready.is_moving, "the same pose under the same camera stands still");
        let turned = OrbitCamera { yaw: 1.0, ..camera };
        assert!(cache.ready(&context, (&panes[0], &turned, &look)).is_moving);
    }

    /// `scene` as it stands once nothing more is to come, and how many frames that took.
    fn drawn(
        gl: &Arc<three_d::context::Context>,
        scene: &Scene,
        can_wait: bool,
    ) -> (Vec<[u8; 4]>, usize) {
        let mut renderer = Renderer::new(gl.clone(), can_wait).unwrap();
        let context = renderer.context().clone();
        let (near, clamp) = (Interpolation::Nearest, Wrapping::ClampToEdge);
        let color =
            Texture2D::new_empty::<[u8; 4]>(&context, 96, 96, near, near, None, clamp, clamp);
        let depth = DepthTexture2D::new::<f32>(&context, 96, 96, clamp, clamp);
        let target = RenderTarget::new(color.as_color_target(None), depth.as_depth_target());
        let whole = PixelRect { x: 0, y: 0, width: 96, height: 96 };
        let look = Look::parse(include_str!("../../assets/theme/dark.ron")).unwrap();
        let camera = OrbitCamera::framing(&scene.bounds.unwrap(), ViewDirection::Front, 1.0);
        for frame in 1..=5000 {
            renderer.draw(&target, (whole, whole), (scene, &camera, &look), (1.0, Detail::Full));
            if !renderer.wants_more() {
                return (target.read_color(), frame);
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        panic!("the character never arrived");
    }

    #[test]
    fn a_large_character_that_arrives_in_pieces_ends_as_the_picture_of_the_whole() {
        let offscreen = Offscreen::new().unwrap();
        let mut scene = ball_of(0.8, (320, 400));
        let n = scene.character.surface_offsets().last().copied().unwrap() as usize;
        let mark = RegionMark { kind: Some(RegionKind::Tail), is_selected: true, is_marked: false };
        let marks = (0..n).map(|v| if v < n / 3 { mark } else { RegionMark::default() });
        scene.paint = Arc::new(Paint::Regions(marks.collect()));
        let (whole, n_whole) = drawn(&offscreen.gl, &scene, true);
        let (pieces, n_pieces) = drawn(&offscreen.gl, &scene, false);
        assert!(n_whole == 1 && n_pieces > 1, "{n_whole} and {n_pieces} frames");
        assert!(whole == pieces, "both are the same picture");
    }
}
