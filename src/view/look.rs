//! Colours of the viewport, read from `assets/theme/*.ron`.

use glam::{Vec3, Vec4};
use serde::Deserialize;

use crate::model::RegionKind;
use crate::studio::scene::Accent;

/// A colour as designers write it: sRGB, 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// sRGB from 0 to 1, for what is written to the screen unlit.
    pub fn to_srgb(self) -> Vec3 {
        Vec3::new(f32::from(self.0), f32::from(self.1), f32::from(self.2)) / 255.0
    }

    /// Linear light, for what is lit.
    pub fn to_linear(self) -> Vec3 {
        let linear = |c: f32| {
            if c <= 0.04045 { c / 12.92 } else { crate::math::ops::powf((c + 0.055) / 1.055, 2.4) }
        };
        let c = self.to_srgb();
        Vec3::new(linear(c.x), linear(c.y), linear(c.z))
    }
}

/// A colour for each kind of region; told apart by colour-blind people too. Based on: Okabe and Ito, 2008.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct KindColors {
    /// Tails.
    pub tail: Rgb,
    /// Props on the spine.
    pub worn: Rgb,
    /// Ears.
    pub ear: Rgb,
    /// Hair.
    pub hair: Rgb,
    /// Capes and skirts.
    pub garment: Rgb,
    /// Wings.
    pub wing: Rgb,
    /// Skin that wraps its own joints.
    pub body: Rgb,
    /// Anything else.
    pub other: Rgb,
}

impl KindColors {
    /// The colour of a kind.
    pub fn of(&self, kind: RegionKind) -> Rgb {
        match kind {
            RegionKind::Tail => self.tail,
            RegionKind::Worn => self.worn,
            RegionKind::Ear => self.ear,
            RegionKind::Hair => self.hair,
            RegionKind::Garment => self.garment,
            RegionKind::Wing => self.wing,
            RegionKind::Body => self.body,
            RegionKind::Other => self.other,
        }
    }
}

/// Everything about the viewport's looks that differs between the themes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Look {
    /// Backdrop behind the character.
    pub backdrop_inner: Rgb,
    /// Backdrop at the edges.
    pub backdrop_outer: Rgb,
    /// Lines of the floor.
    pub grid: Rgb,
    /// Opacity of the strong lines, 0 to 1.
    pub grid_strength: f32,
    /// Shadows on the floor.
    pub shadow: Rgb,
    /// Their opacity where they are deepest, 0 to 1.
    pub shadow_strength: f32,
    /// Skin without vertex colours.
    pub clay: Rgb,
    /// Edges of triangles.
    pub wire: Rgb,
    /// Their opacity, 0 to 1.
    pub wire_strength: f32,
    /// Joints of the body.
    pub bone: Rgb,
    /// Joints of chains.
    pub chain_bone: Rgb,
    /// What is selected.
    pub selected: Rgb,
    /// The ring a region hangs by.
    pub collar: Rgb,
    /// Chains as they rest.
    pub rest: Rgb,
    /// Chains as they swing.
    pub simulated: Rgb,
    /// A region's eigen axes.
    pub extent: Rgb,
    /// Colliders.
    pub collider: Rgb,
    /// The floor that chains lie on.
    pub floor_plane: Rgb,
    /// The plane that chains stay behind.
    pub behind_plane: Rgb,
    /// x, y and z.
    pub axes: [Rgb; 3],
    /// Regions by kind.
    pub kinds: KindColors,
}

#[derive(Deserialize)]
struct ThemeFile {
    viewport: Look,
}

impl Look {
    /// The look of a theme file.
    ///
    /// # Errors
    /// Where the text is no theme: line and column of the first fault.
    pub fn parse(ron: &str) -> Result<Self, ron::error::SpannedError> {
        ron::from_str::<ThemeFile>(ron).map(|file| file.viewport)
    }

    /// Colour and opacity of an overlay.
    pub(super) fn accent(&self, accent: Accent) -> Vec4 {
        let (color, opacity) = match accent {
            Accent::Body => (self.bone, 0.8),
            Accent::Chain => (self.chain_bone, 0.95),
            Accent::Selected => (self.selected, 1.0),
            Accent::Collar => (self.collar, 1.0),
            Accent::Rest => (self.rest, 0.95),
            Accent::Simulated => (self.simulated, 1.0),
            Accent::Extent => (self.extent, 0.8),
            Accent::Collider => (self.collider, 0.8),
            Accent::Floor => (self.floor_plane, 0.9),
            Accent::Behind => (self.behind_plane, 0.9),
            Accent::AxisX => (self.axes[0], 1.0),
            Accent::AxisY => (self.axes[1], 1.0),
            Accent::AxisZ => (self.axes[2], 1.0),
        };
        color.to_srgb().extend(opacity)
    }
}

/// The heat ramp at `t` from 0 (dark blue) to 1 (yellow), sRGB: viridis by a polynomial of degree six, as the shader
/// has it.
///
/// Based on: Matt Zucker, polynomial fits of matplotlib's maps, 2019 (public domain).
pub fn heat(t: f32) -> Vec3 {
    const C: [Vec3; 7] = [
        Vec3::new(0.277_727_3, 0.005_407_3, 0.334_099_8),
        Vec3::new(0.105_093, 1.404_613_5, 1.384_590_2),
        Vec3::new(-0.330_861_8, 0.214_847_56, 0.095_095_16),
        Vec3::new(-4.634_230_5, -5.799_101, -19.332_441),
        Vec3::new(6.228_27, 14.179_933, 56.690_55),
        Vec3::new(4.776_385, -13.745_145, -65.353_03),
        Vec3::new(-5.435_456, 4.645_852_6, 26.312_435),
    ];
    let t = t.clamp(0.0, 1.0);
    C.iter().rev().fold(Vec3::ZERO, |sum, c| sum * t + *c).clamp(Vec3::ZERO, Vec3::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_themes_have_a_look() {
        for text in [
            include_str!("../../assets/theme/dark.ron"),
            include_str!("../../assets/theme/light.ron"),
        ] {
            Look::parse(text).unwrap();
        }
    }

    #[test]
    fn the_heat_ramp_gets_brighter_all_the_way() {
        let brightness = |t: f32| heat(t).dot(Vec3::new(0.2126, 0.7152, 0.0722));
        for i in 0..20 {
            assert!(brightness((i + 1) as f32 / 20.0) > brightness(i as f32 / 20.0));
        }
    }
}
