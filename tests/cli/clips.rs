//! Which clips a bake takes, by which names they are asked for, and what they are called in the written file.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json as value};

use super::{fails, glb_json, json, patched, tailbone};

/// Every animation moves each property of a node once, and the tail's joints among them.
fn assert_sound(path: &str, n_clips: usize) {
    let file = glb_json(path);
    let animations = file["animations"].as_array().unwrap();
    assert_eq!(animations.len(), n_clips, "{path}");
    let is_tail = |node: u64| {
        file["nodes"][node as usize]["name"].as_str().is_some_and(|name| name.starts_with("Tail_"))
    };
    for (n, animation) in animations.iter().enumerate() {
        let mut targets = BTreeSet::new();
        let mut n_tail = 0;
        for channel in animation["channels"].as_array().unwrap() {
            let node = channel["target"]["node"].as_u64().unwrap();
            let target = (node, channel["target"]["path"].as_str().unwrap());
            assert!(targets.insert(target), "animation {n} has {target:?} twice");
            n_tail += usize::from(is_tail(node));
        }
        assert!(n_tail >= 3, "animation {n} does not move the tail");
    }
}

fn durations(found: &Value) -> Vec<i64> {
    let clips = found["clips"].as_array().unwrap();
    clips.iter().map(|c| (c["duration_s"].as_f64().unwrap() * 100.0).round() as i64).collect()
}

fn loops(found: &Value) -> Vec<bool> {
    let clips = found["clips"].as_array().unwrap();
    clips.iter().map(|c| c["looping"].as_bool().unwrap()).collect()
}

fn rename(file: &mut Value, name: Option<&str>) {
    for animation in file["animations"].as_array_mut().unwrap() {
        let animation = animation.as_object_mut().unwrap();
        match name {
            Some(name) => animation.insert("name".into(), name.into()),
            None => animation.remove("name"),
        };
    }
}

#[test]
fn clips_of_one_name_are_baked_each_into_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let named = ["bake", "sample:fox", "-o", &at("plain.glb"), "--all-clips", "--check"];
    let named = json(&named);
    let plain = durations(&named);
    assert!(plain.len() > 2 && plain[0] != plain[1], "{plain:?}");
    for (file, name) in [("same.glb", Some("Walk")), ("nameless.glb", None)] {
        let file = patched(folder.path(), file, |json| rename(json, name));
        let out = at("out.glb");
        let args = ["bake", &file, "-o", &out, "--force", "--all-clips", "--check"];
        let found = json(&args);
        assert_eq!(durations(&found), plain, "{name:?}");
        assert_sound(&out, plain.len());
        let check = &found["checks"][0];
        assert_eq!(check["missing"], value!([]), "{check:#}");
        // Each is compared with its own preview: as close as under names that tell them apart.
        // The back flip is one-shot by its name alone, and so is another motion under another.
        let (ours, theirs) = (loops(&found), loops(&named));
        let alike: Vec<usize> = (0..plain.len()).filter(|&n| ours[n] == theirs[n]).collect();
        assert!(alike.len() > 1, "{ours:?} {theirs:?}");
        for n in alike {
            let closeness = |found: &Value| found["checks"][0]["clips"][n]["largest_deg"].clone();
            assert_eq!(closeness(&found), closeness(&named), "{check:#}");
        }
        let each = json(&[&args[..], &["--files", "per-clip"]].concat());
        assert_eq!(each["written"].as_array().unwrap().len(), plain.len(), "{each:#}");
        assert_eq!(each["checks"].as_array().unwrap().len(), plain.len());

        // By its name alone none of them is meant.
        let bare = name.unwrap_or_default();
        let said = fails(&["bake", &file, "-o", &at("none.glb"), "--clip", bare], 1);
        let second = format!("{bare}#2");
        assert!(said.contains(&file) && said.contains(&second), "{said}");
        let one = at("one.glb");
        let found = json(&["bake", &file, "-o", &one, "--force", "--clip", &second]);
        assert_eq!(durations(&found), plain[1..2], "{found:#}");
        let joined = glb_json(&one);
        let n_channels = |n: usize| joined["animations"][n]["channels"].as_array().unwrap().len();
        let before = glb_json(&file);
        for n in 0..plain.len() {
            let before = before["animations"][n]["channels"].as_array().unwrap().len();
            assert_eq!(n_channels(n) > before, n == 1, "clip {n}");
        }
    }
}

#[test]
fn a_clip_asked_for_twice_is_baked_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb").display().to_string();
    let twice =
        ["--clip", "Walk", "--clip", "walk_loop", "--clip", "lib:Jump", "--clip", "lib:jump"];
    let found = json(&[&["bake", "sample:fox", "-o", &out], &twice[..]].concat());
    let names: Vec<&str> =
        found["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(names[0], "Walk_Loop");
    // An edit makes another clip of it.
    let edited = ["--clip", "Walk", "--clip", "Walk@mirror", "--clip", "Walk@mirror"];
    let found = json(&[&["bake", "sample:fox", "-o", &out, "--force"], &edited[..]].concat());
    assert_eq!(found["clips"].as_array().unwrap().len(), 2, "{found:#}");
}

#[test]
fn a_name_pattern_has_known_fields_and_says_whom_it_does_not_name() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb").display().to_string();
    let bake = ["bake", "sample:fox", "-o", &out, "--force", "--clip", "Walk"];
    let said = fails(&[&bake[..], &["--name", "{clip}_{foo}"]].concat(), 2);
    assert!(said.contains("{foo}") && said.contains("{title}"), "{said}");
    assert!(!Path::new(&out).exists());
    let named = [&bake[..], &["--name", "{file}_{clip}"]].concat();
    let output = tailbone(&named);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && notes.contains("keep their names"), "{notes}");
    let found = json(&[&named[..], &["--copies"]].concat());
    assert_eq!(found["clips"][0]["name"], "fox_Walk_Loop");
    let found = json(&[&bake[..], &["--copies"]].concat());
    assert_eq!(found["clips"][0]["name"], "Walk_Loop_baked");
}

#[test]
fn clips_that_a_project_has_made_of_others_are_baked_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (project, out) = (at("p.tailbone"), at("out.glb"));
    let text = "(format: 1, made_clips: [\"lib:Walk_Loop@speed=2@name=Quick\"])";
    std::fs::write(&project, text).unwrap();
    let bake = ["bake", "sample:fox", "-o", &out, "--force", "--project", &project, "--clip"];
    let clip = |name: &str| json(&[&bake[..], &[name]].concat())["clips"][0].clone();
    let (whole, quick) = (clip("lib:Walk_Loop"), clip("Quick"));
    assert!(quick["name"].as_str().unwrap().contains("Quick"), "{quick}");
    let seconds = |clip: &Value| clip["duration_s"].as_f64().unwrap();
    assert!((2.0 * seconds(&quick) - seconds(&whole)).abs() < 0.05, "{quick} {whole}");
}

#[test]
fn all_clips_are_those_of_the_places_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let library = patched(folder.path(), "lib.glb", |json| {
        json["animations"].as_array_mut().unwrap().truncate(1);
        json["animations"][0]["name"] = "Wave".into();
    });
    let own: Vec<String> = json(&["inspect", "sample:mouse"])["clips"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap().to_owned())
        .collect();
    let out = at("out.glb");
    let baked = |from: &[&str]| -> Vec<String> {
        let args = ["bake", "sample:mouse", "-o", &out, "--force", "--library", &library];
        let found = json(&[&args[..], from].concat());
        let clips = found["clips"].as_array().unwrap();
        clips.iter().map(|c| c["name"].as_str().unwrap().to_owned()).collect()
    };
    let both: Vec<String> = own.iter().cloned().chain(["Wave".to_owned()]).collect();
    assert_eq!(baked(&["--all-clips"]), both);
    assert_eq!(baked(&["--all-clips=file,library"]), both);
    assert_eq!(baked(&["--all-clips=file"]), own);
    assert_eq!(baked(&["--all-clips=library"]), ["Wave"]);
    // Two clips of one name are told apart by number, and each is found in its file.
    let second = at("second.glb");
    std::fs::copy(&library, &second).unwrap();
    let both = ["--library", &library, "--library", &second, "--files", "per-clip", "--check"];
    let args = ["bake", "sample:mouse", "-o", &out, "--force", "--all-clips=library"];
    let found = json(&[&args[..], &both].concat());
    for (n, name) in ["Wave", "Wave_2"].into_iter().enumerate() {
        assert_eq!(found["clips"][n]["name"], name);
        assert!(found["written"][n].as_str().unwrap().ends_with(&format!("{name}.glb")));
        assert_eq!(found["checks"][n]["clips"].as_array().unwrap().len(), 1, "{found:#}");
    }
    let none = ["bake", "sample:mouse", "-o", &out, "--force", "--all-clips=library"];
    let said = fails(&none, 1);
    assert!(said.contains("sample:mouse") && said.contains("--library"), "{said}");
    fails(&["bake", "sample:mouse", "-o", &out, "--all-clips=moon"], 2);
}

#[test]
fn of_all_clips_one_that_cannot_be_played_does_not_spoil_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let bvh = |name: &str, joint: &str| {
        let text = format!(
            "HIERARCHY ROOT {joint} {{ OFFSET 0 90 0 CHANNELS 3 Xposition Yposition Zposition \
             End Site {{ OFFSET 0 10 0 }} }} MOTION Frames: 2 Frame Time: 0.5 0 90 0 0 90 1"
        );
        std::fs::write(at(name), text).unwrap();
        at(name)
    };
    let nobody = bvh("nobody.bvh", "Blob");
    let walk = at("walk.glb");
    json(&["bake", "sample:mouse", "-o", &walk, "--clip", "lib:Walk", "--contents", "clips"]);
    let out = at("out.glb");
    let bake = ["bake", "sample:fox", "-o", &out, "--all-clips=library", "--library"];
    let output = tailbone(&[&bake[..], &[&nobody, "--library", &walk]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("left out: clip \"nobody\" cannot be played on"), "{said}");
    let names: Vec<String> = glb_json(&out)["animations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(names.iter().any(|name| name.starts_with("Walk_Loop")), "{names:?}");
    assert!(!names.iter().any(|name| name == "nobody"), "{names:?}");
    // Where none can be played, or one was named, that is a fault.
    let none = fails(&[&bake[..], &[&nobody, "--force"]].concat(), 1);
    assert!(none.contains("sample:fox: clip \"nobody\""), "{none}");
    let named = ["bake", "sample:fox", "-o", &out, "--force", "--library", &nobody];
    fails(&[&named[..], &["--clip", "nobody", "--clip", "lib:Walk"]].concat(), 1);
}

#[test]
fn a_clip_that_does_not_fit_says_why_once_and_to_which_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let map = at("map.ron");
    std::fs::write(&map, "{\"hips\": \"\"}").unwrap();
    let cause = "has no joint with the role of the hips";
    let clip = ["sample:fox", "--map", &map, "--clip", "lib:Walk"];
    let out = at("out.glb");
    for verb in [&["measure"][..], &["bake", "-o", &out]] {
        let said = fails(&[verb, &clip[..]].concat(), 1);
        assert!(said.contains("sample:fox: clip \"Walk_Loop\" cannot be played on"), "{said}");
        assert_eq!(said.matches(cause).count(), 1, "{said}");
    }
}
