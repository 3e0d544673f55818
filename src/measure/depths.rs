//! How deep appendages go into what they should stay out of: their skin into the floor, their links into legs and torso.
//!
//! The floor holds a chain's links, not the skin round them, and legs push only chains that ask for it: what is left of
//! both is seen here.

use glam::{Vec3, Vec3A};

use super::skinning::Skinner;
use crate::math::closest;
use crate::model::{Chain, NodeIndex, Rigged, SurfaceVertex, Tip, WorldPose};
use crate::perform::{LegBone, leg_bones, torso_bones};

/// Vertices of chains that are looked at in every frame.
const MOST_VERTICES: usize = 1024;

/// What is watched on one character.
#[derive(Debug)]
pub(super) struct Depths {
    /// A sample of the skin that driven chains move.
    skin: Skinner,
    floor_m: f32,
    bones: Vec<LegBone>,
    links: Vec<Link>,
}

/// A link of a driven chain, and how deep it lies in each of the bones as it was modelled, metres.
#[derive(Debug)]
struct Link {
    from: NodeIndex,
    to: Tip,
    at_rest: Vec<f32>,
}

impl Depths {
    /// Cost: O(influences).
    pub fn of(rigged: &Rigged) -> Self {
        let driven = || rigged.chains.iter().filter(|chain| chain.is_driven);
        let all = skin_of(rigged, driven());
        let every = all.len().div_ceil(MOST_VERTICES).max(1);
        let sample: Vec<SurfaceVertex> = all.into_iter().step_by(every).collect();
        let mut bones = leg_bones(rigged);
        bones.extend(torso_bones(rigged));
        let rest = &rigged.bind.world;
        let links = driven().flat_map(links).map(|(from, to)| {
            let at_rest = bones.iter().map(|bone| depth(bone, from, to, rest).max(0.0)).collect();
            Link { from, to, at_rest }
        });
        let links = links.collect();
        let skin = Skinner::new(&rigged.character, &sample);
        Self { skin, floor_m: rigged.body.floor_m, bones, links }
    }

    /// The deepest in one pose, metres: below the floor, or in a bone beyond what lay in it at rest; 0 where all is clear.
    /// `room` is reused. Cost: O(sample + links × bones).
    pub fn at(&self, world: &WorldPose, room: &mut Vec<Vec3A>) -> f32 {
        self.skin.skin(world, Vec3::Y * self.floor_m, room);
        let below = room.iter().map(|p| -p.y).fold(0.0, f32::max);
        let inside = |link: &Link| {
            let pairs = self.bones.iter().zip(&link.at_rest);
            pairs.map(|(b, rest)| depth(b, link.from, link.to, world) - rest).fold(0.0, f32::max)
        };
        self.links.iter().map(inside).fold(below, f32::max)
    }
}

/// How deep a link is in a bone's capsule; below 0 where it is clear of it.
fn depth(bone: &LegBone, from: NodeIndex, to: Tip, world: &WorldPose) -> f32 {
    let at = |node: NodeIndex| Vec3::from(world.matrix(node).translation);
    let end = match to {
        Tip::Node(node) => at(node),
        Tip::Virtual(point) => world.matrix(from).transform_point3(point),
    };
    bone.radius_m - closest::distance_of_segments(at(from), end, at(bone.from), at(bone.to))
}

fn links(chain: &Chain) -> Vec<(NodeIndex, Tip)> {
    let between = chain.joints.windows(2).map(|pair| (pair[0], Tip::Node(pair[1])));
    between.chain(chain.joints.last().map(|&last| (last, chain.tip))).collect()
}

/// The vertices that joints of `chains` move most, sorted.
fn skin_of<'a>(rigged: &Rigged, chains: impl Iterator<Item = &'a Chain>) -> Vec<SurfaceVertex> {
    let character = &rigged.character;
    let mut is_driven = vec![false; character.skeleton.len()];
    for node in chains.flat_map(|chain| &chain.joints) {
        if let Some(slot) = is_driven.get_mut(node.index()) {
            *slot = true;
        }
    }
    let mut found = Vec::new();
    let firsts = character.surface_offsets();
    for ((_, instance), first) in character.instances().zip(firsts) {
        let (Some(mesh), Some(skin)) = (character.mesh_of(instance), character.skin_of(instance))
        else {
            continue;
        };
        let Some(influences) = mesh.influences.as_ref().filter(|_| instance.is_visible) else {
            continue;
        };
        for v in 0..influences.len() {
            let strongest = influences.strongest(v).and_then(|(j, _)| skin.joints.get(j.index()));
            if strongest.is_some_and(|n| is_driven.get(n.index()) == Some(&true)) {
                found.push(SurfaceVertex(first + v as u32));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::tests::{on_chain, skinned};
    use crate::model::Role;

    #[test]
    fn skin_below_the_floor_and_links_in_a_leg_are_as_deep_as_they_are() {
        let mut rigged = skinned(on_chain);
        let rest = rigged.bind.world.clone();
        let end = crate::motion::tests::TailSpec::fox().points[0].y - 0.81;
        let mut room = Vec::new();
        // A centimetre of the tube's end, which hangs 81 cm down.
        rigged.body.floor_m = end + 0.01;
        let found = Depths::of(&rigged).at(&rest, &mut room);
        assert!((found - 0.01).abs() < 1e-4, "{found}");
        rigged.body.floor_m = end - 1.0;
        assert_eq!(Depths::of(&rigged).at(&rest, &mut room), 0.0);

        // What is as it was modelled is not deep, however much of it lies in a bone.
        let (last, hips) = (*rigged.chains[0].joints.last().unwrap(), NodeIndex(0));
        rigged.humanoid.roles.insert(Role::LeftUpperLeg, hips);
        rigged.humanoid.roles.insert(Role::LeftLowerLeg, last);
        let mut depths = Depths::of(&rigged);
        assert!(!depths.bones.is_empty());
        depths.bones[0].radius_m = 0.3;
        for link in &mut depths.links {
            link.at_rest = vec![depth(&depths.bones[0], link.from, link.to, &rest)];
        }
        assert_eq!(depths.at(&rest, &mut room), 0.0);
        for link in &mut depths.links {
            link.at_rest[0] -= 0.02;
        }
        assert!((depths.at(&rest, &mut room) - 0.02).abs() < 1e-5);
    }

    #[test]
    fn what_no_springs_drive_is_not_looked_at() {
        let mut rigged = skinned(on_chain);
        rigged.chains[0].is_driven = false;
        rigged.body.floor_m = 100.0;
        let depths = Depths::of(&rigged);
        assert_eq!(depths.at(&rigged.bind.world, &mut Vec::new()), 0.0);
    }
}
