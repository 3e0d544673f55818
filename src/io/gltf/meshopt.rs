//! Buffer views packed by `EXT_meshopt_compression` or `KHR_meshopt_compression`.
//!
//! Based on: the extensions' specifications; the decoder is meshoptimizer's, safe on untrusted input. Without the
//! feature `meshopt` only the names remain.

use serde_json::Value;

use super::json;

/// The packed form of a buffer view, where it has one.
pub(super) fn packed(view: &Value) -> Option<&Value> {
    json::extension(view, "EXT_meshopt_compression")
        .or_else(|| json::extension(view, "KHR_meshopt_compression"))
}

/// Bytes that one byte of input may become: a run of zeros packs 256 bytes into about one.
#[cfg(feature = "meshopt")]
const MOST_PER_BYTE: usize = 512;

/// Unpacks `data`, `count` elements of `stride` bytes.
#[cfg(feature = "meshopt")]
pub(super) fn unpack(data: &[u8], packed: &Value) -> Result<Vec<u8>, &'static str> {
    let stride = json::index(packed, "byteStride").ok_or("has no stride")?;
    let count = json::index(packed, "count").ok_or("has no count")?;
    let size = count.checked_mul(stride).ok_or("is too large")?;
    if size > data.len().saturating_mul(MOST_PER_BYTE) {
        return Err("states more elements than its bytes can hold");
    }
    let broken = |_| "is broken";
    let filter = json::text(packed, "filter").unwrap_or("NONE");
    match json::text(packed, "mode").unwrap_or_default() {
        "ATTRIBUTES" => {
            let words = vertices(data, count, stride)?;
            filtered(words, filter, stride)
        }
        "TRIANGLES" if count % 3 == 0 && stride == 2 => {
            Ok(bytes_of(&::meshopt::decode_index_buffer::<u16>(data, count).map_err(broken)?))
        }
        "TRIANGLES" if count % 3 == 0 && stride == 4 => {
            Ok(bytes_of(&::meshopt::decode_index_buffer::<u32>(data, count).map_err(broken)?))
        }
        "INDICES" if stride == 2 => {
            Ok(bytes_of(&::meshopt::decode_index_sequence::<u16>(data, count).map_err(broken)?))
        }
        "INDICES" if stride == 4 => {
            Ok(bytes_of(&::meshopt::decode_index_sequence::<u32>(data, count).map_err(broken)?))
        }
        _ => Err("has an unknown mode or stride"),
    }
}

#[cfg(feature = "meshopt")]
fn bytes_of<T: bytemuck::NoUninit>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

/// The decoder takes the stride from a type, so there is one call for each stride.
#[cfg(feature = "meshopt")]
fn vertices(data: &[u8], count: usize, stride: usize) -> Result<Vec<u32>, &'static str> {
    macro_rules! by_stride {
        ($($n:literal)+) => {
            match stride {
                $(s if s == 4 * $n => {
                    let elements = ::meshopt::decode_vertex_buffer::<[u32; $n]>(data, count)
                        .map_err(|_| "is broken")?;
                    Ok(elements.into_flattened())
                })+
                _ => Err("has a stride that is no multiple of 4 up to 128"),
            }
        };
    }
    by_stride!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32)
}

#[cfg(feature = "meshopt")]
fn filtered(mut words: Vec<u32>, filter: &str, stride: usize) -> Result<Vec<u8>, &'static str> {
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    match (filter, stride) {
        ("NONE", _) => {}
        ("OCTAHEDRAL", 4) => ::meshopt::decode_filter_oct::<i8>(bytemuck::cast_slice_mut(bytes)),
        ("OCTAHEDRAL", 8) => ::meshopt::decode_filter_oct::<i16>(bytemuck::cast_slice_mut(bytes)),
        ("QUATERNION", 8) => ::meshopt::decode_filter_quat(bytemuck::cast_slice_mut(bytes)),
        // Each number stands alone, so the stride does not matter.
        ("EXPONENTIAL", _) => {
            ::meshopt::decode_filter_exp::<1>(bytemuck::cast_slice_mut(bytes));
        }
        ("COLOR", 4) => ::meshopt::decode_filter_color::<u8>(bytemuck::cast_slice_mut(bytes)),
        ("COLOR", 8) => ::meshopt::decode_filter_color::<u16>(bytemuck::cast_slice_mut(bytes)),
        _ => return Err("has an unknown filter"),
    }
    Ok(bytes_of(&words))
}

/// Without the decoder nothing is unpacked.
#[cfg(not(feature = "meshopt"))]
pub(super) fn unpack(_data: &[u8], _packed: &Value) -> Result<Vec<u8>, &'static str> {
    Err("is packed, and this build has no decoder: build with the feature meshopt")
}
