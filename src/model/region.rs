//! What detection says about a piece of skin.

use std::fmt;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::{NodeIndex, RegionId, SurfaceVertex};

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// Elongated, hangs from the pelvis.
    Tail,
    /// Elongated, hangs from the spine: scabbard, quiver, strap.
    Worn,
    /// A short pair on the head.
    Ear,
    /// Hangs from the head.
    Hair,
    /// Flat or broad on torso or pelvis: cape, skirt.
    Garment,
    /// A mirrored pair on the upper body.
    Wing,
    /// Skin that wraps its own joints.
    Body,
    /// Anything else: on the neck, a limb, or without a role.
    Other,
}

/// What is to be done with a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Grow a chain of joints.
    Chain,
    /// Weight 1 on the joint it hangs from.
    Rigid,
    /// Smooth weights over chosen joints.
    Spread,
    /// Parallel chains hung from the collar.
    Columns,
    /// Not touched.
    Leave,
}

/// Why a verdict was reached; stable, for scripts and translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// Passes every test of a tail.
    Tail,
    /// As [`Self::Tail`], elongated along its curve only.
    CurledTail,
    /// Elongated prop on the spine in a shell of its own.
    WornShell,
    /// Elongated on the spine, but welded to the body.
    WornWelded,
    /// Fails test 1: wraps its joints, or too short.
    WrapsItsJoints,
    /// Reach below the least reach of a chain.
    TooShort,
    /// Hangs from the head.
    OnTheHead,
    /// Flat: a sheet of cloth, however long.
    Flat,
    /// Neither elongated nor slender.
    Broad,
    /// Root too far from the sagittal plane, without a mirrored partner.
    OffCentre,
    /// Root in front of the thigh heads.
    InFront,
    /// More than its share of the skin's area.
    TooLarge,
    /// A branch stands on the floor.
    StandsOnTheFloor,
    /// Hangs from, or touches, an arm, hand, leg or foot.
    OnALimb,
    /// One of a mirrored pair on the upper body.
    MirroredPair,
    /// Hangs from a joint without a role.
    NoRole,
    /// No humanoid skeleton to judge by.
    NoHumanoid,
    /// Hangs unskinned from its joint and follows it as it is.
    Skinless,
    /// The user decided.
    ByUser,
}

/// A reason with the number that decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    /// Which condition.
    pub code: ReasonCode,
    /// Measured value of the condition that decided, in its own unit.
    pub value: f32,
    /// The mark it was compared with.
    pub mark: f32,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (v, m) = (self.value, self.mark);
        match self.code {
            ReasonCode::Tail => write!(
                f,
                "long and thin ({v:.1}, at least {m:.1}) and hangs from the hips: grows a chain"
            ),
            ReasonCode::CurledTail => write!(
                f,
                "long and thin along its curve ({v:.1} times as long as wide, at least {m:.1}) and hangs from the hips: \
                 grows a chain"
            ),
            ReasonCode::WornShell => {
                write!(f, "a long prop on the spine, a shell of its own: made rigid to its joint")
            }
            ReasonCode::WornWelded => {
                write!(f, "a long prop on the spine, but welded to the body: rigid is offered")
            }
            ReasonCode::WrapsItsJoints => {
                write!(
                    f,
                    "wraps the joints that drive it (slenderness {v:.1}, a tail has at least {m:.1})"
                )
            }
            ReasonCode::TooShort => write!(f, "reaches {v:.2} m, a chain needs {m:.2} m"),
            ReasonCode::OnTheHead => {
                write!(f, "hangs from the head: ears and hair are left as they are")
            }
            ReasonCode::Flat => write!(f, "flat as cloth ({v:.1}, a tail stays below {m:.1})"),
            ReasonCode::Broad => {
                write!(f, "too broad for a tail (elongation {v:.1}, at least {m:.1})")
            }
            ReasonCode::OffCentre => write!(
                f,
                "its root is {v:.2} m beside the middle (at most {m:.2} m) and has no mirrored partner"
            ),
            ReasonCode::InFront => write!(f, "its root lies {v:.2} m in front of the thigh heads"),
            ReasonCode::TooLarge => {
                write!(f, "holds {:.0} % of the skin (at most {:.0} %)", v * 100.0, m * 100.0)
            }
            ReasonCode::StandsOnTheFloor => {
                write!(f, "one of its ends stands on the floor like a leg")
            }
            ReasonCode::OnALimb => write!(f, "hangs from a limb, or touches one"),
            ReasonCode::MirroredPair => write!(f, "one of a mirrored pair on the upper body"),
            ReasonCode::NoRole => write!(f, "hangs from a joint that is neither torso nor head"),
            ReasonCode::NoHumanoid => {
                write!(f, "no humanoid skeleton was found, so nothing says what it hangs from")
            }
            ReasonCode::Skinless => {
                write!(f, "hangs unskinned from its joint and follows it as it is")
            }
            ReasonCode::ByUser => write!(f, "decided by the user"),
        }
    }
}

/// One number of a region against its mark: a test that an edit by default needs to pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// The reason that a failure would be.
    pub code: ReasonCode,
    /// What was measured, in the unit of the reason.
    pub value: f32,
    /// What it was compared with.
    pub mark: f32,
    /// |value - mark| / mark, at most 1, negative where the test fails: the nearer to 0, the sooner it flips.
    pub margin: f32,
    /// Whether it passes.
    pub passes: bool,
}

/// The numbers behind a verdict. Lengths in metres; see spec 1.5 and 8 D2, D3, D9.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegionScores {
    /// Largest straight distance from the collar's centre to a vertex.
    pub reach_m: f32,
    /// 99th percentile of the geodesic distance from the collar.
    pub length_m: f32,
    /// Root of the ratio of the two largest eigenvalues, by area.
    pub elongation: f32,
    /// Geodesic length over the median width of slices at equal geodesic distance.
    pub length_over_width: f32,
    /// Eigenvalues of the covariance by area, largest first, in m².
    pub eigenvalues: [f32; 3],
    /// Root of λ2 / λ3 of the whole.
    pub flatness: f32,
    /// The same as the median over slices.
    pub slice_flatness: f32,
    /// Skeleton distance of the far part's centroid over its reach.
    pub centroid_ratio: f32,
    /// 95th percentile of the skeleton distance over the reach.
    pub protrusion: f32,
    /// Reach over the RMS radius of the collar ring.
    pub slenderness: f32,
    /// Share of the whole skin's area, 0 to 1.
    pub area_share: f32,
    /// How far the verdict is from flipping, 0 to 1.
    pub margin: f32,
    /// Mean weighted distance from its vertices to what drives them.
    pub joint_distance_m: f32,
}

/// A piece of skin that stands off the skeleton, accepted or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Stable for one detection.
    pub id: RegionId,
    /// What it is.
    pub kind: RegionKind,
    /// What is to be done with it.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// The joint it hangs from.
    pub attachment: NodeIndex,
    /// The completed region, sorted.
    pub vertices: Vec<SurfaceVertex>,
    /// The part of it that is far from the skeleton, sorted.
    pub far: Vec<SurfaceVertex>,
    /// The ring it hangs by, in the order found.
    pub collar: Vec<SurfaceVertex>,
    /// Centre of the collar, bind space, metres.
    pub collar_center: Vec3,
    /// Centroid by area, bind space, metres.
    pub centroid: Vec3,
    /// Eigenvectors that belong to the eigenvalues.
    pub axes: [Vec3; 3],
    /// Whether it is a connected piece of its own, not welded to the body.
    pub is_own_shell: bool,
    /// The other one of a mirrored pair.
    pub mirrored: Option<RegionId>,
    /// The numbers.
    pub scores: RegionScores,
    /// Every test it was put to, in the order in which they decide.
    pub tests: Vec<Test>,
    /// Which of the user's regions it is; `None` where detection found it.
    pub made: Option<u32>,
}

#[cfg(test)]
impl Region {
    /// A tail without skin that hangs from the first joint, for tests to change.
    pub(crate) fn bare(id: u32) -> Self {
        Self {
            id: RegionId(id),
            kind: RegionKind::Tail,
            verdict: Verdict::Chain,
            reason: Reason { code: ReasonCode::Tail, value: 0.0, mark: 0.0 },
            attachment: NodeIndex(0),
            vertices: Vec::new(),
            far: Vec::new(),
            collar: Vec::new(),
            collar_center: Vec3::ZERO,
            centroid: Vec3::ZERO,
            axes: [Vec3::X, Vec3::Y, Vec3::Z],
            is_own_shell: false,
            mirrored: None,
            scores: RegionScores::default(),
            tests: Vec::new(),
            made: None,
        }
    }
}

impl Region {
    /// Whether it is too little skin to be listed: three vertices or fewer span no space, so they have no length, no
    /// axis and no ring, and every number of theirs is a division by next to nothing. They still carry nobody's weight.
    pub fn is_speck(&self) -> bool {
        self.vertices.len() < 4
    }

    /// The test that is nearest to flipping; of equals the one that decides first.
    pub fn nearest_test(&self) -> Option<&Test> {
        self.tests.iter().min_by(|a, b| a.margin.abs().total_cmp(&b.margin.abs()))
    }
}
