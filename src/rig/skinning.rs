//! Puts new weights into a character: skins get the joints they need, meshes the influences.
//!
//! Joints are only ever added at the end of a skin's list, with inverse bind matrices built on that skin's own binds, so
//! skins that bind a shared joint differently keep doing so. A mesh that another instance uses with its weights as
//! they were is given a copy of its own.
//!
//! Based on: spec 8 (D8, D10), hard-files FX04, FX05.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{Affine3A, Mat4};

use super::weights::{NodeWeights, limited};
use crate::model::{
    BindPose, Character, Influences, InstanceIndex, JointIndex, MeshIndex, NodeIndex, RigChanges,
    Skin, SkinIndex, SurfaceVertex,
};

/// New weights by vertex, and the chains whose joints go into every skin they touch.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightEdits {
    /// Replaces whatever the vertex had.
    pub weights: BTreeMap<SurfaceVertex, NodeWeights>,
    /// Joints and end of each new chain, parents before children.
    pub chains: Vec<Vec<NodeIndex>>,
}

/// Applies `edits` to a character whose skeleton and bind pose already hold the new nodes, from `first_new_node` on.
///
/// At most `limit` influences are left on an edited vertex. A vertex whose weights come out as they were is not
/// counted as changed. Cost: O(V of the touched meshes).
pub(super) fn apply(
    character: &mut Character,
    bind: &mut BindPose,
    first_new_node: usize,
    edits: &WeightEdits,
    limit: usize,
) -> RigChanges {
    let mut changes = RigChanges { first_new_node, ..RigChanges::default() };
    let mut by_instance = by_instance(character, edits, limit);
    skin_the_skinless(character, bind, &mut by_instance, &mut changes);
    extend_skins(character, bind, first_new_node, edits, &by_instance);
    for (instance, weights) in by_instance {
        let edited = replaced(character, instance, &weights);
        if !edited.is_empty() {
            changes.reweighted.insert(instance, edited);
        }
    }
    changes
}

/// New weights of one instance, by vertex of its mesh.
type InstanceWeights = BTreeMap<u32, NodeWeights>;

fn by_instance(
    character: &Character,
    edits: &WeightEdits,
    limit: usize,
) -> BTreeMap<InstanceIndex, InstanceWeights> {
    let offsets = character.surface_offsets();
    let mut result: BTreeMap<InstanceIndex, InstanceWeights> = BTreeMap::new();
    for (vertex, weights) in &edits.weights {
        let weights = limited(weights.iter().copied(), limit);
        let instance = offsets.partition_point(|&first| first <= vertex.0).saturating_sub(1);
        let Some(&first) = offsets.get(instance) else { continue };
        if instance < character.instances.len() && !weights.is_empty() {
            let of = result.entry(InstanceIndex::from_index(instance)).or_default();
            of.insert(vertex.0 - first, weights);
        }
    }
    result
}

/// Gives every instance without a skin one of its own; its other vertices, and the other primitives of the same mesh
/// at the same node, follow that node as before, as a joint with weight 1.
fn skin_the_skinless(
    character: &mut Character,
    bind: &mut BindPose,
    by_instance: &mut BTreeMap<InstanceIndex, InstanceWeights>,
    changes: &mut RigChanges,
) {
    let skinless: Vec<InstanceIndex> = by_instance
        .keys()
        .copied()
        .filter(|&i| character.instance(i).is_some_and(|x| x.skin.is_none()))
        .collect();
    for edited in skinless {
        let Some(instance) = character.instance(edited).cloned() else { continue };
        if instance.skin.is_some() {
            continue;
        }
        let file_mesh = |c: &Character, m: MeshIndex| {
            c.meshes.get(m.index()).and_then(|mesh| mesh.source).map(|s| s.mesh)
        };
        let wanted = file_mesh(character, instance.mesh);
        let together: Vec<InstanceIndex> = character
            .instances()
            .filter(|&(i, x)| {
                let same_file_mesh = wanted.is_some() && file_mesh(character, x.mesh) == wanted;
                i == edited || (x.skin.is_none() && x.node == instance.node && same_file_mesh)
            })
            .map(|(i, _)| i)
            .collect();
        let skin = SkinIndex::from_index(character.skins.len());
        let mesh_to_bind = bind.world.matrix(instance.node);
        character.skins.push(Skin {
            name: String::new(),
            joints: vec![instance.node],
            joint_from_mesh: vec![Mat4::IDENTITY],
            has_binds: true,
            source: None,
        });
        bind.bind_from_skin.push(mesh_to_bind);
        for index in together {
            let n = character.instance(index).and_then(|x| character.mesh_of(x));
            let n = n.map_or(0, |mesh| mesh.n_vertices()) as u32;
            let weights = by_instance.entry(index).or_default();
            for vertex in 0..n {
                weights.entry(vertex).or_insert_with(|| vec![(instance.node, 1.0)]);
            }
            if let Some(x) = character.instances.get_mut(index.index()) {
                x.skin = Some(skin);
            }
            changes.newly_skinned.push(index);
        }
    }
    changes.newly_skinned.sort_unstable();
}

/// Adds to each touched skin the joints its vertices now need: existing nodes first, then whole chains.
fn extend_skins(
    character: &mut Character,
    bind: &BindPose,
    first_new_node: usize,
    edits: &WeightEdits,
    by_instance: &BTreeMap<InstanceIndex, InstanceWeights>,
) {
    let mut needed: BTreeMap<SkinIndex, BTreeSet<NodeIndex>> = BTreeMap::new();
    for (instance, weights) in by_instance {
        let Some(skin) = character.instance(*instance).and_then(|x| x.skin) else { continue };
        let nodes = needed.entry(skin).or_default();
        nodes.extend(weights.values().flatten().map(|&(node, _)| node));
    }
    for (index, nodes) in needed {
        let Some(skin) = character.skins.get(index.index()) else { continue };
        let listed: BTreeSet<NodeIndex> = skin.joints.iter().copied().collect();
        let mut added: Vec<NodeIndex> = nodes
            .iter()
            .copied()
            .filter(|n| n.index() < first_new_node && !listed.contains(n))
            .collect();
        for chain in &edits.chains {
            if chain.iter().any(|n| nodes.contains(n)) {
                added.extend(chain.iter().copied());
            }
        }
        if added.is_empty() {
            continue;
        }
        let mut known: BTreeMap<NodeIndex, Affine3A> = BTreeMap::new();
        for &node in &added {
            let matrix = joint_from_mesh(character, bind, index, first_new_node, node, &known);
            known.insert(node, matrix);
        }
        if let Some(skin) = character.skins.get_mut(index.index()) {
            skin.has_binds = true;
            skin.joints.extend(&added);
            skin.joint_from_mesh.extend(
                added.iter().map(|n| Mat4::from(known.get(n).copied().unwrap_or_default())),
            );
        }
    }
}

/// Inverse bind matrix of a node in a skin: the skin's own where it has a usable one; for a new joint that of its
/// parent behind its own local transform; else from the bind pose by way of where this skin's mesh stands in it.
fn joint_from_mesh(
    character: &Character,
    bind: &BindPose,
    skin: SkinIndex,
    first_new_node: usize,
    node: NodeIndex,
    known: &BTreeMap<NodeIndex, Affine3A>,
) -> Affine3A {
    if let Some(&matrix) = known.get(&node) {
        return matrix;
    }
    if node.index() >= first_new_node
        && let Some(parent) = character.skeleton.parent(node)
    {
        let parent = joint_from_mesh(character, bind, skin, first_new_node, parent, known);
        return bind.pose.local(node).to_affine().inverse() * parent;
    }
    let own = character.skins.get(skin.index()).and_then(|s| {
        let at = s.joints.iter().position(|&j| j == node)?;
        s.joint_from_mesh.get(at)
    });
    match own {
        Some(matrix) if !bind.bad_binds.contains(&(skin, node)) => Affine3A::from_mat4(*matrix),
        _ => {
            let bind_from_mesh = bind.bind_from_skin.get(skin.index()).copied();
            bind.world.matrix(node).inverse() * bind_from_mesh.unwrap_or(Affine3A::IDENTITY)
        }
    }
}

/// Replaces influences of an instance; the vertices whose weights changed, sorted.
fn replaced(
    character: &mut Character,
    index: InstanceIndex,
    weights: &InstanceWeights,
) -> Vec<u32> {
    let Some(instance) = character.instance(index).cloned() else { return Vec::new() };
    let Some(skin) = character.skin_of(&instance) else { return Vec::new() };
    let mut place: BTreeMap<NodeIndex, JointIndex> = BTreeMap::new();
    for (i, &node) in skin.joints.iter().enumerate() {
        place.entry(node).or_insert(JointIndex::from_index(i));
    }
    let Some(mesh) = character.mesh_of(&instance) else { return Vec::new() };
    let unweighted;
    let old: &Influences = match &mesh.influences {
        Some(influences) => influences,
        None => {
            let mut empty = Influences::with_capacity(mesh.n_vertices());
            (0..mesh.n_vertices()).for_each(|_| empty.push([]));
            unweighted = empty;
            &unweighted
        }
    };
    let by_joint = |vertex: u32| -> Option<Vec<(JointIndex, f32)>> {
        let new = weights.get(&vertex)?;
        Some(new.iter().filter_map(|&(node, w)| place.get(&node).map(|&j| (j, w))).collect())
    };
    let new = old.with_replaced(|v| by_joint(v as u32));
    let edited: Vec<u32> =
        weights.keys().copied().filter(|&v| !new.of(v as usize).eq(old.of(v as usize))).collect();
    if edited.is_empty() {
        return edited;
    }
    let mut mesh = mesh.clone();
    mesh.influences = Some(Arc::new(new));
    let users = character.instances.iter().filter(|x| x.mesh == instance.mesh).count();
    if users > 1 {
        let own = MeshIndex::from_index(character.meshes.len());
        character.meshes.push(mesh);
        if let Some(x) = character.instances.get_mut(index.index()) {
            x.mesh = own;
        }
    } else if let Some(slot) = character.meshes.get_mut(instance.mesh.index()) {
        *slot = mesh;
    }
    edited
}

#[cfg(test)]
#[path = "skinning_tests.rs"]
mod tests;
