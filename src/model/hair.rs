//! How a strand of hair swings: settings, what the artist set for each link, what it meets.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::vrm_rule::VrmFit;
use super::{ColliderIndex, Curve, NodeIndex, SettingsError};

/// Which rule moves hair.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum HairSolver {
    /// Holds the authored arc in the frame of what the hair hangs from.
    #[default]
    Improved,
    /// Aims from the parent as it is bent now; kept to compare with.
    Earlier,
    /// The published VRM algorithm with its raw values: what other programs will show.
    VrmApp,
}

/// Which part of a link is kept out of colliders.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ContactTests {
    /// The whole link for skirts and for strands that hang in front of the chest, its end for the others.
    #[default]
    Auto,
    /// The whole link.
    Segment,
    /// Its end.
    EndPoint,
}

/// How a strand swings (spec 4.2, 8: P-HAIR).
///
/// Nothing here depends on the step, and lengths and gravity are stated for a character of 1.91 m and scale with its
/// height, so that the same settings move a doll as they move a giant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HairSettings {
    /// The rule. Default improved.
    pub solver: HairSolver,
    /// k: pull to the authored shape for unit mass, 1/s², 0 to 4000. More is stiffer. Default 200.
    pub stiffness: Curve,
    /// c: how fast motion dies down, 1/s, 0 to 100. More is calmer and trails further behind. Default 30: below it the
    /// tip whips, which stretches the skin and moves it no further.
    pub damping: Curve,
    /// m/s² downward, -20 to 20. Default 1: a hairstyle already hangs as gravity made it.
    pub gravity: f32,
    /// Distance kept from colliders, metres, 0 to 1, where the artist gave none. Default 0.015.
    pub radius_m: Curve,
    /// Whether colliders are met at all. Default on.
    pub contacts: bool,
    /// Which part of a link is kept out. Default by where the strand hangs.
    pub tests: ContactTests,
    /// How fast the bends of neighbouring joints even out, per second, 0 to 100. Default 4: a lag is spread along the
    /// strand.
    pub coupling_rate: f32,
    /// Largest bend of one joint beyond the authored arc, radians, 0 to 180°. Default 10°: skin of radius r that a joint
    /// turns within a length l is stretched by r / l times the bend, so that this, and not the springs, is what bounds
    /// the stretch; the springs may then be soft.
    pub bend_limit_rad: f32,
    /// κ: pull that keeps neighbouring strands as far apart as they are modelled, 1/s², 0 to 2000. More makes one mass
    /// of them. Default 0: each for itself.
    pub neighbour_stiffness: f32,
}

impl Default for HairSettings {
    fn default() -> Self {
        Self::IMPROVED
    }
}

impl HairSettings {
    /// The improved solver. Spec 8 starts from 250 and 10. On the ponytail's head-turn test those alone stretch the skin
    /// by 12 % and 400 with 24 by 5 %, the tip lagging by 0.4 of the earlier rule's lag in both; with the bends bounded
    /// and evened out softer springs let it lag by 0.6 at 5 %.
    pub const IMPROVED: Self = Self {
        solver: HairSolver::Improved,
        stiffness: Curve::constant(200.0),
        damping: Curve::constant(30.0),
        gravity: 1.0,
        radius_m: Curve::constant(0.015),
        contacts: true,
        tests: ContactTests::Auto,
        coupling_rate: 4.0,
        bend_limit_rad: std::f32::consts::PI / 18.0,
        neighbour_stiffness: 0.0,
    };

    /// Those of the earlier one: less damped, bends free, ends only.
    pub const EARLIER: Self = Self {
        solver: HairSolver::Earlier,
        stiffness: Curve::constant(200.0),
        damping: Curve::constant(8.0),
        tests: ContactTests::EndPoint,
        coupling_rate: 0.0,
        bend_limit_rad: std::f32::consts::PI,
        ..Self::IMPROVED
    };

    /// Names of the presets, the default first.
    pub const PRESETS: [&'static str; 6] =
        ["improved", "earlier", "long", "bangs", "braid", "cloth"];

    /// The preset of that name.
    pub fn preset(name: &str) -> Option<Self> {
        let tuned = |k, c| Self {
            stiffness: Curve::constant(k),
            damping: Curve::constant(c),
            ..Self::IMPROVED
        };
        Some(match name {
            "improved" => Self::IMPROVED,
            "earlier" => Self::EARLIER,
            // Long hair hangs more than it springs, its tip most of all.
            "long" => Self {
                stiffness: Curve { root: 160.0, tip: 100.0, ease: 1.0 },
                gravity: 2.0,
                ..Self::IMPROVED
            },
            "bangs" => tuned(700.0, 30.0),
            // A braid is heavy and bends all over.
            "braid" => Self { coupling_rate: 20.0, gravity: 2.0, ..tuned(160.0, 24.0) },
            // Cloth folds where it is pushed.
            "cloth" => Self {
                tests: ContactTests::Segment,
                gravity: 3.0,
                coupling_rate: 0.0,
                bend_limit_rad: std::f32::consts::PI,
                ..tuned(160.0, 14.0)
            },
            _ => return None,
        })
    }

    /// These settings, when all are within their ranges.
    ///
    /// # Errors
    /// [`SettingsError`] names every field that is not, with its value and range.
    pub fn validated(self) -> Result<Self, SettingsError> {
        let mut faults = Vec::new();
        let mut check = |name: &str, value: f32, least: f32, most: f32| {
            // A NaN is in no range.
            if !(least..=most).contains(&value) {
                faults.push(format!("{name} is {value}, it must lie between {least} and {most}"));
            }
        };
        for (name, curve, most) in [
            ("stiffness", self.stiffness, 4000.0),
            ("damping", self.damping, 100.0),
            ("radius_m", self.radius_m, 1.0),
        ] {
            check(&format!("{name}.root"), curve.root, 0.0, most);
            check(&format!("{name}.tip"), curve.tip, 0.0, most);
            check(&format!("{name}.ease"), curve.ease, 0.1, 10.0);
        }
        check("gravity", self.gravity, -20.0, 20.0);
        check("coupling_rate", self.coupling_rate, 0.0, 100.0);
        check("bend_limit_rad", self.bend_limit_rad, 0.0, std::f32::consts::PI);
        check("neighbour_stiffness", self.neighbour_stiffness, 0.0, 2000.0);
        if faults.is_empty() { Ok(self) } else { Err(SettingsError(faults)) }
    }
}

/// What holds for one joint of a strand beside the settings of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HairLink {
    /// Times the settings' stiffness. What VRM calls stiffness, 1 by its default.
    pub stiffness: f32,
    /// Times the settings' damping. VRM's drag over its default.
    pub damping: f32,
    /// Gravity as the artist has it, world: VRM's direction times its power. As an acceleration it is the settings' k
    /// times the link's length times this, which bends the strand at rest just as far as VRM's rule does. `None` takes
    /// the settings' gravity.
    pub sag: Option<Vec3>,
    /// Distance kept from colliders, metres; `None` takes the settings'.
    pub radius_m: Option<f32>,
    /// Raw VRM values: drag, stiffness, gravity (direction times power).
    pub raw: RawLink,
    /// A node between two spring joints that no spring turns.
    pub is_rigid: bool,
}

/// Values as the published VRM algorithm takes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawLink {
    /// Metres a second towards the rest direction.
    pub stiffness: f32,
    /// Share of the motion lost in a frame.
    pub drag: f32,
    /// Metres a second, world.
    pub gravity: Vec3,
    /// Metres.
    pub hit_radius: f32,
}

impl Default for HairLink {
    fn default() -> Self {
        let raw = RawLink { stiffness: 1.0, drag: 0.5, gravity: Vec3::ZERO, hit_radius: 0.0 };
        Self { stiffness: 1.0, damping: 1.0, sag: None, radius_m: None, raw, is_rigid: false }
    }
}

/// What makes a chain hair.
#[derive(Clone, Debug, PartialEq)]
pub struct Strand {
    /// How it swings.
    pub settings: HairSettings,
    /// `[J]`, one for each joint of the chain.
    pub links: Vec<HairLink>,
    /// What it is kept out of.
    pub colliders: Vec<ColliderIndex>,
    /// Inertia is measured against this node.
    pub center: Option<NodeIndex>,
    /// Whether it hangs in front of the chest: what [`ContactTests::Auto`] goes by.
    pub is_front: bool,
    /// Whether it is part of a skirt: whole links are tested, and what passes through it is counted.
    pub is_skirt: bool,
    /// Place in [`Vrm::springs`](super::Vrm::springs) of the spring it came from.
    pub source: Option<usize>,
    /// What makes the published algorithm move most like ours, once it was looked for.
    pub vrm_fit: Option<VrmFit>,
}

impl Strand {
    /// A strand of `n` joints alike.
    pub fn uniform(settings: HairSettings, n: usize) -> Self {
        Self {
            settings,
            links: vec![HairLink::default(); n],
            colliders: Vec::new(),
            center: None,
            is_front: false,
            is_skirt: false,
            source: None,
            vrm_fit: None,
        }
    }

    /// Whether whole links are kept out of colliders, not only their ends.
    pub fn tests_segments(&self) -> bool {
        match self.settings.tests {
            _ if self.settings.solver != HairSolver::Improved => false,
            ContactTests::Auto => self.is_front || self.is_skirt,
            ContactTests::Segment => true,
            ContactTests::EndPoint => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_within_its_ranges() {
        for name in HairSettings::PRESETS {
            let preset = HairSettings::preset(name).unwrap();
            assert_eq!(preset.validated(), Ok(preset), "{name}");
        }
        assert_eq!(HairSettings::preset("improved"), Some(HairSettings::default()));
        assert!(HairSettings::preset("curly").is_none());
        let bad = HairSettings { gravity: f32::NAN, coupling_rate: -1.0, ..HairSettings::IMPROVED };
        assert_eq!(bad.validated().unwrap_err().0.len(), 2);
    }

    #[test]
    fn only_the_improved_solver_tests_whole_links() {
        let mut strand = Strand { is_front: true, ..Strand::uniform(HairSettings::IMPROVED, 3) };
        assert!(strand.tests_segments());
        let skirt = Strand { is_front: false, is_skirt: true, ..strand.clone() };
        assert!(skirt.tests_segments());
        strand.settings.tests = ContactTests::EndPoint;
        assert!(!strand.tests_segments());
        strand.settings = HairSettings::EARLIER;
        assert!(!strand.tests_segments());
    }
}
