//! What the retargeter knows of a character.

use glam::{Affine3A, Quat, Vec3};

use crate::clips::{SupportPoint, support_points};
use crate::math::{Similarity, polar_rotation, rotation};
use crate::model::{
    BindPose, BodyMeasures, Character, HumanoidMap, NodeIndex, Pose, RetargetPose, Role, Skeleton,
    SurfaceVertex, WorldPose,
};

/// A skeleton with its neutral pose and humanoid roles: a private copy, taken before anything plays.
///
/// Nothing here is shared with what is shown, so a clip retargeted while another plays is the clip of a clean run.
#[derive(Clone, Debug)]
pub struct RetargetRig {
    /// Every node.
    pub skeleton: Skeleton,
    /// What nodes without a track hold while the rig's own clips play: the loaded pose, `[N]`.
    pub loaded: Pose,
    /// The bind pose, `[N]`.
    pub neutral: Pose,
    /// Roles of the joints.
    pub humanoid: HumanoidMap,
    /// From the file's scene to metres, +Y up.
    pub world_from_file: Similarity,
    /// Height of the floor under the body's skin in the bind pose, in metres; `None` for a rig without skin, whose feet
    /// then say where it is.
    pub floor_m: Option<f32>,
    /// Skin that may touch the floor, appendages left out; none for a rig without skin.
    pub support: Vec<SupportPoint>,
    /// The pose that rotations are measured from, as far as a hand has chosen it.
    pub pose: RetargetPose,
}

impl RetargetRig {
    /// The rig of a character. `body` as detection measured it; `None` for a file of motion alone. `counts` says which
    /// vertices are the body's: those of tails, capes and the like must stay out, or they would lift the feet.
    pub fn of(
        character: &Character,
        bind: &BindPose,
        humanoid: &HumanoidMap,
        body: Option<&BodyMeasures>,
        counts: impl Fn(SurfaceVertex) -> bool,
    ) -> Self {
        Self {
            skeleton: character.skeleton.clone(),
            loaded: Pose::loaded(&character.skeleton),
            neutral: bind.pose.clone(),
            humanoid: humanoid.clone(),
            world_from_file: character.world_from_file,
            floor_m: body.map(|b| b.floor_m),
            support: support_points(character, bind, counts),
            pose: RetargetPose::default(),
        }
    }

    /// The same rig with rotations measured from another pose.
    #[must_use]
    pub fn posed(self, pose: RetargetPose) -> Self {
        Self { pose, ..self }
    }

    /// From the file's scene to canonical axes: metres, +Y up, the line from the right to the left thigh along +X.
    ///
    /// For a character that faces +Z this is `world_from_file`; one that stands turned is turned back.
    pub(super) fn canonical_from_file(&self) -> Affine3A {
        let world_from_file = self.world_from_file.to_affine();
        let mut world = WorldPose::default();
        self.neutral.to_world(&self.skeleton, &world_from_file, &mut world);
        let at = |role| self.humanoid.node(role).map(|n| Vec3::from(world.matrix(n).translation));
        let across = |left, right| -> Option<Vec3> {
            let line: Vec3 = at(left)? - at(right)?;
            // A line that stands up says nothing about which way is left.
            (line.with_y(0.0).length() > line.y.abs()).then(|| line.with_y(0.0).normalize())
        };
        let left = across(Role::LeftUpperLeg, Role::RightUpperLeg)
            .or_else(|| across(Role::LeftUpperArm, Role::RightUpperArm));
        // The turn about +Y that brings `left` to +X: it is (c, 0, -s) for a turn by the angle of (c, s).
        let turn = left.map_or(Quat::IDENTITY, |left| {
            let half = Quat::from_xyzw(0.0, left.z, 0.0, 1.0 + left.x);
            if left.x > -0.999_999 { half.normalize() } else { Quat::from_xyzw(0.0, 1.0, 0.0, 0.0) }
        });
        debug_assert!(left.is_none_or(|left| (turn * left).abs_diff_eq(Vec3::X, 1e-4)));
        let turn = if rotation::angle(turn) < 1e-6 { Quat::IDENTITY } else { turn };
        Affine3A::from_quat(turn) * world_from_file
    }

    /// Model-space rotations of the neutral pose in canonical axes, `[N]`.
    pub(super) fn neutral_rotations(&self) -> Vec<Quat> {
        self.rotations_of(&self.neutral)
    }

    /// Model-space rotations of one of its poses in canonical axes, `[N]`.
    pub(super) fn rotations_of(&self, pose: &Pose) -> Vec<Quat> {
        let root = polar_rotation(&self.canonical_from_file());
        let mut rotations: Vec<Quat> = Vec::with_capacity(self.skeleton.len());
        for (node, local) in self.skeleton.nodes().iter().zip(&pose.locals) {
            let parent = node.parent.and_then(|p| rotations.get(p.index()).copied());
            rotations.push((parent.unwrap_or(root) * local.rotation).normalize());
        }
        rotations
    }

    /// Nodes of the roles, and their ancestors, parents first.
    pub(super) fn line_of(&self, roles: impl Iterator<Item = Role>) -> Vec<NodeIndex> {
        let mut is_needed = vec![false; self.skeleton.len()];
        for node in roles.filter_map(|role| self.humanoid.node(role)) {
            for node in std::iter::once(node).chain(self.skeleton.ancestors(node)) {
                if let Some(flag) = is_needed.get_mut(node.index()) {
                    *flag = true;
                }
            }
        }
        self.skeleton.indices().filter(|n| is_needed[n.index()]).collect()
    }
}
