//! Applies verdicts: region by region into new joints and weights, then all at once into the character.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::blend::{blend_share, rings_outside};
use super::branches::{Branch, branches};
use super::centre_line::{Sample, centre_line, segment_count, slice};
use super::columns::across;
use super::existing::{existing_chains, tune};
use super::joints::{GrownJoints, Growth, grow, usable_attachment};
use super::names::Names;
use super::skinning::{self, WeightEdits};
use super::spread::{SpreadJoint, spread_weights};
use super::weights::{NodeWeights, chain_weights, segment_weights};
use super::{RigSettings, Treatment};
use crate::detect::Detection;
use crate::geometry::Patch;
use crate::math::stats::percentile;
use crate::model::{
    BindPose, Chain, ChainOrigin, Character, NodeIndex, Region, Rigged, SurfaceVertex, Tip, Verdict,
};
use crate::work::{Stopped, Work};

/// Default number of columns of a garment.
const COLUMNS: u32 = 6;

/// The character with `settings` and the verdicts of `detection` applied.
///
/// `detection` must be of this character. Chains come in the order of their regions, then the existing ones, then those
/// made by hand. Where every verdict is to leave things, nothing changes and
/// [`RigChanges::is_empty`](crate::model::RigChanges::is_empty) says so.
///
/// Cost: O(R log R) in the vertices of the edited regions, O(V) in those of the meshes they lie in.
///
/// # Errors
/// [`Stopped`] when `work` was cancelled.
///
/// Based on: spec 1.6 to 1.8, 8 (D4, D8, W6).
pub fn rig(
    character: &Character,
    detection: &Detection,
    settings: &RigSettings,
    work: &Work,
) -> Result<Rigged, Stopped> {
    let first_new_node = character.skeleton.len();
    let mut build = Build {
        detection,
        settings,
        character: character.clone(),
        bind: detection.bind.clone(),
        names: Names::of(&character.skeleton),
        edits: WeightEdits::default(),
        chains: Vec::new(),
        edges: Vec::new(),
        edited: BTreeSet::new(),
    };
    let total = detection.regions.len() as u64 + 1;
    for (done, region) in (0..).zip(&detection.regions) {
        work.tick("rig", done, total)?;
        build.treat(region);
    }
    work.tick("rig", total - 1, total)?;
    build.blend();
    let mut chains = build.chains;
    chains.extend(existing_chains(character, detection, settings));
    tune(&mut chains, detection, settings);
    let mut character = build.character;
    let mut bind = build.bind;
    let changes = skinning::apply(
        &mut character,
        &mut bind,
        first_new_node,
        &build.edits,
        settings.influences,
    );
    work.tick("rig", total, total)?;
    Ok(Rigged {
        character,
        chains,
        changes,
        bind,
        humanoid: detection.humanoid.clone(),
        body: detection.body,
    })
}

/// Where a region meets the body: its welded vertices, and what body skin next to it is drawn towards.
struct Edge {
    inside: Vec<u32>,
    root: NodeWeights,
}

struct Build<'a> {
    detection: &'a Detection,
    settings: &'a RigSettings,
    character: Character,
    bind: BindPose,
    names: Names,
    edits: WeightEdits,
    chains: Vec<Chain>,
    edges: Vec<Edge>,
    /// Welded vertices of all regions edited so far.
    edited: BTreeSet<u32>,
}

/// A region as a mesh of its own, measured from its collar.
struct Measured {
    patch: Patch,
    /// `[P]`, finite.
    along_m: Vec<f32>,
    /// `[P]`; 0 for collar vertices that are not of the region.
    areas: Vec<f32>,
    /// Places in the patch of the collar.
    collar: Vec<u32>,
    length_m: f32,
}

impl Measured {
    fn sample(&self, v: u32) -> Sample {
        let i = v as usize;
        Sample {
            position: self.patch.graph.positions.get(i).copied().unwrap_or(Vec3::ZERO),
            along_m: self.along_m.get(i).copied().unwrap_or(0.0),
            area: self.areas.get(i).copied().unwrap_or(0.0),
        }
    }
}

/// One chain to be built.
struct Plan<'a> {
    region: &'a Region,
    treatment: &'a Treatment,
    attachment: NodeIndex,
    samples: &'a [Sample],
    root: Vec3,
    length_m: f32,
}

impl Build<'_> {
    fn treat(&mut self, region: &Region) {
        let treatment = self.settings.treatment(region.id, region.kind);
        let wanted = treatment.attachment.unwrap_or(region.attachment);
        let verdict = treatment.verdict.unwrap_or(region.verdict);
        let Some(attachment) = usable_attachment(&self.character.skeleton, &self.bind, wanted)
        else {
            return;
        };
        if region.vertices.is_empty() {
            return;
        }
        match verdict {
            Verdict::Leave => {}
            Verdict::Rigid => {
                self.put(region, |_| vec![(attachment, 1.0)]);
                self.edge(region, vec![(attachment, 1.0)]);
            }
            Verdict::Chain => self.chain(region, &treatment, attachment),
            Verdict::Columns => self.columns(region, &treatment, attachment),
            Verdict::Spread => self.spread(region, &treatment, attachment),
        }
    }

    /// Gives every vertex of a region weights by its welded vertex, so that copies always agree.
    fn put(&mut self, region: &Region, weights: impl Fn(u32) -> NodeWeights) {
        let topology = &self.detection.topology;
        for welded in topology.welded_vertices(&region.vertices) {
            let row = weights(welded);
            for &copy in topology.copies(welded) {
                self.edits.weights.insert(SurfaceVertex(copy), row.clone());
            }
            self.edited.insert(welded);
        }
    }

    fn edge(&mut self, region: &Region, root: NodeWeights) {
        let inside = self.detection.topology.welded_vertices(&region.vertices);
        self.edges.push(Edge { inside, root });
    }

    fn measured(&self, region: &Region, attachment: NodeIndex) -> Measured {
        let topology = &self.detection.topology;
        let own = topology.welded_vertices(&region.vertices);
        let mut collar = topology.welded_vertices(&region.collar);
        let mut all: Vec<u32> = own.iter().chain(&collar).copied().collect();
        all.sort_unstable();
        all.dedup();
        let patch = Patch::new(&topology.graph, all);
        if collar.is_empty() {
            // Nothing says where it begins: at the vertex nearest to what it hangs from.
            let from = self.bind.position(attachment);
            let distance = |v: u32| {
                topology.graph.positions.get(v as usize).map_or(0.0, |p| p.distance_squared(from))
            };
            collar.extend(
                own.iter()
                    .copied()
                    .min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b))),
            );
        }
        let collar: Vec<u32> = collar.iter().filter_map(|&v| patch.local(v)).collect();
        let along_m: Vec<f32> = patch
            .distances_from(&collar)
            .into_iter()
            .map(|g| if g.is_finite() { g } else { 0.0 })
            .collect();
        let mut areas = patch.graph.vertex_areas();
        for (area, welded) in areas.iter_mut().zip(&patch.welded) {
            if own.binary_search(welded).is_err() {
                *area = 0.0;
            } else if *area <= 0.0 {
                // Loose points count a little, so that a region of nothing else has a centre line too.
                *area = f32::MIN_POSITIVE.sqrt();
            }
        }
        let length_m = if region.scores.length_m > 0.0 {
            region.scores.length_m
        } else {
            percentile(&mut along_m.clone(), 0.99)
        };
        Measured { patch, along_m, areas, collar, length_m }
    }

    fn chain(&mut self, region: &Region, treatment: &Treatment, attachment: NodeIndex) {
        let measured = self.measured(region, attachment);
        let height = self.detection.body.height_m;
        let found = branches(&measured.patch, &measured.along_m, &measured.areas, 0.1 * height);
        let forked = found.len() > 1;
        let mut grown: Vec<Option<(GrownJoints, f32)>> = Vec::with_capacity(found.len());
        for branch in &found {
            let samples: Vec<Sample> =
                branch.vertices.iter().map(|&v| measured.sample(v)).collect();
            let (anchor, root) = self.branch_root(branch, &grown, attachment, region, &samples);
            let samples: Vec<Sample> = samples
                .into_iter()
                .map(|s| Sample { along_m: (s.along_m - branch.from_m).max(0.0), ..s })
                .collect();
            let length_m = if forked { length_of(&samples) } else { measured.length_m };
            let plan =
                Plan { region, treatment, attachment: anchor, samples: &samples, root, length_m };
            grown.push(self.grow(plan).map(|chain| (chain, length_m)));
        }
        let mut by_welded: BTreeMap<u32, NodeWeights> = BTreeMap::new();
        for (branch, chain) in found.iter().zip(&grown) {
            let Some((chain, length_m)) = chain else { continue };
            for &v in &branch.vertices {
                let Some(&welded) = measured.patch.welded.get(v as usize) else { continue };
                let g = (measured.sample(v).along_m - branch.from_m).max(0.0);
                let row = chain_weights(g, *length_m, chain.attachment, &chain.joints);
                by_welded.insert(welded, row);
            }
        }
        let Some(Some((trunk, length_m))) = grown.first() else { return };
        let root = chain_weights(0.0, *length_m, attachment, &trunk.joints);
        self.put(region, |w| by_welded.get(&w).cloned().unwrap_or_else(|| root.clone()));
        self.edge(region, root);
    }

    /// The joint a branch hangs from, and where it begins.
    fn branch_root(
        &self,
        branch: &Branch,
        grown: &[Option<(GrownJoints, f32)>],
        attachment: NodeIndex,
        region: &Region,
        samples: &[Sample],
    ) -> (NodeIndex, Vec3) {
        let Some(parent) = branch.parent else { return (attachment, region.collar_center) };
        let anchor = match grown.get(parent) {
            Some(Some((chain, length_m))) => {
                let k = chain.joints.len();
                let at = segment_weights(branch.from_m, *length_m, k);
                // Within half a segment of the root it hangs from what the trunk hangs from: a fan, not a fork.
                let is_fan = branch.from_m < 0.5 * length_m / k as f32;
                let joint = chain.joints.get(at.segment).copied();
                if is_fan { chain.attachment } else { joint.unwrap_or(attachment) }
            }
            _ => attachment,
        };
        let reach = samples.iter().map(|s| s.along_m - branch.from_m).fold(0.0, f32::max);
        let ring = slice(samples, branch.from_m, branch.from_m + 0.05 * reach);
        let first = samples.first().map_or(region.collar_center, |s| s.position);
        (anchor, ring.map_or(first, |r| r.centroid))
    }

    /// Grows the joints of one chain and records it.
    fn grow(&mut self, plan: Plan<'_>) -> Option<GrownJoints> {
        let height = self.detection.body.height_m;
        let k = match plan.treatment.joints {
            Some(k) => k.clamp(1, 64) as usize,
            None => segment_count(plan.length_m, height),
        };
        let places = centre_line(plan.samples, plan.root, plan.length_m, k);
        if places.iter().any(|p| !p.is_finite()) {
            return None;
        }
        let (name, names) = self.names.chain(plan.region.kind, k);
        let growth = Growth {
            attachment: plan.attachment,
            places: &places,
            names,
            axes: plan.treatment.axes.unwrap_or(self.settings.axes),
            left: self.detection.body.left(),
        };
        let grown = grow(&mut self.character.skeleton, &mut self.bind, growth)?;
        self.edits.chains.push(grown.all().collect());
        self.chains.push(Chain {
            name,
            anchor: grown.attachment,
            joints: grown.joints.clone(),
            tip: Tip::Node(grown.end),
            origin: ChainOrigin::Grown(plan.region.id),
            settings: self.settings.springs,
            is_driven: true,
        });
        Some(grown)
    }

    fn columns(&mut self, region: &Region, treatment: &Treatment, attachment: NodeIndex) {
        let measured = self.measured(region, attachment);
        let n = treatment.columns.unwrap_or(COLUMNS).clamp(2, 64) as usize;
        let laid = across(&measured.patch, &measured.along_m, &measured.collar, n);
        let mut grown = Vec::with_capacity(n);
        for column in 0..n {
            let samples: Vec<Sample> = (0..measured.along_m.len())
                .filter_map(|v| {
                    let share: f32 = laid
                        .shares(v)
                        .iter()
                        .filter(|(c, _)| *c == column)
                        .map(|(_, share)| share)
                        .sum();
                    let sample = measured.sample(v as u32);
                    (share > 0.0).then_some(Sample { area: sample.area * share, ..sample })
                })
                .collect();
            let length_m = length_of(&samples);
            let root = column_root(&measured, &laid, column).unwrap_or(region.collar_center);
            let plan = Plan { region, treatment, attachment, samples: &samples, root, length_m };
            grown.push(self.grow(plan).map(|chain| (chain, length_m)));
        }
        let row = |v: usize| -> NodeWeights {
            let g = measured.along_m.get(v).copied().unwrap_or(0.0);
            let mut row = NodeWeights::new();
            for (column, share) in laid.shares(v) {
                if let Some(Some((chain, length_m))) = grown.get(column)
                    && share > 0.0
                {
                    let along = chain_weights(g, *length_m, attachment, &chain.joints);
                    row.extend(along.into_iter().map(|(node, w)| (node, w * share)));
                }
            }
            row
        };
        self.put(region, |welded| {
            measured.patch.local(welded).map(|v| row(v as usize)).unwrap_or_default()
        });
        self.edge(region, vec![(attachment, 1.0)]);
    }

    fn spread(&mut self, region: &Region, treatment: &Treatment, attachment: NodeIndex) {
        let nodes = if treatment.spread.is_empty() {
            self.carriers(region, attachment)
        } else {
            treatment.spread.clone()
        };
        let children = self.character.skeleton.children();
        let joints: Vec<SpreadJoint> = nodes
            .into_iter()
            .filter(|n| n.index() < self.character.skeleton.len())
            .map(|node| {
                let head = self.bind.position(node);
                let tails = children.get(node.index()).into_iter().flatten();
                let mut segments: Vec<[Vec3; 2]> =
                    tails.map(|&c| [head, self.bind.position(c)]).collect();
                segments.push([head, head]);
                SpreadJoint { node, segments }
            })
            .collect();
        let measured = self.measured(region, attachment);
        let weights = spread_weights(&measured.patch, &joints);
        self.put(region, |welded| {
            let local = measured.patch.local(welded);
            local.and_then(|v| weights.get(v as usize).cloned()).unwrap_or_default()
        });
    }

    /// The attachment and the joints that carry a twentieth of a region's weights or more, at most eight of them.
    fn carriers(&self, region: &Region, attachment: NodeIndex) -> Vec<NodeIndex> {
        let mut loads: BTreeMap<NodeIndex, f32> = BTreeMap::new();
        for &vertex in &region.vertices {
            let (instance, local) = self.detection.surface.locate(vertex);
            if let Some(instance) = self.character.instance(instance) {
                self.character.for_each_influence(instance, local as usize, |node, w| {
                    *loads.entry(node).or_default() += w;
                });
            }
        }
        let least = 0.05 * region.vertices.len() as f32;
        let mut found: Vec<(NodeIndex, f32)> =
            loads.into_iter().filter(|&(node, load)| load >= least && node != attachment).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(7);
        std::iter::once(attachment).chain(found.into_iter().map(|(node, _)| node)).collect()
    }

    /// Hands the weights of body skin just outside the edited regions over to what those hang from.
    fn blend(&mut self) {
        let topology = &self.detection.topology;
        let rings = self.settings.blend_rings.min(16);
        // A vertex in the rings of two regions goes with the nearer one, the first of two equals.
        let mut nearest: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
        for (which, edge) in self.edges.iter().enumerate() {
            let is_free = |v: u32| !self.edited.contains(&v);
            for (welded, ring) in rings_outside(&topology.graph, &edge.inside, rings, is_free) {
                let entry = nearest.entry(welded).or_insert((ring, which));
                *entry = (*entry).min((ring, which));
            }
        }
        for (welded, (ring, which)) in nearest {
            let Some(edge) = self.edges.get(which) else { continue };
            let share = blend_share(ring, rings);
            for &copy in topology.copies(welded) {
                let vertex = SurfaceVertex(copy);
                let mut row: NodeWeights =
                    edge.root.iter().map(|&(node, w)| (node, w * share)).collect();
                let (index, local) = self.detection.surface.locate(vertex);
                let Some(instance) = self.character.instance(index) else { continue };
                self.character.for_each_influence(instance, local as usize, |node, w| {
                    row.push((node, w * (1.0 - share)));
                });
                self.edits.weights.insert(vertex, row);
            }
        }
    }
}

/// L of samples: the 99th percentile of g.
fn length_of(samples: &[Sample]) -> f32 {
    let mut along: Vec<f32> = samples.iter().filter(|s| s.area > 0.0).map(|s| s.along_m).collect();
    percentile(&mut along, 0.99).max(1e-6)
}

/// Middle of the collar within one column.
fn column_root(measured: &Measured, laid: &super::columns::Across, column: usize) -> Option<Vec3> {
    let mut sum = Vec3::ZERO;
    let mut total = 0.0;
    for &v in &measured.collar {
        for (c, share) in laid.shares(v as usize) {
            if c == column {
                sum += measured.sample(v).position * share;
                total += share;
            }
        }
    }
    (total > 0.0).then(|| sum / total)
}
