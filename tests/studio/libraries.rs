//! The user's own files of clips, without a screen.

use std::path::{Path, PathBuf};

use tailbone::recipes;
use tailbone::studio::{
    ClipCommand, Command, ExportCommand, FileCommand, NoticeKind, PlayCommand, Script, Shelf,
    ShelfHabits, ShelfQuery, ShelfSource, Studio, Tile, no_wake, replay,
};
use tailbone::work::Work;

use super::common::{self, tailed::moving_file, tailed::tailed_file};
use super::{opened, settle};

/// Two bones that turn for a tenth of a second.
const BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n\
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
    JOINT Spine\n{\nOFFSET 0 10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n\
    End Site\n{\nOFFSET 0 20 0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.0333333\n\
    0 90 0 0 0 0 0 0 0\n0 90 0 0 10 0 0 5 0\n0 90 0 0 20 0 0 9 0\n";

fn add(studio: &mut Studio, path: &Path) {
    studio.apply(Command::AddLibrary(path.display().to_string()));
    settle(studio);
}

fn remove(studio: &mut Studio, path: &Path) {
    studio.apply(Command::RemoveLibrary(path.display().to_string()));
    settle(studio);
}

fn shelf(studio: &Studio, source: Option<ShelfSource>) -> Shelf {
    let favourites = Default::default();
    let habits = ShelfHabits { favourites: &favourites, recent: &[] };
    studio.shelf(&ShelfQuery { source, ..ShelfQuery::default() }, habits)
}

/// The tiles of a title, with where they come from.
fn tiles(studio: &Studio, title: &str) -> Vec<Tile> {
    shelf(studio, None).tiles.into_iter().filter(|tile| tile.title == title).collect()
}

fn playing(studio: &Studio) -> (String, usize) {
    let transport = studio.transport();
    let place = transport.clip.unwrap();
    (transport.clips[place].clone(), place)
}

/// The script of what was done, as it is saved.
fn saved(studio: &mut Studio, folder: &common::Folder, name: &str) -> Script {
    let path = folder.path().join(name).display().to_string();
    studio.apply(Command::File(FileCommand::SaveScript { path: path.clone(), replace: false }));
    Script::read(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Paths of the libraries that a script adds.
fn added(script: Script) -> Vec<String> {
    let added = script.commands.into_iter().filter_map(|command| match command {
        Command::AddLibrary(path) => Some(path),
        _ => None,
    });
    added.collect()
}

fn flips(folder: &common::Folder) -> PathBuf {
    moving_file(folder.path(), "flips.glb", &["Armature|BackFlip"])
}

#[test]
fn a_clip_of_the_users_plays_in_place_of_the_bundled_one_until_it_is_taken_away() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let flips = flips(&folder);
    assert_eq!(tiles(&studio, "Back Flip")[0].source, "");
    let before = shelf(&studio, None);
    add(&mut studio, &flips);
    assert_eq!(studio.libraries().len(), 1);
    assert_eq!((studio.libraries()[0].n_clips, &*studio.libraries()[0].name), (1, "flips.glb"));
    let found = tiles(&studio, "Back Flip");
    let [tile] = &found[..] else { panic!("one stands for the other: {found:?}") };
    assert_eq!(tile.source, "flips.glb");
    assert!((tile.duration_secs - 2.0).abs() < 1e-6, "the user's lasts 2 s: {tile:?}");
    let own = ShelfSource::User(studio.libraries()[0].path.clone());
    assert_eq!(shelf(&studio, Some(own)).tiles.len(), 1);
    assert_eq!(playing(&studio).0, "Walk", "what plays plays on");
    studio.apply(Command::Play(PlayCommand::Clip(Some(tile.place))));
    settle(&mut studio);
    assert_eq!(playing(&studio), ("Back Flip".to_owned(), tile.place));

    remove(&mut studio, &flips);
    assert_eq!(studio.libraries(), []);
    assert_eq!(playing(&studio).0, "Back Flip", "the bundled one plays in its place");
    assert_eq!(shelf(&studio, None).tiles.len(), before.tiles.len());
    assert!(flips.exists());
}

#[test]
fn what_names_clips_by_their_places_goes_on_with_its_clips() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let sprint = tiles(&studio, "Sprint")[0].place;
    studio.apply(Command::Play(PlayCommand::Clip(Some(sprint))));
    settle(&mut studio);
    studio.apply(Command::Export(ExportCommand::Choose([0, sprint].into())));
    let chosen = |studio: &Studio| -> Vec<String> {
        let rows = studio.export_panel().clips.into_iter().filter(|row| row.is_chosen);
        rows.map(|row| row.title).collect()
    };
    assert_eq!(chosen(&studio), ["Walk", "Sprint"]);
    let flips = flips(&folder);
    // Asked for while a worker reads: it comes back for a place that is another by then.
    studio.apply(Command::AddLibrary(flips.display().to_string()));
    studio.apply(Command::Play(PlayCommand::Clip(Some(sprint))));
    settle(&mut studio);
    assert_eq!(playing(&studio), ("Sprint".to_owned(), sprint + 1));
    assert_eq!(chosen(&studio), ["Walk", "Sprint"]);
    remove(&mut studio, &flips);
    assert_eq!(playing(&studio), ("Sprint".to_owned(), sprint));
    assert_eq!(chosen(&studio), ["Walk", "Sprint"]);
}

#[test]
fn clips_of_a_library_that_is_read_again_stay_chosen() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let flips = flips(&folder);
    add(&mut studio, &flips);
    let flip = tiles(&studio, "Back Flip")[0].place;
    studio.apply(Command::Export(ExportCommand::Choose([flip].into())));
    add(&mut studio, &flips);
    let chosen = studio.export_panel().clips.into_iter().filter(|row| row.is_chosen);
    let chosen: Vec<(String, usize)> = chosen.map(|row| (row.title, row.place)).collect();
    assert_eq!(chosen, [("Back Flip".to_owned(), flip)]);
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_leaves_what_is_there() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    add(&mut studio, &flips(&folder));
    let before = shelf(&studio, None);
    let broken = folder.path().join("broken.bvh");
    std::fs::write(&broken, "HIERARCHY { oops").unwrap();
    for (path, name) in [(broken.as_path(), "broken.bvh"), (Path::new("no/such.glb"), "such.glb")] {
        add(&mut studio, path);
        let notice = studio.notices().last().unwrap();
        assert_eq!(notice.kind, NoticeKind::Error);
        assert!(notice.text.contains(name), "{}", notice.text);
        assert_eq!(shelf(&studio, None), before);
    }
}

#[test]
fn one_bad_file_does_not_spoil_a_folder_and_another_character_keeps_the_libraries() {
    let folder = common::Folder::new();
    let clips = folder.path().join("clips");
    std::fs::create_dir(&clips).unwrap();
    moving_file(&clips, "a.glb", &["BackFlip", "Waltz"]);
    std::fs::write(clips.join("b.bvh"), BVH).unwrap();
    std::fs::write(clips.join("c.bvh"), "HIERARCHY { oops").unwrap();
    let mut studio = opened(&tailed_file(folder.path()));
    add(&mut studio, &clips);
    let notice = studio.notices().last().unwrap();
    assert_eq!(notice.kind, NoticeKind::Warning);
    assert!(notice.text.contains("c.bvh"), "{}", notice.text);
    assert_eq!(studio.libraries()[0].n_clips, 3);
    assert_eq!(tiles(&studio, "Waltz")[0].source, "a.glb");
    let script = studio.script().unwrap();
    assert!(script.commands.iter().any(|c| matches!(c, Command::AddLibrary(_))), "for replays");

    let other = moving_file(folder.path(), "other.glb", &["Idle_Loop"]);
    studio.apply(Command::Open(other.display().to_string()));
    settle(&mut studio);
    assert_eq!(studio.file_name(), "other.glb");
    assert_eq!(tiles(&studio, "Waltz")[0].source, "a.glb");
    let first = studio.script().unwrap().commands.first();
    assert!(matches!(first, Some(Command::AddLibrary(_))), "{first:?}");
}

#[test]
fn a_saved_script_names_the_libraries_that_exported_clips_are_from_and_no_others() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    add(&mut studio, &flips(&folder));
    add(&mut studio, &moving_file(folder.path(), "waltz.glb", &["Waltz"]));
    assert_eq!(added(saved(&mut studio, &folder, "none.ron")), [] as [&str; 0]);
    let waltz = tiles(&studio, "Waltz")[0].place;
    studio.apply(Command::Export(ExportCommand::Choose([0, waltz].into())));
    let path = studio.libraries()[1].path.clone();
    assert_eq!(added(saved(&mut studio, &folder, "waltz.ron")), [path]);
}

#[test]
fn a_saved_script_names_the_library_that_a_made_clip_is_of_and_makes_it_again() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    add(&mut studio, &flips(&folder));
    add(&mut studio, &moving_file(folder.path(), "waltz.glb", &["Waltz"]));
    let (of, edit) = (tiles(&studio, "Waltz")[0].place, "@mirror@name=Turned".to_owned());
    studio.apply(Command::Clips(ClipCommand::Make { of, edit }));
    settle(&mut studio);
    let script = saved(&mut studio, &folder, "made.ron");
    replay(&script, &Work::default()).unwrap();
    assert_eq!(added(script), [studio.libraries()[1].path.clone()]);
}

#[test]
fn libraries_of_an_earlier_time_are_read_again_and_one_that_is_gone_is_told_once_and_kept() {
    let folder = common::Folder::new();
    let gone = folder.path().join("gone.glb").display().to_string();
    let lost = folder.path().join("lost.bvh").display().to_string();
    let kept = [gone.clone(), flips(&folder).display().to_string(), lost];
    let mut studio = Studio::new(no_wake());
    studio.keep_libraries(&kept);
    studio.apply(Command::Open(tailed_file(folder.path()).display().to_string()));
    settle(&mut studio);
    let rows = studio.libraries();
    assert_eq!(
        rows.iter().map(|row| &row.path).collect::<Vec<_>>(),
        kept.iter().collect::<Vec<_>>()
    );
    assert_eq!(rows.iter().map(|row| row.n_clips).collect::<Vec<_>>(), [0, 1, 0]);
    assert!(rows[0].fault.is_some() && rows[1].fault.is_none());
    let told = studio.notices().iter().filter(|n| n.text.contains("gone.glb"));
    let told: Vec<_> = told.map(|n| (n.kind, n.text.contains("lost.bvh"))).collect();
    assert_eq!(told, [(NoticeKind::Info, true)]);
    assert_eq!(tiles(&studio, "Back Flip")[0].source, "flips.glb");
    remove(&mut studio, Path::new(&gone));
    assert_eq!(studio.libraries().len(), 2);
}

#[test]
fn what_is_dropped_is_opened_or_added_as_what_it_is() {
    let folder = common::Folder::new();
    let motion = folder.path().join("nod.bvh");
    std::fs::write(&motion, BVH).unwrap();
    let mut studio = Studio::new(no_wake());
    let dropped = [motion, tailed_file(folder.path())];
    studio.apply(Command::Drop(dropped.iter().map(|p| p.display().to_string()).collect()));
    settle(&mut studio);
    assert_eq!(studio.file_name(), "tailed.glb");
    assert_eq!(studio.libraries().len(), 1);
    assert_eq!(tiles(&studio, "nod").len(), 1);

    let names: Vec<&str> = recipes::list().iter().take(20).map(|r| r.name.as_str()).collect();
    let catalogue = moving_file(folder.path(), "UAL9.glb", &names);
    studio.apply(Command::Drop(vec![catalogue.display().to_string()]));
    settle(&mut studio);
    assert_eq!(studio.file_name(), "tailed.glb", "its figure only carries the clips");
    assert_eq!(studio.libraries()[1].n_clips, 20);
    let mut offers = studio.notices().iter().flat_map(|n| &n.actions);
    let open = offers.find(|a| a.label == "Open as character").unwrap().command.clone();
    studio.apply(open);
    settle(&mut studio);
    assert_eq!(studio.file_name(), "UAL9.glb");

    let motion = folder.path().join("nod.bvh");
    studio.apply(Command::Open(motion.display().to_string()));
    settle(&mut studio);
    let notice = studio.notices().last().unwrap();
    let offer = Command::AddLibrary(motion.display().to_string());
    assert_eq!((notice.kind, &notice.actions[0].command), (NoticeKind::Error, &offer));
}

#[test]
fn a_real_motion_file_plays_on_the_character() {
    let Some(data) = common::shared_data() else { return };
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    add(&mut studio, &data.join("motion/dab.bvh"));
    let found = tiles(&studio, "dab");
    let [tile] = &found[..] else { panic!("{:?}", studio.notices()) };
    studio.apply(Command::Play(PlayCommand::Clip(Some(tile.place))));
    settle(&mut studio);
    assert_eq!(playing(&studio), ("dab".to_owned(), tile.place));
}
