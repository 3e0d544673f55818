//! Tuning: the sliders of a chain, presets under the pointer, copy and paste, two tunings to change between.

use std::collections::BTreeMap;

use super::command::{Changes, Edit};
use super::evaluation::treatment_of;
use super::notices::NoticeKind;
use super::panels::SpringPanel;
use super::state::{Studio, chain};
use crate::document::{preset, preset_names};
use crate::model::{ChainOrigin, RegionId, SpringSettings};

/// What the session keeps about tuning; nothing of it is saved.
#[derive(Debug, Default)]
pub(super) struct Tuning {
    /// Springs that were copied; they outlive the file they were copied from.
    pub(super) copied: Option<SpringSettings>,
    /// The preset under the pointer, and whose chain swings by it.
    pub(super) previewed: Option<(RegionId, String)>,
    /// The tuning that is not in force, and whether that is the first of the two.
    others: BTreeMap<RegionId, (SpringSettings, bool)>,
}

impl Tuning {
    /// Another character was opened.
    pub(super) fn forget(&mut self) {
        self.previewed = None;
        self.others.clear();
    }

    /// Whether the second tuning of a region's chain is in force.
    pub(super) fn is_b(&self, region: RegionId) -> bool {
        self.others.get(&region).is_some_and(|(_, is_first)| *is_first)
    }
}

impl Studio {
    /// The sliders of the selected region's chain.
    pub fn spring_panel(&self) -> Option<SpringPanel> {
        let open = self.open.as_ref()?;
        let region = self.selected_region()?;
        let rigged = &open.evaluated.rigged;
        let index = self.selected_chain()?;
        let chain = rigged.chains.get(index)?;
        let (edits, about) = self.decided(open);
        let others: Vec<_> = (rigged.chains.iter())
            .filter(|c| self.also.iter().any(|&id| c.origin == ChainOrigin::Grown(id)))
            .collect();
        Some(SpringPanel {
            n_others: others.len(),
            is_mixed: others.iter().any(|c| c.settings != chain.settings),
            region: region.id,
            name: chain.name.clone(),
            settings: chain.settings,
            is_tuned: treatment_of(&edits, &about, region.id).springs.is_some(),
            why_still: self.why_still(index),
            presets: preset_names(),
            previewed: self.tuning.previewed.as_ref().map(|(_, name)| name.clone()),
            can_paste: self.tuning.copied.is_some(),
            is_b: self.tuning.is_b(region.id),
            trace: self.trace.lines(),
        })
    }

    /// Lets the region's chain swing by a preset, or by its own springs again.
    pub(super) fn preview_preset(&mut self, region: RegionId, name: Option<String>) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let settings = match name.as_deref().map(preset) {
            None => None,
            Some(Ok(preset)) => Some(preset.settings),
            Some(Err(error)) => return self.notice(NoticeKind::Error, chain(&error)),
        };
        let chains = open.evaluated.rigged.chains.iter().map(|chain| match settings {
            Some(settings) if chain.origin == ChainOrigin::Grown(region) => settings,
            _ => chain.settings,
        });
        if let Some(playback) = &mut self.playback {
            playback.retune(chains);
        }
        self.tuning.previewed = name.map(|name| (region, name));
        Changes::SELECTION
    }

    /// Puts the other tuning into force, and keeps this one as the other.
    pub(super) fn swap_springs(&mut self, region: RegionId) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let origin = ChainOrigin::Grown(region);
        let chain = open.evaluated.rigged.chains.iter().find(|chain| chain.origin == origin);
        let Some(now) = chain.map(|chain| chain.settings) else { return Changes::NONE };
        let (other, is_first) = match self.tuning.others.get(&region) {
            Some(&(other, is_first)) => (other, is_first),
            None => (now, false),
        };
        self.tuning.others.insert(region, (now, !is_first));
        self.edit(&Edit::Springs { region, settings: Some(other) }).and(Changes::SELECTION)
    }
}
