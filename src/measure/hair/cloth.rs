//! Legs through the cloth of a skirt: skin of a leg is through where cloth lies between it and its own bone.
//!
//! Based on: issue 5, 5 (skirts); Möller and Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, 1997.

use std::collections::BTreeSet;

use glam::{Vec3, Vec3A};

use crate::math::closest;
use crate::measure::skinning::Skinner;
use crate::model::{InstanceIndex, NodeIndex, Rigged, Role, SurfaceVertex, WorldPose};

/// Bones of the legs: where each begins and ends.
const BONES: [(Role, Role); 4] = [
    (Role::LeftUpperLeg, Role::LeftLowerLeg),
    (Role::LeftLowerLeg, Role::LeftFoot),
    (Role::RightUpperLeg, Role::RightLowerLeg),
    (Role::RightLowerLeg, Role::RightFoot),
];

/// Looks for legs that stand out of a skirt.
pub(super) struct Cloth {
    cloth: Skinner,
    legs: Skinner,
    /// Corners as places in the cloth's list of vertices.
    triangles: Vec<[u32; 3]>,
    /// Ends of the bone of each leg vertex.
    bones: Vec<[NodeIndex; 2]>,
    /// Places in the legs' list that are under the cloth, or clear of it, in the bind pose.
    counted: Vec<usize>,
    through_in_bind: usize,
    cloth_positions: Vec<Vec3A>,
    leg_positions: Vec<Vec3A>,
}

impl Cloth {
    /// The cloth of the skirts among `chains`, places in [`Rigged::chains`]. Cost: O(influences).
    pub fn new(rigged: &Rigged, chains: &[usize]) -> Self {
        let skirts: BTreeSet<NodeIndex> = chains
            .iter()
            .filter_map(|&c| rigged.chains.get(c))
            .filter(|c| c.hair.as_ref().is_some_and(|s| s.is_skirt))
            .flat_map(|c| c.joints.iter().copied())
            .collect();
        let (mut cloth, mut legs, mut bones) = (Vec::new(), Vec::new(), Vec::new());
        if !skirts.is_empty() {
            sort_skin(rigged, &skirts, &mut cloth, &mut legs, &mut bones);
        }
        let mut used: Vec<SurfaceVertex> = cloth.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let place = |v: &SurfaceVertex| used.binary_search(v).unwrap_or(0) as u32;
        let mut found = Self {
            cloth: Skinner::new(&rigged.character, &used),
            legs: Skinner::new(&rigged.character, &legs),
            triangles: cloth.iter().map(|t| [&t[0], &t[1], &t[2]].map(place)).collect(),
            counted: (0..legs.len()).collect(),
            bones,
            through_in_bind: 0,
            cloth_positions: Vec::new(),
            leg_positions: Vec::new(),
        };
        if !found.triangles.is_empty() {
            let depths = found.depths(&rigged.bind.world);
            let is_through = |i: &usize| depths.get(*i).is_some_and(|&d| d > 0.0);
            found.through_in_bind = found.counted.iter().filter(|i| is_through(i)).count();
            found.counted.retain(|i| !is_through(i));
        }
        found
    }

    /// Leg vertices that count; none where there is no skirt.
    pub fn n_vertices(&self) -> usize {
        if self.triangles.is_empty() { 0 } else { self.counted.len() }
    }

    /// Leg vertices outside the cloth in the bind pose already.
    pub fn n_through_in_bind(&self) -> usize {
        self.through_in_bind
    }

    /// How many are through by more than `least_m`, and the furthest, metres.
    pub fn look(&mut self, world: &WorldPose, least_m: f32) -> (usize, f32) {
        if self.n_vertices() == 0 {
            return (0, 0.0);
        }
        let depths = self.depths(world);
        let through =
            || self.counted.iter().filter_map(|&i| depths.get(i).copied()).filter(|&d| d > least_m);
        (through().count(), through().fold(0.0, f32::max))
    }

    /// For each leg vertex how far it stands out of the cloth; 0 where no cloth lies between it and its bone.
    fn depths(&mut self, world: &WorldPose) -> Vec<f32> {
        self.cloth.skin(world, Vec3::ZERO, &mut self.cloth_positions);
        self.legs.skin(world, Vec3::ZERO, &mut self.leg_positions);
        let slabs = Slabs::of(&self.cloth_positions, &self.triangles);
        let at = |node: NodeIndex| Vec3::from(world.matrix(node).translation);
        let legs = self.leg_positions.iter().zip(&self.bones);
        legs.map(|(&p, &[from, to])| {
            let p = Vec3::from(p);
            let (a, b) = (at(from), at(to));
            let axis = a + (b - a) * closest::parameter_on_segment(p, a, b);
            let met = slabs.within(axis.y.min(p.y), axis.y.max(p.y)).filter_map(|t| {
                let [a, b, c] = self.corners(t)?;
                crossing(axis, p, [a, b, c])
            });
            // The outermost layer counts: what is behind it is hidden all the same.
            let last = met.fold(f32::INFINITY, f32::min);
            if last.is_finite() { (1.0 - last) * axis.distance(p) } else { 0.0 }
        })
        .collect()
    }

    fn corners(&self, triangle: u32) -> Option<[Vec3; 3]> {
        let [a, b, c] = *self.triangles.get(triangle as usize)?;
        let at = |v: u32| self.cloth_positions.get(v as usize).map(|p| Vec3::from(*p));
        Some([at(a)?, at(b)?, at(c)?])
    }
}

/// Triangles mostly moved by `skirts`, and skin mostly moved by a bone of a leg and by no skirt at all.
fn sort_skin(
    rigged: &Rigged,
    skirts: &BTreeSet<NodeIndex>,
    cloth: &mut Vec<[SurfaceVertex; 3]>,
    legs: &mut Vec<SurfaceVertex>,
    bones: &mut Vec<[NodeIndex; 2]>,
) {
    let node = |role| rigged.humanoid.node(role);
    let ends: Vec<[NodeIndex; 2]> =
        BONES.iter().filter_map(|&(a, b)| Some([node(a)?, node(b)?])).collect();
    let character = &rigged.character;
    let offsets = character.surface_offsets();
    for (InstanceIndex(i), instance) in character.instances() {
        let Some(mesh) = character.mesh_of(instance) else { continue };
        if !instance.is_visible || instance.skin.is_none() {
            continue;
        }
        let first = offsets.get(i as usize).copied().unwrap_or(0);
        let mut of_cloth = vec![false; mesh.n_vertices()];
        for (local, slot) in of_cloth.iter_mut().enumerate() {
            let (mut of_skirt, mut strongest) = (0.0, (NodeIndex(0), 0.0));
            character.for_each_influence(instance, local, |node, weight| {
                of_skirt += if skirts.contains(&node) { weight } else { 0.0 };
                if weight > strongest.1 {
                    strongest = (node, weight);
                }
            });
            *slot = of_skirt >= 0.5;
            let bone = ends.iter().find(|b| b[0] == strongest.0);
            if let (true, Some(&bone)) = (of_skirt == 0.0, bone) {
                legs.push(SurfaceVertex(first + local as u32));
                bones.push(bone);
            }
        }
        let is_cloth =
            |t: &&[u32; 3]| t.iter().all(|&v| of_cloth.get(v as usize).copied().unwrap_or(false));
        let triangles = mesh.triangles.iter().filter(is_cloth);
        cloth.extend(triangles.map(|t| t.map(|v| SurfaceVertex(first + v))));
    }
}

/// Share of the way from `from` to `to` at which the segment crosses the triangle, from either side.
fn crossing(from: Vec3, to: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let (way, ab, ac) = (to - from, b - a, c - a);
    let p = way.cross(ac);
    let det = ab.dot(p);
    if det.abs() < 1e-14 {
        return None;
    }
    let s = from - a;
    let q = s.cross(ab);
    let (u, v, t) = (s.dot(p) / det, way.dot(q) / det, ac.dot(q) / det);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..1.0).contains(&t)).then_some(t)
}

/// Triangles by height, so that a leg asks only those beside it.
struct Slabs {
    low: f32,
    step: f32,
    slabs: Vec<Vec<u32>>,
}

const N_SLABS: usize = 64;

impl Slabs {
    fn of(positions: &[Vec3A], triangles: &[[u32; 3]]) -> Self {
        let ys = || positions.iter().map(|p| p.y);
        let low = ys().fold(f32::INFINITY, f32::min);
        let high = ys().fold(f32::NEG_INFINITY, f32::max);
        let step = ((high - low) / N_SLABS as f32).max(1e-6);
        let mut found = Self { low, step, slabs: vec![Vec::new(); N_SLABS] };
        for (t, corners) in (0..).zip(triangles) {
            let y = corners.map(|v| positions.get(v as usize).map_or(low, |p| p.y));
            let (from, to) = (y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2]));
            for slab in found.slab(from)..=found.slab(to) {
                found.slabs[slab].push(t);
            }
        }
        found
    }

    fn slab(&self, y: f32) -> usize {
        (((y - self.low) / self.step).max(0.0) as usize).min(N_SLABS - 1)
    }

    /// Triangles that reach into heights from `low` to `high`; some more than once.
    fn within(&self, low: f32, high: f32) -> impl Iterator<Item = u32> + '_ {
        let is_beside = high < self.low || low > self.low + self.step * N_SLABS as f32;
        let range = if is_beside { 0..0 } else { self.slab(low)..self.slab(high) + 1 };
        range.flat_map(|s| self.slabs[s].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_crosses_a_triangle_at_a_share_of_its_way() {
        let triangle = [Vec3::new(0.0, -1.0, -1.0), Vec3::new(0.0, 1.0, -1.0), Vec3::Z];
        let at = |x: f32| Vec3::new(x, 0.0, 0.0);
        assert_eq!(crossing(at(-1.0), at(3.0), triangle), Some(0.25));
        assert_eq!(crossing(at(3.0), at(-1.0), triangle), Some(0.75), "from behind as well");
        assert_eq!(crossing(at(0.5), at(3.0), triangle), None, "it lies behind");
        assert_eq!(crossing(at(-1.0) + Vec3::Y * 2.0, at(3.0) + Vec3::Y * 2.0, triangle), None);
        assert_eq!(crossing(at(0.0), Vec3::Y, triangle), None, "along it");
    }
}
