//! Chains that are in the file already, and those made by hand.
//!
//! Based on: spec 1.4 ("existing chains"), 2.4, 8 (W6, 4.1).

use std::collections::BTreeSet;

use glam::Vec3;

use super::RigSettings;
use super::hair::vrm_chains;
use crate::detect::Detection;
use crate::model::{
    BindPose, Chain, ChainOrigin, Character, HairSettings, NodeIndex, RegionKind, Role, SkinIndex,
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
    chains
        .extend(found.filter_map(|found| chain(character, bind, &found.joints, found.tip.node())));
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
/// `Tail2_1`) and those made by hand; the settings overrule by that name, and hold springs of its own for each. The
/// general settings are a tail's: what is no tail, and what forks off one, is not lifted and keeps its modelled shape
/// unless its own settings say otherwise.
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
                let own = settings.existing_springs.get(&chain.name).copied();
                chain.settings = own.unwrap_or_else(|| {
                    let general = settings.springs;
                    if is_tail_root(detection, chain.anchor) {
                        general
                    } else {
                        unlifted(general, false)
                    }
                });
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

/// Whether a chain of the file that hangs from `anchor` can be a tail: not from a joint that the body has for something
/// else, such as the head or an arm.
fn is_tail_root(detection: &Detection, anchor: NodeIndex) -> bool {
    let roles = &detection.humanoid.roles;
    roles.iter().all(|(&role, &node)| node != anchor || role == Role::Hips)
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
#[path = "existing_tests.rs"]
mod tests;
