//! Capsules of legs and torso: for chains that ask for those of the legs, and to measure what goes into the body.

use glam::Vec3;

use crate::math::{closest, stats};
use crate::model::{NodeIndex, Rigged, Role};

/// A bone of a leg, or of the torso, as a capsule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegBone {
    /// Joint at its upper end.
    pub from: NodeIndex,
    /// Joint at its lower end.
    pub to: NodeIndex,
    /// Metres in the neutral pose.
    pub radius_m: f32,
}

/// The bones of both legs that the humanoid map knows. The radius is the median distance of the bone's own skin.
///
/// Cost: O(influences).
pub fn leg_bones(rigged: &Rigged) -> Vec<LegBone> {
    bones_of(
        rigged,
        &[
            (Role::LeftUpperLeg, Role::LeftLowerLeg),
            (Role::LeftLowerLeg, Role::LeftFoot),
            (Role::RightUpperLeg, Role::RightLowerLeg),
            (Role::RightLowerLeg, Role::RightFoot),
        ],
    )
}

/// The bones from hips to neck that the humanoid map knows, in the same way.
///
/// Cost: O(influences).
pub fn torso_bones(rigged: &Rigged) -> Vec<LegBone> {
    let spine = [Role::Hips, Role::Spine, Role::Chest, Role::UpperChest, Role::Neck];
    let known: Vec<Role> =
        spine.into_iter().filter(|&role| rigged.humanoid.node(role).is_some()).collect();
    let pairs: Vec<(Role, Role)> = known.windows(2).map(|pair| (pair[0], pair[1])).collect();
    bones_of(rigged, &pairs)
}

fn bones_of(rigged: &Rigged, pairs: &[(Role, Role)]) -> Vec<LegBone> {
    let node = |role| rigged.humanoid.node(role);
    let mut bones: Vec<LegBone> = pairs
        .iter()
        .filter_map(|&(a, b)| Some(LegBone { from: node(a)?, to: node(b)?, radius_m: 0.0 }))
        .collect();
    if bones.is_empty() {
        return bones;
    }
    let mut distances = vec![Vec::new(); bones.len()];
    let character = &rigged.character;
    for (index, instance) in character.instances() {
        let (Some(mesh), Some(skin)) = (character.mesh_of(instance), character.skin_of(instance))
        else {
            continue;
        };
        let Some(influences) = &mesh.influences else { continue };
        let matrix = rigged.bind.bind_from_instance(character, index);
        for (v, &position) in mesh.positions.iter().enumerate() {
            let strongest = influences.strongest(v).and_then(|(j, _)| skin.joints.get(j.index()));
            let Some(i) = bones.iter().position(|b| Some(&b.from) == strongest) else { continue };
            let (Some(bone), Some(list)) = (bones.get(i), distances.get_mut(i)) else { continue };
            let (a, b) = (rigged.bind.position(bone.from), rigged.bind.position(bone.to));
            let p: Vec3 = matrix.transform_point3(position);
            // Ends belong to the hip, knee and ankle, which are no capsule.
            if (0.15..=0.85).contains(&closest::parameter_on_segment(p, a, b)) {
                list.push(closest::distance_to_segment(p, a, b));
            }
        }
    }
    for (bone, list) in bones.iter_mut().zip(&mut distances) {
        let thin = 0.03 * rigged.body.height_m;
        bone.radius_m = if list.is_empty() { thin } else { stats::median(list) };
    }
    bones
}
