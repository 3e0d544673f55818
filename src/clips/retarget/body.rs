//! A rig made ready for retargeting: its joints in rows, where they stand, what it stands on.

use glam::{Affine3A, Quat, Vec3};

use super::RetargetRig;
use super::limb::Limb;
use super::pairing::Origin;
use super::reference::{ARMS, LEGS, Reference};
use crate::math::polar_rotation;
use crate::model::{NodeIndex, Role, WorldPose};

/// A node on the way to a role, and the row of its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub node: NodeIndex,
    pub parent: Option<usize>,
    /// Where its motion comes from; `None` for nodes without a role, which keep their neutral local.
    pub origin: Option<Origin>,
}

/// A point that a row carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub row: usize,
    /// From the joint to the point, in the joint's own axes, metres.
    pub offset: Vec3,
    /// Flesh below it, in metres: 0 for a point of the skin.
    pub thickness: f32,
}

/// One leg, and the sole.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    /// Thigh, shin, foot.
    pub limb: Limb,
    /// The ball of the foot: the toes' joint, or the foot's own where there is none.
    pub ball: usize,
    /// Height of ankle and ball over the floor when the foot is flat.
    pub ankle_height: f32,
    pub ball_height: f32,
    /// Lowest points of the foot.
    pub sole: Vec<Carried>,
}

/// A body in motion: model-space rotations and places of all rows at all keys, canonical axes.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    /// `[rows × K]`.
    pub rotations: Vec<Quat>,
    /// `[K]`: places of the hips.
    pub hips: Vec<Vec3>,
    /// `[rows × K]`, kept in step by [`Body::place`].
    pub places: Vec<Vec3>,
}

impl Motion {
    /// Number of keys.
    pub fn n_keys(&self) -> usize {
        self.hips.len()
    }

    /// Places of one row, `[K]`.
    pub fn places_of(&self, row: usize) -> &[Vec3] {
        let n_keys = self.n_keys();
        self.places.get(row * n_keys..(row + 1) * n_keys).unwrap_or_default()
    }
}

/// One side of a retargeter.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub rig: RetargetRig,
    pub reference: Reference,
    pub canonical_from_file: Affine3A,
    /// Rotation of `canonical_from_file`.
    pub root: Quat,
    pub hips: NodeIndex,
    pub rows: Vec<Row>,
    /// `[N]`: row of a node, 0 where it has none.
    pub row_of: Vec<usize>,
    /// `[rows]`: from the parent's place to the row's, in the parent's axes, metres.
    steps: Vec<Vec3>,
    /// `[rows]`: where the joints stand in the bind pose, canonical axes.
    places: Vec<Vec3>,
    /// Left and right; `None` where a joint is missing.
    pub legs: [Option<Leg>; 2],
    /// Left and right; `None` where a joint is missing.
    pub arms: [Option<Limb>; 2],
    /// Points of the body other than the feet's.
    pub supports: Vec<Carried>,
    /// Points of the feet.
    pub soles: Vec<Carried>,
}

impl Body {
    /// Rows for `roles` and for all that stands above them.
    pub fn new(
        rig: RetargetRig,
        reference: Reference,
        hips: NodeIndex,
        roles: impl Iterator<Item = Role>,
        origin: impl Fn(Role) -> Option<Origin>,
    ) -> Self {
        let canonical_from_file = rig.canonical_from_file();
        let line = rig.line_of(roles);
        let mut row_of = vec![0; rig.skeleton.len()];
        for (row, node) in line.iter().enumerate() {
            row_of[node.index()] = row;
        }
        let rows: Vec<Row> = line
            .iter()
            .map(|&node| Row {
                node,
                parent: rig.skeleton.parent(node).map(|p| row_of[p.index()]),
                origin: rig.humanoid.role(node).and_then(&origin),
            })
            .collect();
        let mut world = WorldPose::default();
        rig.neutral.to_world(&rig.skeleton, &canonical_from_file, &mut world);
        let places: Vec<Vec3> = line.iter().map(|&n| world.matrix(n).translation.into()).collect();
        let rotations = rig.neutral_rotations();
        let steps = rows
            .iter()
            .enumerate()
            .map(|(i, row)| match row.parent {
                Some(parent) => {
                    let above = rotations[rows[parent].node.index()];
                    above.conjugate() * (places[i] - places[parent])
                }
                None => places[i],
            })
            .collect();
        let mut body = Self {
            root: polar_rotation(&canonical_from_file),
            canonical_from_file,
            reference,
            hips,
            rows,
            row_of,
            steps,
            places,
            legs: [None, None],
            arms: [None, None],
            supports: Vec::new(),
            soles: Vec::new(),
            rig,
        };
        body.legs = LEGS.map(|roles| body.leg(roles, &rotations));
        // Arms stretched to the sides bend forwards: elbows point back.
        body.arms = ARMS.map(|roles| body.limb(roles, Vec3::NEG_Z));
        body.sort_supports(&rotations);
        body
    }

    fn row(&self, role: Role) -> Option<usize> {
        let node = self.rig.humanoid.node(role)?;
        let row = *self.row_of.get(node.index())?;
        (self.rows.get(row)?.node == node).then_some(row)
    }

    /// Row of a node, or of the nearest node above it that has one.
    fn nearest_row(&self, node: NodeIndex) -> Option<usize> {
        std::iter::once(node).chain(self.rig.skeleton.ancestors(node)).find_map(|n| {
            let row = *self.row_of.get(n.index())?;
            (self.rows.get(row)?.node == n).then_some(row)
        })
    }

    fn carried(&self, row: usize, place: Vec3, rotations: &[Quat]) -> Carried {
        let rotation = rotations[self.rows[row].node.index()];
        let offset = rotation.conjugate() * (place - self.places[row]);
        Carried { row, offset, thickness: 0.0 }
    }

    /// Where a row's joint stands in the bind pose, canonical axes.
    pub fn stands(&self, row: usize) -> Vec3 {
        self.places.get(row).copied().unwrap_or_default()
    }

    /// A limb whose middle joint points `ahead` in the reference pose as it is computed.
    fn limb(&self, roles: [Role; 3], ahead: Vec3) -> Option<Limb> {
        let [start, mid, end] = roles.map(|role| self.row(role));
        let (start, mid, end) = (start?, mid?, end?);
        let between = |from: usize, below: usize| {
            let mut rows: Vec<usize> =
                std::iter::successors(self.rows[below].parent, |&r| self.rows[r].parent)
                    .take_while(|&row| row >= from)
                    .collect();
            rows.reverse();
            (rows.first() == Some(&from)).then_some(rows)
        };
        let upright = self.reference.upright.get(&roles[0]).copied().unwrap_or_default();
        let (upper, lower) = (between(start, mid)?, between(mid, end)?);
        Some(Limb { start, mid, end, ahead: upright.conjugate() * ahead, upper, lower })
    }

    fn leg(&self, roles: [Role; 4], rotations: &[Quat]) -> Option<Leg> {
        let limb = self.limb([roles[0], roles[1], roles[2]], Vec3::Z)?;
        let foot = limb.end;
        let ball = self.row(roles[3]).unwrap_or(foot);
        let floor = self.reference.floor;
        // Without skin the sole lies on the floor under ankle and ball.
        let mut sole: Vec<Carried> = [foot, ball]
            .into_iter()
            .map(|row| self.carried(row, self.places[row].with_y(floor), rotations))
            .collect();
        sole.dedup_by_key(|point| point.row);
        Some(Leg {
            limb,
            ball,
            ankle_height: self.places[foot].y - floor,
            ball_height: self.places[ball].y - floor,
            sole,
        })
    }

    /// Gives the skin's points to the feet that carry them, the others to the body.
    fn sort_supports(&mut self, rotations: &[Quat]) {
        let canonical_from_world =
            self.canonical_from_file * self.rig.world_from_file.to_affine().inverse();
        let mut soles = [Vec::new(), Vec::new()];
        for point in &self.rig.support {
            let Some(row) = self.nearest_row(point.node) else { continue };
            let place = canonical_from_world.transform_point3(point.place);
            let carried = self.carried(row, place, rotations);
            let is_of = |leg: &Option<Leg>| {
                leg.as_ref().is_some_and(|leg| row == leg.limb.end || row == leg.ball)
            };
            match self.legs.iter().position(is_of).and_then(|side| soles.get_mut(side)) {
                Some(sole) => sole.push(carried),
                None => self.supports.push(carried),
            }
        }
        for (leg, sole) in self.legs.iter_mut().zip(soles) {
            if let Some(leg) = leg
                && !sole.is_empty()
            {
                leg.sole = sole;
            }
        }
        if self.rig.support.is_empty() {
            self.supports = self.joint_supports();
        }
        self.soles = self.legs.iter().flatten().flat_map(|leg| leg.sole.iter().copied()).collect();
    }

    /// Without skin: the joints that a body rests on, with some flesh under them.
    ///
    /// A joint's height in the bind pose is no measure of that (hips that sit would be far below theirs), so at most 6 %
    /// of the hip height counts.
    fn joint_supports(&self) -> Vec<Carried> {
        let flesh = 0.06 * self.reference.hip_height;
        [
            Role::Hips,
            Role::Head,
            Role::LeftLowerLeg,
            Role::RightLowerLeg,
            Role::LeftHand,
            Role::RightHand,
        ]
        .into_iter()
        .filter_map(|role| self.row(role))
        .map(|row| {
            let height = self.places[row].y - self.reference.floor;
            Carried { row, offset: Vec3::ZERO, thickness: height.clamp(0.0, flesh) }
        })
        .collect()
    }

    /// Height over the floor of the lowest of `points` at a key; infinite for no points.
    pub fn lowest(&self, points: &[Carried], motion: &Motion, key: usize) -> f32 {
        let n_keys = motion.n_keys();
        let height = |p: &Carried| {
            let at = p.row * n_keys + key;
            motion.places[at].y + (motion.rotations[at] * p.offset).y - p.thickness
        };
        points.iter().map(height).fold(f32::INFINITY, f32::min) - self.reference.floor
    }

    /// Places of all rows at all keys, from their rotations and the way of the hips.
    pub fn place(&self, motion: &mut Motion) {
        let n_keys = motion.n_keys();
        let hips_row = self.row_of[self.hips.index()];
        let places = &mut motion.places;
        places.clear();
        places.reserve(motion.rotations.len());
        for (i, row) in self.rows.iter().enumerate() {
            match row.parent {
                _ if i == hips_row => places.extend_from_slice(&motion.hips),
                Some(parent) => {
                    for key in parent * n_keys..(parent + 1) * n_keys {
                        places.push(places[key] + motion.rotations[key] * self.steps[i]);
                    }
                }
                None => places.extend(std::iter::repeat_n(self.places[i], n_keys)),
            }
        }
    }
}
