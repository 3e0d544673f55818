//! `--treat KIND|ID=verdict` and `--expect KIND[=N]`: decisions and expectations as words.

use std::str::FromStr;

use super::edits::{CharacterEdits, RegionEdit, RegionRef, TreatmentEdit};
use crate::detect::Detection;
use crate::model::{Character, RegionKind, Verdict};
use crate::rig::Appendage;

/// Kinds with their words.
const KINDS: &[(&str, RegionKind)] = &[
    ("tail", RegionKind::Tail),
    ("worn", RegionKind::Worn),
    ("ear", RegionKind::Ear),
    ("hair", RegionKind::Hair),
    ("garment", RegionKind::Garment),
    ("wing", RegionKind::Wing),
    ("body", RegionKind::Body),
    ("other", RegionKind::Other),
];

/// Verdicts with their words; `auto` takes a decision back.
const VERDICTS: &[(&str, Option<Verdict>)] = &[
    ("auto", None),
    ("chain", Some(Verdict::Chain)),
    ("rigid", Some(Verdict::Rigid)),
    ("spread", Some(Verdict::Spread)),
    ("columns", Some(Verdict::Columns)),
    ("leave", Some(Verdict::Leave)),
];

/// Which regions are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// All of a kind.
    Kind(RegionKind),
    /// The one with that id.
    Region(u32),
}

/// One `--treat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Treat {
    /// Which regions.
    pub regions: Selector,
    /// What to do with them; `None` is what the program would do by itself.
    pub verdict: Option<Verdict>,
}

/// One `--expect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expect {
    /// Of which kind.
    pub kind: RegionKind,
    /// How many; `None` is at least one.
    pub count: Option<usize>,
}

/// Words that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreatError {
    /// Not of the form `KIND|ID=verdict`.
    #[error("`{text}` is not of the form KIND=verdict or ID=verdict, as in tail=chain or 3=rigid")]
    Form {
        /// As given.
        text: String,
    },
    /// No such kind.
    #[error("there is no kind `{word}`; the kinds are: {}", words(KINDS))]
    Kind {
        /// As given.
        word: String,
    },
    /// No such verdict.
    #[error("there is no verdict `{word}`; the verdicts are: {}", words(VERDICTS))]
    Verdict {
        /// As given.
        word: String,
    },
    /// No such region on this character.
    #[error(
        "there is no region {id}; this character has {count}, numbered from 0 (see `tailbone detect`)"
    )]
    NoRegion {
        /// As given.
        id: u32,
        /// How many there are.
        count: usize,
    },
    /// Not of the form `KIND[=N]`.
    #[error("`{word}` is no number of regions")]
    Count {
        /// As given.
        word: String,
    },
}

fn words<T>(table: &[(&str, T)]) -> String {
    table.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")
}

fn kind(word: &str) -> Result<RegionKind, TreatError> {
    let wanted = word.trim().to_lowercase();
    let singular = wanted.strip_suffix('s').unwrap_or(&wanted);
    let found = KINDS.iter().find(|(word, _)| *word == wanted || *word == singular);
    found.map(|(_, kind)| *kind).ok_or_else(|| TreatError::Kind { word: word.trim().into() })
}

impl FromStr for Treat {
    type Err = TreatError;

    fn from_str(text: &str) -> Result<Self, TreatError> {
        let (regions, verdict) =
            text.split_once('=').ok_or_else(|| TreatError::Form { text: text.into() })?;
        let regions = match regions.trim().parse() {
            Ok(id) => Selector::Region(id),
            Err(_) => Selector::Kind(kind(regions)?),
        };
        let wanted = verdict.trim().to_lowercase();
        let found = VERDICTS.iter().find(|(word, _)| *word == wanted);
        match found {
            Some(&(_, verdict)) => Ok(Self { regions, verdict }),
            None => Err(TreatError::Verdict { word: verdict.trim().into() }),
        }
    }
}

impl FromStr for Expect {
    type Err = TreatError;

    fn from_str(text: &str) -> Result<Self, TreatError> {
        let Some((word, count)) = text.split_once('=') else {
            return Ok(Self { kind: kind(text)?, count: None });
        };
        let count = count.trim().parse().map_err(|_| TreatError::Count { word: count.into() })?;
        Ok(Self { kind: kind(word)?, count: Some(count) })
    }
}

impl Expect {
    /// Whether the report holds what is expected: regions of the kind that are not left as they are.
    ///
    /// # Errors
    /// A sentence that says what was expected and what is there.
    pub fn check(&self, report: &[Appendage]) -> Result<(), String> {
        let of_kind = report.iter().filter(|a| a.kind == self.kind && a.verdict != Verdict::Leave);
        let found = of_kind.count();
        let word = KINDS.iter().find(|(_, k)| *k == self.kind).map_or("", |(word, _)| *word);
        match self.count {
            Some(count) if count != found => {
                Err(format!("expected {count} × {word} to be treated, found {found}"))
            }
            None if found == 0 => Err(format!("expected a {word} to be treated, found none")),
            _ => Ok(()),
        }
    }
}

/// `edits` with one decision by kind or by id.
///
/// # Errors
/// [`TreatError::NoRegion`] where the character has no region of that id.
pub fn treat(
    mut edits: CharacterEdits,
    decision: Treat,
    character: &Character,
    detection: &Detection,
) -> Result<CharacterEdits, TreatError> {
    match decision.regions {
        Selector::Kind(kind) => {
            edits.kinds.entry(kind).or_default().verdict = decision.verdict;
            edits.kinds.retain(|_, treatment| *treatment != TreatmentEdit::default());
        }
        Selector::Region(id) => {
            let region = detection
                .regions
                .iter()
                .find(|r| r.id.0 == id)
                .ok_or(TreatError::NoRegion { id, count: detection.regions.len() })?;
            let reference = RegionRef::of(character, detection, region);
            match edits.regions.iter_mut().find(|e| e.region == reference) {
                Some(edit) => edit.treatment.verdict = decision.verdict,
                None => edits.regions.push(RegionEdit {
                    region: reference,
                    treatment: TreatmentEdit {
                        verdict: decision.verdict,
                        ..TreatmentEdit::default()
                    },
                }),
            }
            edits.regions.retain(|e| e.treatment != TreatmentEdit::default());
        }
    }
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn treatments_are_read_by_kind_and_by_id() {
        let read = |text: &str| text.parse::<Treat>();
        let tail =
            Treat { regions: Selector::Kind(RegionKind::Tail), verdict: Some(Verdict::Chain) };
        assert_eq!(read("Tail = chain"), Ok(tail));
        assert_eq!(read("tails=chain"), Ok(tail));
        let three = Treat { regions: Selector::Region(3), verdict: None };
        assert_eq!(read("3=auto"), Ok(three));
        assert!(read("tail").unwrap_err().to_string().contains("tail=chain"));
        assert!(read("fin=chain").unwrap_err().to_string().contains("tail, worn, ear"));
        assert!(read("tail=cut").unwrap_err().to_string().contains("rigid, spread"));
    }

    #[test]
    fn expectations_are_read() {
        let read = |text: &str| text.parse::<Expect>();
        assert_eq!(read("tail"), Ok(Expect { kind: RegionKind::Tail, count: None }));
        assert_eq!(read("tail=2"), Ok(Expect { kind: RegionKind::Tail, count: Some(2) }));
        assert!(read("tail=two").is_err());
        assert!(read("tail").unwrap().check(&[]).is_err());
        assert_eq!(read("tail=0").unwrap().check(&[]), Ok(()));
    }
}
