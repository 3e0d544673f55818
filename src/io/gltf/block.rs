//! The block of bytes that we add at the end of a buffer, with its buffer views and accessors.

use std::collections::BTreeMap;

use bytemuck::NoUninit;
use bytes::Bytes;
use glam::{Mat4, Vec3};
use serde_json::{Map, Value, json};

use super::accessor::Component;

/// glTF's targets of buffer views.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Bytes, views and accessors in the making. Deterministic: the same calls give the same bytes.
#[derive(Debug)]
pub(super) struct Block {
    /// Where in its buffer the block will begin; a multiple of 4.
    start: usize,
    buffer: usize,
    first_view: usize,
    first_accessor: usize,
    /// Vertex data and matrices, a view for each accessor; each padded to a multiple of 8 bytes.
    parts: Vec<Bytes>,
    /// Bytes of the parts.
    length: usize,
    /// Keys: one view for all.
    keys: Vec<u8>,
    keys_view: Option<usize>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// Accessors of key times by their bits: many tracks share them.
    times: BTreeMap<Vec<u32>, usize>,
}

/// A finished block.
#[derive(Debug)]
pub(super) struct Finished {
    /// The bytes in pieces; all but the last are multiples of 8 bytes long.
    pub parts: Vec<Bytes>,
    /// Bytes of all parts.
    pub length: usize,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

/// How an accessor describes its elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub component: Component,
    pub kind: &'static str,
    pub normalized: bool,
}

impl Layout {
    pub(super) const fn new(component: Component, kind: &'static str) -> Self {
        Self { component, kind, normalized: false }
    }

    pub(super) const fn normalized(component: Component, kind: &'static str) -> Self {
        Self { component, kind, normalized: true }
    }

    fn accessor(self, view: usize, offset: usize, count: usize) -> Map<String, Value> {
        let mut accessor = Map::new();
        accessor.insert("bufferView".into(), view.into());
        if offset > 0 {
            accessor.insert("byteOffset".into(), offset.into());
        }
        accessor.insert("componentType".into(), self.component.code().into());
        if self.normalized {
            accessor.insert("normalized".into(), true.into());
        }
        accessor.insert("count".into(), count.into());
        accessor.insert("type".into(), self.kind.into());
        accessor
    }
}

/// A number as short as single precision allows; what is not finite becomes 0, for JSON has no word for it.
pub(crate) fn number(x: f32) -> Value {
    Value::from(if x.is_finite() { x } else { 0.0 })
}

/// Numbers as a list.
pub(crate) fn numbers(values: &[f32]) -> Value {
    Value::Array(values.iter().copied().map(number).collect())
}

/// Numbers as the bytes they are, without a copy.
struct Plain<T>(Vec<T>);

impl<T: NoUninit> AsRef<[u8]> for Plain<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl Block {
    /// A block that begins at byte `start` of `buffer`, in a file that has so many views and accessors.
    pub(super) fn new(
        buffer: usize,
        start: usize,
        first_view: usize,
        first_accessor: usize,
    ) -> Self {
        Self {
            start,
            buffer,
            first_view,
            first_accessor,
            parts: Vec::new(),
            length: 0,
            keys: Vec::new(),
            keys_view: None,
            views: Vec::new(),
            accessors: Vec::new(),
            times: BTreeMap::new(),
        }
    }

    fn push(&mut self, accessor: Map<String, Value>) -> usize {
        self.accessors.push(Value::Object(accessor));
        self.first_accessor + self.accessors.len() - 1
    }

    fn append(&mut self, bytes: Bytes) -> usize {
        let offset = self.length;
        let padding = bytes.len().next_multiple_of(8) - bytes.len();
        self.length += bytes.len() + padding;
        if padding == 0 {
            self.parts.push(bytes);
        } else {
            // Only the end is copied, to stand with its padding in a part of 8 bytes.
            let whole = bytes.len() / 8 * 8;
            let mut end = bytes.slice(whole..).to_vec();
            end.resize(8, 0);
            self.parts.push(bytes.slice(..whole));
            self.parts.push(end.into());
        }
        offset
    }

    fn view<T: NoUninit + Send + 'static>(&mut self, values: Vec<T>, target: Option<u32>) -> usize {
        let bytes = Bytes::from_owner(Plain(values));
        let length = bytes.len();
        let offset = self.append(bytes);
        let mut view = json!({
            "buffer": self.buffer,
            "byteOffset": self.start + offset,
            "byteLength": length,
        });
        if let (Some(target), Some(object)) = (target, view.as_object_mut()) {
            object.insert("target".into(), target.into());
        }
        self.views.push(view);
        self.first_view + self.views.len() - 1
    }

    /// A vertex attribute: elements of `T`, whose size is a multiple of 4.
    pub(super) fn attribute<T: NoUninit + Send + 'static>(
        &mut self,
        values: Vec<T>,
        layout: Layout,
    ) -> usize {
        let count = values.len();
        let view = self.view(values, Some(VERTICES));
        let accessor = layout.accessor(view, 0, count);
        self.push(accessor)
    }

    /// Positions, with the bounds that glTF wants of them.
    pub(super) fn positions(&mut self, positions: &[Vec3]) -> usize {
        let view = self.view(positions.to_vec(), Some(VERTICES));
        let layout = Layout::new(Component::F32, "VEC3");
        let mut accessor = layout.accessor(view, 0, positions.len());
        let low = positions.iter().copied().reduce(Vec3::min).unwrap_or_default();
        let high = positions.iter().copied().reduce(Vec3::max).unwrap_or_default();
        accessor.insert("min".into(), numbers(&low.to_array()));
        accessor.insert("max".into(), numbers(&high.to_array()));
        self.push(accessor)
    }

    /// Triangles as indices, 16 bits wide where they fit; 65535 itself means a restart and does not.
    pub(super) fn triangles(&mut self, triangles: &[[u32; 3]], n_vertices: usize) -> usize {
        let indices = triangles.as_flattened();
        let (view, component) = if n_vertices <= 65535 {
            let narrow: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
            (self.view(narrow, Some(INDICES)), Component::U16)
        } else {
            (self.view(indices.to_vec(), Some(INDICES)), Component::U32)
        };
        let accessor = Layout::new(component, "SCALAR").accessor(view, 0, 3 * triangles.len());
        self.push(accessor)
    }

    /// Numbers in the shared view.
    pub(super) fn keys<T: NoUninit>(&mut self, values: &[T], kind: &'static str) -> usize {
        let accessor = self.shared(values, kind);
        self.push(accessor)
    }

    /// Inverse bind matrices, in a view of their own: glTF wants one view to have one use.
    pub(super) fn matrices(&mut self, matrices: &[Mat4]) -> usize {
        let columns: Vec<[f32; 16]> = matrices.iter().map(Mat4::to_cols_array).collect();
        let view = self.view(columns, None);
        let accessor = Layout::new(Component::F32, "MAT4").accessor(view, 0, matrices.len());
        self.push(accessor)
    }

    /// Key times, with the bounds that glTF wants of them; equal lists share an accessor.
    pub(super) fn times(&mut self, times: &[f32]) -> usize {
        let bits: Vec<u32> = times.iter().map(|t| t.to_bits()).collect();
        if let Some(&known) = self.times.get(&bits) {
            return known;
        }
        let mut accessor = self.shared(times, "SCALAR");
        let first = times.first().copied().unwrap_or_default();
        let last = times.last().copied().unwrap_or_default();
        accessor.insert("min".into(), numbers(&[first]));
        accessor.insert("max".into(), numbers(&[last]));
        let index = self.push(accessor);
        self.times.insert(bits, index);
        index
    }

    fn shared<T: NoUninit>(&mut self, values: &[T], kind: &'static str) -> Map<String, Value> {
        let view = match self.keys_view {
            Some(view) => view,
            None => {
                // Its place and length are known at the end.
                self.views.push(Value::Null);
                let view = self.first_view + self.views.len() - 1;
                self.keys_view = Some(view);
                view
            }
        };
        let offset = self.keys.len();
        self.keys.extend_from_slice(bytemuck::cast_slice(values));
        Layout::new(Component::F32, kind).accessor(view, offset, values.len())
    }

    /// Whether nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.accessors.is_empty()
    }

    /// Everything that was added.
    pub(super) fn finish(mut self) -> Finished {
        let length = self.keys.len();
        let keys = std::mem::take(&mut self.keys);
        let offset = if keys.is_empty() { self.length } else { self.append(keys.into()) };
        if let Some(view) = self.keys_view.and_then(|v| self.views.get_mut(v - self.first_view)) {
            *view = json!({
                "buffer": self.buffer,
                "byteOffset": self.start + offset,
                "byteLength": length,
            });
        }
        let Self { parts, length, views, accessors, .. } = self;
        Finished { parts, length, views, accessors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_share_an_accessor_and_all_keys_a_view() {
        let mut block = Block::new(0, 100, 7, 20);
        let t = block.times(&[0.0, 0.5]);
        let k = block.keys(&[Vec3::X, Vec3::Y], "VEC3");
        assert_eq!(block.times(&[0.0, 0.5]), t);
        let p = block.positions(&[Vec3::X, Vec3::NEG_Y]);
        assert_eq!((t, k, p), (20, 21, 22));
        let finished = block.finish();
        assert_eq!((finished.length, finished.parts.concat().len()), (24 + 8 + 24, 56));
        assert_eq!(finished.views[0], json!({"buffer": 0, "byteOffset": 124, "byteLength": 32}));
        assert_eq!(finished.accessors[1]["byteOffset"], 8);
        assert_eq!(finished.accessors[2]["min"], json!([0.0_f32, -1.0_f32, 0.0_f32]));
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        assert_eq!(number(0.1).to_string(), "0.1");
        assert_eq!(number(1e-7).to_string().parse::<f32>(), Ok(1e-7));
        assert_eq!(number(f32::NAN).to_string(), "0.0");
    }
}
