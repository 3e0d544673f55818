//! What VRM metadata says about a character beside its humanoid: springs, colliders, expressions. Raw values, as
//! published; how they swing under our solver is decided in `rig`.
//!
//! Based on: VRM 0.0 secondaryAnimation; VRMC_springBone 1.0 with VRMC_springBone_extended_collider 1.0.

use glam::Vec3;

use super::{Collider, InstanceIndex, NodeIndex};

/// Which version of VRM a character came in, and goes out in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VrmVersion {
    /// `VRM`.
    V0,
    /// `VRMC_vrm`.
    V1,
}

impl VrmVersion {
    /// Drag of a spring that nobody has tuned.
    pub const fn usual_drag(self) -> f32 {
        match self {
            Self::V0 => 0.4,
            Self::V1 => 0.5,
        }
    }
}

/// Raw settings of one spring joint. Their unit is the published algorithm's: metres a second, whatever the length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VrmSpringJoint {
    /// The joint that turns.
    pub node: NodeIndex,
    /// Distance kept from colliders, in the file's units.
    pub hit_radius: f32,
    /// Pull back to the initial direction.
    pub stiffness: f32,
    /// Pull along `gravity_dir`.
    pub gravity_power: f32,
    /// Unit or zero, in the file's scene.
    pub gravity_dir: Vec3,
    /// Share of the motion that is lost in each frame, 0 to 1.
    pub drag_force: f32,
}

/// A chain of spring joints.
#[derive(Clone, Debug, PartialEq)]
pub struct VrmSpring {
    /// The spring's name, the group's comment, or empty.
    pub name: String,
    /// Root to tip; each hangs below the one before, not always directly.
    pub joints: Vec<VrmSpringJoint>,
    /// Node that ends the last joint; `None` ends it 7 cm on (VRM 0).
    pub end: Option<NodeIndex>,
    /// Inertia is measured against this node.
    pub center: Option<NodeIndex>,
    /// Places in [`Vrm::groups`].
    pub groups: Vec<usize>,
    /// Which spring, or bone group of version 0, of the file it is (part of).
    pub source: u32,
}

/// Colliders that a spring names together.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderGroup {
    /// Its name, or empty.
    pub name: String,
    /// Places in [`Vrm::colliders`].
    pub colliders: Vec<usize>,
}

/// A face that can be played: weights of morph targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// `happy`, `aa`, or the author's own name.
    pub name: String,
    /// Either off or on, nothing between.
    pub is_binary: bool,
    /// What it moves.
    pub binds: Vec<MorphBind>,
}

/// One morph target of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphBind {
    /// Which mesh.
    pub instance: InstanceIndex,
    /// Which of its targets.
    pub target: u32,
    /// How much of it, 0 to 1.
    pub weight: f32,
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Vrm {
    /// Version in, version out.
    pub version: VrmVersion,
    /// Spring chains, in the order of the file; groups of version 0 are split into unbranched runs.
    pub springs: Vec<VrmSpring>,
    /// Colliders, in the order of the file.
    pub colliders: Vec<Collider>,
    /// Groups of them.
    pub groups: Vec<ColliderGroup>,
    /// Faces.
    pub expressions: Vec<Expression>,
}

/// Length of the last link of a version 0 chain, in metres.
pub const VIRTUAL_TAIL_M: f32 = 0.07;
