//! Where a picked strand begins: the end of it that lies on the head.

use glam::Vec3;

use crate::detect::Detection;
use crate::geometry::Patch;
use crate::model::{Character, NodeIndex, SurfaceVertex};

/// Share of the strand's length in which its root ring must lie.
const ROOT_ZONE: f32 = 0.25;
/// Depth of the ring along the strand, in parts of its length.
const RING_DEPTH: f32 = 0.02;
/// Vertices of an end whose distance from the head's skin is measured, at most; they are picked evenly.
const MOST_PICKED: usize = 64;

/// Places in the patch of the strand's root ring: seen along the strand, its first cross-section.
///
/// The two ends of a strand are found by walking to the farthest skin twice; the one nearer to the skin that hangs
/// from `attachment` is the root. `stated` says where it begins instead. Cost: O(P log P + V).
pub(super) fn root_ring(
    character: &Character,
    detection: &Detection,
    patch: &Patch,
    attachment: NodeIndex,
    stated: Option<u32>,
) -> Vec<u32> {
    if patch.graph.is_empty() {
        return Vec::new();
    }
    let farthest = |from: u32| -> (Vec<f32>, u32) {
        let g = patch.distances_from(&[from]);
        let at = (0..g.len()).max_by(|&a, &b| g[a].total_cmp(&g[b]).then(b.cmp(&a)));
        (g, at.unwrap_or(0) as u32)
    };
    let (end, (g, tip)) = match stated {
        Some(end) => (end, farthest(end)),
        None => {
            let (_, one) = farthest(0);
            let (from_one, other) = farthest(one);
            let (from_other, tip) = farthest(other);
            let scalp = scalp(character, detection, patch, attachment);
            let near = |g: &[f32]| nearness(patch, g, &scalp, detection.bind.position(attachment));
            if near(&from_other) < near(&from_one) {
                (other, (from_other, tip))
            } else {
                (one, (from_one, other))
            }
        }
    };
    let length = g.get(tip as usize).copied().unwrap_or(0.0);
    ring(patch, &g, length, end)
}

/// Skin that hangs mostly from `attachment` and is not the strand's own, in bind space.
fn scalp(
    character: &Character,
    detection: &Detection,
    patch: &Patch,
    attachment: NodeIndex,
) -> Vec<Vec3> {
    let (surface, topology) = (&detection.surface, &detection.topology);
    let mut found = Vec::new();
    for v in 0..surface.n_vertices() as u32 {
        let vertex = SurfaceVertex(v);
        let (index, local) = surface.locate(vertex);
        let is_visible = surface.is_visible.get(index.index()) == Some(&true);
        if !is_visible || patch.local(topology.welded(vertex)).is_some() {
            continue;
        }
        let Some(instance) = character.instance(index) else { continue };
        let mut load = 0.0;
        character.for_each_influence(instance, local as usize, |node, weight| {
            load += if node == attachment { weight } else { 0.0 };
        });
        if load >= 0.5 {
            found.extend(surface.positions.get(v as usize));
        }
    }
    found
}

/// Mean distance of an end's skin to the scalp; to the attachment joint where there is none.
fn nearness(patch: &Patch, g: &[f32], scalp: &[Vec3], attachment: Vec3) -> f32 {
    let length = g.iter().copied().filter(|g| g.is_finite()).fold(0.0, f32::max);
    let skin = patch.graph.positions.iter().zip(g);
    let end: Vec<Vec3> = skin.filter(|(_, g)| **g <= 0.05 * length).map(|(p, _)| *p).collect();
    let step = end.len().div_ceil(MOST_PICKED).max(1);
    let mut sum = 0.0;
    let mut count = 0;
    for p in end.iter().step_by(step) {
        let squared = match scalp {
            [] => p.distance_squared(attachment),
            _ => scalp.iter().map(|s| s.distance_squared(*p)).fold(f32::INFINITY, f32::min),
        };
        sum += squared.sqrt();
        count += 1;
    }
    sum / count.max(1) as f32
}

/// The skin that comes first along the strand.
fn ring(patch: &Patch, g: &[f32], length: f32, end: u32) -> Vec<u32> {
    let centre = |from: f32, to: f32| {
        let within = patch.graph.positions.iter().zip(g).filter(|(_, g)| (from..=to).contains(*g));
        let (sum, n) = within.fold((Vec3::ZERO, 0), |(sum, n), (p, _)| (sum + *p, n + 1));
        (n > 0).then(|| sum / n as f32)
    };
    let first = centre(0.0, 0.08 * length);
    let next = centre(0.12 * length, ROOT_ZONE * length);
    let Some(along) = first.zip(next).and_then(|(a, b)| (b - a).try_normalize()) else {
        return vec![end];
    };
    let inside = || (0..patch.graph.len() as u32).filter(|&v| g[v as usize] <= ROOT_ZONE * length);
    let depth = |v: u32| patch.graph.positions[v as usize].dot(along);
    let least = inside().map(depth).fold(f32::INFINITY, f32::min);
    let mut ring: Vec<u32> =
        inside().filter(|&v| depth(v) <= least + RING_DEPTH * length).collect();
    if ring.is_empty() {
        ring.push(end);
    }
    ring
}
