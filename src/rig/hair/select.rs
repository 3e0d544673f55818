//! Picking the skin of a strand: by mesh, primitive, material or piece. Never automatic.

use std::collections::BTreeSet;

use crate::detect::Detection;
use crate::model::{Character, InstanceIndex, NodeIndex, Role, SurfaceVertex};

/// What hair may follow before it has joints of its own.
const HAIR_ROLES: [Role; 10] = [
    Role::Head,
    Role::Neck,
    Role::Jaw,
    Role::LeftEye,
    Role::RightEye,
    Role::UpperChest,
    Role::Chest,
    Role::Spine,
    Role::LeftShoulder,
    Role::RightShoulder,
];

/// Skin of all visible meshes for which `is_meant` answers yes.
fn of_instances(
    character: &Character,
    detection: &Detection,
    is_meant: impl Fn(InstanceIndex) -> bool,
) -> Vec<SurfaceVertex> {
    character
        .instances()
        .filter(|&(i, _)| is_meant(i))
        .flat_map(|(i, _)| detection.surface.vertices_of(i))
        .map(SurfaceVertex)
        .collect()
}

/// Skin of the meshes of that name, or on a node of that name; without regard to case. Empty where there is none.
pub fn mesh_named(character: &Character, detection: &Detection, name: &str) -> Vec<SurfaceVertex> {
    let wanted = name.trim().to_lowercase();
    of_instances(character, detection, |i| {
        character.instance(i).is_some_and(|instance| {
            let mesh = character.mesh_of(instance).map_or("", |m| m.name.as_str());
            let node = character.skeleton.name(instance.node);
            mesh.to_lowercase() == wanted || node.to_lowercase() == wanted
        })
    })
}

/// Names of the character's meshes, each once, in the file's order.
pub fn mesh_names(character: &Character) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let meshes = character.instances.iter().filter_map(|i| character.mesh_of(i));
    meshes.map(|m| m.name.as_str()).filter(|name| seen.insert(*name)).collect()
}

/// Skin of one primitive.
pub fn primitive(detection: &Detection, instance: InstanceIndex) -> Vec<SurfaceVertex> {
    detection.surface.vertices_of(instance).map(SurfaceVertex).collect()
}

/// Skin that wears a material, by its place in the file's list.
pub fn material(character: &Character, detection: &Detection, material: u32) -> Vec<SurfaceVertex> {
    of_instances(character, detection, |i| {
        let mesh = character.instance(i).and_then(|i| character.mesh_of(i));
        mesh.and_then(|m| m.material) == Some(material)
    })
}

/// Skin of which more than one vertex in so many is [`on_the_body`] is no hair.
pub const MOST_OF_BODY: usize = 4;

/// How many of `vertices` follow hips, arms or legs most: body, where hair was meant. Long hair that an auto-rigger has
/// weighted follows head, neck, spine and shoulders. Cost: O(influences).
pub fn on_the_body(
    character: &Character,
    detection: &Detection,
    vertices: &[SurfaceVertex],
) -> usize {
    let skeleton = &character.skeleton;
    let role_of = |node: NodeIndex| {
        let roles = &detection.humanoid.roles;
        roles.iter().find(|(_, n)| **n == node).map(|(&role, _)| role)
    };
    // A joint without a role goes with the next one above it that has one.
    let is_body: Vec<bool> = skeleton
        .indices()
        .map(|node| {
            let role = std::iter::once(node).chain(skeleton.ancestors(node)).find_map(role_of);
            role.is_some_and(|role| !HAIR_ROLES.contains(&role))
        })
        .collect();
    let follows = |vertex: &&SurfaceVertex| {
        let (index, local) = detection.surface.locate(**vertex);
        let mut most = (0.0, None);
        if let Some(instance) = character.instance(index) {
            character.for_each_influence(instance, local as usize, |node, weight| {
                if weight > most.0 {
                    most = (weight, Some(node));
                }
            });
        }
        most.1.is_some_and(|node| is_body.get(node.index()).copied().unwrap_or(false))
    };
    vertices.iter().filter(follows).count()
}

/// The connected piece that a vertex lies in; the vertex alone where no triangle touches it.
pub fn piece(detection: &Detection, vertex: SurfaceVertex) -> Vec<SurfaceVertex> {
    let topology = &detection.topology;
    if vertex.index() >= detection.surface.n_vertices() {
        return Vec::new();
    }
    let shell = topology.shell_of[topology.welded(vertex) as usize];
    if shell == crate::geometry::Topology::NO_SHELL {
        return vec![vertex];
    }
    let of_shell: Vec<u32> = (0..topology.shell_of.len() as u32)
        .filter(|&w| topology.shell_of[w as usize] == shell)
        .collect();
    topology.surface_vertices(&of_shell)
}
