//! Picking skin for strands, and what a fit of it would do before anything changes.
//!
//! What is picked is what tools mark: a click of the Hair workspace marks, as box, lasso and brush do, and marks grow
//! and shrink. Where it is parted, each part is proposed as a strand of its own. Marks, roots and proposals are of the
//! session; only the fit is an edit, one step for all strands.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::detect::Detection;
use crate::document::{JointRef, StrandEdit};
use crate::geometry::selection::pieces_of;
use crate::model::{Character, SurfaceVertex};
use crate::rig::{StrandPath, StrandPlan, propose_strand, select, territories};
use crate::studio::command::Changes;
use crate::studio::notices::NoticeKind;
use crate::studio::overlays::ring;
use crate::studio::scene::{Accent, LineMark};
use crate::studio::state::Studio;
use crate::studio::tools::{Marking, ToolCommand};
use crate::studio::{Workspace, words};

/// Strands that are proposed at once, at most.
const MOST_STRANDS: usize = 64;
/// What is said of picked skin that makes none.
const NO_STRAND: &str = "This cannot be a strand: it has nothing to hang from";
/// Vertices of a piece from which it can be a strand of its own.
const LEAST_VERTICES: usize = 6;

/// What a click on skin picks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PickBy {
    /// The whole mesh: all that hangs on one node.
    #[default]
    Mesh,
    /// One primitive of it.
    Primitive,
    /// Everything that wears the same material.
    Material,
    /// The connected piece.
    Piece,
    /// Nothing new: a strand begins there.
    Root,
}

impl PickBy {
    /// All, as their buttons stand.
    pub const ALL: [Self; 5] =
        [Self::Mesh, Self::Primitive, Self::Material, Self::Piece, Self::Root];

    /// As it stands on its button.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mesh => "Mesh",
            Self::Primitive => "Primitive",
            Self::Material => "Material",
            Self::Piece => "Piece",
            Self::Root => "Root",
        }
    }

    /// For its tooltip.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Mesh => "A click picks the whole mesh",
            Self::Primitive => "A click picks the part of the mesh that is drawn in one go",
            Self::Material => "A click picks everything that wears the same material",
            Self::Piece => "A click picks the connected piece",
            Self::Root => {
                "A click says where the strand begins; with Shift there are several roots, and each gets the skin \
                 nearest to it"
            }
        }
    }
}

/// What a pick does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HairPick {
    /// A click on skin.
    At {
        /// Where.
        vertex: SurfaceVertex,
        /// Whether it is picked in place of what is, besides it, or no longer.
        how: Marking,
    },
    /// One ring of neighbours more.
    Grow,
    /// The outermost ring less.
    Shrink,
    /// Nothing.
    Clear,
}

/// A strand as a fit would make it.
#[derive(Debug)]
pub(super) struct Proposal {
    plan: StrandPlan,
    path: StrandPath,
}

/// Skin of a strand, and where it begins, if that was said.
type Part = (Vec<SurfaceVertex>, Option<SurfaceVertex>);

/// What strands `picked` skin (sorted) makes: one, or one for each connected piece; what has several roots is parted
/// among them by distance along the skin. Cost: O(P log P), for each root.
fn parts(
    detection: &Detection,
    picked: Vec<SurfaceVertex>,
    roots: &[SurfaceVertex],
    each_piece: bool,
) -> Vec<Part> {
    let pieces = match each_piece {
        true => pieces_of(&detection.topology, &picked),
        false => vec![picked],
    };
    let mut parts = Vec::new();
    for piece in pieces {
        let is_own = |r: &SurfaceVertex| piece.binary_search(r).is_ok();
        let own: Vec<SurfaceVertex> = roots.iter().copied().filter(is_own).collect();
        if let [] | [_] = own.as_slice() {
            parts.push((piece, own.first().copied()));
            continue;
        }
        let shares = territories(detection, &piece, &own);
        parts.extend(shares.into_iter().zip(own.into_iter().map(Some)));
    }
    parts
}

/// Skin of all meshes that hang on the node of the one that is clicked.
fn mesh_at(character: &Character, detection: &Detection, at: SurfaceVertex) -> Vec<SurfaceVertex> {
    let place = character.locate(at).and_then(|(i, _)| character.instance(i));
    let Some(node) = place.map(|instance| instance.node) else { return Vec::new() };
    let same = character.instances().filter(|(_, i)| i.node == node && i.is_visible);
    same.flat_map(|(i, _)| select::primitive(detection, i)).collect()
}

impl Studio {
    pub(super) fn pick_hair(&mut self, pick: HairPick) -> Changes {
        match pick {
            HairPick::At { vertex, how } => self.pick_hair_at(vertex, how),
            HairPick::Grow => self.use_tool(ToolCommand::Grow),
            HairPick::Shrink => self.use_tool(ToolCommand::Shrink),
            HairPick::Clear => {
                self.hair.roots.clear();
                self.mark(Vec::new(), Marking::Replace)
            }
        }
    }

    fn pick_hair_at(&mut self, vertex: SurfaceVertex, how: Marking) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let Some(loaded) = open.loaded() else { return Changes::NONE };
        let detection = &open.evaluated.detection;
        let instance = loaded.locate(vertex).map(|(i, _)| i);
        let Some(instance) = instance else { return Changes::NONE };
        let found = match self.hair.by {
            PickBy::Root => return self.pick_root(vertex, how),
            PickBy::Piece => select::piece(detection, vertex),
            PickBy::Primitive => select::primitive(detection, instance),
            PickBy::Mesh => mesh_at(loaded, detection, vertex),
            PickBy::Material => {
                let mesh = loaded.instance(instance).and_then(|i| loaded.mesh_of(i));
                match mesh.and_then(|m| m.material) {
                    Some(material) => select::material(loaded, detection, material),
                    None => Vec::new(),
                }
            }
        };
        if how == Marking::Replace {
            self.hair.roots.clear();
        }
        self.mark(found, how)
    }

    /// A strand begins at `vertex`, instead of where others do or besides; or the nearest root is none any more. A root
    /// outside what is picked picks its connected piece.
    fn pick_root(&mut self, vertex: SurfaceVertex, how: Marking) -> Changes {
        let Some(evaluated) = self.evaluated() else { return Changes::NONE };
        let detection = &evaluated.detection;
        if how == Marking::Take {
            let place = |v: SurfaceVertex| detection.surface.positions.get(v.index()).copied();
            let Some(at) = place(vertex) else { return Changes::NONE };
            let far = |r: &SurfaceVertex| place(*r).map_or(f32::MAX, |p| p.distance_squared(at));
            let roots = self.hair.roots.iter().enumerate();
            let nearest = roots.min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
            if let Some(nearest) = nearest.map(|(i, _)| i) {
                self.hair.roots.remove(nearest);
            }
            return self.propose();
        }
        let is_picked = self.tools.marked().contains(&vertex);
        let piece = if is_picked { Vec::new() } else { select::piece(detection, vertex) };
        if how == Marking::Replace {
            self.hair.roots.clear();
        }
        if !self.hair.roots.contains(&vertex) {
            self.hair.roots.push(vertex);
        }
        if is_picked { self.propose() } else { self.mark(piece, how) }
    }

    /// Other skin is marked: in the Hair workspace that is what is picked.
    pub(in crate::studio) fn follow_marks(&mut self) -> Changes {
        if self.workspace == Workspace::Hair {
            return self.propose();
        }
        // They are of other skin now, and worked out again where they are seen.
        self.hair.proposals.clear();
        Changes::NONE
    }

    /// Works out what a fit of what is picked would do; nothing is changed.
    pub(in crate::studio) fn propose(&mut self) -> Changes {
        let marked = self.tools.marked();
        self.hair.roots.retain(|root| marked.contains(root));
        let picked: Vec<SurfaceVertex> = marked.iter().copied().collect();
        (self.hair.proposals, self.hair.left_out) = self.proposals(picked);
        self.rebuild_overlays();
        Changes::DOCUMENT.and(Changes::SCENE)
    }

    /// The strands of `picked` skin, and how many of its parts are none.
    fn proposals(&self, picked: Vec<SurfaceVertex>) -> (Vec<Proposal>, usize) {
        let Some(open) = self.open.as_ref().filter(|_| !picked.is_empty()) else {
            return (Vec::new(), 0);
        };
        let (Some(loaded), detection) = (open.loaded(), &open.evaluated.detection) else {
            return (Vec::new(), 0);
        };
        let desk = &self.hair;
        let parts = parts(detection, picked, &desk.roots, desk.each_piece);
        let n_parts = parts.len();
        // Crumbs at the edge of a stroke are no strands; what is picked as a whole is what the hand wants.
        let is_strand = |part: &Part| !desk.each_piece || part.0.len() >= LEAST_VERTICES;
        let propose = |(vertices, root): Part| {
            let (joints, attachment) = (desk.joints, desk.attach);
            let (settings, names) = (None, Default::default());
            let plan = StrandPlan { vertices, root, joints, attachment, settings, names };
            let path = propose_strand(loaded, detection, &plan)?;
            Some(Proposal { plan, path })
        };
        let found: Vec<Proposal> =
            parts.into_iter().filter(is_strand).take(MOST_STRANDS).filter_map(propose).collect();
        let left_out = n_parts - found.len();
        (found, left_out)
    }

    pub(super) fn fit_hair(&mut self) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let Some(loaded) = open.loaded().filter(|_| !self.hair.proposals.is_empty()) else {
            let is_picked = !self.tools.marked().is_empty();
            let text = if is_picked { NO_STRAND } else { "Pick the skin of a strand first" };
            return self.notice(NoticeKind::Warning, text);
        };
        let detection = &open.evaluated.detection;
        let decision = |proposal: &Proposal| {
            let StrandPlan { vertices, root, joints, attachment, .. } = &proposal.plan;
            let mut strand = StrandEdit::of(loaded, detection, vertices);
            if let Some(root) = *root {
                strand = strand.from_root(loaded, detection, root);
            }
            strand.joints = *joints;
            strand.attachment = attachment.map(|node| JointRef::of(loaded, node));
            strand
        };
        let strands: Vec<StrandEdit> = self.hair.proposals.iter().map(decision).collect();
        let label = match strands.len() {
            1 => "fit a strand".to_owned(),
            n => format!("fit {n} strands"),
        };
        let body = self.body_among_picked();
        self.pick_hair(HairPick::Clear);
        let changes = self.decide_hair(&label, |hair| {
            for strand in strands {
                hair.put_strand(strand);
            }
        });
        match body {
            Some(text) => changes.and(self.notice(NoticeKind::Warning, text)),
            None => changes,
        }
    }

    /// A warning where much of what would be fitted follows hips, arms or legs, and nobody said what it hangs from.
    fn body_among_picked(&self) -> Option<String> {
        let open = self.open.as_ref()?;
        let (loaded, detection) = (open.loaded()?, &open.evaluated.detection);
        let plans = || self.hair.proposals.iter().map(|p| &p.plan);
        let is_free = plans().all(|plan| plan.attachment.is_none());
        let all: usize = plans().map(|plan| plan.vertices.len()).sum();
        let of_body: usize =
            plans().map(|plan| select::on_the_body(loaded, detection, &plan.vertices)).sum();
        (is_free && of_body * select::MOST_OF_BODY > all).then(|| {
            let of_body = words::count(of_body);
            format!(
                "{of_body} of {} follow hips, arms or legs: is all of it hair? Undo gives their weights back",
                words::counted(all, "vertex", "vertices")
            )
        })
    }

    /// What a fit would do, over the skin: of each strand the path, its joints, the root.
    pub(in crate::studio) fn hair_lines(&self) -> Vec<LineMark> {
        let Some(playback) = &self.playback else { return Vec::new() };
        let rigged = playback.rigged();
        let mut lines = Vec::new();
        for Proposal { path, .. } in &self.hair.proposals {
            let bind = rigged.bind.world.matrix(path.attachment);
            let moved = playback.world().matrix(path.attachment) * bind.inverse();
            let at = |p: &glam::Vec3| moved.transform_point3(*p);
            let mut points = vec![at(&path.root)];
            points.extend(path.places.iter().map(at));
            lines.push(LineMark { points, accent: Accent::Selected, is_dashed: true });
            let radii = std::iter::once(&path.fixed_m).chain(&path.radii_m);
            for (place, radius) in path.places.iter().zip(radii) {
                lines.push(ring(at(place), radius.max(0.004), Accent::Chain));
            }
            lines.push(ring(at(&path.root), path.fixed_m, Accent::Collar));
        }
        lines
    }

    /// `812 vertices of Ponytail, 2 roots`; empty where nothing is picked.
    pub(super) fn picked_line(&self) -> String {
        let marked = self.tools.marked();
        let surface = self.evaluated().map(|e| &e.detection.surface);
        let loaded = self.open.as_ref().and_then(|open| open.loaded());
        let (Some(loaded), Some(surface), false) = (loaded, surface, marked.is_empty()) else {
            return String::new();
        };
        let is_in = |range: std::ops::Range<u32>| {
            marked.range(SurfaceVertex(range.start)..SurfaceVertex(range.end)).next().is_some()
        };
        let meshes = loaded.instances().filter(|(i, _)| is_in(surface.vertices_of(*i)));
        let names: BTreeSet<&str> =
            meshes.filter_map(|(_, i)| Some(loaded.mesh_of(i)?.name.as_str())).collect();
        let n = words::counted(marked.len(), "vertex", "vertices");
        let line = match names.iter().next() {
            Some(first) if names.len() > 1 => {
                let others = words::counted(names.len() - 1, "other mesh", "other meshes");
                format!("{n} of {first} and {others}")
            }
            Some(first) if !first.is_empty() => format!("{n} of {first}"),
            _ => n,
        };
        match self.hair.roots.len() {
            0 => line,
            roots => format!("{line}, {}", words::counted(roots, "root", "roots")),
        }
    }

    /// What a fit would do, a line for each strand; why there is none.
    pub(super) fn proposal_lines(&self) -> Vec<String> {
        let desk = &self.hair;
        let Some(evaluated) = self.evaluated() else { return Vec::new() };
        let skeleton = &evaluated.rigged.character.skeleton;
        let about = |path: &StrandPath| {
            format!(
                "from {}, {:.2} m, {}, the first {:.1} cm fixed",
                skeleton.name(path.attachment),
                path.length_m,
                words::counted(path.n_joints(), "bone", "bones"),
                100.0 * path.fixed_m
            )
        };
        let mut lines: Vec<String> = match desk.proposals.as_slice() {
            [one] => vec![about(&one.path)],
            many => many.iter().zip(1..).map(|(p, n)| format!("{n}: {}", about(&p.path))).collect(),
        };
        match (lines.is_empty(), desk.left_out) {
            (_, 0) => {}
            (true, _) => {
                lines.push(NO_STRAND.to_owned());
            }
            (false, n) => {
                lines.push(format!("{} left out", words::counted(n, "other part", "other parts")));
            }
        }
        lines
    }
}
