//! Full disks and killed processes.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use tailbone::model::Verdict;
use tailbone::studio::{FileCommand, NoticeKind, Studio, no_wake};

use super::common::{self, tailed::tailed_file};
use super::{action, decide, file, open, opened, save_as, settle, verdict};

/// This test again in a process of its own, as `victim`.
fn again(test: &str, folder: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env("TAILBONE_VICTIM", folder);
    command.stdin(Stdio::null());
    command
}

fn victim() -> Option<PathBuf> {
    std::env::var_os("TAILBONE_VICTIM").map(PathBuf::from)
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_project_whole() {
    if let Some(folder) = victim() {
        let mut studio = opened(&folder.join("tailed.tailbone"));
        decide(&mut studio);
        file(&mut studio, FileCommand::Save);
        let last = studio.notices().last().unwrap();
        assert_eq!(last.kind, NoticeKind::Error, "{}", last.text);
        assert!(studio.is_dirty());
        return;
    }
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let project = folder.path().join("tailed.tailbone");
    save_as(&mut studio, &project);
    let before = std::fs::read(&project).unwrap();
    // A process that may write no byte more to any file: what a full disk is to it.
    let victim = again("crashes::a_full_disk_leaves_the_old_project_whole", folder.path());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]).arg(victim.get_program());
    shell.args(victim.get_args()).env("TAILBONE_VICTIM", folder.path());
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(std::fs::read(&project).unwrap(), before);
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "the character and the project, and nothing half-written");
}

#[test]
fn a_killed_process_loses_nothing_that_was_decided() {
    if let Some(folder) = victim() {
        let mut studio = Studio::new(no_wake());
        studio.keep_in(&folder.join("state"));
        open(&mut studio, &folder.join("tailed.glb"));
        decide(&mut studio);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(120) {
            studio.poll();
            std::thread::yield_now();
        }
        return;
    }
    let folder = common::Folder::new();
    tailed_file(folder.path());
    let mut child =
        again("crashes::a_killed_process_loses_nothing_that_was_decided", folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
    let state = folder.path().join("state");
    let has_step = || {
        let entries = std::fs::read_dir(state.join("recovery")).ok()?;
        let journals = entries.filter_map(|e| Some(e.ok()?.path().join("journal.ron")));
        journals.into_iter().find(|j| std::fs::read_to_string(j).is_ok_and(|t| t.ends_with('\n')))
    };
    let start = Instant::now();
    while has_step().is_none() {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing was kept");
        std::thread::yield_now();
    }
    // While it lives its work is its own.
    let mut other = Studio::new(no_wake());
    other.keep_in(&state);
    assert!(other.notices().is_empty(), "{:?}", other.notices());
    drop(other);
    child.kill().unwrap();
    child.wait().unwrap();

    let mut studio = Studio::new(no_wake());
    studio.keep_in(&state);
    let recover = action(&studio, "Recover");
    studio.apply(recover);
    settle(&mut studio);
    assert_eq!(verdict(&studio), Verdict::Rigid);
    assert_eq!(studio.title(), "tailed.glb*", "it is open again and still not saved");
    assert_eq!(studio.undo_redo().0, Some("recover unsaved work"));
    // Kept anew in this process's name, and gone once it is saved.
    save_as(&mut studio, &folder.path().join("saved.tailbone"));
    drop(studio);
    assert!(has_step().is_none());
    let mut studio = Studio::new(no_wake());
    studio.keep_in(&state);
    assert!(studio.notices().is_empty());
    assert_eq!(studio.question(), None);
}
