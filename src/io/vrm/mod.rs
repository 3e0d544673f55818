//! VRM 0 and VRM 1: what their metadata says about the character.
//!
//! Nothing of it is rewritten: springs and colliders that rigging adds are appended (see `write`).

mod constraints;
pub(crate) mod export;
mod expressions;
pub(crate) mod humanoid;
mod places;
mod springs;
#[cfg(test)]
mod tests;
pub(crate) mod write;

use serde_json::Value;

pub use humanoid::VrmKind;

use super::gltf::json;
use crate::model::{Character, Report, Vrm, VrmVersion};
use places::Places;

/// Puts the constraints that `root` states on the nodes of `character` into it.
pub(crate) fn constrain(root: &Value, character: &mut Character, report: &mut Report) {
    character.constraints = constraints::read(root, &Places::new(&character.skeleton), report);
}

/// Puts the springs, colliders and expressions that `root` states into `character`, whose nodes and meshes have been
/// read. A file states them of one figure: of its other ones nothing is said.
pub(crate) fn attach(root: &Value, character: &mut Character, report: &mut Report) {
    let places = Places::new(&character.skeleton);
    let stated = humanoid::kind(root).filter(|(kind, _)| *kind != VrmKind::Animation);
    let spring_bone = json::extension(root, "VRMC_springBone");
    let found = match (&stated, spring_bone) {
        (Some((VrmKind::Vrm0, vrm)), None) => {
            let secondary = vrm.get("secondaryAnimation").unwrap_or(&Value::Null);
            springs::read_v0(secondary, &places, report)
        }
        (_, Some(spring_bone)) => springs::read_v1(spring_bone, &places, report),
        (_, None) => springs::Springs::default(),
    };
    let version = match stated {
        Some((VrmKind::Vrm0, _)) => VrmVersion::V0,
        Some(_) => VrmVersion::V1,
        None if spring_bone.is_some() => VrmVersion::V1,
        None => return,
    };
    let expressions =
        stated.map_or_else(Vec::new, |(kind, vrm)| expressions::read(kind, vrm, character, report));
    let springs::Springs { springs, colliders, groups } = found;
    character.vrm = Some(Vrm { version, springs, colliders, groups, expressions }.into());
}
