//! Which chains are stepped together: eight to a kernel where there are enough of one kind, else up to four.

use fearless_simd::{Level, Simd, f32x4, f32x8};

use super::batch::{Batch, LaneBatch};
use super::hair_batch::HairBatch;
use super::lanes::{Lanes, MOST_LANES, WithLanes, with_lanes};
use super::springs::SpringChain;

/// A few chains of one kind, numbers of `all`, that hang from nothing among themselves.
struct Group<'a> {
    chains: Vec<usize>,
    is_hair: bool,
    all: &'a [SpringChain],
}

impl WithLanes for Group<'_> {
    type Output = Box<dyn Batch>;

    fn with<S: Simd>(self, proof: S) -> Box<dyn Batch> {
        let Self { chains, is_hair, all } = self;
        match (chains.len() > <f32x4<S> as Lanes>::WIDTH, is_hair) {
            (false, false) => Box::new(LaneBatch::<f32x4<S>>::new(proof, chains, all)),
            (false, true) => Box::new(HairBatch::<f32x4<S>>::new(proof, chains, all)),
            (true, false) => Box::new(LaneBatch::<f32x8<S>>::new(proof, chains, all)),
            (true, true) => Box::new(HairBatch::<f32x8<S>>::new(proof, chains, all)),
        }
    }
}

/// Batches of all chains, those first that others hang from.
pub(super) struct Packed {
    pub batches: Vec<Box<dyn Batch>>,
    /// `[chains]`: batch and lane.
    pub places: Vec<(usize, usize)>,
}

/// Packs `chains` for a processor that has what `level` says.
pub(super) fn pack(level: Level, chains: &[SpringChain]) -> Packed {
    let mut places = vec![(0, 0); chains.len()];
    let mut batches = Vec::new();
    for tier in levels(chains) {
        let is_hair = |c: &usize| chains.get(*c).is_some_and(|c| c.hair.is_some());
        let (hair, tails): (Vec<usize>, Vec<usize>) = tier.into_iter().partition(is_hair);
        for (kind, is_hair) in [(tails, false), (hair, true)] {
            for group in kind.chunks(MOST_LANES) {
                for (lane, &c) in group.iter().enumerate() {
                    if let Some(place) = places.get_mut(c) {
                        *place = (batches.len(), lane);
                    }
                }
                let group = Group { chains: group.to_vec(), is_hair, all: chains };
                batches.push(with_lanes(level, group));
            }
        }
    }
    Packed { batches, places }
}

/// Chains by how many other chains they hang from, so that a fork is stepped after what carries it.
fn levels(chains: &[SpringChain]) -> Vec<Vec<usize>> {
    let mut depth: Vec<usize> = Vec::with_capacity(chains.len());
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for (c, chain) in chains.iter().enumerate() {
        let own = chain.fork.and_then(|f| depth.get(f.chain)).map_or(0, |d| d + 1);
        depth.push(own);
        if levels.len() <= own {
            levels.resize(own + 1, Vec::new());
        }
        if let Some(level) = levels.get_mut(own) {
            level.push(c);
        }
    }
    levels
}
