//! Saving, opening again, relinking, reloading; and the questions in between.

use std::path::Path;

use tailbone::model::Verdict;
use tailbone::studio::{
    Answer, CameraPlace, Command, Edit, FileCommand, NoticeKind, PathQuestion, PlayCommand,
    Question, Selection, Studio, no_wake,
};

use super::common::{self, tailed::tailed_file};
use super::{action, answer, decide, file, open, opened, save_as, settle, tail_of, until, verdict};

#[test]
fn a_project_opens_as_it_was_saved_and_the_star_tells_what_is_not() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    assert_eq!(studio.title(), "tailed.glb");
    decide(&mut studio);
    assert_eq!(studio.title(), "tailed.glb*");
    file(&mut studio, FileCommand::Save);
    let asked = studio.take_path_questions();
    let [PathQuestion::SaveProject(suggested)] = &asked[..] else { panic!("{asked:?}") };
    assert!(suggested.ends_with("tailed.tailbone"), "{suggested}");
    let project = folder.path().join("tailed.tailbone");
    save_as(&mut studio, &project);
    assert_eq!(studio.title(), "tailed.tailbone");
    assert_eq!(studio.take_opened_files().last().unwrap(), project.to_str().unwrap());
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(studio.title(), "tailed.tailbone*");
    studio.apply(Command::Redo);
    settle(&mut studio);
    assert!(!studio.is_dirty(), "what is saved is saved, however one came back to it");
    // The second time it knows where.
    let region = tail_of(&studio);
    studio.apply(Command::Edit(Edit::Joints { region, joints: Some(3) }));
    settle(&mut studio);
    file(&mut studio, FileCommand::Save);
    assert_eq!(studio.take_path_questions(), []);
    assert!(!studio.is_dirty());

    let again = opened(&project);
    assert_eq!(again.edits(), studio.edits());
    assert_eq!(verdict(&again), Verdict::Rigid);
    assert_eq!(again.undo_redo(), (None, None));
    let text = std::fs::read_to_string(&project).unwrap();
    assert!(text.contains("path: \"tailed.glb\""), "seen from the project: {text}");
}

#[test]
fn a_character_that_moved_is_found_beside_and_else_asked_for() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    decide(&mut studio);
    std::fs::create_dir(folder.path().join("projects")).unwrap();
    let project = folder.path().join("projects/a.tailbone");
    save_as(&mut studio, &project);
    let (old, new) = (folder.path().join("tailed.glb"), folder.path().join("elsewhere.glb"));
    std::fs::rename(&old, &new).unwrap();
    let mut again = Studio::new(no_wake());
    open(&mut again, &project);
    assert!(again.evaluated().is_none());
    let find = action(&again, "Find it…");
    again.apply(find);
    let questions = again.take_path_questions();
    assert_eq!(questions, [PathQuestion::Relink { project: project.display().to_string() }]);
    again.apply(questions[0].answered(&new, true));
    settle(&mut again);
    assert_eq!(verdict(&again), Verdict::Rigid);
    assert_eq!(again.title(), "a.tailbone");
    file(&mut again, FileCommand::Save);
    open(&mut again, &project);
    assert!(
        again.notices().iter().all(|n| n.kind != NoticeKind::Error || n.text.contains("find it"))
    );
    // Moved beside the project it is found without a question.
    std::fs::rename(&new, folder.path().join("projects/elsewhere.glb")).unwrap();
    assert_eq!(verdict(&opened(&project)), Verdict::Rigid);
}

#[test]
fn nothing_unsaved_is_lost_without_a_question() {
    let folder = common::Folder::new();
    let path = tailed_file(folder.path());
    let mut studio = opened(&path);
    decide(&mut studio);
    let edits = studio.edits().clone();
    open(&mut studio, &path);
    let question = studio.question().unwrap();
    assert!(matches!(question, Question::Unsaved { name, .. } if name == "tailed.glb"));
    answer(&mut studio, Answer::Cancel);
    assert_eq!((studio.question(), studio.edits()), (None, &edits));

    // Discarded for a file that cannot be read: what is open stays, and stays unsaved.
    open(&mut studio, Path::new("no/such/file.glb"));
    answer(&mut studio, Answer::No);
    assert_eq!(studio.edits(), &edits);
    assert!(studio.is_dirty());

    file(&mut studio, FileCommand::Quit);
    assert!(!studio.is_leaving());
    answer(&mut studio, Answer::Yes);
    let questions = studio.take_path_questions();
    assert!(matches!(questions[..], [PathQuestion::SaveProject(_)]));
    let project = folder.path().join("kept.tailbone");
    studio.apply(questions[0].answered(&project, true));
    settle(&mut studio);
    assert!(studio.is_leaving(), "saving was what leaving waited for");
    assert_eq!(opened(&project).edits(), &edits);
}

#[test]
fn another_file_is_replaced_only_after_a_question_and_a_character_never() {
    let folder = common::Folder::new();
    let path = tailed_file(folder.path());
    let before = std::fs::read(&path).unwrap();
    let mut studio = opened(&path);
    decide(&mut studio);
    let taken = folder.path().join("taken.tailbone");
    std::fs::write(&taken, "mine").unwrap();
    save_as(&mut studio, &taken);
    assert!(matches!(studio.question(), Some(Question::Replace { .. })));
    answer(&mut studio, Answer::Cancel);
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "mine");
    save_as(&mut studio, &taken);
    answer(&mut studio, Answer::Yes);
    assert!(!studio.is_dirty());
    save_as(&mut studio, &path);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(folder.path().join("tailed.glb.tailbone").exists());
}

#[test]
fn saving_where_nothing_can_be_saved_says_so_and_offers_another_place() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    decide(&mut studio);
    save_as(&mut studio, &folder.path().join("no/such/folder/a.tailbone"));
    let notice = studio.notices().last().unwrap();
    assert_eq!(notice.kind, NoticeKind::Error);
    assert!(notice.text.contains("folder does not exist"), "{}", notice.text);
    assert!(studio.is_dirty());
    let elsewhere = action(&studio, "Save elsewhere…");
    studio.apply(elsewhere);
    assert_eq!(studio.take_path_questions().len(), 1);
}

#[test]
fn another_export_is_told_and_read_on_request_with_the_decisions_there_are() {
    let folder = common::Folder::new();
    let path = tailed_file(folder.path());
    let mut studio = Studio::new(no_wake());
    studio.keep_in(&folder.path().join("state"));
    open(&mut studio, &path);
    decide(&mut studio);
    // The same character with one byte more of white space behind its JSON: another file.
    let mut bytes = std::fs::read(&path).unwrap();
    let n = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) + 4;
    bytes.splice(20 + n as usize - 4..20 + n as usize - 4, *b"    ");
    bytes[12..16].copy_from_slice(&n.to_le_bytes());
    let whole = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&whole.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    until(&mut studio, |s| s.notices().iter().any(|n| n.text.contains("changed on the disk")));
    let reload = action(&studio, "Reload");
    studio.apply(reload);
    settle(&mut studio);
    assert_eq!(verdict(&studio), Verdict::Rigid);
    assert_eq!(studio.evaluated().unwrap().notices, []);
    assert_eq!(studio.undo_redo().0, Some("change treatment"), "the history goes on");
    studio.apply(Command::Undo);
    settle(&mut studio);
    assert_eq!(verdict(&studio), Verdict::Chain);
}

#[test]
fn a_file_opens_where_the_user_left_it() {
    let folder = common::Folder::new();
    let path = tailed_file(folder.path());
    let state = folder.path().join("state");
    let mut studio = Studio::new(no_wake());
    studio.keep_in(&state);
    open(&mut studio, &path);
    assert_eq!(studio.camera_wanted(), None);
    let place = CameraPlace { distance: 7.0, yaw: 1.5, ..CameraPlace::default() };
    studio.set_camera(place);
    studio.apply(Command::Select(Selection::None));
    studio.apply(Command::Play(PlayCommand::Toggle));
    assert!(!studio.is_dirty(), "looking is no decision");
    studio.keep_session();
    let mut again = Studio::new(no_wake());
    again.keep_in(&state);
    open(&mut again, &path);
    assert_eq!(again.camera_wanted(), Some(place));
    assert_eq!((again.selection(), again.is_playing()), (Selection::None, false));
}
