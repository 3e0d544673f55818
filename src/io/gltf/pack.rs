//! From one container to the other: everything embedded in a GLB, or one buffer beside a .gltf.

use std::path::{Component as PathPart, Path};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use serde_json::{Value, json};

use super::container::{CHUNK_BIN, Chunk, Container};
use super::json as look;
use super::source::SourceFile;
use crate::io::WriteError;

/// A file that goes beside a .gltf.
#[derive(Clone, Debug)]
pub(super) struct Sibling {
    /// Path relative to the .gltf.
    pub name: String,
    pub bytes: Bytes,
}

/// A member of a JSON object, to be changed.
fn member<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    value.as_object_mut()?.get_mut(key)
}

fn items<'a>(root: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    member(root, key).and_then(Value::as_array_mut).into_iter().flatten()
}

fn is_external(value: &Value) -> bool {
    look::text(value, "uri").is_some_and(|uri| !uri.starts_with("data:"))
}

impl SourceFile {
    /// The same file in a GLB, with what lay beside it inside; itself where it is that already.
    pub(super) fn embedded(&self) -> Result<Self, WriteError> {
        let buffers = look::list(self.json(), "buffers");
        let first_is_bin = buffers.first().is_none_or(|b| b.get("uri").is_none());
        let is_whole = !buffers.iter().chain(look::list(self.json(), "images")).any(is_external);
        if self.container == Container::Glb && first_is_bin && is_whole {
            return Ok(self.clone());
        }
        let mut root = self.json().clone();
        let mut bin = BytesMut::new();
        let mut places = Vec::new();
        let mut kept = vec![json!({ "byteLength": 0 })];
        for (buffer, bytes) in buffers.iter().zip(&self.buffers) {
            match bytes {
                Ok(bytes) => {
                    pad(&mut bin);
                    places.push((0, bin.len()));
                    bin.extend_from_slice(bytes);
                }
                // A buffer that only stands in for packed data has no bytes by design.
                Err(_) if buffer.get("uri").is_none() => {
                    places.push((kept.len(), 0));
                    kept.push(buffer.clone());
                }
                Err(fault) => {
                    let uri = look::text(buffer, "uri").unwrap_or_default().into();
                    return Err(WriteError::ResourceMissing { uri, fault: fault.clone() });
                }
            }
        }
        for view in items(&mut root, "bufferViews") {
            moved(view, &places);
            for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
                let packed = member(view, "extensions").and_then(|e| member(e, name));
                if let Some(packed) = packed {
                    moved(packed, &places);
                }
            }
        }
        self.embed_images(&mut root, &mut bin);
        pad(&mut bin);
        if let Some(first) = kept.first_mut() {
            *first = json!({ "byteLength": bin.len() });
        }
        let mut file = self.clone();
        file.chunks.retain(|c| c.kind != CHUNK_BIN);
        if bin.is_empty() {
            if let Some(object) = root.as_object_mut() {
                object.shift_remove("buffers");
            }
        } else {
            if let Some(object) = root.as_object_mut() {
                object.insert("buffers".into(), Value::Array(kept));
            }
            file.chunks.insert(0, Chunk { kind: CHUNK_BIN, data: bin.freeze() });
        }
        file.container = Container::Glb;
        file.is_pretty = false;
        file.changed(root);
        Ok(file)
    }

    /// Moves the pictures beside the file into its buffer; one that is missing stays missing.
    fn embed_images(&self, root: &mut Value, bin: &mut BytesMut) {
        let mut views = Vec::new();
        let first = look::list(root, "bufferViews").len();
        for image in items(root, "images").filter(|i| is_external(i)) {
            let Some(uri) = look::text(image, "uri").map(str::to_owned) else { continue };
            let Ok(bytes) = self.resource(&uri) else { continue };
            pad(bin);
            views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
            bin.extend_from_slice(&bytes);
            let Some(image) = image.as_object_mut() else { continue };
            image.shift_remove("uri");
            image.insert("bufferView".into(), (first + views.len() - 1).into());
            let mime = image.get("mimeType").and_then(Value::as_str).map(str::to_owned);
            let mime = mime.unwrap_or_else(|| mime_of(&bytes, &uri).into());
            image.insert("mimeType".into(), mime.into());
        }
        if !views.is_empty()
            && let Some(object) = root.as_object_mut()
        {
            let list = object.entry("bufferViews").or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.extend(views);
            }
        }
    }

    /// The same file as a .gltf, and what goes beside it. The binary chunk becomes `{stem}.bin`; what lay beside the
    /// input is copied under its own name.
    pub(super) fn beside(&self, stem: &str) -> Result<(Self, Vec<Sibling>), WriteError> {
        let known = |kind: u32| kind == CHUNK_BIN;
        if let Some(chunk) = self.chunks.iter().find(|c| !known(c.kind)) {
            return Err(WriteError::ChunkHasNoPlace { name: self.name.clone(), kind: chunk.kind });
        }
        let mut root = self.json().clone();
        let mut siblings = Vec::new();
        let mut is_changed = self.container == Container::Glb;
        if let Some(bin) = self.bin()
            && let Some(first) = items(&mut root, "buffers").next().and_then(Value::as_object_mut)
            && !first.contains_key("uri")
        {
            let name = format!("{stem}.bin");
            first.insert("uri".into(), encoded(&name).into());
            let length = first.get("byteLength").and_then(look::as_index).unwrap_or(bin.len());
            siblings.push(Sibling { name, bytes: bin.slice(..length.min(bin.len())) });
        }
        for key in ["buffers", "images"] {
            for (index, value) in items(&mut root, key).enumerate().filter(|(_, v)| is_external(v))
            {
                let Some(uri) = look::text(value, "uri").map(str::to_owned) else { continue };
                if siblings.iter().any(|s: &Sibling| encoded(&s.name) == uri) {
                    continue;
                }
                let bytes = match self.resource(&uri) {
                    Ok(bytes) => bytes,
                    // A missing picture was missing before; a missing buffer would be our fault.
                    Err(_) if key == "images" => continue,
                    Err(fault) => return Err(WriteError::ResourceMissing { uri, fault }),
                };
                let (name, is_moved) = inside(&uri, key, index);
                if is_moved {
                    is_changed = true;
                    if let Some(value) = value.as_object_mut() {
                        value.insert("uri".into(), encoded(&name).into());
                    }
                }
                siblings.push(Sibling { name, bytes });
            }
        }
        if !is_changed {
            return Ok((self.clone(), siblings));
        }
        let mut file = self.clone();
        file.container = Container::Gltf;
        file.chunks.clear();
        file.changed(root);
        // The buffers are known already: they are the same bytes under other names.
        file.buffers.clone_from(&self.buffers);
        Ok((file, siblings))
    }

    /// Takes `root` for its JSON; the input's bytes are no longer this file.
    fn changed(&mut self, root: Value) {
        self.json = Arc::new(root);
        self.original = None;
        self.load_buffers();
    }
}

fn pad(bin: &mut BytesMut) {
    bin.resize(bin.len().next_multiple_of(4), 0);
}

/// Points a view at the place its buffer went to.
fn moved(view: &mut Value, places: &[(usize, usize)]) {
    let Some(&(buffer, start)) = look::index(view, "buffer").and_then(|b| places.get(b)) else {
        return;
    };
    let offset = look::index(view, "byteOffset").unwrap_or(0);
    if let Some(view) = view.as_object_mut() {
        view.insert("buffer".into(), buffer.into());
        if offset + start > 0 {
            view.insert("byteOffset".into(), (offset + start).into());
        }
    }
}

fn mime_of(bytes: &[u8], uri: &str) -> &'static str {
    const KINDS: [(&[u8], &str); 4] = [
        (b"\x89PNG", "image/png"),
        (b"\xFF\xD8", "image/jpeg"),
        (b"RIFF", "image/webp"),
        (b"\xABKTX 20", "image/ktx2"),
    ];
    let by_magic = KINDS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|k| k.1);
    let is_png = uri.to_ascii_lowercase().ends_with(".png");
    by_magic.unwrap_or(if is_png { "image/png" } else { "image/jpeg" })
}

/// A file name as a URI.
fn encoded(name: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const KEPT: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_').remove(b'~').remove(b'/');
    utf8_percent_encode(name, KEPT).to_string()
}

/// The relative path of a resource, and whether it had to be moved: a file is never written outside of the folder of
/// its .gltf.
fn inside(uri: &str, key: &str, index: usize) -> (String, bool) {
    let name = percent_encoding::percent_decode_str(uri).decode_utf8_lossy().into_owned();
    let path = Path::new(&name);
    let is_inside = path.components().all(|c| matches!(c, PathPart::Normal(_) | PathPart::CurDir));
    if is_inside && !name.contains('\\') {
        return (name, false);
    }
    let file = path.file_name().map_or_else(String::new, |f| f.to_string_lossy().into_owned());
    (format!("{key}-{index}-{}", file.replace('\\', "-")), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_never_written_outside() {
        assert_eq!(inside("textures/a%20b.png", "images", 0), ("textures/a b.png".into(), false));
        assert_eq!(inside("../a.png", "images", 3), ("images-3-a.png".into(), true));
        assert_eq!(inside("a/../../b.png", "images", 3), ("images-3-b.png".into(), true));
        assert_eq!(encoded("a b/ä.png"), "a%20b/%C3%A4.png");
    }
}
