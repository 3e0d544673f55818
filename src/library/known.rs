//! Names of the catalogue as other editions of the library spell them.

use crate::recipes::{self, RecipeInfo};

/// Spellings that no rule below covers: theirs, ours.
const OTHERS: [(&str, &str); 2] =
    [("LiftAir_Fall_Air_Loop", "LiftAir_Fall_Loop"), ("Sword_Light_C_Rec", "SwordLight_C_Rec")];

/// The bundled clip that a name means: as it is, without what an exporter put before it (`Armature|`), with the `_RM`
/// that newer files drop, with the `_Loop` that Godot strips, without regard to case.
pub(super) fn known(name: &str) -> Option<&'static RecipeInfo> {
    let bare = name.rsplit('|').next().unwrap_or(name).trim();
    let named = |name: &str| {
        let list = recipes::list();
        list.iter()
            .find(|i| i.name == name)
            .or_else(|| list.iter().find(|i| i.name.eq_ignore_ascii_case(name)))
    };
    let other = OTHERS.iter().find(|(theirs, _)| *theirs == bare).map(|(_, ours)| *ours);
    named(bare)
        .or_else(|| named(other?))
        .or_else(|| named(&format!("{bare}_Loop")))
        .or_else(|| named(&format!("{bare}_RM")))
        .or_else(|| named(&format!("{bare}_RM_Loop")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_other_editions_are_known() {
        for (theirs, ours) in [
            ("Walk_Loop", "Walk_Loop"),
            ("Armature|Walk_Loop", "Walk_Loop"),
            ("Walk", "Walk_Loop"),
            ("Sword_Dash", "Sword_Dash_RM"),
            ("ClimbUp_1m", "ClimbUp_1m_RM"),
            ("LiftAir", "LiftAir_RM"),
            ("LiftAir_Fall_Air_Loop", "LiftAir_Fall_Loop"),
            ("Sword_Light_C_Rec", "SwordLight_C_Rec"),
            ("backflip", "BackFlip"),
        ] {
            assert_eq!(known(theirs).map(|i| i.name.as_str()), Some(ours), "{theirs}");
        }
        assert!(known("Waltz").is_none());
    }
}
