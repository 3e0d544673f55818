//! Floor 2: files in and out: glTF, GLB and VRM as they occur, written back without loss; saving beside and renaming.
//!
//! May use floors 0 and 1, gltf, serde_json, base64, meshopt. Architecture invariant: decides nothing about rigs; what it does not
//! understand comes out as it went in.
