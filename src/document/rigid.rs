//! The control of every measurement: the same decisions, but rigid where they would grow a chain.

use super::Evaluated;
use crate::model::{Character, Rigged, Verdict};
use crate::rig::rig;
use crate::work::{Stopped, Work};

/// What rigging makes of `character` when every region that gets a chain is made rigid on its attachment instead.
///
/// # Errors
/// [`Stopped`] once cancelled.
pub fn rigid(character: &Character, evaluated: &Evaluated, work: &Work) -> Result<Rigged, Stopped> {
    let mut settings = evaluated.settings.clone();
    for region in &evaluated.detection.regions {
        let treatment = settings.treatment(region.id, region.kind);
        let verdict = treatment.verdict.unwrap_or(region.verdict);
        if matches!(verdict, Verdict::Chain | Verdict::Columns) {
            settings.by_region.entry(region.id).or_default().verdict = Some(Verdict::Rigid);
        }
    }
    rig(character, &evaluated.detection, &settings, work)
}
