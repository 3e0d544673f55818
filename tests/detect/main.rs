//! Detection against ground truth: the family's, the fox's, and real characters'.
#![allow(clippy::unwrap_used, reason = "a test may stop where a file of ours cannot be read")]

mod by_hand;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/dense.rs"]
mod dense;
mod family;
mod fox;
mod invariance;
mod real;

use std::collections::BTreeSet;

use tailbone::detect::{DetectSettings, Detection, detect};
use tailbone::model::{Character, Region, SurfaceVertex, Verdict};
use tailbone::work::Work;

fn find(character: &Character) -> Detection {
    detect(character, &DetectSettings::default(), &Work::default()).unwrap()
}

fn chains(found: &Detection) -> Vec<&Region> {
    found.regions.iter().filter(|r| r.verdict == Verdict::Chain).collect()
}

/// Shares of a region that are right, and of the truth that is in it.
#[derive(Clone, Copy, Debug, Default)]
struct Match {
    precision: f32,
    recall: f32,
}

impl Match {
    fn of(found: &[SurfaceVertex], truth: &[SurfaceVertex]) -> Self {
        let set: BTreeSet<_> = truth.iter().collect();
        let shared = found.iter().filter(|v| set.contains(v)).count() as f32;
        Self {
            precision: shared / found.len().max(1) as f32,
            recall: shared / truth.len().max(1) as f32,
        }
    }

    fn f1(self) -> f32 {
        let sum = self.precision + self.recall;
        if sum > 0.0 { 2.0 * self.precision * self.recall / sum } else { 0.0 }
    }
}

#[test]
fn specks_of_skin_are_left_alone() {
    let mut n_specks = 0;
    for name in ["fox", "mouse", "knight"] {
        let found = find(&tailbone::samples::generate(name).unwrap().character);
        for region in found.regions.iter().filter(|r| r.is_speck()) {
            assert_eq!(region.verdict, Verdict::Leave, "{name}: {}", describe(region));
            n_specks += 1;
        }
    }
    assert!(n_specks > 0, "none of them has a speck");
}

/// One line that says all about a region.
fn describe(r: &Region) -> String {
    let s = &r.scores;
    format!(
        "{:?} {:?}, {} ({} vertices, reach {:.3}, length {:.3}, elongation {:.2}, length/width {:.2}, flat {:.1} and \
         {:.1}, centroid {:.2}, protrusion {:.2}, slenderness {:.1}, area {:.3}, own shell {}, pair {:?})",
        r.kind,
        r.verdict,
        r.reason,
        r.vertices.len(),
        s.reach_m,
        s.length_m,
        s.elongation,
        s.length_over_width,
        s.flatness,
        s.slice_flatness,
        s.centroid_ratio,
        s.protrusion,
        s.slenderness,
        s.area_share,
        r.is_own_shell,
        r.mirrored,
    )
}
