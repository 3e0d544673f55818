//! MToon of both versions of VRM, in the units of the later.
//!
//! Based on: VRMC_materials_mtoon 1.0; from VRM 0 as UniVRM migrates its materials, but with the picture that grades the
//! shading, which the later version cannot say. The one that masks how shadows are received is left out: it only makes
//! them harder.

use glam::Vec3;
use serde_json::Value;

use super::json;
use super::materials::{texture, texture_at};
use crate::model::{
    Matcap, Outline, OutlineWidth, Rim, ShadingEffect, ShadingPicture, TextureUse, Toon, WidthMask,
};

/// Metres in the unit of VRM 0's outlines.
const CENTIMETRE: f32 = 0.01;

/// The MToon of a material, by its place in the list; `None` where it is none.
pub(super) fn toon(root: &Value, index: usize, material: &Value) -> Option<Toon> {
    if let Some(value) = json::extension(material, "VRMC_materials_mtoon") {
        return Some(of_vrm1(root, value));
    }
    let old = json::extension(root, "VRM").map_or(&[][..], |v| json::list(v, "materialProperties"));
    let old = old.get(index).filter(|p| json::text(p, "shader") == Some("VRM/MToon"))?;
    Some(of_vrm0(root, old))
}

/// A number that is one, within its range.
fn number(value: &Value, key: &str, usual: f32, (least, most): (f32, f32)) -> f32 {
    let found = value.get(key).map(json::as_f32).filter(|x| x.is_finite());
    found.unwrap_or(usual).clamp(least, most)
}

/// The first three of a list of `N` numbers; none below 0.
fn color<const N: usize>(value: &Value, key: &str) -> Option<Vec3> {
    let found: [f32; N] = json::floats(value, key)?.ok()?;
    let color = Vec3::from_slice(found.get(..3)?);
    color.is_finite().then(|| color.max(Vec3::ZERO))
}

/// A line, unless it has no width.
fn visible(outline: Outline) -> Option<Outline> {
    let (OutlineWidth::World(reach) | OutlineWidth::Screen(reach)) = outline.width;
    (reach > 0.0).then_some(outline)
}

fn of_vrm1(root: &Value, value: &Value) -> Toon {
    let usual = Toon::default();
    let share = |key, usual| number(value, key, usual, (0.0, 1.0));
    let tint = |key| color::<3>(value, key);
    let picture = |key| value.get(key).and_then(|reference| texture(root, reference));
    let width = number(value, "outlineWidthFactor", 0.0, (0.0, 1.0));
    let width = match json::text(value, "outlineWidthMode") {
        Some("worldCoordinates") => Some(OutlineWidth::World(width)),
        Some("screenCoordinates") => Some(OutlineWidth::Screen(width)),
        _ => None,
    };
    let mask = picture("outlineWidthMultiplyTexture");
    let line = |width| Outline {
        width,
        mask: mask.map(|picture| WidthMask { picture, channel: 1 }),
        color: tint("outlineColorFactor").unwrap_or(Vec3::ZERO),
        lighting_mix: share("outlineLightingMixFactor", 1.0),
    };
    let shading = value.get("shadingShiftTexture").and_then(|reference| {
        let effect = ShadingEffect::Shift(number(reference, "scale", 1.0, (-100.0, 100.0)));
        Some(ShadingPicture { picture: texture(root, reference)?, effect })
    });
    Toon {
        shade_color: tint("shadeColorFactor").unwrap_or(usual.shade_color),
        shade_picture: picture("shadeMultiplyTexture"),
        toony: share("shadingToonyFactor", usual.toony),
        shift: number(value, "shadingShiftFactor", usual.shift, (-1.0, 1.0)),
        shading,
        rim: Rim {
            color: tint("parametricRimColorFactor").unwrap_or(usual.rim.color),
            power: number(value, "parametricRimFresnelPowerFactor", usual.rim.power, (1e-5, 100.0)),
            lift: share("parametricRimLiftFactor", usual.rim.lift),
            lighting_mix: share("rimLightingMixFactor", usual.rim.lighting_mix),
            picture: picture("rimMultiplyTexture"),
        },
        matcap: matcap(picture("matcapTexture"), tint("matcapFactor").unwrap_or(Vec3::ONE)),
        outline: width.map(line).and_then(visible),
    }
}

fn matcap(picture: Option<TextureUse>, color: Vec3) -> Option<Matcap> {
    let image = picture.filter(|_| color != Vec3::ZERO)?.image;
    Some(Matcap { image, color })
}

fn of_vrm0(root: &Value, value: &Value) -> Toon {
    let part = |key| value.get(key).unwrap_or(&Value::Null);
    let floats = part("floatProperties");
    let (colors, textures) = (part("vectorProperties"), part("textureProperties"));
    let share = |key, usual| number(floats, key, usual, (0.0, 1.0));
    let mode = |key| number(floats, key, 0.0, (0.0, 9.0)) as u32;
    // Version 0 writes sRGB.
    let tint = |key| {
        let linear = |c: f32| crate::math::ops::powf(c, 2.2);
        color::<4>(colors, key).map(|c| Vec3::new(linear(c.x), linear(c.y), linear(c.z)))
    };
    let picture = |key| json::index(textures, key).and_then(|index| texture_at(root, index));
    // The shade ends at `shift` there, and the light begins where the tones are closest to it by `toony`.
    let shift = number(floats, "_ShadeShift", 0.0, (-1.0, 1.0));
    let lit_from = 1.0 + (shift - 1.0) * share("_ShadeToony", 0.9);
    let width = number(floats, "_OutlineWidth", 0.5, (0.0, 100.0)) * CENTIMETRE;
    let width = match mode("_OutlineWidthMode") {
        1 => Some(OutlineWidth::World(width)),
        // There it is a share of half the picture.
        2 => Some(OutlineWidth::Screen(0.5 * width)),
        _ => None,
    };
    let is_mixed = mode("_OutlineColorMode") == 1;
    let mask = picture("_OutlineWidthTexture");
    let line = |width| Outline {
        width,
        mask: mask.map(|picture| WidthMask { picture, channel: 0 }),
        color: tint("_OutlineColor").unwrap_or(Vec3::ZERO),
        lighting_mix: if is_mixed { share("_OutlineLightingMix", 1.0) } else { 0.0 },
    };
    let effect = ShadingEffect::Grade(share("_ShadingGradeRate", 1.0));
    Toon {
        shade_color: tint("_ShadeColor").unwrap_or(Vec3::new(0.935, 0.629, 0.718)),
        shade_picture: picture("_ShadeTexture"),
        toony: (0.5 * (2.0 - (lit_from - shift))).clamp(0.0, 1.0),
        shift: (-0.5 * (lit_from + shift)).clamp(-1.0, 1.0),
        shading: picture("_ShadingGradeTexture").map(|picture| ShadingPicture { picture, effect }),
        rim: Rim {
            color: tint("_RimColor").unwrap_or(Vec3::ZERO),
            power: number(floats, "_RimFresnelPower", 1.0, (1e-5, 100.0)),
            lift: share("_RimLift", 0.0),
            lighting_mix: share("_RimLightingMix", 0.0),
            picture: picture("_RimTexture"),
        },
        matcap: matcap(picture("_SphereAdd"), Vec3::ONE),
        outline: width.map(line).and_then(visible),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Nearly: what was written in decimals.
    fn near(a: Vec3, b: Vec3) -> bool {
        a.abs_diff_eq(b, 1e-3)
    }

    #[test]
    fn mtoon_of_vrm_1_is_read_and_what_is_missing_is_the_extensions_default() {
        let root = json!({
            "materials": [
                { "extensions": { "VRMC_materials_mtoon": {
                    "shadeColorFactor": [0.1, 0.2, 0.3], "shadeMultiplyTexture": { "index": 1 },
                    "shadingToonyFactor": 0.8, "shadingShiftFactor": -0.25,
                    "parametricRimColorFactor": [0.5, 0.4, 0.3],
                    "parametricRimFresnelPowerFactor": 3.0, "parametricRimLiftFactor": 0.125,
                    "rimLightingMixFactor": 0.5, "matcapTexture": { "index": 0 },
                    "outlineWidthMode": "worldCoordinates", "outlineWidthFactor": 0.002,
                    "outlineColorFactor": [0.0, 0.1, 0.0], "outlineLightingMixFactor": 0.25 } } },
                { "extensions": { "VRMC_materials_mtoon": { "outlineWidthFactor": 0.01 } } },
                { "extensions": { "VRMC_materials_mtoon": {
                    "outlineWidthMode": "screenCoordinates", "outlineWidthFactor": 0.0025,
                    "shadingToonyFactor": "much" } } },
                {}
            ],
            "textures": [{ "source": 4 }, { "source": 2 }]
        });
        let of = |index: usize| toon(&root, index, &root["materials"][index]);
        let all = of(0).unwrap();
        assert_eq!(all.shade_color, Vec3::new(0.1, 0.2, 0.3));
        assert_eq!(all.shade_picture.unwrap().image, 2);
        assert_eq!((all.toony, all.shift), (0.8, -0.25));
        let color = Vec3::new(0.5, 0.4, 0.3);
        let rim = Rim { color, power: 3.0, lift: 0.125, lighting_mix: 0.5, picture: None };
        assert_eq!(all.rim, rim);
        assert_eq!(all.matcap, Some(Matcap { image: 4, color: Vec3::ONE }));
        let (width, color) = (OutlineWidth::World(0.002), Vec3::new(0.0, 0.1, 0.0));
        assert_eq!(all.outline, Some(Outline { width, mask: None, color, lighting_mix: 0.25 }));
        assert_eq!(of(1), Some(Toon::default()), "without a mode there is no outline");
        let screen = of(2).unwrap();
        assert_eq!(screen.outline.unwrap().width, OutlineWidth::Screen(0.0025));
        assert_eq!((screen.toony, screen.outline.unwrap().lighting_mix), (0.9, 1.0));
        assert_eq!(of(3), None);
    }

    #[test]
    fn mtoon_of_vrm_0_comes_in_the_units_of_vrm_1() {
        // A material of a character that both versions of were published: the second is UniVRM's own.
        let root = json!({
            "materials": [{}, {}],
            "textures": [{ "source": 0 }],
            "extensions": { "VRM": { "materialProperties": [
                { "shader": "VRM/MToon",
                  "floatProperties": {
                    "_ShadeShift": -0.45, "_ShadeToony": 0.8, "_RimLightingMix": 1,
                    "_RimFresnelPower": 2.1, "_RimLift": 0, "_OutlineWidth": 0.25,
                    "_OutlineLightingMix": 0.925, "_OutlineWidthMode": 2, "_OutlineColorMode": 1 },
                  "vectorProperties": {
                    "_ShadeColor": [0.827, 0.735954, 0.85, 1],
                    "_RimColor": [0.0307135, 0.0908417, 0.158961, 1],
                    "_OutlineColor": [0.792157, 0.706887, 0.656024, 1] },
                  "textureProperties": { "_MainTex": 0, "_ShadeTexture": 0 } },
                { "shader": "VRM/UnlitTexture" }
            ] } }
        });
        let of = |index: usize| toon(&root, index, &root["materials"][index]);
        let face = of(0).unwrap();
        assert!(near(face.shade_color, Vec3::new(0.658434, 0.509415, 0.699394)), "{face:?}");
        assert!(near(face.rim.color, Vec3::new(0.00047, 0.005108, 0.017492)));
        assert!((face.toony - 0.855).abs() < 1e-5 && (face.shift - 0.305).abs() < 1e-5);
        assert_eq!((face.rim.power, face.rim.lighting_mix), (2.1, 1.0));
        assert_eq!(face.shade_picture.unwrap().image, 0);
        let outline = face.outline.unwrap();
        assert_eq!(outline.width, OutlineWidth::Screen(0.00125));
        assert!(near(outline.color, Vec3::new(0.598942, 0.466197, 0.39557)), "{outline:?}");
        assert_eq!(outline.lighting_mix, 0.925);
        assert_eq!(of(1), None, "another shader is no MToon");
    }

    #[test]
    fn pictures_of_shading_rim_and_outline_are_read_with_what_each_version_says_of_them() {
        let root = json!({
            "materials": [
                { "extensions": { "VRMC_materials_mtoon": {
                    "shadingShiftTexture": { "index": 0, "scale": -0.5 },
                    "rimMultiplyTexture": { "index": 1 },
                    "outlineWidthMode": "worldCoordinates", "outlineWidthFactor": 0.01,
                    "outlineWidthMultiplyTexture": { "index": 2 } } } },
                { "extensions": { "VRMC_materials_mtoon": {
                    "shadingShiftTexture": { "index": 9 }, "rimMultiplyTexture": 1,
                    "outlineWidthMode": "worldCoordinates", "outlineWidthFactor": 0.01,
                    "outlineWidthMultiplyTexture": {} } } },
                {}
            ],
            "textures": [{ "source": 5 }, { "source": 6 }, { "source": 7 }],
            "extensions": { "VRM": { "materialProperties": [{}, {}, {
                "shader": "VRM/MToon",
                "floatProperties": { "_OutlineWidthMode": 1, "_ShadingGradeRate": 0.75 },
                "textureProperties": {
                    "_ShadingGradeTexture": 0, "_RimTexture": 1, "_OutlineWidthTexture": 2 } }] } }
        });
        let of = |index: usize| toon(&root, index, &root["materials"][index]).unwrap();
        for (index, effect, channel) in
            [(0, ShadingEffect::Shift(-0.5), 1), (2, ShadingEffect::Grade(0.75), 0)]
        {
            let found = of(index);
            let shading = found.shading.unwrap();
            assert_eq!((shading.picture.image, shading.effect), (5, effect));
            assert_eq!(found.rim.picture.unwrap().image, 6);
            let mask = found.outline.unwrap().mask.unwrap();
            assert_eq!((mask.picture.image, mask.channel), (7, channel));
            let material = crate::model::Material {
                finish: crate::model::Finish::Toon(found),
                ..crate::model::Material::default()
            };
            let images: Vec<usize> = material.pictures().map(|p| p.image).collect();
            assert_eq!(images, [5, 6, 7], "what is shown is what is unpacked");
        }
        let broken = of(1);
        assert_eq!((broken.shading, broken.rim.picture), (None, None));
        assert_eq!(broken.outline.unwrap().mask, None, "the line itself stays");
    }

    #[test]
    fn an_outline_of_vrm_0_in_the_world_is_written_in_centimetres_and_may_be_of_one_colour() {
        let of = |mode: u32| {
            let floats = json!({ "_OutlineWidthMode": mode, "_OutlineWidth": 0.2 });
            let material = json!({ "shader": "VRM/MToon", "floatProperties": floats });
            let root = json!({ "extensions": { "VRM": { "materialProperties": [material] } } });
            toon(&root, 0, &json!({})).unwrap().outline
        };
        assert_eq!(of(0), None);
        let outline = of(1).unwrap();
        assert!(matches!(outline.width, OutlineWidth::World(w) if (w - 0.002).abs() < 1e-7));
        assert_eq!((outline.color, outline.lighting_mix), (Vec3::ZERO, 0.0));
    }
}
