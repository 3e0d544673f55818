//! What a file says that it holds: its JSON alone is read.

use bytes::Bytes;

use super::json;
use super::source::SourceFile;
use crate::io::ReadError;

/// What a glTF file says that it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Whether a mesh of it follows a skin.
    pub has_skinned_mesh: bool,
    /// Names of its clips, in their order; empty where one has none.
    pub clips: Vec<String>,
    /// Whether Tailbone wrote it.
    pub is_ours: bool,
}

/// Reads the outline of a file in memory; nothing beside it is looked for. Cost: O(its JSON).
pub(in crate::io) fn outline(bytes: Bytes, name: &str) -> Result<Outline, ReadError> {
    let file = SourceFile::open(bytes, name, None)?;
    let root = file.json();
    let is_skinned =
        |node| json::index(node, "mesh").is_some() && json::index(node, "skin").is_some();
    let name = |clip| json::text(clip, "name").unwrap_or_default().to_owned();
    let extras = root.get("asset").and_then(|asset| asset.get("extras"));
    Ok(Outline {
        has_skinned_mesh: json::list(root, "nodes").iter().any(is_skinned),
        clips: json::list(root, "animations").iter().map(name).collect(),
        is_ours: extras.is_some_and(|extras| extras.get("tailbone").is_some()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_alone_are_told_from_a_skinned_character() {
        let of = |text: &'static str| outline(Bytes::from_static(text.as_bytes()), "a.gltf");
        let clips = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"Hips"}],
            "skins":[{"joints":[0]}],"animations":[{"name":"Walk"},{}]}"#;
        let outline = of(clips).unwrap();
        assert_eq!(outline.clips, ["Walk", ""]);
        assert!(!outline.has_skinned_mesh && !outline.is_ours, "a skin that no mesh follows");
        let skinned = r#"{"asset":{"version":"2.0","extras":{"tailbone":{}}},
            "nodes":[{"mesh":0,"skin":0}]}"#;
        let outline = of(skinned).unwrap();
        assert!(outline.has_skinned_mesh && outline.is_ours && outline.clips.is_empty());
        assert!(of("HIERARCHY").is_err());
    }
}
