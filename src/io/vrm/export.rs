//! Our chains as VRM springs, the other way round from reading: see [`Strand::raw`] for the numbers.
//!
//! Based on: spec 8 (4.3: VRM values map to these; the raw ones are kept).

use glam::Vec3;

use crate::model::{
    Chain, ChainOrigin, ColliderIndex, Curve, HairSettings, Rigged, Strand, VrmSpring,
    VrmSpringJoint, VrmVersion,
};

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
    let end = chain.tip.node();
    let down = root.rotation.inverse() * Vec3::NEG_Y;
    let own = chain.hair.clone().unwrap_or_else(|| as_strand(chain, version));
    let n = chain.joints.len();
    let joints = chain
        .joints
        .iter()
        .enumerate()
        .map(|(i, &node)| {
            let next = chain.joints.get(i + 1).copied().or(end);
            let length = next.map_or(0.1, |next| {
                rigged.bind.position(node).distance(rigged.bind.position(next)).max(1e-4)
            });
            let link = own.links.get(i).copied().unwrap_or_default();
            let raw = own.raw(&link, (i, n), length, rigged.body.size_ratio());
            // The file's units: of length, and of length a second.
            VrmSpringJoint {
                node,
                hit_radius: raw.hit_radius / root.scale,
                stiffness: raw.stiffness / root.scale,
                gravity_power: raw.gravity.length() / root.scale,
                gravity_dir: down,
                drag_force: raw.drag,
            }
        })
        .collect();
    VrmSpring { name: chain.name.clone(), joints, end, center: None, groups: Vec::new(), source: 0 }
}

/// A tail's springs as a strand's: its frequency and damping ratio as pull and damping for unit mass.
fn as_strand(chain: &Chain, version: VrmVersion) -> Strand {
    let springs = &chain.settings;
    let omega = |hz: f32| std::f32::consts::TAU * hz;
    let both = |of: &dyn Fn(f32, f32) -> f32| {
        let (hz, ratio) = (springs.frequency_hz, springs.damping_ratio);
        Curve { root: of(hz.root, ratio.root), tip: of(hz.tip, ratio.tip), ease: hz.ease }
    };
    let settings = HairSettings {
        stiffness: both(&|hz, _| omega(hz) * omega(hz)),
        damping: both(&|hz, ratio| 2.0 * ratio * omega(hz)),
        gravity: springs.gravity,
        radius_m: springs.radius_m,
        ..HairSettings::IMPROVED
    };
    let mut strand = Strand::uniform(settings, chain.joints.len());
    for link in &mut strand.links {
        link.raw.drag = version.usual_drag();
    }
    strand
}

/// Authored strands whose raw values are others than the file's, with the place of their spring.
pub(crate) fn retuned(rigged: &Rigged) -> impl Iterator<Item = (&Chain, &Strand, usize)> {
    rigged.chains.iter().filter_map(|chain| {
        let strand = chain.hair.as_ref().filter(|s| s.is_retuned())?;
        Some((chain, strand, strand.source?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NodeIndex, SpringSettings, Tip};

    #[test]
    fn springs_of_a_file_in_centimetres_are_a_hundred_times_those_of_one_in_metres() {
        let chain = Chain {
            name: "Tail".into(),
            anchor: NodeIndex(0),
            joints: vec![NodeIndex(1)],
            tip: Tip::Virtual(Vec3::NEG_Y),
            origin: ChainOrigin::Strand(0),
            settings: SpringSettings::default(),
            hair: None,
            is_driven: true,
        };
        let written = |metres_per_unit: f32| {
            let mut rigged = Rigged::default();
            rigged.character.world_from_file.scale = metres_per_unit;
            rigged.body.height_m = 1.91;
            spring(&rigged, &chain, VrmVersion::V1).joints[0]
        };
        let (metres, centimetres) = (written(1.0), written(0.01));
        assert!(metres.stiffness > 0.0 && metres.gravity_power > 0.0, "{metres:?}");
        for (one, other) in [
            (metres.stiffness, centimetres.stiffness),
            (metres.gravity_power, centimetres.gravity_power),
            (metres.hit_radius, centimetres.hit_radius),
        ] {
            assert!((100.0 * one - other).abs() <= 1e-5 * other, "{metres:?} {centimetres:?}");
        }
        assert_eq!(metres.drag_force, centimetres.drag_force);
    }
}
