//! A strand in the published VRM algorithm's own numbers: what is written to a file, and what "preview as VRM app" plays.
//!
//! Authored values, times how far the user has turned ours: a stiffness of 400/s² is the file's own (VRM's 1 for a
//! strand of ours), a damping of 24/s its own drag. Gravity of a strand of ours is written so that at rest it hangs
//! as it does here. Coupling, bend limits, ties, whole-link tests and the held arc have no counterpart; a [`VrmFit`]
//! makes up for them as far as three numbers can.
//!
//! Based on: spec 8 (4.3: VRM values map to these; the raw ones are kept).

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::{HairSettings, RawLink, Strand};

/// Factors on a strand's raw values that make the published algorithm move most like ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VrmFit {
    /// On stiffness, 0.01 to 100.
    pub stiffness: f32,
    /// On drag, 0.01 to 100; the product stays within 0 to 1.
    pub drag: f32,
    /// On gravity, 0.01 to 100.
    pub gravity: f32,
}

impl Default for VrmFit {
    fn default() -> Self {
        Self { stiffness: 1.0, drag: 1.0, gravity: 1.0 }
    }
}

impl Strand {
    /// Raw values of link `i` of `n`, which is `length_m` long, on a body of `size_ratio` × 1.91 m. World axes, metres.
    pub fn raw(&self, (i, n): (usize, usize), length_m: f32, size_ratio: f32) -> RawLink {
        let own = self.links.get(i).copied().unwrap_or_default();
        let (settings, usual) = (&self.settings, HairSettings::IMPROVED);
        let k = settings.stiffness.at(i, n);
        let fit = self.vrm_fit.unwrap_or_default();
        let gravity = match own.sag {
            Some(_) => own.raw.gravity,
            None => Vec3::NEG_Y * (settings.gravity * size_ratio / (k * length_m).max(1e-6)),
        };
        let drag = own.raw.drag * settings.damping.at(i, n) / usual.damping.root;
        RawLink {
            stiffness: (own.raw.stiffness * fit.stiffness * k / usual.stiffness.root).max(0.0),
            drag: (drag * fit.drag).clamp(0.0, 1.0),
            gravity: gravity * fit.gravity,
            hit_radius: match self.source {
                Some(_) => own.raw.hit_radius,
                None => own.radius_m.unwrap_or(settings.radius_m.at(i, n) * size_ratio),
            },
        }
    }

    /// Whether its raw values are others than the file's.
    pub fn is_retuned(&self) -> bool {
        let usual = HairSettings::IMPROVED;
        self.vrm_fit.is_some()
            || self.settings.stiffness != usual.stiffness
            || self.settings.damping != usual.damping
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Curve;

    #[test]
    fn raw_values_follow_the_settings_and_the_fit() {
        let k = HairSettings::IMPROVED.stiffness.root;
        let mut strand = Strand::uniform(HairSettings::IMPROVED, 2);
        let raw = strand.raw((0, 2), 0.1, 1.0);
        assert_eq!((raw.stiffness, raw.drag), (1.0, 0.5));
        // k L tan θ = g here, stiffness tan θ = gravity there.
        assert!((raw.gravity.y + 1.0 / (k * 0.1)).abs() < 1e-6);
        strand.settings.stiffness = Curve::constant(2.0 * k);
        strand.vrm_fit = Some(VrmFit { stiffness: 3.0, drag: 9.0, gravity: 1.0 });
        let raw = strand.raw((0, 2), 0.1, 1.0);
        assert_eq!((raw.stiffness, raw.drag), (6.0, 1.0));
        assert!(strand.is_retuned());
    }
}
