//! What the springs aim at: the centred rest arc, carried.
//!
//! Based on: spec 2.2, 2.5, 8 (4.2: raised tails, P-SAG).

use std::f32::consts::PI;

use glam::{Quat, Vec3};

use super::topology::ChainTopology;
use crate::math::{ops, rotation};
use crate::model::SpringSettings;

/// The rest of a chain under given settings.
#[derive(Clone, Debug, PartialEq)]
pub struct RestArc {
    /// u_i: direction of each link in body axes, unit, `[links]`.
    pub directions: Vec<Vec3>,
    /// A_i: from the corrected rest frame of joint i's parent to body axes, `[J + 1]`.
    pub body_from_parent: Vec<Quat>,
    /// C_eff: the lift of the whole chain that is applied, radians.
    pub carry_rad: f32,
}

/// φ: angle of a direction in the sagittal plane from straight down through back; 0 hangs, 90° is level, 180° upright.
fn raised_by(direction: Vec3) -> f32 {
    ops::atan2(-direction.z, -direction.y)
}

/// C_eff: the carry that is left for a tail which already points up (spec 8, 4.2): all of it up to 100° for the
/// default of 50°, none for an upright one, which it would turn forward through the plane.
///
/// Tails that point forward and up (φ < 0) mirror that, so that nothing jumps where an upright one leans.
fn effective_carry(carry: f32, raised: f32) -> f32 {
    if carry <= 0.0 {
        return carry;
    }
    let room = if raised >= 0.0 { 150.0_f32.to_radians() - raised } else { PI + raised };
    room.clamp(0.0, carry)
}

impl RestArc {
    /// The rest of hair: the directions as they were modelled. Cost: O(J).
    pub fn authored(chain: &ChainTopology) -> Self {
        let directions: Vec<Vec3> = chain.links.iter().map(|l| l.authored).collect();
        let body_from_parent = frames(chain, &directions);
        Self { directions, body_from_parent, carry_rad: 0.0 }
    }

    /// The rest arc of `chain`. Cost: O(J).
    pub fn new(chain: &ChainTopology, settings: &SpringSettings) -> Self {
        let n = chain.links.len();
        let sagittal = |v: Vec3| Vec3::new(0.0, v.y, v.z).try_normalize();
        let root = chain.links.first().map_or(Vec3::NEG_Y, |l| l.authored);
        let c = sagittal(root).filter(|_| root.x.abs() < 1.0 - 1e-6).unwrap_or(Vec3::NEG_Y);
        let raised = raised_by(c);
        let carry_rad = effective_carry(settings.carry_rad, raised);
        let sag = settings.sag_curve.unwrap_or(if raised.abs() < PI / 3.0 { 0.0 } else { 1.0 });

        let mut directions = Vec::with_capacity(n);
        let mut middle = c;
        for (i, link) in chain.links.iter().enumerate() {
            middle = sagittal(link.authored).unwrap_or(middle);
            let centred = Quat::IDENTITY.slerp(rotation::swing(c, middle), sag) * c;
            let curl = rotation::swing(centred, link.authored);
            let curled = Quat::IDENTITY.slerp(curl, settings.rest_curve) * centred;
            let lift = carry_rad * (i + 1) as f32 / n as f32;
            directions.push((Quat::from_rotation_x(lift) * curled).normalize());
        }
        let body_from_parent = frames(chain, &directions);
        Self { directions, body_from_parent, carry_rad }
    }
}

/// A_0 = F⁰⁻¹ R_anchor⁰, A_{i+1} = A_i swing(b_i, r_i) rot(L_i); joints without a link keep their neutral rotation.
fn frames(chain: &ChainTopology, directions: &[Vec3]) -> Vec<Quat> {
    let mut a = chain.body_from_anchor;
    let mut frames = Vec::with_capacity(chain.neutral.len() + 1);
    frames.push(a);
    let mut links = chain.links.iter().zip(directions).peekable();
    for (joint, &neutral) in chain.neutral.iter().enumerate() {
        if let Some((link, &u)) = links.next_if(|(link, _)| link.joint == joint) {
            a *= rotation::swing(link.bind_direction, a.conjugate() * u);
        }
        a = (a * neutral).normalize();
        frames.push(a);
    }
    frames
}
