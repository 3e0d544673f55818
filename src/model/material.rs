//! How skin looks: base colour, picture, opacity. Nothing here decides anything about a rig.

use bytes::Bytes;
use glam::{Affine2, Vec4};

use super::toon::{Outline, Toon};

/// What the alpha of a colour means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Nothing: the surface is solid.
    #[default]
    Opaque,
    /// Below the cutoff there is no surface, above it is solid.
    Mask(f32),
    /// Share of the surface's colour over what is behind.
    Blend,
}

/// How light falls on a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a character has a handful, and they are copied whole"
)]
pub enum Finish {
    /// As on any body.
    #[default]
    Lit,
    /// The colour is shown as it is (KHR_materials_unlit).
    Unlit,
    /// Two tones, as drawn by hand (MToon).
    Toon(Toon),
}

/// What a picture shows beyond its edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrap {
    /// The same again.
    #[default]
    Repeat,
    /// The same mirrored, then again.
    Mirror,
    /// The colour of the edge.
    Clamp,
}

/// A picture on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureUse {
    /// Place in [`super::Character::images`].
    pub image: usize,
    /// Along u and v.
    pub wrap: [Wrap; 2],
    /// Texels stay squares (pixel art) instead of being smoothed.
    pub is_pixelated: bool,
    /// From the mesh's texture coordinates to the picture's (KHR_texture_transform); v runs down.
    pub picture_from_uv: Affine2,
}

/// How a mesh looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// As in the file, or empty.
    pub name: String,
    /// Linear RGBA; multiplies picture and vertex colours.
    pub base_color: Vec4,
    /// The picture of the base colour.
    pub texture: Option<TextureUse>,
    /// What alpha means.
    pub alpha: AlphaMode,
    /// Seen from behind, too.
    pub is_double_sided: bool,
    /// How light falls on it.
    pub finish: Finish,
}

impl Material {
    /// How it is drawn, where that is MToon.
    pub const fn toon(&self) -> Option<&Toon> {
        match &self.finish {
            Finish::Toon(toon) => Some(toon),
            Finish::Lit | Finish::Unlit => None,
        }
    }

    /// The line round it.
    pub fn outline(&self) -> Option<&Outline> {
        self.toon()?.outline.as_ref()
    }

    /// All pictures that it shows.
    pub fn pictures(&self) -> impl Iterator<Item = TextureUse> {
        let toon = self.toon();
        let drawn = toon.map(|t| {
            let shading = t.shading.map(|s| s.picture);
            let matcap = t.matcap.map(|m| m.picture());
            let mask = t.outline.and_then(|o| o.mask).map(|m| m.picture);
            [t.shade_picture, shading, t.rim.picture, matcap, mask]
        });
        self.texture.into_iter().chain(drawn.into_iter().flatten().flatten())
    }
}

impl Default for Material {
    /// glTF's default material.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: Vec4::ONE,
            texture: None,
            alpha: AlphaMode::Opaque,
            is_double_sided: false,
            finish: Finish::Lit,
        }
    }
}

/// A picture, still packed as in the file. Clones share the bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Name in the file, or its URI.
    pub name: String,
    /// PNG, JPEG or whatever else the file has; empty where it cannot be had.
    pub bytes: Bytes,
}
