//! Locks of hair as an artist makes them: a tube, joints along it, weights, a spring.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Vec3};

use crate::math::{Transform, handover};
use crate::model::{
    Collider, ColliderGroup, ColliderOrigin, ColliderShape, ColliderState, Influences, JointIndex,
    Mesh, MeshIndex, MeshInstance, Node, NodeIndex, Skin, SkinIndex, Vrm, VrmSpring,
    VrmSpringJoint, VrmVersion,
};
use crate::samples::shape::{Piece, Tube};
use crate::samples::truth::{Sample, TruthStrand};

/// One lock.
pub(in crate::samples) struct Lock {
    /// Of its spring and its joints.
    pub name: String,
    /// Its middle line, root first.
    pub line: Vec<Vec3>,
    /// Half width across and half thickness at the root; both taper.
    pub half: [f32; 2],
    /// How its size runs from root to tip.
    pub outline: Outline,
    /// Which way its flat side faces at the root.
    pub face: Vec3,
    /// Corners of a ring.
    pub n_sides: u32,
    /// Number of joints that swing; 0 for a lock that an artist left to the head.
    pub n_joints: usize,
    /// Raw VRM settings of each joint.
    pub stiffness: f32,
    /// See `stiffness`.
    pub drag: f32,
    /// Distance kept from colliders, metres.
    pub hit_radius: f32,
    /// Colour.
    pub color: Vec3,
}

/// How the size of a lock runs along it.
#[derive(Clone, Copy)]
pub(in crate::samples) enum Outline {
    /// Evenly to this share of the root's size, then to a point.
    Taper(f32),
    /// Narrow where it is tied, full in the middle, pointed.
    Tied,
}

impl Outline {
    /// Size at a share of the length, 1 at its fullest.
    fn at(self, t: f32) -> f32 {
        match self {
            Self::Taper(left) => {
                // Full at the root, pointed at the very end.
                let point = (1.0 - ((t - 0.72) / 0.28).max(0.0).powi(2)).max(0.12);
                (1.0 - (1.0 - left) * t) * point
            }
            Self::Tied => {
                const AT: [(f32, f32); 7] = [
                    (0.0, 0.62),
                    (0.05, 0.5),
                    (0.12, 0.58),
                    (0.22, 0.8),
                    (0.45, 1.0),
                    (0.75, 0.88),
                    (1.0, 0.1),
                ];
                let next = AT.iter().position(|(at, _)| *at > t).unwrap_or(AT.len() - 1).max(1);
                let ((a, from), (b, to)) = (AT[next - 1], AT[next]);
                let share = ((t - a) / (b - a)).clamp(0.0, 1.0);
                from + (to - from) * share * share * (3.0 - 2.0 * share)
            }
        }
    }
}

impl Lock {
    /// The skin, its middle line and the share of its length at which each vertex lies.
    fn skin(&self) -> (Piece, Vec<f32>) {
        let n = self.line.len();
        let size = |i: usize| self.outline.at(i as f32 / (n - 1) as f32);
        let radii = (0..n).map(|i| self.half.map(|h| h * size(i))).collect();
        let tube = Tube {
            path: self.line.clone(),
            radii,
            n_sides: self.n_sides,
            up: self.face,
            is_capped: true,
        };
        let piece = tube.build();
        let lengths = lengths(&self.line);
        let total = lengths.last().copied().unwrap_or(1.0);
        let along = (0..piece.positions.len())
            .map(|v| {
                let ring = v / self.n_sides as usize;
                // The two last vertices close the tip and the root.
                match piece.positions.len() - v {
                    1 => 0.0,
                    _ => lengths.get(ring.min(n - 1)).copied().unwrap_or(total) / total,
                }
            })
            .collect();
        (piece.labelled(0).colored(self.color), along)
    }

    /// The point at a share of the length.
    fn at(&self, share: f32) -> Vec3 {
        let lengths = lengths(&self.line);
        let wanted = share * lengths.last().copied().unwrap_or(0.0);
        let i = lengths.partition_point(|&l| l < wanted).clamp(1, self.line.len() - 1);
        let (a, b) = (lengths[i - 1], lengths[i]);
        let t = if b > a { (wanted - a) / (b - a) } else { 0.0 };
        self.line[i - 1].lerp(self.line[i], t)
    }
}

fn lengths(line: &[Vec3]) -> Vec<f32> {
    let mut total = 0.0;
    let mut found = vec![0.0];
    for pair in line.windows(2) {
        total += pair[0].distance(pair[1]);
        found.push(total);
    }
    found
}

/// Share of a lock at its root that stays with the head.
const FIXED: f32 = 0.08;

/// All hair of a character, as it is put on.
pub(in crate::samples) struct Wig<'a> {
    sample: &'a mut Sample,
    head: NodeIndex,
    skin: SkinIndex,
    vrm: Vrm,
}

impl<'a> Wig<'a> {
    /// A wig on the node `head`, with a skin of its own that shares the head with the body's.
    pub fn new(sample: &'a mut Sample, head: NodeIndex) -> Self {
        let character = &mut sample.character;
        let bind = character.skins.first().and_then(|skin| {
            let at = skin.joints.iter().position(|&j| j == head)?;
            skin.joint_from_mesh.get(at).copied()
        });
        let skin = SkinIndex::from_index(character.skins.len());
        character.skins.push(Skin {
            name: "Hair".into(),
            joints: vec![head],
            joint_from_mesh: vec![bind.unwrap_or(Mat4::IDENTITY)],
            has_binds: true,
            source: None,
        });
        let vrm = Vrm {
            version: VrmVersion::V1,
            springs: Vec::new(),
            colliders: Vec::new(),
            groups: Vec::new(),
            expressions: Vec::new(),
        };
        Self { sample, head, skin, vrm }
    }

    /// Adds a collider group of capsules in the world: node, ends, radius.
    pub fn colliders(&mut self, name: &str, shapes: &[(NodeIndex, Vec3, Vec3, f32)]) {
        let world = self.sample.character.loaded_world();
        let mut group = ColliderGroup { name: name.to_owned(), colliders: Vec::new() };
        for &(node, a, b, radius) in shapes {
            let local = world.matrix(node).inverse();
            let at = self.vrm.colliders.len();
            group.colliders.push(at);
            self.vrm.colliders.push(Collider {
                name: self.sample.character.skeleton.name(node).to_owned(),
                node,
                shape: ColliderShape::Capsule {
                    a: local.transform_point3(a),
                    b: local.transform_point3(b),
                    radius,
                    inside: false,
                },
                origin: ColliderOrigin::Authored(at as u32),
                state: ColliderState::AsFound,
            });
        }
        self.vrm.groups.push(group);
    }

    /// Adds `locks` as one mesh.
    pub fn mesh(&mut self, name: &str, locks: &[Lock]) {
        let mut whole = Piece::default();
        let mut influences = Influences::with_capacity(0);
        let first: u32 = self.sample.character.surface_offsets().last().copied().unwrap_or(0);
        for lock in locks {
            let (piece, along) = lock.skin();
            let joints = self.joints(lock);
            for share in along {
                influences.push(weights(share, &joints));
            }
            let from = first + whole.positions.len() as u32;
            let n = piece.positions.len() as u32;
            self.sample.truth.strands.push(TruthStrand {
                name: lock.name.clone(),
                vertices: (from..from + n).map(crate::model::SurfaceVertex).collect(),
                line: lock.line.clone(),
                radius_m: lock.half[0].min(lock.half[1]),
            });
            whole.append(&piece);
        }
        let character = &mut self.sample.character;
        let node =
            Node { name: name.to_owned(), parent: None, local: Transform::IDENTITY, source: None };
        let carrier = character.skeleton.push(node).unwrap_or_default();
        let mesh = MeshIndex::from_index(character.meshes.len());
        character.meshes.push(Mesh {
            name: name.to_owned(),
            positions: Arc::new(whole.positions),
            triangles: Arc::new(whole.triangles),
            normals: Arc::new(whole.normals),
            colors: Arc::new(whole.colors.iter().map(|c| c.extend(1.0)).collect()),
            influences: Some(Arc::new(influences)),
            material: Some(0),
            ..Mesh::default()
        });
        character.instances.push(MeshInstance {
            mesh,
            node: carrier,
            skin: Some(self.skin),
            is_visible: true,
        });
    }

    /// The joints of a lock, and its spring; the end is a node that is no joint of the skin.
    fn joints(&mut self, lock: &Lock) -> Vec<JointIndex> {
        let character = &mut self.sample.character;
        let world = character.loaded_world();
        let mut parent = self.head;
        let mut parent_world = world.matrix(self.head);
        let mut joints = vec![JointIndex(0)];
        let mut spring = VrmSpring {
            name: lock.name.clone(),
            joints: Vec::new(),
            end: None,
            center: None,
            groups: (0..self.vrm.groups.len()).collect(),
            source: self.vrm.springs.len() as u32,
        };
        for i in 0..=lock.n_joints {
            if lock.n_joints == 0 {
                break;
            }
            let share = FIXED + (1.0 - FIXED) * i as f32 / lock.n_joints as f32;
            let place = lock.at(share);
            let is_end = i == lock.n_joints;
            let suffix = if is_end { "end".to_owned() } else { (i + 1).to_string() };
            let local = Transform::from_translation(parent_world.inverse().transform_point3(place));
            let node = character
                .skeleton
                .push(Node {
                    name: format!("{}_{suffix}", lock.name),
                    parent: Some(parent),
                    local,
                    source: None,
                })
                .unwrap_or_default();
            parent_world *= Affine3A::from_translation(local.translation);
            parent = node;
            if is_end {
                spring.end = Some(node);
                continue;
            }
            spring.joints.push(VrmSpringJoint {
                node,
                hit_radius: lock.hit_radius,
                stiffness: lock.stiffness,
                gravity_power: 0.0,
                gravity_dir: Vec3::NEG_Y,
                drag_force: lock.drag,
            });
            if let Some(skin) = character.skins.get_mut(self.skin.index()) {
                joints.push(JointIndex::from_index(skin.joints.len()));
                skin.joints.push(node);
                skin.joint_from_mesh.push(Mat4::from(parent_world.inverse()));
            }
        }
        if !spring.joints.is_empty() {
            self.vrm.springs.push(spring);
        }
        joints
    }

    /// Puts the springs on the character.
    pub fn finish(self) {
        self.sample.character.vrm = Some(Arc::new(self.vrm));
    }
}

/// An artist's weights: each joint takes over from the one before about where it stands, softly.
fn weights(share: f32, joints: &[JointIndex]) -> Vec<(JointIndex, f32)> {
    let Some((&head, swinging)) = joints.split_first() else { return Vec::new() };
    let segment = (1.0 - FIXED) / swinging.len() as f32;
    handover((share - FIXED) / segment, head, swinging)
}
