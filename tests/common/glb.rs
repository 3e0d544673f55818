//! A small builder of glTF files, sound or broken on purpose.

use serde_json::{Value, json};

/// JSON and binary chunk of a file in the making.
#[derive(Clone, Debug)]
pub struct Builder {
    /// The whole JSON; tests patch it as they please.
    pub json: Value,
    /// The binary chunk.
    pub bin: Vec<u8>,
}

pub const U8: u32 = 5121;
pub const U16: u32 = 5123;
pub const U32: u32 = 5125;
pub const F32: u32 = 5126;

impl Builder {
    /// A file with an empty scene.
    pub fn new() -> Self {
        let json = json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": []});
        Self { json, bin: Vec::new() }
    }

    /// Appends to a list at the top; gives the index.
    pub fn push(&mut self, key: &str, value: Value) -> usize {
        let list = self.json.as_object_mut().unwrap().entry(key).or_insert_with(|| json!([]));
        list.as_array_mut().unwrap().push(value);
        list.as_array().unwrap().len() - 1
    }

    /// A node in the scene.
    pub fn root_node(&mut self, value: Value) -> usize {
        let index = self.push("nodes", value);
        self.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(index.into());
        index
    }

    /// Appends bytes as a buffer view of their own.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push(
            "bufferViews",
            json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}),
        )
    }

    /// An accessor over bytes of its own.
    pub fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        let value =
            json!({"bufferView": view, "componentType": component, "count": count, "type": kind});
        self.push("accessors", value)
    }

    /// Floats, `N` to an element, with bounds.
    pub fn floats<const N: usize>(&mut self, values: &[[f32; N]]) -> usize {
        let kind = match N {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let index = self.accessor(&bytes, F32, kind, values.len());
        let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..N).map(|k| values.iter().map(|v| v[k]).reduce(pick).unwrap_or(0.0)).collect()
        };
        if N < 4 && values.iter().flatten().all(|x| x.is_finite()) {
            self.json["accessors"][index]["min"] = bound(f32::min).into();
            self.json["accessors"][index]["max"] = bound(f32::max).into();
        }
        index
    }

    /// Unsigned shorts, one to an element.
    pub fn shorts(&mut self, values: &[u16]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(&bytes, U16, "SCALAR", values.len())
    }

    /// Four bytes to an element.
    pub fn bytes4(&mut self, values: &[[u8; 4]]) -> usize {
        self.accessor(values.as_flattened(), U8, "VEC4", values.len())
    }

    /// The file with its buffer stated.
    pub fn finished(&self) -> Value {
        let mut json = self.json.clone();
        if !self.bin.is_empty() && json.get("buffers").is_none() {
            json["buffers"] = json!([{"byteLength": self.bin.len()}]);
        }
        if json["nodes"].as_array().is_some_and(Vec::is_empty) {
            json.as_object_mut().unwrap().remove("nodes");
            json["scenes"][0].as_object_mut().unwrap().remove("nodes");
        }
        json
    }

    /// As a GLB.
    pub fn glb(&self) -> Vec<u8> {
        glb(&self.finished().to_string(), &[(0x004E_4942, &self.bin)])
    }
}

/// A GLB of that JSON text and those chunks.
pub fn glb(json: &str, chunks: &[(u32, &[u8])]) -> Vec<u8> {
    let mut text = json.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut body = Vec::new();
    body.extend((text.len() as u32).to_le_bytes());
    body.extend(0x4E4F_534A_u32.to_le_bytes());
    body.extend(text);
    for (kind, data) in chunks.iter().filter(|c| !c.1.is_empty()) {
        let mut data = data.to_vec();
        data.resize(data.len().next_multiple_of(4), 0);
        body.extend((data.len() as u32).to_le_bytes());
        body.extend(kind.to_le_bytes());
        body.extend(data);
    }
    let mut file = b"glTF".to_vec();
    file.extend(2_u32.to_le_bytes());
    file.extend((12 + body.len() as u32).to_le_bytes());
    file.extend(body);
    file
}

/// What a [`column`] is made of.
pub struct Column {
    pub file: Builder,
    /// `[V]`: two vertices at each of nine heights from 0 to 2.
    pub positions: Vec<[f32; 3]>,
    /// `[T × 3]`
    pub indices: Vec<u16>,
    /// Accessor of POSITION.
    pub position: usize,
    /// Mesh 0 and skin 0 hang on this node.
    pub node: usize,
}

/// Inverse bind matrix of a joint that stands at height `y` without rotation.
pub fn bind_at(y: f32) -> [f32; 16] {
    let mut m = [0.0; 16];
    for k in [0, 5, 10, 15] {
        m[k] = 1.0;
    }
    m[13] = -y;
    m
}

/// A skinned strip 2 m high on three joints `root`, `mid`, `top` at heights 0, 1 and 2; each vertex hangs on the two
/// joints next to it. Nodes 0 to 2 are the joints, 3 carries the mesh.
pub fn column() -> Column {
    let mut file = Builder::new();
    let positions: Vec<[f32; 3]> = (0..18)
        .map(|v| [if v % 2 == 0 { -0.1 } else { 0.1 }, (v / 2) as f32 * 0.25, 0.0])
        .collect();
    let indices: Vec<u16> = (0..8).flat_map(|q| [0, 1, 2, 2, 1, 3].map(|k| 2 * q + k)).collect();
    file.root_node(json!({"name": "root", "children": [1]}));
    file.push("nodes", json!({"name": "mid", "translation": [0, 1, 0], "children": [2]}));
    file.push("nodes", json!({"name": "top", "translation": [0, 1, 0]}));
    let node = file.root_node(json!({"name": "body", "mesh": 0, "skin": 0}));
    let position = file.floats(&positions);
    let index = file.shorts(&indices);
    let joints: Vec<[u8; 4]> =
        positions.iter().map(|p| if p[1] < 1.0 { [0, 1, 0, 0] } else { [1, 2, 0, 0] }).collect();
    let weights: Vec<[f32; 4]> = positions
        .iter()
        .map(|p| {
            let t = if p[1] < 1.0 { p[1] } else { p[1] - 1.0 };
            [1.0 - t, t, 0.0, 0.0]
        })
        .collect();
    // A joint without weight must be 0.
    let joints: Vec<[u8; 4]> = joints
        .iter()
        .zip(&weights)
        .map(|(j, w)| std::array::from_fn(|k| if w[k] == 0.0 { 0 } else { j[k] }))
        .collect();
    let joints = file.bytes4(&joints);
    let weights = file.floats(&weights);
    let binds = file.floats(&[bind_at(0.0), bind_at(1.0), bind_at(2.0)]);
    file.push(
        "meshes",
        json!({"name": "Column", "primitives": [{
            "attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights},
            "indices": index,
        }]}),
    );
    file.push("skins", json!({"joints": [0, 1, 2], "inverseBindMatrices": binds}));
    Column { file, positions, indices, position, node }
}
