//! Floor 1: the nouns. A character, its skeleton, meshes, skins and clips; what detection finds; what rigging makes.
//!
//! May use floor 0. Architecture invariant: nothing here reads a file or runs an algorithm beyond keeping its own
//! data consistent (parents before children, indices in range, weights that sum).
//!
//! Spaces: *local* is relative to the parent node; *world* is metres, right-handed, +Y up, the character facing +Z.
//! [`Character::world_from_file`] is the one step between the file's scene and the world; local transforms are never
//! rewritten. *Bind space* is the world of the neutral pose ([`BindPose`]).

mod baked;
mod bind;
mod body;
mod chain;
mod character;
mod clip;
mod collider;
mod constraint;
mod hair;
mod humanoid;
mod ids;
mod marks;
mod material;
mod mesh;
mod pose;
mod region;
mod report;
mod retarget_pose;
mod rigged;
mod skeleton;
mod skin;
mod spring;
mod toon;
mod vrm;
mod vrm_rule;

pub use baked::BakedClip;
pub use bind::{BindPose, BindResidual};
pub use body::{BodyMeasures, Facing, StatedBody};
pub use chain::{Chain, ChainOrigin, Tip};
pub use character::{Character, MeshInstance};
pub use clip::{Clip, ClipIndex, Interpolation, Track, TrackValues};
pub use collider::{Collider, ColliderIndex, ColliderOrigin, ColliderShape, ColliderState};
pub use constraint::{ConstraintKind, NodeConstraint};
pub use hair::{ContactTests, HairLink, HairSettings, HairSolver, RawLink, Strand};
pub use humanoid::{HumanoidMap, NamingConvention, Role};
pub use ids::{
    InstanceIndex, JointIndex, MeshIndex, NodeIndex, RegionId, SkinIndex, SurfaceVertex,
};
pub use marks::{BakedTrack, Marks};
pub use material::{AlphaMode, Finish, Image, Material, TextureUse, Wrap};
pub use mesh::{Mesh, MeshSource, MorphTarget};
pub use pose::{Pose, WorldPose};
pub use region::{Reason, ReasonCode, Region, RegionKind, RegionScores, Test, Verdict};
pub use report::{Finding, FindingCode, Report, Severity};
pub use retarget_pose::{BodySide, PoseBase, RetargetPose, RetargetPoses};
pub use rigged::{RigChanges, Rigged};
pub use skeleton::{Node, Skeleton, SkeletonError};
pub use skin::{Influences, Skin};
pub use spring::{Curve, SettingsError, SpringSettings};
pub use toon::{
    Matcap, Outline, OutlineWidth, Rim, ShadingEffect, ShadingPicture, Toon, WidthMask,
};
pub use vrm::{
    ColliderGroup, Expression, MorphBind, VIRTUAL_TAIL_M, Vrm, VrmSpring, VrmSpringJoint,
    VrmVersion,
};
pub use vrm_rule::VrmFit;
