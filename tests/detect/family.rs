//! The parametric family: every kind of tail, and all that is none.

use rayon::prelude::*;
use tailbone::model::{ReasonCode, Region, Verdict};
use tailbone::samples::{Sample, family};

use super::{Match, chains, describe, find};

/// What went wrong on one character, and how well its tails were found.
#[derive(Default)]
struct Outcome {
    about: String,
    tails: Vec<Match>,
    faults: Vec<String>,
    has_wrong_edit: bool,
}

/// A tail counts as found when a chain's region is mostly it and has most of it.
const FOUND_F1: f32 = 0.5;

fn judge(sample: &Sample) -> Outcome {
    let found = find(&sample.character);
    let mut outcome = Outcome { about: sample.about.clone(), ..Outcome::default() };
    for tail in sample.truth.tails() {
        let score = |r: &Region| Match::of(&r.vertices, &tail.vertices);
        let best = chains(&found)
            .into_iter()
            .map(score)
            .max_by(|a, b| a.f1().total_cmp(&b.f1()))
            .unwrap_or_default();
        if best.f1() < FOUND_F1 {
            let nearest =
                found.regions.iter().max_by(|a, b| score(a).f1().total_cmp(&score(b).f1()));
            let nearest = nearest.map(describe).unwrap_or_default();
            outcome.faults.push(format!("tail {} missed: {nearest}", tail.number));
        }
        outcome.tails.push(best);
    }
    for region in found.regions.iter().filter(|r| r.verdict != Verdict::Leave) {
        let may = sample.truth.appendages.iter().filter(|a| a.should_edit);
        let right: f32 = may.map(|a| Match::of(&region.vertices, &a.vertices).precision).sum();
        if right < 0.5 {
            outcome.has_wrong_edit = true;
            outcome.faults.push(format!("wrong edit: {}", describe(region)));
        }
    }
    outcome
}

/// 60 seeds; 1,000 with TAILBONE_FULL; those of TAILBONE_SEEDS, as `10000..11000` or `29,429`, where it is given.
fn seeds() -> Vec<u64> {
    let number = |text: &str| text.trim().parse::<u64>().unwrap();
    match std::env::var("TAILBONE_SEEDS") {
        Ok(text) => match text.split_once("..") {
            Some((from, to)) => (number(from)..number(to)).collect(),
            None => text.split(',').map(number).collect(),
        },
        Err(_) if std::env::var_os("TAILBONE_FULL").is_some() => (0..1000).collect(),
        Err(_) => (0..60).collect(),
    }
}

#[test]
fn tails_of_the_family_are_found_and_nothing_else_is_edited() {
    let seeds = seeds();
    let outcomes: Vec<Outcome> = seeds.par_iter().map(|&seed| judge(&family(seed))).collect();
    let n = seeds.len();
    let (mut tails, mut n_wrong) = (Vec::new(), 0);
    for (seed, outcome) in seeds.iter().zip(outcomes) {
        n_wrong += usize::from(outcome.has_wrong_edit);
        tails.extend(outcome.tails);
        if !outcome.faults.is_empty() {
            println!("seed {seed}: {}\n    {}", outcome.about, outcome.faults.join("\n    "));
        }
    }
    let n_found = tails.iter().filter(|t| t.f1() >= FOUND_F1).count();
    let found = n_found as f32 / tails.len() as f32;
    let f1 = tails.iter().map(|t| t.f1()).sum::<f32>() / tails.len() as f32;
    let right = 1.0 - n_wrong as f32 / n as f32;
    println!(
        "{n} characters: {n_found} of {} tails found, nothing wrong edited on {:.2} %, mean F1 {f1:.4}",
        tails.len(),
        right * 100.0
    );
    assert!(found >= 0.99, "share of tails found: {found}");
    assert!(right >= 0.995, "share of characters without a wrong edit: {right}");
    assert!(f1 >= 0.95, "mean F1 by vertex: {f1}");
}

#[test]
fn a_tails_reason_names_the_number_that_passes() {
    let said = (0..60_u64).into_par_iter().flat_map_iter(|seed| {
        let found = find(&family(seed).character);
        chains(&found).into_iter().map(|r| (seed, r.reason, r.scores)).collect::<Vec<_>>()
    });
    let said: Vec<_> = said.collect();
    for (seed, reason, scores) in &said {
        match reason.code {
            ReasonCode::CurledTail => {
                assert_eq!(reason.value, scores.length_over_width, "seed {seed}");
                assert!(scores.elongation < 1.8 && reason.value >= reason.mark, "seed {seed}");
            }
            ReasonCode::Tail if scores.elongation >= 1.8 => {
                assert_eq!((reason.value, reason.mark), (scores.elongation, 1.8), "seed {seed}");
            }
            _ => assert!(reason.value >= reason.mark, "seed {seed}: {reason}"),
        }
    }
    let n_curled = said.iter().filter(|said| said.1.code == ReasonCode::CurledTail).count();
    assert!(n_curled > 0 && n_curled < said.len(), "{n_curled} of {}", said.len());
}
