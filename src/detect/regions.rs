//! From far skin to regions: candidates of the merge tree, completed, merged, measured and judged.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::complete::{Completed, complete};
use super::far_part::{FarPart, marked, mean};
use super::measures::Measured;
use super::merge_tree::MergeTree;
use super::scene::{Place, Scene};
use super::shell::own_shell;
use super::verdict::{Judgement, judge};
use crate::model::{
    NodeIndex, Reason, ReasonCode, Region, RegionId, RegionKind, SurfaceVertex, Verdict,
};
use crate::work::{Stopped, Work};

/// A candidate on its way to a region.
struct Draft {
    far: FarPart,
    whole: Completed,
    /// Whether it passed test 1; what did not is listed as body.
    is_appendage: bool,
}

/// All regions of the scene, largest first.
pub(super) fn regions(scene: &Scene, work: &Work) -> Result<Vec<Region>, Stopped> {
    let h = scene.height();
    let tree = || {
        MergeTree::new(
            &scene.topology.graph,
            &scene.field.distance,
            |v| scene.is_skin[v as usize],
            scene.far_m(),
            scene.settings.persistence_share * h,
        )
    };
    // Who is done first with the gaps takes the body: shells take longer, and are waited for.
    let (found, ()) = rayon::join(|| of_tree(scene, &tree(), work), || scene.prepare_gaps());
    let mut regions = found?;
    number(&mut regions);
    Ok(regions)
}

/// The regions of the tree and those without a skin, in no order.
fn of_tree(scene: &Scene, tree: &MergeTree, work: &Work) -> Result<Vec<Region>, Stopped> {
    let total = tree.branches.len() as u64;
    // Both halves count on.
    let n_done = AtomicU64::new(0);
    let is_on_body = |root: &usize| scene.is_body_skin(tree.lowest(*root));
    let (on_body, on_shells): (Vec<usize>, Vec<usize>) =
        tree.roots.iter().copied().partition(is_on_body);
    // Skin over skin takes as long to measure as a neck to find: shells do not wait for the body.
    let (shells, body): (Result<Vec<Measured>, Stopped>, Result<_, Stopped>) = rayon::join(
        || {
            let drafts = split(scene, tree, &on_shells, &n_done, work)?;
            Ok(join_alongside(scene, measured(scene, drafts).0))
        },
        || split(scene, tree, &on_body, &n_done, work).map(|drafts| measured(scene, drafts)),
    );
    let (mut all, rest) = body?;
    all.extend(shells?);
    let mut all = join_alongside(scene, all);
    all.extend(rest);
    let (mut regions, loose) = rayon::join(|| judged(scene, all), || skinless(scene));
    work.tick("regions", total, total)?;
    regions.extend(loose);
    Ok(regions)
}

/// Far skin smaller than this share of the whole says nothing.
const LEAST_AREA: f32 = 2e-4;

/// Judges the branches of `roots`, children first: the finest that pass win, what has none that passes is body.
///
/// In waves and not by recursion: a comb makes a tree as deep as it has teeth.
fn split(
    scene: &Scene,
    tree: &MergeTree,
    roots: &[usize],
    n_done: &AtomicU64,
    work: &Work,
) -> Result<Vec<Draft>, Stopped> {
    let n = tree.branches.len();
    // Of the branches that were judged by themselves.
    let mut drafts: Vec<Option<Draft>> = (0..n).map(|_| None).collect();
    let mut has_passed = vec![false; n];
    for wave in waves(tree, roots) {
        let passes_below = |&b: &usize| tree.branches[b].children.iter().any(|&c| has_passed[c]);
        let (parted, whole): (Vec<usize>, Vec<usize>) = wave.into_iter().partition(passes_below);
        n_done.fetch_add(parted.len() as u64, Ordering::Relaxed);
        let judged = whole.par_iter().map(|&branch| {
            work.tick("regions", n_done.fetch_add(1, Ordering::Relaxed), n as u64)?;
            Ok(draft(scene, tree.vertices(branch)))
        });
        let judged: Vec<Option<Draft>> = judged.collect::<Result<_, Stopped>>()?;
        for branch in parted {
            has_passed[branch] = true;
        }
        for (branch, found) in whole.into_iter().zip(judged) {
            for &child in &tree.branches[branch].children {
                drafts[child] = None;
            }
            has_passed[branch] = found.as_ref().is_some_and(|draft| draft.is_appendage);
            drafts[branch] = found;
        }
    }
    let mut found = Vec::new();
    let mut open: Vec<usize> = roots.iter().rev().copied().collect();
    while let Some(branch) = open.pop() {
        match drafts[branch].take() {
            Some(draft) => found.push(draft),
            None => open.extend(tree.branches[branch].children.iter().rev()),
        }
    }
    Ok(found)
}

/// Branches of `roots` by how many branchings stand on top of them: whatever a branch is judged by is in a list before
/// its own.
fn waves(tree: &MergeTree, roots: &[usize]) -> Vec<Vec<usize>> {
    let mut is_of_roots = vec![false; tree.branches.len()];
    let mut open = roots.to_vec();
    while let Some(branch) = open.pop() {
        is_of_roots[branch] = true;
        open.extend(&tree.branches[branch].children);
    }
    let mut wave_of: Vec<usize> = Vec::with_capacity(tree.branches.len());
    let mut waves: Vec<Vec<usize>> = Vec::new();
    for (i, branch) in tree.branches.iter().enumerate() {
        let wave = branch.children.iter().map(|&child| wave_of[child] + 1).max().unwrap_or(0);
        wave_of.push(wave);
        if is_of_roots[i] {
            // Its children are in the wave before.
            waves.resize_with(waves.len().max(wave + 1), Vec::new);
            waves[wave].push(i);
        }
    }
    waves
}

/// Judges far skin by itself; `None` where it is too small to say anything.
fn draft(scene: &Scene, vertices: Vec<u32>) -> Option<Draft> {
    let area: f32 = vertices.iter().map(|&v| scene.area(v)).sum();
    if area < LEAST_AREA * scene.total_area {
        return None;
    }
    let is_body_skin = scene.is_body_skin(vertices[0]);
    let mut far = FarPart::new(scene, vertices);
    let mut is_appendage = far.passes(scene) || !is_body_skin;
    if !is_appendage && let Some(upper) = upper_part(scene, &far) {
        far = upper;
        is_appendage = true;
    }
    let whole = if is_appendage {
        complete(scene, &far)
    } else {
        let collar_center = mean(scene, &far.collar);
        Completed {
            vertices: far.vertices.clone(),
            collar: far.collar.clone(),
            collar_center,
            ..Completed::default()
        }
    };
    Some(Draft { far, whole, is_appendage })
}

/// The upper part of far skin that failed as a whole, where it has a neck: a belly and a tail in one that no saddle
/// parts.
fn upper_part(scene: &Scene, far: &FarPart) -> Option<FarPart> {
    let graph = &scene.topology.graph;
    let height = |v: u32| scene.distance(v);
    let top = far
        .vertices
        .iter()
        .copied()
        .max_by(|&a, &b| height(a).total_cmp(&height(b)).then(b.cmp(&a)))?;
    for share in [0.35, 0.6] {
        let level = scene.far_m() + share * (height(top) - scene.far_m());
        let mut part = vec![top];
        let mut is_seen = vec![false; graph.len()];
        is_seen[top as usize] = true;
        let mut next = 0;
        while let Some(&v) = part.get(next) {
            next += 1;
            for u in graph.around(v) {
                let is_new = !std::mem::replace(&mut is_seen[u as usize], true);
                if is_new && height(u) >= level && scene.is_skin[u as usize] {
                    part.push(u);
                }
            }
        }
        part.sort_unstable();
        let part = FarPart::new(scene, part);
        // Only the neck tells: a cap of a belly is as far from the bones as it is wide.
        if part.has_ring && part.slenderness >= scene.settings.slenderness {
            return Some(part);
        }
    }
    None
}

/// Joins and measures the far pieces that completed to the same skin; apart from these, what is body and none of them.
fn measured(scene: &Scene, drafts: Vec<Draft>) -> (Vec<Measured>, Vec<Measured>) {
    let (found, body): (Vec<Draft>, Vec<Draft>) = drafts.into_iter().partition(|d| d.is_appendage);
    let mut joined: Vec<Draft> = Vec::new();
    for draft in found {
        match joined.iter_mut().find(|other| overlaps(&other.whole, &draft.whole)) {
            Some(other) => absorb(other, draft),
            None => joined.push(draft),
        }
    }
    // A body part that an appendage's completion covers is no candidate of its own any more.
    let mut is_covered = vec![false; scene.topology.graph.len()];
    for &v in joined.iter().flat_map(|d| &d.whole.vertices) {
        is_covered[v as usize] = true;
    }
    let is_free = |draft: &Draft| {
        let inside = draft.far.vertices.iter().filter(|&&v| is_covered[v as usize]).count();
        inside * 2 < draft.far.vertices.len()
    };
    let of_appendage = |d: Draft| {
        let far = far_within(scene, d.far, &d.whole);
        Measured::new(scene, far, d.whole)
    };
    let of_body = |d: Draft| Measured::new(scene, d.far, d.whole);
    rayon::join(
        || joined.into_par_iter().map(of_appendage).collect(),
        || body.into_par_iter().filter(is_free).map(of_body).collect(),
    )
}

/// Joins shells to what they run alongside.
fn join_alongside(scene: &Scene, mut measured: Vec<Measured>) -> Vec<Measured> {
    let mut i = 0;
    while i < measured.len() {
        let partner =
            (i + 1..measured.len()).find(|&j| run_alongside(scene, &measured[i], &measured[j]));
        match partner {
            Some(j) => {
                let other = measured.remove(j);
                let one = measured.remove(i);
                measured.insert(i, join_shells(scene, one, other));
            }
            None => i += 1,
        }
    }
    measured
}

/// The far part without the body that came with it: what the completion did not take.
fn far_within(scene: &Scene, far: FarPart, whole: &Completed) -> FarPart {
    let is_whole = marked(scene.topology.graph.len(), &whole.vertices);
    let inside: Vec<u32> = far.vertices.iter().copied().filter(|&v| is_whole[v as usize]).collect();
    if inside.len() * 10 >= far.vertices.len() * 9 || inside.is_empty() {
        return far;
    }
    FarPart::new(scene, inside)
}

/// Whether two completions hold mostly the same skin.
fn overlaps(a: &Completed, b: &Completed) -> bool {
    let (a, b) = (&a.vertices, &b.vertices);
    n_shared(a, b) * 2 > a.len().min(b.len())
}

/// How many numbers two rising lists share.
fn n_shared(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut n) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        n += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    n
}

fn union(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// Makes `draft` part of `other`; the larger completion knows the root.
fn absorb(other: &mut Draft, draft: Draft) {
    let far = union(&other.far.vertices, &draft.far.vertices);
    let vertices = union(&other.whole.vertices, &draft.whole.vertices);
    let strongest = |a: f32, b: f32| a.max(b);
    other.far.centroid_ratio = strongest(other.far.centroid_ratio, draft.far.centroid_ratio);
    other.far.protrusion = strongest(other.far.protrusion, draft.far.protrusion);
    other.far.slenderness = strongest(other.far.slenderness, draft.far.slenderness);
    if draft.whole.vertices.len() > other.whole.vertices.len() {
        other.whole = draft.whole;
    }
    other.far.vertices = far;
    other.whole.vertices = vertices;
    let inside = &other.whole;
    if !inside.is_own_shell {
        let collar =
            inside.collar.iter().copied().filter(|v| inside.vertices.binary_search(v).is_err());
        let outside: Vec<u32> = collar.collect();
        if !outside.is_empty() {
            other.whole.collar = outside;
        }
    }
}

/// Share of the shorter one's length along which two skins must stay within the thinner one's radius.
const ALONGSIDE_SHARE: f32 = 0.6;

/// Whether two skins run alongside each other, like fur over skin. Fanned tails only share their root.
fn run_alongside(scene: &Scene, a: &Measured, b: &Measured) -> bool {
    if !a.whole.is_own_shell && !b.whole.is_own_shell {
        return false;
    }
    let (short, long) = if a.scores.length_m <= b.scores.length_m { (a, b) } else { (b, a) };
    if short.middle.len() < 3 || long.middle.len() < 3 {
        return false;
    }
    // Cloth that hangs over a tail is not the tail's fur, nor is a braid that falls along a raised one.
    let is_cloth = |m: &Measured| m.scores.slice_flatness >= scene.settings.flatness;
    let is_hair = |m: &Measured| m.attachment.is_some_and(|a| scene.is_head(a));
    if is_cloth(a) != is_cloth(b) || is_hair(a) != is_hair(b) {
        return false;
    }
    let near = short
        .middle
        .iter()
        .filter(|&&(p, r)| {
            long.middle.windows(2).any(|pair| {
                let d = crate::math::closest::distance_to_segment(p, pair[0].0, pair[1].0);
                d < r.min(pair[0].1.max(pair[1].1))
            })
        })
        .count();
    near as f32 >= ALONGSIDE_SHARE * short.middle.len() as f32
}

fn join_shells(scene: &Scene, a: Measured, b: Measured) -> Measured {
    let vertices = union(&a.whole.vertices, &b.whole.vertices);
    let far = FarPart {
        vertices: union(&a.far.vertices, &b.far.vertices),
        collar: union(&a.far.collar, &b.far.collar),
        has_ring: a.far.has_ring || b.far.has_ring,
        centroid_ratio: a.far.centroid_ratio.max(b.far.centroid_ratio),
        protrusion: a.far.protrusion.max(b.far.protrusion),
        slenderness: a.far.slenderness.max(b.far.slenderness),
    };
    let whole = match [a, b].into_iter().find(|m| !m.whole.is_own_shell) {
        Some(welded) => Completed { vertices, ..welded.whole },
        None => own_shell(scene, vertices),
    };
    Measured::new(scene, far, whole)
}

/// Mirrored partner and verdict of each.
fn judged(scene: &Scene, measured: Vec<Measured>) -> Vec<Region> {
    let partners: Vec<Option<usize>> = (0..measured.len())
        .map(|i| {
            (0..measured.len()).find(|&j| {
                let places = [i, j].map(|k| measured[k].attachment.map(|a| scene.place(a)));
                j != i && places[0] == places[1] && is_mirrored(scene, &measured[i], &measured[j])
            })
        })
        .collect();
    let region = |(i, m): (usize, &Measured)| {
        let attachment = m.attachment?;
        let judgement = judge(scene, m, attachment, partners[i].is_some());
        // The place in this list for now; `number` turns it into the other's id.
        let (id, mirrored) = (RegionId::from_index(i), partners[i].map(RegionId::from_index));
        Some(Region { id, mirrored, ..build(scene, m, attachment, judgement) })
    };
    measured.par_iter().enumerate().filter_map(region).collect()
}

fn is_mirrored(scene: &Scene, a: &Measured, b: &Measured) -> bool {
    let h = scene.height();
    let slack = 0.03 * h + 0.12 * a.scores.reach_m.max(b.scores.reach_m);
    let close = |p: Vec3, q: Vec3| scene.mirrored(p).distance(q) < slack;
    let areas = a.scores.area_share / b.scores.area_share.max(f32::MIN_POSITIVE);
    let apart = scene.in_body(a.centroid).x - scene.in_body(b.centroid).x;
    close(a.whole.collar_center, b.whole.collar_center)
        && close(a.centroid, b.centroid)
        && (0.7..1.0 / 0.7).contains(&areas)
        && apart.abs() > 0.02 * h
}

fn build(scene: &Scene, m: &Measured, attachment: NodeIndex, judgement: Judgement) -> Region {
    let topology = scene.topology;
    let vertices = topology.surface_vertices(&m.whole.vertices);
    let mut scores = m.scores;
    scores.margin = judgement.margin;
    scores.joint_distance_m =
        scene.segments.joint_distance(scene.character, scene.bind, scene.surface, &vertices);
    Region {
        id: RegionId::default(),
        kind: judgement.kind,
        verdict: judgement.verdict,
        reason: judgement.reason,
        attachment,
        far: topology.surface_vertices(&m.far.vertices),
        collar: topology.surface_vertices(&m.whole.collar),
        collar_center: m.whole.collar_center,
        centroid: m.centroid,
        axes: m.axes,
        is_own_shell: m.whole.is_own_shell,
        mirrored: None,
        scores,
        tests: judgement.tests,
        made: None,
        vertices,
    }
}

/// Meshes that hang unskinned from a joint: regions with weight 1 on it, left as they are.
fn skinless(scene: &Scene) -> Vec<Region> {
    let mut regions = Vec::new();
    for (instance, node) in scene.skinless() {
        let range = scene.surface.vertices_of(instance);
        let welded =
            scene.topology.welded_vertices(&range.clone().map(SurfaceVertex).collect::<Vec<_>>());
        let is_used = welded.iter().any(|&v| !scene.topology.graph.sides_at(v).is_empty());
        let Some(joint) = scene.joint_above(node).filter(|_| is_used) else { continue };
        let far: Vec<u32> =
            welded.iter().copied().filter(|&v| scene.distance(v) > scene.far_m()).collect();
        let far = FarPart::new(scene, if far.is_empty() { welded.clone() } else { far });
        let m = Measured::new(scene, far, own_shell(scene, welded));
        let found = judge(scene, &m, joint, false);
        // It follows its joint already: whatever it is, it is left until asked for.
        let reason = Reason { code: ReasonCode::Skinless, value: 0.0, mark: 0.0 };
        let is_cloth = found.kind == RegionKind::Garment;
        let judgement = Judgement {
            verdict: Verdict::Leave,
            reason: if found.verdict == Verdict::Leave && is_cloth { found.reason } else { reason },
            kind: if found.kind == RegionKind::Body { RegionKind::Other } else { found.kind },
            margin: 1.0,
            tests: found.tests,
        };
        let mut region = build(scene, &m, joint, judgement);
        region.vertices = range.map(SurfaceVertex).collect();
        regions.push(region);
    }
    regions
}

/// Sorts by falling size and numbers; partners are named by their new numbers.
fn number(regions: &mut Vec<Region>) {
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by_key(|&i| {
        (std::cmp::Reverse(regions[i].vertices.len()), regions[i].vertices.first().copied())
    });
    let old: Vec<(RegionId, Option<RegionId>)> =
        regions.iter().map(|r| (r.id, r.mirrored)).collect();
    let new_of =
        |id: RegionId| order.iter().position(|&i| old[i].0 == id).map(RegionId::from_index);
    let mut unsorted: Vec<Option<Region>> = regions.drain(..).map(Some).collect();
    for (n, &i) in order.iter().enumerate() {
        let Some(mut region) = unsorted[i].take() else { continue };
        region.id = RegionId::from_index(n);
        region.mirrored = old[i].1.and_then(new_of);
        regions.push(region);
    }
}

/// The region that a hand-made set of skin is: scores, kind and verdict as detection would give them.
pub(super) fn from_vertices(scene: &Scene, vertices: &[SurfaceVertex]) -> Option<Region> {
    let welded = scene.topology.welded_vertices(vertices);
    let far: Vec<u32> =
        welded.iter().copied().filter(|&v| scene.distance(v) > scene.far_m()).collect();
    let ring = FarPart::new(scene, welded.clone());
    let whole = if ring.has_ring {
        let collar_center = mean(scene, &ring.collar);
        Completed {
            vertices: welded,
            collar: ring.collar.clone(),
            collar_center,
            ..Completed::default()
        }
    } else {
        own_shell(scene, welded)
    };
    let far = if far.is_empty() { ring } else { FarPart::new(scene, far) };
    let mut region = of_hand(scene, far, whole)?;
    region.vertices = vertices.to_vec();
    region.vertices.sort_unstable();
    region.vertices.dedup();
    Some(region)
}

/// The region that skin completed by hand is.
pub(super) fn from_completed(scene: &Scene, whole: Completed) -> Option<Region> {
    let is_far = |v: &u32| scene.distance(*v) > scene.far_m();
    let far: Vec<u32> = whole.vertices.iter().copied().filter(is_far).collect();
    let far = if far.is_empty() { whole.vertices.clone() } else { far };
    let far = FarPart::new(scene, far);
    of_hand(scene, far, whole)
}

fn of_hand(scene: &Scene, far: FarPart, whole: Completed) -> Option<Region> {
    let m = Measured::new(scene, far, whole);
    let attachment = m.attachment?;
    let judgement = judge(scene, &m, attachment, false);
    Some(build(scene, &m, attachment, judgement))
}

/// Whether a region is something grown or worn below the neck, which does not stand on the floor for the body.
pub(super) fn is_appendage(region: &Region) -> bool {
    matches!(region.kind, RegionKind::Tail | RegionKind::Worn | RegionKind::Garment)
        || region.reason.code == ReasonCode::Skinless
}

impl Scene<'_> {
    /// The joint that carries a node: itself, or the nearest ancestor that is a joint or has a role.
    fn joint_above(&self, node: NodeIndex) -> Option<NodeIndex> {
        let skeleton = &self.character.skeleton;
        std::iter::once(node)
            .chain(skeleton.ancestors(node))
            .find(|n| {
                self.segments.joints.binary_search(n).is_ok()
                    || self.place(*n) != Place::Unknown && self.humanoid.role(*n).is_some()
            })
            .or_else(|| skeleton.parent(node))
    }
}
