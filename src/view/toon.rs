//! What the shaders are told of a material's finish: MToon's tones, rim and matcap, the pictures that shape them, and the
//! outline.

use glam::{Vec2, Vec3};
use three_d::{Program, Texture2D};

use super::convert::{vec2, vec3};
use super::pictures::Pictures;
use crate::model::{Finish, Material, Outline, OutlineWidth, TextureUse, Toon};

/// Tells a program how light falls on `material`, where that is any of its concern. Pictures that are not there yet are
/// left out.
pub(super) fn use_finish(
    program: &Program,
    (material, has_uvs): (&Material, bool),
    (pictures, white): (Option<&Pictures>, &Texture2D),
) {
    if !program.requires_uniform("finish") {
        return;
    }
    let usual = Toon::default();
    let (finish, toon) = match &material.finish {
        Finish::Lit => (0, &usual),
        Finish::Unlit => (1, &usual),
        Finish::Toon(toon) => (2, toon),
    };
    program.use_uniform("finish", finish);
    let flag = |name, is_on: bool| program.use_uniform_if_required(name, i32::from(is_on));
    let color = |name, c: Vec3| program.use_uniform_if_required(name, vec3(c));
    let texture = |of: TextureUse| pictures.and_then(|all| all.texture(&of));
    let laid = |of: Option<TextureUse>| of.filter(|_| has_uvs).and_then(texture);
    for (name, flag_name, found) in [
        ("shadePicture", "hasShadePicture", laid(toon.shade_picture)),
        ("shading", "hasShading", laid(toon.shading.map(|s| s.picture))),
        ("rimPicture", "hasRimPicture", laid(toon.rim.picture)),
        ("matcap", "hasMatcap", toon.matcap.and_then(|m| texture(m.picture()))),
    ] {
        flag(flag_name, found.is_some());
        if program.requires_uniform(name) {
            program.use_texture(name, found.unwrap_or(white));
        }
    }
    let shares = toon.shading.map_or([0.0; 2], |s| s.effect.shares());
    program.use_uniform_if_required("shadingShares", vec2(Vec2::from(shares)));
    color("shadeColor", toon.shade_color);
    program.use_uniform_if_required("tones", vec2(Vec2::new(toon.toony, toon.shift)));
    let rim = &toon.rim;
    color("rimColor", rim.color);
    color("rimShape", Vec3::new(rim.power, rim.lift, rim.lighting_mix));
    color("matcapColor", toon.matcap.map_or(Vec3::ZERO, |m| m.color));
}

/// Tells a program that the outline is drawn, or the surface itself. A mask that is not there yet is left out, as is one
/// of a mesh without texture coordinates.
pub(super) fn use_outline(
    program: &Program,
    (outline, has_uvs): (Option<&Outline>, bool),
    (pictures, white): (Option<&Pictures>, &Texture2D),
) {
    let (reach, is_on_screen) = match outline.map(|o| o.width) {
        None => (0.0, false),
        Some(OutlineWidth::World(metres)) => (metres, false),
        Some(OutlineWidth::Screen(share)) => (share, true),
    };
    program.use_uniform_if_required("outlineWidth", reach);
    program.use_uniform_if_required("outlineOnScreen", i32::from(is_on_screen));
    program.use_uniform_if_required("isOutline", i32::from(outline.is_some()));
    let mask = outline.and_then(|o| o.mask).filter(|_| has_uvs);
    let mask = mask.and_then(|m| Some((pictures?.texture(&m.picture)?, m.channel)));
    let channel = mask.and_then(|(_, channel)| Vec3::AXES.get(channel).copied());
    program.use_uniform_if_required("outlineChannel", vec3(channel.unwrap_or(Vec3::ZERO)));
    if program.requires_uniform("outlineMask") {
        program.use_texture("outlineMask", mask.map_or(white, |(texture, _)| texture));
    }
    if let Some(outline) = outline {
        program.use_uniform_if_required("outlineColor", vec3(outline.color));
        program.use_uniform_if_required("outlineMix", outline.lighting_mix);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Image, WidthMask, Wrap};
    use crate::studio::scene::{Bounds, Scene};
    use crate::view::test_scene::ball;
    use crate::view::{Look, Picture, ViewDirection, render};

    const SIDE: u32 = 192;

    /// A red ball with such an outline, seen so that `half` metres are in the picture on either side of it.
    fn red_ball(radius: f32, outline: Option<OutlineWidth>, half: f32) -> Scene {
        let red = Vec3::X;
        let line = |width| Outline { width, mask: None, color: red, lighting_mix: 0.0 };
        let outline = outline.map(line);
        let toon = Toon { shade_color: red, outline, ..Toon::default() };
        let (base_color, finish) = (red.extend(1.0), Finish::Toon(toon));
        let material = Material { base_color, finish, ..Material::default() };
        let mut scene = ball(radius);
        let mut character = (*scene.character).clone();
        character.materials = Arc::new(vec![material]);
        character.meshes[0].material = Some(0);
        scene.character = Arc::new(character);
        scene.bounds = Some(Bounds { low: Vec3::splat(-half), high: Vec3::splat(half) });
        scene.floor_m = -9.0;
        scene
    }

    /// Radius of what is red, in pixels of the picture, as of a disc.
    fn radius_px(scene: &Scene) -> f32 {
        let look = Look::parse(include_str!("../../assets/theme/dark.ron")).unwrap();
        let picture = Picture { size: [SIDE; 2], direction: ViewDirection::Front, look };
        let image = render(scene, &picture).unwrap();
        let red = image.pixels().filter(|p| p[0] > 128 && p[1] < 64 && p[2] < 64).count();
        (red as f32 / std::f32::consts::PI).sqrt()
    }

    #[test]
    fn an_outline_in_metres_makes_a_ball_as_large_as_a_larger_ball() {
        let outlined = radius_px(&red_ball(0.5, Some(OutlineWidth::World(0.1)), 0.8));
        let larger = radius_px(&red_ball(0.6, None, 0.8));
        assert!((outlined - larger).abs() < 0.3, "{outlined} against {larger} pixels");
    }

    #[test]
    fn an_outline_on_the_screen_is_as_wide_however_far_away() {
        let share = 0.02;
        for half in [0.8, 1.6] {
            let width = Some(OutlineWidth::Screen(share));
            let grown =
                radius_px(&red_ball(0.5, width, half)) - radius_px(&red_ball(0.5, None, half));
            let expected = share * SIDE as f32;
            assert!((grown - expected).abs() < 0.6, "{grown} of {expected} pixels");
        }
    }

    /// A red ball with an outline of 0.1 m, masked by a colour of a picture of these bytes.
    fn masked(bytes: Vec<u8>, channel: usize) -> Scene {
        let mut scene = red_ball(0.5, Some(OutlineWidth::World(0.1)), 0.8);
        let mut character = (*scene.character).clone();
        let n = character.meshes[0].n_vertices();
        character.meshes[0].uvs = Arc::new(vec![Vec2::splat(0.5); n]);
        character.images = Arc::new(vec![Image { name: "mask".into(), bytes: bytes.into() }]);
        let picture = TextureUse {
            image: 0,
            wrap: [Wrap::Repeat; 2],
            is_pixelated: false,
            picture_from_uv: glam::Affine2::IDENTITY,
        };
        let mut materials = character.materials.to_vec();
        if let Finish::Toon(toon) = &mut materials[0].finish {
            let mask = Some(WidthMask { picture, channel });
            toon.outline = toon.outline.map(|outline| Outline { mask, ..outline });
        }
        character.materials = Arc::new(materials);
        scene.character = Arc::new(character);
        scene
    }

    #[test]
    fn a_picture_narrows_an_outline_by_the_colour_that_counts() {
        let mut png = std::io::Cursor::new(Vec::new());
        let picture = image::RgbaImage::from_pixel(2, 2, image::Rgba([255, 102, 0, 255]));
        picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
        let png = png.into_inner();
        for (channel, share) in [(0, 1.0), (1, 0.4), (2, 0.0)] {
            let seen = radius_px(&masked(png.clone(), channel));
            let expected = radius_px(&red_ball(0.5 + 0.1 * share, None, 0.8));
            assert!((seen - expected).abs() < 0.3, "{channel}: {seen} of {expected} pixels");
        }
        let whole = radius_px(&red_ball(0.5, Some(OutlineWidth::World(0.1)), 0.8));
        let broken = radius_px(&masked(b"no picture".to_vec(), 2));
        assert_eq!(broken, whole, "a mask that cannot be read masks nothing");
    }

    #[test]
    fn a_mesh_that_is_to_have_no_outline_is_as_large_as_it_is() {
        let mut bare = red_ball(0.5, Some(OutlineWidth::World(0.1)), 0.8);
        bare.without_outline = [crate::model::InstanceIndex(0)].into();
        assert_eq!(radius_px(&bare), radius_px(&red_ball(0.5, None, 0.8)));
    }
}
