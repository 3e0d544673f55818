//! Applies verdicts: region by region into new joints and weights, then all at once into the character.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::blend::{blend_share, rings_outside};
use super::branches::branches;
use super::centre_line::{Sample, centre_line, segment_count, slice, sorted};
use super::columns::{Across, across};
use super::existing::{existing_chains, tune};
use super::hair::{self, StrandPlan};
use super::joints::{GrownJoints, Growth, grow, usable_attachment};
use super::measured::Measured;
use super::moved::Moved;
use super::names::{ChainName, Names};
use super::skinning::{self, WeightEdits};
use super::spread::{SpreadJoint, spread_weights};
use super::weights::{NodeWeights, chain_weights, segment_weights};
use super::{RigSettings, Treatment};
use crate::detect::Detection;
use crate::geometry::Patch;
use crate::model::{
    BindPose, Chain, ChainOrigin, Character, NodeIndex, Region, RegionKind, Rigged, Strand,
    SurfaceVertex, Tip, Verdict, VrmVersion,
};
use crate::work::{Stopped, Work};

/// Most rings of body skin that hand their weights over.
const MOST_RINGS: u32 = RigSettings::MOST_BLEND_RINGS;

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
        names: Names::of(&character.skeleton, settings.naming),
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
    for (at, plan) in settings.hair.strands.iter().enumerate() {
        build.strand(at as u32, plan);
    }
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
    for chain in &mut chains {
        let is_front = hair::hangs_in_front(&bind, detection, chain);
        if let Some(strand) = &mut chain.hair {
            strand.is_front = is_front;
        }
    }
    let colliders = hair::fit_colliders(&character, detection, &bind, &mut chains, &settings.hair);
    work.tick("rig", total, total)?;
    Ok(Rigged {
        character,
        chains,
        colliders,
        changes,
        bind,
        humanoid: detection.humanoid.clone(),
        body: detection.body,
    })
}

/// Where a region meets the body: its welded vertices, and what body skin next to it is drawn towards.
struct Edge {
    inside: Vec<u32>,
    root: Root,
}

/// Weights that skin just outside a region is drawn towards.
enum Root {
    /// The same all round: what the region hangs from.
    All(NodeWeights),
    /// By welded vertex: the region's own weights led on.
    Each(BTreeMap<u32, NodeWeights>),
}

impl Root {
    fn at(&self, welded: u32) -> Option<&NodeWeights> {
        match self {
            Self::All(row) => Some(row),
            Self::Each(rows) => rows.get(&welded),
        }
    }
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

/// One chain to be built.
struct Plan<'a> {
    region: &'a Region,
    treatment: &'a Treatment,
    attachment: NodeIndex,
    samples: &'a [Sample],
    root: Vec3,
    length_m: f32,
    /// Whether joints may stand where a hand put them.
    is_alone: bool,
}

/// A chain as it stands, and how its skin is counted along it.
struct Standing {
    chain: GrownJoints,
    length_m: f32,
    moved: Option<Moved>,
}

impl Standing {
    /// Weights of skin at `g` metres along the chain.
    fn weights(&self, g: f32, attachment: NodeIndex) -> NodeWeights {
        let g = self.moved.as_ref().map_or(g, |moved| moved.along(g));
        chain_weights(g, self.length_m, attachment, &self.chain.joints)
    }
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
    ///
    /// Copies in hidden meshes come along (a coarser copy of the body must not keep a stiff tail), but a hidden part
    /// that merely touches the region and has no skin is not given one.
    fn put(&mut self, region: &Region, weights: impl Fn(u32) -> NodeWeights) {
        let welded = self.detection.topology.welded_vertices(&region.vertices);
        self.put_welded(&welded, weights);
    }

    fn put_welded(&mut self, vertices: &[u32], weights: impl Fn(u32) -> NodeWeights) {
        let topology = &self.detection.topology;
        let surface = &self.detection.surface;
        for &welded in vertices {
            let row = weights(welded);
            for vertex in topology.copies(welded).iter().map(|&copy| SurfaceVertex(copy)) {
                let (index, _) = surface.locate(vertex);
                let is_skinned = self.character.instance(index).is_some_and(|i| i.skin.is_some());
                let is_visible = surface.is_visible.get(index.index()).copied().unwrap_or(false);
                if is_skinned || is_visible {
                    self.edits.weights.insert(vertex, row.clone());
                }
            }
            self.edited.insert(welded);
        }
    }

    fn edge(&mut self, region: &Region, root: NodeWeights) {
        let inside = self.detection.topology.welded_vertices(&region.vertices);
        self.edges.push(Edge { inside, root: Root::All(root) });
    }

    fn measured(&self, region: &Region, attachment: NodeIndex) -> Measured {
        Measured::of(&self.detection.topology, region, self.bind.position(attachment))
    }

    fn chain(&mut self, region: &Region, treatment: &Treatment, attachment: NodeIndex) {
        let measured = self.measured(region, attachment);
        let height = self.detection.body.height_m;
        let found = branches(&measured.patch, &measured.along_m, &measured.areas, 0.1 * height);
        let forked = found.len() > 1;
        let mut grown: Vec<Option<Standing>> = Vec::with_capacity(found.len());
        for branch in &found {
            let belongs = |v: u32| branch.vertices.binary_search(&v).is_ok();
            let samples: Vec<Sample> = measured
                .samples(|v| if belongs(v) { 1.0 } else { 0.0 })
                .into_iter()
                .map(|s| Sample { along_m: (s.along_m - branch.from_m).max(0.0), ..s })
                .collect();
            let (length_m, anchor, root) = match branch.parent {
                None if !forked => (measured.length_m, attachment, region.collar_center),
                None => (measured.length_of(0.0, belongs), attachment, region.collar_center),
                Some(parent) => {
                    let from = branch.from_m;
                    let parent = grown.get(parent).zip(found.get(parent));
                    let anchor = parent.and_then(|(chain, branch)| {
                        let Standing { chain, length_m, .. } = chain.as_ref()?;
                        Some(fork_anchor(chain, *length_m, from - branch.from_m))
                    });
                    let root = fork_root(&samples).unwrap_or(region.collar_center);
                    (measured.length_of(from, belongs), anchor.unwrap_or(attachment), root)
                }
            };
            let is_alone = !forked;
            grown.push(self.grow(&Plan {
                region,
                treatment,
                attachment: anchor,
                samples: &samples,
                root,
                length_m,
                is_alone,
            }));
        }
        let mut by_welded: BTreeMap<u32, NodeWeights> = BTreeMap::new();
        for (branch, chain) in found.iter().zip(&grown) {
            let Some(chain) = chain else { continue };
            for &v in &branch.vertices {
                let Some(&welded) = measured.patch.welded.get(v as usize) else { continue };
                let g = (measured.along(v) - branch.from_m).max(0.0);
                by_welded.insert(welded, chain.weights(g, chain.chain.attachment));
            }
        }
        let Some(Some(trunk)) = grown.first() else { return };
        let root = trunk.weights(0.0, attachment);
        self.put(region, |w| by_welded.get(&w).cloned().unwrap_or_else(|| root.clone()));
        self.edge(region, root);
    }

    /// Grows the joints of one chain and records it.
    fn grow(&mut self, plan: &Plan<'_>) -> Option<Standing> {
        let height = self.detection.body.height_m;
        let k = match plan.treatment.joints {
            Some(k) => k.clamp(1, 64) as usize,
            None => segment_count(plan.length_m, height),
        };
        let line = centre_line(plan.samples, plan.root, plan.length_m, k);
        let by_hand = &plan.treatment.places;
        let is_moved = plan.is_alone && by_hand.len() == line.len();
        let places = if is_moved { by_hand } else { &line };
        if line.iter().chain(places).any(|p| !p.is_finite()) {
            return None;
        }
        let moved = (is_moved && !plan.treatment.locks_weights)
            .then(|| Moved::of(&line, places, plan.length_m));
        let origin = ChainOrigin::Grown(plan.region.id);
        let place = self.chains.iter().filter(|c| c.origin == origin).count() as u32;
        let unnamed = ChainName::default();
        let wanted = plan.treatment.names.get(&place).unwrap_or(&unnamed);
        let (name, names) = self.names.chain(plan.region.kind, k, wanted);
        let growth = Growth {
            attachment: plan.attachment,
            places,
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
            origin,
            settings: self.settings.springs,
            hair: None,
            is_driven: true,
        });
        Some(Standing { chain: grown, length_m: plan.length_m, moved })
    }

    /// Gives a picked strand joints and weights of its own; other strands keep theirs, so nothing is blended.
    fn strand(&mut self, at: u32, plan: &StrandPlan) {
        let Some(path) = hair::propose_strand(&self.character, self.detection, plan) else {
            return;
        };
        let (name, names) = self.names.chain(RegionKind::Hair, path.n_joints(), &plan.names);
        let growth = Growth {
            attachment: path.attachment,
            places: &path.places,
            names,
            axes: self.settings.axes,
            left: self.detection.body.left(),
        };
        let Some(grown) = grow(&mut self.character.skeleton, &mut self.bind, growth) else {
            return;
        };
        self.edits.chains.push(grown.all().collect());
        let weights = hair::fitted_weights(&path, &grown.joints);
        let welded: Vec<u32> = weights.keys().copied().collect();
        self.put_welded(&welded, |w| weights.get(&w).cloned().unwrap_or_default());
        let settings = plan.settings.unwrap_or(self.settings.hair.settings);
        let mut strand = Strand::uniform(settings, grown.joints.len());
        let version = self.character.vrm.as_ref().map_or(VrmVersion::V1, |vrm| vrm.version);
        for (link, &radius) in strand.links.iter_mut().zip(&path.radii_m) {
            link.radius_m = Some(radius);
            link.raw.drag = version.usual_drag();
        }
        self.chains.push(Chain {
            name,
            anchor: grown.attachment,
            joints: grown.joints.clone(),
            tip: Tip::Node(grown.end),
            origin: ChainOrigin::Strand(at),
            settings: self.settings.springs,
            hair: Some(strand),
            is_driven: true,
        });
    }

    fn columns(&mut self, region: &Region, treatment: &Treatment, attachment: NodeIndex) {
        let measured = self.measured(region, attachment);
        let n = treatment.columns.unwrap_or(COLUMNS).clamp(2, 64) as usize;
        let laid = across(&measured.patch, &measured.along_m, &measured.collar, n);
        let mut grown = Vec::with_capacity(n);
        for column in 0..n {
            let share = |v: u32| laid.share(v as usize, column);
            let samples = measured.samples(share);
            let length_m = measured.length_of(0.0, |v| share(v) > 0.0);
            let root = column_root(&measured, &laid, column).unwrap_or(region.collar_center);
            let samples = samples.as_slice();
            let is_alone = false;
            let plan = Plan { region, treatment, attachment, samples, root, length_m, is_alone };
            grown.push(self.grow(&plan));
        }
        let row = |v: usize| -> NodeWeights {
            let g = measured.along_m.get(v).copied().unwrap_or(0.0);
            let mut row = NodeWeights::new();
            for (column, share) in laid.shares(v) {
                if let Some(Some(chain)) = grown.get(column)
                    && share > 0.0
                {
                    let along = chain.weights(g, attachment);
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
        // The weights are led on over the rings outside, so that the body's can pass into them there.
        let topology = &self.detection.topology;
        let inside = topology.welded_vertices(&region.vertices);
        let rings = self.settings.blend_rings.min(MOST_RINGS);
        let mut welded = inside.clone();
        welded.extend(rings_outside(&topology.graph, &inside, rings, |_| true).iter().map(|r| r.0));
        welded.sort_unstable();
        let patch = Patch::new(&topology.graph, welded);
        let weights = spread_weights(&patch, &joints);
        let rows: BTreeMap<u32, NodeWeights> = patch.welded.iter().copied().zip(weights).collect();
        self.put(region, |welded| rows.get(&welded).cloned().unwrap_or_default());
        self.edges.push(Edge { inside, root: Root::Each(rows) });
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
        let rings = self.settings.blend_rings.min(MOST_RINGS);
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
            let Some(root) = self.edges.get(which).and_then(|e| e.root.at(welded)) else {
                continue;
            };
            let share = blend_share(ring, rings);
            for &copy in topology.copies(welded) {
                let vertex = SurfaceVertex(copy);
                let mut row: NodeWeights =
                    root.iter().map(|&(node, w)| (node, w * share)).collect();
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

/// The joint that a branch hangs from which forks off a chain at `from_m` of its length.
fn fork_anchor(chain: &GrownJoints, length_m: f32, from_m: f32) -> NodeIndex {
    let k = chain.joints.len();
    // Within half a segment of the root it hangs from what the chain hangs from: a fan, not a fork.
    if from_m < 0.5 * length_m / k as f32 {
        return chain.attachment;
    }
    let segment = segment_weights(from_m, length_m, k).segment;
    chain.joints.get(segment).copied().unwrap_or(chain.attachment)
}

/// Middle of the first twentieth of a branch.
fn fork_root(samples: &[Sample]) -> Option<Vec3> {
    let samples = sorted(samples.to_vec());
    let reach = samples.last()?.along_m;
    slice(&samples, 0.0, 0.05 * reach).or_else(|| slice(&samples, 0.0, reach)).map(|s| s.centroid)
}

/// Middle of the collar within one column.
fn column_root(measured: &Measured, laid: &Across, column: usize) -> Option<Vec3> {
    let mut sum = Vec3::ZERO;
    let mut total = 0.0;
    for &v in &measured.collar {
        let share = laid.share(v as usize, column);
        sum += measured.position(v) * share;
        total += share;
    }
    (total > 0.0).then(|| sum / total)
}
