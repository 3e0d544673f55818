//! Findings about a file: facts for the user, each with a stable code.

use std::fmt;

use serde::Serialize;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Notice,
    /// Something was wrong and was worked around.
    Warning,
    /// A part of the file cannot be used.
    Error,
}

macro_rules! findings {
    ($($variant:ident = $code:literal, $severity:ident, $about:literal;)+) => {
        /// What a finding is about; the codes are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingCode {
            $(#[doc = $about] $variant),+
        }

        impl FindingCode {
            /// Every code there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable code.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),+ }
            }

            /// What it is about, in one line.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about),+ }
            }
        }
    };
}

findings! {
    BindsMissing = "BINDS_MISSING", Notice, "A skin has no inverse bind matrices; identity is used.";
    BindUnusable = "BIND_UNUSABLE", Warning, "A joint's inverse bind matrix is singular or not finite.";
    BindPoseDiffers = "BIND_POSE_DIFFERS", Notice, "The file was saved in another pose than the bind pose.";
    SkinBindsDisagree = "SKIN_BINDS_DISAGREE", Notice, "Two skins bind a shared joint differently; both are kept.";
    SkinNoCommonRoot = "SKIN_NO_COMMON_ROOT", Warning, "The joints of a skin have no common ancestor.";
    JointOutsideScene = "JOINT_OUTSIDE_SCENE", Warning, "A joint is not part of the scene that is shown.";
    WeightsDoNotSum = "WEIGHTS_DO_NOT_SUM", Warning, "Weights of some vertices do not sum to one.";
    WeightsAllZero = "WEIGHTS_ALL_ZERO", Warning, "Some vertices have no weight at all.";
    WeightsNegative = "WEIGHTS_NEGATIVE", Warning, "Some weights are negative or not finite.";
    WeightsDuplicateJoint = "WEIGHTS_DUPLICATE_JOINT", Warning, "Some vertices name one joint twice.";
    JointIndexOutOfRange = "JOINT_INDEX_OUT_OF_RANGE", Warning, "Some vertices name a joint that the skin does not have.";
    PositionNotFinite = "POSITION_NOT_FINITE", Warning, "Some positions are not finite; they stand at the origin.";
    PrimitiveSkipped = "PRIMITIVE_SKIPPED", Warning, "A primitive cannot be read; it is kept in the file but not shown.";
    IndexOutOfRange = "INDEX_OUT_OF_RANGE", Warning, "A triangle names a vertex that does not exist; it is left out.";
    ScaleMirrored = "SCALE_MIRRORED", Warning, "A joint has a negative scale.";
    ScaleNonUniform = "SCALE_NON_UNIFORM", Warning, "A joint has a different scale on each axis.";
    NodeTransformUnusable = "NODE_TRANSFORM_UNUSABLE", Warning, "A node's transform is not finite or has a rotation of no length.";
    NodeSeveralParents = "NODE_SEVERAL_PARENTS", Warning, "A node hangs under several parents; the first is taken.";
    TrackSkipped = "TRACK_SKIPPED", Warning, "An animation channel cannot be used; it is kept in the file.";
    TrackTimesUnsorted = "TRACK_TIMES_UNSORTED", Warning, "Key times do not rise; the keys were sorted.";
    ClipTooLong = "CLIP_TOO_LONG", Warning, "An animation lasts longer than half an hour; what is beyond is not played.";
    ImageUnreadable = "IMAGE_UNREADABLE", Warning, "A texture is missing or cannot be read; geometry is not affected.";
    ExtensionIgnored = "EXTENSION_IGNORED", Notice, "A required extension concerns only the look and is ignored here.";
    UnitsGuessed = "UNITS_GUESSED", Notice, "The file's unit is not metres; a scale was guessed from the height.";
    AxesTurned = "AXES_TURNED", Notice, "The character is turned to face +Z with +Y up.";
    SeveralCharacters = "SEVERAL_CHARACTERS", Notice, "The file holds several characters; one is shown, all are kept.";
    NoDefaultScene = "NO_DEFAULT_SCENE", Notice, "The file names no default scene; the first is shown.";
    HumanoidIncomplete = "HUMANOID_INCOMPLETE", Warning, "Some humanoid roles were not found.";
    VrmInvalid = "VRM_INVALID", Warning, "VRM metadata names something that does not exist.";
    OwnMarks = "OWN_MARKS", Notice, "The file was made by Tailbone; its chains can be edited again.";
    OwnMarksUnusable = "OWN_MARKS_UNUSABLE", Warning, "Tailbone's marks in the file do not fit it; it is read as another's file.";
    OrphanData = "ORPHAN_DATA", Notice, "The file holds data nothing refers to.";
}

impl Serialize for FindingCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// One fact for the user.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What it is about.
    pub code: FindingCode,
    /// How much it matters.
    pub severity: Severity,
    /// What it concerns: `mesh "Hair"`, `joint "Tail_4"`.
    pub subject: String,
    /// What was found, with its numbers.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.subject, self.message, self.code.code())
    }
}

/// All findings about one file, in the order met.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Report {
    /// The findings.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Adds a finding.
    pub fn add(
        &mut self,
        code: FindingCode,
        subject: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.findings.push(Finding {
            code,
            severity: code.severity(),
            subject: subject.into(),
            message: message.into(),
        });
    }

    /// Whether something with this code was found.
    pub fn has(&self, code: FindingCode) -> bool {
        self.findings.iter().any(|f| f.code == code)
    }
}
