//! Distance from the skin to the skeleton: the field in which appendages stand out.
//!
//! Based on: spec 1.2 (the article's formula), 8 D1 (which segments count), 8 D9 (joint distance).

use std::collections::BTreeSet;

use glam::Vec3;
use rayon::prelude::*;

use super::nearest_segment::nearest_segments;
use crate::geometry::{Rows, Surface};
use crate::math::closest::distance_to_segment;
use crate::model::{
    BindPose, Character, HumanoidMap, InstanceIndex, NodeIndex, Role, SurfaceVertex,
};

/// A bone: from a joint to a child, or past a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The joint it starts at: the one that moves the skin around it.
    pub joint: NodeIndex,
    /// The joint it ends at; `None` for a stub.
    pub end: Option<NodeIndex>,
    /// Its start, bind space, metres.
    pub a: Vec3,
    /// Its end.
    pub b: Vec3,
}

/// The bones that skin may be near to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkeletonSegments {
    /// In the order of the skins and their joints.
    pub segments: Vec<Segment>,
    /// Joints that move skin, or lead to one that does, none above the hips, sorted.
    pub joints: Vec<NodeIndex>,
    /// `[nodes]`: which move skin.
    pub(super) is_weighted: Vec<bool>,
}

/// Distance to the nearest segment, and which it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceField {
    /// `[points]` in metres; infinite where there is no segment.
    pub distance: Vec<f32>,
    /// `[points]`: index of the nearest segment.
    pub nearest: Vec<u32>,
}

impl DistanceField {
    /// Of some of the points, in the order given.
    pub(super) fn at(&self, points: &[u32]) -> Self {
        Self {
            distance: points.iter().map(|&i| self.distance[i as usize]).collect(),
            nearest: points.iter().map(|&i| self.nearest[i as usize]).collect(),
        }
    }
}

impl SkeletonSegments {
    /// The segments of `character`.
    ///
    /// Joints of a skin are joined to their nearest ancestor in the same skin. Left out are joints above the hips
    /// (the way from a root on the floor to the pelvis runs where a tail hangs) and joints that neither carry weight
    /// nor lead to one that does (IK targets, poles, control bones, weapon slots), except that such a joint right
    /// below the last weighted one marks that one's end. A leaf without such a mark gets a stub of half the vector from
    /// its parent. Without any skin the joints with a humanoid role count.
    ///
    /// Cost: O(influences + joints²).
    pub fn of(character: &Character, bind: &BindPose, humanoid: &HumanoidMap) -> Self {
        let skeleton = &character.skeleton;
        let above: BTreeSet<NodeIndex> =
            humanoid.node(Role::Hips).map(|h| skeleton.ancestors(h).collect()).unwrap_or_default();
        let mut skins: Vec<Vec<NodeIndex>> =
            character.skins.iter().map(|s| s.joints.clone()).collect();
        let is_weighted = weighted_nodes(character);
        let mut leads = is_weighted.clone();
        if skins.is_empty() {
            let joints: Vec<NodeIndex> = humanoid.roles.values().copied().collect();
            for &joint in &joints {
                leads[joint.index()] = true;
            }
            skins.push(joints);
        }
        // Parents come first, so one pass from the end hands weight up.
        for node in skeleton.indices().rev() {
            if leads[node.index()]
                && let Some(parent) = skeleton.parent(node)
            {
                leads[parent.index()] = true;
            }
        }
        let mut result = Self { is_weighted, ..Self::default() };
        let mut seen = BTreeSet::new();
        for joints in &skins {
            let skin = SkinJoints::new(character, bind, joints);
            result.add_skin(&skin, &above, &leads, &mut seen);
        }
        result.joints.sort_unstable();
        result.joints.dedup();
        result
    }

    fn add_skin(
        &mut self,
        skin: &SkinJoints,
        above: &BTreeSet<NodeIndex>,
        leads: &[bool],
        seen: &mut BTreeSet<(NodeIndex, Option<NodeIndex>)>,
    ) {
        let counts = |j: NodeIndex| leads[j.index()] && !above.contains(&j);
        for &joint in skin.joints.iter().filter(|&&j| counts(j)) {
            self.joints.push(joint);
            let at = skin.bind.position(joint);
            let parent = skin.parent(joint).filter(|&p| counts(p));
            if let Some(parent) = parent
                && seen.insert((parent, Some(joint)))
            {
                let a = skin.bind.position(parent);
                self.segments.push(Segment { joint: parent, end: Some(joint), a, b: at });
            }
            if skin.children(joint).any(counts) {
                continue;
            }
            let marks: Vec<NodeIndex> =
                skin.children(joint).filter(|&c| skin.children(c).next().is_none()).collect();
            for &mark in &marks {
                if seen.insert((joint, Some(mark))) {
                    let b = skin.bind.position(mark);
                    self.segments.push(Segment { joint, end: Some(mark), a: at, b });
                }
            }
            if marks.is_empty() && seen.insert((joint, None)) {
                // Half the vector from the parent; a joint alone is a point.
                let half = parent.map_or(Vec3::ZERO, |p| (at - skin.bind.position(p)) * 0.5);
                self.segments.push(Segment { joint, end: None, a: at, b: at + half });
            }
        }
    }

    /// Distance of each of `points` to its nearest segment.
    ///
    /// Cost: O(points × segments) at worst, a tenth of it on meshes as they come; two cores.
    pub fn distances(&self, points: &[Vec3]) -> DistanceField {
        let (distance, nearest) = nearest_segments(&self.segments, points);
        DistanceField { distance, nearest }
    }

    /// Distance of one point to the skeleton.
    pub fn distance(&self, p: Vec3) -> f32 {
        self.segments.iter().map(|s| distance_to_segment(p, s.a, s.b)).fold(f32::INFINITY, f32::min)
    }

    /// Mean over `vertices` of [`Self::driving_distances`]: the joint distance of spec 8, D9, metres.
    ///
    /// Cost: O(influences of the vertices × segments of their joints).
    pub fn joint_distance(
        &self,
        character: &Character,
        bind: &BindPose,
        surface: &Surface,
        vertices: &[SurfaceVertex],
    ) -> f32 {
        let distances = self.driving_distances(character, bind, surface, vertices);
        let sum: f64 = distances.iter().map(|&d| f64::from(d)).sum();
        (sum / vertices.len().max(1) as f64) as f32
    }

    /// How far each of `vertices` is from what drives it: the weighted distance from the bind-pose vertex to the nearest
    /// segment that starts at each joint that moves it, metres. A joint that starts none counts by its own place.
    ///
    /// As a heat over the whole skin (*driven from*) it shows at once what an auto-rigger missed.
    /// Cost: O(influences of the vertices × segments of their joints).
    pub fn driving_distances(
        &self,
        character: &Character,
        bind: &BindPose,
        surface: &Surface,
        vertices: &[SurfaceVertex],
    ) -> Vec<f32> {
        let joints: Vec<u32> = self.segments.iter().map(|s| s.joint.0).collect();
        let of_joint = Rows::of(&joints, character.skeleton.len());
        let from_joint = |node: NodeIndex, p: Vec3| {
            of_joint
                .row(node.0)
                .iter()
                .map(|&s| &self.segments[s as usize])
                .map(|s| distance_to_segment(p, s.a, s.b))
                .reduce(f32::min)
                .unwrap_or_else(|| p.distance(bind.position(node)))
        };
        let of_vertex = |&vertex: &SurfaceVertex| {
            let (instance, local) = surface.locate(vertex);
            let p = surface.positions.get(vertex.index()).copied().unwrap_or_default();
            let mut sum = 0.0_f64;
            if let Some(instance) = character.instance(instance) {
                character.for_each_influence(instance, local as usize, |node, weight| {
                    sum += f64::from(weight * from_joint(node, p));
                });
            }
            sum as f32
        };
        vertices.par_iter().with_min_len(256).map(of_vertex).collect()
    }
}

/// `[nodes]`: which move skin, those with weight in a skin. Cost: O(influences), two cores.
fn weighted_nodes(character: &Character) -> Vec<bool> {
    const CHUNK: usize = 4096;
    let mut has_weight = vec![false; character.skeleton.len()];
    for (_, instance) in character.instances() {
        let (Some(skin), Some(mesh)) = (character.skin_of(instance), character.mesh_of(instance))
        else {
            continue;
        };
        let Some(influences) = &mesh.influences else { continue };
        let n = influences.len();
        let chunks: Vec<Vec<bool>> = (0..n.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut has = vec![false; skin.joints.len()];
                for v in chunk * CHUNK..((chunk + 1) * CHUNK).min(n) {
                    for (joint, weight) in influences.of(v) {
                        if let Some(has) = has.get_mut(joint.index()) {
                            *has |= weight > 0.0;
                        }
                    }
                }
                has
            })
            .collect();
        for has in chunks {
            for (node, _) in skin.joints.iter().zip(has).filter(|(_, has)| *has) {
                if let Some(slot) = has_weight.get_mut(node.index()) {
                    *slot = true;
                }
            }
        }
    }
    has_weight
}

struct SkinJoints<'a> {
    bind: &'a BindPose,
    /// Sorted.
    joints: Vec<NodeIndex>,
    /// `[joints]`: the nearest ancestor in the same skin.
    parents: Vec<Option<NodeIndex>>,
}

impl<'a> SkinJoints<'a> {
    fn new(character: &Character, bind: &'a BindPose, joints: &[NodeIndex]) -> Self {
        let mut joints = joints.to_vec();
        joints.sort_unstable();
        joints.dedup();
        let parents = joints
            .iter()
            .map(|&j| character.skeleton.ancestors(j).find(|a| joints.binary_search(a).is_ok()))
            .collect();
        Self { bind, joints, parents }
    }

    fn parent(&self, joint: NodeIndex) -> Option<NodeIndex> {
        self.joints.binary_search(&joint).ok().and_then(|i| self.parents[i])
    }

    fn children(&self, joint: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.joints
            .iter()
            .zip(&self.parents)
            .filter(move |(_, parent)| **parent == Some(joint))
            .map(|(&child, _)| child)
    }
}

/// Whether an instance follows joints with its skin, so that its weights mean something.
pub(super) fn is_skinned(character: &Character, instance: InstanceIndex) -> bool {
    character.instance(instance).is_some_and(|i| {
        i.skin.is_some() && character.mesh_of(i).is_some_and(|m| m.influences.is_some())
    })
}

#[cfg(test)]
mod tests;
