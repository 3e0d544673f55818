//! Picked skin as decisions, and back.

use super::edits::{CharacterEdits, JointRef, RegionRef};
use super::hair_edits::{HairEdits, StrandEdit};
use super::resolve::{Notice, joint};
use crate::detect::Detection;
use crate::model::{Character, Collider, ColliderOrigin, SurfaceVertex};
use crate::rig::{ColliderPlan, HairPlan, StrandPlan};

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
            notices.push(Notice::StrandNotFound { strand: self.clone() });
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
        let colliders = self
            .colliders
            .iter()
            .filter_map(|edit| {
                let node = joint(&edit.node, character, notices)?;
                let origin = match edit.replaces {
                    Some(at) => ColliderOrigin::Authored(at),
                    None => ColliderOrigin::ByHand,
                };
                let collider =
                    Collider { name: edit.name.clone(), node, shape: edit.shape, origin };
                edit.shape.is_usable().then_some(ColliderPlan { replaces: edit.replaces, collider })
            })
            .collect();
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

impl CharacterEdits {
    /// The same decisions with one more strand.
    #[must_use]
    pub fn with_strand(mut self, strand: StrandEdit) -> Self {
        self.hair.strands.push(strand);
        self
    }
}
