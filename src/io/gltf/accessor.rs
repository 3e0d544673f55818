//! Numbers out of buffers: strides, normalised integers, sparse accessors, packed views.
//!
//! Nothing is allocated before the sizes were checked against the bytes that are there.

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use serde_json::Value;

use super::{json, meshopt};

/// Why an accessor cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessorFault {
    /// Something refers to an accessor, view or buffer that does not exist.
    #[error("{what} {index} does not exist")]
    Missing {
        /// `accessor`, `buffer view` or `buffer`.
        what: &'static str,
        /// The index referred to.
        index: usize,
    },
    /// A buffer could not be loaded.
    #[error("buffer {index} cannot be loaded: {why}")]
    Buffer {
        /// Index in `buffers`.
        index: usize,
        /// Why not.
        why: String,
    },
    /// An accessor or view reaches past the end of what it lies in.
    #[error("{what} {index} needs {needed} bytes, only {found} are there")]
    PastEnd {
        /// `accessor`, `buffer view` or `buffer`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// Bytes it needs.
        needed: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The type is not what the place asks for.
    #[error("accessor {index} is {found}, it must be {wanted}")]
    Kind {
        /// Index in `accessors`.
        index: usize,
        /// Its own type.
        found: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// Another number of elements than the other attributes have.
    #[error("accessor {index} has {found} elements, it must have {wanted}")]
    Count {
        /// Index in `accessors`.
        index: usize,
        /// Its own count.
        found: usize,
        /// The count needed.
        wanted: usize,
    },
    /// Its number of elements is missing, or is none.
    #[error("accessor {index} does not say how many elements it has")]
    NoCount {
        /// Index in `accessors`.
        index: usize,
    },
    /// A packed buffer view cannot be unpacked.
    #[error("the packed buffer view {index} {why}")]
    Packed {
        /// Index in `bufferViews`.
        index: usize,
        /// Why not.
        why: &'static str,
    },
    /// A sparse accessor replaces elements that do not exist.
    #[error("the sparse accessor {index} replaces element {element} of {count}")]
    Sparse {
        /// Index in `accessors`.
        index: usize,
        /// The element named.
        element: usize,
        /// Number of elements.
        count: usize,
    },
    /// The result would take more memory than the file justifies.
    #[error("accessor {index} would need {bytes} bytes of memory, more than the file justifies")]
    TooLarge {
        /// Index in `accessors`.
        index: usize,
        /// Bytes needed.
        bytes: u64,
    },
}

/// glTF's component types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    pub(super) const fn from_code(code: usize) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    pub(super) const fn code(self) -> u32 {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    pub(super) const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

fn lanes(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

/// What an accessor says of itself, before any byte is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub component: Component,
    pub lanes: usize,
    pub count: usize,
    pub normalized: bool,
}

/// The elements of one accessor where they lie.
#[derive(Clone, Debug)]
pub(super) struct Elements<'a> {
    data: Cow<'a, [u8]>,
    stride: usize,
    pub shape: Shape,
}

/// Buffers of a file, and why some are missing.
pub(super) type Buffers = [Result<Bytes, String>];

/// Reads accessors of one file.
#[derive(Debug)]
pub(super) struct Accessors<'a> {
    accessors: &'a [Value],
    views: &'a [Value],
    buffers: &'a Buffers,
    unpacked: Vec<OnceLock<Result<Vec<u8>, &'static str>>>,
    /// Bytes that an accessor without data may take.
    most_bytes: usize,
}

impl<'a> Accessors<'a> {
    pub(super) fn new(root: &'a Value, buffers: &'a Buffers, most_bytes: usize) -> Self {
        let views = json::list(root, "bufferViews");
        let unpacked = views.iter().map(|_| OnceLock::new()).collect();
        Self { accessors: json::list(root, "accessors"), views, buffers, unpacked, most_bytes }
    }

    /// Type and count of an accessor.
    pub(super) fn shape(&self, index: usize) -> Result<Shape, AccessorFault> {
        let accessor = self.accessor(index)?;
        let kind = json::text(accessor, "type").unwrap_or("nothing");
        let code = json::index(accessor, "componentType").unwrap_or(0);
        let (Some(component), Some(lanes)) = (Component::from_code(code), lanes(kind)) else {
            return Err(AccessorFault::Kind {
                index,
                found: format!("{kind} of component type {code}"),
                wanted: "a glTF type",
            });
        };
        let count = json::index(accessor, "count").ok_or(AccessorFault::NoCount { index })?;
        let normalized = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        Ok(Shape { component, lanes, count, normalized })
    }

    fn accessor(&self, index: usize) -> Result<&'a Value, AccessorFault> {
        self.accessors.get(index).ok_or(AccessorFault::Missing { what: "accessor", index })
    }

    /// The bytes of a buffer view.
    pub(super) fn view(&self, index: usize) -> Result<&[u8], AccessorFault> {
        let missing = AccessorFault::Missing { what: "buffer view", index };
        let view = self.views.get(index).ok_or_else(|| missing.clone())?;
        let Some(packed) = meshopt::packed(view) else { return self.slice(view, index) };
        let cell = self.unpacked.get(index).ok_or(missing)?;
        let data = self.slice(packed, index)?;
        match cell.get_or_init(|| meshopt::unpack(data, packed)) {
            Ok(bytes) => Ok(bytes),
            Err(why) => Err(AccessorFault::Packed { index, why }),
        }
    }

    /// The bytes that a buffer view, or the packed form of one, names.
    fn slice(&self, view: &Value, index: usize) -> Result<&'a [u8], AccessorFault> {
        let buffer = json::index(view, "buffer").unwrap_or(usize::MAX);
        let bytes = match self.buffers.get(buffer) {
            Some(Ok(bytes)) => bytes,
            Some(Err(why)) => {
                return Err(AccessorFault::Buffer { index: buffer, why: why.clone() });
            }
            None => return Err(AccessorFault::Missing { what: "buffer", index: buffer }),
        };
        let start = json::index(view, "byteOffset").unwrap_or(0);
        let length = json::index(view, "byteLength").unwrap_or(0);
        start.checked_add(length).and_then(|end| bytes.get(start..end)).ok_or(
            AccessorFault::PastEnd {
                what: "buffer view",
                index,
                needed: (start as u64).saturating_add(length as u64),
                found: bytes.len() as u64,
            },
        )
    }

    /// The elements of an accessor.
    pub(super) fn elements(&self, index: usize) -> Result<Elements<'_>, AccessorFault> {
        let accessor = self.accessor(index)?;
        let shape = self.shape(index)?;
        let size = shape.component.size() * shape.lanes;
        let dense = match json::index(accessor, "bufferView") {
            Some(view) => {
                let offset = json::index(accessor, "byteOffset").unwrap_or(0);
                let stride = self
                    .views
                    .get(view)
                    .and_then(|v| json::index(meshopt::packed(v).unwrap_or(v), "byteStride"))
                    .filter(|&s| s >= size)
                    .unwrap_or(size);
                let data = window(self.view(view)?, index, offset, stride, size, shape.count)?;
                Elements { data: Cow::Borrowed(data), stride, shape }
            }
            None => {
                let bytes = shape.count.saturating_mul(size);
                if bytes > self.most_bytes {
                    return Err(AccessorFault::TooLarge { index, bytes: bytes as u64 });
                }
                Elements { data: Cow::Owned(vec![0; bytes]), stride: size, shape }
            }
        };
        match accessor.get("sparse") {
            Some(sparse) => self.with_sparse(dense, sparse, index),
            None => Ok(dense),
        }
    }

    fn with_sparse<'b>(
        &'b self,
        dense: Elements<'b>,
        sparse: &Value,
        index: usize,
    ) -> Result<Elements<'b>, AccessorFault> {
        let shape = dense.shape;
        let size = shape.component.size() * shape.lanes;
        let n = json::index(sparse, "count").ok_or(AccessorFault::NoCount { index })?;
        let part = |key: &str, size: usize| {
            let part = sparse.get(key).unwrap_or(&Value::Null);
            let view = json::index(part, "bufferView").unwrap_or(usize::MAX);
            let offset = json::index(part, "byteOffset").unwrap_or(0);
            window(self.view(view)?, index, offset, size, size, n)
        };
        let code = sparse.get("indices").and_then(|i| json::index(i, "componentType"));
        let Some(component) = code.and_then(Component::from_code) else {
            return Err(AccessorFault::Kind {
                index,
                found: "sparse without an index type".into(),
                wanted: "a glTF type",
            });
        };
        let places = Elements {
            data: Cow::Borrowed(part("indices", component.size())?),
            stride: component.size(),
            shape: Shape { component, lanes: 1, count: n, normalized: false },
        };
        let values = part("values", size)?;
        let mut bytes = dense.tight().into_owned();
        for (place, value) in places.indices().into_iter().zip(values.chunks_exact(size)) {
            let at = place as usize * size;
            match bytes.get_mut(at..at + size) {
                Some(slot) => slot.copy_from_slice(value),
                None => {
                    return Err(AccessorFault::Sparse {
                        index,
                        element: place as usize,
                        count: shape.count,
                    });
                }
            }
        }
        Ok(Elements { data: Cow::Owned(bytes), stride: size, shape })
    }

    /// Elements of `N` numbers, as floats; `wanted` names the type in the error.
    pub(super) fn floats<const N: usize>(
        &self,
        index: usize,
        wanted: &'static str,
    ) -> Result<Vec<[f32; N]>, AccessorFault> {
        let elements = self.elements(index)?;
        if elements.shape.lanes != N {
            let accessor = self.accessor(index)?;
            let found = json::text(accessor, "type").unwrap_or("nothing").into();
            return Err(AccessorFault::Kind { index, found, wanted });
        }
        Ok(elements.floats())
    }
}

/// The part of a view that `count` elements take.
fn window(
    view: &[u8],
    index: usize,
    offset: usize,
    stride: usize,
    size: usize,
    count: usize,
) -> Result<&[u8], AccessorFault> {
    let length = match count {
        0 => Some(0),
        n => (n - 1).checked_mul(stride).and_then(|x| x.checked_add(size)),
    };
    let end = length.and_then(|l| offset.checked_add(l));
    end.and_then(|end| view.get(offset..end)).ok_or(AccessorFault::PastEnd {
        what: "accessor",
        index,
        needed: end.map_or(u64::MAX, |e| e as u64),
        found: view.len() as u64,
    })
}

impl Elements<'_> {
    fn size(&self) -> usize {
        self.shape.component.size() * self.shape.lanes
    }

    /// The elements one after another, without gaps.
    pub(super) fn tight(&self) -> Cow<'_, [u8]> {
        let size = self.size();
        if self.stride == size {
            return Cow::Borrowed(&self.data);
        }
        let mut bytes = Vec::with_capacity(size * self.shape.count);
        for element in self.data.chunks(self.stride) {
            bytes.extend_from_slice(element.get(..size).unwrap_or_default());
        }
        Cow::Owned(bytes)
    }

    /// Elements that lie one after another as `T`, in one copy, where they do.
    fn plain<T: bytemuck::AnyBitPattern + Copy>(&self) -> Option<Vec<T>> {
        if self.stride != size_of::<T>() || cfg!(target_endian = "big") {
            return None;
        }
        Some(match bytemuck::try_cast_slice::<u8, T>(&self.data) {
            Ok(values) => values.to_vec(),
            Err(_) => {
                self.data.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
            }
        })
    }

    fn each<T, const N: usize, const B: usize>(&self, convert: impl Fn([u8; B]) -> T) -> Vec<[T; N]>
    where
        T: Copy + Default,
    {
        let mut result = Vec::with_capacity(self.shape.count);
        result.extend(self.data.chunks(self.stride).take(self.shape.count).map(|element| {
            let mut values = [T::default(); N];
            for (value, bytes) in values.iter_mut().zip(element.chunks_exact(B)) {
                if let Some(bytes) = bytes.first_chunk() {
                    *value = convert(*bytes);
                }
            }
            values
        }));
        result
    }

    /// Elements as floats; integers are divided by their range where the accessor says that they are normalised.
    /// Elements of fewer numbers than `N` are filled with zeros, of more are cut.
    pub(super) fn floats<const N: usize>(&self) -> Vec<[f32; N]> {
        let norm = |range: f32| if self.shape.normalized { 1.0 / range } else { 1.0 };
        match self.shape.component {
            Component::F32 if self.shape.lanes == N => {
                // A [f32; N] for any N is not known to be plain data; its numbers are.
                self.plain_lanes().unwrap_or_else(|| self.each(f32::from_le_bytes))
            }
            Component::F32 => self.each(f32::from_le_bytes),
            Component::U8 if self.shape.normalized => {
                self.each(|[b]: [u8; 1]| f32::from(b) / 255.0)
            }
            Component::U8 => self.each(|[b]: [u8; 1]| f32::from(b)),
            Component::U16 if self.shape.normalized => {
                self.each(|b| f32::from(u16::from_le_bytes(b)) / 65535.0)
            }
            Component::U16 => self.each(|b| f32::from(u16::from_le_bytes(b))),
            Component::I8 => {
                let k = norm(127.0);
                let least = if self.shape.normalized { -1.0 } else { f32::MIN };
                self.each(move |b| (f32::from(i8::from_le_bytes(b)) * k).max(least))
            }
            Component::I16 => {
                let k = norm(32767.0);
                let least = if self.shape.normalized { -1.0 } else { f32::MIN };
                self.each(move |b| (f32::from(i16::from_le_bytes(b)) * k).max(least))
            }
            Component::U32 => self.each(|b| u32::from_le_bytes(b) as f32),
        }
    }

    fn plain_lanes<const N: usize>(&self) -> Option<Vec<[f32; N]>> {
        if self.stride != 4 * N || cfg!(target_endian = "big") {
            return None;
        }
        let values = bytemuck::try_cast_slice::<u8, f32>(&self.data).ok()?;
        Some(values.as_chunks::<N>().0.to_vec())
    }

    /// Elements of one unsigned integer.
    pub(super) fn indices(&self) -> Vec<u32> {
        let flat = |v: Vec<[u32; 1]>| v.into_flattened();
        match self.shape.component {
            Component::U32 => self.plain().unwrap_or_else(|| flat(self.each(u32::from_le_bytes))),
            Component::U16 | Component::I16 => {
                flat(self.each(|b| u32::from(u16::from_le_bytes(b))))
            }
            Component::U8 | Component::I8 => flat(self.each(|[b]: [u8; 1]| u32::from(b))),
            Component::F32 => flat(self.each(|b| f32::from_le_bytes(b) as u32)),
        }
    }

    /// The bytes of one element.
    fn element(&self, index: usize) -> &[u8] {
        let start = index * self.stride;
        self.data.get(start..start + self.size()).unwrap_or_default()
    }

    /// Four numbers of one element, as `convert` reads them.
    fn four<T: Copy + Default, const B: usize>(
        &self,
        index: usize,
        convert: impl Fn([u8; B]) -> T,
    ) -> [T; 4] {
        let mut values = [T::default(); 4];
        for (value, bytes) in values.iter_mut().zip(self.element(index).as_chunks::<B>().0) {
            *value = convert(*bytes);
        }
        values
    }

    /// One element of four unsigned integers: joint indices.
    pub(super) fn quad(&self, index: usize) -> [u32; 4] {
        match self.shape.component {
            Component::U32 => self.four(index, u32::from_le_bytes),
            Component::U16 | Component::I16 => {
                self.four(index, |b| u32::from(u16::from_le_bytes(b)))
            }
            Component::U8 | Component::I8 => self.four(index, |[b]: [u8; 1]| u32::from(b)),
            Component::F32 => self.four(index, |b| f32::from_le_bytes(b) as u32),
        }
    }

    /// One element of four normalised numbers: weights.
    pub(super) fn vec4(&self, index: usize) -> [f32; 4] {
        match self.shape.component {
            Component::F32 => self.four(index, f32::from_le_bytes),
            Component::U8 => self.four(index, |[b]: [u8; 1]| f32::from(b) / 255.0),
            Component::U16 => self.four(index, |b| f32::from(u16::from_le_bytes(b)) / 65535.0),
            Component::I8 => self.four(index, |b| f32::from(i8::from_le_bytes(b)) / 127.0),
            Component::I16 => self.four(index, |b| f32::from(i16::from_le_bytes(b)) / 32767.0),
            Component::U32 => self.four(index, |b| u32::from_le_bytes(b) as f32),
        }
    }
}
