//! New weights into the file: replaced attributes, new skins on nodes, and meshes split from their sharers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::accessor::{AccessorFault, Component, Elements};
use super::block::Layout;
use super::json as look;
use super::weights::{self, Slots};
use super::write::{Patch, WriteEdits};
use crate::io::WriteError;
use crate::model::{InstanceIndex, Mesh, MeshIndex};

/// The edited primitives of a node's mesh: which of the character's meshes each one is now.
type Variant = (usize, Vec<(u32, MeshIndex)>);

/// Writes the reweighted vertices of all edited characters.
pub(super) fn write(patch: &mut Patch<'_>, edits: &WriteEdits<'_>) -> Result<(), WriteError> {
    let most = edits.influences.count();
    // By the file's mesh: what becomes of it, and on which nodes.
    let mut meshes: BTreeMap<usize, BTreeMap<Variant, BTreeSet<usize>>> = BTreeMap::new();
    let mut vertices: BTreeMap<(usize, MeshIndex), BTreeSet<u32>> = BTreeMap::new();
    for (at, character) in edits.characters.iter().enumerate() {
        let rigged = character.rigged;
        let mut by_node: BTreeMap<(usize, usize), Vec<(u32, MeshIndex)>> = BTreeMap::new();
        for (&index, changed) in &rigged.changes.reweighted {
            let (mesh, place) = located(patch, at, edits, index)?;
            let instance = rigged.character.instance(index);
            let mesh_index = instance.map_or(MeshIndex(0), |i| i.mesh);
            by_node
                .entry((mesh, place))
                .or_default()
                .push((source_of(edits, at, mesh_index).1, mesh_index));
            vertices.entry((at, mesh_index)).or_default().extend(changed);
        }
        for ((mesh, node), mut primitives) in by_node {
            primitives.sort_unstable();
            meshes.entry(mesh).or_default().entry((at, primitives)).or_default().insert(node);
        }
        for &index in &rigged.changes.newly_skinned {
            let (_, node) = located(patch, at, edits, index)?;
            if let Some(skin) = rigged.character.instance(index).and_then(|i| i.skin) {
                let skin = patch.skin(at, skin);
                patch.editor.set(&format!("/nodes/{node}/skin"), skin.into());
            }
        }
    }
    let mut written: BTreeMap<(usize, MeshIndex), Attributes> = BTreeMap::new();
    for (mesh, variants) in meshes {
        let n_users = look::list(patch.base.json(), "nodes")
            .iter()
            .filter(|n| look::index(n, "mesh") == Some(mesh))
            .count();
        let n_edited: usize = variants.values().map(BTreeSet::len).sum();
        for (i, ((at, primitives), nodes)) in variants.into_iter().enumerate() {
            let mut attributes = Vec::with_capacity(primitives.len());
            for (primitive, index) in primitives {
                let new = match written.get(&(at, index)) {
                    Some(known) => known.clone(),
                    None => {
                        let empty = BTreeSet::new();
                        let changed = vertices.get(&(at, index)).unwrap_or(&empty);
                        let model = edits.characters.get(at).map(|c| &c.rigged.character.meshes);
                        let Some(model) = model.and_then(|m| m.get(index.index())) else {
                            continue;
                        };
                        let new = attributes_of(patch, mesh, primitive, model, changed, most)?;
                        written.insert((at, index), new.clone());
                        new
                    }
                };
                attributes.push((primitive, new));
            }
            // Whoever still uses the mesh as it was keeps it; the last ones left may have it changed in place.
            if i == 0 && n_edited == n_users {
                replace(patch, mesh, &attributes);
            } else {
                split_off(patch, mesh, &attributes, &nodes);
            }
        }
    }
    Ok(())
}

/// Accessors of a primitive's joints and weights, by attribute name.
type Attributes = Vec<(String, usize)>;

/// `(mesh, primitive)` of the file that a mesh of edited character `at` stands for.
fn source_of(edits: &WriteEdits<'_>, at: usize, mesh: MeshIndex) -> (u32, u32) {
    edits
        .characters
        .get(at)
        .and_then(|c| c.rigged.character.meshes.get(mesh.index()))
        .and_then(|m| m.source)
        .map_or((u32::MAX, u32::MAX), |s| (s.mesh, s.primitive))
}

/// The file's mesh and node of an instance.
fn located(
    patch: &Patch<'_>,
    at: usize,
    edits: &WriteEdits<'_>,
    index: InstanceIndex,
) -> Result<(usize, usize), WriteError> {
    let foreign = || patch.foreign(format!("mesh instance {}", index.0));
    let character = edits.characters.get(at).ok_or_else(foreign)?;
    let instance = character.rigged.character.instance(index).ok_or_else(foreign)?;
    let (mesh, primitive) = source_of(edits, at, instance.mesh);
    let node = patch.node(at, instance.node);
    let root = patch.base.json();
    let is_there = look::list(root, "meshes")
        .get(mesh as usize)
        .is_some_and(|m| look::list(m, "primitives").len() > primitive as usize);
    let carries = look::list(root, "nodes").get(node).and_then(|n| look::index(n, "mesh"));
    match is_there && carries == Some(mesh as usize) {
        true => Ok((mesh as usize, node)),
        false => Err(foreign()),
    }
}

fn replace(patch: &mut Patch<'_>, mesh: usize, primitives: &[(u32, Attributes)]) {
    for (primitive, attributes) in primitives {
        for (name, accessor) in attributes {
            let place = format!("/meshes/{mesh}/primitives/{primitive}/attributes/{name}");
            patch.editor.set(&place, (*accessor).into());
        }
    }
}

fn split_off(
    patch: &mut Patch<'_>,
    mesh: usize,
    primitives: &[(u32, Attributes)],
    nodes: &BTreeSet<usize>,
) {
    let mut copy = look::list(patch.base.json(), "meshes").get(mesh).cloned().unwrap_or_default();
    for (primitive, attributes) in primitives {
        let place = format!("/primitives/{primitive}/attributes");
        if let Some(Value::Object(object)) = copy.pointer_mut(&place) {
            for (name, accessor) in attributes {
                object.insert(name.clone(), json!(accessor));
            }
        }
    }
    let place = patch.editor.push("/meshes", copy);
    for node in nodes {
        patch.editor.set(&format!("/nodes/{node}/mesh"), place.into());
    }
}

/// One set of joints and weights, ready to be written.
struct Set {
    joints: Vec<[u32; 4]>,
    joint_type: Component,
    weights: Weights,
}

enum Weights {
    F32(Vec<[f32; 4]>),
    U8(Vec<[u8; 4]>),
    U16(Vec<[u16; 4]>),
}

impl Set {
    fn empty(n: usize, joint_type: Component, weight_type: Component) -> Self {
        let weights = match weight_type {
            Component::U8 => Weights::U8(vec![[0; 4]; n]),
            Component::U16 => Weights::U16(vec![[0; 4]; n]),
            _ => Weights::F32(vec![[0.0; 4]; n]),
        };
        Self { joints: vec![[0; 4]; n], joint_type, weights }
    }

    /// The set as the file has it, bit for bit.
    fn read(joints: &Elements<'_>, weights: &Elements<'_>) -> Self {
        let plain = weights.tight();
        let weights = match weights.shape.component {
            Component::U8 => Weights::U8(plain.as_chunks::<4>().0.to_vec()),
            Component::U16 => {
                let word = |w: &[u8; 2]| u16::from_le_bytes(*w);
                let words = plain.as_chunks::<8>().0.iter();
                Weights::U16(
                    words
                        .map(|e| {
                            let [a, b, c, d] = [0, 2, 4, 6].map(|at| {
                                e.get(at..).and_then(|e| e.first_chunk()).map_or(0, word)
                            });
                            [a, b, c, d]
                        })
                        .collect(),
                )
            }
            _ => Weights::F32(weights.floats()),
        };
        let quads = (0..joints.shape.count).map(|v| joints.quad(v)).collect();
        Self { joints: quads, joint_type: joints.shape.component, weights }
    }

    /// Puts the `n`th four of a vertex's slots in the place of what it had.
    fn put(&mut self, vertex: usize, slots: &Slots, n: usize) {
        let own = |k: usize| slots.get(4 * n + k);
        if let Some(joints) = self.joints.get_mut(vertex) {
            for (k, joint) in joints.iter_mut().enumerate() {
                *joint = own(k).map_or(0, |s| s.0);
            }
        }
        let parts = |range: u32| {
            let all = weights::quantized(slots, range);
            [0, 1, 2, 3].map(|k| all.get(4 * n + k).copied().unwrap_or(0))
        };
        match &mut self.weights {
            Weights::F32(list) => {
                if let Some(weights) = list.get_mut(vertex) {
                    *weights = [0, 1, 2, 3].map(|k| own(k).map_or(0.0, |s| s.1));
                }
            }
            Weights::U8(list) => {
                if let Some(weights) = list.get_mut(vertex) {
                    *weights = parts(255).map(|p| p as u8);
                }
            }
            Weights::U16(list) => {
                if let Some(weights) = list.get_mut(vertex) {
                    *weights = parts(65535).map(|p| p as u16);
                }
            }
        }
        // A part of nothing must not name a joint.
        let is_zero: [bool; 4] = match &self.weights {
            Weights::F32(l) => l.get(vertex).map_or([false; 4], |w| w.map(|w| w == 0.0)),
            Weights::U8(l) => l.get(vertex).map_or([false; 4], |w| w.map(|w| w == 0)),
            Weights::U16(l) => l.get(vertex).map_or([false; 4], |w| w.map(|w| w == 0)),
        };
        if let Some(joints) = self.joints.get_mut(vertex) {
            for (joint, is_zero) in joints.iter_mut().zip(is_zero) {
                if is_zero {
                    *joint = 0;
                }
            }
        }
    }

    /// Writes the set; gives the accessors of joints and weights. Joints are widened where an index needs it.
    fn add(self, patch: &mut Patch<'_>) -> (usize, usize) {
        let widest = self.joints.iter().flatten().max().copied().unwrap_or(0);
        let joints = if self.joint_type == Component::U8 && widest < 256 {
            let narrow: Vec<[u8; 4]> = self.joints.iter().map(|j| j.map(|x| x as u8)).collect();
            patch.block.attribute(narrow, Layout::new(Component::U8, "VEC4"))
        } else {
            let wide: Vec<[u16; 4]> = self.joints.iter().map(|j| j.map(|x| x as u16)).collect();
            patch.block.attribute(wide, Layout::new(Component::U16, "VEC4"))
        };
        let normalized = |component| Layout::normalized(component, "VEC4");
        let weights = match self.weights {
            Weights::F32(list) => patch.block.attribute(list, Layout::new(Component::F32, "VEC4")),
            Weights::U8(list) => patch.block.attribute(list, normalized(Component::U8)),
            Weights::U16(list) => patch.block.attribute(list, normalized(Component::U16)),
        };
        (joints, weights)
    }
}

/// New accessors for the joints and weights of a primitive: edited vertices get what the model says, the others keep
/// what they had, in all sets.
fn attributes_of(
    patch: &mut Patch<'_>,
    mesh: usize,
    primitive: u32,
    model: &Mesh,
    changed: &BTreeSet<u32>,
    most: usize,
) -> Result<Attributes, WriteError> {
    let place = format!("/meshes/{mesh}/primitives/{primitive}/attributes");
    let attributes = patch.base.json().pointer(&place).cloned().unwrap_or_default();
    let mut sets = read_sets(patch, &attributes).map_err(|fault| WriteError::NotEditable {
        subject: format!("mesh {mesh} {:?} primitive {primitive}", model.name),
        fault: fault.to_string(),
    })?;
    let slots: Vec<(usize, Slots)> = changed
        .iter()
        .map(|&v| v as usize)
        .filter_map(|v| {
            let influences = model.influences.as_ref()?;
            Some((v, weights::strongest(influences.of(v), most)))
        })
        .collect();
    let needed = slots.iter().map(|s| s.1.len().div_ceil(4)).max().unwrap_or(0).max(1);
    let types = sets.first().map_or((Component::U8, Component::F32), |s: &Set| {
        let weights = match s.weights {
            Weights::F32(_) => Component::F32,
            Weights::U8(_) => Component::U8,
            Weights::U16(_) => Component::U16,
        };
        (s.joint_type, weights)
    });
    while sets.len() < needed {
        sets.push(Set::empty(model.n_vertices(), types.0, types.1));
    }
    let mut result = Vec::with_capacity(2 * sets.len());
    for (n, mut set) in sets.into_iter().enumerate() {
        for (vertex, slots) in &slots {
            set.put(*vertex, slots, n);
        }
        let (joints, weights) = set.add(patch);
        result.push((format!("JOINTS_{n}"), joints));
        result.push((format!("WEIGHTS_{n}"), weights));
    }
    Ok(result)
}

fn read_sets(patch: &Patch<'_>, attributes: &Value) -> Result<Vec<Set>, AccessorFault> {
    let mut sets = Vec::new();
    for n in 0.. {
        let joints = look::index(attributes, &format!("JOINTS_{n}"));
        let weights = look::index(attributes, &format!("WEIGHTS_{n}"));
        let (Some(joints), Some(weights)) = (joints, weights) else { break };
        let joints = patch.accessors.elements(joints)?;
        let weights = patch.accessors.elements(weights)?;
        sets.push(Set::read(&joints, &weights));
    }
    Ok(sets)
}
