//! Decisions: from an edit to the history, from the history to what is shown, and what stays selected on the way.

use super::command::{Changes, Command, Edit, Selection};
use super::evaluation::{carried_over, shape_of, with_edit};
use super::figure::Figure;
use super::jobs::{JobKind, discard};
use super::notices::NoticeKind;
use super::state::{Outcome, Studio};
use crate::detect::Detection;
use crate::document::{Edits, Evaluated, History, StageCache, evaluate};
use crate::geometry::selection::n_common;
use crate::model::{Chain, ChainOrigin, NodeIndex, RegionId, RegionKind, Rigged, SurfaceVertex};
use crate::work::{Stopped, Work};

impl Studio {
    /// Decides; what is selected besides a region takes the same decision, all in one step.
    pub(super) fn edit(&mut self, edit: &Edit) -> Changes {
        self.edit_as(edit.label(), edit)
    }

    /// The same under another name in the history.
    pub(super) fn edit_as(&mut self, label: &str, edit: &Edit) -> Changes {
        if edit.is_about_skin()
            && let Some(changes) = self.wait_for_rig()
        {
            return changes;
        }
        let mut edits = vec![edit.clone()];
        edits.extend(self.for_others(edit));
        self.edit_all(label, edits)
    }

    /// Several decisions, all in one step, or none where one of them means nothing.
    pub(super) fn edit_all(&mut self, label: &str, edits: Vec<Edit>) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let (index, detection) = (open.character, &open.evaluated.detection);
        let Some(loaded) = open.loaded() else { return Changes::NONE };
        let before = self.history.current();
        let mut after = before.character(index);
        for edit in &edits {
            match with_edit(&after, edit, loaded, detection) {
                Some(edited) => after = edited,
                None => return Changes::NONE,
            }
        }
        let after = before.clone().with_character(index, after);
        if after != *before {
            // Several are one step in a script too.
            let is_step = edits.len() > 1 && !self.history.is_dragging();
            let (first, last) = (Command::Begin(label.to_owned()), Command::Commit);
            self.done.extend(is_step.then_some(first));
            self.done.extend(edits.into_iter().map(Command::Edit));
            self.done.extend(is_step.then_some(last));
        }
        self.history.set(label, after);
        self.follow_history()
    }

    /// Whether what is shown, whose ids and skin tools go by, is behind the decisions; it is on its way then.
    pub(super) fn is_behind(&mut self) -> bool {
        if self.differs() && !self.jobs.runs(JobKind::Evaluate) {
            // The worker was told to stop.
            self.follow_history();
        }
        self.differs()
    }

    fn differs(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.document.edits != *self.history.current())
    }

    /// Asks for patience where the decisions are ahead of what is shown.
    pub(super) fn wait_for_rig(&mut self) -> Option<Changes> {
        let text = "The last change is still being worked out; try again in a moment";
        self.is_behind().then(|| self.notice(NoticeKind::Info, text))
    }

    /// Goes through the history, where that leads anywhere.
    pub(super) fn travel(
        &mut self,
        command: Command,
        go: impl FnOnce(&mut History<Edits>) -> bool,
    ) -> Changes {
        if !go(&mut self.history) {
            return Changes::NONE;
        }
        self.done.push(command);
        self.tools.wanted = None;
        self.colliders.want_none();
        self.follow_history()
    }

    /// Gives up the drag that is on.
    pub(super) fn abort(&mut self) -> Changes {
        self.done.push(Command::Abort);
        self.history.abort();
        self.follow_history()
    }

    /// The edit for every region that is selected besides the one it names.
    fn for_others(&self, edit: &Edit) -> Vec<Edit> {
        let Some(region) = edit.region().filter(|_| edit.is_for_many()) else { return Vec::new() };
        if self.selection != Selection::Region(region) {
            return Vec::new();
        }
        let springs = |id: RegionId| {
            let chains = &self.open.as_ref()?.evaluated.rigged.chains;
            chains.iter().find(|c| c.origin == ChainOrigin::Grown(id)).map(|c| c.settings)
        };
        let others = self.also.iter().filter(|&&id| id != region);
        others
            .filter_map(|&id| match edit {
                // Only what differs goes over: each chain keeps the rest of its own tuning.
                Edit::Springs { settings: Some(settings), .. } => {
                    let settings = carried_over(&springs(region)?, settings, springs(id)?);
                    Some(Edit::Springs { region: id, settings: Some(settings) })
                }
                other => Some(other.clone().about(id)),
            })
            .collect()
    }

    /// Brings what is shown up to the decisions: at once where only springs differ, by a worker otherwise.
    pub(super) fn follow_history(&mut self) -> Changes {
        let Some(open) = &mut self.open else { return Changes::NONE };
        let (index, wanted) = (open.character, self.history.current().clone());
        let is_busy = self.jobs.runs(JobKind::Evaluate);
        if open.document.edits == wanted && !is_busy {
            return Changes::NONE;
        }
        if is_busy && self.history.is_dragging() {
            // A hand is faster than the worker, which is followed up when it comes back; to begin anew each time would
            // show nothing before the hand rests.
            return Changes::DOCUMENT;
        }
        let mut document = open.document.clone();
        let same_shape = shape_of(document.edits.of(index)) == shape_of(wanted.of(index));
        document.edits = wanted.clone();
        if same_shape && !is_busy {
            // Detection and rig come from the cache: microseconds, and nothing can stop it.
            if let Ok(evaluated) = evaluate(&document, index, &mut open.cache, &Work::default()) {
                if let Some(playback) = &mut self.playback {
                    playback.retune(evaluated.rigged.chains.iter().map(|c| c.settings));
                    playback.retune_hair(&evaluated.rigged.chains);
                }
                open.document = document;
                let before = std::mem::replace(&mut open.evaluated, evaluated);
                if before.retarget != open.evaluated.retarget {
                    self.follow_poses();
                }
            }
            self.follow_hair();
            self.show_pose();
            self.start_measure();
            return Changes::DOCUMENT.and(Changes::SCENE);
        }
        let mut cache = open.cache.clone();
        let clip = self.playback.as_ref().and_then(|playback| playback.clip().cloned());
        let at_end = self.at_end();
        self.start(JobKind::Evaluate, move |work| {
            let result = evaluate(&document, index, &mut cache, work).map(|evaluated| {
                let figure = Figure::of(&evaluated, clip, at_end);
                Box::new((evaluated, figure))
            });
            Outcome::Evaluated { edits: wanted, cache, result }
        });
        Changes::DOCUMENT.and(Changes::NOTICES)
    }

    pub(super) fn take_evaluated(
        &mut self,
        edits: &Edits,
        cache: StageCache,
        result: Result<Box<(Evaluated, Figure)>, Stopped>,
    ) -> Changes {
        let at_end = self.at_end();
        let (Some(open), Ok(worked_out)) = (&mut self.open, result) else { return Changes::NONE };
        let (evaluated, figure) = *worked_out;
        open.cache = cache;
        open.document.edits = edits.clone();
        let before = std::mem::replace(&mut open.evaluated, evaluated);
        let old = self.playback.take();
        let clip = old.as_ref().and_then(|old| old.clip().cloned());
        let bounds = figure.bounds;
        let new = figure.plays(clip, at_end);
        self.playback = Some(match &old {
            Some(old) => new.resumed_at(old),
            None => new,
        });
        let after = self.open.as_ref().map(|open| &open.evaluated);
        let is_retargeted_anew = after.is_some_and(|after| {
            after.retarget != before.retarget
                || after.detection.humanoid != before.detection.humanoid
        });
        self.reselect(&before);
        self.rebuild_scene(bounds);
        self.forget_tiles();
        self.start_measure();
        if is_retargeted_anew {
            self.follow_poses();
        } else {
            self.restage();
        }
        self.follow_hair();
        discard((before, old));
        // More may have been decided while the worker ran.
        let changes = self.follow_history().and(self.paint_parked());
        changes.and(Changes::DOCUMENT).and(Changes::SCENE).and(Changes::SELECTION)
    }

    /// What was selected, among regions that may be others and be numbered anew: those that have most of its skin, and
    /// the skin that a tool has just made a region of.
    fn reselect(&mut self, before: &Evaluated) {
        let Some(open) = &self.open else { return };
        let (detection, rigged) = (&open.evaluated.detection, &open.evaluated.rigged);
        let skin_of = |id: RegionId| before.detection.regions.iter().find(|r| r.id == id);
        let moved = |id: RegionId| most_of(detection, &skin_of(id)?.vertices);
        self.also = self.also.iter().filter_map(|&id| moved(id)).collect();
        let wanted = self.tools.wanted.take().and_then(|skin| most_of(detection, &skin));
        self.tools.follow(wanted, &moved);
        let collider = self.colliders.follow(self.selection, &before.rigged, rigged);
        self.selection = match (wanted, collider.unwrap_or(self.selection)) {
            (Some(id), _) => Selection::Region(id),
            (None, Selection::Region(id)) => moved(id).map_or(Selection::None, Selection::Region),
            (None, Selection::Chain(i)) => {
                let origin = before.rigged.chains.get(i).map(|chain| chain.origin);
                match (chain_now(i, &before.rigged, rigged, &moved), origin) {
                    (Some(i), _) => Selection::Chain(i),
                    // Its region goes on without a chain.
                    (None, Some(ChainOrigin::Grown(id))) => {
                        moved(id).map_or(Selection::None, Selection::Region)
                    }
                    _ => Selection::None,
                }
            }
            (None, Selection::Joint(n)) => joint_now(n, &before.rigged, rigged, &moved)
                .map_or(Selection::None, Selection::Joint),
            (None, same) => same,
        };
        if let Selection::Region(id) = self.selection {
            // Regions that were made one are selected once.
            self.also.remove(&id);
        }
    }

    pub(super) fn select(&mut self, selection: Selection) -> Changes {
        if self.selection == selection && self.also.is_empty() && !self.colliders.has_others() {
            return Changes::NONE;
        }
        self.also.clear();
        self.colliders.let_go();
        self.selection = selection;
        // What is about to be made is no longer what is wanted.
        self.tools.wanted = None;
        self.selection_changed()
    }

    /// Selects a region besides what is selected, or no longer.
    pub(super) fn select_also(&mut self, region: RegionId) -> Changes {
        let is_there =
            self.evaluated().is_some_and(|e| e.detection.regions.iter().any(|r| r.id == region));
        match self.selection {
            _ if !is_there => return Changes::NONE,
            Selection::Region(id) if id == region => {
                let next = self.also.pop_first();
                self.selection = next.map_or(Selection::None, Selection::Region);
            }
            Selection::Region(_) => {
                if !self.also.remove(&region) {
                    self.also.insert(region);
                }
            }
            _ => self.selection = Selection::Region(region),
        }
        self.selection_changed()
    }

    pub(super) fn selection_changed(&mut self) -> Changes {
        self.weights_of = None;
        self.rebuild_paint();
        self.rebuild_overlays();
        Changes::SELECTION.and(Changes::SCENE)
    }

    /// Every region that is selected, the one that the inspector shows first.
    pub fn selected_regions(&self) -> Vec<RegionId> {
        let first = self.selected_region().map(|r| r.id);
        first.into_iter().chain(self.also.iter().copied().filter(|&id| Some(id) != first)).collect()
    }

    pub(super) fn next_doubtful(&mut self) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let mut order: Vec<_> = open
            .evaluated
            .detection
            .regions
            .iter()
            .filter(|r| r.kind != RegionKind::Body && !r.is_speck())
            .map(|r| (r.scores.margin, r.id))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let at = order.iter().position(|(_, id)| self.selection == Selection::Region(*id));
        let next = at.map_or(0, |at| (at + 1) % order.len().max(1));
        order.get(next).map_or(Changes::NONE, |&(_, id)| self.select(Selection::Region(id)))
    }
}

/// Where a chain stands among those of `now`: that of its region, its strand or its first joint; of several the one in
/// the same place. Those of the file come after grown ones, so their places differ. `None` where it is gone.
fn chain_now(
    place: usize,
    before: &Rigged,
    now: &Rigged,
    moved: &impl Fn(RegionId) -> Option<RegionId>,
) -> Option<usize> {
    let was = before.chains.get(place)?;
    let is_its = |c: &Chain, origin: ChainOrigin| {
        let is_named_by_joint = origin == ChainOrigin::Existing;
        c.origin == origin && (!is_named_by_joint || c.joints.first() == was.joints.first())
    };
    let nth = before.chains.iter().take(place).filter(|c| is_its(c, was.origin)).count();
    let origin = match was.origin {
        ChainOrigin::Grown(id) => ChainOrigin::Grown(moved(id)?),
        other => other,
    };
    let found = now.chains.iter().enumerate().filter(|(_, c)| is_its(c, origin));
    found.map(|(place, _)| place).nth(nth)
}

/// The joint that stands where `node` stood: joints that we grew are numbered anew where another chain comes or goes.
fn joint_now(
    node: NodeIndex,
    before: &Rigged,
    now: &Rigged,
    moved: &impl Fn(RegionId) -> Option<RegionId>,
) -> Option<NodeIndex> {
    let own = before.chains.iter().enumerate().find_map(|(place, chain)| {
        let joint = chain.nodes().position(|n| n == node)?;
        (chain.origin != ChainOrigin::Existing).then_some((place, joint))
    });
    match own {
        Some((place, joint)) => {
            now.chains.get(chain_now(place, before, now, moved)?)?.nodes().nth(joint)
        }
        None => Some(node).filter(|n| n.index() < now.character.skeleton.len()),
    }
}

/// The region that has most of `skin` (sorted), the smallest of several; `None` where none has any.
fn most_of(detection: &Detection, skin: &[SurfaceVertex]) -> Option<RegionId> {
    detection
        .regions
        .iter()
        .map(|region| (n_common(skin, &region.vertices), region))
        .filter(|(shared, _)| *shared > 0)
        .max_by_key(|(shared, region)| (*shared, std::cmp::Reverse(region.vertices.len())))
        .map(|(_, region)| region.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SpringSettings, Tip};

    fn chain(origin: ChainOrigin, joints: [u32; 2]) -> Chain {
        Chain {
            name: String::new(),
            anchor: NodeIndex(0),
            joints: joints.map(NodeIndex).to_vec(),
            tip: Tip::Virtual(glam::Vec3::Y),
            origin,
            settings: SpringSettings::default(),
            hair: None,
            is_driven: true,
        }
    }

    #[test]
    fn chains_and_joints_stay_selected_where_another_chain_comes_before_them() {
        let grown = |id| ChainOrigin::Grown(RegionId(id));
        let own = chain(ChainOrigin::Existing, [2, 3]);
        let before = Rigged {
            chains: vec![
                chain(grown(1), [7, 8]),
                chain(ChainOrigin::Existing, [4, 5]),
                own.clone(),
            ],
            ..Rigged::default()
        };
        let now = Rigged {
            chains: vec![chain(grown(0), [7, 8]), chain(grown(2), [9, 10]), own],
            ..Rigged::default()
        };
        let moved = |id: RegionId| (id == RegionId(1)).then_some(RegionId(2));
        assert_eq!(chain_now(0, &before, &now, &moved), Some(1));
        assert_eq!(chain_now(1, &before, &now, &moved), None, "another took its joints");
        assert_eq!(chain_now(2, &before, &now, &moved), Some(2));
        assert_eq!(joint_now(NodeIndex(8), &before, &now, &moved), Some(NodeIndex(10)));
        let gone = |_: RegionId| None;
        assert_eq!(joint_now(NodeIndex(8), &before, &now, &gone), None);
    }
}
