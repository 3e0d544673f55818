//! Facts about a file beside its characters, for `inspect`.

use serde_json::Value;

use super::json;
use super::source::SourceFile;
use crate::io::vrm::{VrmKind, humanoid};
use crate::model::{FindingCode, Report};

/// What a file holds beside characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// `asset.generator`, or empty.
    pub generator: String,
    /// Extensions the file uses, as it lists them.
    pub extensions_used: Vec<String>,
    /// Extensions it says no reader can do without.
    pub extensions_required: Vec<String>,
    /// VRM metadata.
    pub vrm: Option<VrmKind>,
    /// VRM springs: spring groups of version 0, springs of version 1.
    pub n_springs: usize,
    /// Nodes with a VRM constraint.
    pub n_constraints: usize,
    /// Scenes, by name.
    pub scenes: Vec<String>,
    /// Images.
    pub n_images: usize,
    /// Those that cannot be read, with the reason.
    pub unreadable_images: Vec<(usize, String)>,
}

impl SourceFile {
    /// Facts about the file beside its characters. Reads the headers of images beside the file.
    pub fn facts(&self) -> Facts {
        let root = self.json();
        let strings = |key: &str| -> Vec<String> {
            json::list(root, key).iter().filter_map(Value::as_str).map(Into::into).collect()
        };
        let asset = root.get("asset").unwrap_or(&Value::Null);
        Facts {
            generator: json::text(asset, "generator").unwrap_or_default().into(),
            extensions_used: strings("extensionsUsed"),
            extensions_required: strings("extensionsRequired"),
            vrm: humanoid::kind(root).map(|k| k.0),
            n_springs: n_springs(root),
            n_constraints: json::list(root, "nodes")
                .iter()
                .filter(|n| json::extension(n, "VRMC_node_constraint").is_some())
                .count(),
            scenes: json::list(root, "scenes")
                .iter()
                .map(|s| json::text(s, "name").unwrap_or_default().into())
                .collect(),
            n_images: json::list(root, "images").len(),
            unreadable_images: self.unreadable_images(),
        }
    }

    /// The scene that is shown, by name or number; `None` where the file has no choice of several.
    pub fn scene(&self) -> Option<String> {
        let scenes = json::list(self.json(), "scenes");
        let index = json::index(self.json(), "scene").unwrap_or(0);
        let name = scenes.get(index).and_then(|s| json::text(s, "name")).unwrap_or_default();
        let number = format!("{} of {}", index + 1, scenes.len());
        let text = if name.is_empty() { number } else { format!("{} ({number})", plain(name)) };
        (scenes.len() > 1).then_some(text)
    }

    /// What the file says of its licence: VRM's, and `asset.copyright`; `None` where it says nothing.
    pub fn licence(&self) -> Option<String> {
        let root = self.json();
        let meta = |name: &str| json::extension(root, name).and_then(|vrm| vrm.get("meta"));
        let text = |of: Option<&Value>, key: &str| -> Option<String> {
            of.and_then(|value| json::text(value, key)).map(plain).filter(|text| !text.is_empty())
        };
        let (new, old) = (meta("VRMC_vrm"), meta("VRM"));
        let named = text(new, "licenseUrl")
            .or_else(|| text(old, "licenseName").filter(|name| name != "Other"))
            .or_else(|| text(old, "otherLicenseUrl"));
        let owner =
            text(new, "copyrightInformation").or_else(|| text(root.get("asset"), "copyright"));
        match (named, owner) {
            (Some(named), Some(owner)) => Some(format!("{named} · {owner}")),
            (one, other) => one.or(other),
        }
    }

    fn unreadable_images(&self) -> Vec<(usize, String)> {
        json::list(self.json(), "images")
            .iter()
            .enumerate()
            .filter_map(|(i, image)| Some((i, self.image_fault(image)?)))
            .collect()
    }

    /// Why an image cannot be read, if it cannot.
    fn image_fault(&self, image: &Value) -> Option<String> {
        let known = |start: &[u8]| -> Option<String> {
            const MAGICS: [&[u8]; 5] = [b"\x89PNG", b"\xFF\xD8", b"RIFF", b"\xABKTX 20", b"DDS "];
            (!MAGICS.iter().any(|m| start.starts_with(m)))
                .then(|| "is no picture of a known kind".to_owned())
        };
        if let Some(uri) = json::text(image, "uri") {
            if uri.starts_with("data:") {
                return self.resource(uri).map_or_else(Some, |bytes| known(&bytes));
            }
            return match self.path_of(uri) {
                Ok(path) if path.is_file() => None,
                Ok(path) => Some(format!("{} is missing", path.display())),
                Err(why) => Some(why),
            };
        }
        let view = json::index(image, "bufferView")
            .and_then(|v| json::list(self.json(), "bufferViews").get(v));
        let Some(view) = view else { return Some("names no picture that exists".into()) };
        let buffer = json::index(view, "buffer").and_then(|b| self.buffers.get(b));
        let start = json::index(view, "byteOffset").unwrap_or(0);
        let length = json::index(view, "byteLength").unwrap_or(0);
        match buffer {
            Some(Ok(bytes)) => match bytes.get(start..start.saturating_add(length)) {
                Some(data) => known(data),
                None => Some("reaches past the end of its buffer".into()),
            },
            Some(Err(why)) => Some(why.clone()),
            None => Some("lies in a buffer that does not exist".into()),
        }
    }
}

/// A file's words for one line of a panel.
fn plain(text: &str) -> String {
    const MOST_LETTERS: usize = 120;
    text.chars()
        .filter(|c| !c.is_control())
        .take(MOST_LETTERS)
        .collect::<String>()
        .trim()
        .to_owned()
}

fn n_springs(root: &Value) -> usize {
    let of =
        |name: &str, key: &str| json::extension(root, name).map_or(0, |v| json::list(v, key).len());
    let vrm0 = json::extension(root, "VRM")
        .and_then(|v| v.get("secondaryAnimation"))
        .map_or(0, |v| json::list(v, "boneGroups").len());
    of("VRMC_springBone", "springs") + vrm0
}

/// Adds the findings about images and about data that nothing refers to.
pub(super) fn report(file: &SourceFile, report: &mut Report) {
    for (index, why) in file.unreadable_images() {
        let image = json::list(file.json(), "images").get(index);
        report.add(FindingCode::ImageUnreadable, json::label("image", index, image), why);
    }
    let images = json::list(file.json(), "images").len();
    for (index, texture) in json::list(file.json(), "textures").iter().enumerate() {
        if let Some(source) = json::index(texture, "source").filter(|&s| s >= images) {
            let text = format!("names image {source}, but there are only {images}");
            report.add(FindingCode::ImageUnreadable, format!("texture {index}"), text);
        }
    }
    let textures = json::list(file.json(), "textures").len();
    for (index, material) in json::list(file.json(), "materials").iter().enumerate() {
        let missing = texture_references(material).into_iter().find(|&t| t >= textures);
        if let Some(texture) = missing {
            let text = format!("names texture {texture}, but there are only {textures}");
            let subject = json::label("material", index, Some(material));
            report.add(FindingCode::ImageUnreadable, subject, text);
        }
    }
    report_orphans(file, report);
}

/// Textures that a core material names.
fn texture_references(material: &Value) -> Vec<usize> {
    let pbr = material.get("pbrMetallicRoughness").unwrap_or(&Value::Null);
    let of = |value: &Value, key: &str| value.get(key).and_then(|t| json::index(t, "index"));
    [
        of(pbr, "baseColorTexture"),
        of(pbr, "metallicRoughnessTexture"),
        of(material, "normalTexture"),
        of(material, "occlusionTexture"),
        of(material, "emissiveTexture"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn report_orphans(file: &SourceFile, report: &mut Report) {
    if file.n_trailing > 0 {
        let text = format!("{} bytes behind the end of the GLB", file.n_trailing);
        report.add(FindingCode::OrphanData, "file", text);
    }
    let stated = json::list(file.json(), "buffers")
        .first()
        .filter(|b| b.get("uri").is_none())
        .and_then(|b| json::index(b, "byteLength"));
    if let Some(bin) = file.bin() {
        let used = stated.unwrap_or(0);
        if bin.len() > used.saturating_add(3) {
            let text = format!("{} bytes, of which the buffer states {used}", bin.len());
            report.add(FindingCode::OrphanData, "binary chunk", text);
        }
    }
}
