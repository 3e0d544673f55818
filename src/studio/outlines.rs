//! Which lines round drawn materials are in sight. Those of hair can be switched off alone: round many strands they are
//! soon more line than hair.

use std::collections::BTreeSet;

use super::command::Overlay;
use super::state::Studio;
use crate::model::{InstanceIndex, MeshInstance, NodeIndex, Rigged};

/// Parts of names that hair goes by. They decide nothing but what is drawn.
const HAIR: [&str; 5] = ["hair", "bangs", "fringe", "ponytail", "髪"];

/// The instances that are drawn without their outlines, where those of skin and those of hair are shown or not.
///
/// Cost: O(influences) where hair goes by itself.
pub(super) fn without_outline(
    rigged: &Rigged,
    [shows_any, shows_hair]: [bool; 2],
) -> BTreeSet<InstanceIndex> {
    if shows_any && shows_hair {
        return BTreeSet::new();
    }
    let strands = rigged.chains.iter().filter(|c| c.hair.is_some());
    let joints: BTreeSet<NodeIndex> = strands.flat_map(|c| c.joints.iter().copied()).collect();
    let instances = rigged.character.instances();
    let is_bare = |(_, i): &(InstanceIndex, &MeshInstance)| {
        has_outline(rigged, i) && (!shows_any || is_hair(rigged, &joints, i))
    };
    instances.filter(is_bare).map(|(index, _)| index).collect()
}

fn has_outline(rigged: &Rigged, instance: &MeshInstance) -> bool {
    let character = &rigged.character;
    character.mesh_of(instance).is_some_and(|m| character.material_of(m).outline().is_some())
}

/// Whether a mesh is hair: by its name, its node's or its material's, or because most of it hangs on strands.
fn is_hair(rigged: &Rigged, joints: &BTreeSet<NodeIndex>, instance: &MeshInstance) -> bool {
    let character = &rigged.character;
    let Some(mesh) = character.mesh_of(instance) else { return false };
    let material = character.material_of(mesh).name;
    let names = [mesh.name.as_str(), character.skeleton.name(instance.node), &material];
    let is_named = |name: &str| {
        let name = name.to_lowercase().replace("chair", "");
        HAIR.iter().any(|part| name.contains(part))
    };
    if names.into_iter().any(is_named) {
        return true;
    }
    if joints.is_empty() {
        return false;
    }
    let hangs = |vertex: &usize| {
        let mut share = 0.0;
        character.for_each_influence(instance, *vertex, |node, weight| {
            share += if joints.contains(&node) { weight } else { 0.0 };
        });
        share >= 0.5
    };
    2 * (0..mesh.n_vertices()).filter(hangs).count() > mesh.n_vertices()
}

impl Studio {
    /// Which outlines are to be seen: any, those of hair.
    pub(super) fn outlines_shown(&self) -> [bool; 2] {
        [Overlay::Outlines, Overlay::HairOutlines].map(|overlay| self.shows(overlay))
    }

    /// Brings what is shown up to which outlines are to be seen.
    pub(super) fn rebuild_outlines(&mut self) {
        let shown = self.outlines_shown();
        if let Some(playback) = &self.playback {
            self.scene.without_outline = without_outline(playback.rigged(), shown);
        }
        if let Some(view) = &mut self.exported {
            view.show_outlines(shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Work;

    #[test]
    fn hair_loses_its_outline_alone_or_all_skin_does() {
        let bytes = crate::samples::glb(&crate::samples::generate("layered").unwrap());
        let loaded = crate::io::read_bytes(bytes, "layered", None, &Work::default()).unwrap();
        let character = loaded.characters.into_iter().next().unwrap();
        let rigged = Rigged { character, ..Rigged::default() };
        let names = |shown: [bool; 2]| -> BTreeSet<String> {
            let bare = without_outline(&rigged, shown);
            let instance = |i: InstanceIndex| rigged.character.instance(i).unwrap();
            let mesh = |i| rigged.character.mesh_of(instance(i)).unwrap().name.clone();
            bare.into_iter().map(mesh).collect()
        };
        assert!(names([true; 2]).is_empty());
        assert_eq!(
            names([true, false]),
            ["Fringe", "HairCap", "LongHair"].map(String::from).into()
        );
        let all = names([false; 2]);
        assert!(all.contains("Shirt") && all.contains("LongHair"), "{all:?}");
        assert_eq!(names([false, true]), all, "there is no hair's line without lines");
    }
}
