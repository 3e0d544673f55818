//! How joints are called, by convention.

use super::{Finger, JointKey, Side};
use crate::model::NamingConvention;

/// A way of naming joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// `mixamorig:LeftUpLeg`.
    Mixamo,
    /// `LeftUpLeg`.
    MixamoBare,
    /// `thigh_l`.
    Unreal,
    /// `DEF-thigh.L`.
    Rigify,
    /// VRoid's `J_Bip_L_UpperLeg`; a character with these names states its roles, as a VRM does.
    Vroid,
    /// `left_upper_leg`.
    Plain,
    /// `Bip01 L Thigh`.
    Biped,
    /// `bone_017`: says nothing.
    Numbered,
}

impl Naming {
    /// All of them.
    pub(crate) const ALL: [Self; 8] = [
        Self::Mixamo,
        Self::MixamoBare,
        Self::Unreal,
        Self::Rigify,
        Self::Vroid,
        Self::Plain,
        Self::Biped,
        Self::Numbered,
    ];

    /// What detection should call it.
    pub(crate) fn convention(self) -> NamingConvention {
        match self {
            Self::Mixamo | Self::MixamoBare => NamingConvention::Mixamo,
            Self::Unreal => NamingConvention::Unreal,
            Self::Rigify => NamingConvention::Rigify,
            Self::Vroid => NamingConvention::Vrm,
            Self::Plain => NamingConvention::Plain,
            Self::Biped => NamingConvention::Biped,
            Self::Numbered => NamingConvention::Geometry,
        }
    }

    /// Name of joint number `index`.
    pub(crate) fn name(self, key: JointKey, index: usize) -> String {
        if let JointKey::Tail(i) = key {
            return format!("Tail_{}", i + 1);
        }
        match self {
            Self::Mixamo => format!("mixamorig:{}", mixamo(key)),
            Self::MixamoBare => mixamo(key),
            Self::Unreal => unreal(key),
            Self::Rigify => rigify(key),
            Self::Vroid => vroid(key),
            Self::Plain => plain(key),
            Self::Biped => biped(key),
            Self::Numbered => format!("bone_{index:03}"),
        }
    }
}

fn pick(list: &[&str], i: u8) -> String {
    list.get(usize::from(i)).copied().unwrap_or("End").to_string()
}

fn long_side(side: Side) -> &'static str {
    match side {
        Side::Left => "Left",
        Side::Right => "Right",
    }
}

fn letter(side: Side) -> &'static str {
    match side {
        Side::Left => "L",
        Side::Right => "R",
    }
}

fn small_letter(side: Side) -> &'static str {
    match side {
        Side::Left => "l",
        Side::Right => "r",
    }
}

fn finger_word(finger: Finger, little: &'static str) -> &'static str {
    match finger {
        Finger::Thumb => "Thumb",
        Finger::Index => "Index",
        Finger::Middle => "Middle",
        Finger::Ring => "Ring",
        Finger::Little => little,
    }
}

fn mixamo(key: JointKey) -> String {
    match key {
        JointKey::Root | JointKey::Tail(_) => "Root".into(),
        JointKey::Axial(i) => {
            pick(&["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head", "HeadTop_End"], i)
        }
        JointKey::Arm(s, i) => {
            long_side(s).to_string() + &pick(&["Shoulder", "Arm", "ForeArm", "Hand"], i)
        }
        JointKey::Leg(s, i) => {
            long_side(s).to_string() + &pick(&["UpLeg", "Leg", "Foot", "ToeBase", "Toe_End"], i)
        }
        JointKey::Finger(s, f, i) => {
            format!("{}Hand{}{}", long_side(s), finger_word(f, "Pinky"), i + 1)
        }
    }
}

fn unreal(key: JointKey) -> String {
    match key {
        JointKey::Root | JointKey::Tail(_) => "root".into(),
        JointKey::Axial(i) => {
            pick(&["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head", "head_leaf"], i)
        }
        JointKey::Arm(s, i) => {
            pick(&["clavicle", "upperarm", "lowerarm", "hand"], i) + "_" + small_letter(s)
        }
        JointKey::Leg(s, i) => {
            pick(&["thigh", "calf", "foot", "ball", "ball_leaf"], i) + "_" + small_letter(s)
        }
        JointKey::Finger(s, f, i) => {
            let leaf = if i == 3 { "_leaf" } else { "" };
            let word = finger_word(f, "Pinky").to_lowercase();
            format!("{word}_{:02}{leaf}_{}", i + 1, small_letter(s))
        }
    }
}

fn rigify(key: JointKey) -> String {
    match key {
        JointKey::Root | JointKey::Tail(_) => "root".into(),
        JointKey::Axial(i) => {
            let list = ["hips", "spine.001", "spine.002", "spine.003", "neck", "head", "head_end"];
            format!("DEF-{}", pick(&list, i))
        }
        JointKey::Arm(s, i) => {
            format!("DEF-{}.{}", pick(&["shoulder", "upper_arm", "forearm", "hand"], i), letter(s))
        }
        JointKey::Leg(s, i) => {
            format!("DEF-{}.{}", pick(&["thigh", "shin", "foot", "toe", "toe_end"], i), letter(s))
        }
        JointKey::Finger(s, f, i) => {
            let stem = match f {
                Finger::Thumb => "thumb".to_string(),
                _ => format!("f_{}", finger_word(f, "Pinky").to_lowercase()),
            };
            format!("DEF-{stem}.{:02}.{}", i + 1, letter(s))
        }
    }
}

fn vroid(key: JointKey) -> String {
    match key {
        JointKey::Root | JointKey::Tail(_) => "Root".into(),
        JointKey::Axial(i) => {
            let list = ["Hips", "Spine", "Chest", "UpperChest", "Neck", "Head", "Head_end"];
            format!("J_Bip_C_{}", pick(&list, i))
        }
        JointKey::Arm(s, i) => {
            let word = pick(&["Shoulder", "UpperArm", "LowerArm", "Hand"], i);
            format!("J_Bip_{}_{word}", letter(s))
        }
        JointKey::Leg(s, i) => {
            let word = pick(&["UpperLeg", "LowerLeg", "Foot", "ToeBase", "ToeBase_end"], i);
            format!("J_Bip_{}_{word}", letter(s))
        }
        JointKey::Finger(s, f, i) => {
            let end = if i == 3 { "3_end".to_string() } else { (i + 1).to_string() };
            format!("J_Bip_{}_{}{end}", letter(s), finger_word(f, "Little"))
        }
    }
}

fn plain(key: JointKey) -> String {
    let side = |s: Side| long_side(s).to_lowercase();
    match key {
        JointKey::Root | JointKey::Tail(_) => "root".into(),
        JointKey::Axial(i) => {
            pick(&["hips", "spine", "chest", "upper_chest", "neck", "head", "head_end"], i)
        }
        JointKey::Arm(s, i) => {
            format!("{}_{}", side(s), pick(&["shoulder", "upper_arm", "lower_arm", "hand"], i))
        }
        JointKey::Leg(s, i) => {
            let list = ["upper_leg", "lower_leg", "foot", "toes", "toes_end"];
            format!("{}_{}", side(s), pick(&list, i))
        }
        JointKey::Finger(s, f, i) => {
            format!("{}_{}_{}", side(s), finger_word(f, "Little").to_lowercase(), i + 1)
        }
    }
}

fn biped(key: JointKey) -> String {
    let name = match key {
        JointKey::Root | JointKey::Tail(_) => return "Bip01".into(),
        JointKey::Axial(i) => {
            pick(&["Pelvis", "Spine", "Spine1", "Spine2", "Neck", "Head", "HeadNub"], i)
        }
        JointKey::Arm(s, i) => {
            format!("{} {}", letter(s), pick(&["Clavicle", "UpperArm", "Forearm", "Hand"], i))
        }
        JointKey::Leg(s, i) => {
            format!("{} {}", letter(s), pick(&["Thigh", "Calf", "Foot", "Toe0", "Toe0Nub"], i))
        }
        JointKey::Finger(s, f, i) => {
            let n = f as u8;
            let tail = match i {
                0 => String::new(),
                3 => "Nub".into(),
                _ => i.to_string(),
            };
            format!("{} Finger{n}{tail}", letter(s))
        }
    };
    format!("Bip01 {name}")
}

#[cfg(test)]
mod tests {
    use super::super::Proportions;
    use super::*;

    #[test]
    fn no_convention_names_two_joints_alike() {
        let p = Proportions { has_fingers: true, has_root: true, ..Proportions::default() };
        for naming in Naming::ALL {
            let mut names: Vec<_> =
                p.figure().joints.iter().enumerate().map(|(i, j)| naming.name(j.key, i)).collect();
            let n = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), n, "{naming:?}");
        }
    }
}
