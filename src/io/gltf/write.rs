//! Writing: the source file with the edits patched in, and nothing else changed.
//!
//! What is added lies in one block at the end of the buffer and at the ends of lists; old accessors are never
//! changed, so that nothing that shares them sees an edit.

use base64::Engine;
use bytes::Bytes;
use serde_json::{Value, json};

use super::accessor::Accessors;
use super::author;
use super::block::Block;
use super::clips_only;
use super::container::{self, CHUNK_BIN, Container};
use super::edit_clips;
use super::edit_meshes;
use super::edit_vrm;
use super::journal::Editor;
use super::json as look;
use super::marks::{self, BinChange, MarksToWrite};
use super::pack::Sibling;
use super::source::SourceFile;
use crate::io::WriteError;
use crate::model::{BakedClip, BakedTrack, NodeIndex, Rigged, SkinIndex};

/// What goes into the written file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contents {
    /// The whole file.
    #[default]
    All,
    /// The skeleton and the baked clips alone (all clips where none was baked).
    ClipsOnly,
}

/// Most influences of an edited vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InfluenceLimit {
    /// What every engine reads.
    #[default]
    Four,
    /// Two sets of joints and weights.
    Eight,
}

impl InfluenceLimit {
    /// As a number.
    pub const fn count(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// The edits of one character.
#[derive(Clone, Copy, Debug)]
pub struct CharacterEdits<'a> {
    /// The edited character; only what its `changes` name is written.
    pub rigged: &'a Rigged,
    /// Clips to add.
    pub baked: &'a [BakedClip],
}

impl CharacterEdits<'_> {
    /// Whether nothing at all is to be written.
    pub fn is_empty(&self) -> bool {
        self.rigged.changes.is_empty(&self.rigged.character)
            && self.baked.iter().all(|b| b.clip.tracks.is_empty())
            && !edit_vrm::is_needed(self)
    }
}

/// All edits of a file, and how to write it.
#[derive(Clone, Debug, Default)]
pub struct WriteEdits<'a> {
    /// Edited characters; the others stay as they are.
    pub characters: Vec<CharacterEdits<'a>>,
    /// What is left in the file for the next run; written only where something was edited.
    pub marks: MarksToWrite,
    /// What goes into the file.
    pub contents: Contents,
    /// Most influences of an edited vertex.
    pub influences: InfluenceLimit,
    /// The container of the result.
    pub container: Container,
    /// Name of the result without extension: a .gltf calls its buffer by it.
    pub stem: String,
    /// Whether a file that is no VRM becomes one (version 1), by the roles of its first edited character.
    pub as_vrm: bool,
}

/// A file ready to be saved: slices of the input and what was added.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    pub(super) parts: Vec<Bytes>,
    pub(super) siblings: Vec<Sibling>,
}

impl WrittenFile {
    /// The bytes, in the pieces they are made of; most are shared with the input.
    pub fn parts(&self) -> &[Bytes] {
        &self.parts
    }

    /// The whole file in one piece. Cost: a copy of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.parts.concat()
    }

    /// Files that go beside it, by their path relative to it: only for .gltf.
    pub fn siblings(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.siblings.iter().map(|s| (s.name.as_str(), &s.bytes))
    }
}

impl SourceFile {
    /// Composes the file with `edits` in it. Without an edit, and in the same container, it is the input byte for byte.
    ///
    /// # Errors
    /// [`WriteError`] where the edits are of another file, or what the file needs cannot be read.
    ///
    /// Cost: O(JSON + added bytes); the input's bytes are shared, not copied.
    pub fn write(&self, edits: &WriteEdits<'_>) -> Result<WrittenFile, WriteError> {
        if edits.contents == Contents::ClipsOnly {
            return clips_only::write(edits);
        }
        let (base, siblings) = match edits.container {
            Container::Glb => (self.embedded()?, Vec::new()),
            Container::Gltf => self.beside(&edits.stem)?,
        };
        if !edits.as_vrm && edits.characters.iter().all(CharacterEdits::is_empty) {
            return Ok(WrittenFile { parts: base.unedited()?, siblings });
        }
        let mut patch = Patch::new(&base);
        for character in &edits.characters {
            patch.nodes_and_skins(character.rigged)?;
        }
        edit_meshes::write(&mut patch, edits)?;
        edit_vrm::write(&mut patch, edits);
        for (at, character) in edits.characters.iter().enumerate() {
            edit_clips::write(&mut patch, at, character)?;
        }
        let baked: Vec<BakedTrack> = edits
            .characters
            .iter()
            .flat_map(|c| c.baked)
            .map(|b| BakedTrack { clip: b.clip.name.clone(), origin: b.origin.clone() })
            .collect();
        let parts = patch.finish(&edits.marks, &baked)?;
        Ok(WrittenFile { parts, siblings })
    }

    fn unedited(&self) -> Result<Vec<Bytes>, WriteError> {
        match &self.original {
            Some(bytes) => Ok(vec![bytes.clone()]),
            None => self.composed(self.json(), Vec::new()),
        }
    }

    /// The file with `root` for its JSON and `block` behind its buffer.
    fn composed(&self, root: &Value, block: Vec<Bytes>) -> Result<Vec<Bytes>, WriteError> {
        let text = match self.is_pretty {
            true => format!("{root:#}"),
            false => root.to_string(),
        };
        if self.container == Container::Gltf {
            return Ok(vec![text.into()]);
        }
        let mut chunks: Vec<(u32, Vec<Bytes>)> =
            self.chunks.iter().map(|c| (c.kind, vec![c.data.clone()])).collect();
        if !block.is_empty() {
            match chunks.iter_mut().find(|c| c.0 == CHUNK_BIN) {
                Some((_, parts)) => {
                    let length = parts.iter().map(Bytes::len).sum::<usize>();
                    let padding = length.next_multiple_of(4) - length;
                    parts.push(Bytes::from_static(&[0; 3]).slice(..padding));
                    parts.extend(block);
                }
                None => chunks.insert(0, (CHUNK_BIN, block)),
            }
        }
        let parts = container::glb(text.into_bytes(), &chunks);
        let bytes = parts.iter().map(|p| p.len() as u64).sum();
        if bytes > u64::from(u32::MAX) {
            return Err(WriteError::TooLarge { name: self.name.clone(), bytes });
        }
        Ok(parts)
    }
}

/// A file under edit.
pub(super) struct Patch<'a> {
    pub base: &'a SourceFile,
    pub editor: Editor,
    pub block: Block,
    pub accessors: Accessors<'a>,
    bin: BinChange,
    /// For each edited character, the file's index of each of its nodes.
    nodes: Vec<Vec<usize>>,
    /// For each edited character, the file's index of each of its skins.
    skins: Vec<Vec<usize>>,
}

impl<'a> Patch<'a> {
    fn new(base: &'a SourceFile) -> Self {
        let root = base.json();
        let n = |key: &str| look::list(root, key).len();
        let (buffer, start, bin) = match (base.container, base.bin()) {
            (Container::Gltf, _) => (n("buffers"), 0, BinChange::Untouched),
            (Container::Glb, Some(bytes)) if n("buffers") > 0 => {
                (0, bytes.len().next_multiple_of(4), BinChange::Grown(bytes.len()))
            }
            (Container::Glb, _) => (0, 0, BinChange::Added),
        };
        Self {
            base,
            editor: Editor::new(root.clone()),
            block: Block::new(buffer, start, n("bufferViews"), n("accessors")),
            accessors: Accessors::new(root, &base.buffers, usize::MAX >> 1),
            bin,
            nodes: Vec::new(),
            skins: Vec::new(),
        }
    }

    pub(super) fn foreign(&self, subject: String) -> WriteError {
        WriteError::Foreign { subject, name: self.base.name.clone() }
    }

    /// The file's indices of all nodes of edited character `at`.
    pub(super) fn places(&self, at: usize) -> Vec<usize> {
        self.nodes.get(at).cloned().unwrap_or_default()
    }

    /// The file's index of a node of edited character `at`.
    pub(super) fn node(&self, at: usize, node: NodeIndex) -> usize {
        self.nodes.get(at).and_then(|n| n.get(node.index())).copied().unwrap_or(0)
    }

    /// The file's index of a skin of edited character `at`.
    pub(super) fn skin(&self, at: usize, skin: SkinIndex) -> usize {
        self.skins.get(at).and_then(|s| s.get(skin.index())).copied().unwrap_or(0)
    }

    /// Appends new nodes, hangs them up, and adds them to the skins.
    fn nodes_and_skins(&mut self, rigged: &Rigged) -> Result<(), WriteError> {
        let skeleton = &rigged.character.skeleton;
        let n_old = look::list(self.base.json(), "nodes").len();
        let mut next = look::list(self.editor.root(), "nodes").len();
        let first_new = rigged.changes.first_new_node;
        let mut places = Vec::with_capacity(skeleton.len());
        for node in skeleton.nodes() {
            let is_new = places.len() >= first_new;
            let place = match node.source {
                Some(source) if !is_new && (source as usize) < n_old => source as usize,
                _ if is_new => {
                    next += 1;
                    next - 1
                }
                _ => return Err(self.foreign(format!("node {:?}", node.name))),
            };
            places.push(place);
        }
        let children = skeleton.children();
        for index in skeleton.indices().skip(first_new) {
            let node = skeleton.node(index);
            let below: Vec<usize> = children
                .get(index.index())
                .into_iter()
                .flatten()
                .filter_map(|c| places.get(c.index()).copied())
                .collect();
            let place =
                self.editor.push("/nodes", author::node_value(&node.name, &node.local, &below));
            match node.parent {
                Some(parent) if parent.index() >= first_new => {}
                Some(parent) => {
                    let above = places.get(parent.index()).copied().unwrap_or(0);
                    self.editor.push(&format!("/nodes/{above}/children"), place.into());
                }
                None => {
                    let scene = look::index(self.base.json(), "scene").unwrap_or(0);
                    if look::list(self.base.json(), "scenes").len() > scene {
                        self.editor.push(&format!("/scenes/{scene}/nodes"), place.into());
                    }
                }
            }
        }
        self.nodes.push(places);
        self.skins_of(rigged)
    }

    fn skins_of(&mut self, rigged: &Rigged) -> Result<(), WriteError> {
        let at = self.nodes.len() - 1;
        let mut places = Vec::with_capacity(rigged.character.skins.len());
        for skin in &rigged.character.skins {
            let joints: Vec<usize> = skin.joints.iter().map(|&j| self.node(at, j)).collect();
            let Some(source) = skin.source else {
                let matrices = self.block.matrices(&skin.joint_from_mesh);
                let mut value = json!({"joints": joints, "inverseBindMatrices": matrices});
                if let (false, Some(object)) = (skin.name.is_empty(), value.as_object_mut()) {
                    object.insert("name".into(), skin.name.clone().into());
                }
                places.push(self.editor.push("/skins", value));
                continue;
            };
            let source = source as usize;
            let Some(old) = look::list(self.base.json(), "skins").get(source) else {
                return Err(self.foreign(format!("skin {source} {:?}", skin.name)));
            };
            places.push(source);
            let n_old = look::list(old, "joints").len();
            if joints.len() <= n_old {
                continue;
            }
            for &joint in joints.iter().skip(n_old) {
                self.editor.push(&format!("/skins/{source}/joints"), joint.into());
            }
            let matrices = self.block.matrices(&skin.joint_from_mesh);
            self.editor.set(&format!("/skins/{source}/inverseBindMatrices"), matrices.into());
        }
        self.skins.push(places);
        Ok(())
    }

    /// Adds the block to the JSON, then the marks, and puts the file together.
    fn finish(
        mut self,
        marks: &MarksToWrite,
        baked: &[BakedTrack],
    ) -> Result<Vec<Bytes>, WriteError> {
        let has_block = !self.block.is_empty();
        let finished = self.block.finish();
        for view in finished.views {
            self.editor.push("/bufferViews", view);
        }
        for accessor in finished.accessors {
            self.editor.push("/accessors", accessor);
        }
        let n = finished.length;
        match self.bin {
            _ if !has_block => self.bin = BinChange::Untouched,
            BinChange::Untouched => {
                let data =
                    base64::engine::general_purpose::STANDARD.encode(finished.parts.concat());
                let uri = format!("data:application/octet-stream;base64,{data}");
                self.editor.push("/buffers", json!({"byteLength": n, "uri": uri}));
            }
            BinChange::Grown(length) => {
                let total = length.next_multiple_of(4) + n;
                self.editor.set("/buffers/0/byteLength", total.into());
            }
            BinChange::Added => {
                self.editor.push("/buffers", json!({ "byteLength": n }));
            }
        }
        let block = match self.bin {
            BinChange::Untouched => Vec::new(),
            BinChange::Grown(_) | BinChange::Added => finished.parts,
        };
        let root = marks::seal(self.editor, marks, baked, self.bin, &block);
        self.base.composed(&root, block)
    }
}
