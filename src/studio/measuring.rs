//! Numbers beside the motion: the clip that plays is measured on raw, rigid and chain while it plays, then Walk and
//! Sprint, so that every treatment shows its stretch before it is kept.

use std::sync::Arc;

use super::jobs::JobKind;
use super::state::{Outcome, Studio, chain};
use super::words;
use crate::document::{Evaluated, clip_on, rigid};
use crate::measure::{MeasureInput, Measurement, RegionStretch, measure};
use crate::model::{Character, Clip, Region, RegionKind, Rigged, Verdict};
use crate::work::{Stopped, Work};

/// Samples of a clip that numbers are taken from, as in the article.
const SAMPLES: usize = 24;

/// Clips that every treatment is tried on.
const TRIALS: [&str; 2] = ["Walk", "Sprint"];

/// The clip that plays, measured; and the two skins that it is compared with.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// As loaded.
    pub(super) raw: Arc<Character>,
    /// Every region on the joint it hangs from.
    pub(super) rigid: Arc<Character>,
    control: Arc<Rigged>,
    /// `None` at rest.
    pub(super) of_clip: Option<Measurement>,
}

impl Measured {
    fn work_out(
        loaded: &Character,
        evaluated: &Evaluated,
        clip: Option<&Clip>,
        work: &Work,
    ) -> Result<Self, Stopped> {
        let control = Arc::new(rigid(loaded, evaluated, work)?);
        let of_clip =
            clip.map(|clip| measured(loaded, evaluated, &control, clip, work)).transpose()?;
        let rigid = Arc::new(control.character.clone());
        Ok(Self { raw: Arc::new(loaded.clone()), rigid, control, of_clip })
    }
}

fn measured(
    raw: &Character,
    evaluated: &Evaluated,
    rigid: &Arc<Rigged>,
    clip: &Clip,
    work: &Work,
) -> Result<Measurement, Stopped> {
    let input = MeasureInput {
        raw,
        rigid,
        chain: &evaluated.rigged,
        regions: &evaluated.detection.regions,
        clip,
        n_samples: SAMPLES,
    };
    measure(&input, work)
}

/// A treatment on one clip, as a line of the inspector.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialLine {
    /// Title of the clip.
    pub clip: String,
    /// Stretch as loaded, 99th percentile and share of torn edges: `1.62, 8.3 %`.
    pub before: String,
    /// With the treatment.
    pub after: String,
    /// Whether skin tears with the treatment.
    pub tears: bool,
}

/// What the transport tells about the clip that plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readout {
    /// `stretch p99 1.11 (body 1.29)`.
    pub stretch: String,
    /// `no tears`, or the share that is torn.
    pub torn: String,
    /// Whether skin tears.
    pub tears: bool,
    /// `loop gap 0.01°`; empty for clips that play once.
    pub gap: String,
    /// Whether the loop closes.
    pub closes: bool,
}

impl Studio {
    /// Brings the numbers up to what is open and plays. What was measured of other decisions is gone at once.
    pub(super) fn start_measure(&mut self) {
        self.measured = None;
        let (Some(open), Some(playback)) = (&self.open, &self.playback) else { return };
        let (source, index) = (open.document.source().clone(), open.character as usize);
        let (evaluated, clip) = (open.evaluated.clone(), playback.clip().cloned());
        self.start(JobKind::Measure, move |work| {
            let empty = Character::default();
            let loaded = source.characters.get(index).unwrap_or(&empty);
            let clip = clip.as_ref().map(|(_, clip)| clip.as_ref());
            let result = Measured::work_out(loaded, &evaluated, clip, work).map(Box::new);
            Outcome::Measured { result }
        });
    }

    /// Tries the decisions on Walk and Sprint, once what plays is measured.
    pub(super) fn start_trials(&mut self) {
        let (Some(open), Some(measured_now)) = (&self.open, &self.measured) else { return };
        if self.trials.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, &open.evaluated.rigged)) {
            return;
        }
        let entries: Vec<_> = TRIALS
            .iter()
            .filter_map(|name| open.library.find(&format!("lib:{name}")).ok().cloned())
            .collect();
        let (source, index) = (open.document.source().clone(), open.character as usize);
        let (evaluated, control) = (open.evaluated.clone(), measured_now.control.clone());
        self.start(JobKind::Trial, move |work| {
            let run = || -> Result<Vec<(String, Measurement)>, String> {
                let loaded = source.characters.get(index).ok_or("the character is gone")?;
                let mut found = Vec::new();
                for entry in &entries {
                    let clip = clip_on(loaded, &evaluated, entry, work).map_err(|e| chain(&e))?;
                    let numbers = measured(loaded, &evaluated, &control, &clip, work)
                        .map_err(|Stopped| "stopped".to_owned())?;
                    found.push((entry.title.clone(), numbers));
                }
                Ok(found)
            };
            let result = run();
            Outcome::Tried { of: evaluated.rigged.clone(), result }
        });
    }

    /// The region that numbers are shown of, and its place: the selected one, else the first that is edited, else the
    /// largest.
    fn shown_region(&self) -> Option<(usize, &Region)> {
        let regions = &self.open.as_ref()?.evaluated.detection.regions;
        let is_listed = |r: &Region| r.kind != RegionKind::Body && !r.is_speck();
        let listed = || regions.iter().enumerate().filter(|(_, r)| is_listed(r));
        let selected = self.selected_region().map(|r| r.id);
        listed()
            .find(|(_, r)| Some(r.id) == selected)
            .or_else(|| listed().find(|(_, r)| r.verdict != Verdict::Leave))
            .or_else(|| listed().max_by_key(|(_, r)| r.vertices.len()))
    }

    /// What that region is called.
    pub(super) fn shown_region_name(&self) -> Option<String> {
        let (place, _) = self.shown_region()?;
        self.named_regions(self.open.as_ref()?).into_iter().nth(place)
    }

    /// Its stretch in the clip that plays.
    pub(super) fn shown_stretch(&self) -> Option<&RegionStretch> {
        let measured = self.measured.as_ref()?.of_clip.as_ref()?;
        let (_, region) = self.shown_region()?;
        measured.regions.iter().find(|r| r.id == region.id)
    }

    /// The selected region's treatment on Walk and Sprint.
    pub(super) fn trial_lines(&self) -> Vec<TrialLine> {
        let (Some((of, trials)), Some(open)) = (&self.trials, &self.open) else {
            return Vec::new();
        };
        let Some(region) = self.selected_region().filter(|r| r.kind != RegionKind::Body) else {
            return Vec::new();
        };
        if !Arc::ptr_eq(of, &open.evaluated.rigged) {
            return Vec::new();
        }
        let text = |s: &crate::measure::Stretch| format!("{:.2}, {:.1} %", s.p99, s.torn_percent);
        let line = |(clip, measurement): &(String, Measurement)| {
            let found = measurement.regions.iter().find(|r| r.id == region.id)?;
            Some(TrialLine {
                clip: clip.clone(),
                before: text(&found.raw),
                after: text(&found.chain),
                tears: found.chain.torn_percent > 0.0,
            })
        };
        trials.iter().filter_map(line).collect()
    }

    /// What the transport tells about the clip that plays; `None` while it is measured.
    pub fn readout(&self) -> Option<Readout> {
        let of_clip = self.measured.as_ref()?.of_clip.as_ref()?;
        let region = self.shown_stretch()?;
        let looping = self.playback.as_ref()?.clip().is_some_and(|(_, clip)| clip.looping);
        let stretch = &region.chain;
        let tears = stretch.torn_percent > 0.0;
        Some(Readout {
            stretch: format!("stretch p99 {:.2} (body {:.2})", stretch.p99, of_clip.body.p99),
            torn: words::torn(stretch.torn_percent.into()),
            tears,
            gap: if looping {
                format!("loop gap {:.2}°", of_clip.seam.seam_deg)
            } else {
                String::new()
            },
            closes: of_clip.seam.closed,
        })
    }
}
