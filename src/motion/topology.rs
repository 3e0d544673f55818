//! What a chain is, apart from how it is tuned and how it moves: lengths, neutral locals, bind directions.
//!
//! Based on: spec 2.0, 2.4, 8 (4.1).

use glam::{Affine3A, Quat, Vec3};

use crate::math::{Transform, polar_rotation};
use crate::model::{Chain, NodeIndex, Rigged, Tip};

/// A link that swings: from a joint to the next joint, or to the tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Which of the chain's joints it turns.
    pub joint: usize,
    /// World length in the neutral pose, metres.
    pub length_m: f32,
    /// a_i: its direction in the neutral pose, in body axes, unit.
    pub authored: Vec3,
    /// b_i: the same in the frame of its joint's parent.
    pub bind_direction: Vec3,
}

/// A chain's fixed data.
///
/// Links shorter than 1e-6 H are left out: their joints keep their neutral rotation, neighbours couple across.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainTopology {
    /// Parent node of the first joint.
    pub anchor: NodeIndex,
    /// Root to tip, `[J]`.
    pub joints: Vec<NodeIndex>,
    /// The links that swing, root to tip; at most J.
    pub links: Vec<Link>,
    /// rot(L_i), `[J]`.
    pub neutral: Vec<Quat>,
    /// Where each rigid joint of hair stands, from the head of the link that reaches over it, in body axes, metres; `None`
    /// for all others. `[J]`.
    pub carried: Vec<Option<Vec3>>,
    /// Where the first joint stands in its anchor's frame, in that frame's units.
    pub head_in_anchor: Vec3,
    /// A_0 = F⁰⁻¹ R_anchor⁰.
    pub body_from_anchor: Quat,
    /// Uniform scale of the anchor in the neutral pose.
    pub anchor_scale: f32,
    /// H, metres.
    pub height_m: f32,
    /// λ = H / 1.91 m.
    pub size_ratio: f32,
    /// Height of the body's own floor, metres.
    pub floor_m: f32,
}

/// Uniform scale of a matrix: the cube root of its volume, never zero.
pub(crate) fn uniform_scale(matrix: &Affine3A) -> f32 {
    let volume = matrix.matrix3.determinant().abs();
    let scale = libm::cbrtf(volume);
    if scale.is_finite() && scale > 1e-12 { scale } else { 1.0 }
}

/// Rotation of a matrix: read off where its columns are at right angles, else by polar decomposition.
pub(crate) fn rotation_of(matrix: &Affine3A) -> Quat {
    let m = glam::Mat3::from(matrix.matrix3);
    let unit = [m.x_axis, m.y_axis, m.z_axis].map(Vec3::try_normalize);
    if let [Some(x), Some(y), Some(z)] = unit
        && x.dot(y).abs() + y.dot(z).abs() + z.dot(x).abs() < 1e-5
        && x.cross(y).dot(z) > 0.0
    {
        return Quat::from_mat3(&glam::Mat3::from_cols(x, y, z)).normalize();
    }
    polar_rotation(matrix)
}

impl ChainTopology {
    /// Fixed data of `chain` on `rigged`'s neutral pose. Cost: O(J).
    pub fn new(rigged: &Rigged, chain: &Chain) -> Self {
        let bind = &rigged.bind;
        let body_from_world = rigged.body.world_from_body.conjugate();
        let anchor_matrix = bind.world.matrix(chain.anchor);
        let height_m = rigged.body.height_m.max(1e-6);
        let locals: Vec<Transform> = chain.joints.iter().map(|&j| bind.pose.local(j)).collect();
        let ends = link_ends(rigged, chain, &locals);
        let is_rigid = |joint: usize| {
            let link = chain.hair.as_ref().and_then(|strand| strand.links.get(joint));
            link.is_some_and(|l| l.is_rigid)
        };
        let mut links = Vec::with_capacity(chain.joints.len());
        let mut carried = Vec::with_capacity(chain.joints.len());
        let mut carrier = chain.joints.first().map_or(Vec3::ZERO, |&n| bind.position(n));
        for (joint, (&node, (local, &end))) in
            chain.joints.iter().zip(locals.iter().zip(&ends)).enumerate()
        {
            if !is_rigid(joint) {
                carrier = bind.position(node);
            }
            let from_carrier = body_from_world * (bind.position(node) - carrier);
            carried.push(is_rigid(joint).then_some(from_carrier));
            let span = bind.world.matrix(node).transform_vector3(end);
            let in_parent = (local.rotation * (local.scale * end)).try_normalize();
            let length_m = span.length();
            // A NaN is not longer than anything.
            if !is_rigid(joint)
                && length_m > 1e-6 * height_m
                && let (Some(direction), Some(bind_direction)) = (span.try_normalize(), in_parent)
            {
                let authored = body_from_world * direction;
                links.push(Link { joint, length_m, authored, bind_direction });
            }
        }
        Self {
            anchor: chain.anchor,
            joints: chain.joints.clone(),
            links,
            neutral: locals.iter().map(|l| l.rotation).collect(),
            carried,
            head_in_anchor: locals.first().map_or(Vec3::ZERO, |l| l.translation),
            body_from_anchor: (body_from_world * rotation_of(&anchor_matrix)).normalize(),
            anchor_scale: uniform_scale(&anchor_matrix),
            height_m,
            size_ratio: rigged.body.size_ratio(),
            floor_m: rigged.body.floor_m,
        }
    }

    /// Length of all links, metres, in the neutral pose.
    pub fn length_m(&self) -> f32 {
        self.links.iter().map(|l| l.length_m).sum()
    }
}

/// Where each link ends, in its own joint's frame, `[J]`.
fn link_ends(rigged: &Rigged, chain: &Chain, locals: &[Transform]) -> Vec<Vec3> {
    let mut ends: Vec<Vec3> = locals.iter().skip(1).map(|l| l.translation).collect();
    ends.push(last_end(rigged, chain, locals));
    if let Some(strand) = &chain.hair {
        // A link reaches over the rigid joints behind it, to the next that swings or to the chain's end.
        for joint in (0..ends.len()).rev() {
            let next = joint + 1;
            let is_rigid = strand.links.get(next).is_some_and(|l| l.is_rigid);
            if let (true, Some(&beyond), Some(local)) = (is_rigid, ends.get(next), locals.get(next))
                && let Some(end) = ends.get_mut(joint)
            {
                *end = local.to_affine().transform_point3(beyond);
            }
        }
    }
    ends
}

/// The tip in the last joint's own frame.
fn last_end(rigged: &Rigged, chain: &Chain, locals: &[Transform]) -> Vec3 {
    let tip = match chain.tip {
        Tip::Node(node) => rigged.bind.pose.local(node).translation,
        Tip::Virtual(point) => point,
    };
    if tip.is_finite() && tip.length_squared() > 0.0 {
        return tip;
    }
    // Nothing marks the tip: go on along the incoming tangent. The vector to this joint stands in its parent's frame;
    // copying it would bend the last link by this joint's own rotation, so it is taken into this joint's frame.
    match locals {
        [.., last] if locals.len() > 1 => {
            let turned = last.rotation.conjugate() * last.translation;
            let scale = last.scale;
            let safe = |v: f32, s: f32| if s.abs() > 1e-12 { v / s } else { v };
            Vec3::new(safe(turned.x, scale.x), safe(turned.y, scale.y), safe(turned.z, scale.z))
        }
        _ => Vec3::ZERO,
    }
}
