//! Triangles cut at levels, and more of them as more of the skin is reached.

use super::parts::Parts;
use super::{Crossing, LevelSets, ends};
use crate::geometry::MeshGraph;

/// The cuts made so far through skin that is reached step by step.
#[derive(Clone)]
pub struct LevelCuts<'a> {
    graph: &'a MeshGraph,
    /// Distance between levels.
    pub(super) step: f32,
    pub(super) parts: Parts,
    pub(super) crossings: Vec<Crossing>,
    /// Vertices that are known here.
    n_reached: usize,
}

impl<'a> LevelCuts<'a> {
    /// Through `graph`, none so far.
    pub fn new(graph: &'a MeshGraph) -> Self {
        Self::every(graph, 0.0)
    }

    /// To be made at multiples of `step`.
    pub(super) fn every(graph: &'a MeshGraph, step: f32) -> Self {
        let parts = Parts::new(graph.len());
        Self { graph, step, parts, crossings: Vec::new(), n_reached: 0 }
    }

    /// The level sets of `values`, `[W]`, at multiples of `step` among the vertices `reached`, each once and with a finite
    /// value. These begin with those of the call before: only what is new of them is cut, unless `step` is another.
    ///
    /// Cost: as [`LevelSets::among`] for the new ones, and O(W) and the contours' crossings.
    pub fn sets(&mut self, reached: &[u32], values: &[f32], step: f32) -> LevelSets {
        let step = bounded(step, reached.iter().map(|&v| values[v as usize]));
        if step != self.step {
            *self = Self::every(self.graph, step);
        }
        for &v in reached.iter().skip(self.n_reached) {
            self.know(v, values[v as usize]);
            // A triangle is cut as soon as the last of its corners is known.
            for &[a, b] in self.graph.sides_at(v) {
                self.cut([v, a, b], values);
            }
        }
        self.n_reached = reached.len();
        LevelSets::of_cuts(self.clone())
    }

    /// Says in which band a vertex lies.
    pub(super) fn know(&mut self, v: u32, value: f32) {
        self.parts.set_level(v, (value / self.step) as u32);
    }

    /// Cuts a triangle, if all of its corners are known.
    pub(super) fn cut(&mut self, corners: [u32; 3], values: &[f32]) {
        let Self { graph, step, parts, crossings, .. } = self;
        parts.cut(corners, |level, is_below, [below, above]| {
            let ends = ends(graph, values, (corners, is_below), level as f32 * *step);
            crossings.push(Crossing { corners, ends, below, above });
        });
    }
}

/// `step`, or a wider one: a mad ratio of range to step would only exhaust memory.
pub(super) fn bounded(step: f32, values: impl Iterator<Item = f32>) -> f32 {
    const MOST_LEVELS: f32 = 4096.0;
    step.max(values.fold(0.0, f32::max) / MOST_LEVELS).max(f32::MIN_POSITIVE)
}
