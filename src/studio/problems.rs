//! The list of problems: what the import found odd, decisions that this file no longer answers to, roles that are
//! missing; each with what can be done about it.

use super::command::{Command, Edit, Forgotten, Selection};
use super::files::FileCommand;
use super::opening::Open;
use super::panels::ProblemRow;
use super::state::Studio;
use super::words;
use crate::document::Notice;
use crate::model::{Finding, FindingCode, Severity};

/// Code of a decision that means nothing in this file.
const DECISION_LOST: &str = "DECISION_LOST";

impl Studio {
    /// All problems that have not been put away.
    pub(super) fn problems(&self, open: &Open) -> Vec<ProblemRow> {
        let seen = &self.history.current().of(open.character).seen;
        let is_new = |row: &ProblemRow| {
            row.code == DECISION_LOST || !seen.contains(&(row.code.to_owned(), row.subject.clone()))
        };
        let lost = open.evaluated.notices.iter().filter_map(lost_row);
        let findings = &open.document.source().report.findings;
        let n = open.document.source().characters.len() as u32;
        let next = (open.character + 1) % n.max(1);
        let found = findings.iter().map(|finding| finding_row(finding, next));
        let says_roles = findings.iter().any(|f| f.code == FindingCode::HumanoidIncomplete);
        let roles = (!says_roles).then(|| roles_row(open)).flatten();
        lost.chain(roles).chain(found).filter(is_new).collect()
    }
}

/// Roles that matter and that no bone has.
fn roles_row(open: &Open) -> Option<ProblemRow> {
    let missing: Vec<String> =
        open.evaluated.rigged.humanoid.missing().map(|r| words::role(r.name())).collect();
    let skins = open.loaded()?.skins.len();
    if missing.is_empty() || skins == 0 {
        return None;
    }
    Some(ProblemRow {
        severity: FindingCode::HumanoidIncomplete.severity(),
        subject: "Who is who".to_owned(),
        message: format!("no bone was found for: {}", missing.join(", ").to_lowercase()),
        code: FindingCode::HumanoidIncomplete.code(),
        fix: ("Choose bones", Command::Select(Selection::None)),
    })
}

fn finding_row(finding: &Finding, next: u32) -> ProblemRow {
    let code = finding.code.code();
    let fix = match finding.code {
        FindingCode::HumanoidIncomplete => ("Choose bones", Command::Select(Selection::None)),
        FindingCode::SeveralCharacters => ("Show the next", Command::File(FileCommand::Show(next))),
        // Everything else was worked around when the file was read, and stays as it is in the file.
        _ => {
            let seen = Edit::Seen { code: code.to_owned(), subject: finding.subject.clone() };
            ("Put away", Command::Edit(seen))
        }
    };
    ProblemRow {
        severity: finding.severity,
        subject: finding.subject.clone(),
        message: finding.message.clone(),
        code,
        fix,
    }
}

/// A decision that means nothing here: it is kept until it is forgotten.
fn lost_row(notice: &Notice) -> Option<ProblemRow> {
    let (subject, forgotten) = match notice {
        Notice::RegionNotFound { region } => {
            let name = region.kind.map_or("A region", words::kind);
            (format!("{name}, decided"), Forgotten::Region(Box::new(region.clone())))
        }
        Notice::MadeRegionLost { region } => {
            let name = region.kind.map_or("A region", words::kind);
            (format!("{name}, made by hand"), Forgotten::Region(Box::new(region.clone())))
        }
        Notice::JointNotFound { joint } => {
            let last = joint.path.rsplit('/').next().unwrap_or_default();
            (format!("Bone {last}"), Forgotten::Joint(joint.clone()))
        }
        Notice::ChainNotFound { chain } => {
            (format!("Chain {chain}"), Forgotten::Chain(chain.clone()))
        }
        Notice::StrandNotFound { strand } => {
            ("A strand of hair, picked".to_owned(), Forgotten::Strand(strand.clone()))
        }
        Notice::UnknownField { .. } => return None,
    };
    Some(ProblemRow {
        severity: Severity::Warning,
        subject,
        message: notice.to_string(),
        code: DECISION_LOST,
        fix: ("Forget it", Command::Edit(Edit::Forget(forgotten))),
    })
}
