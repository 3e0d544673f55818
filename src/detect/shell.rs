//! The root of a shell: which end of a piece that is welded to nothing it hangs by (spec 1.4).

use rayon::prelude::*;

use super::complete::Completed;
use super::far_part::{centroid, nearest_share, share_of};
use super::scene::Scene;
use crate::geometry::{LevelSets, Patch, Topology, geodesic};
use crate::math::stats::median;

/// A shell, or several, as one appendage: its root is the end that touches other skin.
pub(super) fn own_shell(scene: &Scene, vertices: Vec<u32>) -> Completed {
    let patch = Patch::new(&scene.topology.graph, vertices.clone());
    let collar = shell_collar(scene, &patch);
    let collar_center = centroid(scene, &collar);
    Completed { vertices, collar, collar_center, is_own_shell: true, patch: Some(patch) }
}

/// Ends of a shell that are looked at: more have the tufts of a ragged hem.
const MOST_ENDS: usize = 6;

/// Share of an end's vertices that must lie inside other skin for it to be rooted there.
const ROOTED_SHARE: f32 = 0.2;

/// Share of a shell's vertices that stands for its collar.
const COLLAR_SHARE: f32 = 0.05;

fn shell_collar(scene: &Scene, patch: &Patch) -> Vec<u32> {
    let vertices = patch.welded.as_slice();
    let gap = |v: u32| scene.gap(scene.position(v), |u| patch.local(u).is_none());
    // From the vertex farthest from the skeleton, so that numbering does not matter.
    let depths: Vec<f32> = patch.welded.iter().map(|&v| scene.distance(v)).collect();
    let Some(start) = farthest(&depths) else { return Vec::new() };
    let Some(first) = farthest(&patch.distances_from(&[start])) else { return Vec::new() };
    let from_first = patch.distances_from(&[first]);
    let length = from_first.iter().copied().filter(|g| g.is_finite()).fold(0.0, f32::max);
    let sets = LevelSets::new(&patch.graph, &from_first, (length / 12.0).max(1e-6));
    let mut widths: Vec<f32> = sets.contours.iter().map(|c| sets.slice(c).width).collect();
    if length < 2.5 * median(&mut widths) {
        return nearest_share(vertices, COLLAR_SHARE, |v| 0.25 * scene.distance(v), gap);
    }
    // Things that grow or hang do so by an end (a fork has three).
    let others = sets.bands.iter().filter(|b| b.above.is_empty()).filter_map(|b| {
        let top = b.vertices.iter().copied().max_by(|&x, &y| {
            from_first[x as usize].total_cmp(&from_first[y as usize]).then(y.cmp(&x))
        });
        top.filter(|&v| from_first[v as usize] > 0.4 * length)
    });
    let n = share_of(vertices.len(), COLLAR_SHARE);
    let tips: Vec<u32> = std::iter::once(first).chain(others.take(MOST_ENDS)).collect();
    let ends: Vec<End> = tips.par_iter().map(|&tip| End::new(patch, tip, n, gap)).collect();
    let Some(root) = root_of(scene, &ends) else { return Vec::new() };
    let shell = scene.topology.shell_of[vertices[0] as usize];
    if shell != Topology::NO_SHELL && scene.shell(shell) == vertices {
        let mut root = root.vertices.clone();
        root.sort_unstable();
        return root;
    }
    // Of several shells in one the root takes in what lies next to it of each.
    let from_root = patch.distances_from(&[root.tip]);
    let at = |v: u32| patch.local(v).map_or(f32::INFINITY, |l| from_root[l as usize]);
    nearest_share(vertices, COLLAR_SHARE, at, |_| 0.0)
}

/// The end that a shell hangs by: the one in, or nearest to, other skin; of equals the one nearest the skeleton.
///
/// An end in the head wins over any other: what grows there falls, and its tip may well come to lie in the back, in a tail
/// or in a horse's rump; what grows from the pelvis may reach up to the head, but does not end in it.
fn root_of<'a>(scene: &Scene, ends: &'a [End]) -> Option<&'a End> {
    let on_head = ends.iter().find(|end| end.is_rooted() && end.is_on_head(scene));
    on_head.or_else(|| ends.iter().min_by(|a, b| a.score(scene).total_cmp(&b.score(scene))))
}

/// The place with the largest value; of equals the first.
fn farthest(values: &[f32]) -> Option<u32> {
    let place = |i: u32| values[i as usize];
    (0..values.len() as u32).max_by(|&a, &b| place(a).total_cmp(&place(b)).then(b.cmp(&a)))
}

/// One end of a shell.
struct End {
    /// Its place in the shell's patch.
    tip: u32,
    /// Welded, nearest to the tip first.
    vertices: Vec<u32>,
    /// `[vertices]`: how far each is outside other skin, in metres.
    gaps: Vec<f32>,
}

impl End {
    /// The `n` vertices of `patch` about `tip`.
    fn new(patch: &Patch, tip: u32, n: usize, gap: impl Fn(u32) -> f32) -> Self {
        let nearest = geodesic::Walk::new(&patch.graph, tip).take(n);
        let vertices: Vec<u32> = nearest.map(|(v, _)| patch.welded[v as usize]).collect();
        let gaps = vertices.iter().map(|&v| gap(v)).collect();
        Self { tip, vertices, gaps }
    }

    fn is_on_head(&self, scene: &Scene) -> bool {
        scene.attachment(centroid(scene, &self.vertices)).is_some_and(|a| scene.is_head(a))
    }

    fn is_rooted(&self) -> bool {
        let inside = self.gaps.iter().filter(|&&gap| gap <= 0.0).count() as f32;
        inside >= ROOTED_SHARE * self.gaps.len() as f32
    }

    /// Less is more likely the root.
    fn score(&self, scene: &Scene) -> f32 {
        let n = self.vertices.len().max(1) as f32;
        let gaps: f32 = self.gaps.iter().sum::<f32>() / n;
        let depth: f32 = self.vertices.iter().map(|&v| scene.distance(v)).sum::<f32>() / n;
        gaps + 0.5 * depth
    }
}
