//! Weights as a humanoid auto-rigger gives them: smooth, by nearness, and ignorant of whatever is no limb.
//!
//! Every vertex is given to the joint whose segment is nearest, then weights diffuse along the skin. An appendage has
//! no joint of its own, so it lands on whichever limb is next to it: what the program is there to mend.

use glam::Vec3;

use super::figure::{Figure, JointKey, JointSpec, Side};
use super::shape::Piece;
use crate::math::closest;

/// At most four (joint of the figure, weight), strongest first, summing to 1.
pub(crate) type VertexWeights = Vec<(u32, f32)>;

/// Which joints may take an appendage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Whatever is nearest.
    Nearest,
    /// The left shin, and where that is far both thighs: the article's fox.
    LeftLeg,
    /// Arms and legs.
    Limbs,
    /// One joint takes it all.
    Joint(usize),
}

/// A joint's share of the skeleton.
struct Segment {
    joint: usize,
    key: JointKey,
    a: Vec3,
    b: Vec3,
}

/// Gives weights to pieces of one figure.
pub(crate) struct Rigger {
    segments: Vec<Segment>,
    n_joints: usize,
    height: f32,
}

fn is_end(key: JointKey) -> bool {
    matches!(key, JointKey::Axial(6) | JointKey::Leg(_, 4) | JointKey::Finger(_, _, 3))
}

impl Rigger {
    /// A rigger of `figure`, `height` metres tall.
    pub(crate) fn new(figure: &Figure, height: f32) -> Self {
        let mut segments = Vec::new();
        for (j, joint) in figure.joints.iter().enumerate() {
            if is_end(joint.key) || matches!(joint.key, JointKey::Root | JointKey::Tail(_)) {
                continue;
            }
            let a = joint.position;
            let before = segments.len();
            let is_child =
                |c: &&JointSpec| c.parent == Some(j) && !matches!(c.key, JointKey::Tail(_));
            for child in figure.joints.iter().filter(is_child) {
                segments.push(Segment { joint: j, key: joint.key, a, b: child.position });
            }
            if segments.len() == before {
                let from = joint.parent.map_or(Vec3::ZERO, |p| figure.joints[p].position);
                let stub = match joint.key {
                    JointKey::Axial(_) => Vec3::Y * 0.11 * height,
                    _ => (a - from).normalize_or(Vec3::Y) * 0.06 * height,
                };
                segments.push(Segment { joint: j, key: joint.key, a, b: a + stub });
            }
        }
        Self { segments, n_joints: figure.joints.len(), height }
    }

    fn owner(&self, p: Vec3, claim: Claim) -> usize {
        if let Claim::Joint(j) = claim {
            return j;
        }
        let mut best = (f32::MAX, 0);
        for s in &self.segments {
            let factor = match (claim, s.key) {
                (Claim::LeftLeg, JointKey::Leg(Side::Left, 1)) => 0.62,
                (Claim::LeftLeg, JointKey::Leg(_, 0)) => 1.0,
                (Claim::LeftLeg, _) => continue,
                (Claim::Limbs, JointKey::Axial(_)) => continue,
                _ => 1.0,
            };
            let d = closest::distance_to_segment(p, s.a, s.b) * factor;
            if d < best.0 {
                best = (d, s.joint);
            }
        }
        best.1
    }

    /// Weights of every vertex of `piece`. `claim` says by label what may take it; weights blend over about
    /// `blend_m` metres on the body and half of that on appendages.
    ///
    /// Cost: O(V × joints × rounds).
    pub(crate) fn weights(
        &self,
        piece: &Piece,
        blend_m: f32,
        claim: impl Fn(u16) -> Claim,
    ) -> Vec<VertexWeights> {
        let n = self.n_joints;
        let mut now = vec![0.0_f32; piece.positions.len() * n];
        for (v, &p) in piece.positions.iter().enumerate() {
            now[v * n + self.owner(p, claim(piece.labels[v]))] = 1.0;
        }
        let ring = piece.neighbours();
        for round in 0..self.rounds(piece, blend_m) {
            let old = now.clone();
            for v in 0..piece.positions.len() {
                let list = ring.of(v);
                // Rigid claims stay rigid; appendages are smoothed half as long.
                let skip = matches!(claim(piece.labels[v]), Claim::Joint(_))
                    || (piece.labels[v] != 0 && round % 2 == 1);
                if list.is_empty() || skip {
                    continue;
                }
                let share = 0.5 / list.len() as f32;
                let row = &mut now[v * n..(v + 1) * n];
                for x in row.iter_mut() {
                    *x *= 0.5;
                }
                for &w in list {
                    let other = &old[w as usize * n..(w as usize + 1) * n];
                    for (x, y) in row.iter_mut().zip(other) {
                        *x += share * y;
                    }
                }
            }
        }
        now.chunks(n.max(1)).map(strongest_four).collect()
    }

    /// Rounds of diffusion that spread weights over `blend_m`: variance grows by half an edge squared a round.
    fn rounds(&self, piece: &Piece, blend_m: f32) -> u32 {
        let n = piece.triangles.len().max(1) as f32;
        let sum: f32 = piece
            .triangles
            .iter()
            .map(|t| {
                piece.positions[t[0] as usize].distance_squared(piece.positions[t[1] as usize])
            })
            .sum();
        let edge = (sum / n).max((self.height * 1e-3).powi(2));
        ((2.0 * blend_m * blend_m / edge).round() as u32).clamp(1, 40)
    }
}

fn strongest_four(row: &[f32]) -> VertexWeights {
    let mut list: VertexWeights =
        row.iter().enumerate().filter(|(_, w)| **w > 1e-3).map(|(j, w)| (j as u32, *w)).collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    list.truncate(4);
    let total: f32 = list.iter().map(|x| x.1).sum();
    for x in &mut list {
        x.1 /= total;
    }
    list
}
