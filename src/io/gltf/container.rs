//! The outer shell: GLB framing, or plain JSON. Slices into the input, nothing is copied.
//!
//! Based on: glTF 2.0 specification, section 4 (GLB file format).

use bytes::Bytes;

use crate::io::ReadError;

/// How a file is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Container {
    /// One binary file: `.glb`, `.vrm`, `.vrma`.
    #[default]
    Glb,
    /// JSON with its buffers beside it or inside as text.
    Gltf,
}

impl Container {
    /// The container that a file name asks for: `.gltf` or anything else.
    pub fn of_path(path: &std::path::Path) -> Self {
        match path.extension() {
            Some(e) if e.eq_ignore_ascii_case("gltf") => Self::Gltf,
            _ => Self::Glb,
        }
    }
}

pub(super) const MAGIC: u32 = 0x4654_6C67;
pub(super) const CHUNK_JSON: u32 = 0x4E4F_534A;
pub(super) const CHUNK_BIN: u32 = 0x004E_4942;

/// A chunk after the JSON, as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub kind: u32,
    pub data: Bytes,
}

/// A file taken apart.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub container: Container,
    pub json: Bytes,
    pub chunks: Vec<Chunk>,
    /// Bytes behind the length that the header states.
    pub n_trailing: usize,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|b| u32::from_le_bytes(*b))
}

/// Takes a file apart.
pub(super) fn split(bytes: &Bytes, name: &str) -> Result<Parts, ReadError> {
    if word(bytes, 0) != Some(MAGIC) {
        return plain(bytes, name);
    }
    let truncated = |part, expected: usize, found: usize| ReadError::Truncated {
        name: name.into(),
        part,
        expected: expected as u64,
        found: found as u64,
    };
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        return Err(truncated("the header", 12, bytes.len()));
    };
    if version != 2 {
        return Err(ReadError::Version { name: name.into(), version: version.to_string() });
    }
    let length = length as usize;
    if length > bytes.len() {
        return Err(truncated("the whole", length, bytes.len()));
    }
    let mut json = None;
    let mut chunks = Vec::new();
    let mut at = 12;
    // Fewer than 8 bytes cannot be a chunk: padding that some exporter left.
    while at + 8 <= length {
        let (Some(size), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else { break };
        let (start, end) = (at + 8, at + 8 + size as usize);
        if end > bytes.len() {
            return Err(truncated("a chunk", size as usize, bytes.len() - start));
        }
        let data = bytes.slice(start..end);
        if json.is_none() && kind == CHUNK_JSON {
            json = Some(data);
        } else {
            chunks.push(Chunk { kind, data });
        }
        // Chunks start at multiples of 4, whether their length says so or not.
        at = end.next_multiple_of(4);
    }
    let Some(json) = json else {
        return Err(ReadError::Malformed {
            name: name.into(),
            subject: "the GLB".into(),
            fault: "has no JSON chunk".into(),
        });
    };
    let n_trailing = bytes.len().saturating_sub(length);
    Ok(Parts { container: Container::Glb, json, chunks, n_trailing })
}

fn plain(bytes: &Bytes, name: &str) -> Result<Parts, ReadError> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    if first == Some(&b'{') {
        let json = bytes.slice_ref(text);
        return Ok(Parts { container: Container::Gltf, json, chunks: Vec::new(), n_trailing: 0 });
    }
    let (found, advice) = recognise(bytes);
    Err(ReadError::NotGltf { name: name.into(), found, advice })
}

/// What a file that is no glTF looks like, and the way out.
fn recognise(bytes: &[u8]) -> (&'static str, &'static str) {
    const BLENDER: &str = "export it as glTF 2.0 from Blender";
    const FBX: &str = "give it as a library of clips with --library; a character must be glTF: Blender exports it";
    const KINDS: &[(&[u8], &str, &str)] = &[
        (b"Kaydara FBX", "an FBX file", FBX),
        (b"; FBX", "an FBX file", FBX),
        (b"BLENDER", "a Blender file", BLENDER),
        (b"HIERARCHY", "a BVH motion file", "give it as a library with --library"),
        (b"PK\x03\x04", "a ZIP archive", "unpack it and name the .glb inside"),
        (b"\x1F\x8B", "a gzip archive", "unpack it and name the .glb inside"),
        (
            b"\x28\xB5\x2F\xFD",
            "a compressed file",
            "unpack it, or save it uncompressed from Blender",
        ),
        (b"\x89PNG", "a picture", "name a .glb, .gltf or .vrm file"),
        (b"<", "an XML or HTML page", "download the file itself, not the page about it"),
        (
            b"version https://git-lfs",
            "a Git LFS pointer",
            "fetch the file itself with git lfs pull",
        ),
    ];
    if bytes.is_empty() {
        return ("an empty file", "download or export it again");
    }
    KINDS
        .iter()
        .find(|(start, ..)| bytes.starts_with(start))
        .map_or(("an unknown kind of file", "name a .glb, .gltf or .vrm file"), |k| (k.1, k.2))
}

/// The parts of a GLB, to be written one after another. The JSON is padded with spaces, chunks with zeros.
pub(super) fn glb(mut json: Vec<u8>, chunks: &[(u32, Vec<Bytes>)]) -> Vec<Bytes> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let size = |parts: &[Bytes]| parts.iter().map(Bytes::len).sum::<usize>();
    let body: usize = chunks.iter().map(|(_, parts)| 8 + size(parts).next_multiple_of(4)).sum();
    let total = 20 + json.len() + body;
    let mut result = Vec::with_capacity(1 + 3 * chunks.len());
    let mut head = Vec::with_capacity(20 + json.len());
    for word in [MAGIC, 2, total as u32, json.len() as u32, CHUNK_JSON] {
        head.extend(word.to_le_bytes());
    }
    head.append(&mut json);
    result.push(head.into());
    for (kind, parts) in chunks {
        let size = size(parts);
        let padded = size.next_multiple_of(4);
        let head: Vec<u8> = [padded as u32, *kind].into_iter().flat_map(u32::to_le_bytes).collect();
        result.push(head.into());
        result.extend(parts.iter().cloned());
        result.push(Bytes::from_static(&[0; 3]).slice(..padded - size));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(chunks: &[(u32, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, data) in chunks {
            body.extend((data.len() as u32).to_le_bytes());
            body.extend(kind.to_le_bytes());
            body.extend(*data);
        }
        let mut file = Vec::new();
        for word in [MAGIC, 2, 12 + body.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(body);
        file
    }

    #[test]
    fn chunks_keep_their_order_and_bytes() {
        let file = glb(&[(CHUNK_JSON, b"{}  "), (7, b"abcd"), (CHUNK_BIN, b"1234")]);
        let parts = split(&file.into(), "x").unwrap();
        assert_eq!(&parts.json[..], b"{}  ");
        assert_eq!(parts.chunks.iter().map(|c| c.kind).collect::<Vec<_>>(), [7, CHUNK_BIN]);
        assert_eq!(&parts.chunks[1].data[..], b"1234");
    }

    #[test]
    fn every_cut_of_a_glb_is_an_error() {
        let file = glb(&[(CHUNK_JSON, b"{}  "), (CHUNK_BIN, b"1234")]);
        for n in 0..file.len() {
            assert!(split(&Bytes::copy_from_slice(&file[..n]), "x").is_err(), "cut at {n}");
        }
    }

    #[test]
    fn other_kinds_are_named() {
        let error = split(&Bytes::from_static(b"Kaydara FBX Binary"), "a.fbx").unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.fbx: this is an FBX file, not glTF; give it as a library of clips with --library; a character must be glTF: Blender exports it"
        );
    }
}
