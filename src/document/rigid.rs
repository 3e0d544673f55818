//! The control of every measurement: the same decisions, but rigid wherever skin is treated otherwise.

use super::Evaluated;
use crate::model::{Character, Rigged, Verdict};
use crate::rig::rig;
use crate::work::{Stopped, Work};

/// What rigging makes of `character` when every region that gets a chain or is spread is made rigid on its attachment
/// instead: edges within it keep their length, which proves the meter (spec 5.1).
///
/// # Errors
/// [`Stopped`] once cancelled.
pub fn rigid(character: &Character, evaluated: &Evaluated, work: &Work) -> Result<Rigged, Stopped> {
    let mut settings = evaluated.settings.clone();
    for region in &evaluated.detection.regions {
        let treatment = settings.treatment(region.id, region.kind);
        let verdict = treatment.verdict.unwrap_or(region.verdict);
        if matches!(verdict, Verdict::Chain | Verdict::Columns | Verdict::Spread) {
            settings.by_region.entry(region.id).or_default().verdict = Some(Verdict::Rigid);
        }
    }
    rig(character, &evaluated.detection, &settings, work)
}
