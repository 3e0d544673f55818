//! Layered hair on twelve chains as an artist rigs it, with colliders that are a little too small, and sleeves that
//! only constraints move.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Vec3};

use super::SampleInfo;
use super::color::srgb;
use super::figure::{Figure, JointKey, Side};
use super::person::{Lock, Look, Outline, Wig, node_of, person, skull};
use super::truth::Sample;
use crate::math::{Transform, ops};
use crate::model::{
    ConstraintKind, Influences, JointIndex, Node, NodeConstraint, NodeIndex, Skin, SkinIndex,
};

/// For the list.
pub(super) const INFO: SampleInfo = SampleInfo {
    name: "layered",
    about: "A woman of 1.62 m, VRM 1.0: layered hair on twelve chains, colliders, sleeves on constraints",
};

/// Rings and corners of a lock: twelve of them, the cap and the fringe make about 12,900 vertices.
const N_RINGS: usize = 62;
const N_SIDES: u32 = 16;
/// Hair that is not in front falls at least this far behind the middle: clear of the arms.
const BEHIND_M: f32 = -0.1;

/// The woman with layered hair.
pub(super) fn layered() -> Sample {
    let hair = srgb(0x5b4a8a);
    let look = Look {
        name: INFO.name,
        about: INFO.about,
        hair,
        shirt: srgb(0xb9d7e8),
        iris: srgb(0x8a5a2b),
    };
    let (mut sample, figure) = person(&look, |_| Vec::new());
    sleeves(&mut sample, &figure);
    let node = |key| node_of(&figure, key);
    let head = node(JointKey::Axial(5));
    let (chest, neck) = (node(JointKey::Axial(3)), node(JointKey::Axial(4)));
    let at = |key| figure.at(key);
    let (center, radii) = skull(&figure);
    let mut wig = Wig::new(&mut sample, head);
    let jaw = center - Vec3::Y * 0.05;
    wig.colliders(
        "Head",
        &[
            (head, center, center, radii.x),
            (head, jaw, jaw, 0.05),
            (neck, at(JointKey::Axial(4)), at(JointKey::Axial(5)), 0.04),
        ],
    );
    let heart = at(JointKey::Axial(3));
    let arm = |side| at(JointKey::Arm(side, 1));
    let (low, high) = (heart - Vec3::Y * 0.17, heart - Vec3::Y * 0.02);
    wig.colliders(
        "Body",
        &[
            (chest, low, high, 0.075),
            (
                chest,
                arm(Side::Left) * 0.9 + heart * 0.1,
                arm(Side::Right) * 0.9 + heart * 0.1,
                0.035,
            ),
        ],
    );
    let mut locks = Vec::new();
    for i in 0..12 {
        locks.push(lock(&figure, i, hair));
    }
    wig.mesh("LongHair", &locks);
    let fringe: Vec<Lock> = (0..5).map(|i| fringe(&figure, i, hair)).collect();
    wig.mesh("Fringe", &fringe);
    wig.finish();
    sample
}

/// Two front strands over the chest, then five on each side round to the back, in two layers, down to the shoulders.
fn lock(figure: &Figure, i: u32, color: Vec3) -> Lock {
    let (center, radii) = skull(figure);
    let (yaw, length, is_front) = match i {
        0 | 1 => (1.12, 0.42, true),
        // Ten over the rest of the head, every other pair above and shorter.
        _ => (1.9 + 0.3 * ((i - 2) / 2) as f32, 0.31 - 0.05 * ((i / 2) % 2) as f32, false),
    };
    let side = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let turn = yaw * side;
    let way = Vec3::new(ops::sin(turn), 0.0, ops::cos(turn));
    let out = radii + Vec3::splat(0.022);
    let crown = center + Vec3::new(way.x * out.x * 0.55, out.y * 0.83, way.z * out.z * 0.55);
    let temple = center + Vec3::new(way.x * out.x * 1.02, -0.015, way.z * out.z * 1.02);
    let mut line = Vec::with_capacity(N_RINGS);
    let arc = 0.13;
    for k in 0..N_RINGS {
        let s = length * k as f32 / (N_RINGS - 1) as f32;
        if s <= arc {
            // Over the skull.
            let t = s / arc;
            let straight = crown.lerp(temple, t);
            let bow = (straight - center).normalize_or(way);
            line.push(straight + bow * (0.05 * t * (1.0 - t)));
            continue;
        }
        let fall = s - arc;
        let p = match is_front {
            true => {
                // Forward over the collar bone, and down in front of the chest.
                let ease = smooth(fall / 0.16);
                let ahead = Vec3::new(
                    side * (0.066 - temple.x.abs()) * ease,
                    -fall,
                    (0.142 - temple.z) * ease,
                );
                temple + ahead
            }
            false => {
                // Outwards and back, then straight down.
                let ease = smooth(fall / 0.17);
                let wide = Vec3::new(way.x * 0.045, 0.0, way.z * 0.055 - 0.022);
                // Behind the shoulders, however far to the side it began.
                let behind = (temple.z + wide.z).min(BEHIND_M) - temple.z;
                temple + Vec3::new(wide.x * ease, -fall, behind * ease)
            }
        };
        line.push(p);
    }
    Lock {
        name: format!("Hair_{i:02}"),
        line,
        half: if is_front { [0.019, 0.008] } else { [0.027, 0.011] },
        outline: Outline::Taper(0.5),
        face: (crown - center).normalize_or(Vec3::Y),
        n_sides: N_SIDES,
        n_joints: if is_front { 5 } else { 4 },
        stiffness: 1.8,
        drag: 0.5,
        hit_radius: 0.012,
        color: color * (1.0 + 0.12 * ((i % 3) as f32 - 1.0)),
    }
}

fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Short hair over the brow that an artist left to the head.
fn fringe(figure: &Figure, i: u32, color: Vec3) -> Lock {
    let (center, radii) = skull(figure);
    let yaw = (i as f32 - 2.0) * 0.36;
    let out = radii + Vec3::splat(0.019);
    let line: Vec<Vec3> = (0..11)
        .map(|k| {
            let t = k as f32 / 10.0;
            let pitch = 1.05 - 0.85 * t;
            let turn = yaw * (0.6 + 0.4 * t);
            let ring = ops::cos(pitch);
            center + Vec3::new(ops::sin(turn) * ring, ops::sin(pitch), ops::cos(turn) * ring) * out
        })
        .collect();
    let face = (line[0] - center).normalize_or(Vec3::Z);
    Lock {
        name: format!("Fringe_{i}"),
        line,
        half: [0.022, 0.007],
        outline: Outline::Taper(0.4),
        face,
        n_sides: 8,
        n_joints: 0,
        stiffness: 1.0,
        drag: 0.5,
        hit_radius: 0.006,
        color,
    }
}

/// Sleeves that no humanoid joint moves: a node at each shoulder aims at the elbow, one in each forearm takes over half
/// of the hand's twist. The shirt's sleeve follows the first.
fn sleeves(sample: &mut Sample, figure: &Figure) {
    let character = &mut sample.character;
    let mut added = Vec::new();
    for side in Side::BOTH {
        let key = |i| JointKey::Arm(side, i);
        let node = |i| node_of(figure, key(i));
        let letter = if side == Side::Left { "L" } else { "R" };
        let mut push = |name: String, parent: NodeIndex, at: Vec3, from: Vec3| {
            let local = Transform::from_translation(at - from);
            let node = Node { name, parent: Some(parent), local, source: None };
            character.skeleton.push(node).unwrap_or_default()
        };
        let (clavicle, shoulder, elbow) = (figure.at(key(0)), figure.at(key(1)), figure.at(key(2)));
        let sleeve = push(format!("Sleeve_{letter}"), node(0), shoulder, clavicle);
        let middle = elbow.midpoint(figure.at(key(3)));
        let twist = push(format!("ForearmTwist_{letter}"), node(2), middle, elbow);
        let along = Vec3::X * side.sign();
        character.constraints.push(NodeConstraint {
            node: sleeve,
            source: node(2),
            kind: ConstraintKind::Aim(along),
            weight: 1.0,
        });
        character.constraints.push(NodeConstraint {
            node: twist,
            source: node(3),
            kind: ConstraintKind::Roll(Vec3::X),
            weight: 0.5,
        });
        added.push((node(1), sleeve, shoulder));
    }
    hand_over(sample, &added);
}

/// Gives the shirt a skin of its own in which each new node has taken the place of a joint.
fn hand_over(sample: &mut Sample, added: &[(NodeIndex, NodeIndex, Vec3)]) {
    let character = &mut sample.character;
    let Some(body) = character.skins.first().cloned() else { return };
    let mut skin = Skin { name: "Shirt".into(), ..body };
    let mut taken_over: Vec<(JointIndex, JointIndex)> = Vec::new();
    for &(joint, node, at) in added {
        let Some(old) = skin.joints.iter().position(|&j| j == joint) else { continue };
        taken_over.push((JointIndex::from_index(old), JointIndex::from_index(skin.joints.len())));
        skin.joints.push(node);
        skin.joint_from_mesh.push(Mat4::from(Affine3A::from_translation(-at)));
    }
    let index = SkinIndex::from_index(character.skins.len());
    character.skins.push(skin);
    for instance in &mut character.instances {
        let Some(mesh) = character.meshes.get_mut(instance.mesh.index()) else { continue };
        let (true, Some(old)) = (mesh.name == "Shirt", mesh.influences.clone()) else { continue };
        let mut influences = Influences::with_capacity(old.len());
        for v in 0..old.len() {
            influences.push(old.of(v).map(|(j, w)| {
                let new = taken_over.iter().find(|(from, _)| *from == j).map(|(_, to)| *to);
                (new.unwrap_or(j), w)
            }));
        }
        mesh.influences = Some(Arc::new(influences));
        instance.skin = Some(index);
    }
}
