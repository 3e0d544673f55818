//! Bones of a chain, moved by hand; and whose mesh a place on the skin is.

use glam::Vec3;

use super::Tool;
use crate::document::to_bind;
use crate::model::{Chain, ChainOrigin, InstanceIndex, NodeIndex, RegionId, SurfaceVertex, Tip};
use crate::studio::command::{Changes, Edit, Selection};
use crate::studio::evaluation::treatment_of;
use crate::studio::opening::Open;
use crate::studio::state::Studio;

impl Studio {
    /// The one chain of a region that a joint (or its end) stands in, with the joint's place in it.
    fn movable(&self, node: NodeIndex) -> Option<(&Open, &Chain, RegionId, usize)> {
        let open = self.open.as_ref()?;
        let chains = &open.evaluated.rigged.chains;
        let (chain, at) = chains.iter().find_map(|chain| {
            let at = chain.nodes().position(|n| n == node)?;
            Some((chain, at))
        })?;
        let ChainOrigin::Grown(region) = chain.origin else { return None };
        let is_alone = chains.iter().filter(|c| c.origin == chain.origin).count() == 1;
        let has_end = matches!(chain.tip, Tip::Node(_));
        (is_alone && has_end).then_some((open, chain, region, at))
    }

    /// Where the gizmo stands: on the selected joint, where it can be moved, or on what is held of a collider.
    pub fn gizmo_at(&self) -> Option<Vec3> {
        let node = match self.selection {
            Selection::Joint(node) if !matches!(self.tool(), Tool::Turn | Tool::Scale) => node,
            Selection::Collider(_) => return self.collider_gizmo(),
            _ => return None,
        };
        self.movable(node)?;
        Some(self.scene.world.matrix(node).translation.into())
    }

    pub(super) fn move_joint(&mut self, by: Vec3) -> Changes {
        let Selection::Joint(node) = self.selection else { return Changes::NONE };
        let Some((open, chain, region, at)) = self.movable(node).filter(|_| by.is_finite()) else {
            return Changes::NONE;
        };
        let (rigged, detection) = (&open.evaluated.rigged, &open.evaluated.detection);
        let edits = self.history.current().of(open.character);
        let decided = treatment_of(edits, &open.about(edits), region).places;
        let mut places: Vec<Vec3> = decided.iter().map(|&p| to_bind(detection, p)).collect();
        if places.len() != chain.nodes().count() {
            places = chain.nodes().map(|n| rigged.bind.position(n)).collect();
        }
        // What a hand moves in the pose of now is moved in the bind pose by as much, turned back.
        let bind_from_pose =
            rigged.bind.world.matrix(node) * self.scene.world.matrix(node).inverse();
        let by = bind_from_pose.transform_vector3(by);
        match places.get_mut(at) {
            Some(place) if by.is_finite() => *place += by,
            _ => return Changes::NONE,
        }
        self.edit(&Edit::Places { region, places })
    }

    /// The mesh that a vertex of the surface belongs to.
    pub fn mesh_at(&self, vertex: SurfaceVertex) -> Option<InstanceIndex> {
        let surface = &self.evaluated()?.detection.surface;
        (vertex.index() < surface.n_vertices()).then(|| surface.locate(vertex).0)
    }

    /// The mesh that hiding and showing alone are about: the selected one, or the one that most is selected of.
    pub fn selected_mesh(&self) -> Option<InstanceIndex> {
        match self.selection {
            Selection::Mesh(instance) => Some(instance),
            _ => {
                let region = self.selected_region()?;
                let middle = region.vertices.get(region.vertices.len() / 2)?;
                Some(self.open.as_ref()?.evaluated.detection.surface.locate(*middle).0)
            }
        }
    }
}
