//! Materials and pictures, as far as looks need them. A fault costs a picture, never geometry.

use glam::{Affine2, Vec2, Vec4};
use serde_json::Value;

use super::json;
use super::mtoon;
use super::source::SourceFile;
use crate::model::{AlphaMode, Finish, Image, Material, TextureUse, Wrap};

/// glTF's numbers for samplers.
const NEAREST: usize = 9728;
const CLAMP: usize = 33071;
const MIRROR: usize = 33648;

/// The file's materials, `[materials]`.
pub(super) fn materials(root: &Value) -> Vec<Material> {
    let values = json::list(root, "materials");
    values.iter().enumerate().map(|(index, value)| material(root, index, value)).collect()
}

/// The set of texture coordinates that a material's picture reads.
pub(super) fn uv_set(root: &Value, material: Option<usize>) -> usize {
    let value = material.and_then(|m| json::list(root, "materials").get(m));
    let texture = value.and_then(base_texture);
    let transform = texture.and_then(|t| json::extension(t, "KHR_texture_transform"));
    transform
        .and_then(|t| json::index(t, "texCoord"))
        .or_else(|| texture.and_then(|t| json::index(t, "texCoord")))
        .unwrap_or(0)
}

/// The file's pictures, packed, `[images]`; empty bytes where one cannot be had (`facts` reports it).
///
/// Those beside the file are read only where a material shows them.
pub(super) fn images(file: &SourceFile, materials: &[Material]) -> Vec<Image> {
    let is_used = |image: usize| materials.iter().any(|m| m.pictures().any(|t| t.image == image));
    let values = json::list(file.json(), "images").iter().enumerate();
    values
        .map(|(index, value)| {
            let uri = json::text(value, "uri").filter(|uri| !uri.starts_with("data:"));
            let name = json::text(value, "name").or(uri).unwrap_or_default();
            let bytes = is_used(index).then(|| file.image_bytes(value)).flatten();
            Image { name: name.into(), bytes: bytes.unwrap_or_default() }
        })
        .collect()
}

impl SourceFile {
    fn image_bytes(&self, image: &Value) -> Option<bytes::Bytes> {
        if let Some(uri) = json::text(image, "uri") {
            return self.resource(uri).ok();
        }
        let view = json::index(image, "bufferView")?;
        let view = json::list(self.json(), "bufferViews").get(view)?;
        let buffer = self.buffers.get(json::index(view, "buffer")?)?.as_ref().ok()?;
        let start = json::index(view, "byteOffset").unwrap_or(0);
        let end = start.checked_add(json::index(view, "byteLength")?)?;
        (end <= buffer.len()).then(|| buffer.slice(start..end))
    }
}

fn base_texture(material: &Value) -> Option<&Value> {
    material.get("pbrMetallicRoughness")?.get("baseColorTexture")
}

fn material(root: &Value, index: usize, value: &Value) -> Material {
    let pbr = value.get("pbrMetallicRoughness").unwrap_or(&Value::Null);
    let finite = |v: Option<Result<[f32; 4], usize>>| {
        v.and_then(Result::ok).map(Vec4::from).filter(|v| v.is_finite())
    };
    let cutoff = value.get("alphaCutoff").map_or(0.5, json::as_f32);
    Material {
        name: json::text(value, "name").unwrap_or_default().into(),
        base_color: finite(json::floats(pbr, "baseColorFactor")).unwrap_or(Vec4::ONE),
        texture: base_texture(value).and_then(|t| texture(root, t)),
        alpha: match json::text(value, "alphaMode") {
            Some("MASK") => AlphaMode::Mask(if cutoff.is_finite() { cutoff } else { 0.5 }),
            Some("BLEND") => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        },
        is_double_sided: value.get("doubleSided").and_then(Value::as_bool).unwrap_or(false),
        finish: finish(root, index, value),
    }
}

/// MToon of either version, unlit, or lit.
fn finish(root: &Value, index: usize, value: &Value) -> Finish {
    if let Some(toon) = mtoon::toon(root, index, value) {
        return Finish::Toon(toon);
    }
    match json::extension(value, "KHR_materials_unlit") {
        Some(_) => Finish::Unlit,
        None => Finish::Lit,
    }
}

/// The picture that a reference names, placed as it says.
pub(super) fn texture(root: &Value, reference: &Value) -> Option<TextureUse> {
    let texture = texture_at(root, json::index(reference, "index")?)?;
    Some(TextureUse { picture_from_uv: transform(reference), ..texture })
}

/// The picture of a texture, by its place in the list.
pub(super) fn texture_at(root: &Value, index: usize) -> Option<TextureUse> {
    let texture = json::list(root, "textures").get(index)?;
    let webp = json::extension(texture, "EXT_texture_webp").and_then(|e| json::index(e, "source"));
    let image = json::index(texture, "source").or(webp)?;
    let samplers = json::list(root, "samplers");
    let sampler = json::index(texture, "sampler").and_then(|s| samplers.get(s));
    let sampler = sampler.unwrap_or(&Value::Null);
    let wrap = |key: &str| match json::index(sampler, key) {
        Some(CLAMP) => Wrap::Clamp,
        Some(MIRROR) => Wrap::Mirror,
        _ => Wrap::Repeat,
    };
    Some(TextureUse {
        image,
        wrap: [wrap("wrapS"), wrap("wrapT")],
        is_pixelated: json::index(sampler, "magFilter") == Some(NEAREST),
        picture_from_uv: Affine2::IDENTITY,
    })
}

/// KHR_texture_transform: translation × rotation × scale, the rotation counter-clockwise in the picture.
fn transform(reference: &Value) -> Affine2 {
    let Some(value) = json::extension(reference, "KHR_texture_transform") else {
        return Affine2::IDENTITY;
    };
    let pair = |key: &str, default: Vec2| {
        let found = json::floats(value, key).and_then(Result::ok).map(Vec2::from);
        found.filter(|v| v.is_finite()).unwrap_or(default)
    };
    let angle = value.get("rotation").map_or(0.0, json::as_f32);
    let angle = if angle.is_finite() { angle } else { 0.0 };
    // v runs down, so a turn counter-clockwise in the picture is one by -angle in (u, v).
    Affine2::from_scale_angle_translation(
        pair("scale", Vec2::ONE),
        -angle,
        pair("offset", Vec2::ZERO),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use serde_json::json;

    #[test]
    fn a_material_is_read_with_its_picture_and_what_is_missing_is_gltfs_default() {
        let root = json!({
            "materials": [
                { "name": "Fur", "doubleSided": true, "alphaMode": "MASK", "alphaCutoff": 0.25,
                  "pbrMetallicRoughness": {
                    "baseColorFactor": [1.0, 0.5, 0.25, 1.0],
                    "baseColorTexture": { "index": 0, "texCoord": 1, "extensions": {
                        "KHR_texture_transform": { "offset": [0.5, 0.0], "scale": [2.0, 1.0] } } } } },
                {},
                { "pbrMetallicRoughness": { "baseColorTexture": { "index": 9 } } },
                { "extensions": { "KHR_materials_unlit": {} } },
                { "extensions": { "VRMC_materials_mtoon": { "shadeColorFactor": [0.1, 0.2, 0.3] } } }
            ],
            "textures": [{ "source": 3, "sampler": 0 }],
            "samplers": [{ "magFilter": 9728, "wrapS": 33071, "wrapT": 33648 }]
        });
        let materials = materials(&root);
        let fur = &materials[0];
        assert_eq!(fur.base_color, Vec4::new(1.0, 0.5, 0.25, 1.0));
        assert_eq!((fur.alpha, fur.is_double_sided), (AlphaMode::Mask(0.25), true));
        let texture = fur.texture.unwrap();
        assert_eq!((texture.image, texture.is_pixelated), (3, true));
        assert_eq!(texture.wrap, [Wrap::Clamp, Wrap::Mirror]);
        let at = texture.picture_from_uv.transform_point2(Vec2::new(0.25, 0.75));
        assert!((at - Vec2::new(1.0, 0.75)).length() < 1e-6, "{at}");
        assert_eq!(uv_set(&root, Some(0)), 1);
        assert_eq!(uv_set(&root, None), 0);
        assert_eq!(materials[1], Material::default());
        assert_eq!(materials[2].texture, None, "a texture that is not there is none");
        assert_eq!(materials[3].finish, Finish::Unlit);
        assert_eq!(materials[4].toon().unwrap().shade_color, Vec3::new(0.1, 0.2, 0.3));
    }

    #[test]
    fn a_quarter_turn_of_a_texture_turns_as_the_extension_shows() {
        // The extension's own matrix: u' = cos r u + sin r v, v' = -sin r u + cos r v.
        let quarter = json!({ "extensions": { "KHR_texture_transform": { "rotation": std::f32::consts::FRAC_PI_2 } } });
        let at = transform(&quarter).transform_point2(Vec2::new(1.0, 0.0));
        assert!((at - Vec2::new(0.0, -1.0)).length() < 1e-6, "{at}");
    }
}
