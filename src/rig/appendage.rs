//! The report: every region as the command line, the sidecar file and the file's own `extras` tell it.
//!
//! Based on: spec 1.9, 6.

use serde::{Deserialize, Serialize};

use super::RigSettings;
use crate::detect::{Detection, SkeletonSegments};
use crate::model::{
    Chain, ChainOrigin, Character, NodeIndex, ReasonCode, RegionKind, Rigged, Test, Verdict,
};

/// One region in numbers and words. Lengths in metres, bind space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Appendage {
    /// Stable for one detection.
    pub id: u32,
    /// What it is.
    pub kind: RegionKind,
    /// What is done with it.
    pub verdict: Verdict,
    /// Why, in words.
    pub reason: String,
    /// Why, for scripts.
    pub reason_code: ReasonCode,
    /// Whether the user decided, not the program.
    pub by_user: bool,
    /// Name of the joint it hangs from.
    pub attachment: String,
    /// Number of the file's own, unwelded vertices.
    pub vertices: usize,
    /// Number of those far from the skeleton.
    pub far_vertices: usize,
    /// Largest straight distance from the collar's centre.
    pub reach_m: f32,
    /// L.
    pub length_m: f32,
    /// Root of λ1 / λ2.
    pub elongation: f32,
    /// Root of λ2 / λ3.
    pub flatness: f32,
    /// Largest first, m².
    pub eigenvalues: [f32; 3],
    /// Skeleton distance of the far part's centroid over the reach.
    pub centroid_ratio: f32,
    /// 95th percentile of the skeleton distance over the reach.
    pub protrusion: f32,
    /// Reach over the radius of the collar.
    pub slenderness: f32,
    /// 0 to 1: how far the verdict is from flipping.
    pub margin: f32,
    /// Every test it was put to, each with its mark and signed margin.
    #[serde(default)]
    pub tests: Vec<Test>,
    /// Where it hangs.
    pub collar_center: [f32; 3],
    /// Mean weighted distance from its vertices to what drives them in the file.
    pub joint_distance_before_m: f32,
    /// The same with the new weights; `None` where nothing was rigged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_distance_after_m: Option<f32>,
    /// Names of its joints, root to tip, the end too; one chain after another for forks and columns.
    #[serde(default)]
    pub chain: Vec<String>,
}

/// The report on what was found, before anything is rigged.
pub fn appendages(character: &Character, detection: &Detection) -> Vec<Appendage> {
    detection
        .regions
        .iter()
        .map(|region| {
            let scores = &region.scores;
            Appendage {
                id: region.id.0,
                kind: region.kind,
                verdict: region.verdict,
                reason: region.reason.to_string(),
                reason_code: region.reason.code,
                by_user: region.reason.code == ReasonCode::ByUser,
                attachment: name(character, region.attachment),
                vertices: region.vertices.len(),
                far_vertices: region.far.len(),
                reach_m: scores.reach_m,
                length_m: scores.length_m,
                elongation: scores.elongation,
                flatness: scores.flatness,
                eigenvalues: scores.eigenvalues,
                centroid_ratio: scores.centroid_ratio,
                protrusion: scores.protrusion,
                slenderness: scores.slenderness,
                margin: scores.margin,
                tests: region.tests.clone(),
                collar_center: region.collar_center.to_array(),
                joint_distance_before_m: scores.joint_distance_m,
                joint_distance_after_m: None,
                chain: Vec::new(),
            }
        })
        .collect()
}

/// The report on what rigging made of it.
///
/// Cost: O(vertices of the rigged regions × joints) for the distances.
pub fn rigged_appendages(
    detection: &Detection,
    settings: &RigSettings,
    rigged: &Rigged,
) -> Vec<Appendage> {
    let character = &rigged.character;
    let mut all = appendages(character, detection);
    let segments = SkeletonSegments::of(character, &rigged.bind, &rigged.humanoid);
    for (appendage, region) in all.iter_mut().zip(&detection.regions) {
        let treatment = settings.treatment(region.id, region.kind);
        if let Some(verdict) = treatment.verdict {
            if verdict != region.verdict {
                appendage.reason_code = ReasonCode::ByUser;
                appendage.reason = "decided by the user".into();
            }
            appendage.verdict = verdict;
            appendage.by_user = true;
        }
        if let Some(attachment) = treatment.attachment {
            appendage.attachment = name(character, attachment);
            appendage.by_user = true;
        }
        if appendage.verdict != Verdict::Leave {
            let after = segments.joint_distance(
                character,
                &rigged.bind,
                &detection.surface,
                &region.vertices,
            );
            appendage.joint_distance_after_m = Some(after);
        }
        let of_region = |c: &&Chain| c.origin == ChainOrigin::Grown(region.id);
        appendage.chain = rigged
            .chains
            .iter()
            .filter(of_region)
            .flat_map(Chain::nodes)
            .map(|node| name(character, node))
            .collect();
    }
    all
}

fn name(character: &Character, node: NodeIndex) -> String {
    character.skeleton.nodes().get(node.index()).map_or(String::new(), |n| n.name.clone())
}
