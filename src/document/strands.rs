//! Picked skin as decisions, and back.

use super::edits::{CharacterEdits, JointRef, RegionRef};
use super::hair_edits::{HairEdits, StrandEdit};
use super::resolve::{Notice, joint};
use crate::detect::Detection;
use crate::model::{Character, SurfaceVertex};
use crate::rig::{HairPlan, StrandPlan};

impl StrandEdit {
    /// The decision to give `vertices` joints of their own.
    pub fn of(character: &Character, detection: &Detection, vertices: &[SurfaceVertex]) -> Self {
        let mut sorted = vertices.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        Self { skin: RegionRef::of_skin(character, detection, &sorted), ..Self::default() }
    }

    /// The same, beginning at `vertex`.
    #[must_use]
    pub fn from_root(
        mut self,
        character: &Character,
        detection: &Detection,
        vertex: SurfaceVertex,
    ) -> Self {
        self.root = Some(RegionRef::of_skin(character, detection, &[vertex]));
        self
    }

    /// The strand in this character; `None` where its meshes are no longer what they were.
    pub fn plan(
        &self,
        character: &Character,
        detection: &Detection,
        notices: &mut Vec<Notice>,
    ) -> Option<StrandPlan> {
        let Some(vertices) = self.skin.skin(character, detection) else {
            notices.push(Notice::StrandNotFound { strand: Box::new(self.clone()) });
            return None;
        };
        let one = |root: &RegionRef| root.skin(character, detection)?.first().copied();
        let attachment: Option<&JointRef> = self.attachment.as_ref();
        Some(StrandPlan {
            vertices,
            root: self.root.as_ref().and_then(one),
            joints: self.joints,
            attachment: attachment.and_then(|j| joint(j, character, notices)),
            settings: self.settings,
            names: self.names.clone(),
        })
    }
}

impl HairEdits {
    /// What these decisions mean for a character. A strand that is not found keeps its place, empty, so that the others
    /// keep theirs.
    pub(super) fn plan(
        &self,
        character: &Character,
        detection: &Detection,
        notices: &mut Vec<Notice>,
    ) -> HairPlan {
        let strands = self
            .strands
            .iter()
            .map(|s| s.plan(character, detection, notices).unwrap_or_default())
            .collect();
        let colliders =
            self.colliders.iter().filter_map(|edit| edit.plan(character, notices)).collect();
        HairPlan {
            settings: self.settings,
            by_chain: self.chains.clone(),
            skirts: self.skirts.clone(),
            vrm_fits: self.vrm_fits.clone(),
            strands,
            fit_colliders: self.fit_colliders,
            colliders,
        }
    }
}

impl HairEdits {
    /// Adds a strand, in the place of those that have mostly the same skin; its place among all.
    ///
    /// What only one had is fitted anew under the names and the springs that it had.
    pub fn put_strand(&mut self, mut strand: StrandEdit) -> usize {
        let is_same: Vec<bool> =
            self.strands.iter().map(|known| known.skin.is_mostly(&strand.skin)).collect();
        let place = is_same.iter().position(|&same| same).unwrap_or(self.strands.len());
        let mut fates = is_same.iter();
        let mut gone = Vec::new();
        let mut kept = Vec::new();
        for known in self.strands.drain(..) {
            let list = if fates.next() == Some(&true) { &mut gone } else { &mut kept };
            list.push(known);
        }
        if let [only] = gone.as_slice() {
            strand.settings = strand.settings.or(only.settings);
            if strand.names.is_empty() {
                strand.names.clone_from(&only.names);
            }
        }
        kept.insert(place, strand);
        self.strands = kept;
        place
    }
}

impl CharacterEdits {
    /// The same decisions with one more strand, or with another in place of those that have mostly the same skin.
    #[must_use]
    pub fn with_strand(mut self, strand: StrandEdit) -> Self {
        self.hair.put_strand(strand);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::MeshVertices;
    use crate::document::vertex_set::encode_vertices;
    use crate::rig::ChainName;

    fn strand(vertices: std::ops::Range<u32>, joints: Option<u32>) -> StrandEdit {
        let runs = encode_vertices(&vertices.collect::<Vec<_>>());
        let of_mesh = MeshVertices { mesh: 2, primitive: 0, of: 100, runs };
        let skin = RegionRef { vertices: vec![of_mesh], ..RegionRef::default() };
        StrandEdit { skin, joints, ..StrandEdit::default() }
    }

    #[test]
    fn a_strand_takes_the_place_of_those_that_have_mostly_its_skin() {
        let mut hair = HairEdits::default();
        assert_eq!(hair.put_strand(strand(0..10, None)), 0);
        assert_eq!(hair.put_strand(strand(10..40, None)), 1);
        assert_eq!(hair.put_strand(strand(38..60, None)), 2, "a seam is no skin in common");
        let before = hair.clone();
        assert_eq!(hair.put_strand(strand(10..40, None)), 1);
        assert_eq!(hair, before, "the same again changes nothing");

        hair.strands[1].names = ChainName { name: Some("Braid".into()), ..ChainName::default() };
        assert_eq!(hair.put_strand(strand(12..40, Some(7))), 1);
        assert_eq!((hair.strands.len(), hair.strands[1].joints), (3, Some(7)));
        assert_eq!(hair.strands[1].names.name.as_deref(), Some("Braid"), "its name goes on");

        // One over two takes the place of both, and its parts that of the one.
        assert_eq!(hair.put_strand(strand(0..40, None)), 0);
        assert_eq!(hair.strands.len(), 2);
        assert_eq!(
            (hair.put_strand(strand(0..10, None)), hair.put_strand(strand(10..40, None))),
            (0, 2)
        );
        assert_eq!(hair.strands.len(), 3);
    }
}
