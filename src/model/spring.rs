//! Settings of a spring chain, in physical units, independent of the step.

use serde::{Deserialize, Serialize};

/// A value that runs from the root of a chain to its tip.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// At the first link.
    pub root: f32,
    /// At the last link.
    pub tip: f32,
    /// Exponent of the way between them: 1 is a straight line, more stays near the root's value for longer.
    pub ease: f32,
}

impl Curve {
    /// The same value everywhere.
    pub const fn constant(value: f32) -> Self {
        Self { root: value, tip: value, ease: 1.0 }
    }

    /// Value at link `i` of `n`; the root's for a single link.
    pub fn at(&self, i: usize, n: usize) -> f32 {
        if n < 2 {
            return self.root;
        }
        let t = i as f32 / (n - 1) as f32;
        let t = if self.ease == 1.0 { t } else { crate::math::ops::powf(t, self.ease) };
        self.root + (self.tip - self.root) * t
    }
}

/// How a chain swings (spec 2.1 to 2.9). Angles in radians.
///
/// Lengths and gravity are stated for a character of 1.91 m, the article's fox, and scale with the height by λ = H /
/// 1.91 unless `scale_with_height` is off; frequency and damping never scale, nor does the floor's height: it is the
/// world's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpringSettings {
    /// Hertz, 0.05 to 8. More is stiffer and livelier. Default 0.9 at the root, half of it at the tip: muscle, then hair.
    pub frequency_hz: Curve,
    /// Damping ratio, 0 to 2. Below 1 it overshoots. Default 0.65.
    pub damping_ratio: Curve,
    /// m/s² downward, -20 to 20. Default 1, not 9.8: a tail has muscle.
    pub gravity: f32,
    /// Lift of the whole tail, back and up, shared by its links, -150° to 150°. Default 50°.
    pub carry_rad: f32,
    /// 0 removes the modelled sideways curl from what the springs aim at, 1 keeps it. Default 0.
    pub rest_curve: f32,
    /// 0 removes the modelled up-and-down curve too, 1 keeps it; `None` decides by how the tail was modelled. Default `None`.
    pub sag_curve: Option<f32>,
    /// How fast neighbouring bends even out, per second, 0 to 100. Default 12.
    pub coupling_rate: f32,
    /// Largest bend of a link beyond rest, 0 to 180°. Default 30°.
    pub bend_limit_rad: f32,
    /// Whether the floor holds the chain. Default on.
    pub ground: bool,
    /// Height of the floor over the body's own, metres. Default 0.
    pub ground_height_m: f32,
    /// Distance kept from the floor: the tail's thickness, metres. Default 0.025, the same at root and tip.
    pub radius_m: Curve,
    /// How fast sliding on the floor dies down, per second, 0 to 100. Default 8.
    pub slide_damping: f32,
    /// Whether the chain stays behind the plane through its root that faces forward. Default on.
    pub keep_behind: bool,
    /// Whether the legs' capsules push the chain. Default off.
    pub leg_colliders: bool,
    /// Sway of a character that stands still: amplitude at the tip in radians, 0 to 45°. Default 0.
    pub sway_rad: f32,
    /// Frequency of that sway, hertz, 0 to 4. Default 0.25.
    pub sway_hz: f32,
    /// Whether lengths and gravity scale with the character's height. Default on.
    pub scale_with_height: bool,
}

impl Default for SpringSettings {
    fn default() -> Self {
        Self {
            frequency_hz: Curve { root: 0.9, tip: 0.45, ease: 1.0 },
            damping_ratio: Curve::constant(0.65),
            gravity: 1.0,
            carry_rad: 50.0_f32.to_radians(),
            rest_curve: 0.0,
            sag_curve: None,
            coupling_rate: 12.0,
            bend_limit_rad: 30.0_f32.to_radians(),
            ground: true,
            ground_height_m: 0.0,
            radius_m: Curve::constant(0.025),
            slide_damping: 8.0,
            keep_behind: true,
            leg_colliders: false,
            sway_rad: 0.0,
            sway_hz: 0.25,
            scale_with_height: true,
        }
    }
}

/// A setting outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct SettingsError(
    /// One sentence for each bad field: name, value, range.
    pub Vec<String>,
);

impl SpringSettings {
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
        for (name, value) in [
            ("frequency_hz.root", self.frequency_hz.root),
            ("frequency_hz.tip", self.frequency_hz.tip),
        ] {
            check(name, value, 0.05, 8.0);
        }
        for (name, value) in [
            ("damping_ratio.root", self.damping_ratio.root),
            ("damping_ratio.tip", self.damping_ratio.tip),
        ] {
            check(name, value, 0.0, 2.0);
        }
        for (name, curve) in [
            ("frequency_hz", self.frequency_hz),
            ("damping_ratio", self.damping_ratio),
            ("radius_m", self.radius_m),
        ] {
            check(&format!("{name}.ease"), curve.ease, 0.1, 10.0);
        }
        check("gravity", self.gravity, -1e6, 1e6);
        check("carry_rad", self.carry_rad, -150.0_f32.to_radians(), 150.0_f32.to_radians());
        check("rest_curve", self.rest_curve, 0.0, 1.0);
        check("sag_curve", self.sag_curve.unwrap_or(0.0), 0.0, 1.0);
        check("coupling_rate", self.coupling_rate, 0.0, 100.0);
        check("bend_limit_rad", self.bend_limit_rad, 0.0, std::f32::consts::PI);
        check("ground_height_m", self.ground_height_m, -1e4, 1e4);
        check("radius_m.root", self.radius_m.root, 0.0, 10.0);
        check("radius_m.tip", self.radius_m.tip, 0.0, 10.0);
        check("slide_damping", self.slide_damping, 0.0, 100.0);
        check("sway_rad", self.sway_rad, 0.0, 45.0_f32.to_radians());
        check("sway_hz", self.sway_hz, 0.0, 4.0);
        if faults.is_empty() { Ok(self) } else { Err(SettingsError(faults)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_runs_from_root_to_tip() {
        let f = Curve { root: 0.9, tip: 0.45, ease: 1.0 };
        assert_eq!(f.at(0, 4), 0.9);
        assert_eq!(f.at(3, 4), 0.45);
        assert!((f.at(1, 4) - 0.75).abs() < 1e-6);
        assert_eq!(f.at(0, 1), 0.9);
    }

    #[test]
    fn every_bad_field_is_named_at_once() {
        let settings = SpringSettings { gravity: f32::NAN, rest_curve: 2.0, ..Default::default() };
        let SettingsError(faults) = settings.validated().unwrap_err();
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(SpringSettings::default().validated().is_ok());
    }
}
