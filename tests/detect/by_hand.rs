//! Regions that a person points at, and what the studio asks of a finished detection.

use tailbone::detect::{
    DetectSettings, Detection, cut_at, level_of, mirrored, next_doubtful, region_between,
    region_from_tip, region_from_vertices,
};
use tailbone::geometry::geodesic;
use tailbone::model::{Region, RegionId, SurfaceVertex, Verdict};
use tailbone::samples::{Sample, TruthAppendage, TruthKind, family, generate};

use super::{Match, describe, find};

/// The vertex of an appendage farthest from the rest of the body along the skin, and one at its root.
fn ends(found: &Detection, of: &TruthAppendage) -> Option<(SurfaceVertex, SurfaceVertex)> {
    let topology = &found.topology;
    let own = topology.welded_vertices(&of.vertices);
    let outside = |v: &u32| {
        topology.graph.neighbors(*v).iter().copied().find(|u| own.binary_search(u).is_err())
    };
    let ring: Vec<(u32, f32)> = own.iter().filter_map(outside).map(|v| (v, 0.0)).collect();
    let g = geodesic::distances(&topology.graph, &ring);
    let finite = own.iter().copied().filter(|&v| g[v as usize].is_finite());
    let tip = finite.max_by(|&a, &b| g[a as usize].total_cmp(&g[b as usize]))?;
    let copy = |v: u32| SurfaceVertex(topology.copies(v)[0]);
    Some((copy(ring.first()?.0), copy(tip)))
}

/// Characters with one tail that is welded to the body.
fn welded() -> impl Iterator<Item = (u64, Sample, Detection, SurfaceVertex, SurfaceVertex)> {
    (0..60).filter_map(|seed| {
        let sample = family(seed);
        let tails: Vec<&TruthAppendage> = sample.truth.tails().collect();
        let [tail] = tails[..] else { return None };
        let found = find(&sample.character);
        let (root, tip) = ends(&found, tail)?;
        Some((seed, sample.clone(), found, root, tip))
    })
}

#[test]
fn a_click_on_the_tip_gives_the_whole_tail() {
    let settings = DetectSettings::default();
    let mut scores = Vec::new();
    for (seed, sample, found, _, tip) in welded().take(12) {
        let truth = &sample.truth.tails().next().unwrap().vertices;
        let region = region_from_tip(&sample.character, &found, &settings, tip);
        let f1 = region.as_ref().map_or(0.0, |r| Match::of(&r.vertices, truth).f1());
        println!("seed {seed}: {f1:.3} {}", region.as_ref().map(describe).unwrap_or_default());
        scores.push(f1);
    }
    let mean = scores.iter().sum::<f32>() / scores.len() as f32;
    assert!(mean >= 0.95, "{scores:?}");
    assert!(scores.iter().all(|&f1| f1 >= 0.8), "{scores:?}");
}

#[test]
fn a_click_on_a_shell_takes_the_shell() {
    let fox = generate("fox").unwrap();
    let found = find(&fox.character);
    let tail = &found.regions.iter().find(|r| r.verdict == Verdict::Chain).unwrap();
    let settings = DetectSettings::default();
    let picked = region_from_tip(&fox.character, &found, &settings, tail.vertices[7]).unwrap();
    assert!(picked.is_own_shell);
    assert_eq!(picked.attachment, tail.attachment);
    assert!(picked.vertices.iter().all(|v| tail.vertices.binary_search(v).is_ok()));
    let nowhere = SurfaceVertex(u32::MAX);
    assert_eq!(region_from_tip(&fox.character, &found, &settings, nowhere), None);
    assert_eq!(region_from_vertices(&fox.character, &found, &settings, &[nowhere]), None);
    assert_eq!(region_from_vertices(&fox.character, &found, &settings, &[]), None);
}

#[test]
fn root_and_tip_picked_give_the_tail_between_them() {
    let settings = DetectSettings::default();
    for (seed, sample, found, root, tip) in welded().take(8) {
        let truth = &sample.truth.tails().next().unwrap().vertices;
        let region = region_between(&sample.character, &found, &settings, root, tip).unwrap();
        let score = Match::of(&region.vertices, truth);
        // The root picked lies at one side of a slanting neck: what is past it on the other side is body.
        assert!(score.recall > 0.8 && score.precision > 0.8, "seed {seed}: {score:?}");
        assert_eq!(region_between(&sample.character, &found, &settings, tip, tip), None);
    }
}

#[test]
fn a_cut_parts_a_region_at_a_distance_from_its_root() {
    let fox = generate("fox").unwrap();
    let found = find(&fox.character);
    let tail = found.regions.iter().find(|r| r.verdict == Verdict::Chain).unwrap();
    let half = 0.5 * tail.scores.length_m;
    let [near, far] = cut_at(&found, tail, half);
    assert_eq!(near.len() + far.len(), tail.vertices.len());
    assert!(near.len() > tail.vertices.len() / 5 && far.len() > tail.vertices.len() / 5);
    assert!(near.iter().all(|&v| level_of(&found, tail, v).unwrap() < half));
    assert!(far.iter().all(|&v| level_of(&found, tail, v).unwrap() >= half));
    assert_eq!(level_of(&found, tail, SurfaceVertex(u32::MAX)), None);
    assert!(cut_at(&found, tail, f32::INFINITY)[1].is_empty());
}

#[test]
fn a_selection_in_the_mirror_is_the_other_side_and_twice_it_is_itself() {
    let (_, sample) = (0..60)
        .map(|seed| (seed, family(seed)))
        .find(|(_, s)| s.truth.of_kind(TruthKind::Ear).count() == 2)
        .unwrap();
    let found = find(&sample.character);
    let ears: Vec<&TruthAppendage> = sample.truth.of_kind(TruthKind::Ear).collect();
    let other = mirrored(&found, &ears[0].vertices);
    assert!(Match::of(&other, &ears[1].vertices).f1() > 0.9);
    let back = mirrored(&found, &other);
    assert!(Match::of(&back, &ears[0].vertices).f1() > 0.9);
    assert!(mirrored(&found, &[]).is_empty());
}

#[test]
fn doubtful_regions_come_one_after_another_the_most_doubtful_first() {
    let found = find(&family(27).character);
    let margin = |id: RegionId| found.regions[id.index()].scores.margin;
    let mut seen: Vec<RegionId> = Vec::new();
    let mut at = None;
    for _ in &found.regions {
        let next = next_doubtful(&found, at).unwrap();
        assert!(seen.last().is_none_or(|&last| margin(last) <= margin(next)));
        seen.push(next);
        at = Some(next);
    }
    assert_eq!(next_doubtful(&found, at), Some(seen[0]), "round again");
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), found.regions.len());
    assert_eq!(next_doubtful(&Detection::default(), None), None);
}

#[test]
fn every_verdict_shows_its_tests_and_which_is_nearest() {
    for seed in 0..12 {
        for region in find(&family(seed).character).regions {
            let what = describe(&region);
            assert!(!region.tests.is_empty(), "{what}");
            for test in &region.tests {
                assert_eq!(test.passes, test.margin > 0.0 || (test.passes && test.margin == 0.0));
                assert!((-1.0..=1.0).contains(&test.margin), "{what}");
            }
            let is_edited = region.verdict != Verdict::Leave;
            let failed: Vec<_> = region.tests.iter().filter(|t| !t.passes).collect();
            assert!(!is_edited || failed.is_empty(), "{what}");
            if let (true, Some(nearest)) = (is_edited, region.nearest_test()) {
                assert_eq!(region.scores.margin, nearest.margin, "{what}");
            }
            // A verdict that a number decided names the test it failed.
            if let Some(test) = region.tests.iter().find(|t| t.code == region.reason.code) {
                assert!(!test.passes && test.value == region.reason.value, "{what}");
                assert_eq!(-test.margin, region.scores.margin);
            }
        }
    }
}

/// What the studio shows for a region made by hand must be what detection shows for the same skin.
#[test]
fn the_same_skin_chosen_by_hand_is_judged_alike() {
    let fox = generate("fox").unwrap();
    let found = find(&fox.character);
    let tail: &Region = found.regions.iter().find(|r| r.verdict == Verdict::Chain).unwrap();
    let settings = DetectSettings::default();
    let again = region_from_vertices(&fox.character, &found, &settings, &tail.vertices).unwrap();
    assert_eq!((again.kind, again.verdict), (tail.kind, tail.verdict));
    assert_eq!(again.attachment, tail.attachment);
    assert!((again.scores.length_m / tail.scores.length_m - 1.0).abs() < 0.05);
    assert_eq!(again.id.index(), found.regions.len());
}
