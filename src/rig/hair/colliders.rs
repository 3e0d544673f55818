//! Colliders fitted to body and clothes: authored ones grown to what is round them, a torso and limbs added.
//!
//! A fit never makes anything smaller, never grows by more than a share of the body's height, and never reaches hair
//! at rest: a hairstyle is as its artist left it. What is authored stays in [`Character::vrm`] and comes back when the
//! fit is switched off.
//!
//! Based on: spec 4.4 (collider fit); the rule about hair at rest is ours.

use std::collections::BTreeSet;

use glam::{Affine3A, Quat, Vec3};

use super::HairPlan;
use super::import::hair_joints;
use crate::detect::Detection;
use crate::math::closest;
use crate::math::stats::percentile;
use crate::model::{
    BindPose, Chain, ChainOrigin, Character, Collider, ColliderIndex, ColliderOrigin,
    ColliderShape, ColliderState, NodeIndex, Role, Tip,
};

/// Most that a collider grows, in heights of the body.
const MOST_GROWTH: f32 = 0.03;
/// Share of the skin round a collider that it is grown to cover.
const COVERED: f32 = 0.9;
/// Share of the torso's skin that must lie in some collider for none to be added.
const TORSO_COVERED: f32 = 0.6;

/// Bones of the limbs that hair and skirts meet, and what their capsules are called.
const LIMBS: [(&str, Role, Role); 8] = [
    ("upper arm left", Role::LeftUpperArm, Role::LeftLowerArm),
    ("upper arm right", Role::RightUpperArm, Role::RightLowerArm),
    ("forearm left", Role::LeftLowerArm, Role::LeftHand),
    ("forearm right", Role::RightLowerArm, Role::RightHand),
    ("thigh left", Role::LeftUpperLeg, Role::LeftLowerLeg),
    ("thigh right", Role::RightUpperLeg, Role::RightLowerLeg),
    ("shin left", Role::LeftLowerLeg, Role::LeftFoot),
    ("shin right", Role::RightLowerLeg, Role::RightFoot),
];

/// What was found on the character, and its bind pose with the joints that were added since.
struct Posed<'a> {
    detection: &'a Detection,
    bind: &'a BindPose,
}

/// The colliders of `character`, whose strands are `chains`: those of the file first, in its order. Each chain is told
/// which it meets. `bind` is the bind pose with all joints that rigging added, `detection` that of the character before.
///
/// Which strands are driven makes no difference, nor how they swing: only where they are and how thick.
///
/// Cost: O(V × colliders).
pub(in crate::rig) fn fit_colliders(
    character: &Character,
    detection: &Detection,
    bind: &BindPose,
    chains: &mut [Chain],
    plan: &HairPlan,
) -> Vec<Collider> {
    let posed = &Posed { detection, bind };
    let mut colliders = character.vrm.as_ref().map_or_else(Vec::new, |vrm| vrm.colliders.clone());
    let n_authored = colliders.len();
    for edit in &plan.colliders {
        // Behind the file's own stand those of earlier edits, which are nobody's to replace.
        let place = edit.replaces.map(|at| at as usize).filter(|&at| at < n_authored);
        let place = place.and_then(|at| colliders.get_mut(at));
        match place {
            Some(collider) => *collider = edit.collider.clone(),
            None => colliders.push(edit.collider.clone()),
        }
    }
    let is_off = |c: &ColliderIndex, colliders: &[Collider]| {
        colliders.get(c.index()).is_some_and(|c| c.state == ColliderState::Off)
    };
    for strand in chains.iter_mut().filter_map(|c| c.hair.as_mut()) {
        strand.colliders.retain(|c| !is_off(c, &colliders));
    }
    let strands: Vec<usize> = (0..chains.len()).filter(|&c| chains[c].hair.is_some()).collect();
    if strands.is_empty() {
        return colliders;
    }
    if plan.fit_colliders {
        let scene = Scene::of(character, posed, chains);
        let by_hand: BTreeSet<u32> = plan.colliders.iter().filter_map(|c| c.replaces).collect();
        for at in (0..n_authored).filter(|&at| !by_hand.contains(&(at as u32))) {
            if let Some(collider) = colliders.get_mut(at) {
                scene.grow(collider, at, chains);
            }
        }
        let added = scene.torso(&colliders).into_iter().chain(scene.limbs());
        // What the user has taken in hand stands already, or was taken away.
        let is_free =
            |c: &Collider| plan.colliders.iter().all(|e| e.covers.as_ref() != Some(&c.name));
        let added: Vec<Collider> = added.filter(is_free).filter_map(|c| scene.cleared(c)).collect();
        colliders.extend(added);
    }
    for c in strands {
        choose(&mut chains[c], posed, &colliders);
    }
    colliders
}

/// Adds to a strand what it can reach of the colliders that no artist gave it.
fn choose(chain: &mut Chain, posed: &Posed<'_>, colliders: &[Collider]) {
    let links = rest_links(chain, posed);
    let is_ours = matches!(chain.origin, ChainOrigin::Strand(_));
    let length: f32 = links.iter().map(|l| l.a.distance(l.b)).sum();
    let Some(root) = links.first().map(|l| l.a) else { return };
    let Some(strand) = &mut chain.hair else { return };
    for (at, collider) in colliders.iter().enumerate() {
        let index = ColliderIndex(at as u32);
        let is_authored = matches!(collider.origin, ColliderOrigin::Authored(_));
        let is_out = is_authored && !is_ours || !collider.is_met();
        if strand.colliders.contains(&index) || is_out {
            continue;
        }
        let Some((a, b, radius)) = placed(collider, posed) else { continue };
        let reaches = closest::distance_to_segment(root, a, b)
            < 1.1 * length + radius + 0.05 * posed.detection.body.height_m;
        // What hair lies in at rest would push it out of shape for ever.
        let clearance = links.iter().map(|l| l.clearance(a, b)).fold(f32::INFINITY, f32::min);
        if reaches && clearance >= radius - 1e-4 {
            strand.colliders.push(index);
        }
    }
    strand.colliders.sort_unstable();
}

/// A link as it is modelled.
struct RestLink {
    a: Vec3,
    b: Vec3,
    radius_m: f32,
    whole: bool,
}

impl RestLink {
    /// Room between the axis a→b and the link's skin.
    fn clearance(&self, a: Vec3, b: Vec3) -> f32 {
        let distance = match self.whole {
            true => closest::distance_of_segments(self.a, self.b, a, b),
            false => closest::distance_to_segment(self.b, a, b),
        };
        distance - self.radius_m
    }
}

fn rest_links(chain: &Chain, posed: &Posed<'_>) -> Vec<RestLink> {
    let bind = posed.bind;
    let Some(strand) = &chain.hair else { return Vec::new() };
    let mut points: Vec<Vec3> = chain.joints.iter().map(|&j| bind.position(j)).collect();
    match chain.tip {
        Tip::Node(node) => points.push(bind.position(node)),
        Tip::Virtual(point) => points.extend(
            chain.joints.last().map(|&last| bind.world.matrix(last).transform_point3(point)),
        ),
    }
    let n = chain.joints.len();
    let size = posed.detection.body.size_ratio();
    // Not what is set now: a collider that only one solver can live with would come and go with a slider.
    let whole = strand.is_front || strand.is_skirt;
    points
        .windows(2)
        .enumerate()
        .map(|(i, pair)| {
            let own = strand.links.get(i).and_then(|l| l.radius_m);
            let radius_m = own.unwrap_or(strand.settings.radius_m.at(i, n) * size);
            RestLink { a: pair[0], b: pair[1], radius_m, whole }
        })
        .collect()
}

/// Axis and radius of a capsule in bind space; `None` for planes and insides.
fn placed(collider: &Collider, posed: &Posed<'_>) -> Option<(Vec3, Vec3, f32)> {
    let ColliderShape::Capsule { a, b, radius, inside: false } = collider.shape else {
        return None;
    };
    let matrix = posed.bind.world.matrix(collider.node);
    Some((matrix.transform_point3(a), matrix.transform_point3(b), radius * scale(&matrix)))
}

pub(super) fn scale(matrix: &Affine3A) -> f32 {
    libm::cbrtf(matrix.matrix3.determinant().abs()).max(1e-12)
}

/// Skin that hair may meet.
pub(super) struct Skin {
    pub position: Vec3,
    /// The joint that moves it most.
    pub node: NodeIndex,
}

struct Scene<'a> {
    character: &'a Character,
    posed: &'a Posed<'a>,
    skin: Vec<Skin>,
    links: Vec<(usize, Vec<RestLink>)>,
}

impl<'a> Scene<'a> {
    fn of(character: &'a Character, posed: &'a Posed<'a>, chains: &[Chain]) -> Self {
        let hair = hair_joints(chains);
        let links = chains
            .iter()
            .enumerate()
            .filter(|(_, c)| c.hair.is_some())
            .map(|(i, c)| (i, rest_links(c, posed)))
            .collect();
        Self { character, posed, skin: skin(character, posed.detection, &hair), links }
    }

    fn height(&self) -> f32 {
        self.posed.detection.body.height_m
    }

    /// Grows an authored collider to the skin of its own joint round it; it stays as it is where there is none.
    fn grow(&self, collider: &mut Collider, at: usize, chains: &[Chain]) {
        let Some((a, b, radius)) = placed(collider, self.posed) else { return };
        if radius <= 0.0 {
            return;
        }
        let most = radius + MOST_GROWTH * self.height();
        let skeleton = &self.character.skeleton;
        let is_own = |s: &&Skin| {
            s.node == collider.node
                || skeleton.parent(s.node) == Some(collider.node)
                || skeleton.parent(collider.node) == Some(s.node)
        };
        let mut distances: Vec<f32> = self
            .skin
            .iter()
            .filter(is_own)
            .map(|s| closest::distance_to_segment(s.position, a, b))
            .filter(|&d| d <= most)
            .collect();
        if distances.is_empty() {
            return;
        }
        let index = ColliderIndex(at as u32);
        let meets = |c: usize| {
            let strand = chains.get(c).and_then(|c| c.hair.as_ref());
            strand.is_some_and(|s| s.colliders.contains(&index))
        };
        let room = self
            .links
            .iter()
            .filter(|(c, _)| meets(*c))
            .flat_map(|(_, links)| links)
            .map(|l| l.clearance(a, b))
            .fold(f32::INFINITY, f32::min);
        let wanted = percentile(&mut distances, COVERED).min(most).min(room).max(radius);
        let local = wanted / scale(&self.posed.bind.world.matrix(collider.node));
        if let ColliderShape::Capsule { radius, .. } = &mut collider.shape {
            *radius = local;
        }
    }

    /// An added collider made small enough for the strands that lie near it at rest; `None` where nothing is left.
    fn cleared(&self, mut collider: Collider) -> Option<Collider> {
        let (a, b, radius) = placed(&collider, self.posed)?;
        // A strand that lies deep in it will not meet it at all (see `choose`); it must not shrink it for the others.
        let room = self
            .links
            .iter()
            .map(|(_, links)| links.iter().map(|l| l.clearance(a, b)).fold(f32::INFINITY, f32::min))
            .filter(|&room| room >= 0.75 * radius)
            .fold(radius, f32::min);
        if let ColliderShape::Capsule { radius, .. } = &mut collider.shape {
            *radius *= room / (*radius * scale(&self.posed.bind.world.matrix(collider.node)));
        }
        (room > 0.0).then_some(collider)
    }

    fn capsule(&self, name: &str, node: NodeIndex, (a, b): (Vec3, Vec3), radius: f32) -> Collider {
        let matrix = self.posed.bind.world.matrix(node);
        let local = matrix.inverse();
        Collider {
            name: name.to_owned(),
            node,
            shape: ColliderShape::Capsule {
                a: local.transform_point3(a),
                b: local.transform_point3(b),
                radius: radius / scale(&matrix),
                inside: false,
            },
            origin: ColliderOrigin::Added,
            state: ColliderState::AsFound,
        }
    }

    /// Up to three capsules side by side in the chest, where authored colliders leave it open.
    fn torso(&self, authored: &[Collider]) -> Vec<Collider> {
        let node = |role| self.posed.detection.humanoid.node(role);
        let chest = node(Role::UpperChest).or(node(Role::Chest)).or(node(Role::Spine));
        let (Some(chest), Some(hips)) = (chest, node(Role::Hips)) else { return Vec::new() };
        let Some(top) = node(Role::Neck).or(node(Role::Head)) else { return Vec::new() };
        let to_body: Quat = self.posed.detection.body.world_from_body.conjugate();
        let bind = self.posed.bind;
        let (low, high) = ((to_body * bind.position(hips)).y, (to_body * bind.position(top)).y);
        let limbs = [Role::LeftUpperArm, Role::RightUpperArm].map(node);
        let is_torso = |s: &&Skin| {
            let skeleton = &self.character.skeleton;
            let is_arm = limbs.iter().flatten().any(|&arm| skeleton.is_within(s.node, arm));
            let y = (to_body * s.position).y;
            !is_arm && y > low && y < high && skeleton.is_within(s.node, hips)
        };
        let torso: Vec<Vec3> =
            self.skin.iter().filter(is_torso).map(|s| to_body * s.position).collect();
        if torso.len() < 16 || self.is_covered(&torso, to_body, authored) {
            return Vec::new();
        }
        let height = high - low;
        let slice = |from: f32, to: f32| -> Vec<Vec3> {
            let (from, to) = (low + from * height, low + to * height);
            torso.iter().copied().filter(|p| p.y >= from && p.y <= to).collect()
        };
        let (Some(lower), Some(upper)) =
            (Section::of(&slice(0.2, 0.5)), Section::of(&slice(0.55, 0.9)))
        else {
            return Vec::new();
        };
        let radius = 0.5 * (lower.depth + upper.depth);
        let (bottom, head) = (low + 0.3 * height, low + 0.85 * height);
        let width = lower.width.min(upper.width);
        let offset = width - radius;
        let mut found = Vec::new();
        let sides: &[(&str, f32)] = if offset > 0.25 * radius {
            &[("torso", 0.0), ("torso left", 1.0), ("torso right", -1.0)]
        } else {
            &[("torso", 0.0)]
        };
        for &(name, side) in sides {
            let at = |s: &Section, y: f32| {
                to_body.conjugate() * Vec3::new(s.middle.x + side * offset, y, s.middle.z)
            };
            let axis = (at(&lower, bottom), at(&upper, head));
            found.push(self.capsule(name, chest, axis, radius));
        }
        found
    }

    fn is_covered(&self, torso: &[Vec3], to_body: Quat, authored: &[Collider]) -> bool {
        let spheres: Vec<_> = authored
            .iter()
            .filter(|c| c.is_met())
            .filter_map(|c| placed(c, self.posed))
            .map(|(a, b, r)| (to_body * a, to_body * b, r + 0.01 * self.height()))
            .collect();
        let inside = torso.iter().filter(|&&p| {
            spheres.iter().any(|&(a, b, r)| closest::distance_to_segment(p, a, b) <= r)
        });
        inside.count() as f32 >= TORSO_COVERED * torso.len() as f32
    }

    /// Capsules in arms and legs, as thick as their skin.
    fn limbs(&self) -> Vec<Collider> {
        LIMBS
            .into_iter()
            .filter_map(|(name, from, to)| {
                let node = |role| self.posed.detection.humanoid.node(role);
                let (from, to) = (node(from)?, node(to)?);
                let bind = self.posed.bind;
                let (a, b) = (bind.position(from), bind.position(to));
                let mut distances: Vec<f32> = self
                    .skin
                    .iter()
                    .filter(|s| s.node == from)
                    .filter(|s| {
                        (0.1..0.9).contains(&closest::parameter_on_segment(s.position, a, b))
                    })
                    .map(|s| closest::distance_to_segment(s.position, a, b))
                    .collect();
                (!distances.is_empty())
                    .then(|| self.capsule(name, from, (a, b), percentile(&mut distances, 0.8)))
            })
            .collect()
    }
}

/// A slab of the torso in body axes.
struct Section {
    middle: Vec3,
    /// Half of the depth about the middle.
    depth: f32,
    /// Half of the width.
    width: f32,
}

impl Section {
    fn of(points: &[Vec3]) -> Option<Self> {
        if points.len() < 8 {
            return None;
        }
        let spread =
            |mut values: Vec<f32>| (percentile(&mut values, 0.04), percentile(&mut values, 0.96));
        let (left, right) = spread(points.iter().map(|p| p.x).collect());
        let (x, width) = (0.5 * (left + right), 0.5 * (right - left));
        // Depth is the middle's: flanks are no part of what a capsule covers.
        let near: Vec<f32> =
            points.iter().filter(|p| (p.x - x).abs() < 0.5 * width).map(|p| p.z).collect();
        if near.len() < 4 {
            return None;
        }
        let (back, front) = spread(near);
        let middle = Vec3::new(x, 0.0, 0.5 * (back + front));
        Some(Self { middle, depth: 0.5 * (front - back), width })
    }
}

/// Visible skin that is no hair, with the joint that moves it most; meshes without a skin are props and do not count.
pub(super) fn skin(
    character: &Character,
    detection: &Detection,
    hair: &BTreeSet<NodeIndex>,
) -> Vec<Skin> {
    let surface = &detection.surface;
    let mut found = Vec::new();
    for (index, instance) in character.instances() {
        if !instance.is_visible || instance.skin.is_none() {
            continue;
        }
        for (local, v) in surface.vertices_of(index).enumerate() {
            let (mut strongest, mut of_hair) = ((NodeIndex(0), 0.0), 0.0);
            character.for_each_influence(instance, local, |node, weight| {
                if hair.contains(&node) {
                    of_hair += weight;
                }
                if weight > strongest.1 {
                    strongest = (node, weight);
                }
            });
            if of_hair < 0.5
                && let Some(&position) = surface.positions.get(v as usize)
            {
                found.push(Skin { position, node: strongest.0 });
            }
        }
    }
    found
}
