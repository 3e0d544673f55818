//! `--treat KIND|ID|CHAIN=verdict` and `--expect KIND[=N]`: decisions and expectations as words.

use std::str::FromStr;

use super::edits::{CharacterEdits, RegionEdit, RegionRef, TreatmentEdit};
use super::evaluate::Evaluated;
use crate::model::{ChainOrigin, Character, RegionKind, Rigged, Verdict};
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

/// What can be done where an expectation is not met.
const ADVICE: &str = "; `tailbone detect` says why, --treat overrules it";

/// What is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// All regions of a kind.
    Kind(RegionKind),
    /// The region with that id.
    Region(u32),
    /// The chain of the file with that name, if there is one.
    Chain(String),
}

/// One `--treat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Treat {
    /// Which regions, or which chain.
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
    /// Not of the form `KIND|ID|CHAIN=verdict`.
    #[error(
        "`{text}` is not of the form KIND=verdict, ID=verdict or CHAIN=verdict, as in tail=chain, 3=rigid or Tail_1=leave"
    )]
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
    /// Neither a kind nor a chain of the file.
    #[error(
        "there is no kind and no chain `{word}`; the kinds are: {}; the file's own chains: {}", words(KINDS), named(.chains)
    )]
    Chain {
        /// As given.
        word: String,
        /// Those that there are.
        chains: Vec<String>,
    },
    /// A chain of the file is driven or left alone.
    #[error(
        "the chain `{chain}` is in the file already; it is treated as chain (driven by springs), leave or auto"
    )]
    ChainVerdict {
        /// Which chain.
        chain: String,
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
    #[error("`{word}` is no number of regions; write KIND or KIND=N, as in tail or tail=2")]
    Count {
        /// As given.
        word: String,
    },
}

fn words<T>(table: &[(&str, T)]) -> String {
    table.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")
}

fn named(chains: &[String]) -> String {
    if chains.is_empty() { "none".to_owned() } else { chains.join(", ") }
}

fn kind_of(word: &str) -> Option<RegionKind> {
    let wanted = word.trim().to_lowercase();
    let singular = wanted.strip_suffix('s').unwrap_or(&wanted);
    let found = KINDS.iter().find(|(word, _)| *word == wanted || *word == singular);
    found.map(|(_, kind)| *kind)
}

fn kind(word: &str) -> Result<RegionKind, TreatError> {
    kind_of(word).ok_or_else(|| TreatError::Kind { word: word.trim().into() })
}

/// Names of the chains that the file had before, in the character's order.
fn existing_names(rigged: &Rigged) -> impl Iterator<Item = &str> {
    let existing = rigged.chains.iter().filter(|c| c.origin == ChainOrigin::Existing);
    existing.map(|c| c.name.as_str())
}

impl FromStr for Treat {
    type Err = TreatError;

    fn from_str(text: &str) -> Result<Self, TreatError> {
        let (regions, verdict) =
            text.split_once('=').ok_or_else(|| TreatError::Form { text: text.into() })?;
        let regions = match (regions.trim().parse(), kind_of(regions)) {
            (Ok(id), _) => Selector::Region(id),
            (Err(_), Some(kind)) => Selector::Kind(kind),
            (Err(_), None) if regions.trim().is_empty() => {
                return Err(TreatError::Form { text: text.into() });
            }
            (Err(_), None) => Selector::Chain(regions.trim().to_owned()),
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
                Err(format!("expected {count} × {word} to be treated, found {found}{ADVICE}"))
            }
            None if found == 0 => {
                Err(format!("expected a {word} to be treated, found none{ADVICE}"))
            }
            _ => Ok(()),
        }
    }
}

/// `edits` with one decision by kind, by id, or by the name of a chain that the file has already.
///
/// # Errors
/// [`TreatError`] where the character has no region of that id, or no chain of that name, or where a chain of the file
/// would have to become something else.
pub fn treat(
    mut edits: CharacterEdits,
    decision: Treat,
    character: &Character,
    evaluated: &Evaluated,
) -> Result<CharacterEdits, TreatError> {
    let detection = &evaluated.detection;
    match decision.regions {
        Selector::Kind(kind) => {
            edits.kinds.entry(kind).or_default().verdict = decision.verdict;
            edits.kinds.retain(|_, treatment| *treatment != TreatmentEdit::default());
        }
        Selector::Chain(word) => {
            let is_it = |name: &&str| name.eq_ignore_ascii_case(&word);
            let exact = existing_names(&evaluated.rigged).find(|name| *name == word);
            let Some(name) = exact.or_else(|| existing_names(&evaluated.rigged).find(is_it)) else {
                let chains = existing_names(&evaluated.rigged).map(str::to_owned).collect();
                return Err(TreatError::Chain { word, chains });
            };
            let name = name.to_owned();
            match decision.verdict {
                Some(Verdict::Chain) => edits.existing.insert(name, true),
                Some(Verdict::Leave) => edits.existing.insert(name, false),
                None => edits.existing.remove(&name),
                Some(_) => return Err(TreatError::ChainVerdict { chain: name }),
            };
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
        assert_eq!(read("Tail = chain"), Ok(tail.clone()));
        assert_eq!(read("tails=chain"), Ok(tail));
        let three = Treat { regions: Selector::Region(3), verdict: None };
        assert_eq!(read("3=auto"), Ok(three));
        assert!(read("tail").unwrap_err().to_string().contains("tail=chain"));
        let fin = Treat { regions: Selector::Chain("Fin_1".into()), verdict: Some(Verdict::Leave) };
        assert_eq!(read(" Fin_1 = leave"), Ok(fin), "what is no kind may be a chain of the file");
        assert!(read("=chain").is_err());
        assert!(read("tail=cut").unwrap_err().to_string().contains("rigid, spread"));
    }

    #[test]
    fn expectations_are_read() {
        let read = |text: &str| text.parse::<Expect>();
        assert_eq!(read("tail"), Ok(Expect { kind: RegionKind::Tail, count: None }));
        assert_eq!(read("tail=2"), Ok(Expect { kind: RegionKind::Tail, count: Some(2) }));
        assert!(read("fin").unwrap_err().to_string().contains("tail, worn, ear"));
        assert!(read("tail=two").is_err());
        assert!(read("tail").unwrap().check(&[]).is_err());
        assert_eq!(read("tail=0").unwrap().check(&[]), Ok(()));
    }
}
