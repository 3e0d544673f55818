//! Sets of vertices as text: runs, as variable-length numbers, in base64.
//!
//! A region of ten thousand neighbouring vertices takes a few hundred characters; as a RON list it would fill pages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// The text of a sorted list of numbers, each once.
///
/// Runs of neighbours: the gap since the last run's end, then its length less one, each in sevens of bits, low first.
pub fn encode_vertices(sorted: &[u32]) -> String {
    let mut bytes = Vec::new();
    let mut end = 0_u64;
    let mut at = 0;
    while let Some(&first) = sorted.get(at) {
        let mut len = 1_u64;
        while sorted.get(at + len as usize).is_some_and(|&v| u64::from(v) == u64::from(first) + len)
        {
            len += 1;
        }
        write_number(&mut bytes, u64::from(first).saturating_sub(end));
        write_number(&mut bytes, len - 1);
        end = u64::from(first) + len;
        at += len as usize;
    }
    STANDARD_NO_PAD.encode(bytes)
}

/// The list behind a text of [`encode_vertices`]; `None` where it is none, or names more than `most` vertices.
pub fn decode_vertices(text: &str, most: usize) -> Option<Vec<u32>> {
    let bytes = STANDARD_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
    let mut rest = bytes.as_slice();
    let mut vertices = Vec::new();
    let mut end = 0_u64;
    while !rest.is_empty() {
        let first = end.checked_add(read_number(&mut rest)?)?;
        let len = read_number(&mut rest)?.checked_add(1)?;
        end = first.checked_add(len)?;
        // Checked before anything is allocated: a length of 2⁶⁰ must not be tried.
        if end > u64::from(u32::MAX) + 1 || len > (most - vertices.len().min(most)) as u64 {
            return None;
        }
        vertices.extend((first..end).map(|v| v as u32));
    }
    Some(vertices)
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..63).step_by(7) {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_run_is_two_numbers() {
        assert_eq!(encode_vertices(&[]), "");
        let text = encode_vertices(&(1000..9000).collect::<Vec<_>>());
        assert_eq!(text.len(), 6, "1000 and 7999, two bytes each: {text}");
        assert_eq!(decode_vertices(&text, 8000).unwrap().len(), 8000);
        assert_eq!(decode_vertices(&text, 7999), None);
        assert_eq!(decode_vertices("!", 10), None);
        assert_eq!(decode_vertices("gICAgICAgICAgA", usize::MAX), None);
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(set in prop::collection::btree_set(0_u32..500, 0..300),
                                      far in any::<u32>()) {
            let set: BTreeSet<u32> = set.into_iter().chain([far]).collect();
            let list: Vec<u32> = set.into_iter().collect();
            prop_assert_eq!(decode_vertices(&encode_vertices(&list), list.len()), Some(list));
        }

        #[test]
        fn no_text_makes_it_panic_or_swell(text in "[A-Za-z0-9+/]{0,40}") {
            if let Some(list) = decode_vertices(&text, 1000) {
                prop_assert!(list.len() <= 1000);
            }
        }
    }
}
