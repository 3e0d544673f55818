//! From the studio's state to what viewport and panels show.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::command::{Overlay, Selection};
use super::evaluation::treatment_of;
use super::opening::Open;
use super::overlays;
use super::panels::{
    Bar, ChainRow, MeshRow, Outliner, RegionPanel, RegionRow, Status, Transport, TreeRow,
    is_existing, region_facts,
};
use super::playback::Playback;
use super::scene::{
    Accent, BoneMark, Bounds, LineMark, PickMark, Scene, bone_marks, chain_line, collar_line,
    rest_line,
};
use super::state::Studio;
use super::tools::Tool;
use super::words;
use crate::document::CharacterEdits;
use crate::model::{
    ChainOrigin, NodeIndex, Region, RegionId, RegionKind, Rigged, SurfaceVertex, Verdict, WorldPose,
};
use crate::perform::{LegBone, leg_bones};

impl Studio {
    /// A new character, or the same with other joints and weights, that fills `bounds`.
    pub(super) fn rebuild_scene(&mut self, bounds: Option<Bounds>) {
        let Some(playback) = &self.playback else { return };
        let rigged = playback.rigged();
        self.scene = Scene {
            character: Arc::new(rigged.character.clone()),
            world: playback.world().clone(),
            morphs: playback.morphs().clone(),
            bounds,
            floor_m: rigged.body.floor_m,
            hidden: self.hidden.clone(),
            ..Scene::default()
        };
        self.rebuild_outlines();
        self.rebuild_paint();
        self.rebuild_overlays();
    }

    /// The same character in another pose.
    pub(super) fn show_pose(&mut self) {
        if let Some(playback) = &self.playback {
            self.scene.world = playback.world().clone();
            self.scene.morphs = playback.morphs().clone();
        }
        self.show_stretch();
        self.rebuild_overlays();
    }

    pub(super) fn rebuild_overlays(&mut self) {
        let Some(playback) = &self.playback else { return };
        let rigged = playback.rigged().clone();
        let world = playback.world().clone();
        let (mut lines, mut picks) = (Vec::new(), Vec::new());
        if self.shows(Overlay::Chains) {
            for (index, chain) in rigged.chains.iter().enumerate() {
                let is_shown = chain.is_driven || self.selection == Selection::Chain(index);
                if !is_shown && is_existing(chain.origin) {
                    continue;
                }
                let line = |points, accent, is_dashed| LineMark { points, accent, is_dashed };
                lines.push(line(rest_line(&rigged, chain, &world), Accent::Rest, true));
                let now = chain_line(chain, &world);
                let what = Selection::Chain(index);
                picks.push(PickMark { what, lines: vec![now.clone()], solid: None });
                lines.push(line(now, Accent::Simulated, false));
            }
        }
        if let (Some(region), Some(open)) = (self.selected_region(), &self.open) {
            let bind = &open.evaluated.detection.surface.positions;
            lines.extend(collar_line(&rigged.character, &world, region, bind));
            if self.shows(Overlay::Extent) {
                lines.extend(overlays::extent(&rigged, region, &world));
            }
        }
        if self.shows(Overlay::Colliders) {
            lines.extend(overlays::thickness(&rigged, self.legs_of(&rigged), &world));
        }
        self.collider_lines(&world, &mut lines, &mut picks);
        let mut planes = Vec::new();
        for chain in rigged.chains.iter().filter(|c| c.is_driven) {
            let (on_floor, behind) = (chain.settings.ground, chain.settings.keep_behind);
            let floor = (self.shows(Overlay::Floor) && on_floor)
                .then(|| overlays::floor(&rigged, chain, &world));
            let plane = (self.shows(Overlay::Behind) && behind)
                .then(|| overlays::behind(&rigged, chain, &world));
            for (plane, edge) in [floor, plane].into_iter().flatten() {
                planes.push(plane);
                lines.push(edge);
            }
        }
        self.scene.bones = self.bones(&rigged, &world);
        self.scene.labels = if self.shows(Overlay::JointNames) {
            overlays::names(&rigged.character, &self.scene.bones)
        } else {
            Vec::new()
        };
        if self.workspace == super::Workspace::Hair {
            lines.extend(self.hair_lines());
        }
        self.scene.lines = lines;
        self.scene.planes = planes;
        self.scene.picks = picks;
    }

    /// The legs as springs see them, worked out where they are first drawn.
    fn legs_of(&mut self, rigged: &Arc<Rigged>) -> &[LegBone] {
        let known = self.legs.take().filter(|(of, _)| Arc::ptr_eq(of, rigged));
        let legs = known.unwrap_or_else(|| (rigged.clone(), leg_bones(rigged)));
        &self.legs.insert(legs).1
    }

    /// Bones to draw: all where they are shown, else what is selected, and what can be moved while a hand may move it.
    fn bones(&self, rigged: &Rigged, world: &WorldPose) -> Vec<BoneMark> {
        let selected: BTreeSet<NodeIndex> = match self.selection {
            Selection::Joint(node) => [node].into(),
            Selection::Chain(index) => rigged
                .chains
                .get(index)
                .map(|c| c.joints.iter().copied().collect())
                .unwrap_or_default(),
            _ => BTreeSet::new(),
        };
        let shows_all = self.shows(Overlay::Joints) || self.shows(Overlay::JointNames);
        let moves = self.tool() == Tool::Move && !matches!(self.selection, Selection::Collider(_));
        if !shows_all && !moves && selected.is_empty() {
            return Vec::new();
        }
        let mut bones = bone_marks(rigged, &rigged.humanoid, world, &selected);
        let is_seen = |bone: &BoneMark| match bone.accent {
            Accent::Selected => true,
            Accent::Chain => shows_all || moves,
            _ => shows_all,
        };
        bones.retain(is_seen);
        bones
    }

    /// The box to bring into view: what is selected, or everything.
    pub fn selection_bounds(&self) -> Option<Bounds> {
        let open = self.open.as_ref()?;
        let at =
            |node: &NodeIndex| -> glam::Vec3 { self.scene.world.matrix(*node).translation.into() };
        match self.selection {
            _ if self.workspace == super::Workspace::Hair => self.hair_bounds(),
            Selection::Region(_) => {
                let region = self.selected_region()?;
                let surface = &open.evaluated.detection.surface;
                // Bind space and the present pose are near enough for framing.
                Bounds::of(
                    region
                        .vertices
                        .iter()
                        .filter_map(|v| surface.positions.get(v.index()).copied()),
                )
            }
            Selection::Chain(index) => {
                let chain = open.evaluated.rigged.chains.get(index)?;
                Bounds::of(chain.joints.iter().map(at))
            }
            Selection::Joint(node) => {
                let size = self.scene.bounds.map_or(0.2, |b| b.radius() * 0.15);
                let p = at(&node);
                Some(Bounds { low: p - size, high: p + size })
            }
            Selection::Collider(index) => self.collider_bounds(index).or(self.scene.bounds),
            _ => self.scene.bounds,
        }
    }

    /// The region that the selection is about.
    pub fn selected_region(&self) -> Option<&Region> {
        let open = self.open.as_ref()?;
        let wanted = match self.selection {
            Selection::Region(id) => id,
            Selection::Chain(index) => match open.evaluated.rigged.chains.get(index)?.origin {
                ChainOrigin::Grown(id) => id,
                ChainOrigin::Existing | ChainOrigin::Strand(_) => return None,
            },
            _ => return None,
        };
        open.evaluated.detection.regions.iter().find(|r| r.id == wanted)
    }

    /// The region that a vertex of the surface belongs to, the smallest of several.
    pub fn region_at(&self, vertex: SurfaceVertex) -> Option<RegionId> {
        let regions = &self.open.as_ref()?.evaluated.detection.regions;
        regions
            .iter()
            .filter(|r| r.kind != RegionKind::Body && r.vertices.binary_search(&vertex).is_ok())
            .min_by_key(|r| r.vertices.len())
            .map(|r| r.id)
    }

    /// The left panel.
    pub fn outliner(&self) -> Outliner {
        let Some(open) = &self.open else { return Outliner::default() };
        let regions = &open.evaluated.detection.regions;
        let rigged = &open.evaluated.rigged;
        let rows = regions.iter().zip(self.named_regions(open));
        let (edits, about) = self.decided(open);
        Outliner {
            problems: self.problems(open),
            regions: rows
                .filter(|(region, _)| region.kind != RegionKind::Body && !region.is_speck())
                .map(|(region, name)| RegionRow {
                    also: self.also.contains(&region.id),
                    ..region_row(region, name, treatment_of(edits, &about, region.id).verdict)
                })
                .collect(),
            chains: rigged
                .chains
                .iter()
                .enumerate()
                .map(|(index, chain)| ChainRow {
                    index,
                    name: chain.name.clone(),
                    n_joints: chain.joints.len(),
                    is_existing: is_existing(chain.origin),
                    is_driven: chain.is_driven,
                })
                .collect(),
            colliders: self.collider_rows(),
            joints: joint_rows(rigged),
            meshes: rigged
                .character
                .instances()
                .filter(|(_, instance)| instance.is_visible)
                .filter_map(|(index, instance)| {
                    let mesh = rigged.character.mesh_of(instance)?;
                    let node = rigged.character.skeleton.name(instance.node);
                    let name = if mesh.name.is_empty() { node } else { &mesh.name };
                    Some(MeshRow {
                        instance: index,
                        name: name.to_owned(),
                        n_vertices: mesh.n_vertices(),
                        is_shown: !self.hidden.contains(&index),
                    })
                })
                .collect(),
            selection: self.selection,
        }
    }

    /// The decisions as they are, and the regions that they are about.
    pub(super) fn decided(&self, open: &Open) -> (&CharacterEdits, Vec<Option<RegionId>>) {
        let edits = self.history.current().of(open.character);
        (edits, open.about(edits))
    }

    /// What the inspector calls the selected region.
    pub(super) fn selected_region_name(&self) -> Option<String> {
        self.name_of(Selection::Region(self.selected_region()?.id))
    }

    /// The inspector of the selected region.
    pub fn region_panel(&self) -> Option<RegionPanel> {
        let open = self.open.as_ref()?;
        let region = self.selected_region()?;
        let detection = &open.evaluated.detection;
        let rigged = &open.evaluated.rigged;
        let loaded = open.loaded()?;
        let (edits, about) = self.decided(open);
        let decided = treatment_of(edits, &about, region.id);
        let verdict = decided.verdict.unwrap_or(region.verdict);
        let place = detection.regions.iter().position(|r| r.id == region.id)?;
        let appendage = open.evaluated.appendages().iter().find(|a| a.id == region.id.0);
        let chains: Vec<_> =
            rigged.chains.iter().filter(|c| c.origin == ChainOrigin::Grown(region.id)).collect();
        let n_new: usize = chains.iter().map(|c| c.joints.len() + 1).sum();
        let attachment = chains.first().map_or(region.attachment, |c| c.anchor);
        let skeleton = &rigged.character.skeleton;
        let mut candidates: Vec<(NodeIndex, String)> = detection
            .humanoid
            .roles
            .values()
            .chain([&attachment])
            .map(|&node| (node, skeleton.name(node).to_owned()))
            .collect();
        candidates.sort();
        candidates.dedup();
        let sentence = if decided.verdict.is_some() {
            format!("You chose this; on its own: {}", region.reason)
        } else {
            words::sentence(&region.reason.to_string())
        };
        Some(RegionPanel {
            id: region.id,
            name: self.named_regions(open).get(place).cloned().unwrap_or_default(),
            kind: region.kind,
            verdict,
            chosen: decided.verdict,
            sentence,
            margin: region.scores.margin,
            bars: Bar::of_region(region, &edits.detect),
            facts: region_facts(
                region,
                appendage.map_or(region.scores.joint_distance_m, |a| a.joint_distance_before_m),
                appendage.and_then(|a| a.joint_distance_after_m),
            ),
            attachment,
            attachment_name: skeleton.name(attachment).to_owned(),
            candidates,
            n_joints: chains.first().map(|c| c.joints.len()),
            chosen_joints: decided.joints,
            shared_by: decided.spread.iter().filter_map(|joint| joint.find(loaded)).collect(),
            shares: match verdict {
                Verdict::Spread => self.share_rows(rigged, region),
                _ => Vec::new(),
            },
            strips: decided.columns,
            blend_rings: edits.blend_rings,
            trials: self.trial_lines(),
            is_made: region.made.is_some(),
            is_moved: !decided.places.is_empty(),
            locks_weights: decided.locks_weights,
            n_others: self.also.len(),
            change: match verdict {
                Verdict::Leave => "Nothing changes here".to_owned(),
                _ => {
                    let vertices = words::counted(region.vertices.len(), "vertex", "vertices");
                    let bones = match n_new {
                        0 => String::new(),
                        n => format!(" and adds {}", words::counted(n, "bone", "bones")),
                    };
                    format!("Changes the weights of {vertices}{bones}")
                }
            },
        })
    }

    /// The bar under the viewport.
    pub fn transport(&self) -> Transport {
        let Some(playback) = &self.playback else {
            return Transport { has_springs: true, speed: 1.0, ..Transport::default() };
        };
        let entries = self.open.as_ref().map(|open| open.library.entries()).unwrap_or_default();
        Transport {
            clips: entries.iter().map(|entry| entry.title.clone()).collect(),
            clip: playback.clip().map(|(place, _)| *place),
            unlisted: playback
                .clip()
                .filter(|(place, _)| *place >= entries.len())
                .map(|(_, clip)| clip.name.clone()),
            secs: playback.secs(),
            duration_secs: playback.duration_secs(),
            range_secs: playback.range_secs(),
            is_playing: playback.is_playing(),
            is_still: playback.is_still(),
            has_springs: playback.has_springs(),
            in_place: self.in_place,
            repeats: !self.holds_end,
            speed: playback.speed(),
            readout: self.readout(),
        }
    }

    /// The line at the bottom.
    pub fn status(&self) -> Status {
        let summary = match &self.open {
            None => "Nothing open".to_owned(),
            Some(open) => {
                let rigged = &open.evaluated.rigged;
                let driven = self.playback.iter().flat_map(Playback::driven).count();
                let n: usize = rigged.character.meshes.iter().map(|m| m.n_vertices()).sum();
                format!(
                    "{} · {} · {}",
                    open.document.source().origin,
                    words::counted(driven, "chain", "chains"),
                    words::counted(n, "vertex", "vertices")
                )
            }
        };
        Status { summary, jobs: self.progress(), solver_us: self.solver_us }
    }
}

fn region_row(region: &Region, name: String, chosen: Option<Verdict>) -> RegionRow {
    RegionRow {
        id: region.id,
        name,
        kind: region.kind,
        verdict: chosen.unwrap_or(region.verdict),
        by_user: chosen.is_some() || region.made.is_some(),
        also: false,
    }
}

/// Nodes that move skin or belong to a chain, with those above them.
pub(super) fn joint_rows(rigged: &Rigged) -> Vec<TreeRow> {
    let skeleton = &rigged.character.skeleton;
    let mut is_shown = vec![false; skeleton.len()];
    let skinned = rigged.character.skins.iter().flat_map(|s| &s.joints);
    for &node in skinned.chain(rigged.chains.iter().flat_map(|c| &c.joints)) {
        for node in std::iter::once(node).chain(skeleton.ancestors(node)) {
            if let Some(slot) = is_shown.get_mut(node.index()) {
                *slot = true;
            }
        }
    }
    let mut rows: Vec<TreeRow> = Vec::new();
    // Depth first: the skeleton's order is parents first, but not children right after.
    let children = skeleton.children();
    let mut stack: Vec<(NodeIndex, usize)> =
        skeleton.indices().filter(|&n| skeleton.parent(n).is_none()).map(|n| (n, 0)).collect();
    stack.reverse();
    while let Some((node, depth)) = stack.pop() {
        if !is_shown.get(node.index()).copied().unwrap_or(false) {
            continue;
        }
        rows.push(TreeRow {
            node,
            name: skeleton.name(node).to_owned(),
            depth,
            is_new: node.index() >= rigged.changes.first_new_node,
        });
        let below = children.get(node.index()).into_iter().flatten();
        stack.extend(below.rev().map(|&child| (child, depth + 1)));
    }
    rows
}
