//! What people type, and what stands where a file was meant: every fault is said in words, and nothing is harmed.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{fails, json, patched, tailbone};

#[test]
fn numbers_that_are_none_or_out_of_bounds_are_wrong_usage() {
    let bake = ["bake", "sample:fox", "-o", "never.glb", "--clip", "Walk"];
    for (name, bad) in [
        ("--fps", &["0", "-30", "nan", "inf", "x"][..]),
        ("--reduce", &["-1", "nan", "inf", "1000"][..]),
    ] {
        for &bad in bad {
            let said = fails(&[&bake[..], &[name, bad]].concat(), 2);
            assert!(said.contains(name) && said.contains("must be a number from"), "{said}");
        }
    }
    for bad in ["0", "nan", "-2", "1e300"] {
        let said = fails(&["hair", "measure", "sample:ponytail", "--seconds", bad], 2);
        assert!(said.contains("seconds must be a number from 0.1 to 3600"), "{said}");
    }
    let said = fails(&["measure", "sample:fox", "--clip", "Walk", "--samples", "-3"], 2);
    assert!(said.contains("-3") && said.contains("1..=10000"), "{said}");
    #[cfg(feature = "app")]
    for bad in ["nan", "-1", "inf"] {
        let render = ["render", "sample:fox", "-o", "never.png", "--clip", "Walk", "--time", bad];
        assert!(fails(&render, 2).contains("seconds must be"), "{bad}");
    }
}

#[test]
fn a_file_is_written_under_an_ending_that_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.fbx", "x.txt", "x"] {
        let path = folder.path().join(name).display().to_string();
        for verb in [&["rig", "sample:fox"][..], &["bake", "sample:fox", "--clip", "Walk"]] {
            let said = fails(&[verb, &["-o", &path]].concat(), 2);
            assert!(said.contains(&path) && said.contains(".glb, .gltf, .vrm"), "{said}");
        }
        assert!(!Path::new(&path).exists(), "{path}");
    }
    #[cfg(feature = "app")]
    assert!(fails(&["render", "sample:fox", "-o", "never.jpg"], 2).contains(".png"));
    for force in [&[][..], &["--force"]] {
        let to_folder = ["rig", "sample:fox", "-o", folder.path().to_str().unwrap()];
        let said = fails(&[&to_folder[..], force].concat(), 2);
        assert!(said.contains("folder") && !said.contains("--force"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_what_is_no_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("real.glb"), "old").unwrap();
    std::os::unix::fs::symlink("real.glb", at("link.glb")).unwrap();
    let rig = |name: &str| {
        ["rig", "sample:fox", "-o"]
            .map(str::to_owned)
            .into_iter()
            .chain([at(name).display().to_string()])
            .collect::<Vec<_>>()
    };
    let link = rig("link.glb");
    let link: Vec<&str> = link.iter().map(String::as_str).collect();
    assert!(fails(&link, 1).contains("exists already"));
    json(&[&link[..], &["--force"]].concat());
    assert!(at("link.glb").symlink_metadata().unwrap().is_symlink());
    assert!(std::fs::read(at("real.glb")).unwrap().starts_with(b"glTF"));
    let socket = std::os::unix::net::UnixListener::bind(at("socket.glb")).unwrap();
    let to_socket = rig("socket.glb");
    let to_socket: Vec<&str> = to_socket.iter().map(String::as_str).collect();
    for force in [&[][..], &["--force"]] {
        let said = fails(&[&to_socket[..], force].concat(), 1);
        assert!(said.contains("socket.glb") && said.contains("only files are replaced"), "{said}");
    }
    drop(socket);
    assert!(!at("socket.glb").symlink_metadata().unwrap().is_file());
}

#[test]
fn no_option_writes_over_the_input_or_another_file_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (input, other) = (at("fox.glb"), at("notes.txt"));
    let fox = tailbone::samples::embedded("fox").unwrap();
    std::fs::write(&input, fox).unwrap();
    std::fs::write(&other, "mine").unwrap();
    for args in [
        &["detect", &input, "--save-project"][..],
        &["measure", &input, "--clip", "Walk", "--save-project"],
        &["inspect", &input, "--save-map"],
    ] {
        let to = |path: &str, code: i32| fails(&[args, &[path]].concat(), code);
        assert!(to(&other, 1).contains("notes.txt: exists already"), "{args:?}");
        assert!(to(&input, 1).contains("this is the input"), "{args:?}");
        let forced = fails(&[args, &[&input, "--force"]].concat(), 1);
        assert!(forced.contains("this is the input"), "{forced}");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
        json(&[args, &[&other, "--force"]].concat());
        assert_ne!(std::fs::read_to_string(&other).unwrap(), "mine");
        std::fs::write(&other, "mine").unwrap();
    }
    assert!(std::fs::read(&input).unwrap() == fox, "the input has changed");
    // Who gives a project and saves it goes on with it.
    let project = at("fox.tailbone");
    json(&["detect", &input, "--save-project", &project]);
    fails(&["detect", &input, "--save-project", &project], 1);
    let on = ["--project", &project, "--save-project", &project, "--treat", "tail=rigid"];
    json(&[&["detect", &input][..], &on].concat());
    assert!(std::fs::read_to_string(&project).unwrap().to_lowercase().contains("rigid"));
}

#[test]
fn of_files_that_belong_together_none_is_written_where_one_stands_in_the_way() {
    let names = |folder: &Path| {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let clips = ["--clip", "Walk", "--clip", "Sprint"];
    for (stands, more) in [
        ("Sprint_Loop.glb", &["--files", "per-clip"][..]),
        ("fox.glb.json", &["--report"]),
        ("fox.glb", &["--report"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("fox.glb").display().to_string();
        std::fs::write(folder.path().join(stands), "mine").unwrap();
        let bake = [&["bake", "sample:fox", "-o", &out][..], &clips, more].concat();
        let said = fails(&bake, 1);
        assert!(said.contains(stands) && said.contains("exists already"), "{said}");
        assert_eq!(names(folder.path()), [stands]);
        json(&[&bake[..], &["--force"]].concat());
        assert!(names(folder.path()).len() >= 2);
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ponytail.vrm"), "mine").unwrap();
    let out = folder.path().display().to_string();
    assert!(fails(&["samples", "-o", &out], 1).contains("ponytail.vrm"));
    assert_eq!(names(folder.path()), ["ponytail.vrm"]);
}

#[test]
fn the_demo_writes_over_nothing_in_a_folder_that_was_named() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let done = json(&["demo", "-o", &out]);
    let written = done["written"].as_array().unwrap();
    assert!(written.iter().all(|path| Path::new(path.as_str().unwrap()).is_file()), "{written:?}");
    assert!(done["measured"][0]["tail"]["chain"]["p99"].is_number(), "{done:#}");
    let baked = folder.path().join("fox-baked.glb");
    std::fs::write(&baked, "mine").unwrap();
    assert!(fails(&["demo", "-o", &out], 1).contains("exists already"));
    assert_eq!(std::fs::read(&baked).unwrap(), b"mine");
    json(&["demo", "-o", &out, "--force"]);
    assert!(std::fs::read(&baked).unwrap().starts_with(b"glTF"));
}

#[test]
fn what_no_file_could_mend_is_wrong_usage() {
    for (option, bad, says) in [
        ("--set", "frequency=nan", "frequency"),
        ("--set", "cary=3", "carry"),
        ("--treat", "tail=fly", "rigid"),
        ("--expect", "horn", "tail"),
        ("--expect", "tail=many", "tail=2"),
        ("--tip", "here", "0/0/1234"),
        ("--tip", "0/0/1/2", "0/0/1234"),
    ] {
        let said = fails(&["detect", "sample:fox", option, bad], 2);
        assert!(
            said.contains(&format!("error: {option} {bad}: ")) && said.contains(says),
            "{said}"
        );
    }
    let hair = ["hair", "measure", "sample:ponytail", "--hair-preset", "wig"];
    let said = fails(&hair, 2);
    assert!(said.contains("--hair-preset wig") && said.contains("braid"), "{said}");
    // Whether a file has a region, a chain or a number of tails is the file's matter.
    for (option, bad) in [("--treat", "99=chain"), ("--treat", "Wig=leave"), ("--expect", "tail=2")]
    {
        let said = fails(&["detect", "sample:fox", option, bad], 1);
        assert!(said.contains("detect`") || said.contains("the kinds are"), "{said}");
    }
}

#[test]
fn a_character_that_cannot_be_measured_is_named_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let map = at("map.ron");
    std::fs::write(&map, "{\"hips\": \"\", \"head\": \"\"}").unwrap();
    let hair = ["hair", "measure", "sample:ponytail", "--map", &map];
    let said = fails(&hair, 1);
    assert!(said.contains("sample:ponytail: ") && said.contains("--map"), "{said}");
    // A character that no bundled clip can be played on.
    let still = patched(folder.path(), "still.glb", |json| {
        json.as_object_mut().unwrap().remove("animations");
    });
    let said = fails(&["sweep", &still, "--map", &map], 1);
    assert!(said.contains("still.glb: no clip can be played on it"), "{said}");
    // Clips without a skin are a file to take clips from.
    let clips = at("clips.glb");
    json(&["bake", "sample:fox", "-o", &clips, "--clip", "Walk", "--contents", "clips"]);
    let said = fails(&["measure", &clips, "--clip", "Walk"], 1);
    assert!(said.contains("clips.glb: ") && said.contains("no skin"), "{said}");
}

/// A pipe whose other end is closed.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn who_closes_a_pipe_has_heard_enough() {
    let run = |args: &[&str], out: Stdio, err: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tailbone"));
        let mut child = command.args(args).stdout(out).stderr(err).spawn().unwrap();
        let mut said = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_string(&mut said).unwrap();
        }
        (child.wait().unwrap().code(), said)
    };
    for args in [&["detect", "sample:fox", "--json", "--vertices"][..], &["clips"], &["--help"]] {
        let (code, said) = run(args, closed(), Stdio::piped());
        assert_eq!((code, said.as_str()), (Some(0), ""), "{args:?}");
    }
    // Nobody hears the message; the exit code stays what it is.
    assert_eq!(run(&["inspect", "no/such.glb"], Stdio::null(), closed()).0, Some(1));
    assert_eq!(run(&["dance"], Stdio::null(), closed()).0, Some(2));
    let noted = ["detect", "sample:fox", "--treat", "wing=leave"];
    assert_eq!(run(&noted, Stdio::null(), closed()).0, Some(0));
}

#[test]
fn names_of_a_file_cannot_speak_to_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\u{0}\u{1b}[31mred\nerror: gone\u{9b}";
    let file = patched(folder.path(), "names.glb", |json| {
        for list in ["meshes", "nodes", "animations", "skins"] {
            for value in json[list].as_array_mut().unwrap() {
                let old = value["name"].as_str().unwrap_or_default().to_owned();
                value["name"] = format!("{old}{name}").into();
            }
        }
        json["asset"]["generator"] = name.into();
    });
    for args in [
        &["inspect", &file][..],
        &["detect", &file],
        &["measure", &file, "--clip", "#1"],
        &["measure", &file, "--clip", "nowhere"],
    ] {
        let output = tailbone(args);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
        assert!(!said.contains("\nerror: gone"), "{said}");
    }
    let shown = String::from_utf8(tailbone(&["inspect", &file]).stdout).unwrap();
    assert!(shown.contains("a\\u{0}\\u{1b}[31mred\\nerror: gone\\u{9b}"), "{shown}");
}

#[test]
fn what_cannot_be_read_is_told_in_the_words_of_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let missing = at("nope.ron");
    for args in [
        &["inspect", "sample:fox", "--map", &missing][..],
        &["detect", "sample:fox", "--map", &missing],
        &["detect", "sample:fox", "--project", &missing],
        &["replay", &missing],
        &["inspect", &missing],
        &["clips", "--library", &missing],
    ] {
        let said = fails(args, 1);
        assert!(said.contains(&format!("{missing}: no such file; check the name")), "{said}");
        assert!(!said.contains("os error") && said.matches(&missing).count() == 1, "{said}");
    }
    let project = at("fox.tailbone");
    json(&["detect", "sample:fox", "--save-project", &project]);
    let said = fails(&["inspect", &project], 1);
    assert!(said.contains("is a project") && said.contains("--project"), "{said}");
    let bytes = at("bytes.ron");
    std::fs::write(&bytes, [0xff, 0xfe, 0x00]).unwrap();
    assert!(fails(&["replay", &bytes], 1).contains("not a text file"));
}

#[test]
fn where_a_character_faces_and_how_tall_it_is_can_be_said() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("turned.tailbone").display().to_string();
    let plain = json(&["detect", "sample:fox"]);
    let said = ["--height", "3.82", "--facing", "-z", "--save-project", &project];
    let said = json(&[&["detect", "sample:fox"][..], &said].concat());
    assert!((said["height_m"].as_f64().unwrap() - 3.82).abs() < 1e-4, "{said}");
    let kept = std::fs::read_to_string(&project).unwrap();
    assert!(kept.contains("MinusZ") && kept.contains("3.82"), "{kept}");
    // Said before, and left to the program again.
    let auto = ["--project", &project, "--height", "auto", "--facing", "auto"];
    let auto = json(&[&["detect", "sample:fox"][..], &auto].concat());
    assert_eq!((&auto["regions"], &auto["height_m"]), (&plain["regions"], &plain["height_m"]));
    for (option, bad, says) in [
        ("--height", "0", "metres must be a number from 0.01 to 100"),
        ("--height", "tall", "metres must be a number"),
        ("--facing", "up", "+z"),
    ] {
        let said = fails(&["detect", "sample:fox", option, bad], 2);
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn a_decision_that_meets_nothing_and_a_skirt_that_is_none_are_told() {
    let notes = |args: &[&str]| {
        let output = tailbone(args);
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = notes(&["detect", "sample:fox", "--treat", "wing=leave", "--treat", "tail=rigid"]);
    assert!(said.contains("--treat wing=leave: no region of that kind"), "{said}");
    assert!(!said.contains("tail=rigid"), "{said}");
    let hair = ["hair", "measure", "sample:ponytail", "--seconds", "1"];
    let none = fails(&[&hair[..], &["--skirt", "Nope"]].concat(), 1);
    assert!(none.contains("--skirt Nope") && none.contains("the chains are `"), "{none}");
}

#[test]
fn legs_through_skirts_are_counted_in_walk_sprint_and_sitting() {
    let brief = ["hair", "measure", "sample:ponytail", "--seconds", "0.1"];
    let found = json(&brief);
    let chain = found["names"][0].as_str().unwrap();
    assert_eq!(found["skirt_clips"].as_array().unwrap().len(), 0, "there is no skirt");
    let tagged = json(&[&brief[..], &["--skirt", chain]].concat());
    let lines = tagged["skirt_clips"].as_array().unwrap();
    let titles: Vec<&str> = lines.iter().map(|line| line["clip"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Walk", "Sprint", "Sitting Idle"]);
    assert!(lines.iter().all(|line| line["through"].is_u64() && line["deepest_mm"].is_number()));
    let asked = json(&[&brief[..], &["--skirt", chain, "--clip", "Walk"]].concat());
    assert_eq!(asked["skirt_clips"].as_array().unwrap().len(), 0);
}

#[test]
fn a_clip_of_a_library_that_is_cut_and_a_folder_without_any_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let notes = |path: &Path| {
        let output = tailbone(&["clips", "--library", path.to_str().unwrap()]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = notes(folder.path());
    assert!(said.contains("no files of clips in this folder"), "{said}");
    let path = folder.path().join("long.bvh");
    for (step, is_cut) in [("9", false), ("9.5", true)] {
        let values = " 0 90 0".repeat(201);
        let text = format!(
            "HIERARCHY ROOT Hips {{ OFFSET 0 90 0 CHANNELS 3 Xposition Yposition Zposition \
             End Site {{ OFFSET 0 10 0 }} }} MOTION Frames: 201 Frame Time: {step}{values}"
        );
        std::fs::write(&path, text).unwrap();
        let said = notes(&path);
        assert_eq!(said.contains("long.bvh") && said.contains("CLIP_TOO_LONG"), is_cut, "{said}");
    }
}

#[test]
fn rig_takes_what_bake_takes_about_the_written_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb").display().to_string();
    let rig = ["rig", "sample:fox", "-o", &out, "--contents", "clips", "--name", "{clip}"];
    let output = tailbone(&rig);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("`rig` brings none"), "{said}");
    let file = super::glb_json(&out);
    assert!(file.get("meshes").is_none() && file["animations"].is_array(), "{file:#}");
}
