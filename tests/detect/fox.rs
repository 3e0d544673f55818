//! The sample fox, made as the article describes its own.

use tailbone::model::{RegionKind, Role, SurfaceVertex};
use tailbone::samples::generate;

use super::dense::denser;
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

#[test]
fn a_fox_of_ten_times_the_vertices_has_the_same_tail() {
    let sample = generate("fox").unwrap();
    let character = denser(&sample.character, 4);
    let found = find(&character);
    let tails = chains(&found);
    assert_eq!(tails.len(), 1, "{:?}", found.regions.iter().map(describe).collect::<Vec<_>>());
    // Vertices of the fox keep their numbers in their mesh.
    let (old, new) = (sample.character.surface_offsets(), character.surface_offsets());
    assert!(new.last() > old.last().map(|n| n * 10).as_ref());
    let in_the_fox = |v: &SurfaceVertex| {
        let instance = new.partition_point(|first| *first <= v.0) - 1;
        let local = v.0 - new[instance];
        (local < old[instance + 1] - old[instance]).then(|| SurfaceVertex(old[instance] + local))
    };
    let tail: Vec<_> = tails[0].vertices.iter().filter_map(in_the_fox).collect();
    let truth: Vec<_> = sample.truth.tails().flat_map(|t| t.vertices.iter().copied()).collect();
    let score = Match::of(&tail, &truth);
    assert!(score.recall >= 0.98 && score.precision >= 0.99, "{score:?}");
}
