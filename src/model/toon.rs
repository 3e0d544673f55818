//! MToon, the drawn look of VRM characters: two tones, a rim, a matcap and an outline.
//!
//! Based on: VRMC_materials_mtoon 1.0; values of VRM 0 are brought to its units by the reader. Left out: the pictures
//! that shift the shading or mask rim and outline width, moving texture coordinates, and the share of light from all
//! around, of which the studio's light has none for such skin.

use glam::{Affine2, Vec3};

use super::material::{TextureUse, Wrap};

/// A material that is drawn in two tones. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toon {
    /// In the shade, in place of the base colour.
    pub shade_color: Vec3,
    /// Multiplies it; by the texture coordinates of the base colour's picture.
    pub shade_picture: Option<TextureUse>,
    /// How sharp the edge between the tones is, 0 (as soft as on clay) to 1.
    pub toony: f32,
    /// What is added to the cosine of light and normal, -1 (all in the shade) to 1.
    pub shift: f32,
    /// Light from behind.
    pub rim: Rim,
    /// A picture of a ball under light that is added.
    pub matcap: Option<Matcap>,
    /// The line round it; `None` where none is drawn.
    pub outline: Option<Outline>,
}

impl Default for Toon {
    /// What the extension takes where nothing is said.
    fn default() -> Self {
        Self {
            shade_color: Vec3::ZERO,
            shade_picture: None,
            toony: 0.9,
            shift: 0.0,
            rim: Rim::default(),
            matcap: None,
            outline: None,
        }
    }
}

/// Light along the edge of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rim {
    /// Black for none.
    pub color: Vec3,
    /// How narrow it is.
    pub power: f32,
    /// Widens it from the edge inwards.
    pub lift: f32,
    /// 0 shines by itself, 1 only where light falls. Holds for the matcap too.
    pub lighting_mix: f32,
}

impl Default for Rim {
    fn default() -> Self {
        Self { color: Vec3::ZERO, power: 5.0, lift: 0.0, lighting_mix: 1.0 }
    }
}

/// A picture that is looked up by how the surface is turned to the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matcap {
    /// Place in [`super::Character::images`].
    pub image: usize,
    /// Multiplies it.
    pub color: Vec3,
}

impl Matcap {
    /// The picture, as it is used.
    pub fn picture(&self) -> TextureUse {
        let picture_from_uv = Affine2::IDENTITY;
        TextureUse {
            image: self.image,
            wrap: [Wrap::Clamp; 2],
            is_pixelated: false,
            picture_from_uv,
        }
    }
}

/// A line round a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// How wide.
    pub width: OutlineWidth,
    /// Its colour.
    pub color: Vec3,
    /// Share of the surface's own shading in it, 0 to 1.
    pub lighting_mix: f32,
}

/// Width of an outline, above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutlineWidth {
    /// Metres.
    World(f32),
    /// In heights of the picture, however far away.
    Screen(f32),
}
