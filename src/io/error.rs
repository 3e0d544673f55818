//! What can go wrong at the door: one error for reading, one for writing, one for saving.
//!
//! Each text says which file, what is wrong with it and what can be done.

use std::path::PathBuf;

use super::gltf::AccessorFault;
use crate::work::Stopped;

/// A file that could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing has that name.
    #[error("{}: no such file; check the name and the folder", path.display())]
    Missing {
        /// The path asked for.
        path: PathBuf,
    },
    /// The path leads to a folder, a device or a pipe.
    #[error("{}: this is {what}, not a file; name the file itself", path.display())]
    NotAFile {
        /// The path asked for.
        path: PathBuf,
        /// What stands there.
        what: &'static str,
    },
    /// The system refuses to open it.
    #[error("{}: permission denied; change its permissions or copy it to a folder of yours", path.display())]
    Permission {
        /// The path asked for.
        path: PathBuf,
    },
    /// It was to be text.
    #[error("{}: this is not a text file; name another", path.display())]
    NotText {
        /// The path asked for.
        path: PathBuf,
    },
    /// Any other fault of the disk.
    #[error("{}: cannot be read; check the disk and try a copy", path.display())]
    Io {
        /// The path asked for.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// Another kind of file.
    #[error("{name}: this is {found}, not glTF; {advice}")]
    NotGltf {
        /// The file.
        name: String,
        /// What it looks like.
        found: &'static str,
        /// The way out.
        advice: &'static str,
    },
    /// A BVH file that is none.
    #[error("{name}: this BVH file cannot be read: {what}; export it again")]
    Bvh {
        /// The file.
        name: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// An FBX file that cannot be read, or holds no clip.
    #[error(
        "{name}: this FBX file cannot be read: {what}; export it again, as FBX 7.4 with its animation"
    )]
    Fbx {
        /// The file.
        name: String,
        /// What is wrong with it, in the parser's words.
        what: String,
    },
    /// glTF 1 or a version to come.
    #[error(
        "{name}: glTF version {version} is not supported; convert it to glTF 2.0, for example with Blender"
    )]
    Version {
        /// The file.
        name: String,
        /// The version it states.
        version: String,
    },
    /// The file ends before it should.
    #[error(
        "{name}: the file is cut short: {part} needs {expected} bytes, {found} are there; download or export it again"
    )]
    Truncated {
        /// The file.
        name: String,
        /// Which part.
        part: &'static str,
        /// Bytes it states.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The JSON part is no JSON.
    #[error("{name}: its JSON is broken; export the file again")]
    Json {
        /// The file.
        name: String,
        /// Where and why.
        #[source]
        source: serde_json::Error,
    },
    /// A member has another form than glTF prescribes.
    #[error("{name}: {subject} {fault}; export the file again, or mend it with a glTF editor")]
    Malformed {
        /// The file.
        name: String,
        /// Whose fault: `node 7 "Hips"`.
        subject: String,
        /// What is wrong.
        fault: String,
    },
    /// The geometry is stored in a way that cannot be decoded here.
    #[error("{name}: it requires {extension}, {why}; {advice}")]
    ExtensionRequired {
        /// The file.
        name: String,
        /// The blocker.
        extension: String,
        /// Why it blocks.
        why: &'static str,
        /// The way out.
        advice: &'static str,
    },
    /// Every primitive of the file is broken.
    #[error(
        "{name}: none of its meshes can be read, the first because of {subject}; export the file again"
    )]
    NothingReadable {
        /// The file.
        name: String,
        /// The first primitive that failed.
        subject: String,
        /// Why.
        #[source]
        source: AccessorFault,
    },
    /// More memory would be needed than the file justifies.
    #[error(
        "{name}: {what} would need {bytes} bytes, more than a file of {size} bytes may; it is broken or hostile, export it again"
    )]
    TooLarge {
        /// The file.
        name: String,
        /// Which part.
        what: &'static str,
        /// Bytes it would need.
        bytes: u64,
        /// Size of the file.
        size: u64,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A file that could not be composed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A buffer or image beside the input is gone.
    #[error(
        "{uri}: the file needs it, but it cannot be read ({fault}); put it beside the input and try again"
    )]
    ResourceMissing {
        /// As the file names it.
        uri: String,
        /// Why not.
        fault: String,
    },
    /// The input's geometry cannot be edited in place.
    #[error("{subject}: cannot be edited: {fault}; leave it as it is, or export the file again")]
    NotEditable {
        /// Mesh and primitive.
        subject: String,
        /// Why not.
        fault: String,
    },
    /// The edits are of another file.
    #[error("{subject} is not part of {name}; write the edits to the file they were made for")]
    Foreign {
        /// What is named.
        subject: String,
        /// The file written.
        name: String,
    },
    /// A character that is to become a VRM lacks roles.
    #[error(
        "{character}: a VRM must say which joints are {}; choose them in the studio or give them with --map, or write a .glb", missing.join(", ")
    )]
    RolesMissing {
        /// The character's name.
        character: String,
        /// VRM's names of the roles.
        missing: Vec<&'static str>,
    },
    /// A GLB chunk has no place in a .gltf file.
    #[error(
        "{name}: its GLB chunk {kind:#010x} has no place in a .gltf file; write a .glb instead"
    )]
    ChunkHasNoPlace {
        /// The file.
        name: String,
        /// Type of the chunk.
        kind: u32,
    },
    /// Lengths in a GLB are 32 bits wide.
    #[error(
        "{name}: the result would have {bytes} bytes, a .glb holds 4 GiB at most; write a .gltf instead"
    )]
    TooLarge {
        /// The file.
        name: String,
        /// Bytes of the result.
        bytes: u64,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A file that could not be saved. Whatever stood there before still stands there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// Something has that name already.
    #[error("{}: exists already; choose another name, or overwrite it with --force", path.display())]
    Exists {
        /// The path asked for.
        path: PathBuf,
    },
    /// The target is the input.
    #[error("{}: this is the input, which is never changed; choose another name", path.display())]
    IsInput {
        /// The path asked for.
        path: PathBuf,
    },
    /// The target's folder does not exist.
    #[error("{}: its folder does not exist; create it first", path.display())]
    NoFolder {
        /// The path asked for.
        path: PathBuf,
    },
    /// The target is a folder.
    #[error("{}: this is a folder; name a file in it", path.display())]
    IsFolder {
        /// The path asked for.
        path: PathBuf,
    },
    /// A folder is wanted where something else stands.
    #[error("{}: a file stands where a folder is wanted; choose another name", path.display())]
    NotAFolder {
        /// The path asked for.
        path: PathBuf,
    },
    /// The target is a device, a pipe, a socket, or a link that leads nowhere.
    #[error("{}: this is no file, and only files are replaced; choose another name", path.display())]
    NotAFile {
        /// The path asked for.
        path: PathBuf,
    },
    /// The system refuses to write there.
    #[error("{}: permission denied; choose a folder you may write to", path.display())]
    Permission {
        /// The path asked for.
        path: PathBuf,
    },
    /// No room is left.
    #[error("{}: the disk is full; free some space, nothing was changed", path.display())]
    DiskFull {
        /// The path asked for.
        path: PathBuf,
    },
    /// Any other fault of the disk.
    #[error("{}: cannot be written; check the disk", path.display())]
    Io {
        /// The path asked for.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
}
