//! A file as it is: JSON, buffers, unknown chunks and the bytes it came in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use serde_json::Value;

use super::container::{self, CHUNK_BIN, Chunk, Container};
use super::json;
use crate::io::ReadError;

/// A glTF, GLB or VRM file, whole: nothing that was in it is lost. Clones share the bytes.
///
/// Where Tailbone had written the file, this is the file as it was before (see [`crate::model::Marks`]).
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub(super) name: String,
    pub(super) base_dir: Option<PathBuf>,
    pub(super) container: Container,
    /// The input, byte for byte; `None` once it is no longer what `json` and `chunks` say.
    pub(super) original: Option<Bytes>,
    pub(super) json: Arc<Value>,
    pub(super) chunks: Vec<Chunk>,
    pub(super) buffers: Vec<Result<Bytes, String>>,
    pub(super) is_pretty: bool,
    pub(super) n_trailing: usize,
    pub(super) size: u64,
}

impl SourceFile {
    /// Takes `bytes` apart and loads the buffers it refers to.
    pub(super) fn open(
        bytes: Bytes,
        name: &str,
        base_dir: Option<&Path>,
    ) -> Result<Self, ReadError> {
        let parts = container::split(&bytes, name)?;
        let text = trimmed(&parts.json);
        bound_json(text, bytes.len(), name)?;
        let json: Value = serde_json::from_slice(text)
            .map_err(|source| ReadError::Json { name: name.into(), source })?;
        check_version(&json, name)?;
        let mut file = Self {
            name: name.into(),
            base_dir: base_dir.map(Path::to_path_buf),
            container: parts.container,
            size: bytes.len() as u64,
            original: Some(bytes),
            is_pretty: text.contains(&b'\n'),
            json: Arc::new(json),
            chunks: parts.chunks,
            buffers: Vec::new(),
            n_trailing: parts.n_trailing,
        };
        file.load_buffers();
        Ok(file)
    }

    /// Resolves every buffer; a fault stays with its buffer.
    pub(super) fn load_buffers(&mut self) {
        self.buffers = json::list(&self.json, "buffers")
            .iter()
            .enumerate()
            .map(|(index, buffer)| match json::text(buffer, "uri") {
                Some(uri) => self.resource(uri),
                None if index == 0 => {
                    self.bin().cloned().ok_or_else(|| "the file has no binary chunk".into())
                }
                None => Err("it names no file".into()),
            })
            .collect();
        let external: usize = self.buffers.iter().flatten().map(Bytes::len).sum();
        self.size = self.size.max(external as u64);
    }

    /// The binary chunk.
    pub(super) fn bin(&self) -> Option<&Bytes> {
        self.chunks.iter().find(|c| c.kind == CHUNK_BIN).map(|c| &c.data)
    }

    /// What a URI stands for: a data URI's bytes, or those of a file beside this one.
    pub(super) fn resource(&self, uri: &str) -> Result<Bytes, String> {
        if let Some(data) = uri.strip_prefix("data:") {
            return data_uri(data);
        }
        let path = self.path_of(uri)?;
        let kind = std::fs::metadata(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        if !kind.is_file() {
            return Err(format!("{} is not a file", path.display()));
        }
        let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(bytes.into())
    }

    /// Where a relative URI leads.
    pub(super) fn path_of(&self, uri: &str) -> Result<PathBuf, String> {
        let base = self.base_dir.as_deref().ok_or("the file has no folder to look in")?;
        let name = percent_encoding::percent_decode_str(uri)
            .decode_utf8()
            .map_err(|_| "its URI is not UTF-8")?;
        let relative = Path::new(name.as_ref());
        let has_scheme = uri.split(['/', '\\']).next().is_some_and(|s| s.contains(':'));
        if has_scheme || relative.is_absolute() {
            return Err(format!("{name} is not beside the file"));
        }
        Ok(base.join(relative))
    }

    /// Name of the file, as messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size of the file, or of its external buffers where they are larger, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How the file is packed.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The whole JSON, as in the file.
    pub fn json(&self) -> &Value {
        &self.json
    }
}

/// JSON without the padding that exporters put around it.
fn trimmed(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let end = text.iter().rposition(|&b| b != 0 && !b.is_ascii_whitespace()).map_or(0, |i| i + 1);
    text.get(..end).unwrap_or_default()
}

/// Refuses JSON whose values would take far more memory than its text: about 120 bytes each.
fn bound_json(text: &[u8], size: usize, name: &str) -> Result<(), ReadError> {
    let n_values = text.iter().filter(|b| matches!(b, b',' | b'[' | b'{')).count();
    let bytes = (n_values * 120) as u64;
    let most = size as u64 * 3 + (192 << 20);
    if bytes > most {
        let (name, what) = (name.into(), "its JSON");
        return Err(ReadError::TooLarge { name, what, bytes, size: size as u64 });
    }
    Ok(())
}

fn check_version(json: &Value, name: &str) -> Result<(), ReadError> {
    let malformed = |subject: &str, fault: &str| ReadError::Malformed {
        name: name.into(),
        subject: subject.into(),
        fault: fault.into(),
    };
    if !json.is_object() {
        return Err(malformed("its JSON", "is not an object"));
    }
    let Some(asset) = json.get("asset").filter(|a| a.is_object()) else {
        return Err(malformed("its JSON", "has no `asset`: it is not glTF"));
    };
    match json::text(asset, "version") {
        Some(version) if !version.starts_with("2.") && version != "2" => {
            Err(ReadError::Version { name: name.into(), version: version.into() })
        }
        _ => Ok(()),
    }
}

fn data_uri(data: &str) -> Result<Bytes, String> {
    // Padding is often wrong in the wild, and says nothing.
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let (header, body) = data.split_once(',').ok_or("its data URI has no comma")?;
    if header.ends_with(";base64") {
        let engine = GeneralPurpose::new(&STANDARD, CONFIG);
        return engine.decode(body).map(Bytes::from).map_err(|e| format!("its data URI: {e}"));
    }
    Ok(percent_encoding::percent_decode_str(body).collect::<Vec<u8>>().into())
}
