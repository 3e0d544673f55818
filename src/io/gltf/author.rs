//! A fresh glTF file for a character that no file held before.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use glam::{Vec2, Vec3};
use serde_json::{Map, Value, json};

use super::accessor::Component;
use super::block::{Block, Finished, Layout, numbers};
use super::container::{self, CHUNK_BIN, Chunk, Container};
use super::source::SourceFile;
use super::weights;
use crate::io::vrm::write;
use crate::math::Transform;
use crate::model::{
    Character, Clip, Influences, Interpolation, Mesh, MeshIndex, NodeIndex, SkinIndex, Track,
    TrackValues,
};

/// Composes a GLB that holds `character` and nothing else; the same character gives the same bytes.
///
/// Every array of the meshes is written, with all influences, and every clip. Each material index gets a plain, rough
/// material, so that vertex colours show. `extras` become `asset.extras`.
pub fn author(character: &Character, generator: &str, extras: Option<Value>) -> SourceFile {
    let mut block = Block::new(0, 0, 0, 0);
    let mut nodes: Vec<Value> = Vec::with_capacity(character.skeleton.len());
    let children = character.skeleton.children();
    for (node, children) in character.skeleton.nodes().iter().zip(&children) {
        let below: Vec<usize> = children.iter().map(|c| c.index()).collect();
        nodes.push(node_value(&node.name, &node.local, &below));
    }
    constrain(character, &mut nodes);
    let mut file = Authoring { character, block: &mut block, nodes, meshes: Vec::new() };
    let has_hidden = file.hang_meshes();
    let Authoring { nodes, meshes, .. } = file;
    let skins: Vec<Value> = character
        .skins
        .iter()
        .map(|skin| {
            let joints: Vec<u32> = skin.joints.iter().map(|j| j.0).collect();
            let mut value = Map::new();
            if !skin.name.is_empty() {
                value.insert("name".into(), skin.name.clone().into());
            }
            value.insert("joints".into(), joints.into());
            if skin.has_binds {
                let matrices = block.matrices(&skin.joint_from_mesh);
                value.insert("inverseBindMatrices".into(), matrices.into());
            }
            Value::Object(value)
        })
        .collect();
    let animations: Vec<Value> = character
        .clips
        .iter()
        .filter(|c| !c.tracks.is_empty())
        .map(|clip| animation(clip, &mut block, |n| n.index()))
        .collect();
    let mut asset = Map::new();
    asset.insert("version".into(), "2.0".into());
    asset.insert("generator".into(), generator.into());
    if let Some(extras) = extras {
        asset.insert("extras".into(), extras);
    }
    let mut root = Map::new();
    root.insert("asset".into(), Value::Object(asset));
    let extensions = write::root_extensions(character, &NodeIndex::index);
    let used = extensions_used(character, &extensions, has_hidden);
    if !used.is_empty() {
        root.insert("extensionsUsed".into(), used.into());
    }
    if !extensions.is_empty() {
        let extensions: Map<String, Value> =
            extensions.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        root.insert("extensions".into(), extensions.into());
    }
    let mut scene = Map::new();
    scene.insert("name".into(), character.name.clone().into());
    let roots: Vec<usize> = character
        .skeleton
        .indices()
        .filter(|&n| character.skeleton.parent(n).is_none())
        .map(NodeIndex::index)
        .collect();
    if !roots.is_empty() {
        scene.insert("nodes".into(), roots.into());
    }
    root.insert("scene".into(), 0.into());
    root.insert("scenes".into(), json!([scene]));
    let Finished { parts, length, views, accessors } = block.finish();
    let buffers = match length {
        0 => Vec::new(),
        n => vec![json!({ "byteLength": n })],
    };
    let materials = materials(character);
    for (key, list) in [
        ("nodes", nodes),
        ("meshes", meshes),
        ("materials", materials),
        ("skins", skins),
        ("animations", animations),
        ("accessors", accessors),
        ("bufferViews", views),
        ("buffers", buffers),
    ] {
        // An empty list is an error in glTF.
        if !list.is_empty() {
            root.insert(key.into(), Value::Array(list));
        }
    }
    sealed(Value::Object(root), parts.concat(), &character.name)
}

/// Extensions that the file uses, in a fixed order.
fn extensions_used(
    character: &Character,
    root: &[(&'static str, Value)],
    has_hidden: bool,
) -> Vec<&'static str> {
    let mut used: Vec<&str> = root.iter().map(|(name, _)| *name).collect();
    let vrm = character.vrm.as_ref();
    if vrm.is_some_and(|v| v.colliders.iter().any(write::needs_extension)) {
        used.push("VRMC_springBone_extended_collider");
    }
    for (is_used, name) in [
        (!character.constraints.is_empty(), "VRMC_node_constraint"),
        (vrm.is_some(), "VRMC_materials_mtoon"),
        (has_hidden, "KHR_node_visibility"),
    ] {
        if is_used {
            used.push(name);
        }
    }
    used
}

/// Puts constraints on their nodes.
fn constrain(character: &Character, nodes: &mut [Value]) {
    for constraint in &character.constraints {
        let value = write::node_constraint(constraint, &NodeIndex::index);
        if let Some(node) = nodes.get_mut(constraint.node.index()).and_then(Value::as_object_mut) {
            node.insert("extensions".into(), json!({ "VRMC_node_constraint": value }));
        }
    }
}

/// A source file of that JSON and those bytes, as if it had been read.
fn sealed(json: Value, bin: Vec<u8>, name: &str) -> SourceFile {
    let bin = Bytes::from(bin);
    let chunks = match bin.len() {
        0 => Vec::new(),
        _ => vec![Chunk { kind: CHUNK_BIN, data: bin.clone() }],
    };
    let framed: Vec<_> = chunks.iter().map(|c| (c.kind, vec![c.data.clone()])).collect();
    let parts = container::glb(json.to_string().into_bytes(), &framed);
    let original = Bytes::from(parts.concat());
    SourceFile {
        name: name.into(),
        base_dir: None,
        container: Container::Glb,
        size: original.len() as u64,
        original: Some(original),
        json: Arc::new(json),
        buffers: if chunks.is_empty() { Vec::new() } else { vec![Ok(bin)] },
        chunks,
        is_pretty: false,
        n_trailing: 0,
    }
}

/// A node; what is the default is left out.
pub(super) fn node_value(name: &str, local: &Transform, children: &[usize]) -> Value {
    let mut node = Map::new();
    if !name.is_empty() {
        node.insert("name".into(), name.into());
    }
    if local.translation != Vec3::ZERO {
        node.insert("translation".into(), numbers(&local.translation.to_array()));
    }
    if local.rotation != glam::Quat::IDENTITY {
        node.insert("rotation".into(), numbers(&local.rotation.to_array()));
    }
    if local.scale != Vec3::ONE {
        node.insert("scale".into(), numbers(&local.scale.to_array()));
    }
    if !children.is_empty() {
        node.insert("children".into(), children.into());
    }
    Value::Object(node)
}

fn materials(character: &Character) -> Vec<Value> {
    let n = character.meshes.iter().filter_map(|m| m.material).max().map_or(0, |m| m + 1);
    let plain = json!({"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.9}});
    let drawn = json!({
        "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.9},
        "extensions": {"VRMC_materials_mtoon": write::mtoon(OUTLINE_M)}
    });
    let material = if character.vrm.is_some() { drawn } else { plain };
    vec![material; n as usize]
}

/// Width of the outlines of characters that are drawn as VRM has it.
const OUTLINE_M: f32 = 0.0015;

struct Authoring<'a> {
    character: &'a Character,
    block: &'a mut Block,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
}

impl Authoring<'_> {
    /// Puts every instance on its node; a second skin on one node gets a node of its own below it. Says whether
    /// something is hidden.
    fn hang_meshes(&mut self) -> bool {
        type Hung = BTreeMap<(NodeIndex, Option<SkinIndex>), (Vec<MeshIndex>, bool)>;
        let mut hung = Hung::new();
        for instance in &self.character.instances {
            let entry = hung.entry((instance.node, instance.skin)).or_default();
            entry.0.push(instance.mesh);
            entry.1 |= instance.is_visible;
        }
        let mut known: BTreeMap<Vec<MeshIndex>, usize> = BTreeMap::new();
        let mut primitives: BTreeMap<MeshIndex, Value> = BTreeMap::new();
        let mut has_hidden = false;
        for ((node, skin), (meshes, is_visible)) in hung {
            let mesh = match known.get(&meshes) {
                Some(&mesh) => mesh,
                None => {
                    let value = self.mesh(&meshes, &mut primitives);
                    self.meshes.push(value);
                    known.insert(meshes, self.meshes.len() - 1);
                    self.meshes.len() - 1
                }
            };
            let Some(carrier) = self.carrier(node) else { continue };
            carrier.insert("mesh".into(), mesh.into());
            if let Some(skin) = skin {
                carrier.insert("skin".into(), skin.0.into());
            }
            if !is_visible {
                has_hidden = true;
                // Beside its constraint, where it has one.
                let extensions = carrier.entry("extensions").or_insert_with(|| json!({}));
                if let Some(extensions) = extensions.as_object_mut() {
                    extensions.insert("KHR_node_visibility".into(), json!({"visible": false}));
                }
            }
        }
        has_hidden
    }

    /// The node itself, or a new child where it carries a mesh already.
    fn carrier(&mut self, node: NodeIndex) -> Option<&mut Map<String, Value>> {
        let child = self.nodes.len();
        let own = self.nodes.get_mut(node.index())?.as_object_mut()?;
        if !own.contains_key("mesh") {
            return self.nodes.get_mut(node.index())?.as_object_mut();
        }
        let children = own.entry("children").or_insert_with(|| json!([]));
        children.as_array_mut()?.push(child.into());
        self.nodes.push(json!({}));
        self.nodes.last_mut()?.as_object_mut()
    }

    fn mesh(&mut self, meshes: &[MeshIndex], written: &mut BTreeMap<MeshIndex, Value>) -> Value {
        let mut value = Map::new();
        let mut primitives = Vec::new();
        let mut targets: Vec<Value> = Vec::new();
        for &index in meshes {
            let Some(mesh) = self.character.meshes.get(index.index()) else { continue };
            if !mesh.name.is_empty() && !value.contains_key("name") {
                value.insert("name".into(), mesh.name.clone().into());
            }
            if targets.is_empty() {
                targets = mesh.morphs.iter().map(|m| m.name.clone().into()).collect();
            }
            let primitive = match written.get(&index) {
                Some(known) => known.clone(),
                None => {
                    let primitive = primitive(mesh, self.block);
                    written.insert(index, primitive.clone());
                    primitive
                }
            };
            primitives.push(primitive);
        }
        value.insert("primitives".into(), Value::Array(primitives));
        if !targets.is_empty() {
            value.insert("weights".into(), numbers(&vec![0.0; targets.len()]));
            value.insert("extras".into(), json!({ "targetNames": targets }));
        }
        Value::Object(value)
    }
}

fn primitive(mesh: &Mesh, block: &mut Block) -> Value {
    const VEC2: Layout = Layout::new(Component::F32, "VEC2");
    const VEC3: Layout = Layout::new(Component::F32, "VEC3");
    const VEC4: Layout = Layout::new(Component::F32, "VEC4");
    let mut attributes = Map::new();
    let mut add = |key: &str, accessor: usize| attributes.insert(key.into(), accessor.into());
    add("POSITION", block.positions(&mesh.positions));
    if !mesh.normals.is_empty() {
        add("NORMAL", block.attribute::<Vec3>(mesh.normals.to_vec(), VEC3));
    }
    if !mesh.uvs.is_empty() {
        add("TEXCOORD_0", block.attribute::<Vec2>(mesh.uvs.to_vec(), VEC2));
    }
    if !mesh.colors.is_empty() {
        if mesh.colors.iter().all(|c| c.w == 1.0) {
            let colors: Vec<[f32; 3]> =
                mesh.colors.iter().map(|c| c.truncate().to_array()).collect();
            add("COLOR_0", block.attribute(colors, VEC3));
        } else {
            let colors: Vec<[f32; 4]> = mesh.colors.iter().map(|c| c.to_array()).collect();
            add("COLOR_0", block.attribute(colors, VEC4));
        }
    }
    if let Some(influences) = &mesh.influences {
        for (n, (joints, weights)) in influence_sets(influences, block).into_iter().enumerate() {
            add(&format!("JOINTS_{n}"), joints);
            add(&format!("WEIGHTS_{n}"), weights);
        }
    }
    let mut value = Map::new();
    value.insert("attributes".into(), Value::Object(attributes));
    if mesh.triangles.is_empty() {
        value.insert("mode".into(), 0.into());
    } else {
        value.insert("indices".into(), block.triangles(&mesh.triangles, mesh.n_vertices()).into());
    }
    if let Some(material) = mesh.material {
        value.insert("material".into(), material.into());
    }
    let targets: Vec<Value> = mesh
        .morphs
        .iter()
        .map(|target| {
            let mut value = Map::new();
            if !target.positions.is_empty() {
                value.insert("POSITION".into(), block.positions(&target.positions).into());
            }
            if !target.normals.is_empty() {
                let normals = block.attribute::<Vec3>(target.normals.clone(), VEC3);
                value.insert("NORMAL".into(), normals.into());
            }
            Value::Object(value)
        })
        .collect();
    if !targets.is_empty() {
        value.insert("targets".into(), Value::Array(targets));
    }
    Value::Object(value)
}

/// Accessors of JOINTS_n and WEIGHTS_n, as many sets as the vertex with the most influences needs.
fn influence_sets(influences: &Influences, block: &mut Block) -> Vec<(usize, usize)> {
    let n = influences.len();
    let most = (0..n).map(|v| influences.of(v).len()).max().unwrap_or(0);
    let last = (0..n).flat_map(|v| influences.of(v)).map(|(j, _)| j.0).max().unwrap_or(0);
    let slots: Vec<_> = (0..n).map(|v| weights::strongest(influences.of(v), usize::MAX)).collect();
    (0..most.div_ceil(4).max(1))
        .map(|set| {
            let mut joints = vec![[0_u16; 4]; n];
            let mut weights = vec![[0.0_f32; 4]; n];
            for ((slots, joints), weights) in slots.iter().zip(&mut joints).zip(&mut weights) {
                let own = slots.iter().skip(4 * set);
                for ((slot, joint), weight) in own.zip(joints).zip(weights) {
                    *joint = slot.0 as u16;
                    *weight = slot.1;
                }
            }
            let joints = if last < 256 {
                let narrow: Vec<[u8; 4]> = joints.iter().map(|j| j.map(|x| x as u8)).collect();
                block.attribute(narrow, Layout::new(Component::U8, "VEC4"))
            } else {
                block.attribute(joints, Layout::new(Component::U16, "VEC4"))
            };
            (joints, block.attribute(weights, Layout::new(Component::F32, "VEC4")))
        })
        .collect()
}

/// A clip as an animation; `index` gives the file's index of a node.
pub(super) fn animation(
    clip: &Clip,
    block: &mut Block,
    index: impl Fn(NodeIndex) -> usize,
) -> Value {
    let mut samplers = Vec::with_capacity(clip.tracks.len());
    let mut channels = Vec::with_capacity(clip.tracks.len());
    for track in &clip.tracks {
        channels.push(channel(track, samplers.len(), index(track.node)));
        samplers.push(sampler(track, block));
    }
    let mut value = Map::new();
    if !clip.name.is_empty() {
        value.insert("name".into(), clip.name.clone().into());
    }
    value.insert("channels".into(), Value::Array(channels));
    value.insert("samplers".into(), Value::Array(samplers));
    Value::Object(value)
}

/// The property that a track animates, as glTF names it.
pub(super) const fn path(track: &Track) -> &'static str {
    match track.values {
        TrackValues::Translation(_) => "translation",
        TrackValues::Rotation(_) => "rotation",
        TrackValues::Scale(_) => "scale",
        TrackValues::Morph { .. } => "weights",
    }
}

pub(super) fn channel(track: &Track, sampler: usize, node: usize) -> Value {
    json!({"sampler": sampler, "target": {"node": node, "path": path(track)}})
}

pub(super) fn sampler(track: &Track, block: &mut Block) -> Value {
    let input = block.times(&track.times);
    let output = match &track.values {
        TrackValues::Translation(v) | TrackValues::Scale(v) => block.keys::<Vec3>(v, "VEC3"),
        TrackValues::Rotation(v) => {
            let values: Vec<[f32; 4]> = v.iter().map(|q| q.to_array()).collect();
            block.keys(&values, "VEC4")
        }
        TrackValues::Morph { values, .. } => block.keys::<f32>(values, "SCALAR"),
    };
    let interpolation = match track.interpolation {
        Interpolation::Linear => "LINEAR",
        Interpolation::Step => "STEP",
        Interpolation::Cubic => "CUBICSPLINE",
    };
    json!({"input": input, "interpolation": interpolation, "output": output})
}
