//! Clips played through and ranked, without a screen.

use tailbone::model::Verdict;
use tailbone::studio::{
    Command, Edit, PaletteAct, ShelfHabits, ShelfOrder, ShelfQuery, Studio, Tile,
};

use super::common::{self, tailed::moving_file};
use super::{opened, settle, tail_of};

fn tiles(studio: &Studio) -> Vec<Tile> {
    let favourites = Default::default();
    let query = ShelfQuery { order: ShelfOrder::Worst, ..ShelfQuery::default() };
    studio.shelf(&query, ShelfHabits { favourites: &favourites, recent: &[] }).tiles
}

#[test]
fn clips_that_were_played_through_stand_worst_first_and_are_shown_where_they_are_worst() {
    let folder = common::Folder::new();
    let mut studio = opened(&moving_file(folder.path(), "two.glb", &["Walk_Loop", "Zigzag"]));
    assert!(tiles(&studio).iter().all(|tile| tile.fault.is_none()));
    studio.apply(Command::Sweep(vec![1]));
    settle(&mut studio);
    let first = tiles(&studio).remove(0);
    assert_eq!((first.place, first.fault.unwrap().rank), (1, 0), "what is known stands first");
    studio.apply(Command::Sweep(vec![0, 1, 100_000]));
    settle(&mut studio);
    let found = tiles(&studio);
    let ranks: Vec<usize> = found.iter().filter_map(|t| Some(t.fault.as_ref()?.rank)).collect();
    assert_eq!(ranks, [0, 1], "both of one motion, before all others");
    let worst = &found[0];
    studio.apply(Command::ShowWorst(worst.place));
    settle(&mut studio);
    let transport = studio.transport();
    assert!(transport.clip == Some(worst.place) && !studio.is_playing(), "{transport:?}");
    let text = &worst.fault.as_ref().unwrap().text;
    assert!(text.contains(&format!("at {:.2} s", transport.secs)), "{text} {}", transport.secs);
    let verdict = Some(Verdict::Rigid);
    studio.apply(Command::Edit(Edit::Treatment { region: tail_of(&studio), verdict }));
    settle(&mut studio);
    assert!(tiles(&studio).iter().all(|t| t.fault.is_none()), "other decisions, other numbers");
}

#[test]
fn the_palette_plays_every_clip_through_once() {
    let folder = common::Folder::new();
    let studio = opened(&moving_file(folder.path(), "two.glb", &["Walk_Loop", "Zigzag"]));
    let line = studio.palette("sweep", 1).remove(0);
    let PaletteAct::Studio(Command::Sweep(places)) = line.act else { panic!("{line:?}") };
    // The file's walk stands for the bundled one.
    assert_eq!(places.len(), 261, "{}", line.title);
    assert_eq!(places.len(), tiles(&studio).len());
    assert!(line.title.contains("261 clips"), "{}", line.title);
}
