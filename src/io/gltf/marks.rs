//! Our marks in a file: what had been decided, and how to take everything off again.
//!
//! `asset.extras.tailbone` holds the decisions, the report and a record of the edits. Reading takes the edits back by
//! that record, so that a second run begins with the same file as the first: rig(rig(x)) = rig(x) by construction.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use super::container::CHUNK_BIN;
use super::journal::{Editor, Record};
use super::json as look;
use super::source::SourceFile;
use crate::model::{BakedTrack, FindingCode, Marks, Report};

/// Version of the marks' own form.
const FORMAT: u32 = 1;
const EXTRAS: &str = "/asset/extras";
const PLACE: &str = "/asset/extras/tailbone";

/// What is written into the marks beside the record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarksToWrite {
    /// Version of the solver that baked.
    pub solver_version: String,
    /// The decisions, as `document` wants them back.
    pub decisions: Value,
    /// The report of spec 1.9.
    pub appendages: Value,
}

/// What became of the binary chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BinChange {
    /// It was not touched: our block lies in a buffer of its own.
    Untouched,
    /// It had so many bytes.
    Grown(usize),
    /// There was none.
    Added,
}

/// Finishes the edits: puts the marks into the JSON. `block` is what was added to the bytes.
pub(super) fn seal(
    editor: Editor,
    marks: &MarksToWrite,
    baked: &[BakedTrack],
    bin: BinChange,
    block: &[Bytes],
) -> Value {
    let (mut root, mut record) = editor.finish();
    record.seal(&root, block);
    // The marks themselves are set afterwards, for they cannot hold their own fingerprint.
    let mut places = Editor::new(root);
    if !places.root().pointer(EXTRAS).is_some_and(Value::is_object) {
        places.set(EXTRAS, json!({}));
    }
    places.set(PLACE, Value::Null);
    let (with_place, place) = places.finish();
    root = with_place;
    let baked: Vec<Value> =
        baked.iter().map(|b| json!({"clip": b.clip, "origin": b.origin})).collect();
    let bin = match bin {
        BinChange::Untouched => json!({}),
        BinChange::Grown(length) => json!({ "length": length }),
        BinChange::Added => json!({"length": null}),
    };
    if let Some(slot) = root.pointer_mut(PLACE) {
        *slot = json!({
            "version": FORMAT,
            "solver_version": marks.solver_version,
            "decisions": marks.decisions,
            "baked": baked,
            "appendages": marks.appendages,
            "restore": {"edits": record.to_json(), "marks": place.to_json(), "bin": bin},
        });
    }
    root
}

/// Takes our edits off a freshly opened file, where it carries marks that fit; says so in the report.
pub(super) fn take_off(file: &mut SourceFile, report: &mut Report) -> Option<Marks> {
    let found = file.json.pointer(PLACE)?;
    match undone(file, found) {
        Some((json, bin, marks)) => {
            file.json = Arc::new(json);
            match bin {
                BinChange::Untouched => {}
                BinChange::Added => file.chunks.retain(|c| c.kind != CHUNK_BIN),
                BinChange::Grown(length) => {
                    for chunk in file.chunks.iter_mut().filter(|c| c.kind == CHUNK_BIN).take(1) {
                        chunk.data.truncate(length);
                    }
                }
            }
            file.original = None;
            file.load_buffers();
            let baked = match marks.baked.len() {
                0 => String::new(),
                1 => "1 clip had been baked; ".to_owned(),
                n => format!("{n} clips had been baked; "),
            };
            let text = format!("{baked}its edits can be made anew");
            report.add(FindingCode::OwnMarks, "file", text);
            Some(marks)
        }
        None => {
            let text = "they do not fit the file, which was changed since; it is taken as it is";
            report.add(FindingCode::OwnMarksUnusable, "Tailbone's marks", text);
            None
        }
    }
}

fn undone(file: &SourceFile, found: &Value) -> Option<(Value, BinChange, Marks)> {
    if look::index(found, "version") != Some(FORMAT as usize) {
        return None;
    }
    let restore = found.get("restore")?;
    let edits = Record::from_json(restore.get("edits")?)?;
    let place = Record::from_json(restore.get("marks")?)?;
    let bin = match restore.get("bin")?.get("length") {
        None => BinChange::Untouched,
        Some(Value::Null) => BinChange::Added,
        Some(length) => BinChange::Grown(look::as_index(length)?),
    };
    let bytes = file.bin().cloned().unwrap_or_default();
    let block = match bin {
        BinChange::Untouched => Bytes::new(),
        BinChange::Added => bytes,
        // The old bytes end, are padded, and the block begins at a multiple of 4.
        BinChange::Grown(length) => {
            let start = length.next_multiple_of(4);
            if start > bytes.len() {
                return None;
            }
            bytes.slice(start..)
        }
    };
    let marks = Marks {
        solver_version: look::text(found, "solver_version")?.into(),
        decisions: found.get("decisions").cloned().unwrap_or_default(),
        baked: look::list(found, "baked")
            .iter()
            .map(|b| BakedTrack {
                clip: look::text(b, "clip").unwrap_or_default().into(),
                origin: look::text(b, "origin").unwrap_or_default().into(),
            })
            .collect(),
    };
    let mut root = file.json().clone();
    place.undo(&mut root);
    if !edits.fits(&root, &[block]) {
        return None;
    }
    edits.undo(&mut root);
    Some((root, bin, marks))
}
