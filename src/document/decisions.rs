//! Decisions in the files we write: what `model::Marks` carries, so that a file of ours can be edited again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Edits;
use crate::model::{Character, Finding, FindingCode};

/// What stands under `decisions` in the marks.
#[derive(Serialize, Deserialize)]
struct Decisions {
    format: u32,
    edits: Edits,
}

/// The decisions as JSON for the marks of a written file.
pub fn to_decisions(edits: &Edits) -> Value {
    // Maps with number keys and unit enums are all that could fail, and do not.
    serde_json::to_value(Decisions { format: 1, edits: edits.clone() }).unwrap_or_default()
}

/// The decisions that a file of ours carries: the first of its characters that has marks says them for all.
///
/// Marks that this version cannot read give a finding, and the file is treated as another's.
pub fn from_marks(characters: &[Character]) -> (Edits, Option<Finding>) {
    let Some(marks) = characters.iter().find_map(|c| c.marks.as_ref()) else {
        return (Edits::default(), None);
    };
    let message = match serde_json::from_value::<Decisions>(marks.decisions.clone()) {
        Ok(read) if read.format == 1 => return (read.edits, None),
        Ok(read) => format!("decisions have format {}, this version reads 1", read.format),
        Err(error) => error.to_string(),
    };
    let code = FindingCode::OwnMarksUnusable;
    let finding = Finding {
        code,
        severity: code.severity(),
        subject: "asset.extras.tailbone".into(),
        message,
    };
    (Edits::default(), Some(finding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{CharacterEdits, preset};
    use crate::model::{Marks, RetargetPose, RetargetPoses, Role, SpringSettings};

    fn marked(decisions: Value) -> Character {
        let marks = Marks { solver_version: "1".into(), decisions, baked: Vec::new() };
        Character { marks: Some(marks), ..Character::default() }
    }

    #[test]
    fn decisions_come_back_bit_for_bit_through_text() {
        let springs = SpringSettings { carry_rad: 0.1 + 0.2, ..preset("mouse").unwrap().settings };
        let turn = glam::Vec3::new(0.1, -20.0, 1.0 / 3.0);
        let pose = RetargetPose::default().with_turn(Role::LeftHand, turn);
        let retarget = RetargetPoses::default().with(None, pose);
        let character = CharacterEdits { springs, retarget, ..CharacterEdits::default() };
        let edits = Edits::default().with_character(3, character);
        let text = to_decisions(&edits).to_string();
        let read =
            from_marks(&[Character::default(), marked(serde_json::from_str(&text).unwrap())]);
        assert_eq!(read, (edits.clone(), None));
        assert_eq!(to_decisions(&read.0).to_string(), text);
    }

    #[test]
    fn marks_that_cannot_be_read_are_a_finding() {
        for decisions in [Value::Null, serde_json::json!({ "format": 2, "edits": {} })] {
            let (edits, finding) = from_marks(&[marked(decisions)]);
            assert_eq!(edits, Edits::default());
            assert_eq!(finding.unwrap().code, FindingCode::OwnMarksUnusable);
        }
        assert_eq!(from_marks(&[Character::default()]), (Edits::default(), None));
    }
}
