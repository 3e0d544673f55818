//! The command line as scripts see it: exit codes, JSON keys, what is written and what is not.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own set-up fails")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

#[path = "cli/clips.rs"]
mod clips;
#[path = "cli/usage.rs"]
mod usage;

fn tailbone(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tailbone")).args(args).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = tailbone(&[args, &["--json"]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: not JSON: {e}"))
}

/// Runs what must fail and returns its message, which must be one message.
fn fails(args: &[&str], code: i32) -> String {
    let output = tailbone(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "a failed run prints no result");
    assert!(stderr.lines().filter(|l| l.starts_with("error:")).count() == 1, "{stderr}");
    stderr
}

/// The JSON and the binary chunk of a GLB.
fn taken_apart(glb: &[u8]) -> (Value, &[u8]) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..20 + length]).unwrap(), &glb[20 + length..])
}

fn glb_json(path: &str) -> Value {
    taken_apart(&std::fs::read(path).unwrap()).0
}

/// Writes the fox with its JSON changed; gives the path.
fn patched(folder: &Path, name: &str, change: impl FnOnce(&mut Value)) -> String {
    let (mut json, rest) = taken_apart(tailbone::samples::embedded("fox").unwrap());
    change(&mut json);
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend(((20 + text.len() + rest.len()) as u32).to_le_bytes());
    file.extend((text.len() as u32).to_le_bytes());
    file.extend(b"JSON");
    file.extend(text);
    file.extend(rest);
    let path = folder.join(name);
    std::fs::write(&path, file).unwrap();
    path.display().to_string()
}

fn assert_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "no key {key} in {value:#}");
    }
}

const REGION_KEYS: &[&str] = &[
    "id",
    "kind",
    "verdict",
    "reason",
    "reason_code",
    "attachment",
    "vertices",
    "reach_m",
    "length_m",
    "elongation",
    "flatness",
    "eigenvalues",
    "centroid_ratio",
    "protrusion",
    "slenderness",
    "margin",
    "tests",
    "far_vertices",
    "collar_center",
    "joint_distance_before_m",
];

#[test]
fn inspect_says_what_is_in_a_file() {
    let found = json(&["inspect", "sample:fox"]);
    let keys = [
        "height_m",
        "meshes",
        "skins",
        "humanoid",
        "clips",
        "springs",
        "constraints",
        "extensions_used",
        "extensions_required",
        "warnings",
    ];
    assert_keys(&found, &keys);
    assert_keys(&found["meshes"][0], &["name", "vertices", "triangles", "skinned"]);
    assert_keys(&found["humanoid"], &["convention", "roles", "missing"]);
    assert_eq!(found["humanoid"]["convention"], "mixamo");
    assert!((found["height_m"].as_f64().unwrap() - 1.91).abs() < 2e-3);
    assert_eq!(found["skins"][0]["joints"], 65);
    assert_keys(&found["clips"][0], &["name", "duration_s"]);
}

#[test]
fn detect_lists_every_candidate_with_its_reason() {
    let found = json(&["detect", "sample:fox", "--vertices"]);
    assert_keys(&found, &["height_m", "far_threshold_m", "seconds", "regions"]);
    let regions = found["regions"].as_array().unwrap();
    let tails: Vec<_> = regions.iter().filter(|r| r["kind"] == "tail").collect();
    assert_eq!(tails.len(), 1);
    assert_keys(tails[0], REGION_KEYS);
    assert_eq!(tails[0]["verdict"], "chain");
    let listed: usize = tails[0]["mesh_vertices"]
        .as_object()
        .unwrap()
        .values()
        .map(|v| v.as_array().unwrap().len())
        .sum();
    assert_eq!(listed as u64, tails[0]["vertices"].as_u64().unwrap());
}

#[test]
fn expectations_decide_the_exit_code() {
    assert!(tailbone(&["detect", "sample:fox", "--expect", "tail=1"]).status.success());
    let message = fails(&["detect", "sample:fox", "--expect", "tail=2"], 1);
    assert!(
        message.contains("tail") && message.contains('1') && message.contains('2'),
        "{message}"
    );
}

#[test]
fn rig_writes_a_new_file_and_never_over_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb");
    let out = out.to_str().unwrap();
    let rigged = json(&["rig", "sample:fox", "-o", out]);
    let tail =
        rigged["appendages"].as_array().unwrap().iter().find(|r| r["kind"] == "tail").unwrap();
    assert_keys(tail, REGION_KEYS);
    assert_eq!(tail["chain"].as_array().unwrap().len(), 5, "four joints and an end");
    assert!(rigged["changes"]["joints_added"].as_u64().unwrap() == 5);
    assert!(rigged["changes"]["vertices"].as_u64().unwrap() > 1000);
    let first = std::fs::read(out).unwrap();
    assert!(fails(&["rig", "sample:fox", "-o", out], 1).contains("--force"));
    assert_eq!(std::fs::read(out).unwrap(), first);

    // Rigging what was rigged gives the same bytes.
    let again = folder.path().join("again.glb");
    let again = again.to_str().unwrap();
    json(&["rig", out, "-o", again]);
    assert!(std::fs::read(again).unwrap() == first, "rig(rig(x)) differs from rig(x)");
    assert!(fails(&["rig", out, "-o", out, "--force"], 1).contains("input"));
}

#[test]
fn bake_closes_its_loops_and_is_its_own_fixed_point() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (out, again) = (path("out.glb"), path("again.glb"));
    let baked = json(&["bake", "sample:fox", "-o", &out, "--clip", "walk", "--clip", "Sprint"]);
    assert_keys(&baked, &["appendages", "clips", "seconds"]);
    let clips = baked["clips"].as_array().unwrap();
    assert_eq!(clips.len(), 2);
    for clip in clips {
        assert_keys(
            clip,
            &["name", "duration_s", "looping", "warmup_passes", "seam_deg", "seam_m", "closed"],
        );
        assert_eq!(clip["closed"], true);
        assert!(clip["seam_deg"].as_f64().unwrap() <= 0.05);
        assert!(clip["seam_m"].as_f64().unwrap() <= 1e-4);
    }
    json(&["bake", &out, "-o", &again, "--clip", "walk", "--clip", "Sprint"]);
    assert!(
        std::fs::read(&again).unwrap() == std::fs::read(&out).unwrap(),
        "bake(bake(x)) differs from bake(x)"
    );
    // A baked file can be tuned again.
    let tuned = path("tuned.glb");
    json(&["bake", &out, "-o", &tuned, "--clip", "walk", "--set", "carry=20deg"]);
    assert_ne!(std::fs::read(&tuned).unwrap(), std::fs::read(&out).unwrap());
}

/// The strict reader of the `gltf` crate is a second opinion on what we write.
#[test]
fn the_gltf_crate_reads_what_was_baked() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb");
    json(&[
        "bake",
        "sample:mouse",
        "-o",
        out.to_str().unwrap(),
        "--clip",
        "walk",
        "--clip",
        "lib:Jump_Start",
    ]);
    let read = gltf::Gltf::from_slice(&std::fs::read(out).unwrap()).expect("valid by its rules");
    let skin = read.skins().next().unwrap();
    let names: Vec<_> = skin.joints().filter_map(|j| j.name().map(str::to_owned)).collect();
    assert!(names.iter().any(|n| n == "Tail_1") && names.iter().any(|n| n == "Tail_End"));
    let walk = read.animations().find(|a| a.name() == Some("Walk_Loop")).unwrap();
    let tail = |a: &gltf::Animation| {
        a.channels()
            .filter(|c| c.target().node().name().is_some_and(|n| n.starts_with("Tail_")))
            .count()
    };
    assert!(tail(&walk) >= 3, "one track for each joint that turns");
    let jump = read.animations().find(|a| a.name() == Some("Jump_Start")).unwrap();
    assert!(tail(&jump) >= 3 && jump.channels().count() > 20);
}

#[test]
fn measure_shows_that_the_tail_no_longer_tears_and_still_moves() {
    let found = json(&["measure", "sample:fox", "--clip", "Walk"]);
    assert_keys(&found, &["samples", "tail", "body", "tip_travel_m", "pelvis_lift", "regions"]);
    assert_eq!(found["samples"], 24);
    let tail = &found["tail"];
    let number = |row: &str, key: &str| tail[row][key].as_f64().unwrap();
    assert!(number("raw", "torn_percent") > 5.0, "{found:#}");
    for key in ["p95", "p99", "max"] {
        assert!((number("rigid", key) - 1.0).abs() <= 1e-4, "{found:#}");
    }
    assert_eq!(number("rigid", "torn_percent"), 0.0);
    assert_eq!(number("chain", "torn_percent"), 0.0, "{found:#}");
    assert!(number("chain", "max") < found["body"]["max"].as_f64().unwrap(), "{found:#}");
    assert!(found["tip_travel_m"].as_f64().unwrap() >= 0.12, "{found:#}");
    assert!(found["regions"][0]["border"].is_null(), "a shell of its own has none: {found:#}");
    let lifts = found["pelvis_lift"].as_array().unwrap();
    assert_eq!(lifts.len(), 24, "the file's own clips have one too");
    for lift in lifts {
        let keys = ["time_s", "tail_counted_m", "tail_excluded_m", "extra_m", "lift_m"];
        assert_keys(lift, &keys);
        assert_eq!(lift["lift_m"], 0.0, "own clips are played as they are: {lift:#}");
        let number = |key: &str| lift[key].as_f64().unwrap();
        let extra = number("tail_counted_m") - number("tail_excluded_m");
        assert!(number("extra_m") >= 0.0 && (number("extra_m") - extra).abs() < 1e-5, "{lift:#}");
    }
}

#[test]
fn faults_name_the_file_the_fault_and_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.glb");
    std::fs::write(&broken, b"glTF\x02\0\0\0\xff\xff\xff\x7f").unwrap();
    assert!(fails(&["inspect", broken.to_str().unwrap()], 1).contains("broken.glb"));
    assert!(fails(&["inspect", "no/such/file.glb"], 1).contains("no/such/file.glb"));
    assert!(fails(&["detect", "sample:unicorn"], 1).contains("fox"), "the samples there are");
    assert!(
        fails(&["measure", "sample:fox", "--clip", "Wlak"], 1).contains("Walk"),
        "the nearest name"
    );
    let message = fails(&["detect", "sample:fox", "--set", "cary=3"], 2);
    assert!(message.contains("carry"), "{message}");
    assert!(fails(&["detect", "sample:fox", "--treat", "tail=fly"], 2).contains("rigid"));
    assert!(fails(&["detect", "sample:fox", "--character", "3"], 1).contains("character"));
}

#[test]
fn wrong_usage_leaves_with_two() {
    fails(&["rig", "sample:fox"], 2);
    fails(&["dance"], 2);
    fails(&["bake", "sample:fox", "-o", "x.glb"], 2);
    fails(&["sample:fox", "inspect", "sample:fox"], 2);
}

#[test]
fn what_every_verb_takes_stands_before_it_or_behind_it() {
    assert_eq!(json(&["inspect", "sample:fox"]), json(&["-q", "inspect", "sample:fox"]));
}

#[test]
fn samples_are_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("samples");
    let written = json(&["samples", "-o", out.to_str().unwrap()]);
    let written = written.as_array().unwrap();
    assert!(written.len() >= 4);
    for entry in written {
        assert!(Path::new(entry["path"].as_str().unwrap()).is_file(), "{entry}");
        assert_keys(entry, &["name", "path"]);
    }
    fails(&["samples", "-o", out.to_str().unwrap()], 1);
}

#[test]
fn clips_and_doctor_answer() {
    let clips = json(&["clips"]);
    let walk = clips.as_array().unwrap().iter().find(|c| c["title"] == "Walk").unwrap();
    assert_keys(walk, &["name", "title", "category", "tags", "duration_s", "looping", "source"]);
    let doctor = json(&["doctor"]);
    assert_keys(&doctor["checks"][0], &["name", "ok", "detail", "fix"]);
}

#[test]
fn projects_carry_decisions_to_every_verb() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("fox.tailbone");
    let project = project.to_str().unwrap();
    json(&["detect", "sample:fox", "--treat", "tail=rigid", "--save-project", project]);
    let out = folder.path().join("out.glb");
    let rigged = json(&["rig", "sample:fox", "-o", out.to_str().unwrap(), "--project", project]);
    let tail =
        rigged["appendages"].as_array().unwrap().iter().find(|r| r["kind"] == "tail").unwrap();
    assert_eq!((&tail["verdict"], &tail["by_user"]), (&"rigid".into(), &true.into()));
    assert_eq!(rigged["changes"]["joints_added"], 0);
}

#[test]
fn a_region_is_made_by_hand_from_a_vertex_near_its_tip() {
    let found = json(&["detect", "sample:fox", "--vertices"]);
    let regions = found["regions"].as_array().unwrap();
    let tail = regions.iter().find(|r| r["kind"] == "tail").unwrap();
    let (mesh, vertices) = tail["mesh_vertices"].as_object().unwrap().iter().next().unwrap();
    let tip = format!("{mesh}/{}", vertices.as_array().unwrap()[0]);
    let made = json(&["detect", "sample:fox", "--tip", &tip]);
    let made = made["regions"].as_array().unwrap();
    // The fox's tail is two shells: one of them was pointed at.
    let last = made.last().unwrap();
    assert_eq!(last["id"].as_u64().unwrap() as usize, made.len() - 1);
    assert_eq!(last["attachment"], tail["attachment"]);
    let n = last["vertices"].as_u64().unwrap();
    assert!(n > 100 && n < tail["vertices"].as_u64().unwrap(), "{n}");
    let said = fails(&["detect", "sample:fox", "--tip", "0/0"], 2);
    assert!(said.contains("0/0/1234"), "{said}");
    let said = fails(&["detect", "sample:fox", "--tip", "0/0/99999999"], 1);
    assert!(said.contains("no such vertex"), "{said}");
}

#[cfg(feature = "app")]
#[test]
fn without_a_display_the_studio_says_so_and_what_to_do_instead() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tailbone"));
    command.arg("sample:mouse");
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(stderr.lines().filter(|line| line.starts_with("error:")).count(), 1, "{stderr}");
    assert!(stderr.contains("tailbone bake sample:mouse"), "{stderr}");
    assert!(!stderr.contains(".rs:"), "no place in anybody's source: {stderr}");
}

#[test]

fn a_script_of_the_studio_writes_what_the_verb_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts/rigid-tail.ron");
    let (replayed, baked) = (path("replayed.glb"), path("baked.glb"));
    let done = json(&["replay", script, "-o", &replayed]);
    assert_eq!(done["commands"], 8, "{done:#}");
    assert_eq!(done["written"][0], replayed.as_str());
    let treat = ["--treat", "0=rigid", "--clip", "lib:Walk_Loop"];
    json(&[&["bake", "sample:fox", "-o", &baked], treat.as_slice()].concat());
    assert_eq!(std::fs::read(&replayed).unwrap(), std::fs::read(&baked).unwrap());
    let said = fails(&["replay", script, "-o", &replayed], 1);
    assert!(said.contains("command 8 (") && said.contains("exists"), "{said}");
    json(&["replay", script, "sample:mouse", "-o", &replayed, "--force"]);
}

#[test]
fn a_script_that_cannot_be_done_says_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let with = |text: &str| {
        let path = folder.path().join("script.ron");
        std::fs::write(&path, text).unwrap();
        fails(&["replay", &path.display().to_string()], 1)
    };
    let said = with("(version: 1, commands: [Open(\"sample:fox\"), Jump])");
    assert!(said.contains("line 1") && said.contains("Jump"), "{said}");
    assert!(with("(version: 2, commands: [Jump])").contains("update Tailbone"));
    let said = with("(version: 1, commands: [Open(\"/nowhere/x.glb\")])");
    assert!(said.contains("command 1 (Open") && said.contains("/nowhere/x.glb"), "{said}");
    let said = with("(version: 1, commands: [Open(\"sample:fox\"), Export(Named([\"Yodel\"]))])");
    assert!(said.contains("command 2") && said.contains("Yodel"), "{said}");
    // What would do nothing is no success.
    let said = with(
        "(version: 1, commands: [Open(\"sample:fox\"), Edit(Treatment(region: 99, verdict: rigid))])",
    );
    assert!(said.contains("no region 99"), "{said}");
    let said = with(
        "(version: 1, commands: [Open(\"sample:fox\"), Edit(Rename(what: Strand(strand: 9, joint: None), was: \"\", name: \"Lock\"))])",
    );
    assert!(said.contains("command 2") && said.contains("could be about"), "{said}");
    let said = with(
        "(version: 1, commands: [Open(\"sample:fox\"), Export(Settings((contents: \"clips\"))), Export(Named([])), Export(Run(replace: false))])",
    );
    assert!(said.contains("command 4") && said.contains("at least one clip"), "{said}");
}

#[test]
fn a_script_answers_the_questions_it_raises() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.ron").display().to_string();
    let open = |rest: &str| {
        let text = format!(
            "(version: 1, commands: [Open(\"sample:fox\"), Edit(Treatment(region: 0, verdict: rigid)), \
             Open(\"sample:mouse\"){rest}])"
        );
        std::fs::write(&path, text).unwrap();
    };
    open("");
    let said = fails(&["replay", &path], 1);
    assert!(said.contains("command 3") && said.contains("File(Answer(No))"), "{said}");
    open(", File(Answer(No))");
    assert_eq!(json(&["replay", &path])["commands"], 4);
}

#[test]
fn a_script_whose_library_is_not_here_does_nothing_until_it_is_given_or_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (script, written) = (path("script.ron"), path("fox.glb"));
    let save = |rest: &str| {
        let text = format!(
            "(version: 1, commands: [AddLibrary(\"/no/where/moves.glb\"), Open(\"sample:fox\"), \
             Edit(Treatment(region: 0, verdict: rigid)){rest}])"
        );
        std::fs::write(&script, text).unwrap();
    };
    // Nothing is exported by name: the library makes no difference, and is told of.
    save("");
    let output = tailbone(&["replay", &script]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("/no/where/moves.glb"), "{told}");

    save(&format!(
        ", Export(Named([\"Zigzag\"])), Export(Path({written:?})), Export(Run(replace: false))"
    ));
    let said = fails(&["replay", &script], 1);
    for part in
        ["moves.glb (/no/where/moves.glb)", "nothing was done", "--library", "--skip-missing"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = fails(&["replay", &script, "--skip-missing"], 1);
    assert!(said.contains("Zigzag: no clip of that name"), "{said}");
    assert!(!Path::new(&written).exists());
    let moves = patched(folder.path(), "moves.glb", |json| {
        json["animations"][0]["name"] = "Zigzag".into();
    });
    let done = json(&["replay", &script, "--library", &moves]);
    assert_eq!(done["commands"], 6, "{done:#}");
    assert_eq!(done["written"][0], written.as_str());
}

#[test]
fn a_file_of_motion_is_inspected_and_its_roles_are_written_corrected_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (motion, map) = (path("nod.bvh"), path("nod.map.ron"));
    let text = "HIERARCHY ROOT Hips { OFFSET 0 90 0 CHANNELS 3 Xposition Yposition Zposition \
                JOINT Spine { OFFSET 0 10 0 CHANNELS 3 Zrotation Xrotation Yrotation \
                End Site { OFFSET 0 20 0 } } } \
                MOTION Frames: 2 Frame Time: 0.1 0 90 0 0 0 0 0 90 0 0 5 0";
    std::fs::write(&motion, text).unwrap();
    let found = json(&["inspect", &motion, "--save-map", &map]);
    assert_eq!(found["humanoid"]["roles"]["hips"], "Hips", "{found:#}");
    assert_eq!(found["clips"][0]["name"], "nod");
    assert!(found["joints"].as_array().unwrap().contains(&"Hips".into()));
    let table = std::fs::read_to_string(&map).unwrap();
    assert!(table.contains("source_roles") && table.contains("nod.bvh"), "{table}");
    // A joint has one role.
    let moved = table.replace("\"Spine\"", "\"\"").replace("\"Hips\"", "\"Spine\"");
    std::fs::write(&map, moved).unwrap();
    let saved = path("saved.map.ron");
    let found = json(&["inspect", &motion, "--map", &map, "--save-map", &saved]);
    assert_eq!(found["humanoid"]["roles"]["hips"], "Spine", "{found:#}");
    let again = std::fs::read_to_string(&saved).unwrap();
    assert!(again.contains("\"spine\": \"\""), "that no joint has a role is said again: {again}");
    let said = fails(&["inspect", &motion, "--character", "1"], 1);
    assert!(said.contains("no character 1"), "{said}");
}

#[test]
fn roles_given_by_hand_are_saved_corrected_and_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("roles.ron");
    let map = path.to_str().unwrap();
    let found = json(&["inspect", "sample:fox", "--save-map", map]);
    let hips = found["humanoid"]["roles"]["hips"].as_str().unwrap().to_owned();
    let table = std::fs::read_to_string(&path).unwrap();
    assert!(table.contains(&format!("\"hips\": \"{hips}\"")), "{table}");
    // The head is taken for the neck, and there is no head.
    let head = found["humanoid"]["roles"]["head"].as_str().unwrap();
    std::fs::write(&path, format!("{{\"head\": \"\", \"neck\": \"{head}\"}}")).unwrap();
    let mapped = json(&["inspect", "sample:fox", "--map", map]);
    assert_eq!(mapped["humanoid"]["roles"]["neck"], head);
    assert!(mapped["humanoid"]["roles"]["head"].is_null(), "{mapped:#}");
    assert_eq!(mapped["humanoid"]["roles"]["hips"], hips.as_str());

    // The table is a decision like any other: projects and written files carry it on.
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (project, plain) = (at("fox.tailbone"), at("plain.glb"));
    let (by_map, by_project, again) = (at("map.glb"), at("project.glb"), at("again.glb"));
    json(&["rig", "sample:fox", "-o", &plain]);
    json(&["rig", "sample:fox", "--map", map, "-o", &by_map, "--save-project", &project]);
    assert!(std::fs::read_to_string(&project).unwrap().contains("roles"));
    json(&["rig", "sample:fox", "--project", &project, "-o", &by_project]);
    json(&["rig", &by_map, "-o", &again]);
    let bytes = |path: &str| std::fs::read(path).unwrap();
    assert!(bytes(&by_map) != bytes(&plain), "the table makes no difference");
    assert!(bytes(&by_map) == bytes(&by_project), "the project has lost the table");
    assert!(bytes(&by_map) == bytes(&again), "the written file has lost the table");

    std::fs::write(&path, format!("{{\"head\": \"{head}\", \"neck\": \"{head}\"}}")).unwrap();
    let said = fails(&["rig", "sample:fox", "--map", map, "-o", &again, "--force"], 1);
    assert!(said.contains("--map") && said.contains("two roles"), "{said}");
}

#[test]
fn a_map_carries_a_pose_that_clips_are_measured_from() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (map, project) = (at("pose.ron"), at("fox.tailbone"));
    let bake = |name: &str, more: &[&str]| {
        let out = at(name);
        let args = ["bake", "sample:fox", "-o", &out, "--clip", "lib:Walk"];
        json(&[args.as_slice(), more].concat());
        std::fs::read(out).unwrap()
    };
    let plain = bake("plain.glb", &[]);
    std::fs::write(&map, "(pose: (turns: {leftUpperArm: (0, 0, 10)}))").unwrap();
    let posed = bake("posed.glb", &["--map", &map, "--save-project", &project]);
    assert!(posed != plain, "the pose makes no difference");
    assert!(bake("project.glb", &["--project", &project]) == posed, "the project has lost it");
    let saved = at("saved.ron");
    json(&["inspect", "sample:fox", "--map", &map, "--save-map", &saved]);
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("leftUpperArm:(0.0,0.0,10.0)") && text.contains("\"hips\""), "{text}");
    std::fs::write(&map, "(pose: (base: computed))").unwrap();
    assert!(bake("none.glb", &["--map", &map]) == plain, "a pose of nothing changes a bit");
    std::fs::write(&map, "(pose: (turns: {leftUperArm: (0, 0, 10)}))").unwrap();
    let said = fails(&["measure", "sample:fox", "--clip", "lib:Walk", "--map", &map], 1);
    assert!(said.contains("--map") && said.contains("leftUperArm"), "{said}");
}

#[test]
fn a_character_becomes_a_vrm_under_the_strictest_licence_and_not_without_its_roles() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let out = at("fox.vrm");
    json(&["rig", "sample:fox", "-o", &out]);
    let file = glb_json(&out);
    let meta = &file["extensions"]["VRMC_vrm"]["meta"];
    assert_eq!(meta["authors"], serde_json::json!(["unknown"]), "nobody is named in the file");
    for (key, strictest) in [
        ("avatarPermission", "onlyAuthor"),
        ("commercialUsage", "personalNonProfit"),
        ("creditNotation", "required"),
        ("modification", "prohibited"),
    ] {
        assert_eq!(meta[key], strictest, "{meta:#}");
    }
    assert_eq!(meta["allowRedistribution"], false);

    let (map, headless) = (at("map.ron"), at("headless.vrm"));
    std::fs::write(&map, "{\"head\": \"\"}").unwrap();
    let said = fails(&["rig", "sample:fox", "--map", &map, "-o", &headless], 1);
    assert!(said.contains("joints are head;") && said.contains("--map"), "{said}");
    assert!(!Path::new(&headless).exists());
    // That no joint has a role is said again by the table that is saved.
    let saved = at("saved.ron");
    json(&["inspect", "sample:fox", "--map", &map, "--save-map", &saved]);
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("\"head\": \"\""), "{text}");
}

#[test]
fn hair_is_given_joints_and_says_what_a_vrm_app_will_show() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.vrm");
    let picked = ["sample:ponytail", "--mesh", "Ponytail", "--joints", "6"];
    let out = ["-o", out.to_str().unwrap()];
    let found = json(&[&["hair", "fit"], &picked[..], &out[..]].concat());
    assert_keys(&found, &["attachment", "fixed_zone_m", "length_m", "vertices", "vrm_app"]);
    let mut joints: Vec<_> =
        found["chain"].as_array().unwrap().iter().map(|j| j.as_str().unwrap()).collect();
    joints.dedup();
    assert_eq!(joints.len(), 6, "{found:#}");
    assert_eq!(found["written"][0], out[1]);
    assert!(!found["vrm_app"].as_array().unwrap().is_empty(), "{found:#}");
    let said = fails(&["hair", "fit", "sample:ponytail", "--mesh", "Wig", "-o", "x.vrm"], 1);
    assert!(said.contains("Wig") && said.contains("Ponytail"), "the meshes there are: {said}");
    let said = fails(&["hair", "fit", "sample:ponytail", "--mesh", "Body", "-o", "x.vrm"], 1);
    assert!(said.contains("follow hips, arms or legs") && said.contains("--attach"), "{said}");
}

#[test]
fn hair_is_measured_by_either_solver_with_its_own_or_the_same_parameters() {
    let measure = ["hair", "measure", "sample:ponytail", "--seconds", "1", "--rate", "30"];
    let found = json(&measure);
    let keys = ["edges", "p99_percent", "worst_percent", "settle_mm", "occlusion", "chains"];
    assert_keys(&found, &keys);
    assert_keys(&found["occlusion"], &["vertices", "hidden", "deepest_mm"]);
    assert!(found["edges"].as_u64().unwrap() > 0 && found["chains"].as_u64().unwrap() > 0);
    let earlier = json(&[&measure[..], &["--solver", "earlier"]].concat());
    let same = json(&[&measure[..], &["--solver", "earlier", "--same-parameters"]].concat());
    assert_eq!(same["solver"], earlier["solver"]);
    assert_ne!(same["solver"], found["solver"]);
    assert_ne!(same["fingerprint"], earlier["fingerprint"], "the parameters make no difference");
}

#[test]
fn sweep_ranks_every_clip_with_its_numbers() {
    let found = json(&["sweep", "sample:fox", "--top", "3"]);
    let clips = found["clips"].as_array().unwrap();
    assert_eq!(clips.len(), 3);
    let mut before = f64::INFINITY;
    for clip in clips {
        assert_keys(clip, &["name", "title", "category", "duration_s", "seam_deg", "closed"]);
        for key in
            ["stretch_p99", "torn_percent", "penetration_m", "foot_slide_m_s", "worst_time_s"]
        {
            assert!(clip[key].as_f64().is_some_and(|v| v >= 0.0), "{key}: {clip:#}");
        }
        let stretch = clip["stretch_max"].as_f64().unwrap();
        assert!(stretch <= before && clip["stretch_p99"].as_f64().unwrap() <= stretch, "{found:#}");
        before = stretch;
    }
}

#[test]
fn one_file_for_each_clip_is_checked_against_its_own_clip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fox.glb");
    let out = path.to_str().unwrap();
    let clips = ["--clip", "BackFlip", "--clip", "Roll_RM", "--files", "per-clip", "--fps", "120"];
    let found = json(&[&["bake", "sample:fox", "-o", out, "--check"], &clips[..]].concat());
    let checks = found["checks"].as_array().unwrap();
    assert_eq!((checks.len(), found["written"].as_array().unwrap().len()), (2, 2));
    let mut names = Vec::new();
    for check in checks {
        let clips = check["clips"].as_array().unwrap();
        assert_eq!(clips.len(), 1, "{check:#}");
        for key in ["missing", "missing_joints"] {
            assert_eq!(check[key].as_array().map(Vec::len), Some(0), "{check:#}");
        }
        names.push(clips[0]["name"].as_str().unwrap());
    }
    assert_ne!(names[0], names[1], "each file has a clip of its own");
}
