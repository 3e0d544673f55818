//! Small pictures for the library's tiles: drawn when their turn comes, and shown as they are in between.

use std::collections::BTreeMap;
use std::convert::Infallible;

use three_d::{
    DepthTest, DepthTexture2D, Interpolation, RenderStates, RenderTarget, Texture2D, Wrapping,
    WriteMask,
};

use super::camera::{OrbitCamera, ViewDirection};
use super::look::Look;
use super::renderer::{Detail, PixelRect, Renderer};
use crate::studio::scene::Scene;

/// Tiles that are kept, a screen of them and more.
const MOST_TILES: usize = 64;

/// One tile's picture, and what it shows.
struct Tile {
    color: Texture2D,
    depth: DepthTexture2D,
    scene: Scene,
    look: Look,
    is_current: bool,
    shown_in: u64,
}

/// The pictures of all tiles.
#[derive(Default)]
pub(super) struct Tiles {
    by_key: BTreeMap<u64, Tile>,
    clock: u64,
}

impl Tiles {
    /// Shows the tile `key` in `rect`, drawn anew where `scene` brings another moment, or where colours or size have
    /// changed. One that has never had a scene stays empty.
    pub(super) fn show(
        &mut self,
        renderer: &mut Renderer,
        target: &RenderTarget<'_>,
        (key, scene, look): (u64, Option<&Scene>, &Look),
        (rect, clip): (PixelRect, PixelRect),
    ) {
        self.clock += 1;
        if rect.width == 0 || rect.height == 0 {
            return;
        }
        let mut tile = match (self.by_key.remove(&key), scene) {
            (Some(tile), _) if tile.is_sized(rect) => tile,
            (Some(tile), _) => Tile::new(renderer, rect, tile.scene, look),
            (None, Some(scene)) => Tile::new(renderer, rect, scene.clone(), look),
            (None, None) => return,
        };
        if let Some(scene) = scene {
            tile.scene = scene.clone();
            tile.is_current = false;
        }
        if tile.look != *look {
            tile.look = look.clone();
            tile.is_current = false;
        }
        if !tile.is_current {
            tile.draw(renderer);
        }
        tile.shown_in = self.clock;
        copy(renderer, target, &tile.color, (rect, clip));
        self.by_key.insert(key, tile);
        if self.by_key.len() > MOST_TILES {
            let oldest = self.by_key.iter().min_by_key(|(_, tile)| tile.shown_in).map(|(k, _)| *k);
            oldest.and_then(|oldest| self.by_key.remove(&oldest));
        }
    }
}

impl Tile {
    fn new(renderer: &Renderer, rect: PixelRect, scene: Scene, look: &Look) -> Self {
        let (linear, clamp) = (Interpolation::Linear, Wrapping::ClampToEdge);
        let (context, width, height) = (renderer.context(), rect.width, rect.height);
        Self {
            color: Texture2D::new_empty::<[u8; 4]>(
                context, width, height, linear, linear, None, clamp, clamp,
            ),
            depth: DepthTexture2D::new::<f32>(context, width, height, clamp, clamp),
            scene,
            look: look.clone(),
            is_current: false,
            shown_in: 0,
        }
    }

    fn is_sized(&self, rect: PixelRect) -> bool {
        self.color.width() == rect.width && self.color.height() == rect.height
    }

    fn draw(&mut self, renderer: &mut Renderer) {
        let (width, height) = (self.color.width(), self.color.height());
        let target =
            RenderTarget::new(self.color.as_color_target(None), self.depth.as_depth_target());
        let whole = PixelRect { x: 0, y: 0, width, height };
        let camera = self.scene.bounds.map_or_else(OrbitCamera::default, |bounds| {
            OrbitCamera::framing(&bounds, ViewDirection::ThreeQuarter, width as f32 / height as f32)
        });
        let seen = (&self.scene, &camera, &self.look);
        // What has not arrived yet is drawn when it has.
        self.is_current = renderer.draw(&target, (whole, whole), seen, (1.0, Detail::Tile));
    }
}

/// Puts a picture into `rect` of `target`.
fn copy(
    renderer: &Renderer,
    target: &RenderTarget<'_>,
    from: &Texture2D,
    (rect, clip): (PixelRect, PixelRect),
) {
    let programs = renderer.programs();
    let states = RenderStates {
        write_mask: WriteMask::COLOR,
        depth_test: DepthTest::Always,
        ..RenderStates::default()
    };
    let drawn = target.write_partially::<Infallible>(clip.scissor(), || {
        programs.copy.use_texture("picture", from);
        programs.copy.use_vertex_attribute("position", &programs.square);
        programs.copy.draw_arrays(states, rect.viewport(), 6);
        Ok(())
    });
    let Ok(_) = drawn;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Offscreen;
    use crate::view::test_scene::ball;
    use three_d::ClearState;

    #[test]
    fn a_tile_is_drawn_when_its_turn_comes_and_shown_as_it_was_in_between() {
        let offscreen = Offscreen::new().unwrap();
        let mut renderer = Renderer::new(offscreen.gl.clone(), true).unwrap();
        let context = renderer.context().clone();
        let look = Look::parse(include_str!("../../assets/theme/dark.ron")).unwrap();
        let scene = ball(0.8);
        let (nearest, clamp) = (Interpolation::Nearest, Wrapping::ClampToEdge);
        let color =
            Texture2D::new_empty::<[u8; 4]>(&context, 64, 64, nearest, nearest, None, clamp, clamp);
        let depth = DepthTexture2D::new::<f32>(&context, 64, 64, clamp, clamp);
        let target = RenderTarget::new(color.as_color_target(None), depth.as_depth_target());
        let rect = PixelRect { x: 16, y: 16, width: 32, height: 32 };
        let mut tiles = Tiles::default();
        let mut show = |key: u64, scene: Option<&Scene>| {
            target.clear(ClearState::color_and_depth(1.0, 0.0, 1.0, 1.0, 1.0));
            tiles.show(&mut renderer, &target, (key, scene, &look), (rect, rect));
            target.read_color::<[u8; 4]>()
        };
        let pink = [255, 0, 255, 255];
        assert!(show(1, None).iter().all(|p| *p == pink), "nothing yet");
        let drawn = show(1, Some(&scene));
        assert_eq!(drawn.iter().filter(|p| **p != pink).count(), 32 * 32);
        let kinds: std::collections::BTreeSet<[u8; 4]> = drawn.iter().copied().collect();
        assert!(kinds.len() > 20, "a ball in soft light has many tones: {}", kinds.len());
        assert_eq!(show(1, None), drawn);
        assert!(show(2, None).iter().all(|p| *p == pink));
    }
}
