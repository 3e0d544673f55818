//! A strand in the published VRM algorithm's own numbers: what is written to a file, and what "preview as VRM app" plays.
//!
//! Authored values, times how far the user has turned ours: a stiffness of 200/s² is the file's own (VRM's 1 for a
//! strand of ours), a damping of 30/s its own drag. Gravity of a strand of ours is written so that a link at rest hangs
//! as it does here, however stiff it is. An artist's gravity stays as the file has it: at the file's own stiffness a
//! link hangs there as here, and one that is turned to twice that hangs half as far there, but as far as before here.
//! Coupling, bend limits, ties, whole-link tests and the held arc have no counterpart; a [`VrmFit`] makes up for them
//! as far as three numbers can.
//!
//! Based on: spec 8 (4.3: VRM values map to these; the raw ones are kept).

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::{HairLink, HairSettings, RawLink, Strand};

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
    /// Raw values of link `i` of the `n` that swing, which is `length_m` long, on a body of `size_ratio` × 1.91 m.
    /// World axes, metres.
    ///
    /// `own` is what holds for its joint; `i` is no place in [`Strand::links`], which has rigid joints too.
    pub fn raw(
        &self,
        own: &HairLink,
        (i, n): (usize, usize),
        length_m: f32,
        size_ratio: f32,
    ) -> RawLink {
        let (settings, usual) = (&self.settings, HairSettings::IMPROVED);
        let k = settings.stiffness.at(i, n);
        let fit = self.vrm_fit.unwrap_or_default();
        let gravity = match own.sag {
            Some(_) => own.raw.gravity,
            // Here k L tan θ = g, there stiffness tan θ = gravity: with the stiffness below k cancels.
            None => {
                let balance = (usual.stiffness.root * length_m).max(1e-6);
                Vec3::NEG_Y * (own.raw.stiffness * settings.gravity * size_ratio / balance)
            }
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
        let own = HairLink::default();
        let mut strand = Strand::uniform(HairSettings::IMPROVED, 2);
        let raw = strand.raw(&own, (0, 2), 0.1, 1.0);
        assert_eq!((raw.stiffness, raw.drag), (1.0, 0.5));
        strand.settings.stiffness = Curve::constant(2.0 * k);
        strand.vrm_fit = Some(VrmFit { stiffness: 3.0, drag: 9.0, gravity: 1.0 });
        let raw = strand.raw(&own, (0, 2), 0.1, 1.0);
        assert_eq!((raw.stiffness, raw.drag), (6.0, 1.0));
        assert!(strand.is_retuned());
    }

    #[test]
    fn a_strand_of_ours_hangs_as_far_by_either_rule_however_stiff() {
        let (gravity, length_m, size_ratio) = (2.0, 0.1, 0.5);
        for k in [50.0, 200.0, 400.0] {
            let stiffness = Curve::constant(k);
            let settings = HairSettings { gravity, stiffness, ..HairSettings::IMPROVED };
            let strand = Strand::uniform(settings, 2);
            let raw = strand.raw(&HairLink::default(), (1, 2), length_m, size_ratio);
            // k L tan θ = g here, stiffness tan θ = gravity there.
            let ours = gravity * size_ratio / (k * length_m);
            let theirs = -raw.gravity.y / raw.stiffness;
            assert!((ours - theirs).abs() < 1e-5 * ours, "at {k}/s²: {theirs} of {ours}");
        }
        let limp = HairSettings { stiffness: Curve::constant(0.0), ..HairSettings::IMPROVED };
        let raw = Strand::uniform(limp, 1).raw(&HairLink::default(), (0, 1), 0.1, 1.0);
        assert!(raw.stiffness == 0.0 && raw.gravity.is_finite() && raw.gravity.length() < 1.0);
    }

    #[test]
    fn a_rigid_joint_before_a_link_does_not_stand_in_for_it() {
        let authored = RawLink { stiffness: 4.0, drag: 0.2, gravity: Vec3::ZERO, hit_radius: 0.0 };
        let own = HairLink { raw: authored, sag: Some(Vec3::ZERO), ..HairLink::default() };
        let rigid = HairLink { is_rigid: true, ..HairLink::default() };
        let mut strand = Strand::uniform(HairSettings::IMPROVED, 3);
        strand.links = vec![own, rigid, own];
        // The third joint's link is the second that swings.
        let raw = strand.raw(&strand.links[2], (1, 2), 0.1, 1.0);
        assert_eq!((raw.stiffness, raw.drag), (4.0, 0.2));
    }
}
