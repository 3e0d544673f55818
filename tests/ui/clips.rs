//! Clips made of others, from the menus of their tiles.

use egui_kittest::kittest::Queryable;

use super::{common, opened, press};

#[test]
fn the_menu_of_a_tile_makes_a_clip_of_it_and_takes_it_away() {
    let folder = common::Folder::new();
    let mut harness = opened(&folder);
    harness.get_by_label("Clip Walk").click_secondary();
    harness.run_steps(3);
    harness.get_by_label("Mirror left and right").click();
    harness.run_steps(2);
    press(&mut harness, "Make a clip");
    harness.run_steps(3);
    let clips = harness.state().studio.transport().clips;
    assert_eq!(clips[..2], ["Walk", "Walk edited"]);
    assert!(harness.query_by_label("Make a clip").is_none(), "the menu is closed");
    harness.get_by_label("Clip Walk edited").click_secondary();
    harness.run_steps(3);
    press(&mut harness, "Remove");
    let clips = harness.state().studio.transport().clips;
    assert!(clips.iter().all(|title| title != "Walk edited"), "{clips:?}");
}
