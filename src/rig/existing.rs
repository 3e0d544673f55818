//! Chains that are in the file already, and those made by hand.
//!
//! Based on: spec 1.4 ("existing chains"), 2.4, 8 (W6, 4.1).

use std::collections::BTreeSet;

use glam::Vec3;

use super::RigSettings;
use super::hair::vrm_chains;
use crate::detect::Detection;
use crate::model::{
    BindPose, Chain, ChainOrigin, Character, HairSettings, NodeIndex, RegionKind, SkinIndex,
    SpringSettings, Strand, Tip,
};

/// Existing chains, then those by hand, each with its tip; [`tune`] says which are driven.
///
/// A chain by hand stands in for the existing ones that hold any of its joints, stated by VRM metadata or found: no
/// joint is turned by two.
pub(super) fn existing_chains(
    character: &Character,
    detection: &Detection,
    settings: &RigSettings,
) -> Vec<Chain> {
    let runs: Vec<&Vec<NodeIndex>> =
        settings.by_hand.iter().filter(|run| is_run(character, run)).collect();
    let loads = if runs.is_empty() { Vec::new() } else { total_loads(character) };
    let by_hand: Vec<(&[NodeIndex], Option<NodeIndex>)> =
        runs.into_iter().map(|run| without_helper(run, &loads)).collect();
    let mut taken: BTreeSet<NodeIndex> =
        by_hand.iter().flat_map(|(joints, _)| joints.iter().copied()).collect();
    let is_free = |joints: &[NodeIndex], taken: &BTreeSet<NodeIndex>| {
        !joints.iter().any(|j| taken.contains(j))
    };
    // What VRM metadata calls a spring is no guess.
    let stated = vrm_chains(character, detection, &settings.hair);
    let of_springs: Vec<NodeIndex> = stated.iter().flat_map(|c| c.joints.iter().copied()).collect();
    let mut chains: Vec<Chain> =
        stated.into_iter().filter(|c| is_free(&c.joints, &taken)).collect();
    taken.extend(of_springs);
    let bind = &detection.bind;
    let found = detection.existing.iter().filter(|found| is_free(&found.joints, &taken));
    chains.extend(found.filter_map(|found| {
        let end = match found.tip {
            Tip::Node(node) => Some(node),
            Tip::Virtual(_) => None,
        };
        chain(character, bind, &found.joints, end)
    }));
    chains.extend(
        by_hand.into_iter().filter_map(|(joints, end)| chain(character, bind, joints, end)),
    );
    chains
}

/// A run without its last joint where that one moves nothing: it marks the end.
fn without_helper<'a>(run: &'a [NodeIndex], loads: &[f32]) -> (&'a [NodeIndex], Option<NodeIndex>) {
    match run.split_last() {
        Some((last, rest))
            if !rest.is_empty() && loads.get(last.index()).is_none_or(|&load| load == 0.0) =>
        {
            (rest, Some(*last))
        }
        _ => (run, None),
    }
}

/// Gives chains the springs that `settings` have for them, and says which are driven: all that changes when a spring
/// slider moves, without rigging anew.
///
/// Grown chains are driven. Of the existing ones those are whose first joint is named as ours are (`Tail_1`,
/// `Tail2_1`) and those made by hand; the settings overrule by that name. The general settings are a tail's: what is
/// no tail, and what forks off one, is not lifted and keeps its modelled shape unless its own settings say otherwise.
pub fn tune(chains: &mut [Chain], detection: &Detection, settings: &RigSettings) {
    let grown: BTreeSet<NodeIndex> = chains
        .iter()
        .filter(|c| c.origin != ChainOrigin::Existing)
        .flat_map(|c| c.joints.iter().copied())
        .collect();
    for chain in chains {
        chain.settings = settings.springs;
        tune_hair(chain, settings);
        match chain.origin {
            ChainOrigin::Grown(id) => {
                let region = detection.regions.iter().find(|r| r.id == id);
                let own = region.and_then(|r| settings.treatment(id, r.kind).springs);
                let is_tail = region.is_none_or(|r| r.kind == RegionKind::Tail);
                chain.settings = own.unwrap_or_else(|| {
                    let is_fork = grown.contains(&chain.anchor);
                    let general = settings.springs;
                    if is_tail && !is_fork { general } else { unlifted(general, is_tail) }
                });
                chain.is_driven = true;
            }
            ChainOrigin::Strand(_) => chain.is_driven = true,
            ChainOrigin::Existing if chain.hair.is_some() => {
                chain.is_driven = settings.existing.get(&chain.name).copied().unwrap_or(true);
            }
            ChainOrigin::Existing => {
                let by_name = settings.existing.get(&chain.name).copied();
                let is_by_hand = settings.by_hand.iter().any(|run| run.starts_with(&chain.joints));
                chain.is_driven = by_name.unwrap_or(is_by_hand || is_named_as_ours(&chain.name));
            }
        }
    }
}

/// Gives a strand the settings that the plan has for it: its own, its chain's by name, or those of all. A chain that
/// is called a skirt becomes one, and swings as cloth where no file says how.
fn tune_hair(chain: &mut Chain, settings: &RigSettings) {
    let plan = &settings.hair;
    let picked = match chain.origin {
        ChainOrigin::Strand(at) => plan.strands.get(at as usize).and_then(|s| s.settings),
        _ => None,
    };
    let is_skirt = plan.is_skirt(&chain.name);
    if is_skirt && chain.hair.is_none() {
        let cloth = HairSettings::preset("cloth").unwrap_or_default();
        chain.hair = Some(Strand::uniform(cloth, chain.joints.len()));
    }
    let Some(strand) = &mut chain.hair else { return };
    let named = plan.by_chain.get(&chain.name).copied();
    let usual = match (is_skirt, strand.source) {
        (true, None) => HairSettings::preset("cloth").unwrap_or_default(),
        _ => plan.settings,
    };
    strand.settings = named.or(picked).unwrap_or(usual);
    strand.is_skirt = is_skirt;
    strand.vrm_fit = plan.vrm_fits.get(&chain.name).copied();
}

/// The same springs for something that is carried as it was modelled. The plane behind is a tail's; legs push the rest.
fn unlifted(springs: SpringSettings, is_tail: bool) -> SpringSettings {
    SpringSettings {
        carry_rad: 0.0,
        rest_curve: 1.0,
        sag_curve: Some(1.0),
        keep_behind: springs.keep_behind && is_tail,
        leg_colliders: springs.leg_colliders || !is_tail,
        ..springs
    }
}

/// Whether joints are a run: each the parent of the next, hanging from something.
fn is_run(character: &Character, run: &[NodeIndex]) -> bool {
    let skeleton = &character.skeleton;
    run.iter().all(|n| n.index() < skeleton.len())
        && run.first().is_some_and(|&n| skeleton.parent(n).is_some())
        && run.windows(2).all(|pair| skeleton.parent(pair[1]) == Some(pair[0]))
}

/// `Tail_1`, `Tail2_1`: what [`Names`](super::names::Names) calls the first joint of a tail.
fn is_named_as_ours(name: &str) -> bool {
    name.strip_prefix("Tail")
        .and_then(|rest| rest.strip_suffix("_1"))
        .is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
}

fn chain(
    character: &Character,
    bind: &BindPose,
    joints: &[NodeIndex],
    end: Option<NodeIndex>,
) -> Option<Chain> {
    let skeleton = &character.skeleton;
    let &first = joints.first()?;
    let anchor = skeleton.parent(first)?;
    Some(Chain {
        name: skeleton.name(first).to_owned(),
        anchor,
        joints: joints.to_vec(),
        tip: end.map_or_else(|| Tip::Virtual(virtual_tip(character, bind, joints)), Tip::Node),
        origin: ChainOrigin::Existing,
        settings: SpringSettings::default(),
        hair: None,
        is_driven: false,
    })
}

/// End of a chain without a helper, in the last joint's own frame: the incoming tangent, as long as the previous link.
///
/// The tangent is the bind pose's, taken into the last joint's frame: copied from the parent's frame it would be wrong
/// once the last joint is turned against its parent. A single joint ends at its farthest vertex.
fn virtual_tip(character: &Character, bind: &BindPose, run: &[NodeIndex]) -> Vec3 {
    let Some(&last) = run.last() else { return Vec3::ZERO };
    let local_from_bind = bind.world.matrix(last).inverse();
    let head = bind.position(last);
    let incoming = match run.len().checked_sub(2).and_then(|i| run.get(i)) {
        Some(&before) => head - bind.position(before),
        None => farthest_vertex(character, bind, last).map_or(Vec3::ZERO, |p| p - head),
    };
    let incoming = if incoming.length_squared() > 0.0 {
        incoming
    } else {
        // Nothing to see of where it points: a stub from its parent, as detection takes for leaves.
        let parent = character.skeleton.parent(last);
        parent.map_or(Vec3::ZERO, |p| (head - bind.position(p)) * 0.5)
    };
    let tip = local_from_bind.transform_vector3(incoming);
    if tip.is_finite() { tip } else { Vec3::ZERO }
}

/// The vertex farthest from a joint among those it moves most, in bind space.
fn farthest_vertex(character: &Character, bind: &BindPose, joint: NodeIndex) -> Option<Vec3> {
    let head = bind.position(joint);
    let mut farthest: Option<(f32, Vec3)> = None;
    for (index, instance) in character.instances() {
        let Some(mesh) = character.mesh_of(instance) else { continue };
        let (Some(skin), Some(influences)) = (character.skin_of(instance), &mesh.influences) else {
            continue;
        };
        let bind_from_mesh = bind.bind_from_instance(character, index);
        for (v, &p) in mesh.positions.iter().enumerate() {
            let strongest = influences.strongest(v).and_then(|(j, _)| skin.joints.get(j.index()));
            if strongest == Some(&joint) {
                let p = bind_from_mesh.transform_point3(p);
                let distance = p.distance_squared(head);
                if farthest.is_none_or(|(d, _)| distance > d) {
                    farthest = Some((distance, p));
                }
            }
        }
    }
    farthest.map(|(_, p)| p)
}

/// Weights that each node carries over all skins, `[N]`.
fn total_loads(character: &Character) -> Vec<f32> {
    let mut loads = vec![0.0; character.skeleton.len()];
    for skin in 0..character.skins.len() {
        let of = character.joint_loads(SkinIndex::from_index(skin));
        for (sum, load) in loads.iter_mut().zip(of) {
            *sum += load;
        }
    }
    loads
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{Affine3A, Mat4, Quat};

    use super::*;
    use crate::detect::ExistingChain;
    use crate::math::Transform;
    use crate::model::{
        Influences, JointIndex, Mesh, MeshIndex, MeshInstance, Node, Reason, ReasonCode, Region,
        RegionId, RegionScores, Skeleton, Skin, Verdict, Vrm, VrmSpring, VrmSpringJoint,
        VrmVersion,
    };
    use crate::rig::Treatment;

    /// hips → tail → tip, the last joint bent by 90° in the bind pose; vertices at the given places on the tip.
    fn character(weighted: &[u32]) -> Character {
        let node = |name: &str, parent, local| Node {
            name: String::from(name),
            parent,
            local,
            source: None,
        };
        let skeleton = Skeleton::new(vec![
            node("hips", None, Transform::from_translation(Vec3::Y)),
            node(
                "Tail_1",
                Some(NodeIndex(0)),
                Transform::from_translation(Vec3::new(0.0, 0.0, -0.1)),
            ),
            node(
                "Tail_2",
                Some(NodeIndex(1)),
                Transform::from_rotation_translation(
                    Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
                    Vec3::new(0.0, 0.0, -0.3),
                ),
            ),
        ])
        .unwrap();
        let world = Character { skeleton: skeleton.clone(), ..Character::default() }.loaded_world();
        let mut influences = Influences::with_capacity(weighted.len());
        for &joint in weighted {
            influences.push([(JointIndex(joint), 1.0)]);
        }
        let positions = (0..weighted.len())
            .map(|i| Vec3::new(0.0, 1.0, -0.4 - 0.1 * i as f32))
            .collect::<Vec<_>>();
        Character {
            meshes: vec![Mesh {
                positions: Arc::new(positions),
                influences: Some(Arc::new(influences)),
                ..Mesh::default()
            }],
            skins: vec![Skin {
                name: String::new(),
                joints: (0..3).map(NodeIndex).collect(),
                joint_from_mesh: world
                    .world_from_node
                    .iter()
                    .map(|m: &Affine3A| Mat4::from(m.inverse()))
                    .collect(),
                has_binds: true,
                source: None,
            }],
            instances: vec![MeshInstance {
                mesh: MeshIndex(0),
                node: NodeIndex(0),
                skin: Some(SkinIndex(0)),
                is_visible: true,
            }],
            skeleton,
            ..Character::default()
        }
    }

    fn chain_of(character: &Character, run: &[u32]) -> Chain {
        let run: Vec<NodeIndex> = run.iter().copied().map(NodeIndex).collect();
        let bind = BindPose::of(character, None);
        let loads = total_loads(character);
        let (joints, end) = without_helper(&run, &loads);
        chain(character, &bind, joints, end).unwrap()
    }

    #[test]
    fn the_incoming_tangent_is_taken_into_the_last_joint_s_own_frame() {
        let c = character(&[1, 2]);
        let found = chain_of(&c, &[1, 2]);
        assert_eq!((found.name.as_str(), found.anchor), ("Tail_1", NodeIndex(0)));
        let Tip::Virtual(tip) = found.tip else { panic!("nothing marks the tip") };
        // The link runs along -z, 0.3 long; the last joint is turned by +90° about x.
        let expected =
            Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2) * Vec3::new(0.0, 0.0, -0.3);
        assert!(tip.distance(expected) < 1e-6, "{tip}");
    }

    #[test]
    fn an_unweighted_last_joint_is_the_tip() {
        let found = chain_of(&character(&[1, 1]), &[1, 2]);
        assert_eq!(found.joints, [NodeIndex(1)]);
        assert_eq!(found.tip, Tip::Node(NodeIndex(2)));
    }

    #[test]
    fn a_single_joint_ends_at_its_farthest_vertex() {
        let c = character(&[2, 2, 2]);
        let Tip::Virtual(tip) = chain_of(&c, &[2]).tip else { panic!("nothing marks the tip") };
        assert!((tip.length() - 0.2).abs() < 1e-6, "from -0.4 to -0.6: {tip}");
    }

    fn region(id: u32, kind: RegionKind) -> Region {
        Region {
            id: RegionId(id),
            kind,
            verdict: Verdict::Chain,
            reason: Reason { code: ReasonCode::Tail, value: 0.0, mark: 0.0 },
            attachment: NodeIndex(0),
            vertices: Vec::new(),
            far: Vec::new(),
            collar: Vec::new(),
            collar_center: Vec3::ZERO,
            centroid: Vec3::ZERO,
            axes: [Vec3::X, Vec3::Y, Vec3::Z],
            is_own_shell: false,
            mirrored: None,
            scores: RegionScores::default(),
            tests: Vec::new(),
            made: None,
        }
    }

    #[test]
    fn a_tail_is_lifted_but_neither_its_fork_nor_a_cape() {
        let chain = |anchor, joint, origin| Chain {
            name: "Tail_1".into(),
            anchor: NodeIndex(anchor),
            joints: vec![NodeIndex(joint)],
            tip: Tip::Virtual(Vec3::Y),
            origin,
            settings: SpringSettings::default(),
            hair: None,
            is_driven: false,
        };
        let grown = |id| ChainOrigin::Grown(RegionId(id));
        let mut chains = [
            chain(0, 1, grown(0)),
            chain(1, 2, grown(0)),
            chain(0, 3, grown(1)),
            chain(0, 4, ChainOrigin::Existing),
        ];
        let detection = Detection {
            regions: vec![region(0, RegionKind::Tail), region(1, RegionKind::Garment)],
            ..Detection::default()
        };
        let mut settings = RigSettings::default();
        tune(&mut chains, &detection, &settings);
        let lifted = chains.each_ref().map(|c| c.settings.carry_rad > 0.0);
        assert_eq!(lifted, [true, false, false, true]);
        assert!(chains[1].settings.keep_behind && !chains[2].settings.keep_behind);
        assert!(chains.iter().all(|c| c.is_driven), "the existing one is named as ours are");

        let own = SpringSettings { carry_rad: 0.3, ..SpringSettings::default() };
        let treatment = Treatment { springs: Some(own), ..Treatment::default() };
        settings.by_kind.insert(RegionKind::Garment, treatment);
        settings.existing.insert("Tail_1".into(), false);
        tune(&mut chains, &detection, &settings);
        assert_eq!(chains[2].settings, own);
        assert!(!chains[3].is_driven);
    }

    #[test]
    fn our_own_names_are_known() {
        for name in ["Tail_1", "Tail2_1", "Tail13_1"] {
            assert!(is_named_as_ours(name), "{name}");
        }
        for name in ["tail_1", "Tail", "Tail_2", "TailBone_1", "Tailx_1"] {
            assert!(!is_named_as_ours(name), "{name}");
        }
    }

    #[test]
    fn a_chain_by_hand_stands_in_for_springs_and_found_chains_that_hold_its_joints() {
        let mut c = character(&[1, 2]);
        let joint = |node: u32| VrmSpringJoint {
            node: NodeIndex(node),
            hit_radius: 0.02,
            stiffness: 1.0,
            gravity_power: 0.0,
            gravity_dir: Vec3::NEG_Y,
            drag_force: 0.5,
        };
        let spring = VrmSpring {
            name: "Tail".into(),
            joints: vec![joint(1), joint(2)],
            end: None,
            center: None,
            groups: Vec::new(),
            source: 0,
        };
        c.vrm = Some(Arc::new(Vrm {
            version: VrmVersion::V1,
            springs: vec![spring],
            colliders: Vec::new(),
            groups: Vec::new(),
            expressions: Vec::new(),
        }));
        let found = ExistingChain {
            name: "Tail_1".into(),
            joints: vec![NodeIndex(1), NodeIndex(2)],
            tip: Tip::Virtual(Vec3::Y),
        };
        let bind = BindPose::of(&c, None);
        let detection = Detection { bind, existing: vec![found], ..Detection::default() };
        let chains = |character: &Character, run: &[u32]| -> Vec<(Vec<u32>, bool)> {
            let mut settings = RigSettings::default();
            if !run.is_empty() {
                settings.by_hand.insert(run.iter().copied().map(NodeIndex).collect());
            }
            let chains = existing_chains(character, &detection, &settings);
            let joints = |c: &Chain| -> Vec<u32> { c.joints.iter().map(|j| j.0).collect() };
            chains.iter().map(|c| (joints(c), c.hair.is_some())).collect()
        };
        assert_eq!(chains(&c, &[]), [(vec![1, 2], true)], "what metadata says is no guess");
        assert_eq!(chains(&c, &[1, 2]), [(vec![1, 2], false)]);
        assert_eq!(chains(&c, &[2]), [(vec![2], false)], "no joint is turned by two");
        c.vrm = None;
        assert_eq!(chains(&c, &[]), [(vec![1, 2], false)]);
        assert_eq!(chains(&c, &[2]), [(vec![2], false)]);
    }

    #[test]
    fn a_run_by_hand_must_be_one() {
        let c = character(&[2]);
        let run = |nodes: &[u32]| nodes.iter().copied().map(NodeIndex).collect::<Vec<_>>();
        assert!(is_run(&c, &run(&[1, 2])));
        assert!(!is_run(&c, &run(&[2, 1])));
        assert!(!is_run(&c, &run(&[0])), "the root hangs from nothing");
        assert!(!is_run(&c, &run(&[7])));
        assert!(!is_run(&c, &[]));
    }
}
