//! MToon, the drawn look of VRM characters: two tones, a rim, a matcap and an outline.
//!
//! Based on: VRMC_materials_mtoon 1.0; values of VRM 0 are brought to its units by the reader. All pictures but the
//! matcap lie where the base colour's does. Left out: moving texture coordinates, and the share of light from all around,
//! of which the studio's light has none for such skin.

use glam::{Affine2, Vec3};

use super::material::{TextureUse, Wrap};

/// A material that is drawn in two tones. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toon {
    /// In the shade, in place of the base colour.
    pub shade_color: Vec3,
    /// Multiplies it.
    pub shade_picture: Option<TextureUse>,
    /// How sharp the edge between the tones is, 0 (as soft as on clay) to 1.
    pub toony: f32,
    /// What is added to the cosine of light and normal, -1 (all in the shade) to 1.
    pub shift: f32,
    /// Moves the edge between the tones from place to place.
    pub shading: Option<ShadingPicture>,
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
            shading: None,
            rim: Rim::default(),
            matcap: None,
            outline: None,
        }
    }
}

/// A picture whose red says where the edge between the tones lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadingPicture {
    /// The picture; its numbers count as they stand, not as sRGB.
    pub picture: TextureUse,
    /// What its red does.
    pub effect: ShadingEffect,
}

/// What the red of a [`ShadingPicture`] does to the cosine of light and normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShadingEffect {
    /// It is added, times this (VRM 1).
    Shift(f32),
    /// This share of what it lacks to full is taken from the light, which counts from -1 (VRM 0).
    Grade(f32),
}

impl ShadingEffect {
    /// `[grade, shift]`: with red `r` the cosine `c` becomes `(c + 1) (1 - grade (1 - r)) - 1 + shift r`.
    pub const fn shares(self) -> [f32; 2] {
        match self {
            Self::Shift(scale) => [0.0, scale],
            Self::Grade(rate) => [rate, 0.0],
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
    /// Multiplies it, and the matcap too.
    pub picture: Option<TextureUse>,
}

impl Default for Rim {
    fn default() -> Self {
        Self { color: Vec3::ZERO, power: 5.0, lift: 0.0, lighting_mix: 1.0, picture: None }
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
    /// Makes it narrower from place to place.
    pub mask: Option<WidthMask>,
    /// Its colour.
    pub color: Vec3,
    /// Share of the surface's own shading in it, 0 to 1.
    pub lighting_mix: f32,
}

/// A picture that multiplies the width of an outline; its numbers count as they stand, not as sRGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WidthMask {
    /// The picture.
    pub picture: TextureUse,
    /// Which of its colours counts: 0 for red (VRM 0), 1 for green (VRM 1).
    pub channel: usize,
}

/// Width of an outline, above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutlineWidth {
    /// Metres.
    World(f32),
    /// In heights of the picture, however far away.
    Screen(f32),
}
