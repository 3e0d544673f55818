//! Regions made by hand: of what is marked, from a tip, between two clicks, cut, joined.

use std::collections::BTreeSet;

use super::{Marking, Tool};
use crate::detect::{cut_at, level_of, region_between, region_from_tip};
use crate::model::{RegionId, SurfaceVertex};
use crate::studio::command::{Changes, Edit};
use crate::studio::notices::NoticeKind;
use crate::studio::state::Studio;

impl Studio {
    /// Makes a region of `vertices` in place of others, and selects it once it is there.
    pub(super) fn make(
        &mut self,
        vertices: Vec<SurfaceVertex>,
        replaces: Vec<RegionId>,
    ) -> Changes {
        if vertices.is_empty() {
            return Changes::NONE;
        }
        let wanted = vertices.clone();
        self.edit_wanting(&Edit::Region { vertices, replaces }, wanted)
    }

    /// Decides, and selects the region of that skin once it is there.
    fn edit_wanting(&mut self, edit: &Edit, skin: Vec<SurfaceVertex>) -> Changes {
        let changes = self.edit(edit);
        if changes.has(Changes::DOCUMENT) {
            self.tools.wanted = Some(skin);
        }
        changes
    }

    pub(super) fn join(&mut self, how: Marking) -> Changes {
        let Some((id, mut skin)) = self.selected_region().map(|r| (r.id, r.vertices.clone()))
        else {
            return self.notice(NoticeKind::Info, "Select a region first");
        };
        if self.tools.marked.is_empty() {
            return self.notice(NoticeKind::Info, "Mark the skin that changes sides first");
        }
        let marks: BTreeSet<SurfaceVertex> = self.take_marks().into_iter().collect();
        match how {
            Marking::Take => skin.retain(|v| !marks.contains(v)),
            Marking::Add | Marking::Replace => skin.extend(marks),
        }
        self.make(skin, vec![id])
    }

    pub(super) fn split(&mut self) -> Changes {
        let Some(region) = self.selected_region() else {
            return self.notice(NoticeKind::Info, "Select the region to split first");
        };
        let is_marked = |v: &&SurfaceVertex| self.tools.marked.contains(v);
        let inside: Vec<_> = region.vertices.iter().filter(is_marked).copied().collect();
        let rest: Vec<_> = region.vertices.iter().filter(|v| !is_marked(v)).copied().collect();
        if inside.is_empty() || rest.is_empty() {
            let name = self.selected_region_name().unwrap_or_default();
            let text = format!("Mark the part of {name} that is to be a region of its own first");
            return self.notice(NoticeKind::Info, text);
        }
        let id = region.id;
        self.take_marks();
        self.split_into(id, [rest, inside])
    }

    fn split_into(&mut self, region: RegionId, parts: [Vec<SurfaceVertex>; 2]) -> Changes {
        let wanted = parts[1].clone();
        self.edit_wanting(&Edit::Split { region, parts: parts.into() }, wanted)
    }

    /// A click on skin with a tool that takes clicks.
    pub(super) fn pick_vertex(&mut self, vertex: SurfaceVertex) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let Some(loaded) = open.loaded() else { return Changes::NONE };
        let detection = &open.evaluated.detection;
        let settings = self.thresholds();
        match (self.tools.tool, self.tools.root) {
            (Tool::Tip, _) => match region_from_tip(loaded, detection, &settings, vertex) {
                Some(region) => self.make(region.vertices, Vec::new()),
                None => {
                    self.tools.tool = Tool::RootTip;
                    let text = "There is no neck on the way to the body; click where it begins, then its tip";
                    self.notice(NoticeKind::Info, text).and(Changes::SELECTION)
                }
            },
            (Tool::RootTip, None) => {
                self.tools.root = Some(vertex);
                Changes::SELECTION
            }
            (Tool::RootTip, Some(root)) => {
                let region = region_between(loaded, detection, &settings, root, vertex);
                self.tools.root = None;
                match region {
                    Some(region) => self.make(region.vertices, Vec::new()),
                    None => {
                        let text = "These two places do not lie on one piece of skin";
                        self.notice(NoticeKind::Info, text).and(Changes::SELECTION)
                    }
                }
            }
            (Tool::Cut, _) => {
                let Some(region) = self.selected_region() else {
                    return self.notice(NoticeKind::Info, "Select the region to cut first");
                };
                let parts = level_of(detection, region, vertex)
                    .map(|level| (region.id, cut_at(detection, region, level)));
                match parts {
                    Some((id, parts)) if parts.iter().all(|p| !p.is_empty()) => {
                        self.split_into(id, parts)
                    }
                    _ => self.notice(NoticeKind::Info, "Click on the selected region to cut it"),
                }
            }
            _ => Changes::NONE,
        }
    }
}
