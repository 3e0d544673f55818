//! A region as a mesh of its own, measured from its collar, and its skin as evenly spread samples.

use glam::Vec3;

use super::centre_line::Sample;
use crate::geometry::{Patch, Topology};
use crate::math::stats::percentile;
use crate::model::Region;

/// A region with the distance g of all its skin from the collar.
pub(super) struct Measured {
    /// The region's vertices and the collar's.
    pub patch: Patch,
    /// g of each, `[P]`, finite.
    pub along_m: Vec<f32>,
    /// `[P]`; 0 for collar vertices that are not of the region.
    pub areas: Vec<f32>,
    /// Places in the patch of the collar.
    pub collar: Vec<u32>,
    /// L.
    pub length_m: f32,
}

impl Measured {
    /// Measures a region of the surface that `topology` welds. A region without a collar begins at its vertex nearest
    /// to `attachment` (bind space).
    pub fn of(topology: &Topology, region: &Region, attachment: Vec3) -> Self {
        let own = topology.welded_vertices(&region.vertices);
        let mut collar = topology.welded_vertices(&region.collar);
        if collar.is_empty() {
            let distance = |v: u32| {
                let place = topology.graph.positions.get(v as usize);
                place.map_or(f32::INFINITY, |p| p.distance_squared(attachment))
            };
            let nearest = own
                .iter()
                .copied()
                .min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
            collar.extend(nearest);
        }
        let mut all: Vec<u32> = own.iter().chain(&collar).copied().collect();
        all.sort_unstable();
        all.dedup();
        let patch = Patch::new(&topology.graph, all);
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
        Self { patch, along_m, areas, collar, length_m }
    }

    /// g of a place in the patch.
    pub fn along(&self, v: u32) -> f32 {
        self.along_m.get(v as usize).copied().unwrap_or(0.0)
    }

    /// Bind position of a place in the patch.
    pub fn position(&self, v: u32) -> Vec3 {
        self.patch.graph.positions.get(v as usize).copied().unwrap_or(Vec3::ZERO)
    }

    /// The skin that `share` (0 to 1, by place in the patch) says belongs, four samples for each triangle, so that a
    /// coarse mesh of long triangles is sampled along them too. Where no triangle belongs, the vertices are taken.
    pub fn samples(&self, share: impl Fn(u32) -> f32) -> Vec<Sample> {
        let belongs = |v: u32| if self.area(v) > 0.0 { share(v) } else { 0.0 };
        let mut samples = Vec::new();
        for (t, corners) in (0..).zip(&self.patch.graph.triangles) {
            let shares = corners.map(belongs);
            let area = self.patch.graph.triangle_area(t) / 4.0;
            if shares.iter().any(|&s| s <= 0.0) || area <= 0.0 {
                continue;
            }
            // Centroids of the four triangles that halved edges make: the middle one and one at each corner.
            let third = 1.0 / 3.0;
            let (near, far) = (2.0 * third, 0.5 * third);
            for weights in [[third; 3], [near, far, far], [far, near, far], [far, far, near]] {
                let mut sample = Sample { position: Vec3::ZERO, along_m: 0.0, area: 0.0 };
                for ((&v, share), w) in corners.iter().zip(shares).zip(weights) {
                    sample.position += self.position(v) * w;
                    sample.along_m += self.along(v) * w;
                    sample.area += share * w * area;
                }
                samples.push(sample);
            }
        }
        if samples.is_empty() {
            samples = (0..self.along_m.len() as u32)
                .filter(|&v| belongs(v) > 0.0)
                .map(|v| Sample {
                    position: self.position(v),
                    along_m: self.along(v),
                    area: self.area(v) * belongs(v),
                })
                .collect();
        }
        samples
    }

    /// L of the skin that belongs: the 99th percentile of g over its vertices, above `from_m`.
    pub fn length_of(&self, from_m: f32, belongs: impl Fn(u32) -> bool) -> f32 {
        let mut along: Vec<f32> = (0..self.along_m.len() as u32)
            .filter(|&v| self.area(v) > 0.0 && belongs(v))
            .map(|v| (self.along(v) - from_m).max(0.0))
            .collect();
        percentile(&mut along, 0.99).max(1e-6)
    }

    fn area(&self, v: u32) -> f32 {
        self.areas.get(v as usize).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::MeshGraph;

    #[test]
    fn a_triangle_becomes_four_samples_of_its_area_and_mean() {
        let corners = vec![Vec3::ZERO, Vec3::X * 3.0, Vec3::Y * 3.0];
        let graph = MeshGraph::new(corners, vec![[0, 1, 2]]);
        let measured = Measured {
            areas: graph.vertex_areas(),
            patch: Patch::new(&graph, vec![0, 1, 2]),
            along_m: vec![0.0, 3.0, 6.0],
            collar: vec![0],
            length_m: 6.0,
        };
        let samples = measured.samples(|_| 1.0);
        assert_eq!(samples.len(), 4);
        let area: f32 = samples.iter().map(|s| s.area).sum();
        assert!((area - 4.5).abs() < 1e-5);
        let mean = samples.iter().map(|s| s.position * s.area).sum::<Vec3>() / area;
        assert!(mean.distance(Vec3::new(1.0, 1.0, 0.0)) < 1e-5);
        assert!((samples[0].along_m - 3.0).abs() < 1e-5);
        assert_eq!(measured.samples(|v| if v == 0 { 0.0 } else { 1.0 }).len(), 2, "vertices");
        assert_eq!(measured.length_of(1.0, |v| v < 2), 2.0);
    }
}
