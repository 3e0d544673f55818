//! What the benches share: a generated hips joint with tails on it and a tube of skin, without any file.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Quat, Vec3};
use tailbone::math::Transform;
use tailbone::model::{
    BindPose, BodyMeasures, Chain, ChainOrigin, Character, Clip, Influences, Interpolation,
    JointIndex, Mesh, MeshIndex, MeshInstance, Node, NodeIndex, RegionId, Rigged, Skeleton, Skin,
    SkinIndex, SpringSettings, Tip, Track, TrackValues,
};

/// A hips joint with `n_tails` tails of `n_links` links, 0.9 m each.
pub fn tails(n_tails: usize, n_links: usize) -> Rigged {
    let mut skeleton = Skeleton::default();
    let mut push = |name: String, parent: Option<NodeIndex>, at: Vec3| {
        let local = Transform::from_translation(at);
        skeleton.push(Node { name, parent, local, source: None }).unwrap()
    };
    let hips = push("Hips".into(), None, Vec3::Y * 0.955);
    let mut chains = Vec::new();
    for t in 0..n_tails {
        let mut parent = hips;
        let mut joints = Vec::new();
        let side = 0.02 * t as f32 - 0.01 * n_tails as f32;
        for link in 0..=n_links {
            let step = Vec3::new(0.0, -0.8, -0.4).normalize() * 0.9 / n_links as f32;
            let at = if link == 0 { Vec3::new(side, 0.0, -0.1) } else { step };
            parent = push(format!("Tail{t}_{link}"), Some(parent), at);
            joints.push(parent);
        }
        let tip = Tip::Node(joints.pop().unwrap());
        chains.push(Chain {
            name: format!("Tail{t}"),
            anchor: hips,
            joints,
            tip,
            origin: ChainOrigin::Grown(RegionId(t as u32)),
            settings: SpringSettings::default(),
            hair: None,
            is_driven: true,
        });
    }
    let character = Character { skeleton, ..Character::default() };
    let bind = BindPose::of(&character, None);
    Rigged { character, chains, bind, body: BodyMeasures::default(), ..Rigged::default() }
}

/// A walk of the hips.
pub fn walk(t: f32) -> Affine3A {
    let phase = std::f32::consts::TAU * t / 1.33;
    let (sin, cos) = (libm::sinf(phase), libm::cosf(phase));
    Affine3A::from_rotation_translation(
        Quat::from_rotation_y(0.15 * sin),
        Vec3::new(0.025 * cos, 0.955 + 0.02 * sin, 0.0),
    )
}

/// That walk as a looping clip of `secs`.
pub fn walk_clip(secs: f64) -> Clip {
    let n = (secs * 30.0).round() as usize;
    let times: Vec<f32> = (0..=n).map(|k| (secs * k as f64 / n as f64) as f32).collect();
    let at = |k: usize| walk((k % n) as f32 / n as f32 * 1.33);
    let track = |values| Track {
        node: NodeIndex(0),
        times: times.clone(),
        values,
        interpolation: Interpolation::Linear,
    };
    let rotations = (0..=n).map(|k| Quat::from_mat3a(&at(k).matrix3)).collect();
    let translations = (0..=n).map(|k| at(k).translation.into()).collect();
    Clip {
        name: "Walk".into(),
        duration_secs: secs,
        looping: true,
        tracks: vec![
            track(TrackValues::Rotation(rotations)),
            track(TrackValues::Translation(translations)),
        ],
        source: None,
    }
}

/// A tube of `rings` × `sides` vertices on all joints of a character, four influences each.
pub fn with_skin(mut rigged: Rigged, rings: usize, sides: usize) -> Rigged {
    let joints: Vec<NodeIndex> = rigged.character.skeleton.indices().collect();
    let n_joints = joints.len();
    let mut positions = Vec::new();
    let mut influences = Influences::with_capacity(rings * sides);
    for ring in 0..rings {
        let along = ring as f32 / (rings - 1) as f32;
        for side in 0..sides {
            let a = std::f32::consts::TAU * side as f32 / sides as f32;
            let around = Vec3::new(libm::cosf(a), 0.0, libm::sinf(a)) * 0.3;
            positions.push(around + Vec3::Y * 1.8 * along);
            let first = (along * (n_joints - 1) as f32) as usize;
            influences.push(
                (0..4).map(|k| {
                    (JointIndex(((first + k) % n_joints) as u32), [0.4, 0.3, 0.2, 0.1][k])
                }),
            );
        }
    }
    let mut triangles = Vec::new();
    for ring in 0..rings as u32 - 1 {
        for side in 0..sides as u32 {
            let at = |r: u32, s: u32| r * sides as u32 + s % sides as u32;
            let (a, b) = (at(ring, side), at(ring, side + 1));
            let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    let binds = joints.iter().map(|&j| Mat4::from(rigged.bind.world.matrix(j)).inverse());
    rigged.character.skins = vec![Skin {
        name: String::new(),
        joint_from_mesh: binds.collect(),
        joints,
        has_binds: true,
        source: None,
    }];
    rigged.character.meshes = vec![Mesh {
        positions: Arc::new(positions),
        triangles: Arc::new(triangles),
        influences: Some(Arc::new(influences)),
        ..Mesh::default()
    }];
    rigged.character.instances = vec![MeshInstance {
        mesh: MeshIndex(0),
        node: NodeIndex(0),
        skin: Some(SkinIndex(0)),
        is_visible: true,
    }];
    rigged
}
