//! Names that the user gives: to regions, to chains and joints of our own, to colliders. Those of joints go into the
//! file; bones that the file has keep theirs.

use std::collections::{BTreeMap, BTreeSet};

use super::command::{Changes, Edit, Named, Selection};
use super::evaluation::treatment_mut;
use super::notices::NoticeKind;
use super::opening::Open;
use super::panels::region_names;
use super::state::Studio;
use crate::detect::Detection;
use crate::document::{CharacterEdits, HairEdits, TreatmentEdit};
use crate::model::{Chain, ChainOrigin, Character};
use crate::rig::ChainName;

/// Longest name, letters.
const LONGEST: usize = 63;

impl Studio {
    /// What something that can be renamed is called; `None` for what keeps its name.
    pub fn name_of(&self, selection: Selection) -> Option<String> {
        let open = self.open.as_ref()?;
        let rigged = &open.evaluated.rigged;
        match selection {
            Selection::Region(id) => {
                let regions = &open.evaluated.detection.regions;
                let place = regions.iter().position(|r| r.id == id)?;
                self.named_regions(open).get(place).cloned()
            }
            Selection::Chain(_) => self.named(open, selection).map(|(_, was)| was),
            Selection::Joint(node) if self.named(open, selection).is_some() => {
                Some(rigged.character.skeleton.name(node).to_owned())
            }
            Selection::Collider(index) => {
                rigged.colliders.get(index.index()).map(|c| c.name.clone())
            }
            Selection::Joint(_) | Selection::Mesh(_) | Selection::None => None,
        }
    }

    /// What something is, in words: `Bone Tail_3`.
    pub fn said(&self, selection: Selection) -> Option<String> {
        let open = self.open.as_ref()?;
        let rigged = &open.evaluated.rigged;
        Some(match selection {
            Selection::None => return None,
            Selection::Region(_) => format!("Region {}", self.name_of(selection)?),
            Selection::Chain(index) => format!("Chain {}", rigged.chains.get(index)?.name),
            Selection::Joint(node) => {
                let node = rigged.character.skeleton.nodes().get(node.index())?;
                format!("Bone {}", node.name)
            }
            Selection::Mesh(index) => {
                let instance = rigged.character.instance(index)?;
                let mesh = rigged.character.mesh_of(instance)?;
                let node = rigged.character.skeleton.name(instance.node);
                format!("Mesh {}", if mesh.name.is_empty() { node } else { &mesh.name })
            }
            Selection::Collider(index) => {
                format!("Collider {}", rigged.colliders.get(index.index())?.name)
            }
        })
    }

    /// Calls something by another name.
    pub(super) fn rename(&mut self, selection: Selection, name: &str) -> Changes {
        if let Some(changes) = self.wait_for_rig() {
            return changes;
        }
        let Some(open) = &self.open else { return Changes::NONE };
        let name: String = name.trim().chars().filter(|c| !c.is_control()).take(LONGEST).collect();
        if self.name_of(selection).is_some_and(|was| was == name) {
            return Changes::NONE;
        }
        if let Selection::Collider(index) = selection {
            return self.rename_collider(index, &name);
        }
        let Some((what, was)) = self.named(open, selection) else {
            let text =
                "Only regions, chains, colliders and bones that Tailbone made can be renamed";
            return self.notice(NoticeKind::Info, text);
        };
        if is_in_file(open, what, &name) {
            return self.notice(NoticeKind::Warning, format!("There is a bone {name} already"));
        }
        let name = Some(name).filter(|name| !name.is_empty());
        self.edit_as("rename", &Edit::Rename { what, was, name })
    }

    /// What a selection is for a name, and what a chain is called; `None` for what keeps its name.
    fn named(&self, open: &Open, selection: Selection) -> Option<(Named, String)> {
        let chains = &open.evaluated.rigged.chains;
        match selection {
            Selection::Region(id) => {
                let regions = &open.evaluated.detection.regions;
                regions.iter().any(|r| r.id == id).then(|| (Named::Region(id), String::new()))
            }
            Selection::Chain(index) => {
                let chain = chains.get(index)?;
                Some((named_chain(chains, index, None)?, chain.name.clone()))
            }
            Selection::Joint(node) => chains.iter().enumerate().find_map(|(index, chain)| {
                let joint = chain.nodes().position(|n| n == node)?;
                let named = named_chain(chains, index, Some(joint as u32))?;
                Some((named, chain.name.clone()))
            }),
            Selection::Collider(_) | Selection::Mesh(_) | Selection::None => None,
        }
    }

    /// Names of all regions, in their order: the user's, else the kind's.
    pub(super) fn named_regions(&self, open: &Open) -> Vec<String> {
        let detection = &open.evaluated.detection;
        let mut names = region_names(&detection.regions);
        let edits = self.history.current().of(open.character);
        let about = open.about(edits);
        // Of several decisions about one region the first counts.
        for (edit, region) in edits.regions.iter().zip(about).rev() {
            let Some(own) = &edit.treatment.name else { continue };
            let place = detection.regions.iter().position(|r| Some(r.id) == region);
            if let Some(name) = place.and_then(|place| names.get_mut(place)) {
                name.clone_from(own);
            }
        }
        names
    }
}

/// Whether another node has the name that a joint is to have.
fn is_in_file(open: &Open, what: Named, name: &str) -> bool {
    let is_joint =
        matches!(what, Named::Grown { joint: Some(_), .. } | Named::Strand { joint: Some(_), .. });
    let nodes = open.evaluated.rigged.character.skeleton.nodes();
    is_joint && !name.is_empty() && nodes.iter().any(|node| node.name == name)
}

/// A chain of our own; `None` for one of the file, which is called after its bones.
fn named_chain(chains: &[Chain], index: usize, joint: Option<u32>) -> Option<Named> {
    let origin = chains.get(index)?.origin;
    match origin {
        ChainOrigin::Grown(region) => {
            let before = chains.iter().take(index).filter(|c| c.origin == origin).count();
            Some(Named::Grown { region, chain: before as u32, joint })
        }
        ChainOrigin::Strand(strand) => Some(Named::Strand { strand, joint }),
        ChainOrigin::Existing => None,
    }
}

/// Decisions that name a chain go on with it.
fn carry(hair: &mut HairEdits, was: &str, name: &str) {
    fn moved<T>(map: &mut BTreeMap<String, T>, was: &str, name: &str) {
        if let Some(value) = map.remove(was) {
            map.insert(name.to_owned(), value);
        }
    }
    fn moved_in(set: &mut BTreeSet<String>, was: &str, name: &str) {
        if set.remove(was) {
            set.insert(name.to_owned());
        }
    }
    moved(&mut hair.chains, was, name);
    moved(&mut hair.vrm_fits, was, name);
    moved_in(&mut hair.skirts, was, name);
}

fn put(names: &mut ChainName, joint: Option<u32>, name: Option<&str>) {
    match (joint, name) {
        (None, name) => names.name = name.map(str::to_owned),
        (Some(joint), Some(name)) => {
            names.joints.insert(joint, name.to_owned());
        }
        (Some(joint), None) => {
            names.joints.remove(&joint);
        }
    }
}

/// The decisions after a region, a chain of it or a joint of one has been renamed; `None` where it is not there.
pub(super) fn with_region_name(
    mut after: CharacterEdits,
    what: Named,
    (was, name): (&str, Option<&str>),
    (character, detection): (&Character, &Detection),
) -> Option<CharacterEdits> {
    let (Named::Region(region) | Named::Grown { region, .. }) = what else { return None };
    let treatment = treatment_mut(&mut after, region, character, detection)?;
    if let Named::Grown { chain, joint, .. } = what {
        put(treatment.chains.entry(chain).or_default(), joint, name);
        treatment.chains.retain(|_, names| !names.is_empty());
        if let (None, Some(name)) = (joint, name) {
            carry(&mut after.hair, was, name);
        }
    } else {
        treatment.name = name.map(str::to_owned);
    }
    after.regions.retain(|r| r.treatment != TreatmentEdit::default());
    Some(after)
}

/// The same for the chain of a picked strand.
pub(super) fn with_strand_name(
    mut after: CharacterEdits,
    (strand, joint): (u32, Option<u32>),
    was: &str,
    name: Option<&str>,
) -> Option<CharacterEdits> {
    put(&mut after.hair.strands.get_mut(strand as usize)?.names, joint, name);
    if let (None, Some(name)) = (joint, name) {
        carry(&mut after.hair, was, name);
    }
    Some(after)
}
