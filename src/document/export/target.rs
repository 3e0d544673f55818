//! The programs that files are exported for, and what each plainly will and will not take.

use serde::{Deserialize, Serialize};

use crate::rig::JointAxes;

/// A program that reads our files.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Any glTF 2.0 reader: three.js, Babylon, viewers.
    #[default]
    Gltf,
    /// Blender's own importer.
    Blender,
    /// Unity, with a glTF package.
    Unity,
    /// Unreal Engine 5, Interchange.
    Unreal,
    /// Godot 4.
    Godot,
}

/// One thing that a program does, or does not do, with our files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetNote {
    /// Whether it is taken over.
    pub is_taken: bool,
    /// In one sentence.
    pub text: &'static str,
}

const fn takes(text: &'static str) -> TargetNote {
    TargetNote { is_taken: true, text }
}

const fn leaves(text: &'static str) -> TargetNote {
    TargetNote { is_taken: false, text }
}

impl Target {
    /// All of them, in the order of the screen.
    pub const ALL: [Self; 5] = [Self::Gltf, Self::Blender, Self::Unity, Self::Unreal, Self::Godot];

    /// Its name, as on a button.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gltf => "glTF",
            Self::Blender => "Blender",
            Self::Unity => "Unity",
            Self::Unreal => "Unreal Engine",
            Self::Godot => "Godot",
        }
    }

    /// Axes of new joints that its users expect.
    pub const fn axes(self) -> JointAxes {
        match self {
            Self::Blender => JointAxes::Along,
            Self::Unreal => JointAxes::XAlong,
            Self::Gltf | Self::Unity | Self::Godot => JointAxes::Parent,
        }
    }

    /// Most influences of a vertex that it takes without being asked to take more.
    pub const fn influences(self) -> u32 {
        match self {
            Self::Gltf | Self::Unity | Self::Godot => 4,
            Self::Blender | Self::Unreal => 8,
        }
    }

    /// Names of clips that make it loop what loops.
    pub const fn clip_pattern(self) -> &'static str {
        match self {
            Self::Godot => "{clip}{loop}",
            Self::Gltf | Self::Blender | Self::Unity | Self::Unreal => "{clip}",
        }
    }

    /// What it will and will not take.
    pub const fn notes(self) -> &'static [TargetNote] {
        match self {
            Self::Gltf => GLTF,
            Self::Blender => BLENDER,
            Self::Unity => UNITY,
            Self::Unreal => UNREAL,
            Self::Godot => GODOT,
        }
    }
}

const GLTF: &[TargetNote] = &[
    takes("Skin, morph targets, materials, extras and every clip, as glTF 2.0 has them."),
    takes("Four influences a vertex everywhere; eight where a reader knows JOINTS_1."),
    leaves("glTF does not say which clips loop: the program that plays them decides."),
    leaves("Springs themselves: the motion is in the keys."),
];

const BLENDER: &[TargetNote] = &[
    takes("Every clip as an action, and the rig with all influences."),
    takes("Joints whose +Y points along the tail, so that bones are drawn as you expect."),
    leaves("Tail ends: glTF has joints, not bones, so Blender guesses the last bone's length."),
    leaves("Which clips loop: set a cycle modifier, or repeat the strip."),
];

const UNITY: &[TargetNote] = &[
    takes("Mesh, skin, morph targets and clips, by a glTF package (glTFast or UnityGLTF)."),
    leaves(
        "A humanoid avatar: Unity's glTF importers have none to configure, so clips play on this rig as Generic or Legacy and cannot be retargeted by Mecanim.",
    ),
    leaves("More than four influences, unless Quality > Skin Weights says Unlimited."),
    leaves("Which clips loop: tick Loop Time on each clip."),
];

const UNREAL: &[TargetNote] = &[
    takes(
        "Skeletal mesh, skeleton, morph targets and one animation sequence for each clip, by Interchange; metres become centimetres.",
    ),
    takes("Eight influences a vertex, and joints whose +X points along the tail."),
    leaves(
        "Several topmost joints: a skeleton has one root. Root motion needs the travel on that root: choose Root.",
    ),
    leaves("Which clips loop: the player or the blend space decides."),
];

const GODOT: &[TargetNote] = &[
    takes("Everything, as a scene with a Skeleton3D and an AnimationPlayer."),
    takes("Loops, where a clip's name ends in -loop: the name pattern does that for you."),
    leaves("More than four influences, unless the mesh is imported with eight."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_says_what_it_takes_and_what_it_does_not() {
        for target in Target::ALL {
            let notes = target.notes();
            for is_taken in [true, false] {
                assert!(notes.iter().any(|n| n.is_taken == is_taken), "{target:?}");
            }
            assert!(notes.iter().all(|n| n.text.ends_with('.')), "{target:?}");
            assert!(matches!(target.influences(), 4 | 8));
            assert!(target.clip_pattern().contains("{clip}"));
        }
        let unity: Vec<_> = Target::Unity.notes().iter().map(|n| n.text).collect();
        assert!(unity.concat().contains("humanoid avatar"));
    }
}
