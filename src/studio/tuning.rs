//! Tuning: the sliders of a chain, presets under the pointer, copy and paste, two tunings to change between.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::command::{Changes, Edit, Selection};
use super::evaluation::treatment_of;
use super::notices::NoticeKind;
use super::opening::Open;
use super::panels::SpringPanel;
use super::state::{Studio, chain};
use super::trace::TraceLines;
use crate::model::{Chain, ChainOrigin, RegionId, SpringSettings};

/// A chain whose springs are tuned one by one, as decisions know it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SpringsOf {
    /// The chains that were grown for a region.
    Grown(RegionId),
    /// One that the file has already, by its name, that of its first joint.
    Existing(String),
}

impl SpringsOf {
    /// What decisions know a chain by; `None` for hair, which is tuned in other numbers.
    pub fn chain(chain: &Chain) -> Option<Self> {
        match chain.origin {
            _ if chain.hair.is_some() => None,
            ChainOrigin::Grown(region) => Some(Self::Grown(region)),
            ChainOrigin::Existing => Some(Self::Existing(chain.name.clone())),
            ChainOrigin::Strand(_) => None,
        }
    }

    /// The edit that gives it these springs; `None` those that all others have.
    pub fn tuned(&self, settings: Option<SpringSettings>) -> Edit {
        match self {
            Self::Grown(region) => Edit::Springs { region: *region, settings },
            Self::Existing(chain) => Edit::ExistingSprings { chain: chain.clone(), settings },
        }
    }

    /// The region that it was grown for.
    pub fn region(&self) -> Option<RegionId> {
        match self {
            Self::Grown(region) => Some(*region),
            Self::Existing(_) => None,
        }
    }

    fn is(&self, chain: &Chain) -> bool {
        Self::chain(chain).as_ref() == Some(self)
    }
}

/// What the session keeps about tuning; nothing of it is saved.
#[derive(Debug, Default)]
pub(super) struct Tuning {
    /// Springs that were copied; they outlive the file they were copied from.
    pub(super) copied: Option<SpringSettings>,
    /// The preset under the pointer, and which chain swings by it.
    previewed: Option<(SpringsOf, String)>,
    /// The tuning that is not in force, and whether that is the first of the two.
    others: BTreeMap<SpringsOf, (SpringSettings, bool)>,
}

impl Tuning {
    /// Another character was opened.
    pub(super) fn forget(&mut self) {
        self.previewed = None;
        self.others.clear();
    }

    /// Whether the second tuning of a chain is in force.
    fn is_b(&self, of: &SpringsOf) -> bool {
        self.others.get(of).is_some_and(|(_, is_first)| *is_first)
    }
}

impl Studio {
    /// The chain that is tuned, by its place: that of the selected region, or a selected one of the file that springs
    /// drive.
    pub(super) fn tuned_chain(&self) -> Option<usize> {
        let chains = &self.open.as_ref()?.evaluated.rigged.chains;
        if let Some(region) = self.selected_region() {
            return chains.iter().position(|c| c.origin == ChainOrigin::Grown(region.id));
        }
        let Selection::Chain(index) = self.selection else { return None };
        let is_tuned = |c: &Chain| c.is_driven && SpringsOf::chain(c).is_some();
        chains.get(index).is_some_and(is_tuned).then_some(index)
    }

    /// The sliders of the selected chain, or of the selected region's.
    pub fn spring_panel(&self) -> Option<SpringPanel> {
        let open = self.open.as_ref()?;
        let rigged = &open.evaluated.rigged;
        let index = self.tuned_chain()?;
        let chain = rigged.chains.get(index)?;
        let of = SpringsOf::chain(chain)?;
        let others: Vec<_> = (rigged.chains.iter())
            .filter(|c| self.also.iter().any(|&id| c.origin == ChainOrigin::Grown(id)))
            .collect();
        Some(SpringPanel {
            n_others: others.len(),
            is_mixed: others.iter().any(|c| c.settings != chain.settings),
            name: chain.name.clone(),
            settings: chain.settings,
            is_tuned: self.has_own_springs(open, &of),
            why_still: self.why_still(index),
            presets: self.preset_rows(),
            can_save: self.keeps_presets(),
            previewed: self.tuning.previewed.as_ref().map(|(_, name)| name.clone()),
            can_paste: self.tuning.copied.is_some(),
            is_b: self.tuning.is_b(&of),
            trace: self.trace_lines(),
            of,
        })
    }

    /// What the tuned chain did in the last seconds: of the panel what changes with every frame.
    pub fn trace_lines(&self) -> TraceLines {
        self.trace.lines()
    }

    /// Whether a chain has springs of its own.
    fn has_own_springs(&self, open: &Open, of: &SpringsOf) -> bool {
        let (edits, about) = self.decided(open);
        match of {
            SpringsOf::Grown(region) => treatment_of(edits, &about, *region).springs.is_some(),
            SpringsOf::Existing(name) => edits.existing_springs.contains_key(name),
        }
    }

    /// How a chain swings; `None` where it is not there.
    pub(super) fn springs_of(&self, of: &SpringsOf) -> Option<SpringSettings> {
        let chains = &self.open.as_ref()?.evaluated.rigged.chains;
        chains.iter().find(|chain| of.is(chain)).map(|chain| chain.settings)
    }

    /// Lets a chain swing by a preset, or by its own springs again.
    pub(super) fn preview_preset(&mut self, of: SpringsOf, name: Option<String>) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let settings = match name.as_deref().map(|name| self.preset_of(name)) {
            None => None,
            Some(Ok(preset)) => Some(preset.settings),
            Some(Err(error)) => {
                // Told of once while the pointer rests on it.
                self.tuning.previewed = name.map(|name| (of, name));
                return self.notice(NoticeKind::Error, chain(&error)).and(Changes::SELECTION);
            }
        };
        let chains = open.evaluated.rigged.chains.iter().map(|chain| match settings {
            Some(settings) if of.is(chain) => settings,
            _ => chain.settings,
        });
        if let Some(playback) = &mut self.playback {
            playback.retune(chains);
        }
        self.tuning.previewed = name.map(|name| (of, name));
        Changes::SELECTION
    }

    /// Puts the other tuning into force, and keeps this one as the other.
    pub(super) fn swap_springs(&mut self, of: SpringsOf) -> Changes {
        let Some(now) = self.springs_of(&of) else { return Changes::NONE };
        let (other, is_first) = match self.tuning.others.get(&of) {
            Some(&(other, is_first)) => (other, is_first),
            None => (now, false),
        };
        let edit = of.tuned(Some(other));
        self.tuning.others.insert(of, (now, !is_first));
        self.edit(&edit).and(Changes::SELECTION)
    }
}
