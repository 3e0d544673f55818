//! Clips made of others, without a screen.

use std::path::Path;

use tailbone::studio::{ClipCommand, Command, FileCommand, Shelf, ShelfHabits, ShelfQuery, Studio};

use super::common::{self, tailed::tailed_file};
use super::{done_again, opened, settle};

fn make(studio: &mut Studio, of: usize, edit: &str) {
    studio.apply(Command::Clips(ClipCommand::Make { of, edit: edit.to_owned() }));
    settle(studio);
}

fn shelf(studio: &Studio) -> Shelf {
    let favourites = Default::default();
    studio.shelf(&ShelfQuery::default(), ShelfHabits { favourites: &favourites, recent: &[] })
}

/// Title and length of what plays.
fn playing(studio: &Studio) -> (String, f64) {
    let transport = studio.transport();
    (transport.clips[transport.clip.unwrap()].clone(), transport.duration_secs.unwrap())
}

fn whirls(studio: &Studio) -> Vec<String> {
    studio.transport().clips.into_iter().filter(|title| title.starts_with("Whirl")).collect()
}

#[test]
fn a_clip_made_of_another_plays_beside_it_and_is_in_the_project_and_the_script() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    assert_eq!(studio.transport().clips[0], "Walk");
    make(&mut studio, 0, "@trim=0.5..1.5@mirror@name=Whirl");
    let (title, secs) = playing(&studio);
    assert!(title == "Whirl" && (secs - 1.0).abs() < 1e-6, "{title} {secs}");
    assert_eq!(studio.transport().clips[..2], ["Walk", "Whirl"]);
    let tile = shelf(&studio).tiles.into_iter().find(|tile| tile.name == "Whirl").unwrap();
    assert!(tile.edit.is_some_and(|edit| edit.mirror && edit.from_secs == 0.5));
    assert!(tile.whole.0 == "Walk" && (tile.whole.1 - 2.0).abs() < 1e-6);
    assert!(studio.is_dirty(), "it is to be saved");
    assert_eq!(whirls(&done_again(&studio)), ["Whirl"], "a script does the same");
    let path = folder.path().join("whirl.tailbone").display().to_string();
    studio.apply(Command::File(FileCommand::SaveAs { path: path.clone(), replace: false }));
    settle(&mut studio);
    assert!(!studio.is_dirty());
    assert_eq!(whirls(&opened(Path::new(&path))), ["Whirl"]);
}

#[test]
fn a_made_clip_is_changed_in_its_place_and_taken_away_and_comes_back() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    make(&mut studio, 0, "@mirror@name=Whirl");
    make(&mut studio, 0, "@speed=2@name=Whirl");
    assert_eq!(whirls(&studio), ["Whirl", "Whirl 2"], "a name that is taken gets a number");
    let second = studio.transport().clips.iter().position(|title| title == "Whirl 2").unwrap();
    make(&mut studio, second, "@speed=4@name=Whirl 2");
    assert_eq!(whirls(&studio), ["Whirl", "Whirl 2"]);
    assert!((playing(&studio).1 - 0.5).abs() < 1e-6, "{:?}", playing(&studio));
    make(&mut studio, second, "@speed=4@name=Whirl fast");
    assert_eq!(whirls(&studio), ["Whirl", "Whirl fast"]);
    assert_eq!(whirls(&done_again(&studio)), ["Whirl", "Whirl fast"]);
    studio.apply(Command::Clips(ClipCommand::Unmake("Whirl fast".to_owned())));
    settle(&mut studio);
    assert_eq!(whirls(&studio), ["Whirl"]);
    let offer = studio.notices().last().unwrap().actions[0].command.clone();
    studio.apply(offer);
    settle(&mut studio);
    assert_eq!(whirls(&studio), ["Whirl", "Whirl fast"]);
    for (edit, said) in [("@speed=fast@name=A", "speed=fast"), ("@trim=1.9999..@name=A", "Nothing")]
    {
        make(&mut studio, 0, edit);
        assert!(studio.notices().last().unwrap().text.contains(said), "{:?}", studio.notices());
    }
    assert_eq!(studio.transport().clips[0], "Walk", "the clip itself is as it was");
}
