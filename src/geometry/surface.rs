//! The character's whole skin as one triangle mesh in bind space.

use glam::Vec3;
use rayon::prelude::*;

use crate::model::{BindPose, Character, InstanceIndex, SurfaceVertex};

/// All visible instances' triangles over all instances' vertices, in bind space, metres.
///
/// Vertices are numbered as [`SurfaceVertex`] says; hidden instances keep their numbers but have no triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// `[V]`.
    pub positions: Vec<Vec3>,
    /// `[T]`, indices into `positions`.
    pub triangles: Vec<[u32; 3]>,
    /// `[instances + 1]`: first vertex of each instance.
    pub offsets: Vec<u32>,
    /// `[instances]`: whether the instance counts.
    pub is_visible: Vec<bool>,
}

impl Surface {
    /// The surface of `character` in its bind pose. Cost: O(V + T), two cores.
    pub fn of(character: &Character, bind: &BindPose) -> Self {
        let mut surface = Self { offsets: character.surface_offsets(), ..Self::default() };
        for (index, instance) in character.instances() {
            let first = surface.positions.len() as u32;
            surface.is_visible.push(instance.is_visible);
            let Some(mesh) = character.mesh_of(instance) else { continue };
            let matrix = bind.bind_from_instance(character, index);
            surface
                .positions
                .par_extend(mesh.positions.par_iter().map(|&p| matrix.transform_point3(p)));
            if instance.is_visible {
                surface
                    .triangles
                    .par_extend(mesh.triangles.par_iter().map(|t| t.map(|v| v + first)));
            }
        }
        surface
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.positions.len()
    }

    /// The instance a vertex belongs to and its place in that instance's mesh. Cost: O(log instances).
    pub fn locate(&self, vertex: SurfaceVertex) -> (InstanceIndex, u32) {
        let after = self.offsets.partition_point(|&first| first <= vertex.0);
        let instance = after.saturating_sub(1);
        let first = self.offsets.get(instance).copied().unwrap_or(0);
        (InstanceIndex::from_index(instance), vertex.0 - first)
    }

    /// Vertices of an instance.
    pub fn vertices_of(&self, instance: InstanceIndex) -> std::ops::Range<u32> {
        let at = |i: usize| self.offsets.get(i).copied().unwrap_or(0);
        at(instance.index())..at(instance.index() + 1)
    }

    /// Lowest and highest corner of the visible instances; `None` where nothing is visible.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let visible = (0..).zip(&self.is_visible).filter(|(_, visible)| **visible);
        let (mut low, mut high) = (Vec3::MAX, Vec3::MIN);
        for (i, _) in visible {
            let range = self.vertices_of(InstanceIndex(i));
            let positions = self.positions.get(range.start as usize..range.end as usize);
            let (fours, rest) = positions.unwrap_or_default().as_chunks::<4>();
            // Four at a time, since each comparison waits for the one before.
            for &[a, b, c, d] in fours {
                low = low.min(a.min(b).min(c.min(d)));
                high = high.max(a.max(b).max(c.max(d)));
            }
            for &p in rest {
                (low, high) = (low.min(p), high.max(p));
            }
        }
        (low.x <= high.x).then_some((low, high))
    }

    /// H: extent of the visible bind-pose surface along +Y, in metres; 0 where nothing is visible.
    pub fn height(&self) -> f32 {
        self.bounds().map_or(0.0, |(low, high)| high.y - low.y)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Mesh, MeshIndex, MeshInstance, Node, NodeIndex, Skeleton};

    #[test]
    fn hidden_instances_keep_their_numbers_but_no_triangles() {
        let mesh = Mesh {
            positions: Arc::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0]),
            triangles: Arc::new(vec![[0, 1, 2]]),
            ..Mesh::default()
        };
        let instance = |is_visible| MeshInstance {
            mesh: MeshIndex(0),
            node: NodeIndex(0),
            skin: None,
            is_visible,
        };
        let character = Character {
            skeleton: Skeleton::new(vec![Node {
                name: "root".into(),
                parent: None,
                local: crate::math::Transform::from_translation(Vec3::new(0.0, 5.0, 0.0)),
                source: None,
            }])
            .unwrap(),
            meshes: vec![mesh],
            instances: vec![instance(false), instance(true)],
            ..Character::default()
        };
        let surface = Surface::of(&character, &BindPose::of(&character, None));
        assert_eq!(surface.n_vertices(), 6);
        assert_eq!(surface.triangles, [[3, 4, 5]]);
        assert_eq!(surface.locate(SurfaceVertex(4)), (InstanceIndex(1), 1));
        assert_eq!(surface.height(), 2.0);
        assert_eq!(
            surface.bounds().unwrap().0.y,
            5.0,
            "an unskinned mesh stands where its node does"
        );
    }
}
