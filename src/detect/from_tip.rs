//! Appendages that a person points at: from a tip to the neck, or between a tip and a root.

use super::complete::{About, Completed, Front};
use super::far_part::{FarPart, mean};
use super::scene::Scene;
use super::shell::own_shell;
use crate::geometry::{LevelSets, geodesic};

/// How far from the tip the neck is looked for, as a share of the height.
const FARTHEST: f32 = 0.8;

/// What may count as the appendage for certain at first: skin this near to the tip, as shares of the height.
///
/// A core within the round end of a thick tail sees only how the end widens; one that is longer than an ear sees the
/// head. So the longest is tried first, and the first that gives an appendage by test 1 wins.
const FIRST_CORES: [f32; 3] = [0.2, 0.1, 0.05];

/// The appendage with its end at `tip` (welded); `None` where no neck is met.
pub(super) fn from_tip(scene: &Scene, tip: u32) -> Option<Completed> {
    let shell = scene.topology.shell_of[tip as usize];
    if !scene.is_body(shell) {
        return Some(own_shell(scene, scene.shell(shell).to_vec()));
    }
    let near = Near::new(scene, tip);
    let mut last = None;
    for share in FIRST_CORES {
        let Some(found) = near.completed(share * scene.height()) else { continue };
        if FarPart::new(scene, found.vertices.clone()).passes(scene) {
            return Some(found);
        }
        last = Some(found);
    }
    last
}

/// The skin about a tip.
struct Near<'a> {
    scene: &'a Scene<'a>,
    about: About,
}

impl<'a> Near<'a> {
    fn new(scene: &'a Scene<'a>, tip: u32) -> Self {
        let farthest = FARTHEST * scene.height();
        let graph = &scene.topology.graph;
        let mut from_tip = vec![f32::INFINITY; graph.len()];
        for (v, d) in geodesic::Walk::new(graph, tip).take_while(|&(_, d)| d <= farthest) {
            from_tip[v as usize] = d;
        }
        Self { scene, about: About::new(tip, from_tip) }
    }

    /// Follows the skin from a core of `core_m` about the tip, then again with most of what that gave as the core, until
    /// the answer stays: how long the contours of the whole usually are is known only once it is known, and those of a
    /// tapered tail are short near its tip.
    fn completed(&self, mut core_m: f32) -> Option<Completed> {
        const ROUNDS: usize = 4;
        let h = self.scene.height();
        let About { from_tip, members, .. } = &self.about;
        let graph = &self.scene.topology.graph;
        let mut found: Option<Completed> = None;
        for _ in 0..ROUNDS {
            let is_core: Vec<bool> = from_tip.iter().map(|&g| g <= core_m).collect();
            let core = members.iter().filter(|&&v| is_core[v as usize]);
            let area: f32 = core.map(|&v| self.scene.area(v)).sum();
            let radius = area / core_m.max(f32::MIN_POSITIVE) / std::f32::consts::TAU;
            let step = (radius * 0.33).clamp(0.004 * h, 0.03 * h);
            let sets = LevelSets::among(graph, members, from_tip, step);
            let next = Front::new(self.scene, &self.about, &sets, &is_core).follow()?;
            let reached = next.vertices.iter().map(|&v| from_tip[v as usize]);
            let farthest = reached.filter(|d| d.is_finite()).fold(0.0, f32::max);
            let is_same = found.as_ref().is_some_and(|f| f.vertices == next.vertices);
            found = Some(next);
            if is_same || 0.6 * farthest <= core_m {
                break;
            }
            core_m = 0.6 * farthest;
        }
        found
    }
}

/// The skin nearer to `tip` than `root` is, along the skin; `None` where no way leads from one to the other.
pub(super) fn between(scene: &Scene, root: u32, tip: u32) -> Option<Completed> {
    let graph = &scene.topology.graph;
    let from_tip = geodesic::distances(graph, &[(tip, 0.0)]);
    let level = from_tip[root as usize];
    if !level.is_finite() {
        // A root picked on the body for a tail in a shell of its own: the shell is the tail.
        let shell = scene.topology.shell_of[tip as usize];
        return (!scene.is_body(shell)).then(|| own_shell(scene, scene.shell(shell).to_vec()));
    }
    let vertices: Vec<u32> =
        (0..graph.len() as u32).filter(|&v| from_tip[v as usize] < level).collect();
    if vertices.is_empty() {
        return None;
    }
    let mut collar: Vec<u32> = vertices
        .iter()
        .flat_map(|&v| graph.around(v))
        .filter(|&u| from_tip[u as usize] >= level)
        .collect();
    collar.sort_unstable();
    collar.dedup();
    let collar_center = mean(scene, &collar);
    Some(Completed { vertices, collar, collar_center, ..Completed::default() })
}
