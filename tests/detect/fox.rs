//! The sample fox, made as the article describes its own.

use tailbone::model::{RegionKind, Role};
use tailbone::samples::generate;

use super::{Match, chains, describe, find};

#[test]
fn the_fox_has_one_tail_and_all_of_it_is_found() {
    let sample = generate("fox").unwrap();
    let found = find(&sample.character);
    let chains = chains(&found);
    assert_eq!(chains.len(), 1, "{:?}", found.regions.iter().map(describe).collect::<Vec<_>>());
    let tail = chains[0];
    let truth: Vec<_> = sample.truth.tails().flat_map(|t| t.vertices.iter().copied()).collect();
    let score = Match::of(&tail.vertices, &truth);
    println!(
        "fox: precision {:.4}, recall {:.4}, {}",
        score.precision,
        score.recall,
        describe(tail)
    );
    assert_eq!(tail.kind, RegionKind::Tail);
    assert_eq!(Some(tail.attachment), found.humanoid.node(Role::Hips));
    assert!(score.recall >= 0.98, "{score:?}");
    assert!(score.precision >= 0.99, "{score:?}");
    assert!((2.2..=3.2).contains(&tail.scores.elongation), "{}", describe(tail));
}
