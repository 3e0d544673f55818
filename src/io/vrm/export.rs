//! Our chains as VRM springs: the physical settings mapped to raw ones, the other way round from reading.
//!
//! A stiffness of 250/s² is VRM's 1, a damping of 10/s its usual drag; gravity is written so that a strand at rest
//! hangs as it does here. Coupling, bend limits, whole-link tests and the held arc have no counterpart.
//!
//! Based on: spec 8 (4.3: VRM values map to these; the raw ones are kept).

use glam::Vec3;

use crate::model::{
    Chain, ChainOrigin, ColliderIndex, HairSettings, Rigged, Strand, Tip, VrmSpring,
    VrmSpringJoint, VrmVersion,
};

/// Raw VRM values of one link.
struct Raw {
    stiffness: f32,
    drag: f32,
    gravity_power: f32,
    hit_radius: f32,
}

const fn usual_drag(version: VrmVersion) -> f32 {
    match version {
        VrmVersion::V0 => 0.4,
        VrmVersion::V1 => 0.5,
    }
}

/// Raw stiffness for a pull of `k` per s².
fn stiffness(k: f32) -> f32 {
    k / HairSettings::IMPROVED.stiffness.root
}

/// Raw drag for motion that dies down at `c` per second.
fn drag(c: f32, version: VrmVersion) -> f32 {
    (c / HairSettings::IMPROVED.damping.root * usual_drag(version)).clamp(0.0, 1.0)
}

/// The chains that rigging added, as springs, with what each is kept out of.
pub(crate) fn added_springs(
    rigged: &Rigged,
    version: VrmVersion,
) -> Vec<(VrmSpring, Vec<ColliderIndex>)> {
    rigged
        .chains
        .iter()
        .filter(|c| c.origin != ChainOrigin::Existing)
        .map(|chain| {
            let colliders = chain.hair.as_ref().map_or_else(Vec::new, |s| s.colliders.clone());
            (spring(rigged, chain, version), colliders)
        })
        .collect()
}

fn spring(rigged: &Rigged, chain: &Chain, version: VrmVersion) -> VrmSpring {
    let root = rigged.character.world_from_file;
    let end = match chain.tip {
        Tip::Node(node) => Some(node),
        Tip::Virtual(_) => None,
    };
    let down = root.rotation.inverse() * Vec3::NEG_Y;
    let joints = chain
        .joints
        .iter()
        .enumerate()
        .map(|(i, &node)| {
            let next = chain.joints.get(i + 1).copied().or(end);
            let length = next.map_or(0.1, |next| {
                rigged.bind.position(node).distance(rigged.bind.position(next)).max(1e-4)
            });
            let raw = raw(rigged, chain, (i, length), version);
            VrmSpringJoint {
                node,
                hit_radius: raw.hit_radius / root.scale,
                stiffness: raw.stiffness,
                gravity_power: raw.gravity_power,
                gravity_dir: down,
                drag_force: raw.drag,
            }
        })
        .collect();
    VrmSpring { name: chain.name.clone(), joints, end, center: None, groups: Vec::new(), source: 0 }
}

fn raw(rigged: &Rigged, chain: &Chain, (i, length): (usize, f32), version: VrmVersion) -> Raw {
    let n = chain.joints.len();
    let size = rigged.body.size_ratio();
    match &chain.hair {
        Some(strand) => {
            let own = strand.links.get(i).copied().unwrap_or_default();
            let settings = &strand.settings;
            let k = settings.stiffness.at(i, n);
            Raw {
                stiffness: stiffness(k * own.stiffness),
                drag: drag(settings.damping.at(i, n) * own.damping, version),
                gravity_power: settings.gravity * size / (k * length).max(1e-6),
                hit_radius: own.radius_m.unwrap_or(settings.radius_m.at(i, n) * size),
            }
        }
        None => {
            let settings = &chain.settings;
            let omega = std::f32::consts::TAU * settings.frequency_hz.at(i, n);
            let k = omega * omega;
            Raw {
                stiffness: stiffness(k),
                drag: drag(2.0 * settings.damping_ratio.at(i, n) * omega, version),
                gravity_power: settings.gravity * size / (k * length).max(1e-6),
                hit_radius: settings.radius_m.at(i, n) * size,
            }
        }
    }
}

/// How far the user has turned an authored strand's settings: factors of stiffness and of drag at link `i` of `n`.
pub(crate) fn factors(strand: &Strand, i: usize, n: usize) -> (f32, f32) {
    let usual = HairSettings::IMPROVED;
    (
        strand.settings.stiffness.at(i, n) / usual.stiffness.root,
        strand.settings.damping.at(i, n) / usual.damping.root,
    )
}

/// Authored strands whose stiffness or damping is not as it was read.
pub(crate) fn retuned(rigged: &Rigged) -> impl Iterator<Item = (&Chain, &Strand, usize)> {
    let usual = HairSettings::IMPROVED;
    let is_other = move |s: &Strand| {
        s.settings.stiffness != usual.stiffness || s.settings.damping != usual.damping
    };
    rigged.chains.iter().filter_map(move |chain| {
        let strand = chain.hair.as_ref().filter(|s| is_other(s))?;
        Some((chain, strand, strand.source?))
    })
}
