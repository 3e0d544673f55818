//! What is shown of the character as a whole, where nothing else is selected.

use glam::Vec3;

use super::opening::Open;
use super::panels::{CharacterPanel, RoleRow};
use super::state::Studio;
use super::words;
use crate::math::ops;
use crate::model::{Character, Rigged, Role};

impl Studio {
    /// The character as a whole.
    pub fn character_panel(&self) -> Option<CharacterPanel> {
        let open = self.open.as_ref()?;
        let loaded = open.loaded()?;
        let is_known = |row: &RoleRow| row.is_essential || row.bone.is_some() || row.by_user;
        let roles = Role::ALL.iter().filter_map(|&role| self.role_row(role)).filter(is_known);
        let (roles, bones) = (roles.collect(), self.bones_with_names());
        let characters = open.document.source().characters.iter().enumerate();
        let characters =
            characters
                .map(|(i, c)| {
                    if c.name.is_empty() { format!("Character {}", i + 1) } else { c.name.clone() }
                })
                .collect();
        let name = if loaded.name.is_empty() {
            open.document.source().origin.clone()
        } else {
            loaded.name.clone()
        };
        let body = &open.evaluated.rigged.body;
        let stated = self.history.current().of(open.character).body;
        Some(CharacterPanel {
            name,
            faces: in_file(loaded, body.forward()),
            // A drag is ahead of the worker.
            height_m: stated.height_m().unwrap_or(body.height_m),
            stated,
            facts: facts(open, loaded),
            roles,
            bones,
            characters,
            shown: open.character as usize,
        })
    }
}

/// Name and value, ready to read.
fn facts(open: &Open, loaded: &Character) -> Vec<(&'static str, String)> {
    let rigged = &open.evaluated.rigged;
    let file = &open.document.source().file;
    let n_vertices: usize = loaded.meshes.iter().map(|m| m.n_vertices()).sum();
    let n_triangles: usize = loaded.meshes.iter().map(|m| m.triangles.len()).sum();
    let n_joints: usize = loaded.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0);
    let n_characters = open.document.source().characters.len();
    let mut facts = vec![
        ("Floor", words::length(rigged.body.floor_m)),
        ("Up", in_file(loaded, Vec3::Y)),
        ("Units of the file", format!("1 unit is {}", words::length(loaded.world_from_file.scale))),
        ("Rest pose", rest_pose(rigged, loaded)),
        ("Skeleton", words::convention(rigged.humanoid.convention).to_owned()),
        ("Bones of the largest skin", words::count(n_joints)),
        ("Vertices", words::count(n_vertices)),
        ("Triangles", words::count(n_triangles)),
        ("Clips in the file", words::count(loaded.clips.len())),
    ];
    if n_characters > 1 {
        facts.push(("Shown", format!("character {} of {n_characters}", open.character + 1)));
    }
    if let Some(scene) = file.scene() {
        facts.push(("Scene", scene));
    }
    facts.push(("Licence", file.licence().unwrap_or_else(|| "not stated".to_owned())));
    facts
}

/// `+Z of the file`: a direction of the world by the axes of the character's file.
fn in_file(loaded: &Character, world: Vec3) -> String {
    format!("{} of the file", axis(loaded.world_from_file.rotation.inverse() * world))
}

/// `+Z`, or `12° beside +Z`: the axis that a direction comes nearest to.
fn axis(direction: Vec3) -> String {
    const AXES: [(&str, Vec3); 6] = [
        ("+Z", Vec3::Z),
        ("−Z", Vec3::NEG_Z),
        ("+Y", Vec3::Y),
        ("−Y", Vec3::NEG_Y),
        ("+X", Vec3::X),
        ("−X", Vec3::NEG_X),
    ];
    let mut nearest = AXES[0];
    for other in AXES {
        if other.1.dot(direction) > nearest.1.dot(direction) {
            nearest = other;
        }
    }
    match ops::acos(direction.dot(nearest.1).clamp(-1.0, 1.0)).to_degrees() {
        d if d < 1.0 => nearest.0.to_owned(),
        d => format!("{d:.0}° beside {}", nearest.0),
    }
}

/// Where the rest pose comes from, and whether the file stands in it.
fn rest_pose(rigged: &Rigged, loaded: &Character) -> String {
    let source = match loaded.skins.iter().any(|skin| skin.has_binds) {
        true => "inverse bind matrices",
        false => return "the file's pose; it has no bind matrices".to_owned(),
    };
    match rigged.bind.residuals.len() {
        0 => format!("{source}, as the file stands"),
        1 => format!("{source}; 1 bone differs"),
        n => format!("{source}; {} bones differ", words::count(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_said_by_the_nearest_axis() {
        assert_eq!(axis(Vec3::Z), "+Z");
        assert_eq!(axis(Vec3::NEG_X), "−X");
        let turned = glam::Quat::from_rotation_y(10_f32.to_radians()) * Vec3::NEG_Z;
        assert_eq!(axis(turned), "10° beside −Z");
    }
}
