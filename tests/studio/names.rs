//! Names that the user gives, without a panel: of regions, chains and joints.

use std::sync::Arc;

use tailbone::document::{Finished, OutputSettings, write_edits};
use tailbone::model::{NodeIndex, Rigged};
use tailbone::studio::{Command, FileCommand, Selection, Studio, no_wake};
use tailbone::work::Work;

use super::common::{self, tailed::tailed_file};
use super::{done_again, opened, settle, tail_of};

fn rename(studio: &mut Studio, what: Selection, name: &str) {
    studio.apply(Command::Rename(what, name.into()));
    settle(studio);
}

fn rigged(studio: &Studio) -> Arc<Rigged> {
    studio.evaluated().unwrap().rigged.clone()
}

/// The driven chain and its joints.
fn chain(studio: &Studio) -> (Selection, Vec<NodeIndex>) {
    let rig = rigged(studio);
    let at = rig.chains.iter().position(|c| c.is_driven).unwrap();
    (Selection::Chain(at), rig.chains[at].joints.clone())
}

fn names(studio: &Studio) -> Vec<String> {
    let rig = rigged(studio);
    chain(studio).1.iter().map(|&j| rig.character.skeleton.name(j).to_owned()).collect()
}

#[test]
fn a_region_is_called_by_another_name_everywhere_it_is_shown() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let start = studio.edits().clone();
    let tail = Selection::Region(tail_of(&studio));
    rename(&mut studio, tail, "  Brush \n");
    assert_eq!(studio.name_of(tail).as_deref(), Some("Brush"));
    assert_eq!(studio.region_panel().unwrap().name, "Brush");
    assert!(studio.outliner().regions.iter().any(|row| row.name == "Brush"));
    assert_eq!(studio.undo_redo().0, Some("rename"));
    assert_eq!(names(&studio)[0], "Tail_1", "a region's name is its own");
    assert_eq!(done_again(&studio).edits(), studio.edits());
    rename(&mut studio, tail, "");
    assert_eq!(*studio.edits(), start, "without a name it is called after its kind");
    studio.apply(Command::Undo);
    assert_eq!(studio.name_of(tail).as_deref(), Some("Brush"));
}

#[test]
fn joints_are_numbered_after_their_chain_and_one_may_have_a_name_of_its_own() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let start = studio.edits().clone();
    let (which, joints) = chain(&studio);
    rename(&mut studio, which, "Brush");
    assert_eq!(names(&studio)[..2], ["Brush_1", "Brush_2"]);
    rename(&mut studio, Selection::Joint(joints[1]), "Bend");
    assert_eq!(names(&studio)[..2], ["Brush_1", "Bend"]);
    let taken = rigged(&studio).character.skeleton.name(NodeIndex(0)).to_owned();
    rename(&mut studio, Selection::Joint(joints[0]), &taken);
    assert!(studio.notices().last().unwrap().text.contains("already"));
    rename(&mut studio, Selection::Joint(NodeIndex(0)), "Mine");
    assert!(studio.notices().last().unwrap().text.contains("can be renamed"));
    assert_eq!(done_again(&studio).edits(), studio.edits());

    let path = folder.path().join("named.tailbone").display().to_string();
    studio.apply(Command::File(FileCommand::SaveAs { path: path.clone(), replace: false }));
    settle(&mut studio);
    let mut again = Studio::new(no_wake());
    again.apply(Command::Open(path));
    settle(&mut again);
    assert_eq!(names(&again), names(&studio));
    while studio.undo_redo().0.is_some() {
        studio.apply(Command::Undo);
    }
    settle(&mut studio);
    assert_eq!((studio.edits(), names(&studio)[1].as_str()), (&start, "Tail_2"));
}

#[test]
fn names_of_joints_are_in_the_file_that_is_written() {
    let folder = common::Folder::new();
    let file = tailed_file(folder.path());
    let mut studio = opened(&file);
    let (which, joints) = chain(&studio);
    rename(&mut studio, which, "Brush");
    rename(&mut studio, Selection::Joint(joints[0]), "Root of it");
    let document = {
        let bytes = std::fs::read(&file).unwrap();
        let loaded = tailbone::io::read_bytes(bytes, "tailed", None, &Work::default()).unwrap();
        let tailbone::io::Loaded { file, characters, report } = loaded;
        let source =
            tailbone::document::Source { origin: "tailed".into(), file, characters, report };
        tailbone::document::Document::new(source)
    };
    let evaluated = studio.evaluated().unwrap();
    let finished = Finished { character: 0, evaluated, baked: &[] };
    let edits = write_edits(&document, &[finished], OutputSettings::default());
    let written = document.source().file.write(&edits).unwrap().to_bytes();
    let text = String::from_utf8_lossy(&written);
    for name in ["\"Root of it\"", "\"Brush_2\"", "\"Brush_End\""] {
        assert!(text.contains(name), "{name}");
    }
    assert!(!text.contains("\"Tail_1\""));
}
