//! Stretch of the skin while it plays: a reading for each frame, and a heat with peak hold.
//!
//! Based on: spec 5.1; issue 3, items 1 and 4.

use glam::{Vec3, Vec3A};

use super::edges::{EdgeSet, Edges};
use super::histogram::{Ratios, Stretch};
use super::skinning::Skinner;
use crate::model::{Character, NodeIndex, WorldPose};

/// How much is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiveDetail {
    /// Regions and borders whole, an even share of the body's edges: for plots.
    #[default]
    Plot,
    /// Every edge, and the strain of every vertex: for the heat.
    Heat,
}

/// Most edges of the body that a plot looks at.
const BODY_EDGES: usize = 20_000;

/// Stretch in one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StretchReading {
    /// Edges outside all regions.
    pub body: Stretch,
    /// `[regions]` each region's own edges.
    pub regions: Vec<Stretch>,
    /// `[regions]` edges with one end in the region.
    pub borders: Vec<Stretch>,
}

/// Reads stretch off posed characters, frame after frame, without allocating.
///
/// For several rigs of one character (raw, rigid, chain) make one each from the same [`Edges`].
/// Cost of a frame: about 10 ns for each edge looked at, and 0.1 ms for each region.
#[derive(Clone, Debug)]
pub struct LiveStretch {
    skinner: Skinner,
    edges: Edges,
    positions: Vec<Vec3A>,
    counts: Ratios,
    reading: StretchReading,
    /// `[V]` of the surface; empty for plots.
    strain: Vec<f32>,
    peak: Vec<f32>,
}

impl LiveStretch {
    /// For `character`, on the edges of [`Edges::of`]. Cost: O(V + E).
    pub fn new(character: &Character, edges: &Edges, detail: LiveDetail) -> Self {
        let edges = match detail {
            LiveDetail::Heat => edges.clone(),
            LiveDetail::Plot => edges.with_body_share(BODY_EDGES),
        };
        let n_heat = match detail {
            LiveDetail::Heat => character.surface_offsets().last().copied().unwrap_or(0) as usize,
            LiveDetail::Plot => 0,
        };
        let none = vec![Stretch::default(); edges.inner.len()];
        Self {
            skinner: Skinner::new(character, &edges.vertices),
            positions: Vec::with_capacity(edges.vertices.len()),
            edges,
            counts: Ratios::default(),
            reading: StretchReading {
                body: Stretch::default(),
                regions: none.clone(),
                borders: none,
            },
            strain: vec![1.0; n_heat],
            peak: vec![1.0; n_heat],
        }
    }

    /// Shapes the meshes on `node` by morph weights from now on, `[targets]`.
    pub fn set_morph_weights(&mut self, node: NodeIndex, weights: &[f32]) {
        self.skinner.set_morph_weights(node, weights);
    }

    /// Reads one frame. `origin` is a point on the body, for precision: the hips' place.
    pub fn read(&mut self, world: &WorldPose, origin: Vec3) -> &StretchReading {
        self.skinner.skin(world, origin, &mut self.positions);
        let Self { edges, positions, counts, reading, .. } = self;
        let mut count = |set: &EdgeSet| {
            counts.clear();
            set.add_to(positions, counts);
            counts.summary()
        };
        reading.body = count(&edges.body);
        for (slot, set) in reading.regions.iter_mut().zip(&edges.inner) {
            *slot = count(set);
        }
        for (slot, set) in reading.borders.iter_mut().zip(&edges.border) {
            *slot = count(set);
        }
        if !self.strain.is_empty() {
            self.hold();
        }
        &self.reading
    }

    /// The last frame's reading.
    pub fn reading(&self) -> &StretchReading {
        &self.reading
    }

    /// `[V]` strain of each surface vertex in the last frame: the most of its edges' ratios and their inverses, so 1 is
    /// undeformed and 1.5 torn either way. Empty for [`LiveDetail::Plot`].
    pub fn strain(&self) -> &[f32] {
        &self.strain
    }

    /// `[V]` the largest strain since the start, or since [`Self::reset_peak`].
    pub fn peak(&self) -> &[f32] {
        &self.peak
    }

    /// Lets the peaks begin anew.
    pub fn reset_peak(&mut self) {
        self.peak.fill(1.0);
    }

    fn hold(&mut self) {
        let Self { edges, positions, strain, peak, .. } = self;
        strain.fill(1.0);
        // Border edges stand with both regions they join; the most of them is the same.
        for set in edges.sets() {
            for (&[a, b], &inverse) in set.ends.iter().zip(&set.inverse_square) {
                let (Some(p), Some(q)) = (positions.get(a as usize), positions.get(b as usize))
                else {
                    continue;
                };
                let square = (*p - *q).length_squared() * inverse;
                // An edge of no length is torn as far as a colour can tell, not infinitely.
                let square = if square < 1.0 { 1.0 / square.max(1e-4) } else { square };
                for end in [a, b] {
                    let slot = edges.vertices.get(end as usize);
                    if let Some(slot) = slot.and_then(|v| strain.get_mut(v.index())) {
                        *slot = slot.max(square);
                    }
                }
            }
        }
        for (value, peak) in strain.iter_mut().zip(peak) {
            *value = value.sqrt();
            *peak = peak.max(*value);
        }
    }
}
