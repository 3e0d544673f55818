//! What the name of a joint says: which side, which part of the body.
//!
//! A name is cut into words (`mixamorig:LeftUpLeg` → left, up, leg; `DEF-upper_arm.L.001` → upper, arm, L), the side
//! and the words that only decorate are taken off, and what is left is looked up.

use crate::model::NamingConvention;

/// Left or right, as a name says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

/// A finger, thumb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finger {
    Thumb,
    Index,
    Middle,
    Ring,
    Little,
}

/// A part of the body, as exactly as a name alone can say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Hips,
    Spine,
    Neck,
    Head,
    Jaw,
    Eye,
    Shoulder,
    UpperArm,
    /// `Arm`: the upper arm, or the lower one below an upper arm.
    Arm,
    LowerArm,
    Wrist,
    Hand,
    UpperLeg,
    /// `Leg`: the lower leg below a thigh, else the thigh.
    Leg,
    LowerLeg,
    Ankle,
    Foot,
    Toes,
    Finger(Finger),
}

/// What a joint's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub part: Part,
    pub side: Option<Side>,
}

/// Words that mark helpers: no joint that has one plays a role.
const HELPERS: &[&str] = &[
    "ik", "fk", "pole", "ctrl", "control", "target", "roll", "twist", "end", "tip", "leaf", "nub",
    "slot", "socket", "helper", "mch", "orient", "tracker", "lookat", "weapon", "attach", "tail",
    "wing", "hair", "ear", "skirt", "cape", "feather", "heel", "metarig", "prop", "holster",
    "pouch", "ribbon", "palm", "breast", "cloth",
];

/// Words that only decorate.
const DECORATION: &[&str] = &[
    "mixamorig",
    "def",
    "org",
    "bip",
    "biped",
    "bip01",
    "valvebiped",
    "bn",
    "b",
    "j",
    "c",
    "jnt",
    "joint",
    "bone",
    "sk",
    "armature",
    "rig",
    "skeleton",
    "f",
    "bind",
    "bnd",
    "jt",
    "character",
    "cc",
    "base",
    "m",
];

const PARTS: &[(Part, &[&str])] = &[
    (Part::Hips, &["hips", "hip", "pelvis", "cog"]),
    (
        Part::Spine,
        &[
            "spine",
            "chest",
            "upperchest",
            "lowerchest",
            "torso",
            "waist",
            "abdomen",
            "abdomenlower",
            "abdomenupper",
            "tummy",
            "ribcage",
            "ribs",
            "thorax",
            "back",
            "body",
        ],
    ),
    (Part::Neck, &["neck", "necklower", "neckupper"]),
    (Part::Head, &["head"]),
    (Part::Jaw, &["jaw", "lowerjaw"]),
    (Part::Eye, &["eye", "eyeball"]),
    (
        Part::Shoulder,
        &["shoulder", "clavicle", "collar", "collarbone", "frontlegshoulder", "scapula"],
    ),
    (
        Part::UpperArm,
        &[
            "upperarm",
            "uparm",
            "armupper",
            "shldr",
            "frontlegupper",
            "armup",
            "bicep",
            "frontupleg",
            "shldrbend",
        ],
    ),
    (Part::Arm, &["arm", "frontleg", "foreleg"]),
    (
        Part::LowerArm,
        &["lowerarm", "forearm", "armlower", "elbow", "frontleglower", "lowarm", "forearmbend"],
    ),
    (Part::Wrist, &["wrist", "frontlegankle"]),
    (Part::Hand, &["hand", "frontlegfoot", "frontpaw", "frontfoot"]),
    (
        Part::UpperLeg,
        &[
            "upperleg",
            "upleg",
            "thigh",
            "legupper",
            "backlegupper",
            "hindlegupper",
            "legup",
            "thighbend",
            "femur",
        ],
    ),
    (Part::Leg, &["leg", "backleg", "hindleg", "rearleg"]),
    (
        Part::LowerLeg,
        &[
            "lowerleg",
            "lowleg",
            "shin",
            "calf",
            "knee",
            "leglower",
            "backleglower",
            "hindleglower",
            "legdown",
        ],
    ),
    (Part::Ankle, &["ankle", "backlegankle", "ankleleg"]),
    (Part::Foot, &["foot", "backpaw", "hindpaw"]),
    (Part::Toes, &["toes", "toe", "toebase", "ball", "backlegfoot", "bigtoe"]),
    (Part::Finger(Finger::Thumb), &["thumb"]),
    (Part::Finger(Finger::Index), &["index", "indexfinger", "fingerindex"]),
    (Part::Finger(Finger::Middle), &["middle", "mid", "middlefinger", "fingermiddle"]),
    (Part::Finger(Finger::Ring), &["ring", "ringfinger", "fingerring"]),
    (
        Part::Finger(Finger::Little),
        &["pinky", "little", "pinkie", "littlefinger", "fingerpinky", "fingerlittle"],
    ),
];

/// Words that say how far along a finger a joint is; its place in the chain says it better.
const FINGER_STEPS: &[&str] = &["proximal", "intermediate", "distal", "metacarpal", "carpal"];

/// The words of a name in lower case; digits are words of their own.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut last = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|n| n.is_lowercase());
        let starts = c.is_numeric() != last.is_numeric()
            || c.is_uppercase() && (last.is_lowercase() || last.is_uppercase() && next_is_lower);
        if (starts || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn side_of(word: &str) -> Option<Side> {
    match word {
        "l" | "left" | "lft" => Some(Side::Left),
        "r" | "right" | "rgt" => Some(Side::Right),
        _ => None,
    }
}

fn look_up(words: &[&str]) -> Option<Part> {
    let key = words.concat();
    PARTS.iter().find(|(_, keys)| keys.contains(&key.as_str())).map(|&(part, _)| part)
}

/// What `name` says, if it names a part of a body.
pub(super) fn read(name: &str) -> Option<Reading> {
    let words = words(name);
    if words.iter().any(|w| HELPERS.contains(&w.as_str())) {
        return None;
    }
    let side = words.iter().find_map(|w| side_of(w));
    let kept: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|w| {
            side_of(w).is_none()
                && !DECORATION.contains(w)
                && !FINGER_STEPS.contains(w)
                && !w.starts_with(|c: char| c.is_numeric())
        })
        .collect();
    let part = biped_finger(&words).or_else(|| {
        // A name of the character may stand before the part: `Knight_Hips`, `LeftHandThumb`.
        (0..kept.len()).find_map(|skip| look_up(&kept[skip..]))
    })?;
    // SMPL and others call the thigh a hip and the upper arm a shoulder; a sided hip is no pelvis.
    let part = if part == Part::Hips && side.is_some() { Part::UpperLeg } else { part };
    Some(Reading { part, side })
}

/// `Bip01 L Finger12`: the first digit counts fingers from the thumb.
fn biped_finger(words: &[String]) -> Option<Part> {
    let at = words.iter().position(|w| w == "finger")?;
    let digits = words.get(at + 1)?;
    let finger = match digits.chars().next()? {
        '0' => Finger::Thumb,
        '1' => Finger::Index,
        '2' => Finger::Middle,
        '3' => Finger::Ring,
        '4' => Finger::Little,
        _ => return None,
    };
    Some(Part::Finger(finger))
}

/// The convention that most names follow.
pub(super) fn convention<'a>(names: impl Iterator<Item = &'a str>) -> NamingConvention {
    use NamingConvention as C;
    let mut counts = [(C::Mixamo, 0), (C::Unreal, 0), (C::Rigify, 0), (C::Biped, 0), (C::Plain, 0)];
    for name in names {
        let found = if name.starts_with("DEF-") || name.starts_with("ORG-") {
            C::Rigify
        } else if name.contains("Bip0") || name.starts_with("Bip ") || name.starts_with("bip_") {
            C::Biped
        } else if name.contains("mixamorig")
            || ["LeftUpLeg", "RightUpLeg", "LeftForeArm", "RightForeArm"]
                .iter()
                .any(|w| name.ends_with(w))
        {
            C::Mixamo
        } else if ["thigh_l", "thigh_r", "calf_l", "calf_r", "clavicle_l", "upperarm_r", "spine_01"]
            .contains(&name)
        {
            C::Unreal
        } else {
            C::Plain
        };
        if let Some(count) = counts.iter_mut().find(|(c, _)| *c == found) {
            // One name that shows a convention outweighs any number that could be anyone's.
            count.1 += if found == C::Plain { 0 } else { 1 };
        }
    }
    let best = counts.iter().max_by_key(|(_, n)| *n).copied();
    best.filter(|&(_, n)| n > 0).map_or(C::Plain, |(c, _)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        assert_eq!(words("mixamorig:LeftUpLeg"), ["mixamorig", "left", "up", "leg"]);
        assert_eq!(words("DEF-upper_arm.L.001"), ["def", "upper", "arm", "l", "001"]);
        assert_eq!(words("Bip01 L Thigh"), ["bip", "01", "l", "thigh"]);
        assert_eq!(words("IKFoot"), ["ik", "foot"]);
    }

    #[test]
    fn every_convention_is_read() {
        use Part as P;
        use Side::{Left, Right};
        let cases = [
            ("mixamorig:LeftUpLeg", P::UpperLeg, Some(Left)),
            ("mixamorig5:RightLeg", P::Leg, Some(Right)),
            ("mixamorigHips", P::Hips, None),
            ("LeftToeBase", P::Toes, Some(Left)),
            ("thigh_l", P::UpperLeg, Some(Left)),
            ("spine_03", P::Spine, None),
            ("ball_r", P::Toes, Some(Right)),
            ("DEF-shin.R", P::LowerLeg, Some(Right)),
            ("DEF-f_index.01.L", P::Finger(Finger::Index), Some(Left)),
            ("ORG-spine.003", P::Spine, None),
            ("Bip01 L UpperArm", P::UpperArm, Some(Left)),
            ("Bip01 R Finger11", P::Finger(Finger::Index), Some(Right)),
            ("ValveBiped.Bip01_R_Clavicle", P::Shoulder, Some(Right)),
            ("J_Bip_L_LowerLeg", P::LowerLeg, Some(Left)),
            ("l-forearm", P::LowerArm, Some(Left)),
            ("upperleg.l", P::UpperLeg, Some(Left)),
            ("pelvis_Armature", P::Hips, None),
            ("b_RightForeArm_07", P::LowerArm, Some(Right)),
            ("L_Hip", P::UpperLeg, Some(Left)),
            ("lShldrBend", P::UpperArm, Some(Left)),
            ("Back_Leg_Lower_R", P::LowerLeg, Some(Right)),
            ("Front_Leg_Shoulder_L", P::Shoulder, Some(Left)),
            ("LeftHandThumb2", P::Finger(Finger::Thumb), Some(Left)),
            ("thumb_intermediate.R", P::Finger(Finger::Thumb), Some(Right)),
            ("Hero_Head", P::Head, None),
        ];
        for (name, part, side) in cases {
            assert_eq!(read(name), Some(Reading { part, side }), "{name}");
        }
        for name in [
            "kneeIK.l",
            "control-foot-roll.l",
            "Tail_Base",
            "head_leaf",
            "handslot.l",
            "Bone.012",
            "Ear_L",
        ] {
            assert_eq!(read(name), None, "{name}");
        }
    }

    #[test]
    fn the_convention_is_the_one_that_shows() {
        let of = |names: &[&str]| convention(names.iter().copied());
        assert_eq!(of(&["mixamorig:Hips", "mixamorig:LeftLeg"]), NamingConvention::Mixamo);
        assert_eq!(of(&["Hips", "LeftUpLeg"]), NamingConvention::Mixamo);
        assert_eq!(of(&["pelvis", "thigh_l"]), NamingConvention::Unreal);
        assert_eq!(of(&["DEF-hips", "root"]), NamingConvention::Rigify);
        assert_eq!(of(&["Bip01 Pelvis"]), NamingConvention::Biped);
        assert_eq!(of(&["hips", "upperleg.l"]), NamingConvention::Plain);
    }
}
