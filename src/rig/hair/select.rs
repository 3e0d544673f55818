//! Picking the skin of a strand: by mesh, material or piece, grown and shrunk. Never automatic.

use std::collections::BTreeSet;

use crate::detect::Detection;
use crate::model::{Character, InstanceIndex, SurfaceVertex};

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

/// The selection with one ring of neighbours more.
pub fn grown(detection: &Detection, vertices: &[SurfaceVertex]) -> Vec<SurfaceVertex> {
    let topology = &detection.topology;
    let mut welded: BTreeSet<u32> = topology.welded_vertices(vertices).into_iter().collect();
    let around: Vec<u32> =
        welded.iter().flat_map(|&w| topology.graph.neighbors(w)).copied().collect();
    welded.extend(around);
    topology.surface_vertices(&welded.into_iter().collect::<Vec<_>>())
}

/// The selection without its outermost ring.
pub fn shrunk(detection: &Detection, vertices: &[SurfaceVertex]) -> Vec<SurfaceVertex> {
    let topology = &detection.topology;
    let welded: BTreeSet<u32> = topology.welded_vertices(vertices).into_iter().collect();
    let inner: Vec<u32> = welded
        .iter()
        .copied()
        .filter(|&w| topology.graph.neighbors(w).iter().all(|n| welded.contains(n)))
        .collect();
    topology.surface_vertices(&inner)
}
