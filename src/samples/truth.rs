//! What is known about a sample because we made it.

use glam::Vec3;

use crate::model::{Character, HumanoidMap, SurfaceVertex};

/// What an appendage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TruthKind {
    /// Grows from the pelvis and should swing.
    Tail,
    /// Hangs from the shoulders.
    Cape,
    /// Goes round the hips.
    Skirt,
    /// Hangs in front of or behind the legs from a belt.
    Tabard,
    /// A narrow cloth between the legs.
    Loincloth,
    /// The loose end of a belt of cloth.
    Sash,
    /// Two long skirts of a coat, behind.
    CoatTail,
    /// Sheath or sword.
    Scabbard,
    /// For arrows, on the back.
    Quiver,
    /// On the back.
    Backpack,
    /// One of a pair on the head.
    Ear,
    /// One of a pair on the back.
    Wing,
    /// Skin between arm and flank.
    Membrane,
    /// Hangs from the arm.
    Sleeve,
    /// Hair in one strand, loose or braided.
    Ponytail,
    /// A second pair of legs with its own barrel.
    CentaurRear,
    /// A rigid thing hung from a joint without skin weights: shield, helmet.
    Prop,
}

/// One appendage.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthAppendage {
    /// What it is.
    pub kind: TruthKind,
    /// Its vertices, rising, seams included: all copies of a split vertex belong to it.
    pub vertices: Vec<SurfaceVertex>,
    /// Whether a default edit may touch it: tails, and props in shells of their own that hang from the spine.
    pub should_edit: bool,
    /// Which of its kind, from 0: three tails are 0, 1, 2; left before right.
    pub number: u32,
    /// How many chains it deserves: 2 for a forked tail, 1 for other tails, else 0.
    pub n_chains: u32,
}

/// A lock of hair that was made along a line.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthStrand {
    /// Of its spring.
    pub name: String,
    /// Its vertices, rising.
    pub vertices: Vec<SurfaceVertex>,
    /// The line it was made along, root first, metres, bind pose.
    pub line: Vec<Vec3>,
    /// Half thickness at the root, metres.
    pub radius_m: f32,
}

/// Ground truth of a sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// Every appendage; what is in none is body.
    pub appendages: Vec<TruthAppendage>,
    /// Every lock of hair.
    pub strands: Vec<TruthStrand>,
    /// The roles of its joints.
    pub roles: HumanoidMap,
}

impl Truth {
    /// The tails.
    pub fn tails(&self) -> impl Iterator<Item = &TruthAppendage> {
        self.of_kind(TruthKind::Tail)
    }

    /// Appendages of a kind.
    pub fn of_kind(&self, kind: TruthKind) -> impl Iterator<Item = &TruthAppendage> {
        self.appendages.iter().filter(move |a| a.kind == kind)
    }
}

/// A character and what is true about it.
#[derive(Clone, Debug)]
pub struct Sample {
    /// `fox`, or `family-42`.
    pub name: String,
    /// One line for people.
    pub about: String,
    /// The character.
    pub character: Character,
    /// Ground truth.
    pub truth: Truth,
}
