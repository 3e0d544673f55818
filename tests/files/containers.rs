//! From one container to the other, and what lies beside a file.

use std::path::Path;

use serde_json::{Value, json};
use tailbone::io::{self, Container, Overwrite, ReadError, SaveError, WriteEdits, WriteError};
use tailbone::model::FindingCode;
use tailbone::work::Work;

use crate::common::Folder;
use crate::common::glb::{self, column};
use crate::edits;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

/// A .gltf with two buffers and a picture beside it, one picture that is missing, and one inside as text.
fn scattered(folder: &Path) -> std::path::PathBuf {
    let c = column();
    let mut json = c.file.finished();
    // The second half of the views moves to a buffer of its own.
    let half = json["bufferViews"][3]["byteOffset"].as_u64().unwrap() as usize;
    for view in json["bufferViews"].as_array_mut().unwrap() {
        let offset = view["byteOffset"].as_u64().unwrap() as usize;
        if offset >= half {
            view["buffer"] = 1.into();
            view["byteOffset"] = (offset - half).into();
        }
    }
    std::fs::create_dir_all(folder.join("data")).unwrap();
    std::fs::write(folder.join("a b.bin"), &c.file.bin[..half]).unwrap();
    std::fs::write(folder.join("data/rest.bin"), &c.file.bin[half..]).unwrap();
    std::fs::write(folder.join("data/skin.png"), PNG).unwrap();
    json["buffers"] = json!([
        {"byteLength": half, "uri": "a%20b.bin"},
        {"byteLength": c.file.bin.len() - half, "uri": "data/rest.bin"},
    ]);
    json["images"] = json!([
        {"uri": "data/skin.png"},
        {"uri": "lost.png"},
        {"uri": "data:image/png;base64,iVBORw0KGgo="},
    ]);
    let path = folder.join("scattered.gltf");
    std::fs::write(&path, format!("{json:#}")).unwrap();
    path
}

#[test]
fn a_scattered_gltf_becomes_one_glb_without_a_dangling_uri() {
    let folder = Folder::new();
    let path = scattered(folder.path());
    let loaded = io::read(&path, &Work::default()).unwrap();
    assert!(loaded.report.has(FindingCode::ImageUnreadable), "lost.png is missing");
    assert_eq!(loaded.file.facts().unreadable_images.len(), 1);
    let whole = edits::read(column().file.glb());
    assert_eq!(loaded.characters[0].meshes, whole.characters[0].meshes);
    let written = loaded.file.write(&WriteEdits::default()).unwrap();
    let again = edits::read(written.to_bytes());
    assert_eq!(again.characters[0].meshes, whole.characters[0].meshes);
    assert_eq!(again.characters[0].skins, whole.characters[0].skins);
    let root = again.file.json();
    assert_eq!(root["buffers"].as_array().unwrap().len(), 1);
    assert_eq!(root["images"][0]["mimeType"], "image/png");
    let view = &root["bufferViews"][root["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let (_, bin) = edits::split(&written.to_bytes());
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    assert_eq!(&bin[start..start + PNG.len()], PNG);
    assert_eq!(root["images"][1]["uri"], "lost.png", "what was missing before stays named");
    // Embedding again changes nothing.
    let twice = again.file.write(&WriteEdits::default()).unwrap();
    assert!(twice.to_bytes() == written.to_bytes());
}

#[test]
fn a_gltf_saved_elsewhere_takes_its_files_along() {
    let folder = Folder::new();
    let path = scattered(folder.path());
    let before = std::fs::read(&path).unwrap();
    let loaded = io::read(&path, &Work::default()).unwrap();
    let edits =
        WriteEdits { container: Container::Gltf, stem: "copy".into(), ..WriteEdits::default() };
    let written = loaded.file.write(&edits).unwrap();
    let elsewhere = Folder::new();
    let target = elsewhere.path().join("copy.gltf");
    written.save(&target, Overwrite::Never, Some(&path)).unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), before, "unedited: the same text");
    for name in ["a b.bin", "data/rest.bin", "data/skin.png"] {
        let [a, b] =
            [folder.path(), elsewhere.path()].map(|f| std::fs::read(f.join(name)).unwrap());
        assert!(a == b, "{name}");
    }
    let again = io::read(&target, &Work::default()).unwrap();
    assert_eq!(again.characters[0].meshes, loaded.characters[0].meshes);
    // Nothing is written over, least of all the input.
    let exists = written.save(&target, Overwrite::Never, Some(&path)).unwrap_err();
    assert!(matches!(exists, SaveError::Exists { .. }), "{exists}");
    let input = written.save(&path, Overwrite::Force, Some(&path)).unwrap_err();
    assert!(matches!(input, SaveError::IsInput { .. }), "{input}");
    written.save(&target, Overwrite::Force, Some(&path)).unwrap();
    // Edited, the .gltf keeps its layout and carries the block within.
    let rigged = edits::grown(&loaded.characters[0]);
    let edited = edits::write(&loaded, &rigged, &[], Container::Gltf);
    let text = String::from_utf8(edited.to_bytes()).unwrap();
    assert!(text.contains('\n'), "as readable as before");
    let root: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(root["buffers"][0], loaded.file.json()["buffers"][0]);
    assert_eq!(root["buffers"].as_array().unwrap().len(), 3);
}

#[test]
fn resources_outside_of_the_folder_are_copied_into_it() {
    let folder = Folder::new();
    let inner = folder.path().join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(folder.path().join("up.png"), PNG).unwrap();
    let json = json!({"asset": {"version": "2.0"}, "images": [{"uri": "../up.png"}]});
    let path = inner.join("a.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    let loaded = io::read(&path, &Work::default()).unwrap();
    let edits =
        WriteEdits { container: Container::Gltf, stem: "a".into(), ..WriteEdits::default() };
    let written = loaded.file.write(&edits).unwrap();
    assert_eq!(written.siblings().map(|s| s.0).collect::<Vec<_>>(), ["images-0-up.png"]);
    assert!(String::from_utf8(written.to_bytes()).unwrap().contains("\"images-0-up.png\""));
}

#[test]
fn a_missing_buffer_is_named_and_a_foreign_uri_is_not_fetched() {
    let folder = Folder::new();
    for uri in ["gone.bin", "https://example.com/a.bin", "file:///etc/passwd", "/etc/passwd"] {
        let mut c = column();
        c.file.json["buffers"] = json!([{"byteLength": c.file.bin.len(), "uri": uri}]);
        let path = folder.path().join("a.gltf");
        std::fs::write(&path, c.file.finished().to_string()).unwrap();
        let error = io::read(&path, &Work::default()).unwrap_err();
        let ReadError::NothingReadable { source, .. } = error else { panic!("{error}") };
        assert!(source.to_string().contains("buffer 0 cannot be loaded"), "{source}");
        // Its skeleton alone is still worth opening; but a GLB cannot be made of it.
        let mut bare = c.file.finished();
        bare.as_object_mut().unwrap().remove("meshes");
        bare["nodes"][3] = json!({});
        std::fs::write(&path, bare.to_string()).unwrap();
        let loaded = io::read(&path, &Work::default()).unwrap();
        let error = loaded.file.write(&WriteEdits::default()).unwrap_err();
        assert!(matches!(error, WriteError::ResourceMissing { .. }), "{error}");
    }
}

#[test]
fn what_is_no_gltf_file_is_refused_by_what_it_is() {
    let folder = Folder::new();
    let missing = io::read(&folder.path().join("no.glb"), &Work::default()).unwrap_err();
    assert!(matches!(missing, ReadError::Missing { .. }), "{missing}");
    let directory = io::read(folder.path(), &Work::default()).unwrap_err();
    assert!(directory.to_string().contains("this is a folder, not a file"), "{directory}");
    #[cfg(unix)]
    {
        let device = io::read(Path::new("/dev/zero"), &Work::default()).unwrap_err();
        assert!(device.to_string().contains("a device or a pipe"), "{device}");
    }
    for (bytes, text) in [
        (&b""[..], "an empty file"),
        (b"Kaydara FBX Binary  \0", "an FBX file"),
        (b"HIERARCHY\nROOT Hips", "a BVH motion file"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"not at all", "an unknown kind of file"),
    ] {
        let error = io::read_bytes(bytes.to_vec(), "x", None, &Work::default()).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
    let error = io::read_bytes(&b"{\"a\": 1}"[..], "x", None, &Work::default()).unwrap_err();
    assert!(error.to_string().contains("not glTF"), "{error}");
}

#[test]
fn a_glb_from_a_gltf_and_back_keeps_every_number() {
    let c = column();
    let loaded = edits::read(c.file.glb());
    let gltf = WriteEdits { container: Container::Gltf, stem: "x".into(), ..WriteEdits::default() };
    let written = loaded.file.write(&gltf).unwrap();
    let folder = Folder::new();
    let path = folder.path().join("x.gltf");
    written.save(&path, Overwrite::Never, None).unwrap();
    let beside = io::read(&path, &Work::default()).unwrap();
    assert_eq!(beside.characters[0].meshes, loaded.characters[0].meshes);
    let back = beside.file.write(&WriteEdits::default()).unwrap();
    let (json, bin) = edits::split(&back.to_bytes());
    let (json_before, bin_before) = edits::split(&c.file.glb());
    assert_eq!((json, bin), (json_before, bin_before));
}

#[test]
fn bytes_behind_the_end_and_bytes_nobody_owns_are_noticed_and_kept() {
    let mut file = column().file.glb();
    file.extend(b"tail");
    let loaded = edits::read(file.clone());
    assert!(loaded.report.has(FindingCode::OrphanData));
    assert!(loaded.file.write(&WriteEdits::default()).unwrap().to_bytes() == file);
    let c = column();
    let mut bin = c.file.bin.clone();
    bin.extend([0; 64]);
    let loaded = edits::read(glb::glb(&c.file.finished().to_string(), &[(0x004E_4942, &bin)]));
    assert!(loaded.report.has(FindingCode::OrphanData));
    let rigged = edits::grown(&loaded.characters[0]);
    let (_, written) =
        edits::split(&edits::write(&loaded, &rigged, &[], Container::Glb).to_bytes());
    assert!(written.starts_with(&bin));
}
