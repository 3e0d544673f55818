//! Which bones share the skin of a region that is spread, and by how much; a click shows the weights of one of them.

use std::collections::BTreeMap;

use super::command::Changes;
use super::shade::Shade;
use super::state::Studio;
use crate::model::{NodeIndex, Region, Rigged};

/// Share from which a bone is listed: less is not seen.
const LEAST: f64 = 0.005;

/// A bone that shares the skin of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareRow {
    /// Which.
    pub node: NodeIndex,
    /// Its name.
    pub name: String,
    /// Mean of its weights over the region, 0 to 1.
    pub share: f32,
    /// Whether its weights colour the skin.
    pub is_shown: bool,
}

/// Mean weights of all bones over a region, the largest first. Cost: O(influences of the region).
fn shares(rigged: &Rigged, region: &Region) -> Vec<(NodeIndex, f64)> {
    let character = &rigged.character;
    let mut sums: BTreeMap<NodeIndex, f64> = BTreeMap::new();
    for &vertex in &region.vertices {
        let Some((index, local)) = character.locate(vertex) else { continue };
        let Some(instance) = character.instance(index) else { continue };
        character.for_each_influence(instance, local, |node, weight| {
            *sums.entry(node).or_default() += f64::from(weight);
        });
    }
    let n = region.vertices.len().max(1) as f64;
    let mut shares: Vec<(NodeIndex, f64)> =
        sums.into_iter().map(|(node, sum)| (node, sum / n)).filter(|s| s.1 >= LEAST).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares
}

impl Studio {
    /// The bones that share a region.
    pub(super) fn share_rows(&self, rigged: &Rigged, region: &Region) -> Vec<ShareRow> {
        let row = |(node, share): (NodeIndex, f64)| ShareRow {
            node,
            name: rigged.character.skeleton.name(node).to_owned(),
            share: share as f32,
            is_shown: self.shade == Shade::Weights && self.weights_of == Some(node),
        };
        shares(rigged, region).into_iter().map(row).collect()
    }

    /// Colours the skin by the weights of a bone, whatever is selected; asked for again, skin is lit again.
    pub(super) fn show_weights(&mut self, node: NodeIndex) -> Changes {
        let is_there =
            |e: &crate::document::Evaluated| node.index() < e.rigged.character.skeleton.len();
        if !self.evaluated().is_some_and(is_there) {
            return Changes::NONE;
        }
        let is_shown = self.shade == Shade::Weights && self.weights_of == Some(node);
        self.weights_of = (!is_shown).then_some(node);
        self.shade = if is_shown { Shade::Lit } else { Shade::Weights };
        self.rebuild_paint();
        Changes::SELECTION.and(Changes::SCENE)
    }
}
