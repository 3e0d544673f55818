//! Clips of the library on the character, played through in the background and ranked by what is worst in them: tiles
//! stand in that order then, and a click goes to where it is worst.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::command::{Changes, PlayCommand};
use super::jobs::JobKind;
use super::notices::NoticeKind;
use super::state::{Outcome, Studio};
use crate::document::{Evaluated, SweepLine, SweepResult, sweep};
use crate::library::ClipEntry;
use crate::model::{RetargetPoses, Rigged};
use crate::work::Stopped;

/// What a sweep is of: other decisions make other numbers.
#[derive(Clone, Debug)]
pub(super) struct SweptOf {
    rigged: Arc<Rigged>,
    poses: RetargetPoses,
}

impl SweptOf {
    fn new(evaluated: &Evaluated) -> Self {
        Self { rigged: evaluated.rigged.clone(), poses: evaluated.retarget.clone() }
    }

    fn is(&self, evaluated: &Evaluated) -> bool {
        Arc::ptr_eq(&self.rigged, &evaluated.rigged) && self.poses == evaluated.retarget
    }
}

/// What the session knows of clips that were played through.
#[derive(Debug, Default)]
pub(super) struct Sweeping {
    of: Option<SweptOf>,
    /// By place in the library.
    lines: BTreeMap<usize, SweepLine>,
    /// The clip that is on its way, and the moment of it that is to be shown.
    wanted: Option<(Box<ClipEntry>, f64)>,
}

/// What is worst in a clip, as its tile says it.
#[derive(Clone, Debug, PartialEq)]
pub struct TileFault {
    /// Place among those that were played through, the worst 0.
    pub rank: usize,
    /// The number that ranks first.
    pub short: String,
    /// All of them, or why it cannot be played.
    pub text: String,
}

/// The numbers of a line, in words: the one that ranks first, and all.
fn said(line: &SweepLine) -> (String, String) {
    match &line.result {
        SweepResult::Failed { error } => ("–".to_owned(), error.clone()),
        SweepResult::Faults(f) => {
            let short = format!("{:.2}×", f.stretch.value);
            let text = format!(
                "Stretch {short} at {:.2} s, {:.1} cm into floor or body at {:.2} s, feet slide {:.1} cm/s, seam {:.2}°",
                f.stretch.at_secs,
                100.0 * f.penetration_m.value,
                f.penetration_m.at_secs,
                100.0 * f.foot_slide_m_per_sec.value,
                f.seam_deg
            );
            (short, text)
        }
    }
}

impl Studio {
    /// What is known of the clips on the character as it is decided now, by place in the library.
    fn swept(&self) -> Option<&BTreeMap<usize, SweepLine>> {
        let (of, open) = (self.sweeping.of.as_ref()?, self.open.as_ref()?);
        of.is(&open.evaluated).then_some(&self.sweeping.lines)
    }

    /// The same as tiles say it.
    pub(super) fn faults(&self) -> BTreeMap<usize, TileFault> {
        let Some(lines) = self.swept() else { return BTreeMap::new() };
        let mut ranked: Vec<(&usize, &SweepLine)> = lines.iter().collect();
        ranked.sort_by(|a, b| a.1.worst_first(b.1).then(a.0.cmp(b.0)));
        let fault = |(rank, (place, line)): (usize, (&usize, &SweepLine))| {
            let (short, text) = said(line);
            (*place, TileFault { rank, short, text })
        };
        ranked.into_iter().enumerate().map(fault).collect()
    }

    /// Whether clips are being played through.
    pub(super) fn is_sweeping(&self) -> bool {
        self.jobs.runs(JobKind::Sweep)
    }

    /// Plays the clips at these places through, those that nothing is known of yet.
    pub(super) fn sweep(&mut self, places: &[usize]) -> Changes {
        let known = self.swept();
        let is_new = |place: &usize| known.is_none_or(|lines| !lines.contains_key(place));
        let Some(open) = self.open.as_ref().filter(|_| !self.is_sweeping()) else {
            return Changes::NONE;
        };
        let entry = |place: usize| Some((place, open.library.entries().get(place)?.clone()));
        let wanted = places.iter().copied().filter(is_new).filter_map(entry);
        let (places, entries): (Vec<usize>, Vec<ClipEntry>) = wanted.unzip();
        if entries.is_empty() {
            return Changes::NONE;
        }
        let (source, index) = (open.document.source().clone(), open.character as usize);
        let evaluated = open.evaluated.clone();
        self.start(JobKind::Sweep, move |work| {
            let of = SweptOf::new(&evaluated);
            let lines = match source.characters.get(index) {
                Some(character) => sweep(character, &evaluated, &entries, work),
                None => Ok(Vec::new()),
            };
            let placed = |line: SweepLine| Some((*places.get(line.entry)?, line));
            let result = lines.map(|lines| lines.into_iter().filter_map(placed).collect());
            Outcome::Swept { of, result }
        });
        Changes::NOTICES.and(Changes::DOCUMENT)
    }

    pub(super) fn take_swept(
        &mut self,
        of: SweptOf,
        result: Result<Vec<(usize, SweepLine)>, Stopped>,
    ) -> Changes {
        let (Some(open), Ok(lines)) = (&self.open, result) else { return Changes::DOCUMENT };
        if !of.is(&open.evaluated) {
            let text = "Decisions changed while clips were played through; do it again";
            return self.notice(NoticeKind::Info, text).and(Changes::DOCUMENT);
        }
        if self.swept().is_none() {
            self.sweeping.lines.clear();
        }
        self.sweeping.of = Some(of);
        self.sweeping.lines.extend(lines);
        Changes::DOCUMENT
    }

    /// Clips stand at other places now.
    pub(super) fn forget_sweep(&mut self) {
        self.jobs.cancel_all(|kind| kind == JobKind::Sweep);
        self.sweeping.of = None;
        self.sweeping.lines.clear();
    }

    /// Plays a clip and goes to where it is worst, as far as that is known.
    pub(super) fn show_worst(&mut self, place: usize) -> Changes {
        let secs = self.swept().and_then(|lines| lines.get(&place)).map(SweepLine::worst_secs);
        let entry = self.open.as_ref().and_then(|open| open.library.entries().get(place)).cloned();
        self.sweeping.wanted = entry.map(Box::new).zip(secs);
        self.play(PlayCommand::Clip(Some(place)))
    }

    /// A clip has come: goes to the moment of it that was asked for.
    pub(super) fn go_to_worst(&mut self, entry: &ClipEntry) {
        if let Some((wanted, secs)) = self.sweeping.wanted.take()
            && wanted.is_same(entry)
        {
            self.play(PlayCommand::Scrub(secs));
        }
    }
}
