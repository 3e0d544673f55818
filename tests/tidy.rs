//! House rules as ordinary tests: which room may use which, front pages, no stray TODO.
#![allow(clippy::unwrap_used, reason = "a test may stop where a file of ours cannot be read")]

use std::fs;
use std::path::{Path, PathBuf};

use tailbone::model::FindingCode;

/// Rooms of the house and what each may use, besides itself.
///
/// `ARCHITECTURE.md` says why. A new arrow is argued there first.
const ROOMS: &[(&str, &[&str])] = &[
    ("math", &[]),
    ("work", &[]),
    ("model", &["math", "work"]),
    ("geometry", &["math", "work", "model"]),
    ("io", &["math", "work", "model"]),
    ("detect", &["math", "work", "model", "geometry"]),
    ("rig", &["math", "work", "model", "geometry", "detect"]),
    ("motion", &["math", "work", "model"]),
    ("clips", &["math", "work", "model"]),
    ("recipes", &["math", "work", "model", "clips"]),
    ("perform", &["math", "work", "model", "geometry", "detect", "rig", "motion", "clips"]),
    ("samples", &["math", "work", "model", "geometry", "io", "clips", "recipes"]),
    ("library", &["math", "work", "model", "io", "clips", "recipes"]),
    (
        "measure",
        &["math", "work", "model", "geometry", "detect", "rig", "motion", "clips", "perform"],
    ),
    ("bake", &["math", "work", "model", "geometry", "detect", "rig", "motion", "clips", "perform"]),
    (
        "document",
        &[
            "math", "work", "model", "geometry", "io", "detect", "rig", "motion", "clips",
            "recipes", "perform", "samples", "library", "measure", "bake",
        ],
    ),
    (
        "studio",
        &[
            "math", "work", "model", "geometry", "io", "detect", "rig", "motion", "clips",
            "recipes", "perform", "samples", "library", "measure", "bake", "document",
        ],
    ),
    ("view", &["math", "model", "studio"]),
    (
        "cli",
        &[
            "math", "work", "model", "geometry", "io", "detect", "rig", "motion", "clips",
            "recipes", "perform", "samples", "library", "measure", "bake", "document", "studio",
            "view",
        ],
    ),
    ("ui", &["math", "model", "studio", "view"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    paths
        .into_iter()
        .map(|p| {
            let text = fs::read_to_string(&p).unwrap();
            (p.strip_prefix(&root).unwrap().to_path_buf(), text)
        })
        .collect()
}

/// The names that follow `crate::` in a line of code, also inside braces: `crate::{math, model::Mesh}`.
fn used_rooms(line: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split(',').map(str::trim).collect::<Vec<_>>(),
            None => vec![rest],
        };
        for name in names {
            let name: String =
                name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            rooms.push(name);
        }
    }
    rooms
}

#[test]
fn every_room_uses_only_what_it_may() {
    let mut faults = Vec::new();
    for (path, text) in all_sources() {
        let room = path.components().next().unwrap().as_os_str().to_string_lossy().to_string();
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            if path.components().count() > 1 && !matches!(&*room, "app" | "bin") {
                faults.push(format!("src/{}: room `{room}` is not in the table", path.display()));
            }
            continue;
        };
        for (n, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for used in used_rooms(code) {
                let is_room = ROOMS.iter().any(|(name, _)| *name == used);
                if is_room && used != room && !allowed.contains(&used.as_str()) {
                    faults.push(format!(
                        "src/{}:{}: {room} may not use {used}",
                        path.display(),
                        n + 1
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_file_opens_with_its_purpose() {
    let faults: Vec<_> = all_sources()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(path, _)| format!("src/{} does not open with //!", path.display()))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Loading a graphics driver is unsafe by nature and stays in one file; the floors below 9 name no window crate.
#[test]
fn unsafe_code_and_window_crates_stay_in_their_rooms() {
    let mut faults = Vec::new();
    for (path, text) in all_sources() {
        let in_room = |room: &str| path.starts_with(room);
        let is_window = in_room("view") || in_room("ui") || in_room("app");
        for (n, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if code.contains("unsafe {") && path != Path::new("view/gl.rs") {
                faults.push(format!("src/{}:{}: unsafe", path.display(), n + 1));
            }
            for name in ["egui::", "eframe::", "three_d::", "glutin::", "rfd::"] {
                let is_drawing = matches!(name, "three_d::" | "glutin::");
                if code.contains(name) && (!is_window || is_drawing && !in_room("view")) {
                    faults.push(format!("src/{}:{}: {name}", path.display(), n + 1));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_todo_without_an_owner() {
    let mut faults = Vec::new();
    for (path, text) in all_sources() {
        for (n, line) in text.lines().enumerate() {
            for word in ["TODO", "FIXME", "XXX"] {
                if line.contains(word) && !line.contains(&format!("{word}(")) {
                    faults.push(format!("src/{}:{}: {}", path.display(), n + 1, line.trim()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_readme_lists_every_finding() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (start, end) =
        ("<!-- findings: kept true by tests/tidy.rs -->\n", "<!-- end of findings -->");
    let (before, rest) = readme.split_once(start).expect("the table's opening mark");
    let (table, after) = rest.split_once(end).expect("the table's closing mark");
    let mut expected = String::from("| code | means |\n| --- | --- |\n");
    for code in FindingCode::ALL {
        expected += &format!("| `{}` | {} |\n", code.code(), code.about());
    }
    if std::env::var_os("TAILBONE_UPDATE").is_some() {
        fs::write(root.join("README.md"), format!("{before}{start}{expected}{end}{after}"))
            .unwrap();
    } else {
        assert!(table == expected, "README.md is stale; run with TAILBONE_UPDATE=1");
    }
}

/// Licences that may come in with a dependency; anything else is looked at by a person first.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unicode-3.0",
    "Unlicense",
    "BSL-1.0",
    "CC0-1.0",
    "MPL-2.0",
    "OFL-1.1",
    "Ubuntu-font-1.0",
];

#[test]
fn every_dependency_has_a_permissive_licence() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none", "-f", "{p};{l}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut faults = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let (package, licence) = line.split_once(';').unwrap_or((line, ""));
        let licence = licence.trim_end_matches(" (*)");
        // One permissive choice is enough where several are offered.
        let permissive = licence.split(" OR ").flat_map(|l| l.split('/')).any(|choice| {
            choice.split(" AND ").all(|part| LICENCES.contains(&part.trim_matches(['(', ')', ' '])))
        });
        if !permissive && !line.is_empty() {
            faults.push(format!("{package}: {licence}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
