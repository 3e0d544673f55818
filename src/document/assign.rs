//! `--set key=value` for everything that has a name: springs, thresholds of detection, and how chains are built.

use serde_json::{Map, Value};

use super::edits::CharacterEdits;
use super::spring_keys::{SPRING_KEYS, SpringKeyError, key_names, set_spring};
use crate::detect::DetectSettings;
use crate::model::{RegionKind, SettingsError};
use crate::rig::JointAxes;

/// Keys that are neither springs nor thresholds.
const OTHERS: &[&str] = &["blend_rings", "axes", "joints"];

/// An assignment that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssignError {
    /// No `=`, or nothing that has that name.
    #[error(
        "`{text}` is no setting; write key=value with one of\n  springs: {}\n  detection: {}\n  chains: {}",
        key_names(), threshold_names().join(", "), OTHERS.join(", ")
    )]
    Unknown {
        /// As given.
        text: String,
    },
    /// A spring setting's value cannot be read.
    #[error(transparent)]
    Spring(#[from] SpringKeyError),
    /// A spring setting is out of range.
    #[error(transparent)]
    Range(#[from] SettingsError),
    /// Another setting's value cannot be read.
    #[error("`{value}` is no value for {key}; write {expected}")]
    Value {
        /// The key.
        key: String,
        /// As given.
        value: String,
        /// What would be one.
        expected: &'static str,
    },
}

/// The thresholds by the names of their fields.
fn thresholds(settings: &DetectSettings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Names of detection's thresholds.
pub fn threshold_names() -> Vec<String> {
    thresholds(&DetectSettings::default()).keys().cloned().collect()
}

/// `edits` after one `key=value`.
///
/// Springs are set for all chains (see [`SPRING_KEYS`]); `joints` is the number of joints of every tail.
///
/// # Errors
/// [`AssignError`] names the key and what it takes, or lists the keys there are.
pub fn assign(mut edits: CharacterEdits, text: &str) -> Result<CharacterEdits, AssignError> {
    let unknown = || AssignError::Unknown { text: text.to_owned() };
    let (key, value) = text.split_once('=').ok_or_else(unknown)?;
    let (key, value) = (key.trim().to_lowercase().replace('-', "_"), value.trim());
    let bad = |expected| AssignError::Value { key: key.clone(), value: value.into(), expected };
    let count = |most: u32| {
        let number = value.parse().ok().filter(|n| (0..=most).contains(n));
        number.ok_or_else(|| bad("a small whole number"))
    };
    if SPRING_KEYS.iter().any(|k| k.name == key) {
        edits.springs = set_spring(edits.springs, &key, value)?.validated()?;
        return Ok(edits);
    }
    match key.as_str() {
        "blend_rings" => edits.blend_rings = count(16)?,
        "joints" => {
            let number = count(64)?;
            let of_tails = edits.kinds.entry(RegionKind::Tail).or_default();
            of_tails.joints = (number > 0).then_some(number);
        }
        "axes" => edits.axes = axes(value).ok_or_else(|| bad("parent, along or x-along"))?,
        _ => {
            let mut map = thresholds(&edits.detect);
            let slot = map.get_mut(&key).ok_or_else(unknown)?;
            let number: f32 = value.parse().map_err(|_| bad("a number"))?;
            if !(number.is_finite() && number >= 0.0) {
                return Err(bad("a number that is not negative"));
            }
            *slot = Value::from(number);
            edits.detect =
                serde_json::from_value(Value::Object(map)).map_err(|_| bad("a number"))?;
        }
    }
    Ok(edits)
}

/// The axes of that word.
pub fn axes(word: &str) -> Option<JointAxes> {
    match word.trim().to_lowercase().replace('_', "-").as_str() {
        "parent" => Some(JointAxes::Parent),
        "along" => Some(JointAxes::Along),
        "x-along" => Some(JointAxes::XAlong),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Result<CharacterEdits, AssignError> {
        assign(CharacterEdits::default(), text)
    }

    #[test]
    fn springs_thresholds_and_chains_are_set_by_name() {
        assert_eq!(set("gravity=2").unwrap().springs.gravity, 2.0);
        assert_eq!(set("far_share = 0.06").unwrap().detect.far_share, 0.06);
        assert_eq!(set("blend-rings=0").unwrap().blend_rings, 0);
        assert_eq!(set("axes=X-Along").unwrap().axes, JointAxes::XAlong);
        assert_eq!(set("joints=6").unwrap().kinds[&RegionKind::Tail].joints, Some(6));
    }

    #[test]
    fn every_threshold_can_be_set_and_nothing_else_changes() {
        for name in threshold_names() {
            let edits = set(&format!("{name}=0.123")).unwrap();
            assert_ne!(edits.detect, DetectSettings::default(), "{name}");
            let edits = CharacterEdits { detect: DetectSettings::default(), ..edits };
            assert_eq!(edits, CharacterEdits::default());
        }
    }

    #[test]
    fn what_cannot_be_set_is_said() {
        let fails = |text: &str| set(text).unwrap_err().to_string();
        assert!(fails("fluff=3").contains("far_share") && fails("fluff=3").contains("gravity"));
        assert!(fails("gravity").contains("key=value"));
        assert!(fails("gravity=1e9").contains("between"));
        assert!(fails("far_share=wide").contains("a number"));
        assert!(fails("far_share=-1").contains("not negative"));
        assert!(fails("axes=up").contains("x-along"));
        assert!(fails("blend_rings=99").contains("99"));
    }
}
