//! Edits of JSON that can be taken back: appended elements and replaced values, with a record of what was there.
//!
//! ```text
//! {"nodes": [a, b]}   push /nodes c, set /scene 1   →   {"nodes": [a, b, c], "scene": 1}
//! record: truncate {"/nodes": 2}, values [{"pointer": "/scene"}]
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::json as look;

/// JSON under edit. Members that are set or grown are remembered as they were at first.
#[derive(Debug)]
pub(super) struct Editor {
    root: Value,
    lengths: BTreeMap<String, usize>,
    values: Vec<(String, Option<Value>)>,
    known: BTreeSet<String>,
}

/// A pointer's parent and its last part.
fn split(pointer: &str) -> (&str, &str) {
    pointer.rsplit_once('/').unwrap_or(("", pointer))
}

impl Editor {
    pub(super) fn new(root: Value) -> Self {
        Self { root, lengths: BTreeMap::new(), values: Vec::new(), known: BTreeSet::new() }
    }

    pub(super) fn root(&self) -> &Value {
        &self.root
    }

    /// Replaces the value at `pointer`, or adds it as a member; its parents are made where they are missing or
    /// are no containers. A list is never made an object: a place beyond its end is left alone.
    pub(super) fn set(&mut self, pointer: &str, value: Value) {
        let (parent, key) = split(pointer);
        let is_container = |v: &Value| v.is_object() || v.is_array();
        if !parent.is_empty() && !self.root.pointer(parent).is_some_and(is_container) {
            self.set(parent, Value::Object(Map::new()));
        }
        let was = match self.root.pointer_mut(parent) {
            Some(Value::Object(object)) => object.insert(key.into(), value),
            Some(Value::Array(_)) => match self.root.pointer_mut(pointer) {
                Some(slot) => Some(std::mem::replace(slot, value)),
                None => return,
            },
            _ => return,
        };
        if self.known.insert(pointer.into()) {
            self.values.push((pointer.into(), was));
        }
    }

    /// Appends to the list at `pointer`, which is made where it is missing; gives the new element's index.
    pub(super) fn push(&mut self, pointer: &str, value: Value) -> usize {
        if !self.root.pointer(pointer).is_some_and(Value::is_array) {
            self.set(pointer, Value::Array(Vec::new()));
        }
        let Some(Value::Array(list)) = self.root.pointer_mut(pointer) else { return 0 };
        let index = list.len();
        list.push(value);
        if self.known.insert(pointer.into()) {
            self.lengths.insert(pointer.into(), index);
        }
        index
    }

    /// The edited JSON and the record that takes the edits back.
    pub(super) fn finish(self) -> (Value, Record) {
        let mut record = Record { lengths: self.lengths, values: self.values, ..Record::default() };
        record.check = record.fingerprint(&self.root, &[]);
        (self.root, record)
    }
}

/// What takes edits back.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    /// Lengths that lists had.
    lengths: BTreeMap<String, usize>,
    /// What members were, in the order in which they were set; `None` where there was none.
    values: Vec<(String, Option<Value>)>,
    /// Fingerprint of everything that taking back removes.
    check: u64,
}

impl Record {
    /// The record as JSON.
    pub(super) fn to_json(&self) -> Value {
        let values: Vec<Value> = self
            .values
            .iter()
            .map(|(pointer, was)| match was {
                Some(was) => json!({"pointer": pointer, "was": was}),
                None => json!({ "pointer": pointer }),
            })
            .collect();
        json!({"truncate": self.lengths, "values": values, "check": format!("{:016x}", self.check)})
    }

    /// A record read back; `None` where it is none.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let lengths = look::object(value, "truncate")?
            .iter()
            .map(|(pointer, n)| Some((pointer.clone(), look::as_index(n)?)))
            .collect::<Option<_>>()?;
        let values = look::list(value, "values")
            .iter()
            .map(|v| Some((look::text(v, "pointer")?.to_owned(), v.get("was").cloned())))
            .collect::<Option<_>>()?;
        let check = u64::from_str_radix(look::text(value, "check")?, 16).ok()?;
        Some(Self { lengths, values, check })
    }

    /// Adds the bytes that are cut off with the edits to the fingerprint. Its parts but the last are multiples of 8
    /// bytes long, so that they count as they would in one piece.
    pub(super) fn seal(&mut self, root: &Value, block: &[Bytes]) {
        self.check = self.fingerprint(root, block);
    }

    /// Whether `root`, with `block` as its last bytes, is what this record was made for.
    pub(super) fn fits(&self, root: &Value, block: &[Bytes]) -> bool {
        self.lengths.iter().all(|(pointer, &n)| {
            root.pointer(pointer).and_then(Value::as_array).is_some_and(|list| list.len() > n)
        }) && self.fingerprint(root, block) == self.check
    }

    /// Hash of what stands at the places that taking back touches.
    fn fingerprint(&self, root: &Value, block: &[Bytes]) -> u64 {
        let mut hasher = Fnv::default();
        for (pointer, &n) in &self.lengths {
            hasher.take(pointer.as_bytes());
            let list = root.pointer(pointer).and_then(Value::as_array);
            for value in list.into_iter().flatten().skip(n) {
                hasher.take_json(value);
            }
        }
        for (pointer, _) in &self.values {
            hasher.take(pointer.as_bytes());
            if let Some(value) = root.pointer(pointer) {
                hasher.take_json(value);
            }
        }
        block.iter().for_each(|part| hasher.take_words(part));
        hasher.0
    }

    /// Takes the edits back. Call it only where the record fits.
    pub(super) fn undo(self, root: &mut Value) {
        for (pointer, was) in self.values.into_iter().rev() {
            let (parent, key) = split(&pointer);
            match (was, root.pointer_mut(&pointer)) {
                (Some(was), Some(slot)) => *slot = was,
                (Some(_), None) => {}
                (None, _) => {
                    if let Some(Value::Object(object)) = root.pointer_mut(parent) {
                        object.shift_remove(key);
                    }
                }
            }
        }
        for (pointer, n) in self.lengths {
            if let Some(Value::Array(list)) = root.pointer_mut(&pointer) {
                list.truncate(n);
            }
        }
    }
}

/// A hash after Fowler, Noll and Vo, by words: no secret, but enough to see that someone else was at work.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn step(&mut self, word: u64) {
        // The turn brings high bits down, which a product alone never does.
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn take(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.step(u64::from(b)));
    }

    /// Eight bytes at a step: blocks have millions.
    fn take_words(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|w| self.step(u64::from_le_bytes(*w)));
        self.take(rest);
    }

    fn take_json(&mut self, value: &Value) {
        // Writing into a hash cannot fail.
        let _ = serde_json::to_writer(self, value);
    }
}

impl Write for &mut Fnv {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.take(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file() -> Value {
        json!({"scene": 0, "nodes": [{"name": "a"}, {"name": "b", "children": [0]}], "asset": {"version": "2.0"}})
    }

    #[test]
    fn edits_are_taken_back_member_by_member() {
        let mut editor = Editor::new(file());
        assert_eq!(editor.push("/nodes", json!({"name": "c"})), 2);
        assert_eq!(editor.push("/nodes/1/children", json!(2)), 1);
        assert_eq!(editor.push("/nodes/0/children", json!(2)), 0);
        editor.set("/scene", json!(1));
        editor.set("/scene", json!(2));
        editor.set("/asset/extras/tailbone/version", json!(1));
        let (mut root, record) = editor.finish();
        assert_eq!(root["asset"]["extras"]["tailbone"]["version"], 1);
        assert!(record.fits(&root, &[]));
        let record = Record::from_json(&record.to_json()).unwrap();
        assert!(record.fits(&root, &[]));
        record.undo(&mut root);
        assert_eq!(root.to_string(), file().to_string(), "order and all");
    }

    #[test]
    fn a_record_does_not_fit_what_was_changed_since() {
        let mut editor = Editor::new(file());
        editor.push("/nodes", json!({"name": "c"}));
        let (mut root, mut record) = editor.finish();
        let block = |text: &'static str| [Bytes::from_static(text.as_bytes())];
        record.seal(&root, &block("0123456789"));
        assert!(record.fits(&root, &block("0123456789")));
        assert!(!record.fits(&root, &block("0123456780")));
        assert!(record.fits(&root, &[block("01234567"), block("89")].concat()), "in parts");
        root["nodes"][2]["name"] = json!("d");
        assert!(!record.fits(&root, &block("0123456789")));
        root["nodes"].as_array_mut().unwrap().truncate(2);
        assert!(!record.fits(&root, &block("0123456789")));
    }

    #[test]
    fn what_is_no_container_makes_way_and_comes_back() {
        let broken = json!({"nodes": [null, 5], "asset": "text"});
        let mut editor = Editor::new(broken.clone());
        editor.push("/nodes/0/children", json!(1));
        editor.set("/nodes/1/skin", json!(1));
        editor.set("/nodes/7/skin", json!(1));
        editor.set("/asset/extras", json!({}));
        let (mut root, record) = editor.finish();
        assert_eq!(root["nodes"], json!([{"children": [1]}, {"skin": 1}]));
        assert!(record.fits(&root, &[]));
        record.undo(&mut root);
        assert_eq!(root, broken);
    }

    proptest! {
        #[test]
        fn any_edits_are_taken_back(edits in prop::collection::vec((0..6_usize, 0..4_usize), 0..12)) {
            let mut editor = Editor::new(file());
            for (what, n) in edits {
                match what {
                    0 => { editor.push("/nodes", json!({ "n": n })); }
                    1 => { editor.push(&format!("/nodes/{}/children", n % 2), json!(n)); }
                    2 => editor.set(&format!("/nodes/{}/skin", n % 2), json!(n)),
                    3 => editor.set("/asset/extras", json!({ "n": n })),
                    4 => editor.set(&format!("/asset/extras/k{n}"), json!(n)),
                    _ => { editor.push("/animations", json!(n)); }
                }
            }
            let (mut root, record) = editor.finish();
            prop_assert!(record.fits(&root, &[]));
            record.undo(&mut root);
            prop_assert_eq!(root.to_string(), file().to_string());
        }
    }
}
