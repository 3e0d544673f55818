//! The published VRM algorithm, against a recording of `@pixiv/three-vrm-springbone` (tests/reference).

use glam::{EulerRot, Quat, Vec3};
use serde::Deserialize;

use crate::math::{Transform, ops};
use crate::model::{
    BindPose, BodyMeasures, Chain, ChainOrigin, Character, ColliderIndex, ColliderShape, HairLink,
    HairSettings, HairSolver, Node, NodeIndex, Pose, RawLink, Rigged, Skeleton, SpringSettings,
    Strand, Tip, WorldPose,
};
use crate::motion::{
    Anchor, ChainTopology, ColliderPose, SpringChain, Springs, StepSize, Surroundings,
};

const RECORDING: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/vrm_springs.json"));

/// One case of the recording.
#[derive(Deserialize)]
struct Case {
    center: bool,
    colliders: bool,
    /// Ends of all links, six times a second.
    frames: Vec<Vec<[f32; 3]>>,
}

const N_JOINTS: usize = 6;
const HEAD: NodeIndex = NodeIndex(2);

fn euler(x: f32, y: f32, z: f32) -> Quat {
    Quat::from_euler(EulerRot::XYZ, x, y, z)
}

/// hips, chest, head, and the chain on the head, as in `vrm_springs.mjs`.
fn rigged(raw: impl Fn(usize) -> RawLink) -> Rigged {
    let node = |name: &str, parent: Option<u32>, local: Transform| Node {
        name: name.into(),
        parent: parent.map(NodeIndex),
        local,
        source: None,
    };
    let at = |x, y, z| Transform::from_translation(Vec3::new(x, y, z));
    let mut nodes = vec![
        node("hips", None, at(0.0, 1.0, 0.0)),
        node("chest", Some(0), at(0.0, 0.35, 0.0)),
        node("head", Some(1), at(0.0, 0.25, 0.0)),
    ];
    for j in 0..=N_JOINTS {
        let place = match j {
            0 => Vec3::new(0.02, 0.06, -0.11),
            _ => Vec3::new(0.008, -0.06, -0.012),
        };
        let turn = if j < 3 { euler(0.1, 0.2 * j as f32, -0.15) } else { Quat::IDENTITY };
        let local = Transform::from_rotation_translation(turn, place);
        nodes.push(node("hair", Some(2 + j as u32), local));
    }
    let settings = HairSettings { solver: HairSolver::VrmApp, ..HairSettings::default() };
    let mut strand = Strand::uniform(settings, N_JOINTS);
    strand.links = (0..N_JOINTS)
        .map(|j| HairLink { raw: raw(j), sag: Some(Vec3::ZERO), ..HairLink::default() })
        .collect();
    // As read from a file: the raw values are the file's own.
    strand.source = Some(0);
    strand.colliders = (0..4).map(ColliderIndex).collect();
    let chain = Chain {
        name: "hair".into(),
        anchor: HEAD,
        joints: (3..3 + N_JOINTS as u32).map(NodeIndex).collect(),
        tip: Tip::Node(NodeIndex(3 + N_JOINTS as u32)),
        origin: ChainOrigin::Existing,
        settings: SpringSettings::default(),
        hair: Some(strand),
        is_driven: true,
    };
    let character = Character { skeleton: Skeleton::new(nodes).unwrap(), ..Character::default() };
    let body = BodyMeasures::default();
    let bind = BindPose::of(&character, None);
    Rigged { bind, character, chains: vec![chain], body, ..Rigged::default() }
}

/// World matrices with the body as it is at `t`, by the formulas of the script.
fn body(rigged: &Rigged, t: f32) -> WorldPose {
    let s = |x: f32| ops::sin(t * x);
    let mut pose = Pose::loaded(&rigged.character.skeleton);
    pose.locals[0].translation = Vec3::new(0.15 * s(2.1), 1.0 + 0.05 * s(6.0), 0.3 * s(1.0));
    pose.locals[1].rotation = euler(0.1 * s(3.0), 0.2 * s(2.0), 0.0);
    pose.locals[2].rotation = euler(0.3 * s(4.0), 0.8 * s(2.7), 0.1 * s(5.0));
    let mut world = WorldPose::default();
    let root = rigged.character.root_matrix();
    pose.to_world(&rigged.character.skeleton, &root, &mut world);
    world
}

fn colliders(world: &WorldPose) -> Vec<ColliderPose> {
    let capsule =
        |a: Vec3, b: Vec3, radius, inside| ColliderShape::Capsule { a, b, radius, inside };
    let v = Vec3::new;
    let (crown, nape) = (v(0.0, 0.02, 0.02), v(0.0, -0.1, -0.1));
    let plane =
        ColliderShape::Plane { point: v(0.0, 0.0, -0.02), normal: v(0.0, 0.28, -0.96).normalize() };
    [
        (2, capsule(crown, crown, 0.1, false)),
        (1, capsule(v(0.15, 0.1, 0.0), v(-0.15, 0.1, 0.0), 0.09, false)),
        (0, plane),
        (2, capsule(nape, nape, 0.45, true)),
    ]
    .map(|(node, shape)| ColliderPose::of(&shape, &world.matrix(NodeIndex(node))))
    .to_vec()
}

fn raw(case: usize, j: usize) -> RawLink {
    let j = j as f32;
    match case {
        0 | 1 => RawLink {
            stiffness: 1.0 - 0.08 * j,
            drag: 0.4,
            gravity: Vec3::NEG_Y * 0.3,
            hit_radius: 0.02,
        },
        _ => RawLink {
            stiffness: 0.4,
            drag: 0.15,
            gravity: Vec3::new(0.6, -0.8, 0.0) * 0.5,
            hit_radius: 0.01 + 0.002 * j,
        },
    }
}

#[test]
fn the_vrm_rule_moves_as_three_vrm_does_for_five_seconds() {
    let cases: Vec<Case> = serde_json::from_str(RECORDING).unwrap();
    assert_eq!(cases.len(), 4);
    for (number, case) in cases.iter().enumerate() {
        let rigged = rigged(|j| raw(number, j));
        let topology = ChainTopology::new(&rigged, &rigged.chains[0]);
        let length = topology.length_m();
        let chain = SpringChain {
            topology: topology.clone(),
            settings: SpringSettings::default(),
            fork: None,
            hair: rigged.chains[0].hair.clone(),
        };
        let mut springs = Springs::new(vec![chain], StepSize::default());
        let rest = body(&rigged, 0.0);
        springs.reset_at(&[Anchor::of(&topology, &rest.matrix(HEAD))]);
        let mut worst = 0.0_f32;
        // The centre's place before the first substep counts too.
        let still = [Some(Anchor::of_node(&rest.matrix(NodeIndex(0))))];
        springs.measure_from(if case.center { &still } else { &[] });
        for n in 1..=600_u32 {
            let world = body(&rigged, n as f32 / 120.0);
            let anchor = Anchor::of(&topology, &world.matrix(HEAD));
            let placed = if case.colliders { colliders(&world) } else { Vec::new() };
            let centers = [case.center.then(|| Anchor::of_node(&world.matrix(NodeIndex(0))))];
            // The published rule tests poses, not what lies between them.
            let around = Surroundings { before: &placed, now: &placed, centers: &centers };
            springs.step_among(&[anchor], &[], &around, f64::from(n) / 120.0);
            if n % 20 == 0 {
                let frame = &case.frames[n as usize / 20 - 1];
                for (i, &end) in frame.iter().enumerate() {
                    worst = worst.max(springs.link(0, i).end.distance(Vec3::from_array(end)));
                }
            }
        }
        assert!(worst < 1e-4 * length, "case {number}: {} of the length", worst / length);
    }
}
